#include <math.h>
#include <stdlib.h>

#include "cmd.h"
#include "softlab/label/simulate.h"

struct simulate_values {
    const char *fit;
    const char *parameters;
    const char *reference;
    const char *vectors;
    const char *output;
    const char *save;
    double threshold;
    int64_t annotators;
    int64_t seed;
    bool as_released;
    bool json;
};

#define FIELD(name) .offset = offsetof(struct simulate_values, name)

static const struct sl_field_row simulate_options[] = {
    {"fit", SL_FIELD_PATH, FIELD(fit), "soft answers to fit the model to", .value = "ANSWERS"},
    {"parameters", SL_FIELD_PATH, FIELD(parameters), "a model that was fitted and saved before",
     .value = "FILE.json"},
    {"reference", SL_FIELD_PATH, FIELD(reference),
     "distributions that hard labels are drawn from and entropies taken from (CIFAR-10H)",
     .letter = 'r', .value = "LABELS"},
    {"vectors", SL_FIELD_PATH, FIELD(vectors),
     "word vectors in GloVe's text form, to rank the classes"},
    {"output", SL_FIELD_OUTPUT, FIELD(output), "simulated labels, one row per row of the reference",
     .letter = 'o', .suffixes = ".csv .npz .npy .json", .prints = "fit"},
    {"save", SL_FIELD_OUTPUT, FIELD(save), "write the fitted model", .value = "FILE.json",
     .suffixes = ".json", .prints = "fit", .needs = "fit"},
    {"threshold", SL_FIELD_NUMBER, FIELD(threshold),
     "entropy in nats from which an item counts as high", .value = "H", .fallback = "0.25",
     .minimum = 0, .maximum = 100, .needs = "fit"},
    {"annotators", SL_FIELD_INTEGER, FIELD(annotators), "simulated answers averaged per item",
     .letter = 'a', .value = "M", .fallback = "1", .minimum = 1, .maximum = 1e6},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "of the draws", .fallback = "1", .minimum = 0,
     .maximum = 9e15},
    {"as-released", SL_FIELD_BOOLEAN, FIELD(as_released), "fit to repeats and second runs too",
     .needs = "fit"},
    {"json", SL_FIELD_BOOLEAN, FIELD(json), "the report as JSON", .needs = "fit"},
    {.name = NULL},
};

static const char *const part_names[SL_SIMULATOR_PARTS] = {"low", "high"};

static enum sl_status load_model(const struct simulate_values *values, struct sl_answers *answers,
                                 const struct sl_rows *reference, struct sl_simulator **out,
                                 struct sl_error *err)
{
    unsigned keep = 0;
    if (answers) {
        SL_TRY(sl_keep_as_released(values->fit, answers, values->as_released, &keep, err));
        return sl_simulator_fit(answers, reference, values->threshold, keep, out, err);
    }
    struct sl_json json;
    SL_TRY(sl_json_read(values->parameters, 1 << 24, &json, err));
    enum sl_status status = sl_simulator_from_json(&json, out, err);
    sl_json_release(&json);
    return status;
}

static void print_fit(const struct sl_simulation_fit *fit)
{
    struct cli_table table;
    cli_table_init(&table, "llrrr");
    cli_table_add(&table, "entropy", "statistic", "real", "simulated", "Wasserstein");
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++) {
            char cells[3][32];
            snprintf(cells[0], sizeof cells[0], "%.3f", fit[p].real_mean[s]);
            snprintf(cells[1], sizeof cells[0], "%.3f", fit[p].simulated_mean[s]);
            snprintf(cells[2], sizeof cells[0], "%.3f", fit[p].wasserstein[s]);
            cli_table_add(&table, part_names[p], sl_simulation_statistic_names[s], cells[0],
                          cells[1], cells[2]);
        }
    }
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static json_t *fit_json(const struct cli *cli, const struct sl_simulation_fit *fit)
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
        json_object_set_new(result, part_names[p], part);
    }
    json_object_set_new(result, "provenance", cli_provenance(cli));
    return result;
}

