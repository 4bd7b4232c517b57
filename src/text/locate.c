/* A line's prefix is a chain of tokens - a task number, a tag in brackets, a time, a severity, a
 * source location - in an order that each launcher and logger chooses anew.  So there is one reader
 * a token, tried in turn until none fits; what is left is the body. */
#include "text/chars.h"
#include "text/locate_tags.h"
#include "text/text.h"

enum { TOKENS_MAX = 10, CONTAINER_HEX = 8, TAGS_MAX = 3, TAG_BYTES = 40 };

int severity_of_word(struct str word) {
    static const struct {
        const char *word;
        int severity;
    } words[] = {
        {"INFO", SEVERITY_INFO},       {"DEBUG", SEVERITY_INFO},      {"NOTICE", SEVERITY_INFO},
        {"TRACE", SEVERITY_INFO},      {"WARNING", SEVERITY_WARNING}, {"WARN", SEVERITY_WARNING},
        {"ERROR", SEVERITY_ERROR},     {"ERR", SEVERITY_ERROR},       {"CRITICAL", SEVERITY_FATAL},
        {"FATAL", SEVERITY_FATAL},     {"SEVERE", SEVERITY_ERROR},    {"SUCCESS", SEVERITY_INFO},
        {"EXCEPTION", SEVERITY_ERROR},
    };
    char first = to_lower(byte_at(word, 0));
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (to_lower(words[i].word[0]) == first && str_eq_nocase(word, str_of(words[i].word)))
            return words[i].severity;
    return 0;
}

int severity_of_letter(char letter) {
    return letter == 'W'                    ? SEVERITY_WARNING
           : letter == 'E'                  ? SEVERITY_ERROR
           : letter == 'F' || letter == 'C' ? SEVERITY_FATAL
                                            : SEVERITY_INFO;
}

void take_moment(struct place *place, const struct moment *moment) {
    if (place->time != TIME_UNKNOWN && (moment->yearless || !place->yearless)) return;
    place->time = moment->time;
    place->zoned = moment->zoned;
    place->yearless = moment->yearless;
    place->dateless = moment->dateless;
}

size_t name_end(struct str line, size_t at) {
    size_t i = at;
    while (is_word(byte_at(line, i)) || byte_at(line, i) == '-' || byte_at(line, i) == '.') i++;
    return i;
}

static size_t word_length(struct str s, size_t at) {
    size_t i = at;
    while (is_alpha(byte_at(s, i))) i++;
    return i - at;
}

/* " 4242" before the bracket of a place: "ERROR 4242 [engine.py:64] ". */
static size_t process_id(struct str line, size_t at) {
    size_t i = at + 1;
    while (is_digit(byte_at(line, i))) i++;
    bool number = byte_at(line, at) == ' ' && i > at + 1;
    return number && byte_at(line, i) == ' ' && byte_at(line, i + 1) == '[' ? i - at : 0;
}

/* INFO, WARNING:, ERROR:root:, padded and followed by a separator. */
static size_t read_severity(struct str line, size_t at, struct place *place) {
    size_t n = word_length(line, at);
    if (n < 3 || n > 9 || !is_upper(line.p[at + 1])) return 0;
    int severity = severity_of_word(str_sub(line, at, n));
    char next = byte_at(line, at + n);
    if (!severity || (next && !strchr(" :\t|-]", next))) return 0;
    if (!place->severity) place->severity = severity;
    size_t end = at + n;
    if (next == ':') {
        end++;
        size_t name = end; /* LEVEL:logger:message */
        while (is_word(byte_at(line, name)) || byte_at(line, name) == '.') name++;
        struct str ignored;
        bool logger = name > end && byte_at(line, name) == ':' && byte_at(line, name + 1) != '/' &&
                      !exception_read(str_from(line, end), true, &ignored);
        if (logger) end = name + 1;
    }
    return end + process_id(line, end) - at;
}

