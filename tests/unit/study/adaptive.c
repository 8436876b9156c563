/* Adaptive assignment, through a server with simulated people. */
#include "adaptive_scene.h"
#include "study/asking/board.h"

static struct sl_error err;

/* ---- Ends ---- */

static void test_the_study_ends_at_its_budget_of_answers(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 20, 5, "{" ADAPTIVE ", \"adaptive\": {\"budget_answers\": 23}}");
    scene_start(&scene);
    const struct sl_simulation_result result = simulate(&scene, 10, 3, 1);
    scene_stop(&scene);
    assert_int_equal(result.finished, 5); /* 5 + 5 + 5 + 5 + 3 */
    assert_int_equal(result.refused, 5);
    json_t *status = status_of(&scene);
    const json_t *asking = json_object_get(status, "asking");
    assert_int_equal(number_at(asking, "spent", "answers"), 23);
    assert_string_equal(json_string_value(json_object_get(asking, "end")), "answers");
    assert_string_equal(json_string_value(json_object_get(asking, "way")), "equal"); /* 20 items */
    json_decref(status);
    assert_string_equal(audit(&scene).wrong, "");
}

static void test_money_target_and_full_items_end_a_study(void **state)
{
    (void)state;
    static const struct {
        const char *change, *end;
        size_t finished;
    } cases[] = {
        {"{" ADAPTIVE ", \"pay\": {\"currency\": \"GBP\", \"base\": 1.5}, \"adaptive\": "
         "{\"budget_money\": 4.5}}",
         "money", 3},
        {"{" ADAPTIVE ", \"adaptive\": {\"target\": 9.5}}", "target", 0},
        {"{" ADAPTIVE ", \"adaptive\": {\"first\": 1, \"least\": 1, \"most\": 2}}", "items", 4},
        {"{" ADAPTIVE ", \"adaptive\": {\"budget_seconds\": 0.001}}", "seconds", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        scene_make(&scene, 10, 5, cases[i].change);
        scene_start(&scene);
        const size_t finished = simulate(&scene, 6, 1, 1).finished;
        scene_stop(&scene);
        /* Answers are noticed within a second, by a new server at once. */
        scene_start(&scene);
        assert_int_equal(simulate(&scene, 2, 1, 2).finished, 0);
        scene_stop(&scene);
        if (cases[i].finished > 0) assert_int_equal(finished, cases[i].finished);
        json_t *status = status_of(&scene);
        const json_t *end = json_object_get(json_object_get(status, "asking"), "end");
        assert_string_equal(json_string_value(end), cases[i].end);
        json_decref(status);
    }
}

static void test_equal_allocation_asks_about_every_item_alike(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 20, 5, "{" ADAPTIVE ", \"adaptive\": {\"stop\": 0}}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 12, 3, 1).finished, 12); /* 60 answers */
    scene_stop(&scene);
    json_t *status = status_of(&scene), *item = NULL;
    size_t place = 0;
    json_array_foreach(json_object_get(status, "items"), place, item)
    {
        assert_int_equal(number_at(item, "asking", "answers"), 3);
    }
    json_decref(status);
}

/* ---- What may come ---- */

static void test_the_expectation_says_how_many_answers_it_is_for(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        int64_t answers;
    } cases[] = {
        {"\"stop\": 0, \"budget_answers\": 1000000000", (int64_t)32 * 20}, /* 32 per item */
        {"\"most\": 6, \"budget_answers\": 1000, \"stop\": 0", 20 * 6 - 30},
        {"\"budget_answers\": 37, \"stop\": 0", 7},
    };
    struct scene scene;
    scene_make(&scene, 20, 5, "{" ADAPTIVE ", \"adaptive\": {\"stop\": 0}}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 6, 1, 1).finished, 6); /* 30 answers */
    scene_stop(&scene);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char change[256];
        snprintf(change, sizeof change, "{\"adaptive\": {\"most\": 0, %s}}", cases[i].rule);
        scene_change(&scene, change);
        json_t *status = status_of(&scene);
        const json_t *asking = json_object_get(status, "asking");
        const double risk = json_number_value(json_object_get(asking, "mean_risk"));
        const double expected =
            json_number_value(json_object_get(json_object_get(asking, "expected"), "mean_risk"));
        assert_int_equal(number_at(asking, "expected", "answers"), cases[i].answers);
        assert_true(expected >= 0 && expected < risk);
        json_decref(status);
    }
}

struct patience {
    size_t asked, most;
};

static bool is_over(void *context)
{
    struct patience *patience = context;
    return patience->asked++ >= patience->most;
}

static void test_a_status_can_be_stopped_until_its_end(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    json_t *status = NULL;
    scene_make(&scene, 20, 5, "{" ADAPTIVE ", \"adaptive\": {\"budget_answers\": 1000}}");
    open_study(&scene, false, &study, &store);
    struct patience patience = {.most = SIZE_MAX};
    sl_store_stop_when(store, is_over, &patience);
    assert_ok(sl_study_status(study, store, 0, &status, &err), err);
    json_decref(status);
    assert_true(patience.asked >= 2 * 20); /* for every item, twice */
    for (size_t most = patience.asked, i = 1; i <= 40; i++) {
        patience = (struct patience){.most = most - i};
        assert_fails(sl_study_status(study, store, 0, &status, &err), SL_ERR_STOPPED, err,
                     "stopped");
    }
    close_study(study, store);
}

