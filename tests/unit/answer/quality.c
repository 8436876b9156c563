#include "softlab/answer/quality.h"

#include "answer/quality/internal.h"
#include "answer_support.h"

static const struct sl_exclusion_preset *find_preset(const char *name)
{
    const struct sl_exclusion_preset *preset = sl_exclusion_presets;
    while (preset->name && strcmp(preset->name, name) != 0)
        preset++;
    assert_non_null(preset->name);
    return preset;
}

static struct sl_quality measure(const struct sl_answers *answers,
                                 const struct sl_quality_options *options)
{
    struct sl_error err;
    struct sl_quality quality;
    assert_ok(sl_quality_measure(answers, options, &quality, &err), err);
    return quality;
}

static unsigned slips_of(float p1, float p2, const char *raw, bool same, bool impossible)
{
    struct sl_answer answer = sl_answer_empty();
    const struct sl_belief top[2] = {{1, p1}, {same ? 1 : 2, p2}};
    const uint32_t cannot_be[1] = {2};
    answer.kind = SL_ANSWER_SOFT;
    answer.n_top = 2;
    answer.top = top;
    answer.raw[0] = (struct sl_field){raw, strlen(raw)};
    answer.n_impossible = impossible;
    answer.impossible = cannot_be;
    return sl_answer_slips(&answer, 3);
}

static void test_every_slip_is_seen(void **state)
{
    (void)state;
    assert_int_equal(slips_of(.7f, .3f, "70", false, false), 0);
    assert_int_equal(slips_of(1, 0, "", false, false), 0);
    assert_int_equal(slips_of(0, 0, "", false, false), 0);
    assert_int_equal(slips_of(-.1f, -.2f, "", false, false), 1u << SL_SLIP_RANGE);
    assert_int_equal(slips_of(1e7f, .1f, "", false, false),
                     1u << SL_SLIP_RANGE | 1u << SL_SLIP_SUM);
    assert_int_equal(slips_of(NAN, .2f, "8p", false, false), 1u << SL_SLIP_UNREADABLE);
    assert_int_equal(slips_of(NAN, .2f, "", false, false), 1u << SL_SLIP_MISSING);
    assert_int_equal(slips_of(.5f, NAN, "", false, false), 0);
    assert_int_equal(slips_of(.5f, .2f, "", true, false), 1u << SL_SLIP_SAME);
    assert_int_equal(slips_of(.2f, .5f, "", false, false), 1u << SL_SLIP_ORDER);
    assert_int_equal(slips_of(.8f, .3f, "", false, false), 1u << SL_SLIP_SUM);
    assert_int_equal(slips_of(.5f, .2f, "", false, true), 1u << SL_SLIP_IMPOSSIBLE);
    for (size_t i = 0; i < SL_SLIP_COUNT; i++)
        assert_non_null(sl_slip_names[i]);
}

/* Items of 3 votes a,a,b; 2 votes b,b; 1 vote a. Observed: (1/3 + 1 + 1) / 3. Alpha, over the
 * first two: disagreeing ordered pairs 4 / (3 - 1) = 2; n = 5, n_a = 2, n_b = 3, expected
 * 25 - 13 = 12; 1 - 4 * 2 / 12 = 1/3. */
static void test_agreement_is_as_worked_by_hand(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_agreement agreement;
    const uint32_t first[] = {0, 0, 1}, second[] = {1, 1}, third[] = {0};
    assert_ok(sl_agreement_init(&agreement, 2, &err), err);
    assert_true(isnan(sl_agreement_observed(&agreement)));
    assert_true(isnan(sl_agreement_alpha(&agreement)));
    sl_agreement_add(&agreement, second, 2);
    assert_near(sl_agreement_observed(&agreement), 1, 0);
    assert_true(isnan(sl_agreement_alpha(&agreement)));
    sl_agreement_add(&agreement, first, 3);
    sl_agreement_add(&agreement, third, 1);
    sl_agreement_add(&agreement, NULL, 0);
    assert_near(sl_agreement_observed(&agreement), (1. / 3 + 2) / 3, 1e-15);
    assert_near(sl_agreement_alpha(&agreement), 1. / 3, 1e-15);
    assert_int_equal(agreement.n_items, 3);
    sl_agreement_release(&agreement);
}

