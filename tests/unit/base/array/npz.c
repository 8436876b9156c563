#include "support.h"

#include "base/array/npz.h"
#include "base/array/zip.h"

static struct sl_array make(enum sl_dtype dtype, size_t count)
{
    struct sl_error err;
    struct sl_array array;
    assert_ok(sl_array_create(dtype, 2, 1, &count, &array, &err), err);
    for (size_t i = 0; i < count * array.item_size; i++)
        ((unsigned char *)array.data)[i] = (unsigned char)(i % 7 % 2);
    return array;
}

static struct sl_npz_writer *create(const char *path, enum sl_npz_packing packing)
{
    struct sl_error err;
    struct sl_npz_writer *writer = NULL;
    assert_ok(sl_npz_writer_create(path, packing, &writer, &err), err);
    return writer;
}

static void commit(struct sl_npz_writer *writer)
{
    struct sl_error err;
    assert_ok(sl_npz_writer_commit(writer, &err), err);
    sl_npz_writer_destroy(writer);
}

static void add(struct sl_npz_writer *writer, const char *name, const struct sl_array *array)
{
    struct sl_error err;
    assert_ok(sl_npz_writer_add(writer, name, array, &err), err);
}

static void assert_holds(struct sl_npz *npz, const char *name, const struct sl_array *expected)
{
    struct sl_error err;
    struct sl_array array;
    assert_true(sl_npz_has(npz, name));
    assert_ok(sl_npz_read(npz, name, &array, &err), err);
    assert_int_equal(array.dtype, expected->dtype);
    assert_memory_equal(array.shape, expected->shape, sizeof array.shape);
    size_t bytes = sl_array_count(expected) * expected->item_size;
    if (bytes) assert_memory_equal(array.data, expected->data, bytes);
    sl_array_release(&array);
}

/* A small archive of two arrays, "a" (200 x u1, stored or deflated) and "b" (3 x f8). */
static void write_pair(const char *path, enum sl_npz_packing packing)
{
    struct sl_array a = make(SL_U1, 200), b = make(SL_F8, 3);
    struct sl_npz_writer *writer = create(path, packing);
    add(writer, "a", &a);
    add(writer, "b", &b);
    commit(writer);
    sl_array_release(&a);
    sl_array_release(&b);
}

static struct sl_buffer pair_bytes(enum sl_npz_packing packing)
{
    struct sl_error err;
    struct sl_buffer bytes;
    write_pair(test_path("pair.npz"), packing);
    sl_buffer_init(&bytes, 10000);
    assert_ok(sl_file_read(test_path("pair.npz"), &bytes, &err), err);
    return bytes;
}

/* The first position at or after `from` that has a record's signature. */
static unsigned char *find(struct sl_buffer *bytes, uint32_t signature, size_t from)
{
    for (size_t i = from; i + 4 <= bytes->length; i++)
        if (sl_get32((unsigned char *)bytes->data + i) == signature)
            return (unsigned char *)bytes->data + i;
    fail_msg("no record %08x", (unsigned)signature);
    return NULL;
}

/* Open the archive and read "a" and "b"; the first error counts. */
static enum sl_status read_all(const struct sl_buffer *bytes, struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    char *exact = malloc(bytes->length ? bytes->length : 1);
    if (bytes->length) memcpy(exact, bytes->data, bytes->length);
    enum sl_status status = sl_npz_open_memory(exact, bytes->length, "t.npz", &npz, err);
    for (size_t i = 0; status == SL_OK && i < sl_npz_count(npz); i++) {
        struct sl_array array;
        status = sl_npz_read(npz, sl_npz_name(npz, i), &array, err);
        if (status == SL_OK) sl_array_release(&array);
    }
    sl_npz_close(npz);
    free(exact);
    return status;
}

