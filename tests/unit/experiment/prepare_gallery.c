#include "experiment/prepare/prepare.h"

#include "support.h"

static const struct sl_data_roots nowhere = {0};

/* Two label sets for the first shapes, whose true classes are circle, square, star, circle, ... The
 * second has its classes in another order and case. */
static void write_labels(void)
{
    static const char first[] = "item,circle,square\nshapes-000001,0.75,0.25\n"
                                "shapes-000002,0.5,0.5\nshapes-000003,0,1\n";
    static const char second[] =
        "item,Square,Circle\nshapes-000003,1,0\nshapes-000001,0.125,0.875\n"
        "shapes-000002,1,0\n";
    static const char people[] = "item,annotator,circle,square\nshapes-000001,p,1,0\n"
                                 "shapes-000001,q,0.25,0.75\n";
    test_write(test_path("one.csv"), first, sizeof first - 1);
    test_write(test_path("two.csv"), second, sizeof second - 1);
    test_write(test_path("people.csv"), people, sizeof people - 1);
}

/* A step over both label sets with further members from a JSON object. */
static json_t *step_with(const char *rest)
{
    json_t *step = json_pack("{s:s, s:[[s, s], [s, s]]}", "prepare", "gallery", "series", "A",
                             test_path("one.csv"), "B", test_path("two.csv"));
    json_t *more = json_loads(rest, 0, NULL);
    assert_non_null(more);
    json_object_update(step, more);
    json_decref(more);
    write_labels();
    return step;
}

/* Takes the step. */
static struct sl_json prepare(json_t *step)
{
    struct sl_error err = {0};
    struct sl_json made = {0};
    const char *path = test_path("out.json");
    assert_ok(sl_prepare(step, path, &nowhere, &err), err);
    assert_ok(sl_json_read(path, 1 << 24, &made, &err), err);
    json_decref(step);
    return made;
}

static const json_t *item_at(const struct sl_json *made, size_t index)
{
    return json_array_get(json_object_get(made->root, "items"), index);
}

static double value_at(const json_t *item, size_t series, size_t class)
{
    const json_t *values = json_array_get(json_object_get(item, "values"), series);
    return json_number_value(json_array_get(values, class));
}

#define SHAPES "\"data\":\"shapes:n=12,size=8,classes=2\""
#define ALL    "\"items\":[\"shapes-000001\",\"shapes-000002\",\"shapes-000003\"]"

static void test_series_are_brought_to_the_same_classes(void **state)
{
    (void)state;
    struct sl_json made = prepare(step_with("{" SHAPES ",\"items\":[\"shapes-000001\"]}"));
    const json_t *item = item_at(&made, 0);
    assert_string_equal(sl_plan_text(item, "item"), "shapes-000001");
    assert_near(value_at(item, 0, 0), .75, 1e-6);
    assert_near(value_at(item, 1, 0), .875, 1e-6);
    assert_near(value_at(item, 1, 1), .125, 1e-6);
    assert_int_equal(strncmp(sl_plan_text(item, "png"), "iVBORw0KGgo", 11), 0);
    assert_non_null(sl_plan_text(item, "truth"));
    assert_int_equal(json_array_size(json_object_get(made.root, "classes")), 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(made.root, "series"), 1)),
                        "B");
    sl_json_release(&made);
}

static void test_without_images_the_distributions_are_there(void **state)
{
    (void)state;
    struct sl_json made = prepare(step_with("{" ALL ",\"count\":2}"));
    assert_int_equal(json_array_size(json_object_get(made.root, "items")), 2);
    assert_null(json_object_get(item_at(&made, 0), "png"));
    assert_null(json_object_get(item_at(&made, 0), "truth"));
    assert_near(value_at(item_at(&made, 1), 0, 1), .5, 1e-6);
    sl_json_release(&made);
}

