#include "experiment/prepare/prepare.h"

#include "softlab/base/array.h"
#include "softlab/base/rows.h"
#include "support.h"

static const struct sl_data_roots nowhere = {0};

/* Takes the step. */
static void prepare(json_t *step, const char *output)
{
    struct sl_error err = {0};
    assert_ok(sl_prepare(step, output, &nowhere, &err), err);
    json_decref(step);
}

static size_t *indices(const char *path, size_t n_items, size_t *count)
{
    struct sl_error err = {0};
    size_t *items = NULL;
    assert_ok(sl_split_read(path, n_items, &items, count, &err), err);
    return items;
}

static void test_a_share_and_the_rest_are_all_items_once(void **state)
{
    (void)state;
    bool seen[40] = {false};
    for (int rest = 0; rest < 2; rest++) {
        const char *path = test_path("share.npy");
        json_t *step = json_pack("{s:s, s:s, s:s, s:i}", "prepare", "items", "data", "shapes:n=40",
                                 "split", "share:0.75", "seed", 3);
        if (rest) json_object_set_new(step, "rest", json_true());
        prepare(step, path);
        size_t count;
        size_t *items = indices(path, 40, &count);
        assert_int_equal(count, rest ? 10 : 30);
        for (size_t i = 0; i < count; i++) {
            assert_false(seen[items[i]]);
            seen[items[i]] = true;
        }
        free(items);
    }
}

static void test_folds_hold_out_every_item_once(void **state)
{
    (void)state;
    size_t held[30] = {0}, trained[30] = {0};
    for (int fold = 0; fold < 3; fold++) {
        for (int held_out = 0; held_out < 2; held_out++) {
            const char *path = test_path("fold.npy");
            prepare(json_pack("{s:s, s:s, s:i, s:i, s:b}", "prepare", "items", "data",
                              "shapes:n=30", "folds", 3, "fold", fold, "held_out", held_out),
                    path);
            size_t count;
            size_t *items = indices(path, 30, &count);
            assert_int_equal(count, held_out ? 10 : 20);
            for (size_t i = 0; i < count; i++)
                (held_out ? held : trained)[items[i]]++;
            free(items);
        }
    }
    for (size_t i = 0; i < 30; i++) {
        assert_int_equal(held[i], 1);
        assert_int_equal(trained[i], 2);
    }
}

static void test_the_first_items_of_a_seeded_order_depend_on_the_seed(void **state)
{
    (void)state;
    size_t *drawn[2];
    for (int seed = 0; seed < 2; seed++) {
        size_t count;
        const char *path = test_path("first.npy");
        prepare(json_pack("{s:s, s:s, s:i, s:i}", "prepare", "items", "data", "shapes:n=60",
                          "first", 9, "seed", seed),
                path);
        drawn[seed] = indices(path, 60, &count);
        assert_int_equal(count, 9);
        for (size_t i = 1; i < count; i++)
            assert_true(drawn[seed][i - 1] < drawn[seed][i]);
    }
    assert_memory_not_equal(drawn[0], drawn[1], 9 * sizeof *drawn[0]);
    free(drawn[0]);
    free(drawn[1]);
}

/* ---- Label sets ---- */

static void write_csv(const char *path, const char *text)
{
    struct sl_error err = {0};
    assert_ok(sl_file_write(path, text, strlen(text), &err), err);
}

static struct sl_rows *read_rows(const char *path, const char *array)
{
    struct sl_error err = {0};
    struct sl_rows *rows = NULL;
    assert_ok(sl_rows_read(path, array, &rows, &err), err);
    return rows;
}

static void test_labels_are_cut_hardened_and_filled(void **state)
{
    (void)state;
    const char *input = test_path("in.csv"), *names = test_path("names.jsonl");
    const char *rest = test_path("rest.csv"), *output = test_path("out.npz");
    write_csv(input, "item,Cat,Dog\na,0.4,0.6\nb,0.9,0.1\nc,0.5,0.5\n");
    write_csv(names, "{\"softlab\":\"answers\"}\n{\"item\":\"c\",\"x\":1}\n{\"item\":\"a\"}\n");
    write_csv(rest, "item,dog,cat\na,1,0\nd,0.25,0.75\n");
    prepare(json_pack("{s:s, s:s, s:s, s:s, s:b}", "prepare", "labels", "input", input, "only",
                      names, "rest", rest, "harden", 1),
            output);
    struct sl_rows *rows = read_rows(output, "labels");
    static const char *const items[] = {"a", "c", "d"};
    static const float values[] = {0, 1, 1, 0, 1, 0};
    assert_int_equal(rows->n_rows, 3);
    assert_string_equal(rows->classes[0], "cat");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(rows->items[i], items[i]);
    assert_memory_equal(rows->values, values, sizeof values);
    sl_rows_destroy(rows);
}

