#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"
#include "softlab/label/simulate.h"
#include "study/session/stimuli.h"
#include "study/simulate/simulate.h"

/* The share of an item's class if only the class is known. */
static const double SURE = .9;
/* A trial's noise relative to a person's: 93 % of repeats in CIFAR-10S had the same top class. */
static const double TRIAL_NOISE = .25;
static const double LEAST = 1e-6;
enum { MODEL_BYTES = 16 << 20 };

/* What a page shows of an item, as one text: the image's opaque name, or text and span. */
static char *sight_text(const json_t *item)
{
    const char *image = json_string_value(json_object_get(item, "image"));
    const char *slash = image ? strrchr(image, '/') : NULL;
    if (image) return sl_string_copy(slash ? slash + 1 : image);
    const char *text = json_string_value(json_object_get(item, "text"));
    const char *card = json_string_value(json_object_get(item, "instructed"));
    if (card) return sl_string_printf("instructed\n%s", card);
    char *span = json_dumps(json_object_get(item, "span"), JSON_COMPACT);
    char *all = sl_string_printf("%s\n%s", text ? text : "", span ? span : "");
    free(span);
    return all;
}

/* ---- From the study's folder ---- */

struct gathering {
    struct sl_sim_world *world;
    const struct sl_stimuli *stimuli;
    const struct sl_rows *rows; /* or NULL */
    struct sl_name_table *row_names;
    struct sl_error *err;
    size_t n_found; /* items with a row */
};

static size_t class_number(const struct sl_study *study, const char *name)
{
    size_t k = 0;
    while (k < study->n_classes && strcmp(study->classes[k], name) != 0)
        k++;
    return k;
}

static void set_class(const struct sl_study *study, const char *truth, double *row)
{
    size_t known = truth ? class_number(study, truth) : study->n_classes;
    size_t n_classes = study->n_classes;
    for (size_t k = 0; k < n_classes; k++) {
        row[k] = 1 / (double)n_classes;
        if (known < n_classes) row[k] = k == known ? SURE : (1 - SURE) / (double)(n_classes - 1);
    }
}

static void set_mixture(const struct sl_study *study, const json_t *ends, double share, double *row)
{
    const char *first = json_string_value(json_array_get(ends, 0));
    const char *second = json_string_value(json_array_get(ends, 1));
    size_t a = first ? class_number(study, first) : study->n_classes;
    size_t b = second ? class_number(study, second) : study->n_classes;
    if (a == study->n_classes || b == study->n_classes) return;
    memset(row, 0, study->n_classes * sizeof *row);
    row[a] += share;
    row[b] += 1 - share;
}

static void set_row(struct gathering *gathering, const char *item, double *row)
{
    const struct sl_rows *rows = gathering->rows;
    uint32_t number = sl_name_table_find(gathering->row_names, item, strlen(item));
    if (number == SL_NO_NAME) return; /* its class is used instead */
    gathering->n_found++;
    for (size_t k = 0; k < rows->n_classes; k++)
        row[k] = (double)rows->values[number * rows->n_classes + k];
}

static enum sl_status take_item(const struct sl_store_item *item, void *context)
{
    struct gathering *gathering = context;
    struct sl_sim_world *world = gathering->world;
    const struct sl_study *study = world->study;
    const struct sl_stimulus *stimulus = sl_stimulus_find(gathering->stimuli, item->id);
    const json_t *ends = json_object_get(stimulus->content, "endpoints");
    const json_t *share = json_object_get(stimulus->content, "lambda");
    uint32_t number = 0;
    char *seen = json_object_get(stimulus->content, "image") ? sl_string_copy(stimulus->opaque)
                                                             : sight_text(stimulus->content);
    enum sl_status status =
        sl_name_table_add(world->sights, seen, strlen(seen), &number, gathering->err);
    free(seen);
    if (status != SL_OK) return status;
    if (stimulus->role == SL_STIMULUS_ITEM)
        world->names[world->n_read] = sl_string_copy(stimulus->id);
    world->sight_of[world->n_read++] = number;
    double *row = &world->truth[number * study->n_classes];
    set_class(study, item->truth, row);
    world->share[number] = json_is_number(share) ? json_number_value(share) : .5;
    if (ends) set_mixture(study, ends, world->share[number], row);
    if (gathering->rows) set_row(gathering, item->id, row);
    return SL_OK;
}

