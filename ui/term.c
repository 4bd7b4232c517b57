#include "ui/term.h"

#include "base/clock.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

enum { PASTE_LIMIT = 512 << 20, COPY_LIMIT = 64 << 10, PASTE_MS = 40, PASTE_IDLE_MS = 2000 };
enum { KEY_PASTE_START = KEY_MAX + 1, KEY_PASTE_END };

static const struct {
    int curses, key;
} key_map[] = {
    {KEY_UP, TERM_UP},
    {KEY_DOWN, TERM_DOWN},
    {KEY_LEFT, TERM_LEFT},
    {KEY_RIGHT, TERM_RIGHT},
    {KEY_PPAGE, TERM_PAGE_UP},
    {KEY_NPAGE, TERM_PAGE_DOWN},
    {KEY_HOME, TERM_HOME},
    {KEY_END, TERM_END},
    {KEY_BTAB, TERM_BACK_TAB},
    {KEY_ENTER, '\n'},
    {KEY_BACKSPACE, TERM_BACKSPACE},
    {KEY_RESIZE, TERM_RESIZE},
};

/* How a face looks: its colour (-1: the terminal's own) and attributes. */
struct look {
    short colour;
    attr_t attributes;
};

/* Among 256 colours: such as are read on a light ground and on a dark one. */
static const struct look fine_looks[FACE_COUNT] = {
    [FACE_PLAIN] = {-1, 0},         [FACE_BOLD] = {-1, A_BOLD},    [FACE_DIM] = {-1, A_DIM},
    [FACE_TITLE] = {37, A_BOLD},    [FACE_BAR] = {-1, A_REVERSE},  [FACE_KEY] = {-1, A_BOLD},
    [FACE_FAILED] = {160, A_BOLD},  [FACE_HEALTHY] = {34, A_BOLD}, [FACE_UNKNOWN] = {172, A_BOLD},
    [FACE_CODE] = {37, 0},          [FACE_MARK] = {160, 0},        [FACE_SELECTED] = {-1, A_BOLD},
    [FACE_FOUND] = {-1, A_REVERSE}, [FACE_RANK] = {34, 0},         [FACE_RANK + 1] = {136, 0},
    [FACE_RANK + 2] = {33, 0},      [FACE_RANK + 3] = {133, 0},    [FACE_RANK + 4] = {37, 0},
    [FACE_RANK + 5] = {-1, A_DIM},
};

/* Among the 8 that every terminal has only red and magenta are; what carries a text is bold
 * instead, and yellow is not used.  Without colours the attributes are what is left. */
static const struct look few_looks[FACE_COUNT] = {
    [FACE_PLAIN] = {-1, 0},
    [FACE_BOLD] = {-1, A_BOLD},
    [FACE_DIM] = {-1, A_DIM},
    [FACE_TITLE] = {-1, A_BOLD},
    [FACE_BAR] = {-1, A_REVERSE},
    [FACE_BAR_KEY] = {-1, A_REVERSE | A_BOLD},
    [FACE_KEY] = {-1, A_BOLD},
    [FACE_FAILED] = {COLOR_RED, A_BOLD},
    [FACE_HEALTHY] = {COLOR_GREEN, A_BOLD},
    [FACE_UNKNOWN] = {COLOR_MAGENTA, A_BOLD},
    [FACE_CODE] = {-1, A_BOLD},
    [FACE_MARK] = {COLOR_RED, 0},
    [FACE_SELECTED] = {-1, A_BOLD},
    [FACE_FOUND] = {-1, A_REVERSE},
    [FACE_RANK] = {COLOR_GREEN, 0},
    [FACE_RANK + 1] = {-1, A_BOLD},
    [FACE_RANK + 2] = {COLOR_BLUE, A_BOLD},
    [FACE_RANK + 3] = {COLOR_MAGENTA, 0},
    [FACE_RANK + 4] = {COLOR_CYAN, 0},
    [FACE_RANK + 5] = {-1, A_DIM},
};

/* A signal finds the terminal by these: nothing else may be changed from a
 * handler. */
static volatile sig_atomic_t is_open;
static struct termios before;
static FILE
    *keys; /* where keys come from: standard input, or the terminal itself when that is a pipe */
static char restore[256]; /* what puts the terminal back, made when it is opened */
static size_t n_restore;
static bool coloured;
static const struct look *looks;
static MEVENT pointer;          /* of the last click */
static int wakes[2] = {-1, -1}; /* a pipe: a byte in it ends the waiting for a key */
static struct grid drawn;       /* what the terminal shows; no cells: not known */

