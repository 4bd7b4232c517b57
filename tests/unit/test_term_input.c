/* What comes to the program on a terminal: paths, pastes, pipes. */
#include "tests/unit/terminal.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_paste_is_taken),
        cmocka_unit_test(a_paste_in_brackets_is_diagnosed),
        cmocka_unit_test(a_path_can_be_typed),
        cmocka_unit_test(a_log_can_be_piped_in),
        cmocka_unit_test(a_pipe_that_stays_open_is_shown_and_left),
        cmocka_unit_test(the_rest_of_a_pipe_can_be_left_out),
        cmocka_unit_test(an_unreadable_path_is_shown_and_told),
        cmocka_unit_test(a_missing_path_is_no_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
