#include "answer/formats/table_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/exports.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MOST_ENTRIES = 16, WORD = 32 };

/* The words of crowd-kit, crowd_truth_infer, Fast-Dawid-Skene, spark-crowd and our own. */
static const char *const role_words[SL_LONG_ROLES][10] = {
    [SL_LONG_ITEM] = {"item", "task", "question", "example", "image", "picture", "photo",
                      "instance", "object", NULL},
    [SL_LONG_WORKER] = {"worker", "annotator", "user", "rater", "performer", "subject", "person",
                        "participant", NULL},
    [SL_LONG_LABEL] = {"label", "answer", "value", "class", "response", "vote", "choice", NULL},
    [SL_LONG_P] = {"p", "prob", "proba", "probability", NULL},
    [SL_LONG_MS] = {"ms", "time_ms", "milliseconds", NULL},
    [SL_LONG_CONFIDENCE] = {"confidence", NULL},
    [SL_LONG_TRUTH] = {"truth", "gold", "true_label", "gold_label", "ground_truth", NULL},
};
static const char *const role_names[SL_LONG_ROLES] = {"item", "worker",     "label", "p",
                                                      "ms",   "confidence", "truth"};
static const char role_list[] = "item, worker, label, p, ms, confidence, truth";

static bool equals(struct sl_field field, const char *word)
{
    return field.length == strlen(word) && memcmp(field.text, word, field.length) == 0;
}

static enum sl_long_role exact_role(struct sl_field word)
{
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        for (const char *const *known = role_words[role]; *known; known++)
            if (equals(word, *known)) return (enum sl_long_role)role;
    return SL_LONG_ROLES;
}

/* The role that a word stands for, ignoring capitals and "_id" or "id" at its end (WorkerId), or
 * SL_LONG_ROLES. */
static enum sl_long_role loose_role(struct sl_field word)
{
    char text[WORD];
    if (word.length >= sizeof text) return SL_LONG_ROLES;
    for (size_t i = 0; i < word.length; i++)
        text[i] = word.text[i] >= 'A' && word.text[i] <= 'Z' ? (char)(word.text[i] + 'a' - 'A')
                                                             : word.text[i];
    size_t length = word.length;
    enum sl_long_role role = exact_role((struct sl_field){text, length});
    if (role != SL_LONG_ROLES || length < 3 || memcmp(text + length - 2, "id", 2) != 0) return role;
    length -= text[length - 3] == '_' || text[length - 3] == ' ' ? 3 : 2;
    role = exact_role((struct sl_field){text, length});
    return role == SL_LONG_ITEM || role == SL_LONG_WORKER ? role : SL_LONG_ROLES;
}

bool sl_is_label_word(struct sl_field word)
{
    return loose_role(word) == SL_LONG_LABEL;
}

struct sl_field sl_long_column_class(struct sl_field name)
{
    if (name.length < 3 || memcmp(name.text, "p_", 2) != 0) return (struct sl_field){"", 0};
    return sl_csv_class((struct sl_field){name.text + 2, name.length - 2});
}

static bool is_taken(const size_t *place, size_t column)
{
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        if (place[role] == column) return true;
    return false;
}

/* Find the columns of the roles from `from` up to `to` that are not known yet, by the words of the
 * header: exact words come before similar ones, and a column has only one role. `found` counts the
 * columns of each role. */
static void by_words(const struct sl_csv_record *header, unsigned from, unsigned to, size_t *place,
                     size_t *found)
{
    for (unsigned role = from; role < to; role++) {
        size_t at = SIZE_MAX;
        found[role] = place[role] != SIZE_MAX;
        if (found[role]) continue;
        for (int loose = 0; loose < 2 && found[role] == 0; loose++)
            for (size_t i = 0; i < header->count; i++) {
                const struct sl_field name = header->fields[i];
                if ((loose ? loose_role(name) : exact_role(name)) != role) continue;
                if (is_taken(place, i)) continue;
                at = i;
                found[role]++;
            }
        if (found[role] == 1) place[role] = at;
    }
}

struct entry {
    struct sl_field role, name; /* role.length 0: no role was given */
};

