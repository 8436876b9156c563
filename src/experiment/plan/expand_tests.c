/* The tests of a run, as one file for softlab eval --tests. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/prepare/prepare.h"
#include "softlab/base/memory.h"
#include "softlab/dataset/corruption.h"
#include "softlab/eval.h"
#include "softlab/eval/attack.h"

enum { GALLERY = 4, HELD_OUT = 100 /* approximate number of held-out items */ };

/* The job of a test's labels; SL_NO_JOB for hard labels. */
static size_t labels_of(struct sl_planner *planner, const struct sl_training_choice *choice,
                        const struct sl_spec_test *test)
{
    const char *name = test->labels;
    if (name && strcmp(name, SL_DEV_LABELS) == 0) return sl_expand_dev_labels(planner, choice);
    return sl_expand_reference(planner, name, choice->seed);
}

void sl_run_add_scores(struct sl_run *run, size_t job)
{
    run->scores = sl_resize(run->scores, run->n_scores + 1, sizeof *run->scores);
    run->scores[run->n_scores++] = job;
}

/* The measures of a test. If accuracy is against the true classes, the metric has another name,
 * which run->renamed maps back. */
static json_t *metrics_of(const char *name, const struct sl_spec_test *test, struct sl_run *run)
{
    const bool gold = test->truth && strcmp(test->truth, "gold") == 0;
    json_t *metrics = json_array();
    for (size_t i = 0; i < test->metrics.count; i++) {
        const char *metric = test->metrics.items[i];
        const bool rename = gold && strcmp(metric, "accuracy") == 0;
        if (rename) {
            char *from = sl_string_printf("%s/accuracy_hard", name);
            char *to = sl_string_printf("%s/accuracy", name);
            if (!run->renamed) run->renamed = json_object();
            json_object_set_new(run->renamed, from, json_string(to));
            free(from);
            free(to);
        }
        if (sl_metric_find(metric))
            json_array_append_new(metrics, json_string(rename ? "accuracy_hard" : metric));
    }
    return metrics;
}

/* ---- Settings ---- */

static bool asks_for(const struct sl_spec_test *test, const char *beginning)
{
    for (size_t i = 0; i < test->metrics.count; i++)
        if (strncmp(test->metrics.items[i], beginning, strlen(beginning)) == 0) return true;
    return false;
}

static const struct sl_spec_measuring *measuring_of(const struct sl_spec_test *test)
{
    static const struct sl_spec_measuring none;
    return test->settings ? test->settings : &none;
}

/* True if attacks use hard labels: the test's labels are hard, or the authors' code used hard ones.
 */
static bool attacks_by_hard(const struct sl_planner *planner, const struct sl_spec_test *test)
{
    const char *as_run = measuring_of(test)->attack_labels;
    return !test->labels || strcmp(test->labels, "hard") == 0 ||
           (as_run && strcmp(as_run, "hard") == 0 && !planner->options->as_published);
}

static void set_attacks(const struct sl_planner *planner, json_t *out,
                        const struct sl_spec_test *test)
{
    static const char *const kinds[] = {"fgsm", "pgd"};
    const char *paper = measuring_of(test)->attack;
    json_t *attacks = json_array();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!asks_for(test, kinds[i])) continue;
        char *name = paper ? sl_string_printf("%s-%s", kinds[i], paper) : sl_string_copy(kinds[i]);
        json_array_append_new(attacks, json_string(name));
        free(name);
    }
    if (json_array_size(attacks) > 0) {
        const bool hard = attacks_by_hard(planner, test);
        const int64_t items = measuring_of(test)->attack_items;
        json_object_set(out, "attacks", attacks);
        json_object_set_new(out, "attack_labels", json_string(hard ? "hard" : "soft"));
        if (items > 0) json_object_set_new(out, "attack_items", json_integer(items));
    }
    json_decref(attacks);
}

static void set_settings(const struct sl_planner *planner, json_t *out,
                         const struct sl_spec_test *test)
{
    const json_int_t bin = measuring_of(test)->calibration_bin;
    const json_int_t severity = measuring_of(test)->corruption_severity;
    set_attacks(planner, out, test);
    if (bin > 0) json_object_set_new(out, "bin_size", json_integer(bin));
    if (asks_for(test, "corruption"))
        json_object_set_new(out, "corruptions",
                            severity > 0 ? json_pack("{s:[I]}", "severities", severity)
                                         : json_object());
}

