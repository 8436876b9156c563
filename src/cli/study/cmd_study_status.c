#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study.h"

struct status_values {
    bool annotators;
    bool items;
    bool json;
};

#define AT(field) .offset = offsetof(struct status_values, field)
static const struct sl_field_row status_options[] = {
    {"annotators", SL_FIELD_BOOLEAN, AT(annotators), "print a line for every session",
     .letter = 'a'},
    {"items", SL_FIELD_BOOLEAN, AT(items),
     "print a line for every item, those with most disagreement first", .letter = 'i'},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print everything as JSON"},
    {.name = NULL},
};
#undef AT

static int64_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* A number with so many decimals times `scale`, or a dash where nothing is known. */
static const char *real(struct cli_table *table, const json_t *object, const char *key,
                        double scale, int decimals)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? cli_real(table, scale * json_number_value(value), decimals, "")
                                 : "-";
}

static const char *integer(struct cli_table *table, const json_t *object, const char *key)
{
    return cli_cell(table, "%" PRId64, number(object, key));
}

static void add_sessions(struct cli_table *table, const json_t *sessions)
{
    static const char *const states[] = {"done",    "active", "expired",   "returned",
                                         "refused", "test",   "second_run"};
    const char *line = "";
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (number(sessions, states[i]) != 0)
            line = cli_cell(table, "%s%s%" PRId64 " %s", line, *line ? ", " : "",
                            number(sessions, states[i]), states[i]);
    cli_table_add(table, "sessions", *line ? line : "none");
}

static void add_hours(struct cli_table *table, const json_t *hours)
{
    int64_t sum = 0, most = 0;
    size_t index = 0;
    const json_t *hour = NULL;
    json_array_foreach(hours, index, hour)
    {
        sum += json_integer_value(hour);
        if (json_integer_value(hour) > most) most = json_integer_value(hour);
    }
    cli_table_add(table, "last 24 hours",
                  cli_cell(table, "%" PRId64 " answer%s, at most %" PRId64 " in an hour", sum,
                           sl_text_plural((uint64_t)sum, "", "s"), most));
}

static bool is_adaptive(const json_t *status)
{
    const json_t *asking = json_object_get(status, "asking");
    return strcmp(cli_json_text(asking, "assignment"), "adaptive") == 0;
}

/* How items are chosen, how sure the labels are and what is left. */
static void add_asking(struct cli_table *t, const json_t *asking)
{
    const json_t *items = json_object_get(asking, "items");
    const json_t *expected = json_object_get(asking, "expected");
    const json_t *left = json_object_get(asking, "left");
    const bool adaptive = strcmp(cli_json_text(asking, "assignment"), "adaptive") == 0;
    const char *end = cli_json_text(asking, "end");
    if (!json_is_object(asking)) return;
    if (adaptive)
        cli_table_add(t, "items chosen",
                      cli_cell(t, "%s (variation %s): %s", cli_json_text(asking, "way"),
                               real(t, asking, "variation", 1, 2),
                               cli_json_text(asking, "because")));
    if (number(json_object_get(asking, "spent"), "answers") == 0) return;
    cli_table_add(t, "labels",
                  cli_cell(t, "%" PRId64 " settled, %" PRId64 " full, %" PRId64 " open",
                           number(items, "settled"), number(items, "full"), number(items, "open")));
    cli_table_add(t, "mean risk",
                  cli_cell(t, "%s nats, %s expected after %" PRId64 " more answer%s",
                           real(t, asking, "mean_risk", 1, 4), real(t, expected, "mean_risk", 1, 4),
                           number(expected, "answers"),
                           sl_text_plural((size_t)number(expected, "answers"), "", "s")));
    for (size_t i = 0; i < 3; i++) {
        static const char *const kinds[] = {"answers", "seconds", "money"};
        if (!json_is_number(json_object_get(left, kinds[i]))) continue;
        cli_table_add(
            t, cli_cell(t, "%s left", kinds[i]),
            cli_cell(t, "%s, %s spent", real(t, left, kinds[i], 1, i == 2 ? 2 : 0),
                     real(t, json_object_get(asking, "spent"), kinds[i], 1, i == 2 ? 2 : 0)));
    }
    if (adaptive && strcmp(end, "open") != 0)
        cli_table_add(t, "ended",
                      strcmp(end, "items") == 0    ? "no item is open"
                      : strcmp(end, "target") == 0 ? "the mean risk has reached its target"
                                                   : cli_cell(t, "the budget of %s is spent", end));
}

