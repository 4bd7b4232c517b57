/* What a log, or a text, becomes: hits, attempts, times, ranks, progress. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/reads.h"

#include "input/keep.h"

static void a_log(void **state) {
    struct evidence evidence =
        read_text(*state, "train.log",
                  STR("[2024-05-01 12:00:00,000] [INFO] launcher begins\n"
                      "[rank3]: global_step=5, loss=2.5\n"
                      "\033[31m[rank3]:\033[0m Traceback (most recent call last):\n"
                      "[rank3]:   File \"/x/engine.py\", line 5, in forward\n"
                      "[rank3]:     y = x\n"
                      "[rank3]: RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB. "
                      "password=hunter22\n"
                      "[rank2]: RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB.\n"
                      "[rank2]: RuntimeError: CUDA out of memory. Tried to allocate 3.50 GiB.\n"
                      "some unknown fatal problem: disk is broken\n"
                      "\n"));
    assert_int_equal(evidence.sources.n, 1);
    const struct source *source = &evidence.sources.v[0];
    assert_int_equal(source->kind, KIND_LOG);
    assert_int_equal(source->lines, 10);
    assert_str(source->last_line, "some unknown fatal problem: disk is broken");
    assert_int_equal(source->last_line_no, 9);
    assert_int_equal(source->attempts, 1);

    const struct hit *hit = hit_of(&evidence, S_OOM);
    assert_int_equal(hit->first.line, 6);
    assert_int_equal(hit->first.rank, 3);
    assert_int_equal(hit->first.time / 1000000000, 1714564800);
    assert_str(
        hit->text,
        "[rank3]: RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB. password=***");
    assert_int_equal(hit->n_captures, 1);
    assert_str(hit->captures[0], "2.50 GiB");
    assert_true(hit->flags & HIT_EXCEPTION);
    assert_true(hit->trace >= 0);
    assert_int_equal(count_hits(&evidence, S_OOM), 2);
    assert_int_equal(hit[1].count, 2);
    assert_int_equal(hit[1].last.line, 8);

    assert_int_equal(hit_of(&evidence, S_FRAME)->first.line, 4);
    assert_true(hit_of(&evidence, S_FRAME)->flags & HIT_IN_TRACEBACK);
    assert_str(evidence_fact(&evidence, STR("gpu.short")), "yes");
    assert_str(evidence_fact(&evidence, STR("gpu.asked")), "3.50 GiB"); /* the last one counts */
    assert_int_equal(evidence.ranks.n, 2);
    assert_int_equal(evidence.ranks.v[0], 2);
    assert_int_equal(evidence.traces.v[hit->trace].n_frames, 1);
    assert_int_equal(evidence.standouts.n, 1);
    assert_int_equal(evidence.standouts.v[0].origin.line, 9);
    assert_true(evidence.tracks.n >= 1);
    assert_int_equal(evidence.tracks.v[0].step, 5);
    assert_true(fabs(evidence.tracks.v[0].loss - 2.5) < 1e-9);
    evidence_release(&evidence);
}

static void a_needle_broken_by_colour(void **state) {
    struct evidence evidence = read_text(
        *state, "c.log", STR("CUDA out\033[31m of memory. Tried to\033[0m allocate 2 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 1);
    assert_str(hit_of(&evidence, S_OOM)->text, "CUDA out of memory. Tried to allocate 2 GiB");
    evidence_release(&evidence);
}

static void pieces_of_a_progress_bar(void **state) {
    struct evidence evidence =
        read_text(*state, "bar.log",
                  STR("start\n\rTrain:  1%|x  | 4/400 [00:01<01:00, 2.5it/s]\rTrain:  2%|x  | "
                      "8/400 [00:02<01:00, 2.5it/s]"
                      "\r[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a.py\", "
                      "line 1, in f\n"
                      "[rank1]: KeyError: 'labels'\n"));
    assert_int_equal(hit_of(&evidence, S_EXCEPTION)->first.line, 4);
    assert_int_equal(evidence.traces.n, 1);
    assert_int_equal(evidence.traces.v[0].origin.line, 2);
    assert_int_equal(evidence.tracks.v[evidence.tracks.n - 1].step, 8);
    evidence_release(&evidence);
}

static void attempts_are_counted(void **state) {
    struct evidence evidence = read_text(
        *state, "appended.log",
        STR("launcher begins\nlauncher begins\nglobal_step=1\nCUDA out of memory. Tried to "
            "allocate 1 GiB\n"
            "launcher begins\nlauncher begins\nglobal_step=2\nProcess 1 exits successfully.\n"
            "launcher begins\nCUDA out of memory. Tried to allocate 2 GiB\n"));
    assert_int_equal(evidence.sources.v[0].attempts, 3);
    assert_int_equal(count_hits(&evidence, S_OOM), 2);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.attempt, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)[0].count, 1);
    int last = 0;
    for (size_t i = 0; i < evidence.hits.n; i++)
        if (evidence.hits.v[i].signal == S_OOM) last = evidence.hits.v[i].first.attempt;
    assert_int_equal(last, 3);
    evidence_release(&evidence);
}

