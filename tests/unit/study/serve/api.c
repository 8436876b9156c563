#include "study_scene.h"

static const char no_practice[] = "{\"flow\": {\"practice\": false}}";

static void test_a_whole_session_ends_with_the_completion_code(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 6, 3,
               "{\"recruiter\": {\"complete\": \"https://pay.test/?cc={code}\", \"codes\": "
               "{\"done\": \"DONE-1\"}}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    assert_int_equal(strlen(cookie), 64);
    json_t *session = session_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(session, "place")), "consent");
    assert_non_null(strstr(
        json_string_value(json_object_get(json_object_get(session, "consent"), "html")), "<h2>"));
    assert_true(json_is_null(json_object_get(session, "items")));
    assert_true(json_is_null(json_object_get(session, "completion")));
    json_decref(session);
    pass_to_trials(&scene, cookie);
    session = session_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(session, "place")), "practice");
    assert_int_equal(json_array_size(json_object_get(session, "items")), 5);
    assert_int_equal(json_array_size(json_object_get(session, "classes")), 3);
    const char *image = json_string_value(
        json_object_get(json_array_get(json_object_get(session, "items"), 0), "image"));
    char path[128];
    snprintf(path, sizeof path, "/%s", image);
    struct reply picture = get(&scene, path, cookie);
    assert_int_equal(picture.status, 200);
    assert_memory_equal(picture.body, "\x89PNG", 4);
    assert_non_null(strstr(picture.head, "Cache-Control: private"));
    reply_release(&picture);
    json_decref(session);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(99, 0, true, "circle")),
                     200);
    for (unsigned trial = 0; trial < 5; trial++)
        assert_int_equal(
            posted(&scene, "/api/answer", cookie, hard_answer(trial, trial, false, "square")), 200);
    assert_string_equal(place_of(&scene, cookie), "debrief");
    struct reply end = post(&scene, "/api/debrief", cookie,
                            "{\"answers\": [9, null, \"<script>\", \"\", null, \"x\"]}");
    assert_int_equal(end.status, 200);
    assert_string_equal(json_string_value(json_object_get(end.json, "place")), "done");
    reply_release(&end);
    session = session_of(&scene, cookie);
    const json_t *completion = json_object_get(session, "completion");
    assert_string_equal(json_string_value(json_object_get(completion, "code")), "DONE-1");
    assert_string_equal(json_string_value(json_object_get(completion, "url")),
                        "https://pay.test/?cc=DONE-1");
    json_decref(session);
    scene_stop(&scene);
}

static void test_an_answer_sent_twice_is_stored_once(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, no_practice);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    struct reply again = post(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle"));
    assert_int_equal(again.status, 200);
    assert_int_equal(json_integer_value(json_object_get(again.json, "trial")), 1);
    reply_release(&again);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "square")),
                     409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(2, 0, false, "square")),
                     409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(3, 2, false, "square")),
                     409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(3, 900, false, "square")),
                     409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(4, 0, true, "square")), 409);
    assert_int_equal(scene_count(&scene, false), 1);
    scene_stop(&scene);
}

static void test_going_back_is_a_revision_where_the_study_allows_it(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, "{\"flow\": {\"practice\": false, \"back\": true}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(2, 1, false, "circle")),
                     200);
    struct reply back = post(&scene, "/api/answer", cookie, hard_answer(3, 0, false, "square"));
    assert_int_equal(back.status, 200);
    assert_int_equal(json_integer_value(json_object_get(back.json, "trial")), 2);
    reply_release(&back);
    assert_int_equal(scene_count(&scene, false), 3);
    scene_stop(&scene);
}

static void test_a_restart_in_the_middle_changes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, no_practice);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    json_t *before = session_of(&scene, cookie);
    scene_stop(&scene);
    scene_start(&scene);
    json_t *after = session_of(&scene, cookie);
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(2, 1, false, "circle")),
                     200);
    assert_int_equal(scene_count(&scene, false), 2);
    scene_stop(&scene);
}

