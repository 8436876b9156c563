#include "crowd_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base.h"

/* Answers in the order of the file, before they are grouped by item. */
struct draft {
    size_t count, capacity;
    uint32_t *item, *annotator, *label; /* owned */
    size_t n_items, n_annotators, n_classes;
    size_t n_truth;
    int32_t *truth; /* owned */
};

static void draft_release(struct draft *draft)
{
    free(draft->item);
    free(draft->annotator);
    free(draft->label);
    free(draft->truth);
}

static void draft_add(struct draft *draft, size_t item, size_t annotator, size_t label)
{
    if (draft->count == draft->capacity) {
        draft->capacity = draft->capacity ? 2 * draft->capacity : 1024;
        draft->item = sl_resize(draft->item, draft->capacity, sizeof *draft->item);
        draft->annotator = sl_resize(draft->annotator, draft->capacity, sizeof *draft->annotator);
        draft->label = sl_resize(draft->label, draft->capacity, sizeof *draft->label);
    }
    draft->item[draft->count] = (uint32_t)item;
    draft->annotator[draft->count] = (uint32_t)annotator;
    draft->label[draft->count++] = (uint32_t)label;
    if (item >= draft->n_items) draft->n_items = item + 1;
    if (annotator != SL_NO_NAME && annotator >= draft->n_annotators)
        draft->n_annotators = annotator + 1;
    if (label >= draft->n_classes) draft->n_classes = label + 1;
}

static void draft_add_truth(struct draft *draft, size_t item, size_t label)
{
    if (item >= draft->n_truth) {
        draft->truth = sl_resize(draft->truth, item + 1, sizeof *draft->truth);
        for (size_t i = draft->n_truth; i <= item; i++)
            draft->truth[i] = -1;
        draft->n_truth = item + 1;
    }
    draft->truth[item] = (int32_t)label;
    if (item >= draft->n_items) draft->n_items = item + 1;
    if (label >= draft->n_classes) draft->n_classes = label + 1;
}

/* Number the classes that occur without gaps, in their order. */
static void close_gaps(struct draft *draft)
{
    int32_t *number = sl_alloc(draft->n_classes, sizeof *number);
    int32_t next = 0;
    for (size_t i = 0; i < draft->count; i++)
        number[draft->label[i]] = 1;
    for (size_t i = 0; i < draft->n_truth; i++)
        if (draft->truth[i] >= 0) number[draft->truth[i]] = 1;
    for (size_t k = 0; k < draft->n_classes; k++)
        if (number[k]) number[k] = next++;
    for (size_t i = 0; i < draft->count; i++)
        draft->label[i] = (uint32_t)number[draft->label[i]];
    for (size_t i = 0; i < draft->n_truth; i++)
        if (draft->truth[i] >= 0) draft->truth[i] = number[draft->truth[i]];
    draft->n_classes = (size_t)next;
    free(number);
}

/* Group the answers by item, each item's in the order of the file. */
static void draft_finish(struct draft *draft, struct sl_votes *votes, int32_t **truth)
{
    close_gaps(draft);
    *votes = (struct sl_votes){.n_items = draft->n_items,
                               .n_annotators = draft->n_annotators,
                               .n_classes = draft->n_classes,
                               .count = draft->count};
    votes->begin = sl_alloc(draft->n_items + 2, sizeof *votes->begin);
    votes->annotator = sl_alloc(draft->count, sizeof *votes->annotator);
    votes->label = sl_alloc(draft->count, sizeof *votes->label);
    for (size_t i = 0; i < draft->count; i++)
        votes->begin[draft->item[i] + 2]++;
    for (size_t i = 2; i < draft->n_items + 2; i++)
        votes->begin[i] += votes->begin[i - 1];
    for (size_t i = 0; i < draft->count; i++) {
        size_t place = votes->begin[draft->item[i] + 1]++;
        votes->annotator[place] = draft->annotator[i];
        votes->label[place] = (uint16_t)draft->label[i];
    }
    if (draft->n_truth < draft->n_items) {
        draft->truth = sl_resize(draft->truth, draft->n_items, sizeof *draft->truth);
        for (size_t i = draft->n_truth; i < draft->n_items; i++)
            draft->truth[i] = -1;
    }
    *truth = draft->truth;
    draft->truth = NULL;
}

void crowd_set_release(struct sl_votes *votes, int32_t *truth)
{
    free(votes->begin);
    free(votes->annotator);
    free(votes->label);
    free(truth);
}

