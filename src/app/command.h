/* command.h - the commands of the program, one table: name, usage, options, function.
 *
 * --help, the man page's test, the completion and the palette of the screen read this table.  A
 * command prints to ctx->out and ctx->err only, and returns the exit status of CONTRACT (README,
 * "Exit status").
 */
#ifndef FAULTLINE_COMMAND_H
#define FAULTLINE_COMMAND_H

#include "app/session.h"

#include <stdio.h>

enum status {
    STATUS_OK = 0,     /* healthy, unknown, empty; or the command did what it was asked */
    STATUS_FAILED = 1, /* a failure was found and named; scan: no hit */
    STATUS_USAGE = 2,
    STATUS_UNREADABLE = 3, /* an input could not be read, or the output not be written */
    STATUS_FALLBACK = 4    /* a failure that only the fallback names; watch.h has one more */
};

/* Options that any command may take; each row says which commands do. */
struct options {
    struct session_options session;
    const char *kb[32];
    const char *format; /* --format */
    const char *output; /* -o */
    const char *answers_file;
    const char *answers[64]; /* --answer ID=CHOICE, in order */
    int n_answers;
    const char *stage;                                     /* --stage */
    const char *hostfile, *ds_config, *accelerate, *slurm; /* files of a planned job */
    int color;                                             /* --color: -1 never, 0 auto, 1 always */
    const char *hook;                                      /* --hook */
    double interval, stall;                                /* seconds; 0: not given */
    bool verbose, count, regex, probe, tree, misses, here, net, no_probe, until_end, help, version;
};

struct command_context {
    FILE *out, *err;
    bool terminal; /* out is a terminal */
    int width;     /* its columns, 80 otherwise */
    struct options options;
    const struct command *command;
    int n_paths; /* how many arguments stand before "--", all where it is not there */
};

#define OPTION_EVERYWHERE (~0u)      /* every command, and the screen */
#define OPTION_SCREEN     (1u << 31) /* where no command is named */

struct option {
    char letter;          /* 0: none */
    const char *name;     /* without -- */
    const char *argument; /* name of its argument, NULL: a flag */
    const char *about;
    unsigned commands; /* bit set over the command table; two rows of one name share no command */
    bool (*set)(struct options *options, const char *argument); /* false: argument refused */
};

struct command {
    const char *name;
    const char *usage;  /* "[PATH...]" */
    const char *about;  /* one line */
    const char *detail; /* a paragraph for COMMAND --help */
    int (*run)(struct command_context *ctx, int n_args,
               char **args); /* args: what is not an option */
};

extern const struct command commands[];
extern const int n_commands;
extern const struct option option_rows[];
extern const int n_option_rows;

/* Parses options and runs the command named by argv[1]; without one, `screen` is called with the
 * paths (NULL, there is no terminal: they are diagnosed). Returns the exit status. */
int command_main(int argc, char **argv,
                 int (*screen)(struct command_context *ctx, int n_paths, char **paths));
/* "faultline: what: detail" and the hint on ctx->err; returns `status`. */
int command_error(struct command_context *ctx, const struct err *err, int status);
/* The same in the words that err_set takes. */
int command_refuse(struct command_context *ctx, int status, const char *detail, const char *hint,
                   const char *what, ...) PRINTF_LIKE(5, 6);
/* Whether --format asks for JSON.  False after telling that this command knows text and json alone;
 * *status says how it ends. */
bool command_json(struct command_context *ctx, bool *json, int *status);
/* Writes what a command made to ctx->out, and frees it. */
void command_write(struct command_context *ctx, struct buf *out);
/* Text as layout_clean leaves it, for any string that came from outside. */
void command_print(FILE *to, struct str text);

/* False after telling that nothing was named and standard input is a terminal. */
bool command_has_input(struct command_context *ctx, int n_args);
/* Opens a session, reads the paths (standard input when there are none) and takes the answers given
 * beforehand.  False when that ended the command; *status says how. */
bool command_open(struct command_context *ctx, int n_args, char **args, struct session **session,
                  int *status);
/* The paths as a shell takes them, for hints; empty where they cannot be read again or are many. */
struct str command_paths(struct arena *arena, int n_args, char **args);
/* The exit status that a diagnosis stands for where all inputs were read. */
int command_status(const struct diagnosis *diagnosis);

int command_diagnose(struct command_context *ctx, int n_args, char **args);
int command_scan(struct command_context *ctx, int n_args, char **args);
int command_walk(struct command_context *ctx, int n_args, char **args);
int command_probe(struct command_context *ctx, int n_args, char **args);
int command_ask(struct command_context *ctx, int n_args, char **args);
int command_diff(struct command_context *ctx, int n_args, char **args);
int command_preflight(struct command_context *ctx, int n_args, char **args);
int command_watch(struct command_context *ctx, int n_args, char **args);
int command_explain(struct command_context *ctx, int n_args, char **args);
int command_kb(struct command_context *ctx, int n_args, char **args);
int command_timeline(struct command_context *ctx, int n_args, char **args);
int command_kb_score(struct command_context *ctx, int n_args, char **args);

#endif
