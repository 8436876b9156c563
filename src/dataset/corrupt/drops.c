/* The shine of water drops: edges of the liquid by Canny's method, the distance to them, equalised
 * and embossed. Each step is OpenCV's of the same name, in its integer arithmetic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

enum { WEAK_EDGE = 50, STRONG_EDGE = 150, FARTHEST = 20 };

/* A picture of bytes with a border of one pixel, so that filters need no bounds checks. */
struct plane {
    size_t height, width, stride;
    uint8_t *values; /* owned; (height + 2, stride) */
};

static enum sl_status plane_create(size_t height, size_t width, struct plane *out,
                                   struct sl_error *err)
{
    uint8_t *values = sl_data_alloc(height + 2, width + 2, err);
    if (!values) return SL_ERR_NOMEM;
    *out = (struct plane){height, width, width + 2, values};
    return SL_OK;
}

static void plane_fill(struct plane *plane, const uint8_t *values, enum sl_border border)
{
    for (size_t y = 0; y < plane->height + 2; y++) {
        const uint8_t *from =
            values + sl_border_place(border, (ptrdiff_t)y - 1, plane->height) * plane->width;
        uint8_t *row = plane->values + y * plane->stride;
        memcpy(row + 1, from, plane->width);
        row[0] = from[sl_border_place(border, -1, plane->width)];
        row[plane->width + 1] =
            from[sl_border_place(border, (ptrdiff_t)plane->width, plane->width)];
    }
}

/* Sobel's two derivatives. */
struct slope {
    int across, down;
};

static struct slope slope_at(const struct plane *plane, size_t y, size_t x)
{
    const uint8_t *above = plane->values + y * plane->stride + x;
    const uint8_t *here = above + plane->stride, *below = here + plane->stride;
    return (struct slope){above[2] + 2 * here[2] + below[2] - above[0] - 2 * here[0] - below[0],
                          below[0] + 2 * below[1] + below[2] - above[0] - 2 * above[1] - above[2]};
}

/* Slopes and the edges found from them, with a border of one pixel of steepness 0. */
struct edges {
    size_t height, width, stride;
    struct slope *slopes; /* owned; (height + 2, stride) */
    int *steepness;       /* owned; the same */
    uint8_t *marks;       /* owned; the same; enum mark */
    size_t *pending;      /* owned; places still to be followed */
};
enum mark { NO_EDGE, MAYBE_EDGE, EDGE };

static void edges_release(struct edges *edges)
{
    free(edges->slopes);
    free(edges->steepness);
    free(edges->marks);
    free(edges->pending);
}

static enum sl_status edges_create(const struct plane *plane, struct edges *out,
                                   struct sl_error *err)
{
    struct edges edges = {plane->height, plane->width, plane->width + 2, NULL, NULL, NULL, NULL};
    const size_t count = (plane->height + 2) * edges.stride;
    edges.slopes = sl_data_alloc(count, sizeof *edges.slopes, err);
    edges.steepness = sl_data_alloc(count, sizeof *edges.steepness, err);
    edges.marks = sl_data_alloc(count, 1, err);
    edges.pending = sl_data_alloc(count, sizeof *edges.pending, err);
    if (!edges.slopes || !edges.steepness || !edges.marks || !edges.pending) {
        edges_release(&edges);
        return SL_ERR_NOMEM;
    }
    memset(edges.steepness, 0, count * sizeof *edges.steepness);
    memset(edges.marks, NO_EDGE, count);
    for (size_t y = 0; y < plane->height; y++) {
        for (size_t x = 0; x < plane->width; x++) {
            const size_t i = (y + 1) * edges.stride + x + 1;
            edges.slopes[i] = slope_at(plane, y, x);
            edges.steepness[i] = abs(edges.slopes[i].across) + abs(edges.slopes[i].down);
        }
    }
    *out = edges;
    return SL_OK;
}

/* True on the crest: steeper than both neighbours in the direction of the slope, which is one of
 * four. On a plateau the first of two wins along the axes, neither on the diagonals. */
