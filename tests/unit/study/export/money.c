/* Money and identity: who is paid, how often, and who may come at all. */
#define _GNU_SOURCE /* memmem */
#include "study_scene.h"

#define PROLIFIC                                                                                   \
    "\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\", \"keep\": "             \
    "[\"STUDY_ID\", \"SESSION_ID\"], \"codes\": {\"done\": \"DONE-1\"}}"
#define PAID                                                                                       \
    "{\"flow\": {\"practice\": false}, \"batch\": {\"repeats\": 0}, \"pay\": {\"currency\": "      \
    "\"GBP\", \"base\": 2.5, \"bonus\": 1, \"bonus_rule\": \"finished\"}, "

/* From consent to the end. */
static void finish(const struct scene *scene, const char *cookie)
{
    static unsigned id = 1000;
    pass_to_trials(scene, cookie);
    for (unsigned trial = 0; trial < 3; trial++)
        assert_int_equal(
            posted(scene, "/api/answer", cookie, hard_answer(++id, trial, false, "square")), 200);
    assert_int_equal(
        posted(scene, "/api/debrief", cookie, "{\"answers\": [9, null, \"\", \"\", null, \"\"]}"),
        200);
    assert_string_equal(place_of(scene, cookie), "done");
}

static enum sl_status append(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    (void)err;
    sl_buffer_append(context, bytes, length);
    return SL_OK;
}

