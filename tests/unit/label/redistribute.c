#include "label_support.h"

enum { CLASSES = 10, METHODS = 4 };

static const char *const methods[METHODS] = {"t1-uniform", "t1-clamp", "t2-uniform", "t2-clamp"};

struct worked {
    const char *what;
    struct test_soft answer;
    double labels[METHODS][CLASSES];
};

/* Answers of CIFAR-10S (airplane automobile bird cat deer dog frog horse ship truck) and their
 * labels with gamma = .1, to six digits. */
static const struct worked worked[] = {
    {"sum over 100 %, no class left",
     {3, 95, 5, 10, {0, 1, 2, 4, 6, 7, 8, 9, -1}},
     {{0.005556, 0.005556, 0.005556, 0.95, 0.005556, 0.005556, 0.005556, 0.005556, 0.005556,
       0.005556},
      {0, 0, 0, 0.95, 0, 0.05, 0, 0, 0, 0},
      {0, 0, 0, 0.904762, 0, 0.095238, 0, 0, 0, 0},
      {0, 0, 0, 0.904762, 0, 0.095238, 0, 0, 0, 0}}},
    {"sum under 100 %, no class left",
     {3, 20, 5, 40, {0, 1, 2, 4, 6, 7, 8, 9, -1}},
     {{0.088889, 0.088889, 0.088889, 0.2, 0.088889, 0.088889, 0.088889, 0.088889, 0.088889,
       0.088889},
      {0, 0, 0, 0.2, 0, 0.8, 0, 0, 0, 0},
      {0.05, 0.05, 0.05, 0.2, 0.05, 0.4, 0.05, 0.05, 0.05, 0.05},
      {0, 0, 0, 0.333333, 0, 0.666667, 0, 0, 0, 0}}},
    {"sum under 100 %, one class left",
     {3, 70, 6, 10, {0, 1, 2, 4, 7, 8, 9, -1}},
     {{0.033333, 0.033333, 0.033333, 0.7, 0.033333, 0.033333, 0.033333, 0.033333, 0.033333,
       0.033333},
      {0, 0, 0, 0.7, 0, 0.15, 0.15, 0, 0, 0},
      {0.025, 0.025, 0.025, 0.7, 0.025, 0.025, 0.1, 0.025, 0.025, 0.025},
      {0, 0, 0, 0.7, 0, 0.2, 0.1, 0, 0, 0}}},
    {"nothing impossible, little said",
     {5, 10, 3, 10, {-1}},
     {{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
      {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
      {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
      {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}}},
    {"all others impossible",
     {2, 80, -1, NAN, {0, 1, 3, 4, 5, 6, 7, 8, 9, -1}},
     {{0.022222, 0.022222, 0.8, 0.022222, 0.022222, 0.022222, 0.022222, 0.022222, 0.022222,
       0.022222},
      {0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
      {0.022222, 0.022222, 0.8, 0.022222, 0.022222, 0.022222, 0.022222, 0.022222, 0.022222,
       0.022222},
      {0, 0, 1, 0, 0, 0, 0, 0, 0, 0}}},
    {"certain, yet another class is possible",
     {2, 100, -1, NAN, {0, 1, 3, 4, 5, 6, 7, 9, -1}},
     {{0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
      {0, 0, 0.9, 0, 0, 0, 0, 0, 0.1, 0},
      {0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
      {0, 0, 0.9, 0, 0, 0, 0, 0, 0.1, 0}}},
    {"second above first, sum over 100 %",
     {0, 90, 1, 100, {2, 3, 4, 5, 6, 7, 9, -1}},
     {{0.9, 0.011111, 0.011111, 0.011111, 0.011111, 0.011111, 0.011111, 0.011111, 0.011111,
       0.011111},
      {0.9, 0.05, 0, 0, 0, 0, 0, 0, 0.05, 0},
      {0.473684, 0.526316, 0, 0, 0, 0, 0, 0, 0, 0},
      {0.426316, 0.473684, 0, 0, 0, 0, 0, 0, 0.1, 0}}},
    {"second = first",
     {1, 100, 1, 100, {0, 2, 3, 4, 5, 6, 7, 8, 9, -1}},
     {{0, 1, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, 0, 0, 0, 0, 0}}},
    {"own second marked impossible",
     {4, 90, 5, 10, {0, 1, 2, 5, 6, 8, -1}},
     {{0.011111, 0.011111, 0.011111, 0.011111, 0.9, 0.011111, 0.011111, 0.011111, 0.011111,
       0.011111},
      {0, 0, 0, 0.033333, 0.9, 0, 0, 0.033333, 0, 0.033333},
      {0, 0, 0, 0, 0.9, 0.1, 0, 0, 0, 0},
      {0, 0, 0, 0.047619, 0.771429, 0.085714, 0, 0.047619, 0, 0.047619}}},
    {"both own classes marked impossible",
     {7, 60, 4, 36, {2, 4, 5, 7, -1}},
     {{0.044444, 0.044444, 0.044444, 0.044444, 0.044444, 0.044444, 0.044444, 0.6, 0.044444,
       0.044444},
      {0.074074, 0.074074, 0, 0.074074, 0, 0, 0.074074, 0.555556, 0.074074, 0.074074},
      {0.005, 0.005, 0.005, 0.005, 0.36, 0.005, 0.005, 0.6, 0.005, 0.005},
      {0.009804, 0.009804, 0, 0.009804, 0.352941, 0, 0.009804, 0.588235, 0.009804, 0.009804}}},
    {"second = first, lower",
     {2, 60, 2, 30, {0, 1, 6, 8, 9, -1}},
     {{0.044444, 0.044444, 0.6, 0.044444, 0.044444, 0.044444, 0.044444, 0.044444, 0.044444,
       0.044444},
      {0, 0, 0.6, 0.1, 0.1, 0.1, 0, 0.1, 0, 0},
      {0.077778, 0.077778, 0.3, 0.077778, 0.077778, 0.077778, 0.077778, 0.077778, 0.077778,
       0.077778},
      {0, 0, 0.3, 0.175, 0.175, 0.175, 0, 0.175, 0, 0}}},
    {"sum of 100 %, others possible",
     {0, 98, 2, 2, {-1}},
     {{0.98, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222,
       0.002222},
      {0.98, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222, 0.002222,
       0.002222},
      {0.98, 0, 0.02, 0, 0, 0, 0, 0, 0, 0},
      {0.882, 0.0125, 0.018, 0.0125, 0.0125, 0.0125, 0.0125, 0.0125, 0.0125, 0.0125}}},
    {"everything impossible",
     {4, 95, 7, 5, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1}},
     {{0.005556, 0.005556, 0.005556, 0.005556, 0.95, 0.005556, 0.005556, 0.005556, 0.005556,
       0.005556},
      {0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
      {0, 0, 0, 0, 0.95, 0, 0, 0.05, 0, 0},
      {0, 0, 0, 0, 0.95, 0, 0, 0.05, 0, 0}}},
    {"second without probability, and impossible",
     {3, 100, 6, NAN, {0, 1, 4, 5, 6, 7, 8, 9, -1}},
     {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
      {0, 0, 0.1, 0.9, 0, 0, 0, 0, 0, 0},
      {0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
      {0, 0, 0.1, 0.9, 0, 0, 0, 0, 0, 0}}},
};

static void test_worked_answers_give_their_labels(void **state)
{
    (void)state;
    struct sl_label_options options = sl_label_options_default();
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        struct test_answer soft;
        test_fill_soft(&worked[i].answer, &soft);
        for (size_t m = 0; m < METHODS; m++) {
            double row[CLASSES];
            struct sl_error err;
            assert_ok(
                sl_label_row(test_method(methods[m]), &soft.answer, CLASSES, &options, row, &err),
                err);
            for (size_t k = 0; k < CLASSES; k++)
                assert_near(row[k], worked[i].labels[m][k], 1e-6);
        }
    }
}

static uint32_t class_of(const struct sl_json_cursor *classes, const struct sl_json_cursor *at)
{
    struct sl_error err;
    const char *wanted, *name;
    assert_ok(sl_json_string(at, &wanted, &err), err);
    for (uint32_t k = 0; k < CLASSES; k++) {
        struct sl_json_cursor element = sl_json_element(classes, k);
        assert_ok(sl_json_string(&element, &name, &err), err);
        if (strcmp(name, wanted) == 0) return k;
    }
    return CLASSES;
}

/* Class and probability of a choice; false if there is none. */
static bool read_choice(const struct sl_json_cursor *classes, const struct sl_json_cursor *answer,
                        const char *key, struct sl_belief *out)
{
    struct sl_json_cursor choice, percent;
    struct sl_error err;
    char percent_key[64];
    double value = (double)NAN;
    snprintf(percent_key, sizeof percent_key, "%s Prob", key);
    assert_ok(sl_json_member(answer, key, &choice, &err), err);
    assert_ok(sl_json_optional(answer, percent_key, &percent, &err), err);
    if (percent.value) assert_ok(sl_json_number(&percent, 0, 100, &value, &err), err);
    *out = (struct sl_belief){class_of(classes, &choice), (float)(value / 100)};
    return out->class_index < CLASSES;
}

static void read_answer(const struct sl_json_cursor *classes, const struct sl_json_cursor *at,
                        struct test_answer *out)
{
    struct sl_json_cursor answer, impossible;
    struct sl_error err;
    static const struct test_soft nothing = {.second = -1, .impossible = {-1}};
    test_fill_soft(&nothing, out);
    assert_ok(sl_json_member(at, "answer", &answer, &err), err);
    assert_true(read_choice(classes, &answer, "Most Probable Class", &out->top[0]));
    if (read_choice(classes, &answer, "Second Most Probable Class", &out->top[1]))
        out->answer.n_top = 2;
    assert_ok(sl_json_member(&answer, "Impossible Class(es)", &impossible, &err), err);
    assert_ok(sl_json_array_size(&impossible, &out->answer.n_impossible, &err), err);
    assert_true(out->answer.n_impossible <= CLASSES);
    for (size_t i = 0; i < out->answer.n_impossible; i++) {
        struct sl_json_cursor element = sl_json_element(&impossible, i);
        out->impossible[i] = class_of(classes, &element);
    }
}

/* The file states a class named twice by select2 as one half and no more; a label sums to 1. */
static void compare_with(const struct sl_json_cursor *at, const char *method,
                         const struct sl_answer *answer)
{
    struct sl_label_options options = sl_label_options_default();
    struct sl_json_cursor label;
    struct sl_error err;
    double row[CLASSES], expected[CLASSES], sum = 0;
    assert_ok(sl_json_member(at, method, &label, &err), err);
    for (size_t k = 0; k < CLASSES; k++) {
        struct sl_json_cursor element = sl_json_element(&label, k);
        assert_ok(sl_json_number(&element, 0, 1, &expected[k], &err), err);
        sum += expected[k];
    }
    bool halved = strcmp(method, "select2") == 0 && sum < 0.75;
    assert_ok(sl_label_row(test_method(method), answer, CLASSES, &options, row, &err), err);
    for (size_t k = 0; k < CLASSES; k++)
        assert_near(row[k], halved ? 2 * expected[k] : expected[k], 1e-6);
}

static void test_every_worked_answer_of_the_facts_gives_its_label(void **state)
{
    (void)state;
    const char *path = test_data("../facts/worked-labels.json");
    if (!path) skip();
    struct sl_json json;
    struct sl_error err;
    assert_ok(sl_json_read(path, 1 << 20, &json, &err), err);
    struct sl_json_cursor root = sl_json_root(&json), classes, cases;
    size_t count;
    assert_ok(sl_json_member(&root, "classes", &classes, &err), err);
    assert_ok(sl_json_member(&root, "cases", &cases, &err), err);
    assert_ok(sl_json_array_size(&cases, &count, &err), err);
    assert_int_equal(count, 24);
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor at = sl_json_element(&cases, i);
        struct test_answer soft;
        read_answer(&classes, &at, &soft);
        for (size_t m = 0; m < METHODS; m++)
            compare_with(&at, methods[m], &soft.answer);
        compare_with(&at, "select2", &soft.answer);
    }
    sl_json_release(&json);
}

/* cos(a, b) = .5, cos(a, c) = .25, cos(a, d) = -.5. */
static const float similarity[] = {1, 0.5, 0.25, -0.5, 0.5, 1, 0, 0, 0.25, 0, 1, 0, -0.5, 0, 0, 1};

static void assert_row(const char *method, const struct test_soft *soft, const double *expected)
{
    struct sl_label_options options = sl_label_options_default();
    options.similarity = similarity;
    struct test_answer answer;
    test_fill_soft(soft, &answer);
    double row[4];
    struct sl_error err;
    assert_ok(sl_label_row(test_method(method), &answer.answer, 4, &options, row, &err), err);
    for (size_t k = 0; k < 4; k++)
        assert_near(row[k], expected[k], 1e-7);
}

/* .3 in the ratio 2 : 1, and "definitely not" is not asked; then only class c is left for .1. */
static void test_semantic_spreads_by_positive_cosine(void **state)
{
    (void)state;
    static const struct test_soft one = {0, 70, -1, NAN, {1, 2, 3, -1}};
    static const double of_one[] = {0.7, 0.2, 0.1, 0};
    assert_row("t1-semantic", &one, of_one);
    static const struct test_soft two = {0, 70, 1, 20, {-1}};
    static const double of_two[] = {0.7, 0.2, 0.1, 0};
    assert_row("t2-semantic", &two, of_two);
}

static void test_semantic_only_normalises_a_sum_of_one_or_more(void **state)
{
    (void)state;
    static const struct test_soft over = {0, 90, 1, 60, {-1}};
    static const double of_over[] = {0.6, 0.4, 0, 0};
    assert_row("t2-semantic", &over, of_over);
    /* Class d is like nothing: what is left over has nowhere to go. */
    static const struct test_soft lonely = {3, 40, -1, NAN, {-1}};
    static const double of_lonely[] = {0, 0, 0, 1};
    assert_row("t1-semantic", &lonely, of_lonely);
}

/* As floats .9 + .1 is 2e-8 less than 1, which still counts as a sum of 1. */
static void test_percentages_that_sum_to_100_are_no_less(void **state)
{
    (void)state;
    for (int first = 51; first < 100; first++) {
        struct test_soft soft = {0, (float)first, 1, (float)(100 - first), {3, -1}};
        double expected[] = {0.9 * first / 100, 0.9 * (100 - first) / 100, 0.1, 0};
        assert_row("t2-clamp", &soft, expected);
    }
}

static void test_gamma_changes_clamp_alone(void **state)
{
    (void)state;
    static const struct test_soft soft = {0, 60, 1, 40, {-1}};
    struct sl_label_options options = sl_label_options_default();
    struct test_answer answer;
    test_fill_soft(&soft, &answer);
    double row[4];
    struct sl_error err;
    options.gamma = 0;
    assert_ok(sl_label_row(test_method("t2-clamp"), &answer.answer, 4, &options, row, &err), err);
    assert_near(row[2], 0, 0);
    options.gamma = 0.4;
    assert_ok(sl_label_row(test_method("t2-clamp"), &answer.answer, 4, &options, row, &err), err);
    assert_near(row[2], 0.2, 1e-7);
    assert_ok(sl_label_row(test_method("t2-uniform"), &answer.answer, 4, &options, row, &err), err);
    assert_near(row[2], 0, 0);
}

static void assert_refused(const struct test_soft *soft, const char *part)
{
    struct sl_label_options options = sl_label_options_default();
    struct test_answer answer;
    test_fill_soft(soft, &answer);
    double row[4];
    struct sl_error err;
    assert_fails(sl_label_row(test_method("t2-clamp"), &answer.answer, 4, &options, row, &err),
                 SL_ERR_INPUT, err, part);
}

static void test_answers_without_mass_say_why_not(void **state)
{
    (void)state;
    assert_refused(&(struct test_soft){0, NAN, -1, NAN, {-1}}, "first class has no probability");
    assert_refused(&(struct test_soft){0, 50, 1, -20, {-1}}, "expected a probability, got -0.2");
    assert_refused(&(struct test_soft){0, INFINITY, -1, NAN, {-1}}, "got inf");
    assert_refused(&(struct test_soft){7, 50, -1, NAN, {-1}}, "class 7 does not exist");
    assert_refused(&(struct test_soft){0, 0, -1, NAN, {0, 1, 2, 3, -1}}, "leaves no class");
    struct sl_label_options options = sl_label_options_default();
    struct test_answer answer;
    test_fill_soft(&(struct test_soft){0, 70, -1, NAN, {-1}}, &answer);
    double row[4];
    struct sl_error err;
    assert_fails(sl_label_row(test_method("t1-semantic"), &answer.answer, 4, &options, row, &err),
                 SL_ERR_USAGE, err, "need word vectors of the classes");
}

/* A typing slip far above 100 % is renormalised like any sum above 1. */
static void test_a_huge_probability_takes_nearly_all(void **state)
{
    (void)state;
    static const struct test_soft huge = {0, 1e9F, 1, 50, {2, 3, -1}};
    static const double expected[] = {1, 0, 0, 0};
    assert_row("t2-clamp", &huge, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_answers_give_their_labels),
        cmocka_unit_test(test_every_worked_answer_of_the_facts_gives_its_label),
        cmocka_unit_test(test_semantic_spreads_by_positive_cosine),
        cmocka_unit_test(test_semantic_only_normalises_a_sum_of_one_or_more),
        cmocka_unit_test(test_percentages_that_sum_to_100_are_no_less),
        cmocka_unit_test(test_gamma_changes_clamp_alone),
        cmocka_unit_test(test_answers_without_mass_say_why_not),
        cmocka_unit_test(test_a_huge_probability_takes_nearly_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
