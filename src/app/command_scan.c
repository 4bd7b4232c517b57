#include "app/command.h"

#include <stdlib.h>

/* What scan counts. */
struct scan {
    struct command_context *ctx;
    const struct kb *kb;
    uint64_t hits;
};

static void scan_error(void *ctx, const struct err *err) {
    command_error(((struct scan *)ctx)->ctx, err, 0);
}

static void print_hit(void *ctx, const struct source *source, const struct hit *hit) {
    struct scan *scan = ctx;
    FILE *out = scan->ctx->out;
    scan->hits++;
    command_print(out, source->path);
    fprintf(out, ":%u:", hit->first.line);
    if (hit->first.rank >= 0) fprintf(out, "%d", hit->first.rank);
    fprintf(out, ":" STR_FMT ":", STR_ARG(scan->kb->signals[hit->signal].id));
    command_print(out, hit->text);
    fputc('\n', out);
}

/* One line a source and signal: FILE:SIGNAL:COUNT, in the order of sources and signals. */
static void print_counts(struct scan *scan, const struct evidence *evidence) {
    uint64_t *counts = heap_zeros((size_t)scan->kb->n_signals + 1, sizeof *counts);
    for (size_t s = 0, h = 0; s < evidence->sources.n; s++) {
        memset(counts, 0, sizeof *counts * (size_t)scan->kb->n_signals);
        for (; h < evidence->hits.n && evidence->hits.v[h].first.source == (int)s; h++)
            counts[evidence->hits.v[h].signal] += evidence->hits.v[h].count;
        for (int i = 0; i < scan->kb->n_signals; i++) {
            if (!counts[i]) continue;
            scan->hits += counts[i];
            command_print(scan->ctx->out, evidence->sources.v[s].path);
            fprintf(scan->ctx->out, ":" STR_FMT ":%llu\n", STR_ARG(scan->kb->signals[i].id),
                    (unsigned long long)counts[i]);
        }
    }
    free(counts);
}

int command_scan(struct command_context *ctx, int n_args, char **args) {
    static const char *const standard_input[] = {"-"};
    struct err err;
    struct image *image;
    const struct session_options *chosen = &ctx->options.session;
    if (!command_has_input(ctx, n_args)) return STATUS_USAGE;
    if (!image_open(&image, chosen->overlays, chosen->n_overlays, &err))
        return command_error(ctx, &err, STATUS_USAGE);
    struct arena arena = {0};
    struct matcher *matcher = matcher_new(&arena, image_kb(image));
    struct scan scan = {.ctx = ctx, .kb = image_kb(image)};
    struct input_options input = {.threads = chosen->threads,
                                  .hits_only = true,
                                  .on_error = scan_error,
                                  .on_hit = ctx->options.count ? NULL : print_hit,
                                  .ctx = &scan};
    struct evidence evidence = {0};
    const char *const *paths = n_args ? (const char *const *)args : standard_input;
    bool all = input_read(&evidence, scan.kb, matcher, paths, n_args ? n_args : 1, &input);
    if (ctx->options.count) print_counts(&scan, &evidence);
    evidence_release(&evidence);
    matcher_release(matcher);
    arena_release(&arena);
    image_close(image);
    return !all ? 2 : scan.hits ? 0 : 1; /* as grep */
}
