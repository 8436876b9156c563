/* Reading and checking study.json. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/config/config.h"

enum { STUDY_BYTES = 4 << 20 };

/* Whether the bytes are a study's, before anything is said about their keys. */
static enum sl_status check_kind(const struct sl_json_cursor *root, struct sl_error *err)
{
    struct sl_json_cursor at;
    const char *what = NULL;
    int64_t version = 0;
    SL_TRY(sl_json_member(root, "softlab", &at, err));
    SL_TRY(sl_json_string(&at, &what, err));
    if (strcmp(what, "study") != 0)
        return sl_json_fail(&at, err, "expected \"study\", got \"%s\"", what);
    SL_TRY(sl_json_member(root, "version", &at, err));
    SL_TRY(sl_json_integer(&at, 1, INT32_MAX, &version, err));
    if (version > 1)
        return sl_json_fail(&at, err, "this softlab reads version 1, the file has %d",
                            (int)version);
    return SL_OK;
}

/* The message of sl_study_check, with the line of its key. */
static enum sl_status check_whole(const struct sl_study *study, const struct sl_json_cursor *root,
                                  struct sl_error *err)
{
    const char *key = NULL;
    struct sl_error found;
    if (sl_study_check(study, &key, &found) == SL_OK) return SL_OK;
    struct sl_json_cursor section, at;
    const char *dot = strchr(key, '.');
    char *name = sl_string_copy_n(key, dot ? (size_t)(dot - key) : strlen(key));
    enum sl_status status = sl_json_optional(root, name, &section, err);
    at = section;
    if (status == SL_OK && dot && section.value)
        status = sl_json_optional(&section, dot + 1, &at, err);
    if (status == SL_OK)
        status = sl_json_fail(at.value        ? &at
                              : section.value ? &section
                                              : root,
                              err, "%s", found.message);
    free(name);
    return status;
}

/* An answer is one of the options of its question. */
static enum sl_status check_answers(const struct sl_study *study, const struct sl_json_cursor *root,
                                    struct sl_error *err)
{
    const struct sl_json_cursor questions = sl_json_below(root, "comprehension");
    for (size_t i = 0; i < study->n_comprehension; i++) {
        const struct sl_json_cursor question = sl_json_element(&questions, i);
        const struct sl_json_cursor answer = sl_json_below(&question, "answer");
        const int64_t last = (int64_t)study->comprehension[i].n_options - 1;
        int64_t number = 0;
        SL_TRY(sl_json_integer(&answer, 0, last, &number, err));
    }
    return SL_OK;
}

static enum sl_status read_root(const struct sl_json_cursor *root, struct sl_study *out,
                                struct sl_error *err)
{
    SL_TRY(check_kind(root, err));
    SL_TRY(sl_fields_read(root, &sl_study_fields, out, err));
    SL_TRY(check_answers(out, root, err));
    return check_whole(out, root, err);
}

static enum sl_status from_document(struct sl_json *document, struct sl_study **out,
                                    struct sl_error *err)
{
    struct sl_study *study = sl_alloc(1, sizeof *study);
    const struct sl_json_cursor root = sl_json_root(document);
    enum sl_status status = read_root(&root, study, err);
    sl_json_release(document);
    if (status == SL_OK)
        *out = study;
    else
        sl_study_destroy(study);
    return status;
}

enum sl_status sl_study_parse(const char *text, size_t length, const char *name,
                              struct sl_study **out, struct sl_error *err)
{
    struct sl_json document;
    SL_TRY(sl_json_parse(text, length, name, 1, &document, err));
    return from_document(&document, out, err);
}

enum sl_status sl_study_read(const char *folder, struct sl_study **out, struct sl_error *err)
{
    if (!sl_folder_exists(folder))
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%s: no such folder; make a study with softlab "
                       "study init",
                       folder);
    char *path = sl_path_join(folder, "study.json");
    struct sl_json document;
    struct sl_study *study = NULL;
    enum sl_status status = sl_json_read(path, STUDY_BYTES, &document, err);
    if (status == SL_OK) status = from_document(&document, &study, err);
    free(path);
    if (status != SL_OK) return status;
    study->folder = sl_string_copy(folder);
    status = sl_study_database(folder, &study->database, err);
    if (status == SL_OK)
        *out = study;
    else
        sl_study_destroy(study);
    return status;
}
