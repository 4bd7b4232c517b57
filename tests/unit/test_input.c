/* Files, folders, streams and pastes to evidence; hostile ones too; the same for any number of
 * threads. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

#include "input/input.h"
#include "input/keep.h"

/* ---- a small knowledge base --------------------------------------------------------- */

enum { S_DONE, S_EXCEPTION, S_FRAME, S_KERNEL, S_OOM, S_START, S_STEP, S_WORDS, S_COUNT };

static struct str oom_needles[] = {STR("CUDA out of memory")}, oom_groups[] = {STR("asked")},
                  oom_sets[] = {STR("gpu.asked"), STR("$asked"), STR("gpu.short"), STR("yes")},
                  start_needles[] = {STR("launcher begins")},
                  step_needles[] = {STR("global_step=")},
                  done_needles[] = {STR("exits successfully")},
                  exception_needles[] = {STR("KeyError")}, frame_needles[] = {STR("engine.py")},
                  kernel_needles[] = {STR("NVRM: Xid")};

static struct signal signals[S_COUNT] = {
    [S_DONE] = {.id = STR("done"),
                .role = ROLE_DONE,
                .needles = done_needles,
                .n_needles = 1,
                .regex = STR("exits successfully"),
                .failure = -1},
    [S_EXCEPTION] = {.id = STR("exception"),
                     .in = IN_EXCEPTION,
                     .needles = exception_needles,
                     .n_needles = 1,
                     .regex = STR("KeyError: '[a-z]+'"),
                     .failure = -1},
    [S_FRAME] = {.id = STR("frame"),
                 .role = ROLE_CONTEXT,
                 .in = IN_FRAME,
                 .needles = frame_needles,
                 .n_needles = 1,
                 .regex = STR("engine\\.py\", line \\d+"),
                 .failure = -1},
    [S_KERNEL] = {.id = STR("kernel"),
                  .in = IN_KERNEL,
                  .needles = kernel_needles,
                  .n_needles = 1,
                  .regex = STR("NVRM: Xid \\(.{1,30}\\): \\d+"),
                  .failure = -1},
    [S_OOM] = {.id = STR("oom"),
               .needles = oom_needles,
               .n_needles = 1,
               .groups = oom_groups,
               .n_groups = 1,
               .regex = STR("CUDA out of memory\\. Tried to allocate (\\d+(?:\\.\\d+)? [KMG]iB)"),
               .sets = oom_sets,
               .n_sets = 2,
               .failure = -1},
    [S_START] = {.id = STR("start"),
                 .role = ROLE_START,
                 .needles = start_needles,
                 .n_needles = 1,
                 .regex = STR("launcher begins"),
                 .failure = -1},
    [S_STEP] = {.id = STR("step"),
                .role = ROLE_PROGRESS,
                .needles = step_needles,
                .n_needles = 1,
                .regex = STR("global_step=\\d+"),
                .failure = -1},
    [S_WORDS] = {.id = STR("words"),
                 .in = IN_WORDS,
                 .regex = STR("training (?:hangs|is stuck)"),
                 .failure = -1},
};
static const struct kb kb = {.signals = signals, .n_signals = S_COUNT};

struct fixture {
    struct arena arena;
    struct matcher *matcher;
    char folder[64];
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/faultline-input-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    fixture->matcher = matcher_new(&fixture->arena, &kb);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    char command[256];
    matcher_release(fixture->matcher);
    arena_release(&fixture->arena);
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", fixture->folder,
             fixture->folder);
    int status = system(command);
    free(fixture);
    return status;
}

/* ---- files -------------------------------------------------------------------------- */

static const char *path_of(struct fixture *fixture, const char *name) {
    return arena_printf(&fixture->arena, "%s/%s", fixture->folder, name).p;
}

