/* Tuning: which convolution kernel runs each shape and direction. The built-in table was measured
 * on AVX2; `softlab bench --tune` measures this machine and writes another. */
#ifndef SOFTLAB_NN_TUNING_H
#define SOFTLAB_NN_TUNING_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_tuning;

/* The name of kernel `index`, counted from 0; NULL past the last. *summary (unless NULL) becomes
 * its description. Kernels are in order of preference: a task that the table lacks runs the first
 * that suits. */
const char *sl_conv_kernel_name(size_t index, const char **summary);

enum sl_status sl_tuning_read(const char *path, struct sl_tuning **out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_tuning_write(const char *path, const struct sl_tuning *tuning,
                               struct sl_error *err) SL_MUST_USE;
void sl_tuning_destroy(struct sl_tuning *tuning);
/* SHA-256 of the table's rows in hexadecimal, for provenance; `tuning` NULL: of the shipped
 * table. */
void sl_tuning_hash(const struct sl_tuning *tuning, char out[65]);

struct sl_model;
/* Time every suitable kernel on every convolution of the model at this batch size. Kernels take
 * turns, `rounds` times. Add the fastest to *tuning (created if NULL). */
struct sl_log;
enum sl_status sl_tuning_measure(struct sl_model *model, size_t batch, size_t rounds,
                                 const struct sl_log *log, struct sl_tuning **tuning,
                                 struct sl_error *err) SL_MUST_USE;

/* Measure how many floating-point operations per second this core reaches now, with AVX2's fused
 * multiply-adds and no memory access: an upper bound for direct convolution. Takes some
 * milliseconds; 0 without AVX2. */
double sl_fma_peak(void);

SL_END_DECLS

#endif
