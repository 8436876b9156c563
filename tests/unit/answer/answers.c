#include "softlab/answer.h"
#include "support.h"

static const char *const classes[] = {"cat", "dog", "deer"};

static struct sl_answers *new_set(void)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_ok(sl_answers_create(classes, 3, &answers, &err), err);
    return answers;
}

static struct sl_field field(const char *text)
{
    return (struct sl_field){text, strlen(text)};
}

static void assert_field(struct sl_field value, const char *expected)
{
    assert_int_equal(value.length, strlen(expected));
    if (value.length > 0) assert_memory_equal(value.text, expected, value.length);
}

static struct sl_answer hard(const char *item, const char *annotator, const struct sl_belief *top)
{
    struct sl_answer answer = sl_answer_empty();
    answer.item = field(item);
    answer.annotator = field(annotator);
    answer.kind = SL_ANSWER_HARD;
    answer.n_top = 1;
    answer.top = top;
    return answer;
}

static void add(struct sl_answers *answers, const struct sl_answer *answer)
{
    struct sl_error err;
    assert_ok(sl_answers_add(answers, answer, &err), err);
}

static void test_every_part_of_an_answer_comes_back(void **state)
{
    (void)state;
    struct sl_answers *answers = new_set();
    const struct sl_belief top[] = {{2, .7f}, {0, NAN}};
    const uint32_t impossible[] = {1};
    struct sl_answer given = sl_answer_empty(), got;
    given.item = field("1128");
    given.annotator = field("a17");
    given.kind = SL_ANSWER_SOFT;
    given.flags = SL_ANSWER_REPEAT | SL_ANSWER_CHECK;
    given.n_top = 2;
    given.top = top;
    given.n_impossible = 1;
    given.impossible = impossible;
    given.truth = 2;
    given.ms = 31960;
    given.trial = 6;
    given.batch = field("b3");
    given.study = field("pilot");
    given.raw[0] = field("70");
    given.raw[1] = field("8p");
    given.inputs = field("{\"top\":1200}");
    given.mix.confidence = .25f;
    add(answers, &given);
    sl_answers_get(answers, 0, &got);
    assert_field(got.item, "1128");
    assert_field(got.annotator, "a17");
    assert_int_equal(got.kind, SL_ANSWER_SOFT);
    assert_int_equal(got.flags, SL_ANSWER_REPEAT | SL_ANSWER_CHECK);
    assert_int_equal(got.n_top, 2);
    assert_int_equal(got.top[0].class_index, 2);
    assert_near(got.top[0].probability, .7f, 0);
    assert_true(isnan(got.top[1].probability));
    assert_int_equal(got.n_impossible, 1);
    assert_int_equal(got.impossible[0], 1);
    assert_int_equal(got.truth, 2);
    assert_near(got.ms, 31960, 0);
    assert_int_equal(got.trial, 6);
    assert_field(got.batch, "b3");
    assert_field(got.study, "pilot");
    assert_field(got.raw[0], "70");
    assert_field(got.raw[1], "8p");
    assert_field(got.inputs, "{\"top\":1200}");
    assert_near(got.mix.confidence, .25f, 0);
    assert_true(isnan(got.mix.lambda));
    sl_answers_destroy(answers);
}

static void test_unknowns_stay_unknown(void **state)
{
    (void)state;
    struct sl_answers *answers = new_set();
    const struct sl_belief top = {1, NAN};
    struct sl_answer given = hard("7", "", &top), got;
    add(answers, &given);
    assert_int_equal(answers->annotator[0], SL_NO_NAME);
    assert_int_equal(sl_name_table_count(answers->annotators), 0);
    sl_answers_get(answers, 0, &got);
    assert_int_equal(got.annotator.length, 0);
    assert_int_equal(got.truth, -1);
    assert_int_equal(got.trial, -1);
    assert_true(isnan(got.ms));
    assert_true(isnan(got.mix.confidence));
    assert_int_equal(got.batch.length + got.study.length + got.inputs.length, 0);
    sl_answers_destroy(answers);
}

static void test_distributions_and_mixes_have_a_place_of_their_own(void **state)
{
    (void)state;
    struct sl_answers *answers = new_set();
    const float distribution[] = {.2f, .3f, .5f};
    struct sl_answer given = sl_answer_empty(), got;
    given.item = field("a");
    given.kind = SL_ANSWER_DIST;
    given.distribution = distribution;
    add(answers, &given);
    given = sl_answer_empty();
    given.item = field("b");
    given.kind = SL_ANSWER_MIX;
    given.mix = (struct sl_mix_answer){0, 2, .26f, .9f, NAN};
    add(answers, &given);
    sl_answers_get(answers, 0, &got);
    assert_near(got.distribution[2], .5f, 0);
    assert_null(got.top);
    assert_int_equal(sl_answer_choice(&got, 3), 2);
    sl_answers_get(answers, 1, &got);
    assert_near(got.mix.lambda, .26f, 0);
    assert_int_equal(got.mix.b, 2);
    assert_null(got.distribution);
    assert_int_equal(sl_answer_choice(&got, 3), 2);
    sl_answers_destroy(answers);
}

