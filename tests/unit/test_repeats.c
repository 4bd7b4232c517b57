/* A traceback that a log prints again and again is read a few times, then counted: nothing else
 * that it tells may change. */
#include "tests/unit/test.h"

#include "input/input.h"

enum { ROUNDS = 500 };

static struct str oom_needles[] = {STR("CUDA out of memory")};
static struct signal signals[] = {{.id = STR("oom"),
                                   .needles = oom_needles,
                                   .n_needles = 1,
                                   .regex = STR("CUDA out of memory"),
                                   .failure = -1}};
static const struct kb kb = {.signals = signals, .n_signals = 1};

static void add_trace(struct buf *log, int rank, int line, const char *function,
                      const char *exception) {
    buf_printf(log,
               "[rank%d]: Traceback (most recent call last):\n"
               "[rank%d]:   File \"/a/train.py\", line %d, in %s\n"
               "[rank%d]:     loss = model(batch)\n"
               "[rank%d]: %s\n",
               rank, rank, line, function, rank, rank, exception);
}

static struct evidence read_log(const struct buf *log) {
    struct arena arena = {0};
    struct evidence evidence = {0};
    struct matcher *matcher = matcher_new(&arena, &kb);
    input_read_text(&evidence, &kb, matcher, buf_view(log), STR("rank.log"), NULL);
    matcher_release(matcher);
    arena_release(&arena);
    return evidence;
}

static const struct trace *trace_in(const struct evidence *evidence, const char *function) {
    for (size_t i = 0; i < evidence->traces.n; i++) {
        const struct trace *trace = &evidence->traces.v[i];
        if (trace->n_frames == 1 && str_eq(trace->frames[0].function, str_of(function)))
            return trace;
    }
    fail_msg("no traceback in %s", function);
    return NULL;
}

static void repeats_are_counted(void **state) {
    (void)state;
    struct buf log = {0};
    for (int i = 0; i < ROUNDS; i++) {
        add_trace(&log, i % 4, 10, "step", "torch.OutOfMemoryError: CUDA out of memory");
        buf_printf(&log, "[rank%d]: step %d loss 2.5\n", i % 4, i);
        if (i % 2) add_trace(&log, i % 4, 20, "save", "OSError: disk full");
    }
    struct evidence evidence = read_log(&log);
    assert_int_equal(evidence.traces.n, 2);
    assert_int_equal(trace_in(&evidence, "step")->count, ROUNDS);
    assert_int_equal(trace_in(&evidence, "save")->count, ROUNDS / 2);
    uint32_t hits = 0;
    for (size_t i = 0; i < evidence.hits.n; i++) {
        const struct hit *hit = &evidence.hits.v[i];
        assert_true(hit->flags & HIT_EXCEPTION);
        assert_ptr_equal(&evidence.traces.v[hit->trace], trace_in(&evidence, "step"));
        hits += hit->count;
    }
    assert_int_equal(hits, ROUNDS);
    evidence_release(&evidence);
    buf_release(&log);
}

/* Between many equal ones stands one of another function, and one in which another rank writes. */
static void others_are_read(void **state) {
    (void)state;
    struct buf log = {0};
    for (int i = 0; i < ROUNDS; i++) {
        add_trace(&log, 0, 10 + i % 3, "step", "torch.OutOfMemoryError: CUDA out of memory");
        if (i == 300) add_trace(&log, 0, 10, "odd", "torch.OutOfMemoryError: CUDA out of memory");
        if (i == 400)
            buf_str(&log, STR("[rank0]: Traceback (most recent call last):\n"
                              "[rank1]: Traceback (most recent call last):\n"
                              "[rank0]:   File \"/a/train.py\", line 10, in step\n"
                              "[rank1]:   File \"/a/train.py\", line 10, in other\n"
                              "[rank0]:     loss = model(batch)\n"
                              "[rank1]:     loss = model(batch)\n"
                              "[rank0]: torch.OutOfMemoryError: CUDA out of memory\n"
                              "[rank1]: KeyError: 'loss'\n"));
    }
    struct evidence evidence = read_log(&log);
    assert_int_equal(evidence.traces.n, 5); /* step on three lines, odd, other */
    assert_int_equal(trace_in(&evidence, "odd")->origin.line, 4 * 301 + 1);
    assert_int_equal(trace_in(&evidence, "odd")->count, 1);
    assert_str(trace_in(&evidence, "other")->type, "KeyError");
    uint32_t steps = 0;
    for (size_t i = 0; i < evidence.traces.n; i++)
        if (str_eq(evidence.traces.v[i].frames[0].function, STR("step")))
            steps += evidence.traces.v[i].count;
    assert_int_equal(steps, ROUNDS + 1);
    evidence_release(&evidence);
    buf_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_counted),
        cmocka_unit_test(others_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
