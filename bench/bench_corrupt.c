/* Every corruption at five severities: processor time per image, and for the 50,000 images of a
 * file of CIFAR-10-C. Made images will do, since no corruption's cost hangs much on the content.
 * The ratio is to contrast, the simplest pass over the values.
 *
 *     bench_corrupt [IMAGES]      at each severity, 400 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "softlab/base.h"
#include "softlab/dataset.h"

enum { FILE_IMAGES = 50000, ROUNDS = 3 };

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The fastest of a few rounds, because the machine may be busy. */
static enum sl_status measure(const struct sl_corruption *corruption, const struct sl_dataset *set,
                              uint8_t *out, double *seconds, struct sl_error *err)
{
    const struct sl_corrupt_options options = sl_corrupt_options_default();
    for (int round = 0; round < ROUNDS; round++) {
        const double started = processor_seconds();
        SL_TRY(sl_corrupt_dataset(corruption, set, &options, out, err));
        const double taken = processor_seconds() - started;
        if (round == 0 || taken < *seconds) *seconds = taken;
    }
    return SL_OK;
}

static enum sl_status run(size_t count, struct sl_error *err)
{
    struct sl_shapes_options shapes = sl_shapes_options_default();
    struct sl_dataset *set = NULL;
    uint8_t *out = NULL;
    double reference = 0;
    shapes.count = count;
    enum sl_status status;
    SL_TRY_OUT(sl_shapes_create(&shapes, &set, err));
    SL_TRY_OUT(sl_dataset_load(set, 32, 32, 3, err));
    out = sl_data_alloc(SL_SEVERITIES * count, (size_t)32 * 32 * 3, err);
    if (!out) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    const double n_images = (double)(SL_SEVERITIES * count);
    SL_TRY_OUT(measure(sl_corruption_find("contrast"), set, out, &reference, err));
    printf("%-18s %10s %14s %16s\n", "", "us/image", "50,000 images", "times contrast");
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
        double seconds = 0;
        SL_TRY_OUT(measure(c, set, out, &seconds, err));
        printf("%-18s %10.1f %12.1f s %16.1f\n", c->name, 1e6 * seconds / n_images,
               FILE_IMAGES * seconds / n_images, seconds / reference);
    }
out:
    free(out);
    sl_dataset_destroy(set);
    return status;
}

int main(int argc, char **argv)
{
    int64_t count = 400;
    struct sl_error err = {0};
    if (argc > 2 || (argc == 2 && (!sl_text_to_integer(argv[1], strlen(argv[1]), &count) ||
                                   count < 1 || count > FILE_IMAGES))) {
        fprintf(stderr, "usage: %s [IMAGES]\n", argv[0]);
        return 2;
    }
    if (run((size_t)count, &err) == SL_OK) return 0;
    fprintf(stderr, "bench_corrupt: %s\n", err.message);
    return 1;
}