static bool is_crest(const struct edges *edges, size_t i)
{
    const int tangent = 13573, bits = 15; /* tan 22.5 degrees in 15 bits */
    const struct slope slope = edges->slopes[i];
    const int *here = edges->steepness + i;
    const ptrdiff_t stride = (ptrdiff_t)edges->stride;
    const int across = abs(slope.across), down = abs(slope.down) << bits;
    const int shallow = across * tangent, steep = shallow + (across << (bits + 1));
    if (down < shallow) return *here > here[-1] && *here >= here[1];
    if (down > steep) return *here > here[-stride] && *here >= here[stride];
    const ptrdiff_t side = (slope.across ^ slope.down) < 0 ? -1 : 1;
    return *here > here[-stride - side] && *here > here[stride + side];
}

/* Mark crests that are steep enough, and weaker ones connected with them. */
static void mark_edges(struct edges *edges)
{
    size_t n_pending = 0;
    for (size_t y = 1; y <= edges->height; y++) {
        for (size_t x = 1; x <= edges->width; x++) {
            const size_t i = y * edges->stride + x;
            if (edges->steepness[i] <= WEAK_EDGE || !is_crest(edges, i)) continue;
            edges->marks[i] = MAYBE_EDGE;
            if (edges->steepness[i] <= STRONG_EDGE) continue;
            edges->marks[i] = EDGE;
            edges->pending[n_pending++] = i;
        }
    }
    while (n_pending > 0) {
        const size_t i = edges->pending[--n_pending];
        for (size_t k = 0; k < 9; k++) {
            const size_t next = i + (k / 3) * edges->stride + k % 3 - edges->stride - 1;
            if (edges->marks[next] != MAYBE_EDGE) continue;
            edges->marks[next] = EDGE;
            edges->pending[n_pending++] = next;
        }
    }
}

/* Chamfer distances of a 5x5 mask, 16 fractional bits. */
enum { STRAIGHT = 65536, DIAGONAL = 91750, KNIGHT = 143976, INFINITE = INT32_MAX >> 2, RIM = 2 };

/* The steps that reach a pixel from those before it in reading order. */
static const struct step {
    int down, right, cost;
} steps[] = {{-2, -1, KNIGHT},  {-2, 1, KNIGHT},   {-1, -2, KNIGHT}, {-1, -1, DIAGONAL},
             {-1, 0, STRAIGHT}, {-1, 1, DIAGONAL}, {-1, 2, KNIGHT},  {0, -1, STRAIGHT}};

static void relax(int32_t *here, ptrdiff_t stride, ptrdiff_t direction)
{
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const ptrdiff_t from = direction * (steps[k].down * stride + steps[k].right);
        const int32_t through = here[from] + steps[k].cost;
        if (through < *here) *here = through;
    }
}

/* Distances to the edges, at most FARTHEST, in pixels. */
static enum sl_status measure_distances(const struct edges *edges, float *out, struct sl_error *err)
{
    const size_t stride = edges->width + RIM + RIM;
    const size_t count = (edges->height + RIM + RIM) * stride;
    int32_t *distances = sl_data_alloc(count, sizeof *distances, err);
    if (!distances) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        distances[i] = INFINITE;
    int32_t *first = distances + RIM * stride + RIM;
    for (size_t y = 0; y < edges->height; y++)
        for (size_t x = 0; x < edges->width; x++) {
            int32_t *here = first + y * stride + x;
            if (edges->marks[(y + 1) * edges->stride + x + 1] == EDGE) *here = 0;
            relax(here, (ptrdiff_t)stride, 1);
        }
    for (size_t y = edges->height; y-- > 0;)
        for (size_t x = edges->width; x-- > 0;) {
            int32_t *here = first + y * stride + x;
            relax(here, (ptrdiff_t)stride, -1);
            out[y * edges->width + x] = fminf((float)*here / STRAIGHT, FARTHEST);
        }
    free(distances);
    return SL_OK;
}

