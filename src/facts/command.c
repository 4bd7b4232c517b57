#include "facts/command.h"

#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/shell.h"

#include <ctype.h>

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
static const char *const tools[] = {
    "python",      "python3",   "pip",      "pip3",   "conda",     "docker",  "nvidia-smi",
    "git",         "wget",      "curl",     "sbatch", "salloc",    "bash",    "sh",
    "ray",         "cmake",     "make",     "ninja",  "ds_report", "uv",      "apt",
    "apt-get",     "module",    "export",   "source", "cd",        "nohup",   "sudo",
    "singularity", "apptainer", "RUN",      "ENV",    "FROM",      "echo",    "mkdir",
    "unset",       "ulimit",    "lmdeploy", "sglang", "trl",       "axolotl", "env",
    "set",         "numactl",   "kubectl"};
/* Options that take no value, so that the word behind them is the program. */
static const char *const flags[] = {
    "standalone",   "no_python",    "use_env",       "multi_gpu",         "use_deepspeed",
    "use_fsdp",     "cpu",          "no_local_rank", "force_multi",       "dynamo_use_dynamic",
    "same_network", "debug",        "oversubscribe", "allow_run_as_root", "exclusive",
    "label",        "no_ssh_check", "no_ssh",        "use_xpu",           "tpu",
    "mps",          "quiet",        "unbuffered",    "no_kill",           "use_hostfile"};

static struct str base_name(struct str path) {
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/') at--;
    return str_sub(path, at, path.n);
}

static bool is_python(struct str word) {
    struct str name = base_name(word);
    if (!str_starts(name, STR("python")) && !str_starts(name, STR("pypy"))) return false;
    for (size_t i = 6; i < name.n; i++)
        if (!isdigit((unsigned char)name.p[i]) && name.p[i] != '.') return false;
    return true;
}

static bool in_list(struct str word, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_eq(word, str_of(list[i]))) return true;
    return false;
}

