#include "app/command.h"

#include "report/report.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- the table of commands ------------------------------------------------------------------ */

const struct command commands[] = {
    {"diagnose", "[PATH...]", "say why a job failed and how to fix it",
     "PATH is a file, a folder, a FIFO, or - for standard input (the default).", command_diagnose},
    {"scan", "[PATH...]", "print every line that says something, like a grep that knows",
     "Prints FILE:LINE:RANK:SIGNAL:TEXT for every hit; with --count how often each signal hits "
     "each file.",
     command_scan},
    {"walk", "[PATH...]", "go through the decision tree in a plain terminal",
     "Asks the question that separates the remaining causes best for its cost, until one leads; "
     "without a path it begins with what you see. Type the number of a choice, ? to skip, b to go "
     "back, q to end. --answer ID=CHOICE and --answers FILE answer beforehand.",
     command_walk},
    {"probe", "[ID]", "tell this machine's facts: GPUs, software, settings, limits, network",
     "Asks everything side by side within five seconds, without root, and changes nothing; --net "
     "also tries the model hub, package index and proxy of the environment. ID runs one probe.",
     command_probe},
    {"ask", "[PATH...]", "what to run on a machine that you cannot reach",
     "Prints one block of read-only shell commands that tell what the diagnosis still wants to "
     "know, and its open questions. What comes back is put whole into a file of the job's folder, "
     "or pasted, and read as facts and answers.",
     command_ask},
    {"diff", "GOOD DEAD", "a run that worked beside one that did not, or two nodes",
     "Versions, environment, configuration, nodes and step time of both, what matters most first; "
     "then DEAD's diagnosis with what differs as clues. GOOD and DEAD are what diagnose takes, or "
     "what 'faultline probe -f json' printed on two nodes. Ends with 1 where they differ.",
     command_diff},
    {"preflight", "[PATH...] [-- COMMAND...]", "check a job before its launch",
     "Reads the configurations, the launch command behind --, what both name, and this machine, "
     "and "
     "tells what would fail, where, and the fix. Exit status 1 where an error was found.",
     command_preflight},
    {"watch", "PATH...", "follow a running job and tell when it fails, stalls or ends",
     "Reads what is new in logs and folders, new rank files too, and tells each new failure, "
     "silent ones as a warning, a job without a step for five times as long as usual, and the end. "
     "The "
     "hook is a shell command; it finds what is told in FAULTLINE_EVENT, _TEXT, _SYMPTOM, _CAUSE, "
     "_FILE, _LINE, _RANK, _LOG and _PATH. Ends with diagnose's status, or 5 where the job stands "
     "still.",
     command_watch},
    {"explain", "ID", "what a code of the taxonomy or an entry of the knowledge base means",
     "ID is a stage (4), symptom (4.2), root cause (R4.5), fix pattern (P5), failure, signal or "
     "question; "
     "anything else is searched for.",
     command_explain},
    {"kb", "list|show|check|build|stats|map|report|harvest|score [ARG]",
     "look into the knowledge base, check and extend it",
     "list: all entries (--regex: every signal's expression). show ID: an entry whole. check DIR: "
     "what is wrong with "
     "a tree of YAML. build DIR -o FILE: an image for --kb. stats [DIR]: how much it "
     "knows, and how many of its questions the cases of a folder ask. map: symptom by cause by "
     "fix, the study's figures beside these. report DIR: coverage, the study's issues, what no "
     "case "
     "exercises. harvest TREE: the messages of a source tree and the signals that cover them. "
     "score DIR: the figures on a folder of labelled cases.",
     command_kb},
    {"timeline", "[PATH...]", "draw the job: who wrote when, where it broke, what followed",
     "A row a rank, or one for all ranks that behave alike; time from left to right, or the order "
     "of lines where the logs tell no time.",
     command_timeline},
};
const int n_commands = COUNT_OF(commands);

/* bits in the order of the table */
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
    TIMELINE = 1024,
    SCREEN = 2048,
    ALL = ~0
};

