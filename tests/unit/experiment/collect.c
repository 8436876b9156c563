#include "experiment/run/runner.h"

#include "support.h"

/* A training, the scores of its network, and their outputs in a folder. */
struct fixture {
    struct sl_experiment experiment;
    struct sl_experiment_runner runner;
    struct sl_job jobs[3];
    size_t needs[1];
    size_t scores[2];
    struct sl_run run;
    char folder[300];
};

static char output_of_training[] = "runs/a/weights.safetensors",
            output_of_scores[] = "cache/b.json", output_of_figure[] = "cache/c.json";
static char spec[] = "paper/table", scale[] = "quick", variant[] = "as-run", set[] = "soft",
            network[] = "resnet8", title[] = "soft, resnet8, seed 3";

static void put_file(const struct fixture *fixture, const char *name, const char *text)
{
    char *path = sl_path_join(fixture->folder, name);
    test_write(path, text, strlen(text));
    free(path);
}

static void make_folders(const struct fixture *fixture)
{
    static const char *const names[] = {"runs/a", "cache"};
    struct sl_error err = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = sl_path_join(fixture->folder, names[i]);
        assert_ok(sl_folder_create(path, &err), err);
        free(path);
    }
}

static void write_files(const struct fixture *fixture)
{
    make_folders(fixture);
    put_file(fixture, "runs/a/log.jsonl",
             "{\"epoch\":1,\"loss\":2.5,\"accuracy\":0.25,\"seconds\":9}\n"
             "{\"epoch\":2,\"loss\":1.5,\"accuracy\":0.5,\"score\":0.125}\n{\"epoch\":3");
    put_file(fixture, "runs/a/run.json",
             "{\"settings\":{\"data_sha256\":\"d0\",\"tuning_sha256\":\"e1\"}}");
    put_file(fixture, output_of_scores,
             "{\"classes\":[\"cat\",\"dog\"],\"tests\":{"
             "\"people\":{\"n\":4,\"metrics\":{\"accuracy_hard\":0.75,\"cross_entropy\":1.25},"
             "\"attacks\":{\"pgd\":{\"loss\":3,\"losses\":[1,2,3]}},"
             "\"reliability\":[[0,0.1,2,0.05,0.5]],\"gallery\":[1]},"
             "\"far#1\":{\"n\":30,\"metrics\":{\"accuracy\":0.5},\"gallery\":[2]},"
             "\"far#2\":{\"n\":10,\"metrics\":{\"accuracy\":0.9}}}}");
    put_file(fixture, output_of_figure, "{\"cross_entropy\":0.625,\"items\":7,\"name\":\"x\"}");
}

static void fixture_init(struct fixture *fixture, const char *name)
{
    *fixture = (struct fixture){
        .experiment = {.name = spec, .scale = scale, .variant = variant, .kind = "result"},
        .run = {.key = "k", .title = title, .set = set, .network = network, .seed = 3, .fold = -1},
    };
    snprintf(fixture->folder, sizeof fixture->folder, "%s", test_path(name));
    fixture->jobs[0] = (struct sl_job){
        .output = output_of_training,
        .title = title,
        .step = json_pack("{s:[s, s, s], s:s, s:{}}", "command", "train", "--seed", "3", "network",
                          network, "recipe"),
        .network = network,
    };
    fixture->jobs[1] = (struct sl_job){
        .output = output_of_scores,
        .title = title,
        .step =
            json_pack("{s:[s, s], s:b, s:{}}", "command", "eval", "runs/a", "stdout", 1, "tests"),
        .needs = fixture->needs,
        .n_needs = 1,
    };
    fixture->jobs[2] = (struct sl_job){
        .output = output_of_figure,
        .title = title,
        .step = json_pack("{s:s}", "prepare", "labels"),
        .needs = fixture->needs,
        .n_needs = 1,
    };
    fixture->experiment.jobs = fixture->jobs;
    fixture->experiment.n_jobs = 3;
    fixture->scores[0] = 1;
    fixture->scores[1] = 2;
    fixture->run.scores = fixture->scores;
    fixture->run.n_scores = 2;
    fixture->run.training = 0;
    fixture->run.seconds = (double)NAN;
    fixture->runner.folder = fixture->folder;
    write_files(fixture);
}

static void fixture_release(struct fixture *fixture)
{
    for (size_t i = 0; i < 3; i++)
        json_decref(fixture->jobs[i].step);
}

static json_t *collected(const struct fixture *fixture)
{
    struct sl_error err = {0};
    json_t *line = NULL;
    assert_ok(sl_collect(&fixture->experiment, &fixture->run, &fixture->runner, 12.34, &line, &err),
              err);
    return line;
}

static void assert_json(const json_t *object, const char *key, const char *expected)
{
    const json_t *value = json_object_get(object, key);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    assert_string_equal(text ? text : "nothing", expected);
    free(text);
}

static void test_a_line_says_which_run_it_is_of(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "head");
    json_t *line = collected(&fixture);
    static const char *const members[][2] = {
        {"softlab", "\"result\""},  {"version", "1"},
        {"key", "\"k\""},           {"spec", "\"paper/table\""},
        {"scale", "\"quick\""},     {"variant", "\"as-run\""},
        {"part", "null"},           {"set", "\"soft\""},
        {"network", "\"resnet8\""}, {"seed", "3"},
        {"fold", "null"},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_json(line, members[i][0], members[i][1]);
    json_decref(line);
    fixture_release(&fixture);
}

