/* tagger <folder> <network> <classes> <vocabulary> <alphabet>: a tagger forward and backward, for
 * check_tagger.py, which compares with PyTorch.
 *
 * The folder holds weights.safetensors and in.npz: words (n, tokens), positions (n), letters (n,
 * letters), upstream (n, classes), and if wanted word_counts, letter_counts (n), noise0 and noise1
 * (the dropout masks; without them the network is run in evaluation). Results go to out.npz: logits
 * and, in training, the gradients as the model's values lie ("gradients"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/array.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/nn.h"
#include "softlab/nn/weights.h"

enum { WORDS, POSITIONS, LETTERS, UPSTREAM, WORD_COUNTS, LETTER_COUNTS, NOISE0, NOISE1, N_ARRAYS };
enum { N_NOISE = 2 };

static const struct {
    const char *name;
    bool optional;
    enum sl_dtype dtype;
    size_t n_dimensions;
} array_kinds[N_ARRAYS] = {
    [WORDS] = {"words", false, SL_I4, 2},
    [POSITIONS] = {"positions", false, SL_I4, 1},
    [LETTERS] = {"letters", false, SL_I4, 2},
    [UPSTREAM] = {"upstream", false, SL_F4, 2},
    [WORD_COUNTS] = {"word_counts", true, SL_I4, 1},
    [LETTER_COUNTS] = {"letter_counts", true, SL_I4, 1},
    [NOISE0] = {"noise0", true, SL_F4, 2},
    [NOISE1] = {"noise1", true, SL_F4, 2},
};

struct task {
    const char *folder;
    struct sl_array arrays[N_ARRAYS];
    struct sl_model *model;
    struct sl_plan *plan;
    bool training;
    const float *logits;
};

static enum sl_status read_arrays(struct task *task, struct sl_error *err)
{
    const size_t any[2] = {0};
    enum sl_status status = SL_OK;
    struct sl_npz *npz = NULL;
    char *path = sl_string_printf("%s/in.npz", task->folder);
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    for (size_t i = 0; i < N_ARRAYS; i++) {
        const char *name = array_kinds[i].name;
        struct sl_array *array = &task->arrays[i];
        if (array_kinds[i].optional && !sl_npz_has(npz, name)) continue;
        SL_TRY_OUT(sl_npz_read(npz, name, array, err));
        SL_TRY_OUT(sl_array_expect(array, name, array_kinds[i].n_dimensions, any, err));
        if (array->dtype != array_kinds[i].dtype)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: expected %s", name,
                               sl_dtype_name(array_kinds[i].dtype)));
    }
    task->training = task->arrays[NOISE0].data != NULL;
out:
    sl_npz_close(npz);
    free(path);
    return status;
}

static enum sl_status make_plan(struct task *task, struct sl_model_options options,
                                struct sl_error *err)
{
    options.input.tokens = task->arrays[WORDS].shape[1];
    options.input.letters = task->arrays[LETTERS].shape[1];
    SL_TRY(sl_model_create(&options, &task->model, err));
    char *path = sl_string_printf("%s/weights.safetensors", task->folder);
    const enum sl_status status = sl_weights_read(path, task->model, err);
    free(path);
    SL_TRY(status);
    struct sl_plan_options plan = sl_plan_options_default();
    plan.batch = task->arrays[WORDS].shape[0];
    plan.training = task->training;
    return sl_plan_create(task->model, &plan, &task->plan, err);
}

static enum sl_status run(struct task *task, struct sl_error *err)
{
    for (size_t i = 0; i < N_NOISE && task->training; i++) {
        size_t count = 0;
        float *noise = sl_plan_noise(task->plan, i, &count, NULL);
        const struct sl_array *given = &task->arrays[NOISE0 + i];
        if (!noise || !given->data || sl_array_count(given) != count)
            return sl_fail(err, SL_ERR_INPUT, "noise%zu is not what the network wants", i);
        memcpy(noise, given->data, count * sizeof *noise);
    }
    const struct sl_batch batch = {.words = task->arrays[WORDS].data,
                                   .word_counts = task->arrays[WORD_COUNTS].data,
                                   .positions = task->arrays[POSITIONS].data,
                                   .letters = task->arrays[LETTERS].data,
                                   .letter_counts = task->arrays[LETTER_COUNTS].data};
    task->logits = sl_plan_forward(task->plan, &batch);
    if (task->training) sl_plan_backward(task->plan, task->arrays[UPSTREAM].data);
    return SL_OK;
}

static enum sl_status add_floats(struct sl_npz_writer *npz, const char *name, const float *values,
                                 size_t count, struct sl_error *err)
{
    struct sl_array array = {0};
    SL_TRY(sl_array_create(SL_F4, 0, 1, &count, &array, err));
    memcpy(array.data, values, count * sizeof *values);
    const enum sl_status status = sl_npz_writer_add(npz, name, &array, err);
    sl_array_release(&array);
    return status;
}

static enum sl_status write_results(const struct task *task, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_npz_writer *npz = NULL;
    char *path = sl_string_printf("%s/out.npz", task->folder);
    const size_t n_logits = sl_array_count(&task->arrays[UPSTREAM]);
    SL_TRY_OUT(sl_npz_writer_create(path, SL_NPZ_STORED, &npz, err));
    SL_TRY_OUT(add_floats(npz, "logits", task->logits, n_logits, err));
    if (task->training)
        SL_TRY_OUT(add_floats(npz, "gradients", sl_plan_gradients(task->plan),
                              sl_model_n_values(task->model), err));
    SL_TRY_OUT(sl_npz_writer_commit(npz, err));
out:
    sl_npz_writer_destroy(npz);
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    int64_t sizes[3] = {0};
    bool good = argc == 6;
    for (int i = 0; good && i < 3; i++)
        good = sl_text_to_integer(argv[3 + i], strlen(argv[3 + i]), &sizes[i]) && sizes[i] > 0;
    if (!good) {
        fputs("usage: tagger <folder> <network> <classes> <vocabulary> <alphabet>\n", stderr);
        return 2;
    }
    struct sl_error err = {0};
    struct task task = {.folder = argv[1]};
    struct sl_model_options options = sl_model_options_default();
    options.network = argv[2];
    options.classes = (size_t)sizes[0];
    options.input =
        (struct sl_input_shape){.vocabulary = (size_t)sizes[1], .alphabet = (size_t)sizes[2]};
    enum sl_status status = read_arrays(&task, &err);
    if (status == SL_OK) status = make_plan(&task, options, &err);
    if (status == SL_OK) status = run(&task, &err);
    if (status == SL_OK) status = write_results(&task, &err);
    if (status != SL_OK) fprintf(stderr, "tagger: %s\n", err.message);
    sl_plan_destroy(task.plan);
    sl_model_destroy(task.model);
    for (size_t i = 0; i < N_ARRAYS; i++)
        sl_array_release(&task.arrays[i]);
    return status != SL_OK;
}
