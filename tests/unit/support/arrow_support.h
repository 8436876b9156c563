/* A producer of Arrow arrays for tests. Every array and schema counts itself in `arrow_alive`, and
 * all memory is exact, so that the sanitizers notice a read beyond a buffer. */
#ifndef SOFTLAB_TESTS_ARROW_SUPPORT_H
#define SOFTLAB_TESTS_ARROW_SUPPORT_H

#include "support.h"

#include "softlab/base/arrow.h"

static int arrow_alive;

/* What an array or schema owns, freed with it. */
struct arrow_owned {
    const void *buffers[3];
    void *blocks[3];
};

static inline void arrow_release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary) {
        if (schema->dictionary->release) schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    free(schema->children);
    schema->release = NULL;
    arrow_alive--;
}

static inline void arrow_release_array(struct ArrowArray *array)
{
    struct arrow_owned *owned = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release) array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary) {
        if (array->dictionary->release) array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->children);
    for (size_t i = 0; i < 3; i++)
        free(owned->blocks[i]);
    free(owned);
    array->release = NULL;
    arrow_alive--;
}

/* Formats and names are literals. */
static inline struct ArrowSchema arrow_schema(const char *format, const char *name)
{
    arrow_alive++;
    return (struct ArrowSchema){.format = format,
                                .name = name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = arrow_release_schema};
}

static inline struct ArrowArray arrow_array(int64_t length, int64_t n_buffers)
{
    struct arrow_owned *owned = calloc(1, sizeof *owned);
    arrow_alive++;
    return (struct ArrowArray){.length = length,
                               .null_count = 0,
                               .n_buffers = n_buffers,
                               .buffers = owned->buffers,
                               .release = arrow_release_array,
                               .private_data = owned};
}

static inline void *arrow_buffer(struct ArrowArray *array, size_t index, const void *bytes,
                                 size_t length)
{
    struct arrow_owned *owned = array->private_data;
    owned->blocks[index] = malloc(length ? length : 1);
    if (bytes) memcpy(owned->blocks[index], bytes, length);
    owned->buffers[index] = owned->blocks[index];
    return owned->blocks[index];
}

/* A bitmap of the rows that are not '-' in `marks`. */
static inline void arrow_nulls(struct ArrowArray *array, const char *marks)
{
    const size_t count = strlen(marks);
    uint8_t *bits = arrow_buffer(array, 0, NULL, (count + 7) / 8);
    memset(bits, 0, (count + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        if (marks[i] != '-')
            bits[i / 8] |= (uint8_t)(1u << i % 8);
        else
            array->null_count++;
    }
}

/* utf8, or large_utf8; a NULL text is null. */
static inline struct ArrowArray arrow_texts(const char *const *texts, size_t count, bool large)
{
    struct ArrowArray array = arrow_array((int64_t)count, 3);
    char all[1000] = "", marks[100] = "";
    int32_t narrow[101] = {0};
    int64_t wide[101] = {0};
    for (size_t i = 0; i < count; i++) {
        marks[i] = texts[i] ? '+' : '-';
        if (texts[i]) strncat(all, texts[i], sizeof all - strlen(all) - 1);
        narrow[i + 1] = (int32_t)strlen(all);
        wide[i + 1] = narrow[i + 1];
    }
    if (memchr(marks, '-', count)) arrow_nulls(&array, marks);
    arrow_buffer(&array, 1, large ? (void *)wide : (void *)narrow,
                 (count + 1) * (large ? sizeof *wide : sizeof *narrow));
    arrow_buffer(&array, 2, all, strlen(all));
    return array;
}

static inline struct ArrowArray arrow_numbers(const void *values, size_t count, size_t size)
{
    struct ArrowArray array = arrow_array((int64_t)count, 2);
    arrow_buffer(&array, 1, values, count * size);
    return array;
}

/* A struct of columns; the columns are moved into it. */
struct arrow_table {
    struct ArrowSchema schema;
    struct ArrowArray array;
};
static inline struct arrow_table arrow_table(int64_t length)
{
    return (struct arrow_table){arrow_schema("+s", ""), arrow_array(length, 1)};
}

static inline void arrow_add(struct arrow_table *table, struct ArrowSchema schema,
                             struct ArrowArray array)
{
    const size_t count = (size_t)table->schema.n_children++;
    table->array.n_children++;
    table->schema.children =
        realloc(table->schema.children, (count + 1) * sizeof(struct ArrowSchema *));
    table->array.children =
        realloc(table->array.children, (count + 1) * sizeof(struct ArrowArray *));
    table->schema.children[count] = malloc(sizeof schema);
    *table->schema.children[count] = schema;
    table->array.children[count] = malloc(sizeof array);
    *table->array.children[count] = array;
}

/* Make column `index` an index into a dictionary, which is moved. */
static inline void arrow_encode(struct arrow_table *table, size_t index, struct ArrowSchema schema,
                                struct ArrowArray array)
{
    table->schema.children[index]->dictionary = malloc(sizeof schema);
    *table->schema.children[index]->dictionary = schema;
    table->array.children[index]->dictionary = malloc(sizeof array);
    *table->array.children[index]->dictionary = array;
}

#endif
