/* Collects the outputs of a run's jobs into one line of results.jsonl. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiment/run/exhibits.h"
#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

enum { SCORES_LIMIT = 1 << 28 };

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *number_or_null(int64_t number)
{
    return number >= 0 ? json_integer(number) : json_null();
}

json_t *sl_run_head(const struct sl_experiment *experiment, const struct sl_run *run,
                    const char *kind)
{
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "softlab", kind,
                     "version", 1, "key", run->key, "spec", experiment->name, "scale",
                     experiment->scale, "variant", experiment->variant, "part",
                     text_or_null(run->part), "set", text_or_null(run->set), "network",
                     text_or_null(run->network), "seed", number_or_null(run->seed), "fold",
                     number_or_null(run->fold));
}

/* ---- Scores ---- */

/* Members of the line that scores fill. */
struct parts {
    json_t *metrics, *attacks, *reliability, *gallery, *classes; /* owned */
};

static void put_metric(struct parts *parts, const struct sl_run *run, const char *test,
                       const char *metric, json_t *value)
{
    char *name = sl_string_printf("%s/%s", test, metric);
    const char *other = sl_plan_text(run->renamed, name);
    json_object_set(parts->metrics, other ? other : name, value);
    free(name);
}

/* Join the bins of a test's data sets ("cinic10#1", "cinic10#2") under the test's name. */
static void put_reliability(struct parts *parts, const char *test, json_t *bins)
{
    char *name = sl_string_copy_n(test, strcspn(test, "#"));
    json_t *there = json_object_get(parts->reliability, name);
    if (there)
        json_array_extend(there, bins);
    else
        json_object_set_new(parts->reliability, name, json_copy(bins));
    free(name);
}

static void put_test(struct parts *parts, const struct sl_run *run, const char *test,
                     const json_t *scores)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(scores, "metrics"), name, value)
    {
        put_metric(parts, run, test, name, value);
    }

    json_object_foreach(json_object_get(scores, "attacks"), name, value)
    {
        char *key = sl_string_printf("%s/%s", test, name);
        json_t *losses = json_object_get(value, "losses");
        if (losses) json_object_set(parts->attacks, key, losses);
        free(key);
    }
    json_t *reliability = json_object_get(scores, "reliability");
    json_t *gallery = json_object_get(scores, "gallery");
    if (reliability) put_reliability(parts, test, reliability);
    if (gallery && !parts->gallery) parts->gallery = json_incref(gallery);
}

/* Replace "cinic10#1/accuracy", "cinic10#2/accuracy" ... by their mean over items,
 * "cinic10/accuracy". */
static void join_numbered(struct parts *parts, const json_t *tests)
{
    json_t *sums = json_object(), *counts = json_object();
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(parts->metrics, next, name, value)
    {
        const char *mark = strchr(name, '#'), *slash = strchr(name, '/');
        if (!mark || !slash || mark > slash) continue;
        char *test = sl_string_copy_n(name, (size_t)(slash - name));
        char *joined = sl_string_printf("%.*s%s", (int)(mark - name), name, slash);
        const double n = json_number_value(json_object_get(json_object_get(tests, test), "n"));
        const double sum = json_number_value(json_object_get(sums, joined));
        const double count = json_number_value(json_object_get(counts, joined));
        json_object_set_new(sums, joined, json_real(sum + n * json_number_value(value)));
        json_object_set_new(counts, joined, json_real(count + n));
        json_object_del(parts->metrics, name);
        free(test);
        free(joined);
    }
    json_object_foreach(sums, name, value)
    {
        const double count = json_number_value(json_object_get(counts, name));
        json_object_set_new(parts->metrics, name, json_real(json_number_value(value) / count));
    }
    json_decref(sums);
    json_decref(counts);
}

