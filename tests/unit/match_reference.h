/* match_reference.h - what match_scan should find, the slow way: every line, every needle, every
 * regex. Shared by the unit test and the fuzzer.  For blocks up to 128 KiB, where all step lines
 * are given. */
#ifndef FAULTLINE_TESTS_MATCH_REFERENCE_H
#define FAULTLINE_TESTS_MATCH_REFERENCE_H

#include "match/match.h"
#include "model/evidence.h"
#include "text/text.h"

/* A small knowledge base whose needles share bytes, hold digits, nest, and stand in step lines. */
static struct str reference_needles[][3] = {
    {STR("CUDA out of memory"), STR("HIP out of memory")},
    {STR("NCCL WARN")},
    {STR("NVRM: Xid")},
    {STR("exitcode: -9"), STR("exit code 137")},
    {STR("Watchdog caught collective")},
    {STR("elapsed time per iteration")},
    {STR("lm loss: nan")},
    {STR("dataloader"), STR("DataLoader")},
    {STR("abcd")},
    {STR("bcda")},
    {STR("abcdabcdabcd")},
    {STR("Error: 4")},
    {STR("ModuleNotFoundError")},
    {STR("saved checkpoint")},
    {STR("\xc3\xa4rger")},
    {STR("dead: ")},
    {STR(" 0x7fe")},
    {STR("x00c0 ad"), STR("c0 bad")},
    {STR("key \"zz")},
};
static const struct {
    enum role role;
    enum where in;
    struct str regex;
} reference_rows[] = {
    {ROLE_INITIATING, IN_LINE,
     STR("(CUDA|HIP) out of memory\\. Tried to allocate (\\d+(?:\\.\\d+)? [KMG]iB)")},
    {ROLE_CONTEXT, IN_LINE, STR("NCCL WARN ([^:]{1,40}) : (.*)")},
    {ROLE_INITIATING, IN_KERNEL, STR("NVRM: Xid \\([^)]{1,40}\\): (79|48|6[34]),")},
    {ROLE_WRAPPER, IN_LINE, STR("exit ?code:? (-9|137)\\b")},
    {ROLE_CASCADE, IN_LINE, STR("Watchdog caught collective.{1,60}SeqNum=(\\d+)")},
    {ROLE_PROGRESS, IN_LINE, STR("iteration +(\\d+)/ *(\\d+).{1,300}elapsed time per iteration")},
    {ROLE_INITIATING, IN_LINE, STR("lm loss: nan")},
    {ROLE_INITIATING, IN_LINE, STR("[Dd]ata[Ll]oader worker \\(pid[^)]{0,20}\\) is killed")},
    {ROLE_CONTEXT, IN_LINE, STR("abcd[^x]x")},
    {ROLE_CONTEXT, IN_FRAME, STR("bcda\\d\\d")},
    {ROLE_CONTEXT, IN_CONFIG, STR("(?:abcd){3}")},
    {ROLE_CONTEXT, IN_EXCEPTION, STR("Error: 4\\d\\b")},
    {ROLE_INITIATING, IN_EXCEPTION, STR("ModuleNotFoundError: No module named '([^']{1,200})'")},
    {ROLE_PROGRESS, IN_LINE, STR("saved checkpoint.{1,40}iteration +(\\d+)")},
    {ROLE_CONTEXT, IN_LINE, STR("\xc3\xa4rger")},
    {ROLE_CONTEXT, IN_LINE, STR("[a-c1-3](?:dead|beef): \\D{2}[^d]")},
    {ROLE_CONTEXT, IN_LINE, STR(" 0x7fe[^5-9]{1,3}\\b")},
    {ROLE_INITIATING, IN_LINE, STR("[^a]c0 b?ad+\\b")},
    {ROLE_INITIATING, IN_LINE, STR("key \"zz\\w*\" is gone")},
};
enum { REFERENCE_SIGNALS = COUNT_OF(reference_rows) + 2 };

/* The rows above, and two in words: one with a needle, one without. */
static struct kb *reference_kb(struct arena *arena) {
    static struct str words_needle[] = {STR("Hangs")};
    struct kb *kb = ARENA_NEW(arena, struct kb);
    kb->signals = ARENA_ARRAY(arena, struct signal, REFERENCE_SIGNALS);
    for (size_t i = 0; i < COUNT_OF(reference_rows); i++) {
        struct signal *s = &kb->signals[kb->n_signals++];
        *s = (struct signal){.role = reference_rows[i].role,
                             .in = reference_rows[i].in,
                             .regex = reference_rows[i].regex,
                             .needles = reference_needles[i],
                             .failure = -1};
        while (s->n_needles < 3 && reference_needles[i][s->n_needles].n) s->n_needles++;
    }
    kb->signals[kb->n_signals++] = (struct signal){.in = IN_WORDS,
                                                   .regex = STR("training (hangs|is stuck)"),
                                                   .needles = words_needle,
                                                   .n_needles = 1};
    kb->signals[kb->n_signals++] =
        (struct signal){.in = IN_WORDS, .regex = STR("loss (?:becomes|is) nan")};
    return kb;
}

