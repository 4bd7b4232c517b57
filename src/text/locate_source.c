/* What a whole source tells about its writers: the custom of its lines, and its path. */
#include "text/chars.h"
#include "text/locate_tags.h"
#include "text/text.h"

/* ---- custom ------------------------------------------------------------------------- */

enum {
    NAMES_MAX = 64,
    LINES_MIN = 3,
    FALLS_MIN = 2,
    PLAIN_MAX = 200, /* bytes in which a prefix stands */
    PLACES = 8,      /* of a sample, in each of which at least */
    PLACE_LINES = 32 /* so many lines are looked at */
};

struct names {
    int lines; /* that begin with one */
    uint64_t hashes[NAMES_MAX];
    int n;
};

/* Lines that begin with a number. */
struct numbers {
    int lines;
    int last;  /* the last number, where there is one */
    int falls; /* numbers below the one before: what is counted, steps or epochs, only rises */
    bool again;
};

struct census {
    int lines, differ, steps;
    struct numbers numbered, bracketed; /* "3: " and "[3] " */
    bool told;     /* an exception stood behind the seconds of a build's step */
    bool launcher; /* a node's launcher wrote under a number */
    bool torchrun; /* a launcher of a node's ranks, or the command that starts it */
    struct names hosts, pods[POD_CUSTOMS];
};

static void names_add(struct names *names, struct str name) {
    uint64_t hash = str_hash(name);
    names->lines++;
    for (int i = 0; i < names->n; i++)
        if (names->hashes[i] == hash) return;
    if (names->n < NAMES_MAX) names->hashes[names->n++] = hash;
}

/* Names of writers come again and again, in so many tenths of the lines. */
static bool names_recur(const struct names *names, int lines, int tenths) {
    bool few = names->n < NAMES_MAX && names->n * 3 <= names->lines;
    return few && names->lines >= LINES_MIN && names->lines * 10 >= lines * tenths;
}

/* "3: " of srun, or in brackets "[3] " and "[3]: " of mpiexec (hydra's -prepend-rank) and jsrun. */
static int number_prefix(struct str line, bool bracketed) {
    size_t i = 0;
    int value;
    while (byte_at(line, i) == ' ') i++;
    if (bracketed && byte_at(line, i++) != '[') return -1;
    struct str number = str_digits(str_from(line, i));
    if (!small_number(number, &value)) return -1;
    i += number.n;
    if (bracketed && byte_at(line, i++) != ']') return -1;
    bool colon = byte_at(line, i) == ':';
    if (!colon && !bracketed) return -1;
    i += colon;
    return byte_at(line, i) == ' ' || i == line.n ? value : -1;
}

static void numbers_add(struct numbers *numbers, int number) {
    numbers->again |= numbers->lines && number == numbers->last;
    numbers->falls += numbers->lines && number < numbers->last;
    numbers->last = number;
    numbers->lines++;
}

static void count_number(struct census *census, struct str line) {
    int number = number_prefix(line, true);
    if (number >= 0) numbers_add(&census->bracketed, number);
    if ((number = number_prefix(line, false)) < 0) return;
    numbers_add(&census->numbered, number);
    static const struct custom tasks = {.numbered = true, .tasks = true};
    struct place place = locate_line(line, &tasks);
    if (place.rank >= 0 && place.rank != number) census->differ++;
    census->launcher |= str_has(line, STR("distributed/run.py")) ||
                        str_has(line, STR("torch.distributed.run")) ||
                        str_has(line, STR("[launch.py:")) || str_has(line, STR("[runner.py:"));
}

static void count_host(struct census *census, struct str line) {
    size_t n = host_prefix(line, 0);
    if (n) names_add(&census->hosts, str_sub(line, 0, n));
}

/* The beginning of a line without its colours. */
static struct str plain_head(struct str line, char room[PLAIN_MAX]) {
    size_t n = 0;
    struct str head = str_sub(line, 0, PLAIN_MAX);
    if (!memchr(head.p, '\033', head.n)) return head;
    for (size_t i = 0; i < line.n && n < PLAIN_MAX; i++) {
        if (line.p[i] == '\033' && byte_at(line, i + 1) == '[')
            while (i < line.n && !is_alpha(line.p[i])) i++;
        else
            room[n++] = line.p[i];
    }
    return (struct str){room, n};
}

