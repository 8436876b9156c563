/* Makes labels with a label method, an aggregator or an ensemble. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

/* Only the methods for mixed images use confidence. */
static void warn_of_confidence(const struct sl_workplace *workplace,
                               const struct sl_labels_job *job, const struct sl_answers *answers)
{
    const struct sl_label_method *method = sl_label_method_find(job->method);
    if (!method && job->rows) method = sl_label_method_find(job->rows);
    if (method && (method->reads & SL_LABEL_READS_MIX || !method->kinds)) return;
    const size_t count = sl_answers_count_confident(answers);
    if (count)
        sl_log(workplace->log, SL_LOG_WARNING, "%s: %zu %s a confidence, which %s does not use",
               job->paths[0], count, sl_text_plural(count, "answer has", "answers have"),
               job->method);
}

enum sl_status sl_labels_read(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                              struct sl_labels_input *out, struct sl_error *err)
{
    if (!job->given)
        SL_TRY(sl_answers_read_any(workplace, job->paths[0], &job->reading, &out->read, err));
    out->answers = job->given ? job->given : out->read;
    warn_of_confidence(workplace, job, out->answers);
    const struct sl_known_names names = sl_known_names_of(out->answers);
    if (job->truth) SL_TRY(sl_truth_read_and_tell(workplace, job->truth, &names, &out->truth, err));
    if (job->vectors)
        SL_TRY(sl_similarity_read(job->vectors, (const char *const *)names.classes, names.n_classes,
                                  &out->similarity, err));
    out->options = sl_label_options_default();
    out->options.gamma = job->gamma;
    out->options.beta = job->beta;
    out->options.temperature = job->temperature;
    out->options.similarity = out->similarity;
    out->options.truth = out->truth;
    out->options.per_annotator = job->per_annotator;
    out->options.mean_first = job->mean_first;
    out->options.generated = job->generated;
    out->options.annotators = job->annotators;
    out->options.seed = job->seed;
    out->options.notes = &out->notes;
    return sl_keep_as_released(job->paths[0], out->answers, job->as_released, &out->options.keep,
                               err);
}

void sl_labels_input_release(struct sl_labels_input *input)
{
    sl_answers_destroy(input->read);
    free(input->truth);
    free(input->similarity);
    free(input->weights);
}

void sl_labels_say_what_became(const struct sl_workplace *workplace,
                               const struct sl_label_notes *notes, size_t n_labels)
{
    sl_log(workplace->log, SL_LOG_INFO, "%zu answer%s used", notes->n_used,
           sl_text_plural(notes->n_used, "", "s"));
    if (notes->n_flagged)
        sl_log(workplace->log, SL_LOG_INFO, "%zu answer%s left out: repeats, second runs or checks",
               notes->n_flagged, sl_text_plural(notes->n_flagged, "", "s"));
    if (notes->n_undrawn)
        sl_log(workplace->log, SL_LOG_INFO, "%zu answer%s not drawn", notes->n_undrawn,
               sl_text_plural(notes->n_undrawn, "", "s"));
    if (notes->n_weightless)
        sl_log(workplace->log, SL_LOG_INFO, "%zu %s weight 0", notes->n_weightless,
               sl_text_plural(notes->n_weightless, "answer left out: its annotator has",
                              "answers left out: their annotators have"));
    if (notes->n_unusable)
        sl_log(workplace->log, SL_LOG_WARNING, "%zu unusable answer%s, the first: %s",
               notes->n_unusable, sl_text_plural(notes->n_unusable, "", "s"),
               notes->first_unusable.message);
    if (notes->n_empty_items)
        sl_log(workplace->log, SL_LOG_WARNING, "%zu %s no answer left and no label",
               notes->n_empty_items,
               sl_text_plural(notes->n_empty_items, "item has", "items have"));
    if (notes->n_timed && notes->n_timed == notes->n_used && n_labels)
        sl_log(workplace->log, SL_LOG_INFO, "the answers took %.1f s per label, as measured",
               notes->ms_used / 1000 / (double)n_labels);
    else if (notes->n_timed)
        sl_log(workplace->log, SL_LOG_INFO, "%zu of %zu answer%s %s timed, %.1f s each",
               notes->n_timed, notes->n_used, sl_text_plural(notes->n_used, "", "s"),
               sl_text_plural(notes->n_timed, "was", "were"),
               notes->ms_timed / 1000 / (double)notes->n_timed);
}

