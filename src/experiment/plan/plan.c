#include "experiment/plan/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"
#include "softlab/experiment/launch.h"

void sl_json_hash(const json_t *value, char out[65])
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    sl_sha256(text, strlen(text), out);
    free(text);
}

const char *sl_plan_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

void sl_needs_add(struct sl_needs *needs, size_t job)
{
    if (job == SL_NO_JOB) return;
    for (size_t i = 0; i < needs->count; i++)
        if (needs->jobs[i] == job) return;
    assert(needs->count < sizeof needs->jobs / sizeof *needs->jobs);
    needs->jobs[needs->count++] = job;
}

static char *output_of(const char *key, const char *suffix)
{
    return strcmp(suffix, "/") == 0 ? sl_string_printf("runs/%.32s/weights.safetensors", key)
                                    : sl_string_printf("cache/%.32s%s", key, suffix);
}

const struct sl_job *sl_plan_job_of(const struct sl_planner *planner, const char *output)
{
    const json_t *number = json_object_get(planner->outputs, output);
    return number ? &planner->plan->jobs[json_integer_value(number)] : NULL;
}

/* True if a file that a preparation reads is not on this machine; *err names the first. */
static bool lacks_place(const struct sl_planner *planner, json_t *value, struct sl_error *err)
{
    const char *text = json_string_value(value), *key;
    char *path = NULL;
    json_t *member;
    bool lacks = text && text[0] == '@' &&
                 sl_experiment_place(planner->options->roots, text, &path, err) != SL_OK;
    free(path);
    for (size_t i = 0; i < json_array_size(value) && !lacks; i++)
        lacks = lacks_place(planner, json_array_get(value, i), err);
    json_object_foreach(value, key, member)
    {
        lacks = lacks || lacks_place(planner, member, err);
    }
    return lacks;
}

static void miss(struct sl_job *job, const char *reason)
{
    if (!job->missing) job->missing = sl_string_copy(reason);
}

size_t sl_plan_add_job(struct sl_planner *planner, json_t *step, json_t *record, const char *suffix,
                       const struct sl_needs *needs, const char *title)
{
    struct sl_experiment *plan = planner->plan;
    char key[SL_SHA256_TEXT];
    sl_identity_key("job", record ? record : sl_identity_of_step(planner, step), key);
    char *output = output_of(key, suffix);
    const struct sl_job *known = sl_plan_job_of(planner, output);
    if (known) {
        free(output);
        json_decref(step);
        return (size_t)(known - plan->jobs);
    }
    plan->jobs = sl_resize(plan->jobs, plan->n_jobs + 1, sizeof *plan->jobs);
    struct sl_job *job = &plan->jobs[plan->n_jobs];
    *job = (struct sl_job){.output = output, .title = sl_string_copy(title), .step = step};
    memcpy(job->key, key, sizeof key);
    if (needs && needs->count > 0) {
        job->needs = sl_alloc(needs->count, sizeof *job->needs);
        job->n_needs = needs->count;
        memcpy(job->needs, needs->jobs, needs->count * sizeof *job->needs);
    }
    for (size_t i = 0; i < job->n_needs; i++)
        if (plan->jobs[job->needs[i]].missing) miss(job, plan->jobs[job->needs[i]].missing);
    struct sl_error err;
    if (planner->options->roots && json_object_get(step, "prepare") &&
        lacks_place(planner, step, &err))
        miss(job, err.message);
    json_object_set_new(planner->outputs, output, json_integer((json_int_t)plan->n_jobs));
    return plan->n_jobs++;
}

void sl_plan_miss(struct sl_planner *planner, size_t job, const char *reason)
{
    miss(&planner->plan->jobs[job], reason);
}

double sl_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool sl_plan_names_data(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (const struct sl_named_dataset *set = sl_named_datasets; set->name; set++)
        if (strlen(set->name) == length && strncmp(set->name, text, length) == 0) return true;
    return false;
}

void sl_run_release(struct sl_run *run)
{
    free(run->scores);
    free(run->title);
    free(run->part);
    free(run->set);
    free(run->network);
    json_decref(run->renamed);
    json_decref(run->absent);
    json_decref(run->figures);
    json_decref(run->exhibits);
    json_decref(run->measured);
    free(run->missing);
}

static void release_job(struct sl_job *job)
{
    free(job->output);
    free(job->title);
    json_decref(job->step);
    free(job->needs);
    free(job->missing);
}

void sl_experiment_destroy(struct sl_experiment *experiment)
{
    if (!experiment) return;
    for (size_t i = 0; i < experiment->n_jobs; i++)
        release_job(&experiment->jobs[i]);
    for (size_t i = 0; i < experiment->n_runs; i++)
        sl_run_release(&experiment->runs[i]);
    free(experiment->jobs);
    free(experiment->runs);
    free(experiment->name);
    free(experiment->scale);
    free(experiment->variant);
    json_decref(experiment->keys);
    free(experiment);
}

/* ---- Shards and cells ---- */

