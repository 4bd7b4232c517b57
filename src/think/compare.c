#include "think/compare.h"

#include "think/steps.h"

#include <math.h>
#include <stdlib.h>

enum {
    CLUE_WEIGHT = 20,     /* a clue of a cause in question looks at it */
    ONE_SIDED = 2,        /* less, where only one side sets it */
    PATCH_ONLY = 2,       /* less, where versions differ in their last number alone */
    SLOWER_PERCENT = 120, /* of the good run's step time, from here on a difference */
    TRACKS_LEAST = 3
};

/* ---- what kind of thing a fact is ----------------------------------------------------------- */

/* What differs between any two runs and tells nothing. */
static bool is_noise(struct str key) {
    static const char ends[][16] = {".uuid", ".serial", ".pid",  ".time", ".temperature", ".power",
                                    ".used", ".free",   ".util", ".load", ".exit",        ".bus"};
    static const char starts[][16] = {"answer.",        "now.",      "good.", "diff.",
                                      "log.",           "xid",       "hang.", "roster.",
                                      "stack.",         "hostfile.", "host.", "process",
                                      "job.checkpoint", "cmd.line",  "clock."};
    static const char names[][24] = {"env.PWD",          "env.OLDPWD",      "env.HOSTNAME",
                                     "env.SLURM_JOB_ID", "env.SLURM_JOBID", "env.SHLVL",
                                     "env.RANK",         "env.LOCAL_RANK",  "env.TMPDIR",
                                     "env.SSH_TTY",      "env.SSH_CLIENT",  "env.SSH_CONNECTION"};
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(key, str_of(ends[i]))) return true;
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (str_starts(key, str_of(starts[i]))) return true;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq(key, str_of(names[i]))) return true;
    return false;
}

static bool is_version(struct str key) {
    return str_ends(key, STR(".version"));
}

/* Of the stack a job stands on, the first number of each row matters most. */
static int kind_weight(struct str key) {
    static const struct {
        char start[24];
        int weight;
    } rows[] = {{"torch.version", 12},
                {"cuda.version", 12},
                {"nccl.", 11},
                {"driver.version", 11},
                {"deepspeed.version", 11},
                {"colossalai.version", 11},
                {"megatron", 10},
                {"transformers.version", 10},
                {"accelerate.version", 9},
                {"flash", 9},
                {"triton.version", 9},
                {"python.version", 9},
                {"nvcc.version", 8},
                {"gcc.version", 7},
                {"glibc.version", 7},
                {"ds.", 9},
                {"arg.", 9},
                {"cmd.", 7},
                {"config.", 8},
                {"accelerate.", 8},
                {"gpu.", 9},
                {"nodes.", 9},
                {"job.world_size", 10},
                {"env.NCCL_", 9},
                {"env.CUDA_", 8},
                {"env.TORCH", 8},
                {"env.PYTORCH", 8},
                {"env.LD_", 7},
                {"env.", 4},
                {"slurm.", 5},
                {"memory.", 6},
                {"disk.", 5},
                {"ulimit.", 6},
                {"os.", 6},
                {"probe.", 8},
                {"kernel.version", 6},
                {"ib.", 8}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_starts(key, str_of(rows[i].start))) return rows[i].weight;
    return is_version(key) ? 5 : 3;
}

/* A setting decides the more the nearer it is to sizes, sharding and number formats; where its runs
 * lie and what it prints decides nothing. */
static int setting_weight(struct str key, struct str good, struct str dead) {
    static const char near[][16] = {
        "parallel",   "batch",        "zero",      "stage",     "offload",   "fp16",
        "bf16",       "fp8",          "dtype",     "precision", "seq",       "hidden",
        "num_layers", "heads",        "world",     "nproc",     "nnodes",    "num_gpus",
        "expert",     "position_emb", "max_model", "attn",      "recompute", "checkpointing"};
    static const char far[][16] = {"experiment", "run_id", "run_name", "_name", "output",   "save",
                                   "log",        "wandb",  "tensorb",  "seed",  "interval", "dir",
                                   "iters",      "port",   "title",    "exit"};
    if (!str_starts(key, STR("arg.")) && !str_starts(key, STR("ds."))) return 0;
    bool paths = (!good.n || good.p[0] == '/') && (!dead.n || dead.p[0] == '/');
    for (size_t i = 0; i < COUNT_OF(far); i++)
        if (str_find_nocase(key, str_of(far[i]), 0) >= 0) return -4;
    if (paths) return -3;
    for (size_t i = 0; i < COUNT_OF(near); i++)
        if (str_find_nocase(key, str_of(near[i]), 0) >= 0) return 3;
    return 0;
}

