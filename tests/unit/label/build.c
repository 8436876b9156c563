#include "label_support.h"

static const char *const pets[] = {"cat", "cow", "dog"};

static struct sl_rows *build(const char *method, const struct sl_answers *answers,
                             const struct sl_label_options *options)
{
    struct sl_rows *rows;
    struct sl_error err;
    assert_ok(sl_labels_build(test_method(method), answers, options, &rows, &err), err);
    return rows;
}

static void assert_values(const struct sl_rows *rows, size_t row, double a, double b, double c)
{
    assert_near(rows->values[row * 3], a, 1e-6);
    assert_near(rows->values[row * 3 + 1], b, 1e-6);
    assert_near(rows->values[row * 3 + 2], c, 1e-6);
}

/* Item 7: cat cat dog; item 9: cow. */
static struct sl_answers *make_votes(void)
{
    struct sl_answers *answers = test_answers(pets, 3);
    test_add_hard(answers, 0, "7", "ann");
    test_add_hard(answers, 1, "9", "ann");
    test_add_hard(answers, 2, "7", "bob");
    test_add_hard(answers, 0, "7", "cyd");
    return answers;
}

static void test_votes_give_shares_counts_and_the_most_voted(void **state)
{
    (void)state;
    struct sl_answers *answers = make_votes();
    struct sl_label_options options = sl_label_options_default();
    struct sl_rows *share = build("share", answers, &options);
    assert_int_equal(share->n_rows, 2);
    assert_string_equal(share->items[0], "7");
    assert_string_equal(share->items[1], "9");
    assert_string_equal(share->classes[2], "dog");
    assert_null(share->annotators);
    assert_values(share, 0, 2.0 / 3, 0, 1.0 / 3);
    assert_values(share, 1, 0, 1, 0);
    struct sl_rows *hard = build("hard", answers, &options);
    assert_values(hard, 0, 1, 0, 0);
    /* softmax(2, 0, 1): e^2, 1, e over their sum 11.107338. */
    struct sl_rows *softmax = build("softmax", answers, &options);
    assert_values(softmax, 0, 0.66524096, 0.09003057, 0.24472847);
    options.temperature = 2;
    struct sl_rows *warm = build("softmax", answers, &options);
    assert_near(warm->values[0] / warm->values[1], exp(1), 1e-5);
    options.beta = 0.3;
    struct sl_rows *smooth = build("smooth", answers, &options);
    assert_values(smooth, 0, 0.8, 0.1, 0.1);
    sl_rows_destroy(share);
    sl_rows_destroy(hard);
    sl_rows_destroy(softmax);
    sl_rows_destroy(warm);
    sl_rows_destroy(smooth);
    sl_answers_destroy(answers);
}

/* Two cats with rows (2/3, 0, 1/3) and (0, 1, 0): their mean; the third item is a cow by truth. */
static void test_class_labels_are_means_within_a_true_class(void **state)
{
    (void)state;
    struct sl_answers *answers = make_votes();
    test_add_hard(answers, 2, "11", "ann");
    static const int32_t truth[] = {0, 0, 1};
    struct sl_label_options options = sl_label_options_default();
    options.truth = truth;
    struct sl_rows *rows = build("class", answers, &options);
    assert_values(rows, 0, 1.0 / 3, 0.5, 1.0 / 6);
    assert_values(rows, 1, 1.0 / 3, 0.5, 1.0 / 6);
    assert_values(rows, 2, 0, 0, 1);
    sl_rows_destroy(rows);
    rows = build("hard", answers, &options);
    assert_values(rows, 1, 1, 0, 0);
    assert_values(rows, 2, 0, 1, 0);
    sl_rows_destroy(rows);
    static const int32_t wrong[] = {0, 3, 1};
    struct sl_error err;
    options.truth = wrong;
    assert_fails(sl_labels_build(test_method("hard"), answers, &options, &rows, &err), SL_ERR_INPUT,
                 err, "item 9: true class 3 does not exist");
    sl_answers_destroy(answers);
}

