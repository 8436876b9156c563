/* Names are found in groups by a hash, so that the table of one group is in memory at a time. Each
 * group takes a pass over the names of all sets. */
#define _DEFAULT_SOURCE /* MAP_SHARED beside a name that is gone */
#include "answer/votes/join_items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "answer/answer_internal.h"
#include "answer/votes/votes.h"
#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"

/* RESIDUES: the smallest share of the names that a group can have is one of them. NAME_BYTES: what
 * a name takes beside its text. */
enum { RESIDUES = 256, NAME_BYTES = 40, BATCH = 64, WORD = 64, BLOCK = 8 };

/* The names of a group, and the place where each was seen first. */
struct group {
    struct sl_join_items *items;
    struct sl_name_table *names; /* owned */
    uint32_t *places;            /* owned; by the numbers of the names */
    size_t n_places, capacity;
    unsigned begin, end; /* residues */
};

/* ---- Room ---- */

/* The file has all its blocks, so that a full disk is noticed here and not by a signal later. */
static enum sl_status map_file(struct sl_join_items *items, size_t bytes, const char *path,
                               struct sl_error *err)
{
    char *name = sl_string_printf("%s.%ld-items.tmp", path, (long)getpid());
    sl_temporary_add(name);
    const int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum sl_status status = file < 0 ? sl_fail_errno(err, "%s", name) : SL_OK;
    if (file >= 0) {
        const int refused = posix_fallocate(file, 0, (off_t)bytes);
        void *mapped =
            refused ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (refused) errno = refused;
        if (mapped == MAP_FAILED) {
            status = sl_fail_errno(err, "%s", name);
        } else {
            items->number = mapped;
            items->mapped = bytes;
        }
        (void)unlink(name);
        close(file);
    }
    sl_temporary_drop(name);
    free(name);
    return status;
}

static enum sl_status make_room(struct sl_join_items *items, size_t memory, const char *path,
                                struct sl_error *err)
{
    const size_t bytes = (items->n_places + 1) * sizeof *items->number;
    items->came = sl_data_zeroed(items->n_places / WORD + 1, sizeof *items->came, err);
    if (!items->came) return SL_ERR_NOMEM;
    if (bytes > memory) return map_file(items, bytes, path, err);
    items->number = sl_data_alloc(bytes, 1, err);
    return items->number ? SL_OK : SL_ERR_NOMEM;
}

void sl_join_items_release(struct sl_join_items *items)
{
    free(items->first);
    free(items->first_new);
    free(items->came);
    if (items->mapped > 0)
        munmap(items->number, items->mapped);
    else
        free(items->number);
    *items = (struct sl_join_items){0};
}

/* ---- Groups ---- */

static bool is_in_group(const struct group *group, const struct sl_field *name)
{
    if (group->end - group->begin == RESIDUES) return true;
    const unsigned residue = sl_crc32(0, name->text, name->length) % RESIDUES;
    return residue >= group->begin && residue < group->end;
}

/* A few names at once, which the table finds faster than one after another. */
struct batch {
    struct sl_field names[BATCH];
    uint32_t places[BATCH];
    size_t count;
};

static enum sl_status take_batch(struct group *group, struct batch *batch, struct sl_error *err)
{
    uint32_t numbers[BATCH];
    SL_TRY(sl_name_table_add_many(group->names, batch->names, batch->count, numbers, err));
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t place = batch->places[i];
        if (numbers[i] < group->n_places) {
            group->items->came[place / WORD] |= (uint64_t)1 << place % WORD;
            group->items->number[place] = group->places[numbers[i]];
            continue;
        }
        SL_TRY(sl_data_reserve(&group->places, group->n_places + 1, &group->capacity,
                               sizeof *group->places, err));
        group->places[group->n_places++] = place;
    }
    batch->count = 0;
    return SL_OK;
}

static enum sl_status take_set(struct group *group, const struct sl_votes *votes, size_t first,
                               struct sl_error *err)
{
    struct batch batch = {.count = 0};
    for (size_t i = 0; i < votes->n_items; i++) {
        struct sl_field name;
        name.text = sl_name_table_get(votes->items, (uint32_t)i, &name.length);
        if (is_in_group(group, &name)) {
            batch.names[batch.count] = name;
            batch.places[batch.count++] = (uint32_t)(first + i);
        }
        if (batch.count == BATCH) SL_TRY(take_batch(group, &batch, err));
        sl_votes_pass_behind(votes,
                             i); /* texts of the batch are read again where they are needed */
    }
    return take_batch(group, &batch, err);
}

