/* Private to pipeline/asking/. */
#ifndef SOFTLAB_PIPELINE_ASKING_PRIVATE_H
#define SOFTLAB_PIPELINE_ASKING_PRIVATE_H

#include "softlab/pipeline/asking.h"
#include "softlab/pipeline/files.h"
#include "softlab/plot.h"

/* A file of answers as votes, with how long they took. */
struct sl_asking_answers {
    struct sl_votes *votes; /* owned; only items that have answers or are listed */
    /* By SL_SCREEN_HARD and SL_SCREEN_RICH. */
    size_t n_answers[SL_SCREENS];
    double *seconds[SL_SCREENS]; /* owned; recorded times */
    size_t n_timed[SL_SCREENS];
};
/* `items` is a file of items or NULL. SL_ERR_INPUT names the file if it has no answers. */
enum sl_status sl_asking_answers_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_answer_reading *reading, const char *items,
                                      struct sl_asking_answers *out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_asking_answers_release(struct sl_asking_answers *answers);
/* The pace of all answers: `stated` seconds unless NaN, else the trimmed mean of recorded times:
 * people leave for a coffee and click twice, and a median times the number of answers is less than
 * the answers take. */
struct sl_ask_pace sl_asking_pace(const struct sl_asking_answers *answers, double stated);
/* The known people, and how many more are needed if item i is to get times[i] more answers, each of
 * another person. Nobody is needed where nobody has a name. */
size_t sl_asking_people(const struct sl_votes *votes, const uint32_t *times, size_t *n_new);

/* Write the batch and the list of finished items where the job asks for them. */
enum sl_status sl_next_batch_write(const struct sl_next_batch *batch,
                                   struct sl_error *err) SL_MUST_USE;

/* Write the plan to the job's output, in the format of its ending. */
enum sl_status sl_budget_plan_write(const struct sl_budget_plan *plan,
                                    struct sl_error *err) SL_MUST_USE;
/* The chart of the mean risk, or of the squared distance, against what it costs. `render` gets it
 * while its values are there. */
typedef enum sl_status sl_budget_plan_render(void *context, const struct sl_plot *plot,
                                             struct sl_error *err);
enum sl_status sl_budget_plan_chart(const struct sl_budget_plan *plan, bool squares,
                                    sl_budget_plan_render *render, void *context,
                                    struct sl_error *err) SL_MUST_USE;

#endif
