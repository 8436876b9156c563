/* "n=500,seed=3": the options of the shapes generator as users write them. */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/reader.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* The options of `shapes`, each with the field it sets. */
static const struct shapes_option {
    const char *name;
    double minimum, maximum;
    bool whole;
    size_t offset;
} shapes_options[] = {
    {"n", 1, 1e6, true, offsetof(struct sl_shapes_options, count)},
    {"size", 8, 512, true, offsetof(struct sl_shapes_options, size)},
    {"classes", 2, SL_SHAPES_MAX_CLASSES, true, offsetof(struct sl_shapes_options, n_classes)},
    {"ambiguous", 0, 1, false, offsetof(struct sl_shapes_options, ambiguous)},
    {"noise", 0, 128, false, offsetof(struct sl_shapes_options, noise)},
    {"seed", 0, 9e15, true, offsetof(struct sl_shapes_options, seed)},
};
enum { N_SHAPES_OPTIONS = sizeof shapes_options / sizeof *shapes_options };

static enum sl_status set_shapes_option(struct sl_shapes_options *options, const char *name,
                                        const char *value, struct sl_error *err)
{
    const char *names[N_SHAPES_OPTIONS + 1] = {NULL};
    for (size_t i = 0; i < N_SHAPES_OPTIONS; i++)
        names[i] = shapes_options[i].name;
    size_t chosen = 0;
    if (!*name)
        return sl_fail(err, SL_ERR_USAGE, "shapes: an option has no name before =%s", value);
    SL_TRY(sl_choose(names, name, "shapes", &chosen, err));
    const struct shapes_option *option = &shapes_options[chosen];
    int64_t whole = 0;
    double real = 0;
    bool read = option->whole ? sl_text_to_integer(value, strlen(value), &whole)
                              : sl_text_to_real(value, strlen(value), &real);
    if (option->whole) real = (double)whole;
    if (!read || !(real >= option->minimum && real <= option->maximum))
        return sl_fail(err, SL_ERR_USAGE,
                       "shapes: %s is %s, expected a%s number from %.15g to %.15g", name, value,
                       option->whole ? " whole" : "", option->minimum, option->maximum);
    char *field = (char *)options + option->offset;
    size_t size = (size_t)whole;
    uint64_t seed = (uint64_t)whole;
    if (!option->whole)
        memcpy(field, &real, sizeof real);
    else if (option->offset == offsetof(struct sl_shapes_options, seed))
        memcpy(field, &seed, sizeof seed);
    else
        memcpy(field, &size, sizeof size);
    return SL_OK;
}

enum sl_status sl_shapes_options_parse(const char *text, struct sl_shapes_options *out,
                                       struct sl_error *err)
{
    struct sl_shapes_options options = sl_shapes_options_default();
    char *copy = sl_string_copy(text ? text : "");
    char *next = *copy ? copy : NULL;
    enum sl_status status = SL_OK;
    while (next) {
        char *name = next;
        next = strchr(name, ',');
        if (next) *next++ = '\0';
        char *value = strchr(name, '=');
        if (!value) {
            status = sl_fail(err, SL_ERR_USAGE, "shapes: expected name=value, got %s", name);
            goto out;
        }
        *value++ = '\0';
        SL_TRY_OUT(set_shapes_option(&options, name, value, err));
    }
    *out = options;
out:
    free(copy);
    return status;
}
