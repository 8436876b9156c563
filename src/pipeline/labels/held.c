/* What the options of an aggregator say and the files that they name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/memory.h"
#include "softlab/pipeline/exchange.h"

void sl_labels_held_release(struct sl_labels_held *held)
{
    free(held->gold);
    free(held->predictions);
    free(held->reference);
    free(held->prior);
    free(held->start_counts);
    free(held->weights);
    free(held->class_prior);
    free(held->ability);
    free(held->easiness);
    sl_crowd_state_release(&held->resume);
}

struct sl_crowd_options sl_labels_crowd_options(const struct sl_workplace *workplace,
                                                const struct sl_labels_job *job)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = job->iterations;
    if (!isnan(job->tolerance)) options.tolerance = job->tolerance;
    options.stop = job->stop;
    if (!isnan(job->smoothing)) options.smoothing = job->smoothing;
    if (!isnan(job->diagonal)) options.diagonal = job->diagonal;
    options.start = job->start;
    options.tie = job->tie;
    options.variational = !job->em;
    options.restarts = job->mace.restarts;
    options.mace.noise = job->mace.noise;
    options.mace.spam_prior = job->mace.spam_prior;
    options.mace.know_prior = job->mace.know_prior;
    options.glad.steps = job->glad.steps;
    options.glad.accuracy = job->glad.accuracy;
    options.zbs.rate = job->zbs.rate;
    options.zbs.factor = job->zbs.factor;
    options.zbs.period = job->zbs.period;
    options.zbs.margin = job->zbs.margin;
    options.seed = job->seed;
    options.calibrate = job->calibrate;
    options.intervals = options.risks = job->items_out;
    options.confusions = job->state || job->annotators_out ||
                         (workplace->exchange && workplace->exchange->confusions);
    options.pool = workplace->pool;
    return options;
}

/* The numbers of classes, annotators and items that glad takes. */
static enum sl_status read_glad(const struct sl_workplace *workplace,
                                const struct sl_labels_job *job, const struct sl_known_names *names,
                                struct sl_labels_held *held, struct sl_error *err)
{
    if (job->glad.ability)
        SL_TRY(sl_labels_numbers_read(workplace, job->glad.ability, &sl_labels_abilities,
                                      names->annotators, &held->ability, err));
    if (job->glad.easiness)
        SL_TRY(sl_labels_numbers_read(workplace, job->glad.easiness, &sl_labels_easiness,
                                      names->items, &held->easiness, err));
    if (!job->glad.class_prior) return SL_OK;
    struct sl_name_table *classes = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < names->n_classes && status == SL_OK; k++) {
        uint32_t number = 0;
        status =
            sl_name_table_add(classes, names->classes[k], strlen(names->classes[k]), &number, err);
    }
    if (status == SL_OK)
        status = sl_labels_numbers_read(workplace, job->glad.class_prior, &sl_labels_class_shares,
                                        classes, &held->class_prior, err);
    sl_name_table_destroy(classes);
    return status;
}

/* The counts that --start given and added begin with. */
static enum sl_status read_start(const struct sl_workplace *workplace,
                                 const struct sl_labels_job *job,
                                 const struct sl_known_names *names, struct sl_labels_held *held,
                                 struct sl_error *err)
{
    const bool needed = job->start == SL_START_GIVEN || job->start == SL_START_ADDED;
    if (needed != (job->start_from != NULL))
        return sl_fail(err, SL_ERR_USAGE,
                       needed
                           ? "--start-from is missing: --start given and added need a state with "
                             "confusion matrices"
                           : "--start-from has no effect without --start given or added; leave it "
                             "out");
    if (!needed) return SL_OK;
    const double weight = job->start == SL_START_ADDED ? job->start_weight : 1;
    return sl_labels_prior_read(workplace, job->start_from, names, weight, &held->start_counts,
                                err);
}

enum sl_status sl_labels_held_read(const struct sl_workplace *workplace,
                                   const struct sl_labels_job *job,
                                   const struct sl_known_names *names, struct sl_labels_held *held,
                                   struct sl_crowd_options *options, struct sl_error *err)
{
    size_t n_missing = 0;
    if (job->gold) SL_TRY(sl_truth_read(workplace, job->gold, names, NULL, &held->gold, err));
    if (job->predictions)
        SL_TRY(sl_predictions_read_of_items(workplace, job->predictions, names, &held->predictions,
                                            err));
    if (job->reference)
        SL_TRY(sl_rows_read_of_items(workplace, job->reference, "labels", names, &held->reference,
                                     &n_missing, err));
    if (job->prior)
        SL_TRY(sl_labels_prior_read(workplace, job->prior, names, job->prior_weight, &held->prior,
                                    err));
    SL_TRY(read_start(workplace, job, names, held, err));
    SL_TRY(read_glad(workplace, job, names, held, err));
    if (job->weights)
        SL_TRY(sl_labels_weights_read(workplace, job->weights, names->annotators, &held->weights,
                                      err));
    if (job->resume) {
        SL_TRY(sl_labels_state_read(workplace, job->resume, names, &held->resume, err));
        options->resume = &held->resume;
    }
    options->gold = held->gold;
    options->predictions = held->predictions;
    options->reference = held->reference;
    options->prior = held->prior;
    options->start_counts = held->start_counts;
    options->glad.class_prior = held->class_prior;
    options->glad.ability = held->ability;
    options->glad.easiness = held->easiness;
    options->weights = held->weights;
    return SL_OK;
}
