#include "report/phrase.h"

#include "text/chars.h"

#include <time.h>

enum { REASON_BYTES = 200, BESIDE_BYTES = 120, BEFORE_BYTES = 40, WORD_BYTES = 24 };
static const double least_shown = 0.02; /* confidence */

void phrase_time(int64_t time, const char *format, char text[PHRASE_TIME]) {
    time_t seconds = (time_t)(time / 1000000000);
    struct tm tm;
    if (time % 1000000000 < 0) seconds--;
    if (!gmtime_r(&seconds, &tm) || !strftime(text, PHRASE_TIME, format, &tm)) text[0] = '\0';
}

struct str phrase_cut(struct arena *arena, struct str text, size_t most) {
    if (text.n <= most) return text;
    size_t word = most;
    while (word && most - word < WORD_BYTES && (is_word(text.p[word]) || text.p[word] == '.'))
        word--;
    if (text.p[word] == ' ') most = word; /* a number cut short is another number */
    while (most && ((unsigned char)text.p[most] & 0xc0) == 0x80) most--;
    return arena_printf(arena, STR_FMT " ...", STR_ARG(str_trim(str_sub(text, 0, most))));
}

struct str phrase_around(struct arena *arena, const struct kb *kb, int signal, struct str text,
                         size_t most) {
    if (text.n <= most || signal < 0) return phrase_cut(arena, text, most);
    const struct signal *row = &kb->signals[signal];
    size_t from = text.n, to = 0;
    for (int i = 0; i < row->n_needles; i++) {
        ptrdiff_t at = str_find(text, row->needles[i], 0);
        if (at >= 0 && (size_t)at < from) from = (size_t)at, to = from + row->needles[i].n;
    }
    if (to <= most) return phrase_cut(arena, text, most);
    from = from > BEFORE_BYTES ? from - BEFORE_BYTES : 0;
    while (from && ((unsigned char)text.p[from] & 0xc0) == 0x80) from--;
    while (from && text.p[from] != ' ' && to - from < most / 2) from--; /* begin with a word */
    struct str rest = phrase_cut(arena, str_sub(text, from, text.n), most);
    return arena_printf(arena, "... " STR_FMT, STR_ARG(rest));
}

struct str phrase_place(struct arena *arena, const struct evidence *evidence,
                        const struct origin *origin) {
    if (origin->source < 0 || (size_t)origin->source >= evidence->sources.n) return (struct str){0};
    struct str path = evidence->sources.v[origin->source].path;
    if (str_eq(path, STR("-"))) path = STR("standard input");
    if (!origin->line) return path;
    return arena_printf(arena, STR_FMT ":%u", STR_ARG(path), origin->line);
}

static struct str clock_text(struct arena *arena, const struct origin *origin) {
    char text[PHRASE_TIME];
    if (origin->time == TIME_UNKNOWN) return (struct str){0};
    phrase_time(origin->time, "%H:%M:%S", text);
    return arena_str(arena, str_of(text));
}

struct str phrase_who(struct arena *arena, const struct origin *origin) {
    struct str clock = clock_text(arena, origin), text = {0};
    if (origin->rank >= 0) text = arena_printf(arena, "rank %d", origin->rank);
    if (origin->host.n)
        text = arena_printf(arena, STR_FMT "%son " STR_FMT, STR_ARG(text), text.n ? " " : "",
                            STR_ARG(origin->host));
    if (clock.n)
        text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), text.n ? ", " : "",
                            STR_ARG(clock));
    return text;
}

struct str phrase_when(struct arena *arena, const struct fault_line *fault) {
    struct str text = phrase_who(arena, &fault->origin);
    if (fault->step < 0) return text;
    return arena_printf(arena, STR_FMT "%safter step %lld", STR_ARG(text), text.n ? ", " : "",
                        (long long)fault->step);
}

struct str phrase_frame(struct arena *arena, const struct fault_line *fault) {
    const struct frame *frame = fault->frame;
    if (!frame) return (struct str){0};
    struct str code = phrase_cut(arena, str_trim(frame->code), BESIDE_BYTES);
    return arena_printf(arena, STR_FMT ":%u in " STR_FMT "%s" STR_FMT, STR_ARG(frame->path),
                        frame->line, STR_ARG(frame->function), code.n ? ": " : "", STR_ARG(code));
}

