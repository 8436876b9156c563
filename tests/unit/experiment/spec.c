#include "experiment/spec/spec_internal.h"

#include "support.h"

static void test_every_specification_built_in_is_read_at_every_scale(void **state)
{
    (void)state;
    struct sl_error err = {0};
    size_t count = 0;
    for (; sl_builtin_specs[count]; count++) {
        static const char *const scales[] = {"quick", "small", "paper"};
        for (size_t i = 0; i < 3; i++) {
            struct sl_spec *spec = NULL;
            assert_ok(sl_spec_read(sl_builtin_specs[count], scales[i], &spec, &err), err);
            assert_string_equal(spec->name, sl_builtin_specs[count]);
            assert_non_null(spec->claims);
            sl_spec_destroy(spec);
        }
    }
    assert_true(count >= 44);
}

#define HEAD                                                                                       \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\"needs\":[],\n"

static enum sl_status read_text(const char *text, const char *scale, struct sl_spec **out,
                                struct sl_error *err)
{
    struct sl_error own;
    const char *path = test_path("spec.json");
    assert_ok(sl_file_write(path, text, strlen(text), &own), own);
    return sl_spec_read(path, scale, out, err);
}

static void test_a_scale_merges_objects_and_replaces_the_rest(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_ok(read_text(HEAD "\"sets\":{\"a\":{\"labels\":null},\"b\":{\"labels\":null}},"
                             "\"settings\":{\"epochs\":60,\"rate\":0.5},\"networks\":[\"big\"],"
                             "\"scales\":{\"quick\":{\"settings\":{\"epochs\":2},"
                             "\"networks\":[\"small\"],\"sets\":[\"b\"]}}}",
                        "quick", &spec, &err),
              err);
    const struct sl_spec_design *design = &spec->body->design;
    assert_int_equal(json_integer_value(json_object_get(design->settings, "epochs")), 2);
    assert_near(json_number_value(json_object_get(design->settings, "rate")), .5, 0);
    assert_int_equal(design->networks.count, 1);
    assert_string_equal(design->networks.items[0], "small");
    assert_null(sl_spec_set_find(&design->sets, "a"));
    assert_non_null(sl_spec_set_find(&design->sets, "b"));
    /* The document keeps all sets. */
    assert_int_equal(json_object_size(json_object_get(spec->document.root, "sets")), 2);
    sl_spec_destroy(spec);
}

static void test_a_scale_reaches_into_parts(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_ok(read_text(HEAD "\"parts\":{\"p\":{\"seeds\":[1,2,3],\"recipe\":\"r\"},\"q\":{}},"
                             "\"scales\":{\"quick\":{\"seeds\":[1],"
                             "\"parts\":{\"p\":{\"items\":7}}}}}",
                        "quick", &spec, &err),
              err);
    const struct sl_spec_design *p = &spec->body->parts.items[0];
    assert_string_equal(spec->body->parts.names[0], "p");
    assert_int_equal(p->seeds.count, 1);
    assert_int_equal(p->items, 7);
    assert_string_equal(p->recipe, "r");
    assert_int_equal(spec->body->parts.items[1].items, 0);
    sl_spec_destroy(spec);
}

