/* The first sentence: which situation the crowd is in. */
#include <math.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/text.h"

/* Krippendorff's alpha in words, the highest first. */
static const struct grade {
    double least;
    const char *words;
} grades[] = {
    {.8, "agree well"},
    {.6, "agree fairly well"},
    {.4, "agree moderately"},
    {.2, "agree little"},
    {-2, "agree hardly more than by chance"},
};

static const struct grade *grade_of(double alpha)
{
    const struct grade *grade = grades;
    const double shown = floor(100 * alpha + .5) / 100;
    while (shown < grade->least)
        grade++;
    return grade;
}

static void say_alpha(const struct sl_interval *alpha, struct sl_buffer *out)
{
    sl_buffer_text(out, "Krippendorff's alpha ");
    sl_advice_say_interval(out, alpha);
    sl_buffer_text(out, "; 1 is full agreement, 0 is chance");
}

/* "3 of 59 annotators seem" */
static void say_doubted(const struct sl_advice *advice, struct sl_buffer *out)
{
    const size_t count = advice->people.count, all = advice->crowd.n_annotators;
    sl_buffer_printf(out, "%zu of ", count);
    sl_advice_say_count(out, all, "annotator", "annotators");
    sl_buffer_printf(out, " %s to answer without looking", sl_text_plural(count, "seems", "seem"));
}

/* ---- Too little to compare ---- */

static bool is_one_person(const struct sl_advice *advice)
{
    return advice->crowd.n_annotators == 1 && advice->crowd.n_unknown == 0;
}

static void say_one_person(const struct sl_advice *advice, struct sl_buffer *out)
{
    sl_buffer_printf(out,
                     "Only one person answered (%s): disagreement cannot be measured, and a "
                     "label is one person's opinion.",
                     sl_advice_person_name(advice, advice->crowd.busiest));
}

static bool is_single(const struct sl_advice *advice)
{
    return advice->crowd.n_compared == 0;
}

static void say_single(const struct sl_advice *advice, struct sl_buffer *out)
{
    (void)advice;
    sl_buffer_text(out, "Every item has only one answer: disagreement cannot be measured. Ask a "
                        "second person about some of the items first.");
}

static bool is_one_class(const struct sl_advice *advice)
{
    return advice->crowd.only_class != SL_NO_NAME;
}

static void say_one_class(const struct sl_advice *advice, struct sl_buffer *out)
{
    sl_buffer_text(out, "All ");
    sl_advice_say_count(out, advice->crowd.n_answers, "answer names", "answers name");
    sl_buffer_printf(out,
                     " the class \"%s\": agreement cannot be told from habit, and the labels "
                     "distinguish nothing.",
                     advice->answers->classes[advice->crowd.only_class]);
}

static bool is_small(const struct sl_advice *advice)
{
    return advice->crowd.n_compared < SL_ALPHA_FEWEST_ITEMS;
}

static void say_small(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    if (crowd->n_compared == crowd->n_items) {
        sl_buffer_text(out, "A pilot of ");
        sl_advice_say_count(out, crowd->n_items, "item", "items");
        sl_buffer_text(out, " is too small to judge this crowd.");
        return;
    }
    sl_buffer_text(out, "Only ");
    sl_advice_say_count(out, crowd->n_compared, "item has", "items have");
    sl_buffer_text(out, " two answers or more, which is too few to judge this crowd.");
}

/* ---- Chance and spammers ---- */

static bool is_chance(const struct sl_advice *advice)
{
    return sl_alpha_is_chance(&advice->crowd.alpha) && !(advice->people.alpha.low > .2);
}

static void say_chance(const struct sl_advice *advice, struct sl_buffer *out)
{
    sl_buffer_text(out, "The answers look like chance: nothing can be learned from them (");
    say_alpha(&advice->crowd.alpha, out);
    sl_buffer_text(out, "). Labels may have been shuffled, items mixed up, or the question not "
                        "understood.");
}

static bool is_unclear(const struct sl_advice *advice)
{
    return !(advice->crowd.alpha.low > 0) && !(advice->people.alpha.low > 0);
}

static void say_unclear(const struct sl_advice *advice, struct sl_buffer *out)
{
    sl_buffer_text(out, "There are too few answers to say whether these annotators agree more than "
                        "by chance (");
    say_alpha(&advice->crowd.alpha, out);
    sl_buffer_text(out, ").");
}

/* Their answers change the picture. */
static bool is_spammed(const struct sl_advice *advice)
{
    const struct sl_advice_people *people = &advice->people;
    return people->count > 0 && people->alpha.low > advice->crowd.alpha.estimate &&
           people->alpha.estimate >= advice->crowd.alpha.estimate + .05;
}

static void say_spammed(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_people *people = &advice->people;
    say_doubted(advice, out);
    sl_buffer_printf(out, "; without %s the others %s (Krippendorff's alpha ",
                     sl_text_plural(people->count, "this one", "them"),
                     grade_of(people->alpha.estimate)->words);
    sl_advice_say_interval(out, &people->alpha);
    sl_buffer_text(out, "; with everybody ");
    sl_advice_say_interval(out, &advice->crowd.alpha);
    sl_buffer_text(out, "; 1 is full agreement, 0 is chance).");
}

