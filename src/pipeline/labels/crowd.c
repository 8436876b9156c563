#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "pipeline/soft_answers.h"
#include "softlab/base/array.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/exchange.h"

/* Move the posteriors from the state into new rows. */
static struct sl_rows *take_rows(struct sl_crowd_state *state, const struct sl_known_names *names)
{
    struct sl_rows *rows = sl_alloc(1, sizeof *rows);
    rows->n_rows = state->n_items;
    rows->n_classes = state->n_classes;
    rows->values = state->posterior;
    state->posterior = NULL;
    rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t i = 0; i < rows->n_rows; i++)
        rows->items[i] = sl_string_copy(sl_name_table_get(names->items, (uint32_t)i, NULL));
    rows->classes = sl_alloc(rows->n_classes, sizeof *rows->classes);
    for (size_t k = 0; k < rows->n_classes; k++)
        rows->classes[k] = sl_string_copy(names->classes[k]);
    return rows;
}

void sl_labels_say_unanswered(const struct sl_workplace *workplace, size_t count)
{
    if (count)
        sl_log(workplace->log, SL_LOG_INFO, "%zu %s no answer that counts and %s no label", count,
               sl_text_plural(count, "item has", "items have"),
               sl_text_plural(count, "gets", "get"));
}

/* Drop items without a counted answer. Otherwise attention checks, which are not items of the data,
 * would get a label. */
static void drop_unanswered(const struct sl_workplace *workplace, const struct sl_votes *votes,
                            const struct sl_crowd_options *options, struct sl_rows *rows)
{
    size_t count = 0;
    if (options->predictions) return;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const bool known = options->gold && options->gold[i] >= 0;
        if (votes->begin[i] == votes->begin[i + 1] && !known) {
            free(rows->items[i]);
            continue;
        }
        rows->items[count] = rows->items[i];
        memmove(rows->values + count * rows->n_classes, rows->values + i * rows->n_classes,
                rows->n_classes * sizeof *rows->values);
        count++;
    }
    sl_labels_say_unanswered(workplace, rows->n_rows - count);
    rows->n_rows = count;
}

/* The confusions that follow from skills. */
static enum sl_status fill_confusions(struct sl_crowd_state *state, struct sl_error *err)
{
    const size_t k = state->n_classes;
    state->confusion = sl_data_alloc(state->n_annotators, k * k * sizeof *state->confusion, err);
    if (!state->confusion) return SL_ERR_NOMEM;
    for (size_t a = 0; a < state->n_annotators; a++)
        sl_crowd_even_confusion(state->skill[a], k, state->confusion + a * k * k);
    return SL_OK;
}

/* Leave what was learned, all but the posterior, with the caller. */
static enum sl_status leave_state(struct sl_exchange *exchange, const struct sl_aggregator *method,
                                  struct sl_crowd_state *state, const struct sl_known_names *names,
                                  struct sl_error *err)
{
    if (exchange->confusions && !state->confusion && method->learns & SL_LEARNS_EVEN)
        SL_TRY(fill_confusions(state, err));
    exchange->annotators = sl_name_table_create();
    for (uint32_t i = 0; i < sl_name_table_count(names->annotators); i++) {
        uint32_t number;
        size_t length;
        const char *name = sl_name_table_get(names->annotators, i, &length);
        SL_TRY(sl_name_table_add(exchange->annotators, name, length, &number, err));
    }
    exchange->state = *state;
    *state = (struct sl_crowd_state){0};
    return SL_OK;
}

void sl_labels_say_iterations(const struct sl_workplace *workplace,
                              const struct sl_aggregator *method,
                              const struct sl_crowd_state *state)
{
    if (state->trace && state->n_iterations)
        sl_log(workplace->log, SL_LOG_INFO, "%zu iteration%s, %s, %s %.6g", state->n_iterations,
               sl_text_plural(state->n_iterations, "", "s"),
               state->converged ? "converged" : "not converged",
               method->trace ? method->trace : "log-likelihood",
               state->trace[state->n_iterations - 1]);
}

static enum sl_status finish(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                             const struct sl_aggregator *method, struct sl_crowd_state *state,
                             const struct sl_labels_asked *asked, struct sl_rows **out,
                             struct sl_error *err)
{
    if (job->annotators_out)
        SL_TRY(sl_labels_annotators_write(job->annotators_out, method, state, asked, err));
    if (job->items_out)
        SL_TRY(sl_labels_items_write(job->items_out, state, asked->names, asked->begin,
                                     job->predictions, err));
    if (job->state) SL_TRY(sl_labels_state_write(state, asked->names, job->state, err));
    sl_labels_say_iterations(workplace, method, state);
    *out = take_rows(state, asked->names);
    return workplace->exchange ? leave_state(workplace->exchange, method, state, asked->names, err)
                               : SL_OK;
}

