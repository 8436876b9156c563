/* A list whose entries are reused and never freed, so that a signal handler may walk it while
 * threads change it. An entry's version is odd while its path is being written; a path that was
 * read under two different versions is ignored. */
#include "base/file/temporaries.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"

struct temporary {
    struct temporary *next; /* never changes once the entry is in the list */
    atomic_uint version;
    atomic_bool used;
    pthread_t thread;
    unsigned depth; /* of guards, when it was made */
    size_t capacity;
    char path[];
};

/* Global to the process, since files are; see docs/decisions/0014. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct temporary *) newest;

static void fill_entry(struct temporary *one, const char *path, size_t size)
{
    atomic_fetch_add(&one->version, 1);
    memcpy(one->path, path, size);
    one->thread = pthread_self();
    one->depth = sl_guard_depth();
    atomic_store(&one->used, true);
    atomic_fetch_add(&one->version, 1);
}

/* An entry that is free and large enough; the caller holds the lock. */
static struct temporary *find_free(size_t size)
{
    for (struct temporary *one = atomic_load(&newest); one; one = one->next)
        if (!atomic_load(&one->used) && one->capacity >= size) return one;
    return NULL;
}

void sl_temporary_add(const char *path)
{
    const size_t size = strlen(path) + 1;
    pthread_mutex_lock(&lock);
    struct temporary *one = find_free(size);
    if (one) fill_entry(one, path, size);
    pthread_mutex_unlock(&lock);
    if (one) return;
    one = sl_alloc(1, sizeof *one + size);
    one->capacity = size;
    fill_entry(one, path, size);
    pthread_mutex_lock(&lock);
    one->next = atomic_load(&newest);
    atomic_store(&newest, one);
    pthread_mutex_unlock(&lock);
}

void sl_temporary_drop(const char *path)
{
    pthread_mutex_lock(&lock);
    for (struct temporary *one = atomic_load(&newest); one; one = one->next) {
        if (!atomic_load(&one->used) || strcmp(one->path, path) != 0) continue;
        atomic_store(&one->used, false);
        break;
    }
    pthread_mutex_unlock(&lock);
}

void sl_temporaries_remove_own(void)
{
    const pthread_t self = pthread_self();
    const unsigned depth = sl_guard_depth();
    pthread_mutex_lock(&lock);
    for (struct temporary *one = atomic_load(&newest); one; one = one->next) {
        if (!atomic_load(&one->used) || !pthread_equal(one->thread, self) || one->depth < depth)
            continue;
        (void)unlink(one->path);
        atomic_store(&one->used, false);
    }
    pthread_mutex_unlock(&lock);
}

/* The path of an entry; false if there is none or it changes meanwhile. */
static bool copy_path(struct temporary *one, char out[PATH_MAX])
{
    const unsigned version = atomic_load(&one->version);
    if (version % 2 == 1 || !atomic_load(&one->used) || one->capacity > PATH_MAX) return false;
    memcpy(out, one->path, one->capacity);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load(&one->version) == version && memchr(out, 0, one->capacity);
}

void sl_temporaries_remove_all(void)
{
    char path[PATH_MAX];
    for (struct temporary *one = atomic_load(&newest); one; one = one->next)
        if (copy_path(one, path)) (void)unlink(path);
    /* Folders become empty once their files are removed, nested folders first. */
    for (bool removed = true; removed;) {
        removed = false;
        for (struct temporary *one = atomic_load(&newest); one; one = one->next)
            if (copy_path(one, path) && rmdir(path) == 0) removed = true;
    }
}

/* The handler is gone and the signal not held back, so that it ends the process. */
static void end_at_once(int number)
{
    sl_temporaries_remove_all();
    (void)raise(number);
}

void sl_temporaries_remove_on_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = end_at_once,
                                     .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN) continue;
        (void)sigaction(signals[i], &action, NULL);
    }
}