static void test_rows_without_names_fill_by_number(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *input = test_path("in.csv"), *rest = test_path("rest.npy");
    const char *output = test_path("out.npz");
    static const float values[] = {.5F, .5F, .25F, .75F, 0, 1};
    struct sl_array array;
    assert_ok(sl_array_create(SL_F4, 0, 2, (const size_t[]){3, 2}, &array, &err), err);
    memcpy(array.data, values, sizeof values);
    assert_ok(sl_npy_write(&array, SL_ORDER_C, rest, &err), err);
    sl_array_release(&array);
    write_csv(input, "item,x,y\n1,1,0\n");
    prepare(json_pack("{s:s, s:s, s:s}", "prepare", "labels", "input", input, "rest", rest),
            output);
    struct sl_rows *rows = read_rows(output, "labels");
    static const float expected[] = {1, 0, .5F, .5F, 0, 1};
    assert_int_equal(rows->n_rows, 3);
    assert_string_equal(rows->items[2], "2");
    assert_memory_equal(rows->values, expected, sizeof expected);
    sl_rows_destroy(rows);
}

static void test_so_many_items_are_drawn_with_all_their_rows(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *input = test_path("many.csv"), *output = test_path("few.npz");
    write_csv(input, "item,annotator,x,y\na,p,1,0\na,q,0,1\nb,p,1,0\nb,q,0,1\nc,p,1,0\nc,q,0,1\n");
    prepare(json_pack("{s:s, s:s, s:i, s:i}", "prepare", "labels", "input", input, "count", 2,
                      "seed", 1),
            output);
    struct sl_rows *rows = read_rows(output, "labels");
    assert_int_equal(rows->n_rows, 4);
    assert_string_equal(rows->items[0], rows->items[1]);
    assert_string_not_equal(rows->items[1], rows->items[2]);
    sl_rows_destroy(rows);
    json_t *step = json_pack("{s:s, s:s, s:i, s:i}", "prepare", "labels", "input", input, "count",
                             4, "seed", 1);
    assert_fails(sl_prepare(step, output, &nowhere, &err), SL_ERR_INPUT, err,
                 "4 items are asked for, and it has 3");
    json_decref(step);
}

/* ---- Mixed images ---- */

static void test_mixed_images_are_made_from_their_names(void **state)
{
    (void)state;
    struct sl_error err = {0};
    const char *names = test_path("names.txt"), *output = test_path("mixed.npz");
    write_csv(names, "mixed_0.75_Circle_3_Star_0.png\nmixed_0.5_Heart_1_Star_2.png\n");
    prepare(
        json_pack("{s:s, s:s, s:s}", "prepare", "mixtures", "data", "shapes:n=6", "names", names),
        output);
    struct sl_dataset *mixed = NULL, *shapes = NULL;
    assert_ok(sl_dataset_open(output, &nowhere, &mixed, &err), err);
    assert_ok(sl_dataset_open("shapes:n=6", &nowhere, &shapes, &err), err);
    assert_ok(sl_dataset_load(shapes, 0, 0, 3, &err), err);
    assert_int_equal(mixed->count, 2);
    assert_string_equal(mixed->items[1], "mixed_0.5_Heart_1_Star_2.png");
    const size_t size = shapes->height * shapes->width * 3;
    for (size_t i = 0; i < size; i++) {
        const double wanted = .75 * shapes->pixels[3 * size + i] + .25 * shapes->pixels[i];
        assert_near(mixed->pixels[i], wanted, 1);
    }
    sl_dataset_destroy(mixed);
    sl_dataset_destroy(shapes);
    write_csv(names, "mixed_0.75_Circle_3_Star_6.png\n");
    json_t *step =
        json_pack("{s:s, s:s, s:s}", "prepare", "mixtures", "data", "shapes:n=6", "names", names);
    assert_fails(sl_prepare(step, output, &nowhere, &err), SL_ERR_INPUT, err, "Star_6.png");
    json_decref(step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_share_and_the_rest_are_all_items_once),
        cmocka_unit_test(test_folds_hold_out_every_item_once),
        cmocka_unit_test(test_the_first_items_of_a_seeded_order_depend_on_the_seed),
        cmocka_unit_test(test_labels_are_cut_hardened_and_filled),
        cmocka_unit_test(test_rows_without_names_fill_by_number),
        cmocka_unit_test(test_so_many_items_are_drawn_with_all_their_rows),
        cmocka_unit_test(test_mixed_images_are_made_from_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
