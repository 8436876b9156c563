#include "answer/formats/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { WARNINGS = 5, PROGRESS_EVERY = 4096, SHOWN = 60, LEAST_TRUTHS = 64 };

const char *const sl_cifar10_classes[] = {"airplane", "automobile", "bird", "cat",   "deer", "dog",
                                          "frog",     "horse",      "ship", "truck", NULL};
const char *const sl_cifar10_class_titles[] = {
    "Airplane", "Automobile", "Bird", "Cat", "Deer", "Dog", "Frog", "Horse", "Ship", "Truck", NULL};

/* The stated true class of an item, and where it was stated. */
struct said {
    int32_t truth;
    const char *path; /* borrowed */
    size_t line;
};
struct sl_truths_said {
    struct sl_name_table *items; /* owned */
    struct said *truths;         /* owned; by the number of the item */
    size_t capacity;
};

void sl_import_init(struct sl_import *import, const struct sl_import_options *options,
                    const struct sl_answer_sink *sink)
{
    *import = (struct sl_import){.options = options, .sink = sink};
    if (options) sl_progress_start(options->progress, "import", 0, "answers");
}

void sl_import_release(struct sl_import *import)
{
    sl_name_table_destroy(import->classes);
    import->classes = NULL;
    sl_class_filter_destroy(import->filter);
    import->filter = NULL;
    if (import->said) {
        sl_name_table_destroy(import->said->items);
        free(import->said->truths);
    }
    free(import->said);
    import->said = NULL;
    if (import->options) sl_progress_finish(import->options->progress);
}

static enum sl_status add_class(struct sl_import *import, const char *name, struct sl_error *err)
{
    const size_t before = sl_name_table_count(import->classes);
    const size_t valid = sl_utf8_valid(name, strlen(name));
    uint32_t index = 0;
    int64_t number = 0;
    if (name[valid])
        return sl_fail(err, SL_ERR_INPUT,
                       "byte %zu of the class \"%.*s...\" is not UTF-8; save the file as UTF-8",
                       valid + 1, (int)valid, name);
    SL_TRY(sl_name_table_add(import->classes, name, strlen(name), &index, err));
    if (index != before) return sl_fail(err, SL_ERR_USAGE, "class \"%s\" is listed twice", name);
    if (sl_text_to_integer(name, strlen(name), &number)) import->numbered = false;
    return SL_OK;
}

enum sl_status sl_import_begin(struct sl_import *import, const char *const *classes,
                               struct sl_error *err)
{
    if (import->options && import->options->classes) classes = import->options->classes;
    import->classes = sl_name_table_create();
    import->numbered = true;
    size_t count = 0;
    for (; classes[count]; count++)
        SL_TRY(add_class(import, classes[count], err));
    if (!sl_class_filter_is_asked(import->options))
        return import->sink->begin(import->sink->context, classes, count, err);
    SL_TRY(sl_class_filter_create(import->options, classes, count, &import->filter, err));
    return import->sink->begin(import->sink->context, sl_class_filter_classes(import->filter),
                               sl_class_filter_count(import->filter), err);
}

void sl_import_at(struct sl_import *import, const char *path, size_t line)
{
    import->path = path;
    import->line = line;
}

enum sl_status sl_import_fail_truth(const struct sl_import *import, struct sl_field item,
                                    uint32_t before, size_t line, const char *path, uint32_t now,
                                    struct sl_error *err)
{
    return sl_fail(
        err, SL_ERR_INPUT,
        "the true class of item %.*s is %.60s on line %zu%s%s and %.60s here; keep one of them",
        sl_field_shown(item), item.text, sl_name_table_get(import->classes, before, NULL), line,
        path ? " of " : "", path ? path : "", sl_name_table_get(import->classes, now, NULL));
}

/* Check that all answers to an item state the same true class. */
static enum sl_status say_truth(struct sl_import *import, const struct sl_answer *answer,
                                struct sl_error *err)
{
    if (!import->said) {
        import->said = sl_alloc(1, sizeof *import->said);
        import->said->items = sl_name_table_create();
    }
    struct sl_truths_said *said = import->said;
    const size_t known = sl_name_table_count(said->items);
    uint32_t item = 0;
    SL_TRY(sl_name_table_add(said->items, answer->item.text, answer->item.length, &item, err));
    if (item == said->capacity) {
        const size_t capacity = said->capacity * 2 + LEAST_TRUTHS;
        struct said *truths = realloc(said->truths, capacity * sizeof *truths);
        if (!truths)
            return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu truths", capacity);
        said->truths = truths;
        said->capacity = capacity;
    }
    struct said *before = &said->truths[item];
    if (item == known) *before = (struct said){answer->truth, import->path, import->line};
    if (before->truth == answer->truth) return SL_OK;
    const bool elsewhere = import->path && before->path && strcmp(before->path, import->path) != 0;
    return sl_import_fail_truth(import, answer->item, (uint32_t)before->truth, before->line,
                                elsewhere ? before->path : NULL, (uint32_t)answer->truth, err);
}

enum sl_status sl_import_begin_found(struct sl_import *import, const char *const *paths,
                                     size_t n_paths, char *const *classes, struct sl_error *err)
{
    const enum sl_status status = sl_import_begin(import, (const char *const *)classes, err);
    if (status != SL_ERR_INPUT) return status;
    return sl_fail_within(err, status, "%s%s", paths[0], n_paths > 1 ? " or a later file" : "");
}

