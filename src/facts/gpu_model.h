/* gpu_model.h - what a GPU's name tells: vendor, compute capability, memory.
 *
 * A table of models that distributed training meets.  An unknown name gives nothing rather than a
 * guess.
 */
#ifndef FAULTLINE_GPU_MODEL_H
#define FAULTLINE_GPU_MODEL_H

#include "facts/reading.h"

struct gpu_model {
    const char *name; /* the part that tells the model: "A100", "RTX 3090" */
    const char *arch; /* "8.0", "gfx90a" */
    const char *vendor;
    int gib;         /* memory where all of this name have the same, else 0 */
    bool short_name; /* too short to be taken for a GPU without a word such as "GPU" near it */
};

/* The model that a full name speaks of ("NVIDIA A100-SXM4-80GB"), or NULL. */
const struct gpu_model *gpu_model_of(struct str name);
/* The first model in free text; *at and *n say where.  NULL when there is none. */
const struct gpu_model *gpu_model_find(struct str text, size_t *at, size_t *n);
/* Notes gpu.name, gpu.arch, gpu.vendor and gpu.memory as far as the name tells. */
void gpu_model_note(struct reading *reading, struct str name);

#endif