/* An export of the study, as text, owned by the caller. */
static char *exported(const struct scene *scene, const char *name)
{
    const struct sl_study_export *export = sl_study_exports;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_buffer out;
    struct sl_error err;
    while (strcmp(export->name, name) != 0)
        export ++;
    sl_buffer_init(&out, 1 << 20);
    assert_ok(sl_study_read(scene->folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(export->write(study, store, append, &out, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    sl_buffer_byte(&out, '\0');
    return out.data;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

static void assert_paid(const struct scene *scene, size_t people, const char *const *ids)
{
    char *payments = exported(scene, "payments"), *bonus = exported(scene, "bonus");
    assert_int_equal(count_of(payments, ",2.50,1.00,3.50,GBP\n"), people);
    assert_int_equal(count_of(payments, "\n"), people + 1);
    assert_int_equal(count_of(bonus, ",1.00\n"), people);
    for (; *ids; ids++) {
        char line[80];
        snprintf(line, sizeof line, "%s,1.00\n", *ids);
        assert_int_equal(count_of(bonus, line), 1);
    }
    free(payments);
    free(bonus);
}

static void test_an_id_that_finished_finds_its_end_in_another_browser(void **state)
{
    (void)state;
    struct scene scene;
    char first[65], second[65];
    scene_make(&scene, 3, 3, PAID PROLIFIC "}");
    scene_start(&scene);
    arrive(&scene, "/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x1", first);
    finish(&scene, first);
    /* No cookie: another browser, or this one without its memory. */
    arrive(&scene, "/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x2", second);
    assert_string_equal(place_of(&scene, second), "done");
    json_t *session = session_of(&scene, second);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(session, "completion"), "code")),
        "DONE-1");
    json_decref(session);
    assert_paid(&scene, 1, (const char *const[]){"x1", NULL});
    scene_stop(&scene);
}

static void test_a_place_that_ran_out_and_a_new_one_are_paid_once(void **state)
{
    (void)state;
    struct scene scene;
    char first[65], second[65], third[65];
    scene_make(&scene, 3, 3, PAID PROLIFIC "}");
    scene_start(&scene);
    arrive(&scene, "/?PROLIFIC_PID=p1&SESSION_ID=x1", first);
    pass_to_trials(&scene, first);
    atomic_fetch_add(&scene.clock, 61 * 60000);
    arrive(&scene, "/?PROLIFIC_PID=p1&SESSION_ID=x2", second);
    assert_int_equal(posted(&scene, "/api/answer", first, hard_answer(1, 0, false, "square")), 410);
    finish(&scene, second);
    arrive(&scene, "/?PROLIFIC_PID=p1&SESSION_ID=x3", third);
    assert_string_equal(place_of(&scene, third), "done");
    assert_paid(&scene, 1, (const char *const[]){"x2", NULL});
    scene_stop(&scene);
}

/* The address of a page is anybody's to edit: two participants, one submission. */
static void test_one_submission_under_two_ids_is_paid_once(void **state)
{
    (void)state;
    struct scene scene;
    char first[65], second[65], third[65];
    scene_make(&scene, 6, 3, PAID PROLIFIC "}");
    scene_start(&scene);
    arrive(&scene, "/?PROLIFIC_PID=p1&SESSION_ID=x1", first);
    arrive(&scene, "/?PROLIFIC_PID=p1%20&SESSION_ID=x1", second);
    /* The second finishes first: it is the one that is paid, now and in every later list. */
    finish(&scene, second);
    assert_paid(&scene, 1, (const char *const[]){"x1", NULL});
    char *before = exported(&scene, "payments");
    atomic_fetch_add(&scene.clock, 1000);
    finish(&scene, first);
    arrive(&scene, "/?PROLIFIC_PID=p2&SESSION_ID=x2", third);
    finish(&scene, third);
    assert_paid(&scene, 2, (const char *const[]){"x1", "x2", NULL});
    char *after = exported(&scene, "payments");
    const char *line = strstr(before, "\nx1,");
    assert_non_null(line);
    /* Id, annotator and session stay; the count of finished sessions says that there is another. */
    size_t length = (size_t)(strstr(line, ",1,0,0,") - line);
    const char *same = strstr(after, "\nx1,");
    assert_non_null(same);
    assert_memory_equal(line, same, length);
    assert_memory_equal(same + length, ",2,0,0,", 7);
    free(before);
    free(after);
    scene_stop(&scene);
}

/* Without its submission a participant has no name to be paid by; the study's own id is none. */
static void test_people_who_share_only_the_study_s_id_are_all_listed(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 6, 3, PAID PROLIFIC "}");
    scene_start(&scene);
    arrive(&scene, "/?PROLIFIC_PID=p1&STUDY_ID=s", cookie);
    finish(&scene, cookie);
    arrive(&scene, "/?PROLIFIC_PID=p2&STUDY_ID=s", cookie);
    finish(&scene, cookie);
    char *payments = exported(&scene, "payments");
    assert_int_equal(count_of(payments, ",2.50,1.00,3.50,GBP\n"), 2);
    free(payments);
    scene_stop(&scene);
}

/* In an open study the kept name is all that is known of somebody without a cookie. */
static void test_an_open_study_pays_a_name_once(void **state)
{
    (void)state;
    struct scene scene;
    char first[65], second[65];
    scene_make(&scene, 6, 3, PAID "\"recruiter\": {\"keep\": [\"worker\"]}}");
    scene_start(&scene);
    arrive(&scene, "/?worker=w1", first);
    arrive(&scene, "/?worker=w1", second);
    finish(&scene, first);
    finish(&scene, second);
    assert_paid(&scene, 1, (const char *const[]){"w1", NULL});
    scene_stop(&scene);
}

/* Databases hold second runs from servers that gave an id a second session. */
static void test_two_finished_sessions_of_one_id_are_paid_once(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    uint8_t person[SL_STORE_PERSON_BYTES];
    scene_make(&scene, 3, 3, PAID PROLIFIC "}");
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, false, &store, &err), err);
    assert_ok(sl_study_person(store, "p1", person, &err), err);
    for (uint8_t run = 0; run < 2; run++) {
        const uint8_t token[SL_STORE_TOKEN_BYTES] = {run};
        struct sl_store_session session;
        bool returning = false;
        const struct sl_store_arrival arrival = {.person = person,
                                                 .token_hash = token,
                                                 .screen = "hard",
                                                 .parameters = run ? "{\"SESSION_ID\":\"x2\"}"
                                                                   : "{\"SESSION_ID\":\"x1\"}",
                                                 .now = scene.clock,
                                                 .lease_ms = 60000};
        assert_ok(sl_store_arrive(store, &arrival, &session, &returning, &err), err);
        session.state = SL_SESSION_DONE;
        session.finished = scene.clock + run;
        assert_ok(sl_store_begin(store, &err), err);
        assert_ok(sl_store_save_session(store, &session, &err), err);
        assert_ok(sl_store_commit(store, &err), err);
    }
    sl_store_close(store);
    sl_study_destroy(study);
    assert_paid(&scene, 1, (const char *const[]){"x1", NULL});
}

/* The completion that a session's page shows, borrowed by the caller (a new reference). */
static json_t *completion_of(const struct scene *scene, const char *cookie)
{
    json_t *session = session_of(scene, cookie);
    json_t *completion = json_incref(json_object_get(session, "completion"));
    json_decref(session);
    return completion;
}