static const char *put(struct fixture *fixture, const char *name, struct str text) {
    const char *path = path_of(fixture, name);
    for (char *slash = strchr((char *)path + strlen(fixture->folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.p ? text.p : "", 1, text.n, file), text.n);
    fclose(file);
    return path;
}

struct errors {
    int n;
    struct err last;
};

static void count_error(void *ctx, const struct err *err) {
    struct errors *errors = ctx;
    errors->n++;
    errors->last = *err;
}

static bool read_paths(struct fixture *fixture, struct evidence *evidence, const char *const *paths,
                       int n, int threads, struct errors *errors) {
    struct input_options options = {
        .threads = threads, .on_error = errors ? count_error : NULL, .ctx = errors};
    return input_read(evidence, &kb, fixture->matcher, paths, n, &options);
}

static struct evidence read_one(struct fixture *fixture, const char *path) {
    struct evidence evidence = {0};
    struct errors errors = {0};
    assert_true(read_paths(fixture, &evidence, &path, 1, 1, &errors));
    assert_int_equal(errors.n, 0);
    return evidence;
}

static struct evidence read_text(struct fixture *fixture, const char *name, struct str text) {
    return read_one(fixture, put(fixture, name, text));
}

static const struct hit *hit_of(const struct evidence *evidence, int signal) {
    for (size_t i = 0; i < evidence->hits.n; i++)
        if (evidence->hits.v[i].signal == signal) return &evidence->hits.v[i];
    fail_msg("no hit of %s", signals[signal].id.p);
    return NULL;
}

static int count_hits(const struct evidence *evidence, int signal) {
    int n = 0;
    for (size_t i = 0; i < evidence->hits.n; i++) n += evidence->hits.v[i].signal == signal;
    return n;
}

/* ---- what one log gives ------------------------------------------------------------- */

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
        "with weights built\n"};
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

