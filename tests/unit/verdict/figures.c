#include "outcome_scene.h"

/* Six runs of the scene's table, in three layouts that programs may write. */
static const char wide[] = "set,network,seed,t/cross_entropy,u/cross_entropy,t/accuracy\n"
                           "a,n1,1,1.0,1,0.80\na,n1,2,1.2,1,0.82\na,n1,3,1.4,1,0.84\n"
                           "b,n1,1,1.5,,0.7\nb,n1,2,1.6,1.15,0.7\nb,n1,3,2.0,1.2,0.7\n";
static const char tall[] =
    "spec,scale,variant,set,network,seed,metric,value\n"
    "x,paper,as-run,a,n1,1,t/cross_entropy,1.0\nx,paper,as-run,a,n1,1,u/cross_entropy,1\n"
    "x,paper,as-run,a,n1,1,t/accuracy,0.80\nx,paper,as-run,a,n1,2,t/cross_entropy,1.2\n"
    "x,paper,as-run,a,n1,2,u/cross_entropy,1\nx,paper,as-run,a,n1,2,t/accuracy,0.82\n"
    "x,paper,as-run,a,n1,3,t/cross_entropy,1.4\nx,paper,as-run,a,n1,3,u/cross_entropy,1\n"
    "x,paper,as-run,a,n1,3,t/accuracy,0.84\nx,paper,as-run,b,n1,1,t/cross_entropy,1.5\n"
    "x,paper,as-run,b,n1,1,t/accuracy,0.7\nx,paper,as-run,b,n1,2,t/cross_entropy,1.6\n"
    "x,paper,as-run,b,n1,2,u/cross_entropy,1.15\nx,paper,as-run,b,n1,2,t/accuracy,0.7\n"
    "x,paper,as-run,b,n1,3,t/cross_entropy,2.0\nx,paper,as-run,b,n1,3,u/cross_entropy,1.2\n"
    "x,paper,as-run,b,n1,3,t/accuracy,0.7\n";
#define RUN(set, seed, figures)                                                                    \
    "{\"softlab\":\"result\",\"spec\":\"x\",\"set\":\"" set "\",\"network\":\"n1\",\"seed\":" seed \
    ",\"metrics\":{" figures "}}\n"
static const char lines[] = RUN("a", "1",
                                "\"t/cross_entropy\":1.0,\"u/cross_entropy\":1,\"t/accuracy\":0.80")
    RUN("a", "2", "\"t/cross_entropy\":1.2,\"u/cross_entropy\":1,\"t/accuracy\":0.82")
        RUN("a", "3", "\"t/cross_entropy\":1.4,\"u/cross_entropy\":1,\"t/accuracy\":0.84") RUN(
            "b", "1", "\"t/cross_entropy\":1.5,\"u/cross_entropy\":null,\"t/accuracy\":0.7")
            RUN("b", "2", "\"t/cross_entropy\":1.6,\"u/cross_entropy\":1.15,\"t/accuracy\":0.7")
                RUN("b", "3", "\"t/cross_entropy\":2.0,\"u/cross_entropy\":1.2,\"t/accuracy\":0.7");

static const char *write_file(const char *name, const char *text)
{
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    return path;
}

/* The scene's folder, as --spec names it. */
static struct sl_figures_for for_scene(const char **spec)
{
    *spec = test_path("spec");
    return (struct sl_figures_for){spec, 1};
}

static enum sl_status read_csv(struct sl_results *results, const char *text, struct sl_error *err)
{
    const char *spec;
    const struct sl_figures_for purpose = for_scene(&spec);
    return sl_results_read_csv(results, write_file("figures.csv", text), &purpose, err);
}

static char *render(const struct sl_results *results)
{
    const char *spec = test_path("spec");
    const struct sl_report_options options = {.specs = &spec, .n_specs = 1};
    struct sl_report *report;
    struct sl_buffer out;
    struct sl_error err;
    sl_buffer_init(&out, 1 << 24);
    assert_ok(sl_verdict_report(results, &options, &report, &err), err);
    assert_ok(sl_report_render(report, sl_report_format_find("html"), &out, &err), err);
    char *text = sl_string_copy(out.data);
    sl_buffer_release(&out);
    sl_report_destroy(report);
    return text;
}

static void test_the_same_figures_give_the_same_report_however_they_are_written(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *one = sl_results_create(), *two = sl_results_create(),
                      *three = sl_results_create();
    assert_ok(sl_results_read(one, write_file("lines.jsonl", lines), &err), err);
    assert_ok(read_csv(two, wide, &err), err);
    assert_ok(read_csv(three, tall, &err), err);
    char *by_lines = render(one), *by_rows = render(two), *by_figures = render(three);
    assert_non_null(strstr(by_lines, "1.200"));
    assert_string_equal(by_lines, by_rows);
    assert_string_equal(by_lines, by_figures);
    free(by_lines);
    free(by_rows);
    free(by_figures);
    sl_results_destroy(one);
    sl_results_destroy(two);
    sl_results_destroy(three);
}

