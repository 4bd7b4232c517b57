#include "base/base.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    size_t mapped; /* bytes of the mapping that the chunk is; 0: it is of the heap */
    bool zeroed;   /* what was not handed out yet is zeros; else it is what the heap left there */
    alignas(max_align_t) char bytes[];
};

/* Chunks grow: most arenas stay small, and of those there are many. */
enum { CHUNK_FIRST = 16 * 1024, CHUNK_MOST = 64 * 1024 };
/* Arrays of many files grow in mappings of their own: nothing is copied, and the heap would be left
 * with the holes. */
enum { MAPPED_LEAST = 1024 * 1024, GROWS_MAPPED = 128 * 1024 };

static void (*restore_terminal)(void);

void base_on_abort(void (*restore)(void)) {
    restore_terminal = restore;
}

_Noreturn void base_out_of_memory(void) {
    if (restore_terminal) restore_terminal();
    fputs("faultline: out of memory\n", stderr);
    abort();
}

static void *there(void *p) {
    if (!p) base_out_of_memory();
    return p;
}

void *heap_zeros(size_t n, size_t size) {
    return there(calloc(n ? n : 1, size));
}

void *heap_bytes(size_t n) {
    return there(malloc(n ? n : 1));
}

void *heap_resize(void *p, size_t n) {
    return there(realloc(p, n ? n : 1));
}

static struct arena_chunk *chunk_map(size_t bytes) {
    size_t size = sizeof(struct arena_chunk) + bytes;
    struct arena_chunk *chunk =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) return NULL;
    *chunk = (struct arena_chunk){.size = bytes, .mapped = size, .zeroed = true};
    return chunk;
}

/* The heap zeroes a large chunk for nothing where its pages are new; of a small one, which mostly
 * was another's before, only what is handed out is zeroed. */
static struct arena_chunk *chunk_new(size_t bytes, struct arena_chunk *next) {
    bool fits = bytes <= SIZE_MAX - sizeof(struct arena_chunk), zeroed = bytes > CHUNK_MOST;
    size_t size = sizeof(struct arena_chunk) + bytes;
    bool mapped = bytes >= MAPPED_LEAST;
    struct arena_chunk *chunk = !fits    ? NULL
                                : mapped ? chunk_map(bytes)
                                : zeroed ? calloc(1, size)
                                         : malloc(size);
    if (!chunk) base_out_of_memory();
    if (!mapped) *chunk = (struct arena_chunk){.size = bytes, .zeroed = zeroed};
    chunk->next = next;
    return chunk;
}

static void chunk_free(struct arena_chunk *chunk) {
    if (chunk->mapped)
        munmap(chunk, chunk->mapped);
    else
        free(chunk);
}

/* Where the kernel gives huge pages to who asks, filling the chunk faults four times instead of two
 * thousand. */
void arena_reserve(struct arena *arena, size_t bytes) {
    struct arena_chunk *chunk = chunk_map(bytes);
    if (!chunk) return; /* then chunk by chunk */
#ifdef MADV_HUGEPAGE
    madvise(chunk, chunk->mapped, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE
    madvise(chunk, chunk->mapped, MADV_POPULATE_WRITE);
#endif
    chunk->next = arena->head;
    arena->head = chunk;
}

enum fill { AS_IT_IS, ZEROS };

static void *take(struct arena *arena, size_t bytes, size_t align, enum fill fill) {
    struct arena_chunk *chunk = arena->head;
    size_t at = chunk ? (chunk->used + align - 1) & ~(align - 1) : 0;
    if (!chunk || at > chunk->size || chunk->size - at < bytes) {
        size_t size = arena->used < CHUNK_FIRST ? CHUNK_FIRST : arena->used;
        if (size > CHUNK_MOST) size = CHUNK_MOST;
        if (chunk && bytes > size / 4) { /* a large block must not waste the open chunk */
            chunk->next = chunk_new(bytes, chunk->next);
            chunk = chunk->next;
        } else {
            chunk = arena->head = chunk_new(bytes > size ? bytes : size, chunk);
        }
        at = 0;
    }
    chunk->used = at + bytes;
    arena->used += bytes;
    if (fill == ZEROS && !chunk->zeroed) memset(chunk->bytes + at, 0, bytes);
    return chunk->bytes + at;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    return take(arena, bytes, alignof(max_align_t), ZEROS);
}

void arena_release(struct arena *arena) {
    for (struct arena_chunk *chunk = arena->head, *next; chunk; chunk = next) {
        next = chunk->next;
        chunk_free(chunk);
    }
    *arena = (struct arena){0};
}

struct str arena_str(struct arena *arena, struct str s) {
    if (!s.n) return (struct str){"", 0};
    char *copy = take(arena, s.n + 1, 1, AS_IT_IS); /* many are short: they lie side by side */
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return (struct str){copy, s.n};
}

const char *arena_cstr(struct arena *arena, struct str s) {
    return arena_str(arena, s).p;
}

struct str arena_vprintf(struct arena *arena, const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    if (n < 0) n = 0;
    char *text = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return (struct str){text, (size_t)n};
}

struct str arena_printf(struct arena *arena, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    struct str s = arena_vprintf(arena, format, ap);
    va_end(ap);
    return s;
}

/* The chunk with room for so many bytes: it moves, but is seldom copied. */
static struct arena_chunk *chunk_resize(struct arena_chunk *chunk, size_t bytes) {
    size_t size = sizeof *chunk + bytes;
    if (chunk->mapped) {
        struct arena_chunk *moved = mremap(chunk, chunk->mapped, size, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) base_out_of_memory();
        moved->mapped = size;
        return moved;
    }
    struct arena_chunk *grown = bytes < GROWS_MAPPED ? NULL : chunk_map(bytes);
    if (!grown) return heap_resize(chunk, size);
    grown->next = chunk->next;
    memcpy(grown->bytes, chunk->bytes, chunk->size);
    chunk_free(chunk);
    return grown;
}

/* An array in a chunk of its own, which it fills, grows with the chunk. */
static void *chunk_grow(struct arena *arena, const void *array, size_t filled, size_t bytes) {
    struct arena_chunk **at = &arena->head;
    while (*at && (void *)(*at)->bytes != array) at = &(*at)->next;
    struct arena_chunk *chunk = *at;
    if (!chunk || chunk->size != filled || filled < CHUNK_MOST) return NULL;
    arena->used += bytes - filled;
    chunk = *at = chunk_resize(chunk, bytes);
    chunk->used = chunk->size = bytes;
    return chunk->bytes;
}

void vec_room_alone(struct arena *arena, void **array, size_t n, size_t *cap, size_t item) {
    if (n < *cap) return;
    size_t filled = *cap * item;
    void *grown = n ? chunk_grow(arena, *array, filled, 2 * filled) : NULL;
    if (!grown) {
        vec_room(arena, array, n, cap, item);
        return;
    }
    *array = grown;
    *cap *= 2;
}

void vec_room(struct arena *arena, void **array, size_t n, size_t *cap, size_t item) {
    if (n < *cap) return;
    size_t want = *cap ? *cap * 2 : 8;
    void *grown = take(arena, want * item, alignof(max_align_t), AS_IT_IS);
    if (n) memcpy(grown, *array, n * item);
    *array = grown;
    *cap = want;
}
