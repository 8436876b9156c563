#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"
#include "verdict/read/result_line.h"

size_t sl_verdict_row_length(const char *cell)
{
    const char *slash = strrchr(cell, '/');
    return slash ? (size_t)(slash - cell) : 0;
}

/* The length of the first coordinate. */
static size_t step(const char *text)
{
    return strcspn(text, "|");
}

bool sl_verdict_pattern_fits(const char *pattern, const char *row)
{
    for (;;) {
        size_t wanted = step(pattern), length = step(row);
        bool is_any = wanted == 1 && *pattern == '*';
        if (!is_any && (wanted != length || memcmp(pattern, row, length) != 0)) return false;
        if (pattern[wanted] == '\0' || row[length] == '\0') return pattern[wanted] == row[length];
        pattern += wanted + 1;
        row += length + 1;
    }
}

static const struct sl_brief *brief_of(const struct sl_outcome *outcome)
{
    return outcome->source.spec->brief;
}

bool sl_outcome_place(const struct sl_outcome *outcome, const char *cell, char **pattern,
                      const char **column)
{
    const struct sl_brief *brief = brief_of(outcome);
    for (size_t i = 0; i < brief->n_cells; i++) {
        const struct sl_brief_cell *entry = &brief->cells[i];
        if (strcmp(entry->cell, cell) != 0) continue;
        *column = entry->column;
        *pattern = sl_string_copy(entry->pattern);
        return true;
    }
    return false;
}

const char *sl_outcome_published(const struct sl_outcome *outcome, const char *row,
                                 const char *column)
{
    const struct sl_brief *brief = brief_of(outcome);
    const char *found = NULL;
    for (size_t i = 0; i < brief->n_cells; i++) {
        const struct sl_brief_cell *entry = &brief->cells[i];
        if (strcmp(entry->column, column) != 0) continue;
        if (strcmp(entry->pattern, row) == 0) return entry->cell;
        if (!found && strchr(entry->pattern, '*') && sl_verdict_pattern_fits(entry->pattern, row))
            found = entry->cell;
    }
    return found;
}

char *sl_outcome_set_pattern(const struct sl_outcome *outcome, const char *set)
{
    const struct sl_brief *brief = brief_of(outcome);
    struct sl_buffer pattern;
    sl_buffer_init(&pattern, 1 << 16);
    for (size_t i = 0; i < brief->n_rows; i++) {
        if (i) sl_buffer_byte(&pattern, '|');
        sl_buffer_text(&pattern, brief->rows[i] == SL_COORDINATE_SET ? set : "*");
    }
    char *text = sl_string_copy(pattern.length ? pattern.data : "");
    sl_buffer_release(&pattern);
    return text;
}

static void add_coordinate(struct sl_buffer *row, const char *text)
{
    if (row->length) sl_buffer_byte(row, '|');
    sl_buffer_text(row, text ? text : "-");
}

/* The network in a run's row: at a small scale, the paper's network that it stands in for. */
static const char *network_of(const struct sl_outcome *outcome, const struct sl_outcome_run *run)
{
    const struct sl_brief *brief = brief_of(outcome);
    for (size_t i = 0; i < brief->n_stands_for; i++)
        if (sl_text_same(brief->stands_for[i].name, run->network))
            return brief->stands_for[i].words;
    return run->network;
}

/* The coordinates of a run that make up its row, in the table's order. */
static char *row_of(const struct sl_outcome *outcome, const struct sl_outcome_run *run)
{
    struct sl_buffer row;
    sl_buffer_init(&row, 1 << 16);
    const char *const coordinates[SL_COORDINATES] = {[SL_COORDINATE_PART] = run->part,
                                                     [SL_COORDINATE_SET] = run->set,
                                                     [SL_COORDINATE_NETWORK] =
                                                         network_of(outcome, run)};
    for (size_t i = 0; i < brief_of(outcome)->n_rows; i++)
        add_coordinate(&row, coordinates[brief_of(outcome)->rows[i]]);
    char *text = sl_string_copy(row.length ? row.data : "");
    sl_buffer_release(&row);
    return text;
}

