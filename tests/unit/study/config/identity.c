/* A database and the study.json beside it, edited as people edit. */
#include "study/config/identity.h"

#include <sqlite3.h>

#include "study_scene.h"

/* A study with bars, one person's practice answer stored under its classes. */
static void make_answered(struct scene *scene, const char *class_name)
{
    char cookie[65];
    scene_make(scene, 6, 3, NULL);
    scene_start(scene);
    arrive(scene, "/", cookie);
    pass_to_trials(scene, cookie);
    assert_int_equal(posted(scene, "/api/answer", cookie, hard_answer(1, 0, true, class_name)),
                     200);
    assert_int_equal(posted(scene, "/api/answer", cookie, hard_answer(2, 0, false, class_name)),
                     200);
    scene_stop(scene);
}

static enum sl_status try_server(const struct scene *scene, struct sl_error *err)
{
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_study_server *server = NULL;
    serve.port = serve.admin_port = 0;
    enum sl_status status = sl_study_server_create(scene->folder, &serve, &server, err);
    sl_study_server_destroy(server);
    return status;
}

static enum sl_status try_reader(const struct scene *scene, struct sl_error *err)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    assert_ok(sl_study_read(scene->folder, &study, err), *err);
    enum sl_status status = sl_study_store(study, true, &store, err);
    if (status == SL_OK) status = sl_study_check_pictures(study, store, err);
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static const struct {
    const char *change;
    const char *said; /* NULL: may be changed at any time */
} edits[] = {
    {"{\"classes\": [\"triangle\", \"square\", \"circle\"]}",
     "name 1 of classes is \"triangle\", but there are answers given when it was "
     "\"circle\""},
    {"{\"classes\": [\"circle\", \"square\", \"triangle\", \"cross\"]}", "classes has 4 names"},
    {"{\"classes\": [\"circle\", \"square\"]}", "classes has 2 names"},
    {"{\"classes\": [\"circle\", \"box\", \"triangle\"]}", "name 2 of classes is \"box\""},
    {"{\"framing\": \"first\"}", "framing is \"first\""},
    {"{\"items\": {\"kind\": \"texts\"}}", "items.kind is \"texts\""},
    {"{\"screens\": [\"bars\"]}", "screens leaves out \"hard\", which has answers"},
    {"{\"id\": \"0123456789abcdef\"}",
     "study.json: id is \"0123456789abcdef\", but the database belongs to"},
    {"{\"screens\": [\"bars\", \"hard\"]}", NULL},
    {"{\"title\": \"Other words\", \"name\": \"other\", \"consent_version\": \"2\"}", NULL},
    {"{\"batch\": {\"annotators\": 9}, \"lease_minutes\": 5, \"keep_until\": \"2031-01-31\"}",
     NULL},
    {"{\"id\": \"\"}", NULL},
    {"{\"items\": {\"size\": 99, \"upsample\": \"nearest\"}, \"flow\": {\"back\": true}}", NULL},
    {"{\"pay\": {\"base\": 2.5, \"currency\": \"GBP\"}, \"debrief\": [], \"comprehension\": []}",
     NULL},
};

static void test_every_edit_beside_stored_answers(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    struct sl_buffer before;
    make_answered(&scene, "square");
    char *path = sl_path_join(scene.folder, "study.json");
    sl_buffer_init(&before, 1 << 20);
    assert_ok(sl_file_read(path, &before, &err), err);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        scene_change(&scene, edits[i].change);
        if (edits[i].said) {
            assert_fails(try_server(&scene, &err), SL_ERR_INPUT, err, edits[i].said);
            assert_fails(try_reader(&scene, &err), SL_ERR_INPUT, err, edits[i].said);
        } else {
            assert_ok(try_server(&scene, &err), err);
            assert_ok(try_reader(&scene, &err), err);
        }
        test_write(path, before.data, before.length);
        assert_ok(try_server(&scene, &err), err);
    }
    sl_buffer_release(&before);
    free(path);
}

/* A researcher who looks at the study first, by the test link, may change everything after. */
static void test_every_edit_without_answers(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    char cookie[65];
    scene_make(&scene, 6, 3, NULL);
    scene_start(&scene);
    arrive(&scene, scene_test_link(&scene), cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, true, "square")), 200);
    scene_stop(&scene);
    scene_change(&scene, "{\"classes\": [\"triangle\", \"box\", \"circle\", \"cross\"], "
                         "\"framing\": \"first\", \"screens\": [\"bars\", \"hard\"]}");
    assert_ok(try_reader(&scene, &err), err);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    scene_stop(&scene);
    /* From the first answer on the new list counts, and the old one is refused. */
    scene_change(&scene, "{\"screens\": [\"hard\"], \"recruiter\": {\"kind\": \"generic\", "
                         "\"person\": \"p\"}}");
    scene_start(&scene);
    arrive(&scene, "/?p=ann", cookie);
    pass_to_trials(&scene, cookie);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(2, 0, true, "box")), 200);
    scene_stop(&scene);
    assert_ok(try_server(&scene, &err), err);
    scene_change(&scene, "{\"classes\": [\"circle\", \"square\", \"triangle\"]}");
    assert_fails(try_server(&scene, &err), SL_ERR_INPUT, err, "classes has 3 names");
}

static struct sl_buffer read_file(const char *path)
{
    struct sl_error err;
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_file_read(path, &bytes, &err), err);
    return bytes;
}

