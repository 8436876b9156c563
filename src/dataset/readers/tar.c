#include "dataset/readers/tar.h"

#include <stdio.h>
#include <string.h>

#include "softlab/base/text.h"

enum { BLOCK = 512 };

/* Where a ustar header keeps what we read (POSIX.1-2008, pax, "ustar Interchange Format"). */
enum {
    NAME_AT = 0,
    NAME_SIZE = 100,
    SIZE_AT = 124,
    SIZE_SIZE = 12,
    SUM_AT = 148,
    SUM_SIZE = 8,
    KIND_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX_SIZE = 155,
};

static enum sl_status read_entry(struct sl_stream *stream, void *out, size_t length, size_t *got,
                                 struct sl_error *err)
{
    struct sl_tar *tar = (struct sl_tar *)stream;
    size_t part = length < tar->left ? length : (size_t)tar->left;
    SL_TRY(sl_stream_need(tar->archive, out, part, err));
    tar->left -= part;
    *got = part;
    return SL_OK;
}

void sl_tar_init(struct sl_tar *tar, struct sl_stream *archive)
{
    *tar = (struct sl_tar){.archive = archive};
}

/* Octal digits, padded with blanks or NULs. */
static bool read_octal(const unsigned char *field, size_t size, uint64_t *out)
{
    uint64_t value = 0;
    size_t i = 0;
    while (i < size && field[i] == ' ')
        i++;
    size_t first = i;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        value = value << 3 | (uint64_t)(field[i] - '0'); /* 12 digits are 36 bits */
    if (i == first) return false;
    for (; i < size; i++)
        if (field[i] != ' ' && field[i] != '\0') return false;
    *out = value;
    return true;
}

/* The sum of the header's bytes with the sum's own field read as blanks. */
static bool sum_fits(const unsigned char *header)
{
    uint64_t stated = 0, sum = 0;
    if (!read_octal(header + SUM_AT, SUM_SIZE, &stated)) return false;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_SIZE ? ' ' : header[i];
    return sum == stated;
}

static bool all_zero(const unsigned char *header)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (header[i]) return false;
    return true;
}

static void set_path(struct sl_tar *tar, const unsigned char *header)
{
    const char *name = (const char *)header + NAME_AT;
    const char *prefix = (const char *)header + PREFIX_AT;
    int name_length = (int)strnlen(name, NAME_SIZE);
    int prefix_length = 0;
    /* GNU's own "ustar  " keeps times where POSIX has the prefix. */
    if (memcmp(header + MAGIC_AT, "ustar", 6) == 0)
        prefix_length = (int)strnlen(prefix, PREFIX_SIZE);
    snprintf(tar->path, sizeof tar->path, "%.*s%s%.*s", prefix_length, prefix,
             prefix_length ? "/" : "", name_length, name);
    snprintf(tar->label, sizeof tar->label, "%s: %s", tar->archive->name, tar->path);
}

/* The stated size of an entry, after checking that this is a header and that the archive can hold
 * that much. */
static enum sl_status check_header(const struct sl_stream *archive, uint64_t at,
                                   const unsigned char *header, uint64_t *size,
                                   struct sl_error *err)
{
    if (!sum_fits(header))
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: expected a tar header", archive->name,
                       (unsigned long long)at);
    if (!read_octal(header + SIZE_AT, SIZE_SIZE, size))
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: the tar entry's size is not octal",
                       archive->name, (unsigned long long)at + SIZE_AT);
    if (archive->offset > archive->at_most || *size > archive->at_most - archive->offset)
        return sl_fail(
            err, SL_ERR_INPUT,
            "%s: byte %llu: the tar entry states %llu byte%s, more than the archive can hold",
            archive->name, (unsigned long long)at, (unsigned long long)*size,
            sl_text_plural(*size, "", "s"));
    return SL_OK;
}

enum sl_status sl_tar_next(struct sl_tar *tar, bool *found, struct sl_error *err)
{
    struct sl_stream *archive = tar->archive;
    for (;;) {
        SL_TRY(sl_stream_skip(archive, tar->left + tar->padding, err));
        tar->left = tar->padding = 0;
        unsigned char header[BLOCK] = {0};
        uint64_t at = archive->offset, size = 0;
        size_t got = 0;
        SL_TRY(sl_stream_read(archive, header, BLOCK, &got, err));
        if (got == 0 || (got == BLOCK && all_zero(header))) break;
        SL_TRY(check_header(archive, at, header, &size, err));
        tar->left = size;
        tar->padding = (BLOCK - size % BLOCK) % BLOCK;
        if (header[KIND_AT] != '0' && header[KIND_AT] != '\0') continue;
        set_path(tar, header);
        tar->entry = (struct sl_stream){.name = tar->label, .at_most = size, .read = read_entry};
        *found = true;
        return SL_OK;
    }
    *found = false;
    return SL_OK;
}
