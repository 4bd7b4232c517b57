/* Notes about an environment, written by hand.  Generous in a notes line, strict in prose. */
#include "facts/gpu_model.h"
#include "facts/lines.h"
#include "facts/pick.h"
#include "text/chars.h"

/* ---- versions ------------------------------------------------------------------------- */

static bool skip_text(struct str s, size_t *at, const char *text) {
    struct str rest = str_sub(s, *at, s.n), word = str_of(text);
    if (word.n > rest.n || !str_eq_nocase(str_sub(rest, 0, word.n), word)) return false;
    *at += word.n;
    return true;
}

/* What may stand between a name and its version: "version:", " = ", "(", "`", "版本：", "(GPU?):".
 */
static size_t skip_filler(struct str s, size_t at) {
    static const char *const fillers[] = {" ",
                                          "\t",
                                          ":",
                                          "=",
                                          "`",
                                          "'",
                                          "\"",
                                          "(",
                                          "*",
                                          "-",
                                          "~",
                                          "@",
                                          "\xEF\xBC\x9A",             /* ： */
                                          "\xE7\x89\x88\xE6\x9C\xAC", /* 版本 */
                                          "\xE5\x8F\xB7",             /* 号 */
                                          "\xE4\xB8\xBA",             /* 为 */
                                          "\xE6\x98\xAF",             /* 是 */
                                          "(GPU?)",
                                          "versions",
                                          "version",
                                          "ver.",
                                          ".__version__",
                                          "_version",
                                          "toolkit",
                                          "release",
                                          "is ",
                                          "GPU?)",
                                          "v",
                                          "V",
                                          "\xE2\x89\x88",
                                          "|"};
    for (size_t steps = 0; at < s.n && steps < 24; steps++) {
        bool moved = false;
        for (size_t i = 0; i < COUNT_OF(fillers) && !moved; i++)
            moved = skip_text(s, &at, fillers[i]);
        if (!moved) return at;
    }
    return at;
}

static bool has_dot(struct str version) {
    return version.n > 2 && memchr(version.p, '.', version.n - 1);
}

/* "39" and "310" behind "py"/"python" are 3.9 and 3.10; "3" alone says nothing. */
static void note_python(struct reading *reading, struct str version) {
    int number;
    if (has_dot(version))
        note(reading, STR("python.version"), version);
    else if (pick_int(version, &number) && version.n == pick_number(version).n && number >= 35 &&
             (number < 40 || (number >= 310 && number < 320)))
        note(reading, STR("python.version"),
             note_key(reading, "3.%d", number < 40 ? number - 30 : number - 300));
}

/* Which CUDA a user means is his secret: the toolkit, the driver's, or torch's.  cuda.system keeps
 * it. */
static void note_cuda(struct reading *reading, struct str version) {
    if (!has_dot(version) && pick_number(version).n != version.n) return;
    package_note_cuda(reading, STR("cuda.system"), version);
}

/* A version without a dot counts for these only. */
static bool whole_number_counts(struct str key) {
    static const char *const keys[] = {"gcc", "clang", "glibc", "driver", "rocm"};
    return STR_AMONG(key, keys);
}

static void note_version(struct reading *reading, const struct package_alias *alias,
                         struct str version) {
    struct str key = str_of(alias->key);
    if (str_eq(key, STR("python")))
        note_python(reading, version);
    else if (str_eq(key, STR("cuda")))
        note_cuda(reading, version);
    else if (has_dot(version) || whole_number_counts(key))
        package_note(reading, key, version);
}

/* Scans a line for known names with a version behind them; returns how many. */
static int scan_versions(struct reading *reading, struct str line) {
    int found = 0;
    for (size_t at = 0; at < line.n; at++) {
        if (!is_alpha(line.p[at])) continue;
        if (at > 0 && (is_word(line.p[at - 1]) || strchr("/.\\", line.p[at - 1]))) continue;
        const struct package_alias *alias = package_alias_at(str_sub(line, at, line.n));
        if (!alias) continue;
        size_t end = at + strlen(alias->written);
        size_t from = skip_filler(line, end);
        /* "torchrun", "cudart", "python3 train.py": another word, not a version */
        bool glued = from == end && end < line.n && is_alpha(line.p[end]);
        /* "python-3.10-slim" is fine, "torch - 2 GPUs" is not a version either way (no dot) */
        struct str version = glued ? (struct str){0} : pick_version(str_sub(line, from, line.n));
        if (!version.n) continue;
        note_version(reading, alias, version);
        found++;
        at = from + version.n - 1;
    }
    return found;
}

