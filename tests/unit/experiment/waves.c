/* In which order runs are handed to a cluster, so that a training that several need is made once.
 */
#include "experiment/launch/waves.h"

#include "experiment_plans.h"

/* An experiment of which nothing is submitted yet. */
struct scene {
    struct sl_experiment *plan;
    struct sl_outputs made;
    json_t *makers;
    bool *open;
    struct sl_wave wave;
};

static struct scene scene_of(const char *name)
{
    struct scene scene = {.plan = expand(name, "paper", false),
                          .made = {.known = json_object()},
                          .makers = json_object()};
    scene.open = sl_alloc(scene.plan->n_runs, sizeof *scene.open);
    for (size_t i = 0; i < scene.plan->n_runs; i++)
        scene.open[i] = true;
    return scene;
}

static void scene_release(struct scene *scene)
{
    json_decref(scene->made.known);
    json_decref(scene->makers);
    free(scene->open);
    sl_experiment_destroy(scene->plan);
}

/* The next wave, whose run i becomes task "i"; the number of its runs. */
static size_t submit(struct scene *scene)
{
    size_t count = 0;
    sl_wave_plan(scene->plan, scene->open, &scene->made, scene->makers, &scene->wave);
    for (size_t i = 0; i < scene->plan->n_runs; i++) {
        if (scene->wave.group[i] == 0) continue;
        char *task = sl_string_printf("%zu", i);
        assert_true(scene->open[i]);
        sl_wave_note(scene->plan, i, &scene->made, task, scene->makers);
        scene->open[i] = false;
        free(task);
        count++;
    }
    return count;
}

static size_t first_of_network(const struct sl_experiment *plan, size_t run)
{
    size_t first = 0;
    while (strcmp(plan->runs[first].network, plan->runs[run].network) != 0)
        first++;
    return first;
}

static void assert_waits_for(const struct sl_wave *wave, size_t run, size_t task)
{
    char *after = sl_wave_after(wave, wave->group[run]), *expected = sl_string_printf("%zu", task);
    assert_string_equal(after, expected);
    free(after);
    free(expected);
}

static void test_fine_tunings_wait_for_the_network_that_they_start_from(void **state)
{
    (void)state;
    enum { NETWORKS = 8 };
    struct scene scene = scene_of("peterson2019/figure4");
    const size_t n_runs = scene.plan->n_runs;
    assert_int_equal(submit(&scene), NETWORKS);
    assert_int_equal(scene.wave.n_groups, 1);
    assert_null(sl_wave_after(&scene.wave, 1));
    for (size_t i = 0; i < n_runs; i++)
        assert_int_equal(scene.wave.group[i], first_of_network(scene.plan, i) == i);
    sl_wave_release(&scene.wave);
    assert_int_equal(submit(&scene), n_runs - NETWORKS);
    assert_int_equal(scene.wave.n_groups, 1 + NETWORKS);
    for (size_t i = 0; i < n_runs; i++)
        if (first_of_network(scene.plan, i) != i)
            assert_waits_for(&scene.wave, i, first_of_network(scene.plan, i));
    sl_wave_release(&scene.wave);
    scene_release(&scene);
}

static void test_nobody_waits_for_a_training_that_is_made(void **state)
{
    (void)state;
    struct scene scene = scene_of("peterson2019/figure4");
    for (size_t i = 0; i < scene.plan->n_jobs; i++) {
        const struct sl_job *job = &scene.plan->jobs[i];
        if (job->network) json_object_set_new(scene.made.known, job->output, json_string("00"));
    }
    assert_int_equal(submit(&scene), scene.plan->n_runs);
    assert_int_equal(scene.wave.n_groups, 1);
    assert_int_equal(json_object_size(scene.makers), 0);
    sl_wave_release(&scene.wave);
    scene_release(&scene);
}

static void test_runs_that_share_no_training_go_at_once(void **state)
{
    (void)state;
    struct scene scene = scene_of("collins2022/figure10");
    assert_int_equal(submit(&scene), scene.plan->n_runs);
    assert_int_equal(scene.wave.n_groups, 1);
    sl_wave_release(&scene.wave);
    scene_release(&scene);
}

