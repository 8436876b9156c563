#include "support.h"

#include "softlab/dataset.h"

static struct sl_error err;

static const char lowlands[] = "Go\tVERB\r\nhome\tADV\r\n\r\n!\t.\r\n";
static const char twice_tagged[] = "Go\tVERB\tNOUN\nhome\tADV\tADV\n\t\t\nURL\tX\tX\n";

static struct sl_data_roots make_set(const char *crowd)
{
    mkdir(test_path("pos"), 0700);
    test_write(test_path("pos/gimpel_crowdsourced-tf.tsv"), crowd, strlen(crowd));
    test_write(test_path("pos/lowlands.test.tsv"), lowlands, sizeof lowlands - 1);
    test_write(test_path("pos/annotation-all.txt"), twice_tagged, sizeof twice_tagged - 1);
    return (struct sl_data_roots){.given = test_path("")};
}

static struct sl_dataset *open_set(const char *name, const struct sl_data_roots *roots)
{
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open(name, roots, &dataset, &err), err);
    return dataset;
}

static void check_word(const struct sl_dataset *dataset, size_t item, const char *text,
                       const char *word)
{
    assert_string_equal(dataset->texts[item], text);
    const struct sl_span span = dataset->spans[item];
    assert_int_equal(span.end - span.begin, strlen(word));
    assert_memory_equal(dataset->texts[item] + span.begin, word, strlen(word));
}

static const char crowd_file[] = "000004\tOh\t,X,\tX\n\n000007\tno\tDET,,\tDET\n\n\n"
                                 "000009\twe're\t,,VERB\tVERB\n\n";

static void test_words_of_the_crowds_file_keep_their_ids_and_sentences(void **state)
{
    (void)state;
    const struct sl_data_roots roots = make_set(crowd_file);
    struct sl_dataset *dataset = open_set("pos:train", &roots);
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->n_classes, 12);
    check_word(dataset, 0, "Oh no", "Oh");
    check_word(dataset, 1, "Oh no", "no");
    check_word(dataset, 2, "we're", "we're");
    assert_string_equal(dataset->items[1], "000007");
    assert_string_equal(dataset->classes[dataset->labels[1]], "DET");
    assert_string_equal(dataset->classes[dataset->labels[2]], "VERB");
    assert_int_equal(dataset->n_siblings, 0);
    sl_dataset_destroy(dataset);
}

static void test_the_test_files_end_sentences_at_lines_without_words(void **state)
{
    (void)state;
    const struct sl_data_roots roots = make_set(crowd_file);
    struct sl_dataset *dataset = open_set("pos", &roots);
    assert_int_equal(dataset->count, 3);
    check_word(dataset, 1, "Go home", "home");
    check_word(dataset, 2, "!", "!");
    assert_string_equal(dataset->items[2], "test/2");
    assert_int_equal(dataset->labels[2], 0);
    sl_dataset_destroy(dataset);
    dataset = open_set("pos:soft-test", &roots);
    assert_int_equal(dataset->count, 3);
    check_word(dataset, 2, "URL", "URL");
    assert_string_equal(dataset->items[0], "soft-test/0");
    assert_int_equal(dataset->labels[0], SL_NO_LABEL);
    sl_dataset_destroy(dataset);
}

static void test_dev_begins_after_13000_words_and_knows_those_of_train(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    for (size_t i = 0; i < 13002; i++)
        sl_buffer_printf(&text, "%06zu\tw%zu\tX\tX\n\n%s", i, i, i == 12999 ? "\n" : "");
    const struct sl_data_roots roots = make_set(text.data);
    sl_buffer_release(&text);
    struct sl_dataset *dataset = open_set("pos:dev", &roots);
    assert_int_equal(dataset->count, 2);
    check_word(dataset, 0, "w13000 w13001", "w13000");
    assert_string_equal(dataset->items[0], "013000");
    assert_int_equal(dataset->n_siblings, 13000);
    assert_string_equal(dataset->siblings[12999], "012999");
    const size_t last = 1;
    assert_ok(sl_dataset_select(dataset, &last, 1, &err), err);
    assert_int_equal(dataset->n_siblings, 13000);
    check_word(dataset, 0, "w13000 w13001", "w13001");
    sl_dataset_destroy(dataset);
}

static void test_broken_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } wrong[] = {{"1\ta\tX\tADJEKTIV\n", "tsv:1: \"ADJEKTIV\" is not one of the 12 universal tags"},
                 {"1\ta\tX\tX\n\n2\tb\tX\n", "tsv:3: expected 4 columns, got 3"},
                 {"1\ta b\tX\tX\n", "tsv:1: the word contains a space"},
                 {"1\t\xff\tX\tX\n", "tsv:1: the word is not UTF-8"},
                 {"1\ta\tX\tX\n\n1\tb\tX\tX\n", "id 1 appears twice"},
                 {"\n", "no words"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct sl_data_roots roots = make_set(wrong[i].text);
        struct sl_dataset *dataset = NULL;
        assert_fails(sl_dataset_open("pos:train", &roots, &dataset, &err), SL_ERR_INPUT, err,
                     wrong[i].part);
        assert_null(dataset);
    }
}

static size_t n_sentences(const struct sl_dataset *dataset)
{
    size_t count = 0;
    for (size_t i = 0; i < dataset->count; i++)
        count += dataset->spans[i].begin == 0;
    return count;
}

/* Sizes as Fornaciari et al.'s dh.tsv has them. */
static void test_the_published_files_have_the_published_splits(void **state)
{
    (void)state;
    if (!test_data("pos/lowlands.test.tsv")) skip();
    const struct sl_data_roots roots = {.given = getenv("SOFTLAB_DATA")};
    static const struct {
        const char *name;
        size_t words, sentences;
    } sets[] = {{"pos:train", 13000, 910},
                {"pos:dev", 1439, 90},
                {"pos:soft-test", 7876, 500},
                {"pos:test", 3064, 200}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct sl_dataset *dataset = open_set(sets[i].name, &roots);
        assert_int_equal(dataset->count, sets[i].words);
        assert_int_equal(n_sentences(dataset), sets[i].sentences);
        sl_dataset_destroy(dataset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_the_crowds_file_keep_their_ids_and_sentences),
        cmocka_unit_test(test_the_test_files_end_sentences_at_lines_without_words),
        cmocka_unit_test(test_dev_begins_after_13000_words_and_knows_those_of_train),
        cmocka_unit_test(test_broken_lines_are_named),
        cmocka_unit_test(test_the_published_files_have_the_published_splits),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
