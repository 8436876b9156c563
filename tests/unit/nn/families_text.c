#include "support.h"

#include "nn/families/families.h"
#include "nn/graph/graph.h"
#include "nn/graph/model.h"
#include "softlab/nn.h"

static struct sl_model_options options_for(const char *network)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    options.input =
        (struct sl_input_shape){.tokens = 30, .letters = 12, .vocabulary = 50, .alphabet = 9};
    return options;
}

static void build(const char *network, struct sl_nn_graph *graph)
{
    struct sl_error err;
    char *spec = NULL;
    struct sl_model_options options = options_for(network);
    assert_ok(sl_nn_build(&options, graph, &spec, &err), err);
    free(spec);
}

static void test_the_tagger_has_the_state_dict_of_its_module(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum sl_tensor_kind kind;
        size_t dims[2];
    } expected[] = {
        {"words.weight", SL_TENSOR_STATE, {50, 300}},
        {"word_lstm.weight_ih_l0", SL_TENSOR_VALUE, {512, 300}},
        {"word_lstm.weight_hh_l0", SL_TENSOR_VALUE, {512, 128}},
        {"word_lstm.bias_ih_l0", SL_TENSOR_VALUE, {512}},
        {"word_lstm.bias_hh_l0", SL_TENSOR_VALUE, {512}},
        {"word_lstm.weight_ih_l0_reverse", SL_TENSOR_VALUE, {512, 300}},
        {"word_lstm.weight_hh_l0_reverse", SL_TENSOR_VALUE, {512, 128}},
        {"word_lstm.bias_ih_l0_reverse", SL_TENSOR_VALUE, {512}},
        {"word_lstm.bias_hh_l0_reverse", SL_TENSOR_VALUE, {512}},
        {"letters.weight", SL_TENSOR_STATE, {9, 64}},
        {"letter_lstm.weight_ih_l0", SL_TENSOR_VALUE, {512, 64}},
        {"letter_lstm.weight_hh_l0", SL_TENSOR_VALUE, {512, 128}},
        {"letter_lstm.bias_ih_l0", SL_TENSOR_VALUE, {512}},
        {"letter_lstm.bias_hh_l0", SL_TENSOR_VALUE, {512}},
        {"letter_lstm.weight_ih_l0_reverse", SL_TENSOR_VALUE, {512, 64}},
        {"letter_lstm.weight_hh_l0_reverse", SL_TENSOR_VALUE, {512, 128}},
        {"letter_lstm.bias_ih_l0_reverse", SL_TENSOR_VALUE, {512}},
        {"letter_lstm.bias_hh_l0_reverse", SL_TENSOR_VALUE, {512}},
        {"hidden1.weight", SL_TENSOR_VALUE, {409, 512}},
        {"hidden1.bias", SL_TENSOR_VALUE, {409}},
        {"hidden2.weight", SL_TENSOR_VALUE, {327, 409}},
        {"hidden2.bias", SL_TENSOR_VALUE, {327}},
        {"output.weight", SL_TENSOR_VALUE, {10, 327}},
        {"output.bias", SL_TENSOR_VALUE, {10}},
    };
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = options_for("tagger");
    assert_ok(sl_model_create(&options, &model, &err), err);
    size_t count;
    const struct sl_tensor_info *tensors = sl_model_tensors(model, &count);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(tensors[i].name, expected[i].name);
        assert_int_equal(tensors[i].kind, expected[i].kind);
        assert_int_equal(tensors[i].dims[0], expected[i].dims[0]);
        assert_int_equal(tensors[i].rank, expected[i].dims[1] ? 2 : 1);
        if (tensors[i].rank == 2) assert_int_equal(tensors[i].dims[1], expected[i].dims[1]);
    }
    /* 2 x 512 x (300 + 128 + 2), 2 x 512 x (64 + 130), 409 x 513, 327 x 410, 10 x 328 */
    assert_int_equal(sl_model_n_values(model), 440320 + 198656 + 209817 + 134070 + 3280);
    sl_model_destroy(model);
}

/* The attention that the text of Uma et al. describes: two scores of 512 units each, and their
 * softmax. */