/* What follows the letter and time of glog: "12345 file.cc:12] ". */
static size_t glog_rest(struct str line, size_t at) {
    for (size_t i = at; i < line.n && i - at < 160; i++) {
        if (line.p[i] == ']') return i > at && is_digit(line.p[i - 1]) ? i + 1 - at : 0;
        if (!is_word(line.p[i]) && !strchr(" ./:-<>", line.p[i])) return 0;
    }
    return 0;
}

static size_t stream_tag(struct str line, size_t at) {
    bool stream = str_starts(str_from(line, at), STR(" stdout ")) ||
                  str_starts(str_from(line, at), STR(" stderr "));
    bool flag = byte_at(line, at + 8) == 'F' || byte_at(line, at + 8) == 'P';
    return stream && flag && byte_at(line, at + 9) == ' ' ? 9 : 0;
}

/* "host process[pid]: " after the time of syslog; "host kernel: ". */
static size_t syslog_rest(struct str line, size_t at, struct place *place, bool yearless) {
    size_t host = at + 1, i = name_end(line, host);
    if (byte_at(line, at) != ' ' || i == host || byte_at(line, i) != ' ') return 0;
    size_t process = i + 1, j = process;
    while (is_word(byte_at(line, j)) || (byte_at(line, j) && strchr("-./()", byte_at(line, j))))
        j++;
    struct str name = str_sub(line, process, j - process);
    bool pid = byte_at(line, j) == '[';
    while (pid && byte_at(line, j) && byte_at(line, j) != ']') j++;
    if (pid) j++;
    bool kernel = str_eq(name, STR("kernel"));
    if (!name.n || byte_at(line, j) != ':' || !(pid || kernel || yearless)) return 0;
    place->host = str_sub(line, host, i - host);
    place->kernel |= kernel;
    return j + 1 - at;
}

static size_t read_time(struct str line, size_t at, struct place *place) {
    struct moment moment;
    struct str rest = str_from(line, at);
    size_t n = moment_read(rest, &moment);
    if (!n) return 0;
    take_moment(place, &moment);
    char first = rest.p[0];
    if (is_upper(first) && is_digit(byte_at(rest, 1))) {
        if (!place->severity) place->severity = severity_of_letter(first);
        return n + glog_rest(line, at + n);
    }
    bool named = is_upper(first), iso = byte_at(rest, 10) == 'T';
    if ((named && moment.yearless) || iso) n += syslog_rest(line, at + n, place, moment.yearless);
    n += stream_tag(line, at + n);
    bool colon = byte_at(line, at + n) == ':' && byte_at(line, at + n + 1) == ' ';
    return n + colon;
}

/* "3: " of `srun -l`, where the source uses it. */
static size_t read_number(struct str line, size_t at, struct place *place,
                          const struct custom *custom) {
    int value;
    if (!custom || !custom->numbered) return 0;
    struct str number = str_digits(str_from(line, at));
    size_t i = at + number.n;
    bool ends = byte_at(line, i) == ':' && strchr(" ", byte_at(line, i + 1)); /* or the line does */
    if (!ends || !small_number(number, &value)) return 0;
    if (custom->tasks)
        place->task = value;
    else if (place->rank < 0)
        place->rank = value;
    return i + 1 - at;
}

size_t host_prefix(struct str line, size_t at) {
    size_t i = at;
    bool digit = false, letter = false, mark = false;
    for (; i - at < 64 &&
           (is_word(byte_at(line, i)) || byte_at(line, i) == '-' || byte_at(line, i) == '.');
         i++) {
        digit |= is_digit(line.p[i]);
        letter |= is_alpha(line.p[i]);
        mark |= line.p[i] == '.' || line.p[i] == '-';
    }
    if (i == at || byte_at(line, i) != ':' || byte_at(line, i + 1) != ' ') return 0;
    struct str name = str_sub(line, at, i - at);
    bool looks = (digit && (letter || mark)) || str_eq(name, STR("localhost"));
    return looks && !exception_read(str_from(line, at), true, &(struct str){0}) ? i - at : 0;
}

static bool is_address(struct str name) {
    int dots = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (!is_digit(name.p[i]) && name.p[i] != '.') return false;
        dots += name.p[i] == '.';
    }
    return dots == 3;
}

