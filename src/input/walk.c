#include "input/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 64,
    FILES_MAX = 1000000,
    LINKED_MAX = 4096 /* entries behind a link: logs are kept elsewhere, but so are data sets */
};

/* Folders on the way down, so that a link back to one of them is seen. */
struct level {
    const struct level *up;
    dev_t dev;
    ino_t ino;
    int depth;
};

static void complain(struct walk *walk, const char *path, const char *why, const char *hint) {
    struct err err;
    err_set(&err, why, hint, "cannot read '%s'", path);
    walk->failed = true;
    if (walk->on_error) walk->on_error(walk->ctx, &err);
}

static const char *hint_of(int error) {
    if (error == ENOENT) return "check the spelling of the path";
    return error == EACCES ? "ask for read permission or run as the job's user" : NULL;
}

/* Folders that hold programs and caches, not what a job wrote. */
static bool folder_is_foreign(const char *name) {
    static const char *const names[] = {
        ".git",          ".svn",          ".hg",         "__pycache__",   "node_modules",
        "site-packages", "dist-packages", ".mypy_cache", ".pytest_cache", ".ipynb_checkpoints"};
    return STR_AMONG(str_of(name), names);
}

static void add_file(struct walk *walk, const char *real, struct str path,
                     const struct stat *status, bool linked) {
    if (walk->files.n >= FILES_MAX) return;
    struct str own = arena_str(walk->texts, str_of(real));
    bool shared = str_ends(own, path); /* below the path that was named */
    struct walked file = {.path = shared ? str_sub(own, own.n - path.n, path.n)
                                         : arena_str(walk->texts, path),
                          .real = own.p,
                          .size = S_ISREG(status->st_mode) ? (uint64_t)status->st_size : 0,
                          .stream = !S_ISREG(status->st_mode),
                          .linked = linked};
    struct identity identity = {status->st_dev, status->st_ino, walk->files.n, NULL};
    vec_push_alone(&walk->passing, &walk->identities, identity);
    vec_push_alone(walk->arena, &walk->files, file);
}

static bool level_seen(const struct level *level, const struct stat *status) {
    for (; level; level = level->up)
        if (level->dev == status->st_dev && level->ino == status->st_ino) return true;
    return false;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef VEC(const char *) name_vec;

/* The names in a folder, sorted. */
static void names_in(struct arena *arena, DIR *folder, name_vec *names) {
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        vec_push_alone(arena, names, arena_cstr(arena, str_of(entry->d_name)));
    }
    if (names->n) qsort(names->v, names->n, sizeof *names->v, compare_names);
}

static void walk_folder(struct walk *walk, const char *real, struct str path,
                        const struct level *up, const struct stat *status, bool linked);

/* A folder behind a link is walked as any other, unless it is so large that it is a data set or
 * somebody's whole disk: then none of it is. */
static void walk_link(struct walk *walk, const char *real, struct str path,
                      const struct level *level, const struct stat *status) {
    size_t before = walk->files.n;
    walk->link_room = LINKED_MAX;
    walk_folder(walk, real, path, level, status, true);
    if (walk->link_room > 0) return;
    struct err err;
    walk->files.n = walk->identities.n = before;
    err_set(&err, "it links to a folder of very many files",
            "name that folder, or files in it, beside this one to have them read", "left out '%s'",
            real);
    if (walk->on_error) walk->on_error(walk->ctx, &err);
}

static void buf_join(struct buf *into, struct str folder, const char *name) {
    buf_str(into, folder);
    if (folder.n) buf_char(into, '/');
    buf_str(into, str_of(name));
}