/* Read images as the training does. */
static void set_images(const struct sl_spec_design *design, json_t *out)
{
    json_t *written = sl_fields_write(&sl_spec_image_fields, design);
    json_object_update(out, written);
    json_decref(written);
}

/* ---- Items ---- */

/* The names of held-out items: a built-in list, or the lines of a file. */
static json_t *held_out(const struct sl_planner *planner, const char *name)
{
    const struct sl_preparation preparation = {.roots = planner->options->roots};
    const char *const *known = name ? sl_recipe_holdout(name) : NULL;
    struct sl_name_table *names = NULL;
    json_t *list = json_array();
    for (; known && *known; known++)
        json_array_append_new(list, json_string(*known));
    if (!name || sl_recipe_holdout(name) || !preparation.roots ||
        sl_prepare_names(&preparation, name, &names, NULL) != SL_OK)
        return list; /* the training reports a missing file */
    for (uint32_t i = 0; i < sl_name_table_count(names); i++)
        json_array_append_new(list, json_string(sl_name_table_get(names, i, NULL)));
    sl_name_table_destroy(names);
    return list;
}

static void set_holdout(struct sl_planner *planner, const char *data, int64_t seed, json_t *out,
                        struct sl_needs *needs)
{
    const size_t drawn =
        planner->options->as_published ? sl_expand_holdout(planner, seed) : SL_NO_JOB;
    if (drawn != SL_NO_JOB) {
        const size_t named = sl_expand_named(planner, data, drawn);
        sl_needs_add(needs, named);
        json_object_set_new(out, "split", json_string(planner->plan->jobs[named].output));
        return;
    }
    json_object_set_new(out, "items", held_out(planner, planner->design->holdout));
}

static bool is_of_holdout(const struct sl_spec_test *test)
{
    return test->split && strcmp(test->split, "holdout") == 0;
}

static struct sl_item_choice choose_items(const struct sl_planner *planner,
                                          const struct sl_training_choice *choice,
                                          const struct sl_spec_test *test, const char *data)
{
    const char *split = test->split;
    const bool fold = split && strcmp(split, "fold") == 0;
    return (struct sl_item_choice){
        .data = data,
        .split = fold ? NULL : split,
        .only = test->only,
        .folds = fold ? planner->design->folds : 0,
        .fold = fold ? choice->fold : 0,
        .held_out = fold,
        .first = planner->design->test_items,
        .seed = split && strcmp(split, "rest") == 0 ? choice->seed : test->seed,
    };
}

static void set_items(struct sl_planner *planner, const struct sl_training_choice *choice,
                      const struct sl_spec_test *test, const char *data, json_t *out,
                      struct sl_needs *needs)
{
    if (is_of_holdout(test)) {
        set_holdout(planner, data, choice->seed, out, needs);
        return;
    }
    const struct sl_item_choice items = choose_items(planner, choice, test, data);
    char *path = sl_expand_items(planner, &items, needs);
    if (path) json_object_set_new(out, "split", json_string(path));
    free(path);
}

/* ---- Tests ---- */

static void absent(struct sl_run *run, const char *name, const struct sl_spec_test *test,
                   const char *reason)
{
    if (!run->absent) run->absent = json_object();
    run->n_lacking += !test->missing && !json_object_get(run->absent, name);
    json_object_set_new(run->absent, name, json_string(reason));
}

/* True if the data of a test are missing; *err says why. */
static bool lacks_data(struct sl_planner *planner, const struct sl_spec_test *test,
                       const char *data, struct sl_error *err)
{
    struct sl_plan_set set;
    if (test->missing) {
        (void)sl_fail(err, SL_ERR_NOT_FOUND, "%s", test->missing);
        return true;
    }
    return planner->options->roots && (sl_plan_data(planner, data, &set, err) != SL_OK ||
                                       sl_plan_lacks_size(planner, data, err));
}