/* Add a run unless its coordinates are taken. */
static enum sl_status add_run(struct sl_outcome *outcome, const struct sl_outcome_run *wanted,
                              struct sl_error *err)
{
    struct sl_outcome_run run = *wanted;
    char *identity =
        sl_string_printf("%s|%s|%lld|%lld", run.part ? run.part : "",
                         run.network ? run.network : "", (long long)run.seed, (long long)run.fold);
    char *place = sl_string_printf("%s|%s", run.set, identity);
    size_t before = sl_name_table_count(outcome->places);
    uint32_t index = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_name_table_add(outcome->places, place, strlen(place), &index, err));
    if (index < before) {
        /* Without keys it is unknown which of two results counts. */
        if (run.result->is_keyless || outcome->runs[index].result->is_keyless)
            status = sl_result_fail_twice(run.result, err);
        goto out;
    }
    SL_TRY_OUT(
        sl_name_table_add(outcome->identities, identity, strlen(identity), &run.identity, err));
    run.row = row_of(outcome, &run);
    run.overlap = sl_outcome_overlap(outcome->source.spec, run.part, run.fold);
    outcome->runs[outcome->n_runs++] = run;
    SL_TRY_OUT(sl_name_table_add(outcome->rows, run.row, strlen(run.row),
                                 &outcome->runs[outcome->n_runs - 1].row_number, err));
out:
    free(identity);
    free(place);
    return status;
}

/* Add figures without training. The first value of each key and the first exhibits count. */
static void add_computed(struct sl_outcome *outcome, const struct sl_result *result)
{
    const struct {
        const char *name;
        json_t *to;
    } spreads[] = {{"samples", outcome->samples}, {"errors", outcome->errors}};
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(result->json, "computed"), key, value)
    {
        if (json_object_get(outcome->computed, key)) continue;
        json_object_set(outcome->computed, key, value);
        for (size_t i = 0; i < 2; i++) {
            json_t *spread = json_object_get(json_object_get(result->json, spreads[i].name), key);
            if (spread) json_object_set(spreads[i].to, key, spread);
        }
    }
    if (!outcome->exhibits && (result->galleries || json_object_get(result->json, "charts")))
        outcome->exhibits = result;
}

/* Add a result whose key is in the plan, even if it was made for another specification. */
static enum sl_status add_planned(struct sl_outcome *outcome, const struct sl_result *result,
                                  const struct sl_planned_run *plan, struct sl_error *err)
{
    if (!plan->set) {
        add_computed(outcome, result);
        return SL_OK;
    }
    struct sl_outcome_run run = {.result = result,
                                 .part = plan->part,
                                 .set = plan->set,
                                 .network = plan->network,
                                 .seed = plan->seed,
                                 .fold = plan->fold,
                                 .renamed = plan->renamed};
    return add_run(outcome, &run, err);
}

/* Add a result that names the specification. */
static enum sl_status add_named(struct sl_outcome *outcome, const struct sl_result *result,
                                struct sl_error *err)
{
    const struct sl_outcome_source *source = &outcome->source;
    if (!sl_text_same(result->spec, source->spec->name)) return SL_OK;
    /* Figures without training have no scale. */
    if (!result->set) add_computed(outcome, result);
    if (!result->set || !sl_text_same(result->scale, source->spec->scale) ||
        (source->variant && !sl_text_same(result->variant, source->variant)))
        return SL_OK;
    struct sl_outcome_run run = {.result = result,
                                 .part = result->part,
                                 .set = result->set,
                                 .network = result->network,
                                 .seed = result->seed,
                                 .fold = result->fold};
    return add_run(outcome, &run, err);
}

/* False if the specification's last plan lacks the run, because its inputs or settings have changed
 * since. Runs of other programs are in no plan. */
static bool is_current(const struct sl_results *results, const struct sl_result *result)
{
    const json_t *plan = sl_results_plan(results, result->spec, result->scale, result->variant);
    return !plan || result->is_keyless || json_object_get(plan, result->key);
}

