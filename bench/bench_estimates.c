/* Compares the time that --dry-run predicts with the time that a run takes: one short run of every
 * recipe, as softlab run makes it, in core-seconds. bench_estimates [RECIPE...] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "softlab/base.h"
#include "softlab/experiment.h"
#include "softlab/train.h"

enum {
    FIRST_ITEMS = 200,
    LEAST_ITEMS = 8,
    SCORED = 30,
    ANSWERS = 5,
    CROWD = 100,
    MOST_EPOCHS = 200
};
static const double run_seconds = 8; /* that a run should take */
static const double limit = 1.5;

struct bench {
    struct sl_data_roots roots;
    struct sl_estimator *estimator;
    char folder[64];
    size_t n_over;
};

/* What a recipe's network reads. */
struct reading {
    const char *network, *data;
    bool crowd, images;
};

static struct reading reading_of(const struct sl_recipe *recipe)
{
    const char *network = recipe->network[0] ? recipe->network : "resnet20";
    const bool texts = sl_network_reads_texts(network), rows = strncmp(network, "mlp", 3) == 0;
    return (struct reading){.network = network,
                            .data = texts  ? "pos:train"
                                    : rows ? "labelme:train"
                                           : "cifar10:test",
                            .crowd = strcmp(recipe->method, "crowd-layer") == 0,
                            .images = !texts && !rows};
}

/* Some annotators' answers to every item. */
static enum sl_status write_answers(const struct bench *bench, const struct reading *reading,
                                    struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    struct sl_buffer text;
    SL_TRY(sl_dataset_open(reading->data, &bench->roots, &dataset, err));
    sl_buffer_init(&text, (size_t)1 << 26);
    sl_buffer_text(&text, "item,annotator,label\n");
    for (size_t i = 0; i < dataset->count * ANSWERS; i++)
        sl_buffer_printf(&text, "%s,a%zu,%s\n", dataset->items[i / ANSWERS], i % CROWD,
                         dataset->classes[i % dataset->n_classes]);
    char *path = sl_path_join(bench->folder, "answers.csv");
    const enum sl_status status = sl_file_write(path, text.data, text.length, err);
    free(path);
    sl_buffer_release(&text);
    sl_dataset_destroy(dataset);
    return status;
}

/* A specification of one run. */
static enum sl_status write_spec(const struct bench *bench, const char *recipe,
                                 const struct reading *reading, size_t n_items, size_t n_epochs,
                                 struct sl_error *err)
{
    json_t *set = reading->crowd ? json_pack("{s:s, s:s, s:{s:b}, s:s, s:s}", "answers",
                                             "answers.jsonl", "method", "share", "options",
                                             "per-annotator", 1, "rest", "none", "draw", "each")
                                 : json_pack("{s:n}", "labels");
    json_t *metrics = json_pack("[s, s]", "accuracy", "cross_entropy");
    if (reading->images) json_array_append_new(metrics, json_string("fgsm_loss"));
    json_t *spec = json_pack(
        "{s:s, s:i, s:s, s:s, s:{s:[s, s, s, s]}, s:{s:o}, s:[s], s:s, s:{s:I}, s:s, s:s, s:I, "
        "s:i, s:[i], s:{s:{s:s, s:s, s:o}}, s:i}",
        "softlab", "experiment", "version", 1, "name", "estimate", "title", "One run", "files",
        "answers.jsonl", "import", "--from", "long-csv", "{spec}/answers.csv", "sets", "set", set,
        "networks", reading->network, "recipe", recipe, "settings", "epochs", (json_int_t)n_epochs,
        "data", reading->data, "dev", reading->data, "items", (json_int_t)n_items, "dev_items",
        SCORED, "seeds", 1, "tests", "test", "data", reading->data, "labels", "hard", "metrics",
        metrics, "test_items", SCORED);
    char *path = sl_path_join(bench->folder, "spec.json");
    char *text = json_dumps(spec, JSON_INDENT(1));
    const enum sl_status status = sl_file_write(path, text, strlen(text), err);
    json_decref(spec);
    free(path);
    free(text);
    return status;
}

static enum sl_status plan(const struct bench *bench, struct sl_experiment **out,
                           struct sl_error *err)
{
    const struct sl_experiment_options options = {.roots = &bench->roots};
    struct sl_spec *spec = NULL;
    SL_TRY(sl_spec_read(bench->folder, "paper", &spec, err));
    enum sl_status status = sl_experiment_create(spec, &options, out, err);
    sl_spec_destroy(spec);
    if (status == SL_OK && (*out)->runs[0].missing) {
        status = sl_fail(err, SL_ERR_NOT_FOUND, "%s", (*out)->runs[0].missing);
        sl_experiment_destroy(*out);
    }
    return status;
}

static double children_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
           (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
}

