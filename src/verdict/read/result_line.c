#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "softlab/base.h"
#include "softlab/verdict/outcome.h"
#include "verdict/read/result_line.h"

const struct sl_numbers *sl_numbers_find(const struct sl_number_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!name || (list->items[i].name && strcmp(list->items[i].name, name) == 0))
            return &list->items[i];
    return NULL;
}

static void list_release(struct sl_number_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].values);
    }
    free(list->items);
}

void sl_result_release(struct sl_result *result)
{
    list_release(&result->curve);
    list_release(&result->attacks);
    list_release(&result->reliability);
    free(result->gallery);
    free(result->galleries);
    free(result->commands);
    json_decref(result->json);
}

/* ---- Numbers ---- */

/* A number or null; room doubles at powers of two. */
static bool read_value(struct sl_scan *scan, struct sl_numbers *out, size_t *count)
{
    struct sl_scan_number number = {.value = (double)NAN};
    char literal;
    if (sl_scan_peek(scan) == 'n') {
        if (!sl_scan_literal(scan, &literal)) return false;
    } else if (!sl_scan_number(scan, &number)) {
        return false;
    }
    if ((*count & (*count - 1)) == 0)
        out->values = sl_resize(out->values, *count ? 2 * *count : 1, sizeof *out->values);
    out->values[(*count)++] = number.value;
    return true;
}

static bool read_row(struct sl_scan *scan, struct sl_numbers *out, size_t *count)
{
    size_t before = *count;
    if (!sl_scan_take(scan, '[')) return read_value(scan, out, count);
    do {
        if (!read_value(scan, out, count)) return false;
    } while (sl_scan_take(scan, ','));
    if (!sl_scan_take(scan, ']')) return sl_scan_refuse(scan, "expected ']'");
    if (out->width == 0) out->width = *count - before;
    return *count - before == out->width || sl_scan_refuse(scan, "rows differ in length");
}

/* [1, 2, ...] or [[1, 2], [3, 4], ...]. */
static bool read_numbers(struct sl_scan *scan, struct sl_numbers *out)
{
    size_t count = 0;
    if (!sl_scan_take(scan, '[')) return sl_scan_refuse(scan, "expected a list of numbers");
    if (sl_scan_take(scan, ']')) return true;
    do {
        if (!read_row(scan, out, &count)) return false;
    } while (sl_scan_take(scan, ','));
    if (out->width == 0) out->width = 1;
    out->count = count / out->width;
    if (count % out->width != 0) return sl_scan_refuse(scan, "rows differ in length");
    return sl_scan_take(scan, ']') || sl_scan_refuse(scan, "expected ']'");
}

static struct sl_numbers *add_numbers(struct sl_number_list *list, const struct sl_field *name)
{
    list->items = sl_resize(list->items, list->count + 1, sizeof *list->items);
    struct sl_numbers *numbers = &list->items[list->count++];
    *numbers =
        (struct sl_numbers){.name = name ? sl_string_copy_n(name->text, name->length) : NULL};
    return numbers;
}

/* A key and the colon behind it. */
static bool read_key(struct sl_scan *scan, struct sl_field *out)
{
    if (sl_scan_peek(scan) != '"') return sl_scan_refuse(scan, "expected a key");
    if (!sl_scan_string(scan, out)) return false;
    return sl_scan_take(scan, ':') || sl_scan_refuse(scan, "expected ':'");
}

static bool skip_null(struct sl_scan *scan, bool *was_null)
{
    char literal;
    *was_null = sl_scan_peek(scan) == 'n';
    return !*was_null || sl_scan_literal(scan, &literal);
}

static bool read_list(struct sl_scan *scan, struct sl_number_list *out)
{
    bool was_null;
    if (!skip_null(scan, &was_null) || was_null) return was_null;
    return read_numbers(scan, add_numbers(out, NULL));
}