static enum sl_status read_rows(const char *path, const struct sl_study *study,
                                struct sl_rows **rows, struct sl_name_table *names,
                                struct sl_error *err)
{
    SL_TRY(sl_rows_read(path, "labels", rows, err));
    if ((*rows)->annotators || !(*rows)->items)
        return sl_fail(err, SL_ERR_INPUT, "%s: expected one row per item, with the item's name",
                       path);
    const struct sl_class_list classes = {"the study", study->classes, study->n_classes};
    SL_TRY(sl_rows_reorder(*rows, path, &classes, err));
    SL_TRY(sl_rows_check_distributions(*rows, path, err));
    uint32_t number = 0;
    for (size_t i = 0; i < (*rows)->n_rows; i++)
        SL_TRY(
            sl_name_table_add(names, (*rows)->items[i], strlen((*rows)->items[i]), &number, err));
    return SL_OK;
}

static enum sl_status gather_items(struct sl_sim_world *world, struct sl_store *store,
                                   const struct sl_rows *rows, struct sl_name_table *row_names,
                                   struct sl_error *err)
{
    struct sl_stimuli stimuli = {0};
    SL_TRY(sl_stimuli_read(store, &stimuli, err));
    world->n_items = stimuli.count;
    world->truth =
        sl_data_zeroed(stimuli.count * world->study->n_classes, sizeof *world->truth, err);
    world->share = sl_data_zeroed(stimuli.count, sizeof *world->share, err);
    world->sight_of = sl_data_zeroed(stimuli.count, sizeof *world->sight_of, err);
    world->names = sl_data_zeroed(stimuli.count, sizeof *world->names, err);
    struct gathering gathering = {world, &stimuli, rows, row_names, err, 0};
    enum sl_status status = world->truth && world->share && world->sight_of && world->names
                                ? sl_store_each_item(store, take_item, &gathering, err)
                                : SL_ERR_NOMEM;
    sl_stimuli_release(&stimuli);
    if (status == SL_OK && rows && gathering.n_found == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "the label file has none of the study's items; give one that does");
    return status;
}

static enum sl_status note_session(const struct sl_store_row *row, void *context)
{
    int64_t *last = context;
    if (row->session->id > *last) *last = row->session->id;
    return SL_OK;
}

enum sl_status sl_sim_world_read(const char *folder, const char *truth, struct sl_sim_world *out,
                                 struct sl_error *err)
{
    struct sl_sim_world world = {0};
    struct sl_store *store = NULL;
    struct sl_rows *rows = NULL;
    char *beside = NULL;
    if (!folder && truth)
        return sl_fail(err, SL_ERR_USAGE,
                       "a label file needs the study's folder, which says which label belongs to "
                       "which image");
    *out = world;
    if (!folder) return SL_OK;
    struct sl_name_table *row_names = sl_name_table_create();
    world.sights = sl_name_table_create();
    enum sl_status status;
    SL_TRY_OUT(sl_study_read(folder, &world.study, err));
    SL_TRY_OUT(sl_study_store(world.study, true, &store, err));
    status = sl_links_read(store, &world.links, err);
    if (status != SL_OK && status != SL_ERR_NOT_FOUND) goto out; /* no key: it was never served */
    SL_TRY_OUT(sl_store_each_session(store, note_session, &world.last_session, err));
    beside = sl_path_join(folder, SL_STUDY_TRUTH_FILE);
    if (!truth && sl_file_exists(beside)) truth = beside;
    if (truth) SL_TRY_OUT(read_rows(truth, world.study, &rows, row_names, err));
    SL_TRY_OUT(gather_items(&world, store, rows, row_names, err));
    *out = world;
    world = (struct sl_sim_world){0};
out:
    sl_sim_world_release(&world);
    free(beside);
    sl_rows_destroy(rows);
    sl_name_table_destroy(row_names);
    sl_store_close(store);
    return status;
}

