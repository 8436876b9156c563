/* Answers without some of their classes. Private to answer/. */
#ifndef SOFTLAB_ANSWER_FILTER_H
#define SOFTLAB_ANSWER_FILTER_H

#include "softlab/answer.h"

struct sl_class_filter;

/* Whether the options (or NULL) take any class out. */
bool sl_class_filter_is_asked(const struct sl_import_options *options);

/* SL_ERR_INPUT naming a class that is to be taken out and is not there, or if none is left. */
enum sl_status sl_class_filter_create(const struct sl_import_options *options,
                                      const char *const *classes, size_t n_classes,
                                      struct sl_class_filter **out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_class_filter_destroy(struct sl_class_filter *filter);

/* The classes that stay, NULL-ended, borrowed. */
const char *const *sl_class_filter_classes(const struct sl_class_filter *filter);
size_t sl_class_filter_count(const struct sl_class_filter *filter);

/* Change an answer to the classes that stay; its lists are borrowed from the filter until the next
 * call. False in *kept if it is left out, which is counted in the options' notes. */
enum sl_status sl_class_filter_pass(struct sl_class_filter *filter, struct sl_answer *answer,
                                    bool *kept, struct sl_error *err) SL_MUST_USE;
/* Warn of items whose answers were all left out. */
void sl_class_filter_finish(const struct sl_class_filter *filter);

/* The same set through the filter of the options, replaced in place. */
enum sl_status sl_answers_filter(struct sl_answers **answers,
                                 const struct sl_import_options *options,
                                 struct sl_error *err) SL_MUST_USE;
/* Votes that name a class that is taken out are dropped, and so are items that no vote is left
 * for. */
enum sl_status sl_votes_filter(struct sl_votes **votes, const struct sl_import_options *options,
                               struct sl_error *err) SL_MUST_USE;

#endif
