/* The comprehension check: attempts are a person's, and one that is sent again counts once. */
#include "study_scene.h"

static void test_the_comprehension_check_has_its_attempts(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, "{\"flow\": {\"attempts\": 2}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    assert_int_equal(posted(&scene, "/api/check", cookie, "{\"answers\": [0, 0]}"), 409);
    assert_int_equal(
        posted(&scene, "/api/consent", cookie, "{\"version\": \"0\", \"agreed\": true}"), 409);
    assert_int_equal(
        posted(&scene, "/api/consent", cookie, "{\"version\": \"1\", \"agreed\": true}"), 200);
    assert_int_equal(posted(&scene, "/api/instructions", cookie, "{\"pages\": []}"), 200);
    struct reply reply = post(&scene, "/api/check", cookie, "{\"answers\": [0, 2]}");
    assert_int_equal(reply.status, 200);
    assert_true(json_is_false(json_object_get(reply.json, "passed")));
    assert_int_equal(json_integer_value(json_object_get(reply.json, "attempts_left")), 1);
    assert_int_equal(json_integer_value(json_object_get(reply.json, "wrong")), 1);
    reply_release(&reply);
    reply = post(&scene, "/api/check", cookie, "{\"answers\": [1, 0]}");
    assert_string_equal(json_string_value(json_object_get(reply.json, "place")), "failed");
    reply_release(&reply);
    reply = post(&scene, "/api/check", cookie, "{\"answers\": [0, 0]}");
    assert_string_equal(json_string_value(json_object_get(reply.json, "place")), "failed");
    assert_true(json_is_false(json_object_get(reply.json, "passed")));
    reply_release(&reply);
    scene_stop(&scene);
}

static const char *attempt(unsigned id, int first, int second)
{
    static char body[128];
    snprintf(body, sizeof body, "{\"id\": \"%032x\", \"answers\": [%d, %d]}", id, first, second);
    return body;
}

/* Posts an attempt; place, how many were wrong and the attempts left, in `out`. */
static void try_check(const struct scene *scene, const char *cookie, const char *body,
                      char out[100])
{
    struct reply reply = post(scene, "/api/check", cookie, body);
    assert_int_equal(reply.status, 200);
    snprintf(out, 100, "%s %d %d", json_string_value(json_object_get(reply.json, "place")),
             (int)json_integer_value(json_object_get(reply.json, "wrong")),
             (int)json_integer_value(json_object_get(reply.json, "attempts_left")));
    reply_release(&reply);
}

static void pass_to_check(const struct scene *scene, const char *cookie)
{
    assert_int_equal(
        posted(scene, "/api/consent", cookie, "{\"version\": \"1\", \"agreed\": true}"), 200);
    assert_int_equal(posted(scene, "/api/instructions", cookie, "{\"pages\": []}"), 200);
}

static void test_an_attempt_sent_again_counts_once(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], said[100];
    scene_make(&scene, 3, 3, "{\"flow\": {\"practice\": false, \"attempts\": 3}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_check(&scene, cookie);
    for (int i = 0; i < 5; i++) {
        try_check(&scene, cookie, attempt(1, 0, 2), said);
        assert_string_equal(said, "check 1 2");
    }
    /* A new session of the page, or of the server, knows the id as well. */
    scene_stop(&scene);
    scene_start(&scene);
    try_check(&scene, cookie, attempt(1, 0, 2), said);
    assert_string_equal(said, "check 1 2");
    assert_int_equal(posted(&scene, "/api/check", cookie, attempt(1, 0, 0)), 409);
    try_check(&scene, cookie, attempt(2, 1, 2), said);
    assert_string_equal(said, "check 2 1");
    try_check(&scene, cookie, attempt(3, 0, 0), said);
    assert_string_equal(said, "trials 0 0");
    try_check(&scene, cookie, attempt(3, 0, 0), said);
    assert_string_equal(said, "trials 0 0");
    try_check(&scene, cookie, attempt(2, 1, 2), said);
    assert_string_equal(said, "trials 2 0");
    static const char *const bad[] = {"{\"id\": \"12\", \"answers\": [0, 0]}",
                                      "{\"id\": 7, \"answers\": [0, 0]}"};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(posted(&scene, "/api/check", cookie, bad[i]), 400);
    scene_stop(&scene);
}

static const char named_people[] =
    "{\"flow\": {\"practice\": false, \"attempts\": 2}, \"lease_minutes\": 10, "
    "\"recruiter\": {\"kind\": \"generic\", \"person\": \"who\", \"codes\": {\"failed\": "
    "\"F\"}}, \"batch\": {\"annotators\": 9}}";

