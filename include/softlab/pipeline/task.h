/* Tasks: jobs by the names of their commands. One table of fields says what each can be told. Words
 * are read by it, and the record of what was asked is written by it. So a plan can keep a job as
 * words that people read, and whoever does it calls a function.
 *
 *     char *words[] = {"--data", "shapes", "--network", "resnet8", "--output", "run"};
 *     sl_assignment_read("train", words, 6, &workplace.roots, &assignment, &err);
 *     sl_assignment_do(&assignment, &workplace, &result, &err);
 *     sl_assignment_release(&assignment);
 */
#ifndef SOFTLAB_PIPELINE_TASK_H
#define SOFTLAB_PIPELINE_TASK_H

#include "softlab/base/options.h"
#include "softlab/pipeline/asked.h"
#include "softlab/pipeline/places.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

/* How a task was asked for, beside what its job says; all borrowed. */
struct sl_task_call {
    char *const *arguments; /* files that stand without an option's name */
    size_t n_arguments;
    const struct sl_asked *asked; /* for whatever is written */
    const struct sl_workplace *workplace;
};
struct sl_task {
    const char *name; /* "train" */
    const struct sl_field_row *options;
    size_t size; /* of the job's struct */
    /* Which of the things it can do the job asks for, which decides what options do something;
     * NULL: there is one. */
    void (*mode)(const void *job, char *const *arguments, size_t n_arguments,
                 struct sl_option_mode *out);
    size_t most_arguments; /* SIZE_MAX: any number */
    bool reports;          /* it finds something out, which the word --json may ask for */
    bool stops; /* it asks the workplace whether to stop; others are ended where they are */
    /* *result is what the task finds out, which the caller owns; it stays NULL where files have all
     * of it. */
    enum sl_status (*run)(const void *job, const struct sl_task_call *call, json_t **result,
                          struct sl_error *err);
};
/* NULL if no task has this name. */
const struct sl_task *sl_task_find(const char *name);
/* SL_ERR_NOT_FOUND with the nearest name if no task has this one. */
enum sl_status sl_task_check(const char *name, struct sl_error *err) SL_MUST_USE;

/* Words that were read: what to do, and how it was said. */
struct sl_assignment {
    const struct sl_task *task; /* borrowed */
    void *job;                  /* owned; its texts are borrowed from the words */
    char **arguments;           /* borrowed: the first places of the words */
    size_t n_arguments;
    struct sl_places places; /* owned */
};
/* SL_ERR_USAGE says what is wrong with which word, also with one that would have no
 * effect; SL_ERR_NOT_FOUND which place is not here. */
enum sl_status sl_assignment_read(const char *name, char **words, size_t n_words,
                                  const struct sl_data_roots *roots, struct sl_assignment *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_assignment_release(struct sl_assignment *assignment);
/* As the task's run. */
enum sl_status sl_assignment_do(const struct sl_assignment *assignment,
                                const struct sl_workplace *workplace, json_t **result,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
