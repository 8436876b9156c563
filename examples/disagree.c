/* Aggregates votes by several methods and lists the items for which the methods choose different
 * classes: the ones to look at before anybody trains on either label set.
 *
 *     disagree VOTES.csv
 *
 * The table has a line per vote with the columns item, worker and label. Any other file of answers
 * that softlab reads will do, plain or gzip. */
#include <softlab/base.h>
#include <softlab/crowd.h>
#include <stdio.h>

/* Rows of sl_aggregators that need nothing but votes with their annotators. */
static const char *const methods[] = {"mv", "wawa", "ds", "glad"};
enum { N_METHODS = sizeof methods / sizeof *methods };

static enum sl_status aggregate(const struct sl_votes *votes, struct sl_crowd_state states[],
                                struct sl_error *err)
{
    const struct sl_crowd_options options = sl_crowd_options_default();
    for (size_t m = 0; m < N_METHODS; m++) {
        const struct sl_aggregator *method = sl_aggregator_find(methods[m]);
        if (!method) return sl_fail(err, SL_ERR_NOT_FOUND, "no method is called %s", methods[m]);
        SL_TRY(sl_aggregate(method, votes, &options, &states[m], err));
    }
    return SL_OK;
}

/* An item's label by one method, and its most probable class. */
struct choice {
    const char *name;
    float probability;
    bool tied; /* another class is as probable */
};

static struct choice choice_of(const struct sl_votes *votes, const struct sl_crowd_state *state,
                               size_t item)
{
    const float *row = state->posterior + item * votes->n_classes;
    const size_t first = sl_largest(row, votes->n_classes);
    struct choice choice = {votes->classes[first], row[first], false};
    for (size_t k = first + 1; k < votes->n_classes; k++)
        choice.tied = choice.tied || row[k] >= row[first];
    return choice;
}

static bool agree(const struct choice choices[])
{
    for (size_t m = 0; m < N_METHODS; m++)
        if (choices[m].tied || choices[m].name != choices[0].name) return false;
    return true;
}

static void print_disagreements(const struct sl_votes *votes, const struct sl_crowd_state states[])
{
    size_t n_disputed = 0;
    printf("%-12s", "item");
    for (size_t m = 0; m < N_METHODS; m++)
        printf("  %-12s", methods[m]);
    printf("\n");
    for (size_t i = 0; i < votes->n_items; i++) {
        struct choice choices[N_METHODS];
        for (size_t m = 0; m < N_METHODS; m++)
            choices[m] = choice_of(votes, &states[m], i);
        if (agree(choices)) continue;
        n_disputed++;
        printf("%-12s", sl_name_table_get(votes->items, (uint32_t)i, NULL));
        for (size_t m = 0; m < N_METHODS; m++)
            printf("  %-7s %.2f", choices[m].tied ? "(tie)" : choices[m].name,
                   (double)choices[m].probability);
        printf("\n");
    }
    printf("%zu votes by %zu annotators: the methods disagree about %zu of %zu items\n",
           votes->count, votes->n_annotators, n_disputed, votes->n_items);
}

static enum sl_status run(const char *path, struct sl_error *err)
{
    struct sl_crowd_state states[N_METHODS] = {{0}};
    struct sl_votes *votes = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_votes_read(path, NULL, &votes, err));
    SL_TRY_OUT(aggregate(votes, states, err));
    print_disagreements(votes, states);
out:
    for (size_t m = 0; m < N_METHODS; m++)
        sl_crowd_state_release(&states[m]);
    sl_votes_destroy(votes);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 2) {
        fprintf(stderr, "disagree: name one table of votes: disagree VOTES.csv\n");
        return 2;
    }
    if (run(argv[1], &err) == SL_OK) return 0;
    fprintf(stderr, "disagree: %s\n", err.message);
    return 1;
}
