/* nccl_tests.h - tables of nccl-tests (all_reduce_perf and its relatives): how fast collectives
 * are, and whether their values are right.  Knows no link and no expectation. */
#ifndef FAULTLINE_NCCL_TESTS_H
#define FAULTLINE_NCCL_TESTS_H

#include "facts/reading.h"

/* Notes what the tables in the text being read say, from its beginning; a text without any gives
 * nothing.  Of several tables the last one counts. */
void nccl_tests_note(struct reading *reading);

#endif
