#include "verdict/judge/judge.h"

#include "support.h"

static enum sl_scale_kind kind_at(const char *name, const char *scale, const char *part)
{
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_ok(sl_spec_read(name, scale, &spec, &err), err);
    const enum sl_scale_kind kind = sl_spec_scale_kind(spec, part);
    sl_spec_destroy(spec);
    return kind;
}

static void test_a_scale_is_judged_by_what_it_changes_of_each_part(void **state)
{
    (void)state;
    assert_int_equal(kind_at("collins2022/table1", "paper", NULL), SL_RUNS_ALL);
    assert_int_equal(kind_at("collins2022/table1", "small", NULL), SL_RUNS_FEWER);
    assert_int_equal(kind_at("collins2022/table2", "small", NULL), SL_RUNS_OTHER);
    assert_int_equal(kind_at("thesis2022/figure3.6", "small", NULL), SL_RUNS_FEWER);
    assert_int_equal(kind_at("uma2020/table2", "small", "pos"), SL_RUNS_FEWER);
    assert_int_equal(kind_at("uma2020/table2", "small", "labelme"), SL_RUNS_ALL);
    assert_int_equal(kind_at("uma2020/table2", "small", "cifar10h"), SL_RUNS_OTHER);
    assert_int_equal(kind_at("uma2020/table2", "small", NULL), SL_RUNS_OTHER);
    assert_int_equal(kind_at("uma2020/table2", "quick", "labelme"), SL_RUNS_FEWER);
}

static void test_fewer_runs_than_the_papers_are_never_its_scale(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_ok(sl_spec_read("uma2020/table2", "small", &spec, &err), err);
    const struct sl_outcome outcome = {.source = {.spec = spec}};
    /* as many runs as the scale plans, for a paper that does not print its number of runs */
    const struct sl_term_runs pos[] = {{5, 5, "pos"}, {5, 5, "pos"}};
    const struct sl_term_runs labelme[] = {{30, 30, "labelme"}, {30, 30, "labelme"}};
    const struct sl_term_runs images[] = {{3, 3, "cifar10h"}, {3, 3, "cifar10h"}};
    const struct sl_term_runs none[] = {{0, 5, "pos"}, {0, 5, "pos"}};
    assert_int_equal(sl_evidence_of(&outcome, pos, 2), SL_EVIDENCE_FEWER);
    assert_int_equal(sl_evidence_of(&outcome, labelme, 2), SL_EVIDENCE_PAPER);
    assert_int_equal(sl_evidence_of(&outcome, images, 2), SL_EVIDENCE_SMALL);
    assert_int_equal(sl_evidence_of(&outcome, none, 2), SL_EVIDENCE_FILES);
    assert_string_equal(sl_spec_part_of(spec, "labelme/softmax"), "labelme");
    assert_null(sl_spec_part_of(spec, "softmax"));
    sl_spec_destroy(spec);
}

static void test_cells_of_a_notebook_say_so_and_stand_for_one_run(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_expected *expected = NULL;
    size_t n_noted = 0, n_illegible = 0;
    assert_ok(sl_spec_read("peterson2019/table1", "paper", &spec, &err), err);
    assert_ok(sl_expected_read(spec->expected, "expected.csv", &expected, &err), err);
    for (size_t i = 0; i < expected->count; i++) {
        const struct sl_expected_row *row = &expected->rows[i];
        n_illegible += strcmp(row->status, "illegible") == 0;
        if (strcmp(row->status, "notebook") != 0) continue;
        n_noted++;
        assert_int_equal(row->n_runs, 1);
        assert_true(isfinite(row->value));
        assert_int_equal(strncmp(row->note, "authors' notebook", 17), 0);
    }
    assert_int_equal(n_noted, 38);
    assert_int_equal(n_illegible, 25);
    const struct sl_expected_row *row = sl_expected_find(expected, "resnet_basic_110/soft/c10h");
    assert_near(row->value, .346412, 0);
    sl_expected_destroy(expected);
    sl_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scale_is_judged_by_what_it_changes_of_each_part),
        cmocka_unit_test(test_fewer_runs_than_the_papers_are_never_its_scale),
        cmocka_unit_test(test_cells_of_a_notebook_say_so_and_stand_for_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
