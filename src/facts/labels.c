/* Lines of the form "label: value" as environment reports print them: torch.utils.collect_env,
 * colossalai check, accelerate env, transformers-cli env. */
#include "facts/gpu_model.h"
#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/system.h"
#include "text/chars.h"

enum meaning {
    AS_PACKAGE,
    AS_CUDA,
    AS_TEXT,
    AS_VERSION,
    AS_OS,
    AS_PLATFORM,
    AS_GPU,
    AS_MEMORY,
    AS_GLIBC,
    AS_YES,
    AS_COMPILER
};

struct label {
    const char *text; /* lower case */
    enum meaning meaning;
    const char *key;
};
static const struct label labels[] = {
    {"pytorch version", AS_PACKAGE, "torch"},
    {"torch version", AS_PACKAGE, "torch"},
    {"pytorch version (gpu?)", AS_PACKAGE, "torch"},
    {"pytorch version (gpu)", AS_PACKAGE, "torch"},
    {"tensorflow version (gpu?)", AS_PACKAGE, "tensorflow"},
    {"huggingface_hub version", AS_PACKAGE, "huggingface-hub"},
    {"colossal-ai version", AS_PACKAGE, "colossalai"},
    {"cuda used to build pytorch", AS_CUDA, "cuda.version"},
    {"cuda version required by pytorch", AS_CUDA, "cuda.version"},
    {"rocm used to build pytorch", AS_VERSION, "rocm.version"},
    {"cuda runtime version", AS_VERSION, "nvcc.version"},
    {"system cuda version", AS_VERSION, "nvcc.version"},
    {"nvidia driver version", AS_VERSION, "driver.version"},
    {"hip runtime version", AS_VERSION, "hip.version"},
    {"miopen runtime version", AS_VERSION, "miopen.version"},
    {"gcc version", AS_COMPILER, "gcc.version"},
    {"clang version", AS_COMPILER, "clang.version"},
    {"cmake version", AS_COMPILER, "cmake.version"},
    {"libc version", AS_GLIBC, "glibc.version"},
    {"cudnn version", AS_VERSION, "cudnn.version"},
    {"python version", AS_VERSION, "python.version"},
    {"python platform", AS_PLATFORM, ""},
    {"platform", AS_PLATFORM, ""},
    {"os", AS_OS, ""},
    {"operating system", AS_OS, ""},
    {"system", AS_OS, ""},
    {"is cuda available", AS_YES, "torch.cuda.available"},
    {"is debug build", AS_YES, "torch.debug_build"},
    {"found aot cuda extension", AS_YES, "colossalai.aot"},
    {"pytorch version used for aot compilation", AS_VERSION, "colossalai.aot.torch"},
    {"cuda version used for aot compilation", AS_VERSION, "colossalai.aot.cuda"},
    {"pytorch version match", AS_YES, "colossalai.match.torch"},
    {"system and pytorch cuda version match", AS_YES, "colossalai.match.cuda_torch"},
    {"system and colossal-ai cuda version match", AS_YES, "colossalai.match.cuda_aot"},
    {"gpu type", AS_GPU, ""},
    {"gpu model", AS_GPU, ""},
    {"system ram", AS_MEMORY, "host.memory.total"},
    {"pytorch accelerator", AS_TEXT, "torch.accelerator"},
    {"using distributed or parallel set-up in script?", AS_TEXT, "notes.distributed"},
    {"pytorch xpu available", AS_YES, "torch.xpu_available"},
    {"pytorch npu available", AS_YES, "torch.npu_available"},
    {"cuda_module_loading set to", AS_TEXT, "env.CUDA_MODULE_LOADING"},
};

static const char *truth(struct str value) {
    static const char *const yes[] = {"true", "yes", "\xE2\x9C\x93", "\xE2\x9C\x94", "ok"};
    static const char *const no[] = {"false", "no", "x", "\xE2\x9C\x97"};
    value = pick_word(value, NULL);
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        if (str_eq_nocase(value, str_of(yes[i]))) return "yes";
    for (size_t i = 0; i < COUNT_OF(no); i++)
        if (str_eq_nocase(value, str_of(no[i]))) return "no";
    return "";
}

/* "(Ubuntu 9.4.0-1ubuntu1~20.04.1) 9.4.0", "version 3.24.1", "10.2.1 20210130 (Red Hat 10.2.1-11)"
 */
static struct str compiler_version(struct str value) {
    struct str behind;
    if (value.n && value.p[0] == '(' && pick_after(value, STR(") "), &behind)) value = behind;
    return pick_dotted(value);
}

