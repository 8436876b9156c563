/* Private to experiment/: reading specifications. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H
#define SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H

#include "experiment/spec/spec_types.h"
#include "softlab/experiment.h"

/* spec_check.c: whether a specification that was read from `root` contradicts itself or names what
 * is not there. */
enum sl_status sl_spec_check(const struct sl_spec_body *body, const struct sl_json_cursor *root,
                             struct sl_error *err) SL_MUST_USE;
/* spec_figures.c and spec_show.c: the same of figures and exhibits that need no training. */
enum sl_status sl_spec_check_figures(const struct sl_spec_body *body,
                                     const struct sl_json_cursor *root,
                                     struct sl_error *err) SL_MUST_USE;
enum sl_status sl_spec_check_show(const struct sl_spec_body *body,
                                  const struct sl_json_cursor *root,
                                  struct sl_error *err) SL_MUST_USE;

/* spec_complete.c: whether softlab labels has this method; if not, *err says so with the nearest
 * name. */
bool sl_spec_knows_method(const char *name, struct sl_error *err);
/* The answers, method and options of a set as words of softlab labels, which the caller releases;
 * none of a set without answers. */
struct sl_text_list sl_spec_label_words(const struct sl_spec_set *set);
/* Fill in what may be left out of a specification that was checked, its scale applied. */
void sl_spec_complete(struct sl_spec_body *body);

/* spec_places.c: the specification with whole paths for the files that it names, which the caller
 * owns; one that is built in names none. SL_ERR_INPUT for a name that two files have. */
enum sl_status sl_spec_places(const struct sl_spec *spec, json_t *json, json_t **out,
                              struct sl_error *err) SL_MUST_USE;
/* Whether a word of a command looks like a file's name. */
bool sl_word_names_file(const char *word);

/* scale.c: change `json`, a copy of the document, as the scale says. SL_ERR_USAGE if there is no
 * such scale. */
enum sl_status sl_spec_apply_scale(const struct sl_spec *spec, json_t *json,
                                   struct sl_error *err) SL_MUST_USE;
/* What the scale makes of the runs of a part, or of the whole (NULL), which is as its worst part.
 */
enum sl_scale_kind sl_scale_kind_of(const struct sl_spec *spec, const char *part);

/* brief.c: what judging and presenting results needs of a specification at its scale. */
struct sl_brief *sl_brief_create(const struct sl_spec *spec) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_brief_destroy(struct sl_brief *brief);

#endif