static void test_per_annotator_gives_a_row_for_every_answer(void **state)
{
    (void)state;
    struct sl_answers *answers = make_votes();
    struct sl_label_options options = sl_label_options_default();
    static const int32_t truth[] = {1, 1};
    options.per_annotator = true;
    options.truth = truth;
    struct sl_rows *rows = build("hard", answers, &options);
    assert_int_equal(rows->n_rows, 4);
    static const char *const items[] = {"7", "7", "7", "9"};
    static const char *const people[] = {"ann", "bob", "cyd", "ann"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(rows->items[i], items[i]);
        assert_string_equal(rows->annotators[i], people[i]);
    }
    /* A person's label is what the person said, whatever is true. */
    assert_values(rows, 1, 0, 0, 1);
    sl_rows_destroy(rows);
    struct sl_error err;
    assert_fails(sl_labels_build(test_method("class"), answers, &options, &rows, &err),
                 SL_ERR_USAGE, err, "class makes one label per item");
    assert_fails(sl_labels_build(test_method("random"), answers, &options, &rows, &err),
                 SL_ERR_USAGE, err, "random makes one label per item");
    sl_answers_destroy(answers);
}

static void add_flagged(struct sl_answers *answers, int class_index, unsigned flags,
                        const char *item)
{
    struct test_answer hard;
    test_fill_hard(class_index, &hard);
    hard.answer.flags = flags;
    test_add(answers, hard.answer, item, "dan");
}

/* The times of what was used, not of what was left out. */
static void test_times_of_used_answers_are_added_up(void **state)
{
    (void)state;
    static const double times[] = {1000, 2000, 4000};
    struct sl_answers *answers = test_answers(pets, 3);
    struct sl_label_notes notes;
    struct sl_label_options options = sl_label_options_default();
    struct test_answer hard;
    for (size_t i = 0; i < 3; i++) {
        test_fill_hard(0, &hard);
        hard.answer.ms = times[i];
        if (i == 2) hard.answer.flags = SL_ANSWER_REPEAT;
        test_add(answers, hard.answer, "7", "ann");
    }
    options.notes = &notes;
    sl_rows_destroy(build("share", answers, &options));
    assert_int_equal(notes.n_used, 2);
    assert_near(notes.ms_used, 3000, 0);
    options.keep = SL_ANSWER_REPEAT;
    options.per_annotator = true;
    sl_rows_destroy(build("share", answers, &options));
    assert_int_equal(notes.n_used, 3);
    assert_near(notes.ms_used, 7000, 0);
    test_add_hard(answers, 0, "9", "bob"); /* nobody timed it */
    sl_rows_destroy(build("share", answers, &options));
    assert_true(isnan(notes.ms_used));
    assert_int_equal(notes.n_timed, 3);
    assert_near(notes.ms_timed, 7000, 0);
    sl_answers_destroy(answers);
}

static void test_checks_never_and_repeats_only_on_request_enter(void **state)
{
    (void)state;
    struct sl_answers *answers = make_votes();
    add_flagged(answers, 1, SL_ANSWER_REPEAT, "7");
    add_flagged(answers, 1, SL_ANSWER_SECOND_RUN, "7");
    add_flagged(answers, 1, SL_ANSWER_CHECK, "7");
    add_flagged(answers, 1, SL_ANSWER_REPEAT | SL_ANSWER_CHECK, "only a check");
    struct sl_label_notes notes;
    struct sl_label_options options = sl_label_options_default();
    options.notes = &notes;
    struct sl_rows *rows = build("share", answers, &options);
    assert_int_equal(rows->n_rows, 2);
    assert_values(rows, 0, 2.0 / 3, 0, 1.0 / 3);
    assert_int_equal(notes.n_flagged, 4);
    assert_int_equal(notes.n_used, 4);
    assert_int_equal(notes.n_empty_items, 1);
    sl_rows_destroy(rows);
    options.keep = SL_ANSWER_REPEAT;
    rows = build("share", answers, &options);
    assert_values(rows, 0, 0.5, 0.25, 0.25);
    sl_rows_destroy(rows);
    options.keep = SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN | SL_ANSWER_CHECK;
    rows = build("share", answers, &options);
    assert_int_equal(rows->n_rows, 2);
    assert_values(rows, 0, 0.4, 0.4, 0.2);
    sl_rows_destroy(rows);
    sl_answers_destroy(answers);
}