static enum sl_status split(const char *columns, struct entry *out, size_t *count, bool *named,
                            struct sl_error *err)
{
    *count = 0;
    *named = false;
    for (const char *at = columns;; at++) {
        const size_t length = strcspn(at, ",");
        const char *equal = memchr(at, '=', length);
        if (*count == MOST_ENTRIES)
            return sl_fail(err, SL_ERR_USAGE, "more than %d columns: \"%s\"", MOST_ENTRIES,
                           columns);
        struct entry *entry = &out[(*count)++];
        *entry = (struct entry){.name = {at, length}};
        if (equal) {
            *named = true;
            entry->role = (struct sl_field){at, (size_t)(equal - at)};
            entry->name = (struct sl_field){equal + 1, length - entry->role.length - 1};
        }
        at += length;
        if (*at == '\0') return SL_OK;
    }
}

enum sl_status sl_columns_pairs(const char *columns, unsigned roles,
                                struct sl_field out[SL_LONG_ROLES], struct sl_error *err)
{
    struct entry entries[MOST_ENTRIES];
    size_t count = 0;
    bool named = false;
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        out[role] = (struct sl_field){"", 0};
    if (!columns) return SL_OK;
    SL_TRY(split(columns, entries, &count, &named, err));
    for (size_t i = 0; i < count; i++) {
        const enum sl_long_role role = exact_role(entries[i].role);
        if (entries[i].role.length == 0 || entries[i].name.length == 0)
            return sl_fail(err, SL_ERR_USAGE,
                           "--columns: this format takes pairs, such as label=NAME, got \"%s\"",
                           columns);
        if (role == SL_LONG_ROLES || !(roles & 1u << role))
            return sl_fail(err, SL_ERR_USAGE, "--columns: \"%.*s\" has no choice in this format",
                           (int)entries[i].role.length, entries[i].role.text);
        if (out[role].length > 0)
            return sl_fail(err, SL_ERR_USAGE, "--columns: %s is named twice", role_names[role]);
        out[role] = entries[i].name;
    }
    return SL_OK;
}

static size_t find_column(const struct sl_csv_record *header, struct sl_field name)
{
    for (size_t i = 0; i < header->count; i++)
        if (header->fields[i].length == name.length &&
            memcmp(header->fields[i].text, name.text, name.length) == 0)
            return i;
    return SIZE_MAX;
}

static void append_name(char *list, size_t size, struct sl_field name)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.*s", used ? ", " : "",
             name.length > 40 ? 40 : (int)name.length, name.text);
}

static enum sl_status fail_absent(const struct sl_csv *csv, const struct sl_csv_record *first,
                                  struct sl_field name, struct sl_error *err)
{
    char there[200] = "";
    for (size_t i = 0; i < first->count; i++)
        append_name(there, sizeof there, first->fields[i]);
    return sl_csv_fail(csv, first->line, err, "no column \"%.*s\" in the header line; it has %s",
                       sl_field_shown(name), name.text, there);
}

/* "task,person,verdict": three names in the order item, worker, label, or known words in any
 * order. */
static enum sl_status roles_in_order(const char *columns, const struct entry *entries, size_t count,
                                     enum sl_long_role *roles, bool *spoken, struct sl_error *err)
{
    unsigned seen = 0;
    *spoken = true;
    for (size_t i = 0; i < count; i++) {
        roles[i] = exact_role(entries[i].name);
        *spoken = *spoken && roles[i] != SL_LONG_ROLES && !(seen & 1u << roles[i]);
        if (roles[i] != SL_LONG_ROLES) seen |= 1u << roles[i];
    }
    const unsigned needed = 1u << SL_LONG_ITEM | 1u << SL_LONG_WORKER | 1u << SL_LONG_LABEL;
    if (*spoken && (seen & needed) == needed) return SL_OK;
    *spoken = false;
    for (unsigned i = 0; i < 3; i++)
        roles[i] = (enum sl_long_role)i;
    if (count == 3) return SL_OK;
    return sl_fail(
        err, SL_ERR_USAGE,
        "--columns: expected three columns, such as item,worker,label, or pairs, such as "
        "item=task,label=verdict, got \"%s\"",
        columns);
}

