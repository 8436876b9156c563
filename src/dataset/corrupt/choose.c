/* Which corruptions, at which severities. */
#include <string.h>

#include "softlab/base/names.h"
#include "softlab/base/text.h"
#include "softlab/dataset/corruption.h"

static enum sl_status fail_unknown(const char *name, struct sl_error *err)
{
    const char *names[SL_CORRUPTIONS + 1] = {NULL};
    for (size_t i = 0; i < SL_CORRUPTIONS; i++)
        names[i] = sl_corruptions[i].name;
    char ending[SL_SUGGESTION_TEXT];
    return sl_fail(err, SL_ERR_USAGE, "no corruption is called \"%s\"%s", name,
                   sl_text_suggestion(name, names, ", see softlab dataset corrupt --list", ending));
}

enum sl_status sl_corruptions_choose(const char *text, const struct sl_corruption **out,
                                     struct sl_error *err)
{
    bool wanted[SL_CORRUPTIONS];
    memset(wanted, text == NULL, sizeof wanted);
    char **names = text ? sl_text_split(text) : NULL;
    enum sl_status status = SL_OK;
    for (size_t i = 0; names && names[i] && status == SL_OK; i++) {
        const struct sl_corruption *found = sl_corruption_find(names[i]);
        if (found)
            wanted[found - sl_corruptions] = true;
        else
            status = fail_unknown(names[i], err);
    }
    for (size_t i = 0; i < SL_CORRUPTIONS; i++)
        if (wanted[i]) *out++ = &sl_corruptions[i];
    *out = NULL;
    if (names) sl_names_destroy(names);
    return status;
}

enum sl_status sl_corrupt_set_severities(struct sl_corrupt_options *options, const double *values,
                                         size_t count, struct sl_error *err)
{
    bool wanted[SL_SEVERITIES + 1] = {false};
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= 1 && values[i] <= SL_SEVERITIES))
            return sl_fail(err, SL_ERR_USAGE, "%g is not from 1 to %d", values[i], SL_SEVERITIES);
        const int severity = (int)values[i];
        if ((double)severity != values[i])
            return sl_fail(err, SL_ERR_USAGE, "%g is not a whole number", values[i]);
        wanted[severity] = true;
    }
    options->n_severities = 0;
    for (int severity = 1; severity <= SL_SEVERITIES; severity++)
        if (wanted[severity]) options->severities[options->n_severities++] = severity;
    return SL_OK;
}