/* ---- the table of options ----------------------------------------------------------------------
 */

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
    {'f', "format", "FORMAT", "text, json, markdown or html; explain --tree: text, dot or json",
     DIAGNOSE | PROBE | PREFLIGHT | DIFF | EXPLAIN | KB | TIMELINE, set_format},
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
    {0, "tree", NULL, "explain: the questions that an entry or symptom leads to, answer by answer",
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
    {0, "net", NULL, "probe: also try what the job downloads from", PROBE, set_net},
    {0, "hostfile", "FILE", "hosts of the job; probe: try ssh to each", PROBE, set_hostfile},
    {0, "hook", "COMMAND", "watch: what a shell runs for each thing told", WATCH, set_hook},
    {0, "interval", "S", "watch: seconds between two looks; 2 by default", WATCH, set_interval},
    {0, "stall", "S", "watch: seconds without a step that count as standing still", WATCH,
     set_stall},
    {0, "until-end", NULL, "watch: end when the job has ended or stands still", WATCH,
     set_until_end},
    {'v', "verbose", NULL, "all causes and clues with their weights; probe: what is run",
     DIAGNOSE | WALK | PROBE | DIFF | EXPLAIN | KB, set_verbose},
    {0, "kb", "FILE", "add an image, or a folder of them, to the knowledge; may be repeated",
     (unsigned)ALL, set_kb},
    {'j', "threads", "N", "number of threads; the machine's by default", (unsigned)ALL,
     set_threads},
    {0, "color", "WHEN", "auto, always or never (NO_COLOR counts as never)", (unsigned)ALL,
     set_color},
    {'h', "help", NULL, "show help and end", (unsigned)ALL, set_help},
    {'V', "version", NULL, "show the version and end", (unsigned)ALL, set_version},
};
const int n_option_rows = COUNT_OF(option_rows);

/* ---- help ---------------------------------------------------------------------------------------
 */

static void print_option(FILE *out, const struct option *option) {
    char name[64];
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->argument ? "=" : "",
             option->argument ? option->argument : "");
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    fprintf(out, "  %s%-22s %s\n", letter, name, option->about);
}

static void print_options(FILE *out, unsigned which, bool general) {
    for (int i = 0; i < n_option_rows; i++) {
        bool everywhere = option_rows[i].commands == (unsigned)ALL;
        if (everywhere == general && (option_rows[i].commands & which))
            print_option(out, &option_rows[i]);
    }
}

static void print_help(FILE *out) {
    fprintf(out, "faultline tells why a distributed deep-learning job failed and how to fix it.\n\n"
                 "  faultline [PATH...]          on a terminal: the screen, on these inputs\n");
    for (int i = 0; i < n_commands; i++) {
        char call[64];
        snprintf(call, sizeof call, "faultline %s %s", commands[i].name, commands[i].usage);
        if (strlen(call) > 28) snprintf(call, sizeof call, "faultline %s ...", commands[i].name);
        fprintf(out, "  %-28s %s\n", call, commands[i].about);
    }
    fprintf(out, "\n");
    print_options(out, ~0u, true);
    fprintf(out, "\nfaultline COMMAND --help tells more.  Everything works offline.\n");
}

static void print_command_help(FILE *out, const struct command *command) {
    fprintf(out, "usage: faultline %s [OPTION...] %s\n\n%s: %s.\n%s\n\n", command->name,
            command->usage, command->name, command->about, command->detail);
    print_options(out, 1u << (command - commands), false);
    print_options(out, 1u << (command - commands), true);
}

/* ---- parsing
 * -------------------------------------------------------------------------------------- */

int command_error(struct command_context *ctx, const struct err *err, int status) {
    fprintf(ctx->err, "faultline: ");
    command_print(ctx->err, str_of(err->what));
    if (err->detail[0]) {
        fprintf(ctx->err, ": ");
        command_print(ctx->err, str_of(err->detail));
    }
    fprintf(ctx->err, "\n");
    if (err->hint[0]) {
        fprintf(ctx->err, "           ");
        command_print(ctx->err, str_of(err->hint));
        fprintf(ctx->err, "\n");
    }
    return status;
}

void command_print(FILE *to, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        fputc(c < 0x20 || c == 0x7f ? '?' : c, to);
    }
}

static int usage_error(struct command_context *ctx, const char *what, const char *detail) {
    struct err err;
    char hint[128];
    snprintf(hint, sizeof hint, "faultline %s%s--help", ctx->command ? ctx->command->name : "",
             ctx->command ? " " : "");
    err_set(&err, detail, hint, "%s", what);
    return command_error(ctx, &err, STATUS_USAGE);
}

static const struct option *option_find(const char *name, size_t n, char letter) {
    for (int i = 0; i < n_option_rows; i++) {
        if (letter && option_rows[i].letter == letter) return &option_rows[i];
        if (!letter && strlen(option_rows[i].name) == n &&
            memcmp(option_rows[i].name, name, n) == 0)
            return &option_rows[i];
    }
    return NULL;
}

static bool option_fits(const struct command_context *ctx, const struct option *option) {
    unsigned bit = ctx->command ? 1u << (ctx->command - commands) : SCREEN;
    return option->commands & bit;
}