/* Appends a capability of the terminal without its delays ("$<5>"). */
static void add_restore(const char *text) {
    for (; text && text != (char *)-1 && *text && n_restore < sizeof restore; text++) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end;
        else
            restore[n_restore++] = *text;
    }
}

/* Safe in a signal handler: two system calls. */
static void leave_now(void) {
    if (!is_open) return;
    is_open = 0;
    if (write(STDOUT_FILENO, restore, n_restore) < 0) return;
    tcsetattr(fileno(keys), TCSANOW, &before);
}

static void on_fatal(int number) {
    leave_now();
    signal(number, SIG_DFL);
    raise(number);
}

static void restore_make(void) {
    n_restore = 0;
    add_restore("\033[?2026l\033[?2004l");
    add_restore("\033[?1000l\033[?1006l"); /* the mouse */
    add_restore(tigetstr("sgr0"));
    add_restore(tigetstr("rmkx"));
    add_restore(tigetstr("cnorm"));
    add_restore(tigetstr("rmcup"));
}

static void paste_mode(bool on) {
    fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
    fflush(stdout);
}

/* Pastes, the cursor keys of terminals that do not change to application mode, and those that
 * PuTTY, rxvt, tmux and the Linux console send whatever TERM says. */
static void keys_define(void) {
    static const struct {
        const char *bytes;
        int key;
    } rows[] = {
        {"\033[200~", KEY_PASTE_START}, {"\033[201~", KEY_PASTE_END}, {"\033[A", KEY_UP},
        {"\033[B", KEY_DOWN},           {"\033[C", KEY_RIGHT},        {"\033[D", KEY_LEFT},
        {"\033[H", KEY_HOME},           {"\033[F", KEY_END},          {"\033[1~", KEY_HOME},
        {"\033[4~", KEY_END},           {"\033[7~", KEY_HOME},        {"\033[8~", KEY_END},
        {"\033[11~", KEY_F(1)},         {"\033[12~", KEY_F(2)},       {"\033[13~", KEY_F(3)},
        {"\033[14~", KEY_F(4)},         {"\033[15~", KEY_F(5)},       {"\033OP", KEY_F(1)},
        {"\033OQ", KEY_F(2)},           {"\033OR", KEY_F(3)},         {"\033OS", KEY_F(4)}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) define_key(rows[i].bytes, rows[i].key);
}

static bool type_can(const char *type) {
    int status;
    const char *move = setupterm(type, STDOUT_FILENO, &status) == OK ? tigetstr("cup") : NULL;
    return move && move != (char *)-1;
}

/* The type to open: far machines often do not know that of a new terminal, and nearly all of these
 * understand what xterm does, in 256 colours unless they say otherwise.  NULL: the terminal cannot
 * move its cursor. */
static const char *terminal_type(struct err *err) {
    static const char *const kin[] = {
        "xterm",   "screen",  "tmux",    "rxvt", "kitty", "alacritty", "foot",  "wezterm", "vte",
        "konsole", "ghostty", "contour", "st-",  "gnome", "putty",     "iterm", "mintty"};
    const char *type = getenv("TERM");
    if (type && type_can(type)) return type;
    for (size_t i = 0; type && i < COUNT_OF(kin); i++) {
        if (!strstr(type, kin[i])) continue;
        if (!strstr(type, "16color") && type_can("xterm-256color")) return "xterm-256color";
        if (type_can("xterm")) return "xterm";
    }
    err_set(err, "the type of the terminal is not known, or it cannot move its cursor",
            "set TERM, or use faultline diagnose", "cannot open the screen (TERM=%s)",
            type ? type : "");
    return NULL;
}

static void colours_open(bool wanted) {
    coloured = wanted && has_colors();
    looks = few_looks;
    if (!coloured) return;
    start_color();
    use_default_colors();
    if (COLORS >= 256) looks = fine_looks;
    for (short i = 0; i < FACE_COUNT; i++) init_pair((short)(i + 1), looks[i].colour, -1);
}

static void wakes_open(void) {
    if (pipe2(wakes, O_CLOEXEC | O_NONBLOCK) != 0) wakes[0] = wakes[1] = -1;
}

bool term_known(void) {
    struct err err;
    return terminal_type(&err);
}

