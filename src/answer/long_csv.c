#include "answer/long_csv.h"

#include <string.h>

/* The words of crowd-kit, crowd_truth_infer, Fast-Dawid-Skene, spark-crowd and our own. */
static const char *const role_words[SL_LONG_ROLES][8] = {
    [SL_LONG_ITEM] = {"item", "task", "question", "example", "image", "instance", "object", NULL},
    [SL_LONG_WORKER] = {"worker", "annotator", "user", "rater", "performer", "subject", NULL},
    [SL_LONG_LABEL] = {"label", "answer", "value", "class", "response", NULL},
};
static const char *const role_names[SL_LONG_ROLES] = {"item", "worker", "label"};

static bool equals(struct sl_field field, const char *word)
{
    return field.length == strlen(word) && memcmp(field.text, word, field.length) == 0;
}

/* The role a word stands for, or SL_LONG_ROLES. */
static enum sl_long_role role_of(struct sl_field word)
{
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        for (const char *const *known = role_words[role]; *known; known++)
            if (equals(word, *known)) return (enum sl_long_role)role;
    return SL_LONG_ROLES;
}

/* The fields that stand for one role each; SL_ERR_INPUT if one is missing or doubled. */
static enum sl_status by_words(const struct sl_field *words, size_t count, const char *name,
                               size_t *place, struct sl_error *err)
{
    size_t found[SL_LONG_ROLES] = {0};
    for (size_t i = 0; i < count; i++) {
        enum sl_long_role role = role_of(words[i]);
        if (role == SL_LONG_ROLES) continue;
        if (found[role]++ == 0) place[role] = i;
    }
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        if (found[role] != 1)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: expected one column called %s or the like, found %zu (name the "
                           "columns of item, worker and label)",
                           name, role_names[role], found[role]);
    return SL_OK;
}

static enum sl_status split(const char *columns, struct sl_field *out, struct sl_error *err)
{
    size_t count = 0;
    for (const char *at = columns;; at++) {
        size_t length = strcspn(at, ",");
        if (count < SL_LONG_ROLES) out[count] = (struct sl_field){at, length};
        count++;
        at += length;
        if (*at == '\0') break;
    }
    if (count == SL_LONG_ROLES) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "expected three columns as in item,worker,label, got \"%s\"",
                   columns);
}

enum sl_status sl_long_columns_find(const char *columns, const struct sl_csv_record *first,
                                    const char *name, struct sl_long_columns *out,
                                    struct sl_error *err)
{
    struct sl_long_columns found = {.header = true};
    if (!columns) {
        SL_TRY(by_words(first->fields, first->count, name, found.place, err));
        *out = found;
        return SL_OK;
    }
    struct sl_field words[SL_LONG_ROLES];
    size_t place_of_word[SL_LONG_ROLES], n_found = 0;
    size_t word_of_role[SL_LONG_ROLES] = {0, 1, 2};
    SL_TRY(split(columns, words, err));
    bool spoken = by_words(words, SL_LONG_ROLES, "", word_of_role, NULL) == SL_OK;
    if (!spoken)
        for (size_t i = 0; i < SL_LONG_ROLES; i++)
            word_of_role[i] = i;
    for (size_t word = 0; word < SL_LONG_ROLES; word++) {
        place_of_word[word] = word;
        for (size_t i = 0; i < first->count; i++) {
            if (first->fields[i].length != words[word].length ||
                memcmp(first->fields[i].text, words[word].text, words[word].length) != 0)
                continue;
            place_of_word[word] = i;
            n_found++;
            break;
        }
    }
    found.header = n_found > 0;
    if (n_found != SL_LONG_ROLES && !(n_found == 0 && spoken && first->count == SL_LONG_ROLES))
        return sl_fail(err, SL_ERR_INPUT, "%s: no columns \"%s\" in its first line", name, columns);
    for (size_t role = 0; role < SL_LONG_ROLES; role++)
        found.place[role] = place_of_word[word_of_role[role]];
    *out = found;
    return SL_OK;
}

struct sl_csv_options sl_long_csv_options(const char *path)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.header = false;
    if (sl_path_has_suffix(path, ".tsv")) {
        options.delimiter = '\t';
        options.quoting = false;
    }
    return options;
}
