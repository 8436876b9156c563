/* Practice, attention checks and comprehension questions that cannot serve their purpose. */
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/check/check.h"
#include "study/session/stimuli.h"

/* ---- Practice ---- */

/* Such a batch has no practice trial, since a practice item must not be judged later. */
void sl_check_practice(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    struct sl_stimuli stimuli = {0};
    size_t without = 0;
    if (!study->practice || sl_stimuli_read(checking->store, &stimuli, NULL) != SL_OK) return;
    /* Fails if attention checks are missing; another row reports that. */
    if (sl_stimuli_without_practice(&stimuli, study, checking->store, &without, NULL) != SL_OK)
        without = 0;
    sl_stimuli_release(&stimuli);
    if (without == 0) return;
    sl_check_note(
        checking, SL_FINDING_WARNING, sl_check_key(checking, "flow.practice"),
        "give obvious images with study init --checks, make smaller batches, or set "
        "flow.practice to false",
        "the trials of %zu batch%s show every item of the study, so no item is left to practise on",
        without, sl_text_plural(without, "", "es"));
}

/* ---- Attention checks ---- */

static bool is_class(const struct sl_study *study, const char *name)
{
    for (size_t k = 0; k < study->n_classes; k++)
        if (strcmp(study->classes[k], name) == 0) return true;
    return false;
}

/* Notes obvious items without a right answer, and obvious items that all have the same class. */
static void note_truths(struct sl_checking *checking)
{
    const char *only = NULL;
    size_t n_right = 0;
    bool several = false;
    for (size_t i = 0; i < checking->n_items; i++) {
        const struct sl_check_item *item = &checking->items[i];
        if (!item->check) continue;
        if (item->truth && is_class(checking->study, item->truth)) {
            n_right++;
            several = several || (only && strcmp(only, item->truth) != 0);
            only = item->truth;
            continue;
        }
        sl_check_note(checking, SL_FINDING_ERROR, sl_string_printf("item \"%s\"", item->id),
                      "name its folder exactly like the class in study.json, and re-create the "
                      "study",
                      item->truth
                          ? "nobody can pass this check: its answer \"%s\" is not one of the "
                            "classes"
                          : "nobody can pass this check: its answer is unknown%s",
                      item->truth ? item->truth : "");
    }
    if (n_right > 0 && !several)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.check_every"),
                      "give obvious items of several classes",
                      "every obvious item is \"%s\": a person who always answers \"%s\" passes all "
                      "checks",
                      only, only);
}

void sl_check_attention(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    if (checking->n_checks > 0 && study->check_every == 0)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.check_every"),
                      "set it to 10, for one after every ten trials",
                      "there %s %zu obvious item%s, but %s shown",
                      sl_text_plural(checking->n_checks, "is", "are"), checking->n_checks,
                      sl_text_plural(checking->n_checks, "", "s"),
                      sl_text_plural(checking->n_checks, "it is not", "none is"));
    if (study->check_every > checking->effort.n_trials)
        sl_check_note(
            checking, SL_FINDING_WARNING, sl_check_key(checking, "batch.check_every"), "lower it",
            "everybody passes: the first check comes after %zu trial%s, and people have only %zu",
            study->check_every, sl_text_plural(study->check_every, "", "s"),
            checking->effort.n_trials);
    if (!sl_study_checks_by(study, "obvious")) return;
    if (checking->n_checks == 0) {
        sl_check_note(
            checking, SL_FINDING_ERROR, sl_check_key(checking, "batch.check_every"),
            "set it to 0, re-create the study with --checks FOLDER, or set batch.check_kinds to "
            "[\"instructed\"]",
            "an obvious item is due after every %zu trial%s, but there is none", study->check_every,
            sl_text_plural(study->check_every, "", "s"));
        return;
    }
    note_truths(checking);
}

/* ---- Comprehension ---- */

/* Whether a person who tries all answers one after the other gets through. */
static bool can_be_guessed(const struct sl_study *study)
{
    double combinations = 1;
    for (size_t i = 0; i < study->n_comprehension; i++)
        combinations *= (double)study->comprehension[i].n_options;
    return (double)study->attempts >= combinations;
}

static bool is_longest(const struct sl_study_question *question)
{
    const size_t right = strlen(question->options[question->answer]);
    for (size_t i = 0; i < question->n_options; i++)
        if (i != question->answer && strlen(question->options[i]) >= right) return false;
    return true;
}

void sl_check_comprehension(struct sl_checking *checking)
{
    const struct sl_study *study = checking->study;
    size_t n_longest = 0, n_first = 0;
    if (study->n_comprehension == 0) return;
    for (size_t i = 0; i < study->n_comprehension; i++) {
        n_longest += is_longest(&study->comprehension[i]);
        n_first += study->comprehension[i].answer == 0;
    }
    if (!study->shuffle_options && n_first > 1 && n_first == study->n_comprehension)
        sl_check_note(
            checking, SL_FINDING_WARNING, sl_check_key(checking, "order.shuffle_options"),
            "set it to true",
            "the right option of every question is the first one, and options are shown in "
            "the order of the file");
    if (can_be_guessed(study))
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "flow.attempts"),
                      "allow fewer attempts, or ask more questions",
                      "everybody passes the comprehension check: %zu %s enough to try every answer",
                      study->attempts,
                      sl_text_plural(study->attempts, "attempt is", "attempts are"));
    if (n_longest > 1 && n_longest == study->n_comprehension)
        sl_check_note(checking, SL_FINDING_WARNING, sl_check_key(checking, "comprehension"),
                      "make a wrong option as long as the right one",
                      "the right option of every question is the longest one, so it can be "
                      "guessed");
}