static enum sl_status read_scores(const struct sl_experiment *experiment, const struct sl_run *run,
                                  const char *folder, struct parts *parts, struct sl_error *err)
{
    for (size_t i = 0; i < run->n_scores && !run->figures; i++) {
        struct sl_json json = {0};
        char *path = sl_path_join(folder, experiment->jobs[run->scores[i]].output);
        const enum sl_status status = sl_json_read(path, SCORES_LIMIT, &json, err);
        free(path);
        if (status != SL_OK) return status;
        json_t *tests = json_object_get(json.root, "tests");
        json_t *classes = json_object_get(json.root, "classes");
        const char *name;
        json_t *test;
        json_object_foreach(tests, name, test)
        {
            put_test(parts, run, name, test);
        }

        if (json_is_array(classes) && !parts->classes) parts->classes = json_incref(classes);
        join_numbered(parts, tests);
        sl_json_release(&json);
    }
    return SL_OK;
}

/* ---- Figures ---- */

/* Write figures to `out`, and their samples and standard errors to `line` unless it is NULL. */
static enum sl_status put_figures(json_t *figures, const struct sl_experiment_runner *runner,
                                  json_t *out, json_t *line, struct sl_error *err)
{
    json_t *errors = json_object(), *samples = json_object();
    enum sl_status status = SL_OK;
    const char *cell;
    json_t *entry;
    json_object_foreach(figures, cell, entry)
    {
        struct sl_figure figure;
        status = sl_figure_read(entry, runner->folder, &runner->roots, &figure, err);
        if (status != SL_OK) {
            status = sl_fail_within(err, status, "%s", cell);
            goto out;
        }
        json_object_set_new(out, cell,
                            isfinite(figure.value) ? json_real(figure.value) : json_null());
        if (isfinite(figure.error)) json_object_set_new(errors, cell, json_real(figure.error));
        if (figure.sample) json_object_set_new(samples, cell, figure.sample);
    }
    if (line && json_object_size(errors)) json_object_set(line, "errors", errors);
    if (line && json_object_size(samples)) json_object_set(line, "samples", samples);
out:
    json_decref(errors);
    json_decref(samples);
    return status;
}

/* Annotator seconds per item: measured, or else from the specification. */
static json_t *seconds_of(const struct sl_run *run, const json_t *metrics)
{
    json_t *measured = json_object_get(metrics, SL_ANSWER_SECONDS);
    if (measured) return json_incref(measured);
    return isfinite(run->seconds) ? json_real(run->seconds) : json_null();
}

/* ---- The training ---- */

static char *run_file(const struct sl_job *training, const char *folder, const char *name)
{
    const size_t length = strlen(training->output) - strlen("weights.safetensors");
    return sl_string_printf("%s/%.*s%s", folder, (int)length, training->output, name);
}

static json_t *member_or_null(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return value ? json_incref(value) : json_null();
}

static enum sl_status read_curve(const struct sl_job *training, const char *folder, json_t **out,
                                 struct sl_error *err)
{
    char *path = run_file(training, folder, "log.jsonl");
    struct sl_buffer text;
    sl_buffer_init(&text, SCORES_LIMIT);
    json_t *curve = json_array();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_file_read(path, &text, err));
    const char *at = text.length ? text.data : "", *end = at + text.length;
    while (text.length > 0 && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) break;
        json_t *line = json_loadb(at, (size_t)(newline - at), 0, NULL);
        json_array_append_new(curve, json_pack("[o, o, o, o]", member_or_null(line, "epoch"),
                                               member_or_null(line, "loss"),
                                               member_or_null(line, "accuracy"),
                                               member_or_null(line, "score")));
        json_decref(line);
        at = newline + 1;
    }
    *out = curve;
    curve = NULL;
out:
    json_decref(curve);
    sl_buffer_release(&text);
    free(path);
    return status;
}

static enum sl_status read_provenance(const struct sl_job *training, const char *folder,
                                      json_t **out, struct sl_error *err)
{
    struct sl_json run = {0};
    const json_t *settings = NULL;
    if (training) {
        char *path = run_file(training, folder, "run.json");
        const enum sl_status status = sl_json_read(path, SCORES_LIMIT, &run, err);
        free(path);
        if (status != SL_OK) return status;
        settings = json_object_get(run.root, "settings");
    }
    *out = json_pack("{s:s, s:s, s:o, s:o}", "version", sl_version(), "build", sl_build_id(),
                     "data_sha256", member_or_null(settings, "data_sha256"), "tuning_sha256",
                     member_or_null(settings, "tuning_sha256"));
    sl_json_release(&run);
    return SL_OK;
}

