#include "app/ask.h"

#include "facts/reply.h"
#include "report/layout.h"

#include <ctype.h>

enum { QUESTIONS_MAX = 6, GENERAL_MAX = 3 /* of those */ };

static const struct section {
    const char *name, *reader, *command;
    const char *gives[8]; /* keys, or their beginnings where they end with '.' */
    int always;           /* printed where the diagnosis is not sure what it wants, first to last */
} sections[] = {
    {"gpu", "nvidia-smi", "nvidia-smi", {"gpu.", "driver.version", "smi."}, 1},
    {"gpu-details", "nvidia-smi-q", "nvidia-smi -q | head -c 200000", {"gpu."}, 0},
    {"packages",
     "packages",
     "python3 -m pip list --disable-pip-version-check",
     {".version", "python.version"},
     2},
    {"torch",
     "collect_env",
     "python3 -m torch.utils.collect_env",
     {"torch.", "cuda.version", "python.version", "gcc.version", "nccl.version", "os."},
     3},
    {"environment",
     "environment",
     "env | grep -E "
     "'^(CUDA|NCCL|TORCH|PYTORCH|MASTER_|RANK|LOCAL_|WORLD_SIZE|GLOO|OMP_|OMPI_|SLURM_"
     "|DS_|HF_|TRANSFORMERS|HIP|ROCR|LD_|PATH|MKL|UCX|FI_|MPI|KUBERNETES_SERVICE_HOST)' "
     "| grep -viE 'TOKEN|SECRET|PASS|KEY'",
     {"env."},
     4},
    {"compilers",
     "system",
     "nvcc --version; gcc --version | head -1; ldd --version | head -1",
     {"nvcc.version", "gcc.version", "glibc.version"},
     0},
    {"system", "system", "cat /etc/os-release; uname -r", {"os.", "kernel.", "wsl"}, 0},
    {"ninja", "environment", "echo \"ninja $(ninja --version)\"", {"ninja.version"}, 0},
    {"memory", "system", "free", {"memory.", "host.memory"}, 5},
    {"disk", "system", "df -h . /tmp /dev/shm", {"disk.", "shm."}, 6},
    {"limits", "system", "ulimit -a", {"ulimit."}, 0},
    {"kernel",
     "kernel",
     "dmesg | grep -iE 'NVRM|Xid|nvlink|oom-kill|out of memory|killed "
     "process|segfault|hung_task|mce:'"
     " | tail -200",
     {"kernel.", "xid", "oom."},
     7},
    {"infiniband", "infiniband", "ibstat", {"ib.", "infiniband."}, 0},
    {"deepspeed", "ds_report", "ds_report", {"deepspeed.version", "ds_report."}, 0},
};

/* ---- what only reads ------------------------------------------------------------------------ */

static struct str first_word(struct str text, struct str *rest) {
    struct str word = {0};
    *rest = str_trim(text);
    str_split(rest, ' ', &word);
    *rest = str_trim(*rest);
    return word;
}

/* One program of a pipeline or a list. */
static bool step_reads(struct str step) {
    static const char *const readers[] = {
        "nvidia-smi",  "rocm-smi", "nvcc",   "gcc",      "g++",    "ldd",   "ls",        "df",
        "free",        "which",    "uname",  "lscpu",    "ibstat", "nproc", "sinfo",     "sacct",
        "dmesg",       "cat",      "head",   "tail",     "grep",   "sort",  "uniq",      "wc",
        "ss",          "ninja",    "du",     "printenv", "ulimit", "quota", "ds_report", "squeue",
        "ibv_devinfo", "scontrol", "getent", "hostname"};
    struct str rest, word = first_word(step, &rest), second = first_word(rest, &rest);
    if (STR_AMONG(word, readers))
        return !str_eq(word, STR("scontrol")) || str_eq(second, STR("show"));
    bool python = str_eq(word, STR("python")) || str_eq(word, STR("python3"));
    struct str module = {0};
    if (python && str_eq(second, STR("-m"))) module = first_word(rest, &rest);
    if (str_eq(module, STR("torch.utils.collect_env"))) return true;
    if (str_eq(module, STR("pip"))) second = first_word(rest, &rest);
    if (!str_eq(word, STR("pip")) && !str_eq(module, STR("pip"))) return false;
    return str_eq(second, STR("show")) || str_eq(second, STR("list")) ||
           str_eq(second, STR("freeze"));
}

/* "pip show NAME": a word in capitals is to be filled in by a person. */
static bool has_blank(struct str text) {
    for (struct str word; text.n && str_split(&text, ' ', &word);) {
        bool capitals = word.n >= 3;
        for (size_t i = 0; i < word.n; i++)
            capitals = capitals && (isupper((unsigned char)word.p[i]) || word.p[i] == '_');
        if (capitals) return true;
    }
    return false;
}

static bool is_plain(struct str text) {
    for (size_t i = 0; i < text.n; i++)
        if (strchr("<>`$&{}\n", text.p[i])) return false;
    return text.n > 0;
}

static struct str command_of(struct str how) {
    return str_starts(how, STR("run: ")) ? str_sub(how, 5, how.n) : how;
}

/* True for a command that only reads: known programs, no redirection, nothing left to fill in. */
static bool is_command(struct str how) {
    struct str text = str_trim(command_of(how)), list, step;
    if (!is_plain(text) || has_blank(text) || str_starts(text, STR("nvidia-smi -r")) ||
        str_has(text, STR("--gpu-reset")))
        return false;
    while (text.n && str_split(&text, ';', &list))
        while (list.n && str_split(&list, '|', &step))
            if (!step_reads(step)) return false;
    return true;
}

/* ---- the block ------------------------------------------------------------------------------ */

