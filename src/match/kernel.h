/* kernel.h - the only code that touches every byte: where a trigger may begin, where lines end,
 * where control bytes are.
 *
 * A trigger is four bytes.  Triggers lie in 16 buckets; for each of the four positions a table
 * tells in which buckets a byte may stand there, and a trigger may begin where one bucket admits
 * all four bytes.  So a kernel never misses a trigger and sometimes offers a place that is none.
 * The machine's best kernel is chosen when a matcher is made; kernel_body.h is the one description
 * they are all compiled from.
 */
#ifndef FAULTLINE_MATCH_KERNEL_H
#define FAULTLINE_MATCH_KERNEL_H

#include "base/base.h"

enum { BUCKETS = 16, BUCKET_BOX = 15 /* kept for box drawing, whose last two bytes are free */ };

/* Buckets 0-7 are bits of group 0, 8-15 of group 1. */
struct kernel_tables {
    uint8_t low[2][4][16], high[2][4][16]; /* by nibble: the and of both is the bucket set */
    uint8_t seven[2][4][128];              /* by the lower seven bits */
    uint16_t byte[4][256];                 /* exact */
};
/* Lets `byte` stand at position `at` of the bucket. */
void kernel_admit(struct kernel_tables *tables, int bucket, int at, uint8_t byte);

/* What 64 bytes hold; bit i is byte i. */
struct lanes {
    uint64_t hit;     /* a trigger may begin here */
    uint64_t newline; /* LF */
    uint64_t control; /* below 0x20, but TAB and LF */
};

struct kernel {
    const char *name;
    /* Reads 64*words + 3 bytes from p. Returns the number of LFs. */
    size_t (*run)(const struct kernel_tables *tables, const uint8_t *p, size_t words,
                  struct lanes *out);
    bool (*usable)(void); /* on this machine */
};
extern const struct kernel kernels[]; /* slowest first; [0] works everywhere */
extern const int n_kernels;
const struct kernel *kernel_best(void);

#endif
