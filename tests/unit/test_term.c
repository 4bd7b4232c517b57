/* The whole program on a terminal: a pseudo-terminal with libvterm behind it. */
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

static int on_property(VTermProp property, VTermValue *value, void *ctx) {
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
static _Noreturn void mind(pid_t child) {
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

static _Noreturn void run_program(char *const *args) {
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

static void terminal_open(struct terminal *terminal, int cols, int rows, char *const *args) {
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

static void open_path(struct terminal *terminal, int cols, int rows, const char *path) {
    char *args[] = {(char *)program(), (char *)path, NULL};
    terminal_open(terminal, cols, rows, args);
}

/* ---- the terminal's side -------------------------------------------------------------------- */

/* Takes what the program wrote within `ms`; false when it wrote nothing. */
static bool take(struct terminal *terminal, int ms) {
    char bytes[4096];
    struct pollfd poll_fd = {terminal->fd, POLLIN, 0};
    if (terminal->fd < 0 || poll(&poll_fd, 1, ms) <= 0) return false;
    ssize_t n = read(terminal->fd, bytes, sizeof bytes);
    if (n <= 0) return false;
    buf_add(&terminal->raw, bytes, (size_t)n);
    vterm_input_write(terminal->vterm, bytes, (size_t)n);
    return true;
}

static struct str row_text(struct terminal *terminal, int row) {
    static char text[4096];
    VTermRect rect = {row, row + 1, 0, terminal->cols};
    size_t n = vterm_screen_get_text(terminal->screen, text, sizeof text, rect);
    return (struct str){text, n};
}

static bool shows(struct terminal *terminal, const char *text) {
    for (int row = 0; row < terminal->rows; row++)
        if (str_has(row_text(terminal, row), str_of(text))) return true;
    return false;
}

static void print_screen(struct terminal *terminal) {
    for (int row = 0; row < terminal->rows; row++)
        print_message("|" STR_FMT "\n", STR_ARG(row_text(terminal, row)));
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for(struct terminal *terminal, const char *text) {
    int64_t end = now_ms() + PATIENCE_MS;
    while (now_ms() < end) {
        if (shows(terminal, text)) return;
        take(terminal, 50);
    }
    print_screen(terminal);
    fail_msg("the terminal never shows '%s'", text);
}

static void type(struct terminal *terminal, const char *keys) {
    assert_int_equal(write(terminal->fd, keys, strlen(keys)), strlen(keys));
}

/* Waits for the end; the exit status, or 100 + the signal. */
static int wait_end(struct terminal *terminal) {
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

static void terminal_close(struct terminal *terminal) {
    if (terminal->fd >= 0) close(terminal->fd);
    if (!terminal->ended) waitpid(terminal->pid, &terminal->status, 0);
    vterm_free(terminal->vterm);
    buf_release(&terminal->raw);
}

static struct str last_paste_mode(const struct terminal *terminal) {
    struct str raw = buf_view(&terminal->raw), last = {0};
    for (ptrdiff_t at = 0; (at = str_find(raw, STR("\033[?2004"), (size_t)at)) >= 0; at++)
        last = str_sub(raw, (size_t)at, 8);
    return last;
}

/* The screen, the cursor, the modes of line editing: as they were before. */
static void assert_restored(struct terminal *terminal) {
    struct termios modes;
    assert_false(terminal->other_screen);
    assert_true(terminal->cursor);
    assert_str(last_paste_mode(terminal), "\033[?2004l");
    assert_int_equal(tcgetattr(terminal->fd, &modes), 0);
    assert_int_equal(modes.c_lflag & (ECHO | ICANON | ISIG), ECHO | ICANON | ISIG);
}

static pid_t program_group(const struct terminal *terminal) {
    return tcgetpgrp(terminal->fd);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static void the_demo_opens_and_leaves_the_terminal_as_it_was(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "assets/demo");
    wait_for(&terminal, "FAILED");
    wait_for(&terminal, "rank2.log:20");
    assert_true(terminal.other_screen);
    assert_str(last_paste_mode(&terminal), "\033[?2004h");
    type(&terminal, "l");
    wait_for(&terminal, "first fault:");
    type(&terminal, "f");
    wait_for(&terminal, "1. ");
    type(&terminal, "\033OP"); /* F1 */
    wait_for(&terminal, "everywhere");
    type(&terminal, "\033");
    wait_for(&terminal, "Enter copy");
    type(&terminal, "d\033[B\033OB\033[A"); /* arrows, as both kinds of terminals send them */
    wait_for(&terminal, "> then");
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    assert_restored(&terminal);
    assert_true(shows(&terminal, "  run")); /* the report stays in the scrollback */
    terminal_close(&terminal);
}

/* A whole log, as fast as the terminal takes it, and a key right behind it. */
static void a_large_paste_is_taken(void **state) {
    (void)state;
    enum { LINES = 40000 };
    struct terminal terminal;
    char *args[] = {(char *)program(), NULL};
    terminal_open(&terminal, 80, 24, args);
    wait_for(&terminal, "Paste the log");
    struct buf text = {0};
    buf_str(&text, STR("\033[200~"));
    for (int i = 1; i < LINES; i++)
        buf_printf(&text, "[2024-05-01 12:00:00,000] [INFO] [Rank 0] step=%d, loss=2.5\r", i);
    buf_str(&text,
            STR("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 "
                "has a total capacity of 79.15 GiB\r\033[201~l"));
    pid_t writer = fork();
    if (writer == 0) {
        for (size_t at = 0; at < text.n;) {
            ssize_t n = write(terminal.fd, text.p + at, text.n - at);
            if (n < 0) _exit(1);
            at += (size_t)n;
        }
        _exit(0);
    }
    wait_for(&terminal, "first fault:"); /* the key behind it opened the log */
    wait_for(&terminal, "> 40000 !");
    int status;
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    buf_release(&text);
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    assert_restored(&terminal);
    terminal_close(&terminal);
}

static void a_paste_in_brackets_is_diagnosed(void **state) {
    (void)state;
    struct terminal terminal;
    char *args[] = {(char *)program(), NULL};
    terminal_open(&terminal, 80, 24, args);
    wait_for(&terminal, "Paste the log");
    type(&terminal, "\033[200~step 1\rq\rtorch.OutOfMemoryError: CUDA out of memory. Tried to "
                    "allocate 2.50 GiB. GPU 0 has a total capacity of 79.15 GiB\r\033[201~");
    wait_for(&terminal, "FAILED");
    wait_for(&terminal, "paste:3");
    type(&terminal, "l");
    wait_for(&terminal, ">     3 !");
    type(&terminal, "\003");
    assert_int_equal(wait_end(&terminal), 1);
    assert_restored(&terminal);
    terminal_close(&terminal);
}

static void a_path_can_be_typed(void **state) {
    (void)state;
    struct terminal terminal;
    char *args[] = {(char *)program(), NULL};
    terminal_open(&terminal, 80, 24, args);
    wait_for(&terminal, "Paste the log");
    type(&terminal, "assets/demo\004");
    wait_for(&terminal, "rank2.log:20");
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    terminal_close(&terminal);
}

static void a_log_can_be_piped_in(void **state) {
    (void)state;
    struct terminal terminal;
    char command[512];
    snprintf(command, sizeof command, "cat assets/demo/rank2.log | %s", program());
    char *args[] = {"/bin/sh", "-c", command, NULL};
    terminal_open(&terminal, 80, 24, args);
    wait_for(&terminal, "FAILED");
    wait_for(&terminal, "standard input");
    type(&terminal, "lg");
    wait_for(&terminal,
             ">     1   [2026-03-14 02:10:00,274]"); /* all of it, as if it were a file */
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    assert_restored(&terminal);
    terminal_close(&terminal);
}

/* What comes slowly is shown while it comes, whole, and nobody waits for its end. */
static void a_pipe_that_stays_open_is_shown_and_left(void **state) {
    (void)state;
    struct terminal terminal;
    char command[1024], folder[] = "/tmp/faultline-pipe-XXXXXX", go[64];
    assert_non_null(mkdtemp(folder));
    snprintf(go, sizeof go, "%s/go", folder);
    snprintf(command, sizeof command,
             "mkfifo %s/f; (exec >%s/f; head -n 15 assets/demo/rank2.log; "
             "until [ -e %s ]; do sleep 0.05; done; tail -n +16 assets/demo/rank2.log; "
             "exec sleep 30) & exec %s %s/f",
             folder, folder, go, program(), folder);
    char *args[] = {"/bin/sh", "-c", command, NULL};
    terminal_open(&terminal, 80, 24, args);
    wait_for(&terminal, "no failure so far");
    close(open(go, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    wait_for(&terminal, "FAILED");
    wait_for(&terminal, "read; Esc stops");
    type(&terminal, "lgt13\r"); /* a line that says nothing */
    wait_for(&terminal, ">    13   [rank2]:     engine.backward");
    type(&terminal, "da");
    wait_for(&terminal, "That has to wait until all is read.");
    int64_t begun = now_ms();
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    assert_true(now_ms() - begun < 5000);
    assert_restored(&terminal);
    assert_true(shows(&terminal, "  run"));
    terminal_close(&terminal);
    unlink(go);
    snprintf(go, sizeof go, "%s/f", folder);
    unlink(go);
    rmdir(folder);
}

/* Who does not wait for the rest goes on with what came. */
static void the_rest_of_a_pipe_can_be_left_out(void **state) {
    (void)state;
    struct terminal terminal;
    char command[1024];
    snprintf(command, sizeof command, "(cat assets/demo/rank2.log; exec sleep 30) | %s & wait $!",
             program());
    char *args[] = {"/bin/bash", "-c", "", NULL};
    args[2] = command;
    terminal_open(&terminal, 80, 60, args);
    wait_for(&terminal, "FAILED");
    wait_for(&terminal, "read; Esc stops");
    type(&terminal, "\033a");
    wait_for(&terminal, "What have you found so far");
    type(&terminal, "q");
    wait_for(&terminal, "left before all was read");
    kill(-terminal.pid, SIGKILL);
    terminal_close(&terminal);
}

static void a_new_size_is_used_at_once(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "assets/demo");
    wait_for(&terminal, "rank2.log:20");
    struct winsize size = {.ws_row = 40, .ws_col = 120};
    vterm_set_size(terminal.vterm, 40, 120);
    terminal.rows = 40, terminal.cols = 120;
    assert_int_equal(ioctl(terminal.fd, TIOCSWINSZ, &size), 0);
    kill(-program_group(&terminal), SIGWINCH);
    int64_t end = now_ms() + PATIENCE_MS;
    while (now_ms() < end && !str_has(row_text(&terminal, 39), STR("q quit"))) take(&terminal, 50);
    assert_true(str_has(row_text(&terminal, 39), STR("q quit")));
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    terminal_close(&terminal);
}

static void it_can_be_suspended(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "assets/demo");
    wait_for(&terminal, "rank2.log:20");
    type(&terminal, "\032");
    wait_for(&terminal, "[stopped]");
    assert_restored(&terminal);
    wait_for(&terminal, "rank2.log:20");
    assert_true(terminal.other_screen);
    assert_str(last_paste_mode(&terminal), "\033[?2004h");
    type(&terminal, "l");
    wait_for(&terminal, "first fault:");
    type(&terminal, "\032");
    wait_for(&terminal, "[stopped]");
    wait_for(&terminal, "first fault:");
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    assert_restored(&terminal);
    terminal_close(&terminal);
}

static void a_killed_program_leaves_the_terminal_as_it_was(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGSEGV};
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        struct terminal terminal;
        open_path(&terminal, 80, 24, "assets/demo");
        wait_for(&terminal, "rank2.log:20");
        kill(-program_group(&terminal), signals[i]);
        assert_int_equal(wait_end(&terminal), 100 + signals[i]);
        assert_restored(&terminal);
        terminal_close(&terminal);
    }
}

static void a_terminal_that_goes_away_ends_it(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "assets/demo");
    wait_for(&terminal, "rank2.log:20");
    close(terminal.fd);
    terminal.fd = -1;
    int64_t end = now_ms() + PATIENCE_MS;
    while (now_ms() < end && waitpid(terminal.pid, &terminal.status, WNOHANG) == 0) {
        struct timespec pause = {0, 20000000};
        nanosleep(&pause, NULL);
    }
    terminal.ended = true;
    assert_true(WIFEXITED(terminal.status));
    terminal_close(&terminal);
}

static void no_escape_of_a_log_reaches_the_terminal(void **state) {
    (void)state;
    static const char text[] =
        "\033]0;PWNED\007\033]2;PWNED\033\\\033[2J\033[?1049l\033[31mred\033]52;c;UFdORUQ=\007\n"
        "\x9b"
        "31m \x9d"
        "0;PWNED\x9c \xc2\x9d"
        "0;PWNED\x07 \016\017\005\033c\n"
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 "
        "has "
        "a total capacity of 79.15 GiB \033]0;PWNED\007\033[?2004l\n";
    char path[] = "/tmp/faultline-\033]0;PWNED\007-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    struct terminal terminal;
    open_path(&terminal, 80, 24, path);
    wait_for(&terminal, "FAILED");
    for (const char *key = "lgGzMafe?d"; *key; key++) {
        type(&terminal, (char[]){*key, 0});
        while (take(&terminal, 100)) {
        }
    }
    type(&terminal, "q");
    wait_end(&terminal);
    assert_restored(&terminal);
    assert_int_equal(terminal.titles, 0);
    struct str raw = buf_view(&terminal.raw);
    assert_false(str_has(raw, STR("\033]")));
    assert_false(str_has(raw, STR("\x9d")));
    assert_false(str_has(raw, STR("\033c")));
    assert_false(str_has(raw, STR("\007")));
    terminal_close(&terminal);
    unlink(path);
}

static void copying_asks_the_terminal(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "assets/demo");
    wait_for(&terminal, "rank2.log:20");
    type(&terminal, "y");
    wait_for(&terminal, "Copied");
    while (take(&terminal, 100)) {
    }
    /* base64 of "[rank2]: torch.cuda." */
    assert_true(str_has(buf_view(&terminal.raw), STR("\033]52;c;W3JhbmsyXTogdG9yY2guY3VkYS")));
    type(&terminal, "q");
    wait_end(&terminal);
    terminal_close(&terminal);
}

static bool has_colours(struct terminal *terminal) {
    struct str raw = buf_view(&terminal->raw);
    return str_has(raw, STR("\033[31")) || str_has(raw, STR(";31m")) ||
           str_has(raw, STR("\033[36")) || str_has(raw, STR(";36m"));
}

static void colours_are_a_choice(void **state) {
    (void)state;
    for (int colour = 0; colour < 2; colour++) {
        struct terminal terminal;
        char *args[] = {(char *)program(), colour ? "--color=always" : "--color=never",
                        "assets/demo", NULL};
        terminal_open(&terminal, 80, 24, args);
        wait_for(&terminal, "rank2.log:20");
        type(&terminal, "q");
        wait_end(&terminal);
        assert_int_equal(has_colours(&terminal), colour);
        terminal_close(&terminal);
    }
}

static void an_unreadable_path_is_shown_and_told(void **state) {
    (void)state;
    struct terminal terminal;
    char *args[] = {(char *)program(), "assets/demo", "/nowhere/at/all", NULL};
    terminal_open(&terminal, 80, 50, args);
    wait_for(&terminal, "rank2.log:20");
    wait_for(&terminal, "cannot read '/nowhere/at/all'");
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 3);
    assert_true(shows(&terminal, "faultline: cannot read '/nowhere/at/all'"));
    terminal_close(&terminal);
}

/* However long it is, a path is no misspelt command. */
static void a_missing_path_is_no_command(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "/nowhere/at/all/of/this/machine");
    wait_for(&terminal, "cannot read '/nowhere/at/all/of/this/machine'");
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 3);
    terminal_close(&terminal);
}

