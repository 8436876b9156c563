/* The directory at the end of an .npz is the only list of entries that is trusted, and only if the
 * entries it names do not overlap and lie before it. */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/npz.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { COMMENT_LIMIT = 65535 };

/* Where the directory is, from the record at the end. */
struct directory {
    uint64_t offset, size, count;
    uint64_t limit; /* of what may come before the end records */
};

static enum sl_status broken(const struct sl_npz *npz, uint64_t at, const char *what,
                             struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: %s", npz->path, (unsigned long long)at, what);
}

/* The zip64 end record, by the locator that stands before the plain one at `end`. */
static enum sl_status read_end64(const struct sl_npz *npz, uint64_t end, struct directory *out,
                                 struct sl_error *err)
{
    unsigned char locator[SL_ZIP_LOCATOR64_SIZE], record[SL_ZIP_END64_SIZE];
    if (end < sizeof locator) return broken(npz, end, "no zip64 locator before the end", err);
    uint64_t locator_at = end - sizeof locator;
    SL_TRY(sl_source_read(&npz->source, locator_at, locator, sizeof locator, err));
    if (sl_get32(locator) != SL_ZIP_LOCATOR64)
        return broken(npz, locator_at, "expected a zip64 locator", err);
    uint64_t at = sl_get64(locator + 8);
    if (at > locator_at || locator_at - at < sizeof record)
        return broken(npz, locator_at, "the zip64 end record is outside the file", err);
    SL_TRY(sl_source_read(&npz->source, at, record, sizeof record, err));
    if (sl_get32(record) != SL_ZIP_END64)
        return broken(npz, at, "expected a zip64 end record", err);
    if (sl_get32(record + 16) != 0 || sl_get32(record + 20) != 0 ||
        sl_get64(record + 24) != sl_get64(record + 32))
        return broken(npz, at, "archives in several parts are not supported", err);
    *out = (struct directory){.offset = sl_get64(record + 48),
                              .size = sl_get64(record + 40),
                              .count = sl_get64(record + 32),
                              .limit = at};
    return SL_OK;
}

/* The end record at `at`, whose bytes are `record`. */
static enum sl_status read_end(const struct sl_npz *npz, uint64_t at, const unsigned char *record,
                               struct directory *out, struct sl_error *err)
{
    *out = (struct directory){.offset = sl_get32(record + 16),
                              .size = sl_get32(record + 12),
                              .count = sl_get16(record + 10),
                              .limit = at};
    if (out->count == SL_ZIP_FULL16 || out->size == SL_ZIP_FULL32 || out->offset == SL_ZIP_FULL32)
        SL_TRY(read_end64(npz, at, out, err));
    else if (sl_get16(record + 4) != 0 || sl_get16(record + 6) != 0 ||
             sl_get16(record + 8) != out->count)
        return broken(npz, at, "archives in several parts are not supported", err);
    if (out->offset > out->limit || out->size > out->limit - out->offset)
        return broken(npz, at, "the directory is outside the file", err);
    if (out->count > out->size / SL_ZIP_CENTRAL_SIZE)
        return broken(npz, at, "the directory is too small for its entries", err);
    return SL_OK;
}

/* The end record is the last one whose comment reaches exactly to the file's end. */
static enum sl_status find_directory(const struct sl_npz *npz, struct directory *out,
                                     struct sl_error *err)
{
    uint64_t size = npz->source.size;
    if (size < SL_ZIP_END_SIZE) return broken(npz, 0, "too short for a zip file", err);
    const uint64_t most = SL_ZIP_END_SIZE + COMMENT_LIMIT;
    size_t length = (size_t)(size < most ? size : most);
    unsigned char *tail = sl_alloc(length, 1);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_source_read(&npz->source, size - length, tail, length, err));
    for (size_t at = length - SL_ZIP_END_SIZE + 1; at-- > 0;) {
        if (sl_get32(tail + at) != SL_ZIP_END) continue;
        if (at + SL_ZIP_END_SIZE + sl_get16(tail + at + 20) != length) continue;
        status = read_end(npz, size - length + at, tail + at, out, err);
        goto out;
    }
    status = broken(npz, size, "no zip directory at the end of the file", err);
out:
    free(tail);
    return status;
}

