/* Worth: how many clicks give labels as good as some other answers, such as stated probabilities,
 * to the same items. Answers are drawn from two recorded sets again and again; people who were not
 * drawn are the reference. */
#ifndef SOFTLAB_PIPELINE_WORTH_H
#define SOFTLAB_PIPELINE_WORTH_H

#include "softlab/base/json.h"
#include "softlab/base/stats.h"
#include "softlab/label/worth.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

enum sl_worth_side { SL_WORTH_CLICKS, SL_WORTH_OTHER, SL_WORTH_SIDES };

/* Texts are borrowed; NULL: not given. */
struct sl_worth_job {
    char *paths[SL_WORTH_SIDES];                 /* the answers */
    struct sl_real_list numbers[SL_WORTH_SIDES]; /* of answers per item, ascending */
    struct sl_word_list methods[SL_WORTH_SIDES]; /* that make labels of them; none: dirichlet and
                                                    dirichlet-soft */
    enum sl_worth_side reference;                /* whose people who were not drawn are right */
    uint64_t draws, bootstrap, seed, screen;     /* screen: clicks that choose uncertain items */
    double floor, seconds;                       /* seconds: of a click */
    const char *output; /* a file for the JSON, which the task and the command write; or NULL */
};
struct sl_worth_job sl_worth_job_default(void);
extern const struct sl_field_row sl_worth_job_options[];
extern const struct sl_task sl_worth_task;

/* All items, and those about which `screen` further clicks disagree. */
enum sl_worth_group { SL_WORTH_ALL, SL_WORTH_UNCERTAIN, SL_WORTH_GROUPS };
extern const char *const sl_worth_groups[SL_WORTH_GROUPS];

/* The labels of one method and number of answers, with the mean of every score. */
struct sl_worth_set {
    enum sl_worth_side side;
    const char *method; /* borrowed from the job */
    double number;
    struct sl_interval score[SL_WORTH_GROUPS][SL_WORTH_MEASURES];
};

/* What one set of the other answers is worth. */
struct sl_worth {
    size_t set;          /* of the other answers */
    const char *against; /* the method of the clicks; borrowed from the job */
    size_t measure;
    enum sl_worth_group group;
    struct sl_interval clicks; /* within the numbers of clicks that were tried */
    int beyond;                /* sl_worth_at */
};

struct sl_worth_result {
    struct sl_worth_job job;         /* with its defaults; its texts are borrowed */
    size_t n_items, n_short;         /* items in both files; left out: too few answers */
    double n_group[SL_WORTH_GROUPS]; /* items per draw */
    double reference_answers;        /* per item */
    double seconds;                  /* the median time of the other answers; NaN: not timed */
    struct sl_worth_set *sets;       /* owned */
    struct sl_worth *worths;         /* owned */
    size_t n_sets, n_worths;
};
/* SL_ERR_USAGE if a file, number or method is missing or of no use; SL_ERR_INPUT if the files share
 * too few items with enough answers, or their classes differ. *out borrows the job's texts. */
enum sl_status sl_worth_job_run(const struct sl_worth_job *job,
                                const struct sl_workplace *workplace, struct sl_worth_result *out,
                                struct sl_error *err) SL_MUST_USE;
void sl_worth_result_release(struct sl_worth_result *result);
/* The seconds that one of the other answers may take so that clicks of the same total time give
 * labels no better. */
double sl_worth_break_even(const struct sl_worth_result *result, const struct sl_worth *worth,
                           double clicks);
/* Takes `provenance`, which may be NULL. */
json_t *sl_worth_json(const struct sl_worth_result *result, json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
