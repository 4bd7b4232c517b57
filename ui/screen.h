/* screen.h - the full-screen face.  Everything above src/ lives here; ncurses only in term.c. */
#ifndef FAULTLINE_SCREEN_H
#define FAULTLINE_SCREEN_H

#include "app/command.h"

/* Runs the screen on the paths until the user leaves; returns the exit status of diagnose. */
int screen_run(struct command_context *ctx, int n_paths, char **paths);

#endif
