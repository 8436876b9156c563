/* Specs: how they are read and written, and the messages for bad ones. */
#include "support.h"

#include "nn/families/families.h"
#include "softlab/nn.h"

static struct sl_model_options options_for(const char *network)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    return options;
}

static void assert_spec(const char *network, const char *expected)
{
    struct sl_nn_spec spec;
    struct sl_error err;
    assert_ok(sl_nn_spec_parse(network, &spec, &err), err);
    char *text = sl_nn_spec_text(&spec);
    assert_string_equal(text, expected);
    free(text);
    sl_nn_spec_release(&spec);
}

/* Weight files and the identities of runs hold these texts. */
static void test_the_spec_of_every_network_is_pinned(void **state)
{
    (void)state;
    static const struct {
        const char *network, *spec;
    } pinned[] = {
        {"resnet34a", "resnet:block=basic,n=7,width=16,widen=all,shortcut=A,bias=1,names=jordan"},
        {"resnet50", "resnet:block=bottleneck,n=3-4-6-3,width=64,widen=all,shortcut=conv,bias=0,"
                     "names=kuangliu"},
        {"vgg11", "vgg:n=1-1-2-2-2,width=64,relu=every,names=kuangliu"},
        {"preact-resnet18", "preact-resnet:block=basic,n=2-2-2-2,width=64,widen=all,norm=stem,"
                            "shortcut=every,names=kuangliu"},
        {"preact-resnet34", "preact-resnet:block=basic,n=3-4-6-3,width=64,widen=all,norm=stem,"
                            "shortcut=every,names=kuangliu"},
        {"vgg_15_BN_64", "vgg:n=2-2-3-3-3,width=64,relu=first,names=hysts"},
        {"resnet_basic_110",
         "resnet:block=basic,n=18,width=16,widen=all,shortcut=conv,bias=0,names=hysts"},
        {"resnet_preact_bottleneck_164", "preact-resnet:block=bottleneck,n=18,width=16,widen=later,"
                                         "norm=last,shortcut=first,names=hysts"},
        {"wrn_28_10", "wrn:n=4,width=16,factor=10,dropout=0"},
        {"resnext_29_8x64d", "resnext:n=3,width=64,groups=8"},
        {"densenet_BC_100_12",
         "densenet:block=bottleneck,n=16,growth=12,compression=0.5,dropout=0"},
        {"pyramidnet_basic_110_270", "pyramidnet:block=basic,n=18,width=16,alpha=270"},
        {"shake_shake_26_2x64d", "shake-shake:n=4,width=64,code=2018"},
        {"resnet8", "resnet:block=basic,n=1,width=16,widen=all,shortcut=A,bias=0,names=kuangliu"},
        {"resnet20", "resnet:block=basic,n=3,width=16,widen=all,shortcut=A,bias=0,names=kuangliu"},
        {"mlp", "mlp:hidden=128,slope=0,dropout=0.5"},
        {"mlp-uma", "mlp:hidden=128,slope=0.01,dropout=0.2"},
        {"tagger", "tagger:words=300,letters=64,word-units=128,letter-units=128,step=1,hidden=409-"
                   "327,dropout=0.2"},
    };
    size_t n_pinned = sizeof pinned / sizeof *pinned, n_known = 0;
    for (const struct sl_network *n = sl_networks; n->name; n++)
        n_known++;
    assert_int_equal(n_pinned, n_known);
    for (size_t i = 0; i < n_pinned; i++)
        assert_spec(pinned[i].network, pinned[i].spec);
}

/* A family without options has all its fallbacks. */
static void test_the_fallbacks_of_every_family_are_pinned(void **state)
{
    (void)state;
    static const char *const pinned[] = {
        "resnet:block=basic,n=3,width=16,widen=all,shortcut=A,bias=0,names=kuangliu",
        "preact-resnet:block=basic,n=2-2-2-2,width=64,widen=all,norm=stem,shortcut=every,names="
        "kuangliu",
        "wrn:n=4,width=16,factor=10,dropout=0",
        "resnext:n=3,width=64,groups=8",
        "vgg:n=1-1-2-2-2,width=64,relu=every,names=kuangliu",
        "densenet:block=bottleneck,n=16,growth=12,compression=0.5,dropout=0",
        "pyramidnet:block=basic,n=18,width=16,alpha=270",
        "shake-shake:n=4,width=64,code=2018",
        "mlp:hidden=128,slope=0,dropout=0.5",
        "tagger:words=300,letters=64,word-units=128,letter-units=128,step=1,hidden=409-327,dropout="
        "0.2",
    };
    size_t i = 0;
    for (const struct sl_network_family *f = sl_network_families; f->name; f++, i++) {
        assert_true(i < sizeof pinned / sizeof *pinned);
        assert_spec(f->name, pinned[i]);
        for (const struct sl_field_row *row = f->options->rows; row->name; row++)
            assert_true(row->fallback && row->help);
    }
    assert_int_equal(i, sizeof pinned / sizeof *pinned);
}

