/* Turns a belief into an answer on a screen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/simulate/simulate.h"

/* CIFAR-10S: 91 % of the percentages are multiples of 5. */
static const double ROUND = .91;
/* A share below the first is no alternative, below the second it is impossible. */
static const double ALTERNATIVE = .05, IMPOSSIBLE = .01;
static const double CERTAIN = .95;

static const char *name_of(const struct sl_sim_sight *sight, size_t index)
{
    const char *name = json_string_value(json_array_get(sight->classes, index));
    return name ? name : "";
}

/* The index of the largest value except `other`. */
static size_t largest(const double *values, size_t count, size_t other)
{
    size_t best = other == 0 ? 1 : 0;
    for (size_t k = best + 1; k < count; k++)
        if (k != other && values[k] > values[best]) best = k;
    return best;
}

static int percent_of(double share, struct sl_rng *rng)
{
    double step = sl_rng_uniform(rng) < ROUND ? 5 : 1;
    return (int)fmin(fmax(step * round(100 * share / step), step), 100);
}

static json_t *choice(const char *name, int percent)
{
    char raw[16];
    snprintf(raw, sizeof raw, "%d", percent);
    return json_pack("{s:s, s:i, s:s}", "class", name, "percent", percent, "raw", raw);
}

/* ---- Most probable, second, and a list of the rest ---- */

static json_t *list_rest(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                         const size_t named[2], bool impossible)
{
    json_t *list = json_array();
    for (size_t k = 0; k < sight->n_classes; k++) {
        if (k == named[0] || k == named[1]) continue;
        if ((belief->classes[k] < IMPOSSIBLE) == impossible)
            json_array_append_new(list, json_string(name_of(sight, k)));
    }
    return list;
}

static json_t *say_top(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                       bool slip, struct sl_rng *rng, const char *list)
{
    size_t named[2] = {largest(belief->classes, sight->n_classes, SIZE_MAX), SIZE_MAX};
    if (slip) named[0] = (size_t)sl_rng_below(rng, sight->n_classes);
    int top = percent_of(belief->classes[named[0]], rng);
    size_t next = largest(belief->classes, sight->n_classes, named[0]);
    int second = percent_of(belief->classes[next], rng);
    if (second > 100 - top) second = 100 - top;
    if (second > top) second = top;
    json_t *answer =
        json_pack("{s:o, s:n}", "top", choice(name_of(sight, named[0]), top), "second");
    if (belief->classes[next] >= ALTERNATIVE && second > 0) {
        named[1] = next;
        json_object_set_new(answer, "second", choice(name_of(sight, next), second));
    }
    json_object_set_new(answer, list,
                        list_rest(belief, sight, named, strcmp(list, "impossible") == 0));
    return answer;
}

static json_t *say_strict(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                          bool slip, struct sl_rng *rng)
{
    return say_top(belief, sight, slip, rng, "impossible");
}

static json_t *say_possible(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                            bool slip, struct sl_rng *rng)
{
    return say_top(belief, sight, slip, rng, "possible");
}

/* The slips of CIFAR-10S, which a page without checks accepts. */
static json_t *say_loose(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                         bool slip, struct sl_rng *rng)
{
    uint64_t kind = slip ? sl_rng_below(rng, 4) : 0;
    json_t *answer = say_top(belief, sight, slip && kind == 0, rng, "impossible");
    json_t *top = json_object_get(answer, "top");
    if (kind == 1) json_object_set(answer, "second", top);
    if (kind == 2)
        json_array_append(json_object_get(answer, "impossible"), json_object_get(top, "class"));
    if (kind == 3) {
        json_object_set_new(top, "raw", json_string("8p"));
        json_object_set_new(top, "percent", json_null());
    }
    return answer;
}

static json_t *say_fast(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                        bool slip, struct sl_rng *rng)
{
    size_t top = largest(belief->classes, sight->n_classes, SIZE_MAX);
    if (!(belief->classes[top] >= CERTAIN)) return say_strict(belief, sight, slip, rng);
    if (slip) top = (size_t)sl_rng_below(rng, sight->n_classes);
    return json_pack("{s:s}", "certain", name_of(sight, top));
}

/* ---- Others ---- */

/* Whole percent that sum to 100: the remainder of rounding down goes to the largest. */
static json_t *say_bars(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                        bool slip, struct sl_rng *rng)
{
    size_t top = largest(belief->classes, sight->n_classes, SIZE_MAX);
    int *percents = sl_alloc(sight->n_classes, sizeof *percents);
    int left = 100;
    for (size_t k = 0; k < sight->n_classes; k++) {
        percents[k] = (int)floor(100 * belief->classes[k] + 1e-9);
        left -= percents[k];
    }
    percents[top] += left;
    if (slip) {
        size_t other = (size_t)sl_rng_below(rng, sight->n_classes);
        int kept = percents[top];
        percents[top] = percents[other];
        percents[other] = kept;
    }
    json_t *list = json_array();
    for (size_t k = 0; k < sight->n_classes; k++)
        json_array_append_new(list, json_integer(percents[k]));
    free(percents);
    return json_pack("{s:o}", "percents", list);
}

static json_t *say_hard(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                        bool slip, struct sl_rng *rng)
{
    size_t top = largest(belief->classes, sight->n_classes, SIZE_MAX);
    if (slip) top = (size_t)sl_rng_below(rng, sight->n_classes);
    return json_pack("{s:s}", "class", name_of(sight, top));
}

static json_t *say_two(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                       bool slip, struct sl_rng *rng)
{
    size_t top = largest(belief->classes, sight->n_classes, SIZE_MAX);
    if (slip) top = (size_t)sl_rng_below(rng, sight->n_classes);
    size_t second = largest(belief->classes, sight->n_classes, top);
    return json_pack("{s:[s, s]}", "classes", name_of(sight, top), name_of(sight, second));
}

/* The slider's left end stands for the first endpoint alone. A slip leaves the sliders alone. */
static json_t *say_share(const struct sl_sim_belief *belief, bool slip, struct sl_rng *rng,
                         bool touched)
{
    int mixing = slip ? 50 : (int)round(100 * (1 - belief->share));
    int confidence = slip ? 50 : 50 + (int)sl_rng_below(rng, 51);
    return json_pack("{s:i, s:i, s:[b, b]}", "mixing", mixing, "confidence", confidence, "touched",
                     touched, touched);
}

static json_t *say_mix(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                       bool slip, struct sl_rng *rng)
{
    (void)sight;
    return say_share(belief, slip, rng, !slip);
}

static json_t *say_mix_touched(const struct sl_sim_belief *belief, const struct sl_sim_sight *sight,
                               bool slip, struct sl_rng *rng)
{
    (void)sight;
    return say_share(belief, slip, rng, true);
}

const struct sl_sim_screen sl_sim_screens[] = {
    {"collins", say_loose}, {"collins+", say_strict}, {"possible", say_possible},
    {"bars", say_bars},     {"fast", say_fast},       {"hard", say_hard},
    {"select2", say_two},   {"mix", say_mix},         {"mix+", say_mix_touched},
    {"mixsoft", say_loose}, {.name = NULL},
};

const struct sl_sim_screen *sl_sim_screen_find(const char *name)
{
    for (const struct sl_sim_screen *screen = sl_sim_screens; screen->name; screen++)
        if (strcmp(screen->name, name) == 0) return screen;
    return NULL;
}
