#include "fuzz.h"
#include "softlab/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_npz *npz = NULL;
    struct sl_error err;
    if (sl_npz_open_memory(bytes, length, "input", &npz, &err) != SL_OK) return 0;
    for (size_t i = 0; i < sl_npz_count(npz); i++) {
        struct sl_array array;
        if (sl_npz_read(npz, sl_npz_name(npz, i), &array, &err) == SL_OK) sl_array_release(&array);
    }
    sl_npz_close(npz);
    return 0;
}
