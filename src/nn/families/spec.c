/* Specs: "resnet:n=7,shortcut=A" against a family's table of options. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/families/families.h"
#include "softlab/base/buffer.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { SPEC_TEXT_MAX = 4096, WORDS_MAX = 64 };

static bool is_word(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* "no network "resnet21", did you mean "resnet20"?" */
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
    const char *candidates[SL_NN_SPEC_OPTIONS + 1] = {NULL};
    for (size_t i = 0; family->options[i].name; i++)
        candidates[i] = family->options[i].name;
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

/* One "option=value" of `length` bytes; `given` marks options that this list has set already. */
static enum sl_status read_pair(struct sl_nn_spec *spec, const char *text, size_t length,
                                bool *given, struct sl_error *err)
{
    const struct sl_network_option *options = spec->family->options;
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals ? (size_t)(equals - text) : length;
    size_t index = 0;
    while (options[index].name && !is_word(options[index].name, text, name_length))
        index++;
    if (!options[index].name) return unknown_option(spec->family, text, name_length, err);
    if (!equals || name_length + 1 == length)
        return sl_fail(err, SL_ERR_INPUT, "%s: %s has no value", spec->family->name,
                       options[index].name);
    if (given[index])
        return sl_fail(err, SL_ERR_INPUT, "%s: %s is given twice", spec->family->name,
                       options[index].name);
    given[index] = true;
    free(spec->values[index]);
    spec->values[index] = sl_string_copy_n(equals + 1, length - name_length - 1);
    return SL_OK;
}

/* "a=1,b=2" over what the spec holds; nothing at all is fine. */
static enum sl_status read_pairs(struct sl_nn_spec *spec, const char *text, struct sl_error *err)
{
    bool given[SL_NN_SPEC_OPTIONS] = {false};
    while (*text) {
        size_t length = strcspn(text, ",");
        SL_TRY(read_pair(spec, text, length, given, err));
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

enum sl_status sl_nn_spec_parse(const char *network, struct sl_nn_spec *spec, struct sl_error *err)
{
    *spec = (struct sl_nn_spec){0};
    if (strlen(network) > SPEC_TEXT_MAX / 2)
        return sl_fail(err, SL_ERR_INPUT, "the network's name is longer than %d bytes",
                       SPEC_TEXT_MAX / 2);
    size_t length = strcspn(network, ":");
    const struct sl_network *named = find_network(network, length);
    const struct sl_network_family *family =
        named ? find_family(named->spec, strcspn(named->spec, ":")) : find_family(network, length);
    if (!family) return unknown_network(network, length, err);
    spec->family = family;
    for (size_t i = 0; family->options[i].name; i++) {
        assert(i < SL_NN_SPEC_OPTIONS);
        spec->values[i] = sl_string_copy(family->options[i].fallback);
    }
    enum sl_status status = SL_OK;
    if (named) status = read_pairs(spec, after_colon(named->spec), err);
    if (status == SL_OK) status = read_pairs(spec, after_colon(network), err);
    if (status != SL_OK) sl_nn_spec_release(spec);
    return status;
}

void sl_nn_spec_release(struct sl_nn_spec *spec)
{
    sl_strings_release(spec->values, SL_NN_SPEC_OPTIONS);
    *spec = (struct sl_nn_spec){0};
}

/* Options that are not spelled out while they have their fallback, since weights and unfinished
 * runs are older than they. */
static bool is_late(const struct sl_network_family *family, const char *option)
{
    static const struct {
        const char *family, *option;
    } late[] = {{"tagger", "attention"}};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strcmp(late[i].family, family->name) == 0 && strcmp(late[i].option, option) == 0)
            return true;
    return false;
}

char *sl_nn_spec_text(const struct sl_nn_spec *spec)
{
    const struct sl_network_option *options = spec->family->options;
    struct sl_buffer text;
    sl_buffer_init(&text, SPEC_TEXT_MAX);
    sl_buffer_text(&text, spec->family->name);
    for (size_t i = 0; options[i].name; i++) {
        if (is_late(spec->family, options[i].name) &&
            strcmp(options[i].fallback, spec->values[i]) == 0)
            continue;
        sl_buffer_printf(&text, "%c%s=%s", i ? ',' : ':', options[i].name, spec->values[i]);
    }
    assert(!text.overflowed);
    return text.data;
}

static const char *value_of(const struct sl_nn_spec *spec, const char *option)
{
    const struct sl_network_option *options = spec->family->options;
    size_t i = 0;
    while (options[i].name && strcmp(options[i].name, option) != 0)
        i++;
    assert(options[i].name); /* builders ask for what their own table has */
    return spec->values[i];
}

SL_PRINTF(3, 4)
static void bad_value(struct sl_nn_spec *spec, const char *option, const char *format, ...)
{
    if (spec->status != SL_OK) return;
    char wanted[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    spec->status = sl_fail(&spec->error, SL_ERR_INPUT, "%s: %s=%s is not %s", spec->family->name,
                           option, value_of(spec, option), wanted);
}

static bool read_count(const char *text, size_t length, size_t minimum, size_t maximum, size_t *out)
{
    int64_t value = 0;
    if (!sl_text_to_integer(text, length, &value) || value < 0) return false;
    if ((size_t)value < minimum || (size_t)value > maximum) return false;
    *out = (size_t)value;
    return true;
}

size_t sl_nn_spec_count(struct sl_nn_spec *spec, const char *option, size_t minimum, size_t maximum)
{
    const char *text = value_of(spec, option);
    size_t value = minimum;
    if (!read_count(text, strlen(text), minimum, maximum, &value))
        bad_value(spec, option, "a whole number from %zu to %zu", minimum, maximum);
    return value;
}

double sl_nn_spec_real(struct sl_nn_spec *spec, const char *option, double minimum, double maximum)
{
    const char *text = value_of(spec, option);
    double value = minimum;
    if (sl_text_to_real(text, strlen(text), &value) && value >= minimum && value <= maximum)
        return value;
    bad_value(spec, option, "a number from %g to %g", minimum, maximum);
    return minimum;
}

bool sl_nn_spec_flag(struct sl_nn_spec *spec, const char *option)
{
    static const char *const choices[] = {"0", "1", NULL};
    return sl_nn_spec_choice(spec, option, choices) == 1;
}

bool sl_nn_spec_is(const struct sl_nn_spec *spec, const char *option, const char *text)
{
    return strcmp(value_of(spec, option), text) == 0;
}

size_t sl_nn_spec_choice(struct sl_nn_spec *spec, const char *option, const char *const *choices)
{
    const char *text = value_of(spec, option);
    struct sl_buffer list;
    sl_buffer_init(&list, SPEC_TEXT_MAX);
    size_t i = 0;
    for (; choices[i] && strcmp(choices[i], text) != 0; i++)
        sl_buffer_printf(&list, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
    if (!choices[i]) {
        bad_value(spec, option, "%s", list.data);
        i = 0;
    }
    sl_buffer_release(&list);
    return i;
}

size_t sl_nn_spec_list(struct sl_nn_spec *spec, const char *option, size_t maximum,
                       size_t out[SL_NN_STAGES])
{
    const char *text = value_of(spec, option);
    size_t count = 0;
    for (;; text++) {
        size_t length = strcspn(text, "-");
        if (count == SL_NN_STAGES || !read_count(text, length, 1, maximum, &out[count])) break;
        count++;
        text += length;
        if (*text == '\0') return count;
    }
    bad_value(spec, option, "a list like 3-4-6-3 of at most %d whole numbers from 1 to %zu",
              SL_NN_STAGES, maximum);
    out[0] = 1;
    return 1;
}
