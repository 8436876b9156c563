#include "make_png.h"

#include <jpeglib.h>

#include "dataset/images/codec.h"
#include "softlab/dataset/image.h"

static struct sl_error err;

static struct sl_buffer png_of(struct png_header header, const void *rows, size_t length)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 20);
    put_png_header(&out, header);
    put_png_rows(&out, rows, length);
    return out;
}

static void assert_pixels(const struct sl_buffer *png, size_t channels, const uint8_t *expected,
                          size_t count)
{
    struct sl_image image;
    assert_ok(sl_image_decode(png->data, png->length, "made.png", &image, &err), err);
    assert_int_equal(image.channels, channels);
    assert_int_equal(image.height * image.width * channels, count);
    assert_memory_equal(image.pixels, expected, count);
    sl_image_release(&image);
}

static void test_rgb_comes_as_it_is(void **state)
{
    (void)state;
    /* Two rows of two pixels; the second row is stored as differences to the first (filter 2). */
    const uint8_t rows[] = {0, 1, 2, 3, 4, 5, 6, 2, 9, 8, 7, 0, 0, 250};
    const uint8_t expected[] = {1, 2, 3, 4, 5, 6, 10, 10, 10, 4, 5, 0};
    struct sl_buffer png = png_of((struct png_header){2, 2, 8, PNG_RGB, 0}, rows, sizeof rows);
    assert_pixels(&png, 3, expected, sizeof expected);
    sl_buffer_release(&png);
}

static void test_few_and_many_bits_become_eight(void **state)
{
    (void)state;
    const uint8_t bits[] = {0, 0xA0}; /* 1 0 1 */
    const uint8_t from_bits[] = {255, 0, 255};
    struct sl_buffer png = png_of((struct png_header){3, 1, 1, PNG_GREY, 0}, bits, sizeof bits);
    assert_pixels(&png, 1, from_bits, sizeof from_bits);
    sl_buffer_release(&png);

    /* 0x7F80 is 32640 of 65535: 127.0 of 255. 0x7FFF is 127.498, which rounds down. */
    const uint8_t words[] = {0, 0x7F, 0x80, 0x7F, 0xFF, 0xFF, 0xFF};
    const uint8_t from_words[] = {127, 127, 255};
    png = png_of((struct png_header){3, 1, 16, PNG_GREY, 0}, words, sizeof words);
    assert_pixels(&png, 1, from_words, sizeof from_words);
    sl_buffer_release(&png);
}

static void test_a_palette_becomes_rgb(void **state)
{
    (void)state;
    const uint8_t row[] = {0, 1, 0};
    const uint8_t expected[] = {40, 50, 60, 10, 20, 30};
    struct sl_buffer png;
    sl_buffer_init(&png, 4096);
    put_png_header(&png, (struct png_header){2, 1, 8, PNG_PALETTE, 0});
    put_chunk(&png, "PLTE", "\x0a\x14\x1e\x28\x32\x3c", 6);
    put_png_rows(&png, row, sizeof row);
    assert_pixels(&png, 3, expected, sizeof expected);
    sl_buffer_release(&png);
}

static void test_transparency_is_laid_over_white(void **state)
{
    (void)state;
    /* Alpha 0 is white, 255 the colour, 51 = 1/5: 100 / 5 + 255 * 4 / 5 = 224. */
    const uint8_t rgba[] = {0, 9, 9, 9, 0, 1, 2, 3, 255, 100, 0, 255, 51};
    const uint8_t rgb[] = {255, 255, 255, 1, 2, 3, 224, 204, 255};
    struct sl_buffer png =
        png_of((struct png_header){3, 1, 8, PNG_RGB_ALPHA, 0}, rgba, sizeof rgba);
    assert_pixels(&png, 3, rgb, sizeof rgb);
    sl_buffer_release(&png);

    const uint8_t grey_alpha[] = {0, 7, 0, 7, 255};
    const uint8_t grey[] = {255, 7};
    png = png_of((struct png_header){2, 1, 8, PNG_GREY_ALPHA, 0}, grey_alpha, sizeof grey_alpha);
    assert_pixels(&png, 1, grey, sizeof grey);
    sl_buffer_release(&png);

    /* One palette entry made transparent by tRNS. */
    const uint8_t row[] = {0, 0, 1};
    const uint8_t mixed[] = {255, 255, 255, 4, 5, 6};
    sl_buffer_init(&png, 4096);
    put_png_header(&png, (struct png_header){2, 1, 8, PNG_PALETTE, 0});
    put_chunk(&png, "PLTE", "\1\2\3\4\5\6", 6);
    put_chunk(&png, "tRNS", "\0", 1);
    put_png_rows(&png, row, sizeof row);
    assert_pixels(&png, 3, mixed, sizeof mixed);
    sl_buffer_release(&png);
}

