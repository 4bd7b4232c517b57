#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 };

/* As many bytes as there are, up to `most`; -1: an error, in errno. */
static ssize_t fd_fill(int fd, char *room, size_t most) {
    size_t n = 0;
    while (n < most) {
        ssize_t got = read(fd, room + n, most - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

bool file_read(const char *path, struct buf *text, struct err *err) {
    char room[PIECE];
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (fd >= 0 && (n = fd_fill(fd, room, sizeof room)) > 0 && !text->full)
        buf_add(text, room, (size_t)n);
    int error = n < 0 ? errno : 0;
    if (fd >= 0) close(fd);
    if (!error && !text->full) return true;
    snprintf(room, sizeof room, "it is larger than %.3g MiB", (double)text->limit / (1 << 20));
    return err_set(err, error ? strerror(error) : room, NULL, "cannot read '%s'", path);
}

struct str file_head(const char *path, char *room, size_t most) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? 0 : fd_fill(fd, room, most);
    if (fd >= 0) close(fd);
    return (struct str){room, n > 0 ? (size_t)n : 0};
}

bool fd_write(int fd, const void *bytes, size_t n) {
    for (const char *p = bytes; n;) {
        ssize_t wrote = write(fd, p, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        p += wrote;
        n -= (size_t)wrote;
    }
    return true;
}
