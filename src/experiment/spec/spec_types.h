/* Private to experiment/: a specification as C structs. The tables in fields.c fill them;
 * experiments/README.md explains each member.
 *
 * A NULL text or object, an empty list or a 0 means that the specification does not have the key.
 */
#ifndef SOFTLAB_EXPERIMENT_SPEC_TYPES_H
#define SOFTLAB_EXPERIMENT_SPEC_TYPES_H

#include "softlab/base/fields.h"

/* Maps from names to texts and to numbers. */
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

/* A label set to train on or to score against, or the labels of added images. */
struct sl_spec_set {
    struct sl_text_list labels; /* words of softlab that make the labels; none: hard labels */
    bool hard;                  /* "labels" is null */
    char *answers, *method;
    json_t *options; /* of the method */
    char *images;    /* for added images: the file that lists them */
    char *only, *rest, *draw, *mixing, *dev_labels;
    bool harden, train;
    int64_t count;
    int64_t labelled;          /* 0: not stated */
    double seconds;            /* NaN: not stated */
    struct sl_spec_set *extra; /* images added to the training set */
    json_t *settings;          /* recipe keys of this set */
    json_t *as_run;            /* networks to recipe keys */
};
struct sl_spec_sets {
    char **names;
    struct sl_spec_set *items;
    size_t count;
};

/* How a test takes its measures. */
struct sl_spec_measuring {
    char *attack, *attack_labels;
    int64_t attack_items, calibration_bin, corruption_severity;
    json_t *attack_bound, *calibration, *corruptions; /* notes; not used */
};
struct sl_spec_test {
    char *data;                 /* one data set, or: */
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

/* The training whose weights the other trainings start from. */
struct sl_spec_start {
    char *recipe, *data;
    struct sl_text_list labels; /* a note; not used */
    struct sl_integer_list seeds;
    int64_t items;
    json_t *settings;
};

/* Networks, data, recipe, seeds and tests. A part inherits from the whole what it does not set. */
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

/* The changes that a scale makes, and the sets that it keeps. */
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
    struct sl_spec_words stands_for; /* networks of the scale to the paper's networks */
};
struct sl_spec_scales {
    char **names;
    struct sl_spec_scale *items;
    size_t count;
};

struct sl_spec_table {
    struct sl_text_list rows, columns, pool;
    char *interval;
    struct sl_spec_numbers scale; /* by metric: factor from our unit to the printed one */
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
    char *fold;                     /* "fold": validate on the held-out fold; or: */
    struct sl_spec_validation *set; /* validate on items of a data set */
    struct sl_integer_list seeds;
    struct sl_text_list sets, networks, assumed;
};
struct sl_spec_tunes {
    struct sl_spec_tune *items;
    size_t count;
};

/* Columns of published files, averaged over rows. */
struct sl_spec_mean {
    struct sl_text_list files;
    json_t *columns; /* names to weights */
};
/* A figure that needs no training. */
struct sl_spec_figure {
    struct sl_text_list command;
    char *file, *path;
    struct sl_text_list paths; /* several paths, whose numbers are summed */
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

/* Where a chart's numbers come from if they are not listed. */
struct sl_spec_source {
    struct sl_text_list cells, command;
    char *file, *path;
    double times;
    bool share;
};
enum { SL_SPEC_AXES = 6 }; /* keys in sl_exhibit_numbers */
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
    double low, high; /* NaN: the range of the numbers */
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
    struct sl_text_list mixed; /* names of mixtures */
    char *data;
    struct sl_spec_words series;
    struct sl_text_list items; /* item names, or: */
    struct sl_spec_items *items_from;
    char *class;                 /* one class, or: */
    struct sl_text_list classes; /* the first item of each class */
    int64_t count, row;
    struct sl_text_list here;
};
struct sl_spec_exhibit {
    char *title, *note;
    struct sl_spec_gallery *gallery; /* a gallery, or: */
    struct sl_spec_chart *chart;
};
struct sl_spec_exhibits {
    struct sl_spec_exhibit *items;
    size_t count;
};

/* Scores of label sets, plotted against annotators per item, their time or the number of items. */
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

/* A file that a command makes before anything else runs. */
struct sl_spec_file {
    struct sl_text_list command;
};
struct sl_spec_files {
    char **names;
    struct sl_spec_file *items;
    size_t count;
};

/* A specification as written, or with its scale applied and its parts filled in. */
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

/* fields.c: tables of keys. The whole specification, parts and scales have the keys of a design. */
extern const struct sl_fields sl_spec_fields, sl_spec_design_fields, sl_spec_set_fields,
    sl_spec_figure_fields;
/* Subsets of those tables that job steps and result lines contain too. */
extern const struct sl_fields sl_spec_image_fields, sl_spec_reading_fields, sl_spec_numbers_fields,
    sl_spec_series_fields, sl_spec_frame_fields, sl_spec_choice_fields, sl_spec_heading_fields;
/* Every table with its title, for experiments/README.md; ends with a NULL title. */
struct sl_spec_section {
    const char *title;
    const struct sl_fields *fields;
    bool own; /* leave out keys of groups: another table lists them */
};
extern const struct sl_spec_section sl_spec_sections[];

/* Find an entry by name; borrowed, NULL if there is none. */
const struct sl_spec_set *sl_spec_set_find(const struct sl_spec_sets *sets, const char *name);
const struct sl_spec_file *sl_spec_file_find(const struct sl_spec_body *body, const char *name);
/* NULL if the scale changes nothing, like "paper". */
const struct sl_spec_scale *sl_spec_scale_find(const struct sl_spec_body *body, const char *name);
/* Find a cell in "compute" or "further". */
const struct sl_spec_figure *sl_spec_figure_find(const struct sl_spec_body *body, const char *cell);

#endif
