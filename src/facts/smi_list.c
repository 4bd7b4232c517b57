/* The short lists of nvidia-smi: -L, topo -m, nvlink --status. */
#include "facts/gpu_model.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/smi_tree.h"
#include "text/chars.h"

/* "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)" */
static bool gpu_line(struct reading *reading, struct str line, int *gpu) {
    struct str rest, uuid;
    if (!str_starts(line, STR("GPU ")) || !pick_int(str_sub(line, 4, line.n), gpu) ||
        !pick_after(line, STR(": "), &rest))
        return false;
    struct str name = str_trim(pick_until(rest, STR("(UUID")));
    gpu_model_note(reading, name);
    note(reading, note_key(reading, "gpu.%d.name", *gpu), name);
    if (pick_between(line, STR("UUID: "), STR(")"), &uuid))
        note(reading, note_key(reading, "gpu.%d.uuid", *gpu), uuid);
    return true;
}

static void note_migs(struct reading *reading, int gpu, int migs) {
    if (gpu >= 0 && migs) note_int(reading, note_key(reading, "gpu.%d.mig.devices", gpu), migs);
}

static void read_list(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line, profile;
    int gpu = -1, gpus = 0, migs = 0;
    reading_open(&reading, evidence, text, origin, "nvidia-smi -L");
    while (reading_line(&reading, &line)) {
        line = str_trim(line);
        int before = gpu;
        if (gpu_line(&reading, line, &gpu)) {
            note_migs(&reading, before, migs);
            gpus++;
            migs = 0;
        } else if (gpu >= 0 && str_starts(line, STR("MIG ")) && str_has(line, STR("Device"))) {
            profile = pick_word(str_sub(line, 4, line.n), NULL);
            note(&reading, note_key(&reading, "gpu.%d.mig.%d.profile", gpu, migs), profile);
            note(&reading, note_key(&reading, "gpu.%d.mig", gpu), STR("Enabled"));
            migs++;
        } else {
            smi_trouble(&reading, STR("gpu.list.error"), line);
        }
    }
    note_migs(&reading, gpu, migs);
    if (gpus) note_int(&reading, STR("gpu.count"), gpus);
    reading_close(&reading);
}

static int recognize_list(struct str head, struct str name) {
    (void)name;
    struct str text = str_trim(head);
    if (!str_starts(text, STR("GPU 0:")) || !str_has(head, STR("(UUID: "))) return 0;
    return str_has(head, STR("Link 0:")) || str_has(head, STR("Link 1:")) ? 0 : 95;
}

/* ---- nvlink --------------------------------------------------------------------------- */

struct links {
    int gpu, active, inactive;
};

static void note_links(struct reading *reading, const struct links *links) {
    if (links->gpu < 0 || links->active + links->inactive == 0) return;
    note_int(reading, note_key(reading, "gpu.%d.nvlink.active", links->gpu), links->active);
    note_int(reading, note_key(reading, "gpu.%d.nvlink.inactive", links->gpu), links->inactive);
}

static void read_nvlink(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line, state;
    struct links links = {.gpu = -1};
    int gpu, gpus = 0, link;
    reading_open(&reading, evidence, text, origin, "nvidia-smi nvlink");
    while (reading_line(&reading, &line)) {
        line = str_trim(line);
        if (gpu_line(&reading, line, &gpu)) {
            note_links(&reading, &links);
            links = (struct links){.gpu = gpu};
            gpus++;
        } else if (links.gpu >= 0 && str_starts(line, STR("Link ")) &&
                   pick_int(str_sub(line, 5, line.n), &link) &&
                   pick_after(line, STR(": "), &state)) {
            bool active = is_digit((state.n ? state.p[0] : 'x'));
            if (active)
                links.active++;
            else
                links.inactive++;
            if (!active)
                note(&reading, note_key(&reading, "gpu.%d.nvlink.%d", links.gpu, link), state);
        }
    }
    note_links(&reading, &links);
    if (gpus) note_int(&reading, STR("gpu.count"), gpus);
    reading_close(&reading);
}

static int recognize_nvlink(struct str head, struct str name) {
    (void)name;
    return str_starts(str_trim(head), STR("GPU 0:")) &&
                   (str_has(head, STR("Link 0:")) || str_has(head, STR("inActive")))
               ? 96
               : 0;
}

