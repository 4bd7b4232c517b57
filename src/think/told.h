/* told.h - a sentence about several lines or sources, to be looked at like a line of a log. */
#ifndef FAULTLINE_TOLD_H
#define FAULTLINE_TOLD_H

#include "model/evidence.h"

struct told {
    struct origin origin; /* the line that it is about */
    struct str sentence;  /* "links: all_reduce reaches 6.69 GB/s between 2 nodes, ..." */
};

#endif
