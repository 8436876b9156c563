#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "labels.h"

/* Files an aggregator's options point at, read and held until it has run. */
struct held {
    int32_t *gold;
    float *predictions;
    float *reference;
    double *prior;
    double *weights;
    struct sl_crowd_state resume;
};

static void held_release(struct held *held)
{
    free(held->gold);
    free(held->predictions);
    free(held->reference);
    free(held->prior);
    free(held->weights);
    sl_crowd_state_release(&held->resume);
}

static struct sl_crowd_options crowd_options(const struct labels_values *values)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = (size_t)values->iterations;
    options.tolerance = values->tolerance;
    if (!isnan(values->smoothing)) options.smoothing = values->smoothing;
    if (!isnan(values->diagonal)) options.diagonal = values->diagonal;
    options.start = strcmp(values->start, "diagonal") == 0 ? SL_START_DIAGONAL : SL_START_SHARES;
    options.tie = strcmp(values->tie, "first") == 0    ? SL_TIE_FIRST
                  : strcmp(values->tie, "random") == 0 ? SL_TIE_RANDOM
                                                       : SL_TIE_SHARE;
    options.variational = !values->em;
    options.seed = (uint64_t)values->seed;
    options.calibrate = values->calibrate;
    options.threads = (unsigned)values->threads;
    return options;
}

/* A file's rows in the order of the answers' items; zeros where it has none. The number of items it
 * lacks in *n_missing. */
static enum sl_status read_rows_of_items(const struct cli *cli, const char *path, const char *array,
                                         const struct cli_names *names, float **out,
                                         size_t *n_missing, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(cli_read_labels(cli, path, array, names, &rows, err));
    size_t n_items = sl_name_table_count(names->items), n_classes = names->n_classes, n_found = 0;
    enum sl_row_matching matching = SL_ROWS_BY_NUMBER;
    enum sl_status status = SL_OK;
    float *values = sl_data_alloc(n_items, n_classes * sizeof *values, err);
    if (!values) status = SL_ERR_NOMEM;
    if (status == SL_OK && !rows->items)
        status = cli_match_rows(path, "rows", rows->n_rows, names->items, &matching, err);
    if (values) memset(values, 0, n_items * n_classes * sizeof *values);
    for (size_t row = 0; status == SL_OK && row < rows->n_rows; row++) {
        const char *item = rows->items ? rows->items[row] : NULL;
        uint32_t index = item ? sl_name_table_find(names->items, item, strlen(item))
                              : cli_row_place(names->items, matching, row);
        if (index == SL_NO_NAME) continue;
        memcpy(values + index * n_classes, rows->values + row * n_classes,
               n_classes * sizeof *values);
        n_found++;
    }
    sl_rows_destroy(rows);
    *n_missing = n_items - n_found;
    if (status == SL_OK)
        *out = values;
    else
        free(values);
    return status;
}

static enum sl_status read_held(const struct cli *cli, const struct labels_values *values,
                                const struct cli_names *names, struct held *held,
                                struct sl_crowd_options *options, struct sl_error *err)
{
    size_t n_missing = 0;
    if (values->gold) SL_TRY(cli_read_truth_of(cli, values->gold, names, NULL, &held->gold, err));
    if (values->predictions) {
        SL_TRY(read_rows_of_items(cli, values->predictions, "probs", names, &held->predictions,
                                  &n_missing, err));
        if (n_missing)
            return sl_fail(err, SL_ERR_INPUT, "%s: lacks %zu of the answers' items",
                           values->predictions, n_missing);
    }
    if (values->reference)
        SL_TRY(read_rows_of_items(cli, values->reference, "labels", names, &held->reference,
                                  &n_missing, err));
    if (values->prior)
        SL_TRY(
            labels_prior_read(cli, values->prior, names, values->prior_weight, &held->prior, err));
    if (values->weights)
        SL_TRY(labels_weights_read(cli, values->weights, names->annotators, &held->weights, err));
    if (values->resume) {
        SL_TRY(labels_state_read(cli, values->resume, names, &held->resume, err));
        options->resume = &held->resume;
    }
    options->gold = held->gold;
    options->predictions = held->predictions;
    options->reference = held->reference;
    options->prior = held->prior;
    options->weights = held->weights;
    return SL_OK;
}

/* The posteriors as rows, which take them over from the state. */
static struct sl_rows *take_rows(struct sl_crowd_state *state, const struct cli_names *names)
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

/* An item of whose answers none counts has no label: attention checks, which are no items of the
 * data, would get one otherwise. */
