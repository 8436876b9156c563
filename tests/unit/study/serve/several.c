/* Several studies of one server, each below its own name. */
#include "store/backend.h"
#include "study/serve/site.h"
#include "study_scene.h"

static struct scene host; /* its folder holds the studies */

static void add_study(const char *name)
{
    struct sl_error err;
    struct sl_study_setup setup = sl_study_setup_default();
    char *folder = sl_path_join(host.folder, name);
    setup.folder = folder;
    setup.contact = "Ada Lovelace, ada@example.org";
    setup.images = "shapes:n=6,classes=3,size=16";
    setup.batch_size = 3;
    setup.screens = "hard";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    free(folder);
}

static void begin(void)
{
    static unsigned number;
    char name[32];
    struct sl_error err;
    snprintf(name, sizeof name, "host%u", number++);
    host = (struct scene){.clock = 1700000000000};
    snprintf(host.folder, sizeof host.folder, "%s", test_path(name));
    assert_ok(sl_folder_create(host.folder, &err), err);
}

/* Arrive below `prefix`; the cookie, which is for that study only. */
static void come(const char *prefix, char cookie[65])
{
    char path[64], part[64];
    snprintf(path, sizeof path, "%s/", prefix);
    arrive(&host, path, cookie);
    struct reply reply = get(&host, path, NULL);
    snprintf(part, sizeof part, "; Path=%s/;", prefix);
    assert_non_null(strstr(reply.head, part));
    assert_non_null(strstr(reply.head, "\r\nLocation: study\r\n"));
    reply_release(&reply);
}

static int status_of(const char *path, const char *cookie)
{
    struct reply reply = get(&host, path, cookie);
    int status = reply.status;
    reply_release(&reply);
    return status;
}

static void test_studies_do_not_meet(void **state)
{
    (void)state;
    char birds[65], dogs[65];
    begin();
    add_study("birds");
    add_study("dogs");
    scene_start(&host);
    come("/birds", birds);
    come("/dogs", dogs);
    assert_int_equal(status_of("/birds/study", NULL), 200);
    assert_int_equal(status_of("/birds/web/style.css", NULL), 200);
    assert_int_equal(status_of("/birds/api/session", birds), 200);
    assert_int_equal(status_of("/dogs/api/session", dogs), 200);
    /* What one study knows is nothing to the other. */
    assert_int_equal(status_of("/dogs/api/session", birds), 401);
    assert_int_equal(
        posted(&host, "/dogs/api/consent", birds, "{\"version\": \"1\", \"agreed\": true}"), 401);
    assert_int_equal(
        posted(&host, "/birds/api/consent", birds, "{\"version\": \"1\", \"agreed\": true}"), 200);
    /* Neither is anything at the root, or below a name that is not there. */
    assert_int_equal(status_of("/", NULL), 404);
    assert_int_equal(status_of("/study", NULL), 404);
    assert_int_equal(status_of("/cats/study", NULL), 404);
    assert_int_equal(status_of("/bird/study", NULL), 404);
    assert_int_equal(status_of("/birdsong/study", NULL), 404);
    assert_int_equal(status_of("/birds/api/answer", birds), 405);
    assert_int_equal(status_of("/healthz", NULL), 200);
    scene_stop(&host);
}

static void test_a_name_without_its_slash_leads_there(void **state)
{
    (void)state;
    begin();
    add_study("birds");
    add_study("dogs");
    scene_start(&host);
    struct reply reply = get(&host, "/birds?participant=a%20b&x=1", NULL);
    assert_int_equal(reply.status, 308);
    assert_non_null(strstr(reply.head, "\r\nLocation: /birds/?participant=a%20b&x=1\r\n"));
    reply_release(&reply);
    scene_stop(&host);
}

/* ---- One that cannot store ---- */

static const struct sl_store_backend *real;

static enum sl_status refuse_commit(struct sl_store *store, struct sl_error *err)
{
    real->rollback(store);
    return sl_fail(err, SL_ERR_IO, "the disk is full");
}

