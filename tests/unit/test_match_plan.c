/* The choices of a matcher that an image keeps. */
#include "match/plan.h"
#include "tests/unit/match_fixture.h"
#include "world/image.h"

static void assert_same_needles(const struct needle_set *a, const struct needle_set *b) {
    assert_int_equal(a->n_needles, b->n_needles);
    assert_int_equal(a->n_refs, b->n_refs);
    assert_memory_equal(&a->tables, &b->tables, sizeof a->tables);
    for (int i = 0; i < a->n_needles; i++) {
        assert_true(str_eq(a->needles[i].text, b->needles[i].text));
        assert_int_equal(a->needles[i].signal, b->needles[i].signal);
        assert_int_equal(a->needles[i].group, b->needles[i].group);
    }
}

/* A matcher of the choices that an image keeps is the one that chooses anew. */
static void plan_gives_the_same_matcher(void **state) {
    struct fixture *f = *state;
    struct kb planned = *f->kb;
    planned.plan = match_plan(&f->arena, f->kb);
    struct matcher *matcher = matcher_new(&f->arena, &planned);
    struct str first = matcher->loud->needles[0].text;
    assert_in_range(first.p - planned.plan.p, 1, planned.plan.n); /* it did read the plan */
    assert_same_needles(matcher->loud, f->matcher->loud);
    assert_same_needles(matcher->pulse, f->matcher->pulse);
    assert_same_needles(matcher->blind, f->matcher->blind);
    /* marks of trouble are the same whatever the digits and addresses */
    for (int i = 0; i < matcher->blind->n_needles; i++)
        assert_int_not_equal(matcher->blind->needles[i].group, NEEDLE_TROUBLE);
    for (int i = 0; i < f->kb->n_signals; i++) {
        assert_int_equal(match_heat(matcher, i), match_heat(f->matcher, i));
        assert_int_equal(matcher->pulses[i], f->matcher->pulses[i]);
        assert_int_equal(matcher->digit_blind[i], f->matcher->digit_blind[i]);
        assert_int_equal(matcher->steadfast[i], f->matcher->steadfast[i]);
    }
    matcher_release(matcher);
}

/* A plan that is cut, changed or of other knowledge is not followed, or harmless. */
static void plan_may_be_damaged(void **state) {
    struct fixture *f = *state;
    struct kb damaged = *f->kb;
    struct plan plan;
    struct str whole = match_plan(&f->arena, f->kb);
    for (size_t n = 0; n < whole.n; n++) {
        char *copy = malloc(n + 1); /* so that a sanitizer sees what is read beyond */
        memcpy(copy, whole.p, n);
        damaged.plan = (struct str){copy, n};
        assert_false(plan_read(&plan, &damaged, &f->arena));
        free(copy);
    }
    uint64_t random = 7;
    for (int i = 0; i < 300; i++) {
        struct str copy = arena_str(&f->arena, whole);
        ((char *)(uintptr_t)copy.p)[random_next(&random) % whole.n] ^= (char)random_next(&random);
        damaged.plan = copy;
        matcher_release(matcher_new(&f->arena, &damaged));
    }
    damaged.plan = whole;
    damaged.n_signals--;
    assert_false(plan_read(&plan, &damaged, &f->arena));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plan_gives_the_same_matcher, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plan_may_be_damaged, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
