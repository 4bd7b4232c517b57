#include "input/unzstd.h"
#include "base/library.h"
#include "input/archive.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    WINDOW_LOG_MAX = 25, /* 32 MiB: what may be kept of one stream, as memory is bounded */
    READ_BYTES = 128 * 1024
};

#define CALLS(CALL)                                                                                \
    CALL(ZSTD_createDStream)                                                                       \
    CALL(ZSTD_freeDStream)                                                                         \
    CALL(ZSTD_DCtx_setParameter)                                                                   \
    CALL(ZSTD_decompressStream)                                                                    \
    CALL(ZSTD_isError)                                                                             \
    CALL(ZSTD_getErrorName)                                                                        \
    CALL(ZSTD_getErrorCode)

struct calls {
#define AS_POINTER(name) __typeof__(name) *name;
    CALLS(AS_POINTER)
};

static bool load_calls(struct calls *calls) {
#define AS_NAME(name) #name,
    static const char *const libraries[] = {"libzstd.so.1", "libzstd.so", NULL};
    static const char *const names[] = {CALLS(AS_NAME) NULL};
    return library_load(libraries, names, calls);
}

struct frames {
    struct stream stream; /* what they hold */
    struct calls calls;
    ZSTD_DStream *decoder;
    const struct named_stream *from;
    ZSTD_inBuffer in;
    size_t left; /* what the decoder said last: 0 where a frame ends, or an error, which stays */
    uint64_t taken, given;
    char room[READ_BYTES];
};

bool unzstd_tell(struct str head) {
    return str_starts(head, STR("\x28\xB5\x2F\xFD"));
}

/* Gives the decoder what it wants next: 1, 0 at the end, -1 when reading failed. */
static int feed(struct frames *frames, struct err *err) {
    if (frames->in.pos < frames->in.size) return 1;
    struct stream *from = frames->from->stream;
    ptrdiff_t n = from->read(from, frames->room, READ_BYTES, err);
    if (n < 0) return -1;
    frames->taken += (uint64_t)n;
    frames->in = (ZSTD_inBuffer){frames->room, (size_t)n, 0};
    return n > 0;
}

static ptrdiff_t damaged(const struct frames *frames, const char *why, struct err *err) {
    archive_say_damaged(frames->from->path, why, err);
    return -1;
}

static ptrdiff_t refused(const struct frames *frames, size_t code, struct err *err) {
    if (frames->calls.ZSTD_getErrorCode(code) != ZSTD_error_frameParameter_windowTooLarge)
        return damaged(frames, frames->calls.ZSTD_getErrorName(code), err);
    err_set(err, "it takes more than 32 MiB of memory to unpack",
            "unpack it (zstd -d --long=31) and give the folder", "cannot unpack '" STR_FMT "'",
            STR_ARG(frames->from->path));
    return -1;
}

static ptrdiff_t frames_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct frames *frames = (struct frames *)stream;
    ZSTD_outBuffer out = {room, n, 0};
    if (!archive_is_bounded(frames->taken, frames->given, frames->given, frames->from->path, err))
        return -1;
    while (out.pos == 0) {
        int fed = feed(frames, err);
        if (fed < 0) return -1;
        if (!fed && frames->left == 0) break;
        size_t before = frames->in.pos;
        if (!frames->calls.ZSTD_isError(frames->left))
            frames->left = frames->calls.ZSTD_decompressStream(frames->decoder, &out, &frames->in);
        if (frames->calls.ZSTD_isError(frames->left)) return refused(frames, frames->left, err);
        if (!fed && out.pos == 0 && frames->in.pos == before)
            return damaged(frames, "it ends within a frame", err);
    }
    frames->given += out.pos;
    return (ptrdiff_t)out.pos;
}

/* A log, or an archive. */
static bool content_read(struct source_run *run, int worker, struct frames *frames,
                         struct evidence *into, struct err *err) {
    char room[ARCHIVE_HEAD];
    struct ahead_stream whole;
    bool ok;
    struct str head = {room, stream_fill(&frames->stream, room, sizeof room, &ok, err)};
    ahead_stream_init(&whole, head, &frames->stream);
    if (!ok && head.n == 0) {
        source_unread(into, frames->from->path, err);
        return false;
    }
    bool archive = ok && archive_tell(head, frames->from->path);
    struct named_stream content = *frames->from;
    content.stream = &whole.stream;
    return (archive ? archive_source : source_stream)(run, worker, &content, into, err) && ok;
}

bool unzstd_source(struct source_run *run, int worker, const struct named_stream *from,
                   struct evidence *into, struct err *err) {
    struct frames *frames = heap_zeros(1, sizeof *frames);
    *frames = (struct frames){.stream = {frames_read}, .from = from};
    frames->decoder = load_calls(&frames->calls) ? frames->calls.ZSTD_createDStream() : NULL;
    if (!frames->decoder) {
        free(frames);
        return archive_source(run, worker, from, into, err);
    }
    frames->calls.ZSTD_DCtx_setParameter(frames->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    bool ok = content_read(run, worker, frames, into, err);
    frames->calls.ZSTD_freeDStream(frames->decoder);
    free(frames);
    return ok;
}
