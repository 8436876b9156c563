#include "study/session/images.h"

#include "make_exif.h"
#include "softlab/dataset/image.h"

static const char *image_of(size_t height, size_t width)
{
    struct sl_image image;
    struct sl_error err;
    const char *path = test_path("image.png");
    assert_ok(sl_image_create(height, width, 3, &image, &err), err);
    for (size_t i = 0; i < height * width * 3; i++)
        image.pixels[i] = (uint8_t)(i * 2);
    assert_ok(sl_image_write_png(&image, NULL, path, &err), err);
    sl_image_release(&image);
    return path;
}

static void make(const char *path, const struct sl_picture_look *look, struct sl_image *out)
{
    struct sl_buffer bytes;
    struct sl_error err;
    const char *type = NULL;
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_picture_make(path, look, &bytes, &type, &err), err);
    assert_string_equal(type, "image/png");
    assert_ok(sl_image_decode(bytes.data, bytes.length, "made", out, &err), err);
    sl_buffer_release(&bytes);
}

static void assert_size(const char *path, const struct sl_picture_look *look, size_t width,
                        size_t height)
{
    struct sl_image image;
    make(path, look, &image);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    sl_image_release(&image);
}

/* The area of a square of twice the size, whatever the shape, with no side above four times it. */
static void test_every_shape_gets_the_area_of_the_box(void **state)
{
    (void)state;
    const struct sl_picture_look look = {.upsample = "lanczos", .size = 20};
    assert_size(image_of(8, 8), &look, 40, 40);
    assert_size(image_of(4, 9), &look, 60, 27);
    assert_size(image_of(9, 4), &look, 27, 60);
    assert_size(image_of(2, 32), &look, 80, 5);
    assert_size(image_of(4, 8), &(struct sl_picture_look){.upsample = "none", .size = 20}, 8, 4);
}

static void test_enlarged_a_picture_keeps_what_its_file_has(void **state)
{
    (void)state;
    const struct sl_picture_look large = {.upsample = "lanczos", .size = 20, .large = true};
    assert_size(image_of(150, 100), &large, 100, 150);
    assert_size(image_of(8, 8), &large, 40, 40);
    assert_size(image_of(1, 3200), &large, 1600, 1);
}

static void test_nearest_repeats_pixels(void **state)
{
    (void)state;
    struct sl_image image;
    make(image_of(8, 8), &(struct sl_picture_look){.upsample = "nearest", .size = 8}, &image);
    assert_int_equal(image.width, 16);
    for (size_t y = 0; y < 16; y++)
        for (size_t x = 0; x < 16; x++)
            assert_int_equal(image.pixels[(y * 16 + x) * 3], (y / 2 * 8 + x / 2) * 3 * 2 % 256);
    sl_image_release(&image);
}

static void test_what_is_no_image_is_an_error(void **state)
{
    (void)state;
    struct sl_buffer bytes;
    struct sl_error err;
    const struct sl_picture_look look = {.upsample = "lanczos", .size = 8};
    const char *type = NULL;
    sl_buffer_init(&bytes, 1 << 20);
    test_write(test_path("broken.png"), "not", 3);
    assert_fails(sl_picture_make(test_path("broken.png"), &look, &bytes, &type, &err), SL_ERR_INPUT,
                 err, "broken.png");
    assert_fails(sl_picture_make(test_path("absent.png"), &look, &bytes, &type, &err),
                 SL_ERR_NOT_FOUND, err, "absent.png");
    sl_buffer_release(&bytes);
}

static void fill(struct sl_buffer *bytes, size_t length)
{
    sl_buffer_init(bytes, 64 << 20);
    memset(sl_buffer_reserve(bytes, length), 'x', length);
    bytes->length = length;
}

static void test_memory_is_bounded_and_the_last_used_stay(void **state)
{
    (void)state;
    struct sl_images images;
    struct sl_buffer bytes;
    sl_images_init(&images, 4);
    fill(&bytes, 12 << 20);
    assert_non_null(sl_images_put(&images, 0, "image/png", &bytes));
    assert_non_null(sl_images_put(&images, 1, "image/png", &bytes));
    assert_non_null(sl_images_find(&images, 0));
    assert_non_null(sl_images_put(&images, 2, "image/png", &bytes));
    assert_true(images.bytes <= SL_IMAGES_MAX_BYTES);
    assert_non_null(sl_images_find(&images, 0));
    assert_null(sl_images_find(&images, 1));
    assert_non_null(sl_images_find(&images, 2));
    assert_non_null(sl_images_put(&images, 2, "image/png", &bytes));
    assert_int_equal(images.bytes, 24 << 20);
    sl_buffer_release(&bytes);
    fill(&bytes, SL_IMAGES_MAX_BYTES + 1);
    assert_null(sl_images_put(&images, 3, "image/png", &bytes));
    sl_buffer_release(&bytes);
    sl_images_release(&images);
}

