#include "load.h"

#include <stdio.h>
#include <time.h>

enum { LONGEST_MS = 5000, AWAY_MS = 60000, STEP_MS = 50 };

static void note(void *context, const char *id, bool acknowledged)
{
    struct load *load = context;
    books_note(load->books, id, acknowledged);
    if (acknowledged) atomic_fetch_add(&load->acknowledged, 1);
}

/* Simulated people first read the study, whose database may be away just then. */
static enum sl_status simulate_when_there(const struct sl_study_simulation *options,
                                          struct sl_simulation_result *result, struct sl_error *err)
{
    enum sl_status status = SL_ERR_BUSY;
    for (int waited = 0; status == SL_ERR_BUSY && waited < AWAY_MS; waited += STEP_MS) {
        status = sl_study_simulate(options, result, err);
        if (status == SL_ERR_BUSY)
            nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
    return status;
}

static bool simulate(struct load *load)
{
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_error err;
    options.url = load->url;
    options.count = true;
    options.folder = load->folder;
    options.annotators = (size_t)load->annotators;
    options.at_once = (size_t)(load->at_once > 0 ? load->at_once : load->annotators);
    options.speed = 0;
    options.patience = 120;
    options.images = false;
    options.seed = (uint64_t)load->seed++;
    options.saved = note;
    options.context = load;
    if (simulate_when_there(&options, &result, &err) != SL_OK) {
        fprintf(stderr, "simulation: %s\n", err.message);
        return false;
    }
    load->total.finished += result.finished;
    load->total.refused += result.refused;
    load->total.lost += result.lost;
    load->total.answers += result.answers;
    load->total.retries += result.retries;
    return true;
}

static void *run(void *context)
{
    struct load *load = context;
    do {
        load->failed = !simulate(load);
    } while (!load->failed && !atomic_load(&load->enough));
    return NULL;
}

bool load_start(struct load *load)
{
    return pthread_create(&load->thread, NULL, run, load) == 0;
}

void load_wait(struct load *load, unsigned long answers)
{
    unsigned long until = atomic_load(&load->acknowledged) + answers;
    for (int i = 0; i < LONGEST_MS && atomic_load(&load->acknowledged) < until; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

bool load_finish(struct load *load)
{
    atomic_store(&load->enough, true);
    pthread_join(load->thread, NULL);
    return !load->failed && load->total.refused + load->total.lost == 0;
}

void load_print(const struct load *load)
{
    printf("%zu annotators finished, %zu refused, %zu lost, %zu retries\n", load->total.finished,
           load->total.refused, load->total.lost, load->total.retries);
}
