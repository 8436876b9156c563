#include <errno.h>
#include <sys/stat.h>

#include "study_scene.h"

static const char password[] = "correct horse battery";

static struct scene scene;
static char cookie[160], token[160]; /* header lines */

static void set_password(void)
{
    struct sl_error err;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, false, &store, &err), err);
    assert_ok(sl_study_set_password(store, password, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
}

static void log_in(void)
{
    char body[128];
    snprintf(body, sizeof body, "{\"password\":\"%s\"}", password);
    struct reply reply = post(&scene, "/admin/login", NULL, body);
    assert_int_equal(reply.status, 200);
    const char *set = strstr(reply.head, "Set-Cookie: ");
    snprintf(cookie, sizeof cookie, "Cookie: %.*s\r\n", (int)strcspn(set + 12, ";"), set + 12);
    snprintf(token, sizeof token, "X-CSRF-Token: %s\r\n",
             json_string_value(json_object_get(reply.json, "csrf")));
    reply_release(&reply);
}

static void start(void)
{
    set_password();
    scene_create(&scene);
    scene.port = sl_study_server_admin_port(scene.server);
    scene_go(&scene);
    log_in();
}

static int set_up(void **state)
{
    (void)state;
    scene_make(&scene, 6, 3, NULL);
    start();
    return 0;
}

/* With exercises and a picture for the instructions. */
static int set_up_trained(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_study_setup setup = sl_study_setup_default();
    char exercises[512];
    snprintf(exercises, sizeof exercises, "%s", test_path("exercises"));
    scene_exercises("exercises", 1);
    scene = (struct scene){.clock = 1700000000000};
    snprintf(scene.folder, sizeof scene.folder, "%s", test_path("trained"));
    setup.folder = scene.folder;
    setup.images = "shapes:n=6,classes=3,size=16";
    setup.training = exercises;
    setup.contact = "Ada Lovelace, ada@example.org";
    setup.batch_size = 3;
    setup.screens = "hard";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    char *media = sl_path_join(scene.folder, "media"), *file = sl_path_join(media, "pic.gif");
    assert_int_equal(mkdir(media, 0700) != 0 && errno != EEXIST, 0);
    assert_ok(sl_file_write(file, "GIF89a", 6, &err), err);
    free(file);
    free(media);
    start();
    return 0;
}

static int tear_down(void **state)
{
    scene_stop(&scene);
    return test_folder_clear(state);
}

static struct reply look(const char *path)
{
    return ask(&scene, "GET", path, NULL, cookie, NULL);
}

static int status_of(struct reply reply)
{
    const int status = reply.status;
    reply_release(&reply);
    return status;
}

static struct reply send_words(const char *body)
{
    char headers[400];
    snprintf(headers, sizeof headers, "%s%sSec-Fetch-Site: same-origin\r\n", cookie, token);
    return ask(&scene, "POST", "/admin/words", NULL, headers, body);
}

static const char *text_of(const json_t *value, const char *key)
{
    const char *text = json_string_value(json_object_get(value, key));
    return text ? text : "";
}

static void test_every_screen_that_suits_can_be_seen_at_every_place(void **state)
{
    (void)state;
    struct reply previews = look("/admin/previews");
    assert_int_equal(previews.status, 200);
    json_t *screen = NULL, *place = NULL;
    size_t s = 0, p = 0, asked = 0;
    assert_true(json_array_size(json_object_get(previews.json, "places")) >= 9);
    json_array_foreach(json_object_get(previews.json, "screens"), s, screen)
    {
        asked += json_is_true(json_object_get(screen, "asked"));
        assert_null(strstr(text_of(screen, "name"), "mix"));
        json_array_foreach(json_object_get(previews.json, "places"), p, place)
        {
            char path[200];
            snprintf(path, sizeof path, "/admin/preview/%s/%s/phone/api/session",
                     text_of(screen, "name"), json_string_value(place));
            struct reply session = look(path);
            assert_int_equal(session.status, 200);
            assert_string_equal(text_of(session.json, "place"), json_string_value(place));
            assert_string_equal(text_of(session.json, "screen"), text_of(screen, "name"));
            assert_true(json_is_true(json_object_get(session.json, "test")));
            reply_release(&session);
        }
    }
    assert_true(s >= 7);
    assert_int_equal(asked, 1);
    reply_release(&previews);
}

/* Frames of the same page must not share what a browser keeps by session. */
static void test_each_frame_is_a_session_of_its_own(void **state)
{
    (void)state;
    struct reply wide = look("/admin/preview/bars/trials/desktop/api/session");
    struct reply narrow = look("/admin/preview/bars/trials/phone/api/session");
    assert_string_not_equal(text_of(wide.json, "session"), text_of(narrow.json, "session"));
    assert_true(
        json_equal(json_object_get(wide.json, "items"), json_object_get(narrow.json, "items")));
    const char *image = text_of(json_array_get(json_object_get(wide.json, "items"), 0), "image");
    char path[200];
    snprintf(path, sizeof path, "/admin/preview/bars/trials/desktop/%s", image);
    struct reply picture = look(path);
    assert_int_equal(picture.status, 200);
    assert_memory_equal(picture.body, "\x89PNG", 4);
    reply_release(&picture);
    reply_release(&wide);
    reply_release(&narrow);
}

/* The page may stand in a frame of ours; every other page may not. */
static void test_only_the_preview_may_stand_in_a_frame(void **state)
{
    (void)state;
    struct reply page = look("/admin/preview/collins+/trials/desktop/study");
    assert_int_equal(page.status, 200);
    assert_non_null(strstr(page.head, "frame-ancestors 'self'"));
    assert_non_null(strstr(page.head, "X-Frame-Options: SAMEORIGIN"));
    assert_null(strstr(page.head, "frame-ancestors 'none'"));
    assert_null(strstr(page.head, "DENY"));
    reply_release(&page);
    static const char *const others[] = {"/admin", "/admin/session", "/admin/file/admin.js",
                                         "/admin/preview/hard/trials/x/web/main.js"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct reply other = look(others[i]);
        assert_int_equal(other.status, 200);
        assert_non_null(strstr(other.head, "frame-ancestors 'none'"));
        assert_non_null(strstr(other.head, "X-Frame-Options: DENY"));
        reply_release(&other);
    }
}

static void test_an_answer_is_acknowledged_and_not_kept(void **state)
{
    (void)state;
    char headers[300];
    snprintf(headers, sizeof headers, "%sSec-Fetch-Site: same-origin\r\n", cookie);
    static const char *const paths[] = {"answer", "check", "consent", "events", "debrief"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[100];
        snprintf(path, sizeof path, "/admin/preview/hard/trials/phone/api/%s", paths[i]);
        struct reply reply =
            ask(&scene, "POST", path, NULL, headers,
                "{\"id\": \"00\", \"trial\": 1, \"answer\": {\"class\": \"nothing\"}}");
        assert_int_equal(reply.status, 200);
        assert_string_equal(text_of(reply.json, "saved"), "00");
        assert_int_equal(json_integer_value(json_object_get(reply.json, "trial")), 2);
        reply_release(&reply);
    }
    assert_int_equal(status_of(ask(&scene, "POST", "/admin/preview/hard/trials/phone/api/answer",
                                   NULL, headers, "x")),
                     400);
    struct reply status = look("/admin/status");
    assert_int_equal(json_integer_value(json_object_get(status.json, "answers")), 0);
    assert_int_equal(json_array_size(json_object_get(status.json, "annotators")), 0);
    reply_release(&status);
}

static void test_exercises_are_judged_in_a_preview_too(void **state)
{
    (void)state;
    char headers[300], body[200];
    snprintf(headers, sizeof headers, "%sSec-Fetch-Site: same-origin\r\n", cookie);
    struct reply session = look("/admin/preview/hard/training/phone/api/session");
    assert_string_equal(text_of(session.json, "place"), "training");
    json_t *class_name = NULL;
    size_t place = 0, right = 0;
    json_array_foreach(json_object_get(session.json, "classes"), place, class_name)
    {
        snprintf(body, sizeof body,
                 "{\"id\": \"00\", \"trial\": 1, \"answer\": {\"class\": \"%s\"}}",
                 json_string_value(class_name));
        struct reply reply = ask(&scene, "POST", "/admin/preview/hard/training/phone/api/answer",
                                 NULL, headers, body);
        assert_int_equal(reply.status, 200);
        const json_t *feedback = json_object_get(reply.json, "feedback");
        const bool same = strcmp(text_of(feedback, "class"), json_string_value(class_name)) == 0;
        assert_int_equal(json_is_true(json_object_get(feedback, "right")), same);
        right += same;
        reply_release(&reply);
    }
    assert_int_equal(right, 1);
    reply_release(&session);
    /* An answer that the screen does not know is refused as annotators' are. */
    assert_int_equal(status_of(ask(&scene, "POST", "/admin/preview/hard/training/phone/api/answer",
                                   NULL, headers, "{\"answer\": {\"class\": \"nothing\"}}")),
                     400);
    struct reply picture = look("/admin/preview/hard/instructions/phone/media/pic.gif");
    assert_int_equal(picture.status, 200);
    assert_memory_equal(picture.body, "GIF89a", 6);
    reply_release(&picture);
    /* Exercises are no items: nothing is asked about them. */
    struct reply status = look("/admin/status");
    assert_int_equal(json_array_size(json_object_get(status.json, "items")), 6);
    reply_release(&status);
}

static void test_the_status_names_the_links_to_send(void **state)
{
    (void)state;
    struct reply status = look("/admin/status");
    json_t *links = json_object_get(status.json, "links"), *link = NULL;
    size_t place = 0, tests = 0, codes = 0;
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/",
             (int)sl_study_server_port(scene.server));
    json_array_foreach(links, place, link)
    {
        assert_true(*text_of(link, "note"));
        codes += strcmp(text_of(link, "kind"), "code") == 0;
        if (strcmp(text_of(link, "kind"), "link") != 0) continue;
        assert_int_equal(strncmp(text_of(link, "url"), address, strlen(address)), 0);
        tests += strstr(text_of(link, "url"), scene_test_link(&scene)) != NULL;
    }
    assert_int_equal(tests, 1);
    assert_int_equal(codes, 4);
    reply_release(&status);
}