static void words_are_told(void **state) {
    struct evidence evidence =
        read_text(*state, "complaint.txt",
                  STR("Hi, I start my job on two nodes.\nAfter the first epoch the training\nhangs "
                      "and nothing is printed any more.\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_WORDS);
    assert_int_equal(hit_of(&evidence, S_WORDS)->first.line, 2);
    assert_true(hit_of(&evidence, S_WORDS)->flags & HIT_WORDS);
    evidence_release(&evidence);
    evidence = read_text(*state, "complaint.txt",
                         STR("I start my job on two nodes with this script:\n#SBATCH --nodes=2\n"
                             "#SBATCH --gres=gpu:8\nAfter the first epoch the training\nhangs and "
                             "nothing is printed any more.\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_WORDS);
    evidence_release(&evidence);
    evidence =
        read_text(*state, "train.log",
                  STR("[2024-05-01 12:00:00,000] [INFO] a\n[2024-05-01 12:00:01,000] [INFO] b\n\n"
                      "I waited but my training is stuck here, can anyone help me?\n"));
    assert_int_equal(evidence.sources.v[0].kind, KIND_LOG);
    assert_int_equal(hit_of(&evidence, S_WORDS)->first.line, 4);
    evidence_release(&evidence);
    evidence = read_text(
        *state, "plain.log",
        STR("[INFO] waiting\n[INFO] the training hangs when the port is closed\n[INFO] c\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 0);
    evidence_release(&evidence);
}

/* Sentences that begin with the name of a severity are still somebody's words. */
static void words_of_errors_are_words(void **state) {
    struct evidence evidence = read_text(
        *state, "complaint.txt", STR("Error in a run with my model: none, but training hangs.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 0);
    evidence_release(&evidence);
    evidence = read_text(*state, "complaint.txt",
                         STR("Error in long runs with several nodes, as the training hangs.\n"));
    assert_int_equal(count_hits(&evidence, S_WORDS), 1);
    evidence_release(&evidence);
}

static void words_are_mended(void **state) {
    struct evidence evidence =
        read_text(*state, "complaint.txt",
                  STR("I see that \033[31mtraining\033[0m hangs\x07 with my model.\n"));
    assert_str(hit_of(&evidence, S_WORDS)->text, "I see that training hangs with my model.");
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

/* ---- other encodings and hostile files ---------------------------------------------- */

static struct str wide(struct arena *arena, struct str text, bool big) {
    char *out = arena_alloc(arena, 2 * text.n + 2);
    memcpy(out, big ? "\xFE\xFF" : "\xFF\xFE", 2);
    for (size_t i = 0; i < text.n; i++) out[2 + 2 * i + (big ? 1 : 0)] = text.p[i];
    return (struct str){out, 2 * text.n + 2};
}

static struct str repeated(struct arena *arena, struct str head, struct str body, size_t n,
                           struct str tail) {
    char *text = arena_alloc(arena, head.n + body.n * n + tail.n), *at = text;
    if (head.n) at = memcpy(at, head.p, head.n), at += head.n;
    for (size_t i = 0; i < n; i++) memcpy(at, body.p, body.n), at += body.n;
    if (tail.n) memcpy(at, tail.p, tail.n);
    return (struct str){text, head.n + body.n * n + tail.n};
}

static const struct str fault = STR("RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n");

static void utf16_and_line_ends(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct str small = repeated(&arena, STR("begin\r\n"), STR("step\r\n"), 5, fault);
    for (int big = 0; big < 2; big++) {
        struct evidence evidence = read_text(fixture, "wide.log", wide(&arena, small, big));
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 7);
        evidence_release(&evidence);
        struct str large =
            repeated(&arena, STR("begin\n"), STR("a step of the training\n"), 60000, fault);
        evidence = read_text(fixture, "wide-large.log", wide(&arena, large, big));
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 60002);
        evidence_release(&evidence);
    }
    struct evidence evidence = read_text(
        fixture, "mac.log",
        STR("begin\rstep\rRuntimeError: CUDA out of memory. Tried to allocate 2 GiB\rend\r"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    evidence_release(&evidence);
    struct str mac = repeated(&arena, STR("begin\r"), STR("a step of the training\r"), 60000,
                              STR("CUDA out of memory. Tried to allocate 2 GiB\r"));
    evidence = read_text(fixture, "mac-large.log", mac);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 60002);
    evidence_release(&evidence);
    evidence = read_text(fixture, "dos.log",
                         STR("begin\r\nKeyError: 'a'\r\nRuntimeError: CUDA out of memory. Tried to "
                             "allocate 2 GiB\r\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    assert_int_equal(evidence.traces.n, 2);
    evidence_release(&evidence);
    arena_release(&arena);
}

static void foreign_files_are_listed(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *name;
        struct str text;
        enum kind kind;
    } files[] = {
        {"empty.log", {0}, KIND_EMPTY},
        {"model.bin", STR("\x80\x02}q\x01CUDA out of memory. Tried to allocate 2 GiB"), KIND_OTHER},
        {"data.safetensors",
         STR("\x10\0\0\0\0\0\0\0{\"a\": CUDA out of memory. Tried to allocate 2 GiB}"), KIND_OTHER},
        {"x.png", STR("\x89PNG\r\n CUDA out of memory. Tried to allocate 2 GiB"), KIND_OTHER},
        {"train.py", STR("raise RuntimeError('CUDA out of memory. Tried to allocate 2 GiB')\n"),
         KIND_OTHER},
        {"kernel.c", STR("/* NVRM: Xid (PCI:0000:10:1c): 63, pid=1850, Row Remapper */\n"),
         KIND_OTHER},
        {"noise",
         STR("\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10 CUDA out of memory. Tried to allocate 2 "
             "GiB"),
         KIND_OTHER},
        {"zeros.log", STR("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), KIND_OTHER}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct evidence evidence = read_text(fixture, files[i].name, files[i].text);
        if (evidence.sources.v[0].kind != files[i].kind)
            fail_msg("%s is %s", files[i].name, kind_names[evidence.sources.v[0].kind]);
        assert_int_equal(evidence.hits.n, 0);
        evidence_release(&evidence);
    }
    struct evidence evidence =
        read_text(fixture, "nuls.log",
                  STR("begin of a log that lost a block\n\0\0\0\0\0\0\nRuntimeError: CUDA out of "
                      "memory. Tried to allocate 2 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    evidence_release(&evidence);
}

static void folders_and_links(void **state) {
    struct fixture *fixture = *state;
    put(fixture, "job/rank0.log", STR("launcher begins\n"));
    put(fixture, "job/sub/rank1.log", fault);
    put(fixture, "job/.git/HEAD", fault);
    assert_int_equal(symlink("..", path_of(fixture, "job/sub/loop")), 0);
    assert_int_equal(symlink("rank0.log", path_of(fixture, "job/latest.log")), 0);
    assert_int_equal(symlink("nowhere", path_of(fixture, "job/dangling")), 0);
    assert_int_equal(mkfifo(path_of(fixture, "job/pipe"), 0600),
                     0); /* inside a folder nobody waits for a writer */
    struct evidence evidence = read_one(fixture, path_of(fixture, "job"));
    assert_int_equal(evidence.sources.n, 2);
    assert_str(evidence.sources.v[0].path, "rank0.log");
    assert_str(evidence.sources.v[1].path, "sub/rank1.log");
    assert_int_equal(hit_of(&evidence, S_OOM)->first.source, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
}

static void unreadable_paths_are_told(void **state) {
    struct fixture *fixture = *state;
    const char *paths[] = {put(fixture, "good.log", fault), path_of(fixture, "absent.log"),
                           "/dev/null"};
    struct evidence evidence = {0};
    struct errors errors = {0};
    assert_false(read_paths(fixture, &evidence, paths, 3, 2, &errors));
    assert_int_equal(errors.n, 2);
    assert_int_equal(count_hits(&evidence, S_OOM), 1);
    evidence_release(&evidence);
    if (geteuid() == 0) return; /* root reads everything */
    const char *closed = put(fixture, "closed.log", fault);
    chmod(closed, 0);
    errors = (struct errors){0};
    assert_false(read_paths(fixture, &evidence, &closed, 1, 1, &errors));
    assert_int_equal(errors.n, 1);
    evidence_release(&evidence);
}

struct writer {
    const char *path;
    struct str text;
};

static void *write_pipe(void *arg) {
    struct writer *writer = arg;
    FILE *file = fopen(writer->path, "wb");
    if (!file) return NULL;
    for (size_t at = 0; at < writer->text.n;) { /* in pieces that end inside lines */
        size_t n = writer->text.n - at < 7777 ? writer->text.n - at : 7777;
        at += fwrite(writer->text.p + at, 1, n, file);
        fflush(file);
    }
    fclose(file);
    return NULL;
}

static void pipes_are_read(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    const char *path = path_of(fixture, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    struct str text =
        repeated(&arena, (struct str){0}, STR("an uneventful line of a log\n"), 100000, fault);
    struct writer writer = {path, text};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_pipe, &writer), 0);
    struct evidence evidence = read_one(fixture, path);
    pthread_join(thread, NULL);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 100001);
    assert_int_equal(evidence.sources.v[0].lines, 100001);
    assert_int_equal(evidence.sources.v[0].bytes, text.n);
    evidence_release(&evidence);
    arena_release(&arena);
}

static void one_endless_line(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct str text = repeated(&arena, STR("first\n"), STR("0123456789abcdef"), 600000,
                               STR(" CUDA out of memory. Tried to allocate 2 GiB\nlast line\n"));
    struct evidence evidence = read_text(fixture, "long.log", text);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 2);
    assert_true(hit_of(&evidence, S_OOM)->text.n <= LIMIT_TEXT);
    assert_int_equal(evidence.sources.v[0].lines, 3);
    assert_str(evidence.sources.v[0].last_line, "last line");
    evidence_release(&evidence);
    arena_release(&arena);
}

static void memory_is_bounded(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct str text =
        repeated(&arena, (struct str){0},
                 STR("[rank1]: RuntimeError: CUDA out of memory. Tried to allocate 2 GiB of 7\n"),
                 150000, fault);
    struct evidence evidence = read_text(fixture, "hits.log", text);
    assert_int_equal(count_hits(&evidence, S_OOM), 2);
    assert_int_equal(hit_of(&evidence, S_OOM)->count, 150000);
    assert_true(evidence.arena.used < 1024 * 1024);
    evidence_release(&evidence);
    arena_release(&arena);
    struct buf many = {0};
    for (int rank = 0; rank < 3000; rank++)
        buf_printf(&many, "[rank%d]: CUDA out of memory. Tried to allocate 2 GiB\n", rank);
    evidence = read_text(fixture, "ranks.log", buf_view(&many));
    assert_int_equal(count_hits(&evidence, S_OOM), LIMIT_HITS);
    uint32_t count = 0;
    for (size_t i = 0; i < evidence.hits.n; i++) count += evidence.hits.v[i].count;
    assert_int_equal(count, 3000);
    assert_int_equal(evidence.ranks.n, 3000);
    evidence_release(&evidence);
    buf_release(&many);
}

/* ---- the same whatever the threads -------------------------------------------------- */

static void describe(struct buf *out, const struct evidence *evidence) {
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        buf_printf(out, "S " STR_FMT " %d %llu %llu %d " STR_FMT "\n", STR_ARG(source->path),
                   source->kind, (unsigned long long)source->bytes,
                   (unsigned long long)source->lines, source->attempts, STR_ARG(source->last_line));
    }
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        buf_printf(out, "H %d %d:%u-%u %llu %d %d %lld %u %u %d " STR_FMT "\n", hit->signal,
                   hit->first.source, hit->first.line, hit->last.line,
                   (unsigned long long)hit->first.offset, hit->first.rank, hit->first.attempt,
                   (long long)hit->first.time, hit->count, hit->flags, hit->trace,
                   STR_ARG(hit->text));
    }
    for (size_t i = 0; i < evidence->traces.n; i++)
        buf_printf(out, "T %d:%u %u %d " STR_FMT "\n", evidence->traces.v[i].end.source,
                   evidence->traces.v[i].end.line, evidence->traces.v[i].count,
                   evidence->traces.v[i].n_frames, STR_ARG(evidence->traces.v[i].message));
    for (size_t i = 0; i < evidence->standouts.n; i++)
        buf_printf(out, "O %d:%u %d\n", evidence->standouts.v[i].origin.source,
                   evidence->standouts.v[i].origin.line, evidence->standouts.v[i].score);
    for (size_t i = 0; i < evidence->tracks.n; i++)
        buf_printf(out, "K %d:%u %lld\n", evidence->tracks.v[i].origin.source,
                   evidence->tracks.v[i].origin.line, (long long)evidence->tracks.v[i].step);
    for (size_t i = 0; i < evidence->facts.n; i++)
        buf_printf(out, "F " STR_FMT "=" STR_FMT "\n", STR_ARG(evidence->facts.v[i].key),
                   STR_ARG(evidence->facts.v[i].value));
}

static struct str noisy_log(struct buf *out, unsigned seed, int lines) {
    buf_clear(out);
    for (int i = 0; i < lines; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned kind = (seed >> 16) % 1000, rank = (seed >> 8) % 8;
        if (kind < 2)
            buf_printf(out,
                       "[rank%u]: RuntimeError: CUDA out of memory. Tried to allocate %u GiB\n",
                       rank, seed % 90);
        else if (kind < 4)
            buf_printf(out,
                       "[rank%u]: Traceback (most recent call last):\n[rank%u]:   File "
                       "\"/a/engine.py\", line %u, in f\n",
                       rank, rank, seed % 9);
        else if (kind < 6)
            buf_printf(out, "[2024-05-01 12:%02u:%02u,000] [ERROR] failed thing %u\n", seed % 60,
                       (seed >> 4) % 60, seed % 5);
        else if (kind < 8)
            buf_printf(out, "launcher begins\n");
        else if (kind < 30)
            buf_printf(out, "[rank%u]: global_step=%d, loss=%u.5\n", rank, i, seed % 7);
        else if (kind < 32)
            buf_printf(out, "Process %u exits successfully\n", seed % 100);
        else
            buf_printf(out,
                       "[rank%u]: an ordinary line of training number %d with some words in it\n",
                       rank, i);
    }
    return buf_view(out);
}

static void threads_do_not_matter(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0}, first = {0}, now = {0};
    put(fixture, "many/large.log",
        noisy_log(&text, 1, 250000)); /* beyond the size that several threads share */
    assert_true(text.n > 16 * 1024 * 1024);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/n%d/rank%d.log", i % 3, i);
        put(fixture, name, noisy_log(&text, (unsigned)i, 3000));
    }
    const char *whole[] = {path_of(fixture, "many")};
    for (int threads = 1; threads <= 5; threads++) {
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, whole, 1, threads, NULL));
        buf_clear(&now);
        describe(&now, &evidence);
        if (threads == 1) describe(&first, &evidence);
        assert_true(str_eq(buf_view(&first), buf_view(&now)));
        evidence_release(&evidence);
    }
    const char *forth[] = {path_of(fixture, "many/n0"), path_of(fixture, "many/n1")},
               *back[] = {forth[1], forth[0]};
    struct evidence a = {0}, b = {0};
    read_paths(fixture, &a, forth, 2, 2, NULL);
    read_paths(fixture, &b, back, 2, 3, NULL);
    buf_clear(&first);
    buf_clear(&now);
    describe(&first, &a);
    describe(&now, &b);
    assert_true(first.n > 100 && str_eq(buf_view(&first), buf_view(&now)));
    evidence_release(&a);
    evidence_release(&b);
    buf_release(&text);
    buf_release(&first);
    buf_release(&now);
}

struct looks {
    size_t hits, partial_hits, sources;
    bool shrank;
};

static void count_look(void *ctx, const struct evidence *merged, const struct evidence *partial) {
    struct looks *looks = ctx;
    looks->shrank |= merged->hits.n < looks->hits || merged->sources.n < looks->sources;
    looks->hits = merged->hits.n;
    looks->sources = merged->sources.n;
    if (partial && partial->hits.n > looks->partial_hits) looks->partial_hits = partial->hits.n;
}

/* What is known is shown while more is read, and changes nothing. */
static void one_can_look_while_reading(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0}, plain = {0}, looked = {0};
    put(fixture, "look/large.log", noisy_log(&text, 1, 250000));
    put(fixture, "look/small.log", noisy_log(&text, 2, 3000));
    const char *paths[] = {path_of(fixture, "look")};
    for (int threads = 1; threads <= 2; threads++) {
        struct evidence a = {0}, b = {0};
        struct looks looks = {0};
        struct input_options options = {.threads = threads, .on_look = count_look, .ctx = &looks};
        read_paths(fixture, &a, paths, 1, threads, NULL);
        assert_true(input_read(&b, &kb, fixture->matcher, paths, 1, &options));
        assert_int_equal(looks.sources, 2);
        assert_true(looks.hits > 0 && looks.partial_hits > 0);
        assert_false(looks.shrank);
        buf_clear(&plain);
        buf_clear(&looked);
        describe(&plain, &a);
        describe(&looked, &b);
        assert_true(str_eq(buf_view(&plain), buf_view(&looked)));
        evidence_release(&a);
        evidence_release(&b);
    }
    buf_release(&text);
    buf_release(&plain);
    buf_release(&looked);
}

/* Lines of a file that several threads read have the numbers and hits that a plain count gives. */
static void blocks_lose_nothing(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    unsigned expected[16], n = 0;
    for (unsigned line = 1; text.n < 20 * 1024 * 1024; line++) {
        bool hit = line % 40009 == 7 && n < COUNT_OF(expected);
        if (hit) expected[n++] = line;
        if (hit)
            buf_printf(&text, "[rank%u]: CUDA out of memory. Tried to allocate 2 GiB\n", n);
        else
            buf_printf(&text, "%.*s\n", (int)(line * 37 % 90),
                       "ordinary words of a long log file that never end and never mean a thing to "
                       "anyone at all x");
    }
    const char *path = put(fixture, "lines.log", buf_view(&text));
    for (int threads = 1; threads <= 4; threads += 3) {
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, &path, 1, threads, NULL));
        assert_int_equal(count_hits(&evidence, S_OOM), n);
        unsigned i = 0;
        for (size_t h = 0; h < evidence.hits.n; h++)
            if (evidence.hits.v[h].signal == S_OOM)
                assert_int_equal(evidence.hits.v[h].first.line, expected[i++]);
        evidence_release(&evidence);
    }
    buf_release(&text);
}

/* One fault, placed around the border of blocks and elsewhere, is found once, on its line. */
static void border_faults_are_found(void **state) {
    enum { SIZE = 3 << 20, BORDER = 1 << 20 };
    static const char fault_line[] = "[rank3]: CUDA out of memory. Tried to allocate 2 GiB\n";
    struct fixture *fixture = *state;
    char *text = malloc(SIZE);
    unsigned seed = 11;
    for (int i = 0; i < 40; i++) {
        seed = seed * 1103515245u + 12345u;
        size_t at =
            i < 28 ? BORDER * (1 + (size_t)i % 2) - 60 + 4 * (size_t)i : 200 + seed % (SIZE - 1000);
        unsigned line = 2;
        for (size_t k = 0; k < SIZE; k++) text[k] = k % 83 == 82 ? '\n' : 'a';
        text[at - 1] = '\n';
        memcpy(text + at, fault_line, sizeof fault_line - 1);
        text[SIZE - 1] = '\n';
        for (size_t k = 0; k + 1 < at; k++) line += text[k] == '\n';
        const char *path = put(fixture, "border.log", (struct str){text, SIZE});
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, &path, 1, 1 + i % 2, NULL));
        assert_int_equal(count_hits(&evidence, S_OOM), 1);
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, line);
        assert_int_equal(hit_of(&evidence, S_OOM)->count, 1);
        evidence_release(&evidence);
    }
    free(text);
}

