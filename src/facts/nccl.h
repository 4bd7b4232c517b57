/* nccl.h - what NCCL's own lines say about versions and the network that it took. */
#ifndef FAULTLINE_NCCL_H
#define FAULTLINE_NCCL_H

#include "facts/reading.h"

/* True when the line was one of NCCL's. */
bool nccl_line(struct reading *reading, struct str line);

#endif