static void test_previews_are_for_those_who_logged_in(void **state)
{
    (void)state;
    static const char *const paths[] = {"/admin/previews",
                                        "/admin/words",
                                        "/admin/preview/hard/trials/phone/study",
                                        "/admin/preview/hard/trials/phone/api/session",
                                        "/admin/preview/hard/trials/phone/web/main.js",
                                        "/admin/preview/x/y/z/study"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(status_of(get(&scene, paths[i], NULL)), 401);
    static const char post_path[] = "/admin/preview/hard/trials/phone/api/answer";
    assert_int_equal(posted(&scene, post_path, NULL, "{}"), 401);
    char headers[300];
    snprintf(headers, sizeof headers, "%sSec-Fetch-Site: cross-site\r\n", cookie);
    assert_int_equal(status_of(ask(&scene, "POST", post_path, NULL, headers, "{}")), 403);
}

static void test_other_addresses_lead_nowhere(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/admin/preview/nothing/trials/phone/study",
        "/admin/preview/mix/trials/phone/study",
        "/admin/preview/hard/nowhere/phone/study",
        "/admin/preview/hard/trials/study",
        "/admin/preview/hard/trials/a%2fb/study",
        "/admin/preview/hard/trials/phone/web/x.js",
        "/admin/preview/hard/trials/phone/image/x",
        "/admin/preview/hard/trials/phone/api/answer",
        "/admin/preview/hard/trials/phone/",
        "/admin/preview/hard/trials/a.b/study",
        "/admin/preview/hard/trials/phone/web/..%2fadmin%2findex.html"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const int status = status_of(look(paths[i]));
        if (status != 404 && status != 400) fail_msg("%s: %d", paths[i], status);
    }
}