/* ---- files that change meanwhile ---------------------------------------------------- */

struct meddler {
    const char *path;
    int done;   /* calls so far */
    off_t size; /* the file is made this long at the first; -1: it is removed */
    struct errors errors;
};

static void meddle(void *ctx, uint64_t done, uint64_t total) {
    struct meddler *meddler = ctx;
    (void)done, (void)total;
    if (meddler->done++) return;
    if (meddler->size < 0)
        assert_int_equal(unlink(meddler->path), 0);
    else
        assert_int_equal(truncate(meddler->path, meddler->size), 0);
}

static void meddler_error(void *ctx, const struct err *err) {
    count_error(&((struct meddler *)ctx)->errors, err);
}

/* What was read stays; a file that became shorter is told, one that grew or went is read as it was.
 */
static void files_change_meanwhile(void **state) {
    static const off_t sizes[] = {2 << 20, 40 << 20, -1};
    struct fixture *fixture = *state;
    struct buf text = {0};
    buf_str(&text, STR("[rank1]: CUDA out of memory. Tried to allocate 2 GiB\n"));
    while (text.n < 6 << 20) buf_str(&text, STR("an ordinary line of a log that is long enough\n"));
    buf_str(&text, STR("[rank2]: CUDA out of memory. Tried to allocate 2 GiB\n"));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct meddler meddler = {.path = put(fixture, "alive.log", buf_view(&text)),
                                  .size = sizes[i]};
        struct input_options options = {
            .threads = 1, .on_progress = meddle, .on_error = meddler_error, .ctx = &meddler};
        struct evidence evidence = {0};
        bool shorter = i == 0;
        assert_int_equal(input_read(&evidence, &kb, fixture->matcher, &meddler.path, 1, &options),
                         !shorter);
        assert_true(meddler.done > 1);
        assert_int_equal(meddler.errors.n, shorter);
        if (shorter) assert_non_null(strstr(meddler.errors.last.detail, "shorter"));
        assert_int_equal(count_hits(&evidence, S_OOM), shorter ? 1 : 2);
        assert_int_equal(evidence.sources.v[0].truncated, shorter);
        evidence_release(&evidence);
    }
    buf_release(&text);
}

