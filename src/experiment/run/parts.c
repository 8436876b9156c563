#include "experiment/run/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/run/runner.h"
#include "experiment/run/turn.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/experiment/launch.h"

char *sl_part_folder(const char *folder, const char *key)
{
    return sl_string_printf("%s/parts/%s", folder, key);
}

/* ---- Joining ---- */

/* Logs are for people: one that cannot be moved is no reason to lose a result. */
static void move_logs(const char *from, const char *to)
{
    char *source = sl_path_join(from, "logs"), *target = sl_path_join(to, "logs"), **names = NULL;
    if (sl_folder_create(target, NULL) == SL_OK &&
        sl_folder_list(source, &names, NULL, NULL) == SL_OK) {
        for (char **name = names; *name; name++) {
            char *old = sl_path_join(source, *name), *new = sl_path_join(target, *name);
            (void)!rename(old, new);
            free(old);
            free(new);
        }
        sl_names_destroy(names);
    }
    free(source);
    free(target);
}

static enum sl_status take_result(struct sl_ledger *ledger, struct sl_outputs *outputs,
                                  const struct sl_ledger *part, const struct sl_run *run,
                                  struct sl_error *err)
{
    struct sl_outputs made = {0};
    enum sl_status status = SL_OK;
    json_t *line = json_loads(sl_ledger_find(part, run->key)->text, 0, NULL);
    SL_TRY_OUT(sl_outputs_update(outputs, err)); /* parts publish trainings */
    SL_TRY_OUT(sl_outputs_open(&made, part->folder, err));
    SL_TRY_OUT(sl_outputs_move(outputs, &made, err));
    move_logs(part->folder, ledger->folder);
    /* An interrupted join may have appended the line before. */
    if (!sl_ledger_holds(ledger, line)) SL_TRY_OUT(sl_ledger_append(ledger, line, err));
    sl_folder_remove(part->folder);
out:
    sl_outputs_close(&made);
    json_decref(line);
    return status;
}

static enum sl_status take_failure(struct sl_ledger *ledger, const struct sl_ledger *part,
                                   const struct sl_run *run, enum sl_part_state *out, char **reason,
                                   struct sl_error *err)
{
    json_t *failure = sl_ledger_failure(part, run->key);
    if (!failure) return SL_OK;
    const enum sl_status status = sl_ledger_fail(ledger, failure, err);
    if (status == SL_OK) {
        const char *log = json_string_value(json_object_get(failure, "log"));
        *out = SL_PART_FAILED;
        *reason = sl_string_copy(log ? log : "");
        unlink(part->failures);
    }
    json_decref(failure);
    return status;
}

/* True if the part has a result or a failure; its process may still be about to end. */
static bool has_ended(const char *folder, const struct sl_run *run)
{
    struct sl_ledger part = {.lock = -1};
    if (!sl_folder_exists(folder) || sl_ledger_read(folder, &part, NULL) != SL_OK) return false;
    const bool ended = sl_ledger_has_key(&part, run->key) || sl_file_exists(part.failures);
    sl_ledger_close(&part);
    return ended;
}

/* During a turn. */
static enum sl_status join(struct sl_ledger *ledger, struct sl_outputs *outputs,
                           const struct sl_run *run, const char *folder, enum sl_part_state *out,
                           char **reason, struct sl_error *err)
{
    struct sl_ledger part = {.lock = -1};
    if (!has_ended(folder, run)) return SL_OK; /* another process has joined it */
    enum sl_status status = sl_ledger_open(folder, &part, err);
    if (status == SL_ERR_USAGE) status = SL_OK; /* its process has not ended */
    if (status != SL_OK || part.lock < 0) goto out;
    if (sl_ledger_has_key(&part, run->key)) {
        SL_TRY_OUT(take_result(ledger, outputs, &part, run, err));
        *out = SL_PART_DONE;
    } else {
        SL_TRY_OUT(take_failure(ledger, &part, run, out, reason, err));
    }
out:
    sl_ledger_close(&part);
    return status;
}

enum sl_status sl_part_join(struct sl_ledger *ledger, struct sl_outputs *outputs,
                            const struct sl_run *run, enum sl_part_state *out, char **reason,
                            struct sl_error *err)
{
    char *folder = sl_part_folder(ledger->folder, run->key);
    enum sl_status status = SL_OK;
    *out = SL_PART_NONE;
    *reason = NULL;
    if (!has_ended(folder, run)) goto out;
    SL_TRY_OUT(sl_ledger_begin_turn(ledger, err));
    status = join(ledger, outputs, run, folder, out, reason, err);
    sl_ledger_end_turn(ledger);
out:
    free(folder);
    return status;
}

/* ---- Opening ---- */

/* Append the record unless the ledger has the same line. Takes `record`. */
static enum sl_status record_once(struct sl_ledger *ledger, json_t *record, struct sl_error *err)
{
    enum sl_status status = sl_ledger_begin_turn(ledger, err);
    if (status == SL_OK) {
        if (!sl_ledger_holds(ledger, record)) status = sl_ledger_append(ledger, record, err);
        sl_ledger_end_turn(ledger);
    }
    json_decref(record);
    return status;
}

/* The keys of the planned runs, so that a report does not mix runs from before and after an input
 * changed. */
static json_t *plan_record(const struct sl_experiment *experiment)
{
    char key[SL_SHA256_TEXT];
    sl_identity_key(
        "plan", json_pack("[s, s, s]", experiment->name, experiment->scale, experiment->variant),
        key);
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:O}", "softlab", "plan", "version", 1, "key",
                     key, "spec", experiment->name, "scale", experiment->scale, "variant",
                     experiment->variant, "runs", experiment->keys);
}

