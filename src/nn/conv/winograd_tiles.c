/* The transforms of activations, on vectors of 8 channels, along rows of tiles. */
#include "nn/conv/winograd.h"

#include <immintrin.h>

#include "nn/conv/gemm_micro.h"
#include "nn/tensor.h"

#define AVX2        __attribute__((target("avx2,fma")))
#define AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

enum { LANES = SL_NN_LANES };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The part of a row of tiles that belongs to a strip. */
struct segment {
    size_t image, row; /* row of tiles */
    size_t first, end; /* first and end tile in the row */
};

static struct segment segment_at(const struct sl_nn_map *map, struct sl_nn_strip strip, size_t at)
{
    size_t tile = strip.first + at, row = tile / map->tiles_wide;
    struct segment s = {.image = row / map->tiles_high,
                        .row = row % map->tiles_high,
                        .first = tile % map->tiles_wide};
    s.end = s.first + (strip.count - at);
    if (s.end > map->tiles_wide) s.end = map->tiles_wide;
    return s;
}

size_t sl_nn_winograd_max_runs(const struct sl_nn_map *map, size_t strip_tiles)
{
    size_t segments = strip_tiles / map->tiles_wide + 2;
    return 3 * map->blocks * (segments < strip_tiles ? segments : strip_tiles);
}

/* The runs of a segment's pixels. Whole rows are contiguous and form one run. */
static size_t segment_runs(const struct sl_nn_map *map, const float *first, size_t rows,
                           size_t columns, struct sl_nn_run *runs)
{
    bool whole = columns == map->width;
    size_t pixels = whole ? rows * columns : columns, n_runs = whole ? 1 : rows;
    for (size_t i = 0; i < n_runs; i++)
        runs[i] = (struct sl_nn_run){.first = (const char *)(first + i * map->width * LANES),
                                     .lines = (pixels + 1) / 2};
    return n_runs;
}

size_t sl_nn_winograd_runs(const struct sl_nn_map *map, const float *data, bool input,
                           struct sl_nn_strip strip, struct sl_nn_run *runs)
{
    size_t n_runs = 0, row_floats = map->width * LANES, block_floats = map->height * row_floats;
    for (size_t at = 0; at < strip.count;) {
        struct segment s = segment_at(map, strip, at);
        size_t begin = 2 * s.row + (input && s.row > 0 ? 1 : 0);
        size_t end = smaller(2 * s.row + (input ? 3 : 2), map->height);
        size_t columns = smaller(2 * s.end, map->width) - 2 * s.first;
        const float *first =
            data + s.image * map->blocks * block_floats + begin * row_floats + 2 * s.first * LANES;
        for (size_t b = 0; b < map->blocks && begin < end; b++, first += block_floats)
            n_runs += segment_runs(map, first, end - begin, columns, runs + n_runs);
        at += s.end - s.first;
    }
    return n_runs;
}

/* The memory of the next tile of a strip. */
struct cursor {
    float *data;
    size_t place, group, jump, frequency_stride;
};

/* A cursor at tile `at` of the first block. */
static struct cursor cursor_at(const struct sl_nn_tiles *tiles, size_t at)
{
    size_t place = at % tiles->group;
    return (struct cursor){.data = tiles->data + at / tiles->group * tiles->group_stride +
                                   place * LANES,
                           .place = place,
                           .group = tiles->group,
                           .jump = tiles->group_stride - (tiles->group - 1) * LANES,
                           .frequency_stride = tiles->frequency_stride};
}

/* The same at `data`. Copying the struct after writing a field would stall on that store. */
static inline struct cursor cursor_with(const struct cursor *from, float *data)
{
    return (struct cursor){data, from->place, from->group, from->jump, from->frequency_stride};
}

static inline void cursor_next(struct cursor *cursor)
{
    bool last = ++cursor->place == cursor->group;
    cursor->data += last ? cursor->jump : LANES;
    if (last) cursor->place = 0;
}

/* A column of 4 elements. */
struct column {
    __m256 v[4];
};

AVX2_INLINE struct column zero_column(void)
{
    __m256 zero = _mm256_setzero_ps();
    return (struct column){{zero, zero, zero, zero}};
}

/* The functions below are inlined with constant rows of frequencies [row, row + rows), so that they
 * load and compute no others. */
AVX2_INLINE bool is_in(int i, int row, int rows)
{
    return row <= i && i < row + rows;
}

