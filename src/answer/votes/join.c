/* Several sets of votes as one file, which may be larger than memory.
 *
 * 1. Annotators and classes of all sets get common numbers; so do items, by their names
 *    (join_items.h).
 * 2. The sections of answers are written range by range of the items. A range's answers are put in
 *    order in memory: each set brings its own, and an item's are in the order of the sets.
 *
 * Streamed sets are read from the beginning to the end for each range, and what was read leaves
 * memory again. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/classes.h"
#include "answer/votes/join_items.h"
#include "answer/votes/slb.h"
#include "answer/votes/votes.h"
#include "softlab/base/memory.h"

/* A set and what its numbers are in the file. */
struct set {
    const struct sl_votes *votes; /* borrowed */
    struct sl_numbering annotators;
    uint16_t *class_of; /* owned; n_classes */
};

/* Items whose answers are in memory together. */
struct range {
    size_t begin, end;
    size_t *at;   /* owned; where the next answer to each item goes */
    void *values; /* owned; an element of the section for each answer */
};

struct join {
    struct set *sets; /* owned */
    size_t n_sets;
    struct sl_name_table *annotators, *classes; /* owned */
    struct sl_join_items items;
    size_t *cuts; /* owned; n_cuts; where ranges end */
    size_t n_cuts, cut_capacity;
    size_t memory;
    uint64_t name_bytes; /* of the items */
    struct sl_votes_size size;
    const char *output; /* borrowed */
    struct sl_slb_writer writer;
};

/* ---- Common numbers ---- */

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
        SL_TRY_OUT(sl_votes_add_classes(join->sets[i].votes, found, err));
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

/* ---- Names of items ---- */

/* Call `visit` for every item where it is new. */
static enum sl_status each_new(struct join *join,
                               enum sl_status (*visit)(struct join *join, const char *name,
                                                       size_t length, struct sl_error *err),
                               struct sl_error *err)
{
    for (size_t i = 0; i < join->n_sets; i++) {
        const struct sl_votes *votes = join->sets[i].votes;
        for (size_t item = 0; item < votes->n_items; item++) {
            size_t length = 0;
            const char *name = sl_name_table_get(votes->items, (uint32_t)item, &length);
            if (!sl_join_came(&join->items, join->items.first[i] + item))
                SL_TRY(visit(join, name, length, err));
            sl_votes_pass_behind(votes, item);
        }
    }
    return SL_OK;
}

static enum sl_status put_offset(struct join *join, const char *name, size_t length,
                                 struct sl_error *err)
{
    const uint32_t begin = (uint32_t)join->name_bytes;
    (void)name;
    join->name_bytes += length + 1;
    return sl_slb_writer_put(&join->writer, &begin, sizeof begin, err);
}

static enum sl_status put_name(struct join *join, const char *name, size_t length,
                               struct sl_error *err)
{
    return sl_slb_writer_put(&join->writer, name, length + 1, err);
}

static enum sl_status put_items(struct join *join, struct sl_error *err)
{
    SL_TRY(each_new(join, put_offset, err));
    if (join->name_bytes > UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the names of %zu items take more than 4 GiB: shorten them, or write "
                       "several files",
                       join->output, join->size.n_items);
    const uint32_t end = (uint32_t)join->name_bytes;
    SL_TRY(sl_slb_writer_put(&join->writer, &end, sizeof end, err));
    SL_TRY(sl_slb_writer_end(&join->writer, err));
    SL_TRY(each_new(join, put_name, err));
    return sl_slb_writer_end(&join->writer, err);
}

/* ---- Ranges ---- */

typedef void visit(struct range *range, const struct set *set, size_t item, size_t number);

/* A set whose items are all new has those of a range in a row. */
static void visit_row(struct range *range, const struct set *set, size_t first, visit *visit_item)
{
    const size_t n_items = set->votes->n_items;
    size_t item = range->begin > first ? range->begin - first : 0;
    const size_t begin = item < n_items ? item : n_items;
    for (; item < n_items && first + item < range->end; item++) {
        visit_item(range, set, item, first + item);
        sl_votes_pass_behind(set->votes, item);
    }
    sl_votes_pass(set->votes, begin, item < n_items ? item : n_items);
}

static void visit_some(struct range *range, const struct set *set,
                       const struct sl_join_items *items, size_t index, visit *visit_item)
{
    const struct sl_votes *votes = set->votes;
    size_t next = items->first_new[index];
    for (size_t item = 0; item < votes->n_items; item++) {
        const size_t place = items->first[index] + item;
        const size_t number = sl_join_came(items, place) ? items->number[place] : next++;
        if (number >= range->begin && number < range->end) visit_item(range, set, item, number);
        sl_votes_pass_behind(votes, item);
    }
}

