/* command.h - what a command line that launches a job says.
 *
 * Understands enough of the shell to see words, quotes, simple variables and assignments, and
 * enough of launchers to tell their options from those of the program.  Runs nothing.
 */
#ifndef FAULTLINE_COMMAND_H
#define FAULTLINE_COMMAND_H

#include "facts/reading.h"

/* Bounds against scripts that double a variable in every line, or name a long one in each. */
enum {
    COMMAND_VARIABLES = 512,
    COMMAND_SETS = 10000,
    COMMAND_VALUE = 4096, /* bytes, as all below */
    COMMAND_TEXT = 64 * 1024,
    COMMAND_EXPANDED = 1024 * 1024 /* that the values of variables added to all commands */
};

/* Variables that a script has set so far; zero-initialised. */
struct shell {
    struct {
        struct str name, value;
    } variables[COMMAND_VARIABLES];
    int n_variables, n_sets;
    size_t n_expanded; /* bytes, see COMMAND_EXPANDED */
    bool pasted;       /* no script but lines that a person typed */
};

/* Reads one logical line (continuations joined) that may hold several commands; notes env.*, cmd.*
 * and arg.*; assignments alone go to `shell` (NULL: none are kept). */
void command_read(struct reading *reading, struct shell *shell, struct str line);
/* Is the first word of the line a launcher or a tool that appears in launch notes? */
bool command_is_known(struct str line);
/* Is it one that starts training (deepspeed, torchrun, python -m torch.distributed.run ...)? */
bool command_is_launch(struct str line);

#endif
