#include "text/locate_tags.h"
#include "text/chars.h"

enum { TAG_MAX = 200 };

bool small_number(struct str s, int *value) {
    int64_t number;
    if (!s.n || s.n > 6 || !str_int(s, &number) || number < 0) return false;
    *value = (int)number;
    return true;
}

static int number_after(struct str tag, struct str key) {
    ptrdiff_t at = str_find(tag, key, 0);
    int value;
    return at >= 0 && small_number(str_digits(str_from(tag, (size_t)at + key.n)), &value) ? value
                                                                                          : -1;
}

/* "rank3", "Rank 3", "rank: 3", "RANK 3/8", "default3", "PE 3", "PG ID 0 ... Rank 3". */
static bool tag_rank(struct str tag, int *rank, int *world) {
    static const struct str names[] = {STR("rank"), STR("default"), STR("global_rank"),
                                       STR("worker_rank"), STR("pe ")};
    char first = to_lower(byte_at(tag, 0));
    if (!is_lower(first)) return false;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct str name = names[i];
        int value;
        if (name.p[0] != first || !str_starts_nocase(tag, name)) continue;
        struct str rest = str_from(tag, name.n);
        while (rest.n && strchr(" :=_-", rest.p[0])) rest = str_from(rest, 1);
        struct str number = str_digits(rest);
        char after = byte_at(rest, number.n);
        if (!small_number(number, rank) || (after && !strchr("/, :|", after))) continue;
        struct str of = str_digits(str_from(rest, number.n + 1));
        if (after == '/' && small_number(of, &value) && value > *rank) *world = value;
        return true;
    }
    if (!str_starts(tag, STR("PG"))) return false;
    ptrdiff_t inner = str_find(tag, STR(" Rank "), 0);
    return inner >= 0 && small_number(str_digits(str_from(tag, (size_t)inner + 6)), rank);
}

/* "core.py:1195", "launch.py:155:main", "ProcessGroupNCCL.cpp:1524". */
static bool tag_is_location(struct str tag) {
    static const struct str kinds[] = {STR(".py"),  STR(".cpp"), STR(".cc"), STR(".cu"), STR(".h"),
                                       STR(".hpp"), STR(".c"),   STR(".go"), STR(".rs")};
    if (memchr(tag.p, ' ', tag.n)) return false;
    const char *end = tag.p + tag.n;
    for (const char *p = tag.p; p < end && (p = memchr(p, ':', (size_t)(end - p))); p++) {
        struct str before = {tag.p, (size_t)(p - tag.p)};
        if (!is_digit(byte_at(tag, before.n + 1))) continue;
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            if (str_ends(before, kinds[i])) return true;
    }
    return false;
}

/* vLLM before its brackets: "ERROR 05-01 12:00:00 engine.py:366] text". */
size_t read_location(struct str line, size_t at) {
    size_t room = line.n - at < TAG_MAX ? line.n - at : TAG_MAX;
    const char *close = memchr(line.p + at, ']', room);
    if (!close) return 0;
    size_t n = (size_t)(close - line.p) - at;
    return tag_is_location(str_sub(line, at, n)) ? n + 1 : 0;
}

/* Seconds since boot: "  123.456789". */
enum { UPTIME_MAX = 1000000000 };

static bool tag_uptime(struct str tag, struct place *place) {
    struct str s = str_trim(tag);
    if (is_alpha(byte_at(s, 0))) return false;
    if (byte_at(s, 0) == '+') s = str_from(s, 1); /* dmesg -d: since the line before */
    ptrdiff_t dot = str_find(s, STR("."), 0);
    int64_t seconds, micros;
    if (dot <= 0 || s.n - (size_t)dot != 7 || !str_int(str_sub(s, 0, (size_t)dot), &seconds) ||
        !str_int(str_from(s, (size_t)dot + 1), &micros) || seconds < 0 || seconds >= UPTIME_MAX ||
        micros < 0)
        return false; /* more is a time since 1970 */
    if (place->time == TIME_UNKNOWN) {
        place->time = seconds * 1000000000 + micros * 1000;
        place->yearless = place->dateless = true;
    }
    place->kernel = true;
    return true;
}

/* SGLang: "[2024-05-01 12:00:00 DP0 TP3]"; with several replicas or stages TP is not the rank. */
static void sglang_rank(struct str rest, struct place *place) {
    struct str word;
    int rank = -1, value;
    while (str_split(&rest, ' ', &word)) {
        bool known = word.n > 2 && small_number(str_from(word, 2), &value);
        if (!known) return;
        if (str_starts(word, STR("TP")))
            rank = value;
        else if ((str_starts(word, STR("DP")) || str_starts(word, STR("PP"))) && value)
            return;
    }
    if (rank >= 0) place->rank = rank;
}

