#include "crowd/soft.h"
#include "soft_scene.h"

static void test_a_vote_goes_to_the_largest_and_is_shared_by_ties(void **state)
{
    (void)state;
    double vote[3];
    sl_soft_vote((const float[]){.2f, .5f, .3f}, 3, vote);
    assert_true(vote[0] == 0 && vote[1] == 1 && vote[2] == 0);
    sl_soft_vote((const float[]){.4f, .2f, .4f}, 3, vote);
    assert_true(vote[0] == .5 && vote[1] == 0 && vote[2] == .5);
}

static double parabola(double x, void *context)
{
    double difference = x - *(const double *)context;
    return difference * difference;
}

static void test_a_minimum_is_found_inside_and_at_both_ends(void **state)
{
    (void)state;
    double inside = 1.25, below = -1, above = 5;
    assert_near(sl_soft_minimum(parabola, &inside, 0, 4, 1e-6), 1.25, 1e-6);
    assert_near(sl_soft_minimum(parabola, &below, 0, 4, 1e-6), 0, 0);
    assert_near(sl_soft_minimum(parabola, &above, 0, 4, 1e-6), 4, 0);
}

static void test_a_row_of_zeros_is_no_reference(void **state)
{
    (void)state;
    const float reference[] = {0, 0, .5f, .5f};
    struct soft_scene scene;
    soft_scene_alloc(&scene, 2, 1, 2);
    assert_null(sl_soft_reference(NULL, 0, 2));
    assert_null(sl_soft_reference(reference, 0, 2));
    assert_ptr_equal(sl_soft_reference(reference, 1, 2), reference + 2);
    assert_false(sl_soft_teaches(&scene.votes, NULL, 0));
    assert_false(sl_soft_teaches(&scene.votes, reference, 0));
    assert_true(sl_soft_teaches(&scene.votes, reference, 1));
    soft_scene_release(&scene);
}

static void assert_distributions(const struct sl_crowd_state *out)
{
    for (size_t i = 0; i < out->n_items; i++) {
        double sum = 0;
        for (size_t k = 0; k < out->n_classes; k++) {
            assert_true(out->posterior[i * out->n_classes + k] >= 0);
            sum += (double)out->posterior[i * out->n_classes + k];
        }
        assert_near(sum, 1, 1e-5);
    }
    for (size_t a = 0; a < out->n_annotators; a++)
        assert_true(out->skill[a] >= 0 && out->skill[a] <= 1);
}

/* Each soft method, plain, calibrated and with a reference for every other item. */
static void test_distributions_in_give_distributions_out(void **state)
{
    (void)state;
    struct soft_scene scene, known;
    soft_scene_make(&scene, 40, 6, 5, 1, 1);
    soft_scene_make(&known, 40, 1, 5, 0, 2);
    for (size_t i = 0; i < 40 * 5; i++)
        if (i / 5 % 2) known.rows[i] = 0;
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++) {
        for (int variant = 0; method->run_soft && variant < 4; variant++) {
            struct sl_crowd_options options = sl_crowd_options_default();
            struct sl_crowd_state out = {0};
            options.calibrate = variant & 1;
            options.reference = variant & 2 ? known.rows : NULL;
            soft_scene_run(method->name, &scene, options, &out);
            assert_distributions(&out);
            sl_crowd_state_release(&out);
        }
    }
    soft_scene_release(&scene);
    soft_scene_release(&known);
}

/* Classes and annotators get other numbers, answers another order within their item. */
static void rename_scene(const struct soft_scene *from, struct soft_scene *to)
{
    const size_t n_annotators = from->votes.n_annotators, n_classes = from->votes.n_classes;
    soft_scene_alloc(to, from->votes.n_items, n_annotators, n_classes);
    for (size_t j = 0; j < from->votes.count; j++) {
        size_t begin = j / n_annotators * n_annotators;
        size_t place = begin + (n_annotators - 1 - (j - begin));
        to->annotator[place] = (uint32_t)((from->annotator[j] + 2) % n_annotators);
        for (size_t k = 0; k < n_classes; k++)
            to->rows[place * n_classes + (k + 1) % n_classes] = from->rows[j * n_classes + k];
    }
}

static void test_the_order_of_annotators_answers_and_classes_is_nothing(void **state)
{
    (void)state;
    struct soft_scene scene, other;
    soft_scene_make(&scene, 30, 5, 4, 1, 3);
    rename_scene(&scene, &other);
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++) {
        if (!method->run_soft) continue;
        struct sl_crowd_options options = sl_crowd_options_default();
        struct sl_crowd_state first = {0}, second = {0};
        options.calibrate = true;
        soft_scene_run(method->name, &scene, options, &first);
        soft_scene_run(method->name, &other, options, &second);
        for (size_t i = 0; i < 30; i++)
            for (size_t k = 0; k < 4; k++)
                assert_near(second.posterior[i * 4 + (k + 1) % 4], first.posterior[i * 4 + k],
                            1e-5);
        for (size_t a = 0; a < 5; a++)
            assert_near(second.skill[(a + 2) % 5], first.skill[a], 1e-6);
        sl_crowd_state_release(&first);
        sl_crowd_state_release(&second);
    }
    soft_scene_release(&scene);
    soft_scene_release(&other);
}

static void test_what_is_no_distribution_is_named(void **state)
{
    (void)state;
    struct soft_scene scene;
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state out = {0};
    struct sl_error err;
    const struct sl_aggregator *method = sl_aggregator_find("pool-log");
    const float reference[] = {.5f, .1f, 0, 0};
    soft_scene_write(&scene, 2, 1, 2, (const float[]){.5f, .5f, .5f, .4f});
    assert_fails(sl_aggregate_soft(method, &scene.votes, &options, &out, &err), SL_ERR_INPUT, err,
                 "answer 1: the probabilities sum to 0.9");
    scene.rows[3] = NAN;
    assert_fails(sl_soft_votes_check(&scene.votes, &err), SL_ERR_INPUT, err, "answer 1");
    scene.rows[3] = .5f;
    scene.annotator[0] = 1;
    assert_fails(sl_soft_votes_check(&scene.votes, &err), SL_ERR_INPUT, err,
                 "item 0: annotator 1 does not exist");
    scene.annotator[0] = 0;
    options.reference = reference;
    assert_fails(sl_aggregate_soft(method, &scene.votes, &options, &out, &err), SL_ERR_INPUT, err,
                 "reference of item 0");
    options.reference = NULL;
    options.shrinkage = 0;
    assert_fails(sl_aggregate_soft(method, &scene.votes, &options, &out, &err), SL_ERR_USAGE, err,
                 "shrinkage 0");
    soft_scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_vote_goes_to_the_largest_and_is_shared_by_ties),
        cmocka_unit_test(test_a_minimum_is_found_inside_and_at_both_ends),
        cmocka_unit_test(test_a_row_of_zeros_is_no_reference),
        cmocka_unit_test(test_distributions_in_give_distributions_out),
        cmocka_unit_test(test_the_order_of_annotators_answers_and_classes_is_nothing),
        cmocka_unit_test(test_what_is_no_distribution_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
