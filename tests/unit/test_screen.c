/* The screen without a terminal: keys in, grid out. */
#include "tests/unit/face.h"

#include "ui/early.h"

#include <stdint.h>
#include <sys/stat.h>

static const char demo[] = "assets/demo";
static const int sizes[][2] = {{80, 24}, {40, 10}, {200, 60}};

static const char hostile[] =
    "\033]0;title\007\033[2J\033[1;1H\033]52;c;ZXZpbA==\007\033P1;1|evil\033\\\r\n"
    "\xe2\x80\xae right to left \xe2\x80\xac \xc2\x9b"
    "31m C1 \x07\x08\x0b\x0c\x7f\n"
    "\xff\xfe\xc0\x80\xed\xa0\x80\xf8\x88\x80\x80\x80 broken UTF-8 \xe4\xb8\n"
    "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87 wide \xf0\x9f\x9a\x80\xf0\x9f\x9a\x80 "
    "e\xcc\x81\xcc\x82\xcc\x83 combining \xcc\x81\n"
    "Traceback (most recent call last):\n  File \"\033[31m\xe4\xb8\xad.py\", line 99999999999, in "
    "\t\n"
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB "
    "\033[1m\xe4\xb8\xad\n";

static int open_demo(void **state) {
    struct fixture *face = calloc(1, sizeof *face);
    face_open(face, 80, 24);
    face_read(face, demo);
    *state = face;
    return 0;
}

static int open_empty(void **state) {
    struct fixture *face = calloc(1, sizeof *face);
    face_open(face, 80, 24);
    *state = face;
    return 0;
}

static int close_face(void **state) {
    face_close(*state);
    free(*state);
    return 0;
}

/* ---- the views ------------------------------------------------------------------------------ */

static void the_first_screen_tells_what_where_and_what_to_do(void **state) {
    struct fixture *face = *state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        face_size(face, sizes[i][0], sizes[i][1]);
        assert_shows(face, "FAILED");
        assert_shows(face, "rank 2");
        assert_shows(face, "rank2.log:20");
        assert_shows(face, "Enter open");
        assert_shows(face, "q quit");
        struct str all = face_scroll_text(face);
        assert_true(str_has(all, STR("R4.5")));
        assert_true(str_has(all, STR(" run ")));
        assert_true(str_has(all, STR("only follow")));
        assert_true(str_has(all, STR(" do ")));
        face_key(face, 'g');
    }
}

/* On a narrow screen the tab of the view one is in stands in the bar all the same. */
static void the_bar_shows_where_one_is(void **state) {
    static const char *const names[] = {"diagnosis", "log",     "walk",  "fix",
                                        "ranks",     "machine", "learn", "help"};
    struct fixture *face = *state;
    for (int cols = 20; cols <= 200; cols += 7) {
        face_size(face, cols, 12);
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            face_key(face, "dlafrme?"[i]);
            const struct cell *found = NULL;
            for (int col = 0; col < cols && !found; col++)
                if (face->grid.cells[col].face == FACE_TITLE) found = &face->grid.cells[col];
            assert_non_null(found);
            assert_true(str_has(grid_row(&face->grid, 0, &face->arena), str_of(names[i])));
        }
    }
}

/* What failed stands on the first screen however small it is. */
static void the_verdict_is_on_the_first_screen(void **state) {
    struct fixture *face = *state;
    face_size(face, 40, 10);
    face_read_text(face,
                   STR("192.168.205.202: [rank4]: FileNotFoundError: [Errno 2] No such file or "
                       "directory: '/data/index-cache/26070e1ff8044c16b2e76c815db6a1e1_doc_idx"
                       ".npy'\n"));
    assert_shows(face, "FAILED");
    assert_shows(face, "> saw");
}

static void every_view_opens_by_its_key(void **state) {
    static const struct {
        char key;
        enum view_id view;
        const char *shows;
    } rows[] = {{'l', VIEW_LOG, "first fault"},
                {'a', VIEW_WALK, "R4.5"},
                {'f', VIEW_FIX, "1. "},
                {'?', VIEW_HELP, "everywhere"},
                {'d', VIEW_DIAGNOSIS, "FAILED"}};
    struct fixture *face = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        face_key(face, rows[i].key);
        assert_int_equal(face->screen.view, rows[i].view);
        assert_shows(face, rows[i].shows);
    }
}

static void tab_goes_round_and_back(void **state) {
    struct fixture *face = *state;
    for (int i = 0; i < VIEW_COUNT - 1; i++) {
        assert_int_equal(face->screen.view, VIEW_DIAGNOSIS + i);
        face_key(face, '\t');
    }
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    face_key(face, TERM_BACK_TAB);
    assert_int_equal(face->screen.view, VIEW_HELP);
}

static void escape_leads_back(void **state) {
    struct fixture *face = *state;
    face_keys(face, "f?");
    face_key(face, 27);
    assert_int_equal(face->screen.view, VIEW_FIX);
    face_key(face, 27);
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    face_keys(face, "?q");
    assert_false(face->screen.quit);
    face_key(face, 'q');
    assert_true(face->screen.quit);
}

static void enter_opens_what_is_selected(void **state) {
    struct fixture *face = *state;
    bool fix = false, log = false;
    face_key(face, '\n');
    assert_shows(face, "rank2.log:20");
    assert_shows(face, ">    20 ! ");
    for (int i = 0; i < 12; i++) {
        face_key(face, 'd');
        face_key(face, 'j');
        face_key(face, '\n');
        log |= face->screen.view == VIEW_LOG;
        fix |= face->screen.view == VIEW_FIX;
    }
    assert_true(log && fix);
}

static void a_selected_cause_shows_its_own_fixes(void **state) {
    struct fixture *face = *state;
    const struct diagnosis *diagnosis = session_diagnosis(face->session);
    assert_true(diagnosis->n_findings > 1);
    int opened = -1;
    for (int i = 0; i < 30 && opened < 1; i++) {
        face_keys(face, "dj");
        face_key(face, '\n');
        if (face->screen.view == VIEW_FIX) opened = face->screen.finding;
    }
    assert_int_equal(opened, 1);
    assert_true(str_has(face_text(face), str_sub(diagnosis->findings[1].why, 0, 30)));
}

/* ---- the table of keys ---------------------------------------------------------------------- */

static void every_action_has_a_key(void **state) {
    (void)state;
    for (int action = ACTION_NONE + 1; action <= ACTION_SUSPEND; action++) {
        if (action == ACTION_CLICK) continue; /* the mouse does it */
        bool found = false;
        for (int i = 0; i < n_key_rows; i++) found |= (int)key_rows[i].action == action;
        if (!found) fail_msg("no key does action %d", action);
    }
}

static void no_key_means_two_things_in_a_view(void **state) {
    (void)state;
    for (int i = 0; i < n_key_rows; i++)
        for (int k = 0; k < KEYS_OF_ROW && key_rows[i].keys[k]; k++)
            for (int j = 0; j < n_key_rows; j++)
                for (int m = 0; m < KEYS_OF_ROW && key_rows[j].keys[m]; m++) {
                    bool same = key_rows[i].keys[k] == key_rows[j].keys[m] && (i != j || k != m);
                    if (same && key_rows[i].views & key_rows[j].views)
                        fail_msg("%s and %s", key_rows[i].shown, key_rows[j].shown);
                }
}

/* Folds the wrapped rows of the help: blanks at the beginnings of lines go. */
static struct str folded(struct fixture *face, struct str text) {
    struct buf out = {0};
    struct str line;
    while (text.n && str_line(&text, &line)) {
        buf_str(&out, str_trim(line));
        buf_char(&out, ' ');
    }
    struct str all = arena_str(&face->arena, buf_view(&out));
    buf_release(&out);
    return all;
}