/* Two ways to type a value name the same network, so they have the same spec. */
static void test_a_spec_does_not_depend_on_how_values_are_typed(void **state)
{
    (void)state;
    assert_spec("mlp:dropout=.50,hidden=007-08", "mlp:hidden=7-8,slope=0,dropout=0.5");
    assert_spec("mlp:slope=1e-2,dropout=0.0", "mlp:hidden=128,slope=0.01,dropout=0");
    assert_spec("tagger:hidden=4,step=last", "tagger:words=300,letters=64,word-units=128,"
                                             "letter-units=128,step=last,hidden=4,dropout=0.2");
}

static void test_a_late_option_is_written_only_if_it_is_not_its_fallback(void **state)
{
    (void)state;
    static const char plain[] = "tagger:words=300,letters=64,word-units=128,letter-units=128,"
                                "step=1,hidden=409-327,dropout=0.2";
    assert_spec("tagger:attention=0", plain);
    assert_spec("tagger:attention=00", plain);
    char *attending = sl_string_printf("%s,attention=5", plain);
    assert_spec("tagger:attention=5", attending);
    free(attending);
}

static enum sl_status parse(const char *option, const char *value, struct sl_error *err)
{
    char *network = sl_string_printf("%s=%s", option, value);
    struct sl_nn_spec spec;
    enum sl_status status = sl_nn_spec_parse(network, &spec, err);
    sl_nn_spec_release(&spec);
    free(network);
    return status;
}

static void test_every_number_has_its_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *option, *below, *lowest, *highest, *above;
    } bounds[] = {
        {"resnet:n", "0", "1", "400", "401"},
        {"resnet:width", "3", "4", "1024", "1025"},
        {"preact-resnet:n", "0", "1", "400", "401"},
        {"preact-resnet:width", "3", "4", "1024", "1025"},
        {"wrn:n", "0", "1", "400", "401"},
        {"wrn:width", "0", "1", "1024", "1025"},
        {"wrn:factor", "0", "1", "64", "65"},
        {"wrn:dropout", "-0.01", "0", "0.99", "0.991"},
        {"resnext:n", "0", "1", "400", "401"},
        {"resnext:width", "0", "1", "1024", "1025"},
        {"resnext:groups", "0", "1", "64", "65"},
        {"vgg:n", "0", "1", "64", "65"},
        {"vgg:width", "0", "1", "1024", "1025"},
        {"densenet:n", "0", "1", "400", "401"},
        {"densenet:growth", "0", "1", "512", "513"},
        {"densenet:compression", "0.049", "0.05", "1", "1.01"},
        {"densenet:dropout", "-0.01", "0", "0.99", "0.991"},
        {"pyramidnet:n", "0", "1", "400", "401"},
        {"pyramidnet:width", "0", "1", "1024", "1025"},
        {"pyramidnet:alpha", "-1", "0", "4096", "4097"},
        {"shake-shake:n", "0", "1", "400", "401"},
        {"shake-shake:width", "1", "2", "1024", "1025"},
        {"mlp:hidden", "0", "1", "65536", "65537"},
        {"mlp:slope", "-0.01", "0", "1", "1.01"},
        {"mlp:dropout", "-0.01", "0", "0.99", "0.991"},
        {"tagger:words", "0", "1", "65536", "65537"},
        {"tagger:letters", "0", "1", "65536", "65537"},
        {"tagger:word-units", "0", "1", "65536", "65537"},
        {"tagger:letter-units", "0", "1", "65536", "65537"},
        {"tagger:step", "-1", "0", "65536", "65537"},
        {"tagger:hidden", "0", "1", "65536", "65537"},
        {"tagger:dropout", "-0.01", "0", "0.99", "0.991"},
        {"tagger:attention", "-1", "0", "65536", "65537"},
    };
    size_t n_rows = 0, n_bounds = sizeof bounds / sizeof *bounds;
    for (const struct sl_network_family *f = sl_network_families; f->name; f++)
        for (const struct sl_field_row *row = f->options->rows; row->name; row++)
            n_rows += !row->choices;
    assert_int_equal(n_bounds, n_rows); /* all options without choices are listed */
    for (size_t i = 0; i < n_bounds; i++) {
        struct sl_error err;
        assert_ok(parse(bounds[i].option, bounds[i].lowest, &err), err);
        assert_ok(parse(bounds[i].option, bounds[i].highest, &err), err);
        assert_fails(parse(bounds[i].option, bounds[i].below, &err), SL_ERR_INPUT, err, "expected");
        assert_fails(parse(bounds[i].option, bounds[i].above, &err), SL_ERR_INPUT, err, "expected");
    }
}

