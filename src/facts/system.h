/* system.h - lines that tools of the operating system print. */
#ifndef FAULTLINE_SYSTEM_H
#define FAULTLINE_SYSTEM_H

#include "facts/reading.h"

/* A line of lscpu, free, df, ulimit -a, nvcc -V, gcc --version, ldd --version, uname -a,
 * os-release, ibstat's neighbours and the like; false when it is none. */
bool system_line(struct reading *reading, struct str line);

#endif