static void help_names_every_key(void **state) {
    struct fixture *face = *state;
    face_size(face, 200, 100);
    face_key(face, '?');
    struct str all = folded(face, face_text(face));
    for (int i = 0; i < n_key_rows; i++) {
        if (!str_has(all, str_of(key_rows[i].shown))) fail_msg("help lacks %s", key_rows[i].shown);
        if (!str_has(all, str_of(key_rows[i].about))) fail_msg("help lacks %s", key_rows[i].about);
    }
}

static void help_can_be_read_on_a_small_screen(void **state) {
    struct fixture *face = *state;
    face_size(face, 40, 10);
    face_key(face, '?');
    struct str all = face_scroll_text(face);
    for (int i = 0; i < n_key_rows; i++)
        if (!str_has(all, str_of(key_rows[i].shown))) fail_msg("help lacks %s", key_rows[i].shown);
}

static void every_key_works_in_its_views(void **state) {
    (void)state;
    for (int i = 0; i < n_key_rows; i++)
        for (int view = 0; view < VIEW_COUNT; view++) {
            if (!(key_rows[i].views & 1u << view) || key_rows[i].action == ACTION_WRITE) continue;
            struct fixture face;
            face_open(&face, 80, 24);
            if (view != VIEW_START) face_read(&face, demo);
            if (view == VIEW_LOG) face_key(&face, 'l');
            face.screen.view = (enum view_id)view;
            for (int k = 0; k < KEYS_OF_ROW && key_rows[i].keys[k]; k++)
                face_key(&face, key_rows[i].keys[k]);
            face_close(&face);
        }
}

static void the_bar_never_runs_together(void **state) {
    struct fixture *face = *state;
    for (int cols = 20; cols <= 120; cols++) {
        face_size(face, cols, 12);
        for (const char *view = "dlafrme"; *view; view++) {
            face_key(face, *view);
            struct str bar = grid_row(&face->grid, face->grid.rows - 1, &face->arena);
            if (!str_has(bar, STR("? help")) || !str_has(bar, STR("   q quit")))
                fail_msg("%d columns, view %c: " STR_FMT, cols, *view, STR_ARG(bar));
        }
    }
}

/* ---- the log -------------------------------------------------------------------------------- */

static void the_log_stands_at_the_fault(void **state) {
    struct fixture *face = *state;
    face_key(face, 'l');
    assert_shows(face, "rank2.log:20");
    assert_shows(face, ">    20 ! [rank2]");
    assert_shows(face, "first fault:");
    face_key(face, 'k');
    assert_shows(face, ">    19 ");
    assert_hides(face, "first fault:");
    face_key(face, 'g');
    assert_shows(face, ">     1 ");
    face_key(face, 'G');
    assert_shows(face, ">    22 ");
    face_key(face, 'l');
    assert_shows(face, ">    20 !");
}

static void long_lines_are_cut_and_can_be_followed(void **state) {
    struct fixture *face = *state;
    face_key(face, 'l');
    assert_hides(face, "is reserved by PyTorch");
    for (int i = 0; i < 20 && !face_has(face, "is reserved by PyTorch"); i++)
        face_key(face, TERM_RIGHT);
    assert_shows(face, "is reserved by PyTorch");
    for (int i = 0; i < 40; i++) face_key(face, TERM_LEFT);
    assert_shows(face, ">    20 ! [rank2]: torch");
}

static void hits_and_logs_are_walked(void **state) {
    struct fixture *face = *state;
    face_keys(face, "l]");
    assert_shows(face, "rank2.log:21");
    face_keys(face, "]]]]");
    assert_shows(face, "Nothing further below");
    face_keys(face, "[[[[[[[[");
    assert_shows(face, "Nothing further above");
    struct str titles = {0};
    for (int i = 0; i < 7; i++) {
        face_key(face, 's');
        titles = arena_printf(&face->arena, STR_FMT "\n" STR_FMT, STR_ARG(titles),
                              STR_ARG(grid_row(&face->grid, 1, &face->arena)));
    }
    static const char *const names[] = {"rank0.log", "rank1.log", "rank2.log", "rank3.log"};
    for (size_t i = 0; i < COUNT_OF(names); i++) assert_true(str_has(titles, str_of(names[i])));
    face_key(face, 'S');
}

static void search_finds_both_ways(void **state) {
    struct fixture *face = *state;
    face_keys(face, "lg/OUTOFMEMORY");
    assert_shows(face, "/OUTOFMEMORY");
    assert_shows(face, "Enter take it   Esc leave it");
    face_key(face, '\n');
    assert_shows(face, ">    20 !");
    /* what matches is lit up */
    int lit = 0;
    for (int i = 0; i < face->grid.rows * face->grid.cols; i++)
        lit += face->grid.cells[i].face == FACE_FOUND;
    assert_int_equal(lit, strlen("OutOfMemory"));
    face_key(face, 'n');
    assert_shows(face, "No match below: OUTOFMEMORY");
    face_keys(face, "/File \"[^\"]+\", line");
    face_key(face, '\n');
    assert_shows(face, "No match below");
    face_key(face, 'N');
    assert_shows(face, ">    18 ");
    face_key(face, 'N');
    assert_shows(face, ">    16 ");
    face_keys(face, "/(");
    face_key(face, '\n');
    assert_shows(face, "the expression");
    face_keys(face, "/abc");
    face_key(face, 0x4e2d);
    face_key(face, TERM_BACKSPACE);
    face_key(face, TERM_BACKSPACE);
    assert_str(buf_view(&face->screen.prompt.text), "ab");
    face_key(face, 27);
    assert_int_equal(face->screen.prompt.kind, PROMPT_NONE);
}

/* From one line that says something to the next, and to what is searched, among all logs or those
 * lines that pass a filter: one stays among them. */
static void jumps_stay_among_the_lines_that_are_shown(void **state) {
    struct fixture *face = *state;
    face_size(face, 120, 40);
    face_keys(face, "lM");
    face_key(face, ']');
    assert_shows(face, "all logs by time");
    assert_shows(face, ">    91 *    0| ");
    face_key(face, '[');
    assert_shows(face, ">    20 !    2| ");
    face_keys(face, "g]");
    assert_shows(face, ">    20 !    2| ");
    face_keys(face, "G[[[[[[[[[[[[[[[[[[");
    assert_shows(face, "Nothing further above");
    assert_shows(face, "all logs by time");
    face_keys(face, "&rank 2\n]");
    assert_shows(face, "only rank 2, all logs by time");
    assert_shows(face, ">    21 *    2| ");
    face_keys(face, "/init_distributed\n");
    assert_shows(face, "No match below");
    face_keys(face, "NN");
    assert_shows(face, ">     1      2| ");
    face_keys(face, "Ml&hits\n]");
    assert_shows(face, "only hits, file");
    assert_shows(face, ">    21 * ");
}

static void a_search_reaches_all_of_the_joined_logs(void **state) {
    struct fixture *face = *state;
    enum { LINES = 70000 };
    char folder[] = "/tmp/faultline-far-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    for (int rank = 0; rank < 2; rank++) {
        snprintf(path, sizeof path, "%s/rank_%d.log", folder, rank);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        for (int n = 0; n < (rank ? 2 : LINES); n++)
            fprintf(file, "2024-05-01 %02d:%02d:%02d,000 [INFO] rank %d says %s%d\n",
                    rank ? 8 + 15 * n : n / 3600, n / 60 % 60, n % 60, rank, rank ? "it" : "word",
                    n);
        assert_int_equal(fclose(file), 0);
    }
    face_size(face, 120, 30);
    face_read(face, folder);
    face_keys(face, "lMg/says it1\n");
    assert_shows(face, ">     2      1| 2024-05-01 23:00:01,000");
    assert_shows(face, " 70000      0| 2024-05-01 19:26:39,000");
    face_keys(face, "/word17$\nN");
    assert_shows(face, ">    18      0| 2024-05-01 00:00:17,000");
    assert_shows(face, "all logs by time");
    for (int rank = 0; rank < 2; rank++) {
        snprintf(path, sizeof path, "%s/rank_%d.log", folder, rank);
        unlink(path);
    }
    rmdir(folder);
}

