#include "facts/nccl.h"

#include "facts/package.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "text/chars.h"

/* "Using [0]ib0:10.148.8.41<0> [1]...", "Using eth0:10.0.0.1<0>", "Using [0]mlx5_0:1/RoCE" */
static void note_interfaces(struct reading *reading, const char *key, struct str list) {
    for (int n = 0; n < 16 && list.n; n++) {
        struct str word = pick_word(list, &list), name;
        if (pick_after(word, STR("]"), &name)) word = name;
        if (str_eq(word, STR(";")) || str_starts(word, STR("OOB"))) break;
        if (str_starts(word, STR("["))) continue; /* [RO] */
        note(reading, str_of(key), pick_until(word, STR(":")));
        if (str_has(word, STR("/RoCE"))) note(reading, STR("nccl.ib.layer"), STR("RoCE"));
        if (str_has(word, STR("/IB"))) note(reading, STR("nccl.ib.layer"), STR("InfiniBand"));
    }
}

static void info_line(struct reading *reading, struct str line) {
    struct str rest, name, value;
    int count;
    if (pick_after(line, STR("Using network "), &rest))
        note(reading, STR("nccl.network"), pick_word(rest, NULL));
    else if (pick_after(line, STR("NET/IB : No device found"), &rest))
        note(reading, STR("nccl.ib.devices"), STR("0"));
    else if (pick_after(line, STR("NET/IB : Using "), &rest))
        note_interfaces(reading, "nccl.ib.device", rest);
    else if (pick_after(line, STR("NET/Socket : Using "), &rest))
        note_interfaces(reading, "nccl.interface", rest);
    else if (pick_after(line, STR("Bootstrap : Using "), &rest) ||
             pick_after(line, STR("Bootstrap: Using "), &rest))
        note_interfaces(reading, "nccl.bootstrap", rest);
    else if (pick_after(line, STR(" set by environment to "), &value)) {
        name = pick_last(str_sub(line, 0, (size_t)(value.p - line.p) - 23));
        if (str_ends(value, STR("."))) value = str_sub(value, 0, value.n - 1);
        note(reading, note_key_of(reading, "env.", name), value);
    } else if (pick_after(line, STR("cudaDriverVersion "), &rest))
        package_note_cuda(reading, STR("driver.cuda"), rest);
    if ((pick_after(line, STR(" nranks "), &rest) || pick_after(line, STR(" nRanks "), &rest)) &&
        pick_int(rest, &count) && !str_has(line, STR("Split")))
        note_int(reading, STR("nccl.nranks"), count);
    if (pick_after(line, STR(" nNodes "), &rest) && pick_int(rest, &count))
        note_int(reading, STR("nccl.nodes"), count);
}

bool nccl_line(struct reading *reading, struct str line) {
    struct str rest;
    if (pick_after(line, STR("NCCL version "), &rest)) {
        note(reading, STR("nccl.version"), pick_until(pick_version(rest), STR("+")));
        if (pick_after(rest, STR("+cuda"), &rest))
            note(reading, STR("nccl.cuda"), pick_number(rest));
        return true;
    }
    if (!str_has(line, STR("NCCL INFO"))) return false;
    info_line(reading, line);
    return true;
}

static void read_nccl(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "nccl");
    while (reading_line(&reading, &line)) nccl_line(&reading, line);
    reading_close(&reading);
}

/* Behind a prefix: a person who quotes NCCL has words before it. */
static bool opens(struct str line, size_t at) {
    if (at == 0) return true;
    char before = at >= 2 && line.p[at - 1] == ' ' ? line.p[at - 2] : ' ';
    return is_digit(before) || (before != ' ' && strchr("]:)>", before));
}

static bool is_own(struct str line) {
    static const struct str words[] = {STR("INFO"), STR("WARN"), STR("version")};
    for (ptrdiff_t at = str_find(line, STR("NCCL "), 0); at >= 0;
         at = str_find(line, STR("NCCL "), (size_t)at + 1))
        for (size_t i = 0; i < COUNT_OF(words); i++)
            if (str_starts(str_sub(line, (size_t)at + 5, line.n), words[i]) &&
                opens(line, (size_t)at))
                return true;
    return false;
}

enum { LOOKED = 300 /* lines; once 3 in 10 of them are others', the rest cannot change it */ };

/* A block of NCCL's lines alone: it is a log (errors may stand in it), read for facts too. */
static int recognize(struct str head, struct str name) {
    struct str rest = head, line;
    int lines = 0, own = 0;
    if (!str_has(head, STR("NCCL"))) return 0;
    while (str_line(&rest, &line) && lines < LOOKED && lines - own <= LOOKED * 3 / 10) {
        if (!str_trim(line).n) continue;
        lines++;
        own += is_own(line);
    }
    if (lines && own * 100 >= lines * 70) return 92;
    bool named = str_find_nocase(name, STR("nccl"), 0) >= 0;
    return named ? 60 : 0;
}

const struct fact_reader reader_nccl = {.id = "nccl",
                                        .about = "NCCL_DEBUG=INFO output",
                                        .kind = KIND_LOG,
                                        .recognize = recognize,
                                        .read = read_nccl};
