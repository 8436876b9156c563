#include "study/status/status.h"

#include "study_sample.h"
#include "support.h"

static struct sample sample;
static json_t *status;

static int set_up(void **state)
{
    (void)state;
    struct sl_error err;
    sample = sample_create("study", "");
    assert_ok(sl_study_status(sample.study, sample.store, SAMPLE_NOW, &status, &err), err);
    return 0;
}

static int tear_down(void **state)
{
    json_decref(status);
    sample_destroy(&sample);
    return test_folder_clear(state);
}

static json_t *at(const char *key)
{
    json_t *value = json_object_get(status, key);
    assert_non_null(value);
    return value;
}

static json_int_t number(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static double real(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_real(value));
    return json_real_value(value);
}

static void test_sessions_are_counted_by_their_state(void **state)
{
    (void)state;
    const json_t *sessions = at("sessions");
    assert_int_equal(number(sessions, "active"), 1);
    assert_int_equal(number(sessions, "done"), 9);
    assert_int_equal(number(sessions, "expired"), 1);
    assert_int_equal(number(sessions, "returned"), 1);
    assert_int_equal(number(sessions, "refused"), 0);
    assert_int_equal(number(sessions, "test"), 1);
    assert_int_equal(json_integer_value(at("answers")), SAMPLE_COUNTED);
    assert_int_equal(json_array_size(at("leases")), 1);
    assert_int_equal(number(json_array_get(at("leases"), 0), "left_seconds"), 600);
}

static void test_batches_have_their_target_finished_and_live(void **state)
{
    (void)state;
    json_int_t finished = 0, live = 0;
    assert_int_equal(json_array_size(at("batches")), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *batch = json_array_get(at("batches"), i);
        assert_int_equal(number(batch, "target"), 6);
        finished += number(batch, "finished");
        live += number(batch, "live");
    }
    assert_int_equal(finished, 9);
    assert_int_equal(live, 1);
}

/* Nobody has written down yet that the lease ran out. */
static void test_a_lease_that_ran_out_is_not_live(void **state)
{
    (void)state;
    json_t *later = NULL;
    struct sl_error err;
    assert_ok(sl_study_status(sample.study, sample.store, SAMPLE_NOW + 600001, &later, &err), err);
    assert_int_equal(number(json_object_get(later, "sessions"), "active"), 0);
    assert_int_equal(number(json_object_get(later, "sessions"), "expired"), 2);
    assert_int_equal(json_array_size(json_object_get(later, "leases")), 0);
    json_decref(later);
}

static void test_hours_hold_every_answer_of_the_day(void **state)
{
    (void)state;
    json_int_t sum = 0;
    assert_int_equal(json_array_size(at("per_hour")), 24);
    for (size_t i = 0; i < 24; i++)
        sum += json_integer_value(json_array_get(at("per_hour"), i));
    assert_int_equal(sum, SAMPLE_COUNTED);
    assert_true(json_integer_value(json_array_get(at("per_hour"), 22)) > 40);
    assert_int_equal(json_integer_value(json_array_get(at("per_hour"), 0)), 0);
}

/* Last changes at 2, 5 and 14 seconds. */
static void test_an_input_takes_from_the_change_before_to_its_own(void **state)
{
    (void)state;
    const json_t *collins = json_object_get(at("input_seconds"), "collins");
    assert_near(real(json_object_get(collins, "top"), "median"), 2, 1e-9);
    assert_near(real(json_object_get(collins, "top_percent"), "median"), 3, 1e-9);
    assert_near(real(json_object_get(collins, "impossible"), "median"), 9, 1e-9);
    assert_int_equal(number(json_object_get(collins, "top"), "count"), 40);
    assert_near(real(json_object_get(at("trial_seconds"), "bars"), "median"), 25.5, 1e-9);
}

static void test_exclusions_have_their_reasons(void **state)
{
    (void)state;
    const json_t *list = at("exclusions"), *annotators = at("annotators");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(annotators, 3), "excluded")),
        "more than two errors");
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(annotators, 4), "excluded")),
        "under 75 % of attention checks passed");
    assert_true(json_is_null(json_object_get(json_array_get(annotators, 0), "excluded")));
    assert_int_equal(number(at("checks"), "passed"), 8);
    assert_int_equal(number(at("checks"), "failed"), 1);
}

