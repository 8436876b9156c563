#include "nn/conv/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"

enum { FILE_MAXIMUM = 16 << 20, VERSION = 1 };

#define KIND "tuning"

static const struct {
    const char *name;
    int64_t minimum, maximum;
} fields[SL_NN_TUNING_FIELDS] = {
    [SL_NN_TUNING_IN] = {"in", 1, 1 << 20},         [SL_NN_TUNING_OUT] = {"out", 1, 1 << 20},
    [SL_NN_TUNING_HEIGHT] = {"height", 1, 1 << 16}, [SL_NN_TUNING_WIDTH] = {"width", 1, 1 << 16},
    [SL_NN_TUNING_KERNEL] = {"kernel", 1, 1 << 10}, [SL_NN_TUNING_STRIDE] = {"stride", 1, 1 << 10},
    [SL_NN_TUNING_PAD] = {"pad", 0, 1 << 10},       [SL_NN_TUNING_GROUPS] = {"groups", 1, 1 << 20},
    [SL_NN_TUNING_BATCH] = {"batch", 1, 1 << 20},
};

/* By enum sl_nn_direction; ends with NULL, for suggestions. */
static const char *const direction_names[] = {
    [SL_NN_FORWARD] = "forward",
    [SL_NN_BACKWARD_DATA] = "backward-data",
    [SL_NN_BACKWARD_WEIGHTS] = "backward-weights",
    NULL,
};

const char *sl_nn_direction_name(enum sl_nn_direction direction)
{
    return direction_names[direction];
}

struct sl_nn_tuning_row sl_nn_tuning_row_of(const struct sl_nn_conv_task *task,
                                            const struct sl_nn_conv_kernel *kernel)
{
    return (struct sl_nn_tuning_row){
        .shape = {[SL_NN_TUNING_IN] = task->in_channels,
                  [SL_NN_TUNING_OUT] = task->out_channels,
                  [SL_NN_TUNING_HEIGHT] = task->height,
                  [SL_NN_TUNING_WIDTH] = task->width,
                  [SL_NN_TUNING_KERNEL] = task->kernel,
                  [SL_NN_TUNING_STRIDE] = task->stride,
                  [SL_NN_TUNING_PAD] = task->pad,
                  [SL_NN_TUNING_GROUPS] = task->groups,
                  [SL_NN_TUNING_BATCH] = task->images},
        .direction = task->direction,
        .kernel = kernel,
    };
}

int sl_nn_tuning_compare(const struct sl_nn_tuning_row *a, const struct sl_nn_tuning_row *b)
{
    for (size_t field = 0; field < SL_NN_TUNING_FIELDS; field++)
        if (a->shape[field] != b->shape[field]) return a->shape[field] < b->shape[field] ? -1 : 1;
    if (a->direction != b->direction) return a->direction < b->direction ? -1 : 1;
    return 0;
}

void sl_nn_tuning_set(struct sl_tuning *tuning, const struct sl_nn_tuning_row *row)
{
    size_t at = 0;
    while (at < tuning->count && sl_nn_tuning_compare(&tuning->rows[at], row) < 0)
        at++;
    if (at == tuning->count || sl_nn_tuning_compare(&tuning->rows[at], row) != 0) {
        tuning->rows = sl_resize(tuning->rows, tuning->count + 1, sizeof *tuning->rows);
        memmove(&tuning->rows[at + 1], &tuning->rows[at],
                (tuning->count - at) * sizeof *tuning->rows);
        tuning->count++;
    }
    tuning->rows[at] = *row;
}

void sl_tuning_destroy(struct sl_tuning *tuning)
{
    if (!tuning) return;
    free(tuning->rows);
    free(tuning);
}

static const struct sl_nn_tuning_row *rows_of(const struct sl_tuning *tuning, size_t *count)
{
    *count = tuning ? tuning->count : sl_nn_tuning_shipped_count;
    return tuning ? tuning->rows : sl_nn_tuning_shipped;
}

