/* The state of a study as one JSON object; one walk over sessions and one over answers collect
 * everything for its parts. */
#include "study/status/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/stats.h"
#include "study/serve/links.h"

enum { HOUR_MS = 3600 * 1000, MOST_INPUTS = 4096, MOST_TIMES = 1100 };

json_t *sl_status_real(double value, int decimals)
{
    const double scale = pow(10, decimals);
    return isfinite(value) ? json_real(round(value * scale) / scale) : json_null();
}

void sl_status_series_add(struct sl_status_series *series, double value)
{
    if (series->count == series->capacity) {
        series->capacity = series->capacity * 2 + 32;
        series->values = sl_resize(series->values, series->capacity, sizeof *series->values);
    }
    series->values[series->count++] = value;
}

void sl_status_series_release(struct sl_status_series *series)
{
    free(series->values);
    *series = (struct sl_status_series){0};
}

/* ---- Collecting ---- */

static enum sl_status gather_session(const struct sl_store_row *row, void *context)
{
    struct sl_status_gathering *to = context;
    if (to->n_sessions == to->session_capacity) {
        to->session_capacity = to->session_capacity * 2 + 64;
        to->sessions = sl_resize(to->sessions, to->session_capacity, sizeof *to->sessions);
    }
    to->sessions[to->n_sessions++] = (struct sl_status_session){.session = *row->session};
    return SL_OK;
}