typedef enum sl_status take_record(struct draft *draft, struct sl_csv *csv,
                                   const struct sl_csv_record *record, size_t row,
                                   struct sl_error *err);

static enum sl_status read_table(const char *folder, const char *name,
                                 const struct sl_csv_options *options, take_record *take,
                                 struct draft *draft, struct sl_error *err)
{
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    enum sl_status status = SL_OK;
    char *path = sl_path_join(folder, name);
    SL_TRY_OUT(sl_csv_open(path, options, &csv, err));
    for (size_t row = 0;; row++) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(take(draft, csv, &record, row, err));
    }
out:
    sl_csv_close(csv);
    free(path);
    return status;
}

static enum sl_status take_answer(struct draft *draft, struct sl_csv *csv,
                                  const struct sl_csv_record *record, size_t row,
                                  struct sl_error *err)
{
    int64_t values[3];
    (void)row;
    for (size_t i = 0; i < 3; i++)
        SL_TRY(sl_csv_integer(csv, record, i, 0, 10000000, &values[i], err));
    draft_add(draft, (size_t)values[0], (size_t)values[1], (size_t)values[2]);
    return SL_OK;
}

static enum sl_status take_truth(struct draft *draft, struct sl_csv *csv,
                                 const struct sl_csv_record *record, size_t row,
                                 struct sl_error *err)
{
    int64_t item = (int64_t)row, label;
    if (record->count > 1) SL_TRY(sl_csv_integer(csv, record, 0, 0, 10000000, &item, err));
    SL_TRY(sl_csv_integer(csv, record, record->count - 1, 0, 65535, &label, err));
    draft_add_truth(draft, (size_t)item, (size_t)label);
    return SL_OK;
}

/* One row per item, one column per annotator; -1 or nothing where there is no answer. */
static enum sl_status take_matrix_row(struct draft *draft, struct sl_csv *csv,
                                      const struct sl_csv_record *record, size_t row,
                                      struct sl_error *err)
{
    for (size_t column = 0; column < record->count; column++) {
        int64_t label;
        if (record->fields[column].length == 0) continue;
        SL_TRY(sl_csv_integer(csv, record, column, -1, 65535, &label, err));
        if (label >= 0) draft_add(draft, row, column, (size_t)label);
    }
    return SL_OK;
}

static enum sl_status load_pair(const struct crowd_set *set, const char *folder,
                                const struct sl_csv_options options[2], take_record *take,
                                struct sl_votes *votes, int32_t **truth, struct sl_error *err)
{
    struct draft draft = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_table(folder, set->answers, &options[0], take, &draft, err));
    SL_TRY_OUT(read_table(folder, set->truth, &options[1], take_truth, &draft, err));
    draft_finish(&draft, votes, truth);
out:
    draft_release(&draft);
    return status;
}

static enum sl_status load_long(const struct crowd_set *set, const char *folder,
                                struct sl_votes *votes, int32_t **truth, struct sl_error *err)
{
    const struct sl_csv_options options[2] = {sl_csv_options_default(), sl_csv_options_default()};
    return load_pair(set, folder, options, take_answer, votes, truth, err);
}

static enum sl_status load_matrix(const struct crowd_set *set, const char *folder,
                                  struct sl_votes *votes, int32_t **truth, struct sl_error *err)
{
    struct sl_csv_options options[2] = {sl_csv_options_default(), sl_csv_options_default()};
    options[0].header = options[1].header = false;
    const char *suffix = strrchr(set->answers, '.');
    if (strcmp(suffix, ".txt") == 0) options[0].delimiter = ' ';
    return load_pair(set, folder, options, take_matrix_row, votes, truth, err);
}

static const char *const pos_tags[] = {"ADJ",  "ADP", "ADV", "CONJ", "DET", "NOUN", "NUM",
                                       "PRON", "PRT", ".",   "VERB", "X",   NULL};

/* Tokens such as @USER carry everybody's answer and say nothing about anybody. */
enum { MAX_POS_ANSWERS = 20 };

static enum sl_status read_tag(struct sl_csv *csv, size_t line, const char *text, size_t length,
                               size_t *out, struct sl_error *err)
{
    size_t tag = 0;
    while (pos_tags[tag] &&
           (strlen(pos_tags[tag]) != length || memcmp(pos_tags[tag], text, length) != 0))
        tag++;
    if (!pos_tags[tag])
        return sl_csv_fail(csv, line, err, "no tag is called \"%.*s\"", (int)length, text);
    *out = tag;
    return SL_OK;
}