struct str phrase_stage(enum stage stage) {
    static const char *const words[STAGE_COUNT] = {
        "while building or importing", "while setting up communication",
        "while preparing data and model", "in training", "in inference"};
    if ((int)stage < 0 || (int)stage >= STAGE_COUNT) return (struct str){0};
    return str_of(words[stage]);
}

static struct str duration_text(struct arena *arena, int64_t seconds) {
    if (seconds < 120) return arena_printf(arena, "%lld s", (long long)seconds);
    if (seconds < 7200) return arena_printf(arena, "%lld min", (long long)(seconds / 60));
    return arena_printf(arena, "%lld h %lld min", (long long)(seconds / 3600),
                        (long long)(seconds % 3600 / 60));
}

static struct str steps_text(struct arena *arena, int64_t steps) {
    return arena_printf(arena, "%lld step%s", (long long)steps, steps == 1 ? "" : "s");
}

/* "180 steps and 42.7 GPU-hours lost since (16 GPUs, 160 min)"; empty where nothing is told. */
static struct str lost_text(struct arena *arena, const struct restart *restart) {
    struct str text = {0};
    double hours = (double)restart->gpus * (double)restart->seconds_lost / 3600;
    if (restart->steps_lost > 0) text = steps_text(arena, restart->steps_lost);
    if (hours >= 0.05)
        text = arena_printf(arena, STR_FMT "%s%.1f GPU-hours", STR_ARG(text), text.n ? " and " : "",
                            hours);
    if (!text.n && restart->steps_lost == 0) text = STR("no step");
    if (!text.n) return text;
    text = arena_printf(arena, STR_FMT " lost since", STR_ARG(text));
    if (restart->seconds_lost <= 0) return text;
    struct str since = duration_text(arena, restart->seconds_lost);
    if (restart->gpus <= 0)
        return arena_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(text), STR_ARG(since));
    return arena_printf(arena, STR_FMT " (%d ranks, " STR_FMT ")", STR_ARG(text), restart->gpus,
                        STR_ARG(since));
}

static struct str checkpoint_text(struct arena *arena, const struct restart *restart) {
    struct str text = {0}, lost = {0};
    if (!restart->checkpoint.n && restart->steps_lost <= 0) return text;
    if (!restart->checkpoint.n)
        return arena_printf(
            arena, "no checkpoint was reported as complete in these logs%s: " STR_FMT " lost",
            restart->spoiled ? " before the loss was no number any more" : "",
            STR_ARG(steps_text(arena, restart->steps_lost)));
    text = arena_printf(arena, "last complete checkpoint: " STR_FMT, STR_ARG(restart->checkpoint));
    if (restart->checkpoint_step >= 0)
        text = arena_printf(arena, STR_FMT " (step %lld)", STR_ARG(text),
                            (long long)restart->checkpoint_step);
    lost = lost_text(arena, restart);
    if (lost.n) text = arena_printf(arena, STR_FMT "; " STR_FMT, STR_ARG(text), STR_ARG(lost));
    if (restart->spoiled)
        text = arena_printf(arena, STR_FMT "; later ones hold weights that are no numbers",
                            STR_ARG(text));
    if (restart->cut)
        text = arena_printf(arena, STR_FMT "; a later one was begun and not finished by all",
                            STR_ARG(text));
    return text;
}

bool phrase_is_weak(const struct diagnosis *diagnosis) {
    if (diagnosis->verdict == VERDICT_UNKNOWN) return true;
    return diagnosis->n_findings && diagnosis->findings[0].failure < 0;
}

bool phrase_is_minor(const struct finding *finding) {
    return finding->confidence < least_shown;
}

struct str phrase_ask(const struct kb *kb, const struct next_step *next) {
    bool general = next->question >= 0 && kb_question_is_general(&kb->questions[next->question]);
    return general ? STR("what would tell these causes apart") : next->text;
}

struct str phrase_restart(struct arena *arena, const struct restart *restart) {
    static const char *const advice[] = {NULL, "again as it is", "again without ",
                                         "again after the change"};
    struct str text = str_of(advice[restart->advice]);
    for (int i = 0; i < restart->n_exclude; i++)
        text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), i ? "," : "",
                            STR_ARG(restart->exclude[i]));
    if (restart->basis.n && restart->advice != RESTART_AFTER_CHANGE)
        text =
            arena_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(text), STR_ARG(restart->basis));
    if (restart->command.n)
        text = arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(text), STR_ARG(restart->command));
    struct str saved = checkpoint_text(arena, restart);
    if (saved.n)
        text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), text.n ? "; " : "",
                            STR_ARG(saved));
    return text;
}

