/* Cells: what is drawn stays in its area, wide characters stay whole, cut text says so; lists keep
 * the selected row in sight; logs of any size are read by lines. */
#include "tests/unit/face.h"

#include "ui/log_file.h"

#include <fcntl.h>

/* ---- the grid ------------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static const char *const pieces[] = {"plain",
                                     "\xe4\xb8\xad\xe6\x96\x87",
                                     "e\xcc\x81",
                                     "\033[31m",
                                     "\xff\xfe",
                                     "\xf0\x9f\x9a\x80",
                                     " ",
                                     "\t",
                                     "\n",
                                     "\xcc\x81",
                                     "\xe2\x80\xae",
                                     "\xc2\x9b",
                                     "long-word-without-a-blank"};

static struct str random_text(uint32_t *seed, struct buf *out) {
    buf_clear(out);
    for (int n = (int)(next_random(seed) % 12); n >= 0; n--)
        buf_str(out, str_of(pieces[next_random(seed) % COUNT_OF(pieces)]));
    return buf_view(out);
}

static void nothing_is_drawn_outside_an_area(void **state) {
    (void)state;
    struct grid grid = {0};
    struct buf text = {0};
    uint32_t seed = 5;
    setlocale(LC_CTYPE, "C.UTF-8");
    for (int round = 0; round < 3000; round++) {
        struct area area = {2, 3, (int)(next_random(&seed) % 6), (int)(next_random(&seed) % 20)};
        grid_resize(&grid, 10, 30);
        for (int i = 0; i < 300; i++) grid.cells[i] = (struct cell){'#', 0, FACE_BAR, 0};
        int row = (int)(next_random(&seed) % 8) - 1, col = (int)(next_random(&seed) % 22);
        struct str words = random_text(&seed, &text);
        switch (round % 4) {
        case 0: grid_text(&grid, area, row, col, FACE_BOLD, words); break;
        case 1:
            grid_wrap(&grid, area, row, col, FACE_BOLD, words, (int)(next_random(&seed) % 3));
            break;
        case 2: grid_fill(&grid, area, row, col, FACE_BOLD); break;
        default: grid_bar(&grid, area, row, col, 8, FACE_BOLD, 0.7); break;
        }
        for (int i = 0; i < 300; i++) {
            bool inside = i / 30 >= area.row && i / 30 < area.row + area.rows &&
                          i % 30 >= area.col && i % 30 < area.col + area.cols;
            if (!inside) assert_true(grid.cells[i].point == '#' && grid.cells[i].face == FACE_BAR);
        }
        face_check_grid(&grid);
    }
    grid_release(&grid);
    buf_release(&text);
}

static void text_that_is_cut_says_so(void **state) {
    (void)state;
    struct arena arena = {0};
    struct grid grid = {0};
    grid_resize(&grid, 6, 8);
    struct area area = grid_area(&grid);
    grid_text(&grid, area, 0, 0, FACE_PLAIN, STR("12345678"));
    grid_text(&grid, area, 1, 0, FACE_PLAIN, STR("123456789"));
    grid_text(&grid, area, 2, 0, FACE_PLAIN, STR("123456\xe4\xb8\xad"));
    grid_text(&grid, area, 3, 0, FACE_PLAIN, STR("123456\xe4\xb8\xad\xe4\xb8\xad"));
    grid_text(&grid, area, 4, 0, FACE_PLAIN, STR("1234567\xe4\xb8\xad"));
    grid_text(&grid, area, 5, 0, FACE_PLAIN, STR("\033[1mab\x9b\xe2\x80\xae"));
    assert_str(grid_row(&grid, 0, &arena), "12345678");
    assert_str(grid_row(&grid, 1, &arena), "1234567\xe2\x80\xa6");
    assert_str(grid_row(&grid, 2, &arena), "123456\xe4\xb8\xad");
    assert_str(grid_row(&grid, 3, &arena), "123456 \xe2\x80\xa6");
    assert_str(grid_row(&grid, 4, &arena), "1234567\xe2\x80\xa6");
    assert_str(grid_row(&grid, 5, &arena), "?[1mab??");
    face_check_grid(&grid);
    grid_release(&grid);
    arena_release(&arena);
}

static void paragraphs_wrap_at_blanks(void **state) {
    (void)state;
    struct arena arena = {0};
    struct grid grid = {0};
    grid_resize(&grid, 8, 12);
    struct area area = grid_area(&grid);
    int lines =
        grid_wrap(&grid, area, 0, 2, FACE_PLAIN, STR("one two three averyverylongword\nend"), 0);
    assert_int_equal(lines, 5);
    assert_str(grid_row(&grid, 0, &arena), "  one two");
    assert_str(grid_row(&grid, 1, &arena), "  three");
    assert_str(grid_row(&grid, 2, &arena), "  averyveryl");
    assert_str(grid_row(&grid, 3, &arena), "  ongword");
    assert_str(grid_row(&grid, 4, &arena), "  end");
    assert_int_equal(grid_wrap(&grid, area, 5, 2, FACE_PLAIN, STR("one two three fourth"), 2), 2);
    assert_str(grid_row(&grid, 6, &arena), "  three fou\xe2\x80\xa6");
    assert_int_equal(grid_wrap(&grid, area, 5, 2, FACE_PLAIN, STR(""), 0), 1);
    grid_release(&grid);
    arena_release(&arena);
}

static void without_utf8_there_are_no_boxes(void **state) {
    (void)state;
    struct arena arena = {0};
    struct grid grid = {0};
    setlocale(LC_CTYPE, "C");
    grid_resize(&grid, 2, 8);
    grid_bar(&grid, grid_area(&grid), 0, 0, 8, FACE_PLAIN, 0.5);
    grid_text(&grid, grid_area(&grid), 1, 0, FACE_PLAIN, STR("\xe4\xb8\xad 123456789"));
    assert_str(grid_row(&grid, 0, &arena), "####");
    assert_str(grid_row(&grid, 1, &arena), "? 12345~");
    setlocale(LC_CTYPE, "C.UTF-8");
    grid_release(&grid);
    arena_release(&arena);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void the_selected_row_is_always_in_sight(void **state) {
    (void)state;
    struct arena arena = {0};
    struct list list = {.arena = &arena};
    struct grid grid = {0};
    for (int i = 0; i < 60; i++)
        list_add(&list, (struct row){.indent = 4,
                                     .item = i % 3 == 1,
                                     .text = arena_printf(&arena, "row %d of words that wrap", i)});
    assert_int_equal(list_items(&list), 20);
    assert_str(str_sub(list_item(&list, 1)->text, 0, 5), "row 4");
    assert_null(list_item(&list, 20));
    int selected = 0, scroll = 0;
    for (int step = 0; step < 100; step++) {
        grid_resize(&grid, 4 + step % 7, 16 + step % 30);
        list_draw(&list, &grid, grid_area(&grid), &selected, &scroll);
        bool found = false;
        for (int row = 0; row < grid.rows; row++) found |= grid.cells[row * grid.cols].point == '>';
        assert_true(found);
        selected += step % 11 < 8 ? 1 : -3;
    }
    selected = 1000;
    list_draw(&list, &grid, grid_area(&grid), &selected, &scroll);
    assert_int_equal(selected, 19);
    selected = -1000;
    list_draw(&list, &grid, grid_area(&grid), &selected, &scroll);
    assert_int_equal(selected, 0);
    assert_int_equal(scroll, 0);
    grid_release(&grid);
    arena_release(&arena);
}

/* ---- log files ------------------------------------------------------------------------------ */

