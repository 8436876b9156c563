/* Writing answers.slb (slb.h). The header is written last, when the checksums are known. */
#include "answer/votes/slb.h"

#include <stdlib.h>
#include <string.h>

#include "answer/votes/votes.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"

enum { PENDING_BYTES = 1 << 16 };

uint32_t sl_slb_header_crc(const struct sl_slb_header *header)
{
    return sl_crc32(0, header, offsetof(struct sl_slb_header, crc));
}

/* ---- Sections ---- */

enum sl_status sl_slb_writer_open(struct sl_slb_writer *writer, const char *path,
                                  struct sl_error *err)
{
    static const char zeros[SL_SLB_HEADER_BYTES];
    *writer = (struct sl_slb_writer){.file = {.descriptor = -1}};
    SL_TRY(sl_writer_open(&writer->file, path, err));
    writer->pending = sl_alloc(PENDING_BYTES, 1);
    writer->sections[0].offset = sizeof zeros;
    return sl_writer_write(&writer->file, zeros, sizeof zeros, err);
}

void sl_slb_writer_discard(struct sl_slb_writer *writer)
{
    sl_writer_discard(&writer->file);
    free(writer->pending);
    writer->pending = NULL;
}

static enum sl_status pass_on(struct sl_slb_writer *writer, const void *bytes, size_t length,
                              struct sl_error *err)
{
    struct sl_slb_place *place = &writer->sections[writer->section];
    place->crc = sl_crc32(place->crc, bytes, length);
    place->length += length;
    return sl_writer_write(&writer->file, bytes, length, err);
}

static enum sl_status flush(struct sl_slb_writer *writer, struct sl_error *err)
{
    const size_t length = writer->n_pending;
    writer->n_pending = 0;
    return pass_on(writer, writer->pending, length, err);
}

enum sl_status sl_slb_writer_put(struct sl_slb_writer *writer, const void *bytes, size_t length,
                                 struct sl_error *err)
{
    if (length > PENDING_BYTES - writer->n_pending) SL_TRY(flush(writer, err));
    if (length > PENDING_BYTES) return pass_on(writer, bytes, length, err);
    if (length > 0) memcpy(writer->pending + writer->n_pending, bytes, length);
    writer->n_pending += length;
    return SL_OK;
}

enum sl_status sl_slb_writer_end(struct sl_slb_writer *writer, struct sl_error *err)
{
    static const char zeros[SL_SLB_ALIGNMENT];
    SL_TRY(flush(writer, err));
    const size_t beyond = (size_t)(writer->file.offset % SL_SLB_ALIGNMENT);
    if (beyond > 0) SL_TRY(sl_writer_write(&writer->file, zeros, sizeof zeros - beyond, err));
    if (++writer->section < SL_SLB_SECTIONS)
        writer->sections[writer->section].offset = writer->file.offset;
    return SL_OK;
}

static enum sl_status put_section(struct sl_slb_writer *writer, const void *bytes, size_t length,
                                  struct sl_error *err)
{
    SL_TRY(sl_slb_writer_put(writer, bytes, length, err));
    return sl_slb_writer_end(writer, err);
}

enum sl_status sl_slb_writer_names(struct sl_slb_writer *writer, const struct sl_name_table *names,
                                   struct sl_error *err)
{
    const struct sl_name_pool pool = sl_name_table_pool(names);
    SL_TRY(put_section(writer, pool.offsets, (pool.count + 1) * sizeof *pool.offsets, err));
    return put_section(writer, pool.text, pool.length, err);
}

enum sl_status sl_slb_writer_commit(struct sl_slb_writer *writer, const struct sl_votes_size *size,
                                    struct sl_error *err)
{
    struct sl_slb_header header = {.n_items = size->n_items,
                                   .n_annotators = size->n_annotators,
                                   .n_classes = size->n_classes,
                                   .count = size->count,
                                   .file_length = writer->file.offset};
    memcpy(header.magic, sl_slb_magic, sizeof header.magic);
    memcpy(header.sections, writer->sections, sizeof header.sections);
    header.crc = sl_slb_header_crc(&header);
    SL_TRY(sl_writer_patch(&writer->file, 0, &header, sizeof header, err));
    return sl_writer_commit(&writer->file, err);
}

/* ---- Votes that are in memory ---- */

static enum sl_status write_votes(struct sl_slb_writer *writer, const struct sl_votes *votes,
                                  const struct sl_name_table *classes, struct sl_error *err)
{
    const struct sl_votes_size size = {.n_items = votes->n_items,
                                       .n_annotators = votes->n_annotators,
                                       .n_classes = votes->n_classes,
                                       .count = votes->count};
    SL_TRY(sl_slb_writer_names(writer, votes->items, err));
    SL_TRY(sl_slb_writer_names(writer, votes->annotators, err));
    SL_TRY(sl_slb_writer_names(writer, classes, err));
    SL_TRY(put_section(writer, votes->begin, (votes->n_items + 1) * sizeof *votes->begin, err));
    SL_TRY(put_section(writer, votes->annotator, votes->count * sizeof *votes->annotator, err));
    SL_TRY(put_section(writer, votes->label, votes->count * sizeof *votes->label, err));
    return sl_slb_writer_commit(writer, &size, err);
}

enum sl_status sl_votes_write_slb(const struct sl_votes *votes, const char *path,
                                  struct sl_error *err)
{
    struct sl_slb_writer writer = {.file = {.descriptor = -1}};
    struct sl_name_table *classes = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_votes_add_classes(votes, classes, err));
    SL_TRY_OUT(sl_slb_writer_open(&writer, path, err));
    SL_TRY_OUT(write_votes(&writer, votes, classes, err));
out:
    sl_slb_writer_discard(&writer);
    sl_name_table_destroy(classes);
    return status;
}
