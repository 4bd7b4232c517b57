/* What a single line of a traceback is: its frames and its exception. */
#include "text/chars.h"
#include "text/text.h"

/* ---- frames ------------------------------------------------------------------------- */

/* Exception groups draw "  | " before each line. */
static struct str strip_edge(struct str body) {
    size_t i = 0;
    while (is_blank(byte_at(body, i)) ||
           (byte_at(body, i) == '|' && is_blank(byte_at(body, i + 1))))
        i++;
    return str_from(body, i);
}

static bool read_number_at(struct str s, size_t at, uint32_t *number, size_t *end) {
    uint64_t value = 0;
    size_t i = at;
    while (is_digit(byte_at(s, i)) && i - at < 8) value = value * 10 + (uint64_t)(s.p[i++] - '0');
    *number = (uint32_t)value;
    *end = i;
    return i > at;
}

static struct str function_name(struct str s) {
    size_t n = 0;
    while (n < s.n && s.p[n] != '(' && s.p[n] != ' ' && s.p[n] != ',') n++;
    if (byte_at(s, 0) == '<') /* <module>, <listcomp>, <lambda> */
        for (n = 0; n < s.n && (n == 0 || s.p[n - 1] != '>'); n++) {
        }
    return str_sub(s, 0, n);
}

/* File "x.py", line 3, in f  -  File "x.py", line 3 in f  -  File "x.py", line 3 */
static bool python_frame(struct str s, struct frame *frame) {
    const char *quote = s.n > 6 ? memchr(s.p + 6, '"', s.n - 6) : NULL;
    if (!quote) return false;
    size_t at = (size_t)(quote - s.p) + 1;
    frame->path = str_sub(s, 6, at - 7);
    if (!str_starts(str_from(s, at), STR(", line ")) ||
        !read_number_at(s, at + 7, &frame->line, &at))
        return false;
    struct str rest = str_from(s, at);
    if (str_starts(rest, STR(", in ")))
        frame->function = str_trim(str_from(rest, 5));
    else if (str_starts(rest, STR(" in ")))
        frame->function = str_trim(str_from(rest, 4));
    return true;
}

/* x.py", line 3, in f: what was copied begins within the frame */
static bool torn_frame(struct str s, struct frame *frame) {
    ptrdiff_t end = str_find(s, STR(".py\", line "), 0);
    if (end <= 0 || end > 1024 || memchr(s.p, ' ', (size_t)end) || memchr(s.p, '"', (size_t)end))
        return false;
    size_t at;
    if (!read_number_at(s, (size_t)end + 11, &frame->line, &at)) return false;
    if (!str_starts(str_from(s, at), STR(", in "))) return false;
    frame->path = str_sub(s, 0, (size_t)end + 3);
    frame->function = str_trim(str_from(s, at + 5));
    return frame->function.n > 0;
}

bool frame_is_torn(struct str body) {
    struct frame frame;
    return torn_frame(strip_edge(body), &frame);
}

/* path.py:3, in f(x)  -  path.py:3 in f  (IPython and rich) */
static bool colon_frame(struct str s, struct frame *frame) {
    ptrdiff_t in = str_find(s, STR(" in "), 0);
    if (in <= 3 || in > 1024) return false;
    size_t end = (size_t)in, at = end, stop;
    if (s.p[end - 1] == ',') at = --end;
    while (at && is_digit(s.p[at - 1])) at--;
    if (at == end || !at || s.p[at - 1] != ':' || !read_number_at(s, at, &frame->line, &stop))
        return false;
    frame->path = str_sub(s, 0, at - 1);
    frame->function = function_name(str_trim(str_from(s, (size_t)in + 4)));
    return memchr(frame->path.p, '.', frame->path.n) || byte_at(frame->path, 0) == '<';
}

/* ~/x.py in f(self)  -  <ipython-input-3-1a2b> in <module>  (old IPython) */
static bool notebook_frame(struct str s, struct frame *frame) {
    ptrdiff_t in = str_find(s, STR(" in "), 0);
    if (in <= 3) return false;
    struct str path = str_sub(s, 0, (size_t)in);
    bool cell = str_starts(path, STR("<ipython-input")) || str_starts(path, STR("/tmp/ipykernel"));
    if (!cell && !(str_ends(path, STR(".py")) && !memchr(path.p, ' ', path.n))) return false;
    frame->path = path;
    frame->function = function_name(str_from(s, (size_t)in + 4));
    return frame->function.n > 0;
}

