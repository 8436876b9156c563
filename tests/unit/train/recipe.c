#include "train/recipe_internal.h"

#include "support.h"

static const char *write_recipe(const char *text)
{
    const char *path = test_path("recipe.json");
    test_write(path, text, strlen(text));
    return path;
}

#define HEAD "{\"softlab\":\"recipe\",\"version\":1,\"name\":\"mine\","

static void assert_same(const struct sl_recipe *a, const struct sl_recipe *b)
{
    json_t *left = sl_recipe_to_json(a), *right = sl_recipe_to_json(b);
    assert_true(json_equal(left, right));
    json_decref(left);
    json_decref(right);
}

/* ---- Reading ---- */

static void test_sections_win_over_the_ones_before_them(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_recipe recipe;
    const char *path =
        write_recipe(HEAD "\"settings\":{\"rate\":1,\"batch\":8,\"milestones\":[3,5]},"
                          "\"as-run\":{\"rate\":2},\"as-published\":{\"rate\":3,\"epochs\":7},"
                          "\"networks\":{\"resnet8\":{\"rate\":4,\"as-published\":{\"clip\":5}}}}");
    assert_ok(sl_recipe_read(path, "as-run", &recipe, &err), err);
    assert_near(recipe.rate, 2, 0);
    assert_int_equal(recipe.batch, 8);
    assert_int_equal(recipe.epochs, 10); /* the default */
    assert_int_equal(recipe.milestones.count, 2);
    assert_near(recipe.milestones.values[1], 5, 0);
    assert_string_equal(recipe.name, "mine");
    assert_string_equal(recipe.variant, "as-run");
    assert_ok(sl_recipe_read(path, "as-published", &recipe, &err), err);
    assert_near(recipe.rate, 3, 0);
    assert_int_equal(recipe.epochs, 7);
    assert_string_equal(recipe.variant, "as-published");
    assert_ok(sl_recipe_read_for(path, "as-published", "resnet8", &recipe, &err), err);
    assert_near(recipe.rate, 4, 0);
    assert_near(recipe.clip, 5, 0);
    assert_string_equal(recipe.network, "resnet8");
    assert_ok(sl_recipe_read_for(path, "as-run", "resnet20", &recipe, &err), err);
    assert_near(recipe.rate, 2, 0);
    assert_near(recipe.clip, 0, 0);
    assert_string_equal(recipe.network, "resnet20");
}

static void test_a_file_without_variants_is_the_same_in_both(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_recipe run, published;
    const char *path = write_recipe(HEAD "\"settings\":{\"network\":\"resnet8\"},"
                                         "\"networks\":{\"resnet8\":{\"epochs\":3}}}");
    assert_ok(sl_recipe_read(path, "as-run", &run, &err), err);
    assert_ok(sl_recipe_read(path, "as-published", &published, &err), err);
    assert_same(&run, &published);
    assert_int_equal(run.epochs, 3); /* the recipe's own network has a section */
}

static struct sl_recipe read_called(const struct sl_json *json, const char *called)
{
    struct sl_error err;
    struct sl_recipe recipe;
    assert_ok(sl_recipe_from_document(json, called, "as-run", NULL, &recipe, &err), err);
    assert_string_equal(recipe.name, called ? called : "a-b");
    return recipe;
}

