/* Matches the classes of items and of their labels with those of a network. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/pipeline/items.h"

enum { LISTED = 200 }; /* bytes of names in a warning */

static void warn_of_numbers(const struct sl_workplace *workplace, const struct sl_class_list *own,
                            const struct sl_class_list *network)
{
    sl_log(
        workplace->log, SL_LOG_WARNING,
        "%s: its class \"%s\" is taken as \"%s\" of %s, and so on by number: only one of the two "
        "names its classes",
        own->owner, own->names[0], network->names[0], network->owner);
}

enum sl_status sl_feeding_match(const struct sl_workplace *workplace,
                                const struct sl_class_list *network, struct sl_feeding *feeding,
                                struct sl_error *err)
{
    struct sl_dataset *dataset = feeding->dataset;
    const struct sl_class_list own = {dataset->name, dataset->classes, dataset->n_classes};
    size_t *columns = sl_alloc(own.count + 1, sizeof *columns);
    enum sl_class_matching how;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_classes_match(&own, network, columns, &how, err));
    if (how == SL_CLASSES_BY_NUMBER) warn_of_numbers(workplace, &own, network);
    SL_TRY_OUT(sl_dataset_set_classes(dataset, columns, network->names, network->count, err));
    feeding->n_own = own.count;
    free(feeding->columns);
    feeding->columns = columns;
    columns = NULL;
out:
    free(columns);
    return status;
}

/* Weights without class names, such as those exported from PyTorch. */
static enum sl_status match_unnamed(const struct sl_workplace *workplace,
                                    const struct sl_model *model, const struct sl_dataset *dataset,
                                    struct sl_error *err)
{
    static const char remedy[] = "name them with softlab export --class-names";
    const size_t count = sl_model_classes(model);
    char names[LISTED];
    /* A single folder of images says nothing about classes, so it cannot contradict the network. */
    if (dataset->n_classes > 1 && dataset->n_classes != count)
        return sl_fail(err, SL_ERR_INPUT, "%s has %zu classes, the network %zu without names; %s",
                       dataset->name, dataset->n_classes, count, remedy);
    if (dataset->n_classes != count)
        sl_log(workplace->log, SL_LOG_WARNING,
               "the weights do not name their classes, and %s has none: classes are numbered; %s",
               dataset->name, remedy);
    else
        sl_log(workplace->log, SL_LOG_WARNING,
               "the weights do not name their classes: the order of %s is assumed (%s); %s",
               dataset->name, sl_classes_text(dataset->classes, count, names, sizeof names),
               remedy);
    return SL_OK;
}

enum sl_status sl_feeding_match_model(const struct sl_workplace *workplace,
                                      const struct sl_model *model, struct sl_feeding *feeding,
                                      struct sl_error *err)
{
    const struct sl_class_list network = {"the network", sl_model_class_names(model),
                                          sl_model_classes(model)};
    if (!network.names) return match_unnamed(workplace, model, feeding->dataset, err);
    return sl_feeding_match(workplace, &network, feeding, err);
}

/* The network's class of each column of rows that name their classes. The rows must have every
 * class that the items may have. */
static enum sl_status match_named(const struct sl_workplace *workplace,
                                  const struct sl_feeding *feeding,
                                  const struct sl_class_list *labels, size_t *columns,
                                  struct sl_error *err)
{
    const struct sl_dataset *dataset = feeding->dataset;
    const struct sl_class_list network = {"the network", dataset->classes, dataset->n_classes};
    enum sl_class_matching how;
    SL_TRY(sl_classes_match(labels, &network, columns, &how, err));
    if (how == SL_CLASSES_BY_NUMBER) warn_of_numbers(workplace, labels, &network);
    for (size_t own = 0; own < feeding->n_own; own++) {
        size_t k = 0;
        while (k < labels->count && columns[k] != feeding->columns[own])
            k++;
        if (k == labels->count)
            return sl_fail(err, SL_ERR_INPUT, "%s: no class \"%.60s\", which %s has", labels->owner,
                           dataset->classes[feeding->columns[own]], dataset->name);
    }
    return SL_OK;
}

/* The network's class of each column of rows without class names: the set's own classes in their
 * own order. */
static enum sl_status match_in_order(const struct sl_workplace *workplace,
                                     const struct sl_feeding *feeding,
                                     const struct sl_class_list *labels, size_t *columns,
                                     struct sl_error *err)
{
    const struct sl_dataset *dataset = feeding->dataset;
    const bool own = feeding->n_own > 0;
    const size_t expected = own ? feeding->n_own : dataset->n_classes;
    char **names = sl_alloc(expected + 1, sizeof *names);
    for (size_t k = 0; k < expected; k++)
        names[k] = dataset->classes[own ? feeding->columns[k] : k];
    const struct sl_class_list like = {own ? dataset->name : "the network", names, expected};
    const enum sl_status status = sl_classes_pair(labels, &like, columns, err);
    if (status == SL_OK) sl_say_unnamed(workplace, labels, &like);
    for (size_t k = 0; status == SL_OK && k < expected; k++)
        columns[k] = own ? feeding->columns[k] : k;
    free(names);
    return status;
}

enum sl_status sl_feeding_labels(const struct sl_workplace *workplace,
                                 const struct sl_feeding *feeding, const char *path,
                                 struct sl_rows *rows, struct sl_error *err)
{
    const struct sl_dataset *dataset = feeding->dataset;
    const struct sl_class_list labels = {path, rows->classes, rows->n_classes};
    const struct sl_class_list classes = {dataset->name, dataset->classes, dataset->n_classes};
    if (classes.count == 0) return SL_OK;
    if (!feeding->columns) {
        const struct sl_class_list unnamed = {path, NULL, rows->n_classes};
        const bool named = rows->classes != NULL;
        SL_TRY(sl_rows_reorder(rows, path, &classes, err));
        if (!named) sl_say_unnamed(workplace, &unnamed, &classes);
        return SL_OK;
    }
    size_t *columns = sl_alloc(rows->n_classes + 1, sizeof *columns);
    enum sl_status status = SL_OK;
    if (rows->classes)
        SL_TRY_OUT(match_named(workplace, feeding, &labels, columns, err));
    else
        SL_TRY_OUT(match_in_order(workplace, feeding, &labels, columns, err));
    SL_TRY_OUT(sl_rows_spread(rows, columns, dataset->classes, dataset->n_classes, err));
out:
    free(columns);
    return status;
}