static void drop_unanswered(const struct cli *cli, const struct sl_votes *votes,
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
    if (count < rows->n_rows)
        sl_log(&cli->log, SL_LOG_INFO, "%zu items have no answer that counts and get no label",
               rows->n_rows - count);
    rows->n_rows = count;
}

static enum sl_status finish(struct cli *cli, const struct labels_values *values,
                             const struct sl_aggregator *method, struct sl_crowd_state *state,
                             const struct labels_asked *asked, struct sl_rows **out,
                             struct sl_error *err)
{
    if (values->annotators_out)
        SL_TRY(labels_annotators_write(values->annotators_out, method, state, asked, err));
    if (values->state) SL_TRY(labels_state_write(state, asked->names, values->state, err));
    if (state->trace && state->n_iterations)
        sl_log(&cli->log, SL_LOG_INFO, "%zu rounds, %s, log-likelihood %.6g", state->n_iterations,
               state->converged ? "settled" : "not settled", state->trace[state->n_iterations - 1]);
    *out = take_rows(state, asked->names);
    return SL_OK;
}

/* Where nobody answered what another did, skills and confusions fit anything. */
static void warn_if_unlearnable(const struct cli *cli, const struct sl_aggregator *method,
                                const size_t *begin, size_t n_items)
{
    if (!(method->needs & SL_CROWD_ANNOTATORS)) return;
    for (size_t i = 0; i < n_items; i++)
        if (begin[i + 1] - begin[i] > 1) return;
    sl_log(&cli->log, SL_LOG_WARNING,
           "no item has two answers: %s cannot tell good annotators from bad, mv would do",
           method->name);
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

static enum sl_status aggregate_votes(struct cli *cli, const struct labels_values *values,
                                      const struct sl_aggregator *method, struct sl_rows **out,
                                      struct sl_label_notes *notes, struct sl_error *err)
{
    struct cli_answer_input input;
    struct sl_crowd_options options = crowd_options(values);
    struct sl_crowd_state state = {0};
    struct held held = {0};
    struct sl_votes *votes = NULL;
    enum sl_status status = SL_OK;
    cli_answer_input_init(&input, cli, &values->input);
    SL_TRY_OUT(sl_votes_read(cli->arguments[0], &input.options, &votes, err));
    cli_answer_input_say(cli, &input.notes);
    const struct cli_names names = {votes->items,     votes->annotators, votes->classes,
                                    votes->n_classes, "the answers",     false};
    SL_TRY_OUT(read_held(cli, values, &names, &held, &options, err));
    const struct labels_asked asked = {&names, votes->annotator, votes->count};
    labels_say_weightless(cli, held.weights, &asked);
    warn_if_unlearnable(cli, method, votes->begin, votes->n_items);
    *notes = votes_notes(votes, &input.notes);
    labels_say_what_became(cli, notes, votes->n_items);
    SL_TRY_OUT(sl_aggregate(method, votes, &options, &state, err));
    SL_TRY_OUT(finish(cli, values, method, &state, &asked, out, err));
    drop_unanswered(cli, votes, &options, *out);
out:
    cli_answer_input_release(&input);
    sl_crowd_state_release(&state);
    held_release(&held);
    sl_votes_destroy(votes);
    return status;
}

/* Rows per answer, sorted by item. */
struct soft {
    struct sl_soft_votes votes;
    size_t *begin;
    uint32_t *annotator;
    float *rows;
};

static void soft_release(struct soft *soft)
{
    free(soft->begin);
    free(soft->annotator);
    free(soft->rows);
}

static enum sl_status soft_from_rows(const struct sl_rows *rows, const struct sl_answers *answers,
                                     struct soft *out, struct sl_error *err)
{
    size_t n_items = sl_name_table_count(answers->items), n_classes = rows->n_classes;
    out->begin = sl_alloc(n_items + 2, sizeof *out->begin);
    out->annotator = sl_data_alloc(rows->n_rows, sizeof *out->annotator, err);
    out->rows = sl_data_alloc(rows->n_rows, n_classes * sizeof *out->rows, err);
    uint32_t *item = sl_data_alloc(rows->n_rows, sizeof *item, err);
    if (!out->annotator || !out->rows || !item) {
        free(item);
        return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < rows->n_rows; i++) {
        item[i] = sl_name_table_find(answers->items, rows->items[i], strlen(rows->items[i]));
        out->begin[item[i] + 2]++;
    }
    for (size_t i = 0; i < n_items; i++)
        out->begin[i + 2] += out->begin[i + 1];
    /* begin[i + 1] is where item i begins and moves to where it ends. */
    for (size_t i = 0; i < rows->n_rows; i++) {
        size_t at = out->begin[item[i] + 1]++;
        const char *who = rows->annotators ? rows->annotators[i] : "";
        out->annotator[at] = sl_name_table_find(answers->annotators, who, strlen(who));
        memcpy(out->rows + at * n_classes, rows->values + i * n_classes,
               n_classes * sizeof *out->rows);
    }
    free(item);
    out->votes = (struct sl_soft_votes){.n_items = n_items,
                                        .n_annotators = sl_name_table_count(answers->annotators),
                                        .n_classes = n_classes,
                                        .count = rows->n_rows,
                                        .begin = out->begin,
                                        .annotator = out->annotator,
                                        .rows = out->rows};
    return SL_OK;
}

/* The votes behind rows that give all to one class, over the same arrays; `label` has room for
 * them. */
static struct sl_votes votes_of(const struct soft *soft, const struct sl_answers *answers,
                                uint16_t *label)
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

static enum sl_status run_on_rows(const struct sl_aggregator *method, const struct soft *soft,
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

const char labels_rows_of_tops[] = "t2-clamp", labels_rows_of_others[] = "share";

/* What was asked for, or what fits the answers. */
static enum sl_status find_rows(const struct sl_aggregator *method,
                                const struct labels_values *values,
                                const struct sl_answers *answers,
                                const struct sl_label_method **out, struct sl_error *err)
{
    bool tops = false;
    for (size_t i = 0; i < answers->count && !values->rows && !tops; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        tops = answer.kind == SL_ANSWER_SOFT;
    }
    const bool soft = method->needs & SL_CROWD_SOFT;
    const char *own = soft && tops ? labels_rows_of_tops : labels_rows_of_others;
    *out = sl_label_method_find(soft && values->rows ? values->rows : own);
    /* Which of them it would be was not known when options were checked. */
    if (!isnan(values->gamma) && !((*out)->reads & SL_LABEL_READS_GAMMA))
        return sl_fail(
            err, SL_ERR_USAGE,
            "--gamma has no effect on these answers, none of which leaves probability to "
            "share out: leave it out");
    return SL_OK;
}

/* By way of a row per answer: for methods that read distributions, and where answers are drawn
 * or repeats kept. */
static enum sl_status aggregate_rows(struct cli *cli, const struct labels_values *values,
                                     const struct sl_aggregator *method, struct sl_rows **out,
                                     struct sl_label_notes *notes, struct sl_error *err)
{
    struct sl_crowd_options options = crowd_options(values);
    struct sl_crowd_state state = {0};
    struct labels_input input = {0};
    struct held held = {0};
    struct soft soft = {0};
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(labels_read(cli, values, &input, err));
    input.options.per_annotator = true;
    const struct sl_label_method *row_method = NULL;
    SL_TRY_OUT(find_rows(method, values, input.answers, &row_method, err));
    SL_TRY_OUT(labels_build(cli, row_method, input.answers, &input.options, &rows, err));
    *notes = input.notes;
    labels_say_what_became(cli, notes, sl_name_table_count(input.answers->items));
    SL_TRY_OUT(soft_from_rows(rows, input.answers, &soft, err));
    const struct cli_names names = cli_names_of(input.answers);
    SL_TRY_OUT(read_held(cli, values, &names, &held, &options, err));
    const struct labels_asked asked = {&names, soft.annotator, soft.votes.count};
    labels_say_weightless(cli, held.weights, &asked);
    warn_if_unlearnable(cli, method, soft.begin, soft.votes.n_items);
    SL_TRY_OUT(run_on_rows(method, &soft, input.answers, &options, &state, err));
    SL_TRY_OUT(finish(cli, values, method, &state, &asked, out, err));
out:
    sl_rows_destroy(rows);
    soft_release(&soft);
    sl_crowd_state_release(&state);
    held_release(&held);
    labels_input_release(&input);
    return status;
}

enum sl_status labels_aggregate(struct cli *cli, const struct labels_values *values,
                                const struct sl_aggregator *method, struct sl_rows **out,
                                struct sl_label_notes *notes, struct sl_error *err)
{
    if (method->needs & SL_CROWD_PREDICTIONS && !values->predictions)
        return sl_fail(err, SL_ERR_USAGE,
                       "--predictions is missing: %s reads those of a classifier for every item",
                       method->name);
    bool by_rows = method->needs & SL_CROWD_SOFT || values->annotators > 0 || values->as_released ||
                   values->json; /* for the times of the answers */
    return by_rows ? aggregate_rows(cli, values, method, out, notes, err)
                   : aggregate_votes(cli, values, method, out, notes, err);
}
