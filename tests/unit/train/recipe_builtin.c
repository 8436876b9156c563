#include "softlab/train/recipe.h"

#include "softlab/nn.h"
#include "support.h"

static const char *const variants[] = {"as-run", "as-published"};

static bool is_listed(const char *name)
{
    for (const struct sl_builtin_recipe *row = sl_builtin_recipes; row->name; row++)
        if (strcmp(row->name, name) == 0) return true;
    return false;
}

static void test_every_recipe_reads_and_passes_its_check_in_both_variants(void **state)
{
    (void)state;
    for (const struct sl_builtin_recipe *row = sl_builtin_recipes; row->name; row++)
        for (size_t v = 0; v < 2; v++) {
            struct sl_error err;
            struct sl_recipe recipe;
            assert_ok(sl_recipe_read(row->name, variants[v], &recipe, &err), err);
            assert_ok(sl_recipe_check(&recipe, &err), err);
            assert_string_equal(recipe.name, row->name);
            assert_string_equal(recipe.variant, variants[v]);
        }
}

static void test_every_recipe_says_where_it_comes_from(void **state)
{
    (void)state;
    for (const struct sl_builtin_recipe *row = sl_builtin_recipes; row->name; row++) {
        struct sl_error err;
        struct sl_json json;
        assert_ok(sl_recipe_document(row->name, &json, &err), err);
        assert_true(json_string_length(json_object_get(json.root, "source")) > 10);
        assert_true(json_array_size(json_object_get(json.root, "notes")) >= 2);
        sl_json_release(&json);
    }
}

/* The variants in a recipe's file are those in the table. */
static void test_every_form_of_every_file_has_its_row(void **state)
{
    (void)state;
    size_t n_described = 0, n_rows = 0;
    const char *seen = NULL;
    for (const struct sl_builtin_recipe *row = sl_builtin_recipes; row->name; row++, n_rows++) {
        if (row->text == seen) continue; /* relatives stand together */
        seen = row->text;
        struct sl_error err;
        struct sl_json json;
        assert_ok(sl_recipe_document(row->name, &json, &err), err);
        const char *name = json_string_value(json_object_get(json.root, "name")), *form, *network;
        const bool has_plain = is_listed(name);
        json_t *value;
        n_described += has_plain;
        json_object_foreach(json_object_get(json.root, "forms"), form, value)
        {
            char relative[256];
            if (has_plain) {
                snprintf(relative, sizeof relative, "%s-%s", name, form);
                assert_true(is_listed(relative));
                n_described++;
                continue;
            }
            json_object_foreach(json_object_get(json.root, "networks"), network, value)
            {
                snprintf(relative, sizeof relative, "%s-%s-%s", name, network, form);
                assert_true(is_listed(relative));
                n_described++;
            }
        }
        sl_json_release(&json);
    }
    assert_int_equal(n_described, n_rows);
}

static void test_every_peterson_network_has_three_recipes(void **state)
{
    (void)state;
    static const char *const forms[] = {"scratch", "pretrain", "finetune"};
    size_t count = 0;
    for (const struct sl_network *network = sl_networks; network->name; network++) {
        if (strcmp(network->source, "Peterson et al. 2019") != 0) continue;
        for (size_t f = 0; f < 3; f++, count++) {
            char name[128];
            struct sl_error err;
            struct sl_recipe recipe;
            snprintf(name, sizeof name, "peterson2019-%s-%s", network->name, forms[f]);
            assert_ok(sl_recipe_read(name, "as-run", &recipe, &err), err);
            assert_string_equal(recipe.network, network->name);
        }
    }
    assert_int_equal(count, 24);
}

/* A recipe (NULL network: its own), and what it must hold: setting it again changes nothing. */
struct expectation {
    const char *recipe, *variant, *network, *constants;
};

#define CHANNELS       "mean=0.4914,0.4822,0.4465,deviation="
#define COLLINS_IMAGES CHANNELS "0.2023,0.1994,0.2010"
#define PETERSON       CHANNELS "0.2470,0.2435,0.2616,crop=4,flip=true,frozen=false,drop_last=true"
#define SGD            ",optimiser=sgd,momentum=0.9,"
#define NESTEROV       SGD "nesterov=true,clip=0,"

