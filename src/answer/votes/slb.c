/* Reading answers.slb (slb.h). */
/* For madvise: POSIX's own advice to drop pages does nothing in glibc. */
#define _DEFAULT_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "answer/answer_internal.h"
#include "answer/votes/slb.h"
#include "answer/votes/votes.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

const char sl_slb_magic[8] = "SLBANSW1";

static const char *const section_names[SL_SLB_SECTIONS] = {
    [SL_SLB_ITEM_OFFSETS] = "item offsets",
    [SL_SLB_ITEM_NAMES] = "item names",
    [SL_SLB_ANNOTATOR_OFFSETS] = "annotator offsets",
    [SL_SLB_ANNOTATOR_NAMES] = "annotator names",
    [SL_SLB_CLASS_OFFSETS] = "class offsets",
    [SL_SLB_CLASS_NAMES] = "class names",
    [SL_SLB_BEGIN] = "begin",
    [SL_SLB_ANNOTATOR] = "annotator",
    [SL_SLB_LABEL] = "label",
};

/* What stays in memory while a streamed file is checked. */
enum { STEP_BYTES = 1 << 24, STEP_ITEMS = 1 << 20 };

static enum sl_status check_header(const struct sl_slb_bytes *file,
                                   const struct sl_slb_header *header, struct sl_error *err)
{
    if (memcmp(header->magic, sl_slb_magic, sizeof sl_slb_magic) != 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: does not begin with \"SLBANSW1\"", file->name);
    if (file->sums && header->crc != sl_slb_header_crc(header))
        return sl_fail(err, SL_ERR_INPUT, "%s: header: the checksum is wrong; the file is damaged",
                       file->name);
    if (header->file_length != file->length)
        return sl_fail(err, SL_ERR_INPUT, "%s: has %zu bytes, its header says %llu", file->name,
                       file->length, (unsigned long long)header->file_length);
    if (header->n_items >= SL_NO_NAME || header->n_annotators >= SL_NO_NAME ||
        header->n_classes == 0 || header->n_classes > SL_VOTES_CLASSES ||
        header->count > file->length)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: header: impossible counts: items %llu, annotators %llu, classes %llu, "
                       "answers %llu",
                       file->name, (unsigned long long)header->n_items,
                       (unsigned long long)header->n_annotators,
                       (unsigned long long)header->n_classes, (unsigned long long)header->count);
    return SL_OK;
}

/* The bytes a section must have, or UINT64_MAX for names, whose offsets tell. */
static uint64_t expected_length(const struct sl_slb_header *header, enum sl_slb_section section)
{
    switch (section) {
    case SL_SLB_ITEM_OFFSETS: return (header->n_items + 1) * sizeof(uint32_t);
    case SL_SLB_ANNOTATOR_OFFSETS: return (header->n_annotators + 1) * sizeof(uint32_t);
    case SL_SLB_CLASS_OFFSETS: return (header->n_classes + 1) * sizeof(uint32_t);
    case SL_SLB_BEGIN: return (header->n_items + 1) * sizeof(uint64_t);
    case SL_SLB_ANNOTATOR: return header->count * sizeof(uint32_t);
    case SL_SLB_LABEL: return header->count * sizeof(uint16_t);
    case SL_SLB_ITEM_NAMES:
    case SL_SLB_ANNOTATOR_NAMES:
    case SL_SLB_CLASS_NAMES:
    case SL_SLB_SECTIONS: break;
    }
    return UINT64_MAX;
}

/* Take a range of a mapping out of memory, but for pages that it shares with its neighbours. The
 * next read brings them back from the file. */
static void drop(const void *begin, const void *end)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)begin + page - 1) / page * page;
    const uintptr_t last = (uintptr_t)end / page * page;
    void *start;
    memcpy(&start, &first, sizeof start);
    if (last > first) (void)madvise(start, last - first, MADV_DONTNEED); /* only advice */
}

static uint32_t section_crc(const struct sl_slb_bytes *file, const struct sl_slb_place *place)
{
    const unsigned char *at = file->bytes + place->offset, *end = at + place->length;
    uint32_t crc = 0;
    while (at < end) {
        const size_t left = (size_t)(end - at);
        const size_t step = file->stream && left > STEP_BYTES ? STEP_BYTES : left;
        crc = sl_crc32(crc, at, step);
        if (file->stream) drop(at, at + step);
        at += step;
    }
    return crc;
}

static enum sl_status check_section(const struct sl_slb_bytes *file,
                                    const struct sl_slb_header *header, enum sl_slb_section section,
                                    struct sl_error *err)
{
    const struct sl_slb_place *place = &header->sections[section];
    const char *name = section_names[section];
    const uint64_t expected = expected_length(header, section);
    if (place->offset % SL_SLB_ALIGNMENT != 0 || place->offset < SL_SLB_HEADER_BYTES ||
        place->offset > file->length || place->length > file->length - place->offset)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: section \"%s\" of %llu bytes at byte %llu is not within the file",
                       file->name, name, (unsigned long long)place->length,
                       (unsigned long long)place->offset);
    if (expected != UINT64_MAX && place->length != expected)
        return sl_fail(err, SL_ERR_INPUT, "%s: section \"%s\" has %llu byte%s, expected %llu",
                       file->name, name, (unsigned long long)place->length,
                       sl_text_plural(place->length, "", "s"), (unsigned long long)expected);
    if (file->sums && section_crc(file, place) != place->crc)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: section \"%s\": the checksum is wrong; the file is damaged", file->name,
                       name);
    return SL_OK;
}