/* ---- topo -m -------------------------------------------------------------------------- */

/* The columns stand first in their line; prose that speaks of GPU0 and GPU1 does not count. */
static bool topo_header(struct str line) {
    struct str rest, first = pick_word(str_trim(line), &rest), second = pick_word(rest, &rest);
    return str_has(first, STR("GPU0")) &&
           (str_has(second, STR("GPU1")) || str_has(line, STR("Affinity")));
}

static bool is_link(struct str word) {
    static const char *const kinds[] = {"SYS", "NODE", "PHB", "PXB", "PIX", "PIX*"};
    if (STR_AMONG(word, kinds)) return true;
    return word.n >= 3 && str_starts(word, STR("NV")) && is_digit(word.p[2]);
}

struct topo {
    int gpus, nvlinks, sys, other;
};

/* "GPU0  X  NV18 ... PIX ... 0-63  0": the links between GPUs, one per column of a GPU. */
static void topo_row(struct reading *reading, struct topo *topo, int columns, struct str line) {
    struct str rest, name = pick_word(line, &rest);
    int index;
    if (!str_starts(name, STR("GPU")) || !pick_int(str_sub(name, 3, name.n), &index)) return;
    topo->gpus++;
    for (int column = 0; column < columns && rest.n; column++) {
        struct str word = pick_word(rest, &rest);
        if (!is_link(word) || column <= index) continue;
        if (str_starts(word, STR("NV")))
            topo->nvlinks++;
        else if (str_eq(word, STR("SYS")))
            topo->sys++;
        else
            topo->other++;
        note(reading, note_key(reading, "topo.%d.%d", index, column), word);
    }
}

static void read_topo(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line, rest;
    struct topo topo = {0};
    int columns = 0, nics = 0;
    reading_open(&reading, evidence, text, origin, "nvidia-smi topo");
    while (reading_line(&reading, &line)) {
        if (columns == 0 && topo_header(line)) {
            for (rest = str_trim(line); rest.n;) {
                struct str word = pick_word(rest, &rest);
                columns += str_starts(word, STR("GPU")) && word.n > 3 && is_digit(word.p[3]);
                nics += str_starts(word, STR("NIC")) || str_starts(word, STR("mlx"));
            }
        } else if (columns) {
            topo_row(&reading, &topo, columns, line);
        } else if (str_has(line, STR("ERROR"))) {
            note(&reading, STR("topo.error"), line);
        }
    }
    if (topo.gpus) {
        note_int(&reading, STR("gpu.count"), topo.gpus);
        note(&reading, STR("topo.nvlink"), topo.nvlinks ? STR("yes") : STR("no"));
        if (topo.sys) note_int(&reading, STR("topo.sys_links"), topo.sys);
        if (nics) note_int(&reading, STR("topo.nics"), nics);
    }
    reading_close(&reading);
}

static int recognize_topo(struct str head, struct str name) {
    struct str rest = head, line;
    for (int i = 0; i < 4 && str_line(&rest, &line); i++)
        if (topo_header(line)) return 95;
    bool usage =
        str_starts(str_trim(head), STR("ERROR: Option")) && str_has(head, STR("nvidia-smi"));
    return usage                                                                      ? 80
           : str_find_nocase(name, STR("topo"), 0) >= 0 && str_has(head, STR("GPU0")) ? 70
                                                                                      : 0;
}

const struct fact_reader reader_smi_list = {.id = "nvidia-smi-L",
                                            .about = "nvidia-smi -L",
                                            .kind = KIND_GPU,
                                            .recognize = recognize_list,
                                            .read = read_list};
const struct fact_reader reader_nvlink = {.id = "nvlink",
                                          .about = "nvidia-smi nvlink --status",
                                          .kind = KIND_NETWORK,
                                          .recognize = recognize_nvlink,
                                          .read = read_nvlink};
const struct fact_reader reader_smi_topo = {.id = "nvidia-smi-topo",
                                            .about = "nvidia-smi topo -m",
                                            .kind = KIND_GPU,
                                            .recognize = recognize_topo,
                                            .read = read_topo};
