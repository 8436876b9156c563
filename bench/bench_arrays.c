/* How much reading an .npz costs over the least it could: against read() of the same bytes
 * into fresh memory for a stored entry, and against zlib's inflate of the same bytes, already
 * in memory, for a deflated one. Ours and the reference alternate; the ratio is the median
 * over the pairs. The files lie in the page cache.
 *
 *     bench_arrays [folder for the temporary file] */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "softlab/base/array.h"
#include "softlab/base/file.h"

enum { N_PAIRS = 7 };
static const size_t stored_values = (size_t)64 << 20;   /* floats: 256 MB */
static const size_t deflated_values = (size_t)16 << 20; /* floats: 64 MB */

static void die(const char *what)
{
    fprintf(stderr, "bench_arrays: %s\n", what);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Values like those of label distributions: counts over 51 answers, most of them zero. */
static void fill(float *values, size_t count)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned draw = (unsigned)(state >> 33);
        values[i] = draw % 4 == 0 ? (float)(draw / 4 % 52) / 51.0f : 0.0f;
    }
}

static void write_file(const char *path, size_t count, enum sl_npz_packing packing)
{
    struct sl_error err;
    struct sl_array array;
    struct sl_npz_writer *writer = NULL;
    const size_t shape[] = {count / 16, 16};
    if (sl_array_create(SL_F4, 0, 2, shape, &array, &err) != SL_OK) die(err.message);
    fill(array.data, count);
    if (sl_npz_writer_create(path, packing, &writer, &err) != SL_OK ||
        sl_npz_writer_add(writer, "labels", &array, &err) != SL_OK ||
        sl_npz_writer_commit(writer, &err) != SL_OK)
        die(err.message);
    sl_npz_writer_destroy(writer);
    sl_array_release(&array);
}

static double time_ours(const char *path)
{
    struct sl_error err;
    struct sl_npz *npz = NULL;
    struct sl_array array;
    double start = seconds();
    if (sl_npz_open(path, &npz, &err) != SL_OK || sl_npz_read(npz, "labels", &array, &err) != SL_OK)
        die(err.message);
    double taken = seconds() - start;
    sl_array_release(&array);
    sl_npz_close(npz);
    return taken;
}

/* Aligned like our arrays: the kernel copies to such memory faster than to malloc's. */
static double time_read(const char *path, size_t size)
{
    double start = seconds();
    int descriptor = open(path, O_RDONLY);
    char *bytes = aligned_alloc(64, size);
    if (descriptor < 0 || !bytes) die(path);
    for (size_t done = 0; done < size;) {
        ssize_t got = read(descriptor, bytes + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) die(path);
        done += (size_t)got;
    }
    double taken = seconds() - start;
    close(descriptor);
    free(bytes);
    return taken;
}

/* The only entry's deflated bytes: after the local header, its name and its extra field. */
static double time_inflate(const struct sl_buffer *file, size_t size)
{
    unsigned char *bytes = (unsigned char *)file->data;
    size_t skipped =
        30 + (size_t)(bytes[26] | bytes[27] << 8) + (size_t)(bytes[28] | bytes[29] << 8);
    double start = seconds();
    unsigned char *out = malloc(size);
    z_stream stream = {.next_in = bytes + skipped,
                       .avail_in = (uInt)(file->length - skipped),
                       .next_out = out,
                       .avail_out = (uInt)size};
    if (!out || inflateInit2(&stream, -MAX_WBITS) != Z_OK ||
        inflate(&stream, Z_FINISH) != Z_STREAM_END)
        die("inflate refused");
    double taken = seconds() - start;
    inflateEnd(&stream);
    free(out);
    return taken;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, N_PAIRS, sizeof *values, compare);
    return values[N_PAIRS / 2];
}

static void report(const char *name, double *ours, double *reference, double limit)
{
    double ratios[N_PAIRS];
    for (int i = 0; i < N_PAIRS; i++)
        ratios[i] = ours[i] / reference[i];
    double ratio = median(ratios);
    printf("%-14s %8.4f s  %8.4f s  %5.2f  %5.2f\n", name, median(ours), median(reference), ratio,
           limit);
}

static void bench_stored(const char *path)
{
    double ours[N_PAIRS], reference[N_PAIRS];
    write_file(path, stored_values, SL_NPZ_STORED);
    time_read(path, stored_values * sizeof(float));
    for (int i = 0; i < N_PAIRS; i++) {
        ours[i] = time_ours(path);
        reference[i] = time_read(path, stored_values * sizeof(float));
    }
    report("npz stored", ours, reference, 1.5);
}

static void bench_deflated(const char *path)
{
    double ours[N_PAIRS], reference[N_PAIRS];
    struct sl_error err;
    struct sl_buffer file;
    write_file(path, deflated_values, SL_NPZ_DEFLATED);
    sl_buffer_init(&file, deflated_values * sizeof(float));
    if (sl_file_read(path, &file, &err) != SL_OK) die(err.message);
    for (int i = 0; i < N_PAIRS; i++) {
        ours[i] = time_ours(path);
        reference[i] = time_inflate(&file, deflated_values * sizeof(float) + 4096);
    }
    sl_buffer_release(&file);
    report("npz deflated", ours, reference, 1.2);
}

int main(int argc, char **argv)
{
    char *path = sl_path_join(argc > 1 ? argv[1] : "/tmp", "bench_arrays.npz");
    printf("%-14s %10s  %10s  %5s  %5s\n", "name", "ours", "reference", "ratio", "limit");
    bench_stored(path);
    bench_deflated(path);
    unlink(path);
    free(path);
    return 0;
}
