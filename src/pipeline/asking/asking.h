/* Private to pipeline/asking/. */
#ifndef SOFTLAB_PIPELINE_ASKING_PRIVATE_H
#define SOFTLAB_PIPELINE_ASKING_PRIVATE_H

#include "softlab/pipeline/asking.h"
#include "softlab/pipeline/files.h"

/* How an answer was given: one class, or classes with probabilities. */
enum { SL_ASKED_HARD, SL_ASKED_RICH, SL_ASKED_KINDS };

/* A file of answers as votes, with how long they took. */
struct sl_asking_answers {
    struct sl_votes *votes; /* owned; only items that have answers or are listed */
    size_t n_answers[SL_ASKED_KINDS];
    double *seconds[SL_ASKED_KINDS]; /* owned; recorded times, sorted */
    size_t n_timed[SL_ASKED_KINDS];
};
/* `items` is a file of items or NULL. SL_ERR_INPUT names the file if it has no answers. */
enum sl_status sl_asking_answers_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_answer_reading *reading, const char *items,
                                      struct sl_asking_answers *out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_asking_answers_release(struct sl_asking_answers *answers);
/* The pace of all answers: `stated` seconds unless NaN, else that of recorded times. */
struct sl_ask_pace sl_asking_pace(const struct sl_asking_answers *answers, double stated);
/* The known people, and how many more are needed if item i is to get times[i] more answers, each of
 * another person. Nobody is needed where nobody has a name. */
size_t sl_asking_people(const struct sl_votes *votes, const uint32_t *times, size_t *n_new);

/* Write the batch and the list of finished items where the job asks for them. */
enum sl_status sl_next_batch_write(const struct sl_next_batch *batch,
                                   struct sl_error *err) SL_MUST_USE;

#endif
