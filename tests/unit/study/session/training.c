/* Exercises with feedback and a pass mark. */
#include "study_scene.h"

static void make_trained(struct scene *scene, const char *name, const char *change)
{
    struct sl_error err;
    struct sl_study_setup setup = sl_study_setup_default();
    char folder[512], training[512];
    snprintf(folder, sizeof folder, "%s", test_path(name));
    snprintf(training, sizeof training, "%s", test_path("exercises"));
    *scene = (struct scene){.clock = 1700000000000};
    snprintf(scene->folder, sizeof scene->folder, "%s", folder);
    setup.folder = folder;
    setup.images = "shapes:n=6,classes=3,size=16";
    setup.training = training;
    setup.contact = "Ada Lovelace, ada@example.org";
    setup.batch_size = 3;
    setup.screens = "hard";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    scene_change(scene, "{\"order\": {\"shuffle_options\": false}}");
    scene_change(scene, change);
}

/* Answers the next exercise with this class. */
static struct reply answer_exercise(const struct scene *scene, const char *cookie,
                                    const char *class_name)
{
    static unsigned id = 1000;
    json_t *session = session_of(scene, cookie);
    const json_t *item = json_object_get(session, "practice");
    const size_t trial = (size_t)json_integer_value(json_object_get(item, "trial"));
    assert_non_null(json_object_get(item, "image"));
    assert_null(json_object_get(item, "truth"));
    json_decref(session);
    return post(scene, "/api/answer", cookie, hard_answer(id++, trial, true, class_name));
}

static void test_exercises_say_what_is_right_and_count_the_round(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_exercises("exercises", 2);
    make_trained(&scene, "trained",
                 "{\"training\": {\"trials\": 6, \"pass\": 0.3, \"attempts\": 2}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    assert_string_equal(place_of(&scene, cookie), "training");
    json_t *session = session_of(&scene, cookie);
    const json_t *training = json_object_get(session, "training");
    assert_int_equal(json_integer_value(json_object_get(training, "total")), 6);
    assert_int_equal(json_integer_value(json_object_get(training, "needed")), 2);
    assert_int_equal(json_integer_value(json_object_get(training, "attempts_left")), 2);
    json_decref(session);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 2, true, "circle")), 409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, true, "circle")), 409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     409);
    size_t right = 0;
    for (size_t i = 0; i < 6; i++) {
        struct reply reply = answer_exercise(&scene, cookie, "circle");
        assert_int_equal(reply.status, 200);
        const json_t *feedback = json_object_get(reply.json, "feedback");
        const bool circle =
            strcmp(json_string_value(json_object_get(feedback, "class")), "circle") == 0;
        assert_int_equal(json_is_true(json_object_get(feedback, "right")), circle);
        right += circle;
        const json_t *round = json_object_get(reply.json, "round");
        assert_int_equal(round != NULL, i == 5);
        if (round) assert_int_equal(json_integer_value(json_object_get(round, "right")), 2);
        if (round) assert_true(json_is_true(json_object_get(round, "passed")));
        reply_release(&reply);
    }
    assert_int_equal(right, 2); /* each of the six came once */
    assert_string_equal(place_of(&scene, cookie), "practice");
    session = session_of(&scene, cookie);
    assert_int_equal(json_integer_value(json_object_get(session, "trial")), 0);
    json_decref(session);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(77, 0, true, "circle")),
                     200);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(78, 0, false, "circle")),
                     200);
    scene_stop(&scene);
}

static void test_below_the_mark_comes_another_round_and_then_the_end(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    make_trained(&scene, "failed",
                 "{\"training\": {\"trials\": 6, \"pass\": 0.5, \"attempts\": 2}, "
                 "\"recruiter\": {\"codes\": {\"failed\": \"F-1\"}}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    for (size_t i = 0; i < 12; i++) {
        assert_string_equal(place_of(&scene, cookie), "training");
        struct reply reply = answer_exercise(&scene, cookie, "square");
        assert_int_equal(reply.status, 200);
        const json_t *round = json_object_get(reply.json, "round");
        assert_int_equal(round != NULL, i % 6 == 5);
        if (round) assert_true(json_is_false(json_object_get(round, "passed")));
        reply_release(&reply);
    }
    json_t *session = session_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(session, "place")), "failed");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(session, "completion"), "code")), "F-1");
    json_decref(session);
    scene_stop(&scene);
}

