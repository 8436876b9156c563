#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "label/methods_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

/* A label set while it is built. Rows are filled from the front; there is room for the largest
 * possible number. */
struct builder {
    const struct sl_label_method *method;
    const struct sl_answers *answers;
    struct sl_label_options options;
    struct sl_label_notes notes;
    struct sl_rows *rows; /* owned until done */
    size_t *chosen;       /* owned; room for the answers of one item */
    double *row, *sum;    /* owned; n_classes */
    int32_t *classes;     /* owned; true class or class with the most votes, for every row; for
                             method->all */
    uint32_t *row_items;  /* owned; the item of every row */
    uint32_t *annotators; /* owned; the annotator of every row */
};

static void builder_release(struct builder *builder)
{
    sl_rows_destroy(builder->rows);
    free(builder->chosen);
    free(builder->row);
    free(builder->sum);
    free(builder->classes);
    free(builder->row_items);
    free(builder->annotators);
}

static struct sl_field item_name(const struct sl_answers *answers, size_t item)
{
    struct sl_field name;
    name.text = sl_name_table_get(answers->items, (uint32_t)item, &name.length);
    return name;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Keep `options.annotators` of the chosen answers, in file order. The stream is named after the
 * item, so that the draw does not depend on other items. */
static size_t draw(struct builder *builder, struct sl_field name, size_t *chosen, size_t count)
{
    size_t wanted = builder->options.annotators;
    if (wanted == 0 || wanted >= count) return count;
    char *copy = sl_string_copy_n(name.text, name.length);
    char *purpose = sl_string_printf("labels.draw:%s", copy);
    struct sl_rng rng;
    sl_rng_init(&rng, builder->options.seed, purpose, 0, 0);
    size_t *picks = sl_alloc(wanted, sizeof *picks);
    sl_rng_sample(&rng, count, wanted, picks);
    qsort(picks, wanted, sizeof *picks, compare_sizes);
    for (size_t i = 0; i < wanted; i++)
        chosen[i] = chosen[picks[i]];
    builder->notes.n_undrawn += count - wanted;
    free(picks);
    free(purpose);
    free(copy);
    return wanted;
}

/* The answers of an item that are kept and drawn. */
static size_t choose_answers(struct builder *builder, const struct sl_item_index *index,
                             size_t item)
{
    size_t count = 0;
    for (size_t i = index->begin[item]; i < index->begin[item + 1]; i++) {
        struct sl_answer answer;
        sl_answers_get(builder->answers, index->order[i], &answer);
        if (sl_answer_is_kept(&answer, builder->options.keep))
            builder->chosen[count++] = index->order[i];
        else
            builder->notes.n_flagged++;
    }
    return draw(builder, item_name(builder->answers, item), builder->chosen, count);
}

static enum sl_status fail_at_answer(const struct sl_answer *answer, enum sl_status status,
                                     struct sl_error *err)
{
    int item_length = (int)(answer->item.length < 200 ? answer->item.length : 200);
    if (answer->annotator.length == 0)
        return sl_fail_within(err, status, "item %.*s", item_length, answer->item.text);
    int length = (int)(answer->annotator.length < 200 ? answer->annotator.length : 200);
    return sl_fail_within(err, status, "item %.*s, annotator %.*s", item_length, answer->item.text,
                          length, answer->annotator.text);
}

/* Make the row of an answer in builder->row and count it as used; *usable is false if it was left
 * out and counted. */
static enum sl_status make_row(struct builder *builder, size_t index, bool *usable,
                               struct sl_error *err)
{
    struct sl_answer answer;
    struct sl_error error;
    sl_answers_get(builder->answers, index, &answer);
    enum sl_status status = sl_label_row(builder->method, &answer, builder->answers->n_classes,
                                         &builder->options, builder->row, &error);
    *usable = status == SL_OK;
    if (status == SL_OK) {
        builder->notes.n_used++;
        builder->notes.ms_used += answer.ms;
        if (!isnan(answer.ms)) {
            builder->notes.n_timed++;
            builder->notes.ms_timed += answer.ms;
        }
        return SL_OK;
    }
    status = fail_at_answer(&answer, status, &error);
    if (status == SL_ERR_INPUT && builder->options.notes) {
        if (builder->notes.n_unusable++ == 0) builder->notes.first_unusable = error;
        return SL_OK;
    }
    if (err) *err = error;
    return status;
}

/* `divisor` is the total weight of the answers in builder->sum. */
static enum sl_status push_row(struct builder *builder, size_t item, uint32_t annotator,
                               size_t n_answers, double divisor, struct sl_error *err)
{
    size_t n_classes = builder->answers->n_classes, place = builder->rows->n_rows;
    const int32_t *truth = builder->options.per_annotator ? NULL : builder->options.truth;
    struct sl_label_item about = {.name = item_name(builder->answers, item),
                                  .truth = truth ? truth[item] : -1,
                                  .n_answers = n_answers,
                                  .n_classes = n_classes};
    if (about.truth >= 0 && (size_t)about.truth >= n_classes)
        return sl_fail(err, SL_ERR_INPUT,
                       "item %s: true class %d does not exist, expected a class below %zu",
                       about.name.text, (int)about.truth, n_classes);
    builder->classes[place] =
        about.truth >= 0 ? about.truth : (int32_t)sl_first_largest(builder->sum, n_classes);
    if (builder->method->item)
        SL_TRY(builder->method->item(&about, &builder->options, builder->sum, err));
    if (builder->method->item || n_answers == 0) divisor = 1;
    float *out = builder->rows->values + place * n_classes;
    for (size_t k = 0; k < n_classes; k++)
        out[k] = (float)(builder->sum[k] / divisor);
    builder->row_items[place] = (uint32_t)item;
    builder->annotators[place] = annotator;
    builder->rows->n_rows++;
    return SL_OK;
}

static enum sl_status push_answers(struct builder *builder, size_t item, size_t count,
                                   struct sl_error *err)
{
    size_t n_classes = builder->answers->n_classes;
    for (size_t i = 0; i < count; i++) {
        bool usable;
        SL_TRY(make_row(builder, builder->chosen[i], &usable, err));
        if (!usable) continue;
        memcpy(builder->sum, builder->row, n_classes * sizeof *builder->sum);
        SL_TRY(push_row(builder, item, builder->answers->annotator[builder->chosen[i]], 1, 1, err));
    }
    return SL_OK;
}

static enum sl_status find_weight(struct builder *builder, size_t index, double *out,
                                  struct sl_error *err)
{
    const double *weights = builder->options.weights;
    const uint32_t annotator = builder->answers->annotator[index];
    if (!weights) return SL_OK;
    if (annotator == SL_NO_NAME)
        return sl_fail(err, SL_ERR_INPUT,
                       "item %s: an answer has no annotator, so it has no weight",
                       item_name(builder->answers, builder->answers->item[index]).text);
    *out = weights[annotator];
    builder->notes.n_weightless += *out == 0;
    return SL_OK;
}

static enum sl_status push_mean(struct builder *builder, size_t item, size_t count,
                                struct sl_error *err)
{
    size_t n_classes = builder->answers->n_classes, n_used = 0;
    double total = 0;
    memset(builder->sum, 0, n_classes * sizeof *builder->sum);
    for (size_t i = 0; i < count; i++) {
        bool usable;
        double weight = 1;
        SL_TRY(find_weight(builder, builder->chosen[i], &weight, err));
        if (weight == 0) continue;
        SL_TRY(make_row(builder, builder->chosen[i], &usable, err));
        if (!usable) continue;
        for (size_t k = 0; k < n_classes; k++)
            builder->sum[k] += weight * builder->row[k];
        total += weight;
        builder->chosen[n_used++] = builder->chosen[i];
    }
    if (n_used == 0) {
        builder->notes.n_empty_items++;
        return SL_OK;
    }
    if (builder->options.mean_first && builder->method->kinds == 1u << SL_ANSWER_MIX) {
        struct sl_answer merged;
        enum sl_status status =
            sl_mix_merge(builder->answers, builder->chosen, n_used, &merged, err);
        if (status != SL_OK)
            return sl_fail_within(err, status, "item %s", item_name(builder->answers, item).text);
        SL_TRY(sl_label_row(builder->method, &merged, n_classes, &builder->options, builder->sum,
                            err));
        n_used = 1;
        total = 1;
    }
    return push_row(builder, item, SL_NO_NAME, n_used, total, err);
}

/* A row for every item, for methods that read no answers. */
static enum sl_status fill_blindly(struct builder *builder, struct sl_error *err)
{
    size_t n_items = sl_name_table_count(builder->answers->items);
    for (size_t item = 0; item < n_items; item++)
        SL_TRY(push_row(builder, item, SL_NO_NAME, 0, 1, err));
    return SL_OK;
}

static enum sl_status fill_rows(struct builder *builder, struct sl_error *err)
{
    if (builder->method->kinds == 0) return fill_blindly(builder, err);
    enum sl_status status = SL_OK;
    struct sl_item_index index = {0};
    SL_TRY_OUT(sl_item_index_create(builder->answers, &index, err));
    size_t n_items = sl_name_table_count(builder->answers->items);
    for (size_t item = 0; item < n_items; item++) {
        size_t count = choose_answers(builder, &index, item);
        if (builder->options.per_annotator)
            SL_TRY_OUT(push_answers(builder, item, count, err));
        else
            SL_TRY_OUT(push_mean(builder, item, count, err));
    }
out:
    sl_item_index_release(&index);
    return status;
}

static enum sl_status builder_start(struct builder *builder, struct sl_error *err)
{
    size_t n_items = sl_name_table_count(builder->answers->items);
    size_t n_classes = builder->answers->n_classes;
    size_t room = builder->options.per_annotator ? builder->answers->count : n_items;
    builder->row = sl_alloc(n_classes, sizeof *builder->row);
    builder->sum = sl_alloc(n_classes, sizeof *builder->sum);
    builder->chosen = sl_data_alloc(builder->answers->count, sizeof *builder->chosen, err);
    if (!builder->chosen) return SL_ERR_NOMEM;
    builder->classes = sl_data_alloc(room, sizeof *builder->classes, err);
    if (!builder->classes) return SL_ERR_NOMEM;
    builder->row_items = sl_data_alloc(room, sizeof *builder->row_items, err);
    if (!builder->row_items) return SL_ERR_NOMEM;
    builder->annotators = sl_data_alloc(room, sizeof *builder->annotators, err);
    if (!builder->annotators) return SL_ERR_NOMEM;
    SL_TRY(sl_rows_create(room, n_classes, &builder->rows, err));
    builder->rows->n_rows = 0;
    return SL_OK;
}

/* Names of rows and columns, once the rows are known. */
static enum sl_status put_names(struct builder *builder, struct sl_error *err)
{
    const struct sl_answers *answers = builder->answers;
    struct sl_rows *rows = builder->rows;
    SL_TRY(sl_names_copy(answers->classes, rows->n_classes, &rows->classes, err));
    rows->items = sl_data_zeroed(rows->n_rows, sizeof *rows->items, err);
    if (!rows->items) return SL_ERR_NOMEM;
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct sl_field name = item_name(answers, builder->row_items[i]);
        rows->items[i] = sl_data_string(name.text, name.length, err);
        if (!rows->items[i]) return SL_ERR_NOMEM;
    }
    if (!builder->options.per_annotator) return SL_OK;
    rows->annotators = sl_data_zeroed(rows->n_rows, sizeof *rows->annotators, err);
    if (!rows->annotators) return SL_ERR_NOMEM;
    for (size_t i = 0; i < rows->n_rows; i++) {
        size_t length = 0;
        const uint32_t annotator = builder->annotators[i];
        const char *name = annotator == SL_NO_NAME
                               ? ""
                               : sl_name_table_get(answers->annotators, annotator, &length);
        rows->annotators[i] = sl_data_string(name, length, err);
        if (!rows->annotators[i]) return SL_ERR_NOMEM;
    }
    return SL_OK;
}

