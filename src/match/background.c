#include "match/background.h"
#include "match/background_lines.h"

/* Draws quadruples at even steps through the weighted text: no random numbers, the same everywhere.
 */
static void draw(struct background *background) {
    uint64_t total = 0, next = 0, seen = 0;
    int n = 0;
    for (size_t k = 0; k < COUNT_OF(healthy_lines); k++)
        total += (uint64_t)healthy_lines[k].weight * (strlen(healthy_lines[k].text) - 3);
    for (size_t k = 0; k < COUNT_OF(healthy_lines); k++) {
        const char *text = healthy_lines[k].text;
        for (size_t i = 0; text[i + 3] && n < BACKGROUND_SAMPLES; i++) {
            seen += healthy_lines[k].weight;
            while (next < seen && n < BACKGROUND_SAMPLES) {
                for (int j = 0; j < 4; j++) {
                    uint8_t c = (uint8_t)text[i + (size_t)j];
                    bool digit = c >= '0' && c <= '9';
                    background->samples[n][j] = digit ? (uint8_t)('0' + (n * 7 + j * 3) % 10) : c;
                }
                n++;
                next = total * (uint64_t)n / BACKGROUND_SAMPLES;
            }
        }
    }
}

struct background *background_new(struct arena *arena) {
    struct background *background = ARENA_NEW(arena, struct background);
    for (size_t k = 0; k < COUNT_OF(healthy_lines); k++) {
        const char *text = healthy_lines[k].text;
        size_t n = strlen(text);
        for (size_t i = 0; i + 4 <= n; i++)
            background->count[background_slot(text + i)] += healthy_lines[k].weight;
    }
    draw(background);
    return background;
}
