/* One line of answers.jsonl as an answer.
 *
 * Keys are rows of a table; each has a function that reads its value. Lines of a file mostly have
 * the same keys in the same order, so the key at the same position of the previous line is tried
 * first. Keys come in any order, so their combination is checked at the end of the line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/jsonl/jsonl.h"
#include "base/text/describe.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { LEAST_LIST = 16 };

enum key {
    KEY_ITEM,
    KEY_ANNOTATOR,
    KEY_KIND,
    KEY_CLASS,
    KEY_TOP,
    KEY_IMPOSSIBLE,
    KEY_DIST,
    KEY_ENDPOINTS,
    KEY_LAMBDA,
    KEY_GENERATED,
    KEY_CONFIDENCE,
    KEY_MS,
    KEY_TRIAL,
    KEY_REPEAT,
    KEY_SECOND_RUN,
    KEY_CHECK,
    KEY_TRUTH,
    KEY_BATCH,
    KEY_STUDY,
    KEY_RAW,
    KEY_INPUTS,
    N_KEYS
};

/* Kinds in the order of enum sl_answer_kind: the keys that each allows, and the one that holds the
 * answer. */
static const struct kind {
    const char *name;
    unsigned allowed;
    enum key needed;
} kinds[] = {
    {"hard", 1u << KEY_CLASS, KEY_CLASS},
    {"soft", 1u << KEY_TOP | 1u << KEY_IMPOSSIBLE, KEY_TOP},
    {"select", 1u << KEY_TOP | 1u << KEY_IMPOSSIBLE, KEY_TOP},
    {"dist", 1u << KEY_DIST, KEY_DIST},
    {"mix", 1u << KEY_ENDPOINTS | 1u << KEY_LAMBDA | 1u << KEY_GENERATED, KEY_LAMBDA},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const unsigned keys_of_kinds = 1u << KEY_CLASS | 1u << KEY_TOP | 1u << KEY_IMPOSSIBLE |
                                      1u << KEY_DIST | 1u << KEY_ENDPOINTS | 1u << KEY_LAMBDA |
                                      1u << KEY_GENERATED;

void sl_record_init(struct sl_record *record, const struct sl_name_table *classes)
{
    *record = (struct sl_record){.classes = classes};
    record->distribution = sl_alloc(sl_name_table_count(classes), sizeof *record->distribution);
}

void sl_record_release(struct sl_record *record)
{
    sl_scan_release(&record->scan);
    free(record->top.beliefs);
    free(record->impossible);
    free(record->distribution);
    *record = (struct sl_record){0};
}

/* "unknown key "tpo"" and the like, at the place `from`. */
static bool refuse_text(struct sl_scan *scan, const char *from, const char *what,
                        struct sl_field text)
{
    char shown[SL_DESCRIBE_SIZE];
    scan->at = from;
    snprintf(scan->problem, sizeof scan->problem, "%s %s", what,
             sl_describe_text(text.text, text.length, shown));
    return false;
}

/* Take null, if that is what comes. */
static bool take_null(struct sl_scan *scan)
{
    if (memcmp(scan->at, "null", 4) != 0) return false;
    scan->at += 4;
    return true;
}

static bool read_text(struct sl_scan *scan, struct sl_field *out)
{
    *out = (struct sl_field){NULL, 0};
    return take_null(scan) || sl_scan_string(scan, out);
}

static bool read_class(struct sl_record *record, uint32_t *out)
{
    struct sl_scan *scan = &record->scan;
    const char *from = scan->at;
    struct sl_field name;
    if (!sl_scan_string(scan, &name)) return false;
    *out = sl_name_table_find(record->classes, name.text, name.length);
    if (*out == SL_NO_NAME) return refuse_text(scan, from, "unknown class", name);
    return true;
}

/* A number of at least `minimum` and at most `maximum`. */
static bool read_number(struct sl_scan *scan, double minimum, double maximum, double *out)
{
    const char *from = scan->at;
    struct sl_scan_number number;
    if (!sl_scan_number(scan, &number)) return false;
    if (number.value >= minimum && number.value <= maximum) {
        *out = number.value + 0.0; /* -0 becomes 0 */
        return true;
    }
    char expected[SL_DESCRIBE_SIZE];
    scan->at = from;
    snprintf(scan->problem, sizeof scan->problem, "expected %s, got %g",
             sl_describe_reals(minimum, maximum, expected), number.value);
    return false;
}

/* A share or null. */
static bool read_share(struct sl_scan *scan, float *out)
{
    double value = (double)NAN;
    if (!take_null(scan) && !read_number(scan, 0, 1, &value)) return false;
    *out = (float)value;
    return true;
}

static bool read_flag(struct sl_record *record, unsigned flag)
{
    char first = 0;
    if (!sl_scan_literal(&record->scan, &first) || first == 'n')
        return sl_scan_refuse(&record->scan, "expected true or false");
    if (first == 't') record->answer.flags |= flag;
    return true;
}

/* The elements of an array, or null for none. */
static bool read_list(struct sl_record *record, bool (*read_element)(struct sl_record *))
{
    struct sl_scan *scan = &record->scan;
    if (take_null(scan)) return true;
    if (*scan->at != '[') return sl_scan_refuse(scan, "expected an array or null");
    scan->at++;
    if (sl_scan_take(scan, ']')) return true;
    do {
        sl_scan_peek(scan);
        if (!read_element(record)) return false;
    } while (sl_scan_take(scan, ','));
    return sl_scan_take(scan, ']') ? true : sl_scan_refuse(scan, "expected ',' or ']'");
}

static bool read_item(struct sl_record *record)
{
    const char *from = record->scan.at;
    if (!sl_scan_string(&record->scan, &record->answer.item)) return false;
    if (record->answer.item.length > 0) return true;
    record->scan.at = from;
    return sl_scan_refuse(&record->scan, "an item has an empty name");
}

static bool read_annotator(struct sl_record *record)
{
    return read_text(&record->scan, &record->answer.annotator);
}

static bool read_kind(struct sl_record *record)
{
    const char *from = record->scan.at;
    struct sl_field name;
    if (!sl_scan_string(&record->scan, &name)) return false;
    for (size_t i = 0; i < N_KINDS; i++) {
        if (strlen(kinds[i].name) != name.length ||
            memcmp(kinds[i].name, name.text, name.length) != 0)
            continue;
        record->answer.kind = (enum sl_answer_kind)i;
        record->has_kind = true;
        return true;
    }
    return refuse_text(&record->scan, from, "unknown kind", name);
}

/* NULL without memory. */
static struct sl_belief *push_belief(struct sl_record_top *top)
{
    if (top->count == top->capacity) {
        const size_t capacity = top->capacity * 2 + LEAST_LIST;
        struct sl_belief *beliefs = sl_data_resize(top->beliefs, capacity, sizeof *beliefs, NULL);
        if (!beliefs) return NULL;
        top->beliefs = beliefs;
        top->capacity = capacity;
    }
    top->beliefs[top->count].probability = NAN;
    return &top->beliefs[top->count++];
}

static bool read_hard_class(struct sl_record *record)
{
    if (take_null(&record->scan)) return true;
    record->answered = true;
    return read_class(record, &record->chosen);
}

/* A probability as given: any number that a float holds, or null. */
static bool read_probability(struct sl_scan *scan, float *out)
{
    const double most = (double)3.4028234e38f;
    double value = (double)NAN;
    if (!take_null(scan) && !read_number(scan, -most, most, &value)) return false;
    *out = (float)value;
    return true;
}

static bool read_top_element(struct sl_record *record)
{
    struct sl_scan *scan = &record->scan;
    struct sl_belief *belief = push_belief(&record->top);
    if (!belief) return sl_scan_exhaust(scan);
    if (*scan->at == '"') {
        record->top.names = true;
        return read_class(record, &belief->class_index);
    }
    if (*scan->at != '[') return sl_scan_refuse(scan, "expected a class or [class, probability]");
    scan->at++;
    record->top.pairs = true;
    sl_scan_peek(scan);
    if (!read_class(record, &belief->class_index)) return false;
    if (!sl_scan_take(scan, ',')) return sl_scan_refuse(scan, "expected ',' and a probability");
    sl_scan_peek(scan);
    if (!read_probability(scan, &belief->probability)) return false;
    return sl_scan_take(scan, ']') ? true : sl_scan_refuse(scan, "expected ']'");
}

static bool read_top(struct sl_record *record)
{
    if (!read_list(record, read_top_element)) return false;
    record->answered = record->top.count > 0;
    return true;
}

static bool read_impossible_element(struct sl_record *record)
{
    size_t *count = &record->answer.n_impossible;
    if (*count == record->impossible_capacity) {
        const size_t capacity = record->impossible_capacity * 2 + LEAST_LIST;
        uint32_t *grown = sl_data_resize(record->impossible, capacity, sizeof *grown, NULL);
        if (!grown) return sl_scan_exhaust(&record->scan);
        record->impossible = grown;
        record->impossible_capacity = capacity;
    }
    return read_class(record, &record->impossible[(*count)++]);
}

static bool read_impossible(struct sl_record *record)
{
    return read_list(record, read_impossible_element);
}

/* While the list is read, n_top counts its numbers. */
static bool read_dist_element(struct sl_record *record)
{
    const size_t n_classes = sl_name_table_count(record->classes);
    double value = 0;
    if (!read_number(&record->scan, 0, (double)3.4028234e38f, &value)) return false;
    if (record->answer.n_top < n_classes) record->distribution[record->answer.n_top] = (float)value;
    record->answer.n_top++;
    return true;
}

static bool read_dist(struct sl_record *record)
{
    const size_t n_classes = sl_name_table_count(record->classes);
    const char *from = record->scan.at;
    if (!read_list(record, read_dist_element)) return false;
    size_t count = record->answer.n_top;
    record->answer.n_top = 0;
    if (count == 0) return true;
    double sum = 0;
    for (size_t i = 0; i < n_classes && i < count; i++)
        sum += (double)record->distribution[i];
    record->answered = count == n_classes && sum > 0;
    if (record->answered) return true;
    record->scan.at = from;
    snprintf(record->scan.problem, sizeof record->scan.problem,
             "expected %zu number%s with a sum above 0, got %zu", n_classes,
             sl_text_plural(n_classes, "", "s"), count);
    return false;
}

static bool read_endpoints(struct sl_record *record)
{
    struct sl_scan *scan = &record->scan;
    if (*scan->at != '[') return sl_scan_refuse(scan, "expected two classes");
    scan->at++;
    sl_scan_peek(scan);
    if (!read_class(record, &record->answer.mix.a)) return false;
    if (!sl_scan_take(scan, ',')) return sl_scan_refuse(scan, "expected ',' and a class");
    sl_scan_peek(scan);
    if (!read_class(record, &record->answer.mix.b)) return false;
    return sl_scan_take(scan, ']') ? true : sl_scan_refuse(scan, "expected ']'");
}

static bool read_lambda(struct sl_record *record)
{
    if (!read_share(&record->scan, &record->answer.mix.lambda)) return false;
    record->answered = !isnan(record->answer.mix.lambda);
    return true;
}

static bool read_generated(struct sl_record *record)
{
    return read_share(&record->scan, &record->answer.mix.generated);
}

static bool read_confidence(struct sl_record *record)
{
    return read_share(&record->scan, &record->answer.mix.confidence);
}

static bool read_ms(struct sl_record *record)
{
    return take_null(&record->scan) ||
           read_number(&record->scan, 0, SL_LONGEST_MS, &record->answer.ms);
}

static bool read_trial(struct sl_record *record)
{
    struct sl_scan_number number;
    const char *from = record->scan.at;
    if (take_null(&record->scan)) return true;
    if (!sl_scan_number(&record->scan, &number)) return false;
    if (number.is_integer && number.integer >= 0) {
        record->answer.trial = number.integer;
        return true;
    }
    record->scan.at = from;
    return sl_scan_refuse(&record->scan, "expected an integer of at least 0");
}

static bool read_repeat(struct sl_record *record)
{
    return read_flag(record, SL_ANSWER_REPEAT);
}

static bool read_second_run(struct sl_record *record)
{
    return read_flag(record, SL_ANSWER_SECOND_RUN);
}

static bool read_check(struct sl_record *record)
{
    return read_flag(record, SL_ANSWER_CHECK);
}

static bool read_truth(struct sl_record *record)
{
    uint32_t truth = 0;
    if (take_null(&record->scan)) return true;
    if (!read_class(record, &truth)) return false;
    record->answer.truth = (int32_t)truth;
    return true;
}

static bool read_batch(struct sl_record *record)
{
    return read_text(&record->scan, &record->answer.batch);
}

static bool read_study(struct sl_record *record)
{
    return read_text(&record->scan, &record->answer.study);
}

static bool read_raw(struct sl_record *record)
{
    struct sl_scan *scan = &record->scan;
    if (take_null(scan)) return true;
    if (*scan->at != '[') return sl_scan_refuse(scan, "expected two texts");
    scan->at++;
    sl_scan_peek(scan);
    if (!read_text(scan, &record->answer.raw[0])) return false;
    if (!sl_scan_take(scan, ',')) return sl_scan_refuse(scan, "expected ',' and a text");
    sl_scan_peek(scan);
    if (!read_text(scan, &record->answer.raw[1])) return false;
    return sl_scan_take(scan, ']') ? true : sl_scan_refuse(scan, "expected ']'");
}

static bool read_inputs(struct sl_record *record)
{
    const char *from = record->scan.at;
    if (take_null(&record->scan)) return true;
    if (*from != '{') return sl_scan_refuse(&record->scan, "expected an object");
    if (!sl_scan_walk(&record->scan, NULL, 2)) return false;
    record->answer.inputs = (struct sl_field){from, (size_t)(record->scan.at - from)};
    return true;
}

static const struct {
    const char *name;
    size_t length;
    bool (*read)(struct sl_record *record);
} keys[N_KEYS] = {
#define KEY(name, function)                                                                        \
    {                                                                                              \
        (name), sizeof(name) - 1, (function)                                                       \
    }
    [KEY_ITEM] = KEY("item", read_item),
    [KEY_ANNOTATOR] = KEY("annotator", read_annotator),
    [KEY_KIND] = KEY("kind", read_kind),
    [KEY_CLASS] = KEY("class", read_hard_class),
    [KEY_TOP] = KEY("top", read_top),
    [KEY_IMPOSSIBLE] = KEY("impossible", read_impossible),
    [KEY_DIST] = KEY("dist", read_dist),
    [KEY_ENDPOINTS] = KEY("endpoints", read_endpoints),
    [KEY_LAMBDA] = KEY("lambda", read_lambda),
    [KEY_GENERATED] = KEY("generated", read_generated),
    [KEY_CONFIDENCE] = KEY("confidence", read_confidence),
    [KEY_MS] = KEY("ms", read_ms),
    [KEY_TRIAL] = KEY("trial", read_trial),
    [KEY_REPEAT] = KEY("repeat", read_repeat),
    [KEY_SECOND_RUN] = KEY("second_run", read_second_run),
    [KEY_CHECK] = KEY("check", read_check),
    [KEY_TRUTH] = KEY("truth", read_truth),
    [KEY_BATCH] = KEY("batch", read_batch),
    [KEY_STUDY] = KEY("study", read_study),
    [KEY_RAW] = KEY("raw", read_raw),
    [KEY_INPUTS] = KEY("inputs", read_inputs),
#undef KEY
};

static bool is_key(size_t key, struct sl_field name)
{
    return keys[key].length == name.length && memcmp(keys[key].name, name.text, name.length) == 0;
}

/* The key called `name`, N_KEYS if there is none; `place` is the number of keys before it. */
static size_t find_key(struct sl_record *record, struct sl_field name, size_t place)
{
    uint8_t *guess = &record->order[place % sizeof record->order];
    if (is_key(*guess, name)) return *guess;
    size_t key = 0;
    while (key < N_KEYS && !is_key(key, name))
        key++;
    if (key < N_KEYS) *guess = (uint8_t)key;
    return key;
}

static bool read_member(struct sl_record *record, size_t place)
{
    struct sl_scan *scan = &record->scan;
    struct sl_field name;
    sl_scan_peek(scan);
    const char *from = scan->at;
    if (!sl_scan_string(scan, &name)) return false;
    size_t key = find_key(record, name, place);
    if (key == N_KEYS) return refuse_text(scan, from, "unknown key", name);
    if (record->keys & 1u << key) return refuse_text(scan, from, "a second key", name);
    record->keys |= 1u << key;
    if (!sl_scan_take(scan, ':')) return sl_scan_refuse(scan, "expected ':'");
    sl_scan_peek(scan);
    return keys[key].read(record);
}

static bool read_members(struct sl_record *record)
{
    struct sl_scan *scan = &record->scan;
    if (!sl_scan_take(scan, '{')) return sl_scan_refuse(scan, "expected an object, '{'");
    if (!sl_scan_take(scan, '}')) {
        size_t place = 0;
        do {
            if (!read_member(record, place++)) return false;
        } while (sl_scan_take(scan, ','));
        if (!sl_scan_take(scan, '}')) return sl_scan_refuse(scan, "expected ',' or '}'");
    }
    return sl_scan_finish(scan);
}

static bool refuse_key(struct sl_record *record, const char *what, size_t key, const char *why)
{
    record->scan.at = record->scan.begin;
    snprintf(record->scan.problem, sizeof record->scan.problem, "%s \"%s\" %s", what,
             keys[key].name, why);
    return false;
}

static bool check_kind(struct sl_record *record)
{
    const struct kind *kind = &kinds[record->answer.kind];
    const unsigned foreign = record->keys & keys_of_kinds & ~kind->allowed;
    if (!record->has_kind) return refuse_key(record, "no key", KEY_KIND, "in an answer");
    if (!(record->keys & 1u << KEY_ITEM))
        return refuse_key(record, "no key", KEY_ITEM, "in an answer");
    if (foreign) {
        char why[64];
        snprintf(why, sizeof why, "does not belong to an answer of kind %s", kind->name);
        return refuse_key(record, "key", (size_t)__builtin_ctz(foreign), why);
    }
    if (record->answer.kind == SL_ANSWER_SOFT && record->top.names)
        return refuse_key(record, "key", KEY_TOP, "needs [class, probability] in a soft answer");
    if (record->answer.kind == SL_ANSWER_SELECT && record->top.pairs)
        return refuse_key(record, "key", KEY_TOP,
                          "may have only classes in an answer of kind select");
    if (record->answer.kind == SL_ANSWER_MIX && !(record->keys & 1u << KEY_ENDPOINTS))
        return refuse_key(record, "no key", KEY_ENDPOINTS, "in an answer of kind mix");
    return true;
}

/* Point the answer at the lists, now that they no longer move. */
static bool finish_answer(struct sl_record *record)
{
    struct sl_answer *answer = &record->answer;
    if (answer->kind == SL_ANSWER_HARD && record->answered) {
        struct sl_belief *belief = push_belief(&record->top);
        if (!belief) return sl_scan_exhaust(&record->scan);
        belief->class_index = record->chosen;
    }
    answer->n_top = record->top.count;
    answer->top = record->top.count > 0 ? record->top.beliefs : NULL;
    answer->impossible = answer->n_impossible > 0 ? record->impossible : NULL;
    answer->distribution =
        answer->kind == SL_ANSWER_DIST && record->answered ? record->distribution : NULL;
    return true;
}

bool sl_record_read(struct sl_record *record, const char *line, size_t length)
{
    sl_scan_start(&record->scan, line, length);
    record->answer = sl_answer_empty();
    record->keys = 0;
    record->has_kind = record->answered = false;
    record->top.count = 0;
    record->top.pairs = record->top.names = false;
    return read_members(record) && check_kind(record) && finish_answer(record);
}
