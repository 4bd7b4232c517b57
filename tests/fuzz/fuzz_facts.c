/* Hostile files: whatever they hold, the readers of facts end, within their bounds.  The first byte
 * chooses one of the table, the reader of a log's head, or whoever recognizes the text under some
 * name. */
#include "facts/plan.h"
#include "facts/readers.h"
#include "text/alike.h"

static const char *const names[] = {"run.sh",      "ds_config.json", "hostfile", "env.txt",
                                    "config.yaml", "sinfo.txt",      "dmesg",    "job.txt"};

static void read_head(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct alike *alike = facts_heads_new();
    facts_read_log_head(evidence, text, origin, alike, NULL);
    alike_release(alike);
}

static void read_stream(const struct fact_stream *stream, struct evidence *evidence,
                        struct str text, const struct origin *origin) {
    struct arena arena = {0};
    void *state = arena_alloc(&arena, stream->state);
    stream->feed(state, str_sub(text, 0, text.n / 2));
    stream->feed(state, str_sub(text, text.n / 2, text.n));
    stream->end(state, evidence, origin);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const struct origin origin = {.source = -1, .line = 1, .rank = -1, .time = TIME_UNKNOWN};
    if (!n) return 0;
    struct evidence evidence = {0};
    struct str text = {(const char *)data + 1, n - 1};
    int choice = data[0];
    const struct fact_reader *reader =
        choice < n_fact_readers ? fact_readers[choice]
                                : facts_recognize(text, str_of(names[choice % COUNT_OF(names)]));
    if (choice == UINT8_MAX || !reader)
        read_head(&evidence, text, &origin);
    else
        reader->read(&evidence, text, &origin);
    if (reader && reader->stream) read_stream(reader->stream, &evidence, text, &origin);
    facts_clash(&evidence);
    facts_plan(&evidence);
    evidence_release(&evidence);
    return 0;
}