static const struct expectation expectations[] = {
    {"collins2022", "as-run", "resnet34a",
     COLLINS_IMAGES SGD "nesterov=false,weight_decay=1e-4,rate=0.1,batch=32,epochs=65,clip=1,"
                        "reduction=mean,crop=4,flip=true,frozen=true,schedule=step,"
                        "milestones=51,56,factors=0.1,0.1,holdout=collins2022,holdout_draw=0,"
                        "smooth=0,smooth_all=false,select=last,init_pytorch=true,drop_last=false"},
    {"collins2022", "as-published", "vgg11",
     COLLINS_IMAGES SGD "weight_decay=1e-4,rate=0.1,batch=32,epochs=65,schedule=step,"
                        "milestones=50,55,factors=1e-4,1e-4,holdout=,holdout_draw=100,"
                        "smooth_all=true"},
    {"collins2022", "as-run", "resnet50", "rate=0.4,epochs=65"},
    {"collins2022", "as-published", "resnet50", "rate=0.4,epochs=65"},
    {"collins2022", "as-run", "vgg11", "rate=0.1"},
    {"collins2022-smooth", "as-run", "resnet50", "rate=0.4,smooth=0.05,smooth_all=false"},
    {"collins2022-smooth", "as-published", "vgg11", "smooth=0.05,smooth_all=true"},
    {"uma2020-cifar10h", "as-run", NULL,
     "network=resnet34a" SGD "weight_decay=1e-4,rate=0.1,batch=32,epochs=65,clip=1,reduction=sum,"
     "crop=4,flip=true,frozen=true,schedule=segment,milestones=50,55,factors=0.1,0.1,"
     "select=best,dev=cifar10:train,dev_count=0,dev_metric=weighted-f1,method=plain"},
    {"uma2020-cifar10h", "as-published", NULL,
     "schedule=step,milestones=50,55,factors=1e-4,1e-4,dev_count=3000,epochs=65"},
    {"uma2020-cifar10h-crowd", "as-run", NULL,
     "method=crowd-layer,crowd=mw,crowd_on_logits=true,crowd_masked_mean=false,reduction=sum,"
     "schedule=segment,batch=32"},
    {"uma2020-labelme", "as-run", NULL,
     "network=mlp-uma,optimiser=adam,rate=0.001,beta1=0.9,beta2=0.999,epsilon=1e-8,batch=0,"
     "epochs=50,reduction=sum,schedule=constant,select=best,dev_metric=weighted-f1"},
    {"uma2020-labelme", "as-published", NULL, "network=mlp-uma,epochs=20,rate=0.001"},
    {"uma2020-labelme-crowd", "as-run", NULL,
     "method=crowd-layer,crowd_on_logits=true,reduction=mean,epochs=50,batch=0"},
    {"uma2020-labelme-rodrigues", "as-run", NULL,
     "network=mlp,optimiser=adam,batch=64,epochs=50,method=crowd-layer,crowd=mw,"
     "crowd_on_logits=false,crowd_masked_mean=true,reduction=mean"},
    {"uma2020-pos", "as-run", NULL,
     "network=tagger,optimiser=adam,rate=0.001,batch=1000,epochs=20,reduction=sum,select=best,"
     "dev_metric=weighted-f1"},
    {"uma2020-pos", "as-run", NULL, "network_options="},
    {"uma2020-pos", "as-published", NULL, "network=tagger,network_options=attention=512,epochs=20"},
    {"uma2020-pos-crowd", "as-published", NULL,
     "network_options=attention=512,method=crowd-layer,crowd_on_logits=true,reduction=sum"},
    {"peterson2019-vgg_15_BN_64-scratch", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=1e-4,rate=0.1,batch=128,epochs=150,schedule=step,"
                       "milestones=80,120,factors=0.1,0.1,cutout=0,select=best,dev=held-out,"
                       "dev_metric=accuracy,reduction=mean,init_pytorch=false"},
    {"peterson2019-resnet_basic_110-scratch", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=1e-4,batch=128,milestones=80,120"},
    {"peterson2019-resnet_preact_bottleneck_164-pretrain", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=1e-4,batch=128,epochs=160,milestones=80,120,select=last,dev="},
    {"peterson2019-wrn_28_10-scratch", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=5e-4,batch=128,rate=0.1,milestones=60,120,160,"
                       "factors=0.2,0.2,0.2,epochs=150"},
    {"peterson2019-wrn_28_10-pretrain", "as-run", NULL,
     "epochs=200,weight_decay=5e-4,milestones=60,120,160,factors=0.2,0.2,0.2,rate=0.1"},
    {"peterson2019-resnext_29_8x64d-scratch", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=5e-4,batch=64,rate=0.1,milestones=150,225,epochs=150"},
    {"peterson2019-resnext_29_8x64d-pretrain", "as-published", NULL,
     "weight_decay=5e-4,batch=64,rate=0.05,milestones=150,225,factors=0.1,0.1,epochs=300"},
    {"peterson2019-densenet_BC_100_12-scratch", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=1e-4,batch=64,rate=0.1,milestones=150,225,epochs=150"},
    {"peterson2019-densenet_BC_100_12-pretrain", "as-run", NULL, "batch=64,rate=0.1,epochs=300"},
    {"peterson2019-densenet_BC_100_12-pretrain", "as-published", NULL,
     "batch=32,rate=0.05,epochs=300"},
    {"peterson2019-pyramidnet_basic_110_270-pretrain", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=1e-4,batch=128,rate=0.1,milestones=150,225,epochs=300"},
    {"peterson2019-shake_shake_26_2x64d-scratch", "as-run", NULL,
     PETERSON NESTEROV "weight_decay=1e-4,batch=64,rate=0.1,schedule=cosine,cosine_epochs=300,"
                       "epochs=150,cutout=16"},
    {"peterson2019-shake_shake_26_2x64d-pretrain", "as-run", NULL, "cutout=16,epochs=300,batch=64"},
    {"peterson2019-shake_shake_26_2x64d-scratch", "as-published", NULL,
     "optimiser=adam,rate=0.1,schedule=cosine,cosine_epochs=300,epochs=150"},
    {"peterson2019-wrn_28_10-scratch", "as-published", NULL,
     "optimiser=adam,rate=0.1,weight_decay=5e-4,milestones=60,120,160,epochs=150,nesterov=false"},
    {"peterson2019-wrn_28_10-finetune", "as-run", NULL,
     PETERSON NESTEROV "epochs=150,select=best,dev=held-out,dev_metric=cross-entropy,"
                       "weight_decay=5e-4,rate=0.01"},
    {"peterson2019-vgg_15_BN_64-finetune", "as-published", NULL, "optimiser=adam,epochs=150"},
    {"peterson2019-vgg_15_BN_64-pretrain", "as-published", NULL, "optimiser=sgd,nesterov=true"},
    {"regmixup", "as-run", NULL,
     "method=regmixup,alpha=20,epochs=350,batch=128,rate=0.1,nesterov=true,momentum=0.9,"
     "weight_decay=5e-4,schedule=step,milestones=150,250,factors=0.1,0.1"},
    {"thesis-ch4", "as-run", NULL,
     "network=preact-resnet18,method=plain,batch=128,epochs=200,rate=0.1,weight_decay=1e-4,"
     "momentum=0.9,nesterov=false,milestones=101,151,factors=0.1,0.1,crop=0,flip=false"},
    {"thesis-ch4", "as-published", NULL, "milestones=100,150,factors=0.1,0.1"},
    {"thesis-ch5", "as-run", NULL,
     "network=preact-resnet34,method=mixup,alpha=1,batch=128,epochs=200,milestones=101,151,"
     "crop=0,flip=false"},
    {"thesis-ch5-mix-maxent", "as-run", NULL, "method=mix-maxent,alpha=10,eta=1,epochs=200"},
    {"thesis-ch5-ent-wc", "as-run", NULL, "method=ent-wc,alpha=0.2,kappa=0.7,detach=false"},
    {"thesis-mixup", "as-run", NULL, "network=preact-resnet18,method=mixup,alpha=1,epochs=200"},
    {"quick", "as-run", NULL, "network=resnet8,schedule=cosine"},
};

static void test_the_constants_are_those_of_the_papers_and_their_code(void **state)
{
    (void)state;
    size_t n_wrong = 0;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *e = &expectations[i];
        struct sl_error err;
        struct sl_recipe recipe;
        assert_ok(sl_recipe_read_for(e->recipe, e->variant, e->network, &recipe, &err), err);
        struct sl_recipe again = recipe;
        assert_ok(sl_recipe_set_all(&again, e->constants, &err), err);
        json_t *is = sl_recipe_to_json(&recipe), *shall = sl_recipe_to_json(&again);
        const char *key;
        json_t *value;
        json_object_foreach(is, key, value) if (!json_equal(value, json_object_get(shall, key)))
        {
            print_error("%s %s: %s differs\n", e->recipe, e->variant, key);
            n_wrong++;
        }
        json_decref(is);
        json_decref(shall);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_the_hold_out_of_collins_is_the_published_hundred(void **state)
{
    (void)state;
    const char *const *items = sl_recipe_holdout("collins2022");
    assert_non_null(items);
    size_t count = 0;
    long sum = 0, before = -1;
    for (; items[count]; count++) {
        const long item = strtol(items[count], NULL, 10);
        assert_true(item > before && item < 10000);
        before = item;
        sum += item;
    }
    assert_int_equal(count, 100);
    assert_int_equal(sum, 462473);
    assert_string_equal(items[0], "138");
    assert_string_equal(items[50], "4221");
    assert_string_equal(items[99], "9840");
    assert_null(sl_recipe_holdout("collins"));
    for (const struct sl_holdout_list *list = sl_holdout_lists; list->name; list++)
        assert_ptr_equal(sl_recipe_holdout(list->name), list->items);
}

/* People were asked about all hundred of them. */
static void test_the_hold_out_items_have_answers_in_cifar10s(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_json json;
    const char *path = test_data("cifar10s/human_soft_labels_data.json");
    if (!path) skip();
    assert_ok(sl_json_read(path, (size_t)64 << 20, &json, &err), err);
    for (const char *const *item = sl_recipe_holdout("collins2022"); *item; item++)
        assert_non_null(json_object_get(json.root, *item));
    sl_json_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_recipe_reads_and_passes_its_check_in_both_variants),
        cmocka_unit_test(test_every_recipe_says_where_it_comes_from),
        cmocka_unit_test(test_every_form_of_every_file_has_its_row),
        cmocka_unit_test(test_every_peterson_network_has_three_recipes),
        cmocka_unit_test(test_the_constants_are_those_of_the_papers_and_their_code),
        cmocka_unit_test(test_the_hold_out_of_collins_is_the_published_hundred),
        cmocka_unit_test(test_the_hold_out_items_have_answers_in_cifar10s),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
