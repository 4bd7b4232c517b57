#include "facts/command.h"

#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/shell.h"
#include "text/chars.h"

struct launcher {
    const char *word, *second; /* "accelerate" "launch"; second may be NULL */
    const char *id;
    bool outer; /* starts another launcher or program, with options of its own in front */
};
static const struct launcher launchers[] = {
    {"deepspeed", NULL, "deepspeed", false},
    {"ds", NULL, "deepspeed", false},
    {"torchrun", NULL, "torchrun", false},
    {"colossalai", "run", "colossalai", false},
    {"accelerate", "launch", "accelerate", false},
    {"torchx", "run", "torchx", false},
    {"horovodrun", NULL, "horovodrun", false},
    {"vllm", "serve", "vllm", false},
    {"llamafactory-cli", NULL, "llamafactory-cli", false},
    {"swift", "sft", "swift", false},
    {"swift", "rlhf", "swift", false},
    {"srun", NULL, "srun", true},
    {"mpirun", NULL, "mpirun", true},
    {"mpiexec", NULL, "mpirun", true},
    {"jsrun", NULL, "jsrun", true},
    {"aprun", NULL, "aprun", true},
    {"pdsh", NULL, "pdsh", true},
};
/* python -m MODULE */
static const struct launcher modules[] = {
    {"torch.distributed.launch", NULL, "torch.distributed.launch", false},
    {"torch.distributed.run", NULL, "torchrun", false},
    {"torch.distributed.elastic", NULL, "torchrun", false},
    {"deepspeed.launcher.runner", NULL, "deepspeed", false},
    {"deepspeed.launcher.launch", NULL, "deepspeed", false},
    {"colossalai.launch", NULL, "colossalai", false},
    {"accelerate.commands.launch", NULL, "accelerate", false},
    {"vllm.entrypoints.openai.api_server", NULL, "vllm", false},
};
/* Tools that notes about a failure speak of, and words that stand at the start of a shell line. */
static const char *const tools[] = {
    "python",     "python3",    "pip",       "pip3",   "conda",   "docker",  "nvidia-smi",
    "git",        "wget",       "curl",      "sbatch", "salloc",  "ray",     "cmake",
    "make",       "ninja",      "ds_report", "uv",     "apt",     "apt-get", "singularity",
    "apptainer",  "lmdeploy",   "sglang",    "trl",    "axolotl", "kubectl", "huggingface-cli",
    "colossalai", "accelerate", "dpkg",      "yum"};
static const char *const shell_words_known[] = {
    "bash", "sh",   "module", "export", "source", "cd",  "nohup", "sudo",    "RUN",  "ENV",
    "FROM", "echo", "mkdir",  "unset",  "ulimit", "env", "set",   "numactl", "eval", "time"};
/* Options that take no value, so that the word behind them is the program. */
static const char *const flags[] = {
    "standalone",   "no_python",    "use_env",       "multi_gpu",         "use_deepspeed",
    "use_fsdp",     "cpu",          "no_local_rank", "force_multi",       "dynamo_use_dynamic",
    "same_network", "debug",        "oversubscribe", "allow_run_as_root", "exclusive",
    "label",        "no_ssh_check", "no_ssh",        "use_xpu",           "tpu",
    "mps",          "quiet",        "unbuffered",    "no_kill",           "use_hostfile"};

static bool is_python(struct str word) {
    struct str name = str_file_name(word);
    if (!str_starts(name, STR("python")) && !str_starts(name, STR("pypy"))) return false;
    for (size_t i = 6; i < name.n; i++)
        if (!is_digit(name.p[i]) && name.p[i] != '.') return false;
    return true;
}

static const struct launcher *launcher_at(const struct shell_words *words, int at, int *length) {
    struct str word = str_file_name(words->v[at]);
    *length = 1;
    for (size_t i = 0; i < COUNT_OF(launchers); i++) {
        if (!str_eq(word, str_of(launchers[i].word))) continue;
        if (!launchers[i].second) return &launchers[i];
        if (at + 1 < words->n && str_eq(words->v[at + 1], str_of(launchers[i].second)))
            return *length = 2, &launchers[i];
    }
    if (!is_python(words->v[at])) return NULL;
    for (int i = at + 1; i + 1 < words->n && words->v[i].n && words->v[i].p[0] == '-'; i++) {
        if (!str_eq(words->v[i], STR("-m"))) continue;
        for (size_t m = 0; m < COUNT_OF(modules); m++)
            if (str_eq(words->v[i + 1], str_of(modules[m].word)))
                return *length = i + 2 - at, &modules[m];
    }
    return NULL;
}

