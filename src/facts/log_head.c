/* Facts that stand inside a log: banners, launch lines, printed configurations. */
#include "base/json.h"
#include "facts/command.h"
#include "facts/ds_config.h"
#include "facts/environment.h"
#include "facts/gpu_model.h"
#include "facts/lines.h"
#include "facts/nccl.h"
#include "facts/nccl_tests.h"
#include "facts/pick.h"
#include "facts/printed.h"
#include "facts/readers.h"
#include "facts/smi_tree.h"
#include "facts/triggers.h"
#include "text/alike.h"
#include "text/chars.h"
#include "text/text.h"

#include <stdlib.h>

enum {
    MASKED_LINE = 2048, /* bytes */
    QUIET_AFTER = 3,
    SHORT_TEXT = 16 * 1024, /* bytes, of which so many lines are remembered: */
    RECENT_SHORT = 512,
    RECENT_LONG = 4096,
    QUIET_SHORT = 256,
    QUIET_LONG = 1024,
    KIN_LINES = 4096 /* of all that teach */
};
enum block { BLOCK_NONE, BLOCK_ARGUMENTS, BLOCK_CALL };

struct head {
    struct reading reading;
    enum block block; /* several lines that belong together */
    int block_lines;
    int dictionaries;
    int prefixed;           /* lines with a time, a rank or a severity: a program wrote them */
    bool bandwidths, table; /* some line belongs to nccl-tests, to nvidia-smi */
    struct shell *shell;
    struct alike *alike;
    const struct grams *grams; /* the pairs of bytes of the line being read, or more */
    uint64_t *recent;          /* hashes of lines read before */
    size_t n_recent;           /* its places */
    struct quiet *quiet;
    size_t n_quiet;
    const struct head_kin *kin; /* of another log that is like this one, or NULL */
    struct head_kin *learnt;    /* is to be filled, or NULL */
};

/* A hash of masked lines, and how often one like it told nothing. */
struct quiet {
    uint64_t hash;
    int times;
};

/* By their hash, lines that were read and whether one like them told something. */
struct head_kin {
    struct {
        uint64_t hash; /* 0: free */
        bool told;
    } lines[KIN_LINES];
};

/* What lines that differ in digits only have in common. */
struct head_line {
    struct grams grams;
    bool known; /* the rest is found */
    unsigned triggers;
    size_t body; /* where the text begins behind the prefix: */
    bool pasted; /* it may be a note that was pasted above a log */
};

struct alike *facts_heads_new(void) {
    return alike_new(sizeof(struct head_line));
}

/* Both for parts of the line being read. */
static bool holds(const struct head *head, struct str s, struct str text) {
    return grams_has(head->grams, s, text);
}
static bool after(const struct head *head, struct str s, struct str label, struct str *rest) {
    return grams_may(head->grams, label) && pick_after(s, label, rest);
}

/* ---- launchers ------------------------------------------------------------------------ */

static void command_text(struct head *head, struct str command) {
    struct str info;
    if (!head->shell) head->shell = ARENA_NEW(&head->reading.scratch, struct shell);
    command_read(&head->reading, head->shell, command);
    if (pick_after(command, STR("--world_info="), &info))
        printed_world_info(&head->reading, pick_word(info, NULL));
    else if (pick_after(command, STR("--world_info "), &info))
        printed_world_info(&head->reading, pick_word(info, NULL));
}

/* A pasted command that runs over lines by backslashes. */
static struct str continued(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str next;
    for (int n = 0; n < 100 && str_ends(line, STR("\\")) && reading_line(reading, &next); n++)
        line = arena_printf(&reading->scratch, STR_FMT " " STR_FMT,
                            STR_ARG(str_sub(line, 0, line.n - 1)), STR_ARG(str_trim(next)));
    return line;
}

static bool is_command(struct str body, unsigned triggers) {
    return triggers & TRIGGER_COMMAND && command_is_launch(body);
}

