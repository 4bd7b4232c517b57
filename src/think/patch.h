/* patch.h - a fix's change of settings as a unified diff of the very file.  Private to think/.
 *
 * Where the configuration or script was among the inputs, as it was written.  Nothing where it was
 * not, where a placeholder could not be filled, where the file holds what must not be shown near
 * the change, or where the settings are so already. */
#ifndef FAULTLINE_PATCH_H
#define FAULTLINE_PATCH_H

#include "think/view.h"

/* `patch -p1` or `git apply` takes the result in the folder that was diagnosed; empty: none. */
struct str patch_diff(const struct view *view, const struct patch *patch);

#endif
