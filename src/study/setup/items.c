/* The items of a study, from a folder of images, a file of texts or a folder of mixtures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/label/mixing.h"
#include "study/setup/setup.h"

static struct sl_setup_item *add_item(struct sl_setup_plan *plan)
{
    if (plan->n_items == plan->capacity) {
        plan->capacity = plan->capacity ? 2 * plan->capacity : 64;
        plan->items = sl_resize(plan->items, plan->capacity, sizeof *plan->items);
    }
    plan->items[plan->n_items] = (struct sl_setup_item){.entropy = (double)NAN};
    return &plan->items[plan->n_items++];
}

void sl_setup_plan_release(struct sl_setup_plan *plan)
{
    for (size_t i = 0; i < plan->n_items; i++) {
        free(plan->items[i].id);
        json_decref(plan->items[i].content);
        free(plan->items[i].truth);
        free(plan->items[i].source);
        free(plan->items[i].target);
    }
    free(plan->items);
    for (size_t b = 0; b < plan->n_batches; b++)
        free(plan->batches[b].items);
    free(plan->batches);
    sl_dataset_destroy(plan->set);
    sl_study_destroy(plan->study);
}

/* ---- Classes ---- */

/* Splits "a, b,c" into the study's classes, without the blanks around names. */
static void classes_of_text(struct sl_study *study, const char *text)
{
    char **names = NULL;
    size_t count = 0;
    for (const char *at = text; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        size_t skip = strspn(at, " "), length = strcspn(at + skip, ",");
        while (length > 0 && at[skip + length - 1] == ' ')
            length--;
        names = sl_resize(names, count + 2, sizeof *names);
        names[count++] = sl_string_copy_n(at + skip, length);
        names[count] = NULL;
    }
    sl_study_set_texts(&study->classes, &study->n_classes, (const char *const *)names, count);
    sl_names_destroy(names);
}

/* Checked here, since an error of study.json would name a line of a file that is not kept. */
static enum sl_status check_classes(const struct sl_study *study, const char *where,
                                    struct sl_error *err)
{
    for (size_t k = 0; k < study->n_classes; k++) {
        if (!study->classes[k][0])
            return sl_fail(err, SL_ERR_INPUT, "%s: class %zu of %zu has no name", where, k + 1,
                           study->n_classes);
        for (size_t other = 0; other < k; other++)
            if (strcmp(study->classes[k], study->classes[other]) == 0)
                return sl_fail(err, SL_ERR_INPUT,
                               "%s: class \"%s\" is named twice; name every class once", where,
                               study->classes[k]);
    }
    return SL_OK;
}

static enum sl_status take_classes(struct sl_setup_plan *plan, char *const *found, size_t n_found,
                                   struct sl_error *err)
{
    struct sl_study *study = plan->study;
    if (plan->setup->classes)
        classes_of_text(study, plan->setup->classes);
    else if (n_found > 0)
        sl_study_set_texts(&study->classes, &study->n_classes, (const char *const *)found, n_found);
    else
        return sl_fail(err, SL_ERR_USAGE,
                       "the items have no classes: name the classes, such as --classes a,b");
    if (study->n_classes < 2)
        return sl_fail(err, SL_ERR_INPUT,
                       "a study needs at least two classes, but there is %zu; name them, such as "
                       "--classes a,b",
                       study->n_classes);
    return check_classes(study, plan->setup->classes ? "--classes" : "the items", err);
}

/* The study's own spelling of a class: a data set's "airplane" may be its "Airplane". */
static enum sl_status find_class(const struct sl_study *study, const char *name, const char *where,
                                 const char **found, struct sl_error *err)
{
    for (size_t k = 0; k < study->n_classes; k++) {
        *found = study->classes[k];
        if (strcmp(study->classes[k], name) == 0) return SL_OK;
    }
    for (size_t k = 0; k < study->n_classes; k++) {
        *found = study->classes[k];
        if (strcasecmp(study->classes[k], name) == 0) return SL_OK;
    }
    char **names = sl_alloc(study->n_classes + 1, sizeof *names);
    memcpy(names, study->classes, study->n_classes * sizeof *names);
    char ending[SL_SUGGESTION_TEXT];
    sl_fail(err, SL_ERR_INPUT, "%s: \"%s\" is not one of the %zu classes%s", where, name,
            study->n_classes, sl_text_suggestion(name, (const char *const *)names, "", ending));
    free(names);
    return SL_ERR_INPUT;
}

static enum sl_status set_truth(const struct sl_setup_plan *plan, struct sl_setup_item *item,
                                const char *name, const char *where, struct sl_error *err)
{
    const char *found = NULL;
    SL_TRY(find_class(plan->study, name, where, &found, err));
    item->truth = sl_string_copy(found);
    return SL_OK;
}

