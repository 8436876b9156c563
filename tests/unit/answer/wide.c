/* Matrices whose first row or column holds names, holds answers, or could be either. */
#include "answer_support.h"

enum { DOUBT_HEADER, DOUBT_ID, SETTLED };

static void test_names_are_told_from_answers_or_asked_about(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int outcome;
        size_t count;
        const char *item, *annotator, *label; /* of the first answer */
    } cases[] = {
        {"ann,bob,eve\ncat,dog,cat\ncat,,dog\ndog,dog,dog\n", SETTLED, 8, "0", "ann", "cat"},
        {"id,ann,bob\nx1,cat,dog\nx2,cat,cat\nx3,dog,dog\n", SETTLED, 6, "x1", "ann", "cat"},
        {"ann bob\ncat dog\ncat cat\ndog dog\n", SETTLED, 6, "0", "ann", "cat"},
        {"x1,cat,dog\nx2,cat,cat\nx3,dog,dog\n", SETTLED, 6, "x1", "1", "cat"},
        {"7,1,2\n8,2,2\n9,1,1\n10,2,1\n", SETTLED, 8, "7", "1", "1"},
        {"w1,w2\n0,1\n1,1\n0,0\n", SETTLED, 6, "0", "w1", "0"},
        {"q,w1,w2\nx,1,1\ny,1,0\nz,0,0\n", SETTLED, 6, "x", "w1", "1"},
        {"cat,dog\ndog,cat\ncat,cat\n", SETTLED, 6, "0", "0", "cat"},
        {"id,1\n1,dog\n2,cat\n3,cat\n", SETTLED, 3, "1", "1", "dog"},
        {",,cat\ncat,dog,cat\ndog,dog,cat\n", SETTLED, 7, "0", "2", "cat"},
        {"1,0,1\n0,0,1\n1,1,1\n", SETTLED, 9, "0", "0", "1"},
        {"cat,cat\ndog,dog\ndog,bird\n", DOUBT_HEADER, 0, NULL, NULL, NULL},
        {"cat,dog\ncat,cat\n", DOUBT_HEADER, 0, NULL, NULL, NULL},
        {",annotator,annotator\nimg1,cat,dog\nimg2,dog,dog\nimg3,cat,cat\n", DOUBT_HEADER, 0, NULL,
         NULL, NULL},
        {"foo,ann1,,\nimg0,,,dog\nimg1,cat,,cat\nimg2,dog,dog,cat\n", DOUBT_HEADER, 0, NULL, NULL,
         NULL},
        {"item,cat,dog\nx,cat,dog\ny,dog,cat\n", DOUBT_HEADER, 0, NULL, NULL, NULL},
        {"1 -1 0\n-1 1 0\n", SETTLED, 4, "0", "0", "1"},
        {",0,1,2\n0,1,0,1\n1,1,0,0\n2,0,0,1\n3,1,1,0\n", DOUBT_HEADER, 0, NULL, NULL, NULL},
        {"0,1\n0,0\n1,1\n", DOUBT_HEADER, 0, NULL, NULL, NULL},
        {"a,b\ncat,dog\n", DOUBT_HEADER, 0, NULL, NULL, NULL},
        {"1,1,2\n2,2,2\n3,1,3\n", DOUBT_ID, 0, NULL, NULL, NULL},
        {"foo,ann0,ann1,ann2\nimg0,dog,cat,dog\nimg0,cat,dog,cat\nimg1,cat,cat,dog\n", DOUBT_ID, 0,
         NULL, NULL, NULL},
        {"fish,cat,dog\nbird,dog,cat\n", DOUBT_ID, 0, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].outcome != SETTLED) {
            assert_import_fails("wide", cases[i].text, NULL,
                                cases[i].outcome == DOUBT_HEADER
                                    ? "give --header yes or --header no"
                                    : "give --id-column 1 or --id-column none");
            continue;
        }
        struct sl_answers *answers = import_text("wide", cases[i].text, NULL);
        assert_int_equal(answers->count, cases[i].count);
        assert_hard(answers, 0, cases[i].item, cases[i].annotator, cases[i].label);
        sl_answers_destroy(answers);
    }
}

static void test_what_is_said_goes_before_what_is_seen(void **state)
{
    (void)state;
    static const char counted[] = ",0,1,2\n0,1,0,1\n1,1,0,0\n2,0,0,1\n3,1,1,0\n";
    struct sl_import_options options = {.header = SL_PRESENT};
    struct sl_answers *answers = import_text("wide", counted, &options);
    assert_int_equal(answers->count, 12);
    assert_hard(answers, 0, "0", "0", "1");
    sl_answers_destroy(answers);
    options = (struct sl_import_options){.header = SL_ABSENT, .id_column = "none"};
    answers = import_text("wide", "x,y\ny,x\nz,x\n", &options);
    assert_int_equal(answers->count, 6);
    assert_hard(answers, 0, "0", "0", "x");
    sl_answers_destroy(answers);
    options = (struct sl_import_options){.id_column = "doc"};
    answers = import_text("wide", "ann,doc,bob\ncat,x1,dog\ncat,x2,cat\ndog,x3,dog\n", &options);
    assert_hard(answers, 1, "x1", "bob", "dog");
    sl_answers_destroy(answers);
    options.id_column = "4";
    assert_import_fails("wide", "ann,doc,bob\ncat,x1,dog\ncat,x2,cat\n", &options,
                        "no column \"4\"");
}

static void test_a_column_that_is_no_annotators_is_refused_or_used(void **state)
{
    (void)state;
    assert_import_fails("wide",
                        "item,text,ann,bob\nx1,foo,cat,dog\nx2,bar,cat,cat\nx3,baz,dog,dog\n", NULL,
                        "column 2 text has a different value in every row");
    assert_import_fails("wide", "id,a,b\n1,cat,dog\n1,cat,cat\n2,dog,dog\n", NULL,
                        "in:3: column 1 names an item twice");
    assert_import_fails("wide", "id,a,a\n1,cat,dog\n2,cat,cat\n3,dog,dog\n",
                        &(struct sl_import_options){.header = SL_PRESENT},
                        "columns 2 and 3 are both called a");
    assert_import_fails("wide", "foo,ann1,,\nimg0,,,dog\nimg1,cat,,cat\nimg2,dog,dog,cat\n",
                        &(struct sl_import_options){.header = SL_PRESENT}, "column 3 has no name");
    assert_import_fails("wide", "id;a;b\n1;cat;dog\n", NULL, "separated by semicolons");
    struct sl_answers *answers = import_text(
        "wide", "item,ann,bob,truth\nx1,cat,dog,cat\nx2,cat,cat,cat\nx3,dog,dog,bird\n", NULL);
    assert_int_equal(answers->count, 6);
    assert_int_equal(answers->n_classes, 3);
    assert_string_equal(answers->classes[get_answer(answers, 5).truth], "bird");
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_told_from_answers_or_asked_about),
        cmocka_unit_test(test_what_is_said_goes_before_what_is_seen),
        cmocka_unit_test(test_a_column_that_is_no_annotators_is_refused_or_used),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
