/* image_load.h - one open image to rows; layers of rows to one struct kb.  Private to world/image.
 */
#ifndef FAULTLINE_IMAGE_LOAD_H
#define FAULTLINE_IMAGE_LOAD_H

#include "model/kb.h"

struct layer_list {
    struct str *v;
    int n;
};
struct layer_signal { /* row first: sorted by its id */
    struct signal row;
    int layer;
    struct str failure; /* id, empty: shared */
};
struct layer_failure {
    struct failure row;
    int layer;
    struct layer_list follows;
};
struct layer_question {
    struct question row;
    int layer;
};

/* The rows of all images, the embedded one first; later ones replace earlier ones by id. */
struct layers {
    struct arena *arena;
    struct kb
        *kb; /* receives codes, fallbacks, confidence while loading; the rest from layers_join */
    int n_layers;
    VEC(struct layer_signal) signals;
    VEC(struct layer_failure) failures;
    VEC(struct layer_question) questions;
    VEC(struct cond *) seen; /* conditions whose signal is still only an id, in cond.key */
};

/* What an image says of itself. */
struct layer_meta {
    struct str version, digest;
    bool own_taxonomy; /* else it can only be laid over another */
};
bool layer_meta(struct layer_meta *meta, struct str pack, struct err *err);
/* Appends the rows of a pack as the next layer; they point into it, so it must stay as long as the
 * knowledge is used.  False with err filled when a row cannot be read or makes no sense. */
bool layer_load(struct layers *layers, struct str pack, struct err *err);
/* Sorts, lets later layers win, resolves references, and fills the rest of layers->kb. */
void layers_join(struct layers *layers);

#endif
