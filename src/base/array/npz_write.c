/* Writing .npz. The same arrays give the same bytes: entries carry the earliest date
 * that zip knows, and nothing about the machine. Sizes are known before an entry is written;
 * the CRC of an entry that comes in pieces is put into its header at the end. */
#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/npy.h"
#include "base/array/npz.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { COMPRESSION_LEVEL = 6, HEADER_BYTES = 1024, RECORD_BYTES = 70000, NAME_LIMIT = 65535 };
enum { DIRECTORY_LIMIT = 1 << 30 };
enum { VERSION_DEFLATE = 20, VERSION_ZIP64 = 45, DATE_1980 = 0x21 };

/* A stored deflate block: type and length of at most 65,535 plain bytes. */
enum { PLAIN_BLOCK = 5 };

enum { CRC_OFFSET = 14 }; /* in a local record */

struct sl_npz_writer {
    struct sl_writer file;
    enum sl_npz_packing packing;
    struct sl_buffer directory; /* the records so far */
    char **names;               /* owned */
    size_t n_names;
    uint64_t zip64_from;
    struct libdeflate_compressor *compressor; /* owned; made at the first use */
    bool broken;                              /* part of an entry was written */
    struct entry *open;                       /* owned; comes in pieces, or NULL */
    uint64_t missing;                         /* bytes of its data */
};

/* One entry: the .npy header, then data as they are or deflated. */
struct entry {
    char *name; /* owned; with ".npy" */
    struct sl_buffer header;
    const void *data;     /* borrowed */
    size_t data_size;     /* before packing */
    void *deflated;       /* owned; NULL when stored */
    size_t deflated_size; /* of the data alone */
    uint32_t crc;
    uint64_t offset;
};

enum sl_status sl_npz_writer_create(const char *path, enum sl_npz_packing packing,
                                    struct sl_npz_writer **out, struct sl_error *err)
{
    struct sl_writer file;
    SL_TRY(sl_writer_open(&file, path, err));
    struct sl_npz_writer *writer = sl_alloc(1, sizeof *writer);
    writer->file = file;
    writer->packing = packing;
    writer->zip64_from = SL_ZIP_FULL32;
    sl_buffer_init_data(&writer->directory, DIRECTORY_LIMIT);
    *out = writer;
    return SL_OK;
}

static void entry_release(struct entry *entry)
{
    free(entry->name);
    free(entry->deflated);
    sl_buffer_release(&entry->header);
}

void sl_npz_writer_destroy(struct sl_npz_writer *writer)
{
    if (!writer) return;
    if (writer->open) entry_release(writer->open);
    free(writer->open);
    sl_writer_discard(&writer->file);
    sl_buffer_release(&writer->directory);
    sl_strings_destroy(writer->names, writer->n_names);
    libdeflate_free_compressor(writer->compressor);
    free(writer);
}

void sl_npz_writer_set_zip64(struct sl_npz_writer *writer, uint64_t from)
{
    writer->zip64_from = from;
}

static void put_number(struct sl_buffer *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        sl_buffer_byte(out, (char)(value >> (8 * i) & 0xFF));
}

static uint64_t packed_size(const struct entry *entry)
{
    uint64_t header = entry->header.length;
    return entry->deflated ? PLAIN_BLOCK + header + entry->deflated_size
                           : header + entry->data_size;
}

/* What the local and the central record have in common, from the version to the length
 * of the extra field. `wide` says that the sizes are in the zip64 field. */
static void put_common(const struct entry *entry, bool wide, size_t extra, struct sl_buffer *out)
{
    bool ascii = true;
    for (const char *c = entry->name; *c; c++)
        ascii = ascii && (unsigned char)*c < 0x80;
    put_number(out, extra ? VERSION_ZIP64 : VERSION_DEFLATE, 2);
    put_number(out, ascii ? 0 : SL_ZIP_UTF8, 2);
    put_number(out, entry->deflated ? SL_ZIP_DEFLATED : SL_ZIP_STORED, 2);
    put_number(out, 0, 2); /* midnight */
    put_number(out, DATE_1980, 2);
    put_number(out, entry->crc, 4);
    put_number(out, wide ? SL_ZIP_FULL32 : packed_size(entry), 4);
    put_number(out, wide ? SL_ZIP_FULL32 : entry->header.length + entry->data_size, 4);
    put_number(out, strlen(entry->name), 2);
    put_number(out, extra, 2);
}

static void put_extra(const struct entry *entry, bool wide, bool far, struct sl_buffer *out)
{
    if (!wide && !far) return;
    put_number(out, SL_ZIP_EXTRA64, 2);
    put_number(out, (wide ? 16u : 0u) + (far ? 8u : 0u), 2);
    if (wide) {
        put_number(out, entry->header.length + entry->data_size, 8);
        put_number(out, packed_size(entry), 8);
    }
    if (far) put_number(out, entry->offset, 8);
}

