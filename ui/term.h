/* term.h - the terminal: keys in, frames out.  ncurses lives in term.c alone.
 *
 * A terminal that was opened is put back by term_close, and also when the
 * program is killed by a signal that can be caught or aborts. */
#ifndef FAULTLINE_TERM_H
#define FAULTLINE_TERM_H

#include "ui/grid.h"

enum {                    /* keys beyond Unicode scalars */
       KEY_NONE_YET = -1, /* nothing was typed within the time */
       TERM_UP = 0x110000,
       TERM_DOWN,
       TERM_LEFT,
       TERM_RIGHT,
       TERM_PAGE_UP,
       TERM_PAGE_DOWN,
       TERM_HOME,
       TERM_END,
       TERM_BACK_TAB,
       TERM_BACKSPACE,
       TERM_RESIZE,
       TERM_PASTE,
       TERM_CLICK, /* term_pointer tells where */
       TERM_WHEEL_UP,
       TERM_WHEEL_DOWN,
       TERM_CLOSED,
       TERM_F1,
       TERM_F2,
       TERM_F3,
       TERM_F4,
       TERM_F5,
       TERM_F6,
       TERM_F7,
       TERM_F8,
       TERM_F9,
       TERM_F10
};

/* A key that writes a character. */
static inline bool term_is_text(int key) {
    return key >= 32 && key != 127 && key < TERM_UP;
}

/* The type of the terminal is known, and one that can move its cursor. */
bool term_known(void);
/* False with err filled when standard output is no usable terminal. */
bool term_open(bool colour, struct err *err);
void term_close(void);
void term_size(int *rows, int *cols);
/* Waits at most `ms` for a key.  TERM_PASTE: a bracketed paste stands in *paste (appended); while
 * it comes, what there is of it stands there and no key is told. */
int term_key(int ms, struct buf *paste);
/* Ends the waiting at once; from any thread. */
void term_wake(void);
/* Where the mouse was at the last TERM_CLICK. */
void term_pointer(int *row, int *col);
void term_draw(const struct grid *grid);
/* Puts text on the clipboard of the terminal (OSC 52); at most 64 KiB. */
void term_copy(struct str text);
/* Stops the program as ^Z does and comes back on fg. */
void term_suspend(void);

#endif