static enum sl_status open_set(const struct sl_setup_plan *plan, const char *name,
                               struct sl_dataset **out, struct sl_error *err)
{
    const struct sl_data_roots here = {.folder = "."};
    struct sl_dataset *set = NULL;
    SL_TRY(sl_dataset_open(name, plan->setup->roots ? plan->setup->roots : &here, &set, err));
    const enum sl_status status =
        plan->setup->skip_broken ? sl_dataset_skip_broken(set, err) : SL_OK;
    sl_dataset_tell(set, plan->log);
    if (status == SL_OK)
        *out = set;
    else
        sl_dataset_destroy(set);
    return status;
}

/* ---- Images ---- */

/* The name of the copy: the path below the source folder, or the id of pixels in memory. */
static char *target_name(const struct sl_dataset *set, size_t index)
{
    if (!set->files) return sl_string_printf("%s.png", set->items[index]);
    const char *file = sl_path_name(set->files[index]);
    const char *slash = strrchr(set->items[index], '/');
    if (!slash) return sl_string_copy(file);
    return sl_string_printf("%.*s/%s", (int)(slash - set->items[index]), set->items[index], file);
}

/* Obvious items and exercises have folders of their own beside the items that are judged. */
static const char CHECKS[] = "checks/", TRAINING[] = "training/";

/* `folder` is "" for the items themselves. */
static enum sl_status add_image(struct sl_setup_plan *plan, const struct sl_dataset *set,
                                size_t index, const char *folder, struct sl_error *err)
{
    struct sl_setup_item *item = add_item(plan);
    char *target = target_name(set, index);
    item->check = *folder != '\0';
    item->index = index;
    item->id = sl_string_printf("%s%s", folder, set->items[index]);
    item->target = sl_string_printf("%s%s", folder, target);
    free(target);
    if (set->files) item->source = sl_string_copy(set->files[index]);
    item->content = json_pack("{s:s}", "image", item->target);
    if (!item->content)
        return sl_fail(err, SL_ERR_INPUT, "%s: an item's name is not UTF-8", set->name);
    if (folder == TRAINING) json_object_set_new(item->content, "training", json_true());
    if (set->labels[index] == SL_NO_LABEL) return SL_OK;
    return set_truth(plan, item, set->classes[set->labels[index]], set->name, err);
}

static enum sl_status gather_images(struct sl_setup_plan *plan, struct sl_error *err)
{
    plan->study->kind = SL_ITEM_IMAGES;
    SL_TRY(open_set(plan, plan->setup->images, &plan->set, err));
    if (sl_dataset_kind_of(plan->set) != SL_DATASET_IMAGES)
        return sl_fail(err, SL_ERR_INPUT, "%s contains %s, not images", plan->set->name,
                       sl_dataset_unit(plan->set));
    SL_TRY(take_classes(plan, plan->set->classes, plan->set->n_classes, err));
    for (size_t i = 0; i < plan->set->count; i++)
        SL_TRY(add_image(plan, plan->set, i, "", err));
    return SL_OK;
}

static enum sl_status gather_checks(struct sl_setup_plan *plan, struct sl_error *err)
{
    struct sl_dataset *set = NULL;
    if (plan->study->kind == SL_ITEM_TEXTS)
        return sl_fail(err, SL_ERR_USAGE,
                       "obvious images cannot be shown among texts; leave out --checks");
    SL_TRY(open_set(plan, plan->setup->checks, &set, err));
    enum sl_status status = SL_OK;
    if (!set->files || set->n_classes == 0)
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s: obvious images need one sub-folder per class, which says what they "
                         "show",
                         plan->setup->checks);
    for (size_t i = 0; status == SL_OK && i < set->count; i++)
        status = add_image(plan, set, i, CHECKS, err);
    sl_dataset_destroy(set);
    return status;
}

/* ---- Texts ---- */

/* The CR of a CRLF, which pages do not need. */
static bool is_dropped(const char *at)
{
    return at[0] == '\r' && at[1] == '\n';
}

/* Spans count bytes in files and characters on pages. */
static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80 && !is_dropped(&text[i]);
    return count;
}

/* The text with every line break as LF. A heap string. */
static char *with_line_feeds(const char *text)
{
    char *copy = sl_string_copy(text), *to = copy;
    for (const char *from = text; *from; from++)
        if (!is_dropped(from)) *to++ = (char)(*from == '\r' ? '\n' : *from);
    *to = '\0';
    return copy;
}

static json_t *text_content(const struct sl_dataset *set, size_t index)
{
    const char *text = set->texts[index];
    char *shown = with_line_feeds(text);
    json_t *content = json_pack("{s:s}", "text", shown);
    free(shown);
    if (content && set->spans && set->spans[index].end > set->spans[index].begin)
        json_object_set_new(content, "span",
                            json_pack("[I, I]",
                                      (json_int_t)characters(text, set->spans[index].begin),
                                      (json_int_t)characters(text, set->spans[index].end)));
    return content;
}

