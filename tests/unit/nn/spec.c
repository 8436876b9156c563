/* Specs: what is read, what is refused, and in which words. */
#include "support.h"

#include "nn/families/families.h"
#include "softlab/nn.h"

static struct sl_model_options options_for(const char *network)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    return options;
}

static void test_a_spec_names_every_option(void **state)
{
    (void)state;
    struct sl_nn_graph graph;
    char *spec = NULL;
    struct sl_error err;
    struct sl_model_options options = options_for("resnet34a");
    assert_ok(sl_nn_build(&options, &graph, &spec, &err), err);
    assert_string_equal(spec,
                        "resnet:block=basic,n=7,width=16,widen=all,shortcut=A,bias=1,names=jordan");
    free(spec);
    sl_nn_graph_release(&graph);
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
         "n=0 is not a list like 3-4-6-3 of at most 8 whole numbers from 1 to 400"},
        {"resnet:n=-3", SL_ERR_INPUT, "n=-3 is not"},
        {"resnet:n=3-", SL_ERR_INPUT, "n=3- is not"},
        {"resnet:n=3--4", SL_ERR_INPUT, "n=3--4 is not"},
        {"resnet:n=3.5", SL_ERR_INPUT, "n=3.5 is not"},
        {"resnet:n= 3", SL_ERR_INPUT, "n= 3 is not"},
        {"resnet:n=1-1-1-1-1-1-1-1-1", SL_ERR_INPUT, "of at most 8"},
        {"resnet:n=99999999999999999999", SL_ERR_INPUT, "n=99999999999999999999 is not"},
        {"resnet:width=3", SL_ERR_INPUT, "width=3 is not a whole number from 4 to 1024"},
        {"resnet:width=8p", SL_ERR_INPUT, "width=8p is not a whole number"},
        {"resnet:shortcut=B", SL_ERR_INPUT, "shortcut=B is not A or conv"},
        {"resnet:bias=yes", SL_ERR_INPUT, "bias=yes is not 0 or 1"},
        {"resnet:names=torch", SL_ERR_INPUT, "names=torch is not kuangliu, hysts or jordan"},
        {"mlp:dropout=1", SL_ERR_INPUT, "dropout=1 is not a number from 0 to 0.99"},
        {"mlp:dropout=nan", SL_ERR_INPUT, "dropout=nan is not a number"},
        {"mlp:hidden=70000", SL_ERR_INPUT, "hidden=70000 is not"},
        {"resnet34a:n=x", SL_ERR_INPUT, "resnet: n=x is not"},
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

static void test_options_are_read_by_name(void **state)
{
    (void)state;
    static const char *const relus[] = {"first", "every", NULL};
    struct sl_nn_spec spec;
    struct sl_error err;
    assert_ok(sl_nn_spec_parse("vgg:width=32,n=1-20-3,relu=first", &spec, &err), err);
    assert_string_equal(spec.family->name, "vgg");
    assert_int_equal(sl_nn_spec_count(&spec, "width", 1, 64), 32);
    assert_int_equal(sl_nn_spec_choice(&spec, "relu", relus), 0);
    size_t list[SL_NN_STAGES];
    assert_int_equal(sl_nn_spec_list(&spec, "n", 20, list), 3);
    assert_int_equal(list[0], 1);
    assert_int_equal(list[1], 20);
    assert_int_equal(list[2], 3);
    assert_int_equal(spec.status, SL_OK);
    sl_nn_spec_release(&spec);
}

static void test_the_first_bad_value_is_kept_and_what_is_returned_is_in_bounds(void **state)
{
    (void)state;
    struct sl_nn_spec spec;
    struct sl_error err;
    assert_ok(sl_nn_spec_parse("wrn:factor=99,dropout=2,n=x", &spec, &err), err);
    assert_int_equal(sl_nn_spec_count(&spec, "factor", 1, 64), 1);
    assert_near(sl_nn_spec_real(&spec, "dropout", 0, .9), 0, 0);
    size_t list[SL_NN_STAGES];
    assert_int_equal(sl_nn_spec_list(&spec, "n", 20, list), 1);
    assert_int_equal(list[0], 1);
    assert_fails(spec.status, SL_ERR_INPUT, spec.error,
                 "wrn: factor=99 is not a whole number from 1 to 64");
    sl_nn_spec_release(&spec);
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

/* Specs come out of weight files too: whatever they hold, a network is built or a sentence said. */
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
        cmocka_unit_test(test_a_spec_names_every_option),
        cmocka_unit_test(test_bad_specs_are_refused_in_one_sentence),
        cmocka_unit_test(test_a_name_without_end_is_refused),
        cmocka_unit_test(test_options_are_read_by_name),
        cmocka_unit_test(test_the_first_bad_value_is_kept_and_what_is_returned_is_in_bounds),
        cmocka_unit_test(test_names_of_networks_and_families_do_not_mislead),
        cmocka_unit_test(test_mutated_specs_build_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