void sl_sim_world_release(struct sl_sim_world *world)
{
    sl_study_destroy(world->study);
    sl_name_table_destroy(world->sights);
    for (size_t i = 0; i < world->n_read; i++)
        free(world->names[i]);
    free(world->names);
    free(world->truth);
    free(world->share);
    free(world->sight_of);
    sl_simulator_destroy(world->model);
    free(world->likeness);
    *world = (struct sl_sim_world){0};
}

/* ---- A fitted model of people ---- */

/* Classes are alike to the degree that the items' truths mix them. */
static float *measure_likeness(const struct sl_sim_world *world)
{
    size_t n_classes = world->study->n_classes;
    float *likeness = sl_alloc(n_classes * n_classes, sizeof *likeness);
    for (size_t i = 0; i < world->n_read; i++) {
        const double *row = &world->truth[world->sight_of[i] * n_classes];
        for (size_t a = 0; a < n_classes; a++)
            for (size_t b = 0; b < n_classes; b++)
                likeness[a * n_classes + b] += (float)(row[a] * row[b]);
    }
    return likeness;
}

enum sl_status sl_sim_world_model(struct sl_sim_world *world, const char *path,
                                  struct sl_error *err)
{
    struct sl_json json;
    if (!world->study)
        return sl_fail(err, SL_ERR_USAGE,
                       "a model of people needs the study's folder, which knows the truth about "
                       "the items");
    SL_TRY(sl_json_read(path, MODEL_BYTES, &json, err));
    enum sl_status status = sl_simulator_from_json(&json, &world->model, err);
    sl_json_release(&json);
    if (status != SL_OK) return status;
    if (world->model->n_classes != world->study->n_classes)
        return sl_fail(err, SL_ERR_INPUT, "%s has %zu class%s, but the study has %zu", path,
                       world->model->n_classes, sl_text_plural(world->model->n_classes, "", "es"),
                       world->study->n_classes);
    world->likeness = measure_likeness(world);
    return SL_OK;
}

/* ---- Beliefs ---- */

