/* Reading answers-csv. Lines of one answer that contradict each other, a part that its kind does
 * not have, a class twice, and numbers out of range stop the import with file and line. */
#include "answer/formats/answers_csv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* The parts that an answer of each kind has. */
static const unsigned parts_of[] = {
    [SL_ANSWER_HARD] = 1u << SL_PART_TOP,
    [SL_ANSWER_SOFT] = 1u << SL_PART_TOP | 1u << SL_PART_IMPOSSIBLE,
    [SL_ANSWER_SELECT] = 1u << SL_PART_TOP | 1u << SL_PART_IMPOSSIBLE,
    [SL_ANSWER_DIST] = 1u << SL_PART_DIST,
    [SL_ANSWER_MIX] = 1u << SL_PART_A | 1u << SL_PART_B,
};

/* The answer whose lines are being read. */
struct gathered_answer {
    struct sl_answer answer;
    int64_t number;            /* 0: none */
    size_t line;               /* its first */
    struct sl_buffer key;      /* what its lines have in common, to compare them */
    struct sl_buffer names[4]; /* item, worker, batch, study */
    struct sl_belief *top;     /* owned */
    uint32_t *impossible;      /* owned */
    size_t top_capacity, impossible_capacity;
    float *distribution; /* owned; n_classes; NaN = not stated */
    unsigned parts;      /* those met */
};

struct answers_csv_reading {
    const char *path;          /* borrowed */
    struct sl_hard_pass *pass; /* borrowed */
    size_t place[SL_ANSWER_COLUMNS];
    struct gathered_answer now;
};

static struct sl_field cell(const struct answers_csv_reading *reading,
                            const struct sl_csv_record *record, enum sl_answer_column column)
{
    const bool is_class = column == SL_COLUMN_LABEL || column == SL_COLUMN_TRUTH;
    const struct sl_field field = record->fields[reading->place[column]];
    return is_class ? sl_csv_class(field) : sl_csv_plain(field);
}

static bool is(struct sl_field field, const char *word)
{
    return field.length == strlen(word) && memcmp(field.text, word, field.length) == 0;
}

/* The index of a word among `count` names, or an error. */
static enum sl_status find_word(struct sl_field field, const char *const *names, size_t count,
                                const char *column, size_t *out, struct sl_error *err)
{
    for (*out = 0; *out < count; (*out)++)
        if (is(field, names[*out])) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s \"%.*s\" is unknown", column, sl_field_shown(field),
                   field.text);
}

static enum sl_status read_number(struct sl_field field, const char *column, double least,
                                  double most, float *out, struct sl_error *err)
{
    double value = 0;
    *out = NAN;
    if (field.length == 0) return SL_OK;
    if (!sl_text_to_real(field.text, field.length, &value) || !(value >= least && value <= most))
        return sl_fail(err, SL_ERR_INPUT, "%s \"%.*s\" is not a number from %g to %g", column,
                       sl_field_shown(field), field.text, least, most);
    *out = (float)value;
    return SL_OK;
}

/* ---- What an answer says as a whole ---- */

static enum sl_status read_marks(struct sl_field marks, unsigned *flags, struct sl_error *err)
{
    for (size_t at = 0; at < marks.length;) {
        const char *blank = memchr(marks.text + at, ' ', marks.length - at);
        const size_t end = blank ? (size_t)(blank - marks.text) : marks.length;
        const struct sl_field word = {marks.text + at, end - at};
        size_t i = 0;
        while (i < SL_ANSWER_MARKS && !is(word, sl_answer_marks[i].name))
            i++;
        if (i == SL_ANSWER_MARKS)
            return sl_fail(err, SL_ERR_INPUT,
                           "mark \"%.*s\" is not one of repeat, second_run, check",
                           sl_field_shown(word), word.text);
        *flags |= sl_answer_marks[i].flag;
        at = end + 1;
    }
    return SL_OK;
}

