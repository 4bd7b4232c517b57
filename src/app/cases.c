#include "app/cases.h"

#include "base/file.h"
#include "base/json.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, LABEL_MAX = 1 << 20 };

static void visit_label(const struct case_visit *visit, const char *folder, const char *path) {
    struct buf text = {.limit = LABEL_MAX};
    struct err err;
    const struct json_value *label = NULL;
    if (file_read(path, &text, &err)) label = json_parse(visit->arena, buf_view(&text), &err);
    if (label)
        visit->found(visit->ctx, folder, label);
    else
        visit->unreadable(visit->ctx, &err);
    buf_release(&text);
}

/* How many labels lie at or below the folder. */
static int visit_folder(const struct case_visit *visit, const char *folder, int depth) {
    struct arena *arena = visit->arena;
    const char *path = arena_cstr(arena, arena_printf(arena, "%s/case.json", folder));
    struct stat status;
    if (stat(path, &status) == 0) {
        visit_label(visit, folder, path);
        return 1;
    }
    int labels = 0;
    struct dirent **names;
    int n = depth < DEPTH_MAX ? scandir(folder, &names, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        path = arena_cstr(arena, arena_printf(arena, "%s/%s", folder, names[i]->d_name));
        if (names[i]->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            labels += visit_folder(visit, path, depth + 1);
        free(names[i]);
    }
    if (n >= 0) free(names);
    return labels;
}

void cases_visit(const struct case_visit *visit, const char *folder) {
    struct err err;
    if (visit_folder(visit, folder, 0)) return;
    err_set(&err, "a case is a folder with case.json and job/", NULL, "no case.json below '%s'",
            folder);
    visit->unreadable(visit->ctx, &err);
}

struct str case_id(const char *folder) {
    const char *slash = strrchr(folder, '/');
    return str_of(slash ? slash + 1 : folder);
}

struct str case_first(const struct json_value *label, const char *list) {
    const struct json_value *items = json_get(label, str_of(list));
    return items && items->first ? items->first->text : (struct str){0};
}
