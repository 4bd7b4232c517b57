/* base.h - what every other module may assume: arenas, slices, vectors, buffers, errors.
 *
 * This floor knows nothing about logs, knowledge or screens.  One rule of ownership holds in
 * the whole program: a parameter `struct arena *` means that the result lives in that arena;
 * every other pointer is borrowed.  Out of memory writes one line and aborts.
 */
#ifndef FAULTLINE_BASE_H
#define FAULTLINE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT_OF(a)       (sizeof(a) / sizeof *(a))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* ---- arena: memory by lifetime --------------------------------------------------------- */

/* A growing region whose allocations die together.  Zero-initialise to make one. */
struct arena {
    struct arena_chunk *head;
    size_t used; /* bytes handed out in all, to bound growth */
};

/* Zeroed bytes, aligned for any type.  Never NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);
/* Makes room for so many bytes at once: for what is known to become large.  The system is asked for
 * the pages in one go, where each would else be a fault when it is first touched. */
void arena_reserve(struct arena *arena, size_t bytes);
/* Frees everything; the arena may be used again. */
void arena_release(struct arena *arena);

#define ARENA_NEW(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* Called once before the process aborts for want of memory (the screen restores the terminal). */
void base_on_abort(void (*restore)(void));
_Noreturn void base_out_of_memory(void);

/* ---- heap: memory that one owner frees with free() ----------------------------------------- */

void *heap_zeros(size_t n, size_t size); /* n zeroed items.  None of these gives NULL */
void *heap_bytes(size_t n);
void *heap_resize(void *p, size_t n); /* p may be NULL */

/* ---- str: a slice of bytes --------------------------------------------------------------- */

/* Borrowed bytes, not NUL-terminated, never NULL when n > 0.  {0} is the empty slice. */
struct str {
    const char *p;
    size_t n;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_FMT      "%.*s"
#define STR_ARG(s)   (int)(s).n, (s).p ? (s).p : ""

/* NULL gives the empty slice. */
static inline struct str str_of(const char *z) {
    return (struct str){z, z ? strlen(z) : 0};
}
/* Ids share their beginnings more than their ends. */
static inline bool str_eq(struct str a, struct str b) {
    return a.n == b.n && (a.n == 0 || (a.p[a.n - 1] == b.p[b.n - 1] && memcmp(a.p, b.p, a.n) == 0));
}
bool str_eq_nocase(struct str a, struct str b); /* ASCII only */
int str_cmp(struct str a, struct str b);        /* by bytes, then by length: a total order */
static inline bool str_starts(struct str s, struct str prefix) {
    return s.n >= prefix.n &&
           (prefix.n == 0 || (*s.p == *prefix.p && memcmp(s.p, prefix.p, prefix.n) == 0));
}
bool str_ends(struct str s, struct str suffix);
bool str_starts_nocase(struct str s, struct str prefix);
bool str_ends_nocase(struct str s, struct str suffix);
size_t str_count(struct str s, char c);
/* Offset of the first occurrence of needle at or after `from`, or -1. */
ptrdiff_t str_find(struct str s, struct str needle, size_t from);
ptrdiff_t str_find_nocase(struct str s, struct str needle, size_t from);
bool str_has(struct str s, struct str needle);
/* The word occurs, without case, with no letter beside it: "log" in "main_log.txt", not in
 * "catalogue.sh". */
bool str_has_word(struct str s, struct str word);
/* True where s is one of n texts; begins or ends with one; holds one, without case. */
bool str_among(struct str s, const char *const *texts, size_t n);
bool str_starts_any(struct str s, const char *const *texts, size_t n);
bool str_ends_any(struct str s, const char *const *texts, size_t n);
bool str_has_any(struct str s, const char *const *texts, size_t n);
#define STR_AMONG(s, array)      str_among((s), (array), COUNT_OF(array))
#define STR_STARTS_ANY(s, array) str_starts_any((s), (array), COUNT_OF(array))
#define STR_ENDS_ANY(s, array)   str_ends_any((s), (array), COUNT_OF(array))
#define STR_HAS_ANY(s, array)    str_has_any((s), (array), COUNT_OF(array))
struct str str_trim(struct str s); /* without white space at both ends */
/* A path without its folders, and those with the slash behind them (empty: none are named). */
struct str str_file_name(struct str path);
struct str str_folder(struct str path);
/* Clamped to s. */
static inline struct str str_sub(struct str s, size_t from, size_t n) {
    if (from > s.n) from = s.n;
    if (n > s.n - from) n = s.n - from;
    return (struct str){s.p ? s.p + from : NULL, n};
}
/* Splits the next line or field off `rest`; false when rest is exhausted. */
bool str_split(struct str *rest, char sep, struct str *field);
/* The next line without its LF or CRLF. */
bool str_line(struct str *rest, struct str *line);
/* A decimal integer that fills s; false otherwise (also on overflow). */
bool str_int(struct str s, int64_t *value);
/* A decimal number that fills s, with sign, fraction and exponent; nan and inf are refused. */
bool str_number(struct str s, double *value);
/* Reads "40960MiB", "80 GB", "16G", "65536 kB" as GiB; without a unit `unit` is used ('B', 'K',
 * 'M'). False where no number stands at the start, or a unit that is none of bytes. */
bool str_gib(struct str s, char unit, double *gib);
/* Compares dotted versions by their numbers ("1.13.1+cu117" < "2.0"); text after '+' is ignored. */
int version_cmp(struct str a, struct str b);
uint64_t str_hash(struct str s); /* the same on every machine */
/* How many bytes have to be changed, added or left out to make one the other; of more than 64 bytes
 * as many as the longer one has. */
int str_distance(struct str a, struct str b);

struct str arena_str(struct arena *arena, struct str s); /* a copy, NUL-terminated as a favour */
struct str arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
struct str arena_vprintf(struct arena *arena, const char *format, va_list ap);
const char *arena_cstr(struct arena *arena, struct str s); /* a NUL-terminated copy */
/* A word as a shell takes it: as it is where every byte is plain, else in single quotes. */
struct str str_shell(struct arena *arena, struct str word);

/* ---- vec: a growing array in an arena ------------------------------------------------------ */

/* struct { T *v; size_t n, cap; } declared in place:  VEC(struct hit) hits;  */
#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *v;                                                                                   \
        size_t n, cap;                                                                             \
    }
