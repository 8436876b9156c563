/* The tagger of Uma et al. 2021 for parts of speech, after Plank et al. 2016: an LSTM over the
 * sentence, one over the word's letters, and linear layers with nothing between them. Word and
 * letter vectors are fixed. Letters are read at the second step, not at the ends, as their code has
 * it. The attention of their code is an identity without a gradient (a softmax over the batch,
 * summed) and is left out by default; what their text says, "attention over character and the word
 * level representations", is a softmax over a word's two representations. */
#include <stdio.h>

#include "nn/families/families.h"

const struct sl_network_option sl_nn_tagger_options[] = {
    {"words", "300", "numbers of a word's vector"},
    {"letters", "64", "numbers of a letter's vector"},
    {"word-units", "128", "hidden units of the sentence's LSTM, per direction"},
    {"letter-units", "128", "hidden units of the word's LSTM, per direction"},
    {"step", "1", "which output of the word's LSTM is taken, from 0; last: where directions end"},
    {"hidden", "409-327", "units of the linear layers before the last"},
    {"dropout", "0.2", "rate after either LSTM"},
    {"attention", "0",
     "units that score the word's and its letters' outputs, to weigh them; 0: none"},
    {NULL, NULL, NULL},
};

enum { WIDEST = 65536 };

/* Ids of one kind to rows of what an LSTM over them makes. */
struct reader {
    enum sl_nn_op op;
    size_t steps, count; /* ids of an item, different ids */
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

/* u tanh(W x + b) for each item. */
static size_t score(struct sl_nn_graph *g, size_t x, const char *name, size_t units)
{
    char vector[SL_NN_NAME];
    snprintf(vector, sizeof vector, "%s_vector", name);
    return sl_nn_score(g, sl_nn_tanh(g, sl_nn_linear(g, x, name, units)), vector);
}

/* The two representations side by side, each times its weight where there is attention. */
static size_t join(struct sl_nn_graph *g, size_t words, size_t letters, size_t units)
{
    const size_t both = sl_nn_concat(g, words, letters);
    if (units == 0 || g->status != SL_OK) return both;
    const size_t of_words = score(g, words, "word_attention", units);
    const size_t of_letters = score(g, letters, "letter_attention", units);
    return sl_nn_weigh(g, both, sl_nn_concat(g, of_words, of_letters),
                       g->nodes[words].shape.channels);
}

void sl_nn_tagger_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                        struct sl_nn_spec *spec)
{
    const struct sl_input_shape *input = &options->input;
    size_t hidden[SL_NN_STAGES];
    size_t n_hidden = sl_nn_spec_list(spec, "hidden", WIDEST, hidden);
    float dropout = (float)sl_nn_spec_real(spec, "dropout", 0, .99);
    const size_t attention = sl_nn_spec_count(spec, "attention", 0, WIDEST);
    const struct reader sentence = {.op = SL_NN_WORDS,
                                    .steps = input->tokens,
                                    .count = input->vocabulary,
                                    .width = sl_nn_spec_count(spec, "words", 1, WIDEST),
                                    .units = sl_nn_spec_count(spec, "word-units", 1, WIDEST),
                                    .vectors = "words",
                                    .lstm = "word_lstm",
                                    .at_position = true};
    const bool last = sl_nn_spec_is(spec, "step", "last");
    const struct reader word = {.op = SL_NN_LETTERS,
                                .steps = input->letters,
                                .count = input->alphabet,
                                .width = sl_nn_spec_count(spec, "letters", 1, WIDEST),
                                .units = sl_nn_spec_count(spec, "letter-units", 1, WIDEST),
                                .vectors = "letters",
                                .lstm = "letter_lstm",
                                .step = last ? SL_NN_LAST_STEP
                                             : sl_nn_spec_count(spec, "step", 0, WIDEST)};
    if (input->tokens == 0 || input->letters == 0) {
        sl_nn_graph_fail(g, SL_ERR_INPUT,
                         "it reads words and their letters, and the items have "
                         "none");
        return;
    }
    const size_t words = read_ids(g, &sentence, dropout);
    const size_t letters = read_ids(g, &word, dropout);
    size_t x = join(g, words, letters, attention);
    for (size_t i = 0; i < n_hidden; i++) {
        char name[SL_NN_NAME];
        snprintf(name, sizeof name, "hidden%zu", i + 1);
        x = sl_nn_linear(g, x, name, hidden[i]);
    }
    sl_nn_linear(g, x, "output", g->classes);
}
