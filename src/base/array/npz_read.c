/* Reading the entries of an .npz. A local header must agree with the directory, and an
 * entry's bytes with its header and its CRC, before an array is handed out. An array's own header
 * is unpacked and checked first, so that a small file cannot claim much memory before it is
 * refused. */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array/npy.h"
#include "base/array/npz.h"
#include "base/array/zip.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Deflate cannot do better: a match of 258 bytes takes at least two bits. */
enum { DEFLATE_RATIO = 1032, DEFLATE_SLACK = 1024 };

/* Bytes per read, small enough for the cache that the CRC reads from. */
enum { CHUNK = 256 * 1024 };

/* One entry to read. */
struct job {
    struct sl_npz *npz;
    const struct sl_npz_entry *entry;
    const char *label; /* "file.npz: name.npy" */
    uint64_t at;       /* of the entry's data */
};

static enum sl_status check_local(const struct job *job, const unsigned char *header,
                                  struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    const unsigned secret = SL_ZIP_ENCRYPTED | SL_ZIP_STRONG_ENCRYPTION;
    unsigned method = sl_get16(header + 8);
    if (sl_get32(header) != SL_ZIP_LOCAL)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: expected a local header", job->label,
                       (unsigned long long)entry->offset);
    if ((entry->flags | sl_get16(header + 6)) & secret)
        return sl_fail(err, SL_ERR_INPUT, "%s: the entry is encrypted", job->label);
    if (entry->method != SL_ZIP_STORED && entry->method != SL_ZIP_DEFLATED)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: compression method %u, expected 0 (stored) or 8 (deflated)", job->label,
                       entry->method);
    if (method != entry->method)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: byte %llu: the local header says method %u, the directory %u",
                       job->label, (unsigned long long)entry->offset, method, entry->method);
    return SL_OK;
}

static enum sl_status check_local_name(const struct job *job, size_t length, struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    bool same = length == strlen(entry->file_name);
    char *name = sl_alloc(length, 1);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        sl_source_read(&job->npz->source, entry->offset + SL_ZIP_LOCAL_SIZE, name, length, err));
    if (!same || memcmp(name, entry->file_name, length) != 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: the local header has another name",
                         job->label, (unsigned long long)entry->offset);
out:
    free(name);
    return status;
}

/* Find the entry's data behind its local header, whose extra field need not be as long
 * as the directory's. */
static enum sl_status locate(struct job *job, struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    unsigned char header[SL_ZIP_LOCAL_SIZE];
    SL_TRY(sl_source_read(&job->npz->source, entry->offset, header, sizeof header, err));
    SL_TRY(check_local(job, header, err));
    uint64_t room = entry->limit - entry->offset - SL_ZIP_LOCAL_SIZE;
    uint64_t skipped = sl_get16(header + 26) + (uint64_t)sl_get16(header + 28);
    if (skipped > room || entry->packed > room - skipped)
        return sl_fail(err, SL_ERR_INPUT, "%s: the entry reaches beyond byte %llu, its end",
                       job->label, (unsigned long long)entry->limit);
    SL_TRY(check_local_name(job, sl_get16(header + 26), err));
    job->at = entry->offset + SL_ZIP_LOCAL_SIZE + skipped;
    return SL_OK;
}

static enum sl_status check_crc(const struct job *job, uint32_t crc, struct sl_error *err)
{
    if (crc == job->entry->crc) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: the data's CRC is %08x, the directory says %08x",
                   job->label, (unsigned)crc, (unsigned)job->entry->crc);
}

/* Read `length` bytes into `out` with their CRC, chunk by chunk. */
static enum sl_status read_with_crc(const struct sl_source *source, uint64_t at, size_t length,
                                    unsigned char *out, uint32_t *crc, struct sl_error *err)
{
    for (size_t done = 0; done < length;) {
        size_t n = length - done < CHUNK ? length - done : CHUNK;
        SL_TRY(sl_source_read(source, at + done, out + done, n, err));
        *crc = libdeflate_crc32(*crc, out + done, n);
        done += n;
    }
    return SL_OK;
}

static enum sl_status read_stored(const struct job *job, const struct sl_npy_header *header,
                                  struct sl_array *out, struct sl_error *err)
{
    const struct sl_source *source = &job->npz->source;
    unsigned char *data = NULL, *head = NULL;
    uint32_t crc = 0;
    enum sl_status status = SL_OK;
    head = sl_alloc(header->header_size, 1);
    SL_TRY_OUT(read_with_crc(source, job->at, header->header_size, head, &crc, err));
    data = sl_data_alloc(header->data_size, 1, err);
    if (!data) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    SL_TRY_OUT(
        read_with_crc(source, job->at + header->header_size, header->data_size, data, &crc, err));
    SL_TRY_OUT(check_crc(job, crc, err));
    status = sl_npy_finish(header, data, job->label, out, err);
    data = NULL;
out:
    free(head);
    free(data);
    return status;
}

