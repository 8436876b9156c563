/* Targets: chooses the items to train on, then finds one or more rows for each. */
#include "softlab/train/targets.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/text.h"
#include "train/targets_match.h"

/* Equal to SL_NO_LABEL of softlab/dataset.h, which train/ may not include. */
enum { NO_LABEL = -1 };

struct sl_target_options sl_target_options_default(void)
{
    return (struct sl_target_options){0};
}

/* The state while targets are created. */
struct making {
    const struct sl_target_items *items;
    const struct sl_target_options *options;
    struct sl_name_table *names;            /* owned; NULL if nothing is matched by name */
    struct sl_target_match labels, teacher; /* owned; empty without such a set */
    bool apart;                             /* rows of an item are not averaged */
    struct sl_name_table *annotators;       /* owned; or NULL */
    struct sl_targets *targets;             /* owned */
};

/* The rows of an item in a set. */
struct run {
    const size_t *rows; /* borrowed */
    size_t count;
};

static struct run rows_of(const struct sl_target_match *match, size_t item)
{
    if (!match->set) return (struct run){0};
    return (struct run){.rows = match->rows + match->begin[item],
                        .count = match->begin[item + 1] - match->begin[item]};
}

/* ---- Which items ---- */

static enum sl_status check_options(const struct sl_target_items *items,
                                    const struct sl_target_options *options, struct sl_error *err)
{
    if (options->teacher_share > 0 && !options->teacher)
        return sl_fail(err, SL_ERR_USAGE, "teacher_share is %g, but no teacher is given",
                       options->teacher_share);
    if (options->draw == SL_DRAW_ANNOTATOR && (!options->labels || !options->labels->annotators))
        return sl_fail(err, SL_ERR_INPUT,
                       "labels: no annotators to draw from; give labels with a row per annotator");
    if (options->only && options->n_only == 0)
        return sl_fail(err, SL_ERR_INPUT, "the split has no items to train on");
    for (size_t i = 0; options->only && i < options->n_only; i++)
        if (options->only[i] >= items->n_items)
            return sl_fail(
                err, SL_ERR_INPUT, "the split has item %zu, but the data set has only %zu item%s",
                options->only[i], items->n_items, sl_text_plural(items->n_items, "", "s"));
    return SL_OK;
}

static enum sl_status mark_holdout(const struct making *making, bool *held, struct sl_error *err)
{
    memset(held, 0, making->items->n_items * sizeof *held);
    for (const char *const *name = making->options->holdout; name && *name; name++) {
        const uint32_t item = sl_name_table_find(making->names, *name, strlen(*name));
        if (item == SL_NO_NAME)
            return sl_fail(err, SL_ERR_INPUT, "hold-out: the data set has no item \"%.60s\"",
                           *name);
        held[item] = true;
    }
    return SL_OK;
}

/* Decide whether an item without a row stays, with its hard label. */
static enum sl_status keep_rest(const struct making *making, size_t item, bool *keep,
                                struct sl_error *err)
{
    const struct sl_target_items *items = making->items;
    const enum sl_target_rest rest = making->options->labels ? making->options->rest : SL_REST_HARD;
    *keep = rest == SL_REST_HARD;
    if (rest == SL_REST_DROP) return SL_OK;
    if (rest == SL_REST_FAIL)
        return sl_fail(err, SL_ERR_INPUT, "labels: no row for item \"%.60s\"", items->items[item]);
    const int32_t label = items->labels ? items->labels[item] : NO_LABEL;
    if (label < 0)
        return sl_fail(err, SL_ERR_INPUT, "item \"%.60s\" has neither a class nor a row of labels",
                       items->items[item]);
    if ((size_t)label >= items->n_classes)
        return sl_fail(err, SL_ERR_INPUT,
                       "item \"%.60s\" has class %d, but there %s only %zu class%s",
                       items->items[item], label, sl_text_plural(items->n_classes, "is", "are"),
                       items->n_classes, sl_text_plural(items->n_classes, "", "es"));
    return SL_OK;
}

