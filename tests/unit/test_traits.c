/* What is remembered of a line holds for every line that differs from it in digits and addresses
 * only. */
#include "input/traits.h"

#include <stdio.h>

#include "input/laps.h"
#include "input/reader.h"
#include "test.h"
#include "text/chars.h"

static const char *const samples[] = {
    "[2024-05-04 10:00:00,123] [INFO] [comm.py:652:init] Initializing the backend nccl",
    " iteration     1200/  500000 | elapsed time per iteration (ms): 1234.5 | lm loss: 2.34E+00 |",
    "[rank3]: step=12 loss=nan grad_norm=1.5 0 errors",
    "  12%|##        | 120/1000 [01:02<09:10,  1.60it/s]",
    "checkpoint 12 written, 17 files failed: 0, error: 5",
    "RuntimeError: size 12 is not 13",
    "  File \"/srv/train7.py\", line 12, in step",
    "    raise ValueError(12)",
    "Traceback (most recent call last):",
    "NVRM: Xid (PCI:0000:10:1c): 79, pid=12",
    "export TOKEN12=abcdef0123456789abcd",
    "ya29.0123456789abcdef0123456789 sq0abcdefabcdefabcdefabcdef",
    "rank 3 time (ms) | fwd_microstep: 12.5",
    "2024-05-04 10:00:00 ERROR 4242 something is lost at 0x7f12",
    "{'loss': 2.3456, 'learning_rate': 1.9e-05, 'epoch': 0.12}",
    "frame #3: c10::Error::Error() + 0x1c0 (0x7f3a42 in /usr/lib/x86_64-linux-gnu/libc10.so)",
    "<Trainer at 0x7facc1> step 12 | loss 2.34 | acc 0.91 | time 1.5",
    "ValueError: <x object at 0xdeadbeef> was lost, failed or killed: 0xacc acc=1",
    "token 0xabcdefabcdefabcdef, password: 0xdeadbeef, eval 0x7f",
    "worker 3 said 8 words 9 times"};

static uint32_t next(uint32_t *seed) {
    return *seed = *seed * 1664525u + 1013904223u;
}

static void other_digits(char *text, uint32_t *seed) {
    for (char *c = text; *c; c++) {
        bool hex = c > text + 1 && c[-1] == 'x' && is_digit(c[-2]);
        if (is_digit(*c)) *c = (char)('0' + (next(seed) >> 8) % 10);
        for (; hex && is_hex(*c); c++) *c = "0123456789abcdef"[(next(seed) >> 8) % 16];
        if (!*c) break;
    }
}

/* What the traits say must be true of the line itself. */
static void check(struct traits *traits, struct str line, const struct place *place) {
    struct arena arena = {0};
    struct evidence evidence = {0};
    struct str body = str_sub(line, place->body, line.n);
    struct grams grams;
    struct track track, fresh;
    int trace;
    grams_make(&grams, line);
    for (size_t i = 0; i < COUNT_OF(grams.bits); i++)
        assert_int_equal(grams.bits[i] & ~traits->grams.bits[i], 0);
    assert_true(!traits_dull(traits, body) || standout_score(body, &grams, place->severity) == 0);
    assert_int_equal(traits_pause(traits, body), stall_pauses(body, &grams));
    assert_int_equal(traits->timers, laps_timed(body, &grams));
    bool cut = line.n > LIMIT_TEXT;
    assert_true(!traits_open(traits, line) || cut || str_eq(mask_secrets(&arena, line), line));
    struct tracer *tracer = tracer_new(&arena, &evidence);
    enum trace_line kind = tracer_feed(tracer, body, 1, &(struct origin){.line = 1}, line, &trace);
    assert_true(traits->tells || kind == TRACE_NONE);
    tracer_release(tracer);
    struct track_words words = traits->words;
    bool read = track_read_known(body, &traits->grams, &words, -1, &track);
    assert_int_equal(read, track_read(body, &fresh));
    if (read) assert_int_equal(track.step, fresh.step);
    if (read) assert_memory_equal(&track.loss, &fresh.loss, sizeof track.loss);
    assert_int_equal(traits_opening(traits, body), opening_hash(body));
    evidence_release(&evidence);
    arena_release(&arena);
}

static void digits_do_not_matter(void **state) {
    (void)state;
    struct alike *memo = alike_new(sizeof(struct traits));
    uint32_t seed = 7;
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < COUNT_OF(samples); i++) {
            char text[200];
            snprintf(text, sizeof text, "%s", samples[i]);
            if (round) other_digits(text, &seed);
            struct place place = locate_line(str_of(text), NULL);
            struct traits *traits = traits_of(memo, str_of(text), false, &place);
            check(traits, str_of(text), &place);
            track_read_known(str_sub(str_of(text), place.body, 200), &traits->grams, &traits->words,
                             -1, &(struct track){0}); /* as a visit does */
        }
    alike_release(memo);
}

/* More lines than there is room for, and one that no room is for. */
static void check_rooms(bool halved) {
    struct alike *memo = alike_new(sizeof(struct traits));
    if (halved) alike_halve(memo);
    char text[LIMIT_TEXT + 200];
    for (int i = 0; i < 20000; i++) {
        int n = snprintf(text, sizeof text, "%c%c%c %s", 'a' + i % 26, 'a' + i / 26 % 26,
                         'a' + i / 676 % 26, samples[(size_t)i % COUNT_OF(samples)]);
        if (i % 1000 == 0) memset(text + n, 'x', sizeof text - (size_t)n - 1);
        text[i % 1000 == 0 ? sizeof text - 1 : (size_t)n] = '\0';
        struct place place = locate_line(str_of(text), NULL);
        check(traits_of(memo, str_of(text), false, &place), str_of(text), &place);
    }
    alike_release(memo);
}

static void rooms_are_found_again(void **state) {
    (void)state;
    check_rooms(false);
    check_rooms(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits_do_not_matter),
                                       cmocka_unit_test(rooms_are_found_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
