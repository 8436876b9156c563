/* The page: figures in sentences. */
#include <math.h>
#include <stdio.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/text.h"

enum { FEWEST_FOR_MODEL = 50 }; /* items, to say how hard items are in general */

void sl_advice_say_count(struct sl_buffer *out, uint64_t count, const char *one, const char *many)
{
    char text[32];
    sl_buffer_printf(out, "%s %s", sl_text_count(count, text, sizeof text),
                     sl_text_plural(count, one, many));
}

/* Decimals that a width supports. */
static int decimals_of(double width)
{
    const double digits = ceil(-log10(width / 2));
    return digits < 1 ? 1 : digits > 4 ? 4 : (int)digits;
}

static bool rounds_to_zero(double value, int digits)
{
    return value != 0 && fabs(value) < .5 * pow(10, -digits);
}

void sl_advice_say_interval(struct sl_buffer *out, const struct sl_interval *interval)
{
    const double width = interval->high - interval->low;
    if (!(width > 0)) {
        sl_buffer_printf(out, "%.2f", interval->estimate);
        return;
    }
    int digits = decimals_of(width);
    while (digits < 4 &&
           (rounds_to_zero(interval->low, digits) || rounds_to_zero(interval->high, digits)))
        digits++; /* on which side of 0 an end is must be seen */
    const double middle = rounds_to_zero(interval->estimate, digits) ? 0 : interval->estimate;
    sl_buffer_printf(out, "%.*f, 95 %% interval %.*f to %.*f", digits, middle, digits,
                     interval->low, digits, interval->high);
}

const char *sl_advice_item_name(const struct sl_advice *advice, uint32_t item)
{
    return sl_name_table_get(advice->answers->items, item, NULL);
}

const char *sl_advice_person_name(const struct sl_advice *advice, uint32_t annotator)
{
    return sl_name_table_get(advice->answers->annotators, annotator, NULL);
}

/* ---- The crowd ---- */

static void say_sizes(const struct sl_advice_crowd *crowd, struct sl_buffer *out)
{
    if (crowd->n_annotators > 0)
        sl_advice_say_count(out, crowd->n_annotators, "annotator", "annotators");
    else
        sl_buffer_text(out, "Annotators without names");
    sl_buffer_text(out, " gave ");
    sl_advice_say_count(out, crowd->n_answers, "answer", "answers");
    sl_buffer_text(out, " to ");
    sl_advice_say_count(out, crowd->n_items, "item", "items");
    if (crowd->fewest == crowd->most)
        sl_buffer_printf(out, ", %zu per item.", crowd->most);
    else
        sl_buffer_printf(out, ", %zu to %zu per item (%.1f on average).", crowd->fewest,
                         crowd->most, (double)crowd->n_answers / (double)crowd->n_items);
}

static void say_unread(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    char read[32], unread[32];
    if (crowd->n_unread == 0) return;
    sl_buffer_printf(out,
                     " Labels, risks and times are of the %s answers that %s reads; the other %s "
                     "count for agreement only.",
                     sl_text_count(crowd->n_answers - crowd->n_unread, read, sizeof read),
                     advice->methods.candidates[0].method,
                     sl_text_count(crowd->n_unread, unread, sizeof unread));
}

static void say_busiest(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    const double share = (double)crowd->n_busiest / (double)crowd->n_answers;
    if (crowd->n_annotators < 3 || share < 1.5 / (double)crowd->n_annotators) return;
    const bool everything = crowd->n_busiest >= crowd->n_items;
    if (!everything && share < 1. / 3) return;
    sl_buffer_printf(out, " Annotator %s %s (%.0f %% of all answers)%s",
                     sl_advice_person_name(advice, crowd->busiest),
                     everything ? "answered every item" : "gave many of the answers", 100 * share,
                     share < 1. / 3 ? "." : ": the labels lean on this person.");
}

static void say_unused(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    if (crowd->n_unused == 0 || crowd->only_class != SL_NO_NAME) return;
    sl_buffer_printf(out, " Nobody chose %zu of the %zu classes.", crowd->n_unused,
                     crowd->n_classes);
}

