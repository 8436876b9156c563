#include "support.h"

#include "dataset/readers/reader.h"

static struct sl_error err;

static struct sl_array bytes_array(size_t n_dimensions, const size_t *shape)
{
    struct sl_array array;
    assert_ok(sl_array_create(SL_U1, 0, n_dimensions, shape, &array, &err), err);
    for (size_t i = 0; i < sl_array_count(&array); i++)
        ((uint8_t *)array.data)[i] = (uint8_t)(i * 3);
    return array;
}

static struct sl_array labels_array(enum sl_dtype dtype, const int *values, size_t count)
{
    struct sl_array array;
    assert_ok(sl_array_create(dtype, 0, 1, &count, &array, &err), err);
    for (size_t i = 0; i < count; i++) {
        if (dtype == SL_U1)
            ((uint8_t *)array.data)[i] = (uint8_t)values[i];
        else if (dtype == SL_I4)
            ((int32_t *)array.data)[i] = values[i];
        else if (dtype == SL_I8)
            ((int64_t *)array.data)[i] = values[i];
        else
            ((double *)array.data)[i] = values[i] + 0.5;
    }
    return array;
}

static void write_images(const char *name, size_t n_dimensions, const size_t *shape)
{
    struct sl_array array = bytes_array(n_dimensions, shape);
    assert_ok(sl_npy_write(&array, SL_ORDER_C, test_path(name), &err), err);
    sl_array_release(&array);
}

static void write_labels(const char *name, enum sl_dtype dtype, const int *values, size_t count)
{
    struct sl_array array = labels_array(dtype, values, count);
    assert_ok(sl_npy_write(&array, SL_ORDER_C, test_path(name), &err), err);
    sl_array_release(&array);
}

static struct sl_dataset *open_npy(const char *name)
{
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_npy.open(test_path(name), NULL, &dataset, &err), err);
    return dataset;
}

static void assert_refused(const struct sl_reader *reader, const char *name, const char *part)
{
    struct sl_dataset *dataset = NULL;
    assert_fails(reader->open(test_path(name), NULL, &dataset, &err), SL_ERR_INPUT, err, part);
    assert_null(dataset);
}

static const size_t colour_shape[] = {3, 2, 2, 3};
static const size_t grey_shape[] = {3, 2, 2};
static const int three_labels[] = {2, 0, 2};

static void test_images_take_the_labels_beside_them(void **state)
{
    (void)state;
    mkdir(test_path("shift"), 0700);
    write_images("shift/cifar10.1_v6_data.npy", 4, colour_shape);
    write_labels("shift/cifar10.1_v6_labels.npy", SL_I4, three_labels, 3);
    struct sl_dataset *dataset = open_npy("shift/cifar10.1_v6_data.npy");
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->height, 2);
    assert_int_equal(dataset->width, 2);
    assert_int_equal(dataset->channels, 3);
    assert_int_equal(dataset->pixels[35], 105);
    assert_int_equal(dataset->labels[0], 2);
    assert_int_equal(dataset->n_classes, 3);
    assert_string_equal(dataset->classes[2], "2");
    assert_string_equal(dataset->items[2], "2");
    sl_dataset_destroy(dataset);
}

static void test_corruptions_share_one_labels_file(void **state)
{
    (void)state;
    mkdir(test_path("corrupt"), 0700);
    write_images("corrupt/fog.npy", 4, colour_shape);
    write_labels("corrupt/labels.npy", SL_U1, three_labels, 3);
    struct sl_dataset *dataset = open_npy("corrupt/fog.npy");
    assert_int_equal(dataset->labels[1], 0);
    sl_dataset_destroy(dataset);
}

static void test_grey_images_and_no_labels_are_fine(void **state)
{
    (void)state;
    mkdir(test_path("grey"), 0700);
    write_images("grey/images.npy", 3, grey_shape);
    struct sl_dataset *dataset = open_npy("grey/images.npy");
    assert_int_equal(dataset->channels, 1);
    assert_int_equal(dataset->n_classes, 0);
    assert_int_equal(dataset->labels[2], SL_NO_LABEL);
    sl_dataset_destroy(dataset);
}