/* ---- GPUs ----------------------------------------------------------------------------- */

static bool is_times(struct str s, size_t at, size_t *n) {
    static const char *const signs[] = {"x", "X", "*", "\xC3\x97"};
    for (size_t i = 0; i < COUNT_OF(signs); i++)
        if (str_starts(str_sub(s, at, s.n), str_of(signs[i]))) return *n = strlen(signs[i]), true;
    return false;
}

/* Brands and blanks between a count and a model are stepped over backwards. */
static size_t skip_brand_back(struct str s, size_t at) {
    static const char *const brands[] = {"nvidia", "tesla", "geforce", "quadro", "amd", "instinct",
                                         "rtx",    "gtx",   "gpus",    "gpu",    "of"};
    for (bool moved = true; moved;) {
        moved = false;
        while (at > 0 && (s.p[at - 1] == ' ' || s.p[at - 1] == '-' || s.p[at - 1] == '(')) at--;
        for (size_t i = 0; i < COUNT_OF(brands); i++) {
            size_t n = strlen(brands[i]);
            if (at >= n && str_eq_nocase(str_sub(s, at - n, n), str_of(brands[i])) &&
                (at == n || !is_alpha(s.p[at - n - 1]))) {
                at -= n;
                moved = true;
            }
        }
    }
    return at;
}

/* The count in front of a model: "8x A100", "4 * V100", "8 NVIDIA A100", "x8 V100". */
static int count_before(struct str s, size_t at) {
    at = skip_brand_back(s, at);
    if (at > 0 && (strchr("xX*", s.p[at - 1])))
        at--;
    else if (at > 1 && str_eq(str_sub(s, at - 2, 2), STR("\xC3\x97")))
        at -= 2;
    while (at > 0 && s.p[at - 1] == ' ') at--;
    size_t end = at;
    while (at > 0 && is_digit(s.p[at - 1])) at--;
    int count;
    bool bounded =
        at == 0 || (!is_alpha(s.p[at - 1]) && s.p[at - 1] != '.') || strchr("xX", s.p[at - 1]);
    return end > at && end - at <= 3 && bounded && pick_int(str_sub(s, at, end - at), &count)
               ? count
               : 0;
}

/* The count behind it: "A100-SXM4-80GB x1", "V100 * 8", "RTX 3090 (x2)". */
static int count_behind(struct str s, size_t at) {
    size_t n;
    for (size_t limit = at + 24; at < s.n && at < limit; at++) {
        if (strchr(",;.", s.p[at])) return 0;
        if (!is_times(s, at, &n) || (at > 0 && is_alpha(s.p[at - 1]))) continue;
        struct str rest = str_trim(str_sub(s, at + n, s.n));
        int count;
        if (pick_int(rest, &count) && count > 0 && count <= 128) return count;
    }
    return 0;
}

/* Its name as written, with brand before and form behind: "NVIDIA A100-SXM4-80GB". */
static struct str whole_name(struct str s, size_t at, size_t n) {
    size_t start = at;
    static const char *const brands[] = {"NVIDIA ", "Tesla ", "GeForce ",
                                         "Quadro ", "AMD ",   "Instinct "};
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < COUNT_OF(brands); i++) {
            size_t length = strlen(brands[i]);
            if (start >= length &&
                str_eq_nocase(str_sub(s, start - length, length), str_of(brands[i])))
                start -= length, moved = true;
        }
    }
    size_t end = at + n;
    while (end < s.n && (is_alnum(s.p[end]) || s.p[end] == '-')) end++;
    struct str behind = str_sub(s, end, s.n); /* " 80GB", " Ti" */
    struct str word = pick_word(behind, NULL);
    struct str number = pick_number(word);
    bool memory = number.n && number.n < word.n && to_lower(word.p[number.n]) == 'g' && behind.n &&
                  behind.p[0] == ' ';
    if (memory || (str_starts(behind, STR(" Ti")) || str_starts(behind, STR(" SUPER")) ||
                   str_starts(behind, STR(" PCIe")))) {
        size_t length = memory ? number.n : 0;
        while (length < word.n && is_alpha(word.p[length])) length++;
        end = (size_t)(word.p - s.p) + length;
    }
    return str_sub(s, start, end - start);
}