static bool launch_line(struct head *head, struct str line, struct str body, unsigned triggers) {
    struct str rest, inside, name, value;
    struct reading *reading = &head->reading;
    if (after(head, line, STR("] cmd = "), &rest) ||
        (str_starts(body, STR("cmd = ")) && after(head, body, STR("cmd = "), &rest))) {
        command_text(head, rest);
    } else if (after(head, body, STR("run sh: `"), &rest)) {
        command_text(head, pick_until(rest, STR("`")));
    } else if (after(head, body, STR("Running command: "), &rest) ||
               after(head, body, STR("Launching command: "), &rest)) {
        command_text(head, rest);
    } else if ((str_starts(body, STR("+ ")) || str_starts(body, STR("$ "))) &&
               is_command(str_sub(body, 2, body.n), triggers)) {
        command_text(head, str_sub(body, 2, body.n));
    } else if ((str_starts(body, STR("+ export ")) || str_starts(body, STR("export "))) &&
               after(head, body, STR("export "), &rest)) {
        /* A shell's trace quotes quotes; conda's own variables come that way and tell nothing. */
        if (!holds(head, rest, STR("\\'")))
            line_env(reading, str_sub(body, (size_t)(rest.p - body.p) - 7, body.n));
    } else if (holds(head, line, STR("[launch.py:")) && after(head, line, STR(":main] "), &rest)) {
        struct str word = pick_word(rest, &inside);
        int64_t rank;
        if (str_int(word, &rank) && line_assignment(inside, &name, &value))
            note(reading, note_key_of(reading, "env.", name), value);
        if (after(head, rest, STR("Setting CUDA_VISIBLE_DEVICES="), &value))
            note(reading, STR("env.CUDA_VISIBLE_DEVICES"), value);
        if (after(head, rest, STR("nnodes="), &value))
            note(reading, STR("nodes.count"), pick_number(value));
        if (after(head, rest, STR("dist_world_size="), &value))
            note(reading, STR("job.world_size"), pick_number(value));
    } else if (is_command(body, triggers)) {
        command_text(head, continued(head, body));
    } else {
        return false;
    }
    return true;
}

/* ---- versions ------------------------------------------------------------------------- */

/* "Installed CUDA version 12.0 does not match the version torch was compiled with 11.7"; torch's
 * own message for it breaks the line before "PyTorch (11.7)". */
static bool mismatch_line(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str system, torch;
    if (after(head, line, STR("Installed CUDA version "), &system)) {
        note(reading, STR("nvcc.version"), pick_version(system));
        if (after(head, system, STR("compiled with "), &torch))
            package_note_cuda(reading, STR("cuda.version"), torch);
        return true;
    }
    if (after(head, line, STR("detected CUDA version ("), &system)) {
        note(reading, STR("nvcc.version"), pick_version(system));
        if (after(head, system, STR("PyTorch ("), &torch))
            package_note_cuda(reading, STR("cuda.version"), torch);
        return true;
    }
    if (!after(head, line, STR("PyTorch ("), &torch) ||
        !holds(head, torch, STR(". Please make sure")))
        return false;
    package_note_cuda(reading, STR("cuda.version"), torch);
    return true;
}

/* "NVIDIA H100 PCIe with CUDA capability sm_90 is not compatible ..."; the list follows in another
 * line. */
static bool capability_line(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str rest, name;
    int arch;
    if (after(head, line, STR(" with CUDA capability sm_"), &rest) && pick_int(rest, &arch)) {
        name = str_trim(str_sub(line, 0, (size_t)(rest.p - line.p) - 25));
        ptrdiff_t brand = str_find(name, STR("NVIDIA "), 0);
        note(reading, STR("gpu.name"), brand > 0 ? str_sub(name, (size_t)brand, name.n) : name);
        note(reading, STR("gpu.arch"), note_key(reading, "%d.%d", arch / 10, arch % 10));
        return true;
    }
    if (!after(head, line, STR("supports CUDA capabilities "), &rest)) return false;
    note(reading, STR("torch.archs"), rest);
    return true;
}