/* Visit the items of a range in every set, set by set. */
static void each_in_range(const struct join *join, struct range *range, visit *visit_item)
{
    for (size_t i = 0; i < join->n_sets; i++) {
        if (sl_join_is_new(&join->items, i))
            visit_row(range, &join->sets[i], join->items.first_new[i], visit_item);
        else
            visit_some(range, &join->sets[i], &join->items, i, visit_item);
    }
}

static void count_answers(struct range *range, const struct set *set, size_t item, size_t number)
{
    range->at[number - range->begin] += set->votes->begin[item + 1] - set->votes->begin[item];
}

static void take_annotators(struct range *range, const struct set *set, size_t item, size_t number)
{
    const struct sl_votes *votes = set->votes;
    size_t *at = &range->at[number - range->begin];
    uint32_t *annotators = range->values;
    for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++) {
        const uint32_t one = votes->annotator[i];
        annotators[(*at)++] = one == SL_NO_NAME ? SL_NO_NAME : set->annotators.values[one];
    }
}

static void take_labels(struct range *range, const struct set *set, size_t item, size_t number)
{
    const struct sl_votes *votes = set->votes;
    size_t *at = &range->at[number - range->begin];
    uint16_t *labels = range->values;
    for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++)
        labels[(*at)++] = set->class_of[votes->label[i]];
}

/* ---- Where answers begin ---- */

static enum sl_status cut(struct join *join, size_t item, struct sl_error *err)
{
    SL_TRY(sl_data_reserve(&join->cuts, join->n_cuts + 1, &join->cut_capacity, sizeof *join->cuts,
                           err));
    join->cuts[join->n_cuts++] = item;
    return SL_OK;
}

/* Items and their answers that one range may have. */
static bool fits(const struct join *join, size_t n_items, size_t n_answers)
{
    return n_items * sizeof(size_t) + n_answers * sizeof(uint32_t) <= join->memory;
}

/* What is known of the answers to the items before the next one. */
struct begins {
    size_t *counts;  /* owned; answers to each item of a range */
    size_t written;  /* answers to all items so far */
    size_t range;    /* where the last range begins */
    size_t in_range; /* answers to its items so far */
};

static enum sl_status put_begin(struct join *join, struct begins *begins, size_t item, size_t count,
                                struct sl_error *err)
{
    SL_TRY(sl_slb_writer_put(&join->writer, &begins->written, sizeof begins->written, err));
    begins->written += count;
    if (item > begins->range && !fits(join, item + 1 - begins->range, begins->in_range + count)) {
        SL_TRY(cut(join, item, err));
        begins->range = item;
        begins->in_range = 0;
    }
    begins->in_range += count;
    return SL_OK;
}

static enum sl_status put_begins_of(struct join *join, struct begins *begins, size_t first,
                                    size_t last, struct sl_error *err)
{
    struct range range = {.begin = first, .end = last, .at = begins->counts};
    memset(begins->counts, 0, (last - first) * sizeof *begins->counts);
    each_in_range(join, &range, count_answers);
    for (size_t i = first; i < last; i++)
        SL_TRY(put_begin(join, begins, i, begins->counts[i - first], err));
    return SL_OK;
}

/* Write where the answers to each item begin, and decide which items are a range. */
static enum sl_status put_begins(struct join *join, struct sl_error *err)
{
    const size_t n_items = join->size.n_items, step = join->memory / sizeof(size_t) + 1;
    struct begins begins = {.written = 0};
    enum sl_status status = SL_OK;
    begins.counts = sl_data_alloc(step < n_items ? step : n_items, sizeof *begins.counts, err);
    if (!begins.counts) return SL_ERR_NOMEM;
    for (size_t first = 0; first < n_items; first += step)
        SL_TRY_OUT(put_begins_of(join, &begins, first,
                                 n_items - first < step ? n_items : first + step, err));
    SL_TRY_OUT(cut(join, n_items, err));
    SL_TRY_OUT(sl_slb_writer_put(&join->writer, &begins.written, sizeof begins.written, err));
    SL_TRY_OUT(sl_slb_writer_end(&join->writer, err));
out:
    free(begins.counts);
    return status;
}

/* ---- Answers ---- */

/* range->at becomes where the answers to each item begin; *count is how many there are. */
static enum sl_status open_range(struct join *join, size_t index, struct range *range,
                                 size_t *count, struct sl_error *err)
{
    *range =
        (struct range){.begin = index > 0 ? join->cuts[index - 1] : 0, .end = join->cuts[index]};
    range->at = sl_data_zeroed(range->end - range->begin, sizeof *range->at, err);
    if (!range->at) return SL_ERR_NOMEM;
    each_in_range(join, range, count_answers);
    *count = 0;
    for (size_t i = 0; i < range->end - range->begin; i++) {
        const size_t more = range->at[i];
        range->at[i] = *count;
        *count += more;
    }
    return SL_OK;
}

