/* Places, codes, pay and dates: the terms agreed with people and the recruiter. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/check/check.h"
#include "study/config/config.h"
#include "study/session/effort.h"

/* ---- Places ---- */

static void note_unseen(struct sl_checking *checking)
{
    const struct sl_check_item *first = NULL;
    size_t unseen = 0;
    for (size_t i = 0; i < checking->n_items; i++) {
        const struct sl_check_item *item = &checking->items[i];
        if (item->check || item->batches > 0) continue;
        if (unseen++ == 0) first = item;
    }
    if (!first) return;
    sl_check_note(checking, SL_FINDING_WARNING, sl_string_printf("item \"%s\"", first->id),
                  "re-create the study", "%zu %s in no batch, so nobody is asked about %s", unseen,
                  sl_text_plural(unseen, "item is", "items are"),
                  sl_text_plural(unseen, "it", "them"));
}

void sl_check_places(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    size_t left = 0;
    if (study->assignment == SL_ASSIGN_ADAPTIVE) return; /* places end with the items */
    /* The server adopts the number in study.json when it starts. */
    for (size_t b = 0; b < checking->n_batches; b++) {
        const size_t taken = checking->batches[b].finished + checking->batches[b].live;
        left += study->annotators > taken ? study->annotators - taken : 0;
    }
    note_unseen(checking);
    if (left == 0)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.annotators"),
                      "raise it if more people should take part",
                      "all places are taken: nobody else can take part");
    else if (study->annotators < 2)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.annotators"),
                      "raise it, to 6 for instance",
                      "every item gets one answer: nothing can show whether people agree");
    if (study->annotators < study->n_screens)
        sl_check_note(
            checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.annotators"),
            "raise it, or use fewer screens",
            "%zu %s spread over %zu screens: some items get no answer on some screens",
            study->annotators,
            sl_text_plural(study->annotators, "annotator per batch is", "annotators per batch are"),
            study->n_screens);
}

/* Budgets that end before anything is learned. */
static void note_budget(struct sl_checking *checking, size_t n_items)
{
    const struct sl_study *study = checking->study;
    const struct sl_study_adaptive *rule = &study->adaptive;
    const double trial = sl_effort_trial_seconds(study);
    if (rule->budget_answers > 0 && rule->budget_answers < n_items * rule->first)
        sl_check_note(checking, SL_FINDING_WARNING,
                      sl_check_key(checking, "adaptive.budget_answers"),
                      "raise it, or set adaptive.first to 1",
                      "%zu answers are spent before all %zu items have the %zu that each gets "
                      "first",
                      rule->budget_answers, n_items, rule->first);
    if (rule->budget_seconds > 0 && rule->budget_seconds < trial * (double)study->batch_size)
        sl_check_note(checking, SL_FINDING_WARNING,
                      sl_check_key(checking, "adaptive.budget_seconds"), "raise it",
                      "%g s are less than one annotator needs for %zu items at %g s each",
                      rule->budget_seconds, study->batch_size, trial);
    if (rule->budget_money > 0 && !(sl_study_cost(study) > 0))
        sl_check_note(checking, SL_FINDING_ERROR, sl_check_key(checking, "adaptive.budget_money"),
                      "set pay.base, or set it to 0",
                      "nothing is paid, so a budget of money never ends the study");
    if (rule->budget_money > 0 && rule->budget_money < sl_study_cost(study))
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "adaptive.budget_money"),
                      "raise it", "%g is less than one annotator is paid", rule->budget_money);
}

void sl_check_assignment(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    size_t n_items = 0;
    if (study->assignment == SL_ASSIGN_FIXED) return;
    for (size_t i = 0; i < checking->n_items; i++)
        n_items +=
            !checking->items[i].check && !json_object_get(checking->items[i].content, "training");
    if (n_items < study->batch_size)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.size"),
                      "lower it, so that there is something to choose from",
                      "an annotator may get %zu items, but there %s only %zu", study->batch_size,
                      sl_text_plural(n_items, "is", "are"), n_items);
    note_budget(checking, n_items);
}

