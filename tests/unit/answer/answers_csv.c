/* answers-csv: answers of every kind survive it, and broken tables are refused. */
#include "answer_support.h"

static const char *const classes[] = {"ship", "cat", "=dog", "x, \"y\"", NULL};

static struct sl_answer common(const char *item, const char *annotator, enum sl_answer_kind kind)
{
    struct sl_answer answer = sl_answer_empty();
    answer.item = (struct sl_field){item, strlen(item)};
    answer.annotator = (struct sl_field){annotator, strlen(annotator)};
    answer.kind = kind;
    return answer;
}

/* One answer of each kind, and all that an answer may state. */
static struct sl_answers *make_answers(void)
{
    static const struct sl_belief top[] = {{3, 0.7F}, {0, NAN}, {1, 1.5F}}, one = {2, NAN};
    static const uint32_t impossible[] = {1, 2};
    static const float distribution[] = {0.1F, 0, 1.0F / 3, 0.5F};
    struct sl_answers *answers = NULL;
    struct sl_error err;
    assert_ok(sl_answers_create(classes, 4, &answers, &err), err);
    struct sl_answer hard = common("i\n1", "-ann", SL_ANSWER_HARD);
    hard.n_top = 1;
    hard.top = &one;
    hard.ms = 1234.5;
    hard.truth = 3;
    hard.flags = SL_ANSWER_REPEAT | SL_ANSWER_CHECK;
    hard.trial = 0;
    assert_ok(sl_answers_add(answers, &hard, &err), err);
    struct sl_answer soft = common("2", "", SL_ANSWER_SOFT);
    soft.n_top = 3;
    soft.top = top;
    soft.n_impossible = 2;
    soft.impossible = impossible;
    soft.batch = (struct sl_field){"b1", 2};
    soft.flags = SL_ANSWER_SECOND_RUN;
    assert_ok(sl_answers_add(answers, &soft, &err), err);
    struct sl_answer select = common("2", "bob", SL_ANSWER_SELECT);
    select.n_top = 2;
    select.top = top + 1;
    select.mix.confidence = 0.3F;
    assert_ok(sl_answers_add(answers, &select, &err), err);
    struct sl_answer dist = common("3", "bob", SL_ANSWER_DIST);
    dist.distribution = distribution;
    dist.study = (struct sl_field){"s", 1};
    assert_ok(sl_answers_add(answers, &dist, &err), err);
    struct sl_answer mix = common("m", "bob", SL_ANSWER_MIX);
    mix.mix = (struct sl_mix_answer){1, 0, 0.26F, 0.9F, NAN};
    assert_ok(sl_answers_add(answers, &mix, &err), err);
    mix.mix.generated = 0.5F;
    assert_ok(sl_answers_add(answers, &mix, &err), err);
    return answers;
}

static void test_every_kind_of_answer_survives(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = make_answers();
    const char *path = test_path("all.csv");
    const struct sl_import_options options = {.classes = classes};
    assert_ok(find_format("answers-csv")->write(answers, path, NULL, &err), err);
    struct sl_answers *again = import_file("answers-csv", path, &options);
    assert_same_answers(answers, again);
    for (size_t i = 0; i < answers->count; i++) {
        const struct sl_answer a = get_answer(answers, i), b = get_answer(again, i);
        assert_int_equal(a.truth, b.truth);
        assert_true(a.ms == b.ms || (isnan(a.ms) && isnan(b.ms)));
        assert_int_equal(a.batch.length, b.batch.length);
        assert_int_equal(a.study.length, b.study.length);
        for (size_t k = 0; a.distribution && k < 4; k++)
            assert_same_float(b.distribution[k], a.distribution[k]);
        assert_int_equal(a.mix.a, b.mix.a);
        assert_int_equal(a.mix.b, b.mix.b);
    }
    sl_answers_destroy(again);
    /* Without classes they are those found, sorted. */
    again = NULL;
    assert_ok(sl_answers_load(path, NULL, &again, &err), err);
    assert_int_equal(again->count, answers->count);
    assert_string_equal(again->classes[0], "=dog");
    sl_answers_destroy(again);
    sl_answers_destroy(answers);
}

#define HEADER                                                                                     \
    "answer,item,worker,kind,part,label,p,ms,confidence,truth,trial,marks,batch,study,generated\n"

static void test_broken_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *part;
    } cases[] = {
        {"1,i,w,hard,top,a,,,,,,,,,\n1,i,w,hard,top,b,,,,,,,,,\n", "in:2: a hard answer must name"},
        {"1,i,w,hard,dist,a,1,,,,,,,,\n", "in:2: an answer of kind hard has no part \"dist\""},
        {"1,i,w,firm,top,a,,,,,,,,,\n", "in:2: kind \"firm\" is unknown"},
        {"1,i,w,hard,top part,a,,,,,,,,,\n", "in:2: part \"top part\" is unknown"},
        {"1,,w,hard,top,a,,,,,,,,,\n", "in:2: an answer has no item"},
        {"1,i,w,hard,top,,,,,,,,,,\n", "in:2: the line names no class"},
        {"0,i,w,hard,top,a,,,,,,,,,\n", "in:2: answer \"0\" is not a number of at least 1"},
        {"2,i,w,hard,top,a,,,,,,,,,\n1,i,w,hard,top,a,,,,,,,,,\n",
         "in:3: answer \"1\" is not a number of at least 2"},
        {"1,i,w,select,top,a,,,,,,,,,\n1,i,v,select,top,b,,,,,,,,,\n",
         "in:3: answer 1 differs from its line 2"},
        {"1,i,w,dist,dist,a,,,,,,,,,\n", "in:2: p is empty"},
        {"1,i,w,dist,dist,a,.5,,,,,,,,\n1,i,w,dist,dist,a,.5,,,,,,,,\n",
         "in:3: the answer has part "},
        {"1,i,w,dist,dist,a,-1,,,,,,,,\n", "in:2: p \"-1\" is not a number from 0"},
        {"1,i,w,soft,top,a,nan,,,,,,,,\n", "in:2: p \"nan\" is not a number"},
        {"1,i,w,mix,a,a,.5,,,,,,,,\n", "in:2: a mix needs the parts a and b"},
        {"1,i,w,mix,a,a,.5,,,,,,,,\n1,i,w,mix,a,b,.5,,,,,,,,\n", "in:3: the answer has part \"a\""},
        {"1,i,w,hard,top,a,,x,,,,,,,\n", "in:2: ms \"x\""},
        {"1,i,w,hard,top,a,,,2,,,,,,\n", "in:2: confidence \"2\""},
        {"1,i,w,hard,top,a,,,,,-1,,,,\n", "in:2: trial \"-1\""},
        {"1,i,w,hard,top,a,,,,,,again,,,\n", "in:2: mark \"again\" is not one of repeat"},
        {"1,i,w,hard,top,a,,,,,,,,,2\n", "in:2: generated \"2\" is not a number from 0 to 1"},
        {"1,i,w,hard,top,a\n", "in:2: "},
        {"", "no answers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s", HEADER, cases[i].lines);
        assert_import_fails("answers-csv", text, NULL, cases[i].part);
    }
    assert_import_fails("answers-csv", "answer,item\n", NULL, "worker");
    static const char *const known[] = {"cat", "dog", NULL};
    const struct sl_import_options options = {.classes = known};
    assert_import_fails("answers-csv", HEADER "1,i,w,hard,top,dgo,,,,,,,,,\n", &options,
                        "in:2: unknown class \"dgo\", did you mean \"dog\"?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_answer_survives),
        cmocka_unit_test(test_broken_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
