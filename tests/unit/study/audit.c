/* The audit of an adaptive study, and what a purge leaves. */
#include <time.h>

#include "adaptive_scene.h"
#include "study/asking/board.h"

static struct sl_error err;

/* ---- Decisions ---- */

static void test_every_decision_follows_and_a_changed_one_is_found(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 60, 10, "{" ADAPTIVE "}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 20, 4, 1).finished, 20);
    scene_stop(&scene);
    scene_start(&scene); /* boards of another server */
    assert_int_equal(simulate(&scene, 20, 4, 2).finished, 20);
    scene_stop(&scene);
    struct sl_study_audit result = audit(&scene);
    assert_string_equal(result.wrong, "");
    assert_int_equal(result.n_decisions, 40);
    assert_int_equal(result.n_unknown, 0);
    assert_true(result.n_boards >= 2);
    run_sql(&scene, "UPDATE events SET body = replace(body, '\"pending\":', '\"pending\":1') "
                    "WHERE id = (SELECT MAX(id) FROM events WHERE kind = 'decision')");
    result = audit(&scene);
    assert_non_null(strstr(result.wrong, "session 40"));
    assert_non_null(strstr(result.wrong, "number of answers"));
}

static void test_a_session_that_got_other_items_is_found(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 20, 5, "{" ADAPTIVE "}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 3, 1, 1).finished, 3);
    scene_stop(&scene);
    assert_string_equal(audit(&scene).wrong, "");
    run_sql(&scene, "UPDATE batch_items SET item = (SELECT MAX(position) FROM items) "
                    "WHERE batch = (SELECT MAX(batch) FROM batches) AND position = 0");
    assert_non_null(strstr(audit(&scene).wrong, "got other items"));
    run_sql(&scene, "DELETE FROM events WHERE kind = 'decision' AND session = 3");
    assert_non_null(strstr(audit(&scene).wrong, "not recorded"));
}

/* Copies of the database, so that each change starts from the same one. */
static void copy_database(const struct scene *scene, const char *from, const char *to)
{
    struct sl_buffer bytes;
    char *source = sl_path_join(scene->folder, from), *target = sl_path_join(scene->folder, to);
    sl_buffer_init(&bytes, 1 << 26);
    assert_ok(sl_file_read(source, &bytes, &err), err);
    assert_ok(sl_file_write(target, bytes.data, bytes.length, &err), err);
    sl_buffer_release(&bytes);
    free(source);
    free(target);
}

#define LAST(kind) "(SELECT MAX(id) FROM events WHERE kind = '" kind "')"
#define OF_LAST    "(SELECT session FROM events WHERE id = " LAST("decision") ")"
#define SET(kind, member, value)                                                                   \
    "UPDATE events SET body = json_set(body, '$." member "', " value ") WHERE id = " LAST(kind) ";"
#define COPY_OF_LAST(session, board)                                                               \
    "INSERT INTO events(session, at, kind, body) SELECT " session                                  \
    ", at, kind, json_set(body, '$.board', " board                                                 \
    ") FROM events WHERE id = " LAST("decision") ";"