static void test_annotators_are_listed_without_their_names(void **state)
{
    (void)state;
    assert_int_equal(json_array_size(at("annotators")), SAMPLE_PEOPLE + 1);
    const json_t *first = json_array_get(at("annotators"), 0);
    assert_int_equal(strlen(json_string_value(json_object_get(first, "annotator"))), 12);
    assert_near(real(first, "seconds"), 15, 1e-9);
    char *text = json_dumps(status, 0);
    for (size_t i = 0; i < SAMPLE_PEOPLE; i++)
        assert_null(strstr(text, sample_person(i)));
    assert_null(strstr(text, "SESSION_ID"));
    free(text);
}

static const json_t *item_called(const char *id)
{
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach(at("items"), index, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "id")), id) == 0) return item;
    }
    fail_msg("no item %s", id);
    return NULL;
}

static void test_items_have_a_mean_label(void **state)
{
    (void)state;
    const json_t *item = item_called("item1");
    assert_int_equal(json_array_size(at("items")), SAMPLE_ITEMS);
    const json_t *top = json_array_get(json_object_get(item, "label"), 0);
    assert_string_equal(json_string_value(json_array_get(top, 0)), "Horse");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(item, "label")); i++)
        sum +=
            json_real_value(json_array_get(json_array_get(json_object_get(item, "label"), i), 1));
    assert_near(sum, 1, .02);
    assert_true(real(item, "entropy") > 0 && real(item, "entropy") < 1.0987);
    assert_string_equal(json_string_value(json_object_get(item, "image")), "admin/image/1");
}

/* Each repeats Deer with 60 after 70, those at the bars with the same. */
static void test_repeats_say_how_steady_people_are(void **state)
{
    (void)state;
    assert_int_equal(number(at("repeats"), "count"), 9);
    assert_near(real(at("repeats"), "changed_class"), 0, 1e-9);
    assert_true(real(at("repeats"), "mean_change") > 5);
    assert_true(real(at("agreement"), "observed") > .8);
    assert_true(real(at("agreement"), "alpha") > .7);
}

static void test_a_study_nobody_has_seen_has_a_status(void **state)
{
    (void)state;
    struct sl_store *store = NULL;
    struct sl_error err;
    json_t *empty = NULL;
    struct sl_store_options options = sl_store_options_default();
    options.create = true;
    assert_ok(sl_store_open(test_path("empty.db"), &options, &store, &err), err);
    assert_ok(sl_study_status(sample.study, store, SAMPLE_NOW, &empty, &err), err);
    assert_int_equal(number(empty, "answers"), 0);
    assert_true(json_is_null(json_object_get(json_object_get(empty, "agreement"), "alpha")));
    json_decref(empty);
    sl_store_close(store);
}

static void test_a_reader_beside_the_writer_sees_the_same(void **state)
{
    (void)state;
    struct sl_store *reader = NULL;
    struct sl_error err;
    json_t *seen = NULL;
    assert_ok(sl_study_store(sample.study, true, &reader, &err), err);
    assert_ok(sl_study_status(sample.study, reader, SAMPLE_NOW, &seen, &err), err);
    assert_true(json_equal(seen, status));
    json_decref(seen);
    sl_store_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_are_counted_by_their_state),
        cmocka_unit_test(test_batches_have_their_target_finished_and_live),
        cmocka_unit_test(test_a_lease_that_ran_out_is_not_live),
        cmocka_unit_test(test_hours_hold_every_answer_of_the_day),
        cmocka_unit_test(test_an_input_takes_from_the_change_before_to_its_own),
        cmocka_unit_test(test_exclusions_have_their_reasons),
        cmocka_unit_test(test_annotators_are_listed_without_their_names),
        cmocka_unit_test(test_items_have_a_mean_label),
        cmocka_unit_test(test_repeats_say_how_steady_people_are),
        cmocka_unit_test(test_a_study_nobody_has_seen_has_a_status),
        cmocka_unit_test(test_a_reader_beside_the_writer_sees_the_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
