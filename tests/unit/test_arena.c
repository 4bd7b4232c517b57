/* Arenas: what lies in them stays apart, aligned and whole, however small or large it is. */
#include "tests/unit/test.h"

#include <stdalign.h>

static void strings_and_structs_lie_apart(void **state) {
    (void)state;
    struct arena arena = {0};
    struct str texts[2000];
    uint64_t *numbers[2000];
    for (size_t i = 0; i < 2000; i++) {
        texts[i] = arena_str(&arena, str_sub(STR("0123456789abcdefghijklmnopqrstuv"), 0, i % 33));
        numbers[i] = ARENA_ARRAY(&arena, uint64_t, 1 + i % 3);
        assert_int_equal((uintptr_t)numbers[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k <= i % 3; k++) assert_int_equal(numbers[i][k], 0);
        numbers[i][i % 3] = i;
    }
    for (size_t i = 0; i < 2000; i++) {
        assert_int_equal(texts[i].n, i % 33);
        assert_memory_equal(texts[i].p, "0123456789abcdefghijklmnopqrstuv", i % 33);
        assert_int_equal(texts[i].p[i % 33], 0);
        assert_int_equal(numbers[i][i % 3], i);
    }
    arena_release(&arena);
}

/* Growing alone leaves nothing behind: the arena holds little more than the array. */
static void arrays_grow_alone(void **state) {
    (void)state;
    enum { N = 200000 };
    struct row {
        uint32_t number;
        char text[20];
    };
    struct arena arena = {0};
    VEC(struct row) rows = {0};
    VEC(int) others = {0};
    for (uint32_t i = 0; i < N; i++) {
        vec_push_alone(&arena, &rows, (struct row){.number = i});
        if (i % 100 == 0) vec_push(&arena, &others, (int)i);
        if (i % 1000 == 0) arena_str(&arena, STR("between"));
    }
    for (uint32_t i = 0; i < N; i++) assert_int_equal(rows.v[i].number, i);
    for (size_t i = 0; i < others.n; i++) assert_int_equal(others.v[i], 100 * i);
    assert_true(arena.used < rows.cap * sizeof(struct row) + 512 * 1024);
    arena_release(&arena);
}

/* What lies behind a small array in its chunk stays where it is, also when it fills the chunk to
 * the last byte. */
static void neighbours_stay(void **state) {
    (void)state;
    struct arena arena = {0};
    VEC(int) numbers = {0};
    arena_alloc(&arena, 1 << 20); /* the next chunk is of the largest kind */
    vec_push_alone(&arena, &numbers, 1);
    enum { TEXTS = 64 * 1024 - 8 * (int)sizeof(int) };
    struct str last = {0};
    for (int i = 0; i < TEXTS / 2; i++) last = arena_str(&arena, STR("x"));
    size_t used = arena.used;
    while (numbers.n < 9) vec_push_alone(&arena, &numbers, 1);
    assert_true(arena.used > used); /* nothing was given back that texts lie in */
    assert_int_equal(last.p[0], 'x');
    arena_release(&arena);
}

/* The heap gives back chunks that others wrote to. */
static void what_is_handed_out_is_zero(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 100, 5000, 60000, 200000};
    for (int round = 0; round < 4; round++) {
        struct arena arena = {0};
        for (size_t i = 0; i < 40; i++) {
            size_t n = sizes[i % COUNT_OF(sizes)];
            unsigned char *bytes = arena_alloc(&arena, n);
            for (size_t k = 0; k < n; k++) assert_int_equal(bytes[k], 0);
            memset(bytes, 0xff, n);
        }
        arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_and_structs_lie_apart),
        cmocka_unit_test(arrays_grow_alone),
        cmocka_unit_test(neighbours_stay),
        cmocka_unit_test(what_is_handed_out_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
