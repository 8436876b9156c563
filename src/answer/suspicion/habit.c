/* Did an annotator look at the items? Two hypotheses about each vote a of annotator j on item i:
 *     did not look   p(a) = h_j(a), the share of a among j's own votes;
 *     looked         p(a) = t s_i(a) + (1 - t) h_j(a), s_i the support that the others give a.
 * Annotators differ in t. EM learns it for each, and s_i weights the others by it, so that scripts
 * that agree with each other support nobody: an annotator who always gives one class has t = 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/suspicion/suspicion.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

enum { SHARE_RANGES = 5, ROUNDS = 20, ENOUGH_VOTES = 5 };
static const double PRIOR_VOTES = 1;    /* weight of the overall shares added to an item's votes */
static const double LEAST_OTHERS = .25; /* with less weight of others a vote stands alone */
static const double CAREFUL = .6;       /* of the quartile's t: what "looked" is tested with */
static const double PRESUMED = .8;      /* the quartile's t where there are too few annotators */

/* Votes by group (an item's classes, or its mixing shares), and the same by voter. */
struct crowd {
    const struct sl_answers *answers;
    size_t n_annotators, n_voters; /* voters also count the true class and all unknown */
    size_t n_categories;
    size_t count, n_groups;
    uint32_t *voter, *category;   /* owned; count */
    size_t *group;                /* owned; n_groups + 1 */
    size_t *by_voter, *voter_end; /* owned; count; n_voters */
    double *share, *support;      /* owned; count: h_j(a) and s_i(a) */
    double *others;               /* owned; count: what s_i rests on */
    double *look, *looked;        /* owned; n_voters: t, and the sums for the next t */
    double *prior;                /* owned; n_categories */
    double *scratch;              /* owned; n_categories; zero between uses */
};

static size_t truth_voter(const struct crowd *crowd)
{
    return crowd->n_annotators;
}

static size_t unknown_voter(const struct crowd *crowd)
{
    return crowd->n_annotators + 1;
}

/* ---- Votes ---- */

static uint32_t category_of(const struct sl_answer *answer, size_t n_classes)
{
    if (answer->kind != SL_ANSWER_MIX) return sl_answer_choice(answer, n_classes);
    return (uint32_t)(n_classes + sl_bin_of((double)answer->mix.lambda, SHARE_RANGES));
}

static void add_vote(struct crowd *crowd, size_t voter, uint32_t category)
{
    crowd->voter[crowd->count] = (uint32_t)voter;
    crowd->category[crowd->count++] = category;
}

/* One item's votes of one sort: a person's first, without checks, repeats and second runs. */
static void add_group(struct crowd *crowd, const size_t *order, size_t count, bool mixed,
                      int32_t truth, size_t *voted, size_t group)
{
    const size_t begin = crowd->count;
    for (size_t i = 0; i < count; i++) {
        struct sl_answer answer;
        const uint32_t annotator = crowd->answers->annotator[order[i]];
        sl_answers_get(crowd->answers, order[i], &answer);
        if ((answer.kind == SL_ANSWER_MIX) != mixed || answer.flags) continue;
        if (annotator != SL_NO_NAME && voted[annotator] == group + 1) continue;
        if (annotator != SL_NO_NAME) voted[annotator] = group + 1;
        add_vote(crowd, annotator == SL_NO_NAME ? unknown_voter(crowd) : annotator,
                 category_of(&answer, crowd->answers->n_classes));
    }
    if (crowd->count > begin && !mixed && truth >= 0)
        add_vote(crowd, truth_voter(crowd), (uint32_t)truth);
    crowd->group[group + 1] = crowd->count;
}

static int32_t stated_truth(const struct sl_answers *answers, const size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, order[i], &answer);
        if (!(answer.flags & SL_ANSWER_CHECK) && answer.truth >= 0) return answer.truth;
    }
    return -1;
}

static void add_votes(struct crowd *crowd, const struct sl_item_index *index, const int32_t *truth,
                      size_t *voted)
{
    crowd->group[0] = 0;
    for (size_t item = 0; 2 * item < crowd->n_groups; item++) {
        const size_t *order = index->order + index->begin[item];
        const size_t count = index->begin[item + 1] - index->begin[item];
        const int32_t known = truth ? truth[item] : stated_truth(crowd->answers, order, count);
        add_group(crowd, order, count, false, known, voted, 2 * item);
        add_group(crowd, order, count, true, -1, voted, 2 * item + 1);
    }
}

static void sort_by_voter(struct crowd *crowd)
{
    size_t total = 0;
    memset(crowd->voter_end, 0, crowd->n_voters * sizeof *crowd->voter_end);
    for (size_t i = 0; i < crowd->count; i++)
        crowd->voter_end[crowd->voter[i]]++;
    for (size_t v = 0; v < crowd->n_voters; v++) {
        const size_t own = crowd->voter_end[v];
        crowd->voter_end[v] = total;
        total += own;
    }
    for (size_t i = 0; i < crowd->count; i++)
        crowd->by_voter[crowd->voter_end[crowd->voter[i]]++] = i;
}

