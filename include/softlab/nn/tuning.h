/* Tuning: which convolution kernel runs which shape and direction. The shipped table was measured
 * on AVX2; `softlab bench --tune` measures this machine and writes another. */
#ifndef SOFTLAB_NN_TUNING_H
#define SOFTLAB_NN_TUNING_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_tuning;

/* The name of a kernel, by number from 0, with what it is in *summary (unless NULL); NULL past the
 * last. In order of preference where no row says otherwise. */
const char *sl_conv_kernel_name(size_t index, const char **summary);

enum sl_status sl_tuning_read(const char *path, struct sl_tuning **out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_tuning_write(const char *path, const struct sl_tuning *tuning,
                               struct sl_error *err) SL_MUST_USE;
void sl_tuning_destroy(struct sl_tuning *tuning);
/* SHA-256 of its rows in hexadecimal, for provenance; `tuning` NULL: the shipped table's. */
void sl_tuning_hash(const struct sl_tuning *tuning, char out[65]);

struct sl_model;
/* Time every kernel that suits on every convolution of the model at this batch size, interleaved
 * and `rounds` times over, and add the fastest of each to `tuning` (made when *tuning is NULL). */
struct sl_log;
enum sl_status sl_tuning_measure(struct sl_model *model, size_t batch, size_t rounds,
                                 const struct sl_log *log, struct sl_tuning **tuning,
                                 struct sl_error *err) SL_MUST_USE;

/* Floating-point operations per second that this core reaches at this moment with AVX2's fused
 * multiply-adds when nothing touches memory: what no convolution by the definition exceeds. Takes
 * some milliseconds; 0 without AVX2. */
double sl_fma_peak(void);

SL_END_DECLS

#endif