/* ---- Work ---- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t count_items(struct sl_planner *planner, const struct sl_training_choice *choice,
                          const struct sl_spec_test *test, const char *data)
{
    size_t count = 0;
    if (is_of_holdout(test)) return HELD_OUT;
    const struct sl_item_choice items = choose_items(planner, choice, test, data);
    return sl_expand_count(planner, &items, &count, NULL) == SL_OK ? count : 0;
}

/* Add the work of scoring a test, given as softlab eval reads it. */
static void add_work(struct sl_planner *planner, const json_t *test, size_t n_items,
                     struct sl_work *work)
{
    struct sl_plan_set set;
    const json_t *attacks = json_object_get(test, "attacks"), *kinds;
    const size_t wanted = (size_t)json_integer_value(json_object_get(test, "attack_items"));
    const double n_attacked = (double)(wanted > 0 ? smaller(wanted, n_items) : n_items);
    work->predicted += (double)n_items;
    if (sl_plan_data(planner, sl_plan_text(test, "data"), &set, NULL) == SL_OK)
        work->seconds += set.seconds;
    for (size_t i = 0; i < json_array_size(attacks); i++) {
        const struct sl_attack_preset *preset =
            sl_attack_preset_find(json_string_value(json_array_get(attacks, i)));
        if (!preset) continue;
        /* Besides its steps, an attack predicts the clean images once and the attacked images once
         * per restart. */
        const size_t restarts = preset->options.restarts > 0 ? preset->options.restarts : 1;
        work->attacked += n_attacked * (double)(restarts * preset->options.iterations);
        work->predicted += n_attacked * (double)(restarts + 1);
    }
    kinds = json_object_get(test, "corruptions");
    if (!kinds) return;
    const json_t *severities = json_object_get(kinds, "severities");
    const double n_sets = severities ? (double)json_array_size(severities) : 1;
    size_t n_kinds = 0;
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++)
        n_kinds += !c->extra;
    work->corrupted += (double)(n_items * n_kinds) * n_sets;
    work->predicted += (double)(n_items * n_kinds) * n_sets;
}

/* The tests of a run, collected. */
struct gathering {
    struct sl_planner *planner;
    const struct sl_training_choice *choice;
    struct sl_run *run;
    json_t *tests; /* owned; tests that can be scored here */
    json_t *asked; /* owned; all tests, for the key, which must not depend on which data are here */
    struct sl_work work;
    struct sl_needs needs;
};

/* The test as softlab eval reads it. */
static json_t *describe(struct gathering *gathering, const char *key, const char *data,
                        const struct sl_spec_test *test, struct sl_needs *needs)
{
    struct sl_planner *planner = gathering->planner;
    const struct sl_training_choice *choice = gathering->choice;
    json_t *out = json_pack("{s:s}", "data", data);
    set_images(planner->design, out);
    set_items(planner, choice, test, data, out, needs);
    const size_t labels = labels_of(planner, choice, test);
    sl_needs_add(needs, labels);
    json_object_set_new(
        out, "labels",
        json_string(labels == SL_NO_JOB ? "hard" : planner->plan->jobs[labels].output));
    json_object_set_new(out, "metrics", metrics_of(key, test, gathering->run));
    set_settings(planner, out, test);
    if (choice->seed == 1 && labels != SL_NO_JOB && choice->fold < 0)
        json_object_set_new(out, "gallery", json_integer(GALLERY));
    return out;
}

/* `key` is the test's name, followed by #i for each of several joined data sets. */
static void add_test(struct gathering *gathering, const char *name, const char *key,
                     const char *data, const struct sl_spec_test *test)
{
    struct sl_planner *planner = gathering->planner;
    struct sl_error err;
    if (!data) {
        absent(gathering->run, name, test,
               test->missing ? test->missing : "the test has no \"data\"");
        return;
    }
    struct sl_needs needs = {0};
    json_t *out = describe(gathering, key, data, test, &needs);
    json_object_set(gathering->asked, key, out);
    if (lacks_data(planner, test, data, &err)) absent(gathering->run, name, test, err.message);
    for (size_t i = 0; i < needs.count; i++)
        if (planner->plan->jobs[needs.jobs[i]].missing)
            absent(gathering->run, name, test, planner->plan->jobs[needs.jobs[i]].missing);
    if (!json_object_get(gathering->run->absent, name)) {
        json_object_set(gathering->tests, key, out);
        if (planner->options->roots)
            add_work(planner, out, count_items(planner, gathering->choice, test, data),
                     &gathering->work);
        for (size_t i = 0; i < needs.count; i++)
            sl_needs_add(&gathering->needs, needs.jobs[i]);
    }
    json_decref(out);
}

