/* Attention: cards that say what to choose, and the least time of a trial. */
#include "study_scene.h"

static const char cards[] =
    "{\"flow\": {\"practice\": false}, \"batch\": {\"repeats\": 0, \"check_every\": 2, "
    "\"check_kinds\": [\"instructed\"]}}";

static void test_cards_are_checks_of_the_status(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char cookie[65];
    scene_make(&scene, 4, 4, cards);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    json_t *session = session_of(&scene, cookie);
    const json_t *shown = json_object_get(session, "items");
    assert_int_equal(json_array_size(shown), 6);
    /* The first card is obeyed, the second is not. */
    for (size_t t = 0; t < 6; t++) {
        const char *wanted =
            json_string_value(json_object_get(json_array_get(shown, t), "instructed"));
        assert_int_equal(wanted != NULL, t == 2 || t == 5);
        if (wanted) assert_null(json_object_get(json_array_get(shown, t), "image"));
        const char *said = t == 2 ? wanted : "circle";
        if (t == 5 && strcmp(wanted, said) == 0) said = "square";
        assert_int_equal(
            posted(&scene, "/api/answer", cookie, hard_answer((unsigned)t + 1, t, false, said)),
            200);
    }
    json_decref(session);
    scene_stop(&scene);
    /* A second start adds no second cards. */
    scene_start(&scene);
    scene_stop(&scene);
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    json_t *status = NULL;
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_study_status(study, store, 1700000000000, &status, &err), err);
    const json_t *person = json_array_get(json_object_get(status, "annotators"), 0);
    assert_int_equal(json_integer_value(json_object_get(person, "checks")), 2);
    assert_int_equal(json_integer_value(json_object_get(person, "checks_right")), 1);
    assert_int_equal(json_array_size(json_object_get(status, "items")), 4);
    json_decref(status);
    sl_store_close(store);
    sl_study_destroy(study);
}

static void test_kinds_of_checks_must_exist_and_fit_the_screen(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_error err;
    scene_make(&scene, 3, 3, "{\"batch\": {\"check_kinds\": [\"obvius\"]}}");
    assert_fails(sl_study_read(scene.folder, &study, &err), SL_ERR_INPUT, err,
                 "batch.check_kinds: unknown kind \"obvius\"");
    scene_change(&scene, "{\"batch\": {\"check_kinds\": [\"instructed\"]}, \"screens\": [\"mix\"], "
                         "\"items\": {\"kind\": \"mixtures\"}}");
    assert_fails(sl_study_read(scene.folder, &study, &err), SL_ERR_INPUT, err, "ask for none");
}

static const char *answer_after(unsigned id, size_t trial, bool practice, int ms)
{
    static char body[256];
    snprintf(body, sizeof body,
             "{\"id\": \"%032x\", \"trial\": %zu, \"practice\": %s, \"elapsed\": %d, "
             "\"answer\": {\"class\": \"circle\"}}",
             id, trial, practice ? "true" : "false", ms);
    return body;
}

static void test_a_trial_takes_its_least_time(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, "{\"flow\": {\"practice\": false, \"min_seconds\": 2.5}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    json_t *session = session_of(&scene, cookie);
    assert_true(json_real_value(json_object_get(session, "min_seconds")) == 2.5);
    json_decref(session);
    atomic_fetch_add(&scene.clock, 2500);
    struct reply reply = post(&scene, "/api/answer", cookie, answer_after(1, 0, false, 2499));
    assert_int_equal(reply.status, 400);
    assert_non_null(strstr(reply.body, "at least 2.5 s"));
    reply_release(&reply);
    assert_int_equal(posted(&scene, "/api/answer", cookie, answer_after(1, 0, false, 2500)), 200);
    /* Saying that it took longer does not make it so. */
    reply = post(&scene, "/api/answer", cookie, answer_after(2, 1, false, 9000));
    assert_int_equal(reply.status, 400);
    assert_non_null(strstr(reply.body, "2 answers take at least 5 s"));
    reply_release(&reply);
    /* Answers that waited for a connection come together; one that is sent again is known. */
    atomic_fetch_add(&scene.clock, 5000);
    assert_int_equal(posted(&scene, "/api/answer", cookie, answer_after(2, 1, false, 2600)), 200);
    assert_int_equal(posted(&scene, "/api/answer", cookie, answer_after(3, 2, false, 2600)), 200);
    assert_int_equal(posted(&scene, "/api/answer", cookie, answer_after(1, 0, false, 2500)), 200);
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cards_are_checks_of_the_status),
        cmocka_unit_test(test_kinds_of_checks_must_exist_and_fit_the_screen),
        cmocka_unit_test(test_a_trial_takes_its_least_time),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
