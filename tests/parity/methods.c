/* methods FOLDER
 * One step of a training method, for check_methods.py, which compares with PyTorch's gradients.
 * FOLDER/case.json says which method and its constants; inputs.npz holds logits (copies * n, K),
 * pixels (n, P) and targets (n, K) of the batch, and what the target set holds of its items: rows
 * (R, K), begin (n + 1), annotators (R), n_annotators (1); values, if given, are the method's own.
 * What the batch has become and both gradients go to FOLDER/results.npz. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_case.h"
#include "softlab/base/array.h"
#include "softlab/base/memory.h"
#include "train/method.h"

enum { MAX_TEXT = 1 << 20 };

/* Methods ask a feed for its shape alone. */
struct sl_feed {
    struct sl_input_shape shape;
};
struct sl_input_shape sl_feed_shape(const struct sl_feed *feed)
{
    return feed->shape;
}

enum { LOGITS, PIXELS, TARGETS, ROWS, BEGIN, ANNOTATORS, N_ANNOTATORS, VALUES, N_ARRAYS };
static const struct {
    const char *name;
    enum sl_dtype dtype;
} inputs[N_ARRAYS] = {
    [LOGITS] = {"logits", SL_F4},
    [PIXELS] = {"pixels", SL_F4},
    [TARGETS] = {"targets", SL_F4},
    [ROWS] = {"rows", SL_F4},
    [BEGIN] = {"begin", SL_I8},
    [ANNOTATORS] = {"annotators", SL_I4},
    [N_ANNOTATORS] = {"n_annotators", SL_I8},
    [VALUES] = {"values", SL_F4},
};

struct task {
    const char *folder; /* borrowed */
    struct sl_array arrays[N_ARRAYS];
    struct sl_recipe recipe;
    struct sl_targets targets;
    struct sl_mixing_functions *mixing;
    struct sl_method *method;
};

static enum sl_status read_arrays(struct task *task, struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    char *path = sl_string_printf("%s/inputs.npz", task->folder);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    for (size_t i = 0; i < N_ARRAYS; i++) {
        SL_TRY_OUT(sl_npz_read(npz, inputs[i].name, &task->arrays[i], err));
        if (task->arrays[i].dtype != inputs[i].dtype)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: expected %s", inputs[i].name,
                               sl_dtype_name(inputs[i].dtype)));
    }
out:
    sl_npz_close(npz);
    free(path);
    return status;
}

static enum sl_status real(const struct sl_json_cursor *root, const char *key, double *value,
                           struct sl_error *err)
{
    float number = 0;
    SL_TRY(case_real(root, key, &number, err));
    *value = (double)number;
    return SL_OK;
}

static enum sl_status read_recipe(const struct sl_json_cursor *root, struct sl_recipe *recipe,
                                  struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *method;
    size_t crowd = 0;
    bool sum = false;
    SL_TRY(sl_json_member(root, "method", &at, err));
    SL_TRY(sl_json_string(&at, &method, err));
    snprintf(recipe->method, sizeof recipe->method, "%s", method);
    SL_TRY(case_flag(root, "sum", &sum, err));
    SL_TRY(case_size(root, "crowd", &crowd, err));
    if (crowd > SL_CROWD_VWB) return sl_fail(err, SL_ERR_INPUT, "crowd: no layer %zu", crowd);
    recipe->reduction = sum ? SL_REDUCE_SUM : SL_REDUCE_MEAN;
    recipe->crowd = (enum sl_crowd_layer)crowd;
    SL_TRY(real(root, "alpha", &recipe->alpha, err));
    SL_TRY(real(root, "kappa", &recipe->kappa, err));
    SL_TRY(real(root, "eta", &recipe->eta, err));
    SL_TRY(case_flag(root, "detach", &recipe->detach, err));
    SL_TRY(case_flag(root, "crowd_on_logits", &recipe->crowd_on_logits, err));
    return case_flag(root, "crowd_masked_mean", &recipe->crowd_masked_mean, err);
}

/* A curve for all pairs of the classes c0, c1, ..., if there is a "k". */
static enum sl_status read_mixing(const struct sl_json_cursor *root, size_t n_classes,
                                  struct task *task, struct sl_error *err)
{
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
    struct sl_logistic curve = {0};
    SL_TRY(real(root, "k", &curve.k, err));
    SL_TRY(real(root, "x0", &curve.x0, err));
    if (curve.k == 0) return SL_OK;
    if (n_classes > 10) return sl_fail(err, SL_ERR_INPUT, "mixing: more than 10 classes");
    return sl_mixing_constant(names, n_classes, curve, &task->mixing, err);
}

static enum sl_status read_case(struct task *task, size_t n_classes, struct sl_error *err)
{
    struct sl_json json = {0};
    char *path = sl_string_printf("%s/case.json", task->folder);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_read(path, MAX_TEXT, &json, err));
    const struct sl_json_cursor root = sl_json_root(&json);
    SL_TRY_OUT(read_recipe(&root, &task->recipe, err));
    SL_TRY_OUT(read_mixing(&root, n_classes, task, err));
out:
    sl_json_release(&json);
    free(path);
    return status;
}