/* The mapping is read-only, but the pointers cannot say so. */
static void *section_data(const struct sl_slb_bytes *file, const struct sl_slb_header *header,
                          enum sl_slb_section section)
{
    const void *data = file->bytes + header->sections[section].offset;
    void *borrowed;
    memcpy(&borrowed, &data, sizeof borrowed);
    return borrowed;
}

static void drop_names(const struct sl_name_pool *pool, size_t first, size_t last)
{
    drop(pool->text + pool->offsets[first], pool->text + pool->offsets[last]);
    drop(pool->offsets + first, pool->offsets + last);
}

void sl_votes_pass(const struct sl_votes *votes, size_t begin, size_t end)
{
    if (!votes->mapping || !votes->mapping->stream) return;
    const size_t first = votes->begin[begin], last = votes->begin[end];
    const struct sl_name_pool items = sl_name_table_pool(votes->items);
    drop(votes->annotator + first, votes->annotator + last);
    drop(votes->label + first, votes->label + last);
    drop(votes->begin + begin, votes->begin + end);
    drop_names(&items, begin, end);
}

uint32_t sl_votes_checksum(const struct sl_votes *votes)
{
    return votes->mapping ? votes->mapping->checksum : 0;
}

static enum sl_status open_names(const struct sl_slb_bytes *file,
                                 const struct sl_slb_header *header, enum sl_slb_section offsets,
                                 size_t count, struct sl_name_table **out, struct sl_error *err)
{
    const enum sl_slb_section names = offsets + 1;
    const struct sl_name_pool pool = {.text = section_data(file, header, names),
                                      .offsets = section_data(file, header, offsets),
                                      .length = (size_t)header->sections[names].length,
                                      .count = count};
    enum sl_status status = SL_OK;
    size_t first = 0;
    do { /* once if there are no names */
        const size_t last = file->stream && count - first > STEP_ITEMS ? first + STEP_ITEMS : count;
        status = sl_name_pool_check(&pool, first, last, section_names[names], err);
        if (status == SL_OK && file->stream) drop_names(&pool, first, last);
        first = last;
    } while (status == SL_OK && first < count);
    if (status != SL_OK) return sl_fail_within(err, status, "%s", file->name);
    *out = sl_name_table_borrow_checked(&pool);
    return SL_OK;
}

static enum sl_status fail_value(const struct sl_slb_bytes *file, enum sl_slb_section section,
                                 size_t at, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT, "%s: section \"%s\": element %zu is out of range", file->name,
                   section_names[section], at);
}

static enum sl_status check_begin(const struct sl_slb_bytes *file, const struct sl_votes *votes,
                                  size_t first, size_t last, struct sl_error *err)
{
    bool wrong = false;
    for (size_t i = first; i < last; i++)
        wrong |= votes->begin[i] > votes->begin[i + 1];
    if (!wrong && votes->begin[0] == 0 && votes->begin[votes->n_items] == votes->count &&
        votes->begin[last] <= votes->count)
        return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: section \"%s\": expected ascending values from 0 to %zu",
                   file->name, section_names[SL_SLB_BEGIN], votes->count);
}

/* Even with right checksums no index may point outside. The loops have no branches, so they run at
 * memory speed; the wrong element is searched for only if there is one. */
static enum sl_status check_answers(const struct sl_slb_bytes *file, const struct sl_votes *votes,
                                    size_t first, size_t last, struct sl_error *err)
{
    bool wrong = false;
    const uint32_t n_annotators = (uint32_t)votes->n_annotators;
    for (size_t i = first; i < last; i++)
        wrong |= (votes->annotator[i] >= n_annotators) & (votes->annotator[i] != SL_NO_NAME);
    for (size_t i = first; i < last && wrong; i++)
        if (votes->annotator[i] >= n_annotators && votes->annotator[i] != SL_NO_NAME)
            return fail_value(file, SL_SLB_ANNOTATOR, i, err);
    uint16_t largest = 0;
    for (size_t i = first; i < last; i++)
        largest = votes->label[i] > largest ? votes->label[i] : largest;
    for (size_t i = first; i < last && largest >= votes->n_classes; i++)
        if (votes->label[i] >= votes->n_classes) return fail_value(file, SL_SLB_LABEL, i, err);
    return SL_OK;
}

