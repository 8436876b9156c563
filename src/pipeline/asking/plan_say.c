/* A plan in sentences. */
#include <math.h>

#include "softlab/base/text.h"
#include "softlab/pipeline/asking.h"

enum { NUMBER = 32, SMALL_PILOT = 200 };
#define COUNT(value) sl_text_count((uint64_t)(value), (char[NUMBER]){0}, NUMBER)

static void say_pilot(const struct sl_budget_plan *plan, struct sl_buffer *out)
{
    const struct sl_ask_forecast *forecast = plan->forecast;
    sl_buffer_printf(out, "The pilot has %s answers to %s items; %s of them have two or more.\n",
                     COUNT(plan->n_pilot_answers), COUNT(plan->n_pilot_items),
                     COUNT(forecast->n_pilot));
    sl_alpha_warn(&plan->alpha, out);
    if (forecast->n_pilot < SMALL_PILOT)
        sl_buffer_printf(
            out,
            "This pilot is small, so the intervals are wide; %d items with two answers "
            "or more would narrow them.\n",
            SMALL_PILOT);
    if (forecast->useful < 0.95)
        sl_buffer_printf(out,
                         "%.0f %% of its answers look as if given by chance; the plan expects the "
                         "same share to be paid for and lost.\n",
                         100 * (1 - forecast->useful));
}

static void say_screens(const struct sl_budget_plan *plan, struct sl_buffer *out)
{
    for (size_t s = 0; s < plan->n_screens; s++) {
        const struct sl_plan_screen *screen = &plan->screens[s];
        const char *what = screen->kind == SL_SCREEN_HARD ? "An answer of one class"
                                                          : "An answer with probabilities";
        if (screen->kind == SL_SCREEN_RICH)
            sl_buffer_printf(
                out,
                "%s is worth %.2g clicks: with that weight (dirichlet-soft tries 0.5 to "
                "4), such answers predict each other best.\n",
                what, screen->worth);
        if (screen->n_timed > 0)
            sl_buffer_printf(out,
                             "%s takes %.1f s, the mean of %s recorded times without the fastest "
                             "and the slowest tenth.\n",
                             what, screen->seconds, COUNT(screen->n_timed));
        else if (!isnan(screen->seconds))
            sl_buffer_printf(out, "%s takes %.3g s, as stated.\n", what, screen->seconds);
        else
            sl_buffer_printf(out, "How long answers take is not recorded; --seconds adds hours.\n");
    }
    if (plan->n_screens == 1 && !plan->job->screen)
        sl_buffer_printf(out,
                         "Only %s answers are planned for: the pilot has no others, so what others "
                         "are worth is not known.\n",
                         sl_plan_screen_names[plan->screens[0].kind]);
}

/* The middle budget of the first screen, by one allocation. */
static const struct sl_plan_row *middle_row(const struct sl_budget_plan *plan, size_t allocation)
{
    return &plan->rows[allocation * plan->n_budgets + plan->n_budgets / 2];
}

/* Why, as far as V tells: it knows how much people disagree about items, not what their first
 * answers show. */
static const char *explain(const struct sl_budget_plan *plan)
{
    static const char *const reasons[SL_PLAN_VERDICTS][2] = {
        [SL_PLAN_PAYS] = {"people disagree about most items to a similar degree, so the gain comes "
                          "from items whose first answers leave their class open",
                          "a part of the items has most of the disagreement"},
        [SL_PLAN_DOES_NOT_PAY] = {"people disagree about most items to a similar degree",
                                  "items differ in how much people disagree, but their answers "
                                  "hardly tell which ones, or little is left to improve"},
        [SL_PLAN_NOT_CLEAR] = {"people disagree about most items to a similar degree",
                               "items differ in how much people disagree"},
    };
    const bool differ = plan->forecast->variation.estimate >= sl_ask_rule_default().pays;
    return reasons[plan->choosing.verdict][differ];
}

