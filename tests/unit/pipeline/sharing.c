/* Labels and predictions for other tools. */
#include "support.h"

#include "softlab/pipeline/sharing.h"

static struct sl_error err;
static const struct sl_workplace workplace;

static void write_text(const char *name, const char *text)
{
    test_write(test_path(name), text, strlen(text));
}

/* Read an array of what was written for cleanlab. */
static struct sl_array read_array(const char *file, const char *name)
{
    struct sl_npz *npz = NULL;
    struct sl_array array;
    assert_ok(sl_npz_open(test_path(file), &npz, &err), err);
    assert_ok(sl_npz_read(npz, name, &array, &err), err);
    sl_npz_close(npz);
    return array;
}

static void test_cleanlab_gets_sorted_columns_and_numbers_of_them(void **state)
{
    (void)state;
    write_text("p.csv", "item,b,C,a\nx,0.5,0.25,0.25\ny,0,1,0\n");
    write_text("given.csv", "item,label\ny,b\nx,C\n");
    const struct sl_share_job job = {.rows = test_path("p.csv"),
                                     .target = SL_SHARE_CLEANLAB,
                                     .labels = test_path("given.csv"),
                                     .output = test_path("out.npz")};
    assert_ok(sl_share_job_run(&job, &workplace, &err), err);
    struct sl_array array = read_array("out.npz", "pred_probs");
    static const float expected[] = {0.25F, 0.25F, 0.5F, 1, 0, 0}; /* C, a, b */
    assert_int_equal(array.dtype, SL_F4);
    assert_int_equal(array.shape[0], 2);
    assert_int_equal(array.shape[1], 3);
    assert_memory_equal(array.data, expected, sizeof expected);
    sl_array_release(&array);
    array = read_array("out.npz", "labels");
    static const int32_t labels[] = {0, 2};
    assert_int_equal(array.n_dimensions, 1);
    assert_memory_equal(array.data, labels, sizeof labels);
    sl_array_release(&array);
    array = read_array("out.npz", "classes");
    char *first = NULL;
    assert_ok(sl_array_string(&array, 0, &first, &err), err);
    assert_string_equal(first, "C");
    free(first);
    sl_array_release(&array);
}

static void test_classes_that_are_numbers_are_sorted_as_numbers(void **state)
{
    (void)state;
    write_text("p.csv", "item,10,9\nx,0.75,0.25\n");
    const struct sl_share_job job = {
        .rows = test_path("p.csv"), .target = SL_SHARE_CLEANLAB, .output = test_path("out.npy")};
    assert_ok(sl_share_job_run(&job, &workplace, &err), err);
    struct sl_array array;
    assert_ok(sl_npy_read(test_path("out.npy"), &array, &err), err);
    assert_near(((const float *)array.data)[0], 0.25, 0);
    sl_array_release(&array);
}

static void test_logits_become_probabilities(void **state)
{
    (void)state;
    write_text("logits.csv", "item,a,b\nx,-3,2\n");
    const struct sl_share_job job = {.rows = test_path("logits.csv"),
                                     .target = SL_SHARE_LABEL_STUDIO,
                                     .field = "text",
                                     .control = "mood",
                                     .output = test_path("tasks.json")};
    assert_ok(sl_share_job_run(&job, &workplace, &err), err);
    struct sl_json json = {0};
    assert_ok(sl_json_read(test_path("tasks.json"), 1 << 20, &json, &err), err);
    const json_t *task = json_array_get(json.root, 0);
    const json_t *prediction = json_array_get(json_object_get(task, "predictions"), 0);
    const json_t *result = json_array_get(json_object_get(prediction, "result"), 0);
    assert_string_equal(json_string_value(json_object_get(json_object_get(task, "data"), "text")),
                        "x");
    assert_near(json_number_value(json_object_get(prediction, "score")), 1 / (1 + exp(-5)), 1e-6);
    assert_string_equal(json_string_value(json_object_get(result, "from_name")), "mood");
    assert_string_equal(json_string_value(json_object_get(result, "to_name")), "text");
    const json_t *choices = json_object_get(json_object_get(result, "value"), "choices");
    assert_string_equal(json_string_value(json_array_get(choices, 0)), "b");
    sl_json_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cleanlab_gets_sorted_columns_and_numbers_of_them),
        cmocka_unit_test(test_classes_that_are_numbers_are_sorted_as_numbers),
        cmocka_unit_test(test_logits_become_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