/* The log of rank 2 lies between those of the others where all are joined by time. */
static void all_logs_are_joined_by_time(void **state) {
    struct fixture *face = *state;
    face_size(face, 120, 40);
    face_keys(face, "lM");
    assert_shows(face, "all logs by time");
    assert_shows(face, "rank2.log:");
    struct str all = face_text(face);
    assert_true(str_has(all, STR("   0|")) && str_has(all, STR("   2|")));
    /* a line of a log whose prefix gives no year stands where it was written */
    face_keys(face, "&rank 3\n");
    assert_shows(face, "Watchdog caught collective operation");
    face_keys(face, "G");
    assert_shows(face, ">    12 ");
    face_keys(face, "t02:11\n");
    assert_shows(face, ">     7 ");
    face_keys(face, "&\n");
    struct str before = grid_row(&face->grid, 1, &face->arena);
    face_key(face, TERM_PAGE_UP);
    assert_false(str_eq(before, grid_row(&face->grid, 1, &face->arena)));
    face_key(face, 'G');
    face_key(face, 'g');
    face_key(face, 'M');
    assert_hides(face, "all logs by time");
}

static void a_filter_shows_only_what_passes(void **state) {
    struct fixture *face = *state;
    face_keys(face, "l&");
    assert_shows(face, "show only:");
    face_keys(face, "_run_backward|OutOfMemory\n");
    assert_shows(face, "only _run_backward");
    assert_shows(face, "19 ");
    assert_shows(face, ">    20 !");
    assert_hides(face, "    18 ");
    face_key(face, 'k');
    assert_shows(face, ">    19 ");
    face_keys(face, "&rank 7\n");
    assert_shows(face, "No line passes: rank 7");
    face_keys(face, "&hits\n");
    assert_shows(face, ">    20 !");
    face_keys(face, "&signal cuda-oom-allocator\n");
    assert_shows(face, ">    20 !");
    assert_hides(face, "    22 ");
    face_keys(face, "&level error\n");
    assert_shows(face, "    22 ");
    face_keys(face, "&(\n");
    assert_shows(face, "the expression");
    face_keys(face, "&\n");
    assert_hides(face, "only ");
    assert_shows(face, "    18 ");
}

static void one_goes_to_a_line_a_time_or_a_part(void **state) {
    struct fixture *face = *state;
    face_keys(face, "lt7\n");
    assert_shows(face, ">     7 ");
    face_keys(face, "t0%\n");
    assert_shows(face, ">     1 ");
    face_keys(face, "t02:22:44\n");
    assert_shows(face, ">    22 ");
    face_keys(face, "t02:01\n");
    assert_shows(face, ">     1 ");
    face_keys(face, "tsoon\n");
    assert_shows(face, "Not a line (812)");
}

static void what_has_no_times_is_not_joined(void **state) {
    struct fixture *face = *state;
    char folder[] = "/tmp/faultline-timeless-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    static const struct {
        const char *name, *text;
    } files[] = {{"a.err", "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n"
                           "RuntimeError: CUDA error: an illegal memory access was encountered\n"},
                 {"b.log", "2024-05-01 10:00:00,000 [INFO] step 1\n"}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(files[i].text, file);
        assert_int_equal(fclose(file), 0);
    }
    face_read(face, folder);
    face_keys(face, "lM");
    assert_shows(face, "have no times to join the logs by");
    assert_shows(face, "a.err:3");
    face_keys(face, "&level error\n"); /* an exception is an error though it names no level */
    assert_shows(face, ">     3 !");
    assert_hides(face, "     2 ");
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        unlink(path);
    }
    rmdir(folder);
}

static void long_lines_can_be_wrapped(void **state) {
    struct fixture *face = *state;
    face_keys(face, "lz");
    assert_shows(face, "is reserved by PyTorch");
    face_keys(face, "GgjjjG");
    assert_shows(face, ">    22 ");
    face_keys(face, "zl");
    assert_hides(face, "is reserved by PyTorch");
}