static bool is_wide(const struct sl_npz_writer *writer, const struct entry *entry)
{
    return packed_size(entry) >= writer->zip64_from ||
           entry->header.length + entry->data_size >= writer->zip64_from;
}

static void format_local(const struct sl_npz_writer *writer, const struct entry *entry,
                         struct sl_buffer *out)
{
    bool wide = is_wide(writer, entry);
    put_number(out, SL_ZIP_LOCAL, 4);
    put_common(entry, wide, wide ? 20 : 0, out);
    sl_buffer_text(out, entry->name);
    put_extra(entry, wide, false, out);
    if (entry->deflated) {
        put_number(out, 0, 1);
        put_number(out, entry->header.length, 2);
        put_number(out, ~(uint64_t)entry->header.length, 2);
    }
    sl_buffer_append(out, entry->header.data, entry->header.length);
}

static void format_central(const struct sl_npz_writer *writer, const struct entry *entry,
                           struct sl_buffer *out)
{
    bool wide = is_wide(writer, entry), far = entry->offset >= writer->zip64_from;
    size_t extra = wide || far ? 4u + (wide ? 16u : 0u) + (far ? 8u : 0u) : 0;
    put_number(out, SL_ZIP_CENTRAL, 4);
    put_number(out, extra ? VERSION_ZIP64 : VERSION_DEFLATE, 2);
    put_common(entry, wide, extra, out);
    put_number(out, 0, 2); /* no comment */
    put_number(out, 0, 2); /* the first disk */
    put_number(out, 0, 2); /* binary */
    put_number(out, 0, 4); /* no attributes */
    put_number(out, far ? SL_ZIP_FULL32 : entry->offset, 4);
    sl_buffer_text(out, entry->name);
    put_extra(entry, wide, far, out);
}

static enum sl_status check_name(const struct sl_npz_writer *writer, const char *name,
                                 struct sl_error *err)
{
    size_t length = strlen(name);
    bool plain = length > 0 && sl_utf8_valid(name, length) == length;
    for (size_t i = 0; i < length; i++)
        plain = plain && (unsigned char)name[i] >= ' ' && name[i] != 0x7F;
    if (!plain || length + strlen(".npy") > NAME_LIMIT)
        return sl_fail(err, SL_ERR_USAGE, "%s: an array's name must be short, plain UTF-8",
                       writer->file.path);
    for (size_t i = 0; i < writer->n_names; i++)
        if (strcmp(writer->names[i], name) == 0)
            return sl_fail(err, SL_ERR_USAGE, "%s: two arrays are called %s", writer->file.path,
                           name);
    return SL_OK;
}

/* Deflate the data if that makes them smaller; otherwise they are stored. The header precedes them
 * as a stored block, so that the two need not be joined in a copy. */
static enum sl_status deflate(struct sl_npz_writer *writer, struct entry *entry,
                              struct sl_error *err)
{
    if (entry->data_size <= PLAIN_BLOCK) return SL_OK;
    if (!writer->compressor) writer->compressor = libdeflate_alloc_compressor(COMPRESSION_LEVEL);
    if (!writer->compressor) return sl_fail(err, SL_ERR_NOMEM, "not enough memory to deflate");
    size_t room = entry->data_size - PLAIN_BLOCK;
    void *packed = sl_data_alloc(room, 1, err);
    if (!packed) return SL_ERR_NOMEM;
    entry->deflated_size = libdeflate_deflate_compress(writer->compressor, entry->data,
                                                       entry->data_size, packed, room);
    if (entry->deflated_size > 0)
        entry->deflated = packed;
    else
        free(packed);
    return SL_OK;
}

/* The local record and the header of the array. */
static enum sl_status write_local(struct sl_npz_writer *writer, struct entry *entry,
                                  struct sl_error *err)
{
    struct sl_buffer local;
    sl_buffer_init(&local, RECORD_BYTES);
    entry->offset = writer->file.offset;
    format_local(writer, entry, &local);
    writer->broken = true;
    const enum sl_status status = sl_writer_write(&writer->file, local.data, local.length, err);
    sl_buffer_release(&local);
    return status;
}

/* The directory's record, once the data are written. */
static enum sl_status list_entry(struct sl_npz_writer *writer, const struct entry *entry,
                                 struct sl_error *err)
{
    format_central(writer, entry, &writer->directory);
    SL_TRY(sl_buffer_check(&writer->directory, "the directory of the archive", err));
    writer->names = sl_resize(writer->names, writer->n_names + 1, sizeof *writer->names);
    writer->names[writer->n_names++] =
        sl_string_copy_n(entry->name, strlen(entry->name) - strlen(".npy"));
    writer->broken = false;
    return SL_OK;
}

static enum sl_status write_entry(struct sl_npz_writer *writer, struct entry *entry,
                                  struct sl_error *err)
{
    SL_TRY(write_local(writer, entry, err));
    if (entry->deflated)
        SL_TRY(sl_writer_write(&writer->file, entry->deflated, entry->deflated_size, err));
    else
        SL_TRY(sl_writer_write(&writer->file, entry->data, entry->data_size, err));
    return list_entry(writer, entry, err);
}

