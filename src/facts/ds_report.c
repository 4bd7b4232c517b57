/* ds_report: which ops are there, which versions DeepSpeed sees. */
#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "text/chars.h"

/* A run of dots between blanks; a name that fills its column leaves one ("transformer . [NO]"). */
bool line_dotted(struct str line, struct str *name, struct str *value) {
    ptrdiff_t one = str_find(line, STR(" . ["), 0), at = -1;
    while ((at = str_find(line, STR(" .."), (size_t)(at + 1))) >= 0 || one >= 0) {
        if (one >= 0 && (at < 0 || one < at)) at = one;
        size_t end = (size_t)at + 1;
        while (end < line.n && line.p[end] == '.') end++;
        if (end >= line.n || line.p[end] != ' ') continue;
        *name = str_trim(str_sub(line, 0, (size_t)at));
        *value = str_trim(str_sub(line, end, line.n));
        return name->n > 0 && value->n > 0;
    }
    return false;
}

static const char *yes_no(struct str box) {
    if (str_has(box, STR("YES")) || str_has(box, STR("OKAY")) || str_has(box, STR("SUCCESS")))
        return "yes";
    return str_has(box, STR("NO")) || str_has(box, STR("FAIL")) ? "no" : "";
}

static bool is_op_name(struct str name) {
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i])) return false;
    return name.n > 0;
}

/* `async_io ............... [NO] ....... [OKAY]` */
static void note_op(struct reading *reading, struct str name, struct str value) {
    struct str first = {0}, second;
    if (!pick_between(value, STR("["), STR("]"), &first) || !is_op_name(name)) return;
    bool two =
        pick_after(value, STR("]"), &second) && pick_between(second, STR("["), STR("]"), &second);
    if (two) {
        note(reading, note_key(reading, "ds_op." STR_FMT ".installed", STR_ARG(name)),
             str_of(yes_no(first)));
        note(reading, note_key(reading, "ds_op." STR_FMT ".compatible", STR_ARG(name)),
             str_of(yes_no(second)));
    } else {
        note(reading, note_key(reading, "ds_op." STR_FMT, STR_ARG(name)), str_of(yes_no(first)));
    }
}

static void note_general(struct reading *reading, struct str name, struct str value) {
    double gib;
    struct str rest;
    if (str_eq(name, STR("torch version")))
        package_note(reading, STR("torch"), value);
    else if (str_eq(name, STR("torch_npu version")))
        package_note(reading, STR("torch-npu"), value);
    else if (str_eq(name, STR("deepspeed info")))
        package_note(reading, STR("deepspeed"), value);
    else if (str_eq(name, STR("torch cuda version")))
        package_note_cuda(reading, STR("cuda.version"), value);
    else if (str_eq(name, STR("nvcc version")))
        note(reading, STR("nvcc.version"), pick_version(value));
    else if (str_eq(name, STR("torch hip version"))) {
        if (pick_version(value).n) note(reading, STR("gpu.vendor"), STR("amd"));
        note(reading, STR("hip.version"), pick_version(value));
    } else if (str_starts(name, STR("shared memory")) && str_gib(value, 'G', &gib))
        note_gib(reading, STR("shm.size"), gib);
    else if (str_starts(name, STR("deepspeed wheel compiled"))) {
        if (pick_after(value, STR("torch "), &rest))
            note(reading, STR("deepspeed.wheel.torch"), pick_version(rest));
        if (pick_after(value, STR("cuda "), &rest))
            note(reading, STR("deepspeed.wheel.cuda"), pick_version(rest));
    } else if (str_ends(name, STR("install path")))
        python_note_path(reading, value);
}

bool line_ds_report(struct reading *reading, struct str line) {
    struct str name, value, host;
    if (!line_dotted(line, &name, &value)) return false;
    if (pick_after(name, STR(": "), &host)) { /* pdsh puts the host in front */
        reading->machine =
            arena_str(&reading->scratch, str_sub(name, 0, (size_t)(host.p - name.p) - 2));
        name = host;
    }
    if (str_starts(value, STR("["))) {
        if (str_starts(value, STR("['")))
            note_general(reading, name, value);
        else
            note_op(reading, name, value);
        return true;
    }
    note_general(reading, name, value);
    return true;
}

static int recognize(struct str head, struct str name) {
    (void)name;
    if (str_has(head, STR("DeepSpeed C++/CUDA extension op report"))) {
        /* A log prints the same report among other things. */
        struct str rest = head, line;
        int lines = 0, own = 0;
        while (str_line(&rest, &line)) {
            if (!str_trim(line).n) continue;
            lines++;
            own += str_has(line, STR(" ..")) || str_has(line, STR("-----")) ||
                   str_has(line, STR("[WARNING]")) || str_has(line, STR("op report")) ||
                   str_has(line, STR("runtime if needed")) ||
                   str_has(line, STR("meet the required")) || str_has(line, STR("NOTE: Ops")) ||
                   str_has(line, STR("requires ninja")) ||
                   str_has(line, STR("general environment")) || str_has(line, STR("-gcc ")) ||
                   str_has(line, STR(" . [")) || str_has(line, STR("ds_accelerator"));
        }
        return own * 10 >= lines * 8 ? 95 : 0;
    }
    return str_has(head, STR("DeepSpeed general environment info:")) && head.n < 4096 ? 90 : 0;
}

static void read_ds_report(struct evidence *evidence, struct str text,
                           const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "ds_report");
    while (reading_line(&reading, &line)) line_ds_report(&reading, line);
    reading_close(&reading);
}

const struct fact_reader reader_ds_report = {.id = "ds_report",
                                             .about = "DeepSpeed's environment report",
                                             .kind = KIND_ENV,
                                             .recognize = recognize,
                                             .read = read_ds_report};