static void count_pods(struct census *census, struct str line) {
    char room[PLAIN_MAX];
    struct str head = plain_head(line, room), name;
    for (int custom = POD_SERVICE; custom < POD_CUSTOMS; custom++)
        if (read_pod(head, (enum pod_custom)custom, &name)) names_add(&census->pods[custom], name);
}

static bool tells_torchrun(struct str line) {
    static const struct str words[] = {
        STR("torchrun "), STR("torch.distributed.run"), STR("torch/distributed/run.py"),
        STR("torch/distributed/elastic/"), STR("torch.distributed.elastic")};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_has(line, words[i])) return true;
    return false;
}

/* Lines that stand together are alike: from each place on some are looked at, and the rest up to
 * the next place is passed over. */
static bool next_line(struct str sample, struct str *rest, int *taken, struct str *line) {
    if ((*taken)++ == PLACE_LINES) {
        size_t at = sample.n - rest->n, part = sample.n / PLACES + 1;
        struct str passed;
        *taken = 1;
        *rest = str_from(sample, (at + part - 1) / part * part);
        if (rest->p > sample.p && rest->p[-1] != '\n') str_line(rest, &passed);
    }
    return str_line(rest, line);
}

static bool most_lines(const struct census *census, const struct numbers *numbers) {
    return numbers->lines >= LINES_MIN && numbers->lines * 10 >= census->lines * 6;
}

void locate_learn(struct custom *custom, struct str sample) {
    struct census census = {0};
    struct str rest = sample, line;
    int taken = 0;
    while (next_line(sample, &rest, &taken, &line)) {
        if (!str_trim(line).n) continue;
        census.lines++;
        count_number(&census, line);
        count_host(&census, line);
        count_pods(&census, line);
        if (read_build_step(line, true)) census.steps++;
        census.told |= build_step_tells(line);
        census.torchrun |= tells_torchrun(line);
    }
    const struct numbers *plain = &census.numbered, *bracketed = &census.bracketed;
    if (most_lines(&census, plain) && (plain->again || plain->falls)) custom->numbered = true;
    if (most_lines(&census, bracketed) && bracketed->falls >= FALLS_MIN) custom->numbered = true;
    if (custom->numbered && (census.differ || census.launcher)) custom->tasks = true;
    if (census.torchrun) custom->nodes = true;
    if (census.told && census.steps >= LINES_MIN) custom->steps = true;
    if (names_recur(&census.hosts, census.lines, 4)) custom->hosts = true;
    for (int pods = POD_SERVICE; pods < POD_CUSTOMS; pods++)
        if (names_recur(&census.pods[pods], census.lines, 6)) custom->pods = (enum pod_custom)pods;
}

/* ---- path --------------------------------------------------------------------------- */

static bool path_number(struct str s, int *value) {
    int64_t number;
    if (!s.n || s.n > 5 || !str_int(s, &number) || number < 0) return false;
    *value = (int)number;
    return true;
}

/* Whether `word` stands before s[at], with or without a mark between. */
static bool stands_before(struct str s, size_t at, struct str word) {
    struct str before = str_sub(s, 0, at);
    while (before.n && strchr("_-=.", before.p[before.n - 1])) before.n--;
    return str_ends_nocase(before, word);
}

/* "rank_003", "rank3", "worker_rank-3", "global_rank3"; a rank among the nodes, or within one, is
 * another number. */
static bool named_rank(struct str name, int *rank) {
    ptrdiff_t at = str_find_nocase(name, STR("rank"), 0);
    while (at >= 0 && (stands_before(name, (size_t)at, STR("local")) ||
                       stands_before(name, (size_t)at, STR("node"))))
        at = str_find_nocase(name, STR("rank"), (size_t)at + 4);
    if (at < 0) return false;
    struct str rest = str_from(name, (size_t)at + 4);
    while (rest.n && strchr("_-=.", rest.p[0])) rest = str_from(rest, 1);
    return path_number(str_digits(rest), rank);
}

static bool is_stream_name(struct str s) {
    static const char *const names[] = {"out",    "err",    "log",   "stdout",
                                        "stderr", "output", "error", "workerlog"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq_nocase(s, str_of(names[i]))) return true;
    return false;
}

