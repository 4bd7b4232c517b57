/* leaning.h - what the words of an input lean to: for each of a few thousand words the symptoms and
 * root causes that failures which print it have more often, or less often, than others.
 *
 * Knows the packed form that an image holds, and how to add up what words say.  Where the figures
 * come from is compile/learn.h, what words an input has and what they are worth think/leaning.h. */
#ifndef FAULTLINE_LEANING_H
#define FAULTLINE_LEANING_H

#include "base/base.h"

/* A class is a symptom (its index) or a root cause (the number of symptoms plus its index). */
enum { LEANING_CLASSES = 128, LEANING_TENTH = 10 /* parts of a nat that figures are told in */ };

struct leaning_row {
    struct str word;
    int8_t leans[LEANING_CLASSES]; /* by class, in tenths of a nat; 0: nothing */
};

/* The packed form of rows, in the arena; `bias` is what each class begins with. */
struct str leanings_pack(const struct leaning_row *rows, int n, const int8_t bias[LEANING_CLASSES],
                         int n_classes, struct arena *arena);
/* True where bytes are such a form of so many classes; nothing below looks beyond one that is. */
bool leanings_hold(struct str packed, int n_classes);
/* Sets sums[class] to what each class begins with. */
void leanings_begin(struct str packed, int n_classes, int *sums);
/* Adds what a word says; false where it is not known. */
bool leanings_add(struct str packed, int n_classes, struct str word, int *sums);

#endif