static void a_terminal_that_cannot_show_a_screen_is_told(void **state) {
    (void)state;
    struct terminal terminal;
    char *args[] = {"/usr/bin/env", "TERM=no-such-terminal", (char *)program(), "assets/demo",
                    NULL};
    terminal_open(&terminal, 80, 24, args);
    assert_int_equal(wait_end(&terminal), 2);
    assert_true(shows(&terminal, "faultline: cannot open the screen"));
    assert_true(shows(&terminal, "faultline diagnose"));
    terminal_close(&terminal);
}

static void a_dumb_terminal_gets_the_report(void **state) {
    (void)state;
    static const char *const types[] = {"TERM=dumb", "TERM="};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        struct terminal terminal;
        char *args[] = {"/usr/bin/env", (char *)types[i], (char *)program(), "assets/demo", NULL};
        terminal_open(&terminal, 80, 60, args);
        assert_int_equal(wait_end(&terminal), 1);
        assert_true(shows(&terminal, "FAILED  rank 2"));
        assert_true(shows(&terminal, "faultline walk assets/demo"));
        terminal_close(&terminal);
    }
}

/* A far machine does not know the newest terminals. */
static void a_new_terminal_is_taken_for_its_kin(void **state) {
    (void)state;
    struct terminal terminal;
    char *args[] = {"/usr/bin/env", "TERM=xterm-newest-of-all", (char *)program(), "assets/demo",
                    NULL};
    terminal_open(&terminal, 80, 24, args);
    wait_for(&terminal, "FAILED");
    assert_true(str_has(buf_view(&terminal.raw), STR("38;5;160m")));
    type(&terminal, "q");
    assert_int_equal(wait_end(&terminal), 1);
    assert_restored(&terminal);
    terminal_close(&terminal);
}

