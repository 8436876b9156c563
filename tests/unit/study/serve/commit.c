/* Replies and commits: no request hears that something was done before it is stored. The store's
 * commit is a gate of the test's own, on the server's thread. */
#include <time.h>

#include "store/backend.h"
#include "study/serve/site.h"
#include "study_scene.h"

enum { OPEN, REFUSING, CLOSED };
static atomic_int gate = OPEN;
static atomic_bool waiting; /* a commit stands before the closed gate */
static const struct sl_store_backend *real;
static struct sl_store_backend gated;

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static enum sl_status commit_through_gate(struct sl_store *store, struct sl_error *err)
{
    if (atomic_load(&gate) == REFUSING) {
        real->rollback(store);
        return sl_fail(err, SL_ERR_IO, "the disk is full");
    }
    while (atomic_load(&gate) == CLOSED) {
        atomic_store(&waiting, true);
        pause_briefly();
    }
    atomic_store(&waiting, false);
    return real->commit(store, err);
}

static void start(struct scene *scene, const char *change)
{
    scene_make(scene, 4, 2, change);
    scene_create(scene);
    real = sl_server_site(scene->server, 0)->store->backend;
    gated = *real;
    gated.commit = commit_through_gate;
    sl_server_site(scene->server, 0)->store->backend = &gated;
    atomic_store(&gate, OPEN);
    scene_go(scene);
}

/* Every request that changes something, in the order of a session; the last ends it. */
static const struct step {
    const char *path, *body; /* body NULL: GET */
} steps[] = {
    {"/api/session", NULL},
    {"/api/consent", "{\"version\": \"1\", \"agreed\": true}"},
    {"/api/instructions", "{\"pages\": [1]}"},
    {"/api/check", "{\"id\": \"000000000000000000000000000000c1\", \"answers\": [1, 0]}"},
    {"/api/check", "{\"id\": \"000000000000000000000000000000c2\", \"answers\": [0, 0]}"},
    {"/api/events", "{\"events\": [{\"kind\": \"blur\", \"at\": 5}]}"},
    {"/api/answer", "{\"id\": \"000000000000000000000000000000a0\", \"trial\": 0, \"practice\": "
                    "true, \"elapsed\": 5, \"answer\": {\"class\": \"circle\"}}"},
    {"/api/answer", "{\"id\": \"000000000000000000000000000000a1\", \"trial\": 0, \"practice\": "
                    "false, \"elapsed\": 5, \"answer\": {\"class\": \"circle\"}}"},
    {"/api/answer", "{\"id\": \"000000000000000000000000000000a2\", \"trial\": 1, \"practice\": "
                    "false, \"elapsed\": 5, \"answer\": {\"class\": \"square\"}}"},
    {"/api/debrief", "{\"answers\": [9, null, \"\", \"\", null, \"x\"]}"},
    {"/api/session", NULL},
};
enum { STEPS = sizeof steps / sizeof *steps };
static const char two_trials[] = "{\"batch\": {\"repeats\": 0}}";

static struct reply take_step(const struct scene *scene, const struct step *step,
                              const char *cookie)
{
    return step->body ? post(scene, step->path, cookie, step->body)
                      : get(scene, step->path, cookie);
}

static void test_no_request_is_acknowledged_when_its_commit_fails(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    start(&scene, two_trials);
    arrive(&scene, "/", cookie);
    for (size_t i = 0; i < STEPS; i++) {
        size_t kept = scene_count(&scene, true);
        atomic_store(&gate, REFUSING);
        struct reply reply = take_step(&scene, &steps[i], cookie);
        if (reply.status != 503) fail_msg("step %zu, %s: %d", i, steps[i].path, reply.status);
        assert_non_null(strstr(reply.head, "Retry-After: "));
        reply_release(&reply);
        assert_int_equal(scene_count(&scene, true), kept);
        atomic_store(&gate, OPEN);
        reply = take_step(&scene, &steps[i], cookie);
        if (reply.status != 200)
            fail_msg("step %zu, %s: %d %s", i, steps[i].path, reply.status, reply.body);
        reply_release(&reply);
        if (steps[i].body) assert_int_equal(scene_count(&scene, true), kept + 1);
    }
    scene_stop(&scene);
}

struct asking {
    const struct scene *scene;
    const struct step *step;
    const char *cookie;
    struct reply reply;
    atomic_bool heard;
};

static void *ask_on_a_thread(void *context)
{
    struct asking *asking = context;
    asking->reply = take_step(asking->scene, asking->step, asking->cookie);
    atomic_store(&asking->heard, true);
    return NULL;
}

static void test_no_reply_leaves_before_the_commit_returns(void **state)
{
    (void)state;
    struct scene scene;
    char cookie[65];
    start(&scene, two_trials);
    arrive(&scene, "/", cookie);
    for (size_t i = 0; i < STEPS; i++) {
        struct asking asking = {&scene, &steps[i], cookie, {0}, false};
        pthread_t thread;
        size_t kept = scene_count(&scene, true);
        atomic_store(&gate, CLOSED);
        assert_int_equal(pthread_create(&thread, NULL, ask_on_a_thread, &asking), 0);
        while (!atomic_load(&waiting) && !atomic_load(&asking.heard))
            pause_briefly();
        /* A reply that was sent too early has time to arrive. */
        for (int rest = 0; rest < 20 && !atomic_load(&asking.heard); rest++)
            pause_briefly();
        bool early = atomic_load(&asking.heard);
        size_t meanwhile = scene_count(&scene, true);
        atomic_store(&gate, OPEN);
        pthread_join(thread, NULL);
        if (early) fail_msg("step %zu, %s: answered before the commit", i, steps[i].path);
        assert_int_equal(meanwhile, kept);
        assert_int_equal(asking.reply.status, 200);
        reply_release(&asking.reply);
    }
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_request_is_acknowledged_when_its_commit_fails),
        cmocka_unit_test(test_no_reply_leaves_before_the_commit_returns),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