static void keep_runs(struct sl_experiment *experiment, const bool *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        if (kept[i])
            experiment->runs[count++] = experiment->runs[i];
        else
            sl_run_release(&experiment->runs[i]);
    }
    experiment->n_runs = count;
}

bool sl_plan_lists(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (sl_text_same(json_string_value(json_array_get(list, i)), text)) return true;
    return false;
}

static bool same_cell(const struct sl_run *a, const struct sl_run *b)
{
    return a->seed == b->seed && sl_text_same(a->part, b->part) && sl_text_same(a->set, b->set) &&
           sl_text_same(a->network, b->network);
}

void sl_experiment_shard(struct sl_experiment *experiment, size_t index, size_t count)
{
    bool *kept = sl_alloc(experiment->n_runs + 1, sizeof *kept);
    size_t group = 0;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        if (i > 0 && !same_cell(&experiment->runs[i - 1], &experiment->runs[i])) group++;
        kept[i] = group % count == index;
    }
    keep_runs(experiment, kept);
    free(kept);
}

static bool has_coordinate(const struct sl_run *run, const char *word, size_t length)
{
    const char *const texts[] = {run->part, run->set, run->network,
                                 run->figures ? "figures" : NULL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && strlen(texts[i]) == length && strncmp(texts[i], word, length) == 0)
            return true;
    char *seed = sl_string_printf("%lld", (long long)run->seed);
    const bool same = strlen(seed) == length && strncmp(seed, word, length) == 0;
    free(seed);
    return same;
}

static bool in_cell(const struct sl_run *run, const char *cell)
{
    for (const char *word = cell;; word++) {
        const size_t length = strcspn(word, "|");
        const bool any = length == 1 && *word == '*';
        if (!any && !has_coordinate(run, word, length)) return false;
        word += length;
        if (*word == '\0') return true;
    }
}

/* Name the word of the cell that no run has, and suggest the nearest. */
static enum sl_status fail_cell(const struct sl_experiment *experiment, const char *cell,
                                struct sl_error *err)
{
    const char **names = sl_alloc(3 * experiment->n_runs + 1, sizeof *names);
    size_t n_names = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        const char *const texts[] = {run->part, run->set, run->network};
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++)
            if (texts[j]) names[n_names++] = texts[j];
    }
    for (const char *word = cell; status == SL_OK; word++) {
        const size_t length = strcspn(word, "|");
        char *one = sl_string_copy_n(word, length);
        bool known = strcmp(one, "*") == 0;
        for (size_t i = 0; i < experiment->n_runs && !known; i++)
            known = has_coordinate(&experiment->runs[i], one, length);
        char ending[SL_SUGGESTION_TEXT];
        if (!known)
            status = sl_fail(err, SL_ERR_NOT_FOUND, "%s has no set, network, part or seed \"%s\"%s",
                             experiment->name, one, sl_text_suggestion(one, names, "", ending));
        free(one);
        word += length;
        if (*word == '\0') break;
    }
    free(names);
    return status != SL_OK
               ? status
               : sl_fail(err, SL_ERR_NOT_FOUND, "%s has no run \"%s\"", experiment->name, cell);
}

enum sl_status sl_experiment_only(struct sl_experiment *experiment, const char *cell,
                                  struct sl_error *err)
{
    bool *kept = sl_alloc(experiment->n_runs + 1, sizeof *kept);
    bool some = false;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        kept[i] = in_cell(&experiment->runs[i], cell);
        some = some || kept[i];
    }
    if (some) keep_runs(experiment, kept);
    free(kept);
    return some ? SL_OK : fail_cell(experiment, cell, err);
}

/* Keep the one run whose key begins with a word. */
static enum sl_status keep_key(const struct sl_experiment *experiment, const char *word,
                               size_t length, bool *kept, struct sl_error *err)
{
    size_t found = SIZE_MAX, count = 0;
    for (size_t i = 0; i < experiment->n_runs; i++) {
        if (strncmp(experiment->runs[i].key, word, length) != 0) continue;
        found = i;
        count++;
    }
    if (length == 0 || count == 0)
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%s has no run with the key \"%.*s\"; --launcher print prints the keys",
                       experiment->name, (int)length, word);
    if (count > 1)
        return sl_fail(err, SL_ERR_USAGE,
                       "%zu runs of %s have keys that begin with \"%.*s\"; give more digits", count,
                       experiment->name, (int)length, word);
    kept[found] = true;
    return SL_OK;
}

enum sl_status sl_experiment_only_keys(struct sl_experiment *experiment, const char *keys,
                                       struct sl_error *err)
{
    bool *kept = sl_alloc(experiment->n_runs + 1, sizeof *kept);
    enum sl_status status = SL_OK;
    for (const char *word = keys; word && status == SL_OK;) {
        const size_t length = strcspn(word, ",");
        status = keep_key(experiment, word, length, kept, err);
        word = word[length] ? word + length + 1 : NULL;
    }
    if (status == SL_OK) keep_runs(experiment, kept);
    free(kept);
    return status;
}
