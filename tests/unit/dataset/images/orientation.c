#include "dataset/images/orientation.h"

#include "dataset/images/codec.h"
#include "make_exif.h"
#include "softlab/dataset.h"

/* A picture of 24 x 16 whose quarters are red, green, blue and white, and which way its corners are
 * to be shown, from the table in the EXIF standard: row 0 of the file is the top (1, 2), the bottom
 * (3, 4), the left (5, 8) or the right side (6, 7). */
static const char stored[4] = {'r', 'g', 'b', 'w'}; /* top left, top right, bottom left, right */
static const char shown[9][4] = {
    {0},
    {'r', 'g', 'b', 'w'},
    {'g', 'r', 'w', 'b'},
    {'w', 'b', 'g', 'r'},
    {'b', 'w', 'r', 'g'},
    {'r', 'b', 'g', 'w'},
    {'b', 'r', 'w', 'g'},
    {'w', 'g', 'b', 'r'},
    {'g', 'w', 'r', 'b'},
};

enum { HEIGHT = 16, WIDTH = 24 };

static void colour_of(char name, uint8_t out[3])
{
    out[0] = name == 'r' || name == 'w' ? 255 : 0;
    out[1] = name == 'g' || name == 'w' ? 255 : 0;
    out[2] = name == 'b' || name == 'w' ? 255 : 0;
}

static struct sl_image quarters(void)
{
    struct sl_image image;
    struct sl_error err;
    assert_ok(sl_image_create(HEIGHT, WIDTH, 3, &image, &err), err);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            colour_of(stored[2 * (y >= HEIGHT / 2) + (x >= WIDTH / 2)],
                      image.pixels + 3 * (y * WIDTH + x));
    return image;
}

static char name_at(const struct sl_image *image, size_t y, size_t x)
{
    const uint8_t *pixel = image->pixels + 3 * (y * image->width + x);
    if (pixel[0] > 128 && pixel[1] > 128 && pixel[2] > 128) return 'w';
    return pixel[0] > 128 ? 'r' : pixel[1] > 128 ? 'g' : 'b';
}

static void assert_shown(const struct sl_image *image, unsigned orientation)
{
    assert_int_equal(image->height, orientation < 5 ? HEIGHT : WIDTH);
    assert_int_equal(image->width, orientation < 5 ? WIDTH : HEIGHT);
    const size_t bottom = image->height - 3, right = image->width - 3;
    assert_int_equal(name_at(image, 2, 2), shown[orientation][0]);
    assert_int_equal(name_at(image, 2, right), shown[orientation][1]);
    assert_int_equal(name_at(image, bottom, 2), shown[orientation][2]);
    assert_int_equal(name_at(image, bottom, right), shown[orientation][3]);
}

static void test_every_orientation_of_a_jpeg_is_turned_upright(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image image = quarters();
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        for (int big = 0; big < 2; big++) {
            struct sl_buffer file;
            sl_buffer_init(&file, 1 << 16);
            put_jpeg_with_exif(&file, &image, orientation, big);
            assert_int_equal(sl_image_orientation(file.data, file.length), orientation);
            struct sl_image read = {0};
            assert_ok(sl_image_decode(file.data, file.length, "t.jpg", &read, &err), err);
            assert_shown(&read, orientation);
            sl_image_release(&read);
            sl_buffer_release(&file);
        }
    }
    sl_image_release(&image);
}

static void test_every_orientation_of_a_png_is_turned_upright(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image image = quarters();
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        struct sl_buffer file;
        sl_buffer_init(&file, 1 << 16);
        put_png_with_exif(&file, &image, orientation);
        struct sl_image read = {0};
        assert_ok(sl_image_decode(file.data, file.length, "t.png", &read, &err), err);
        assert_shown(&read, orientation);
        sl_image_release(&read);
        sl_buffer_release(&file);
    }
    sl_image_release(&image);
}

static void test_grey_pictures_turn_too(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image image;
    assert_ok(sl_image_create(2, 3, 1, &image, &err), err);
    memcpy(image.pixels, "abcdef", 6);
    assert_ok(sl_image_turn(&image, 6, &err), err);
    assert_int_equal(image.height, 3);
    assert_int_equal(image.width, 2);
    assert_memory_equal(image.pixels, "daebfc", 6);
    assert_ok(sl_image_turn(&image, 8, &err), err);
    assert_memory_equal(image.pixels, "abcdef", 6);
    sl_image_release(&image);
}

static void test_exif_that_states_nothing_leaves_the_picture(void **state)
{
    (void)state;
    unsigned char bytes[64];
    for (int big = 0; big < 2; big++) {
        const size_t length = put_tiff(bytes, 6, big);
        assert_int_equal(sl_exif_orientation(bytes, length), 6);
        /* Cut anywhere, read from memory that ends there. */
        for (size_t cut = 0; cut < length; cut++) {
            unsigned char *exact = malloc(cut ? cut : 1);
            memcpy(exact, bytes, cut);
            const unsigned found = sl_exif_orientation(exact, cut);
            assert_true(found == 1 || found == 6);
            if (cut < length - 4) assert_int_equal(found, 1);
            free(exact);
        }
        for (unsigned wrong = 9; wrong < 70000; wrong += 1111) {
            assert_int_equal(sl_exif_orientation(bytes, put_tiff(bytes, wrong & 0xffff, big)),
                             (wrong & 0xffff) >= 1 && (wrong & 0xffff) <= 8 ? wrong & 0xffff : 1);
        }
        put_tiff(bytes, 6, big);
        bytes[big ? 13 : 12] = 4; /* a long */
        assert_int_equal(sl_exif_orientation(bytes, length), 1);
        put_tiff(bytes, 6, big);
        memset(bytes + 4, 0xff, 4); /* a directory beyond the end */
        assert_int_equal(sl_exif_orientation(bytes, length), 1);
        put_tiff(bytes, 6, big);
        memset(bytes + 8, 0xff, 2); /* more entries than there are bytes */
        assert_int_equal(sl_exif_orientation(bytes, length), 1);
    }
    assert_int_equal(sl_exif_orientation((const unsigned char *)"", 0), 1);
    assert_int_equal(sl_image_orientation("GIF89a", 6), 1);
}

/* A contact sheet, mixed images and everything else that opens a folder sees pictures upright. */
static void test_a_folder_of_photographs_is_upright(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image image = quarters();
    struct sl_buffer file;
    sl_buffer_init(&file, 1 << 16);
    put_jpeg_with_exif(&file, &image, 6, 0);
    test_write(test_path("photo.jpg"), file.data, file.length);
    struct sl_dataset *set = NULL;
    assert_ok(sl_dataset_open(test_path(""), NULL, &set, &err), err);
    struct sl_image read = {0};
    assert_ok(sl_dataset_image(set, 0, &read, &err), err);
    assert_shown(&read, 6);
    sl_image_release(&read);
    assert_ok(sl_dataset_load(set, 0, 0, 0, &err), err);
    assert_int_equal(set->height, WIDTH);
    assert_int_equal(set->width, HEIGHT);
    sl_dataset_destroy(set);
    sl_buffer_release(&file);
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_orientation_of_a_jpeg_is_turned_upright),
        cmocka_unit_test(test_every_orientation_of_a_png_is_turned_upright),
        cmocka_unit_test(test_grey_pictures_turn_too),
        cmocka_unit_test(test_exif_that_states_nothing_leaves_the_picture),
        cmocka_unit_test(test_a_folder_of_photographs_is_upright),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
