#include "support.h"

#include "dataset/shapes/shapes.h"

static struct sl_dataset *make(const struct sl_shapes_options *options)
{
    struct sl_error err;
    struct sl_dataset *dataset;
    assert_ok(sl_shapes_create(options, &dataset, &err), err);
    return dataset;
}

static void test_the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    struct sl_shapes_options options = sl_shapes_options_default();
    options.count = 40;
    struct sl_dataset *a = make(&options), *b = make(&options);
    options.seed++;
    struct sl_dataset *other = make(&options);
    const size_t bytes = (size_t)40 * 32 * 32 * 3;
    assert_memory_equal(a->pixels, b->pixels, bytes);
    assert_memory_equal(a->truth, b->truth, sizeof(float[40][6]));
    assert_memory_not_equal(a->pixels, other->pixels, bytes);
    assert_memory_not_equal(a->truth, other->truth, sizeof(float[40][6]));
    sl_dataset_destroy(a);
    sl_dataset_destroy(b);
    sl_dataset_destroy(other);
}

static void test_an_item_does_not_depend_on_how_many_there_are(void **state)
{
    (void)state;
    struct sl_shapes_options options = sl_shapes_options_default();
    options.count = 10;
    struct sl_dataset *few = make(&options);
    options.count = 35;
    struct sl_dataset *many = make(&options);
    assert_memory_equal(few->pixels, many->pixels, (size_t)10 * 32 * 32 * 3);
    assert_memory_equal(few->truth, many->truth, sizeof(float[10][6]));
    assert_memory_equal(few->labels, many->labels, 10 * sizeof(int32_t));
    assert_string_equal(few->items[9], many->items[9]);
    assert_string_equal(many->items[0], "shapes-000001");
    assert_string_equal(many->items[34], "shapes-000035");
    sl_dataset_destroy(few);
    sl_dataset_destroy(many);
}

static void test_the_truth_goes_into_rows_with_its_names(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_rows *rows = NULL;
    struct sl_shapes_options options = sl_shapes_options_default();
    options.count = 7;
    struct sl_dataset *set = make(&options);
    assert_ok(sl_dataset_truth_rows(set, &rows, &err), err);
    assert_int_equal(rows->n_rows, 7);
    assert_int_equal(rows->n_classes, set->n_classes);
    assert_memory_equal(rows->values, set->truth, 7 * set->n_classes * sizeof(float));
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(rows->items[i], set->items[i]);
    for (size_t k = 0; k < set->n_classes; k++)
        assert_string_equal(rows->classes[k], set->classes[k]);
    assert_null(rows->annotators);
    sl_rows_destroy(rows);
    rows = NULL;
    free(set->truth);
    set->truth = NULL;
    assert_fails(sl_dataset_truth_rows(set, &rows, &err), SL_ERR_USAGE, err, "are not known");
    assert_null(rows);
    sl_dataset_destroy(set);
}

static void test_truth_is_a_distribution_over_two_classes_and_the_label_its_peak(void **state)
{
    (void)state;
    struct sl_shapes_options options = sl_shapes_options_default();
    options.count = 1200;
    options.size = 8;
    struct sl_dataset *set = make(&options);
    size_t certain = 0;
    for (size_t i = 0; i < set->count; i++) {
        const float *truth = set->truth + i * set->n_classes;
        double sum = 0;
        size_t positive = 0;
        assert_in_range(set->labels[i], 0, 5);
        for (size_t k = 0; k < set->n_classes; k++) {
            assert_true(truth[k] >= 0 && truth[k] <= truth[set->labels[i]]);
            sum += (double)truth[k];
            positive += truth[k] > 0;
        }
        assert_near(sum, 1, 1e-7);
        assert_in_range(positive, 1, 2);
        /* Phi(.35 / .15) = .9901847 is the surest that an ambiguous image can be. */
        assert_true(positive == 1 || truth[set->labels[i]] < 0.9902f);
        certain += positive == 1;
    }
    assert_in_range(certain, 520, 680); /* half of 1200, standard deviation 17 */
    sl_dataset_destroy(set);
}

static void test_classes_are_equally_frequent(void **state)
{
    (void)state;
    struct sl_shapes_options options = sl_shapes_options_default();
    options.size = 8;
    options.ambiguous = 0; /* labels are class A then */
    options.n_classes = 7;
    options.count = 91;
    struct sl_dataset *set = make(&options);
    size_t counts[7] = {0};
    bool in_order = true;
    for (size_t i = 0; i < set->count; i++) {
        counts[set->labels[i]]++;
        in_order &= (size_t)set->labels[i] == i % 7;
    }
    for (size_t k = 0; k < 7; k++)
        assert_int_equal(counts[k], 13);
    assert_false(in_order);
    sl_dataset_destroy(set);
}

static void test_the_probability_of_the_second_class_is_the_stated_one(void **state)
{
    (void)state;
    assert_near(sl_shape_probability(0), 0, 0);
    assert_near(sl_shape_probability(0.5), 0.5, 1e-15);
    assert_near(sl_shape_probability(0.65), 0.841344746, 1e-9); /* Phi(1) */
    assert_near(sl_shape_probability(0.2), 0.022750132, 1e-9);  /* Phi(-2) */
    for (int i = 1; i < 100; i++) {
        double before = sl_shape_probability((i - 1) / 100.0);
        double here = sl_shape_probability(i / 100.0);
        assert_true(here > before);
        assert_near(here + sl_shape_probability(1 - i / 100.0), 1, 1e-12);
    }
}

