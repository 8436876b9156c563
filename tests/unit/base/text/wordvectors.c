#include <zlib.h>

#include "support.h"

static const char three[] = "the 1 2 3\ncat 0.5 -1 2e-1\ntraffic 1 0 0\nlight 0 1 0\r\n";

static void test_names_get_the_vectors_of_their_words(void **state)
{
    (void)state;
    static const char *const names[] = {"Cat", "traffic-light", "Traffic light"};
    struct sl_word_vectors vectors;
    struct sl_error err;
    assert_ok(sl_word_vectors_parse(three, sizeof three - 1, "g.txt", names, 3, &vectors, &err),
              err);
    assert_int_equal(vectors.n_names, 3);
    assert_int_equal(vectors.dimensions, 3);
    static const float expected[] = {0.5F, -1, 0.2F, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0};
    assert_memory_equal(vectors.values, expected, sizeof expected);
    sl_word_vectors_release(&vectors);
}

static void test_a_size_line_is_skipped_and_a_last_line_needs_no_end(void **state)
{
    (void)state;
    static const char text[] = "2 2\ncat 1 2\ncat 3 4\ndog 5 6";
    static const char *const names[] = {"dog", "cat"};
    struct sl_word_vectors vectors;
    struct sl_error err;
    assert_ok(sl_word_vectors_parse(text, sizeof text - 1, "g.txt", names, 2, &vectors, &err), err);
    static const float expected[] = {5, 6, 1, 2};
    assert_memory_equal(vectors.values, expected, sizeof expected);
    sl_word_vectors_release(&vectors);
}

static void assert_refused(const char *text, const char *part)
{
    static const char *const names[] = {"cat", "guinea pig"};
    struct sl_word_vectors vectors = {.n_names = 42};
    struct sl_error err;
    assert_fails(sl_word_vectors_parse(text, strlen(text), "g.txt", names, 2, &vectors, &err),
                 SL_ERR_INPUT, err, part);
    assert_int_equal(vectors.n_names, 42);
}

static void test_wrong_lines_and_missing_words_are_named(void **state)
{
    (void)state;
    assert_refused("", "g.txt: 3 of 3 words have no vector: cat, guinea, pig");
    assert_refused("the 1 2\ncat 1 2\npig 1 2\n", "1 of 3 words has no vector: guinea");
    assert_refused("the 1 2\ncat 1 8p\n", "g.txt:2: expected a word and 2 numbers, got \"8p\"");
    assert_refused("the 1 2\ncat 1\n", "g.txt:2: expected a word and 2 numbers, got 1");
    assert_refused("the 1 2\ncat 1 2 3\n", "got \"3\" as number 3");
    assert_refused("the 1 2\ncat 1 nan\n", "got \"nan\"");
    assert_refused("the 1 2\ncat 1 1e300\n", "got \"1e300\"");
    assert_refused("the\n", "g.txt:1: expected a word and its vector");
    static const char *const blank[] = {" - "};
    struct sl_word_vectors vectors;
    struct sl_error err;
    assert_fails(sl_word_vectors_parse(three, sizeof three - 1, "g", blank, 1, &vectors, &err),
                 SL_ERR_INPUT, err, "\" - \" contains no word");
}

/* Lines across many chunks, plain and gzipped; the word is on the last line. */
static void test_plain_and_gzipped_files_read_alike(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 24);
    for (int i = 0; i < 40000; i++)
        sl_buffer_printf(&text, "word%d %d %d\n", i, i, -i);
    sl_buffer_text(&text, "cat 7 8\n");
    const char *plain = test_path("g.txt"), *packed = test_path("g.txt.gz");
    test_write(plain, text.data, text.length);
    gzFile file = gzopen(packed, "wb");
    assert_int_equal(gzwrite(file, text.data, (unsigned)text.length), (int)text.length);
    gzclose(file);
    static const char *const names[] = {"CAT", "word39999"};
    static const float expected[] = {7, 8, 39999, -39999};
    const char *const paths[] = {plain, packed};
    for (size_t i = 0; i < 2; i++) {
        struct sl_word_vectors vectors;
        struct sl_error err;
        assert_ok(sl_word_vectors_read(paths[i], names, 2, &vectors, &err), err);
        assert_memory_equal(vectors.values, expected, sizeof expected);
        sl_word_vectors_release(&vectors);
    }
    sl_buffer_release(&text);
}

