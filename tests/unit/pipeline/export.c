#include "softlab/nn/weights.h"
#include "softlab/pipeline/weights.h"

#include "support.h"

static const struct sl_workplace workplace = {.roots = {.folder = "."}};

static struct sl_export_job small_job(void)
{
    return (struct sl_export_job){.network = "resnet8",
                                  .input = {.channels = 3, .height = 8, .width = 8},
                                  .classes = 2,
                                  .seed = 3};
}

static void test_weights_are_drawn_read_and_named(void **state)
{
    (void)state;
    struct sl_export_job job = small_job();
    struct sl_model *first = NULL, *second = NULL;
    struct sl_error err;
    char one[512], two[512];
    snprintf(one, sizeof one, "%s", test_path("one.safetensors"));
    snprintf(two, sizeof two, "%s", test_path("two.safetensors"));
    job.mean = job.deviation = (struct sl_real_list){3, {.5, .25, .125}};
    job.output = one;
    assert_ok(sl_export_job_run(&job, &workplace, &err), err);
    assert_ok(sl_run_open_weights(one, &first, &err), err);
    assert_null(sl_model_class_names(first));
    const struct sl_export_job again = {.weights = one, .class_names = "cat,dog", .output = two};
    assert_ok(sl_export_job_run(&again, &workplace, &err), err);
    assert_ok(sl_run_open_weights(two, &second, &err), err);
    assert_string_equal(sl_model_class_names(second)[1], "dog");
    assert_memory_equal(sl_model_values(first), sl_model_values(second),
                        sl_model_n_values(first) * sizeof(float));
    const float *mean = NULL, *deviation = NULL;
    assert_true(sl_model_normalisation(second, &mean, &deviation));
    assert_near(mean[1], .25, 0);
    sl_model_destroy(first);
    sl_model_destroy(second);
}

static void test_the_ending_says_the_format(void **state)
{
    (void)state;
    struct sl_export_job job = small_job();
    struct sl_buffer text;
    struct sl_error err;
    job.output = test_path("net.onnx");
    assert_ok(sl_export_job_run(&job, &workplace, &err), err);
    sl_buffer_init(&text, 1 << 24);
    assert_ok(sl_file_read(test_path("net.onnx"), &text, &err), err);
    assert_int_equal(text.data[0], 8); /* ir_version, the first field of an ONNX model */
    sl_buffer_release(&text);
}

static void test_numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct sl_export_job job = small_job();
    struct sl_error err;
    job.output = test_path("none.safetensors");
    job.class_names = "cat,dog,ship";
    assert_fails(sl_export_job_run(&job, &workplace, &err), SL_ERR_USAGE, err,
                 "--class-names: 3 names, the network has 2 classes");
    job.class_names = NULL;
    job.mean = (struct sl_real_list){1, {.5}};
    assert_fails(sl_export_job_run(&job, &workplace, &err), SL_ERR_USAGE, err,
                 "--mean: 1 number for 3 channels");
    assert_false(sl_file_exists(test_path("none.safetensors")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_drawn_read_and_named),
        cmocka_unit_test(test_the_ending_says_the_format),
        cmocka_unit_test(test_numbers_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
