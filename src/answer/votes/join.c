/* Several sets of votes as one file, which may be larger than memory.
 *
 * 1. Annotators and classes of all sets get common numbers.
 * 2. Items that an earlier set has, too, are found by their names. The names pass through memory in
 *    groups, by a hash, so that one group at a time is there.
 * 3. Each section of the file is written in a walk through all items, in the order in which they
 *    first appear. An item that came back brings its answers from every set that has it.
 *
 * Streamed sets are read from the beginning to the end in each walk, and what was read leaves
 * memory again. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/classes.h"
#include "answer/votes/slb.h"
#include "answer/votes/votes.h"
#include "softlab/base/hash.h"
#include "softlab/base/log.h"
#include "softlab/base/memory.h"

/* NAMES_BYTES: of one group. NAME_BYTES: what a name takes beside its text. WINDOW: items. */
enum { NAMES_BYTES = 1 << 28, NAME_BYTES = 40, WINDOW = 1 << 20, BATCH = 64, CHUNK = 1024 };

/* An item of one of the sets. */
struct place {
    uint32_t set, item;
};

/* The item `first` came back as `again`. */
struct repeat {
    struct place first, again;
};

/* A set and what its numbers are in the file. */
struct set {
    const struct sl_votes *votes; /* borrowed */
    struct sl_numbering annotators;
    uint16_t *class_of; /* owned; n_classes */
    uint64_t *came;     /* owned; a bit per item: an earlier set has it */
};

/* What a walk through the answers knows of an annotator. */
struct last_seen {
    uint32_t item; /* of the file, from 1; 0: none */
    uint32_t turn; /* how often that item had come back */
    bool told;     /* in more than one turn */
};

struct join {
    struct set *sets; /* owned */
    size_t n_sets;
    struct sl_name_table *annotators, *classes; /* owned */
    struct repeat *repeats;                     /* owned; by `first`, then by `again` */
    size_t n_repeats, repeat_capacity;
    struct sl_votes_size size;
    uint64_t name_bytes; /* of all items */
    const char *output;  /* borrowed */
    const struct sl_import_options *options;
    struct sl_slb_writer writer;
    uint64_t written;       /* in the current walk: bytes of names, or answers */
    struct last_seen *seen; /* owned; by annotator; NULL: nobody is looked for */
    struct last_seen now;
};

static bool has_come(const struct set *set, size_t item)
{
    return set->came[item / 64] >> item % 64 & 1;
}

/* ---- Common numbers ---- */

static enum sl_status add_classes(const struct sl_votes *votes, struct sl_name_table *to,
                                  struct sl_error *err)
{
    uint32_t number = 0;
    for (size_t i = 0; i < votes->n_classes; i++)
        SL_TRY(sl_name_table_add(to, votes->classes[i], strlen(votes->classes[i]), &number, err));
    return SL_OK;
}

static bool have_same_classes(const struct join *join)
{
    const struct sl_votes *first = join->sets[0].votes;
    for (size_t i = 1; i < join->n_sets; i++) {
        const struct sl_votes *votes = join->sets[i].votes;
        if (votes->n_classes != first->n_classes) return false;
        for (size_t k = 0; k < first->n_classes; k++)
            if (strcmp(votes->classes[k], first->classes[k]) != 0) return false;
    }
    return true;
}

/* Classes that all sets list alike keep their order; others are sorted, as those of one file. */
static enum sl_status number_classes(struct join *join, struct sl_error *err)
{
    struct sl_name_table *found = sl_name_table_create();
    char **names = NULL;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < join->n_sets; i++)
        SL_TRY_OUT(add_classes(join->sets[i].votes, found, err));
    if (sl_name_table_count(found) > SL_VOTES_CLASSES)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: %zu classes, expected at most %d", join->output,
                           sl_name_table_count(found), SL_VOTES_CLASSES));
    names = sl_classes_of(found, !have_same_classes(join));
    for (size_t k = 0; names[k]; k++) {
        uint32_t number = 0;
        SL_TRY_OUT(sl_name_table_add(join->classes, names[k], strlen(names[k]), &number, err));
    }
    for (size_t i = 0; i < join->n_sets; i++) {
        struct set *set = &join->sets[i];
        set->class_of = sl_alloc(set->votes->n_classes + 1, sizeof *set->class_of);
        for (size_t k = 0; k < set->votes->n_classes; k++)
            set->class_of[k] = (uint16_t)sl_name_table_find(join->classes, set->votes->classes[k],
                                                            strlen(set->votes->classes[k]));
    }