/* Choose the items to train on and the offsets of their rows. */
static enum sl_status choose_items(struct making *making, struct sl_error *err)
{
    const struct sl_target_options *options = making->options;
    struct sl_targets *targets = making->targets;
    const size_t n_candidates = options->only ? options->n_only : making->items->n_items;
    enum sl_status status = SL_ERR_NOMEM;
    bool *held = sl_data_alloc(making->items->n_items, sizeof *held, err);
    targets->items = sl_data_alloc(n_candidates, sizeof *targets->items, err);
    targets->begin = sl_data_alloc(n_candidates + 1, sizeof *targets->begin, err);
    if (!held || !targets->items || !targets->begin) goto out;
    SL_TRY_OUT(mark_holdout(making, held, err));
    targets->begin[0] = 0;
    for (size_t i = 0; i < n_candidates; i++) {
        const size_t item = options->only ? options->only[i] : i;
        const size_t n_rows = rows_of(&making->labels, item).count;
        bool keep = !held[item];
        if (keep && n_rows == 0) {
            SL_TRY_OUT(keep_rest(making, item, &keep, err));
            targets->n_left_out += !keep;
        }
        if (!keep) continue;
        const size_t at = targets->n_items++;
        targets->items[at] = item;
        targets->begin[at + 1] = targets->begin[at] + (making->apart && n_rows ? n_rows : 1);
        targets->n_soft += n_rows > 0;
    }
    if (targets->n_items == 0 && targets->n_left_out > 0)
        status = sl_fail(err, SL_ERR_INPUT, "labels: of the %zu item%s to train on, none has a row",
                         targets->n_left_out, sl_text_plural(targets->n_left_out, "", "s"));
    else if (targets->n_items == 0)
        status = sl_fail(err, SL_ERR_INPUT, "no item is left to train on");
out:
    free(held);
    return status;
}

/* ---- Their rows ---- */

/* The mean of some rows, in the order of the data set's classes. */
static void mean_row(const struct sl_target_match *match, struct run run, size_t n_classes,
                     float *out)
{
    for (size_t k = 0; k < n_classes; k++) {
        double sum = 0;
        for (size_t r = 0; r < run.count; r++)
            sum += (double)match->set->values[run.rows[r] * n_classes + match->columns[k]];
        out[k] = (float)(sum / (double)run.count);
    }
}

static enum sl_status number_annotator(struct making *making, size_t set_row, int32_t *out,
                                       struct sl_error *err)
{
    const char *name = making->labels.set->annotators[set_row];
    uint32_t number = 0;
    *out = -1;
    if (*name == '\0') return SL_OK;
    SL_TRY(sl_name_table_add(making->annotators, name, strlen(name), &number, err));
    *out = (int32_t)number;
    return SL_OK;
}

static enum sl_status fill_labels(struct making *making, size_t position, struct sl_error *err)
{
    struct sl_targets *targets = making->targets;
    const struct sl_target_match *match = &making->labels;
    const size_t n_classes = targets->n_classes, item = targets->items[position];
    const size_t first = targets->begin[position];
    const struct run run = rows_of(match, item);
    float *out = targets->rows + first * n_classes;
    if (run.count == 0) {
        memset(out, 0, n_classes * sizeof *out);
        out[making->items->labels[item]] = 1;
        if (targets->annotators) targets->annotators[first] = -1;
        return SL_OK;
    }
    if (!making->apart) {
        mean_row(match, run, n_classes, out);
        return SL_OK;
    }
    for (size_t r = 0; r < run.count; r++) {
        const struct run one = {.rows = run.rows + r, .count = 1};
        mean_row(match, one, n_classes, out + r * n_classes);
        if (targets->annotators)
            SL_TRY(number_annotator(making, run.rows[r], &targets->annotators[first + r], err));
    }
    return SL_OK;
}

static void smooth_row(double share, size_t n_classes, float *row)
{
    for (size_t k = 0; k < n_classes; k++)
        row[k] = (float)((1 - share) * (double)row[k] + share / (double)n_classes);
}

