/* Private to experiment/: reading specifications. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H
#define SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H

#include "softlab/experiment.h"

/* Whether a document is a specification: keys, kinds, and that what it names is there. */
enum sl_status sl_spec_check(const struct sl_json *document, struct sl_error *err) SL_MUST_USE;

/* Whether softlab labels has this method; if not, *err says so with the nearest name. */
bool sl_spec_knows_method(const char *name, struct sl_error *err);
/* {"answers": FILE, "method": NAME, "options": {...}} as words of softlab labels, which the caller
 * owns; null of a set without them, which has hard labels. */
json_t *sl_spec_label_words(const json_t *set);
/* Fill in what may be left out of a specification that was checked, its scale applied. */
void sl_spec_complete(json_t *spec);
/* spec_places.c: the specification with whole paths for the files that it names, which the caller
 * owns; one that is built in names none. SL_ERR_INPUT for a name that two files have. */
enum sl_status sl_spec_places(const struct sl_spec *spec, json_t **out,
                              struct sl_error *err) SL_MUST_USE;
/* Whether a word of a command looks like a file's name. */
bool sl_word_names_file(const char *word);
/* spec_figures.c: figures that need no training, likewise; and the entry of a cell in "compute" or
 * "further", borrowed, or NULL. */
enum sl_status sl_spec_check_figures(const struct sl_json_cursor *root,
                                     struct sl_error *err) SL_MUST_USE;
const json_t *sl_spec_figure(const json_t *spec, const char *cell);
/* spec_show.c: what is shown without training: that it has all that it needs, and that what it
 * names is there. Keys and kinds are checked before. */
enum sl_status sl_spec_check_show(const struct sl_json_cursor *root,
                                  struct sl_error *err) SL_MUST_USE;

/* brief.c: what a specification says at its scale to those who judge and present its results. */
struct sl_brief *sl_brief_create(const struct sl_spec *spec) SL_MUST_USE SL_RETURNS_NONNULL;
void sl_brief_destroy(struct sl_brief *brief);

#endif
