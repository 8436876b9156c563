/* The named data sets. Public ones must have been fetched; `shapes` is generated. */
#include <stdlib.h>

#include "dataset/readers/named.h"
#include "dataset/readers/reader.h"
#include "softlab/base/text.h"

static enum sl_status open_cifar10(const char *split, const struct sl_data_roots *roots,
                                   struct sl_dataset **out, struct sl_error *err)
{
    char *folder = NULL;
    SL_TRY(sl_fetch_locate("cifar10", roots, &folder, err));
    enum sl_status status = sl_reader_cifar.open(folder, split, out, err);
    free(folder);
    return status;
}

static enum sl_status open_fashion_mnist(const char *split, const struct sl_data_roots *roots,
                                         struct sl_dataset **out, struct sl_error *err)
{
    static const char *const classes[] = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                                          "Coat",        "Sandal",    "Shirt",    "Sneaker",
                                          "Bag",         "Ankle boot"};
    enum { N_CLASSES = sizeof classes / sizeof *classes };
    char *folder = NULL;
    struct sl_dataset *dataset = NULL;
    enum sl_status status;
    SL_TRY_OUT(sl_fetch_locate("fashion-mnist", roots, &folder, err));
    SL_TRY_OUT(sl_reader_idx.open(folder, split, &dataset, err));
    if (dataset->n_classes != N_CLASSES) {
        status =
            sl_fail(err, SL_ERR_INPUT, "%s: the labels name %zu class%s, expected %d", folder,
                    dataset->n_classes, sl_text_plural(dataset->n_classes, "", "es"), N_CLASSES);
        goto out;
    }
    sl_dataset_name_classes(dataset, classes, N_CLASSES);
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    free(folder);
    return status;
}

static enum sl_status open_shapes(const char *text, const struct sl_data_roots *roots,
                                  struct sl_dataset **out, struct sl_error *err)
{
    (void)roots;
    struct sl_shapes_options options;
    SL_TRY(sl_shapes_options_parse(text, &options, err));
    return sl_shapes_create(&options, out, err);
}

const struct sl_named_dataset sl_named_datasets[] = {
    {"cifar10", "CIFAR-10: photographs of ten classes, 32 x 32", "test, train", open_cifar10},
    {"cifar10.1-v4", "CIFAR-10.1 v4: a second test set for CIFAR-10", NULL, sl_open_cifar10_1_v4},
    {"cifar10.1-v6", "CIFAR-10.1 v6: a second test set for CIFAR-10, with balanced classes", NULL,
     sl_open_cifar10_1_v6},
    {"cifar10-c", "CIFAR-10-C: the corrupted test set; name one: cifar10-c:fog or cifar10-c:fog-3",
     NULL, sl_open_cifar10_c},
    {"cinic10", "CINIC-10: the ten classes from CIFAR-10 and ImageNet, 32 x 32",
     "test, train, valid", sl_open_cinic10},
    {"cinic10_sample", "CINIC-10: 1,532 of its images that come from ImageNet", NULL,
     sl_open_cinic10_sample},
    {"fashion-mnist", "Fashion-MNIST: clothes of ten classes, 28 x 28 grey", "test, train",
     open_fashion_mnist},
    {"labelme", "LabelMe: scenes of eight classes as 512 features of VGG-16", "test, train, valid",
     sl_open_labelme},
    {"pos", "words of tweets in their sentences, with universal part-of-speech tags",
     "test, train, dev, soft-test", sl_open_pos},
    {"shapes",
     "drawn shapes whose label distributions are known, as shapes:n=500,seed=3; options: n, size, "
     "classes, ambiguous, noise, seed",
     NULL, open_shapes},
    {NULL, NULL, NULL, NULL},
};