static void test_what_is_being_sent_counts_and_stays_as_it_is(void **state)
{
    (void)state;
    struct sl_images images;
    struct sl_buffer bytes;
    sl_images_init(&images, 4);
    fill(&bytes, 12 << 20);
    struct sl_picture *first = sl_images_put(&images, 0, "image/png", &bytes);
    struct sl_picture *second = sl_images_put(&images, 1, "image/png", &bytes);
    sl_picture_hold(first);
    sl_picture_hold(first);
    sl_picture_hold(second);
    /* Both are on their way: there is no room for a third. */
    assert_null(sl_images_put(&images, 2, "image/png", &bytes));
    assert_int_equal(images.bytes, 24 << 20);
    assert_ptr_equal(sl_images_find(&images, 0), first);
    sl_picture_let_go(first);
    assert_null(sl_images_put(&images, 2, "image/png", &bytes));
    sl_picture_let_go(first);
    assert_ptr_equal(sl_images_find(&images, 0), first);
    struct sl_picture *third = sl_images_put(&images, 2, "image/png", &bytes);
    assert_non_null(third);
    assert_null(sl_images_find(&images, 0));
    /* A picture that is replaced lives until its last reader has it. */
    assert_null(sl_images_put(&images, 1, "image/png", &(struct sl_buffer){0}));
    assert_null(sl_images_find(&images, 1));
    assert_int_equal(second->bytes[0], 'x');
    assert_int_equal(images.bytes, 24 << 20);
    sl_picture_let_go(second);
    assert_int_equal(images.bytes, 12 << 20);
    sl_buffer_release(&bytes);
    sl_images_release(&images);
}

/* A picture of 16 x 8 whose upper half is white: on its side in the file, as a camera held upright
 * stores it (6), what annotators are shown is 8 x 16 with its right half white. */
static void assert_upright(const char *path, const char *upsample)
{
    struct sl_buffer bytes;
    struct sl_error err;
    struct sl_image shown = {0};
    const char *type = NULL;
    sl_buffer_init(&bytes, 1 << 20);
    const struct sl_picture_look look = {.upsample = upsample, .size = 20};
    assert_ok(sl_picture_make(path, &look, &bytes, &type, &err), err);
    /* What a browser shows: a PNG as it is, a JPEG turned. */
    if (strcmp(type, "image/png") == 0)
        assert_int_equal(sl_image_orientation(bytes.data, bytes.length), 1);
    else
        assert_int_equal(sl_image_orientation(bytes.data, bytes.length), 6);
    assert_ok(sl_image_decode(bytes.data, bytes.length, "made", &shown, &err), err);
    /* Of 16 x 8: twice as high as wide, to the pixel. */
    assert_true(shown.height > shown.width && shown.height <= 2 * shown.width + 1);
    assert_true(shown.pixels[3] < 128);
    assert_true(shown.pixels[3 * (shown.width - 1)] > 128);
    sl_image_release(&shown);
    sl_buffer_release(&bytes);
}

static void test_photographs_are_upright_for_everybody(void **state)
{
    (void)state;
    static const char *const ways[] = {"lanczos", "nearest", "none"};
    struct sl_image image;
    struct sl_error err;
    struct sl_buffer jpeg, png;
    sl_buffer_init(&jpeg, 1 << 20);
    sl_buffer_init(&png, 1 << 20);
    assert_ok(sl_image_create(8, 16, 3, &image, &err), err);
    memset(image.pixels, 255, (size_t)4 * 16 * 3);
    put_jpeg_with_exif(&jpeg, &image, 6, 1);
    put_png_with_exif(&png, &image, 6);
    test_write(test_path("photo.jpg"), jpeg.data, jpeg.length);
    test_write(test_path("photo.png"), png.data, png.length);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_upright(test_path("photo.jpg"), ways[i]);
        assert_upright(test_path("photo.png"), ways[i]);
    }
    sl_image_release(&image);
    sl_buffer_release(&jpeg);
    sl_buffer_release(&png);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape_gets_the_area_of_the_box),
        cmocka_unit_test(test_enlarged_a_picture_keeps_what_its_file_has),
        cmocka_unit_test(test_nearest_repeats_pixels),
        cmocka_unit_test(test_what_is_no_image_is_an_error),
        cmocka_unit_test(test_photographs_are_upright_for_everybody),
        cmocka_unit_test(test_memory_is_bounded_and_the_last_used_stay),
        cmocka_unit_test(test_what_is_being_sent_counts_and_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