static void say_whether_choosing_pays(const struct sl_budget_plan *plan, struct sl_buffer *out)
{
    static const char *const verdicts[SL_PLAN_VERDICTS] = {
        [SL_PLAN_PAYS] = "Choosing items by gain pays",
        [SL_PLAN_DOES_NOT_PAY] = "Choosing items by gain does not pay",
        [SL_PLAN_NOT_CLEAR] = "Whether choosing items by gain pays is not clear from this pilot",
    };
    const struct sl_interval *v = &plan->forecast->variation;
    const struct sl_interval *ratio = &plan->choosing.ratio;
    sl_buffer_printf(out,
                     "%s: with %.3g answers per item the mean risk is expected to be %#.2g nats if "
                     "items are chosen by gain, %.2f [%.2f, %.2f] times the %#.2g if all items are "
                     "asked about alike.\n",
                     verdicts[plan->choosing.verdict], plan->choosing.per_item,
                     middle_row(plan, SL_ASK_BY_GAIN)->risk.estimate, ratio->estimate, ratio->low,
                     ratio->high, middle_row(plan, SL_ASK_BY_EQUAL)->risk.estimate);
    sl_buffer_printf(out,
                     "V = %.2f [%.2f, %.2f], the spread of disagreement over items (0: all alike): "
                     "%s.\n",
                     v->estimate, v->low, v->high, explain(plan));
}

static void say_cost(const struct sl_budget_plan *plan, const struct sl_plan_screen *screen,
                     double answers, struct sl_buffer *out)
{
    const double hours = answers * screen->seconds / 3600;
    if (isnan(hours)) return;
    sl_buffer_printf(out, ", %.3g h", hours);
    if (!isnan(plan->job->pay_per_hour))
        sl_buffer_printf(out, ", %s %s", COUNT(ceil(hours * plan->job->pay_per_hour)),
                         plan->job->currency ? plan->job->currency : "of money");
}

static void say_needed(const struct sl_budget_plan *plan, struct sl_buffer *out)
{
    const double first = plan->forecast->budgets[0];
    const double most = plan->forecast->budgets[plan->forecast->n_budgets - 1];
    for (size_t s = 0; s < plan->n_screens && !isnan(plan->job->target); s++)
        for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
            const struct sl_plan_screen *screen = &plan->screens[s];
            const struct sl_interval *needed = &screen->needed[a];
            const double least = first / screen->worth * (double)plan->job->items * (1 + 1e-9);
            const double limit = most / screen->worth * (double)plan->job->items;
            sl_buffer_printf(out, "A mean risk of %g nats with %s answers, %s: ", plan->job->target,
                             sl_plan_screen_names[screen->kind],
                             a == SL_ASK_BY_GAIN ? "items chosen by gain" : "all items alike");
            if (isinf(needed->estimate)) {
                sl_buffer_printf(out, "more than %s answers.\n", COUNT(limit));
                continue;
            }
            if (needed->estimate <= least) sl_buffer_printf(out, "at most ");
            sl_buffer_printf(out, "%s answers [%s to %s%s]", COUNT(ceil(needed->estimate)),
                             COUNT(ceil(needed->low)), isinf(needed->high) ? "more than " : "",
                             COUNT(isinf(needed->high) ? limit : ceil(needed->high)));
            say_cost(plan, screen, needed->estimate, out);
            sl_buffer_printf(out, ".\n");
        }
}

void sl_budget_plan_say(const struct sl_budget_plan *plan, struct sl_buffer *out)
{
    say_pilot(plan, out);
    say_screens(plan, out);
    say_whether_choosing_pays(plan, out);
    say_needed(plan, out);
    sl_buffer_text(out, "The intervals are for other items in the pilot, not for errors of the "
                        "model: where items were either clear or split between two classes, the "
                        "forecast risk at 8 answers per item was 1.4 to 1.7 times the real one.\n");
}
