/* Private to experiment/: what a specification says, as it was read. spec_fields.c has the tables
 * that fill these structs in; experiments/README.md says what each member means.
 *
 * Texts that are NULL, lists without items, numbers that are 0 and objects that are NULL were not
 * given. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_TYPES_H
#define SOFTLAB_EXPERIMENT_SPEC_TYPES_H

#include "softlab/base/fields.h"

/* Names to texts, and names to numbers. */
struct sl_spec_word {
    char *text;
};
struct sl_spec_words {
    char **names;
    struct sl_spec_word *items;
    size_t count;
};
struct sl_spec_number {
    double value;
};
struct sl_spec_numbers {
    char **names;
    struct sl_spec_number *items;
    size_t count;
};

/* A label set to train on or to score against, or the labels of images that are added. */
struct sl_spec_set {
    struct sl_text_list labels; /* words of softlab that make it; none: hard labels */
    bool hard;                  /* "labels" is null */
    char *answers, *method;
    json_t *options; /* of the method */
    char *images;    /* of added images: the file that lists them */
    char *only, *rest, *draw, *mixing, *dev_labels;
    bool harden, train;
    int64_t count;
    double seconds;            /* NaN: not stated */
    struct sl_spec_set *extra; /* images added to the training set */
    json_t *settings;          /* recipe keys */
    json_t *as_run;            /* networks to recipe keys */
};
struct sl_spec_sets {
    char **names;
    struct sl_spec_set *items;
    size_t count;
};

/* How the measures of a test are taken. */
struct sl_spec_measuring {
    char *attack, *attack_labels;
    int64_t attack_items, calibration_bin, corruption_severity;
    json_t *attack_bound, *calibration, *corruptions; /* for readers */
};
struct sl_spec_test {
    char *data;                 /* or: */
    struct sl_text_list joined; /* several data sets that count as one */
    char *split, *only, *labels, *truth, *missing;
    struct sl_text_list metrics;
    struct sl_spec_measuring *settings;
    int64_t seed;
};
struct sl_spec_tests {
    char **names;
    struct sl_spec_test *items;
    size_t count;
};

/* A training whose weights the others start from. */
struct sl_spec_start {
    char *recipe, *data;
    struct sl_text_list labels; /* for readers */
    struct sl_integer_list seeds;
    int64_t items;
    json_t *settings;
};

/* What is trained and scored: of the whole, or of a part with the whole beneath it. */
struct sl_spec_design {
    char *missing;
    struct sl_spec_sets sets, references;
    struct sl_text_list networks;
    char *recipe;
    json_t *settings;
    char *data, *size, *split, *holdout, *dev;
    bool skip_broken;
    int64_t channels, folds;
    struct sl_spec_start *start;
    struct sl_integer_list seeds, run_folds;
    struct sl_spec_tests tests;
    int64_t items, test_items, dev_items;
};
struct sl_spec_parts {
    char **names;
    struct sl_spec_design *items;
    size_t count;
};

/* A smaller form: what it changes, and which sets it keeps. */
struct sl_spec_scale_part {
    struct sl_spec_design design;
    struct sl_text_list sets;
};
struct sl_spec_scale {
    struct sl_spec_design design;
    struct sl_text_list sets;
    struct {
        char **names;
        struct sl_spec_scale_part *items;
        size_t count;
    } parts;
    struct sl_spec_words stands_for; /* networks of the scale to those of the table */
};
struct sl_spec_scales {
    char **names;
    struct sl_spec_scale *items;
    size_t count;
};

struct sl_spec_table {
    struct sl_text_list rows, columns, pool;
    char *interval;
    struct sl_spec_numbers scale; /* by metric, from our unit to the printed one */
    struct sl_spec_words cells;   /* "<coordinates>|<column>" to cells of expected.csv */
};

/* A grid that the paper searched. */
struct sl_spec_validation {
    char *data;
    int64_t count, seed;
};
struct sl_spec_tune {
    char *parameter, *metric;
    struct sl_double_list grid;
    json_t *selected;
    char *fold;                     /* "fold": on what a fold held out; or: */
    struct sl_spec_validation *set; /* on items of a data set */
    struct sl_integer_list seeds;
    struct sl_text_list sets, networks, assumed;
};
struct sl_spec_tunes {
    struct sl_spec_tune *items;
    size_t count;
};

