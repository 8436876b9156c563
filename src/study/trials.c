/* The order in which a session sees things: a pure function of study, batch and seed.
 *
 * Items come shuffled. As in CIFAR-10S, whose repeats were the 6th and the 11th image seen, the
 * repeats at the end are the items seen at places 6, 11, 16, ...; where a batch is too short for
 * that, the first places not used yet follow. After every `check_every` of these trials comes an
 * obvious item, the obvious ones shuffled too and gone through in turn. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/study.h"

enum { REPEAT_STEP = 5 };

static size_t *make_order(size_t count, bool shuffle, uint64_t seed, const char *purpose)
{
    size_t *order = sl_alloc(count ? count : 1, sizeof *order);
    struct sl_rng rng;
    sl_rng_init(&rng, seed, purpose, 0, 0);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (shuffle) sl_rng_shuffle(&rng, order, count);
    return order;
}

/* Places in the order seen whose items come again. */
static size_t *choose_repeats(size_t n_items, size_t n_repeats)
{
    size_t *places = sl_alloc(n_repeats ? n_repeats : 1, sizeof *places);
    bool *used = sl_alloc(n_items, sizeof *used);
    size_t count = 0;
    for (size_t place = REPEAT_STEP; place < n_items && count < n_repeats; place += REPEAT_STEP) {
        used[place] = true;
        places[count++] = place;
    }
    for (size_t place = 0; place < n_items && count < n_repeats; place++)
        if (!used[place]) places[count++] = place;
    free(used);
    return places;
}

struct maker {
    const struct sl_study *study;
    const struct sl_trial_items *items;
    const size_t *check_order;
    size_t n_shown;
    struct sl_trials *out;
};

static void add_trial(struct maker *maker, const char *item, bool repeat)
{
    struct sl_trials *out = maker->out;
    size_t every = maker->study->check_every;
    out->trials[out->count++] = (struct sl_trial){.item = item, .repeat = repeat};
    maker->n_shown++;
    if (every == 0 || maker->n_shown % every != 0) return;
    size_t turn = (maker->n_shown / every - 1) % maker->items->n_checks;
    out->trials[out->count++] =
        (struct sl_trial){.item = maker->items->checks[maker->check_order[turn]], .check = true};
}

enum sl_status sl_trials_make(const struct sl_study *study, const struct sl_trial_items *items,
                              uint64_t seed, struct sl_trials *out, struct sl_error *err)
{
    size_t n_items = items->n_items;
    if (n_items == 0) return sl_fail(err, SL_ERR_INPUT, "a batch without items cannot be shown");
    if (study->check_every > 0 && items->n_checks == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "an obvious item is due every %zu trials, but there is "
                       "none",
                       study->check_every);
    size_t n_repeats = study->repeats < n_items ? study->repeats : n_items;
    size_t *order = make_order(n_items, study->shuffle_items, seed, "study.items");
    size_t *check_order = make_order(items->n_checks, true, seed, "study.checks");
    size_t *repeats = choose_repeats(n_items, n_repeats);
    struct sl_trials made = {
        .trials = sl_alloc(2 * (n_items + n_repeats), sizeof *made.trials),
        .class_order = make_order(study->n_classes, study->shuffle_classes, seed, "study.classes"),
    };
    struct maker maker = {study, items, check_order, 0, &made};
    for (size_t i = 0; i < n_items; i++)
        add_trial(&maker, items->items[order[i]], false);
    for (size_t i = 0; i < n_repeats; i++)
        add_trial(&maker, items->items[order[repeats[i]]], true);
    free(order);
    free(check_order);
    free(repeats);
    *out = made;
    return SL_OK;
}

void sl_trials_release(struct sl_trials *trials)
{
    free(trials->trials);
    free(trials->class_order);
    *trials = (struct sl_trials){0};
}