static void test_a_list_has_at_most_eight_numbers(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "resnet:n",   "preact-resnet:n", "wrn:n",         "resnext:n",  "vgg:n",
        "densenet:n", "pyramidnet:n",    "shake-shake:n", "mlp:hidden", "tagger:hidden"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct sl_error err;
        assert_ok(parse(lists[i], "1-1-1-1-1-1-1-1", &err), err);
        assert_fails(parse(lists[i], "1-1-1-1-1-1-1-1-1", &err), SL_ERR_INPUT, err,
                     "expected at most 8 integers");
    }
}

static void test_bad_specs_are_refused_in_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        enum sl_status status;
        const char *part;
    } bad[] = {
        {"resnet21", SL_ERR_INPUT, "no network is called \"resnet21\", did you mean \"resnet20\"?"},
        {"", SL_ERR_INPUT, "no network is called \"\""},
        {":n=3", SL_ERR_INPUT, "no network is called \"\""},
        {"zzzzzzzzzzzzzz:n=3", SL_ERR_INPUT, "no network is called \"zzzzzzzzzzzzzz\""},
        {"Resnet20", SL_ERR_INPUT, "did you mean \"resnet20\"?"},
        {"resnet:widht=3", SL_ERR_INPUT, "resnet has no option \"widht\", did you mean \"width\"?"},
        {"resnet:n", SL_ERR_INPUT, "resnet: n has no value"},
        {"resnet:n=", SL_ERR_INPUT, "resnet: n has no value"},
        {"resnet:n=3,n=4", SL_ERR_INPUT, "resnet: n is given twice"},
        {"resnet:n=3,", SL_ERR_INPUT, "nothing follows the last comma"},
        {"resnet:n=3,,bias=1", SL_ERR_INPUT, "resnet has no option \"\""},
        {"resnet:n=0", SL_ERR_INPUT,
         "resnet: n: expected at most 8 integers from 1 to 400 with hyphens between them, like "
         "3-4-6-3, got \"0\""},
        {"resnet:n=-3", SL_ERR_INPUT, "like 3-4-6-3, got \"-3\""},
        {"resnet:n=3-", SL_ERR_INPUT, "got \"3-\""},
        {"resnet:n=3--4", SL_ERR_INPUT, "got \"3--4\""},
        {"resnet:n=3.5", SL_ERR_INPUT, "got \"3.5\""},
        {"resnet:n= 3", SL_ERR_INPUT, "got \" 3\""},
        {"resnet:n=1-1-1-1-1-1-1-1-1", SL_ERR_INPUT, "resnet: n: expected at most 8 integers"},
        {"resnet:n=99999999999999999999", SL_ERR_INPUT, "got \"99999999999999999999\""},
        {"resnet:width=3", SL_ERR_INPUT,
         "resnet: width: expected an integer from 4 to 1024, got \"3\""},
        {"resnet:width=8p", SL_ERR_INPUT, "width: expected an integer from 4 to 1024, got \"8p\""},
        {"resnet:block=bottlenek", SL_ERR_INPUT,
         "block: no \"bottlenek\", did you mean \"bottleneck\"?"},
        {"resnet:shortcut=a", SL_ERR_INPUT, "shortcut: \"a\" is called A here"},
        {"tagger:step=end", SL_ERR_INPUT,
         "step: expected an integer from 0 to 65536 or last, got \"end\""},
        {"resnet:shortcut=B", SL_ERR_INPUT, "resnet: shortcut: expected one of A, conv, got \"B\""},
        {"resnet:bias=yes", SL_ERR_INPUT, "bias: expected one of 0, 1, got \"yes\""},
        {"resnet:names=torch", SL_ERR_INPUT,
         "names: expected one of kuangliu, hysts, jordan, got \"torch\""},
        {"mlp:dropout=1", SL_ERR_INPUT,
         "mlp: dropout: expected a number from 0 to 0.99, got \"1\""},
        {"mlp:dropout=nan", SL_ERR_INPUT, "dropout: expected a number from 0 to 0.99, got \"nan\""},
        {"mlp:hidden=70000", SL_ERR_INPUT,
         "integers from 1 to 65536 with hyphens between them, like 3-4-6-3, got \"70000\""},
        {"resnet34a:n=x", SL_ERR_INPUT, "resnet: n: expected at most 8 integers"},
        {"resnet:width=512,n=1-1-1-1-1-1,block=bottleneck", SL_OK, ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sl_model_options options = options_for(bad[i].network);
        struct sl_nn_graph graph;
        char *spec = NULL;
        struct sl_error err = {0};
        enum sl_status status = sl_nn_build(&options, &graph, &spec, &err);
        assert_fails(status, bad[i].status, err, bad[i].part);
        if (status == SL_OK) sl_nn_graph_release(&graph);
        free(spec);
    }
}

