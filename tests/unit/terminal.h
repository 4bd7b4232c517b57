/* terminal.h - the whole program on a terminal: a pseudo-terminal with libvterm behind it. */
#ifndef FAULTLINE_TEST_TERMINAL_H
#define FAULTLINE_TEST_TERMINAL_H

#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

enum { PATIENCE_MS = 20000 };

struct terminal {
    pid_t pid;
    int fd, rows, cols;
    VTerm *vterm;
    VTermScreen *screen;
    bool other_screen, cursor; /* as the program left them */
    int titles;                /* how often it set the title */
    struct buf raw;            /* all that it wrote */
    int status;                /* of waitpid */
    bool ended;
};

static inline int on_property(VTermProp property, VTermValue *value, void *ctx) {
    struct terminal *terminal = ctx;
    if (property == VTERM_PROP_ALTSCREEN) terminal->other_screen = value->boolean;
    if (property == VTERM_PROP_CURSORVISIBLE) terminal->cursor = value->boolean;
    if (property == VTERM_PROP_TITLE || property == VTERM_PROP_ICONNAME) terminal->titles++;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

/* ---- the program's side --------------------------------------------------------------------- */

static const char *program(void) {
    const char *path = getenv("FAULTLINE");
    return path ? path : "build/faultline";
}

/* A shell that knows job control would do this: puts the program into the foreground, says when it
 * was stopped, and goes on with it a little later. */
static inline _Noreturn void mind(pid_t child) {
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;) {
        int status;
        if (waitpid(child, &status, WUNTRACED) < 0) _exit(125);
        if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
        if (WIFSIGNALED(status)) _exit(100 + WTERMSIG(status));
        tcsetpgrp(STDIN_FILENO, getpgrp());
        printf("[stopped]\r\n");
        fflush(stdout);
        struct timespec pause = {0, 400000000};
        nanosleep(&pause, NULL);
        tcsetpgrp(STDIN_FILENO, child);
        kill(-child, SIGCONT);
    }
}

static inline _Noreturn void run_program(char *const *args) {
    signal(SIGTTOU, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        execv(args[0], args);
        _exit(126);
    }
    setpgid(child, child);
    mind(child);
}

static inline void terminal_open(struct terminal *terminal, int cols, int rows, char *const *args) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    *terminal = (struct terminal){.rows = rows, .cols = cols, .cursor = true};
    terminal->vterm = vterm_new(rows, cols);
    vterm_set_utf8(terminal->vterm, 1);
    terminal->screen = vterm_obtain_screen(terminal->vterm);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    terminal->titles = 0;
    terminal->pid = forkpty(&terminal->fd, NULL, NULL, &size);
    assert_true(terminal->pid >= 0);
    if (terminal->pid > 0) return;
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* ncurses keeps its own until the end */
    run_program(args);
}

static inline void open_path(struct terminal *terminal, int cols, int rows, const char *path) {
    char *args[] = {(char *)program(), (char *)path, NULL};
    terminal_open(terminal, cols, rows, args);
}

/* ---- the terminal's side -------------------------------------------------------------------- */

/* Takes what the program wrote within `ms`; false when it wrote nothing. */
static inline bool take(struct terminal *terminal, int ms) {
    char bytes[4096];
    struct pollfd poll_fd = {terminal->fd, POLLIN, 0};
    if (terminal->fd < 0 || poll(&poll_fd, 1, ms) <= 0) return false;
    ssize_t n = read(terminal->fd, bytes, sizeof bytes);
    if (n <= 0) return false;
    buf_add(&terminal->raw, bytes, (size_t)n);
    vterm_input_write(terminal->vterm, bytes, (size_t)n);
    return true;
}

static inline struct str row_text(struct terminal *terminal, int row) {
    static char text[4096];
    VTermRect rect = {row, row + 1, 0, terminal->cols};
    size_t n = vterm_screen_get_text(terminal->screen, text, sizeof text, rect);
    return (struct str){text, n};
}

static inline bool shows(struct terminal *terminal, const char *text) {
    for (int row = 0; row < terminal->rows; row++)
        if (str_has(row_text(terminal, row), str_of(text))) return true;
    return false;
}

static inline void print_screen(struct terminal *terminal) {
    for (int row = 0; row < terminal->rows; row++)
        print_message("|" STR_FMT "\n", STR_ARG(row_text(terminal, row)));
}

static inline int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void wait_for(struct terminal *terminal, const char *text) {
    int64_t end = now_ms() + PATIENCE_MS;
    while (now_ms() < end) {
        if (shows(terminal, text)) return;
        take(terminal, 50);
    }
    print_screen(terminal);
    fail_msg("the terminal never shows '%s'", text);
}

static inline void type(struct terminal *terminal, const char *keys) {
    assert_int_equal(write(terminal->fd, keys, strlen(keys)), strlen(keys));
}

/* Waits for the end; the exit status, or 100 + the signal. */
static inline int wait_end(struct terminal *terminal) {
    int64_t end = now_ms() + PATIENCE_MS;
    while (now_ms() < end) {
        take(terminal, 20);
        if (waitpid(terminal->pid, &terminal->status, WNOHANG) != terminal->pid) continue;
        while (take(terminal, 20)) {
        }
        terminal->ended = true;
        return WEXITSTATUS(terminal->status);
    }
    fail_msg("the program does not end");
    return -1;
}

static inline void terminal_close(struct terminal *terminal) {
    if (terminal->fd >= 0) close(terminal->fd);
    if (!terminal->ended) waitpid(terminal->pid, &terminal->status, 0);
    vterm_free(terminal->vterm);
    buf_release(&terminal->raw);
}

static inline struct str last_paste_mode(const struct terminal *terminal) {
    struct str raw = buf_view(&terminal->raw), last = {0};
    for (ptrdiff_t at = 0; (at = str_find(raw, STR("\033[?2004"), (size_t)at)) >= 0; at++)
        last = str_sub(raw, (size_t)at, 8);
    return last;
}

/* The screen, the cursor, the modes of line editing: as they were before. */
static inline void assert_restored(struct terminal *terminal) {
    struct termios modes;
    assert_false(terminal->other_screen);
    assert_true(terminal->cursor);
    assert_str(last_paste_mode(terminal), "\033[?2004l");
    assert_int_equal(tcgetattr(terminal->fd, &modes), 0);
    assert_int_equal(modes.c_lflag & (ECHO | ICANON | ISIG), ECHO | ICANON | ISIG);
}

static inline pid_t program_group(const struct terminal *terminal) {
    return tcgetpgrp(terminal->fd);
}

#endif