/* Twelve answers to one item, four of each class. */
static struct sl_answers *make_dozen(const char *item)
{
    struct sl_answers *answers = test_answers(pets, 3);
    for (int i = 0; i < 12; i++)
        test_add_hard(answers, i % 3, item, "ann");
    return answers;
}

static void test_draws_are_without_replacement_and_fixed_by_seed(void **state)
{
    (void)state;
    struct sl_answers *answers = make_dozen("7");
    struct sl_label_notes notes;
    struct sl_label_options options = sl_label_options_default();
    options.notes = &notes;
    options.annotators = 11;
    for (options.seed = 0; options.seed < 20; options.seed++) {
        struct sl_rows *rows = build("share", answers, &options);
        assert_int_equal(notes.n_used, 11);
        assert_int_equal(notes.n_undrawn, 1);
        /* Eleven of twelve: two classes keep all four. */
        size_t n_whole = 0;
        for (size_t k = 0; k < 3; k++)
            n_whole += fabsf(rows->values[k] - 4.0F / 11) < 1e-6F;
        assert_int_equal(n_whole, 2);
        struct sl_rows *again = build("share", answers, &options);
        assert_memory_equal(again->values, rows->values, 3 * sizeof(float));
        sl_rows_destroy(again);
        sl_rows_destroy(rows);
    }
    options.annotators = 50;
    struct sl_rows *rows = build("share", answers, &options);
    assert_int_equal(notes.n_used, 12);
    sl_rows_destroy(rows);
    sl_answers_destroy(answers);
}

/* One answer drawn for each of 600 seeds: every class about 200 times (sd 11.5). */
static void test_every_answer_is_drawn_as_often(void **state)
{
    (void)state;
    struct sl_answers *answers = make_dozen("7");
    struct sl_label_options options = sl_label_options_default();
    options.annotators = 1;
    double counts[3] = {0};
    for (options.seed = 0; options.seed < 600; options.seed++) {
        struct sl_rows *rows = build("share", answers, &options);
        for (size_t k = 0; k < 3; k++)
            counts[k] += (double)rows->values[k];
        sl_rows_destroy(rows);
    }
    for (size_t k = 0; k < 3; k++)
        assert_near(counts[k], 200, 50);
    sl_answers_destroy(answers);
}

static void test_an_item_is_drawn_alike_in_any_set(void **state)
{
    (void)state;
    struct sl_answers *alone = make_dozen("7");
    struct sl_answers *late = make_dozen("3");
    for (int i = 0; i < 12; i++)
        test_add_hard(late, i % 3, "7", "ann");
    struct sl_label_options options = sl_label_options_default();
    options.annotators = 5;
    for (options.seed = 0; options.seed < 10; options.seed++) {
        struct sl_rows *a = build("share", alone, &options), *b = build("share", late, &options);
        assert_memory_equal(a->values, b->values + 3, 3 * sizeof(float));
        sl_rows_destroy(a);
        sl_rows_destroy(b);
    }
    sl_answers_destroy(alone);
    sl_answers_destroy(late);
}

