#include "app/command.h"
#include "ui/screen.h"

#include <locale.h>
#include <unistd.h>

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    return command_main(argc, argv, terminal ? screen_run : NULL);
}
