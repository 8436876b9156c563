#include "study/texts/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/texts/web.h"

enum { FILE_BYTES = 1 << 20 };

static const struct sl_web_file *language_file(const char *language)
{
    char *path = sl_string_printf("words/%s.json", language);
    const struct sl_web_file *file = sl_web_find(path);
    free(path);
    return file;
}

bool sl_words_know(const char *language)
{
    return language_file(language) != NULL;
}

/* The length of the "{place}" at the start of `text`; 0 if there is none. */
static size_t place_length(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_.0123456789";
    size_t at = 1;
    if (length == 0 || *text != '{') return 0;
    while (at < length && text[at] && strchr(letters, text[at]))
        at++;
    return at > 1 && at < length && text[at] == '}' ? at + 1 : 0;
}

/* Whether `text` contains the place of `length` bytes. */
static bool has_place(const char *text, const char *place, size_t length)
{
    for (; (text = strchr(text, '{')); text++)
        if (strncmp(text, place, length) == 0) return true;
    return false;
}

static enum sl_status fail_unknown(const struct sl_words *words, const char *key,
                                   struct sl_error *err)
{
    const char **keys = sl_alloc(json_object_size(words->language) + 1, sizeof *keys);
    const char *one = NULL;
    json_t *text = NULL;
    size_t count = 0;
    json_object_foreach(words->language, one, text)
    {
        keys[count++] = one;
    }
    keys[count] = NULL;
    char ending[SL_SUGGESTION_TEXT];
    const char *otherwise = "; the researcher's page lists all keys";
    enum sl_status status = sl_fail(err, SL_ERR_INPUT, "no page has the key \"%s\"%s", key,
                                    sl_text_suggestion(key, keys, otherwise, ending));
    free(keys);
    return status;
}

enum sl_status sl_words_check(const struct sl_words *words, const char *key, const char *text,
                              struct sl_error *err)
{
    const char *known = json_string_value(json_object_get(words->language, key));
    if (!known) return fail_unknown(words, key, err);
    if (strspn(text, " \t\r\n") == strlen(text))
        return sl_fail(err, SL_ERR_INPUT, "\"%s\" is empty; write a text", key);
    if (strcmp(key, "language.direction") == 0 && strcmp(text, "ltr") != 0 &&
        strcmp(text, "rtl") != 0)
        return sl_fail(err, SL_ERR_INPUT, "\"%s\" must be ltr or rtl", key);
    for (const char *at = text; (at = strchr(at, '{')); at++) {
        size_t length = place_length(at, strlen(at));
        if (length > 0 && !has_place(known, at, length))
            return sl_fail(err, SL_ERR_INPUT,
                           "\"%s\" has no place %.*s; the original text is \"%s\"", key,
                           (int)length, at, known);
    }
    return SL_OK;
}

enum sl_status sl_words_check_places(const struct sl_words *words, const char *key,
                                     const char *text, struct sl_error *err)
{
    const char *known = json_string_value(json_object_get(words->language, key));
    for (const char *at = known ? known : ""; (at = strchr(at, '{')); at++) {
        size_t length = place_length(at, strlen(at));
        if (length > 0 && !has_place(text, at, length))
            return sl_fail(err, SL_ERR_INPUT, "\"%s\" lacks %.*s; the original text is \"%s\"", key,
                           (int)length, at, known);
    }
    return SL_OK;
}

/* Every member of the file must be an allowed text. */
static enum sl_status check_own(const struct sl_words *words, const struct sl_json *file,
                                struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(file);
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(root.value)) return sl_json_fail(&root, err, "expected an object");
    json_object_foreach(root.value, key, value)
    {
        const struct sl_json_cursor at = {
            .document = file, .parent = &root, .key = key, .value = value};
        struct sl_error why;
        const char *text = NULL;
        SL_TRY(sl_json_string(&at, &text, err));
        if (sl_words_check(words, key, text, &why) != SL_OK)
            return sl_json_fail(&at, err, "%s", why.message);
    }
    return SL_OK;
}

static void join(struct sl_words *words)
{
    json_decref(words->texts);
    words->texts = json_copy(words->language);
    json_object_update(words->texts, words->own);
}

static enum sl_status read_own(const struct sl_study *study, struct sl_words *words,
                               struct sl_error *err)
{
    char *path = sl_path_join(study->folder, SL_WORDS_FILE);
    struct sl_json file = {0};
    enum sl_status status = SL_OK;
    if (sl_file_exists(path)) {
        status = sl_json_read(path, FILE_BYTES, &file, err);
        if (status == SL_OK) status = check_own(words, &file, err);
        if (status == SL_OK) json_object_update(words->own, file.root);
        sl_json_release(&file);
    }
    free(path);
    return status;
}

enum sl_status sl_words_read(const struct sl_study *study, struct sl_words *out,
                             struct sl_error *err)
{
    const struct sl_web_file *file = language_file(study->language);
    struct sl_words words = {0};
    struct sl_json json = {0};
    if (!file)
        return sl_fail(err, SL_ERR_INPUT,
                       "study.json: there are no texts in the language \"%s\"; write \"en\"",
                       study->language);
    SL_TRY(sl_json_parse((const char *)file->bytes, file->length, file->path, 1, &json, err));
    words.language = json_incref(json.root);
    words.own = json_object();
    sl_json_release(&json);
    enum sl_status status = read_own(study, &words, err);
    join(&words);
    if (status == SL_OK)
        *out = words;
    else
        sl_words_release(&words);
    return status;
}

void sl_words_release(struct sl_words *words)
{
    json_decref(words->language);
    json_decref(words->own);
    json_decref(words->texts);
    *words = (struct sl_words){0};
}

const char *sl_words_say(const struct sl_words *words, const char *key)
{
    const char *text = json_string_value(json_object_get(words->texts, key));
    assert(text);
    return text;
}

enum sl_status sl_words_save(struct sl_words *words, const struct sl_study *study, json_t *own,
                             struct sl_error *err)
{
    json_t *changed = json_object();
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(own, key, value)
    {
        if (!json_equal(value, json_object_get(words->language, key)))
            json_object_set(changed, key, value);
    }
    char *path = sl_path_join(study->folder, SL_WORDS_FILE);
    enum sl_status status = sl_json_write(changed, path, err);
    /* Like everything in the folder. */
    if (status == SL_OK && chmod(path, 0600) != 0) status = sl_fail_errno(err, "%s", path);
    free(path);
    if (status != SL_OK) {
        json_decref(changed);
        return status;
    }
    json_decref(words->own);
    words->own = changed;
    join(words);
    return SL_OK;
}

static void append_place(const struct sl_words *words, const char *name, size_t length,
                         struct sl_buffer *out)
{
    char *key = sl_string_printf("%.*s", (int)length, name);
    if (strcmp(key, "words") == 0) {
        char *all = sl_web_json(words->texts);
        sl_buffer_text(out, all ? all : "{}");
        free(all);
    } else {
        const char *text = sl_words_say(words, key);
        sl_html_escape(out, text, strlen(text));
    }
    free(key);
}

void sl_words_page(const struct sl_words *words, const char *template, size_t length,
                   struct sl_buffer *out)
{
    const char *end = template + length;
    while (template <end) {
        size_t place = place_length(template, (size_t)(end - template));
        if (place > 0) {
            append_place(words, template + 1, place - 2, out);
            template += place;
        } else {
            sl_buffer_byte(out, *template ++);
        }
    }
}