/* The name of an item, for the few warnings that show one. */
static const char *name_of(const void *context, size_t number)
{
    const struct join *join = context;
    size_t set = 0, item = 0;
    while (number >= join->items.first_new[set + 1])
        set++;
    for (size_t left = number - join->items.first_new[set];; item++) {
        if (sl_join_came(&join->items, join->items.first[set] + item)) continue;
        if (left-- == 0) break;
    }
    return sl_name_table_get(join->sets[set].votes->items, (uint32_t)item, NULL);
}

static void note_duplicates(const struct sl_duplicates *duplicates, const struct range *range)
{
    const uint32_t *annotators = range->values;
    size_t begin = 0;
    for (size_t i = range->begin; i < range->end; i++) {
        const size_t end = range->at[i - range->begin]; /* behind the last one now */
        sl_duplicates_note(duplicates, i, annotators + begin, end - begin);
        begin = end;
    }
}

/* A section of answers. */
struct section {
    visit *take;
    size_t size;                            /* bytes of an answer */
    const struct sl_duplicates *duplicates; /* borrowed; who looks at annotators, or NULL */
};

static enum sl_status put_range(struct join *join, const struct section *section, size_t index,
                                struct sl_error *err)
{
    struct range range;
    size_t count = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(open_range(join, index, &range, &count, err));
    range.values = sl_data_alloc(count, section->size, err);
    if (!range.values) SL_TRY_OUT(SL_ERR_NOMEM);
    each_in_range(join, &range, section->take);
    if (section->duplicates) note_duplicates(section->duplicates, &range);
    status = sl_slb_writer_put(&join->writer, range.values, count * section->size, err);
out:
    free(range.at);
    free(range.values);
    return status;
}

static enum sl_status put_section(struct join *join, const struct section *section,
                                  struct sl_error *err)
{
    for (size_t i = 0; i < join->n_cuts; i++)
        SL_TRY(put_range(join, section, i, err));
    return sl_slb_writer_end(&join->writer, err);
}

/* Answers of a person to an item within a set were counted when it was read. With several sets that
 * have the item all are counted anew. */
static enum sl_status put_answers(struct join *join, struct sl_import_notes *notes,
                                  struct sl_error *err)
{
    struct sl_import_notes counted = notes ? *notes : (struct sl_import_notes){0};
    struct sl_duplicates duplicates = {.notes = &counted,
                                       .path = join->output,
                                       .annotators = join->annotators,
                                       .name_of = name_of,
                                       .context = join};
    const bool counts = notes && join->items.n_items < join->items.n_places;
    const struct section annotators = {take_annotators, sizeof(uint32_t),
                                       counts ? &duplicates : NULL},
                         labels = {take_labels, sizeof(uint16_t), NULL};
    enum sl_status status = SL_OK;
    SL_TRY(put_begins(join, err));
    counted.n_duplicates = 0;
    if (counts) SL_TRY(sl_duplicates_begin(&duplicates, err));
    SL_TRY_OUT(put_section(join, &annotators, err));
    SL_TRY_OUT(put_section(join, &labels, err));
    if (counts) *notes = counted;
out:
    free(duplicates.seen_at);
    return status;
}

/* ---- The file ---- */

static enum sl_status write_file(struct join *join, struct sl_import_notes *notes,
                                 struct sl_error *err)
{
    SL_TRY(sl_slb_writer_open(&join->writer, join->output, err));
    SL_TRY(put_items(join, err));
    SL_TRY(sl_slb_writer_names(&join->writer, join->annotators, err));
    SL_TRY(sl_slb_writer_names(&join->writer, join->classes, err));
    SL_TRY(put_answers(join, notes, err));
    return sl_slb_writer_commit(&join->writer, &join->size, err);
}

static void join_release(struct join *join)
{
    for (size_t i = 0; i < join->n_sets; i++) {
        free(join->sets[i].annotators.values);
        free(join->sets[i].class_of);
    }
    free(join->sets);
    free(join->cuts);
    sl_name_table_destroy(join->annotators);
    sl_name_table_destroy(join->classes);
    sl_join_items_release(&join->items);
    sl_slb_writer_discard(&join->writer);
}

enum sl_status sl_votes_join(struct sl_votes *const *votes, size_t count, size_t memory,
                             const char *path, struct sl_import_notes *notes, struct sl_error *err)
{
    struct join join = {.sets = sl_alloc(count, sizeof *join.sets),
                        .n_sets = count,
                        .annotators = sl_name_table_create(),
                        .classes = sl_name_table_create(),
                        .memory = memory,
                        .output = path,
                        .writer = {.file = {.descriptor = -1}}};
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++)
        join.sets[i].votes = votes[i];
    SL_TRY_OUT(number_all(&join, err));
    SL_TRY_OUT(sl_join_items_find(votes, count, memory, path, &join.items, err));
    join.size.n_items = join.items.n_items;
    SL_TRY_OUT(write_file(&join, notes, err));
out:
    join_release(&join);
    return status;
}
