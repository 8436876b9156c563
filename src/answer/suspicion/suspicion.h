/* The parts of the suspicion score. Private to answer/suspicion/. */
#ifndef SOFTLAB_ANSWER_SUSPICION_SUSPICION_H
#define SOFTLAB_ANSWER_SUSPICION_SUSPICION_H

#include "softlab/answer/suspicion.h"

/* The measurements of one annotator. */
struct sl_suspect {
    /* habit.c */
    size_t n_votes; /* first answers to each item */
    uint32_t usual; /* the class given most often; n_classes and above: a range of shares */
    size_t n_usual; /* how often */
    double same;    /* probability that two of the annotator's votes are equal */
    size_t n_alone; /* votes on items without other votes */
    size_t n_alone_usual;
    double usual_elsewhere; /* share of `usual` among the votes of all */
    size_t n_compared;
    double habit;             /* log-likelihood ratio over the compared votes */
    double agreement, chance; /* mean support by others; and if the votes had been shuffled */
    /* times.c */
    size_t n_times;
    double median_ms;
    double pace;     /* log of the time over the upper quartile of annotators; NaN: unknown */
    double usual_ms; /* that quartile in ms */
    double spread;   /* of log times, robust; NaN without */
    double evenness; /* spread over the upper quartile of annotators */
    /* pattern.c */
    size_t n_patterned, n_same; /* answers with percentages; those with the most frequent ones */
    double same_elsewhere;      /* share of these percentages in the answers of others */
};

/* Each fills its part for every annotator. */
enum sl_status sl_suspect_habits(const struct sl_answers *answers, const int32_t *truth,
                                 struct sl_suspect *suspects, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_suspect_times(const struct sl_answers *answers, struct sl_suspect *suspects,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_suspect_patterns(const struct sl_answers *answers, struct sl_suspect *suspects,
                                   struct sl_error *err) SL_MUST_USE;

/* The upper quartile represents people who look even if half of all annotators are scripts. */
#define SL_SUSPECT_QUARTILE .75
enum { SL_SUSPECT_FEWEST = 4 }; /* fewest annotators for a quartile */

#endif
