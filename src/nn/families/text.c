/* The part-of-speech tagger of Uma et al. 2021, after Plank et al. 2016: an LSTM over the sentence,
 * an LSTM over the letters of the word, and linear layers without activations between them. Word
 * and letter vectors are not trained. As in their code, the letters' LSTM is read at the second
 * step, not at the ends. The attention of their code takes a softmax over the batch and sums it,
 * which is an identity without a gradient, so it is left out by default. Their text describes
 * "attention over character and the word level representations": a softmax over the two
 * representations of a word. */
#include <stdio.h>

#include "nn/families/families.h"

struct tagger_options {
    size_t words, letters, word_units, letter_units;
    size_t step; /* SL_NN_LAST_STEP: the end of each direction */
    struct sl_count_list hidden;
    double dropout;
    size_t attention;
};
#define AT(option) .offset = offsetof(struct tagger_options, option)
static const struct sl_field_row tagger_rows[] = {
    {"words", SL_FIELD_COUNT, AT(words), "numbers of a word's vector", .fallback = "300",
     SL_NN_UNIT_BOUNDS},
    {"letters", SL_FIELD_COUNT, AT(letters), "numbers of a letter's vector", .fallback = "64",
     SL_NN_UNIT_BOUNDS},
    {"word-units", SL_FIELD_COUNT, AT(word_units),
     "hidden units of the sentence's LSTM, per direction", .fallback = "128", SL_NN_UNIT_BOUNDS},
    {"letter-units", SL_FIELD_COUNT, AT(letter_units),
     "hidden units of the word's LSTM, per direction", .fallback = "128", SL_NN_UNIT_BOUNDS},
    {"step", SL_FIELD_COUNT, AT(step),
     "which output of the word's LSTM is taken, from 0; last: where directions end",
     .fallback = "1", .minimum = 0, .maximum = SL_NN_MOST_UNITS, .size_max = "last"},
    {"hidden", SL_FIELD_COUNTS, AT(hidden), "units of the linear layers before the last",
     .fallback = "409-327", SL_NN_UNIT_BOUNDS, .most = SL_NN_HIDDEN},
    {"dropout", SL_FIELD_NUMBER, AT(dropout), "rate after either LSTM", .fallback = "0.2",
     .minimum = 0, .maximum = .99},
    {"attention", SL_FIELD_COUNT, AT(attention),
     "units that score the word's and its letters' outputs, to weigh them; 0: none",
     .fallback = "0", .minimum = 0, .maximum = SL_NN_MOST_UNITS, .flags = SL_FIELD_LATE},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_tagger_options = {tagger_rows, sizeof(struct tagger_options)};
_Static_assert(SL_NN_LAST_STEP == SIZE_MAX, "the word for SIZE_MAX is the last step");

/* An LSTM over ids of one kind, and the step of its output that is read. */
struct reader {
    enum sl_nn_op op;
    size_t steps, count; /* ids per item, number of distinct ids */
    size_t width, units;
    const char *vectors, *lstm; /* names */
    bool at_position;
    size_t step;
};

static size_t read_ids(struct sl_nn_graph *g, const struct reader *reader, float dropout)
{
    size_t x = sl_nn_ids(g, reader->op, reader->steps);
    x = sl_nn_embed(g, x, reader->vectors, reader->count, reader->width);
    x = sl_nn_lstm(g, x, reader->lstm, reader->units, true);
    x = sl_nn_pick(g, x, reader->at_position, reader->step);
    return dropout > 0 ? sl_nn_dropout(g, x, dropout) : x;
}

/* The score u tanh(W x + b) of each item. */
static size_t score(struct sl_nn_graph *g, size_t x, const char *name, size_t units)
{
    char vector[SL_NN_NAME];
    snprintf(vector, sizeof vector, "%s_vector", name);
    return sl_nn_score(g, sl_nn_tanh(g, sl_nn_linear(g, x, name, units)), vector);
}

/* The two representations side by side; with attention, each is multiplied by its weight. */
static size_t join(struct sl_nn_graph *g, size_t words, size_t letters, size_t units)
{
    const size_t both = sl_nn_concat(g, words, letters);
    if (units == 0 || g->status != SL_OK) return both;
    const size_t of_words = score(g, words, "word_attention", units);
    const size_t of_letters = score(g, letters, "letter_attention", units);
    return sl_nn_weigh(g, both, sl_nn_concat(g, of_words, of_letters),
                       g->nodes[words].shape.channels);
}

void sl_nn_tagger_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                        const void *options)
{
    const struct tagger_options *tagger = options;
    const struct sl_input_shape *input = &model->input;
    const float dropout = (float)tagger->dropout;
    const struct reader sentence = {.op = SL_NN_WORDS,
                                    .steps = input->tokens,
                                    .count = input->vocabulary,
                                    .width = tagger->words,
                                    .units = tagger->word_units,
                                    .vectors = "words",
                                    .lstm = "word_lstm",
                                    .at_position = true};
    const struct reader word = {.op = SL_NN_LETTERS,
                                .steps = input->letters,
                                .count = input->alphabet,
                                .width = tagger->letters,
                                .units = tagger->letter_units,
                                .vectors = "letters",
                                .lstm = "letter_lstm",
                                .step = tagger->step};
    if (input->tokens == 0 || input->letters == 0) {
        sl_nn_graph_fail(g, SL_ERR_INPUT,
                         "it reads words and their letters, and the items have none");
        return;
    }
    const size_t words = read_ids(g, &sentence, dropout);
    const size_t letters = read_ids(g, &word, dropout);
    size_t x = join(g, words, letters, tagger->attention);
    for (size_t i = 0; i < tagger->hidden.count; i++) {
        char name[SL_NN_NAME];
        snprintf(name, sizeof name, "hidden%zu", i + 1);
        x = sl_nn_linear(g, x, name, tagger->hidden.values[i]);
    }
    sl_nn_linear(g, x, "output", g->classes);
}
