#include "softlab/experiment.h"

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/dataset/image.h"
#include "support.h"

static const struct sl_data_roots nowhere = {0};

/* Write an image of `side` pixels below the test's folder. */
static void draw(const char *name, size_t side)
{
    struct sl_error err = {0};
    uint8_t *pixels = sl_alloc(side * side * 3, 1);
    const struct sl_image image = {side, side, 3, pixels};
    char *path = sl_string_copy(test_path(name)), *slash = strrchr(path, '/');
    *slash = '\0';
    assert_ok(sl_folder_create(path, &err), err);
    *slash = '/';
    assert_ok(sl_image_write_png(&image, NULL, path, &err), err);
    free(path);
    free(pixels);
}

/* Write a specification and return its document, which the caller owns. */
static json_t *document(const struct sl_spec_init *init)
{
    struct sl_error err = {0};
    char *path = NULL;
    assert_ok(sl_spec_init(init, &path, &err), err);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    free(path);
    return root;
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void test_a_set_without_parts_is_split_by_share(void **state)
{
    (void)state;
    const struct sl_spec_init init = {
        .data = "shapes:n=40,size=8", .folder = test_path("mine"), .roots = &nowhere};
    struct sl_error err = {0};
    struct sl_spec *spec = NULL;
    struct sl_experiment *plan = NULL;
    const struct sl_experiment_options options = {.roots = &nowhere};
    json_t *root = document(&init);
    char *text = json_dumps(root, JSON_COMPACT);
    assert_string_equal(text, "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"shapes\","
                              "\"data\":\"shapes:n=40,size=8\",\"split\":\"share:0.8\","
                              "\"sets\":{\"hard\":{}},\"networks\":[\"resnet8\"],"
                              "\"tests\":{\"new\":{\"data\":\"shapes:n=40,size=8\","
                              "\"split\":\"rest\"}}}");
    free(text);
    json_decref(root);
    assert_true(sl_file_exists(test_path("mine/README.md")));
    assert_ok(sl_spec_read(init.folder, "quick", &spec, &err), err);
    assert_ok(sl_experiment_create(spec, &options, &plan, &err), err);
    assert_int_equal(plan->n_runs, 3); /* one set, one network, three seeds */
    assert_null(plan->runs[0].missing);
    sl_experiment_destroy(plan);
    sl_spec_destroy(spec);
}

static void test_a_folder_is_trained_and_tested_on_its_parts(void **state)
{
    (void)state;
    static const char *const files[] = {"own/photos/train/cat/1.png", "own/photos/train/dog/1.png",
                                        "own/photos/val/cat/2.png", "own/photos/val/dog/2.png"};
    for (size_t i = 0; i < 4; i++)
        draw(files[i], i == 0 ? 9 : 8);
    struct sl_error err = {0};
    const char *answers = test_path("own/votes.csv");
    const char *data = test_path("own/photos/");
    assert_ok(sl_file_write(answers, "item,worker,label\n", 18, &err), err);
    const struct sl_spec_init init = {
        .data = data, .answers = answers, .folder = test_path("own"), .roots = &nowhere};
    json_t *root = document(&init);
    const json_t *test = json_object_get(json_object_get(root, "tests"), "new");
    const json_t *votes = json_object_get(json_object_get(root, "sets"), "votes");
    assert_string_equal(text_at(root, "name"), "photos");
    assert_string_equal(text_at(root, "data"), "{spec}/photos:train");
    assert_string_equal(text_at(test, "data"), "{spec}/photos:val");
    assert_null(text_at(root, "split"));
    assert_string_equal(text_at(root, "size"), "32x32"); /* the images differ in size */
    assert_string_equal(text_at(votes, "answers"), "{spec}/votes.csv");
    assert_int_equal(json_object_size(json_object_get(root, "sets")), 3);
    json_decref(root);
}

static void test_what_cannot_be_begun_is_said(void **state)
{
    (void)state;
    draw("flat/1.png", 8);
    draw("flat/2.png", 8);
    const struct {
        struct sl_spec_init init;
        enum sl_status status;
        const char *message;
    } rows[] = {
        {{"nowhere-at-all", NULL, test_path("new"), &nowhere}, SL_ERR_NOT_FOUND, "nowhere-at-all"},
        {{"shapes:n=8", "no.csv", test_path("new"), &nowhere},
         SL_ERR_NOT_FOUND,
         "no.csv: no such file of answers"},
        {{test_path("flat"), NULL, test_path("new"), &nowhere},
         SL_ERR_INPUT,
         "an experiment needs two or more"},
        {{"shapes:n=8", NULL, test_path("mine"), &nowhere}, SL_ERR_USAGE, "is there already"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_error err = {0};
        char *path = NULL;
        assert_fails(sl_spec_init(&rows[i].init, &path, &err), rows[i].status, err,
                     rows[i].message);
        assert_null(path);
    }
    assert_false(sl_folder_exists(test_path("new"))); /* nothing is left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_set_without_parts_is_split_by_share),
        cmocka_unit_test(test_a_folder_is_trained_and_tested_on_its_parts),
        cmocka_unit_test(test_what_cannot_be_begun_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