static double total_difference(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* Between any two classes, every step of the morph leads away from A and towards B. */
static void test_morphs_go_from_one_shape_to_the_other(void **state)
{
    (void)state;
    enum { SIZE = 32, AREA = SIZE * SIZE, STEPS = 8 };
    static float first[AREA], last[AREA], here[AREA];
    for (size_t pair = 0; pair < (size_t)SL_SHAPES_MAX_CLASSES * SL_SHAPES_MAX_CLASSES; pair++) {
        struct sl_shape_pose pose = {.from = pair / SL_SHAPES_MAX_CLASSES,
                                     .to = pair % SL_SHAPES_MAX_CLASSES,
                                     .angle = 0.2,
                                     .scale = 0.8};
        if (pose.from == pose.to) continue;
        sl_shape_cover(&pose, SIZE, first);
        pose.morph = 1;
        sl_shape_cover(&pose, SIZE, last);
        double from_a = 0, to_b = total_difference(first, last, AREA);
        assert_true(to_b > 40); /* of 1024 pixels: no two classes look alike */
        for (int step = 1; step <= STEPS; step++) {
            pose.morph = (double)step / STEPS;
            sl_shape_cover(&pose, SIZE, here);
            double now_from_a = total_difference(first, here, AREA);
            double now_to_b = total_difference(here, last, AREA);
            assert_true(now_from_a >= from_a && now_to_b <= to_b);
            from_a = now_from_a;
            to_b = now_to_b;
        }
        assert_near(to_b, 0, 0);
    }
}

/* The circle has a radius of .74: its area in a picture of side 2 at scale s is known. */
static void test_coverage_is_the_area_of_the_shape(void **state)
{
    (void)state;
    enum { SIZE = 64, AREA = SIZE * SIZE };
    static float cover[AREA];
    const struct sl_shape_pose pose = {.from = 0, .to = 1, .scale = 0.7, .x = 0.1, .y = -0.05};
    sl_shape_cover(&pose, SIZE, cover);
    double sum = 0;
    for (size_t i = 0; i < AREA; i++) {
        assert_true(cover[i] >= 0 && cover[i] <= 1);
        sum += (double)cover[i];
    }
    double radius = 0.74 * 0.7 * SIZE / 2;
    assert_near(sum, 3.14159265 * radius * radius, 5);
}

/* A square of half side .66 at scale 2/3 ends at .44: one of four columns of samples of the
 * pixel from .4 to .6 lies inside. */
static void test_the_outline_covers_its_pixels_in_part(void **state)
{
    (void)state;
    float cover[10 * 10];
    const struct sl_shape_pose pose = {.from = 1, .to = 0, .scale = 2.0 / 3};
    sl_shape_cover(&pose, 10, cover);
    assert_near(cover[5 * 10 + 6], 1, 0);
    assert_near(cover[5 * 10 + 7], 0.25, 0);
    assert_near(cover[7 * 10 + 7], 0.0625, 0);
    assert_near(cover[5 * 10 + 8], 0, 0);
}

/* Without noise the brightest and the darkest pixel are shape and background. */
static void test_shape_and_background_are_far_apart(void **state)
{
    (void)state;
    struct sl_shapes_options options = sl_shapes_options_default();
    options.count = 300;
    options.noise = 0;
    struct sl_dataset *set = make(&options);
    for (size_t i = 0; i < set->count; i++) {
        const uint8_t *pixels = set->pixels + i * 32 * 32 * 3;
        double low = 255, high = 0;
        for (size_t p = 0; p < (size_t)32 * 32; p++, pixels += 3) {
            double luma = 0.299 * pixels[0] + 0.587 * pixels[1] + 0.114 * pixels[2];
            low = fmin(low, luma);
            high = fmax(high, luma);
        }
        assert_true(high - low > 80);
    }
    sl_dataset_destroy(set);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset *set = NULL;
    struct sl_shapes_options options[8];
    for (size_t i = 0; i < 8; i++)
        options[i] = sl_shapes_options_default();
    options[0].count = 0;
    options[1].size = 7;
    options[2].size = 257;
    options[3].n_classes = 1;
    options[4].n_classes = 9;
    options[5].ambiguous = 1.01;
    options[6].noise = -1;
    options[7].noise = (double)NAN;
    for (size_t i = 0; i < 8; i++)
        assert_fails(sl_shapes_create(&options[i], &set, &err), SL_ERR_USAGE, err, "expected");
    assert_null(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(test_an_item_does_not_depend_on_how_many_there_are),
        cmocka_unit_test(test_the_truth_goes_into_rows_with_its_names),
        cmocka_unit_test(test_truth_is_a_distribution_over_two_classes_and_the_label_its_peak),
        cmocka_unit_test(test_classes_are_equally_frequent),
        cmocka_unit_test(test_the_probability_of_the_second_class_is_the_stated_one),
        cmocka_unit_test(test_morphs_go_from_one_shape_to_the_other),
        cmocka_unit_test(test_coverage_is_the_area_of_the_shape),
        cmocka_unit_test(test_the_outline_covers_its_pixels_in_part),
        cmocka_unit_test(test_shape_and_background_are_far_apart),
        cmocka_unit_test(test_options_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
