/* The models with confusion matrices: ds, ds-fast, ds-hybrid, ds-onecoin and ibcc. */
#include "crowd/confusion_start.h"
#include "crowd_scene.h"

/* Item 0: a and b say 0, c says 1. Item 1: all say 1. */
static size_t begins[] = {0, 3, 6};
static uint32_t annotators[] = {0, 1, 2, 0, 1, 2};
static uint16_t labels[] = {0, 0, 1, 1, 1, 1};
static const struct scene two = {.votes = {.n_items = 2,
                                           .n_annotators = 3,
                                           .n_classes = 2,
                                           .count = 6,
                                           .begin = begins,
                                           .annotator = annotators,
                                           .label = labels}};

static void run(const char *name, const struct scene *scene, struct sl_crowd_options options,
                struct sl_crowd_state *out)
{
    scene_run(sl_aggregator_find(name), scene, options, out);
}

static struct sl_crowd_options one_step(double smoothing)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 1;
    options.smoothing = smoothing;
    options.diagonal = 0;
    return options;
}

/* Vote shares (2/3, 1/3) and (0, 1) give class shares 1/3, 2/3; a and b the rows (1, 0) and
 * (1/4, 3/4); c (0, 1) twice. Item 0: 1/3 against 2/3 x 1/16 = 1/24. Item 1: 0 against 3/8. */
static void test_one_step_of_dawid_skene_by_hand(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("ds", &two, one_step(0), &crowd);
    assert_int_equal(crowd.n_iterations, 1);
    assert_false(crowd.converged);
    assert_near(crowd.posterior[0], 8.0 / 9, 1e-7);
    assert_near(crowd.posterior[1], 1.0 / 9, 1e-7);
    assert_near(crowd.posterior[3], 1, 1e-7);
    assert_near(crowd.trace[0], 2 * log(0.375), 1e-6);
    assert_near(crowd.class_prior[0], 4.0 / 9, 1e-8);
    assert_near(crowd.confusion[0], 1, 1e-7);
    assert_near(crowd.confusion[2], 0.1, 1e-7);
    assert_near(crowd.confusion[3], 0.9, 1e-7);
    assert_near(crowd.confusion[8 + 1], 1, 1e-7);
    assert_near(crowd.skill[0], 4.0 / 9 + 5.0 / 9 * 0.9, 1e-7);
    sl_crowd_state_release(&crowd);
}

/* With 1 on every cell: a's rows are (5/3, 1) / (8/3) and (4/3, 2) / (10/3), c's (1, 5/3) / (8/3)
 * and (1, 7/3) / (10/3), class shares 5/3 and 7/3 of 4. */
static void test_smoothing_adds_to_every_cell(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("ds", &two, one_step(1), &crowd);
    double zero = 5.0 / 12 * 0.625 * 0.625 * 0.625, one = 7.0 / 12 * 0.4 * 0.4 * 0.7;
    assert_near(crowd.posterior[0], zero / (zero + one), 1e-7);
    zero = 5.0 / 12 * 0.375 * 0.375 * 0.625, one = 7.0 / 12 * 0.6 * 0.6 * 0.7;
    assert_near(crowd.posterior[2], zero / (zero + one), 1e-7);
    sl_crowd_state_release(&crowd);
}

/* Everybody's rows are (8, 2) / 10 and (1, 9) / 10, but nothing is known of c's second row. The
 * class shares are those of the votes: 1/3 and 2/3. */
static const double known[] = {8, 2, 1, 9, 8, 2, 1, 9, 8, 2, 0, 0};

static void test_given_counts_are_the_first_matrices(void **state)
{
    struct sl_crowd_options options = one_step(0);
    struct sl_crowd_state crowd;
    (void)state;
    options.start = SL_START_GIVEN;
    options.start_counts = known;
    run("ds", &two, options, &crowd);
    /* c knows nothing of class 1: 1/2 for either answer. */
    double zero = 1.0 / 3 * .8 * .8 * .2, one = 2.0 / 3 * .1 * .1 * .5, sum = log(zero + one);
    assert_near(crowd.posterior[0], zero / (zero + one), 1e-7);
    zero = 1.0 / 3 * .2 * .2 * .2, one = 2.0 / 3 * .9 * .9 * .5;
    assert_near(crowd.posterior[2], zero / (zero + one), 1e-7);
    assert_near(crowd.trace[0], sum + log(zero + one), 1e-6);
    sl_crowd_state_release(&crowd);
}

