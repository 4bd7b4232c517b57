#include "input/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/source.h"
#include "input/tell.h"
#include "text/text.h"

enum {
    ROOM = BLOCK_BYTES + BLOCK_OVERLAP,
    HEAD = 64 * 1024,
    END_LINES = 16 * 1024, /* of what came in one look, all lines of its end are looked at */
    WALK_EVERY = 8,        /* looks without a sign from the kernel, after which files are sought */
    WATCHES = 4096         /* files and folders that the kernel is asked to tell of */
};

/* One file.  Its texts live in its own arena, evidence in the reader's. */
struct followed {
    struct arena arena;
    struct walked file;
    ino_t inode;
    uint64_t offset; /* read up to here */
    bool log, opened;
    struct evidence evidence;
    struct reader reader;
};

struct follow {
    struct arena arena;
    const char *const *paths;
    int n_paths, inotify, n_watches, unsought;
    struct source_run run;
    struct input_options options;
    char *room;
    struct followed **files;
    size_t n_files, cap_files;
    void (*heard)(void *ctx);
    void *ctx;
};

/* ---- which files ------------------------------------------------------------------------ */

static void tell_me(struct follow *follow, const char *path, uint32_t events) {
    if (follow->inotify < 0 || follow->n_watches >= WATCHES) return;
    if (inotify_add_watch(follow->inotify, path, events) >= 0) follow->n_watches++;
}

static struct followed *find(const struct follow *follow, struct str path) {
    for (size_t i = 0; i < follow->n_files; i++)
        if (str_eq(follow->files[i]->file.path, path)) return follow->files[i];
    return NULL;
}

static void add(struct follow *follow, const struct walked *walked) {
    struct followed *file = heap_zeros(1, sizeof *file);
    file->file = *walked;
    file->file.path = arena_str(&file->arena, walked->path);
    file->file.real = arena_cstr(&file->arena, str_of(walked->real));
    if (follow->n_files == follow->cap_files) {
        follow->cap_files = follow->cap_files * 2 + 16;
        follow->files = heap_resize(follow->files, follow->cap_files * sizeof *follow->files);
    }
    follow->files[follow->n_files++] = file;
    tell_me(follow, file->file.real, IN_MODIFY);
}

static void seek(struct follow *follow) {
    struct walk walk = {.arena = &follow->arena, .texts = &follow->arena};
    walk_paths(&walk, follow->paths, follow->n_paths);
    for (size_t i = 0; i < walk.files.n; i++)
        if (!walk.files.v[i].stream && !find(follow, walk.files.v[i].path))
            add(follow, &walk.files.v[i]);
    arena_release(&follow->arena);
    follow->unsought = 0;
}

struct follow *follow_new(const struct kb *kb, const struct matcher *matcher,
                          const char *const *paths, int n_paths, void (*heard)(void *ctx),
                          void *ctx) {
    struct follow *follow = heap_zeros(1, sizeof *follow);
    follow->room = heap_bytes(ROOM);
    follow->paths = paths;
    follow->n_paths = n_paths;
    follow->heard = heard;
    follow->ctx = ctx;
    follow->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    follow->run = (struct source_run){.kb = kb, .matcher = matcher, .options = &follow->options};
    follow->run.workers = heap_zeros(1, sizeof *follow->run.workers);
    for (int i = 0; i < n_paths; i++) tell_me(follow, paths[i], IN_CREATE | IN_MOVED_TO);
    seek(follow);
    return follow;
}

/* ---- what is new ------------------------------------------------------------------------ */

static struct match_scratch *scratch_of(struct follow *follow) {
    struct blocks blocks = {.matcher = follow->run.matcher, .workers = follow->run.workers};
    return blocks_worker(&blocks, 0)->match;
}

static void begin_anew(struct follow *follow, struct followed *file, ino_t inode) {
    if (file->opened) reader_finish(&file->reader, scratch_of(follow));
    evidence_release(&file->evidence);
    file->evidence = (struct evidence){0};
    file->opened = file->log = false;
    file->offset = 0;
    file->inode = inode;
}

static void feed(struct follow *follow, struct followed *file, struct str text) {
    struct blocks blocks = {
        .reader = &file->reader, .matcher = follow->run.matcher, .workers = follow->run.workers};
    if (file->offset < HEAD) locate_learn(&file->reader.custom, str_sub(text, 0, HEAD));
    if (file->offset < LIMIT_DOCUMENT)
        source_log_head(&file->evidence, text, (uint32_t)file->reader.lines + 1,
                        worker_heads(&follow->run.workers[0]), NULL);
    file->reader.tail = file->offset + (text.n > END_LINES ? text.n - END_LINES : 0);
    blocks_text(&blocks, 0, text, file->offset);
    file->offset += text.n;
    file->evidence.sources.v[0].bytes = file->offset;
}