static void say_levels(const struct sl_advice_model *model, bool rich, struct sl_buffer *out)
{
    static const char *const words[SL_DIRICHLET_LEVELS] = {"clear", "less clear", "hard"};
    size_t said = 0, left = 0;
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++)
        left += model->share[t] >= .005;
    sl_buffer_text(out, " By the fitted model, ");
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++) {
        if (model->share[t] < .005) continue;
        left--;
        sl_buffer_printf(out,
                         rich ? "%s%.0f %% %s%s (%.0f %%%s)" : "%s%.0f %% %s%s (%.0f of 100%s)",
                         said == 0  ? ""
                         : left > 0 ? ", "
                                    : " and ",
                         100 * model->share[t], said == 0 ? "of the items are " : "", words[t],
                         floor(100 * model->agreed[t]),
                         said > 0 ? ""
                         : rich   ? " of the stated probability is on one class"
                                  : " people would name the same class");
        said++;
    }
    sl_buffer_byte(out, '.');
}

static void say_variation(const struct sl_advice_model *model, struct sl_buffer *out)
{
    const double v = model->variation;
    sl_buffer_printf(out,
                     " Items differ %s in how much people disagree (V = %.2f), so asking more "
                     "about some items than about others %s.",
                     v >= SL_ADVICE_PAYS ? "much"
                     : v > .06           ? "somewhat"
                                         : "little",
                     v,
                     v >= SL_ADVICE_PAYS ? "pays"
                     : v > .06           ? "hardly pays"
                                         : "does not pay");
}

/* There is no disagreement to speak of: what the model says of it is its prior. */
static bool is_unanimous(const struct sl_advice *advice)
{
    return advice->crowd.alpha.low >= .99;
}

void sl_advice_say_crowd(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    say_sizes(crowd, out);
    if (crowd->n_unknown > 0 && crowd->n_annotators > 0) {
        sl_buffer_byte(out, ' ');
        sl_advice_say_count(out, crowd->n_unknown, "answer does", "answers do");
        sl_buffer_text(out, " not say who gave them.");
    }
    say_unread(advice, out);
    say_busiest(advice, out);
    say_unused(advice, out);
    if (advice->model.missing)
        sl_buffer_printf(out, " How hard items are cannot be said: %s.", advice->model.missing);
    else if (crowd->n_compared < FEWEST_FOR_MODEL)
        sl_buffer_printf(out,
                         " A pilot of %zu %s is too small to say how hard items are in general.",
                         crowd->n_compared, sl_text_plural(crowd->n_compared, "item", "items"));
    else if (!sl_advice_verdict(advice)->useless) {
        if (is_unanimous(advice)) {
            sl_buffer_text(out, " People hardly ever disagree about an item.");
        } else {
            say_levels(&advice->model, crowd->rich, out);
            say_variation(&advice->model, out);
        }
    }
    if (crowd->seconds > 0)
        sl_buffer_printf(out,
                         " An answer took %.1f s (mean without the fastest and the slowest tenth).",
                         crowd->seconds);
    else
        sl_buffer_text(out, " The answers have no times.");
}

/* ---- People ---- */

static void say_effect(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_people *people = &advice->people;
    sl_buffer_text(out, "\nWithout their answers ");
    if (people->n_lost == advice->crowd.n_items) {
        sl_buffer_text(out, "no item has an answer.");
        return;
    }
    if (people->n_changed == 0)
        sl_buffer_text(out, "no label would get another first class");
    else
        sl_advice_say_count(out, people->n_changed, "label would get another first class",
                            "labels would get another first class");
    if (people->trust < .5)
        sl_buffer_text(out, " (dirichlet counts their answers little as it is)");
    if (people->n_lost > 0) {
        sl_buffer_text(out, " and ");
        sl_advice_say_count(out, people->n_lost, "item", "items");
        sl_buffer_text(out, " would lose all answers");
    }
    if (!isnan(people->alpha.estimate))
        sl_buffer_printf(out, "; alpha would be %.2f instead of %.2f", people->alpha.estimate,
                         advice->crowd.alpha.estimate);
    sl_buffer_byte(out, '.');
    if (fabs(people->accuracy - people->accuracy_without) >= .0005)
        sl_buffer_printf(out,
                         " Of the items with a known class, %.1f %% instead of %.1f %% would be "
                         "labelled right.",
                         100 * people->accuracy_without, 100 * people->accuracy);
}

static void say_person(const struct sl_advice *advice, const struct sl_advice_person *person,
                       struct sl_buffer *out)
{
    sl_buffer_printf(out, "\n  Annotator %s, ", sl_advice_person_name(advice, person->annotator));
    sl_advice_say_count(out, person->n_answers, "answer", "answers");
    sl_buffer_printf(out, ": %s", person->reasons);
}

