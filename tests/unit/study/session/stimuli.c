/* What a server shows: the practice item is never one of a session's own trials. */
#include "study/session/stimuli.h"
#include "study_scene.h"

struct shown {
    struct sl_study *study;
    struct sl_store *store;
    struct sl_stimuli stimuli;
};

static struct shown open_shown(const struct scene *scene)
{
    struct shown shown = {0};
    struct sl_error err;
    assert_ok(sl_study_read(scene->folder, &shown.study, &err), err);
    assert_ok(sl_study_store(shown.study, true, &shown.store, &err), err);
    assert_ok(sl_stimuli_read(shown.store, &shown.stimuli, &err), err);
    return shown;
}

static void close_shown(struct shown *shown)
{
    sl_stimuli_release(&shown->stimuli);
    sl_store_close(shown->store);
    sl_study_destroy(shown->study);
}

static void add_check(const struct scene *scene, const char *id)
{
    struct sl_store_options options = sl_store_options_default();
    struct sl_store *store = NULL;
    struct sl_error err;
    char *path = sl_path_join(scene->folder, "study.db");
    const struct sl_store_item item = {
        .id = id, .content = "{\"image\":\"x.png\"}", .entropy = (double)NAN, .check = true};
    assert_ok(sl_store_open(path, &options, &store, &err), err);
    assert_ok(sl_store_begin(store, &err), err);
    assert_ok(sl_store_add_item(store, &item, &err), err);
    assert_ok(sl_store_commit(store, &err), err);
    sl_store_close(store);
    free(path);
}

/* Of every batch and many seeds; the number of them that had a practice item. */
static size_t count_practice(struct shown *shown, size_t n_batches, bool obvious)
{
    size_t count = 0;
    struct sl_error err;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct sl_store_session session = {.batch = seed % n_batches, .seed = seed};
        struct sl_trials trials = {0};
        bool there = false;
        assert_ok(
            sl_stimuli_trials(&shown->stimuli, shown->study, shown->store, &session, &trials, &err),
            err);
        const struct sl_stimulus *item = sl_stimuli_practice(&shown->stimuli, &trials, seed);
        for (size_t t = 0; item && t < trials.count; t++)
            assert_string_not_equal(trials.trials[t].item, item->id);
        if (item) assert_int_equal(item->role == SL_STIMULUS_OBVIOUS, obvious);
        assert_ok(sl_stimuli_has_practice(&shown->stimuli, shown->study, shown->store,
                                          session.batch, &there, &err),
                  err);
        assert_int_equal(there, item != NULL);
        count += there;
        sl_trials_release(&trials);
    }
    return count;
}

static void test_practice_is_never_one_of_the_trials(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_error err;
    size_t without = 9;
    scene_make(&scene, 7, 3, NULL);
    struct shown shown = open_shown(&scene);
    assert_int_equal(count_practice(&shown, 3, false), 200);
    assert_ok(sl_stimuli_without_practice(&shown.stimuli, shown.study, shown.store, &without, &err),
              err);
    assert_int_equal(without, 0);
    close_shown(&shown);
    /* One batch holds all there is: no practice rather than one that leaks. */
    scene_make(&scene, 3, 3, NULL);
    shown = open_shown(&scene);
    assert_int_equal(count_practice(&shown, 1, false), 0);
    assert_ok(sl_stimuli_without_practice(&shown.stimuli, shown.study, shown.store, &without, &err),
              err);
    assert_int_equal(without, 1);
    close_shown(&shown);
}

static void test_an_obvious_item_is_practised_unless_it_comes_as_a_check(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 3, 3, NULL);
    add_check(&scene, "checks/a");
    add_check(&scene, "checks/b");
    struct shown shown = open_shown(&scene);
    assert_int_equal(count_practice(&shown, 1, true), 200);
    close_shown(&shown);
    /* Five trials: one check, which leaves the other; two checks leave none. */
    scene_change(&scene, "{\"batch\": {\"check_every\": 4}}");
    shown = open_shown(&scene);
    assert_int_equal(count_practice(&shown, 1, true), 200);
    close_shown(&shown);
    scene_change(&scene, "{\"batch\": {\"check_every\": 2}}");
    shown = open_shown(&scene);
    assert_int_equal(count_practice(&shown, 1, true), 0);
    close_shown(&shown);
}

static void test_a_session_without_a_practice_item_goes_on_to_the_trials(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    scene_make(&scene, 3, 3, NULL);
    scene_start(&scene);
    arrive(&scene, "/", cookie);
    pass_to_trials(&scene, cookie);
    assert_string_equal(place_of(&scene, cookie), "trials");
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(1, 0, true, "circle")), 409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(2, 0, false, "circle")),
                     200);
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_practice_is_never_one_of_the_trials),
        cmocka_unit_test(test_an_obvious_item_is_practised_unless_it_comes_as_a_check),
        cmocka_unit_test(test_a_session_without_a_practice_item_goes_on_to_the_trials),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