static void test_strangers_and_other_sites_are_refused(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], other[65];
    static const char consent[] = "{\"version\": \"1\", \"agreed\": true}";
    scene_make(&scene, 6, 3, no_practice);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    arrive(&scene, "/", other);
    assert_string_not_equal(cookie, other);
    struct reply reply = get(&scene, "/api/session", NULL);
    assert_int_equal(reply.status, 401);
    reply_release(&reply);
    char forged[65];
    snprintf(forged, sizeof forged, "%s", cookie);
    forged[10] = forged[10] == 'a' ? 'b' : 'a';
    assert_int_equal(posted(&scene, "/api/consent", forged, consent), 401);
    assert_int_equal(posted(&scene, "/api/consent", "short", consent), 401);
    static const char *const elsewhere[] = {"Sec-Fetch-Site: cross-site\r\n",
                                            "Sec-Fetch-Site: same-site\r\n",
                                            "Origin: https://evil.test\r\n"};
    for (size_t i = 0; i < 3; i++) {
        reply = ask(&scene, "POST", "/api/consent", cookie, elsewhere[i], consent);
        assert_int_equal(reply.status, 403);
        reply_release(&reply);
    }
    assert_string_equal(place_of(&scene, cookie), "consent");
    pass_to_trials(&scene, cookie);
    pass_to_trials(&scene, other);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    /* The id of somebody else's answer is taken, whatever the body. */
    assert_int_equal(posted(&scene, "/api/answer", other, hard_answer(1, 0, false, "circle")), 409);
    assert_int_equal(scene_count(&scene, false), 1);
    scene_stop(&scene);
}

static void test_a_lease_that_ran_out_is_gone(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 6, 3, "{\"lease_minutes\": 10, \"batch\": {\"annotators\": 1}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    atomic_fetch_add(&scene.clock, 9 * 60000);
    pass_to_trials(&scene, cookie); /* which renews it */
    atomic_fetch_add(&scene.clock, 9 * 60000);
    assert_string_equal(place_of(&scene, cookie), "practice");
    atomic_fetch_add(&scene.clock, 10 * 60000);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, true, "circle")), 410);
    struct reply reply = get(&scene, "/api/session", cookie);
    assert_int_equal(reply.status, 410);
    reply_release(&reply);
    scene_stop(&scene);
}

static void test_a_clock_set_back_takes_no_place_away(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, no_practice);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    atomic_fetch_sub(&scene.clock, 5 * 3600000);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    scene_stop(&scene);
}

static void test_who_returns_a_place_or_refuses_gets_another_code(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 6, 3,
               "{\"recruiter\": {\"codes\": {\"refused\": \"R\", \"failed\": \"X\"}}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    assert_int_equal(
        posted(&scene, "/api/consent", cookie, "{\"version\": \"1\", \"agreed\": false}"), 200);
    assert_string_equal(place_of(&scene, cookie), "refused");
    assert_int_equal(posted(&scene, "/api/return", cookie, "{}"), 409);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/return", cookie, "{}"), 200);
    assert_int_equal(posted(&scene, "/api/return", cookie, "{}"), 200);
    json_t *session = session_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(session, "place")), "refused");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(session, "completion"), "code")), "R");
    json_decref(session);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, true, "circle")), 409);
    scene_stop(&scene);
}

static void test_wrong_bodies_are_refused_and_change_nothing(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    static const char *const paths[] = {"/api/consent", "/api/instructions", "/api/check",
                                        "/api/answer",  "/api/events",       "/api/debrief",
                                        "/api/return"};
    static const char *const never[] = {"",           "{",    "[]",          "null", "\"x\"",
                                        "{\"x\": 1}", "{}{}", "{\"a\": 1,}", "\xff", "1"};
    static const struct {
        const char *path, *body;
    } wrong[] = {
        {"/api/consent", "{\"version\": 1, \"agreed\": true}"},
        {"/api/consent", "{\"version\": \"1\", \"agreed\": \"yes\"}"},
        {"/api/consent", "{\"version\": \"1\", \"agreed\": true, \"agreed\": false}"},
        {"/api/instructions", "{\"pages\": [\"long\"]}"},
        {"/api/instructions", "{\"pages\": 3}"},
        {"/api/check", "{\"answers\": [0]}"},
        {"/api/check", "{\"answers\": [0, 3]}"},
        {"/api/check", "{\"answers\": [0, -1]}"},
        {"/api/check", "{\"answers\": [0, 0.5]}"},
        {"/api/events", "{\"events\": [{\"kind\": \"blur\"}]}"},
        {"/api/events", "{\"events\": [{\"kind\": \"\", \"at\": 3}]}"},
        {"/api/events", "{\"events\": {\"kind\": \"blur\", \"at\": 3}}"},
        {"/api/debrief", "{\"answers\": [1]}"},
        {"/api/debrief", "{\"answers\": [11, 1, \"\", \"\", \"\", \"\"]}"},
        {"/api/debrief", "{\"answers\": [1, 1, 1, \"\", \"\", \"\"]}"},
        {"/api/return", "{\"now\": true}"},
    };
    scene_make(&scene, 3, 3, NULL);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++)
        for (size_t i = 0; i < sizeof never / sizeof *never; i++)
            assert_int_equal(posted(&scene, paths[p], cookie, never[i]), 400);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(posted(&scene, wrong[i].path, cookie, wrong[i].body), 400);
    assert_string_equal(place_of(&scene, cookie), "consent");
    scene_stop(&scene);
}

