/* faultline preflight: what would fail, before the launch. */
#include "app/command.h"

#include "base/file.h"
#include "facts/plan.h"
#include "facts/readers.h"
#include "report/preflight.h"
#include "world/probe.h"

#include <unistd.h>

enum { HOSTS = 32, PATHS = 200 };

/* One planned job: the evidence of its files, its command and this machine. */
struct flight {
    struct command_context *ctx;
    struct session *session;
    struct arena arena;
    struct evidence evidence;
    bool all_read;
};

/* ---- what is read ----------------------------------------------------------------------- */

static struct origin new_source(struct flight *flight, struct str path, enum kind kind) {
    struct evidence *evidence = &flight->evidence;
    struct source source = {.path = arena_str(&evidence->arena, path),
                            .kind = kind,
                            .rank = -1,
                            .attempts = 1,
                            .first_time = TIME_UNKNOWN,
                            .last_time = TIME_UNKNOWN};
    vec_push(&evidence->arena, &evidence->sources, source);
    return (struct origin){
        .source = (int)evidence->sources.n - 1, .line = 1, .rank = -1, .time = TIME_UNKNOWN};
}

/* A file that the user says what it is; unlike in a job's folder its content is not asked. */
static void read_as(struct flight *flight, const char *path, const struct fact_reader *reader) {
    struct buf text = {.limit = LIMIT_DOCUMENT};
    struct err err;
    if (file_read(path, &text, &err) || text.full) {
        struct origin origin = new_source(flight, str_of(path), reader->kind);
        reader->read(&flight->evidence, arena_str(&flight->arena, buf_view(&text)), &origin);
    } else {
        command_error(flight->ctx, &err, 0);
        flight->all_read = false;
    }
    buf_release(&text);
}

/* The words behind "--" as a shell would need them, so that they are read as a command line. */
static void read_command(struct flight *flight, int n, char **words) {
    struct buf line = {0};
    if (n < 1) return;
    for (int i = 0; i < n; i++)
        buf_printf(&line, "%s" STR_FMT, i ? " " : "",
                   STR_ARG(str_shell(&flight->arena, str_of(words[i]))));
    buf_char(&line, '\n');
    struct origin origin = new_source(flight, STR("launch command"), KIND_SCRIPT);
    reader_script.read(&flight->evidence, buf_view(&line), &origin);
    buf_release(&line);
}

static void tell_error(void *ctx, const struct err *err) {
    struct flight *flight = ctx;
    command_error(flight->ctx, err, 0);
}

/* ---- files that the command names ------------------------------------------------------- */

static bool is_remote(struct str value) {
    return str_has(value, STR("://")) || memchr(value.p, '$', value.n) ||
           memchr(value.p, '*', value.n);
}

static bool is_path(struct str value) {
    static const char *const ends[] = {".json",  ".yaml", ".yml",   ".py",  ".txt",
                                       ".model", ".sh",   ".jsonl", ".bin", ".pt"};
    if (str_starts(value, STR("/")) || str_starts(value, STR("./")) ||
        str_starts(value, STR("../")))
        return true;
    return STR_ENDS_ANY(value, ends);
}

/* Options that name what will be written need not exist. */
static bool is_output(struct str key) {
    static const char *const words[] = {"out",    "save",   "log",     "tensorboard", "cache",
                                        "result", "report", "profile", "checkpoint"};
    return STR_HAS_ANY(key, words);
}

static void note_missing(struct flight *flight, struct fact fact) {
    struct str name =
        str_starts(fact.key, STR("arg."))
            ? arena_printf(&flight->arena, "--" STR_FMT, STR_ARG(str_sub(fact.key, 4, fact.key.n)))
            : STR("the program");
    fact.value =
        arena_printf(&flight->arena, STR_FMT " " STR_FMT, STR_ARG(name), STR_ARG(fact.value));
    fact.key = STR("plan.path");
    evidence_add_fact(&flight->evidence, &fact);
}

/* Indexed data are named by what their two files share. */
static bool is_there(struct flight *flight, struct str path) {
    struct str index = arena_printf(&flight->arena, STR_FMT ".idx", STR_ARG(path));
    return access(arena_cstr(&flight->arena, path), R_OK) == 0 ||
           access(arena_cstr(&flight->arena, index), R_OK) == 0;
}

static void check_paths(struct flight *flight) {
    size_t n = flight->evidence.facts.n;
    for (size_t i = 0, asked = 0; i < n && asked < PATHS; i++) {
        struct fact fact = flight->evidence.facts.v[i];
        bool program = str_eq(fact.key, STR("cmd.program"));
        if (!program && !str_starts(fact.key, STR("arg."))) continue;
        if (!is_path(fact.value) || is_remote(fact.value) || is_output(fact.key)) continue;
        asked++;
        if (!is_there(flight, fact.value)) note_missing(flight, fact);
    }
}

static void read_named(struct flight *flight, const char *key, const struct fact_reader *reader) {
    struct str value = evidence_fact(&flight->evidence, str_of(key));
    const char *path = arena_cstr(&flight->arena, value);
    if (value.n && is_path(value) && access(path, R_OK) == 0) read_as(flight, path, reader);
}

/* The folder of a model that the launch names holds its sizes. */
static void read_model(struct flight *flight) {
    static const char *const keys[] = {"arg.model_name_or_path", "arg.model", "arg.model_path",
                                       "arg.base_model", "arg.pretrained_model_name_or_path"};
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        struct str value = evidence_fact(&flight->evidence, str_of(keys[i]));
        const char *path = arena_cstr(
            &flight->arena, arena_printf(&flight->arena, STR_FMT "/config.json", STR_ARG(value)));
        if (value.n && access(path, R_OK) == 0) {
            read_as(flight, path, &reader_config);
            return;
        }
    }
}

