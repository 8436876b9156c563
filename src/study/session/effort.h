/* The effort of taking part: trials and time. Private to study/. */
#ifndef SOFTLAB_STUDY_SESSION_EFFORT_H
#define SOFTLAB_STUDY_SESSION_EFFORT_H

#include "softlab/study/check.h"

/* The number of trials for a batch of `n_items`, repeats and checks included. */
size_t sl_effort_trials(const struct sl_study *study, size_t n_items);
/* The median time of a trial on the study's slowest screen: nobody knows which one they get. */
double sl_effort_trial_seconds(const struct sl_study *study);
/* Whether the study's folder has this text and it is not blank. */
bool sl_effort_has_text(const struct sl_study *study, const char *name);

#endif