static void teach_row(const struct sl_target_match *teacher, size_t teacher_row, double share,
                      size_t n_classes, float *row)
{
    const float *from = teacher->set->values + teacher_row * n_classes;
    for (size_t k = 0; k < n_classes; k++)
        row[k] = (float)((1 - share) * (double)row[k] + share * (double)from[teacher->columns[k]]);
}

static enum sl_status find_teacher(const struct making *making, size_t item, size_t *row,
                                   struct sl_error *err)
{
    const struct run run = rows_of(&making->teacher, item);
    if (run.count != 1)
        return sl_fail(err, SL_ERR_INPUT, "teacher: %zu rows for item \"%.60s\", expected one",
                       run.count, making->items->items[item]);
    *row = run.rows[0];
    return SL_OK;
}

static enum sl_status fill_position(struct making *making, size_t position, struct sl_error *err)
{
    struct sl_targets *targets = making->targets;
    const struct sl_target_options *options = making->options;
    const size_t n_classes = targets->n_classes, item = targets->items[position];
    size_t teacher_row = 0;
    SL_TRY(fill_labels(making, position, err));
    if (making->teacher.set) SL_TRY(find_teacher(making, item, &teacher_row, err));
    const bool smooths = options->smooth > 0 && (options->smooth_all || !options->labels ||
                                                 rows_of(&making->labels, item).count > 0);
    for (size_t r = targets->begin[position]; r < targets->begin[position + 1]; r++) {
        float *row = targets->rows + r * n_classes;
        if (smooths) smooth_row(options->smooth, n_classes, row);
        if (making->teacher.set)
            teach_row(&making->teacher, teacher_row, options->teacher_share, n_classes, row);
    }
    return SL_OK;
}

static void name_annotators(const struct making *making)
{
    struct sl_targets *targets = making->targets;
    targets->n_annotators = sl_name_table_count(making->annotators);
    targets->annotator_names =
        sl_alloc(targets->n_annotators + 1, sizeof *targets->annotator_names);
    for (size_t a = 0; a < targets->n_annotators; a++)
        targets->annotator_names[a] =
            sl_string_copy(sl_name_table_get(making->annotators, (uint32_t)a, NULL));
}

static enum sl_status fill_rows(struct making *making, struct sl_error *err)
{
    struct sl_targets *targets = making->targets;
    const size_t n_rows = targets->begin[targets->n_items];
    targets->rows = sl_data_alloc(n_rows * targets->n_classes, sizeof *targets->rows, err);
    if (!targets->rows) return SL_ERR_NOMEM;
    if (making->apart && making->labels.set->annotators) {
        targets->annotators = sl_data_alloc(n_rows, sizeof *targets->annotators, err);
        if (!targets->annotators) return SL_ERR_NOMEM;
        making->annotators = sl_name_table_create();
    }
    for (size_t position = 0; position < targets->n_items; position++)
        SL_TRY(fill_position(making, position, err));
    if (targets->annotators) name_annotators(making);
    return SL_OK;
}

static enum sl_status make_targets(struct making *making, struct sl_error *err)
{
    const struct sl_target_items *items = making->items;
    const struct sl_target_options *options = making->options;
    if (options->labels || options->teacher || options->holdout)
        SL_TRY(sl_target_names(items, &making->names, err));
    if (options->labels)
        SL_TRY(sl_target_match(items, making->names, options, options->labels, "labels",
                               &making->labels, err));
    if (options->teacher)
        SL_TRY(sl_target_match(items, making->names, options, options->teacher, "teacher",
                               &making->teacher, err));
    SL_TRY(choose_items(making, err));
    return fill_rows(making, err);
}