static bool speaks_of_gpus(struct str line) {
    static const char *const words[] = {"gpu",     "gpus", "tesla", "nvidia",
                                        "geforce", "rtx",  "cards", "card"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (pick_find_word(line, str_of(words[i]), 0) >= 0) return true;
    return str_has(line, STR("\xE5\x8D\xA1")) ||
           str_has(line, STR("\xE6\x98\xBE\xE5\x8D\xA1")); /* 卡 显卡 */
}

/* "2 GPUs", "8 cards", "16卡", "GPU count: 8" */
static int bare_gpu_count(struct str line) {
    static const char *const units[] = {" GPUs",        " GPU",        "GPUs",   " gpus",
                                        " gpu",         "gpus",        " cards", "\xE5\x8D\xA1",
                                        "\xE5\xBC\xA0", " NVIDIA GPUs"};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        ptrdiff_t at = str_find(line, str_of(units[i]), 0);
        if (at <= 0) continue;
        size_t start = (size_t)at;
        while (start > 0 && is_digit(line.p[start - 1])) start--;
        int count;
        if (start < (size_t)at && (start == 0 || !strchr(".:,", line.p[start - 1])) &&
            (size_t)at - start <= 4 && pick_int(str_sub(line, start, line.n), &count) && count > 0)
            return count;
    }
    struct str rest;
    int count;
    if ((pick_after_nocase(line, STR("GPU count"), &rest) ||
         pick_after_nocase(line, STR("number of GPUs"), &rest) ||
         pick_after_nocase(line, STR("num gpus"), &rest)) &&
        rest.n && strchr(":=", rest.p[0]) && pick_int(str_trim(str_sub(rest, 1, rest.n)), &count))
        return count;
    return 0;
}

/* "2 nodes", "two machines", "2节点" */
static int node_count(struct str line) {
    static const char *const units[] = {"nodes", "machines", "servers", "\xE8\x8A\x82\xE7\x82\xB9",
                                        "\xE6\x9C\xBA"};
    static const char *const numbers[] = {"one",  "two", "three", "four",
                                          "five", "six", "seven", "eight"};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        ptrdiff_t at = str_find(line, str_of(units[i]), 0);
        if (at <= 0) continue;
        struct str word = pick_last(str_sub(line, 0, (size_t)at));
        size_t digits = word.n;
        while (digits > 0 && is_digit(word.p[digits - 1])) digits--;
        int count;
        if (pick_int(str_sub(word, digits, word.n), &count) && count > 0 && count < 100000)
            return count;
        for (int n = 0; n < (int)COUNT_OF(numbers); n++)
            if (str_eq_nocase(word, str_of(numbers[n]))) return n + 1;
    }
    return 0;
}

static int scan_gpus(struct reading *reading, struct str line) {
    size_t at = 0, n = 0;
    const struct gpu_model *model = gpu_model_find(line, &at, &n);
    int count = 0;
    if (model) {
        count = count_before(line, at);
        if (!count) count = count_behind(line, at + n);
        if (model->short_name && !count && !speaks_of_gpus(line)) return 0;
        gpu_model_note(reading, whole_name(line, at, n));
    }
    if (!count) count = bare_gpu_count(line);
    if (count > 0 && count <= 100000) note_int(reading, STR("gpu.count"), count);
    return model || count;
}

/* ---- lines ---------------------------------------------------------------------------- */