static enum sl_status place_in_order(const struct sl_csv *csv, const struct sl_csv_record *first,
                                     const char *columns, const struct entry *entries, size_t count,
                                     struct sl_long_columns *out, struct sl_error *err)
{
    enum sl_long_role roles[MOST_ENTRIES];
    size_t n_found = 0, absent = 0;
    bool spoken = false;
    SL_TRY(roles_in_order(columns, entries, count, roles, &spoken, err));
    for (size_t i = 0; i < count; i++) {
        const size_t place = find_column(first, entries[i].name);
        out->place[roles[i]] = place;
        if (place != SIZE_MAX)
            n_found++;
        else if (n_found == i)
            absent = i;
    }
    out->header = n_found > 0;
    if (n_found == count) return SL_OK;
    if (n_found > 0 || !spoken || first->count != count)
        return fail_absent(csv, first, entries[absent].name, err);
    for (size_t i = 0; i < count; i++)
        out->place[roles[i]] = i;
    return SL_OK;
}

static enum sl_status place_named(const struct sl_csv *csv, const struct sl_csv_record *header,
                                  const struct entry *entries, size_t count,
                                  struct sl_long_columns *out, struct sl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct sl_field word = entries[i].role.length ? entries[i].role : entries[i].name;
        const struct sl_field name = entries[i].name;
        const enum sl_long_role role = exact_role(word);
        if (role == SL_LONG_ROLES)
            return sl_fail(err, SL_ERR_USAGE, "--columns: \"%.*s\" is not one of %s",
                           (int)word.length, word.text, role_list);
        if (out->place[role] != SIZE_MAX)
            return sl_fail(err, SL_ERR_USAGE, "--columns: %s is named twice", role_names[role]);
        out->place[role] = find_column(header, name);
        if (out->place[role] == SIZE_MAX) return fail_absent(csv, header, name, err);
    }
    return SL_OK;
}

static size_t count_probabilities(const struct sl_csv_record *header)
{
    size_t count = 0;
    for (size_t i = 0; i < header->count; i++)
        count += sl_long_column_class(header->fields[i]).length > 0;
    return count;
}

static enum sl_status check_taken_once(const struct sl_csv_record *first,
                                       const struct sl_long_columns *columns, struct sl_error *err)
{
    for (unsigned b = 0; b < SL_LONG_ROLES; b++)
        for (unsigned a = 0; a < b; a++) {
            const size_t place = columns->place[b];
            if (place == SIZE_MAX || columns->place[a] != place) continue;
            const struct sl_field name = first->fields[place];
            return sl_fail(
                err, SL_ERR_USAGE,
                "--columns: column \"%.*s\" stands for both %s and %s; name a column for "
                "each",
                sl_field_shown(name), name.text, role_names[a], role_names[b]);
        }
    return SL_OK;
}

/* The kind of table that the columns make. */
static enum sl_table_kind kind_of(const struct sl_long_columns *columns,
                                  const struct sl_csv_record *first)
{
    if (columns->place[SL_LONG_LABEL] != SIZE_MAX)
        return columns->place[SL_LONG_P] != SIZE_MAX ? SL_TABLE_PROBS_LONG : SL_TABLE_VOTES;
    return columns->header && count_probabilities(first) > 0 ? SL_TABLE_PROBS_WIDE : SL_TABLE_ANY;
}

static enum sl_status check_kind(const struct sl_csv *csv, const struct sl_csv_record *first,
                                 enum sl_table_kind found, enum sl_table_kind wanted,
                                 struct sl_error *err)
{
    static const char *const formats[] = {[SL_TABLE_VOTES] = "long-csv",
                                          [SL_TABLE_PROBS_LONG] = "probs-long",
                                          [SL_TABLE_PROBS_WIDE] = "probs-wide"};
    static const char *const why[] = {[SL_TABLE_VOTES] = "has no column of probabilities",
                                      [SL_TABLE_PROBS_LONG] = "has a column of probabilities",
                                      [SL_TABLE_PROBS_WIDE] = "has columns p_<class>"};
    if (wanted == SL_TABLE_ANY || wanted == found || found == SL_TABLE_ANY) return SL_OK;
    return sl_csv_fail(
        csv, first->line, err,
        "the table %s, so its format is %s, not %s; to read it as %s, name %s in --columns",
        why[found], formats[found], formats[wanted], formats[wanted],
        wanted == SL_TABLE_PROBS_LONG ? "item, worker, label and p" : "item, worker and label");
}

