/* Asking: which items to ask about next (softlab/ask.h), from a file of answers to a file with the
 * items of the next batch; and from a pilot to a plan of what budgets are expected to buy. */
#ifndef SOFTLAB_PIPELINE_ASKING_H
#define SOFTLAB_PIPELINE_ASKING_H

#include "softlab/ask.h"
#include "softlab/base/json.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* ---- Amounts as people type them ---- */

/* "500" is a number of answers; "600s", "10min" and "2h" are annotators' time. */
struct sl_ask_budget {
    double amount; /* answers or seconds, more than 0 */
    bool in_seconds;
};
/* SL_ERR_USAGE says what to type. */
enum sl_status sl_ask_budget_read(const char *text, struct sl_ask_budget *out,
                                  struct sl_error *err) SL_MUST_USE;
/* "30%" as 0.3; more than 0 %, at most 1000 %. */
enum sl_status sl_ask_share_read(const char *text, double *out, struct sl_error *err) SL_MUST_USE;

/* How long an answer takes. */
struct sl_ask_pace {
    double seconds;  /* NaN: not known */
    size_t n_timed;  /* recorded times; their mean without the fastest and the slowest tenth */
    bool was_stated; /* by the caller, so that recorded times do not count */
};

/* ---- The next batch ---- */

/* Texts are borrowed; NULL or NaN: not given. */
struct sl_next_job {
    const char *answers; /* any file of answers */
    struct sl_answer_reading reading;
    const char *budget;   /* as for sl_ask_budget_read */
    const char *wave;     /* the largest batch as a share of the items, as for sl_ask_share_read */
    const char *prior;    /* a classifier's predictions for all items */
    const char *items;    /* a file of items, which may have no answers yet */
    double target;        /* nothing more is asked once the mean risk is as low, in nats */
    size_t per_item;      /* the batch asks at most so often about an item; 0: no limit */
    size_t most;          /* an item with this many answers is finished; 0: no limit */
    double stop;          /* an item is finished if one more answer lowers its risk by less */
    enum sl_ask_way way;  /* how items are chosen */
    double seconds;       /* that an answer takes, instead of recorded times */
    const char *output;   /* the batch, .csv */
    const char *finished; /* a list of finished items, .csv */
};
struct sl_next_job sl_next_job_default(void);
extern const struct sl_field_row sl_next_job_options[];
extern const struct sl_task sl_next_task;

struct sl_next_batch {
    const struct sl_next_job *job; /* borrowed */
    struct sl_votes *votes;        /* owned; all items, those without answers included */
    float *predictions;            /* owned; or NULL */
    struct sl_ask_fit *fit;        /* owned */
    struct sl_ask_board *board;    /* owned; without pending answers */
    uint32_t *times;               /* owned; per item, how often the batch asks about it */
    struct sl_ask_summary now;
    struct sl_interval alpha; /* Krippendorff's; NaN: fewer than 10 items have two answers */
    struct sl_ask_pace pace;
    struct sl_ask_budget budget;
    size_t n_affordable; /* answers that the budget buys */
    size_t n_wave;       /* answers of a full batch */
    size_t n_items;      /* that the batch asks about */
    size_t n_people;     /* known annotators */
    size_t n_new_people; /* that the batch needs beside them, since a person answers an item once */
    size_t n_soft;       /* answers with probabilities, which count as their most probable class */
    size_t n_unused;     /* classes that no answer has */
    bool reached;        /* the mean risk is at the target already */
    /* What is expected of the batch, of the whole budget in waves, and of as many answers if all
     * items are asked about alike. The budget is looked at up to `n_foreseen` answers or the
     * target. */
    struct sl_ask_outcome batch, budgeted, equal;
    size_t n_foreseen;
};
/* Choose the batch and write the files that the job names. SL_ERR_USAGE for a budget that buys
 * nothing, SL_ERR_INPUT without answers. *out borrows *job. */
enum sl_status sl_next_job_run(const struct sl_next_job *job, const struct sl_workplace *workplace,
                               struct sl_next_batch *out, struct sl_error *err) SL_MUST_USE;
void sl_next_batch_release(struct sl_next_batch *batch);
/* A prior as weak as this contradicts the answers (sl_dirichlet.sharpness; 1: as it says). */
#define SL_NEXT_WEAK_PRIOR 0.2
/* All results as a new JSON object; takes `provenance`, which may be NULL. */
json_t *sl_next_batch_json(const struct sl_next_batch *batch, json_t *provenance) SL_MUST_USE;

