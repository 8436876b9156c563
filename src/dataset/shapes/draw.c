/* Outlines are signed distances, negative inside. A morph is the outline of the weighted
 * sum of two distances, which changes smoothly from one shape to the other without any
 * matching of their corners. */
#include <math.h>

#include "dataset/shapes/shapes.h"

enum { SAMPLES = 4 }; /* per side of a pixel that the outline may cross */

struct point {
    double x, y;
};

static double disc(struct point at, struct point center, double radius)
{
    return hypot(at.x - center.x, at.y - center.y) - radius;
}

static double segment(struct point at, struct point a, struct point b)
{
    const struct point along = {b.x - a.x, b.y - a.y}, to = {at.x - a.x, at.y - a.y};
    double part = (to.x * along.x + to.y * along.y) / (along.x * along.x + along.y * along.y);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return hypot(to.x - part * along.x, to.y - part * along.y);
}

static double polygon(struct point at, const struct point *corners, size_t count)
{
    double nearest = (double)INFINITY;
    bool inside = false;
    for (size_t i = 0, before = count - 1; i < count; before = i++) {
        const struct point a = corners[before], b = corners[i];
        double distance = segment(at, a, b);
        if (distance < nearest) nearest = distance;
        /* A ray to the right crosses the outline an odd number of times from inside. */
        bool crosses = (a.y > at.y) != (b.y > at.y);
        if (crosses && at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y)) inside = !inside;
    }
    return inside ? -nearest : nearest;
}

static double circle(struct point at)
{
    return disc(at, (struct point){0, 0}, 0.74);
}

static double square(struct point at)
{
    static const struct point corners[] = {
        {-0.66, -0.66}, {0.66, -0.66}, {0.66, 0.66}, {-0.66, 0.66}};
    return polygon(at, corners, sizeof corners / sizeof *corners);
}

static double triangle(struct point at)
{
    static const struct point corners[] = {{0, -0.86}, {0.88, 0.66}, {-0.88, 0.66}};
    return polygon(at, corners, sizeof corners / sizeof *corners);
}

/* Five points on a circle of radius 1, five on one of .44. */
static double star(struct point at)
{
    static const struct point corners[] = {
        {0, -1},   {0.2586, -0.3560}, {0.9511, -0.3090}, {0.4185, 0.1360},   {0.5878, 0.8090},
        {0, 0.44}, {-0.5878, 0.8090}, {-0.4185, 0.1360}, {-0.9511, -0.3090}, {-0.2586, -0.3560},
    };
    return polygon(at, corners, sizeof corners / sizeof *corners);
}

/* A square on its corner with a disc on each of its upper sides. */
static double heart(struct point at)
{
    static const struct point corners[] = {{0, -0.53}, {0.67, 0.14}, {0, 0.81}, {-0.67, 0.14}};
    const double side = 0.335, radius = 0.4738; /* half of .67, and of .67 sqrt 2 */
    double left = disc(at, (struct point){-side, 0.14 - side}, radius);
    double right = disc(at, (struct point){side, 0.14 - side}, radius);
    return fmin(fmin(left, right), polygon(at, corners, sizeof corners / sizeof *corners));
}

static double cross(struct point at)
{
    static const struct point corners[] = {
        {-0.28, -0.88}, {0.28, -0.88}, {0.28, -0.28}, {0.88, -0.28}, {0.88, 0.28},   {0.28, 0.28},
        {0.28, 0.88},   {-0.28, 0.88}, {-0.28, 0.28}, {-0.88, 0.28}, {-0.88, -0.28}, {-0.28, -0.28},
    };
    return polygon(at, corners, sizeof corners / sizeof *corners);
}

static double crescent(struct point at)
{
    return fmax(disc(at, (struct point){0.1, 0}, 0.92),
                -disc(at, (struct point){0.5, -0.16}, 0.72));
}

static double arrow(struct point at)
{
    static const struct point corners[] = {{-0.96, 0},  {-0.2, -0.78}, {-0.2, -0.3}, {0.88, -0.3},
                                           {0.88, 0.3}, {-0.2, 0.3},   {-0.2, 0.78}};
    return polygon(at, corners, sizeof corners / sizeof *corners);
}

static double (*const distances[SL_SHAPES_MAX_CLASSES])(struct point) = {
    circle, square, triangle, star, heart, cross, crescent, arrow};

const char *const sl_shape_names[SL_SHAPES_MAX_CLASSES] = {"circle", "square", "triangle", "star",
                                                           "heart",  "cross",  "crescent", "arrow"};

struct turn {
    double sine, cosine;
};

/* Signed distance to the morphed outline, of a point of the picture, in shape units. */
static double distance_at(const struct sl_shape_pose *pose, struct turn turn, double x, double y)
{
    double right = (x - pose->x) / pose->scale, down = (y - pose->y) / pose->scale;
    const struct point at = {right * turn.cosine + down * turn.sine,
                             down * turn.cosine - right * turn.sine};
    double from = distances[pose->from](at);
    if (pose->morph == 0) return from;
    return (1 - pose->morph) * from + pose->morph * distances[pose->to](at);
}

static float cover_pixel(const struct sl_shape_pose *pose, struct turn turn, double left,
                         double top, double side)
{
    int inside = 0;
    for (int row = 0; row < SAMPLES; row++)
        for (int column = 0; column < SAMPLES; column++)
            inside += distance_at(pose, turn, left + side * (column + 0.5) / SAMPLES,
                                  top + side * (row + 0.5) / SAMPLES) <= 0;
    return (float)inside / (SAMPLES * SAMPLES);
}

void sl_shape_cover(const struct sl_shape_pose *pose, size_t size, float *out)
{
    const struct turn turn = {sin(pose->angle), cos(pose->angle)};
    const double side = 2.0 / (double)size;
    /* A distance changes no faster than the position, so a pixel whose centre is farther from the
     * outline than from its corners is completely inside or outside. */
    const double reach = side * sqrt(0.5) / pose->scale;
    for (size_t row = 0; row < size; row++) {
        for (size_t column = 0; column < size; column++) {
            double left = (double)column * side - 1, top = (double)row * side - 1;
            double middle = distance_at(pose, turn, left + side / 2, top + side / 2);
            if (fabs(middle) > reach)
                *out++ = middle < 0 ? 1 : 0;
            else
                *out++ = cover_pixel(pose, turn, left, top, side);
        }
    }
}
