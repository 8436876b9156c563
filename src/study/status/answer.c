/* One answer for the researcher: in words, as shares of classes, right or wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/status/status.h"

/* The most classes listed for one distribution, and the smallest share listed. */
enum { MOST_LISTED = 8 };
static const double least_share = .005;

/* The index of the largest share that is not among the first `done` of `order`. */
static size_t next_largest(const double *shares, size_t *order, size_t done, size_t count)
{
    size_t best = done;
    for (size_t k = done + 1; k < count; k++)
        if (shares[order[k]] > shares[order[best]]) best = k;
    const size_t found = order[best];
    order[best] = order[done];
    order[done] = found;
    return found;
}

/* Writes the classes worth listing into `order` (n_classes), largest share first; their number. */
static size_t list_largest(const struct sl_study *study, const double *shares, size_t *order)
{
    size_t count = 0;
    for (size_t k = 0; k < study->n_classes; k++)
        order[k] = k;
    while (count < MOST_LISTED && count < study->n_classes &&
           shares[next_largest(shares, order, count, study->n_classes)] >= least_share)
        count++;
    return count;
}

json_t *sl_status_shares(const struct sl_study *study, const double *shares)
{
    json_t *list = json_array();
    size_t *order = sl_alloc(study->n_classes, sizeof *order);
    const size_t count = list_largest(study, shares, order);
    for (size_t i = 0; i < count; i++) {
        json_t *pair = json_array();
        json_array_append_new(pair, json_string(study->classes[order[i]]));
        json_array_append_new(pair, sl_status_real(shares[order[i]], 4));
        json_array_append_new(list, pair);
    }
    free(order);
    return list;
}

json_t *sl_status_label(const struct sl_study *study, const struct sl_answer *answer)
{
    double *row = sl_alloc(study->n_classes, sizeof *row);
    json_t *label = sl_study_label_of(answer, study->n_classes, row) ? sl_status_shares(study, row)
                                                                     : json_null();
    free(row);
    return label;
}

/* ---- In words ---- */

static void say_classes(struct sl_buffer *out, const struct sl_study *study,
                        const uint32_t *classes, size_t count)
{
    for (size_t i = 0; i < count && i < MOST_LISTED; i++)
        sl_buffer_printf(out, "%s%s", i ? ", " : "", study->classes[classes[i]]);
    if (count > MOST_LISTED) sl_buffer_printf(out, " and %zu more", count - MOST_LISTED);
}

/* A percentage that is not a number is quoted as typed, scrubbed. */
static void say_belief(struct sl_buffer *out, const struct sl_study *study,
                       const struct sl_answer *answer, size_t place)
{
    const struct sl_belief *belief = &answer->top[place];
    sl_buffer_printf(out, "%s%s", place ? ", " : "", study->classes[belief->class_index]);
    if (!isnan(belief->probability)) {
        sl_buffer_printf(out, " %.4g %%", 100 * (double)belief->probability);
    } else if (place < 2 && answer->raw[place].length > 0) {
        char *raw = sl_string_copy_n(answer->raw[place].text, answer->raw[place].length);
        char *safe = sl_study_scrub(raw);
        sl_buffer_printf(out, " \"%s\"", safe);
        free(safe);
        free(raw);
    }
}

static void say_distribution(struct sl_buffer *out, const struct sl_study *study,
                             const struct sl_answer *answer)
{
    size_t *order = sl_alloc(study->n_classes, sizeof *order);
    double *shares = sl_alloc(study->n_classes, sizeof *shares);
    for (size_t k = 0; k < study->n_classes; k++)
        shares[k] = (double)answer->distribution[k];
    const size_t count = list_largest(study, shares, order);
    for (size_t i = 0; i < count; i++)
        sl_buffer_printf(out, "%s%s %.4g %%", i ? ", " : "", study->classes[order[i]],
                         100 * shares[order[i]]);
    free(shares);
    free(order);
}

static void say_mix(struct sl_buffer *out, const struct sl_study *study,
                    const struct sl_mix_answer *mix)
{
    if (mix->a >= study->n_classes || mix->b >= study->n_classes) return;
    sl_buffer_printf(out, "%s %.4g %%, %s %.4g %%", study->classes[mix->a],
                     100 * (double)mix->lambda, study->classes[mix->b],
                     100 * (1 - (double)mix->lambda));
    if (!isnan(mix->confidence))
        sl_buffer_printf(out, "; %.4g %% sure", 100 * (double)mix->confidence);
}

char *sl_status_said(const struct sl_study *study, const struct sl_answer *answer)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 20);
    sl_buffer_text(&out, "");
    if (answer->kind == SL_ANSWER_DIST)
        say_distribution(&out, study, answer);
    else if (answer->kind == SL_ANSWER_MIX)
        say_mix(&out, study, &answer->mix);
    else
        for (size_t i = 0; i < answer->n_top; i++)
            say_belief(&out, study, answer, i);
    if (answer->n_impossible > 0) {
        sl_buffer_text(&out, "; impossible: ");
        say_classes(&out, study, answer->impossible, answer->n_impossible);
    }
    return out.data ? out.data : sl_string_copy("");
}
