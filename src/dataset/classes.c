/* Express a data set in other classes, such as a network's. */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/reader.h"
#include "softlab/base/memory.h"
#include "softlab/dataset.h"

/* True distributions with column k moved to columns[k]; 0 for classes that the set does not
 * have. */
static enum sl_status spread_truth(struct sl_dataset *dataset, const size_t *columns,
                                   size_t n_classes, struct sl_error *err)
{
    if (!dataset->truth) return SL_OK;
    const size_t n_cells = dataset->count * n_classes;
    float *truth = sl_data_alloc(n_cells, sizeof *truth, err);
    if (!truth) return SL_ERR_NOMEM;
    if (n_cells) memset(truth, 0, n_cells * sizeof *truth);
    for (size_t i = 0; i < dataset->count; i++)
        for (size_t k = 0; k < dataset->n_classes; k++)
            truth[i * n_classes + columns[k]] = dataset->truth[i * dataset->n_classes + k];
    free(dataset->truth);
    dataset->truth = truth;
    return SL_OK;
}

enum sl_status sl_dataset_set_classes(struct sl_dataset *dataset, const size_t *columns,
                                      char *const *names, size_t n_classes, struct sl_error *err)
{
    SL_TRY(spread_truth(dataset, columns, n_classes, err));
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->labels[i] != SL_NO_LABEL)
            dataset->labels[i] = (int32_t)columns[dataset->labels[i]];
    sl_dataset_name_classes(dataset, (const char *const *)names, n_classes);
    return SL_OK;
}