static void test_every_type_survives_either_packing(void **state)
{
    (void)state;
    static const char *const names[] = {"f4", "f8", "i4", "i8", "u1", "b1", "text"};
    struct sl_error err;
    for (int packing = SL_NPZ_STORED; packing <= SL_NPZ_DEFLATED; packing++) {
        const char *path = test_path("types.npz");
        struct sl_npz_writer *writer = create(path, (enum sl_npz_packing)packing);
        struct sl_array arrays[SL_TEXT + 1];
        for (int dtype = SL_F4; dtype <= SL_TEXT; dtype++) {
            arrays[dtype] = make((enum sl_dtype)dtype, 1000);
            add(writer, names[dtype], &arrays[dtype]);
        }
        commit(writer);
        struct sl_npz *npz = NULL;
        assert_ok(sl_npz_open(path, &npz, &err), err);
        assert_int_equal(sl_npz_count(npz), 7);
        for (int dtype = SL_F4; dtype <= SL_TEXT; dtype++) {
            assert_string_equal(sl_npz_name(npz, (size_t)dtype), names[dtype]);
            assert_holds(npz, names[dtype], &arrays[dtype]);
            sl_array_release(&arrays[dtype]);
        }
        assert_null(sl_npz_name(npz, 7));
        sl_npz_close(npz);
    }
}

static void test_an_array_longer_than_one_chunk_is_read_whole(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array = make(SL_U1, 1000003);
    for (size_t i = 0; i < 1000003; i++)
        ((unsigned char *)array.data)[i] = (unsigned char)(i * i >> 7);
    for (int packing = SL_NPZ_STORED; packing <= SL_NPZ_DEFLATED; packing++) {
        const char *path = test_path("long.npz");
        struct sl_npz_writer *writer = create(path, (enum sl_npz_packing)packing);
        add(writer, "x", &array);
        commit(writer);
        struct sl_npz *npz = NULL;
        assert_ok(sl_npz_open(path, &npz, &err), err);
        assert_holds(npz, "x", &array);
        sl_npz_close(npz);
    }
    sl_array_release(&array);
}

static void test_empty_things_are_written_and_read(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_npz *npz = NULL;
    const char *path = test_path("empty.npz");
    commit(create(path, SL_NPZ_DEFLATED));
    assert_ok(sl_npz_open(path, &npz, &err), err);
    assert_int_equal(sl_npz_count(npz), 0);
    assert_false(sl_npz_has(npz, "a"));
    sl_npz_close(npz);
    struct sl_array none = make(SL_F4, 0), one;
    assert_ok(sl_array_create(SL_I4, 0, 0, NULL, &one, &err), err);
    *(int32_t *)one.data = 42;
    struct sl_npz_writer *writer = create(path, SL_NPZ_DEFLATED);
    add(writer, "none", &none);
    add(writer, "one", &one);
    commit(writer);
    assert_ok(sl_npz_open(path, &npz, &err), err);
    assert_holds(npz, "none", &none);
    assert_holds(npz, "one", &one);
    sl_npz_close(npz);
    sl_array_release(&none);
    sl_array_release(&one);
}

static void test_names_are_found_whatever_their_order(void **state)
{
    (void)state;
    /* "a-b.npy" sorts before "a.npy", "a-b" after "a". */
    static const char *const names[] = {"b", "a-b", "a", "a/b", "caf\xC3\xA9", "a.npy"};
    struct sl_error err;
    struct sl_npz *npz = NULL;
    const char *path = test_path("names.npz");
    struct sl_npz_writer *writer = create(path, SL_NPZ_STORED);
    for (size_t i = 0; i < 6; i++) {
        struct sl_array array = make(SL_U1, i + 1);
        add(writer, names[i], &array);
        sl_array_release(&array);
    }
    commit(writer);
    assert_ok(sl_npz_open(path, &npz, &err), err);
    for (size_t i = 0; i < 6; i++) {
        struct sl_array array = make(SL_U1, i + 1), none;
        assert_string_equal(sl_npz_name(npz, i), names[i]);
        assert_holds(npz, names[i], &array);
        sl_array_release(&array);
        assert_fails(sl_npz_read(npz, "b.npy", &none, &err), SL_ERR_NOT_FOUND, err,
                     "no array called b.npy");
    }
    sl_npz_close(npz);
}