static void test_other_arrays_are_refused_with_their_shape(void **state)
{
    (void)state;
    const size_t flat[] = {3, 12}, four_channels[] = {3, 2, 2, 4}, none[] = {0, 2, 2};
    write_images("bad.npy", 2, flat);
    assert_refused(&sl_reader_npy, "bad.npy", "bad.npy: items are |u1 (3, 12), expected");
    write_images("bad.npy", 4, four_channels);
    assert_refused(&sl_reader_npy, "bad.npy", "(3, 2, 2, 4)");
    write_images("bad.npy", 3, none);
    assert_refused(&sl_reader_npy, "bad.npy", "no images");
    write_labels("bad.npy", SL_I8, three_labels, 3);
    assert_refused(&sl_reader_npy, "bad.npy", "<i8 (3,)");
}

static void test_labels_must_fit_the_images(void **state)
{
    (void)state;
    mkdir(test_path("fit"), 0700);
    write_images("fit/images.npy", 4, colour_shape);
    write_labels("fit/labels.npy", SL_I8, three_labels, 2);
    assert_refused(&sl_reader_npy, "fit/images.npy", "labels.npy: 2 labels for 3 items");
    const int negative[] = {0, -1, 2};
    write_labels("fit/labels.npy", SL_I8, negative, 3);
    assert_refused(&sl_reader_npy, "fit/images.npy", "labels.npy: label 1 is -1");
    const int large[] = {0, 1, 70000};
    write_labels("fit/labels.npy", SL_I4, large, 3);
    assert_refused(&sl_reader_npy, "fit/images.npy", "label 2 is 70000");
    write_labels("fit/labels.npy", SL_F8, three_labels, 3);
    assert_refused(&sl_reader_npy, "fit/images.npy", "labels.npy");
}

/* An .npz with images and, where not NULL, the other arrays. */
static void write_npz(const char *name, const struct sl_array *labels, const char *const *classes,
                      size_t n_classes, const char *const *items)
{
    struct sl_npz_writer *writer = NULL;
    struct sl_array images = bytes_array(4, colour_shape), names = {0}, ids = {0};
    assert_ok(sl_npz_writer_create(test_path(name), SL_NPZ_DEFLATED, &writer, &err), err);
    assert_ok(sl_npz_writer_add(writer, "images", &images, &err), err);
    if (labels) assert_ok(sl_npz_writer_add(writer, "labels", labels, &err), err);
    if (classes) {
        assert_ok(sl_array_from_strings(classes, n_classes, &names, &err), err);
        assert_ok(sl_npz_writer_add(writer, "classes", &names, &err), err);
    }
    if (items) {
        assert_ok(sl_array_from_strings(items, 3, &ids, &err), err);
        assert_ok(sl_npz_writer_add(writer, "item", &ids, &err), err);
    }
    assert_ok(sl_npz_writer_commit(writer, &err), err);
    sl_npz_writer_destroy(writer);
    sl_array_release(&images);
    sl_array_release(&names);
    sl_array_release(&ids);
}

static void test_an_npz_brings_classes_and_ids(void **state)
{
    (void)state;
    const char *classes[] = {"ant", "b\xc3\xa4r", "cat", "dog"}, *items[] = {"x", "y", "z"};
    struct sl_array labels = labels_array(SL_U1, three_labels, 3);
    write_npz("set.npz", &labels, classes, 4, items);
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_npz.open(test_path("set.npz"), NULL, &dataset, &err), err);
    assert_int_equal(dataset->n_classes, 4);
    assert_string_equal(dataset->classes[1], "b\xc3\xa4r");
    assert_string_equal(dataset->items[2], "z");
    assert_int_equal(dataset->labels[2], 2);
    assert_int_equal(dataset->pixels[1], 3);
    sl_dataset_destroy(dataset);

    write_npz("set.npz", NULL, NULL, 0, NULL);
    assert_ok(sl_reader_npz.open(test_path("set.npz"), NULL, &dataset, &err), err);
    assert_int_equal(dataset->n_classes, 0);
    assert_string_equal(dataset->items[2], "2");
    sl_dataset_destroy(dataset);
    sl_array_release(&labels);
}