/* "log.12.out", "stderr.3", "slurm-12.node7.3.out": a number between dots next to a stream's name.
 * "log.3" alone is a rotated log. */
static bool dotted_rank(struct str file, int *rank) {
    struct str before = {0}, field;
    bool found = false, stream = false;
    int value = -1, fields = 0;
    while (str_split(&file, '.', &field)) {
        bool last = !file.n;
        if (path_number(field, &value) && fields++ > 0) {
            bool paired = found && path_number(before, &(int){0}); /* mpirun: "out.JOB.RANK" */
            bool rotated =
                last && !paired && (str_eq_nocase(before, STR("log")) || !is_stream_name(before));
            stream = paired || is_stream_name(last ? before : str_sub(file, 0, 3)) ||
                     is_stream_name(str_sub(file, 0, 6)) || is_stream_name(before);
            if (!rotated && stream) *rank = value, found = true;
        } else {
            fields++;
        }
        before = field;
    }
    return found;
}

static bool ends_in_word(struct str name, const char words[][8], size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_ends_nocase(name, str_of(words[i]))) return true;
    return false;
}

/* Names that machines have: a word for a machine, and a number.  `whole`: the file tells of a whole
 * machine, so that gpu017 is no GPU of it. */
static bool is_host_name(struct str s, bool whole) {
    static const char words[][8] = {"node",    "host",   "nid", "worker", "dgx",
                                    "compute", "server", "cn",  "gn",     "ip-"};
    static const char boards[][8] = {"gpu", "hgx", "a100", "h100", "h200", "b200"};
    size_t letters = s.n;
    while (letters && is_digit(s.p[letters - 1])) letters--;
    if (letters == s.n || s.n > 63) return false;
    struct str name = str_sub(s, 0, letters);
    for (size_t i = 0; i < name.n; i++)
        if (!is_alpha(name.p[i]) && name.p[i] != '-' && !is_digit(name.p[i])) return false;
    while (name.n && name.p[name.n - 1] == '-') name.n--;
    if (str_starts(s, STR("ip-")) && is_digit(byte_at(s, 3))) return true;
    return ends_in_word(name, words, COUNT_OF(words)) ||
           (whole && ends_in_word(name, boards, COUNT_OF(boards)));
}

/* What tells of a whole machine. */
static const struct str machine_files[] = {STR("dmesg"),      STR("kern"),      STR("kmsg"),
                                           STR("journalctl"), STR("journal"),   STR("syslog"),
                                           STR("messages"),   STR("nvidia-smi")};
/* What a file's name begins with that is no part of a machine's. */
static const struct str stream_names[] = {STR("log"),    STR("train"), STR("stdout"),
                                          STR("stderr"), STR("out"),   STR("err")};

static struct str without_word(struct str piece, const struct str *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (byte_at(piece, words[i].n) == '-' && str_starts_nocase(piece, words[i]))
            return str_from(piece, words[i].n + 1);
    return piece;
}

static void host_in(struct str component, bool whole, struct str *host) {
    for (size_t start = 0; start < component.n; start++) {
        size_t end = start;
        while (end < component.n && component.p[end] != '.' && component.p[end] != '_') end++;
        struct str piece = str_sub(component, start, end - start);
        piece = without_word(piece, machine_files, COUNT_OF(machine_files));
        piece = without_word(piece, stream_names, COUNT_OF(stream_names));
        if (is_host_name(piece, whole)) *host = piece;
        start = end;
    }
}

static bool tells_machine(struct str path) {
    struct str file = str_file_name(path);
    for (size_t i = 0; i < COUNT_OF(machine_files); i++)
        if (str_find_nocase(file, machine_files[i], 0) >= 0) return true;
    return false;
}

void locate_path(struct str path, int *rank, struct str *host) {
    struct str rest = path, component;
    bool attempt = false, whole = tells_machine(path);
    *rank = -1;
    *host = (struct str){0};
    while (str_split(&rest, '/', &component)) {
        int value;
        bool last = !rest.n;
        if (named_rank(component, &value))
            *rank = value;
        else if (attempt && !last && path_number(component, &value))
            *rank = value;
        else if (last && *rank < 0 && dotted_rank(component, &value))
            *rank = value;
        host_in(component, whole, host);
        attempt = str_starts(component, STR("attempt_"));
    }
}