/* A log shows as one with its first lines; until then nothing of it is used. */
static bool open_log(struct follow *follow, struct followed *file, struct str text) {
    const struct fact_reader *reader;
    struct custom custom; /* feed learns it from every piece */
    enum kind kind = tell_kind(str_sub(text, 0, HEAD), file->file.path, &reader, &custom);
    file->log = !reader && (kind == KIND_LOG || kind == KIND_WORDS || kind == KIND_KERNEL);
    if (!file->log) return false;
    source_open_log(&follow->run, &file->evidence, KIND_LOG, &file->file, &file->reader);
    return file->opened = true;
}

/* Whole lines of what was read; all of it where a line is longer than the room. */
static size_t whole_lines(struct str text) {
    const char *last = text.n ? memrchr(text.p, '\n', text.n) : NULL;
    if (last) return (size_t)(last - text.p) + 1;
    return text.n == ROOM ? text.n : 0;
}

static uint64_t read_more(struct follow *follow, struct followed *file, int fd) {
    uint64_t before = file->offset;
    for (;;) {
        ssize_t got = pread(fd, follow->room, ROOM, (off_t)file->offset);
        struct str text = {follow->room, got > 0 ? (size_t)got : 0};
        text.n = whole_lines(text);
        if (!text.n) break;
        if (!file->opened && !open_log(follow, file, text)) break;
        feed(follow, file, text);
        follow->heard(follow->ctx);
    }
    return file->offset - before;
}

static uint64_t look(struct follow *follow, struct followed *file) {
    struct stat about;
    if (stat(file->file.real, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    uint64_t size = (uint64_t)about.st_size;
    if (file->inode != about.st_ino || size < file->offset) begin_anew(follow, file, about.st_ino);
    if (size == file->offset) return 0;
    int fd = open(file->file.real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return 0;
    uint64_t n = read_more(follow, file, fd);
    close(fd);
    return n;
}

uint64_t follow_read(struct follow *follow, size_t *files) {
    uint64_t n = 0;
    if (++follow->unsought >= WALK_EVERY) seek(follow);
    for (size_t i = 0; i < follow->n_files; i++) n += look(follow, follow->files[i]);
    *files = follow->n_files;
    return n;
}

void follow_wait(struct follow *follow, int fd, int timeout_ms) {
    struct pollfd ready[2] = {{.fd = follow ? follow->inotify : -1, .events = POLLIN},
                              {.fd = fd, .events = POLLIN}};
    alignas(struct inotify_event) char events[4096];
    if (poll(ready, 2, timeout_ms) <= 0 || !(ready[0].revents & POLLIN)) return;
    for (ssize_t n; (n = read(follow->inotify, events, sizeof events)) > 0;)
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *event = (const void *)(events + at);
            if (event->len) follow->unsought = WALK_EVERY; /* a name: something new in a folder */
            at += (ssize_t)(sizeof *event + event->len);
        }
}

/* ---- the end ---------------------------------------------------------------------------- */

/* A last line without its end. */
static void feed_rest(struct follow *follow, struct followed *file) {
    int fd = open(file->file.real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = fd >= 0 ? pread(fd, follow->room, ROOM, (off_t)file->offset) : 0;
    if (got > 0) feed(follow, file, (struct str){follow->room, (size_t)got});
    if (fd >= 0) close(fd);
}

static void finish(struct follow *follow, struct followed *file, struct evidence *into) {
    if (!file->opened) {
        struct evidence own = {0};
        struct err err;
        if (source_read(&follow->run, 0, 1, &file->file, &own, &err)) evidence_merge(into, &own);
        evidence_release(&own);
        return;
    }
    feed_rest(follow, file);
    reader_finish(&file->reader, scratch_of(follow));
    file->opened = false;
    evidence_merge(into, &file->evidence);
}

void follow_finish(struct follow *follow, struct evidence *into) {
    for (size_t i = 0; i < follow->n_files; i++) finish(follow, follow->files[i], into);
    evidence_sort(into);
}

void follow_release(struct follow *follow) {
    if (!follow) return;
    for (size_t i = 0; i < follow->n_files; i++) {
        begin_anew(follow, follow->files[i], 0);
        arena_release(&follow->files[i]->arena);
        free(follow->files[i]);
    }
    worker_release(&follow->run.workers[0]);
    if (follow->inotify >= 0) close(follow->inotify);
    free(follow->run.workers);
    free(follow->files);
    free(follow->room);
    free(follow);
}
