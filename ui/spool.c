#include "ui/spool.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 * 1024, POLL_MS = 50 };

static void fill(struct task *task) {
    struct spool *spool = (struct spool *)task;
    struct pollfd ready = {.fd = spool->from, .events = POLLIN};
    char *piece = heap_bytes(PIECE);
    while (!atomic_load(&task->cancelled)) {
        if (poll(&ready, 1, POLL_MS) <= 0) continue;
        ssize_t n = read(spool->from, piece, PIECE);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) break;
        if (!fd_write(spool->to, piece, (size_t)n)) {
            snprintf(spool->trouble, sizeof spool->trouble, "cannot keep more of it: %s",
                     strerror(errno));
            break;
        }
        atomic_fetch_add(&spool->size, (uint64_t)n);
    }
    free(piece);
}

/* A file that nobody else can open, gone with the program. */
static int unnamed_file(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/faultline-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC | O_APPEND);
    if (fd >= 0) unlink(path);
    return fd;
}

/* Nobody waits here for the one who writes. */
static int open_pipe(const char *path) {
    struct stat about;
    if (strcmp(path, "-") == 0) {
        bool pipe = fstat(STDIN_FILENO, &about) == 0 && !S_ISREG(about.st_mode) &&
                    !S_ISDIR(about.st_mode) && !isatty(STDIN_FILENO);
        return pipe ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    }
    if (stat(path, &about) != 0 || !S_ISFIFO(about.st_mode)) return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool spool_open(struct spool *spool, const char *path) {
    *spool = (struct spool){.from = open_pipe(path), .to = -1};
    if (spool->from < 0) return false;
    spool->to = unnamed_file();
    if (spool->to < 0 || dup2(spool->to, STDIN_FILENO) < 0) {
        spool_close(spool);
        return false;
    }
    return true;
}

void spool_start(struct spool *spool) {
    task_start(&spool->task, fill);
}

bool spool_ended(struct spool *spool) {
    return task_done(&spool->task, 0);
}

void spool_stop(struct spool *spool) {
    atomic_store(&spool->task.cancelled, true);
}

void spool_close(struct spool *spool) {
    spool_stop(spool);
    task_end(&spool->task); /* where it was begun */
    if (spool->from >= 0) close(spool->from);
    if (spool->to >= 0) close(spool->to);
    spool->from = spool->to = -1;
}