struct str phrase_follows(struct arena *arena, const struct diagnosis *diagnosis) {
    uint64_t lines = 0;
    int ranks = 0;
    for (int i = 0; i < diagnosis->n_secondary; i++) {
        lines += diagnosis->secondary[i].count;
        if (diagnosis->secondary[i].ranks > ranks) ranks = diagnosis->secondary[i].ranks;
    }
    if (!lines) return (struct str){0};
    struct str who = {0};
    if (ranks > 1) who = arena_printf(arena, " of %d ranks", ranks);
    return arena_printf(arena, "%llu further line%s" STR_FMT " only follow%s from it",
                        (unsigned long long)lines, lines == 1 ? "" : "s", STR_ARG(who),
                        lines == 1 ? "s" : "");
}

struct str phrase_cause(const struct kb *kb, const struct finding *finding) {
    if (finding->why.n) return finding->why;
    return finding->root >= 0 ? kb->roots[finding->root].name : finding->title;
}

struct str phrase_rival(struct arena *arena, const struct kb *kb, const struct diagnosis *diagnosis,
                        const struct finding *finding) {
    struct str cause = phrase_cause(kb, finding);
    const struct finding *first = &diagnosis->findings[0];
    struct str beside = finding->failure != first->failure ? finding->title
                        : finding->stage != first->stage   ? phrase_stage(finding->stage)
                                                           : (struct str){0};
    if (!beside.n) return cause;
    return arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(beside), STR_ARG(cause));
}

struct str phrase_template(struct arena *arena, struct str text) {
    for (ptrdiff_t open; (open = str_find(text, STR("{{"), 0)) >= 0;) {
        ptrdiff_t close = str_find(text, STR("}}"), (size_t)open);
        if (close < 0) break;
        struct str filter = str_sub(text, (size_t)open + 2, (size_t)(close - open) - 2), name;
        str_split(&filter, '|', &name);
        name = str_trim(name);
        filter = str_trim(filter);
        bool half = str_eq(filter, STR("half")), twice = str_eq(filter, STR("double"));
        struct str shown = filter.n && !half && !twice ? filter
                                                       : arena_printf(arena, "<%s" STR_FMT ">",
                                                                      half    ? "half of "
                                                                      : twice ? "twice "
                                                                              : "",
                                                                      STR_ARG(name));
        if (str_eq(filter, STR("package"))) shown = STR("PACKAGE");
        text = arena_printf(arena, STR_FMT STR_FMT STR_FMT, STR_ARG(str_sub(text, 0, (size_t)open)),
                            STR_ARG(shown), STR_ARG(str_sub(text, (size_t)close + 2, text.n)));
    }
    return text;
}

/* "answer.oom-when = later" as "When does it fail? after many steps"; empty where it is none. */
static struct str answer_text(struct arena *arena, const struct kb *kb, struct str text) {
    if (!str_starts(text, STR("answer."))) return (struct str){0};
    ptrdiff_t equals = str_find(text, STR(" = "), 0);
    if (equals < 0) return (struct str){0};
    int index = kb_question(kb, str_sub(text, 7, (size_t)equals - 7));
    struct str choice = str_sub(text, (size_t)equals + 3, text.n);
    if (index < 0) return (struct str){0};
    const struct question *question = &kb->questions[index];
    for (int i = 0; i < question->n_choices; i++)
        if (str_eq(question->choices[i].id, choice)) choice = question->choices[i].text;
    return arena_printf(arena, STR_FMT " " STR_FMT, STR_ARG(question->ask), STR_ARG(choice));
}

/* "fault.exception = KeyError" as "the exception is KeyError"; empty where the key is a fact's. */
static struct str derived_text(struct arena *arena, struct str text) {
    static const struct {
        const char *key, *words;
    } rows[] = {{"fault.text = ", "the line says: "},
                {"fault.message = ", "the message says: "},
                {"fault.exception = ", "the exception is "},
                {"fault.frames = ", "the traceback goes through "},
                {"fault.frame = ", "it was raised in "},
                {"fault.rank = ", "it is rank "},
                {"fault.stage = ", "the stage is "},
                {"job.nodes = ", "nodes: "},
                {"job.ranks = ", "ranks: "},
                {"job.world_size = ", "world size: "},
                {"job.steps = ", "steps done: "}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_starts(text, str_of(rows[i].key)))
            return arena_printf(arena, "%s" STR_FMT, rows[i].words,
                                STR_ARG(str_sub(text, strlen(rows[i].key), text.n)));
    ptrdiff_t equals = str_starts(text, STR("cap.")) ? str_find(text, STR(" = "), 0) : -1;
    if (equals < 0) return (struct str){0};
    return arena_printf(arena, "the line names " STR_FMT,
                        STR_ARG(str_sub(text, (size_t)equals + 3, text.n)));
}

