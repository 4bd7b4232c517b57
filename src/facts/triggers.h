/* triggers.h - which lines of a log can hold a fact at all, and of what.
 *
 * A log's head is thousands of lines of which a few tell something; looking for every phrase in
 * every line would cost more than searching the whole log for signals.
 */
#ifndef FAULTLINE_TRIGGERS_H
#define FAULTLINE_TRIGGERS_H

#include "text/grams.h"

enum trigger {                        /* what a line may tell of, a bit each */
               TRIGGER_PATH = 1,      /* of packages */
               TRIGGER_ARGUMENTS = 2, /* a block of them begins */
               TRIGGER_CALL = 4,      /* of a configuration's constructor */
               TRIGGER_LAUNCH = 8,    /* what a launcher prints, and a shell's exports */
               TRIGGER_COMMAND = 16,  /* the words of launch commands */
               TRIGGER_NCCL = 32,
               TRIGGER_MACHINE = 64,
               TRIGGER_VERSION = 128,
               TRIGGER_DICTIONARY = 256,
               TRIGGER_SIZES = 512,      /* of the job */
               TRIGGER_SMI = 1024,       /* what fails in nvidia-smi */
               TRIGGER_BANDWIDTH = 2048, /* a row of nccl-tests */
               TRIGGER_TABLE = 4096,     /* of nvidia-smi */
               TRIGGER_TELLS = 8192      /* without it all else is no fact */
};
enum { TRIGGER_ALL = 2 * TRIGGER_TELLS - 1 };

/* `grams`: the pairs of bytes of the line.  No phrase holds a digit: lines that differ in digits
 * only trigger the same. */
unsigned triggers_in(struct str line, const struct grams *grams);

#endif
