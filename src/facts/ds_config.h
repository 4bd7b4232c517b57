/* ds_config.h - DeepSpeed's configuration as facts: every leaf under `ds.`. */
#ifndef FAULTLINE_DS_CONFIG_H
#define FAULTLINE_DS_CONFIG_H

#include "base/json.h"
#include "facts/reading.h"

/* Notes every scalar below `value` as prefix + path ("ds.zero_optimization.stage"), an array as its
 * count (`path.count`) and, when it holds few scalars, its members joined by commas. */
void config_note_tree(struct reading *reading, struct str prefix, const struct json_value *value);

#endif
