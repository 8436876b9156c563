/* Budgets and shares as people type them. */
#include <math.h>
#include <string.h>

#include "softlab/base/text.h"
#include "softlab/pipeline/asking.h"

static const struct {
    const char *name;
    double seconds;
} units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};

/* Read the number that begins a text; `rest` is what follows it and its blanks. */
static bool split_number(const char *text, double *number, const char **rest)
{
    const size_t length = strspn(text, "+-.0123456789");
    *rest = text + length + strspn(text + length, " ");
    return sl_text_to_real(text, length, number);
}

enum sl_status sl_ask_budget_read(const char *text, struct sl_ask_budget *out, struct sl_error *err)
{
    static const char advice[] =
        "give a number of answers such as 500, or a time such as 600s, 10min or 2h";
    const double most = 1e12;
    const char *unit = "";
    struct sl_ask_budget budget = {0};
    if (!split_number(text, &budget.amount, &unit))
        return sl_fail(err, SL_ERR_USAGE, "--budget \"%.40s\" is not a number; %s", text, advice);
    for (size_t i = 0; i < sizeof units / sizeof *units && *unit; i++) {
        if (strcmp(unit, units[i].name) != 0) continue;
        budget.in_seconds = true;
        budget.amount *= units[i].seconds;
    }
    if (*unit && !budget.in_seconds)
        return sl_fail(err, SL_ERR_USAGE, "--budget \"%.40s\": \"%.40s\" is not a unit of time; %s",
                       text, unit, advice);
    if (budget.amount > most)
        return sl_fail(err, SL_ERR_USAGE, "--budget %.40s is too large; give at most %g %s", text,
                       most, budget.in_seconds ? "seconds" : "answers");
    if (!(budget.amount > 0))
        return sl_fail(err, SL_ERR_USAGE, "--budget %.40s buys nothing; %s", text, advice);
    if (!budget.in_seconds && budget.amount != floor(budget.amount))
        return sl_fail(err, SL_ERR_USAGE, "--budget %.40s is not a whole number of answers; %s",
                       text, advice);
    *out = budget;
    return SL_OK;
}

enum sl_status sl_ask_share_read(const char *text, double *out, struct sl_error *err)
{
    const char *unit = "";
    double percent = 0;
    if (!split_number(text, &percent, &unit) || strcmp(unit, "%") != 0 ||
        !(percent > 0 && percent <= 1000))
        return sl_fail(err, SL_ERR_USAGE,
                       "--wave \"%.40s\" is not a share of the items; give a percentage such as "
                       "30%%, at most 1000%%",
                       text);
    *out = percent / 100;
    return SL_OK;
}