static void print_overview(const json_t *status)
{
    const json_t *study = json_object_get(status, "study"), *batch = NULL;
    const json_t *agreement = json_object_get(status, "agreement");
    const json_t *repeats = json_object_get(status, "repeats");
    const json_t *checks = json_object_get(status, "checks");
    int64_t finished = 0, target = 0;
    size_t index = 0;
    struct cli_table table, *t = &table;
    json_array_foreach(json_object_get(status, "batches"), index, batch)
    {
        finished += number(batch, "finished");
        target += number(batch, "target");
    }
    cli_table_init(t, "ll");
    cli_table_add(t, "study", cli_json_text(study, "title"));
    if (json_is_string(json_object_get(status, "test_link")))
        cli_table_add(t, "to try it", cli_json_text(status, "test_link"));
    if (!is_adaptive(status))
        cli_table_add(t, "finished",
                      cli_cell(t, "%" PRId64 " of %" PRId64 " session%s wanted", finished, target,
                               sl_text_plural((uint64_t)target, "", "s")));
    cli_table_add(t, "working now",
                  cli_cell(t, "%zu", json_array_size(json_object_get(status, "leases"))));
    add_sessions(t, json_object_get(status, "sessions"));
    cli_table_add(t, "answers",
                  cli_cell(t, "%" PRId64 " on %" PRId64 " item%s, %s per item",
                           number(status, "answers"), number(agreement, "items"),
                           sl_text_plural((uint64_t)number(agreement, "items"), "", "s"),
                           real(t, agreement, "answers_per_item", 1, 1)));
    add_hours(t, json_object_get(status, "per_hour"));
    cli_table_add(t, "checks",
                  cli_cell(t, "%" PRId64 " right, %" PRId64 " wrong", number(checks, "passed"),
                           number(checks, "failed")));
    cli_table_add(t, "agreement",
                  cli_cell(t, "alpha %s, %s %% of pairs agree", real(t, agreement, "alpha", 1, 2),
                           real(t, agreement, "observed", 100, 0)));
    cli_table_add(t, "repeats",
                  cli_cell(t, "%" PRId64 ", %s %% with another class, %s points apart",
                           number(repeats, "count"), real(t, repeats, "changed_class", 100, 0),
                           real(t, repeats, "mean_change", 1, 1)));
    add_asking(t, json_object_get(status, "asking"));
    cli_table_end(t);
}

static void print_batches(const json_t *batches)
{
    struct cli_table table, *t = &table;
    const json_t *one = NULL;
    size_t index = 0;
    cli_table_begin(t, "rrrr", "batch", "wanted", "finished", "working");
    json_array_foreach(batches, index, one)
    {
        cli_table_add(t, integer(t, one, "batch"), integer(t, one, "target"),
                      integer(t, one, "finished"), integer(t, one, "live"));
    }
    putchar('\n');
    cli_table_end(t);
}

static void add_time(struct cli_table *table, const char *screen, const char *input,
                     const json_t *time)
{
    cli_table_add(table, screen, input, real(table, time, "median", 1, 1),
                  integer(table, time, "count"));
}

static void print_times(const json_t *status)
{
    json_t *screens = json_object_get(status, "input_seconds"), *inputs = NULL, *time = NULL;
    const char *screen = NULL, *input = NULL;
    struct cli_table table;
    if (json_object_size(screens) == 0) return;
    cli_table_begin(&table, "llrr", "screen", "input", "median s", "times");
    json_object_foreach(screens, screen, inputs)
    {
        const json_t *trial = json_object_get(json_object_get(status, "trial_seconds"), screen);
        json_object_foreach(inputs, input, time)
        {
            add_time(&table, screen, input, time);
        }
        add_time(&table, screen, "whole trial", trial);
    }
    putchar('\n');
    cli_table_end(&table);
}

