/* The keys of study.json. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/config/config.h"

static const char *const kinds[] = {"images", "texts", "mixtures", NULL};
static const char *const upsamplings[] = {"lanczos", "nearest", "none", NULL};
static const char *const framings[] = {"third", "first", NULL};
static const char *const recruiters[] = {"open", "prolific", "generic", NULL};
static const char *const link_kinds[] = {"plain", "signed", NULL};
static const char *const bonus_rules[] = {"none", "accuracy", "finished", NULL};

#define AT(field) .offset = offsetof(struct sl_study, field)

const struct sl_study_key sl_study_keys[] = {
    {"", "name", SL_KEY_TEXT, AT(name), .minimum = 1, .maximum = 200},
    {"", "id", SL_KEY_TEXT, AT(id), .maximum = 64, .fallback = ""},
    {"", "title", SL_KEY_TEXT, AT(title), .minimum = 1, .maximum = 500},
    {"", "language", SL_KEY_TEXT, AT(language), .minimum = 2, .maximum = 16, .fallback = "en"},
    {"", "classes", SL_KEY_TEXTS, AT(classes), .count_offset = offsetof(struct sl_study, n_classes),
     .minimum = 2, .maximum = 1000},
    {"", "screens", SL_KEY_TEXTS, AT(screens), .count_offset = offsetof(struct sl_study, n_screens),
     .minimum = 1, .maximum = 32, .fallback = "collins"}, /* the screen of files without this key */
    {"", "framing", SL_KEY_SECOND, AT(first_person), .choices = framings, .fallback = "third"},
    {"items", "kind", SL_KEY_ENUM, AT(kind), .choices = kinds},
    {"items", "folder", SL_KEY_TEXT, AT(items_folder), .minimum = 1, .maximum = 500,
     .fallback = "items"},
    {"items", "file", SL_KEY_TEXT, AT(items_file), .maximum = 500, .fallback = ""},
    {"items", "size", SL_KEY_COUNT, AT(size), .minimum = 16, .maximum = 2000, .fallback = "160"},
    {"items", "upsample", SL_KEY_WORD, AT(upsample), .choices = upsamplings, .fallback = "lanczos"},
    {"batch", "size", SL_KEY_COUNT, AT(batch_size), .minimum = 1, .maximum = 10000,
     .fallback = "25"},
    {"batch", "repeats", SL_KEY_COUNT, AT(repeats), .maximum = 10000, .fallback = "2"},
    {"batch", "annotators", SL_KEY_COUNT, AT(annotators), .minimum = 1, .maximum = 1000000,
     .fallback = "6"},
    {"batch", "check_every", SL_KEY_COUNT, AT(check_every), .maximum = 10000, .fallback = "0"},
    {"batch", "check_kinds", SL_KEY_TEXTS, AT(check_kinds),
     .count_offset = offsetof(struct sl_study, n_check_kinds), .minimum = 1, .maximum = 2,
     .fallback = "obvious"},
    {"order", "shuffle_items", SL_KEY_FLAG, AT(shuffle_items), .fallback = "true"},
    {"order", "shuffle_classes", SL_KEY_FLAG, AT(shuffle_classes), .fallback = "true"},
    {"order", "shuffle_options", SL_KEY_FLAG, AT(shuffle_options), .fallback = "false"},
    {"flow", "attempts", SL_KEY_COUNT, AT(attempts), .minimum = 1, .maximum = 100, .fallback = "3"},
    {"flow", "practice", SL_KEY_FLAG, AT(practice), .fallback = "true"},
    {"flow", "break_after", SL_KEY_COUNT, AT(break_after), .maximum = 10000, .fallback = "0"},
    {"flow", "back", SL_KEY_FLAG, AT(back), .fallback = "false"},
    {"flow", "min_seconds", SL_KEY_REAL, AT(min_seconds), .maximum = 3600, .fallback = "0"},
    {"training", "trials", SL_KEY_COUNT, AT(training_trials), .maximum = 1000, .fallback = "0"},
    {"training", "pass", SL_KEY_REAL, AT(training_pass), .maximum = 1, .fallback = "0.75"},
    {"training", "attempts", SL_KEY_COUNT, AT(training_attempts), .minimum = 1, .maximum = 100,
     .fallback = "1"},
    {"", "lease_minutes", SL_KEY_COUNT, AT(lease_minutes), .minimum = 1, .maximum = 100000,
     .fallback = "60"},
    {"", "consent_version", SL_KEY_TEXT, AT(consent_version), .minimum = 1, .maximum = 23,
     .fallback = "1"},
    {"recruiter", "kind", SL_KEY_WORD, AT(recruiter), .choices = recruiters, .fallback = "open"},
    {"recruiter", "person", SL_KEY_TEXT, AT(person), .maximum = 64, .fallback = ""},
    {"recruiter", "keep", SL_KEY_TEXTS, AT(keep), .count_offset = offsetof(struct sl_study, n_keep),
     .maximum = 16, .fallback = ""},
    {"recruiter", "links", SL_KEY_SECOND, AT(signed_links), .choices = link_kinds,
     .fallback = "plain"},
    {"recruiter", "places_per_address", SL_KEY_COUNT, AT(places_per_address), .maximum = 1000000,
     .fallback = "0"},
    {"recruiter", "complete", SL_KEY_TEXT, AT(complete), .maximum = 1000, .fallback = ""},
    {"codes", "done", SL_KEY_TEXT, AT(code_done), .maximum = 64, .fallback = ""},
    {"codes", "refused", SL_KEY_TEXT, AT(code_refused), .maximum = 64, .fallback = ""},
    {"codes", "failed", SL_KEY_TEXT, AT(code_failed), .maximum = 64, .fallback = ""},
    {"codes", "full", SL_KEY_TEXT, AT(code_full), .maximum = 64, .fallback = ""},
    {"pay", "currency", SL_KEY_TEXT, AT(currency), .maximum = 8, .fallback = ""},
    {"pay", "base", SL_KEY_REAL, AT(base), .maximum = 1e6, .fallback = "0"},
    {"pay", "bonus", SL_KEY_REAL, AT(bonus), .maximum = 1e6, .fallback = "0"},
    {"pay", "bonus_rule", SL_KEY_ENUM, AT(bonus_rule), .choices = bonus_rules, .fallback = "none"},
    {"pay", "bonus_from", SL_KEY_REAL, AT(bonus_from), .maximum = 1, .fallback = "0.75"},
    {"pay", "per_hour", SL_KEY_REAL, AT(per_hour), .maximum = 1e6, .fallback = "0"},
    {"", "keep_until", SL_KEY_TEXT, AT(keep_until), .maximum = 10, .fallback = ""},
    {.name = NULL},
};