static char *write_file(const char *name, struct str text) {
    static char path[128];
    snprintf(path, sizeof path, "/tmp/faultline-screen-%d-%s", (int)getpid(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char fault_text[] =
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a "
    "total capacity of 79.15 GiB of which 1.12 GiB is free.";

static const char step_text[] =
    "[2024-05-01 12:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, "
    "lr=[1e-4]";

static void a_growing_log_is_followed(void **state) {
    struct fixture *face = *state;
    const char *path = write_file("grows.log", STR("first\nsecond\n"));
    face_read(face, path);
    face_keys(face, "lF");
    assert_shows(face, "following");
    assert_shows(face, ">     2   second");
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    for (int i = 3; i <= 60; i++) fprintf(file, "line %d\n", i);
    assert_int_equal(fclose(file), 0);
    face_draw(face);
    assert_shows(face, ">    60   line 60");
    face_key(face, 'k');
    assert_hides(face, "following");
    unlink(path);
}

static void a_large_log_opens_at_the_right_line(void **state) {
    struct fixture *face = *state;
    struct buf text = {0};
    enum { LINES = 200000 };
    for (int i = 1; i <= LINES; i++) {
        if (i == LINES - 1000)
            buf_printf(&text, "%s\n", fault_text);
        else if (i % 1000 == 500)
            buf_printf(&text, "%s\n", step_text);
        else
            buf_printf(&text, "this is line %d of a log that is larger than what is counted\n", i);
    }
    const char *path = write_file("large.log", buf_view(&text));
    buf_release(&text);
    face_read(face, path);
    face_key(face, 'l');
    assert_shows(face, ":199000");
    assert_shows(face, ">199000 ! [rank3]");
    assert_shows(face, "198999   this is line 198999 of");
    assert_shows(face, "199003   this is line 199003 of");
    face_key(face, 'G');
    assert_shows(face, ">200000   this is line 200000 of");
    face_key(face, TERM_PAGE_UP);
    assert_shows(face, "199990   this is line 199990 of");
    face_key(face, 'g');
    assert_shows(face, ">     1   this is line 1 of");
    face_keys(face, "/line 150123 of");
    face_key(face, '\n');
    assert_shows(face, ">150123   this is line 150123 of");
    face_keys(face, "/LINE 23 of");
    face_key(face, '\n');
    face_key(face, 'N');
    assert_shows(face, ">    23   this is line 23 of");
    unlink(path);
}

static void a_large_log_without_a_fault_opens_at_its_end(void **state) {
    struct fixture *face = *state;
    struct buf text = {0};
    for (int i = 1; i <= 160000; i++)
        buf_printf(&text, "%s\n",
                   i % 1000 ? "a line of a log that is larger than what is counted so" : step_text);
    const char *path = write_file("end.log", buf_view(&text));
    buf_release(&text);
    face_read(face, path);
    assert_shows(face, "HEALTHY");
    assert_shows(face, ":160000  [2024");
    face_key(face, '\n');
    assert_shows(face, ">160000   [2024");
    assert_shows(face, " 159999   a line");
    unlink(path);
}

static void type_keys(struct fixture *face, const char *keys) {
    for (; *keys; keys++) screen_key(&face->screen, *keys);
    face_draw(face);
}

/* What takes long is done in pieces and ends with Esc, or with any other key. */
static void long_work_in_the_log_can_be_stopped(void **state) {
    struct fixture *face = *state;
    enum { LINES = 700000 };
    FILE *file = fopen("/tmp/faultline-screen-long.log", "wb");
    assert_non_null(file);
    for (int i = 1; i <= LINES; i++)
        fprintf(file,
                "2024-05-01 12:00:00,000 this is line %d of a log that takes long to look at\n", i);
    assert_int_equal(fclose(file), 0);
    face_read(face, "/tmp/faultline-screen-long.log");
    face_keys(face, "lg");
    type_keys(face, "&no [x-z]+ here\n");
    assert_true(log_view_busy(&face->screen));
    assert_shows(face, "Filtering: ");
    assert_shows(face, "Esc stops");
    face_key(face, 27);
    assert_shows(face, "Stopped.");
    assert_false(log_view_busy(&face->screen));
    assert_shows(face, ">     1   2024");
    type_keys(face, "&no [x-z]+ here\n");
    face_key(face, 'j'); /* does what it does */
    assert_false(log_view_busy(&face->screen));
    assert_shows(face, ">     2   2024");
    type_keys(face, "/no (such|other) [x-z]+\n");
    assert_true(log_view_busy(&face->screen));
    assert_shows(face, "Searching: ");
    face_key(face, 27);
    assert_shows(face, ">     2   2024");
    face_keys(face, "&line 699998|line 3 of\n");
    assert_shows(face, ">     3   2024");
    face_key(face, 'j');
    assert_shows(face, ">699998   2024");
    face_keys(face, "&\n");
    assert_shows(face, ">699998   2024");
    assert_shows(face, "699997   2024");
    unlink("/tmp/faultline-screen-long.log");
}

static void expressions_know_the_ends_of_lines(void **state) {
    struct fixture *face = *state;
    const char *path = write_file("ends.log", STR("one abc\r\nabc two\r\nthree abc\r\nabc\r\n"));
    face_read(face, path);
    face_keys(face, "lg/^abc$\n");
    assert_shows(face, ">     4   abc");
    face_keys(face, "g/(?<=three )abc\n"); /* all that PCRE2 knows */
    assert_shows(face, ">     3   three abc");
    face_keys(face, "&^abc\n");
    assert_shows(face, "     2   abc two");
    assert_hides(face, "three");
    unlink(path);
}

/* More logs than any window of files: each line of each is there. */
static void thousands_of_logs_are_joined(void **state) {
    struct fixture *face = *state;
    enum { LOGS = 1200 };
    char folder[] = "/tmp/faultline-joined-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < LOGS; i++) {
        snprintf(path, sizeof path, "%s/rank_%d.log", folder, i);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        for (int n = 0; n < 3; n++) /* every second one log speaks, thrice in all */
            fprintf(file,
                    "2024-05-01 %02d:%02d:%02d,000 [INFO] rank %d says word%d\n  more of %d\n",
                    10 + n, i / 60, i % 60, i, n, i);
        assert_int_equal(fclose(file), 0);
    }
    face_size(face, 120, 30);
    face_read(face, folder);
    face_keys(face, "lMg");
    assert_shows(face, "all logs by time");
    assert_shows(face, ">     1      0| 2024-05-01 10:00:00,000");
    assert_shows(face, "      2      0|   more of 0");
    assert_shows(face, "      1      1| 2024-05-01 10:00:01,000");
    face_keys(face, "t11:18:20\n");
    assert_shows(face, ">     3   1100| 2024-05-01 11:18:20,000 [INFO] rank 1100 says word1");
    assert_shows(face, "      4   1099|   more of 1099");
    assert_shows(face, "      3   1101| 2024-05-01 11:18:21,000");
    face_keys(face, "/rank 3 says word2\n");
    assert_shows(face, ">     5      3| 2024-05-01 12:00:03,000");
    face_keys(face, "/rank 7 says word0\n");
    assert_shows(face, "No match below");
    face_key(face, 'N');
    assert_shows(face, ">     1      7| 2024-05-01 10:00:07,000");
    face_keys(face, "&rank 1111\n");
    assert_shows(face, "only rank 1111");
    assert_shows(face, ">     1   1111| 2024-05-01 10:18:31,000");
    assert_shows(face, "      3   1111| 2024-05-01 11:18:31,000");
    face_keys(face, "G");
    assert_shows(face, ">     6   1111|   more of 1111");
    face_keys(face, "&rank (1|2) says\n");
    face_keys(face, "g");
    assert_shows(face, ">     1      1| 2024-05-01 10:00:01,000");
    face_keys(face, "jj");
    assert_shows(face, ">     3      1| 2024-05-01 11:00:01,000");
    face_keys(face, "M"); /* back to its own log, filtered as before */
    assert_shows(face, "rank_1.log:3");
    assert_shows(face, "only rank (1|2) says");
    face_keys(face, "&\n");
    assert_shows(face, "      2     more of 1");
    for (int i = 0; i < LOGS; i++) {
        snprintf(path, sizeof path, "%s/rank_%d.log", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

static void line_numbers_have_room(void **state) {
    struct fixture *face = *state;
    struct buf text = {0};
    for (int i = 1; i < 1234567; i++) buf_printf(&text, "%s\n", i % 20000 ? "a line" : step_text);
    buf_printf(&text, "%s\nlast\n", fault_text);
    const char *path = write_file("lines.log", buf_view(&text));
    buf_release(&text);
    face_read(face, path);
    face_key(face, 'l');
    assert_shows(face, ">1234567 ! [rank3]");
    assert_shows(face, " 1234566   ");
    assert_shows(face, " 1234568   last");
    unlink(path);
}

static void what_came_through_a_pipe_shows_the_lines_that_were_kept(void **state) {
    struct fixture *face = *state;
    struct buf text = {0};
    for (int i = 1; i <= 30; i++) buf_printf(&text, "line %d\n", i);
    buf_printf(&text, "%s\nthe end\n", fault_text);
    face_read_text(face, buf_view(&text));
    face_key(face, 'l');
    assert_shows(face, "only the lines that were kept");
    assert_shows(face, ">    31 ! [rank3]");
    assert_shows(face, "    32   the end");
    face_keys(face, "jjkkgG");
    buf_release(&text);
}

static void a_paste_can_be_read_again(void **state) {
    struct fixture *face = *state;
    struct buf text = {0};
    for (int i = 1; i <= 30; i++) buf_printf(&text, "line %d\n", i);
    buf_printf(&text, "%s\nthe end\n", fault_text);
    face_paste(face, buf_view(&text));
    assert_shows(face, "FAILED");
    face_key(face, 'l');
    assert_shows(face, ">    31 ! [rank3]");
    assert_shows(face, "    30   line 30");
    buf_release(&text);
}

static void a_log_that_is_gone_is_told(void **state) {
    struct fixture *face = *state;
    struct str text = arena_printf(&face->arena, "%s\n", fault_text);
    const char *path = write_file("gone.log", text);
    face_read(face, path);
    unlink(path);
    face_key(face, 'l');
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    assert_shows(face, "cannot open");
}

static void a_log_that_became_shorter_does_no_harm(void **state) {
    struct fixture *face = *state;
    struct str text = arena_printf(&face->arena, "one\ntwo\nthree\n%s\nfive\n", fault_text);
    const char *path = write_file("short.log", text);
    face_read(face, path);
    face_key(face, 'l');
    assert_shows(face, ">     4 !");
    assert_int_equal(truncate(path, 5), 0);
    face_keys(face, "jkGg/five");
    face_key(face, '\n');
    face_keys(face, "nN[]bl");
    unlink(path);
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Reads the sample of an entry that leaves something to ask. */
static void find_a_question(struct fixture *face) {
    const struct kb *kb = session_kb(face->session);
    for (int i = 0; i < kb->n_signals; i++) {
        struct image_sample sample;
        if (kb->signals[i].role != ROLE_INITIATING || kb->signals[i].in != IN_LINE) continue;
        if (!image_samples(session_image(face->session), &face->arena, kb->signals[i].id, &sample,
                           1))
            continue;
        face_read_text(face, sample.line);
        const struct walk_step *step = session_walk(face->session);
        if (step->question >= 0 && step->n_choices >= 2) return;
    }
    fail_msg("no entry leaves a question");
}

static void answers_move_the_walk_and_can_be_taken_back(void **state) {
    struct fixture *face = *state;
    find_a_question(face);
    const struct kb *kb = session_kb(face->session);
    int question = session_walk(face->session)->question;
    struct str ask = str_sub(kb->questions[question].ask, 0, 30);
    face_key(face, 'a');
    face_size(face, 120, 60);
    assert_true(str_has(face_text(face), ask));
    assert_shows(face, "> 1. ");
    assert_shows(face, " 2. ");
    face_key(face, 'j');
    assert_shows(face, "> 2. ");
    face_key(face, '\n');
    assert_int_equal(session_answers(face->session), 1);
    struct str id, choice;
    session_answer_at(face->session, 0, &id, &choice);
    assert_true(str_eq(id, kb->questions[question].id));
    assert_true(str_eq(choice, kb->questions[question].choices[1].id));
    assert_shows(face, "(you said so)");
    assert_true(session_walk(face->session)->question != question);
    face_key(face, 'u');
    assert_int_equal(session_answers(face->session), 0);
    assert_int_equal(session_walk(face->session)->question, question);
    face_key(face, 'u');
    assert_shows(face, "nothing to go back to");
    face_key(face, '1');
    session_answer_at(face->session, 0, &id, &choice);
    assert_true(str_eq(choice, kb->questions[question].choices[0].id));
    face_keys(face, "ux");
    session_answer_at(face->session, 0, &id, &choice);
    assert_str(choice, "unknown");
    assert_shows(face, "don't know (you said so)");
    face_keys(face, "u9");
    assert_int_equal(session_answers(face->session), kb->questions[question].n_choices >= 9);
}

static void a_walk_without_a_question_says_so(void **state) {
    struct fixture *face = *state;
    face_size(face, 80, 60);
    for (int i = 0; i < 30 && session_walk(face->session)->id.n; i++) face_keys(face, "ax");
    face_key(face, 'a');
    assert_shows(face, "Nothing is left to ask");
    while (session_answers(face->session)) face_key(face, 'u');
    face_read_text(face, STR("hello\n"));
    face_key(face, 'a');
    assert_shows(face, "What was the job doing when it went wrong?"); /* the taxonomy asks */
    face_key(face, '4');
    assert_shows(face, "What do you see?");
    assert_shows(face, "Memory & offload issue");
    face_key(face, 'u');
    face_read_text(face, STR("[2024-05-01 12:00:00,000] [INFO] [launch.py:351:main] Process 4711 "
                             "exits successfully.\n"));
    face_key(face, 'a');
    assert_shows(face, "If something is wrong all the same:");
    assert_shows(face, "What was the job doing when it went wrong?");
}

/* ---- the start, reading, copying, writing --------------------------------------------------- */

static void text_can_be_typed_and_diagnosed(void **state) {
    struct fixture *face = *state;
    assert_shows(face, "Paste the log");
    face_key(face, 4);
    assert_shows(face, "Nothing was pasted yet");
    face_keys(face, fault_text);
    face_key(face, 'x');
    face_key(face, TERM_BACKSPACE);
    face_key(face, '\n');
    assert_shows(face, "CUDA out of memory");
    face_key(face, 4);
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    assert_shows(face, "FAILED");
}

static void a_path_is_completed(void **state) {
    struct fixture *face = *state;
    face_keys(face, "assets/dem\t");
    assert_shows(face, "assets/demo/");
    face_keys(face, "rank\t");
    assert_shows(face, "rank0.log  rank1.log  rank2.log  rank3.log");
    face_keys(face, "2\t");
    assert_str(buf_view(&face->screen.typed), "assets/demo/rank2.log");
    face_keys(face, "nothing\t");
    assert_shows(face, "No file or folder begins so.");
}

static void a_path_that_is_typed_is_opened(void **state) {
    struct fixture *face = *state;
    face_keys(face, "assets/nothing\n");
    assert_shows(face, "There is no file or folder 'assets/nothing'.");
    for (int i = 0; i < 14; i++) face_key(face, TERM_BACKSPACE);
    face_keys(face, demo);
    face_key(face, '\n');
    assert_shows(face, "rank2.log:20");
    assert_int_equal(face->screen.n_paths, 1);
    assert_string_equal(face->screen.paths[0], demo);
}

static void while_reading_only_what_needs_no_diagnosis_works(void **state) {
    struct fixture *face = *state;
    face->screen.reading = true;
    face->screen.view = VIEW_DIAGNOSIS;
    face->screen.bytes_done = 7000000;
    face->screen.bytes_total = 80000000;
    face_keys(face, "lafdw\n\t");
    face_key(face, 'e');
    assert_shows(face, "Training");
    face_key(face, 27);
    face_paste(face, STR("text\n"));
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    assert_shows(face, "Reading: 7 of 80 MB");
    assert_shows(face, "q quit");
    face_key(face, 'q');
    assert_true(face->screen.quit);
}

static void what_is_read_so_far_is_shown(void **state) {
    struct fixture *face = *state;
    const char *logs[] = {"assets/demo/rank2.log", "assets/demo/rank0.log", "assets/demo/rank1.log",
                          "assets/demo/rank3.log"};
    struct session *whole = face->session, *part = session_beside(whole);
    struct input_options input = {.threads = 1};
    session_read(part, logs, 1, &input);
    face->screen.reading = true;
    face->screen.view = VIEW_DIAGNOSIS;
    face->screen.bytes_done = 7000000;
    face->screen.bytes_total = 80000000;
    screen_show_early(&face->screen, part);
    face_draw(face);
    assert_shows(face, "FAILED");
    assert_shows(face, ", so far");
    assert_shows(face, "So far: 7 of 80 MB read");
    assert_hides(face, " run "); /* advice that a rank that is not read yet may change */
    face_key(face, 'a');
    assert_shows(face, "has to wait until all is read");
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    face_keys(face, "jjj");
    struct str selected = grid_row(&face->grid, 0, &face->arena);
    for (int row = 0; row < face->grid.rows; row++)
        if (face->grid.cells[row * face->grid.cols].point == '>')
            selected = grid_row(&face->grid, row, &face->arena);
    face_keys(face, "l");
    assert_shows(face, ">    20 ! [rank2]");
    face_key(face, 'k');
    /* the rest comes: the log stays where it was, the selected row is found again */
    session_read(whole, logs, 4, &input);
    screen_show(&face->screen, whole);
    session_close(part);
    face_draw(face);
    assert_int_equal(face->screen.view, VIEW_LOG);
    assert_shows(face, ">    19 ");
    assert_shows(face, "rank2.log:19");
    face_key(face, 'd');
    assert_hides(face, "so far");
    assert_true(str_has(face_text(face), selected));
    assert_true(str_has(face_scroll_text(face), STR(" run ")));
}

/* Copies are taken from the threads that read, thoughts come from a thread of their own. */
static void early_sessions_follow_the_reading(void **state) {
    struct fixture *face = *state;
    struct early *early = early_new(face->session);
    struct evidence half = {0}, whole = {0};
    const char *logs[] = {"assets/demo/rank1.log", "assets/demo/rank2.log"};
    const struct kb *kb = session_kb(face->session);
    const struct matcher *matcher = session_matcher(face->session);
    input_read(&half, kb, matcher, logs, 1, NULL);
    input_read(&whole, kb, matcher, logs + 1, 1, NULL);
    struct session *first = NULL, *second = NULL;
    for (int i = 0; i < 2000 && !first; i++, usleep(5000)) {
        early_look(early, &half, NULL);
        first = early_take(early);
    }
    assert_non_null(first);
    assert_int_equal(session_evidence(first)->sources.n, 1);
    for (int i = 0; i < 2000 && !second; i++, usleep(5000)) {
        early_look(early, &half, &whole);
        second = early_take(early);
    }
    assert_true(second && second != first);
    assert_int_equal(session_evidence(second)->sources.n, 2);
    assert_int_equal(session_diagnosis(second)->verdict, VERDICT_FAILED);
    early_release(early);
    evidence_release(&half);
    evidence_release(&whole);
}

static void a_hang_tells_who_did_not_come(void **state) {
    struct fixture *face = *state;
    struct hang_last last = {.rank = 3, .source = 0, .what = STR("waiting in the loader")};
    struct rollcall call = {
        .text = STR("rank 3 did not come to nccl:all_reduce"), .last = &last, .n_last = 1};
    int silent[] = {3};
    /* as the thinking would have left it */
    struct diagnosis *diagnosis = (struct diagnosis *)session_diagnosis(face->session);
    diagnosis->rollcall = &call;
    diagnosis->silent = silent;
    diagnosis->n_silent = 1;
    diagnosis->world_size = 4;
    face_size(face, 80, 40);
    assert_shows(face, "hang     rank 3 did not come to nccl:all_reduce");
    assert_shows(face, "rank 3, last: waiting in the loader");
    assert_shows(face, "silent: 3");
    face_keys(face, "jj");
    assert_shows(face, ">          rank 3, last:");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_LOG);
}

static void what_could_not_be_read_is_shown(void **state) {
    struct fixture *face = *state;
    buf_printf(&face->screen.trouble, "cannot read 'x.log': Permission denied\n");
    assert_true(str_has(face_scroll_text(face), STR("cannot read 'x.log': Permission denied")));
}

static void where_nothing_could_be_read_the_reason_stands_first(void **state) {
    struct fixture *face = *state;
    buf_printf(&face->screen.trouble,
               "cannot read 'x.log': Permission denied\n\task for permission\n"
               "cannot read 'y.log': Permission denied\n\task for permission\n");
    const char *none = "/nonexistent/x.log";
    struct input_options input = {.threads = 1};
    session_read(face->session, &none, 1, &input);
    screen_show(&face->screen, face->session);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        face_size(face, sizes[i][0], sizes[i][1]);
        struct str all = folded(face, face_text(face));
        assert_true(str_has(all, STR("cannot read 'x.log': Permission denied")));
        if (sizes[i][1] > 10) assert_true(str_has(all, STR("ask for permission")));
    }
    buf_clear(&face->screen.trouble);
    for (int i = 0; i < 40; i++) buf_printf(&face->screen.trouble, "cannot read 'x%d.log'\n", i);
    face_draw(face);
    assert_shows(face, "and 35 more");
}

/* Whole names, as many of the last ones as there is room for. */
static void the_path_is_shortened_by_names(void **state) {
    struct fixture *face = *state;
    static const struct {
        const char *path, *shown;
        int cols;
    } rows[] = {
        {"/a/long/way/to/the/logs/of/job-4711", " /a/long/way/to/the/logs/of/job-4711", 200},
        {"/a/long/way/to/the/logs/of/job-4711", " of/job-4711", 80},
        {"/a/long/way/to/the/logs/of/job-4711/", " of/job-4711", 80},
        {"/logs/a-name-that-is-longer-than-all", "onger-than-all", 80}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        face->screen.paths = &rows[i].path;
        face->screen.n_paths = 1;
        face_size(face, rows[i].cols, 24);
        struct str bar = grid_row(&face->grid, 0, &face->arena);
        if (!str_ends(bar, str_of(rows[i].shown)))
            fail_msg("it does not end in '%s': " STR_FMT, rows[i].shown, STR_ARG(bar));
    }
}

static void lines_and_commands_are_copied(void **state) {
    struct fixture *face = *state;
    face_key(face, 'y');
    assert_true(face->screen.copy_wanted);
    assert_true(str_starts(buf_view(&face->screen.copied), STR("[rank2]: torch.cuda.OutOfMemory")));
    assert_shows(face, "Copied the line");
    face->screen.copy_wanted = false;
    face_keys(face, "lky");
    assert_str(buf_view(&face->screen.copied), "[rank2]:     _engine_run_backward(");
    /* at the title of a fix its commands, one a line */
    const struct finding *best = &session_diagnosis(face->session)->findings[0];
    face_key(face, 'f');
    face_key(face, '\n');
    assert_true(face->screen.copied.n > 0);
    if (best->fixes[0].n_commands)
        assert_true(str_starts(buf_view(&face->screen.copied), best->fixes[0].commands[0]));
}

static void steps_are_ticked_off(void **state) {
    struct fixture *face = *state;
    face_keys(face, "fjx");
    assert_shows(face, " x   - ");
    face_keys(face, "dfgjx");
    assert_hides(face, " x   - ");
}

static void the_report_is_written_once(void **state) {
    struct fixture *face = *state;
    char here[4096], folder[] = "/tmp/faultline-write-XXXXXX";
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    face_key(face, 'w');
    assert_shows(face, "write to: faultline-report.md");
    face_key(face, '\n');
    assert_shows(face, "Wrote faultline-report.md.");
    struct stat about;
    assert_int_equal(stat("faultline-report.md", &about), 0);
    assert_true(about.st_size > 500);
    face_key(face, 'w');
    assert_shows(face, "write to: faultline-report.md");
    face_key(face, '\n');
    assert_shows(face, "was not written");
    unlink("faultline-report.md");
    assert_int_equal(chdir(here), 0);
    rmdir(folder);
}

/* ---- the mouse ----------------------------------------------------------------------------------
 */

static void click(struct fixture *face, const char *text) {
    for (int row = 0; row < face->grid.rows; row++) {
        struct str line = grid_row(&face->grid, row, &face->arena);
        ptrdiff_t at = str_find(line, str_of(text), 0);
        if (at < 0) continue;
        screen_click(&face->screen,
                     grid_target(&face->grid, row, grid_columns(str_sub(line, 0, (size_t)at))));
        face_draw(face);
        return;
    }
    fail_msg("nothing says '%s'", text);
}

static void the_mouse_selects_and_opens(void **state) {
    struct fixture *face = *state;
    click(face, "ranks");
    assert_int_equal(face->screen.view, VIEW_RANKS);
    click(face, "o o");
    assert_shows(face, "rank 0: only consequences");
    click(face, "!");
    assert_shows(face, "rank 2: the first fault");
    click(face, "Enter");
    assert_int_equal(face->screen.view, VIEW_LOG);
    click(face, "_run_backward");
    assert_shows(face, ">    19 ");
    click(face, "diagnosis");
    click(face, "R4.1");
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
    click(face, "R4.1");
    assert_int_equal(face->screen.view, VIEW_FIX);
    face_keys(face, ":ranks");
    click(face, "the ranks");
    assert_int_equal(face->screen.view, VIEW_RANKS);
    screen_click(&face->screen, grid_target(&face->grid, -1, 999));
    click(face, "quit");
    assert_true(face->screen.quit);
}

/* ---- ranks and machines ------------------------------------------------------------------------
 */

static void the_ranks_are_told_apart(void **state) {
    struct fixture *face = *state;
    face_key(face, 'r');
    assert_shows(face, "1 the first fault: rank 2");
    assert_shows(face, "only consequences");
    assert_shows(face, "3 only consequences: ranks 0, 1, 3");
    assert_shows(face, "rank 2           ----o--X---");
    assert_shows(face, "rank 2: the first fault"); /* before anybody chose */
    face_key(face, 'g');
    assert_shows(face, "rank 0:");
    face_key(face, ']');
    assert_shows(face, "rank 2: the first fault, rank2.log");
    assert_shows(face, "rank2.log:20");
    face_key(face, ']');
    assert_shows(face, "No other rank after this one");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_LOG);
    assert_shows(face, ">    20 !");
    face_keys(face, "rg");
    face_key(face, TERM_RIGHT);
    assert_shows(face, "rank 1:");
    face_key(face, TERM_LEFT);
    face_key(face, 'G');
    assert_shows(face, "rank 3:");
    face_read_text(face, STR("hello world\n"));
    face_key(face, 'r');
    assert_shows(face, "tell of no ranks");
    /* what stands below the ranks can be read on a small screen, too */
    face_size(face, 40, 10);
    face_read(face, demo);
    face_key(face, 'r');
    struct str all = {0};
    for (int i = 0; i < 12; i++) {
        all = arena_printf(&face->arena, STR_FMT STR_FMT, STR_ARG(all), STR_ARG(face_text(face)));
        face_key(face, TERM_PAGE_DOWN);
    }
    assert_true(str_has(all, STR("rank2.log")));
    assert_true(str_has(all, STR("\nrank 2   -o-X-----------c  first fault"))); /* fits 40 */
    for (int i = 0; i < 12; i++) face_key(face, TERM_PAGE_UP);
    assert_shows(face, "the first fault");
}

static void facts_show_where_they_stand(void **state) {
    struct fixture *face = *state;
    face_size(face, 100, 60);
    face_key(face, 'm');
    assert_shows(face, "ds.zero_optimization.stage          2   (ds_config.json:");
    assert_shows(face, "ds_config.json:");
    face_keys(face, "/micro_batch\n");
    assert_shows(face, "only: micro_batch");
    assert_hides(face, "zero_optimization.stage");
    assert_shows(face, "train_micro_batch_size_per_gpu ");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_LOG);
    face_keys(face, "m/\np");
    assert_true(face->screen.probe_wanted);
    assert_shows(face, "zero_optimization.stage");
    face_size(face, 40, 10);
    face_key(face, 'g');
    struct str all = folded(face, face_scroll_text(face));
    assert_true(str_has(all, STR("ds.zero_optimization.stage = 2 (ds_config.json:")));
}

static void ask_environment(struct fixture *face) {
    struct probe_options options = {0};
    struct probe_report report;
    assert_true(face->screen.probe_wanted);
    assert_string_equal(face->screen.probe_only->id, "environment");
    probe_run(&report, face->screen.probe_only, &options);
    face->screen.probe_here = true;
    screen_take_probe(&face->screen, &report);
    probe_release(&report);
    face->screen.probe_wanted = false;
    face_mind(face);
    face_draw(face);
}

/* One probe is asked by its row, and again by a fact that it told; what cannot be true together
 * stands on top. */
static void single_probes_are_asked_again(void **state) {
    struct fixture *face = *state;
    face_size(face, 100, 200);
    setenv("RANK", "9", 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("NCCL_DEBUG", "WARN", 1);
    face_key(face, 'm');
    assert_shows(face, "this machine can be asked");
    assert_shows(face, "environment   -  ");
    click(face, "variables that launchers");
    face_key(face, 'p');
    assert_shows(face, "Asking this machine: environment ...");
    ask_environment(face);
    assert_shows(face, "Asked environment.");
    assert_shows(face, "environment   ok ");
    assert_shows(face, "! RANK=9, but WORLD_SIZE=4");
    assert_shows(face, "WARN   (probe environment, on ");
    setenv("NCCL_DEBUG", "INFO", 1);
    click(face, "WARN   (probe environment, on ");
    face_key(face, 'p');
    ask_environment(face);
    assert_shows(face, "INFO   (probe environment, on ");
    assert_hides(face, "WARN   (probe");
    face_key(face, 'P');
    assert_null(face->screen.probe_only);
    unsetenv("RANK");
    unsetenv("WORLD_SIZE");
    unsetenv("NCCL_DEBUG");
}

/* ---- what is known, and the palette -------------------------------------------------------------
 */

static void knowledge_leads_from_a_stage_to_an_entry(void **state) {
    struct fixture *face = *state;
    face_size(face, 100, 40);
    face_key(face, TERM_F8);
    assert_shows(face, "49.8 %  4  ");
    for (int i = 0; i < 3; i++) face_key(face, 'j');
    face_key(face, '\n');
    assert_shows(face, "4.2  Memory & offload issue");
    assert_shows(face, "R4.5");
    face_key(face, 'j');
    face_key(face, '\n');
    struct str all = face_scroll_text(face);
    assert_true(str_has(all, STR("cuda-out-of-memory")));
    face_keys(face, "/activation memory long sequence\n");
    assert_shows(face, "found: activation memory");
    face_key(face, '\n');
    all = face_scroll_text(face);
    assert_true(str_has(all, STR(" why ")) && str_has(all, STR(" fix ")));
    face_keys(face, "uuuu");
    assert_shows(face, "49.8 %  4  ");
    face_key(face, 27);
    assert_int_equal(face->screen.view, VIEW_START);
}

static void knowledge_of_the_selected_cause(void **state) {
    struct fixture *face = *state;
    face_key(face, 'e');
    assert_shows(face, "cuda-out-of-memory  The GPU");
    face_key(face, 27);
    assert_shows(face, "849 issues");
    face_key(face, 27);
    assert_int_equal(face->screen.view, VIEW_DIAGNOSIS);
}

static void the_palette_runs_what_its_words_find(void **state) {
    struct fixture *face = *state;
    face_key(face, ':');
    assert_shows(face, "the next view");
    face_keys(face, "fix cause");
    assert_shows(face, "the fix of the selected cause");
    assert_hides(face, "the next view");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_FIX);
    face_keys(face, ":no such thing");
    assert_shows(face, "No command");
    face_key(face, '\n');
    assert_int_equal(face->screen.view, VIEW_FIX);
    face_key(face, ':');
    face_key(face, TERM_DOWN);
    face_key(face, 27);
    assert_int_equal(face->screen.prompt.kind, PROMPT_NONE);
}

/* ---- whatever comes: every view stays whole ------------------------------------------------- */

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static const int any_keys[] = {
    'd',     'l',       'a',       'f',      '?',     '\t',      TERM_BACK_TAB,
    'j',     'k',       ' ',       'b',      'g',     'G',       '\n',
    ']',     '[',       's',       'S',      'n',     'N',       'x',
    'u',     'y',       '1',       '2',      27,      TERM_LEFT, TERM_RIGHT,
    TERM_UP, TERM_DOWN, TERM_HOME, TERM_END, TERM_F1, TERM_F7,   TERM_BACKSPACE,
    '/',     'e',       '\n',      4,        0x4e2d,  'M',       'z',
    'F',     't',       '&',       ':',      'a',     TERM_F8};

static void press_at_random(struct fixture *face, uint32_t seed, int n) {
    static const int odd_sizes[][2] = {{80, 24}, {40, 10}, {200, 60}, {1, 1}, {2, 2},
                                       {5, 3},   {20, 4},  {12, 30},  {79, 5}};
    for (int i = 0; i < n; i++) {
        uint32_t random = next_random(&seed);
        if (random % 17 == 0) {
            size_t size = next_random(&seed) % COUNT_OF(odd_sizes);
            face_size(face, odd_sizes[size][0], odd_sizes[size][1]);
        }
        face_key(face, any_keys[random % COUNT_OF(any_keys)]);
        assert_true(face->screen.view < VIEW_COUNT);
        if (face->arena.used > 1 << 20) arena_release(&face->arena);
    }
}

static void any_keys_on_any_session(void **state) {
    struct fixture *face = *state;
    struct str texts[] = {STR(""),
                          STR("\n"),
                          STR("hello world\n"),
                          {hostile, sizeof hostile - 1},
                          {"\0\0\0\0\0\0\0\0", 8},
                          STR("exits successfully\n")};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        face_read_text(face, texts[i]);
        press_at_random(face, (uint32_t)i + 1, 300);
        face_size(face, 80, 24);
        buf_clear(&face->screen.typed);
        face->screen.prompt.kind = PROMPT_NONE;
        face->screen.view = VIEW_DIAGNOSIS;
        face_paste(face, texts[i]);
        press_at_random(face, (uint32_t)i + 101, 300);
    }
    face_read(face, demo);
    press_at_random(face, 7, 1000);
}

static void a_healthy_job_and_an_unknown_one_are_told(void **state) {
    struct fixture *face = *state;
    face_read_text(face, STR("[2024-05-01 12:00:00,000] [INFO] [launch.py:351:main] Process 4711 "
                             "exits successfully.\n"));
    assert_shows(face, "HEALTHY");
    assert_shows(face, "1 log");
    assert_shows(face, "last     pipe:1  [2024-05-01");
    face_read_text(face, STR("The quick brown fox.\n"));
    assert_shows(face, "UNKNOWN");
    face_read_text(face, STR(""));
    assert_shows(face, "UNKNOWN");
    for (const char *key = "lafed?"; *key; key++) face_key(face, *key);
}

static void hostile_text_is_shown_tame(void **state) {
    struct fixture *face = *state;
    face_paste(face, (struct str){hostile, sizeof hostile - 1});
    assert_shows(face, "FAILED");
    face_key(face, 'l');
    assert_hides(face, "evil\033");
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        face_size(face, sizes[i][0], sizes[i][1]);
        face_keys(face, "gjjjjjjjjG");
    }
    /* wide characters at the edge, for every width */
    for (int cols = 4; cols < 60; cols++) face_size(face, cols, 12);
}