/* Takes one option from argv[i]; returns how many arguments it used, 0 after an error was told. */
static int option_take(struct command_context *ctx, int argc, char **argv, int i) {
    const char *text = argv[i];
    bool is_long = text[1] == '-';
    const char *equals = is_long ? strchr(text, '=') : NULL;
    size_t n = is_long ? (equals ? (size_t)(equals - text) - 2 : strlen(text) - 2) : 1;
    const struct option *option = option_find(text + 2, n, is_long ? 0 : text[1]);
    if (!option || !option_fits(ctx, option))
        return usage_error(ctx, "no such option here", text), 0;
    const char *argument = equals ? equals + 1 : NULL;
    if (!is_long && text[2]) argument = text + 2;
    int used = 1;
    if (option->argument && !argument) {
        if (i + 1 >= argc) return usage_error(ctx, "an argument is missing after", text), 0;
        argument = argv[i + 1];
        used = 2;
    } else if (!option->argument && argument)
        return usage_error(ctx, "this option takes no argument", text), 0;
    if (!option->set(&ctx->options, argument))
        return usage_error(ctx, "the argument does not fit", text), 0;
    return used;
}

static bool wants_colour(const struct command_context *ctx) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (ctx->options.color) return ctx->options.color > 0;
    return ctx->terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static void context_measure(struct command_context *ctx) {
    struct winsize size;
    ctx->terminal = isatty(fileno(ctx->out));
    ctx->width = 80;
    if (ctx->terminal && ioctl(fileno(ctx->out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        ctx->width = size.ws_col < 120 ? size.ws_col : 120;
}

/* How many letters have to be changed, added or left out to make one word the other; at most 9. */
static int word_distance(const char *a, const char *b) {
    int row[16], n = (int)strlen(b);
    if (n >= (int)COUNT_OF(row) || strlen(a) >= COUNT_OF(row)) return 9;
    for (int i = 0; i <= n; i++) row[i] = i;
    for (int at = 1; *a; a++, at++) {
        int left = at, corner = at - 1;
        for (int i = 1; i <= n; i++) {
            int best = corner + (*a != b[i - 1]);
            if (row[i] + 1 < best) best = row[i] + 1;
            if (left + 1 < best) best = left + 1;
            corner = row[i];
            row[i - 1] = left;
            left = best;
        }
        row[n] = left;
    }
    return row[n];
}

/* A first word that names no file and nearly a command: its status after telling, -1 when it is
 * none. */
static int tell_misspelt(struct command_context *ctx, const char *word) {
    struct err err;
    char hint[64];
    int near = (int)strlen(word) / 3;
    if (access(word, F_OK) == 0) return -1;
    for (int i = 0; i < n_commands; i++) {
        if (word_distance(word, commands[i].name) > near) continue;
        snprintf(hint, sizeof hint, "did you mean 'faultline %s'?", commands[i].name);
        err_set(&err, "there is no such command, file or folder", hint, "cannot open '%s'", word);
        return command_error(ctx, &err, STATUS_USAGE);
    }
    return -1;
}

int command_main(int argc, char **argv,
                 int (*screen)(struct command_context *ctx, int n_paths, char **paths)) {
    struct command_context ctx = {.out = stdout, .err = stderr};
    char **args = calloc((size_t)argc + 1, sizeof *args);
    if (!args) base_out_of_memory();
    int n = 0, status = -1, first = 1;
    context_measure(&ctx);
    for (int c = 0; argc > 1 && c < n_commands; c++)
        if (strcmp(argv[1], commands[c].name) == 0) ctx.command = &commands[c], first = 2;
    bool only_paths = false;
    for (int i = first; i < argc && status < 0;) {
        if (!only_paths && strcmp(argv[i], "--") == 0)
            only_paths = true, ctx.n_paths = n, i++;
        else if (only_paths || argv[i][0] != '-' || !argv[i][1])
            args[n++] = argv[i++];
        else {
            int used = option_take(&ctx, argc, argv, i);
            if (!used) status = STATUS_USAGE;
            i += used;
        }
    }
    if (!only_paths) ctx.n_paths = n;
    ctx.options.session.overlays = ctx.options.kb;
    ctx.options.color = wants_colour(&ctx) ? 1 : -1;
    if (status < 0 && ctx.options.version)
        status = (printf("faultline %s\n", FAULTLINE_VERSION), STATUS_OK);
    if (status < 0 && ctx.options.help) {
        ctx.command ? print_command_help(ctx.out, ctx.command) : print_help(ctx.out);
        status = STATUS_OK;
    }
    if (status < 0 && !ctx.command && n) status = tell_misspelt(&ctx, args[0]);
    if (status < 0 && !ctx.command && !screen)
        status = usage_error(&ctx, "there is no terminal for the screen here",
                             "faultline diagnose PATH works without one");
    if (status < 0) status = ctx.command ? ctx.command->run(&ctx, n, args) : screen(&ctx, n, args);
    free(args);
    if (fflush(stdout) != 0 && status == STATUS_OK) status = STATUS_UNREADABLE;
    return status;
}
