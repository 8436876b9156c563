/* Backups as a clumsy person makes and restores them. */
#include "softlab/base/log.h"
#include "study/private_folder.h"
#include "study/purge_list.h"
#include "study_scene.h"

static struct sl_error err;

static void person_answers(const struct scene *scene, const char *name, unsigned number)
{
    char cookie[65], path[64];
    snprintf(path, sizeof path, "/?p=%s", name);
    arrive(scene, path, cookie);
    pass_to_trials(scene, cookie);
    assert_int_equal(posted(scene, "/api/answer", cookie, hard_answer(number, 0, true, "square")),
                     200);
}

/* ann and bob have answered. */
static void make_study(struct scene *scene)
{
    scene_make(scene, 6, 3,
               "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"p\"}, \"batch\": "
               "{\"annotators\": 50}}");
    scene_start(scene);
    person_answers(scene, "ann", 1);
    person_answers(scene, "bob", 2);
    scene_stop(scene);
}

static enum sl_status purge(const struct scene *scene, const char *name, int64_t now,
                            struct sl_store_purged *gone)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    assert_ok(sl_study_read(scene->folder, &study, &err), err);
    assert_ok(sl_study_store(study, false, &store, &err), err);
    enum sl_status status = sl_study_purge(study, store, name, now, gone, &err);
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static enum sl_status restore(const struct scene *scene, const char *backup, size_t *left_out)
{
    struct sl_study_restored restored = {0};
    enum sl_status status = sl_study_restore(backup, scene->folder, 1700000009000, &restored, &err);
    if (left_out) *left_out = restored.purged_sessions;
    sl_study_restored_release(&restored);
    return status;
}

static void test_who_withdrew_stays_withdrawn(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_store_purged gone = {0};
    size_t left_out = 0;
    make_study(&scene);
    assert_ok(sl_study_backup(scene.folder, test_path("monday.db"), NULL, &err), err);
    assert_ok(purge(&scene, "ann", 1700000001000, &gone), err);
    assert_int_equal(gone.sessions, 1);
    assert_int_equal(gone.answers, 1);
    assert_int_equal(scene_count(&scene, false), 1);
    for (int time = 0; time < 2; time++) {
        assert_ok(restore(&scene, test_path("monday.db"), &left_out), err);
        assert_int_equal(left_out, 1);
        assert_int_equal(scene_count(&scene, false), 1);
    }
    /* The process of a purge dies after it has written the list: the next start finishes it. */
    uint8_t bob[SL_STORE_PERSON_BYTES];
    struct sl_store *store = NULL;
    char *database = sl_path_join(scene.folder, "study.db");
    assert_ok(sl_store_open(database, NULL, &store, &err), err);
    assert_ok(sl_study_person(store, "bob", bob, &err), err);
    sl_store_close(store);
    free(database);
    assert_ok(sl_purged_add(scene.folder, bob, 1700000001500, &err), err);
    scene_start(&scene);
    scene_stop(&scene);
    assert_int_equal(scene_count(&scene, false), 0);
    /* ann comes back of her own will, and a later backup keeps that. */
    atomic_store(&scene.clock, 1700000002000);
    scene_start(&scene);
    person_answers(&scene, "ann", 3);
    scene_stop(&scene);
    assert_ok(sl_study_backup(scene.folder, test_path("tuesday.db"), NULL, &err), err);
    assert_ok(restore(&scene, test_path("tuesday.db"), &left_out), err);
    assert_int_equal(left_out, 0);
    scene_start(&scene);
    scene_stop(&scene);
    assert_int_equal(scene_count(&scene, false), 1);
}

static void test_another_study_s_backup_is_refused(void **state)
{
    (void)state;
    struct scene scene, other;
    char *database = NULL;
    make_study(&scene);
    make_study(&other);
    assert_ok(sl_study_backup(other.folder, test_path("other.db"), NULL, &err), err);
    assert_fails(restore(&scene, test_path("other.db"), NULL), SL_ERR_INPUT, err,
                 "give a backup of this study");
    /* Also where the database is lost, and where study.json has no id. */
    scene_change(&scene, "{\"id\": \"\"}");
    assert_fails(restore(&scene, test_path("other.db"), NULL), SL_ERR_INPUT, err,
                 "give a backup of this study");
    database = sl_path_join(other.folder, "study.db");
    assert_ok(sl_study_backup(scene.folder, test_path("mine.db"), NULL, &err), err);
    unlink(database);
    assert_fails(restore(&other, test_path("mine.db"), NULL), SL_ERR_INPUT, err,
                 "give a backup of this study");
    assert_false(sl_file_exists(database));
    assert_fails(restore(&scene, sl_path_same(database, database) ? database : "nothing.db", NULL),
                 SL_ERR_NOT_FOUND, err, "nothing.db");
    free(database);
    assert_int_equal(scene_count(&scene, false), 2);
}

