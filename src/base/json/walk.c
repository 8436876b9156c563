/* Walk any JSON value, checking keys for duplicates: for values that we do not interpret. */
#include <stdlib.h>
#include <string.h>

#include "base/json/scan.h"
#include "softlab/base/memory.h"

enum { FEW_KEYS = 16 };

static bool same(struct sl_field a, struct sl_field b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static int compare_keys(const void *a, const void *b)
{
    const struct sl_field *left = a, *right = b;
    if (left->length != right->length) return left->length < right->length ? -1 : 1;
    return memcmp(left->text, right->text, left->length);
}

/* The keys of one object are those from `first` on. A few keys are compared as they come; many are
 * sorted when the object closes, so that a line of a million keys does not take quadratic time. */
static bool push_key(struct sl_scan *scan, size_t first, struct sl_field key)
{
    if (scan->n_keys - first < FEW_KEYS)
        for (size_t i = first; i < scan->n_keys; i++)
            if (same(scan->keys[i], key))
                return sl_scan_refuse(scan, "the object already has this key");
    if (scan->n_keys == scan->keys_capacity) {
        const size_t capacity = scan->keys_capacity * 2 + FEW_KEYS;
        struct sl_field *keys = sl_data_resize(scan->keys, capacity, sizeof *keys, NULL);
        if (!keys) return sl_scan_exhaust(scan);
        scan->keys = keys;
        scan->keys_capacity = capacity;
    }
    scan->keys[scan->n_keys++] = key;
    return true;
}

static bool pop_keys(struct sl_scan *scan, size_t first)
{
    const size_t count = scan->n_keys - first;
    scan->n_keys = first;
    if (count <= FEW_KEYS) return true;
    struct sl_field *keys = scan->keys + first;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (same(keys[i - 1], keys[i]))
            return sl_scan_refuse(scan, "the object that ends here has one key twice");
    return true;
}

static bool walk_member(struct sl_scan *scan, const struct sl_scan_visitor *visitor, size_t first,
                        unsigned depth)
{
    struct sl_field key;
    sl_scan_peek(scan);
    if (!sl_scan_string(scan, &key) || !push_key(scan, first, key)) return false;
    if (visitor) visitor->key(visitor->context, key);
    if (!sl_scan_take(scan, ':')) return sl_scan_refuse(scan, "expected ':'");
    return sl_scan_walk(scan, visitor, depth);
}

static bool walk_object(struct sl_scan *scan, const struct sl_scan_visitor *visitor, unsigned depth)
{
    const size_t first = scan->n_keys;
    if (visitor) visitor->open(visitor->context, '{');
    scan->at++;
    if (!sl_scan_take(scan, '}')) {
        do {
            if (!walk_member(scan, visitor, first, depth + 1)) return false;
        } while (sl_scan_take(scan, ','));
        if (!sl_scan_take(scan, '}')) return sl_scan_refuse(scan, "expected ',' or '}'");
    }
    if (visitor) visitor->close(visitor->context, '}');
    return pop_keys(scan, first);
}

static bool walk_array(struct sl_scan *scan, const struct sl_scan_visitor *visitor, unsigned depth)
{
    if (visitor) visitor->open(visitor->context, '[');
    scan->at++;
    if (!sl_scan_take(scan, ']')) {
        do {
            if (!sl_scan_walk(scan, visitor, depth + 1)) return false;
        } while (sl_scan_take(scan, ','));
        if (!sl_scan_take(scan, ']')) return sl_scan_refuse(scan, "expected ',' or ']'");
    }
    if (visitor) visitor->close(visitor->context, ']');
    return true;
}

static bool walk_number(struct sl_scan *scan, const struct sl_scan_visitor *visitor)
{
    struct sl_scan_number number;
    if (!sl_scan_number(scan, &number)) return false;
    if (visitor) visitor->number(visitor->context, &number);
    return true;
}

static bool walk_string(struct sl_scan *scan, const struct sl_scan_visitor *visitor)
{
    struct sl_field text;
    if (!sl_scan_string(scan, &text)) return false;
    if (visitor) visitor->string(visitor->context, text);
    return true;
}

bool sl_scan_walk(struct sl_scan *scan, const struct sl_scan_visitor *visitor, unsigned depth)
{
    const char first = sl_scan_peek(scan);
    if (depth > SL_SCAN_DEPTH) return sl_scan_refuse(scan, "values are nested too deep");
    if (first == '{') return walk_object(scan, visitor, depth);
    if (first == '[') return walk_array(scan, visitor, depth);
    if (first == '"') return walk_string(scan, visitor);
    if (first == '-' || (first >= '0' && first <= '9')) return walk_number(scan, visitor);
    char literal = 0;
    if (!sl_scan_literal(scan, &literal)) return false;
    if (visitor) visitor->literal(visitor->context, literal);
    return true;
}