/* torchtitan: "[titan] 2024-05-01 12:00:00,123 - root - INFO - ". */
static bool tag_name(struct str tag, struct str after) {
    struct moment moment;
    for (size_t i = 0; i < tag.n; i++)
        if (!is_lower(tag.p[i])) return false;
    return byte_at(after, 0) == ' ' && moment_read(str_from(after, 1), &moment) > 0;
}

/* NeMo at its most talkative: "[NeMo I 2024-05-01 12:00:00 rank:3 train.py:12]". */
static void nemo_rank(struct str tag, struct place *place) {
    int rank = number_after(tag, STR(" rank:"));
    if (rank >= 0) place->rank = rank;
}

/* "2024-05-01 12:00:00,123", "W512 12:00:00.1 f.cpp:3", "E ProcessGroupNCCL.cpp:523", "NeMo W
 * 2024-05-01 ...". */
static bool tag_time(struct str tag, struct place *place) {
    struct moment moment;
    bool nemo = str_starts(tag, STR("NeMo ")) && byte_at(tag, 6) == ' ';
    if (nemo) tag = str_from(tag, 5);
    char letter = byte_at(tag, 0);
    bool lettered = letter && strchr("DIWEFCV", letter) != NULL;
    if (lettered && byte_at(tag, 1) == ' ') {
        struct str rest = str_from(tag, 2);
        bool known = moment_read(rest, &moment) > 0;
        if (!known && !tag_is_location(rest)) return false;
        if (known) take_moment(place, &moment);
    } else {
        size_t n = moment_read(tag, &moment);
        struct str rest = str_trim(str_from(tag, n));
        if (!n || rest.n > 100) return false;
        sglang_rank(rest, place);
        if (!place->severity)
            place->severity = severity_of_word(rest); /* "[2024-05-01 12:00:00 INFO]" */
        take_moment(place, &moment);
        /* dmesg -T: a day's name, a year, and nothing else */
        place->kernel |=
            is_upper(letter) && is_lower(byte_at(tag, 1)) && !moment.yearless && !rest.n;
        lettered = lettered && is_digit(byte_at(tag, 1));
    }
    if (nemo) nemo_rank(tag, place);
    if (lettered && !place->severity) place->severity = severity_of_letter(letter);
    return true;
}

/* nanotron: "[INFO|DP=0|PP=1|TP=3|node07]", outermost dimension first but DP and PP, the host
 * last; newer ones leave out dimensions of size one.  Sizes are not told: what lies in the
 * innermost dimension alone is the rank. */
static void nanotron_place(struct str tag, struct place *place) {
    static const char *const dimensions[] = {"EP=", "CP=", "DP=", "PP=", "TP="};
    struct str field;
    int told = 0, outer = 0, tensor = -1, value = -1;
    if (!str_has(tag, STR("P="))) return;
    while (str_split(&tag, '|', &field)) {
        size_t i = 0;
        while (i < COUNT_OF(dimensions) && !str_starts(field, str_of(dimensions[i]))) i++;
        if (i < COUNT_OF(dimensions) && small_number(str_from(field, 3), &value)) {
            if (dimensions[i][0] == 'T')
                tensor = value;
            else
                outer += value;
            told++;
        } else if (told && !tag.n) {
            place->host = field;
        }
    }
    if (told == 1)
        place->rank = value;
    else if (told && !outer)
        place->rank = tensor < 0 ? 0 : tensor;
}

static bool tag_severity(struct str tag, struct place *place) {
    size_t n = 0;
    tag = str_trim(tag);
    while (is_alpha(byte_at(tag, n))) n++;
    int severity = severity_of_word(str_sub(tag, 0, n));
    if (!severity || (n < tag.n && tag.p[n] != '|' && tag.p[n] != ':')) return false;
    if (!place->severity) place->severity = severity;
    nanotron_place(tag, place);
    return true;
}

/* "node07:12345" of Open MPI.  Without a digit in the name it could be a module. */
static bool tag_host(struct str tag, struct str after, struct place *place) {
    ptrdiff_t colon = str_find(tag, STR(":"), 0);
    if (colon <= 0) return false;
    struct str name = str_sub(tag, 0, (size_t)colon), number = str_from(tag, (size_t)colon + 1);
    bool digit = false;
    for (size_t i = 0; i < name.n; i++) {
        if (!is_word(name.p[i]) && name.p[i] != '-' && name.p[i] != '.') return false;
        digit |= is_digit(name.p[i]);
    }
    if (str_eq_nocase(name, STR("pid"))) return false;
    if (!is_alpha(name.p[0]) || !number.n || str_digits(number).n != number.n) return false;
    if (!digit && !str_starts(after, STR(" ***")) && number.n < 4) return false;
    place->host = name;
    return true;
}