/* Add runs by key; then, at coordinates without one, runs by name, whose settings may differ
 * (tuned, or on other data). */
static enum sl_status find_runs(struct sl_outcome *outcome, struct sl_error *err)
{
    const struct sl_outcome_source *source = &outcome->source;
    const struct sl_results *results = source->results;
    struct sl_name_table *keys = sl_name_table_create();
    size_t *places = sl_alloc(source->n_plan + 1, sizeof *places);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < source->n_plan; i++) {
        uint32_t index;
        const char *key = source->plan[i].key;
        SL_TRY_OUT(sl_name_table_add(keys, key, strlen(key), &index, err));
        if (index + (size_t)1 == sl_name_table_count(keys)) places[index] = i;
    }
    outcome->runs = sl_alloc(results->n_runs + 1, sizeof *outcome->runs);
    for (size_t i = 0; source->n_plan && i < results->n_runs; i++) {
        const struct sl_result *result = &results->runs[i];
        uint32_t index = sl_name_table_find(keys, result->key, strlen(result->key));
        if (index != SL_NO_NAME)
            SL_TRY_OUT(add_planned(outcome, result, &source->plan[places[index]], err));
    }
    for (size_t i = 0; i < results->n_runs; i++) {
        const struct sl_result *result = &results->runs[i];
        if (sl_name_table_find(keys, result->key, strlen(result->key)) == SL_NO_NAME &&
            is_current(results, result))
            SL_TRY_OUT(add_named(outcome, result, err));
    }
out:
    sl_name_table_destroy(keys);
    free(places);
    return status;
}

double sl_outcome_unit(const struct sl_outcome *outcome, const char *metric)
{
    return sl_brief_factor(brief_of(outcome), metric);
}

static double factor_of(const struct sl_outcome *outcome, const char *column)
{
    const char *slash = strrchr(column, '/');
    return sl_outcome_unit(outcome, slash ? slash + 1 : column);
}

/* Read every value once: cells, claims and charts ask for them repeatedly. */
static void read_values(struct sl_outcome *outcome)
{
    const struct sl_name_list *columns = &brief_of(outcome)->columns;
    size_t n_columns = columns->count;
    outcome->values = sl_alloc(outcome->n_runs * n_columns + 1, sizeof *outcome->values);
    for (size_t c = 0; c < n_columns; c++) {
        const char *column = columns->names[c];
        double factor = factor_of(outcome, column);
        for (size_t i = 0; i < outcome->n_runs; i++) {
            const struct sl_outcome_run *run = &outcome->runs[i];
            const json_t *metrics = json_object_get(run->result->json, "metrics");
            const char *name = json_string_value(json_object_get(run->renamed, column));
            const json_t *value = json_object_get(metrics, name ? name : column);
            outcome->values[i * n_columns + c] =
                json_is_number(value) ? factor * json_number_value(value) : (double)NAN;
        }
    }
}

void sl_outcome_collect(const struct sl_outcome *outcome, const char *pattern, const char *column,
                        struct sl_sample *out)
{
    const struct sl_name_list *columns = &brief_of(outcome)->columns;
    size_t n_columns = columns->count, n_rows = sl_name_table_count(outcome->rows), c = 0;
    *out = (struct sl_sample){0};
    while (c < n_columns && !sl_text_same(columns->names[c], column))
        c++;
    if (c == n_columns || n_rows == 0) return;
    bool *fits = sl_alloc(n_rows, sizeof *fits);
    for (uint32_t row = 0; row < n_rows; row++)
        fits[row] = sl_verdict_pattern_fits(pattern, sl_name_table_get(outcome->rows, row, NULL));
    out->values = sl_alloc(outcome->n_runs, sizeof *out->values);
    out->identities = sl_alloc(outcome->n_runs, sizeof *out->identities);
    for (size_t i = 0; i < outcome->n_runs; i++) {
        double value = outcome->values[i * n_columns + c];
        if (isnan(value) || !fits[outcome->runs[i].row_number]) continue;
        out->overlap = fmax(out->overlap, outcome->runs[i].overlap);
        out->values[out->count] = value;
        out->identities[out->count++] = outcome->runs[i].identity;
    }
    free(fits);
}

