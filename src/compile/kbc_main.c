/* kbc DIR OUT - the bootstrap compiler: the knowledge of the program itself, before there is a
 * program. */
#include "compile/compile.h"

#include <stdio.h>

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct compile_report report = {0};
    struct err err = {0};
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: kbc DIR [OUT]\n");
        return 2;
    }
    bool good = compile_tree(argv[1], NULL, argc == 3 ? argv[2] : NULL, &arena, &report, &err);
    for (int i = 0; i < report.n_complaints; i++) {
        const struct complaint *c = &report.complaints[i];
        if (!c->fatal) continue; /* a build tells what stops it; `faultline kb check` tells all */
        fprintf(stderr, STR_FMT ":%d: %s: " STR_FMT "%s" STR_FMT "\n", STR_ARG(c->path), c->line,
                "error", STR_ARG(c->id), c->id.n ? ": " : "", STR_ARG(c->text));
    }
    if (!good && err.what[0])
        fprintf(stderr, "kbc: %s%s%s\n", err.what, err.detail[0] ? ": " : "", err.detail);
    printf("%d entries, %d signals, %d questions, %d fixes; %d errors, %d warnings\n",
           report.entries, report.signals, report.questions, report.fixes, report.n_errors,
           report.n_complaints - report.n_errors);
    arena_release(&arena);
    return good ? 0 : 1;
}