static enum sl_status read_trial(struct sl_field field, int64_t *out, struct sl_error *err)
{
    if (field.length == 0) return SL_OK;
    if (sl_text_to_integer(field.text, field.length, out) && *out >= 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "trial \"%.*s\" is not a whole number of at least 0",
                   sl_field_shown(field), field.text);
}

/* Copies, since the fields of a record last until the next one. */
static void keep_names(const struct answers_csv_reading *reading,
                       const struct sl_csv_record *record, struct gathered_answer *now)
{
    static const enum sl_answer_column columns[] = {SL_COLUMN_ITEM, SL_COLUMN_WORKER,
                                                    SL_COLUMN_BATCH, SL_COLUMN_STUDY};
    struct sl_field *const out[] = {&now->answer.item, &now->answer.annotator, &now->answer.batch,
                                    &now->answer.study};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct sl_field field = cell(reading, record, columns[i]);
        sl_buffer_clear(&now->names[i]);
        sl_buffer_append(&now->names[i], field.text, field.length);
        sl_buffer_byte(&now->names[i], '\0');
        *out[i] = (struct sl_field){now->names[i].data, field.length};
    }
}

static enum sl_status begin_answer(struct answers_csv_reading *reading,
                                   const struct sl_csv_record *record, struct sl_error *err)
{
    struct gathered_answer *now = &reading->now;
    const struct sl_import *import = sl_hard_pass_import(reading->pass);
    const struct sl_field truth = cell(reading, record, SL_COLUMN_TRUTH);
    size_t kind = 0;
    uint32_t class_index = 0;
    now->answer = sl_answer_empty();
    now->line = record->line;
    now->parts = 0;
    for (size_t k = 0; k < sl_import_class_count(import); k++)
        now->distribution[k] = NAN;
    keep_names(reading, record, now);
    SL_TRY(find_word(cell(reading, record, SL_COLUMN_KIND), sl_answer_kind_names, SL_ANSWER_MIX + 1,
                     "kind", &kind, err));
    now->answer.kind = (enum sl_answer_kind)kind;
    SL_TRY(sl_answer_measures(cell(reading, record, SL_COLUMN_MS),
                              cell(reading, record, SL_COLUMN_CONFIDENCE), &now->answer, err));
    if (truth.length > 0) {
        SL_TRY(sl_import_class(import, truth.text, truth.length, &class_index, err));
        now->answer.truth = (int32_t)class_index;
    }
    SL_TRY(read_trial(cell(reading, record, SL_COLUMN_TRIAL), &now->answer.trial, err));
    SL_TRY(read_marks(cell(reading, record, SL_COLUMN_MARKS), &now->answer.flags, err));
    return read_number(cell(reading, record, SL_COLUMN_GENERATED), "generated", 0, 1,
                       &now->answer.mix.generated, err);
}

/* ---- Lines ---- */

static void add_top(struct gathered_answer *now, uint32_t label, float p)
{
    if (now->answer.n_top == now->top_capacity) {
        now->top_capacity = now->top_capacity * 2 + 8;
        now->top = sl_resize(now->top, now->top_capacity, sizeof *now->top);
    }
    now->top[now->answer.n_top++] = (struct sl_belief){label, p};
}

static void add_impossible(struct gathered_answer *now, uint32_t label)
{
    if (now->answer.n_impossible == now->impossible_capacity) {
        now->impossible_capacity = now->impossible_capacity * 2 + 8;
        now->impossible =
            sl_resize(now->impossible, now->impossible_capacity, sizeof *now->impossible);
    }
    now->impossible[now->answer.n_impossible++] = label;
}

static void add_part(struct gathered_answer *now, enum sl_answer_part part, uint32_t label, float p)
{
    struct sl_mix_answer *mix = &now->answer.mix;
    switch (part) {
    case SL_PART_TOP: add_top(now, label, p); break;
    case SL_PART_IMPOSSIBLE: add_impossible(now, label); break;
    case SL_PART_DIST: now->distribution[label] = p; break;
    case SL_PART_A:
        mix->a = label;
        mix->lambda = p;
        break;
    case SL_PART_B: mix->b = label; break;
    case SL_ANSWER_PARTS: break;
    }
    now->parts |= 1u << part;
}

