/* The recipes of recipes/ by name. Relatives that one file describes have a row each; the test of
 * this file holds the rows against what the files say. */
#include <string.h>

#include "recipe_files.h"
#include "softlab/train/recipe.h"

#define FILE_OF(text)           text, sizeof(text)
#define PETERSON(network, form) "peterson2019-" network "-" form, FILE_OF(peterson2019)

const struct sl_builtin_recipe sl_builtin_recipes[] = {
    {"quick", FILE_OF(quick)},
    {"collins2022", FILE_OF(collins2022)},
    {"collins2022-smooth", FILE_OF(collins2022)},
    {"uma2020-cifar10h", FILE_OF(uma2020_cifar10h)},
    {"uma2020-cifar10h-crowd", FILE_OF(uma2020_cifar10h)},
    {"uma2020-labelme", FILE_OF(uma2020_labelme)},
    {"uma2020-labelme-crowd", FILE_OF(uma2020_labelme)},
    {"uma2020-labelme-rodrigues", FILE_OF(uma2020_labelme)},
    {"uma2020-pos", FILE_OF(uma2020_pos)},
    {"uma2020-pos-crowd", FILE_OF(uma2020_pos)},
    {PETERSON("vgg_15_BN_64", "scratch")},
    {PETERSON("vgg_15_BN_64", "pretrain")},
    {PETERSON("vgg_15_BN_64", "finetune")},
    {PETERSON("resnet_basic_110", "scratch")},
    {PETERSON("resnet_basic_110", "pretrain")},
    {PETERSON("resnet_basic_110", "finetune")},
    {PETERSON("resnet_preact_bottleneck_164", "scratch")},
    {PETERSON("resnet_preact_bottleneck_164", "pretrain")},
    {PETERSON("resnet_preact_bottleneck_164", "finetune")},
    {PETERSON("wrn_28_10", "scratch")},
    {PETERSON("wrn_28_10", "pretrain")},
    {PETERSON("wrn_28_10", "finetune")},
    {PETERSON("resnext_29_8x64d", "scratch")},
    {PETERSON("resnext_29_8x64d", "pretrain")},
    {PETERSON("resnext_29_8x64d", "finetune")},
    {PETERSON("densenet_BC_100_12", "scratch")},
    {PETERSON("densenet_BC_100_12", "pretrain")},
    {PETERSON("densenet_BC_100_12", "finetune")},
    {PETERSON("pyramidnet_basic_110_270", "scratch")},
    {PETERSON("pyramidnet_basic_110_270", "pretrain")},
    {PETERSON("pyramidnet_basic_110_270", "finetune")},
    {PETERSON("shake_shake_26_2x64d", "scratch")},
    {PETERSON("shake_shake_26_2x64d", "pretrain")},
    {PETERSON("shake_shake_26_2x64d", "finetune")},
    {"regmixup", FILE_OF(regmixup)},
    {"thesis-ch4", FILE_OF(thesis_ch4)},
    {"thesis-ch5", FILE_OF(thesis_ch5)},
    {"thesis-ch5-mix-maxent", FILE_OF(thesis_ch5)},
    {"thesis-ch5-ent-wc", FILE_OF(thesis_ch5)},
    {"thesis-mixup", FILE_OF(thesis_mixup)},
    {NULL, NULL, 0},
};

const struct sl_holdout_list sl_holdout_lists[] = {
    {"collins2022", holdout_collins2022},
    {NULL, NULL},
};

const char *const *sl_recipe_holdout(const char *name)
{
    const struct sl_holdout_list *list = sl_holdout_lists;
    while (list->name && strcmp(list->name, name) != 0)
        list++;
    return list->items;
}
