/* The keys of a recipe: one table, and the ways in and out of it. */
#include "softlab/base/memory.h"
#include "train/recipe_internal.h"

static const char *const draws[] = {"mean", "annotator", "sample", NULL};
static const char *const reductions[] = {"mean", "sum", NULL};
static const char *const crowds[] = {"mw", "vw", "vb", "vw+b", NULL};
static const char *const optimisers[] = {"sgd", "adam", "radam", NULL};
static const char *const schedules[] = {"constant", "step", "segment", "cosine", NULL};
static const char *const selections[] = {"last", "best", NULL};
static const char *const dev_metrics[] = {"accuracy", "cross-entropy", "weighted-f1", NULL};

#define AT(field)        .offset = offsetof(struct sl_recipe, field)
#define TEXT(field)      #field, SL_FIELD_NAME, AT(field)
#define BOOLEAN(field)   #field, SL_FIELD_BOOLEAN, AT(field)
#define INTEGER(field)   #field, SL_FIELD_INTEGER, AT(field)
#define REAL(field)      #field, SL_FIELD_NUMBER, AT(field)
#define REALS(field)     #field, SL_FIELD_REALS, AT(field)
#define CHOICE(field)    #field, SL_FIELD_ENUM, AT(field)
#define RANGE(low, high) .minimum = (low), .maximum = (high)
#define MOST_EPOCHS      1e6
#define NEARLY_ONE       0.999999

const struct sl_field_row sl_recipe_keys[] = {
    {TEXT(network), "the network, by name; empty: to be chosen"},
    {TEXT(network_options), "options that are added to the network's, such as attention=512",
     .flags = SL_FIELD_LATE},
    {BOOLEAN(init_pytorch), "draw weights by PyTorch's defaults instead of the paper's way"},
    {REALS(mean), "mean of each channel, to subtract; empty: none", RANGE(-1e3, 1e3)},
    {REALS(deviation), "standard deviation of each channel, to divide by", RANGE(1e-6, 1e3)},

    {INTEGER(epochs), "passes over the items", RANGE(1, MOST_EPOCHS)},
    {INTEGER(batch), "items per step; 0: all of them", RANGE(0, 1e7)},
    {BOOLEAN(drop_last), "leave out a last, smaller batch"},
    {BOOLEAN(shuffle), "a new order of the items in every epoch"},
    {INTEGER(crop), "padding of the random crop; 0: none", RANGE(0, 1024)},
    {BOOLEAN(flip), "mirror images with probability 1/2"},
    {INTEGER(cutout), "side of the square that is cut out; 0: none", RANGE(0, 4096)},
    {BOOLEAN(frozen), "augment once for the whole run"},
    {TEXT(holdout), "list of items that are never trained on; empty: none"},
    {INTEGER(holdout_draw), "hold out this many items of the label set, by seed", RANGE(0, 1e9)},

    {CHOICE(draw), "an item's target: mean of its rows, one row or one class each time",
     .choices = draws},
    {REAL(smooth), "label smoothing: share spread over all classes", RANGE(0, 1)},
    {BOOLEAN(smooth_all), "smooth every item, not only those of the label set"},
    {REAL(teacher_share), "share of the teacher's distribution in the target", RANGE(0, 1)},
    {REAL(temperature), "temperature of the teacher's softmax", RANGE(1e-3, 1e3)},

    {TEXT(method), "what is done with a batch: plain, mixup, ..."},
    {CHOICE(reduction), "reduction of the losses of a batch", .choices = reductions},
    {REAL(alpha), "shares of mixed images come from Beta(alpha, alpha)", RANGE(0, 1e3)},
    {REAL(kappa), "least weight of an item in ent-wc", RANGE(0, 1)},
    {BOOLEAN(detach), "ent-wc: no gradient through the entropy"},
    {REAL(eta), "weight of the entropy in mix-maxent", RANGE(0, 1e3)},
    {CHOICE(crowd), "parameters of a crowd layer for each annotator", .choices = crowds},
    {BOOLEAN(crowd_on_logits), "crowd layer on logits instead of on probabilities"},
    {BOOLEAN(crowd_masked_mean), "crowd layer: annotators without an answer count in the mean"},

    {CHOICE(optimiser), "the optimiser", .choices = optimisers},
    {REAL(rate), "learning rate at the start", RANGE(0, 1e3)},
    {REAL(momentum), "momentum of sgd", RANGE(0, NEARLY_ONE)},
    {REAL(weight_decay), "weight decay: this times the weights is added to the gradient",
     RANGE(0, 1e3)},
    {REAL(beta1), "decay of the first moments of adam and radam", RANGE(0, NEARLY_ONE)},
    {REAL(beta2), "decay of the second moments of adam and radam", RANGE(0, NEARLY_ONE)},
    {REAL(epsilon), "added to the divisor of adam and radam", RANGE(1e-30, 1)},
    {BOOLEAN(nesterov), "Nesterov's momentum"},
    {REAL(clip), "largest norm of the gradient; 0: no clipping", RANGE(0, 1e9)},
    {CHOICE(schedule), "how the rate changes; segments also reset the optimiser",
     .choices = schedules},
    {REALS(milestones), "epochs, from 0, at which the rate changes", RANGE(1, MOST_EPOCHS)},
    {REALS(factors), "factor of the rate at each milestone", RANGE(1e-12, 1e3)},
    {REAL(cosine_epochs), "epochs of the whole cosine; 0: epochs", RANGE(0, MOST_EPOCHS)},

    {CHOICE(select), "the weights that are kept", .choices = selections},
    {TEXT(dev), "data set to choose by; held-out: the fold; empty: the caller's"},
    {INTEGER(dev_count), "items of dev to use, drawn by seed; 0: all", RANGE(0, 1e9)},
    {CHOICE(dev_metric), "score that chooses the best epoch on the dev set",
     .choices = dev_metrics},
    {INTEGER(patience), "epochs without a better score; 0: never stop", RANGE(0, MOST_EPOCHS)},
    {.name = NULL},
};

struct sl_recipe sl_recipe_default(void)
{
    return (struct sl_recipe){
        .variant = "as-run",
        .epochs = 10,
        .batch = 32,
        .shuffle = true,
        .temperature = 1,
        .method = "plain",
        .alpha = 1,
        .kappa = .7,
        .eta = 1,
        .rate = .1,
        .momentum = .9,
        .beta1 = .9,
        .beta2 = .999,
        .epsilon = 1e-8,
    };
}

const char **sl_recipe_key_names(const char *const *more)
{
    size_t count = sizeof sl_recipe_keys / sizeof *sl_recipe_keys;
    for (size_t i = 0; more && more[i]; i++)
        count++;
    const char **names = sl_alloc(count, sizeof *names);
    size_t filled = 0;
    for (const struct sl_field_row *key = sl_recipe_keys; key->name; key++)
        names[filled++] = key->name;
    for (size_t i = 0; more && more[i]; i++)
        names[filled++] = more[i];
    return names;
}

const struct sl_field_row *sl_recipe_key_find(const char *name)
{
    const struct sl_fields fields = {sl_recipe_keys, sizeof(struct sl_recipe)};
    return sl_fields_find(&fields, name);
}

enum sl_status sl_recipe_key_parse(const struct sl_field_row *key, const char *text,
                                   struct sl_recipe *recipe, struct sl_error *err)
{
    struct sl_error problem;
    if (sl_field_set(key, text, recipe, &problem) == SL_OK) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s: %s", key->name, problem.message);
}
