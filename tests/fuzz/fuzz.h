/* What a fuzz target defines; libFuzzer or driver.c calls it. */
#ifndef SOFTLAB_TESTS_FUZZ_H
#define SOFTLAB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
