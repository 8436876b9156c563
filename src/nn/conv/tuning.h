/* Inside of a tuning table: rows that say which kernel runs which convolution, sorted by shape and
 * direction. No two rows have the same shape and direction. Private to nn/conv/. */
#ifndef SOFTLAB_NN_CONV_TUNING_H
#define SOFTLAB_NN_CONV_TUNING_H

#include <stddef.h>

#include "nn/conv/conv.h"
#include "softlab/nn/tuning.h"

enum sl_nn_tuning_field {
    SL_NN_TUNING_IN,
    SL_NN_TUNING_OUT,
    SL_NN_TUNING_HEIGHT, /* of the input, as is the width */
    SL_NN_TUNING_WIDTH,
    SL_NN_TUNING_KERNEL,
    SL_NN_TUNING_STRIDE,
    SL_NN_TUNING_PAD,
    SL_NN_TUNING_GROUPS,
    SL_NN_TUNING_BATCH,
    SL_NN_TUNING_FIELDS
};

struct sl_nn_tuning_row {
    size_t shape[SL_NN_TUNING_FIELDS];
    enum sl_nn_direction direction;
    const struct sl_nn_conv_kernel *kernel; /* a row of sl_nn_conv_kernels */
};

struct sl_tuning {
    struct sl_nn_tuning_row *rows; /* owned */
    size_t count;
};

/* The table that is compiled in. */
extern const struct sl_nn_tuning_row sl_nn_tuning_shipped[];
extern const size_t sl_nn_tuning_shipped_count;

struct sl_nn_tuning_row sl_nn_tuning_row_of(const struct sl_nn_conv_task *task,
                                            const struct sl_nn_conv_kernel *kernel);
/* Compares shape and direction; the sign of the result is as for strcmp. */
int sl_nn_tuning_compare(const struct sl_nn_tuning_row *a, const struct sl_nn_tuning_row *b);
/* Add a row, or replace the one of the same shape and direction. */
void sl_nn_tuning_set(struct sl_tuning *tuning, const struct sl_nn_tuning_row *row);

/* The kernel of the row for this task. If no row has its batch size, that of the nearest batch
 * size; NULL if no row has its shape. `tuning` NULL: the shipped table. */
const struct sl_nn_conv_kernel *sl_nn_tuning_find(const struct sl_tuning *tuning,
                                                  const struct sl_nn_conv_task *task);

const char *sl_nn_direction_name(enum sl_nn_direction direction); /* "backward-data" */

/* Like sl_tuning_read, but from memory; messages call the text `name`. */
enum sl_status sl_nn_tuning_parse(const char *text, size_t length, const char *name,
                                  struct sl_tuning **out, struct sl_error *err) SL_MUST_USE;

#endif
