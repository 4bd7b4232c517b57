/* libarchive undoes gzip, zstd, xz, bzip2, tar and zip.  Its limits are ours: hostile archives end
 * early.  It brings a dozen libraries along, which would cost every start of the program a tenth of
 * its time: it is loaded when there is something to unpack. */
#include "input/archive.h"
#include "base/library.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>

enum {
    ENTRIES_MAX = 20000,
    RATIO_MAX = 200, /* bytes given for one read: more than logs ever shrink by */
    READ_BYTES = 64 * 1024
};
static const uint64_t entry_max = (uint64_t)64 << 30, slack = (uint64_t)64 << 20;

#define CALLS(CALL)                                                                                \
    CALL(archive_read_new)                                                                         \
    CALL(archive_read_free)                                                                        \
    CALL(archive_read_open)                                                                        \
    CALL(archive_read_next_header)                                                                 \
    CALL(archive_read_data)                                                                        \
    CALL(archive_format)                                                                           \
    CALL(archive_error_string)                                                                     \
    CALL(archive_set_error)                                                                        \
    CALL(archive_entry_filetype)                                                                   \
    CALL(archive_entry_pathname)                                                                   \
    CALL(archive_read_support_filter_gzip)                                                         \
    CALL(archive_read_support_filter_bzip2)                                                        \
    CALL(archive_read_support_filter_xz)                                                           \
    CALL(archive_read_support_filter_zstd)                                                         \
    CALL(archive_read_support_format_tar)                                                          \
    CALL(archive_read_support_format_zip)                                                          \
    CALL(archive_read_support_format_raw)

struct calls {
#define AS_POINTER(name) __typeof__(name) *name;
    CALLS(AS_POINTER)
};

static bool load_calls(struct calls *calls) {
#define AS_NAME(name) #name,
    static const char *const libraries[] = {"libarchive.so.13", "libarchive.so", NULL};
    static const char *const names[] = {CALLS(AS_NAME) NULL};
    return library_load(libraries, names, calls);
}

struct packed {
    struct calls calls;
    struct archive *archive;
    const struct named_stream *from;
    struct err failed; /* of `from` */
    char room[READ_BYTES];
    uint64_t taken, given; /* compressed bytes read, bytes given out */
};

struct entry_stream {
    struct stream stream;
    struct packed *packed;
    uint64_t given; /* of this entry */
};

bool archive_tell(struct str head, struct str path) {
    static const struct str magics[] = {STR("\x1F\x8B"), STR("BZh"), STR("\xFD\x37zXZ"),
                                        STR("\x28\xB5\x2F\xFD")};
    /* checkpoints and wheels are zip files: they are listed, not read */
    if (str_starts(head, STR("PK\x03\x04"))) return str_ends(path, STR(".zip"));
    for (size_t i = 0; i < COUNT_OF(magics); i++)
        if (str_starts(head, magics[i])) return true;
    return head.n >= 512 && str_eq(str_sub(head, 257, 5), STR("ustar"));
}

static la_ssize_t packed_read(struct archive *archive, void *ctx, const void **bytes) {
    struct packed *packed = ctx;
    struct stream *from = packed->from->stream;
    ptrdiff_t n = from->read(from, packed->room, sizeof packed->room, &packed->failed);
    *bytes = packed->room;
    if (n < 0) packed->calls.archive_set_error(archive, EIO, "%s", packed->failed.detail);
    if (n > 0) packed->taken += (uint64_t)n;
    return n;
}

bool archive_say_damaged(struct str path, const char *why, struct err *err) {
    return err_set(err, why ? why : "it is damaged",
                   "it may have been cut on its way: fetch it again, or give what can be unpacked",
                   "cannot unpack '" STR_FMT "'", STR_ARG(path));
}

static bool say_damaged(struct packed *packed, struct err *err) {
    return archive_say_damaged(packed->from->path,
                               packed->calls.archive_error_string(packed->archive), err);
}

bool archive_is_bounded(uint64_t taken, uint64_t given, uint64_t of_entry, struct str path,
                        struct err *err) {
    if (of_entry <= entry_max && given <= taken * RATIO_MAX + slack) return true;
    return err_set(err, "it grows too large when unpacked", "unpack it and give the folder",
                   "stopped reading '" STR_FMT "'", STR_ARG(path));
}

