/* Rows as an Arrow struct array. Every struct owns its own memory in `private_data`, so that a
 * consumer may move a child out and release it later than its parent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/arrow.h"
#include "softlab/base/memory.h"

enum { MOST_BUFFERS = 3 };

/* ---- Schemas ---- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child->release) child->release(child);
        free(child);
    }
    free(schema->children);
    free(schema->private_data);
    schema->release = NULL;
}

/* `format` is static; the name is copied. */
static void make_schema(struct ArrowSchema *schema, const char *format, const char *name)
{
    char *copy = sl_string_copy(name);
    *schema = (struct ArrowSchema){
        .format = format, .name = copy, .release = release_schema, .private_data = copy};
}

static void make_schemas(const struct sl_rows *rows, size_t n_names, struct ArrowSchema *out)
{
    static const char *const names[] = {"item", "annotator"};
    const size_t n_children = n_names + rows->n_classes;
    make_schema(out, "+s", "");
    out->children = sl_alloc(n_children, sizeof(struct ArrowSchema *));
    for (size_t i = 0; i < n_children; i++) {
        char number[24];
        out->children[i] = sl_alloc(1, sizeof **out->children);
        if (i < n_names) {
            make_schema(out->children[i], "u", names[i]);
            continue;
        }
        snprintf(number, sizeof number, "%zu", i - n_names);
        make_schema(out->children[i], "f", rows->classes ? rows->classes[i - n_names] : number);
    }
    out->n_children = (int64_t)n_children;
}

/* ---- Arrays ---- */

/* The memory of one array. */
struct array_memory {
    const void *buffers[MOST_BUFFERS];
    void *owned[MOST_BUFFERS]; /* owned; those of the buffers that are not NULL */
};

static void release_array(struct ArrowArray *array)
{
    struct array_memory *memory = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release) child->release(child);
        free(child);
    }
    for (size_t i = 0; i < MOST_BUFFERS; i++)
        free(memory->owned[i]);
    free(array->children);
    free(memory);
    array->release = NULL;
}

static struct array_memory *make_array(struct ArrowArray *array, size_t length, int64_t n_buffers)
{
    struct array_memory *memory = sl_alloc(1, sizeof *memory);
    *array = (struct ArrowArray){.length = (int64_t)length,
                                 .n_buffers = n_buffers,
                                 .buffers = memory->buffers,
                                 .release = release_array,
                                 .private_data = memory};
    return memory;
}

static void *add_buffer(struct array_memory *memory, size_t index, size_t count, size_t size,
                        struct sl_error *err)
{
    memory->owned[index] = sl_data_alloc(count, size, err);
    memory->buffers[index] = memory->owned[index];
    return memory->owned[index];
}

/* A utf8 column; without names, the numbers of the rows. */
static enum sl_status fill_names(struct ArrowArray *array, char *const *names, size_t count,
                                 struct sl_error *err)
{
    struct array_memory *memory = make_array(array, count, 3);
    char number[24];
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const int digits = snprintf(number, sizeof number, "%zu", i);
        total += names ? strlen(names[i]) : (size_t)digits;
    }
    if (total > INT32_MAX)
        return sl_fail(err, SL_ERR_INPUT,
                       "the names are longer than 2 GiB, which utf8 cannot hold");
    int32_t *offsets = add_buffer(memory, 1, count + 1, sizeof *offsets, err);
    char *text = add_buffer(memory, 2, (size_t)total + 1, 1, err);
    if (!offsets || !text) return SL_ERR_NOMEM;
    offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%zu", i);
        const char *name = names ? names[i] : number;
        const size_t length = strlen(name);
        memcpy(text + offsets[i], name, length);
        offsets[i + 1] = offsets[i] + (int32_t)length;
    }
    return SL_OK;
}

static enum sl_status fill_class(struct ArrowArray *array, const struct sl_rows *rows, size_t k,
                                 struct sl_error *err)
{
    struct array_memory *memory = make_array(array, rows->n_rows, 2);
    float *values = add_buffer(memory, 1, rows->n_rows, sizeof *values, err);
    if (!values) return SL_ERR_NOMEM;
    for (size_t i = 0; i < rows->n_rows; i++)
        values[i] = rows->values[i * rows->n_classes + k];
    return SL_OK;
}

static enum sl_status make_arrays(const struct sl_rows *rows, size_t n_names,
                                  struct ArrowArray *out, struct sl_error *err)
{
    char *const *const names[] = {rows->items, rows->annotators};
    const size_t n_children = n_names + rows->n_classes;
    make_array(out, rows->n_rows, 1);
    out->children = sl_alloc(n_children, sizeof(struct ArrowArray *));
    for (size_t i = 0; i < n_children; i++) {
        struct ArrowArray *child = out->children[i] = sl_alloc(1, sizeof *child);
        out->n_children = (int64_t)i + 1;
        SL_TRY(i < n_names ? fill_names(child, names[i], rows->n_rows, err)
                           : fill_class(child, rows, i - n_names, err));
    }
    return SL_OK;
}

enum sl_status sl_rows_to_arrow(const struct sl_rows *rows, struct ArrowSchema *schema,
                                struct ArrowArray *array, struct sl_error *err)
{
    const size_t n_names = rows->annotators ? 2 : 1;
    struct ArrowArray made;
    const enum sl_status status = make_arrays(rows, n_names, &made, err);
    if (status != SL_OK) {
        made.release(&made);
        return status;
    }
    make_schemas(rows, n_names, schema);
    *array = made;
    return SL_OK;
}
