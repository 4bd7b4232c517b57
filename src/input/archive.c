/* libarchive undoes gzip, zstd, xz, bzip2, tar and zip.  Its limits are ours: hostile archives end
 * early. */
#include "input/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ENTRIES_MAX = 20000,
    RATIO_MAX = 1200, /* bytes given for one read: zstd reaches some hundred on logs */
    READ_BYTES = 64 * 1024
};
static const uint64_t entry_max = (uint64_t)64 << 30, slack = (uint64_t)64 << 20;

struct packed {
    struct archive *archive;
    int fd;
    const char *name;
    char room[READ_BYTES];
    uint64_t taken, given; /* compressed bytes read, bytes given out */
};

struct entry_stream {
    struct stream stream;
    struct packed *packed;
    uint64_t given; /* of this entry */
};

bool archive_is(int fd, struct str path) {
    static const struct str magics[] = {{"\x1F\x8B", 2},
                                        {"BZh", 3},
                                        {"\xFD"
                                         "7zXZ",
                                         5},
                                        {"\x28\xB5\x2F\xFD", 4},
                                        {"PK\x03\x04", 4}};
    unsigned char head[512];
    ssize_t n = pread(fd, head, sizeof head, 0);
    struct str s = {(const char *)head, n > 0 ? (size_t)n : 0};
    /* checkpoints and wheels are zip files: they are listed, not read */
    bool zip = str_starts(s, magics[4]);
    if (zip && !str_ends(path, STR(".zip"))) return false;
    for (size_t i = 0; i < COUNT_OF(magics); i++)
        if (str_starts(s, magics[i])) return true;
    return s.n == 512 && memcmp(head + 257, "ustar", 5) == 0;
}

static la_ssize_t packed_read(struct archive *archive, void *ctx, const void **bytes) {
    struct packed *packed = ctx;
    ssize_t n = read(packed->fd, packed->room, sizeof packed->room);
    *bytes = packed->room;
    if (n < 0) archive_set_error(archive, EIO, "cannot read the file");
    if (n > 0) packed->taken += (uint64_t)n;
    return n;
}

static ptrdiff_t entry_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct entry_stream *self = (struct entry_stream *)stream;
    struct packed *packed = self->packed;
    if (self->given > entry_max || packed->given > packed->taken * RATIO_MAX + slack) {
        err_set(err, "it grows too large when unpacked", "unpack it and give the folder",
                "stopped reading '%s'", packed->name);
        return -1;
    }
    la_ssize_t got = archive_read_data(packed->archive, room, n);
    if (got < 0) {
        const char *why = archive_error_string(packed->archive);
        err_set(err, why ? why : "damaged", NULL, "cannot unpack '%s'", packed->name);
        return -1;
    }
    self->given += (uint64_t)got;
    packed->given += (uint64_t)got;
    return got;
}

/* "a.tar.gz:logs/rank0.log"; a single compressed file ("data" to libarchive) is its own path. */
static struct str entry_path(struct buf *room, const struct walked *file, struct archive *archive,
                             const char *name) {
    bool raw = archive_format(archive) == ARCHIVE_FORMAT_RAW;
    if (raw || !name) return file->path;
    while (name[0] == '.' && name[1] == '/') name += 2;
    buf_clear(room);
    buf_str(room, file->path);
    buf_char(room, ':');
    buf_str(room, str_of(name));
    return buf_view(room);
}

static bool read_entry(struct source_run *run, int worker, struct packed *packed, struct str path,
                       struct evidence *into, struct err *err) {
    struct entry_stream stream = {.stream = {entry_read}, .packed = packed};
    struct evidence own = {0};
    bool ok = source_stream(run, worker, &stream.stream, path, &own, err);
    evidence_merge(into, &own);
    evidence_release(&own);
    return ok;
}

static bool read_entries(struct source_run *run, int worker, const struct walked *file,
                         struct packed *packed, struct evidence *into, struct err *err) {
    struct archive_entry *entry;
    struct buf room = {0};
    bool ok = true;
    int status = ARCHIVE_OK, n = 0;
    while (ok && n < ENTRIES_MAX &&
           (status = archive_read_next_header(packed->archive, &entry)) <= ARCHIVE_OK &&
           status >= ARCHIVE_WARN) {
        bool raw = archive_format(packed->archive) == ARCHIVE_FORMAT_RAW;
        if (!raw && archive_entry_filetype(entry) != AE_IFREG) continue;
        struct str path = entry_path(&room, file, packed->archive, archive_entry_pathname(entry));
        ok = read_entry(run, worker, packed, path, into, err);
        n++;
    }
    buf_release(&room);
    if (ok && status != ARCHIVE_EOF && n < ENTRIES_MAX) {
        const char *why = archive_error_string(packed->archive);
        return err_set(err, why ? why : "damaged", NULL, "cannot unpack '%s'", packed->name);
    }
    if (ok && n == ENTRIES_MAX)
        return err_set(err, "too many files in it", "unpack it and give the folder",
                       "stopped reading '%s'", packed->name);
    return ok;
}

bool archive_source(struct source_run *run, int worker, const struct walked *file, int fd,
                    struct evidence *into, struct err *err) {
    struct packed *packed = calloc(1, sizeof *packed);
    if (!packed) base_out_of_memory();
    packed->fd = fd;
    packed->name = file->path.p;
    packed->archive = archive_read_new();
    if (!packed->archive) base_out_of_memory();
    /* those alone that need no other program */
    archive_read_support_filter_gzip(packed->archive);
    archive_read_support_filter_bzip2(packed->archive);
    archive_read_support_filter_xz(packed->archive);
    archive_read_support_filter_zstd(packed->archive);
    archive_read_support_format_tar(packed->archive);
    archive_read_support_format_zip(packed->archive);
    archive_read_support_format_raw(packed->archive);
    bool ok = archive_read_open(packed->archive, packed, NULL, packed_read, NULL) == ARCHIVE_OK;
    if (ok) {
        ok = read_entries(run, worker, file, packed, into, err);
    } else {
        const char *why = archive_error_string(packed->archive);
        err_set(err, why ? why : "damaged", NULL, "cannot unpack '%s'", packed->name);
    }
    archive_read_free(packed->archive);
    free(packed);
    return ok;
}