const struct sl_study_section sl_study_sections[] = {
    {"items", ""},     {"batch", ""},          {"order", ""}, {"flow", ""}, {"training", ""},
    {"recruiter", ""}, {"codes", "recruiter"}, {"pay", ""},   {NULL, NULL},
};

void sl_study_set_text(char **field, const char *value)
{
    char *copy = sl_string_copy(value);
    free(*field);
    *field = copy;
}

void sl_study_set_texts(char ***field, size_t *count, const char *const *values, size_t n_values)
{
    char **copies = sl_alloc(n_values + 1, sizeof *copies);
    for (size_t i = 0; i < n_values; i++)
        copies[i] = sl_string_copy(values[i]);
    sl_strings_destroy(*field, *count);
    *field = copies;
    *count = n_values;
}

static size_t choice_index(const struct sl_study_key *key, const char *word)
{
    size_t index = 0;
    while (key->choices[index] && strcmp(key->choices[index], word) != 0)
        index++;
    return index;
}

static double fallback_number(const struct sl_study_key *key)
{
    double number = 0;
    (void)sl_text_to_real(key->fallback, strlen(key->fallback), &number);
    return number;
}

static void set_fallback(struct sl_study *study, const struct sl_study_key *key)
{
    void *field = (char *)study + key->offset;
    switch (key->kind) {
    case SL_KEY_TEXT:
    case SL_KEY_WORD: sl_study_set_text(field, key->fallback); break;
    case SL_KEY_ENUM: {
        int index = (int)choice_index(key, key->fallback);
        memcpy(field, &index, sizeof index);
        break;
    }
    case SL_KEY_SECOND: *(bool *)field = choice_index(key, key->fallback) == 1; break;
    case SL_KEY_FLAG: *(bool *)field = strcmp(key->fallback, "true") == 0; break;
    case SL_KEY_COUNT: *(size_t *)field = (size_t)fallback_number(key); break;
    case SL_KEY_REAL: *(double *)field = fallback_number(key); break;
    case SL_KEY_TEXTS: {
        const char *const one[] = {key->fallback};
        size_t *count = (size_t *)(void *)((char *)study + key->count_offset);
        sl_study_set_texts(field, count, one, *key->fallback ? 1 : 0);
        break;
    }
    }
}

