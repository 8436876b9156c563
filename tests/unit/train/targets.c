#include "softlab/train/targets.h"

#include "softlab/dataset.h"
#include "support.h"

enum { CLASSES = 3 };

static char *const item_names[] = {(char[]){"i0"}, (char[]){"i1"}, (char[]){"i2"}, (char[]){"i3"}};
static char *const class_names[] = {(char[]){"Cat"}, (char[]){"Dog"}, (char[]){"Owl"}};
static const int32_t classes[] = {0, 1, 2, -1};

static const struct sl_target_items items = {.n_items = 4,
                                             .n_classes = CLASSES,
                                             .items = item_names,
                                             .classes = class_names,
                                             .labels = classes};
/* Without the last, whose class nobody knows. */
static const struct sl_target_items known = {.n_items = 3,
                                             .n_classes = CLASSES,
                                             .items = item_names,
                                             .classes = class_names,
                                             .labels = classes};

struct row {
    const char *item, *annotator;
    float values[CLASSES];
};

/* Rows in the order of `names` (NULL: without); items and annotators from the first row on, or
 * not at all. */
static struct sl_rows *make_rows(const struct row *rows, size_t count, const char *const *names)
{
    struct sl_error err;
    struct sl_rows *made;
    assert_ok(sl_rows_create(count, CLASSES, &made, &err), err);
    if (count > 0 && rows[0].item) made->items = sl_alloc(count, sizeof *made->items);
    if (count > 0 && rows[0].annotator) made->annotators = sl_alloc(count, sizeof(char *));
    for (size_t r = 0; r < count; r++) {
        memcpy(made->values + r * CLASSES, rows[r].values, sizeof rows[r].values);
        if (made->items) made->items[r] = sl_string_copy(rows[r].item);
        if (made->annotators) made->annotators[r] = sl_string_copy(rows[r].annotator);
    }
    if (names) made->classes = sl_alloc(CLASSES, sizeof *made->classes);
    for (size_t k = 0; names && k < CLASSES; k++)
        made->classes[k] = sl_string_copy(names[k]);
    return made;
}
#define ROWS(names, ...)                                                                           \
    make_rows((const struct row[]){__VA_ARGS__},                                                   \
              sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row), names)

static struct sl_targets *make(const struct sl_target_items *of,
                               const struct sl_target_options *options, bool keep_annotators)
{
    struct sl_error err;
    struct sl_targets *targets;
    assert_ok(sl_targets_create(of, options, keep_annotators, &targets, &err), err);
    return targets;
}

static void check_row(const float *row, double a, double b, double c)
{
    assert_near(row[0], a, 1e-6);
    assert_near(row[1], b, 1e-6);
    assert_near(row[2], c, 1e-6);
}

/* The target of one position in an epoch. */
static const float *drawn(const struct sl_targets *targets, uint64_t seed, uint64_t epoch,
                          size_t position)
{
    static float row[CLASSES];
    sl_targets_draw(targets, seed, epoch, &position, 1, row);
    return row;
}

/* ---- What targets become ---- */

static void test_without_labels_every_item_has_its_class(void **state)
{
    (void)state;
    const struct sl_target_options options = sl_target_options_default();
    struct sl_targets *targets = make(&known, &options, false);
    assert_int_equal(targets->n_items, 3);
    assert_int_equal(targets->n_soft, 0);
    assert_null(targets->annotators);
    for (size_t i = 0; i < 3; i++)
        check_row(drawn(targets, 1, 0, i), i == 0, i == 1, i == 2);
    sl_targets_destroy(targets);
}

