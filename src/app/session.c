#include "app/session.h"

#include "app/live.h"
#include "app/nearest.h"

#include <stdlib.h>

struct answer {
    struct str question, choice;
};

/* What was thought of the evidence. */
struct thoughts {
    struct arena arena;
    struct diagnosis *diagnosis;
    struct walk_step *walk;
};

struct session {
    struct arena arena; /* options, matcher, answers */
    struct session_options options;
    struct image *image;
    struct matcher *matcher;
    struct evidence evidence; /* what was read, then one fact for each answer */
    size_t facts_read;        /* how many facts came from reading; answers follow */
    VEC(struct answer) answers;
    struct thoughts now, next; /* next: what session_think made, until it is settled */
    bool told;                 /* something since the diagnosis was made */
    bool beside;               /* image and matcher are another session's */
};

/* Evidence with the answers that stand behind it. */
static void session_tell(struct session *session) {
    struct evidence *evidence = &session->evidence;
    evidence->facts.n = session->facts_read;
    for (size_t i = 0; i < session->answers.n; i++) {
        struct answer *answer = &session->answers.v[i];
        struct fact fact = {
            .key = arena_printf(&session->arena, "answer." STR_FMT, STR_ARG(answer->question)),
            .value = answer->choice,
            .from = STR("answer"),
            .time = TIME_UNKNOWN,
            .origin = ORIGIN_NONE};
        evidence_add_fact(evidence, &fact);
    }
    session->told = true;
}

/* Each choice of a walk costs a diagnosis of its own, so that its step is made when somebody walks.
 */
void session_think(struct session *session, bool walk) {
    const struct kb *kb = image_kb(session->image);
    const struct evidence *evidence = &session->evidence;
    struct arena *arena = session->told ? &session->next.arena : &session->now.arena;
    const struct diagnosis *diagnosis = session->now.diagnosis;
    if (session->told) {
        diagnosis = session->next.diagnosis =
            diagnose(kb, evidence, &session->options.think, arena);
        nearest_find(session->image, evidence, session->next.diagnosis, arena);
    }
    session->next.walk = walk ? walk_next(kb, evidence, diagnosis, true, arena) : NULL;
}

void session_settle(struct session *session) {
    if (session->told) {
        arena_release(&session->now.arena);
        session->now = session->next;
    } else {
        session->now.walk = session->next.walk;
    }
    session->next = (struct thoughts){0};
    session->told = false;
}

static void session_rethink(struct session *session) {
    session_tell(session);
    session_think(session, false);
    session_settle(session);
}

bool session_open(struct session **out, const struct session_options *options, struct err *err) {
    struct session *session = heap_zeros(1, sizeof *session);
    session->options = *options;
    if (!image_open(&session->image, options->overlays, options->n_overlays, err)) {
        free(session);
        return false;
    }
    session->matcher = matcher_new(&session->arena, image_kb(session->image));
    *out = session;
    return true;
}

struct session *session_beside(const struct session *session) {
    struct session *other = heap_zeros(1, sizeof *other);
    other->options = session->options;
    other->image = session->image;
    other->matcher = session->matcher;
    other->beside = true;
    return other;
}

void session_close(struct session *session) {
    if (!session) return;
    if (!session->beside) {
        matcher_release(session->matcher);
        image_close(session->image);
    }
    evidence_release(&session->evidence);
    arena_release(&session->now.arena);
    arena_release(&session->next.arena);
    arena_release(&session->arena);
    free(session);
}

bool session_read(struct session *session, const char *const *paths, int n_paths,
                  const struct input_options *input) {
    evidence_release(&session->evidence);
    bool all = input_read(&session->evidence, image_kb(session->image), session->matcher, paths,
                          n_paths, input);
    session->facts_read = session->evidence.facts.n;
    session_rethink(session);
    return all;
}

void session_take(struct session *session, struct evidence *evidence) {
    evidence_release(&session->evidence);
    session->evidence = *evidence;
    *evidence = (struct evidence){0};
    session->facts_read = session->evidence.facts.n;
    session_rethink(session);
}

void session_read_text(struct session *session, struct str text, struct str name,
                       const struct input_options *input) {
    evidence_release(&session->evidence);
    input_read_text(&session->evidence, image_kb(session->image), session->matcher, text, name,
                    input);
    session->facts_read = session->evidence.facts.n;
    session_rethink(session);
}

