/* Figures that need no training: the number at a path of a command's JSON, the mean of columns of
 * published CSV files, or the difference or reduction of two such figures. experiments/README.md
 * describes paths. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/run/runner.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

enum { FIGURE_LIMIT = 1 << 28 };

/* ---- Paths ---- */

/* The values that a path leads to; references to the document, or a count. */
struct found {
    const char *path; /* for messages */
    json_t **values;  /* owned array of owned references */
    size_t count;
};

static void found_release(struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        json_decref(found->values[i]);
    free(found->values);
}

static void found_add(struct found *found, json_t *value)
{
    found->values = sl_resize(found->values, found->count + 1, sizeof *found->values);
    found->values[found->count++] = json_incref(value);
}

/* True if a member equals `text`: a string, a number, or a list of strings joined by commas. */
static bool reads_as(const json_t *value, const char *text, size_t length)
{
    double number;
    if (json_is_string(value))
        return json_string_length(value) == length &&
               memcmp(json_string_value(value), text, length) == 0;
    if (json_is_number(value))
        return sl_text_to_real(text, length, &number) &&
               fabs(json_number_value(value) - number) < 1e-6;
    const char *at = text, *end = text + length;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t part = (size_t)((comma ? comma : end) - at);
        if (!reads_as(json_array_get(value, i), at, part)) return false;
        at += part + (comma != NULL);
    }
    return json_is_array(value) && at == end;
}

/* Follow one step of a path: `word` is a key, or with `list` the text in brackets. */
static void follow(json_t *from, const char *word, size_t length, bool list, struct found *to)
{
    int64_t index;
    const char *equals = memchr(word, '=', length);
    if (!list) {
        json_t *member = json_object_getn(from, word, length);
        if (member) found_add(to, member);
    } else if (length == 1 && *word == '*') {
        for (size_t i = 0; i < json_array_size(from); i++)
            found_add(to, json_array_get(from, i));
    } else if (*word == '?' && equals && json_is_array(from)) {
        for (size_t i = 0; i < json_array_size(from); i++)
            follow(json_array_get(from, i), word, length, list, to);
    } else if (*word == '?' && equals) { /* one element of a list */
        const json_t *member = json_object_getn(from, word + 1, (size_t)(equals - word - 1));
        if (reads_as(member, equals + 1, (size_t)(word + length - equals - 1))) found_add(to, from);
    } else if (sl_text_to_integer(word, length, &index) && index >= 0 &&
               (size_t)index < json_array_size(from)) {
        found_add(to, json_array_get(from, (size_t)index));
    }
}

static void step(struct found *found, const char *word, size_t length, bool list)
{
    struct found next = {.path = found->path};
    if (!list && length == 1 && *word == '#') {
        size_t count = found->count;
        if (count == 1 && json_is_array(found->values[0]))
            count = json_array_size(found->values[0]);
        else if (count == 1 && json_is_object(found->values[0]))
            count = json_object_size(found->values[0]);
        json_t *number = json_integer((json_int_t)count);
        found_add(&next, number);
        json_decref(number);
    } else {
        for (size_t i = 0; i < found->count; i++)
            follow(found->values[i], word, length, list, &next);
    }
    found_release(found);
    *found = next;
}

static enum sl_status walk(struct found *found, struct sl_error *err)
{
    const char *at = found->path;
    if (*at++ != '$') return sl_fail(err, SL_ERR_INPUT, "%s: a path begins with $", found->path);
    while (*at) {
        if (*at == '.') {
            const size_t length = strcspn(at + 1, ".[");
            step(found, at + 1, length, false);
            at += 1 + length;
            continue;
        }
        const bool quoted = at[0] == '[' && at[1] == '\'';
        const char *begin = at + (quoted ? 2 : 1);
        const char *end = *at == '[' ? strstr(begin, quoted ? "']" : "]") : NULL;
        if (!end)
            return sl_fail(err, SL_ERR_INPUT, "%s: the path cannot be read from here on: %s",
                           found->path, at);
        step(found, begin, (size_t)(end - begin), !quoted);
        at = end + (quoted ? 2 : 1);
    }
    return SL_OK;
}

