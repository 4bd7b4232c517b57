/* printed.h - configurations and arguments that programs print into their logs. */
#ifndef FAULTLINE_PRINTED_H
#define FAULTLINE_PRINTED_H

#include "facts/reading.h"

/* "a=1, b='x', c=[1, 2]" (Namespace(...), TrainingArguments(...), TrainConfig(...)) as arg.NAME;
 * returns false when the text holds no such pair. */
bool printed_pairs(struct reading *reading, struct str text);
/* deepspeed's --world_info: base64 of {"host": [0, 1, ...]}; notes nodes and world size. */
void printed_world_info(struct reading *reading, struct str base64);
/* The balanced text from the first `{` of `text`, which may run over lines; empty when unbalanced.
 */
struct str printed_braces(struct str text);

#endif