static void test_a_name_chooses_the_network_and_the_form(void **state)
{
    (void)state;
    static const char text[] =
        "{\"softlab\":\"recipe\",\"version\":1,\"name\":\"a-b\",\"settings\":{\"epochs\":1},"
        "\"networks\":{\"n-1\":{\"batch\":2}},\"forms\":{\"slow\":{\"epochs\":3,"
        "\"networks\":{\"n-1\":{\"rate\":4}}},\"not-slow\":{\"epochs\":5,\"network\":\"own\"}}}";
    struct sl_error err;
    struct sl_json json;
    assert_ok(sl_json_parse(text, strlen(text), "memory", 1, &json, &err), err);
    struct sl_recipe recipe = read_called(&json, NULL);
    assert_int_equal(recipe.epochs, 1);
    recipe = read_called(&json, "a-b");
    assert_int_equal(recipe.epochs, 1);
    recipe = read_called(&json, "a-b-slow");
    assert_int_equal(recipe.epochs, 3);
    assert_int_equal(recipe.batch, 32);
    assert_string_equal(recipe.network, "");
    recipe = read_called(&json, "a-b-n-1-slow");
    assert_int_equal(recipe.epochs, 3);
    assert_int_equal(recipe.batch, 2);
    assert_near(recipe.rate, 4, 0);
    assert_string_equal(recipe.network, "n-1");
    recipe = read_called(&json, "a-b-not-slow");
    assert_int_equal(recipe.epochs, 5);
    assert_string_equal(recipe.network, "own");
    static const char *const strangers[] = {"a-b-fast", "a-bslow", "a-slow",  "a-b--slow",
                                            "a-b-",     "slow",    "a-b-slo", ""};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        assert_fails(sl_recipe_from_document(&json, strangers[i], "as-run", NULL, &recipe, &err),
                     SL_ERR_INPUT, err, "this file does not describe");
    sl_json_release(&json);
}

/* Each file has one mistake; the error names the file, the line and what is wrong. */
static void test_a_bad_file_is_one_sentence_with_file_line_and_nearest_key(void **state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {HEAD "\n\"settings\":{\n\"epoch\":3}}",
         "recipe.json:3: $.settings: unknown key \"epoch\", did you mean \"epochs\"?"},
        {HEAD "\n\"settings\":{},\n\"as-published\":{\"lr\":3}}",
         "recipe.json:3: $[\"as-published\"]: unknown key \"lr\""},
        {HEAD "\"settings\":{},\n\"networks\":{\"x\":{\n\"momentun\":1}}}",
         "recipe.json:3: $.networks.x: unknown key \"momentun\", did you mean \"momentum\"?"},
        {HEAD
         "\"settings\":{},\n\"forms\":{\"x\":{\"networks\":{\"y\":{\"as-run\":{\n\"flips\":1}}}}}}",
         "did you mean \"flip\"?"},
        {HEAD "\"settings\":{\"networks\":{}}}", "unknown key \"networks\""},
        {HEAD "\"setings\":{}}", "unknown key \"setings\", did you mean \"settings\"?"},
        {HEAD "\"settings\":{\"epochs\":0}}",
         "$.settings.epochs: expected an integer from 1 to 1000000, got 0"},
        {HEAD "\"settings\":{\"epochs\":2.5}}", "got 2.5"},
        {HEAD "\"settings\":{\"smooth\":1.5}}",
         "$.settings.smooth: expected a number from 0 to 1, got 1.5"},
        {HEAD "\"settings\":{\"flip\":1}}", "$.settings.flip: expected true or false, got 1"},
        {HEAD "\"settings\":{\"schedule\":\"cosin\"}}",
         "$.settings.schedule: no \"cosin\", did you mean \"cosine\"?"},
        {HEAD "\"settings\":{\"schedule\":3}}",
         "expected one of constant, step, segment, cosine, got 3"},
        {HEAD "\"settings\":{\"milestones\":[3,\"4\"]}}", "$.settings.milestones[1]: expected"},
        {HEAD "\"settings\":{\"milestones\":3}}", "expected a list of numbers, got 3"},
        {HEAD "\"settings\":{\"milestones\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}}",
         "expected at most 16 numbers, got 17"},
        {HEAD "\"settings\":[]}", "expected an object, got an array"},
        {HEAD "\"settings\":{},\"forms\":[]}", "$.forms: expected an object"},
        {HEAD "\"settings\":{},\"notes\":[1]}", "$.notes[0]: expected a string"},
        {HEAD "\"epochs\":3}", "unknown key \"epochs\""},
        {"{\"softlab\":\"recipe\",\"version\":1,\"name\":\"mine\"}", "missing key \"settings\""},
        {"{\"softlab\":\"recipe\",\"version\":1,\"settings\":{}}", "missing key \"name\""},
        {"{\"softlab\":\"recipe\",\"version\":1,\"name\":\"\",\"settings\":{}}",
         "$.name: expected"},
        {"{\"softlab\":\"recipe\",\"version\":2,\"name\":\"a\",\"settings\":{}}", "got 2"},
        {"{\"softlab\":\"study\",\"version\":1,\"name\":\"a\",\"settings\":{}}",
         "this file is something else"},
        {"[]", "expected an object, got an array"},
        {"{\"softlab\":", "recipe.json:1:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_recipe recipe = sl_recipe_default(), untouched = recipe;
        const char *path = write_recipe(cases[i].text);
        assert_fails(sl_recipe_read(path, "as-run", &recipe, &err), SL_ERR_INPUT, err,
                     cases[i].complaint);
        assert_non_null(strstr(err.message, "recipe.json:"));
        assert_memory_equal(&recipe, &untouched, sizeof recipe);
    }
}

