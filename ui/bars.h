/* bars.h - what stands around every view: the tabs above it, below it the line that is typed or
 * said and the keys that count. */
#ifndef FAULTLINE_BARS_H
#define FAULTLINE_BARS_H

#include "ui/grid.h"

struct screen;
/* The first row: the views, and what was asked for. */
void bars_draw_tabs(struct screen *screen, struct grid *grid, struct area area);
/* "340 of 1024 MB", or kB where that is too coarse; of a pipe nobody knows how much will come. */
struct str bars_bytes_read(struct screen *screen);
/* Instead of a view that needs a diagnosis, while there is none: how far the reading came. */
void bars_draw_reading(struct screen *screen, struct grid *grid, struct area area);
/* The last row but one: what is typed, was said, or is being done. */
void bars_draw_message(struct screen *screen, struct grid *grid, struct area area);
/* The last row: on the right what is the same everywhere, on the left what this view adds while
 * there is room. */
void bars_draw_keys(struct screen *screen, struct grid *grid, struct area area);

#endif
