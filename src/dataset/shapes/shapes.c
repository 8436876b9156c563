/* The shapes generator: pictures whose label distribution is known exactly.
 *
 * Every picture has a class A, another class B and a morph position t:
 *   A      every class once in each block of n_classes pictures, in random order
 *   B      uniform over the other classes
 *   t      0 with probability 1 - ambiguous, else uniform on [.15, .85]
 * and its outline is where (1 - t) d_A + t d_B = 0, d being signed distance. Rotation,
 * scale, place, colours and pixel noise are drawn apart from these and say nothing about
 * the class.
 *
 * The truth is the answer distribution of a stated observer, who knows the two classes that
 * the picture lies between, reads the morph position with a Gaussian error of standard
 * deviation .15 and says B when the reading is above one half. So p(B) = Phi((t - .5) / .15),
 * p(A) = 1 - p(B), and every other class has 0. At t = 0 nothing of B is in the picture, and
 * p(A) = 1. The hard label is the more probable class, A in a tie. */
#include <math.h>
#include <stdlib.h>

#include "dataset/shapes/shapes.h"
#include "softlab/base/memory.h"

enum { MIN_SIZE = 8, MAX_SIZE = 256, MAX_NOISE = 128, MAX_COUNT = 10000000 };

static const double pi = 3.14159265358979323846;
static const double morph_low = 0.15, morph_high = 0.85;

struct sl_shapes_options sl_shapes_options_default(void)
{
    return (struct sl_shapes_options){
        .count = 600, .size = 32, .n_classes = 6, .ambiguous = 0.5, .noise = 12, .seed = 1};
}

static enum sl_status check_options(const struct sl_shapes_options *options, struct sl_error *err)
{
    if (options->count < 1 || options->count > MAX_COUNT)
        return sl_fail(err, SL_ERR_USAGE, "shapes: expected 1 to %d images, got %zu", MAX_COUNT,
                       options->count);
    if (options->size < MIN_SIZE || options->size > MAX_SIZE)
        return sl_fail(err, SL_ERR_USAGE, "shapes: expected a size of %d to %d pixels, got %zu",
                       MIN_SIZE, MAX_SIZE, options->size);
    if (options->n_classes < 2 || options->n_classes > SL_SHAPES_MAX_CLASSES)
        return sl_fail(err, SL_ERR_USAGE, "shapes: expected 2 to %d classes, got %zu",
                       SL_SHAPES_MAX_CLASSES, options->n_classes);
    if (!(options->ambiguous >= 0 && options->ambiguous <= 1))
        return sl_fail(err, SL_ERR_USAGE,
                       "shapes: expected a share of ambiguous images from 0 to 1, got %g",
                       options->ambiguous);
    if (!(options->noise >= 0 && options->noise <= MAX_NOISE))
        return sl_fail(err, SL_ERR_USAGE, "shapes: expected noise of 0 to %d grey levels, got %g",
                       MAX_NOISE, options->noise);
    return SL_OK;
}

double sl_shape_probability(double morph)
{
    if (morph == 0) return 0;
    return 0.5 * erfc((0.5 - morph) / (SL_SHAPE_READING_ERROR * sqrt(2)));
}

static double between(struct sl_rng *rng, double low, double high)
{
    return low + (high - low) * sl_rng_uniform(rng);
}

/* Class A of item `index`. The permutation of its block is drawn again for each item, so that no
 * item depends on their number. */
static size_t first_class(const struct sl_shapes_options *options, size_t index)
{
    size_t order[SL_SHAPES_MAX_CLASSES];
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, "shapes.class", 0, index / options->n_classes);
    sl_rng_permutation(&rng, order, options->n_classes);
    return order[index % options->n_classes];
}

static struct sl_shape_pose draw_pose(const struct sl_shapes_options *options, size_t index,
                                      struct sl_rng *rng)
{
    struct sl_shape_pose pose = {.from = first_class(options, index)};
    pose.to =
        (pose.from + 1 + (size_t)sl_rng_below(rng, options->n_classes - 1)) % options->n_classes;
    bool ambiguous = sl_rng_uniform(rng) < options->ambiguous;
    double morph = between(rng, morph_low, morph_high);
    pose.morph = ambiguous ? morph : 0;
    pose.angle = between(rng, -0.35, 0.35);
    pose.scale = between(rng, 0.66, 0.86);
    pose.x = between(rng, -0.12, 0.12);
    pose.y = between(rng, -0.12, 0.12);
    return pose;
}