static void test_an_unusable_answer_stops_or_is_counted(void **state)
{
    (void)state;
    struct sl_answers *answers = test_answers(pets, 3);
    struct test_answer soft;
    test_fill_soft(&(struct test_soft){0, 70, 1, 30, {2, -1}}, &soft);
    test_add(answers, soft.answer, "7", "ann");
    soft.top[0].probability = NAN;
    test_add(answers, soft.answer, "7", "bob");
    test_add_hard(answers, 1, "8", "bob");
    struct sl_label_options options = sl_label_options_default();
    struct sl_rows *rows = NULL;
    struct sl_error err;
    assert_fails(sl_labels_build(test_method("t2-clamp"), answers, &options, &rows, &err),
                 SL_ERR_INPUT, err, "item 7, annotator bob: the first class has no probability");
    assert_null(rows);
    struct sl_label_notes notes;
    options.notes = &notes;
    rows = build("t2-clamp", answers, &options);
    assert_int_equal(rows->n_rows, 1);
    assert_values(rows, 0, 0.7, 0.3, 0);
    assert_int_equal(notes.n_used, 1);
    assert_int_equal(notes.n_unusable, 2);
    assert_int_equal(notes.n_empty_items, 1);
    assert_non_null(strstr(notes.first_unusable.message, "item 7, annotator bob"));
    sl_rows_destroy(rows);
    /* A missing option is not an answer's fault. */
    assert_fails(sl_labels_build(test_method("t2-semantic"), answers, &options, &rows, &err),
                 SL_ERR_USAGE, err, "word vectors");
    sl_answers_destroy(answers);
}

static void test_nothing_to_label_is_an_error(void **state)
{
    (void)state;
    struct sl_answers *answers = test_answers(pets, 3);
    struct sl_label_options options = sl_label_options_default();
    struct sl_label_notes notes;
    struct sl_rows *rows = NULL;
    struct sl_error err;
    assert_fails(sl_labels_build(test_method("share"), answers, &options, &rows, &err),
                 SL_ERR_INPUT, err, "no answers");
    add_flagged(answers, 1, SL_ANSWER_CHECK, "7");
    assert_fails(sl_labels_build(test_method("share"), answers, &options, &rows, &err),
                 SL_ERR_INPUT, err, "every answer is a check");
    test_add_hard(answers, 1, "8", "bob");
    options.notes = &notes;
    assert_fails(sl_labels_build(test_method("t1-clamp"), answers, &options, &rows, &err),
                 SL_ERR_INPUT, err, "no usable answer: item 8, annotator bob: t1-clamp does not");
    sl_answers_destroy(answers);
}

/* gamma^omega = .25^.5 = .5: half of (.8, .2, 0), half of thirds. */
static void test_mixed_images_are_smoothed_by_confidence(void **state)
{
    (void)state;
    struct sl_answers *answers = test_answers(pets, 3);
    test_add(answers, test_mix(0, 1, 0.8F, 0.5F, 0.6F), "m", "ann");
    struct sl_label_options options = sl_label_options_default();
    options.gamma = 0.25;
    struct sl_rows *rows = build("mix", answers, &options);
    assert_values(rows, 0, 0.4 + 1.0 / 6, 0.1 + 1.0 / 6, 1.0 / 6);
    sl_rows_destroy(rows);
    options.gamma = 0;
    rows = build("mix", answers, &options);
    assert_values(rows, 0, 0.8, 0.2, 0);
    sl_rows_destroy(rows);
    options.generated = true;
    rows = build("mix", answers, &options);
    assert_values(rows, 0, 0.6, 0.4, 0);
    sl_rows_destroy(rows);
    sl_answers_destroy(answers);
}

/* Means of rows: smoothing 1/4 and 1 (confidence 1 and 0). Mean first: lambda .6, confidence .5,
 * smoothing 1/2. The second person saw the classes the other way round. */