/* `words` are separated by spaces. */
static void assert_list(const struct sl_text_list *list, const char *words)
{
    char text[200] = "";
    for (size_t i = 0, used = 0; i < list->count; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", list->items[i]);
    assert_string_equal(text, words);
}

static void test_the_table_that_sets_and_tests_make_may_be_left_out(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_ok(read_text("{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\","
                        "\"parts\":{\"p\":{\"sets\":{\"a\":{\"labels\":null}},"
                        "\"networks\":[\"resnet8\",\"resnet20\"]}},"
                        "\"tests\":{\"t\":{\"metrics\":[\"accuracy\",\"rms_calibration\"]},"
                        "\"u\":{\"metrics\":[\"accuracy\"]}}}",
                        "paper", &spec, &err),
              err);
    const struct sl_spec_table *table = spec->body->table;
    assert_list(&spec->body->needs, "train");
    assert_list(&table->rows, "part set network");
    assert_list(&table->columns, "t/accuracy t/rms_calibration u/accuracy");
    assert_list(&table->pool, "seed fold");
    assert_string_equal(table->interval, "t95");
    assert_int_equal(table->cells.count, 0);
    sl_spec_destroy(spec);
}

static void test_what_is_left_out_has_defaults(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    const struct sl_experiment_options options = {0};
    assert_ok(
        read_text("{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"data\":\"shapes\","
                  "\"sets\":{\"a\":{}},\"networks\":[\"resnet8\"],"
                  "\"tests\":{\"t\":{\"data\":\"shapes\"}}}",
                  "quick", &spec, &err),
        err);
    assert_string_equal(spec->body->title, "x");
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    assert_int_equal(plan->n_runs, 3);
    assert_int_equal(plan->runs[2].seed, 3);
    char *step = json_dumps(plan->jobs[plan->runs[0].scores[0]].step, JSON_COMPACT);
    assert_non_null(strstr(step, "\"metrics\":[\"accuracy\",\"cross_entropy\"]"));
    assert_non_null(strstr(step, "\"--recipe\",\"quick\""));
    free(step);
    sl_experiment_destroy(plan);
    sl_spec_destroy(spec);
}

static void test_a_specification_goes_through_a_line_of_results(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL, *back = NULL;
    const char *text = HEAD "\"settings\":{\"epochs\":60},"
                            "\"scales\":{\"quick\":{\"settings\":{\"epochs\":2}}}}";
    assert_ok(read_text(text, "quick", &spec, &err), err);
    spec->claims = sl_string_copy("claim\n");
    json_t *line = sl_spec_record(spec);
    assert_string_equal(json_string_value(json_object_get(line, "softlab")), "spec");
    assert_int_equal(strlen(json_string_value(json_object_get(line, "key"))), 64);
    /* The line holds the specification as written, at any scale. */
    assert_ok(sl_spec_from_record(line, "paper", &back, &err), err);
    assert_string_equal(back->name, "x");
    assert_string_equal(back->claims, "claim\n");
    assert_null(back->expected);
    const json_t *settings = back->body->design.settings;
    assert_int_equal(json_integer_value(json_object_get(settings, "epochs")), 60);
    sl_spec_destroy(back);
    json_object_del(line, "document");
    assert_fails(sl_spec_from_record(line, "paper", &back, &err), SL_ERR_INPUT, err,
                 "the results hold no document of the specification x");
    json_decref(line);
    sl_spec_destroy(spec);
}

#define GRID(set)                                                                                  \
    "{\"parameter\":\"lr\",\"grid\":[0.1],\"validation\":\"fold\",\"metric\":\"accuracy\","        \
    "\"seeds\":[1],\"sets\":[\"" set "\"]}"
#define ANSWERS "\"answers\":\"a.csv\",\"method\":\"mv\""

/* The papers' specifications have both, with options in different orders. */
static void test_words_may_stand_beside_what_they_say(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_ok(read_text(HEAD "\"sets\":{\"a\":{" ANSWERS ",\"options\":{\"tie\":\"first\"},"
                             "\"labels\":[\"labels\",\"a.csv\",\"--tie\",\"first\",\"--method\","
                             "\"mv\"]}}}",
                        "quick", &spec, &err),
              err);
    sl_spec_destroy(spec);
}

static const struct {
    const char *text, *part;
} mistakes[] = {
    {HEAD "\"netwroks\":[]}", "spec.json:2: $"},
    {HEAD "\"netwroks\":[]}", "networks"},
    {HEAD "\"seeds\":[\"1\"]}", "spec.json:2: $.seeds: expected a list of numbers"},
    {HEAD "\"sets\":{\"a\":{\"labels\":null,\n\"draw\":\"men\"}}}",
     "spec.json:3: $.sets.a.draw: \"men\" is not one of: mean, annotator, sample, each"},
    {HEAD "\"sets\":{\"a\":{\"labels\":null,\"only\":\"f.npz\"}}}",
     "$.sets.a.only: no file of \"files\" is called \"f.npz\""},
    {HEAD "\"tests\":{\"t\":{\"labels\":\"ref\"}}}", "no reference is called \"ref\""},
    {HEAD "\"tests\":{\"t\":{\"data\":[\"a\",\"b\"],\"metrics\":[\"rms_calibration\"]}}}",
     "$.tests.t.metrics[0]: \"rms_calibration\" is not a mean over items"},
    {HEAD "\"scales\":{\"quick\":{\"sets\":[\"c\"]}}}", "no set is called \"c\""},
    {HEAD "\"scales\":{\"quick\":{\"stands_for\":{\"a\":\"b\"}}}}",
     "$.scales.quick.stands_for.a: expected one of \"networks\""},
    {HEAD "\"files\":{\"f\":[1]}}", "$.files.f: expected a list of texts"},
    {HEAD "\"tests\":{\"t\":{\"metrics\":[]}}}", "$.tests.t.metrics: is empty"},
    {HEAD "\"table\":{\"rows\":[],\"columns\":[],\"pool\":[],\"interval\":\"sd\","
          "\"cells\":{\"a\":\"a/ce\"}}}",
     "$.table.cells.a: has no column; write"},
    {HEAD "\"absent\":{\"a/ce\":3}}", "$.absent[\"a/ce\"]: expected text"},
    {HEAD "\"names\":{\"a\":\"x\"}}", "$.names.a: expected a number"},
    {HEAD "\"plot\":{\"x\":\"time\",\"series\":{}}}", "$.plot.x: "},
    {HEAD "\"plot\":{\"x\":\"count\",\"serie\":{}}}", "$.plot"},
    {HEAD "\"sets\":{\"a\":{\"labels\":null}},"
          "\"plot\":{\"x\":\"count\",\"series\":{\"s\":[\"a\",\"b\"]}}}",
     "$.plot.series.s[1]: no set is called \"b\""},
    {HEAD "\"sets\":{\"a\":{\"labels\":null}},"
          "\"plot\":{\"x\":\"seconds\",\"series\":{\"s\":[\"a\"]}}}",
     "$.plot.series.s: \"seconds_per_answer\" has no number for this series"},
    {HEAD "\"tune\":[{\"parameter\":\"lr\",\"grid\":[0.1],\"validation\":\"fold\","
          "\"metric\":\"temperature\",\"seeds\":[1]}]}",
     "$.tune[0].metric: \"temperature\" has no direction that is better"},
    {HEAD "\"tune\":[{\"parameter\":\"lr\",\"grid\":[0.1],\"validation\":\"fold\","
          "\"metric\":\"acuracy\",\"seeds\":[1]}]}",
     "$.tune[0].metric: no measure is called \"acuracy\", did you mean \"accuracy\"?"},
    {HEAD "\"size\":\"100000x100000\"}", "$.size: \"100000x100000\" is too large"},
    {HEAD "\"size\":\"0x32\"}", "$.size: \"0x32\" is not a size"},
    {HEAD "\"channels\":2}", "$.channels: expected 1 (grey) or 3 (colour)"},
    {HEAD "\"channels\":1.0}", "$.channels: expected 1 (grey) or 3 (colour)"},
    {HEAD "\"skip_broken\":1}", "$.skip_broken: expected true or false"},
    {HEAD "\"holdout\":\"share:.5\"}", "$.holdout: \"share:.5\" is for \"split\""},
    {HEAD "\"items\":0}", "$.items: expected an integer of at least 1, got 0"},
    {HEAD "\"folds\":2.5}", "$.folds: expected an integer"},
    {HEAD "\"sets\":{\"a\":{\"count\":2}}}", "$.sets.a.count: has no effect on hard labels"},
    {HEAD "\"sets\":{\"a\":{\"labelled\":2}}}", "$.sets.a.labelled: has no effect on hard labels"},
    {HEAD
     "\"sets\":{\"a\":{\"answers\":\"a\",\"method\":\"mv\",\"labelled\":2,\"rest\":\"hard\"}}}",
     "$.sets.a.labelled: has no effect beside \"rest\""},
    {HEAD "\"sets\":{\"a\":{\"answers\":\"a\",\"method\":\"mv\",\"labelled\":2,\"count\":1}}}",
     "$.sets.a.labelled: has no effect beside \"count\""},
    {HEAD "\"sets\":{\"a\":{" ANSWERS ",\"count\":-1}}}", "$.sets.a.count: expected an integer"},
    {HEAD "\"sets\":{\"a\":{\"answers\":\"a.csv\",\"method\":\"majority\"}}}",
     "$.sets.a.method: \"majority\" is called \"mv\" here"},
    {HEAD "\"sets\":{\"a\":{\"extra\":{\"images\":\"i\",\"answers\":\"a.csv\"}}}}",
     "$.sets.a.extra: \"answers\" and \"method\" go together"},
    {HEAD "\"sets\":{\"a\":{" ANSWERS ",\"labels\":null}}}", "$.sets.a.labels: differs from"},
    {HEAD "\"sets\":{\"a\":{" ANSWERS ",\"labels\":[\"labels\",\"b.csv\",\"--method\","
          "\"mv\"]}}}",
     "$.sets.a.labels: differs from \"answers\", \"method\" and \"options\""},
    {HEAD "\"references\":{\"a\":{" ANSWERS ",\"labels\":[\"labels\",\"a.csv\"]}}}",
     "$.references.a.labels: differs from"},
    {HEAD "\"sets\":{\"a\":{\"dev_labels\":\"ref\"}}}",
     "$.sets.a.dev_labels: no reference is called \"ref\""},
    {HEAD "\"sets\":{\"a\":{\"as_run\":{\"vgg11\":0.1}}}}",
     "$.sets.a.as_run.vgg11: expected an object"},
    {HEAD "\"tests\":{\"t\":{\"settings\":{\"attack_labels\":\"soft\"}}}}",
     "$.tests.t.settings.attack_labels: \"soft\" is not one of: hard"},
    {HEAD "\"tests\":{\"t\":{\"settings\":{\"attack_labels\":1}}}}",
     "$.tests.t.settings.attack_labels: expected one of hard, got 1"},
    {HEAD "\"tests\":{\"t\":{\"split\":\"fold\"}}}", "$.tests.t.split: \"fold\" needs \"folds\""},
    {HEAD "\"sets\":{\"a\":{\"train\":false}},\"tune\":[" GRID("a") "]}",
     "$.tune[0].sets[0]: set \"a\" trains nothing"},
    {HEAD "\"parts\":{\"p\":{}},\"tune\":[" GRID("a") "]}",
     "$.tune: cannot be combined with \"parts\""},
    {HEAD "\"tests\":{\"t\":{\"settings\":{\"atack\":\"x\"}}}}",
     "$.tests.t.settings: unknown key \"atack\", did you mean \"attack\"?"},
    {HEAD "\"sets\":{\"a\":{}},\"tune\":[" GRID("b") "]}",
     "$.tune[0].sets[0]: no set is called \"b\""},
    {"{\"softlab\":\"experiment\"}", "\"version\" is missing"},
    {"[]", "expected an object"},
};

static void test_mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct sl_error err = {0};
        struct sl_spec *spec = NULL;
        assert_fails(read_text(mistakes[i].text, "quick", &spec, &err), SL_ERR_INPUT, err,
                     mistakes[i].part);
        assert_null(spec);
    }
}

static void test_an_unknown_name_suggests_the_nearest(void **state)
{
    (void)state;
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    assert_fails(sl_spec_read("collins2022/tabel2", "quick", &spec, &err), SL_ERR_NOT_FOUND, err,
                 "did you mean \"collins2022/table2\"?");
    assert_fails(sl_spec_read("collins2022/table2", "huge", &spec, &err), SL_ERR_USAGE, err,
                 "has no scale \"huge\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_specification_built_in_is_read_at_every_scale),
        cmocka_unit_test(test_a_scale_merges_objects_and_replaces_the_rest),
        cmocka_unit_test(test_a_scale_reaches_into_parts),
        cmocka_unit_test(test_the_table_that_sets_and_tests_make_may_be_left_out),
        cmocka_unit_test(test_what_is_left_out_has_defaults),
        cmocka_unit_test(test_a_specification_goes_through_a_line_of_results),
        cmocka_unit_test(test_words_may_stand_beside_what_they_say),
        cmocka_unit_test(test_mistakes_are_named_with_their_place),
        cmocka_unit_test(test_an_unknown_name_suggests_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
