/* document.h - the report as a document of headings, paragraphs, lists and code: one walk over the
 * diagnosis, and a table of what each part looks like in a markup.  Private to report/. */
#ifndef FAULTLINE_DOCUMENT_H
#define FAULTLINE_DOCUMENT_H

#include "report/report.h"

enum part {
    PART_TITLE,   /* the verdict */
    PART_SUMMARY, /* the sentence after it */
    PART_HEADING,
    PART_PARAGRAPH,
    PART_STRONG,
    PART_SMALL,
    PART_PLACE, /* file:line */
    PART_CODE,  /* within a line */
    PART_BLOCK, /* lines as they are */
    PART_LIST,
    PART_ITEM,
    PART_SUBLIST, /* within an item */
    PART_SUBITEM,
    PART_STEPS, /* a numbered list */
    PART_STEP,
    PART_DETAIL, /* a line of a step */
    PART_SHELL,  /* commands of a step */
    PART_DIFF,   /* a change to a file, of a step */
    PART_COUNT
};

struct markup {
    struct {
        const char *before, *after;
        const char *line; /* before each line of it, or NULL */
    } parts[PART_COUNT];
    const char *head, *foot;
    bool meters;   /* a cause's confidence is drawn, too */
    bool numbered; /* steps need their numbers written */
    /* Text from outside: what the markup reads is escaped, control bytes never survive. */
    void (*text)(struct buf *out, struct str text);
    void (*code)(struct buf *out, struct str text); /* within code */
};

void document_write(struct buf *out, const struct markup *markup, const struct kb *kb,
                    const struct evidence *evidence, const struct diagnosis *diagnosis);

#endif
