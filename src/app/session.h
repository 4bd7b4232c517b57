/* session.h - keeps inputs, evidence, answers and diagnosis in step.
 *
 * What the commands and the screen work with: open inputs, read them, think, answer, undo.  Prints
 * nothing.
 */
#ifndef FAULTLINE_SESSION_H
#define FAULTLINE_SESSION_H

#include "input/input.h"
#include "think/compare.h"
#include "think/think.h"
#include "world/image.h"
#include "world/probe.h"

struct session_options {
    const char *const *overlays; /* knowledge images added with --kb */
    int n_overlays;
    int threads; /* 0: the machine's */
    struct think_options think;
};

struct session;
/* Opens the knowledge.  False with err filled when an image is refused. */
bool session_open(struct session **session, const struct session_options *options, struct err *err);
void session_close(struct session *session);
/* Another session with the same knowledge, for other evidence; closed before the first one. */
struct session *session_beside(const struct session *session);

/* Reads paths and thinks.  False when a path could not be read (told to on_error); the diagnosis
 * stands all the same.  May be called again: the new inputs replace the old ones, answers stay. */
bool session_read(struct session *session, const char *const *paths, int n_paths,
                  const struct input_options *input);
/* Takes evidence that was read elsewhere in the place of its own, and thinks. */
void session_take(struct session *session, struct evidence *evidence);
/* The same for text that was pasted or a part of it; `input` may be NULL. */
void session_read_text(struct session *session, struct str text, struct str name,
                       const struct input_options *input);

/* Answers a question ("unknown" skips it) and thinks again; false when there is no such question or
 * choice, with the choices in err.hint. */
bool session_answer(struct session *session, struct str question, struct str choice,
                    struct err *err);
bool session_undo(
    struct session *session); /* takes the last answer back; false when there is none */
/* Compares with a run that worked; what differs becomes evidence of this session, which thinks
 * again (think/compare.h).  The comparison lives in the arena and borrows from both sessions. */
const struct comparison *session_compare(struct session *session, const struct session *good,
                                         struct arena *arena);
int session_answers(const struct session *session); /* how many answers stand */
void session_answer_at(const struct session *session, int i, struct str *question,
                       struct str *choice);

/* Asks this machine and thinks again.  Its facts count only for a job that ran here, by host name
 * or GPU UUID, or where `here` says so; false when they do not. */
bool session_probe(struct session *session, const struct probe_options *options, bool here);

/* ---- the same in steps, for who draws meanwhile ------------------------------------------------
 * First what is new is noted: the diagnosis stays what it was.  Then one thinks, in a thread of its
 * own if one likes: nothing that the functions below give is changed, and nothing may be noted.
 * Settled, the new diagnosis takes the place of the one before. */
bool session_note_answer(struct session *session, struct str question, struct str choice,
                         struct err *err);
bool session_note_undo(struct session *session);
/* What was asked elsewhere (probe_run): facts that the same probes gave before go. */
bool session_note_probe(struct session *session, const struct probe_report *report, bool here);
/* `walk`: the next question, too; where nothing was noted, it alone. */
void session_think(struct session *session, bool walk);
void session_settle(struct session *session);

const struct kb *session_kb(const struct session *session);
struct image *session_image(const struct session *session);
const struct matcher *session_matcher(const struct session *session);
const struct evidence *session_evidence(const struct session *session);
const struct diagnosis *session_diagnosis(const struct session *session);
const struct walk_step *session_walk(struct session *session); /* the next question */
/* NULL where nobody has thought of it yet. */
const struct walk_step *session_walk_known(const struct session *session);

#endif