static int asked(const struct scene *scene, const char *path, const char *headers,
                 const char *sentence)
{
    struct reply reply = ask(scene, "GET", path, NULL, headers, NULL);
    int status = reply.status;
    if (sentence) {
        assert_non_null(strstr(reply.body, sentence));
        assert_null(strstr(reply.head, "Set-Cookie"));
    }
    reply_release(&reply);
    return status;
}

static void test_a_test_run_needs_the_token_and_is_paid_nothing(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], link[64];
    scene_make(&scene, 3, 3, PAID PROLIFIC "}");
    scene_change(&scene, "{\"recruiter\": {\"complete\": \"https://pay.test/?cc={code}\"}}");
    scene_start(&scene);
    static const char *const forged[] = {"/?test=1", "/?test=", "/?test=0", "/?PROLIFIC_PID=p&test",
                                         "/?test=AAAAAAAAAAAAAAAAAAAAAA"};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
        assert_int_equal(asked(&scene, forged[i], NULL, "test run needs the whole test link"), 403);
    snprintf(link, sizeof link, "%s", scene_test_link(&scene));
    arrive(&scene, link, cookie);
    finish(&scene, cookie);
    json_t *completion = completion_of(&scene, cookie);
    assert_string_equal(json_string_value(json_object_get(completion, "code")), "TEST-DONE-1");
    assert_string_equal(json_string_value(json_object_get(completion, "url")),
                        "https://pay.test/?cc=TEST-DONE-1");
    json_decref(completion);
    assert_paid(&scene, 0, (const char *const[]){NULL});
    scene_stop(&scene);
    /* The token stays; an address with the code written into it is not told to test runs. */
    scene_change(&scene, "{\"recruiter\": {\"complete\": \"https://pay.test/?cc=DONE-1\"}}");
    scene_start(&scene);
    assert_string_equal(scene_test_link(&scene), link);
    completion = completion_of(&scene, cookie);
    assert_true(json_is_null(json_object_get(completion, "url")));
    json_decref(completion);
    scene_stop(&scene);
    /* No real code can carry the mark. */
    scene_change(&scene, "{\"recruiter\": {\"codes\": {\"done\": \"TEST-DONE-1\"}}}");
    struct sl_study *study = NULL;
    struct sl_error err;
    assert_fails(sl_study_read(scene.folder, &study, &err), SL_ERR_INPUT, err, "are for test runs");
}

#define SIGNED                                                                                     \
    "\"recruiter\": {\"kind\": \"generic\", \"person\": \"who\", \"keep\": [\"job\"], "            \
    "\"links\": \"signed\"}"

