#include <stdlib.h>

#include "input/keep.h"
#include "text/chars.h"
#include "text/grams.h"
#include "text/masked.h"
#include "text/text.h"

/* Words of trouble and what they weigh; words that take the trouble back. */
struct word {
    const char *text;
    int weight;
};
static const struct word bad[] = {
    {"error", 10},
    {"exception", 10},
    {"fatal", 14},
    {"failed", 9},
    {"failure", 8},
    {"killed", 10},
    {"aborted", 9},
    {"abort", 6},
    {"segmentation", 14},
    {"core dumped", 12},
    {"panic", 10},
    {"cannot", 6},
    {"can't", 5},
    {"could not", 6},
    {"couldn't", 6},
    {"unable to", 7},
    {"not found", 8},
    {"no such file", 10},
    {"permission denied", 12},
    {"refused", 8},
    {"timed out", 9},
    {"timeout", 6},
    {"unreachable", 8},
    {"invalid", 6},
    {"illegal", 8},
    {"undefined", 7},
    {"unsupported", 6},
    {"not supported", 7},
    {"out of memory", 14},
    {"mismatch", 7},
    {"corrupt", 9},
    {"missing", 5},
    {"denied", 6},
    {"no space left", 14},
    {"not permitted", 8},
    {"terminated", 6},
    {"terminating", 5},
    {"broken", 6},
    {"lost", 4},
    {"nan", 4},
    {"command not found", 12},
    {"assert", 6},
    {"unrecognized", 7},
    {"unexpected", 5},
    {"required", 3},
    {"oom", 8},
    {"deadlock", 9},
    {"hang", 5},
    {"reset by peer", 8},
    {"not available", 6},
};
static const struct word good[] = {
    {"warning", -6},
    {"deprecat", -8},
    {"0 errors", -20},
    {"no error", -20},
    {"error rate", -12},
    {"ignored", -5},
    {"ignoring", -5},
    {"error_file", -20},
    {"class error", -20},
    {"error: 0", -20},
    {"errors=0", -20},
    {"if you", -4},
    {"please", -2},
    {"_error", -3},
    {"error_", -5},
    {"on_error", -10},
    {"timeout=", -6},
    {"_timeout", -6},
    {"timeout:", -4},
    {"nan_", -8},
    {"retry", -3},
    {"false", -3},
    {"loss", -4},
    {"....", -12},
    {"default", -3},
    {"error handling", -8},
    {"except", -1},
    {"check_", -4},
    {"failed=0", -20},
    {"failed: 0", -20},
    {"no_other_failures", -20},
    {"to enable traceback", -20},
    {"frame #", -20},
};

static bool at_word(struct str s, size_t at, size_t n) {
    return (at == 0 || !is_alpha(s.p[at - 1])) && !is_lower(byte_at(s, at + n));
}

/* Occurrence without case; short words must stand alone ("oom" in "room", "nan" in "nanometer"). */
static bool has_word(struct str lower, const struct grams *grams, const char *text) {
    struct str word = str_of(text);
    if (!grams_may(grams, word)) return false;
    for (ptrdiff_t at = str_find(lower, word, 0); at >= 0;
         at = str_find(lower, word, (size_t)at + 1)) {
        bool start = at == 0 || !is_alpha(lower.p[at - 1]);
        if (word.n > 4 ? start || word.n > 7 : at_word(lower, (size_t)at, word.n)) return true;
    }
    return false;
}

/* Source code that a log printed speaks of errors all the time. */
static bool is_code(struct str body) {
    static const char *const starts[] = {
        "raise ", "assert ", "def ",     "if ",     "elif ",  "except", "#",    "import ", "from ",
        "print(", "logger.", "logging.", "return ", "\"\"\"", "class ", "try:", "for "};
    return STR_STARTS_ANY(str_trim(body), starts);
}

enum { LOOKED = 512 };

static struct str lower_of(char room[LOOKED], struct str body) {
    struct str lower = {room, body.n < LOOKED ? body.n : LOOKED};
    for (size_t i = 0; i < lower.n; i++) room[i] = to_lower(body.p[i]);
    return lower;
}

static bool may_be_bad(const struct grams *grams) {
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (grams_may(grams, str_of(bad[i].text))) return true;
    return false;
}

bool standout_dull(struct str body, const struct grams *grams, int severity) {
    char room[LOOKED];
    if (severity >= SEVERITY_ERROR) return is_code(body);
    if (!may_be_bad(grams) || is_code(body)) return true;
    struct str lower = lower_of(room, body);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (has_word(lower, grams, bad[i].text)) return false;
    return true;
}

int standout_score(struct str body, const struct grams *grams, int severity) {
    char room[LOOKED];
    struct str lower = lower_of(room, body);
    int best = 0, sum = 0, back = 0;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        if (!has_word(lower, grams, bad[i].text)) continue;
        sum += bad[i].weight;
        if (bad[i].weight > best) best = bad[i].weight;
    }
    if ((!best && severity < SEVERITY_ERROR) || is_code(body)) return 0;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (grams_has(grams, lower, str_of(good[i].text))) back += good[i].weight;
    int score = best + (sum - best) / 3 + back;
    if (severity == SEVERITY_ERROR) score += 8;
    if (severity == SEVERITY_FATAL) score += 14;
    if (severity == SEVERITY_INFO) score -= 8;
    if (severity == SEVERITY_WARNING) score -= 6;
    struct str message;
    if (exception_read(str_trim(body), true, &message)) score += 12;
    return score > 0 ? score : 0;
}

static bool row_is_worse(const struct standout_row *a, const struct standout_row *b) {
    if (a->score != b->score) return a->score < b->score;
    return a->origin.line > b->origin.line;
}

void standouts_init(struct standout_keeper *keeper) {
    keeper->n = 0;
}

void standouts_add(struct standout_keeper *keeper, const struct line_seen *line, int score) {
    uint64_t hash = masked_loosely(line->text); /* the same of many ranks counts once */
    struct standout_row *row = NULL, *worst = NULL;
    for (int i = 0; i < keeper->n; i++) {
        if (keeper->rows[i].hash == hash) return;
        if (!worst || row_is_worse(&keeper->rows[i], worst)) worst = &keeper->rows[i];
    }
    if (keeper->n < LIMIT_STANDOUT) {
        row = &keeper->rows[keeper->n++];
    } else if (worst->score < score) {
        row = worst;
        free(row->text);
    }
    if (!row) return;
    size_t n = line->text.n < LIMIT_TEXT + 1024 ? line->text.n : LIMIT_TEXT + 1024;
    size_t host = line->origin.host.n;
    *row = (struct standout_row){.hash = hash, .origin = line->origin, .score = score, .n = n};
    row->text = heap_bytes(n + host + 1);
    if (n) memcpy(row->text, line->text.p, n);
    if (host) memcpy(row->text + n, line->origin.host.p, host);
    row->host = (struct str){row->text + n, host};
}

void standouts_finish(struct standout_keeper *keeper, struct evidence *evidence) {
    struct arena *arena = &evidence->arena;
    for (int i = 0; i < keeper->n; i++) {
        struct standout_row *row = &keeper->rows[i];
        struct standout standout = {.origin = row->origin, .score = row->score};
        standout.origin.host = arena_str(arena, row->host);
        standout.text = mask_secrets(arena, (struct str){row->text, row->n});
        vec_push(arena, &evidence->standouts, standout);
        free(row->text);
    }
    keeper->n = 0;
}