static void test_a_name_without_end_is_refused(void **state)
{
    (void)state;
    char *name = sl_alloc(10000, 1);
    memset(name, '0', 9999);
    memcpy(name, "resnet:n=", 9);
    struct sl_model_options options = options_for(name);
    struct sl_nn_graph graph;
    char *spec = NULL;
    struct sl_error err;
    assert_fails(sl_nn_build(&options, &graph, &spec, &err), SL_ERR_INPUT, err, "longer than");
    free(name);
}

static void test_names_of_networks_and_families_do_not_mislead(void **state)
{
    (void)state;
    for (const struct sl_network *n = sl_networks; n->name; n++)
        for (const struct sl_network_family *f = sl_network_families; f->name; f++) {
            size_t length = strcspn(n->spec, ":");
            bool own = strlen(f->name) == length && strncmp(f->name, n->spec, length) == 0;
            if (strcmp(n->name, f->name) == 0) assert_true(own);
        }
}

/* Weight files hold specs too. Whatever a spec contains, a network is built or a one-line message
 * explains why not. */
static void test_mutated_specs_build_or_are_refused(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789-=,:.xnAe\xc3 ";
    struct sl_rng rng;
    sl_rng_init(&rng, 5, "mutate", 0, 0);
    size_t built = 0;
    for (size_t round = 0; round < 40; round++)
        for (const struct sl_network *n = sl_networks; n->name; n++) {
            char *text = sl_string_copy(n->spec);
            for (size_t edits = sl_rng_below(&rng, 3); edits > 0; edits--)
                text[sl_rng_below(&rng, strlen(text))] =
                    alphabet[sl_rng_below(&rng, sizeof alphabet - 1)];
            struct sl_model_options options = options_for(text);
            struct sl_nn_graph graph;
            char *spec = NULL;
            struct sl_error err = {0};
            if (sl_nn_build(&options, &graph, &spec, &err) == SL_OK) {
                built++;
                sl_nn_graph_release(&graph);
            } else {
                assert_true(err.message[0] != '\0' && !strchr(err.message, '\n'));
                assert_null(spec);
            }
            free(spec);
            free(text);
        }
    assert_true(built > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_spec_of_every_network_is_pinned),
        cmocka_unit_test(test_the_fallbacks_of_every_family_are_pinned),
        cmocka_unit_test(test_a_spec_does_not_depend_on_how_values_are_typed),
        cmocka_unit_test(test_a_late_option_is_written_only_if_it_is_not_its_fallback),
        cmocka_unit_test(test_every_number_has_its_bounds),
        cmocka_unit_test(test_a_list_has_at_most_eight_numbers),
        cmocka_unit_test(test_bad_specs_are_refused_in_one_sentence),
        cmocka_unit_test(test_a_name_without_end_is_refused),
        cmocka_unit_test(test_names_of_networks_and_families_do_not_mislead),
        cmocka_unit_test(test_mutated_specs_build_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
