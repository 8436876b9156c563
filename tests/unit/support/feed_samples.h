/* Texts, vectors and a small tagger, for the tests of text. */
#ifndef SOFTLAB_TESTS_FEED_SAMPLES_H
#define SOFTLAB_TESTS_FEED_SAMPLES_H

#include "support.h"

#include "softlab/feed/text.h"

static const char sample_vectors[] = "the 1 2\ncat 3 4\nsat 5 0\nlong 0 0\nnew 6 6\n";
static const char sample_network[] = "tagger:word-units=3,letter-units=2,letters=4,hidden=5";

static inline const char *write_vectors(const char *text)
{
    test_write(test_path("vectors.txt"), text, strlen(text));
    return test_path("vectors.txt");
}

/* A set of texts with a span each ("start end text" lines), opened from a .tsv. */
static inline struct sl_dataset *make_texts(const char *name, const char *rows)
{
    struct sl_error err;
    struct sl_dataset *dataset = NULL;
    const struct sl_data_roots roots = {0};
    char *text = sl_string_printf("start\tend\ttext\tlabel\n%s", rows);
    test_write(test_path(name), text, strlen(text));
    free(text);
    assert_ok(sl_dataset_open(test_path(name), &roots, &dataset, &err), err);
    return dataset;
}

/* A model of the sample network that has the vocabulary. */
static inline struct sl_model *make_tagger(const struct sl_vocabulary *vocabulary)
{
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = sl_model_options_default();
    char *network = sl_vocabulary_network(vocabulary, sample_network);
    options.network = network;
    options.classes = 2;
    options.input = sl_vocabulary_shape(vocabulary);
    assert_ok(sl_model_create(&options, &model, &err), err);
    free(network);
    assert_ok(sl_vocabulary_give(vocabulary, model, &err), err);
    return model;
}

#endif
