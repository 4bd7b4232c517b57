#include "input/tell.h"

#include <unistd.h>

#include "base/utf8.h"
#include "facts/facts.h"
#include "input/input.h"
#include "text/chars.h"
#include "text/text.h"

enum {
    LEARN_BYTES = 64 * 1024,
    LEARN_PLACE = 16 * 1024, /* of the middle and the end of a file */
    LEVELED_MANY = 20,
    CENSUS_LINES = 1000, /* that tell a format from a log around it; */
    CENSUS_FEW = 64      /* where no format is known they only tell kernel logs */
};

/* ---- what is not text --------------------------------------------------------------- */

static bool has_magic(struct str head) {
    static const struct str magics[] = {
        STR("\177ELF"),
        STR("\x89PNG"),
        STR("\xFF\xD8\xFF"),
        STR("GIF8"),
        STR("%PDF"),
        STR("PAR1"),
        STR("\x93NUMPY"),
        STR("\x89HDF"),
        STR("ARROW1"),
        STR("SQLite format 3"),
        STR("PK\x03\x04"),
        STR("\x1F\x8B"),
        STR("BZh"),
        STR("\xFD\x37zXZ"),
        STR("\x28\xB5\x2F\xFD"),
        STR("RIFF"),
        STR("OggS"),
        STR("\xCA\xFE\xBA\xBE"),
        STR("GGUF"),
        STR("!<arch>"),
        STR("Obj\x01"),
        STR("\x00\x61\x73\x6D"),
        STR("BEAM"),
    };
    for (size_t i = 0; i < COUNT_OF(magics); i++)
        if (str_starts(head, magics[i])) return true;
    return false;
}

/* Pickle protocols 2 to 5, and the header of a safetensors file: eight bytes of length, then JSON.
 */
static bool is_tensors(struct str head) {
    bool pickle =
        head.n > 2 && (unsigned char)head.p[0] == 0x80 && head.p[1] >= 2 && head.p[1] <= 5;
    bool safe =
        head.n > 10 && head.p[8] == '{' && head.p[7] == 0 && head.p[6] == 0 && head.p[5] == 0;
    return pickle || safe;
}

enum { NUL_HOLE = 1024, NUL_TEXT = 32 };

static size_t nuls_in_a_row(struct str s) {
    size_t most = 0, row = 0;
    for (size_t i = 0; i < s.n; i++) {
        row = s.p[i] ? 0 : row + 1;
        if (row > most) most = row;
    }
    return most;
}

struct bytes_census {
    size_t controls, nuls, wrong; /* wrong: no UTF-8 */
};

/* Of control bytes, those that stand in text. */
static bool is_usual(unsigned char c) {
    return (c >= '\a' && c <= '\r') || c == '\033';
}

static size_t byte_count(struct bytes_census *census, struct str s, size_t i) {
    unsigned char c = (unsigned char)s.p[i];
    uint32_t code;
    census->nuls += c == 0;
    census->controls += c < 0x20 && c && !is_usual(c);
    int length = c < 0x80 ? 1 : utf8_step(s.p + i, s.n - i, &code);
    census->wrong += length == 0;
    return length ? (size_t)length : 1;
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* n bytes, a multiple of sixteen, of which none is a control byte but for line ends and tabs, or
 * beyond ASCII. */
static inline bool is_plain(const char *p, size_t n) {
    bytes16 v, odd = {0};
    uint64_t half[2];
    for (size_t i = 0; i < n; i += sizeof v) {
        memcpy(&v, p + i, sizeof v);
        bytes16 usual = (bytes16)(v == '\n') | (bytes16)(v == '\r') | (bytes16)(v == '\t');
        odd |= ((bytes16)(v < 0x20) & ~usual) | (bytes16)(v >= 0x80);
    }
    memcpy(half, &odd, sizeof half);
    return !(half[0] | half[1]);
}

/* Sixty-four bytes of ASCII in lines: the same, more is asked of the others. */
static inline bool is_ascii(const char *p) {
    bytes16 v, odd = {0};
    uint64_t half[2];
    for (size_t i = 0; i < 64; i += sizeof v) {
        memcpy(&v, p + i, sizeof v);
        odd |= (bytes16)((bytes16)(v - 0x20) >= 0x60) & (bytes16)(v != '\n');
    }
    memcpy(half, &odd, sizeof half);
    return !(half[0] | half[1]);
}

static struct bytes_census count_bytes(struct str s) {
    struct bytes_census census = {0};
    for (size_t i = 0; i < s.n;) {
        while (s.n - i >= 64 && (is_ascii(s.p + i) || is_plain(s.p + i, 64))) i += 64;
        size_t end = i + 16;
        if (end <= s.n && is_plain(s.p + i, 16)) i = end;
        while (i < s.n && i < end) i += byte_count(&census, s, i);
    }
    return census;
}

/* A log that was emptied while its writer held it open begins with as many NULs as it had bytes. */
static struct str behind_hole(struct str head) {
    size_t n = 0;
    while (n < head.n && !head.p[n]) n++;
    return n > NUL_HOLE && head.n - n > NUL_TEXT ? str_from(head, n) : head;
}

/* Text holds few control bytes; NULs alone are common in logs whose file system lost a block. */
static bool is_binary(struct str head) {
    struct str looked = str_sub(behind_hole(head), 0, 8192);
    struct bytes_census census = count_bytes(looked);
    size_t nuls = census.nuls;
    if (census.controls * 50 > looked.n) return true;
    bool hole = !census.controls && !census.wrong && nuls * 2 > looked.n &&
                nuls_in_a_row(looked) > NUL_HOLE && looked.n - nuls > NUL_TEXT;
    return (nuls * 2 > looked.n && !hole) ||
           (nuls * 10 > looked.n && (census.controls || census.wrong * 20 > looked.n));
}

/* ---- names -------------------------------------------------------------------------- */

static bool ends_in(struct str name, const char *const *ends, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_ends_nocase(str_from(name, 1), str_of(ends[i]))) return true; /* ".c" has none */
    return false;
}

