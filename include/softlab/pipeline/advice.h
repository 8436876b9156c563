/* Advice: what a file of answers says about its crowd, and what to do next. Each part has a struct
 * of measured figures; words are made from them at the end (sl_advice_page).
 * docs/internals/advice.md defines every figure and rule. */
#ifndef SOFTLAB_PIPELINE_ADVICE_H
#define SOFTLAB_PIPELINE_ADVICE_H

#include "softlab/base/buffer.h"
#include "softlab/base/json.h"
#include "softlab/base/stats.h"
#include "softlab/crowd/dirichlet.h"
#include "softlab/crowd/held_out.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Texts are borrowed; NULL: not given. */
struct sl_advise_job {
    const char *answers; /* any file of answers */
    struct sl_answer_reading reading;
    const char *truth; /* true classes: a file or a data set; NULL: those in the answers */
    double hours;      /* of annotation to plan; NaN: 1 if the time of an answer is known */
    double seconds;    /* of an answer; NaN: as the answers took */
    uint64_t top;      /* items and annotators to name in each list */
    uint64_t seed;     /* of folds and bootstraps */
};
struct sl_advise_job sl_advise_job_default(void);
extern const struct sl_field_row sl_advise_job_options[];
extern const struct sl_task sl_advise_task;

/* What the answers are. Checks, repeats and second runs do not count. */
struct sl_advice_crowd {
    size_t n_items, n_annotators, n_answers; /* with answers that count */
    size_t n_classes, n_unused;              /* classes, and those that no answer names first */
    uint32_t only_class;                     /* the class of all answers; SL_NO_NAME: several */
    uint32_t busiest;                        /* who gave the most answers; SL_NO_NAME: unknown */
    size_t n_busiest;                        /* and how many */
    size_t n_compared;                       /* items with two or more answers */
    size_t n_unknown;                        /* answers whose annotator is unknown */
    size_t fewest, most;                     /* answers to an item */
    bool rich;                               /* answers state more than one class */
    size_t n_unread;                         /* answers of other kinds than labels are made of */
    struct sl_interval alpha;                /* Krippendorff's, of the first choices */
    double seconds;                          /* of an answer: the trimmed mean; NaN: unknown */
};

/* What the model of softlab/crowd/dirichlet.h says. */
struct sl_advice_model {
    const char *missing;                /* why there is no model, static; NULL: there is one */
    double share[SL_DIRICHLET_LEVELS];  /* of the items at each level, the clearest first */
    double agreed[SL_DIRICHLET_LEVELS]; /* share of people who name the same class there */
    double risk;                        /* mean over items */
    double variation;                   /* V */
    struct sl_crowd_state state;        /* owned */
    double *disagreement;               /* owned; n_items; NaN without answers */
};

/* An annotator whose answers should be looked at. */
struct sl_advice_person {
    uint32_t annotator;
    size_t n_answers;
    double suspicion, trust; /* trust is NaN without a model */
    double agreement;        /* with others; NaN: nobody else answered the same items */
    char *reasons;           /* owned; plain words */
};
struct sl_advice_people {
    struct sl_advice_person *people; /* owned; the most answers first */
    size_t count, n_answers;         /* theirs */
    double agreement;                /* of the median annotator */
    double trust;                    /* the mean of theirs, by answers; NaN without a model */
    /* Without their answers: */
    struct sl_interval alpha;
    size_t n_changed;                  /* items whose first class is another one */
    size_t n_lost;                     /* items without any answer */
    double accuracy, accuracy_without; /* of the labels' first classes; NaN without truth */
};

/* One way to make labels. */
struct sl_advice_candidate {
    const char *method;                     /* as in labels --method */
    const char *words;                      /* what it does */
    const struct sl_aggregator *aggregator; /* NULL: the mean of the answers */
};
enum { SL_ADVICE_CANDIDATES = 4 };
struct sl_advice_methods {
    size_t count; /* candidates, the simplest first */
    struct sl_advice_candidate candidates[SL_ADVICE_CANDIDATES];
    struct sl_held_out held_out;                     /* owned; by candidate */
    struct sl_interval behind[SL_ADVICE_CANDIDATES]; /* by how much the best is better */
    size_t best, advised; /* advised: the simplest that the best does not beat significantly */
    bool decided;         /* enough items were compared to say so */
    size_t n_truth;       /* items with a known class */
    double accuracy[SL_ADVICE_CANDIDATES]; /* of the labels' first classes on these */
    size_t truest;                         /* the candidate of the highest accuracy */
    struct sl_interval truest_ahead;       /* its accuracy minus that of the advised one */
};

struct sl_advice_item {
    uint32_t item;
    size_t n_answers;
    size_t first, second;            /* the most probable classes */
    struct sl_interval share, other; /* of these; the ends are NaN without a model */
    double risk, disagreement;       /* NaN without a model */
    int32_t truth;                   /* class, or -1 */
};
struct sl_advice_items {
    struct sl_advice_item *risky, *split, *contrary; /* owned */
    size_t n_risky, n_split, n_contrary;             /* named */
    size_t n_truth, n_wrong; /* items with a true class, and those whose label has another */
};

/* The next answers. */
struct sl_advice_next {
    double seconds, hours;      /* NaN: unknown, and n_answers is one for each item */
    size_t n_answers;           /* to ask for */
    size_t n_afforded;          /* there is time for, at least n_answers: 1,000 per item suffice */
    size_t n_items;             /* that they are about */
    double risk, chosen, equal; /* mean risk now, and expected after asking about the chosen items,
                                   or about all equally; NaN without a model */
    struct sl_advice_item *items; /* owned; the most answers first */
    uint32_t *answers;            /* owned; of each of these */
    size_t n_named;
    bool stop; /* more answers change little */
};

struct sl_advice;
/* A situation that a verdict describes. The first that holds speaks. */
struct sl_advice_situation {
    const char *name;
    bool useless; /* labels of such answers mean nothing */
    bool (*holds)(const struct sl_advice *advice);
    void (*say)(const struct sl_advice *advice, struct sl_buffer *out);
};
extern const struct sl_advice_situation sl_advice_situations[]; /* ends with a NULL name */

struct sl_advice {
    const struct sl_advise_job *job; /* borrowed */
    struct sl_answers *answers;      /* owned */
    int32_t *truth;                  /* owned; class per item, or -1; NULL: no truth is known */
    struct sl_advice_crowd crowd;
    struct sl_advice_model model;
    struct sl_advice_people people;
    struct sl_advice_methods methods;
    struct sl_advice_items items;
    struct sl_advice_next next;
};
/* Errors name the file. SL_ERR_INPUT if no answer counts. *out borrows *job. */
enum sl_status sl_advise_job_run(const struct sl_advise_job *job,
                                 const struct sl_workplace *workplace, struct sl_advice *out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_advice_release(struct sl_advice *advice);
/* The situation that describes the crowd. */
const struct sl_advice_situation *sl_advice_verdict(const struct sl_advice *advice);
/* All of it in words: paragraphs separated by empty lines, each one line; rows of lists begin with
 * two spaces. */
void sl_advice_page(const struct sl_advice *advice, struct sl_buffer *out);
/* Everything as a new JSON object; takes `provenance`, which may be NULL. */
json_t *sl_advice_json(const struct sl_advice *advice, json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
