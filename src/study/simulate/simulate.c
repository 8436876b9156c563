#include "study/simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

static const double REPLY_SECONDS = 10;

struct sl_study_simulation sl_study_simulation_default(void)
{
    return (struct sl_study_simulation){.annotators = 50,
                                        .at_once = 50,
                                        .speed = 100,
                                        .noise = .05,
                                        .slips = .02,
                                        .patience = 60,
                                        .images = true,
                                        .replay = {.share = 1},
                                        .seed = 1};
}

void sl_sim_saved(struct sl_simulation *simulation, double milliseconds)
{
    if (simulation->n_latencies == simulation->latencies_capacity) {
        simulation->latencies_capacity = 2 * simulation->latencies_capacity + 1024;
        simulation->latencies = sl_resize(simulation->latencies, simulation->latencies_capacity,
                                          sizeof *simulation->latencies);
    }
    simulation->latencies[simulation->n_latencies++] = milliseconds;
    simulation->result.answers++;
}

void sl_sim_advance(struct sl_sim_person *person, size_t n_trials, size_t n_done)
{
    struct sl_simulation *simulation = person->simulation;
    struct sl_progress *progress = simulation->options->progress;
    if (simulation->n_trials == 0 && n_trials > 0) {
        const struct sl_simulation_result *left = &simulation->result;
        simulation->n_trials = n_trials;
        simulation->n_done =
            n_trials * (left->finished + left->refused + left->lost + left->stopped);
        sl_progress_start(progress, "simulating", n_trials * simulation->options->annotators,
                          "trials");
    }
    if (n_done > simulation->n_trials) n_done = simulation->n_trials;
    if (n_done <= person->n_done) return;
    simulation->n_done += n_done - person->n_done;
    person->n_done = n_done;
    sl_progress_set(progress, simulation->n_done);
}

/* Runs from a call of its own, so that the stack does not grow with every person on a seat. */
static void sit_down(void *context)
{
    struct sl_sim_person *person = context;
    sl_sim_person_start(person, person->number);
}

static void count_reason(struct sl_simulation_result *result, const char *why)
{
    struct sl_simulation_reason *reason = result->reasons;
    size_t i = 0;
    while (i < result->n_reasons && strcmp(reason[i].text, why) != 0)
        i++;
    if (i == SL_SIMULATION_REASONS) i--; /* the last row counts all other reasons */
    if (i == result->n_reasons) {
        result->n_reasons++;
        snprintf(reason[i].text, sizeof reason[i].text, "%s",
                 i + 1 < SL_SIMULATION_REASONS ? why : "other reasons");
    }
    reason[i].count++;
}

void sl_sim_leave(struct sl_sim_person *person, enum sl_sim_end end, const char *why)
{
    struct sl_simulation *simulation = person->simulation;
    if (why) count_reason(&simulation->result, why);
    sl_sim_advance(person, 0, SIZE_MAX); /* a person who leaves early has no trials left either */
    simulation->result.finished += end == SL_SIM_FINISHED;
    simulation->result.refused += end == SL_SIM_REFUSED;
    simulation->result.lost += end == SL_SIM_LOST;
    simulation->result.stopped += end == SL_SIM_STOPPED;
    const bool over = simulation->replay && sl_replay_is_over(simulation->replay);
    if (!over && simulation->next < simulation->options->annotators) {
        person->number = simulation->next++; /* now, since others may leave before they sit down */
        sl_http_client_wait(person->client, 0, sit_down, person);
        return;
    }
    if (--simulation->n_seated == 0) sl_http_loop_stop(simulation->loop);
}

static enum sl_status make_seats(struct sl_simulation *simulation, struct sl_error *err)
{
    const struct sl_study_simulation *options = simulation->options;
    size_t count = options->at_once < options->annotators ? options->at_once : options->annotators;
    simulation->people = sl_alloc(count, sizeof *simulation->people);
    for (; simulation->n_people < count; simulation->n_people++) {
        struct sl_sim_person *person = &simulation->people[simulation->n_people];
        person->simulation = simulation;
        SL_TRY(sl_http_client_create(simulation->loop, options->url, REPLY_SECONDS, &person->client,
                                     err));
    }
    return SL_OK;
}

static enum sl_status run(struct sl_simulation *simulation, struct sl_error *err)
{
    double begun = sl_clock_seconds();
    simulation->n_seated = simulation->next = simulation->n_people;
    for (size_t i = 0; i < simulation->n_people; i++)
        sl_sim_person_start(&simulation->people[i], i);
    enum sl_status status = sl_http_loop_run(simulation->loop, err);
    if (simulation->n_trials) sl_progress_finish(simulation->options->progress);
    SL_TRY(status);
    struct sl_simulation_result *result = &simulation->result;
    bool any = simulation->n_latencies > 0;
    result->seconds = sl_clock_seconds() - begun;
    result->p50_ms =
        any ? sl_quantile(simulation->latencies, simulation->n_latencies, .5) : (double)NAN;
    result->p99_ms =
        any ? sl_quantile(simulation->latencies, simulation->n_latencies, .99) : (double)NAN;
    result->worst_ms =
        any ? sl_quantile(simulation->latencies, simulation->n_latencies, 1) : (double)NAN;
    if (!simulation->arrived)
        return sl_fail(err, SL_ERR_IO, "%s: %s", simulation->options->url, simulation->trouble);
    return SL_OK;
}

