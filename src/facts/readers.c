/* The table of readers.  Order decides ties only. */
#include "facts/readers.h"

#include "base/base.h"

const struct fact_reader *const fact_readers[] = {
    &reader_smi_table,     &reader_smi_query,   &reader_smi_xml,
    &reader_smi_csv,       &reader_smi_list,    &reader_nvlink,
    &reader_smi_topo,      &reader_rocm_smi,    &reader_kernel,
    &reader_slurm,         &reader_kubernetes,  &reader_infiniband,
    &reader_stacks,        &reader_nccl,        &reader_nccl_tests,
    &reader_ds_report,     &reader_collect_env, &reader_colossalai_check,
    &reader_ds_config,     &reader_accelerate,  &reader_hostfile,
    &reader_sbatch,        &reader_packages,    &reader_script,
    &reader_system,        &reader_environment, &reader_config,
    &reader_flight,        &reader_ras,         &reader_profile,
    &reader_trainer_state, &reader_host_files,  &reader_addresses,
    &reader_connections,   &reader_processes,   &reader_saved,
    &reader_reply,
};
const int n_fact_readers = COUNT_OF(fact_readers);

enum { SURE = 50 };

static bool name_has(struct str name, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_has_word(name, str_of(words[i]))) return true;
    return false;
}

/* Who calls a file a log or a complaint means it: a launch line or a list of versions in it does
 * not make it a script or an environment, and missing the failure in it would cost all. */
static bool named_otherwise(struct str name) {
    static const char *const own[] = {"env",     "report",   "freeze",       "config",
                                      "pip",     "hostfile", "cmd",          "conda",
                                      "version", "smi",      "requirements", "sacct"};
    static const char *const log[] = {"log",  "stderr",   "stdout", "complaint",
                                      "logs", "question", "readme"};
    static const char *const ends[] = {".out", ".err", ".o", ".e", ".output"};
    if (name_has(name, own, COUNT_OF(own))) return false;
    if (name_has(name, log, COUNT_OF(log))) return true;
    return STR_ENDS_ANY(name, ends);
}

static bool is_about_jobs(enum kind kind) {
    return kind == KIND_ENV || kind == KIND_SCRIPT || kind == KIND_CONFIG;
}

const struct fact_reader *facts_recognize(struct str head, struct str name) {
    const struct fact_reader *best = NULL;
    int most = SURE - 1;
    name = str_file_name(name); /* folders name jobs, not formats */
    head = str_sub(head, 0, FACTS_HEAD);
    bool otherwise = named_otherwise(name);
    for (int i = 0; i < n_fact_readers; i++) {
        if (otherwise && is_about_jobs(fact_readers[i]->kind)) continue;
        int sure = fact_readers[i]->recognize(head, name);
        if (sure > most) {
            most = sure;
            best = fact_readers[i];
        }
    }
    return best;
}
