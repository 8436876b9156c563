#include "answer/votes/votes.h"
#include "votes_support.h"

static const char csv[] = "item,worker,label\ni1,a,dog\ni2,b,dog\ni1,,cat\ni3,c,dog\n";
static const char expected[] = "cat,dog; i1: a=dog ?=cat; i2: b=dog; i3: c=dog";

/* Places in the header, as documented. */
enum { COUNT_AT = 32, LENGTH_AT = 40, SECTIONS_AT = 48, SECTION_BYTES = 24, CRC_AT = 264 };
enum { N_SECTIONS = 9 };

static void write_slb(const char *name, struct sl_buffer *bytes)
{
    struct sl_error err;
    struct sl_votes *votes = read_votes(write_text("source.csv", csv), NULL);
    assert_ok(sl_votes_write_slb(votes, test_path(name), &err), err);
    sl_votes_destroy(votes);
    if (!bytes) return;
    sl_buffer_init(bytes, 1 << 20);
    assert_ok(sl_file_read(test_path(name), bytes, &err), err);
}

static void test_a_cache_gives_the_votes_it_was_made_of(void **state)
{
    (void)state;
    write_slb("v.slb", NULL);
    struct sl_votes *votes = read_votes(test_path("v.slb"), NULL);
    assert_string_equal(votes_text(votes), expected);
    assert_non_null(votes->mapping);
    assert_int_equal(sl_name_table_find(votes->items, "i3", 2), 2);
    /* A cache written from a cache is the same file. */
    struct sl_error err;
    assert_ok(sl_votes_write_slb(votes, test_path("w.slb"), &err), err);
    sl_votes_destroy(votes);
    struct sl_buffer first, second;
    sl_buffer_init(&first, 1 << 20);
    sl_buffer_init(&second, 1 << 20);
    assert_ok(sl_file_read(test_path("v.slb"), &first, &err), err);
    assert_ok(sl_file_read(test_path("w.slb"), &second, &err), err);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    sl_buffer_release(&first);
    sl_buffer_release(&second);
}

static void test_sections_are_aligned_and_little_endian(void **state)
{
    (void)state;
    struct sl_buffer bytes;
    write_slb("a.slb", &bytes);
    assert_memory_equal(bytes.data, "SLBANSW1\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 32);
    assert_int_equal(bytes.data[COUNT_AT], 4);
    assert_int_equal(bytes.length % 64, 0);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        uint64_t offset = 0;
        memcpy(&offset, bytes.data + SECTIONS_AT + i * SECTION_BYTES, 8);
        assert_int_equal(offset % 64, 0);
    }
    sl_buffer_release(&bytes);
}

static void test_classes_in_another_order_are_followed_by_name(void **state)
{
    (void)state;
    static const char *const classes[] = {"dog", "deer", "cat", NULL}, *const other[] = {"dog",
                                                                                         NULL};
    struct sl_import_notes notes = {0};
    struct sl_import_options options = {.classes = classes, .notes = &notes};
    struct sl_error err;
    write_slb("o.slb", NULL);
    struct sl_votes *votes = read_votes(test_path("o.slb"), &options);
    assert_string_equal(votes_text(votes), "dog,deer,cat; i1: a=dog ?=cat; i2: b=dog; i3: c=dog");
    assert_int_equal(notes.n_read, 4);
    sl_votes_destroy(votes);
    votes = NULL;
    options.classes = other;
    assert_fails(sl_votes_read(test_path("o.slb"), &options, &votes, &err), SL_ERR_INPUT, err,
                 "unknown class \"cat\"");
    assert_null(votes);
}

/* The first `length` bytes, as a file of them would be read. */
static enum sl_status read_bytes(const struct sl_buffer *bytes, size_t length, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    unsigned char *copy = sl_data_alloc(length, 1, err);
    memcpy(copy, bytes->data, length);
    const struct sl_slb_bytes file = {copy, length, "x.slb", true, false};
    enum sl_status status = sl_slb_parse(&file, &votes, err);
    sl_votes_destroy(votes);
    free(copy);
    return status;
}