static void test_rows_are_matched_by_item_and_class_whatever_their_order_and_case(void **state)
{
    (void)state;
    static const char *const names[] = {"owl", "CAT", "Dog"};
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels =
        ROWS(names, {"i2", NULL, {.1f, .2f, .7f}}, {"i0", NULL, {.5f, .5f, 0}});
    options.labels = labels;
    options.rest = SL_REST_HARD;
    struct sl_targets *targets = make(&known, &options, false);
    assert_int_equal(targets->n_soft, 2);
    check_row(drawn(targets, 1, 0, 0), .5, 0, .5);
    check_row(drawn(targets, 1, 0, 1), 0, 1, 0);
    check_row(drawn(targets, 1, 0, 2), .2, .7, .1);
    sl_targets_destroy(targets);
    sl_rows_destroy(labels);
}

static void test_rows_of_items_elsewhere_are_passed_over_and_others_are_not(void **state)
{
    (void)state;
    char *const elsewhere[] = {(char[]){"i9"}};
    struct sl_rows *labels = ROWS(NULL, {"i2", NULL, {0.5F, 0.5F, 0}}, {"i9", NULL, {0, 0, 1}},
                                  {"i0", NULL, {0, 1, 0}}, {"i1", NULL, {1, 0, 0}});
    struct sl_target_options options = sl_target_options_default();
    options.labels = labels;
    options.siblings = elsewhere;
    options.n_siblings = 1;
    struct sl_targets *targets = make(&known, &options, false);
    assert_int_equal(targets->n_items, 3);
    check_row(drawn(targets, 1, 1, 0), 0, 1, 0);
    check_row(drawn(targets, 1, 1, 2), 0.5, 0.5, 0);
    sl_targets_destroy(targets);
    struct sl_error err;
    options.n_siblings = 0;
    assert_fails(sl_targets_create(&known, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "item \"i9\", which the data set does not have");
    sl_rows_destroy(labels);
}

static void test_rows_without_names_correspond_in_order(void **state)
{
    (void)state;
    static const size_t only[] = {2, 0};
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *all = ROWS(NULL, {NULL, NULL, {1, 0, 0}}, {NULL, NULL, {.5f, .5f, 0}},
                               {NULL, NULL, {.25f, .75f, 0}}, {NULL, NULL, {0, .5f, .5f}});
    struct sl_rows *some = ROWS(NULL, {NULL, NULL, {.1f, .9f, 0}}, {NULL, NULL, {.2f, .8f, 0}});
    options.only = only;
    options.n_only = 2;
    options.labels = all;
    struct sl_targets *targets = make(&items, &options, false);
    assert_int_equal(targets->n_items, 2);
    assert_int_equal(targets->items[0], 2);
    check_row(drawn(targets, 1, 0, 0), .25, .75, 0);
    check_row(drawn(targets, 1, 0, 1), 1, 0, 0);
    sl_targets_destroy(targets);
    options.labels = some;
    targets = make(&items, &options, false);
    check_row(drawn(targets, 1, 0, 0), .1, .9, 0); /* of item 2, the first of the split */
    check_row(drawn(targets, 1, 0, 1), .2, .8, 0);
    sl_targets_destroy(targets);
    sl_rows_destroy(all);
    sl_rows_destroy(some);
}

static void test_items_are_left_out_by_split_hold_out_and_rest(void **state)
{
    (void)state;
    static const char *const holdout[] = {"i0", "i3", NULL};
    static const size_t only[] = {2, 1, 0};
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels =
        ROWS(NULL, {"i0", NULL, {1, 0, 0}}, {"i1", NULL, {0, .5f, .5f}}, {"i3", NULL, {0, 0, 1}});
    options.labels = labels;
    options.rest = SL_REST_DROP;
    struct sl_targets *targets = make(&items, &options, false);
    assert_int_equal(targets->n_items, 3);
    assert_int_equal(targets->items[2], 3);
    assert_int_equal(targets->n_left_out, 1);
    sl_targets_destroy(targets);
    options.holdout = holdout;
    targets = make(&items, &options, false);
    assert_int_equal(targets->n_items, 1); /* held-out items are not left out */
    assert_int_equal(targets->n_left_out, 1);
    sl_targets_destroy(targets);
    options.rest = SL_REST_HARD;
    options.only = only;
    options.n_only = 3;
    targets = make(&items, &options, false);
    assert_int_equal(targets->n_items, 2);
    assert_int_equal(targets->items[0], 2);
    assert_int_equal(targets->items[1], 1);
    assert_int_equal(targets->n_soft, 1);
    assert_int_equal(targets->n_left_out, 0);
    check_row(drawn(targets, 1, 0, 0), 0, 0, 1);
    sl_targets_destroy(targets);
    sl_rows_destroy(labels);
}

static struct sl_rows *three_annotators(void)
{
    return ROWS(NULL, {"i1", "ann", {0, 1, 0}}, {"i0", "bob", {1, 0, 0}},
                {"i1", "bob", {.5f, .5f, 0}}, {"i1", "", {0, .5f, .5f}}, {"i0", "ann", {0, 0, 1}});
}

static void test_annotators_are_averaged_unless_they_are_kept(void **state)
{
    (void)state;
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels = three_annotators();
    options.labels = labels;
    options.rest = SL_REST_HARD;
    struct sl_targets *mean = make(&known, &options, false), *kept = make(&known, &options, true);
    assert_int_equal(mean->begin[3], 3);
    assert_null(mean->annotators);
    check_row(mean->rows, .5, 0, .5);
    check_row(mean->rows + CLASSES, 1. / 6, 2. / 3, 1. / 6);
    assert_int_equal(kept->begin[1], 2);
    assert_int_equal(kept->begin[2], 5);
    assert_int_equal(kept->begin[3], 6);
    assert_int_equal(kept->n_annotators, 2);
    assert_string_equal(kept->annotator_names[0], "bob"); /* the first of i0 */
    assert_string_equal(kept->annotator_names[1], "ann");
    static const int32_t expected[] = {0, 1, 1, 0, -1, -1};
    for (size_t r = 0; r < 6; r++)
        assert_int_equal(kept->annotators[r], expected[r]);
    check_row(kept->rows + 3 * CLASSES, .5, .5, 0);
    for (size_t i = 0; i < 3; i++) { /* the shown target is still the mean */
        float row[CLASSES];
        memcpy(row, drawn(mean, 1, 0, i), sizeof row);
        check_row(drawn(kept, 1, 0, i), (double)row[0], (double)row[1], (double)row[2]);
    }
    sl_targets_destroy(mean);
    sl_targets_destroy(kept);
    sl_rows_destroy(labels);
}

/* ---- Drawing ---- */

enum { EPOCHS = 3000 };

static void test_each_presentation_draws_one_annotator(void **state)
{
    (void)state;
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels = three_annotators();
    options.labels = labels;
    options.rest = SL_REST_HARD;
    options.draw = SL_DRAW_ANNOTATOR;
    struct sl_targets *targets = make(&known, &options, false);
    int times[3] = {0};
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        const float *row = drawn(targets, 5, epoch, 1);
        const size_t which = row[1] == 1 ? 0 : row[0] > 0 ? 1 : 2; /* ann, bob, nobody */
        check_row(row, which == 1 ? .5 : 0, which == 0 ? 1 : .5, which == 2 ? .5 : 0);
        times[which]++;
        check_row(drawn(targets, 5, epoch, 2), 0, 0, 1);
    }
    for (size_t a = 0; a < 3; a++) /* 1000 expected, standard deviation 26 */
        assert_near(times[a], EPOCHS / 3., 130);
    sl_targets_destroy(targets);
    sl_rows_destroy(labels);
}

