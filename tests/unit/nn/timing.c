#include "softlab/nn/timing.h"

#include "support.h"

static struct sl_model_options small_network(void)
{
    struct sl_model_options model = sl_model_options_default();
    model.network = "resnet8";
    model.input = (struct sl_input_shape){.channels = 3, .height = 8, .width = 8};
    return model;
}

static void test_figures_of_a_training_fit_together(void **state)
{
    (void)state;
    const struct sl_model_options model = small_network();
    struct sl_timing_options options = sl_timing_options_default();
    struct sl_timing timing;
    struct sl_error err;
    options.batch = 2;
    options.steps = 3;
    assert_ok(sl_network_time(&model, &options, &timing, &err), err);
    assert_true(timing.training);
    assert_int_equal(timing.batch, 2);
    assert_true(timing.best > 0 && timing.best <= timing.mean);
    assert_int_equal(timing.memory, sl_plan_memory(timing.plan));
    assert_int_equal(timing.n_layers, 0);
    /* Forward, and gradients of weights and of items: 3 passes of 2 operations, 2 items. */
    const double operations = 12 * (double)sl_model_multiply_adds(timing.model);
    assert_near(timing.flops * timing.best, operations, 1e-6 * operations);
    sl_timing_release(&timing);
    assert_null(timing.plan);
}

static void test_training_moves_the_weights_and_inference_does_not(void **state)
{
    (void)state;
    const struct sl_model_options model = small_network();
    struct sl_timing_options options = {.batch = 2, .steps = 1};
    struct sl_model *fresh = NULL;
    struct sl_timing timing;
    struct sl_error err;
    assert_ok(sl_model_create(&model, &fresh, &err), err);
    const size_t size = sl_model_n_values(fresh) * sizeof(float);
    for (int inference = 0; inference < 2; inference++) {
        options.inference = inference == 1;
        assert_ok(sl_network_time(&model, &options, &timing, &err), err);
        assert_int_equal(timing.training, !options.inference);
        assert_int_equal(memcmp(sl_model_values(fresh), sl_model_values(timing.model), size) == 0,
                         options.inference);
        sl_timing_release(&timing);
    }
    sl_model_destroy(fresh);
}

static void test_layers_are_timed_if_asked_for(void **state)
{
    (void)state;
    const struct sl_model_options model = small_network();
    const struct sl_timing_options options = {.batch = 2, .steps = 2, .profile = true};
    struct sl_timing timing;
    struct sl_error err;
    assert_ok(sl_network_time(&model, &options, &timing, &err), err);
    assert_true(timing.n_layers > 8);
    json_t *json = sl_timing_json(&timing);
    const json_t *first = json_array_get(json_object_get(json, "layers"), 0);
    assert_string_equal(json_string_value(json_object_get(json, "network")), "resnet8");
    assert_near(json_number_value(json_object_get(json, "items_per_second")), 2 / timing.best, 0);
    assert_true(json_number_value(json_object_get(first, "seconds")) < timing.mean);
    json_decref(json);
    const struct sl_profile_row row = {.runs = 4, .seconds = 2}, none = {0};
    assert_near(sl_profile_seconds(&row), .5, 0);
    assert_near(sl_profile_seconds(&none), 0, 0);
    sl_timing_release(&timing);
}

static void test_what_cannot_be_timed_is_refused(void **state)
{
    (void)state;
    struct sl_model_options model = small_network();
    struct sl_timing_options options = {.batch = 2, .steps = 0};
    struct sl_timing timing;
    struct sl_error err;
    assert_fails(sl_network_time(&model, &options, &timing, &err), SL_ERR_USAGE, err, "one step");
    options.steps = 1;
    model.network = "tagger";
    assert_fails(sl_network_time(&model, &options, &timing, &err), SL_ERR_USAGE, err,
                 "reads texts");
    model.network = "resnet9";
    assert_fails(sl_network_time(&model, &options, &timing, &err), SL_ERR_INPUT, err, "resnet9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_of_a_training_fit_together),
        cmocka_unit_test(test_training_moves_the_weights_and_inference_does_not),
        cmocka_unit_test(test_layers_are_timed_if_asked_for),
        cmocka_unit_test(test_what_cannot_be_timed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