/* What the terminal says of its size goes before LINES and COLUMNS, which somebody may have
 * exported long ago. */
static void size_ask(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_row || !size.ws_col) return;
    unsetenv("LINES");
    unsetenv("COLUMNS");
}

bool term_open(bool colour, struct err *err) {
    static const int fatal[] = {SIGHUP, SIGINT,  SIGTERM, SIGQUIT, SIGSEGV,
                                SIGBUS, SIGABRT, SIGFPE,  SIGILL};
    keys = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
    if (!keys || tcgetattr(fileno(keys), &before) != 0)
        return err_set(err, "there is no terminal to take keys from", "use faultline diagnose",
                       "cannot open the screen");
    const char *type = terminal_type(err);
    if (!type) return false;
    size_ask();
    if (!newterm(type, stdout, keys))
        return err_set(err, NULL, "use faultline diagnose", "cannot open the screen");
    restore_make();
    wakes_open();
    is_open = 1;
    for (size_t i = 0; i < COUNT_OF(fatal); i++) signal(fatal[i], on_fatal);
    base_on_abort(leave_now);
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    keys_define();
    mouseinterval(0); /* a click is told when the button goes down */
    mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    colours_open(colour);
    paste_mode(true);
    return true;
}

void term_close(void) {
    if (!is_open) return;
    paste_mode(false);
    endwin();
    grid_release(&drawn);
    is_open = 0;
}

void term_size(int *rows, int *cols) {
    getmaxyx(stdscr, *rows, *cols);
}

void term_pointer(int *row, int *col) {
    *row = pointer.y;
    *col = pointer.x;
}

static int translate_mouse(void) {
    MEVENT event;
    if (getmouse(&event) != OK) return KEY_NONE_YET;
    if (event.bstate & BUTTON4_PRESSED) return TERM_WHEEL_UP;
    if (event.bstate & BUTTON5_PRESSED) return TERM_WHEEL_DOWN;
    if (!(event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))) return KEY_NONE_YET;
    pointer = event;
    return TERM_CLICK;
}

static int translate(int code, bool function) {
    if (function && code == KEY_MOUSE) return translate_mouse();
    if (!function) return code == '\r' ? '\n' : code == 127 || code == 8 ? TERM_BACKSPACE : code;
    for (size_t i = 0; i < COUNT_OF(key_map); i++)
        if (key_map[i].curses == code) return key_map[i].key;
    if (code >= KEY_F(1) && code <= KEY_F(10)) return TERM_F1 + code - KEY_F(1);
    return KEY_NONE_YET;
}

static const char paste_end[] = "\033[201~";

/* Keys that came behind the end of a paste are read next. */
static void give_back(struct str keys_behind) {
    for (size_t i = keys_behind.n; i-- > 0;) ungetch((unsigned char)keys_behind.p[i]);
}

/* Read in blocks, not key by key: a whole log may be pasted.  One that is too long is cut. */
struct incoming {
    bool open;
    char bytes[65536 + sizeof paste_end];
    size_t kept; /* at the front of `bytes`: it may be the beginning of the mark */
};
static struct incoming incoming;

static void add_paste(struct buf *paste, size_t n) {
    size_t from = paste->n;
    paste->limit = PASTE_LIMIT;
    buf_add(paste, incoming.bytes, n);
    for (char *p = paste->p + from; n && (p = memchr(p, '\r', paste->n - (size_t)(p - paste->p)));)
        *p = '\n';
}

/* Takes what there is; false when it has ended. */
static bool take_bytes(struct buf *paste) {
    const size_t mark = sizeof paste_end - 1;
    ssize_t n =
        read(fileno(keys), incoming.bytes + incoming.kept, sizeof incoming.bytes - incoming.kept);
    if (n <= 0) return false;
    struct str text = {incoming.bytes, incoming.kept + (size_t)n};
    ptrdiff_t end = str_find(text, str_of(paste_end), 0);
    if (end >= 0) {
        add_paste(paste, (size_t)end);
        incoming.kept = 0;
        give_back(str_sub(text, (size_t)end + mark, text.n));
        return false;
    }
    incoming.kept = text.n < mark - 1 ? text.n : mark - 1;
    add_paste(paste, text.n - incoming.kept);
    memmove(incoming.bytes, incoming.bytes + text.n - incoming.kept, incoming.kept);
    return true;
}

