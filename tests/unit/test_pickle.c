/* The pickle reader: what Python writes, what nobody may write, and torn bytes. */
#include "facts/pickle.h"
#include "tests/unit/test.h"

#define BYTES(literal) ((struct str){literal, sizeof(literal) - 1})

static const struct json_value *read_ok(struct arena *arena, struct str bytes) {
    struct err err = {0};
    const struct json_value *root;
    if (!pickle_read(arena, bytes, &root, &err)) fail_msg("%s: %s", err.what, err.detail);
    return root;
}

static void refused(struct str bytes, const char *why) {
    struct arena arena = {0};
    struct err err = {0};
    const struct json_value *root;
    assert_false(pickle_read(&arena, bytes, &root, &err));
    assert_null(root);
    assert_string_equal(err.detail, why);
    arena_release(&arena);
}

/* pickle.dumps({'a': [1, -2, 300], 'b': ('x', None, True), 'c': 1.5, 'd': 1 << 40}, 2) */
static const char plain[] = "\x80\x02}q\x00(X\x01\x00\x00\x00"
                            "aq\x01]q\x02(K\x01J\xfe\xff\xff\xffM,\x01"
                            "eX\x01\x00\x00\x00"
                            "bq\x03X\x01\x00\x00\x00xq\x04N\x88\x87q\x05X\x01\x00\x00\x00"
                            "cq\x06G?\xf8\x00\x00\x00\x00\x00\x00X\x01\x00\x00\x00"
                            "dq\x07\x8a\x06\x00\x00\x00\x00\x00\x01u.";

static void test_plain(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct json_value *root = read_ok(&arena, BYTES(plain));
    const struct json_value *a = json_get(root, STR("a")), *b = json_get(root, STR("b"));
    assert_int_equal(root->type, JSON_OBJECT);
    assert_int_equal(root->n, 4);
    assert_int_equal(a->n, 3);
    assert_true(a->first->number == 1 && a->first->next->number == -2);
    assert_true(a->first->next->next->number == 300);
    assert_int_equal(b->type, JSON_ARRAY);
    assert_str(b->first->text, "x");
    assert_int_equal(b->first->next->type, JSON_NULL);
    assert_int_equal(b->first->next->next->type, JSON_TRUE);
    assert_true(json_get(root, STR("c"))->number == 1.5);
    assert_true(json_get(root, STR("d"))->number == 1099511627776.0);
    arena_release(&arena);
}

/* s = 'sum'; pickle.dumps([s, {7: s}, [b'hi'], (), -(1 << 70)], 4) */
static const char framed[] = "\x80\x04\x95,\x00\x00\x00\x00\x00\x00\x00]\x94(\x8c\x03sum\x94}\x94"
                             "K\x07h\x01s]\x94"
                             "C\x02hi\x94"
                             "a)\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xc0"
                             "e.";

static void test_protocol_4(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct json_value *root = read_ok(&arena, BYTES(framed)), *at = root->first;
    assert_int_equal(root->n, 5);
    assert_str(at->text, "sum");
    assert_str(json_get(at->next, STR("7"))->text, "sum");
    assert_str(at->next->next->first->text, "hi");
    assert_int_equal(at->next->next->next->n, 0);
    assert_true(at->next->next->next->next->number == -1180591620717411303424.0);
    arena_release(&arena);
}

static void test_every_cut_is_refused(void **state) {
    (void)state;
    for (size_t n = 0; n + 1 < sizeof plain; n++) {
        struct arena arena = {0};
        struct err err;
        const struct json_value *root;
        char *exact = malloc(n + 1); /* a read beyond the cut is seen by the sanitizer */
        memcpy(exact, plain, n);
        assert_false(pickle_read(&arena, (struct str){exact, n}, &root, &err));
        free(exact);
        arena_release(&arena);
    }
}