static enum sl_status check_request(const struct sl_label_method *method,
                                    const struct sl_answers *answers,
                                    const struct sl_label_options *options, struct sl_error *err)
{
    SL_TRY(sl_label_options_check(options, err));
    if (options->per_annotator && (method->kinds == 0 || method->all))
        return sl_fail(err, SL_ERR_USAGE,
                       "%s makes one label per item and cannot make one per annotator",
                       method->name);
    if (options->weights && (options->per_annotator || options->mean_first || method->kinds == 0))
        return sl_fail(err, SL_ERR_USAGE, "%s takes no annotator weights%s", method->name,
                       options->per_annotator ? " when it makes a row per answer"
                       : options->mean_first  ? " when it averages before smoothing"
                                              : ": it reads no answers");
    if (answers->count == 0 && method->kinds)
        return sl_fail(err, SL_ERR_INPUT, "there are no answers to make labels from");
    return SL_OK;
}

enum sl_status sl_labels_build(const struct sl_label_method *method,
                               const struct sl_answers *answers,
                               const struct sl_label_options *options, struct sl_rows **out,
                               struct sl_error *err)
{
    SL_TRY(check_request(method, answers, options, err));
    struct builder builder = {.method = method, .answers = answers, .options = *options};
    enum sl_status status = builder_start(&builder, err);
    if (status == SL_OK) status = fill_rows(&builder, err);
    struct sl_rows *rows = builder.rows;
    if (status == SL_OK && rows->n_rows == 0)
        status = builder.notes.n_unusable
                     ? sl_fail(err, SL_ERR_INPUT, "no usable answer: %s",
                               builder.notes.first_unusable.message)
                     : sl_fail(err, SL_ERR_INPUT,
                               builder.notes.n_weightless
                                   ? "all answers that count come from annotators of weight 0"
                                   : "every answer is a check, repeat or second run");
    if (status == SL_OK && method->all)
        status = method->all(builder.classes, rows->n_rows, rows->n_classes, rows->values, err);
    if (status == SL_OK) status = put_names(&builder, err);
    if (status == SL_OK) {
        *out = rows;
        builder.rows = NULL;
        if (options->notes) *options->notes = builder.notes;
    }
    builder_release(&builder);
    return status;
}