/* ---- scan --------------------------------------------------------------------------- */

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

/* A line of spaces shrinks a thousandfold: the rest of such a file is not worth the time. */
static void bombs_end_early(void **state) {
    struct fixture *fixture = *state;
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s && (echo start; head -c 200000000 /dev/zero | tr '\\0' 'a') | gzip -9 > bomb.log.gz",
        fixture->folder);
    assert_int_equal(system(command), 0);
    const char *path = path_of(fixture, "bomb.log.gz");
    struct evidence evidence = {0};
    struct errors errors = {0};
    assert_false(read_paths(fixture, &evidence, &path, 1, 1, &errors));
    assert_int_equal(errors.n, 1);
    assert_true(evidence.sources.v[0].truncated);
    assert_true(evidence.sources.v[0].bytes < 150000000);
    evidence_release(&evidence);
}

static void packed_files(void **state) {
    struct fixture *fixture = *state;
    char command[512];
    put(fixture, "packed/logs/rank0.log", STR("launcher begins\n"));
    put(fixture, "packed/logs/rank1.log", fault);
    snprintf(command, sizeof command,
             "cd %s/packed && tar czf ../a.tar.gz logs && gzip -k logs/rank1.log && mv "
             "logs/rank1.log.gz ..",
             fixture->folder);
    assert_int_equal(system(command), 0);
    struct evidence evidence = read_one(fixture, path_of(fixture, "a.tar.gz"));
    assert_int_equal(evidence.sources.n, 2);
    assert_true(str_ends(evidence.sources.v[1].path, STR("a.tar.gz:logs/rank1.log")));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.source, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    evidence = read_one(fixture, path_of(fixture, "rank1.log.gz"));
    assert_int_equal(evidence.sources.n, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    snprintf(command, sizeof command, "cd %s && tar cf b.tar rank1.log.gz && cat a.tar.gz > c",
             fixture->folder);
    assert_int_equal(system(command), 0);
    evidence = read_one(fixture, path_of(fixture, "b.tar")); /* a compressed log in an archive */
    assert_true(str_ends(evidence.sources.v[0].path, STR("b.tar:rank1.log.gz")));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    struct errors errors = {0};
    const char *broken = put(fixture, "broken.gz", STR("\x1F\x8B\x08\x00garbage that is no gzip"));
    assert_false(read_paths(fixture, &evidence, &broken, 1, 1, &errors));
    assert_int_equal(errors.n, 1);
    evidence_release(&evidence);
}

/* A line without an end that is nothing but hits costs its reading: some of its windows are looked
 * at, its last one always. */
static void endless_line_is_bounded(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    while (text.n < 9 << 20) buf_str(&text, STR("global_step=77, and exits successfully; "));
    buf_str(&text, STR("CUDA out of memory. Tried to allocate 3.00 GiB. "));
    struct evidence evidence = read_text(fixture, "endless.log", buf_view(&text));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 1);
    assert_in_range(hit_of(&evidence, S_DONE)->count, 64, 300);
    assert_int_equal(evidence.sources.v[0].lines, 1);
    evidence_release(&evidence);
    buf_release(&text);
}