/* Every twentieth entry: its views draw at all sizes. */
static void every_kind_of_entry_can_be_shown(void **state) {
    struct fixture *face = *state;
    const struct kb *kb = session_kb(face->session);
    int shown = 0;
    for (int i = 0; i < kb->n_signals; i += 20) {
        struct image_sample sample;
        if (!image_samples(session_image(face->session), &face->arena, kb->signals[i].id, &sample,
                           1))
            continue;
        face_read_text(face, sample.line);
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            face_size(face, sizes[s][0], sizes[s][1]);
            face_keys(face, "dGlafGd");
        }
        arena_release(&face->arena);
        shown++;
    }
    assert_true(shown > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_screen_tells_what_where_and_what_to_do, open_demo,
                                        close_face),
        cmocka_unit_test_setup_teardown(the_bar_shows_where_one_is, open_demo, close_face),
        cmocka_unit_test_setup_teardown(the_verdict_is_on_the_first_screen, open_empty, close_face),
        cmocka_unit_test_setup_teardown(every_view_opens_by_its_key, open_demo, close_face),
        cmocka_unit_test_setup_teardown(tab_goes_round_and_back, open_demo, close_face),
        cmocka_unit_test_setup_teardown(escape_leads_back, open_demo, close_face),
        cmocka_unit_test_setup_teardown(enter_opens_what_is_selected, open_demo, close_face),
        cmocka_unit_test_setup_teardown(a_selected_cause_shows_its_own_fixes, open_demo,
                                        close_face),
        cmocka_unit_test(every_action_has_a_key),
        cmocka_unit_test(no_key_means_two_things_in_a_view),
        cmocka_unit_test_setup_teardown(help_names_every_key, open_demo, close_face),
        cmocka_unit_test_setup_teardown(help_can_be_read_on_a_small_screen, open_demo, close_face),
        cmocka_unit_test(every_key_works_in_its_views),
        cmocka_unit_test_setup_teardown(the_bar_never_runs_together, open_demo, close_face),
        cmocka_unit_test_setup_teardown(the_log_stands_at_the_fault, open_demo, close_face),
        cmocka_unit_test_setup_teardown(long_lines_are_cut_and_can_be_followed, open_demo,
                                        close_face),
        cmocka_unit_test_setup_teardown(hits_and_logs_are_walked, open_demo, close_face),
        cmocka_unit_test_setup_teardown(search_finds_both_ways, open_demo, close_face),
        cmocka_unit_test_setup_teardown(a_large_log_opens_at_the_right_line, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(a_large_log_without_a_fault_opens_at_its_end, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(long_work_in_the_log_can_be_stopped, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(expressions_know_the_ends_of_lines, open_empty, close_face),
        cmocka_unit_test_setup_teardown(thousands_of_logs_are_joined, open_empty, close_face),
        cmocka_unit_test_setup_teardown(line_numbers_have_room, open_empty, close_face),
        cmocka_unit_test_setup_teardown(what_came_through_a_pipe_shows_the_lines_that_were_kept,
                                        open_empty, close_face),
        cmocka_unit_test_setup_teardown(a_paste_can_be_read_again, open_empty, close_face),
        cmocka_unit_test_setup_teardown(a_log_that_is_gone_is_told, open_empty, close_face),
        cmocka_unit_test_setup_teardown(a_log_that_became_shorter_does_no_harm, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(answers_move_the_walk_and_can_be_taken_back, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(a_walk_without_a_question_says_so, open_demo, close_face),
        cmocka_unit_test_setup_teardown(text_can_be_typed_and_diagnosed, open_empty, close_face),
        cmocka_unit_test_setup_teardown(a_path_that_is_typed_is_opened, open_empty, close_face),
        cmocka_unit_test_setup_teardown(while_reading_only_what_needs_no_diagnosis_works,
                                        open_empty, close_face),
        cmocka_unit_test_setup_teardown(what_is_read_so_far_is_shown, open_empty, close_face),
        cmocka_unit_test_setup_teardown(early_sessions_follow_the_reading, open_empty, close_face),
        cmocka_unit_test_setup_teardown(a_hang_tells_who_did_not_come, open_demo, close_face),
        cmocka_unit_test_setup_teardown(what_could_not_be_read_is_shown, open_demo, close_face),
        cmocka_unit_test_setup_teardown(where_nothing_could_be_read_the_reason_stands_first,
                                        open_empty, close_face),
        cmocka_unit_test_setup_teardown(the_path_is_shortened_by_names, open_demo, close_face),
        cmocka_unit_test_setup_teardown(lines_and_commands_are_copied, open_demo, close_face),
        cmocka_unit_test_setup_teardown(the_report_is_written_once, open_demo, close_face),
        cmocka_unit_test_setup_teardown(any_keys_on_any_session, open_empty, close_face),
        cmocka_unit_test_setup_teardown(a_healthy_job_and_an_unknown_one_are_told, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(hostile_text_is_shown_tame, open_empty, close_face),
        cmocka_unit_test_setup_teardown(every_kind_of_entry_can_be_shown, open_empty, close_face),
        cmocka_unit_test_setup_teardown(all_logs_are_joined_by_time, open_demo, close_face),
        cmocka_unit_test_setup_teardown(jumps_stay_among_the_lines_that_are_shown, open_demo,
                                        close_face),
        cmocka_unit_test_setup_teardown(a_search_reaches_all_of_the_joined_logs, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(a_filter_shows_only_what_passes, open_demo, close_face),
        cmocka_unit_test_setup_teardown(one_goes_to_a_line_a_time_or_a_part, open_demo, close_face),
        cmocka_unit_test_setup_teardown(what_has_no_times_is_not_joined, open_empty, close_face),
        cmocka_unit_test_setup_teardown(long_lines_can_be_wrapped, open_demo, close_face),
        cmocka_unit_test_setup_teardown(a_growing_log_is_followed, open_empty, close_face),
        cmocka_unit_test_setup_teardown(knowledge_leads_from_a_stage_to_an_entry, open_empty,
                                        close_face),
        cmocka_unit_test_setup_teardown(knowledge_of_the_selected_cause, open_demo, close_face),
        cmocka_unit_test_setup_teardown(the_palette_runs_what_its_words_find, open_demo,
                                        close_face),
        cmocka_unit_test_setup_teardown(the_ranks_are_told_apart, open_demo, close_face),
        cmocka_unit_test_setup_teardown(facts_show_where_they_stand, open_demo, close_face),
        cmocka_unit_test_setup_teardown(single_probes_are_asked_again, open_demo, close_face),
        cmocka_unit_test_setup_teardown(the_mouse_selects_and_opens, open_demo, close_face),
        cmocka_unit_test_setup_teardown(a_path_is_completed, open_empty, close_face),
        cmocka_unit_test_setup_teardown(steps_are_ticked_off, open_demo, close_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