static enum sl_status read_part(struct answers_csv_reading *reading,
                                const struct sl_csv_record *record, struct sl_error *err)
{
    struct gathered_answer *now = &reading->now;
    const struct sl_field label = cell(reading, record, SL_COLUMN_LABEL);
    const enum sl_answer_kind kind = now->answer.kind;
    const bool pair = kind == SL_ANSWER_MIX;
    const double most = pair ? 1 : (double)FLT_MAX;
    size_t part = 0;
    uint32_t class_index = 0;
    float p = NAN;
    SL_TRY(find_word(cell(reading, record, SL_COLUMN_PART), sl_answer_part_names, SL_ANSWER_PARTS,
                     "part", &part, err));
    if (!(parts_of[kind] & 1u << part))
        return sl_fail(err, SL_ERR_INPUT, "an answer of kind %s has no part \"%s\"",
                       sl_answer_kind_names[kind], sl_answer_part_names[part]);
    SL_TRY(sl_import_class(sl_hard_pass_import(reading->pass), label.text, label.length,
                           &class_index, err));
    if ((part == SL_PART_DIST && !isnan(now->distribution[class_index])) ||
        (pair && now->parts & 1u << part))
        return sl_fail(err, SL_ERR_INPUT, "the answer has part \"%s\" of class \"%.*s\" twice",
                       sl_answer_part_names[part], sl_field_shown(label), label.text);
    /* A slip of an annotator may be any number, also below 0. */
    SL_TRY(read_number(cell(reading, record, SL_COLUMN_P), "p", kind == SL_ANSWER_SOFT ? -most : 0,
                       most, &p, err));
    if (isnan(p) && (part == SL_PART_DIST || part == SL_PART_A))
        return sl_fail(err, SL_ERR_INPUT, "p is empty");
    add_part(now, (enum sl_answer_part)part, class_index, p);
    return SL_OK;
}

static enum sl_status finish_answer(struct answers_csv_reading *reading, struct sl_error *err)
{
    struct gathered_answer *now = &reading->now;
    struct sl_import *import = sl_hard_pass_import(reading->pass);
    if (now->number == 0) return SL_OK;
    for (size_t k = 0; now->answer.kind == SL_ANSWER_DIST && k < sl_import_class_count(import); k++)
        if (isnan(now->distribution[k])) now->distribution[k] = 0;
    if (now->answer.kind == SL_ANSWER_MIX && now->parts != parts_of[SL_ANSWER_MIX])
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: a mix needs the parts a and b", reading->path,
                       now->line);
    now->answer.top = now->top;
    now->answer.impossible = now->impossible;
    if (now->answer.kind == SL_ANSWER_DIST) now->answer.distribution = now->distribution;
    sl_import_at(import, reading->path, now->line);
    enum sl_status status = sl_answer_check(&now->answer, sl_import_class_count(import), err);
    if (status == SL_OK) status = sl_import_put(import, &now->answer, err);
    return sl_at_line(status, reading->path, now->line, err);
}

/* What the lines of an answer must have in common. */
static void append_key(const struct answers_csv_reading *reading,
                       const struct sl_csv_record *record, struct sl_buffer *out)
{
    sl_buffer_clear(out);
    for (unsigned column = 0; column < SL_ANSWER_COLUMNS; column++) {
        const struct sl_field field = record->fields[reading->place[column]];
        if (column == SL_COLUMN_PART || column == SL_COLUMN_LABEL || column == SL_COLUMN_P)
            continue;
        sl_buffer_append(out, field.text, field.length);
        sl_buffer_byte(out, '\n');
    }
}