struct answered_item {
    char id[64];
};

static enum sl_status keep_item(const struct sl_store_row *row, void *context)
{
    struct answered_item *item = context;
    snprintf(item->id, sizeof item->id, "%s", row->answer->item);
    return SL_OK;
}

static void test_a_picture_that_has_answers_cannot_be_replaced(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    struct answered_item item = {""};
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    char paths[6][600], answered[600], cookie[65];
    make_answered(&scene, "square");
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_answer(store, keep_item, &item, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    for (size_t i = 0; i < 6; i++)
        snprintf(paths[i], sizeof paths[i], "%s/items/shapes-%06zu.png", scene.folder, i + 1);
    snprintf(answered, sizeof answered, "%s/items/%s.png", scene.folder, item.id);
    const char *other = strcmp(answered, paths[0]) == 0 ? paths[1] : paths[0];
    struct sl_buffer right = read_file(answered), wrong = read_file(other);
    test_write(answered, wrong.data, wrong.length);
    assert_fails(try_server(&scene, &err), SL_ERR_INPUT, err, "has changed since people answered");
    assert_fails(try_reader(&scene, &err), SL_ERR_INPUT, err, "has changed since people answered");
    /* Put back, or merely not there, it contradicts nothing. */
    test_write(answered, right.data, right.length);
    assert_ok(try_server(&scene, &err), err);
    unlink(answered);
    assert_ok(try_reader(&scene, &err), err);
    test_write(answered, right.data, right.length);
    /* Behind the server's back: it is not shown. */
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    for (size_t i = 0; i < 6; i++)
        test_write(paths[i], "\x89PNG", 4);
    json_t *session = session_of(&scene, cookie);
    const char *image = json_string_value(
        json_object_get(json_array_get(json_object_get(session, "items"), 0), "image"));
    char path[128];
    snprintf(path, sizeof path, "/%s", image);
    struct reply reply = get(&scene, path, cookie);
    assert_int_equal(reply.status, 503);
    reply_release(&reply);
    json_decref(session);
    scene_stop(&scene);
    sl_buffer_release(&right);
    sl_buffer_release(&wrong);
}

/* ---- A database of layout 1 ---- */

static void make_database(const char *folder)
{
    sqlite3 *db = NULL;
    char *path = sl_path_join(folder, "study.db");
    struct sl_buffer sql = read_file(GOLDEN_FOLDER "/study-layout-1.sql");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql.data, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    sl_buffer_release(&sql);
    free(path);
}

static enum sl_status append(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    (void)err;
    sl_buffer_append(context, bytes, length);
    return SL_OK;
}

static void make_old_study(const char *folder)
{
    char target[600];
    struct sl_error err;
    assert_ok(sl_folder_create(folder, &err), err);
    snprintf(target, sizeof target, "%s/study.json", folder);
    struct sl_buffer config = read_file(GOLDEN_FOLDER "/study-layout-1.json");
    test_write(target, config.data, config.length);
    sl_buffer_release(&config);
    make_database(folder);
}

static void test_a_database_of_layout_1_is_opened_and_brought_up_to_date(void **state)
{
    (void)state;
    struct scene scene = {.clock = 1800000000000};
    struct sl_error err;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_buffer answers;
    char id[SL_STUDY_ID_TEXT];
    snprintf(scene.folder, sizeof scene.folder, "%s", test_path("layout1"));
    make_old_study(scene.folder);
    assert_fails(try_reader(&scene, &err), SL_ERR_INPUT, err, "older layout");
    /* It can be copied before anything changes it. */
    assert_ok(sl_study_backup(scene.folder, test_path("layout1.db"), NULL, &err), err);
    assert_ok(try_server(&scene, &err), err);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    sl_buffer_init(&answers, 1 << 20);
    assert_ok(sl_study_exports[0].write(study, store, append, &answers, &err), err);
    struct sl_buffer expected = read_file(GOLDEN_FOLDER "/study-layout-1.jsonl");
    assert_int_equal(answers.length, expected.length);
    assert_memory_equal(answers.data, expected.data, expected.length);
    assert_ok(sl_identity_id(store, id, &err), err);
    assert_int_equal(strlen(id), SL_STUDY_ID_TEXT - 1);
    sl_store_close(store);
    sl_study_destroy(study);
    /* From now on it knows what its answers were given for. */
    scene_change(&scene, "{\"classes\": [\"square\", \"circle\", \"triangle\"]}");
    assert_fails(try_server(&scene, &err), SL_ERR_INPUT, err, "name 1 of classes");
    scene_change(&scene, "{\"classes\": [\"circle\", \"square\", \"triangle\"]}");
    /* A copy of the old layout can be restored, too. */
    struct sl_study_restored restored = {0};
    assert_ok(
        sl_study_restore(test_path("layout1.db"), scene.folder, 1800000000000, &restored, &err),
        err);
    sl_study_restored_release(&restored);
    assert_ok(try_server(&scene, &err), err);
    sl_buffer_release(&answers);
    sl_buffer_release(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_edit_beside_stored_answers),
        cmocka_unit_test(test_every_edit_without_answers),
        cmocka_unit_test(test_a_picture_that_has_answers_cannot_be_replaced),
        cmocka_unit_test(test_a_database_of_layout_1_is_opened_and_brought_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
