/* System: what this build is and what this processor can do. */
#ifndef SOFTLAB_BASE_SYSTEM_H
#define SOFTLAB_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/declare.h"

SL_BEGIN_DECLS

const char *sl_version(void);  /* "0.1.0" */
const char *sl_build_id(void); /* commit of the sources, "+" if they were changed; or "unknown" */
const char *sl_compiler(void);

/* Increase it whenever the same inputs give different numbers: a kernel that sums in another order,
 * a changed default of a label method, a different random stream. It is part of every run's key. */
enum { SL_ARITHMETIC_VERSION = 1 };

/* The libraries that softlab uses, with their versions at run time where they can be asked. */
struct sl_dependency {
    const char *name;
    const char *version;
};
size_t sl_dependencies(struct sl_dependency *out, size_t capacity);

/* Instruction sets that our kernels use. Kernels take this as an argument or are chosen from it
 * once; nothing is compiled with -march. */
struct sl_cpu {
    bool sse42, avx, avx2, fma, avx512f;
    char model[64];
};
void sl_cpu_detect(struct sl_cpu *out);

/* The cores that this process may use, at least 1: those it is bound to, or fewer if its control
 * group is limited to a share of their time (as docker --cpus does). */
size_t sl_cpu_count(void);
/* The bytes that this process can still take without swapping: those of the machine, or fewer if
 * its control group, or one above it, has less left (as in a container or a Slurm task). SIZE_MAX
 * if unknown. */
size_t sl_memory_free(void);

SL_END_DECLS

#endif