static bool knows(const struct flight *flight, const char *key) {
    return evidence_fact_row(&flight->evidence, str_of(key)) != NULL;
}

static void read_files(struct flight *flight, int n_paths, char **paths) {
    const struct options *options = &flight->ctx->options;
    struct input_options input = {
        .threads = options->session.threads, .on_error = tell_error, .ctx = flight};
    if (n_paths &&
        !input_read(&flight->evidence, session_kb(flight->session),
                    session_matcher(flight->session), (const char *const *)paths, n_paths, &input))
        flight->all_read = false;
    if (options->slurm) read_as(flight, options->slurm, &reader_sbatch);
    if (options->ds_config) read_as(flight, options->ds_config, &reader_ds_config);
    if (options->accelerate) read_as(flight, options->accelerate, &reader_accelerate);
    if (options->hostfile) read_as(flight, options->hostfile, &reader_hostfile);
}

static void read_what_is_named(struct flight *flight) {
    if (!knows(flight, "ds_config")) {
        read_named(flight, "arg.deepspeed_config", &reader_ds_config);
        read_named(flight, "arg.deepspeed", &reader_ds_config);
    }
    if (!knows(flight, "accelerate.distributed_type"))
        read_named(flight, "arg.config_file", &reader_accelerate);
    if (!knows(flight, "model.hidden_size")) read_model(flight);
    if (!knows(flight, "hostfile.hosts")) {
        struct str path = evidence_fact(&flight->evidence, STR("arg.hostfile"));
        if (path.n && access(arena_cstr(&flight->arena, path), R_OK) == 0)
            read_as(flight, arena_cstr(&flight->arena, path), &reader_hostfile);
    }
}

/* ---- this machine ----------------------------------------------------------------------- */

static int hosts_of(struct flight *flight, const char **hosts) {
    int n = 0;
    for (size_t i = 0; i < flight->evidence.facts.n && n < HOSTS; i++) {
        const struct fact *fact = &flight->evidence.facts.v[i];
        if (str_eq(fact->key, STR("hostfile.host")) && !str_eq(fact->value, STR("localhost")))
            hosts[n++] = arena_cstr(&flight->arena, fact->value);
    }
    return n > 1 ? n : 0; /* one host needs no ssh */
}

/* What a file or the command says of the job stands; the machine fills in the rest. */
static void ask_machine(struct flight *flight) {
    const char *hosts[HOSTS];
    struct probe_options options = {.net = flight->ctx->options.net, .hosts = hosts};
    struct probe_report report;
    options.n_hosts = hosts_of(flight, hosts);
    size_t before = flight->evidence.facts.n;
    probe_run(&report, NULL, &options);
    for (size_t i = 0; i < report.evidence.facts.n; i++) {
        const struct fact *fact = &report.evidence.facts.v[i];
        bool told =
            str_starts(fact->key, STR("clash.")) || str_eq(fact->key, STR("env.not_forwarded"));
        for (size_t k = 0; k < before && !told; k++)
            told = str_eq(flight->evidence.facts.v[k].key, fact->key);
        if (!told) evidence_add_fact(&flight->evidence, fact);
    }
    probe_release(&report);
}

/* ---- the command ------------------------------------------------------------------------ */

static void write_findings(struct flight *flight, const struct preflight *found, bool as_json) {
    struct buf out = {0};
    struct layout layout = {&out, flight->ctx->width, flight->ctx->options.color > 0};
    const struct kb *kb = session_kb(flight->session);
    if (as_json)
        preflight_json(&out, kb, &flight->evidence, found);
    else
        preflight_text(&layout, kb, &flight->evidence, found);
    command_write(flight->ctx, &out);
}

/* False when no job was named and the machine shall be left out too. */
static bool has_subject(struct command_context *ctx, int n_args) {
    const struct options *o = &ctx->options;
    if (n_args || o->ds_config || o->accelerate || o->slurm || o->hostfile) return true;
    const char *hint = "faultline preflight --ds-config ds.json -- deepspeed train.py ...";
    if (o->no_probe) {
        command_refuse(ctx, STATUS_USAGE, "name a configuration, a launch command, or both", hint,
                       "nothing to check");
        return false;
    }
    command_refuse(ctx, STATUS_OK, "no job was named", hint, "only this machine is looked at");
    return true;
}

int command_preflight(struct command_context *ctx, int n_args, char **args) {
    struct flight flight = {.ctx = ctx, .all_read = true};
    struct err err;
    bool as_json;
    int status;
    if (!command_json(ctx, &as_json, &status)) return status;
    if (!has_subject(ctx, n_args)) return STATUS_USAGE;
    if (!session_open(&flight.session, &ctx->options.session, &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    read_files(&flight, ctx->n_paths, args);
    read_command(&flight, n_args - ctx->n_paths, args + ctx->n_paths);
    read_what_is_named(&flight);
    check_paths(&flight);
    if (!ctx->options.no_probe) ask_machine(&flight);
    facts_clash(&flight.evidence);
    facts_plan(&flight.evidence);
    struct preflight found =
        preflight_check(session_kb(flight.session), &flight.evidence, &flight.arena);
    write_findings(&flight, &found, as_json);
    evidence_release(&flight.evidence);
    arena_release(&flight.arena);
    session_close(flight.session);
    if (!flight.all_read) return STATUS_UNREADABLE;
    return found.n_errors ? STATUS_FAILED : STATUS_OK;
}