/* Appends a value; the old array is left to the arena when it grows. */
#define vec_push(arena, vec, ...)                                                                  \
    (vec_room((arena), (void **)&(vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v),               \
     (vec)->v[(vec)->n++] = (__VA_ARGS__))
/* The same for arrays that become large, into which nothing may point: the old one is gone when it
 * grows, so that no memory is left behind. */
#define vec_push_alone(arena, vec, ...)                                                            \
    (vec_room_alone((arena), (void **)&(vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v),         \
     (vec)->v[(vec)->n++] = (__VA_ARGS__))
void vec_room_alone(struct arena *arena, void **array, size_t n, size_t *cap, size_t item);
void vec_room(struct arena *arena, void **array, size_t n, size_t *cap, size_t item);

/* ---- buf: a growing byte buffer on the heap -------------------------------------------------- */

/* Bytes being gathered; p may move.  Never grows beyond `limit` (0 = no limit): what does not
 * fit is dropped and `full` is set. */
struct buf {
    char *p;
    size_t n, cap, limit;
    bool full;
    void (*drain)(void *ctx, struct str bytes); /* takes what was gathered now and then, or NULL */
    void *ctx;
};
void buf_add(struct buf *buf, const void *bytes, size_t n);
void buf_str(struct buf *buf, struct str s);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void buf_clear(struct buf *buf);   /* keeps the memory */
void buf_release(struct buf *buf); /* frees it */
struct str buf_view(const struct buf *buf);

/* ---- err: why the outside world said no -------------------------------------------------------
 */

/* Filled by a function that returns false.  Holds its texts itself, so it may be copied and kept.
 */
struct err {
    char what[256];   /* what failed, no capital, no full stop: "cannot read 'x.log'" */
    char detail[256]; /* why: "No such file or directory"; may be empty */
    char hint[256];   /* what to do about it; may be empty */
};
/* Returns false, so that a function can `return err_set(err, ...)`.  detail and hint may be NULL.
 */
bool err_set(struct err *err, const char *detail, const char *hint, const char *what, ...)
    PRINTF_LIKE(4, 5);

#endif
