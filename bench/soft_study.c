#include "soft_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base.h"
#include "softlab/label.h"

enum { MAX_ANSWERS = 8192 };

/* The place in CIFAR-10's test set is the item's name. */
struct loading {
    struct soft_study *study;
    const struct sl_label_method *method;
    struct sl_label_options options;
    struct sl_name_table *items, *annotators;
};

static enum sl_status begin_answers(void *context, const char *const *classes, size_t n_classes,
                                    struct sl_error *err)
{
    (void)context;
    (void)classes;
    if (n_classes != SOFT_CLASSES)
        return sl_fail(err, SL_ERR_INPUT, "%zu classes, expected %d", n_classes, SOFT_CLASSES);
    return SL_OK;
}

static enum sl_status put_answer(void *context, const struct sl_answer *given, struct sl_error *err)
{
    struct loading *loading = context;
    struct soft_study *study = loading->study;
    struct sl_answer answer = *given;
    struct sl_belief top[2];
    double row[SOFT_CLASSES];
    if (answer.flags & (SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN)) return SL_OK;
    if (study->count == MAX_ANSWERS || answer.n_top < 1 || answer.n_top > 2)
        return sl_fail(err, SL_ERR_INPUT, "answer %zu is not one of CIFAR-10S", study->count);
    memcpy(top, answer.top, answer.n_top * sizeof *top);
    if (!(top[0].probability >= 0)) top[0].probability = .8f;
    if (top[0].probability == 0) top[0].probability = 1;
    answer.top = top;
    SL_TRY(sl_label_row(loading->method, &answer, SOFT_CLASSES, &loading->options, row, err));
    SL_TRY(sl_name_table_add(loading->items, answer.item.text, answer.item.length,
                             &study->item[study->count], err));
    SL_TRY(sl_name_table_add(loading->annotators, answer.annotator.text, answer.annotator.length,
                             &study->annotator[study->count], err));
    for (size_t k = 0; k < SOFT_CLASSES; k++)
        study->rows[study->count * SOFT_CLASSES + k] = (float)row[k];
    study->count++;
    return SL_OK;
}

static enum sl_status read_answers(const char *path, struct loading *loading, struct sl_error *err)
{
    const struct sl_answer_sink sink = {
        .begin = begin_answers, .put = put_answer, .context = loading};
    const struct sl_import_options options = {0};
    for (const struct sl_answer_format *format = sl_answer_formats; format->name; format++)
        if (strcmp(format->name, "cifar10s-raw") == 0)
            return format->import(&path, 1, &options, &sink, err);
    return sl_fail(err, SL_ERR_USAGE, "no format is called cifar10s-raw");
}

static enum sl_status read_reference(const char *path, const struct sl_name_table *items,
                                     struct soft_study *study, struct sl_error *err)
{
    struct sl_array counts = {0};
    enum sl_status status = SL_OK;
    SL_TRY(sl_npy_read(path, &counts, err));
    SL_TRY_OUT(sl_array_expect(&counts, path, 2, (const size_t[]){10000, SOFT_CLASSES}, err));
    if (counts.dtype != SL_I8)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: expected int64 counts", path));
    for (size_t i = 0; i < study->n_items; i++) {
        size_t length;
        int64_t image;
        const char *name = sl_name_table_get(items, (uint32_t)i, &length);
        if (!sl_text_to_integer(name, length, &image) || image < 0 || image >= 10000)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "item \"%s\" is no image of CIFAR-10H", name));
        const int64_t *row = (const int64_t *)counts.data + image * SOFT_CLASSES;
        double sum = 0;
        for (size_t k = 0; k < SOFT_CLASSES; k++)
            sum += (double)row[k];
        for (size_t k = 0; k < SOFT_CLASSES; k++)
            study->reference[i * SOFT_CLASSES + k] = (float)((double)row[k] / sum);
        study->image[i] = (uint32_t)image;
    }
out:
    sl_array_release(&counts);
    return status;
}

enum sl_status soft_study_load(const char *folder, struct soft_study *out, struct sl_error *err)
{
    struct soft_study study = {
        .item = sl_alloc(MAX_ANSWERS, sizeof(uint32_t)),
        .annotator = sl_alloc(MAX_ANSWERS, sizeof(uint32_t)),
        .rows = sl_alloc((size_t)MAX_ANSWERS * SOFT_CLASSES, sizeof(float)),
    };
    struct loading loading = {
        .study = &study,
        .method = sl_label_method_find("t2-clamp"),
        .options = sl_label_options_default(),
        .items = sl_name_table_create(),
        .annotators = sl_name_table_create(),
    };
    char *answers = sl_path_join(folder, "cifar10s/raw_human_data.csv");
    char *counts = sl_path_join(folder, "cifar10h/cifar10h-counts.npy");
    enum sl_status status = SL_OK;
    loading.options.gamma = .1;
    SL_TRY_OUT(read_answers(answers, &loading, err));
    study.n_items = sl_name_table_count(loading.items);
    study.n_annotators = sl_name_table_count(loading.annotators);
    study.reference = sl_alloc(study.n_items * SOFT_CLASSES, sizeof *study.reference);
    study.image = sl_alloc(study.n_items, sizeof *study.image);
    SL_TRY_OUT(read_reference(counts, loading.items, &study, err));
    *out = study;
    study = (struct soft_study){0};
out:
    soft_study_release(&study);
    sl_name_table_destroy(loading.items);
    sl_name_table_destroy(loading.annotators);
    free(answers);
    free(counts);
    return status;
}

void soft_study_release(struct soft_study *study)
{
    free(study->item);
    free(study->annotator);
    free(study->rows);
    free(study->reference);
    free(study->image);
}

void soft_study_draw(const struct soft_study *study, size_t n_drawn, uint64_t seed,
                     struct soft_draw *out)
{
    size_t *own = sl_alloc(study->count, sizeof *own), *drawn = sl_alloc(n_drawn, sizeof *drawn);
    *out = (struct soft_draw){
        .begin = sl_alloc(study->n_items + 1, sizeof(size_t)),
        .annotator = sl_alloc(study->n_items * n_drawn, sizeof(uint32_t)),
        .rows = sl_alloc(study->n_items * n_drawn * SOFT_CLASSES, sizeof(float)),
    };
    size_t count = 0;
    for (size_t i = 0; i < study->n_items; i++) {
        struct sl_rng rng;
        size_t n_own = 0;
        for (size_t j = 0; j < study->count; j++)
            if (study->item[j] == i) own[n_own++] = j;
        size_t n_taken = n_own < n_drawn ? n_own : n_drawn;
        sl_rng_init(&rng, seed, "bench.draw", n_drawn, i);
        sl_rng_sample(&rng, n_own, n_taken, drawn);
        for (size_t d = 0; d < n_taken; d++, count++) {
            size_t answer = own[drawn[d]];
            out->annotator[count] = study->annotator[answer];
            memcpy(out->rows + count * SOFT_CLASSES, study->rows + answer * SOFT_CLASSES,
                   SOFT_CLASSES * sizeof(float));
        }
        out->begin[i + 1] = count;
    }
    out->votes = (struct sl_soft_votes){.n_items = study->n_items,
                                        .n_annotators = study->n_annotators,
                                        .n_classes = SOFT_CLASSES,
                                        .count = count,
                                        .begin = out->begin,
                                        .annotator = out->annotator,
                                        .rows = out->rows};
    free(own);
    free(drawn);
}

void soft_draw_release(struct soft_draw *draw)
{
    free(draw->begin);
    free(draw->annotator);
    free(draw->rows);
}