static void test_an_npz_is_checked(void **state)
{
    (void)state;
    const char *classes[] = {"ant", "ant", "cat"}, *items[] = {"x", "y", "x"};
    struct sl_array labels = labels_array(SL_U1, three_labels, 3);
    write_npz("bad.npz", &labels, classes, 3, NULL);
    assert_refused(&sl_reader_npz, "bad.npz", "bad.npz: classes: class ant appears twice");
    write_npz("bad.npz", &labels, classes + 1, 2, NULL);
    assert_refused(&sl_reader_npz, "bad.npz", "bad.npz: labels: label 0 is 2, expected 0 to 1");
    write_npz("bad.npz", &labels, NULL, 0, items);
    assert_refused(&sl_reader_npz, "bad.npz", "bad.npz: item: id x appears twice");
    struct sl_npz_writer *writer = NULL;
    assert_ok(sl_npz_writer_create(test_path("bad.npz"), SL_NPZ_STORED, &writer, &err), err);
    assert_ok(sl_npz_writer_add(writer, "labels", &labels, &err), err);
    assert_ok(sl_npz_writer_commit(writer, &err), err);
    sl_npz_writer_destroy(writer);
    assert_refused(&sl_reader_npz, "bad.npz", "bad.npz: has no array called images or features");
    sl_array_release(&labels);
}

static struct sl_array rows_array(enum sl_dtype dtype, size_t n_dimensions, const size_t *shape)
{
    struct sl_array array;
    assert_ok(sl_array_create(dtype, 0, n_dimensions, shape, &array, &err), err);
    for (size_t i = 0; i < sl_array_count(&array); i++)
        if (dtype == SL_F4)
            ((float *)array.data)[i] = (float)i / 4;
        else
            ((double *)array.data)[i] = (double)i / 4;
    return array;
}

static const size_t row_shape[] = {3, 2};

static void test_floats_are_rows_of_features(void **state)
{
    (void)state;
    mkdir(test_path("rows"), 0700);
    struct sl_array doubles = rows_array(SL_F8, 2, row_shape);
    assert_ok(sl_npy_write(&doubles, SL_ORDER_FORTRAN, test_path("rows/train.npy"), &err), err);
    write_labels("rows/labels.npy", SL_U1, three_labels, 3);
    struct sl_dataset *dataset = open_npy("rows/train.npy");
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->n_features, 2);
    assert_null(dataset->pixels);
    assert_int_equal(dataset->labels[2], 2);
    for (size_t i = 0; i < 6; i++)
        assert_near(dataset->features[i], (double)i / 4, 0);

    const size_t kept[] = {2, 0, 2};
    assert_ok(sl_dataset_select(dataset, kept, 3, &err), err);
    const float expected[] = {1, 1.25F, 0, 0.25F, 1, 1.25F};
    assert_memory_equal(dataset->features, expected, sizeof expected);
    assert_int_equal(dataset->n_features, 2);
    struct sl_image image = {0};
    assert_fails(sl_dataset_image(dataset, 0, &image, &err), SL_ERR_USAGE, err,
                 "holds rows of features, not images");
    assert_fails(sl_dataset_load(dataset, 8, 8, 3, &err), SL_ERR_USAGE, err, "not images");
    sl_dataset_destroy(dataset);
    sl_array_release(&doubles);
}

static void write_features(const char *name, const struct sl_array *rows, bool images)
{
    struct sl_npz_writer *writer = NULL;
    assert_ok(sl_npz_writer_create(test_path(name), SL_NPZ_STORED, &writer, &err), err);
    assert_ok(sl_npz_writer_add(writer, "features", rows, &err), err);
    if (images) assert_ok(sl_npz_writer_add(writer, "images", rows, &err), err);
    assert_ok(sl_npz_writer_commit(writer, &err), err);
    sl_npz_writer_destroy(writer);
}

