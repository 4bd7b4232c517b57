#include "think/links.h"

#include <math.h>

enum {
    FILLS = 32 << 20, /* bytes of a message that fills a link */
    LOW_PERCENT = 40, /* of what the links give: below, something is wrong */
    PORTS = 64
};

/* GB/s of NVLink a GPU and direction, which the bus bandwidth of a good table comes near to. */
static double nvlink_rate(struct str gpu) {
    static const struct {
        char name[8], needs[8]; /* arrays, not pointers: think has no data to relocate */
        double rate;
    } models[] = {{"V100", "SXM", 150},  {"A100", "SXM", 300}, {"A800", "SXM", 200},
                  {"H100", "HBM3", 450}, {"H100", "SXM", 450}, {"H800", "", 200},
                  {"H200", "", 450},     {"B200", "", 900},    {"B300", "", 900}};
    if (str_find_nocase(gpu, STR("PCIe"), 0) >= 0 || str_find_nocase(gpu, STR("NVL"), 0) >= 0)
        return 0;
    for (size_t i = 0; i < COUNT_OF(models); i++)
        if (str_has(gpu, str_of(models[i].name)) && str_has(gpu, str_of(models[i].needs)))
            return models[i].rate;
    return 0;
}

static struct str fact_of(const struct evidence *evidence, int source, const char *key) {
    for (size_t i = evidence->facts.n; i-- > 0;)
        if (evidence->facts.v[i].origin.source == source &&
            str_eq(evidence->facts.v[i].key, str_of(key)))
            return evidence->facts.v[i].value;
    return (struct str){0};
}

static int64_t number_of(const struct evidence *evidence, int source, const char *key) {
    int64_t value;
    return str_int(fact_of(evidence, source, key), &value) ? value : 0;
}

/* "ib.mlx5_0.1.rate" in Gb/s: the ports of one machine, each once, the first `most` by rate. */
static double ports_rate(const struct evidence *evidence, int most, int *n) {
    struct str known[PORTS];
    double rates[PORTS], sum = 0;
    int k = 0;
    for (size_t i = 0; i < evidence->facts.n && k < PORTS; i++) {
        const struct fact *fact = &evidence->facts.v[i];
        double rate;
        if (!str_starts(fact->key, STR("ib.")) || !str_ends(fact->key, STR(".rate"))) continue;
        if (!str_number(fact->value, &rate) || !(rate >= 25)) continue;
        bool again = false;
        for (int j = 0; j < k; j++) again |= str_eq(known[j], fact->key);
        if (again) continue;
        int at = k++; /* the fastest first: slow ones serve storage */
        for (; at > 0 && rates[at - 1] < rate; at--) rates[at] = rates[at - 1];
        rates[at] = rate;
        known[k - 1] = fact->key;
    }
    *n = k < most ? k : most;
    for (int i = 0; i < *n; i++) sum += rates[i];
    return sum;
}

/* Of these the bus bandwidth is that of the slowest link; of others it is not. */
static bool is_bound_by_links(struct str op) {
    return !op.n || str_eq(op, STR("all_reduce")) || str_eq(op, STR("all_gather")) ||
           str_eq(op, STR("reduce_scatter"));
}

static bool judge_table(struct arena *arena, const struct evidence *evidence,
                        const struct fact *best, struct str *sentence) {
    int source = best->origin.source, ports;
    int64_t nodes = number_of(evidence, source, "nccltests.nodes");
    int64_t ranks = number_of(evidence, source, "nccltests.ranks");
    struct str op = fact_of(evidence, source, "nccltests.op");
    double reached, gives;
    if (!str_number(best->value, &reached) || nodes < 1 || ranks < 2 || !is_bound_by_links(op) ||
        number_of(evidence, source, "nccltests.size") < FILLS)
        return false;
    struct str what = op.n ? op : STR("the collective");
    struct str gpu = fact_of(evidence, source, "gpu.name");
    if (nodes == 1) {
        gives = nvlink_rate(gpu);
        *sentence = arena_printf(
            arena,
            "links: " STR_FMT " reaches %.3g GB/s within a node, NVLink of " STR_FMT " gives %.0f",
            STR_ARG(what), reached, STR_ARG(gpu), gives);
    } else {
        gives = ports_rate(evidence, (int)(ranks / nodes), &ports) / 8;
        *sentence =
            arena_printf(arena,
                         "links: " STR_FMT " reaches %.3g GB/s between %lld nodes, %d port%s "
                         "of InfiniBand give%s %.0f",
                         STR_ARG(what), reached, (long long)nodes, ports, ports == 1 ? "" : "s",
                         ports == 1 ? "s" : "", gives);
    }
    return gives > 0 && 100 * reached < LOW_PERCENT * gives;
}

int links_judge(struct arena *arena, const struct evidence *evidence, struct told *told, int most) {
    int n = 0;
    for (size_t i = 0; i < evidence->facts.n && n < most; i++) {
        const struct fact *fact = &evidence->facts.v[i];
        if (!str_eq(fact->key, STR("nccltests.busbw.max")) || fact->origin.source < 0) continue;
        if (!judge_table(arena, evidence, fact, &told[n].sentence)) continue;
        told[n++].origin = fact->origin;
    }
    return n;
}