struct sl_estimate sl_outcome_estimate(const struct sl_outcome *outcome,
                                       const struct sl_sample *sample)
{
    struct sl_estimate estimate = {.mean = NAN, .spread = NAN, .n_runs = sample->count};
    if (sample->count == 0) return estimate;
    if (brief_of(outcome)->has_sd) {
        estimate.mean = sl_mean(sample->values, sample->count);
        estimate.spread = sl_sd(sample->values, sample->count);
    } else {
        struct sl_interval t95 = sl_sample_interval(sample);
        estimate.mean = t95.estimate;
        estimate.spread = (t95.high - t95.low) / 2;
    }
    return estimate;
}

static struct sl_outcome_cell *add_cell(struct sl_outcome *outcome)
{
    outcome->cells = sl_resize(outcome->cells, outcome->n_cells + 1, sizeof *outcome->cells);
    struct sl_outcome_cell *cell = &outcome->cells[outcome->n_cells++];
    *cell = (struct sl_outcome_cell){
        .here = {.mean = NAN, .spread = NAN}, .paper = NAN, .uncertainty = NAN, .metric = ""};
    return cell;
}

/* Why the runs of a cell cannot be trained or scored here, if the plan says. */
static const char *planned_reason(const struct sl_outcome *outcome, const char *pattern,
                                  const char *test)
{
    const struct sl_outcome_source *source = &outcome->source;
    for (size_t i = 0; i < source->n_plan; i++) {
        const struct sl_planned_run *plan = &source->plan[i];
        const char *absent = json_string_value(json_object_get(plan->absent, test));
        const char *reason = plan->missing ? plan->missing : absent;
        if (reason && outcome->planned[i] && sl_verdict_pattern_fits(pattern, outcome->planned[i]))
            return reason;
    }
    return NULL;
}

/* The rows of the plan's runs. */
static void list_planned(struct sl_outcome *outcome)
{
    const struct sl_outcome_source *source = &outcome->source;
    outcome->planned = sl_alloc(source->n_plan + 1, sizeof *outcome->planned);
    for (size_t i = 0; i < source->n_plan; i++) {
        const struct sl_planned_run *plan = &source->plan[i];
        const struct sl_outcome_run run = {
            .part = plan->part, .set = plan->set, .network = plan->network};
        if (plan->set) outcome->planned[i] = row_of(outcome, &run);
    }
}

/* Why a cell has no figure, from the specification or the plan; or NULL. */
static const char *reason_of(const struct sl_outcome *outcome, const struct sl_outcome_cell *cell)
{
    const struct sl_brief *brief = brief_of(outcome);
    for (size_t i = 0; i < brief->n_absent; i++)
        if (strcmp(brief->absent[i].name, cell->cell) == 0) return brief->absent[i].words;
    for (size_t i = 0; i < brief->n_figures; i++)
        if (brief->figures[i].missing && strcmp(brief->figures[i].cell, cell->cell) == 0)
            return brief->figures[i].missing;
    if (!cell->pattern) return NULL;
    return planned_reason(outcome, cell->pattern, cell->test_set);
}

static void use_computed(const struct sl_outcome *outcome, struct sl_outcome_cell *cell)
{
    const json_t *value = json_object_get(outcome->computed, cell->cell);
    if (!json_is_number(value)) return;
    cell->here = (struct sl_estimate){.mean = json_number_value(value),
                                      .spread = sl_computed_spread(outcome, cell->cell),
                                      .is_computed = true};
    /* One digit more than printed shows how close it is; counts need none. */
    if (cell->status && cell->here.mean != floor(cell->here.mean)) cell->decimals++;
}

