/* Coming to a study, and what the pages of its port have in common. */
#include "study_scene.h"

static void test_a_full_study_says_so_with_its_code(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, "{\"recruiter\": {\"codes\": {\"full\": \"F\"}}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    arrive(&scene, "/", cookie);
    arrive(&scene, "/", cookie);
    assert_string_equal(cookie, "full");
    json_t *session = session_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(session, "place")), "full");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(session, "completion"), "code")), "F");
    json_decref(session);
    arrive(&scene, scene_test_link(&scene), cookie);
    session = session_of(&scene, cookie);
    assert_true(json_is_true(json_object_get(session, "test")));
    json_decref(session);
    scene_stop(&scene);
    /* More are wanted after all: study.json says so. */
    scene_change(&scene, "{\"batch\": {\"annotators\": 3}}");
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    assert_string_equal(place_of(&scene, cookie), "consent");
    scene_stop(&scene);
}

static void test_prolific_people_keep_their_place(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], again[65];
    scene_make(&scene, 6, 3,
               "{\"flow\": {\"practice\": false}, \"recruiter\": {\"kind\": \"prolific\", "
               "\"person\": \"PROLIFIC_PID\", \"keep\": [\"STUDY_ID\", \"SESSION_ID\"]}}");
    scene_start(&scene);
    struct reply reply = get(&scene, "/", NULL);
    assert_int_equal(reply.status, 400);
    assert_non_null(strstr(reply.body, "This link is not complete"));
    reply_release(&reply);
    reply = get(&scene, "/?PROLIFIC_PID=5f0aa&STUDY_ID=s1&SESSION_ID=x", NULL);
    assert_int_equal(reply.status, 303);
    assert_non_null(strstr(reply.head, "Location: study\r\n"));
    assert_non_null(strstr(reply.head, "HttpOnly; SameSite=Lax"));
    assert_null(strstr(reply.head, "Secure"));
    assert_null(strstr(reply.head, "5f0aa"));
    reply_release(&reply);
    arrive(&scene, "/?PROLIFIC_PID=5f0aa", cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, false, "circle")),
                     200);
    /* Another browser: the same place, and the old cookie is worth nothing. */
    arrive(&scene, "/?PROLIFIC_PID=5f0aa", again);
    assert_int_equal(posted(&scene, "/api/events", cookie, "{\"events\": []}"), 401);
    json_t *session = session_of(&scene, again);
    assert_int_equal(json_integer_value(json_object_get(session, "trial")), 1);
    json_decref(session);
    /* The same browser: no new cookie is needed. */
    reply = get(&scene, "/?PROLIFIC_PID=5f0aa", again);
    assert_int_equal(reply.status, 303);
    assert_null(strstr(reply.head, "Set-Cookie"));
    reply_release(&reply);
    scene_stop(&scene);
}

static void test_a_proxy_is_believed_only_where_the_options_say_so(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 3, 3,
               "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"participant\"}}");
    scene.behind_proxy = true;
    scene_start(&scene);
    static const char tls[] =
        "X-Forwarded-Proto: https\r\nX-Forwarded-For: 9.9.9.9, 203.0.113.7\r\n";
    struct reply reply = ask(&scene, "GET", "/?participant=a", NULL, tls, NULL);
    assert_non_null(strstr(reply.head, "; Secure\r\n"));
    reply_release(&reply);
    /* What stands before the proxy's own word is anybody's invention. */
    int n_admitted = 0;
    for (int i = 0; i < 300; i++) {
        char invented[100];
        snprintf(invented, sizeof invented, "X-Forwarded-For: 9.9.9.%d, 203.0.113.7\r\n", i % 256);
        reply = ask(&scene, "GET", "/", NULL, invented, NULL);
        if (reply.status != 400) break;
        reply_release(&reply);
        n_admitted++;
    }
    assert_int_equal(reply.status, 429);
    assert_non_null(strstr(reply.head, "Retry-After: 1\r\n"));
    assert_int_equal(n_admitted, 199);
    reply_release(&reply);
    /* Neither another address nor this one a little later is kept out. */
    reply = ask(&scene, "GET", "/", NULL, "X-Forwarded-For: 203.0.113.8\r\n", NULL);
    assert_int_equal(reply.status, 400);
    reply_release(&reply);
    atomic_fetch_add(&scene.clock, 1000);
    reply = ask(&scene, "GET", "/", NULL, tls, NULL);
    assert_int_equal(reply.status, 400);
    reply_release(&reply);
    scene_stop(&scene);
}

/* The preview of a link takes nobody's place. */
static void test_a_look_at_the_head_is_no_arrival(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, "{\"batch\": {\"annotators\": 1}}");
    scene_start(&scene);
    for (int i = 0; i < 5; i++) {
        struct reply reply = ask(&scene, "HEAD", "/", NULL, NULL, NULL);
        assert_int_equal(reply.status, 200);
        assert_null(strstr(reply.head, "Set-Cookie"));
        assert_string_equal(reply.body, "");
        reply_release(&reply);
    }
    arrive(&scene, "/", cookie);
    assert_string_equal(place_of(&scene, cookie), "consent");
    scene_stop(&scene);
}

static void test_pages_carry_the_security_headers(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 3, 3, NULL);
    scene_start(&scene);
    static const char *const paths[] = {"/study", "/api/session", "/nothing", "/web/index.html"};
    static const char *const headers[] = {
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'\r\n",
        "X-Content-Type-Options: nosniff\r\n", "Referrer-Policy: no-referrer\r\n",
        "Permissions-Policy: "};
    for (size_t p = 0; p < 4; p++) {
        struct reply reply = get(&scene, paths[p], NULL);
        for (size_t h = 0; h < 4; h++)
            assert_non_null(strstr(reply.head, headers[h]));
        reply_release(&reply);
    }
    struct reply page = get(&scene, "/study", NULL);
    assert_int_equal(page.status, 200);
    assert_non_null(strstr(page.head, "Content-Type: text/html; charset=utf-8\r\n"));
    struct reply same = ask(&scene, "GET", "/study", NULL, test_tag_line(page.head), NULL);
    assert_int_equal(same.status, 304);
    reply_release(&same);
    reply_release(&page);
    static const char *const absent[] = {"/web/study.json", "/web/..%2fstudy.json", "/image/abc",
                                         "/image/0123456789abcdef0123456789abcdef"};
    for (size_t i = 0; i < 4; i++) {
        struct reply reply = get(&scene, absent[i], NULL);
        assert_true(reply.status == 404 || reply.status == 400);
        reply_release(&reply);
    }
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_study_says_so_with_its_code),
        cmocka_unit_test(test_prolific_people_keep_their_place),
        cmocka_unit_test(test_a_proxy_is_believed_only_where_the_options_say_so),
        cmocka_unit_test(test_a_look_at_the_head_is_no_arrival),
        cmocka_unit_test(test_pages_carry_the_security_headers),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