static enum sl_status finish_replay(struct sl_simulation *simulation, struct sl_error *err)
{
    const char *path = simulation->options->replay.given;
    if (!simulation->replay) return SL_OK;
    simulation->result.replays = true;
    sl_replay_sum(simulation->replay, &simulation->result.replay);
    return path ? sl_replay_write(simulation->replay, path, err) : SL_OK;
}

static enum sl_status check(const struct sl_study_simulation *options, struct sl_error *err)
{
    if (options->annotators == 0 || options->at_once == 0)
        return sl_fail(err, SL_ERR_USAGE, "a simulation needs at least one annotator");
    if (!(options->speed >= 0) || !(options->rate >= 0) || !(options->noise >= 0) ||
        !(options->patience >= 0))
        return sl_fail(err, SL_ERR_USAGE, "speed, rate, noise and patience cannot be negative");
    if (!(options->slips >= 0 && options->slips <= 1))
        return sl_fail(err, SL_ERR_USAGE, "slips: expected a share from 0 to 1");
    if (!options->count && !options->folder)
        return sl_fail(err, SL_ERR_USAGE,
                       "test sessions need the study's folder, which has the test link's token; "
                       "give the folder, or let the sessions count");
    return SL_OK;
}

enum sl_status sl_study_simulate(const struct sl_study_simulation *options,
                                 struct sl_simulation_result *out, struct sl_error *err)
{
    struct sl_simulation simulation = {.options = options};
    SL_TRY(check(options, err));
    enum sl_status status;
    SL_TRY_OUT(sl_sim_world_read(options->folder, options->truth, &simulation.world, err));
    if (options->model) SL_TRY_OUT(sl_sim_world_model(&simulation.world, options->model, err));
    if (options->replay.answers)
        SL_TRY_OUT(sl_replay_create(options, &simulation.world, &simulation.replay, err));
    SL_TRY_OUT(sl_sim_behaviours_assign(options->scripts, options->annotators, options->seed,
                                        &simulation.behaviours, err));
    SL_TRY_OUT(sl_http_loop_create(options->log, &simulation.loop, err));
    SL_TRY_OUT(make_seats(&simulation, err));
    SL_TRY_OUT(run(&simulation, err));
    SL_TRY_OUT(finish_replay(&simulation, err));
    *out = simulation.result;
    out->after = simulation.world.last_session;
out:
    for (size_t i = 0; i < simulation.n_people; i++) {
        sl_sim_person_release(&simulation.people[i]);
        sl_http_client_destroy(simulation.people[i].client);
    }
    free(simulation.people);
    free(simulation.behaviours);
    free(simulation.latencies);
    if (simulation.loop) sl_http_loop_destroy(simulation.loop);
    sl_replay_destroy(simulation.replay);
    sl_sim_world_release(&simulation.world);
    return status;
}

static json_t *reasons_json(const struct sl_simulation_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->n_reasons; i++)
        json_array_append_new(list, json_pack("{s:s, s:I}", "reason", result->reasons[i].text,
                                              "count", (json_int_t)result->reasons[i].count));
    return list;
}

static json_t *replay_json(const struct sl_replay_result *replay)
{
    return json_pack("{s:I, s:I, s:o, s:I, s:s, s:s}", "recorded", (json_int_t)replay->recorded,
                     "given", (json_int_t)replay->given, "seconds", sl_json_real(replay->seconds),
                     "items_ran_out", (json_int_t)replay->n_ran_out, "first_ran_out",
                     replay->ran_out, "end", sl_replay_end_text(replay->end));
}

json_t *sl_simulation_result_json(const struct sl_simulation_result *result, json_t *provenance)
{
    json_t *json =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "finished",
                  (json_int_t)result->finished, "refused", (json_int_t)result->refused, "lost",
                  (json_int_t)result->lost, "answers", (json_int_t)result->answers, "retries",
                  (json_int_t)result->retries, "seconds", result->seconds, "p50_ms",
                  sl_json_real(result->p50_ms), "p99_ms", sl_json_real(result->p99_ms), "worst_ms",
                  sl_json_real(result->worst_ms), "provenance", provenance);
    json_object_set_new(json, "reasons", reasons_json(result));
    if (!result->replays) return json;
    json_object_set_new(json, "stopped", json_integer((json_int_t)result->stopped));
    json_object_set_new(json, "replay", replay_json(&result->replay));
    return json;
}