/* An entry with the CRC of its header. */
static struct entry entry_of(const char *name, const struct sl_array *array)
{
    struct entry entry = {.name = sl_string_printf("%s.npy", name),
                          .data = array->data,
                          .data_size = sl_array_count(array) * array->item_size};
    sl_buffer_init(&entry.header, HEADER_BYTES);
    sl_npy_header_format(array, SL_ORDER_C, &entry.header);
    entry.crc = libdeflate_crc32(0, entry.header.data, entry.header.length);
    return entry;
}

enum sl_status sl_npz_writer_add(struct sl_npz_writer *writer, const char *name,
                                 const struct sl_array *array, struct sl_error *err)
{
    SL_TRY(check_name(writer, name, err));
    struct entry entry = entry_of(name, array);
    entry.crc = libdeflate_crc32(entry.crc, entry.data, entry.data_size);
    enum sl_status status = SL_OK;
    if (writer->packing == SL_NPZ_DEFLATED) status = deflate(writer, &entry, err);
    if (status == SL_OK) status = write_entry(writer, &entry, err);
    entry_release(&entry);
    return status;
}

enum sl_status sl_npz_writer_begin(struct sl_npz_writer *writer, const char *name,
                                   const struct sl_array *array, struct sl_error *err)
{
    assert(writer->packing == SL_NPZ_STORED && !writer->open);
    SL_TRY(check_name(writer, name, err));
    writer->open = sl_alloc(1, sizeof *writer->open);
    *writer->open = entry_of(name, array);
    writer->missing = writer->open->data_size;
    return write_local(writer, writer->open, err);
}

enum sl_status sl_npz_writer_append(struct sl_npz_writer *writer, const void *bytes, size_t length,
                                    struct sl_error *err)
{
    assert(writer->open && length <= writer->missing);
    writer->open->crc = libdeflate_crc32(writer->open->crc, bytes, length);
    writer->missing -= length;
    return sl_writer_write(&writer->file, bytes, length, err);
}

enum sl_status sl_npz_writer_end(struct sl_npz_writer *writer, struct sl_error *err)
{
    struct entry *entry = writer->open;
    unsigned char crc[4];
    assert(entry && writer->missing == 0);
    for (size_t i = 0; i < sizeof crc; i++)
        crc[i] = (unsigned char)(entry->crc >> (8 * i) & 0xFF);
    SL_TRY(sl_writer_patch(&writer->file, entry->offset + CRC_OFFSET, crc, sizeof crc, err));
    SL_TRY(list_entry(writer, entry, err));
    entry_release(entry);
    free(entry);
    writer->open = NULL;
    return SL_OK;
}

static void format_end(const struct sl_npz_writer *writer, struct sl_buffer *out)
{
    const uint64_t offset = writer->file.offset, size = writer->directory.length;
    const uint64_t count = writer->n_names;
    bool wide = offset >= writer->zip64_from || count >= SL_ZIP_FULL16;
    if (wide) {
        put_number(out, SL_ZIP_END64, 4);
        put_number(out, SL_ZIP_END64_SIZE - 12, 8); /* without these first two fields */
        put_number(out, VERSION_ZIP64, 2);
        put_number(out, VERSION_ZIP64, 2);
        put_number(out, 0, 8); /* disks */
        put_number(out, count, 8);
        put_number(out, count, 8);
        put_number(out, size, 8);
        put_number(out, offset, 8);
        put_number(out, SL_ZIP_LOCATOR64, 4);
        put_number(out, 0, 4);
        put_number(out, offset + size, 8);
        put_number(out, 1, 4);
    }
    put_number(out, SL_ZIP_END, 4);
    put_number(out, 0, 4); /* disks */
    put_number(out, wide ? SL_ZIP_FULL16 : count, 2);
    put_number(out, wide ? SL_ZIP_FULL16 : count, 2);
    put_number(out, wide ? SL_ZIP_FULL32 : size, 4);
    put_number(out, wide ? SL_ZIP_FULL32 : offset, 4);
    put_number(out, 0, 2); /* no comment */
}

enum sl_status sl_npz_writer_commit(struct sl_npz_writer *writer, struct sl_error *err)
{
    if (writer->broken)
        return sl_fail(err, SL_ERR_USAGE, "%s: an earlier array could not be written",
                       writer->file.path);
    struct sl_buffer end;
    sl_buffer_init(&end, HEADER_BYTES);
    format_end(writer, &end);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        sl_writer_write(&writer->file, writer->directory.data, writer->directory.length, err));
    SL_TRY_OUT(sl_writer_write(&writer->file, end.data, end.length, err));
    SL_TRY_OUT(sl_writer_commit(&writer->file, err));
out:
    sl_buffer_release(&end);
    return status;
}