/* Votes alone give a and b the counts (2/3, 0) and (1/3, 1), c (0, 2/3) and (0, 4/3). */
static void test_added_counts_count_beside_the_votes_once(void **state)
{
    struct sl_crowd_options options = one_step(0);
    struct sl_crowd_state crowd, without;
    (void)state;
    options.start = SL_START_ADDED;
    options.start_counts = known;
    run("ds", &two, options, &crowd);
    const double a0 = (2.0 / 3 + 8) / (2.0 / 3 + 10), a1 = (1.0 / 3 + 1) / (4.0 / 3 + 10);
    const double c0 = (2.0 / 3 + 2) / (2.0 / 3 + 10), c1 = 1;
    const double zero = 1.0 / 3 * a0 * a0 * c0, one = 2.0 / 3 * a1 * a1 * c1;
    assert_near(crowd.posterior[0], zero / (zero + one), 1e-7);
    /* The counts are no prior: the matrices that are reported follow from the posterior alone. */
    const double p = (double)crowd.posterior[0], q = (double)crowd.posterior[2];
    assert_near(crowd.confusion[0], p / (p + q), 1e-6);
    sl_crowd_state_release(&crowd);
    options.max_iterations = 200;
    options.tolerance = 0;
    run("ds", &two, options, &crowd);
    options.start = SL_START_SHARES;
    options.start_counts = NULL;
    run("ds", &two, options, &without);
    for (size_t i = 0; i < 4; i++)
        assert_near(crowd.posterior[i], without.posterior[i], 1e-6);
    sl_crowd_state_release(&crowd);
    sl_crowd_state_release(&without);
}

static void test_counts_to_start_from_are_checked(void **state)
{
    static const double bad[] = {8, 2, 1, 9, 8, 2, 1, -9, 8, 2, 0, 0};
    struct sl_crowd_options options = one_step(0);
    struct sl_crowd_state crowd;
    struct sl_error err;
    (void)state;
    options.start = SL_START_GIVEN;
    assert_fails(scene_try(sl_aggregator_find("ds"), &two, options, &crowd, &err), SL_ERR_USAGE,
                 err, "ds: the start needs start_counts");
    options.start_counts = bad;
    assert_fails(scene_try(sl_aggregator_find("ds"), &two, options, &crowd, &err), SL_ERR_INPUT,
                 err, "ds: start of annotator 1: count -9");
    options.start_counts = known;
    assert_fails(scene_try(sl_aggregator_find("ds-onecoin"), &two, options, &crowd, &err),
                 SL_ERR_USAGE, err, "one number per annotator");
    options.start = SL_START_SHARES;
    assert_fails(scene_try(sl_aggregator_find("ds"), &two, options, &crowd, &err), SL_ERR_USAGE,
                 err, "start_counts need SL_START_GIVEN");
}

/* Plain EM as other programs do it, with everything that divides by nothing: a class that nobody
 * names, annotators with one answer, an item that all of them answer alike. */