enum sl_status sl_labels_build_or_name(const struct sl_workplace *workplace,
                                       const struct sl_labels_job *job,
                                       const struct sl_label_method *method,
                                       const struct sl_answers *answers,
                                       const struct sl_label_options *options, struct sl_rows **out,
                                       struct sl_error *err)
{
    const enum sl_status status = sl_labels_build(method, answers, options, out, err);
    return status == SL_ERR_INPUT
               ? sl_fail_within(err, status, "%s", sl_workplace_shown(workplace, job->paths[0]))
               : status;
}

static enum sl_status build(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                            const struct sl_label_method *method, struct sl_rows **out,
                            struct sl_label_notes *notes, struct sl_error *err)
{
    struct sl_labels_input input = {0};
    enum sl_status status = sl_labels_read(workplace, job, &input, err);
    if (status == SL_OK && job->weights)
        status = sl_labels_weights_read(workplace, job->weights, input.answers->annotators,
                                        &input.weights, err);
    input.options.weights = input.weights;
    if (status == SL_OK)
        status = sl_labels_build_or_name(workplace, job, method, input.answers, &input.options, out,
                                         err);
    if (status == SL_OK) *notes = input.notes;
    if (status == SL_OK) sl_labels_say_what_became(workplace, notes, (*out)->n_rows);
    sl_labels_input_release(&input);
    return status;
}

/* Name rows that are in the order of folds, as Peterson et al. published their predictions. */
static enum sl_status name_by_fold(struct sl_rows *rows, size_t n_folds, struct sl_error *err)
{
    if (rows->items)
        return sl_fail(err, SL_ERR_USAGE,
                       "--folds has no effect: the rows have names; leave it out");
    char **items = sl_alloc(rows->n_rows + 1, sizeof *items);
    size_t n_named = 0;
    for (size_t fold = 0; fold < n_folds; fold++) {
        struct sl_split split = {0};
        const enum sl_status status =
            sl_split_fold_numpy(rows->n_rows, n_folds, fold, 0, &split, err);
        if (status != SL_OK) {
            sl_names_destroy(items);
            return status;
        }
        for (size_t i = 0; i < split.n_first; i++)
            items[n_named++] = sl_string_printf("%zu", split.first[i]);
        sl_split_release(&split);
    }
    rows->items = items;
    return SL_OK;
}

static enum sl_status make_labels(const struct sl_labels_job *job,
                                  const struct sl_workplace *workplace, struct sl_rows **out,
                                  struct sl_label_notes *notes, struct sl_error *err)
{
    const struct sl_label_method *method = sl_label_method_find(job->method);
    const struct sl_aggregator *aggregator = sl_aggregator_find(job->method);
    if (method) return build(workplace, job, method, out, notes, err);
    if (aggregator) return sl_labels_aggregate(workplace, job, aggregator, out, notes, err);
    if (strcmp(job->method, SL_LABELS_ENSEMBLE) != 0)
        return sl_fail(err, SL_ERR_USAGE, "no method is called \"%s\"", job->method);
    struct sl_rows *rows = NULL;
    SL_TRY(sl_ensemble_read(workplace, job->paths, job->n_paths, job->temperature, &rows, err));
    const enum sl_status status = job->folds > 0 ? name_by_fold(rows, job->folds, err) : SL_OK;
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

enum sl_status sl_labels_job_run(const struct sl_labels_job *job,
                                 const struct sl_workplace *workplace, struct sl_rows **out,
                                 struct sl_label_notes *notes, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    if (!job->method) return sl_fail(err, SL_ERR_USAGE, "--method is missing, see --list");
    if (job->n_paths == 0) return sl_fail(err, SL_ERR_USAGE, "FILE is missing: the answers");
    if (job->n_paths > 1 && strcmp(job->method, SL_LABELS_ENSEMBLE) != 0)
        return sl_fail(
            err, SL_ERR_USAGE,
            "\"%s\": %s reads one file of answers; softlab import joins several of one format",
            sl_workplace_shown(workplace, job->paths[1]), job->method);
    *notes = (struct sl_label_notes){0};
    SL_TRY(make_labels(job, workplace, &rows, notes, err));
    sl_labels_say_counted(workplace, job, notes, rows->n_rows);
    if (job->provenance) rows->provenance = sl_string_copy(job->provenance);
    const enum sl_status status =
        job->output && rows->values
            ? sl_rows_write_by(workplace->pool, rows, "labels", job->output, err)
            : SL_OK;
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}