/* UCX: "[node07:12345:0]   ib_md.c:329  UCX  ERROR text"; most of its lines are for debugging. */
static bool tag_ucx(struct str tag, struct str after, struct place *place) {
    ptrdiff_t colon = str_find(tag, STR(":"), 0);
    ptrdiff_t ucx = str_find(str_sub(after, 0, 64), STR(" UCX "), 0);
    if (colon <= 0 || ucx < 0 || !is_digit(byte_at(tag, tag.n - 1))) return false;
    struct str word = str_trim(str_from(after, (size_t)ucx + 5));
    size_t n = 0;
    while (is_alpha(byte_at(word, n))) n++;
    int severity = severity_of_word(str_sub(word, 0, n));
    if (!severity && !str_starts(word, STR("DIAG")) && !str_starts(word, STR("REQ"))) return false;
    place->host = str_sub(tag, 0, (size_t)colon);
    if (!place->severity) place->severity = severity ? severity : severity_of_letter('D');
    return true;
}

/* mpirun --tag-output: "[1,3]<stderr>:", SageMaker's "[1,mpirank:3,algo-1]<stderr>:", horovodrun's
 * "[3]<stderr>:"; its length after the bracket. */
static size_t mpi_stream(struct str after) {
    if (!str_starts(after, STR("<std"))) return 0;
    const char *end = memchr(after.p, '>', after.n < 10 ? after.n : 10);
    size_t n = end ? (size_t)(end - after.p) + 1 : 0;
    return n && byte_at(after, n) == ':' ? n + 1 : n;
}

static bool tag_mpi(struct str tag, struct place *place) {
    ptrdiff_t comma = str_find(tag, STR(","), 0);
    struct str number = comma > 0 ? str_from(tag, (size_t)comma + 1) : tag, host = {0};
    if (str_starts(number, STR("mpirank:"))) {
        ptrdiff_t next = str_find(number, STR(","), 0);
        if (next > 0) host = str_from(number, (size_t)next + 1);
        number = str_digits(str_from(number, 8));
    }
    int rank;
    if (!small_number(number, &rank)) return comma > 0;
    place->rank = rank;
    if (host.n) place->host = host;
    return true;
}

/* Behind a time: hydra's "[__main__]" before "[INFO]", axolotl's "[axolotl.train.train:46]" and
 * "[PID:4242]". */
static bool tag_logger(struct str tag, struct str after, const struct place *place) {
    if (place->time == TIME_UNKNOWN || !(is_alpha(byte_at(tag, 0)) || byte_at(tag, 0) == '_'))
        return false;
    size_t n = 0, dots = 0;
    for (; is_word(byte_at(tag, n)) || byte_at(tag, n) == '.'; n++) dots += tag.p[n] == '.';
    struct str number = n < tag.n && tag.p[n] == ':' ? str_from(tag, n + 1) : (struct str){0};
    if (number.n)
        return str_digits(number).n == number.n && (dots || str_eq(str_sub(tag, 0, n), STR("PID")));
    const char *close = n == tag.n && byte_at(after, 0) == '['
                            ? memchr(after.p, ']', after.n < 12 ? after.n : 12)
                            : NULL;
    return close && severity_of_word(str_sub(after, 1, (size_t)(close - after.p) - 1));
}

static bool tag_known(struct str tag, struct str after, struct place *place,
                      const struct custom *custom) {
    int rank;
    if (tag_rank(tag, &rank, &place->world) ||
        (custom && custom->numbered && small_number(tag, &rank))) {
        place->rank = rank;
        return true;
    }
    /* torchrun's own: "[trainer0|3]:" */
    ptrdiff_t bar = byte_at(after, 0) == ':' ? str_find(tag, STR("|"), 0) : -1;
    if (bar > 0 && small_number(str_from(tag, (size_t)bar + 1), &rank)) {
        place->rank = rank;
        return true;
    }
    if (mpi_stream(after) && tag_mpi(tag, place)) return true;
    if (str_starts(tag, STR("pod/"))) {
        const char *end = memchr(tag.p + 4, '/', tag.n - 4);
        place->host = str_sub(tag, 4, end ? (size_t)(end - tag.p) - 4 : tag.n);
        return true;
    }
    return tag_ucx(tag, after, place) || tag_uptime(tag, place) || tag_time(tag, place) ||
           tag_severity(tag, place) || tag_is_location(tag) || tag_logger(tag, after, place) ||
           tag_host(tag, after, place) || tag_name(tag, after);
}

