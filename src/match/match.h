/* match.h - which lines of a block may matter, and which signals a line hits.
 *
 * Two steps.  A scan over raw bytes, stateless and fast, gives candidate lines; a confirmation on
 * the mended line, with the signal's needle and PCRE2 expression, gives hits with captures. "A
 * needle without its regex is no hit".  Knows nothing of ranks, time or causes.  PCRE2 lives here.
 */
#ifndef FAULTLINE_MATCH_H
#define FAULTLINE_MATCH_H

#include "model/kb.h"

struct matcher; /* read-only after matcher_new; shared by threads */
/* Builds the tables for all signals of kb.  The result lives in the arena but owns PCRE2 objects:
 * matcher_release frees those. */
struct matcher *matcher_new(struct arena *arena, const struct kb *kb);
void matcher_release(struct matcher *matcher);
/* What matcher_new would choose for this knowledge, as bytes: kept as kb->plan they spare it that.
 */
struct str match_plan(struct arena *arena, const struct kb *kb);
/* How many of a million healthy lines the scan stops at for a signal, as estimated from its
 * needles: what makes it slow.  0 for IN_WORDS, UINT32_MAX where nothing can be looked for. */
uint32_t match_heat(const struct matcher *matcher, int signal);

/* Finds needles for expressions: the strings, rarest in healthy lines, one of which every match
 * holds.  prover_needles returns how many there are; 0: the expression proves none of LITERAL_MIN
 * bytes. */
struct prover;
struct prover *prover_new(struct arena *arena);
int prover_needles(struct prover *prover, struct str regex, struct str **needles);

/* Scratch of one thread: JIT stack, match data, verdict cache (about 1 MiB). */
struct match_scratch;
struct match_scratch *match_scratch_new(const struct matcher *matcher);
void match_scratch_release(struct match_scratch *scratch);

struct decision; /* what the scan knows of a line: memo.h */
/* A line that needs looking at: [start, start+length) in the block, without its LF or CRLF. */
struct candidate {
    uint32_t start, length;
    uint32_t line;   /* 0-based number of the line within the block */
    bool structural; /* holds ESC, CR, another control byte, box drawing, or is a container's JSON:
                      * mend it before matching */
    bool trouble;    /* opens or ends a traceback, or calls itself an error: maybe no signal's */
    uint32_t rolled; /* lines that were hashed one after the other up to this one, 0: it was not */
    uint64_t roll;   /* match_roll of them, of the first of them on */
    const struct decision *decision; /* for match_signals; NULL: the line is to be mended, or cut */
};
typedef VEC(struct candidate) candidate_vec;

enum { MATCH_MILD = 8 /* lines of 256 KiB that a signal of colour is worth, as a rule */ };

/* Finds the candidates of a block of whole lines (the last may lack its LF), in order and each
 * once, and returns how many lines it holds (LFs, and a last line without one).  A block is below
 * 4 GiB.  A candidate is a line that
 *  - some signal hits, needle and regex, whatever its place (IN_WORDS signals aside), or
 *  - is one of trouble.  The names of exceptions alone count 512 times in each 256 KiB, words of
 *    trouble ("error: ...") 64 times, the heads of tracebacks always.
 * Lines that only signals of the roles context, advice and progress hit count `mild` times for each
 * of these in each 256 KiB, in blocks beyond 128 KiB.  A structural line is judged by its mended
 * text, piece by piece. Signals of ROLE_PROGRESS that stand in step lines are only sampled in
 * blocks beyond 128 KiB: the first in each 64 KiB (if it is near the start of it) and the last of
 * the block.  A line longer than LIMIT_TEXT is cut into at most 64 windows around its needles and,
 * where that is not enough, its last LIMIT_TEXT bytes; a structural one also gives its first and
 * last.  Two candidates may so be of one line and may overlap. Signals without a needle of 4 bytes
 * or a regex that proves one are not looked for. */
uint32_t match_scan(const struct matcher *matcher, struct match_scratch *scratch, struct str block,
                    uint32_t mild, struct arena *arena, candidate_vec *out);

/* A confirmed hit on a line. */
struct match {
    int signal;
    uint32_t start, end;    /* of the whole match in the line */
    struct str captures[8]; /* point into the line */
    int n_captures;
    bool unread; /* start is known, end and captures are not: match_read */
};
/* Confirms which signals the mended line hits.  `kinds` is a bit set over enum where: a signal is
 * tried only if its place is in it.  Writes at most `max` matches in signal order, returns how
 * many.  A regex that runs into the match limit counts as no match and adds to match_limited(). */
int match_line(const struct matcher *matcher, struct match_scratch *scratch, struct str line,
               unsigned kinds, struct match *out, int max);
/* The same, but what is known from lines that were decided before is not read again: those matches
 * are left unread.  `known`: the candidate's, if `line` is the candidate as it stands, or NULL. */
int match_signals(const struct matcher *matcher, struct match_scratch *scratch, struct str line,
                  const struct decision *known, unsigned kinds, struct match *out, int max);
/* Fills what match_signals left out of a match on this line. */
void match_read(const struct matcher *matcher, struct match_scratch *scratch, struct str line,
                struct match *match);
/* A hash of lines for which all numbers are one, whatever their length: those before, and the line
 * that begins at *at, which moves to where the next one begins. */
uint64_t match_roll(const struct matcher *matcher, struct match_scratch *scratch, struct str text,
                    size_t *at, uint64_t before);
/* The hash of the lines behind `from` up to `to`, as match_roll makes it from 0; false where not
 * all of them were hashed. */
bool match_rolled(const struct candidate *from, const struct candidate *to, uint64_t *hash);
uint64_t match_limited(const struct match_scratch *scratch);

/* True when the expression compiles and stays in the syntax that PCRE2 and ripgrep share; else *why
 * says what is wrong.  Used by the compiler.  `caseless` as for IN_WORDS. */
bool regex_check(struct str regex, bool caseless, struct err *err);
/* Tries one expression on one line without limits on its syntax: >0 matched (groups + 1), 0 not, <0
 * limit of steps. Captures as in struct match; -2 where it does not compile.  For the compiler's
 * samples.
 */
int regex_try(struct str regex, bool caseless, struct str line, uint32_t step_limit,
              struct match *match);

/* An expression that a person typed, without case, made once for many texts: the screen's search
 * and filter. */
struct pattern;
struct pattern *pattern_new(struct str regex, struct err *err); /* NULL: err says what is wrong */
/* As regex_try. */
int pattern_try(struct pattern *pattern, struct str text, uint32_t step_limit, struct match *match);
void pattern_release(struct pattern *pattern); /* NULL: nothing */

#endif
