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

/* Raised whenever the same inputs begin to give other numbers: a kernel that sums in another order,
 * a default of a label method, another stream of draws. It is part of every run's key. */
enum { SL_ARITHMETIC_VERSION = 1 };

/* The libraries below us, as they are at run time. */
struct sl_dependency {
    const char *name;
    const char *version;
};
size_t sl_dependencies(struct sl_dependency *out, size_t capacity);

/* Instruction sets our own kernels ask for. Kernels take this as an argument or are
 * chosen from it once; nothing is compiled with -march. */
struct sl_cpu {
    bool sse42, avx, avx2, fma, avx512f;
    char model[64];
};
void sl_cpu_detect(struct sl_cpu *out);

SL_END_DECLS

#endif
