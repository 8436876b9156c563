/* Answers in blocks: whatever a file holds, small blocks and several threads give what one block
 * gives: votes, a set, the lines that an import writes, or the same error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../support/reading.h"
#include "fuzz.h"

enum { OUTPUT_LIMIT = 64 << 20, THREADS = 3 };

static void compare(const char *path, enum reading_kind kind, const struct sl_block_plan *plan)
{
    const struct sl_block_plan whole = {NULL, 1 << 20, 1};
    struct sl_buffer expected, found;
    sl_buffer_init(&expected, OUTPUT_LIMIT);
    sl_buffer_init(&found, OUTPUT_LIMIT);
    reading(path, kind, &whole, &expected);
    reading(path, kind, plan, &found);
    if (found.length != expected.length) abort();
    if (memcmp(found.data, expected.data, found.length) != 0) abort();
    sl_buffer_release(&expected);
    sl_buffer_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    /* The first byte chooses the format, the second the size of pieces. */
    static const char *const suffixes[] = {"csv", "tsv", "jsonl", "csv"};
    static struct sl_pool *pool;
    if (length < 2) return 0;
    if (!pool && sl_pool_create(THREADS, &pool, NULL) != SL_OK) abort();
    char path[64];
    const char *folder = sl_folder_exists("/dev/shm") ? "/dev/shm" : "/tmp";
    const unsigned format = bytes[0] & 3;
    snprintf(path, sizeof path, "%s/softlab-fuzz-%ld.%s", folder, (long)getpid(), suffixes[format]);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes + 2, 1, length - 2, file) != length - 2 || fclose(file) != 0) abort();
    const struct sl_block_plan plan = {.pool = bytes[0] & 4 ? pool : NULL,
                                       .size = 1 + bytes[1] % 64,
                                       .per_window = 1 + bytes[1] / 64};
    compare(path, READING_VOTES, &plan);
    compare(path, READING_SET, &plan);
    if (format != 2) compare(path, READING_LINES, &plan);
    unlink(path);
    snprintf(path + strlen(path), sizeof path - strlen(path), ".written");
    unlink(path);
    return 0;
}