static void test_broken_files_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"cat"};
    struct sl_word_vectors vectors;
    struct sl_error err;
    assert_fails(sl_word_vectors_read(test_path("absent"), names, 1, &vectors, &err), SL_ERR_IO,
                 err, "absent: No such file");
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1 << 24);
    assert_ok(sl_file_read(test_path("g.txt.gz"), &bytes, &err), err);
    test_write(test_path("cut.gz"), bytes.data, bytes.length / 2);
    assert_fails(sl_word_vectors_read(test_path("cut.gz"), names, 1, &vectors, &err), SL_ERR_INPUT,
                 err, "cut.gz: the gzip data ends early");
    bytes.data[bytes.length / 2] ^= 0x55;
    test_write(test_path("bad.gz"), bytes.data, bytes.length);
    assert_fails(sl_word_vectors_read(test_path("bad.gz"), names, 1, &vectors, &err), SL_ERR_INPUT,
                 err, "bad.gz: ");
    sl_buffer_clear(&bytes);
    for (int i = 0; i < 1200000; i++)
        sl_buffer_byte(&bytes, 'x');
    test_write(test_path("long.txt"), bytes.data, bytes.length);
    assert_fails(sl_word_vectors_read(test_path("long.txt"), names, 1, &vectors, &err),
                 SL_ERR_INPUT, err, "long.txt: a line is longer than 1048576 bytes");
    sl_buffer_release(&bytes);
}

static void test_the_ten_classes_have_vectors(void **state)
{
    (void)state;
    const char *path = test_data("glove100d/cifar10_classes.glove.6B.100d.txt");
    if (!path) skip();
    static const char *const names[] = {"Cat", "Dog", "Truck"};
    struct sl_word_vectors vectors;
    struct sl_error err;
    assert_ok(sl_word_vectors_read(path, names, 3, &vectors, &err), err);
    assert_int_equal(vectors.dimensions, 100);
    assert_near(vectors.values[0], 0.23088, 1e-7);
    sl_word_vectors_release(&vectors);
    path = test_data("glove100d/pos_sentiment_labelme_vocab.glove.6B.100d.txt.gz");
    if (!path) skip();
    static const char *const words[] = {"Tall Building", "street"};
    assert_ok(sl_word_vectors_read(path, words, 2, &vectors, &err), err);
    assert_int_equal(vectors.dimensions, 100);
    sl_word_vectors_release(&vectors);
}

static void test_a_whole_file_is_read_in_its_order(void **state)
{
    (void)state;
    static const char text[] = "3 2\nthe 1 2\n- .5 -1\nthe 7 7\ncaf\xc3\xa9 3 4";
    test_write(test_path("all.txt"), text, sizeof text - 1);
    struct sl_word_vectors vectors;
    struct sl_name_table *words = NULL;
    struct sl_error err;
    assert_ok(sl_word_vectors_read_all(test_path("all.txt"), &words, &vectors, &err), err);
    assert_int_equal(vectors.n_names, 3);
    assert_int_equal(vectors.dimensions, 2);
    static const float expected[] = {1, 2, 0.5F, -1, 3, 4};
    assert_memory_equal(vectors.values, expected, sizeof expected);
    assert_string_equal(sl_name_table_get(words, 1, NULL), "-");
    assert_string_equal(sl_name_table_get(words, 2, NULL), "caf\xc3\xa9");
    sl_word_vectors_release(&vectors);
    sl_name_table_destroy(words);
}

static void test_a_whole_file_is_checked_line_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } wrong[] = {{"", "all.txt: no words"},
                 {"a 1 2\nb 1\n", "all.txt:2: expected a word and 2 numbers, got 1"},
                 {"a 1 2\nb 1 2 3\n", "all.txt:2"},
                 {"a 1 nan\n", "all.txt:1: expected a word and 2 numbers, got \"nan\""},
                 {"a 1 2\n\xff 1 2\n", "all.txt:2: the word is not UTF-8"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_write(test_path("all.txt"), wrong[i].text, strlen(wrong[i].text));
        struct sl_word_vectors vectors = {0};
        struct sl_name_table *words = NULL;
        struct sl_error err;
        assert_fails(sl_word_vectors_read_all(test_path("all.txt"), &words, &vectors, &err),
                     SL_ERR_INPUT, err, wrong[i].part);
        assert_null(words);
        assert_null(vectors.values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_get_the_vectors_of_their_words),
        cmocka_unit_test(test_a_size_line_is_skipped_and_a_last_line_needs_no_end),
        cmocka_unit_test(test_wrong_lines_and_missing_words_are_named),
        cmocka_unit_test(test_plain_and_gzipped_files_read_alike),
        cmocka_unit_test(test_broken_files_are_named),
        cmocka_unit_test(test_a_whole_file_is_read_in_its_order),
        cmocka_unit_test(test_a_whole_file_is_checked_line_by_line),
        cmocka_unit_test(test_the_ten_classes_have_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
