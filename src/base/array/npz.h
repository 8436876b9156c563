/* Zip as .npz needs it (APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3): the records that the reader
 * and the writer share. Private to base/array/. */
#ifndef SOFTLAB_BASE_ARRAY_NPZ_H
#define SOFTLAB_BASE_ARRAY_NPZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/file/source.h"
#include "softlab/base/array.h"
#include "softlab/base/memory.h"

enum {
    SL_ZIP_LOCAL = 0x04034b50,
    SL_ZIP_CENTRAL = 0x02014b50,
    SL_ZIP_END = 0x06054b50,
    SL_ZIP_END64 = 0x06064b50,
    SL_ZIP_LOCATOR64 = 0x07064b50,
};
enum {
    SL_ZIP_LOCAL_SIZE = 30,
    SL_ZIP_CENTRAL_SIZE = 46,
    SL_ZIP_END_SIZE = 22,
    SL_ZIP_END64_SIZE = 56,
    SL_ZIP_LOCATOR64_SIZE = 20,
};
enum { SL_ZIP_STORED = 0, SL_ZIP_DEFLATED = 8 };
enum { SL_ZIP_ENCRYPTED = 1, SL_ZIP_STRONG_ENCRYPTION = 0x40, SL_ZIP_UTF8 = 0x800 };
enum { SL_ZIP_EXTRA64 = 1 };

/* This value in a record means "see the zip64 field". */
#define SL_ZIP_FULL16 0xFFFFu
#define SL_ZIP_FULL32 0xFFFFFFFFu

static inline unsigned sl_get16(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static inline uint32_t sl_get32(const unsigned char *at)
{
    return sl_get16(at) | (uint32_t)sl_get16(at + 2) << 16;
}

static inline uint64_t sl_get64(const unsigned char *at)
{
    return sl_get32(at) | (uint64_t)sl_get32(at + 4) << 32;
}

struct sl_npz_entry {
    const char *file_name; /* borrowed from the arena */
    const char *name;      /* without ".npy"; NULL for another file */
    uint64_t offset;       /* of the local header */
    uint64_t limit;        /* where the next entry or the directory begins */
    uint64_t packed, size;
    uint32_t crc;
    unsigned method, flags;
};

struct sl_npz {
    char *path; /* owned */
    struct sl_source source;
    struct sl_arena names;
    struct sl_npz_entry *entries; /* owned; in the directory's order */
    size_t n_entries;
    struct sl_npz_entry **arrays; /* owned; the .npy entries in the directory's order */
    struct sl_npz_entry **sorted; /* owned; the same by name */
    size_t n_arrays;
    struct libdeflate_decompressor *decompressor; /* owned; made at the first use */
};

/* The array called `name`, borrowed, or NULL. */
const struct sl_npz_entry *sl_npz_find(const struct sl_npz *npz, const char *name);

/* Write zip64 records from this size on instead of from 4 GiB, so that tests need no file of 4
 * GiB. */
void sl_npz_writer_set_zip64(struct sl_npz_writer *writer, uint64_t from);

#endif