/* token number, token, the annotators' tags with commas between, gold tag. */
static enum sl_status take_token(struct draft *draft, struct sl_csv *csv,
                                 const struct sl_csv_record *record, size_t row,
                                 struct sl_error *err)
{
    const size_t before = draft->count, item = draft->n_items;
    size_t tag = 0;
    (void)row;
    if (record->count != 4) return sl_csv_fail(csv, record->line, err, "4 fields expected");
    const struct sl_field *tags = &record->fields[2], *gold = &record->fields[3];
    for (size_t at = 0, annotator = 0; at < tags->length; annotator++) {
        size_t end = at;
        while (end < tags->length && tags->text[end] != ',')
            end++;
        if (end > at) {
            SL_TRY(read_tag(csv, record->line, tags->text + at, end - at, &tag, err));
            draft_add(draft, item, annotator, tag);
        }
        at = end + 1;
    }
    SL_TRY(read_tag(csv, record->line, gold->text, gold->length, &tag, err));
    if (draft->count - before > MAX_POS_ANSWERS) {
        draft->count = before;
        draft->n_items = item;
    } else {
        draft_add_truth(draft, item, tag);
    }
    return SL_OK;
}

static enum sl_status load_pos(const struct crowd_set *set, const char *folder,
                               struct sl_votes *votes, int32_t **truth, struct sl_error *err)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct draft draft = {0};
    enum sl_status status = SL_OK;
    options.header = options.quoting = false;
    options.delimiter = '\t';
    SL_TRY_OUT(read_table(folder, set->answers, &options, take_token, &draft, err));
    draft_finish(&draft, votes, truth);
out:
    draft_release(&draft);
    return status;
}

/* ---- CIFAR-10H ---- */

enum { FIRST_IMAGE = 9500, IMAGES = 500, ALL_IMAGES = 10000, JSON_LIMIT = 64 << 20 };

/* The classes of CIFAR-10's test images from `first`, as the truth. */
static enum sl_status read_image_classes(const char *path, size_t first, size_t count,
                                         struct draft *draft, struct sl_error *err)
{
    const size_t shape[] = {ALL_IMAGES};
    struct sl_array given = {0}, classes = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npy_read(path, &given, err));
    SL_TRY_OUT(sl_array_expect(&given, path, 1, shape, err));
    SL_TRY_OUT(sl_array_convert(&given, SL_I4, path, &classes, err));
    for (size_t i = 0; i < count; i++)
        draft_add_truth(draft, i, (size_t)((const int32_t *)classes.data)[first + i]);
out:
    sl_array_release(&classes);
    sl_array_release(&given);
    return status;
}

/* An object per image, of annotators and the classes that they named. */
static enum sl_status read_named(const char *path, struct draft *draft, struct sl_error *err)
{
    struct sl_json json = {0};
    SL_TRY(sl_json_read(path, JSON_LIMIT, &json, err));
    for (size_t i = 0; i < IMAGES; i++) {
        char key[16];
        const char *annotator;
        json_t *label;
        snprintf(key, sizeof key, "%zu", FIRST_IMAGE + i);
        json_object_foreach(json_object_get(json.root, key), annotator, label)
        {
            draft_add(draft, i, strtoul(annotator, NULL, 10), (size_t)json_integer_value(label));
        }
    }
    sl_json_release(&json);
    return SL_OK;
}

/* A row of counts per image; nobody knows whose answers they were. */
static enum sl_status read_counts(const char *path, struct draft *draft, struct sl_error *err)
{
    const size_t shape[] = {ALL_IMAGES, 10};
    struct sl_array counts = {0};
    enum sl_status status = SL_OK;
    SL_TRY(sl_npy_read(path, &counts, err));
    SL_TRY_OUT(sl_array_expect(&counts, path, 2, shape, err));
    if (counts.dtype != SL_I8)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: expected int64 counts", path));
    for (size_t cell = 0; cell < (size_t)ALL_IMAGES * 10; cell++)
        for (int64_t n = 0; n < ((const int64_t *)counts.data)[cell]; n++)
            draft_add(draft, cell / 10, SL_NO_NAME, cell % 10);
out:
    sl_array_release(&counts);
    return status;
}

