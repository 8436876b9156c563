/* Job steps that no command does: choosing items, cutting and joining label sets, mixing images. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/prepare/prepare.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

static const struct {
    const char *name;
    enum sl_status (*run)(const struct sl_preparation *preparation, struct sl_error *err);
} kinds[] = {
    {"items", sl_prepare_items},       {"named", sl_prepare_named},
    {"holdout", sl_prepare_holdout},   {"labels", sl_prepare_labels},
    {"mixtures", sl_prepare_mixtures}, {"gallery", sl_prepare_gallery},
};

/* ---- Steps ---- */

#define AT(member) .offset = offsetof(struct sl_prepare_step, member)
static const struct sl_field_row source_rows[] = {
    {"output", SL_FIELD_TEXT, .offset = offsetof(struct sl_prepare_source, output),
     .flags = SL_FIELD_REQUIRED},
    {"path", SL_FIELD_TEXT, .offset = offsetof(struct sl_prepare_source, path),
     .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
static const struct sl_fields source_fields = {source_rows, sizeof(struct sl_prepare_source)};
static const struct sl_field_row series_rows[] = {
    {"", SL_FIELD_TEXTS, .offset = offsetof(struct sl_prepare_series, words)},
    {.name = NULL},
};
static const struct sl_fields series_fields = {series_rows, sizeof(struct sl_prepare_series)};
static const struct sl_field_row step_rows[] = {
    {"prepare", SL_FIELD_TEXT, AT(prepare), .flags = SL_FIELD_REQUIRED},
    {"data", SL_FIELD_TEXT, AT(data)},
    {"split", SL_FIELD_TEXT, AT(split)},
    {"only", SL_FIELD_TEXT, AT(only)},
    {"rest", SL_FIELD_TEXT, AT(rest)},
    {"rest", SL_FIELD_BOOLEAN, AT(rest_of_share)},
    {"input", SL_FIELD_TEXT, AT(input)},
    {"names", SL_FIELD_TEXT, AT(names)},
    {"held_out", SL_FIELD_BOOLEAN, AT(held_out)},
    {"harden", SL_FIELD_BOOLEAN, AT(harden)},
    {"mixed", SL_FIELD_BOOLEAN, AT(mixed)},
    {"folds", SL_FIELD_INTEGER, AT(folds)},
    {"fold", SL_FIELD_INTEGER, AT(fold)},
    {"first", SL_FIELD_INTEGER, AT(first)},
    {"seed", SL_FIELD_INTEGER, AT(seed)},
    {"count", SL_FIELD_INTEGER, AT(count)},
    {"row", SL_FIELD_INTEGER, AT(row)},
    {"series", SL_FIELD_OBJECTS, AT(series), .inner = &series_fields},
    {"items", SL_FIELD_TEXTS, AT(items)},
    {"items", SL_FIELD_OBJECT, AT(items_from), .inner = &source_fields},
    {"class", SL_FIELD_TEXT, AT(class)},
    {"class", SL_FIELD_TEXTS, AT(classes)},
    {.name = NULL},
};
static const struct sl_fields step_fields = {step_rows, sizeof(struct sl_prepare_step)};

static enum sl_status run(const struct sl_preparation *preparation, struct sl_error *err)
{
    const char *name = preparation->step->prepare;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) return kinds[i].run(preparation, err);
    return sl_fail(err, SL_ERR_USAGE, "no preparation is called \"%s\"", name);
}

enum sl_status sl_prepare(json_t *step, const char *output, const struct sl_data_roots *roots,
                          struct sl_error *err)
{
    char name[] = "a step";
    const struct sl_json document = {.name = name, .text = name, .first_line = 1, .root = step};
    const struct sl_json_cursor root = sl_json_root(&document);
    struct sl_prepare_step read;
    SL_TRY(sl_fields_read(&root, &step_fields, &read, err));
    const struct sl_preparation preparation = {&read, output, roots};
    const enum sl_status status = run(&preparation, err);
    sl_fields_release(&step_fields, &read);
    return status;
}

enum sl_status sl_prepare_open(const struct sl_preparation *preparation, struct sl_dataset **out,
                               struct sl_error *err)
{
    return sl_dataset_open(preparation->step->data, preparation->roots, out, err);
}

/* ---- Names ---- */

/* The distinct items of an answers file, in order: the text after "item":. */
static void add_answer_items(struct sl_buffer *text, struct sl_name_table *names,
                             enum sl_status *status, struct sl_error *err)
{
    static const char mark[] = "\"item\":\"";
    for (char *line = text->data; line && *status == SL_OK;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        char *item = strstr(line, mark);
        if (item) {
            item += sizeof mark - 1;
            uint32_t number;
            *status = sl_name_table_add(names, item, strcspn(item, "\""), &number, err);
        }
        line = end ? end + 1 : NULL;
    }
}

static void add_lines(struct sl_buffer *text, struct sl_name_table *names, enum sl_status *status,
                      struct sl_error *err)
{
    for (char *line = text->data; line && *line && *status == SL_OK;) {
        const size_t length = strcspn(line, "\r\n");
        uint32_t number;
        if (length > 0) *status = sl_name_table_add(names, line, length, &number, err);
        line += length;
        line += strspn(line, "\r\n");
    }
}

enum sl_status sl_prepare_names(const struct sl_preparation *preparation, const char *place,
                                struct sl_name_table **out, struct sl_error *err)
{
    enum { NAMES_LIMIT = 1 << 30 };
    char *path = NULL;
    struct sl_buffer text;
    struct sl_name_table *names = sl_name_table_create();
    sl_buffer_init(&text, NAMES_LIMIT);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_experiment_place(preparation->roots, place, &path, err));
    SL_TRY_OUT(sl_file_read(path, &text, err));
    sl_buffer_text(&text, "");
    if (sl_path_has_suffix(path, ".jsonl"))
        add_answer_items(&text, names, &status, err);
    else
        add_lines(&text, names, &status, err);
    SL_TRY_OUT(status);
    *out = names;
    names = NULL;
out:
    sl_name_table_destroy(names);
    sl_buffer_release(&text);
    free(path);
    return status;
}

bool sl_prepare_has(const struct sl_name_table *names, const char *name)
{
    return sl_name_table_find(names, name, strlen(name)) != SL_NO_NAME;
}
