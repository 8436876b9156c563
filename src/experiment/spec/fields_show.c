/* The keys of spec.json for galleries, charts and plots. */
#include <math.h>
#include <stddef.h>

#include "experiment/spec/fields.h"

/* ---- What is shown ---- */

/* How numbers are read from a source. */
static const struct sl_field_row numbers_rows[] = {
    {"cells", SL_FIELD_TEXTS, AT(source, cells),
     "keys of `compute` and `further`; a key with a star is the mean over all that fit, with its "
     "95 % interval"},
    {"path", SL_FIELD_TEXT, AT(source, path), "that finds as many numbers as there are points"},
    {"times", SL_FIELD_NUMBER, AT(source, times), "brings numbers to the chart's unit",
     .fallback = "1"},
    {"share", SL_FIELD_BOOLEAN, AT(source, share),
     "true: those that a path finds become per cent of their sum"},
    {.name = NULL},
};
const struct sl_fields sl_spec_numbers_fields = FIELDS(source, numbers_rows);

static const struct sl_field_row source_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_numbers_fields},
    {"command", SL_FIELD_TEXTS, AT(source, command), "or words of `softlab` that print JSON"},
    {"file", SL_FIELD_TEXT, AT(source, file), "or a file of `files`"},
    {.name = NULL},
};
const struct sl_fields sl_spec_source_fields = FIELDS(source, source_rows);

#define NUMBERS(name, place, help)                                                                 \
    {name, SL_FIELD_NUMBERS, AT(series, numbers[place].values), help},                             \
    {                                                                                              \
        name, SL_FIELD_OBJECT, AT(series, numbers[place].from), NULL,                              \
            .inner = &sl_spec_source_fields                                                        \
    }
static const struct sl_field_row series_rows[] = {
    NUMBERS("x", 0, "numbers: a list of them, or where they come from"),
    NUMBERS("y", 1, "likewise"),
    NUMBERS("x_low", 2, "the ends of their intervals, likewise"),
    NUMBERS("x_high", 3, "likewise"),
    NUMBERS("y_low", 4, "likewise"),
    NUMBERS("y_high", 5, "likewise"),
    {"reference", SL_FIELD_BOOLEAN, AT(series, reference), "true: what others are held against"},
    {"band", SL_FIELD_BOOLEAN, AT(series, band), "true: the interval is a band"},
    {"plain", SL_FIELD_BOOLEAN, AT(series, plain), "true: without marks"},
    {.name = NULL},
};
const struct sl_fields sl_spec_series_fields = FIELDS(series, series_rows);

static const struct sl_field_row axis_rows[] = {
    {"label", SL_FIELD_TEXT, AT(axis, label), "its title"},
    {"unit", SL_FIELD_TEXT, AT(axis, unit), "its unit"},
    {"categories", SL_FIELD_TEXTS, AT(axis, categories), "names instead of numbers"},
    {"low", SL_FIELD_NUMBER, AT(axis, low), "its lower end", .fallback = "nan"},
    {"high", SL_FIELD_NUMBER, AT(axis, high), "its upper end", .fallback = "nan"},
    {"log", SL_FIELD_BOOLEAN, AT(axis, log), "true: logarithmic"},
    {.name = NULL},
};
const struct sl_fields sl_spec_axis_fields = FIELDS(axis, axis_rows);