/* The first bytes of a deflated entry, unpacked by zlib, since libdeflate only unpacks whole
 * entries. */
struct beginning {
    const struct job *job;
    z_stream inflater;
    uint64_t taken; /* packed bytes that were read */
    unsigned char *bytes;
    size_t length;
    unsigned char input[1024];
};

/* Continue unpacking until `wanted` bytes are there. */
static enum sl_status unpack_to(struct beginning *part, size_t wanted, struct sl_error *err)
{
    const struct job *job = part->job;
    z_stream *inflater = &part->inflater;
    part->bytes = sl_resize(part->bytes, wanted, 1);
    while (part->length < wanted) {
        if (inflater->avail_in == 0) {
            const uint64_t left = job->entry->packed - part->taken;
            const size_t n = left < sizeof part->input ? (size_t)left : sizeof part->input;
            SL_TRY(sl_source_read(&job->npz->source, job->at + part->taken, part->input, n, err));
            part->taken += n;
            inflater->next_in = part->input;
            inflater->avail_in = (uInt)n;
        }
        inflater->next_out = part->bytes + part->length;
        inflater->avail_out = (uInt)(wanted - part->length);
        const int result = inflate(inflater, Z_NO_FLUSH);
        part->length = wanted - inflater->avail_out;
        if (result == Z_MEM_ERROR)
            return sl_fail(err, SL_ERR_NOMEM, "not enough memory to inflate");
        if (result != Z_OK && part->length < wanted)
            return sl_fail(err, SL_ERR_INPUT, "%s: the deflated data are broken (%s)", job->label,
                           result == Z_STREAM_END || result == Z_BUF_ERROR ? "shorter than stated"
                                                                           : "not deflate");
    }
    return SL_OK;
}

/* Read the array's header and check that its data fill the rest of the entry. */
static enum sl_status peek_deflated(const struct job *job, struct sl_npy_header *out,
                                    struct sl_error *err)
{
    const uint64_t size = job->entry->size;
    struct beginning part = {.job = job};
    size_t header_size = 0;
    if (inflateInit2(&part.inflater, -MAX_WBITS) != Z_OK)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory to inflate");
    enum sl_status status = SL_OK;
    SL_TRY_OUT(unpack_to(&part, size < SL_NPY_PREAMBLE ? (size_t)size : SL_NPY_PREAMBLE, err));
    SL_TRY_OUT(sl_npy_header_size(part.bytes, part.length, job->label, &header_size, err));
    if (header_size > part.length && header_size <= size)
        SL_TRY_OUT(unpack_to(&part, header_size, err));
    const struct sl_source source = sl_source_of_memory(part.bytes, part.length, job->label);
    SL_TRY_OUT(sl_npy_header_read(&source, 0, size, job->label, out, err));
out:
    inflateEnd(&part.inflater);
    free(part.bytes);
    return status;
}

static enum sl_status peek_stored(const struct job *job, struct sl_npy_header *out,
                                  struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    return sl_npy_header_read(&job->npz->source, job->at, entry->size, job->label, out, err);
}

/* Inflate the entry into its stated size of bytes. */
static enum sl_status inflate_entry(const struct job *job, unsigned char *out, struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    struct sl_npz *npz = job->npz;
    if (!npz->decompressor) npz->decompressor = libdeflate_alloc_decompressor();
    size_t packed_size = (size_t)entry->packed, used = 0;
    unsigned char *packed = sl_data_alloc(packed_size, 1, err);
    if (!packed) return SL_ERR_NOMEM;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_source_read(&npz->source, job->at, packed, packed_size, err));
    if (!npz->decompressor) {
        status = sl_fail(err, SL_ERR_NOMEM, "not enough memory to inflate");
        goto out;
    }
    /* Without a pointer for the real length, any length other than entry->size is an error. */
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        npz->decompressor, packed, packed_size, out, (size_t)entry->size, &used, NULL);
    if (result != LIBDEFLATE_SUCCESS || used != packed_size)
        status = sl_fail(err, SL_ERR_INPUT, "%s: the deflated data are broken (%s)", job->label,
                         result == LIBDEFLATE_BAD_DATA       ? "not deflate"
                         : result == LIBDEFLATE_SHORT_OUTPUT ? "shorter than stated"
                         : result == LIBDEFLATE_SUCCESS      ? "bytes after the end"
                                                             : "longer than stated");
    else
        status = check_crc(job, libdeflate_crc32(0, out, (size_t)entry->size), err);
out:
    free(packed);
    return status;
}

static enum sl_status read_deflated(const struct job *job, const struct sl_npy_header *header,
                                    struct sl_array *out, struct sl_error *err)
{
    unsigned char *data = sl_data_alloc((size_t)job->entry->size, 1, err);
    if (!data) return SL_ERR_NOMEM;
    enum sl_status status = inflate_entry(job, data, err);
    if (status != SL_OK) {
        free(data);
        return status;
    }
    /* An array's block begins with its data, so that free() can take it. */
    memmove(data, data + header->header_size, header->data_size);
    return sl_npy_finish(header, data, job->label, out, err);
}