static void test_a_name_that_is_none_is_refused_with_the_nearest(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_recipe recipe;
    struct sl_json json;
    assert_fails(sl_recipe_read("colins2022", "as-run", &recipe, &err), SL_ERR_NOT_FOUND, err,
                 "no recipe is called \"colins2022\", did you mean \"collins2022\"?");
    assert_fails(sl_recipe_read("peterson2019-wrn_28_10-scrach", "as-run", &recipe, &err),
                 SL_ERR_NOT_FOUND, err, "did you mean \"peterson2019-wrn_28_10-scratch\"?");
    assert_fails(sl_recipe_read("zzz", "as-run", &recipe, &err), SL_ERR_NOT_FOUND, err, "\"zzz\"");
    assert_fails(sl_recipe_document("zzz", &json, &err), SL_ERR_NOT_FOUND, err, "\"zzz\"");
    assert_fails(sl_recipe_read(test_path("none.json"), "as-run", &recipe, &err), SL_ERR_NOT_FOUND,
                 err, "none.json");
    assert_fails(sl_recipe_read("collins2022", "as-told", &recipe, &err), SL_ERR_USAGE, err,
                 "expected the variant as-run or as-published, got \"as-told\"");
    char longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_fails(sl_recipe_read_for("collins2022", "as-run", longest, &recipe, &err), SL_ERR_USAGE,
                 err, "at most 127 bytes");
}

/* ---- Keys ---- */

static void test_every_key_comes_back_from_its_json(void **state)
{
    (void)state;
    struct sl_error err;
    for (const struct sl_builtin_recipe *row = sl_builtin_recipes; row->name; row++) {
        struct sl_recipe recipe, again = sl_recipe_default();
        assert_ok(sl_recipe_read(row->name, "as-run", &recipe, &err), err);
        json_t *object = sl_recipe_to_json(&recipe);
        char *text = json_dumps(object, 0);
        struct sl_json json;
        assert_ok(sl_json_parse(text, strlen(text), "dump", 1, &json, &err), err);
        const struct sl_json_cursor root = sl_json_root(&json);
        assert_ok(sl_recipe_overlay(&again, &root, &err), err);
        assert_same(&recipe, &again);
        size_t count = 0;
        for (const struct sl_field_row *key = sl_recipe_keys; key->name; key++) {
            if (json_object_get(object, key->name))
                count++;
            else
                assert_string_equal(key->name, "network_options"); /* as it was before it */
        }
        assert_int_equal(json_object_size(object), count);
        sl_json_release(&json);
        free(text);
        json_decref(object);
    }
}

/* Fields that no key reaches would stay out of files and provenance: every byte of the struct
 * behind name and variant must belong to a key, padding aside. */