/* No banner, no launcher: the job wrote into its old log again. */
static void attempts_without_a_banner(void **state) {
    struct str again = STR("2024-05-01 12:00:00 INFO reading tokens from shard one\n2024-05-01 "
                           "12:00:01 INFO model with 3 M weights built\n"
                           "step 10/500 loss 2.9\nstep 20/500 loss 2.8\nstep 30/500 loss 2.7\n"
                           "CUDA out of memory. Tried to allocate 1 GiB\n"
                           "2024-05-01 12:00:00 INFO reading tokens from shard one\n2024-05-01 "
                           "12:00:01 INFO model with 3 M weights built\n"
                           "step 10/500 loss 2.9\nCUDA out of memory. Tried to allocate 2 GiB\n");
    struct evidence evidence = read_text(*state, "again.log", again);
    assert_int_equal(evidence.sources.v[0].attempts, 2);
    assert_int_equal(count_hits(&evidence, S_OOM), 2);
    evidence_release(&evidence);
    /* steps alone: from the first one on, and rising */
    evidence = read_text(*state, "steps.log",
                         STR("[rank1]: step 10/500 loss 2.9\n[rank1]: step 20/500 loss 2.8\n"
                             "[rank1]: step 30/500 loss 2.7\n"
                             "[rank2]: CUDA out of memory. Tried to allocate 1 GiB\n"
                             "[rank1]: step 10/500 loss 2.9\n[rank1]: step 20/500 loss 2.8\n"));
    assert_int_equal(evidence.sources.v[0].attempts, 2);
    assert_int_equal(evidence.tracks.v[evidence.tracks.n - 1].origin.attempt, 2);
    evidence_release(&evidence);
    evidence = read_text(*state, "run/attempt_1/0/stderr.log",
                         STR("CUDA out of memory. Tried to allocate 1 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.attempt, 2);
    assert_int_equal(evidence.sources.v[0].attempts, 2);
    evidence_release(&evidence);
}

/* A rank dies once: where its program leaves the outermost frame again, it was started again. */
static void attempts_of_a_rank_that_died(void **state) {
    struct str died = STR("Traceback (most recent call last):\n"
                          "  File \"fit.py\", line 8, in <module>\n    fit()\n"
                          "ValueError: no such model\n"
                          "Traceback (most recent call last):\n"
                          "  File \"fit.py\", line 9, in <module>\n    fit()\n"
                          "KeyError: 'lr'\nCUDA out of memory. Tried to allocate 2 GiB\n");
    struct evidence evidence = read_text(*state, "log/workerlog.3", died);
    assert_int_equal(evidence.sources.v[0].attempts, 2);
    assert_int_equal(evidence.traces.v[1].end.attempt, 2);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.attempt, 2);
    evidence_release(&evidence);
    /* without a rank they may be of two */
    evidence = read_text(*state, "nohup.out", died);
    assert_int_equal(evidence.sources.v[0].attempts, 1);
    evidence_release(&evidence);
    /* no step was made, and two lines are all that a rank said before its error */
    evidence = read_text(*state, "rank_0.log",
                         STR("the network is being built\nthe network is ready\n"
                             "Traceback (most recent call last):\n"
                             "  File \"fit.py\", line 8, in <module>\n    fit()\n"
                             "ValueError: no such model\n"
                             "the network is being built\nthe network is ready\n"
                             "CUDA out of memory. Tried to allocate 2 GiB\n"));
    assert_int_equal(evidence.sources.v[0].attempts, 2);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.attempt, 2);
    evidence_release(&evidence);
}

/* In a log of which few lines are looked at: where the job went on is no place to look longer, and
 * none that counts. */
