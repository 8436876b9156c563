/* Images of numpy's arrays: uint8 or float, (N, H, W, C), (N, C, H, W) or (N, H, W), where C is 1
 * or
 * 3. A shape that fits both orders is refused.
 *
 * Floats are pixels from 0 to 1 if none is above 1, and from 0 to 255 if all are whole numbers.
 * Where both or neither hold, as for images of zeros and ones or for fractions above 1, the array
 * does not say which it is, and the reader asks. Negative values are refused: normalised images
 * cannot be turned back without the mean and the deviation. */
#include "dataset/readers/npy_images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { SHAPE_TEXT = 256, BYTE_MOST = 255 };

static bool are_floats(const struct sl_array *array)
{
    return array->dtype == SL_F4 || array->dtype == SL_F8;
}

bool sl_npy_are_images(const struct sl_array *array)
{
    return !are_floats(array) || array->n_dimensions > 2;
}

/* ---- Options ---- */

static const struct {
    const char *name, *values[3]; /* a value's place is its enum less one */
} option_words[] = {{"layout", {"nhwc", "nchw"}}, {"range", {"1", "255"}}};
enum { OPTIONS = sizeof option_words / sizeof *option_words };

static enum sl_status set_option(const char *path, const char *name, const char *value,
                                 struct sl_npy_options *out, struct sl_error *err)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(name, option_words[i].name) != 0) continue;
        for (unsigned v = 0; option_words[i].values[v]; v++) {
            if (strcmp(value, option_words[i].values[v]) != 0) continue;
            if (i == 0)
                out->layout = v + 1;
            else
                out->range = v + 1;
            return SL_OK;
        }
        return sl_fail(err, SL_ERR_USAGE, "%s: %s is %s or %s, not \"%s\"", path, name,
                       option_words[i].values[0], option_words[i].values[1], value);
    }
    return sl_fail(err, SL_ERR_USAGE, "%s: \"%s\" is not an option; there are layout and range",
                   path, name);
}

enum sl_status sl_npy_options_parse(const char *path, const char *text, struct sl_npy_options *out,
                                    struct sl_error *err)
{
    *out = (struct sl_npy_options){0};
    if (!text || !strchr(text, '=')) return sl_no_split(path, text, err);
    char **words = sl_text_split(text);
    enum sl_status status = SL_OK;
    for (char **word = words; *word && status == SL_OK; word++) {
        char *value = strchr(*word, '=');
        if (value) *value++ = '\0';
        status = set_option(path, *word, value ? value : "", out, err);
    }
    sl_names_destroy(words);
    return status;
}

/* ---- Shape ---- */

struct pixel_shape {
    size_t count, height, width, channels;
    bool planes; /* (N, C, H, W) with more than one channel or not: one plane after another */
};

static bool is_channels(size_t size)
{
    return size == 1 || size == 3;
}

static enum sl_status fail_shape(const struct sl_array *images, const char *path,
                                 const char *complaint, struct sl_error *err)
{
    char shape[SHAPE_TEXT];
    return sl_fail(err, SL_ERR_INPUT, "%s: items are %s %s%s", path, sl_dtype_name(images->dtype),
                   sl_array_shape_text(images, shape, sizeof shape), complaint);
}

static enum sl_status find_shape(const struct sl_array *images,
                                 const struct sl_npy_options *options, const char *path,
                                 struct pixel_shape *out, struct sl_error *err)
{
    static const char expected[] =
        ", expected images |u1, <f4 or <f8 (N, H, W), (N, H, W, C) or (N, C, H, W) "
        "with C = 1 or 3, or features <f4 (N, F)";
    const size_t *shape = images->shape, n = images->n_dimensions;
    if ((images->dtype != SL_U1 && !are_floats(images)) || n < 3 || n > 4)
        return fail_shape(images, path, expected, err);
    if (n == 3 && options->layout == SL_LAYOUT_NCHW)
        return fail_shape(images, path, ", expected four dimensions, since layout=nchw is given",
                          err);
    *out = (struct pixel_shape){shape[0], shape[1], shape[2], 1, false};
    if (n == 3) return SL_OK;
    const bool last = is_channels(shape[3]) && options->layout != SL_LAYOUT_NCHW;
    const bool first = is_channels(shape[1]) && options->layout != SL_LAYOUT_NHWC;
    if (!last && !first)
        return fail_shape(
            images, path,
            options->layout == SL_LAYOUT_GUESS ? expected : ", expected 1 or 3 channels", err);
    if (last && first)
        return fail_shape(images, path,
                          ": the channels may come first or last; write :layout=nchw or "
                          ":layout=nhwc behind the path",
                          err);
    *out = last ? (struct pixel_shape){shape[0], shape[1], shape[2], shape[3], false}
                : (struct pixel_shape){shape[0], shape[2], shape[3], shape[1], true};
    return SL_OK;
}

