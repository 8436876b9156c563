#include <stdlib.h>
#include <string.h>

#include "dataset/split_numpy.h"
#include "softlab/base/array.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

#define MAX_SPLIT_BYTES ((size_t)256 << 20)

/* The numbers in a file, and how errors count its rows. */
struct listing {
    struct sl_array values; /* SL_I8, one dimension */
    const char *row_word;
    size_t first_row;
};

static enum sl_status parse_npy(const struct sl_buffer *bytes, const char *path,
                                struct listing *out, struct sl_error *err)
{
    struct sl_array array;
    SL_TRY(sl_npy_parse(bytes->data, bytes->length, path, &array, err));
    const size_t any = 0;
    enum sl_status status = sl_array_expect(&array, path, 1, &any, err);
    if (status == SL_OK && array.dtype != SL_I8 && array.dtype != SL_I4)
        status = sl_fail(err, SL_ERR_INPUT, "%s: expected indices of type <i8 or <i4, got %s", path,
                         sl_dtype_name(array.dtype));
    if (status == SL_OK) {
        *out = (struct listing){.row_word = "row", .first_row = 0};
        status = sl_array_convert(&array, SL_I8, path, &out->values, err);
    }
    sl_array_release(&array);
    return status;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t lines = length > 0 && text[length - 1] != '\n';
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* One index per line. */
static enum sl_status parse_lines(const struct sl_buffer *bytes, const char *path,
                                  struct listing *out, struct sl_error *err)
{
    const size_t n_lines = count_lines(bytes->data, bytes->length);
    struct sl_array array;
    SL_TRY(sl_array_create(SL_I8, 0, 1, &n_lines, &array, err));
    int64_t *values = array.data;
    const char *at = bytes->data, *end = bytes->data + bytes->length;
    for (size_t i = 0; i < n_lines; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        const char *next = newline ? newline + 1 : end;
        if (length > 0 && at[length - 1] == '\r') length--;
        if (!sl_text_to_integer(at, length, &values[i])) {
            sl_array_release(&array);
            return sl_fail(err, SL_ERR_INPUT, "%s: line %zu: expected one index, got \"%.*s\"",
                           path, i + 1, length < 40 ? (int)length : 40, at);
        }
        at = next;
    }
    *out = (struct listing){.values = array, .row_word = "line", .first_row = 1};
    return SL_OK;
}

/* The values as indices, each below `n_items` and there once. */
static enum sl_status check_indices(const struct listing *listing, const char *path, size_t n_items,
                                    size_t **out, struct sl_error *err)
{
    const size_t count = sl_array_count(&listing->values);
    const int64_t *values = listing->values.data;
    size_t *indices = sl_data_alloc(count, sizeof *indices, err);
    size_t *seen = indices ? sl_data_alloc(n_items, sizeof *seen, err) : NULL; /* 1 + row */
    enum sl_status status = seen ? SL_OK : SL_ERR_NOMEM;
    for (size_t i = 0; status == SL_OK && i < n_items; i++)
        seen[i] = 0;
    for (size_t i = 0; status == SL_OK && i < count; i++) {
        if (values[i] < 0 || (uint64_t)values[i] >= n_items) {
            status =
                sl_fail(err, SL_ERR_INPUT,
                        "%s: %s %zu: expected an index of at least 0 and below %zu, got %lld", path,
                        listing->row_word, i + listing->first_row, n_items, (long long)values[i]);
        } else if (seen[values[i]] > 0) {
            status = sl_fail(err, SL_ERR_INPUT, "%s: %s %zu: index %lld is already in %s %zu", path,
                             listing->row_word, i + listing->first_row, (long long)values[i],
                             listing->row_word, seen[values[i]] - 1 + listing->first_row);
        } else {
            seen[values[i]] = i + 1;
            indices[i] = (size_t)values[i];
        }
    }
    free(seen);
    if (status == SL_OK)
        *out = indices;
    else
        free(indices);
    return status;
}

enum sl_status sl_split_read(const char *path, size_t n_items, size_t **out, size_t *count,
                             struct sl_error *err)
{
    struct sl_buffer bytes;
    struct listing listing = {0};
    sl_buffer_init(&bytes, MAX_SPLIT_BYTES);
    enum sl_status status = sl_file_read(path, &bytes, err);
    if (status != SL_OK) goto out;
    if (bytes.length == 0) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: expected indices, got an empty file", path);
        goto out;
    }
    if ((unsigned char)bytes.data[0] == 0x93)
        SL_TRY_OUT(parse_npy(&bytes, path, &listing, err));
    else
        SL_TRY_OUT(parse_lines(&bytes, path, &listing, err));
    SL_TRY_OUT(check_indices(&listing, path, n_items, out, err));
    *count = sl_array_count(&listing.values);
out:
    sl_array_release(&listing.values);
    sl_buffer_release(&bytes);
    return status;
}

struct labelled {
    int32_t label;
    size_t index;
};

static int compare_labelled(const void *left, const void *right)
{
    const struct labelled *a = left, *b = right;
    if (a->label != b->label) return a->label < b->label ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The items of one class, consecutive in the sorted list, and how many of them are drawn. */
struct group {
    size_t begin, count;
    size_t quota, remainder;
    size_t tie; /* random rank, so that equal remainders favour no class */
};

static int compare_remainders(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->remainder != b->remainder) return a->remainder > b->remainder ? -1 : 1;
    return a->tie < b->tie ? -1 : 1;
}

static size_t find_groups(const struct labelled *sorted, size_t n_items, struct group *groups)
{
    size_t n_groups = 0;
    for (size_t i = 0; i < n_items; i++) {
        if (i == 0 || sorted[i].label != sorted[i - 1].label)
            groups[n_groups++] = (struct group){.begin = i};
        groups[n_groups - 1].count++;
    }
    return n_groups;
}