/* "env.", "ds.", ".version": facts that come from one text, so that one of them missing means
 * something. */
static struct str family_of(struct str key) {
    if (is_version(key)) return STR(".version");
    ptrdiff_t dot = str_find(key, STR("."), 0);
    return dot > 0 ? str_sub(key, 0, (size_t)dot + 1) : key;
}

/* Whether what told the fact in the other run was there too, a list of packages for example, so
 * that it would have told this one. */
static bool would_tell(const struct evidence *evidence, const struct fact *fact) {
    struct str family = family_of(fact->key);
    for (size_t i = 0; i < evidence->facts.n; i++) {
        const struct fact *like = &evidence->facts.v[i];
        if (!is_noise(like->key) && str_eq(like->from, fact->from) &&
            str_eq(family_of(like->key), family))
            return true;
    }
    return false;
}

/* ---- facts side by side --------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b) {
    const struct fact *x = *(const struct fact *const *)a, *y = *(const struct fact *const *)b;
    int order = str_cmp(x->key, y->key);
    return order ? order : (x > y) - (x < y);
}

/* One row a key, the last that was read, in key order. */
static const struct fact **facts_by_key(const struct evidence *evidence, struct arena *arena,
                                        int *n) {
    const struct fact **rows = ARENA_ARRAY(arena, const struct fact *, evidence->facts.n + 1);
    int all = 0;
    *n = 0;
    for (size_t i = 0; i < evidence->facts.n; i++)
        if (!is_noise(evidence->facts.v[i].key)) rows[all++] = &evidence->facts.v[i];
    if (all) qsort(rows, (size_t)all, sizeof *rows, compare_keys);
    for (int i = 0; i < all; i++)
        if (i + 1 == all || !str_eq(rows[i]->key, rows[i + 1]->key)) rows[(*n)++] = rows[i];
    return rows;
}

/* The same number written another way, or a size that differs by less than a percent, is the same.
 */
static bool is_same(struct str a, struct str b) {
    double x, y;
    if (str_eq_nocase(a, b)) return true;
    if (!str_number(a, &x) || !str_number(b, &y)) return false;
    return x == y || (fabs(x) > 1000 && fabs(x - y) < 0.01 * fabs(x));
}

static bool is_patch_release(struct str a, struct str b) {
    struct str x = {0}, y = {0};
    for (int part = 0; part < 2; part++) {
        if (!str_split(&a, '.', &x) || !str_split(&b, '.', &y) || !str_eq(x, y)) return false;
    }
    return true;
}

static bool cond_looks(const struct cond *cond, struct str key) {
    for (int i = 0; i < cond->size; i++) {
        if (str_eq(cond[i].key, key)) return true;
        for (int v = 0; v < cond[i].n_values; v++)
            if ((cond[i].op == COND_DIFFERS || cond[i].op == COND_COVERS) &&
                str_eq(cond[i].values[v], key))
                return true;
    }
    return false;
}

/* The likeliest cause of the dead run with a clue that looks at the key. */
static int root_that_looks(const struct kb *kb, const struct diagnosis *diagnosis, struct str key) {
    for (int f = 0; f < diagnosis->n_findings; f++) {
        const struct finding *finding = &diagnosis->findings[f];
        if (finding->failure < 0) continue;
        const struct cause *cause = &kb->failures[finding->failure].causes[finding->cause];
        for (int i = 0; i < cause->n_clues; i++)
            if (cond_looks(cause->clues[i].cond, key)) return finding->root;
    }
    return -1;
}

struct side {
    const struct kb *kb;
    const struct evidence *good, *dead;
    const struct diagnosis *diagnosis;
    struct arena *arena;
    struct comparison *out;
};

static void add(struct side *side, struct str key, struct str good, struct str dead) {
    struct difference row = {.key = key, .good = good, .dead = dead};
    row.root = root_that_looks(side->kb, side->diagnosis, key);
    row.weight =
        kind_weight(key) + setting_weight(key, good, dead) + (row.root >= 0 ? CLUE_WEIGHT : 0);
    if (!good.n || !dead.n) row.weight -= ONE_SIDED;
    if (is_version(key) && is_patch_release(good, dead)) row.weight -= PATCH_ONLY;
    side->out->v[side->out->n++] = row;
}