static void test_items_come_from_what_a_command_printed(void **state)
{
    (void)state;
    char *rest = sl_string_printf("{\"items\":{\"output\":\"%s\",\"path\":\"$.rows[*].item\"}}",
                                  test_path("printed.json"));
    static const char printed[] = "{\"rows\":[{\"item\":\"shapes-000003\"},"
                                  "{\"item\":\"shapes-000001\"}]}";
    test_write(test_path("printed.json"), printed, sizeof printed - 1);
    struct sl_json made = prepare(step_with(rest));
    assert_string_equal(sl_plan_text(item_at(&made, 0), "item"), "shapes-000003");
    assert_string_equal(sl_plan_text(item_at(&made, 1), "item"), "shapes-000001");
    sl_json_release(&made);
    free(rest);
}

/* Without images the last series gives the classes: square for 3 and 2, circle for 1. */
static void test_items_are_chosen_by_class(void **state)
{
    (void)state;
    struct sl_json made = prepare(step_with("{" ALL ",\"class\":\"square\"}"));
    assert_int_equal(json_array_size(json_object_get(made.root, "items")), 2);
    assert_string_equal(sl_plan_text(item_at(&made, 0), "item"), "shapes-000002");
    sl_json_release(&made);
    made = prepare(step_with("{" ALL ",\"class\":[\"square\",\"circle\",\"square\"]}"));
    assert_string_equal(sl_plan_text(item_at(&made, 0), "item"), "shapes-000002");
    assert_string_equal(sl_plan_text(item_at(&made, 1), "item"), "shapes-000001");
    assert_string_equal(sl_plan_text(item_at(&made, 2), "item"), "shapes-000003");
    sl_json_release(&made);
}

static void test_true_classes_are_the_data_sets(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_dataset *shapes = NULL;
    assert_ok(sl_dataset_open("shapes:n=12,size=8,classes=2", &nowhere, &shapes, &err), err);
    struct sl_json made = prepare(step_with("{" SHAPES "," ALL "}"));
    for (size_t i = 0; i < 3; i++) {
        const char *name = sl_plan_text(item_at(&made, i), "item");
        size_t place = 0;
        while (strcmp(shapes->items[place], name) != 0)
            place++;
        assert_string_equal(sl_plan_text(item_at(&made, i), "truth"),
                            shapes->classes[shapes->labels[place]]);
    }
    sl_json_release(&made);
    sl_dataset_destroy(shapes);
}

static void test_one_of_several_rows_is_told_by_its_number(void **state)
{
    (void)state;
    for (int row = 1; row <= 2; row++) {
        write_labels();
        struct sl_json made =
            prepare(json_pack("{s:s, s:[[s, s]], s:[s], s:i}", "prepare", "gallery", "series", "P",
                              test_path("people.csv"), "items", "shapes-000001", "row", row));
        assert_near(value_at(item_at(&made, 0), 0, 0), row == 1 ? 1 : .25, 1e-6);
        sl_json_release(&made);
    }
}

static void test_mixed_images_are_pictures_without_a_true_class(void **state)
{
    (void)state;
    static const char labels[] = "item,circle,square\nmixed_0.5_A_1_B_2.png,0.5,0.5\n";
    test_write(test_path("mixed.csv"), labels, sizeof labels - 1);
    struct sl_json made =
        prepare(json_pack("{s:s, s:[[s, s]], s:[s], s:s, s:b}", "prepare", "gallery", "series", "M",
                          test_path("mixed.csv"), "items", "mixed_0.5_A_1_B_2.png", "data",
                          "shapes:n=12,size=8,classes=2", "mixed", 1));
    assert_non_null(sl_plan_text(item_at(&made, 0), "png"));
    assert_null(json_object_get(item_at(&made, 0), "truth"));
    sl_json_release(&made);
}

static void write_photograph(const char *name, size_t height, size_t width)
{
    struct sl_error err;
    struct sl_image image;
    assert_ok(sl_image_create(height, width, 3, &image, &err), err);
    assert_ok(sl_image_write_png(&image, NULL, test_path(name), &err), err);
    sl_image_release(&image);
}

/* A PNG in base 64 begins with its size. */
static void assert_picture_size(const json_t *item, uint8_t height, uint8_t width)
{
    const uint8_t head[24] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',  0, 0, 0, 13,
                              'I',  'H', 'D', 'R', 0,    0,    0,    width, 0, 0, 0, height};
    struct sl_buffer text;
    sl_buffer_init(&text, 1024);
    sl_base64_append(&text, head, sizeof head);
    assert_memory_equal(sl_plan_text(item, "png"), text.data, text.length);
    sl_buffer_release(&text);
}

