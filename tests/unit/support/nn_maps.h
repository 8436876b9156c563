/* Blocked tensors for tests of kernels: random in their channels, NaN in their tail lanes (which no
 * kernel may take for values) and with a gap after every image (which none may touch). */
#ifndef SOFTLAB_TESTS_NN_MAPS_H
#define SOFTLAB_TESTS_NN_MAPS_H

#include "nn/kernels/kernels.h"
#include "support.h"

enum { MAPS = 24, GAP = 24 };
static const float gap_value = 12345;

/* One table on one shape. */
struct maps {
    const struct sl_nn_kernels *kernels;
    size_t images, channels, height, width, gap;
    struct sl_rng rng;
    void *owned[MAPS];
    size_t n_owned;
};

static inline void *maps_keep(struct maps *maps, size_t count, size_t size)
{
    assert_true(maps->n_owned < MAPS);
    return maps->owned[maps->n_owned++] = sl_alloc(count ? count : 1, size);
}

static inline size_t pixels_of(const struct sl_nn_tensor *map)
{
    return map->height * map->width;
}

static inline float *map_at(const struct sl_nn_tensor *map, size_t image, size_t channel,
                            size_t pixel)
{
    return map->data + image * map->image_stride +
           (channel / SL_NN_LANES * pixels_of(map) + pixel) * SL_NN_LANES + channel % SL_NN_LANES;
}

/* Its memory ends where its last image's blocks do: reading on is found by ASan. */
static inline struct sl_nn_tensor map_of(struct maps *maps, size_t channels, size_t height,
                                         size_t width)
{
    const size_t floats = sl_nn_blocks(channels) * height * width * SL_NN_LANES;
    const size_t count = maps->images * (floats + maps->gap) - maps->gap;
    struct sl_nn_tensor map = {.data = maps_keep(maps, count, sizeof(float)),
                               .layout = SL_NN_BLOCKED,
                               .images = maps->images,
                               .channels = channels,
                               .height = height,
                               .width = width,
                               .image_stride = floats + maps->gap};
    for (size_t i = 0; i < count; i++)
        map.data[i] = i % map.image_stride < floats ? NAN : gap_value;
    for (size_t n = 0; n < map.images; n++)
        for (size_t c = 0; c < channels; c++)
            for (size_t p = 0; p < height * width; p++)
                *map_at(&map, n, c, p) = (float)sl_rng_normal(&maps->rng);
    return map;
}

static inline struct sl_nn_tensor map_like(struct maps *maps, size_t channels)
{
    return map_of(maps, channels, maps->height, maps->width);
}

/* The same values in other memory. */
static inline struct sl_nn_tensor map_copy(struct maps *maps, const struct sl_nn_tensor *map)
{
    struct sl_nn_tensor copy = *map;
    const size_t count = map->images * map->image_stride - maps->gap;
    copy.data = maps_keep(maps, count, sizeof(float));
    memcpy(copy.data, map->data, count * sizeof(float));
    return copy;
}

/* Per channel, padded to whole blocks, NaN in the padding. */
static inline float *per_channel(struct maps *maps, double least, double most)
{
    const size_t padded = sl_nn_blocks(maps->channels) * SL_NN_LANES;
    float *values = maps_keep(maps, padded, sizeof *values);
    for (size_t c = 0; c < padded; c++)
        values[c] =
            c < maps->channels ? (float)(least + (most - least) * sl_rng_uniform(&maps->rng)) : NAN;
    return values;
}

/* What a kernel should write, computed before it may overwrite its input. */
struct expected {
    double *values; /* (images, channels, pixels) */
    size_t channels, pixels;
};

static inline struct expected expected_for(struct maps *maps, const struct sl_nn_tensor *map)
{
    return (struct expected){
        .values = maps_keep(maps, map->images * map->channels * pixels_of(map), sizeof(double)),
        .channels = map->channels,
        .pixels = pixels_of(map)};
}

static inline double *expected_at(const struct expected *expected, size_t image, size_t channel,
                                  size_t pixel)
{
    return &expected->values[(image * expected->channels + channel) * expected->pixels + pixel];
}

/* For every image n, channel c and pixel p of it. */
#define EXPECT_EACH(expected, images)                                                              \
    for (size_t n = 0; n < (images); n++)                                                          \
        for (size_t c = 0; c < (expected).channels; c++)                                           \
            for (size_t p = 0; p < (expected).pixels; p++)

/* Values near, tail lanes zero, gaps as they were. */
static inline void assert_map(const struct maps *maps, const struct sl_nn_tensor *map,
                              const struct expected *expected, double tolerance)
{
    const size_t lanes = sl_nn_blocks(map->channels) * SL_NN_LANES;
    EXPECT_EACH(*expected, map->images)
    {
        const double value = *expected_at(expected, n, c, p);
        assert_near(*map_at(map, n, c, p), value, tolerance * (1 + fabs(value)));
    }
    for (size_t n = 0; n < map->images; n++) {
        for (size_t c = map->channels; c < lanes; c++)
            for (size_t p = 0; p < pixels_of(map); p++)
                assert_true(*map_at(map, n, c, p) == 0);
        for (size_t i = 0; i < maps->gap && n + 1 < map->images; i++)
            assert_true(map->data[(n + 1) * map->image_stride - maps->gap + i] == gap_value);
    }
}

static inline const struct sl_nn_kernels *kernel_table(size_t index)
{
#if defined(__x86_64__)
    if (index == 1 && sl_nn_kernels_select() == &sl_nn_kernels_avx2) return &sl_nn_kernels_avx2;
#endif
    return index == 0 ? &sl_nn_kernels_plain : NULL;
}

/* Run a check with every table this processor has, on every shape. */
static inline void each_shape(void (*check)(struct maps *maps))
{
    static const size_t channels[] = {1, 3, 8, 12, 16, 21, 26, 64};
    static const size_t sides[][2] = {{1, 1}, {3, 3}, {8, 8}, {5, 9}};
    static const size_t images[] = {1, 3};
    for (size_t table = 0; kernel_table(table); table++)
        for (size_t i = 0; i < 8 * 4 * 2; i++) {
            struct maps maps = {.kernels = kernel_table(table),
                                .channels = channels[i % 8],
                                .height = sides[i / 8 % 4][0],
                                .width = sides[i / 8 % 4][1],
                                .images = images[i / 32],
                                .gap = i / 32 ? GAP : 0};
            sl_rng_init(&maps.rng, 1, "test.maps", table, i);
            check(&maps);
            for (size_t k = 0; k < maps.n_owned; k++)
                free(maps.owned[k]);
        }
}

#endif