static bool pip_line(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str rest, word, version;
    if (after(head, line, STR("Successfully installed "), &rest)) {
        while (rest.n) { /* "deepspeed-0.14.2 hjson-3.1.0": the version is behind the last dash
                            before a digit */
            word = pick_word(rest, &rest);
            for (size_t i = 1; i + 1 < word.n; i++)
                if (word.p[i] == '-' && is_digit(word.p[i + 1])) {
                    package_note(reading, str_sub(word, 0, i), str_sub(word, i + 1, word.n));
                    break;
                }
        }
        return true;
    }
    if (after(head, line, STR("Requirement already satisfied: "), &rest)) {
        size_t n = 0;
        while (n < rest.n && (is_alnum(rest.p[n]) || strchr("._-", rest.p[n]))) n++;
        if (str_ends(rest, STR(")"))) {
            size_t open = rest.n;
            while (open > 0 && rest.p[open - 1] != '(') open--;
            version = str_sub(rest, open, rest.n - open - 1);
            if (open && pick_version(version).n == version.n)
                package_note(reading, str_sub(rest, 0, n), version);
        }
        python_note_path(reading, line);
        return true;
    }
    if (after(head, line, STR("but you have "), &rest) && holds(head, line, STR("incompatible"))) {
        word = pick_word(rest, &rest);
        package_note(reading, word, pick_word(rest, NULL));
        return true;
    }
    return false;
}

static bool version_line(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str rest;
    if (after(head, line, STR("DeepSpeed info: version="), &rest))
        package_note(reading, STR("deepspeed"), rest);
    else if (after(head, line, STR("LLM engine (v"), &rest))
        package_note(reading, STR("vllm"), rest);
    else if (after(head, line, STR("\"transformers_version\": \""), &rest))
        package_note(reading, STR("transformers"), rest);
    else if (after(head, line, STR("Detected kernel version "), &rest))
        note(reading, STR("kernel.version"), pick_version(rest));
    else if (after(head, line, STR("Tracking run with wandb version "), &rest))
        package_note(reading, STR("wandb"), rest);
    else if (after(head, line, STR("gcc version "), &rest))
        note(reading, STR("gcc.version"), pick_version(rest));
    else if (after(head, line, STR("release "), &rest) &&
             holds(head, line, STR("Cuda compilation tools")))
        note(reading, STR("nvcc.version"), pick_version(pick_until(rest, STR(","))));
    else
        return mismatch_line(head, line) || capability_line(head, line) || pip_line(head, line);
    return true;
}

/* ---- sizes of the job ----------------------------------------------------------------- */

static void sizes_line(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    static const struct {
        const char *text, *key;
    } sizes[] = {
        {"using world size: ", "job.world_size"},
        {"world_size: ", "job.world_size"},
        {"dist_world_size=", "job.world_size"},
        {"Num processes: ", "job.world_size"},
        {"world_size=", "job.world_size"},
        {"world_size = ", "job.world_size"},
        {"world size: ", "job.world_size"},
        {"World size: ", "job.world_size"},
        {"World Size: ", "job.world_size"},
        {"processes registered. Starting with ", "job.world_size"}, /* Lightning */
        {"tensor-model-parallel size: ", "arg.tensor_model_parallel_size"},
        {"pipeline-model-parallel size: ", "arg.pipeline_model_parallel_size"},
        {"data-parallel-size: ", "arg.data_parallel_size"},
        {"Gradient Accumulation steps = ", "arg.gradient_accumulation_steps"},
        {"Instantaneous batch size per device = ", "arg.per_device_train_batch_size"},
        {"Total optimization steps = ", "trainer.total_steps"},
    };
    struct str rest;
    int value;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct str text = str_of(sizes[i].text);
        if (!grams_may(head->grams, text)) continue;
        ptrdiff_t at = str_find(line, text, 0);
        if (at < 0 || (at > 0 && is_word(line.p[at - 1]))) continue;
        rest = str_sub(line, (size_t)at + text.n, line.n);
        size_t digits = pick_number(rest).n;
        bool ends = digits == rest.n || !is_word(rest.p[digits]);
        if (digits && ends && pick_int(rest, &value) && value > 0)
            note_int(reading, str_of(sizes[i].key), value);
    }
    if (after(head, line, STR("Total train batch size"), &rest) &&
        after(head, rest, STR("= "), &rest))
        note(reading, STR("trainer.total_train_batch_size"), pick_number(rest));
}

/* ---- blocks --------------------------------------------------------------------------- */

