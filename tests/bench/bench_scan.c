/* bench_scan - the matcher by itself, on one thread: how fast each kernel of this machine is, what
 * the scan adds, how many lines it offers, and what twice the signals cost.
 * usage: bench_scan FILE...  (the knowledge is the one built in) */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "match/matcher.h"
#include "world/image.h"

enum { BLOCK = 4 << 20 };

struct totals {
    double reading, kernel, scanning, lines_time;
    uint64_t bytes, lines, candidates, hits, busy;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_kernel(const struct matcher *matcher, struct str block, struct totals *t) {
    struct lanes lanes[KERNEL_WORDS];
    size_t lines;
    for (size_t at = 0; at < block.n; at += KERNEL_WORDS * 64) {
        size_t words = kernel_over(matcher->kernel, &matcher->loud->tables, block, at, KERNEL_WORDS,
                                   lanes, &lines);
        for (size_t w = 0; w < words; w++) t->busy += lanes_busy(&lanes[w]);
    }
}

static void run_block(const struct matcher *matcher, struct match_scratch *scratch,
                      struct str block, struct totals *t) {
    struct arena arena = {0};
    candidate_vec found = {0};
    double start = now();
    run_kernel(matcher, block, t);
    t->kernel += now() - start;
    start = now();
    t->lines += match_scan(matcher, scratch, block, MATCH_MILD, &arena, &found);
    t->scanning += now() - start;
    start = now();
    for (size_t i = 0; i < found.n; i++) {
        struct match matches[16];
        struct str line = str_sub(block, found.v[i].start, found.v[i].length);
        t->hits += (uint64_t)match_line(matcher, scratch, line, (1u << IN_WORDS) - 1, matches, 16);
    }
    t->lines_time += now() - start;
    t->candidates += found.n;
    t->bytes += block.n;
    arena_release(&arena);
}

static bool run_file(const struct matcher *matcher, struct match_scratch *scratch, const char *path,
                     struct totals *t) {
    char *buffer = malloc(BLOCK);
    size_t have = 0;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || !buffer) {
        perror(path);
        free(buffer);
        return false;
    }
    for (;;) {
        double start = now();
        ssize_t n = read(fd, buffer + have, BLOCK - have);
        t->reading += now() - start;
        have += n > 0 ? (size_t)n : 0;
        const char *last = memrchr(buffer, '\n', have);
        size_t use = n > 0 && last ? (size_t)(last - buffer) + 1 : have;
        if (use) run_block(matcher, scratch, (struct str){buffer, use}, t);
        memmove(buffer, buffer + use, have - use);
        have -= use;
        if (n <= 0) break;
    }
    close(fd);
    free(buffer);
    return true;
}

/* ---- twice the signals ---------------------------------------------------------------------- */

/* A text that nothing else looks for, of letters that are about as frequent. */
static struct str altered(struct arena *arena, struct str text) {
    char *p = arena_alloc(arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        p[i] = (char)(!letter ? c : (c | 32) == 'z' ? c - 25 : c + 1);
    }
    return (struct str){p, text.n};
}

/* An expression for the needles as they stand. */
static struct str any_of(struct arena *arena, const struct signal *signal) {
    struct buf regex = {0};
    buf_str(&regex, STR("(?:"));
    for (int i = 0; i < signal->n_needles; i++) {
        if (i) buf_char(&regex, '|');
        for (size_t k = 0; k < signal->needles[i].n; k++)
            buf_printf(&regex, "\\x%02x", (unsigned char)signal->needles[i].p[k]);
    }
    buf_char(&regex, ')');
    struct str kept = arena_str(arena, buf_view(&regex));
    buf_release(&regex);
    return kept;
}

