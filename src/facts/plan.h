/* plan.h - what the settings of a planned job come to: sizes, products, memory.
 *
 * Reads facts of configurations, the launch command and the machine; adds facts `plan.*`, each at
 * the place of the setting that decides it, so that checks of the knowledge base can ask for them.
 * Knows the rules of arithmetic of the frameworks, no failure. */
#ifndef FAULTLINE_PLAN_H
#define FAULTLINE_PLAN_H

#include "model/evidence.h"

/* plan.world_size, plan.data_parallel; plan.world, plan.batch, plan.trainer, plan.precision,
 * plan.sizes: contradictions as sentences; plan.parameters (in billions), plan.memory.states (GiB a
 * GPU), plan.memory.percent (of the GPU's memory), plan.host_memory.percent;
 * plan.unknown_key, plan.accelerate_key; plan.uneven: processes that accelerate leaves out. */
void facts_plan(struct evidence *evidence);

/* DeepSpeed's own keys (ds_keys.c).  `path` as "zero_optimization.stage".  True when some version
 * of DeepSpeed reads it; else *near is the known key that it resembles, or empty. */
bool ds_key_known(struct str path, struct str *near);
/* The same of the top of accelerate's configuration: "num_machines". */
bool accelerate_key_known(struct str path, struct str *near);

#endif