/* Largest-remainder allocation of `n_first` over the groups. */
static void allocate(struct group *groups, size_t n_groups, size_t n_items, size_t n_first,
                     uint64_t seed)
{
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "split.ties", 0, 0);
    size_t *ties = sl_alloc(n_groups, sizeof *ties);
    sl_rng_permutation(&rng, ties, n_groups);
    size_t left = n_first;
    for (size_t g = 0; g < n_groups; g++) {
        uint64_t share = (uint64_t)n_first * groups[g].count;
        groups[g].quota = (size_t)(share / n_items);
        groups[g].remainder = (size_t)(share % n_items);
        groups[g].tie = ties[g];
        left -= groups[g].quota;
    }
    qsort(groups, n_groups, sizeof *groups, compare_remainders);
    for (size_t g = 0; g < left; g++)
        groups[g].quota++;
    free(ties);
}

static void draw_groups(const struct group *groups, size_t n_groups, const struct labelled *sorted,
                        uint64_t seed, bool *drawn, size_t *places)
{
    for (size_t g = 0; g < n_groups; g++) {
        const struct labelled *members = sorted + groups[g].begin;
        struct sl_rng rng;
        sl_rng_init(&rng, seed, "split.balanced", 0, (uint64_t)(members->label + (int64_t)1));
        sl_rng_sample(&rng, groups[g].count, groups[g].quota, places);
        for (size_t i = 0; i < groups[g].quota; i++)
            drawn[members[places[i]].index] = true;
    }
}

void sl_split_release(struct sl_split *split)
{
    free(split->first);
    free(split->rest);
    *split = (struct sl_split){0};
}

enum sl_status sl_split_balanced(const int32_t *labels, size_t n_items, size_t n_first,
                                 uint64_t seed, struct sl_split *out, struct sl_error *err)
{
    if (n_first > n_items)
        return sl_fail(err, SL_ERR_USAGE, "cannot draw %zu item%s from %zu", n_first,
                       sl_text_plural(n_first, "", "s"), n_items);
    struct labelled *sorted = sl_data_alloc(n_items, sizeof *sorted, err);
    struct group *groups = sl_data_alloc(n_items, sizeof *groups, err);
    bool *drawn = sl_data_alloc(n_items, sizeof *drawn, err);
    size_t *chosen = sl_data_alloc(n_first, sizeof *chosen, err);
    size_t *others = sl_data_alloc(n_items - n_first, sizeof *others, err);
    enum sl_status status = SL_ERR_NOMEM;
    if (sorted && groups && drawn && chosen && others) {
        for (size_t i = 0; i < n_items; i++) {
            sorted[i] = (struct labelled){.label = labels[i], .index = i};
            drawn[i] = false;
        }
        qsort(sorted, n_items, sizeof *sorted, compare_labelled);
        size_t n_groups = find_groups(sorted, n_items, groups);
        allocate(groups, n_groups, n_items, n_first, seed);
        draw_groups(groups, n_groups, sorted, seed, drawn, chosen);
        size_t n_chosen = 0, n_others = 0;
        for (size_t i = 0; i < n_items; i++) {
            if (drawn[i])
                chosen[n_chosen++] = i;
            else
                others[n_others++] = i;
        }
        *out = (struct sl_split){
            .first = chosen, .n_first = n_chosen, .rest = others, .n_rest = n_others};
        chosen = others = NULL;
        status = SL_OK;
    }
    free(sorted);
    free(groups);
    free(drawn);
    free(chosen);
    free(others);
    return status;
}

/* floor(fold * n_items / n_folds) without the large product. */
static size_t fold_begin(size_t n_items, size_t n_folds, size_t fold)
{
    return fold * (n_items / n_folds) + fold * (n_items % n_folds) / n_folds;
}

enum sl_status sl_split_fold_numpy(size_t n_items, size_t n_folds, size_t fold, uint64_t seed,
                                   struct sl_split *out, struct sl_error *err)
{
    if (seed > UINT32_MAX || n_items > UINT32_MAX)
        return sl_fail(err, SL_ERR_USAGE,
                       "numpy's shuffle takes seeds and items below 2^32, got %llu and %zu",
                       (unsigned long long)seed, n_items);
    if (n_folds < 2 || n_folds > n_items)
        return sl_fail(err, SL_ERR_USAGE, "%zu item%s cannot be split into %zu fold%s", n_items,
                       sl_text_plural(n_items, "", "s"), n_folds, sl_text_plural(n_folds, "", "s"));
    if (fold >= n_folds)
        return sl_fail(err, SL_ERR_USAGE, "expected a fold from 0 to %zu, got %zu", n_folds - 1,
                       fold);
    const size_t begin = fold_begin(n_items, n_folds, fold);
    const size_t end = fold_begin(n_items, n_folds, fold + 1);
    size_t *order = sl_data_alloc(n_items, sizeof *order, err);
    size_t *inside = sl_data_alloc(end - begin, sizeof *inside, err);
    size_t *outside = sl_data_alloc(n_items - (end - begin), sizeof *outside, err);
    if (!order || !inside || !outside) {
        free(order);
        free(inside);
        free(outside);
        return SL_ERR_NOMEM;
    }
    sl_split_shuffle_numpy(seed, order, n_items);
    memcpy(inside, order + begin, (end - begin) * sizeof *order);
    memcpy(outside, order, begin * sizeof *order);
    memcpy(outside + begin, order + end, (n_items - end) * sizeof *order);
    free(order);
    *out = (struct sl_split){.first = inside,
                             .n_first = end - begin,
                             .rest = outside,
                             .n_rest = n_items - (end - begin)};
    return SL_OK;
}
