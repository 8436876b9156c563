#include "fuzz.h"
#include "softlab/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_safetensors *file = NULL;
    struct sl_error err;
    if (sl_safetensors_open_memory(bytes, length, "input", &file, &err) != SL_OK) return 0;
    for (size_t i = 0; i < sl_safetensors_count(file); i++) {
        struct sl_array array;
        if (sl_safetensors_read(file, sl_safetensors_name(file, i), &array, &err) == SL_OK)
            sl_array_release(&array);
    }
    sl_safetensors_close(file);
    return 0;
}