static enum sl_status add_text(struct sl_setup_plan *plan, const struct sl_dataset *set,
                               size_t index, const char *folder, struct sl_error *err)
{
    struct sl_setup_item *item = add_item(plan);
    item->check = *folder != '\0';
    item->id = sl_string_printf("%s%s", folder, set->items[index]);
    item->content = text_content(set, index);
    if (!item->content)
        return sl_fail(err, SL_ERR_INPUT, "%s: item %s is not UTF-8", set->name, item->id);
    if (folder == TRAINING) json_object_set_new(item->content, "training", json_true());
    if (set->labels[index] == SL_NO_LABEL) return SL_OK;
    return set_truth(plan, item, set->classes[set->labels[index]], set->name, err);
}

static enum sl_status gather_texts(struct sl_setup_plan *plan, struct sl_error *err)
{
    plan->study->kind = SL_ITEM_TEXTS;
    SL_TRY(open_set(plan, plan->setup->texts, &plan->set, err));
    const struct sl_dataset *set = plan->set;
    if (sl_dataset_kind_of(set) != SL_DATASET_TEXTS)
        return sl_fail(err, SL_ERR_INPUT, "%s contains %s, not texts", set->name,
                       sl_dataset_unit(set));
    SL_TRY(take_classes(plan, set->classes, set->n_classes, err));
    for (size_t i = 0; i < set->count; i++)
        SL_TRY(add_text(plan, set, i, "", err));
    /* A named data set is not one file; like all texts, its texts are in the database. */
    if (sl_file_exists(plan->setup->texts))
        sl_study_set_text(&plan->study->items_file, "items.tsv");
    return SL_OK;
}

/* ---- Exercises ---- */

static enum sl_status add_exercises(struct sl_setup_plan *plan, const struct sl_dataset *set,
                                    struct sl_error *err)
{
    const bool texts = plan->study->kind == SL_ITEM_TEXTS;
    if (texts ? sl_dataset_kind_of(set) != SL_DATASET_TEXTS : !set->files)
        return sl_fail(err, SL_ERR_INPUT, "%s: exercises must be %s, like the items", set->name,
                       texts ? "texts" : "a folder of images");
    for (size_t i = 0; i < set->count; i++) {
        if (set->n_classes == 0 || set->labels[i] == SL_NO_LABEL)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: exercise %s has no class; every exercise needs one, as the name of "
                           "its folder or in a column label",
                           set->name, set->items[i]);
        SL_TRY(texts ? add_text(plan, set, i, TRAINING, err)
                     : add_image(plan, set, i, TRAINING, err));
    }
    return SL_OK;
}

static enum sl_status gather_training(struct sl_setup_plan *plan, struct sl_error *err)
{
    enum { USUAL = 10 };
    struct sl_dataset *set = NULL;
    SL_TRY(open_set(plan, plan->setup->training, &set, err));
    enum sl_status status = add_exercises(plan, set, err);
    plan->study->training_trials = set->count < USUAL ? set->count : USUAL;
    sl_dataset_destroy(set);
    return status;
}

/* ---- Mixtures ---- */

/* The mixed classes, from the entry of a batches file or from the picture's name. */
static json_t *mixture_content(const json_t *entry, const char *file)
{
    const char *first = json_string_value(json_object_get(entry, "label1"));
    const char *second = json_string_value(json_object_get(entry, "label2"));
    const json_t *share = json_object_get(entry, "mixtureCoeff");
    struct sl_mixed_name name;
    if (!share) share = json_object_get(entry, "mixture_coeff");
    bool named = sl_mixed_name_parse(file, strlen(file), &name);
    if ((!first || !second) && !named) return NULL;
    json_t *content =
        first && second
            ? json_pack("{s:s, s:[s, s]}", "image", file, "endpoints", first, second)
            : json_pack("{s:s, s:[s%, s%]}", "image", file, "endpoints", name.class_a.text,
                        name.class_a.length, name.class_b.text, name.class_b.length);
    if (content && (json_is_number(share) || named))
        json_object_set_new(
            content, "lambda",
            json_real(json_is_number(share) ? json_number_value(share) : name.lambda));
    return content;
}

