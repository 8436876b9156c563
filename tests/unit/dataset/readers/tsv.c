#include "support.h"

#include "dataset/readers/reader.h"

static struct sl_error err;

static struct sl_dataset *open_text(const char *text)
{
    struct sl_dataset *dataset = NULL;
    test_write(test_path("items.tsv"), text, strlen(text));
    assert_ok(sl_reader_tsv.open(test_path("items.tsv"), NULL, &dataset, &err), err);
    return dataset;
}

static void assert_refused(const char *text, const char *part)
{
    struct sl_dataset *dataset = NULL;
    test_write(test_path("items.tsv"), text, strlen(text));
    assert_fails(sl_reader_tsv.open(test_path("items.tsv"), NULL, &dataset, &err), SL_ERR_INPUT,
                 err, part);
    assert_null(dataset);
}

static void test_texts_with_named_labels_have_sorted_classes(void **state)
{
    (void)state;
    struct sl_dataset *dataset = open_text("item\ttext\tlabel\n"
                                           "s1\tgood \"film\"\tpositive\n"
                                           "s2\tbad film\tnegative\n"
                                           "s3\tfilm\t\n"
                                           "s4\tgood\tpositive\n");
    assert_int_equal(dataset->count, 4);
    assert_string_equal(dataset->items[0], "s1");
    assert_string_equal(dataset->texts[0], "good \"film\"");
    assert_int_equal(dataset->n_classes, 2);
    assert_string_equal(dataset->classes[0], "negative");
    assert_int_equal(dataset->labels[0], 1);
    assert_int_equal(dataset->labels[1], 0);
    assert_int_equal(dataset->labels[2], SL_NO_LABEL);
    assert_int_equal(dataset->labels[3], 1);
    assert_null(dataset->spans);
    assert_null(dataset->pixels);
    struct sl_image image;
    assert_fails(sl_dataset_image(dataset, 0, &image, &err), SL_ERR_USAGE, err, "texts");
    assert_fails(sl_dataset_load(dataset, 0, 0, 0, &err), SL_ERR_USAGE, err, "texts");
    sl_dataset_destroy(dataset);
}

static void test_numbers_as_labels_are_the_classes_numbers(void **state)
{
    (void)state;
    struct sl_dataset *dataset = open_text("text\tlabel\na\t3\nb\t1\n");
    assert_int_equal(dataset->n_classes, 4);
    assert_string_equal(dataset->classes[3], "3");
    assert_int_equal(dataset->labels[0], 3);
    assert_string_equal(dataset->items[1], "1");
    sl_dataset_destroy(dataset);
    /* One that is not a number makes all of them names, sorted bytewise. */
    dataset = open_text("text\tlabel\na\t10\nb\t9\nc\tx\n");
    assert_int_equal(dataset->n_classes, 3);
    assert_string_equal(dataset->classes[0], "10");
    assert_int_equal(dataset->labels[0], 0);
    assert_int_equal(dataset->labels[1], 1);
    assert_int_equal(dataset->labels[2], 2);
    sl_dataset_destroy(dataset);
    dataset = open_text("text\na\n");
    assert_int_equal(dataset->n_classes, 0);
    assert_int_equal(dataset->labels[0], SL_NO_LABEL);
    sl_dataset_destroy(dataset);
}