/* All items at once, or window after window of a streamed file. */
static enum sl_status check_values(const struct sl_slb_bytes *file, const struct sl_votes *votes,
                                   struct sl_error *err)
{
    size_t first = 0;
    do { /* once if there are no items */
        const size_t left = votes->n_items - first;
        const size_t last = first + (file->stream && left > STEP_ITEMS ? STEP_ITEMS : left);
        SL_TRY(check_begin(file, votes, first, last, err));
        SL_TRY(check_answers(file, votes, votes->begin[first], votes->begin[last], err));
        sl_votes_pass(votes, first, last);
        first = last;
    } while (first < votes->n_items);
    return SL_OK;
}

static enum sl_status read_classes(const struct sl_slb_bytes *file,
                                   const struct sl_slb_header *header, struct sl_votes *votes,
                                   struct sl_error *err)
{
    struct sl_name_table *names = NULL;
    SL_TRY(open_names(file, header, SL_SLB_CLASS_OFFSETS, votes->n_classes, &names, err));
    const struct sl_vote_labels labels = {.names = names, .sorted = true};
    enum sl_status status = sl_votes_set_classes(votes, &labels, NULL, file->name, err);
    sl_name_table_destroy(names);
    return status;
}

static enum sl_status parse(const struct sl_slb_bytes *file, const struct sl_slb_header *header,
                            struct sl_votes *votes, struct sl_error *err)
{
    for (unsigned i = 0; i < SL_SLB_SECTIONS; i++)
        SL_TRY(check_section(file, header, (enum sl_slb_section)i, err));
    votes->n_items = (size_t)header->n_items;
    votes->n_annotators = (size_t)header->n_annotators;
    votes->n_classes = (size_t)header->n_classes;
    votes->count = (size_t)header->count;
    votes->begin = section_data(file, header, SL_SLB_BEGIN);
    votes->annotator = section_data(file, header, SL_SLB_ANNOTATOR);
    votes->label = section_data(file, header, SL_SLB_LABEL);
    SL_TRY(open_names(file, header, SL_SLB_ITEM_OFFSETS, votes->n_items, &votes->items, err));
    SL_TRY(check_values(file, votes, err));
    SL_TRY(open_names(file, header, SL_SLB_ANNOTATOR_OFFSETS, votes->n_annotators,
                      &votes->annotators, err));
    return read_classes(file, header, votes, err);
}

enum sl_status sl_slb_parse(const struct sl_slb_bytes *file, struct sl_votes **out,
                            struct sl_error *err)
{
    struct sl_slb_header header;
    if (file->length < sizeof header)
        return sl_fail(err, SL_ERR_INPUT, "%s: has %zu byte%s, expected a header of %d", file->name,
                       file->length, sl_text_plural(file->length, "", "s"), SL_SLB_HEADER_BYTES);
    memcpy(&header, file->bytes, sizeof header);
    SL_TRY(check_header(file, &header, err));
    struct sl_votes *votes = sl_alloc(1, sizeof *votes);
    votes->mapping = sl_alloc(1, sizeof *votes->mapping);
    votes->mapping->checksum = header.crc;
    votes->mapping->stream = file->stream;
    enum sl_status status = parse(file, &header, votes, err);
    if (status == SL_OK)
        *out = votes;
    else
        sl_votes_destroy(votes);
    return status;
}

enum sl_status sl_slb_read(const char *path, bool stream, struct sl_votes **out,
                           struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    struct sl_votes *votes = NULL;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    void *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    enum sl_status status = SL_OK;
    if (bytes == MAP_FAILED) {
        status = sl_fail_errno(err, "%s: cannot be mapped", path);
    } else {
        if (stream) (void)madvise(bytes, size, MADV_SEQUENTIAL); /* only advice */
        const struct sl_slb_bytes file = {
            .bytes = bytes, .length = (size_t)size, .name = path, .sums = true, .stream = stream};
        status = sl_slb_parse(&file, &votes, err);
        if (status != SL_OK) munmap(bytes, size);
    }
    close(descriptor);
    if (status != SL_OK) return status;
    assert(votes); /* a parser that succeeds has made them */
    votes->mapping->bytes = bytes;
    votes->mapping->length = (size_t)size;
    *out = votes;
    return SL_OK;
}

bool sl_votes_size_read(const char *path, struct sl_votes_size *out)
{
    enum sl_answer_file file;
    struct sl_slb_header header;
    int descriptor = -1;
    uint64_t size = 0;
    if (sl_answer_file_look(path, &file, NULL) != SL_OK || file != SL_FILE_SLB) return false;
    if (sl_file_open(path, &descriptor, &size, NULL) != SL_OK) return false;
    const bool read_all = read(descriptor, &header, sizeof header) == (ssize_t)sizeof header;
    close(descriptor);
    const struct sl_slb_bytes bytes = {.length = (size_t)size, .name = path, .sums = true};
    if (!read_all || check_header(&bytes, &header, NULL) != SL_OK) return false;
    *out = (struct sl_votes_size){.bytes = size,
                                  .n_items = (size_t)header.n_items,
                                  .n_annotators = (size_t)header.n_annotators,
                                  .n_classes = (size_t)header.n_classes,
                                  .count = (size_t)header.count};
    return true;
}