/* {"name": [numbers], ...} */
static bool read_named(struct sl_scan *scan, struct sl_number_list *out)
{
    struct sl_field name = {NULL, 0};
    bool was_null;
    if (!skip_null(scan, &was_null) || was_null) return was_null;
    if (!sl_scan_take(scan, '{')) return sl_scan_refuse(scan, "expected an object");
    if (sl_scan_take(scan, '}')) return true;
    do {
        if (!read_key(scan, &name)) return false;
        if (!read_numbers(scan, add_numbers(out, &name))) return false;
    } while (sl_scan_take(scan, ','));
    return sl_scan_take(scan, '}') || sl_scan_refuse(scan, "expected '}'");
}

/* ---- Members ---- */

static bool is_key(const struct sl_field *key, const char *name)
{
    return key->length == strlen(name) && memcmp(key->text, name, key->length) == 0;
}

/* Check a list and keep its text. */
static bool keep_list(struct sl_scan *scan, char **out)
{
    const char *begin = scan->at;
    if (*begin != '[' && *begin != 'n') return sl_scan_refuse(scan, "expected a list");
    if (*out) return sl_scan_refuse(scan, "duplicate object key");
    if (!sl_scan_walk(scan, NULL, 2)) return false;
    if (*begin == '[') *out = sl_string_copy_n(begin, (size_t)(scan->at - begin));
    return true;
}

/* Read long members here and leave the others to jansson. */
static bool read_member(struct sl_line_reader *reader, const struct sl_field *key,
                        const char *key_begin, struct sl_result *out)
{
    struct sl_scan *scan = &reader->scan;
    struct sl_number_list *list = is_key(key, "curve")         ? &out->curve
                                  : is_key(key, "attacks")     ? &out->attacks
                                  : is_key(key, "reliability") ? &out->reliability
                                                               : NULL;
    sl_scan_peek(scan);
    if (list && list->items) return sl_scan_refuse(scan, "duplicate object key");
    if (list) return list == &out->curve ? read_list(scan, list) : read_named(scan, list);
    if (is_key(key, "gallery")) return keep_list(scan, &out->gallery);
    if (is_key(key, "galleries")) return keep_list(scan, &out->galleries);
    if (is_key(key, "commands")) return keep_list(scan, &out->commands);
    if (!sl_scan_walk(scan, NULL, 2)) return false;
    if (reader->rest.length > 1) sl_buffer_byte(&reader->rest, ',');
    sl_buffer_append(&reader->rest, key_begin, (size_t)(scan->at - key_begin));
    return true;
}

static bool read_members(struct sl_line_reader *reader, struct sl_result *out)
{
    struct sl_scan *scan = &reader->scan;
    struct sl_field key = {NULL, 0};
    if (!sl_scan_take(scan, '{')) return sl_scan_refuse(scan, "expected an object");
    if (sl_scan_take(scan, '}')) return sl_scan_finish(scan);
    do {
        sl_scan_peek(scan);
        const char *begin = scan->at;
        if (!read_key(scan, &key) || !read_member(reader, &key, begin, out)) return false;
    } while (sl_scan_take(scan, ','));
    if (!sl_scan_take(scan, '}')) return sl_scan_refuse(scan, "expected '}'");
    return sl_scan_finish(scan);
}

/* A text that may be absent or null. */
static enum sl_status read_text(const struct sl_json_cursor *line, const char *key,
                                const char **out, struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(line, key, &at, err));
    *out = NULL;
    return at.value ? sl_json_string(&at, out, err) : SL_OK;
}

static enum sl_status read_index(const struct sl_json_cursor *line, const char *key, int64_t *out,
                                 struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(line, key, &at, err));
    *out = -1;
    return at.value ? sl_json_integer(&at, 0, INT64_MAX, out, err) : SL_OK;
}

/* Check the type of a member that later steps walk. */
static enum sl_status check_kind(const struct sl_json_cursor *line, const char *key, json_type kind,
                                 const char *words, struct sl_error *err)
{
    struct sl_json_cursor at;
    SL_TRY(sl_json_optional(line, key, &at, err));
    if (at.value && json_typeof(at.value) != kind)
        return sl_json_fail(&at, err, "expected %s", words);
    return SL_OK;
}