static void add(struct sl_answers *answers, const char *item, const char *annotator, unsigned flags,
                uint32_t top, float probability, double ms)
{
    struct sl_error err;
    struct sl_answer answer = sl_answer_empty();
    const struct sl_belief belief[2] = {{top, probability}, {(top + 1) % 3, .1f}};
    answer.item = (struct sl_field){item, strlen(item)};
    answer.annotator = (struct sl_field){annotator, strlen(annotator)};
    answer.kind = SL_ANSWER_SOFT;
    answer.flags = flags;
    answer.n_top = 2;
    answer.top = belief;
    answer.truth = 0;
    answer.ms = ms;
    assert_ok(sl_answers_add(answers, &answer, &err), err);
}

static struct sl_answers *create_set(void)
{
    static const char *const classes[] = {"a", "b", "c"};
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_ok(sl_answers_create(classes, 3, &answers, &err), err);
    return answers;
}

/* Three annotators and one without a name, with repeats, checks and a second run. */
static struct sl_answers *create_study(void)
{
    const double no_time = (double)NAN;
    struct sl_answers *answers = create_set();
    add(answers, "x", "ann", 0, 0, .9f, 10);
    add(answers, "y", "ann", 0, 2, .5f, 20);
    add(answers, "x", "ann", SL_ANSWER_REPEAT, 0, .7f, 40);
    add(answers, "y", "ann", SL_ANSWER_REPEAT, 1, .5f, 30);
    add(answers, "x", "bob", 0, 0, .9f, 5);
    add(answers, "x", "bob", SL_ANSWER_SECOND_RUN, 1, .9f, 6);
    add(answers, "x", "bob", SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN, 1, .9f, 7);
    add(answers, "check", "bob", SL_ANSWER_CHECK, 0, 1, 1);
    add(answers, "check", "bob", SL_ANSWER_CHECK, 1, 1, 1);
    add(answers, "z", "", 0, 1, .9f, no_time);
    add(answers, "z", "cat", SL_ANSWER_REPEAT, 0, .9f, no_time);
    return answers;
}

static void test_quality_of_a_small_study_is_as_worked_by_hand(void **state)
{
    (void)state;
    struct sl_answers *answers = create_study();
    struct sl_quality quality = measure(answers, NULL);
    const struct sl_annotator_quality *ann = &quality.annotators[0], *bob = &quality.annotators[1];
    assert_int_equal(quality.n_annotators, 3);
    assert_int_equal(ann->n_answers, 4);
    assert_near(ann->top1, .5, 0);
    assert_near(ann->top2, .75, 0); /* class c is followed by a */
    assert_int_equal(ann->n_repeats, 2);
    assert_near(ann->changed_class, .5, 0);
    assert_near(ann->mean_change, 20, 1e-5);
    assert_near(ann->median_ms, 25, 0);
    assert_int_equal(bob->n_answers, 3);
    assert_int_equal(bob->n_checks, 2);
    assert_int_equal(bob->n_checks_right, 1);
    assert_near(bob->top1, 1. / 3, 1e-15);
    assert_near(bob->median_ms, 6, 0);
    assert_true(isnan(bob->changed_class));
    assert_true(isnan(quality.annotators[2].median_ms));
    assert_int_equal(quality.annotators[2].n_repeats, 0);
    assert_int_equal(quality.overall.n_answers, 9);
    assert_int_equal(quality.overall.n_repeats, 2);
    assert_near(quality.overall.top1, 4. / 9, 1e-15);
    assert_near(quality.overall.median_ms, 10, 0);
    assert_int_equal(quality.n_items, 3);
    assert_near(quality.answers_per_item, 4. / 3, 1e-15);
    assert_near(quality.observed_agreement, 1, 0);
    assert_near(quality.mean_accuracy, (.5 + 1. / 3 + 1) / 3, 1e-15);
    assert_near(quality.share_accurate, 1. / 3, 1e-15);
    assert_near(quality.share_never_true, 2. / 3, 1e-15);
    sl_quality_release(&quality);
    sl_answers_destroy(answers);
}

static void test_intervals_are_of_the_figures_that_are_measured(void **state)
{
    (void)state;
    struct sl_answers *answers = create_study();
    struct sl_error err;
    const struct sl_bootstrap_options bootstrap = {.n_resamples = 200, .level = .95, .seed = 1};
    for (size_t most = 0; most < 4; most += 3) {
        const struct sl_quality_options options = {.most_answers = most};
        struct sl_quality quality;
        struct sl_quality_intervals intervals;
        assert_ok(sl_quality_measure(answers, &options, &quality, &err), err);
        assert_ok(sl_quality_bootstrap(answers, &options, &bootstrap, &intervals, &err), err);
        const struct {
            double measured;
            struct sl_interval interval;
        } figures[] = {{quality.overall.top1, intervals.top1},
                       {quality.overall.top2, intervals.top2},
                       {quality.mean_accuracy, intervals.mean_accuracy},
                       {quality.share_never_true, intervals.share_never_true},
                       {quality.share_two_classes, intervals.share_two_classes}};
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
            assert_near(figures[i].interval.estimate, figures[i].measured, 1e-12);
            assert_true(figures[i].interval.low <= figures[i].measured &&
                        figures[i].measured <= figures[i].interval.high);
        }
        sl_quality_release(&quality);
    }
    sl_answers_destroy(answers);
}

