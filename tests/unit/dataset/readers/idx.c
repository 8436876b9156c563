#include "make_archive.h"

#include "dataset/readers/reader.h"

static struct sl_error err;

static struct sl_buffer idx_of(const uint32_t *shape, size_t n_dimensions, const void *values,
                               size_t length)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 20);
    sl_buffer_append(&out, "\0\0\x08", 3);
    sl_buffer_byte(&out, (char)n_dimensions);
    for (size_t i = 0; i < n_dimensions; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            sl_buffer_byte(&out, (char)(shape[i] >> shift));
    sl_buffer_append(&out, values, length);
    return out;
}

static void write_idx(const char *name, const uint32_t *shape, size_t n_dimensions,
                      const void *values, size_t length, bool packed)
{
    struct sl_buffer plain = idx_of(shape, n_dimensions, values, length), zipped;
    sl_buffer_init(&zipped, 1 << 20);
    if (packed) put_gzip(&zipped, plain.data, plain.length);
    const struct sl_buffer *bytes = packed ? &zipped : &plain;
    test_write(test_path(name), bytes->data, bytes->length);
    sl_buffer_release(&plain);
    sl_buffer_release(&zipped);
}

static const uint32_t two_images[] = {2, 2, 3};
static const uint32_t two_labels[] = {2};

static struct sl_dataset *open_idx(const char *path, const char *split)
{
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_idx.open(path, split, &dataset, &err), err);
    return dataset;
}

static void assert_refused(const char *name, enum sl_status code, const char *part)
{
    struct sl_dataset *dataset = NULL;
    assert_fails(sl_reader_idx.open(test_path(name), NULL, &dataset, &err), code, err, part);
    assert_null(dataset);
}

static void test_images_find_the_labels_beside_them(void **state)
{
    (void)state;
    mkdir(test_path("set"), 0700);
    write_idx("set/train-images-idx3-ubyte", two_images, 3, "abcdefghijkl", 12, false);
    write_idx("set/train-labels-idx1-ubyte.gz", two_labels, 1, "\3\0", 2, true);
    struct sl_dataset *dataset = open_idx(test_path("set/train-images-idx3-ubyte"), NULL);
    assert_int_equal(dataset->count, 2);
    assert_int_equal(dataset->height, 2);
    assert_int_equal(dataset->width, 3);
    assert_int_equal(dataset->channels, 1);
    assert_memory_equal(dataset->pixels, "abcdefghijkl", 12);
    assert_int_equal(dataset->labels[0], 3);
    assert_int_equal(dataset->labels[1], 0);
    assert_int_equal(dataset->n_classes, 4);
    assert_string_equal(dataset->classes[3], "3");
    assert_string_equal(dataset->items[1], "1");
    sl_dataset_destroy(dataset);
}

static void test_a_folder_has_two_splits(void **state)
{
    (void)state;
    mkdir(test_path("both"), 0700);
    write_idx("both/train-images-idx3-ubyte.gz", two_images, 3, "abcdefghijkl", 12, true);
    write_idx("both/t10k-images-idx3-ubyte.gz", two_images, 3, "ABCDEFGHIJKL", 12, true);
    assert_true(sl_reader_idx.probe(test_path("both")));
    struct sl_dataset *test = open_idx(test_path("both"), NULL);
    assert_memory_equal(test->pixels, "ABCDEFGHIJKL", 12);
    assert_int_equal(test->labels[0], SL_NO_LABEL);
    assert_int_equal(test->n_classes, 0);
    sl_dataset_destroy(test);
    struct sl_dataset *train = open_idx(test_path("both"), "train");
    assert_memory_equal(train->pixels, "abcdefghijkl", 12);
    sl_dataset_destroy(train);
}

static void test_the_probe_knows_idx_by_its_first_bytes(void **state)
{
    (void)state;
    write_idx("anything", two_images, 3, "abcdefghijkl", 12, true);
    assert_true(sl_reader_idx.probe(test_path("anything")));
    test_write(test_path("other"), "hello", 5);
    assert_false(sl_reader_idx.probe(test_path("other")));
    assert_false(sl_reader_idx.probe(test_path("absent")));
}

static void test_what_a_header_promises_must_be_there(void **state)
{
    (void)state;
    write_idx("short", two_images, 3, "abcdefghijk", 11, false);
    assert_refused("short", SL_ERR_INPUT, "short: ends at byte 27, expected 1 more");
    write_idx("long", two_images, 3, "abcdefghijklm", 13, false);
    assert_refused("long", SL_ERR_INPUT, "long: expected to end at byte 28, found more");
    write_idx("long.gz", two_images, 3, "abcdefghijklm", 13, true);
    assert_refused("long.gz", SL_ERR_INPUT, "expected to end at byte 28");
    const uint32_t none[] = {2, 0, 3};
    write_idx("none", none, 3, "", 0, false);
    assert_refused("none", SL_ERR_INPUT, "dimension 2 is 0");
}