static int agree(const char *prefix, const char *cookie)
{
    char path[64];
    snprintf(path, sizeof path, "%s/api/consent", prefix);
    return posted(&host, path, cookie, "{\"version\": \"1\", \"agreed\": true}");
}

static void test_one_study_that_cannot_store_is_enough_for_a_monitor(void **state)
{
    (void)state;
    char birds[65], dogs[65];
    struct sl_store_backend full;
    begin();
    add_study("birds");
    add_study("dogs");
    scene_start(&host);
    arrive(&host, "/birds/", birds);
    arrive(&host, "/dogs/", dogs);
    assert_int_equal(status_of("/healthz", NULL), 200);
    scene_stop(&host);
    scene_create(&host);
    struct sl_store *store = sl_server_site(host.server, 0)->store;
    real = store->backend;
    full = *real;
    full.commit = refuse_commit;
    store->backend = &full;
    scene_go(&host);
    assert_int_equal(agree("/birds", birds), 503);
    /* What the other one stores, and commits of nothing, change nothing about it. */
    assert_int_equal(agree("/dogs", dogs), 200);
    assert_int_equal(status_of("/birds/api/session", NULL), 401);
    assert_int_equal(status_of("/healthz", NULL), 503);
    scene_stop(&host);
}

static bool says(const struct reply *reply, const char *part)
{
    return reply->body && strstr(reply->body, part);
}

static void test_researchers_have_a_page_for_each(void **state)
{
    (void)state;
    begin();
    add_study("birds");
    add_study("dogs");
    scene_start(&host);
    host.port = sl_study_server_admin_port(host.server);
    struct reply reply = get(&host, "/", NULL);
    assert_int_equal(reply.status, 200);
    assert_true(says(&reply, "<a href=\"/birds/admin\">"));
    assert_true(says(&reply, "<a href=\"/dogs/admin\">"));
    reply_release(&reply);
    assert_int_equal(status_of("/birds/admin", NULL), 200);
    assert_int_equal(status_of("/dogs/admin/session", NULL), 200);
    assert_int_equal(status_of("/admin", NULL), 404);
    assert_int_equal(status_of("/metrics", NULL), 200);
    scene_stop(&host);
}

static size_t answers_of(const char *name)
{
    static struct scene one;
    char *folder = sl_path_join(host.folder, name);
    assert_true(strlen(folder) < sizeof one.folder);
    memcpy(one.folder, folder, strlen(folder) + 1);
    free(folder);
    return scene_count(&one, false);
}

static void test_simulated_annotators_find_their_study(void **state)
{
    (void)state;
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    begin();
    add_study("birds");
    add_study("dogs");
    scene_start(&host);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/dogs/", (unsigned)host.port);
    char *dogs = sl_path_join(host.folder, "dogs");
    options.url = url;
    options.folder = dogs; /* to pass the comprehension check */
    options.count = true;
    options.annotators = options.at_once = 3;
    options.speed = 0;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 3);
    scene_stop(&host);
    assert_true(answers_of("dogs") >= 9);
    assert_int_equal(answers_of("birds"), 0);
    free(dogs);
}

static void test_what_cannot_be_an_address_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"two words", "metrics", "healthz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sl_study_serve serve = sl_study_serve_default();
        struct sl_study_server *server = NULL;
        struct sl_error err;
        begin();
        add_study(names[i]);
        serve.port = serve.admin_port = 0;
        assert_fails(sl_study_server_create(host.folder, &serve, &server, &err), SL_ERR_USAGE, err,
                     names[i]);
    }
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_study_server *server = NULL;
    struct sl_error err;
    begin();
    assert_fails(sl_study_server_create(host.folder, &serve, &server, &err), SL_ERR_NOT_FOUND, err,
                 "contains no study");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_studies_do_not_meet),
        cmocka_unit_test(test_a_name_without_its_slash_leads_there),
        cmocka_unit_test(test_researchers_have_a_page_for_each),
        cmocka_unit_test(test_one_study_that_cannot_store_is_enough_for_a_monitor),
        cmocka_unit_test(test_simulated_annotators_find_their_study),
        cmocka_unit_test(test_what_cannot_be_an_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