static void test_a_slip_is_an_error_with_its_line_and_the_nearest_word(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"set,sed,t/accuracy\na,1,1\n",
         "figures.csv:1: column \"sed\" is neither one of spec, scale, variant, part, set, "
         "network, seed, fold, metric, value nor a figure named test/metric, did you mean "
         "\"set\"?"},
        {"network,t/accuracy\nn1,1\n", "no column \"set\""},
        {"set,seed\na,1\n", "figures.csv:1: no column has figures: name columns test/metric"},
        {"set,metric\na,t/accuracy\n", "both columns \"metric\" and \"value\""},
        {"set,metric,value,t/accuracy\na,t/accuracy,1,1\n", "exclude columns named test/metric"},
        {"set,t/acuracy\na,1\n",
         "figures.csv:1: x has no figure \"t/acuracy\", did you mean \"t/accuracy\"?"},
        {"set,metric,value\na,t/accuracy,1\na,t/accurcy,1\n",
         "figures.csv:3: x has no figure \"t/accurcy\", did you mean \"t/accuracy\"?"},
        {"set,t/accuracy\na,1\nd,1\n", "figures.csv:3: x has no set \"d\"; it is one of: a, b, c"},
        {"set,t/accuracy\n\xff,1\n", "figures.csv:2: \"set\" is not UTF-8"},
        {"set,t/accuracy\n,1\n", "figures.csv:2: \"set\" is empty"},
        {"set,network,t/accuracy\na,n2,1\n", "x has no network \"n2\", did you mean \"n1\"?"},
        {"set,part,t/accuracy\na,p,1\n", "x has no parts"},
        {"set,spec,t/accuracy\na,y,1\n", "figures.csv:2: no specification is called \"y\""},
        {"set,spec,t/accuracy\na,collins2022/tabel2,1\n", "did you mean \"collins2022/table2\"?"},
        {"set,spec,scale,t/accuracy\na,collins2022/table2,quik,1\n",
         "collins2022/table2 has no scale \"quik\", did you mean \"quick\"?"},
        {"set,scale,t/accuracy\na,quick,1\n", "figures.csv:2: x has no scale \"quick\""},
        {"set,variant,t/accuracy\na,as-runs,1\n", "no variant is called \"as-runs\""},
        {"set,seed,t/accuracy\na,one,1\n", "figures.csv:2: column \"seed\""},
        {"set,t/accuracy\na,good\n", "figures.csv:2: t/accuracy: \"good\" is not a number; leave "
                                     "the field empty if the run has no such figure"},
        {"set,t/accuracy\na,nan\n", "\"nan\" is not a number"},
        {"set,t/cross_entropy\na,1e999\n", "\"1e999\" is not a number"},
        {"set,metric,value\na,t/accuracy,\n", "\"\" is not a number; leave the row out"},
        {"set,t/accuracy\na,81.5\n", "t/accuracy: 81.5 is not a share; give 0 to 1, not per cent"},
        {"set,seed,t/accuracy\na,1,1\na,2,1\na,1,1\n",
         "figures.csv:4: same run as in line 2; give"},
        {"set,metric,value\na,t/accuracy,1\na,t/accuracy,1\n",
         "figures.csv:3: an earlier line has t/accuracy of the same run; give"},
        {"set;t/accuracy\na;1\n", "separated by semicolons"},
        {"", "figures.csv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err = {0};
        struct sl_results *results = sl_results_create();
        assert_fails(read_csv(results, cases[i].text, &err), SL_ERR_INPUT, err, cases[i].part);
        assert_int_equal(results->n_runs, 0);
        sl_results_destroy(results);
    }
}

static void test_a_table_by_part_or_network_needs_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"spec,set,cifar10h/accuracy\numa2020/table2,hard,1\n", "\"part\" is missing"},
        {"spec,part,set,cifar10h/accuracy\numa2020/table2,cifar,hard,1\n", "has no part \"cifar\""},
        {"spec,set,c10h/cross_entropy\npeterson2019/table1,soft,1\n", "\"network\" is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err = {0};
        struct sl_results *results = sl_results_create();
        const struct sl_figures_for nothing = {NULL, 0};
        assert_fails(
            sl_results_read_csv(results, write_file("parts.csv", cases[i].text), &nothing, &err),
            SL_ERR_INPUT, err, cases[i].part);
        sl_results_destroy(results);
    }
}

