/* What check_corruptions.py compares with other people's libraries. Arrays come and go as .npy:
 *   corruptions corrupt NAME SEED in.npy out.npy   bytes (n, h, w, c) -> (5 n, h, w, c)
 *   corruptions streak RADIUS,SIGMA,ANGLE in.npy out.npy   bytes (n, h, w, c), each blurred
 *   corruptions drops - in.npy out.npy             bytes (n, h, w) -> doubles
 *   corruptions ice SIDE in.npy out.npy            integers (n, 3): texture, top, left -> doubles
 *   corruptions warp A,B,C,D,E,F in.npy out.npy    doubles (h, w, c); out (x, y) is in at
 *                                                  (A x + B y + C, D x + E y + F) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/array.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

/* `count` numbers separated by commas. */
static enum sl_status read_numbers(const char *text, size_t count, double *out,
                                   struct sl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(text, ",");
        if (!sl_text_to_real(text, length, &out[i]))
            return sl_fail(err, SL_ERR_USAGE, "expected %zu numbers", count);
        text += length + (text[length] == ',');
    }
    return SL_OK;
}

static enum sl_status expect(const struct sl_array *in, enum sl_dtype dtype, size_t n_dimensions,
                             struct sl_error *err)
{
    const size_t any[SL_ARRAY_MAX_DIMENSIONS] = {0};
    if (in->dtype != dtype) return sl_fail(err, SL_ERR_INPUT, "an array of another type");
    return sl_array_expect(in, "input", n_dimensions, any, err);
}

static enum sl_status corrupt(char **words, const struct sl_array *in, struct sl_array *out,
                              struct sl_error *err)
{
    const struct sl_corruption *corruption = sl_corruption_find(words[0]);
    double seed = 0;
    if (!corruption) return sl_fail(err, SL_ERR_USAGE, "no corruption is called %s", words[0]);
    SL_TRY(read_numbers(words[1], 1, &seed, err));
    SL_TRY(expect(in, SL_U1, 4, err));
    const size_t shape[4] = {SL_SEVERITIES * in->shape[0], in->shape[1], in->shape[2],
                             in->shape[3]};
    struct sl_dataset set = {.count = in->shape[0],
                             .height = in->shape[1],
                             .width = in->shape[2],
                             .channels = in->shape[3],
                             .pixels = in->data};
    struct sl_corrupt_options options = sl_corrupt_options_default();
    options.seed = (uint64_t)seed;
    SL_TRY(sl_array_create(SL_U1, 0, 4, shape, out, err));
    return sl_corrupt_dataset(corruption, &set, &options, out->data, err);
}

static enum sl_status streak(char **words, const struct sl_array *in, struct sl_array *out,
                             struct sl_error *err)
{
    double numbers[3];
    SL_TRY(read_numbers(words[0], 3, numbers, err));
    SL_TRY(expect(in, SL_U1, 4, err));
    SL_TRY(sl_array_create(SL_U1, 0, 4, in->shape, out, err));
    const struct sl_streak made = {numbers[0], numbers[1], numbers[2]};
    const struct sl_extent extent = {in->shape[1], in->shape[2], in->shape[3]};
    const size_t bytes = sl_extent_count(extent);
    for (size_t i = 0; i < in->shape[0]; i++)
        SL_TRY(sl_corrupt_streak((const uint8_t *)in->data + i * bytes, extent, &made,
                                 (uint8_t *)out->data + i * bytes, err));
    return SL_OK;
}

static enum sl_status drops(char **words, const struct sl_array *in, struct sl_array *out,
                            struct sl_error *err)
{
    (void)words;
    SL_TRY(expect(in, SL_U1, 3, err));
    SL_TRY(sl_array_create(SL_F8, 0, 3, in->shape, out, err));
    const size_t pixels = in->shape[1] * in->shape[2];
    for (size_t i = 0; i < in->shape[0]; i++)
        SL_TRY(sl_corrupt_drops((const uint8_t *)in->data + i * pixels, in->shape[1], in->shape[2],
                                (double *)out->data + i * pixels, err));
    return SL_OK;
}

static enum sl_status ice(char **words, const struct sl_array *in, struct sl_array *out,
                          struct sl_error *err)
{
    double side = 0;
    SL_TRY(read_numbers(words[0], 1, &side, err));
    SL_TRY(expect(in, SL_I8, 2, err));
    const size_t size = (size_t)side, shape[4] = {in->shape[0], size, size, 3};
    SL_TRY(sl_array_create(SL_F8, 0, 4, shape, out, err));
    double *at = out->data;
    for (size_t i = 0; i < in->shape[0]; i++) {
        const int64_t *place = (const int64_t *)in->data + 3 * i;
        for (size_t y = 0; y < size; y++)
            for (size_t x = 0; x < size; x++, at += 3)
                sl_frost_ice((size_t)place[0], (double)place[1] + (double)y,
                             (double)place[2] + (double)x, at);
    }
    return SL_OK;
}

static enum sl_status warp(char **words, const struct sl_array *in, struct sl_array *out,
                           struct sl_error *err)
{
    double n[6];
    SL_TRY(read_numbers(words[0], 6, n, err));
    SL_TRY(expect(in, SL_F8, 3, err));
    SL_TRY(sl_array_create(SL_F8, 0, 3, in->shape, out, err));
    const struct sl_extent extent = {in->shape[0], in->shape[1], in->shape[2]};
    sl_affine_warp(in->data, extent, &(struct sl_affine){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}},
                   out->data);
    return SL_OK;
}

static const struct verb {
    const char *name;
    int n_words; /* before the two files */
    enum sl_status (*run)(char **words, const struct sl_array *in, struct sl_array *out,
                          struct sl_error *err);
} verbs[] = {{"corrupt", 2, corrupt},
             {"streak", 1, streak},
             {"drops", 1, drops},
             {"ice", 1, ice},
             {"warp", 1, warp}};

int main(int argc, char **argv)
{
    const struct verb *verb = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(argv[1], verbs[i].name) == 0) verb = &verbs[i];
    if (!verb || argc != verb->n_words + 4) {
        fputs("usage: corruptions VERB WORD... IN.npy OUT.npy\n", stderr);
        return 2;
    }
    struct sl_error err = {0};
    struct sl_array in = {0}, out = {0};
    enum sl_status status = sl_npy_read(argv[argc - 2], &in, &err);
    if (status == SL_OK) status = verb->run(argv + 2, &in, &out, &err);
    if (status == SL_OK) status = sl_npy_write(&out, SL_ORDER_C, argv[argc - 1], &err);
    if (status != SL_OK) fprintf(stderr, "corruptions: %s\n", err.message);
    sl_array_release(&in);
    sl_array_release(&out);
    return status != SL_OK;
}