uint64_t sl_sim_text_number(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/* A card says which class to choose. */
static bool obey(const struct sl_sim_sight *sight, double *out)
{
    const char *wanted = json_string_value(json_object_get(sight->item, "instructed"));
    for (size_t k = 0; wanted && k < sight->n_classes; k++) {
        const char *name = json_string_value(json_array_get(sight->classes, k));
        out[k] = name && strcmp(name, wanted) == 0;
    }
    return wanted != NULL;
}

/* Without the study's folder: a peaked distribution derived from the item and the classes' names,
 * so that all people agree whatever the order on their page. */
static void imagine(const char *seen, const struct sl_sim_sight *sight, double *out)
{
    double sum = 0;
    for (size_t k = 0; k < sight->n_classes; k++) {
        const char *name = json_string_value(json_array_get(sight->classes, k));
        struct sl_rng rng;
        sl_rng_init(&rng, sl_sim_text_number(seen), "simulate.imagine", 0,
                    sl_sim_text_number(name ? name : ""));
        out[k] = pow(sl_rng_uniform(&rng), 12) + LEAST;
        sum += out[k];
    }
    for (size_t k = 0; k < sight->n_classes; k++)
        out[k] /= sum;
}

static void remember(const struct sl_sim_world *world, uint32_t item,
                     const struct sl_sim_sight *sight, double *out)
{
    const double *row = &world->truth[item * world->study->n_classes];
    for (size_t k = 0; k < sight->n_classes; k++) {
        const char *name = json_string_value(json_array_get(sight->classes, k));
        size_t number = name ? class_number(world->study, name) : world->study->n_classes;
        out[k] = number < world->study->n_classes ? row[number] : 0;
    }
}

/* Draws from a Dirichlet around `values` with concentration 1 / noise. */
static void disturb(double *values, size_t count, double noise, struct sl_rng *rng)
{
    double sum = 0;
    if (!(noise > 0)) return;
    for (size_t k = 0; k < count; k++) {
        values[k] = sl_rng_gamma(rng, fmax(values[k], LEAST) / noise);
        sum += values[k];
    }
    for (size_t k = 0; k < count; k++)
        values[k] = sum > 0 ? values[k] / sum : 1 / (double)count;
}

static double disturb_share(double share, double noise, struct sl_rng *rng)
{
    double inner = fmin(fmax(share, .001), .999);
    return noise > 0 ? sl_rng_beta(rng, inner / noise, (1 - inner) / noise) : share;
}

/* One label drawn from the fitted model, in the page's order; if the model cannot draw one, the
 * belief is drawn as without a model. */
static void ask_model(const struct sl_sim_world *world, uint32_t item,
                      const struct sl_sim_sight *sight, struct sl_rng *rng, double *out)
{
    const struct sl_study *study = world->study;
    struct sl_rows truth = {.n_rows = 1,
                            .n_classes = study->n_classes,
                            .values = sl_alloc(study->n_classes, sizeof *truth.values)};
    const struct sl_simulate_options options = {.annotators = 1, .seed = sl_rng_next(rng)};
    struct sl_rows *drawn = NULL;
    for (size_t k = 0; k < study->n_classes; k++)
        truth.values[k] = (float)world->truth[item * study->n_classes + k];
    if (sl_simulate(world->model, &truth, world->likeness, &options, &drawn, NULL) == SL_OK)
        for (size_t k = 0; k < sight->n_classes; k++) {
            const char *name = json_string_value(json_array_get(sight->classes, k));
            size_t number = name ? class_number(study, name) : study->n_classes;
            out[k] = number < study->n_classes ? (double)drawn->values[number] : 0;
        }
    sl_rows_destroy(drawn);
    free(truth.values);
}

uint32_t sl_sim_world_find(const struct sl_sim_world *world, const json_t *item)
{
    if (!world->study) return SL_NO_NAME;
    char *seen = sight_text(item);
    const uint32_t number = sl_name_table_find(world->sights, seen, strlen(seen));
    free(seen);
    return number;
}

void sl_sim_believe(const struct sl_sim_world *world, const struct sl_sim_sight *sight,
                    const struct sl_sim_draw *draw, struct sl_sim_belief *out)
{
    char *seen = sight_text(sight->item);
    uint32_t item = sl_sim_world_find(world, sight->item);
    struct sl_rng meeting, trial;
    sl_rng_init(&meeting, draw->seed, "simulate.belief", draw->person, sl_sim_text_number(seen));
    sl_rng_init(&trial, draw->seed, "simulate.trial", draw->person, draw->trial);
    out->share = .5;
    if (item == SL_NO_NAME) {
        imagine(seen, sight, out->classes);
    } else {
        remember(world, item, sight, out->classes);
        out->share = world->share[item];
    }
    free(seen);
    if (obey(sight, out->classes)) return;
    if (item != SL_NO_NAME && world->model)
        ask_model(world, item, sight, &meeting, out->classes);
    else
        disturb(out->classes, sight->n_classes, draw->noise, &meeting);
    disturb(out->classes, sight->n_classes, draw->noise * TRIAL_NOISE, &trial);
    out->share = disturb_share(out->share, draw->noise, &meeting);
    out->share = disturb_share(out->share, draw->noise * TRIAL_NOISE, &trial);
}