/* Whether no column has this role. */
static bool is_open(const struct sl_long_columns *columns, unsigned role)
{
    return columns->place[role] == SIZE_MAX;
}

static enum sl_status fail_missing(const struct sl_csv *csv, const struct sl_csv_record *first,
                                   unsigned role, size_t found, struct sl_error *err)
{
    const char *instead = role == SL_LONG_LABEL && found == 0 ? " and none called p_<class>" : "";
    return sl_csv_fail(
        csv, first->line, err,
        "expected one column called %s or similar, found %zu%s; give --columns %s=NAME",
        role_names[role], found, instead, role_names[role]);
}

/* Neither annotators nor labels: a table without a header, of unknown words or of another layout.
 */
static enum sl_status fail_unknown(const struct sl_csv *csv, const struct sl_csv_record *first,
                                   struct sl_error *err)
{
    return sl_csv_fail(csv, first->line, err,
                       "no columns are called item, worker and label, or similar; name them with "
                       "--columns ITEM,WORKER,LABEL, also if this line is no header; for a column "
                       "per annotator: softlab import --from wide");
}

static enum sl_status check_roles(const struct sl_csv *csv, const struct sl_csv_record *first,
                                  const struct sl_long_columns *columns, const size_t *found,
                                  struct sl_error *err)
{
    const bool wide = columns->kind == SL_TABLE_PROBS_WIDE;
    if (!wide && found[SL_LONG_WORKER] == 0 && found[SL_LONG_LABEL] == 0 &&
        is_open(columns, SL_LONG_WORKER) && is_open(columns, SL_LONG_LABEL))
        return fail_unknown(csv, first, err);
    for (unsigned role = 0; role < (wide ? SL_LONG_LABEL : SL_LONG_P); role++)
        if (is_open(columns, role)) return fail_missing(csv, first, role, found[role], err);
    if (columns->kind == SL_TABLE_PROBS_LONG && is_open(columns, SL_LONG_P))
        return fail_missing(csv, first, SL_LONG_P, found[SL_LONG_P], err);
    return SL_OK;
}

static void name_left(const struct sl_csv_record *header, struct sl_long_columns *out)
{
    for (size_t i = 0; i < header->count; i++) {
        bool read = out->bare || (out->kind == SL_TABLE_PROBS_WIDE &&
                                  sl_long_column_class(header->fields[i]).length > 0);
        for (unsigned role = 0; role < SL_LONG_ROLES; role++)
            read = read || out->place[role] == i;
        if (!read) append_name(out->left, sizeof out->left, header->fields[i]);
    }
}

enum sl_status sl_long_columns_find(const struct sl_csv *csv, const struct sl_csv_record *first,
                                    const char *columns, enum sl_table_kind kind,
                                    struct sl_long_columns *out, struct sl_error *err)
{
    struct sl_long_columns found = {.header = true};
    struct entry entries[MOST_ENTRIES];
    size_t count = 0, n_found[SL_LONG_ROLES] = {0};
    bool named = false;
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        found.place[role] = SIZE_MAX;
    SL_TRY(sl_csv_check_commas(csv, first, err));
    if (columns) SL_TRY(split(columns, entries, &count, &named, err));
    if (columns && !named)
        SL_TRY(place_in_order(csv, first, columns, entries, count, &found, err));
    else if (columns)
        SL_TRY(place_named(csv, first, entries, count, &found, err));
    if (columns) SL_TRY(check_taken_once(first, &found, err));
    if (!columns || named)
        by_words(first, 0, SL_LONG_ROLES, found.place, n_found);
    else if (found.header && kind != SL_TABLE_VOTES && kind != SL_TABLE_PROBS_WIDE)
        /* Three names may leave out the probabilities of a table with a line per class, whose lines
         * are not votes. */
        by_words(first, SL_LONG_P, SL_LONG_P + 1, found.place, n_found);
    if (kind == SL_TABLE_ANY && n_found[SL_LONG_P] > 1)
        return fail_missing(csv, first, SL_LONG_P, n_found[SL_LONG_P], err);
    found.kind = kind_of(&found, first);
    SL_TRY(check_kind(csv, first, found.kind, kind, err));
    if (found.kind == SL_TABLE_ANY) found.kind = kind == SL_TABLE_ANY ? SL_TABLE_VOTES : kind;
    SL_TRY(check_roles(csv, first, &found, n_found, err));
    found.bare = found.kind == SL_TABLE_PROBS_WIDE && count_probabilities(first) == 0;
    if (!columns || named) name_left(first, &found);
    *out = found;
    return SL_OK;
}

