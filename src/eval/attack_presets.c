#include <string.h>

#include "softlab/eval/attack.h"

/* ImageNet's statistics: Peterson et al.'s attacks used them on networks trained with CIFAR-10's.
 */
static const float imagenet_mean[] = {.485F, .456F, .406F};
static const float imagenet_deviation[] = {.229F, .224F, .225F};

#define GREY(levels) ((levels) / 255.0)

const struct sl_attack_preset sl_attack_presets[] = {
    {.name = "fgsm",
     .summary = "one step of 8/255",
     .source = "torchattacks' default",
     .options = {.bound = GREY(8), .step = GREY(8), .iterations = 1}},
    {.name = "pgd",
     .summary = "10 steps of 2/255 within 8/255 from a random start",
     .source = "torchattacks' default",
     .options = {.bound = GREY(8), .step = GREY(2), .iterations = 10, .random_start = true}},
    {.name = "fgsm-collins2022",
     .summary = "one step of 4/255, loss against soft labels",
     .source = "Collins et al. 2022, their program",
     .options = {.bound = GREY(4), .step = GREY(4), .iterations = 1}},
    {.name = "pgd-collins2022",
     .summary = "10 steps of 2/255 within 4/255 from a random start",
     .source = "Collins et al. 2022, their program",
     .options = {.bound = GREY(4), .step = GREY(2), .iterations = 10, .random_start = true}},
    {.name = "fgsm-peterson2019",
     .summary = "one step to 4/255, ImageNet's normalisation, loss against hard labels",
     .source = "Peterson et al. 2019, by mister_ed",
     .options = {.bound = GREY(4),
                 .step = .05,
                 .iterations = 1,
                 .mean = imagenet_mean,
                 .deviation = imagenet_deviation}},
    {.name = "pgd-peterson2019",
     .summary = "20 steps of 1/255 within 4/255, keeping the worst step of each image",
     .source = "Peterson et al. 2019, by mister_ed",
     .options = {.bound = GREY(4),
                 .step = GREY(1),
                 .iterations = 20,
                 .keep_best = true,
                 .mean = imagenet_mean,
                 .deviation = imagenet_deviation}},
    {.name = NULL},
};

const struct sl_attack_preset *sl_attack_preset_find(const char *name)
{
    for (const struct sl_attack_preset *preset = sl_attack_presets; preset->name; preset++)
        if (strcmp(preset->name, name) == 0) return preset;
    return NULL;
}

struct sl_attack_options sl_attack_options_default(void)
{
    return sl_attack_presets[0].options;
}
