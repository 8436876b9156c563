#include "base/temporaries.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/memory.h"

struct temporary {
    struct temporary *next;
    pthread_t thread;
    unsigned depth; /* of guards, when it was made */
    char path[];
};

/* Of the process, since files are; see docs/decisions/0014. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct temporary *newest;

void sl_temporary_add(const char *path)
{
    struct temporary *one = sl_alloc(1, sizeof *one + strlen(path) + 1);
    memcpy(one->path, path, strlen(path) + 1);
    one->thread = pthread_self();
    one->depth = sl_guard_depth();
    pthread_mutex_lock(&lock);
    one->next = newest;
    newest = one;
    pthread_mutex_unlock(&lock);
}

void sl_temporary_drop(const char *path)
{
    pthread_mutex_lock(&lock);
    struct temporary **at = &newest;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    struct temporary *one = *at;
    if (one) *at = one->next;
    pthread_mutex_unlock(&lock);
    free(one);
}

void sl_temporaries_remove(bool all)
{
    const pthread_t self = pthread_self();
    const unsigned depth = sl_guard_depth();
    pthread_mutex_lock(&lock);
    for (struct temporary **at = &newest; *at;) {
        struct temporary *one = *at;
        if (!all && !(pthread_equal(one->thread, self) && one->depth >= depth)) {
            at = &one->next;
            continue;
        }
        (void)unlink(one->path);
        *at = one->next;
        free(one);
    }
    pthread_mutex_unlock(&lock);
}
