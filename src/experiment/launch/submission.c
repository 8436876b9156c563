#include "experiment/launch/submission.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiment/launch/slurm.h"
#include "experiment/plan/plan.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/experiment/launch.h"

enum { SUBMISSION_LIMIT = 1 << 28, MOST_TASKS = 1 << 30 };
static const char open_name[] = "open.json", closed_name[] = "closed.json";

/* ---- Writing ---- */

enum sl_status sl_submission_folder(const char *results, char **out, struct sl_error *err)
{
    char name[40];
    struct tm utc;
    const time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(name, sizeof name, "%Y%m%dT%H%M%SZ", &utc);
    char *absolute = sl_path_absolute(results);
    char *folder = sl_string_printf("%s/slurm/%s", absolute, name);
    /* Jobs of several experiments may be submitted within a second. */
    for (unsigned i = 2; sl_folder_exists(folder); i++) {
        free(folder);
        folder = sl_string_printf("%s/slurm/%s-%u", absolute, name, i);
    }
    free(absolute);
    const enum sl_status status = sl_folder_create(folder, err);
    if (status == SL_OK)
        *out = folder;
    else
        free(folder);
    return status;
}

static json_t *run_record(const struct sl_run *run, size_t task)
{
    return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:I, s:I, s:I}", "key", run->key, "title",
                     run->title, "part", run->part, "set", run->set, "network", run->network,
                     "seed", (json_int_t)run->seed, "fold", (json_int_t)run->fold, "task",
                     (json_int_t)task);
}

enum sl_status sl_submission_write(const struct sl_submission *submission, struct sl_error *err)
{
    const struct sl_experiment *experiment = submission->experiment;
    json_t *runs = json_array();
    for (size_t i = 0; i < experiment->n_runs; i++)
        json_array_append_new(runs, run_record(&experiment->runs[i], submission->tasks[i]));
    json_t *record =
        json_pack("{s:s, s:i, s:s, s:s?, s:s, s:s, s:s, s:o, s:O*}", "softlab", "slurm", "version",
                  1, "script", submission->script, "job", submission->job, "spec", experiment->name,
                  "scale", experiment->scale, "variant", experiment->variant, "runs", runs, "makes",
                  submission->makes);
    char *path = sl_path_join(submission->folder, open_name);
    const enum sl_status status = sl_json_write(record, path, err);
    free(path);
    json_decref(record);
    return status;
}

enum sl_status sl_submission_identify(struct sl_submission *submission, struct sl_error *err)
{
    if (submission->job) return SL_OK;
    SL_TRY(sl_slurm_find(submission->script, &submission->job, err));
    return submission->job ? sl_submission_write(submission, err) : SL_OK;
}

enum sl_status sl_submission_close(const struct sl_submission *submission, struct sl_error *err)
{
    char *from = sl_path_join(submission->folder, open_name);
    char *to = sl_path_join(submission->folder, closed_name);
    enum sl_status status = SL_OK;
    /* Another watch may have closed it. */
    if (rename(from, to) != 0 && !(errno == ENOENT && sl_file_exists(to)))
        status = sl_fail_errno(err, "%s: cannot be renamed", from);
    free(from);
    free(to);
    return status;
}

bool sl_submissions_have(const struct sl_submissions *submissions, const char *key)
{
    for (size_t i = 0; i < submissions->count; i++) {
        const struct sl_submission *one = &submissions->items[i];
        for (size_t j = 0; j < one->experiment->n_runs; j++)
            if (one->tasks[j] > 0 && strcmp(one->experiment->runs[j].key, key) == 0) return true;
    }
    return false;
}

/* ---- Reading ---- */

void sl_submission_release(struct sl_submission *submission)
{
    free(submission->folder);
    free(submission->script);
    free(submission->job);
    sl_experiment_destroy(submission->experiment);
    free(submission->tasks);
    json_decref(submission->makes);
    *submission = (struct sl_submission){0};
}

/* A text that the caller frees; NULL if `optional` and absent or null. */
static enum sl_status read_text(const struct sl_json_cursor *object, const char *key, bool optional,
                                char **out, struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *text = NULL;
    if (optional)
        SL_TRY(sl_json_optional(object, key, &at, err));
    else
        SL_TRY(sl_json_member(object, key, &at, err));
    if (!at.value || (optional && json_is_null(at.value))) return SL_OK;
    SL_TRY(sl_json_string(&at, &text, err));
    *out = sl_string_copy(text);
    return SL_OK;
}

static enum sl_status read_number(const struct sl_json_cursor *object, const char *key,
                                  int64_t minimum, int64_t maximum, int64_t *out,
                                  struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_member(object, key, &at, err));
    return sl_json_integer(&at, minimum, maximum, out, err);
}

static enum sl_status read_run(const struct sl_json_cursor *at, struct sl_run *run, size_t *task,
                               struct sl_error *err)
{
    int64_t number = 0;
    struct sl_json_cursor key_at;
    const char *key = NULL;
    SL_TRY(sl_json_member(at, "key", &key_at, err));
    SL_TRY(sl_json_string(&key_at, &key, err));
    if (strlen(key) != sizeof run->key - 1 || strspn(key, "0123456789abcdef") != strlen(key))
        return sl_json_fail(&key_at, err, "is not the key of a run");
    memcpy(run->key, key, sizeof run->key);
    SL_TRY(read_text(at, "title", false, &run->title, err));
    SL_TRY(read_text(at, "part", true, &run->part, err));
    SL_TRY(read_text(at, "set", true, &run->set, err));
    SL_TRY(read_text(at, "network", true, &run->network, err));
    SL_TRY(read_number(at, "seed", -1, INT64_MAX, &run->seed, err));
    SL_TRY(read_number(at, "fold", -1, INT64_MAX, &run->fold, err));
    SL_TRY(read_number(at, "task", 0, MOST_TASKS, &number, err));
    *task = (size_t)number;
    return SL_OK;
}