/* What blocks are made of: hits, near misses, and bytes that need care. */
static const struct str reference_pieces[] = {
    STR("CUDA out of memory. Tried to allocate 2.50 GiB."),
    STR("[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 MiB"),
    STR("CUDA out of memory"),
    STR("HIP out of memory. Tried to allocate  GiB"),
    STR("node1:12:34 [0] NCCL WARN Call to connect : refused"),
    STR("NCCL WARN "),
    STR("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus"),
    STR("NVRM: Xid (PCI:0000:3b:00): 31, pid=1"),
    STR("exitcode: -9 (pid: 1)"),
    STR("exitcode: -8"),
    STR("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE"),
    STR(" iteration     1200/  500000 | consumed samples: 61440 | elapsed time per iteration (ms): "
        "1"),
    STR("elapsed time per iteration"),
    STR("lm loss: nan"),
    STR("lm loss: 2.34"),
    STR("DataLoader worker (pid 12) is killed by signal"),
    STR("abcd"),
    STR("abcdx"),
    STR("bcda12"),
    STR("abcdabcdabcd"),
    STR("Error: 42 "),
    STR("ValueError: 4"),
    STR("ModuleNotFoundError: No module named 'apex'"),
    STR("  successfully saved checkpoint from iteration    1000"),
    STR("\xc3\xa4rger"),
    STR("\xc3\xa4"),
    STR("\xff\xfe"),
    STR("Traceback (most recent call last):"),
    STR("RuntimeError"),
    STR("MyException  "),
    STR("Exception in thread Thread-1:"),
    STR("KeyboardInterrupt"),
    STR("ERROR"),
    STR("NO_ERRORS"),
    STR("fatal error: no such file"),
    STR("Killed"),
    STR("Killed1"),
    STR("\x1b[31mred\x1b[0m"),
    STR("\r"),
    STR("\r\n"),
    STR("\r\r\n"),
    STR("\b"),
    STR("\n{\"log\":\"RuntimeError: "
        "abcdx\\n\",\"stream\":\"stderr\",\"time\":\"2024-05-04T10:00:00Z\"}\n"),
    STR("key \"zz1\" is gone"),
    STR("\n{\"log\":\"key \\\"zz2\\\" is gone\\n\",\"stream\":\"stderr\"}\n"),
    STR("\n{\"log\":\"step 12\\n\",\"stream\":\"stderr\"}\n"),
    STR("CUDA out\x1b[31m of memory. Tried to allocate 2.50 GiB."),
    STR("\0"),
    STR("\t"),
    STR("\xe2\x94\x82 boxed \xe2\x95\xae"),
    STR("\xe2\x96\x88"),
    STR("\xe2\x94"),
    STR("\xe2"),
    STR("\n"),
    STR("\n"),
    STR("\n\n"),
    STR(" "),
    STR("step 12 loss 3.4 ok"),
    STR(" 0x7fe"),
    STR("0x"),
    STR("1x7f3a"),
    STR(" 0xdead: no"),
    STR("adead: "),
    STR("x00c0 ad"),
    STR("0xc0 baddd"),
    STR("abcddead: a0"),
    STR("0x00000000000000000000000000000000deadbeef"),
    STR(")"),
    STR("g"),
};

/* ---- one line ---------------------------------------------------------------------------- */

static bool reference_structural(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i], next = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 0;
        if ((c < 0x20 && c != '\t') || (c == 0xe2 && (next == 0x94 || next == 0x95))) return true;
    }
    return false;
}

static bool reference_needle(const struct signal *signal, struct str s) {
    for (int i = 0; i < signal->n_needles; i++)
        if (signal->needles[i].n >= 4 && str_has(s, signal->needles[i])) return true;
    return false;
}

static bool reference_speaks(const struct kb *kb, struct str s) {
    for (int i = 0; i < kb->n_signals; i++) {
        const struct signal *signal = &kb->signals[i];
        if (signal->in == IN_WORDS || !reference_needle(signal, s)) continue;
        if (regex_try(signal->regex, false, s, 0, NULL) != 0) return true;
    }
    return false;
}

