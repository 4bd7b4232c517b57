/* The program and its terminal: how it is left, what it can show, what is written to it. */
#include "tests/unit/terminal.h"

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

static void a_dumb_terminal_gets_the_report(void **state) {
    (void)state;
    static const char *const types[] = {"TERM=dumb", "TERM=", "TERM=no-such-terminal"};
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
        cmocka_unit_test(a_new_size_is_used_at_once),
        cmocka_unit_test(it_can_be_suspended),
        cmocka_unit_test(a_killed_program_leaves_the_terminal_as_it_was),
        cmocka_unit_test(a_terminal_that_goes_away_ends_it),
        cmocka_unit_test(no_escape_of_a_log_reaches_the_terminal),
        cmocka_unit_test(copying_asks_the_terminal),
        cmocka_unit_test(colours_are_a_choice),
        cmocka_unit_test(a_dumb_terminal_gets_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