static void test_attention_adds_its_own_values_and_no_others(void **state)
{
    (void)state;
    static const char *const names[] = {
        "word_attention.weight",   "word_attention.bias",   "word_attention_vector.weight",
        "letter_attention.weight", "letter_attention.bias", "letter_attention_vector.weight"};
    struct sl_error err;
    struct sl_model *plain = NULL, *attending = NULL;
    struct sl_model_options options = options_for("tagger");
    assert_ok(sl_model_create(&options, &plain, &err), err);
    options = options_for("tagger:attention=512");
    assert_ok(sl_model_create(&options, &attending, &err), err);
    assert_int_equal(sl_model_n_values(attending),
                     sl_model_n_values(plain) + 2 * (512 * (256 + 1) + 512));
    /* A spec without attention must not name it: weight files exist that were written without the
     * option. */
    assert_null(strstr(sl_model_spec(plain), "attention"));
    assert_non_null(strstr(sl_model_spec(attending), ",attention=512"));
    size_t n_plain, count, n_shared = 0, n_own = 0;
    const struct sl_tensor_info *old = sl_model_tensors(plain, &n_plain);
    const struct sl_tensor_info *tensors = sl_model_tensors(attending, &count);
    for (size_t i = 0; i < count; i++) {
        const float *values = attending->values + tensors[i].offset;
        if (n_own < 6 && strcmp(tensors[i].name, names[n_own]) == 0) {
            double squares = 0;
            for (size_t k = 0; k < tensors[i].count; k++)
                squares += (double)values[k] * (double)values[k];
            /* A vector is initialised from N(0, 1), a linear layer from U(-1/16, 1/16). */
            const bool is_vector = n_own++ % 3 == 2;
            assert_near(squares / (double)tensors[i].count, is_vector ? 1 : 1. / 768,
                        is_vector ? .2 : .0003);
            continue;
        }
        /* The other tensors have the same initial values as without attention. */
        assert_string_equal(tensors[i].name, old[n_shared].name);
        if (tensors[i].kind == SL_TENSOR_VALUE)
            assert_memory_equal(values, plain->values + old[n_shared].offset,
                                tensors[i].count * sizeof *values);
        n_shared++;
    }
    assert_int_equal(n_own, 6);
    assert_int_equal(n_shared, n_plain);
    sl_model_destroy(plain);
    sl_model_destroy(attending);
}

/* The output for words is read at the token, that for letters at the second step or at the ends. */
static void test_the_step_of_the_letters_is_an_option(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        size_t step;
    } cases[] = {{"tagger", 1}, {"tagger:step=0", 0}, {"tagger:step=last", SL_NN_LAST_STEP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_nn_graph graph;
        build(cases[i].network, &graph);
        size_t n_picks = 0;
        for (size_t k = 0; k < graph.count; k++) {
            if (graph.nodes[k].op != SL_NN_PICK) continue;
            const bool words = n_picks++ == 0;
            assert_int_equal(graph.nodes[k].as.pick.at_position, words);
            if (!words) assert_int_equal(graph.nodes[k].as.pick.step, cases[i].step);
            assert_int_equal(graph.nodes[k + 1].op, SL_NN_DROPOUT);
            assert_near(graph.nodes[k + 1].as.dropout.rate, .2, 1e-7);
        }
        assert_int_equal(n_picks, 2);
        sl_nn_graph_release(&graph);
    }
}

static void test_every_width_is_an_option(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = options_for(
        "tagger:words=7,letters=3,word-units=5,letter-units=2,hidden=11,dropout=0,step=last");
    assert_ok(sl_model_create(&options, &model, &err), err);
    assert_int_equal(sl_model_n_state(model), 50 * 7 + 9 * 3);
    assert_int_equal(sl_model_n_values(model), 2 * 20 * (7 + 5 + 2) + 2 * 8 * (3 + 2 + 2) +
                                                   11 * (10 + 4 + 1) + 10 * (11 + 1));
    for (size_t i = 0; i < model->graph.count; i++)
        assert_int_not_equal(model->graph.nodes[i].op, SL_NN_DROPOUT);
    sl_model_destroy(model);
}

static void test_what_it_cannot_read_is_said(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_model *model = NULL;
    struct sl_model_options options = options_for("tagger");
    options.input.letters = 0;
    assert_fails(sl_model_create(&options, &model, &err), SL_ERR_INPUT, err,
                 "tagger: it reads words and their letters, and the items have none");
    options = options_for("tagger:step=12");
    assert_fails(sl_model_create(&options, &model, &err), SL_ERR_INPUT, err,
                 "step 12 is beyond the end of sequences of 12 steps");
    options = options_for("tagger:step=end");
    assert_fails(sl_model_create(&options, &model, &err), SL_ERR_INPUT, err,
                 "tagger: step: expected an integer from 0 to 65536 or last, got \"end\"");
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_tagger_has_the_state_dict_of_its_module),
        cmocka_unit_test(test_attention_adds_its_own_values_and_no_others),
        cmocka_unit_test(test_the_step_of_the_letters_is_an_option),
        cmocka_unit_test(test_every_width_is_an_option),
        cmocka_unit_test(test_what_it_cannot_read_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