static ptrdiff_t entry_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct entry_stream *self = (struct entry_stream *)stream;
    struct packed *packed = self->packed;
    if (!archive_is_bounded(packed->taken, packed->given, self->given, packed->from->path, err))
        return -1;
    la_ssize_t got = packed->calls.archive_read_data(packed->archive, room, n);
    if (got < 0) {
        say_damaged(packed, err);
        return -1;
    }
    self->given += (uint64_t)got;
    packed->given += (uint64_t)got;
    return got;
}

/* "a.tar.gz:logs/rank0.log"; a single compressed file ("data" to libarchive) is its own path. */
static struct str entry_path(struct buf *room, struct packed *packed, const char *name) {
    bool raw = packed->calls.archive_format(packed->archive) == ARCHIVE_FORMAT_RAW;
    if (raw || !name) return packed->from->path;
    while (name[0] == '.' && name[1] == '/') name += 2;
    buf_clear(room);
    buf_str(room, packed->from->path);
    buf_char(room, ':');
    buf_str(room, str_of(name));
    return buf_view(room);
}

static bool read_entry(struct source_run *run, int worker, struct packed *packed, struct str path,
                       struct evidence *into, struct err *err) {
    struct entry_stream stream = {.stream = {entry_read}, .packed = packed};
    const struct named_stream entry = {&stream.stream, path, packed->from->depth};
    struct evidence own = {0};
    bool ok = source_stream(run, worker, &entry, &own, err);
    evidence_merge(into, &own);
    evidence_release(&own);
    return ok;
}

static bool read_entries(struct source_run *run, int worker, struct packed *packed,
                         struct evidence *into, struct err *err) {
    struct archive_entry *entry;
    struct buf room = {0};
    bool ok = true;
    int status = ARCHIVE_OK, n = 0;
    while (ok && n < ENTRIES_MAX &&
           (status = packed->calls.archive_read_next_header(packed->archive, &entry)) <=
               ARCHIVE_OK &&
           status >= ARCHIVE_WARN) {
        bool raw = packed->calls.archive_format(packed->archive) == ARCHIVE_FORMAT_RAW;
        if (!raw && packed->calls.archive_entry_filetype(entry) != AE_IFREG) continue;
        struct str path = entry_path(&room, packed, packed->calls.archive_entry_pathname(entry));
        ok = read_entry(run, worker, packed, path, into, err);
        n++;
    }
    buf_release(&room);
    if (ok && n == ENTRIES_MAX)
        return err_set(err, "too many files in it", "unpack it and give the folder",
                       "stopped reading '" STR_FMT "'", STR_ARG(packed->from->path));
    return ok && status != ARCHIVE_EOF ? say_damaged(packed, err) : ok;
}

static struct archive *archive_new(const struct calls *calls) {
    struct archive *archive = calls->archive_read_new();
    if (!archive) base_out_of_memory();
    /* those alone that need no other program */
    calls->archive_read_support_filter_gzip(archive);
    calls->archive_read_support_filter_bzip2(archive);
    calls->archive_read_support_filter_xz(archive);
    calls->archive_read_support_filter_zstd(archive);
    calls->archive_read_support_format_tar(archive);
    calls->archive_read_support_format_zip(archive);
    calls->archive_read_support_format_raw(archive);
    return archive;
}

bool archive_source(struct source_run *run, int worker, const struct named_stream *from,
                    struct evidence *into, struct err *err) {
    struct packed *packed = heap_zeros(1, sizeof *packed);
    packed->from = from;
    if (!load_calls(&packed->calls)) {
        free(packed);
        err_set(err, "libarchive is not installed", "install it, or unpack it and give the folder",
                "cannot unpack '" STR_FMT "'", STR_ARG(from->path));
        source_unread(into, from->path, err);
        return false;
    }
    packed->archive = archive_new(&packed->calls);
    bool ok = packed->calls.archive_read_open(packed->archive, packed, NULL, packed_read, NULL) ==
                      ARCHIVE_OK
                  ? read_entries(run, worker, packed, into, err)
                  : say_damaged(packed, err);
    packed->calls.archive_read_free(packed->archive);
    free(packed);
    if (!into->sources.n) source_unread(into, from->path, err);
    return ok;
}