static enum sl_status read_line(struct answers_csv_reading *reading,
                                const struct sl_csv_record *record, struct sl_buffer *key,
                                struct sl_error *err)
{
    struct gathered_answer *now = &reading->now;
    const struct sl_field text = cell(reading, record, SL_COLUMN_ANSWER);
    int64_t number = 0;
    if (!sl_text_to_integer(text.text, text.length, &number) || number < now->number || number < 1)
        return sl_fail(err, SL_ERR_INPUT,
                       "answer \"%.*s\" is not a number of at least %lld; answers are numbered "
                       "upwards, and the lines of each stand together",
                       sl_field_shown(text), text.text,
                       (long long)(now->number > 1 ? now->number : 1));
    append_key(reading, record, key);
    if (number == now->number) {
        if (key->length == now->key.length && memcmp(key->data, now->key.data, key->length) == 0)
            return read_part(reading, record, err);
        return sl_fail(err, SL_ERR_INPUT,
                       "answer %lld differs from its line %zu in more than part, label and p",
                       (long long)number, now->line);
    }
    SL_TRY(finish_answer(reading, err));
    now->number = 0;
    SL_TRY(begin_answer(reading, record, err));
    now->number = number;
    sl_buffer_clear(&now->key);
    sl_buffer_append(&now->key, key->data, key->length);
    return read_part(reading, record, err);
}

static enum sl_status collect_line(const struct answers_csv_reading *reading,
                                   const struct sl_csv_record *record, struct sl_error *err)
{
    const struct sl_field label = cell(reading, record, SL_COLUMN_LABEL);
    const struct sl_field truth = cell(reading, record, SL_COLUMN_TRUTH);
    if (label.length == 0) return sl_fail(err, SL_ERR_INPUT, "the line names no class");
    SL_TRY(sl_hard_pass_collect(reading->pass, label, err));
    return truth.length > 0 ? sl_hard_pass_collect(reading->pass, truth, err) : SL_OK;
}

/* ---- Files ---- */

static void release(struct gathered_answer *now)
{
    for (size_t i = 0; i < sizeof now->names / sizeof *now->names; i++)
        sl_buffer_release(&now->names[i]);
    sl_buffer_release(&now->key);
    free(now->top);
    free(now->impossible);
    free(now->distribution);
}

static enum sl_status read_answers_csv(const char *path, const void *settings,
                                       struct sl_hard_pass *pass, struct sl_error *err)
{
    (void)settings;
    const struct sl_csv_options options = sl_csv_options_default();
    const bool collects = sl_hard_pass_collects(pass);
    struct answers_csv_reading reading = {.path = path, .pass = pass};
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    struct sl_buffer key;
    enum sl_status status = SL_OK;
    sl_buffer_init(&key, SIZE_MAX);
    sl_buffer_init(&reading.now.key, SIZE_MAX);
    for (size_t i = 0; i < sizeof reading.now.names / sizeof *reading.now.names; i++)
        sl_buffer_init(&reading.now.names[i], SIZE_MAX);
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    for (unsigned i = 0; i < SL_ANSWER_COLUMNS; i++)
        SL_TRY_OUT(sl_csv_column(csv, sl_answer_column_names[i], &reading.place[i], err));
    if (!collects) {
        const size_t n_classes = sl_import_class_count(sl_hard_pass_import(pass));
        reading.now.distribution = sl_data_zeroed(n_classes, sizeof(float), err);
        if (!reading.now.distribution) SL_TRY_OUT(SL_ERR_NOMEM);
    }
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(sl_at_line(collects ? collect_line(&reading, &record, err)
                                       : read_line(&reading, &record, &key, err),
                              path, record.line, err));
    }
    if (!collects) SL_TRY_OUT(finish_answer(&reading, err));
out:
    sl_csv_close(csv);
    sl_buffer_release(&key);
    release(&reading.now);
    return status;
}

SL_IMPORTER(sl_import_answers_csv)
{
    const struct sl_hard_reader reader = {read_answers_csv, NULL};
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}