static void test_plain_em_needs_no_smoothing(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    struct scene scene;
    (void)state;
    scene_make(&scene, 30, 60, 4, 2, .9, .9);
    for (size_t v = 0; v < scene.votes.count; v++)
        scene.votes.label[v] = scene.votes.label[v] == 3 ? 0 : scene.votes.label[v];
    options.smoothing = options.diagonal = 0;
    options.tolerance = 1e-5;
    options.stop = SL_STOP_PER_ANSWER;
    run("ds", &scene, options, &crowd);
    double sum = 0;
    for (size_t k = 0; k < 4; k++)
        sum += crowd.class_prior[k];
    assert_near(sum, 1, 1e-9);
    assert_near(crowd.class_prior[3], 0, 1e-6);
    for (size_t row = 0; row < (size_t)60 * 4; row++) {
        double total = 0;
        for (size_t k = 0; k < 4; k++)
            total += (double)crowd.confusion[row * 4 + k];
        assert_near(total, 1, 1e-6);
    }
    for (size_t i = 0; i < crowd.n_iterations; i++)
        assert_true(isfinite(crowd.trace[i]) &&
                    (i == 0 || crowd.trace[i] >= crowd.trace[i - 1] - 1e-6));
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

/* Only the class of the items differs: item 0 is class 0, item 1 is class 1. */
static void test_hard_dawid_skene_counts_the_best_class_alone(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("ds-fast", &two, one_step(0), &crowd);
    assert_near(crowd.posterior[0], 8.0 / 9, 1e-7);
    assert_near(crowd.trace[0], log(1.0 / 3) + log(0.375), 1e-6);
    assert_near(crowd.class_prior[0], 0.5, 1e-9);
    assert_near(crowd.confusion[0], 1, 1e-7);
    assert_near(crowd.confusion[3], 1, 1e-7);
    assert_near(crowd.confusion[8 + 1], 1, 1e-7);
    sl_crowd_state_release(&crowd);
}

static void test_the_hybrid_ends_hard(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    struct scene scene;
    (void)state;
    scene_make(&scene, 120, 12, 3, 5, 0.5, 0.8);
    options.smoothing = 0;
    run("ds-hybrid", &scene, options, &crowd);
    assert_true(crowd.converged);
    for (size_t k = 0; k < 3; k++)
        assert_near(120 * crowd.class_prior[k], round(120 * crowd.class_prior[k]), 1e-6);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

/* Right: a and b 2/3 + 1 of 2, c 1/3 + 1 of 2. Item 0: 1/3 5/6 5/6 1/3 against 2/3 1/6 1/6 2/3,
 * item 1: 1/3 1/6 1/6 1/3 against 2/3 5/6 5/6 2/3, all over 324: 25 : 4 and 1 : 100. */
static void test_one_step_of_one_coin_by_hand(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    run("ds-onecoin", &two, one_step(0), &crowd);
    assert_near(crowd.posterior[0], 25.0 / 29, 1e-7);
    assert_near(crowd.posterior[2], 1.0 / 101, 1e-7);
    assert_near(crowd.trace[0], log(29.0 / 324) + log(101.0 / 324), 1e-6);
    assert_near(crowd.skill[0], (25.0 / 29 + 100.0 / 101) / 2, 1e-8);
    assert_near(crowd.class_prior[0], (25.0 / 29 + 1.0 / 101) / 2, 1e-8);
    assert_null(crowd.confusion);
    sl_crowd_state_release(&crowd);
}

/* Worked outside with digamma and log Gamma from their series: priors 4 on the diagonal, 1 off it,
 * 1 on the classes. */
static void test_one_step_of_ibcc_worked_outside(void **state)
{
    struct sl_crowd_state crowd;
    (void)state;
    struct sl_crowd_options options = one_step(SL_CROWD_OWN);
    options.diagonal = SL_CROWD_OWN;
    run("ibcc", &two, options, &crowd);
    assert_near(crowd.posterior[0], 0.8394843336467998, 1e-6);
    assert_near(crowd.posterior[2], 0.0035568255216645, 1e-6);
    assert_near(crowd.trace[0], -4.568736418539374, 1e-5);
    sl_crowd_state_release(&crowd);
}

static void test_the_objective_never_falls(void **state)
{
    static const char *const names[] = {"ds", "ds-onecoin", "ds-fast", "ibcc"};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scene scene;
    (void)state;
    options.max_iterations = 60;
    options.tolerance = 0;
    scene_make(&scene, 150, 14, 3, 4, 0.35, 0.75);
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        struct sl_crowd_state crowd;
        run(names[m], &scene, options, &crowd);
        assert_int_equal(crowd.n_iterations, 60);
        for (size_t i = 1; i < crowd.n_iterations; i++)
            if (!(crowd.trace[i] >= crowd.trace[i - 1] - 1e-7 * fabs(crowd.trace[i])))
                fail_msg("%s: step %zu fell from %.12g to %.12g", names[m], i, crowd.trace[i - 1],
                         crowd.trace[i]);
        sl_crowd_state_release(&crowd);
    }
    scene_release(&scene);
}

/* Gold (0, 1) on item 0 and one answer pinned: a's row of class 1 holds a 0 and a 1. */
static void test_gold_enters_the_confusion(void **state)
{
    const int32_t gold[] = {1, -1};
    struct sl_crowd_options options = one_step(0);
    struct sl_crowd_state crowd;
    (void)state;
    options.gold = gold;
    run("ds", &two, options, &crowd);
    assert_near(crowd.posterior[1], 1, 0);
    assert_near(crowd.confusion[2], 0.5, 1e-6);
    assert_near(crowd.confusion[3], 0.5, 1e-6);
    assert_near(crowd.class_prior[1], 1, 1e-6);
    sl_crowd_state_release(&crowd);
}

/* 98 earlier answers say that c turns classes around, which the votes here cannot show. */
static void test_prior_counts_enter_the_confusion(void **state)
{
    double prior[12] = {[8 + 1] = 49, [8 + 2] = 49};
    struct sl_crowd_options options = one_step(0);
    struct sl_crowd_state crowd;
    (void)state;
    options.prior = prior;
    run("ds", &two, options, &crowd);
    /* c's row of class 1: 49 earlier 0, and the two 1 of here with mass 1/9 and 1. */
    double zero = 1.0 / 3 * 1, one = 2.0 / 3 / 16 * (4.0 / 3) / (49 + 4.0 / 3);
    assert_near(crowd.posterior[0], zero / (zero + one), 1e-6);
    double mass = 1 + one / (zero + one);
    assert_near(crowd.confusion[8 + 2], 49 / (49 + mass), 1e-6);
    sl_crowd_state_release(&crowd);
}

static void test_one_coin_takes_the_prior_too(void **state)
{
    double prior[12] = {[8 + 1] = 490, [8 + 2] = 490};
    struct sl_crowd_options options = one_step(0);
    struct sl_crowd_state crowd;
    (void)state;
    options.prior = prior;
    run("ds-onecoin", &two, options, &crowd);
    assert_true(crowd.skill[2] < 0.01);
    sl_crowd_state_release(&crowd);
}

static void test_both_starts_reach_the_same_answer(void **state)
{
    static const char *const names[] = {"ds", "ds-onecoin", "ibcc"};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scene scene;
    (void)state;
    options.tolerance = 1e-10;
    scene_make(&scene, 200, 10, 3, 6, 0.6, 0.9);
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        struct sl_crowd_state shares, diagonal;
        options.start = SL_START_SHARES;
        run(names[m], &scene, options, &shares);
        options.start = SL_START_DIAGONAL;
        run(names[m], &scene, options, &diagonal);
        for (size_t i = 0; i < 600; i++)
            assert_near(shares.posterior[i], diagonal.posterior[i], 1e-2);
        sl_crowd_state_release(&shares);
        sl_crowd_state_release(&diagonal);
    }
    scene_release(&scene);
}