static void test_items_with_votes_for_at_most_two_classes_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *item;
        size_t count;
        uint32_t votes[5];
    } items[] = {{"one", 3, {1, 1, 1}},
                 {"two", 5, {2, 1, 2, 1, 2}},
                 {"three", 5, {0, 1, 0, 1, 2}},
                 {"mixed", 4, {0, 2, 1, 2}},
                 {"alone", 1, {2}}};
    struct sl_answers *answers = create_set();
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        for (size_t v = 0; v < items[i].count; v++) {
            const char voter[] = {'a', (char)('0' + (int)v), '\0'};
            add(answers, items[i].item, voter, 0, items[i].votes[v], .9f, 1);
        }
    add(answers, "two", "a0", SL_ANSWER_REPEAT, 0, .9f, 1); /* no vote */
    struct sl_quality quality = measure(answers, NULL);
    assert_near(quality.share_two_classes, 3. / 5, 1e-15);
    sl_quality_release(&quality);
    const struct sl_quality_options options = {.most_answers = 4}; /* without two, three */
    quality = measure(answers, &options);
    assert_near(quality.share_two_classes, 2. / 3, 1e-15);
    sl_quality_release(&quality);
    sl_answers_destroy(answers);
}

static void test_truth_of_the_caller_wins_and_is_checked(void **state)
{
    (void)state;
    struct sl_answers *answers = create_set();
    add(answers, "x", "ann", 0, 1, .9f, 1);
    add(answers, "y", "ann", 0, 0, .9f, 1);
    int32_t truth[2] = {1, -1};
    struct sl_quality_options options = {.truth = truth};
    struct sl_quality quality = measure(answers, &options);
    assert_int_equal(quality.overall.n_with_truth, 1);
    assert_near(quality.overall.top1, 1, 0);
    assert_near(quality.share_never_true, 0, 0);
    sl_quality_release(&quality);
    truth[0] = 3;
    struct sl_error err;
    assert_fails(sl_quality_measure(answers, &options, &quality, &err), SL_ERR_INPUT, err,
                 "item x: true class 3 does not exist");
    options = (struct sl_quality_options){.most_answers = 1};
    add(answers, "y", "bob", 0, 0, .9f, 1);
    quality = measure(answers, &options);
    assert_int_equal(quality.n_items, 1);
    assert_int_equal(quality.n_left_out, 2);
    assert_int_equal(quality.overall.n_answers, 1);
    sl_quality_release(&quality);
    sl_answers_destroy(answers);
}

static void test_presets_exclude_as_stated(void **state)
{
    (void)state;
    const struct sl_exclusion_preset *published = find_preset("collins2022-as-published");
    const struct sl_exclusion_preset *run = find_preset("collins2022-as-run");
    const struct sl_exclusion_preset *peterson = find_preset("peterson2019");
    struct sl_annotator_quality quality = {.top1 = .74};
    assert_null(sl_exclusion_reason(published, &quality)); /* never by accuracy alone */
    assert_null(sl_exclusion_reason(run, &quality));
    assert_null(sl_exclusion_reason(peterson, &quality)); /* no checks, nothing failed */
    quality.slips[SL_SLIP_ORDER] = quality.slips[SL_SLIP_SUM] = 9;
    assert_null(sl_exclusion_reason(published, &quality));
    quality.slips[SL_SLIP_IMPOSSIBLE] = 1;
    assert_string_equal(sl_exclusion_reason(published, &quality),
                        "exactly one error, and accuracy under 75 %");
    assert_non_null(sl_exclusion_reason(run, &quality));
    quality.top1 = .75;
    assert_null(sl_exclusion_reason(published, &quality));
    assert_null(sl_exclusion_reason(run, &quality));
    quality.top1 = .5;
    quality.slips[SL_SLIP_MISSING] = 1; /* two errors: neither one nor more than two */
    assert_null(sl_exclusion_reason(published, &quality));
    quality.top1 = .9;
    assert_null(sl_exclusion_reason(run, &quality));
    quality.slips[SL_SLIP_MISSING] = 2;
    assert_string_equal(sl_exclusion_reason(published, &quality), "more than two errors");
    assert_string_equal(sl_exclusion_reason(run, &quality),
                        "no probability for the top class, more than once");
    quality = (struct sl_annotator_quality){.top1 = (double)NAN, .slips = {[SL_SLIP_RANGE] = 1}};
    assert_null(sl_exclusion_reason(published, &quality));
    assert_string_equal(sl_exclusion_reason(run, &quality), "a probability out of range");
    quality = (struct sl_annotator_quality){.n_checks = 4, .n_checks_right = 3};
    assert_null(sl_exclusion_reason(peterson, &quality));
    quality.n_checks_right = 2;
    assert_non_null(sl_exclusion_reason(peterson, &quality));
    assert_null(sl_exclusion_reason(find_preset("none"), &quality));
}