static void test_the_same_arrays_give_the_same_bytes(void **state)
{
    (void)state;
    struct sl_buffer first = pair_bytes(SL_NPZ_DEFLATED), second = pair_bytes(SL_NPZ_DEFLATED);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    sl_buffer_release(&first);
    sl_buffer_release(&second);
}

static void test_zip64_records_are_written_and_read(void **state)
{
    (void)state;
    struct sl_error err;
    for (int packing = SL_NPZ_STORED; packing <= SL_NPZ_DEFLATED; packing++) {
        /* "small" is plain, "large" wide, "far" wide and far, "end" only far. */
        struct sl_array small = make(SL_U1, 10), large = make(SL_U1, 5000);
        const char *path = test_path("zip64.npz");
        struct sl_npz_writer *writer = create(path, (enum sl_npz_packing)packing);
        sl_npz_writer_set_zip64(writer, packing == SL_NPZ_STORED ? 1000 : 300);
        add(writer, "small", &small);
        add(writer, "large", &large);
        add(writer, "far", &large);
        add(writer, "end", &small);
        commit(writer);
        struct sl_buffer bytes;
        sl_buffer_init(&bytes, 100000);
        assert_ok(sl_file_read(path, &bytes, &err), err);
        const unsigned char *end = find(&bytes, SL_ZIP_END, 0);
        assert_int_equal(sl_get32(end + 16), SL_ZIP_FULL32);
        assert_int_equal(sl_get32(end - SL_ZIP_LOCATOR64_SIZE), SL_ZIP_LOCATOR64);
        const unsigned char *record = find(&bytes, SL_ZIP_CENTRAL, 0);
        for (size_t i = 0; i < 4; i++) {
            bool wide = i == 1 || i == 2, far = i >= 2;
            assert_true((sl_get32(record + 24) == SL_ZIP_FULL32) == wide);
            assert_true((sl_get32(record + 42) == SL_ZIP_FULL32) == far);
            record += SL_ZIP_CENTRAL_SIZE + sl_get16(record + 28) + sl_get16(record + 30);
        }
        sl_buffer_release(&bytes);
        struct sl_npz *npz = NULL;
        assert_ok(sl_npz_open(path, &npz, &err), err);
        assert_int_equal(sl_npz_count(npz), 4);
        assert_holds(npz, "small", &small);
        assert_holds(npz, "large", &large);
        assert_holds(npz, "far", &large);
        assert_holds(npz, "end", &small);
        sl_npz_close(npz);
        sl_array_release(&small);
        sl_array_release(&large);
    }
}

static void test_names_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array array = make(SL_U1, 1);
    struct sl_npz_writer *writer = create(test_path("refused.npz"), SL_NPZ_STORED);
    add(writer, "a", &array);
    assert_fails(sl_npz_writer_add(writer, "a", &array, &err), SL_ERR_USAGE, err,
                 "two arrays are called a");
    assert_fails(sl_npz_writer_add(writer, "", &array, &err), SL_ERR_USAGE, err, "name");
    assert_fails(sl_npz_writer_add(writer, "a\nb", &array, &err), SL_ERR_USAGE, err, "name");
    assert_fails(sl_npz_writer_add(writer, "\xFF", &array, &err), SL_ERR_USAGE, err, "name");
    sl_npz_writer_destroy(writer);
    sl_array_release(&array);
    assert_false(sl_file_exists(test_path("refused.npz")));
}

static void test_an_archive_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    for (int packing = SL_NPZ_STORED; packing <= SL_NPZ_DEFLATED; packing++) {
        struct sl_buffer bytes = pair_bytes((enum sl_npz_packing)packing);
        assert_ok(read_all(&bytes, &err), err);
        while (bytes.length-- > 0)
            assert_fails(read_all(&bytes, &err), SL_ERR_INPUT, err, "t.npz: byte ");
        bytes.length = 0;
        sl_buffer_release(&bytes);
    }
}