static void test_mean_first_averages_before_smoothing(void **state)
{
    (void)state;
    struct sl_answers *answers = test_answers(pets, 3);
    test_add(answers, test_mix(0, 1, 0.8F, 1, 0.6F), "m", "ann");
    test_add(answers, test_mix(1, 0, 0.6F, 0, 0.4F), "m", "bob");
    struct sl_label_options options = sl_label_options_default();
    options.gamma = 0.25;
    struct sl_rows *rows = build("mix", answers, &options);
    assert_values(rows, 0, (0.6 + 1.0 / 12 + 1.0 / 3) / 2, (0.15 + 1.0 / 12 + 1.0 / 3) / 2,
                  (1.0 / 12 + 1.0 / 3) / 2);
    sl_rows_destroy(rows);
    options.mean_first = true;
    rows = build("mix", answers, &options);
    assert_values(rows, 0, 0.3 + 1.0 / 6, 0.2 + 1.0 / 6, 1.0 / 6);
    sl_rows_destroy(rows);
    test_add(answers, test_mix(0, 2, 0.6F, 0, 0.4F), "m", "cyd");
    struct sl_error err;
    assert_fails(sl_labels_build(test_method("mix"), answers, &options, &rows, &err), SL_ERR_INPUT,
                 err, "item m: the answers name different endpoint classes");
    sl_answers_destroy(answers);
}

static void test_answers_without_confidence_are_not_smoothed(void **state)
{
    (void)state;
    struct sl_answers *answers = test_answers(pets, 3);
    test_add(answers, test_mix(0, 1, 0.75F, NAN, NAN), "m", "ann");
    struct sl_label_options options = sl_label_options_default();
    struct sl_rows *rows = build("mix", answers, &options);
    assert_values(rows, 0, 0.75, 0.25, 0);
    sl_rows_destroy(rows);
    struct sl_error err;
    options.generated = true;
    assert_fails(sl_labels_build(test_method("mix"), answers, &options, &rows, &err), SL_ERR_INPUT,
                 err, "the generating share is nan");
    sl_answers_destroy(answers);
}

/* ---- What methods read ---- */

/* Answers of a kind that the method reads: two people about two items. */
static struct sl_answers *make_readable(const struct sl_label_method *method)
{
    static const struct test_soft softs[] = {{0, 60, 1, 30, {-1}},
                                             {1, 80, 2, 20, {-1}},
                                             {1, 100, -1, (float)NAN, {-1}},
                                             {2, 60, -1, (float)NAN, {-1}}};
    struct sl_answers *answers = test_answers(pets, 3);
    for (size_t i = 0; i < 4; i++) {
        struct test_answer answer;
        const char *item = i < 2 ? "7" : "9", *annotator = i % 2 ? "ann" : "bob";
        if (method->kinds & 1U << SL_ANSWER_MIX) {
            test_add(answers, test_mix(0, 1, .2F + .3F * (float)(i % 2), .4F, .7F), item,
                     annotator);
            continue;
        }
        if (method->kinds & 1U << SL_ANSWER_SOFT)
            test_fill_soft(&softs[i], &answer);
        else
            test_fill_hard((int)i % 3, &answer);
        test_add(answers, answer.answer, item, annotator);
    }
    return answers;
}

static bool reads(const struct sl_label_method *method, unsigned bit)
{
    static const float one[] = {1, .5F, .1F, .5F, 1, .2F, .1F, .2F, 1};
    static const float two[] = {1, .1F, .6F, .1F, 1, .9F, .6F, .9F, 1};
    static const int32_t truth[] = {1, 1};
    struct sl_answers *answers = make_readable(method);
    struct sl_label_options options = sl_label_options_default();
    options.similarity = one;
    struct sl_rows *before = build(method->name, answers, &options);
    if (bit == SL_LABEL_READS_GAMMA) options.gamma = .4;
    if (bit == SL_LABEL_READS_BETA) options.beta = .4;
    if (bit == SL_LABEL_READS_TEMPERATURE) options.temperature = 3;
    if (bit == SL_LABEL_READS_SIMILARITY) options.similarity = two;
    if (bit == SL_LABEL_READS_TRUTH) options.truth = truth;
    if (bit == SL_LABEL_READS_MIX) options.generated = true;
    if (bit == SL_LABEL_READS_SEED) options.seed = 77;
    struct sl_rows *after = build(method->name, answers, &options);
    const bool differs =
        memcmp(before->values, after->values, before->n_rows * 3 * sizeof *before->values) != 0;
    sl_rows_destroy(before);
    sl_rows_destroy(after);
    sl_answers_destroy(answers);
    return differs;
}

