/* What budgets are expected to buy, from a pilot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/asking/asking.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/exchange.h"
#include "softlab/pipeline/labels.h"

const char *const sl_plan_screen_names[SL_SCREENS] = {"hard", "rich"};
const char *const sl_plan_allocation_names[SL_ASK_ALLOCATIONS] = {"equal", "by gain"};

static const double usual_budgets[] = {2, 3, 4, 6, 8, 12, 16}; /* answers per item */
enum {
    USUAL_BUDGETS = sizeof usual_budgets / sizeof *usual_budgets,
    MOST_PER_ITEM = 256,
    MOST_BUDGETS = SL_SCREENS * SL_FIELD_LIST_MAX
};

void sl_budget_plan_release(struct sl_budget_plan *plan)
{
    sl_ask_forecast_destroy(plan->forecast);
    free(plan->rows);
    *plan = (struct sl_budget_plan){0};
}

/* ---- Screens ---- */

/* How many clicks a stated distribution is worth: dirichlet-soft finds the number with which the
 * answers of others predict a left-out answer best. */
static enum sl_status find_worth(const struct sl_plan_job *job,
                                 const struct sl_workplace *workplace, double *out,
                                 struct sl_error *err)
{
    struct sl_labels_job labels = sl_labels_job_default();
    struct sl_workplace quiet = *workplace;
    struct sl_exchange exchange = {0};
    struct sl_label_notes notes;
    struct sl_rows *rows = NULL;
    char *path = sl_string_copy(job->answers);
    labels.method = "dirichlet-soft";
    labels.paths = &path;
    labels.n_paths = 1;
    labels.reading = job->reading;
    quiet.log = NULL;
    quiet.exchange = &exchange;
    const enum sl_status status = sl_labels_job_run(&labels, &quiet, &rows, &notes, err);
    if (status == SL_OK) *out = exchange.state.dirichlet->rich_weight;
    sl_exchange_release(&exchange);
    sl_rows_destroy(rows);
    free(path);
    return status;
}

static bool is_wanted(const struct sl_plan_job *job, const struct sl_asking_answers *pilot,
                      size_t kind)
{
    if (job->screen) return strcmp(job->screen, sl_plan_screen_names[kind]) == 0;
    return pilot->n_answers[kind] > 0;
}

static enum sl_status find_screens(const struct sl_plan_job *job,
                                   const struct sl_workplace *workplace,
                                   const struct sl_asking_answers *pilot,
                                   struct sl_budget_plan *plan, struct sl_error *err)
{
    for (size_t kind = 0; kind < SL_SCREENS; kind++) {
        if (!is_wanted(job, pilot, kind)) continue;
        struct sl_plan_screen *screen = &plan->screens[plan->n_screens++];
        *screen = (struct sl_plan_screen){
            .kind = kind, .worth = 1, .seconds = job->seconds, .n_pilot = pilot->n_answers[kind]};
        if (isnan(job->seconds) && pilot->n_timed[kind] > 0) {
            screen->n_timed = pilot->n_timed[kind];
            screen->seconds = sl_trimmed_mean(pilot->seconds[kind], screen->n_timed);
        }
        if (kind == SL_SCREEN_HARD) continue;
        if (pilot->n_answers[kind] == 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: no answer states probabilities, so that nobody knows what such an "
                           "answer is worth; leave out --screen rich, or ask for some in the pilot",
                           sl_workplace_shown(workplace, job->answers));
        SL_TRY(find_worth(job, workplace, &screen->worth, err));
    }
    if (plan->n_screens > 1 && !isnan(job->seconds))
        return sl_fail(err, SL_ERR_USAGE,
                       "--seconds is about one screen, and the pilot has answers with and without "
                       "probabilities; also give --screen hard or --screen rich");
    for (size_t s = 0; s < plan->n_screens; s++)
        if (!isnan(job->pay_per_hour) && isnan(plan->screens[s].seconds))
            return sl_fail(err, SL_ERR_USAGE,
                           "--pay-per-hour needs to know how long an answer takes, and the pilot "
                           "has no recorded times; give --seconds");
    return SL_OK;
}

/* ---- Budgets ---- */

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum sl_status check_budgets(const struct sl_plan_job *job, struct sl_error *err)
{
    for (size_t b = 0; b < job->budgets.count; b++) {
        const double per_item = job->budgets.values[b] / (double)job->items;
        if (!(per_item > 0 && per_item <= MOST_PER_ITEM))
            return sl_fail(err, SL_ERR_USAGE,
                           "--budgets: %g answers to %zu items are %.3g per item; give more than 0 "
                           "and at most %d per item",
                           job->budgets.values[b], job->items, per_item, MOST_PER_ITEM);
        if (b > 0 && !(job->budgets.values[b] > job->budgets.values[b - 1]))
            return sl_fail(err, SL_ERR_USAGE, "--budgets: %g is not more than %g; let them ascend",
                           job->budgets.values[b], job->budgets.values[b - 1]);
    }
    return SL_OK;
}

