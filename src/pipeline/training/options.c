/* The options of softlab train. */
#include "softlab/pipeline/options.h"
#include "softlab/pipeline/training.h"

static const char *rest_names(size_t index)
{
    static const char *const names[] = {"fail", "hard", "drop", NULL}; /* enum sl_target_rest */
    return names[index];
}

static const char *recipe_names(size_t index)
{
    return sl_builtin_recipes[index].name;
}

#define FIELD(name) .offset = offsetof(struct sl_train_job, name)
const struct sl_field_row sl_train_job_options[] = {
    {"data", SL_FIELD_SOURCE, FIELD(data),
     "the training data: a data set's name or path, as in softlab dataset", .letter = 'd',
     .value = "DATA", .names = sl_dataset_names, .modes = SL_TRAIN_RUNS},
    {"split", SL_FIELD_PATH, FIELD(split), "train on these items only: an index file",
     .modes = SL_TRAIN_RUNS},
    {"labels", SL_FIELD_PATH, FIELD(labels),
     "label distributions: a row per item, or one per annotator (default: hard labels)",
     .letter = 'l', .modes = SL_TRAIN_RUNS},
    {"rest", SL_FIELD_ENUM, FIELD(rest),
     "items without a row in --labels: stop with an error, use their hard label, or leave them out",
     .value = "WHAT", .fallback = "fail", .names = rest_names, .modes = SL_TRAIN_RUNS,
     .needs = "labels"},
    {"holdout", SL_FIELD_PATH, FIELD(holdout),
     "items to hold out: a file with a name on each line, collins2022 for its list of 100, or none "
     "(default: the recipe's)",
     .modes = SL_TRAIN_RUNS},
    {"network", SL_FIELD_WORD, FIELD(network),
     "a name from softlab models, or a family with options", .letter = 'n', .value = "NETWORK",
     .names = sl_network_names, .modes = SL_TRAIN_RUNS},
    {"recipe", SL_FIELD_PATH, FIELD(recipe),
     "all hyperparameters: a name from --list, or a JSON file", .letter = 'r', .value = "RECIPE",
     .names = recipe_names, .modes = SL_TRAIN_RUNS | SL_TRAIN_KEYS},
    {"as-published", SL_FIELD_BOOLEAN, FIELD(as_published),
     "the recipe as the paper's text states it", .modes = SL_TRAIN_RUNS | SL_TRAIN_KEYS,
     .needs = "recipe"},
    {"set", SL_FIELD_WORD, FIELD(set), "change keys of the recipe; --keys lists them",
     .value = "KEY=VALUE,...", .modes = SL_TRAIN_RUNS},
    {"epochs", SL_FIELD_COUNT, FIELD(epochs), "number of epochs (default: the recipe's)",
     .letter = 'e', .minimum = 1, .maximum = 1e6, .modes = SL_TRAIN_RUNS},
    {"seed", SL_FIELD_INTEGER, FIELD(seed),
     "seed of initial weights, order, augmentation and all other draws", .letter = 's',
     .fallback = "1", .minimum = 0, .maximum = 9007199254740992.0, .modes = SL_TRAIN_RUNS},
    {"output", SL_FIELD_FOLDER, FIELD(output),
     "the run's folder; an unfinished run in this folder is resumed", .letter = 'o',
     .modes = SL_TRAIN_RUNS},
    {"restart", SL_FIELD_BOOLEAN, FIELD(restart), "start anew, discarding the run in the folder",
     .modes = SL_TRAIN_RUNS},
    {"untrained", SL_FIELD_BOOLEAN, FIELD(untrained),
     "read and check everything, then write the initial weights without training",
     .modes = SL_TRAIN_RUNS},
    {"weights", SL_FIELD_PATH, FIELD(weights),
     "fine-tune these weights: a file, or a run's folder; classes are matched by name",
     .letter = 'w', .modes = SL_TRAIN_RUNS},
    {"dev", SL_FIELD_SOURCE, FIELD(dev),
     "the dev set: every epoch is scored on it, for select=best and patience", .value = "DATA",
     .names = sl_dataset_names, .modes = SL_TRAIN_RUNS},
    {"dev-split", SL_FIELD_PATH, FIELD(dev_split), "use only these items of --dev: an index file",
     .modes = SL_TRAIN_RUNS},
    {"dev-labels", SL_FIELD_PATH, FIELD(dev_labels),
     "label distributions of --dev (default: hard labels)", .modes = SL_TRAIN_RUNS},
    {"teacher", SL_FIELD_SOURCE, FIELD(teacher),
     "predictions of teachers to distil: the key teacher_share is the weight of their mean in the "
     "targets",
     .value = "FILE,...", .modes = SL_TRAIN_RUNS},
    {"mixing", SL_FIELD_PATH, FIELD(mixing),
     "class-pair mixing functions that softlab mixing wrote, for the targets of mixup",
     .modes = SL_TRAIN_RUNS},
    {"extra", SL_FIELD_SOURCE, FIELD(extra),
     "more images to train on, such as mixed ones; their classes are found by name in --data",
     .value = "DATA", .modes = SL_TRAIN_RUNS},
    {"extra-labels", SL_FIELD_PATH, FIELD(extra_labels), "label distributions of --extra",
     .modes = SL_TRAIN_RUNS, .needs = "extra"},
    SL_OPTION_IMAGE_SIZE(struct sl_train_job, "resize images to this size", SL_TRAIN_RUNS),
    SL_OPTION_CHANNELS(struct sl_train_job, SL_TRAIN_RUNS),
    SL_OPTION_SKIP_BROKEN(struct sl_train_job, SL_TRAIN_RUNS),
    {"vectors", SL_FIELD_PATH, FIELD(vectors),
     "word vectors (GloVe), for texts (default: those of softlab fetch glove100d)",
     .modes = SL_TRAIN_RUNS},
    {"tuning", SL_FIELD_PATH, FIELD(tuning), "a table of kernels that softlab bench --tune wrote",
     .modes = SL_TRAIN_RUNS},
    {"checkpoint-seconds", SL_FIELD_NUMBER, FIELD(checkpoint_seconds),
     "shortest time between two checkpoints", .value = "S", .fallback = "30", .minimum = 0,
     .maximum = 1e6, .modes = SL_TRAIN_RUNS},
    {.name = NULL},
};
#undef FIELD

struct sl_train_job sl_train_job_default(void)
{
    struct sl_train_job job = {0};
    sl_fields_set_defaults(sl_train_job_options, &job);
    return job;
}

static void find_mode(const void *job, char *const *arguments, size_t n_arguments,
                      struct sl_option_mode *out)
{
    (void)job;
    (void)arguments;
    (void)n_arguments;
    *out = (struct sl_option_mode){SL_TRAIN_RUNS, .name = "a training"};
}

static enum sl_status run_training(const void *job, const struct sl_task_call *call,
                                   json_t **result, struct sl_error *err)
{
    (void)result;
    struct sl_train_session *session = NULL;
    json_t *record = sl_asked_json(call->asked);
    enum sl_status status = sl_train_session_open(job, record, call->workplace, &session, err);
    if (status == SL_OK) status = sl_train_session_run(session, err);
    sl_train_session_destroy(session);
    json_decref(record);
    return status;
}

const struct sl_task sl_train_task = {
    .name = "train",
    .options = sl_train_job_options,
    .size = sizeof(struct sl_train_job),
    .mode = find_mode,
    .stops = true,
    .run = run_training,
};
