/* All tables together fit into the budget of the scale `small`; jobs that tables share count once.
 * The test uses fixed rates, measured while both threads of a core trained, and times nothing
 * itself. */
#include "experiment_plans.h"

enum { SECONDS_PER_HOUR = 3600 };

/* Core-milliseconds per item from `softlab run all --scale small --dry-run`, on a 2.5 GHz core
 * whose other thread trained too. */
static const struct rate {
    const char *network;
    double trained, predicted, attacked;
} rates[] = {
    {"resnet20", 1.6, .5, 1.3},
    {"resnet34a", 3.7, 1.2, 3.2},
    {"tagger", .4, .17, 0},
    {"mlp-uma", .05, .02, 0},
};
static const double corrupted = 1;

static const struct rate *rate_of(const char *network)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(rates[i].network, network) == 0) return &rates[i];
    fail_msg("the scale small trains %s, for which the test has no rate", network);
    return NULL;
}

/* The network that a job trains or scores, or NULL. */
static const char *network_of(const struct sl_job *job)
{
    const json_t *scored = json_object_get(job->step, "training");
    return sl_plan_text(scored ? scored : job->step, "network");
}

/* Core-seconds of the jobs that are not in `counted` yet. */
static double add_jobs(const struct sl_experiment *plan, struct sl_name_table *counted)
{
    double seconds = 0;
    for (size_t i = 0; i < plan->n_jobs; i++) {
        const struct sl_job *job = &plan->jobs[i];
        const char *network = network_of(job);
        const size_t before = sl_name_table_count(counted);
        uint32_t index = 0;
        struct sl_error err = {0};
        assert_ok(sl_name_table_add(counted, job->output, strlen(job->output), &index, &err), err);
        if (index < before || !network || job->missing) continue;
        const struct rate *rate = rate_of(network);
        seconds += (job->work.trained * rate->trained + job->work.predicted * rate->predicted +
                    job->work.attacked * rate->attacked + job->work.corrupted * corrupted) /
                   1000;
    }
    return seconds;
}

static void test_all_tables_fit_into_the_budget(void **state)
{
    (void)state;
    char *folder = sl_path_join(getenv("HOME") ? getenv("HOME") : "", ".local/share/softlab");
    const struct sl_data_roots roots = {.given = getenv("SOFTLAB_DATA"), .folder = folder};
    const struct sl_experiment_options options = {.roots = &roots, .seen = sl_seen_data_create()};
    struct sl_name_table *counted = sl_name_table_create();
    struct sl_dataset *images = NULL;
    double seconds = 0;
    const bool here =
        roots.given && sl_dataset_open("cifar10:test", &roots, &images, NULL) == SL_OK;
    sl_dataset_destroy(images);
    if (here)
        for (const char *const *name = sl_builtin_specs; *name; name++) {
            struct sl_experiment *plan = plan_of(*name, "small", &options);
            seconds += add_jobs(plan, counted);
            sl_experiment_destroy(plan);
        }
    sl_name_table_destroy(counted);
    sl_seen_data_destroy(options.seen);
    free(folder);
    if (!here) {
        print_message("skipped: SOFTLAB_DATA or CIFAR-10 is not here\n");
        skip();
    }
    print_message("%.1f core-hours\n", seconds / SECONDS_PER_HOUR);
    assert_true(seconds > SECONDS_PER_HOUR); /* the plans have work */
    assert_true(seconds <= (double)SL_SMALL_CORE_HOURS * SECONDS_PER_HOUR);
}

/* A comparison needs a few runs of each set. */
static void test_every_set_has_three_runs_or_more(void **state)
{
    (void)state;
    for (const char *const *name = sl_builtin_specs; *name; name++) {
        struct sl_experiment *plan = expand(*name, "small", false);
        for (size_t i = 0; i < plan->n_runs; i++) {
            const struct sl_run *run = &plan->runs[i];
            size_t n_like = 0;
            for (size_t j = 0; j < plan->n_runs; j++)
                n_like += sl_text_same(run->part, plan->runs[j].part) &&
                          sl_text_same(run->set, plan->runs[j].set) &&
                          sl_text_same(run->network, plan->runs[j].network);
            if (run->set && n_like < 3) fail_msg("%s: %zu runs of %s", *name, n_like, run->title);
        }
        sl_experiment_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_tables_fit_into_the_budget),
        cmocka_unit_test(test_every_set_has_three_runs_or_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
