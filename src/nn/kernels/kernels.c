#include "nn/kernels/kernels.h"

#include "softlab/base/system.h"

const struct sl_nn_kernels *sl_nn_kernels_select(void)
{
#if defined(__x86_64__)
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    if (cpu.avx2 && cpu.fma) return &sl_nn_kernels_avx2;
#endif
    return &sl_nn_kernels_plain;
}
