#include "label_support.h"

enum { CLASSES = 5, ITEMS = 4, ANSWERS = 7, ROUNDS = 300 };

static const char *const class_names[CLASSES] = {"ant", "bee", "cow", "dog", "elk"};
static const char *const item_names[ITEMS] = {"w", "x", "y", "z"};

/* An answer of any kind with room for its lists. */
struct any_answer {
    struct test_answer base;
    float distribution[CLASSES];
};

static float percent(struct sl_rng *rng)
{
    return (float)(5 * sl_rng_below(rng, 21)) / 100;
}

/* Anything a person could say with its first class given; `rng` decides the rest. */
static void draw_answer(enum sl_answer_kind kind, uint32_t first, struct sl_rng *rng,
                        struct any_answer *out)
{
    struct test_soft soft = {.first = (int)first, .second = -1, .impossible = {-1}};
    test_fill_soft(&soft, &out->base);
    struct sl_answer *answer = &out->base.answer;
    answer->kind = kind;
    out->base.top[0].probability = kind == SL_ANSWER_SOFT ? 0.5F + percent(rng) / 2 : NAN;
    if ((kind == SL_ANSWER_SOFT || kind == SL_ANSWER_SELECT) && sl_rng_below(rng, 2))
        out->base.top[answer->n_top++] = (struct sl_belief){
            (uint32_t)sl_rng_below(rng, CLASSES), kind == SL_ANSWER_SOFT ? percent(rng) / 2 : NAN};
    for (uint32_t k = 0; kind == SL_ANSWER_SOFT && k < CLASSES; k++)
        if (sl_rng_below(rng, 3) == 0) out->base.impossible[answer->n_impossible++] = k;
    for (size_t k = 0; k < CLASSES; k++)
        out->distribution[k] = (float)sl_rng_uniform(rng);
    out->distribution[first] += 1;
    answer->distribution = kind == SL_ANSWER_DIST ? out->distribution : NULL;
    if (kind == SL_ANSWER_DIST) answer->n_top = 0;
    if (kind != SL_ANSWER_MIX) return;
    answer->n_top = 0;
    answer->mix = (struct sl_mix_answer){.a = first,
                                         .b = (uint32_t)sl_rng_below(rng, CLASSES),
                                         .lambda = percent(rng),
                                         .confidence = percent(rng),
                                         .generated = percent(rng)};
}

static void draw_similarity(struct sl_rng *rng, float *out)
{
    for (size_t i = 0; i < CLASSES; i++)
        for (size_t j = 0; j <= i; j++)
            out[i * CLASSES + j] = out[j * CLASSES + i] =
                i == j ? 1 : (float)(2 * sl_rng_uniform(rng) - 1);
}

static void assert_distribution(const double *row, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        assert_true(row[k] >= 0);
        sum += row[k];
    }
    assert_near(sum, 1, 1e-9);
}

/* The kinds a method reads, one after the other; false after the last. */
static bool next_kind(const struct sl_label_method *method, int *kind)
{
    do
        ++*kind;
    while (*kind <= SL_ANSWER_MIX && !(method->kinds & 1u << *kind));
    return *kind <= SL_ANSWER_MIX;
}

/* True if a drawn answer became a distribution, false if the method said why not. */
static bool gives_row(const struct sl_label_method *method, enum sl_answer_kind kind,
                      uint64_t round, const struct sl_label_options *options, float *similarity)
{
    struct sl_rng rng;
    struct any_answer answer;
    double row[CLASSES];
    struct sl_error err = {0};
    sl_rng_init(&rng, 1, "methods", 0, round);
    draw_similarity(&rng, similarity);
    draw_answer(kind, (uint32_t)sl_rng_below(&rng, CLASSES), &rng, &answer);
    if (sl_label_row(method, &answer.base.answer, CLASSES, options, row, &err) == SL_OK) {
        assert_distribution(row, CLASSES);
        return true;
    }
    assert_true(strlen(err.message) > 10);
    return false;
}

static void test_every_method_gives_distributions_or_says_why_not(void **state)
{
    (void)state;
    float similarity[CLASSES * CLASSES];
    struct sl_label_options options = sl_label_options_default();
    options.similarity = similarity;
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++) {
        assert_true(method->kinds || method->item);
        for (int kind = -1; next_kind(method, &kind);) {
            size_t n_rows = 0;
            for (uint64_t round = 0; round < ROUNDS; round++)
                n_rows += gives_row(method, (enum sl_answer_kind)kind, round, &options, similarity);
            assert_true(n_rows > ROUNDS / 2);
        }
    }
}