static size_t bytes_of(const struct sl_name_table *names)
{
    const struct sl_name_pool pool = sl_name_table_pool(names);
    return pool.length + pool.count * NAME_BYTES;
}

/* How many residues of names are likely to fit. */
static unsigned next_residues(const struct group *group, size_t memory)
{
    const size_t each = bytes_of(group->names) / (group->end - group->begin) + 1;
    return memory / each >= RESIDUES ? RESIDUES : memory / each > 1 ? (unsigned)(memory / each) : 1;
}

/* If all names could be too many, the first group has one residue, which shows how many differ. */
static enum sl_status find_places(struct sl_join_items *items, struct sl_votes *const *votes,
                                  size_t memory, struct sl_error *err)
{
    struct group group = {.items = items, .names = sl_name_table_create()};
    size_t bytes = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < items->n_sets; i++)
        bytes += bytes_of(votes[i]->items);
    unsigned residues = bytes > memory ? 1 : RESIDUES;
    while (group.end < RESIDUES) {
        group.begin = group.end;
        group.end = residues < RESIDUES - group.begin ? group.begin + residues : RESIDUES;
        for (size_t i = 0; i < items->n_sets; i++)
            SL_TRY_OUT(take_set(&group, votes[i], items->first[i], err));
        residues = next_residues(&group, memory);
        sl_name_table_clear(group.names);
        group.n_places = 0;
    }
out:
    sl_name_table_destroy(group.names);
    free(group.places);
    return status;
}

/* ---- Numbers ---- */

/* The items that are new before each block of words. */
static enum sl_status count_new(const struct sl_join_items *items, uint32_t **out,
                                struct sl_error *err)
{
    const size_t n_words = items->n_places / WORD + 1;
    uint32_t *before = sl_data_alloc(n_words / BLOCK + 1, sizeof *before, err), count = 0;
    if (!before) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_words; i++) {
        if (i % BLOCK == 0) before[i / BLOCK] = count;
        count += (uint32_t)(WORD - __builtin_popcountll(items->came[i]));
    }
    *out = before;
    return SL_OK;
}

static uint32_t number_at(const struct sl_join_items *items, const uint32_t *before, size_t place)
{
    const size_t word = place / WORD;
    uint32_t number = before[word / BLOCK];
    for (size_t i = word / BLOCK * BLOCK; i < word; i++)
        number += (uint32_t)(WORD - __builtin_popcountll(items->came[i]));
    const uint64_t earlier = ((uint64_t)1 << place % WORD) - 1;
    return number + (uint32_t)__builtin_popcountll(~items->came[word] & earlier);
}

/* First places become numbers. */
static enum sl_status number_places(struct sl_join_items *items, struct sl_error *err)
{
    uint32_t *before = NULL;
    SL_TRY(count_new(items, &before, err));
    for (size_t place = 0; place < items->n_places; place++)
        if (sl_join_came(items, place))
            items->number[place] = number_at(items, before, items->number[place]);
    for (size_t i = 0; i <= items->n_sets; i++)
        items->first_new[i] = number_at(items, before, items->first[i]);
    items->n_items = items->first_new[items->n_sets];
    free(before);
    return SL_OK;
}

enum sl_status sl_join_items_find(struct sl_votes *const *votes, size_t count, size_t memory,
                                  const char *path, struct sl_join_items *out, struct sl_error *err)
{
    struct sl_join_items items = {.n_sets = count,
                                  .first = sl_alloc(count + 1, sizeof *items.first),
                                  .first_new = sl_alloc(count + 1, sizeof *items.first_new)};
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++)
        items.first[i + 1] = items.first[i] + votes[i]->n_items;
    items.n_places = items.first[count];
    if (items.n_places >= SL_NO_NAME)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: its parts have %zu items together, expected less than %u: make "
                           "larger parts, or sort the answers by item",
                           path, items.n_places, SL_NO_NAME));
    SL_TRY_OUT(make_room(&items, memory, path, err));
    SL_TRY_OUT(find_places(&items, votes, memory, err));
    SL_TRY_OUT(number_places(&items, err));
    *out = items;
    return SL_OK;
out:
    sl_join_items_release(&items);
    return status;
}
