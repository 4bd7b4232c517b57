/* The tables of nccl-tests: a row a message size, out of place and in place.
 *
 *   #       size     count   type  redop   root    time  algbw  busbw #wrong  ...
 *     1073741824 268435456  float    sum     -1  5012.1 214.23 401.68      0  ...
 */
#include "facts/nccl_tests.h"

#include "facts/gpu_model.h"
#include "facts/nccl.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "text/chars.h"
#include "text/text.h"

enum { FIELDS = 14, HOSTS = 512 };

struct table {
    double best;               /* GB/s of bus bandwidth */
    int64_t size, wrong, rows; /* size: of the message it was reached with, bytes */
    struct str op, average;
    int ranks, hosts;
    uint64_t known[HOSTS]; /* hosts, hashed */
};

/* all_reduce_perf: on the command line, in the banner of newer releases, in an echoed path. */
static void take_op(struct table *table, struct str line) {
    ptrdiff_t at = str_find(line, STR("_perf"), 0);
    if (at <= 0) return;
    size_t from = (size_t)at;
    while (from && (is_word(line.p[from - 1]))) from--;
    struct str op = str_sub(line, from, (size_t)at - from);
    if (op.n) table->op = op;
}

/* "#  Rank  0 Group  0 Pid 4242 on    node1 device  0 [0x1b] NVIDIA H100 80GB HBM3" */
static bool device_line(struct reading *reading, struct table *table, struct str line) {
    struct str rest, host;
    if (!str_has(line, STR(" Rank ")) || !str_has(line, STR(" Pid "))) return false;
    if (pick_after(line, STR(" on "), &rest)) {
        host = pick_word(rest, NULL);
        uint64_t hash = str_hash(host);
        int i = 0;
        while (i < table->hosts && table->known[i] != hash) i++;
        if (i == table->hosts && i < HOSTS) table->known[table->hosts++] = hash;
    }
    table->ranks++;
    if (pick_after(line, STR("] "), &rest)) gpu_model_note(reading, rest);
    return true;
}

static int split(struct str line, struct str fields[FIELDS]) {
    int n = 0;
    struct str rest = line, word;
    while (n < FIELDS && (word = pick_word(rest, &rest)).n) fields[n++] = word;
    return n;
}

static bool is_type(struct str word) {
    static const char *const types[] = {"float",   "half",    "bfloat16", "double", "int8",
                                        "uint8",   "int32",   "uint32",   "int64",  "uint64",
                                        "fp8e4m3", "fp8e5m2", "f8e4m3",   "f8e5m2"};
    return STR_AMONG(word, types);
}

/* One half of a row, time first; what is N/A (alltoall in place) counts nothing. */
static void take_half(struct table *table, const struct str *half, int64_t size) {
    double bandwidth;
    int64_t wrong;
    if (!str_number(half[2], &bandwidth) || !(bandwidth >= 0) || bandwidth > 1e6) return;
    if (bandwidth > table->best) {
        table->best = bandwidth;
        table->size = size;
    }
    /* older releases print the largest error here, "4e-07" */
    if (str_int(half[3], &wrong) && wrong > 0 && wrong <= INT64_MAX - table->wrong)
        table->wrong += wrong;
}

static bool row_line(struct table *table, struct str line) {
    struct str fields[FIELDS];
    int64_t size, count;
    int n = split(line, fields);
    if (n < 11 || !str_int(fields[0], &size) || !str_int(fields[1], &count) || !is_type(fields[2]))
        return false;
    int first = n - 8; /* redop and root are not printed for all */
    if (first < 3 || first > 5) return false;
    take_half(table, fields + first, size);
    take_half(table, fields + first + 4, size);
    table->rows++;
    return true;
}

static void comment_line(struct reading *reading, struct table *table, struct str line) {
    struct str rest;
    if (str_starts(line, STR("# nThread ")) || str_starts(line, STR("# Using devices"))) {
        if (table->rows) *table = (struct table){.op = table->op};
    } else if (pick_after(line, STR("# Avg bus bandwidth"), &rest) &&
               pick_after(rest, STR(":"), &rest)) {
        table->average = pick_number(rest);
    } else {
        device_line(reading, table, line);
    }
}

static void note_table(struct reading *reading, const struct table *table) {
    if (!table->rows) return;
    note_unit(reading, STR("nccltests.busbw.max"),
              arena_printf(&reading->scratch, "%.4g", table->best), STR("GB/s"));
    note_int(reading, STR("nccltests.size"), table->size);
    note_unit(reading, STR("nccltests.busbw.avg"), table->average, STR("GB/s"));
    note(reading, STR("nccltests.op"), table->op);
    if (table->ranks) note_int(reading, STR("nccltests.ranks"), table->ranks);
    if (table->hosts) note_int(reading, STR("nccltests.nodes"), table->hosts);
    note_int(reading, STR("nccltests.wrong"), table->wrong);
}

/* Behind what a launcher puts before it; srun's "3: " is not known as such yet. */
static struct str line_body(struct str line) {
    struct place place = locate_line(line, NULL);
    line = str_trim(str_from(line, place.body));
    size_t digits = 0;
    while (is_digit(byte_at(line, digits))) digits++;
    bool task = digits && byte_at(line, digits) == ':' && byte_at(line, digits + 1) == ' ';
    return task ? str_trim(str_from(line, digits + 1)) : line;
}

void nccl_tests_note(struct reading *reading) {
    struct table *table = ARENA_NEW(&reading->scratch, struct table);
    struct str line;
    reading_rewind(reading);
    while (reading_line(reading, &line)) {
        line = line_body(line);
        take_op(table, line);
        if (str_starts(line, STR("#")))
            comment_line(reading, table, line);
        else if (!row_line(table, line))
            nccl_line(reading, line);
    }
    note_table(reading, table);
}

static void read_tests(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    reading_open(&reading, evidence, text, origin, "nccl-tests");
    nccl_tests_note(&reading);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    struct str start = str_sub(head, 0, 16384);
    bool devices = str_has(start, STR("# Using devices")) || str_has(start, STR("# nThread "));
    return devices && str_has(head, STR("busbw")) ? 95 : 0;
}

const struct fact_reader reader_nccl_tests = {.id = "nccl-tests",
                                              .about = "nccl-tests: all_reduce_perf ...",
                                              .kind = KIND_LOG,
                                              .recognize = recognize,
                                              .read = read_tests};