static void test_the_choice_is_the_most_probable_class_and_ties_go_to_the_first(void **state)
{
    (void)state;
    static const struct {
        enum sl_answer_kind kind;
        struct sl_belief top[2];
        uint32_t choice;
    } cases[] = {
        {SL_ANSWER_SOFT, {{2, .4f}, {1, .4f}}, 2},   {SL_ANSWER_SOFT, {{2, .4f}, {1, .6f}}, 1},
        {SL_ANSWER_SOFT, {{2, NAN}, {1, .1f}}, 1},   {SL_ANSWER_SOFT, {{2, .1f}, {1, NAN}}, 2},
        {SL_ANSWER_SOFT, {{2, NAN}, {1, NAN}}, 2},   {SL_ANSWER_SELECT, {{0, NAN}, {1, NAN}}, 0},
        {SL_ANSWER_SELECT, {{0, .1f}, {1, .9f}}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_answer answer = sl_answer_empty();
        answer.kind = cases[i].kind;
        answer.n_top = 2;
        answer.top = cases[i].top;
        assert_int_equal(sl_answer_choice(&answer, 3), cases[i].choice);
    }
    struct sl_answer mix = sl_answer_empty();
    mix.kind = SL_ANSWER_MIX;
    mix.mix = (struct sl_mix_answer){2, 1, .5f, NAN, NAN};
    assert_int_equal(sl_answer_choice(&mix, 3), 2);
    const float even[] = {.2f, .4f, .4f};
    struct sl_answer dist = sl_answer_empty();
    dist.kind = SL_ANSWER_DIST;
    dist.distribution = even;
    assert_int_equal(sl_answer_choice(&dist, 3), 1);
}

static void test_an_answer_that_is_none_is_refused(void **state)
{
    (void)state;
    struct sl_answers *answers = new_set();
    struct sl_error err;
    const struct sl_belief good = {1, NAN}, bad = {3, NAN};
    const uint32_t impossible[] = {9};
    struct sl_answer answer = hard("", "a", &good);
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "no item");
    answer = hard("i", "a", &bad);
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "class 3");
    answer = hard("i", "a", &good);
    answer.n_top = 0;
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "one class, not 0");
    answer = hard("i", "a", &good);
    answer.truth = 3;
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "true class 3");
    answer = hard("i", "a", &good);
    answer.n_impossible = 1;
    answer.impossible = impossible;
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "class 9");
    answer = hard("i", "a", &good);
    answer.kind = SL_ANSWER_MIX;
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "no lambda");
    answer.kind = SL_ANSWER_DIST;
    assert_fails(sl_answers_add(answers, &answer, &err), SL_ERR_INPUT, err, "a distribution");
    assert_int_equal(answers->count, 0);
    assert_int_equal(sl_name_table_count(answers->items), 0);
    sl_answers_destroy(answers);
}

static void test_classes_must_exist_once(void **state)
{
    (void)state;
    static const char *const twice[] = {"a", "b", "a"};
    struct sl_answers *answers = NULL;
    struct sl_error err;
    assert_fails(sl_answers_create(twice, 3, &answers, &err), SL_ERR_INPUT, err, "two classes");
    assert_fails(sl_answers_create(twice, 0, &answers, &err), SL_ERR_INPUT, err, "at least one");
    assert_null(answers);
    answers = new_set();
    assert_int_equal(sl_answers_find_class(answers, "deer", 4), 2);
    assert_int_equal(sl_answers_find_class(answers, "dee", 3), -1);
    sl_answers_destroy(answers);
}

static void test_the_item_index_lists_answers_in_file_order(void **state)
{
    (void)state;
    struct sl_answers *answers = new_set();
    static const char *const items[] = {"x", "y", "x", "z", "y", "x"};
    const struct sl_belief top = {0, NAN};
    struct sl_item_index index;
    struct sl_error err;
    for (size_t i = 0; i < 6; i++) {
        struct sl_answer answer = hard(items[i], "a", &top);
        add(answers, &answer);
    }
    assert_ok(sl_item_index_create(answers, &index, &err), err);
    static const size_t begin[] = {0, 3, 5, 6}, order[] = {0, 2, 5, 1, 4, 3};
    assert_memory_equal(index.begin, begin, sizeof begin);
    assert_memory_equal(index.order, order, sizeof order);
    sl_item_index_release(&index);
    sl_answers_destroy(answers);
    answers = new_set();
    assert_ok(sl_item_index_create(answers, &index, &err), err);
    assert_int_equal(index.begin[0], 0);
    sl_item_index_release(&index);
    sl_answers_destroy(answers);
}

static void test_thousands_of_answers_keep_their_lists_apart(void **state)
{
    (void)state;
    struct sl_answers *answers = new_set();
    for (uint32_t i = 0; i < 5000; i++) {
        char item[16];
        snprintf(item, sizeof item, "%u", (unsigned)i % 100);
        const struct sl_belief top[] = {{i % 3, (float)i}, {(i + 1) % 3, (float)i / 2}};
        struct sl_answer answer = hard(item, "a", top);
        answer.kind = SL_ANSWER_SOFT;
        answer.n_top = 1 + i % 2;
        add(answers, &answer);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        struct sl_answer got;
        sl_answers_get(answers, i, &got);
        assert_int_equal(got.n_top, 1 + i % 2);
        assert_int_equal(got.top[i % 2].class_index, (i + i % 2) % 3);
        assert_near(got.top[0].probability, i, 0);
    }
    assert_int_equal(sl_name_table_count(answers->items), 100);
    sl_answers_destroy(answers);
    sl_answers_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_part_of_an_answer_comes_back),
        cmocka_unit_test(test_unknowns_stay_unknown),
        cmocka_unit_test(test_distributions_and_mixes_have_a_place_of_their_own),
        cmocka_unit_test(test_the_choice_is_the_most_probable_class_and_ties_go_to_the_first),
        cmocka_unit_test(test_an_answer_that_is_none_is_refused),
        cmocka_unit_test(test_classes_must_exist_once),
        cmocka_unit_test(test_the_item_index_lists_answers_in_file_order),
        cmocka_unit_test(test_thousands_of_answers_keep_their_lists_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