/* "node7: " of pdsh, where the source uses it; addresses and localhost always. */
static size_t read_host(struct str line, size_t at, struct place *place,
                        const struct custom *custom) {
    bool may = (custom && custom->hosts) || is_digit(line.p[at]) ||
               str_starts(str_from(line, at), STR("localhost"));
    size_t n = may ? host_prefix(line, at) : 0;
    if (!n) return 0;
    struct str name = str_sub(line, at, n);
    bool known = (custom && custom->hosts) || str_eq(name, STR("localhost")) || is_address(name);
    if (!known) return 0;
    place->host = name;
    return n + 1;
}

/* "node07:123:456 [2] NCCL INFO": the body begins at NCCL.  `end`: of the name. */
static size_t read_nccl(struct str line, size_t at, size_t end, struct place *place) {
    size_t i = end, numbers = 0;
    struct str host = str_sub(line, at, i - at);
    while (byte_at(line, i) == ':' && is_digit(byte_at(line, i + 1))) {
        for (i++; is_digit(byte_at(line, i)); i++) {
        }
        numbers++;
    }
    if (!host.n || numbers != 2 || byte_at(line, i) != ' ' || byte_at(line, i + 1) != '[') return 0;
    for (i += 2; is_digit(byte_at(line, i)); i++) {
    }
    if (byte_at(line, i) != ']') return 0;
    place->host = host;
    if (str_starts(str_from(line, i + 1), STR(" NCCL WARN"))) place->severity = SEVERITY_WARNING;
    return i + 1 - at;
}

/* "W-9000-name_1.0-stdout MODEL_LOG - ": TorchServe passes on what its worker wrote, and calls each
 * line an information or a warning. */
static size_t read_worker(struct str line, size_t at, struct place *place) {
    if (!str_starts(str_from(line, at), STR("W-"))) return 0;
    size_t i = name_end(line, at);
    struct str worker = str_sub(line, at, i - at);
    bool passed = str_ends(worker, STR("-stdout")) || str_ends(worker, STR("-stderr"));
    size_t name = i + 1; /* MODEL_LOG, org.pytorch.serve.wlm.WorkerLifeCycle */
    while (is_word(byte_at(line, name)) || byte_at(line, name) == '.') name++;
    if (!passed || byte_at(line, i) != ' ' || !str_starts(str_from(line, name), STR(" - ")))
        return 0;
    place->severity = 0;
    return name - at;
}

/* Names between separators, as loguru, logging's usual format and tab-separated logs write them:
 * " - root - ", " | module:func:12 - ", "\thost-03:0\t".  Only after a time. */
static size_t read_field(struct str line, size_t at, struct place *place) {
    size_t i = at, colon = 0;
    if (place->time == TIME_UNKNOWN) return 0;
    for (; i - at < 80 && byte_at(line, i) && (is_word(line.p[i]) || strchr(".:<>-", line.p[i]));
         i++)
        if (line.p[i] == ':') colon = i;
    if (i == at) return 0;
    struct str rest = str_from(line, i);
    size_t spaces = 0;
    while (byte_at(rest, spaces) == ' ') spaces++;
    bool pipe = byte_at(rest, spaces) == '|', tab = byte_at(rest, 0) == '\t';
    bool dash = str_starts(rest, STR(" - ")), level = str_starts(rest, STR(": [")) && !colon;
    if (line.p[i - 1] == ':' && is_blank(byte_at(rest, 0))) level = byte_at(rest, 1) == '[';
    if (!pipe && !tab && !dash && !level) return 0;
    int64_t rank;
    bool numbered = colon && str_int(str_sub(line, colon + 1, i - colon - 1), &rank);
    struct str name = str_sub(line, at, colon ? colon - at : 0);
    if (tab && numbered && !place->host.n && memchr(name.p, '-', name.n)) {
        place->host = name;
        if (rank >= 0 && rank < 1000000) place->rank = (int)rank;
    }
    return i - at + (level && line.p[i - 1] != ':');
}