static void assert_nobody_excluded(const struct sl_answers *answers, const char *preset)
{
    const struct sl_quality_options options = {.preset = find_preset(preset)};
    struct sl_quality quality = measure(answers, &options);
    for (size_t i = 0; i < quality.n_annotators; i++)
        assert_null(quality.annotators[i].excluded);
    sl_quality_release(&quality);
}

static void test_cifar10s_comes_out_as_published(void **state)
{
    (void)state;
    const char *path = test_data("cifar10s/raw_human_data.csv");
    if (!path) skip();
    struct sl_answers *answers = import_file("cifar10s-raw", path, NULL);
    struct sl_quality quality = measure(answers, NULL);
    const struct sl_annotator_quality *overall = &quality.overall;
    assert_int_equal(quality.n_annotators, 248);
    assert_int_equal(overall->n_answers, 6723);
    assert_near(overall->top1, .843, .0005);
    assert_near(overall->top2, .919, .0005);
    assert_near(overall->median_ms, 31960, 5);
    assert_int_equal(overall->n_repeats, 496);
    assert_near(overall->changed_class, .069, .0005);
    assert_near(overall->mean_change, 6.07, .005);
    static const size_t slips[SL_SLIP_COUNT] = {
        [SL_SLIP_RANGE] = 0,   [SL_SLIP_UNREADABLE] = 1, [SL_SLIP_IMPOSSIBLE] = 40,
        [SL_SLIP_MISSING] = 0, [SL_SLIP_SAME] = 153,     [SL_SLIP_ORDER] = 37,
        [SL_SLIP_SUM] = 673};
    assert_memory_equal(overall->slips, slips, sizeof slips);
    sl_quality_release(&quality);
    assert_nobody_excluded(answers, "collins2022-as-published");
    assert_nobody_excluded(answers, "collins2022-as-run");
    sl_answers_destroy(answers);
}

/* The truth of items called by the number of their line. */
static int32_t *read_truth(const char *path, const struct sl_answers *answers)
{
    struct sl_error err;
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    struct sl_csv_options options = sl_csv_options_default();
    int32_t *truth = calloc(sl_name_table_count(answers->items), sizeof *truth);
    options.header = false;
    assert_ok(sl_csv_open(path, &options, &csv, &err), err);
    for (size_t line = 0;; line++) {
        char name[24];
        assert_ok(sl_csv_next(csv, &record, &err), err);
        if (record.count == 0) break;
        int length = snprintf(name, sizeof name, "%zu", line);
        uint32_t item = sl_name_table_find(answers->items, name, (size_t)length);
        assert_int_not_equal(item, SL_NO_NAME);
        truth[item] =
            (int32_t)sl_answers_find_class(answers, record.fields[0].text, record.fields[0].length);
    }
    sl_csv_close(csv);
    return truth;
}

static void test_labelme_comes_out_as_published(void **state)
{
    (void)state;
    const char *path = test_data("labelme/answers.txt");
    if (!path) skip();
    struct sl_answers *answers = import_file("labelme", path, NULL);
    int32_t *truth = read_truth(test_data("labelme/LabelMe_Z_train.txt"), answers);
    const struct sl_quality_options options = {.truth = truth};
    struct sl_quality quality = measure(answers, &options);
    assert_int_equal(quality.n_annotators, 59);
    assert_near(quality.answers_per_item, 2.547, .0005);
    assert_near(quality.observed_agreement, .732, .0005);
    assert_near(quality.mean_accuracy, .692, .0005);
    assert_near(quality.share_accurate, .424, .0005);
    assert_near(quality.share_never_true, .111, .0005);
    sl_quality_release(&quality);
    assert_round_trip("labelme", answers, NULL);
    assert_round_trip("wide", answers, NULL);
    free(truth);
    sl_answers_destroy(answers);
}

