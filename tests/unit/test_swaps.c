/* think/swaps.h: when offload costs enough to be told. */
#include <math.h>

#include "tests/unit/test.h"

#include "think/swaps.h"

static void what_a_step_swaps(void **state) {
    (void)state;
    struct arena arena = {0};
    static const struct {
        struct swaps swaps;
        const char *says;
    } rows[] = {
        {{.in = 4, .out = 4, .optimizer = 9, .forward = 1, .backward = 2, .step = 9},
         "steps: 67 percent of a step swaps optimizer states"},
        {{.in = 4, .out = NAN, .optimizer = NAN, .forward = 1, .backward = 2, .step = 5},
         "steps: 50 percent of a step swaps optimizer states"},
        {{.in = 4, .out = 4, .optimizer = 10, .forward = NAN, .backward = NAN, .step = NAN},
         "steps: 80 percent of the update swaps optimizer states"},
        {{.in = 1, .out = 1, .optimizer = 4, .forward = 5, .backward = 9, .step = 4}, ""},
        {{.in = 4, .out = 4, .optimizer = NAN, .forward = NAN, .backward = NAN, .step = NAN}, ""},
        {{.in = NAN, .out = NAN, .optimizer = 9, .forward = 1, .backward = 2, .step = 9}, ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_str(swaps_judge(&arena, &rows[i].swaps), rows[i].says);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_step_swaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