/* The mean of 3x3 floats, rounded down. */
static void blur_floats(const float *in, size_t height, size_t width, uint8_t *out)
{
    for (size_t i = 0; i < height * width; i++) {
        double sum = 0;
        for (size_t k = 0; k < 9; k++) {
            const ptrdiff_t y = (ptrdiff_t)(i / width + k / 3) - 1;
            const ptrdiff_t x = (ptrdiff_t)(i % width + k % 3) - 1;
            sum += (double)in[sl_border_place(SL_BORDER_REFLECT_101, y, height) * width +
                              sl_border_place(SL_BORDER_REFLECT_101, x, width)];
        }
        out[i] = (uint8_t)(float)(sum * (1.0 / 9));
    }
}

static void equalise(uint8_t *values, size_t count)
{
    size_t histogram[256] = {0}, first = 0, sum = 0;
    uint8_t map[256] = {0};
    for (size_t i = 0; i < count; i++)
        histogram[values[i]]++;
    while (histogram[first] == 0)
        first++;
    if (histogram[first] == count) return;
    const float scale = 255.0F / (float)(count - histogram[first]);
    for (size_t value = first + 1; value < 256; value++) {
        sum += histogram[value];
        map[value] = (uint8_t)lrintf((float)sum * scale);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = map[values[i]];
}

/* Nine weights over every pixel, divided, rounded and clipped, in place; `room` is as large. */
static void filter(uint8_t *values, struct plane *room, const int weights[9], int divisor)
{
    plane_fill(room, values, SL_BORDER_REFLECT_101);
    for (size_t y = 0; y < room->height; y++) {
        for (size_t x = 0; x < room->width; x++) {
            const uint8_t *corner = room->values + y * room->stride + x;
            int sum = divisor / 2;
            for (size_t k = 0; k < 9; k++)
                sum += weights[k] * corner[k / 3 * room->stride + k % 3];
            sum /= divisor; /* negative sums are clipped, so their rounding does not matter */
            values[y * room->width + x] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
        }
    }
}

static enum sl_status find_edges(const uint8_t *liquid, struct plane *room, float *distances,
                                 struct sl_error *err)
{
    struct edges edges;
    plane_fill(room, liquid, SL_BORDER_NEAREST);
    SL_TRY(edges_create(room, &edges, err));
    mark_edges(&edges);
    enum sl_status status = measure_distances(&edges, distances, err);
    edges_release(&edges);
    return status;
}

/* Relief and thickness together, scaled so that the brightest is 1. Where nothing shines, the
 * published program divides by zero and blackens the image. */
static void scale_light(const uint8_t *liquid, const uint8_t *relief, size_t count, double *out)
{
    int most = 0;
    for (size_t i = 0; i < count; i++)
        if (liquid[i] * relief[i] > most) most = liquid[i] * relief[i];
    for (size_t i = 0; i < count; i++)
        out[i] = most ? (double)(liquid[i] * relief[i]) / most : 0;
}

enum sl_status sl_corrupt_drops(const uint8_t *liquid, size_t height, size_t width, double *out,
                                struct sl_error *err)
{
    static const int emboss[9] = {-2, -1, 0, -1, 1, 1, 0, 1, 2};
    static const int mean[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const size_t count = height * width;
    struct plane room = {0};
    float *distances = NULL;
    uint8_t *relief = NULL;
    enum sl_status status = plane_create(height, width, &room, err);
    if (status != SL_OK) goto out;
    distances = sl_data_alloc(count, sizeof *distances, err);
    relief = distances ? sl_data_alloc(count, 1, err) : NULL;
    if (!relief) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    SL_TRY_OUT(find_edges(liquid, &room, distances, err));
    blur_floats(distances, height, width, relief);
    equalise(relief, count);
    filter(relief, &room, emboss, 1);
    filter(relief, &room, mean, 9);
    scale_light(liquid, relief, count, out);
out:
    free(room.values);
    free(distances);
    free(relief);
    return status;
}
