/* chars.h - classes of bytes, for the files of text/ and above.
 *
 * The C library's classes depend on the locale and on the sign of char; these do not.
 */
#ifndef FAULTLINE_CHARS_H
#define FAULTLINE_CHARS_H

#include "base/base.h"

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
static inline bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static inline bool is_alpha(char c) {
    return is_upper(c) || is_lower(c);
}
static inline bool is_word(char c) {
    return is_alpha(c) || is_digit(c) || c == '_';
}
static inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
static inline char to_lower(char c) {
    return is_upper(c) ? (char)(c + 32) : c;
}
/* The byte at i, or NUL past the end: lets parsers look ahead without checking lengths. */
static inline char byte_at(struct str s, size_t i) {
    return i < s.n ? s.p[i] : '\0';
}
static inline struct str str_from(struct str s, size_t from) {
    return from < s.n ? (struct str){s.p + from, s.n - from} : (struct str){0};
}

#endif