/* The least number of decimals: three, or two in per cent. */
static unsigned enough_decimals(const struct sl_outcome *outcome, const char *column)
{
    return factor_of(outcome, column) == 1 ? 3 : 2;
}

/* The paper's words for a row, with the row's key if several rows have the same words. */
static char *row_words(const struct sl_outcome *outcome, const struct sl_expected_row *row)
{
    for (size_t i = 0; i < outcome->expected->count; i++) {
        const struct sl_expected_row *other = &outcome->expected->rows[i];
        if (other != row && strcmp(other->row, row->row) == 0 &&
            strcmp(other->metric, row->metric) == 0 && strcmp(other->test_set, row->test_set) == 0)
            return sl_string_printf("%s (%.*s)", row->row, (int)sl_verdict_row_length(row->cell),
                                    row->cell);
    }
    return sl_string_copy(row->row);
}

static void add_published(struct sl_outcome *outcome, const struct sl_expected_row *row)
{
    struct sl_outcome_cell *cell = add_cell(outcome);
    const char *column = NULL;
    cell->cell = sl_string_copy(row->cell);
    cell->row = row_words(outcome, row);
    cell->column = sl_string_copy(row->column);
    cell->metric = row->metric;
    cell->test_set = sl_string_copy(row->test_set);
    cell->paper = row->value;
    cell->uncertainty = row->uncertainty;
    cell->uncertainty_kind = row->kind;
    cell->paper_runs = row->n_runs;
    cell->status = row->status;
    cell->note = row->note;
    cell->decimals = cell->paper_decimals = row->decimals;
    if (sl_outcome_place(outcome, row->cell, &cell->pattern, &column)) {
        struct sl_sample sample;
        sl_outcome_collect(outcome, cell->pattern, column, &sample);
        cell->here = sl_outcome_estimate(outcome, &sample);
        unsigned enough = enough_decimals(outcome, column);
        if (cell->decimals < enough) cell->decimals = enough;
        sl_sample_release(&sample);
    }
    if (cell->here.n_runs == 0) use_computed(outcome, cell);
    if (isnan(cell->here.mean)) cell->reason = reason_of(outcome, cell);
}

/* "a, b" for "a|b". */
static char *words_of(const char *row)
{
    struct sl_buffer words;
    sl_buffer_init(&words, 1 << 16);
    for (; *row; row++)
        sl_buffer_text(&words, *row == '|' ? ", " : (char[2]){*row, '\0'});
    char *text = sl_string_copy(words.length ? words.data : "");
    sl_buffer_release(&words);
    return text;
}

/* The metric's title, `between` and the test set. */
static char *title_with(const char *column, const char *between)
{
    const char *slash = strrchr(column, '/'), *name = slash ? slash + 1 : column;
    const struct sl_measure *metric = sl_measure_find(name, strlen(name));
    const char *title = metric ? metric->title : name;
    if (!slash) return sl_string_copy(title);
    /* Measures of the labels themselves have no test set. */
    if (strcmp(column, "labels/seconds") == 0) return sl_string_copy("annotator time per item (s)");
    if (strncmp(column, "labels/", strlen("labels/")) == 0)
        return sl_string_printf("%s from the truth", title);
    return sl_string_printf("%s%s%.*s", title, between, (int)(slash - column), column);
}

char *sl_verdict_column_title(const char *column)
{
    return title_with(column, ", ");
}

char *sl_verdict_chart_title(const char *column)
{
    return title_with(column, " on ");
}

static void add_unpublished(struct sl_outcome *outcome, const char *row, const char *column)
{
    struct sl_sample sample;
    sl_outcome_collect(outcome, row, column, &sample);
    if (sample.count) {
        const char *slash = strrchr(column, '/');
        struct sl_outcome_cell *cell = add_cell(outcome);
        cell->cell = sl_string_printf("%s/%s", row, column);
        cell->row = words_of(row);
        cell->column = sl_verdict_column_title(column);
        cell->metric = slash ? slash + 1 : column;
        cell->test_set = sl_string_copy_n(column, slash ? (size_t)(slash - column) : 0);
        cell->pattern = sl_string_copy(row);
        cell->here = sl_outcome_estimate(outcome, &sample);
        cell->decimals = enough_decimals(outcome, column);
    }
    sl_sample_release(&sample);
}