enum sl_status sl_npy_images_check(const struct sl_array *images,
                                   const struct sl_npy_options *options, const char *path,
                                   struct sl_error *err)
{
    struct pixel_shape shape = {0};
    SL_TRY(find_shape(images, options, path, &shape, err));
    if (!are_floats(images) && options->range != SL_RANGE_GUESS)
        return sl_fail(err, SL_ERR_INPUT, "%s: range= is for floats, and the items are bytes",
                       path);
    return sl_images_check(path, shape.count, shape.height, shape.width, shape.channels, err);
}

/* ---- Values ---- */

static double value_at(const struct sl_array *images, size_t index)
{
    if (images->dtype == SL_U1) return ((const uint8_t *)images->data)[index];
    if (images->dtype == SL_F4) return (double)((const float *)images->data)[index];
    return ((const double *)images->data)[index];
}

/* The factor that makes bytes of finite floats. */
static enum sl_status find_scale(const struct sl_array *images,
                                 const struct sl_npy_options *options, const char *path,
                                 double *out, struct sl_error *err)
{
    double least = value_at(images, 0), most = least;
    bool whole = true;
    for (size_t i = 0; i < sl_array_count(images); i++) {
        const double value = value_at(images, i);
        least = value < least ? value : least;
        most = value > most ? value : most;
        whole = whole && value == floor(value);
    }
    const bool one = options->range == SL_RANGE_1;
    const double limit = one ? 1 : BYTE_MOST;
    if (!(least >= 0 && most <= limit))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the values go from %g to %g, expected pixels from 0 to 1%s; undo a "
                       "normalisation before saving images",
                       path, least, most, one ? "" : ", or from 0 to 255");
    if (options->range == SL_RANGE_GUESS && whole == (most <= 1))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the values go from %g to %g and %s, so they may be pixels from 0 to 1 "
                       "or from 0 to 255; write :range=1 or :range=255 behind the path",
                       path, least, most, whole ? "are 0 or 1" : "some are fractions");
    const bool scaled = options->range == SL_RANGE_GUESS ? most <= 1 : one;
    *out = scaled ? BYTE_MOST : 1;
    return SL_OK;
}

/* Bytes with the channels of a pixel side by side. */
static enum sl_status make_pixels(const struct sl_array *images, const struct pixel_shape *shape,
                                  double scale, uint8_t **out, struct sl_error *err)
{
    const size_t area = shape->height * shape->width, channels = shape->channels;
    uint8_t *pixels = sl_data_alloc(sl_array_count(images), 1, err);
    if (!pixels) return SL_ERR_NOMEM;
    for (size_t image = 0; image < shape->count; image++)
        for (size_t pixel = 0; pixel < area; pixel++)
            for (size_t c = 0; c < channels; c++) {
                const size_t first = image * area * channels;
                const size_t to = first + pixel * channels + c;
                const size_t from = shape->planes ? first + c * area + pixel : to;
                pixels[to] = (uint8_t)(value_at(images, from) * scale + 0.5);
            }
    *out = pixels;
    return SL_OK;
}

enum sl_status sl_npy_images_take(struct sl_array *images, const struct sl_npy_options *options,
                                  const char *path, struct sl_dataset **out, struct sl_error *err)
{
    struct pixel_shape shape = {0};
    struct sl_dataset *dataset = NULL;
    double scale = 1;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npy_images_check(images, options, path, err));
    SL_TRY_OUT(find_shape(images, options, path, &shape, err));
    if (are_floats(images)) {
        SL_TRY_OUT(sl_array_check_finite(images, path, err));
        SL_TRY_OUT(find_scale(images, options, path, &scale, err));
    }
    SL_TRY_OUT(sl_dataset_create(path, shape.count, &dataset, err));
    dataset->height = shape.height;
    dataset->width = shape.width;
    dataset->channels = shape.channels;
    if (are_floats(images) || shape.planes) {
        SL_TRY_OUT(make_pixels(images, &shape, scale, &dataset->pixels, err));
    } else {
        dataset->pixels = images->data;
        images->data = NULL;
    }
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    return status;
}