/* The kind of chart and its axes. */
static const struct sl_field_row frame_rows[] = {
    {"kind", SL_FIELD_TEXT, AT(chart, kind), "`bars`, `scatter`, `lines`, `histogram`, `forest`",
     .flags = SL_FIELD_REQUIRED},
    {"x", SL_FIELD_OBJECT, AT(chart, x), "an axis", .inner = &sl_spec_axis_fields},
    {"y", SL_FIELD_OBJECT, AT(chart, y), "the other", .inner = &sl_spec_axis_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_frame_fields = FIELDS(chart, frame_rows);

static const struct sl_field_row chart_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_frame_fields},
    {"series", SL_FIELD_MAP, AT(chart, series), "what is drawn, by name",
     .flags = SL_FIELD_REQUIRED, .inner = &sl_spec_series_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_chart_fields = FIELDS(chart, chart_rows);

static const struct sl_field_row items_rows[] = {
    {"command", SL_FIELD_TEXTS, AT(items, command), "words of `softlab` that print JSON",
     .flags = SL_FIELD_REQUIRED},
    {"path", SL_FIELD_TEXT, AT(items, path), "where in it the names of items are",
     .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
const struct sl_fields sl_spec_items_fields = FIELDS(items, items_rows);

/* Which items a gallery shows. */
static const struct sl_field_row choice_rows[] = {
    {"class", SL_FIELD_TEXT, AT(gallery, class),
     "only items of this true class; a list takes the first item of each, in its order"},
    {"class", SL_FIELD_TEXTS, AT(gallery, classes), NULL},
    {"count", SL_FIELD_INTEGER, AT(gallery, count), "at most so many items", .minimum = 1,
     .maximum = 1000},
    {"row", SL_FIELD_INTEGER, AT(gallery, row),
     "of files with a row per answer, which row of the item, from 1", .minimum = 1,
     .maximum = 1000},
    {.name = NULL},
};
const struct sl_fields sl_spec_choice_fields = FIELDS(gallery, choice_rows);

static const struct sl_field_row gallery_rows[] = {
    {"images", SL_FIELD_TEXT, AT(gallery, images),
     "a data set; or a list of names of mixtures (`mixed_<share>_<A>_<id>_<B>_<id>.png`), which "
     "are "
     "then the items, made from those of `data`; without it there are no pictures"},
    {"images", SL_FIELD_TEXTS, AT(gallery, mixed), NULL},
    {"data", SL_FIELD_TEXT, AT(gallery, data), "what mixed images are made of"},
    {"series", SL_FIELD_MAP, AT(gallery, series),
     "names to label files, in the order of their columns: a name in `files`, or a `{data}` path",
     .flags = SL_FIELD_REQUIRED, .inner = &sl_spec_word_fields,
     .expected = "an object of names and files"},
    {"items", SL_FIELD_TEXTS, AT(gallery, items), "names; or where they come from"},
    {"items", SL_FIELD_OBJECT, AT(gallery, items_from), NULL, .inner = &sl_spec_items_fields},
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_choice_fields},
    {"here", SL_FIELD_TEXTS, AT(gallery, here),
     "the items that the released data give, for `tools/check-experiments`"},
    {.name = NULL},
};
const struct sl_fields sl_spec_gallery_fields = FIELDS(gallery, gallery_rows);

/* The title and note of an exhibit. */
static const struct sl_field_row heading_rows[] = {
    {"title", SL_FIELD_TEXT, AT(exhibit, title), "its title", .flags = SL_FIELD_REQUIRED},
    {"note", SL_FIELD_TEXT, AT(exhibit, note), "a sentence beneath it"},
    {.name = NULL},
};
const struct sl_fields sl_spec_heading_fields = FIELDS(exhibit, heading_rows);

static const struct sl_field_row exhibit_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_heading_fields},
    {"gallery", SL_FIELD_OBJECT, AT(exhibit, gallery), "items with their distributions",
     .inner = &sl_spec_gallery_fields},
    {"chart", SL_FIELD_OBJECT, AT(exhibit, chart), "or a chart", .inner = &sl_spec_chart_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_exhibit_fields = FIELDS(exhibit, exhibit_rows);

/* ---- Scores against annotators, their time, or items ---- */

static const struct sl_field_row line_rows[] = {
    {"", SL_FIELD_TEXTS, AT(line, sets), NULL},
    {.name = NULL},
};
static const struct sl_fields line_fields = FIELDS(line, line_rows);

static const char *const plot_axes[] = {"annotators", "seconds", "count", NULL};
static const struct sl_field_row plot_rows[] = {
    {"x", SL_FIELD_TEXT, AT(plot, x),
     "`annotators` per item, their `seconds` per item, or the `count` of items with labels",
     .flags = SL_FIELD_REQUIRED, .choices = plot_axes},
    {"series", SL_FIELD_MAP, AT(plot, series), "lines: a name to the label sets along it",
     .flags = SL_FIELD_REQUIRED, .inner = &line_fields,
     .expected = "an object of names and lists of sets"},
    {"all", SL_FIELD_MAP, AT(plot, all),
     "by series, the answers per item of a set that does not draw some of them", NAMED_NUMBERS},
    {"seconds_per_answer", SL_FIELD_MAP, AT(plot, seconds_per_answer),
     "by series, where x is `seconds`", NAMED_NUMBERS},
    {.name = NULL},
};
const struct sl_fields sl_spec_plot_fields = FIELDS(plot, plot_rows);
