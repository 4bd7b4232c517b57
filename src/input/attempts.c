/* Attempts in one log that no banner tells apart.
 *
 * A log to which a job was written again shows, after an end or an error that followed steps, its
 * opening lines once more, or steps that begin at the first step again and then rise.  Both are
 * asked for together with the error, and of one rank: ranks that start late or whose output was
 * held back, bars of an evaluation and lines that recur in the midst of work are no restart.
 *
 * One that broke before its first step shows more of them, in their order, and each was written
 * once before it broke; or the launcher told of its end and steps follow.  LSF closes each job's
 * output with its own report, or opens it with that.  And no rank dies twice: where the same
 * program leaves its outermost frame once more, it was started once more. */
#include "input/reader.h"
#include "input/traits.h"
#include "text/chars.h"

enum {
    OPENING_BYTES = 160,
    OPENING_LETTERS = 12, /* a line says something */
    OPENING_HEADS = 2,    /* a job written again begins with its first lines, */
    OPENING_AGAIN = 2,    /* and more of them follow */
    TOLD_TWICE = 3,       /* lines between two tracebacks that are one */
    OPENING_RUN = 3,      /* before the first step: so many one after the other */
    SURVIVED_STEPS = 2,   /* readings behind an error that ended nothing */
    STEPS_BEFORE = 3      /* readings before a fall is one */
};

/* Copies what stands in s but its digits, eight bytes at a time where it has none. */
static size_t copy_without_digits(char *to, struct str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        uint64_t bytes = 0;
        size_t stop = i + 8;
        if (stop <= s.n) memcpy(&bytes, s.p + i, 8);
        if (stop <= s.n && !digits_of(bytes)) {
            memcpy(to + n, &bytes, 8);
            n += 8;
            i += 8;
        }
        for (; i < s.n && i < stop; i++) {
            to[n] = s.p[i];
            n += !is_digit(s.p[i]);
        }
    }
    return n;
}