static void test_nobody_gets_fresh_attempts_by_coming_again(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], said[100];
    scene_make(&scene, 3, 3, named_people);
    scene_start(&scene);
    /* Let the place run out and come again: one attempt is used. */
    arrive(&scene, "/?who=ann", cookie);
    pass_to_check(&scene, cookie);
    try_check(&scene, cookie, attempt(1, 1, 0), said);
    assert_string_equal(said, "check 1 1");
    atomic_fetch_add(&scene.clock, 3600000);
    arrive(&scene, "/?who=ann", cookie);
    json_t *session = session_of(&scene, cookie);
    assert_int_equal(json_integer_value(json_object_get(session, "attempts_left")), 1);
    json_decref(session);
    pass_to_check(&scene, cookie);
    try_check(&scene, cookie, attempt(2, 1, 0), said);
    assert_string_equal(said, "failed 1 0");
    /* Failed is failed, in any browser and however late, with the code that says so. */
    atomic_fetch_add(&scene.clock, 360000000);
    arrive(&scene, "/?who=ann", cookie);
    session = session_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(session, "place")), "failed");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(session, "completion"), "code")), "F");
    json_decref(session);
    /* Give the place back and come again. */
    arrive(&scene, "/?who=bob", cookie);
    pass_to_check(&scene, cookie);
    try_check(&scene, cookie, attempt(3, 1, 0), said);
    assert_int_equal(posted(&scene, "/api/return", cookie, "{}"), 200);
    arrive(&scene, "/?who=bob", cookie);
    pass_to_check(&scene, cookie);
    try_check(&scene, cookie, attempt(4, 1, 0), said);
    assert_string_equal(said, "failed 1 0");
    scene_stop(&scene);
}

/* In an open study only the cookie knows people. */
static void test_a_cookie_that_ran_out_still_knows_its_attempts(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], said[100];
    scene_make(&scene, 3, 3,
               "{\"flow\": {\"practice\": false, \"attempts\": 2}, \"lease_minutes\": 10}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_check(&scene, cookie);
    try_check(&scene, cookie, attempt(1, 1, 0), said);
    atomic_fetch_add(&scene.clock, 3600000);
    struct reply reply = get(&scene, "/", cookie);
    const char *set = strstr(reply.head, "Set-Cookie: softlab=");
    assert_non_null(set);
    snprintf(cookie, sizeof cookie, "%.64s", set + 20);
    reply_release(&reply);
    pass_to_check(&scene, cookie);
    try_check(&scene, cookie, attempt(2, 1, 0), said);
    assert_string_equal(said, "failed 1 0");
    scene_stop(&scene);
}

static const char shuffled[] =
    "{\"order\": {\"shuffle_options\": true}, \"flow\": {\"practice\": false, \"attempts\": 9}, "
    "\"batch\": {\"annotators\": 99}, \"comprehension\": [{\"question\": \"Q\", \"options\": "
    "[\"a\", "
    "\"b\", \"c\", \"d\"], \"answer\": 2}]}";

/* The options of the one question, in the order shown. */
static void shown_options(const struct scene *scene, const char *cookie, char out[8])
{
    json_t *session = session_of(scene, cookie);
    const json_t *question = json_array_get(json_object_get(session, "questions"), 0);
    *out = '\0';
    for (size_t i = 0; i < 4; i++)
        snprintf(out + i, 2, "%s",
                 json_string_value(json_array_get(json_object_get(question, "options"), i)));
    assert_null(json_object_get(question, "answer"));
    json_decref(session);
}

/* Chooses an option by its letter as a page does that showed attempt number `number`. */
static const char *choose(unsigned id, int number, const char *options, char letter)
{
    static char body[160];
    snprintf(body, sizeof body, "{\"id\": \"%032x\", \"attempt\": %d, \"answers\": [%d]}", id,
             number, (int)(strchr(options, letter) - options));
    return body;
}

static void test_options_are_shuffled_for_every_person_and_attempt(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], said[100], options[8], first[8];
    size_t places[4] = {0}, moved = 0;
    /* The server draws from the system's chance: with 90 people a place stays empty in 2e-11 of the
     * runs. */
    scene_make(&scene, 3, 3, shuffled);
    scene_start(&scene);
    for (unsigned person = 0; person < 90; person++) {
        arrive(&scene, "/", cookie);
        pass_to_check(&scene, cookie);
        shown_options(&scene, cookie, first);
        places[strchr(first, 'c') - first]++;
        try_check(&scene, cookie, choose(10 * person, 0, first, 'a'), said);
        assert_string_equal(said, "check 1 8");
        shown_options(&scene, cookie, options);
        moved += strcmp(first, options) != 0;
        /* What was sent before is still known, though the options stand elsewhere now; a page that
         * shows the old order cannot be scored by the new one. */
        try_check(&scene, cookie, choose(10 * person, 0, first, 'a'), said);
        assert_string_equal(said, "check 1 8");
        assert_int_equal(
            posted(&scene, "/api/check", cookie, choose(10 * person + 1, 0, first, 'c')), 409);
        try_check(&scene, cookie, choose(10 * person + 2, 1, options, 'c'), said);
        assert_string_equal(said, "trials 0 7");
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(places[i] > 0);
    assert_true(moved >= 45);
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_comprehension_check_has_its_attempts),
        cmocka_unit_test(test_an_attempt_sent_again_counts_once),
        cmocka_unit_test(test_nobody_gets_fresh_attempts_by_coming_again),
        cmocka_unit_test(test_options_are_shuffled_for_every_person_and_attempt),
        cmocka_unit_test(test_a_cookie_that_ran_out_still_knows_its_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