static void test_an_exercise_sent_again_counts_once_and_hears_the_same(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    make_trained(&scene, "again", "{\"training\": {\"trials\": 2, \"pass\": 0, \"attempts\": 1}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    for (size_t trial = 1; trial <= 2; trial++) {
        char *first = NULL;
        for (int i = 0; i < 3; i++) {
            struct reply reply = post(&scene, "/api/answer", cookie,
                                      hard_answer((unsigned)trial, trial, true, "square"));
            assert_int_equal(reply.status, 200);
            char *said = json_dumps(json_object_get(reply.json, "feedback"), JSON_SORT_KEYS);
            assert_int_equal(json_object_get(reply.json, "round") != NULL, trial == 2);
            if (first) assert_string_equal(said, first);
            free(first);
            first = said;
            reply_release(&reply);
        }
        free(first);
    }
    assert_string_equal(place_of(&scene, cookie), "practice");
    scene_stop(&scene);
    /* More exercises than there are is refused when the server starts. */
    scene_change(&scene, "{\"training\": {\"trials\": 7}}");
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_study_server *server = NULL;
    struct sl_error err;
    serve.port = serve.admin_port = 0;
    assert_fails(sl_study_server_create(scene.folder, &serve, &server, &err), SL_ERR_INPUT, err,
                 "a round of training has 7 trials, but there are 6 exercises");
}

static void test_simulated_annotators_train(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    make_trained(&scene, "simulated",
                 "{\"training\": {\"trials\": 4, \"pass\": 0.5, \"attempts\": 3}}");
    scene_start(&scene);
    struct sl_study_simulation options = sl_study_simulation_default();
    snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)scene.port);
    options.url = url;
    options.folder = scene.folder;
    options.annotators = options.at_once = 3;
    options.speed = 0;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 3);
    scene_stop(&scene);
}

static void test_exercises_are_what_the_items_are_and_have_classes(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_study_setup setup = sl_study_setup_default();
    char folder[512], texts[512], training[512];
    snprintf(folder, sizeof folder, "%s", test_path("worded"));
    snprintf(texts, sizeof texts, "%s", test_path("items.tsv"));
    snprintf(training, sizeof training, "%s", test_path("exercises.tsv"));
    static const char items[] = "text\ngood\nbad\n";
    static const char unknown[] = "text\tlabel\nfine\tyes\nawful\t\n";
    static const char known[] = "text\tlabel\nfine\tyes\nawful\tno\n";
    test_write(texts, items, sizeof items - 1);
    test_write(training, unknown, sizeof unknown - 1);
    setup.folder = folder;
    setup.texts = texts;
    setup.classes = "yes,no";
    setup.training = training;
    setup.contact = "Ada Lovelace, ada@example.org";
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "exercise 1 has no class");
    test_write(training, known, sizeof known - 1);
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    struct sl_study *study = NULL;
    assert_ok(sl_study_read(folder, &study, &err), err);
    assert_int_equal(study->training_trials, 2);
    sl_study_destroy(study);
    snprintf(folder, sizeof folder, "%s", test_path("mismatched"));
    snprintf(training, sizeof training, "%s", test_path("exercises"));
    assert_fails(sl_study_init(&setup, NULL, &err), SL_ERR_INPUT, err, "exercises must be texts");
    assert_false(sl_folder_exists(folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exercises_say_what_is_right_and_count_the_round),
        cmocka_unit_test(test_below_the_mark_comes_another_round_and_then_the_end),
        cmocka_unit_test(test_an_exercise_sent_again_counts_once_and_hears_the_same),
        cmocka_unit_test(test_simulated_annotators_train),
        cmocka_unit_test(test_exercises_are_what_the_items_are_and_have_classes),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
