/* Word vectors: no bytes may break the reader, and a vector that was read is finite. */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "softlab/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const names[] = {"a", "B c", "a-d"};
    struct sl_word_vectors vectors;
    struct sl_error err;
    for (size_t n_names = 1; n_names <= 3; n_names++) {
        if (sl_word_vectors_parse((const char *)bytes, length, "fuzz", names, n_names, &vectors,
                                  &err) != SL_OK)
            continue;
        if (vectors.n_names != n_names || vectors.dimensions == 0) abort();
        for (size_t i = 0; i < n_names * vectors.dimensions; i++)
            if (!isfinite(vectors.values[i])) abort();
        sl_word_vectors_release(&vectors);
    }
    return 0;
}
