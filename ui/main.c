#include "app/command.h"
#include "ui/screen.h"
#include "ui/term.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Containers often set no locale at all; their terminals show UTF-8 all the
 * same. */
static void locale_open(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    bool chosen = false;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        chosen |= value && *value;
    }
    if (!setlocale(LC_CTYPE, chosen ? "" : "C.UTF-8")) setlocale(LC_CTYPE, "C.UTF-8");
}

/* Keys can be taken from the terminal itself where standard input is a log: kubectl logs x |
 * faultline */
static bool input_is_log(void) {
    struct stat about;
    return fstat(STDIN_FILENO, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISREG(about.st_mode));
}

/* False after telling that none of the paths is there: a mistyped name is better told in the shell.
 */
static bool paths_exist(struct command_context *ctx, int n_paths, char **paths) {
    for (int i = 0; i < n_paths; i++)
        if (strcmp(paths[i], "-") == 0 || access(paths[i], F_OK) == 0) return true;
    for (int i = 0; i < n_paths; i++) {
        if (access(paths[i], F_OK) == 0) continue;
        command_refuse(ctx, STATUS_UNREADABLE, strerror(errno), "check the spelling of the path",
                       "cannot read '%s'", paths[i]);
    }
    return n_paths == 0;
}

/* Without a path the piped log is what is opened. */
static int open_screen(struct command_context *ctx, int n_paths, char **paths) {
    char *piped[] = {"-", NULL};
    if (!paths_exist(ctx, n_paths, paths)) return STATUS_UNREADABLE;
    if (n_paths == 0 && !isatty(STDIN_FILENO)) return screen_run(ctx, 1, piped);
    return screen_run(ctx, n_paths, paths);
}

/* Shells of editors and serial lines say that they are "dumb", or nothing, or a type that this
 * machine has never heard of. */
static bool terminal_draws(void) {
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0 && term_known();
}

int main(int argc, char **argv) {
    locale_open();
    bool terminal = terminal_draws() && (isatty(STDIN_FILENO) || input_is_log());
    return command_main(argc, argv, terminal ? open_screen : NULL);
}