static void test_every_change_of_the_records_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *said;
    } cases[] = {
        {"DELETE FROM events WHERE kind = 'board'", "no board of its name"},
        {"DELETE FROM events WHERE id = " LAST("board"), "no board of its name"},
        {"UPDATE events SET id = 99999 WHERE id = " LAST("board"), "no board of its name"},
        {"UPDATE batch_items SET item = (SELECT MAX(position) FROM items) WHERE position = 0 AND "
         "batch = (SELECT MAX(batch) FROM batches);" SET("decision", "board", "'nowhere-1'"),
         "no board of its name"},
        {COPY_OF_LAST("1", "'nowhere-1'"), "recorded twice"},
        {COPY_OF_LAST(OF_LAST, "json_extract(body, '$.board')"), "recorded twice"},
        {"INSERT INTO events(at, kind, body) SELECT at, kind, body FROM events "
         "WHERE id = " LAST("board"),
         "same name"},
        {"INSERT INTO events(at, kind, body) SELECT at, kind, json_set(body, '$.board', 'x-1') "
         "FROM events WHERE id = " LAST("board"),
         "no decision was made on it"},
        {SET("decision", "way", "'lottery'"), "chosen in another way"},
        {SET("board", "because", "'I said so'"), "for another reason"},
        {SET("board", "way", "'gain'"), "in another way"},
        {SET("board", "seconds", "1e9"), "took another time"},
        {SET("board", "finished", "999"), "sessions had finished"},
        {SET("board", "finished", "0"), "sessions had finished"},
        {SET("board", "gone", "json('[1]')"), "answers"},
        {"DELETE FROM events WHERE id = " LAST("decision"), "not recorded"},
        {"UPDATE sessions SET batch = 0 WHERE id = " OF_LAST
         "; DELETE FROM events WHERE id = " LAST("decision"),
         "no session has it"},
        {"UPDATE batches SET target = 1 WHERE batch = (SELECT MAX(batch) FROM batches);"
         "DELETE FROM events WHERE id = " LAST("decision"),
         "not recorded"},
        {"UPDATE batches SET target = 1 WHERE batch = (SELECT MAX(batch) FROM batches)",
         "has places for others"},
        {"UPDATE sessions SET batch = (SELECT batch FROM sessions WHERE id = 2) WHERE id = 1",
         "no session has it"},
    };
    struct scene scene;
    scene_make(&scene, 60, 10, "{" ADAPTIVE "}");
    for (uint64_t server = 1; server <= 2; server++) {
        scene_start(&scene);
        assert_int_equal(simulate(&scene, 4, 2, server).finished, 4);
        scene_stop(&scene);
    }
    /* The last board has two decisions at least. */
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 4, 4, 3).finished, 4);
    scene_stop(&scene);
    copy_database(&scene, SL_STUDY_DATABASE, "kept");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(&scene, cases[i].sql);
        const struct sl_study_audit result = audit(&scene);
        if (!strstr(result.wrong, cases[i].said)) fail_msg("%s: %s", cases[i].sql, result.wrong);
        copy_database(&scene, "kept", SL_STUDY_DATABASE);
    }
    assert_string_equal(audit(&scene).wrong, "");
}

/* A study that was in PostgreSQL, where several servers decided, and came back. */
static void test_missing_answers_of_several_servers_are_excused(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 20, 5, "{" ADAPTIVE "}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 3, 1, 1).finished, 3);
    scene_stop(&scene);
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 3, 1, 2).finished, 3);
    scene_stop(&scene);
    run_sql(&scene, "DELETE FROM answers WHERE id = 1");
    assert_non_null(strstr(audit(&scene).wrong, "missing"));
    run_sql(&scene, "UPDATE events SET body = json_set(body, '$.shared', json('true')) "
                    "WHERE kind = 'board'");
    const struct sl_study_audit result = audit(&scene);
    assert_string_equal(result.wrong, "");
    assert_true(result.n_unknown >= 1 && result.n_unknown < 6);
    assert_non_null(strstr(result.reason, "several servers"));
}

#define BY_NAME "\"recruiter\": {\"kind\": \"generic\", \"person\": \"p\", \"complete\": \"\"}"

static void purge(const struct scene *scene, const char *name)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_store_purged purged = {0};
    open_study(scene, false, &study, &store);
    assert_ok(sl_study_purge(study, store, name, scene->clock, &purged, &err), err);
    assert_int_equal(purged.sessions, 1);
    close_study(study, store);
}

static bool is_let_in(const struct scene *scene, const char *name, char cookie[65])
{
    char path[64];
    snprintf(path, sizeof path, "/?p=%s", name);
    arrive(scene, path, cookie);
    return strcmp(cookie, "full") != 0;
}

static void answer_all(const struct scene *scene, const char *cookie, unsigned *id)
{
    assert_int_equal(
        posted(scene, "/api/consent", cookie, "{\"version\": \"1\", \"agreed\": true}"), 200);
    assert_int_equal(posted(scene, "/api/instructions", cookie, "{\"pages\": [1200, 900, 3]}"),
                     200);
    for (size_t t = 0; t < 5; t++) {
        const char *body = hard_answer((*id)++, t, false, t % 2 ? "circle" : "square");
        assert_int_equal(posted(scene, "/api/answer", cookie, body), 200);
    }
}