out:
    sl_names_destroy(names);
    sl_name_table_destroy(found);
    return status;
}

static enum sl_status number_all(struct join *join, struct sl_error *err)
{
    for (size_t i = 0; i < join->n_sets; i++) {
        struct set *set = &join->sets[i];
        SL_TRY(sl_numbering_of(&set->annotators, set->votes->annotators, join->annotators, err));
        join->size.count += set->votes->count;
    }
    SL_TRY(number_classes(join, err));
    join->size.n_annotators = sl_name_table_count(join->annotators);
    join->size.n_classes = sl_name_table_count(join->classes);
    return SL_OK;
}

/* ---- Items that come back ---- */

/* The names of a group, and where each was seen first. */
struct group {
    struct sl_name_table *names; /* owned */
    struct place *places;        /* owned; by the numbers of the names */
    size_t n_places, capacity;
    size_t index, n_groups;
};

static bool is_in_group(const struct group *group, const struct sl_field *name)
{
    return group->n_groups == 1 ||
           sl_crc32(0, name->text, name->length) % group->n_groups == group->index;
}

static enum sl_status note_place(struct join *join, struct group *group, uint32_t number,
                                 struct place place, struct sl_error *err)
{
    struct set *set = &join->sets[place.set];
    if (number == group->n_places) {
        SL_TRY(sl_data_reserve(&group->places, group->n_places + 1, &group->capacity,
                               sizeof *group->places, err));
        group->places[group->n_places++] = place;
        return SL_OK;
    }
    SL_TRY(sl_data_reserve(&join->repeats, join->n_repeats + 1, &join->repeat_capacity,
                           sizeof *join->repeats, err));
    join->repeats[join->n_repeats++] = (struct repeat){group->places[number], place};
    set->came[place.item / 64] |= (uint64_t)1 << place.item % 64;
    return SL_OK;
}

/* A few names at once, which the table finds faster than one after another. */
struct batch {
    struct sl_field names[BATCH];
    struct place places[BATCH];
    size_t count;
};

static enum sl_status take_batch(struct join *join, struct group *group, struct batch *batch,
                                 struct sl_error *err)
{
    uint32_t numbers[BATCH];
    SL_TRY(sl_name_table_add_many(group->names, batch->names, batch->count, numbers, err));
    for (size_t i = 0; i < batch->count; i++)
        SL_TRY(note_place(join, group, numbers[i], batch->places[i], err));
    batch->count = 0;
    return SL_OK;
}

static enum sl_status take_set(struct join *join, struct group *group, size_t set,
                               struct sl_error *err)
{
    const struct sl_votes *votes = join->sets[set].votes;
    struct batch batch = {.count = 0};
    for (size_t i = 0; i < votes->n_items; i++) {
        struct sl_field name;
        name.text = sl_name_table_get(votes->items, (uint32_t)i, &name.length);
        if (is_in_group(group, &name)) {
            batch.names[batch.count] = name;
            batch.places[batch.count++] = (struct place){(uint32_t)set, (uint32_t)i};
        }
        const bool ends = i + 1 == votes->n_items || (i + 1) % WINDOW == 0;
        if (batch.count == BATCH || ends) SL_TRY(take_batch(join, group, &batch, err));
        if (ends) sl_votes_pass(votes, i / WINDOW * WINDOW, i + 1);
    }
    return SL_OK;
}