/* ---- options -------------------------------------------------------------------------- */

/* A value that only the running shell knows ($SLURM_NNODES, $(hostname)) is not known here. */
static void note_known(struct reading *reading, struct str key, struct str value) {
    if (str_has(value, STR("$")) || str_has(value, STR("`"))) return;
    note(reading, key, value);
}

/* prefix: "arg." for the launcher of the job and its program, "srun." for what starts it. */
static struct str option_key(struct reading *reading, const char *prefix, struct str option) {
    while (option.n && option.p[0] == '-') option = str_sub(option, 1, option.n);
    struct str key = note_key_of(reading, prefix, option);
    for (size_t i = strlen(prefix); i < key.n; i++)
        if (key.p[i] == '-') ((char *)key.p)[i] = '_';
    return key;
}

static bool is_option(struct str word) {
    return word.n >= 2 && word.p[0] == '-' &&
           (is_alpha(word.p[1]) || (word.p[1] == '-' && word.n > 2));
}

static bool is_flag(struct str key) {
    struct str name = key;
    pick_after(key, STR("."), &name);
    return STR_AMONG(name, flags);
}

/* A script, or what runs one: no option takes it for a value. */
static bool is_program(struct str word) {
    struct str name = str_file_name(word);
    if (is_python(word) || str_eq(name, STR("bash")) || str_eq(name, STR("torchrun")) ||
        str_eq(name, STR("deepspeed")) || str_eq(name, STR("accelerate")))
        return true;
    return str_ends(word, STR(".py")) || str_ends(word, STR(".sh")) || str_ends(word, STR(".pyz"));
}

static bool is_redirect(struct str word) {
    return word.n && (word.p[0] == '>' || word.p[0] == '<' || str_starts(word, STR("2>")) ||
                      str_starts(word, STR("&>")));
}

/* Notes the option at words[at] and returns how many words it took. */
static int read_option(struct reading *reading, const struct shell_words *words, int at,
                       const char *prefix, bool program_seen) {
    struct str word = words->v[at], name, value;
    if (memchr(word.p, '=', word.n) && pick_pair(word, '=', &name, &value)) {
        while (value.n && value.p[0] == '=') value = str_sub(value, 1, value.n); /* --mp_size==16 */
        note_known(reading, option_key(reading, prefix, name), value);
        return 1;
    }
    struct str key = option_key(reading, prefix, word);
    bool last = at + 1 >= words->n || is_option(words->v[at + 1]) || is_redirect(words->v[at + 1]);
    if (last || is_flag(key) || (!program_seen && is_program(words->v[at + 1]))) {
        note(reading, key, STR("true"));
        return 1;
    }
    note_known(reading, key, words->v[at + 1]);
    return 2;
}

/* key=value without dashes, as Hydra and OmegaConf take it. */
static void read_plain(struct reading *reading, struct str word) {
    struct str name, value;
    if (word.n && word.p[0] == '+') word = str_sub(word, 1, word.n);
    if (!pick_pair(word, '=', &name, &value) || !value.n || name.n > 80) return;
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i]) && name.p[i] != '.') return;
    note(reading, note_key_of(reading, "arg.", name), value);
}

static int read_options(struct reading *reading, const struct shell_words *words, int at,
                        const char *prefix, bool program_seen) {
    while (at < words->n) {
        struct str word = words->v[at];
        if (is_redirect(word)) return words->n;
        if (is_option(word)) {
            at += read_option(reading, words, at, prefix, program_seen);
        } else if (program_seen) {
            read_plain(reading, word);
            at++;
        } else {
            break;
        }
    }
    return at;
}

static void read_program(struct reading *reading, const struct shell_words *words, int at) {
    while (at < words->n && is_python(words->v[at])) {
        at++;
        while (at < words->n && words->v[at].n == 2 && words->v[at].p[0] == '-') {
            if (words->v[at].p[1] == 'c') return;
            if (words->v[at].p[1] == 'm' && at + 1 < words->n) {
                at++;
                break;
            }
            at++;
        }
    }
    if (at >= words->n || STR_AMONG(words->v[at], shell_words_known)) return;
    note(reading, STR("cmd.program"), words->v[at]);
    read_options(reading, words, at + 1, "arg.", true);
}

