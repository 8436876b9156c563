/* Private to answer/votes/: answers.slb, votes as they are in memory, for files that are read many
 * times.
 *
 * Everything is little-endian. A header of 320 bytes: the magic, the four counts, the file's
 * length, then for each section its offset, its length and its CRC-32, then the CRC-32 of the
 * header up to there. Sections begin at multiples of 64 in the order of the enum below. */
#ifndef SOFTLAB_ANSWER_VOTES_SLB_H
#define SOFTLAB_ANSWER_VOTES_SLB_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/base/file.h"

_Static_assert(sizeof(size_t) == sizeof(uint64_t) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the arrays of a file are used as they are");

enum sl_slb_section {
    SL_SLB_ITEM_OFFSETS,
    SL_SLB_ITEM_NAMES,
    SL_SLB_ANNOTATOR_OFFSETS,
    SL_SLB_ANNOTATOR_NAMES,
    SL_SLB_CLASS_OFFSETS,
    SL_SLB_CLASS_NAMES,
    SL_SLB_BEGIN,
    SL_SLB_ANNOTATOR,
    SL_SLB_LABEL,
    SL_SLB_SECTIONS
};

enum { SL_SLB_ALIGNMENT = 64, SL_SLB_HEADER_BYTES = 320 };

struct sl_slb_place {
    uint64_t offset, length;
    uint32_t crc, zero;
};

struct sl_slb_header {
    char magic[8];
    uint64_t n_items, n_annotators, n_classes, count, file_length;
    struct sl_slb_place sections[SL_SLB_SECTIONS];
    uint32_t crc; /* of all before */
    uint32_t zeros[13];
};
_Static_assert(sizeof(struct sl_slb_header) == SL_SLB_HEADER_BYTES, "the header has no holes");

uint32_t sl_slb_header_crc(const struct sl_slb_header *header);

/* ---- slb_write.c ---- */

/* A file that is written section by section, in their order; its content need not be in memory.
 *
 *     sl_slb_writer_open
 *     sl_slb_writer_put as often as wanted, then sl_slb_writer_end: once for each section
 *     sl_slb_writer_commit, with the counts of the header
 *     sl_slb_writer_discard in any case
 */
struct sl_slb_writer {
    struct sl_writer file;
    struct sl_slb_place sections[SL_SLB_SECTIONS]; /* up to the one being written */
    enum sl_slb_section section;
    unsigned char *pending; /* owned; small pieces that are not written yet */
    size_t n_pending;
};
enum sl_status sl_slb_writer_open(struct sl_slb_writer *writer, const char *path,
                                  struct sl_error *err) SL_MUST_USE;
enum sl_status sl_slb_writer_put(struct sl_slb_writer *writer, const void *bytes, size_t length,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_slb_writer_end(struct sl_slb_writer *writer, struct sl_error *err) SL_MUST_USE;
/* The two sections of a table of names, the offsets first. */
enum sl_status sl_slb_writer_names(struct sl_slb_writer *writer, const struct sl_name_table *names,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_slb_writer_commit(struct sl_slb_writer *writer, const struct sl_votes_size *size,
                                    struct sl_error *err) SL_MUST_USE;
void sl_slb_writer_discard(struct sl_slb_writer *writer);

#endif
