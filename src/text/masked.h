/* masked.h - lines that differ in digits only are one.
 *
 * Every digit becomes '0'; all other bytes and the length stay.  Where addresses may differ, too,
 * so do the hexadecimal digits of numbers such as 0x7f3a.  The hash is made of the masked bytes 32
 * at a time (zeros behind the end), as four lanes of eight that wide vectors can stir side by side:
 * match/pass_body.h does, and must come to the same.
 */
#ifndef FAULTLINE_MASKED_H
#define FAULTLINE_MASKED_H

#include "text/chars.h"

enum { MASKED_BEYOND = 32 /* bytes that are written after the line */ };

/* Writes the masked line and zeros after it, up to a multiple of MASKED_BEYOND bytes, to `to`,
 * which has room for MASKED_BEYOND bytes more.  Returns a hash of it.  `beyond`: as many bytes
 * behind the line may be read (what they are does not matter), which is faster. */
uint64_t masked_copy(struct str line, bool beyond, char *to);
/* Masks the hexadecimal digits in a line that masked_copy wrote; whether it holds such a number,
 * even one whose digits are all decimal. */
bool masked_addresses(char *masked, size_t n);
/* Whether two masked lines of n bytes are the same. */
bool masked_same(const char *a, const char *b, size_t n);

/* A hash for which all numbers are one, of whatever length: line numbers, sizes and addresses
 * differ.  That of a line is that of the masked line. */
uint64_t masked_loosely(struct str line);
#define LOOSELY_NOTHING 0x0BADCAFEu /* that of an empty line */

/* ---- for those who mask by themselves -------------------------------------------------------- */

/* A hexadecimal number is a digit, 'x', and digits up to a byte that no word holds, as masking
 * leaves it: a digit before the 'x' may be any.  Where its digits that begin at `at` end, or `at`
 * where there is no such number; those before `end` are known. */
static inline size_t hex_end(const char *p, size_t at, size_t end, size_t n) {
    uint64_t bytes, others = 0;
    for (; __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !others && end + 8 <= n;
         end += others ? (size_t)__builtin_ctzll(others) / 8 : 8) {
        memcpy(&bytes, p + end, 8);
        others = ~hex_of(bytes) & 0x8080808080808080u;
    }
    if (!others)
        while (end < n && is_hex(p[end])) end++;
    return end < n && is_word(p[end]) ? at : end;
}

/* The hexadecimal digits met last, as a line is read MASKED_BEYOND bytes at a time: zeros at first.
 */
struct hex_digits {
    size_t from, to;
    bool more; /* behind the bytes that were read */
};
/* Bits of the bytes from p + at on that are digits of hexadecimal numbers.  `starts`: of those
 * where a digit stands before an 'x'; `hex`: of all that may be such digits. */
uint32_t hex_next(struct hex_digits *digits, const char *p, size_t at, size_t n, uint32_t starts,
                  uint32_t hex);

/* A lane takes eight bytes w as lane += low half of x * high half of x + the word beside w, where x
 * = w ^ the lane's key; every key grows by MASKED_STEP with each 32 bytes. */
extern const uint64_t masked_keys[4];
#define MASKED_STEP 0x9E3779B97F4A7C15u

/* The hash that the lanes of a line of n bytes make. */
static inline uint64_t masked_finish(const uint64_t lanes[4], size_t n) {
    unsigned __int128 a =
        (unsigned __int128)(lanes[0] ^ 0x8EBC6AF09C88C6E3u ^ n) * (lanes[1] ^ 0x9E3779B97F4A7C15u);
    unsigned __int128 b =
        (unsigned __int128)(lanes[2] ^ 0xA0761D6478BD642Fu) * (lanes[3] ^ 0xE7037ED1A0B428DBu);
    return ((uint64_t)a ^ (uint64_t)(a >> 64)) + ((uint64_t)b ^ (uint64_t)(b >> 64));
}

#endif