static void test_scores_are_gathered_from_all_files(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "scores");
    fixture.run.renamed = json_pack("{s:s}", "people/accuracy_hard", "people/accuracy");
    json_t *line = collected(&fixture), *metrics = json_object_get(line, "metrics");
    assert_int_equal(json_object_size(metrics), 3);
    assert_json(metrics, "people/accuracy", "0.75");
    assert_json(metrics, "people/cross_entropy", "1.25");
    assert_near(json_number_value(json_object_get(metrics, "far/accuracy")),
                (30 * .5 + 10 * .9) / 40, 1e-15);
    assert_json(line, "attacks", "{\"people/pgd\":[1,2,3]}");
    assert_json(line, "reliability",
                "{\"people\":[[0,0.10000000000000001,2,0.050000000000000003,0.5]]}");
    assert_json(line, "gallery", "[1]");
    assert_json(line, "classes", "[\"cat\",\"dog\"]");
    json_decref(fixture.run.renamed);
    json_decref(line);
    fixture_release(&fixture);
}

static void test_a_line_has_the_curve_and_hashes_of_its_training(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "training");
    json_t *line = collected(&fixture), *provenance = json_object_get(line, "provenance");
    assert_json(line, "curve", "[[1,2.5,0.25,null],[2,1.5,0.5,0.125]]");
    assert_json(provenance, "data_sha256", "\"d0\"");
    assert_json(provenance, "tuning_sha256", "\"e1\"");
    assert_json(line, "annotation_seconds", "null");
    assert_near(json_number_value(json_object_get(json_object_get(line, "time"), "seconds")), 12.3,
                1e-9);
    json_decref(line);
    fixture_release(&fixture);
}

static void test_a_line_has_every_command_behind_it_in_order(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "commands");
    json_t *line = collected(&fixture);
    assert_json(line, "commands",
                "[[\"train\",\"--seed\",\"3\",\"--output\",\"runs/a\"],"
                "[\"eval\",\"runs/a\",\"--tests\",\"cache/b.json.tests\",\"--json\"],"
                "[\"#\",\"cache/c.json\",\"{\\\"prepare\\\":\\\"labels\\\"}\"]]");
    json_decref(line);
    fixture_release(&fixture);
}

static void test_what_was_not_scored_and_what_people_took_is_said(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "absent");
    fixture.run.absent = json_pack("{s:s}", "far", "not here");
    fixture.run.seconds = 7.5;
    json_t *line = collected(&fixture);
    assert_json(line, "absent", "{\"far\":\"not here\"}");
    assert_json(line, "annotation_seconds", "7.5");
    json_decref(fixture.run.absent);
    json_decref(line);
    fixture_release(&fixture);
}

static void test_measured_seconds_stand_over_stated_ones(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "measured");
    put_file(&fixture, "cache/m.json", "{\"seconds\":[4,5]}");
    fixture.run.seconds = 7.5;
    fixture.run.measured = json_pack("{s:{s:s, s:s}}", SL_ANSWER_SECONDS, "output", "cache/m.json",
                                     "path", "$.seconds[1]");
    json_t *line = collected(&fixture);
    assert_json(line, "annotation_seconds", "5.0");
    assert_json(json_object_get(line, "metrics"), SL_ANSWER_SECONDS, "5.0");
    json_decref(fixture.run.measured);
    json_decref(line);
    fixture_release(&fixture);
}

static void test_figures_that_need_no_training_are_a_line_of_their_own(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "figures");
    fixture.run.training = SL_NO_JOB;
    fixture.run.set = fixture.run.network = NULL;
    fixture.run.seed = -1;
    fixture.run.figures = json_pack("{s:{s:s, s:s, s:f}}", "row/mean", "output", output_of_figure,
                                    "path", "$.cross_entropy", "times", 2.0);
    json_t *line = collected(&fixture);
    assert_json(line, "computed", "{\"row/mean\":1.25}");
    assert_json(line, "set", "null");
    assert_null(json_object_get(line, "metrics"));
    assert_null(json_object_get(line, "curve"));
    json_decref(fixture.run.figures);
    json_decref(line);
    fixture_release(&fixture);
}

static void test_files_that_are_not_there_or_broken_are_named(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct fixture fixture;
    json_t *line = NULL;
    fixture_init(&fixture, "broken");
    put_file(&fixture, output_of_scores, "{\"tests\":");
    assert_fails(sl_collect(&fixture.experiment, &fixture.run, &fixture.runner, 0, &line, &err),
                 SL_ERR_INPUT, err, output_of_scores);
    write_files(&fixture);
    char *log = sl_path_join(fixture.folder, "runs/a/log.jsonl");
    assert_int_equal(unlink(log), 0);
    assert_fails(sl_collect(&fixture.experiment, &fixture.run, &fixture.runner, 0, &line, &err),
                 SL_ERR_NOT_FOUND, err, "runs/a/log.jsonl");
    assert_null(line);
    free(log);
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_says_which_run_it_is_of),
        cmocka_unit_test(test_scores_are_gathered_from_all_files),
        cmocka_unit_test(test_a_line_has_the_curve_and_hashes_of_its_training),
        cmocka_unit_test(test_a_line_has_every_command_behind_it_in_order),
        cmocka_unit_test(test_what_was_not_scored_and_what_people_took_is_said),
        cmocka_unit_test(test_measured_seconds_stand_over_stated_ones),
        cmocka_unit_test(test_figures_that_need_no_training_are_a_line_of_their_own),
        cmocka_unit_test(test_files_that_are_not_there_or_broken_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
