/* Runs a fuzz target without libFuzzer: every argument is a file or a folder of files to replay,
 * or `--random RUNS`, inputs of chance for targets that take every input for a programme. An empty
 * corpus is a failure, so that a moved folder is noticed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softlab/base.h"

enum { INPUT_LIMIT = 64 << 20 };

static bool replay_file(const char *path)
{
    struct sl_buffer bytes;
    struct sl_error err;
    sl_buffer_init(&bytes, INPUT_LIMIT);
    bool read = sl_file_read(path, &bytes, &err) == SL_OK;
    if (read)
        LLVMFuzzerTestOneInput((const uint8_t *)bytes.data, bytes.length);
    else
        fprintf(stderr, "%s\n", err.message);
    sl_buffer_release(&bytes);
    return read;
}

static size_t replay_folder(const char *path)
{
    char **names = NULL;
    struct sl_error err;
    if (sl_folder_list(path, &names, NULL, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 0;
    }
    size_t replayed = 0;
    for (char **name = names; *name; name++) {
        char *file = sl_path_join(path, *name);
        replayed += replay_file(file);
        free(file);
    }
    sl_names_destroy(names);
    return replayed;
}

static size_t run_chance(size_t runs)
{
    enum { LONGEST = 600 };
    uint8_t bytes[LONGEST];
    for (size_t run = 0; run < runs; run++) {
        struct sl_rng chance;
        sl_rng_init(&chance, 1, "fuzz", 0, run);
        size_t length = 1 + sl_rng_below(&chance, LONGEST);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)sl_rng_below(&chance, 256);
        LLVMFuzzerTestOneInput(bytes, length);
    }
    return runs;
}

int main(int argc, char **argv)
{
    size_t replayed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--random") == 0 && i + 1 < argc)
            replayed += run_chance(strtoul(argv[++i], NULL, 10));
        else
            replayed += sl_folder_exists(argv[i]) ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
    printf("%zu inputs replayed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