/* B' times column x of 4 rows of pixels. */
AVX2_INLINE struct column input_column(const float *const pixels[4], size_t x, int row, int rows)
{
    struct column c = zero_column();
    const float *r0 = pixels[0] + x * LANES, *r1 = pixels[1] + x * LANES,
                *r2 = pixels[2] + x * LANES, *r3 = pixels[3] + x * LANES;
    if (is_in(0, row, rows)) c.v[0] = _mm256_sub_ps(_mm256_loadu_ps(r0), _mm256_loadu_ps(r2));
    if (is_in(1, row, rows)) c.v[1] = _mm256_add_ps(_mm256_loadu_ps(r1), _mm256_loadu_ps(r2));
    if (is_in(2, row, rows)) c.v[2] = _mm256_sub_ps(_mm256_loadu_ps(r2), _mm256_loadu_ps(r1));
    if (is_in(3, row, rows)) c.v[3] = _mm256_sub_ps(_mm256_loadu_ps(r3), _mm256_loadu_ps(r1));
    return c;
}

/* Multiply a row by B and store it as one row of frequencies. */
AVX2_INLINE void input_store(float *out, size_t stride, __m256 a, __m256 b, __m256 c, __m256 d)
{
    _mm256_store_ps(out, _mm256_sub_ps(a, c));
    _mm256_store_ps(out + stride, _mm256_add_ps(b, c));
    _mm256_store_ps(out + 2 * stride, _mm256_sub_ps(c, b));
    _mm256_store_ps(out + 3 * stride, _mm256_sub_ps(d, b));
}

AVX2_INLINE void input_tile(struct cursor *to, struct column a, struct column b, struct column c,
                            struct column d, int row, int rows)
{
    size_t stride = to->frequency_stride;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (is_in(i, row, rows))
            input_store(to->data + (size_t)(4 * i) * stride, stride, a.v[i], b.v[i], c.v[i],
                        d.v[i]);
    cursor_next(to);
}

/* The tiles [first, end) of a row of tiles. */
struct row_of_tiles {
    size_t width, first, end; /* width of the map in pixels */
};

/* Tile t has columns 2t - 1 to 2t + 2. A column that two tiles share is transformed once. */
AVX2_INLINE void input_row(const float *const pixels[4], const struct row_of_tiles *tiles,
                           const struct cursor *from, float *data, int row, int rows)
{
    const size_t width = tiles->width, first = tiles->first, end = tiles->end;
    struct cursor to = cursor_with(from, data);
    struct column a = first > 0 ? input_column(pixels, 2 * first - 1, row, rows) : zero_column();
    struct column b = input_column(pixels, 2 * first, row, rows);
    size_t tile = first;
    for (; tile < end && 2 * tile + 2 < width; tile++) {
        struct column c = input_column(pixels, 2 * tile + 1, row, rows);
        struct column d = input_column(pixels, 2 * tile + 2, row, rows);
        input_tile(&to, a, b, c, d, row, rows);
        a = c;
        b = d;
    }
    if (tile == end) return;
    struct column c =
        2 * tile + 1 < width ? input_column(pixels, 2 * tile + 1, row, rows) : zero_column();
    input_tile(&to, a, b, c, zero_column(), row, rows);
}

/* A times column x of 2 rows of pixels. */
AVX2_INLINE struct column upstream_column(const float *const pixels[4], size_t x, int row, int rows)
{
    struct column c = zero_column();
    const float *r0 = pixels[0] + x * LANES, *r1 = pixels[1] + x * LANES;
    if (is_in(0, row, rows)) c.v[0] = _mm256_loadu_ps(r0);
    if (is_in(1, row, rows)) c.v[1] = _mm256_add_ps(_mm256_loadu_ps(r0), _mm256_loadu_ps(r1));
    if (is_in(2, row, rows)) c.v[2] = _mm256_sub_ps(_mm256_loadu_ps(r0), _mm256_loadu_ps(r1));
    if (is_in(3, row, rows)) c.v[3] = _mm256_loadu_ps(r1);
    return c;
}

AVX2_INLINE void upstream_store(float *out, size_t stride, __m256 a, __m256 b)
{
    _mm256_store_ps(out, a);
    _mm256_store_ps(out + stride, _mm256_add_ps(a, b));
    _mm256_store_ps(out + 2 * stride, _mm256_sub_ps(a, b));
    _mm256_store_ps(out + 3 * stride, b);
}

AVX2_INLINE void upstream_tile(struct cursor *to, struct column a, struct column b, int row,
                               int rows)
{
    size_t stride = to->frequency_stride;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (is_in(i, row, rows))
            upstream_store(to->data + (size_t)(4 * i) * stride, stride, a.v[i], b.v[i]);
    cursor_next(to);
}