static void test_each_presentation_samples_one_class(void **state)
{
    (void)state;
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels = ROWS(NULL, {"i0", NULL, {.2f, 0, .8f}}, {"i1", NULL, {0, 1, 0}},
                                  {"i2", NULL, {.3f, .7f, 0}});
    options.labels = labels;
    options.draw = SL_DRAW_SAMPLE;
    struct sl_targets *targets = make(&known, &options, false);
    double sums[3][CLASSES] = {{0}};
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        static const size_t positions[] = {0, 1, 2};
        float rows[3 * CLASSES];
        sl_targets_draw(targets, 5, epoch, positions, 3, rows);
        for (size_t i = 0; i < 3; i++) {
            assert_near(rows[i * CLASSES] + rows[i * CLASSES + 1] + rows[i * CLASSES + 2], 1, 0);
            for (size_t k = 0; k < CLASSES; k++) {
                assert_true(rows[i * CLASSES + k] == 0 || rows[i * CLASSES + k] == 1);
                sums[i][k] += (double)rows[i * CLASSES + k] / EPOCHS;
            }
        }
    }
    assert_near(sums[0][0], .2, .04); /* standard deviation .0073 */
    assert_near(sums[0][1], 0, 0);
    assert_near(sums[1][1], 1, 1e-9);
    assert_near(sums[2][0], .3, .045);
    assert_near(sums[2][2], 0, 0);
    sl_targets_destroy(targets);
    sl_rows_destroy(labels);
}