enum sl_status sl_columns_place(const struct sl_field *names, size_t count, const char *columns,
                                size_t place[SL_LONG_ROLES], struct sl_error *err)
{
    const unsigned roles = 1u << SL_LONG_ITEM | 1u << SL_LONG_WORKER | 1u << SL_LONG_LABEL;
    const struct sl_csv_record record = {names, count, 0};
    struct sl_field named[SL_LONG_ROLES];
    size_t found[SL_LONG_ROLES] = {0};
    SL_TRY(sl_columns_pairs(columns, roles, named, err));
    for (unsigned role = 0; role < SL_LONG_ROLES; role++) {
        place[role] = named[role].length > 0 ? find_column(&record, named[role]) : SIZE_MAX;
        if (named[role].length > 0 && place[role] == SIZE_MAX)
            return sl_fail(err, SL_ERR_INPUT, "no column is called \"%.*s\"",
                           sl_field_shown(named[role]), named[role].text);
    }
    by_words(&record, SL_LONG_ITEM, SL_LONG_P, place, found);
    for (unsigned role = 0; role < SL_LONG_P; role++)
        if (place[role] == SIZE_MAX)
            return sl_fail(err, SL_ERR_INPUT,
                           "expected one column called %s or similar, found %zu; name it by "
                           "%s=NAME",
                           role_names[role], found[role], role_names[role]);
    return SL_OK;
}

enum sl_status sl_answer_columns(const char *const *names, size_t count, size_t place[3],
                                 struct sl_error *err)
{
    struct sl_field *fields = sl_alloc(count + 1, sizeof *fields);
    size_t found[SL_LONG_ROLES];
    for (size_t i = 0; i < count; i++)
        fields[i] = (struct sl_field){names[i], strlen(names[i])};
    const enum sl_status status = sl_columns_place(fields, count, NULL, found, err);
    free(fields);
    if (status == SL_OK) memcpy(place, found, 3 * sizeof *place);
    return status;
}

enum sl_status sl_long_columns_look(const char *path, const char *columns, enum sl_table_kind kind,
                                    struct sl_long_columns *out, struct sl_error *err)
{
    const struct sl_csv_options options = sl_long_csv_options(path);
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(sl_csv_next(csv, &record, err));
    if (record.count == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: empty, expected a header line", path));
    SL_TRY_OUT(sl_long_columns_find(csv, &record, columns, kind, out, err));
out:
    sl_csv_close(csv);
    return status;
}

void sl_long_columns_warn(const struct sl_long_columns *columns, unsigned more, const char *path,
                          struct sl_import_notes *notes)
{
    char left[sizeof columns->left];
    memcpy(left, columns->left, sizeof left);
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        if (more & 1u << role && columns->place[role] != SIZE_MAX)
            append_name(left, sizeof left,
                        (struct sl_field){role_names[role], strlen(role_names[role])});
    if (notes && left[0])
        sl_log(notes->log, SL_LOG_WARNING, "%s: these columns are not read: %s", path, left);
}

struct sl_csv_options sl_long_csv_options(const char *path)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.header = false;
    if (sl_path_has_suffix(path, ".tsv") || sl_path_has_suffix(path, ".tsv.gz")) {
        options.delimiter = '\t';
        options.quoting = false;
    }
    return options;
}
