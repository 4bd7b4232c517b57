/* nvidia-smi -q: an indented tree of "Name : value" lines, in full or in part (-d ECC ...). */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/smi_tree.h"
#include "text/chars.h"

enum { LEVELS = 12 };

struct indented {
    size_t indent[LEVELS];
    size_t end[LEVELS]; /* bytes of path that the level ends at */
    int n;
    char path[512];
};

/* "FB Memory Usage" -> "fb_memory_usage" */
static size_t add_part(struct indented *tree, size_t at, struct str name) {
    if (at && at + 1 < sizeof tree->path) tree->path[at++] = '/';
    for (size_t i = 0; i < name.n && at + 1 < sizeof tree->path; i++) {
        tree->path[at++] = is_alnum(name.p[i]) ? to_lower(name.p[i]) : '_';
    }
    return at;
}

static struct str path_of(struct indented *tree, size_t indent, struct str name, bool opens) {
    while (tree->n > 0 && tree->indent[tree->n - 1] >= indent) tree->n--;
    size_t at = add_part(tree, tree->n ? tree->end[tree->n - 1] : 0, name);
    if (opens && tree->n < LEVELS) {
        tree->indent[tree->n] = indent;
        tree->end[tree->n++] = at;
    }
    return (struct str){tree->path, at};
}

static size_t indentation(struct str line) {
    size_t n = 0;
    while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t')) n += 1;
    return n;
}

static void read_line(struct smi_tree *tree, struct indented *where, struct str line) {
    struct str body = str_trim(line), name, value = {0};
    size_t indent = indentation(line);
    if (!body.n || body.p[0] == '=') return;
    if (indent == 0 && str_starts(body, STR("GPU ")) && body.n < 40) {
        where->n = 0;
        smi_gpu(tree, str_trim(str_sub(body, 4, body.n)));
        return;
    }
    ptrdiff_t colon = str_find(body, STR(" : "), 0);
    if (colon < 0 && str_ends(body, STR(" :"))) colon = (ptrdiff_t)body.n - 2;
    name = colon < 0 ? body : str_trim(str_sub(body, 0, (size_t)colon));
    if (colon >= 0) value = str_trim(str_sub(body, (size_t)colon + 2, body.n));
    if (colon < 0 && str_ends(name, STR(":"))) name = str_sub(name, 0, name.n - 1);
    struct str path = path_of(where, indent, name, colon < 0);
    if (colon >= 0)
        smi_leaf(tree, path, value);
    else if (tree->gpu >= 0)
        smi_trouble(tree->reading, note_key(tree->reading, "gpu.%d.error", tree->gpu), body);
}

static void read_query(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct smi_tree tree;
    struct indented where = {.n = 0};
    struct str line;
    reading_open(&reading, evidence, text, origin, "nvidia-smi -q");
    smi_tree_open(&tree, &reading);
    while (reading_line(&reading, &line)) read_line(&tree, &where, line);
    smi_tree_close(&tree);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    if (str_has(str_sub(head, 0, 512), STR("NVSMI LOG"))) return 98;
    /* Without its heading it is one only from the start: reports quote parts of it. */
    return str_has(str_sub(head, 0, 300), STR("    Product Name ")) &&
                   str_has(head, STR("    FB Memory Usage"))
               ? 80
               : 0;
}

const struct fact_reader reader_smi_query = {.id = "nvidia-smi-q",
                                             .about = "nvidia-smi -q",
                                             .kind = KIND_GPU,
                                             .recognize = recognize,
                                             .read = read_query};
