/* Accuracy on public sets beside what was published, or computed with another program. */
#include "../../../bench/crowd_sets.h"

#include "crowd_scene.h"

static double accuracy_of(const char *method, enum sl_tie tie, const struct sl_votes *votes,
                          const int32_t *truth)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state crowd;
    struct sl_error err;
    options.tie = tie;
    if (strcmp(method, "ds") == 0) options.diagonal = 0; /* as Dawid and Skene had it */
    assert_ok(sl_aggregate(sl_aggregator_find(method), votes, &options, &crowd, &err), err);
    double accuracy = crowd_accuracy(&crowd, truth);
    sl_crowd_state_release(&crowd);
    return accuracy;
}

struct loaded {
    const struct crowd_set *set;
    struct sl_votes votes;
    int32_t *truth;
};

/* Nothing to compare if nothing was published; sets without names of annotators have no ds. */
static void check(const struct loaded *loaded, const char *method, enum sl_tie tie,
                  double published, double tolerance)
{
    if (!(published > 0)) return;
    const double ours = accuracy_of(method, tie, &loaded->votes, loaded->truth);
    if (!(fabs(ours - published) <= tolerance))
        fail_msg("%s on %s: %.4f, published %.4f", method, loaded->set->name, ours, published);
}

static void test_accuracies_are_the_published_ones(void **state)
{
    (void)state;
    const char *root = test_data("truth_inference/CF/label.csv");
    if (!root) skip();
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", getenv("SOFTLAB_DATA"));
    for (const struct crowd_set *set = crowd_sets; set->name; set++) {
        struct loaded loaded = {.set = set};
        struct sl_error err;
        assert_ok(crowd_set_load(set, folder, &loaded.votes, &loaded.truth, &err), err);
        /* How pos's published run was set up is not known; ours is .010 above it. */
        const double ds_tolerance = strcmp(set->name, "pos") == 0 ? 0.015 : 0.005;
        check(&loaded, "mv", SL_TIE_SHARE, set->mv, 0.0005);
        check(&loaded, "mv", SL_TIE_FIRST, set->mv_first, 0.0005);
        check(&loaded, "ds", SL_TIE_SHARE, set->ds, ds_tolerance);
        check(&loaded, "ibcc", SL_TIE_SHARE, set->ibcc, 0.005);
        crowd_set_release(&loaded.votes, loaded.truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracies_are_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