/* Budget number b in answers per item. */
static double budget_of(const struct sl_plan_job *job, size_t b)
{
    return job->budgets.count > 0 ? job->budgets.values[b] / (double)job->items : usual_budgets[b];
}

/* All budgets of all screens in clicks per item, ascending, each once. */
static size_t list_clicks(const struct sl_budget_plan *plan, double out[MOST_BUDGETS])
{
    size_t count = 0, kept = 0;
    for (size_t s = 0; s < plan->n_screens; s++)
        for (size_t b = 0; b < plan->n_budgets; b++)
            out[count++] = plan->screens[s].worth * budget_of(plan->job, b);
    qsort(out, count, sizeof *out, compare_reals);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || out[i] > out[kept - 1] * (1 + 1e-9)) out[kept++] = out[i];
    return kept;
}

static size_t place_of(const struct sl_ask_forecast *forecast, double clicks)
{
    size_t place = 0;
    while (place + 1 < forecast->n_budgets && forecast->budgets[place] < clicks * (1 - 1e-9))
        place++;
    return place;
}

/* The work of an item grows with its answers, its waves and the cube of the classes, since a gain
 * looks at the whole label after each possible answer. */
static void bound_work(size_t n_classes, double most_clicks,
                       struct sl_ask_forecast_options *options)
{
    enum { USUAL_CLASSES = 10, MANY_CLASSES = 20, USUAL_CLICKS = 16, LEAST = 60, RELEAST = 25 };
    double share = most_clicks > USUAL_CLICKS ? USUAL_CLICKS / most_clicks : 1;
    if (n_classes > USUAL_CLASSES) share *= pow(USUAL_CLASSES / (double)n_classes, 3);
    options->n_simulated = (size_t)fmax(LEAST, share * (double)options->n_simulated);
    options->n_resimulated = (size_t)fmax(RELEAST, share * (double)options->n_resimulated);
    if (n_classes <= MANY_CLASSES) return;
    options->n_resamples = 10;
    options->wave = 1;
}

static enum sl_status forecast(const struct sl_plan_job *job, const struct sl_workplace *workplace,
                               const struct sl_votes *votes, struct sl_budget_plan *plan,
                               struct sl_error *err)
{
    struct sl_ask_forecast_options options = sl_ask_forecast_options_default();
    double clicks[MOST_BUDGETS];
    options.budgets = clicks;
    options.n_budgets = list_clicks(plan, clicks);
    options.seed = job->seed;
    options.progress = workplace->progress;
    bound_work(votes->n_classes, clicks[options.n_budgets - 1], &options);
    plan->wave = options.wave;
    plan->n_resamples = options.n_resamples;
    const enum sl_status status =
        sl_ask_forecast_create(votes, &options, workplace->pool, &plan->forecast, err);
    return status == SL_ERR_INPUT
               ? sl_fail_within(err, status, "%s", sl_workplace_shown(workplace, job->answers))
               : status;
}

/* ---- The table ---- */

static void fill_rows(struct sl_budget_plan *plan)
{
    const struct sl_plan_job *job = plan->job;
    const struct sl_ask_forecast *foreseen = plan->forecast;
    plan->rows =
        sl_alloc(plan->n_screens * SL_ASK_ALLOCATIONS * plan->n_budgets + 1, sizeof *plan->rows);
    for (size_t s = 0; s < plan->n_screens; s++)
        for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++)
            for (size_t b = 0; b < plan->n_budgets; b++) {
                const double per_item = budget_of(job, b), answers = per_item * (double)job->items;
                const size_t place = place_of(foreseen, plan->screens[s].worth * per_item);
                const double hours = answers * plan->screens[s].seconds / 3600;
                plan->rows[plan->n_rows++] =
                    (struct sl_plan_row){.screen = s,
                                         .allocation = a,
                                         .answers = answers,
                                         .per_item = per_item,
                                         .hours = hours,
                                         .money = hours * job->pay_per_hour,
                                         .risk = foreseen->risk[a][place],
                                         .square = foreseen->square[a][place]};
            }
}

/* ---- Whether choosing pays ---- */

const char *const sl_plan_verdict_names[SL_PLAN_VERDICTS] = {"pays", "does not pay", "not clear"};

