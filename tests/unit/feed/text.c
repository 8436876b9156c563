#include "softlab/feed/text.h"

#include "feed_samples.h"
#include "softlab/base/memory.h"
#include "softlab/train.h"

static struct sl_error err;

static const char read_texts[] = "0\t3\tThe cat sat\tX\n"
                                 "8\t11\tThe cat sat\tY\n"
                                 "0\t2\tab\tX\n";

static struct sl_vocabulary *make_vocabulary(const struct sl_dataset *texts)
{
    struct sl_vocabulary *vocabulary = NULL;
    const struct sl_dataset *const sets[] = {texts};
    assert_ok(sl_vocabulary_create(write_vectors(sample_vectors), sets, 1, &vocabulary, &err), err);
    return vocabulary;
}

/* Alphabet: T a b c e h s t. */
static void test_a_batch_holds_words_place_and_letters(void **state)
{
    (void)state;
    struct sl_dataset *texts = make_texts("texts.tsv", read_texts);
    struct sl_vocabulary *vocabulary = make_vocabulary(texts);
    struct sl_feed *feed = NULL;
    struct sl_feed_batch batch = {0};
    assert_ok(sl_feed_text(texts, vocabulary, &feed, &err), err);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
    assert_int_equal(sl_feed_count(feed), 3);
    assert_ok(sl_feed_batch_create(feed, 3, NULL, &batch, &err), err);
    assert_null(batch.view.pixels);
    sl_feed_fill(&(struct sl_feed_items){
        .feed = feed, .items = (size_t[]){2, 1}, .count = 2, .batch = &batch});
    const struct sl_batch *view = &batch.view;
    assert_int_equal(view->word_counts[0], 1);
    assert_int_equal(view->words[0], 0);
    assert_int_equal(view->positions[0], 0);
    assert_int_equal(view->letter_counts[0], 2);
    assert_memory_equal(view->letters, ((int32_t[]){2, 3}), 2 * sizeof(int32_t));
    assert_int_equal(view->word_counts[1], 3);
    assert_memory_equal(view->words + 3, ((int32_t[]){1, 2, 3}), 3 * sizeof(int32_t));
    assert_int_equal(view->positions[1], 2);
    assert_int_equal(view->letter_counts[1], 3);
    assert_memory_equal(view->letters + 3, ((int32_t[]){7, 2, 8}), 3 * sizeof(int32_t));
    sl_feed_batch_release(&batch);
    sl_feed_destroy(feed);
}

static void test_what_is_longer_is_read_around_the_word_and_from_its_beginning(void **state)
{
    (void)state;
    struct sl_dataset *texts = make_texts("texts.tsv", read_texts);
    struct sl_dataset *longer = make_texts("longer.tsv", "0\t3\tcat the new sat long\tX\n"
                                                         "8\t11\tcat the new sat long\tX\n"
                                                         "16\t20\tcat the new sat long\tX\n"
                                                         "0\t4\tabqt\tX\n");
    struct sl_vocabulary *vocabulary = make_vocabulary(texts);
    struct sl_feed *feed = NULL;
    struct sl_feed_batch batch = {0};
    assert_ok(sl_feed_text(longer, vocabulary, &feed, &err), err);
    assert_ok(sl_feed_batch_create(feed, 4, NULL, &batch, &err), err);
    sl_feed_fill(&(struct sl_feed_items){
        .feed = feed, .items = (size_t[]){0, 1, 2, 3}, .count = 4, .batch = &batch});
    static const int32_t expected[] = {2, 1, 5, 1, 5, 3, 5, 3, 4};
    assert_memory_equal(batch.view.words, expected, sizeof expected);
    assert_memory_equal(batch.view.positions, ((int32_t[]){0, 1, 2, 0}), 4 * sizeof(int32_t));
    assert_memory_equal(batch.view.letters + 9, ((int32_t[]){2, 3, 0}), 3 * sizeof(int32_t));
    assert_int_equal(batch.view.letter_counts[3], 3);
    const struct sl_text_notes notes = sl_feed_text_notes(feed);
    assert_int_equal(notes.n_items, 4);
    assert_int_equal(notes.unknown_words, 1);
    /* "new" and "long" begin with letters that were not there, "abqt" has a q. */
    assert_int_equal(notes.unknown_letters, 3);
    assert_int_equal(notes.cut, 5);
    sl_feed_batch_release(&batch);
    sl_feed_destroy(feed);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(longer);
    sl_dataset_destroy(texts);
}