static void test_interlaced_pixels_find_their_places(void **state)
{
    (void)state;
    /* Adam7 of a 3 x 3 image: pass 1 has (0,0), pass 5 row 2 of columns 0 and 2, pass 4
     * column 2 of row 0, pass 6 column 1 of rows 0 and 2, pass 7 row 1. */
    const uint8_t rows[] = {0, 10, 0, 12, 0, 30, 32, 0, 11, 0, 31, 0, 20, 21, 22};
    const uint8_t expected[] = {10, 11, 12, 20, 21, 22, 30, 31, 32};
    struct sl_buffer png = png_of((struct png_header){3, 3, 8, PNG_GREY, 1}, rows, sizeof rows);
    assert_pixels(&png, 1, expected, sizeof expected);
    sl_buffer_release(&png);
}

static void assert_broken(const void *bytes, size_t length, const char *part)
{
    struct sl_image image = {0};
    assert_fails(sl_image_decode(bytes, length, "x.png", &image, &err), SL_ERR_INPUT, err, part);
    assert_null(image.pixels);
    assert_int_equal(sl_image_decode(bytes, length, "x.png", &image, NULL), SL_ERR_INPUT);
}

static void test_every_cut_of_a_png_is_an_error(void **state)
{
    (void)state;
    const uint8_t rows[] = {0, 1, 2, 3, 0, 4, 5, 6};
    struct sl_buffer png = png_of((struct png_header){1, 2, 8, PNG_RGB, 0}, rows, sizeof rows);
    for (size_t length = 8; length < png.length; length++)
        assert_broken(png.data, length, "x.png: ends at byte");
    sl_buffer_release(&png);
}

static void test_every_flipped_byte_of_a_png_is_an_error(void **state)
{
    (void)state;
    const uint8_t rows[] = {0, 1, 2, 3, 0, 4, 5, 6};
    struct sl_buffer png = png_of((struct png_header){1, 2, 8, PNG_RGB, 0}, rows, sizeof rows);
    for (size_t at = 0; at < png.length; at++) {
        png.data[at] = (char)(png.data[at] ^ 0x10);
        assert_broken(png.data, png.length, "x.png: ");
        png.data[at] = (char)(png.data[at] ^ 0x10);
    }
    sl_buffer_release(&png);
}

static void test_a_small_file_cannot_claim_much_memory(void **state)
{
    (void)state;
    const uint8_t row[] = {0, 0};
    struct sl_buffer png =
        png_of((struct png_header){65536, 65536, 8, PNG_GREY, 0}, row, sizeof row);
    assert_broken(png.data, png.length, "x.png: 65536 x 65536 pixels");
    sl_buffer_release(&png);
    png = png_of((struct png_header){0x7fffffff, 1, 8, PNG_GREY, 0}, row, sizeof row);
    assert_broken(png.data, png.length, "x.png: PNG broken before byte 33");
    sl_buffer_release(&png);
}

static void test_other_files_are_named_by_their_first_bytes(void **state)
{
    (void)state;
    assert_broken("GIF89a", 6,
                  "x.png: neither PNG nor JPEG; the file begins with the bytes 47 49 46 38 39 61");
    assert_broken("", 0, "x.png: empty");
}

static void test_creation_checks_its_arguments(void **state)
{
    (void)state;
    struct sl_image image = {0};
    assert_fails(sl_image_create(2, 2, 2, &image, &err), SL_ERR_USAGE, err, "channels");
    assert_fails(sl_image_create(0, 2, 3, &image, &err), SL_ERR_INPUT, err, "0 pixels");
    assert_fails(sl_image_create((size_t)1 << 40, (size_t)1 << 40, 3, &image, &err), SL_ERR_INPUT,
                 err, "pixels");
    assert_ok(sl_image_create(2, 3, 3, &image, &err), err);
    for (size_t i = 0; i < 18; i++)
        assert_int_equal(image.pixels[i], 0);
    sl_image_release(&image);
    assert_null(image.pixels);
}

