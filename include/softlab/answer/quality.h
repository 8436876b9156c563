/* Quality of annotators' answers: slips, accuracy, consistency, agreement, time, and exclusion by
 * rules in tables. Pure functions over an answer set. docs/internals/quality.md says what each
 * figure counts. */
#ifndef SOFTLAB_ANSWER_QUALITY_H
#define SOFTLAB_ANSWER_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/base/error.h"
#include "softlab/base/stats.h"

SL_BEGIN_DECLS

/* Kinds of slip in an answer; named in sl_slip_names. */
enum sl_slip {
    SL_SLIP_RANGE,      /* a probability outside 0-100 % */
    SL_SLIP_UNREADABLE, /* the typed text is not a number */
    SL_SLIP_IMPOSSIBLE, /* a top class that is also marked impossible */
    SL_SLIP_MISSING,    /* no probability for the top class */
    SL_SLIP_SAME,       /* second = first */
    SL_SLIP_ORDER,      /* p2 > p1 */
    SL_SLIP_SUM,        /* p1 + p2 over 100 % */
    SL_SLIP_COUNT
};
extern const char *const sl_slip_names[SL_SLIP_COUNT];
/* Bit set of 1u << enum sl_slip. */
unsigned sl_answer_slips(const struct sl_answer *answer, size_t n_classes);

/* Figures of one annotator, or of all answers together. They count all answers except checks;
 * repeats and second runs are included, except in the consistency. */
struct sl_annotator_quality {
    size_t n_answers;
    size_t n_repeats; /* repeats compared with the first answer, without second runs */
    size_t n_checks, n_checks_right;
    size_t slips[SL_SLIP_COUNT]; /* answers with such a slip */
    size_t n_with_truth;
    size_t n_compared; /* first votes on items that another person voted on */
    double agreement;  /* mean share of the others' votes that name the same class; NaN without such
                          votes */
    double top1, top2; /* accuracy against the truth; NaN without it */
    double changed_class; /* share of repeats; NaN without repeats */
    double mean_change;   /* mean |p1 - p1'| in points over repeats with the same class */
    double median_ms;     /* NaN without times */
    const char *excluded; /* borrowed: the rule that excluded, or NULL */
};

struct sl_quality {
    size_t n_annotators;
    struct sl_annotator_quality *annotators; /* owned; in the set's order */
    struct sl_annotator_quality overall;
    size_t n_items;            /* with an answer that counts */
    double answers_per_item;   /* repeats and second runs left out, here and below */
    double observed_agreement; /* NaN without answers */
    double krippendorff_alpha; /* NaN if no votes can be compared or only one class was used */
    double mean_accuracy;      /* top-1, mean over annotators */
    double share_accurate;     /* of annotators with accuracy >= .75 */
    double share_never_true;   /* share of items with truth whose true class got no vote */
    double share_two_classes;  /* share of items whose votes name at most two classes */
    size_t n_left_out;         /* answers to items with more than `most_answers` */
};

/* A rule holds for an annotator if all of its tests hold; the first rule of a preset that holds
 * gives the reason for exclusion. */
struct sl_exclusion_rule {
    const char *reason;
    unsigned slips;        /* bit set whose counts are added up */
    size_t fewest, most;   /* the sum is from fewest to most; most 0 = any number */
    double accuracy_below; /* top-1 accuracy below this; 0 = any; unknown is not below */
    double checks_below;   /* share of passed checks below this; 0 = no such test */
};
struct sl_exclusion_preset {
    const char *name, *summary;
    const struct sl_exclusion_rule *rules; /* ends with a NULL reason */
};
extern const struct sl_exclusion_preset sl_exclusion_presets[]; /* ends with a NULL name */
/* The reason for exclusion, borrowed, or NULL. */
const char *sl_exclusion_reason(const struct sl_exclusion_preset *preset,
                                const struct sl_annotator_quality *quality);

struct sl_quality_options {
    const int32_t *truth; /* borrowed: a class per item, or -1; NULL = the answers' own truth */
    const struct sl_exclusion_preset *preset; /* NULL = exclude nobody */
    size_t most_answers; /* items with more are left out (control items); 0 = none are */
};

/* `options` may be NULL. */
enum sl_status sl_quality_measure(const struct sl_answers *answers,
                                  const struct sl_quality_options *options, struct sl_quality *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_quality_release(struct sl_quality *quality);

/* Soft answers to a group of items, as given: the probability of the first class, and how many
 * classes were left possible. Checks do not count; repeats and second runs do. */
enum { SL_ANSWER_BINS = 10 };
struct sl_answer_group {
    size_t n_items, n_answers;
    double mean_probability; /* of the first class, over answers that state it; NaN without */
    double mean_possible;    /* classes not marked impossible; NaN without answers */
    size_t probability_counts[SL_ANSWER_BINS]; /* by tenths of the probability; 1 is in the last */
    size_t *possible_counts;                   /* owned; (n_classes + 1), by number of classes */
};
/* in[i] says whether item i belongs to the group. */
enum sl_status sl_answer_group_measure(const struct sl_answers *answers, const bool *in,
                                       struct sl_answer_group *out,
                                       struct sl_error *err) SL_MUST_USE;
void sl_answer_group_release(struct sl_answer_group *group);

/* Intervals of these figures for other items and other annotators: both are resampled
 * (sl_bootstrap_crossed). share_never_true and share_two_classes resample items only, since fewer
 * voters would raise them. The ends are NaN where a figure has no answers. */
struct sl_answer_group_intervals {
    struct sl_interval probability, possible;
};
enum sl_status sl_answer_group_bootstrap(const struct sl_answers *answers, const bool *in,
                                         const struct sl_bootstrap_options *bootstrap,
                                         struct sl_answer_group_intervals *out,
                                         struct sl_error *err) SL_MUST_USE;
struct sl_quality_intervals {
    struct sl_interval top1, top2, mean_accuracy, share_never_true, share_two_classes;
};
enum sl_status sl_quality_bootstrap(const struct sl_answers *answers,
                                    const struct sl_quality_options *options,
                                    const struct sl_bootstrap_options *bootstrap,
                                    struct sl_quality_intervals *out,
                                    struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
