/* Comparisons of files: two label sets, mixing answers, labels of mixed images. */
#include "job_scene.h"

static const char a_text[] = "item,cat,dog\n1,0.9,0.1\n2,0.5,0.5\n3,0.2,0.8\n";
/* Rows and columns are in another order; only this set has item 4, and item 1 differs most. */
static const char b_text[] = "item,dog,cat\n4,1,0\n3,0.7,0.3\n2,0.5,0.5\n1,0.6,0.4\n";

static double number_of(const json_t *value, const char *key)
{
    return json_number_value(json_object_get(value, key));
}

static void test_sets_are_matched_by_name(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_compare_job job = sl_compare_job_default();
    struct sl_compared compared;
    struct sl_error err;
    char *a = test_job_file("a.csv", a_text), *b = test_job_file("b.csv", b_text);
    test_job_scene_init(&scene);
    job.a = a;
    job.b = b;
    job.by = "l1";
    job.top = 2;
    assert_ok(sl_compare_job_run(&job, &scene.workplace, &compared, &err), err);
    assert_int_equal(compared.comparison.n_items, 3);
    assert_int_equal(compared.comparison.n_only_a, 0);
    assert_int_equal(compared.comparison.n_only_b, 1);
    assert_near(compared.comparison.mean[SL_DISTANCE_L1], (1.0 + 0 + 0.2) / 3, 1e-6);
    assert_int_equal(compared.n_kept, 3);
    assert_int_equal(compared.n_shown, 2);
    assert_string_equal(compared.a->items[compared.comparison.items[0].row_a], "1");
    /* Item 2 is a tie in both. */
    assert_non_null(strstr(scene.said, "a.csv: 1 of 3 items has several most probable classes"));
    assert_non_null(strstr(scene.said, "b.csv: 1 of 3 items has several most probable classes"));
    json_t *value = sl_compared_json(&compared, json_string("here"));
    const json_t *items = json_object_get(value, "most_different");
    assert_int_equal(json_array_size(items), 2);
    assert_near(number_of(json_array_get(items, 0), "l1"), 1, 1e-6);
    assert_near(number_of(value, "only_b"), 1, 0);
    assert_non_null(json_object_get(json_object_get(value, "intervals"), "entropy_b"));
    assert_string_equal(json_string_value(json_object_get(value, "provenance")), "here");
    json_decref(value);
    sl_compared_release(&compared);
    free(a);
    free(b);
}

static void test_items_are_left_out_and_the_least_come_first(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_compare_job job = sl_compare_job_default();
    struct sl_compared compared;
    struct sl_error err;
    char *a = test_job_file("a.csv", a_text), *b = test_job_file("b.csv", b_text);
    test_job_scene_init(&scene);
    job.a = a;
    job.b = b;
    job.by = "l1";
    job.least = true;
    job.same_first = true;
    assert_ok(sl_compare_job_run(&job, &scene.workplace, &compared, &err), err);
    assert_int_equal(compared.n_kept, 2);
    assert_int_equal(compared.n_shown, 2);
    assert_string_equal(compared.a->items[compared.comparison.items[0].row_a], "2");
    assert_string_equal(compared.a->items[compared.comparison.items[1].row_a], "3");
    json_t *value = sl_compared_json(&compared, NULL);
    assert_int_equal(json_array_size(json_object_get(value, "least_different")), 2);
    assert_null(json_object_get(value, "provenance"));
    json_decref(value);
    sl_compared_release(&compared);
    job.least = false;
    job.same_first = false;
    job.max_entropy_b = 0.62; /* item 3 has entropy 0.611, the others more */
    assert_ok(sl_compare_job_run(&job, &scene.workplace, &compared, &err), err);
    assert_int_equal(compared.n_shown, 1);
    sl_compared_release(&compared);
    free(a);
    free(b);
}

