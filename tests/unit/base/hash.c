#include "support.h"

/* FIPS 180-4 examples. */
static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char million_a[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void test_bytes_hash_as_the_standard_says(void **state)
{
    (void)state;
    char text[SL_SHA256_TEXT];
    sl_sha256("", 0, text);
    assert_string_equal(text, empty);
    sl_sha256(NULL, 0, text);
    assert_string_equal(text, empty);
    sl_sha256("abc", 3, text);
    assert_string_equal(text, abc);
}

static void test_a_file_longer_than_one_read_hashes_whole(void **state)
{
    (void)state;
    struct sl_error err;
    char text[SL_SHA256_TEXT];
    char *bytes = malloc(1000000);
    memset(bytes, 'a', 1000000);
    test_write(test_path("a"), bytes, 1000000);
    free(bytes);
    assert_ok(sl_sha256_file(test_path("a"), text, &err), err);
    assert_string_equal(text, million_a);
    test_write(test_path("empty"), "", 0);
    assert_ok(sl_sha256_file(test_path("empty"), text, &err), err);
    assert_string_equal(text, empty);
}

static void test_a_file_that_cannot_be_read_says_so(void **state)
{
    (void)state;
    struct sl_error err;
    char text[SL_SHA256_TEXT] = "untouched";
    assert_fails(sl_sha256_file(test_path("none"), text, &err), SL_ERR_NOT_FOUND, err, "none");
    assert_fails(sl_sha256_file("/tmp", text, &err), SL_ERR_INPUT, err, "folder");
    assert_string_equal(text, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_hash_as_the_standard_says),
        cmocka_unit_test(test_a_file_longer_than_one_read_hashes_whole),
        cmocka_unit_test(test_a_file_that_cannot_be_read_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
