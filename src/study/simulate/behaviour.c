/* Annotators who do not look, or who look carelessly: for testing the rules that find them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/simulate/simulate.h"

static const double SCRIPT_SECONDS = 1.3, SCRIPT_SPREAD = .03;

/* Certain of one position in the page's list. */
static void press(struct sl_sim_belief *belief, size_t n_classes, size_t key)
{
    for (size_t k = 0; k < n_classes; k++)
        belief->classes[k] = k == key % n_classes;
    belief->share = key % 2 ? 0 : 1;
}

static void press_first(struct sl_sim_belief *belief, size_t n_classes, size_t trial,
                        struct sl_rng *rng)
{
    (void)trial;
    (void)rng;
    press(belief, n_classes, 0);
}

static void press_second(struct sl_sim_belief *belief, size_t n_classes, size_t trial,
                         struct sl_rng *rng)
{
    (void)trial;
    (void)rng;
    press(belief, n_classes, 1);
}

static void press_in_turn(struct sl_sim_belief *belief, size_t n_classes, size_t trial,
                          struct sl_rng *rng)
{
    (void)rng;
    press(belief, n_classes, trial % 2);
}

static void press_any(struct sl_sim_belief *belief, size_t n_classes, size_t trial,
                      struct sl_rng *rng)
{
    (void)trial;
    press(belief, n_classes, (size_t)sl_rng_below(rng, n_classes));
    belief->share = sl_rng_uniform(rng);
}

/* 50 % for the believed class, or for the first in the list. */
static void spread_half(struct sl_sim_belief *belief, size_t n_classes, size_t top)
{
    for (size_t k = 0; k < n_classes; k++)
        belief->classes[k] = k == top ? .5 : .5 / (double)(n_classes - 1);
    belief->share = .5;
}

static void half_first(struct sl_sim_belief *belief, size_t n_classes, size_t trial,
                       struct sl_rng *rng)
{
    (void)trial;
    (void)rng;
    spread_half(belief, n_classes, 0);
}

static void half_believed(struct sl_sim_belief *belief, size_t n_classes, size_t trial,
                          struct sl_rng *rng)
{
    (void)trial;
    (void)rng;
    size_t top = 0;
    for (size_t k = 1; k < n_classes; k++)
        if (belief->classes[k] > belief->classes[top]) top = k;
    spread_half(belief, n_classes, top);
}

const struct sl_sim_behaviour sl_sim_behaviours[] = {
    {"careful", "looks at every item and answers what it believes", 0, 0, false, NULL},
    {"key1", "always the first class in its list, after 1.3 s", SCRIPT_SECONDS, SCRIPT_SPREAD, true,
     press_first},
    {"key2", "always the second class, after 1.3 s", SCRIPT_SECONDS, SCRIPT_SPREAD, true,
     press_second},
    {"alternate", "the first and the second class in turn, after 1.3 s", SCRIPT_SECONDS,
     SCRIPT_SPREAD, true, press_in_turn},
    {"slow1", "always the first class, in a person's time", 0, 0, true, press_first},
    {"random", "any class, in a person's time", 0, 0, true, press_any},
    {"half", "always the first class with 50 %, in a person's time", 0, 0, true, half_first},
    {"flat", "looks for the class but always gives 50 %, in a person's time", 0, 0, true,
     half_believed},
    {"hasty", "looks and is right, but answers after 1.3 s", SCRIPT_SECONDS, SCRIPT_SPREAD, false,
     NULL},
    {.name = NULL},
};

const char *sl_study_behaviour_name(size_t index)
{
    return sl_sim_behaviours[index].name;
}

const char *sl_study_behaviour_summary(size_t index)
{
    return sl_sim_behaviours[index].summary;
}

void sl_sim_behaviour_settle(const struct sl_sim_behaviour *behaviour, json_t *answer)
{
    if (!behaviour->settled) return;
    if (json_object_get(answer, "second")) json_object_set_new(answer, "second", json_null());
    if (json_object_get(answer, "confidence"))
        json_object_set_new(answer, "confidence", json_integer(50));
}

/* ---- Assigning behaviours ---- */

static const struct sl_sim_behaviour *find(const char *name, size_t length)
{
    const struct sl_sim_behaviour *row = sl_sim_behaviours;
    while (row->name && (strlen(row->name) != length || memcmp(row->name, name, length) != 0))
        row++;
    return row->name ? row : NULL;
}

/* Reads one "name=count" of a list, up to `end`. */
static enum sl_status read_part(const char *text, const char *end,
                                const struct sl_sim_behaviour **behaviour, int64_t *count,
                                struct sl_error *err)
{
    const char *equals = memchr(text, '=', (size_t)(end - text));
    *behaviour = equals ? find(text, (size_t)(equals - text)) : NULL;
    if (!equals || !*behaviour)
        return sl_fail(err, SL_ERR_USAGE,
                       "scripts: \"%.*s\" is not a behaviour and a number, such as key1=5",
                       (int)(end - text), text);
    if (sl_text_to_integer(equals + 1, (size_t)(end - equals - 1), count) && *count >= 0)
        return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "scripts: \"%.*s\" is not a number of annotators",
                   (int)(end - equals - 1), equals + 1);
}

enum sl_status sl_sim_behaviours_assign(const char *list, size_t n_people, uint64_t seed,
                                        const struct sl_sim_behaviour ***out, struct sl_error *err)
{
    const struct sl_sim_behaviour **people = sl_alloc(n_people + 1, sizeof *people);
    size_t *order = sl_alloc(n_people + 1, sizeof *order);
    size_t n_taken = 0;
    struct sl_rng rng;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < n_people; i++) {
        people[i] = &sl_sim_behaviours[0];
        order[i] = i;
    }
    sl_rng_init(&rng, seed, "simulate.behaviour", 0, 0);
    sl_rng_shuffle(&rng, order, n_people);
    for (const char *at = list; at && *at;) {
        const char *end = at + strcspn(at, ",");
        const struct sl_sim_behaviour *behaviour = NULL;
        int64_t count = 0;
        SL_TRY_OUT(read_part(at, end, &behaviour, &count, err));
        if ((uint64_t)count > n_people - n_taken) {
            status = sl_fail(err, SL_ERR_USAGE,
                             "scripts: \"%s\" names more annotators than the %zu that come", list,
                             n_people);
            goto out;
        }
        for (int64_t i = 0; i < count; i++)
            people[order[n_taken++]] = behaviour;
        at = *end ? end + 1 : end;
    }
    *out = people;
    people = NULL;
out:
    free(people);
    free(order);
    return status;
}