static void test_every_field_has_a_key_and_every_key_a_field_of_its_own(void **state)
{
    (void)state;
    static const size_t sizes[] = {[SL_FIELD_NAME] = SL_RECIPE_TEXT_MAX,
                                   [SL_FIELD_BOOLEAN] = sizeof(bool),
                                   [SL_FIELD_INTEGER] = sizeof(int64_t),
                                   [SL_FIELD_NUMBER] = sizeof(double),
                                   [SL_FIELD_REALS] = sizeof(struct sl_real_list),
                                   [SL_FIELD_ENUM] = sizeof(enum sl_reduction)};
    unsigned char owned[sizeof(struct sl_recipe)] = {0};
    size_t end = offsetof(struct sl_recipe, network), gap = 0;
    for (const struct sl_field_row *key = sl_recipe_keys; key->name; key++) {
        assert_non_null(key->help);
        for (size_t i = 0; i < sizes[key->kind]; i++)
            assert_int_equal(owned[key->offset + i]++, 0);
    }
    for (; end < sizeof owned; end++) {
        gap = owned[end] ? 0 : gap + 1;
        assert_true(gap < sizeof(double));
    }
}

static void test_defaults_are_within_their_ranges(void **state)
{
    (void)state;
    struct sl_error err;
    const struct sl_recipe recipe = sl_recipe_default();
    struct sl_recipe again = recipe;
    json_t *object = sl_recipe_to_json(&recipe);
    char *text = json_dumps(object, 0);
    struct sl_json json;
    assert_ok(sl_json_parse(text, strlen(text), "defaults", 1, &json, &err), err);
    const struct sl_json_cursor root = sl_json_root(&json);
    assert_ok(sl_recipe_overlay(&again, &root, &err), err);
    assert_same(&recipe, &again);
    assert_ok(sl_recipe_check(&recipe, &err), err);
    sl_json_release(&json);
    free(text);
    json_decref(object);
}

static void test_values_are_set_from_text(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_recipe recipe = sl_recipe_default();
    assert_ok(sl_recipe_set(&recipe, "rate", "5e-2", &err), err);
    assert_ok(sl_recipe_set(&recipe, "epochs", "12", &err), err);
    assert_ok(sl_recipe_set(&recipe, "flip", "true", &err), err);
    assert_ok(sl_recipe_set(&recipe, "shuffle", "false", &err), err);
    assert_ok(sl_recipe_set(&recipe, "milestones", "80,120", &err), err);
    assert_ok(sl_recipe_set(&recipe, "schedule", "segment", &err), err);
    assert_ok(sl_recipe_set(&recipe, "crowd", "vw+b", &err), err);
    assert_ok(sl_recipe_set(&recipe, "network", "resnet:n=3", &err), err);
    assert_near(recipe.rate, .05, 0);
    assert_int_equal(recipe.epochs, 12);
    assert_true(recipe.flip);
    assert_false(recipe.shuffle);
    assert_int_equal(recipe.milestones.count, 2);
    assert_near(recipe.milestones.values[1], 120, 0);
    assert_int_equal(recipe.schedule, SL_SCHEDULE_SEGMENT);
    assert_int_equal(recipe.crowd, SL_CROWD_VWB);
    assert_string_equal(recipe.network, "resnet:n=3");
    assert_ok(sl_recipe_set(&recipe, "milestones", "", &err), err);
    assert_int_equal(recipe.milestones.count, 0);
    assert_ok(sl_recipe_set(&recipe, "network", "", &err), err);
    assert_string_equal(recipe.network, "");
}

static void test_text_that_is_no_value_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"epochs", "ten", "epochs: expected an integer from 1 to 1000000, got \"ten\""},
        {"epochs", "0", "got \"0\""},
        {"epochs", "", "got \"\""},
        {"rate", "-1", "rate: expected a number from 0 to 1000, got \"-1\""},
        {"rate", "nan", "got \"nan\""},
        {"flip", "yes", "flip: expected true or false, got \"yes\""},
        {"draw", "best", "draw: expected one of mean, annotator, sample, got \"best\""},
        {"draw", "", "draw: expected one of"},
        {"factors", "1,,2", "factors: expected numbers from 1e-12 to 1000, at most 16"},
        {"factors", "1,", "got \"1,\""},
        {"learning", "1", "a recipe has no key \"learning\""},
        {"epoch", "1", "a recipe has no key \"epoch\", did you mean \"epochs\"?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_recipe recipe = sl_recipe_default();
        const struct sl_recipe before = recipe;
        assert_fails(sl_recipe_set(&recipe, cases[i][0], cases[i][1], &err), SL_ERR_USAGE, err,
                     cases[i][2]);
        assert_same(&recipe, &before);
    }
    struct sl_error err;
    struct sl_recipe recipe = sl_recipe_default();
    char longest[SL_RECIPE_TEXT_MAX + 1];
    memset(longest, 'x', SL_RECIPE_TEXT_MAX);
    longest[SL_RECIPE_TEXT_MAX] = '\0';
    assert_fails(sl_recipe_set(&recipe, "dev", longest, &err), SL_ERR_USAGE, err,
                 "dev: expected at most 127 bytes of text");
    longest[SL_RECIPE_TEXT_MAX - 1] = '\0';
    assert_ok(sl_recipe_set(&recipe, "dev", longest, &err), err);
    assert_string_equal(recipe.dev, longest);
}

