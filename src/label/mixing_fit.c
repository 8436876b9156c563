#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "label/mixing_points.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

static struct sl_mixing_functions *functions_create(const char *const *classes, size_t n_classes)
{
    struct sl_mixing_functions *functions = sl_alloc(1, sizeof *functions);
    functions->n_classes = n_classes;
    functions->classes = sl_alloc(n_classes + 1, sizeof *functions->classes);
    for (size_t k = 0; k < n_classes; k++)
        functions->classes[k] = sl_string_copy(classes[k]);
    return functions;
}

void sl_mixing_functions_destroy(struct sl_mixing_functions *functions)
{
    if (!functions) return;
    sl_names_destroy(functions->classes);
    free(functions->pairs);
    free(functions);
}

static enum sl_status create(const char *const *classes, size_t n_classes,
                             struct sl_mixing_functions **out, struct sl_error *err)
{
    if (n_classes && n_classes > SIZE_MAX / n_classes)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu classes", n_classes);
    struct sl_mixing_functions *functions = functions_create(classes, n_classes);
    functions->pairs = sl_data_alloc(n_classes * n_classes, sizeof *functions->pairs, err);
    if (!functions->pairs) {
        sl_mixing_functions_destroy(functions);
        return SL_ERR_NOMEM;
    }
    memset(functions->pairs, 0, n_classes * n_classes * sizeof *functions->pairs);
    *out = functions;
    return SL_OK;
}

static bool sorts_first(const struct sl_mixing_functions *functions, size_t i, size_t j)
{
    int order = strcmp(functions->classes[i], functions->classes[j]);
    return order ? order < 0 : i < j;
}

static struct sl_mixing_pair *pair_of(const struct sl_mixing_functions *functions, size_t i,
                                      size_t j)
{
    return functions->pairs + i * functions->n_classes + j;
}

/* Points of the pair (i, j) as shares of i. */
static size_t gather_pair(const struct sl_mix_point *points, size_t count, size_t i, size_t j,
                          double *x, double *y)
{
    size_t found = 0;
    for (size_t p = 0; p < count; p++) {
        bool straight = points[p].a == i && points[p].b == j;
        bool turned = points[p].a == j && points[p].b == i;
        if (!straight && !turned) continue;
        x[found] = straight ? points[p].generated : 1 - points[p].generated;
        y[found] = straight ? points[p].inferred : 1 - points[p].inferred;
        found++;
    }
    return found;
}

enum sl_status sl_mixing_fit(const struct sl_answers *answers, const struct sl_mix_options *options,
                             struct sl_mixing_functions **out, struct sl_error *err)
{
    struct sl_mixing_functions *functions = NULL;
    struct sl_mix_point *points = NULL;
    double *x = NULL, *y = NULL;
    size_t count = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_mix_points_take(answers, options, &points, &count, err));
    SL_TRY_OUT(create((const char *const *)answers->classes, answers->n_classes, &functions, err));
    x = sl_data_alloc(count, sizeof *x, err);
    y = sl_data_alloc(count, sizeof *y, err);
    SL_TRY_OUT(x && y ? SL_OK : SL_ERR_NOMEM);
    for (size_t i = 0; i < functions->n_classes; i++) {
        for (size_t j = 0; j < functions->n_classes; j++) {
            if (i == j || !sorts_first(functions, i, j)) continue;
            struct sl_mixing_pair *pair = pair_of(functions, i, j);
            pair->n_answers = gather_pair(points, count, i, j, x, y);
            pair->fitted = pair->n_answers > 1 &&
                           sl_logistic_fit(x, y, pair->n_answers, &pair->curve, NULL) == SL_OK;
        }
    }
    *out = functions;
    functions = NULL;
out:
    sl_mixing_functions_destroy(functions);
    free(points);
    free(x);
    free(y);
    return status;
}

enum sl_status sl_mixing_constant(const char *const *classes, size_t n_classes,
                                  struct sl_logistic curve, struct sl_mixing_functions **out,
                                  struct sl_error *err)
{
    if (!(isfinite(curve.k) && isfinite(curve.x0)))
        return sl_fail(err, SL_ERR_USAGE, "k = %g, x0 = %g: expected finite numbers", curve.k,
                       curve.x0);
    SL_TRY(create(classes, n_classes, out, err));
    for (size_t i = 0; i < n_classes * n_classes; i++)
        (*out)->pairs[i] = (struct sl_mixing_pair){.fitted = true, .curve = curve};
    return SL_OK;
}

double sl_mixing_value(const struct sl_mixing_functions *functions, size_t i, size_t j,
                       double lambda)
{
    if (i == j) return lambda;
    bool first = sorts_first(functions, i, j);
    const struct sl_mixing_pair *pair = pair_of(functions, first ? i : j, first ? j : i);
    if (!pair->fitted) return lambda;
    return first ? sl_logistic_value(pair->curve, lambda)
                 : 1 - sl_logistic_value(pair->curve, 1 - lambda);
}