void sl_labels_say_unlearnable(const struct sl_workplace *workplace,
                               const struct sl_aggregator *method)
{
    sl_log(workplace->log, SL_LOG_WARNING,
           "no item has two answers, so %s cannot tell good annotators from bad; use mv",
           method->name);
}

/* Skills and confusions cannot be estimated unless two annotators answer the same item. */
static void warn_if_unlearnable(const struct sl_workplace *workplace,
                                const struct sl_aggregator *method, const size_t *begin,
                                size_t n_items)
{
    if (!(method->needs & SL_CROWD_ANNOTATORS)) return;
    for (size_t i = 0; i < n_items; i++)
        if (begin[i + 1] - begin[i] > 1) return;
    sl_labels_say_unlearnable(workplace, method);
}

static struct sl_label_notes votes_notes(const struct sl_votes *votes,
                                         const struct sl_import_notes *read)
{
    const bool all = read->n_timed == votes->count;
    return (struct sl_label_notes){.n_used = votes->count,
                                   .n_timed = read->n_timed,
                                   .ms_timed = read->ms_timed,
                                   .ms_used = all ? read->ms_timed : (double)NAN};
}

static enum sl_status aggregate_votes(const struct sl_workplace *workplace,
                                      const struct sl_labels_job *job,
                                      const struct sl_aggregator *method, struct sl_rows **out,
                                      struct sl_label_notes *notes, struct sl_error *err)
{
    struct sl_import_notes imported = {0};
    struct sl_answer_reader reader;
    struct sl_crowd_options options = sl_labels_crowd_options(workplace, job);
    struct sl_crowd_state state = {0};
    struct sl_labels_held held = {0};
    struct sl_votes *read = NULL;
    const struct sl_votes *votes = NULL;
    enum sl_status status = SL_OK;
    sl_answer_reader_init(&reader, &job->reading, workplace, &imported);
    SL_TRY_OUT(sl_votes_get_lent(workplace, job->paths[0], &job->reading, &votes, err));
    if (!votes) {
        SL_TRY_OUT(sl_votes_read(job->paths[0], &reader.options, &read, err));
        sl_say_imported(workplace, &imported);
        votes = read;
    }
    const struct sl_known_names names = {votes->items,     votes->annotators, votes->classes,
                                         votes->n_classes, "the answers",     false};
    SL_TRY_OUT(sl_labels_held_read(workplace, job, &names, &held, &options, err));
    const struct sl_labels_asked asked = {&names, votes->annotator, votes->count, votes->begin,
                                          NULL};
    sl_labels_say_weightless(workplace, held.weights, &asked);
    warn_if_unlearnable(workplace, method, votes->begin, votes->n_items);
    *notes = votes_notes(votes, &imported);
    sl_labels_say_what_became(workplace, notes, votes->n_items);
    SL_TRY_OUT(sl_aggregate(method, votes, &options, &state, err));
    SL_TRY_OUT(finish(workplace, job, method, &state, &asked, out, err));
    drop_unanswered(workplace, votes, &options, *out);
out:
    sl_answer_reader_release(&reader);
    sl_crowd_state_release(&state);
    sl_labels_held_release(&held);
    sl_votes_destroy(read);
    return status;
}

/* One vote per row that gives all probability to one class; the result shares the arrays of `soft`,
 * and `label` has room for the votes. */
static struct sl_votes votes_of(const struct sl_soft_answers *soft,
                                const struct sl_answers *answers, uint16_t *label)
{
    const size_t n_classes = soft->votes.n_classes;
    for (size_t i = 0; i < soft->votes.count; i++) {
        const float *row = soft->rows + i * n_classes;
        label[i] = 0;
        for (size_t k = 1; k < n_classes; k++)
            if (row[k] > row[label[i]]) label[i] = (uint16_t)k;
    }
    return (struct sl_votes){.n_items = soft->votes.n_items,
                             .n_annotators = soft->votes.n_annotators,
                             .n_classes = n_classes,
                             .count = soft->votes.count,
                             .begin = soft->begin,
                             .annotator = soft->annotator,
                             .label = label,
                             .items = answers->items,
                             .annotators = answers->annotators,
                             .classes = answers->classes};
}

static enum sl_status run_on_rows(const struct sl_aggregator *method,
                                  const struct sl_soft_answers *soft,
                                  const struct sl_answers *answers,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    if (method->needs & SL_CROWD_SOFT)
        return sl_aggregate_soft(method, &soft->votes, options, out, err);
    uint16_t *label = sl_alloc(soft->votes.count, sizeof *label);
    const struct sl_votes votes = votes_of(soft, answers, label);
    enum sl_status status = sl_aggregate(method, &votes, options, out, err);
    free(label);
    return status;
}

