/* What words lean to: learned, packed, and found again. */
#include "compile/learn.h"
#include "model/leaning.h"

#include <string.h>

#include "test.h"

enum { CLASSES = 3 };

static struct str packed_of(struct arena *arena) {
    const struct leaning_row rows[] = {{.word = STR("offload"), .leans = {12, 0, -7}},
                                       {.word = STR("!killed"), .leans = {0, 127, -127}},
                                       {.word = STR("quiet")}};
    const int8_t bias[LEANING_CLASSES] = {1, -2, 3};
    return leanings_pack(rows, 3, bias, CLASSES, arena);
}

static void words_are_found_again(void **state) {
    (void)state;
    struct arena arena = {0};
    struct str packed = packed_of(&arena);
    int sums[CLASSES];
    assert_true(leanings_hold(packed, CLASSES));
    leanings_begin(packed, CLASSES, sums);
    assert_true(leanings_add(packed, CLASSES, STR("offload"), sums));
    assert_true(leanings_add(packed, CLASSES, STR("!killed"), sums));
    assert_true(leanings_add(packed, CLASSES, STR("quiet"), sums));
    assert_false(leanings_add(packed, CLASSES, STR("killed"), sums));
    assert_int_equal(sums[0], 13);
    assert_int_equal(sums[1], 125);
    assert_int_equal(sums[2], -131);
    arena_release(&arena);
}

/* An image may be cut, or be of another taxonomy. */
static void what_is_damaged_is_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    struct str packed = packed_of(&arena);
    for (size_t n = 0; n < packed.n; n++)
        assert_false(leanings_hold(str_sub(packed, 0, n), CLASSES));
    assert_false(leanings_hold(packed, CLASSES - 1));
    assert_false(leanings_hold(packed, LEANING_CLASSES));
    for (size_t i = 0; i < packed.n; i++) { /* refused, or harmless */
        char *bytes = arena_alloc(&arena, packed.n);
        memcpy(bytes, packed.p, packed.n);
        bytes[i] ^= 0x55;
        struct str other = {bytes, packed.n};
        int sums[CLASSES];
        if (!leanings_hold(other, CLASSES)) continue;
        leanings_begin(other, CLASSES, sums);
        leanings_add(other, CLASSES, STR("offload"), sums);
    }
    arena_release(&arena);
}

/* Word 0 stands in every example, word 1 with class 1, word 2 with class 2. */
static void what_goes_with_a_class_leans_to_it(void **state) {
    (void)state;
    static const int first[] = {0, 1}, second[] = {0, 2}, both[] = {0, 1, 2};
    const struct example examples[] = {{first, 2, 1},  {second, 2, 2}, {first, 2, 1},
                                       {second, 2, 2}, {first, 2, 1},  {both, 3, -1}};
    double leans[4 * CLASSES], again[4 * CLASSES];
    learn_leans(examples, 6, 3, CLASSES, leans);
    double *common = leans + CLASSES, *one = common + CLASSES, *two = one + CLASSES;
    assert_true(one[1] > 2 && one[2] < -1 && two[2] > 2 && two[1] < -1);
    assert_true(common[1] < one[1] && common[2] < two[2]);
    assert_true(leans[1] > leans[0] && leans[0] < 0); /* no example is of class 0 */
    learn_leans(examples, 6, 3, CLASSES, again);
    assert_memory_equal(leans, again, sizeof leans);
}

/* Without any known class all are equal. */
static void nothing_is_learned_of_nothing(void **state) {
    (void)state;
    static const int words[] = {0};
    const struct example examples[] = {{words, 1, -1}};
    double leans[2 * CLASSES];
    learn_leans(examples, 1, 1, CLASSES, leans);
    for (size_t i = 0; i < COUNT_OF(leans); i++) assert_true(leans[i] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_again),
        cmocka_unit_test(what_is_damaged_is_refused),
        cmocka_unit_test(what_goes_with_a_class_leans_to_it),
        cmocka_unit_test(nothing_is_learned_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
