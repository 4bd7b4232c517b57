/* The table of readers.  Order decides ties only. */
#include "facts/readers.h"

#include "base/base.h"

const struct fact_reader *const fact_readers[] = {
    &reader_smi_table,        &reader_smi_query, &reader_smi_xml,    &reader_smi_csv,
    &reader_smi_list,         &reader_nvlink,    &reader_smi_topo,   &reader_rocm_smi,
    &reader_kernel,           &reader_slurm,     &reader_kubernetes, &reader_infiniband,
    &reader_stacks,           &reader_nccl,      &reader_ds_report,  &reader_collect_env,
    &reader_colossalai_check, &reader_ds_config, &reader_accelerate, &reader_hostfile,
    &reader_sbatch,           &reader_packages,  &reader_script,     &reader_system,
    &reader_environment,      &reader_config,
};
const int n_fact_readers = COUNT_OF(fact_readers);

enum { SURE = 50, HEAD = 65536 };

const struct fact_reader *facts_recognize(struct str head, struct str name) {
    const struct fact_reader *best = NULL;
    int most = SURE - 1;
    size_t slash = name.n;
    while (slash > 0 && name.p[slash - 1] != '/') slash--;
    name = str_sub(name, slash, name.n); /* folders name jobs, not formats */
    head = str_sub(head, 0, HEAD);
    for (int i = 0; i < n_fact_readers; i++) {
        int sure = fact_readers[i]->recognize(head, name);
        if (sure > most) {
            most = sure;
            best = fact_readers[i];
        }
    }
    return best;
}
