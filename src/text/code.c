#include "text/chars.h"
#include "text/text.h"

#include <string.h>

enum { NAME_MOST = 120 };

/* The bytes of the name that the text begins with: "model.layers[0].weight". */
static size_t name_length(struct str text) {
    size_t n = 0;
    if (!is_alpha(byte_at(text, 0)) && byte_at(text, 0) != '_') return 0;
    while (n < text.n && n < NAME_MOST) {
        ptrdiff_t end = text.p[n] == '[' ? str_find(text, STR("]"), n) : -1;
        bool dotted = text.p[n] == '.' && is_word(byte_at(text, n + 1));
        if (!is_word(text.p[n]) && !dotted && end < 0) break;
        n = end < 0 ? n + 1 : (size_t)end + 1;
    }
    return n;
}

/* "from x import y", "def f(x):", "if f(x):"; a sentence may begin like that and go on otherwise.
 */
static bool is_statement(struct str line) {
    static const struct {
        char start[12], end;
    } all[] = {{"def ", ':'}, {"class ", ':'}, {"with ", ':'},  {"for ", ':'},
               {"if ", ':'},  {"elif ", ':'},  {"while ", ':'}, {"return ", ')'}};
    struct str from = str_from(line, 5);
    while (str_starts(from, STR("."))) from = str_from(from, 1);
    if (str_starts(line, STR(">>> ")) || str_starts(line, STR("#include "))) return true;
    if (str_starts(line, STR("from ")))
        return str_starts(str_from(from, name_length(from)), STR(" import "));
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (str_starts(line, str_of(all[i].start)) && str_has(line, STR("(")) &&
            line.p[line.n - 1] == all[i].end)
            return true;
    return false;
}

static bool is_number(struct str text) {
    double value;
    return str_number(text, &value) || str_eq_nocase(text, STR("nan")) ||
           str_eq_nocase(text, STR("inf"));
}

/* "f(x)," of a call that may go on, and "x = f(", "size=world_size,", where a program prints
 * "loss=0.2,". */
bool line_is_code(struct str raw) {
    struct str line = str_trim(raw);
    if (line.n < 4) return false;
    if (is_statement(line)) return true;
    size_t n = name_length(line);
    bool open = strchr("(,[{)", line.p[line.n - 1]) != NULL;
    if (!n || !open) return false;
    if (byte_at(line, n) == '(') return true;
    struct str value = str_trim(str_from(line, n));
    if (!str_starts(value, STR("=")) || str_starts(value, STR("=="))) return false;
    value = str_trim(str_from(value, 1));
    n = name_length(value);
    struct str end = str_from(value, n);
    bool word = n && (str_eq(end, STR(",")) || str_eq(end, STR(")")));
    bool quoted = value.n && strchr("\"'[{", *value.p);
    return str_starts(end, STR("(")) || quoted || (word && !is_number(str_sub(value, 0, n)));
}