static void attempts_behind_many_errors(void **state) {
    struct buf text = {0};
    for (int i = 0, step = 0; i < 320; i++) {
        if (i == 0 || i == 256)
            buf_printf(&text, "INFO reading tokens from shard one\nINFO model of many weights\n");
        for (int end = step + 160; step < end; step++)
            buf_printf(&text, "step %d/900000 loss 2.9, all as it should be in this one\n", step);
        buf_printf(&text, "CUDA out of memory. Tried to allocate 1 GiB\nKeyError: 'shard'\n");
        for (int n = 0; i == 255 && n < 40; n++) buf_printf(&text, "INFO the node is swept\n");
    }
    assert_true(text.n > 2 * 1024 * 1024);
    struct evidence evidence = read_text(*state, "long.log", buf_view(&text));
    assert_int_equal(evidence.sources.v[0].attempts, 2);
    assert_int_equal(hit_of(&evidence, S_OOM)->count, 256);
    evidence_release(&evidence);
    buf_release(&text);
}

/* Nothing but what a job begins with, and an error: each text holds as many attempts as it says. */
static void attempts_before_the_first_step(void **state) {
#define BEGINS                                                                                     \
    "INFO reading the settings of run one\nINFO tokens of all shards counted\n"                    \
    "INFO a model of many weights is built\n"
#define BREAKS                                                                                     \
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'labels'\n"
#define QUEUED                                                                                     \
    "srun: job 7 queued and waiting for resources\nsrun: job 7 has been allocated resources\n"
#define CHAIN                                                                                      \
    BREAKS "\nDuring handling of the above exception, another exception occurred:\n\n"             \
           "Traceback (most recent call last):\n  File \"a.py\", line 9, in g\nValueError: no\n"
#define REPORT "Sender: LSF System <lsf@node07>\nSubject: Job 7: <fit> in cluster <c> Exited\n"
    static const struct {
        const char *text;
        int attempts;
    } logs[] = {
        {BEGINS BREAKS BEGINS BREAKS BEGINS "step 1/9 loss 2.9\n", 3},
        /* the first came to its end without a word */
        {BEGINS "step 1/9 loss 2.9\nstep 2/9 loss 2.8\n" BEGINS BREAKS BEGINS "step 1/9 loss 2.9\n",
         2},
        {BEGINS BEGINS BREAKS BREAKS BEGINS, 1}, /* several processes without names */
        {"INFO one\n" CHAIN CHAIN CHAIN, 1},     /* what follows an error is no beginning */
        {BREAKS "Process 1 exits successfully.\nstep 1/9 loss 2.9\nstep 2/9 loss 2.8\n", 2},
        {"INFO the first\n" BREAKS QUEUED BREAKS QUEUED BREAKS, 3},
        {QUEUED BREAKS BREAKS, 1},
        {"nohup: ignoring input\n" BREAKS "nohup: ignoring input\nepoch one\n", 2},
        {"step 1/9 loss 2.9\n" REPORT "The output (if any) is above this job summary.\n\nPS:\n\n"
         "Read file <fit.err> for stderr output of this job.\n" BREAKS,
         2},
        {"step 1/9 loss 2.9\n" REPORT "The output (if any) is above this job summary.\n\nPS:\n\n"
         "Read file <fit.err> for stderr output of this job.\n",
         1},
        {REPORT "The output (if any) follows:\n\n" BREAKS REPORT
                "The output (if any) follows:\n\nstep 1/9 loss 2.9\n",
         2},
    };
    for (size_t i = 0; i < COUNT_OF(logs); i++) {
        struct evidence evidence = read_text(*state, "again.log", str_of(logs[i].text));
        if (evidence.sources.v[0].attempts != logs[i].attempts)
            fail_msg("%d attempts: %s", evidence.sources.v[0].attempts, logs[i].text);
        evidence_release(&evidence);
    }
}

/* The bar of a program that ended is drawn once more; what a library warns of is no error. */
static void attempts_between_bars(void **state) {
    static const char bars[] =
        "INFO tokens of all shards counted\nINFO a model of many weights is built\n"
        "  1%|x  | 1/90 [00:01<01:00, 2.5it/s]\n  2%|x  | 2/90 [00:02<01:00, 2.5it/s]\n"
        "  3%|x  | 3/90 [00:03<01:00, 2.5it/s]\n";
    static const char warns[] = "/x/a.py:4: UserWarning: odd\n  warnings.warn(\n";
    static const char breaks[] =
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'labels'\n"
        "  4%|x  | 4/90 [00:04<01:00, 2.5it/s]\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", bars, breaks, bars, warns, breaks, bars);
    struct evidence evidence = read_text(*state, "bars.log", str_of(text));
    assert_int_equal(evidence.sources.v[0].attempts, 3);
    assert_str(evidence.traces.v[0].message, "'labels'");
    evidence_release(&evidence);
    snprintf(text, sizeof text, "%s%s%s%s", bars, warns, bars, warns);
    evidence = read_text(*state, "bars.log", str_of(text));
    assert_int_equal(evidence.sources.v[0].attempts, 1);
    evidence_release(&evidence);
}

