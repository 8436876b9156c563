/* Soft labels from the answers so far, by any method that can use them. The file is the same that
 * `softlab labels` makes from the exported answers. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/label.h"
#include "study/admin/internal.h"
#include "study/screens/screens.h"

/* The kind of answers that a screen produces. */
static unsigned kind_of(const struct sl_screen *screen)
{
    static const struct {
        sl_screen_convert *convert;
        enum sl_answer_kind kind;
    } kinds[] = {
        {sl_screen_convert_soft, SL_ANSWER_SOFT}, {sl_screen_convert_possible, SL_ANSWER_SOFT},
        {sl_screen_convert_fast, SL_ANSWER_SOFT}, {sl_screen_convert_bars, SL_ANSWER_DIST},
        {sl_screen_convert_hard, SL_ANSWER_HARD}, {sl_screen_convert_select, SL_ANSWER_SELECT},
        {sl_screen_convert_mix, SL_ANSWER_MIX}};
    for (size_t i = 0; screen && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].convert == screen->convert) return 1u << kinds[i].kind;
    return 0;
}

/* Word vectors are not part of a study. */
static bool suits(const struct sl_study *study, const struct sl_label_method *method)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < study->n_screens; i++)
        kinds |= kind_of(sl_screen_find(study->screens[i]));
    return method->kinds & kinds && !(method->reads & SL_LABEL_READS_SIMILARITY);
}

json_t *sl_admin_label_methods(const struct sl_study *study)
{
    json_t *list = json_array();
    for (const struct sl_label_method *method = sl_label_methods; method->name; method++)
        if (suits(study, method))
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "name", method->name, "summary", method->summary));
    return list;
}

/* The method that a file name like "t2-clamp.csv" names, or NULL. */
static const struct sl_label_method *method_of(const struct sl_study *study, const char *file)
{
    static const char *const forms[] = {".csv", ".npz"};
    const struct sl_label_method *method = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !method; i++) {
        const size_t length = strlen(file), suffix = strlen(forms[i]);
        if (length <= suffix || strcmp(file + length - suffix, forms[i]) != 0) continue;
        char *name = sl_string_copy_n(file, length - suffix);
        method = sl_label_method_find(name);
        free(name);
    }
    return method && suits(study, method) ? method : NULL;
}

/* How the labels were made; the options have the defaults of `softlab labels`. */
static char *provenance(const struct sl_study *study, const char *method, size_t n_answers)
{
    json_t *value =
        json_pack("{s:s, s:s, s:s, s:s, s:I}", "softlab", sl_version(), "study", study->name, "id",
                  study->id, "method", method, "answers", (json_int_t)n_answers);
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(value);
    return text;
}

static enum sl_status write_labels(const struct sl_admin_download *download, struct sl_store *store,
                                   const char *path, struct sl_error *err)
{
    const struct sl_study *study = download->admin->options.study;
    const struct sl_label_method *method = download->source;
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    struct sl_answers *answers = NULL;
    struct sl_rows *rows = NULL;
    struct sl_label_notes notes = {0};
    struct sl_label_options options = sl_label_options_default();
    options.notes = &notes;
    SL_TRY_OUT(sl_study_items_read(study, store, &items, err));
    const struct sl_study_choice all = {.extent = SL_STUDY_COUNTING, .kinds = ~0u};
    SL_TRY_OUT(sl_study_answers(study, store, &items, &all, &answers, err));
    if (answers->count == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "nobody has answered yet: there are no labels"));
    SL_TRY_OUT(sl_labels_build(method, answers, &options, &rows, err));
    rows->provenance = provenance(study, method->name, notes.n_used);
    status = sl_rows_write(rows, "labels", path, err);
out:
    sl_rows_destroy(rows);
    sl_answers_destroy(answers);
    sl_study_items_release(&items);
    return status;
}

static enum sl_status fill_labels(struct sl_admin_download *download, struct sl_store *store,
                                  struct sl_error *err)
{
    char *path = sl_admin_hidden_path(download->admin, strrchr(download->file, '.'));
    enum sl_status status = write_labels(download, store, path, err);
    if (status == SL_OK) {
        download->descriptor = open(path, O_RDONLY | O_CLOEXEC);
        if (download->descriptor < 0) status = sl_fail_errno(err, "the labels");
        (void)unlink(path);
    }
    free(path);
    return status;
}

void sl_admin_get_labels(struct sl_http_exchange *exchange, void *context)
{
    struct sl_study_admin *admin = context;
    const char *segment = sl_http_segment(exchange);
    if (!sl_admin_require(admin, exchange)) return;
    const struct sl_label_method *method = method_of(admin->options.study, segment);
    if (!method) {
        sl_http_fail(exchange, 404,
                     "there is no such method, or it cannot use the study's answers");
        return;
    }
    char *file = sl_string_printf("labels-%s", segment);
    struct sl_admin_download *download = sl_admin_download_create(file, file, method);
    download->fill = fill_labels;
    free(file);
    sl_admin_send(admin, exchange, download);
}
