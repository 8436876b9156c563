/* The table of checks, and functions that they share. */
#include "study/check/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"
#include "study/texts/media.h"
#include "study/texts/texts.h"
#include "study/texts/words.h"

enum { STUDY_BYTES = 4 << 20, MAX_DEPTH = 8 };

/* Findings are listed in this order. */
static const struct {
    const char *name;
    sl_check_function *run;
} checks[] = {
    {"placeholders", sl_check_texts},
    {"placeholders in study.json", sl_check_config_texts},
    {"classes", sl_check_classes},
    {"pictures", sl_check_pictures},
    {"texts", sl_check_text_items},
    {"practice", sl_check_practice},
    {"attention checks", sl_check_attention},
    {"comprehension", sl_check_comprehension},
    {"places", sl_check_places},
    {"batch size", sl_check_batch_size},
    {"assignment", sl_check_assignment},
    {"recruiter", sl_check_recruiter},
    {"completion codes", sl_check_codes},
    {"least time", sl_check_least_time},
    {"lease", sl_check_lease},
    {"pay", sl_check_pay},
    {"keep_until", sl_check_keep_until},
};

/* ---- Findings ---- */

void sl_check_note(struct sl_checking *checking, enum sl_finding_level level, char *where,
                   const char *remedy, const char *problem, ...)
{
    struct sl_findings *all = checking->findings;
    struct sl_buffer text;
    va_list arguments;
    sl_buffer_init(&text, 64 << 10);
    va_start(arguments, problem);
    sl_buffer_vprintf(&text, problem, arguments);
    va_end(arguments);
    if (all->count == all->capacity) {
        all->capacity = all->capacity * 2 + 16;
        all->list = sl_resize(all->list, all->capacity, sizeof *all->list);
    }
    all->list[all->count++] = (struct sl_finding){
        .level = level,
        .check = checking->check,
        .where = where,
        .problem = text.data,
        .remedy = sl_string_copy(remedy),
        .nth = checking->n_found++,
    };
    all->n_errors += level == SL_FINDING_ERROR;
}

void sl_findings_release(struct sl_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->list[i].where);
        free(findings->list[i].problem);
        free(findings->list[i].remedy);
    }
    free(findings->list);
    *findings = (struct sl_findings){0};
}

char *sl_finding_text(const struct sl_finding *finding)
{
    return sl_string_printf("%s: %s; %s", finding->where, finding->problem, finding->remedy);
}

size_t sl_findings_left_out(const struct sl_findings *findings, size_t index, size_t shown)
{
    const char *check = findings->list[index].check;
    size_t last = index;
    while (last + 1 < findings->count && findings->list[last + 1].check == check)
        last++;
    const size_t total = findings->list[last].nth + 1;
    return total > shown ? total - shown : 0;
}

json_t *sl_findings_json(const struct sl_findings *findings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < findings->count; i++) {
        const struct sl_finding *one = &findings->list[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "level",
                                              one->level == SL_FINDING_ERROR ? "error" : "warning",
                                              "check", one->check, "where", one->where, "problem",
                                              one->problem, "remedy", one->remedy));
    }
    return list;
}

/* ---- Places of findings ---- */

char *sl_check_file(const struct sl_checking *checking, const char *name, size_t line)
{
    char *path = sl_path_join(checking->study->folder, name);
    char *where = line > 0 ? sl_string_printf("%s:%zu", path, line) : sl_string_copy(path);
    free(path);
    return where;
}

/* Steps into `at` by the part of a key up to the next full stop. */
static bool step(const struct sl_json_cursor *at, const char *part, size_t length,
                 struct sl_json_cursor *out, char **name)
{
    *name = sl_string_copy_n(part, length);
    if (json_is_array(at->value)) {
        const size_t index = (size_t)strtoul(*name, NULL, 10);
        if (index >= json_array_size(at->value)) return false;
        *out = sl_json_element(at, index);
        return true;
    }
    return json_is_object(at->value) && sl_json_optional(at, *name, out, NULL) == SL_OK &&
           out->value;
}

/* "$.comprehension[0].question" from "comprehension.0.question", as in errors of study.json. */
static char *key_path(const char *key)
{
    struct sl_buffer path;
    sl_buffer_init(&path, 1024);
    sl_buffer_byte(&path, '$');
    for (const char *part = key; *part;) {
        const int length = (int)strcspn(part, ".");
        const bool number = *part >= '0' && *part <= '9';
        sl_buffer_printf(&path, number ? "[%.*s]" : ".%.*s", length, part);
        part += length + (part[length] == '.');
    }
    return path.data;
}

char *sl_check_key(const struct sl_checking *checking, const char *key)
{
    struct sl_json_cursor cursors[MAX_DEPTH + 1];
    char *names[MAX_DEPTH] = {NULL};
    struct sl_error at;
    size_t depth = 0;
    cursors[0] = sl_json_root(&checking->document);
    for (const char *part = key; *part && depth < MAX_DEPTH;) {
        const size_t length = strcspn(part, ".");
        if (!step(&cursors[depth], part, length, &cursors[depth + 1], &names[depth])) break;
        depth++;
        part += length + (part[length] == '.');
    }
    (void)sl_json_fail(&cursors[depth], &at, "%s", "");
    sl_strings_release(names, MAX_DEPTH);
    /* Keep "birds/study.json:12" and replace the path: a key that is not written has none. */
    char *end = strstr(at.message, ": $"), *path = key_path(key);
    if (end) *end = '\0';
    char *where = sl_string_printf("%s: %s", at.message, path);
    free(path);
    return where;
}

