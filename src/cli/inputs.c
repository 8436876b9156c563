/* What several commands read and write besides data sets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

json_t *cli_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_counts(const size_t *counts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer((json_int_t)counts[i]));
    return list;
}

char **cli_split_list(const char *text)
{
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    char **names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(text, ",");
        names[i] = sl_string_copy_n(text, length);
        text += length + (text[length] == ',');
    }
    return names;
}

enum sl_status cli_write_answers(const struct sl_answers *answers, const char *path,
                                 struct sl_error *err)
{
    struct sl_answer_writer *writer = NULL;
    SL_TRY(sl_answer_writer_create(path, &writer, err));
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        sink.begin(sink.context, (const char *const *)answers->classes, answers->n_classes, err));
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        SL_TRY_OUT(sink.put(sink.context, &answer, err));
    }
    SL_TRY_OUT(sl_answer_writer_commit(writer, err));
out:
    sl_answer_writer_destroy(writer);
    return status;
}

/* The first of `names` (NULL-ended) that is a column of the file, or an error listing what is. */
static enum sl_status find_column(const struct sl_csv *csv, const char *const *names, size_t *out,
                                  struct sl_error *err)
{
    for (; names[1]; names++)
        if (sl_csv_column(csv, names[0], out, NULL) == SL_OK) return SL_OK;
    return sl_csv_column(csv, names[0], out, err);
}

static int64_t find_class(const struct cli_names *names, const struct sl_field *name)
{
    for (size_t k = 0; k < names->n_classes; k++)
        if (strlen(names->classes[k]) == name->length &&
            memcmp(names->classes[k], name->text, name->length) == 0)
            return (int64_t)k;
    return -1;
}

static const char *const truth_names[] = {"label", "gold", "class", "truth", NULL};

/* Whether a CSV names the truth in a column of its own, rather than having one per class. */
static bool has_truth_column(const char *path)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    size_t column;
    bool found = sl_csv_open(path, &options, &csv, NULL) == SL_OK &&
                 find_column(csv, truth_names, &column, NULL) == SL_OK;
    sl_csv_close(csv);
    return found;
}

static void note_stranger(struct cli_strangers *strangers, const char *name, size_t length)
{
    if (strangers && strangers->count++ == 0)
        snprintf(strangers->first, sizeof strangers->first, "%.*s",
                 (int)(length < 60 ? length : 60), name);
}

/* A CSV with a class by name or number for each item. */
static enum sl_status read_truth_table(const char *path, const struct cli_names *names,
                                       int32_t *truth, struct cli_strangers *strangers,
                                       struct sl_error *err)
{
    static const char *const item_names[] = {"task", "question", "item", NULL};
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    SL_TRY(sl_csv_open(path, &options, &csv, err));
    size_t item_column = 0, truth_column = 0;
    struct sl_csv_record record;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(find_column(csv, item_names, &item_column, err));
    SL_TRY_OUT(find_column(csv, truth_names, &truth_column, err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const struct sl_field item = sl_csv_plain(record.fields[item_column]);
        const struct sl_field name = sl_csv_plain(record.fields[truth_column]);
        int64_t class_index = find_class(names, &name);
        uint32_t index = sl_name_table_find(names->items, item.text, item.length);
        if (class_index < 0) {
            status = sl_csv_fail(csv, record.line, err, "there is no class \"%.*s\"",
                                 (int)(name.length < 60 ? name.length : 60), name.text);
            goto out;
        }
        if (index == SL_NO_NAME)
            note_stranger(strangers, item.text, item.length);
        else
            truth[index] = (int32_t)class_index;
    }
out:
    sl_csv_close(csv);
    return status;
}

/* A text file with the class of item "0" on its first line, of "1" on the second ... */
static enum sl_status read_truth_lines(const char *path, const struct cli_names *names,
                                       int32_t *truth, struct cli_strangers *strangers,
                                       struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 30);
    SL_TRY(sl_file_read(path, &text, err));
    enum sl_status status = SL_OK;
    const char *at = text.data, *end = text.data + text.length;
    for (size_t line = 0; at < end && status == SL_OK; line++) {
        struct sl_field name = {at, strcspn(at, "\r\n")};
        char item[32];
        int length = snprintf(item, sizeof item, "%zu", line);
        uint32_t index = sl_name_table_find(names->items, item, (size_t)length);
        int64_t class_index = find_class(names, &name);
        if (class_index < 0)
            status = sl_fail(err, SL_ERR_INPUT, "%s:%zu: there is no class \"%.*s\"", path,
                             line + 1, (int)(name.length < 60 ? name.length : 60), name.text);
        else if (index == SL_NO_NAME)
            note_stranger(strangers, item, (size_t)length);
        else
            truth[index] = (int32_t)class_index;
        at += name.length;
        at += *at == '\r';
        at += *at == '\n';
    }
    sl_buffer_release(&text);
    return status;
}

