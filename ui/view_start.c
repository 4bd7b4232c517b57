/* Where one begins without a path: paste a log. */
#include "ui/screen.h"

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    grid_text(grid, area, 1, 2, FACE_TITLE,
              STR("Paste the log of the job that failed, then press Ctrl-D."));
    grid_text(grid, area, 2, 2, FACE_DIM, STR("Ctrl-C leaves.  With a path: faultline job/"));
    struct str rest = buf_view(&screen->paste), line;
    int row = 4;
    while (row < area.rows && str_line(&rest, &line))
        grid_text(grid, area, row++, 2, FACE_PLAIN, line);
    if (rest.n)
        grid_printf(grid, area, area.rows - 1, 2, FACE_DIM, "... %zu bytes in all",
                    screen->paste.n);
}

const struct view view_start = {VIEW_START, "start", "paste a log", draw, NULL};