static enum sl_status check_packing(const struct job *job, struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    if (entry->method == SL_ZIP_STORED && entry->packed != entry->size)
        return sl_fail(err, SL_ERR_INPUT, "%s: stored in %llu byte%s, expected %llu", job->label,
                       (unsigned long long)entry->packed, sl_text_plural(entry->packed, "", "s"),
                       (unsigned long long)entry->size);
    if (entry->method != SL_ZIP_DEFLATED || entry->size <= DEFLATE_SLACK ||
        (entry->size - DEFLATE_SLACK) / DEFLATE_RATIO <= entry->packed)
        return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: %llu byte%s cannot be deflated to %llu", job->label,
                   (unsigned long long)entry->size, sl_text_plural(entry->size, "", "s"),
                   (unsigned long long)entry->packed);
}

/* `out` gets the data too; without `whole` only the header, and NULL as data. */
static enum sl_status read_entry(struct sl_npz *npz, const char *name, bool whole,
                                 struct sl_array *out, struct sl_error *err)
{
    const struct sl_npz_entry *entry = sl_npz_find(npz, name);
    if (!entry) return sl_fail(err, SL_ERR_NOT_FOUND, "%s: no array called %s", npz->path, name);
    char *label = sl_string_printf("%s: %s", npz->path, entry->file_name);
    struct job job = {.npz = npz, .entry = entry, .label = label};
    const bool stored = entry->method == SL_ZIP_STORED;
    struct sl_npy_header header;
    enum sl_status status;
    SL_TRY_OUT(locate(&job, err));
    SL_TRY_OUT(check_packing(&job, err));
    SL_TRY_OUT(stored ? peek_stored(&job, &header, err) : peek_deflated(&job, &header, err));
    if (whole)
        SL_TRY_OUT(stored ? read_stored(&job, &header, out, err)
                          : read_deflated(&job, &header, out, err));
    else
        *out = header.array;
out:
    free(label);
    return status;
}

enum sl_status sl_npz_read(struct sl_npz *npz, const char *name, struct sl_array *out,
                           struct sl_error *err)
{
    return read_entry(npz, name, true, out, err);
}

enum sl_status sl_npz_peek(struct sl_npz *npz, const char *name, struct sl_array *out,
                           struct sl_error *err)
{
    return read_entry(npz, name, false, out, err);
}

/* ---- Any file of a zip ---- */

static enum sl_status find_file(const struct sl_npz *npz, const char *name,
                                const struct sl_npz_entry **out, struct sl_error *err)
{
    const struct sl_npz_entry *found = NULL;
    for (size_t i = 0; i < npz->n_entries; i++) {
        if (strcmp(sl_path_name(npz->entries[i].file_name), name) != 0) continue;
        if (found)
            return sl_fail(err, SL_ERR_INPUT, "%s: two files are called %s: %s and %s", npz->path,
                           name, found->file_name, npz->entries[i].file_name);
        found = &npz->entries[i];
    }
    if (!found) return sl_fail(err, SL_ERR_NOT_FOUND, "%s: no file called %s", npz->path, name);
    *out = found;
    return SL_OK;
}

static enum sl_status read_file(struct job *job, uint64_t most, unsigned char **out,
                                struct sl_error *err)
{
    const struct sl_npz_entry *entry = job->entry;
    const bool stored = entry->method == SL_ZIP_STORED;
    SL_TRY(locate(job, err));
    SL_TRY(check_packing(job, err));
    if (entry->size > most)
        return sl_fail(err, SL_ERR_INPUT, "%s: %llu bytes, expected at most %llu", job->label,
                       (unsigned long long)entry->size, (unsigned long long)most);
    uint32_t crc = 0;
    unsigned char *bytes = sl_data_alloc((size_t)entry->size, 1, err);
    if (!bytes) return SL_ERR_NOMEM;
    enum sl_status status =
        stored ? read_with_crc(&job->npz->source, job->at, (size_t)entry->size, bytes, &crc, err)
               : inflate_entry(job, bytes, err);
    if (status == SL_OK && stored) status = check_crc(job, crc, err);
    if (status == SL_OK)
        *out = bytes;
    else
        free(bytes);
    return status;
}

enum sl_status sl_zip_read(const char *path, const char *name, uint64_t most, unsigned char **out,
                           size_t *length, struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    char *label = sl_string_printf("%s: %s", path, name);
    struct job job = {.label = label};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    job.npz = npz;
    SL_TRY_OUT(find_file(npz, name, &job.entry, err));
    SL_TRY_OUT(read_file(&job, most, out, err));
    *length = (size_t)job.entry->size;
out:
    sl_npz_close(npz);
    free(label);
    return status;
}