static void test_features_that_are_none_are_refused(void **state)
{
    (void)state;
    struct sl_array rows = rows_array(SL_F4, 2, row_shape);
    write_features("rows.npz", &rows, false);
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_npz.open(test_path("rows.npz"), NULL, &dataset, &err), err);
    assert_near(dataset->features[5], 1.25, 0);
    assert_string_equal(dataset->items[1], "1");
    sl_dataset_destroy(dataset);
    write_features("bad.npz", &rows, true);
    assert_refused(&sl_reader_npz, "bad.npz", "has both arrays called images or features");

    ((float *)rows.data)[3] = NAN;
    write_features("bad.npz", &rows, false);
    assert_refused(&sl_reader_npz, "bad.npz", "bad.npz");
    assert_non_null(strstr(err.message, "nan"));
    sl_array_release(&rows);
    const size_t flat[] = {6}, deep[] = {1, 2, 3, 1, 1}, empty[] = {0, 3}, narrow[] = {3, 0};
    const struct {
        size_t rank;
        const size_t *shape;
        const char *part;
    } wrong[] = {{1, flat, "features are <f4 (6,), expected <f4 or <f8 (N, F)"},
                 {5, deep, "(1, 2, 3, 1, 1)"},
                 {2, empty, "no rows of features"},
                 {2, narrow, "(3, 0)"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rows = rows_array(SL_F4, wrong[i].rank, wrong[i].shape);
        assert_ok(sl_npy_write(&rows, SL_ORDER_C, test_path("bad.npy"), &err), err);
        assert_refused(&sl_reader_npy, "bad.npy", wrong[i].part);
        sl_array_release(&rows);
    }
}

/* ---- Floats, and colours first ---- */

static void write_floats(const char *name, enum sl_dtype dtype, size_t n_dimensions,
                         const size_t *shape, const float *values, size_t n_values)
{
    struct sl_array array;
    assert_ok(sl_array_create(dtype, 0, n_dimensions, shape, &array, &err), err);
    for (size_t i = 0; i < sl_array_count(&array); i++) {
        if (dtype == SL_F4)
            ((float *)array.data)[i] = values[i % n_values];
        else
            ((double *)array.data)[i] = (double)values[i % n_values];
    }
    assert_ok(sl_npy_write(&array, SL_ORDER_C, test_path(name), &err), err);
    sl_array_release(&array);
}

static struct sl_dataset *open_with(const char *name, const char *options)
{
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_npy.open(test_path(name), options, &dataset, &err), err);
    return dataset;
}

static void test_floats_are_pixels_from_0_to_1_or_whole_numbers_to_255(void **state)
{
    (void)state;
    static const float shares[] = {0, 0.5F, 1, 100 / 255.0F}, bytes[] = {0, 7, 255, 2};
    for (enum sl_dtype dtype = SL_F4; dtype <= SL_F8; dtype++) {
        write_floats("shares.npy", dtype, 3, grey_shape, shares, 4);
        struct sl_dataset *dataset = open_npy("shares.npy");
        assert_int_equal(dataset->channels, 1);
        static const uint8_t expected[] = {0, 128, 255, 100};
        assert_memory_equal(dataset->pixels, expected, 4);
        assert_memory_equal(dataset->pixels + 8, expected, 4);
        sl_dataset_destroy(dataset);
        write_floats("bytes.npy", dtype, 4, colour_shape, bytes, 4);
        dataset = open_npy("bytes.npy");
        assert_int_equal(dataset->channels, 3);
        static const uint8_t same[] = {0, 7, 255, 2};
        assert_memory_equal(dataset->pixels, same, 4);
        sl_dataset_destroy(dataset);
    }
}

static void test_every_byte_survives_a_division_by_255(void **state)
{
    (void)state;
    float shares[256];
    for (int i = 0; i < 256; i++)
        shares[i] = (float)i / 255;
    write_floats("all.npy", SL_F4, 3, (const size_t[]){1, 16, 16}, shares, 256);
    struct sl_dataset *dataset = open_npy("all.npy");
    for (int i = 0; i < 256; i++)
        assert_int_equal(dataset->pixels[i], i);
    sl_dataset_destroy(dataset);
}

