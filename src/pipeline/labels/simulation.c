#include "softlab/pipeline/simulation.h"

#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/label.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/exchange.h"
#include "softlab/pipeline/files.h"

const char *const sl_simulation_part_names[SL_SIMULATOR_PARTS] = {"low", "high"};

static enum sl_status check_simulation(const struct sl_simulation_job *job,
                                       const struct sl_workplace *workplace, struct sl_error *err)
{
    if (!job->fit == !job->parameters)
        return sl_fail(err, SL_ERR_USAGE, "one of --fit and --parameters is needed");
    if (!job->reference) return sl_fail(err, SL_ERR_USAGE, "--reference is missing: LABELS");
    if (!job->vectors) return sl_fail(err, SL_ERR_USAGE, "--vectors is missing: FILE");
    if (!job->output && !job->save && !workplace->exchange)
        return sl_fail(err, SL_ERR_USAGE, "nothing to do without --output or --save");
    return SL_OK;
}

/* With answers, match the reference to their items and classes, because the class similarities are
 * in that order. */
static enum sl_status read_reference(const struct sl_workplace *workplace, const char *path,
                                     const struct sl_answers *answers, struct sl_rows **out,
                                     struct sl_error *err)
{
    if (!answers) return sl_rows_read_like(workplace, path, "labels", NULL, out, err);
    const struct sl_known_names names = sl_known_names_of(answers);
    enum sl_row_matching matching = SL_ROWS_BY_NUMBER;
    SL_TRY(sl_rows_read_like(workplace, path, "labels", &names, out, err));
    struct sl_rows *rows = *out;
    if (rows->items) return SL_OK;
    SL_TRY(sl_match_rows(path, "row", rows->n_rows, names.items, &matching, err));
    if (matching == SL_ROWS_BY_NUMBER) return SL_OK;
    rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t i = 0; i < rows->n_rows; i++)
        rows->items[i] = sl_string_copy(sl_name_table_get(names.items, (uint32_t)i, NULL));
    return SL_OK;
}

static enum sl_status make_model(const struct sl_simulation_job *job,
                                 const struct sl_answers *answers, const struct sl_rows *reference,
                                 struct sl_simulator **out, struct sl_error *err)
{
    unsigned keep = 0;
    if (answers) {
        SL_TRY(sl_keep_as_released(job->fit, answers, job->as_released, &keep, err));
        return sl_simulator_fit(answers, reference, job->threshold, keep, out, err);
    }
    struct sl_json json;
    SL_TRY(sl_json_read(job->parameters, 1 << 24, &json, err));
    enum sl_status status = sl_simulator_from_json(&json, out, err);
    sl_json_release(&json);
    return status;
}

static enum sl_status save_model(const struct sl_simulator *simulator, const char *path,
                                 struct sl_error *err)
{
    json_t *json = sl_simulator_to_json(simulator);
    enum sl_status status = sl_json_write(json, path, err);
    json_decref(json);
    return status;
}

/* Measure how close simulated labels are to those of the answers, built as in the thesis. */
static enum sl_status measure_fit(const struct sl_simulation_job *job,
                                  const struct sl_answers *answers, const struct sl_rows *simulated,
                                  const struct sl_rows *reference,
                                  struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                                  struct sl_error *err)
{
    struct sl_label_options options = sl_label_options_default();
    struct sl_label_notes notes = {0};
    options.per_annotator = job->annotators == 1;
    options.annotators = options.per_annotator ? 0 : (size_t)job->annotators;
    options.seed = job->seed;
    options.notes = &notes;
    struct sl_rows *real = NULL;
    SL_TRY(sl_labels_build(sl_label_method_find("t2-clamp"), answers, &options, &real, err));
    enum sl_status status =
        sl_simulation_measure(real, simulated, reference, job->threshold, fit, err);
    sl_rows_destroy(real);
    return status;
}

static enum sl_status write_labels(const struct sl_simulation_job *job, struct sl_rows *simulated,
                                   struct sl_error *err)
{
    if (job->provenance) simulated->provenance = sl_string_copy(job->provenance);
    return sl_rows_write(simulated, "labels", job->output, err);
}

enum sl_status sl_simulation_job_run(const struct sl_simulation_job *job,
                                     const struct sl_workplace *workplace,
                                     struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                                     struct sl_error *err)
{
    SL_TRY(check_simulation(job, workplace, err));
    struct sl_import_notes notes = {.log = workplace->log};
    struct sl_answers *answers = NULL;
    struct sl_rows *reference = NULL, *simulated = NULL;
    struct sl_simulator *simulator = NULL;
    float *similarity = NULL;
    enum sl_status status = SL_OK;
    if (job->fit) SL_TRY_OUT(sl_answers_read(job->fit, &answers, &notes, err));
    SL_TRY_OUT(read_reference(workplace, job->reference, answers, &reference, err));
    char **classes = answers ? answers->classes : reference->classes;
    if (!classes)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: names no classes, which word vectors need",
                           job->reference));
    SL_TRY_OUT(sl_similarity_read(job->vectors, (const char *const *)classes, reference->n_classes,
                                  &similarity, err));
    SL_TRY_OUT(make_model(job, answers, reference, &simulator, err));
    if (job->save) SL_TRY_OUT(save_model(simulator, job->save, err));
    const struct sl_simulate_options options = {(size_t)job->annotators, job->seed,
                                                workplace->pool};
    SL_TRY_OUT(sl_simulate(simulator, reference, similarity, &options, &simulated, err));
    if (answers) SL_TRY_OUT(measure_fit(job, answers, simulated, reference, fit, err));
    if (job->output) SL_TRY_OUT(write_labels(job, simulated, err));
    if (workplace->exchange) {
        workplace->exchange->rows = simulated;
        simulated = NULL;
    }
out:
    free(similarity);
    sl_simulator_destroy(simulator);
    sl_rows_destroy(simulated);
    sl_rows_destroy(reference);
    sl_answers_destroy(answers);
    return status;
}

json_t *sl_simulation_json(const struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                           json_t *provenance)
{
    json_t *result = json_object();
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        json_t *part = json_object();
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++)
            json_object_set_new(part, sl_simulation_statistic_names[s],
                                json_pack("{s:o, s:o, s:o}", "real",
                                          sl_json_real(fit[p].real_mean[s]), "simulated",
                                          sl_json_real(fit[p].simulated_mean[s]), "wasserstein",
                                          sl_json_real(fit[p].wasserstein[s])));
        json_object_set_new(result, sl_simulation_part_names[p], part);
    }
    if (provenance) json_object_set_new(result, "provenance", provenance);
    return result;
}