const struct sl_nn_conv_kernel *sl_nn_tuning_find(const struct sl_tuning *tuning,
                                                  const struct sl_nn_conv_task *task)
{
    size_t count, nearest = SIZE_MAX;
    const struct sl_nn_tuning_row *rows = rows_of(tuning, &count);
    const struct sl_nn_conv_kernel *found = NULL;
    for (size_t i = 0; i < count; i++) {
        struct sl_nn_tuning_row wanted = sl_nn_tuning_row_of(task, NULL);
        size_t batch = rows[i].shape[SL_NN_TUNING_BATCH];
        wanted.shape[SL_NN_TUNING_BATCH] = batch;
        if (sl_nn_tuning_compare(&rows[i], &wanted) != 0) continue;
        size_t distance = batch > task->images ? batch - task->images : task->images - batch;
        if (distance >= nearest) continue;
        nearest = distance;
        found = rows[i].kernel;
    }
    return found;
}

static void print_row(const struct sl_nn_tuning_row *row, struct sl_buffer *out)
{
    sl_buffer_byte(out, '{');
    for (size_t field = 0; field < SL_NN_TUNING_FIELDS; field++)
        sl_buffer_printf(out, "\"%s\": %zu, ", fields[field].name, row->shape[field]);
    sl_buffer_printf(out, "\"direction\": \"%s\", \"use\": \"%s\"}",
                     sl_nn_direction_name(row->direction), row->kernel->name);
}

/* Print one row per line. The hash of a table is the hash of this text. */
static void print_rows(const struct sl_tuning *tuning, struct sl_buffer *out)
{
    size_t count;
    const struct sl_nn_tuning_row *rows = rows_of(tuning, &count);
    for (size_t i = 0; i < count; i++) {
        sl_buffer_text(out, i > 0 ? ",\n    " : "\n    ");
        print_row(&rows[i], out);
    }
}

void sl_tuning_hash(const struct sl_tuning *tuning, char out[65])
{
    struct sl_buffer text;
    sl_buffer_init(&text, SIZE_MAX);
    print_rows(tuning, &text);
    sl_sha256(text.data ? text.data : "", text.length, out);
    sl_buffer_release(&text);
}

enum sl_status sl_tuning_write(const char *path, const struct sl_tuning *tuning,
                               struct sl_error *err)
{
    struct sl_buffer text;
    enum sl_status status = SL_OK;
    sl_buffer_init(&text, FILE_MAXIMUM);
    sl_buffer_printf(&text, "{\n  \"softlab\": \"%s\",\n  \"version\": %d,\n  \"rows\": [", KIND,
                     VERSION);
    print_rows(tuning, &text);
    sl_buffer_text(&text, "\n  ]\n}\n");
    SL_TRY_OUT(sl_buffer_check(&text, path, err));
    SL_TRY_OUT(sl_file_write(path, text.data, text.length, err));
out:
    sl_buffer_release(&text);
    return status;
}

/* Fail with "expected <what>, got <name>". Unprintable bytes of the name are escaped. */
static enum sl_status fail_name(const struct sl_json_cursor *at, const char *what, const char *name,
                                struct sl_error *err)
{
    char shown[SL_DESCRIBE_SIZE];
    return sl_json_fail(at, err, "expected %s, got %s", what,
                        sl_describe_text(name, strlen(name), shown));
}

static enum sl_status read_direction(const struct sl_json_cursor *row, enum sl_nn_direction *out,
                                     struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *name;
    SL_TRY(sl_json_member(row, "direction", &at, err));
    SL_TRY(sl_json_string(&at, &name, err));
    for (size_t i = 0; direction_names[i]; i++)
        if (strcmp(direction_names[i], name) == 0) {
            *out = (enum sl_nn_direction)i;
            return SL_OK;
        }
    return fail_name(&at, "forward, backward-data or backward-weights", name, err);
}

static enum sl_status read_kernel(const struct sl_json_cursor *row,
                                  const struct sl_nn_conv_kernel **out, struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *name;
    SL_TRY(sl_json_member(row, "use", &at, err));
    SL_TRY(sl_json_string(&at, &name, err));
    const struct sl_nn_conv_kernel *kernel = sl_nn_conv_find(name);
    if (!kernel) return fail_name(&at, "a convolution kernel", name, err);
    *out = kernel;
    return SL_OK;
}