static void test_a_backup_whose_answers_study_json_contradicts_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    make_study(&scene);
    assert_ok(sl_study_backup(scene.folder, test_path("before.db"), NULL, &err), err);
    scene_change(&scene, "{\"classes\": [\"triangle\", \"circle\", \"square\"]}");
    assert_fails(restore(&scene, test_path("before.db"), NULL), SL_ERR_INPUT, err,
                 "name 1 of classes");
    char *own = sl_path_join(scene.folder, "study.db");
    assert_fails(restore(&scene, own, NULL), SL_ERR_INPUT, err, "own database");
    free(own);
}

static void keep_line(void *context, enum sl_log_level level, const char *line)
{
    (void)level;
    snprintf(context, 600, "%s", line);
}

/* An edit that went wrong must not keep anybody from saving what there is. */
static void test_a_backup_is_made_whatever_study_json_says(void **state)
{
    (void)state;
    struct scene scene;
    char said[600] = "";
    const struct sl_log log = {.level = SL_LOG_WARNING, .write = keep_line, .context = said};
    make_study(&scene);
    assert_ok(sl_study_backup(scene.folder, test_path("quiet.db"), &log, &err), err);
    assert_string_equal(said, "");
    scene_change(&scene, "{\"classes\": [\"triangle\", \"circle\", \"square\"]}");
    assert_ok(sl_study_backup(scene.folder, test_path("loud.db"), &log, &err), err);
    assert_non_null(strstr(said, "name 1 of classes"));
    char *path = sl_path_join(scene.folder, "study.json");
    test_write(path, "{", 1);
    assert_ok(sl_study_backup(scene.folder, test_path("louder.db"), &log, &err), err);
    assert_non_null(strstr(said, "study.json:1"));
    assert_true(sl_file_exists(test_path("louder.db")));
    free(path);
}

static void test_a_backup_never_takes_the_place_of_a_file_of_the_study(void **state)
{
    (void)state;
    struct scene scene;
    static const char *const names[] = {
        "study.db",         "study.db-wal", "study.db-shm", "study.db-lock",           "study.json",
        "study.purged",     "consent.md",   "truth.npz",    "items/shapes-000001.png", "./study.db",
        "items/../study.db"};
    make_study(&scene);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = sl_path_join(scene.folder, names[i]);
        assert_fails(sl_study_backup(scene.folder, path, NULL, &err), SL_ERR_INPUT, err,
                     "a file of the study");
        free(path);
    }
    /* A copy of before may be replaced, wherever it is. */
    char *inside = sl_path_join(scene.folder, "nightly.db");
    for (int night = 0; night < 2; night++)
        assert_ok(sl_study_backup(scene.folder, inside, NULL, &err), err);
    free(inside);
    /* By links of both kinds, and with the study served. */
    char *database = sl_path_join(scene.folder, "study.db");
    char *picture = sl_path_join(scene.folder, "items/shapes-000002.png");
    const char *soft = test_path("soft.db"), *hard = test_path("hard.db"),
               *folder = test_path("folder");
    assert_int_equal(symlink(database, soft), 0);
    assert_int_equal(link(picture, hard), 0);
    assert_int_equal(symlink(scene.folder, folder), 0);
    char *through = sl_path_join(folder, "study.db-wal");
    scene_start(&scene);
    const char *const links[] = {soft, hard, through};
    for (size_t i = 0; i < 3; i++)
        assert_fails(sl_study_backup(scene.folder, links[i], NULL, &err), SL_ERR_INPUT, err,
                     "a file of the study");
    assert_fails(sl_study_backup(folder, database, NULL, &err), SL_ERR_INPUT, err,
                 "a file of the study");
    assert_ok(sl_study_backup(folder, test_path("fine.db"), NULL, &err), err);
    scene_stop(&scene);
    assert_int_equal(scene_count(&scene, false), 2);
    free(database);
    free(picture);
    free(through);
}

static void test_a_study_s_files_are_private(void **state)
{
    (void)state;
    struct scene scene;
    struct stat info;
    size_t tightened = 99;
    mode_t before = umask(0);
    make_study(&scene);
    umask(before);
    assert_int_equal(stat(scene.folder, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_ok(sl_private_tighten(scene.folder, &tightened, &err), err);
    assert_int_equal(tightened, 0);
    /* As softlab made them before, and as a copy from elsewhere comes. */
    static const char *const names[] = {"", "study.db", "study.json", "items",
                                        "items/shapes-000001.png"};
    for (size_t i = 0; i < 5; i++) {
        char *path = sl_path_join(scene.folder, names[i]);
        assert_int_equal(chmod(path, i == 0 || i == 3 ? 0755 : 0644), 0);
        free(path);
    }
    scene_start(&scene);
    scene_stop(&scene);
    for (size_t i = 0; i < 5; i++) {
        char *path = sl_path_join(scene.folder, names[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 07777, i == 0 || i == 3 ? 0700 : 0600);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_withdrew_stays_withdrawn),
        cmocka_unit_test(test_another_study_s_backup_is_refused),
        cmocka_unit_test(test_a_backup_whose_answers_study_json_contradicts_is_refused),
        cmocka_unit_test(test_a_backup_is_made_whatever_study_json_says),
        cmocka_unit_test(test_a_backup_never_takes_the_place_of_a_file_of_the_study),
        cmocka_unit_test(test_a_study_s_files_are_private),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