static void note_label(struct reading *reading, const struct label *label, struct str value) {
    struct str key = str_of(label->key);
    double gib;
    switch (label->meaning) {
    case AS_PACKAGE: package_note(reading, key, value); break;
    case AS_CUDA: package_note_cuda(reading, key, value); break;
    case AS_TEXT: note(reading, key, pick_until(value, STR("<fill"))); break;
    case AS_VERSION:
        if (str_eq(key, STR("driver.version"))) value = pick_word(value, NULL);
        if (!is_digit(byte_at(value, 0))) value = pick_dotted(value);
        if (str_eq(key, STR("rocm.version")) && pick_version(value).n)
            note(reading, STR("gpu.vendor"), STR("amd"));
        note(reading, key, pick_version(value));
        break;
    case AS_OS: os_note(reading, value); break;
    case AS_PLATFORM: os_note_platform(reading, value); break;
    case AS_GPU: gpu_model_note(reading, value); break;
    case AS_MEMORY:
        if (str_gib(value, 'G', &gib)) note_gib(reading, key, gib);
        break;
    case AS_GLIBC: note(reading, key, pick_dotted(value)); break;
    case AS_YES: note(reading, key, str_of(truth(value))); break;
    case AS_COMPILER: note(reading, key, compiler_version(value)); break;
    }
}

/* Without the bullet, quotes and emphasis that Markdown puts around a label. */
static struct str bare_label(struct reading *reading, struct str label) {
    struct str copy = arena_str(&reading->scratch, str_sub(label, 0, 100));
    char *p = (char *)copy.p;
    size_t n = 0;
    for (size_t i = 0; i < copy.n; i++)
        if (!strchr("`*_-", p[i]) || (n > 0 && p[i] != '`' && p[i] != '*')) p[n++] = to_lower(p[i]);
    return str_trim(str_sub(copy, 0, n));
}

/* The label that a line begins with, or NULL.  None holds a digit. */
static const struct label *label_of(struct reading *reading, struct str line, struct str *value) {
    struct str name;
    if (line.n > 400 || !pick_pair(line, ':', &name, value) || name.n > 80) return NULL;
    name = bare_label(reading, name);
    for (size_t i = 0; i < COUNT_OF(labels); i++)
        if (str_eq(name, str_of(labels[i].text))) return &labels[i];
    return NULL;
}

bool line_label(struct reading *reading, struct str line) {
    struct str value;
    const struct label *label = label_of(reading, line, &value);
    if (label) note_label(reading, label, value);
    return label != NULL;
}

bool line_label_may(struct reading *reading, struct str line) {
    return label_of(reading, line, &(struct str){0}) != NULL;
}

/* ---- the blocks of collect_env -------------------------------------------------------- */

/* "GPU 0: NVIDIA A100 80GB PCIe" below "GPU models and configuration:"; returns 1 for a GPU. */
static int gpu_row(struct reading *reading, struct str line) {
    int index;
    struct str name;
    if (!str_starts(line, STR("GPU ")) || !pick_int(str_sub(line, 4, line.n), &index)) return 0;
    if (!pick_after(line, STR(": "), &name)) return 0;
    gpu_model_note(reading, pick_until(name, STR(" (UUID")));
    note(reading, note_key(reading, "gpu.%d.name", index), pick_until(name, STR(" (UUID")));
    return 1;
}

static void read_report(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    int gpus = 0;
    reading_open(&reading, evidence, text, origin, "collect_env");
    while (reading_line(&reading, &line)) {
        line = str_trim(line);
        int gpu = gpu_row(&reading, line);
        gpus += gpu;
        if (gpu || line_label(&reading, line)) continue;
        if (str_starts(line, STR("[")) && line_package(&reading, line)) continue;
        if (str_has(line, STR("libcudnn.so."))) {
            struct str version;
            if (pick_after(line, STR("libcudnn.so."), &version))
                note(&reading, STR("cudnn.version"), pick_version(version));
        }
        system_line(&reading, line);
    }
    if (gpus) note_int(&reading, STR("gpu.count"), gpus);
    reading_close(&reading);
}

static int recognize_collect_env(struct str head, struct str name) {
    (void)name;
    if (!str_has(head, STR("CUDA used to build PyTorch:")) ||
        !str_has(head, STR("PyTorch version:")))
        return 0;
    return str_has(str_sub(head, 0, 600), STR("PyTorch version:")) ? 95 : 40;
}

static int recognize_colossalai(struct str head, struct str name) {
    (void)name;
    return str_has(str_sub(head, 0, 600), STR("Colossal-AI version:")) &&
                   str_has(head, STR("CUDA version required by PyTorch:"))
               ? 95
               : 0;
}

const struct fact_reader reader_collect_env = {.id = "collect_env",
                                               .about = "python -m torch.utils.collect_env",
                                               .kind = KIND_ENV,
                                               .recognize = recognize_collect_env,
                                               .read = read_report};
const struct fact_reader reader_colossalai_check = {.id = "colossalai_check",
                                                    .about = "colossalai check -i",
                                                    .kind = KIND_ENV,
                                                    .recognize = recognize_colossalai,
                                                    .read = read_report};