/* A risk that is lower by less is not worth the waves that choosing takes. */
static const double WORTHWHILE = .97;
/* To say that choosing does not pay, the interval must exclude that it saves a fifth. */
static const double EXCLUDED = .8;

static enum sl_plan_verdict judge(const struct sl_interval *ratio)
{
    if (ratio->estimate <= WORTHWHILE && ratio->high < 1) return SL_PLAN_PAYS;
    if (ratio->estimate > WORTHWHILE && ratio->low > EXCLUDED) return SL_PLAN_DOES_NOT_PAY;
    return SL_PLAN_NOT_CLEAR;
}

static void find_choosing(struct sl_budget_plan *plan)
{
    struct sl_plan_choosing *choosing = &plan->choosing;
    choosing->per_item = budget_of(plan->job, plan->n_budgets / 2);
    const double clicks = plan->screens[0].worth * choosing->per_item;
    choosing->ratio = plan->forecast->ratio[place_of(plan->forecast, clicks)];
    choosing->verdict = judge(&choosing->ratio);
}

/* ---- Answers for a target ---- */

enum curve { ESTIMATE, LOW, HIGH };

static double value_of(const struct sl_interval *interval, enum curve curve)
{
    return curve == LOW ? interval->low : curve == HIGH ? interval->high : interval->estimate;
}

/* The clicks per item at which a curve comes down to the target, on straight lines between the
 * logarithms; the first budget if that is enough, infinity if the last is not. */
static double clicks_for(const struct sl_ask_forecast *foreseen, size_t allocation,
                         enum curve curve, double target)
{
    const struct sl_interval *risk = foreseen->risk[allocation];
    for (size_t b = 0; b < foreseen->n_budgets; b++) {
        const double here = value_of(&risk[b], curve);
        if (!(here <= target)) continue;
        if (b == 0) return foreseen->budgets[0];
        const double before = value_of(&risk[b - 1], curve);
        const double part = log(before / target) / log(before / here);
        return foreseen->budgets[b - 1] *
               pow(foreseen->budgets[b] / foreseen->budgets[b - 1], part);
    }
    return (double)INFINITY;
}

static void find_needed(struct sl_budget_plan *plan)
{
    const double target = plan->job->target, nothing = (double)NAN;
    for (size_t s = 0; s < plan->n_screens; s++)
        for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
            struct sl_plan_screen *screen = &plan->screens[s];
            const double scale = (double)plan->job->items / screen->worth;
            screen->needed[a] = (struct sl_interval){nothing, nothing, nothing};
            if (isnan(target)) continue;
            screen->needed[a] =
                (struct sl_interval){scale * clicks_for(plan->forecast, a, ESTIMATE, target),
                                     scale * clicks_for(plan->forecast, a, LOW, target),
                                     scale * clicks_for(plan->forecast, a, HIGH, target)};
        }
}

/* ---- The job ---- */

static enum sl_status check_job(const struct sl_plan_job *job, struct sl_error *err)
{
    if (!job->answers) return sl_fail(err, SL_ERR_USAGE, "ANSWERS is missing: those of a pilot");
    if (job->items == 0)
        return sl_fail(err, SL_ERR_USAGE,
                       "--items N is missing: how many items are to be labelled");
    return check_budgets(job, err);
}

enum sl_status sl_plan_job_run(const struct sl_plan_job *job, const struct sl_workplace *workplace,
                               struct sl_budget_plan *out, struct sl_error *err)
{
    struct sl_budget_plan plan = {
        .job = job, .n_budgets = job->budgets.count > 0 ? job->budgets.count : USUAL_BUDGETS};
    struct sl_asking_answers pilot = {0};
    enum sl_status status = SL_OK;
    SL_TRY(check_job(job, err));
    SL_TRY_OUT(sl_asking_answers_read(workplace, job->answers, &job->reading, NULL, &pilot, err));
    plan.n_pilot_items = pilot.votes->n_items;
    plan.n_pilot_answers = pilot.votes->count;
    SL_TRY_OUT(sl_alpha_measure(pilot.votes, NULL, job->seed, &plan.alpha, err));
    SL_TRY_OUT(find_screens(job, workplace, &pilot, &plan, err));
    SL_TRY_OUT(forecast(job, workplace, pilot.votes, &plan, err));
    fill_rows(&plan);
    find_choosing(&plan);
    find_needed(&plan);
    if (job->output) SL_TRY_OUT(sl_budget_plan_write(&plan, err));
    *out = plan;
    plan = (struct sl_budget_plan){0};
out:
    sl_asking_answers_release(&pilot);
    sl_budget_plan_release(&plan);
    return status;
}
