/* How fast votes are read, by one thread beside all cores, and how much memory that takes:
 * generated answers to a tenth as many items by 1,000 annotators, two classes, as long CSV grouped
 * by item, as long CSV in an order without order, as answers.jsonl and as answers.slb. Each file is
 * read in a process of its own, whose peak memory is printed; files lie in the page cache.
 *
 * What limits a reading: `cores` is processor time by time, so that less than the threads means
 * waiting for the thread that takes the blocks in order, or for other programs; `of memory` is the
 * file's bytes per second by those that the same threads only add up. The rows `codes` take the
 * same answers from arrays in memory.
 *
 *     bench_answers [answers, default 2000000] [folder, default /tmp] */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softlab/answer.h"
#include "softlab/base.h"

enum { PER_ITEM = 10, N_ANNOTATORS = 1000, N_CLASSES = 10 /* of codes */ };

struct file {
    const char *name, *suffix;
    const char *header;
    bool scattered;
    void (*append)(struct sl_buffer *out, uint64_t item, unsigned annotator, unsigned label);
};

static void append_csv(struct sl_buffer *out, uint64_t item, unsigned annotator, unsigned label)
{
    sl_buffer_printf(out, "%" PRIu64 ",a%u,%u\n", item, annotator, label);
}

static void append_jsonl(struct sl_buffer *out, uint64_t item, unsigned annotator, unsigned label)
{
    sl_buffer_printf(out,
                     "{\"item\":\"%" PRIu64
                     "\",\"annotator\":\"a%u\",\"kind\":\"hard\",\"class\":\"%s\"}\n",
                     item, annotator, label ? "dog" : "cat");
}

static const char csv_header[] = "task,worker,label\n";
static const char jsonl_header[] =
    "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"cat\",\"dog\"]}\n";

static const struct file files[] = {
    {"csv grouped", "grouped.csv", csv_header, false, append_csv},
    {"csv scattered", "scattered.csv", csv_header, true, append_csv},
    {"jsonl grouped", "grouped.jsonl", jsonl_header, false, append_jsonl},
    {"jsonl scattered", "scattered.jsonl", jsonl_header, true, append_jsonl},
};
enum { N_FILES = sizeof files / sizeof *files };

/* Any generator will do if every run gets the same bytes. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A step through 0..count-1 that visits every number once and never near the last one. */
static uint64_t step_of(uint64_t count)
{
    uint64_t step = (uint64_t)((double)count * 0.6180339887) | 1;
    while (greatest_divisor(count, step) != 1)
        step += 2;
    return step;
}

static enum sl_status write_file(const struct file *file, const char *path, uint64_t count,
                                 struct sl_error *err)
{
    struct sl_writer writer;
    struct sl_buffer lines;
    SL_TRY(sl_writer_open(&writer, path, err));
    sl_buffer_init(&lines, 1 << 20);
    sl_buffer_text(&lines, file->header);
    const uint64_t step = file->scattered ? step_of(count) : 1;
    enum sl_status status = SL_OK;
    uint64_t answer = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t chance = mix(answer + 1);
        file->append(&lines, answer / PER_ITEM, (unsigned)(chance % N_ANNOTATORS),
                     (unsigned)(chance >> 40 & 1));
        answer += step;
        if (answer >= count) answer -= count;
        if (lines.length < 60000 && i + 1 < count) continue;
        SL_TRY_OUT(sl_writer_write(&writer, lines.data, lines.length, err));
        sl_buffer_clear(&lines);
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&lines);
    return status;
}

/* The answers of a file as numbers; (3, count), to be freed. */
static uint32_t *make_codes(bool scattered, uint64_t count)
{
    uint32_t *codes = sl_alloc(3 * (size_t)count, sizeof *codes);
    const uint64_t step = scattered ? step_of(count) : 1;
    uint64_t answer = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t chance = mix(answer + 1);
        codes[i] = (uint32_t)(answer / PER_ITEM);
        codes[count + i] = (uint32_t)(chance % N_ANNOTATORS);
        codes[2 * count + i] = (uint32_t)(chance >> 40) % N_CLASSES;
        answer += step;
        if (answer >= count) answer -= count;
    }
    return codes;
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

enum { SUMMED = 256 << 20, SUM_PARTS = 64 };

struct summing {
    const uint64_t *values;
    uint64_t sums[SUM_PARTS];
};

static void sum_part(void *context, size_t part, size_t worker)
{
    struct summing *summing = context;
    const size_t count = SUMMED / sizeof(uint64_t) / SUM_PARTS;
    uint64_t sum = 0;
    (void)worker;
    for (size_t i = 0; i < count; i++)
        sum += summing->values[part * count + i];
    summing->sums[part] = sum;
}