/* Megatron prints "  name ....... value" between two lines of dashes. */
static bool arguments_block(struct head *head, struct str body) {
    struct str name, value;
    if (holds(head, body, STR("end of arguments"))) {
        head->block = BLOCK_NONE;
        return true;
    }
    if (holds(head, body, STR("- arguments -")) || holds(head, body, STR("-- arguments --"))) {
        head->block = BLOCK_ARGUMENTS;
        head->block_lines = 0;
        return true;
    }
    if (head->block != BLOCK_ARGUMENTS || !line_dotted(body, &name, &value)) return false;
    if (++head->block_lines > 2000) head->block = BLOCK_NONE;
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i])) return false;
    if (str_eq(name, STR("rank")) || str_eq(name, STR("local_rank"))) return true;
    if (str_eq(name, STR("world_size"))) note(&head->reading, STR("job.world_size"), value);
    note(&head->reading, note_key_of(&head->reading, "arg.", name), value);
    return true;
}

/* "TrainingArguments(" alone, then a pair a line, then ")"; or all of it in one line. */
static bool call_block(struct head *head, struct str body) {
    static const char *const names[] = {"TrainingArguments(", "Namespace(",   "Arguments(",
                                        "TrainConfig(",       "SFTConfig(",   "GRPOConfig(",
                                        "TrainerConfig(",     "SftArguments("};
    struct str rest;
    if (head->block == BLOCK_CALL) {
        if (str_starts(body, STR(")")) || ++head->block_lines > 600 ||
            !printed_pairs(&head->reading, body))
            head->block = BLOCK_NONE;
        return head->block == BLOCK_CALL;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!after(head, body, str_of(names[i]), &rest)) continue;
        if (!rest.n) {
            head->block = BLOCK_CALL;
            head->block_lines = 0;
            return true;
        }
        /* Code that calls it looks alike, but has no values, or one pair. */
        return rest.n > 80 && holds(head, rest, STR(", ")) && printed_pairs(&head->reading, rest);
    }
    return false;
}

/* A dictionary that runs over lines: `json = {`, "non-default args: {...}". */
static bool dictionary(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str rest;
    struct err err;
    const char *prefix = NULL;
    if (after(head, line, STR("  json = "), &rest))
        prefix = "ds.";
    else if (after(head, line, STR("non-default args: "), &rest))
        prefix = "arg.";
    if (!prefix || !rest.n || rest.p[0] != '{' || head->dictionaries++ > 32) return false;
    size_t behind = reading->rest.n ? (size_t)(reading->rest.p + reading->rest.n - rest.p) : rest.n;
    struct str text =
        printed_braces((struct str){rest.p, behind < LIMIT_DOCUMENT ? behind : LIMIT_DOCUMENT});
    const struct json_value *value =
        text.n ? json_parse_relaxed(&reading->scratch, text, &err) : NULL;
    config_note_tree(reading, str_of(prefix), value);
    if (value && prefix[0] == 'd') {
        note(reading, STR("ds_config"), STR("printed"));
        note_document(reading, "ds_config", text);
    }
    return true;
}

/* ---- machine -------------------------------------------------------------------------- */

static void machine_line(struct head *head, struct str line) {
    struct reading *reading = &head->reading;
    struct str rest;
    if (holds(head, line, STR("File \"C:\\")) || holds(head, line, STR("File \"D:\\")) ||
        holds(head, line, STR("File \"E:\\")))
        note(reading, STR("os.name"), STR("Windows"));
    if (after(head, line, STR("/usr/local/cuda-"), &rest) && pick_number(rest).n)
        note(reading, STR("cuda.home"),
             note_key(reading, "/usr/local/cuda-" STR_FMT, STR_ARG(pick_number(rest))));
    if (holds(head, line, STR("slurmstepd: ")) || holds(head, line, STR("srun: ")))
        note(reading, STR("cmd.scheduler"), STR("slurm"));
    static const char *const brands[] = {"NVIDIA ", "Tesla ", "GeForce "};
    for (size_t i = 0; i < COUNT_OF(brands); i++) {
        size_t start, n;
        if (!grams_may(head->grams, str_of(brands[i]))) continue;
        ptrdiff_t at = str_find(line, str_of(brands[i]), 0);
        if (at < 0) continue;
        struct str name = str_sub(line, (size_t)at, 60);
        const struct gpu_model *model = gpu_model_find(name, &start, &n);
        if (!model || start > 24) continue;
        size_t end = start + n;
        while (end < name.n && (is_alnum(name.p[end]) || name.p[end] == '-')) end++;
        gpu_model_note(reading, str_sub(name, 0, end));
        return;
    }
}