static void note_counts(struct reading *reading) {
    static const char *const nodes[] = {"arg.nnodes", "arg.num_nodes", "arg.num_machines",
                                        "srun.nodes", "srun.N"};
    for (size_t i = 0; i < COUNT_OF(nodes); i++) {
        struct str key = str_of(nodes[i]);
        int count;
        if (!note_has(reading, key)) continue;
        struct str value = evidence_fact(reading->evidence, key);
        if (pick_int(value, &count) && count > 0 && !memchr(value.p, ':', value.n))
            note_int(reading, STR("nodes.count"), count);
    }
}

/* ---- commands ------------------------------------------------------------------------- */

static void read_line_at(struct reading *reading, struct shell *shell, struct str line, int depth);

static void read_install(struct reading *reading, const struct shell_words *words, int at) {
    for (at++; at < words->n; at++)
        if (str_has(words->v[at], STR("=="))) line_package(reading, words->v[at]);
}

static int skip_env(struct reading *reading, const struct shell_words *words, int at) {
    static const char *const wrappers[] = {"nohup",   "time", "exec",   "sudo",   "env",
                                           "command", "RUN",  "ENV",    "export", "$",
                                           "+",       "++",   "setsid", "eval"};
    struct str name, value;
    for (; at < words->n; at++) {
        if (line_assignment(words->v[at], &name, &value))
            note_known(reading, note_key_of(reading, "env.", name), value);
        else if (!STR_AMONG(words->v[at], wrappers))
            break;
    }
    return at;
}

/* Where the next launcher or interpreter stands behind host lists and options; words->n: nowhere.
 */
static int next_launcher(const struct shell_words *words, int at) {
    int length;
    for (; at < words->n; at++) {
        struct str name = str_file_name(words->v[at]);
        if (launcher_at(words, at, &length) || is_python(words->v[at])) return at;
        if (str_eq(name, STR("bash")) || str_eq(name, STR("sh"))) return at;
    }
    return at;
}

/* `bash -c "..."`: the string is a command of its own. */
static bool read_nested(struct reading *reading, const struct shell_words *words, int at,
                        int depth) {
    struct str name = str_file_name(words->v[at]);
    if (depth > 3 || (!str_eq(name, STR("bash")) && !str_eq(name, STR("sh")))) return false;
    for (int i = at + 1; i + 1 < words->n; i++) {
        struct str option = words->v[i];
        if (option.n < 2 || option.p[0] != '-' || option.p[option.n - 1] != 'c') continue;
        read_line_at(reading, NULL, words->v[i + 1], depth + 1);
        return true;
    }
    return false;
}

/* Launchers may nest (srun torchrun, mpirun python -m torch.distributed.run): the innermost names
 * the job, the outermost is kept beside it. */
static void read_launch(struct reading *reading, const struct shell_words *words, int at,
                        int depth) {
    const struct launcher *launcher = NULL;
    int length;
    while (at < words->n) {
        const struct launcher *next = launcher_at(words, at, &length);
        if (!next) break;
        if (launcher) note(reading, STR("cmd.outer"), str_of(launcher->id));
        launcher = next;
        const char *prefix = next->outer ? note_key(reading, "%s.", next->id).p : "arg.";
        at = skip_env(reading, words, read_options(reading, words, at + length, prefix, false));
        if (!next->outer) break;
        int ahead = next_launcher(words, at);
        if (ahead == words->n) break;
        at = ahead;
        if (read_nested(reading, words, at, depth)) {
            note(reading, STR("cmd.outer"), str_of(launcher->id));
            return;
        }
    }
    bool more = at < words->n && !STR_AMONG(words->v[at], shell_words_known);
    if (!launcher)
        note(reading, STR("cmd.launcher"), STR("python"));
    else
        note(reading, launcher->outer && !more ? STR("cmd.outer") : STR("cmd.launcher"),
             str_of(launcher->id));
    read_program(reading, words, at);
    note_counts(reading);
}

