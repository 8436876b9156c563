/* The order of a session's trials: a pure function of study, batch and seed.
 *
 * Items are shuffled. As in CIFAR-10S, whose repeats were the 6th and the 11th image seen, the
 * repeats at the end are the items seen at positions 6, 11, 16, ...; if a batch is too short for
 * that, the first unused positions follow. An attention check comes after every `check_every` of
 * these trials. The kinds of checks alternate; checks of a kind are shuffled and used in turn. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/text.h"
#include "softlab/study.h"

enum { REPEAT_STEP = 5 };
enum kind { KIND_OBVIOUS, KIND_INSTRUCTED, N_KINDS };
const char *const sl_check_kind_names[] = {
    [KIND_OBVIOUS] = "obvious", [KIND_INSTRUCTED] = "instructed", [N_KINDS] = NULL};

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

/* The positions whose items are repeated. */
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

/* The checks of one kind, in the order of this session. */
struct pool {
    const char *const *items; /* borrowed */
    size_t count;
    size_t *order; /* owned */
    size_t used;
};

struct maker {
    const struct sl_study *study;
    struct pool pools[N_KINDS];
    size_t n_shown, n_checks;
    struct sl_trials *out;
};

/* A study that names no kind uses obvious items. */
static enum kind kind_of(const struct sl_study *study, size_t turn)
{
    const char *name = study->n_check_kinds ? study->check_kinds[turn % study->n_check_kinds] : "";
    return strcmp(name, sl_check_kind_names[KIND_INSTRUCTED]) == 0 ? KIND_INSTRUCTED : KIND_OBVIOUS;
}

static void add_check(struct maker *maker)
{
    struct pool *pool = &maker->pools[kind_of(maker->study, maker->n_checks++)];
    const char *item = pool->items[pool->order[pool->used++ % pool->count]];
    maker->out->trials[maker->out->count++] = (struct sl_trial){.item = item, .check = true};
}

static void add_trial(struct maker *maker, const char *item, bool repeat)
{
    struct sl_trials *out = maker->out;
    size_t every = maker->study->check_every;
    out->trials[out->count++] = (struct sl_trial){.item = item, .repeat = repeat};
    maker->n_shown++;
    if (every > 0 && maker->n_shown % every == 0) add_check(maker);
}

static enum sl_status check_pools(const struct sl_study *study, const struct sl_trial_items *items,
                                  struct sl_error *err)
{
    const size_t counts[N_KINDS] = {items->n_checks, items->n_cards};
    for (size_t i = 0; study->check_every > 0 && i < study->n_check_kinds + 1; i++) {
        const enum kind kind = kind_of(study, i);
        if (counts[kind] == 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "an %s item is due every %zu trial%s, but there is none; set "
                           "batch.check_every to 0",
                           sl_check_kind_names[kind], study->check_every,
                           sl_text_plural(study->check_every, "", "s"));
    }
    return SL_OK;
}

enum sl_status sl_trials_make(const struct sl_study *study, const struct sl_trial_items *items,
                              uint64_t seed, struct sl_trials *out, struct sl_error *err)
{
    size_t n_items = items->n_items;
    if (n_items == 0) return sl_fail(err, SL_ERR_INPUT, "a batch without items cannot be shown");
    SL_TRY(check_pools(study, items, err));
    size_t n_repeats = study->repeats < n_items ? study->repeats : n_items;
    size_t *order = make_order(n_items, study->shuffle_items, seed, "study.items");
    size_t *repeats = choose_repeats(n_items, n_repeats);
    struct sl_trials made = {
        .trials = sl_alloc(2 * (n_items + n_repeats), sizeof *made.trials),
        .class_order = make_order(study->n_classes, study->shuffle_classes, seed, "study.classes"),
    };
    struct maker maker = {.study = study,
                          .pools = {{items->checks, items->n_checks,
                                     make_order(items->n_checks, true, seed, "study.checks"), 0},
                                    {items->cards, items->n_cards,
                                     make_order(items->n_cards, true, seed, "study.cards"), 0}},
                          .out = &made};
    for (size_t i = 0; i < n_items; i++)
        add_trial(&maker, items->items[order[i]], false);
    for (size_t i = 0; i < n_repeats; i++)
        add_trial(&maker, items->items[order[repeats[i]]], true);
    for (size_t kind = 0; kind < N_KINDS; kind++)
        free(maker.pools[kind].order);
    free(order);
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