/* A rank that lags, a bar that says goodbye, work that went on, lines of every step, output that
 * was held back. */
static void no_attempts(void **state) {
    static const char *const texts[] = {
        "[rank1]: step 10/500 loss 2.9\n[rank1]: step 20/500 loss 2.8\n"
        "[rank1]: step 30/500 loss 2.7\n[rank1]: CUDA out of memory. Tried to allocate 1 GiB\n"
        "[rank2]: step 10/500 loss 2.9\n[rank2]: step 20/500 loss 2.8\n",
        "2024-05-01 12:00:00 INFO begins\nCUDA out of memory. Tried to allocate 1 GiB\n"
        "2024-05-01 12:00:01 INFO model with weights built\n"
        "step 10/500 loss 2.9\nstep 20/500 loss 2.8\nstep 30/500 loss 2.7\n"
        "CUDA out of memory. Tried to allocate 2 GiB\n"
        "2024-05-01 12:00:01 INFO model with weights built\n"
        "step 10/500 loss 2.9\nstep 20/500 loss 2.8\nstep 30/500 loss 2.7\n",
        "step 10/500 loss 2.9\nstep 20/500 loss 2.8\nstep 30/500 loss 2.7\n"
        "CUDA out of memory. Tried to allocate 1 GiB\nstep 10/500 loss 2.9\n",
        "step 10/500 loss 2.9\nstep 20/500 loss 2.8\nstep 30/500 loss 2.7\n"
        "CUDA out of memory. Tried to allocate 1 GiB\nstep 20/500 loss 2.9\nstep 30/500 loss 2.8\n",
        "step 10/500 loss 2.9\nstep 20/500 loss 2.8\nstep 30/500 loss 2.7\n"
        "CUDA out of memory. Tried to allocate 1 GiB\nstep 40/500 loss 2.9\nstep 10/500 loss 2.8\n"
        "step 20/500 loss 2.8\n",
        "2024-05-01 12:00:00 INFO reading tokens from shard one\n2024-05-01 12:00:01 INFO model "
        "with weights built\nstep 10/500 loss 2.9\n"
        "2024-05-01 12:00:00 INFO reading tokens from shard two\n2024-05-01 12:00:00 INFO reading "
        "tokens from shard one\n2024-05-01 12:00:01 INFO model with weights built\n"
        "CUDA out of memory. Tried to allocate 1 GiB\n"
        "2024-05-01 12:00:00 INFO reading tokens from shard one\n2024-05-01 12:00:01 INFO model "
        "with weights built\n",
        "2024-05-01 12:00:00 INFO reading tokens from shard one\n2024-05-01 12:00:01 INFO model "
        "with weights built\n"
        "CUDA out of memory. Tried to allocate 1 GiB\n"
        "2024-05-01 12:00:00 INFO reading tokens from shard one\n2024-05-01 12:00:01 INFO model "
        "with weights built\n",
        "Epoch 3: 14%|#4        | 14/100 [00:14<01:10, 1.30it/s, loss=0.14]\n"
        "CUDA out of memory. Tried to allocate 1 GiB\n"
        "Epoch 3: 15%|#5        | 15/100 [00:15<01:10, 1.30it/s, loss=0.13]\n"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct evidence evidence = read_text(*state, "once.log", str_of(texts[i]));
        assert_int_equal(evidence.sources.v[0].kind, KIND_LOG);
        if (evidence.sources.v[0].attempts != 1) fail_msg("%s", texts[i]);
        evidence_release(&evidence);
    }
}