enum sl_status sl_figures_at(json_t *document, const char *path, json_t **out, struct sl_error *err)
{
    struct found found = {.path = path};
    found_add(&found, document);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(walk(&found, err));
    if (found.count == 0) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: the path finds nothing", path);
        goto out;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < found.count; i++)
        json_array_append(list, found.values[i]);
    *out = list;
out:
    found_release(&found);
    return status;
}

enum sl_status sl_figure_at(json_t *document, const char *path, double *out, struct sl_error *err)
{
    struct found found = {.path = path};
    found_add(&found, document);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(walk(&found, err));
    if (found.count != 1 || !json_is_number(found.values[0])) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: expected one number, found %zu values", path,
                         found.count);
        goto out;
    }
    *out = json_number_value(found.values[0]);
out:
    found_release(&found);
    return status;
}

/* ---- Means of CSV files ---- */

/* Append the weighted sum of columns of each row of a file to `out`. */
static enum sl_status read_rows(const char *path, json_t *columns, json_t *out,
                                struct sl_error *err)
{
    const struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    enum sl_status status = SL_OK;
    SL_TRY(sl_csv_open(path, &options, &csv, err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const char *name;
        json_t *weight;
        double sum = 0;
        json_object_foreach(columns, name, weight)
        {
            size_t column;
            double value;
            SL_TRY_OUT(sl_csv_column(csv, name, &column, err));
            SL_TRY_OUT(sl_csv_real(csv, &record, column, -DBL_MAX, DBL_MAX, &value, err));
            sum += json_number_value(weight) * value;
        }
        json_array_append_new(out, json_real(sum));
    }
    if (json_array_size(out) == 0) status = sl_fail(err, SL_ERR_INPUT, "%s: has no rows", path);
out:
    sl_csv_close(csv);
    return status;
}

static double mean_of(const json_t *values)
{
    double sum = 0;
    for (size_t i = 0; i < json_array_size(values); i++)
        sum += json_number_value(json_array_get(values, i));
    return sum / (double)json_array_size(values);
}

/* The rows of each file, as a list of lists that the caller owns. */
static enum sl_status read_files(const json_t *mean_of, const struct sl_data_roots *roots,
                                 json_t **out, struct sl_error *err)
{
    const json_t *files = json_object_get(mean_of, "files");
    json_t *all = json_array();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < json_array_size(files) && status == SL_OK; i++) {
        char *path = NULL;
        json_t *rows = json_array();
        json_array_append_new(all, rows);
        status =
            sl_experiment_place(roots, json_string_value(json_array_get(files, i)), &path, err);
        if (status == SL_OK)
            status = read_rows(path, json_object_get(mean_of, "columns"), rows, err);
        free(path);
    }
    if (status != SL_OK) {
        json_decref(all);
        return status;
    }
    *out = all;
    return SL_OK;
}

/* The mean over files of the means over rows. */
static double mean_of_files(const json_t *files)
{
    double sum = 0;
    for (size_t i = 0; i < json_array_size(files); i++)
        sum += mean_of(json_array_get(files, i));
    return sum / (double)json_array_size(files);
}

/* Rows are folds: the mean over files for each row, or NULL if the files differ in their number of
 * rows. */
static json_t *sample_of_files(const json_t *files, double factor)
{
    const size_t n_rows = json_array_size(json_array_get(files, 0));
    json_t *sample = json_array();
    for (size_t row = 0; row < n_rows; row++) {
        double sum = 0;
        for (size_t i = 0; i < json_array_size(files); i++) {
            const json_t *rows = json_array_get(files, i);
            if (json_array_size(rows) != n_rows) {
                json_decref(sample);
                return NULL;
            }
            sum += json_number_value(json_array_get(rows, row));
        }
        json_array_append_new(sample, json_real(factor * sum / (double)json_array_size(files)));
    }
    return sample;
}

/* ---- A figure ---- */

/* The factor from the unit of the command or file to the printed one. */
static double unit_of(const json_t *figure)
{
    const json_t *times = json_object_get(figure, "times");
    const json_t *divide = json_object_get(figure, "divide");
    return (times ? json_number_value(times) : 1) / (divide ? json_number_value(divide) : 1);
}

/* The standard error of the figure at a path, from the 95 % interval under "intervals" of the same
 * object; NaN if there is none. */
