/* How many clicks other answers are worth, from simulated people whose distributions are known. */
#include "softlab/pipeline/worth.h"
#include "job_scene.h"
#include "softlab/base/random.h"

enum { ITEMS = 300, PEOPLE = 24 };

/* The probability of "cat" for an item: most are easy, some are not. */
static double theta_of(size_t item)
{
    static const double thetas[] = {.97, .9, .05, .6};
    return thetas[item % 4];
}

/* Clicks on all items, drawn from their distributions. */
static char *clicks_file(const char *name, uint64_t seed, size_t n_people)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_text(&text, "item,worker,label\n");
    for (size_t i = 0; i < ITEMS; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, seed, "test.clicks", 0, i);
        for (size_t p = 0; p < n_people; p++)
            sl_buffer_printf(&text, "%zu,w%zu,%s\n", i, p,
                             sl_rng_uniform(&rng) < theta_of(i) ? "cat" : "dog");
    }
    char *path = test_job_file(name, text.data);
    sl_buffer_release(&text);
    return path;
}

/* Answers that state the true distribution, with classes in another order and case. */
static char *truths_file(const char *name)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_text(&text, "item,annotator,p_Dog,p_Cat\n");
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t p = 0; p < 2; p++)
            sl_buffer_printf(&text, "%zu,t%zu,%.4f,%.4f\n", i, p, 1 - theta_of(i), theta_of(i));
    char *path = test_job_file(name, text.data);
    sl_buffer_release(&text);
    return path;
}

static struct sl_worth_job job_of(char *clicks, char *other, const char *method)
{
    struct sl_worth_job job = sl_worth_job_default();
    job.paths[SL_WORTH_CLICKS] = clicks;
    job.paths[SL_WORTH_OTHER] = other;
    job.methods[SL_WORTH_CLICKS] = (struct sl_word_list){1, {"share"}};
    job.methods[SL_WORTH_OTHER] = (struct sl_word_list){1, {method}};
    job.numbers[SL_WORTH_CLICKS] = (struct sl_real_list){5, {1, 2, 4, 8, 12}};
    job.numbers[SL_WORTH_OTHER] = (struct sl_real_list){2, {2, 4}};
    job.draws = 10;
    job.bootstrap = 200;
    return job;
}

static struct sl_worth_result run(const struct sl_worth_job *job, struct sl_pool *pool)
{
    struct test_job_scene scene;
    struct sl_worth_result result;
    struct sl_error err;
    test_job_scene_init(&scene);
    scene.workplace.pool = pool;
    assert_ok(sl_worth_job_run(job, &scene.workplace, &result, &err), err);
    return result;
}

static void test_clicks_of_others_are_worth_as_many_clicks(void **state)
{
    (void)state;
    char *clicks = clicks_file("a.csv", 1, PEOPLE), *other = clicks_file("b.csv", 2, PEOPLE);
    for (enum sl_worth_side side = 0; side < SL_WORTH_SIDES; side++) {
        struct sl_worth_job job = job_of(clicks, other, "share");
        job.reference = side;
        struct sl_worth_result result = run(&job, NULL);
        assert_int_equal(result.n_items, ITEMS);
        assert_int_equal(result.n_short, 0);
        /* 24 less 12 for labels and 3 for the screen; and 24 less 4. */
        assert_near(result.reference_answers, side == SL_WORTH_CLICKS ? 9 : 20, 1e-9);
        assert_int_equal(result.n_worths, 2 * SL_WORTH_MEASURES * SL_WORTH_GROUPS);
        for (size_t i = 0; i < result.n_worths; i++) {
            const struct sl_worth *worth = &result.worths[i];
            const double number = result.sets[worth->set].number;
            assert_true(worth->clicks.low <= worth->clicks.high);
            assert_in_range(worth->beyond + 1, 1, 1);
            assert_true(fabs(log(worth->clicks.estimate / number)) < .25);
        }
        sl_worth_result_release(&result);
    }
    free(clicks);
    free(other);
}

