/* distribution.h - what pip calls a Python module, and which module a fault is of.  Private to
 * think/.
 *
 * Knows the names that differ and those that no index has: code of one's own (utils, models),
 * extensions that another package builds (amp_C), names that belong to somebody else there (apex).
 */
#ifndef FAULTLINE_DISTRIBUTION_H
#define FAULTLINE_DISTRIBUTION_H

#include "model/evidence.h"

/* "scikit-learn" of "sklearn.metrics", "flash-attn" of "flash_attn_2_cuda", else the first part as
 * it is; empty where pip has nothing of that name that would help. */
struct str distribution_of_module(struct str module);
/* The module below site-packages that a line or path names last; empty where it names none. */
struct str module_of_path(struct str text);

#endif