json_t *sl_mixing_to_json(const struct sl_mixing_functions *functions)
{
    json_t *classes = json_array(), *pairs = json_array();
    for (size_t k = 0; k < functions->n_classes; k++)
        json_array_append_new(classes, json_string(functions->classes[k]));
    for (size_t i = 0; i < functions->n_classes; i++) {
        for (size_t j = 0; j < functions->n_classes; j++) {
            const struct sl_mixing_pair *pair = pair_of(functions, i, j);
            if (i == j || !pair->fitted || !sorts_first(functions, i, j)) continue;
            json_array_append_new(pairs, json_pack("{s:[s,s],s:f,s:f,s:I}", "classes",
                                                   functions->classes[i], functions->classes[j],
                                                   "k", pair->curve.k, "x0", pair->curve.x0,
                                                   "answers", (json_int_t)pair->n_answers));
        }
    }
    return json_pack("{s:s,s:i,s:o,s:o}", "softlab", "mixing", "version", 1, "classes", classes,
                     "pairs", pairs);
}

static enum sl_status read_class(const struct sl_mixing_functions *functions,
                                 const struct sl_json_cursor *at, size_t *out, struct sl_error *err)
{
    const char *name;
    SL_TRY(sl_json_string(at, &name, err));
    for (size_t k = 0; k < functions->n_classes; k++) {
        if (strcmp(functions->classes[k], name) != 0) continue;
        *out = k;
        return SL_OK;
    }
    return sl_json_fail(at, err, "\"%s\" is not one of the classes", name);
}

static enum sl_status read_pair(const struct sl_mixing_functions *functions,
                                const struct sl_json_cursor *at, struct sl_error *err)
{
    struct sl_json_cursor classes, k, x0, answers;
    size_t count = 0, i = 0, j = 0;
    int64_t n_answers = 0;
    struct sl_logistic curve;
    SL_TRY(sl_json_member(at, "classes", &classes, err));
    SL_TRY(sl_json_array_size(&classes, &count, err));
    if (count != 2) return sl_json_fail(&classes, err, "expected 2 classes, got %zu", count);
    struct sl_json_cursor first = sl_json_element(&classes, 0);
    struct sl_json_cursor second = sl_json_element(&classes, 1);
    SL_TRY(read_class(functions, &first, &i, err));
    SL_TRY(read_class(functions, &second, &j, err));
    if (i == j || !sorts_first(functions, i, j))
        return sl_json_fail(&classes, err, "expected two classes in alphabetical order");
    SL_TRY(sl_json_member(at, "k", &k, err));
    SL_TRY(sl_json_member(at, "x0", &x0, err));
    SL_TRY(sl_json_member(at, "answers", &answers, err));
    SL_TRY(sl_json_number(&k, -1e9, 1e9, &curve.k, err));
    SL_TRY(sl_json_number(&x0, -1e9, 1e9, &curve.x0, err));
    SL_TRY(sl_json_integer(&answers, 0, INT64_MAX, &n_answers, err));
    *pair_of(functions, i, j) =
        (struct sl_mixing_pair){.fitted = true, .curve = curve, .n_answers = (size_t)n_answers};
    return SL_OK;
}

static enum sl_status read_classes(const struct sl_json_cursor *root,
                                   struct sl_mixing_functions **out, struct sl_error *err)
{
    struct sl_json_cursor classes;
    size_t count;
    const char **names = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_member(root, "classes", &classes, err));
    SL_TRY_OUT(sl_json_array_size(&classes, &count, err));
    names = sl_alloc(count, sizeof *names);
    for (size_t k = 0; k < count; k++) {
        struct sl_json_cursor element = sl_json_element(&classes, k);
        SL_TRY_OUT(sl_json_string(&element, &names[k], err));
    }
    SL_TRY_OUT(create(names, count, out, err));
out:
    free(names);
    return status;
}

enum sl_status sl_mixing_from_json(const struct sl_json *json, struct sl_mixing_functions **out,
                                   struct sl_error *err)
{
    struct sl_mixing_functions *functions = NULL;
    struct sl_json_cursor root = sl_json_root(json), kind, pairs;
    const char *name;
    size_t count;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_member(&root, "softlab", &kind, err));
    SL_TRY_OUT(sl_json_string(&kind, &name, err));
    if (strcmp(name, "mixing") != 0) {
        status = sl_json_fail(&kind, err, "expected \"mixing\", got \"%s\"", name);
        goto out;
    }
    SL_TRY_OUT(read_classes(&root, &functions, err));
    SL_TRY_OUT(sl_json_member(&root, "pairs", &pairs, err));
    SL_TRY_OUT(sl_json_array_size(&pairs, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor pair = sl_json_element(&pairs, i);
        SL_TRY_OUT(read_pair(functions, &pair, err));
    }
    *out = functions;
    functions = NULL;
out:
    sl_mixing_functions_destroy(functions);
    return status;
}
