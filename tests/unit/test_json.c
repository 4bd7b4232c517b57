/* JSON out: always valid; JSON in: strict and as people write it. */
#include "base/json.h"
#include "tests/unit/test.h"

static void writes_nested_values(void **state) {
    struct buf out = {0};
    struct json json;
    (void)state;
    json_start(&json, &out, false);
    json_begin_object(&json);
    json_key(&json, "a");
    json_begin_array(&json);
    json_int(&json, INT64_MIN);
    json_bool(&json, true);
    json_null(&json);
    json_end(&json);
    json_key(&json, "b");
    json_begin_object(&json);
    json_end(&json);
    json_key(&json, "c");
    json_string_or_null(&json, (struct str){0});
    json_end(&json);
    buf_char(&out, '\0');
    assert_string_equal(out.p, "{\"a\":[-9223372036854775808,true,null],\"b\":{},\"c\":null}");
    buf_release(&out);
}

static void writes_pretty(void **state) {
    struct buf out = {0};
    struct json json;
    (void)state;
    json_start(&json, &out, true);
    json_begin_object(&json);
    json_key(&json, "a");
    json_begin_array(&json);
    json_int(&json, 1);
    json_int(&json, 2);
    json_end(&json);
    json_key(&json, "b");
    json_begin_array(&json);
    json_end(&json);
    json_end(&json);
    buf_char(&out, '\0');
    assert_string_equal(out.p, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}\n");
    buf_release(&out);
}

static void check_string(struct str value, const char *expected) {
    struct buf out = {0};
    struct json json;
    json_start(&json, &out, false);
    json_string(&json, value);
    buf_char(&out, '\0');
    assert_string_equal(out.p, expected);
    buf_release(&out);
}

static void strings_are_always_valid(void **state) {
    (void)state;
    check_string(STR("plain \xC3\xA4 \xE4\xBD\xA0 \xF0\x9F\x98\x80"),
                 "\"plain \xC3\xA4 \xE4\xBD\xA0 \xF0\x9F\x98\x80\"");
    check_string(STR("a\"b\\c\n\t\r"), "\"a\\\"b\\\\c\\n\\t\\r\"");
    check_string(STR("\x1b[31m\x01\x7f"), "\"\\u001b[31m\\u0001\\u007f\"");
    check_string(STR("\xC2\x9B"), "\"\\u009b\""); /* a C1 control: CSI in eight bits */
    check_string(STR("a\0b"), "\"a\\u0000b\"");
    check_string(STR("\xFF\xC3"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""); /* stray and cut sequences */
    check_string(STR("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""); /* overlong */
    check_string(STR("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""); /* a surrogate */
    check_string((struct str){0}, "\"\"");
}

static void check_number(double value, const char *expected) {
    struct arena arena = {0};
    struct str text = json_number_text(&arena, value);
    assert_int_equal(text.n, strlen(expected));
    assert_memory_equal(text.p, expected, text.n);
    arena_release(&arena);
}

static void numbers_are_short_and_exact(void **state) {
    (void)state;
    check_number(5e8, "500000000");
    check_number(0.1, "0.1");
    check_number(1e-5, "1e-05");
    check_number(-0.0, "0");
    check_number(1.0 / 3, "0.3333333333333333");
    check_number(1e300, "1e+300");
    struct buf out = {0};
    struct json json;
    json_start(&json, &out, false);
    json_number(&json, 0.0 / (double)(out.n));
    assert_memory_equal(out.p, "null", 4);
    buf_release(&out);
}

static void reads_a_tree(void **state) {
    struct arena arena = {0};
    struct err err = {0};
    (void)state;
    const struct json_value *root =
        json_parse(&arena, STR("{\"a\": {\"b\": [1, \"x\", true, null]}, \"c\": 2.5}\n"), &err);
    assert_non_null(root);
    const struct json_value *list = json_get(json_get(root, STR("a")), STR("b"));
    assert_int_equal(list->type, JSON_ARRAY);
    assert_int_equal(list->n, 4);
    assert_true(str_eq(json_scalar(&arena, list->first->next), STR("x")));
    assert_true(str_eq(json_scalar(&arena, list->first->next->next), STR("true")));
    assert_true(str_eq(json_scalar(&arena, json_get(root, STR("c"))), STR("2.5")));
    assert_null(json_get(root, STR("missing")));
    assert_null(json_get(list, STR("a")));
    assert_null(json_get(NULL, STR("a")));
    arena_release(&arena);
}

static void refuses_what_is_no_json(void **state) {
    static const char *const bad[] = {"", "{", "{\"a\": }", "{} trailing", "[1,]", "{'a': 1}"};
    struct arena arena = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct err err = {0};
        assert_null(json_parse(&arena, str_of(bad[i]), &err));
        assert_string_equal(err.what, "not valid JSON");
    }
    arena_release(&arena);
}

static void deep_nesting_is_refused_not_followed(void **state) {
    struct arena arena = {0};
    struct err err = {0};
    char *deep = arena_alloc(&arena, 200000);
    (void)state;
    memset(deep, '[', 200000);
    assert_null(json_parse_relaxed(&arena, (struct str){deep, 200000}, &err));
    arena_release(&arena);
}

static void reads_what_people_write(void **state) {
    static const char text[] =
        "\xEF\xBB\xBF// settings\n"
        "{ # the stage\n"
        "  'zero': {\"stage\": 3, /* or 2 */ 'cpu': True,},\n"
        "  'name': 'it\\'s \"x\"', \"n\": 5_000, \"lr\": .5, dtype: torch.float16,\n"
        "  \"none\": None, \"t\": (1, 2,), \"url\": \"http://x/y\",\n"
        "}\n";
    struct arena arena = {0};
    struct err err = {0};
    (void)state;
    const struct json_value *root = json_parse_relaxed(&arena, str_of(text), &err);
    assert_non_null(root);
    assert_true(
        str_eq(json_scalar(&arena, json_get(json_get(root, STR("zero")), STR("stage"))), STR("3")));
    assert_true(str_eq(json_scalar(&arena, json_get(json_get(root, STR("zero")), STR("cpu"))),
                       STR("true")));
    assert_true(str_eq(json_scalar(&arena, json_get(root, STR("name"))), STR("it's \"x\"")));
    assert_true(str_eq(json_scalar(&arena, json_get(root, STR("n"))), STR("5000")));
    assert_true(str_eq(json_scalar(&arena, json_get(root, STR("lr"))), STR("0.5")));
    assert_true(str_eq(json_scalar(&arena, json_get(root, STR("dtype"))), STR("torch.float16")));
    assert_true(str_eq(json_scalar(&arena, json_get(root, STR("url"))), STR("http://x/y")));
    assert_int_equal(json_get(root, STR("none"))->type, JSON_NULL);
    assert_int_equal(json_get(root, STR("t"))->n, 2);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_nested_values),
        cmocka_unit_test(writes_pretty),
        cmocka_unit_test(strings_are_always_valid),
        cmocka_unit_test(numbers_are_short_and_exact),
        cmocka_unit_test(reads_a_tree),
        cmocka_unit_test(refuses_what_is_no_json),
        cmocka_unit_test(deep_nesting_is_refused_not_followed),
        cmocka_unit_test(reads_what_people_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