/* A packed log is taken apart by one thread at a time and scanned by all: whatever their number,
 * every fault is found, on its line. */
static void packed_log_by_threads(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    char command[256];
    uint32_t lines = 0, faults = 0, first = 0;
    while (text.n < 9 << 20) {
        bool is_bad = ++lines % 5000 == 77;
        if (is_bad && !faults++) first = lines;
        buf_printf(&text,
                   is_bad ? "CUDA out of memory. Tried to allocate %u.00 GiB\n"
                          : "[INFO] worker %u has read its share of the data for today\n",
                   lines % 60 + 1);
    }
    put(fixture, "rank0.log", buf_view(&text));
    snprintf(command, sizeof command, "cd %s && tar cf packed.tar rank0.log", fixture->folder);
    assert_int_equal(system(command), 0);
    const char *path = path_of(fixture, "packed.tar");
    for (int threads = 1; threads <= 3; threads++) {
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, &path, 1, threads, NULL));
        assert_int_equal(evidence.sources.v[0].bytes, text.n);
        assert_int_equal(evidence.sources.v[0].lines, lines);
        assert_int_equal(hit_of(&evidence, S_OOM)->count, faults);
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, first);
        evidence_release(&evidence);
    }
    buf_release(&text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_log),
        TEST(a_needle_broken_by_colour),
        TEST(pieces_of_a_progress_bar),
        TEST(attempts_are_counted),
        TEST(attempts_without_a_banner),
        TEST(no_attempts),
        TEST(times_are_completed),
        TEST(ranks_of_srun_and_names),
        TEST(kernel_lines),
        TEST(words_are_told),
        TEST(words_of_errors_are_words),
        TEST(words_are_mended),
        TEST(pastes_keep_their_lines),
        TEST(utf16_and_line_ends),
        TEST(foreign_files_are_listed),
        TEST(folders_and_links),
        TEST(unreadable_paths_are_told),
        TEST(pipes_are_read),
        TEST(one_endless_line),
        TEST(memory_is_bounded),
        TEST(threads_do_not_matter),
        TEST(one_can_look_while_reading),
        TEST(blocks_lose_nothing),
        TEST(border_faults_are_found),
        TEST(files_change_meanwhile),
        TEST(scan_tells_every_hit),
        TEST(text_in_memory),
        TEST(endless_line_is_bounded),
        TEST(packed_log_by_threads),
        cmocka_unit_test(progress_lines),
        TEST(packed_files),
        TEST(bombs_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
