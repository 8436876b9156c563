/* `softlab eval` over weights: what is shown of a network on test sets. */
#include <string.h>

#include "eval.h"

/* A line per measure, a column per test set; without those that were scored, where they are printed
 * with their intervals. */
static void print_results(const struct sl_weights_evaluation *tests, bool scored)
{
    char alignment[64] = "l";
    const size_t n_columns = tests->n_tests < 8 ? tests->n_tests : 8;
    memset(alignment + 1, 'r', n_columns);
    struct cli_table table;
    cli_table_init(&table, alignment);
    const char *cells[9] = {""};
    for (size_t t = 0; t < n_columns; t++)
        cells[1 + t] = tests->names[t];
    cli_table_add_cells(&table, cells);
    json_t *first = json_object_get(json_object_get(tests->scores, tests->names[0]), "metrics");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)first, name, value)
    {
        if (!scored && sl_metric_find(name)) continue;
        cells[0] = name;
        for (size_t t = 0; t < n_columns; t++) {
            const json_t *cell = json_object_get(
                json_object_get(json_object_get(tests->scores, tests->names[t]), "metrics"), name);
            cells[1 + t] =
                json_is_number(cell) ? cli_real(&table, json_number_value(cell), 4, "") : "-";
        }
        cli_table_add_cells(&table, cells);
    }
    if (!scored && table.n_rows > 1) putchar('\n');
    if (table.n_rows > 1) cli_table_end(&table);
    cli_table_release(&table);
}

static void print_counts(const struct sl_weights_evaluation *tests)
{
    struct cli_table table;
    cli_table_begin(&table, "lr", "test", "items");
    for (size_t t = 0; t < tests->n_tests; t++) {
        const json_t *result = json_object_get(tests->scores, tests->names[t]);
        const size_t n = (size_t)json_integer_value(json_object_get(result, "n"));
        cli_table_add(&table, tests->names[t], cli_count(&table, n));
    }
    cli_table_end(&table);
}

static void show_tests(const struct sl_weights_evaluation *tests, const struct sl_eval_job *job)
{
    const bool whole = job->bootstrap || job->against;
    for (size_t t = 0; whole && t < tests->n_tests; t++) {
        if (t > 0) putchar('\n');
        eval_print(&tests->tests[t]);
    }
    print_results(tests, !whole);
    for (size_t t = 0; !whole && job->per_class && t < tests->n_tests; t++) {
        if (tests->n_tests > 1) printf("\n%s", tests->names[t]);
        eval_print_classes(&tests->tests[t]);
    }
}

static enum sl_status print_json(const struct cli *cli, const struct sl_weights_evaluation *tests,
                                 struct sl_error *err)
{
    json_t *result = sl_weights_evaluation_json(tests);
    json_object_set_new(result, "provenance", cli_provenance(cli));
    return cli_print_json(result, err);
}

enum sl_status eval_weights(struct cli *cli, const struct eval_values *values, struct sl_error *err)
{
    const struct sl_eval_job *job = &values->job;
    struct sl_weights_evaluation tests = {0};
    enum sl_status status = SL_OK;
    if (cli->n_arguments > 1)
        return sl_fail(err, SL_ERR_USAGE, "one network at a time: \"%s\" is too many",
                       cli->arguments[1]);
    SL_TRY(sl_evaluate_weights(job, cli->arguments[0], &cli->workplace, &tests, err));
    if (values->json)
        SL_TRY_OUT(print_json(cli, &tests, err));
    else if (job->dry_run)
        print_counts(&tests);
    else
        show_tests(&tests, job);
out:
    sl_weights_evaluation_release(&tests);
    return status;
}
