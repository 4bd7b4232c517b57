/* What tools say that tried to reach another machine: curl, nc, ssh, getent.  Each line of a trial
 * stands below "$ COMMAND", as people paste it; the command names what was tried. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"
#include "text/chars.h"

/* ---- curl: "curl: (7) Failed to connect to host port 443: Connection refused" --------- */

struct wording {
    const char *text, *outcome;
};
/* In order: the first that fits decides.  Text tells apart what shares a number. */
static const struct wording curl_words[] = {
    {"response 407", "proxy-login"},
    {"HTTP code 407", "proxy-login"},
    {"error: 407", "proxy-login"},
    {"407 Proxy Authentication", "proxy-login"},
    {"resolve proxy", "proxy-dns"},
    {"CONNECT tunnel failed", "proxy-refused"},
    {"from proxy after CONNECT", "proxy-refused"},
    {"Could not resolve host", "dns"},
    {"Connection refused", "refused"},
    {"Connection reset", "reset"},
    {"reset by peer", "reset"},
    {"Empty reply from server", "reset"},
    {"certificate", "certificate"},
    {"timed out", "slow"},
    {"Timeout was reached", "slow"},
    {"Operation too slow", "slow"},
    {"No route to host", "unreachable"},
    {"Network is unreachable", "unreachable"},
    {"wrong version number", "tls"},
    {"SSL", "tls"},
    {"TLS", "tls"},
};
static const struct {
    int code;
    const char *outcome;
} curl_codes[] = {{5, "proxy-dns"},    {6, "dns"},          {7, "refused"},       {28, "slow"},
                  {35, "tls"},         {52, "reset"},       {56, "reset"},        {58, "tls"},
                  {60, "certificate"}, {77, "certificate"}, {97, "proxy-refused"}};

static const char *wording_of(struct str line, const struct wording *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_find_nocase(line, str_of(words[i].text), 0) >= 0) return words[i].outcome;
    return NULL;
}

/* The outcome of curl's last line, or NULL: it is none. */
static const char *curl_outcome(struct str line, int *http) {
    struct str rest;
    int code;
    if (!str_starts(line, STR("curl: (")) || !pick_int(str_sub(line, 7, line.n), &code))
        return NULL;
    if (code == 22 && pick_after(line, STR("error: "), &rest)) {
        pick_int(rest, http);
        return *http == 407   ? "proxy-login"
               : *http == 429 ? "rate-limited"
               : *http >= 500 ? "server-error"
                              : "refused-by-server";
    }
    const char *outcome = wording_of(line, curl_words, COUNT_OF(curl_words));
    for (size_t i = 0; !outcome && i < COUNT_OF(curl_codes); i++)
        if (curl_codes[i].code == code) outcome = curl_codes[i].outcome;
    return outcome ? outcome : "failed";
}

/* ---- ssh and nc ----------------------------------------------------------------------- */

static const struct wording ssh_words[] = {
    {"Host key verification failed", "host-key"},
    {"Permission denied", "permission-denied"},
    {"Too many authentication failures", "permission-denied"},
    {"Could not resolve hostname", "dns"},
    {"Connection refused", "refused"},
    {"timed out", "slow"},
    {"No route to host", "unreachable"},
    {"Network is unreachable", "unreachable"},
    {"Connection closed", "closed"},
    {"Connection reset", "reset"},
    {"command not found", "absent"},
};
static const struct wording nc_words[] = {
    {"succeeded", "open"},
    {"Connected to", "open"},
    {"Connection refused", "refused"},
    {"timed out", "slow"},
    {"No route to host", "unreachable"},
    {"Network is unreachable", "unreachable"},
    {"Address already in use", "in-use"},
    {"forward host lookup failed", "dns"},
    {"Name or service not known", "dns"},
};

/* ---- trials --------------------------------------------------------------------------- */

struct trial {
    struct str tool, target, host;
    const char *outcome; /* NULL: nothing was said, which is success */
    int http;
    struct str said;
};

/* "https://hub.example:8443/api" -> "hub.example" */
static struct str host_of(struct str target) {
    struct str rest;
    if (pick_after(target, STR("://"), &rest)) target = rest;
    target = pick_until(target, STR("/"));
    if (pick_after(target, STR("@"), &rest)) target = rest;
    return pick_until(target, STR(":"));
}

/* `$ curl [options] URL  # name`, `$ nc -vz HOST PORT`, `$ ssh -o ... HOST true`, `$ getent hosts
 * NAME`, `$ bind PORT` */
