/* How fast sl_csv_next goes through a file, one thread, beside the rate at which read()
 * alone delivers the same file in the same run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base.h"

enum { REPEATS = 5, READ_BYTES = 256 * 1024, FILE_MEGABYTES = 200 };

static const double floor_rate = 200; /* MB/s that must be reached */

struct table {
    const char *name;
    const char *header;
    void (*append_row)(struct sl_buffer *line, uint64_t row, uint64_t chance);
};

/* Any generator will do if every run gets the same bytes. */
static uint64_t next_chance(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = (*state ^ (*state >> 30)) * 0xBF58476D1CE4E5B9u;
    return mixed ^ (mixed >> 29);
}

static void append_answer(struct sl_buffer *line, uint64_t row, uint64_t chance)
{
    sl_buffer_printf(line, "%u,a%u,%u\n", (unsigned)(row / 10), (unsigned)(chance % 500),
                     (unsigned)(chance >> 32) % 10);
}

static void append_sentence(struct sl_buffer *line, uint64_t row, uint64_t chance)
{
    static const char *const phrases[] = {
        "the film, for all its length, never bores",
        "she called it \"\"a triumph\"\" and left",
        "two lines\nin one review",
        "slow at first, then simply gripping to the very last of its many scenes",
        "it is what it is",
        "not the ending anyone had hoped for, but the one the story earned",
    };
    const size_t n_phrases = sizeof phrases / sizeof *phrases;
    sl_buffer_printf(line, "%u,\"", (unsigned)row);
    for (unsigned i = 0; i < 1 + (chance & 3); i++) {
        if (i > 0) sl_buffer_text(line, "; ");
        sl_buffer_text(line, phrases[(chance >> (8 * i + 8)) % n_phrases]);
    }
    sl_buffer_printf(line, "\",%s\n", chance >> 63 ? "positive" : "negative");
}

static const struct table tables[] = {
    {"long", "task,worker,label\n", append_answer},
    {"text", "id,sentence,label\n", append_sentence},
};

static enum sl_status write_table(const struct table *table, const char *path, struct sl_error *err)
{
    struct sl_writer writer;
    struct sl_buffer line;
    SL_TRY(sl_writer_open(&writer, path, err));
    sl_buffer_init(&line, 1 << 20);
    sl_buffer_text(&line, table->header);
    uint64_t state = 1;
    enum sl_status status = SL_OK;
    for (uint64_t row = 0; writer.offset < FILE_MEGABYTES * UINT64_C(1000000); row++) {
        table->append_row(&line, row, next_chance(&state));
        SL_TRY_OUT(sl_writer_write(&writer, line.data, line.length, err));
        sl_buffer_clear(&line);
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    sl_buffer_release(&line);
    return status;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Each reader returns how many bytes it saw, so that the compiler cannot remove it. */
static enum sl_status walk_records(const char *path, uint64_t *seen, struct sl_error *err)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    do {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        for (size_t i = 0; i < record.count; i++)
            *seen += record.fields[i].length;
    } while (record.count > 0);
out:
    sl_csv_close(csv);
    return status;
}

static enum sl_status walk_bytes(const char *path, uint64_t *seen, struct sl_error *err)
{
    int descriptor = -1;
    SL_TRY(sl_file_open(path, &descriptor, NULL, err));
    char *bytes = sl_alloc(READ_BYTES, 1);
    ssize_t got = 0;
    while ((got = read(descriptor, bytes, READ_BYTES)) > 0)
        *seen += (uint64_t)got;
    free(bytes);
    close(descriptor);
    return got < 0 ? sl_fail_errno(err, "%s", path) : SL_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median rate of a walk over a file of `size` bytes, in MB/s. */
static enum sl_status measure(enum sl_status (*walk)(const char *, uint64_t *, struct sl_error *),
                              const char *path, uint64_t size, double *rate, struct sl_error *err)
{
    double rates[REPEATS];
    for (size_t i = 0; i < REPEATS; i++) {
        uint64_t seen = 0;
        double begin = seconds_now();
        SL_TRY(walk(path, &seen, err));
        rates[i] = (double)size / (seconds_now() - begin) / 1e6;
        if (seen == 0 || seen > size)
            return sl_fail(err, SL_ERR_INPUT, "%s: saw %llu bytes of %llu", path,
                           (unsigned long long)seen, (unsigned long long)size);
    }
    qsort(rates, REPEATS, sizeof *rates, compare_doubles);
    *rate = rates[REPEATS / 2];
    return SL_OK;
}

static enum sl_status run(const struct table *table, const char *path, struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    double records = 0, bytes = 0;
    SL_TRY(write_table(table, path, err));
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    close(descriptor);
    SL_TRY(measure(walk_bytes, path, size, &bytes, err));
    SL_TRY(measure(walk_records, path, size, &records, err));
    printf("csv %-8s %10.0f %8.0f\n", table->name, records, floor_rate);
    printf("read() %-5s %10.0f %8s\n", table->name, bytes, "-");
    return SL_OK;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    char *path = sl_path_join(argc > 1 ? argv[1] : "/tmp", "softlab-bench.csv");
    enum sl_status status = SL_OK;
    printf("%-12s %10s %8s\n", "name", "MB/s", "floor");
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == SL_OK; i++)
        status = run(&tables[i], path, &err);
    unlink(path);
    free(path);
    if (status != SL_OK) fprintf(stderr, "bench_csv: %s\n", err.message);
    return status == SL_OK ? 0 : 1;
}