/* Deflate has bits that mean nothing; a flip may pass only where the data stay the same. */
static void test_no_flipped_bit_of_the_data_goes_unseen(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_array expected = make(SL_U1, 200);
    for (int packing = SL_NPZ_STORED; packing <= SL_NPZ_DEFLATED; packing++) {
        struct sl_buffer bytes = pair_bytes((enum sl_npz_packing)packing);
        /* From the first entry's data to the second entry. */
        size_t start = SL_ZIP_LOCAL_SIZE + strlen("a.npy"), passed = 0;
        size_t end = (size_t)(find(&bytes, SL_ZIP_LOCAL, 1) - (unsigned char *)bytes.data);
        for (size_t bit = 8 * start; bit < 8 * end; bit++) {
            struct sl_npz *npz = NULL;
            struct sl_array array;
            bytes.data[bit / 8] = (char)(bytes.data[bit / 8] ^ 1 << bit % 8);
            assert_ok(sl_npz_open_memory(bytes.data, bytes.length, "t.npz", &npz, &err), err);
            if (sl_npz_read(npz, "a", &array, &err) == SL_OK) {
                assert_memory_equal(array.data, expected.data, 200);
                sl_array_release(&array);
                passed++;
            }
            sl_npz_close(npz);
            bytes.data[bit / 8] = (char)(bytes.data[bit / 8] ^ 1 << bit % 8);
        }
        /* Five bits after the type of the plain block, at most seven at the end. */
        assert_true(packing == SL_NPZ_STORED ? passed == 0 : passed >= 5 && passed <= 12);
        sl_buffer_release(&bytes);
    }
    sl_array_release(&expected);
}

/* One byte of the archive of write_pair, changed, and what must be said about it. */
struct damage {
    uint32_t record;
    size_t which; /* the first or the second of that signature */
    size_t offset;
    unsigned char value;
    const char *message;
};

static void assert_damage_is_seen(enum sl_npz_packing packing, const struct damage *damage)
{
    struct sl_error err;
    struct sl_buffer bytes = pair_bytes(packing);
    unsigned char *record = find(&bytes, damage->record, 0);
    for (size_t i = 0; i < damage->which; i++)
        record = find(&bytes, damage->record, (size_t)(record - (unsigned char *)bytes.data) + 1);
    record[damage->offset] = damage->value;
    assert_fails(read_all(&bytes, &err), SL_ERR_INPUT, err, damage->message);
    sl_buffer_release(&bytes);
}

static void test_directories_that_lie_are_refused(void **state)
{
    (void)state;
    static const struct damage stored[] = {
        {SL_ZIP_CENTRAL, 0, 8, 1, "t.npz: a.npy: the entry is encrypted"},
        {SL_ZIP_LOCAL, 0, 6, 1, "t.npz: a.npy: the entry is encrypted"},
        {SL_ZIP_CENTRAL, 0, 10, 12, "compression method 12, expected 0 (stored) or 8"},
        {SL_ZIP_LOCAL, 0, 8, 8, "the local header says method 8, the directory 0"},
        {SL_ZIP_CENTRAL, 0, 16, 0, "the data's CRC is "},
        {SL_ZIP_CENTRAL, 0, 20, 0, "stored in 256 bytes, expected 328"},
        {SL_ZIP_CENTRAL, 0, 21, 2, "do not end before byte 363"},
        {SL_ZIP_CENTRAL, 1, 21, 2, "do not end before byte 550"},
        {SL_ZIP_CENTRAL, 1, 44, 1, "do not end before byte"},
        {SL_ZIP_CENTRAL, 0, 42, 1, "328 bytes at byte 1 do not end before byte 363"},
        {SL_ZIP_CENTRAL, 1, 46, 'a', "two entries are called a.npy"},
        {SL_ZIP_CENTRAL, 0, 46, 'c', "the local header has another name"},
        {SL_ZIP_CENTRAL, 0, 46, '\n', "the entry's name is not plain UTF-8"},
        {SL_ZIP_CENTRAL, 0, 46, 0, "the entry's name is not plain UTF-8"},
        {SL_ZIP_CENTRAL, 0, 28, 200, "the record ends beyond the directory"},
        {SL_ZIP_CENTRAL, 1, 0, 'X', "expected a directory record"},
        {SL_ZIP_LOCAL, 0, 0, 'X', "expected a local header"},
        {SL_ZIP_LOCAL, 0, 28, 1, "the entry reaches beyond byte 363"},
        {SL_ZIP_END, 0, 10, 3, "archives in several parts"},
        {SL_ZIP_END, 0, 4, 1, "archives in several parts"},
        {SL_ZIP_END, 0, 13, 1, "the directory is outside the file"},
        {SL_ZIP_END, 0, 20, 1, "no zip directory at the end of the file"},
    };
    static const struct damage deflated[] = {
        {SL_ZIP_CENTRAL, 0, 24, 70, "the shape (200,) needs 200 bytes of data, got 198"},
        {SL_ZIP_CENTRAL, 0, 24, 74, "the shape (200,) needs 200 bytes of data, got 202"},
        {SL_ZIP_CENTRAL, 0, 26, 200, "13107528 bytes cannot be deflated to "},
    };
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
        assert_damage_is_seen(SL_NPZ_STORED, &stored[i]);
    for (size_t i = 0; i < sizeof deflated / sizeof *deflated; i++)
        assert_damage_is_seen(SL_NPZ_DEFLATED, &deflated[i]);
}

