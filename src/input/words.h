/* words.h - prose: what people write about their failure, told from what programs print.  Private
 * to input/. */
#ifndef FAULTLINE_WORDS_H
#define FAULTLINE_WORDS_H

#include "text/text.h"

enum { PARAGRAPH_LINES = 64, PARAGRAPH_BYTES = 4096 };

/* What the lines of a text look like. */
struct words_census {
    int lines;      /* that hold text */
    int prose;      /* sentences */
    int structural; /* prefixes of loggers, frames, exceptions */
    int personal;   /* sentences of somebody who speaks of himself or asks */
};
struct words_census words_count(struct str text, const struct custom *custom);
bool words_are_prose(const struct words_census *census, struct str name);
/* How many words of distributed training the text holds. */
int words_count_field(struct str text);
/* True where one word in some twenty is such a word, or the text is short. */
bool words_are_of_field(struct str text, struct str name);

/* One short line that no program wrote: it may name the matter without a sentence, "CUDA OOM after
 * 100 steps". */
bool words_are_terse(struct str text, const struct custom *custom);

/* Lines that belong together, folded to one. */
struct paragraph {
    struct buf text;
    uint32_t first;                    /* 0-based number of its first line */
    uint32_t starts[PARAGRAPH_LINES];  /* of each line in text */
    uint64_t offsets[PARAGRAPH_LINES]; /* of each line in the whole text */
    struct buf mended;                 /* scratch of one line */
    int n;
    bool code; /* source code that somebody shows */
};

/* True where the name of a file says that a person wrote it: what he pastes of a log does not
 * make his own sentences a program's. */
bool words_are_named(struct str name);

/* Walks the paragraphs of a text.  `personal`: only those in which somebody speaks, of a `named`
 * file all sentences; else all that are not a program's.  Zero-initialise `walk` and set `text`. */
struct paragraph_walk {
    struct str text;
    const struct custom *custom;
    bool personal, named;
    size_t at;
    uint32_t line;
};
bool paragraph_next(struct paragraph_walk *walk, struct paragraph *paragraph);
struct str paragraph_line(const struct paragraph *paragraph, int line);
void paragraph_release(struct paragraph *paragraph);

#endif