/* The path of somebody's own link, owned by the caller. */
static char *link_of(const struct scene *scene, const char *person)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    char *link = NULL;
    assert_ok(sl_study_read(scene->folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_study_link(study, store, person, &link, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    return link;
}

static void test_signed_links_admit_those_they_were_made_for(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65], path[256];
    static const char refusal[] = "exactly as you were given it";
    scene_make(&scene, 3, 3, PAID SIGNED "}");
    scene_start(&scene);
    char *mine = link_of(&scene, "p&1 \xc3\xa4"), *other = link_of(&scene, "p2");
    const char *signature = strstr(mine, "&sig=") + 5;
    assert_int_equal(strlen(signature), 22);
    assert_int_equal(asked(&scene, "/?who=p2", NULL, refusal), 403);
    assert_int_equal(asked(&scene, "/?who=p2&sig=", NULL, refusal), 403);
    snprintf(path, sizeof path, "/?who=p2&sig=%s", signature);
    assert_int_equal(asked(&scene, path, NULL, refusal), 403);
    snprintf(path, sizeof path, "%.*s", (int)strlen(other) - 1, other);
    assert_int_equal(asked(&scene, path, NULL, refusal), 403);
    snprintf(path, sizeof path, "%sA", other);
    assert_int_equal(asked(&scene, path, NULL, refusal), 403);
    /* The test link's token is no signature, and a signature no token. */
    snprintf(path, sizeof path, "/?who=&sig=%s", scene_test_link(&scene) + 7);
    assert_int_equal(asked(&scene, path, NULL, "This link is not complete"), 400);
    snprintf(path, sizeof path, "/?test=%s", signature);
    assert_int_equal(asked(&scene, path, NULL, "not valid"), 403);
    snprintf(path, sizeof path, "%s&job=j1", mine);
    arrive(&scene, path, cookie);
    finish(&scene, cookie);
    assert_paid(&scene, 1, (const char *const[]){"j1", NULL});
    free(mine);
    free(other);
    scene_stop(&scene);
    scene_change(&scene, "{\"recruiter\": {\"kind\": \"open\", \"person\": \"\"}}");
    struct sl_study *study = NULL;
    struct sl_error err;
    assert_fails(sl_study_read(scene.folder, &study, &err), SL_ERR_INPUT, err, "signed links need");
}

static bool holds(const struct scene *scene, const char *name, const char *text)
{
    struct sl_error err;
    struct sl_buffer bytes;
    char *path = sl_path_join(scene->folder, name);
    sl_buffer_init(&bytes, 64 << 20);
    if (sl_file_exists(path)) assert_ok(sl_file_read(path, &bytes, &err), err);
    bool found = bytes.length > 0 && memmem(bytes.data, bytes.length, text, strlen(text)) != NULL;
    sl_buffer_release(&bytes);
    free(path);
    return found;
}

static void test_places_of_one_network_are_counted_without_its_address(void **state)
{
    (void)state;
    struct scene scene;
    char first[65], second[65];
    static const char full[] = "no place left for your network";
    static const char here[] = "X-Forwarded-For: 203.0.113.7\r\n";
    static const char mapped[] = "X-Forwarded-For: ::ffff:203.0.113.7\r\n";
    static const char six[] = "X-Forwarded-For: 2001:db8:0:7::1\r\n";
    static const char same_six[] = "X-Forwarded-For: 2001:db8:0:7:ffff::9\r\n";
    scene_make(&scene, 3, 3, PAID PROLIFIC "}");
    scene_change(&scene, "{\"recruiter\": {\"places_per_address\": 2}, \"batch\": "
                         "{\"annotators\": 50}}");
    scene.behind_proxy = true;
    scene_start(&scene);
    struct reply reply = ask(&scene, "GET", "/?PROLIFIC_PID=a", NULL, here, NULL);
    snprintf(first, sizeof first, "%.64s", strstr(reply.head, "softlab=") + 8);
    reply_release(&reply);
    reply = ask(&scene, "GET", "/?PROLIFIC_PID=b", NULL, mapped, NULL);
    snprintf(second, sizeof second, "%.64s", strstr(reply.head, "softlab=") + 8);
    reply_release(&reply);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=c", here, full), 403);
    /* Those who have a place keep it, tests do not count, other networks have their own. */
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=a", here, NULL), 303);
    assert_int_equal(asked(&scene, scene_test_link(&scene), here, NULL), 303);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=c", six, NULL), 303);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=d", same_six, NULL), 303);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=e", six, full), 403);
    /* A place that was given back is free again, one that was finished is not. */
    finish(&scene, second);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=f", here, full), 403);
    atomic_fetch_add(&scene.clock, 61 * 60000);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=f", here, NULL), 303);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=g", here, full), 403);
    scene_stop(&scene);
    /* The count is in the database, and no address is. */
    scene_start(&scene);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=g", here, full), 403);
    static const char *const files[] = {"study.db", "study.db-wal"};
    for (size_t i = 0; i < 2; i++) {
        assert_false(holds(&scene, files[i], "203.0.113.7"));
        assert_false(holds(&scene, files[i], "2001:db8"));
    }
    scene_stop(&scene);
    /* Who is removed takes nobody's place. */
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    struct sl_store_purged purged;
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, false, &store, &err), err);
    assert_ok(sl_study_purge(study, store, "b", scene.clock, &purged, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    scene_start(&scene);
    assert_int_equal(asked(&scene, "/?PROLIFIC_PID=g", here, NULL), 303);
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_id_that_finished_finds_its_end_in_another_browser),
        cmocka_unit_test(test_a_place_that_ran_out_and_a_new_one_are_paid_once),
        cmocka_unit_test(test_one_submission_under_two_ids_is_paid_once),
        cmocka_unit_test(test_people_who_share_only_the_study_s_id_are_all_listed),
        cmocka_unit_test(test_an_open_study_pays_a_name_once),
        cmocka_unit_test(test_two_finished_sessions_of_one_id_are_paid_once),
        cmocka_unit_test(test_a_test_run_needs_the_token_and_is_paid_nothing),
        cmocka_unit_test(test_signed_links_admit_those_they_were_made_for),
        cmocka_unit_test(test_places_of_one_network_are_counted_without_its_address),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
