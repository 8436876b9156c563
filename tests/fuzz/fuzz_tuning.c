/* Tuning: whatever is read has rows in order, and is found again by every one of them. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "nn/conv/tuning.h"

static void check_row(const struct sl_tuning *tuning, size_t i)
{
    const struct sl_nn_tuning_row *row = &tuning->rows[i];
    const struct sl_nn_conv_task task = {
        .direction = row->direction,
        .images = row->shape[SL_NN_TUNING_BATCH],
        .in_channels = row->shape[SL_NN_TUNING_IN],
        .height = row->shape[SL_NN_TUNING_HEIGHT],
        .width = row->shape[SL_NN_TUNING_WIDTH],
        .out_channels = row->shape[SL_NN_TUNING_OUT],
        .kernel = row->shape[SL_NN_TUNING_KERNEL],
        .stride = row->shape[SL_NN_TUNING_STRIDE],
        .pad = row->shape[SL_NN_TUNING_PAD],
        .groups = row->shape[SL_NN_TUNING_GROUPS],
    };
    if (i > 0 && sl_nn_tuning_compare(row - 1, row) >= 0) abort();
    if (sl_nn_tuning_find(tuning, &task) != row->kernel) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_tuning *tuning = NULL;
    struct sl_error err;
    char hash[65];
    if (sl_nn_tuning_parse((const char *)bytes, length, "fuzz", &tuning, &err) != SL_OK) {
        if (tuning || strchr(err.message, '\n')) abort();
        return 0;
    }
    for (size_t i = 0; i < tuning->count; i++)
        check_row(tuning, i);
    sl_tuning_hash(tuning, hash);
    sl_tuning_destroy(tuning);
    return 0;
}