static void add_facts(struct side *side) {
    int n_good, n_dead, g = 0, d = 0;
    const struct fact **good = facts_by_key(side->good, side->arena, &n_good);
    const struct fact **dead = facts_by_key(side->dead, side->arena, &n_dead);
    side->out->v = ARENA_ARRAY(side->arena, struct difference, n_good + n_dead + 2);
    while (g < n_good || d < n_dead) {
        int order = g == n_good ? 1 : d == n_dead ? -1 : str_cmp(good[g]->key, dead[d]->key);
        const struct fact *x = order <= 0 ? good[g++] : NULL, *y = order >= 0 ? dead[d++] : NULL;
        if (x && y && is_same(x->value, y->value))
            side->out->same++;
        else if (x && y)
            add(side, x->key, x->value, y->value);
        else if (x && would_tell(side->dead, x))
            add(side, x->key, x->value, (struct str){0});
        else if (y && would_tell(side->good, y))
            add(side, y->key, (struct str){0}, y->value);
    }
}

/* ---- the time of a step --------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n) {
    if (n < TRACKS_LEAST) return 0;
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return values[n / 2];
}

/* Seconds a step, as the lines tell or by their times; 0: nothing does. */
static double step_seconds(const struct evidence *evidence, struct arena *arena) {
    size_t n = evidence->tracks.n, end;
    double *values = ARENA_ARRAY(arena, double, n + 1), *pace = ARENA_ARRAY(arena, double, n + 1);
    int known = 0;
    for (size_t begin = 0; begin < n; begin = end) {
        const struct track *tracks = &evidence->tracks.v[begin];
        bool told;
        for (end = begin + 1; end < n; end++)
            if (evidence->tracks.v[end].origin.source != tracks->origin.source ||
                evidence->tracks.v[end].origin.attempt != tracks->origin.attempt)
                break;
        steps_pace(tracks, (int)(end - begin), pace, &told);
        for (size_t i = 0; told && i < end - begin; i++)
            if (isfinite(pace[i]) && pace[i] > 0) values[known++] = pace[i];
    }
    return median(values, known);
}

static double printed_rate(const struct evidence *evidence, struct arena *arena) {
    double *values = ARENA_ARRAY(arena, double, evidence->tracks.n + 1);
    int n = 0;
    for (size_t i = 0; i < evidence->tracks.n; i++)
        if (evidence->tracks.v[i].rate > 0) values[n++] = evidence->tracks.v[i].rate;
    return median(values, n);
}

static void add_speed(struct side *side, const char *key, const char *format, double good,
                      double dead) {
    double ratio = good > 0 && dead > 0 ? (good > dead ? good / dead : dead / good) : 0;
    if (ratio * 100 < SLOWER_PERCENT) return;
    struct difference row = {.key = str_of(key), .root = -1, .weight = 9};
    row.good = arena_printf(side->arena, format, good);
    row.dead = arena_printf(side->arena, format, dead);
    side->out->v[side->out->n++] = row;
}

static int compare_differences(const void *a, const void *b) {
    const struct difference *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return str_cmp(x->key, y->key);
}

struct comparison *compare_runs(const struct kb *kb, const struct evidence *good,
                                const struct evidence *dead, const struct diagnosis *diagnosis,
                                struct arena *arena) {
    struct comparison *out = ARENA_NEW(arena, struct comparison);
    struct side side = {kb, good, dead, diagnosis, arena, out};
    add_facts(&side);
    double seconds = step_seconds(good, arena);
    add_speed(&side, "step.seconds", "%.3g", seconds, step_seconds(dead, arena));
    if (!(seconds > 0))
        add_speed(&side, "step.rate", "%.4g", printed_rate(good, arena), printed_rate(dead, arena));
    if (out->n) qsort(out->v, (size_t)out->n, sizeof *out->v, compare_differences);
    return out;
}

/* ---- the differences as clues --------------------------------------------------------------- */

static void tell(struct evidence *dead, struct str key, struct str value) {
    struct fact fact = {.key = key,
                        .value = value,
                        .from = STR("comparison"),
                        .time = TIME_UNKNOWN,
                        .origin = ORIGIN_NONE};
    evidence_add_fact(dead, &fact);
}

void compare_tell(struct evidence *dead, const struct evidence *good,
                  const struct comparison *comparison) {
    struct arena arena = {0};
    int n;
    const struct fact **facts = facts_by_key(good, &arena, &n);
    for (int i = 0; i < n; i++)
        tell(dead, arena_printf(&arena, "good." STR_FMT, STR_ARG(facts[i]->key)), facts[i]->value);
    for (int i = 0; i < comparison->n; i++) {
        const struct difference *row = &comparison->v[i];
        tell(dead, arena_printf(&arena, "diff." STR_FMT, STR_ARG(row->key)),
             arena_printf(&arena, STR_FMT " -> " STR_FMT,
                          STR_ARG(row->good.n ? row->good : STR("(not set)")),
                          STR_ARG(row->dead.n ? row->dead : STR("(not set)"))));
    }
    tell(dead, STR("diff.count"), arena_printf(&arena, "%d", comparison->n));
    arena_release(&arena);
}
