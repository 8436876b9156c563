#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/json.h"
#include "softlab/nn/weights.h"
#include "train/run.h"

/* The numbers of a position, each written and read by one row. */
static const struct {
    const char *name;
    size_t offset;
    bool real;
} fields[] = {
    {"epoch", offsetof(struct sl_training_position, epoch), false},
    {"step", offsetof(struct sl_training_position, step), false},
    {"loss_total", offsetof(struct sl_training_position, loss_total), true},
    {"presented", offsetof(struct sl_training_position, presented), false},
    {"correct", offsetof(struct sl_training_position, correct), false},
    {"epoch_seconds", offsetof(struct sl_training_position, epoch_seconds), true},
    {"best_score", offsetof(struct sl_training_position, best_score), true},
    {"best_epoch", offsetof(struct sl_training_position, best_epoch), false},
    {"steps", offsetof(struct sl_training_position, steps), false},
    {"optimiser_steps", offsetof(struct sl_training_position, optimiser_steps[0]), false},
    {"own_optimiser_steps", offsetof(struct sl_training_position, optimiser_steps[1]), false},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "positions are read as 64-bit numbers");

enum { MAX_BUFFERS = 7 };

/* All buffers besides the model's that change from step to step. */
static size_t list_buffers(struct sl_training *run, struct sl_checkpoint_buffer *out)
{
    static const char *const names[2][2] = {{"optimiser.0", "optimiser.1"},
                                            {"own.optimiser.0", "own.optimiser.1"}};
    struct sl_optimiser *const optimisers[2] = {&run->optimiser, &run->own_optimiser};
    size_t n = 0;
    for (size_t o = 0; o < 2; o++)
        for (size_t i = 0; i < optimisers[o]->n_state && optimisers[o]->count > 0; i++)
            out[n++] = (struct sl_checkpoint_buffer){names[o][i], optimisers[o]->state[i],
                                                     optimisers[o]->count};
    if (run->method->n_values > 0)
        out[n++] = (struct sl_checkpoint_buffer){"own", run->method->values, run->method->n_values};
    if (run->best_values) {
        out[n++] = (struct sl_checkpoint_buffer){"best.values", run->best_values,
                                                 sl_model_n_values(run->model)};
        if (sl_model_n_state(run->model) > 0)
            out[n++] = (struct sl_checkpoint_buffer){"best.state", run->best_state,
                                                     sl_model_n_state(run->model)};
    }
    return n;
}

static json_t *position_to_json(const struct sl_training *run)
{
    json_t *json = json_object();
    bool whole = json_object_set_new(json, "run", json_string(run->identity)) == 0;
    for (size_t i = 0; i < N_FIELDS; i++) {
        const char *at = (const char *)&run->at + fields[i].offset;
        double real;
        uint64_t integer;
        memcpy(&real, at, sizeof real);
        memcpy(&integer, at, sizeof integer);
        json_t *value = !fields[i].real ? json_integer((json_int_t)integer)
                        : isnan(real)   ? json_null()
                                        : json_real(real);
        whole = json_object_set_new(json, fields[i].name, value) == 0 && whole;
    }
    if (whole) return json;
    json_decref(json);
    return NULL;
}

enum sl_status sl_run_save(struct sl_training *run, struct sl_error *err)
{
    if (!run->options->checkpoint) return SL_OK;
    struct sl_checkpoint_buffer buffers[MAX_BUFFERS];
    const size_t n_buffers = list_buffers(run, buffers);
    run->at.optimiser_steps[0] = run->optimiser.steps;
    run->at.optimiser_steps[1] = run->own_optimiser.steps;
    json_t *json = position_to_json(run);
    /* 17 digits preserve every double. */
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    if (!text) return sl_fail(err, SL_ERR_NOMEM, "no memory for the checkpoint's position");
    const enum sl_status status =
        sl_checkpoint_write(run->options->checkpoint, run->model, buffers, n_buffers, text, err);
    free(text);
    run->saved_at = sl_clock_seconds();
    return status;
}

static enum sl_status position_from_json(const struct sl_json_cursor *root,
                                         struct sl_training_position *out, struct sl_error *err)
{
    struct sl_training_position position = {0};
    for (size_t i = 0; i < N_FIELDS; i++) {
        struct sl_json_cursor at;
        char *field = (char *)&position + fields[i].offset;
        SL_TRY(sl_json_optional(root, fields[i].name, &at, err));
        if (fields[i].real) {
            double real = NAN;
            if (at.value) SL_TRY(sl_json_number(&at, -HUGE_VAL, HUGE_VAL, &real, err));
            memcpy(field, &real, sizeof real);
        } else {
            int64_t integer = 0;
            if (at.value) SL_TRY(sl_json_integer(&at, 0, INT64_MAX, &integer, err));
            memcpy(field, &integer, sizeof integer);
        }
    }
    *out = position;
    return SL_OK;
}

static enum sl_status take_position(struct sl_training *run, const char *text, struct sl_error *err)
{
    const char *path = run->options->checkpoint;
    struct sl_json json = {0};
    SL_TRY(sl_json_parse(text, strlen(text), path, 1, &json, err));
    const struct sl_json_cursor root = sl_json_root(&json);
    struct sl_json_cursor at;
    const char *identity = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_member(&root, "run", &at, err));
    SL_TRY_OUT(sl_json_string(&at, &identity, err));
    if (strcmp(identity, run->identity) != 0) {
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s belongs to another run: recipe, network, seed, targets or data differ",
                         path);
        goto out;
    }
    SL_TRY_OUT(position_from_json(&root, &run->at, err));
    run->optimiser.steps = run->at.optimiser_steps[0];
    run->own_optimiser.steps = run->at.optimiser_steps[1];
out:
    sl_json_release(&json);
    return status;
}

enum sl_status sl_run_load(struct sl_training *run, bool *found, struct sl_error *err)
{
    const char *path = run->options->checkpoint;
    *found = path && sl_file_exists(path);
    if (!*found) return SL_OK;
    struct sl_checkpoint_buffer buffers[MAX_BUFFERS];
    const size_t n_buffers = list_buffers(run, buffers);
    char *text = NULL;
    SL_TRY(sl_checkpoint_read(path, run->model, buffers, n_buffers, &text, err));
    const enum sl_status status = take_position(run, text, err);
    free(text);
    sl_model_touch(run->model);
    return status;
}