static void walk_entry(struct walk *walk, DIR *in, const char *folder, struct str path,
                       const char *name, const struct level *level, bool linked) {
    struct buf real = {0}, shown = {0};
    struct stat status;
    if (linked && --walk->link_room <= 0) return;
    buf_join(&real, str_of(folder), name);
    buf_char(&real, 0);
    buf_join(&shown, path, name);
    bool known = fstatat(dirfd(in), name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    bool is_link = known && S_ISLNK(status.st_mode);
    if (is_link) known = stat(real.p, &status) == 0;
    if (!known) {
        /* a link to nothing inside a folder is common and says nothing */
        if (!is_link) complain(walk, real.p, strerror(errno), hint_of(errno));
    } else if (S_ISDIR(status.st_mode)) {
        bool foreign = folder_is_foreign(name);
        if (!foreign && is_link && !linked)
            walk_link(walk, real.p, buf_view(&shown), level, &status);
        else if (!foreign)
            walk_folder(walk, real.p, buf_view(&shown), level, &status, linked);
    } else if (S_ISREG(status.st_mode)) {
        add_file(walk, real.p, buf_view(&shown), &status, linked || is_link);
    }
    buf_release(&real);
    buf_release(&shown);
}

static void walk_folder(struct walk *walk, const char *real, struct str path,
                        const struct level *up, const struct stat *status, bool linked) {
    struct level level = {up, status->st_dev, status->st_ino, up ? up->depth + 1 : 0};
    if (level_seen(up, status) || level.depth > DEPTH_MAX) return;
    struct arena arena = {0};
    name_vec names = {0};
    DIR *folder = opendir(real);
    if (!folder) {
        complain(walk, real, strerror(errno), hint_of(errno));
        return;
    }
    names_in(&arena, folder, &names);
    for (size_t i = 0; i < names.n; i++)
        walk_entry(walk, folder, real, path, names.v[i], &level, linked);
    closedir(folder);
    arena_release(&arena);
}

static void walk_named(struct walk *walk, const char *named, bool alone) {
    struct stat status;
    size_t n = strlen(named);
    while (n > 1 && named[n - 1] == '/') n--;
    if (strcmp(named, "-") == 0) {
        if (fstat(STDIN_FILENO, &status) == 0 && !S_ISDIR(status.st_mode)) {
            status.st_mode = S_IFIFO; /* read where it stands, also when it is a file */
            add_file(walk, "-", STR("-"), &status, false);
        } else {
            complain(walk, "-", "standard input is closed or a folder", NULL);
        }
    } else if (stat(named, &status) != 0) {
        complain(walk, named, strerror(errno), hint_of(errno));
    } else if (S_ISDIR(status.st_mode)) {
        /* with several paths their names are needed to tell files apart */
        walk_folder(walk, named, alone ? (struct str){0} : (struct str){named, n}, NULL, &status,
                    false);
    } else if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) {
        add_file(walk, named, str_of(named), &status, false);
    } else {
        complain(walk, named, "it is a device or a socket", "give a file, a folder or a pipe");
    }
}

static int compare_files(const void *a, const void *b) {
    const struct walked *x = a, *y = b;
    return str_cmp(x->path, y->path);
}

/* Groups equal files; in a group the one that is no link and has the smallest path comes first. */
static int compare_identity(const void *a, const void *b) {
    const struct identity *x = a, *y = b;
    if (x->dev != y->dev) return x->dev < y->dev ? -1 : 1;
    if (x->ino != y->ino) return x->ino < y->ino ? -1 : 1;
    if (x->file->linked != y->file->linked) return x->file->linked ? 1 : -1;
    return str_cmp(x->file->path, y->file->path);
}

/* Of each group the first stays. */
static void drop_equal(struct walk *walk) {
    struct identity *all = walk->identities.v;
    struct walked *files = walk->files.v;
    size_t n = walk->identities.n, kept = 0;
    for (size_t i = 0; i < n; i++) all[i].file = &files[all[i].index];
    qsort(all, n, sizeof *all, compare_identity);
    for (size_t i = 1; i < n; i++)
        if (all[i].dev == all[i - 1].dev && all[i].ino == all[i - 1].ino) all[i].file->real = NULL;
    for (size_t i = 0; i < n; i++)
        if (files[i].real) files[kept++] = files[i];
    walk->files.n = kept;
}

void walk_paths(struct walk *walk, const char *const *paths, int n_paths) {
    for (int i = 0; i < n_paths; i++) walk_named(walk, paths[i], n_paths == 1);
    if (walk->files.n) {
        drop_equal(walk);
        qsort(walk->files.v, walk->files.n, sizeof *walk->files.v, compare_files);
    }
    walk->identities.n = walk->identities.cap = 0;
    arena_release(&walk->passing);
}
