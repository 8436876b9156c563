/* Figures of published predictions (Peterson et al. 2019), to the four digits they are known to. */
#include "eval_support.h"

static struct sl_rows *read_rows(const char *folder, const char *name, const char *array)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *file = test_data(path);
    struct sl_rows *rows = NULL;
    struct sl_error err;
    if (file) assert_ok(sl_rows_read(file, array, &rows, &err), err);
    return rows;
}

static void test_held_out_predictions_give_the_known_figures(void **state)
{
    (void)state;
    static const char *const names[] = {
        "accuracy",           "cross_entropy",   "second_best_accuracy",
        "second_best_unique", "rms_calibration", "entropy_correlation"};
    static const struct {
        const char *file;
        double values[6];
    } published[] = {
        {"vgg_15_BN_64_True.npz", {.8400, 1.1217, .2165, .2945, .1540, .2000}},
        {"vgg_15_BN_64_False.npz", {.8433, .6156, .2747, .4068, .0707, .3445}},
        {"resnet_basic_110_True.npz", {.8017, 1.0299, .1957, .2884, .1335, .2379}},
        {"resnet_basic_110_False.npz", {.8056, .7590, .2509, .3658, .0840, .2831}},
        {"wrn_28_10_True.npz", {.8827, .7681, .2261, .3307, .1094, .2432}},
        {"wrn_28_10_False.npz", {.8999, .4443, .2857, .4342, .0378, .4029}},
    };
    for (size_t f = 0; f < sizeof published / sizeof *published; f++) {
        const char *folder = "peterson2019/preds_scores_9k";
        struct sl_rows *logits = read_rows(folder, published[f].file, "logits");
        if (!logits) return;
        struct sl_rows *labels = read_rows(folder, published[f].file, "labels");
        struct sl_scored *scored =
            test_score_rows(logits, labels, (struct sl_scored_options){.logits = true});
        size_t n_unique = 0;
        for (size_t i = 0; i < scored->n; i++)
            n_unique += scored->unique_second[i];
        assert_int_equal(n_unique, 4730);
        for (size_t m = 0; m < 6; m++)
            assert_near(test_value(names[m], scored, NULL), published[f].values[m], 5.0001e-5);
        sl_scored_destroy(scored);
        sl_rows_destroy(logits);
        sl_rows_destroy(labels);
    }
}

static void test_an_ensemble_of_eight_networks_comes_near_people(void **state)
{
    (void)state;
    static const char *const files[] = {
        "densenet_BC_100_12_test.npz", "pyramidnet_basic_110_270_test.npz",
        "resnet_basic_110_test.npz",   "resnet_preact_bottleneck_164_test.npz",
        "resnext_29_8x64d_test.npz",   "shake_shake_26_2x64d_SSI_cutout16_test.npz",
        "vgg_15_BN_64_test.npz",       "wrn_28_10_test.npz",
    };
    struct sl_rows *sets[8], *ensemble;
    struct sl_error err;
    struct sl_rows *labels = read_rows("cifar10h", "cifar10h-probs.npy", "labels");
    if (!labels) return;
    for (size_t i = 0; i < 8; i++) {
        sets[i] = read_rows("peterson2019/base_predictions", files[i], "logits");
        assert_non_null(sets[i]);
    }
    assert_ok(sl_rows_ensemble((const struct sl_rows *const *)sets, 8, SL_PREDICTION_LOGITS, 1,
                               &ensemble, &err),
              err);
    struct sl_scored *scored = test_score_rows(ensemble, labels, (struct sl_scored_options){0});
    assert_near(test_value("cross_entropy", scored, NULL), .4068, 5.0001e-5);
    sl_scored_destroy(scored);
    sl_rows_destroy(ensemble);
    sl_rows_destroy(labels);
    for (size_t i = 0; i < 8; i++)
        sl_rows_destroy(sets[i]);
}

/* The published rows are in the order of ten folds, of which the last is listed; beside CIFAR-10H
 * in that order they meet the labels that the file itself holds. */
static void test_an_order_brings_published_rows_to_their_items(void **state)
{
    (void)state;
    enum { FIRST = 9000, COUNT = 1000, CLASSES = 10 };
    const char *folder = "peterson2019/preds_scores_9k", *name = "wrn_28_10_False.npz";
    struct sl_rows *logits = read_rows(folder, name, "logits");
    struct sl_rows *labels = read_rows("cifar10h", "cifar10h-probs.npy", "labels");
    struct sl_array order = {0};
    struct sl_error err;
    const char *listed = test_data("peterson2019/val_idx_seed_0.npy");
    if (!logits || !labels || !listed) return;
    assert_ok(sl_npy_read(listed, &order, &err), err);
    assert_int_equal(sl_array_count(&order), COUNT);
    struct sl_rows *own = read_rows(folder, name, "labels");
    struct sl_rows *fold =
        test_rows(logits->values + (size_t)FIRST * CLASSES, COUNT, CLASSES, NULL, NULL);
    size_t items[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        items[i] = (size_t)((const int64_t *)order.data)[i];
    struct sl_scored *scored =
        test_score_rows(fold, labels, (struct sl_scored_options){.logits = true, .order = items});
    assert_int_equal(scored->n, COUNT);
    double by_items = test_value("cross_entropy", scored, NULL);
    sl_scored_destroy(scored);
    struct sl_rows *beside =
        test_rows(own->values + (size_t)FIRST * CLASSES, COUNT, CLASSES, NULL, NULL);
    scored = test_score_rows(fold, beside, (struct sl_scored_options){.logits = true});
    assert_near(by_items, test_value("cross_entropy", scored, NULL), 1e-6);
    sl_scored_destroy(scored);
    struct sl_rows *sets[] = {logits, labels, own, fold, beside};
    for (size_t i = 0; i < 5; i++)
        sl_rows_destroy(sets[i]);
    sl_array_release(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_out_predictions_give_the_known_figures),
        cmocka_unit_test(test_an_order_brings_published_rows_to_their_items),
        cmocka_unit_test(test_an_ensemble_of_eight_networks_comes_near_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
