#include "admin_scene.h"
#include "study/stored_answers.h"

static void test_without_a_password_the_page_says_how_to_set_one(void **state)
{
    (void)state;
    assert_int_equal(get("/admin/session", ""), 200);
    assert_non_null(strstr(reply, "\"password\":false"));
    assert_non_null(strstr(reply, "softlab study password"));
    assert_int_equal(try_password("anything at all"), 403);
    assert_non_null(strstr(reply, "softlab study password"));
    assert_int_equal(try_password(""), 403);
}

static void test_the_cookie_is_for_these_pages_only(void **state)
{
    (void)state;
    struct login login = log_in();
    const char *cookie = strstr(reply, "Set-Cookie: ");
    const char *end = strstr(cookie, "\r\n");
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(end - cookie), cookie);
    assert_non_null(strstr(line, "; HttpOnly"));
    assert_non_null(strstr(line, "; SameSite=Strict"));
    assert_non_null(strstr(line, "; Path=/admin"));
    assert_non_null(strstr(line, "; Max-Age=28800"));
    assert_null(strstr(line, "Secure"));
    assert_int_equal(get("/admin/session", login.cookie), 200);
    assert_non_null(strstr(reply, "\"in\":true"));
    assert_int_equal(post("/admin/login", "X-Forwarded-Proto: https\r\n",
                          "{\"password\":\"correct horse battery\"}"),
                     200);
    assert_non_null(strstr(reply, "; Secure"));
}

static const char *const guarded[] = {"/admin/status", "/admin/export/answers", "/admin/image/0",
                                      "/admin/export/nothing", "/admin/image/99"};

static void test_nothing_is_shown_to_those_who_did_not_log_in(void **state)
{
    (void)state;
    static const char *const cookies[] = {
        "", "Cookie: softlab-admin=\r\n", "Cookie: softlab-admin=0000\r\n",
        "Cookie: softlab-admin="
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n",
        "Cookie: softlab-admin="
        "zzzz456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n",
        /* An annotator's. */
        "Cookie: softlab=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n"};
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++)
        for (size_t c = 0; c < sizeof cookies / sizeof *cookies; c++) {
            assert_int_equal(get(guarded[i], cookies[c]), 401);
            assert_string_equal(scene_body(reply), "{\"error\": \"log in first\"}");
        }
}

static void test_a_session_ends_after_eight_hours(void **state)
{
    (void)state;
    struct login login = log_in();
    clock_ms = SAMPLE_NOW + INT64_C(8) * 3600 * 1000 - 1;
    assert_int_equal(get("/admin/status", login.cookie), 200);
    clock_ms = SAMPLE_NOW + INT64_C(8) * 3600 * 1000;
    assert_int_equal(get("/admin/status", login.cookie), 401);
    clock_ms = SAMPLE_NOW;
    assert_int_equal(get("/admin/status", login.cookie), 401);
}

static void test_logging_out_needs_the_session_s_own_token(void **state)
{
    (void)state;
    struct login login = log_in(), other = log_in();
    char headers[1024];
    assert_int_equal(post("/admin/logout", login.cookie, "{}"), 403);
    assert_non_null(strstr(reply, "token"));
    snprintf(headers, sizeof headers, "%s%s", login.cookie, other.csrf);
    assert_int_equal(post("/admin/logout", headers, "{}"), 403);
    snprintf(headers, sizeof headers, "%s%sSec-Fetch-Site: cross-site\r\n", login.cookie,
             login.csrf);
    assert_int_equal(post("/admin/logout", headers, "{}"), 403);
    assert_int_equal(get("/admin/status", login.cookie), 200);
    snprintf(headers, sizeof headers, "%s%s", login.cookie, login.csrf);
    assert_int_equal(post("/admin/logout", headers, "{}"), 200);
    assert_non_null(strstr(reply, "Set-Cookie: softlab-admin=; "));
    assert_int_equal(get("/admin/status", login.cookie), 401);
    assert_int_equal(get("/admin/status", other.cookie), 200);
}

