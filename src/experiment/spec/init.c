/* Writes a first specification: the data to train and test on. Everything else keeps its default.
 */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "experiment/spec/spec_internal.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/dataset.h"

/* Images that are larger or differ in size are resized to this, since networks that train in
 * minutes need small images. */
static const char size_text[] = "32x32";
enum { LARGEST_SIDE = 64 };

/* ---- Training and test data ---- */

struct halves {
    char *train; /* owned */
    char *test;  /* owned; NULL: the items that the training share leaves */
};

static void halves_release(struct halves *halves)
{
    free(halves->train);
    free(halves->test);
}

/* True if a list like "test, train" has the word. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strspn(at, ", ")) {
        const size_t here = strcspn(at, ",");
        if (here == length && strncmp(at, word, length) == 0) return true;
        at += here;
    }
    return false;
}

/* The parts of a set that was named without one ("train, val"); NULL if it has none. */
static const char *parts_of(const struct sl_dataset *dataset, const char *data)
{
    if (dataset->parts) return dataset->parts;
    for (const struct sl_named_dataset *set = sl_named_datasets; set->name; set++)
        if (strcmp(set->name, data) == 0) return set->splits;
    return NULL;
}

/* "photos" of "photos/"; the caller frees it. */
static char *without_slash(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return sl_string_copy_n(path, length);
}

/* The path of the data set as seen from the specification in `folder`; the caller frees it. */
static char *place_of(const char *data, const char *folder)
{
    if (sl_plan_names_data(data)) return sl_string_copy(data);
    char *plain = without_slash(data), *inside = without_slash(folder);
    char *whole = sl_path_absolute(plain), *beside = sl_path_absolute(inside);
    free(plain);
    free(inside);
    const size_t length = strlen(beside);
    const bool below = strncmp(whole, beside, length) == 0 && whole[length] == '/';
    char *place =
        below ? sl_string_printf(SL_BESIDE_SPEC "%s", whole + length + 1) : sl_string_copy(whole);
    free(whole);
    free(beside);
    return place;
}

static struct halves halves_of(const struct sl_dataset *dataset, const struct sl_spec_init *init)
{
    static const char *const tests[] = {"test", "val", "valid", "dev"};
    const char *parts = parts_of(dataset, init->data), *test = NULL;
    char *place = place_of(init->data, init->folder);
    for (size_t i = 0; i < sizeof tests / sizeof *tests && !test; i++)
        if (lists(parts, tests[i])) test = tests[i];
    if (!test || !lists(parts, "train")) return (struct halves){place, NULL};
    const struct halves halves = {sl_string_printf("%s:train", place),
                                  sl_string_printf("%s:%s", place, test)};
    free(place);
    return halves;
}

static bool needs_size(const struct sl_dataset *dataset)
{
    struct sl_image first = {0}, image;
    for (size_t i = 0; dataset->files && i < dataset->count; i++) {
        if (sl_image_peek(dataset->files[i], &image, NULL) != SL_OK) continue;
        if (first.height == 0) first = image;
        if (image.height != first.height || image.width != first.width) return true;
    }
    return first.height > LARGEST_SIDE || first.width > LARGEST_SIDE;
}

/* ---- The document ---- */

static json_t *sets_json(const struct sl_spec_init *init)
{
    json_t *sets = json_pack("{s:{}}", "hard");
    if (!init->answers) return sets;
    char *answers = place_of(init->answers, init->folder);
    json_object_set_new(sets, "votes", json_pack("{s:s, s:s}", "answers", answers, "method", "mv"));
    json_object_set_new(sets, "shares",
                        json_pack("{s:s, s:s}", "answers", answers, "method", "share"));
    free(answers);
    return sets;
}

/* "photos" of photos/, "images" of images.npy, "shapes" of shapes:n=500; the caller frees it. */
static char *name_of(const char *data)
{
    char *path = without_slash(data);
    const char *name = sl_path_name(path);
    const size_t length = strcspn(name, ".:");
    char *out = length > 0 ? sl_string_copy_n(name, length) : sl_string_copy("experiment");
    free(path);
    return out;
}