const char *cli_row_item(const struct sl_rows *rows, size_t row, char *out, size_t size)
{
    if (rows->items) return rows->items[row];
    snprintf(out, size, "%zu", row);
    return out;
}

static void take_largest(const struct sl_rows *rows, const struct sl_name_table *items,
                         int32_t *truth, struct cli_strangers *strangers)
{
    for (size_t row = 0; row < rows->n_rows; row++) {
        char number[32];
        const char *item = cli_row_item(rows, row, number, sizeof number);
        uint32_t index = sl_name_table_find(items, item, strlen(item));
        const float *values = rows->values + row * rows->n_classes;
        if (index == SL_NO_NAME)
            note_stranger(strangers, item, strlen(item));
        else
            truth[index] = (int32_t)sl_first_choice(values, rows->n_classes);
    }
}

static enum sl_status read_truth_rows(const char *path, const struct cli_names *names,
                                      int32_t *truth, struct cli_strangers *strangers,
                                      struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(cli_read_labels(path, "labels", names, &rows, err));
    take_largest(rows, names->items, truth, strangers);
    sl_rows_destroy(rows);
    return SL_OK;
}

enum sl_status cli_read_truth(const char *path, const struct cli_names *names, int32_t **out,
                              struct sl_error *err)
{
    return cli_read_truth_of(path, names, NULL, out, err);
}

enum sl_status cli_read_truth_of(const char *path, const struct cli_names *names,
                                 struct cli_strangers *strangers, int32_t **out,
                                 struct sl_error *err)
{
    size_t n_items = sl_name_table_count(names->items);
    int32_t *truth = sl_data_alloc(n_items, sizeof *truth, err);
    if (!truth) return SL_ERR_NOMEM;
    size_t n_known = 0;
    for (size_t i = 0; i < n_items; i++)
        truth[i] = SL_NO_LABEL;
    enum sl_status status = SL_OK;
    const bool table = sl_path_has_suffix(path, ".csv") || sl_path_has_suffix(path, ".csv.gz");
    if (table && has_truth_column(path))
        SL_TRY_OUT(read_truth_table(path, names, truth, strangers, err));
    else if (sl_path_has_suffix(path, ".txt"))
        SL_TRY_OUT(read_truth_lines(path, names, truth, strangers, err));
    else
        SL_TRY_OUT(read_truth_rows(path, names, truth, strangers, err));
    for (size_t i = 0; i < n_items; i++)
        n_known += truth[i] != SL_NO_LABEL;
    if (n_known == 0) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: has none of the items", path);
        goto out;
    }
    *out = truth;
    truth = NULL;
out:
    free(truth);
    return status;
}

void cli_say_rescaled(const struct cli *cli, const char *path, const struct sl_rows *rows)
{
    if (rows && rows->n_rescaled)
        sl_log(&cli->log, SL_LOG_INFO,
               "%s: %zu of %zu rows were off 1 by rounding and scaled to it", cli_typed(cli, path),
               rows->n_rescaled, rows->n_rows);
}

enum sl_status cli_read_labels(const char *path, const char *array, const struct cli_names *like,
                               struct sl_rows **out, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read(path, array, &rows, err));
    enum sl_status status = SL_OK;
    if (like && rows->annotators)
        status =
            sl_fail(err, SL_ERR_INPUT, "%s: a row per annotator, one per item is needed", path);
    else if (like && rows->classes)
        status =
            sl_rows_reorder(rows, (const char *const *)like->classes, like->n_classes, path, err);
    else if (like && rows->n_classes != like->n_classes)
        status = sl_fail(err, SL_ERR_INPUT, "%s: %zu classes, the answers have %zu", path,
                         rows->n_classes, like->n_classes);
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

