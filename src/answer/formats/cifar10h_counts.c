/* cifar10h-counts: an .npy of counts (items, classes). A count becomes that many hard answers
 * without annotators; items are identified by their row.
 *
 * A row of zeros is an item without answers and is counted. A negative, fractional or absurdly
 * large count stops the import. On export every item must be named by its row number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/format.h"
#include "softlab/base/array.h"
#include "softlab/base/text.h"

/* Larger values mean that the file is not a table of counts. */
enum { LARGEST_COUNT = 1000000, MOST_ITEMS = 10000000, NUMBER = 24 };

static enum sl_status put_row(struct sl_import *import, const char *path, size_t row,
                              const int64_t *counts, struct sl_error *err)
{
    char name[NUMBER];
    snprintf(name, sizeof name, "%zu", row);
    struct sl_answer answer = sl_answer_empty();
    struct sl_belief belief = {.probability = NAN};
    size_t before = import->count;
    answer.item = sl_field_of(name);
    answer.kind = SL_ANSWER_HARD;
    answer.n_top = 1;
    answer.top = &belief;
    for (size_t k = 0; k < sl_import_class_count(import); k++) {
        if (counts[k] < 0 || counts[k] > LARGEST_COUNT)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: [%zu, %zu]: expected a count from 0 to %d, "
                           "got %lld",
                           path, row, k, LARGEST_COUNT, (long long)counts[k]);
        belief.class_index = (uint32_t)k;
        for (int64_t i = 0; i < counts[k]; i++)
            SL_TRY(sl_import_put(import, &answer, err));
    }
    if (import->count == before)
        sl_import_empty_item(import, "%s: row %zu has no answers", path, row);
    return SL_OK;
}

static enum sl_status put_rows(struct sl_import *import, const char *path,
                               const struct sl_array *counts, struct sl_error *err)
{
    const int64_t *values = counts->data;
    for (size_t row = 0; row < counts->shape[0]; row++)
        SL_TRY(put_row(import, path, row, values + row * counts->shape[1], err));
    return sl_import_finish(import, path, err);
}

SL_IMPORTER(sl_import_cifar10h_counts)
{
    enum sl_status status = SL_OK;
    struct sl_array file = {0}, counts = {0};
    struct sl_import import;
    sl_import_init(&import, options, sink);
    SL_TRY_OUT(sl_import_one_path("cifar10h-counts", n_paths, err));
    SL_TRY_OUT(sl_npy_read(paths[0], &file, err));
    SL_TRY_OUT(sl_array_convert(&file, SL_I8, paths[0], &counts, err));
    SL_TRY_OUT(sl_import_begin(&import, sl_cifar10_classes, err));
    const size_t shape[2] = {0, sl_import_class_count(&import)};
    SL_TRY_OUT(sl_array_expect(&counts, paths[0], 2, shape, err));
    status = put_rows(&import, paths[0], &counts, err);
out:
    sl_array_release(&counts);
    sl_array_release(&file);
    sl_import_release(&import);
    return status;
}

/* The row of every item, and the number of rows. */
static enum sl_status find_rows(const struct sl_answers *answers, size_t *out, struct sl_error *err)
{
    size_t n_rows = 0;
    for (size_t i = 0; i < sl_name_table_count(answers->items); i++) {
        size_t length = 0;
        int64_t row = 0;
        const char *name = sl_name_table_get(answers->items, (uint32_t)i, &length);
        if (!sl_text_to_integer(name, length, &row) || row < 0 || row >= MOST_ITEMS)
            return sl_fail(
                err, SL_ERR_INPUT,
                "item \"%s\" is not a row number; cifar10h-counts has no names, only rows from 0",
                name);
        if ((size_t)row >= n_rows) n_rows = (size_t)row + 1;
    }
    *out = n_rows;
    return SL_OK;
}

static enum sl_status count_answers(const struct sl_hard_export *export, struct sl_array *counts,
                                    struct sl_error *err)
{
    const struct sl_answers *answers = export->answers;
    int64_t *values = counts->data;
    memset(values, 0, sl_array_count(counts) * sizeof *values);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        bool keep = false;
        int64_t row = 0;
        SL_TRY(sl_hard_export_get(export, i, &answer, &keep, err));
        if (!keep || !sl_text_to_integer(answer.item.text, answer.item.length, &row)) continue;
        values[(size_t)row * answers->n_classes + answer.top[0].class_index]++;
    }
    return SL_OK;
}

SL_EXPORTER(sl_export_cifar10h_counts)
{
    enum sl_status status = SL_OK;
    const struct sl_hard_export export = {
        .answers = answers, .format = "cifar10h-counts", .notes = notes};
    size_t shape[2] = {0, answers->n_classes};
    struct sl_array counts = {0};
    SL_TRY_OUT(find_rows(answers, &shape[0], err));
    SL_TRY_OUT(sl_array_create(SL_I8, 0, 2, shape, &counts, err));
    SL_TRY_OUT(count_answers(&export, &counts, err));
    status = sl_npy_write(&counts, SL_ORDER_C, path, err);
out:
    sl_array_release(&counts);
    return status;
}
