/* Clocks of hosts that disagree: what all met at, and what ended all, tell it. */
#include "tests/unit/test.h"

#include "think/clocks.h"

enum { HOSTS = 3 };
static const int64_t second = 1000000000, noon = 1714564800000000000;

struct fixture {
    struct evidence evidence;
    struct arena arena;
};

static int set_up(void **state) {
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    evidence_release(&f->evidence);
    arena_release(&f->arena);
    free(f);
    return 0;
}

/* One log a host, which begins and ends at these seconds after noon, and meets in between. */
static void add(struct fixture *f, const char *host, int begin, int end, enum meeting kind,
                int meets) {
    struct evidence *evidence = &f->evidence;
    struct source source = {.path = str_of(host),
                            .host = str_of(host),
                            .kind = KIND_LOG,
                            .rank = -1,
                            .attempts = 1,
                            .first_time = noon + begin * second,
                            .last_time = noon + end * second};
    if (meets >= begin) source.met[kind] = (meets - begin) * 1000 + 1;
    struct hit hit = {.first = {.source = (int)evidence->sources.n, .time = noon, .attempt = 1}};
    vec_push(&evidence->arena, &evidence->sources, source);
    vec_push(&evidence->arena, &evidence->hits, hit);
}

/* The seconds that the clocks of three hosts are ahead of most. */
static void check(struct fixture *f, const int skews[HOSTS]) {
    const struct evidence *compared = clocks_compare(&f->evidence, &f->arena);
    for (int i = 0; i < HOSTS; i++)
        if (compared->hits.v[i].first.skew != skews[i] * second)
            fail_msg("host %d is ahead by %lld ns, not %d s", i,
                     (long long)compared->hits.v[i].first.skew, skews[i]);
}

static void by_a_meeting(void **state) {
    struct fixture *f = *state;
    add(f, "node-01", 0, 900, MEETING_RENDEZVOUS, 30);
    add(f, "node-02", 0, 500, MEETING_RENDEZVOUS, 31);
    add(f, "node-03", 5, 900, MEETING_RENDEZVOUS, 70);
    check(f, (int[HOSTS]){0, 0, 39});
}

static void by_the_end_of_all(void **state) {
    struct fixture *f = *state;
    add(f, "node-01", 0, 900, MEETING_TERM, 890);
    add(f, "node-02", 2, 900, MEETING_TERM, 891);
    add(f, "node-03", -41, 852, MEETING_TERM, 850);
    check(f, (int[HOSTS]){0, 0, -40});
}

/* Ended later, or begun later, is no clock that is off; the end of few is none of all. */
static void what_does_not_tell(void **state) {
    struct fixture *f = *state;
    add(f, "node-01", 0, 900, MEETING_TERM, 890);
    add(f, "node-02", 2, 900, MEETING_TERM, 891);
    add(f, "node-03", 0, 930, MEETING_TERM, 921);
    check(f, (int[HOSTS]){0, 0, 0});
    f->evidence.sources.v[2].first_time -= 30 * second;
    check(f, (int[HOSTS]){0, 0, 0});
    for (int i = 0; i < 2; i++) f->evidence.sources.v[i].met[MEETING_TERM] = 0;
    check(f, (int[HOSTS]){0, 0, 0});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_a_meeting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(by_the_end_of_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_tell, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
