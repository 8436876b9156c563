/* Studies whose items are chosen on arrival, and simulated people who take part. */
#ifndef SOFTLAB_TESTS_ADAPTIVE_SCENE_H
#define SOFTLAB_TESTS_ADAPTIVE_SCENE_H

#include <sqlite3.h>

#include "study_scene.h"

#define PLAIN                                                                                      \
    "\"assignment\": \"adaptive\", \"batch\": {\"repeats\": 0}, \"flow\": {\"practice\": false}, " \
    "\"comprehension\": []"
#define ADAPTIVE                                                                                   \
    "\"assignment\": \"adaptive\", \"batch\": {\"repeats\": 1}, \"flow\": {\"practice\": false}, " \
    "\"comprehension\": []"

static inline struct sl_simulation_result simulate(const struct scene *scene, size_t annotators,
                                                   size_t at_once, uint64_t seed)
{
    struct sl_error err;
    char url[64];
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", (unsigned)scene->port);
    options.url = url;
    options.folder = scene->folder;
    options.annotators = annotators;
    options.at_once = at_once;
    options.speed = 0;
    options.images = false;
    options.count = true;
    options.seed = seed;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    return result;
}

static inline void open_study(const struct scene *scene, bool read_only, struct sl_study **study,
                              struct sl_store **store)
{
    struct sl_error err;
    assert_ok(sl_study_read(scene->folder, study, &err), err);
    assert_ok(sl_study_store(*study, read_only, store, &err), err);
}

static inline void close_study(struct sl_study *study, struct sl_store *store)
{
    sl_store_close(store);
    sl_study_destroy(study);
}

static inline struct sl_study_audit audit(const struct scene *scene)
{
    struct sl_error err;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_study_audit result;
    open_study(scene, true, &study, &store);
    assert_ok(sl_study_audit(study, store, &result, &err), err);
    close_study(study, store);
    return result;
}

static inline json_t *status_of(const struct scene *scene)
{
    struct sl_error err;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    json_t *status = NULL;
    open_study(scene, true, &study, &store);
    assert_ok(sl_study_status(study, store, scene->clock, &status, &err), err);
    close_study(study, store);
    return status;
}

static inline int64_t number_at(const json_t *object, const char *a, const char *b)
{
    return json_integer_value(json_object_get(json_object_get(object, a), b));
}

static inline void run_sql(const struct scene *scene, const char *sql)
{
    sqlite3 *database = NULL;
    char *path = sl_path_join(scene->folder, SL_STUDY_DATABASE);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    free(path);
}

#endif