struct sl_study *sl_study_create(void)
{
    struct sl_study *study = sl_alloc(1, sizeof *study);
    for (const struct sl_study_key *key = sl_study_keys; key->name; key++)
        if (key->fallback) set_fallback(study, key);
    return study;
}

static void free_questions(struct sl_study_question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(questions[i].question);
        sl_strings_destroy(questions[i].options, questions[i].n_options);
    }
    free(questions);
}

void sl_study_destroy(struct sl_study *study)
{
    if (!study) return;
    for (const struct sl_study_key *key = sl_study_keys; key->name; key++) {
        char *field = (char *)study + key->offset;
        if (key->kind == SL_KEY_TEXT || key->kind == SL_KEY_WORD)
            free(*(char **)(void *)field);
        else if (key->kind == SL_KEY_TEXTS)
            sl_strings_destroy(*(char ***)(void *)field,
                               *(size_t *)(void *)((char *)study + key->count_offset));
    }
    free_questions(study->comprehension, study->n_comprehension);
    free_questions(study->debrief, study->n_debrief);
    free(study->folder);
    free(study);
}

static json_t *texts_json(char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

static json_t *value_json(const struct sl_study *study, const struct sl_study_key *key)
{
    const void *field = (const char *)study + key->offset;
    switch (key->kind) {
    case SL_KEY_TEXT:
    case SL_KEY_WORD: return json_string(*(char *const *)field);
    case SL_KEY_ENUM: {
        int index = 0;
        memcpy(&index, field, sizeof index);
        return json_string(key->choices[index]);
    }
    case SL_KEY_SECOND: return json_string(key->choices[*(const bool *)field ? 1 : 0]);
    case SL_KEY_FLAG: return json_boolean(*(const bool *)field);
    case SL_KEY_COUNT: return json_integer((json_int_t) * (const size_t *)field);
    case SL_KEY_REAL: return json_real(*(const double *)field);
    case SL_KEY_TEXTS: {
        const void *count = (const char *)study + key->count_offset;
        return texts_json(*(char **const *)field, *(const size_t *)count);
    }
    }
    return NULL;
}

static json_t *questions_json(const struct sl_study_question *questions, size_t count, bool debrief)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_pack("{s:s}", "question", questions[i].question);
        if (debrief) {
            json_object_set_new(one, "kind", json_string(questions[i].scale ? "scale" : "text"));
        } else {
            json_object_set_new(one, "options",
                                texts_json(questions[i].options, questions[i].n_options));
            json_object_set_new(one, "answer", json_integer((json_int_t)questions[i].answer));
        }
        json_array_append_new(list, one);
    }
    return list;
}

/* Appends the keys of a section to `object`, with the sections inside it. */
static void add_keys(json_t *object, const struct sl_study *study, const char *section)
{
    for (const struct sl_study_key *key = sl_study_keys; key->name; key++)
        if (strcmp(key->section, section) == 0)
            json_object_set_new(object, key->name, value_json(study, key));
    for (const struct sl_study_section *within = sl_study_sections; within->name; within++) {
        if (strcmp(within->parent, section) != 0) continue;
        json_t *inner = json_object();
        for (const struct sl_study_key *key = sl_study_keys; key->name; key++)
            if (strcmp(key->section, within->name) == 0)
                json_object_set_new(inner, key->name, value_json(study, key));
        json_object_set_new(object, within->name, inner);
    }
}

json_t *sl_study_json(const struct sl_study *study)
{
    json_t *root = json_pack("{s:s, s:i}", "softlab", "study", "version", 1);
    add_keys(root, study, "");
    add_keys(json_object_get(root, "recruiter"), study, "recruiter");
    json_object_set_new(root, "comprehension",
                        questions_json(study->comprehension, study->n_comprehension, false));
    json_object_set_new(root, "debrief", questions_json(study->debrief, study->n_debrief, true));
    return root;
}