static void test_figures_say_or_are_told_which_table_they_are_for(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_results *results = sl_results_create();
    const struct sl_figures_for nothing = {NULL, 0};
    const char *path = write_file("plain.csv", "set,cifar10h/cross_entropy\nt2-clamp,1.5\n");
    assert_fails(sl_results_read_csv(results, path, &nothing, &err), SL_ERR_INPUT, err,
                 "plain.csv:2: the specification of the figures is not given");
    const char *names[] = {"collins2022/table2", "collins2022/table3"};
    const struct sl_figures_for two = {names, 2}, one = {names, 1};
    assert_fails(sl_results_read_csv(results, path, &two, &err), SL_ERR_INPUT, err,
                 "the specification of the figures is not given");
    assert_ok(sl_results_read_csv(results, path, &one, &err), err);
    assert_int_equal(results->n_runs, 1);
    assert_string_equal(results->runs[0].spec, "collins2022/table2");
    assert_fails(sl_results_read_csv(results, path, &one, &err), SL_ERR_INPUT, err,
                 "plain.csv:2: second result of the same run");
    sl_results_destroy(results);
}

/* A result line and a plan that lists only this run. */
#define PLANNED                                                                                    \
    "{\"softlab\":\"plan\",\"key\":\"p\",\"spec\":\"x\",\"scale\":\"paper\",\"variant\":\"as-"     \
    "run\","                                                                                       \
    "\"runs\":{\"k\":1}}\n{\"softlab\":\"result\",\"key\":\"k\",\"spec\":\"x\",\"scale\":"         \
    "\"paper\","                                                                                   \
    "\"variant\":\"as-run\",\"set\":\"a\",\"network\":\"n1\",\"seed\":1,"                          \
    "\"metrics\":{\"t/accuracy\":0.75}}\n"

static void test_figures_stand_beside_runs_of_softlab_and_never_in_their_place(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec;
    struct sl_outcome *outcome = NULL;
    struct sl_results *results = sl_results_create();
    assert_ok(sl_spec_read(test_path("spec"), "paper", &spec, &err), err);
    const struct sl_outcome_source own = {.spec = spec, .results = results, .variant = "as-run"};
    assert_ok(sl_results_read(results, write_file("run.jsonl", PLANNED), &err), err);
    assert_ok(read_csv(results, "set,network,seed,t/accuracy\na,n1,2,0.5\n", &err), err);
    assert_ok(sl_outcome_create(&own, &outcome, &err), err);
    assert_int_equal(find_cell(outcome, "a/accuracy")->here.n_runs, 2);
    assert_near(find_cell(outcome, "a/accuracy")->here.mean, 62.5, 1e-12);
    sl_outcome_destroy(outcome);
    assert_ok(read_csv(results, "set,network,seed,t/accuracy\na,n1,1,0.5\n", &err), err);
    assert_fails(sl_outcome_create(&own, &outcome, &err), SL_ERR_INPUT, err,
                 "x: second result of the same run, set \"a\", network \"n1\", seed 1;");
    sl_spec_destroy(spec);
    sl_results_destroy(results);
}

static void test_figures_are_read_after_what_they_are_for(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const struct sl_figures_for nothing = {NULL, 0};
    struct sl_spec *spec;
    struct sl_results *results = sl_results_create();
    assert_ok(sl_spec_read(test_path("spec"), "paper", &spec, &err), err);
    json_t *record = sl_spec_record(spec);
    char *line = json_dumps(record, JSON_COMPACT), figures[256], lines_path[512], csv_path[512];
    snprintf(figures, sizeof figures, "spec,set,network,seed,t/accuracy\n%s,a,n1,2,0.5\n",
             spec->name);
    snprintf(csv_path, sizeof csv_path, "%s", write_file("own.csv", figures));
    snprintf(lines_path, sizeof lines_path, "%s", write_file("own.jsonl", line));
    char *paths[] = {csv_path, lines_path};
    assert_ok(sl_results_read_all(results, paths, 2, &nothing, &err), err);
    assert_int_equal(results->n_runs, 1);
    sl_results_destroy(results);
    results = sl_results_create();
    assert_fails(sl_results_read_all(results, paths, 1, &nothing, &err), SL_ERR_INPUT, err,
                 "no specification is called");
    sl_results_destroy(results);
    free(line);
    json_decref(record);
    sl_spec_destroy(spec);
}

static int set_up_spec(void **state)
{
    (void)state;
    sl_spec_destroy(scene_read());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_figures_give_the_same_report_however_they_are_written),
        cmocka_unit_test(test_a_slip_is_an_error_with_its_line_and_the_nearest_word),
        cmocka_unit_test(test_a_table_by_part_or_network_needs_them),
        cmocka_unit_test(test_figures_say_or_are_told_which_table_they_are_for),
        cmocka_unit_test(test_figures_stand_beside_runs_of_softlab_and_never_in_their_place),
        cmocka_unit_test(test_figures_are_read_after_what_they_are_for),
    };
    return cmocka_run_group_tests(tests, set_up_spec, test_folder_clear);
}