static size_t skip_separator(struct str line, size_t at) {
    size_t i = at;
    while (is_blank(byte_at(line, i))) i++;
    if (str_starts(str_from(line, i), STR("|| "))) i++;
    if ((byte_at(line, i) == '-' || byte_at(line, i) == '|') && is_blank(byte_at(line, i + 1))) i++;
    if (byte_at(line, i) == '>' && byte_at(line, i + 1) == '>') i += 2;
    return i - at;
}

/* A word, a space and another word: no token but a time or a severity begins so. */
static bool is_plain(struct str line, size_t at, size_t end) {
    return end > at && byte_at(line, end) == ' ' && is_alpha(byte_at(line, end + 1));
}

/* Most lines tell by their first byte that they have no prefix. */
static bool may_begin_token(char c) {
    return is_word(c) || c == '[' || c == '(' || c == '<';
}

/* Behind a time, as Determined writes it: "3fd2a71c [rank=3] || " or "3fd2a71c || "; its length. */
static size_t read_container(struct str line, size_t at, const struct place *place) {
    size_t n = 0;
    if (place->time == TIME_UNKNOWN) return 0;
    while (n <= CONTAINER_HEX && is_hex(byte_at(line, at + n))) n++;
    struct str rest = str_from(line, at + n);
    bool follows = str_starts(rest, STR(" [rank=")) || str_starts(rest, STR(" || "));
    return n == CONTAINER_HEX && follows ? n : 0;
}

static size_t read_token(struct str line, size_t at, int index, struct place *place,
                         const struct custom *custom) {
    size_t n = 0;
    char c = byte_at(line, at);
    if (!index && custom && custom->pods && (n = read_pod(line, custom->pods, &place->host)) > 0)
        return n;
    bool step = !index && (c == '#' || is_digit(c));
    if (step && (n = read_build_step(line, custom && custom->steps)) > 0) return n;
    if (index == 1 && is_hex(c) && (n = read_container(line, at, place)) > 0) return n;
    if (c == '[') return read_bracket(line, at, place, custom);
    if (c == '(') return read_parenthesis(line, at, place);
    if (c == '<' && is_digit(byte_at(line, at + 1)) && byte_at(line, at + 2) == '>') return 3;
    if (!may_begin_token(c)) return 0;
    if (is_digit(c) && (n = read_number(line, at, place, custom)) > 0) return n;
    if ((n = read_time(line, at, place)) > 0) return n;
    if (is_upper(c) && (n = read_severity(line, at, place)) > 0) return n;
    if (c == 'W' && (n = read_worker(line, at, place)) > 0) return n;
    size_t name = name_end(line, at);
    if (is_plain(line, at, name)) return 0;
    if (is_word(c) && (n = read_nccl(line, at, name, place)) > 0) return n;
    if (is_word(c) && index < 2 && (n = read_host(line, at, place, custom)) > 0) return n;
    if (is_word(c) && index == 0 && (n = read_names_before_time(line, at)) > 0) return n;
    if ((c == 'r' || c == 'R') && (n = read_rank_word(line, at, place)) > 0) return n;
    bool dated = place->time != TIME_UNKNOWN;
    if (is_word(c) && dated && (n = read_location(line, at)) > 0) return n;
    return is_word(c) || c == '<' ? read_field(line, at, place) : 0;
}

/* "NCCL_DEBUG=INFO": a variable that a job's script printed tells what was set, not what failed. */
static bool is_variable(struct str body) {
    size_t n = 0;
    while (is_upper(byte_at(body, n)) || byte_at(body, n) == '_' ||
           (n && is_digit(byte_at(body, n))))
        n++;
    return n >= 3 && byte_at(body, n) == '=' && byte_at(body, n + 1) != '=';
}

/* "[TensorRT-LLM][ERROR] ": behind a tag that nobody knows; "(WARNING)[utils.py:12] ". */
static int bracketed_severity(struct str body) {
    int severity = 0;
    for (int tags = 0; !severity && tags < TAGS_MAX; tags++) {
        char open = byte_at(body, 0);
        if (open != '[' && open != '(') break;
        const char *close =
            memchr(body.p, open == '[' ? ']' : ')', body.n < TAG_BYTES ? body.n : TAG_BYTES);
        size_t end = close ? (size_t)(close - body.p) : 0;
        severity = severity_of_word(str_sub(body, 1, end ? end - 1 : 0));
        body = str_from(body, end + 1);
    }
    return severity;
}