/* How close the simulated labels are to those of the answers, built as the thesis did. */
static enum sl_status report(const struct cli *cli, const struct simulate_values *values,
                             const struct sl_answers *answers, const struct sl_rows *simulated,
                             const struct sl_rows *reference, struct sl_error *err)
{
    struct sl_label_options options = sl_label_options_default();
    struct sl_label_notes notes = {0};
    options.per_annotator = values->annotators == 1;
    options.annotators = options.per_annotator ? 0 : (size_t)values->annotators;
    options.seed = (uint64_t)values->seed;
    options.notes = &notes;
    struct sl_rows *real = NULL;
    struct sl_simulation_fit fit[SL_SIMULATOR_PARTS];
    SL_TRY(sl_labels_build(sl_label_method_find("t2-clamp"), answers, &options, &real, err));
    enum sl_status status =
        sl_simulation_measure(real, simulated, reference, values->threshold, fit, err);
    sl_rows_destroy(real);
    if (status != SL_OK) return status;
    if (!values->json) {
        print_fit(fit);
        return SL_OK;
    }
    json_t *value = fit_json(cli, fit);
    status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static enum sl_status check_values(const struct simulate_values *values, struct sl_error *err)
{
    if (!values->fit == !values->parameters)
        return sl_fail(err, SL_ERR_USAGE, "one of --fit and --parameters is needed");
    if (!values->reference) return sl_fail(err, SL_ERR_USAGE, "--reference is missing: LABELS");
    if (!values->vectors) return sl_fail(err, SL_ERR_USAGE, "--vectors is missing: FILE");
    if (!values->output && !values->save)
        return sl_fail(err, SL_ERR_USAGE, "nothing to do without --output or --save");
    return SL_OK;
}

static enum sl_status save_model(const struct sl_simulator *simulator, const char *path,
                                 struct sl_error *err)
{
    json_t *json = sl_simulator_to_json(simulator);
    enum sl_status status = sl_json_write(json, path, err);
    json_decref(json);
    return status;
}

/* Beside answers, in the order of their classes and with the names of their items, since
 * similarities are those of the answers' classes. */
static enum sl_status read_reference(const struct cli *cli, const char *path,
                                     const struct sl_answers *answers, struct sl_rows **out,
                                     struct sl_error *err)
{
    if (!answers) return sl_rows_read_like(&cli->workplace, path, "labels", NULL, out, err);
    const struct sl_known_names names = sl_known_names_of(answers);
    enum sl_row_matching matching = SL_ROWS_BY_NUMBER;
    SL_TRY(sl_rows_read_like(&cli->workplace, path, "labels", &names, out, err));
    struct sl_rows *rows = *out;
    if (rows->items) return SL_OK;
    SL_TRY(sl_match_rows(path, "rows", rows->n_rows, names.items, &matching, err));
    if (matching == SL_ROWS_BY_NUMBER) return SL_OK;
    rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t i = 0; i < rows->n_rows; i++)
        rows->items[i] = sl_string_copy(sl_name_table_get(names.items, (uint32_t)i, NULL));
    return SL_OK;
}

static enum sl_status run_simulate(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct simulate_values *options = values;
    SL_TRY(check_values(options, err));
    struct sl_import_notes notes = {.log = &cli->log};
    struct sl_answers *answers = NULL;
    struct sl_rows *reference = NULL, *simulated = NULL;
    struct sl_simulator *simulator = NULL;
    float *similarity = NULL;
    static const char *const without[] = {"json", NULL};
    char *provenance = cli_rows_provenance(cli, options->output, without);
    enum sl_status status = SL_OK;
    if (options->fit) SL_TRY_OUT(sl_answers_read(options->fit, &answers, &notes, err));
    SL_TRY_OUT(read_reference(cli, options->reference, answers, &reference, err));
    char **classes = answers ? answers->classes : reference->classes;
    if (!classes) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: names no classes, which word vectors need",
                         options->reference);
        goto out;
    }
    SL_TRY_OUT(sl_similarity_read(options->vectors, (const char *const *)classes,
                                  reference->n_classes, &similarity, err));
    SL_TRY_OUT(load_model(options, answers, reference, &simulator, err));
    if (options->save) SL_TRY_OUT(save_model(simulator, options->save, err));
    SL_TRY_OUT(sl_simulate(simulator, reference, similarity, (size_t)options->annotators,
                           (uint64_t)options->seed, &simulated, err));
    if (answers) SL_TRY_OUT(report(cli, options, answers, simulated, reference, err));
    if (options->output) {
        simulated->provenance = provenance;
        provenance = NULL;
        SL_TRY_OUT(sl_rows_write(simulated, "labels", options->output, err));
    }
out:
    free(similarity);
    free(provenance);
    sl_simulator_destroy(simulator);
    sl_rows_destroy(simulated);
    sl_rows_destroy(reference);
    sl_answers_destroy(answers);
    return status;
}

static const struct cli_example simulate_examples[] = {
    {"softlab simulate-labels --fit answers.jsonl -r cifar10h-probs.npy --vectors glove.txt --save "
     "model.json -o simulated.npz",
     "soft labels for all of CIFAR-10H's images, as CIFAR-10S's annotators might have given them"},
    {NULL, NULL},
};

const struct cli_command cmd_simulate_labels = {
    .name = "simulate-labels",
    .also = "generate synthesise synthesize",
    .group = "label",
    .summary = "soft labels drawn from a model of human ones",
    .description =
        "The simulator of the thesis, appendix B.5: a hard label is drawn from the reference, its "
        "probability and the second's from Betas, the number of possible classes from a histogram, "
        "all fitted to real answers apart for items of high and low entropy; other classes are "
        "ranked by word similarity. With --fit it also prints how close the simulated labels are.",
    .options = simulate_options,
    .examples = simulate_examples,
    .values_size = sizeof(struct simulate_values),
    .run = run_simulate,
};