static size_t hot(const float *row)
{
    size_t k = 0;
    while (k + 1 < CLASSES && row[k] != 1)
        k++;
    return k;
}

/* Draws are named by seed, epoch and item, not by batch or position. */
static void test_draws_depend_on_seed_epoch_and_item_alone(void **state)
{
    (void)state;
    static const size_t only[] = {2, 0, 1};
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels = ROWS(NULL, {"i0", NULL, {.3f, .3f, .4f}},
                                  {"i1", NULL, {.4f, .3f, .3f}}, {"i2", NULL, {.3f, .4f, .3f}});
    options.labels = labels;
    options.draw = SL_DRAW_SAMPLE;
    struct sl_targets *straight = make(&known, &options, false);
    options.only = only;
    options.n_only = 3;
    struct sl_targets *turned = make(&known, &options, false);
    size_t n_same_seed = 0, n_same_item = 0;
    for (uint64_t epoch = 0; epoch < 200; epoch++) {
        static const size_t positions[] = {1, 2, 0}; /* items 0, 1, 2 */
        float rows[3 * CLASSES];
        sl_targets_draw(turned, 5, epoch, positions, 3, rows);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(hot(rows + i * CLASSES), hot(drawn(straight, 5, epoch, i)));
        n_same_seed += hot(rows) == hot(drawn(straight, 6, epoch, 0));
        n_same_item += hot(rows) == hot(rows + CLASSES);
    }
    assert_true(n_same_seed > 30 && n_same_seed < 110); /* a third by chance */
    assert_true(n_same_item > 30 && n_same_item < 110);
    sl_targets_destroy(straight);
    sl_targets_destroy(turned);
    sl_rows_destroy(labels);
}

/* ---- Smoothing and teachers ---- */

static void test_smoothing_is_of_the_labelled_items_or_of_all(void **state)
{
    (void)state;
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels = ROWS(NULL, {"i0", NULL, {.5f, .5f, 0}});
    options.labels = labels;
    options.rest = SL_REST_HARD;
    options.smooth = .3;
    struct sl_targets *targets = make(&known, &options, false);
    check_row(drawn(targets, 1, 0, 0), .45, .45, .1);
    check_row(drawn(targets, 1, 0, 1), 0, 1, 0);
    sl_targets_destroy(targets);
    options.smooth_all = true;
    targets = make(&known, &options, false);
    check_row(drawn(targets, 1, 0, 0), .45, .45, .1);
    check_row(drawn(targets, 1, 0, 1), .1, .8, .1);
    sl_targets_destroy(targets);
    options.smooth_all = false;
    options.labels = NULL;
    targets = make(&known, &options, false);
    check_row(drawn(targets, 1, 0, 2), .1, .1, .8);
    sl_targets_destroy(targets);
    sl_rows_destroy(labels);
}

