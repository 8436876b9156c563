/* Private to ask/. */
#ifndef SOFTLAB_ASK_INTERNAL_H
#define SOFTLAB_ASK_INTERNAL_H

#include "softlab/ask.h"

/* Look at the item as if `more` answers had come, each the expected one. */
void sl_ask_look_ahead(const struct sl_ask_board *board, struct sl_dirichlet_view *view,
                       size_t item, double more);
/* Whether items are chosen by gain, and why. `n_pilot` items have rule->first answers. */
bool sl_ask_pays(const struct sl_ask_rule *rule, const struct sl_ask_fit *fit, size_t n_pilot,
                 const char **because);

#endif