#define SEEN(share, who, seen)                                                                     \
    "{\"item\":\"mixed_" share "_Cat_1_Dog_2.png\",\"annotator\":\"" who "\",\"kind\":\"mix\","    \
    "\"endpoints\":[\"cat\",\"dog\"],\"lambda\":" seen ",\"generated\":" share "}\n"

static void test_inferred_shares_stand_beside_generated_ones(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_compare_job job = sl_compare_job_default();
    struct sl_compared compared;
    struct sl_error err;
    char *mix = test_job_file(
        "mix.jsonl",
        "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\"]}\n" SEEN(
            "0.25", "ann", "0.2") SEEN("0.5", "ann", "0.5") SEEN("0.75", "bob", "0.9"));
    char *ends = test_job_file("ends.csv", "item,cat,dog\n1,0.5,0.5\n2,0.6,0.4\n");
    char *only =
        test_job_file("only.txt", "mixed_0.25_Cat_1_Dog_2.png\nmixed_0.75_Cat_1_Dog_2.png\n");
    test_job_scene_init(&scene);
    job.mix = mix;
    job.endpoint_labels = ends;
    job.only = only;
    job.bootstrap = 20;
    assert_ok(sl_compare_job_run(&job, &scene.workplace, &compared, &err), err);
    assert_int_equal(compared.mix.n_answers, 2);
    assert_int_equal(compared.mix.n_annotators, 2);
    assert_int_equal(compared.mix.high.n_answers, 2);
    assert_near(compared.mix.high.mean_error, 0.1, 1e-6);
    json_t *value = sl_compared_json(&compared, NULL);
    const json_t *shares = json_object_get(value, "by_share");
    assert_int_equal(json_array_size(shares), 2);
    assert_near(number_of(json_array_get(shares, 1), "mean"), 0.9, 1e-6);
    assert_non_null(json_object_get(json_array_get(shares, 0), "intervals"));
    const json_t *pair = json_array_get(json_object_get(value, "by_pair"), 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(pair, "classes"), 1)),
                        "dog");
    json_decref(value);
    sl_compared_release(&compared);
    free(mix);
    free(ends);
    free(only);
}

static void test_labels_of_mixed_images_and_what_is_missing(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_compare_job job = sl_compare_job_default();
    struct sl_compared compared = {0};
    struct sl_error err;
    char *mixed = test_job_file("mixed.csv", "item,cat,dog,ship\n"
                                             "mixed_0.25_cat_1_dog_2.png,0.3,0.5,0.2\n"
                                             "mixed_0.75_cat_1_dog_2.png,0.8,0.2,0\n");
    char *plain = test_job_file("a.csv", a_text);
    test_job_scene_init(&scene);
    assert_fails(sl_compare_job_run(&job, &scene.workplace, &compared, &err), SL_ERR_USAGE, err,
                 "two label sets are needed");
    job.a = job.b = plain;
    job.by = "miles";
    assert_fails(sl_compare_job_run(&job, &scene.workplace, &compared, &err), SL_ERR_USAGE, err,
                 "no distance is called \"miles\"");
    job.mixed = plain;
    assert_fails(sl_compare_job_run(&job, &scene.workplace, &compared, &err), SL_ERR_INPUT, err,
                 plain);
    assert_null(compared.job);
    job.mixed = mixed;
    assert_ok(sl_compare_job_run(&job, &scene.workplace, &compared, &err), err);
    assert_int_equal(compared.mixed.n_rows, 2);
    assert_near(compared.mixed.off_endpoints, 0.1, 1e-6);
    json_t *value = sl_compared_json(&compared, NULL);
    assert_near(number_of(value, "off_endpoints"), 0.1, 1e-6);
    json_decref(value);
    sl_compared_release(&compared);
    free(mixed);
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_are_matched_by_name),
        cmocka_unit_test(test_items_are_left_out_and_the_least_come_first),
        cmocka_unit_test(test_inferred_shares_stand_beside_generated_ones),
        cmocka_unit_test(test_labels_of_mixed_images_and_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