static void test_floats_of_an_unclear_range_are_refused_or_named(void **state)
{
    (void)state;
    static const float ones[] = {0, 1}, fractions[] = {0, 1.5F, 3}, negative[] = {-0.5F, 2},
                       large[] = {0, 256}, none[] = {0, NAN};
    static const struct {
        const float *values;
        size_t n_values;
        const char *part;
    } cases[] = {
        {ones, 2, "from 0 to 1 and are 0 or 1, so they may be pixels from 0 to 1 or from 0 to 255"},
        {fractions, 3, "from 0 to 3 and some are fractions, so they may be"},
        {negative, 2, "from -0.5 to 2, expected pixels from 0 to 1, or from 0 to 255; undo"},
        {large, 2, "from 0 to 256, expected pixels"},
        {none, 2, "nan at (0, 0, 1) is not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_floats("unclear.npy", SL_F4, 3, grey_shape, cases[i].values, cases[i].n_values);
        assert_refused(&sl_reader_npy, "unclear.npy", cases[i].part);
    }
    write_floats("unclear.npy", SL_F4, 3, grey_shape, ones, 2);
    struct sl_dataset *dataset = open_with("unclear.npy", "range=1");
    assert_int_equal(dataset->pixels[1], 255);
    sl_dataset_destroy(dataset);
    dataset = open_with("unclear.npy", "range=255");
    assert_int_equal(dataset->pixels[1], 1);
    sl_dataset_destroy(dataset);
    write_floats("unclear.npy", SL_F4, 3, grey_shape, fractions, 3);
    dataset = open_with("unclear.npy", "range=255");
    assert_int_equal(dataset->pixels[1], 2);
    sl_dataset_destroy(dataset);
    dataset = NULL;
    assert_fails(sl_reader_npy.open(test_path("unclear.npy"), "range=1", &dataset, &err),
                 SL_ERR_INPUT, err, "from 0 to 3, expected pixels from 0 to 1;");
}

static void test_colours_may_come_first(void **state)
{
    (void)state;
    write_images("planes.npy", 4, (const size_t[]){2, 3, 2, 4});
    struct sl_dataset *dataset = open_npy("planes.npy");
    assert_int_equal(dataset->count, 2);
    assert_int_equal(dataset->channels, 3);
    assert_int_equal(dataset->height, 2);
    assert_int_equal(dataset->width, 4);
    /* Value i is 3 i: pixel 1 of image 1 is at 24 + 1, 24 + 8 + 1 and 24 + 16 + 1. */
    const uint8_t *pixel = dataset->pixels + 24 + 3;
    assert_int_equal(pixel[0], 75);
    assert_int_equal(pixel[1], 99);
    assert_int_equal(pixel[2], 123);
    sl_dataset_destroy(dataset);
    write_images("planes.npy", 4, (const size_t[]){2, 1, 2, 4});
    dataset = open_npy("planes.npy");
    assert_int_equal(dataset->channels, 1);
    assert_int_equal(dataset->width, 4);
    sl_dataset_destroy(dataset);
}

static void test_an_unclear_order_is_refused_or_named(void **state)
{
    (void)state;
    write_images("both.npy", 4, (const size_t[]){2, 3, 5, 3});
    assert_refused(&sl_reader_npy, "both.npy",
                   "(2, 3, 5, 3): the channels may come first or last; write :layout=nchw or "
                   ":layout=nhwc");
    struct sl_dataset *dataset = open_with("both.npy", "layout=nchw");
    assert_int_equal(dataset->height, 5);
    assert_int_equal(dataset->width, 3);
    sl_dataset_destroy(dataset);
    dataset = open_with("both.npy", "layout=nhwc");
    assert_int_equal(dataset->height, 3);
    assert_int_equal(dataset->width, 5);
    sl_dataset_destroy(dataset);
    static const struct {
        const char *options, *part;
        enum sl_status code;
    } cases[] = {
        {"layout=hwc", "layout is nhwc or nchw, not \"hwc\"", SL_ERR_USAGE},
        {"order=nchw", "\"order\" is not an option", SL_ERR_USAGE},
        {"layout=nchw,x", "\"x\" is not an option", SL_ERR_USAGE},
        {"train", "split", SL_ERR_USAGE},
        {"range=1,layout=nhwc", "range= is for floats", SL_ERR_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dataset = NULL;
        assert_fails(sl_reader_npy.open(test_path("both.npy"), cases[i].options, &dataset, &err),
                     cases[i].code, err, cases[i].part);
    }
    static const float values[] = {0.5F};
    write_floats("rows.npy", SL_F4, 2, (const size_t[]){2, 3}, values, 1);
    assert_fails(sl_reader_npy.open(test_path("rows.npy"), "layout=nchw", &dataset, &err),
                 SL_ERR_INPUT, err, "the items are features");
    write_images("both.npy", 3, grey_shape);
    assert_fails(sl_reader_npy.open(test_path("both.npy"), "layout=nchw", &dataset, &err),
                 SL_ERR_INPUT, err, "expected four dimensions");
    write_images("both.npy", 4, (const size_t[]){2, 4, 5, 3});
    assert_fails(sl_reader_npy.open(test_path("both.npy"), "layout=nchw", &dataset, &err),
                 SL_ERR_INPUT, err, "expected 1 or 3 channels");
}

static void test_an_npz_of_floats_with_colours_first(void **state)
{
    (void)state;
    struct sl_npz_writer *writer = NULL;
    struct sl_array array;
    assert_ok(sl_array_create(SL_F4, 0, 4, (const size_t[]){1, 3, 1, 2}, &array, &err), err);
    for (size_t i = 0; i < 6; i++)
        ((float *)array.data)[i] = (float)i / 5;
    const char *path = test_path("floats.npz");
    assert_ok(sl_npz_writer_create(path, SL_NPZ_STORED, &writer, &err), err);
    assert_ok(sl_npz_writer_add(writer, "images", &array, &err), err);
    assert_ok(sl_npz_writer_commit(writer, &err), err);
    sl_npz_writer_destroy(writer);
    sl_array_release(&array);
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_npz.open(path, NULL, &dataset, &err), err);
    static const uint8_t expected[] = {0, 102, 204, 51, 153, 255};
    assert_memory_equal(dataset->pixels, expected, 6);
    sl_dataset_destroy(dataset);
    dataset = NULL;
    assert_fails(sl_reader_npz.open(path, "layout=nhwc", &dataset, &err), SL_ERR_INPUT, err,
                 "expected 1 or 3 channels");
}

static void test_the_real_sample_of_cinic10_opens(void **state)
{
    (void)state;
    const char *path = test_data("cinic10_sample/cinic10_sample_2000.npz");
    if (!path) skip();
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_npz.open(path, NULL, &dataset, &err), err);
    assert_int_equal(dataset->count, 2000);
    assert_int_equal(dataset->height, 32);
    assert_int_equal(dataset->n_classes, 10);
    sl_dataset_destroy(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_take_the_labels_beside_them),
        cmocka_unit_test(test_corruptions_share_one_labels_file),
        cmocka_unit_test(test_grey_images_and_no_labels_are_fine),
        cmocka_unit_test(test_other_arrays_are_refused_with_their_shape),
        cmocka_unit_test(test_labels_must_fit_the_images),
        cmocka_unit_test(test_an_npz_brings_classes_and_ids),
        cmocka_unit_test(test_an_npz_is_checked),
        cmocka_unit_test(test_floats_are_rows_of_features),
        cmocka_unit_test(test_features_that_are_none_are_refused),
        cmocka_unit_test(test_floats_are_pixels_from_0_to_1_or_whole_numbers_to_255),
        cmocka_unit_test(test_every_byte_survives_a_division_by_255),
        cmocka_unit_test(test_floats_of_an_unclear_range_are_refused_or_named),
        cmocka_unit_test(test_colours_may_come_first),
        cmocka_unit_test(test_an_unclear_order_is_refused_or_named),
        cmocka_unit_test(test_an_npz_of_floats_with_colours_first),
        cmocka_unit_test(test_the_real_sample_of_cinic10_opens),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
