/* Environments as people describe them: env dumps, notes, pasted answers, all in one file. */
#include "facts/environment.h"

#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/system.h"
#include "text/chars.h"

/* A question to Python whose answer is the next line: `>>> torch.__version__`, `python -c
 * "print(...)"`. */
static bool question_of(struct str line, struct str *name) {
    static const char *const asked[] = {"torch.version.cuda", "cudnn.version()", "nccl.version()",
                                        "torch.version.hip"};
    static const char *const names[] = {"cuda", "cudnn", "nccl", "hip"};
    for (size_t i = 0; i < COUNT_OF(asked); i++)
        if (str_has(line, str_of(asked[i]))) return *name = str_of(names[i]), true;
    ptrdiff_t at = str_find(line, STR(".__version__"), 0);
    if (at <= 0) return false;
    size_t start = (size_t)at;
    while (start > 0 && is_word(line.p[start - 1])) start--;
    *name = str_sub(line, start, (size_t)at - start);
    return name->n > 0;
}

/* "8005" is cuDNN 8.0.5, "90100" 9.1.0, "2708" NCCL 2.7.8, "21805" 2.18.5; "(2, 18, 1)" too. */
static void note_answer(struct reading *reading, struct str name, struct str answer) {
    answer = pick_unquote(answer);
    int number;
    bool dotted = memchr(answer.p, '.', answer.n);
    if (str_eq(name, STR("nccl")) && !dotted) {
        int major, minor, patch;
        struct str inside, second, third;
        if (pick_between(answer, STR("("), STR(")"), &inside) && pick_int(inside, &major) &&
            pick_after(inside, STR(","), &second) && pick_int(second, &minor) &&
            pick_after(second, STR(","), &third) && pick_int(third, &patch))
            note(reading, STR("nccl.version"), note_key(reading, "%d.%d.%d", major, minor, patch));
        else if (pick_int(answer, &number) && number >= 10000)
            note(reading, STR("nccl.version"),
                 note_key(reading, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100));
        else if (pick_int(answer, &number) && number >= 1000)
            note(reading, STR("nccl.version"),
                 note_key(reading, "%d.%d.%d", number / 1000, number / 100 % 10, number % 100));
    } else if (str_eq(name, STR("cudnn")) && !dotted && pick_int(answer, &number)) {
        int thousand = number >= 90000 ? 10000 : 1000;
        note(reading, STR("cudnn.version"),
             note_key(reading, "%d.%d.%d", number / thousand, number % thousand / 100,
                      number % 100));
    } else {
        package_note(reading, name, answer);
    }
}

struct pending {
    struct str name; /* of the question, or of pip show's "Name:" */
};

static bool answered(struct reading *reading, struct pending *pending, struct str line) {
    if (!pending->name.n) return false;
    struct str answer = pick_unquote(line);
    if (!answer.n || !(is_digit(answer.p[0]) || answer.p[0] == '(')) return false;
    note_answer(reading, pending->name, answer);
    pending->name = (struct str){0};
    return true;
}

static void read_line(struct reading *reading, struct pending *pending, struct str *shown,
                      struct str line) {
    struct str value;
    line = str_trim(line);
    if (!line.n || answered(reading, pending, line)) return;
    if (question_of(line, &pending->name)) return;
    if (str_starts(line, STR("Name: "))) {
        *shown = str_trim(str_sub(line, 6, line.n));
    } else if (shown->n && str_starts(line, STR("Version: ")) &&
               pick_after(line, STR("Version:"), &value)) {
        package_note(reading, *shown, value);
        *shown = (struct str){0};
    } else if (line_env(reading, line) || line_label(reading, line) ||
               line_ds_report(reading, line) || system_line(reading, line)) {
        return;
    } else if (!line_note(reading, line)) {
        line_package(reading, line);
    }
}

void environment_finish(struct reading *reading) {
    /* "CUDA 11.8" without more is taken for torch's, unless torch's own tag told. */
    if (note_has(reading, STR("cuda.version")) || !note_has(reading, STR("cuda.system"))) return;
    note(reading, STR("cuda.version"), evidence_fact(reading->evidence, STR("cuda.system")));
}