/* ---- Reading ---- */

struct reading {
    struct sl_checking *checking;
    struct sl_store *store;
    struct sl_name_table *ids; /* numbered like the items */
    struct sl_error *err;
};

static enum sl_status take_item(const struct sl_store_item *item, void *context)
{
    struct reading *reading = context;
    struct sl_checking *checking = reading->checking;
    struct sl_json content;
    uint32_t number = 0;
    SL_TRY(
        sl_json_parse(item->content, strlen(item->content), item->id, 1, &content, reading->err));
    if (json_object_get(content.root, "instructed")) { /* a card, made by the server */
        sl_json_release(&content);
        return SL_OK;
    }
    if (checking->n_items == checking->capacity) {
        checking->capacity = checking->capacity * 2 + 64;
        checking->items = sl_resize(checking->items, checking->capacity, sizeof *checking->items);
    }
    checking->items[checking->n_items++] =
        (struct sl_check_item){.id = sl_string_copy(item->id),
                               .content = json_incref(content.root),
                               .truth = item->truth ? sl_string_copy(item->truth) : NULL,
                               .check = item->check};
    const bool exercise = json_object_get(content.root, "training");
    checking->n_exercises += exercise;
    checking->n_checks += item->check && !exercise;
    sl_json_release(&content);
    return sl_name_table_add(reading->ids, item->id, strlen(item->id), &number, reading->err);
}

static enum sl_status take_batch(const struct sl_store_batch_row *row, void *context)
{
    struct reading *reading = context;
    struct sl_checking *checking = reading->checking;
    char **names = NULL;
    size_t count = 0;
    SL_TRY(sl_store_batch_items(reading->store, row->batch, &names, &count, reading->err));
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = sl_name_table_find(reading->ids, names[i], strlen(names[i]));
        if (number != SL_NO_NAME) checking->items[number].batches++;
    }
    sl_strings_destroy(names, count);
    checking->batches =
        sl_resize(checking->batches, checking->n_batches + 1, sizeof *checking->batches);
    checking->batches[checking->n_batches++] =
        (struct sl_check_batch){count, row->target, row->finished, row->live};
    return SL_OK;
}

/* Reads the texts as the server does, which does not start if one cannot be read. */
static enum sl_status read_texts(const struct sl_checking *checking, struct sl_error *err)
{
    const struct sl_study *study = checking->study;
    struct sl_words words = {0};
    struct sl_texts texts = {0};
    struct sl_media media = {0};
    SL_TRY(sl_words_read(study, &words, err));
    enum sl_status status = sl_texts_read(study, &words, checking->store, &texts, err);
    if (status == SL_OK) status = sl_media_read(study, &media, err);
    sl_media_release(&media);
    sl_texts_release(&texts);
    sl_words_release(&words);
    return status;
}

/* Even a rehearsal needs its exercises. */
static enum sl_status check_training(const struct sl_checking *checking, struct sl_error *err)
{
    const size_t trials = checking->study->training_trials, exercises = checking->n_exercises;
    if (trials <= exercises) return SL_OK;
    char *where = sl_check_key(checking, "training.trials");
    enum sl_status status = sl_fail(
        err, SL_ERR_INPUT,
        "%s: a round of training has %zu trial%s, but there %s %zu exercise%s; lower it, or "
        "re-create the study with --training FOLDER",
        where, trials, sl_text_plural(trials, "", "s"), sl_text_plural(exercises, "is", "are"),
        exercises, sl_text_plural(exercises, "", "s"));
    free(where);
    return status;
}

static enum sl_status read_study(struct sl_checking *checking, struct sl_error *err)
{
    struct sl_store *store = checking->store;
    struct reading reading = {checking, store, sl_name_table_create(), err};
    char *path = sl_path_join(checking->study->folder, "study.json");
    enum sl_status status = sl_json_read(path, STUDY_BYTES, &checking->document, err);
    if (status == SL_OK) status = sl_study_effort(checking->study, store, &checking->effort, err);
    if (status == SL_OK) status = sl_store_each_item(store, take_item, &reading, err);
    if (status == SL_OK) status = sl_store_each_batch(store, take_batch, &reading, err);
    if (status == SL_OK) status = check_training(checking, err);
    if (status == SL_OK && checking->how->texts) status = read_texts(checking, err);
    sl_name_table_destroy(reading.ids);
    free(path);
    return status;
}

static void release(struct sl_checking *checking)
{
    for (size_t i = 0; i < checking->n_items; i++) {
        free(checking->items[i].id);
        free(checking->items[i].truth);
        json_decref(checking->items[i].content);
    }
    free(checking->items);
    free(checking->batches);
    sl_json_release(&checking->document);
}

enum sl_status sl_study_inspect(const struct sl_study *study, struct sl_store *store,
                                const struct sl_study_inspection *how, struct sl_findings *out,
                                struct sl_error *err)
{
    struct sl_findings findings = {0};
    struct sl_checking checking = {
        .study = study, .store = store, .how = how, .findings = &findings};
    enum sl_status status = read_study(&checking, err);
    for (size_t i = 0; status == SL_OK && i < sizeof checks / sizeof *checks; i++) {
        checking.check = checks[i].name;
        checking.n_found = 0;
        checks[i].run(&checking);
    }
    release(&checking);
    if (status == SL_OK) *out = findings;
    return status;
}
