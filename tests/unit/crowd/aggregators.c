/* Inputs that sl_aggregate refuses before it calls a method. */
#include "crowd_scene.h"
#include "softlab/label.h"

/* Under a sanitizer a hopeless request ends the program unless it is told to refuse. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the sanitizers'. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
/* NOLINTEND(bugprone-reserved-identifier) */

struct fixture {
    struct scene scene;
    struct sl_crowd_options options;
    struct sl_crowd_state out;
    struct sl_error err;
};

static int set_up(void **state)
{
    struct fixture *fixture = sl_alloc(1, sizeof *fixture);
    scene_make(&fixture->scene, 10, 4, 3, 3, 0.7, 0.9);
    fixture->options = sl_crowd_options_default();
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    scene_release(&fixture->scene);
    free(fixture);
    return 0;
}

static enum sl_status try(struct fixture *fixture, const char *name)
{
    return sl_aggregate(sl_aggregator_find(name), &fixture->scene.votes, &fixture->options,
                        &fixture->out, &fixture->err);
}

static void test_a_class_out_of_range_names_the_item(void **state)
{
    struct fixture *f = *state;
    f->scene.votes.label[7] = 3;
    assert_fails(try(f, "mv"), SL_ERR_INPUT, f->err, "mv: item 2: class 3 does not exist");
    assert_null(f->out.posterior);
}

static void test_an_unknown_annotator_matters_where_annotators_do(void **state)
{
    struct fixture *f = *state;
    f->scene.votes.annotator[29] = SL_NO_NAME;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err,
                 "ds: item 9 has an answer without an annotator");
    assert_ok(try(f, "mv"), f->err);
    sl_crowd_state_release(&f->out);
    f->scene.votes.annotator[29] = 4;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "item 9: annotator 4 does not exist");
}

static void test_items_must_hold_all_answers_in_order(void **state)
{
    struct fixture *f = *state;
    f->scene.votes.begin[4] = 20;
    assert_fails(try(f, "mv"), SL_ERR_INPUT, f->err, "item 4 ends before it begins");
    f->scene.votes.begin[10] = 29;
    assert_fails(try(f, "mv"), SL_ERR_INPUT, f->err,
                 "items hold answers 0 to 29, expected 0 to 30");
}

static void test_gold_and_prior_are_checked(void **state)
{
    struct fixture *f = *state;
    int32_t gold[10] = {0, 1, 2, -1, -1, -1, -1, -1, 3, -1};
    double prior[36] = {0};
    f->options.gold = gold;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "gold of item 8: class 3 does not exist");
    gold[8] = -2;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "gold of item 8");
    f->options.gold = NULL;
    f->options.prior = prior;
    prior[20] = -1;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "prior of annotator 2: count -1");
    prior[20] = (double)NAN;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "prior of annotator 2");
}

static void test_options_out_of_range_are_named(void **state)
{
    struct fixture *f = *state;
    const struct sl_crowd_options good = sl_crowd_options_default();
    assert_ok(sl_crowd_options_check(&good, &f->err), f->err);
    f->options.max_iterations = 0;
    assert_fails(try(f, "ds"), SL_ERR_USAGE, f->err, "max_iterations 0");
    f->options = good;
    f->options.tolerance = (double)NAN;
    assert_fails(try(f, "ds"), SL_ERR_USAGE, f->err, "tolerance nan");
    f->options = good;
    f->options.smoothing = -0.5;
    assert_fails(try(f, "ds"), SL_ERR_USAGE, f->err, "smoothing -0.5");
    f->options = good;
    f->options.diagonal = HUGE_VAL;
    assert_fails(try(f, "ds"), SL_ERR_USAGE, f->err, "diagonal inf");
    f->options = good;
    f->options.start_diagonal = 1;
    assert_fails(try(f, "ds"), SL_ERR_USAGE, f->err, "start_diagonal 1");
    f->options = good;
    f->options.tie = (enum sl_tie)7;
    assert_fails(try(f, "mv"), SL_ERR_USAGE, f->err, "tie rule 7 does not exist");
}

