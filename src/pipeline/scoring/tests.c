#include <stdlib.h>
#include <string.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { TESTS_LIMIT = 1 << 24 };

static enum sl_status add_attack(struct sl_eval_test *test, const char *name, struct sl_error *err)
{
    const struct sl_attack_preset *preset = sl_attack_preset_find(name);
    if (!preset)
        return sl_fail(err, SL_ERR_USAGE, "no attack is called \"%s\", see softlab eval --list",
                       name);
    if (test->n_attacks == SL_EVAL_MAX_ATTACKS)
        return sl_fail(err, SL_ERR_USAGE, "more than %d attacks", SL_EVAL_MAX_ATTACKS);
    test->attacks[test->n_attacks++] = preset;
    return SL_OK;
}

static enum sl_status check_metrics(char *const *names, struct sl_error *err)
{
    for (; names && *names; names++)
        if (!sl_metric_find(*names))
            return sl_fail(err, SL_ERR_USAGE, "no measure \"%s\", see softlab eval --list", *names);
    return SL_OK;
}

/* ---- The job's own test ---- */

static enum sl_status shift_of_job(const struct sl_eval_job *job, struct sl_shift_options *out,
                                   struct sl_error *err)
{
    const struct sl_real_list *severities = &job->severities;
    *out = sl_shift_options_default();
    out->folder = job->corruption_folder;
    out->extra = job->extra;
    if (severities->count > SL_SEVERITIES)
        return sl_fail(err, SL_ERR_USAGE, "--severity: more than %d", SL_SEVERITIES);
    if (severities->count > 0) out->n_severities = severities->count;
    for (size_t i = 0; i < severities->count; i++)
        out->severities[i] = (int)severities->values[i];
    return SL_OK;
}

static enum sl_status test_of_job(const struct sl_workplace *workplace,
                                  const struct sl_eval_job *job, struct sl_eval_test *out,
                                  struct sl_error *err)
{
    if (!job->data)
        return sl_fail(err, SL_ERR_USAGE,
                       "weights are evaluated on items: name them with --data or --tests");
    struct sl_eval_test test = {
        .name = "test",
        .data = job->data,
        .split = job->split,
        .images = job->images,
        .labels = job->labels ? job->labels : "hard",
        .labels_shown = job->labels ? sl_workplace_shown(workplace, job->labels) : NULL,
        .metrics = job->metrics ? sl_text_split(job->metrics) : NULL,
        .attack_items = job->attack_items,
        .attack_hard = job->attack_hard,
        .corrupted = job->corrupted || job->corruption_folder,
        .options = job->options,
    };
    char **attacks = job->attacks ? sl_text_split(job->attacks) : NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(shift_of_job(job, &test.shift, err));
    SL_TRY_OUT(check_metrics(test.metrics, err));
    for (size_t i = 0; attacks && attacks[i]; i++)
        SL_TRY_OUT(add_attack(&test, attacks[i], err));
    *out = test;
    test.metrics = NULL;
out:
    if (attacks) sl_names_destroy(attacks);
    if (test.metrics) sl_names_destroy(test.metrics);
    return status;
}

/* ---- Tests from a file ---- */

static enum sl_status read_text(const struct sl_json_cursor *object, const char *key,
                                const char **out, struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(object, key, &at, err));
    return at.value ? sl_json_string(&at, out, err) : SL_OK;
}

/* Read a list of texts as a NULL-ended array; NULL if the key is absent. */
static enum sl_status read_texts(const struct sl_json_cursor *object, const char *key, char ***out,
                                 struct sl_error *err)
{
    struct sl_json_cursor list;
    size_t count = 0;
    SL_TRY(sl_json_optional(object, key, &list, err));
    if (!list.value) return SL_OK;
    SL_TRY(sl_json_array_size(&list, &count, err));
    char **texts = sl_alloc(count + 1, sizeof *texts);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor at = sl_json_element(&list, i);
        const char *text = NULL;
        SL_TRY_OUT(sl_json_string(&at, &text, err));
        texts[i] = sl_string_copy(text);
    }
    *out = texts;
    return SL_OK;
