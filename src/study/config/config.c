/* Reading and checking study.json. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/config/config.h"

enum { STUDY_BYTES = 4 << 20, MAX_KEYS = 64, MAX_QUESTIONS = 50 };

static enum sl_status take_string(const struct sl_json_cursor *at, size_t minimum, size_t maximum,
                                  char **out, struct sl_error *err)
{
    const char *text = NULL;
    SL_TRY(sl_json_string(at, &text, err));
    size_t length = strlen(text);
    if (length < minimum) return sl_json_fail(at, err, "must not be empty");
    if (length > maximum) return sl_json_fail(at, err, "is longer than %zu bytes", maximum);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return sl_json_fail(at, err, "contains a control character");
    sl_study_set_text(out, text);
    return SL_OK;
}

static enum sl_status take_choice(const struct sl_json_cursor *at, const char *const *choices,
                                  size_t *out, struct sl_error *err)
{
    const char *word = NULL;
    SL_TRY(sl_json_string(at, &word, err));
    for (size_t i = 0; choices[i]; i++) {
        if (strcmp(choices[i], word) != 0) continue;
        *out = i;
        return SL_OK;
    }
    const char *nearest = sl_text_nearest(word, choices);
    if (nearest)
        return sl_json_fail(at, err, "unknown \"%s\", did you mean \"%s\"?", word, nearest);
    struct sl_buffer list;
    sl_buffer_init(&list, 400);
    for (size_t i = 0; choices[i]; i++)
        sl_buffer_printf(&list, "%s%s", i ? ", " : "", choices[i]);
    enum sl_status status =
        sl_json_fail(at, err, "expected one of %s, got \"%s\"", list.data, word);
    sl_buffer_release(&list);
    return status;
}

static enum sl_status take_texts(const struct sl_json_cursor *at, size_t minimum, size_t maximum,
                                 char ***out, size_t *count, struct sl_error *err)
{
    size_t size = 0;
    SL_TRY(sl_json_array_size(at, &size, err));
    if (size < minimum || size > maximum)
        return sl_json_fail(at, err, "expected %zu to %zu names, got %zu", minimum, maximum, size);
    char **texts = sl_alloc(size + 1, sizeof *texts);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < size; i++) {
        struct sl_json_cursor one = sl_json_element(at, i);
        SL_TRY_OUT(take_string(&one, 1, 200, &texts[i], err));
        for (size_t j = 0; j < i; j++) {
            if (strcmp(texts[i], texts[j]) != 0) continue;
            status = sl_json_fail(&one, err, "\"%s\" occurs twice", texts[i]);
            goto out;
        }
    }
    sl_study_set_texts(out, count, (const char *const *)texts, size);
out:
    sl_names_destroy(texts);
    return status;
}

static enum sl_status take_count(const struct sl_json_cursor *at, double minimum, double maximum,
                                 size_t *out, struct sl_error *err)
{
    int64_t number = 0;
    SL_TRY(sl_json_integer(at, (int64_t)minimum, (int64_t)maximum, &number, err));
    *out = (size_t)number;
    return SL_OK;
}

static enum sl_status take_value(struct sl_study *study, const struct sl_study_key *key,
                                 const struct sl_json_cursor *at, struct sl_error *err)
{
    void *field = (char *)study + key->offset;
    size_t index = 0;
    switch (key->kind) {
    case SL_KEY_TEXT:
        return take_string(at, (size_t)key->minimum, (size_t)key->maximum, field, err);
    case SL_KEY_WORD:
        SL_TRY(take_choice(at, key->choices, &index, err));
        sl_study_set_text(field, key->choices[index]);
        return SL_OK;
    case SL_KEY_ENUM: {
        SL_TRY(take_choice(at, key->choices, &index, err));
        int number = (int)index;
        memcpy(field, &number, sizeof number);
        return SL_OK;
    }
    case SL_KEY_SECOND:
        SL_TRY(take_choice(at, key->choices, &index, err));
        *(bool *)field = index == 1;
        return SL_OK;
    case SL_KEY_FLAG: return sl_json_boolean(at, field, err);
    case SL_KEY_COUNT: return take_count(at, key->minimum, key->maximum, field, err);
    case SL_KEY_REAL: return sl_json_number(at, key->minimum, key->maximum, field, err);
    case SL_KEY_TEXTS:
        return take_texts(at, (size_t)key->minimum, (size_t)key->maximum, field,
                          (size_t *)(void *)((char *)study + key->count_offset), err);
    }
    return SL_OK;
}

/* Lists the names that a section may hold in `known`, NULL-terminated. */
static void list_known(const char *section, const char **known)
{
    static const char *const further[] = {"softlab", "version", "comprehension", "debrief"};
    size_t count = 0;
    for (const struct sl_study_key *key = sl_study_keys; key->name; key++)
        if (strcmp(key->section, section) == 0) known[count++] = key->name;
    for (const struct sl_study_section *within = sl_study_sections; within->name; within++)
        if (strcmp(within->parent, section) == 0) known[count++] = within->name;
    for (size_t i = 0; !*section && i < sizeof further / sizeof *further; i++)
        known[count++] = further[i];
    known[count] = NULL;
}

