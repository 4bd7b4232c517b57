/* shell.h - words of a shell command: quotes, variables, separators.  No command is run. */
#ifndef FAULTLINE_SHELL_H
#define FAULTLINE_SHELL_H

#include "facts/command.h"

struct shell_words {
    struct str v[1024];
    int n;
    char *room; /* for the words of this command and of those behind it; NULL before the first */
};
/* The text with $NAME, ${NAME} and ${NAME:-default} of known variables filled in; as it is where
 * `shell` is NULL or has filled in COMMAND_EXPANDED bytes before. */
struct str shell_expand(struct arena *arena, struct shell *shell, struct str text);
/* Whole numbers too: $((NODES * 8)), $(expr $NODES \* 8); of an array, ${NAME[@]}, all words. */
void shell_set(struct shell *shell, struct arena *arena, struct str name, struct str value);
/* Sets an array, NAME=(words ...), or adds to one or to a text (NAME+=...); false: the line does
 * neither. */
bool shell_gather(struct shell *shell, struct arena *arena, struct str line);
/* Splits off the next simple command (up to ; && || | & or the end) as words without quotes; for
 * the first of a text `words` is zeros. */
bool shell_command(struct arena *arena, struct str *rest, struct shell_words *words);

#endif