/* Replace the fields that say "see zip64" by those of the zip64 extra field. */
static enum sl_status apply_extra64(const unsigned char *extra, size_t length,
                                    struct sl_npz_entry *entry)
{
    uint64_t *const wide[] = {&entry->size, &entry->packed, &entry->offset};
    while (length >= 4) {
        unsigned id = sl_get16(extra);
        size_t size = sl_get16(extra + 2);
        extra += 4;
        length -= 4;
        if (size > length) return SL_ERR_INPUT;
        if (id == SL_ZIP_EXTRA64) {
            for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
                if (*wide[i] != SL_ZIP_FULL32) continue;
                if (size < 8) return SL_ERR_INPUT;
                *wide[i] = sl_get64(extra);
                extra += 8;
                size -= 8;
            }
            return SL_OK;
        }
        extra += size;
        length -= size;
    }
    return SL_OK;
}

/* Copy a name that fits one line of text; NULL if it does not. */
static const char *keep_name(struct sl_npz *npz, const unsigned char *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < ' ' || bytes[i] == 0x7F) return NULL;
    if (length == 0 || sl_utf8_valid(text, length) != length) return NULL;
    return sl_arena_copy(&npz->names, text, length);
}

/* One record of the directory; `at` is its place in the file, *used its length. */
static enum sl_status parse_record(struct sl_npz *npz, const unsigned char *record, size_t left,
                                   uint64_t at, struct sl_npz_entry *out, size_t *used,
                                   struct sl_error *err)
{
    static const char suffix[] = ".npy";
    if (left < SL_ZIP_CENTRAL_SIZE || sl_get32(record) != SL_ZIP_CENTRAL)
        return broken(npz, at, "expected a directory record", err);
    size_t name_length = sl_get16(record + 28), extra_length = sl_get16(record + 30);
    size_t total = SL_ZIP_CENTRAL_SIZE + name_length + extra_length + sl_get16(record + 32);
    if (total > left) return broken(npz, at, "the record ends beyond the directory", err);
    const unsigned char *name = record + SL_ZIP_CENTRAL_SIZE;
    struct sl_npz_entry entry = {.flags = sl_get16(record + 8),
                                 .method = sl_get16(record + 10),
                                 .crc = sl_get32(record + 16),
                                 .packed = sl_get32(record + 20),
                                 .size = sl_get32(record + 24),
                                 .offset = sl_get32(record + 42)};
    if (apply_extra64(name + name_length, extra_length, &entry) != SL_OK)
        return broken(npz, at, "the record's extra field is cut short", err);
    entry.file_name = keep_name(npz, name, name_length);
    if (!entry.file_name) return broken(npz, at, "the entry's name is not plain UTF-8", err);
    if (name_length >= sizeof suffix - 1 &&
        memcmp(name + name_length - (sizeof suffix - 1), suffix, sizeof suffix - 1) == 0)
        entry.name = sl_arena_copy(&npz->names, entry.file_name, name_length - (sizeof suffix - 1));
    *out = entry;
    *used = total;
    return SL_OK;
}

static int compare_offsets(const void *a, const void *b)
{
    const struct sl_npz_entry *const *left = a, *const *right = b;
    return ((*left)->offset > (*right)->offset) - ((*left)->offset < (*right)->offset);
}

static int compare_file_names(const void *a, const void *b)
{
    const struct sl_npz_entry *const *left = a, *const *right = b;
    return strcmp((*left)->file_name, (*right)->file_name);
}

static int compare_names(const void *a, const void *b)
{
    const struct sl_npz_entry *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* Set every entry's limit; fail if two entries overlap. `order` has room for all entries. */
static enum sl_status check_extents(const struct sl_npz *npz, uint64_t directory,
                                    struct sl_npz_entry **order, struct sl_error *err)
{
    qsort(order, npz->n_entries, sizeof *order, compare_offsets);
    for (size_t i = 0; i < npz->n_entries; i++) {
        struct sl_npz_entry *entry = order[i];
        entry->limit = i + 1 < npz->n_entries ? order[i + 1]->offset : directory;
        uint64_t header = SL_ZIP_LOCAL_SIZE + strlen(entry->file_name);
        if (entry->offset > directory || entry->limit - entry->offset < header ||
            entry->limit - entry->offset - header < entry->packed)
            return sl_fail(
                err, SL_ERR_INPUT,
                "%s: %s: the entry's %llu byte%s at byte %llu %s not end before byte %llu, where "
                "the next part begins",
                npz->path, entry->file_name, (unsigned long long)entry->packed,
                sl_text_plural(entry->packed, "", "s"), (unsigned long long)entry->offset,
                sl_text_plural(entry->packed, "does", "do"), (unsigned long long)entry->limit);
    }
    return SL_OK;
}

static enum sl_status check_names(const struct sl_npz *npz, struct sl_npz_entry **order,
                                  struct sl_error *err)
{
    qsort(order, npz->n_entries, sizeof *order, compare_file_names);
    for (size_t i = 1; i < npz->n_entries; i++)
        if (strcmp(order[i - 1]->file_name, order[i]->file_name) == 0)
            return sl_fail(err, SL_ERR_INPUT, "%s: two entries are called %s", npz->path,
                           order[i]->file_name);
    return SL_OK;
}

/* Check the entries against each other and list the arrays among them. */
static enum sl_status index_entries(struct sl_npz *npz, uint64_t directory, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_npz_entry **order = sl_data_alloc(npz->n_entries, sizeof *order, err);
    npz->arrays = sl_data_alloc(npz->n_entries, sizeof *npz->arrays, err);
    npz->sorted = sl_data_alloc(npz->n_entries, sizeof *npz->sorted, err);
    if (!order || !npz->arrays || !npz->sorted) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < npz->n_entries; i++)
        order[i] = &npz->entries[i];
    SL_TRY_OUT(check_extents(npz, directory, order, err));
    SL_TRY_OUT(check_names(npz, order, err));
    for (size_t i = 0; i < npz->n_entries; i++) {
        if (!npz->entries[i].name) continue;
        npz->arrays[npz->n_arrays] = npz->sorted[npz->n_arrays] = &npz->entries[i];
        npz->n_arrays++;
    }
    qsort(npz->sorted, npz->n_arrays, sizeof *npz->sorted, compare_names);
out:
    free(order);
    return status;
}