static void test_calls_are_refused(void **state) {
    (void)state;
    const char *why = "it wants to import or call something";
    refused(BYTES("\x80\x02"
                  "cos\nsystem\nX\x02\x00\x00\x00id\x85R."),
            why);
    refused(BYTES("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R."), why);
    refused(BYTES("\x80\x02)R."), why);
    refused(BYTES("\x80\x02}}b."), why);
    refused(BYTES("\x80\x02(ios\nsystem\n."), why);
    refused(BYTES("\x80\x02(o."), why);
    refused(BYTES("\x80\x02N)\x81."), why);
    refused(BYTES("\x80\x02N}}\x92."), why);
    refused(BYTES("\x80\x02\x82\x01."), why);
    refused(BYTES("\x80\x02\x83\x01\x00."), why);
    refused(BYTES("\x80\x02\x84\x01\x00\x00\x00."), why);
    refused(BYTES("\x80\x02P1\n."), why);
    refused(BYTES("\x80\x02NQ."), why);
    refused(BYTES("\x80\x05\x97."), why);
}

static void test_malformed(void **state) {
    (void)state;
    refused(BYTES("not a pickle"), "it is none of protocol 2 to 5");
    refused(BYTES("\x80\x09N."), "it is none of protocol 2 to 5");
    refused(BYTES("\x80\x02."), "it holds nothing");
    refused(BYTES("\x80\x02X\xff\xff\xff\xff"), "truncated");
    refused(BYTES("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffx."), "truncated");
    refused(BYTES("\x80\x02\x8b\xff\xff\xff\x7fN."), "an absurd number");
    refused(BYTES("\x80\x02]e."), "a mark is missing");
    refused(BYTES("\x80\x02(e."), "nothing to fill");
    refused(BYTES("\x80\x02}(K\x01u."), "a key without a value");
    refused(BYTES("\x80\x02}]K\x01s."), "a key that is neither text nor number");
    refused(BYTES("\x80\x02)K\x01"
                  "a."),
            "this cannot be filled");
    refused(BYTES("\x80\x02(\x85."), "the stack is empty");
    refused(BYTES("\x80\x02h\x05."), "the memo has no such entry");
    refused(BYTES("\x80\x02Nr\x00\x00\x00\x7f."), "the memo has a gap");
    refused(BYTES("\x80\x02\xf0."), "an unknown opcode");
}

static void test_hostile_shapes(void **state) {
    (void)state;
    refused(BYTES("\x80\x02]q\x00h\x00"
                  "a."),
            "a value that contains itself");
    struct buf deep = {0};
    buf_add(&deep, "\x80\x02", 2);
    for (int i = 0; i < 100000; i++) buf_char(&deep, ']');
    for (int i = 0; i < 99999; i++) buf_char(&deep, 'a');
    buf_char(&deep, '.');
    refused(buf_view(&deep), "nested too deeply");
    buf_clear(&deep);
    buf_add(&deep, "\x80\x02]", 3);
    for (int i = 0; i < PICKLE_VALUES + 1; i++) buf_char(&deep, 'N');
    buf_char(&deep, '.');
    refused(buf_view(&deep), "too many values");
    buf_release(&deep);
}

/* Lists of lists of lists, each twice the one before: stays as small as it was written. */
static void test_shared_values_stay_small(void **state) {
    (void)state;
    struct arena arena = {0};
    struct buf bytes = {0};
    buf_add(&bytes, "\x80\x02]q\x00", 5);
    for (int i = 0; i < 30; i++) {
        buf_add(&bytes, "](h", 3);
        buf_char(&bytes, (char)i);
        buf_char(&bytes, 'h');
        buf_char(&bytes, (char)i);
        buf_add(&bytes, "eq", 2);
        buf_char(&bytes, (char)(i + 1));
    }
    buf_char(&bytes, '.');
    assert_int_equal(read_ok(&arena, buf_view(&bytes))->n, 2);
    assert_true(arena.used < 100000);
    buf_release(&bytes);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_protocol_4),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_calls_are_refused),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_hostile_shapes),
        cmocka_unit_test(test_shared_values_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