static void test_other_sites_cannot_log_anybody_in(void **state)
{
    (void)state;
    static const char *const headers[] = {"Sec-Fetch-Site: cross-site\r\n",
                                          "Sec-Fetch-Site: same-site\r\n",
                                          "Origin: http://evil.example\r\n", "Origin: null\r\n"};
    char body[256];
    snprintf(body, sizeof body, "{\"password\":\"%s\"}", password);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        assert_int_equal(post("/admin/login", headers[i], body), 403);
        assert_null(strstr(reply, "Set-Cookie"));
    }
    assert_int_equal(post("/admin/login", "Origin: http://h\r\n", body), 200);
}

static void test_guessing_gets_slower_and_always_hears_the_same(void **state)
{
    (void)state;
    static const char wrong[] = "{\"error\": \"the password is wrong\"}";
    long before = 0;
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(try_password(i % 2 ? "wrong" : "correct horse batter"), 401);
        assert_string_equal(scene_body(reply), wrong);
        /* Now even the right one has to wait. */
        assert_int_equal(try_password(password), 429);
        assert_string_equal(scene_body(reply),
                            "{\"error\": \"too many attempts: wait, then try again\"}");
        const char *wait = strstr(reply, "Retry-After: ");
        assert_non_null(wait);
        long seconds = strtol(wait + strlen("Retry-After: "), NULL, 10);
        assert_int_equal(seconds, before == 0 ? 1 : 2 * before);
        before = seconds;
        clock_ms += seconds * 1000;
    }
    assert_int_equal(try_password(password), 200);
    /* Forgiven. */
    assert_int_equal(try_password("wrong"), 401);
    assert_int_equal(try_password("wrong"), 429);
    assert_non_null(strstr(reply, "Retry-After: 1\r\n"));
}

/* Guessers from everywhere, whatever lines of X-Forwarded-For they make up, keep nobody out. */
static void test_wrong_passwords_shut_out_their_own_address_only(void **state)
{
    (void)state;
    char right[256];
    snprintf(right, sizeof right, "{\"password\":\"%s\"}", password);
    for (unsigned i = 0; i < 30; i++) {
        char from[128];
        snprintf(from, sizeof from,
                 "X-Forwarded-For: 198.51.100.9\r\nX-Forwarded-For: 10.0.0.1, 203.0.113.%u\r\n", i);
        assert_int_equal(post("/admin/login", from, "{\"password\":\"wrong\"}"), 401);
        assert_int_equal(post("/admin/login", from, right), 429);
    }
    assert_int_equal(post("/admin/login", "X-Forwarded-For: 198.51.100.9\r\n", right), 200);
}

static void test_waits_grow_for_an_address_and_for_no_other(void **state)
{
    (void)state;
    struct sl_admin_access *access = calloc(1, sizeof *access);
    for (unsigned i = 0; i < 40; i++)
        sl_admin_failed(access, "10.0.0.1", 1000);
    assert_int_equal(sl_admin_wait(access, "10.0.0.1", 1000), 15 * 60 * 1000);
    assert_int_equal(sl_admin_wait(access, "10.0.0.2", 1000), 0);
    /* A clock that jumps back does not lengthen anything. */
    assert_int_equal(sl_admin_wait(access, "10.0.0.1", -1000000000), 15 * 60 * 1000);
    sl_admin_succeeded(access, "10.0.0.1");
    assert_int_equal(sl_admin_wait(access, "10.0.0.1", 1000), 0);
    free(access);
}

static void test_the_oldest_session_gives_way(void **state)
{
    (void)state;
    struct sl_admin_access *access = calloc(1, sizeof *access);
    char tokens[SL_ADMIN_SESSIONS + 1][SL_ADMIN_TOKEN_TEXT];
    for (int i = 0; i <= SL_ADMIN_SESSIONS; i++)
        sl_admin_session_open(access, 1000 + i, tokens[i]);
    assert_false(sl_admin_session_check(access, tokens[0], 2000));
    for (int i = 1; i <= SL_ADMIN_SESSIONS; i++)
        assert_true(sl_admin_session_check(access, tokens[i], 2000));
    /* The hash of a secret is no secret. */
    char hash[SL_ADMIN_TOKEN_TEXT];
    for (size_t i = 0; i < SL_ADMIN_TOKEN_BYTES; i++)
        snprintf(hash + 2 * i, 3, "%02x", access->sessions[1].hash[i]);
    assert_false(sl_admin_session_check(access, hash, 2000));
    free(access);
}

