/* Tables of a name and a number: weights of annotators and the like. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/files/columns.h"
#include "pipeline/labels/labels.h"
#include "softlab/base/csv.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char *const of_annotator[] = {"annotator", "worker", "user", "rater", NULL};
static const char *const of_item[] = {"item", "task", "question", NULL};
static const char *const of_class[] = {"class", "label", NULL};

const struct sl_labels_numbers sl_labels_weights = {.names = of_annotator,
                                                    .many = "annotators",
                                                    .strange = "gave no answer here",
                                                    .value = "weight",
                                                    .advice = "give 0 to leave an annotator out"};
const struct sl_labels_numbers sl_labels_abilities = {.names = of_annotator,
                                                      .many = "annotators",
                                                      .strange = "gave no answer here",
                                                      .value = "ability",
                                                      .least = -1e300,
                                                      .advice = "1 is usual"};
const struct sl_labels_numbers sl_labels_easiness = {.names = of_item,
                                                     .many = "items",
                                                     .strange = "have no answer here",
                                                     .value = "easiness",
                                                     .least = -1e300,
                                                     .advice = "1 is usual"};
const struct sl_labels_numbers sl_labels_class_shares = {.names = of_class,
                                                         .many = "classes",
                                                         .strange = "are no classes of the answers",
                                                         .value = "p",
                                                         .advice = "all classes need one"};

/* Things that the file does not name keep NaN. */
static enum sl_status read_table(struct sl_csv *csv, const struct sl_labels_numbers *kind,
                                 const struct sl_name_table *names, double *values,
                                 size_t *n_others, struct sl_error *err)
{
    size_t name_column = 0, value_column = 0;
    struct sl_csv_record record;
    SL_TRY(sl_csv_find_column(csv, kind->names, kind->names[0], &name_column, err));
    SL_TRY(sl_csv_column(csv, kind->value, &value_column, err));
    for (;;) {
        double value = 0;
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) return SL_OK;
        const struct sl_field name = sl_csv_plain(record.fields[name_column]);
        SL_TRY(sl_csv_real(csv, &record, value_column, kind->least, 1e300, &value, err));
        const uint32_t at = sl_name_table_find(names, name.text, name.length);
        if (at == SL_NO_NAME) {
            ++*n_others;
            continue;
        }
        if (!isnan(values[at]))
            return sl_csv_fail(csv, record.line, err, "%s \"%.*s\" has a %s already",
                               kind->names[0], (int)(name.length < 60 ? name.length : 60),
                               name.text, kind->value);
        values[at] = value;
    }
}

static enum sl_status check_all(const double *values, const struct sl_labels_numbers *kind,
                                const struct sl_name_table *names, const char *path,
                                struct sl_error *err)
{
    const size_t count = sl_name_table_count(names);
    size_t n_missing = 0, first = 0;
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i]) && n_missing++ == 0) first = i;
    if (n_missing == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: has no %s for %zu of %zu %s, the first \"%.60s\"; %s",
                   path, kind->value, n_missing, count,
                   sl_text_plural(count, kind->names[0], kind->many),
                   sl_name_table_get(names, (uint32_t)first, NULL), kind->advice);
}

enum sl_status sl_labels_numbers_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_labels_numbers *kind,
                                      const struct sl_name_table *names, double **out,
                                      struct sl_error *err)
{
    const size_t count = sl_name_table_count(names);
    const struct sl_csv_options options = sl_csv_options_default();
    double *values = sl_data_alloc(count, sizeof *values, err);
    if (!values) return SL_ERR_NOMEM;
    struct sl_csv *csv = NULL;
    size_t n_others = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++)
        values[i] = (double)NAN;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(read_table(csv, kind, names, values, &n_others, err));
    SL_TRY_OUT(check_all(values, kind, names, path, err));
    if (n_others)
        sl_log(workplace->log, SL_LOG_INFO, "%s: %zu of its %s %s",
               sl_workplace_shown(workplace, path), n_others, kind->many, kind->strange);
    *out = values;
    values = NULL;
out:
    sl_csv_close(csv);
    free(values);
    return status;
}
