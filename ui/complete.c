#include "ui/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { NAMES_READ = 10000 };

/* As shells and terminals write a name that was dragged into them: in quotes, or with backslashes.
 */
static struct str unquote(struct arena *arena, struct str typed) {
    char quote = typed.n ? typed.p[0] : 0;
    if (typed.n > 2 && (quote == '\'' || quote == '"') && typed.p[typed.n - 1] == quote)
        return str_sub(typed, 1, typed.n - 2);
    if (!typed.n || !memchr(typed.p, '\\', typed.n)) return typed;
    char *plain = ARENA_ARRAY(arena, char, typed.n);
    size_t n = 0;
    for (size_t i = 0; i < typed.n; i++)
        if (typed.p[i] != '\\' || i + 1 == typed.n) plain[n++] = typed.p[i];
    return (struct str){plain, n};
}

struct str path_expand(struct arena *arena, struct str typed) {
    const char *home = getenv("HOME");
    typed = unquote(arena, typed);
    if (!home || !str_starts(typed, STR("~/"))) return typed;
    return arena_printf(arena, "%s/" STR_FMT, home, STR_ARG(str_sub(typed, 2, typed.n)));
}

static int compare_names(const void *a, const void *b) {
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Names in the folder that begin so; hidden ones only where a dot was typed. */
static int names_begin(struct arena *arena, struct str folder, struct str start,
                       struct str *names) {
    DIR *dir = opendir(folder.n ? arena_cstr(arena, folder) : ".");
    int n = 0;
    if (!dir) return 0;
    for (struct dirent *entry; n < NAMES_READ && (entry = readdir(dir));) {
        struct str name = str_of(entry->d_name);
        bool hidden = name.p[0] == '.' && !start.n;
        if (!hidden && str_starts(name, start) && !str_eq(name, STR(".")) &&
            !str_eq(name, STR("..")))
            names[n++] = arena_str(arena, name);
    }
    closedir(dir);
    if (n) qsort(names, (size_t)n, sizeof *names, compare_names);
    return n;
}

static size_t common_length(struct str a, struct str b) {
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n]) n++;
    return n;
}

static bool is_folder(struct arena *arena, struct str folder, struct str name) {
    struct stat about;
    struct str path = arena_printf(arena, STR_FMT STR_FMT, STR_ARG(folder), STR_ARG(name));
    return stat(arena_cstr(arena, path), &about) == 0 && S_ISDIR(about.st_mode);
}

int path_complete(struct arena *arena, struct buf *typed, struct str *names, int most) {
    struct str text = arena_str(arena, buf_view(typed)), folder = {0}, start = text;
    const char *slash = text.n ? memrchr(text.p, '/', text.n) : NULL;
    if (slash) {
        folder = str_sub(text, 0, (size_t)(slash - text.p) + 1);
        start = str_sub(text, folder.n, text.n);
    }
    folder = path_expand(arena, folder);
    struct str *all = ARENA_ARRAY(arena, struct str, NAMES_READ);
    int n = names_begin(arena, folder, start, all);
    if (!n) return 0;
    size_t common = common_length(all[0], all[n - 1]);
    buf_str(typed, str_sub(all[0], start.n, common - start.n));
    if (n == 1 && is_folder(arena, folder, all[0])) buf_char(typed, '/');
    for (int i = 0; i < n && i < most; i++) names[i] = all[i];
    return n;
}
