/* nvidia-smi -q -x: the same tree as XML. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/smi_tree.h"

#include <expat.h>

enum { LEVELS = 16 };

struct walk {
    XML_Parser parser;
    struct smi_tree tree;
    char path[512]; /* below the root, or below the GPU */
    size_t ends[LEVELS];
    int depth;     /* open elements, the root included */
    int gpu_depth; /* depth of the open <gpu>, 0 outside */
    struct buf text;
    bool leaf;
};

static int path_level(const struct walk *walk) {
    return walk->depth - (walk->gpu_depth ? walk->gpu_depth : 1);
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes) {
    struct walk *walk = context;
    walk->depth++;
    walk->leaf = true;
    buf_clear(&walk->text);
    walk->tree.reading->origin.line =
        walk->tree.reading->base_line + (uint32_t)XML_GetCurrentLineNumber(walk->parser) - 1;
    if (walk->depth == 2 && strcmp(name, "gpu") == 0) {
        struct str bus = {0};
        for (int i = 0; attributes[i] && attributes[i + 1]; i += 2)
            if (strcmp(attributes[i], "id") == 0) bus = str_of(attributes[i + 1]);
        walk->gpu_depth = walk->depth;
        smi_gpu(&walk->tree, bus);
        return;
    }
    int level = path_level(walk);
    if (level < 1 || level >= LEVELS) return;
    size_t at = level > 1 ? walk->ends[level - 1] : 0;
    if (at && at + 1 < sizeof walk->path) walk->path[at++] = '/';
    for (size_t i = 0; name[i] && at + 1 < sizeof walk->path; i++) walk->path[at++] = name[i];
    walk->ends[level] = at;
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
    struct walk *walk = context;
    int level = path_level(walk);
    (void)name;
    if (walk->gpu_depth == walk->depth)
        walk->gpu_depth = 0;
    else if (walk->leaf && level >= 1 && level < LEVELS)
        smi_leaf(&walk->tree, (struct str){walk->path, walk->ends[level]}, buf_view(&walk->text));
    walk->leaf = false;
    walk->depth--;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int n) {
    struct walk *walk = context;
    buf_add(&walk->text, text, (size_t)n);
}

static void read_xml(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct walk *walk;
    reading_open(&reading, evidence, text, origin, "nvidia-smi -q -x");
    walk = ARENA_NEW(&reading.scratch, struct walk);
    walk->text.limit = READING_VALUE;
    smi_tree_open(&walk->tree, &reading);
    walk->parser = XML_ParserCreate(NULL);
    if (!walk->parser) base_out_of_memory();
    XML_SetUserData(walk->parser, walk);
    XML_SetElementHandler(walk->parser, on_start, on_end);
    XML_SetCharacterDataHandler(walk->parser, on_text);
    size_t n = text.n > INT32_MAX ? INT32_MAX : text.n;
    /* A cut file gives what stands before the cut. */
    if (XML_Parse(walk->parser, text.p, (int)n, 1) == XML_STATUS_ERROR &&
        str_has(str_sub(text, 0, 1024), STR("<nvidia_smi_log>")))
        note(&reading, STR("nvidia-smi.xml"), STR("incomplete"));
    XML_ParserFree(walk->parser);
    smi_tree_close(&walk->tree);
    buf_release(&walk->text);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    return str_has(str_sub(head, 0, 1024), STR("<nvidia_smi_log>")) ? 98 : 0;
}

const struct fact_reader reader_smi_xml = {.id = "nvidia-smi-xml",
                                           .about = "nvidia-smi -q -x",
                                           .kind = KIND_GPU,
                                           .recognize = recognize,
                                           .read = read_xml};
