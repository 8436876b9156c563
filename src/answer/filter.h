/* Answers without some of their classes. Private to answer/. */
#ifndef SOFTLAB_ANSWER_FILTER_H
#define SOFTLAB_ANSWER_FILTER_H

#include "softlab/answer.h"

struct sl_class_filter;

/* Whether the options (or NULL) remove any class. */
bool sl_class_filter_is_asked(const struct sl_import_options *options);

/* SL_ERR_INPUT naming a class to remove that does not exist, or if no class remains. */
enum sl_status sl_class_filter_create(const struct sl_import_options *options,
                                      const char *const *classes, size_t n_classes,
                                      struct sl_class_filter **out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_class_filter_destroy(struct sl_class_filter *filter);

/* The remaining classes, NULL-ended, borrowed. */
const char *const *sl_class_filter_classes(const struct sl_class_filter *filter);
size_t sl_class_filter_count(const struct sl_class_filter *filter);

/* Reduce an answer to the remaining classes; its lists are borrowed from the filter until the next
 * call. *kept is false if the answer is left out, which is counted in the options' notes. */
enum sl_status sl_class_filter_pass(struct sl_class_filter *filter, struct sl_answer *answer,
                                    bool *kept, struct sl_error *err) SL_MUST_USE;
/* Warn about items whose answers were all left out. */
void sl_class_filter_finish(const struct sl_class_filter *filter);

/* Apply the filter of the options to a set, in place. */
enum sl_status sl_answers_filter(struct sl_answers **answers,
                                 const struct sl_import_options *options,
                                 struct sl_error *err) SL_MUST_USE;
/* The same for votes: votes for removed classes are dropped, and so are items without remaining
 * votes. */
enum sl_status sl_votes_filter(struct sl_votes **votes, const struct sl_import_options *options,
                               struct sl_error *err) SL_MUST_USE;

#endif