uint64_t opening_hash(struct str body) {
    char room[OPENING_BYTES + 8] = {0};
    size_t n = copy_without_digits(room, str_sub(body, 0, OPENING_BYTES)), letters = 0;
    uint64_t hash = 0xcbf29ce484222325u + n, bytes;
    for (size_t i = 0; i < n && letters < OPENING_LETTERS; i++) letters += is_alpha(room[i]);
    memset(room + n, 0, 8); /* a digit may have been written there */
    for (size_t i = 0; i < n; i += 8) {
        memcpy(&bytes, room + i, 8);
        hash = (hash ^ bytes) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return letters < OPENING_LETTERS ? 0 : hash | 1;
}

/* By what a line begins: most tell at once that they are no opening line. */
static unsigned opening_start(struct str body) {
    unsigned start = 0;
    int taken = 0;
    for (size_t i = 0; i < body.n && taken < 4; i++) {
        if (is_digit(body.p[i])) continue;
        start = start * 31 + (unsigned char)body.p[i];
        taken++;
    }
    return start % OPENING_STARTS;
}

/* Lines of tracebacks and stacks come with every error; Weights & Biases takes its leave as it
 * came. */
static bool may_open(struct str body) {
    static const struct str never[] = {STR("Traceback"),
                                       STR("wandb"),
                                       STR("Stack ("),
                                       STR("Thread 0x"),
                                       STR("Current thread"),
                                       STR("frame #"),
                                       STR("Fatal Python error"),
                                       STR("terminate called"),
                                       STR("Exception "),
                                       STR("***")};
    for (size_t i = 0; i < COUNT_OF(never); i++)
        if (str_starts(body, never[i])) return false;
    return true;
}

/* Of several ranks some still write when the launcher told of the end. */
static bool is_alone(const struct reader *reader) {
    return reader->evidence->voices.n <= 1 && reader->world <= 1;
}

/* It was not in vain that all lines are looked at here. */
static void look_on(struct reader *reader) {
    if (reader->openings) reader->openings--;
}

/* No attempt begins where the job goes on. */
static void look_no_longer(struct reader *reader) {
    if (reader->tracks.open.track.origin.offset >= reader->opening_until) return;
    reader->opening_until = 0;
    look_on(reader);
}

void attempt_known(struct reader *reader) {
    struct opening *opening = &reader->opening;
    opening->again = 0;
    opening->n_again = 0;
    opening->odd = false;
}

/* With `seen` of the lines that the one before began with. */
static void attempt_begin(struct reader *reader, uint32_t seen) {
    struct opening *opening = &reader->opening;
    struct opening before = *opening;
    reader->hits.attempt++;
    reader->hits.ended = reader->hits.worked = reader->hits.erred = false;
    *opening = (struct opening){.seen = seen};
    if (!seen) return;
    look_on(reader);
    memcpy(opening->hashes, before.hashes, sizeof before.hashes);
    memcpy(opening->start_of, before.start_of, sizeof before.start_of);
    memcpy(opening->starts, before.starts, sizeof before.starts);
    opening->n = before.n;
    opening->gone = before.gone;
}

/* It tells no attempts apart. */
static bool is_gone(const struct opening *opening, int at) {
    return opening->gone >> at & 1;
}

/* How many of the lines before this one are still told apart by. */
static int opening_before(const struct opening *opening, int at) {
    int n = 0;
    for (int i = 0; i < at; i++) n += !is_gone(opening, i);
    return n;
}

/* What the launcher said last may be followed by the first lines of another. */
static void open_after_end(struct reader *reader) {
    struct opening *opening = &reader->opening;
    if (opening->worked || opening->renewed || !reader->hits.ended || !is_alone(reader)) return;
    *opening = (struct opening){.renewed = true, .broke = opening->odd};
}

static bool stopped(const struct reader *reader) {
    return reader->opening.erred || reader->hits.ended;
}

/* Who waits for machines has none yet, and nohup speaks before its program: what failed before was
 * another. */
static bool is_first_word(const struct reader *reader, struct str body) {
    if (!stopped(reader) && !reader->opening.odd) return false;
    bool queued = str_starts(body, STR("srun: job ")) &&
                  str_has(body, STR(" queued and waiting for resources"));
    return queued || str_starts(body, STR("nohup: ignoring input"));
}

/* Nothing of a job follows the report that LSF writes below its output; where it stands above, the
 * next one opens the next job. */
static bool scheduler_line(struct reader *reader, struct str body) {
    static const struct str output = STR("The output (if any) ");
    struct opening *opening = &reader->opening;
    if (str_starts(body, output)) {
        opening->over = str_starts(str_from(body, output.n), STR("is above"));
        reader->report_first |= !opening->over;
        if (!opening->over) reader->hits.ended = false; /* it told of an end to come */
        return true;
    }
    bool next = reader->report_first && str_starts(body, STR("Sender: LSF System"));
    bool more = opening->over && str_trim(body).n && !str_starts(body, STR("PS:")) &&
                !str_starts(body, STR("Read file <"));
    if (next || more || is_first_word(reader, body)) attempt_begin(reader, 0);
    return false;
}

/* Output of processes without a name may have been held back until they ended: then errors, which
 * never are, come before all else. */
static bool in_order(const struct reader *reader) {
    return reader->writer >= 0 || !reader->opening.odd;
}

static int next_left(const struct opening *opening, int at) {
    for (at++; at < opening->n && is_gone(opening, at);) at++;
    return at;
}

static void forget(struct opening *opening, uint32_t lines) {
    for (int i = 0; i < opening->n; i++)
        if (lines >> i & 1 && !is_gone(opening, i)) opening->starts[opening->start_of[i]]--;
    opening->gone |= lines;
    opening->doubted = 0;
    opening->n_doubted = 0;
}

/* A line that recurs while all is well tells no attempts apart; but a job that came to its end
 * without a word and began again shows several in their order. */
static void recurs(struct opening *opening, int at) {
    uint32_t line = 1u << at;
    if (!(opening->seen & line)) {
        opening->seen |= line;
        return;
    }
    bool follows = opening->n_doubted ? at == opening->doubted_next : !opening_before(opening, at);
    if (!opening->worked || !follows) {
        forget(opening, opening->doubted | line);
        return;
    }
    opening->doubted |= line;
    opening->doubted_next = next_left(opening, at);
    if (++opening->n_doubted >= OPENING_RUN) opening->doubted = 0;
}

/* Lines of one rank are in order, and none of another stands between: all that it wrote before its
 * error may be less than a run. */
static int early_run(const struct reader *reader) {
    int early = opening_before(&reader->opening, reader->opening.n_early);
    bool few = reader->writer >= 0 && early >= OPENING_HEADS && early < OPENING_RUN;
    return few ? early : OPENING_RUN;
}

/* No step was made yet, and an error was told. */
static void early_again(struct reader *reader, int at) {
    struct opening *opening = &reader->opening;
    bool follows = opening->again && at == opening->run_next;
    opening->again = (follows ? opening->again : 0) | 1u << at;
    opening->n_again = follows ? opening->n_again + 1 : 1;
    opening->run_next = next_left(opening, at);
    if (opening->n_again == early_run(reader)) attempt_begin(reader, opening->again);
}

static void seen_again(struct reader *reader, int at) {
    struct opening *opening = &reader->opening;
    if (!opening->worked && at < opening->n_early) {
        early_again(reader, at);
        return;
    }
    if (!opening->worked || !stopped(reader)) {
        recurs(opening, at);
        return;
    }
    if (opening_before(opening, at) < OPENING_HEADS) opening->head = true;
    if (opening->again & 1u << at) return;
    opening->again |= 1u << at;
    opening->n_again++;
    bool all = opening->n_again >= OPENING_AGAIN ||
               opening->n_again == opening_before(opening, opening->n);
    if (opening->head && all && in_order(reader)) attempt_begin(reader, opening->again);
}

void attempt_line(struct reader *reader, struct traits *traits, struct str body,
                  enum severity severity) {
    struct opening *opening = &reader->opening;
    opening->fresh = false;
    if (scheduler_line(reader, body)) return;
    open_after_end(reader);
    bool collecting = !opening->worked && opening->n < OPENING_LINES;
    if (!collecting && !opening->n) return;
    unsigned start = opening_start(body);
    if (!collecting && !opening->starts[start]) return;
    uint64_t hash = is_blank(byte_at(body, 0)) ? 0 : traits_opening(traits, body);
    if (!hash) return;
    hash += (uint64_t)reader->writer;
    for (int i = 0; i < opening->n; i++)
        if (opening->hashes[i] == hash) {
            if (!is_gone(opening, i)) seen_again(reader, i);
            return;
        }
    if (!collecting || severity == SEVERITY_ERROR || !may_open(body)) return;
    opening->start_of[opening->n] = (uint8_t)start;
    opening->seen |= 1u << opening->n;
    opening->hashes[opening->n++] = hash;
    opening->starts[start]++;
    opening->fresh = true;
}

/* What tells of the error opens nothing. */
static void take_back(struct opening *opening) {
    if (!opening->fresh) return;
    opening->fresh = false;
    opening->starts[opening->start_of[--opening->n]]--;
    opening->seen &= ~(1u << opening->n);
}

void attempt_error(struct reader *reader) {
    struct opening *opening = &reader->opening;
    take_back(opening);
    if (!opening->worked && !opening->odd) {
        opening->odd = true;
        opening->n_early = opening->n;
    }
    if (!opening->worked || opening->erred) return;
    forget(opening, opening->doubted);
    opening->erred = true;
    opening->beyond = 0;
    opening->again = 0;
    opening->n_again = 0;
    opening->head = false;
    reader->tracks.next = 0; /* the next step line tells whether the job went on */
}

/* It left the outermost frame of the program, by itself. */
static bool is_death(const struct trace *trace) {
    struct str outermost = trace->n_frames ? trace->frames[0].function : (struct str){0};
    bool left = str_eq(outermost, STR("<module>")) || str_eq(outermost, STR("_run_module_as_main"));
    return left && !trace->ignored && !trace->apart && trace->cause < 0;
}

bool attempt_death(struct reader *reader, int trace, const struct origin *end) {
    struct trace *own = &reader->evidence->traces.v[trace];
    struct death *death = &reader->death;
    reader->hits.erred = true;
    if (reader->writer < 0 || !is_death(own)) return false;
    uint64_t program = str_hash(own->frames[0].path);
    bool first = death->attempt != reader->hits.attempt;
    /* the same may be told twice, once by the program and once by Python */
    uint32_t length = own->end.line - own->origin.line;
    bool apart = own->count == 1 || end->line > death->line + length + TOLD_TWICE;
    bool again = !first && death->rank == reader->writer && death->program == program && apart;
    if (!first && !again) return false;
    if (again) attempt_begin(reader, reader->opening.seen);
    *death = (struct death){reader->hits.attempt, reader->writer, end->line, program};
    if (again && own->count > 1) own->origin.line = own->end.line = end->line;
    if (again) own->origin.attempt = own->end.attempt = reader->hits.attempt;
    return again;
}

bool attempt_step(struct reader *reader, int64_t step) {
    struct opening *opening = &reader->opening;
    bool first = !opening->worked;
    bool anew = first && opening->broke && reader->hits.ended;
    if (step < 0 || (!first && reader->writer != opening->rank)) return false;
    if (anew) attempt_begin(reader, 0); /* what had broken made no steps */
    opening->worked = true;
    if (first) opening->first_step = step, opening->rank = reader->writer;
    if (first && opening->fresh) forget(opening, 1u << (opening->n - 1)); /* a step opens no log */
    if (!stopped(reader)) {
        opening->steps += first || step > opening->last_step;
        if (first || step > opening->last_step) opening->last_step = step;
        return anew;
    }
    bool risen = opening->fallen && step > opening->fallen_step;
    if (step > opening->last_step) {
        /* a bar is drawn once more when its program ends; of one that goes on there are more */
        if (++opening->beyond == SURVIVED_STEPS) opening->erred = opening->fallen = false;
        if (opening->beyond >= SURVIVED_STEPS) look_no_longer(reader);
        opening->last_step = step;
    } else if (risen && in_order(reader) && (reader->writer >= 0 || reader->hits.ended)) {
        int64_t from = opening->fallen_step;
        attempt_begin(reader, 0);
        reader->opening.worked = true;
        reader->opening.rank = reader->writer;
        reader->opening.first_step = from;
        reader->opening.last_step = step;
        reader->opening.steps = 2;
        return true;
    } else if (step <= opening->first_step && opening->steps >= STEPS_BEFORE) {
        opening->fallen = true;
        opening->fallen_step = step;
    }
    reader->tracks.next = 0;
    return false;
}

int attempt_of_path(struct str path) {
    static const struct str mark = STR("attempt_");
    struct str component;
    int found = 1;
    while (str_split(&path, '/', &component)) {
        int64_t number;
        bool named = path.n && str_starts(component, mark);
        if (named && str_int(str_from(component, mark.n), &number) && number >= 0 && number < 1000)
            found = (int)number + 1;
    }
    return found;
}