static void test_bodies_that_are_no_login_are_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {"",
                                         "[]",
                                         "{}",
                                         "null",
                                         "{\"password\":1}",
                                         "{\"password\":null}",
                                         "{\"password\":\"a\",\"password\":\"b\"}",
                                         "{\"password\":\"a\",\"more\":1}",
                                         "{\"password\":\"a\\u0000b\"}",
                                         "{\"password\":\"\xff\"}",
                                         "password=x"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        assert_int_equal(post("/admin/login", "", bodies[i]), 400);
    char *body = calloc(1, 3000);
    snprintf(body, 3000, "{\"password\":\"%02000d\"}", 0);
    assert_int_equal(post("/admin/login", "", body), 400);
    free(body);
}

static bool reply_holds(ssize_t length, const char *part)
{
    for (ssize_t i = 0; i + (ssize_t)strlen(part) <= length; i++)
        if (memcmp(reply + i, part, strlen(part)) == 0) return true;
    return false;
}

static void test_names_lead_nowhere_else(void **state)
{
    (void)state;
    struct login login = log_in();
    static const char *const paths[] = {"/admin/export/../study.db",
                                        "/admin/export/..%2fstudy.db",
                                        "/admin/export/%2e%2e%2fstudy",
                                        "/admin/export/answers%00.csv",
                                        "/admin/export/answers/more",
                                        "/admin/export/ANSWERS",
                                        "/admin/export/",
                                        "/admin/export/....//study.db",
                                        "/admin/image/..%2fstudy.db",
                                        "/admin/image/../../study.db",
                                        "/admin/image/picture0.png",
                                        "/admin/image/-1",
                                        "/admin/image/6",
                                        "/admin/image/99999999999999999999",
                                        "/admin/image/0x0",
                                        "/admin/image/%30%2f..%2f..%2fstudy.db",
                                        "/admin/file/..%2f..%2fstudy",
                                        "/admin/file/../annotator/index.html",
                                        "/admin/file/..%2fannotator%2findex.html",
                                        "/admin/../study.db"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char request[1024];
        snprintf(request, sizeof request,
                 "GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%s\r\n", paths[i],
                 login.cookie);
        ssize_t length = scene_ask(&scene, request, reply, sizeof reply);
        int status = scene_status(reply);
        if (status != 404 && status != 400) fail_msg("%s: %d", paths[i], status);
        assert_false(reply_holds(length, "SQLite format"));
    }
}

static void test_pictures_are_shown_by_their_number(void **state)
{
    (void)state;
    struct login login = log_in();
    assert_int_equal(get("/admin/image/0", login.cookie), 200);
    assert_non_null(strstr(reply, "Content-Type: image/png"));
    assert_memory_equal(scene_body(reply), "\x89PNG\r\n", 6);
    assert_int_equal(get("/admin/image/1", login.cookie), 404);
    assert_non_null(strstr(reply, "missing"));
    assert_null(strstr(reply, "picture1"));
}

/* Titles, items' names and answers come from outside: none may look like markup to a browser. */
static void test_the_status_holds_no_markup(void **state)
{
    (void)state;
    struct login login = log_in();
    assert_int_equal(get("/admin/status", login.cookie), 200);
    assert_non_null(strstr(reply, "Content-Type: application/json"));
    assert_non_null(strstr(reply, "X-Content-Type-Options: nosniff"));
    assert_null(strchr(scene_body(reply), '<'));
    json_t *status = json_loads(scene_body(reply), 0, NULL);
    assert_non_null(status);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(status, "study"), "title")),
        "<script>alert(1)</script>");
    assert_int_equal(json_integer_value(json_object_get(status, "answers")), SAMPLE_COUNTED);
    json_decref(status);
}