/* The mean over rows of columns of published files. */
struct sl_spec_mean {
    struct sl_text_list files;
    json_t *columns; /* names to weights */
};
/* A figure that needs no training. */
struct sl_spec_figure {
    struct sl_text_list command;
    char *file, *path;
    struct sl_text_list paths; /* several that are added up */
    struct sl_spec_mean *mean_of;
    struct sl_text_list cells;
    char *as;
    double times, divide;
    json_t *here;
    char *missing;
};
struct sl_spec_figures {
    char **names;
    struct sl_spec_figure *items;
    size_t count;
};

/* Where numbers of a chart that are not written out come from. */
struct sl_spec_source {
    struct sl_text_list cells, command;
    char *file, *path;
    double times;
    bool share;
};
enum { SL_SPEC_AXES = 6 }; /* of sl_exhibit_numbers */
struct sl_spec_series {
    struct {
        struct sl_double_list values;
        struct sl_spec_source *from;
    } numbers[SL_SPEC_AXES];
    bool reference, band, plain;
};
struct sl_spec_axis {
    char *label, *unit;
    struct sl_text_list categories;
    double low, high; /* NaN: as the numbers are */
    bool log;
};
struct sl_spec_chart {
    char *kind;
    struct sl_spec_axis *x, *y;
    struct {
        char **names;
        struct sl_spec_series *items;
        size_t count;
    } series;
};
struct sl_spec_items {
    struct sl_text_list command;
    char *path;
};
struct sl_spec_gallery {
    char *images;              /* a data set, or: */
    struct sl_text_list mixed; /* names of mixed images */
    char *data;
    struct sl_spec_words series;
    struct sl_text_list items; /* or: */
    struct sl_spec_items *items_from;
    char *class;                 /* or: */
    struct sl_text_list classes; /* an item of each */
    int64_t count, row;
    struct sl_text_list here;
};
struct sl_spec_exhibit {
    char *title, *note;
    struct sl_spec_gallery *gallery; /* or: */
    struct sl_spec_chart *chart;
};
struct sl_spec_exhibits {
    struct sl_spec_exhibit *items;
    size_t count;
};

/* Scores of label sets against their annotators, their time or their size. */
struct sl_spec_line {
    struct sl_text_list sets;
};
struct sl_spec_plot {
    char *x;
    struct {
        char **names;
        struct sl_spec_line *items;
        size_t count;
    } series;
    struct sl_spec_numbers all, seconds_per_answer; /* by series */
};

struct sl_spec_question {
    char *reference, *against, *distance, *model;
};

/* A file that is made first. */
struct sl_spec_file {
    struct sl_text_list command;
};
struct sl_spec_files {
    char **names;
    struct sl_spec_file *items;
    size_t count;
};

/* A specification as it was written, or with its scale applied and its parts filled in. */
struct sl_spec_body {
    char *softlab, *name, *title, *source, *people;
    int64_t version;
    struct sl_text_list notes, needs;
    struct sl_spec_files files;
    struct sl_spec_design design;
    struct sl_spec_parts parts;
    struct sl_spec_table *table;
    struct sl_spec_figures compute, further;
    struct sl_spec_words absent;
    struct sl_spec_numbers names;
    struct sl_spec_plot *plot;
    struct sl_spec_exhibits show;
    struct sl_spec_question *answer;
    struct sl_spec_tunes tune;
    struct sl_spec_scales scales;
};

/* spec_fields.c: the tables; those of a design are members of the whole, of parts and of scales. */
extern const struct sl_fields sl_spec_fields, sl_spec_design_fields, sl_spec_set_fields,
    sl_spec_figure_fields;
/* Some of their rows, which steps and lines of results have as the specification has them. */
extern const struct sl_fields sl_spec_image_fields, sl_spec_reading_fields, sl_spec_numbers_fields,
    sl_spec_series_fields, sl_spec_frame_fields, sl_spec_choice_fields, sl_spec_heading_fields;
/* Every table with what it is of, for the documentation; ends with a NULL title. */
struct sl_spec_section {
    const char *title;
    const struct sl_fields *fields;
    bool own; /* without the rows of groups, which another table shows */
};
extern const struct sl_spec_section sl_spec_sections[];

/* Entries by name, borrowed; NULL if there is none. */
const struct sl_spec_set *sl_spec_set_find(const struct sl_spec_sets *sets, const char *name);
const struct sl_spec_file *sl_spec_file_find(const struct sl_spec_body *body, const char *name);
/* What the scale changes; NULL: nothing, as at the paper's. */
const struct sl_spec_scale *sl_spec_scale_find(const struct sl_spec_body *body, const char *name);
/* The entry of a cell in "compute" or "further". */
const struct sl_spec_figure *sl_spec_figure_find(const struct sl_spec_body *body, const char *cell);

#endif