static void add_tests(struct gathering *gathering, const char *name,
                      const struct sl_spec_test *test)
{
    if (!test->joined.items) {
        add_test(gathering, name, name, test->data, test);
        return;
    }
    /* If one of the joined sets is missing, the whole test is absent: a mean over the rest would
     * mislead. */
    for (size_t i = 0; i < test->joined.count; i++) {
        struct sl_error err;
        if (lacks_data(gathering->planner, test, test->joined.items[i], &err))
            absent(gathering->run, name, test, err.message);
    }
    for (size_t i = 0; i < test->joined.count; i++) {
        char *key = sl_string_printf("%s#%zu", name, i + 1);
        add_test(gathering, name, key, test->joined.items[i], test);
        free(key);
    }
}

static json_t *step_of(const struct sl_job *training, json_t *tests)
{
    const size_t length = strlen(training->output) - strlen("/weights.safetensors");
    char *folder = sl_string_copy_n(training->output, length);
    json_t *step = json_pack("{s:[s, s], s:b, s:O, s:O}", "command", "eval", folder, "stdout", 1,
                             "tests", tests, "training", training->step);
    free(folder);
    return step;
}

/* The gallery does not affect scores, so the record leaves it out. */
static json_t *record_of(struct sl_planner *planner, size_t training, json_t *tests)
{
    json_t *scored = sl_identity_of_value(planner, "", tests), *test;
    const char *name;
    json_object_foreach(scored, name, test)
    {
        json_object_del(test, "gallery");
    }
    return json_pack("{s:o, s:o}", "training",
                     sl_identity_of_text(planner, planner->plan->jobs[training].output), "tests",
                     scored);
}

static char *describe_lack(const struct sl_run *run)
{
    const char *test = json_object_iter_key(json_object_iter(run->absent));
    return sl_string_printf("none of its tests can be scored here%s%s%s%s",
                            test ? "; the first, " : "", test ? test : "", test ? ": " : "",
                            test ? sl_plan_text(run->absent, test) : "");
}

bool sl_expand_tests(struct sl_planner *planner, const struct sl_training_choice *choice,
                     size_t training, struct sl_run *run)
{
    struct gathering gathering = {.planner = planner,
                                  .choice = choice,
                                  .run = run,
                                  .tests = json_object(),
                                  .asked = json_object()};
    const struct sl_spec_tests *tests = &planner->design->tests;
    const bool some = tests->count > 0 && training != SL_NO_JOB;
    for (size_t i = 0; some && i < tests->count; i++)
        add_tests(&gathering, tests->names[i], &tests->items[i]);
    if (some) {
        sl_needs_add(&gathering.needs, training);
        sl_identity_key("scores", record_of(planner, training, gathering.asked), run->key);
        const char *missing = planner->plan->jobs[training].missing;
        if (missing)
            run->missing = sl_string_copy(missing);
        else if (json_object_size(gathering.tests) == 0)
            run->missing = describe_lack(run);
        json_t *step = step_of(&planner->plan->jobs[training], gathering.tests);
        char *title = sl_string_printf("scoring %s", run->title);
        const size_t job =
            sl_plan_add_job(planner, step, record_of(planner, training, gathering.tests),
                            ".scores.json", &gathering.needs, title);
        struct sl_job *scores = &planner->plan->jobs[job];
        scores->work = gathering.work;
        scores->n_classes = planner->plan->jobs[training].n_classes;
        memcpy(scores->shape, planner->plan->jobs[training].shape, sizeof scores->shape);
        sl_run_add_scores(run, job);
        free(title);
    }
    json_decref(gathering.tests);
    json_decref(gathering.asked);
    return some;
}
