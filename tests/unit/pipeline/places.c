#include "softlab/pipeline/places.h"

#include "support.h"

static void test_the_beginning_of_a_file_tells_its_ending(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *suffix;
    } cases[] = {
        {"PK\003\004rest", 8, ".npz"},
        {"\223NUMPY\001", 7, ".npy"},
        {"\037\213\010", 3, ".csv.gz"},
        {"{\"softlab\":\"answers\",", 21, ".jsonl"},
        {"\1\0\0\0\0\0\0\0{\"", 10, ".safetensors"},
        {"{\"a\": 1}", 8, ".json"},
        {"[1]", 3, ".json"},
        {"a\tb,c\n", 6, ".tsv"},
        {"a,b\nc\td", 7, ".csv"},
        {"word\na,b", 8, ".txt"},
        {"", 0, ".txt"},
        {"P", 1, ".txt"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(sl_suffix_of_bytes(cases[i].bytes, cases[i].length), cases[i].suffix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_beginning_of_a_file_tells_its_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
