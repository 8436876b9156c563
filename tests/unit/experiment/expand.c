#include "experiment_plans.h"

static void assert_trains_with(const struct sl_experiment *plan, const struct sl_run *run,
                               const char *part)
{
    char *words = training_words(plan, run);
    if (!strstr(words, part)) fail_msg("\"%s\" is not in: %s", part, words);
    free(words);
}

static void test_every_specification_expands_with_different_keys(void **state)
{
    (void)state;
    for (size_t s = 0; sl_builtin_specs[s]; s++) {
        struct sl_experiment *plan = expand(sl_builtin_specs[s], "quick", s % 2 == 1);
        for (size_t i = 0; i < plan->n_runs; i++) {
            assert_int_equal(strlen(plan->runs[i].key), 64);
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(plan->runs[i].key, plan->runs[j].key);
        }
        for (size_t i = 0; i < plan->n_jobs; i++)
            for (size_t j = 0; j < plan->jobs[i].n_needs; j++)
                assert_true(plan->jobs[i].needs[j] < i);
        sl_experiment_destroy(plan);
    }
}

static void test_a_table_has_sets_by_networks_by_seeds(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand("collins2022/table1", "paper", false);
    assert_int_equal(plan->n_runs, 5 * 3 * 5);
    sl_experiment_destroy(plan);
}

static void test_specifications_that_share_a_cell_share_its_key(void **state)
{
    (void)state;
    struct sl_experiment *one = expand("collins2022/table1", "quick", false);
    struct sl_experiment *two = expand("collins2022/table2", "quick", false);
    assert_string_equal(find(one, "t2-clamp", "resnet8", 1)->key,
                        find(two, "t2-clamp-mean", "resnet8", 1)->key);
    assert_string_not_equal(find(one, "t2-clamp", "resnet8", 1)->key,
                            find(two, "t2-clamp", "resnet8", 1)->key);
    assert_string_not_equal(find(one, "t2-clamp", "resnet8", 1)->key,
                            find(one, "t2-clamp", "resnet8", 2)->key);
    sl_experiment_destroy(one);
    sl_experiment_destroy(two);
}

static void test_milestones_shrink_with_the_epochs(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand("collins2022/table1", "quick", false);
    const struct sl_run *run = find(plan, "hard", "resnet8", 1);
    /* 9 of 65 epochs: 51 and 56 become 7.1 and 7.8 */
    assert_trains_with(plan, run, "--set epochs=9,milestones=7,8 ");
    assert_int_equal(plan->jobs[run->training].n_epochs, 9);
    sl_experiment_destroy(plan);
    plan = expand("collins2022/table1", "paper", false);
    run = find(plan, "hard", "resnet34a", 1);
    char *words = training_words(plan, run);
    assert_null(strstr(words, "--set"));
    free(words);
    sl_experiment_destroy(plan);
}

static void test_a_training_names_labels_and_rest(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand("collins2022/table2", "quick", false);
    const struct sl_run *run = find(plan, "t2-clamp", "resnet8", 2);
    assert_trains_with(plan, run, "--data cifar10:test --split @cifar10s/train_indices.npy ");
    assert_trains_with(plan, run, "--rest hard --holdout collins2022 ");
    assert_trains_with(plan, run, "draw=annotator");
    assert_trains_with(plan, run, "--seed 2 ");
    /* six annotators cost 6 x 5 x 6.4 s */
    assert_near(run->seconds, 192, 1e-9);
    sl_experiment_destroy(plan);
}