/* Rows between 0 and 1 that are no distributions are more likely a mistake than logits. */
static bool are_shares(const struct sl_rows *rows)
{
    for (size_t i = 0; i < rows->n_rows * rows->n_classes; i++)
        if (!(rows->values[i] >= 0 && rows->values[i] <= 1)) return false;
    return true;
}

static enum sl_status tell_kind(const struct sl_rows *rows, const char *path,
                                enum sl_prediction_kind *kind, struct sl_error *err)
{
    enum sl_status status = sl_rows_check_distributions(rows, path, err);
    if (status != SL_OK && are_shares(rows)) return status;
    *kind = status == SL_OK ? SL_PREDICTION_PROBABILITIES : SL_PREDICTION_LOGITS;
    return SL_OK;
}

enum sl_status cli_npz_has(const char *path, const char *array, bool *out, struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    SL_TRY(sl_npz_open(path, &npz, err));
    *out = sl_npz_has(npz, array);
    sl_npz_close(npz);
    return SL_OK;
}

const char *cli_kind_name(enum sl_prediction_kind kind)
{
    return kind == SL_PREDICTION_LOGITS ? "logits" : "probabilities";
}

enum sl_status cli_read_predictions(const char *path, struct sl_rows **out,
                                    enum sl_prediction_kind *kind, struct sl_error *err)
{
    const bool named = sl_path_has_suffix(path, ".npz");
    bool logits = false, labels = false, probs = false;
    struct sl_rows *rows = NULL;
    if (named) {
        SL_TRY(cli_npz_has(path, "logits", &logits, err));
        SL_TRY(cli_npz_has(path, "probs", &probs, err));
        SL_TRY(cli_npz_has(path, "labels", &labels, err));
    }
    const char *array = logits ? "logits" : labels && !probs ? "labels" : "probs";
    SL_TRY(sl_rows_read(path, array, &rows, err));
    enum sl_status status = SL_OK;
    if (logits) {
        *kind = SL_PREDICTION_LOGITS;
    } else if (named) {
        *kind = SL_PREDICTION_PROBABILITIES;
        status = sl_rows_check_distributions(rows, path, err);
    } else {
        status = tell_kind(rows, path, kind, err);
    }
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

struct cli_names cli_names_of(const struct sl_answers *answers)
{
    return (struct cli_names){answers->items, answers->annotators, answers->classes,
                              answers->n_classes};
}

enum sl_status cli_read_similarity(const char *path, const char *const *classes, size_t n_classes,
                                   float **out, struct sl_error *err)
{
    struct sl_word_vectors vectors;
    SL_TRY(sl_word_vectors_read(path, classes, n_classes, &vectors, err));
    float *cosines = sl_data_alloc(n_classes, n_classes * sizeof *cosines, err);
    enum sl_status status =
        cosines ? sl_similarity_cosines(vectors.values, n_classes, vectors.dimensions, cosines, err)
                : SL_ERR_NOMEM;
    sl_word_vectors_release(&vectors);
    if (status == SL_OK)
        *out = cosines;
    else
        free(cosines);
    return status;
}

enum sl_status cli_read_ensemble(char *const *paths, size_t count, double temperature,
                                 struct sl_rows **out, struct sl_error *err)
{
    size_t n_read = 0;
    struct sl_rows **sets = sl_alloc(count, sizeof *sets);
    enum sl_prediction_kind kind = SL_PREDICTION_LOGITS, other = SL_PREDICTION_LOGITS;
    enum sl_status status = SL_OK;
    for (; n_read < count; n_read++) {
        SL_TRY_OUT(cli_read_predictions(paths[n_read], &sets[n_read], &other, err));
        if (n_read == 0) kind = other;
        if (other != kind) {
            n_read++;
            status = sl_fail(err, SL_ERR_INPUT, "%s has %s, %s has %s", paths[0],
                             cli_kind_name(kind), paths[n_read - 1], cli_kind_name(other));
            goto out;
        }
    }
    SL_TRY_OUT(
        sl_rows_ensemble((const struct sl_rows *const *)sets, count, kind, temperature, out, err));
out:
    for (size_t i = 0; i < n_read; i++)
        sl_rows_destroy(sets[i]);
    free(sets);
    return status;
}

int64_t cli_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