static void test_a_teacher_has_its_share_of_every_item(void **state)
{
    (void)state;
    static const char *const names[] = {"dog", "cat", "owl"};
    struct sl_target_options options = sl_target_options_default();
    struct sl_rows *labels = ROWS(NULL, {"i0", NULL, {.5f, .5f, 0}});
    struct sl_rows *teacher = ROWS(names, {"i1", NULL, {.2f, .8f, 0}}, {"i2", NULL, {0, 0, 1}},
                                   {"i0", NULL, {0, 0, 1}}, {"i3", NULL, {1, 0, 0}});
    options.labels = labels;
    options.rest = SL_REST_HARD;
    options.teacher = teacher;
    options.teacher_share = .25;
    options.only = (const size_t[]){0, 1};
    options.n_only = 2;
    struct sl_targets *targets = make(&items, &options, false);
    check_row(drawn(targets, 1, 0, 0), .375, .375, .25);
    check_row(drawn(targets, 1, 0, 1), .2, .8, 0);
    sl_targets_destroy(targets);
    sl_rows_destroy(labels);
    sl_rows_destroy(teacher);
}

/* ---- Bad input ---- */

/* Takes the rows. */
static void check_labels_fail(struct sl_target_options options, struct sl_rows *labels,
                              const char *complaint)
{
    struct sl_error err;
    struct sl_targets *targets = NULL;
    if (labels) options.labels = labels;
    assert_fails(sl_targets_create(&items, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 complaint);
    assert_null(targets);
    sl_rows_destroy(labels);
}

static void test_bad_labels_are_one_sentence_each(void **state)
{
    (void)state;
    static const char *const other[] = {"cat", "dog", "fox"}, *const twice[] = {"Cat", "cat",
                                                                                "dog"};
    struct sl_target_options options = sl_target_options_default(), hard = options, draw = options;
    hard.rest = SL_REST_HARD;
    draw.draw = SL_DRAW_ANNOTATOR;
    check_labels_fail(options, ROWS(NULL, {"i0", NULL, {1, 0, 0}}, {"i9", NULL, {1, 0, 0}}),
                      "labels: row 1 is for item \"i9\", which the data set does not have");
    check_labels_fail(options, ROWS(NULL, {"i0", NULL, {1, 0, 0}}),
                      "labels: no row for item \"i1\"");
    check_labels_fail(hard, ROWS(NULL, {"i0", NULL, {1, 0, 0}}),
                      "item \"i3\" has neither a class nor a row of labels");
    check_labels_fail(options, ROWS(other, {"i0", NULL, {1, 0, 0}}),
                      "labels: class \"fox\" is unknown to the data set (");
    check_labels_fail(options, ROWS(twice, {"i0", NULL, {1, 0, 0}}),
                      "labels: classes \"Cat\" and \"cat\" are both ");
    check_labels_fail(options, ROWS(NULL, {"i0", NULL, {.5f, .5f, .5f}}),
                      "labels: row 0 (item i0) sums to 1.5, expected 1");
    check_labels_fail(options, ROWS(NULL, {"i0", NULL, {1.5f, -.5f, 0}}),
                      "labels: row 0 (item i0) has a negative value");
    check_labels_fail(options, ROWS(NULL, {"i0", NULL, {NAN, 1, 0}}), "labels: row 0 (item i0)");
    check_labels_fail(options, ROWS(NULL, {NULL, NULL, {1, 0, 0}}),
                      "labels: 1 row without item names, but the data set has 4 items");
    check_labels_fail(draw, ROWS(NULL, {"i0", NULL, {1, 0, 0}}),
                      "labels: no annotators to draw from");
    check_labels_fail(draw, NULL, "labels: no annotators to draw from");
    options.rest = SL_REST_DROP;
    options.only = (const size_t[]){1, 2};
    options.n_only = 2;
    check_labels_fail(options, ROWS(NULL, {"i0", NULL, {1, 0, 0}}),
                      "labels: of the 2 items to train on, none has a row");
    check_labels_fail(options, ROWS(NULL, {NULL, NULL, {1, 0, 0}}),
                      "labels: 1 row without item names, but the data set has 4 items, 2 of them");
}

static void test_bad_splits_and_hold_outs_are_refused(void **state)
{
    (void)state;
    static const char *const unknown[] = {"i1", "nobody", NULL}, *const all[] = {"i0", NULL};
    struct sl_target_options options = sl_target_options_default(), hold = options;
    options.only = (const size_t[]){0, 4};
    options.n_only = 0;
    check_labels_fail(options, NULL, "the split has no items to train on");
    options.n_only = 2;
    check_labels_fail(options, NULL, "the split has item 4, but the data set has only 4 items");
    hold.holdout = unknown;
    check_labels_fail(hold, NULL, "hold-out: the data set has no item \"nobody\"");
    hold.holdout = all;
    hold.only = (const size_t[]){0};
    hold.n_only = 1;
    check_labels_fail(hold, NULL, "no item is left to train on");
}

static void test_bad_data_sets_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_targets *targets = NULL;
    struct sl_target_options options = sl_target_options_default();
    struct sl_target_items bad = known;
    bad.labels = (const int32_t[]){0, 3, 1};
    assert_fails(sl_targets_create(&bad, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "item \"i1\" has class 3, but there are only 3 classes");
    bad.labels = NULL;
    assert_fails(sl_targets_create(&bad, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "item \"i0\" has neither a class");
    struct sl_rows *labels = ROWS(NULL, {"i0", NULL, {1, 0, 0}});
    options.labels = labels;
    bad = known;
    bad.n_classes = 2;
    assert_fails(sl_targets_create(&bad, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "labels: has 3 classes without names; expected the 2 of the data set");
    char *const same[] = {item_names[0], item_names[1], item_names[0]};
    bad = known;
    bad.items = same;
    assert_fails(sl_targets_create(&bad, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "items 0 and 2 of the data set are both \"i0\"");
    char *const cats[] = {class_names[0], class_names[1], (char[]){"CAT"}};
    bad = known;
    bad.classes = cats;
    labels->classes = sl_alloc(CLASSES, sizeof *labels->classes);
    for (size_t k = 0; k < CLASSES; k++)
        labels->classes[k] = sl_string_copy(class_names[k]);
    assert_fails(sl_targets_create(&bad, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "labels: class \"Owl\" is unknown to the data set (Cat, Dog, CAT)");
    assert_null(targets);
    sl_rows_destroy(labels);
}

static void test_bad_teachers_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_targets *targets = NULL;
    struct sl_target_options options = sl_target_options_default();
    options.teacher_share = .5;
    assert_fails(sl_targets_create(&known, &options, false, &targets, &err), SL_ERR_USAGE, err,
                 "teacher_share is 0.5, but no teacher is given");
    struct sl_rows *few = ROWS(NULL, {"i0", NULL, {1, 0, 0}}, {"i2", NULL, {1, 0, 0}});
    options.teacher = few;
    assert_fails(sl_targets_create(&known, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "teacher: 0 rows for item \"i1\", expected one");
    struct sl_rows *many = ROWS(NULL, {"i0", "x", {1, 0, 0}}, {"i0", "y", {1, 0, 0}});
    options.teacher = many;
    assert_fails(sl_targets_create(&known, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "teacher: 2 rows for item \"i0\", expected one");
    struct sl_rows *wrong = ROWS(NULL, {"i7", NULL, {1, 0, 0}});
    options.teacher = wrong;
    assert_fails(sl_targets_create(&known, &options, false, &targets, &err), SL_ERR_INPUT, err,
                 "teacher: row 0 is for item \"i7\"");
    assert_null(targets);
    sl_rows_destroy(few);
    sl_rows_destroy(many);
    sl_rows_destroy(wrong);
}

/* A row for every answer of CIFAR-10S; what it says does not matter here. */
static struct sl_rows *read_answers(const char *path)
{
    struct sl_error err;
    struct sl_json json;
    struct sl_rows *rows;
    const char *item;
    json_t *answers;
    size_t n_rows = 0;
    assert_ok(sl_json_read(path, (size_t)64 << 20, &json, &err), err);
    json_object_foreach(json.root, item, answers) n_rows += json_array_size(answers);
    assert_ok(sl_rows_create(n_rows, 10, &rows, &err), err);
    rows->items = sl_alloc(n_rows, sizeof *rows->items);
    rows->annotators = sl_alloc(n_rows, sizeof *rows->annotators);
    n_rows = 0;
    json_object_foreach(json.root, item, answers) for (size_t a = 0; a < json_array_size(answers);
                                                       a++)
    {
        rows->values[n_rows * 10] = 1;
        rows->annotators[n_rows] = sl_string_copy("");
        rows->items[n_rows++] = sl_string_copy(item);
    }
    sl_json_release(&json);
    return rows;
}

/* 900 relabelled images and 6,000 hard ones are left of the 7,000. */
static void test_the_hold_out_leaves_6900_of_the_published_split(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    struct sl_error err;
    struct sl_target_options options = sl_target_options_default();
    const char *path = test_data("cifar10s/human_soft_labels_data.json");
    if (!path) skip();
    struct sl_rows *labels = read_answers(path);
    assert_int_equal(labels->n_rows, 6723);
    char **names = sl_alloc(COUNT, sizeof *names);
    int32_t *hard = sl_alloc(COUNT, sizeof *hard);
    for (size_t i = 0; i < COUNT; i++)
        names[i] = sl_string_printf("%zu", i);
    const struct sl_target_items cifar = {
        .n_items = COUNT, .n_classes = 10, .items = names, .labels = hard};
    size_t *only, n_only;
    assert_ok(sl_split_read(test_data("cifar10s/train_indices.npy"), COUNT, &only, &n_only, &err),
              err);
    options.labels = labels;
    options.only = only;
    options.n_only = n_only;
    options.holdout = sl_recipe_holdout("collins2022");
    options.rest = SL_REST_HARD;
    options.draw = SL_DRAW_ANNOTATOR;
    struct sl_targets *targets = make(&cifar, &options, false);
    assert_int_equal(targets->n_items, 6900);
    assert_int_equal(targets->n_soft, 900);
    assert_true(targets->begin[6900] >= 6000 + 6 * 900);
    sl_targets_destroy(targets);
    for (size_t i = 0; i < COUNT; i++)
        free(names[i]);
    free(names);
    free(hard);
    free(only);
    sl_rows_destroy(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_labels_every_item_has_its_class),
        cmocka_unit_test(test_rows_are_matched_by_item_and_class_whatever_their_order_and_case),
        cmocka_unit_test(test_rows_of_items_elsewhere_are_passed_over_and_others_are_not),
        cmocka_unit_test(test_rows_without_names_correspond_in_order),
        cmocka_unit_test(test_items_are_left_out_by_split_hold_out_and_rest),
        cmocka_unit_test(test_annotators_are_averaged_unless_they_are_kept),
        cmocka_unit_test(test_each_presentation_draws_one_annotator),
        cmocka_unit_test(test_each_presentation_samples_one_class),
        cmocka_unit_test(test_draws_depend_on_seed_epoch_and_item_alone),
        cmocka_unit_test(test_smoothing_is_of_the_labelled_items_or_of_all),
        cmocka_unit_test(test_a_teacher_has_its_share_of_every_item),
        cmocka_unit_test(test_bad_labels_are_one_sentence_each),
        cmocka_unit_test(test_bad_splits_and_hold_outs_are_refused),
        cmocka_unit_test(test_bad_data_sets_are_refused),
        cmocka_unit_test(test_bad_teachers_are_refused),
        cmocka_unit_test(test_the_hold_out_leaves_6900_of_the_published_split),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
