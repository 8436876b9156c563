/* Private to experiment/: reading specifications. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H
#define SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H

#include "experiment/spec/spec_types.h"
#include "softlab/experiment.h"

/* check.c: SL_ERR_INPUT if a specification read from `root` contradicts itself or names something
 * that does not exist. */
enum sl_status sl_spec_check(const struct sl_spec_body *body, const struct sl_json_cursor *root,
                             struct sl_error *err) SL_MUST_USE;
/* figures.c and show.c: the same for figures and exhibits that need no training. */
enum sl_status sl_spec_check_figures(const struct sl_spec_body *body,
                                     const struct sl_json_cursor *root,
                                     struct sl_error *err) SL_MUST_USE;
enum sl_status sl_spec_check_show(const struct sl_spec_body *body,
                                  const struct sl_json_cursor *root,
                                  struct sl_error *err) SL_MUST_USE;

/* complete.c: false if `softlab labels` has no such method; *err then suggests the nearest name. */
bool sl_spec_knows_method(const char *name, struct sl_error *err);
/* The arguments of `softlab labels` for a set's answers, method and options; empty for a set
 * without answers. The caller releases the list. */
struct sl_text_list sl_spec_label_words(const struct sl_spec_set *set);
/* Fill in the defaults of a checked specification whose scale is applied. */
void sl_spec_complete(struct sl_spec_body *body);

/* places.c: a copy of the specification in which the files it names have absolute paths; the caller
 * owns *out. A built-in specification is not changed. SL_ERR_INPUT if a name matches two files. */
enum sl_status sl_spec_places(const struct sl_spec *spec, json_t *json, json_t **out,
                              struct sl_error *err) SL_MUST_USE;
/* True if a word of a command looks like a file name. */
bool sl_word_names_file(const char *word);

/* scale.c: apply the specification's scale to `json`, a copy of the document. SL_ERR_USAGE if the
 * specification has no such scale. */
enum sl_status sl_spec_apply_scale(const struct sl_spec *spec, json_t *json,
                                   struct sl_error *err) SL_MUST_USE;
/* How the runs of a part at this scale differ from the paper's. For the whole specification (NULL):
 * as the part that differs most. */
enum sl_scale_kind sl_scale_kind_of(const struct sl_spec *spec, const char *part);

/* brief.c: the part of a specification that reports use, at its scale. */
struct sl_brief *sl_brief_create(const struct sl_spec *spec) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_brief_destroy(struct sl_brief *brief);

#endif