/* `entry` is NULL if there is only the picture; `where` names the source in errors. */
static enum sl_status add_mixture(struct sl_setup_plan *plan, const char *where,
                                  const json_t *entry, const char *file, struct sl_error *err)
{
    if (!file || strchr(file, '/'))
        return sl_fail(err, SL_ERR_INPUT, "%s: every item needs a \"filename\" without folders",
                       where);
    for (size_t i = 0; i < plan->n_items; i++)
        if (strcmp(plan->items[i].id, file) == 0) return SL_OK;
    json_t *content = mixture_content(entry, file);
    if (!content)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the classes mixed in %s are unknown: give \"label1\" and \"label2\", "
                       "or a file name as softlab dataset mix makes it",
                       where, file);
    struct sl_setup_item *item = add_item(plan);
    item->id = sl_string_copy(file);
    item->target = sl_string_copy(file);
    item->source = sl_path_join(plan->setup->mixtures, file);
    item->content = content;
    return SL_OK;
}

static enum sl_status add_mixtures(struct sl_setup_plan *plan, const char *where,
                                   const json_t *batches, struct sl_error *err)
{
    json_t *object = NULL, *list = NULL;
    const char *key = NULL;
    memcpy(&object, &batches, sizeof object);
    json_object_foreach(object, key, list)
    {
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *entry = json_array_get(list, i);
            SL_TRY(add_mixture(plan, where, entry,
                               json_string_value(json_object_get(entry, "filename")), err));
        }
    }
    return SL_OK;
}

/* A folder without a batches file: every picture whose name says what was mixed. */
static enum sl_status add_named_mixtures(struct sl_setup_plan *plan, struct sl_error *err)
{
    const char *folder = plan->setup->mixtures;
    char **names = NULL;
    size_t count = 0;
    SL_TRY(sl_folder_list(folder, &names, &count, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; status == SL_OK && i < count; i++) {
        struct sl_mixed_name name;
        if (sl_mixed_name_parse(names[i], strlen(names[i]), &name))
            status = add_mixture(plan, folder, NULL, names[i], err);
    }
    sl_names_destroy(names);
    if (status == SL_OK && plan->n_items == 0)
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s has neither batches.json nor images whose names say what was mixed",
                         folder);
    return status;
}

/* The endpoints' classes, in order of appearance; the endpoints get the study's spelling. */
static enum sl_status mixture_classes(struct sl_setup_plan *plan, struct sl_error *err)
{
    char **found = sl_alloc(2 * plan->n_items + 1, sizeof *found);
    size_t count = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < 2 * plan->n_items; i++) {
        const json_t *ends = json_object_get(plan->items[i / 2].content, "endpoints");
        const char *name = json_string_value(json_array_get(ends, i % 2));
        size_t k = 0;
        while (k < count && strcmp(found[k], name) != 0)
            k++;
        if (k == count) found[count++] = sl_string_copy(name);
    }
    SL_TRY_OUT(take_classes(plan, found, count, err));
    for (size_t i = 0; i < 2 * plan->n_items; i++) {
        json_t *ends = json_object_get(plan->items[i / 2].content, "endpoints");
        const char *spelling = NULL;
        SL_TRY_OUT(find_class(plan->study, json_string_value(json_array_get(ends, i % 2)),
                              plan->setup->mixtures, &spelling, err));
        json_array_set_new(ends, i % 2, json_string(spelling));
    }
out:
    sl_names_destroy(found);
    return status;
}

static enum sl_status gather_mixtures(struct sl_setup_plan *plan, struct sl_error *err)
{
    struct sl_setup_layout layout = {0};
    char *path = sl_setup_batches_path(plan->setup);
    plan->study->kind = SL_ITEM_MIXTURES;
    /* As in the thesis, mixed images are not smoothed. */
    sl_study_set_text(&plan->study->upsample, "none");
    enum sl_status status;
    if (path) {
        SL_TRY_OUT(sl_setup_layout_read(path, &layout, err));
        SL_TRY_OUT(add_mixtures(plan, path, layout.batches, err));
    } else {
        SL_TRY_OUT(add_named_mixtures(plan, err));
    }
    SL_TRY_OUT(mixture_classes(plan, err));
out:
    if (path && layout.batches) sl_setup_layout_release(&layout);
    free(path);
    return status;
}

enum sl_status sl_setup_gather(struct sl_setup_plan *plan, struct sl_error *err)
{
    const struct sl_study_setup *setup = plan->setup;
    int sources = (setup->images != NULL) + (setup->texts != NULL) + (setup->mixtures != NULL);
    if (sources != 1)
        return sl_fail(err, SL_ERR_USAGE,
                       "say what people are asked about, with one of --images, --texts and "
                       "--mixtures; %s",
                       sources ? "several were given" : "none was given");
    SL_TRY(setup->images  ? gather_images(plan, err)
           : setup->texts ? gather_texts(plan, err)
                          : gather_mixtures(plan, err));
    if (plan->n_items == 0)
        return sl_fail(err, SL_ERR_INPUT, "there are no items: give a source that has some");
    if (setup->checks) SL_TRY(gather_checks(plan, err));
    return setup->training ? gather_training(plan, err) : SL_OK;
}
