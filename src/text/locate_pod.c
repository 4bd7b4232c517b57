/* Prefixes of container tools: docker build's "#12 4.984 ", stern's "pod container " (with -A a
 * namespace before it), and docker compose's "service-1  | ".  Any sentence may begin like the last
 * two, therefore a source's custom only. */
#include "text/chars.h"
#include "text/locate_tags.h"

enum { LABEL_MAX = 63 /* of a DNS label, which names of pods are */ };

static size_t label_length(struct str line, size_t at) {
    size_t i = at;
    while (i - at <= LABEL_MAX &&
           (is_lower(byte_at(line, i)) || is_digit(byte_at(line, i)) || byte_at(line, i) == '-'))
        i++;
    return i - at <= LABEL_MAX && byte_at(line, i) == ' ' ? i - at : 0;
}

/* A pod has a controller's name and a number or a hash. */
static bool is_pod(struct str name) {
    bool digit = false, dash = false;
    for (size_t i = 0; i < name.n; i++) {
        digit |= is_digit(name.p[i]);
        dash |= name.p[i] == '-' && i && i + 1 < name.n;
    }
    return digit && dash && is_alpha(name.p[0]);
}

static size_t read_words(struct str line, size_t at, struct str *name) {
    size_t pod = label_length(line, at);
    if (!pod || !is_pod(str_sub(line, at, pod))) return 0;
    size_t container = label_length(line, at + pod + 1);
    if (!container || !is_alpha(line.p[at + pod + 1])) return 0;
    *name = str_sub(line, at, pod);
    return pod + 1 + container;
}

static size_t read_service(struct str line, struct str *name) {
    size_t n = name_end(line, 0), bar = n;
    while (byte_at(line, bar) == ' ') bar++;
    if (bar == n || byte_at(line, bar) != '|') return 0;
    *name = str_sub(line, 0, n);
    bool ends = byte_at(line, bar + 1) == ' ' || bar + 1 == line.n;
    bool own = str_starts(*name, STR("rank")) || severity_of_word(*name);
    return n && is_alpha(line.p[0]) && ends && !own ? bar + 1 : 0;
}

/* Four digits and a point, as BuildKit writes the seconds of a step: "0.523", "12.34", "186.3". */
static size_t step_seconds(struct str line, size_t at) {
    size_t i = at, point = 0;
    for (; is_digit(byte_at(line, i)) || (!point && i > at && byte_at(line, i) == '.'); i++)
        if (line.p[i] == '.') point = i;
    return point && i - at == 5 && byte_at(line, i) == ' ' ? 5 : 0;
}

bool build_step_tells(struct str line) {
    size_t n = step_seconds(line, 0);
    struct str rest = str_trim(str_from(line, n)), message;
    bool traceback =
        str_starts(rest, STR("Traceback (most recent")) || str_starts(rest, STR("File \""));
    return n && (traceback || exception_read(rest, true, &message));
}

/* "#12 4.984 " of docker build; tables begin with numbers alone too. */
size_t read_build_step(struct str line, bool alone) {
    size_t i = 0;
    if (byte_at(line, 0) == '#') {
        for (i = 1; is_digit(byte_at(line, i)); i++) {
        }
        if (i < 2 || i > 5 || byte_at(line, i) != ' ') return 0;
        i++;
    }
    size_t n = step_seconds(line, i);
    return n && (i || alone || build_step_tells(line)) ? i + n : 0;
}

size_t read_pod(struct str line, enum pod_custom custom, struct str *name) {
    switch (custom) {
    case POD_SERVICE: return read_service(line, name);
    case POD_CONTAINER: return read_words(line, 0, name);
    case POD_NAMESPACE: {
        size_t space = label_length(line, 0);
        size_t rest = space ? read_words(line, space + 1, name) : 0;
        return rest ? space + 1 + rest : 0;
    }
    default: return 0;
    }
}
