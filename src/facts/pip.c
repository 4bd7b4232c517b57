/* Package lists: pip freeze, pip list, pip show, conda list, uv. */
#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "text/chars.h"

static size_t name_length(struct str s) {
    size_t n = 0;
    while (n < s.n && (is_alnum(s.p[n]) || strchr("._-", s.p[n]))) n++;
    return n;
}

/* `torch @ file:///tmp/torch-2.1.0-cp310-...whl`, `flash-attn @ https://.../v2.3.0/...` */
static bool note_at_url(struct reading *reading, struct str name, struct str url) {
    struct str file = str_file_name(url), version;
    if (file.n > name.n + 1 && str_ends(pick_until(file, STR("#")), STR(".whl")) &&
        pick_after(file, STR("-"), &version))
        package_note(reading, name, pick_until(version, STR("-")));
    return true;
}

/* Two columns or more: a name, blanks, a version, then perhaps a build, a channel or a path. */
static bool note_columns(struct reading *reading, struct str name, struct str rest) {
    struct str version = pick_word(rest, NULL);
    struct str clean = pick_version(version);
    if (!clean.n || clean.n != version.n || !memchr(version.p, '.', version.n)) return false;
    /* "qwen2.5 1.5b" is a model: a release ends in a digit, or has a local part behind '+'. */
    bool ends = is_digit(version.p[version.n - 1]) || memchr(version.p, '+', version.n);
    if (ends) package_note(reading, name, version);
    return ends;
}

bool line_package(struct reading *reading, struct str line) {
    line = str_trim(line);
    if (str_starts(line, STR("[pip3] ")) || str_starts(line, STR("[pip] ")) ||
        str_starts(line, STR("[conda] ")))
        pick_word(line, &line);
    if (str_starts(line, STR("- ")) || str_starts(line, STR("+ ")))
        line = str_trim(str_sub(line, 2, line.n));
    size_t n = name_length(line);
    if (n == 0 || !is_alnum(line.p[0])) return false;
    struct str name = str_sub(line, 0, n), rest = str_sub(line, n, line.n);
    if (rest.n && rest.p[0] == '[') {
        struct str extras;
        if (!pick_after(rest, STR("]"), &extras)) return false;
        rest = extras;
    }
    rest = str_trim(rest);
    if (str_starts(rest, STR("=="))) {
        package_note(reading, name,
                     str_trim(str_sub(rest, rest.n > 2 && rest.p[2] == '=' ? 3 : 2, rest.n)));
        return true;
    }
    if (str_starts(rest, STR("@ "))) return note_at_url(reading, name, str_sub(rest, 2, rest.n));
    if (rest.n && rest.p[0] == '=' && rest.n > 1 && is_digit(rest.p[1])) {
        package_note(reading, name,
                     pick_until(str_sub(rest, 1, rest.n), STR("="))); /* conda export */
        return true;
    }
    return note_columns(reading, name, rest);
}

/* ---- the reader of whole lists -------------------------------------------------------- */

static bool is_requirement(struct str line) {
    size_t n = name_length(line);
    if (n == 0 || !is_alpha(line.p[0])) return false;
    struct str rest = str_trim(str_sub(line, n, line.n));
    if (rest.n && rest.p[0] == '[') pick_after(rest, STR("]"), &rest);
    return rest.n == 0 || str_starts(rest, STR("==")) || str_starts(rest, STR(">=")) ||
           str_starts(rest, STR("<=")) || str_starts(rest, STR("~=")) ||
           str_starts(rest, STR("!=")) || rest.p[0] == '<' || rest.p[0] == '>' ||
           str_starts(rest, STR("@ "));
}

static bool is_column_row(struct str line) {
    struct str rest, name = pick_word(line, &rest);
    if (!name.n || name_length(name) != name.n) return false;
    struct str version = pick_word(rest, NULL);
    return version.n && pick_version(version).n == version.n && memchr(version.p, '.', version.n);
}

static int recognize(struct str head, struct str name) {
    struct str rest = head, line;
    int rows = 0, pinned = 0, columns = 0, other = 0, bare = 0;
    bool heading = false;
    while (str_line(&rest, &line) && rows + other < 400) {
        line = str_trim(line);
        if (!line.n || line.p[0] == '#' || str_starts(line, STR("--"))) {
            heading = heading || str_starts(line, STR("# packages in environment"));
            continue;
        }
        if (str_starts(line, STR("-e ")) || str_starts(line, STR("git+")))
            rows++;
        else if (str_starts(line, STR("Package ")) && str_has(line, STR("Version")))
            heading = true;
        else if (is_requirement(line))
            rows++, pinned += str_has(line, STR("==")), bare += !memchr(line.p, '=', line.n);
        else if (is_column_row(line))
            rows++, columns++;
        else
            other++;
    }
    bool named = str_find_nocase(name, STR("requirement"), 0) >= 0 ||
                 str_find_nocase(name, STR("freeze"), 0) >= 0 ||
                 str_find_nocase(name, STR("packages"), 0) >= 0 ||
                 str_find_nocase(name, STR("pip"), 0) >= 0 ||
                 str_find_nocase(name, STR("conda"), 0) >= 0;
    if (other * 10 > rows || rows == 0) return 0;
    if (heading && columns > 0) return 95;
    if (named && rows >= 2) return 92;
    if (pinned >= 3 && pinned * 2 >= rows) return 90;
    if (columns >= 5) return 75;
    /* A bare list of names: only when there are many and nothing else. */
    return bare >= 20 && other == 0 && str_find(head, STR("torch"), 0) >= 0 ? 60 : 0;
}

static void read_packages(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line, show = {0}, value;
    reading_open(&reading, evidence, text, origin, "packages");
    while (reading_line(&reading, &line)) {
        if (pick_after(line, STR("Name: "), &value) && str_starts(line, STR("Name")))
            show = value;
        else if (show.n && str_starts(line, STR("Version: ")) &&
                 pick_after(line, STR("Version: "), &value))
            package_note(&reading, show, value);
        else
            line_package(&reading, line);
    }
    reading_close(&reading);
}

const struct fact_reader reader_packages = {.id = "packages",
                                            .about = "pip freeze, pip list, conda list",
                                            .kind = KIND_ENV,
                                            .recognize = recognize,
                                            .read = read_packages};