/* Rename "a.npy" to "a.txt" in both headers: numpy's archives may hold other files. */
static void test_files_that_are_no_arrays_are_passed_over(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_npz *npz = NULL;
    struct sl_buffer bytes = pair_bytes(SL_NPZ_STORED);
    memcpy(find(&bytes, SL_ZIP_CENTRAL, 0) + SL_ZIP_CENTRAL_SIZE, "a.txt", 5);
    memcpy(find(&bytes, SL_ZIP_LOCAL, 0) + SL_ZIP_LOCAL_SIZE, "a.txt", 5);
    assert_ok(sl_npz_open_memory(bytes.data, bytes.length, "t.npz", &npz, &err), err);
    assert_int_equal(sl_npz_count(npz), 1);
    assert_string_equal(sl_npz_name(npz, 0), "b");
    assert_false(sl_npz_has(npz, "a"));
    sl_npz_close(npz);
    sl_buffer_release(&bytes);
}

static void test_a_comment_at_the_end_is_allowed(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_buffer bytes = pair_bytes(SL_NPZ_STORED);
    find(&bytes, SL_ZIP_END, 0)[20] = 30;
    /* A signature in the comment does not deceive: its own comment would not fit. */
    sl_buffer_append(&bytes, "PK\5\6 a comment of thirty bytes", 30);
    assert_ok(read_all(&bytes, &err), err);
    sl_buffer_release(&bytes);
}

/* numpy writes local headers with zip64 sizes whatever the size, and a directory without. */
static void test_local_headers_may_be_longer_than_the_directory_says(void **state)
{
    (void)state;
    struct sl_error err;
    static const unsigned char extra[20] = {1, 0, 16, 0, 0x81};
    struct sl_buffer plain = pair_bytes(SL_NPZ_STORED), bytes;
    const size_t cut = SL_ZIP_LOCAL_SIZE + strlen("a.npy");
    sl_buffer_init(&bytes, 10000);
    sl_buffer_append(&bytes, plain.data, cut);
    sl_buffer_append(&bytes, extra, sizeof extra);
    sl_buffer_append(&bytes, plain.data + cut, plain.length - cut);
    bytes.data[28] = sizeof extra;
    memset(bytes.data + 18, 0xFF, 8);
    unsigned char *second = find(&bytes, SL_ZIP_CENTRAL, 0);
    second = find(&bytes, SL_ZIP_CENTRAL, (size_t)(second - (unsigned char *)bytes.data) + 1);
    second[42] = (unsigned char)(second[42] + sizeof extra);
    unsigned char *end = find(&bytes, SL_ZIP_END, 0);
    end[16] = (unsigned char)(end[16] + sizeof extra);
    assert_ok(read_all(&bytes, &err), err);
    sl_buffer_release(&plain);
    sl_buffer_release(&bytes);
}

