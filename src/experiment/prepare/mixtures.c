/* mixed_<lambda>_<A>_<idA>_<B>_<idB>.png is lambda times item idA plus (1 - lambda) times item idB,
 * in pixel space. */
#include <stdlib.h>
#include <string.h>

#include "experiment/prepare/prepare.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct mixture {
    double lambda;
    size_t a, b;
};

/* The field from *at up to the next '_' or '.'. */
static const char *field(const char **at, size_t *length)
{
    const char *begin = *at;
    *length = strcspn(begin, "_");
    *at = begin + *length + (begin[*length] == '_');
    return begin;
}

static bool parse(const char *name, size_t n_items, struct mixture *out)
{
    static const char head[] = "mixed_";
    if (strncmp(name, head, sizeof head - 1) != 0) return false;
    const char *at = name + sizeof head - 1;
    int64_t ids[2];
    size_t length;
    const char *text = field(&at, &length);
    if (!sl_text_to_real(text, length, &out->lambda)) return false;
    for (size_t i = 0; i < 2; i++) {
        (void)field(&at, &length); /* skip the class */
        text = field(&at, &length);
        const char *dot = memchr(text, '.', length);
        if (dot) length = (size_t)(dot - text);
        if (!sl_text_to_integer(text, length, &ids[i])) return false;
        if (ids[i] < 0 || (size_t)ids[i] >= n_items) return false;
    }
    out->a = (size_t)ids[0];
    out->b = (size_t)ids[1];
    return out->lambda >= 0 && out->lambda <= 1;
}

enum sl_status sl_prepare_mix(const struct sl_dataset *dataset, const char *name, uint8_t *out,
                              struct sl_error *err)
{
    const size_t size = dataset->height * dataset->width * dataset->channels;
    struct mixture mixture;
    if (!parse(sl_path_name(name), dataset->count, &mixture))
        return sl_fail(err, SL_ERR_INPUT,
                       "\"%.80s\" is not mixed_<share>_<A>_<id>_<B>_<id>.png of items that %s has",
                       name, dataset->name);
    sl_mix_pixels(dataset->pixels + mixture.a * size, dataset->pixels + mixture.b * size,
                  mixture.lambda, size, out);
    return SL_OK;
}

static enum sl_status mix_all(const struct sl_dataset *dataset, const struct sl_name_table *names,
                              struct sl_array *out, struct sl_error *err)
{
    const size_t count = sl_name_table_count(names);
    const size_t shape[] = {count, dataset->height, dataset->width, dataset->channels};
    const size_t size = shape[1] * shape[2] * shape[3];
    SL_TRY(sl_array_create(SL_U1, 0, 4, shape, out, err));
    for (size_t i = 0; i < count; i++)
        SL_TRY(sl_prepare_mix(dataset, sl_name_table_get(names, (uint32_t)i, NULL),
                              (uint8_t *)out->data + i * size, err));
    return SL_OK;
}

static enum sl_status write_set(const struct sl_name_table *names, const struct sl_array *images,
                                const char *path, struct sl_error *err)
{
    const size_t count = sl_name_table_count(names);
    const char **items = sl_alloc(count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = sl_name_table_get(names, (uint32_t)i, NULL);
    struct sl_array texts = {0};
    struct sl_npz_writer *writer = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_array_from_strings(items, count, &texts, err));
    SL_TRY_OUT(sl_npz_writer_create(path, SL_NPZ_STORED, &writer, err));
    SL_TRY_OUT(sl_npz_writer_add(writer, "images", images, err));
    SL_TRY_OUT(sl_npz_writer_add(writer, "item", &texts, err));
    SL_TRY_OUT(sl_npz_writer_commit(writer, err));
out:
    sl_npz_writer_destroy(writer);
    sl_array_release(&texts);
    free(items);
    return status;
}

enum sl_status sl_prepare_mixtures(const struct sl_preparation *preparation, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    struct sl_name_table *names = NULL;
    struct sl_array images = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_prepare_open(preparation, &dataset, err));
    SL_TRY_OUT(sl_dataset_load(dataset, 0, 0, 3, err));
    SL_TRY_OUT(sl_prepare_names(preparation, preparation->step->names, &names, err));
    SL_TRY_OUT(mix_all(dataset, names, &images, err));
    SL_TRY_OUT(write_set(names, &images, preparation->output, err));
out:
    sl_array_release(&images);
    sl_name_table_destroy(names);
    sl_dataset_destroy(dataset);
    return status;
}