static void trial_open(struct trial *trial, struct str line) {
    struct str rest, word, last = {0};
    *trial = (struct trial){.tool = pick_word(str_sub(line, 2, line.n), &rest)};
    struct str command = str_trim(pick_until(rest, STR(" # ")));
    while (command.n) {
        word = pick_word(command, &command);
        if (str_eq(word, STR("-o")) || str_eq(word, STR("-m")) || str_eq(word, STR("-w"))) {
            pick_word(command, &command);
            continue;
        }
        if (word.p[0] == '-') continue;
        if (!trial->target.n) trial->target = word;
        last = word;
    }
    if (str_eq(trial->tool, STR("getent"))) trial->target = last;
    if (!pick_after(rest, STR(" # "), &trial->host)) trial->host = host_of(trial->target);
}

static void trial_line(struct reading *reading, struct trial *trial, struct str line) {
    const char *outcome = NULL;
    if (str_eq(trial->tool, STR("curl")))
        outcome = curl_outcome(line, &trial->http);
    else if (str_eq(trial->tool, STR("ssh")))
        outcome = wording_of(line, ssh_words, COUNT_OF(ssh_words));
    else if (str_eq(trial->tool, STR("nc")) || str_eq(trial->tool, STR("bind")))
        outcome = wording_of(line, nc_words, COUNT_OF(nc_words));
    else if (str_eq(trial->tool, STR("getent")) && is_hex(to_lower(line.p[0])))
        note(reading, STR("master.address"), pick_word(line, NULL));
    if (outcome && (!trial->outcome || str_eq(trial->tool, STR("curl")))) {
        trial->outcome = outcome;
        trial->said = line;
    }
}

static void trial_close(struct reading *reading, const struct trial *trial) {
    struct str tool = trial->tool;
    if (!trial->target.n) return;
    bool curl = str_eq(tool, STR("curl")), ssh = str_eq(tool, STR("ssh"));
    if (curl || ssh) {
        struct str key = note_key_of(reading, curl ? "net." : "ssh.", trial->host);
        note(reading, key, str_of(trial->outcome ? trial->outcome : "ok"));
        if (trial->http)
            note_int(reading, note_key(reading, STR_FMT ".http", STR_ARG(key)), trial->http);
        note(reading, note_key(reading, STR_FMT ".says", STR_ARG(key)), trial->said);
        if (trial->outcome && curl) note(reading, STR("net.problem"), str_of(trial->outcome));
        if (trial->outcome && ssh)
            note(reading, STR("ssh.problem"),
                 note_key(reading, STR_FMT ": %s", STR_ARG(trial->host), trial->outcome));
        if (curl) note(reading, note_key(reading, STR_FMT ".url", STR_ARG(key)), trial->target);
    } else if (str_eq(tool, STR("getent"))) {
        note(reading, STR("master.resolves"),
             note_has(reading, STR("master.address")) ? STR("yes") : STR("no"));
    } else if (str_eq(tool, STR("nc"))) {
        note(reading, STR("master.port"), str_of(trial->outcome ? trial->outcome : "open"));
    } else if (str_eq(tool, STR("bind"))) {
        note(reading, STR("master.port"), str_of(trial->outcome ? trial->outcome : "free"));
    }
}

static bool is_trial(struct str line) {
    static const char *const tools[] = {"$ curl ", "$ nc ", "$ ssh ", "$ getent hosts ", "$ bind "};
    return STR_STARTS_ANY(line, tools);
}

static void read_connections(struct evidence *evidence, struct str text,
                             const struct origin *origin) {
    struct reading reading;
    struct trial trial = {.outcome = NULL};
    struct str line;
    reading_open(&reading, evidence, text, origin, "connections");
    while (reading_line(&reading, &line)) {
        line = str_trim(line);
        if (is_trial(line)) {
            trial_close(&reading, &trial);
            trial_open(&trial, line);
        } else if (line.n) {
            trial_line(&reading, &trial, line);
        }
    }
    trial_close(&reading, &trial);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    struct str rest = str_trim(head), line = {0};
    str_line(&rest, &line);
    return head.n < 32768 && is_trial(line) ? 92 : 0;
}

const struct fact_reader reader_connections = {.id = "connections",
                                               .about = "trials with curl, nc, ssh, getent",
                                               .kind = KIND_NETWORK,
                                               .recognize = recognize,
                                               .read = read_connections};