/* The first half of the items, answered by the annotators below 10 only, then everything. */
static void test_a_saved_state_is_continued(void **state)
{
    static const char *const names[] = {"ds", "ds-onecoin", "ibcc"};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scene scene, half;
    (void)state;
    options.tolerance = 1e-9;
    scene_make(&scene, 400, 12, 3, 6, 0.75, 0.95);
    scene_make(&half, 200, 10, 3, 6, 0.75, 0.95);
    memcpy(scene.votes.annotator, half.votes.annotator, half.votes.count * sizeof(uint32_t));
    memcpy(scene.votes.label, half.votes.label, half.votes.count * sizeof(uint16_t));
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        struct sl_crowd_state saved, fresh, resumed;
        options.resume = NULL;
        run(names[m], &half, options, &saved);
        run(names[m], &scene, options, &fresh);
        options.resume = &saved;
        run(names[m], &scene, options, &resumed);
        assert_true(resumed.converged);
        for (size_t i = 0; i < 1200; i++)
            assert_near(fresh.posterior[i], resumed.posterior[i], 1e-2);
        /* Continuing from the end changes next to nothing. */
        options.resume = &fresh;
        struct sl_crowd_state again;
        run(names[m], &scene, options, &again);
        assert_in_range(again.n_iterations, 1, 6);
        sl_crowd_state_release(&again);
        sl_crowd_state_release(&saved);
        sl_crowd_state_release(&fresh);
        sl_crowd_state_release(&resumed);
    }
    scene_release(&scene);
    scene_release(&half);
}