static void print_exclusions(const json_t *exclusions)
{
    const json_t *one = NULL;
    size_t index = 0;
    if (json_array_size(exclusions) == 0) return;
    printf("\nthe published rules would exclude\n");
    json_array_foreach(exclusions, index, one)
    {
        printf("  %s: %s\n", cli_json_text(one, "annotator"), cli_json_text(one, "reason"));
    }
}

static bool is_flagged(const json_t *annotator)
{
    return json_is_true(json_object_get(json_object_get(annotator, "suspicion"), "flagged"));
}

static void print_reasons(const json_t *annotator)
{
    const json_t *reason = NULL;
    size_t index = 0;
    printf("  %s%s: ", cli_json_text(annotator, "annotator"),
           json_is_true(json_object_get(annotator, "test")) ? " (test)" : "");
    json_array_foreach(json_object_get(json_object_get(annotator, "suspicion"), "reasons"), index,
                       reason)
    {
        printf("%s%s", index ? "; " : "", json_string_value(reason));
    }
    putchar('\n');
}

static void print_suspicious(const json_t *annotators)
{
    const json_t *one = NULL;
    size_t index = 0, count = 0;
    json_array_foreach(annotators, index, one)
    {
        if (!is_flagged(one)) continue;
        if (count++ == 0)
            puts("\nthese may have answered without looking; look at their answers before you "
                 "exclude anybody");
        print_reasons(one);
    }
}

static void print_annotators(const json_t *annotators)
{
    struct cli_table table, *t = &table;
    const json_t *one = NULL;
    size_t index = 0;
    cli_table_begin(t, "llrlrrrrl", "annotator", "screen", "batch", "state", "answers", "s/trial",
                    "checks", "suspicion", "exclude because");
    json_array_foreach(annotators, index, one)
    {
        const char *state =
            cli_cell(t, "%s%s%s", cli_json_text(one, "state"),
                     json_is_true(json_object_get(one, "test")) ? ", test" : "",
                     json_is_true(json_object_get(one, "second_run")) ? ", second run" : "");
        const char *checks =
            cli_cell(t, "%" PRId64 "/%" PRId64, number(one, "checks_right"), number(one, "checks"));
        cli_table_add(t, cli_json_text(one, "annotator"), cli_json_text(one, "screen"),
                      integer(t, one, "batch"), state, integer(t, one, "answers"),
                      real(t, one, "seconds", 1, 1), checks,
                      real(t, json_object_get(one, "suspicion"), "score", 1, 2),
                      cli_json_text(one, "excluded"));
    }
    cli_table_end(t);
}

static double entropy_of(const json_t *item)
{
    const json_t *entropy = json_object_get(item, "entropy");
    return json_is_number(entropy) ? json_number_value(entropy) : -1;
}

static int by_entropy(const void *a, const void *b)
{
    const json_t *left = *(json_t *const *)a, *right = *(json_t *const *)b;
    const double difference = entropy_of(right) - entropy_of(left);
    if (difference > 0 || difference < 0) return difference > 0 ? 1 : -1;
    return strcmp(cli_json_text(left, "id"), cli_json_text(right, "id"));
}

/* "cat 0.75, dog 0.25" */
static const char *label_text(struct cli_table *table, const json_t *label)
{
    const char *line = "";
    const json_t *pair = NULL;
    size_t index = 0;
    json_array_foreach(label, index, pair)
    {
        line = cli_cell(table, "%s%s%s %.2f", line, index ? ", " : "",
                        json_string_value(json_array_get(pair, 0)),
                        json_number_value(json_array_get(pair, 1)));
    }
    return line;
}

/* "open, 2 more" */
static const char *state_text(struct cli_table *table, const json_t *item)
{
    const json_t *asking = json_object_get(item, "asking");
    const json_t *needed = json_object_get(asking, "needed");
    if (!json_is_object(asking)) return "-";
    if (json_is_integer(needed) && json_integer_value(needed) > 0)
        return cli_cell(table, "%s, %" PRId64 " more", cli_json_text(asking, "state"),
                        number(asking, "needed"));
    return cli_json_text(asking, "state");
}