static struct str pasted_text(struct str body) {
    while (body.n && strchr("-*> `", body.p[0])) body = str_sub(body, 1, body.n);
    return body;
}

/* A notes line pasted above a log: "- PyTorch version: 2.1", "torch: 2.0.1". */
static void pasted_line(struct reading *reading, struct str body) {
    struct str text = pasted_text(body);
    if (body.n > 120) return;
    if (line_label(reading, body)) return;
    if (package_alias_at(text) &&
        (text.n != body.n || memchr(text.p, ':', text.n) || text.n < 40) &&
        !str_has(text, STR("require")))
        line_note(reading, text);
}

/* False where no line that differs from it in digits only is one. */
static bool may_be_pasted(struct reading *reading, struct str body) {
    return body.n <= 120 && (line_label_may(reading, body) || package_alias_may(pasted_text(body)));
}

/* Ranks print the same things: a line that was read needs no second reading. */
static bool is_repeated(struct head *head, struct str body) {
    uint64_t hash = str_hash(body);
    uint64_t *place = &head->recent[hash % head->n_recent];
    bool repeated = *place == hash;
    *place = hash;
    return repeated;
}

static bool kin_is_dull(const struct head_kin *kin, uint64_t hash) {
    size_t place = hash % COUNT_OF(kin->lines);
    return kin->lines[place].hash == hash && !kin->lines[place].told;
}

static void kin_learn(struct head_kin *kin, uint64_t hash, bool told) {
    size_t place = hash % COUNT_OF(kin->lines);
    bool before = kin->lines[place].hash == hash && kin->lines[place].told;
    kin->lines[place].hash = hash;
    kin->lines[place].told = told || before;
}

/* Whether lines like it told nothing. */
static bool is_quiet(const struct quiet *quiet, uint64_t hash) {
    return quiet->hash == hash && quiet->times >= QUIET_AFTER;
}

static void quiet_learn(struct quiet *quiet, uint64_t hash, bool told) {
    quiet->times = told ? 0 : quiet->hash == hash ? quiet->times + 1 : 1;
    quiet->hash = hash;
}

/* "name ..... value" or "name . [NO]". */
static bool may_be_dotted(const struct head *head) {
    return grams_may(head->grams, STR(" ..")) || grams_may(head->grams, STR(" . ["));
}

/* Only what the phrases in the line may tell of is asked for. */
static void read_triggered(struct head *head, struct str line, struct str body, unsigned triggers) {
    struct reading *reading = &head->reading;
    if (triggers & TRIGGER_PATH) python_note_path(reading, line);
    if ((triggers & TRIGGER_ARGUMENTS && arguments_block(head, body)) ||
        (triggers & TRIGGER_CALL && call_block(head, body)) ||
        (triggers & (TRIGGER_LAUNCH | TRIGGER_COMMAND) &&
         launch_line(head, line, body, triggers)) ||
        (triggers & TRIGGER_NCCL && nccl_line(reading, line)))
        return;
    if (triggers & TRIGGER_MACHINE) machine_line(head, line);
    if ((triggers & TRIGGER_VERSION && version_line(head, line)) ||
        (triggers & TRIGGER_DICTIONARY && dictionary(head, line)) ||
        (may_be_dotted(head) && line_ds_report(reading, body)))
        return;
    if (triggers & TRIGGER_SIZES) sizes_line(head, line);
    if (triggers & TRIGGER_SMI) smi_failure(reading, body, head->grams);
    pasted_line(reading, body);
}

/* False where the same text was read before. */
static bool read_line(struct head *head, struct str line, struct head_line *like) {
    struct reading *reading = &head->reading;
    struct place place = locate_line(line, NULL);
    struct str body = str_trim(str_sub(line, place.body, line.n));
    head->prefixed += place.time != TIME_UNKNOWN || place.rank >= 0 || place.severity > 0;
    if (!body.n) return true;
    if (!like->known || like->body != place.body) like->pasted = may_be_pasted(reading, body);
    like->known = true;
    like->body = place.body;
    bool in_block = head->block != BLOCK_NONE, telling = like->triggers & TRIGGER_TELLS;
    if (!in_block && !telling && !like->pasted) return true;
    if (!in_block && is_repeated(head, body)) return false;
    if (in_block || telling)
        read_triggered(head, line, body, in_block ? TRIGGER_ALL : like->triggers);
    else
        pasted_line(reading, body);
    return true;
}