static void test_published_predictions_are_read(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_npz *npz = NULL;
    const char *path = test_data("peterson2019/base_predictions/wrn_28_10_test.npz");
    if (!path) skip();
    assert_ok(sl_npz_open(path, &npz, &err), err);
    assert_int_equal(sl_npz_count(npz), 3);
    struct sl_array probs;
    const size_t shape[] = {10000, 10};
    assert_ok(sl_npz_read(npz, "probs", &probs, &err), err);
    assert_ok(sl_array_expect(&probs, "probs", 2, shape, &err), err);
    assert_ok(sl_array_check_finite(&probs, "probs", &err), err);
    for (size_t row = 0; row < 10000; row++) {
        double sum = 0;
        for (size_t column = 0; column < 10; column++)
            sum += (double)((const float *)probs.data)[row * 10 + column];
        assert_near(sum, 1, 1e-5);
    }
    sl_array_release(&probs);
    sl_npz_close(npz);
}

static void test_published_deflated_images_are_read(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_npz *npz = NULL;
    const char *path = test_data("cinic10_sample/cinic10_sample_2000.npz");
    if (!path) skip();
    assert_ok(sl_npz_open(path, &npz, &err), err);
    assert_true(sl_npz_count(npz) > 0);
    for (size_t i = 0; i < sl_npz_count(npz); i++) {
        struct sl_array array;
        assert_ok(sl_npz_read(npz, sl_npz_name(npz, i), &array, &err), err);
        assert_int_equal(array.shape[0], 2000);
        sl_array_release(&array);
    }
    sl_npz_close(npz);
}

/* Any file of a zip can be read by name, also in a folder. */
static void test_a_file_of_a_zip_is_read_whole(void **state)
{
    (void)state;
    static const enum sl_npz_packing packings[] = {SL_NPZ_STORED, SL_NPZ_DEFLATED};
    struct sl_error err;
    struct sl_array array = make(SL_U1, 200);
    for (size_t i = 0; i < 2; i++) {
        unsigned char *bytes = NULL;
        size_t length = 0;
        struct sl_npz_writer *writer = create(test_path("some.zip"), packings[i]);
        add(writer, "folder/a", &array);
        add(writer, "b", &array);
        add(writer, "other/b", &array);
        commit(writer);
        assert_ok(sl_zip_read(test_path("some.zip"), "a.npy", 1000, &bytes, &length, &err), err);
        assert_true(length > 200 && memcmp(bytes, "\x93NUMPY", 6) == 0);
        assert_memory_equal(bytes + length - 200, array.data, 200);
        free(bytes);
        assert_fails(sl_zip_read(test_path("some.zip"), "a.npy", length - 1, &bytes, &length, &err),
                     SL_ERR_INPUT, err, "a.npy: 328 bytes, expected at most 327");
        assert_fails(sl_zip_read(test_path("some.zip"), "c.npy", 1000, &bytes, &length, &err),
                     SL_ERR_NOT_FOUND, err, "some.zip: no file called c.npy");
        assert_fails(sl_zip_read(test_path("some.zip"), "b.npy", 1000, &bytes, &length, &err),
                     SL_ERR_INPUT, err, "two files are called b.npy: b.npy and other/b.npy");
    }
    sl_array_release(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_survives_either_packing),
        cmocka_unit_test(test_an_array_longer_than_one_chunk_is_read_whole),
        cmocka_unit_test(test_empty_things_are_written_and_read),
        cmocka_unit_test(test_names_are_found_whatever_their_order),
        cmocka_unit_test(test_the_same_arrays_give_the_same_bytes),
        cmocka_unit_test(test_zip64_records_are_written_and_read),
        cmocka_unit_test(test_names_that_cannot_be_are_refused),
        cmocka_unit_test(test_an_archive_cut_anywhere_is_refused),
        cmocka_unit_test(test_no_flipped_bit_of_the_data_goes_unseen),
        cmocka_unit_test(test_directories_that_lie_are_refused),
        cmocka_unit_test(test_files_that_are_no_arrays_are_passed_over),
        cmocka_unit_test(test_a_comment_at_the_end_is_allowed),
        cmocka_unit_test(test_local_headers_may_be_longer_than_the_directory_says),
        cmocka_unit_test(test_published_predictions_are_read),
        cmocka_unit_test(test_published_deflated_images_are_read),
        cmocka_unit_test(test_a_file_of_a_zip_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
