/* utf8.h - one step through UTF-8 and back: the only decoder of the program.
 *
 * Knows code points and no columns, no locale, no terminal. */
#ifndef FAULTLINE_UTF8_H
#define FAULTLINE_UTF8_H

#include "base/base.h"

/* Length of the valid UTF-8 sequence at p (n > 0 bytes there), its code point in *code; 0 if
 * invalid: overlong, a surrogate, beyond U+10FFFF, or cut off. */
int utf8_step(const char *p, size_t n, uint32_t *code);
/* Appends a code point; what is none becomes '?'. */
void utf8_add(struct buf *out, uint32_t code);
/* Takes the last character back, whole. */
void utf8_drop(struct buf *text);
/* True for what steers a terminal or turns the direction of text; such a point is never drawn. */
bool utf8_steers(uint32_t code);

#endif