static enum sl_status read_directory(struct sl_npz *npz, struct sl_error *err)
{
    struct directory directory = {0};
    unsigned char *bytes = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(find_directory(npz, &directory, err));
    size_t size = (size_t)directory.size, at = 0;
    bytes = sl_data_alloc(size, 1, err);
    npz->entries = sl_data_alloc((size_t)directory.count, sizeof *npz->entries, err);
    if (!bytes || !npz->entries) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    SL_TRY_OUT(sl_source_read(&npz->source, directory.offset, bytes, size, err));
    sl_arena_init(&npz->names,
                  2 * size); /* each name twice with its NUL, which is less than a record */
    for (; npz->n_entries < directory.count; npz->n_entries++) {
        size_t used = 0;
        SL_TRY_OUT(parse_record(npz, bytes + at, size - at, directory.offset + at,
                                &npz->entries[npz->n_entries], &used, err));
        at += used;
    }
    if (at != size) {
        status =
            broken(npz, directory.offset + at, "the directory goes on after its last entry", err);
        goto out;
    }
    SL_TRY_OUT(index_entries(npz, directory.offset, err));
out:
    free(bytes);
    return status;
}

static enum sl_status open_source(struct sl_npz *npz, struct sl_npz **out, struct sl_error *err)
{
    enum sl_status status = read_directory(npz, err);
    if (status == SL_OK)
        *out = npz;
    else
        sl_npz_close(npz);
    return status;
}

enum sl_status sl_npz_open(const char *path, struct sl_npz **out, struct sl_error *err)
{
    struct sl_source source;
    SL_TRY(sl_source_open(&source, path, err));
    struct sl_npz *npz = sl_alloc(1, sizeof *npz);
    npz->path = sl_string_copy(path);
    npz->source = source;
    npz->source.name = npz->path;
    return open_source(npz, out, err);
}

enum sl_status sl_npz_open_memory(const void *bytes, size_t length, const char *name,
                                  struct sl_npz **out, struct sl_error *err)
{
    struct sl_npz *npz = sl_alloc(1, sizeof *npz);
    npz->path = sl_string_copy(name);
    npz->source = sl_source_of_memory(bytes, length, npz->path);
    return open_source(npz, out, err);
}

void sl_npz_close(struct sl_npz *npz)
{
    if (!npz) return;
    sl_source_close(&npz->source);
    sl_arena_release(&npz->names);
    libdeflate_free_decompressor(npz->decompressor);
    free(npz->entries);
    free(npz->arrays);
    free(npz->sorted);
    free(npz->path);
    free(npz);
}

size_t sl_npz_count(const struct sl_npz *npz)
{
    return npz->n_arrays;
}

const char *sl_npz_name(const struct sl_npz *npz, size_t index)
{
    return index < npz->n_arrays ? npz->arrays[index]->name : NULL;
}

const struct sl_npz_entry *sl_npz_find(const struct sl_npz *npz, const char *name)
{
    const struct sl_npz_entry wanted = {.name = name}, *key = &wanted;
    struct sl_npz_entry **found =
        bsearch(&key, npz->sorted, npz->n_arrays, sizeof *npz->sorted, compare_names);
    return found ? *found : NULL;
}

bool sl_npz_has(const struct sl_npz *npz, const char *name)
{
    return sl_npz_find(npz, name) != NULL;
}