static void test_every_flipped_bit_that_counts_is_noticed(void **state)
{
    (void)state;
    struct sl_buffer bytes;
    struct sl_error err;
    size_t noticed = 0;
    write_slb("f.slb", &bytes);
    for (size_t i = 8; i < bytes.length; i++) {
        bytes.data[i] ^= 4;
        const enum sl_status status = read_bytes(&bytes, bytes.length, &err);
        bytes.data[i] ^= 4;
        if (status == SL_OK) continue; /* padding */
        assert_int_equal(status, SL_ERR_INPUT);
        assert_true(strstr(err.message, "section \"") || strstr(err.message, "header"));
        noticed++;
    }
    /* The header up to its checksum (less the magic), and what the sections hold. */
    size_t expected_bytes = CRC_AT + 4 - 8;
    for (size_t i = 0; i < N_SECTIONS; i++) {
        uint64_t length = 0;
        memcpy(&length, bytes.data + SECTIONS_AT + i * SECTION_BYTES + 8, 8);
        expected_bytes += (size_t)length;
    }
    assert_int_equal(noticed, expected_bytes);
    sl_buffer_release(&bytes);
}

static void test_a_cut_file_is_refused_at_every_length(void **state)
{
    (void)state;
    struct sl_buffer bytes;
    struct sl_error err;
    struct sl_votes *votes = NULL;
    write_slb("c.slb", &bytes);
    test_write(test_path("c.slb"), bytes.data, bytes.length - 1);
    assert_fails(sl_votes_read(test_path("c.slb"), NULL, &votes, &err), SL_ERR_INPUT, err, "bytes");
    for (size_t length = 8; length < bytes.length; length++) {
        enum sl_status status = read_bytes(&bytes, length, &err);
        assert_int_equal(status, SL_ERR_INPUT);
        assert_non_null(strstr(err.message, "bytes"));
    }
    sl_buffer_release(&bytes);
}

/* Files with valid checksums and wrong content, from a faulty or hostile writer. */
static void test_values_out_of_range_are_refused_by_section(void **state)
{
    (void)state;
    static const struct {
        size_t section, at;
        uint32_t value;
        const char *message;
    } cases[] = {
        {0, 4, 200, "item names: name 0 ends at byte 200"},
        {1, 2, 'x', "item names: name 0"},
        {3, 0, 0, "annotator names: name 0"},
        {5, 0, 0x00676F64, "two classes are called \"dog\""},
        {6, 0, 1, "section \"begin\": expected ascending values from 0 to 4"},
        {6, 8, 9, "section \"begin\": expected ascending"},
        {7, 4, 3, "section \"annotator\": element 1"},
        {8, 2, 2, "section \"label\": element 1"},
    };
    struct sl_buffer bytes;
    write_slb("r.slb", &bytes);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_votes *votes = NULL;
        uint64_t offset = 0;
        unsigned char *copy = sl_data_alloc(bytes.length, 1, &err);
        memcpy(copy, bytes.data, bytes.length);
        memcpy(&offset, copy + SECTIONS_AT + cases[i].section * SECTION_BYTES, 8);
        memcpy(copy + offset + cases[i].at, &cases[i].value, cases[i].section == 8 ? 2 : 4);
        const struct sl_slb_bytes file = {copy, bytes.length, "r.slb", false, false};
        assert_fails(sl_slb_parse(&file, &votes, &err), SL_ERR_INPUT, err, cases[i].message);
        assert_null(votes);
        free(copy);
    }
    sl_buffer_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cache_gives_the_votes_it_was_made_of),
        cmocka_unit_test(test_sections_are_aligned_and_little_endian),
        cmocka_unit_test(test_classes_in_another_order_are_followed_by_name),
        cmocka_unit_test(test_every_flipped_bit_that_counts_is_noticed),
        cmocka_unit_test(test_a_cut_file_is_refused_at_every_length),
        cmocka_unit_test(test_values_out_of_range_are_refused_by_section),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
