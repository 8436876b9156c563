/* Votes from arrays of codes: one pass checks them and narrows the labels, and one sorts by item.
 */
#include <stdlib.h>
#include <string.h>

#include "answer/classes.h"
#include "answer/votes/sort.h"
#include "answer/votes/votes.h"
#include "softlab/base/memory.h"

enum { PARTS = 64 }; /* of the check */

struct checking {
    const struct sl_vote_codes *codes;
    uint16_t *label;         /* count; the narrowed labels */
    size_t first_bad[PARTS]; /* the first row of each part with a bad code; count: none */
};

static bool is_good(const struct sl_vote_codes *codes, size_t row)
{
    const uint32_t annotator = codes->annotator[row];
    return codes->item[row] < codes->n_items && codes->label[row] < codes->n_classes &&
           (annotator < codes->n_annotators || annotator == SL_NO_NAME);
}

static void check_part(void *context, size_t part, size_t worker)
{
    struct checking *checking = context;
    const struct sl_vote_codes *codes = checking->codes;
    const struct sl_pool_range range = sl_pool_range_of(codes->count, PARTS, part);
    size_t row = range.begin;
    (void)worker;
    for (; row < range.end && is_good(codes, row); row++)
        checking->label[row] = (uint16_t)codes->label[row];
    checking->first_bad[part] = row < range.end ? row : codes->count;
}

/* Say which code of a row is bad. */
static enum sl_status refuse_row(const struct sl_vote_codes *codes, size_t row,
                                 struct sl_error *err)
{
    const struct {
        const char *what;
        uint32_t code;
        size_t limit;
    } columns[] = {{"item", codes->item[row], codes->n_items},
                   {"class", codes->label[row], codes->n_classes},
                   {"annotator", codes->annotator[row], codes->n_annotators}};
    size_t bad = 0;
    while (bad < 2 && columns[bad].code < columns[bad].limit)
        bad++; /* the annotator comes last: it may be unknown in a row that is bad */
    return sl_fail(err, SL_ERR_INPUT, "row %zu: %s %u does not exist, expected a number below %zu",
                   row, columns[bad].what, columns[bad].code, columns[bad].limit);
}

static enum sl_status check_rows(const struct sl_vote_codes *codes, struct sl_pool *pool,
                                 uint16_t *label, struct sl_error *err)
{
    struct checking checking = {.codes = codes, .label = label};
    sl_pool_run(pool, PARTS, check_part, &checking);
    for (size_t part = 0; part < PARTS; part++)
        if (checking.first_bad[part] < codes->count)
            return refuse_row(codes, checking.first_bad[part], err);
    return SL_OK;
}

static enum sl_status check_sizes(const struct sl_vote_codes *codes, struct sl_error *err)
{
    if (codes->count == 0) return sl_fail(err, SL_ERR_INPUT, "no answers");
    if (codes->n_classes < 1 || codes->n_classes > SL_VOTES_CLASSES)
        return sl_fail(err, SL_ERR_INPUT, "%zu classes, expected 1 to %d", codes->n_classes,
                       SL_VOTES_CLASSES);
    return SL_OK;
}

/* Numbered names: those given, or the numbers. `what` is said in errors. */
static enum sl_status make_table(const char *const *names, size_t count, const char *what,
                                 struct sl_name_table **out, struct sl_error *err)
{
    if (!names) return sl_name_table_numbers(count, out, err);
    struct sl_name_table *table = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = 0;
        SL_TRY_OUT(sl_name_table_add(table, names[i], strlen(names[i]), &number, err));
        if (number != i)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s %u and %s %zu are both called \"%.60s\"",
                               what, number, what, i, names[i]));
    }
    sl_name_table_compact(table);
    *out = table;
    return SL_OK;
out:
    sl_name_table_destroy(table);
    return status;
}

static enum sl_status make_names(const struct sl_vote_codes *codes, struct sl_votes *votes,
                                 struct sl_error *err)
{
    struct sl_name_table *classes = NULL;
    SL_TRY(make_table(codes->item_names, codes->n_items, "item", &votes->items, err));
    SL_TRY(make_table(codes->annotator_names, codes->n_annotators, "annotator", &votes->annotators,
                      err));
    SL_TRY(make_table(codes->class_names, codes->n_classes, "class", &classes, err));
    votes->classes = sl_classes_of(classes, false);
    sl_name_table_destroy(classes);
    return SL_OK;
}

enum sl_status sl_votes_from_codes(const struct sl_vote_codes *codes, struct sl_pool *pool,
                                   struct sl_votes **out, struct sl_error *err)
{
    SL_TRY(check_sizes(codes, err));
    uint16_t *label = sl_data_alloc(codes->count, sizeof *label, err);
    if (!label) return SL_ERR_NOMEM;
    struct sl_votes *votes = sl_alloc(1, sizeof *votes);
    votes->n_items = codes->n_items;
    votes->n_annotators = codes->n_annotators;
    votes->n_classes = codes->n_classes;
    votes->count = codes->count;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(check_rows(codes, pool, label, err));
    SL_TRY_OUT(make_names(codes, votes, err));
    const struct sl_unsorted_votes unsorted = {codes->item, codes->annotator, label};
    SL_TRY_OUT(sl_votes_sort(votes, &unsorted, pool, err));
    *out = votes;
    votes = NULL;
out:
    free(label);
    sl_votes_destroy(votes);
    return status;
}
