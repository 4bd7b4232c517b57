/* The table of options: which commands take each, and what it sets. */
#include "app/command.h"

/* bits in the order of the table of commands */
enum {
    DIAGNOSE = 1,
    SCAN = 2,
    WALK = 4,
    PROBE = 8,
    ASK = 16,
    DIFF = 32,
    PREFLIGHT = 64,
    WATCH = 128,
    EXPLAIN = 256,
    KB = 512,
    TIMELINE = 1024
};

static bool set_format(struct options *o, const char *a) {
    o->format = a;
    return true;
}
static bool set_kb(struct options *o, const char *a) {
    if (o->session.n_overlays >= (int)COUNT_OF(o->kb)) return false;
    o->kb[o->session.n_overlays++] = a;
    return true;
}
static bool set_threads(struct options *o, const char *a) {
    int64_t n;
    if (!str_int(str_of(a), &n) || n < 1 || n > 1024) return false;
    o->session.threads = (int)n;
    return true;
}
static bool set_attempt(struct options *o, const char *a) {
    int64_t n;
    if (strcmp(a, "all") == 0)
        n = -1;
    else if (!str_int(str_of(a), &n) || n < 1 || n > 1000000)
        return false;
    o->session.think.attempt = (int)n;
    return true;
}
static bool set_color(struct options *o, const char *a) {
    if (strcmp(a, "never") == 0)
        o->color = -1;
    else if (strcmp(a, "always") == 0)
        o->color = 1;
    else if (strcmp(a, "auto") == 0)
        o->color = 0;
    else
        return false;
    return true;
}
static bool set_answer(struct options *o, const char *a) {
    if (!strchr(a, '=') || o->n_answers >= (int)COUNT_OF(o->answers)) return false;
    o->answers[o->n_answers++] = a;
    return true;
}
static bool set_answers(struct options *o, const char *a) {
    o->answers_file = a;
    return true;
}
static bool set_why_not(struct options *o, const char *a) {
    o->session.think.why_not = str_of(a);
    return *a != 0;
}
static bool set_output(struct options *o, const char *a) {
    o->output = a;
    return true;
}
static bool set_stage(struct options *o, const char *a) {
    o->stage = a;
    return true;
}
static bool set_verbose(struct options *o, const char *a) {
    (void)a;
    return o->verbose = true;
}
static bool set_count(struct options *o, const char *a) {
    (void)a;
    return o->count = true;
}
static bool set_regex(struct options *o, const char *a) {
    (void)a;
    return o->regex = true;
}
static bool set_tree(struct options *o, const char *a) {
    (void)a;
    return o->tree = true;
}
static bool set_misses(struct options *o, const char *a) {
    (void)a;
    return o->misses = true;
}
static bool set_probe(struct options *o, const char *a) {
    (void)a;
    return o->probe = true;
}
static bool set_here(struct options *o, const char *a) {
    (void)a;
    return o->probe = o->here = true;
}
static bool set_net(struct options *o, const char *a) {
    (void)a;
    return o->net = true;
}
static bool set_hostfile(struct options *o, const char *a) {
    o->hostfile = a;
    return true;
}
static bool set_ds_config(struct options *o, const char *a) {
    o->ds_config = a;
    return true;
}
static bool set_accelerate(struct options *o, const char *a) {
    o->accelerate = a;
    return true;
}
static bool set_slurm(struct options *o, const char *a) {
    o->slurm = a;
    return true;
}
static bool set_no_probe(struct options *o, const char *a) {
    (void)a;
    return o->no_probe = true;
}
static bool set_seconds(double *seconds, const char *a) {
    return str_number(str_of(a), seconds) && *seconds >= 0.05 && *seconds <= 1e6;
}
static bool set_interval(struct options *o, const char *a) {
    return set_seconds(&o->interval, a);
}
static bool set_stall(struct options *o, const char *a) {
    return set_seconds(&o->stall, a);
}
static bool set_hook(struct options *o, const char *a) {
    o->hook = a;
    return *a != 0;
}
static bool set_until_end(struct options *o, const char *a) {
    (void)a;
    return o->until_end = true;
}
static bool set_help(struct options *o, const char *a) {
    (void)a;
    return o->help = true;
}
static bool set_version(struct options *o, const char *a) {
    (void)a;
    return o->version = true;
}