static enum sl_status measure(const struct bench *bench, const struct sl_experiment *experiment,
                              double *seconds, struct sl_error *err)
{
    char *folder = sl_path_join(bench->folder, "results");
    const struct sl_experiment_runner runner = {
        .folder = folder, .roots = bench->roots, .n_processes = 1};
    struct sl_experiment_outcome outcome = {0};
    const double before = children_seconds();
    enum sl_status status = sl_experiment_run(experiment, &runner, &outcome, err);
    *seconds = children_seconds() - before;
    if (status == SL_OK && outcome.done != 1)
        status = sl_fail(err, SL_ERR_INPUT, "the run failed, see %s/failures.jsonl", folder);
    if (status == SL_OK) sl_folder_remove(folder);
    free(folder);
    return status;
}

/* Choose items and epochs so that a run takes about run_seconds by a first estimate. */
static enum sl_status estimate(struct bench *bench, const char *recipe,
                               const struct reading *reading, struct sl_experiment **out,
                               double *seconds, struct sl_error *err)
{
    struct sl_experiment_estimate cost = {0};
    size_t n_items = FIRST_ITEMS, n_epochs = 1;
    enum { PASSES = 3 };
    for (size_t pass = 0; pass < PASSES; pass++) {
        struct sl_experiment *experiment = NULL;
        SL_TRY(write_spec(bench, recipe, reading, n_items, n_epochs, err));
        SL_TRY(plan(bench, &experiment, err));
        enum sl_status status = sl_estimator_add(bench->estimator, experiment, NULL, &cost, err);
        if (status == SL_OK && cost.n_untimed > 0)
            status = sl_fail(err, SL_ERR_INPUT, "%s", cost.problem);
        if (status == SL_OK && pass + 1 == PASSES) {
            *out = experiment;
            *seconds = cost.seconds;
            return SL_OK;
        }
        sl_experiment_destroy(experiment);
        if (status != SL_OK) return status;
        const double wanted = (double)(n_items * n_epochs) * run_seconds / cost.seconds;
        n_items = wanted < LEAST_ITEMS ? LEAST_ITEMS : wanted > 1000 ? 1000 : (size_t)wanted;
        n_epochs =
            wanted > MOST_EPOCHS * 1000 ? MOST_EPOCHS : (size_t)ceil(wanted / (double)n_items);
    }
    return SL_OK;
}

static enum sl_status bench_recipe(struct bench *bench, const char *name, struct sl_error *err)
{
    struct sl_recipe recipe;
    struct sl_experiment *experiment = NULL;
    double expected = 0, taken = 0;
    SL_TRY(sl_recipe_read(name, "as-run", &recipe, err));
    const struct reading reading = reading_of(&recipe);
    if (reading.crowd) SL_TRY(write_answers(bench, &reading, err));
    SL_TRY(estimate(bench, name, &reading, &experiment, &expected, err));
    const enum sl_status status = measure(bench, experiment, &taken, err);
    sl_experiment_destroy(experiment);
    if (status != SL_OK) return status;
    const double ratio = expected / taken;
    const bool within = ratio <= limit && ratio >= 1 / limit;
    bench->n_over += !within;
    printf("%-48s %-29s %8.1f %8.1f %6.2f%s\n", name, reading.network, expected, taken, ratio,
           within ? "" : "  over");
    fflush(stdout);
    return SL_OK;
}

static bool is_asked(const char *name, char **asked, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(asked[i], name) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    struct bench bench = {.folder = "/tmp/softlab-estimates-XXXXXX"};
    struct sl_error err;
    if (!mkdtemp(bench.folder)) {
        perror(bench.folder);
        return 2;
    }
    char *home = sl_path_join(getenv("HOME") ? getenv("HOME") : "", ".local/share/softlab");
    const char *data_home = getenv("XDG_DATA_HOME");
    char *folder = data_home && *data_home ? sl_path_join(data_home, "softlab") : home;
    size_t n_failed = 0;
    bench.roots = (struct sl_data_roots){.given = getenv("SOFTLAB_DATA"), .folder = folder};
    bench.estimator = sl_estimator_create(&bench.roots, 1, 1);
    printf("%-48s %-29s %8s %8s %6s\n", "recipe, core-seconds of one short run", "network",
           "dry-run", "run", "ratio");
    for (const struct sl_builtin_recipe *recipe = sl_builtin_recipes; recipe->name; recipe++) {
        if (!is_asked(recipe->name, argv + 1, argc - 1)) continue;
        if (bench_recipe(&bench, recipe->name, &err) == SL_OK) continue;
        n_failed++;
        printf("%-48s %s\n", recipe->name, err.message);
    }
    printf("%zu beyond a factor of %.1f, %zu could not be run\n", bench.n_over, limit, n_failed);
    sl_estimator_destroy(bench.estimator);
    if (n_failed == 0) sl_folder_remove(bench.folder);
    if (folder != home) free(folder);
    free(home);
    return bench.n_over + n_failed > 0;
}