/* h_j(a) of every vote. */
static void measure_shares(struct crowd *crowd)
{
    size_t begin = 0;
    for (size_t v = 0; v < crowd->n_voters; v++) {
        const size_t end = crowd->voter_end[v];
        for (size_t i = begin; i < end; i++)
            crowd->scratch[crowd->category[crowd->by_voter[i]]]++;
        for (size_t i = begin; i < end; i++) {
            const size_t vote = crowd->by_voter[i];
            crowd->share[vote] = crowd->scratch[crowd->category[vote]] / (double)(end - begin);
        }
        for (size_t i = begin; i < end; i++)
            crowd->scratch[crowd->category[crowd->by_voter[i]]] = 0;
        begin = end;
    }
}

/* ---- Learning who looks ---- */

/* Before t is learned, a vote weighs less the more often its voter gives that class. */
static double weight_of(const struct crowd *crowd, size_t vote, bool learned)
{
    return learned ? crowd->look[crowd->voter[vote]] : 1 - crowd->share[vote];
}

static void measure_prior(struct crowd *crowd, bool learned)
{
    const size_t n_classes = crowd->answers->n_classes;
    double sums[2] = {(double)n_classes, SHARE_RANGES};
    for (size_t k = 0; k < crowd->n_categories; k++)
        crowd->prior[k] = 1;
    for (size_t i = 0; i < crowd->count; i++) {
        const double weight = weight_of(crowd, i, learned);
        crowd->prior[crowd->category[i]] += weight;
        sums[crowd->category[i] >= n_classes] += weight;
    }
    for (size_t k = 0; k < crowd->n_categories; k++)
        crowd->prior[k] /= sums[k >= n_classes];
}

static void measure_support(struct crowd *crowd, bool learned)
{
    measure_prior(crowd, learned);
    for (size_t g = 0; g < crowd->n_groups; g++) {
        double total = 0;
        for (size_t i = crowd->group[g]; i < crowd->group[g + 1]; i++) {
            const double weight = weight_of(crowd, i, learned);
            crowd->scratch[crowd->category[i]] += weight;
            total += weight;
        }
        for (size_t i = crowd->group[g]; i < crowd->group[g + 1]; i++) {
            const double own = weight_of(crowd, i, learned);
            const uint32_t category = crowd->category[i];
            crowd->others[i] = fmax(total - own, 0);
            crowd->support[i] =
                (fmax(crowd->scratch[category] - own, 0) + PRIOR_VOTES * crowd->prior[category]) /
                (crowd->others[i] + PRIOR_VOTES);
        }
        for (size_t i = crowd->group[g]; i < crowd->group[g + 1]; i++)
            crowd->scratch[crowd->category[i]] = 0;
    }
}

static void learn(struct crowd *crowd)
{
    for (size_t v = 0; v < crowd->n_voters; v++)
        crowd->look[v] = .5;
    for (size_t round = 0; round < ROUNDS; round++) {
        measure_support(crowd, round > 0);
        memset(crowd->looked, 0, crowd->n_voters * sizeof *crowd->looked);
        for (size_t i = 0; i < crowd->count; i++) {
            const double look = crowd->look[crowd->voter[i]];
            const double seen = look * crowd->support[i];
            crowd->looked[crowd->voter[i]] += seen / (seen + (1 - look) * crowd->share[i]);
        }
        size_t begin = 0;
        for (size_t v = 0; v < crowd->n_voters; v++) {
            const double own = (double)(crowd->voter_end[v] - begin);
            crowd->look[v] = (crowd->looked[v] + .5) / (own + 1);
            begin = crowd->voter_end[v];
        }
    }
    measure_support(crowd, true);
}

/* The t of annotators who are presumed to look. */
static double careful_look(const struct crowd *crowd)
{
    double *looks = sl_alloc(crowd->n_annotators + 1, sizeof *looks);
    size_t count = 0, begin = 0;
    for (size_t v = 0; v < crowd->n_annotators; v++) {
        if (crowd->voter_end[v] - begin >= ENOUGH_VOTES) looks[count++] = crowd->look[v];
        begin = crowd->voter_end[v];
    }
    const double quartile =
        count < SL_SUSPECT_FEWEST ? PRESUMED : sl_quantile(looks, count, SL_SUSPECT_QUARTILE);
    free(looks);
    return CAREFUL * quartile;
}

/* ---- Results ---- */

/* The votes of one annotator, without the others. */
static void describe_votes(struct crowd *crowd, const size_t *votes, size_t count,
                           struct sl_suspect *suspect)
{
    suspect->n_votes = count;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        suspect->same += crowd->share[votes[i]] / (double)count;
        if (crowd->share[votes[i]] <= most) continue;
        most = crowd->share[votes[i]];
        suspect->usual = crowd->category[votes[i]];
    }
    suspect->n_usual = (size_t)lround(most * (double)count);
    suspect->usual_elsewhere = count ? crowd->prior[suspect->usual] : 0;
}

