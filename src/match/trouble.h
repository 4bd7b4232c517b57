/* trouble.h - marks of trouble in a line that no signal has to know. */
#ifndef FAULTLINE_MATCH_TROUBLE_H
#define FAULTLINE_MATCH_TROUBLE_H

#include "base/base.h"

enum trouble {
    TROUBLE_TRACE, /* "(most recent call last)": always */
    TROUBLE_TYPE,  /* "Error", "Exception" ...: at the end of a type name that a colon or line end
                      follows */
    TROUBLE_WORD,  /* "ERROR", "fatal" ...: the line calls itself an error */
    TROUBLE_LOG    /* no trouble, but a container's JSON around the line, which mending takes off */
};

/* What a line's bytes say besides its signals; neither digits nor those of addresses matter. */
enum mark {
    MARK_TRACE = 1,
    MARK_TYPE = 2,
    MARK_WORD = 4,
    MARK_MEND = 8, /* box drawing or a control byte but CR: mend the line before matching */
    MARK_CR = 16   /* a CR inside */
};

/* The texts that are looked for; none holds a digit or stands in a hexadecimal number. */
extern const struct trouble_text {
    struct str text;
    enum trouble trouble;
} trouble_texts[];
extern const int n_trouble_texts;

/* The mark that such a text makes of the line it stands in at `at`; 0 where it only looks like one.
 */
unsigned trouble_mark(struct str line, size_t at, struct str text, enum trouble trouble);
/* True where a container engine's JSON begins the line. */
bool trouble_is_log(struct str line);
/* MARK_MEND and MARK_CR.  Box drawing is e2 94 xx and e2 95 xx. */
unsigned trouble_odd(struct str line);

#endif
