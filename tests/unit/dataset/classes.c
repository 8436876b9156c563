#include "softlab/base/classes.h"
#include "softlab/dataset.h"
#include "support.h"

enum { COUNT = 30, OWN = 3 };

/* circle, square and triangle, with their true distributions. */
static struct sl_dataset *three_shapes(void)
{
    struct sl_shapes_options options = sl_shapes_options_default();
    struct sl_dataset *dataset = NULL;
    struct sl_error err;
    options.count = COUNT;
    options.size = 8;
    options.n_classes = OWN;
    assert_ok(sl_shapes_create(&options, &dataset, &err), err);
    return dataset;
}

static char star[] = "star", triangle[] = "triangle", circle[] = "circle", square[] = "square";
static char *const others[] = {star, triangle, circle, square};

static void test_labels_and_truth_follow_the_names(void **state)
{
    (void)state;
    struct sl_dataset *was = three_shapes(), *dataset = three_shapes();
    const struct sl_class_list from = {"shapes", dataset->classes, dataset->n_classes};
    const struct sl_class_list to = {"the network", others, 4};
    size_t columns[OWN];
    struct sl_error err;
    assert_ok(sl_classes_match(&from, &to, columns, NULL, &err), err);
    assert_ok(sl_dataset_set_classes(dataset, columns, others, 4, &err), err);
    assert_int_equal(dataset->n_classes, 4);
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(dataset->classes[dataset->labels[i]], was->classes[was->labels[i]]);
        assert_near(dataset->truth[i * 4], 0, 0);
        for (size_t k = 0; k < OWN; k++)
            assert_near(dataset->truth[i * 4 + columns[k]], was->truth[i * OWN + k], 0);
    }
    sl_dataset_destroy(dataset);
    sl_dataset_destroy(was);
}

static void test_classes_of_more_items_follow_by_name(void **state)
{
    (void)state;
    struct sl_dataset *dataset = three_shapes(), *more = three_shapes();
    const struct sl_class_list own = {"shapes", more->classes, OWN}, four = {"four", others, 4};
    size_t places[OWN];
    struct sl_error err;
    for (size_t i = 0; i < COUNT; i++)
        more->items[i][0] = 'm';
    assert_ok(sl_classes_match(&own, &four, places, NULL, &err), err);
    assert_ok(sl_dataset_set_classes(more, places, others, 4, &err), err);
    assert_fails(sl_dataset_append(dataset, more, &err), SL_ERR_INPUT, err,
                 "class \"star\" is unknown to shapes");
    assert_int_equal(dataset->count, COUNT);
    const size_t columns[] = {2, 0, 1}; /* of what `dataset` has in the order of three shapes */
    char *const turned[] = {square, triangle, circle};
    assert_ok(sl_dataset_set_classes(dataset, columns, turned, OWN, &err), err);
    sl_dataset_destroy(more);
    more = three_shapes();
    for (size_t i = 0; i < COUNT; i++)
        more->items[i][0] = 'm';
    assert_ok(sl_dataset_append(dataset, more, &err), err);
    assert_int_equal(dataset->count, 2 * COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(dataset->classes[dataset->labels[COUNT + i]],
                            more->classes[more->labels[i]]);
    sl_dataset_destroy(dataset);
    sl_dataset_destroy(more);
}

static void test_a_set_without_classes_takes_the_names(void **state)
{
    (void)state;
    struct sl_dataset *dataset = three_shapes();
    struct sl_error err;
    for (size_t k = 0; k < OWN; k++)
        free(dataset->classes[k]);
    dataset->n_classes = 0;
    free(dataset->truth);
    dataset->truth = NULL;
    for (size_t i = 0; i < COUNT; i++)
        dataset->labels[i] = SL_NO_LABEL;
    assert_ok(sl_dataset_set_classes(dataset, NULL, others, 4, &err), err);
    assert_int_equal(dataset->n_classes, 4);
    assert_string_equal(dataset->classes[1], "triangle");
    assert_int_equal(dataset->labels[7], SL_NO_LABEL);
    sl_dataset_destroy(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_and_truth_follow_the_names),
        cmocka_unit_test(test_classes_of_more_items_follow_by_name),
        cmocka_unit_test(test_a_set_without_classes_takes_the_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
