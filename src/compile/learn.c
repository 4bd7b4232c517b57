/* Full gradients with Nesterov's momentum: convex, so that nothing depends on where it begins. */
#include "compile/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, POWER_ROUNDS = 12 };
/* What a lean costs: against words that a few examples happen to share. */
static const double DECAY = 0.05;

struct course {
    const struct example *examples;
    int n, n_words, n_classes;
    double *odds; /* of one example */
};

static size_t size_of(const struct course *course) {
    return (size_t)(1 + course->n_words) * (size_t)course->n_classes;
}

static double *room_for(size_t n) {
    return heap_zeros(n, sizeof(double));
}

static double length_of(const struct example *example) {
    return example->n ? 1 / sqrt(example->n) : 0;
}

/* into[row] += by * of[row] for the rows of an example; or the other way round. */
static void row_add(double *into, const double *of, double by, int n) {
    for (int c = 0; c < n; c++) into[c] += by * of[c];
}

static void odds_of(const struct course *course, const struct example *example,
                    const double *leans) {
    int n = course->n_classes;
    memcpy(course->odds, leans, (size_t)n * sizeof *leans);
    for (int w = 0; w < example->n; w++)
        row_add(course->odds, leans + (size_t)(1 + example->words[w]) * (size_t)n,
                length_of(example), n);
}

/* Odds become how far each class is from what is right. */
static void errors_of(const struct course *course, int right) {
    double most = course->odds[0], total = 0;
    for (int c = 1; c < course->n_classes; c++)
        if (course->odds[c] > most) most = course->odds[c];
    for (int c = 0; c < course->n_classes; c++)
        total += course->odds[c] = exp(course->odds[c] - most);
    for (int c = 0; c < course->n_classes; c++)
        course->odds[c] = course->odds[c] / total - (c == right);
}

static void gradient_of(const struct course *course, const double *leans, double *gradient) {
    int n = course->n_classes;
    for (size_t i = 0; i < size_of(course); i++) gradient[i] = DECAY * leans[i];
    for (int e = 0; e < course->n; e++) {
        const struct example *example = &course->examples[e];
        if (example->class < 0) continue;
        odds_of(course, example, leans);
        errors_of(course, example->class);
        row_add(gradient, course->odds, 1, n);
        for (int w = 0; w < example->n; w++)
            row_add(gradient + (size_t)(1 + example->words[w]) * (size_t)n, course->odds,
                    length_of(example), n);
    }
}

/* The largest curvature: half the largest eigenvalue of the examples' products, by powers. */
static double curvature_of(const struct course *course) {
    size_t n = 1 + (size_t)course->n_words;
    double *at = room_for(n), *next = room_for(n), size = 1;
    for (size_t i = 0; i < n; i++) at[i] = 1;
    for (int round = 0; round < POWER_ROUNDS; round++) {
        memset(next, 0, n * sizeof *next);
        for (int e = 0; e < course->n; e++) {
            const struct example *example = &course->examples[e];
            double sum = at[0], length = length_of(example);
            for (int w = 0; w < example->n; w++) sum += length * at[1 + example->words[w]];
            next[0] += sum;
            for (int w = 0; w < example->n; w++) next[1 + example->words[w]] += length * sum;
        }
        size = 0;
        for (size_t i = 0; i < n; i++) size += next[i] * next[i];
        size = sqrt(size);
        for (size_t i = 0; i < n; i++) at[i] = size > 0 ? next[i] / size : 0;
    }
    free(at);
    free(next);
    return size / 2 + DECAY;
}

void learn_leans(const struct example *examples, int n, int n_words, int n_classes, double *leans) {
    struct course course = {examples, n, n_words, n_classes, room_for((size_t)n_classes + 1)};
    size_t size = size_of(&course);
    double *ahead = room_for(size), *gradient = room_for(size), step = 1 / curvature_of(&course);
    memset(leans, 0, size * sizeof *leans);
    for (int round = 0; round < ROUNDS; round++) {
        double momentum = round / (round + 3.0);
        gradient_of(&course, ahead, gradient);
        for (size_t i = 0; i < size; i++) {
            double next = ahead[i] - step * gradient[i];
            ahead[i] = next + momentum * (next - leans[i]);
            leans[i] = next;
        }
    }
    free(course.odds);
    free(ahead);
    free(gradient);
}
