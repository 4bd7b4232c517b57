#include "app/command.h"
#include "ui/screen.h"

#include <locale.h>
#include <stdlib.h>
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

int main(int argc, char **argv) {
    locale_open();
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    return command_main(argc, argv, terminal ? screen_run : NULL);
}
