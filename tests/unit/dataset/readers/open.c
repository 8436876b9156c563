#include "make_archive.h"

#include "dataset/readers/reader.h"

static struct sl_error err;
static const struct sl_data_roots no_roots;

static void assert_refused(const char *name, enum sl_status code, const char *part)
{
    struct sl_dataset *dataset = NULL;
    assert_fails(sl_dataset_open(name, &no_roots, &dataset, &err), code, err, part);
    assert_null(dataset);
}

static void test_every_named_set_says_what_it_is(void **state)
{
    (void)state;
    size_t count = 0;
    for (const struct sl_named_dataset *row = sl_named_datasets; row->name; row++, count++) {
        assert_non_null(row->summary);
        assert_non_null(row->open);
        assert_null(strchr(row->name, ':'));
        for (const struct sl_named_dataset *other = sl_named_datasets; other != row; other++)
            assert_string_not_equal(row->name, other->name);
    }
    assert_true(count >= 7);
}

static void test_every_reader_says_what_it_reads(void **state)
{
    (void)state;
    for (const struct sl_reader *const *reader = sl_readers; *reader; reader++) {
        assert_non_null((*reader)->name);
        assert_non_null((*reader)->summary);
        assert_false((*reader)->probe(test_path("absent")));
    }
}

static void test_an_unknown_name_is_answered_with_the_nearest(void **state)
{
    (void)state;
    assert_refused("cifr10", SL_ERR_NOT_FOUND, "did you mean \"cifar10\"?");
    assert_refused("shape:n=3", SL_ERR_NOT_FOUND, "did you mean \"shapes\"?");
    assert_refused("fashion_mnist:test", SL_ERR_NOT_FOUND, "did you mean \"fashion-mnist\"?");
    assert_refused("/no/such/folder", SL_ERR_NOT_FOUND, "no data set, file or folder /no/such/fol");
}

static void test_a_file_of_no_known_kind_lists_the_kinds(void **state)
{
    (void)state;
    test_write(test_path("notes.md"), "hello", 5);
    assert_refused(test_path("notes.md"), SL_ERR_INPUT, "a .tsv with a column text");
}

static void test_a_path_is_opened_by_its_reader_and_keeps_its_name(void **state)
{
    (void)state;
    test_write(test_path("items.tsv"), "text\nhello\n", 11);
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open(test_path("items.tsv"), &no_roots, &dataset, &err), err);
    assert_string_equal(dataset->name, test_path("items.tsv"));
    assert_string_equal(dataset->texts[0], "hello");
    sl_dataset_destroy(dataset);

    assert_ok(sl_folder_create(test_path("pictures"), &err), err);
    struct sl_image image;
    assert_ok(sl_image_create(1, 1, 3, &image, &err), err);
    assert_ok(sl_image_write_png(&image, NULL, test_path("pictures/a.png"), &err), err);
    sl_image_release(&image);
    assert_ok(sl_dataset_open(test_path("pictures"), &no_roots, &dataset, &err), err);
    assert_int_equal(dataset->count, 1);
    sl_dataset_destroy(dataset);
}

static void test_a_path_may_name_a_split(void **state)
{
    (void)state;
    assert_ok(sl_folder_create(test_path("idx"), &err), err);
    test_write(test_path("idx/train-images-idx3-ubyte"), "\0\0\x08\3\0\0\0\1\0\0\0\1\0\0\0\1x", 17);
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open(test_path("idx:train"), &no_roots, &dataset, &err), err);
    assert_int_equal(dataset->pixels[0], 'x');
    sl_dataset_destroy(dataset);
    assert_refused(test_path("idx:trian"), SL_ERR_USAGE, "did you mean \"train\"?");
    assert_refused(test_path("idx"), SL_ERR_NOT_FOUND, "holds no t10k-images-idx3-ubyte");
    test_write(test_path("items.tsv"), "text\nhello\n", 11);
    assert_refused(test_path("items.tsv:train"), SL_ERR_USAGE,
                   "has no splits; leave out \":train\"");
}