void sl_advice_say_people(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_people *people = &advice->people;
    const size_t top = (size_t)advice->job->top;
    if (advice->crowd.n_annotators == 0) {
        sl_buffer_text(out,
                       "The answers do not say who gave them, so annotators cannot be judged.");
        return;
    }
    if (people->count == 0) {
        sl_buffer_text(out, advice->crowd.n_compared == 0
                                ? "Annotators cannot be compared: no item has two answers."
                                : "No annotator stands out as answering without looking.");
        return;
    }
    sl_buffer_printf(out, "%zu of ", people->count);
    sl_advice_say_count(out, advice->crowd.n_annotators, "annotator", "annotators");
    sl_buffer_text(out, " (");
    sl_advice_say_count(out, people->n_answers, "answer", "answers");
    sl_buffer_text(out, ") should be checked. Look at their answers before you exclude anybody:");
    for (size_t i = 0; i < people->count && i < top; i++)
        say_person(advice, &people->people[i], out);
    if (people->count > top)
        sl_buffer_printf(out, "\n  and %zu more (--json)", people->count - top);
    say_effect(advice, out);
}

/* ---- Methods ---- */

static void say_ahead(const struct sl_advice_methods *methods, size_t other, struct sl_buffer *out)
{
    sl_buffer_printf(out, "%s (", methods->candidates[other].method);
    sl_advice_say_interval(out, &methods->behind[other]);
    sl_buffer_byte(out, ')');
}

/* The candidates that the best one beats significantly, or those that it does not. Returns whether
 * there are any. */
static bool say_beaten(const struct sl_advice_methods *methods, bool significantly,
                       const char *before, struct sl_buffer *out)
{
    bool any = false;
    for (size_t m = 0; m < methods->count; m++) {
        if (m == methods->best || (methods->behind[m].low > 0) != significantly) continue;
        sl_buffer_text(out, any ? ", " : before);
        say_ahead(methods, m, out);
        any = true;
    }
    return any;
}

static void say_evidence(const struct sl_advice_methods *methods, struct sl_buffer *out)
{
    const char *best = methods->candidates[methods->best].method;
    if (methods->best == methods->advised) {
        sl_buffer_text(out, " When some answers are left out, its labels (mixed with a small share "
                            "of the class shares, which `softlab labels` does not add) predict "
                            "them best: the log-likelihood of an answer is higher, in nats,");
        const bool beaten = say_beaten(methods, true, " than with ", out);
        say_beaten(methods, false,
                   beaten ? ", but not significantly higher than with "
                          : " than with the others, but not significantly: ",
                   out);
    } else {
        sl_buffer_printf(
            out,
            " When some answers are left out, %s (its labels mixed with a small share of "
            "the class shares, which `softlab labels` does not add) predicts them "
            "best, but the log-likelihood of an answer is not significantly higher, in nats,",
            best);
        say_beaten(methods, false, " than with ", out);
        sl_buffer_printf(out, ", and %s is the simplest of them",
                         methods->candidates[methods->advised].method);
        say_beaten(methods, true, ". It is higher than with ", out);
    }
    sl_buffer_byte(out, '.');
}

/* Against known classes. */
static void say_accuracy(const struct sl_advice_methods *methods, struct sl_buffer *out)
{
    if (methods->n_truth == 0) {
        sl_buffer_text(out, " This is about how people answer; which method finds the true class "
                            "more often only known classes can tell (--truth).");
        return;
    }
    sl_buffer_text(out, " Of the ");
    sl_advice_say_count(out, methods->n_truth, "item", "items");
    sl_buffer_text(out, " with a known class, the most probable class is right for");
    for (size_t m = 0; m < methods->count; m++)
        sl_buffer_printf(out, "%s %.1f %% with %s", m ? "," : "", 100 * methods->accuracy[m],
                         methods->candidates[m].method);
    sl_buffer_byte(out, '.');
    if (methods->truest_ahead.low > 0)
        sl_buffer_printf(out,
                         " If you need the true class and not how people would answer, use %s.",
                         methods->candidates[methods->truest].method);
}

