/* Specs: reads "resnet:n=7,shortcut=A" into the struct of a family's options, and writes it. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/families/families.h"
#include "softlab/base/buffer.h"
#include "softlab/base/memory.h"
#include "softlab/base/options.h"
#include "softlab/base/text.h"

enum { SPEC_TEXT_MAX = 4096, WORDS_MAX = 64 };

static bool is_word(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Fail with <what> "resnet21", and suggest the nearest candidate if one is near. */
static enum sl_status fail_unknown(const char *what, const char *const *candidates,
                                   const char *text, size_t length, struct sl_error *err)
{
    char *word = sl_string_copy_n(text, length);
    char ending[SL_SUGGESTION_TEXT];
    enum sl_status status = sl_fail(err, SL_ERR_INPUT, "%s \"%s\"%s", what, word,
                                    sl_text_suggestion(word, candidates, "", ending));
    free(word);
    return status;
}

static enum sl_status unknown_network(const char *text, size_t length, struct sl_error *err)
{
    const char *candidates[WORDS_MAX + 1] = {NULL};
    size_t count = 0;
    for (const struct sl_network *n = sl_networks; n->name && count < WORDS_MAX; n++)
        candidates[count++] = n->name;
    for (const struct sl_network_family *f = sl_network_families; f->name && count < WORDS_MAX; f++)
        candidates[count++] = f->name;
    return fail_unknown("no network is called", candidates, text, length, err);
}

static enum sl_status unknown_option(const struct sl_network_family *family, const char *text,
                                     size_t length, struct sl_error *err)
{
    const char *candidates[WORDS_MAX + 1] = {NULL};
    for (size_t i = 0; i < WORDS_MAX && family->options->rows[i].name; i++)
        candidates[i] = family->options->rows[i].name;
    char what[64];
    snprintf(what, sizeof what, "%s has no option", family->name);
    return fail_unknown(what, candidates, text, length, err);
}

static const struct sl_network_family *find_family(const char *text, size_t length)
{
    for (const struct sl_network_family *f = sl_network_families; f->name; f++)
        if (is_word(f->name, text, length)) return f;
    return NULL;
}

static const struct sl_network *find_network(const char *text, size_t length)
{
    for (const struct sl_network *n = sl_networks; n->name; n++)
        if (is_word(n->name, text, length)) return n;
    return NULL;
}

static const struct sl_field_row *find_row(const struct sl_network_family *family, const char *text,
                                           size_t length)
{
    for (const struct sl_field_row *row = family->options->rows; row->name; row++)
        if (is_word(row->name, text, length)) return row;
    return NULL;
}

static enum sl_status set_option(const struct sl_nn_spec *spec, const struct sl_field_row *row,
                                 const char *text, size_t length, struct sl_error *err)
{
    struct sl_error problem;
    char *value = sl_string_copy_n(text, length);
    enum sl_status status = sl_field_set(row, value, spec->options, &problem);
    if (status != SL_OK)
        status = sl_fail(err, SL_ERR_INPUT, "%s: %s: %s", spec->family->name, row->name,
                         problem.message);
    free(value);
    return status;
}

/* Read one "option=value" of `length` bytes. Bits of `given` mark the rows that this list has
 * set. */
static enum sl_status read_pair(const struct sl_nn_spec *spec, const char *text, size_t length,
                                uint64_t *given, struct sl_error *err)
{
    const struct sl_network_family *family = spec->family;
    const char *equals = memchr(text, '=', length);
    const size_t name_length = equals ? (size_t)(equals - text) : length;
    const struct sl_field_row *row = find_row(family, text, name_length);
    if (!row) return unknown_option(family, text, name_length, err);
    if (!equals || name_length + 1 == length)
        return sl_fail(err, SL_ERR_INPUT, "%s: %s has no value", family->name, row->name);
    const uint64_t bit = UINT64_C(1) << (row - family->options->rows);
    if (*given & bit)
        return sl_fail(err, SL_ERR_INPUT, "%s: %s is given twice", family->name, row->name);
    *given |= bit;
    return set_option(spec, row, equals + 1, length - name_length - 1, err);
}

/* Set the options of "a=1,b=2", which may be empty. */
static enum sl_status read_pairs(const struct sl_nn_spec *spec, const char *text,
                                 struct sl_error *err)
{
    uint64_t given = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        SL_TRY(read_pair(spec, text, length, &given, err));
        text += length;
        if (*text == ',' && *++text == '\0')
            return sl_fail(err, SL_ERR_INPUT, "%s: nothing follows the last comma",
                           spec->family->name);
    }
    return SL_OK;
}

static const char *after_colon(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon ? colon + 1 : "";
}

const struct sl_network_family *sl_nn_spec_family(const char *network)
{
    const size_t length = strcspn(network, ":");
    const struct sl_network *named = find_network(network, length);
    return named ? find_family(named->spec, strcspn(named->spec, ":"))
                 : find_family(network, length);
}

enum sl_status sl_nn_spec_parse(const char *network, struct sl_nn_spec *spec, struct sl_error *err)
{
    *spec = (struct sl_nn_spec){0};
    if (strlen(network) > SPEC_TEXT_MAX / 2)
        return sl_fail(err, SL_ERR_INPUT, "the network's name is longer than %d bytes",
                       SPEC_TEXT_MAX / 2);
    const size_t length = strcspn(network, ":");
    const struct sl_network *named = find_network(network, length);
    const struct sl_network_family *family = sl_nn_spec_family(network);
    if (!family) return unknown_network(network, length, err);
    *spec = (struct sl_nn_spec){family, sl_alloc(1, family->options->size)};
    sl_fields_set_defaults(family->options->rows, spec->options);
    enum sl_status status = SL_OK;
    if (named) status = read_pairs(spec, after_colon(named->spec), err);
    if (status == SL_OK) status = read_pairs(spec, after_colon(network), err);
    if (status != SL_OK) sl_nn_spec_release(spec);
    return status;
}

void sl_nn_spec_release(struct sl_nn_spec *spec)
{
    if (spec->options) sl_fields_release(spec->family->options, spec->options);
    free(spec->options);
    *spec = (struct sl_nn_spec){0};
}

static char *value_text(const struct sl_field_row *row, const void *options)
{
    json_t *value = sl_field_json(row, options);
    char *text = sl_option_text(value);
    json_decref(value);
    return text;
}

char *sl_nn_spec_text(const struct sl_nn_spec *spec)
{
    struct sl_buffer text;
    sl_buffer_init(&text, SPEC_TEXT_MAX);
    sl_buffer_text(&text, spec->family->name);
    char before = ':';
    for (const struct sl_field_row *row = spec->family->options->rows; row->name; row++) {
        char *value = value_text(row, spec->options);
        if (!(row->flags & SL_FIELD_LATE) || strcmp(value, row->fallback) != 0) {
            sl_buffer_printf(&text, "%c%s=%s", before, row->name, value);
            before = ',';
        }
        free(value);
    }
    assert(!text.overflowed);
    return text.data;
}