static struct str without_bullet(struct str line) {
    line = str_trim(line);
    while (line.n && strchr("-*+>#|`$ \t", line.p[0])) line = str_sub(line, 1, line.n);
    return line;
}

/* "OS: Linux", "system: Ubuntu": words that are ordinary ones elsewhere. */
static bool scan_os(struct reading *reading, struct str line) {
    struct str name, value;
    bool labelled = pick_pair(line, ':', &name, &value) &&
                    (str_eq_nocase(name, STR("OS")) || str_eq_nocase(name, STR("System")));
    if (labelled) {
        os_note(reading, value);
        return true;
    }
    static const char *const sure[] = {"Ubuntu", "CentOS", "Debian", "Windows", "WSL2",
                                       "WSL",    "macOS",  "RHEL",   "Red Hat", "Rocky Linux"};
    if (str_starts(line, STR("OS ")) || str_starts(line, STR("Linux"))) {
        os_note(reading, line);
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(sure); i++) {
        bool windows = str_eq(str_of(sure[i]), STR("Windows")); /* sliding windows are no system */
        if (windows ? !str_has(line, STR("Windows")) : pick_find_word(line, str_of(sure[i]), 0) < 0)
            continue;
        os_note(reading, line);
        return true;
    }
    if (str_find_nocase(line, STR("ubuntu"), 0) == 0) {
        os_note(reading, line);
        return true;
    }
    return false;
}

static void scan_container(struct reading *reading, struct str line) {
    if (pick_find_word(line, STR("docker"), 0) >= 0)
        note(reading, STR("container"), STR("docker"));
    else if (pick_find_word(line, STR("singularity"), 0) >= 0 ||
             pick_find_word(line, STR("apptainer"), 0) >= 0)
        note(reading, STR("container"), STR("singularity"));
    struct str rest;
    if (pick_after(line, STR("gfx"), &rest)) {
        size_t n = 0;
        while (n < rest.n && is_alnum(rest.p[n])) n++;
        if (n >= 3 && n <= 4 && is_digit(rest.p[0])) {
            note(reading, STR("gpu.vendor"), STR("amd"));
            note(reading, STR("gpu.arch"),
                 note_key(reading, "gfx" STR_FMT, STR_ARG(str_sub(rest, 0, n))));
        }
    }
}

bool line_note(struct reading *reading, struct str line) {
    line = without_bullet(line);
    if (!line.n || line.n > 500) return false;
    int found = scan_versions(reading, line);
    found += scan_gpus(reading, line);
    found += scan_os(reading, line);
    scan_container(reading, line);
    int nodes = node_count(line);
    if (nodes) note_int(reading, STR("nodes.count"), nodes);
    if (pick_find_word(line, STR("AMD GPU"), 0) >= 0) note(reading, STR("gpu.vendor"), STR("amd"));
    python_note_path(reading, line);
    return found + nodes > 0;
}

/* Sentences name other versions than one's own: what is needed, what would work, what was tried. */
static bool speaks_of_others(struct str line) {
    static const char *const words[] = {
        "require", "need",       "at least",  "should",      "instead of", "upgrad",     "downgrad",
        "support", "works with", "work with", "worked with", "works fine", "compatible", "fixed in",
        "Error",   "Exception",  "mismatch",  "not match",   "expect"};
    return STR_HAS_ANY(line, words);
}

bool line_prose(struct reading *reading, struct str line) {
    if (line.n > 2000 || speaks_of_others(line)) return false;
    int found = scan_versions(reading, line);
    size_t at, n;
    const struct gpu_model *model = gpu_model_find(line, &at, &n);
    if (model && (!model->short_name || count_before(line, at))) found += scan_gpus(reading, line);
    static const char *const sure[] = {"Ubuntu",     "CentOS", "Windows 10",
                                       "Windows 11", "WSL2",   "WSL"};
    for (size_t i = 0; i < COUNT_OF(sure); i++)
        if (pick_find_word(line, str_of(sure[i]), 0) >= 0) {
            os_note(reading, line);
            found++;
            break;
        }
    return found > 0;
}