AVX2_INLINE void upstream_row(const float *const pixels[4], const struct row_of_tiles *tiles,
                              const struct cursor *from, float *data, int row, int rows)
{
    const size_t width = tiles->width, end = tiles->end;
    struct cursor to = cursor_with(from, data);
    size_t tile = tiles->first;
    for (; tile < end && 2 * tile + 1 < width; tile++)
        upstream_tile(&to, upstream_column(pixels, 2 * tile, row, rows),
                      upstream_column(pixels, 2 * tile + 1, row, rows), row, rows);
    if (tile < end)
        upstream_tile(&to, upstream_column(pixels, 2 * tile, row, rows), zero_column(), row, rows);
}

/* The transforms of a row of tiles, by band: all four rows of frequencies, two, or one. */
typedef void row_transform(const float *const pixels[4], const struct row_of_tiles *tiles,
                           const struct cursor *from, float *data);
#define BANDS(BAND, side)                                                                          \
    BAND(side, 0, 4)                                                                               \
    BAND(side, 0, 2)                                                                               \
    BAND(side, 2, 2)                                                                               \
    BAND(side, 0, 1)                                                                               \
    BAND(side, 1, 1)                                                                               \
    BAND(side, 2, 1)                                                                               \
    BAND(side, 3, 1)
#define BAND(side, row, rows)                                                                      \
    AVX2 static void side##_##row##_##rows(const float *const pixels[4],                           \
                                           const struct row_of_tiles *tiles,                       \
                                           const struct cursor *from, float *data)                 \
    {                                                                                              \
        side##_row(pixels, tiles, from, data, row, rows);                                          \
    }