/* A colour of a given brightness (Rec. 601 luma): a grey, pulled towards a hue. */
static void make_colour(double luma, double chroma, double hue, double out[3])
{
    static const double weights[3] = {0.299, 0.587, 0.114};
    double mean = 0;
    for (int c = 0; c < 3; c++) {
        out[c] = cos(hue - 2 * pi * c / 3);
        mean += weights[c] * out[c];
    }
    for (int c = 0; c < 3; c++)
        out[c] = fmin(fmax(luma + chroma * (out[c] - mean), 0), 255);
}

/* A shape and its background: on opposite sides of middle grey, hues at least a quarter
 * of the circle apart. */
static void draw_colours(struct sl_rng *rng, double ink[3], double paper[3])
{
    bool dark_paper = sl_rng_below(rng, 2) == 1;
    double paper_hue = between(rng, 0, 2 * pi);
    double ink_hue = paper_hue + between(rng, pi / 2, 3 * pi / 2);
    double paper_luma = dark_paper ? between(rng, 35, 70) : between(rng, 200, 235);
    double ink_luma = dark_paper ? between(rng, 165, 210) : between(rng, 60, 105);
    make_colour(paper_luma, between(rng, 10, 30), paper_hue, paper);
    make_colour(ink_luma, between(rng, 60, 110), ink_hue, ink);
}

/* `cover` has room for (size, size). */
static void draw_item(const struct sl_shapes_options *options, size_t index, float *cover,
                      struct sl_dataset *dataset)
{
    struct sl_rng rng;
    sl_rng_init(&rng, options->seed, "shapes.item", 0, index);
    const struct sl_shape_pose pose = draw_pose(options, index, &rng);
    double ink[3], paper[3];
    draw_colours(&rng, ink, paper);
    sl_shape_cover(&pose, options->size, cover);

    const size_t area = options->size * options->size;
    uint8_t *out = dataset->pixels + index * area * 3;
    sl_rng_init(&rng, options->seed, "shapes.noise", 0, index);
    for (size_t i = 0; i < area; i++) {
        double part = (double)cover[i];
        double grain = options->noise > 0 ? options->noise * sl_rng_normal(&rng) : 0;
        for (int c = 0; c < 3; c++) {
            double value = paper[c] + part * (ink[c] - paper[c]) + grain;
            *out++ = (uint8_t)lround(fmin(fmax(value, 0), 255));
        }
    }

    const double probability = sl_shape_probability(pose.morph);
    float *truth = dataset->truth + index * options->n_classes;
    for (size_t k = 0; k < options->n_classes; k++)
        truth[k] = 0;
    truth[pose.to] = (float)probability;
    truth[pose.from] = (float)(1 - probability);
    dataset->labels[index] = (int32_t)(probability > 0.5 ? pose.to : pose.from);
    dataset->items[index] = sl_string_printf("shapes-%06zu", index + 1);
}

enum sl_status sl_shapes_create(const struct sl_shapes_options *options, struct sl_dataset **out,
                                struct sl_error *err)
{
    SL_TRY(check_options(options, err));
    const size_t area = options->size * options->size;
    struct sl_dataset *dataset = sl_alloc(1, sizeof *dataset);
    dataset->pixels = sl_data_alloc(options->count, area * 3, err);
    dataset->truth = sl_data_alloc(options->count, options->n_classes * sizeof(float), err);
    dataset->labels = sl_data_alloc(options->count, sizeof *dataset->labels, err);
    dataset->items = sl_data_zeroed(options->count, sizeof *dataset->items, err);
    float *cover = sl_data_alloc(area, sizeof *cover, err);
    if (!dataset->pixels || !dataset->truth || !dataset->labels || !dataset->items || !cover) {
        free(cover);
        sl_dataset_destroy(dataset);
        return SL_ERR_NOMEM;
    }
    dataset->name = sl_string_printf("shapes:n=%zu,seed=%llu", options->count,
                                     (unsigned long long)options->seed);
    dataset->count = options->count;
    dataset->n_classes = options->n_classes;
    dataset->height = dataset->width = options->size;
    dataset->channels = 3;
    dataset->classes = sl_alloc(options->n_classes, sizeof *dataset->classes);
    for (size_t k = 0; k < options->n_classes; k++)
        dataset->classes[k] = sl_string_copy(sl_shape_names[k]);
    for (size_t i = 0; i < options->count; i++)
        draw_item(options, i, cover, dataset);
    free(cover);
    *out = dataset;
    return SL_OK;
}
