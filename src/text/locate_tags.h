/* locate_tags.h - the readers of single prefix tokens that locate.c chains; private to text/.
 *
 * Each read_* looks at line[at..] and returns how many bytes belong to its token, 0 if it is none
 * of its kind; what the token says is put into place. */
#ifndef FAULTLINE_LOCATE_TAGS_H
#define FAULTLINE_LOCATE_TAGS_H

#include "text/text.h"

/* A number of at most six digits, such as a rank. */
bool small_number(struct str s, int *value);
/* Behind the name of a host or a module that may begin at `at`. */
size_t name_end(struct str line, size_t at);
size_t read_bracket(struct str line, size_t at, struct place *place, const struct custom *custom);
size_t read_parenthesis(struct str line, size_t at, struct place *place);
size_t read_names_before_time(struct str line,
                              size_t at); /* "colossalai - colossalai - 2022-..." */
size_t read_rank_word(struct str line, size_t at, struct place *place); /* "rank3: ", "Rank 3 | " */
size_t read_location(struct str line, size_t at); /* "engine.py:366]" without its first bracket */
size_t host_prefix(struct str line, size_t at);   /* length of a host name before ": " */
/* The name of a pod or service at the start of a line, as the custom has it; the prefix's length.
 */
size_t read_pod(struct str line, enum pod_custom custom, struct str *name);
size_t read_build_step(struct str line, bool alone); /* "#12 4.984 "; alone: also "4.984 " */
bool build_step_tells(struct str line); /* "4.984 " before a traceback or an exception */
int severity_of_word(struct str word);
int severity_of_letter(char letter);
/* The first date of a line wins: an inner time without a year tells less. */
void take_moment(struct place *place, const struct moment *moment);

#endif