static void permute(const uint32_t *to, const struct any_answer *from, struct any_answer *out)
{
    *out = *from;
    struct sl_answer *answer = &out->base.answer;
    answer->top = out->base.top;
    answer->impossible = out->base.impossible;
    if (answer->distribution) answer->distribution = out->distribution;
    for (size_t i = 0; i < answer->n_top; i++)
        out->base.top[i].class_index = to[from->base.top[i].class_index];
    for (size_t i = 0; i < answer->n_impossible; i++)
        out->base.impossible[i] = to[from->base.impossible[i]];
    for (size_t k = 0; k < CLASSES; k++)
        out->distribution[to[k]] = from->distribution[k];
    answer->mix.a = to[from->base.answer.mix.a];
    answer->mix.b = to[from->base.answer.mix.b];
}

static void test_permuting_classes_permutes_the_columns_of_every_method(void **state)
{
    (void)state;
    static const uint32_t to[CLASSES] = {3, 0, 4, 1, 2};
    float similarity[CLASSES * CLASSES], permuted[CLASSES * CLASSES];
    struct sl_label_options options = sl_label_options_default(), other = options;
    options.similarity = similarity;
    other.similarity = permuted;
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++) {
        for (int kind = -1; next_kind(method, &kind);) {
            for (uint64_t round = 0; round < ROUNDS; round++) {
                struct sl_rng rng;
                struct any_answer answer, turned;
                double row[CLASSES], turned_row[CLASSES];
                sl_rng_init(&rng, 2, "methods", 0, round);
                draw_similarity(&rng, similarity);
                for (size_t i = 0; i < CLASSES * CLASSES; i++)
                    permuted[to[i / CLASSES] * CLASSES + to[i % CLASSES]] = similarity[i];
                draw_answer((enum sl_answer_kind)kind, (uint32_t)sl_rng_below(&rng, CLASSES), &rng,
                            &answer);
                permute(to, &answer, &turned);
                enum sl_status status =
                    sl_label_row(method, &answer.base.answer, CLASSES, &options, row, NULL);
                assert_int_equal(
                    sl_label_row(method, &turned.base.answer, CLASSES, &other, turned_row, NULL),
                    status);
                for (size_t k = 0; status == SL_OK && k < CLASSES; k++)
                    assert_near(turned_row[to[k]], row[k], 1e-12);
            }
        }
    }
}

/* The answers of a set in the given order; item i leans to class i, without ties. */
static struct sl_answers *make_set(enum sl_answer_kind kind, const size_t *order)
{
    struct sl_answers *answers = test_answers(class_names, CLASSES);
    for (size_t i = 0; i < ITEMS * ANSWERS; i++) {
        size_t place = order ? order[i] : i;
        size_t item = place / ANSWERS, number = place % ANSWERS;
        struct sl_rng rng;
        struct any_answer answer;
        char annotator[16];
        sl_rng_init(&rng, 3, "methods", 0, place);
        draw_answer(kind, (uint32_t)(number < 5 ? item : number - 4), &rng, &answer);
        answer.base.answer.mix.a = (uint32_t)item;
        answer.base.answer.mix.b = CLASSES - 1;
        snprintf(annotator, sizeof annotator, "a%zu", number);
        test_add(answers, answer.base.answer, item_names[item], annotator);
    }
    return answers;
}

static const float *row_of(const struct sl_rows *rows, const char *item)
{
    for (size_t i = 0; i < rows->n_rows; i++)
        if (strcmp(rows->items[i], item) == 0) return rows->values + i * rows->n_classes;
    fail_msg("no row of %s", item);
    return NULL;
}

/* Labels of a set; what the method cannot read is left out. */
static struct sl_rows *build(const struct sl_label_method *method, const struct sl_answers *answers,
                             bool mean_first)
{
    float similarity[CLASSES * CLASSES];
    struct sl_rng rng;
    sl_rng_init(&rng, 4, "methods", 0, 0);
    draw_similarity(&rng, similarity);
    struct sl_label_notes notes;
    struct sl_label_options options = sl_label_options_default();
    options.similarity = similarity;
    options.notes = &notes;
    options.mean_first = mean_first;
    struct sl_rows *rows;
    struct sl_error err;
    assert_ok(sl_labels_build(method, answers, &options, &rows, &err), err);
    for (size_t i = 0; i < rows->n_rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < CLASSES; k++)
            sum += (double)rows->values[i * CLASSES + k];
        assert_near(sum, 1, 1e-6);
    }
    return rows;
}