static void assert_round_trip(size_t channels, const char *note, const char *chunk)
{
    struct sl_image image, again;
    assert_ok(sl_image_create(5, 7, channels, &image, &err), err);
    for (size_t i = 0; i < 35 * channels; i++)
        image.pixels[i] = (uint8_t)(i * 37);
    const char *path = test_path("written.png");
    assert_ok(sl_image_write_png(&image, note, path, &err), err);
    assert_ok(sl_image_read(path, &again, &err), err);
    assert_int_equal(again.height, 5);
    assert_int_equal(again.width, 7);
    assert_int_equal(again.channels, channels);
    assert_memory_equal(image.pixels, again.pixels, 35 * channels);
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_file_read(path, &bytes, &err), err);
    const char *found = NULL;
    for (size_t i = 0; chunk && i + strlen(chunk) < bytes.length; i++)
        if (memcmp(bytes.data + i, chunk, strlen(chunk)) == 0) found = bytes.data + i;
    assert_true(!chunk || found);
    if (chunk) assert_memory_equal(found + 4, "Description", 12);
    sl_buffer_release(&bytes);
    sl_image_release(&image);
    sl_image_release(&again);
}

static void test_a_written_png_reads_back_with_its_description(void **state)
{
    (void)state;
    assert_round_trip(3, NULL, NULL);
    assert_round_trip(1, "mixed from 3 and 9", "tEXt");
    assert_round_trip(3, "gr\xc3\xbc\xc3\x9f", "iTXt");
}

static void test_writing_where_one_cannot_says_where(void **state)
{
    (void)state;
    struct sl_image image;
    assert_ok(sl_image_create(1, 1, 1, &image, &err), err);
    assert_fails(sl_image_write_png(&image, NULL, test_path("no/such/a.png"), &err), SL_ERR_IO, err,
                 "no/such/a.png");
    sl_image_release(&image);
    assert_fails(sl_image_read(test_path("absent.png"), &image, &err), SL_ERR_NOT_FOUND, err,
                 "absent.png");
}

/* A `side` x `side` JPEG of one colour; the caller frees. */
static unsigned char *make_jpeg(J_COLOR_SPACE space, const uint8_t *colour, unsigned side,
                                bool progressive, unsigned long *length)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    *length = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, length);
    jpeg.image_width = jpeg.image_height = side;
    jpeg.input_components = space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    if (progressive) jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    uint8_t row[64 * 4];
    for (unsigned i = 0; i < side * (unsigned)jpeg.input_components; i++)
        row[i] = colour[i % (unsigned)jpeg.input_components];
    JSAMPROW rows[] = {row};
    for (unsigned i = 0; i < side; i++)
        jpeg_write_scanlines(&jpeg, rows, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return bytes;
}

static void assert_jpeg(J_COLOR_SPACE space, bool progressive, size_t channels)
{
    const uint8_t colour[] = {200, 100, 50};
    unsigned long length = 0;
    unsigned char *bytes = make_jpeg(space, colour, 20, progressive, &length);
    struct sl_image image;
    assert_ok(sl_image_decode(bytes, length, "a.jpg", &image, &err), err);
    assert_int_equal(image.height, 20);
    assert_int_equal(image.width, 20);
    assert_int_equal(image.channels, channels);
    for (size_t i = 0; i < 400 * channels; i++)
        assert_near(image.pixels[i], colour[i % channels], 3);
    sl_image_release(&image);
    free(bytes);
}

static void test_jpegs_keep_their_colours(void **state)
{
    (void)state;
    assert_jpeg(JCS_RGB, false, 3);
    assert_jpeg(JCS_RGB, true, 3);
    assert_jpeg(JCS_GRAYSCALE, false, 1);
}

static void test_a_cmyk_jpeg_is_refused_in_words(void **state)
{
    (void)state;
    const uint8_t colour[] = {1, 2, 3, 4};
    unsigned long length = 0;
    unsigned char *bytes = make_jpeg(JCS_CMYK, colour, 8, false, &length);
    assert_broken(bytes, length, "CMYK");
    free(bytes);
}