static void test_shapes_options_are_read_over_the_defaults(void **state)
{
    (void)state;
    struct sl_shapes_options defaults = sl_shapes_options_default(), options;
    assert_ok(sl_shapes_options_parse(NULL, &options, &err), err);
    assert_int_equal(options.count, defaults.count);
    assert_ok(sl_shapes_options_parse("n=500,seed=3,noise=0.5,ambiguous=1", &options, &err), err);
    assert_int_equal(options.count, 500);
    assert_int_equal(options.seed, 3);
    assert_near(options.noise, 0.5, 0);
    assert_near(options.ambiguous, 1, 0);
    assert_int_equal(options.size, defaults.size);
    assert_ok(sl_shapes_options_parse("size=16,classes=3", &options, &err), err);
    assert_int_equal(options.size, 16);
    assert_int_equal(options.n_classes, 3);
}

static void assert_no_options(const char *text, const char *part)
{
    struct sl_shapes_options options = {.count = 77};
    assert_fails(sl_shapes_options_parse(text, &options, &err), SL_ERR_USAGE, err, part);
    assert_int_equal(options.count, 77);
}

static void test_wrong_shapes_options_are_named(void **state)
{
    (void)state;
    assert_no_options("sed=3", "did you mean \"seed\"?");
    assert_no_options("n=0", "shapes: n is 0, expected a whole number from 1 to 1000000");
    assert_no_options("n=3.5", "n is 3.5");
    assert_no_options("n=", "n is ,");
    assert_no_options("classes=9", "from 2 to 8");
    assert_no_options("ambiguous=1.5", "expected a number from 0 to 1");
    assert_no_options("ambiguous=nan", "ambiguous is nan");
    assert_no_options("seed=-1", "seed is -1");
    assert_no_options("n=3,", "expected name=value");
    assert_no_options("fast", "expected name=value, got fast");
    assert_no_options("=3", "no name");
}

static void test_shapes_open_by_name(void **state)
{
    (void)state;
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open("shapes:n=4,size=16,seed=2", &no_roots, &dataset, &err), err);
    assert_string_equal(dataset->name, "shapes:n=4,size=16,seed=2");
    assert_int_equal(dataset->count, 4);
    assert_int_equal(dataset->height, 16);
    assert_non_null(dataset->truth);
    sl_dataset_destroy(dataset);
}

/* A data folder as a study's machine has it, with tiny sets under their real names. */
static const struct sl_data_roots *tiny_roots(void)
{
    static char folder[512];
    static struct sl_data_roots roots = {.given = folder};
    snprintf(folder, sizeof folder, "%s", test_path("data"));
    return &roots;
}

static struct sl_buffer npy_of(size_t n_dimensions, const size_t *shape)
{
    struct sl_array array;
    struct sl_buffer bytes;
    assert_ok(sl_array_create(SL_U1, 0, n_dimensions, shape, &array, &err), err);
    for (size_t i = 0; i < sl_array_count(&array); i++)
        ((uint8_t *)array.data)[i] = (uint8_t)(i % 10);
    assert_ok(sl_npy_write(&array, SL_ORDER_C, test_path("one.npy"), &err), err);
    sl_array_release(&array);
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_file_read(test_path("one.npy"), &bytes, &err), err);
    return bytes;
}