const char sl_labels_rows_of_tops[] = "t2-clamp", sl_labels_rows_of_others[] = "share";

/* The label method that turns an answer into a row: the one asked for, or the one that fits the
 * answers. */
static enum sl_status find_rows(const struct sl_aggregator *method, const struct sl_labels_job *job,
                                const struct sl_answers *answers,
                                const struct sl_label_method **out, struct sl_error *err)
{
    const bool tops = !job->rows && sl_answers_have_kind(answers, SL_ANSWER_SOFT);
    const bool soft = method->needs & SL_CROWD_SOFT;
    const char *own = soft && tops ? sl_labels_rows_of_tops : sl_labels_rows_of_others;
    *out = sl_label_method_find(soft && job->rows ? job->rows : own);
    /* The options were checked before the answers were read, so --gamma is checked here. */
    if (!isnan(job->gamma) && !((*out)->reads & SL_LABEL_READS_GAMMA))
        return sl_fail(
            err, SL_ERR_USAGE,
            "--gamma has no effect: no answer leaves probability for other classes; leave it "
            "out");
    return SL_OK;
}

/* Aggregate rows, one per answer: for methods that read distributions, and if answers are drawn or
 * repeats kept. */
static enum sl_status aggregate_rows(const struct sl_workplace *workplace,
                                     const struct sl_labels_job *job,
                                     const struct sl_aggregator *method, struct sl_rows **out,
                                     struct sl_label_notes *notes, struct sl_error *err)
{
    struct sl_crowd_options options = sl_labels_crowd_options(workplace, job);
    struct sl_crowd_state state = {0};
    struct sl_labels_input input = {0};
    struct sl_labels_held held = {0};
    struct sl_soft_answers soft = {0};
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_labels_read(workplace, job, &input, err));
    input.options.per_annotator = true;
    const struct sl_label_method *row_method = NULL;
    SL_TRY_OUT(find_rows(method, job, input.answers, &row_method, err));
    SL_TRY_OUT(sl_labels_build_or_name(workplace, job, row_method, input.answers, &input.options,
                                       &rows, err));
    *notes = input.notes;
    sl_labels_say_what_became(workplace, notes, sl_name_table_count(input.answers->items));
    SL_TRY_OUT(sl_soft_answers_init(&soft, rows, input.answers, err));
    const struct sl_known_names names = sl_known_names_of(input.answers);
    SL_TRY_OUT(sl_labels_held_read(workplace, job, &names, &held, &options, err));
    const struct sl_labels_asked asked = {&names, soft.annotator, soft.votes.count, soft.begin,
                                          NULL};
    sl_labels_say_weightless(workplace, held.weights, &asked);
    warn_if_unlearnable(workplace, method, soft.begin, soft.votes.n_items);
    SL_TRY_OUT(run_on_rows(method, &soft, input.answers, &options, &state, err));
    SL_TRY_OUT(finish(workplace, job, method, &state, &asked, out, err));
out:
    sl_rows_destroy(rows);
    sl_soft_answers_release(&soft);
    sl_crowd_state_release(&state);
    sl_labels_held_release(&held);
    sl_labels_input_release(&input);
    return status;
}

enum sl_status sl_labels_aggregate(const struct sl_workplace *workplace,
                                   const struct sl_labels_job *job,
                                   const struct sl_aggregator *method, struct sl_rows **out,
                                   struct sl_label_notes *notes, struct sl_error *err)
{
    if (method->needs & SL_CROWD_PREDICTIONS && !job->predictions)
        return sl_fail(
            err, SL_ERR_USAGE,
            "--predictions is missing: %s needs a classifier's predictions for every item",
            method->name);
    if (method->needs & SL_CROWD_GOLD && !job->gold)
        return sl_fail(err, SL_ERR_USAGE,
                       "--gold is missing: %s weights annotators by items whose class is known",
                       method->name);
    /* What a classifier says is the prior of items here, and matrices are that of annotators. */
    struct sl_labels_job own = *job;
    if (method->needs & SL_CROWD_PREDICTED) {
        own.predictions = job->prior;
        own.prior = NULL;
    }
    job = &own;
    if (!job->given && sl_labels_streams(workplace, job, method))
        return sl_labels_aggregate_streamed(workplace, job, method, out, notes, err);
    const bool by_rows = method->needs & SL_CROWD_SOFT || job->annotators > 0 || job->given ||
                         job->as_released || job->timed;
    const enum sl_status status = by_rows
                                      ? aggregate_rows(workplace, job, method, out, notes, err)
                                      : aggregate_votes(workplace, job, method, out, notes, err);
    return sl_labels_hint_stream(status, method, err);
}