static void times_are_completed(void **state) {
    struct evidence evidence = read_text(
        *state, "times.log",
        STR("2024-02-28 23:59:58 launcher begins\n"
            "W0229 00:00:01.000000 12 a.py:3] CUDA out of memory. Tried to allocate 1 GiB\n"
            "00:00:05 global_step=3\n"
            "Process 1 exits successfully.\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.time / 1000000000, 1709164801);
    assert_false(hit_of(&evidence, S_OOM)->first.yearless);
    assert_int_equal(hit_of(&evidence, S_STEP)->first.time / 1000000000, 1709164805);
    assert_int_equal(hit_of(&evidence, S_DONE)->first.time / 1000000000, 1709164805);
    evidence_release(&evidence);
    evidence = read_text(*state, "untimed.log", STR("12: launcher begins\nx\n"));
    assert_true(hit_of(&evidence, S_START)->first.time == TIME_UNKNOWN);
    assert_int_equal(hit_of(&evidence, S_START)->first.rank, -1);
    evidence_release(&evidence);
}

static void ranks_of_srun_and_names(void **state) {
    struct evidence evidence = read_text(*state, "srun.out",
                                         STR("0: launcher begins\n1: launcher begins\n0: a\n1: "
                                             "CUDA out of memory. Tried to allocate 1 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    evidence = read_text(*state, "node7/attempt_0/5/stderr.log",
                         STR("CUDA out of memory. Tried to allocate 1 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 5);
    assert_str(hit_of(&evidence, S_OOM)->first.host, "node7");
    evidence_release(&evidence);
}

static void kernel_lines(void **state) {
    struct evidence evidence = read_text(*state, "dmesg.txt",
                                         STR("[  100.000001] usb 1-1: new device\n[  200.500000] "
                                             "NVRM: Xid (PCI:0000:07:00): 79, pid=1\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_KERNEL);
    assert_int_equal(hit_of(&evidence, S_KERNEL)->first.line, 2);
    assert_int_equal(hit_of(&evidence, S_KERNEL)->first.time, 200500000000);
    evidence_release(&evidence);
    evidence = read_text(*state, "mixed.log",
                         STR("[INFO] hello\nNVRM: Xid (PCI:0000:07:00): 79, pid=1\n"));
    assert_int_equal(count_hits(&evidence, S_KERNEL), 1);
    evidence_release(&evidence);
}

static void pastes_keep_their_lines(void **state) {
    struct evidence evidence =
        read_text(*state, "paste.log",
                  STR("> Traceback (most recent call last):\n>   File \"/x/engine.py\", line 3,\n> "
                      "in forward\n"
                      "> RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 4);
    assert_int_equal(evidence.traces.v[0].n_frames, 1);
    assert_str(evidence.traces.v[0].frames[0].function, "forward");
    evidence_release(&evidence);
}

static void frames_need_no_line_of_their_own(void **state) {
    struct evidence evidence =
        read_text(*state, "notebook.log",
                  STR("RuntimeError                  Traceback (most recent call last)\n"
                      "Cell In[5], line 1\n----> 1 optimizer.step()\n\n"
                      "File ~/x/engine.py:276, in Engine.step(self, *args)\n"
                      "    274     return\n    275 \n--> 276 self.f()\n\n"
                      "RuntimeError: no gradients\n"));
    const struct hit *hit = hit_of(&evidence, S_FRAME);
    assert_int_equal(count_hits(&evidence, S_FRAME), 1);
    assert_int_equal(hit->first.line, 1);
    assert_true(hit->flags & HIT_IN_TRACEBACK);
    evidence_release(&evidence);
}

/* A call that would have told the end says nothing where a traceback only echoes it. */
static void code_tells_of_no_end(void **state) {
    struct evidence evidence =
        read_text(*state, "train.log",
                  STR("Traceback (most recent call last):\n"
                      "  File \"/x/train.py\", line 7, in main\n"
                      "    log(\"rank exits successfully\"); dist.barrier()\n"
                      "RuntimeError: Timed out waiting 8000ms for recv operation to complete\n"));
    assert_int_equal(count_hits(&evidence, S_DONE), 0);
    assert_int_equal(evidence.sources.v[0].done_first, 0);
    evidence_release(&evidence);
    evidence = read_text(*state, "train.log", STR("global_step=5\nrank exits successfully\n"));
    assert_int_equal(evidence.sources.v[0].done_first, 2);
    evidence_release(&evidence);
}

struct scanned {
    struct buf text;
};

static void keep_hit(void *ctx, const struct source *source, const struct hit *hit) {
    struct scanned *scanned = ctx;
    buf_printf(&scanned->text, STR_FMT ":%u:%d:%d\n", STR_ARG(source->path), hit->first.line,
               hit->first.rank, hit->signal);
}

static void scan_tells_every_hit(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "scan/r%02d.log", i);
        put(fixture, name, noisy_log(&text, (unsigned)i + 77, 4000));
    }
    const char *path = path_of(fixture, "scan");
    struct scanned first = {0};
    for (int threads = 1; threads <= 4; threads++) {
        struct scanned now = {0};
        struct evidence evidence = {0};
        struct input_options options = {.threads = threads,
                                        .hits_only = true,
                                        .on_hit = keep_hit,
                                        .ctx = threads == 1 ? &first : &now};
        assert_true(input_read(&evidence, &kb, fixture->matcher, &path, 1, &options));
        uint64_t counted = 0, told = 0;
        for (size_t i = 0; i < evidence.hits.n; i++) counted += evidence.hits.v[i].count;
        const struct buf *seen = threads == 1 ? &first.text : &now.text;
        for (size_t i = 0; i < seen->n; i++) told += seen->p[i] == '\n';
        assert_true(counted > 200);
        assert_int_equal(counted, told);
        if (threads > 1) assert_true(str_eq(buf_view(&first.text), buf_view(&now.text)));
        assert_int_equal(evidence.traces.n, 0);
        evidence_release(&evidence);
        buf_release(&now.text);
    }
    buf_release(&first.text);
    buf_release(&text);
}

static void progress_lines(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int64_t step; /* -2: no step line */
        double loss;  /* 0: none */
    } rows[] = {
        {" iteration      120/     500 | elapsed time per iteration (ms): 12.5 | lm loss: 9.5E+00 "
         "|",
         120, 9.5},
        {"{'loss': 1.25, 'learning_rate': 5e-05, 'epoch': 0.12}", -1, 1.25},
        {"step=3710, skipped=70, lr=[4.9e-06], mom=[(0.9, 0.95)]", 3710, 0},
        {"epoch=8/micro_step=30/global_step=3710, RunningAvgSamplesPerSec=171.7", 3710, 0},
        {"[Step 3/100] Loss: 5.25 | Global Tokens/s: 5870.84", 3, 5.25},
        {"[step=500/1000,epoch=0]", 500, 0},
        {"step:1288/3242 train_loss:3.5 train_time:516235ms", 1288, 3.5},
        {"Train:  17%|x| 406/2353 [12:48<56:51,  1.75s/it]", 406, 0},
        {"  2%|x  | 8/400 [00:02<01:00, 2.5it/s, loss=3.25]", 8, 3.25},
        {"Epoch 100 - train loss: 3.75, lr: 5e-05", 100, 3.75},
        {"Loading checkpoint shards:  33%|x | 1/3 [00:01<00:02, 1.0it/s]", -2, 0},
        {"Map:  8%|x| 3000/39531 [00:00<00:06, 5459.74 examples/s]", -2, 0},
        {"loading /ckpt/global_step160/mp_rank_00_model_states.pt", -2, 0},
        {"step 5 of the instructions", -2, 0},
        {"Evaluating iter 6/10", -2, 0},
        {"", -2, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct track track;
        bool read = track_read(str_of(rows[i].line), &track);
        if (read != (rows[i].step != -2)) fail_msg("'%s'", rows[i].line);
        if (!read) continue;
        if (track.step != rows[i].step)
            fail_msg("'%s': step %lld", rows[i].line, (long long)track.step);
        if (rows[i].loss > 0)
            assert_true(fabs(track.loss - rows[i].loss) < 1e-9);
        else
            assert_true(isnan(track.loss));
    }
}

static void text_in_memory(void **state) {
    struct fixture *fixture = *state;
    struct evidence evidence = {0};
    input_read_text(&evidence, &kb, fixture->matcher,
                    STR("[rank3]: RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"),
                    STR("paste"), NULL);
    assert_str(evidence.sources.v[0].path, "paste");
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 3);
    evidence_release(&evidence);
    input_read_text(&evidence, &kb, fixture->matcher, (struct str){0}, STR("paste"), NULL);
    assert_int_equal(evidence.sources.v[0].kind, KIND_EMPTY);
    evidence_release(&evidence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_log),
        TEST(a_needle_broken_by_colour),
        TEST(pieces_of_a_progress_bar),
        TEST(attempts_are_counted),
        TEST(attempts_without_a_banner),
        TEST(attempts_of_a_rank_that_died),
        TEST(attempts_behind_many_errors),
        TEST(attempts_before_the_first_step),
        TEST(attempts_between_bars),
        TEST(no_attempts),
        TEST(times_are_completed),
        TEST(ranks_of_srun_and_names),
        TEST(kernel_lines),
        TEST(pastes_keep_their_lines),
        TEST(frames_need_no_line_of_their_own),
        TEST(code_tells_of_no_end),
        TEST(scan_tells_every_hit),
        TEST(text_in_memory),
        TEST(progress_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
