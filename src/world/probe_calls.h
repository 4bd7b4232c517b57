/* probe_calls.h - what is told of this machine without a program: text as a tool would print it.
 * Private to world/.  Each function runs in a child of its own, so it may take long or hang. */
#ifndef FAULTLINE_PROBE_CALLS_H
#define FAULTLINE_PROBE_CALLS_H

#include "world/probe.h"

/* As `tail -n +1 FILE...` prints a file; a library is named, not read. */
void write_file(struct buf *out, const char *path, bool read);

void call_environment(struct buf *out, const char *folder); /* env, the variables of this field */
void call_packages(struct buf *out, const char *folder);  /* pip freeze of the environment in use */
void call_libraries(struct buf *out, const char *folder); /* torch/version.py, nccl.h, libnccl */
void call_cgroup(struct buf *out, const char *folder);    /* limits of this process's groups */
void call_disk(struct buf *out, const char *folder);      /* df, df -i */
void call_clock(struct buf *out, const char *folder);     /* timedatectl show */
void call_processes(struct buf *out, const char *folder); /* ps, fuser -v /dev/nvidia* */
void call_addresses(struct buf *out, const char *folder); /* ip addr */
void call_master(struct buf *out, const char *folder);    /* getent hosts, nc -vz, bind */
void call_net(struct buf *out, const char *target);       /* curl -I; target: "NAME URL" */

int arguments_hosts(const struct probe_options *options, struct arena *arena, struct str *out,
                    int most);
int arguments_net(const struct probe_options *options, struct arena *arena, struct str *out,
                  int most);

#endif
