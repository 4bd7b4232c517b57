#include "facts/gpu_model.h"

#include "base/json.h"
#include "facts/pick.h"
#include "text/chars.h"

/* Longer names first where one begins with another. */
static const struct gpu_model models[] = {
    {"RTX PRO 6000", "12.0", "nvidia", 96, false},
    {"RTX 6000 Ada", "8.9", "nvidia", 48, false},
    {"RTX 5000 Ada", "8.9", "nvidia", 32, false},
    {"Quadro RTX 8000", "7.5", "nvidia", 48, false},
    {"Quadro RTX 6000", "7.5", "nvidia", 24, false},
    {"Quadro RTX 5000", "7.5", "nvidia", 16, false},
    {"RTX A6000", "8.6", "nvidia", 48, false},
    {"RTX A5500", "8.6", "nvidia", 24, false},
    {"RTX A5000", "8.6", "nvidia", 24, false},
    {"RTX A4500", "8.6", "nvidia", 20, false},
    {"RTX A4000", "8.6", "nvidia", 16, false},
    {"RTX 5090", "12.0", "nvidia", 0, false},
    {"RTX 5080", "12.0", "nvidia", 16, false},
    {"RTX 5070", "12.0", "nvidia", 0, false},
    {"RTX 4090", "8.9", "nvidia", 0, false},
    {"RTX 4080", "8.9", "nvidia", 0, false},
    {"RTX 4070", "8.9", "nvidia", 0, false},
    {"RTX 4060", "8.9", "nvidia", 0, false},
    {"RTX 3090", "8.6", "nvidia", 24, false},
    {"RTX 3080", "8.6", "nvidia", 0, false},
    {"RTX 3070", "8.6", "nvidia", 0, false},
    {"RTX 3060", "8.6", "nvidia", 0, false},
    {"RTX 2080", "7.5", "nvidia", 0, false},
    {"RTX 2070", "7.5", "nvidia", 8, false},
    {"RTX 2060", "7.5", "nvidia", 0, false},
    {"GTX 1660", "7.5", "nvidia", 6, false},
    {"GTX 1650", "7.5", "nvidia", 4, false},
    {"GTX 1080", "6.1", "nvidia", 0, false},
    {"GTX 1070", "6.1", "nvidia", 8, false},
    {"GTX 1060", "6.1", "nvidia", 0, false},
    {"GTX 1050", "6.1", "nvidia", 0, false},
    {"GTX TITAN X", "5.2", "nvidia", 12, false},
    {"GTX 980", "5.2", "nvidia", 0, false},
    {"TITAN RTX", "7.5", "nvidia", 24, false},
    {"TITAN Xp", "6.1", "nvidia", 12, false},
    {"TITAN X", "6.1", "nvidia", 12, false},
    {"TITAN V", "7.0", "nvidia", 12, false},
    {"A100X", "8.0", "nvidia", 80, false},
    {"A100", "8.0", "nvidia", 0, false},
    {"A800", "8.0", "nvidia", 0, false},
    {"H100", "9.0", "nvidia", 0, false},
    {"H800", "9.0", "nvidia", 80, false},
    {"H200", "9.0", "nvidia", 141, false},
    {"H20", "9.0", "nvidia", 0, true},
    {"GH200", "9.0", "nvidia", 0, false},
    {"GB300", "10.3", "nvidia", 0, false},
    {"GB200", "10.0", "nvidia", 0, false},
    {"B300", "10.3", "nvidia", 0, false},
    {"B200", "10.0", "nvidia", 0, false},
    {"B100", "10.0", "nvidia", 0, false},
    {"GB10", "12.1", "nvidia", 0, false},
    {"V100S", "7.0", "nvidia", 32, false},
    {"V100", "7.0", "nvidia", 0, false},
    {"P100", "6.0", "nvidia", 0, false},
    {"P40", "6.1", "nvidia", 24, true},
    {"P4", "6.1", "nvidia", 8, true},
    {"K80", "3.7", "nvidia", 0, true},
    {"K40m", "3.5", "nvidia", 12, true},
    {"K40", "3.5", "nvidia", 12, true},
    {"M60", "5.2", "nvidia", 0, true},
    {"M40", "5.2", "nvidia", 0, true},
    {"A10G", "8.6", "nvidia", 24, false},
    {"A10", "8.6", "nvidia", 24, true},
    {"A16", "8.6", "nvidia", 16, true},
    {"A2", "8.6", "nvidia", 16, true},
    {"A30", "8.0", "nvidia", 24, true},
    {"A40", "8.6", "nvidia", 48, true},
    {"A6000", "8.6", "nvidia", 48, false},
    {"A5000", "8.6", "nvidia", 24, false},
    {"A4000", "8.6", "nvidia", 16, false},
    {"L40S", "8.9", "nvidia", 48, false},
    {"L40", "8.9", "nvidia", 48, true},
    {"L20", "8.9", "nvidia", 48, true},
    {"L4", "8.9", "nvidia", 24, true},
    {"T4", "7.5", "nvidia", 16, true},
    {"5090", "12.0", "nvidia", 0, true},
    {"4090", "8.9", "nvidia", 24, true},
    {"3090", "8.6", "nvidia", 24, true},
    {"2080Ti", "7.5", "nvidia", 11, false},
    {"1080Ti", "6.1", "nvidia", 11, false},
    {"MI355X", "gfx950", "amd", 288, false},
    {"MI350X", "gfx950", "amd", 288, false},
    {"MI325X", "gfx942", "amd", 256, false},
    {"MI300X", "gfx942", "amd", 192, false},
    {"MI300A", "gfx942", "amd", 128, false},
    {"MI250X", "gfx90a", "amd", 128, false},
    {"MI250", "gfx90a", "amd", 128, false},
    {"MI210", "gfx90a", "amd", 64, false},
    {"MI100", "gfx908", "amd", 32, false},
    {"MI60", "gfx906", "amd", 32, false},
    {"MI50", "gfx906", "amd", 0, false},
    {"RX 7900", "gfx1100", "amd", 0, false},
    {"Radeon VII", "gfx906", "amd", 16, false},
    {"Ascend 910", "", "huawei", 0, false},
    {"Gaudi", "", "intel", 0, false},
};

