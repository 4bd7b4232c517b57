/* clocks.h - clocks of hosts that disagree.  Private to think/.
 *
 * Ranks of one job do the same step at about the same time, meet at the rendezvous and the first
 * barrier, begin together and are ended together.  Where the log of a rank or host tells other
 * times for the same steps or, where none are told, for the same meetings, or begins and ends (or
 * is ended, as a scheduler's or launcher's last line tells) by the same span earlier or later than
 * most, its clock is off, not its work.  What cannot be told so stays as it is.
 */
#ifndef FAULTLINE_CLOCKS_H
#define FAULTLINE_CLOCKS_H

#include "model/evidence.h"

/* The evidence itself where no clock is known to be off, else one whose hits and tracebacks carry
 * the `skew` of their source's clock; their times stay as the logs told them. */
const struct evidence *clocks_compare(const struct evidence *evidence, struct arena *arena);

#endif