static int compare_places(const struct place *a, const struct place *b)
{
    if (a->set != b->set) return a->set < b->set ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static int compare_repeats(const void *a, const void *b)
{
    const struct repeat *left = a, *right = b;
    const int order = compare_places(&left->first, &right->first);
    return order != 0 ? order : compare_places(&left->again, &right->again);
}

static enum sl_status make_marks(struct join *join, struct sl_error *err)
{
    uint64_t n_items = 0;
    for (size_t i = 0; i < join->n_sets; i++) {
        struct set *set = &join->sets[i];
        const size_t n_words = set->votes->n_items / 64 + 1;
        set->came = sl_data_alloc(n_words, sizeof *set->came, err);
        if (!set->came) return SL_ERR_NOMEM;
        memset(set->came, 0, n_words * sizeof *set->came);
        join->name_bytes += sl_name_table_pool(set->votes->items).length;
        n_items += set->votes->n_items;
    }
    join->size.n_items = n_items;
    return SL_OK;
}

static enum sl_status find_repeats(struct join *join, size_t group_bytes, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    SL_TRY(make_marks(join, err));
    const uint64_t bytes = join->name_bytes + join->size.n_items * NAME_BYTES;
    struct group group = {.names = sl_name_table_create(), .n_groups = bytes / group_bytes + 1};
    for (; group.index < group.n_groups; group.index++) {
        for (size_t i = 0; i < join->n_sets; i++)
            SL_TRY_OUT(take_set(join, &group, i, err));
        sl_name_table_clear(group.names);
        group.n_places = 0;
    }
    if (join->n_repeats > 0)
        qsort(join->repeats, join->n_repeats, sizeof *join->repeats, compare_repeats);
    join->size.n_items -= join->n_repeats;
out:
    sl_name_table_destroy(group.names);
    free(group.places);
    return status;
}

/* ---- Walks ---- */

typedef enum sl_status visit(struct join *join, const struct set *set, size_t item, bool again,
                             struct sl_error *err);

static void pass_all(const struct join *join)
{
    for (size_t i = 0; i < join->n_sets; i++)
        sl_votes_pass(join->sets[i].votes, 0, join->sets[i].votes->n_items);
}

/* Visit every item in the order of the file: where it is first, then where it came back. */
static enum sl_status walk(struct join *join, visit *visit_item, struct sl_error *err)
{
    size_t next = 0, n_visited = 0;
    join->written = 0;
    for (size_t i = 0; i < join->n_sets; i++) {
        const struct set *set = &join->sets[i];
        for (size_t item = 0; item < set->votes->n_items; item++) {
            const struct place here = {(uint32_t)i, (uint32_t)item};
            if (++n_visited % WINDOW == 0) pass_all(join);
            if (has_come(set, item)) continue;
            SL_TRY(visit_item(join, set, item, false, err));
            while (next < join->n_repeats &&
                   compare_places(&join->repeats[next].first, &here) == 0) {
                const struct place again = join->repeats[next++].again;
                n_visited++;
                SL_TRY(visit_item(join, &join->sets[again.set], again.item, true, err));
            }
        }
    }
    pass_all(join);
    return SL_OK;
}

static enum sl_status put_name_offset(struct join *join, const struct set *set, size_t item,
                                      bool again, struct sl_error *err)
{
    size_t length = 0;
    if (again) return SL_OK;
    const uint32_t begin = (uint32_t)join->written;
    (void)sl_name_table_get(set->votes->items, (uint32_t)item, &length);
    join->written += length + 1;
    return sl_slb_writer_put(&join->writer, &begin, sizeof begin, err);
}

static enum sl_status put_name(struct join *join, const struct set *set, size_t item, bool again,
                               struct sl_error *err)
{
    size_t length = 0;
    if (again) return SL_OK;
    const char *name = sl_name_table_get(set->votes->items, (uint32_t)item, &length);
    return sl_slb_writer_put(&join->writer, name, length + 1, err);
}

static enum sl_status put_begin(struct join *join, const struct set *set, size_t item, bool again,
                                struct sl_error *err)
{
    const uint64_t begin = join->written;
    join->written += set->votes->begin[item + 1] - set->votes->begin[item];
    return again ? SL_OK : sl_slb_writer_put(&join->writer, &begin, sizeof begin, err);
}

/* Several answers of a person within a set were counted when it was read. */
static void note_person(struct join *join, uint32_t annotator, const struct set *set, size_t item)
{
    struct last_seen *seen = &join->seen[annotator];
    const bool here = seen->item == join->now.item, again = here && seen->turn < join->now.turn;
    if (again)
        sl_notes_duplicate(join->options->notes, join->output,
                           sl_name_table_get(set->votes->items, (uint32_t)item, NULL),
                           sl_name_table_get(join->annotators, annotator, NULL), seen->told);
    *seen = (struct last_seen){join->now.item, join->now.turn, again || (here && seen->told)};
}

static enum sl_status put_annotators(struct join *join, const struct set *set, size_t item,
                                     bool again, struct sl_error *err)
{
    uint32_t chunk[CHUNK];
    const struct sl_votes *votes = set->votes;
    const size_t end = votes->begin[item + 1];
    join->now = again ? (struct last_seen){join->now.item, join->now.turn + 1, false}
                      : (struct last_seen){join->now.item + 1, 0, false};
    for (size_t i = votes->begin[item]; i < end;) {
        size_t n = 0;
        for (; n < CHUNK && i < end; i++) {
            const uint32_t one = votes->annotator[i];
            chunk[n++] = one == SL_NO_NAME ? SL_NO_NAME : set->annotators.values[one];
            if (join->seen && one != SL_NO_NAME) note_person(join, chunk[n - 1], set, item);
        }
        SL_TRY(sl_slb_writer_put(&join->writer, chunk, n * sizeof *chunk, err));
    }
    return SL_OK;
}

static enum sl_status put_labels(struct join *join, const struct set *set, size_t item, bool again,
                                 struct sl_error *err)
{
    uint16_t chunk[CHUNK];
    const struct sl_votes *votes = set->votes;
    const size_t end = votes->begin[item + 1];
    (void)again;
    for (size_t i = votes->begin[item]; i < end;) {
        size_t n = 0;
        for (; n < CHUNK && i < end; i++)
            chunk[n++] = set->class_of[votes->label[i]];
        SL_TRY(sl_slb_writer_put(&join->writer, chunk, n * sizeof *chunk, err));
    }
    return SL_OK;
}

/* ---- The file ---- */

static enum sl_status put_items(struct join *join, struct sl_error *err)
{
    SL_TRY(walk(join, put_name_offset, err));
    if (join->written > UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the names of %zu items take more than 4 GiB: shorten them, or write "
                       "several files",
                       join->output, join->size.n_items);
    const uint32_t end = (uint32_t)join->written;
    SL_TRY(sl_slb_writer_put(&join->writer, &end, sizeof end, err));
    SL_TRY(sl_slb_writer_end(&join->writer, err));
    SL_TRY(walk(join, put_name, err));
    return sl_slb_writer_end(&join->writer, err);
}

static enum sl_status put_answers(struct join *join, struct sl_error *err)
{
    const uint64_t end = join->size.count;
    SL_TRY(walk(join, put_begin, err));
    SL_TRY(sl_slb_writer_put(&join->writer, &end, sizeof end, err));
    SL_TRY(sl_slb_writer_end(&join->writer, err));
    if (join->n_repeats > 0 && join->options->notes) {
        join->seen = sl_data_zeroed(join->size.n_annotators, sizeof *join->seen, err);
        if (!join->seen) return SL_ERR_NOMEM;
    }
    SL_TRY(walk(join, put_annotators, err));
    SL_TRY(sl_slb_writer_end(&join->writer, err));
    SL_TRY(walk(join, put_labels, err));
    return sl_slb_writer_end(&join->writer, err);
}

static enum sl_status write_file(struct join *join, struct sl_error *err)
{
    SL_TRY(sl_slb_writer_open(&join->writer, join->output, err));
    SL_TRY(put_items(join, err));
    SL_TRY(sl_slb_writer_names(&join->writer, join->annotators, err));
    SL_TRY(sl_slb_writer_names(&join->writer, join->classes, err));
    SL_TRY(put_answers(join, err));
    return sl_slb_writer_commit(&join->writer, &join->size, err);
}

static void join_release(struct join *join)
{
    for (size_t i = 0; i < join->n_sets; i++) {
        free(join->sets[i].annotators.values);
        free(join->sets[i].class_of);
        free(join->sets[i].came);
    }
    free(join->sets);
    sl_name_table_destroy(join->annotators);
    sl_name_table_destroy(join->classes);
    free(join->repeats);
    free(join->seen);
    sl_slb_writer_discard(&join->writer);
}

enum sl_status sl_votes_join_groups(struct sl_votes *const *votes, size_t count, size_t group_bytes,
                                    const char *path, const struct sl_import_options *options,
                                    struct sl_error *err)
{
    struct join join = {.sets = sl_alloc(count, sizeof *join.sets),
                        .n_sets = count,
                        .annotators = sl_name_table_create(),
                        .classes = sl_name_table_create(),
                        .output = path,
                        .options = options,
                        .writer = {.file = {.descriptor = -1}}};
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++)
        join.sets[i].votes = votes[i];
    SL_TRY_OUT(number_all(&join, err));
    SL_TRY_OUT(find_repeats(&join, group_bytes, err));
    if (join.size.n_items >= SL_NO_NAME)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: %zu items, expected less than %u", path,
                           join.size.n_items, SL_NO_NAME));
    SL_TRY_OUT(write_file(&join, err));
out:
    join_release(&join);
    return status;
}

enum sl_status sl_votes_join(struct sl_votes *const *votes, size_t count, const char *path,
                             const struct sl_import_options *options, struct sl_error *err)
{
    return sl_votes_join_groups(votes, count, NAMES_BYTES, path, options, err);
}