/* Sources of languages that nobody writes a job's launch or settings in: their comments quote what
 * others print. */
static bool name_is_source(struct str name) {
    static const char *const ends[] = {".c",   ".cc",   ".cpp", ".cxx", ".cu",  ".cuh", ".h",
                                       ".hpp", ".js",   ".ts",  ".css", ".rs",  ".go",  ".java",
                                       ".tex", ".html", ".rst", ".pm",  ".tcc", ".inc", ".f90"};
    return ends_in(name, ends, COUNT_OF(ends));
}

/* Program sources, data and pictures, told by name where content is text as well. */
static bool name_is_foreign(struct str name) {
    static const char *const ends[] = {
        ".py",          ".pyc",   ".pyo", ".c",     ".cc",    ".cpp",   ".cu",
        ".cuh",         ".h",     ".hpp", ".js",    ".ts",    ".ipynb", ".css",
        ".html",        ".svg",   ".rs",  ".go",    ".java",  ".jsonl", ".parquet",
        ".arrow",       ".csv",   ".tsv", ".pt",    ".pth",   ".bin",   ".ckpt",
        ".safetensors", ".npy",   ".npz", ".model", ".vocab", ".bpe",   ".lock",
        ".diff",        ".patch", ".tex", ".rst",   ".proto", ".idx",   ".whl"};
    static const char *const names[] = {"README",
                                        "LICENSE",
                                        "CHANGELOG",
                                        "CONTRIBUTING",
                                        "NOTICE",
                                        "vocab.txt",
                                        "merges.txt",
                                        "tokenizer.json",
                                        "tokenizer_config.json",
                                        ".gitignore",
                                        "special_tokens_map.json",
                                        "CODEOWNERS",
                                        "Makefile",
                                        "CMakeLists.txt"};
    if (ends_in(name, ends, COUNT_OF(ends)) || str_has(name, STR("tfevents"))) return true;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct str start = str_of(names[i]);
        bool whole = name.n == start.n || byte_at(name, start.n) == '.';
        if (str_starts(name, start) && whole) return true;
    }
    return false;
}

static bool is_script(struct str head, struct str name) {
    static const char *const ends[] = {".sh",  ".sbatch", ".slurm", ".bash", ".zsh",
                                       ".pbs", ".lsf",    ".bat",   ".ps1"};
    if (ends_in(name, ends, COUNT_OF(ends))) return true;
    struct str rest = str_trim(head), line = {0};
    bool comment = str_starts(rest, STR("#")); /* else a log or a complaint that quotes a script */
    bool slurm =
        str_has(str_sub(rest, 0, 4096), STR("\n#SBATCH ")) || str_starts(rest, STR("#SBATCH "));
    str_line(&rest, &line);
    if (str_starts(line, STR("#!")))
        return str_has(line, STR("sh")) || str_has(line, STR("python"));
    return comment && slurm;
}

