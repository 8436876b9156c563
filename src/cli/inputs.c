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

json_t *cli_json_interval(const struct sl_interval *interval)
{
    return json_pack("[o, o]", cli_json_real(interval->low), cli_json_real(interval->high));
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

enum sl_status cli_read_lines(const char *path, char ***out, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 28);
    const enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK) {
        const char *at = text.length ? text.data : "", *end = at + text.length;
        size_t n_lines = 1, count = 0;
        for (const char *c = at; c < end; c++)
            n_lines += *c == '\n' || *c == '\r';
        char **lines = sl_alloc(n_lines + 1, sizeof *lines);
        while (at < end) {
            const char *from = at;
            while (at < end && *at != '\n' && *at != '\r')
                at++;
            if (at > from) lines[count++] = sl_string_copy_n(from, (size_t)(at - from));
            at++;
        }
        *out = lines;
    }
    sl_buffer_release(&text);
    return status;
}

enum sl_status cli_read_only(const struct cli *cli, const char *path,
                             const struct sl_answers *answers, struct sl_name_table **out,
                             struct sl_error *err)
{
    if (!path) return SL_OK;
    char **lines = NULL;
    const char *stranger = NULL;
    size_t n_strangers = 0, count = 0;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_read_lines(path, &lines, err));
    for (char **line = lines; *line; line++, count++) {
        uint32_t place;
        const size_t length = strlen(*line);
        SL_TRY_OUT(sl_name_table_add(names, *line, length, &place, err));
        if (sl_name_table_find(answers->items, *line, length) != SL_NO_NAME) continue;
        if (n_strangers++ == 0) stranger = *line;
    }
    if (n_strangers == count)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: none of its %zu lines is an item that has answers; give an item's "
                           "name on each line",
                           cli_shown(cli, path), count));
    if (n_strangers)
        sl_log(&cli->log, SL_LOG_WARNING,
               "%s: %zu of %zu items have no answers, the first is %.60s", cli_shown(cli, path),
               n_strangers, count, stranger);
    *out = names;
    names = NULL;
out:
    sl_name_table_destroy(names);
    sl_names_destroy(lines);
    return status;
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

const char *cli_row_item(const struct sl_rows *rows, size_t row, char *out, size_t size)
{
    if (rows->items) return rows->items[row];
    snprintf(out, size, "%zu", row);
    return out;
}

void cli_say_rescaled(const struct cli *cli, const char *path, const struct sl_rows *rows)
{
    if (rows && rows->n_rescaled)
        sl_log(&cli->log, SL_LOG_INFO,
               "%s: %zu of %zu rows were off 1 by rounding and scaled to it", cli_shown(cli, path),
               rows->n_rescaled, rows->n_rows);
}

void cli_say_ties(const struct cli *cli, const char *what, size_t n_tied, size_t n_items,
                  char *const *classes)
{
    if (n_tied)
        sl_log(
            &cli->log, SL_LOG_WARNING,
            "%s: %zu of %zu items have several most probable classes; the last of them %s counts "
            "as the first choice",
            what, n_tied, n_items, classes ? "by name" : "in the order of columns");
}

static enum sl_status match_labels(const struct cli *cli, const char *path,
                                   const struct cli_names *like, struct sl_rows *rows,
                                   struct sl_error *err)
{
    const struct sl_class_list own = {path, rows->classes, rows->n_classes};
    const struct sl_class_list names = {like->owner, like->classes, like->n_classes};
    const struct sl_class_list columns = {like->owner, NULL, like->n_classes};
    cli_say_unnamed(cli, &own, like->numbered ? &columns : &names);
    return sl_rows_reorder(rows, path, &names, err);
}

enum sl_status cli_read_labels(const struct cli *cli, const char *path, const char *array,
                               const struct cli_names *like, struct sl_rows **out,
                               struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read(path, array, &rows, err));
    enum sl_status status = SL_OK;
    if (like && rows->annotators)
        status =
            sl_fail(err, SL_ERR_INPUT, "%s: a row per annotator, one per item is needed", path);
    else if (like)
        status = match_labels(cli, path, like, rows, err);
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

/* So are rows that all sum to 100. */
static bool are_percentages(const struct sl_rows *rows)
{
    for (size_t r = 0; r < rows->n_rows; r++) {
        double sum = 0;
        for (size_t k = 0; k < rows->n_classes; k++) {
            const float value = rows->values[r * rows->n_classes + k];
            if (!(value >= 0)) return false;
            sum += (double)value;
        }
        if (!(fabs(sum - 100) < 0.5)) return false;
    }
    return rows->n_rows > 0;
}

static enum sl_status tell_kind(const struct sl_rows *rows, const char *path,
                                enum sl_prediction_kind *kind, struct sl_error *err)
{
    enum sl_status status = sl_rows_check_distributions(rows, path, err);
    if (status != SL_OK && (are_shares(rows) || are_percentages(rows))) return status;
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

enum sl_status cli_read_class_names(const char *path, char ***out, size_t *count,
                                    struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    struct sl_array array = {0};
    char **names = NULL;
    enum sl_status status = SL_OK;
    if (!sl_path_has_suffix(path, ".npz")) return SL_OK;
    SL_TRY(sl_npz_open(path, &npz, err));
    if (!sl_npz_has(npz, "classes")) goto out;
    SL_TRY_OUT(sl_npz_read(npz, "classes", &array, err));
    if (array.dtype != SL_TEXT || array.n_dimensions != 1)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: classes: expected names", path));
    names = sl_alloc(array.shape[0] + 1, sizeof *names);
    for (size_t k = 0; k < array.shape[0]; k++)
        SL_TRY_OUT(sl_array_string(&array, k, &names[k], err));
    *count = array.shape[0];
    *out = names;
    names = NULL;
out:
    sl_names_destroy(names);
    sl_array_release(&array);
    sl_npz_close(npz);
    return status;
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
    return (struct cli_names){answers->items,     answers->annotators, answers->classes,
                              answers->n_classes, "the answers",       false};
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

/* Columns in the order of the first file that names them. */
static enum sl_status align_classes(const struct cli *cli, char *const *paths,
                                    struct sl_rows *const *sets, size_t count, struct sl_error *err)
{
    size_t first = 0;
    while (first + 1 < count && !sets[first]->classes)
        first++;
    if (!sets[first]->classes) first = 0;
    const struct sl_class_list like = {paths[first], sets[first]->classes, sets[first]->n_classes};
    for (size_t i = 0; i < count; i++) {
        const struct sl_class_list own = {paths[i], sets[i]->classes, sets[i]->n_classes};
        if (i == first) continue;
        cli_say_unnamed(cli, &own, &like);
        SL_TRY(sl_rows_reorder(sets[i], paths[i], &like, err));
    }
    return SL_OK;
}

enum sl_status cli_read_ensemble(const struct cli *cli, char *const *paths, size_t count,
                                 double temperature, struct sl_rows **out, struct sl_error *err)
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
    SL_TRY_OUT(align_classes(cli, paths, sets, count, err));
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