static enum sl_status read_row(const struct sl_json_cursor *at, struct sl_nn_tuning_row *out,
                               struct sl_error *err)
{
    const char *known[SL_NN_TUNING_FIELDS + 3] = {"direction", "use"};
    struct sl_nn_tuning_row row;
    for (size_t field = 0; field < SL_NN_TUNING_FIELDS; field++)
        known[field + 2] = fields[field].name;
    SL_TRY(sl_json_only(at, known, err));
    for (size_t field = 0; field < SL_NN_TUNING_FIELDS; field++) {
        struct sl_json_cursor member;
        int64_t value;
        SL_TRY(sl_json_member(at, fields[field].name, &member, err));
        SL_TRY(sl_json_integer(&member, fields[field].minimum, fields[field].maximum, &value, err));
        row.shape[field] = (size_t)value;
    }
    size_t groups = row.shape[SL_NN_TUNING_GROUPS];
    if (row.shape[SL_NN_TUNING_IN] % groups != 0 || row.shape[SL_NN_TUNING_OUT] % groups != 0)
        return sl_json_fail(at, err, "%zu groups do not divide %zu and %zu channels", groups,
                            row.shape[SL_NN_TUNING_IN], row.shape[SL_NN_TUNING_OUT]);
    SL_TRY(read_direction(at, &row.direction, err));
    SL_TRY(read_kernel(at, &row.kernel, err));
    *out = row;
    return SL_OK;
}

/* A row and its index in the file, which a message about a repeated row names. */
struct numbered_row {
    struct sl_nn_tuning_row row;
    size_t number;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered_row *left = a, *right = b;
    int order = sl_nn_tuning_compare(&left->row, &right->row);
    if (order != 0) return order;
    return left->number < right->number ? -1 : 1;
}

static enum sl_status read_rows(const struct sl_json_cursor *root, struct sl_tuning *tuning,
                                struct sl_error *err)
{
    struct sl_json_cursor at;
    size_t count;
    SL_TRY(sl_json_member(root, "rows", &at, err));
    SL_TRY(sl_json_array_size(&at, &count, err));
    struct numbered_row *rows = sl_alloc(count, sizeof *rows);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor element = sl_json_element(&at, i);
        SL_TRY_OUT(read_row(&element, &rows[i].row, err));
        rows[i].number = i;
    }
    qsort(rows, count, sizeof *rows, compare_numbered);
    tuning->rows = sl_alloc(count, sizeof *tuning->rows);
    tuning->count = count;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && sl_nn_tuning_compare(&rows[i - 1].row, &rows[i].row) == 0) {
            struct sl_json_cursor element = sl_json_element(&at, rows[i].number);
            status = sl_json_fail(
                &element, err, "has the same shape, batch and direction as rows[%zu]; remove one",
                rows[i - 1].number);
            goto out;
        }
        tuning->rows[i] = rows[i].row;
    }
out:
    free(rows);
    return status;
}

static enum sl_status read_document(const struct sl_json *json, struct sl_tuning **out,
                                    struct sl_error *err)
{
    static const char *const known[] = {"softlab", "version", "rows", NULL};
    struct sl_json_cursor root = sl_json_root(json), at;
    const char *kind;
    int64_t version;
    SL_TRY(sl_json_member(&root, "softlab", &at, err));
    SL_TRY(sl_json_string(&at, &kind, err));
    if (strcmp(kind, KIND) != 0) return fail_name(&at, "\"" KIND "\"", kind, err);
    SL_TRY(sl_json_member(&root, "version", &at, err));
    SL_TRY(sl_json_integer(&at, VERSION, VERSION, &version, err));
    SL_TRY(sl_json_only(&root, known, err));
    struct sl_tuning *tuning = sl_alloc(1, sizeof *tuning);
    enum sl_status status = read_rows(&root, tuning, err);
    if (status != SL_OK) {
        sl_tuning_destroy(tuning);
        return status;
    }
    *out = tuning;
    return SL_OK;
}

enum sl_status sl_nn_tuning_parse(const char *text, size_t length, const char *name,
                                  struct sl_tuning **out, struct sl_error *err)
{
    struct sl_json json;
    SL_TRY(sl_json_parse(text, length, name, 1, &json, err));
    enum sl_status status = read_document(&json, out, err);
    sl_json_release(&json);
    return status;
}

enum sl_status sl_tuning_read(const char *path, struct sl_tuning **out, struct sl_error *err)
{
    struct sl_json json;
    SL_TRY(sl_json_read(path, FILE_MAXIMUM, &json, err));
    enum sl_status status = read_document(&json, out, err);
    sl_json_release(&json);
    return status;
}