/* An annotator who is not in the state starts from the mean of the others' matrices. */
static void test_new_annotators_start_from_the_mean(void **state)
{
    float confusion[] = {.9f, .1f, .2f, .8f, .7f, .3f, .4f, .6f}, row[2];
    double class_prior[] = {.25, .75}, classes[2];
    const struct sl_crowd_state saved = {
        .n_annotators = 2, .n_classes = 2, .class_prior = class_prior, .confusion = confusion};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_confusion_start start;
    struct sl_error err;
    (void)state;
    options.resume = &saved;
    assert_ok(sl_confusion_start_init(&start, &options, 2, &err), err);
    sl_confusion_start_row(&start, 1, 0, row);
    assert_near(row[0], log(.7), 1e-6);
    assert_near(row[1], log(.4), 1e-6);
    sl_confusion_start_row(&start, 2, 1, row);
    assert_near(row[0], log(.2), 1e-6);
    assert_near(row[1], log(.7), 1e-6);
    sl_confusion_start_classes(&start, classes);
    assert_near(classes[0], log(.25), 1e-6);
    sl_confusion_start_release(&start);
}

static void test_a_state_of_another_kind_is_refused(void **state)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state saved, out;
    struct sl_error err;
    (void)state;
    run("mv", &two, options, &saved);
    options.resume = &saved;
    assert_fails(scene_try(sl_aggregator_find("ds"), &two, options, &out, &err), SL_ERR_INPUT, err,
                 "ds: the saved state has no confusion matrices");
    assert_fails(scene_try(sl_aggregator_find("ds-onecoin"), &two, options, &out, &err),
                 SL_ERR_INPUT, err, "has no skills");
    sl_crowd_state_release(&saved);
}

static void test_rows_of_confusions_are_distributions(void **state)
{
    struct sl_crowd_state crowd;
    struct scene scene;
    (void)state;
    scene_make(&scene, 100, 8, 4, 5, 0.4, 0.9);
    run("ibcc", &scene, sl_crowd_options_default(), &crowd);
    for (size_t row = 0; row < 32; row++) {
        double sum = 0;
        for (size_t k = 0; k < 4; k++)
            sum += (double)crowd.confusion[row * 4 + k];
        assert_near(sum, 1, 1e-6);
    }
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

/* Two answers each from people who are right nine times in ten: without something on the diagonal
 * every matrix fits them, and the classes trade places. */
static void test_annotators_with_few_answers_do_not_run_away(void **state)
{
    enum { PEOPLE = 600 };
    (void)state;
    struct scene scene;
    scene_make(&scene, 400, PEOPLE, 10, 3, 0.9, 0.9);
    struct sl_crowd_state crowd = {0};
    scene_run(sl_aggregator_find("ds"), &scene, sl_crowd_options_default(), &crowd);
    size_t right = 0;
    for (size_t i = 0; i < crowd.n_items; i++)
        right += scene_best(&crowd, i) == (size_t)scene.truth[i];
    assert_in_range(right, 370, 400);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotators_with_few_answers_do_not_run_away),
        cmocka_unit_test(test_one_step_of_dawid_skene_by_hand),
        cmocka_unit_test(test_given_counts_are_the_first_matrices),
        cmocka_unit_test(test_added_counts_count_beside_the_votes_once),
        cmocka_unit_test(test_counts_to_start_from_are_checked),
        cmocka_unit_test(test_plain_em_needs_no_smoothing),
        cmocka_unit_test(test_smoothing_adds_to_every_cell),
        cmocka_unit_test(test_hard_dawid_skene_counts_the_best_class_alone),
        cmocka_unit_test(test_the_hybrid_ends_hard),
        cmocka_unit_test(test_one_step_of_one_coin_by_hand),
        cmocka_unit_test(test_one_step_of_ibcc_worked_outside),
        cmocka_unit_test(test_the_objective_never_falls),
        cmocka_unit_test(test_gold_enters_the_confusion),
        cmocka_unit_test(test_prior_counts_enter_the_confusion),
        cmocka_unit_test(test_one_coin_takes_the_prior_too),
        cmocka_unit_test(test_both_starts_reach_the_same_answer),
        cmocka_unit_test(test_a_saved_state_is_continued),
        cmocka_unit_test(test_new_annotators_start_from_the_mean),
        cmocka_unit_test(test_a_state_of_another_kind_is_refused),
        cmocka_unit_test(test_rows_of_confusions_are_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