static int make_file(char *path) {
    strncpy(path, "/tmp/faultline-grid-XXXXXX", 64);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

static struct str line_at(struct log_file *log, uint64_t at) {
    static char room[4096];
    return log_file_line(log, at, room, sizeof room);
}

/* A file that is mostly a hole: only what is near the place may be read. */
/* In pieces of `limit` bytes until it is decided; at a limit of less than a block every piece is
 * one block.  -1: one piece did not decide it. */
static int search(struct log_file *log, struct str regex, int direction, uint64_t limit,
                  uint64_t *at, int64_t *lines) {
    struct err err;
    struct pattern *pattern = pattern_new(regex, &err);
    assert_non_null(pattern);
    struct log_search search = {.direction = direction, .at = *at};
    int found = log_file_search(log, pattern, &search, limit);
    while (found < 0 && limit == 1) found = log_file_search(log, pattern, &search, limit);
    if (found > 0) {
        *at = search.at;
        *lines = search.lines;
    }
    pattern_release(pattern);
    return found;
}

/* What is skipped holds no match, and the line behind it, where there is one, is a match or odd. */
static void check_skips(struct log_file *log, struct str regex, int direction, uint64_t at,
                        int matches) {
    struct err err;
    struct pattern *pattern = pattern_new(regex, &err);
    uint64_t clear = 0;
    static char room[400000];
    while (direction > 0 ? at < log->size : at > 0) {
        int64_t lines;
        uint64_t to = log_file_skip(log, pattern, direction, at, &clear, &lines), from = at;
        assert_true(direction > 0 ? to >= at : to <= at);
        assert_true(log_file_move(log, &from, direction * lines) == direction * lines ||
                    to == log->size);
        at = to;
        if (direction > 0 ? at >= log->size : at == 0) break;
        uint64_t line = direction > 0 ? at : log_file_before(log, at);
        bool hit =
            pattern_try(pattern, log_file_line(log, line, room, sizeof room), 100000, NULL) > 0;
        matches -= hit;
        at = direction > 0 ? log_file_next(log, at) : line;
    }
    assert_int_equal(matches, 0);
    pattern_release(pattern);
}

static void ten_gigabytes_open_at_once(void **state) {
    (void)state;
    char path[64];
    int fd = make_file(path);
    uint64_t place = (uint64_t)10 << 30;
    static const char text[] = "\nfirst\nsecond\r\nthird";
    assert_int_equal(pwrite(fd, text, sizeof text - 1, (off_t)place), sizeof text - 1);
    close(fd);
    struct log_file log;
    struct err err;
    assert_true(log_file_open(&log, path, &err));
    uint64_t at = log_file_line_start(&log, place + 9);
    assert_true(at == place + 7);
    assert_str(line_at(&log, at), "second");
    assert_int_equal(log_file_move(&log, &at, 10), 1);
    assert_str(line_at(&log, at), "third");
    assert_int_equal(log_file_move(&log, &at, -2), -2);
    assert_str(line_at(&log, at), "first");
    /* the line before is the hole: it is not read to its beginning */
    assert_int_equal(log_file_move(&log, &at, -1), -1);
    assert_true(at > place - (64 << 20));
    int64_t lines;
    at = place + 1;
    assert_int_equal(search(&log, STR("thi.d"), 1, 1 << 20, &at, &lines), 1);
    assert_int_equal(lines, 2);
    assert_int_equal(search(&log, STR("nowhere"), -1, 1 << 20, &at, &lines), -1);
    log_file_close(&log);
    unlink(path);
}

static void lines_are_found_both_ways(void **state) {
    (void)state;
    struct buf text = {0};
    VEC(uint64_t) starts = {0};
    struct arena arena = {0};
    uint32_t seed = 3;
    for (int i = 0; i < 9000; i++) {
        vec_push(&arena, &starts, text.n);
        buf_printf(&text, "%d ", i);
        for (uint32_t n = next_random(&seed) % 100; n > 0; n--) buf_char(&text, 'x');
        if (i % 1000 == 999)
            for (int n = 0; n < 300000; n++) buf_char(&text, 'y'); /* longer than a block */
        buf_char(&text, '\n');
    }
    char path[64];
    int fd = make_file(path);
    assert_int_equal(write(fd, text.p, text.n), text.n);
    close(fd);
    struct log_file logs[2];
    struct err err;
    assert_true(log_file_open(&logs[0], path, &err));
    log_file_memory(&logs[1], buf_view(&text));
    for (int i = 0; i < 2; i++) {
        uint64_t at = 0;
        for (size_t line = 1; line < starts.n; line++) {
            at = log_file_next(&logs[i], at);
            assert_true(at == starts.v[line]);
        }
        assert_true(log_file_next(&logs[i], at) == logs[i].size);
        for (size_t line = starts.n - 1; line-- > 0;) {
            at = log_file_before(&logs[i], at);
            assert_true(at == starts.v[line]);
        }
        assert_true(log_file_before(&logs[i], 0) == 0);
        int64_t lines;
        assert_int_equal(search(&logs[i], STR("8765 x"), 1, 1 << 30, &at, &lines), 1);
        assert_int_equal(lines, 8765);
        assert_true(at == starts.v[8765]);
        assert_int_equal(search(&logs[i], STR("4321 X"), -1, 1 << 30, &at, &lines), 1);
        assert_int_equal(lines, 4321 - 8765);
        assert_true(at == starts.v[4321]);
        assert_int_equal(search(&logs[i], STR("nowhere"), 1, 1 << 30, &at, &lines), 0);
        assert_true(at == starts.v[4321]);
        assert_int_equal(search(&logs[i], STR("x\\s+999"), 1, 1 << 30, &at, &lines), 0);
        assert_int_equal(search(&logs[i], STR("8765 x"), 1, 1, &at, &lines), 1);
        assert_int_equal(lines, 8765 - 4321);
        assert_int_equal(search(&logs[i], STR("^4321 X"), -1, 1, &at, &lines), 1);
        assert_true(at == starts.v[4321]);
        check_skips(&logs[i], STR("^(8765|4[34]21) "), 1, 0, 3);
        check_skips(&logs[i], STR("^(8765|4[34]21) "), -1, logs[i].size, 3);
        log_file_close(&logs[i]);
    }
    unlink(path);
    buf_release(&text);
    arena_release(&arena);
}

static void old_mac_texts_have_lines_too(void **state) {
    (void)state;
    struct log_file log;
    log_file_memory(&log, STR("one\rtwo\rthree"));
    uint64_t at = 0;
    assert_int_equal(log_file_move(&log, &at, 9), 2);
    assert_str(line_at(&log, at), "three");
    log_file_close(&log);
    log_file_memory(&log, (struct str){0});
    at = 0;
    assert_int_equal(log_file_move(&log, &at, 9), 0);
    assert_str(line_at(&log, 0), "");
    log_file_close(&log);
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    struct log_file log;
    struct err err;
    assert_false(log_file_open(&log, "/nowhere/at/all", &err));
    assert_non_null(strstr(err.what, "/nowhere/at/all"));
    log_file_close(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_drawn_outside_an_area),
        cmocka_unit_test(text_that_is_cut_says_so),
        cmocka_unit_test(paragraphs_wrap_at_blanks),
        cmocka_unit_test(without_utf8_there_are_no_boxes),
        cmocka_unit_test(the_selected_row_is_always_in_sight),
        cmocka_unit_test(ten_gigabytes_open_at_once),
        cmocka_unit_test(lines_are_found_both_ways),
        cmocka_unit_test(old_mac_texts_have_lines_too),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