/* The batches are in the database and never change. */
void sl_check_batch_size(struct sl_checking *checking)
{
    if (checking->study->batch_size == checking->effort.n_items) return; /* adaptive: always */
    sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.size"),
                  "re-create the study with --batch to change it, or write the actual number",
                  "it is %zu, but the largest batch has %zu item%s, and a batch never changes",
                  checking->study->batch_size, checking->effort.n_items,
                  sl_text_plural(checking->effort.n_items, "", "s"));
}

/* ---- The recruiter ---- */

static bool keeps(const struct sl_study *study, const char *name)
{
    for (size_t i = 0; i < study->n_keep; i++)
        if (strcmp(study->keep[i], name) == 0) return true;
    return false;
}

static void check_prolific(struct sl_checking *checking)
{
    static const char *const wanted[] = {"STUDY_ID", "SESSION_ID"};
    const struct sl_study *study = checking->study;
    if (strcmp(study->person, "PROLIFIC_PID") != 0)
        sl_check_note(checking, SL_FINDING_ERROR, sl_check_key(checking, "recruiter.person"),
                      "write \"PROLIFIC_PID\"",
                      "Prolific names people by the parameter PROLIFIC_PID, not \"%s\"",
                      study->person);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!keeps(study, wanted[i]))
            sl_check_note(checking, i == 1 ? SL_FINDING_ERROR : SL_FINDING_WARNING,
                          sl_check_key(checking, "recruiter.keep"), "add it to the list",
                          i == 1
                              ? "%s is not kept, so payments and bonuses cannot name submissions"
                              : "%s is not kept, so submissions of several studies cannot be told "
                                "apart",
                          wanted[i]);
    if (!*study->complete)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "recruiter.complete"),
                      "write \"https://app.prolific.com/submissions/complete?cc={code}\"",
                      "people are not sent back to Prolific and have to copy the code themselves");
}

void sl_check_recruiter(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    if (strcmp(study->recruiter, "prolific") == 0)
        check_prolific(checking);
    else if (strcmp(study->recruiter, "generic") == 0 && study->n_keep == 0 &&
             (study->base > 0 || study->bonus > 0))
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "recruiter.keep"),
                      "name the URL parameter by which the recruiter pays",
                      "no parameter is kept, so payments cannot name submissions");
}

void sl_check_codes(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    const char *const codes[][2] = {{"recruiter.codes.done", study->code_done},
                                    {"recruiter.codes.refused", study->code_refused},
                                    {"recruiter.codes.failed", study->code_failed},
                                    {"recruiter.codes.full", study->code_full}};
    const bool asks = strstr(study->complete, "{code}") != NULL;
    const bool prolific = strcmp(study->recruiter, "prolific") == 0;
    if (*study->complete && !asks)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "recruiter.complete"),
                      "write {code} where the code belongs",
                      "the address is the same for everybody, whether they finished or refused");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!*codes[i][1] && (prolific || asks))
            sl_check_note(checking, i == 0 ? SL_FINDING_ERROR : SL_FINDING_WARNING,
                          sl_check_key(checking, codes[i][0]),
                          "copy the code from the recruiter's page, or write one of your own",
                          "the completion code is empty, but the recruiter's address needs one");
        for (size_t j = 0; *codes[i][1] && j < i; j++)
            if (strcmp(codes[i][1], codes[j][1]) == 0)
                sl_check_note(checking, j == 0 ? SL_FINDING_ERROR : SL_FINDING_WARNING,
                              sl_check_key(checking, codes[i][0]), "give each its own code",
                              "the code \"%s\" is also %s, so the two cannot be told apart",
                              codes[i][1], codes[j][0]);
    }
}

void sl_check_lease(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    if (study->lease_minutes >= checking->effort.minutes) return;
    sl_check_note(
        checking, SL_FINDING_WARNING, sl_check_key(checking, "lease_minutes"),
        "make it longer than the study",
        "the study takes about %zu minute%s, and a person who pauses for %zu loses the place",
        checking->effort.minutes, sl_text_plural(checking->effort.minutes, "", "s"),
        study->lease_minutes);
}

