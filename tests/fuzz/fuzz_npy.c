#include "fuzz.h"
#include "softlab/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_array array;
    struct sl_error err;
    if (sl_npy_parse(bytes, length, "input", &array, &err) == SL_OK) sl_array_release(&array);
    return 0;
}