static void test_a_saved_state_must_fit(void **state)
{
    struct fixture *f = *state;
    struct sl_crowd_state saved = {.n_items = 10, .n_annotators = 4, .n_classes = 2};
    f->options.resume = &saved;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err,
                 "the saved state has 2 classes, the answers have 3");
    saved.n_classes = 3;
    saved.n_items = 11;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "has 11 items, the answers only 10");
    saved.n_items = 10;
    saved.n_annotators = 5;
    assert_fails(try(f, "ds"), SL_ERR_INPUT, f->err, "has 5 annotators, the answers only 4");
}

static void test_predictions_must_be_distributions(void **state)
{
    struct fixture *f = *state;
    f->options.predictions = f->scene.predictions;
    f->scene.predictions[5] += 0.5f;
    assert_fails(try(f, "mv"), SL_ERR_INPUT, f->err,
                 "prediction 1: the probabilities sum to 1.5, expected 1");
    f->scene.predictions[3] = -0.1f;
    assert_fails(try(f, "mv"), SL_ERR_INPUT, f->err, "prediction 1: -0.1 is not a probability");
}

/* A hundred million annotators times a thousand classes squared is 400 TB. */
static void test_matrices_beyond_memory_are_reported_with_their_size(void **state)
{
    struct fixture *f = *state;
    f->scene.votes.n_annotators = 100000000;
    f->scene.votes.n_classes = 1000;
    assert_fails(try(f, "ds"), SL_ERR_NOMEM, f->err,
                 "not enough memory for 10 items and 100000000 annotators x 1000 classes");
    f->scene.votes.n_annotators = 4294967295;
    f->scene.votes.n_classes = 65536;
    assert_fails(try(f, "ibcc"), SL_ERR_NOMEM, f->err, "4294967295 annotators x 65536 classes");
    f->scene.votes.n_classes = 65537;
    assert_fails(try(f, "ibcc"), SL_ERR_INPUT, f->err, "65537 classes, expected 1 to 65536");
}

static void test_votes_and_distributions_are_not_mixed_up(void **state)
{
    struct fixture *f = *state;
    const struct sl_aggregator soft = {.name = "x", .needs = SL_CROWD_SOFT};
    const struct sl_soft_votes votes = {0};
    assert_fails(sl_aggregate(&soft, &f->scene.votes, &f->options, &f->out, &f->err), SL_ERR_USAGE,
                 f->err, "x: the method needs distributions, got votes");
    assert_fails(sl_aggregate_soft(sl_aggregator_find("mv"), &votes, &f->options, &f->out, &f->err),
                 SL_ERR_USAGE, f->err, "mv: the method needs votes, got distributions");
}

/* `also` of one row: names of no other row, and no method's own. */
static void check_other_names(const char *also, const void *row)
{
    const char *at = also ? also : "";
    while (*at) {
        char name[64];
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const void *aggregator = sl_aggregator_known_as(name);
        const void *method = sl_label_method_known_as(name);
        assert_null(sl_aggregator_find(name));
        assert_null(sl_label_method_find(name));
        assert_true((aggregator == row) + (method == row) == 1);
        assert_true(!aggregator || !method);
        at += length;
        at += strspn(at, " ");
    }
}

static void test_what_a_method_is_called_elsewhere_leads_to_it_alone(void **state)
{
    (void)state;
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++)
        check_other_names(a->also, a);
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        check_other_names(m->also, m);
    assert_string_equal(sl_aggregator_known_as("Dawid-Skene")->name, "ds");
    assert_string_equal(sl_aggregator_known_as("majority")->name, "mv");
    assert_null(sl_aggregator_known_as("ds"));
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(test_a_class_out_of_range_names_the_item),
        WITH_SCENE(test_an_unknown_annotator_matters_where_annotators_do),
        WITH_SCENE(test_items_must_hold_all_answers_in_order),
        WITH_SCENE(test_gold_and_prior_are_checked),
        WITH_SCENE(test_options_out_of_range_are_named),
        WITH_SCENE(test_a_saved_state_must_fit),
        WITH_SCENE(test_predictions_must_be_distributions),
        WITH_SCENE(test_matrices_beyond_memory_are_reported_with_their_size),
        WITH_SCENE(test_votes_and_distributions_are_not_mixed_up),
        cmocka_unit_test(test_what_a_method_is_called_elsewhere_leads_to_it_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
