/* Whose answers to look at, and what the labels would be without them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/advice/advice.h"
#include "softlab/answer/measures.h"
#include "softlab/base/memory.h"

/* The model's trust in somebody with few answers says little. */
enum { FEWEST_TRUSTED = 5 };
static const double LEAST_TRUST = .5;

static bool is_doubted(const struct sl_advice_input *input, const struct sl_advice *advice,
                       size_t annotator)
{
    const double trust = advice->model.missing ? 1 : advice->model.state.weight[annotator];
    return input->suspicions.annotators[annotator].flagged ||
           (trust < LEAST_TRUST &&
            input->quality.annotators[annotator].n_compared >= FEWEST_TRUSTED);
}

/* What speaks against an annotator, in words. */
static char *name_reasons(const struct sl_suspicion *suspicion, double agreement, double usual)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 16);
    for (size_t r = 0; r < suspicion->n_reasons; r++)
        sl_buffer_printf(&text, "%s%s", r ? "; " : "", suspicion->reasons[r]);
    if (suspicion->n_reasons == 0)
        sl_buffer_printf(&text,
                         "others' answers predict theirs no better than chance does (agreement "
                         "%.0f %%, of the median annotator %.0f %%)",
                         100 * agreement, 100 * usual);
    char *copy = sl_string_copy(text.data);
    sl_buffer_release(&text);
    return copy;
}

static double median_agreement(const struct sl_quality *quality, struct sl_error *err)
{
    double *values = sl_data_alloc(quality->n_annotators, sizeof *values, err);
    size_t count = 0;
    for (size_t a = 0; values && a < quality->n_annotators; a++)
        if (!isnan(quality->annotators[a].agreement))
            values[count++] = quality->annotators[a].agreement;
    const double median = values ? sl_median(values, count) : (double)NAN;
    free(values);
    return median;
}

static int by_answers(const void *left, const void *right)
{
    const struct sl_advice_person *a = left, *b = right;
    if (a->n_answers != b->n_answers) return a->n_answers < b->n_answers ? 1 : -1;
    return a->annotator < b->annotator ? -1 : a->annotator > b->annotator;
}

static void list_people(const struct sl_advice_input *input, struct sl_advice *advice,
                        const bool *doubted)
{
    struct sl_advice_people *people = &advice->people;
    people->people = sl_alloc(people->count + 1, sizeof *people->people);
    people->count = 0;
    double trusted = 0;
    for (size_t a = 0; a < input->quality.n_annotators; a++) {
        if (!doubted[a]) continue;
        const struct sl_annotator_quality *quality = &input->quality.annotators[a];
        const struct sl_suspicion *suspicion = &input->suspicions.annotators[a];
        people->people[people->count++] = (struct sl_advice_person){
            .annotator = (uint32_t)a,
            .n_answers = quality->n_answers,
            .suspicion = suspicion->score,
            .trust = advice->model.missing ? (double)NAN : advice->model.state.weight[a],
            .agreement = quality->agreement,
            .reasons = name_reasons(suspicion, quality->agreement, people->agreement)};
        people->n_answers += quality->n_answers;
        trusted += people->people[people->count - 1].trust * (double)quality->n_answers;
    }
    people->trust = trusted / (double)people->n_answers;
    qsort(people->people, people->count, sizeof *people->people, by_answers);
}

/* ---- Labels without their answers ---- */

static enum sl_status make_labels(const struct sl_advice_input *input,
                                  const struct sl_advice *advice,
                                  const struct sl_crowd_answers *crowd, struct sl_crowd_state *out,
                                  struct sl_error *err)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    options.pool = input->pool;
    const char *method = crowd->soft ? "dirichlet-soft" : "dirichlet";
    return sl_crowd_aggregate(advice->model.missing ? NULL : sl_aggregator_find(method), crowd,
                              &options, out, err);
}

static void compare_labels(struct sl_advice *advice, const struct sl_crowd_shape *all,
                           const size_t *kept, const float *before, const float *after)
{
    struct sl_advice_people *people = &advice->people;
    const size_t k = all->n_classes;
    size_t n_truth = 0, n_right = 0, n_right_after = 0;
    for (size_t i = 0; i < all->n_items; i++) {
        if (all->begin[i] == all->begin[i + 1]) continue;
        if (kept[i] == kept[i + 1]) {
            people->n_lost++;
            continue;
        }
        const size_t first = sl_largest(before + i * k, k), then = sl_largest(after + i * k, k);
        people->n_changed += first != then;
        if (!advice->truth || advice->truth[i] < 0) continue;
        n_truth++;
        n_right += first == (size_t)advice->truth[i];
        n_right_after += then == (size_t)advice->truth[i];
    }
    if (n_truth == 0) return;
    people->accuracy = (double)n_right / (double)n_truth;
    people->accuracy_without = (double)n_right_after / (double)n_truth;
}

static enum sl_status leave_out(const struct sl_advice_input *input, struct sl_advice *advice,
                                const bool *doubted, struct sl_error *err)
{
    const struct sl_crowd_shape all = sl_crowd_shape_of(&input->crowd);
    struct sl_crowd_subset rest = {0};
    struct sl_crowd_state before = {0}, after = {0};
    enum sl_status status = SL_OK;
    bool *keep = sl_data_alloc(all.count, sizeof *keep, err);
    if (!keep) SL_TRY_OUT(SL_ERR_NOMEM);
    for (size_t v = 0; v < all.count; v++)
        keep[v] = all.annotator[v] == SL_NO_NAME || !doubted[all.annotator[v]];
    SL_TRY_OUT(sl_crowd_subset_init(&rest, &input->crowd, keep, err));
    const struct sl_crowd_shape left = sl_crowd_shape_of(&rest.crowd);
    advice->people.n_lost = left.count > 0 ? 0 : advice->crowd.n_items;
    if (left.count == 0) goto out;
    if (advice->model.missing) SL_TRY_OUT(make_labels(input, advice, &input->crowd, &before, err));
    SL_TRY_OUT(make_labels(input, advice, &rest.crowd, &after, err));
    compare_labels(advice, &all, left.begin,
                   advice->model.missing ? before.posterior : advice->model.state.posterior,
                   after.posterior);
out:
    free(keep);
    sl_crowd_subset_release(&rest);
    sl_crowd_state_release(&before);
    sl_crowd_state_release(&after);
    return status;
}

enum sl_status sl_advice_judge_people(const struct sl_advice_input *input, struct sl_advice *advice,
                                      struct sl_error *err)
{
    struct sl_advice_people *people = &advice->people;
    const size_t n_annotators = input->quality.n_annotators;
    const double unknown = (double)NAN;
    people->accuracy = people->accuracy_without = unknown;
    people->alpha = (struct sl_interval){unknown, unknown, unknown};
    people->agreement = median_agreement(&input->quality, err);
    bool *doubted = sl_data_zeroed(n_annotators, sizeof *doubted, err);
    enum sl_status status = SL_OK;
    if (!doubted) SL_TRY_OUT(SL_ERR_NOMEM);
    for (size_t a = 0; a < n_annotators; a++) {
        doubted[a] = is_doubted(input, advice, a);
        people->count += doubted[a];
    }
    if (people->count == 0) goto out;
    list_people(input, advice, doubted);
    SL_TRY_OUT(sl_alpha_measure(input->votes, doubted, advice->job->seed, &people->alpha, err));
    SL_TRY_OUT(leave_out(input, advice, doubted, err));
out:
    free(doubted);
    return status;
}