/* The seconds of a set of collins2022/table2 with answers of other people. */
static double seconds_of_others(json_t *stated)
{
    const struct sl_experiment_options options = {0};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    const char *path = test_path("spec.json");
    assert_ok(sl_spec_read("collins2022/table2", "quick", &spec, &err), err);
    json_t *set = json_object_get(json_object_get(spec->document.root, "sets"), "t2-clamp");
    json_object_del(set, "labels");
    json_object_set_new(set, "answers", json_string("mine.jsonl"));
    if (stated) json_object_set_new(set, "seconds", stated);
    assert_ok(sl_json_write(spec->document.root, path, &err), err);
    sl_spec_destroy(spec);
    assert_ok(sl_spec_read(path, "quick", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    const double seconds = find(plan, "t2-clamp", "resnet8", 2)->seconds;
    sl_experiment_destroy(plan);
    sl_spec_destroy(spec);
    return seconds;
}

/* The seconds that the papers state hold only for their own annotators. */
static void test_other_peoples_time_is_not_made_up(void **state)
{
    (void)state;
    assert_true(isnan(seconds_of_others(NULL)));
    assert_near(seconds_of_others(json_real(9)), 9, 0);
}

static void test_as_published_draws_the_hold_out_by_seed(void **state)
{
    (void)state;
    struct sl_experiment *run = expand("collins2022/table1", "quick", false);
    struct sl_experiment *published = expand("collins2022/table1", "quick", true);
    const struct sl_run *as_run = find(run, "hard", "resnet8", 1);
    const struct sl_run *as_published = find(published, "hard", "resnet8", 1);
    assert_string_not_equal(as_run->key, as_published->key);
    assert_trains_with(published, as_published, "--holdout cache/");
    assert_trains_with(published, as_published, "--as-published");
    sl_experiment_destroy(run);
    sl_experiment_destroy(published);
}

/* A run with these coordinates and this fold. */
static const struct sl_run *find_fold(const struct sl_experiment *plan, const char *set,
                                      const char *network, int64_t fold)
{
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct sl_run *run = &plan->runs[i];
        if (run->set && strcmp(run->set, set) == 0 && strcmp(run->network, network) == 0 &&
            run->fold == fold)
            return run;
    }
    fail_msg("no run of %s with %s and fold %d", set, network, (int)fold);
    return NULL;
}

static const json_t *tests_of(const struct sl_experiment *plan, const struct sl_run *run)
{
    return json_object_get(plan->jobs[run->scores[0]].step, "tests");
}

static void test_every_fold_is_scored_on_what_it_held_out(void **state)
{
    (void)state;
    static const char *const sets[] = {"trained", "hard", "mixup", "class", "soft", "sampled"};
    struct sl_experiment *plan = expand("peterson2019/table1", "paper", false);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        for (int64_t fold = 0; fold < 10; fold++) {
            const struct sl_run *run = find_fold(plan, sets[s], "vgg_15_BN_64", fold);
            const json_t *tests = tests_of(plan, run);
            assert_int_equal(json_object_size(tests), 4);
            const char *split = sl_plan_text(json_object_get(tests, "c10h"), "split");
            assert_non_null(split);
            const json_t *step = find_job(plan, split)->step;
            assert_int_equal(json_integer_value(json_object_get(step, "fold")), fold);
            assert_true(json_is_true(json_object_get(step, "held_out")));
            assert_null(sl_plan_text(json_object_get(tests, "v4"), "split"));
        }
    }
    /* One run per fold, and none for the whole cell. */
    size_t count = 0;
    for (size_t i = 0; i < plan->n_runs; i++)
        count += plan->runs[i].network && strcmp(plan->runs[i].network, "vgg_15_BN_64") == 0;
    assert_int_equal(count, 6 * 10);
    sl_experiment_destroy(plan);
}

/* The authors chose the epoch by CIFAR-10H when they trained on people's labels, otherwise by hard
 * labels. */
static void test_an_epoch_is_chosen_by_the_labels_that_the_set_names(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *set;
        bool people;
    } cases[] = {
        {"peterson2019/table1", "hard", false},   {"peterson2019/table1", "mixup", false},
        {"peterson2019/table1", "class", true},   {"peterson2019/table1", "soft", true},
        {"peterson2019/table1", "sampled", true}, {"peterson2019/table2", "hard", false},
        {"peterson2019/table2", "soft", true},    {"peterson2019/figure4", "soft", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_experiment *plan = expand(cases[i].spec, "paper", false);
        char *words = training_words(plan, find(plan, cases[i].set, "vgg_15_BN_64", 1));
        assert_int_equal(strstr(words, "--dev-labels cache/") != NULL, cases[i].people);
        free(words);
        sl_experiment_destroy(plan);
    }
}