/* ---- Known classes that do not fit ---- */

enum { FEWEST_KNOWN = 10 };

/* The labels name the known class less often than one item in K, beyond two standard errors. */
static bool is_contrary(const struct sl_advice *advice)
{
    const struct sl_advice_items *items = &advice->items;
    if (items->n_truth < FEWEST_KNOWN) return false;
    const double n = (double)items->n_truth, chance = 1 / (double)advice->crowd.n_classes;
    const double right = (n - (double)items->n_wrong) / n;
    return right < chance - 2 * sqrt(chance * (1 - chance) / n);
}

static void say_contrary(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_items *items = &advice->items;
    sl_buffer_text(out, "The answers and the known classes do not fit: the labels name the known "
                        "class of ");
    char right[32];
    sl_buffer_printf(out, "%s of ",
                     sl_text_count(items->n_truth - items->n_wrong, right, sizeof right));
    sl_advice_say_count(out, items->n_truth, "item", "items");
    sl_buffer_printf(out,
                     ", fewer than by chance (1 in %zu). Look for classes that are swapped or rows "
                     "of the truth that are in another order before you use either.",
                     advice->crowd.n_classes);
}

/* ---- Agreement ---- */

static bool is_mostly_single(const struct sl_advice *advice)
{
    return 2 * advice->crowd.n_compared < advice->crowd.n_items;
}

static void say_mostly_single(const struct sl_advice *advice, struct sl_buffer *out)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    const size_t single = crowd->n_items - crowd->n_compared;
    sl_buffer_printf(out,
                     "Only one person answered most items (%.0f %%): disagreement can be measured "
                     "on the other ",
                     100 * (double)single / (double)crowd->n_items);
    sl_advice_say_count(out, crowd->n_compared, "item", "items");
    sl_buffer_printf(out, " only, where annotators %s (", grade_of(crowd->alpha.estimate)->words);
    say_alpha(&crowd->alpha, out);
    sl_buffer_text(out, ").");
}

static bool has_grade(const struct sl_advice *advice, size_t number)
{
    return grade_of(advice->crowd.alpha.estimate) == &grades[number];
}

static bool is_well(const struct sl_advice *advice)
{
    return has_grade(advice, 0);
}

static bool is_fair(const struct sl_advice *advice)
{
    return has_grade(advice, 1);
}

static bool is_moderate(const struct sl_advice *advice)
{
    return has_grade(advice, 2);
}

static bool is_low(const struct sl_advice *advice)
{
    return !isnan(advice->crowd.alpha.estimate);
}

static void say_grade(const struct sl_advice *advice, const char *consequence,
                      struct sl_buffer *out)
{
    sl_buffer_printf(out, "These annotators %s", grade_of(advice->crowd.alpha.estimate)->words);
    if (advice->people.count > 0) {
        sl_buffer_text(out, ", but ");
        say_doubted(advice, out);
    }
    sl_buffer_text(out, " (");
    say_alpha(&advice->crowd.alpha, out);
    sl_buffer_printf(out, "). %s", consequence);
}

static void say_well(const struct sl_advice *advice, struct sl_buffer *out)
{
    say_grade(advice, "The labels can be used.", out);
}

static void say_fair(const struct sl_advice *advice, struct sl_buffer *out)
{
    say_grade(advice,
              "The labels can be used if they keep what people disagree about: use "
              "distributions, not one class per item.",
              out);
}

static void say_moderate(const struct sl_advice *advice, struct sl_buffer *out)
{
    say_grade(advice,
              "Many items can be seen in several ways or the classes overlap: use "
              "distributions, not one class per item.",
              out);
}

static void say_low(const struct sl_advice *advice, struct sl_buffer *out)
{
    say_grade(advice,
              "One answer says little about its item: ask more people per item, or make the "
              "question clearer.",
              out);
}

static bool always(const struct sl_advice *advice)
{
    (void)advice;
    return true;
}

static void say_nothing_known(const struct sl_advice *advice, struct sl_buffer *out)
{
    (void)advice;
    sl_buffer_text(out, "The agreement of this crowd cannot be measured.");
}

const struct sl_advice_situation sl_advice_situations[] = {
    {"one-person", false, is_one_person, say_one_person},
    {"one-class", true, is_one_class, say_one_class},
    {"single", false, is_single, say_single},
    {"small", false, is_small, say_small},
    {"chance", true, is_chance, say_chance},
    {"unclear", false, is_unclear, say_unclear},
    {"contrary", false, is_contrary, say_contrary},
    {"spammed", false, is_spammed, say_spammed},
    {"mostly-single", false, is_mostly_single, say_mostly_single},
    {"well", false, is_well, say_well},
    {"fair", false, is_fair, say_fair},
    {"moderate", false, is_moderate, say_moderate},
    {"low", false, is_low, say_low},
    {"unknown", false, always, say_nothing_known},
    {NULL, false, NULL, NULL},
};

const struct sl_advice_situation *sl_advice_verdict(const struct sl_advice *advice)
{
    const struct sl_advice_situation *situation = sl_advice_situations;
    while (!situation->holds(advice))
        situation++;
    return situation;
}