static enum sl_status read_section(struct sl_study *study, const struct sl_json_cursor *object,
                                   const char *section, struct sl_error *err)
{
    const char *known[MAX_KEYS];
    list_known(section, known);
    SL_TRY(sl_json_only(object, known, err));
    for (const struct sl_study_key *key = sl_study_keys; key->name; key++) {
        if (strcmp(key->section, section) != 0) continue;
        struct sl_json_cursor at;
        if (key->fallback)
            SL_TRY(sl_json_optional(object, key->name, &at, err));
        else
            SL_TRY(sl_json_member(object, key->name, &at, err));
        if (at.value) SL_TRY(take_value(study, key, &at, err));
    }
    for (const struct sl_study_section *within = sl_study_sections; within->name; within++) {
        if (strcmp(within->parent, section) != 0) continue;
        struct sl_json_cursor at;
        bool needed = strcmp(within->name, "items") == 0;
        SL_TRY(needed ? sl_json_member(object, within->name, &at, err)
                      : sl_json_optional(object, within->name, &at, err));
        if (at.value) SL_TRY(read_section(study, &at, within->name, err));
    }
    return SL_OK;
}

static enum sl_status read_comprehension(const struct sl_json_cursor *at,
                                         struct sl_study_question *out, struct sl_error *err)
{
    static const char *const known[] = {"question", "options", "answer", NULL};
    struct sl_json_cursor member;
    SL_TRY(sl_json_only(at, known, err));
    SL_TRY(sl_json_member(at, "question", &member, err));
    SL_TRY(take_string(&member, 1, 1000, &out->question, err));
    SL_TRY(sl_json_member(at, "options", &member, err));
    SL_TRY(take_texts(&member, 2, SL_STUDY_MAX_OPTIONS, &out->options, &out->n_options, err));
    SL_TRY(sl_json_member(at, "answer", &member, err));
    return take_count(&member, 0, (double)out->n_options - 1, &out->answer, err);
}

static enum sl_status read_debrief(const struct sl_json_cursor *at, struct sl_study_question *out,
                                   struct sl_error *err)
{
    static const char *const known[] = {"question", "kind", NULL};
    static const char *const kinds[] = {"text", "scale", NULL};
    struct sl_json_cursor member;
    size_t kind = 0;
    SL_TRY(sl_json_only(at, known, err));
    SL_TRY(sl_json_member(at, "question", &member, err));
    SL_TRY(take_string(&member, 1, 1000, &out->question, err));
    SL_TRY(sl_json_optional(at, "kind", &member, err));
    if (member.value) SL_TRY(take_choice(&member, kinds, &kind, err));
    out->scale = kind == 1;
    return SL_OK;
}

/* `*count` grows with the list, so that the questions read so far are freed after an error. */
static enum sl_status
read_questions(const struct sl_json_cursor *root, const char *name,
               enum sl_status (*read)(const struct sl_json_cursor *, struct sl_study_question *,
                                      struct sl_error *),
               struct sl_study_question **out, size_t *count, struct sl_error *err)
{
    struct sl_json_cursor at;
    size_t size = 0;
    SL_TRY(sl_json_optional(root, name, &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_array_size(&at, &size, err));
    if (size > MAX_QUESTIONS)
        return sl_json_fail(&at, err, "expected at most %d questions, got %zu", MAX_QUESTIONS,
                            size);
    *out = sl_alloc(size ? size : 1, sizeof **out);
    for (size_t i = 0; i < size; i++) {
        struct sl_json_cursor one = sl_json_element(&at, i);
        *count = i + 1;
        SL_TRY(read(&one, &(*out)[i], err));
    }
    return SL_OK;
}

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

static enum sl_status read_root(struct sl_study *study, const struct sl_json *document,
                                struct sl_error *err)
{
    struct sl_json_cursor root = sl_json_root(document);
    SL_TRY(check_kind(&root, err));
    SL_TRY(read_section(study, &root, "", err));
    SL_TRY(read_questions(&root, "comprehension", read_comprehension, &study->comprehension,
                          &study->n_comprehension, err));
    SL_TRY(read_questions(&root, "debrief", read_debrief, &study->debrief, &study->n_debrief, err));
    return check_whole(study, &root, err);
}

static enum sl_status from_document(struct sl_json *document, struct sl_study **out,
                                    struct sl_error *err)
{
    struct sl_study *study = sl_study_create();
    enum sl_status status = read_root(study, document, err);
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
    *out = study;
    return SL_OK;
}
