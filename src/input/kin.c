#include "input/kin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "input/tell.h"
#include "text/masked.h"

enum { FEW = 256, LINE_BYTES = 200 /* in which a prefix stands */ };

enum told { NOT_YET, LOG, NO_LOG };

struct kin {
    const struct walked *first;
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

void kins_find(struct kins *kins, struct arena *arena, struct walked *files, size_t n) {
    *kins = (struct kins){0};
    pthread_mutex_init(&kins->lock, NULL);
    if (n <= FEW) return;
    kins->v = ARENA_ARRAY(arena, struct kin, n);
    for (size_t i = 0; i < n; i++) {
        if (!is_rank(&files[i])) continue;
        uint64_t hash = masked_loosely(files[i].path);
        int kin = find(kins, hash);
        if (kin < 0)
            kins->v[kins->n++] = (struct kin){.first = &files[i], .hash = hash};
        else
            files[i].kin = kin + 1;
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

static void tell(struct kin *kin) {
    const struct fact_reader *reader;
    struct custom *custom = &kin->log.custom;
    char *room = malloc(TELL_BYTES);
    if (!room) base_out_of_memory();
    kin->told = NO_LOG;
    int fd = open(kin->first->real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : pread(fd, room, TELL_BYTES, 0);
    struct str head = {room, n > 0 ? (size_t)n : 0};
    bool log = head.n && !utf16_tell(head) &&
               tell_kind(head, kin->first->path, &reader, custom) == KIND_LOG && !reader;
    if (log) {
        tell_custom(custom, fd, kin->first->size, head);
        kin->log.ranks = tells_ranks(head, custom, kin->first->path);
        kin->log.head = facts_head_kin(head);
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
