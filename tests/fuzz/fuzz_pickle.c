/* Pickles that nobody wrote: refused or read, never a crash, a loop or a read beyond the bytes; and
 * what was read as a dump goes on into the reader of flight-recorder dumps. */
#include <stdlib.h>

#include "facts/pickle.h"
#include "facts/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t walk(const struct json_value *value, size_t left) {
    for (const struct json_value *at = value->first; at && left > 0; at = at->next)
        left = walk(at, left - 1);
    volatile char last = 0;
    for (size_t i = 0; i < value->text.n; i++) last = value->text.p[i]; /* every byte is there */
    (void)last;
    return left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    struct err err;
    const struct json_value *root;
    struct buf bytes = {0};
    buf_add(&bytes, "\x80\x04", 2);
    buf_add(&bytes, data, size);
    char *exact = malloc(bytes.n); /* so that a read beyond it is seen */
    memcpy(exact, bytes.p, bytes.n);
    struct str text = {exact, bytes.n};
    if (pickle_read(&arena, text, &root, &err)) walk(root, 100000);
    struct evidence evidence = {0};
    struct origin origin = {.line = 1, .rank = -1, .time = TIME_UNKNOWN, .attempt = 1};
    reader_flight.read(&evidence, text, &origin);
    evidence_release(&evidence);
    arena_release(&arena);
    buf_release(&bytes);
    free(exact);
    return 0;
}