static void test_wrong_answers_are_refused_and_name_the_input(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"{\"id\": \"12\", \"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {}}",
         "32 hexadecimal"},
        {"{\"id\": \"0123456789abcdef0123456789abcdeg\", \"trial\": 0, \"practice\": false, "
         "\"elapsed\": 1, \"answer\": {}}",
         "32 hexadecimal"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": -1, \"practice\": false, "
         "\"elapsed\": 1, \"answer\": {}}",
         "$.trial"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": 0, "
         "\"elapsed\": 1, \"answer\": {}}",
         "$.practice"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": false, "
         "\"elapsed\": -5, \"answer\": {}}",
         "$.elapsed"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": false, "
         "\"elapsed\": 1, \"times\": {\"top\": [1]}, \"answer\": {}}",
         "$.times.top"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": false, "
         "\"elapsed\": 1, \"times\": [], \"answer\": {}}",
         "$.times"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": false, "
         "\"elapsed\": 1, \"answer\": {\"class\": \"<b>\"}}",
         "not a class of this study"},
        {"{\"id\": \"0123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": false, "
         "\"elapsed\": 1, \"answr\": {\"class\": \"circle\"}}",
         "did you mean \"answer\""},
    };
    scene_make(&scene, 3, 3, no_practice);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reply reply = post(&scene, "/api/answer", cookie, cases[i].body);
        assert_int_equal(reply.status, 400);
        assert_non_null(
            strstr(json_string_value(json_object_get(reply.json, "error")), cases[i].message));
        reply_release(&reply);
    }
    assert_int_equal(scene_count(&scene, false), 0);
    scene_stop(&scene);
}

static enum sl_status check_bars(const struct sl_store_row *row, void *context)
{
    ++*(size_t *)context;
    assert_non_null(strstr(row->answer->body, "\"percents\":[10,30,60]"));
    return SL_OK;
}

/* 10, 30 and 60 for circle, square and triangle, in the order that the session shows. */
static void answer_with_bars(const struct scene *scene, const char *cookie, unsigned id)
{
    static const char *const names[] = {"circle", "square", "triangle"};
    static const int wanted[] = {10, 30, 60};
    char body[512];
    int percents[3] = {0};
    json_t *session = session_of(scene, cookie);
    const json_t *classes = json_object_get(session, "classes");
    for (size_t k = 0; k < 3; k++)
        for (size_t n = 0; n < 3; n++)
            if (strcmp(json_string_value(json_array_get(classes, k)), names[n]) == 0)
                percents[k] = wanted[n];
    snprintf(body, sizeof body,
             "{\"id\": \"%032x\", \"trial\": 0, \"practice\": false, \"elapsed\": 3, \"answer\": "
             "{\"percents\": [%d, %d, %d]}}",
             id, percents[0], percents[1], percents[2]);
    assert_int_equal(posted(scene, "/api/answer", cookie, body), 200);
    assert_int_equal(posted(scene, "/api/answer", cookie, body), 200);
    json_decref(session);
}

/* Two of the six orders of three classes are not their own inverse: a dozen sessions meet one. */
static void test_bars_are_stored_in_the_order_of_the_study(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    size_t count = 0;
    scene_make(&scene, 3, 3, "{\"flow\": {\"practice\": false}, \"screens\": [\"bars\"]}");
    scene_start(&scene);
    for (unsigned i = 0; i < 12; i++) {
        arrive(&scene, scene_test_link(&scene), cookie);
        pass_to_trials(&scene, cookie);
        answer_with_bars(&scene, cookie, i);
    }
    scene_stop(&scene);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_answer(store, check_bars, &count, &err), err);
    assert_int_equal(count, 12);
    sl_store_close(store);
    sl_study_destroy(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_session_ends_with_the_completion_code),
        cmocka_unit_test(test_an_answer_sent_twice_is_stored_once),
        cmocka_unit_test(test_going_back_is_a_revision_where_the_study_allows_it),
        cmocka_unit_test(test_a_restart_in_the_middle_changes_nothing),
        cmocka_unit_test(test_strangers_and_other_sites_are_refused),
        cmocka_unit_test(test_a_lease_that_ran_out_is_gone),
        cmocka_unit_test(test_a_clock_set_back_takes_no_place_away),
        cmocka_unit_test(test_who_returns_a_place_or_refuses_gets_another_code),
        cmocka_unit_test(test_wrong_bodies_are_refused_and_change_nothing),
        cmocka_unit_test(test_wrong_answers_are_refused_and_name_the_input),
        cmocka_unit_test(test_bars_are_stored_in_the_order_of_the_study),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
