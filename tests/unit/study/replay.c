#include "study/simulate/simulate.h"

#include "softlab/answer.h"
#include "study_scene.h"

/* ---- Drawing ---- */

static void test_the_order_is_a_permutation_named_by_seed_and_item(void **state)
{
    (void)state;
    size_t first[50], again[50], other[50], seen[50] = {0};
    sl_replay_order(1, "a", 50, first);
    sl_replay_order(1, "a", 50, again);
    assert_memory_equal(first, again, sizeof first);
    for (size_t i = 0; i < 50; i++)
        seen[first[i]]++;
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(seen[i], 1);
    sl_replay_order(2, "a", 50, other);
    assert_memory_not_equal(first, other, sizeof first);
    sl_replay_order(1, "b", 50, other);
    assert_memory_not_equal(first, other, sizeof first);
}

static void test_a_share_is_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(sl_replay_part(0, .5), 0);
    assert_int_equal(sl_replay_part(1, .5), 1);
    assert_int_equal(sl_replay_part(5, .5), 3);
    assert_int_equal(sl_replay_part(10, .1), 1);
    assert_int_equal(sl_replay_part(30, .1), 3);
    assert_int_equal(sl_replay_part(7, 1), 7);
}

/* ---- Through a server ---- */

enum { N_ITEMS = 8, N_RECORDED = 5 };

static struct sl_study_simulation options_for(const struct scene *scene, char url[64])
{
    struct sl_study_simulation options = sl_study_simulation_default();
    snprintf(url, 64, "http://127.0.0.1:%u/", (unsigned)scene->port);
    options.url = url;
    options.folder = scene->folder;
    options.annotators = 6;
    options.at_once = 3;
    options.speed = 0;
    options.images = false;
    return options;
}

/* Five people's answers about every item; the times tell the answers apart. */
static const char *write_recorded(const char *name, size_t n_items)
{
    static const char *const classes[] = {"circle", "square", "triangle"};
    char text[4096] = "item,worker,label,ms\n";
    for (size_t i = 1; i <= n_items; i++)
        for (size_t a = 0; a < N_RECORDED; a++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "shapes-%06zu,w%zu,%s,%zu\n",
                     i, a, classes[(i * a) % 3], 1000 + 10 * i + a);
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    return path;
}

static void start(struct scene *scene)
{
    scene_make(scene, N_ITEMS, 4, "{\"batch\": {\"repeats\": 0}}");
    scene_start(scene);
}

/* The answers of a file by item: their times, in the order of the file. */
struct heard {
    size_t count[N_ITEMS + 1];
    int ms[N_ITEMS + 1][N_RECORDED];
};
static void hear(const char *path, struct heard *out)
{
    struct sl_answers *answers = NULL;
    struct sl_error err;
    *out = (struct heard){0};
    assert_ok(sl_answers_load(path, NULL, &answers, &err), err);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        const int ms = (int)answer.ms, item = (ms - 1000) / 10;
        char name[32], who[16];
        snprintf(name, sizeof name, "shapes-%06d", item);
        snprintf(who, sizeof who, "w%d", ms % 10);
        assert_int_equal(answer.item.length, strlen(name));
        assert_memory_equal(answer.item.text, name, strlen(name));
        assert_memory_equal(answer.annotator.text, who, strlen(who));
        assert_true(out->count[item] < N_RECORDED);
        out->ms[item][out->count[item]++] = ms;
    }
    sl_answers_destroy(answers);
}

static void test_the_nth_answer_is_the_same_at_any_concurrency(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    struct heard all, some;
    char url[64];
    start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.replay.answers = write_recorded("recorded.csv", N_ITEMS);
    options.replay.given = test_path("all.jsonl");
    options.annotators = 10; /* five people for each of the two batches */
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_true(result.replays);
    assert_int_equal(result.finished, 10);
    assert_int_equal(result.replay.given, N_ITEMS * N_RECORDED);
    assert_int_equal(result.replay.end, SL_REPLAY_EXHAUSTED);
    assert_int_equal(result.replay.n_ran_out, 0);
    hear(options.replay.given, &all);
    static const size_t at_once[] = {1, 2, 7};
    for (size_t i = 0; i < 3; i++) {
        options.at_once = at_once[i];
        options.replay.n_answers = 13;
        options.replay.given = test_path("some.jsonl");
        assert_ok(sl_study_simulate(&options, &result, &err), err);
        assert_int_equal(result.replay.given, 13);
        assert_int_equal(result.replay.end, SL_REPLAY_BUDGET);
        hear(options.replay.given, &some);
        for (size_t item = 1; item <= N_ITEMS; item++)
            assert_memory_equal(some.ms[item], all.ms[item], some.count[item] * sizeof(int));
    }
    scene_stop(&scene);
}

static void test_a_budget_of_seconds_is_never_exceeded(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.replay.answers = write_recorded("recorded.csv", N_ITEMS);
    options.replay.seconds = 10; /* of answers between 1.010 and 1.084 s */
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.replay.given, 9);
    assert_true(result.replay.seconds > 9 && result.replay.seconds <= 10);
    assert_int_equal(result.replay.end, SL_REPLAY_BUDGET);
    assert_true(result.stopped > 0);
    options.replay.seconds = 1000;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "1000 s is more");
    options.replay.seconds = 0;
    options.replay.n_answers = 41;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err,
                 "41 answers is more than the 40");
    scene_stop(&scene);
}