static void test_photographs_of_any_size_are_shrunk_and_keep_their_shape(void **state)
{
    (void)state;
    static const char labels[] = "item,cat,dog\ncat/tall,0.5,0.5\ndog/wide,0.5,0.5\n"
                                 "dog/small,0.5,0.5\ndog/line,0.5,0.5\n";
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("photos/cat"), &err), err);
    assert_ok(sl_folder_create(test_path("photos/dog"), &err), err);
    write_photograph("photos/cat/tall.png", 400, 200);
    write_photograph("photos/dog/wide.png", 300, 600);
    write_photograph("photos/dog/small.png", 20, 30);
    write_photograph("photos/dog/line.png", 1, 1000);
    test_write(test_path("photos.csv"), labels, sizeof labels - 1);
    struct sl_json made =
        prepare(json_pack("{s:s, s:[[s, s]], s:[s, s, s, s], s:s}", "prepare", "gallery", "series",
                          "P", test_path("photos.csv"), "items", "cat/tall", "dog/wide",
                          "dog/small", "dog/line", "data", test_path("photos")));
    assert_picture_size(item_at(&made, 0), 128, 64);
    assert_picture_size(item_at(&made, 1), 64, 128);
    assert_picture_size(item_at(&made, 2), 20, 30);
    assert_picture_size(item_at(&made, 3), 1, 128);
    sl_json_release(&made);
}

static void test_what_cannot_be_shown_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *part;
    } rows[] = {
        {"{\"items\":[\"shapes-000009\"]}", "A has no item \"shapes-000009\""},
        {"{" SHAPES ",\"items\":[\"shapes-000099\"]}", "has no item \"shapes-000099\""},
        {"{" ALL ",\"class\":\"star\"}", "there is no class \"star\""},
        {"{" ALL ",\"class\":[\"circle\",\"circle\"]}",
         "of the 2 items left, none is of class \"circle\""},
        {"{\"items\":[]}", "there is no item to show"},
        {"{\"items\":[1]}", "$.items: expected a list of texts or an object"},
        {"{" ALL ",\"row\":2}", "A has 1 row of item \"shapes-000001\", not 2"},
        {"{\"data\":\"shapes:n=12,size=8,classes=3\"," ALL "}", "A has 2 classes, expected 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_error err = {0};
        json_t *step = step_with(rows[i].rest);
        assert_fails(sl_prepare(step, test_path("out.json"), &nowhere, &err), SL_ERR_INPUT, err,
                     rows[i].part);
        json_decref(step);
    }
    struct sl_error err = {0};
    test_write(test_path("items.json"), "{\"found\":[1]}", 13);
    json_t *listed = step_with("{}");
    json_object_set_new(
        listed, "items",
        json_pack("{s:s, s:s}", "output", test_path("items.json"), "path", "$.found[*]"));
    assert_fails(sl_prepare(listed, test_path("out.json"), &nowhere, &err), SL_ERR_INPUT, err,
                 "item 1 of the list is not a text");
    json_decref(listed);
    json_t *step = json_pack("{s:s, s:[[s, s]], s:[s]}", "prepare", "gallery", "series", "P",
                             test_path("people.csv"), "items", "shapes-000001");
    assert_fails(sl_prepare(step, test_path("out.json"), &nowhere, &err), SL_ERR_INPUT, err,
                 "P has 2 rows of item \"shapes-000001\"; choose one with \"row\"");
    json_decref(step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series_are_brought_to_the_same_classes),
        cmocka_unit_test(test_without_images_the_distributions_are_there),
        cmocka_unit_test(test_items_come_from_what_a_command_printed),
        cmocka_unit_test(test_items_are_chosen_by_class),
        cmocka_unit_test(test_true_classes_are_the_data_sets),
        cmocka_unit_test(test_one_of_several_rows_is_told_by_its_number),
        cmocka_unit_test(test_mixed_images_are_pictures_without_a_true_class),
        cmocka_unit_test(test_photographs_of_any_size_are_shrunk_and_keep_their_shape),
        cmocka_unit_test(test_what_cannot_be_shown_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