static enum sl_status load_images(const struct crowd_set *set, const char *folder,
                                  struct sl_votes *votes, int32_t **truth, struct sl_error *err)
{
    const bool counts = strstr(set->answers, ".npy");
    char *answers = sl_path_join(folder, set->answers), *classes = sl_path_join(folder, set->truth);
    struct draft draft = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(counts ? read_counts(answers, &draft, err) : read_named(answers, &draft, err));
    SL_TRY_OUT(read_image_classes(classes, counts ? 0 : FIRST_IMAGE, counts ? ALL_IMAGES : IMAGES,
                                  &draft, err));
    draft_finish(&draft, votes, truth);
out:
    draft_release(&draft);
    free(answers);
    free(classes);
    return status;
}

enum sl_status crowd_set_load(const struct crowd_set *set, const char *folder,
                              struct sl_votes *votes, int32_t **truth, struct sl_error *err)
{
    return set->load(set, folder, votes, truth, err);
}

double crowd_item_right(const struct sl_crowd_state *state, size_t item, int32_t truth)
{
    const float *row = state->posterior + item * state->n_classes;
    size_t n_tied = 0;
    float most = row[0];
    for (size_t k = 1; k < state->n_classes; k++)
        most = row[k] > most ? row[k] : most;
    for (size_t k = 0; k < state->n_classes; k++)
        n_tied += row[k] == most;
    return row[truth] == most ? 1 / (double)n_tied : 0;
}

double crowd_accuracy(const struct sl_crowd_state *state, const int32_t *truth)
{
    double right = 0;
    size_t known = 0;
    for (size_t i = 0; i < state->n_items; i++) {
        if (truth[i] < 0) continue;
        right += crowd_item_right(state, i, truth[i]);
        known++;
    }
    return right / (double)known;
}

/* mv and ds: Crowd-Kit's paper (s4_Relevance), the files the sets come with (rte, labelme's
 * mv_first, sentiment, pos) or 50 iterations from vote shares in another program (bluebird,
 * d_jn-product, dog, labelme); ibcc: Li, Rubinstein and Cohn 2019. */
#define TRUTH_INFERENCE(set)                                                                       \
    "truth_inference/" set "/label.csv", "truth_inference/" set "/truth.csv"
const struct crowd_set crowd_sets[] = {
    {"CF", TRUTH_INFERENCE("CF"), load_long, .ibcc = .883333},
    {"MS", TRUTH_INFERENCE("MS"), load_long, .ibcc = .79},
    {"SP", TRUTH_INFERENCE("SP"), load_long, .ibcc = .914983},
    {"bluebird", TRUTH_INFERENCE("bluebird"), load_long, .7593, 0, .8981, .888889},
    {"d_jn-product", TRUTH_INFERENCE("d_jn-product"), load_long, .8966, 0, .9396, .938304},
    {"dog", TRUTH_INFERENCE("dog"), load_long, .8222, 0, .8426, .838910},
    {"fact_eval", TRUTH_INFERENCE("fact_eval"), load_long, .ibcc = .876736},
    {"rte", TRUTH_INFERENCE("rte"), load_long, .8969, 0, 0, .9275},
    {"s4_Relevance", TRUTH_INFERENCE("s4_Relevance"), load_long, 0, .536, .615, 0},
    {"labelme", "labelme/answers.txt", "labelme/LabelMe_Z_train.txt", load_matrix, .766, .769, .789,
     0},
    {"sentiment", "sentiment_polarity/answers.txt", "sentiment_polarity/Sentiment_Z_train.txt",
     load_matrix, .886, .890, 0, .914983},
    {"mace rte", "rte/mace/rte.csv", "rte/mace/rte.key", load_matrix, .8969, 0, 0, .9275},
    {"mace temporal", "rte/mace/temporal.csv", "rte/mace/temporal.key", load_matrix, .mv = .9361},
    {"mace wsd", "rte/mace/wsd.csv", "rte/mace/wsd.key", load_matrix, .mv = .9944},
    {"cifar10h", "cifar10h/answers_valid.json", "peterson2019/test_set_cifar_labels.npy",
     load_images, 0, 0, 0, 0},
    {"cifar10h counts", "cifar10h/cifar10h-counts.npy", "peterson2019/test_set_cifar_labels.npy",
     load_images, 0, 0, 0, 0},
    {"pos", "pos/gimpel_crowdsourced-tf.tsv", NULL, load_pos, 0, .7842, .7774, 0},
    {0},
};

const struct crowd_set *crowd_set_find(const char *name)
{
    for (const struct crowd_set *set = crowd_sets; set->name; set++)
        if (strcmp(set->name, name) == 0) return set;
    return NULL;
}