static double error_at(json_t *document, const char *path)
{
    const char *dot = strrchr(path, '.');
    json_t *found = NULL;
    double error = (double)NAN;
    if (!dot || strpbrk(dot, "[]#")) return error;
    char *interval = sl_string_printf("%.*s.intervals%s", (int)(dot - path), path, dot);
    if (sl_figures_at(document, interval, &found, NULL) == SL_OK) {
        const json_t *ends = json_array_get(found, 0);
        const json_t *low = json_array_get(ends, 0), *high = json_array_get(ends, 1);
        if (json_is_number(low) && json_is_number(high))
            error =
                (json_number_value(high) - json_number_value(low)) / (2 * sl_normal_quantile(.975));
    }
    json_decref(found);
    free(interval);
    return error;
}

static enum sl_status read_figure(const json_t *figure, const char *folder, struct sl_figure *out,
                                  struct sl_error *err)
{
    char *file = sl_path_join(folder, sl_plan_text(figure, "output"));
    const json_t *paths = json_object_get(figure, "path");
    const size_t count = json_is_array(paths) ? json_array_size(paths) : 1;
    struct sl_json document = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_read(file, FIGURE_LIMIT, &document, err));
    for (size_t i = 0; i < count; i++) {
        double value = 0;
        const json_t *path = json_is_array(paths) ? json_array_get(paths, i) : paths;
        SL_TRY_OUT(sl_figure_at(document.root, json_string_value(path), &value, err));
        out->value += value;
        if (count == 1) out->error = error_at(document.root, json_string_value(path));
    }
out:
    sl_json_release(&document);
    free(file);
    return status;
}

/* ---- Two figures ---- */

static double difference(double first, double second)
{
    return first - second;
}

static double reduction(double first, double second)
{
    return 1 - second / first;
}

static const struct sl_figure_relation relations[] = {
    {"difference", difference}, {"reduction", reduction}, {NULL, NULL}};

const struct sl_figure_relation *sl_figure_relation_find(const char *name)
{
    for (const struct sl_figure_relation *row = relations; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

/* Combine two figures fold by fold; NULL unless both have the same number of folds. */
static json_t *relate_samples(const struct sl_figure_relation *relation, const json_t *first,
                              const json_t *second, double unit)
{
    const size_t count = json_array_size(first);
    if (count == 0 || json_array_size(second) != count) return NULL;
    json_t *sample = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            sample,
            json_real(unit * relation->value(json_number_value(json_array_get(first, i)),
                                             json_number_value(json_array_get(second, i)))));
    return sample;
}

static enum sl_status read_two(const json_t *figure, const char *folder,
                               const struct sl_data_roots *roots, struct sl_figure *out,
                               struct sl_error *err)
{
    const json_t *of = json_object_get(figure, "of");
    const struct sl_figure_relation *relation = sl_figure_relation_find(sl_plan_text(figure, "as"));
    struct sl_figure two[2] = {{.sample = NULL}, {.sample = NULL}};
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < 2; i++)
        SL_TRY_OUT(sl_figure_read(json_array_get(of, i), folder, roots, &two[i], err));
    out->value = relation->value(two[0].value, two[1].value);
    out->sample = relate_samples(relation, two[0].sample, two[1].sample, unit_of(figure));
out:
    json_decref(two[0].sample);
    json_decref(two[1].sample);
    return status;
}

enum sl_status sl_figure_read(const json_t *figure, const char *folder,
                              const struct sl_data_roots *roots, struct sl_figure *out,
                              struct sl_error *err)
{
    const json_t *averaged = json_object_get(figure, "mean_of");
    const double unit = unit_of(figure);
    *out = (struct sl_figure){.error = (double)NAN};
    if (json_object_get(figure, "of")) {
        SL_TRY(read_two(figure, folder, roots, out, err));
    } else if (averaged) {
        json_t *files = NULL;
        SL_TRY(read_files(averaged, roots, &files, err));
        out->value = mean_of_files(files);
        out->sample = sample_of_files(files, unit);
        json_decref(files);
    } else {
        SL_TRY(read_figure(figure, folder, out, err));
    }
    out->value *= unit;
    out->error *= fabs(unit);
    return SL_OK;
}
