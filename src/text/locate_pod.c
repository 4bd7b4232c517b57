/* Prefixes of container tools: stern's "pod container " (with -A a namespace before it), and
 * docker compose's "service-1  | ".  Any sentence may begin so, therefore a source's custom only.
 */
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
    size_t n = 0;
    while (is_word(byte_at(line, n)) || byte_at(line, n) == '-' || byte_at(line, n) == '.') n++;
    size_t bar = n;
    while (byte_at(line, bar) == ' ') bar++;
    if (bar == n || byte_at(line, bar) != '|') return 0;
    *name = str_sub(line, 0, n);
    bool ends = byte_at(line, bar + 1) == ' ' || bar + 1 == line.n;
    bool own = str_starts(*name, STR("rank")) || severity_of_word(*name);
    return n && is_alpha(line.p[0]) && ends && !own ? bar + 1 : 0;
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