void sl_advice_say_methods(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_methods *methods = &advice->methods;
    const struct sl_advice_candidate *candidate =
        &methods->candidates[methods->decided ? methods->advised : 0];
    sl_buffer_printf(out, "Use `softlab labels %s --method %s` (%s).", advice->job->answers,
                     candidate->method, candidate->words);
    if (advice->crowd.n_compared == 0)
        sl_buffer_text(out, " It is the simplest: no item has two answers, so methods cannot be "
                            "compared.");
    else if (!methods->decided)
        sl_buffer_printf(out,
                         " It is the simplest: with %zu items that have two answers or more, the "
                         "answers cannot decide between methods.",
                         advice->crowd.n_compared);
    else if (methods->count > 1)
        say_evidence(methods, out);
    if (methods->decided && methods->count > 1) say_accuracy(methods, out);
}

/* ---- Items ---- */

static void say_share(const struct sl_advice *advice, size_t class_index,
                      const struct sl_interval *share, struct sl_buffer *out)
{
    sl_buffer_printf(out, "\"%s\" %.0f %%", advice->answers->classes[class_index],
                     100 * share->estimate);
    if (share->high > share->low)
        sl_buffer_printf(out, " (%.0f to %.0f %%)", 100 * share->low, 100 * share->high);
}

static void say_item(const struct sl_advice *advice, const struct sl_advice_item *item,
                     struct sl_buffer *out)
{
    sl_buffer_printf(out, "\n  Item %s: ", sl_advice_item_name(advice, item->item));
    say_share(advice, item->first, &item->share, out);
    if (item->other.estimate >= .005) {
        sl_buffer_text(out, ", ");
        say_share(advice, item->second, &item->other, out);
    }
    sl_buffer_text(out, "; ");
    sl_advice_say_count(out, item->n_answers, "answer", "answers");
}

static void say_contrary(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_items *items = &advice->items;
    if (items->n_truth == 0) return;
    sl_buffer_text(out, "\nThe labels have another class than the known one for ");
    sl_advice_say_count(out, items->n_wrong, "item", "items");
    char all[32];
    sl_buffer_printf(out, " of %s (%.1f %%)%s", sl_text_count(items->n_truth, all, sizeof all),
                     100 * (double)items->n_wrong / (double)items->n_truth,
                     items->n_contrary ? ", most clearly for these:" : ".");
    for (size_t i = 0; i < items->n_contrary; i++) {
        say_item(advice, &items->contrary[i], out);
        sl_buffer_printf(out, "; known: \"%s\"",
                         advice->answers->classes[items->contrary[i].truth]);
    }
}

void sl_advice_say_items(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_items *items = &advice->items;
    if (is_unanimous(advice)) {
        sl_buffer_text(out, "People hardly ever disagree about an item, so no label stands out as "
                            "uncertain.");
        say_contrary(advice, out);
        return;
    }
    if (items->n_risky > 0) {
        sl_buffer_text(out, "The labels of these items are least certain (in parentheses: 95 % "
                            "intervals):");
        for (size_t i = 0; i < items->n_risky; i++)
            say_item(advice, &items->risky[i], out);
        sl_buffer_byte(out, '\n');
    }
    sl_buffer_text(out, items->n_split > 0 ? "People disagree most about these:"
                        : advice->crowd.n_compared > 0
                            ? "No two people disagree about an item."
                            : "Which items people disagree about is not known.");
    for (size_t i = 0; i < items->n_split; i++)
        say_item(advice, &items->split[i], out);
    say_contrary(advice, out);
}

/* ---- The next answers ---- */

static void say_budget(const struct sl_advice_next *next, struct sl_buffer *out)
{
    if (isnan(next->seconds)) {
        sl_buffer_text(out, "The answers have no times, so it is not known how many fit into an "
                            "hour; --seconds says how long one takes. The next ");
        sl_advice_say_count(out, next->n_answers, "answer", "answers");
        sl_buffer_text(out, " (as many as there are items)");
        return;
    }
    sl_buffer_printf(out, "In %g %s of annotation, at %.1f s per answer, there is time for ",
                     next->hours, next->hours == 1 ? "hour" : "hours", next->seconds);
    sl_advice_say_count(out, next->n_afforded, "answer", "answers");
    if (next->n_afforded > next->n_answers) {
        char looked[32];
        sl_buffer_printf(out, " (this looks at the first %s)",
                         sl_text_count(next->n_answers, looked, sizeof looked));
    }
    sl_buffer_text(out, ". They");
}

