#include <math.h>

#include "ask/ask_internal.h"
#include "softlab/base/text.h"

const char *const sl_ask_way_names[SL_ASK_WAYS] = {"auto", "gain", "equal"};

struct sl_ask_rule sl_ask_rule_default(void)
{
    return (struct sl_ask_rule){
        .way = SL_ASK_AUTO, .first = 2, .least = 4, .stop = 1e-3, .pays = 0.2, .pilot = 50};
}

enum sl_status sl_ask_rule_check(const struct sl_ask_rule *rule, struct sl_error *err)
{
    if ((unsigned)rule->way >= SL_ASK_WAYS)
        return sl_fail(err, SL_ERR_USAGE, "there is no way %d of choosing items", (int)rule->way);
    if (!(rule->stop >= 0) || !isfinite(rule->stop))
        return sl_fail(err, SL_ERR_USAGE,
                       "the gain at which an item is closed is %g; give 0 or more", rule->stop);
    if (!(rule->pays >= 0 && rule->pays <= 1))
        return sl_fail(err, SL_ERR_USAGE, "the variation that pays is %g; give 0 to 1", rule->pays);
    if (rule->most > 0 && (rule->most < rule->first || rule->most < rule->least))
        return sl_fail(err, SL_ERR_USAGE,
                       "an item gets at most %zu answer%s, fewer than the %zu that it must have",
                       rule->most, sl_text_plural(rule->most, "", "s"),
                       rule->first > rule->least ? rule->first : rule->least);
    return SL_OK;
}

bool sl_ask_pays(const struct sl_ask_rule *rule, const struct sl_ask_fit *fit, size_t n_pilot,
                 const char **because)
{
    if (rule->way != SL_ASK_AUTO) {
        *because = "the rule says so";
        return rule->way == SL_ASK_GAIN;
    }
    if (n_pilot < rule->pilot) {
        *because = "too few items have been answered to tell whether they differ in difficulty";
        return false;
    }
    if (!(fit->variation >= rule->pays)) {
        *because = "people disagree about most items alike";
        return false;
    }
    *because = "a part of the items has most of the disagreement";
    return true;
}