/* "/opt/env/x.py:916: GLFWError: text": Python writes warnings so, whatever their category is
 * called. */
static bool is_python_warning(struct str body) {
    struct str path = str_sub(body, 0, 300); /* no space is in it */
    const char *space = path.n ? memchr(path.p, ' ', path.n) : NULL;
    if (space) path.n = (size_t)(space - path.p);
    ptrdiff_t at = str_find(path, STR(".py:"), 0);
    size_t i = at > 0 ? (size_t)at + 4 : 0, number = i;
    if (!i) return false;
    while (is_digit(byte_at(body, i))) i++;
    if (i == number || byte_at(body, i) != ':' || byte_at(body, i + 1) != ' ') return false;
    size_t word = word_length(body, i + 2);
    return word > 2 && is_upper(body.p[i + 2]) && byte_at(body, i + 2 + word) == ':' &&
           byte_at(body, i + 3 + word) == ' ';
}

static void guess_severity(struct str body, struct place *place) {
    static const struct {
        const char *start;
        int severity;
    } starts[] = {{"error", SEVERITY_ERROR},
                  {"fatal", SEVERITY_FATAL},
                  {"warning", SEVERITY_WARNING},
                  {"srun: error", SEVERITY_ERROR},
                  {"slurmstepd: error", SEVERITY_ERROR},
                  {"userwarning", SEVERITY_WARNING},
                  {"futurewarning", SEVERITY_WARNING}};
    char first = to_lower(byte_at(body, 0));
    if (!place->severity && is_variable(body)) place->severity = SEVERITY_INFO;
    if (!place->severity) place->severity = bracketed_severity(body);
    if (!place->severity && is_python_warning(body)) place->severity = SEVERITY_WARNING;
    for (size_t i = 0; i < COUNT_OF(starts) && !place->severity; i++) {
        if (starts[i].start[0] != first) continue;
        struct str start = str_of(starts[i].start);
        bool ends = !is_word(byte_at(body, start.n));
        if (ends && str_starts_nocase(body, start)) place->severity = starts[i].severity;
    }
    if (!place->severity && memchr(body.p ? body.p : "", 'W', body.n < 300 ? body.n : 300) &&
        str_has(str_sub(body, 0, 300), STR("Warning: ")))
        place->severity = SEVERITY_WARNING;
}

struct place locate_line(struct str line, const struct custom *custom) {
    struct place place = {.rank = -1, .task = -1, .time = TIME_UNKNOWN};
    size_t at = 0, end = 0, lead = 0;
    while (custom && custom->numbered && byte_at(line, lead) == ' ') lead++;
    if (is_digit(byte_at(line, lead)) &&
        read_number(line, lead, &(struct place){.rank = 0}, custom))
        at = lead;
    /* Megatron: " [2024-05-01 12:00:00] iteration" */
    if (byte_at(line, 0) == ' ' && byte_at(line, 1) == '[' && is_digit(byte_at(line, 2))) at = 1;
    for (int index = 0; index < TOKENS_MAX && at < line.n; index++) {
        size_t n = read_token(line, at, index, &place, custom);
        if (!n) break;
        end = at + n;
        at = end + skip_separator(line, end);
        while (is_blank(byte_at(line, at))) at++;
    }
    if (end) {
        size_t gap = skip_separator(line, end);
        bool separated = gap > 1 && memchr(line.p + end, ' ', gap) &&
                         (memchr(line.p + end, '-', gap) || memchr(line.p + end, '|', gap) ||
                          memchr(line.p + end, '>', gap));
        size_t sign = separated ? gap : 0;
        end += sign;
        if (is_blank(byte_at(line, end))) end++;
    }
    place.body = end;
    guess_severity(str_from(line, end), &place);
    return place;
}