static void test_several_values_are_set_at_once_or_none(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_recipe recipe = sl_recipe_default();
    assert_ok(sl_recipe_set_all(&recipe, "epochs=3,milestones=1,2,factors=.1,.5,rate=0.05", &err),
              err);
    assert_int_equal(recipe.epochs, 3);
    assert_int_equal(recipe.milestones.count, 2);
    assert_int_equal(recipe.factors.count, 2);
    assert_near(recipe.factors.values[1], .5, 0);
    assert_near(recipe.rate, .05, 0);
    assert_ok(sl_recipe_set_all(&recipe, "", &err), err);
    assert_ok(sl_recipe_set_all(&recipe, "holdout=,beta1=.5", &err), err);
    assert_string_equal(recipe.holdout, "");
    assert_near(recipe.beta1, .5, 0);
    const struct sl_recipe before = recipe;
    assert_fails(sl_recipe_set_all(&recipe, "epochs=9,rat=3", &err), SL_ERR_USAGE, err,
                 "a recipe has no key \"rat\", did you mean \"rate\"?");
    assert_fails(sl_recipe_set_all(&recipe, "epochs", &err), SL_ERR_USAGE, err,
                 "expected key=value, got \"epochs\"");
    assert_fails(sl_recipe_set_all(&recipe, "epochs=3,", &err), SL_ERR_USAGE, err, "got \"3,\"");
    assert_fails(sl_recipe_set_all(&recipe, "=3", &err), SL_ERR_USAGE, err, "expected key=value");
    assert_same(&recipe, &before);
}

static void test_an_overlay_is_applied_whole_or_not_at_all(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_json json;
    struct sl_recipe recipe = sl_recipe_default();
    const struct sl_recipe before = recipe;
    static const char text[] = "{\"epochs\":3,\n\"rate\":-1}";
    assert_ok(sl_json_parse(text, strlen(text), "spec.json", 1, &json, &err), err);
    const struct sl_json_cursor root = sl_json_root(&json);
    assert_fails(sl_recipe_overlay(&recipe, &root, &err), SL_ERR_INPUT, err,
                 "spec.json:2: $.rate: expected a number from 0 to 1000, got -1");
    assert_same(&recipe, &before);
    sl_json_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections_win_over_the_ones_before_them),
        cmocka_unit_test(test_a_file_without_variants_is_the_same_in_both),
        cmocka_unit_test(test_a_name_chooses_the_network_and_the_form),
        cmocka_unit_test(test_a_bad_file_is_one_sentence_with_file_line_and_nearest_key),
        cmocka_unit_test(test_a_name_that_is_none_is_refused_with_the_nearest),
        cmocka_unit_test(test_every_key_comes_back_from_its_json),
        cmocka_unit_test(test_every_field_has_a_key_and_every_key_a_field_of_its_own),
        cmocka_unit_test(test_defaults_are_within_their_ranges),
        cmocka_unit_test(test_values_are_set_from_text),
        cmocka_unit_test(test_text_that_is_no_value_is_refused),
        cmocka_unit_test(test_several_values_are_set_at_once_or_none),
        cmocka_unit_test(test_an_overlay_is_applied_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