size_t read_bracket(struct str line, size_t at, struct place *place, const struct custom *custom) {
    size_t room = line.n - at < TAG_MAX ? line.n - at : TAG_MAX;
    const char *close = memchr(line.p + at, ']', room);
    if (!close) return 0;
    size_t end = (size_t)(close - line.p);
    struct str tag = str_sub(line, at + 1, end - at - 1), after = str_from(line, end + 1);
    if (!tag.n || !tag_known(tag, after, place, custom)) return 0;
    size_t stream = mpi_stream(after);
    end += 1 + stream;
    /* torchrun writes "[default3]:text" */
    if (!stream && byte_at(line, end) == ':') end++;
    return end - at;
}

/* "(RayTrainWorker pid=123, ip=10.0.0.1)", "(raylet)", "(Worker_TP3 pid=9)", "(rank 3)". */
size_t read_parenthesis(struct str line, size_t at, struct place *place) {
    size_t room = line.n - at < TAG_MAX ? line.n - at : TAG_MAX;
    const char *close = memchr(line.p + at, ')', room);
    if (!close) return 0;
    size_t end = (size_t)(close - line.p);
    struct str tag = str_sub(line, at + 1, end - at - 1);
    int rank = -1;
    if (tag_rank(tag, &rank, &place->world)) {
        place->rank = rank;
        return end + 1 - at;
    }
    if (!str_has(tag, STR("pid=")) && !str_starts(tag, STR("raylet")) &&
        !str_starts(tag, STR("autoscaler")))
        return 0;
    rank = number_after(tag, STR("rank="));
    bool replicas = number_after(tag, STR("_DP")) > 0 || number_after(tag, STR("_PP")) > 0;
    if (rank < 0 && !replicas) rank = number_after(tag, STR("_TP"));
    if (rank >= 0) place->rank = rank;
    ptrdiff_t ip = str_find(tag, STR("ip="), 0);
    if (ip >= 0) {
        struct str host = str_from(tag, (size_t)ip + 3);
        size_t n = 0;
        while (byte_at(host, n) && !strchr(", )", host.p[n])) n++;
        place->host = str_sub(host, 0, n);
    }
    return end + 1 - at;
}

size_t read_names_before_time(struct str line, size_t at) {
    size_t i = at;
    for (int names = 0; names < 3; names++) {
        size_t start = i;
        while (is_word(byte_at(line, i)) || byte_at(line, i) == '.') i++;
        if (i == start || !str_starts(str_from(line, i), STR(" - "))) return 0;
        struct moment moment;
        if (moment_read(str_from(line, i + 3), &moment)) return i - at;
        i += 3;
    }
    return 0;
}

/* Composer: "rank3[4242][MainThread]: INFO: composer.utils: "; what follows the number. */
static size_t composer_thread(struct str after) {
    size_t pid = byte_at(after, 0) == '[' ? str_digits(str_from(after, 1)).n : 0;
    if (!pid || !str_starts(str_from(after, pid + 1), STR("]["))) return 0;
    size_t i = pid + 3;
    while (is_word(byte_at(after, i)) || (byte_at(after, i) && strchr("-() ", after.p[i]))) i++;
    return byte_at(after, i) == ']' && byte_at(after, i + 1) == ':' ? i + 2 : 0;
}

size_t read_rank_word(struct str line, size_t at, struct place *place) {
    struct str rest = str_from(line, at);
    if (!str_starts_nocase(rest, STR("rank"))) return 0;
    size_t i = 4;
    bool indexed = byte_at(rest, i) == '[';
    while (byte_at(rest, i) && strchr(indexed ? "[" : " :=_#", rest.p[i])) i++;
    struct str number = str_digits(str_from(rest, i));
    int rank;
    if (i > 6 || !small_number(number, &rank)) return 0;
    size_t thread = composer_thread(str_from(rest, i + number.n));
    if (thread) {
        if (place->rank < 0) place->rank = rank;
        return i + number.n + thread;
    }
    struct str after = str_from(rest, i + number.n);
    if (indexed) {
        if (byte_at(after, 0) != ']' || byte_at(after, 1) != ':') return 0;
        after = str_from(after, 1);
        i++;
    }
    bool colon = byte_at(after, 0) == ':' && (after.n == 1 || is_blank(after.p[1]));
    bool other =
        str_starts(after, STR(" | ")) || str_starts(after, STR(" - ")) || byte_at(after, 0) == ',';
    if (!colon && !other) return 0;
    if (place->rank < 0) place->rank = rank;
    /* "rank:5, the rest": a sentence, not a prefix */
    return byte_at(after, 0) == ',' ? 0 : i + number.n + colon;
}