enum sl_status sl_targets_create(const struct sl_target_items *items,
                                 const struct sl_target_options *options, bool keep_annotators,
                                 struct sl_targets **out, struct sl_error *err)
{
    SL_TRY(check_options(items, options, err));
    struct making making = {
        .items = items,
        .options = options,
        .apart = options->labels && (keep_annotators || options->draw == SL_DRAW_ANNOTATOR),
        .targets = sl_alloc(1, sizeof *making.targets),
    };
    making.targets->n_classes = items->n_classes;
    making.targets->draw = options->draw;
    const enum sl_status status = make_targets(&making, err);
    if (status == SL_OK)
        *out = making.targets;
    else
        sl_targets_destroy(making.targets);
    sl_target_match_release(&making.labels);
    sl_target_match_release(&making.teacher);
    sl_name_table_destroy(making.annotators);
    sl_name_table_destroy(making.names);
    return status;
}

void sl_targets_destroy(struct sl_targets *targets)
{
    if (!targets) return;
    sl_strings_destroy(targets->annotator_names, targets->n_annotators);
    free(targets->annotators);
    free(targets->items);
    free(targets->begin);
    free(targets->rows);
    free(targets);
}

/* ---- Drawing ---- */

static void average_rows(const float *rows, size_t count, size_t n_classes, float *out)
{
    if (count == 1) {
        memcpy(out, rows, n_classes * sizeof *out);
        return;
    }
    for (size_t k = 0; k < n_classes; k++) {
        double sum = 0;
        for (size_t r = 0; r < count; r++)
            sum += (double)rows[r * n_classes + k];
        out[k] = (float)(sum / (double)count);
    }
}

/* One class of the distribution in `row`, one-hot in its place. */
static void sample_class(struct sl_rng *rng, size_t n_classes, float *row)
{
    double total = 0, below = 0;
    for (size_t k = 0; k < n_classes; k++)
        total += (double)row[k];
    const double at = sl_rng_uniform(rng) * total;
    size_t drawn = SIZE_MAX;
    for (size_t k = 0; k < n_classes; k++) {
        /* If rounding leaves `at` past the end, the last class with any mass is drawn. */
        if (row[k] > 0 && (drawn == SIZE_MAX || below <= at)) drawn = k;
        below += (double)row[k];
    }
    memset(row, 0, n_classes * sizeof *row);
    if (drawn != SIZE_MAX) row[drawn] = 1;
}

static void draw_one(const struct sl_targets *targets, struct sl_rng *rng, size_t position,
                     float *out)
{
    const size_t n_classes = targets->n_classes;
    const float *rows = targets->rows + targets->begin[position] * n_classes;
    const size_t n_rows = targets->begin[position + 1] - targets->begin[position];
    if (targets->draw == SL_DRAW_ANNOTATOR) {
        average_rows(rows + sl_rng_below(rng, n_rows) * n_classes, 1, n_classes, out);
        return;
    }
    average_rows(rows, n_rows, n_classes, out);
    if (targets->draw == SL_DRAW_SAMPLE) sample_class(rng, n_classes, out);
}

void sl_targets_draw(const struct sl_targets *targets, uint64_t seed, uint64_t epoch,
                     const size_t *positions, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, seed, "target", epoch, targets->items[positions[i]]);
        draw_one(targets, &rng, positions[i], out + i * targets->n_classes);
    }
}

void sl_targets_hash(const struct sl_targets *targets, char out[SL_SHA256_TEXT])
{
    const size_t n = targets->n_items, n_rows = targets->begin[n];
    struct sl_hasher *hasher = sl_hasher_create();
    sl_hasher_number(hasher, n);
    sl_hasher_number(hasher, targets->n_classes);
    sl_hasher_number(hasher, (uint64_t)targets->draw);
    sl_hasher_add(hasher, targets->items, n * sizeof *targets->items);
    sl_hasher_add(hasher, targets->begin, (n + 1) * sizeof *targets->begin);
    sl_hasher_add(hasher, targets->rows, n_rows * targets->n_classes * sizeof *targets->rows);
    if (targets->annotators)
        sl_hasher_add(hasher, targets->annotators, n_rows * sizeof *targets->annotators);
    for (size_t i = 0; i < targets->n_annotators; i++)
        sl_hasher_text(hasher, targets->annotator_names[i]);
    sl_hasher_finish(hasher, out);
}
