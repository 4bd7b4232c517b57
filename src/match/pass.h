/* pass.h - passes over the lines of a block that are known: the inner loop of all scanning.
 *
 * Most lines of a log are like one before, and most of those say nothing.  Here such a line costs
 * no more than finding its end, its hash and its entry in the memo; and where it comes after
 * another as it did before, no more than the comparison with what is expected.
 */
#ifndef FAULTLINE_MATCH_PASS_H
#define FAULTLINE_MATCH_PASS_H

#include "match/memo.h"

pass_over pass_none; /* stops at once: each line is asked for by itself */
#if defined(__x86_64__)
pass_over pass_avx2;
#elif defined(__aarch64__)
pass_over pass_neon;
#endif

#endif