/* ---- The contract of docs/formats.md ---- */

bool sl_figure_is_plausible(const char *figure, double value)
{
    const char *slash = strrchr(figure, '/'), *name = slash ? slash + 1 : figure;
    const struct sl_measure *metric = sl_measure_find(name, strlen(name));
    return !metric || metric->kind != SL_MEASURE_SHARE || fabs(value) <= 1;
}

static enum sl_status check_figures(const struct sl_json_cursor *line, struct sl_error *err)
{
    struct sl_json_cursor metrics;
    const char *name;
    json_t *value;
    SL_TRY(sl_json_optional(line, "metrics", &metrics, err));
    json_object_foreach(metrics.value, name, value)
    {
        const struct sl_json_cursor at = {
            .document = line->document, .parent = &metrics, .key = name, .value = value};
        const char *slash = strrchr(name, '/');
        if (!slash || slash == name || slash[1] == '\0')
            return sl_json_fail(&at, err,
                                "the name of a figure must be test/metric, such as "
                                "test/accuracy");
        if (!json_is_number(value) && !json_is_null(value))
            return sl_json_fail(&at, err, "expected a number or null");
        if (json_is_number(value) && !sl_figure_is_plausible(name, json_number_value(value)))
            return sl_json_fail(&at, err, "%g is not a share; give 0 to 1, not per cent",
                                json_number_value(value));
    }
    return SL_OK;
}

/* A result has figures of a run, or figures computed without training. */
static enum sl_status check_result(const struct sl_json_cursor *line, struct sl_result *out,
                                   struct sl_error *err)
{
    struct sl_json_cursor version;
    int64_t number;
    SL_TRY(sl_json_optional(line, "version", &version, err));
    if (version.value) SL_TRY(sl_json_integer(&version, 1, 1, &number, err));
    if (!out->spec)
        return sl_json_fail(line, err, "\"spec\" is missing: name the specification of the result");
    const bool has_metrics = json_object_get(line->value, "metrics") != NULL;
    const bool has_computed = json_object_get(line->value, "computed") != NULL;
    if (has_metrics && !has_computed && !out->set)
        return sl_json_fail(line, err,
                            "\"set\" is missing: name the label set that the run was trained on");
    if (!has_metrics && !has_computed)
        return sl_json_fail(line, err,
                            "the result has no figures: give \"metrics\" (of a run) or "
                            "\"computed\" (without training)");
    if (out->set && !out->scale) out->scale = "paper";
    if (out->set && !out->variant) out->variant = "as-run";
    return check_figures(line, err);
}

void sl_result_name(struct sl_result *result)
{
    char *name = sl_string_printf(
        "%s|%s|%s|%s|%s|%s|%lld|%lld", result->spec, result->scale ? result->scale : "",
        result->variant ? result->variant : "", result->part ? result->part : "",
        result->set ? result->set : "", result->network ? result->network : "",
        (long long)result->seed, (long long)result->fold);
    json_object_set_new(result->json, "key", json_string(name));
    result->key = json_string_value(json_object_get(result->json, "key"));
    result->is_keyless = true;
    free(name);
}

enum sl_status sl_result_fail_twice(const struct sl_result *result, struct sl_error *err)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"part", result->part}, {"set", result->set}, {"network", result->network}};
    struct sl_buffer words;
    char shown[SL_DESCRIBE_SIZE];
    sl_buffer_init(&words, 1 << 12);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text)
            sl_buffer_printf(&words, ", %s %s", texts[i].name,
                             sl_describe_text(texts[i].text, strlen(texts[i].text), shown));
    if (result->seed >= 0) sl_buffer_printf(&words, ", seed %lld", (long long)result->seed);
    if (result->fold >= 0) sl_buffer_printf(&words, ", fold %lld", (long long)result->fold);
    const enum sl_status status =
        sl_fail(err, SL_ERR_INPUT,
                "second result of the same run%s; give runs of one cell different \"seed\" or "
                "\"fold\" values",
                words.length ? words.data : "");
    sl_buffer_release(&words);
    return status;
}