/* ---- Commands ---- */

static void mark(const struct sl_experiment *experiment, size_t job, bool *needed)
{
    needed[job] = true;
    for (size_t i = 0; i < experiment->jobs[job].n_needs; i++)
        mark(experiment, experiment->jobs[job].needs[i], needed);
}

static json_t *commands_of(const struct sl_experiment *experiment, const struct sl_run *run)
{
    bool *needed = sl_alloc(experiment->n_jobs + 1, sizeof *needed);
    json_t *commands = json_array();
    for (size_t i = 0; i < run->n_scores; i++)
        mark(experiment, run->scores[i], needed);
    for (size_t i = 0; i < experiment->n_jobs; i++)
        if (needed[i]) json_array_append_new(commands, sl_job_words(&experiment->jobs[i]));
    free(needed);
    return commands;
}

/* ---- The line ---- */

static json_t *time_of(double seconds)
{
    struct sl_cpu cpu;
    char started[32];
    struct tm utc;
    const time_t begun = time(NULL) - (time_t)seconds;
    sl_cpu_detect(&cpu);
    gmtime_r(&begun, &utc);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    char *machine =
        sl_string_printf("x86-64, %s, %zu cores", cpu.avx2 ? "AVX2" : "no AVX2", sl_cpu_count());
    json_t *time = json_pack("{s:s, s:f, s:s}", "started", started, "seconds",
                             round(seconds * 10) / 10, "machine", machine);
    free(machine);
    return time;
}

static void put_parts(json_t *line, struct parts *parts)
{
    json_object_set(line, "metrics", parts->metrics);
    json_object_set(line, "attacks", parts->attacks);
    json_object_set(line, "reliability", parts->reliability);
    if (parts->gallery) json_object_set(line, "gallery", parts->gallery);
    if (parts->classes) json_object_set(line, "classes", parts->classes);
}

static void parts_release(struct parts *parts)
{
    json_decref(parts->metrics);
    json_decref(parts->attacks);
    json_decref(parts->reliability);
    json_decref(parts->gallery);
    json_decref(parts->classes);
}

enum sl_status sl_collect(const struct sl_experiment *experiment, const struct sl_run *run,
                          const struct sl_experiment_runner *runner, double seconds, json_t **out,
                          struct sl_error *err)
{
    const struct sl_job *training =
        run->training == SL_NO_JOB ? NULL : &experiment->jobs[run->training];
    struct parts parts = {json_object(), json_object(), json_object(), NULL, NULL};
    json_t *line = sl_run_head(experiment, run, experiment->kind);
    json_t *part = NULL;
    enum sl_status status = SL_OK;
    if (run->figures) {
        json_t *computed = json_object();
        json_object_set_new(line, "computed", computed);
        SL_TRY_OUT(put_figures(run->figures, runner, computed, line, err));
        SL_TRY_OUT(sl_exhibits_collect(run, runner, line, err));
    } else {
        SL_TRY_OUT(read_scores(experiment, run, runner->folder, &parts, err));
        SL_TRY_OUT(put_figures(run->measured, runner, parts.metrics, NULL, err));
        put_parts(line, &parts);
        SL_TRY_OUT(read_curve(training, runner->folder, &part, err));
        json_object_set_new(line, "curve", part);
    }
    if (run->absent) json_object_set(line, "absent", run->absent);
    json_object_set_new(line, "annotation_seconds", seconds_of(run, parts.metrics));
    json_object_set_new(line, "commands", commands_of(experiment, run));
    SL_TRY_OUT(read_provenance(training, runner->folder, &part, err));
    json_object_set_new(line, "provenance", part);
    json_object_set_new(line, "time", time_of(seconds));
    *out = line;
    line = NULL;
out:
    json_decref(line);
    parts_release(&parts);
    return status;
}