static bool reference_re(const char *regex, struct str s) {
    return regex_try(str_of(regex), false, s, 0, NULL) > 0;
}

static bool reference_type(struct str s) {
    return reference_re("(?:[A-Za-z0-9_]Error|Exception|KeyboardInterrupt|SystemExit)"
                        "(?:[:\\r]|[ \\t\\x0b\\f\\r\\n]{0,7}\\z)",
                        s) ||
           reference_re("Exception (?:in|ignored in)", s);
}

/* ---- a block ----------------------------------------------------------------------------- */

struct reference_counts {
    size_t stretch;
    int types, words;
};

static bool reference_word(struct str s) {
    return reference_re("(?<![A-Za-z0-9_])(?:(?:ERROR|FATAL|CRITICAL|Aborted|Killed|fatal error)"
                        "(?![A-Za-z0-9_])|[eE]rror: |fatal: |Fatal )",
                        s);
}

/* Control bytes other than CR, box drawing, or a container's JSON: the mended pieces count. */
static bool reference_mended(struct str s) {
    if (str_starts(s, STR("{\"log\":\""))) return true;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i], next = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 0;
        if ((c < 0x20 && c != '\t' && c != '\r') || (c == 0xe2 && (next == 0x94 || next == 0x95)))
            return true;
    }
    return false;
}

static bool reference_offers(const struct kb *kb, struct str text, size_t start,
                             struct reference_counts *counts, struct candidate *c) {
    bool trace = false, type = false, word = false, speaks = false;
    struct buf mended = {0};
    struct str rest = text, piece;
    bool mend = reference_mended(text);
    if (mend) {
        mend_line(&mended, text);
        rest = buf_view(&mended);
    }
    while (str_split(&rest, '\n', &piece)) {
        trace |= str_has(piece, STR("(most recent call "));
        type |= reference_type(piece);
        word |= reference_word(piece);
        speaks |= reference_speaks(kb, piece);
    }
    buf_release(&mended);
    if (start >> 18 != counts->stretch) *counts = (struct reference_counts){start >> 18, 0, 0};
    c->structural = mend || reference_structural(text);
    c->trouble = trace || type || word;
    return speaks || trace || (type && counts->types++ < 512) || (word && counts->words++ < 64);
}

/* Compares the candidates of a block with the slow way; the number of the first line that differs,
 * or -1. Of lines beyond LIMIT_TEXT it checks that each needle lies in a window, unless there are
 * too many. */
static long reference_differs(const struct kb *kb, struct str block, const candidate_vec *found,
                              uint32_t lines) {
    struct reference_counts counts = {0};
    size_t at = 0, k = 0;
    uint32_t number = 0;
    while (at < block.n) {
        const char *lf = memchr(block.p + at, '\n', block.n - at);
        size_t end = lf ? (size_t)(lf - block.p) : block.n, next = lf ? end + 1 : end;
        if (end > at && block.p[end - 1] == '\r') end--;
        struct str text = {block.p + at, end - at};
        if (text.n > LIMIT_TEXT) {
            size_t first = k;
            while (k < found->n && found->v[k].line == number) k++;
            if (k - first > 66) return number;
            for (int i = 0; i < kb->n_signals && k - first < 64; i++)
                for (int j = 0; j < kb->signals[i].n_needles; j++) {
                    struct str needle = kb->signals[i].needles[j];
                    ptrdiff_t p = kb->signals[i].in == IN_WORDS ? -1 : str_find(text, needle, 0);
                    for (; p >= 0; p = str_find(text, needle, (size_t)p + 1)) {
                        bool covered = false;
                        for (size_t c = first; c < k; c++)
                            covered |=
                                found->v[c].start <= at + (size_t)p &&
                                found->v[c].start + found->v[c].length >= at + (size_t)p + needle.n;
                        if (!covered) return number;
                    }
                }
            for (size_t c = first; c < k; c++)
                if (found->v[c].length > LIMIT_TEXT || found->v[c].start < at ||
                    found->v[c].start + found->v[c].length > end)
                    return number;
            if (reference_structural(text) && k == first) return number;
        } else {
            struct candidate want = {
                .start = (uint32_t)at, .length = (uint32_t)text.n, .line = number};
            if (reference_offers(kb, text, at, &counts, &want)) {
                if (k >= found->n) return number;
                const struct candidate *got = &found->v[k++];
                if (got->start != want.start || got->length != want.length || got->line != number ||
                    got->structural != want.structural || got->trouble != want.trouble)
                    return number;
            }
        }
        at = next;
        number++;
    }
    return k == found->n && number == lines ? -1 : (long)number;
}

#endif
