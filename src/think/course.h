/* course.h - which source's steps are shown, and what is said of them.  Private to think/. */
#ifndef FAULTLINE_COURSE_H
#define FAULTLINE_COURSE_H

#include "think/view.h"

/* The readings of the source that has most of them in the attempt under diagnosis, or NULL. */
const struct course *course_take(const struct view *view);

#endif