/* Their places are free again: a budget of four sessions lets four more people in. */
static void test_people_who_were_purged_at_once_are_not_waited_for(void **state)
{
    (void)state;
    struct scene scene;
    char name[16], cookie[65];
    scene_make(&scene, 40, 5, "{" PLAIN ", " BY_NAME ", \"adaptive\": {\"budget_answers\": 20}}");
    scene_start(&scene);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "a%d", i);
        assert_true(is_let_in(&scene, name, cookie));
        purge(&scene, name);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "b%d", i);
        for (int tries = 0; !is_let_in(&scene, name, cookie); tries++) {
            assert_true(tries < 200); /* the next board knows it */
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        }
    }
    assert_false(is_let_in(&scene, "c", cookie));
    scene_stop(&scene);
    assert_string_equal(audit(&scene).wrong, "");
}

static void assert_same_answers(const struct sl_asking_log *a, const struct sl_asking_log *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->n_answers, b->n_answers);
    for (size_t i = 0; i < a->n_answers; i++) {
        assert_int_equal(a->answers[i].id, b->answers[i].id);
        assert_int_equal(a->answers[i].session, b->answers[i].session);
        assert_int_equal(a->answers[i].item, b->answers[i].item);
    }
}

/* The last answers are purged and as many new ones stored before a server looks again. */
static void test_answers_after_a_purge_are_not_taken_for_the_purged_ones(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_asking_log *running = NULL, *fresh = NULL;
    char name[16], cookie[65], late[65];
    unsigned id = 1;
    scene_make(&scene, 40, 5, "{" PLAIN ", " BY_NAME "}");
    scene_start(&scene);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "a%d", i);
        assert_true(is_let_in(&scene, name, cookie));
        if (i < 2) answer_all(&scene, cookie, &id);
        if (i == 1) assert_true(is_let_in(&scene, "late", late));
    }
    answer_all(&scene, cookie, &id);
    open_study(&scene, true, &study, &store);
    assert_ok(sl_asking_log_create(study, store, &running, &err), err);
    assert_ok(sl_asking_log_update(running, store, &err), err);
    purge(&scene, "a2");
    answer_all(&scene, late, &id);
    assert_ok(sl_asking_log_update(running, store, &err), err);
    assert_ok(sl_asking_log_create(study, store, &fresh, &err), err);
    assert_ok(sl_asking_log_update(fresh, store, &err), err);
    assert_same_answers(running, fresh);
    scene_stop(&scene);
    sl_asking_log_destroy(running);
    sl_asking_log_destroy(fresh);
    close_study(study, store);
    /* Nor is the study accused. */
    scene_start(&scene);
    assert_true(is_let_in(&scene, "b", cookie));
    scene_stop(&scene);
    const struct sl_study_audit result = audit(&scene);
    assert_string_equal(result.wrong, "");
    assert_true(result.n_unknown < result.n_decisions);
}

static void test_decisions_after_a_purge_are_said_to_be_unknown(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_store_purged purged = {0};
    scene_make(&scene, 20, 5,
               "{" ADAPTIVE ", \"recruiter\": {\"kind\": \"generic\", \"person\": \"p\"}}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 6, 2, 1).finished, 6);
    scene_stop(&scene);
    open_study(&scene, false, &study, &store);
    json_t *status = NULL;
    assert_ok(sl_study_status(study, store, scene.clock, &status, &err), err);
    const char *first = json_string_value(
        json_object_get(json_array_get(json_object_get(status, "annotators"), 0), "annotator"));
    assert_ok(sl_study_purge(study, store, first, scene.clock + 60000000000, &purged, &err), err);
    assert_int_equal(purged.sessions, 1);
    json_decref(status);
    close_study(study, store);
    const struct sl_study_audit result = audit(&scene);
    assert_string_equal(result.wrong, "");
    assert_int_equal(result.n_decisions, 5);
    assert_true(result.n_unknown > 0);
    assert_non_null(strstr(result.reason, "purged"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_decision_follows_and_a_changed_one_is_found),
        cmocka_unit_test(test_a_session_that_got_other_items_is_found),
        cmocka_unit_test(test_every_change_of_the_records_is_found),
        cmocka_unit_test(test_missing_answers_of_several_servers_are_excused),
        cmocka_unit_test(test_people_who_were_purged_at_once_are_not_waited_for),
        cmocka_unit_test(test_answers_after_a_purge_are_not_taken_for_the_purged_ones),
        cmocka_unit_test(test_decisions_after_a_purge_are_said_to_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