const struct option option_rows[] = {
    {'f', "format", "FORMAT", "text, json, markdown or html", DIAGNOSE, set_format},
    {'f', "format", "FORMAT", "text or json", PROBE | PREFLIGHT | DIFF | KB | TIMELINE, set_format},
    {'f', "format", "FORMAT", "text; of a tree (--tree) also dot (Graphviz) or json", EXPLAIN,
     set_format},
    {0, "attempt", "N|all", "which of several appended attempts; the last by default",
     DIAGNOSE | WALK | ASK | TIMELINE, set_attempt},
    {0, "answer", "ID=CHOICE", "answer a question beforehand; may be repeated",
     DIAGNOSE | WALK | ASK, set_answer},
    {0, "answers", "FILE", "answers beforehand, one ID=CHOICE a line; # begins a comment",
     DIAGNOSE | WALK | ASK, set_answers},
    {0, "why-not", "CAUSE", "why a root cause (R4.2) ranks where it does, and what would raise it",
     DIAGNOSE | WALK, set_why_not},
    {'c', "count", NULL, "only how often each signal hits each file", SCAN, set_count},
    {0, "regex", NULL, "kb list: every signal's expression, one a line", KB, set_regex},
    {0, "tree", NULL, "the questions that an entry, symptom or stage leads to, answer by answer",
     EXPLAIN, set_tree},
    {'o', "output", "FILE", "kb build: where the image goes", KB, set_output},
    {0, "stage", "N", "kb map: only this stage", KB, set_stage},
    {0, "misses", NULL, "kb score: name the cases that are wrong", KB, set_misses},
    {0, "probe", NULL, "also ask this machine, if the job ran on it", DIAGNOSE | WALK, set_probe},
    {0, "here", NULL, "as --probe, and the job did run on this machine", DIAGNOSE | WALK, set_here},
    {0, "net", NULL, "also try what the job downloads from", PROBE | PREFLIGHT, set_net},
    {0, "hostfile", "FILE", "hosts of the job; ssh to each is tried", PROBE | PREFLIGHT,
     set_hostfile},
    {0, "ds-config", "FILE", "DeepSpeed's configuration", PREFLIGHT, set_ds_config},
    {0, "accelerate", "FILE", "accelerate's configuration", PREFLIGHT, set_accelerate},
    {0, "slurm", "FILE", "the batch script", PREFLIGHT, set_slurm},
    {0, "no-probe", NULL, "leave this machine out", PREFLIGHT, set_no_probe},
    {0, "hook", "COMMAND", "what a shell runs for each thing told", WATCH, set_hook},
    {0, "interval", "S", "seconds between two looks; 2 by default", WATCH, set_interval},
    {0, "stall", "S", "seconds without a step that count as standing still", WATCH, set_stall},
    {0, "until-end", NULL, "end when the job has ended or stands still", WATCH, set_until_end},
    {'v', "verbose", NULL, "all causes and clues with their weights", DIAGNOSE | WALK | DIFF,
     set_verbose},
    {'v', "verbose", NULL, "also what is run or read, for how long at most, and what for", PROBE,
     set_verbose},
    {'v', "verbose", NULL, "kb report: name what no case exercises", KB, set_verbose},
    {0, "kb", "FILE", "add an image, or a folder of them, to the knowledge; may be repeated",
     OPTION_EVERYWHERE, set_kb},
    {'j', "threads", "N", "number of threads, 1 to 1024; the machine's by default",
     OPTION_EVERYWHERE, set_threads},
    {0, "color", "WHEN", "auto, always or never (NO_COLOR counts as never)", OPTION_EVERYWHERE,
     set_color},
    {'h', "help", NULL, "show help and end", OPTION_EVERYWHERE, set_help},
    {'V', "version", NULL, "show the version and end", OPTION_EVERYWHERE, set_version},
};
const int n_option_rows = COUNT_OF(option_rows);
