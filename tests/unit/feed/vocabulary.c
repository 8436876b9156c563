#include "feed/vocabulary.h"

#include "feed_samples.h"
#include "softlab/base/memory.h"
#include "softlab/nn/weights.h"

static struct sl_error err;

static const char two_texts[] = "0\t3\tThe cat sat\tX\n"
                                "4\t6\tz\xc3\xa4h no\tY\n";

static struct sl_vocabulary *make(struct sl_dataset **texts)
{
    struct sl_vocabulary *vocabulary = NULL;
    *texts = make_texts("two.tsv", two_texts);
    const struct sl_dataset *const sets[] = {*texts};
    assert_ok(sl_vocabulary_create(write_vectors(sample_vectors), sets, 1, &vocabulary, &err), err);
    return vocabulary;
}

static void test_sizes_are_those_of_file_and_texts(void **state)
{
    (void)state;
    struct sl_dataset *texts = NULL;
    struct sl_vocabulary *vocabulary = make(&texts);
    const struct sl_input_shape shape = sl_vocabulary_shape(vocabulary);
    assert_int_equal(shape.tokens, 3);
    assert_int_equal(shape.letters, 3);
    assert_int_equal(shape.vocabulary, 6);
    /* T h e c a t s z ä n o, and any other. */
    assert_int_equal(shape.alphabet, 12);
    assert_int_equal(shape.channels, 0);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

static void test_words_are_found_as_written_or_with_small_letters(void **state)
{
    (void)state;
    struct sl_dataset *texts = NULL;
    struct sl_vocabulary *vocabulary = make(&texts);
    assert_int_equal(sl_vocabulary_word(vocabulary, "the", 3), 1);
    assert_int_equal(sl_vocabulary_word(vocabulary, "THE", 3), 1);
    assert_int_equal(sl_vocabulary_word(vocabulary, "cat", 3), 2);
    assert_int_equal(sl_vocabulary_word(vocabulary, "cats", 4), 0);
    char endless[400];
    memset(endless, 'A', sizeof endless);
    assert_int_equal(sl_vocabulary_word(vocabulary, endless, sizeof endless), 0);
    assert_int_equal(sl_vocabulary_letter(vocabulary, 'T'), 1);
    assert_int_equal(sl_vocabulary_letter(vocabulary, 0xe4), 11);
    assert_int_equal(sl_vocabulary_letter(vocabulary, 'q'), 0);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

static void test_a_model_gets_the_vectors_and_the_mean_for_unknown_words(void **state)
{
    (void)state;
    struct sl_dataset *texts = NULL;
    struct sl_vocabulary *vocabulary = make(&texts);
    struct sl_model *model = make_tagger(vocabulary);
    const struct sl_tensor_info *table = sl_model_tensor_find(model, "words.weight");
    assert_int_equal(table->dims[0], 6);
    assert_int_equal(table->dims[1], 2);
    static const float expected[] = {3, 2.4F, 1, 2, 3, 4, 5, 0, 0, 0, 6, 6};
    for (size_t i = 0; i < 12; i++)
        assert_near(sl_model_state(model)[table->offset + i], expected[i], 1e-6);
    sl_model_destroy(model);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

static void test_of_a_large_file_only_used_words_are_kept(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 22);
    for (size_t i = 0; i < SL_VOCABULARY_WORDS; i++)
        sl_buffer_printf(&text, "w%zu 0\n", i);
    sl_buffer_text(&text, "cat 3\n");
    struct sl_dataset *texts = make_texts("two.tsv", two_texts);
    const struct sl_dataset *const sets[] = {texts};
    struct sl_vocabulary *vocabulary = NULL;
    assert_ok(sl_vocabulary_create(write_vectors(text.data), sets, 1, &vocabulary, &err), err);
    sl_buffer_release(&text);
    assert_int_equal(sl_vocabulary_shape(vocabulary).vocabulary, 2);
    assert_int_equal(sl_vocabulary_word(vocabulary, "cat", 3), 1);
    assert_near(vocabulary->vectors[1], 3, 0);
    /* Of all the file's words. */
    assert_near(vocabulary->vectors[0], 3.0 / (SL_VOCABULARY_WORDS + 1), 1e-9);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

static void test_the_vocabulary_travels_with_the_weights(void **state)
{
    (void)state;
    struct sl_dataset *texts = NULL;
    struct sl_vocabulary *vocabulary = make(&texts), *again = NULL;
    struct sl_model *model = make_tagger(vocabulary), *opened = NULL;
    const char *path = test_path("tagger.safetensors");
    assert_ok(sl_weights_write(path, model, NULL, 0, &err), err);
    assert_ok(sl_weights_open(path, &opened, &err), err);
    assert_ok(sl_vocabulary_of_model(opened, &again, &err), err);
    assert_string_equal(sl_model_vocabulary(opened), sl_model_vocabulary(model));
    assert_int_equal(sl_vocabulary_word(again, "long", 4), 4);
    assert_int_equal(sl_vocabulary_letter(again, 0xe4), 11);
    assert_int_equal(sl_vocabulary_shape(again).tokens, 3);

    sl_model_set_vocabulary(model, "{}");
    assert_fails(sl_weights_read(path, model, &err), SL_ERR_INPUT, err,
                 "was trained with another vocabulary");
    sl_vocabulary_destroy(again);
    sl_vocabulary_destroy(vocabulary);
    sl_model_destroy(opened);
    sl_model_destroy(model);
    sl_dataset_destroy(texts);
}

static void test_a_vocabulary_of_another_model_is_refused(void **state)
{
    (void)state;
    struct sl_dataset *texts = NULL;
    struct sl_vocabulary *vocabulary = make(&texts), *other = NULL;
    struct sl_model *model = make_tagger(vocabulary);
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {NULL, "the weights have no vocabulary"},
        {"{\"softlab\":\"vocabulary\",\"version\":1,\"tokens\":3,\"letters\":3,\"alphabet\":\"ab\","
         "\"words\":[\"the\"]}",
         "the vocabulary has 2 words and 3 letters, but the network reads 6 and 12"},
        {"{\"softlab\":\"vocabulary\",\"version\":2}", "$.version"},
        {"{\"version\":1,\"tokens\":3,\"letters\":3,\"alphabet\":\"ba\",\"words\":[]}",
         "$.alphabet: letters must ascend; letter 2 does not"},
        {"{\"version\":1,\"tokens\":3,\"letters\":3,\"alphabet\":\"a\",\"words\":[\"x\",\"x\"]}",
         "$.words[1]: the word is repeated"},
        {"{\"version\":1,\"tokens\":0}", "$.tokens"},
        {"words", "vocabulary:1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sl_model_set_vocabulary(model, wrong[i].text);
        assert_fails(sl_vocabulary_of_model(model, &other, &err), SL_ERR_INPUT, err, wrong[i].part);
        assert_null(other);
    }
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *images = NULL;
    options.network = "resnet8";
    assert_ok(sl_model_create(&options, &images, &err), err);
    assert_fails(sl_vocabulary_of_model(images, &other, &err), SL_ERR_INPUT, err,
                 "does not read texts");
    assert_fails(sl_vocabulary_give(vocabulary, images, &err), SL_ERR_INPUT, err,
                 "it belongs to another network");
    sl_model_destroy(images);
    sl_model_destroy(model);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

static void test_a_network_takes_the_size_of_the_vectors_unless_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *network, *expected;
    } cases[] = {{"tagger", "tagger:step=1,words=2"},
                 {"tagger:step=last", "tagger:step=last,words=2"},
                 {"tagger:words=300", "tagger:words=300"},
                 {"resnet8", "resnet8"},
                 {"nothing", "nothing"}};
    struct sl_dataset *texts = NULL;
    struct sl_vocabulary *vocabulary = make(&texts);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *network = sl_vocabulary_network(vocabulary, cases[i].network);
        assert_string_equal(network, cases[i].expected);
        free(network);
    }
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *model = NULL;
    options.network = "tagger:words=3";
    options.input = sl_vocabulary_shape(vocabulary);
    assert_ok(sl_model_create(&options, &model, &err), err);
    assert_fails(sl_vocabulary_give(vocabulary, model, &err), SL_ERR_INPUT, err,
                 "the vectors have 2 numbers, but the network reads 3: give it words=2");
    sl_model_destroy(model);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

/* Logits of one item of a set. */
static void predict(struct sl_model *model, const struct sl_dataset *texts, size_t item,
                    float logits[2])
{
    struct sl_vocabulary *vocabulary = NULL;
    struct sl_feed *feed = NULL;
    struct sl_predictor *predictor = NULL;
    assert_ok(sl_vocabulary_of_model(model, &vocabulary, &err), err);
    assert_ok(sl_feed_text(texts, vocabulary, &feed, &err), err);
    assert_ok(sl_predictor_create(model, feed, 2, NULL, NULL, &predictor, &err), err);
    assert_ok(sl_predict(predictor, feed, &item, 1, NULL, logits, &err), err);
    sl_predictor_destroy(predictor);
    sl_feed_destroy(feed);
    sl_vocabulary_destroy(vocabulary);
}

static void test_more_words_change_nothing_but_themselves(void **state)
{
    (void)state;
    struct sl_dataset *texts = make_texts("two.tsv", two_texts);
    struct sl_dataset *other = make_texts("other.tsv", "0\t3\tthe cat\tX\n0\t3\tNew sat\tX\n");
    const struct sl_dataset *const sets[] = {texts};
    struct sl_vocabulary *vocabulary = NULL;
    struct sl_model *wider = NULL, *none = NULL;
    assert_ok(sl_vocabulary_create(write_vectors("cat 3 4\nthe 1 2\n"), sets, 1, &vocabulary, &err),
              err);
    struct sl_model *model = make_tagger(vocabulary);
    char noun[] = "NOUN", verb[] = "VERB", *const tags[] = {noun, verb};
    assert_ok(sl_model_set_class_names(model, tags, &err), err);
    assert_ok(sl_vocabulary_extend(model, write_vectors(sample_vectors), other, &wider, &err), err);
    assert_int_equal(sl_model_input(wider).vocabulary, 5);
    assert_string_equal(sl_model_class_names(wider)[1], "VERB");
    float before[2], after[2];
    predict(model, other, 0, before);
    predict(wider, other, 0, after);
    assert_memory_equal(before, after, sizeof before);
    predict(model, other, 1, before);
    predict(wider, other, 1, after);
    assert_memory_not_equal(before, after, sizeof before);

    assert_fails(sl_vocabulary_extend(model, write_vectors("cat 3 5\n"), other, &none, &err),
                 SL_ERR_INPUT, err, "\"cat\" has a different vector than in training");
    assert_fails(sl_vocabulary_extend(model, write_vectors("cat 3\n"), other, &none, &err),
                 SL_ERR_INPUT, err, "the vectors have 1 number, but the network reads 2");
    assert_null(none);
    sl_model_destroy(wider);
    sl_model_destroy(model);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(other);
    sl_dataset_destroy(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_those_of_file_and_texts),
        cmocka_unit_test(test_words_are_found_as_written_or_with_small_letters),
        cmocka_unit_test(test_a_model_gets_the_vectors_and_the_mean_for_unknown_words),
        cmocka_unit_test(test_of_a_large_file_only_used_words_are_kept),
        cmocka_unit_test(test_the_vocabulary_travels_with_the_weights),
        cmocka_unit_test(test_a_vocabulary_of_another_model_is_refused),
        cmocka_unit_test(test_a_network_takes_the_size_of_the_vectors_unless_it_says),
        cmocka_unit_test(test_more_words_change_nothing_but_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