static void test_many_classes_are_refused_and_have_no_expectation(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    char classes[512] = "";
    scene_make(&scene, 10, 5, NULL);
    for (int i = 0; i < 18; i++) /* beside three */
        snprintf(classes + strlen(classes), sizeof classes - strlen(classes), ", \"c%d\"", i);
    char *change =
        sl_string_printf("{\"classes\": [\"circle\", \"square\", \"triangle\"%s]}", classes);
    scene_change(&scene, change);
    free(change);
    json_t *status = status_of(&scene);
    assert_true(json_is_null(json_object_get(status, "asking")));
    json_decref(status);
    scene_change(&scene, "{\"assignment\": \"adaptive\"}");
    assert_fails(sl_study_read(scene.folder, &study, &err), SL_ERR_INPUT, err,
                 "at most 20 classes, and there are 21");
}

/* ---- A pilot with fixed batches ---- */

static void test_a_fixed_study_may_become_adaptive_after_its_pilot(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 20, 5, "{\"flow\": {\"practice\": false}, \"comprehension\": []}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 6, 2, 1).finished, 6);
    scene_stop(&scene);
    scene_change(&scene, "{\"assignment\": \"adaptive\"}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 6, 2, 2).finished, 6);
    scene_stop(&scene);
    const struct sl_study_audit result = audit(&scene);
    assert_string_equal(result.wrong, "");
    assert_int_equal(result.n_decisions, 6);
    json_t *status = status_of(&scene);
    assert_int_equal(number_at(json_object_get(status, "asking"), "spent", "answers"), 60);
    json_decref(status);
    /* And back: the batches made for one person are not filled. */
    scene_change(&scene, "{\"assignment\": \"fixed\"}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 4, 1, 3).finished, 2); /* 4 batches of 2, 6 done */
    scene_stop(&scene);
}

/* ---- Boards ---- */

static struct sl_asking_board *board_at(const struct sl_asking_log *ledger, int64_t last,
                                        const struct sl_asking_board *before)
{
    const struct sl_asking_terms terms = sl_asking_terms_of(ledger->study);
    struct sl_asking_moment moment = {0};
    struct sl_asking_board *board = NULL;
    assert_ok(sl_asking_moment_now(ledger, INT64_MAX, &moment, &err), err);
    moment.last_answer = last;
    assert_ok(sl_asking_board_create(ledger, &terms, &moment, before, &board, &err), err);
    return board;
}

static void assert_same(const struct sl_asking_log *ledger, const struct sl_asking_board *a,
                        const struct sl_asking_board *b)
{
    uint32_t items[2][5];
    const size_t count = sl_asking_choose(a, NULL, items[0]);
    assert_int_equal(sl_asking_choose(b, NULL, items[1]), count);
    json_t *first = sl_asking_decision_json(ledger, a, "x", items[0], count);
    json_t *second = sl_asking_decision_json(ledger, b, "x", items[1], count);
    assert_true(json_equal(first, second));
    json_decref(first);
    json_decref(second);
}

/* A server that starts again has read everything at once; one that runs on has made many boards. */
static void test_a_restart_between_decisions_changes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_asking_log *ledger = NULL;
    struct sl_asking_board *running = NULL;
    size_t shared = 0;
    scene_make(&scene, 60, 5, "{" ADAPTIVE ", \"adaptive\": {\"way\": \"gain\", \"first\": 1}}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 40, 4, 1).finished, 40);
    scene_stop(&scene);
    open_study(&scene, true, &study, &store);
    assert_ok(sl_asking_log_create(study, store, &ledger, &err), err);
    assert_ok(sl_asking_log_update(ledger, store, &err), err);
    assert_int_equal(ledger->n_answers, 200);
    for (int64_t last = 10; last <= ledger->last; last += 13) {
        struct sl_asking_board *next = board_at(ledger, last, running);
        struct sl_asking_board *restarted = board_at(ledger, last, NULL);
        assert_same(ledger, next, restarted);
        shared += running && next->fit == running->fit;
        sl_asking_board_replace(&running, next);
        sl_asking_board_destroy(restarted);
    }
    assert_true(shared > 2); /* else nothing was compared */
    sl_asking_board_destroy(running);
    sl_asking_log_destroy(ledger);
    close_study(study, store);
}

/* Answers about items that were closed meanwhile are stored and count. */
static void test_late_answers_about_closed_items_count(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 10, 5, "{\"flow\": {\"practice\": false}, \"comprehension\": []}");
    scene_start(&scene);
    assert_int_equal(simulate(&scene, 4, 2, 1).finished, 4);
    scene_stop(&scene);
    scene_change(&scene,
                 "{\"assignment\": \"adaptive\", \"adaptive\": {\"first\": 1, \"least\": 1, "
                 "\"most\": 1}}");
    scene_start(&scene);
    const struct sl_simulation_result result = simulate(&scene, 2, 1, 2);
    scene_stop(&scene);
    assert_int_equal(result.finished, 0);
    json_t *status = status_of(&scene);
    assert_int_equal(number_at(json_object_get(status, "asking"), "spent", "answers"), 20);
    assert_int_equal(number_at(json_object_get(status, "asking"), "items", "full"), 10);
    json_decref(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_study_ends_at_its_budget_of_answers),
        cmocka_unit_test(test_money_target_and_full_items_end_a_study),
        cmocka_unit_test(test_equal_allocation_asks_about_every_item_alike),
        cmocka_unit_test(test_the_expectation_says_how_many_answers_it_is_for),
        cmocka_unit_test(test_a_status_can_be_stopped_until_its_end),
        cmocka_unit_test(test_many_classes_are_refused_and_have_no_expectation),
        cmocka_unit_test(test_a_fixed_study_may_become_adaptive_after_its_pilot),
        cmocka_unit_test(test_a_restart_between_decisions_changes_nothing),
        cmocka_unit_test(test_late_answers_about_closed_items_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