static void read_telling(struct head *head, struct str line) {
    const struct evidence *evidence = head->reading.evidence;
    size_t told_before = evidence->facts.n + evidence->documents.n;
    size_t notes_before = head->reading.n_notes;
    struct str rest = head->reading.rest;
    bool known, single = head->block == BLOCK_NONE && line.n <= MASKED_LINE;
    uint64_t hash = alike_turn(head->alike, line, rest.n >= ALIKE_BEYOND);
    struct quiet *quiet = &head->quiet[hash % head->n_quiet];
    if (single && ((head->kin && kin_is_dull(head->kin, hash)) || is_quiet(quiet, hash))) return;
    struct head_line *like = alike_kept(head->alike, line, &known);
    if (!known) like->triggers = triggers_in(line, &like->grams);
    head->grams = &like->grams;
    head->bandwidths |= (like->triggers & TRIGGER_BANDWIDTH) != 0;
    head->table |= (like->triggers & TRIGGER_TABLE) != 0;
    bool read = read_line(head, line, like);
    if (!single) return;
    bool opens = head->block != BLOCK_NONE || head->reading.rest.p != rest.p;
    bool told = evidence->facts.n + evidence->documents.n != told_before || opens;
    quiet_learn(quiet, hash, told);
    /* what was told before is no news here, but may be elsewhere */
    bool tells = opens || head->reading.n_notes != notes_before ||
                 like->triggers & (TRIGGER_BANDWIDTH | TRIGGER_TABLE);
    if (head->learnt && read) kin_learn(head->learnt, hash, tells);
}

static void remember(struct head *head, bool few) {
    struct arena *arena = &head->reading.scratch;
    head->n_recent = few ? RECENT_SHORT : RECENT_LONG;
    head->n_quiet = few ? QUIET_SHORT : QUIET_LONG;
    head->recent = ARENA_ARRAY(arena, uint64_t, head->n_recent);
    head->quiet = ARENA_ARRAY(arena, struct quiet, head->n_quiet);
}

static void read_head(struct head *head, struct evidence *evidence, struct str text,
                      const struct origin *origin) {
    struct str line;
    reading_open_mended(&head->reading, evidence, text, origin, "log");
    remember(head, text.n <= SHORT_TEXT);
    while (reading_line(&head->reading, &line))
        if (line.n) read_telling(head, str_sub(line, 0, 65536));
}

void facts_read_log_head(struct evidence *evidence, struct str text, const struct origin *origin,
                         struct alike *alike, const struct head_kin *kin) {
    struct head head = {.block = BLOCK_NONE, .alike = alike, .kin = kin};
    struct str line;
    read_head(&head, evidence, text, origin);
    /* A complaint without a log is read as words. */
    if (!kin && text.n < 32768 && head.prefixed == 0 && !str_has(text, STR("Traceback"))) {
        reading_rewind(&head.reading);
        while (reading_line(&head.reading, &line)) words_line(&head.reading, line);
        environment_finish(&head.reading);
    }
    if (head.bandwidths) nccl_tests_note(&head.reading);
    reading_close(&head.reading);
    if (head.table) reader_smi_table.read(evidence, text, origin);
}

struct head_kin *facts_head_kin_new(void) {
    struct head_kin *kin = calloc(1, sizeof *kin);
    if (!kin) base_out_of_memory();
    return kin;
}

void facts_head_learn(struct head_kin *kin, struct str text) {
    struct evidence evidence = {0};
    struct origin origin = {.line = 1, .rank = -1, .time = TIME_UNKNOWN, .attempt = 1};
    struct head head = {.block = BLOCK_NONE, .alike = facts_heads_new(), .learnt = kin};
    read_head(&head, &evidence, text, &origin);
    reading_close(&head.reading);
    alike_release(head.alike);
    evidence_release(&evidence);
}
