/* Tasks: jobs by the names of their commands. Each task has one table of fields, which reads the
 * words of a command and writes its record. A plan can therefore keep a job as readable words, and
 * run it by a function call.
 *
 *     char *words[] = {"--data", "shapes", "--network", "resnet8", "--output", "run"};
 *     sl_assignment_read("train", words, 6, &workplace.roots, &assignment, &err);
 *     sl_assignment_do(&assignment, &workplace, &result, &err);
 *     sl_assignment_release(&assignment); */
#ifndef SOFTLAB_PIPELINE_TASK_H
#define SOFTLAB_PIPELINE_TASK_H

#include "softlab/base/options.h"
#include "softlab/pipeline/asked.h"
#include "softlab/pipeline/places.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

/* The call of a task, apart from its job; all borrowed. */
struct sl_task_call {
    char *const *arguments; /* files given without an option */
    size_t n_arguments;
    const struct sl_asked *asked; /* the record to store in output files */
    const struct sl_workplace *workplace;
};
struct sl_task {
    const char *name; /* "train" */
    const struct sl_field_row *options;
    size_t size; /* of the job's struct */
    /* Find the mode that the job asks for, which decides which options have an effect; NULL: one
     * mode. */
    void (*mode)(const void *job, char *const *arguments, size_t n_arguments,
                 struct sl_option_mode *out);
    size_t most_arguments; /* SIZE_MAX: any number */
    bool reports;          /* it has a result, which the word --json may ask for */
    bool stops;            /* it checks workplace->stop; any other task is killed */
    /* *result is the task's result, owned by the caller; NULL if everything is in files. */
    enum sl_status (*run)(const void *job, const struct sl_task_call *call, json_t **result,
                          struct sl_error *err);
};
/* Task number `index`; NULL past the last. */
const struct sl_task *sl_task_at(size_t index);
/* NULL if no task has this name. */
const struct sl_task *sl_task_find(const char *name);
/* SL_ERR_NOT_FOUND with the nearest name if no task has this one. */
enum sl_status sl_task_check(const char *name, struct sl_error *err) SL_MUST_USE;

/* The words of a command, read. */
struct sl_assignment {
    const struct sl_task *task; /* borrowed */
    void *job;                  /* owned; its texts are borrowed from the words */
    char **arguments;           /* borrowed: words that are not options, moved to the front */
    size_t n_arguments;
    struct sl_places places; /* owned */
};
/* SL_ERR_USAGE says what is wrong with which word, including a word without effect.
 * SL_ERR_NOT_FOUND names a place that is not on this machine. *out borrows the words. */
enum sl_status sl_assignment_read(const char *name, char **words, size_t n_words,
                                  const struct sl_data_roots *roots, struct sl_assignment *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_assignment_release(struct sl_assignment *assignment);
/* Run the task; *result as in sl_task.run. */
enum sl_status sl_assignment_do(const struct sl_assignment *assignment,
                                const struct sl_workplace *workplace, json_t **result,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
