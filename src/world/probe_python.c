/* The active Python environment, read from its files: no Python is started. */
#include "world/probe_calls.h"

#include "base/file.h"
#include "facts/pick.h"

#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS = 32, PACKAGES = 4000 };

struct folders {
    struct arena arena;
    struct str v[FOLDERS];
    int n;
};

static void add_folder(struct folders *folders, const char *path) {
    struct stat about;
    char *whole = realpath(path, NULL);
    if (!whole) return;
    bool new = folders->n < FOLDERS &&stat(whole, &about) == 0 && S_ISDIR(about.st_mode);
    for (int i = 0; i < folders->n; i++) new = new && !str_eq(folders->v[i], str_of(whole));
    if (new) folders->v[folders->n++] = arena_str(&folders->arena, str_of(whole));
    free(whole);
}

static void add_matches(struct folders *folders, const char *prefix, const char *pattern) {
    glob_t found = {0};
    struct str path = arena_printf(&folders->arena, "%s%s", prefix, pattern);
    if (glob(path.p, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) add_folder(folders, found.gl_pathv[i]);
    globfree(&found);
}

/* pyenv's own folder holds only scripts that choose: PYENV_VERSION or its file `version`. */
static struct str pyenv_prefix(struct arena *arena, struct str shims) {
    struct str root = str_sub(shims, 0, shims.n - 6), name = str_of(getenv("PYENV_VERSION"));
    char room[128];
    struct str path = arena_printf(arena, STR_FMT "/version", STR_ARG(root));
    if (!name.n) name = file_head(path.p, room, sizeof room);
    name = pick_until(pick_word(name, NULL), STR(":"));
    return arena_printf(arena, STR_FMT "/versions/" STR_FMT, STR_ARG(root), STR_ARG(name));
}

/* The folder that holds bin/python3 of the first Python in PATH; a virtual environment's python is
 * a link, so the name in PATH counts, not what it points to. */
static struct str python_prefix(struct arena *arena) {
    struct str rest = str_of(getenv("PATH")), folder;
    static const char *const names[] = {"python", "python3"};
    while (str_split(&rest, ':', &folder))
        for (size_t i = 0; i < COUNT_OF(names) && folder.n; i++) {
            struct str path = arena_printf(arena, STR_FMT "/%s", STR_ARG(folder), names[i]);
            if (access(path.p, X_OK) != 0) continue;
            if (str_ends(folder, STR("/shims"))) return pyenv_prefix(arena, folder);
            while (folder.n && folder.p[folder.n - 1] != '/')
                folder = str_sub(folder, 0, folder.n - 1);
            return arena_str(arena, str_sub(folder, 0, folder.n ? folder.n - 1 : 0));
        }
    return (struct str){0};
}

/* bin/python3 is a link to python3.11 or the like. */
static void write_version(struct buf *out, struct str prefix, struct arena *arena) {
    char *whole = realpath(arena_printf(arena, STR_FMT "/bin/python3", STR_ARG(prefix)).p, NULL);
    struct str path = str_of(whole), version;
    ptrdiff_t at = str_find(path, STR("/bin/python3."), 0);
    if (at >= 0 && pick_after(str_sub(path, (size_t)at, path.n), STR("python"), &version))
        buf_printf(out, "python==" STR_FMT "\n", STR_ARG(pick_version(version)));
    free(whole);
}

/* In the order in which Python looks: what comes first hides the same package further on. */
static struct str find_folders(struct folders *folders) {
    struct str rest = str_of(getenv("PYTHONPATH")), folder;
    const char *venv = getenv("VIRTUAL_ENV"), *home = getenv("HOME"),
               *conda = getenv("CONDA_PREFIX");
    while (str_split(&rest, ':', &folder))
        if (folder.n) add_folder(folders, arena_cstr(&folders->arena, folder));
    struct str prefix = venv ? str_of(venv) : python_prefix(&folders->arena);
    if (home && !venv) add_matches(folders, home, "/.local/lib/python3.*/site-packages");
    if (prefix.n) {
        add_matches(folders, prefix.p, "/lib/python3.*/site-packages");
        add_matches(folders, prefix.p, "/lib64/python3.*/site-packages");
        add_matches(folders, prefix.p, "/local/lib/python3.*/dist-packages");
        add_matches(folders, prefix.p, "/lib/python3.*/dist-packages");
        add_matches(folders, prefix.p, "/lib/python3/dist-packages");
    }
    if (conda && !folders->n) add_matches(folders, conda, "/lib/python3.*/site-packages");
    return prefix;
}

/* "torch-2.1.0+cu118.dist-info" -> name and version; "x.egg-info" has its version inside, if any */
static bool package_of(struct str entry, struct str *name, struct str *version) {
    struct str body;
    if (str_ends(entry, STR(".dist-info")))
        body = str_sub(entry, 0, entry.n - 10);
    else if (str_ends(entry, STR(".egg-info")))
        body = str_sub(entry, 0, entry.n - 9);
    else
        return false;
    size_t dash = 0;
    while (dash + 1 < body.n && !(body.p[dash] == '-' && isdigit((unsigned char)body.p[dash + 1])))
        dash++;
    *name = str_sub(body, 0, dash);
    *version = str_sub(body, dash + 1, body.n);
    ptrdiff_t tag = str_find(*version, STR("-py3"), 0);
    if (tag >= 0) *version = str_sub(*version, 0, (size_t)tag);
    return name->n > 0 && dash + 1 < body.n;
}

/* Name and Version of METADATA or PKG-INFO, for a folder whose name does not tell. */
static void write_metadata(struct buf *out, struct str folder, const char *entry) {
    char room[4096], path[1200];
    const char *file_name = strstr(entry, ".dist-info") ? "METADATA" : "PKG-INFO";
    snprintf(path, sizeof path, STR_FMT "/%.255s/%s", STR_ARG(folder), entry, file_name);
    struct str rest = file_head(path, room, sizeof room), line, name = {0}, version = {0};
    while (str_line(&rest, &line) && line.n) {
        if (str_starts(line, STR("Name: "))) name = str_sub(line, 6, line.n);
        if (str_starts(line, STR("Version: "))) version = str_sub(line, 9, line.n);
    }
    if (name.n && version.n)
        buf_printf(out, STR_FMT "==" STR_FMT "\n", STR_ARG(name), STR_ARG(version));
}

static int is_package(const struct dirent *entry) {
    return strstr(entry->d_name, ".dist-info") || strstr(entry->d_name, ".egg-info");
}

static void write_packages(struct buf *out, struct str folder) {
    struct dirent **entries = NULL;
    int n = scandir(folder.p, &entries, is_package, alphasort);
    if (n < 0) return;
    buf_printf(out, "# " STR_FMT "\n", STR_ARG(folder));
    for (int i = 0; i < n; i++) {
        struct str name, version;
        const char *entry = entries[i]->d_name;
        if (i < PACKAGES && package_of(str_of(entry), &name, &version))
            buf_printf(out, STR_FMT "==" STR_FMT "\n", STR_ARG(name), STR_ARG(version));
        else if (i < PACKAGES)
            write_metadata(out, folder, entry);
        free(entries[i]);
    }
    free(entries);
}

/* The last fact of a key counts, and Python takes the first folder: so the last comes first. */
void call_packages(struct buf *out, const char *folder) {
    struct folders folders = {.n = 0};
    (void)folder;
    write_version(out, find_folders(&folders), &folders.arena);
    for (int i = folders.n - 1; i >= 0; i--) write_packages(out, folders.v[i]);
    arena_release(&folders.arena);
}

/* ---- libraries -------------------------------------------------------------------------- */

static void write_matches(struct buf *out, struct str folder, const char *pattern, bool text) {
    struct arena arena = {0};
    glob_t found = {0};
    struct str path = arena_printf(&arena, STR_FMT "%s", STR_ARG(folder), pattern);
    if (glob(path.p, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && i < 16; i++)
            write_file(out, found.gl_pathv[i], text);
    globfree(&found);
    arena_release(&arena);
}

void call_libraries(struct buf *out, const char *folder) {
    static const char *const places[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                         "/usr/lib64", "/usr/local/lib", "/usr/local/cuda/lib64"};
    struct folders folders = {.n = 0};
    struct str rest = str_of(getenv("LD_LIBRARY_PATH")), place;
    (void)folder;
    find_folders(&folders);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        write_matches(out, str_of(places[i]), "/libnccl.so.*", false);
    while (str_split(&rest, ':', &place))
        if (place.n) write_matches(out, place, "/libnccl.so.*", false);
    write_matches(out, STR("/usr/include"), "/nccl.h", true);
    write_matches(out, STR("/usr/include"), "/cudnn_version.h", true);
    for (int i = folders.n - 1; i >= 0; i--) { /* what Python takes comes last, and counts */
        write_matches(out, folders.v[i], "/nvidia/nccl/include/nccl.h", true);
        write_matches(out, folders.v[i], "/nvidia/cudnn/include/cudnn_version.h", true);
        write_matches(out, folders.v[i], "/torch/version.py", true);
        write_matches(out, folders.v[i], "/megatron/core/package_info.py", true);
    }
    arena_release(&folders.arena);
}
