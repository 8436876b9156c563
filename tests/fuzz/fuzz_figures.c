/* Results of any program, as lines and as a CSV: what is refused is said in one line, what is taken
 * has a set or computed figures and no figure that is not finite, and no run twice. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "softlab/verdict.h"

static void check_runs(const struct sl_results *results)
{
    for (size_t i = 0; i < results->n_runs; i++) {
        const struct sl_result *run = &results->runs[i];
        const char *name;
        json_t *value;
        if (!run->key || !run->spec) abort();
        if (!run->set && !json_object_get(run->json, "computed")) abort();
        json_object_foreach(json_object_get(run->json, "metrics"), name, value)
        {
            if (!strchr(name, '/')) abort();
            if (!json_is_null(value) && !isfinite(json_number_value(value))) abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *spec = "collins2022/table2";
    const struct sl_figures_for purpose = {&spec, 1};
    const int file = memfd_create("fuzz", 0);
    char path[64];
    struct sl_error err;
    if (file < 0 || write(file, bytes, length) != (ssize_t)length) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct sl_results *lines = sl_results_create(), *rows = sl_results_create();
    if (sl_results_read(lines, path, &err) != SL_OK && strchr(err.message, '\n')) abort();
    check_runs(lines);
    if (sl_results_read_csv(rows, path, &purpose, &err) != SL_OK) {
        if (rows->n_runs || strchr(err.message, '\n')) abort();
    } else if (rows->n_runs && sl_results_read_csv(rows, path, &purpose, &err) != SL_ERR_INPUT) {
        abort();
    }
    check_runs(rows);
    sl_results_destroy(lines);
    sl_results_destroy(rows);
    close(file);
    return 0;
}