/* Of few colours those that are read on a light ground and on a dark one: no yellow. */
static void few_colours_are_enough(void **state) {
    (void)state;
    static const struct {
        const char *type;
        bool coloured;
    } rows[] = {{"TERM=xterm-16color", true},
                {"TERM=xterm-color", true},
                {"TERM=linux", true},
                {"TERM=vt100", false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct terminal terminal;
        char *args[] = {"/usr/bin/env", (char *)rows[i].type, (char *)program(), "assets/demo",
                        NULL};
        terminal_open(&terminal, 80, 24, args);
        wait_for(&terminal, "rank2.log:20");
        type(&terminal, "lMr");
        wait_for(&terminal, "the first fault: rank 2");
        assert_int_equal(has_colours(&terminal), rows[i].coloured);
        assert_false(str_has(buf_view(&terminal.raw), STR("\033[33m")));
        type(&terminal, "q");
        assert_int_equal(wait_end(&terminal), 1);
        assert_restored(&terminal);
        terminal_close(&terminal);
    }
}

static size_t count(struct str text, struct str part) {
    size_t n = 0;
    for (ptrdiff_t at = 0; (at = str_find(text, part, (size_t)at)) >= 0; at++) n++;
    return n;
}

/* A key costs the cells that it changes, in one frame; what changes nothing costs nothing. */
static void only_what_changes_is_written(void **state) {
    (void)state;
    struct terminal terminal;
    open_path(&terminal, 80, 24, "assets/demo");
    wait_for(&terminal, "rank2.log:20");
    while (take(&terminal, 300)) {
    }
    buf_clear(&terminal.raw);
    type(&terminal, "j");
    wait_for(&terminal, "> then");
    while (take(&terminal, 300)) {
    }
    struct str raw = buf_view(&terminal.raw);
    assert_true(raw.n < 700);
    assert_int_equal(count(raw, STR("\033[?2026h")), 1);
    assert_int_equal(count(raw, STR("\033[?2026l")), 1);
    assert_false(str_has(raw, STR("\033[J")) || str_has(raw, STR("\033[2J")));
    buf_clear(&terminal.raw);
    type(&terminal, "kkkk"); /* at the top */
    wait_for(&terminal, "> saw");
    while (take(&terminal, 300)) {
    }
    buf_clear(&terminal.raw);
    type(&terminal, "k");
    while (take(&terminal, 300)) {
    }
    assert_int_equal(terminal.raw.n, 0);
    type(&terminal, "q");
    wait_end(&terminal);
    terminal_close(&terminal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_terminal_is_taken_for_its_kin),
        cmocka_unit_test(few_colours_are_enough),
        cmocka_unit_test(only_what_changes_is_written),
        cmocka_unit_test(the_demo_opens_and_leaves_the_terminal_as_it_was),
        cmocka_unit_test(a_large_paste_is_taken),
        cmocka_unit_test(a_paste_in_brackets_is_diagnosed),
        cmocka_unit_test(a_path_can_be_typed),
        cmocka_unit_test(a_log_can_be_piped_in),
        cmocka_unit_test(a_pipe_that_stays_open_is_shown_and_left),
        cmocka_unit_test(the_rest_of_a_pipe_can_be_left_out),
        cmocka_unit_test(a_new_size_is_used_at_once),
        cmocka_unit_test(it_can_be_suspended),
        cmocka_unit_test(a_killed_program_leaves_the_terminal_as_it_was),
        cmocka_unit_test(a_terminal_that_goes_away_ends_it),
        cmocka_unit_test(no_escape_of_a_log_reaches_the_terminal),
        cmocka_unit_test(copying_asks_the_terminal),
        cmocka_unit_test(colours_are_a_choice),
        cmocka_unit_test(an_unreadable_path_is_shown_and_told),
        cmocka_unit_test(a_missing_path_is_no_command),
        cmocka_unit_test(a_terminal_that_cannot_show_a_screen_is_told),
        cmocka_unit_test(a_dumb_terminal_gets_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