struct str phrase_reason(struct arena *arena, const struct kb *kb, const struct reason *reason) {
    if (reason->why.n) return reason->why;
    if (reason->beside)
        return arena_printf(arena, "beside it: " STR_FMT,
                            STR_ARG(phrase_cut(arena, str_trim(reason->text), BESIDE_BYTES)));
    struct str text = answer_text(arena, kb, reason->text);
    if (!text.n) text = derived_text(arena, reason->text);
    return phrase_cut(arena, text.n ? text : reason->text, REASON_BYTES);
}

struct str phrase_unknown(void) {
    return STR(
        "name the whole folder: the logs of all ranks with standard error, the launcher's or "
        "scheduler's, the configuration, the output of nvidia-smi");
}

struct str phrase_near(struct arena *arena, const struct failure *failure) {
    return arena_printf(arena, STR_FMT "  " STR_FMT, STR_ARG(failure->id), STR_ARG(failure->title));
}

struct str phrase_ranks(const struct diagnosis *diagnosis) {
    return diagnosis->roster ? diagnosis->roster->text : (struct str){0};
}

struct str phrase_last(struct arena *arena, const struct evidence *evidence,
                       const struct diagnosis *diagnosis) {
    const struct roster *roster = diagnosis->roster;
    bool silent = roster && roster->culprit >= 0 && str_eq(str_of(roster->why), STR("silent"));
    if (!silent || diagnosis->rollcall || roster->culprit != diagnosis->first_fault.origin.rank)
        return (struct str){0};
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->rank != roster->culprit || source->kind != KIND_LOG || !source->last_line.n)
            continue;
        if (diagnosis->first_fault.origin.source == (int)i) break; /* the fault itself tells */
        struct str line = phrase_cut(arena, str_trim(source->last_line), BESIDE_BYTES);
        return arena_printf(arena, "rank %d wrote last: " STR_FMT " (" STR_FMT ":%u)",
                            roster->culprit, STR_ARG(line), STR_ARG(source->path),
                            source->last_line_no);
    }
    return (struct str){0};
}

struct str phrase_fault(const struct diagnosis *diagnosis) {
    return diagnosis->first_fault.called ? diagnosis->rollcall->text : diagnosis->first_fault.text;
}

bool phrase_repeats(const struct diagnosis *diagnosis, const struct reason *reason) {
    const struct fault_line *fault = &diagnosis->first_fault;
    if (reason->echo && fault->frame) return true;
    return !reason->why.n && fault->known && reason->origin.source >= 0 &&
           reason->origin.source == fault->origin.source &&
           reason->origin.line == fault->origin.line;
}

struct str phrase_circumstances(struct arena *arena, const struct diagnosis *diagnosis) {
    const struct str parts[] = {phrase_when(arena, &diagnosis->first_fault),
                                phrase_stage(diagnosis->findings[0].stage),
                                phrase_follows(arena, diagnosis), phrase_ranks(diagnosis)};
    struct str text = {0};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].n)
            text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), i >= 2 ? "; " : ", ",
                                STR_ARG(parts[i]));
    return text;
}

struct str phrase_other_fault(struct arena *arena, const struct kb *kb,
                              const struct evidence *evidence, const struct finding *finding) {
    if (!finding->n_reasons) return finding->title;
    const struct origin *origin = &finding->reasons[finding->deciding].origin;
    struct str who = phrase_who(arena, origin), place = phrase_place(arena, evidence, origin);
    struct str cause = phrase_cause(kb, finding);
    return arena_printf(arena, "another fault, " STR_FMT "%s" STR_FMT ": " STR_FMT " (" STR_FMT ")",
                        STR_ARG(who), who.n ? ": " : "", STR_ARG(finding->title), STR_ARG(cause),
                        STR_ARG(place));
}

struct str phrase_job(struct arena *arena, const struct diagnosis *job) {
    return arena_printf(arena, STR_FMT "  %s: " STR_FMT, STR_ARG(job->job_id),
                        verdict_names[job->verdict], STR_ARG(job->summary));
}