static void test_rates_are_those_of_the_authors_notebook(void **state)
{
    (void)state;
    static const struct {
        const char *set, *network, *rate;
    } cases[] = {
        {"soft", "wrn_28_10", "rate=0.01"},
        {"hard", "wrn_28_10", "rate=0.001"},
        {"soft", "resnet_preact_bottleneck_164", "rate=0.1"},
        {"hard", "shake_shake_26_2x64d", "rate=0.0001"},
        {"hard", "resnext_29_8x64d", "rate=1e-05"},
        {"mixup", "resnext_29_8x64d", "rate=1e-05"},
        {"class", "pyramidnet_basic_110_270", "rate=0.1"},
    };
    struct sl_experiment *plan = expand("peterson2019/table1", "paper", false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_trains_with(plan, find(plan, cases[i].set, cases[i].network, 1), cases[i].rate);
    sl_experiment_destroy(plan);
    /* The paper's text names another optimiser, for which no learning rate is known. */
    plan = expand("peterson2019/table1", "paper", true);
    char *words = training_words(plan, find(plan, "hard", "resnext_29_8x64d", 1));
    assert_null(strstr(words, "rate="));
    free(words);
    sl_experiment_destroy(plan);
    /* A network that stands in for the paper's uses its learning rate. */
    plan = expand("peterson2019/table1", "quick", false);
    assert_trains_with(plan, find(plan, "soft", "resnet8", 1), "rate=0.01");
    sl_experiment_destroy(plan);
}

/* The authors' code attacked with hard labels unless an image was relabelled, which no test image
 * of CIFAR-10H was. The paper's text says the labels of the test. */
static void test_an_attack_on_cifar10h_is_by_hard_labels_as_run(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "collins2022/table1",  "collins2022/table6",  "collins2022/figure10",
        "thesis2022/table3.1", "thesis2022/table3.4", "thesis2022/figure3.6",
        "thesis2022/tableB.3",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sl_experiment *run = expand(specs[i], "paper", false);
        struct sl_experiment *published = expand(specs[i], "paper", true);
        const json_t *test = json_object_get(tests_of(run, &run->runs[0]), "cifar10h");
        assert_string_equal(sl_plan_text(test, "attack_labels"), "hard");
        test = json_object_get(tests_of(published, &published->runs[0]), "cifar10h");
        assert_string_equal(sl_plan_text(test, "attack_labels"), "soft");
        test = json_object_get(tests_of(run, &run->runs[0]), "cifar10s");
        if (test) assert_string_equal(sl_plan_text(test, "attack_labels"), "soft");
        sl_experiment_destroy(run);
        sl_experiment_destroy(published);
    }
}

/* A training's key does not depend on the tests, so finished trainings stay valid. */
static void test_the_training_of_a_scored_run_keeps_its_key(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand("collins2022/table1", "paper", false);
    const struct sl_run *run = find(plan, "hard", "resnet34a", 1);
    assert_string_equal(plan->jobs[run->training].output,
                        "runs/9c3c3954e65af66648ad49061df13208/weights.safetensors");
    sl_experiment_destroy(plan);
}

static void test_a_small_network_has_the_first_networks_recipe(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand("peterson2019/table2", "quick", false);
    const struct sl_run *run = find(plan, "soft", "resnet8", 1);
    assert_trains_with(plan, run,
                       "--network resnet8 --recipe peterson2019-resnet_basic_110-finetune ");
    assert_trains_with(plan, run, "--weights runs/");
    sl_experiment_destroy(plan);
}