static void test_permuting_answers_changes_no_label(void **state)
{
    (void)state;
    size_t order[ITEMS * ANSWERS];
    struct sl_rng rng;
    sl_rng_init(&rng, 5, "methods", 0, 0);
    sl_rng_permutation(&rng, order, ITEMS * ANSWERS);
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++) {
        for (int kind = -1; next_kind(method, &kind);) {
            for (int mean_first = 0; mean_first < 2; mean_first++) {
                struct sl_answers *sorted = make_set((enum sl_answer_kind)kind, NULL);
                struct sl_answers *mixed = make_set((enum sl_answer_kind)kind, order);
                struct sl_rows *a = build(method, sorted, mean_first);
                struct sl_rows *b = build(method, mixed, mean_first);
                assert_int_equal(a->n_rows, ITEMS);
                for (size_t i = 0; i < ITEMS; i++)
                    for (size_t k = 0; k < CLASSES; k++)
                        assert_near(row_of(a, item_names[i])[k], row_of(b, item_names[i])[k], 1e-6);
                sl_rows_destroy(a);
                sl_rows_destroy(b);
                sl_answers_destroy(sorted);
                sl_answers_destroy(mixed);
            }
        }
    }
}

/* Three people, all certain of class 2, in every way a kind can say so. */
static struct sl_answers *make_certain(enum sl_answer_kind kind)
{
    static const struct test_soft certain = {2, 100, -1, NAN, {0, 1, 3, 4, -1}};
    static const float whole[CLASSES] = {0, 0, 1, 0, 0};
    struct sl_answers *answers = test_answers(class_names, CLASSES);
    for (size_t i = 0; i < 3; i++) {
        static const char *const people[] = {"ann", "bob", "cyd"};
        struct test_answer soft;
        test_fill_soft(&certain, &soft);
        soft.answer.kind = kind;
        if (kind != SL_ANSWER_SOFT) soft.answer.n_impossible = 0;
        if (kind == SL_ANSWER_DIST || kind == SL_ANSWER_MIX) soft.answer.n_top = 0;
        if (kind == SL_ANSWER_DIST) soft.answer.distribution = whole;
        soft.answer.mix =
            (struct sl_mix_answer){.a = 2, .b = 4, .lambda = 1, .confidence = 1, .generated = 1};
        test_add(answers, soft.answer, "w", people[i]);
    }
    return answers;
}

/* By hand: softmax e^3 / (e^3 + 4), smoothing .95 + .01, mixing .995 + .001; all others are whole.
 */
static void test_unanimous_certainty_is_that_class(void **state)
{
    (void)state;
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++) {
        for (int kind = -1; next_kind(method, &kind);) {
            struct sl_answers *answers = make_certain((enum sl_answer_kind)kind);
            struct sl_rows *rows = build(method, answers, false);
            double expected = strcmp(method->name, "softmax") == 0  ? exp(3) / (exp(3) + 4)
                              : strcmp(method->name, "smooth") == 0 ? 0.96
                              : strcmp(method->name, "mix") == 0    ? 0.996
                                                                    : 1;
            assert_near(rows->values[2], expected, 1e-6);
            sl_rows_destroy(rows);
            sl_answers_destroy(answers);
        }
    }
}

static void test_uniform_and_random_read_no_answers(void **state)
{
    (void)state;
    struct sl_answers *answers = make_set(SL_ANSWER_HARD, NULL);
    struct sl_rows *uniform = build(test_method("uniform"), answers, false);
    struct sl_rows *random = build(test_method("random"), answers, false);
    assert_int_equal(uniform->n_rows, ITEMS);
    assert_int_equal(random->n_rows, ITEMS);
    for (size_t i = 0; i < ITEMS * CLASSES; i++) {
        assert_near(uniform->values[i], 0.2, 1e-7);
        assert_true(random->values[i] > 0 && random->values[i] < 1);
    }
    assert_true(random->values[0] != random->values[CLASSES]);
    struct sl_rows *again = build(test_method("random"), answers, false);
    assert_memory_equal(again->values, random->values, ITEMS * CLASSES * sizeof(float));
    struct sl_label_options other = sl_label_options_default();
    struct sl_rows *reseeded;
    struct sl_error err;
    other.seed = 9;
    assert_ok(sl_labels_build(test_method("random"), answers, &other, &reseeded, &err), err);
    assert_true(reseeded->values[0] != random->values[0]);
    sl_rows_destroy(uniform);
    sl_rows_destroy(random);
    sl_rows_destroy(again);
    sl_rows_destroy(reseeded);
    sl_answers_destroy(answers);
}