static enum sl_status join_all(const struct sl_experiment *experiment, struct sl_ledger *ledger,
                               struct sl_outputs *outputs, struct sl_error *err)
{
    for (size_t i = 0; i < experiment->n_runs; i++) {
        enum sl_part_state state;
        char *reason = NULL;
        SL_TRY(sl_part_join(ledger, outputs, &experiment->runs[i], &state, &reason, err));
        free(reason);
    }
    return SL_OK;
}

enum sl_status sl_results_open(const struct sl_experiment *experiment,
                               const struct sl_experiment_runner *runner, struct sl_ledger *ledger,
                               struct sl_outputs *outputs, struct sl_error *err)
{
    SL_TRY(sl_ledger_open(runner->folder, ledger, err));
    SL_TRY(sl_outputs_open(outputs, runner->folder, err));
    SL_TRY(join_all(experiment, ledger, outputs, err));
    SL_TRY(sl_ledger_forget_failures(ledger, experiment, err));
    if (runner->spec) SL_TRY(record_once(ledger, sl_spec_record(runner->spec), err));
    if (strcmp(experiment->kind, "result") == 0)
        SL_TRY(record_once(ledger, plan_record(experiment), err));
    return SL_OK;
}

/* ---- Making ---- */

static enum sl_status adopt(const struct sl_experiment *experiment, const struct sl_outputs *from,
                            size_t job, struct sl_outputs *to, struct sl_error *err)
{
    SL_TRY(sl_outputs_adopt(to, from, &experiment->jobs[job], err));
    for (size_t i = 0; i < experiment->jobs[job].n_needs; i++)
        SL_TRY(adopt(experiment, from, experiment->jobs[job].needs[i], to, err));
    return SL_OK;
}

/* What the results folder has need not be made again. The lock keeps a second process that was
 * given the same run away from files that the first one writes. */
static enum sl_status adopt_outputs(const struct sl_experiment *experiment, const char *results,
                                    const char *part, struct sl_error *err)
{
    const struct sl_run *run = &experiment->runs[0];
    struct sl_ledger ledger = {.lock = -1};
    struct sl_outputs from = {0}, to = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_ledger_open(part, &ledger, err));
    SL_TRY_OUT(sl_outputs_open(&from, results, err));
    SL_TRY_OUT(sl_outputs_open(&to, part, err));
    for (size_t i = 0; i < run->n_scores; i++)
        SL_TRY_OUT(adopt(experiment, &from, run->scores[i], &to, err));
    if (run->training != SL_NO_JOB) SL_TRY_OUT(adopt(experiment, &from, run->training, &to, err));
out:
    sl_outputs_close(&from);
    sl_outputs_close(&to);
    sl_ledger_close(&ledger);
    return status;
}

/* Trainings that other runs may need are theirs at once; all else waits for the join. */
static enum sl_status publish_trainings(const struct sl_experiment *experiment, const char *part,
                                        const char *results, struct sl_error *err)
{
    struct sl_outputs from = {0}, to = {0};
    enum sl_status status = SL_OK;
    SL_TRY(sl_turn_begin(results, err));
    SL_TRY_OUT(sl_outputs_open(&from, part, err));
    SL_TRY_OUT(sl_outputs_open(&to, results, err));
    for (size_t i = 0; i < experiment->n_jobs; i++)
        if (experiment->jobs[i].network)
            SL_TRY_OUT(sl_outputs_adopt(&to, &from, &experiment->jobs[i], err));
out:
    sl_turn_end(results);
    sl_outputs_close(&from);
    sl_outputs_close(&to);
    return status;
}

static enum sl_status make_part(const struct sl_experiment *experiment,
                                const struct sl_experiment_runner *runner, size_t index,
                                struct sl_experiment_outcome *out, struct sl_error *err)
{
    struct sl_experiment one = *experiment;
    one.runs = &experiment->runs[index];
    one.n_runs = 1;
    char *folder = sl_part_folder(runner->folder, one.runs->key);
    struct sl_experiment_runner inside = *runner;
    inside.folder = folder;
    struct sl_experiment_outcome made = {0};
    enum sl_status status = SL_OK;
    if (!one.runs->missing) SL_TRY_OUT(adopt_outputs(&one, runner->folder, folder, err));
    status = sl_experiment_run(&one, &inside, &made, err);
    /* A run that failed or was stopped may have trained what others need. */
    if (sl_folder_exists(folder)) {
        struct sl_error problem;
        const enum sl_status published = publish_trainings(&one, folder, runner->folder, &problem);
        if (status == SL_OK && published != SL_OK)
            status = sl_fail(err, published, "%s", problem.message);
    }
out:
    out->done += made.done;
    out->skipped += made.skipped;
    out->failed += made.failed;
    out->missing += made.missing;
    free(folder);
    return status;
}

enum sl_status sl_experiment_run_parts(const struct sl_experiment *experiment,
                                       const struct sl_experiment_runner *runner,
                                       struct sl_experiment_outcome *out, struct sl_error *err)
{
    struct sl_ledger results = {.lock = -1};
    struct sl_experiment_outcome sum = {0};
    enum sl_status status = SL_OK;
    if (sl_folder_exists(runner->folder)) SL_TRY_OUT(sl_ledger_read(runner->folder, &results, err));
    for (size_t i = 0; i < experiment->n_runs; i++) {
        if (sl_ledger_has(&results, &experiment->runs[i]))
            sum.skipped++;
        else
            SL_TRY_OUT(make_part(experiment, runner, i, &sum, err));
    }
out:
    *out = sum;
    sl_ledger_close(&results);
    return status;
}