struct block {
    struct buf *out;
    const struct kb *kb;
    const struct want *wants;
    int n_wants;
    const struct question *questions[QUESTIONS_MAX]; /* asked in words */
    int n_questions;
};

/* Inside single quotes of a shell. */
static void add_quoted(struct buf *out, struct str text) {
    struct buf clean = {0};
    layout_clean(&clean, text);
    buf_char(out, '\'');
    for (size_t i = 0; i < clean.n; i++)
        if (clean.p[i] == '\'')
            buf_printf(out, "'\\''");
        else
            buf_char(out, clean.p[i]);
    buf_char(out, '\'');
    buf_release(&clean);
}

/* A dead driver or file server must not stop the whole block. */
static const char *limit_of(struct str command) {
    static const char *const may_hang[] = {"nvidia-smi", "rocm-smi", "python", "python3", "df",
                                           "ds_report",  "ibstat",   "sinfo",  "squeue",  "sacct",
                                           "scontrol",   "getent",   "du",     "quota"};
    struct str rest;
    return STR_AMONG(first_word(command, &rest), may_hang) ? "timeout -k 2 20 " : "";
}

static void add_section(struct block *block, const char *name, const char *reader,
                        struct str command) {
    buf_printf(block->out, "echo '" REPLY_MARK "%s%s%s ####'\n", name, *reader ? " " : "", reader);
    buf_printf(block->out, "{ %s" STR_FMT "; } 2>/dev/null\n", limit_of(command), STR_ARG(command));
}

static bool gives(const struct section *section, struct str key) {
    for (size_t i = 0; i < COUNT_OF(section->gives) && section->gives[i]; i++) {
        struct str given = str_of(section->gives[i]);
        bool prefix = str_ends(given, STR(".")), suffix = str_starts(given, STR("."));
        if (prefix ? str_starts(key, given) : suffix ? str_ends(key, given) : str_eq(key, given))
            return true;
    }
    return false;
}

/* A section is wanted where it gives a fact that no earlier one of the block does. */
static void add_wanted(struct block *block, bool *in) {
    for (int w = 0; w < block->n_wants; w++) {
        if (block->wants[w].question >= 0) continue;
        struct str key = block->wants[w].key;
        int best = -1;
        for (size_t i = 0; i < COUNT_OF(sections); i++) {
            if (!gives(&sections[i], key)) continue;
            if (in[i]) {
                best = -1;
                break;
            }
            if (best < 0) best = i;
        }
        if (best >= 0) in[best] = true;
    }
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(sections); i++) any |= in[i];
    for (size_t i = 0; i < COUNT_OF(sections) && !any; i++) in[i] = sections[i].always > 0;
}

/* The questions that tell most; those that fit every failure leave room for the failure's own. */
static void choose_questions(struct block *block) {
    int general = 0;
    for (int w = 0; w < block->n_wants && block->n_questions < QUESTIONS_MAX; w++) {
        if (block->wants[w].question < 0) continue;
        const struct question *question = &block->kb->questions[block->wants[w].question];
        if (kb_question_is_general(question) && ++general > GENERAL_MAX) continue;
        block->questions[block->n_questions++] = question;
    }
}

/* Commands that answer a question: their output is read by whoever knows it. */
static void add_commands(struct block *block) {
    for (int i = 0; i < block->n_questions; i++) {
        const struct question *question = block->questions[i];
        if (!is_command(question->how)) continue;
        buf_printf(block->out, "# %.*s\n", STR_ARG(question->ask));
        struct arena arena = {0};
        const char *name = arena_cstr(&arena, question->id);
        add_section(block, name, "", command_of(question->how));
        arena_release(&arena);
    }
}

/* "oom-growth = ?   # Did the memory grow? yes: it grew; no: it was flat" */
static void add_questions(struct block *block) {
    for (int i = 0; i < block->n_questions; i++) {
        const struct question *question = block->questions[i];
        struct buf line = {0};
        if (!i) {
            buf_printf(block->out, "echo '" REPLY_MARK "questions ####'\n");
            buf_printf(block->out, "echo '# put one of the words in place of each ?'\n");
        }
        buf_printf(&line, STR_FMT " = ?   # " STR_FMT, STR_ARG(question->id),
                   STR_ARG(question->ask));
        for (int c = 0; c < question->n_choices; c++)
            buf_printf(&line, "%s" STR_FMT ": " STR_FMT, c ? "; " : " ",
                       STR_ARG(question->choices[c].id), STR_ARG(question->choices[c].text));
        buf_printf(block->out, "echo ");
        add_quoted(block->out, buf_view(&line));
        buf_char(block->out, '\n');
        buf_release(&line);
    }
}

void ask_block(struct buf *out, struct session *session) {
    struct arena arena = {0};
    bool in[COUNT_OF(sections)] = {0};
    struct block block = {.out = out, .kb = session_kb(session)};
    block.wants = walk_wants(block.kb, session_evidence(session), session_diagnosis(session),
                             &arena, &block.n_wants);
    choose_questions(&block);
    buf_printf(out, "# Commands that only read.  Paste all of it into a shell on the machine that "
                    "failed, as the\n# job's user and in its environment, and send back everything "
                    "that it prints.\n(\n");
    buf_printf(out, "echo \"" REPLY_MARK "begin $(hostname) $(date -u +%%Y-%%m-%%dT%%H:%%M:%%SZ) "
                    "####\"\n");
    add_wanted(&block, in);
    add_commands(&block);
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        if (in[i])
            add_section(&block, sections[i].name, sections[i].reader, str_of(sections[i].command));
    add_questions(&block);
    buf_printf(out, "echo '" REPLY_MARK "end ####'\n)\n");
    arena_release(&arena);
}
