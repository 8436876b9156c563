/* Simulated annotators who work in a thread of their own until they are told that it is enough. */
#ifndef SOFTLAB_TESTS_LOAD_H
#define SOFTLAB_TESTS_LOAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "books.h"

struct load {
    const char *url, *folder; /* borrowed */
    int64_t annotators, seed; /* of a round; of the next round */
    int64_t at_once;          /* 0: all */
    struct books *books;      /* borrowed */
    struct sl_simulation_result total;
    atomic_ulong acknowledged;
    atomic_bool enough;
    bool failed;
    pthread_t thread;
};

bool load_start(struct load *load);
/* Waits until so many further answers are acknowledged, or for five seconds. */
void load_wait(struct load *load, unsigned long answers);
/* Ends the round at hand. False if a simulation failed, or somebody was refused or lost. */
bool load_finish(struct load *load);
void load_print(const struct load *load);

#endif
