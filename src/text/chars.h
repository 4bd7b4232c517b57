/* chars.h - classes of bytes, for the files of text/ and above.
 *
 * The C library's classes depend on the locale and on the sign of char; these do not.
 */
#ifndef FAULTLINE_CHARS_H
#define FAULTLINE_CHARS_H

#include "base/base.h"

enum { CHAR_DIGIT = 1, CHAR_UPPER = 2, CHAR_LOWER = 4, CHAR_UNDERSCORE = 8 };
static const unsigned char char_classes[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
    ['8'] = 1, ['9'] = 1, ['A'] = 2, ['B'] = 2, ['C'] = 2, ['D'] = 2, ['E'] = 2, ['F'] = 2,
    ['G'] = 2, ['H'] = 2, ['I'] = 2, ['J'] = 2, ['K'] = 2, ['L'] = 2, ['M'] = 2, ['N'] = 2,
    ['O'] = 2, ['P'] = 2, ['Q'] = 2, ['R'] = 2, ['S'] = 2, ['T'] = 2, ['U'] = 2, ['V'] = 2,
    ['W'] = 2, ['X'] = 2, ['Y'] = 2, ['Z'] = 2, ['_'] = 8, ['a'] = 4, ['b'] = 4, ['c'] = 4,
    ['d'] = 4, ['e'] = 4, ['f'] = 4, ['g'] = 4, ['h'] = 4, ['i'] = 4, ['j'] = 4, ['k'] = 4,
    ['l'] = 4, ['m'] = 4, ['n'] = 4, ['o'] = 4, ['p'] = 4, ['q'] = 4, ['r'] = 4, ['s'] = 4,
    ['t'] = 4, ['u'] = 4, ['v'] = 4, ['w'] = 4, ['x'] = 4, ['y'] = 4, ['z'] = 4};

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
    return char_classes[(unsigned char)c] & (CHAR_UPPER | CHAR_LOWER);
}
static inline bool is_alnum(char c) {
    return char_classes[(unsigned char)c] & (CHAR_DIGIT | CHAR_UPPER | CHAR_LOWER);
}
/* Of a hexadecimal number as programs print it: small letters. */
static inline bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}
static inline bool is_word(char c) {
    return char_classes[(unsigned char)c] != 0;
}
static inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
static inline bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static inline char to_lower(char c) {
    return is_upper(c) ? (char)(c + 32) : c;
}
/* The high bit of each of eight bytes that is a digit. */
static inline uint64_t digits_of(uint64_t bytes) {
    uint64_t x = bytes ^ 0x3030303030303030u;
    return ~(((x & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | x) & 0x8080808080808080u;
}
/* ... and that belongs to a hexadecimal number as is_hex tells it. */
static inline uint64_t hex_of(uint64_t bytes) {
    uint64_t high = bytes | 0x8080808080808080u;
    uint64_t letters = (high - 0x6161616161616161u) & ~(high - 0x6767676767676767u);
    return digits_of(bytes) | (letters & ~bytes & 0x8080808080808080u);
}
/* The byte at i, or NUL past the end: lets parsers look ahead without checking lengths. */
static inline char byte_at(struct str s, size_t i) {
    return i < s.n ? s.p[i] : '\0';
}
static inline struct str str_from(struct str s, size_t from) {
    return from < s.n ? (struct str){s.p + from, s.n - from} : (struct str){0};
}
/* The digits that s begins with. */
static inline struct str str_digits(struct str s) {
    size_t n = 0;
    while (is_digit(byte_at(s, n))) n++;
    return str_sub(s, 0, n);
}

#endif