static enum sl_status write_array(struct sl_npz_writer *npz, const char *name, const float *values,
                                  size_t count, struct sl_error *err)
{
    struct sl_array array = {0};
    SL_TRY(sl_array_create(SL_F4, 0, 1, &count, &array, err));
    if (count) memcpy(array.data, values, count * sizeof *values);
    const enum sl_status status = sl_npz_writer_add(npz, name, &array, err);
    sl_array_release(&array);
    return status;
}

static enum sl_status write_results(const struct task *task, const struct sl_method_batch *batch,
                                    const float *gradient, double total, struct sl_error *err)
{
    const size_t rows = task->method->row->steps->copies * batch->count;
    const float rounded = (float)total;
    struct sl_npz_writer *npz = NULL;
    char *path = sl_string_printf("%s/results.npz", task->folder);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_writer_create(path, SL_NPZ_STORED, &npz, err));
    SL_TRY_OUT(write_array(npz, "pixels", batch->pixels, rows * batch->pixels_per_item, err));
    SL_TRY_OUT(write_array(npz, "targets", batch->targets, rows * batch->n_classes, err));
    SL_TRY_OUT(write_array(npz, "gradient", gradient, rows * batch->n_classes, err));
    SL_TRY_OUT(
        write_array(npz, "own_gradient", task->method->gradients, task->method->n_values, err));
    SL_TRY_OUT(write_array(npz, "total", &rounded, 1, err));
    SL_TRY_OUT(sl_npz_writer_commit(npz, err));
out:
    sl_npz_writer_destroy(npz);
    free(path);
    return status;
}

/* The method gets room for two copies, whether it wants it or not. */
static enum sl_status run_step(struct task *task, struct sl_error *err)
{
    const struct sl_array *pixels = &task->arrays[PIXELS], *targets = &task->arrays[TARGETS];
    const size_t n_pixels = sl_array_count(pixels), n_targets = sl_array_count(targets);
    struct sl_method_batch batch = {.count = pixels->shape[0],
                                    .pixels_per_item = pixels->shape[1],
                                    .n_classes = targets->shape[1],
                                    .epoch = 1,
                                    .step = 2};
    size_t *positions = sl_alloc(batch.count, sizeof *positions);
    float *gradient = sl_alloc(2 * n_targets, sizeof *gradient);
    batch.positions = positions;
    batch.pixels = sl_alloc(2 * n_pixels, sizeof *batch.pixels);
    batch.targets = sl_alloc(2 * n_targets, sizeof *batch.targets);
    memcpy(batch.pixels, pixels->data, n_pixels * sizeof(float));
    memcpy(batch.targets, targets->data, n_targets * sizeof(float));
    for (size_t i = 0; i < batch.count; i++)
        positions[i] = i;
    const struct sl_method_steps *steps = task->method->row->steps;
    double total = 0;
    if (steps->prepare) steps->prepare(task->method, &batch);
    steps->loss(task->method, &batch, task->arrays[LOGITS].data, gradient, &total);
    const enum sl_status status = write_results(task, &batch, gradient, total, err);
    free(batch.pixels);
    free(batch.targets);
    free(gradient);
    free(positions);
    return status;
}

static enum sl_status run(struct task *task, struct sl_error *err)
{
    SL_TRY(read_arrays(task, err));
    const struct sl_array *arrays = task->arrays;
    const size_t any[2] = {0}, n_classes = arrays[TARGETS].shape[1];
    SL_TRY(sl_array_expect(&arrays[TARGETS], "targets", 2, any, err));
    SL_TRY(sl_array_expect(&arrays[PIXELS], "pixels", 2, any, err));
    SL_TRY(read_case(task, n_classes, err));
    const size_t *n_annotators = arrays[N_ANNOTATORS].data;
    task->targets = (struct sl_targets){.n_items = arrays[TARGETS].shape[0],
                                        .n_classes = n_classes,
                                        .begin = arrays[BEGIN].data,
                                        .rows = arrays[ROWS].data,
                                        .annotators = arrays[ANNOTATORS].data,
                                        .n_annotators = *n_annotators};
    const struct sl_feed feed = {.shape = {.channels = arrays[PIXELS].shape[1]}};
    const struct sl_train_options options = {.recipe = &task->recipe,
                                             .feed = &feed,
                                             .targets = &task->targets,
                                             .mixing = task->mixing,
                                             .seed = 7};
    SL_TRY(sl_method_create(&options, n_classes, &task->method, err));
    const size_t given = sl_array_count(&arrays[VALUES]);
    if (given && given != task->method->n_values)
        return sl_fail(err, SL_ERR_INPUT, "values: expected %zu", task->method->n_values);
    if (given) memcpy(task->method->values, arrays[VALUES].data, given * sizeof(float));
    return run_step(task, err);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: methods FOLDER\n", stderr);
        return 2;
    }
    struct task task = {.folder = argv[1]};
    struct sl_error err = {0};
    const enum sl_status status = run(&task, &err);
    if (status != SL_OK) fprintf(stderr, "methods: %s\n", err.message);
    sl_method_destroy(task.method);
    sl_mixing_functions_destroy(task.mixing);
    for (size_t i = 0; i < N_ARRAYS; i++)
        sl_array_release(&task.arrays[i]);
    return status != SL_OK;
}