static void test_the_truth_is_worth_more_than_all_clicks(void **state)
{
    (void)state;
    char *clicks = clicks_file("a.csv", 1, PEOPLE), *other = truths_file("t.csv");
    struct sl_worth_job job = job_of(clicks, other, "share");
    job.numbers[SL_WORTH_OTHER] = (struct sl_real_list){1, {1}};
    struct sl_worth_result result = run(&job, NULL);
    for (size_t i = 0; i < result.n_worths; i++) {
        assert_int_equal(result.worths[i].beyond, 1);
        assert_near(result.worths[i].clicks.estimate, 12, 1e-9);
        /* 12 clicks of 2.5 s for one answer. */
        assert_near(sl_worth_break_even(&result, &result.worths[i], 12), 30, 1e-9);
    }
    /* The squared distance of the truth from the truth is 0, once the noise of the people is
     * taken off. */
    const struct sl_interval *of_truth =
        &result.sets[result.n_sets - 1].score[SL_WORTH_ALL][SL_WORTH_MEASURES - 1];
    assert_true(of_truth->low < 0 && of_truth->high > 0);
    /* Three clicks on theta = .6 disagree with probability 1 - .6^3 - .4^3 = .72; and so on. */
    assert_near(result.n_group[SL_WORTH_UNCERTAIN], ITEMS * (.0873 + .27 + .1425 + .72) / 4, 12);
    sl_worth_result_release(&result);
    free(clicks);
    free(other);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    char *clicks = clicks_file("a.csv", 1, PEOPLE), *other = truths_file("t.csv");
    struct sl_worth_job job = job_of(clicks, other, "dirichlet-soft");
    job.methods[SL_WORTH_CLICKS] = (struct sl_word_list){1, {"dirichlet"}};
    job.numbers[SL_WORTH_OTHER] = (struct sl_real_list){1, {1}};
    job.draws = 1;
    struct sl_pool *pool = NULL;
    struct sl_error err;
    assert_ok(sl_pool_create(3, &pool, &err), err);
    struct sl_worth_result one = run(&job, NULL), three = run(&job, pool);
    json_t *first = sl_worth_json(&one, NULL), *second = sl_worth_json(&three, NULL);
    assert_true(json_equal(first, second));
    json_decref(first);
    json_decref(second);
    sl_worth_result_release(&one);
    sl_worth_result_release(&three);
    sl_pool_destroy(pool);
    free(clicks);
    free(other);
}

static void assert_refused(const struct sl_worth_job *job, enum sl_status status,
                           const char *message)
{
    struct test_job_scene scene;
    struct sl_worth_result result;
    struct sl_error err;
    test_job_scene_init(&scene);
    assert_int_equal(sl_worth_job_run(job, &scene.workplace, &result, &err), status);
    if (!strstr(err.message, message)) fail_msg("%s", err.message);
}

static void test_what_has_no_use_is_refused(void **state)
{
    (void)state;
    char *clicks = clicks_file("a.csv", 1, 4), *other = clicks_file("b.csv", 2, 4);
    const struct sl_worth_job good = job_of(clicks, other, "share");
    struct sl_worth_job job = good;
    assert_refused(&job, SL_ERR_INPUT,
                   "0 items in both files with at least 17 clicks and 4 other answers, and 300 "
                   "with fewer");
    job.paths[SL_WORTH_OTHER] = NULL;
    assert_refused(&job, SL_ERR_USAGE, "OTHER is missing");
    job = good;
    job.numbers[SL_WORTH_CLICKS] = (struct sl_real_list){2, {2, 2}};
    assert_refused(&job, SL_ERR_USAGE, "--numbers: 2 after 2; give ascending numbers");
    job.numbers[SL_WORTH_CLICKS] = (struct sl_real_list){2, {1, 2.5}};
    assert_refused(&job, SL_ERR_USAGE, "--numbers: 2.5 is not a whole number from 1");
    job.numbers[SL_WORTH_CLICKS] = (struct sl_real_list){1, {1}};
    assert_refused(&job, SL_ERR_USAGE, "at least two numbers of clicks");
    job = good;
    job.screen = 1;
    assert_refused(&job, SL_ERR_USAGE, "--screen 1 has no effect");
    job = good;
    job.methods[SL_WORTH_OTHER] = (struct sl_word_list){2, {"share", "share"}};
    assert_refused(&job, SL_ERR_USAGE, "--other-method share is given twice");
    free(clicks);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clicks_of_others_are_worth_as_many_clicks),
        cmocka_unit_test(test_the_truth_is_worth_more_than_all_clicks),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_what_has_no_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
