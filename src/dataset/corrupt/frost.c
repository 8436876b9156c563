/* Ice on a window, drawn by a formula instead of the published photographs: crystals grow from
 * scattered seeds, each a spine with branches at sixty degrees to both sides, over a film of ice of
 * varying thickness. A texture is a fixed function of the plane, so nothing is drawn at random or
 * stored here; the caller draws which texture to use and where. */
#include <math.h>
#include <stdint.h>

#include "dataset/corrupt/corrupt.h"

/* Five windows, in the pixels of an image of 32: photographs shrunk to a fifth. */
static const struct window {
    double seed_spacing;   /* between crystals */
    double branch_spacing; /* along a spine */
    double thin;           /* thickness of the film at its thinnest, 0 to 1 */
    double dark[3], light[3];
} windows[SL_FROST_TEXTURES] = {
    {22, 5.0, .15, {38, 58, 92}, {226, 238, 250}},  {16, 4.0, .30, {70, 92, 118}, {236, 242, 248}},
    {30, 6.0, .10, {24, 34, 58}, {204, 222, 240}},  {12, 3.5, .35, {88, 100, 112}, {240, 243, 246}},
    {20, 4.5, .20, {52, 84, 104}, {218, 240, 246}},
};

/* A number in [0, 1) for each lattice point, by splitmix64's mixing. */
static double lattice(uint64_t texture, int64_t y, int64_t x, uint64_t purpose)
{
    uint64_t hash = (uint64_t)y * 0x9E3779B97F4A7C15 ^ (uint64_t)x * 0xC2B2AE3D27D4EB4F ^
                    (texture * 16 + purpose) * 0x165667B19E3779F9;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EB;
    return (double)((hash ^ hash >> 31) >> 11) * 0x1p-53;
}

/* Smooth noise in [0, 1] with hills `scale` apart. */
static double hills(uint64_t texture, double y, double x, double scale, uint64_t purpose)
{
    const double row = floor(y / scale), column = floor(x / scale);
    double down = y / scale - row, right = x / scale - column;
    down *= down * (3 - 2 * down);
    right *= right * (3 - 2 * right);
    const int64_t top = (int64_t)row, left = (int64_t)column;
    const double above = lattice(texture, top, left, purpose) * (1 - right) +
                         lattice(texture, top, left + 1, purpose) * right;
    const double below = lattice(texture, top + 1, left, purpose) * (1 - right) +
                         lattice(texture, top + 1, left + 1, purpose) * right;
    return above * (1 - down) + below * down;
}

enum purpose { SEED_Y, SEED_X, DIRECTION, GRAIN, FILM, BEND_Y, BEND_X };

/* The crystal with the nearest seed: the offset of the pixel from it, and its direction. */
struct crystal {
    double y, x, direction;
};

static struct crystal nearest_crystal(uint64_t texture, double spacing, double y, double x)
{
    const int64_t row = (int64_t)floor(y / spacing), column = (int64_t)floor(x / spacing);
    struct crystal nearest = {0};
    double least = (double)INFINITY;
    int64_t seed_row = 0, seed_column = 0;
    for (int64_t i = row - 1; i <= row + 1; i++) {
        for (int64_t j = column - 1; j <= column + 1; j++) {
            const double to_y = y - ((double)i + lattice(texture, i, j, SEED_Y)) * spacing;
            const double to_x = x - ((double)j + lattice(texture, i, j, SEED_X)) * spacing;
            const double distance = to_y * to_y + to_x * to_x;
            if (distance >= least) continue;
            least = distance;
            nearest.y = to_y;
            nearest.x = to_x;
            seed_row = i;
            seed_column = j;
        }
    }
    nearest.direction = lattice(texture, seed_row, seed_column, DIRECTION);
    return nearest;
}

/* The amount of ice from the crystal's fern at this point, 0 to 1. */
static double fern(const struct window *window, const struct crystal *crystal)
{
    const double turn = 6.283185307179586 * crystal->direction;
    const double along = crystal->x * cos(turn) + crystal->y * sin(turn);
    const double across = fabs(crystal->y * cos(turn) - crystal->x * sin(turn));
    const double spine = exp(-across * across / 2);
    /* Branches lean forward: tan 30 degrees along for each pixel across. */
    const double phase = (along - 0.577 * across) / window->branch_spacing;
    const double wave = fabs(2 * (phase - floor(phase)) - 1); /* 1 on a branch, 0 between two */
    const double branch = wave * wave * exp(-across / (0.55 * window->seed_spacing));
    return fmax(spine, branch);
}

void sl_frost_ice(size_t texture, double y, double x, double out[3])
{
    const struct window *window = &windows[texture];
    /* Bend the ferns, since straight ones look artificial. */
    const double bent_y = y + 3 * hills(texture, y, x, 9, BEND_Y);
    const double bent_x = x + 3 * hills(texture, y, x, 9, BEND_X);
    const struct crystal crystal = nearest_crystal(texture, window->seed_spacing, bent_y, bent_x);
    const double film = window->thin + (1 - window->thin) * hills(texture, y, x, 14, FILM);
    const double grain = hills(texture, y, x, 1.5, GRAIN);
    const double ice = film * (0.3 + 0.7 * fern(window, &crystal)) + 0.25 * (grain - 0.5);
    const double share = fmin(fmax(1.25 * ice, 0), 1);
    for (size_t c = 0; c < 3; c++)
        out[c] = window->dark[c] + share * (window->light[c] - window->dark[c]);
}
