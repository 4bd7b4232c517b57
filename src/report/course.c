#include "report/course.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS = 8, ENOUGH = 12 };

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The range without the few that lie far outside. */
static bool range_of(struct arena *arena, const double *values, int n, double *least,
                     double *most) {
    double *sorted = ARENA_ARRAY(arena, double, n + 1);
    int k = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(values[i])) sorted[k++] = values[i];
    if (!k) return false;
    qsort(sorted, (size_t)k, sizeof *sorted, compare_doubles);
    double low = sorted[k / 20], high = sorted[k - 1 - k / 20], room = 2 * (high - low);
    *least = sorted[0] < low - room ? low : sorted[0];
    *most = sorted[k - 1] > high + room ? high : sorted[k - 1];
    return true;
}

/* Of the readings that share a column the one in the middle of their values; not finite before
 * all. */
static double column_value(double *values, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (isinf(values[i])) return INFINITY;
        if (!isnan(values[i])) values[k++] = values[i];
    }
    if (!k) return NAN;
    qsort(values, (size_t)k, sizeof *values, compare_doubles);
    return values[k / 2];
}

/* A line of at most COURSE_COLUMNS characters for these values, scaled from their least to their
 * most; far outliers stand at the edge, what is not finite is 'x', what is not told a blank. */
static struct str line_of(struct arena *arena, const double *values, int n, bool ascii) {
    static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[LEVELS] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    double least, most;
    double *room = ARENA_ARRAY(arena, double, n + 1);
    if (!range_of(arena, values, n, &least, &most)) return (struct str){0};
    struct buf out = {0};
    int columns = n < COURSE_COLUMNS ? n : COURSE_COLUMNS;
    for (int c = 0; c < columns; c++) {
        int from = n * c / columns, to = n * (c + 1) / columns;
        memcpy(room, values + from, sizeof *room * (size_t)(to - from));
        double value = column_value(room, to - from);
        if (isnan(value)) {
            buf_char(&out, ' ');
        } else if (isinf(value)) {
            buf_char(&out, 'x');
        } else {
            double share = most > least ? (value - least) / (most - least) : 0;
            int level = share < 0 ? 0 : share >= 1 ? LEVELS - 1 : (int)(share * LEVELS);
            buf_str(&out, str_of((ascii ? plain : blocks)[level]));
        }
    }
    struct str text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return text;
}

/* ---- the rows ------------------------------------------------------------------------------ */

static struct str number(struct arena *arena, double value) {
    if (isinf(value)) return STR("not finite");
    return arena_printf(arena, "%.3g", value);
}

/* "10.8, least 2.01, now 7.55" */
static struct str figures_of(struct arena *arena, const double *values, int n, const char *unit) {
    double first = NAN, last = NAN, least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(values[i])) continue;
        if (isnan(first)) first = values[i];
        last = values[i];
        if (values[i] < least) least = values[i];
        if (isfinite(values[i]) && values[i] > most) most = values[i];
    }
    if (unit)
        return arena_printf(arena, STR_FMT " to " STR_FMT " %s", STR_ARG(number(arena, least)),
                            STR_ARG(number(arena, most)), unit);
    return arena_printf(arena, STR_FMT ", least " STR_FMT ", last " STR_FMT,
                        STR_ARG(number(arena, first)), STR_ARG(number(arena, least)),
                        STR_ARG(number(arena, last)));
}

static int add_row(struct arena *arena, const char *name, const double *values, int n,
                   const char *unit, bool ascii, struct course_row *row) {
    int told = 0;
    double one = NAN;
    bool flat = !str_eq(str_of(name), STR("loss")); /* one that stands still is a finding */
    for (int i = 0; i < n; i++) {
        if (isnan(values[i])) continue;
        if (isnan(one)) one = values[i];
        flat &= values[i] == one && one != 0 && isfinite(one);
        told++;
    }
    if (told < ENOUGH || flat) return 0;
    *row = (struct course_row){.name = name,
                               .line = line_of(arena, values, n, ascii),
                               .figures = figures_of(arena, values, n, unit)};
    return row->line.n > 0;
}

int course_rows(struct arena *arena, const struct evidence *evidence, const struct course *course,
                bool ascii, struct course_row *rows) {
    if (!course || course->n < ENOUGH) return 0;
    const struct track *tracks = evidence->tracks.v + course->first;
    int n = course->n, k = 0;
    double *losses = ARENA_ARRAY(arena, double, n), *norms = ARENA_ARRAY(arena, double, n);
    for (int i = 0; i < n; i++) {
        losses[i] = tracks[i].loss;
        norms[i] = (double)tracks[i].norm;
    }
    k += add_row(arena, "loss", losses, n, NULL, ascii, &rows[k]);
    k += add_row(arena, "norm", norms, n, NULL, ascii, &rows[k]);
    if (isfinite(course->seconds))
        k += add_row(arena, "time", course->pace, n, "s a step", ascii, &rows[k]);
    return k;
}

struct str course_head(struct arena *arena, const struct evidence *evidence,
                       const struct course *course) {
    const struct track *tracks = evidence->tracks.v + course->first;
    int64_t first = -1, last = -1;
    for (int i = 0; i < course->n; i++) {
        if (tracks[i].step < 0) continue;
        if (first < 0) first = tracks[i].step;
        last = tracks[i].step;
    }
    struct str text = {0};
    if (first >= 0)
        text = arena_printf(arena, "%lld to %lld", (long long)first, (long long)last);
    else
        text = arena_printf(arena, "%d readings", course->n);
    if (isfinite(course->seconds))
        text = arena_printf(arena, STR_FMT ", %.3g s each", STR_ARG(text), course->seconds);
    return arena_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(text),
                        STR_ARG(evidence->sources.v[course->source].path));
}
