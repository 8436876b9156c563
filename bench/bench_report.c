/* A report of 10,000 result lines: reading them, beside jansson alone, and writing the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base.h"
#include "softlab/verdict.h"

enum { N_LINES = 10000, N_EPOCHS = 60, N_BINS = 30, N_ROUNDS = 5 };

/* Processor time: other programs on the machine do not count. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void add_line(struct sl_buffer *out, size_t i)
{
    static const char *const sets[] = {"cifar10h", "t2-clamp", "cifar10h-mean", "t2-clamp-mean"};
    static const char *const networks[] = {"resnet34a", "vgg11", "resnet50"};
    const char *set = sets[i % 4];
    sl_buffer_printf(out,
                     "{\"softlab\":\"result\",\"version\":1,\"key\":\"%064zx\",\"spec\":"
                     "\"collins2022/table2\",\"scale\":\"paper\",\"variant\":\"as-run\",\"part\":"
                     "null,\"set\":\"%s\",\"network\":\"%s\",\"seed\":%zu,\"fold\":null,"
                     "\"metrics\":{",
                     i, set, networks[i / 4 % 3], i / 12);
    for (size_t m = 0; m < 6; m++)
        sl_buffer_printf(
            out, "%s\"%s/%s\":%.15f", m ? "," : "", m < 3 ? "cifar10h" : "cifar10s",
            (const char *const[]){"cross_entropy", "rms_calibration", "fgsm_loss"}[m % 3],
            1.2 + .1 * sin((double)(i * 7 + m)));
    sl_buffer_text(out, "},\"curve\":[");
    for (size_t e = 0; e < N_EPOCHS; e++)
        sl_buffer_printf(out, "%s[%zu,%.4f,%.4f,null]", e ? "," : "", e + 1, 2.3 - .03 * (double)e,
                         .1 + .01 * (double)e);
    sl_buffer_text(out, "],\"attacks\":{\"cifar10h/pgd\":[1.25,2.5,3.75,4.5]},\"reliability\":{"
                        "\"cifar10h\":[");
    for (size_t b = 0; b < N_BINS; b++)
        sl_buffer_printf(out, "%s[%.15f,%.15f,100,%.15f,%.15f]", b ? "," : "", (double)b / N_BINS,
                         (double)(b + 1) / N_BINS, ((double)b + .5) / N_BINS, (double)b / N_BINS);
    sl_buffer_text(out,
                   "]},\"classes\":[\"airplane\",\"automobile\",\"bird\",\"cat\"],"
                   "\"commands\":[[\"train\",\"--network\",\"resnet34a\"],[\"eval\",\"run\"]],"
                   "\"provenance\":{\"version\":\"0.1.0\",\"build\":\"none\"},\"time\":{"
                   "\"started\":\"2026-01-01T00:00:00Z\",\"seconds\":12.5,\"machine\":\"x\"}}\n");
}

static double time_jansson(const struct sl_buffer *text)
{
    json_t **values = sl_alloc(N_LINES, sizeof *values);
    double start = now();
    const char *at = text->data;
    for (size_t i = 0; i < N_LINES; i++) {
        size_t length = strcspn(at, "\n");
        values[i] = json_loadb(at, length, JSON_REJECT_DUPLICATES, NULL);
        at += length + 1;
    }
    double taken = now() - start;
    for (size_t i = 0; i < N_LINES; i++)
        json_decref(values[i]);
    free(values);
    return taken;
}

static enum sl_status time_report(const char *path, double *reading, double *writing,
                                  struct sl_error *err)
{
    struct sl_results *results = sl_results_create();
    struct sl_report *report = NULL;
    struct sl_report_options options = {.specs = NULL};
    struct sl_buffer page;
    enum sl_status status = SL_OK;
    sl_buffer_init(&page, 1 << 28);
    double start = now();
    SL_TRY_OUT(sl_results_read(results, path, err));
    *reading = now() - start;
    SL_TRY_OUT(sl_verdict_report(results, &options, &report, err));
    SL_TRY_OUT(sl_report_render(report, sl_report_formats, &page, err));
    *writing = now() - start - *reading;
out:
    sl_buffer_release(&page);
    sl_report_destroy(report);
    sl_results_destroy(results);
    return status;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(void)
{
    char path[64];
    struct sl_error err;
    struct sl_buffer text;
    double jansson = INFINITY, reading = INFINITY, writing = INFINITY;
    snprintf(path, sizeof path, "/tmp/softlab-bench-report-%ld", (long)getpid());
    sl_buffer_init(&text, (size_t)1 << 30);
    for (size_t i = 0; i < N_LINES; i++)
        add_line(&text, i);
    enum sl_status status = sl_file_write(path, text.data, text.length, &err);
    for (size_t round = 0; round < N_ROUNDS && status == SL_OK; round++) {
        double one = 0, two = 0;
        jansson = least(jansson, time_jansson(&text));
        status = time_report(path, &one, &two, &err);
        reading = least(reading, one);
        writing = least(writing, two);
    }
    unlink(path);
    if (status != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("%d result lines, %.1f MB: read in %.2f s (jansson alone %.2f s, %.1fx), "
           "judged and written in %.2f s\n",
           N_LINES, 1e-6 * (double)text.length, reading, jansson, jansson / reading, writing);
    sl_buffer_release(&text);
    return 0;
}