/* "cat 0.61 to 0.93" */
static const char *interval_text(struct cli_table *table, const json_t *item)
{
    const json_t *asking = json_object_get(item, "asking");
    const json_t *interval = json_object_get(asking, "interval");
    if (!json_is_array(interval) || number(asking, "answers") == 0) return "-";
    return cli_cell(table, "%s %.2f to %.2f", cli_json_text(asking, "top"),
                    json_number_value(json_array_get(interval, 0)),
                    json_number_value(json_array_get(interval, 1)));
}

static void print_items(const json_t *items)
{
    const size_t count = json_array_size(items);
    const json_t **sorted = sl_alloc(count + 1, sizeof *sorted);
    struct cli_table table, *t = &table;
    for (size_t i = 0; i < count; i++)
        sorted[i] = json_array_get(items, i);
    qsort(sorted, count, sizeof *sorted, by_entropy);
    cli_table_begin(t, "lrrlll", "item", "answers", "entropy", "state", "95 % interval", "label");
    for (size_t i = 0; i < count; i++)
        cli_table_add(t, cli_json_text(sorted[i], "id"), integer(t, sorted[i], "answers"),
                      real(t, sorted[i], "entropy", 1, 2), state_text(t, sorted[i]),
                      interval_text(t, sorted[i]),
                      label_text(t, json_object_get(sorted[i], "label")));
    cli_table_end(t);
    free(sorted);
}

/* "2027-01-31" has passed, by UTC. */
static bool is_over(const char *keep_until, int64_t now)
{
    char today[32];
    const time_t seconds = (time_t)(now / 1000);
    struct tm day;
    if (!*keep_until || !gmtime_r(&seconds, &day)) return false;
    strftime(today, sizeof today, "%Y-%m-%d", &day);
    return strcmp(today, keep_until) > 0;
}

static enum sl_status print_status(struct cli *cli, const struct status_values *options,
                                   json_t *status, struct sl_error *err)
{
    if (options->json) return cli_print_json(json_incref(status), err);
    if (options->annotators) print_annotators(json_object_get(status, "annotators"));
    if (options->items) print_items(json_object_get(status, "items"));
    if (!options->annotators && !options->items) {
        print_overview(status);
        if (!is_adaptive(status)) print_batches(json_object_get(status, "batches"));
        print_times(status);
        print_exclusions(json_object_get(status, "exclusions"));
        print_suspicious(json_object_get(status, "annotators"));
    }
    const char *until = cli_json_text(json_object_get(status, "study"), "keep_until");
    if (is_over(until, number(status, "now")))
        sl_log(&cli->log, SL_LOG_WARNING, "the data were to be kept until %s, which has passed",
               until);
    return SL_OK;
}

static enum sl_status run_status(struct cli *cli, const void *values, struct sl_error *err)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    json_t *result = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_store(study, true, &store, err));
    SL_TRY_OUT(sl_study_check_pictures(study, store, err));
    SL_TRY_OUT(sl_study_status(study, store, cli_now(), &result, err));
    status = print_status(cli, values, result, err);
out:
    json_decref(result);
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static const struct cli_example status_examples[] = {
    {"softlab study status birds", "how far it is, beside a running server"},
    {"softlab study status birds --items", "what people disagree about"},
    {"softlab study status birds --json", "for a program of your own"},
    {NULL, NULL},
};

const struct cli_command cmd_study_status = {
    .name = "study status",
    .also = "progress monitor dashboard",
    .group = "studies",
    .summary = "progress of a study: batches, times, checks, agreement, exclusions",
    .description = "Prints what the researcher's page shows, also while the study is served. "
                   "Participants appear as short hashes. The seconds of an input run from the "
                   "previous change, or from when the trial was shown, to the last change of the "
                   "input. Exclusions follow the published rules; they are for the analysis and "
                   "not for payment. Suspicion (0 to 1, flagged from 0.9) marks annotators who may "
                   "have answered without looking: a reason to look at their answers, never a "
                   "reason not to pay. Test sessions are compared with test sessions only.",
    .arguments = cli_study_argument,
    .options = status_options,
    .examples = status_examples,
    .values_size = sizeof(struct status_values),
    .run = run_status,
};