/* Another experiment has the same trainings. */
static void test_many_groups_become_few_and_lose_no_task(void **state)
{
    (void)state;
    enum { MOST_JOBS = 33 };
    struct scene scene = scene_of("collins2022/figure10");
    const size_t n_runs = scene.plan->n_runs;
    assert_true(n_runs > 3 * MOST_JOBS);
    (void)submit(&scene);
    sl_wave_release(&scene.wave);
    for (size_t i = 0; i < n_runs; i++) {
        scene.open[i] = true;
        assert_int_equal(sl_wave_needs(scene.plan, i, &scene.made, scene.makers),
                         scene.plan->runs[i].training != SL_NO_JOB);
    }
    assert_int_equal(submit(&scene), n_runs);
    assert_in_range(scene.wave.n_groups, 2, MOST_JOBS);
    for (size_t i = 0; i < n_runs; i++) {
        char *task = sl_string_printf("%zu", i);
        const size_t group = scene.wave.group[i];
        if (scene.plan->runs[i].training != SL_NO_JOB)
            assert_non_null(json_object_get(scene.wave.after[group], task));
        else
            assert_int_equal(group, 1);
        free(task);
    }
    sl_wave_release(&scene.wave);
    scene_release(&scene);
}

struct tally {
    size_t runs, trainings, epochs; /* as if every run were made by itself */
    size_t shared_trainings, shared_epochs;
};

/* The trainings of the runs of a wave; `before` has those that had a task before. */
static void count_trainings(const struct scene *scene, const json_t *before, struct tally *tally)
{
    const struct sl_experiment *plan = scene->plan;
    for (size_t i = 0; i < plan->n_runs; i++) {
        if (scene->wave.group[i] == 0) continue;
        json_t *own = json_object();
        sl_wave_note(plan, i, &scene->made, "", own);
        for (size_t j = 0; j < plan->n_jobs; j++) {
            if (!json_object_get(own, plan->jobs[j].key)) continue;
            tally->trainings++;
            tally->epochs += plan->jobs[j].n_epochs;
        }
        tally->runs++;
        json_decref(own);
    }
    for (size_t j = 0; j < plan->n_jobs; j++) {
        const char *key = plan->jobs[j].key;
        if (!json_object_get(scene->makers, key) || json_object_get(before, key)) continue;
        tally->shared_trainings++;
        tally->shared_epochs += plan->jobs[j].n_epochs;
    }
}

/* As sl_launch_slurm does it for one experiment after another; `keys` has the runs that are
 * submitted. */
static void submit_all(const char *name, json_t *keys, json_t *makers, struct tally *tally)
{
    struct scene scene = scene_of(name);
    json_decref(scene.makers);
    scene.makers = json_incref(makers);
    for (size_t i = 0; i < scene.plan->n_runs; i++) {
        scene.open[i] = !json_object_get(keys, scene.plan->runs[i].key);
        json_object_set_new(keys, scene.plan->runs[i].key, json_true());
    }
    size_t n_runs = 0;
    do {
        json_t *before = json_copy(makers);
        n_runs = submit(&scene);
        count_trainings(&scene, before, tally);
        sl_wave_release(&scene.wave);
        json_decref(before);
    } while (n_runs > 0);
    scene_release(&scene);
}

/* docs/decisions/0028 has these figures. */
static void test_all_tables_make_every_training_once(void **state)
{
    (void)state;
    struct tally tally = {0};
    json_t *keys = json_object(), *makers = json_object();
    for (size_t i = 0; sl_builtin_specs[i]; i++)
        submit_all(sl_builtin_specs[i], keys, makers, &tally);
    assert_int_equal(tally.runs, 2268);
    assert_int_equal(tally.trainings, 2965);
    assert_int_equal(tally.epochs, 403610);
    assert_int_equal(tally.shared_trainings, 1768);
    assert_int_equal(tally.shared_epochs, 163740);
    assert_int_equal(json_object_size(makers), tally.shared_trainings);
    json_decref(keys);
    json_decref(makers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine_tunings_wait_for_the_network_that_they_start_from),
        cmocka_unit_test(test_nobody_waits_for_a_training_that_is_made),
        cmocka_unit_test(test_runs_that_share_no_training_go_at_once),
        cmocka_unit_test(test_many_groups_become_few_and_lose_no_task),
        cmocka_unit_test(test_all_tables_make_every_training_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