/* Bytes per second that the threads read from memory. */
static double memory_speed(struct sl_pool *pool)
{
    uint64_t *values = sl_alloc(SUMMED, 1);
    struct summing summing = {.values = values};
    double best = HUGE_VAL;
    memset(values, 1, SUMMED);
    for (int i = 0; i < 5; i++) {
        const double begin = sl_clock_seconds();
        sl_pool_run(pool, SUM_PARTS, sum_part, &summing);
        best = fmin(best, sl_clock_seconds() - begin);
    }
    free(values);
    return SUMMED / best;
}

static double file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

/* Read in a separate process, print, and write the cache that the last row reads. */
static int read_file(const char *name, const char *path, uint64_t count, const char *cache,
                     size_t threads)
{
    struct sl_error err;
    struct sl_votes *votes = NULL;
    struct rusage usage;
    struct sl_import_options options = {0};
    enum sl_status status = sl_pool_create(threads, &options.pool, &err);
    double begin = sl_clock_seconds(), used_before = processor_seconds();
    if (status == SL_OK) status = sl_votes_read(path, &options, &votes, &err);
    double taken = sl_clock_seconds() - begin, used = processor_seconds() - used_before;
    getrusage(RUSAGE_SELF, &usage);
    if (status == SL_OK && (votes->count != count || votes->n_items != count / PER_ITEM))
        status = sl_fail(&err, SL_ERR_INPUT, "%s: read %zu answers to %zu items", path,
                         votes->count, votes->n_items);
    if (status == SL_OK) {
        printf("%-16s %7zu %8.3f %8.3f %7.2f %9.2f %9.0f %% %8ld\n", name, threads, taken, used,
               used / taken, (double)count / taken / 1e6,
               100 * file_bytes(path) / taken / memory_speed(options.pool), usage.ru_maxrss / 1000);
        if (cache) status = sl_votes_write_slb(votes, cache, &err);
    }
    if (status != SL_OK) fprintf(stderr, "bench_answers: %s\n", err.message);
    sl_votes_destroy(votes);
    sl_pool_destroy(options.pool);
    return status == SL_OK ? 0 : 1;
}

static bool read_apart(const char *name, const char *path, uint64_t count, const char *cache,
                       size_t threads)
{
    int code = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        code = read_file(name, path, count, cache, threads);
        fflush(stdout);
        _exit(code);
    }
    return child > 0 && waitpid(child, &code, 0) == child && code == 0;
}

static bool take_codes(const char *name, bool scattered, uint64_t count, size_t threads)
{
    struct sl_error err;
    struct sl_votes *votes = NULL;
    struct sl_pool *pool = NULL;
    uint32_t *rows = make_codes(scattered, count);
    const struct sl_vote_codes codes = {.count = count,
                                        .n_items = count / PER_ITEM,
                                        .n_annotators = N_ANNOTATORS,
                                        .n_classes = N_CLASSES,
                                        .item = rows,
                                        .annotator = rows + count,
                                        .label = rows + 2 * count};
    enum sl_status status = sl_pool_create(threads, &pool, &err);
    const double begin = sl_clock_seconds(), used_before = processor_seconds();
    if (status == SL_OK) status = sl_votes_from_codes(&codes, pool, &votes, &err);
    const double taken = sl_clock_seconds() - begin, used = processor_seconds() - used_before;
    if (status == SL_OK)
        printf("%-16s %7zu %8.3f %8.3f %7.2f %9.2f\n", name, threads, taken, used, used / taken,
               (double)count / taken / 1e6);
    else
        fprintf(stderr, "bench_answers: %s\n", err.message);
    sl_votes_destroy(votes);
    sl_pool_destroy(pool);
    free(rows);
    return status == SL_OK;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 ? argv[2] : "/tmp";
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    count = count < PER_ITEM ? PER_ITEM : count / PER_ITEM * PER_ITEM;
    char *cache = sl_path_join(folder, "softlab-bench.slb");
    bool good = true;
    const size_t cores = sl_cpu_count(), threads = cores > 1 ? cores : 2;
    printf("%-16s %7s %8s %8s %7s %9s %11s %8s\n", "name", "threads", "seconds", "cpu", "cores",
           "M rows/s", "of memory", "peak MB");
    for (size_t i = 0; i < N_FILES && good; i++) {
        struct sl_error err;
        char *name = sl_string_printf("softlab-bench-%s", files[i].suffix);
        char *path = sl_path_join(folder, name);
        good = write_file(&files[i], path, count, &err) == SL_OK;
        if (!good) fprintf(stderr, "bench_answers: %s\n", err.message);
        good = good && read_apart(files[i].name, path, count, i == 0 ? cache : NULL, 1);
        good = good && read_apart("", path, count, NULL, threads);
        unlink(path);
        free(path);
        free(name);
    }
    good = good && read_apart("slb", cache, count, NULL, 1);
    for (int scattered = 0; scattered < 2 && good; scattered++)
        good = take_codes(scattered ? "codes scattered" : "codes grouped", scattered, count, 1) &&
               take_codes("", scattered, count, threads);
    unlink(cache);
    free(cache);
    return good ? 0 : 1;
}