/* forward (torch/nn/modules/module.py:1501)  (py-spy) */
static bool spy_frame(struct str s, struct frame *frame) {
    s = str_trim(s);
    ptrdiff_t open = str_find(s, STR(" ("), 0);
    if (open <= 0 || !str_ends(s, STR(")")) || memchr(s.p, ' ', (size_t)open)) return false;
    struct str inner = str_sub(s, (size_t)open + 2, s.n - (size_t)open - 3);
    ptrdiff_t colon = str_find(inner, STR(".py:"), 0);
    size_t end;
    if (colon < 0 || !read_number_at(inner, (size_t)colon + 4, &frame->line, &end) ||
        end != inner.n)
        return false;
    frame->path = str_sub(inner, 0, (size_t)colon + 3);
    frame->function = str_sub(s, 0, (size_t)open);
    return true;
}

bool frame_read(struct str body, struct frame *frame) {
    struct str s = strip_edge(body);
    *frame = (struct frame){0};
    if (str_starts(s, STR("> File \""))) s = str_from(s, 2); /* where loguru caught it */
    if (str_starts(s, STR("File \""))) return python_frame(s, frame);
    if (str_starts(s, STR("File "))) return colon_frame(str_from(s, 5), frame);
    if (torn_frame(s, frame)) return true;
    *frame = (struct frame){0};
    char c = byte_at(s, 0);
    bool path =
        c == '/' || c == '~' || c == '<' || c == '.' || (is_alpha(c) && byte_at(s, 1) == ':');
    if (path)
        return colon_frame(s, frame) || (*frame = (struct frame){0}, notebook_frame(s, frame));
    return spy_frame(s, frame);
}

/* ---- exceptions --------------------------------------------------------------------- */

/* A name that can only be an exception's. */
static bool name_is_sure(struct str type, struct str last) {
    static const char *const suffixes[] = {"Error", "Exception", "Interrupt"};
    static const char *const names[] = {"Exception",         "SystemExit",         "StopIteration",
                                        "GeneratorExit",     "StopAsyncIteration", "ExceptionGroup",
                                        "BaseExceptionGroup"};
    if (STR_ENDS_ANY(str_from(last, 1), suffixes) || STR_AMONG(last, names)) return true;
    bool module =
        type.n > last.n && (str_has(type, STR(".error.")) || str_has(type, STR(".errors.")) ||
                            str_has(type, STR(".exceptions.")) || str_has(type, STR(".exc.")));
    return module && is_upper(byte_at(last, 0));
}

/* A name that is an exception's because it closes a traceback. */
static bool name_is_likely(struct str type, struct str last) {
    static const char *const names[] = {"Empty",   "Full",    "Abort", "Exit",
                                        "Timeout", "Failure", "Error", "Interrupted"};
    static const char *const suffixes[] = {"Failure", "Failed", "Timeout",  "Fault",
                                           "Abort",   "Exit",   "NotFound", "Missing",
                                           "Invalid", "Denied", "Refused"};
    int capitals = 0;
    bool lower = false;
    for (size_t i = 0; i < last.n; i++) {
        capitals += is_upper(last.p[i]);
        lower |= is_lower(last.p[i]);
    }
    if (type.n > last.n) return is_upper(byte_at(last, 0)) || str_has(type, STR("timeout"));
    return STR_AMONG(last, names) || STR_ENDS_ANY(str_from(last, 1), suffixes) ||
           (is_upper(byte_at(last, 0)) && capitals >= 2 && lower);
}

size_t exception_read(struct str body, bool sure, struct str *message) {
    size_t i = 0, last_at = 0;
    *message = (struct str){0};
    if (!is_alpha(byte_at(body, 0)) && byte_at(body, 0) != '_') return 0;
    while (i < 200 && (is_word(byte_at(body, i)) ||
                       (byte_at(body, i) == '.' && is_word(byte_at(body, i + 1))))) {
        if (body.p[i] == '.') last_at = i + 1;
        i++;
    }
    struct str type = str_sub(body, 0, i), last = str_from(type, last_at);
    /* "ncclInternalError: ..." explains the exception above it */
    if (str_ends(last, STR("Warning")) || str_starts(type, STR("nccl"))) return 0;
    size_t end = i;
    if (byte_at(body, i) == '(' &&
        name_is_sure(type, last)) { /* ray.exceptions.RayTaskError(ValueError): */
        const char *close = memchr(body.p + i, ')', body.n - i < 120 ? body.n - i : 120);
        if (!close) return 0;
        end = (size_t)(close - body.p) + 1;
        if (byte_at(body, end) != ':') return 0;
    }
    char next = byte_at(body, end);
    bool colon = next == ':' && (end + 1 == body.n || is_blank(body.p[end + 1]) || end > i);
    if (!colon && str_trim(str_from(body, end)).n) return 0;
    bool known = name_is_sure(type, last) && (colon || last.n > 9);
    if (!known && (sure || !name_is_likely(type, last))) return 0;
    if (colon) *message = str_trim(str_from(body, end + 1));
    return end;
}
