/* reply.h - the marks in what comes back from `faultline ask`.
 *
 * The block of commands prints a mark before each command's output, so that the whole can be pasted
 * in one piece: the section's name and the id of the reader that knows its text.
 *   #### faultline begin HOST 2024-05-01T12:03:41Z ####
 *   #### faultline nvidia-smi-q nvidia-smi-q ####
 *   ...
 *   #### faultline end ####
 * In the section `questions` a person fills in lines of ID = CHOICE. */
#ifndef FAULTLINE_REPLY_H
#define FAULTLINE_REPLY_H

#include "base/base.h"

#define REPLY_MARK "#### faultline "

#endif