static void test_what_is_not_there_is_missing_with_its_reason(void **state)
{
    (void)state;
    const struct sl_data_roots roots = {.given = test_path("nothing"),
                                        .folder = test_path("nothing")};
    const struct sl_experiment_options options = {.roots = &roots};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL, *unseen = expand("collins2022/table1", "quick", false);
    assert_ok(sl_spec_read("collins2022/table1", "quick", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    assert_int_equal(plan->n_runs, unseen->n_runs);
    for (size_t i = 0; i < plan->n_runs; i++) {
        assert_non_null(plan->runs[i].missing);
        assert_null(unseen->runs[i].missing);
        /* The key depends on what the specification asks for, not on which data are here. */
        assert_string_equal(plan->runs[i].key, unseen->runs[i].key);
    }
    sl_experiment_destroy(plan);
    sl_experiment_destroy(unseen);
    sl_spec_destroy(spec);
}

/* The job, or one that it needs, has a reason in `missing`. */
static void assert_missing(const struct sl_experiment *plan, const struct sl_job *job,
                           const char *place)
{
    if (!job->missing)
        fail_msg("%s: \"%s\" needs %s, which is not here, and says nothing", plan->name, job->title,
                 place);
}

/* Every file of a data folder that the value names is here, or the job is missing. */
static void check_places(const struct sl_experiment *plan, const struct sl_job *job,
                         const json_t *value, const struct sl_data_roots *roots)
{
    const char *text = json_string_value(value), *key;
    size_t i;
    json_t *inner;
    char *path = NULL;
    if (text && text[0] == '@' && sl_experiment_place(roots, text, &path, NULL) != SL_OK)
        assert_missing(plan, job, text);
    free(path);
    json_array_foreach(value, i, inner)
    {
        check_places(plan, job, inner, roots);
    }
    if (!json_is_object(value)) return;
    json_t *object = json_deep_copy(value);
    json_object_foreach(object, key, inner)
    {
        /* the training behind the scores is checked as a job of its own */
        if (strcmp(key, "training") != 0) check_places(plan, job, inner, roots);
    }
    json_decref(object);
}

/* A dry run names every missing file, wherever the specification mentions it. */
static void test_every_file_that_is_not_here_is_said_to_be_missing(void **state)
{
    (void)state;
    const struct sl_data_roots roots = {.folder = test_path("nothing")};
    const struct sl_experiment_options options = {.roots = &roots};
    for (const char *const *name = sl_builtin_specs; *name; name++) {
        struct sl_error err = {0};
        struct sl_spec *spec = NULL;
        struct sl_experiment *plan = NULL;
        assert_ok(sl_spec_read(*name, "quick", &spec, &err), err);
        assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
        for (size_t i = 0; i < plan->n_jobs; i++)
            check_places(plan, &plan->jobs[i], plan->jobs[i].step, &roots);
        for (size_t i = 0; i < plan->n_runs; i++)
            if (plan->runs[i].set) assert_non_null(plan->runs[i].missing);
        sl_experiment_destroy(plan);
        sl_spec_destroy(spec);
    }
}

static void test_what_was_tuned_is_trained_with(void **state)
{
    (void)state;
    json_t *tuned = json_pack("{s:{s:f}, s:{s:f}}", "*|resnet8", "rate", .25, "t2-clamp|resnet8",
                              "--gamma", .3);
    const struct sl_experiment_options options = {.tuned = tuned};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    assert_ok(sl_spec_read("collins2022/table1", "quick", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    assert_trains_with(plan, find(plan, "hard", "resnet8", 1), "rate=0.25");
    bool found = false;
    for (size_t i = 0; i < plan->n_jobs; i++) {
        char *step = json_dumps(plan->jobs[i].step, JSON_COMPACT);
        found = found || strstr(step, "\"--gamma\",\"0.3\"") != NULL;
        free(step);
    }
    assert_true(found);
    sl_experiment_destroy(plan);
    sl_spec_destroy(spec);
    json_decref(tuned);
}

/* The runs of a grid. */
static struct sl_experiment *expand_grid(const char *name, const char *scale, size_t index)
{
    const struct sl_experiment_options options = {0};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    assert_ok(sl_spec_read(name, scale, &spec, &err), err);
    assert_true(index < sl_experiment_n_grids(spec));
    assert_ok(sl_experiment_grid(spec, &options, index, &plan, &err), err);
    sl_spec_destroy(spec);
    return plan;
}

static void test_a_grid_is_searched_on_every_set_that_trains(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        size_t n_sets;
    } cases[] = {
        {"peterson2019/table1", 5}, {"peterson2019/table2", 2}, {"peterson2019/figure4", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_experiment *plan = expand_grid(cases[i].spec, "paper", 0);
        /* five rates, eight networks, one fold */
        assert_int_equal(plan->n_runs, cases[i].n_sets * 5 * 8);
        sl_experiment_destroy(plan);
    }
    struct sl_experiment *plan = expand_grid("peterson2019/table1", "paper", 0);
    assert_trains_with(plan, find(plan, "hard@rate=0.1", "resnext_29_8x64d", 1), "rate=0.1");
    /* The held-out fold is scored with the labels that choose the set's best epoch. */
    const json_t *hard = tests_of(plan, find(plan, "hard@rate=0.1", "wrn_28_10", 1));
    const json_t *soft = tests_of(plan, find(plan, "soft@rate=0.1", "wrn_28_10", 1));
    assert_string_equal(sl_plan_text(json_object_get(hard, "validation"), "labels"), "hard");
    assert_string_not_equal(sl_plan_text(json_object_get(soft, "validation"), "labels"), "hard");
    sl_experiment_destroy(plan);
    /* A block without sets is searched on the first set that is trained. */
    plan = expand_grid("collins2022/table1", "quick", 0);
    assert_int_equal(plan->n_runs, 7);
    sl_experiment_destroy(plan);
}

/* ---- One's own ---- */

#define OWN(keys)                                                                                  \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\","                    \
    "\"sets\":{\"hard\":{\"labels\":null}},\"networks\":[\"resnet8\"],\"recipe\":\"quick\","       \
    "\"data\":\"shapes:n=8,size=8\",\"seeds\":[1]," keys                                           \
    "\"tests\":{\"new\":{\"data\":\"shapes:n=8,size=8\",\"labels\":\"hard\","                      \
    "\"split\":\"holdout\",\"metrics\":[\"accuracy\"]}}}"

static struct sl_experiment *expand_own(const char *text)
{
    const struct sl_data_roots roots = {0};
    const struct sl_experiment_options options = {.roots = &roots};
    const char *path = test_path("own.json");
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    test_write(path, text, strlen(text));
    assert_ok(sl_spec_read(path, "quick", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    sl_spec_destroy(spec);
    return plan;
}

static const json_t *test_of(const struct sl_experiment *plan, const struct sl_run *run)
{
    const json_t *step = plan->jobs[run->scores[0]].step;
    return json_object_get(json_object_get(step, "tests"), "new");
}

static void test_images_are_read_as_the_specification_says(void **state)
{
    (void)state;
    struct sl_experiment *plain = expand_own(OWN(""));
    struct sl_experiment *off = expand_own(OWN("\"skip_broken\":false,"));
    struct sl_experiment *grey = expand_own(OWN("\"channels\":1,"));
    struct sl_experiment *both = expand_own(OWN("\"channels\":1,\"skip_broken\":true,"));
    assert_trains_with(both, &both->runs[0], "--channels 1 --skip-broken ");
    assert_int_equal(both->jobs[both->runs[0].training].shape[0], 1);
    const json_t *test = test_of(both, &both->runs[0]);
    assert_int_equal(json_integer_value(json_object_get(test, "channels")), 1);
    assert_true(json_is_true(json_object_get(test, "skip_broken")));
    /* An option that is off does not change the key. */
    assert_string_equal(plain->runs[0].key, off->runs[0].key);
    assert_null(json_object_get(test_of(off, &off->runs[0]), "skip_broken"));
    assert_string_not_equal(plain->runs[0].key, grey->runs[0].key);
    assert_string_not_equal(grey->runs[0].key, both->runs[0].key);
    sl_experiment_destroy(plain);
    sl_experiment_destroy(off);
    sl_experiment_destroy(grey);
    sl_experiment_destroy(both);
}

static void test_a_hold_out_of_a_file_is_what_its_test_is_on(void **state)
{
    (void)state;
    static const char names[] = "shapes-000001\nshapes-000003\n";
    test_write(test_path("held.txt"), names, sizeof names - 1);
    struct sl_experiment *plan = expand_own(OWN("\"holdout\":\"{spec}/held.txt\","));
    const json_t *items = json_object_get(test_of(plan, &plan->runs[0]), "items");
    assert_int_equal(json_array_size(items), 2);
    assert_string_equal(json_string_value(json_array_get(items, 1)), "shapes-000003");
    sl_experiment_destroy(plan);
}

static void test_shards_have_every_run_once(void **state)
{
    (void)state;
    struct sl_experiment *whole = expand("peterson2019/table1", "quick", false);
    size_t together = 0;
    for (size_t i = 0; i < 3; i++) {
        struct sl_experiment *part = expand("peterson2019/table1", "quick", false);
        sl_experiment_shard(part, i, 3);
        together += part->n_runs;
        /* The folds of a cell stay together. */
        for (size_t r = 0; r < part->n_runs; r++) {
            if (part->runs[r].fold < 1) continue;
            assert_true(r > 0);
            assert_string_equal(part->runs[r - 1].set, part->runs[r].set);
            assert_int_equal(part->runs[r - 1].fold, part->runs[r].fold - 1);
        }
        sl_experiment_destroy(part);
    }
    assert_int_equal(together, whole->n_runs);
    sl_experiment_destroy(whole);
}

static void test_a_cell_is_chosen_by_its_coordinates(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_experiment *plan = expand("collins2022/table1", "paper", false);
    assert_ok(sl_experiment_only(plan, "t2-clamp|*|2", &err), err);
    assert_int_equal(plan->n_runs, 3);
    assert_fails(sl_experiment_only(plan, "nonesuch", &err), SL_ERR_NOT_FOUND, err,
                 "has no set, network, part or seed \"nonesuch\"");
    assert_fails(sl_experiment_only(plan, "2|t2-clmap|*", &err), SL_ERR_NOT_FOUND, err,
                 "seed \"t2-clmap\", did you mean \"t2-clamp\"?");
    assert_fails(sl_experiment_only(plan, "resnet50|vgg11", &err), SL_ERR_NOT_FOUND, err,
                 "has no run \"resnet50|vgg11\"");
    assert_int_equal(plan->n_runs, 3);
    sl_experiment_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_specification_expands_with_different_keys),
        cmocka_unit_test(test_a_table_has_sets_by_networks_by_seeds),
        cmocka_unit_test(test_specifications_that_share_a_cell_share_its_key),
        cmocka_unit_test(test_milestones_shrink_with_the_epochs),
        cmocka_unit_test(test_a_training_names_labels_and_rest),
        cmocka_unit_test(test_other_peoples_time_is_not_made_up),
        cmocka_unit_test(test_as_published_draws_the_hold_out_by_seed),
        cmocka_unit_test(test_every_fold_is_scored_on_what_it_held_out),
        cmocka_unit_test(test_an_epoch_is_chosen_by_the_labels_that_the_set_names),
        cmocka_unit_test(test_rates_are_those_of_the_authors_notebook),
        cmocka_unit_test(test_an_attack_on_cifar10h_is_by_hard_labels_as_run),
        cmocka_unit_test(test_the_training_of_a_scored_run_keeps_its_key),
        cmocka_unit_test(test_a_small_network_has_the_first_networks_recipe),
        cmocka_unit_test(test_what_is_not_there_is_missing_with_its_reason),
        cmocka_unit_test(test_every_file_that_is_not_here_is_said_to_be_missing),
        cmocka_unit_test(test_what_was_tuned_is_trained_with),
        cmocka_unit_test(test_a_grid_is_searched_on_every_set_that_trains),
        cmocka_unit_test(test_images_are_read_as_the_specification_says),
        cmocka_unit_test(test_a_hold_out_of_a_file_is_what_its_test_is_on),
        cmocka_unit_test(test_shards_have_every_run_once),
        cmocka_unit_test(test_a_cell_is_chosen_by_its_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