BANDS(BAND, input)
BANDS(BAND, upstream)
/* Indexed by rows - 1 and row. */
#define TABLE(side)                                                                                \
    {                                                                                              \
        {side##_0_1, side##_1_1, side##_2_1, side##_3_1}, {side##_0_2, NULL, side##_2_2, NULL},    \
            {NULL}, {side##_0_4},                                                                  \
    }
static row_transform *const input_transforms[4][4] = TABLE(input);
static row_transform *const upstream_transforms[4][4] = TABLE(upstream);

/* A kind of transform: by band, and whether a tile also has the row of pixels above it (and the one
 * below). */
struct transform {
    row_transform *const (*by_band)[4];
    size_t above;
};
static const struct transform of_input = {input_transforms, 1};
static const struct transform of_upstream = {upstream_transforms, 0};

/* The maps and the strip of them to transform. */
struct source {
    const struct sl_nn_map *map;
    const float *data, *zeros;
    struct sl_nn_strip strip;
};

static void transform(const struct transform *kind, const struct source *source,
                      const struct sl_nn_band *band, const struct sl_nn_tiles *out)
{
    const struct sl_nn_map *map = source->map;
    const struct sl_nn_strip strip = source->strip;
    row_transform *transform_row = kind->by_band[band->rows - 1][band->row];
    size_t row_floats = map->width * LANES, block_floats = map->height * row_floats;
    for (size_t at = 0; at < strip.count;) {
        struct segment s = segment_at(map, strip, at);
        const struct cursor to = cursor_at(out, at);
        const struct row_of_tiles tiles = {map->width, s.first, s.end};
        for (size_t b = band->block; b < band->end; b++) {
            const float *block = source->data + (s.image * map->blocks + b) * block_floats;
            const float *pixels[4];
            for (size_t i = 0; i < 4; i++) {
                /* Above the map the unsigned difference wraps round and is too large as well. */
                const size_t y = 2 * s.row + i - kind->above;
                pixels[i] = y < map->height ? block + y * row_floats : source->zeros;
            }
            transform_row(pixels, &tiles, &to, to.data + b * out->block_stride);
        }
        at += s.end - s.first;
    }
}

void sl_nn_winograd_input(const struct sl_nn_map *map, const float *x, const float *zeros,
                          struct sl_nn_strip strip, const struct sl_nn_band *band,
                          const struct sl_nn_tiles *out)
{
    transform(&of_input, &(struct source){map, x, zeros, strip}, band, out);
}

void sl_nn_winograd_upstream(const struct sl_nn_map *map, const float *dy, const float *zeros,
                             struct sl_nn_strip strip, const struct sl_nn_band *band,
                             const struct sl_nn_tiles *out)
{
    transform(&of_upstream, &(struct source){map, dy, zeros, strip}, band, out);
}

/* A row of output tiles. */
struct output_row {
    __m256 bias;
    const float *add; /* addend of the upper row of pixels */
    float *result;    /* result of the upper row */
    size_t below;     /* floats to the lower row; 0 if there is none */
    size_t width, first, end;
};

/* A' times a column of the frequencies, which gives two rows. */
AVX2_INLINE void output_column(const float *m, size_t stride, __m256 *top, __m256 *bottom)
{
    __m256 m1 = _mm256_load_ps(m + 4 * stride), m2 = _mm256_load_ps(m + 8 * stride);
    *top = _mm256_add_ps(_mm256_add_ps(_mm256_load_ps(m), m1), m2);
    *bottom = _mm256_add_ps(_mm256_sub_ps(m1, m2), _mm256_load_ps(m + 12 * stride));
}

AVX2_INLINE __m256 finish(__m256 value, const float *add, bool relu)
{
    if (add) value = _mm256_add_ps(value, _mm256_loadu_ps(add));
    /* With this order of operands NaN stays NaN. */
    return relu ? _mm256_max_ps(_mm256_setzero_ps(), value) : value;
}

/* A pixel outside the map shares the address of a pixel inside (`right` or `below` is 0). The pixel
 * inside is read before and written after it, so its value wins. */
AVX2_INLINE void output_tile(const struct output_row *row, size_t tile, const float *m,
                             size_t stride, size_t right, bool add, bool relu)
{
    __m256 top[4], bottom[4];
    output_column(m + stride, stride, &top[1], &bottom[1]);
    output_column(m + 2 * stride, stride, &top[2], &bottom[2]);
    output_column(m, stride, &top[0], &bottom[0]);
    output_column(m + 3 * stride, stride, &top[3], &bottom[3]);
    __m256 t = _mm256_add_ps(top[1], row->bias), b = _mm256_add_ps(bottom[1], row->bias);
    size_t at = 2 * tile * LANES, below = at + row->below;
    const float *more = row->add;
    __m256 value[4] = {_mm256_add_ps(_mm256_add_ps(t, top[2]), top[0]),
                       _mm256_add_ps(_mm256_sub_ps(t, top[2]), top[3]),
                       _mm256_add_ps(_mm256_add_ps(b, bottom[2]), bottom[0]),
                       _mm256_add_ps(_mm256_sub_ps(b, bottom[2]), bottom[3])};
    value[0] = finish(value[0], add ? more + at : NULL, relu);
    value[1] = finish(value[1], add ? more + at + right : NULL, relu);
    value[2] = finish(value[2], add ? more + below : NULL, relu);
    value[3] = finish(value[3], add ? more + below + right : NULL, relu);
    _mm256_storeu_ps(row->result + below + right, value[3]);
    _mm256_storeu_ps(row->result + below, value[2]);
    _mm256_storeu_ps(row->result + at + right, value[1]);
    _mm256_storeu_ps(row->result + at, value[0]);
}

AVX2_INLINE void output_tiles(const struct output_row *given, struct cursor from, bool add,
                              bool relu)
{
    struct output_row row = *given;
    size_t tile = row.first;
    for (; tile < row.end && 2 * tile + 1 < row.width; tile++) {
        output_tile(&row, tile, from.data, from.frequency_stride, LANES, add, relu);
        cursor_next(&from);
    }
    if (tile < row.end) output_tile(&row, tile, from.data, from.frequency_stride, 0, add, relu);
}

AVX2 static void output_segment(const struct output_row *row, struct cursor from, bool relu)
{
    if (row->add && relu)
        output_tiles(row, from, true, true);
    else if (row->add)
        output_tiles(row, from, true, false);
    else if (relu)
        output_tiles(row, from, false, true);
    else
        output_tiles(row, from, false, false);
}

AVX2 void sl_nn_winograd_output(const struct sl_nn_map *map, const struct sl_nn_tiles *tiles,
                                struct sl_nn_strip strip, const struct sl_nn_winograd_output *out)
{
    size_t row_floats = map->width * LANES, block_floats = map->height * row_floats;
    for (size_t at = 0; at < strip.count;) {
        struct segment s = segment_at(map, strip, at);
        struct cursor from = cursor_at(tiles, at);
        for (size_t b = 0; b < map->blocks; b++) {
            size_t begin = (s.image * map->blocks + b) * block_floats + 2 * s.row * row_floats;
            struct output_row row = {.bias = _mm256_load_ps(out->bias + b * LANES),
                                     .add = out->add ? out->add + begin : NULL,
                                     .result = out->result + begin,
                                     .below = 2 * s.row + 1 < map->height ? row_floats : 0,
                                     .width = map->width,
                                     .first = s.first,
                                     .end = s.end};
            output_segment(&row, from, out->relu);
            from.data += tiles->block_stride;
        }
        at += s.end - s.first;
    }
}
