/* Backups while annotators answer. A restored backup holds every answer that was acknowledged
 * before the backup began, each once, and the study can continue. */
#include <sched.h>

#include "books.h"
#include "softlab/study.h"
#include "study_scene.h"

enum { ANNOTATORS = 60, AT_ONCE = 20, TRIALS = 6, BACKUPS = 4, MAX_ANSWERS = 4000 };

/* The acknowledged answers in order: the simulation writes them, the test reads them. */
struct journal {
    uint8_t ids[MAX_ANSWERS][SL_STORE_CLIENT_BYTES];
    atomic_size_t count;
};

static void note(void *context, const char *id, bool acknowledged)
{
    struct journal *journal = context;
    size_t at = atomic_load(&journal->count);
    if (!acknowledged || at == MAX_ANSWERS) return;
    for (size_t i = 0; i < SL_STORE_CLIENT_BYTES; i++) {
        char pair[3] = {id[2 * i], id[2 * i + 1], '\0'};
        journal->ids[at][i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    atomic_store(&journal->count, at + 1);
}

struct running {
    struct sl_study_simulation options;
    struct sl_simulation_result result;
    struct sl_error err;
    enum sl_status status;
    char url[64];
};

static void *run(void *context)
{
    struct running *running = context;
    running->status = sl_study_simulate(&running->options, &running->result, &running->err);
    return NULL;
}

static void prepare(struct running *running, const struct scene *scene, struct journal *journal)
{
    *running = (struct running){.options = sl_study_simulation_default()};
    snprintf(running->url, sizeof running->url, "http://127.0.0.1:%u/", (unsigned)scene->port);
    running->options.url = running->url;
    running->options.folder = scene->folder; /* to pass the comprehension check */
    running->options.count = true;
    running->options.annotators = ANNOTATORS;
    running->options.at_once = AT_ONCE;
    running->options.speed = 0;
    running->options.images = false;
    running->options.saved = note;
    running->options.context = journal;
}

static struct sl_store *open_database(const char *folder, bool read_only)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    assert_ok(sl_study_read(folder, &study, &err), err);
    assert_ok(sl_study_store(study, read_only, &store, &err), err);
    sl_study_destroy(study);
    return store;
}

struct held {
    uint8_t ids[MAX_ANSWERS][SL_STORE_CLIENT_BYTES];
    size_t count;
};

static enum sl_status hold_id(const struct sl_store_row *row, void *context)
{
    struct held *held = context;
    assert_true(held->count < MAX_ANSWERS);
    memcpy(held->ids[held->count++], row->answer->client_id, SL_STORE_CLIENT_BYTES);
    return SL_OK;
}

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, SL_STORE_CLIENT_BYTES);
}

/* Each of the first `n_known` answers of the journal is in the database once. */
static void check_database(const char *folder, const struct journal *journal, size_t n_known)
{
    static struct held held;
    struct sl_error err;
    held.count = 0;
    struct sl_store *store = open_database(folder, true);
    assert_ok(sl_store_each_answer(store, hold_id, &held, &err), err);
    sl_store_close(store);
    qsort(held.ids, held.count, SL_STORE_CLIENT_BYTES, compare_ids);
    for (size_t i = 1; i < held.count; i++)
        assert_true(compare_ids(held.ids[i - 1], held.ids[i]) < 0);
    assert_true(held.count >= n_known);
    for (size_t i = 0; i < n_known; i++)
        assert_non_null(
            bsearch(journal->ids[i], held.ids, held.count, SL_STORE_CLIENT_BYTES, compare_ids));
}

static void test_backups_under_load_can_be_restored(void **state)
{
    (void)state;
    static struct journal journal, later;
    struct scene scene = {.clock = 1700000000000};
    struct running running;
    struct sl_error err;
    size_t known[BACKUPS];
    char path[BACKUPS][600], database[600];
    pthread_t thread;
    snprintf(scene.folder, sizeof scene.folder, "%s", test_path("under-load"));
    snprintf(database, sizeof database, "%s/study.db", scene.folder);
    assert_ok(make_study(scene.folder, "collins+,bars", TRIALS, 10000, &err), err);
    scene_start(&scene);
    prepare(&running, &scene, &journal);
    assert_int_equal(pthread_create(&thread, NULL, run, &running), 0);
    for (size_t i = 0; i < BACKUPS; i++) {
        while (atomic_load(&journal.count) < (i + 1) * ANNOTATORS)
            sched_yield();
        struct sl_store *store = open_database(scene.folder, true);
        snprintf(path[i], sizeof path[i], "%s", test_path("backup"));
        snprintf(path[i] + strlen(path[i]), 24, "-%zu.db", i);
        known[i] = atomic_load(&journal.count);
        assert_ok(sl_store_backup(store, path[i], &err), err);
        sl_store_close(store);
    }
    pthread_join(thread, NULL);
    assert_ok(running.status, running.err);
    assert_int_equal(running.result.finished, ANNOTATORS);
    scene_stop(&scene);
    assert_true(known[0] < atomic_load(&journal.count));
    check_database(scene.folder, &journal, atomic_load(&journal.count));
    for (size_t i = 0; i < BACKUPS; i++) {
        const struct sl_store_restoration how = {.now = 1700000000000};
        char *aside = NULL;
        assert_ok(sl_store_restore(path[i], database, &how, &aside, &err), err);
        assert_non_null(aside);
        free(aside);
        check_database(scene.folder, &journal, known[i]);
    }
    /* The restored study continues. */
    scene_start(&scene);
    prepare(&running, &scene, &later);
    running.options.annotators = 3;
    running.options.seed = 2;
    run(&running);
    assert_ok(running.status, running.err);
    assert_int_equal(running.result.finished, 3);
    scene_stop(&scene);
    check_database(scene.folder, &later, atomic_load(&later.count));
    check_database(scene.folder, &journal, known[BACKUPS - 1]);
}

int main(void)
{
    alarm(240);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backups_under_load_can_be_restored),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
