#include "pictures.h"

#include "dataset/images/font.h"

enum { MARGIN = 6, CELL = 48, STEP = CELL + MARGIN };

/* The value in the middle of a cell, given where the pictures begin. */
static int at_cell(const struct sl_image *sheet, size_t left, size_t row, size_t column)
{
    size_t y = MARGIN + row * STEP + CELL / 2, x = left + column * STEP + CELL / 2;
    assert_true(y < sheet->height && x < sheet->width);
    return sheet->pixels[(y * sheet->width + x) * 3];
}

static void test_a_row_shows_one_class_in_the_order_of_the_set(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheet;
    struct sl_dataset *set = test_pictures(40, 4, 10, 10);
    assert_ok(sl_contact_sheet(set, 9, 5, 2, &sheet, &err), err);
    const size_t left = MARGIN + sl_font_width(6, 2) + MARGIN;
    assert_int_equal(sheet.height, MARGIN + (size_t)4 * STEP);
    assert_int_equal(sheet.width, left + (size_t)5 * STEP);
    assert_int_equal(sheet.channels, 3);
    for (size_t row = 0; row < 4; row++) {
        int before = -1;
        for (size_t column = 0; column < 5; column++) {
            int item = at_cell(&sheet, left, row, column) / 3;
            assert_int_equal(item % 4, row);
            assert_true(item > before);
            before = item;
        }
    }
    sl_image_release(&sheet);
    sl_dataset_destroy(set);
}

static void test_columns_that_no_class_fills_are_left_out(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheet;
    struct sl_dataset *set = test_pictures(11, 4, 10, 10); /* 3, 3, 3 and 2 */
    assert_ok(sl_contact_sheet(set, 4, 9, 2, &sheet, &err), err);
    const size_t left = MARGIN + sl_font_width(6, 2) + MARGIN;
    assert_int_equal(sheet.width, left + (size_t)3 * STEP);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(at_cell(&sheet, left, i % 4, i / 4), i < 11 ? 3 * i : 255);
    sl_image_release(&sheet);
    sl_dataset_destroy(set);
}

static void test_class_names_stand_at_the_left(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheet;
    struct sl_dataset *set = test_pictures(4, 2, 10, 10);
    assert_ok(sl_contact_sheet(set, 2, 2, 2, &sheet, &err), err);
    for (size_t row = 0; row < 2; row++) {
        size_t dark = 0;
        for (size_t y = MARGIN + row * STEP; y < (row + 1) * STEP; y++)
            for (size_t x = MARGIN; x < MARGIN + sl_font_width(6, 2); x++)
                dark += sheet.pixels[(y * sheet.width + x) * 3] < 100;
        assert_in_range(dark, 6 * 7 * 4, 6 * 35 * 4);
    }
    for (size_t x = 0; x < sheet.width * MARGIN * 3; x++) /* the margin above */
        assert_int_equal(sheet.pixels[x], 255);
    sl_image_release(&sheet);
    sl_dataset_destroy(set);
}

static void test_a_set_without_labels_fills_row_by_row(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheet;
    struct sl_dataset *set = test_pictures(7, 2, 10, 10);
    for (size_t i = 0; i < 7; i++)
        set->labels[i] = SL_NO_LABEL;
    assert_ok(sl_contact_sheet(set, 5, 3, 2, &sheet, &err), err);
    assert_int_equal(sheet.height, MARGIN + 3 * STEP); /* 3 + 3 + 1 */
    assert_int_equal(sheet.width, MARGIN + 3 * STEP);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(at_cell(&sheet, MARGIN, i / 3, i % 3), i < 7 ? 3 * i : 255);
    sl_image_release(&sheet);
    sl_dataset_destroy(set);
}

/* 40 x 10 pixels become 80 x 20 in a cell of 80. */
static void test_proportions_are_kept(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheet;
    struct sl_dataset *set = test_pictures(1, 1, 10, 40);
    set->labels[0] = SL_NO_LABEL;
    assert_ok(sl_contact_sheet(set, 1, 1, 0, &sheet, &err), err);
    assert_int_equal(sheet.width, 2 * MARGIN + 80);
    size_t dark = 0;
    for (size_t i = 0; i < sheet.height * sheet.width; i++)
        dark += sheet.pixels[i * 3] == 0;
    assert_int_equal(dark, 80 * 20);
    sl_image_release(&sheet);
    sl_dataset_destroy(set);
}

static void test_the_seed_chooses_the_items(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheets[3];
    static const uint64_t seeds[] = {1, 1, 2};
    struct sl_dataset *set = test_pictures(80, 2, 4, 4);
    for (size_t i = 0; i < 3; i++)
        assert_ok(sl_contact_sheet(set, 2, 5, seeds[i], &sheets[i], &err), err);
    const size_t bytes = sheets[0].height * sheets[0].width * 3;
    assert_memory_equal(sheets[0].pixels, sheets[1].pixels, bytes);
    assert_memory_not_equal(sheets[0].pixels, sheets[2].pixels, bytes);
    for (size_t i = 0; i < 3; i++)
        sl_image_release(&sheets[i]);
    sl_dataset_destroy(set);
}

static void test_texts_and_absurd_sizes_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image sheet;
    struct sl_dataset *set = test_pictures(2, 2, 4, 4);
    assert_fails(sl_contact_sheet(set, 0, 3, 1, &sheet, &err), SL_ERR_USAGE, err, "0 by 3");
    assert_fails(sl_contact_sheet(set, 1, 1001, 1, &sheet, &err), SL_ERR_USAGE, err, "1001");
    char *texts[2] = {NULL};
    set->texts = texts;
    assert_fails(sl_contact_sheet(set, 2, 2, 1, &sheet, &err), SL_ERR_USAGE, err, "texts");
    set->texts = NULL;
    sl_dataset_destroy(set);
}

/* An L of 5 x 7 dots: the first column and the last row. */
static void test_letters_are_drawn_and_cut_at_the_edge(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image image;
    assert_ok(sl_image_create(8, 10, 1, &image, &err), err);
    sl_font_draw(&image, 0, 0, 1, 9, "l");
    for (size_t y = 0; y < 7; y++)
        for (size_t x = 0; x < 5; x++)
            assert_int_equal(image.pixels[y * 10 + x] == 9, x == 0 || y == 6);
    sl_font_draw(&image, 7, 5, 3, 9, "WIDE\xff");
    assert_int_equal(sl_font_width(0, 2), 0);
    assert_int_equal(sl_font_width(3, 2), 34);
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_row_shows_one_class_in_the_order_of_the_set),
        cmocka_unit_test(test_columns_that_no_class_fills_are_left_out),
        cmocka_unit_test(test_class_names_stand_at_the_left),
        cmocka_unit_test(test_a_set_without_labels_fills_row_by_row),
        cmocka_unit_test(test_proportions_are_kept),
        cmocka_unit_test(test_the_seed_chooses_the_items),
        cmocka_unit_test(test_texts_and_absurd_sizes_are_refused),
        cmocka_unit_test(test_letters_are_drawn_and_cut_at_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