static bool is_config(struct str head, struct str name) {
    static const char *const ends[] = {".json", ".yaml", ".yml",  ".toml",
                                       ".ini",  ".cfg",  ".conf", ".json5"};
    if (!ends_in(name, ends, COUNT_OF(ends))) return false;
    struct str trimmed = str_trim(head);
    /* a log of JSON lines keeps being a log */
    ptrdiff_t second = str_find(trimmed, STR("}\n{"), 0);
    return !(str_starts(trimmed, STR("{")) && second > 0 && second < 4000);
}

/* ---- logs --------------------------------------------------------------------------- */

struct census {
    int lines, kernel;
    bool traces; /* a traceback stands in it */
    int leveled; /* that name a severity or a rank: a time alone stands in tables, too */
};

static struct census count_lines(struct str head, const struct custom *custom, int most) {
    struct census census = {0};
    struct str line;
    census.traces = str_has(head, STR("Traceback (most recent call last)"));
    while (census.lines < most && str_line(&head, &line)) {
        if (!str_trim(line).n) continue;
        census.lines++;
        struct place place = locate_line(str_sub(line, 0, 400), custom);
        census.kernel += place.kernel;
        census.leveled += place.body > 0 && (place.severity || place.rank >= 0);
    }
    return census;
}

/* A program's output that begins with nvidia-smi or pip list is a log all the same. */
static bool log_around(const struct census *census) {
    return census->traces || census->leveled >= LEVELED_MANY ||
           census->leveled * 10 >= census->lines * 3;
}

/* Somebody's words with some lines of the script between them. */
static bool tells_of_script(struct str head, struct str name, const struct custom *custom) {
    struct str rest = str_trim(head), line = {0};
    str_line(&rest, &line);
    if (byte_at(line, 0) == '#' || is_script(line, name) || name_is_foreign(name)) return false;
    struct words_census words = words_count(head, custom);
    return words.prose >= 2 && words.prose * 3 >= words.lines && words_are_of_field(head, name);
}

bool tell_text(struct str head) {
    return !has_magic(head) && !is_tensors(head) && !is_binary(head);
}

void tell_custom(struct custom *custom, int fd, uint64_t size, struct str head) {
    char room[LEARN_PLACE];
    uint64_t places[2] = {size / 2, size > LEARN_PLACE ? size - LEARN_PLACE : 0};
    for (int i = 0; i < 2; i++) {
        struct str sample = str_sub(head, (size_t)places[i], LEARN_PLACE);
        if (head.n < size) {
            ssize_t n = pread(fd, room, sizeof room, (off_t)places[i]);
            sample = (struct str){room, n > 0 ? (size_t)n : 0};
        }
        const char *line = sample.n ? memchr(sample.p, '\n', sample.n) : NULL;
        if (line) locate_learn(custom, str_from(sample, (size_t)(line - sample.p) + 1));
    }
}

enum kind tell_kind(struct str head, struct str path, const struct fact_reader **reader,
                    struct custom *custom) {
    struct str name = str_file_name(path);
    *reader = NULL;
    *custom = (struct custom){0};
    if (!head.n) return KIND_EMPTY;
    if (has_magic(head) || name_is_source(name)) return KIND_OTHER;
    *reader = facts_recognize(head, path);
    if (*reader && (*reader)->whole) return (*reader)->kind;
    if (is_tensors(head) || is_binary(head)) return *reader = NULL, KIND_OTHER;
    locate_learn(custom, str_sub(head, 0, LEARN_BYTES));
    struct census census = count_lines(head, custom, *reader ? CENSUS_LINES : CENSUS_FEW);
    if (*reader) {
        bool own_prefix = (*reader)->kind == KIND_KERNEL || (*reader)->kind == KIND_STACKS ||
                          (*reader)->kind == KIND_SCHEDULER || (*reader)->kind == KIND_WORDS;
        bool whole = (*reader)->kind == KIND_CONFIG || (*reader)->kind == KIND_SCRIPT;
        if (own_prefix || (whole && !census.traces) || !log_around(&census)) return (*reader)->kind;
        return KIND_LOG;
    }
    if (name_is_foreign(name)) return KIND_OTHER;
    if (census.kernel * 2 > census.lines) return KIND_KERNEL;
    if (!census.traces && is_script(head, name))
        return tells_of_script(head, name, custom) ? KIND_WORDS : KIND_SCRIPT;
    if (!census.traces && is_config(head, name)) return KIND_CONFIG;
    int rank;
    struct str host;
    locate_path(path, &rank, &host);
    if (rank >= 0) return KIND_LOG; /* a rank writes no prose, however little it says */
    struct words_census words = words_count(head, custom);
    return words_are_prose(&words, name) && words_are_of_field(head, name) ? KIND_WORDS : KIND_LOG;
}