static struct sl_status_session *find_session(struct sl_status_gathering *to, int64_t id)
{
    size_t low = 0, high = to->n_sessions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (to->sessions[middle].session.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < to->n_sessions && to->sessions[low].session.id == id;
    return found ? &to->sessions[low] : NULL;
}

static void gather_hour(struct sl_status_gathering *to, int64_t received)
{
    const int64_t ago = to->now - received;
    if (ago < 0 || ago >= (int64_t)SL_STATUS_HOURS * HOUR_MS) return;
    to->per_hour[SL_STATUS_HOURS - 1 - ago / HOUR_MS]++;
}

static enum sl_status input_series(struct sl_status_gathering *to, const char *screen,
                                   const char *input, struct sl_status_series **out,
                                   struct sl_error *err)
{
    char *name = sl_string_printf("%s\t%s", screen, input);
    uint32_t index = sl_name_table_find(to->input_names, name, strlen(name));
    enum sl_status status = SL_OK;
    if (index == SL_NO_NAME && to->n_inputs < MOST_INPUTS) {
        status = sl_name_table_add(to->input_names, name, strlen(name), &index, err);
        if (status == SL_OK) {
            to->inputs = sl_resize(to->inputs, to->n_inputs + 1, sizeof *to->inputs);
            to->inputs[to->n_inputs++] = (struct sl_status_series){0};
        }
    }
    free(name);
    *out = status == SL_OK && index != SL_NO_NAME ? &to->inputs[index] : NULL;
    return status;
}

struct moment {
    const char *input;
    double last;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *left = a, *right = b;
    return (left->last > right->last) - (left->last < right->last);
}

/* The time of an input runs from the last change of the input before it (or from when the trial was
 * shown) to its own last change: so the inputs add up to the trial, like the 6.4 s of the paper. */
static enum sl_status gather_times(struct sl_status_gathering *to,
                                   const struct sl_study_given *given, struct sl_error *err)
{
    struct moment moments[MOST_TIMES];
    size_t count = 0;
    const char *input = NULL;
    json_t *pair = NULL;
    json_object_foreach(given->times, input, pair)
    {
        const json_t *last = json_array_get(pair, 1);
        if (json_is_number(last) && count < MOST_TIMES)
            moments[count++] = (struct moment){input, json_number_value(last)};
    }
    if (count > 1) qsort(moments, count, sizeof *moments, by_time);
    double before = 0;
    for (size_t i = 0; i < count; i++) {
        struct sl_status_series *series = NULL;
        SL_TRY(input_series(to, given->session->screen, moments[i].input, &series, err));
        if (series && moments[i].last >= before)
            sl_status_series_add(series, (moments[i].last - before) / 1000);
        before = fmax(before, moments[i].last);
    }
    return SL_OK;
}

static enum sl_status gather_answer(const struct sl_study_given *given, void *context,
                                    struct sl_error *err)
{
    struct sl_status_gathering *to = context;
    struct sl_status_session *session = find_session(to, given->session->id);
    struct sl_study_record record;
    if (!session) return SL_OK; /* began during the walk */
    SL_TRY(sl_study_record_make(to->study, given, &record, err));
    enum sl_status status = SL_OK;
    session->answers++;
    sl_status_series_add(&session->seconds, (double)given->answer->elapsed / 1000);
    if (given->item->check && given->item->truth >= 0) {
        session->checks++;
        session->checks_right +=
            sl_study_top_class(to->study, &record.answer) == given->item->truth;
    }
    gather_hour(to, given->answer->received);
    SL_TRY_OUT(gather_times(to, given, err));
    status = sl_answers_add(to->answers, &record.answer, err);
out:
    sl_study_record_release(&record);
    return status;
}

enum sl_status sl_status_gather(struct sl_status_gathering *to, struct sl_error *err)
{
    const struct sl_study *study = to->study;
    to->input_names = sl_name_table_create();
    const struct sl_exclusion_preset *preset = sl_exclusion_presets; /* "none": see people */
    SL_TRY(sl_study_items_read(study, to->store, &to->items, err));
    SL_TRY(sl_answers_create((const char *const *)study->classes, study->n_classes, &to->answers,
                             err));
    SL_TRY(sl_store_each_session(to->store, gather_session, to, err));
    SL_TRY(sl_study_each_given(study, to->store, &to->items, SL_STUDY_COUNTING, gather_answer, to,
                               err));
    const struct sl_quality_options options = {.preset = preset};
    SL_TRY(sl_quality_measure(to->answers, &options, &to->quality, err));
    return sl_status_measure_suspicion(to, err);
}

void sl_status_release(struct sl_status_gathering *gathered)
{
    for (size_t i = 0; i < gathered->n_sessions; i++)
        sl_status_series_release(&gathered->sessions[i].seconds);
    for (size_t i = 0; i < gathered->n_inputs; i++)
        sl_status_series_release(&gathered->inputs[i]);
    free(gathered->sessions);
    free(gathered->inputs);
    sl_name_table_destroy(gathered->input_names);
    sl_status_suspicion_release(gathered);
    sl_quality_release(&gathered->quality);
    sl_answers_destroy(gathered->answers);
    sl_study_items_release(&gathered->items);
}

/* ---- Parts ---- */

struct batch_walk {
    const struct sl_status_gathering *from;
    json_t *batches;
};

static enum sl_status add_batch(const struct sl_store_batch_row *row, void *context)
{
    const struct batch_walk *walk = context;
    size_t live = 0;
    for (size_t i = 0; i < walk->from->n_sessions; i++) {
        const struct sl_store_session *session = &walk->from->sessions[i].session;
        live += session->batch == row->batch && sl_status_is_live(session, walk->from->now);
    }
    json_array_append_new(walk->batches,
                          json_pack("{s:I, s:I, s:I, s:I}", "batch", (json_int_t)row->batch,
                                    "target", (json_int_t)row->target, "finished",
                                    (json_int_t)row->finished, "live", (json_int_t)live));
    return SL_OK;
}

/* {"collins": {"top": {"median": 1.4, "count": 27}, ...}, ...} */
static json_t *input_seconds(const struct sl_status_gathering *from)
{
    json_t *screens = json_object();
    for (uint32_t i = 0; i < from->n_inputs; i++) {
        const char *name = sl_name_table_get(from->input_names, i, NULL);
        const char *input = strchr(name, '\t') + 1;
        char *screen = sl_string_copy_n(name, (size_t)(input - 1 - name));
        json_t *inputs = json_object_get(screens, screen);
        if (!inputs) {
            inputs = json_object();
            json_object_set_new(screens, screen, inputs);
        }
        const struct sl_status_series *series = &from->inputs[i];
        json_object_set_new(inputs, input,
                            json_pack("{s:o, s:I}", "median",
                                      sl_status_real(sl_median(series->values, series->count), 2),
                                      "count", (json_int_t)series->count));
        free(screen);
    }
    return screens;
}

/* {"collins": {"median": 31.9, "count": 162}, ...} */
static json_t *trial_seconds(const struct sl_status_gathering *from)
{
    json_t *screens = json_object();
    for (size_t s = 0; s < from->study->n_screens; s++) {
        const char *screen = from->study->screens[s];
        struct sl_status_series all = {0};
        for (size_t i = 0; i < from->n_sessions; i++) {
            const struct sl_status_session *session = &from->sessions[i];
            if (strcmp(session->session.screen, screen) != 0) continue;
            for (size_t v = 0; v < session->seconds.count; v++)
                sl_status_series_add(&all, session->seconds.values[v]);
        }
        json_object_set_new(screens, screen,
                            json_pack("{s:o, s:I}", "median",
                                      sl_status_real(sl_median(all.values, all.count), 2), "count",
                                      (json_int_t)all.count));
        sl_status_series_release(&all);
    }
    return screens;
}

static json_t *per_hour(const struct sl_status_gathering *from)
{
    json_t *hours = json_array();
    for (size_t i = 0; i < SL_STATUS_HOURS; i++)
        json_array_append_new(hours, json_integer((json_int_t)from->per_hour[i]));
    return hours;
}

static json_t *checks(const struct sl_status_gathering *from)
{
    size_t asked = 0, right = 0, failed = 0;
    for (size_t i = 0; i < from->n_sessions; i++) {
        asked += from->sessions[i].checks;
        right += from->sessions[i].checks_right;
        failed += from->sessions[i].session.state == SL_SESSION_REFUSED &&
                  !from->sessions[i].session.test &&
                  strcmp(from->sessions[i].session.place, "failed") == 0;
    }
    return json_pack("{s:I, s:I, s:I}", "passed", (json_int_t)right, "failed",
                     (json_int_t)(asked - right), "comprehension_failed", (json_int_t)failed);
}

static json_t *study_json(const struct sl_study *study)
{
    json_t *classes = json_array(), *exports = json_array();
    for (size_t k = 0; k < study->n_classes; k++)
        json_array_append_new(classes, json_string(study->classes[k]));
    for (const struct sl_study_export *export = sl_study_exports; export->name; export ++)
        json_array_append_new(exports, json_pack("{s:s, s:s, s:s}", "name", export->name, "file",
                                                 export->file, "summary", export->summary));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", study->name, "title", study->title,
                     "currency", study->currency, "keep_until", study->keep_until, "classes",
                     classes, "exports", exports);
}