static const struct launcher *launcher_at(const struct shell_words *words, int at, int *length) {
    struct str word = base_name(words->v[at]);
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

/* ---- options
 * -------------------------------------------------------------------------------------- */

static struct str option_key(struct reading *reading, struct str option) {
    while (option.n && option.p[0] == '-') option = str_sub(option, 1, option.n);
    struct str key = note_key_of(reading, "arg.", option);
    for (size_t i = 4; i < key.n; i++)
        if (key.p[i] == '-') ((char *)key.p)[i] = '_';
    return key;
}

static bool is_option(struct str word) {
    return word.n >= 2 && word.p[0] == '-' &&
           (isalpha((unsigned char)word.p[1]) || (word.p[1] == '-' && word.n > 2));
}

static bool is_flag(struct str key) {
    return in_list(str_sub(key, 4, key.n), flags, COUNT_OF(flags));
}

static bool is_program(struct str word) {
    return str_ends(word, STR(".py")) || str_ends(word, STR(".sh")) || str_ends(word, STR(".pyz"));
}

/* Notes the option at words[at] and returns how many words it took. */
static int read_option(struct reading *reading, const struct shell_words *words, int at,
                       bool program_seen) {
    struct str word = words->v[at], name, value;
    if (memchr(word.p, '=', word.n) && pick_pair(word, '=', &name, &value)) {
        while (value.n && value.p[0] == '=') value = str_sub(value, 1, value.n); /* --mp_size==16 */
        note(reading, option_key(reading, name), value);
        return 1;
    }
    struct str key = option_key(reading, word);
    bool last = at + 1 >= words->n || is_option(words->v[at + 1]);
    if (last || is_flag(key) || (!program_seen && is_program(words->v[at + 1]))) {
        note(reading, key, STR("true"));
        return 1;
    }
    note(reading, key, words->v[at + 1]);
    return 2;
}

static bool is_redirect(struct str word) {
    return word.n && (word.p[0] == '>' || word.p[0] == '<' || str_starts(word, STR("2>")) ||
                      str_starts(word, STR("&>")));
}

/* key=value without dashes, as Hydra and OmegaConf take it. */
static void read_plain(struct reading *reading, struct str word) {
    struct str name, value;
    if (word.n && word.p[0] == '+') word = str_sub(word, 1, word.n);
    if (!pick_pair(word, '=', &name, &value) || !value.n || name.n > 80) return;
    for (size_t i = 0; i < name.n; i++)
        if (!pick_is_word(name.p[i]) && name.p[i] != '.') return;
    note(reading, note_key_of(reading, "arg.", name), value);
}

static int read_options(struct reading *reading, const struct shell_words *words, int at,
                        bool program_seen) {
    while (at < words->n) {
        struct str word = words->v[at];
        if (is_redirect(word)) return words->n;
        if (is_option(word)) {
            at += read_option(reading, words, at, program_seen);
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
    if (at >= words->n) return;
    note(reading, STR("cmd.program"), words->v[at]);
    read_options(reading, words, at + 1, true);
}

static void note_counts(struct reading *reading, const struct launcher *launcher) {
    (void)launcher;
    static const char *const nodes[] = {"nnodes", "num_nodes", "num_machines", "nodes", "N"};
    const struct evidence *evidence = reading->evidence;
    for (size_t i = 0; i < COUNT_OF(nodes); i++) {
        struct str key = note_key(reading, "arg.%s", nodes[i]);
        int count;
        if (!note_has(reading, key)) continue;
        struct str value = evidence_fact(evidence, key);
        if (pick_int(value, &count) && count > 0 && !memchr(value.p, ':', value.n))
            note_int(reading, STR("nodes.count"), count);
    }
}

/* ---- commands
 * ----------------------------------------------------------------------------------------- */

static void read_install(struct reading *reading, const struct shell_words *words, int at) {
    for (at++; at < words->n; at++)
        if (str_has(words->v[at], STR("=="))) line_package(reading, words->v[at]);
}

static int skip_env(struct reading *reading, const struct shell_words *words, int at) {
    static const char *const wrappers[] = {"nohup",   "time", "exec",   "sudo",   "env",
                                           "command", "RUN",  "ENV",    "export", "$",
                                           "+",       "++",   "setsid", "stdbuf"};
    struct str name, value;
    for (; at < words->n; at++) {
        if (line_assignment(words->v[at], &name, &value))
            note(reading, note_key_of(reading, "env.", name), value);
        else if (!in_list(words->v[at], wrappers, COUNT_OF(wrappers)))
            break;
    }
    return at;
}

/* Launchers may nest (srun torchrun, mpirun python -m torch.distributed.run): the innermost names
 * the job, the outermost is kept beside it. */
static void read_launch(struct reading *reading, const struct shell_words *words, int at) {
    const struct launcher *launcher = NULL, *outer = NULL;
    for (int depth = 0; depth < 4 && at < words->n; depth++) {
        int length;
        const struct launcher *next = launcher_at(words, at, &length);
        if (!next) break;
        if (launcher) outer = launcher;
        launcher = next;
        at = read_options(reading, words, at + length, false);
        at = skip_env(reading, words, at);
        if (!launcher->outer) break;
        /* Behind an outer launcher words such as host lists may stand; the next launcher is looked
         * for. */
        for (int ahead = at; ahead < words->n; ahead++)
            if (launcher_at(words, ahead, &length) || is_python(words->v[ahead])) {
                at = ahead;
                break;
            }
    }
    if (launcher) note(reading, STR("cmd.launcher"), str_of(launcher->id));
    if (outer) note(reading, STR("cmd.outer"), str_of(outer->id));
    if (!launcher) note(reading, STR("cmd.launcher"), STR("python"));
    read_program(reading, words, at);
    note_counts(reading, launcher);
}

static void read_words(struct reading *reading, struct shell *shell,
                       const struct shell_words *words, struct str line) {
    struct str name, value;
    bool only_assignments = true;
    for (int i = 0; i < words->n; i++)
        only_assignments = only_assignments && line_assignment(words->v[i], &name, &value);
    if (only_assignments) { /* a script's variable, not yet the environment's */
        for (int i = 0; shell && i < words->n; i++)
            if (line_assignment(words->v[i], &name, &value))
                shell_set(shell, &reading->scratch, name, value);
        return;
    }
    bool exported = str_eq(words->v[0], STR("export"));
    for (int i = 1; exported && shell && i < words->n; i++)
        if (line_assignment(words->v[i], &name, &value))
            shell_set(shell, &reading->scratch, name, value);
    int at = skip_env(reading, words, 0), length;
    if (at >= words->n) return;
    struct str first = base_name(words->v[at]);
    bool install = str_eq(first, STR("pip")) || str_eq(first, STR("pip3")) ||
                   str_eq(first, STR("conda")) || str_eq(first, STR("uv"));
    if (install) read_install(reading, words, at);
    if (launcher_at(words, at, &length) || (is_python(words->v[at]) && at + 1 < words->n)) {
        note(reading, STR("cmd.line"), line);
        read_launch(reading, words, at);
    } else if (in_list(first, tools, COUNT_OF(tools)) && !exported && !str_eq(first, STR("echo"))) {
        note(reading, STR("cmd.tool"), first);
    }
}

void command_read(struct reading *reading, struct shell *shell, struct str line) {
    struct shell_words words;
    struct str rest = shell_expand(&reading->scratch, shell, str_sub(line, 0, COMMAND_TEXT));
    struct str whole = rest;
    for (int n = 0; n < 64 && shell_command(&reading->scratch, &rest, &words); n++)
        read_words(reading, shell, &words, whole);
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
    struct str word = base_name(first_word(line));
    if (in_list(word, tools, COUNT_OF(tools)) || is_python(word)) return true;
    for (size_t i = 0; i < COUNT_OF(launchers); i++)
        if (str_eq(word, str_of(launchers[i].word))) return true;
    return false;
}

bool command_is_launch(struct str line) {
    struct str word = first_word(line), rest;
    struct str base = base_name(word);
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