static void test_items_that_ask_about_no_word_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *part;
    } wrong[] = {{"\t\tthe cat\tX\n", "item 0 has 2 words and no span"},
                 {"3\t4\tthe cat\tX\n", "item 0: no word begins at the start of its span"}};
    struct sl_dataset *texts = make_texts("texts.tsv", read_texts);
    struct sl_vocabulary *vocabulary = make_vocabulary(texts);
    struct sl_feed *feed = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sl_dataset *bad = make_texts("bad.tsv", wrong[i].rows);
        assert_fails(sl_feed_text(bad, vocabulary, &feed, &err), SL_ERR_INPUT, err, wrong[i].part);
        assert_null(feed);
        sl_dataset_destroy(bad);
    }
    struct sl_dataset *one = make_texts("one.tsv", "\t\tcat\tX\n");
    assert_ok(sl_feed_text(one, vocabulary, &feed, &err), err);
    sl_feed_destroy(feed);
    sl_dataset_destroy(one);
    free(texts->texts[1]);
    texts->texts[1] = sl_string_copy("The cat \xff");
    assert_fails(sl_feed_text(texts, vocabulary, &feed, &err), SL_ERR_INPUT, err, "not UTF-8");
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

static double accuracy(struct sl_model *model, const struct sl_feed *feed,
                       const struct sl_dataset *texts)
{
    struct sl_predictor *predictor = NULL;
    float *logits = sl_alloc(texts->count * 2, sizeof *logits);
    size_t right = 0;
    assert_ok(sl_predictor_create(model, feed, 4, NULL, NULL, &predictor, &err), err);
    assert_ok(sl_predict(predictor, feed, NULL, texts->count, NULL, logits, &err), err);
    for (size_t i = 0; i < texts->count; i++)
        right += (logits[2 * i + 1] > logits[2 * i]) == (texts->labels[i] == 1);
    sl_predictor_destroy(predictor);
    free(logits);
    return (double)right / (double)texts->count;
}

/* The class of a word is told by its neighbour alone, and of one without a vector by its letters.
 */
static void test_a_tagger_learns_from_the_sentence_and_from_letters(void **state)
{
    (void)state;
    struct sl_dataset *texts = make_texts("learn.tsv", "4\t7\tthe cat\tX\n"
                                                       "4\t7\tsat cat\tY\n"
                                                       "0\t3\tcat new\tX\n"
                                                       "0\t3\tcat the\tY\n"
                                                       "0\t3\txaa\tX\n"
                                                       "0\t3\tzaa\tY\n");
    struct sl_vocabulary *vocabulary = make_vocabulary(texts);
    struct sl_model *model = make_tagger(vocabulary);
    struct sl_feed *feed = NULL;
    struct sl_targets *targets = NULL;
    struct sl_train_result result = {0};
    assert_ok(sl_feed_text(texts, vocabulary, &feed, &err), err);
    const struct sl_target_items items = {.n_items = texts->count,
                                          .n_classes = 2,
                                          .items = texts->items,
                                          .classes = texts->classes,
                                          .labels = texts->labels};
    const struct sl_target_options target_options = sl_target_options_default();
    assert_ok(sl_targets_create(&items, &target_options, false, &targets, &err), err);
    struct sl_recipe recipe = sl_recipe_default();
    assert_ok(sl_recipe_set_all(&recipe,
                                "network=tagger,optimiser=adam,rate=0.02,schedule=constant,"
                                "epochs=150,batch=3",
                                &err),
              err);
    const struct sl_train_options options = {
        .recipe = &recipe, .feed = feed, .targets = targets, .seed = 1};
    assert_ok(sl_train(model, &options, &result, &err), err);
    assert_near(accuracy(model, feed, texts), 1, 0);

    recipe.flip = true;
    assert_fails(sl_train(model, &options, &result, &err), SL_ERR_INPUT, err,
                 "crops, flips or cuts images, but the items are not images");
    sl_targets_destroy(targets);
    sl_feed_destroy(feed);
    sl_model_destroy(model);
    sl_vocabulary_destroy(vocabulary);
    sl_dataset_destroy(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_batch_holds_words_place_and_letters),
        cmocka_unit_test(test_what_is_longer_is_read_around_the_word_and_from_its_beginning),
        cmocka_unit_test(test_items_that_ask_about_no_word_are_refused),
        cmocka_unit_test(test_a_tagger_learns_from_the_sentence_and_from_letters),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