out:
    sl_names_destroy(texts);
    return status;
}

static enum sl_status read_size(const struct sl_json_cursor *object, const char *key,
                                int64_t minimum, size_t *out, struct sl_error *err)
{
    struct sl_json_cursor at;
    int64_t value = 0;
    SL_TRY(sl_json_optional(object, key, &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_integer(&at, minimum, 1000000000, &value, err));
    *out = (size_t)value;
    return SL_OK;
}

static enum sl_status read_corruptions(const struct sl_json_cursor *object,
                                       struct sl_eval_test *test, struct sl_error *err)
{
    static const char *const known[] = {"severities", "extra", "folder", NULL};
    struct sl_json_cursor at, list;
    SL_TRY(sl_json_optional(object, "corruptions", &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_only(&at, known, err));
    test->corrupted = true;
    SL_TRY(read_text(&at, "folder", &test->shift.folder, err));
    SL_TRY(sl_json_optional(&at, "extra", &list, err));
    if (list.value) SL_TRY(sl_json_boolean(&list, &test->shift.extra, err));
    SL_TRY(sl_json_optional(&at, "severities", &list, err));
    if (!list.value) return SL_OK;
    size_t count = 0;
    SL_TRY(sl_json_array_size(&list, &count, err));
    if (count == 0 || count > SL_SEVERITIES)
        return sl_json_fail(&list, err, "expected 1 to %d severities", SL_SEVERITIES);
    test->shift.n_severities = count;
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor severity = sl_json_element(&list, i);
        int64_t value = 0;
        SL_TRY(sl_json_integer(&severity, 1, SL_SEVERITIES, &value, err));
        test->shift.severities[i] = (int)value;
    }
    return SL_OK;
}

static enum sl_status read_attacks(const struct sl_json_cursor *object, struct sl_eval_test *test,
                                   struct sl_error *err)
{
    char **names = NULL;
    const char *labels = "soft";
    SL_TRY(read_text(object, "attack_labels", &labels, err));
    test->attack_hard = strcmp(labels, "hard") == 0;
    SL_TRY(read_size(object, "attack_items", 0, &test->attack_items, err));
    SL_TRY(read_texts(object, "attacks", &names, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; names && names[i] && status == SL_OK; i++)
        status = add_attack(test, names[i], err);
    if (names) sl_names_destroy(names);
    return status;
}

static enum sl_status read_images(const struct sl_json_cursor *object,
                                  struct sl_load_options *images, struct sl_error *err)
{
    const char *size = NULL;
    SL_TRY(read_text(object, "size", &size, err));
    if (size && !sl_text_to_sides(size, SL_IMAGE_MAX_SIDE, &images->height, &images->width))
        return sl_json_fail(object, err, "\"size\" is \"%s\", expected something like 32x32", size);
    SL_TRY(read_size(object, "channels", 1, &images->channels, err));
    if (images->channels == 2 || images->channels > 3)
        return sl_json_fail(object, err, "\"channels\" is %zu, expected 1 or 3", images->channels);
    struct sl_json_cursor skip;
    SL_TRY(sl_json_optional(object, "skip_broken", &skip, err));
    if (skip.value) SL_TRY(sl_json_boolean(&skip, &images->skip_broken, err));
    return SL_OK;
}

/* Find the file that "@set/file" stands for. */
static enum sl_status find_place(const struct sl_workplace *workplace, const char **text,
                                 char **owned, struct sl_error *err)
{
    if (!*text || **text != '@') return SL_OK;
    SL_TRY(sl_fetch_place(*text, &workplace->roots, owned, err));
    *text = *owned;
    return SL_OK;
}

static enum sl_status read_test(const struct sl_workplace *workplace,
                                const struct sl_json_cursor *object, struct sl_eval_test *test,
                                struct sl_error *err)
{
    static const char *const known[] = {
        "data",    "split",   "size",         "channels",      "skip_broken", "items",    "labels",
        "metrics", "attacks", "attack_items", "attack_labels", "corruptions", "bin_size", "bins",
        "gallery", NULL};
    SL_TRY(sl_json_only(object, known, err));
    SL_TRY(read_text(object, "data", &test->data, err));
    if (!test->data) return sl_json_fail(object, err, "has no \"data\"");
    SL_TRY(read_text(object, "split", &test->split, err));
    SL_TRY(read_images(object, &test->images, err));
    SL_TRY(read_text(object, "labels", &test->labels, err));
    SL_TRY(read_texts(object, "items", &test->items, err));
    SL_TRY(read_texts(object, "metrics", &test->metrics, err));
    SL_TRY(check_metrics(test->metrics, err));
    SL_TRY(read_attacks(object, test, err));
    SL_TRY(read_corruptions(object, test, err));
    SL_TRY(read_size(object, "bin_size", 1, &test->options.bin_size, err));
    SL_TRY(read_size(object, "bins", 1, &test->options.n_bins, err));
    SL_TRY(read_size(object, "gallery", 0, &test->gallery, err));
    test->labels_shown = test->labels;
    SL_TRY(find_place(workplace, &test->split, &test->places[0], err));
    return find_place(workplace, &test->labels, &test->places[1], err);
}

static enum sl_status read_file(const struct sl_workplace *workplace, const char *path,
                                struct sl_eval_tests *tests, struct sl_error *err)
{
    SL_TRY(sl_json_read(path, TESTS_LIMIT, &tests->document, err));
    const struct sl_json_cursor root = sl_json_root(&tests->document);
    if (!json_is_object(root.value) || json_object_size(root.value) == 0)
        return sl_json_fail(&root, err, "expected an object with a member per test set");
    tests->tests = sl_alloc(json_object_size(root.value), sizeof *tests->tests);
    const char *name;
    json_t *value;
    json_object_foreach(root.value, name, value)
    {
        struct sl_eval_test *test = &tests->tests[tests->count++];
        struct sl_json_cursor at;
        *test = (struct sl_eval_test){.name = name,
                                      .labels = "hard",
                                      .shift = sl_shift_options_default(),
                                      .options = sl_metric_options_default()};
        SL_TRY(sl_json_member(&root, name, &at, err));
        SL_TRY(read_test(workplace, &at, test, err));
    }
    return SL_OK;
}

enum sl_status sl_eval_tests_read(const struct sl_workplace *workplace,
                                  const struct sl_eval_job *job, const char *weights,
                                  struct sl_eval_tests *out, struct sl_error *err)
{
    struct sl_eval_tests tests = {0};
    enum sl_status status = SL_OK;
    if (job->tests) {
        SL_TRY_OUT(read_file(workplace, job->tests, &tests, err));
    } else {
        tests.tests = sl_alloc(1, sizeof *tests.tests);
        SL_TRY_OUT(test_of_job(workplace, job, &tests.tests[0], err));
        tests.count = 1;
    }
    const char *shown = sl_workplace_shown(workplace, weights);
    for (size_t t = 0; t < tests.count; t++)
        tests.tests[t].title = tests.count > 1
                                   ? sl_string_printf("%s on %s", shown, tests.tests[t].name)
                                   : sl_string_copy(shown);
    *out = tests;
    return SL_OK;
out:
    sl_eval_tests_release(&tests);
    return status;
}

void sl_eval_tests_release(struct sl_eval_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++) {
        free(tests->tests[i].title);
        free(tests->tests[i].places[0]);
        free(tests->tests[i].places[1]);
        if (tests->tests[i].items) sl_names_destroy(tests->tests[i].items);
        if (tests->tests[i].metrics) sl_names_destroy(tests->tests[i].metrics);
    }
    free(tests->tests);
    sl_json_release(&tests->document);
    *tests = (struct sl_eval_tests){0};
}