/* Blanks and dashes between the parts of a name come and go: "RTX3090", "RTX-3090". */
static size_t match_name(struct str s, size_t at, const char *name) {
    size_t i = at;
    for (; *name; name++) {
        if (*name == ' ') {
            if (i < s.n && (s.p[i] == ' ' || s.p[i] == '-' || s.p[i] == '_')) i++;
            continue;
        }
        if (i >= s.n || to_lower(s.p[i]) != to_lower(*name)) return 0;
        i++;
    }
    return i - at;
}

/* Behind a model: no digit or lower-case word ("T4x2" and "V100s" are fine, "A100B" is not). */
static bool ends_well(struct str s, size_t end) {
    if (end >= s.n || !is_word(s.p[end])) return true;
    struct str rest = str_sub(s, end, s.n);
    static const char *const tails[] = {"s", "x", "ti", "super", "_", "sxm", "pcie"};
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        size_t n = strlen(tails[i]);
        if (n > rest.n || !str_eq_nocase(str_sub(rest, 0, n), str_of(tails[i]))) continue;
        if (tails[i][0] == '_' || n == rest.n || !is_alpha(rest.p[n])) return true;
    }
    return false;
}

/* In front of it: nothing, or a count ("8xA100", "4*A40", "2x3090"). */
static bool begins_well(struct str s, size_t at) {
    if (at == 0 || !is_word(s.p[at - 1])) return true;
    char c = s.p[at - 1];
    if ((c == 'x' || c == 'X') && at >= 2 && is_digit(s.p[at - 2])) return true;
    return c == '_' || (unsigned char)c >= 0x80;
}

const struct gpu_model *gpu_model_find(struct str text, size_t *at, size_t *n) {
    for (size_t i = 0; i < text.n; i++) {
        if (!begins_well(text, i)) continue;
        for (size_t m = 0; m < COUNT_OF(models); m++) {
            size_t length = match_name(text, i, models[m].name);
            if (!length || !ends_well(text, i + length)) continue;
            *at = i;
            *n = length;
            return &models[m];
        }
    }
    return NULL;
}

const struct gpu_model *gpu_model_of(struct str name) {
    size_t at, n;
    return gpu_model_find(name, &at, &n);
}

/* "80GB" in "NVIDIA A100-SXM4-80GB". */
static bool memory_in_name(struct str name, double *gib) {
    for (size_t i = 0; i < name.n; i++) {
        if (!is_digit(name.p[i]) || (i > 0 && is_word(name.p[i - 1]))) continue;
        struct str number = pick_number(str_sub(name, i, name.n));
        struct str rest = str_trim(str_sub(name, i + number.n, name.n));
        if (number.n && rest.n && (rest.p[0] == 'G' || rest.p[0] == 'g') && str_number(number, gib))
            return *gib >= 2;
        i += number.n;
    }
    return false;
}

void gpu_model_note(struct reading *reading, struct str name) {
    name = str_trim(name);
    note(reading, STR("gpu.name"), name);
    const struct gpu_model *model = gpu_model_of(name);
    double gib = 0;
    if (memory_in_name(name, &gib) || (model && (gib = model->gib) > 0))
        note_unit(reading, STR("gpu.memory"), json_number_text(&reading->scratch, gib), STR("GiB"));
    if (!model) return;
    note(reading, STR("gpu.vendor"), str_of(model->vendor));
    note(reading, STR("gpu.arch"), str_of(model->arch));
}