static void test_every_export_can_be_downloaded(void **state)
{
    (void)state;
    struct login login = log_in();
    for (const struct sl_study_export *export = sl_study_exports; export->name; export ++) {
        char request[1024], disposition[256];
        snprintf(request, sizeof request,
                 "GET /admin/export/%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%s\r\n",
                 export->name, login.cookie);
        ssize_t length = scene_ask(&scene, request, reply, sizeof reply);
        assert_int_equal(scene_status(reply), 200);
        snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", export->file);
        assert_non_null(strstr(reply, disposition));
        size_t size = body_of(length), expected = 0;
        /* The log of changes grows by the downloads themselves. */
        if (strcmp(export->name, "changes") == 0) continue;
        scene_stop(&scene); /* the store belongs to the loop's thread */
        char *text = sample_export(&sample, export->name, &expected);
        scene_start(&scene);
        assert_int_equal(size, expected);
        assert_memory_equal(reply, text, expected);
        free(text);
    }
}

static void test_who_looked_is_written_down(void **state)
{
    (void)state;
    assert_int_equal(try_password("wrong"), 401);
    clock_ms += 1000;
    struct login login = log_in();
    assert_int_equal(get("/admin/export/payments", login.cookie), 200);
    scene_stop(&scene);
    char *changes = sample_export(&sample, "changes", NULL);
    assert_non_null(strstr(changes, ",admin-login-failed,"));
    assert_non_null(strstr(changes, ",admin-login,"));
    assert_non_null(strstr(changes,
                           "admin-export,,,,\"{\"\"from\"\":\"\"127.0.0.1\"\",\"\"what\"\":"
                           "\"\"payments\"\"}\""));
    assert_null(strstr(changes, "wrong\""));
    free(changes);
}

static void test_a_password_is_kept_as_argon2id_only(void **state)
{
    (void)state;
    struct sl_error err;
    char *hash = NULL;
    scene_stop(&scene);
    assert_ok(sl_store_get_text(sample.store, "admin-password", &hash, &err), err);
    assert_int_equal(strncmp(hash, "$argon2id$v=19$m=19456,t=2,p=1$", 31), 0);
    free(hash);
    assert_fails(sl_study_set_password(sample.store, "short", &err), SL_ERR_INPUT, err, "8 to");
}

static void test_the_page_and_its_files_are_there(void **state)
{
    (void)state;
    assert_int_equal(get("/admin", ""), 200);
    assert_non_null(strstr(reply, "Content-Type: text/html"));
    assert_null(strstr(reply, "<script>"));
    assert_int_equal(get("/admin/file/admin.js", ""), 200);
    assert_int_equal(get("/admin/file/style.css", ""), 200);
    assert_int_equal(get("/admin/file/nothing.js", ""), 404);
    assert_int_equal(get("/", ""), 303);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_without_a_password_the_page_says_how_to_set_one,
                                        set_up_without_password, tear_down),
        WITH_SERVER(test_the_cookie_is_for_these_pages_only),
        WITH_SERVER(test_nothing_is_shown_to_those_who_did_not_log_in),
        WITH_SERVER(test_a_session_ends_after_eight_hours),
        WITH_SERVER(test_logging_out_needs_the_session_s_own_token),
        WITH_SERVER(test_other_sites_cannot_log_anybody_in),
        WITH_SERVER(test_guessing_gets_slower_and_always_hears_the_same),
        WITH_SERVER(test_wrong_passwords_shut_out_their_own_address_only),
        cmocka_unit_test(test_waits_grow_for_an_address_and_for_no_other),
        cmocka_unit_test(test_the_oldest_session_gives_way),
        WITH_SERVER(test_bodies_that_are_no_login_are_refused),
        WITH_SERVER(test_names_lead_nowhere_else),
        WITH_SERVER(test_pictures_are_shown_by_their_number),
        WITH_SERVER(test_the_status_holds_no_markup),
        WITH_SERVER(test_every_export_can_be_downloaded),
        WITH_SERVER(test_who_looked_is_written_down),
        WITH_SERVER(test_a_password_is_kept_as_argon2id_only),
        WITH_SERVER(test_the_page_and_its_files_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