/* ---- Words ---- */

static json_t *own_words(void)
{
    char *path = sl_path_join(scene.folder, "words.json");
    json_t *words = json_load_file(path, 0, NULL);
    free(path);
    return words;
}

static unsigned words_rights(void)
{
    struct stat info;
    char *path = sl_path_join(scene.folder, "words.json");
    assert_int_equal(stat(path, &info), 0);
    free(path);
    return info.st_mode & 0777;
}

static void test_words_that_are_saved_are_said_at_once(void **state)
{
    (void)state;
    struct reply reply = send_words(
        "{\"words\": {\"frame.leave\": \"I want to stop\", \"end.done\": \"Thank you\"}}");
    assert_int_equal(reply.status, 200);
    assert_true(json_is_true(json_object_get(reply.json, "editable")));
    reply_release(&reply);
    json_t *own = own_words();
    assert_string_equal(text_of(own, "frame.leave"), "I want to stop");
    assert_int_equal(words_rights(), 0600);
    assert_int_equal(json_object_size(own), 1); /* the other is what the language says */
    json_decref(own);
    struct reply page = look("/admin/preview/hard/trials/phone/study");
    assert_non_null(strstr(page.body, "I want to stop"));
    reply_release(&page);
    struct reply back = send_words("{\"words\": {\"frame.leave\": null}}");
    assert_int_equal(back.status, 200);
    reply_release(&back);
    own = own_words();
    assert_int_equal(json_object_size(own), 0);
    json_decref(own);
    struct reply log = look("/admin/export/changes");
    assert_non_null(strstr(log.body, "admin-words"));
    assert_non_null(strstr(log.body, "words changed: frame.leave"));
    reply_release(&log);
}

