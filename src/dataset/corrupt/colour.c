/* Brightness, contrast and saturation; HSV as scikit-image has it. */
#include <math.h>
#include <stdlib.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

struct hsv {
    double hue, saturation, value; /* each 0 to 1 */
};

static struct hsv from_rgb(const uint8_t *pixel)
{
    const double red = pixel[0] / 255.0, green = pixel[1] / 255.0, blue = pixel[2] / 255.0;
    const double most = fmax(red, fmax(green, blue));
    const double range = most - fmin(red, fmin(green, blue));
    if (range == 0) return (struct hsv){0, 0, most};
    double hue = 0; /* in sixths; if two channels are largest, the later one decides */
    if (blue == most)
        hue = 4 + (red - green) / range;
    else if (green == most)
        hue = 2 + (blue - red) / range;
    else
        hue = (green - blue) / range;
    hue /= 6;
    return (struct hsv){hue - floor(hue), range / most, most};
}

static void to_rgb(struct hsv colour, double out[3])
{
    const double sixths = colour.hue * 6, part = sixths - floor(sixths);
    const double most = colour.value, least = most * (1 - colour.saturation);
    const double falling = most * (1 - part * colour.saturation);
    const double rising = most * (1 - (1 - part) * colour.saturation);
    const double sectors[6][3] = {{most, rising, least}, {falling, most, least},
                                  {least, most, rising}, {least, falling, most},
                                  {rising, least, most}, {most, least, falling}};
    const double *sector = sectors[(int)floor(sixths) % 6];
    for (int c = 0; c < 3; c++)
        out[c] = sector[c];
}

static double clip(double value)
{
    return fmin(fmax(value, 0), 1);
}

/* saturation * s_factor + s_shift and value + v_shift, clipped. */
static void shift_colours(const struct sl_corrupt_job *job, double s_factor, double s_shift,
                          double v_shift)
{
    const size_t n_pixels = job->image->height * job->image->width;
    for (size_t i = 0; i < n_pixels; i++) {
        struct hsv colour = from_rgb(job->image->pixels + 3 * i);
        colour.saturation = clip(colour.saturation * s_factor + s_shift);
        colour.value = clip(colour.value + v_shift);
        double rgb[3];
        to_rgb(colour, rgb);
        for (size_t c = 0; c < 3; c++)
            job->out[3 * i + c] = sl_corrupt_byte(rgb[c]);
    }
}

enum sl_status sl_corrupt_brightness(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double shift[SL_SEVERITIES] = {.05, .1, .15, .2, .3};
    (void)err;
    shift_colours(job, 1, 0, shift[job->step]);
    return SL_OK;
}

enum sl_status sl_corrupt_saturate(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double constants[SL_SEVERITIES][2] = {/* factor, shift */
                                                       {.3, 0},
                                                       {.1, 0},
                                                       {1.5, 0},
                                                       {2, .1},
                                                       {2.5, .2}};
    (void)err;
    shift_colours(job, constants[job->step][0], constants[job->step][1], 0);
    return SL_OK;
}

enum sl_status sl_corrupt_contrast(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double factor[SL_SEVERITIES] = {.75, .5, .4, .3, .15};
    (void)err;
    const size_t channels = job->image->channels, n_pixels = job->image->height * job->image->width;
    for (size_t c = 0; c < channels; c++) {
        double mean = 0;
        for (size_t i = 0; i < n_pixels; i++)
            mean += job->image->pixels[i * channels + c] / 255.0;
        mean /= (double)n_pixels;
        for (size_t i = 0; i < n_pixels; i++) {
            const double value = job->image->pixels[i * channels + c] / 255.0;
            job->out[i * channels + c] = sl_corrupt_byte((value - mean) * factor[job->step] + mean);
        }
    }
    return SL_OK;
}