static void test_corruptions_open_from_their_archive(void **state)
{
    (void)state;
    /* Two images at five severities, one pixel each: image i of severity s is row 2 (s-1) + i. */
    const size_t shape[] = {10, 1, 1, 3}, n_labels = 10;
    struct sl_buffer tar, images = npy_of(4, shape), labels = npy_of(1, &n_labels);
    sl_buffer_init(&tar, 4 << 20);
    static const char unread[900001]; /* more than is read at once */
    put_tar_entry(&tar, "CIFAR-10-C/snow.npy", '0', unread, sizeof unread);
    put_tar_entry(&tar, "CIFAR-10-C/fog.npy", '0', images.data, images.length);
    put_tar_entry(&tar, "CIFAR-10-C/labels.npy", '0', labels.data, labels.length);
    put_tar_end(&tar);
    assert_ok(sl_folder_create(test_path("data/cifar10-c"), &err), err);
    test_write(test_path("data/cifar10-c/CIFAR-10-C.tar"), tar.data, tar.length);
    sl_buffer_release(&tar);
    sl_buffer_release(&images);
    sl_buffer_release(&labels);

    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open("cifar10-c:fog", tiny_roots(), &dataset, &err), err);
    assert_int_equal(dataset->count, 10);
    assert_string_equal(dataset->items[0], "1/0");
    assert_string_equal(dataset->items[9], "5/1");
    assert_string_equal(dataset->classes[9], "truck");
    sl_dataset_destroy(dataset);
    assert_ok(sl_dataset_open("cifar10-c:fog-3", tiny_roots(), &dataset, &err), err);
    assert_int_equal(dataset->count, 2);
    assert_string_equal(dataset->items[1], "1");
    assert_int_equal(dataset->labels[0], 4);
    assert_int_equal(dataset->pixels[3], 15 % 10);
    sl_dataset_destroy(dataset);

    dataset = NULL;
    const char *wrong[][2] = {{"cifar10-c", "needs a corruption"},
                              {"cifar10-c:fog-6", "severity is 6, expected 1 to 5"},
                              {"cifar10-c:fogg", "did you mean \"fog\"?"}};
    for (size_t i = 0; i < 3; i++)
        assert_fails(sl_dataset_open(wrong[i][0], tiny_roots(), &dataset, &err), SL_ERR_USAGE, err,
                     wrong[i][1]);
    assert_fails(sl_dataset_open("cifar10-c:frost", tiny_roots(), &dataset, &err), SL_ERR_INPUT,
                 err, "holds no frost.npy");
    assert_null(dataset);
}

static void test_new_test_sets_have_the_classes_of_cifar10(void **state)
{
    (void)state;
    const size_t shape[] = {4, 1, 1, 3}, n_labels = 4;
    struct sl_buffer images = npy_of(4, shape), labels = npy_of(1, &n_labels);
    assert_ok(sl_folder_create(test_path("data/cifar10.1-v6"), &err), err);
    test_write(test_path("data/cifar10.1-v6/cifar10.1_v6_data.npy"), images.data, images.length);
    test_write(test_path("data/cifar10.1-v6/cifar10.1_v6_labels.npy"), labels.data, labels.length);
    sl_buffer_release(&images);
    sl_buffer_release(&labels);
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open("cifar10.1-v6", tiny_roots(), &dataset, &err), err);
    assert_int_equal(dataset->count, 4);
    assert_int_equal(dataset->n_classes, 10);
    assert_string_equal(dataset->classes[3], "cat");
    sl_dataset_destroy(dataset);
    dataset = NULL;
    assert_fails(sl_dataset_open("cifar10.1-v6:test", tiny_roots(), &dataset, &err), SL_ERR_USAGE,
                 err, "no splits");
    assert_fails(sl_dataset_open("cifar10.1-v4", tiny_roots(), &dataset, &err), SL_ERR_NOT_FOUND,
                 err, "softlab fetch cifar10.1-v4");
}

static void test_the_real_sample_of_cinic10_keeps_what_is_imagenets(void **state)
{
    (void)state;
    if (!test_data("cinic10_sample/cinic10_sample_2000.npz")) skip();
    const struct sl_data_roots roots = {.given = getenv("SOFTLAB_DATA")};
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open("cinic10_sample", &roots, &dataset, &err), err);
    assert_int_equal(dataset->count, 1532);
    assert_string_equal(dataset->items[0], "1"); /* image 0 is CIFAR-10's */
    assert_string_equal(dataset->classes[0], "airplane");
    sl_dataset_destroy(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_named_set_says_what_it_is),
        cmocka_unit_test(test_every_reader_says_what_it_reads),
        cmocka_unit_test(test_an_unknown_name_is_answered_with_the_nearest),
        cmocka_unit_test(test_a_file_of_no_known_kind_lists_the_kinds),
        cmocka_unit_test(test_a_path_is_opened_by_its_reader_and_keeps_its_name),
        cmocka_unit_test(test_a_path_may_name_a_split),
        cmocka_unit_test(test_shapes_options_are_read_over_the_defaults),
        cmocka_unit_test(test_wrong_shapes_options_are_named),
        cmocka_unit_test(test_shapes_open_by_name),
        cmocka_unit_test(test_corruptions_open_from_their_archive),
        cmocka_unit_test(test_new_test_sets_have_the_classes_of_cifar10),
        cmocka_unit_test(test_the_real_sample_of_cinic10_keeps_what_is_imagenets),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
