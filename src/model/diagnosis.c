#include "model/diagnosis.h"

const char *const verdict_names[3] = {"unknown", "healthy", "failed"};
const char *const ended_names[ENDED_COUNT] = {NULL,           "finished",   "failed",
                                              "cancelled",    "time_limit", "preempted",
                                              "node_failure", "cut",        "running"};
const char *const reason_kind_names[4] = {"log", "file", "probe", "answer"};
