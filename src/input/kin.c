#include "input/kin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "input/tell.h"
#include "text/masked.h"

enum {
    FEW = 256,
    LINE_BYTES = 200, /* in which a prefix stands */
    TEACHERS = 8,     /* whose first lines tell which give no facts: ranks need not write alike, */
                      /* nor have numbers of one length */
    TAUGHT = 16 * 1024, /* bytes of them, of all but the first */
    KINS = 128          /* that are told apart */
};

enum told { NOT_YET, LOG, NO_LOG };

struct kin {
    const struct walked *teachers[TEACHERS]; /* the first by path, others far and wide */
    int n_teachers;
    size_t n, next; /* files; of those the one that may teach next */
    uint64_t hash;
    enum told told;
    struct kin_log log;
};

static bool is_rank(const struct walked *file) {
    int rank;
    struct str host;
    if (file->stream || file->size <= TELL_PASTE) return false;
    locate_path(file->path, &rank, &host);
    return rank >= 0;
}

/* Kin stand near each other in the order of paths, mostly. */
static int find(struct kins *kins, uint64_t hash) {
    for (int i = kins->n - 1; i >= 0 && i >= kins->n - 16; i--)
        if (kins->v[i].hash == hash) return i;
    return -1;
}

/* Takes every so manieth file of the kin for a teacher; not always the same one of its node. */
static void choose_teacher(struct kin *kin, const struct walked *file) {
    size_t step = ((kin->n + TEACHERS - 1) / TEACHERS) | 1;
    if (kin->next++ % step == 0) kin->teachers[kin->n_teachers++] = file;
}

void kins_find(struct kins *kins, struct arena *arena, struct walked *files, size_t n) {
    *kins = (struct kins){0};
    pthread_mutex_init(&kins->lock, NULL);
    if (n <= FEW) return;
    kins->v = ARENA_ARRAY(arena, struct kin, KINS);
    for (size_t i = 0; i < n; i++) {
        if (!is_rank(&files[i])) continue;
        uint64_t hash = masked_loosely(files[i].path);
        int kin = find(kins, hash);
        if (kin < 0 && kins->n == KINS) continue;
        if (kin < 0) kin = kins->n++;
        files[i].kin = kin + 1;
        kins->v[kin].hash = hash;
        kins->v[kin].n++;
    }
    for (size_t i = 0; i < n; i++) {
        if (!files[i].kin) continue;
        struct kin *own = &kins->v[files[i].kin - 1];
        choose_teacher(own, &files[i]);
        if (own->teachers[0] == &files[i]) files[i].kin = 0;
    }
}

void kins_release(struct kins *kins) {
    for (int i = 0; i < kins->n; i++) free(kins->v[i].log.head);
    pthread_mutex_destroy(&kins->lock);
}

static bool tells_ranks(struct str head, const struct custom *custom, struct str path) {
    struct str line, host;
    int own, rank;
    locate_path(path, &own, &host);
    while (str_line(&head, &line)) {
        rank = locate_line(str_sub(line, 0, LINE_BYTES), custom).rank;
        if (rank >= 0 && rank != own) return true;
    }
    return false;
}

/* The first `most` bytes of a file that can be opened; the descriptor, or -1. */
static int head_read(const struct walked *file, char *room, size_t most, struct str *head) {
    int fd = open(file->real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : pread(fd, room, most, 0);
    *head = (struct str){room, n > 0 ? (size_t)n : 0};
    return fd;
}

static void learn_others(struct kin *kin, char *room) {
    struct str head;
    for (int i = 1; i < kin->n_teachers; i++) {
        int fd = head_read(kin->teachers[i], room, TAUGHT, &head);
        const char *end = head.n ? memrchr(head.p, '\n', head.n) : NULL;
        if (end) facts_head_learn(kin->log.head, str_sub(head, 0, (size_t)(end - head.p)));
        if (fd >= 0) close(fd);
    }
}

static void tell(struct kin *kin) {
    const struct fact_reader *reader;
    const struct walked *first = kin->teachers[0];
    struct custom *custom = &kin->log.custom;
    struct str head;
    char *room = heap_bytes(TELL_BYTES);
    kin->told = NO_LOG;
    int fd = head_read(first, room, TELL_BYTES, &head);
    bool log = head.n && !utf16_tell(head) &&
               tell_kind(head, first->path, &reader, custom) == KIND_LOG && !reader;
    if (log) {
        tell_custom(custom, fd, first->size, head);
        kin->log.ranks = tells_ranks(head, custom, first->path);
        kin->log.head = facts_head_kin_new();
        facts_head_learn(kin->log.head, head);
        learn_others(kin, room);
        kin->told = LOG;
    }
    if (fd >= 0) close(fd);
    free(room);
}

const struct kin_log *kin_log(struct kins *kins, const struct walked *file) {
    if (!kins || !file->kin) return NULL;
    struct kin *kin = &kins->v[file->kin - 1];
    pthread_mutex_lock(&kins->lock);
    if (kin->told == NOT_YET) tell(kin);
    pthread_mutex_unlock(&kins->lock);
    return kin->told == LOG ? &kin->log : NULL;
}