/* softlab labels refuses the other options by it. */
static void test_what_rows_say_is_read_changes_labels_and_nothing_else_does(void **state)
{
    (void)state;
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++)
        for (unsigned bit = 1; bit <= SL_LABEL_READS_SEED; bit *= 2)
            if (reads(method, bit) != ((method->reads & bit) != 0))
                fail_msg("%s and the option with the bit %u", method->name, bit);
}

static void test_weights_make_weighted_means(void **state)
{
    (void)state;
    struct sl_answers *answers = make_votes();
    struct sl_label_options options = sl_label_options_default();
    struct sl_label_notes notes;
    struct sl_error err;
    struct sl_rows *rows = NULL;
    options.notes = &notes;
    options.weights = (const double[]){1, 5, 2}; /* ann, bob, cyd */
    rows = build("share", answers, &options);
    assert_values(rows, 0, 3. / 8, 0, 5. / 8);
    assert_values(rows, 1, 0, 1, 0);
    sl_rows_destroy(rows);
    rows = build("hard", answers, &options);
    assert_values(rows, 0, 0, 0, 1);
    sl_rows_destroy(rows);
    options.weights = (const double[]){0, 5, 0};
    rows = build("share", answers, &options);
    assert_int_equal(rows->n_rows, 1);
    assert_values(rows, 0, 0, 0, 1);
    assert_int_equal(notes.n_weightless, 3);
    assert_int_equal(notes.n_empty_items, 1);
    sl_rows_destroy(rows);
    options.weights = (const double[]){0, 0, 0};
    assert_fails(sl_labels_build(test_method("share"), answers, &options, &rows, &err),
                 SL_ERR_INPUT, err, "of weight 0");
    options.per_annotator = true;
    assert_fails(sl_labels_build(test_method("share"), answers, &options, &rows, &err),
                 SL_ERR_USAGE, err,
                 "share takes no annotator weights when it makes a row per answer");
    options.per_annotator = false;
    assert_fails(sl_labels_build(test_method("uniform"), answers, &options, &rows, &err),
                 SL_ERR_USAGE, err, "it reads no answers");
    test_add_hard(answers, 0, "7", "");
    options.weights = (const double[]){1, 1, 1};
    assert_fails(sl_labels_build(test_method("share"), answers, &options, &rows, &err),
                 SL_ERR_INPUT, err, "an answer has no annotator, so it has no weight");
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rows_say_is_read_changes_labels_and_nothing_else_does),
        cmocka_unit_test(test_weights_make_weighted_means),
        cmocka_unit_test(test_votes_give_shares_counts_and_the_most_voted),
        cmocka_unit_test(test_class_labels_are_means_within_a_true_class),
        cmocka_unit_test(test_per_annotator_gives_a_row_for_every_answer),
        cmocka_unit_test(test_times_of_used_answers_are_added_up),
        cmocka_unit_test(test_checks_never_and_repeats_only_on_request_enter),
        cmocka_unit_test(test_draws_are_without_replacement_and_fixed_by_seed),
        cmocka_unit_test(test_every_answer_is_drawn_as_often),
        cmocka_unit_test(test_an_item_is_drawn_alike_in_any_set),
        cmocka_unit_test(test_an_unusable_answer_stops_or_is_counted),
        cmocka_unit_test(test_nothing_to_label_is_an_error),
        cmocka_unit_test(test_mixed_images_are_smoothed_by_confidence),
        cmocka_unit_test(test_mean_first_averages_before_smoothing),
        cmocka_unit_test(test_answers_without_confidence_are_not_smoothed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