/* A variable that a library reads, though nobody exported it: in a pasted line it was meant so. */
static bool is_library_variable(struct str name) {
    static const char *const starts[] = {
        "CUDA_",    "NCCL_",      "TORCH_", "PYTORCH_",   "DS_",           "MASTER_", "HF_",
        "OMP_",     "GLOO_",      "HIP_",   "LD_LIBRARY", "TRANSFORMERS_", "ROCR_",   "UCX_",
        "MAX_JOBS", "WORLD_SIZE", "FI_",    "VLLM_",      "XFORMERS_",     "TRITON_"};
    return STR_STARTS_ANY(name, starts);
}

static void read_assignments(struct reading *reading, struct shell *shell,
                             const struct shell_words *words, bool exported) {
    struct str name, value;
    for (int at = exported; shell && at < words->n; at++) {
        if (!line_assignment(words->v[at], &name, &value)) continue;
        shell_set(shell, &reading->scratch, name, value);
        if (!exported && shell->pasted && is_library_variable(name))
            note_known(reading, note_key_of(reading, "env.", name), value);
    }
}

static void read_words(struct reading *reading, struct shell *shell,
                       const struct shell_words *words, struct str line, int depth) {
    struct str name, value;
    int assignments = 0, length;
    while (assignments < words->n && line_assignment(words->v[assignments], &name, &value))
        assignments++;
    bool exported = str_eq(words->v[0], STR("export"));
    if (assignments == words->n || exported) read_assignments(reading, shell, words, exported);
    if (assignments == words->n) return; /* a script's variables, not yet the environment's */
    int at = skip_env(reading, words, 0);
    if (at >= words->n || read_nested(reading, words, at, depth)) return;
    struct str first = str_file_name(words->v[at]);
    bool install = str_eq(first, STR("pip")) || str_eq(first, STR("pip3")) ||
                   str_eq(first, STR("conda")) || str_eq(first, STR("uv"));
    if (install) read_install(reading, words, at);
    if (launcher_at(words, at, &length) || (is_python(words->v[at]) && at + 1 < words->n)) {
        if (depth == 0) note(reading, STR("cmd.line"), line);
        read_launch(reading, words, at, depth);
    } else if (STR_AMONG(first, tools) && !exported) {
        note(reading, STR("cmd.tool"), first);
    }
}

static void read_line_at(struct reading *reading, struct shell *shell, struct str line, int depth) {
    struct shell_words words = {.room = NULL};
    struct str rest = shell_expand(&reading->scratch, shell, str_sub(line, 0, COMMAND_TEXT));
    struct str whole = rest;
    for (int n = 0; n < 64 && shell_command(&reading->scratch, &rest, &words); n++)
        read_words(reading, shell, &words, whole, depth);
}

void command_read(struct reading *reading, struct shell *shell, struct str line) {
    read_line_at(reading, shell, line, 0);
}

static struct str first_word(struct str line) {
    struct str name, value, word;
    line = str_trim(line);
    for (;;) {
        struct str rest;
        word = pick_word(line, &rest);
        bool prompt = str_eq(word, STR("$")) || str_eq(word, STR("+")) ||
                      str_eq(word, STR("nohup")) || str_eq(word, STR("sudo")) ||
                      str_eq(word, STR("%")) || str_eq(word, STR("!"));
        if (!prompt && !(line_assignment(word, &name, &value) && rest.n)) return word;
        line = rest;
        if (!line.n) return word;
    }
}

bool command_is_known(struct str line) {
    struct str word = str_file_name(first_word(line));
    if (STR_AMONG(word, tools) || is_python(word)) return true;
    if (STR_AMONG(word, shell_words_known)) return true;
    for (size_t i = 0; i < COUNT_OF(launchers); i++)
        if (str_eq(word, str_of(launchers[i].word))) return true;
    return false;
}

bool command_is_launch(struct str line) {
    struct str word = first_word(line), rest;
    struct str base = str_file_name(word);
    if (!pick_after(line, word, &rest) || !rest.n) return false;
    if (is_python(base)) return str_has(rest, STR(".py")) || str_has(rest, STR("-m "));
    for (size_t i = 0; i < COUNT_OF(launchers); i++) {
        if (!str_eq(base, str_of(launchers[i].word))) continue;
        if (launchers[i].second) {
            if (str_starts(rest, str_of(launchers[i].second))) return true;
            continue;
        }
        /* "deepspeed version 0.9" is a note: a command has an option or a script. */
        return rest.p[0] == '-' || str_has(rest, STR(" --")) || str_has(rest, STR(".py"));
    }
    return false;
}
