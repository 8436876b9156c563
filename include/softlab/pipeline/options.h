/* Options that several jobs share: rows of field tables, and lists of choices. */
#ifndef SOFTLAB_PIPELINE_OPTIONS_H
#define SOFTLAB_PIPELINE_OPTIONS_H

#include "softlab/base/fields.h"
#include "softlab/dataset.h"

SL_BEGIN_DECLS

/* The names of known data sets and networks. */
const char *sl_dataset_names(size_t index);
const char *sl_network_names(size_t index);

/* Options for loading images: a struct sl_load_options called `images` in the struct `type`, for
 * these modes (0: all). */
const char *sl_channel_names(size_t index);
#define SL_OPTION_IMAGE_SIZE(type, text, bits)                                                     \
    {                                                                                              \
        "size", SL_FIELD_SIDES, offsetof(type, images.height), (text),                             \
            .maximum = SL_IMAGE_MAX_SIDE, .modes = (bits)                                          \
    }
#define SL_OPTION_SKIP_BROKEN(type, bits)                                                          \
    {                                                                                              \
        "skip-broken", SL_FIELD_BOOLEAN, offsetof(type, images.skip_broken),                       \
            "leave out images that cannot be read, and list them", .modes = (bits)                 \
    }
#define SL_OPTION_CHANNELS(type, bits)                                                             \
    {                                                                                              \
        "channels", SL_FIELD_COUNT, offsetof(type, images.channels),                               \
            "read images as grey (1) or colour (3) (default: as colour where any image is)",       \
            .value = "1|3", .names = sl_channel_names, .modes = (bits)                             \
    }

/* Options for reading answers: a struct sl_answer_reading called `reading` in the struct `type`.
 * `of_columns` are the modes in which a table may be read, `of_classes` those in which answers are
 * read. */
#define SL_OPTION_ANSWERS(type, of_columns, of_classes)                                            \
    {"columns",                                                                                    \
     SL_FIELD_WORD,                                                                                \
     offsetof(type, reading.columns),                                                              \
     "of CSV: the columns of item, worker and label, or pairs such as item=task,p=share for "      \
     "item, worker, label, p, ms, confidence and truth; of exports of annotation tools: pairs "    \
     "such as label=topic,item=image, if they hold several questions",                             \
     .value = "A,B,C",                                                                             \
     .modes = (of_columns)},                                                                       \
        {"abstain",                                                                                \
         SL_FIELD_WORDS,                                                                           \
         offsetof(type, reading.abstain),                                                          \
         "classes that mean no answer, such as skip: answers that choose one are left out and "    \
         "counted",                                                                                \
         .value = "CLASS,...",                                                                     \
         .modes = (of_classes)},                                                                   \
    {                                                                                              \
        "leave-out", SL_FIELD_WORDS, offsetof(type, reading.leave_out),                            \
            "classes to take out: their votes are left out and counted, distributions are scaled " \
            "to the other classes",                                                                \
            .value = "CLASS,...", .modes = (of_classes)                                            \
    }

SL_END_DECLS

#endif
