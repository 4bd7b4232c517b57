/* readers.h - the readers that the table of readers.c holds; one line a format. */
#ifndef FAULTLINE_READERS_H
#define FAULTLINE_READERS_H

#include "facts/facts.h"

extern const struct fact_reader reader_packages;
extern const struct fact_reader reader_ds_report;
extern const struct fact_reader reader_collect_env;
extern const struct fact_reader reader_colossalai_check;
extern const struct fact_reader reader_environment;
extern const struct fact_reader reader_ds_config;
extern const struct fact_reader reader_accelerate;
extern const struct fact_reader reader_config;
extern const struct fact_reader reader_sbatch;
extern const struct fact_reader reader_script;
extern const struct fact_reader reader_hostfile;
extern const struct fact_reader reader_smi_table;
extern const struct fact_reader reader_smi_query;
extern const struct fact_reader reader_smi_xml;
extern const struct fact_reader reader_smi_csv;
extern const struct fact_reader reader_smi_list;
extern const struct fact_reader reader_smi_topo;
extern const struct fact_reader reader_nvlink;
extern const struct fact_reader reader_rocm_smi;
extern const struct fact_reader reader_kernel;
extern const struct fact_reader reader_infiniband;
extern const struct fact_reader reader_nccl;
extern const struct fact_reader reader_nccl_tests;
extern const struct fact_reader reader_slurm;
extern const struct fact_reader reader_kubernetes;
extern const struct fact_reader reader_system;
extern const struct fact_reader reader_stacks;
extern const struct fact_reader reader_flight;
extern const struct fact_reader reader_ras;
extern const struct fact_reader reader_profile;
extern const struct fact_reader reader_trainer_state;
extern const struct fact_reader reader_host_files;
extern const struct fact_reader reader_addresses;
extern const struct fact_reader reader_connections;
extern const struct fact_reader reader_processes;
extern const struct fact_reader reader_saved;
extern const struct fact_reader reader_reply;

#endif
