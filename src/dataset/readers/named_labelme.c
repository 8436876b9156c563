/* LabelMe as used by Rodrigues and Pereira 2018, with the features published by fmenat: an .npy per
 * split and a text file with a class per line. The data do not name the eight classes. */
#include <stdlib.h>

#include "dataset/readers/named.h"
#include "dataset/readers/reader.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

enum { N_CLASSES = 8 };

static enum sl_status read_classes(struct sl_csv *csv, const char *path, size_t count,
                                   int32_t *labels, struct sl_error *err)
{
    for (size_t i = 0;; i++) {
        struct sl_csv_record record = {0};
        int64_t value = 0;
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0 && i == count) return SL_OK;
        if (record.count == 0 || i == count)
            return sl_fail(err, SL_ERR_INPUT, "%s: has %s lines than the %zu rows of features",
                           path, i == count ? "more" : "fewer", count);
        SL_TRY(sl_csv_integer(csv, &record, 0, 0, N_CLASSES - 1, &value, err));
        labels[i] = (int32_t)value;
    }
}

static enum sl_status set_labels(struct sl_dataset *dataset, const char *path, struct sl_error *err)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.header = false;
    struct sl_csv *csv = NULL;
    SL_TRY(sl_csv_open(path, &options, &csv, err));
    const enum sl_status status = read_classes(csv, path, dataset->count, dataset->labels, err);
    sl_csv_close(csv);
    if (status == SL_OK) sl_dataset_number_classes(dataset, N_CLASSES);
    return status;
}

/* The crowd's answers are about `train` only, by number. Items of other splits are called test/0,
 * so that these answers cannot match them. */
static void name_items(struct sl_dataset *dataset, const char *split)
{
    for (size_t i = 0; i < dataset->count; i++) {
        free(dataset->items[i]);
        dataset->items[i] = sl_string_printf("%s/%zu", split, i);
    }
}

enum sl_status sl_open_labelme(const char *split, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err)
{
    enum { TRAIN = 1 };
    static const char *const names[] = {"test", [TRAIN] = "train", "valid", NULL};
    char *folder = NULL, *features = NULL, *classes = NULL;
    struct sl_dataset *dataset = NULL;
    size_t chosen = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_choose(names, split, "labelme", &chosen, err));
    SL_TRY_OUT(sl_fetch_locate("labelme", roots, &folder, err));
    features = sl_string_printf("%s/LabelMe_VGG_avg_%s.npy", folder, names[chosen]);
    classes = sl_string_printf("%s/LabelMe_Z_%s.txt", folder, names[chosen]);
    SL_TRY_OUT(sl_reader_npy.open(features, NULL, &dataset, err));
    SL_TRY_OUT(set_labels(dataset, classes, err));
    if (chosen != TRAIN) name_items(dataset, names[chosen]);
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    free(classes);
    free(features);
    free(folder);
    return status;
}
