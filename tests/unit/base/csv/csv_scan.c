#include "base/csv/internal.h"
#include "support.h"

static const char comma_specials[SL_CSV_SPECIALS] = {',', '"', '\n', '\r', '\0'};

static void test_the_portable_scanner_marks_specials_and_nothing_else(void **state)
{
    (void)state;
    char block[SL_CSV_BLOCK];
    uint64_t mask = 0;
    memset(block, 'x', sizeof block);
    sl_csv_scanners[0].scan(block, 1, comma_specials, &mask);
    assert_true(mask == 0);
    for (unsigned byte = 0; byte < 256; byte++) {
        bool special = memchr(comma_specials, (int)byte, sizeof comma_specials);
        for (unsigned at = 0; at < SL_CSV_BLOCK; at++) {
            block[at] = (char)byte;
            sl_csv_scanners[0].scan(block, 1, comma_specials, &mask);
            assert_true(mask == (special ? (uint64_t)1 << at : 0));
            block[at] = 'x';
        }
    }
}

static void test_every_scanner_agrees_with_the_portable_one(void **state)
{
    (void)state;
    enum { BLOCKS = 16, LENGTH = BLOCKS * SL_CSV_BLOCK };
    static const char tab_specials[SL_CSV_SPECIALS] = {'\t', '\n', '\n', '\r', '\0'};
    char *bytes = malloc(LENGTH + 3);
    uint32_t random = 12345;
    for (size_t i = 0; i < LENGTH + 3; i++) {
        random = random * 1664525u + 1013904223u;
        /* Half of the bytes come from a few special characters, so that these are dense; the rest
         * are arbitrary. */
        bytes[i] = random >> 31 ? (char)(random >> 16) : ",\"\n\r\0\tab"[random >> 16 & 7];
    }
    for (const struct sl_csv_scanner *scanner = sl_csv_scanners; scanner->name; scanner++) {
        if (!scanner->runs_here()) continue;
        for (size_t offset = 0; offset < 4; offset++) {
            const char *specials = offset % 2 ? tab_specials : comma_specials;
            uint64_t expected[BLOCKS], found[BLOCKS];
            sl_csv_scanners[0].scan(bytes + offset, BLOCKS, specials, expected);
            scanner->scan(bytes + offset, BLOCKS, specials, found);
            assert_memory_equal(found, expected, sizeof found);
        }
    }
    free(bytes);
}

static void test_the_best_scanner_runs_here(void **state)
{
    (void)state;
    assert_true(sl_csv_best_scanner()->runs_here());
    assert_string_equal(sl_csv_scanners[0].name, "portable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_portable_scanner_marks_specials_and_nothing_else),
        cmocka_unit_test(test_every_scanner_agrees_with_the_portable_one),
        cmocka_unit_test(test_the_best_scanner_runs_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