static void test_held_out_answers_are_never_given(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    struct heard given, held;
    char url[64];
    start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.replay.answers = write_recorded("recorded.csv", N_ITEMS);
    options.replay.share = .5;
    options.replay.given = test_path("given.jsonl");
    options.replay.held_out = test_path("held.jsonl");
    options.annotators = options.at_once = 60; /* more than there are answers for */
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.replay.recorded, N_ITEMS * 3);
    assert_true(result.replay.given <= N_ITEMS * 3);
    assert_true(result.replay.n_ran_out > 0);
    assert_non_null(strstr(result.replay.ran_out, "shapes-00000"));
    hear(options.replay.given, &given);
    hear(options.replay.held_out, &held);
    for (size_t item = 1; item <= N_ITEMS; item++) {
        assert_int_equal(held.count[item], 2);
        assert_true(given.count[item] <= 3);
        for (size_t i = 0; i < given.count[item]; i++)
            for (size_t k = 0; k < 2; k++)
                assert_int_not_equal(given.ms[item][i], held.ms[item][k]);
    }
    scene_stop(&scene);
}

static enum sl_status count_row(const struct sl_store_row *row, void *context)
{
    struct heard *heard = context;
    if (row->answer->practice) return SL_OK;
    json_t *body = json_loads(row->answer->body, 0, NULL);
    const int ms = (int)json_integer_value(json_object_get(body, "elapsed"));
    char name[32];
    snprintf(name, sizeof name, "shapes-%06d", (ms - 1000) / 10);
    assert_string_equal(row->answer->item, name);
    heard->count[(ms - 1000) / 10]++;
    json_decref(body);
    return SL_OK;
}

/* The server stored exactly what the file of given answers says, under the right items. */
static void test_the_store_has_the_recorded_answers(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct heard given, stored = {0};
    char url[64];
    start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.replay.answers = write_recorded("recorded.csv", N_ITEMS);
    options.replay.given = test_path("given.jsonl");
    options.replay.n_answers = 7;
    options.count = true;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    scene_stop(&scene);
    hear(options.replay.given, &given);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_answer(store, count_row, &stored, &err), err);
    assert_memory_equal(stored.count, given.count, sizeof given.count);
    sl_store_close(store);
    sl_study_destroy(study);
}

static void refuses(struct sl_study_simulation options, const char *text, const char *why)
{
    struct sl_simulation_result result;
    struct sl_error err;
    options.replay.answers = test_path("bad.csv");
    test_write(options.replay.answers, text, strlen(text));
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_INPUT, err, why);
}

static void test_files_that_do_not_fit_are_named(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    refuses(options, "item,worker,label\nshapes-000001,a,pentagon\n", "\"pentagon\"");
    refuses(options, "item,worker,label\nshapes-000001,a,circle\n",
            "no answer about the item \"shapes-000002\"");
    refuses(options, "item,worker,label,p\nshapes-000001,a,circle,.5\nshapes-000001,a,square,.5\n",
            "not the choice of one class");
    options.replay.partial = true;
    refuses(options, "item,worker,label\nother,a,circle\n", "any item of the study");
    options.replay.answers = write_recorded("few.csv", 2);
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_true(result.replay.given <= 2 * N_RECORDED);
    assert_true(result.replay.n_ran_out > 0);
    static const char untimed[] = "item,worker,label\nshapes-000001,,circle\n"; /* by nobody */
    options.replay.answers = test_path("untimed.csv");
    test_write(options.replay.answers, untimed, strlen(untimed));
    options.replay.seconds = 1;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "1 of 1 answers");
    options.replay.seconds = 0;
    options.replay.share = 0;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "share");
    scene_stop(&scene);
}

static void test_studies_that_cannot_be_replayed_say_why(void **state)
{
    (void)state;
    static const struct {
        const char *change, *why;
    } cases[] = {
        {"{\"batch\": {\"repeats\": 1}}", "batch.repeats"},
        {"{\"screens\": [\"hard\", \"bars\"]}", "\"bars\""},
        {"{\"flow\": {\"min_seconds\": 2}}", "flow.min_seconds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        struct sl_simulation_result result;
        struct sl_error err;
        char url[64];
        scene_make(&scene, N_ITEMS, 4, "{\"batch\": {\"repeats\": 0}}");
        scene_change(&scene, cases[i].change);
        scene_start(&scene);
        struct sl_study_simulation options = options_for(&scene, url);
        options.replay.answers = write_recorded("recorded.csv", N_ITEMS);
        assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, cases[i].why);
        scene_stop(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_is_a_permutation_named_by_seed_and_item),
        cmocka_unit_test(test_a_share_is_rounded_up),
        cmocka_unit_test(test_the_nth_answer_is_the_same_at_any_concurrency),
        cmocka_unit_test(test_a_budget_of_seconds_is_never_exceeded),
        cmocka_unit_test(test_held_out_answers_are_never_given),
        cmocka_unit_test(test_the_store_has_the_recorded_answers),
        cmocka_unit_test(test_files_that_do_not_fit_are_named),
        cmocka_unit_test(test_studies_that_cannot_be_replayed_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
