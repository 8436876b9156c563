/* Small files that state or hold much more than they should: what they cost before they are
 * refused. The sizes are the process's own, as the kernel counts them. */
#include "bomb.h"
#include "dataset/readers/reader.h"
#include "make_archive.h"
#include "make_exif.h"
#include "softlab/dataset.h"

static enum sl_status open_set(const char *path, struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    const enum sl_status status = sl_dataset_open(path, NULL, &set, err);
    sl_dataset_destroy(set);
    return status;
}

static enum sl_status read_rows(const char *path, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    const enum sl_status status = sl_rows_read(path, "labels", &rows, err);
    sl_rows_destroy(rows);
    return status;
}

static enum sl_status read_array(const char *path, struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    struct sl_array array = {0};
    enum sl_status status = sl_npz_open(path, &npz, err);
    if (status == SL_OK) status = sl_npz_read(npz, "x", &array, err);
    sl_array_release(&array);
    sl_npz_close(npz);
    return status;
}

static enum sl_status read_image(const char *path, struct sl_error *err)
{
    struct sl_image image = {0};
    const enum sl_status status = sl_image_read(path, &image, err);
    sl_image_release(&image);
    return status;
}

static void assert_cheap(enum sl_status (*read)(const char *path, struct sl_error *err),
                         const char *path, const char *part)
{
    const long kilobytes = kilobytes_to_refuse(read, path, part);
    if (kilobytes > BOMB_OVERHEAD) fail_msg("%s took %ld kB", path, kilobytes);
}

static void test_an_npz_is_refused_by_its_headers(void **state)
{
    (void)state;
    char all[64];
    snprintf(all, sizeof all, "(%d,)", BOMB_BYTES);
    const char *path = test_path("bomb.npz");
    /* The stated shape does not match the data, or matches but is not a shape of images. */
    write_npz_bomb(path, "x", "'|u1'", "(10, 2, 2)", BOMB_BYTES, BOMB_BYTES);
    assert_cheap(read_array, path, "the shape (10, 2, 2) needs 40 bytes of data");
    write_npz_bomb(path, "x", "'|u1'", "(10, 2, 2)", 40, BOMB_BYTES);
    assert_cheap(read_array, path, "the deflated data are broken (longer than stated)");
    write_npz_bomb(path, "x", "'|u1'", "(10, 2, 2)", 40, 30);
    assert_cheap(read_array, path, "the deflated data are broken (shorter than stated)");
    write_npz_bomb(path, "images", "'|u1'", all, BOMB_BYTES, BOMB_BYTES);
    assert_cheap(open_set, path, "expected images");
    snprintf(all, sizeof all, "(%d, 1, 1)", BOMB_BYTES);
    write_npz_bomb(path, "images", "'|u1'", all, BOMB_BYTES, BOMB_BYTES);
    assert_cheap(open_set, path, "at least 16 bytes per image");
    snprintf(all, sizeof all, "(%d, 1, 1)", BOMB_BYTES / 4);
    write_npz_bomb(path, "features", "'<f4'", all, BOMB_BYTES, BOMB_BYTES);
    assert_cheap(open_set, path, "expected <f4 or <f8 (N, F)");
    snprintf(all, sizeof all, "(%d,)", BOMB_BYTES / 4);
    write_npz_bomb(path, "labels", "'<f4'", all, BOMB_BYTES, BOMB_BYTES);
    assert_cheap(read_rows, path, "expected shape (any, any)");
}

static void test_an_idx_is_refused_by_its_header(void **state)
{
    (void)state;
    /* 2^27 values: as many as come, of three dimensions where labels have one; images of more
     * pixels than an image may have; images of one pixel; and more than come. */
    static const unsigned char labels[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 32};
    static const unsigned char wide[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0x40, 0, 0, 0, 0x20, 0};
    static const unsigned char many[] = {0, 0, 8, 3, 0x08, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
    static const unsigned char absent[] = {0, 0, 8, 3, 0, 2, 0, 0, 0, 0, 0, 32, 0, 0, 0, 32};
    static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7};
    const char *path = test_path("a-images-idx3-ubyte.gz");
    write_gzip_bomb(path, wide, sizeof wide, BOMB_BYTES);
    assert_cheap(open_set, path, "8192 x 16384 pixels, expected");
    write_gzip_bomb(path, many, sizeof many, BOMB_BYTES);
    assert_cheap(open_set, path, "at least 16 bytes per image");
    write_gzip_bomb(test_path("b-images-idx3-ubyte.gz"), images, sizeof images, 0);
    write_gzip_bomb(test_path("b-labels-idx1-ubyte.gz"), labels, sizeof labels, BOMB_BYTES);
    assert_cheap(open_set, test_path("b-images-idx3-ubyte.gz"), "3 dimensions, expected 1");
    /* Padded with bytes that do not pack, so that the header can be believed. */
    struct sl_buffer file;
    sl_buffer_init(&file, 1 << 24);
    put_packed_zeros(&file, 16 + MAX_WBITS, absent, sizeof absent, 1000);
    while (file.length < 150 << 10)
        sl_buffer_byte(&file, '\0');
    test_write(path, file.data, file.length);
    sl_buffer_release(&file);
    assert_cheap(open_set, path, "ends at byte 1016");
}

static enum sl_status open_archive(const char *path, struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    const enum sl_status status = sl_npy_open_archive(path, "fog.npy", &set, err);
    sl_dataset_destroy(set);
    return status;
}