static enum sl_status describe_study(const struct sl_status_gathering *from, json_t *result,
                                     struct sl_error *err)
{
    const struct sl_quality *quality = &from->quality;
    const struct sl_annotator_quality *all = &quality->overall;
    struct batch_walk walk = {.from = from, .batches = json_array()};
    struct sl_status_asking *asking = NULL;
    json_t *items = NULL, *about = NULL;
    json_object_set_new(result, "study", study_json(from->study));
    json_object_set_new(result, "test_link", sl_links_test_path(from->store));
    json_object_set_new(result, "now", json_integer(from->now));
    json_object_set_new(result, "batches", walk.batches);
    SL_TRY(sl_store_each_batch(from->store, add_batch, &walk, err));
    json_object_set_new(result, "sessions", sl_status_sessions(from));
    json_object_set_new(result, "leases", sl_status_leases(from));
    json_object_set_new(result, "answers", json_integer((json_int_t)from->answers->count));
    json_object_set_new(result, "per_hour", per_hour(from));
    json_object_set_new(result, "trial_seconds", trial_seconds(from));
    json_object_set_new(result, "input_seconds", input_seconds(from));
    json_object_set_new(result, "checks", checks(from));
    json_object_set_new(result, "exclusions", sl_status_exclusions(from));
    json_object_set_new(result, "agreement",
                        json_pack("{s:o, s:o, s:o, s:I}", "observed",
                                  sl_status_real(quality->observed_agreement, 4), "alpha",
                                  sl_status_real(quality->krippendorff_alpha, 4),
                                  "answers_per_item", sl_status_real(quality->answers_per_item, 2),
                                  "items", (json_int_t)quality->n_items));
    json_object_set_new(result, "repeats",
                        json_pack("{s:I, s:o, s:o}", "count", (json_int_t)all->n_repeats,
                                  "changed_class", sl_status_real(all->changed_class, 4),
                                  "mean_change", sl_status_real(all->mean_change, 2)));
    json_object_set_new(result, "annotators", sl_status_annotators(from));
    SL_TRY(sl_status_asking_create(from, &asking, err));
    enum sl_status status = sl_status_items(from, asking, &items, err);
    if (status == SL_OK) {
        json_object_set_new(result, "items", items);
        status = sl_status_asking_study(from, asking, &about, err);
    }
    if (status == SL_OK) json_object_set_new(result, "asking", about);
    sl_status_asking_destroy(asking);
    return status;
}

enum sl_status sl_study_status(const struct sl_study *study, struct sl_store *store, int64_t now,
                               json_t **out, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_status_gathering gathered = {.study = study, .store = store, .now = now};
    json_t *result = json_object();
    SL_TRY_OUT(sl_status_gather(&gathered, err));
    SL_TRY_OUT(describe_study(&gathered, result, err));
    *out = json_incref(result);
out:
    json_decref(result);
    sl_status_release(&gathered);
    return status;
}
