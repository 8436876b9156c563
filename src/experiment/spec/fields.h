/* Private to experiment/spec/: tables of the keys of spec.json, which fields.c joins. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_FIELDS_H
#define SOFTLAB_EXPERIMENT_SPEC_FIELDS_H

#include "experiment/spec/spec_types.h"

#define AT(type, member) .offset = offsetof(struct sl_spec_##type, member)
#define FIELDS(type, name)                                                                         \
    {                                                                                              \
        name, sizeof(struct sl_spec_##type)                                                        \
    }
#define AT_LEAST(low) .minimum = (low), .maximum = INFINITY

/* Maps of names to texts and to numbers. */
#define NAMED_WORDS   .inner = &sl_spec_word_fields, .expected = "an object of names and texts"
#define NAMED_NUMBERS .inner = &sl_spec_number_fields, .expected = "an object of names and numbers"
extern const struct sl_fields sl_spec_word_fields, sl_spec_number_fields;

/* fields_show.c */
extern const struct sl_fields sl_spec_exhibit_fields, sl_spec_gallery_fields, sl_spec_items_fields,
    sl_spec_chart_fields, sl_spec_axis_fields, sl_spec_source_fields, sl_spec_plot_fields;

#endif
