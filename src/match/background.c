#include "match/background.h"
#include "match/background_lines.h"

enum { SLOTS = 1 << 14 };

struct background {
    uint32_t key[SLOTS], count[SLOTS]; /* open addressing; count 0: free */
    uint8_t samples[BACKGROUND_SAMPLES][4];
};

static uint32_t quad(const char *p) {
    uint8_t b[4];
    for (int i = 0; i < 4; i++) b[i] = (uint8_t)(p[i] >= '0' && p[i] <= '9' ? '0' : p[i]);
    uint32_t v;
    memcpy(&v, b, 4);
    return v;
}

static uint32_t slot_of(const struct background *background, uint32_t v) {
    uint32_t i = (v * 0x9E3779B1u) >> 18;
    while (background->count[i] && background->key[i] != v) i = (i + 1) % SLOTS;
    return i;
}

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
    int used = 0;
    for (size_t k = 0; k < COUNT_OF(healthy_lines); k++) {
        const char *text = healthy_lines[k].text;
        for (size_t i = 0; text[i] && text[i + 1] && text[i + 2] && text[i + 3]; i++) {
            uint32_t v = quad(text + i), at = slot_of(background, v);
            if (!background->count[at] && ++used > SLOTS * 3 / 4) continue;
            background->key[at] = v;
            background->count[at] += healthy_lines[k].weight;
        }
    }
    draw(background);
    return background;
}

uint32_t background_count(const struct background *background, const char *p) {
    return background->count[slot_of(background, quad(p))];
}

const uint8_t *background_samples(const struct background *background) {
    return background->samples[0];
}