/* ---- A plan from a pilot ---- */

/* Texts are borrowed; NULL or NaN: not given. */
struct sl_plan_job {
    const char *answers; /* the pilot: any file of answers */
    struct sl_answer_reading reading;
    size_t items;                /* that are to be labelled */
    const char *screen;          /* "hard" or "rich"; NULL: those of the pilot */
    double seconds;              /* that an answer takes, instead of recorded times */
    double pay_per_hour;         /* in `currency` */
    const char *currency;        /* such as GBP */
    double target;               /* a mean risk to find the smallest budget for, in nats */
    struct sl_real_list budgets; /* answers; empty: 2 to 16 per item */
    uint64_t seed;
    const char *output; /* .html, .svg, .csv or .json */
};
struct sl_plan_job sl_plan_job_default(void);
extern const struct sl_field_row sl_plan_job_options[];
extern const struct sl_task sl_plan_task;

/* A way to give an answer. */
enum { SL_SCREEN_HARD, SL_SCREEN_RICH, SL_SCREENS };
extern const char *const sl_plan_screen_names[SL_SCREENS]; /* "hard", "rich" */
struct sl_plan_screen {
    size_t kind;    /* SL_SCREEN_HARD: one class; SL_SCREEN_RICH: with probabilities */
    double worth;   /* clicks that an answer counts as */
    double seconds; /* the trimmed mean, or as stated; NaN: not known */
    size_t n_timed; /* recorded times; 0: none, or the seconds were stated */
    size_t n_pilot; /* answers of the pilot */
    /* The fewest answers that reach the target, per allocation; infinite: more than was looked at,
     * NaN: no target. */
    struct sl_interval needed[SL_ASK_ALLOCATIONS];
};
struct sl_plan_row {
    size_t screen;                          /* number of the plan's screen */
    size_t allocation;                      /* SL_ASK_BY_EQUAL, SL_ASK_BY_GAIN */
    double answers, per_item, hours, money; /* hours and money are NaN if not known */
    struct sl_interval risk, square;
};
/* Whether choosing items by gain pays, by the simulated campaigns. */
enum sl_plan_verdict { SL_PLAN_PAYS, SL_PLAN_DOES_NOT_PAY, SL_PLAN_NOT_CLEAR, SL_PLAN_VERDICTS };
extern const char *const sl_plan_verdict_names[SL_PLAN_VERDICTS]; /* "pays", ... */
struct sl_plan_choosing {
    enum sl_plan_verdict verdict;
    double per_item;          /* answers at the middle budget, which decides */
    struct sl_interval ratio; /* there: the mean risk by gain / by equal allocation, in pairs */
};
struct sl_budget_plan {
    const struct sl_plan_job *job;    /* borrowed */
    struct sl_ask_forecast *forecast; /* owned */
    size_t n_pilot_items, n_pilot_answers;
    struct sl_interval alpha; /* Krippendorff's, of the pilot */
    struct sl_plan_screen screens[SL_SCREENS];
    size_t n_screens;
    struct sl_plan_row *rows; /* owned; by screen, allocation and budget */
    size_t n_rows, n_budgets;
    struct sl_plan_choosing choosing;
    double wave;        /* of the campaigns, as a share of the items */
    size_t n_resamples; /* of the pilot, for the intervals */
};
/* Fit the pilot, simulate campaigns, and write the file that the job names. *out borrows *job. */
enum sl_status sl_plan_job_run(const struct sl_plan_job *job, const struct sl_workplace *workplace,
                               struct sl_budget_plan *out, struct sl_error *err) SL_MUST_USE;
void sl_budget_plan_release(struct sl_budget_plan *plan);
/* The plan in sentences, one per line, into `out`. */
void sl_budget_plan_say(const struct sl_budget_plan *plan, struct sl_buffer *out);
/* All figures as a new JSON object; takes `provenance`, which may be NULL. */
json_t *sl_budget_plan_json(const struct sl_budget_plan *plan, json_t *provenance) SL_MUST_USE;
extern const char *const sl_plan_allocation_names[SL_ASK_ALLOCATIONS]; /* "equal", "by gain" */

SL_END_DECLS

#endif
