#include "softlab/label/mixing.h"
#include "label_support.h"

static const char *const pets[] = {"dog", "cat", "cow"};

static void assert_field(struct sl_field field, const char *expected)
{
    assert_int_equal(field.length, strlen(expected));
    assert_memory_equal(field.text, expected, field.length);
}

static bool parses(const char *text)
{
    struct sl_mixed_name name;
    return sl_mixed_name_parse(text, strlen(text), &name);
}

static void test_names_of_mixed_images_are_taken_apart(void **state)
{
    (void)state;
    static const char text[] = "mixed_0.25_Cat_336_Truck_2817.png";
    struct sl_mixed_name name;
    assert_true(sl_mixed_name_parse(text, sizeof text - 1, &name));
    assert_near(name.lambda, 0.25, 0);
    assert_field(name.class_a, "Cat");
    assert_field(name.item_a, "336");
    assert_field(name.class_b, "Truck");
    assert_field(name.item_b, "2817");
    assert_true(parses("mixed_1_a_b_c_d"));
    static const char *const wrong[] = {"",
                                        "mixed",
                                        "mixed_0.5_a_b_c",
                                        "mixed_0.5_a_b_c_",
                                        "mixed_0.5_a__c_d",
                                        "mixed_0.5_a_b_c_d_e",
                                        "mixed_1.5_a_b_c_d.png",
                                        "mixed_x_a_b_c_d.png",
                                        "mixup_0.5_a_b_c_d.png",
                                        ".png"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(parses(wrong[i]));
}

/* Dog with cat at .1 and .9, once the other way round; cow with cat at .5; a repeat. */
static struct sl_answers *make_set(void)
{
    struct sl_answers *answers = test_answers(pets, 3);
    test_add(answers, test_mix(0, 1, 0.2F, 0.8F, 0.1F), "mixed_0.1_dog_0_cat_1.png", "ann");
    test_add(answers, test_mix(0, 1, 0.4F, 0.6F, 0.1F), "mixed_0.1_dog_0_cat_1.png", "bob");
    test_add(answers, test_mix(1, 0, 0.3F, NAN, 0.1F), "mixed_0.1_cat_1_dog_0.png", "ann");
    test_add(answers, test_mix(2, 1, 0.5F, 1, 0.5F), "mixed_0.5_cow_2_cat_3.png", "bob");
    struct sl_answer repeat = test_mix(2, 1, 0.9F, 0, 0.5F);
    repeat.flags = SL_ANSWER_REPEAT;
    test_add(answers, repeat, "mixed_0.5_cow_2_cat_3.png", "bob");
    return answers;
}

static void test_groups_by_share_by_pair_and_by_both(void **state)
{
    (void)state;
    struct sl_answers *answers = make_set();
    struct sl_mix_options options = sl_mix_options_default();
    struct sl_mix_summary summary;
    struct sl_error err;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    assert_int_equal(summary.n_answers, 4);
    assert_int_equal(summary.n_items, 3);
    assert_int_equal(summary.n_annotators, 2);
    assert_int_equal(summary.n_by_share, 2);
    assert_near(summary.by_share[0].generated, 0.1, 1e-12);
    assert_int_equal(summary.by_share[0].n_answers, 3);
    assert_near(summary.by_share[0].median, 0.3, 1e-7);
    assert_near(summary.by_share[0].mean, 0.3, 1e-7);
    assert_near(summary.by_share[0].mean_confidence, 0.7, 1e-7);
    assert_near(summary.by_share[0].mean_error, 0.2, 1e-7);
    assert_near(summary.by_share[0].lower, 0.25, 1e-7);
    assert_near(summary.by_share[0].upper, 0.35, 1e-7);
    /* .2, .3, .4 and two confidences of .8 and .6; each is where its tenth begins. */
    static const size_t inferred[] = {0, 0, 1, 1, 1, 0, 0, 0, 0, 0};
    static const size_t confident[] = {0, 0, 0, 0, 0, 0, 1, 0, 1, 0};
    for (size_t i = 0; i < SL_MIX_BINS; i++) {
        assert_int_equal(summary.by_share[0].inferred_counts[i], inferred[i]);
        assert_int_equal(summary.by_share[0].confidence_counts[i], confident[i]);
    }
    assert_int_equal(summary.by_share[1].confidence_counts[SL_MIX_BINS - 1], 1);
    assert_int_equal(summary.n_by_pair, 2);
    assert_int_equal(summary.by_pair[0].a, 0);
    assert_int_equal(summary.by_pair[0].b, 1);
    /* .2, .4 and, turned, .7. */
    assert_near(summary.by_pair[0].median, 0.4, 1e-7);
    assert_int_equal(summary.by_pair[1].a, 1);
    assert_int_equal(summary.by_pair[1].b, 2);
    assert_int_equal(summary.n_by_pair_share, 3);
    assert_near(summary.by_pair_share[1].generated, 0.9, 1e-12);
    assert_near(summary.by_pair_share[1].mean, 0.7, 1e-7);
    assert_int_equal(summary.high.n_answers, 0);
    assert_true(isnan(summary.low.median));
    sl_mix_summary_release(&summary);
    options.keep = SL_ANSWER_REPEAT;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    assert_int_equal(summary.n_answers, 5);
    sl_mix_summary_release(&summary);
    sl_answers_destroy(answers);
}

static void test_groups_have_intervals_where_they_are_asked_for(void **state)
{
    (void)state;
    struct sl_answers *answers = make_set();
    const struct sl_bootstrap_options bootstrap = {.n_resamples = 300, .level = .95, .seed = 1};
    struct sl_mix_options options = sl_mix_options_default();
    struct sl_mix_summary summary;
    struct sl_error err;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    assert_true(isnan(summary.by_share[0].median_interval.low));
    sl_mix_summary_release(&summary);
    options.bootstrap = &bootstrap;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    for (size_t i = 0; i < summary.n_by_share; i++) {
        const struct sl_mix_group *group = &summary.by_share[i];
        assert_near(group->median_interval.estimate, group->median, 1e-12);
        assert_near(group->mean_interval.estimate, group->mean, 1e-12);
        assert_near(group->error_interval.estimate, group->mean_error, 1e-12);
        assert_true(group->mean_interval.low <= group->mean &&
                    group->mean <= group->mean_interval.high);
        if (!isnan(group->mean_confidence))
            assert_near(group->confidence_interval.estimate, group->mean_confidence, 1e-12);
    }
    sl_mix_summary_release(&summary);
    sl_answers_destroy(answers);
}

static void test_only_listed_items_and_endpoint_entropies(void **state)
{
    (void)state;
    struct sl_answers *answers = make_set();
    /* Items 0 and 1 are certain, 2 and 3 are not. */
    static const float certain[] = {1, 0, 0, 0, 1, 0, 0.5F, 0.5F, 0, 0.3F, 0.3F, 0.4F};
    struct sl_rows *labels = test_rows(certain, 4, 3, NULL, NULL);
    struct sl_mix_options options = sl_mix_options_default();
    options.endpoint_labels = labels;
    struct sl_mix_summary summary;
    struct sl_error err;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    assert_int_equal(summary.low.n_answers, 3);
    assert_int_equal(summary.high.n_answers, 1);
    assert_near(summary.high.mean_confidence, 1, 0);
    sl_mix_summary_release(&summary);
    struct sl_name_table *only = sl_name_table_create();
    static const char wanted[] = "mixed_0.1_dog_0_cat_1.png";
    uint32_t place;
    assert_ok(sl_name_table_add(only, wanted, sizeof wanted - 1, &place, &err), err);
    options.only = only;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    assert_int_equal(summary.n_answers, 2);
    sl_mix_summary_release(&summary);
    sl_name_table_destroy(only);
    labels->n_rows = 3;
    options.only = NULL;
    assert_fails(sl_mix_summarise(answers, &options, &summary, &err), SL_ERR_INPUT, err,
                 "the endpoint labels have no item 3");
    sl_rows_destroy(labels);
    sl_answers_destroy(answers);
}

static void test_answers_that_cannot_be_summarised_are_named(void **state)
{
    (void)state;
    struct sl_answers *answers = test_answers(pets, 3);
    struct sl_mix_options options = sl_mix_options_default();
    struct sl_mix_summary summary;
    struct sl_error err;
    test_add_hard(answers, 1, "x", "ann");
    assert_fails(sl_mix_summarise(answers, &options, &summary, &err), SL_ERR_INPUT, err,
                 "no answers of kind \"mix\"");
    test_add(answers, test_mix(0, 1, 0.5F, 1, NAN), "y", "ann");
    assert_fails(sl_mix_summarise(answers, &options, &summary, &err), SL_ERR_INPUT, err,
                 "item y: the generating share is nan");
    sl_answers_destroy(answers);
}

/* Endpoint masses .6 .3 and .2 .7 against .75 .25 and .25 .75; off the endpoints .1 and .1. */
static void test_soft_labels_over_mixed_images(void **state)
{
    (void)state;
    static const float values[] = {0.6F, 0.3F, 0.1F, 0.2F, 0.1F, 0.7F};
    static const char *const items[] = {"mixed_0.75_dog_1_cat_2.png", "mixed_0.25_dog_1_cow_2.png"};
    struct sl_rows *rows = test_rows(values, 2, 3, items, pets);
    struct sl_mixed_agreement agreement;
    struct sl_error err;
    assert_ok(sl_mixed_labels_measure(rows, &agreement, &err), err);
    static const double shares[] = {0.75, 0.25, 0.25, 0.75}, masses[] = {0.6, 0.3, 0.2, 0.7};
    assert_near(agreement.r, sl_pearson(shares, masses, 4), 1e-7);
    assert_near(agreement.off_endpoints, 0.1, 1e-7);
    rows->classes[0][0] = 'f';
    assert_fails(sl_mixed_labels_measure(rows, &agreement, &err), SL_ERR_INPUT, err,
                 "item mixed_0.75_dog_1_cat_2.png: expected");
    sl_rows_destroy(rows);
}

/* Answers exactly on 1 / (1 + exp(-8 (l - .6))) of cat against dog, given as shares of dog. */
static struct sl_answers *make_curve(void)
{
    struct sl_answers *answers = test_answers(pets, 3);
    for (int i = 0; i <= 20; i++) {
        double share = i / 20.0;
        double seen = sl_logistic_value((struct sl_logistic){8, 0.6}, share);
        test_add(answers, test_mix(0, 1, (float)(1 - seen), 1, (float)(1 - share)), "m", "ann");
    }
    test_add(answers, test_mix(2, 1, 0.5F, 1, 0.5F), "n", "ann");
    return answers;
}

static void test_mixing_functions_are_fitted_per_pair_in_alphabetical_order(void **state)
{
    (void)state;
    struct sl_answers *answers = make_curve();
    struct sl_mix_options options = sl_mix_options_default();
    struct sl_mixing_functions *functions;
    struct sl_error err;
    assert_ok(sl_mixing_fit(answers, &options, &functions, &err), err);
    /* cat (1) sorts before dog (0). */
    const struct sl_mixing_pair *pair = &functions->pairs[1 * 3 + 0];
    assert_true(pair->fitted);
    assert_int_equal(pair->n_answers, 21);
    assert_near(pair->curve.k, 8, 1e-4);
    assert_near(pair->curve.x0, 0.6, 1e-6);
    assert_near(sl_mixing_value(functions, 1, 0, 0.6), 0.5, 1e-5);
    assert_near(sl_mixing_value(functions, 0, 1, 0.4), 0.5, 1e-5);
    for (double share = 0; share <= 1; share += 0.125) {
        double there = sl_mixing_value(functions, 1, 0, share);
        assert_near(sl_mixing_value(functions, 0, 1, 1 - share), 1 - there, 1e-12);
    }
    /* One answer is no fit, and one class is no pair. */
    assert_near(sl_mixing_value(functions, 1, 2, 0.3), 0.3, 0);
    assert_near(sl_mixing_value(functions, 2, 2, 0.3), 0.3, 0);
    sl_mixing_functions_destroy(functions);
    sl_answers_destroy(answers);
}

static void test_mixing_functions_survive_json(void **state)
{
    (void)state;
    struct sl_answers *answers = make_curve();
    struct sl_mix_options options = sl_mix_options_default();
    struct sl_mixing_functions *functions, *again;
    struct sl_error err;
    assert_ok(sl_mixing_fit(answers, &options, &functions, &err), err);
    json_t *value = sl_mixing_to_json(functions);
    char *text = json_dumps(value, 0);
    struct sl_json json;
    assert_ok(sl_json_parse(text, strlen(text), "mixing.json", 1, &json, &err), err);
    assert_ok(sl_mixing_from_json(&json, &again, &err), err);
    assert_int_equal(again->n_classes, 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            assert_near(sl_mixing_value(again, i, j, 0.7), sl_mixing_value(functions, i, j, 0.7),
                        1e-15);
    sl_json_release(&json);
    free(text);
    json_decref(value);
    sl_mixing_functions_destroy(functions);
    sl_mixing_functions_destroy(again);
    sl_answers_destroy(answers);
}

static void assert_unreadable(const char *text, const char *part)
{
    struct sl_json json;
    struct sl_mixing_functions *functions = NULL;
    struct sl_error err;
    assert_ok(sl_json_parse(text, strlen(text), "m.json", 1, &json, &err), err);
    assert_fails(sl_mixing_from_json(&json, &functions, &err), SL_ERR_INPUT, err, part);
    assert_null(functions);
    sl_json_release(&json);
}

static void test_wrong_json_is_named(void **state)
{
    (void)state;
    assert_unreadable("{\"softlab\":\"labels\"}", "expected \"mixing\", got \"labels\"");
    assert_unreadable("{\"softlab\":\"mixing\",\"classes\":[1]}", "$.classes[0]");
    assert_unreadable("{\"softlab\":\"mixing\",\"classes\":[\"a\",\"b\"],\"pairs\":[{\"classes\":"
                      "[\"b\",\"a\"],\"k\":1,\"x0\":0,\"answers\":2}]}",
                      "alphabetical order");
    assert_unreadable("{\"softlab\":\"mixing\",\"classes\":[\"a\",\"b\"],\"pairs\":[{\"classes\":"
                      "[\"a\",\"c\"]}]}",
                      "\"c\" is not one of the classes");
}

static void test_a_given_curve_serves_every_pair(void **state)
{
    (void)state;
    struct sl_mixing_functions *functions;
    struct sl_error err;
    assert_ok(sl_mixing_constant(pets, 3, (struct sl_logistic){10, 0.5}, &functions, &err), err);
    double expected = 1 / (1 + exp(-2));
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            assert_near(sl_mixing_value(functions, i, j, 0.7), i == j ? 0.7 : expected, 1e-12);
    sl_mixing_functions_destroy(functions);
    assert_fails(
        sl_mixing_constant(pets, 3, (struct sl_logistic){(double)NAN, 0.5}, &functions, &err),
        SL_ERR_USAGE, err, "k = nan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_mixed_images_are_taken_apart),
        cmocka_unit_test(test_groups_by_share_by_pair_and_by_both),
        cmocka_unit_test(test_groups_have_intervals_where_they_are_asked_for),
        cmocka_unit_test(test_only_listed_items_and_endpoint_entropies),
        cmocka_unit_test(test_answers_that_cannot_be_summarised_are_named),
        cmocka_unit_test(test_soft_labels_over_mixed_images),
        cmocka_unit_test(test_mixing_functions_are_fitted_per_pair_in_alphabetical_order),
        cmocka_unit_test(test_mixing_functions_survive_json),
        cmocka_unit_test(test_wrong_json_is_named),
        cmocka_unit_test(test_a_given_curve_serves_every_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