static enum sl_status read_fields(const struct sl_json_cursor *line, struct sl_result *out,
                                  struct sl_error *err)
{
    static const char *const objects[] = {"metrics", "computed",   "errors",
                                          "samples", "provenance", "time"};
    SL_TRY(read_text(line, "key", &out->key, err));
    SL_TRY(read_text(line, "spec", &out->spec, err));
    SL_TRY(read_text(line, "scale", &out->scale, err));
    SL_TRY(read_text(line, "variant", &out->variant, err));
    SL_TRY(read_text(line, "part", &out->part, err));
    SL_TRY(read_text(line, "set", &out->set, err));
    SL_TRY(read_text(line, "network", &out->network, err));
    SL_TRY(read_index(line, "seed", &out->seed, err));
    SL_TRY(read_index(line, "fold", &out->fold, err));
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        SL_TRY(check_kind(line, objects[i], JSON_OBJECT, "an object", err));
    SL_TRY(check_kind(line, "charts", JSON_ARRAY, "a list", err));
    SL_TRY(check_kind(line, "runs", JSON_OBJECT, "an object", err));
    return check_kind(line, "classes", JSON_ARRAY, "a list", err);
}

/* Find the kind of a line, and read its fields if the kind is known. */
static enum sl_status read_rest(const struct sl_json *rest, struct sl_result *out,
                                enum sl_line_kind *kind, struct sl_error *err)
{
    struct sl_json_cursor root = sl_json_root(rest), member;
    const char *name;
    SL_TRY(sl_json_member(&root, "softlab", &member, err));
    SL_TRY(sl_json_string(&member, &name, err));
    static const struct {
        const char *name;
        enum sl_line_kind kind;
    } kinds[] = {{"result", SL_LINE_RESULT},
                 {"failure", SL_LINE_FAILURE},
                 {"spec", SL_LINE_SPEC},
                 {"plan", SL_LINE_PLAN}};
    *kind = SL_LINE_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0) *kind = kinds[i].kind;
    if (*kind == SL_LINE_OTHER) return SL_OK;
    SL_TRY(read_fields(&root, out, err));
    if (*kind == SL_LINE_RESULT) return check_result(&root, out, err);
    return out->key ? SL_OK : sl_json_fail(&root, err, "\"key\" is missing");
}

/* The problem where the scan stopped, with a remedy for programs that write NaN into JSON. */
static const char *problem_of(const struct sl_scan *scan)
{
    const char *at = scan->at + (*scan->at == '-');
    if (strncmp(at, "NaN", 3) == 0 || strncmp(at, "Infinity", 8) == 0)
        return "NaN and Infinity are not JSON; write null, or leave the figure out";
    return scan->problem;
}

enum sl_status sl_result_read_line(struct sl_line_reader *reader, const char *line, size_t length,
                                   struct sl_result *out, enum sl_line_kind *kind,
                                   struct sl_error *err)
{
    struct sl_result result = {.seed = -1, .fold = -1};
    struct sl_json rest = {0};
    enum sl_status status = SL_OK;
    sl_scan_start(&reader->scan, line, length);
    sl_buffer_clear(&reader->rest);
    sl_buffer_byte(&reader->rest, '{');
    if (!read_members(reader, &result)) {
        status = sl_fail(err, SL_ERR_INPUT, "%s:%zu: column %zu: %s", reader->path, reader->number,
                         (size_t)(reader->scan.at - line) + 1, problem_of(&reader->scan));
        goto out;
    }
    sl_buffer_byte(&reader->rest, '}');
    SL_TRY_OUT(sl_json_parse(reader->rest.data, reader->rest.length, reader->path, reader->number,
                             &rest, err));
    SL_TRY_OUT(read_rest(&rest, &result, kind, err));
    if (*kind != SL_LINE_OTHER) {
        result.json = json_incref(rest.root);
        if (!result.key) sl_result_name(&result);
        *out = result;
        result = (struct sl_result){.json = NULL};
    }
out:
    sl_json_release(&rest);
    sl_result_release(&result);
    return status;
}
