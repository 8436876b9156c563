#include "softlab/pipeline/workplace.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/text.h"

enum { LISTED = 200 }; /* bytes of names in a warning */

const char *sl_workplace_shown(const struct sl_workplace *workplace, const char *path)
{
    return workplace->shown ? workplace->shown(workplace->context, path) : path;
}

enum sl_status sl_workplace_open(const struct sl_workplace *workplace, const char *name,
                                 struct sl_dataset **out, struct sl_error *err)
{
    SL_TRY(sl_dataset_open(name, &workplace->roots, out, err));
    sl_dataset_tell(*out, workplace->log);
    return SL_OK;
}

static enum sl_status choose_items(struct sl_dataset *set, const char *split, struct sl_error *err)
{
    size_t *indices = NULL, count = 0;
    SL_TRY(sl_split_read(split, set->count, &indices, &count, err));
    const enum sl_status status = sl_dataset_select(set, indices, count, err);
    free(indices);
    return status;
}

enum sl_status sl_workplace_open_split(const struct sl_workplace *workplace, const char *name,
                                       const char *split, struct sl_dataset **out,
                                       struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    SL_TRY(sl_workplace_open(workplace, name, &set, err));
    const enum sl_status status = split ? choose_items(set, split, err) : SL_OK;
    if (status == SL_OK)
        *out = set;
    else
        sl_dataset_destroy(set);
    return status;
}

void sl_say_rescaled(const struct sl_workplace *workplace, const char *path,
                     const struct sl_rows *rows)
{
    if (rows && rows->n_rescaled)
        sl_log(workplace->log, SL_LOG_INFO,
               "%s: %zu of %zu row%s %s off 1 by rounding and scaled to it",
               sl_workplace_shown(workplace, path), rows->n_rescaled, rows->n_rows,
               sl_text_plural(rows->n_rows, "", "s"),
               sl_text_plural(rows->n_rescaled, "was", "were"));
}

void sl_say_ties(const struct sl_workplace *workplace, const char *what, size_t n_tied,
                 size_t n_items, char *const *classes)
{
    if (n_tied)
        sl_log(workplace->log, SL_LOG_WARNING,
               "%s: %zu of %zu item%s %s several most probable classes; the last of them %s counts "
               "as the first choice",
               what, n_tied, n_items, sl_text_plural(n_items, "", "s"),
               sl_text_plural(n_tied, "has", "have"),
               classes ? "by name" : "in the order of columns");
}

/* Whether this file is mentioned for the first time. */
static bool is_news(const struct sl_workplace *workplace, const char *path)
{
    uint32_t number;
    if (!workplace->unnamed) return true;
    const size_t before = sl_name_table_count(workplace->unnamed);
    return sl_name_table_add(workplace->unnamed, path, strlen(path), &number, NULL) != SL_OK ||
           number == before;
}

void sl_say_unnamed(const struct sl_workplace *workplace, const struct sl_class_list *a,
                    const struct sl_class_list *b)
{
    static const char remedy[] =
        "name them in the header of a CSV or in the array \"classes\" of an .npz";
    const struct sl_class_list *own = a->names ? b : a, *other = own == a ? b : a;
    if (strcmp(a->owner, b->owner) == 0) return; /* a file agrees with itself */
    const bool is_new = !own->names && is_news(workplace, own->owner);
    const bool is_other_new = !other->names && is_news(workplace, other->owner);
    char names[LISTED];
    if (!is_new && !is_other_new) return;
    if (other->names)
        sl_log(workplace->log, SL_LOG_WARNING,
               "%s does not name its classes: they are taken in the order of %s (%s); %s",
               sl_workplace_shown(workplace, own->owner),
               sl_workplace_shown(workplace, other->owner),
               sl_classes_text(other->names, other->count, names, sizeof names), remedy);
    else
        sl_log(workplace->log, SL_LOG_WARNING,
               "neither %s nor %s names its classes: class k of one is taken as class k of the "
               "other; %s",
               sl_workplace_shown(workplace, own->owner),
               sl_workplace_shown(workplace, other->owner), remedy);
}
