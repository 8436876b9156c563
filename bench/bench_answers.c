/* How fast votes are read, one thread, and how much memory that takes: generated answers to a
 * tenth as many items by 1,000 annotators, two classes, as long CSV grouped by item, as long CSV
 * in an order without order, as answers.jsonl and as answers.slb. Each file is read in a process
 * of its own, whose peak memory is printed; files lie in the page cache. Rates are per second of
 * the processor (cpu), which other processes do not take away.
 *
 *     bench_answers [answers, default 2000000] [folder, default /tmp] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softlab/answer.h"
#include "softlab/base.h"

enum { PER_ITEM = 10, N_ANNOTATORS = 1000 };

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

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Read in a separate process, print, and write the cache that the last row reads. */
static int read_file(const char *name, const char *path, uint64_t count, const char *cache)
{
    struct sl_error err;
    struct sl_votes *votes = NULL;
    struct rusage usage;
    double begin = sl_clock_seconds(), used_before = processor_seconds();
    enum sl_status status = sl_votes_read(path, NULL, &votes, &err);
    double taken = sl_clock_seconds() - begin, used = processor_seconds() - used_before;
    getrusage(RUSAGE_SELF, &usage);
    if (status == SL_OK && (votes->count != count || votes->n_items != count / PER_ITEM))
        status = sl_fail(&err, SL_ERR_INPUT, "%s: read %zu answers to %zu items", path,
                         votes->count, votes->n_items);
    if (status == SL_OK) {
        printf("%-16s %9.3f %9.3f %11.2f %8.0f %9ld\n", name, taken, used,
               (double)count / used / 1e6, used / (double)count * 1e9, usage.ru_maxrss / 1000);
        if (cache) status = sl_votes_write_slb(votes, cache, &err);
    }
    if (status != SL_OK) fprintf(stderr, "bench_answers: %s\n", err.message);
    sl_votes_destroy(votes);
    return status == SL_OK ? 0 : 1;
}

static bool read_apart(const char *name, const char *path, uint64_t count, const char *cache)
{
    int code = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        code = read_file(name, path, count, cache);
        fflush(stdout);
        _exit(code);
    }
    return child > 0 && waitpid(child, &code, 0) == child && code == 0;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 ? argv[2] : "/tmp";
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    count = count < PER_ITEM ? PER_ITEM : count / PER_ITEM * PER_ITEM;
    char *cache = sl_path_join(folder, "softlab-bench.slb");
    bool good = true;
    printf("%-16s %9s %9s %11s %8s %9s\n", "name", "seconds", "cpu", "M answers/s", "ns each",
           "peak MB");
    for (size_t i = 0; i < N_FILES && good; i++) {
        struct sl_error err;
        char *name = sl_string_printf("softlab-bench-%s", files[i].suffix);
        char *path = sl_path_join(folder, name);
        good = write_file(&files[i], path, count, &err) == SL_OK;
        if (!good) fprintf(stderr, "bench_answers: %s\n", err.message);
        good = good && read_apart(files[i].name, path, count, i == 0 ? cache : NULL);
        unlink(path);
        free(path);
        free(name);
    }
    good = good && read_apart("slb", cache, count, NULL);
    unlink(cache);
    free(cache);
    return good ? 0 : 1;
}