enum sl_status sl_import_put(struct sl_import *import, const struct sl_answer *answer,
                             struct sl_error *err)
{
    struct sl_answer passed = *answer;
    bool kept = true;
    if (import->options && import->options->one_truth && answer->truth >= 0)
        SL_TRY(say_truth(import, answer, err));
    if (import->filter) SL_TRY(sl_class_filter_pass(import->filter, &passed, &kept, err));
    if (kept) {
        SL_TRY(import->sink->put(import->sink->context, &passed, err));
        import->count++;
    }
    if (!import->options) return SL_OK;
    if (import->options->notes) import->options->notes->n_read++;
    if (import->count % PROGRESS_EVERY == 0)
        sl_progress_set(import->options->progress, import->count);
    return SL_OK;
}

bool sl_import_takes_parts(const struct sl_import *import, bool truths)
{
    const bool agree = truths && import->options && import->options->one_truth;
    return import->sink->parts && !import->filter && !agree;
}

enum sl_status sl_import_take_part(struct sl_import *import, const void *part, size_t count,
                                   struct sl_error *err)
{
    SL_TRY(import->sink->parts->take(import->sink->context, part, err));
    import->count += count;
    if (!import->options) return SL_OK;
    if (import->options->notes) import->options->notes->n_read += count;
    sl_progress_set(import->options->progress, import->count);
    return SL_OK;
}

enum sl_status sl_import_finish(struct sl_import *import, const char *path, struct sl_error *err)
{
    if (import->count == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: no answers%s", path,
                       import->filter ? " remain without the classes that are left out" : "");
    if (import->filter) sl_class_filter_finish(import->filter);
    if (import->options) sl_progress_set(import->options->progress, import->count);
    return SL_OK;
}

size_t sl_import_class_count(const struct sl_import *import)
{
    return sl_name_table_count(import->classes);
}

static enum sl_status fail_unknown_class(const struct sl_import *import, const char *text,
                                         size_t length, struct sl_error *err)
{
    size_t count = sl_name_table_count(import->classes);
    const char **names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = sl_name_table_get(import->classes, (uint32_t)i, NULL);
    char *word = sl_string_copy_n(text, length > SHOWN ? SHOWN : length);
    char ending[SL_SUGGESTION_TEXT];
    enum sl_status status = sl_fail(err, SL_ERR_INPUT, "unknown class \"%s\"%s", word,
                                    sl_text_suggestion(word, names, "", ending));
    free(word);
    free(names);
    return status;
}

uint32_t sl_import_find_class(const struct sl_import *import, struct sl_field name)
{
    const uint32_t index = sl_name_table_find(import->classes, name.text, name.length);
    int64_t place = 0;
    if (index == SL_NO_NAME && import->numbered &&
        sl_text_to_integer(name.text, name.length, &place) && place >= 0 &&
        (uint64_t)place < sl_name_table_count(import->classes))
        return (uint32_t)place;
    return index;
}

enum sl_status sl_import_class(const struct sl_import *import, const char *text, size_t length,
                               uint32_t *out, struct sl_error *err)
{
    const uint32_t index = sl_import_find_class(import, (struct sl_field){text, length});
    if (index == SL_NO_NAME) return fail_unknown_class(import, text, length, err);
    *out = index;
    return SL_OK;
}

SL_PRINTF(3, 0)
static void note(const struct sl_import *import, size_t *count, const char *format,
                 va_list arguments)
{
    if (++*count > WARNINGS) return;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    sl_log(import->options->notes->log, SL_LOG_WARNING, "%s%s", line,
           *count == WARNINGS ? "; more of this kind are only counted" : "");
}

void sl_import_skip(struct sl_import *import, const char *format, ...)
{
    if (import->quiet || !import->options || !import->options->notes) return;
    va_list arguments;
    va_start(arguments, format);
    import->options->notes->n_read++;
    note(import, &import->options->notes->n_skipped, format, arguments);
    va_end(arguments);
}

void sl_import_empty_item(struct sl_import *import, const char *format, ...)
{
    if (import->quiet || !import->options || !import->options->notes) return;
    va_list arguments;
    va_start(arguments, format);
    note(import, &import->options->notes->n_empty_items, format, arguments);
    va_end(arguments);
}

void sl_import_mend(struct sl_import *import, const char *format, ...)
{
    if (import->quiet || !import->options || !import->options->notes) return;
    va_list arguments;
    va_start(arguments, format);
    note(import, &import->options->notes->n_mended, format, arguments);
    va_end(arguments);
}

struct sl_field sl_field_of(const char *text)
{
    return (struct sl_field){text, strlen(text)};
}

int sl_field_shown(struct sl_field field)
{
    return field.length > SHOWN ? SHOWN : (int)field.length;
}

enum sl_status sl_import_one_path(const char *format, size_t n_paths, struct sl_error *err)
{
    if (n_paths == 1) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE,
                   "%s takes one file, got %zu: it identifies items by their row", format, n_paths);
}

enum sl_status sl_at_line(enum sl_status status, const char *path, size_t line,
                          struct sl_error *err)
{
    if (status != SL_ERR_INPUT) return status;
    return sl_fail_within(err, status, "%s:%zu", path, line);
}

size_t sl_optional_column(const struct sl_csv *csv, const char *name)
{
    for (size_t i = 0; i < sl_csv_column_count(csv); i++)
        if (strcmp(sl_csv_column_name(csv, i), name) == 0) return i;
    return SIZE_MAX;
}

struct sl_field sl_column_text(const struct sl_csv_record *record, size_t column)
{
    return column < record->count ? record->fields[column] : sl_field_of("");
}

float sl_from_percent(double percent)
{
    return (float)(percent / 100);
}

double sl_answer_percent(float probability)
{
    /* Six digits are always exact in float, and more than anybody types. */
    char text[32];
    double percent = (double)probability * 100;
    int length = snprintf(text, sizeof text, "%.6g", percent);
    if (length > 0) (void)sl_text_to_real(text, (size_t)length, &percent);
    return percent;
}