/* Goes on with a paste for a moment; one that never ends is taken as it stands. */
static int take_paste(struct buf *paste) {
    struct pollfd ready = {.fd = fileno(keys), .events = POLLIN};
    double end = clock_ms() + PASTE_MS;
    while (clock_ms() < end) {
        if (poll(&ready, 1, PASTE_IDLE_MS) > 0 && take_bytes(paste)) continue;
        incoming.open = false;
        add_paste(paste, incoming.kept);
        incoming.kept = 0;
        return TERM_PASTE;
    }
    return KEY_NONE_YET;
}

/* ---- keys ----------------------------------------------------------------------------------- */

void term_wake(void) {
    if (wakes[1] >= 0 && write(wakes[1], "", 1) < 0) return; /* full: it is awake */
}

/* Until a key may be there, or somebody wakes. */
static void wait_input(int ms) {
    struct pollfd rows[] = {{.fd = fileno(keys), .events = POLLIN},
                            {.fd = wakes[0], .events = POLLIN}};
    char bytes[64];
    if (poll(rows, COUNT_OF(rows), ms) > 0 && rows[1].revents)
        while (read(wakes[0], bytes, sizeof bytes) > 0) {
        }
}

int term_key(int ms, struct buf *paste) {
    wint_t wide;
    if (incoming.open) return take_paste(paste);
    timeout(0);
    int kind = get_wch(&wide);
    if (kind == ERR && ms > 0) {
        wait_input(ms);
        kind = get_wch(&wide);
    }
    if (kind == ERR) return feof(keys) || !isatty(fileno(keys)) ? TERM_CLOSED : KEY_NONE_YET;
    if (kind == KEY_CODE_YES && wide == KEY_PASTE_START) {
        incoming.open = true;
        return take_paste(paste);
    }
    return translate((int)wide, kind == KEY_CODE_YES);
}

/* ---- frames --------------------------------------------------------------------------------- */

static bool cell_same(const struct cell *a, const struct cell *b) {
    return a->point == b->point && a->combining == b->combining && a->face == b->face;
}

static void draw_cell(const struct grid *grid, int row, int col) {
    const struct cell *cell = &grid->cells[row * grid->cols + col];
    if (!cell->point) return;
    wchar_t text[3] = {(wchar_t)cell->point, (wchar_t)cell->combining, 0};
    cchar_t shown;
    short pair = (short)(coloured ? cell->face + 1 : 0);
    setcchar(&shown, text, looks[cell->face].attributes, pair, NULL);
    mvadd_wch(row, col, &shown);
}

/* The terminal shows a frame when it is whole, where it knows how (others do not mind). */
static void frame_mark(const char *mark) {
    fputs(mark, stdout);
    fflush(stdout);
}

/* Rows that did not change cost nothing; of the others ncurses writes the cells that did. */
void term_draw(const struct grid *grid) {
    bool known = drawn.cells && drawn.rows == grid->rows && drawn.cols == grid->cols, any = false;
    if (!known) grid_resize(&drawn, grid->rows, grid->cols);
    for (int row = 0; row < grid->rows; row++) {
        const struct cell *now = grid->cells + row * grid->cols;
        struct cell *shown = drawn.cells + row * grid->cols;
        bool same = known;
        for (int col = 0; same && col < grid->cols; col++) same = cell_same(&now[col], &shown[col]);
        if (same) continue;
        for (int col = 0; col < grid->cols; col++) draw_cell(grid, row, col);
        memcpy(shown, now, (size_t)grid->cols * sizeof *now);
        any = true;
    }
    if (!any) return;
    frame_mark("\033[?2026h");
    refresh();
    frame_mark("\033[?2026l");
}

void term_copy(struct str text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text = str_sub(text, 0, COPY_LIMIT);
    printf("\033]52;c;");
    for (size_t i = 0; i < text.n; i += 3) {
        unsigned char b[3] = {0};
        size_t n = text.n - i < 3 ? text.n - i : 3;
        memcpy(b, text.p + i, n);
        putchar(digits[b[0] >> 2]);
        putchar(digits[(b[0] & 3) << 4 | b[1] >> 4]);
        putchar(n > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=');
        putchar(n > 2 ? digits[b[2] & 63] : '=');
    }
    printf("\a");
    fflush(stdout);
}

void term_suspend(void) {
    paste_mode(false);
    def_prog_mode();
    endwin();
    void (*handler)(int) = signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    signal(SIGTSTP, handler);
    reset_prog_mode();
    paste_mode(true);
    refresh();
}