static json_t *document_of(const struct sl_dataset *dataset, const struct sl_spec_init *init)
{
    struct halves halves = halves_of(dataset, init);
    const char *network = dataset->features ? "mlp" : "resnet8";
    char *name = name_of(init->data);
    json_t *document = json_pack("{s:s, s:i, s:s, s:s}", "softlab", "experiment", "version", 1,
                                 "name", name, "data", halves.train);
    json_t *test = json_pack("{s:s}", "data", halves.test ? halves.test : halves.train);
    if (needs_size(dataset)) json_object_set_new(document, "size", json_string(size_text));
    if (!halves.test) {
        json_object_set_new(document, "split", json_string("share:0.8"));
        json_object_set_new(test, "split", json_string("rest"));
    }
    json_object_set_new(document, "sets", sets_json(init));
    json_object_set_new(document, "networks", json_pack("[s]", network));
    json_object_set_new(document, "tests", json_pack("{s:o}", "new", test));
    halves_release(&halves);
    free(name);
    return document;
}

/* ---- README.md ---- */

static void add_key(struct sl_buffer *out, const char *key)
{
    const struct sl_field_row *row = sl_fields_find(&sl_spec_fields, key);
    if (row) sl_buffer_printf(out, "| `%s` | %s |\n", key, row->help);
}

static enum sl_status write_readme(json_t *document, const char *folder, struct sl_error *err)
{
    static const char *const further[] = {"title", "recipe", "settings", "seeds", "references"};
    char *path = sl_path_join(folder, "README.md");
    struct sl_buffer text;
    const char *key;
    json_t *value;
    enum sl_status status = SL_OK;
    sl_buffer_init(&text, 1 << 16);
    sl_buffer_text(&text,
                   "# An experiment of softlab\n\nIn this folder:\n\n"
                   "    softlab run . --dry-run               # what would be trained, how "
                   "long it takes, what is wrong\n"
                   "    softlab run . -o results              # train and score every set "
                   "with every network and seed\n"
                   "    softlab report results -o report.html # means with 95 % intervals\n\n"
                   "Keys in `spec.json`:\n\n| key | meaning |\n| --- | --- |\n");
    json_object_foreach(document, key, value)
    {
        add_key(&text, key);
    }
    sl_buffer_text(&text, "\nKeys that may be added:\n\n| key | meaning |\n| --- | --- |\n");
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        add_key(&text, further[i]);
    sl_buffer_text(&text, "\n`experiments/README.md` in softlab lists all keys.\n");
    if (!sl_file_exists(path)) status = sl_file_write(path, text.data, text.length, err);
    sl_buffer_release(&text);
    free(path);
    return status;
}

/* ---- The folder ---- */

static enum sl_status check_data(const struct sl_dataset *dataset, struct sl_error *err)
{
    if (dataset->texts)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s holds texts; --init writes experiments on images and features",
                       dataset->name);
    if (dataset->n_classes < 2)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has %zu class%s, and an experiment needs two or more; put the images of "
                       "each class into a folder of its own, as in %s/cat/1.png",
                       dataset->name, dataset->n_classes,
                       sl_text_plural(dataset->n_classes, "", "es"), dataset->name);
    return SL_OK;
}

static enum sl_status write_all(const struct sl_spec_init *init, const struct sl_dataset *dataset,
                                const char *path, struct sl_error *err)
{
    json_t *document = document_of(dataset, init);
    struct sl_spec *spec = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_folder_create(init->folder, err));
    SL_TRY_OUT(sl_json_write(document, path, err));
    SL_TRY_OUT(write_readme(document, init->folder, err));
    SL_TRY_OUT(sl_spec_read(path, "quick", &spec, err));
out:
    sl_spec_destroy(spec);
    json_decref(document);
    return status;
}

enum sl_status sl_spec_init(const struct sl_spec_init *init, char **out, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    char *path = sl_path_join(init->folder, "spec.json");
    enum sl_status status = SL_OK;
    if (sl_file_exists(path)) {
        status =
            sl_fail(err, SL_ERR_USAGE, "%s is there already; name another folder with -o", path);
        goto out;
    }
    if (init->answers && !sl_file_exists(init->answers)) {
        status = sl_fail(err, SL_ERR_NOT_FOUND, "%s: no such file of answers", init->answers);
        goto out;
    }
    SL_TRY_OUT(sl_dataset_open(init->data, init->roots, &dataset, err));
    SL_TRY_OUT(check_data(dataset, err));
    SL_TRY_OUT(write_all(init, dataset, path, err));
    *out = path;
    path = NULL;
out:
    sl_dataset_destroy(dataset);
    free(path);
    return status;
}
