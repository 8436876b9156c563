/* A study server whose database refuses writes for a while: nothing is acknowledged that is not
 * stored, and the work goes on afterwards. */
#ifndef SOFTLAB_TESTS_REFUSING_H
#define SOFTLAB_TESTS_REFUSING_H

#include <time.h>

#include "study_scene.h"

enum { REFUSING_TRIALS = 8 }; /* of a batch of six with two repeats */

/* A way to refuse. */
struct refusing {
    const char *name;
    void (*set)(const struct refusing *refusing, bool refuses);
    void *context;
};

/* Send answers until one is refused; returns how many were acknowledged. */
static inline unsigned refusing_answer(const struct scene *scene, const char *cookie)
{
    for (unsigned trial = 0; trial < REFUSING_TRIALS; trial++) {
        struct reply reply =
            post(scene, "/api/answer", cookie, hard_answer(trial, trial, false, "circle"));
        const int status = reply.status;
        if (status == 503) {
            assert_non_null(strstr(reply.body, "cannot store this at the moment"));
            assert_non_null(strstr(reply.head, "Retry-After:"));
        }
        reply_release(&reply);
        if (status != 200) {
            assert_int_equal(status, 503);
            return trial;
        }
    }
    return REFUSING_TRIALS;
}

/* As a page does: what is refused once more is sent again. */
static inline void refusing_recover(const struct scene *scene, const char *cookie, const char *name)
{
    enum { PATIENCE = 100 };
    static const struct timespec pause = {.tv_nsec = 50000000};
    for (unsigned trial = 0, tried = 0; trial < REFUSING_TRIALS; tried++) {
        const int status =
            posted(scene, "/api/answer", cookie, hard_answer(trial, trial, false, "circle"));
        if (status == 200)
            trial++;
        else if (status != 503 || tried == PATIENCE)
            fail_msg("after %s, trial %u: status %d", name, trial, status);
        else
            nanosleep(&pause, NULL);
    }
}

/* One annotator works through all trials of a running server, whose database refuses from the first
 * trial until it has refused an answer twice and somebody who arrives. */
static inline void refusing_check(const struct scene *scene, const struct refusing *refusing)
{
    char cookie[65];
    arrive(scene, "/", cookie);
    pass_to_trials(scene, cookie);
    refusing->set(refusing, true);
    const unsigned saved = refusing_answer(scene, cookie);
    if (saved == REFUSING_TRIALS) fail_msg("%s: all was acknowledged", refusing->name);
    assert_int_equal(
        posted(scene, "/api/answer", cookie, hard_answer(saved, saved, false, "circle")), 503);
    struct reply reply = get(scene, "/", NULL);
    assert_int_equal(reply.status, 503);
    reply_release(&reply);
    refusing->set(refusing, false);
    refusing_recover(scene, cookie, refusing->name);
    assert_string_equal(place_of(scene, cookie), "debrief");
}

static inline enum sl_status refusing_count(const struct sl_store_row *row, void *context)
{
    size_t *count = context;
    assert_int_equal(row->answer->revision, 0);
    ++*count;
    return SL_OK;
}

/* The answers of the study, wherever its database is; each must be there once. */
static inline size_t refusing_stored(const struct scene *scene)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    size_t count = 0;
    assert_ok(sl_study_read(scene->folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_answer(store, refusing_count, &count, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    return count;
}

#endif