static void test_words_that_no_page_can_say_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *says;
        int status;
    } cases[] = {
        {"{\"words\": {\"frame.waiting\": \"some are waiting\"}}", "frame.waiting", 409},
        {"{\"words\": {\"frame.waiting\": \"{m} and {n}\"}}", "{m}", 409},
        {"{\"words\": {\"frame.nothing\": \"x\"}}", "frame.nothing", 409},
        {"{\"words\": {\"end.done\": \"  \"}}", "end.done", 409},
        {"{\"words\": {\"end.done\": 3}}", "end.done", 409},
        {"{\"words\": []}", "expected", 400},
        {"{\"words\": {}, \"more\": 1}", "expected", 400},
        {"nothing", "expected", 400},
        /* One bad word keeps the good one out. */
        {"{\"words\": {\"frame.leave\": \"Away\", \"frame.nothing\": \"x\"}}", "nothing", 409},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reply reply = send_words(cases[i].body);
        assert_int_equal(reply.status, cases[i].status);
        assert_non_null(strstr(text_of(reply.json, "error"), cases[i].says));
        reply_release(&reply);
    }
    assert_null(own_words());
}

static void test_saving_words_needs_the_session_s_own_token(void **state)
{
    (void)state;
    static const char body[] = "{\"words\": {\"frame.leave\": \"Away\"}}";
    assert_int_equal(posted(&scene, "/admin/words", NULL, body), 401);
    assert_int_equal(status_of(ask(&scene, "POST", "/admin/words", NULL, cookie, body)), 403);
    char headers[400];
    snprintf(headers, sizeof headers, "%s%sSec-Fetch-Site: cross-site\r\n", cookie, token);
    assert_int_equal(status_of(ask(&scene, "POST", "/admin/words", NULL, headers, body)), 403);
    assert_null(own_words());
}

static void test_words_stay_once_people_have_answered(void **state)
{
    (void)state;
    char annotator[65];
    const uint16_t researcher = scene.port;
    scene.port = sl_study_server_port(scene.server);
    arrive(&scene, scene_test_link(&scene), annotator);
    pass_to_trials(&scene, annotator);
    assert_int_equal(posted(&scene, "/api/answer", annotator, hard_answer(1, 0, true, "circle")),
                     200);
    scene.port = researcher;
    /* A test run does not count. */
    struct reply reply = send_words("{\"words\": {\"frame.leave\": \"Away\"}}");
    assert_int_equal(reply.status, 200);
    reply_release(&reply);
    scene.port = sl_study_server_port(scene.server);
    arrive(&scene, "/", annotator);
    pass_to_trials(&scene, annotator);
    assert_int_equal(posted(&scene, "/api/answer", annotator, hard_answer(2, 0, true, "circle")),
                     200);
    scene.port = researcher;
    reply = send_words("{\"words\": {\"frame.leave\": \"Gone\"}}");
    assert_int_equal(reply.status, 409);
    assert_non_null(strstr(text_of(reply.json, "error"), "answered already"));
    reply_release(&reply);
    json_t *own = own_words();
    assert_string_equal(text_of(own, "frame.leave"), "Away");
    json_decref(own);
    reply = look("/admin/words");
    assert_true(json_is_false(json_object_get(reply.json, "editable")));
    assert_non_null(strstr(text_of(reply.json, "why"), "answered already"));
    reply_release(&reply);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(test_every_screen_that_suits_can_be_seen_at_every_place),
        WITH_SERVER(test_each_frame_is_a_session_of_its_own),
        WITH_SERVER(test_only_the_preview_may_stand_in_a_frame),
        WITH_SERVER(test_an_answer_is_acknowledged_and_not_kept),
        cmocka_unit_test_setup_teardown(test_exercises_are_judged_in_a_preview_too, set_up_trained,
                                        tear_down),
        WITH_SERVER(test_the_status_names_the_links_to_send),
        WITH_SERVER(test_previews_are_for_those_who_logged_in),
        WITH_SERVER(test_other_addresses_lead_nowhere),
        WITH_SERVER(test_words_that_are_saved_are_said_at_once),
        WITH_SERVER(test_words_that_no_page_can_say_are_refused),
        WITH_SERVER(test_saving_words_needs_the_session_s_own_token),
        WITH_SERVER(test_words_stay_once_people_have_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