static void test_names_find_their_rows_and_inputs_are_those_of_the_papers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int inputs;
    } costs[] = {{"hard", 1},       {"select2", 2},  {"t1-uniform", 2}, {"t1-clamp", 3},
                 {"t2-uniform", 4}, {"t2-clamp", 5}, {"uniform", 0},    {"mix", 2}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        assert_int_equal(test_method(costs[i].name)->inputs, costs[i].inputs);
    assert_null(sl_label_method_find("t3-clamp"));
    size_t count = 0;
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++, count++)
        assert_ptr_equal(sl_label_method_find(method->name), method);
    assert_int_equal(count, 15);
}

static void test_a_kind_that_is_not_read_is_named(void **state)
{
    (void)state;
    struct sl_label_options options = sl_label_options_default();
    struct test_answer hard;
    struct sl_error err;
    double row[CLASSES];
    test_fill_hard(1, &hard);
    assert_fails(sl_label_row(test_method("t2-clamp"), &hard.answer, CLASSES, &options, row, &err),
                 SL_ERR_INPUT, err, "t2-clamp does not read answers of kind \"hard\"");
    struct sl_answer mix = test_mix(0, 1, 0.5F, 0.5F, 0.5F);
    assert_fails(sl_label_row(test_method("share"), &mix, CLASSES, &options, row, &err),
                 SL_ERR_INPUT, err, "share does not read answers of kind \"mix\"");
}

static void test_options_out_of_range_are_named(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_label_options options = sl_label_options_default();
    assert_ok(sl_label_options_check(&options, &err), err);
    options.gamma = 1.5;
    assert_fails(sl_label_options_check(&options, &err), SL_ERR_USAGE, err, "gamma is 1.5");
    options = sl_label_options_default();
    options.beta = (double)NAN;
    assert_fails(sl_label_options_check(&options, &err), SL_ERR_USAGE, err, "beta is nan");
    options = sl_label_options_default();
    options.temperature = 0;
    assert_fails(sl_label_options_check(&options, &err), SL_ERR_USAGE, err, "temperature is 0");
}

/* C table 4 at six annotators; then one input measured at 2 s and the rest as ever. */
static void test_seconds_per_item_are_those_of_the_table(void **state)
{
    (void)state;
    assert_near(sl_label_seconds(test_method("t1-uniform"), 6, NULL, 0), 76.8, 1e-9);
    assert_near(sl_label_seconds(test_method("select2"), 6, NULL, 0), 76.8, 1e-9);
    assert_near(sl_label_seconds(test_method("t1-clamp"), 6, NULL, 0), 115.2, 1e-9);
    assert_near(sl_label_seconds(test_method("t2-uniform"), 6, NULL, 0), 153.6, 1e-9);
    assert_near(sl_label_seconds(test_method("t2-clamp"), 6, NULL, 0), 192.0, 1e-9);
    static const double measured[] = {2};
    assert_near(sl_label_seconds(test_method("t1-uniform"), 10, measured, 1), 84, 1e-9);
    static const double ring[] = {SL_CIFAR10H_SECONDS};
    assert_near(sl_label_seconds(test_method("share"), 51, ring, 1), 91.8, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_gives_distributions_or_says_why_not),
        cmocka_unit_test(test_permuting_classes_permutes_the_columns_of_every_method),
        cmocka_unit_test(test_permuting_answers_changes_no_label),
        cmocka_unit_test(test_unanimous_certainty_is_that_class),
        cmocka_unit_test(test_uniform_and_random_read_no_answers),
        cmocka_unit_test(test_names_find_their_rows_and_inputs_are_those_of_the_papers),
        cmocka_unit_test(test_a_kind_that_is_not_read_is_named),
        cmocka_unit_test(test_options_out_of_range_are_named),
        cmocka_unit_test(test_seconds_per_item_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