void sl_check_least_time(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    const double median = sl_effort_trial_seconds(study);
    if (study->min_seconds <= median) return;
    sl_check_note(
        checking, SL_FINDING_WARNING, sl_check_key(checking, "flow.min_seconds"),
        "set it to a third of that, to stop only people who do not look",
        "most people must wait: the shortest time is %.1f s, but half of the trials take at "
        "most %.1f s",
        study->min_seconds, median);
}

/* ---- Pay ---- */

/* Prolific's minimum pay per hour. */
static const struct {
    const char *currency;
    double per_hour;
} prolific_rates[] = {{"GBP", 6}, {"USD", 8}};

static double least_rate(const struct sl_study *study)
{
    double rate = study->per_hour;
    if (strcmp(study->recruiter, "prolific") != 0) return rate;
    for (size_t i = 0; i < sizeof prolific_rates / sizeof *prolific_rates; i++)
        if (strcmp(study->currency, prolific_rates[i].currency) == 0 &&
            rate < prolific_rates[i].per_hour)
            rate = prolific_rates[i].per_hour;
    return rate;
}

void sl_check_pay(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    const double rate = 3600 * study->base / checking->effort.seconds;
    const double least = least_rate(study);
    if ((study->base > 0 || study->bonus > 0) && !*study->currency)
        sl_check_note(checking, SL_FINDING_ERROR, sl_check_key(checking, "pay.currency"),
                      "write \"GBP\" for instance",
                      "people are paid %.2f, but no currency is named",
                      study->base > 0 ? study->base : study->bonus);
    if (*study->currency && rate < least)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "pay.base"),
                      "pay more, or ask for less time",
                      "%.2f %s for about %zu minute%s is %.2f %s an hour, less than %.2f",
                      study->base, study->currency, checking->effort.minutes,
                      sl_text_plural(checking->effort.minutes, "", "s"), rate, study->currency,
                      least);
    if (study->bonus > 0 && study->bonus_rule == SL_BONUS_NONE)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "pay.bonus_rule"),
                      "write \"accuracy\" or \"finished\", or set pay.bonus to 0",
                      "nobody gets the bonus of %.2f %s, since no rule says who gets it",
                      study->bonus, study->currency);
    if (study->bonus > 0 && study->bonus_rule == SL_BONUS_ACCURACY && study->check_every == 0)
        sl_check_note(
            checking, SL_FINDING_ERROR, sl_check_key(checking, "pay.bonus_rule"),
            "show obvious items (batch.check_every), or write \"finished\"",
            "nobody can earn the bonus: it is for right answers to obvious items, but none is "
            "shown");
}

/* ---- The rest ---- */

void sl_check_keep_until(struct sl_checking *checking)
{
    const char *until = checking->study->keep_until;
    char today[32] = "";
    const time_t seconds = (time_t)(checking->how->now / 1000);
    struct tm day;
    if (!*until || !gmtime_r(&seconds, &day)) return;
    strftime(today, sizeof today, "%Y-%m-%d", &day);
    if (strcmp(today, until) > 0)
        sl_check_note(
            checking, SL_FINDING_ERROR, sl_check_key(checking, "keep_until"),
            "write the day by which you will delete everything that can be traced to people",
            "the consent page promises to delete data by %s, which has passed", until);
}

/* Whether two names are equal, ignoring case and the spaces around them. */
static bool is_same_name(const char *a, const char *b)
{
    a += strspn(a, " ");
    b += strspn(b, " ");
    size_t length = strlen(a), other = strlen(b);
    while (length > 0 && a[length - 1] == ' ')
        length--;
    while (other > 0 && b[other - 1] == ' ')
        other--;
    return length == other && strncasecmp(a, b, length) == 0;
}

void sl_check_classes(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    for (size_t i = 0; i < study->n_classes; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!is_same_name(study->classes[i], study->classes[j])) continue;
            char *key = sl_string_printf("classes.%zu", i);
            sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, key),
                          "give them different names, or make them one class",
                          "\"%s\" and \"%s\" differ only in capital letters or spaces",
                          study->classes[j], study->classes[i]);
            free(key);
        }
    }
}