/* "12 %": by how much the risk falls. */
static const char *drop_of(const struct sl_advice_next *next, double then, char out[32])
{
    const double drop = 100 * (next->risk - then) / next->risk;
    snprintf(out, 32, drop < .95 ? "less than 1 %%" : "%.0f %%", drop);
    return out;
}

static void say_chosen(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_next *next = &advice->next;
    char chosen[32], equal[32];
    sl_buffer_text(out, " should go to ");
    sl_advice_say_count(out, next->n_items, "item", "items");
    sl_buffer_text(out, ", first of all to these:");
    for (size_t i = 0; i < next->n_named; i++) {
        sl_buffer_printf(out, "\n  Item %s: ", sl_advice_item_name(advice, next->items[i].item));
        sl_advice_say_count(out, next->answers[i], "more answer", "more answers");
    }
    sl_buffer_printf(out,
                     "\nThat is expected to lower the mean risk (how far a label is from what an "
                     "endless crowd would say: Kullback-Leibler divergence, now %.3f nats) by %s. "
                     "Spread equally over all items, the same answers would lower it by %s. Ask in "
                     "waves: answers change what to ask next. `softlab labels %s --method %s "
                     "--items-out FILE.csv` lists the gain of every "
                     "item.",
                     next->risk, drop_of(next, next->chosen, chosen),
                     drop_of(next, next->equal, equal), advice->job->answers,
                     advice->crowd.rich ? "dirichlet-soft" : "dirichlet");
}

static void say_equal(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_next *next = &advice->next;
    char equal[32];
    sl_buffer_printf(
        out,
        " should be spread equally over all items, which differ too little for choosing "
        "among them to pay. That is expected to lower the mean risk (how far a label is "
        "from what an endless crowd would say: Kullback-Leibler divergence, now %.3f "
        "nats) by %s.",
        next->risk, drop_of(next, next->equal, equal));
}

void sl_advice_say_next(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_next *next = &advice->next;
    if (sl_advice_verdict(advice)->useless) {
        sl_buffer_text(out, "Do not buy more answers of this kind. Look at a few items and their "
                            "answers first, and ask some annotators what they understood.");
    } else if (advice->crowd.n_compared == 0) {
        sl_buffer_text(out,
                       "Ask a second person about some of the items: without that, nobody knows "
                       "how sure the labels are.");
    } else if (advice->crowd.n_compared < SL_ALPHA_FEWEST_ITEMS) {
        sl_buffer_text(out, "Ask about more items: so few say little about where answers help.");
    } else if (advice->model.missing) {
        sl_buffer_printf(out,
                         "Where the next answers help most cannot be said: %s. Ask about the "
                         "items with the fewest answers.",
                         advice->model.missing);
    } else if (next->n_answers == 0) {
        sl_buffer_printf(
            out, "%g %s of annotation is less than one answer of %.1f s; give more --hours.",
            next->hours, next->hours == 1 ? "hour" : "hours", next->seconds);
    } else if (next->stop) {
        sl_buffer_printf(out,
                         "Stop: more answers change little. The labels are already within %.3f "
                         "nats, on average, of what an endless crowd would say.",
                         next->risk);
    } else {
        say_budget(next, out);
        if (advice->model.variation >= SL_ADVICE_PAYS)
            say_chosen(advice, out);
        else
            say_equal(advice, out);
    }
}

/* ---- The page ---- */

static const struct {
    const char *title;
    bool always; /* also said of answers that are useless */
    sl_advice_words *say;
} paragraphs[] = {
    {"The crowd", true, sl_advice_say_crowd},
    {"Whom to check", true, sl_advice_say_people},
    {"How to make labels", false, sl_advice_say_methods},
    {"Which items to look at", false, sl_advice_say_items},
    {"What to ask next", true, sl_advice_say_next},
};

void sl_advice_page(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_situation *verdict = sl_advice_verdict(advice);
    verdict->say(advice, out);
    sl_buffer_byte(out, '\n');
    for (size_t i = 0; i < sizeof paragraphs / sizeof *paragraphs; i++) {
        if (verdict->useless && !paragraphs[i].always) continue;
        sl_buffer_printf(out, "\n%s\n", paragraphs[i].title);
        paragraphs[i].say(advice, out);
        sl_buffer_byte(out, '\n');
    }
}
