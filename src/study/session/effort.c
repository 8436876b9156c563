/* The time that a study takes. The times of pages are medians of CIFAR-10S (248 people): 16 s for
 * consent, 136 s for instructions; the others are estimates. */
#include "study/session/effort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "study/screens/screens.h"

static const double CONSENT = 16, INSTRUCTIONS = 136, QUESTION = 15, SCALE = 6, FREE_TEXT = 20;
/* A session takes longer than its number of trials times the median: times are skewed, and the
 * first trials take twice as long. In CIFAR-10S the mean is 43.5 s and the median 32.0 s. */
static const double MEAN_PER_MEDIAN = 1.36;

size_t sl_effort_trials(const struct sl_study *study, size_t n_items)
{
    const size_t shown = n_items + (study->repeats < n_items ? study->repeats : n_items);
    return shown + (study->check_every > 0 ? shown / study->check_every : 0);
}

bool sl_effort_has_text(const struct sl_study *study, const char *name)
{
    struct sl_buffer text;
    char *path = sl_path_join(study->folder, name);
    sl_buffer_init(&text, 1 << 20);
    bool found = sl_file_exists(path) && sl_file_read(path, &text, NULL) == SL_OK &&
                 strspn(text.data ? text.data : "", " \t\r\n") < text.length;
    sl_buffer_release(&text);
    free(path);
    return found;
}

double sl_effort_trial_seconds(const struct sl_study *study)
{
    double longest = 0;
    for (size_t i = 0; i < study->n_screens; i++)
        longest = fmax(longest, sl_screen_find(study->screens[i])->seconds);
    return longest;
}

static double session_seconds(const struct sl_study *study, size_t n_trials)
{
    const double trial = sl_effort_trial_seconds(study);
    double seconds = fmax(MEAN_PER_MEDIAN * trial, study->min_seconds) * (double)n_trials;
    if (sl_effort_has_text(study, "consent.md")) seconds += CONSENT;
    if (sl_effort_has_text(study, "instructions.md")) seconds += INSTRUCTIONS;
    seconds += QUESTION * (double)study->n_comprehension;
    if (study->practice) seconds += 2 * trial;
    seconds += 2 * trial * (double)study->training_trials;
    for (size_t i = 0; i < study->n_debrief; i++)
        seconds += study->debrief[i].kind == SL_DEBRIEF_SCALE ? SCALE : FREE_TEXT;
    return seconds;
}

struct largest {
    struct sl_store *store;
    size_t n_items;
    struct sl_error *err;
};

static enum sl_status compare_batch(const struct sl_store_batch_row *row, void *context)
{
    struct largest *largest = context;
    char **items = NULL;
    size_t count = 0;
    SL_TRY(sl_store_batch_items(largest->store, row->batch, &items, &count, largest->err));
    if (count > largest->n_items) largest->n_items = count;
    sl_strings_destroy(items, count);
    return SL_OK;
}

enum sl_status sl_study_effort(const struct sl_study *study, struct sl_store *store,
                               struct sl_study_effort *out, struct sl_error *err)
{
    struct largest largest = {.store = store, .err = err};
    SL_TRY(sl_store_each_batch(store, compare_batch, &largest, err));
    if (study->assignment == SL_ASSIGN_ADAPTIVE) largest.n_items = study->batch_size;
    out->n_items = largest.n_items;
    out->n_trials = sl_effort_trials(study, largest.n_items);
    out->seconds = session_seconds(study, out->n_trials);
    /* At least two, so that every text may say "minutes". */
    out->minutes = (size_t)fmax(2, ceil(out->seconds / 60));
    return SL_OK;
}