static void test_spans_are_bytes_on_character_boundaries(void **state)
{
    (void)state;
    /* "\xc3\xbc" is one character of two bytes at 1. */
    struct sl_dataset *dataset = open_text("text\tstart\tend\n"
                                           "g\xc3\xbct\t1\t3\n"
                                           "g\xc3\xbct\t\t\n"
                                           "g\xc3\xbct\t0\t4\n");
    assert_int_equal(dataset->spans[0].begin, 1);
    assert_int_equal(dataset->spans[0].end, 3);
    assert_int_equal(dataset->spans[1].begin, 0);
    assert_int_equal(dataset->spans[1].end, 0);
    assert_int_equal(dataset->spans[2].end, 4);
    const size_t last[] = {2, 0};
    assert_ok(sl_dataset_select(dataset, last, 2, &err), err);
    assert_int_equal(dataset->spans[1].begin, 1);
    assert_string_equal(dataset->texts[1], "g\xc3\xbct");
    sl_dataset_destroy(dataset);
    assert_refused("text\tstart\tend\ng\xc3\xbct\t2\t4\n",
                   "items.tsv:2: span from 2 to 4 cuts a UTF-8 character");
    assert_refused("text\tstart\tend\ng\xc3\xbct\t0\t2\n", "cuts a UTF-8 character");
    assert_refused("text\tstart\tend\nok\t0\t2\nabc\t2\t2\n", "items.tsv:3: span from 2 to 2");
    assert_refused("text\tstart\tend\nabc\t0\t4\n", "items.tsv:2");
    assert_refused("text\tstart\nabc\t0\n", "found only start");
}

static void test_quoted_fields_hold_line_breaks_and_quotes_elsewhere_are_ordinary(void **state)
{
    (void)state;
    struct sl_dataset *dataset = open_text("item\ttext\tlabel\tstart\tend\r\n"
                                           "a\t\"one\r\ntwo \"\"2\"\"\tthree\"\tx\t5\t8\r\n"
                                           "b\t5\" wide and \"good\"\ty\t\t\r\n"
                                           "c\t\"\"\"Yes,\"\" she said\"\tx\t0\t6\r\n");
    assert_int_equal(dataset->count, 3);
    assert_string_equal(dataset->texts[0], "one\r\ntwo \"2\"\tthree");
    assert_memory_equal(dataset->texts[0] + dataset->spans[0].begin, "two", 3);
    assert_string_equal(dataset->texts[1], "5\" wide and \"good\"");
    assert_string_equal(dataset->texts[2], "\"Yes,\" she said");
    sl_dataset_destroy(dataset);
    /* Lines are those of the file, whatever was quoted before. */
    assert_refused("text\tlabel\n\"a\nb\"\tx\n\"c\" d\tx\n",
                   "items.tsv:4: field 1: text after a closing quote");
    assert_refused("text\tlabel\na\tx\n\"b\tx\nc\ty\n",
                   "items.tsv:3: field 1: quote is not closed");
}

static void test_blank_texts_are_refused_by_their_line(void **state)
{
    (void)state;
    assert_refused("item\ttext\na\t\"x\n\ny\"\nb\t\nc\tz\n", "items.tsv:5: the text is blank");
    assert_refused("text\tlabel\n \xc2\xa0\xe2\x80\x8b\tx\n", "items.tsv:2: the text is blank");
    assert_refused("text\tlabel\n\" \n\t\r\n\"\tx\n", "items.tsv:2: the text is blank");
    assert_refused("text\na\n\nb\n", "items.tsv:3: the text is blank");
}

static void test_errors_name_the_line(void **state)
{
    (void)state;
    assert_refused("item\ttext\na\tx\nb\ty\na\tz\n", "items.tsv:4: item a is on line 2 too");
    assert_refused("item\ttext\n\tx\n", "items.tsv:2: the item has no id");
    assert_refused("text\nfine\nb\xff\n", "items.tsv:3: byte 2 of column text is not UTF-8");
    assert_refused("item\tlabel\na\tb\n", "text");
    assert_refused("text\n", "items.tsv: no texts below the header");
    assert_refused("text\tlabel\na\t65536\n", "items.tsv:2: label 65536");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_with_named_labels_have_sorted_classes),
        cmocka_unit_test(test_numbers_as_labels_are_the_classes_numbers),
        cmocka_unit_test(test_spans_are_bytes_on_character_boundaries),
        cmocka_unit_test(test_quoted_fields_hold_line_breaks_and_quotes_elsewhere_are_ordinary),
        cmocka_unit_test(test_blank_texts_are_refused_by_their_line),
        cmocka_unit_test(test_errors_name_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