bool session_note_probe(struct session *session, const struct probe_report *report, bool here) {
    if (!here && !live_is_same_machine(&session->evidence, report)) return false;
    session->evidence.facts.n = session->facts_read; /* answers come behind them again */
    live_forget(&session->evidence, report);
    live_add(&session->evidence, image_kb(session->image), session->matcher, report);
    session->facts_read = session->evidence.facts.n;
    session_tell(session);
    return true;
}

bool session_probe(struct session *session, const struct probe_options *options, bool here) {
    struct probe_report report;
    probe_run(&report, NULL, options);
    bool counts = session_note_probe(session, &report, here);
    if (counts) session_rethink(session);
    probe_release(&report);
    return counts;
}

static bool refuse_choice(const struct question *question, struct str choice, struct err *err) {
    char hint[256] = "choices:";
    size_t n = strlen(hint);
    for (int i = 0; i < question->n_choices && n + question->choices[i].id.n + 2 < sizeof hint;
         i++) {
        hint[n++] = ' ';
        memcpy(hint + n, question->choices[i].id.p, question->choices[i].id.n);
        n += question->choices[i].id.n;
        hint[n] = 0;
    }
    return err_set(err, "it is not one of its choices", hint,
                   "cannot answer '" STR_FMT "' with '" STR_FMT "'", STR_ARG(question->id),
                   STR_ARG(choice));
}

bool session_note_answer(struct session *session, struct str question, struct str choice,
                         struct err *err) {
    const struct kb *kb = image_kb(session->image);
    int index = kb_question(kb, question);
    bool taken = walk_takes(kb, question, choice);
    if (!taken && index < 0 && walk_takes(kb, question, STR("unknown")))
        return err_set(err, "it is not one of its choices",
                       "stages are build, setup, prepare, train and infer; symptoms 1.1 to 5.11; "
                       "entries as kb list names them; a cause fits or not: fits, no",
                       "cannot answer '" STR_FMT "' with '" STR_FMT "'", STR_ARG(question),
                       STR_ARG(choice));
    if (!taken && index < 0)
        return err_set(err, "there is no question with this id",
                       "faultline walk PATH names its questions: [ID]",
                       "cannot answer '" STR_FMT "'", STR_ARG(question));
    if (!taken) return refuse_choice(&kb->questions[index], choice, err);
    struct answer answer = {arena_str(&session->arena, question),
                            arena_str(&session->arena, choice)};
    vec_push(&session->arena, &session->answers, answer);
    session_tell(session);
    return true;
}

bool session_answer(struct session *session, struct str question, struct str choice,
                    struct err *err) {
    if (!session_note_answer(session, question, choice, err)) return false;
    session_rethink(session);
    return true;
}

bool session_note_undo(struct session *session) {
    if (!session->answers.n) return false;
    session->answers.n--;
    session_tell(session);
    return true;
}

bool session_undo(struct session *session) {
    if (!session_note_undo(session)) return false;
    session_rethink(session);
    return true;
}

const struct comparison *session_compare(struct session *session, const struct session *good,
                                         struct arena *arena) {
    const struct comparison *comparison =
        compare_runs(image_kb(session->image), &good->evidence, &session->evidence,
                     session->now.diagnosis, arena);
    session->evidence.facts.n = session->facts_read; /* answers come behind them again */
    compare_tell(&session->evidence, &good->evidence, comparison);
    session->facts_read = session->evidence.facts.n;
    session_rethink(session);
    return comparison;
}

int session_answers(const struct session *session) {
    return (int)session->answers.n;
}

void session_answer_at(const struct session *session, int i, struct str *question,
                       struct str *choice) {
    *question = session->answers.v[i].question;
    *choice = session->answers.v[i].choice;
}

const struct kb *session_kb(const struct session *session) {
    return image_kb(session->image);
}

struct image *session_image(const struct session *session) {
    return session->image;
}

const struct matcher *session_matcher(const struct session *session) {
    return session->matcher;
}

const struct evidence *session_evidence(const struct session *session) {
    return &session->evidence;
}

const struct diagnosis *session_diagnosis(const struct session *session) {
    return session->now.diagnosis;
}

const struct walk_step *session_walk_known(const struct session *session) {
    return session->now.walk;
}

const struct walk_step *session_walk(struct session *session) {
    if (!session->now.walk && session->now.diagnosis) {
        session_think(session, true);
        session_settle(session);
    }
    return session->now.walk;
}
