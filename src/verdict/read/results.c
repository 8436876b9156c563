#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base.h"
#include "verdict/read/result_line.h"

/* Ten thousand runs with curves and pictures are about 400 MB. */
static const size_t file_maximum = (size_t)1 << 33;

struct sl_results *sl_results_create(void)
{
    struct sl_results *results = sl_alloc(1, sizeof *results);
    results->keys = sl_name_table_create();
    results->specs = json_object();
    results->plans = json_object();
    return results;
}

static char *plan_name(const char *spec, const char *scale, const char *variant)
{
    return sl_string_printf("%s|%s|%s", spec ? spec : "", scale ? scale : "",
                            variant ? variant : "");
}

const json_t *sl_results_plan(const struct sl_results *results, const char *spec, const char *scale,
                              const char *variant)
{
    char *name = plan_name(spec, scale, variant);
    const json_t *plan = json_object_get(results->plans, name);
    free(name);
    return plan;
}

static void add_plan(struct sl_results *results, const struct sl_result *line)
{
    char *name = plan_name(line->spec, line->scale, line->variant);
    json_t *runs = json_object_get(line->json, "runs");
    if (runs) json_object_set(results->plans, name, runs);
    free(name);
}

void sl_results_destroy(struct sl_results *results)
{
    if (!results) return;
    for (size_t i = 0; i < results->n_runs; i++)
        sl_result_release(&results->runs[i]);
    for (size_t i = 0; i < results->n_failures; i++)
        sl_result_release(&results->failures[i]);
    free(results->runs);
    free(results->failures);
    sl_name_table_destroy(results->keys);
    json_decref(results->specs);
    json_decref(results->plans);
    free(results);
}

static void append(struct sl_result **list, size_t *count, const struct sl_result *result)
{
    /* Room doubles at powers of two. */
    if ((*count & (*count - 1)) == 0)
        *list = sl_resize(*list, *count ? 2 * *count : 1, sizeof **list);
    (*list)[(*count)++] = *result;
}

/* Of lines with the same key the last counts, because a run may be scored again. Without a key a
 * second result of the same run is a mistake. */
enum sl_status sl_results_add_run(struct sl_results *results, struct sl_result *result,
                                  struct sl_error *err)
{
    uint32_t index = 0;
    if (result->is_keyless &&
        sl_name_table_find(results->keys, result->key, strlen(result->key)) != SL_NO_NAME)
        return sl_result_fail_twice(result, err);
    SL_TRY(sl_name_table_add(results->keys, result->key, strlen(result->key), &index, err));
    if (index == results->n_runs) {
        append(&results->runs, &results->n_runs, result);
    } else {
        results->n_repeated++;
        sl_result_release(&results->runs[index]);
        results->runs[index] = *result;
    }
    *result = (struct sl_result){.json = NULL};
    return SL_OK;
}

/* Takes `result`, even on failure. */
static enum sl_status add_result(struct sl_results *results, struct sl_result *result,
                                 enum sl_line_kind kind, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (kind == SL_LINE_FAILURE) {
        append(&results->failures, &results->n_failures, result);
        return SL_OK;
    }
    if (kind == SL_LINE_RESULT) status = sl_results_add_run(results, result, err);
    if (kind == SL_LINE_SPEC && result->spec)
        json_object_set(results->specs, result->spec, result->json);
    if (kind == SL_LINE_PLAN) add_plan(results, result);
    sl_result_release(result);
    return status;
}

/* `text` ends in a line break and has the padding of scans. False in `is_whole`: the file had no
 * line break at its end, so its last line may be incomplete. */
static enum sl_status read_lines(struct sl_results *results, const char *path, const char *text,
                                 size_t length, bool is_whole, struct sl_error *err)
{
    struct sl_line_reader reader = {.path = path};
    const char *at = text, *end = text + length;
    enum sl_status status = SL_OK;
    sl_buffer_init(&reader.rest, SIZE_MAX / 2);
    while (at < end && status == SL_OK) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)(stop - at);
        struct sl_result result;
        enum sl_line_kind kind = SL_LINE_OTHER;
        reader.number++;
        if (size > 0) status = sl_result_read_line(&reader, at, size, &result, &kind, err);
        at = stop + 1;
        if (status == SL_ERR_INPUT && at == end && !is_whole) {
            results->n_torn++;
            status = SL_OK;
        } else if (status == SL_OK && kind != SL_LINE_OTHER) {
            status = add_result(results, &result, kind, err);
            if (status != SL_OK) sl_fail_within(err, status, "%s:%zu", path, reader.number);
        }
    }
    sl_scan_release(&reader.scan);
    sl_buffer_release(&reader.rest);
    return status;
}

static enum sl_status read_file(struct sl_results *results, const char *path, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init_data(&text, file_maximum);
    enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK && text.length) {
        static const char padding[SL_SCAN_PADDING] = {0};
        bool is_whole = text.data[text.length - 1] == '\n';
        if (!is_whole) sl_buffer_byte(&text, '\n');
        size_t length = text.length;
        sl_buffer_append(&text, padding, sizeof padding);
        status = sl_buffer_check(&text, path, err);
        if (status == SL_OK) status = read_lines(results, path, text.data, length, is_whole, err);
    }
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_results_read(struct sl_results *results, const char *path, struct sl_error *err)
{
    if (!sl_folder_exists(path)) return read_file(results, path, err);
    char *file = sl_path_join(path, "results.jsonl"),
         *failed = sl_path_join(path, "failures.jsonl");
    enum sl_status status = read_file(results, file, err);
    if (status == SL_OK && sl_file_exists(failed)) status = read_file(results, failed, err);
    free(file);
    free(failed);
    return status;
}

void sl_results_settle(struct sl_results *results)
{
    struct sl_name_table *seen = sl_name_table_create();
    size_t kept = 0;
    for (size_t i = 0; i < results->n_failures; i++) {
        struct sl_result failure = results->failures[i];
        size_t length = strlen(failure.key), before = sl_name_table_count(seen);
        uint32_t index = 0;
        bool is_done = sl_name_table_find(results->keys, failure.key, length) != SL_NO_NAME;
        bool is_new =
            sl_name_table_add(seen, failure.key, length, &index, NULL) == SL_OK && index == before;
        if (is_done || !is_new)
            sl_result_release(&failure);
        else
            results->failures[kept++] = failure;
    }
    results->n_failures = kept;
    sl_name_table_destroy(seen);
}

enum sl_status sl_results_read_all(struct sl_results *results, char *const *paths, size_t n_paths,
                                   const struct sl_figures_for *purpose, struct sl_error *err)
{
    for (size_t i = 0; i < n_paths; i++)
        if (!sl_path_has_suffix(paths[i], ".csv")) SL_TRY(sl_results_read(results, paths[i], err));
    for (size_t i = 0; i < n_paths; i++)
        if (sl_path_has_suffix(paths[i], ".csv"))
            SL_TRY(sl_results_read_csv(results, paths[i], purpose, err));
    sl_results_settle(results);
    return SL_OK;
}