static void test_an_array_in_an_archive_is_refused_by_its_header(void **state)
{
    (void)state;
    struct sl_buffer head;
    char size[12], shape[64], array[128];
    snprintf(size, sizeof size, "%011o", (unsigned)BOMB_BYTES + 128);
    snprintf(shape, sizeof shape, "(%d,)", BOMB_BYTES);
    sl_buffer_init(&head, 1 << 20);
    put_tar_entry(&head, "fog.npy", '0', "", 0);
    memcpy(head.data + 124, size, sizeof size);
    memset(head.data + 148, ' ', 8);
    unsigned sum = 0;
    for (size_t i = 0; i < head.length; i++)
        sum += (unsigned char)head.data[i];
    snprintf(head.data + 148, 8, "%06o", sum);
    sl_buffer_append(&head, array, npy_head(array, "'|u1'", shape));
    const char *path = test_path("fog.tar.gz");
    write_gzip_bomb(path, head.data, head.length, BOMB_BYTES);
    sl_buffer_release(&head);
    assert_cheap(open_archive, path, "expected images |u1");
}

static void put_chunk(struct sl_buffer *out, const char *name, const void *bytes, size_t length)
{
    unsigned char number[4];
    put_ordered(number, length, 4, 1);
    sl_buffer_append(out, number, 4);
    const size_t start = out->length;
    sl_buffer_text(out, name);
    sl_buffer_append(out, bytes, length);
    put_ordered(number, crc32(0, (const Bytef *)out->data + start, (uInt)length + 4), 4, 1);
    sl_buffer_append(out, number, 4);
}

static void begin_png(struct sl_buffer *out, unsigned width, unsigned height)
{
    unsigned char header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0};
    put_ordered(header, width, 4, 1);
    put_ordered(header + 4, height, 4, 1);
    sl_buffer_append(out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(out, "IHDR", header, sizeof header);
}

static void write_png(const char *path, struct sl_buffer *file, size_t rows)
{
    struct sl_buffer data;
    sl_buffer_init(&data, 1 << 24);
    put_packed_zeros(&data, MAX_WBITS, "", 0, rows);
    put_chunk(file, "IDAT", data.data, data.length);
    put_chunk(file, "IEND", "", 0);
    test_write(path, file->data, file->length);
    sl_buffer_release(&data);
    sl_buffer_release(file);
}

static void test_a_png_is_refused_by_its_header(void **state)
{
    (void)state;
    struct sl_buffer file;
    const char *path = test_path("bomb.png");
    sl_buffer_init(&file, 1 << 24);
    begin_png(&file, 60000, 60000);
    write_png(path, &file, 100 << 20);
    assert_cheap(read_image, path, "60000 x 60000 pixels, expected from 1 to");
    sl_buffer_init(&file, 1 << 24);
    begin_png(&file, 8000, 8000);
    write_png(path, &file, 1000);
    assert_cheap(read_image, path, "states 8000 x 8000 pixels, more than a file of");
}

/* Texts are nothing to a reader of pixels, and each would be unpacked to 8 MB. */
static void test_texts_of_a_png_are_not_unpacked(void **state)
{
    (void)state;
    struct sl_buffer file, text;
    sl_buffer_init(&file, 1 << 24);
    begin_png(&file, 1, 1);
    sl_buffer_init(&text, 1 << 24);
    sl_buffer_append(&text, "Comment\0\0", 9);
    put_packed_zeros(&text, MAX_WBITS, "", 0, (8 << 20) - 100);
    for (size_t i = 0; i < 100; i++)
        put_chunk(&file, "zTXt", text.data, text.length);
    sl_buffer_release(&text);
    const char *path = test_path("texts.png");
    write_png(path, &file, 2); /* of a row's four bytes */
    assert_cheap(read_image, path, "PNG broken");
}

/* A file that keeps its header's promise is read with at most four times the bytes stated. */
static enum sl_status open_and_refuse(const char *path, struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    SL_TRY(sl_dataset_open(path, NULL, &set, err));
    sl_dataset_destroy(set);
    return sl_fail(err, SL_ERR_INPUT, "was read");
}

static void test_an_honest_file_takes_four_times_what_it_states_at_most(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* the sanitizer's shadow memory counts as memory too */
#endif
    enum { BYTES = 64 << 20, KILOBYTES = BYTES >> 10 };
    static const unsigned char head[] = {0, 0, 8, 3, 0, 1, 0, 0, 0, 0, 0, 32, 0, 0, 0, 32};
    const char *path = test_path("honest.npz");
    write_npz_bomb(path, "images", "'|u1'", "(65536, 32, 32)", BYTES, BYTES);
    assert_in_range(kilobytes_to_refuse(open_and_refuse, path, "was read"), KILOBYTES / 2,
                    4 * KILOBYTES);
    path = test_path("c-images-idx3-ubyte.gz");
    write_gzip_bomb(path, head, sizeof head, BYTES);
    assert_in_range(kilobytes_to_refuse(open_and_refuse, path, "was read"), KILOBYTES / 2,
                    4 * KILOBYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_npz_is_refused_by_its_headers),
        cmocka_unit_test(test_an_idx_is_refused_by_its_header),
        cmocka_unit_test(test_an_array_in_an_archive_is_refused_by_its_header),
        cmocka_unit_test(test_a_png_is_refused_by_its_header),
        cmocka_unit_test(test_texts_of_a_png_are_not_unpacked),
        cmocka_unit_test(test_an_honest_file_takes_four_times_what_it_states_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
