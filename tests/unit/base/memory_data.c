/* Every allocation of an operation fails once. Each failure must be reported as an error, and the
 * address sanitizer checks that nothing leaks. */
#include "allocations.h"
#include "label_support.h"
#include "softlab/answer/quality.h"
#include "softlab/dataset.h"
#include "softlab/label/compare.h"
#include "softlab/label/mixing.h"

static const char *const pets[] = {"dog", "cat", "cow"};

/* Repeat until an attempt runs without a failed allocation. */
static void starve(enum sl_status (*work)(struct sl_error *err))
{
    struct sl_error err;
    size_t left = 0;
    for (bool refused = true; refused; left++) {
        assert_true(left < 10000);
        n_refused = 0;
        allocations_left = left;
        const enum sl_status status = work(&err);
        allocations_left = SIZE_MAX;
        refused = n_refused > 0;
        if (!refused)
            assert_ok(status, err);
        else
            assert_int_equal(status, SL_ERR_NOMEM);
    }
    assert_true(left > 1);
}

static struct sl_answers *answers; /* made by the tests that need them */

static enum sl_status build_labels(struct sl_error *err)
{
    struct sl_label_options options = sl_label_options_default();
    options.per_annotator = true;
    struct sl_rows *rows = NULL;
    const enum sl_status status =
        sl_labels_build(test_method("share"), answers, &options, &rows, err);
    sl_rows_destroy(rows);
    return status;
}

static enum sl_status measure_group(struct sl_error *err)
{
    const bool in[] = {true, true};
    struct sl_answer_group group = {0};
    const enum sl_status status = sl_answer_group_measure(answers, in, &group, err);
    sl_answer_group_release(&group);
    return status;
}

static void test_labels(void **state)
{
    (void)state;
    answers = test_answers(pets, 3);
    test_add_hard(answers, 0, "a", "ann");
    test_add_hard(answers, 1, "a", "bob");
    test_add_hard(answers, 2, "b", "ann");
    starve(build_labels);
    starve(measure_group);
    sl_answers_destroy(answers);
}

static enum sl_status summarise(struct sl_error *err)
{
    const struct sl_mix_options options = sl_mix_options_default();
    struct sl_mix_summary summary = {0};
    const enum sl_status status = sl_mix_summarise(answers, &options, &summary, err);
    sl_mix_summary_release(&summary);
    return status;
}

static enum sl_status fit_mixing(struct sl_error *err)
{
    const struct sl_mix_options options = sl_mix_options_default();
    struct sl_mixing_functions *functions = NULL;
    const enum sl_status status = sl_mixing_fit(answers, &options, &functions, err);
    sl_mixing_functions_destroy(functions);
    return status;
}

static void test_mixtures(void **state)
{
    (void)state;
    answers = test_answers(pets, 3);
    test_add(answers, test_mix(0, 1, 0.2F, 0.8F, 0.1F), "mixed_0.1_dog_0_cat_1.png", "ann");
    test_add(answers, test_mix(2, 1, 0.5F, 1, 0.5F), "mixed_0.5_cow_2_cat_3.png", "bob");
    starve(summarise);
    starve(fit_mixing);
    sl_answers_destroy(answers);
}

static struct sl_rows *sets[2];

static enum sl_status compare_rows(struct sl_error *err)
{
    const struct sl_rows *const both[] = {sets[0], sets[1]};
    struct sl_rows *mean = NULL;
    struct sl_comparison comparison = {0};
    enum sl_status status;
    SL_TRY_OUT(sl_labels_compare(sets[0], sets[1], NULL, &comparison, err));
    SL_TRY_OUT(sl_comparison_sort(&comparison, SL_DISTANCE_L1, false, err));
    SL_TRY_OUT(sl_rows_ensemble(both, 2, SL_PREDICTION_PROBABILITIES, 1, &mean, err));
out:
    sl_rows_destroy(mean);
    sl_comparison_release(&comparison);
    return status;
}

static void test_rows_of_labels(void **state)
{
    (void)state;
    static const float left[] = {1, 0, 1, 0}, right[] = {0.5F, 0.5F, 1, 0};
    static const char *const items[] = {"a", "b", NULL};
    sets[0] = test_rows(left, 2, 2, items, NULL);
    sets[1] = test_rows(right, 2, 2, items, NULL);
    starve(compare_rows);
    sl_rows_destroy(sets[0]);
    sl_rows_destroy(sets[1]);
}

static enum sl_status open_set(const char *name, struct sl_error *err)
{
    const struct sl_data_roots roots = {.folder = "."};
    struct sl_dataset *set = NULL;
    struct sl_rows *truth = NULL;
    enum sl_status status = sl_dataset_open(name, &roots, &set, err);
    if (status == SL_OK && set->truth) status = sl_dataset_truth_rows(set, &truth, err);
    sl_rows_destroy(truth);
    sl_dataset_destroy(set);
    return status;
}

static enum sl_status open_shapes(struct sl_error *err)
{
    return open_set("shapes:n=3,size=16", err);
}

static enum sl_status open_texts(struct sl_error *err)
{
    return open_set(test_path("texts.tsv"), err);
}

static enum sl_status open_pictures(struct sl_error *err)
{
    return open_set(test_path("folder"), err);
}

static enum sl_status list_folder(struct sl_error *err)
{
    char **names = NULL;
    const enum sl_status status = sl_folder_list(test_path("folder"), &names, NULL, err);
    sl_names_destroy(names);
    return status;
}

static void test_data_sets(void **state)
{
    (void)state;
    static const char texts[] = "item\ttext\tlabel\na\tone apple\tfruit\nb\ta carrot\troot\n";
    struct sl_error err;
    test_write(test_path("texts.tsv"), texts, strlen(texts));
    assert_ok(sl_folder_create(test_path("folder"), &err), err);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "folder/%d.png", i);
        test_write(test_path(name), "x", 1);
    }
    starve(open_shapes);
    starve(open_texts);
    starve(list_folder);
    starve(open_pictures);
    /* A name and an id for each. */
    n_data_allocations = 0;
    assert_ok(open_pictures(&err), err);
    assert_true(n_data_allocations >= 2 * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_rows_of_labels),
        cmocka_unit_test(test_data_sets),

    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
