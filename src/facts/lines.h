/* lines.h - kinds of lines that several formats share, one function each.
 *
 * Users mix them freely in one file (an `env.txt` holds an env dump, three pip lines and a
 * sentence), so a reader is mostly a list of these, tried in order.  Each returns true when the
 * line was of its kind, noted or not.
 */
#ifndef FAULTLINE_LINES_H
#define FAULTLINE_LINES_H

#include "facts/package.h"

/* `KEY=value`, `export KEY=value`, `declare -x KEY="value"`, `ENV KEY value`, `$env:KEY = "value"`.
 */
bool line_env(struct reading *reading, struct str line);
/* Is it `NAME=...`, with a name as environment variables have it?  Both parts are returned. */
bool line_assignment(struct str line, struct str *name, struct str *value);
/* `torch==2.1.0`, `torch 2.1.0` in columns, `Name @ file:///...`, "[pip3] numpy==1.26". */
bool line_package(struct reading *reading, struct str line);
/* `torch version .................... 2.0.1`: ds_report and Megatron's argument dump. */
bool line_dotted(struct str line, struct str *name, struct str *value);
bool line_ds_report(struct reading *reading, struct str line);
/* `CUDA used to build PyTorch: 12.1`: labels of collect_env, colossalai check, accelerate env. */
bool line_label(struct reading *reading, struct str line);
/* False where it is no such line, and so none that differs from it in digits only. */
bool line_label_may(struct reading *reading, struct str line);
/* What people write by hand: "torch 2.1.0+cu118, CUDA 11.8", "GPU: 8x A100 80GB", "Ubuntu 20.04".
 */
bool line_note(struct reading *reading, struct str line);
/* The same in prose: versions count only right behind a name, GPUs only with a count or a brand. */
bool line_prose(struct reading *reading, struct str line);

/* What a text says of the operating system: os.name, os.version, os.distribution, wsl, kernel. */
void os_note(struct reading *reading, struct str text);
/* "Linux-5.15.0-69-generic-x86_64-with-glibc2.29" */
void os_note_platform(struct reading *reading, struct str platform);
/* python.version from ".../lib/python3.10/site-packages/...". */
void python_note_path(struct reading *reading, struct str text);

#endif