static void test_a_small_file_cannot_claim_much_memory(void **state)
{
    (void)state;
    /* The product is 2^96: it must not wrap. */
    const uint32_t huge[] = {0x80000000, 0x80000000, 0x80000000};
    write_idx("huge", huge, 3, "abc", 3, false);
    assert_refused("huge", SL_ERR_INPUT, "more bytes than the file can hold");
    const uint32_t large[] = {1000, 1000, 1000};
    write_idx("large.gz", large, 3, "abc", 3, true);
    assert_refused("large.gz", SL_ERR_INPUT, "more bytes than the file can hold");
}

static void test_other_headers_are_refused(void **state)
{
    (void)state;
    test_write(test_path("a-ubyte"), "\0\1\x08\3", 4);
    assert_refused("a-ubyte", SL_ERR_INPUT, "not IDX; the file begins with the bytes 00 01 08 03");
    test_write(test_path("a-ubyte"), "\0\0\x0d\3", 4);
    assert_refused("a-ubyte", SL_ERR_INPUT, "element type 0x0d");
    test_write(test_path("a-ubyte"), "\0\0\x08\4", 4);
    assert_refused("a-ubyte", SL_ERR_INPUT, "4 dimensions");
    test_write(test_path("a-ubyte"), "\0\0", 2);
    assert_refused("a-ubyte", SL_ERR_INPUT, "ends at byte 2, expected 2 more");
    write_idx("x-labels-idx1-ubyte", two_labels, 1, "\1\2", 2, false);
    assert_refused("x-labels-idx1-ubyte", SL_ERR_INPUT, "1 dimension, expected 3 for images");
}

static void test_labels_must_be_as_many_as_images(void **state)
{
    (void)state;
    const uint32_t three[] = {3};
    write_idx("m-images-idx3-ubyte", two_images, 3, "abcdefghijkl", 12, false);
    write_idx("m-labels-idx1-ubyte", three, 1, "\1\2\3", 3, false);
    assert_refused("m-images-idx3-ubyte", SL_ERR_INPUT, "3 labels for 2 images");
}

static void test_gzip_in_several_members_is_one_file(void **state)
{
    (void)state;
    struct sl_buffer plain = idx_of(two_images, 3, "abcdefghijkl", 12), packed;
    sl_buffer_init(&packed, 1 << 20);
    put_gzip(&packed, plain.data, 10);
    put_gzip(&packed, plain.data + 10, plain.length - 10);
    test_write(test_path("members.gz"), packed.data, packed.length);
    struct sl_dataset *dataset = open_idx(test_path("members.gz"), NULL);
    assert_memory_equal(dataset->pixels, "abcdefghijkl", 12);
    sl_dataset_destroy(dataset);

    sl_buffer_text(&packed, "more");
    test_write(test_path("tail.gz"), packed.data, packed.length);
    assert_refused("tail.gz", SL_ERR_INPUT, "other bytes follow the gzip stream");
    for (size_t length = 20; length < packed.length - 4; length++) {
        test_write(test_path("cut.gz"), packed.data, length);
        struct sl_dataset *cut = NULL;
        assert_int_equal(sl_reader_idx.open(test_path("cut.gz"), NULL, &cut, NULL), SL_ERR_INPUT);
        assert_null(cut);
    }
    sl_buffer_release(&packed);
    sl_buffer_release(&plain);
}

static void test_the_real_fashion_mnist_has_its_known_labels(void **state)
{
    (void)state;
    const char *folder = "/usr/share/datasets/fashion-mnist";
    if (!sl_folder_exists(folder)) {
        print_message("skipped: needs the package dataset-fashion-mnist\n");
        skip();
    }
    struct sl_dataset *dataset = open_idx(folder, "test");
    assert_int_equal(dataset->count, 10000);
    assert_int_equal(dataset->height, 28);
    assert_int_equal(dataset->width, 28);
    assert_int_equal(dataset->n_classes, 10);
    static const int32_t first[] = {9, 2, 1, 1, 6, 1, 4, 6, 5, 7};
    assert_memory_equal(dataset->labels, first, sizeof first);
    double sum = 0;
    for (size_t i = 0; i < 10000 * 28 * 28; i++)
        sum += dataset->pixels[i];
    assert_near(sum / (255.0 * 10000 * 28 * 28), 0.2868, 0.0001);
    sl_dataset_destroy(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_find_the_labels_beside_them),
        cmocka_unit_test(test_a_folder_has_two_splits),
        cmocka_unit_test(test_the_probe_knows_idx_by_its_first_bytes),
        cmocka_unit_test(test_what_a_header_promises_must_be_there),
        cmocka_unit_test(test_a_small_file_cannot_claim_much_memory),
        cmocka_unit_test(test_other_headers_are_refused),
        cmocka_unit_test(test_labels_must_be_as_many_as_images),
        cmocka_unit_test(test_gzip_in_several_members_is_one_file),
        cmocka_unit_test(test_the_real_fashion_mnist_has_its_known_labels),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