/* False for needles that altering leaves nearly as they are: healthy lines are full of those. */
static bool can_be_altered(const struct signal *signal) {
    bool can = signal->in != IN_WORDS && signal->n_needles > 0;
    for (int i = 0; i < signal->n_needles && can; i++) {
        int letters = 0;
        for (size_t k = 0; k < signal->needles[i].n; k++)
            letters +=
                (signal->needles[i].p[k] | 32) >= 'a' && (signal->needles[i].p[k] | 32) <= 'z';
        can = letters >= 4;
    }
    return can;
}

static struct kb *twice(struct arena *arena, const struct kb *kb) {
    struct kb *both = arena_alloc(arena, sizeof *both);
    *both = *kb;
    both->plan = (struct str){0};
    both->signals = ARENA_ARRAY(arena, struct signal, 2 * kb->n_signals);
    memcpy(both->signals, kb->signals, sizeof *kb->signals * (size_t)kb->n_signals);
    for (int i = 0; i < kb->n_signals; i++) {
        struct signal *signal = &both->signals[both->n_signals];
        if (!can_be_altered(&kb->signals[i])) continue;
        *signal = kb->signals[i];
        signal->needles = ARENA_ARRAY(arena, struct str, signal->n_needles);
        for (int k = 0; k < signal->n_needles; k++)
            signal->needles[k] = altered(arena, kb->signals[i].needles[k]);
        signal->regex = any_of(arena, signal);
        both->n_signals++;
    }
    return both;
}

/* Seconds that the scan of the files takes, at best of three. */
static double scan_seconds(const struct matcher *matcher, char **paths, int n) {
    double best = 1e9;
    for (int round = 0; round < 3; round++) {
        struct totals t = {0};
        struct match_scratch *scratch = match_scratch_new(matcher);
        for (int i = 0; i < n; i++)
            if (!run_file(matcher, scratch, paths[i], &t)) break;
        match_scratch_release(scratch);
        if (t.scanning < best) best = t.scanning;
    }
    return best;
}

static void compare_twice(struct arena *arena, const struct kb *kb, char **paths, int n) {
    struct kb *both = twice(arena, kb);
    struct matcher *one = matcher_new(arena, kb), *two = matcher_new(arena, both);
    double a = scan_seconds(one, paths, n), b = scan_seconds(two, paths, n);
    printf("%d signals instead of %d: %.2f times the scan's time\n", both->n_signals, kb->n_signals,
           b / a);
    matcher_release(one);
    matcher_release(two);
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct image *image;
    struct err err;
    if (!image_open(&image, NULL, 0, &err)) {
        fprintf(stderr, "%s\n", err.what);
        return 2;
    }
    double start = now();
    struct matcher *matcher = matcher_new(&arena, image_kb(image));
    printf("%d signals, tables made in %.2f ms\n", image_kb(image)->n_signals,
           (now() - start) * 1e3);
    for (int k = 0; k < n_kernels; k++) {
        struct totals t = {0};
        if (!kernels[k].usable()) continue;
        struct match_scratch *scratch = match_scratch_new(matcher);
        matcher->kernel = &kernels[k];
        for (int i = 1; i < argc; i++)
            if (!run_file(matcher, scratch, argv[i], &t)) return 1;
        double gb = (double)t.bytes / 1e9;
        printf("%-10s %.3f GB, GB/s: read %.2f, kernel %.2f, scan %.2f; %lu lines, %lu candidates "
               "(%.3f %%) in %.3f s, "
               "%lu hits; %.1f %% of 64-byte words busy\n",
               kernels[k].name, gb, gb / t.reading, gb / t.kernel, gb / t.scanning,
               (unsigned long)t.lines, (unsigned long)t.candidates,
               100.0 * (double)t.candidates / (double)t.lines, t.lines_time, (unsigned long)t.hits,
               6400.0 * (double)t.busy / (double)t.bytes);
        match_scratch_release(scratch);
    }
    compare_twice(&arena, image_kb(image), argv + 1, argc - 1);
    matcher_release(matcher);
    image_close(image);
    arena_release(&arena);
    return 0;
}