/* Add cells for figures of runs that are not published. */
static void add_other_cells(struct sl_outcome *outcome)
{
    const struct sl_name_list *columns = &brief_of(outcome)->columns;
    for (uint32_t i = 0; i < sl_name_table_count(outcome->rows); i++) {
        const char *row = sl_name_table_get(outcome->rows, i, NULL);
        for (size_t c = 0; c < columns->count; c++) {
            const char *column = columns->names[c];
            if (!sl_outcome_published(outcome, row, column)) add_unpublished(outcome, row, column);
        }
    }
}

/* Add cells for computed figures that are not published. */
static void add_further(struct sl_outcome *outcome)
{
    const char *key;
    json_t *value;
    json_object_foreach(outcome->computed, key, value)
    {
        size_t length = sl_verdict_row_length(key);
        if (!json_is_number(value) || sl_expected_find(outcome->expected, key)) continue;
        struct sl_outcome_cell *cell = add_cell(outcome);
        cell->cell = sl_string_copy(key);
        cell->row = sl_string_copy_n(key, length);
        cell->column = sl_string_copy(key[length] == '/' ? key + length + 1 : key);
        cell->test_set = sl_string_copy("");
        cell->decimals = 3;
        use_computed(outcome, cell);
    }
}

enum sl_status sl_outcome_create(const struct sl_outcome_source *source, struct sl_outcome **out,
                                 struct sl_error *err)
{
    struct sl_outcome *outcome = sl_alloc(1, sizeof *outcome);
    enum sl_status status = SL_OK;
    outcome->source = *source;
    outcome->computed = json_object();
    outcome->samples = json_object();
    outcome->errors = json_object();
    outcome->identities = sl_name_table_create();
    outcome->rows = sl_name_table_create();
    outcome->places = sl_name_table_create();
    SL_TRY_OUT(sl_expected_read(source->spec->expected, "expected.csv", &outcome->expected, err));
    SL_TRY_OUT(find_runs(outcome, err));
    list_planned(outcome);
    read_values(outcome);
    for (size_t i = 0; i < outcome->expected->count; i++)
        add_published(outcome, &outcome->expected->rows[i]);
    add_other_cells(outcome);
    add_further(outcome);
    SL_TRY_OUT(sl_outcome_read_claims(outcome, err));
    *out = outcome;
    outcome = NULL;
out:
    sl_outcome_destroy(outcome);
    if (status != SL_OK) return sl_fail_within(err, status, "%s", source->spec->name);
    return SL_OK;
}

void sl_outcome_destroy(struct sl_outcome *outcome)
{
    if (!outcome) return;
    for (size_t i = 0; i < outcome->n_cells; i++) {
        struct sl_outcome_cell *cell = &outcome->cells[i];
        free(cell->cell);
        free(cell->row);
        free(cell->column);
        free(cell->test_set);
        free(cell->pattern);
    }
    for (size_t i = 0; i < outcome->n_claims; i++) {
        free(outcome->claims[i].identity);
        free(outcome->claims[i].storage);
    }
    for (size_t i = 0; outcome->planned && i < outcome->source.n_plan; i++)
        free(outcome->planned[i]);
    free(outcome->planned);
    for (size_t i = 0; i < outcome->n_runs; i++)
        free(outcome->runs[i].row);
    free(outcome->runs);
    free(outcome->cells);
    free(outcome->claims);
    json_decref(outcome->computed);
    json_decref(outcome->samples);
    json_decref(outcome->errors);
    sl_expected_destroy(outcome->expected);
    sl_name_table_destroy(outcome->identities);
    sl_name_table_destroy(outcome->rows);
    sl_name_table_destroy(outcome->places);
    free(outcome->values);
    free(outcome);
}