static void test_pos_comes_out_as_published(void **state)
{
    (void)state;
    const char *path = test_data("pos/gimpel_crowdsourced-tf.tsv");
    if (!path) skip();
    struct sl_answers *answers = import_file("pos", path, NULL);
    assert_int_equal(answers->n_classes, 12);
    struct sl_quality quality = measure(answers, NULL);
    assert_int_equal(quality.n_annotators, 177);
    assert_int_equal(quality.n_items, 14439);
    assert_near(quality.observed_agreement, .725, .0005);
    sl_quality_release(&quality);
    const struct sl_quality_options options = {.most_answers = 20};
    quality = measure(answers, &options);
    assert_int_equal(quality.n_items, 13480);
    assert_near(quality.answers_per_item, 5, .005);
    assert_near(quality.observed_agreement, .706, .0005);
    assert_near(quality.mean_accuracy, .678, .0005);
    assert_near(quality.share_accurate, .294, .0005);
    assert_near(quality.share_never_true, .111, .0005);
    sl_quality_release(&quality);
    sl_answers_destroy(answers);
}

static void test_cifar10h_comes_out_as_published(void **state)
{
    (void)state;
    const char *path = test_data("cifar10h/cifar10h-counts.npy");
    if (!path) skip();
    struct sl_answers *answers = import_file("cifar10h-counts", path, NULL);
    struct sl_quality quality = measure(answers, NULL);
    assert_int_equal(quality.overall.n_answers, 511000);
    assert_int_equal(quality.n_annotators, 0);
    assert_near(quality.answers_per_item, 51.10, .005);
    assert_near(quality.observed_agreement, .924, .0005);
    assert_true(isnan(quality.mean_accuracy));
    sl_quality_release(&quality);
    assert_round_trip("cifar10h-counts", answers, NULL);
    sl_answers_destroy(answers);
}

static void test_answers_of_cifar10h_with_annotators_come_out(void **state)
{
    (void)state;
    const char *path = test_data("cifar10h/answers_valid.json");
    if (!path) skip();
    struct sl_answers *answers = import_file("peerannot", path, NULL);
    assert_int_equal(answers->count, 25752);
    assert_int_equal(answers->n_classes, 10);
    assert_int_equal(sl_name_table_count(answers->items), 500);
    assert_round_trip("long-csv", answers, NULL);
    sl_answers_destroy(answers);
}

static void test_agreement_with_the_others_needs_no_truth(void **state)
{
    (void)state;
    struct sl_answers *answers = create_set();
    add(answers, "x", "ann", 0, 0, .9f, 1);
    add(answers, "x", "bob", 0, 0, .9f, 1);
    add(answers, "x", "cyd", 0, 1, .9f, 1);
    add(answers, "x", "ann", 0, 1, .9f, 1); /* a second one, unmarked: not compared */
    add(answers, "y", "ann", 0, 2, .9f, 1);
    add(answers, "y", "", 0, 2, .9f, 1);
    add(answers, "z", "dan", 0, 1, .9f, 1); /* alone */
    add(answers, "y", "bob", SL_ANSWER_CHECK, 2, .9f, 1);
    struct sl_quality quality = measure(answers, NULL);
    assert_near(quality.annotators[0].agreement, (1. / 2 + 1) / 2, 1e-15);
    assert_int_equal(quality.annotators[0].n_compared, 2);
    assert_near(quality.annotators[1].agreement, 1. / 2, 0);
    assert_near(quality.annotators[2].agreement, 0, 0);
    assert_true(isnan(quality.annotators[3].agreement));
    assert_near(quality.overall.agreement, (1. / 2 + 1. / 2 + 0 + 1 + 1) / 5, 1e-15);
    sl_quality_release(&quality);
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement_with_the_others_needs_no_truth),
        cmocka_unit_test(test_every_slip_is_seen),
        cmocka_unit_test(test_agreement_is_as_worked_by_hand),
        cmocka_unit_test(test_quality_of_a_small_study_is_as_worked_by_hand),
        cmocka_unit_test(test_intervals_are_of_the_figures_that_are_measured),
        cmocka_unit_test(test_items_with_votes_for_at_most_two_classes_are_counted),
        cmocka_unit_test(test_truth_of_the_caller_wins_and_is_checked),
        cmocka_unit_test(test_presets_exclude_as_stated),
        cmocka_unit_test(test_cifar10s_comes_out_as_published),
        cmocka_unit_test(test_labelme_comes_out_as_published),
        cmocka_unit_test(test_pos_comes_out_as_published),
        cmocka_unit_test(test_cifar10h_comes_out_as_published),
        cmocka_unit_test(test_answers_of_cifar10h_with_annotators_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
