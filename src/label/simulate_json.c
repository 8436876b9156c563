#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/label/simulate.h"

static const char *const part_names[SL_SIMULATOR_PARTS] = {
    [SL_SIMULATOR_LOW] = "low", [SL_SIMULATOR_HIGH] = "high"};

static json_t *part_to_json(const struct sl_simulator_part *part, size_t n_classes)
{
    json_t *possible = json_array();
    for (size_t k = 0; k < n_classes; k++)
        json_array_append_new(possible, json_real(part->possible[k]));
    return json_pack("{s:[f,f],s:[f,f],s:I,s:I,s:o}", "top1", part->top1.a, part->top1.b, "top2",
                     part->top2.a, part->top2.b, "answers", (json_int_t)part->n_answers, "second",
                     (json_int_t)part->n_second, "possible", possible);
}

json_t *sl_simulator_to_json(const struct sl_simulator *simulator)
{
    json_t *json = json_pack("{s:s,s:i,s:I,s:f}", "softlab", "simulator", "version", 1, "classes",
                             (json_int_t)simulator->n_classes, "threshold", simulator->threshold);
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++)
        json_object_set_new(json, part_names[p],
                            part_to_json(&simulator->part[p], simulator->n_classes));
    return json;
}

static enum sl_status read_beta(const struct sl_json_cursor *part, const char *key,
                                struct sl_beta *out, struct sl_error *err)
{
    struct sl_json_cursor at;
    size_t count;
    struct sl_beta beta;
    SL_TRY(sl_json_member(part, key, &at, err));
    SL_TRY(sl_json_array_size(&at, &count, err));
    if (count != 2)
        return sl_json_fail(&at, err, "expected [a, b], got %zu number%s", count,
                            sl_text_plural(count, "", "s"));
    struct sl_json_cursor a = sl_json_element(&at, 0), b = sl_json_element(&at, 1);
    SL_TRY(sl_json_number(&a, 1e-9, 1e9, &beta.a, err));
    SL_TRY(sl_json_number(&b, 1e-9, 1e9, &beta.b, err));
    *out = beta;
    return SL_OK;
}

static enum sl_status read_possible(const struct sl_json_cursor *part, size_t n_classes,
                                    double *out, struct sl_error *err)
{
    struct sl_json_cursor at;
    size_t count;
    SL_TRY(sl_json_member(part, "possible", &at, err));
    SL_TRY(sl_json_array_size(&at, &count, err));
    if (count != n_classes)
        return sl_json_fail(&at, err, "expected %zu number%s, got %zu", n_classes,
                            sl_text_plural(n_classes, "", "s"), count);
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        struct sl_json_cursor element = sl_json_element(&at, k);
        SL_TRY(sl_json_number(&element, 0, 1, &out[k], err));
        sum += out[k];
    }
    if (fabs(sum - 1) > 1e-6) return sl_json_fail(&at, err, "expected a sum of 1, got %g", sum);
    return SL_OK;
}

static enum sl_status read_part(const struct sl_json_cursor *root, size_t index,
                                struct sl_simulator *simulator, struct sl_error *err)
{
    struct sl_simulator_part *part = &simulator->part[index];
    struct sl_json_cursor at, answers, second;
    int64_t n_answers, n_second;
    SL_TRY(sl_json_member(root, part_names[index], &at, err));
    SL_TRY(read_beta(&at, "top1", &part->top1, err));
    SL_TRY(read_beta(&at, "top2", &part->top2, err));
    SL_TRY(sl_json_member(&at, "answers", &answers, err));
    SL_TRY(sl_json_integer(&answers, 0, INT64_MAX, &n_answers, err));
    SL_TRY(sl_json_member(&at, "second", &second, err));
    SL_TRY(sl_json_integer(&second, 0, INT64_MAX, &n_second, err));
    part->n_answers = (size_t)n_answers;
    part->n_second = (size_t)n_second;
    part->possible = sl_alloc(simulator->n_classes, sizeof *part->possible);
    return read_possible(&at, simulator->n_classes, part->possible, err);
}

enum sl_status sl_simulator_from_json(const struct sl_json *json, struct sl_simulator **out,
                                      struct sl_error *err)
{
    enum { MOST_CLASSES = 1000000 };
    struct sl_json_cursor root = sl_json_root(json), kind, classes, threshold;
    const char *name;
    int64_t n_classes;
    struct sl_simulator *simulator = sl_alloc(1, sizeof *simulator);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_member(&root, "softlab", &kind, err));
    SL_TRY_OUT(sl_json_string(&kind, &name, err));
    if (strcmp(name, "simulator") != 0) {
        status = sl_json_fail(&kind, err, "expected \"simulator\", got \"%s\"", name);
        goto out;
    }
    SL_TRY_OUT(sl_json_member(&root, "classes", &classes, err));
    SL_TRY_OUT(sl_json_integer(&classes, 2, MOST_CLASSES, &n_classes, err));
    SL_TRY_OUT(sl_json_member(&root, "threshold", &threshold, err));
    SL_TRY_OUT(sl_json_number(&threshold, 0, 1e9, &simulator->threshold, err));
    simulator->n_classes = (size_t)n_classes;
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++)
        SL_TRY_OUT(read_part(&root, p, simulator, err));
    *out = simulator;
    simulator = NULL;
out:
    sl_simulator_destroy(simulator);
    return status;
}
