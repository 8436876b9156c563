/* The keys of spec.json for galleries, charts and plots. */
#include <math.h>
#include <stddef.h>

#include "experiment/spec/fields.h"

/* ---- Galleries and charts ---- */

/* How numbers are read from a source. */
static const struct sl_field_row numbers_rows[] = {
    {"cells", SL_FIELD_TEXTS, AT(source, cells),
     "keys of `compute` and `further`; a key with a star is the mean over all matching cells, with "
     "its 95 % interval"},
    {"path", SL_FIELD_TEXT, AT(source, path),
     "where the numbers are in the JSON, one for each point"},
    {"times", SL_FIELD_NUMBER, AT(source, times), "the factor to the chart's unit",
     .fallback = "1"},
    {"share", SL_FIELD_BOOLEAN, AT(source, share),
     "true: turn the numbers into per cent of their sum"},
    {.name = NULL},
};
const struct sl_fields sl_spec_numbers_fields = FIELDS(source, numbers_rows);

static const struct sl_field_row source_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_numbers_fields},
    {"command", SL_FIELD_TEXTS, AT(source, command),
     "or words of a `softlab` command that prints JSON"},
    {"file", SL_FIELD_TEXT, AT(source, file), "or a JSON file of `files`"},
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
    NUMBERS("x", 0, "numbers on the horizontal axis: a list, or an object: where they come from"),
    NUMBERS("y", 1, "the same for the vertical axis"),
    NUMBERS("x_low", 2, "the lower ends of the intervals of `x`, given like `x`"),
    NUMBERS("x_high", 3, "their upper ends"),
    NUMBERS("y_low", 4, "the lower ends of the intervals of `y`"),
    NUMBERS("y_high", 5, "their upper ends"),
    {"reference", SL_FIELD_BOOLEAN, AT(series, reference),
     "true: the series that the others are compared with, drawn in grey"},
    {"band", SL_FIELD_BOOLEAN, AT(series, band), "true: draw the interval as a band"},
    {"plain", SL_FIELD_BOOLEAN, AT(series, plain), "true: draw no marks"},
    {.name = NULL},
};
const struct sl_fields sl_spec_series_fields = FIELDS(series, series_rows);

static const struct sl_field_row axis_rows[] = {
    {"label", SL_FIELD_TEXT, AT(axis, label), "the title of the axis"},
    {"unit", SL_FIELD_TEXT, AT(axis, unit), "the unit of the axis"},
    {"categories", SL_FIELD_TEXTS, AT(axis, categories), "names instead of numbers"},
    {"low", SL_FIELD_NUMBER, AT(axis, low), "the lower end; default: chosen from the numbers",
     .fallback = "nan"},
    {"high", SL_FIELD_NUMBER, AT(axis, high), "the upper end; default: chosen from the numbers",
     .fallback = "nan"},
    {"log", SL_FIELD_BOOLEAN, AT(axis, log), "true: a logarithmic axis"},
    {.name = NULL},
};
const struct sl_fields sl_spec_axis_fields = FIELDS(axis, axis_rows);

/* The kind of chart and its axes. */
static const struct sl_field_row frame_rows[] = {
    {"kind", SL_FIELD_TEXT, AT(chart, kind), "`bars`, `scatter`, `lines`, `histogram`, `forest`",
     .flags = SL_FIELD_REQUIRED},
    {"x", SL_FIELD_OBJECT, AT(chart, x), "the horizontal axis", .inner = &sl_spec_axis_fields},
    {"y", SL_FIELD_OBJECT, AT(chart, y), "the vertical axis", .inner = &sl_spec_axis_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_frame_fields = FIELDS(chart, frame_rows);

static const struct sl_field_row chart_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_frame_fields},
    {"series", SL_FIELD_MAP, AT(chart, series), "the series, by name", .flags = SL_FIELD_REQUIRED,
     .inner = &sl_spec_series_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_chart_fields = FIELDS(chart, chart_rows);

static const struct sl_field_row items_rows[] = {
    {"command", SL_FIELD_TEXTS, AT(items, command), "words of a `softlab` command that prints JSON",
     .flags = SL_FIELD_REQUIRED},
    {"path", SL_FIELD_TEXT, AT(items, path), "where the names of items are in the JSON",
     .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
const struct sl_fields sl_spec_items_fields = FIELDS(items, items_rows);

/* Which items a gallery shows. */
static const struct sl_field_row choice_rows[] = {
    {"class", SL_FIELD_TEXT, AT(gallery, class),
     "show only items of this true class; a list shows the first item of each class, in this "
     "order"},
    {"class", SL_FIELD_TEXTS, AT(gallery, classes), NULL},
    {"count", SL_FIELD_INTEGER, AT(gallery, count), "show at most this many items", .minimum = 1,
     .maximum = 1000},
    {"row", SL_FIELD_INTEGER, AT(gallery, row),
     "which row of an item to show, from 1, if the files have a row per answer", .minimum = 1,
     .maximum = 1000},
    {.name = NULL},
};
const struct sl_fields sl_spec_choice_fields = FIELDS(gallery, choice_rows);

static const struct sl_field_row gallery_rows[] = {
    {"images", SL_FIELD_TEXT, AT(gallery, images),
     "a data set; or a list of names of mixtures (`mixed_<share>_<A>_<id>_<B>_<id>.png`), which "
     "are then the items and are made from `data`; without it the gallery has no pictures"},
    {"images", SL_FIELD_TEXTS, AT(gallery, mixed), NULL},
    {"data", SL_FIELD_TEXT, AT(gallery, data), "the data set whose images are mixed"},
    {"series", SL_FIELD_MAP, AT(gallery, series),
     "names to label files, in the order of their columns; a file is a name in `files` or a "
     "`{data}` path",
     .flags = SL_FIELD_REQUIRED, .inner = &sl_spec_word_fields,
     .expected = "an object of names and files"},
    {"items", SL_FIELD_TEXTS, AT(gallery, items),
     "names of items, or an object: where the names come from"},
    {"items", SL_FIELD_OBJECT, AT(gallery, items_from), NULL, .inner = &sl_spec_items_fields},
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_choice_fields},
    {"here", SL_FIELD_TEXTS, AT(gallery, here),
     "the items that the released data give; `tools/check-experiments` verifies them"},
    {.name = NULL},
};
const struct sl_fields sl_spec_gallery_fields = FIELDS(gallery, gallery_rows);

/* The title and note of an exhibit. */
static const struct sl_field_row heading_rows[] = {
    {"title", SL_FIELD_TEXT, AT(exhibit, title), "the title of the exhibit",
     .flags = SL_FIELD_REQUIRED},
    {"note", SL_FIELD_TEXT, AT(exhibit, note), "a sentence below it"},
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

/* ---- Plots ---- */

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
    {"series", SL_FIELD_MAP, AT(plot, series), "lines: names to the label sets along each line",
     .flags = SL_FIELD_REQUIRED, .inner = &line_fields,
     .expected = "an object of names and lists of sets"},
    {"all", SL_FIELD_MAP, AT(plot, all),
     "by series, the answers per item of sets that use all answers", NAMED_NUMBERS},
    {"seconds_per_answer", SL_FIELD_MAP, AT(plot, seconds_per_answer),
     "by series, the seconds per answer; required if `x` is `seconds`", NAMED_NUMBERS},
    {.name = NULL},
};
const struct sl_fields sl_spec_plot_fields = FIELDS(plot, plot_rows);