static void compare_votes(struct crowd *crowd, const size_t *votes, size_t count, double look,
                          struct sl_suspect *suspect)
{
    for (size_t i = 0; i < count; i++) {
        const size_t vote = votes[i];
        const double support = crowd->support[vote], share = crowd->share[vote];
        if (crowd->others[vote] < LEAST_OTHERS) {
            suspect->n_alone++;
            suspect->n_alone_usual += crowd->category[vote] == suspect->usual;
            continue;
        }
        suspect->n_compared++;
        suspect->habit -= log(look * support / share + 1 - look);
        suspect->agreement += support;
        crowd->scratch[crowd->category[vote]] += 1;
    }
    if (suspect->n_compared == 0) return;
    const double n_compared = (double)suspect->n_compared;
    suspect->agreement /= n_compared;
    for (size_t i = 0; i < count; i++) {
        const uint32_t category = crowd->category[votes[i]];
        suspect->chance += crowd->scratch[category] / n_compared * crowd->prior[category];
        crowd->scratch[category] = 0;
    }
}

static void describe_suspects(struct crowd *crowd, struct sl_suspect *suspects)
{
    const double look = careful_look(crowd);
    size_t begin = 0;
    for (size_t v = 0; v < crowd->n_annotators; v++) {
        const size_t count = crowd->voter_end[v] - begin;
        describe_votes(crowd, crowd->by_voter + begin, count, &suspects[v]);
        compare_votes(crowd, crowd->by_voter + begin, count, look, &suspects[v]);
        begin = crowd->voter_end[v];
    }
}

static enum sl_status allocate(struct crowd *crowd, size_t n_items, struct sl_error *err)
{
    const size_t most = crowd->answers->count + n_items; /* each item may have a true class */
    crowd->n_groups = 2 * n_items;
    crowd->voter = sl_data_alloc(most, sizeof *crowd->voter, err);
    crowd->category = sl_data_alloc(most, sizeof *crowd->category, err);
    crowd->group = sl_data_alloc(crowd->n_groups + 1, sizeof *crowd->group, err);
    crowd->by_voter = sl_data_alloc(most, sizeof *crowd->by_voter, err);
    crowd->voter_end = sl_data_alloc(crowd->n_voters, sizeof *crowd->voter_end, err);
    crowd->share = sl_data_alloc(most, sizeof *crowd->share, err);
    crowd->support = sl_data_alloc(most, sizeof *crowd->support, err);
    crowd->others = sl_data_alloc(most, sizeof *crowd->others, err);
    crowd->look = sl_data_alloc(crowd->n_voters, sizeof *crowd->look, err);
    crowd->looked = sl_data_alloc(crowd->n_voters, sizeof *crowd->looked, err);
    crowd->prior = sl_data_alloc(crowd->n_categories, sizeof *crowd->prior, err);
    crowd->scratch = sl_data_zeroed(crowd->n_categories, sizeof *crowd->scratch, err);
    const bool there = crowd->voter && crowd->category && crowd->group && crowd->by_voter &&
                       crowd->voter_end && crowd->share && crowd->support && crowd->others &&
                       crowd->look && crowd->looked && crowd->prior && crowd->scratch;
    return there ? SL_OK : SL_ERR_NOMEM;
}

static void release(struct crowd *crowd)
{
    free(crowd->voter);
    free(crowd->category);
    free(crowd->group);
    free(crowd->by_voter);
    free(crowd->voter_end);
    free(crowd->share);
    free(crowd->support);
    free(crowd->others);
    free(crowd->look);
    free(crowd->looked);
    free(crowd->prior);
    free(crowd->scratch);
}

enum sl_status sl_suspect_habits(const struct sl_answers *answers, const int32_t *truth,
                                 struct sl_suspect *suspects, struct sl_error *err)
{
    const size_t n_annotators = sl_name_table_count(answers->annotators);
    struct crowd crowd = {.answers = answers,
                          .n_annotators = n_annotators,
                          .n_voters = n_annotators + 2,
                          .n_categories = answers->n_classes + SHARE_RANGES};
    struct sl_item_index index = {0};
    size_t *voted = sl_data_zeroed(n_annotators, sizeof *voted, err);
    enum sl_status status = voted ? SL_OK : SL_ERR_NOMEM;
    if (status != SL_OK) return status;
    SL_TRY_OUT(sl_item_index_create(answers, &index, err));
    SL_TRY_OUT(allocate(&crowd, sl_name_table_count(answers->items), err));
    add_votes(&crowd, &index, truth, voted);
    sort_by_voter(&crowd);
    measure_shares(&crowd);
    learn(&crowd);
    describe_suspects(&crowd, suspects);
out:
    free(voted);
    sl_item_index_release(&index);
    release(&crowd);
    return status;
}