static void read_environment(struct evidence *evidence, struct str text,
                             const struct origin *origin) {
    struct reading reading;
    struct pending pending = {0};
    struct str line, shown = {0};
    reading_open(&reading, evidence, text, origin, "environment");
    while (reading_line(&reading, &line)) read_line(&reading, &pending, &shown, line);
    environment_finish(&reading);
    reading_close(&reading);
    if (str_has(text, STR("| NVIDIA-SMI "))) reader_smi_table.read(evidence, text, origin);
}

/* ---- recognition ---------------------------------------------------------------------- */

/* The share of lines that are `NAME=value` with names in upper case. */
static int dump_percent(struct str head, int *n_lines) {
    struct str rest = head, line, name, value;
    int own = 0;
    *n_lines = 0;
    while (str_line(&rest, &line) && *n_lines < 400) {
        line = str_trim(line);
        if (!line.n) continue;
        ++*n_lines;
        if (str_starts(line, STR("export "))) line = str_sub(line, 7, line.n);
        if (str_starts(line, STR("declare -x "))) line = str_sub(line, 11, line.n);
        if (!line_assignment(line, &name, &value)) continue;
        bool upper = name.n >= 2;
        for (size_t i = 0; i < name.n; i++) upper = upper && !is_lower(name.p[i]);
        own += upper;
    }
    return *n_lines ? own * 100 / *n_lines : 0;
}

/* How many lines of a short text yield facts when read as notes: reading is the surest test. */
static int notes_percent(struct str head) {
    struct evidence scratch = {0};
    struct origin origin = {.source = -1, .rank = -1, .time = TIME_UNKNOWN, .line = 1};
    struct str rest = head, line;
    uint32_t last = 0;
    int lines = 0, own = 0;
    while (str_line(&rest, &line)) lines += str_trim(line).n > 0;
    read_environment(&scratch, head, &origin);
    for (size_t i = 0; i < scratch.facts.n; i++) {
        own += scratch.facts.v[i].origin.line != last;
        last = scratch.facts.v[i].origin.line;
    }
    evidence_release(&scratch);
    return lines ? own * 100 / lines : 0;
}

/* Notes come in short lines, several of them; sentences are the user's own words. */
static bool is_listing(struct str head) {
    struct str rest = head, line, word = {0};
    int lines = 0;
    while (str_line(&rest, &line)) {
        int words = 0;
        lines += str_trim(line).n > 0;
        for (line = str_trim(line); line.n; words++) word = pick_word(line, &line);
        if (words > 12 || str_ends(word, STR("."))) return false;
    }
    return lines >= 2;
}

static int recognize(struct str head, struct str name) {
    int lines;
    int percent = dump_percent(head, &lines);
    bool trouble =
        str_has(head, STR("Traceback (most recent call last)")) || str_has(head, STR("[INFO]"));
    bool named = str_find_nocase(name, STR("env"), 0) >= 0 &&
                 (str_ends(name, STR(".txt")) || str_ends(name, STR(".md")) ||
                  str_ends(name, STR(".log")) || str_ends(name, STR("env")));
    if (percent >= 80 && lines >= 3) return 91;
    if (str_has(head, STR("`Accelerate` version:")) ||
        str_has(head, STR("`transformers` version:")))
        return trouble ? 40 : 90;
    if (named) return 70;
    if (str_find_nocase(name, STR("version"), 0) >= 0 ||
        str_find_nocase(name, STR("sysinfo"), 0) >= 0)
        return trouble ? 0 : 65;
    if (trouble || head.n > 8192 || lines > 120) return 0;
    return is_listing(head) && notes_percent(head) >= 60 ? 58 : 0;
}

void words_line(struct reading *reading, struct str line) {
    struct str body = str_trim(line);
    if (!body.n) return;
    bool listed = body.n < 120 && (strchr("-*", body.p[0]) || memchr(body.p, ':', body.n));
    if (listed && (line_label(reading, body) || line_note(reading, body))) return;
    line_prose(reading, body);
}

const struct fact_reader reader_environment = {
    .id = "environment",
    .about = "env dumps and notes about versions and machines",
    .kind = KIND_ENV,
    .recognize = recognize,
    .read = read_environment};