/* The number becomes a word of Slurm's commands, which would read "--user=root" as an option. */
static enum sl_status read_job(const struct sl_json_cursor *root, struct sl_submission *out,
                               struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(read_text(root, "script", true, &out->script, err));
    SL_TRY(read_text(root, "job", out->script != NULL, &out->job, err));
    if (!out->job || (*out->job && strspn(out->job, "0123456789") == strlen(out->job)))
        return SL_OK;
    SL_TRY(sl_json_member(root, "job", &at, err));
    return sl_json_fail(&at, err, "is not the number of a Slurm job");
}

/* Jobs of earlier versions make nothing that others wait for. */
static enum sl_status read_makes(const struct sl_json_cursor *root, struct sl_submission *out,
                                 struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *key;
    json_t *task;
    SL_TRY(sl_json_optional(root, "makes", &at, err));
    if (at.value && !json_is_object(at.value)) return sl_json_fail(&at, err, "expected an object");
    out->makes = at.value ? json_incref(at.value) : json_object();
    json_object_foreach(out->makes, key, task)
    {
        const char *text = json_string_value(task);
        if (!text || !*text || strspn(text, "0123456789") != strlen(text))
            return sl_json_fail(&at, err, "names no task for %s", key);
    }
    return SL_OK;
}

static enum sl_status read_record(const struct sl_json *json, struct sl_submission *out,
                                  struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(json);
    struct sl_experiment *experiment = out->experiment;
    struct sl_json_cursor runs;
    size_t n_runs = 0;
    SL_TRY(read_job(&root, out, err));
    SL_TRY(read_text(&root, "spec", false, &experiment->name, err));
    SL_TRY(read_text(&root, "scale", false, &experiment->scale, err));
    SL_TRY(read_text(&root, "variant", false, &experiment->variant, err));
    SL_TRY(read_makes(&root, out, err));
    SL_TRY(sl_json_member(&root, "runs", &runs, err));
    SL_TRY(sl_json_array_size(&runs, &n_runs, err));
    experiment->runs = sl_alloc(n_runs + 1, sizeof *experiment->runs);
    out->tasks = sl_alloc(n_runs + 1, sizeof *out->tasks);
    for (; experiment->n_runs < n_runs; experiment->n_runs++) {
        const struct sl_json_cursor at = sl_json_element(&runs, experiment->n_runs);
        struct sl_run *run = &experiment->runs[experiment->n_runs];
        const enum sl_status status = read_run(&at, run, &out->tasks[experiment->n_runs], err);
        if (status == SL_OK) continue;
        experiment->n_runs++; /* its texts are released with the others */
        return status;
    }
    return SL_OK;
}

/* Read the open job in a folder, if it is open. */
static enum sl_status read_open(const char *folder, struct sl_submissions *list,
                                struct sl_error *err)
{
    char *path = sl_path_join(folder, open_name);
    struct sl_json json = {0};
    struct sl_submission one = {0};
    enum sl_status status = SL_OK;
    if (!sl_file_exists(path)) goto out;
    SL_TRY_OUT(sl_json_read(path, SUBMISSION_LIMIT, &json, err));
    one.folder = sl_string_copy(folder);
    one.experiment = sl_alloc(1, sizeof *one.experiment);
    one.experiment->kind = "result";
    SL_TRY_OUT(read_record(&json, &one, err));
    list->items = sl_resize(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = one;
    one = (struct sl_submission){0};
out:
    sl_submission_release(&one);
    sl_json_release(&json);
    free(path);
    return status;
}

enum sl_status sl_submissions_read(const char *results, struct sl_submissions *out,
                                   struct sl_error *err)
{
    char *parent = sl_path_join(results, "slurm"), **names = NULL;
    struct sl_submissions list = {0};
    enum sl_status status = SL_OK;
    if (sl_folder_exists(parent)) SL_TRY_OUT(sl_folder_list(parent, &names, NULL, err));
    for (size_t i = 0; names && names[i]; i++) {
        char *folder = sl_path_join(parent, names[i]);
        status = read_open(folder, &list, err);
        free(folder);
        if (status != SL_OK) goto out;
    }
    *out = list;
    list = (struct sl_submissions){0};
out:
    sl_submissions_release(&list);
    if (names) sl_names_destroy(names);
    free(parent);
    return status;
}

void sl_submissions_release(struct sl_submissions *submissions)
{
    for (size_t i = 0; i < submissions->count; i++)
        sl_submission_release(&submissions->items[i]);
    free(submissions->items);
    *submissions = (struct sl_submissions){0};
}

enum sl_status sl_launch_check(const char *folder, struct sl_error *err)
{
    struct sl_submissions open = {0};
    SL_TRY(sl_submissions_read(folder, &open, err));
    enum sl_status status = SL_OK;
    if (open.count > 0)
        status = sl_fail(err, SL_ERR_USAGE,
                         "%s has %s%s%s, whose results are not joined: follow it with "
                         "softlab run --watch -o %s, or end it with softlab run --cancel -o %s",
                         folder, open.items[0].job ? "Slurm job " : "a Slurm job without a number",
                         open.items[0].job ? open.items[0].job : "",
                         open.count > 1 ? " and others" : "", folder, folder);
    sl_submissions_release(&open);
    return status;
}