static void test_every_cut_of_a_jpeg_is_an_error(void **state)
{
    (void)state;
    const uint8_t colour[] = {200, 100, 50};
    unsigned long length = 0;
    unsigned char *bytes = make_jpeg(JCS_RGB, colour, 20, false, &length);
    /* Without its last two bytes, the end marker, a JPEG still has all its pixels. */
    for (unsigned long cut = 3; cut + 2 < length; cut++)
        assert_broken(bytes, cut, "x.png: JPEG broken: ");
    free(bytes);
}

struct rows_seen {
    size_t count;
    uint8_t first_of[4];
    size_t stop_at;
};

static enum sl_status note_row(void *context, size_t row, const uint8_t *pixels,
                               struct sl_error *error)
{
    struct rows_seen *seen = context;
    if (row == seen->stop_at) return sl_fail(error, SL_ERR_NUMERIC, "stopped");
    assert_int_equal(row, seen->count);
    seen->first_of[seen->count++] = pixels[0];
    return SL_OK;
}

static enum sl_status read_rows(const struct sl_buffer *png, size_t width, size_t height,
                                struct rows_seen *seen)
{
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, png->data, png->length, "rows.png");
    return sl_png_read_rows(&memory.stream, width, height, note_row, seen, &err);
}

static void test_rows_come_in_order_and_can_be_stopped(void **state)
{
    (void)state;
    const uint8_t rows[] = {0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9};
    struct sl_buffer png = png_of((struct png_header){1, 3, 8, PNG_RGB, 0}, rows, sizeof rows);
    struct rows_seen seen = {.stop_at = 9};
    assert_ok(read_rows(&png, 1, 3, &seen), err);
    assert_int_equal(seen.count, 3);
    assert_memory_equal(seen.first_of, "\1\4\7", 3);
    seen = (struct rows_seen){.stop_at = 2};
    assert_fails(read_rows(&png, 1, 3, &seen), SL_ERR_NUMERIC, err, "stopped");
    assert_int_equal(seen.count, 2);
    png.length -= 20; /* into the pixels */
    seen = (struct rows_seen){.stop_at = 9};
    assert_fails(read_rows(&png, 1, 3, &seen), SL_ERR_INPUT, err, "rows.png: ends at byte");
    sl_buffer_release(&png);
}

static void test_rows_of_another_size_or_kind_are_refused(void **state)
{
    (void)state;
    const uint8_t rows[] = {0, 1, 2, 3, 0, 4, 5, 6};
    struct sl_buffer png = png_of((struct png_header){1, 2, 8, PNG_RGB, 0}, rows, sizeof rows);
    struct rows_seen seen = {.stop_at = 9};
    assert_fails(read_rows(&png, 1, 3, &seen), SL_ERR_INPUT, err,
                 "rows.png: expected 1 x 3 pixels, found 1 x 2");
    assert_fails(read_rows(&png, 2, 2, &seen), SL_ERR_INPUT, err, "expected 2 x 2 pixels");
    sl_buffer_release(&png);
    png = png_of((struct png_header){3, 2, 8, PNG_GREY, 0}, rows, sizeof rows);
    assert_fails(read_rows(&png, 3, 2, &seen), SL_ERR_INPUT, err, "8-bit RGB");
    sl_buffer_release(&png);
    assert_int_equal(seen.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rgb_comes_as_it_is),
        cmocka_unit_test(test_few_and_many_bits_become_eight),
        cmocka_unit_test(test_a_palette_becomes_rgb),
        cmocka_unit_test(test_transparency_is_laid_over_white),
        cmocka_unit_test(test_interlaced_pixels_find_their_places),
        cmocka_unit_test(test_every_cut_of_a_png_is_an_error),
        cmocka_unit_test(test_every_flipped_byte_of_a_png_is_an_error),
        cmocka_unit_test(test_a_small_file_cannot_claim_much_memory),
        cmocka_unit_test(test_other_files_are_named_by_their_first_bytes),
        cmocka_unit_test(test_creation_checks_its_arguments),
        cmocka_unit_test(test_a_written_png_reads_back_with_its_description),
        cmocka_unit_test(test_writing_where_one_cannot_says_where),
        cmocka_unit_test(test_jpegs_keep_their_colours),
        cmocka_unit_test(test_a_cmyk_jpeg_is_refused_in_words),
        cmocka_unit_test(test_every_cut_of_a_jpeg_is_an_error),
        cmocka_unit_test(test_rows_come_in_order_and_can_be_stopped),
        cmocka_unit_test(test_rows_of_another_size_or_kind_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
