/* The steps of sl_plot_svg (plot.c): check.c refuses what cannot be drawn; the kind's `prepare`
 * finds the ranges; layout.c places all texts and so finds the area between the axes; put.c and
 * style.c write the head, describe.c the text alternative, axes.c and legend.c what is around the
 * area, and the kind's `draw` its content. */
#ifndef SOFTLAB_PLOT_INTERNAL_H
#define SOFTLAB_PLOT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"
#include "softlab/plot.h"

/* Maps values to positions: `low` is at pixel `from`, `high` at `to`. */
struct sl_plot_range {
    double low, high;
    double from, to;
    bool log;
    bool whole; /* values are counts: no ticks between them */
};

enum { SL_PLOT_MAX_TICKS = 32, SL_PLOT_NUMBER = 48 };

struct sl_plot_ticks {
    size_t count;
    double values[SL_PLOT_MAX_TICKS];
    char texts[SL_PLOT_MAX_TICKS][SL_PLOT_NUMBER];
};

/* Histogram: bin b holds low + b width <= v < low + (b + 1) width; the last one includes its upper
 * edge. */
struct sl_plot_bins {
    double low, width;
    size_t count;
    double *heights[SL_PLOT_MAX_SERIES]; /* owned, (count) each */
    size_t n_values[SL_PLOT_MAX_SERIES]; /* not missing; inside the range or outside */
    double quartiles[SL_PLOT_MAX_SERIES][3];
};

struct sl_plot_chart {
    const struct sl_plot *plot;
    const struct sl_plot_kind_methods *kind;
    struct sl_buffer *out;
    double width, height;
    double left, top, right, bottom; /* the area between the axes */
    double legend_top;
    double label_base, x_label_base; /* baselines of the axes' labels */
    double strip_bottom;             /* where the numbers of the x axis begin */
    double note_top;
    struct sl_plot_range x, y, z;
    struct sl_plot_ticks x_ticks, y_ticks;
    double tilt;          /* of category names below the area, in degrees */
    size_t category_step; /* 1: every name is shown, 2: every second one, ... */
    bool named_lines;     /* series are named at their ends instead of in a legend */
    bool has_data;
    size_t colours[SL_PLOT_MAX_SERIES]; /* a series' colour, 1 to 8; 0 is that of a reference */
    size_t shapes[SL_PLOT_MAX_SERIES];  /* its mark, by colour; references have marks of their own
                                         */
    struct sl_plot_bins bins;
    struct sl_plot_parts parts; /* filled as they are written */
};

enum sl_plot_key {
    SL_KEY_SWATCH,
    SL_KEY_MARK,
    SL_KEY_LINE,
    SL_KEY_AREA,
    SL_KEY_GAP,
    SL_KEY_DIAGONAL
};

struct sl_plot_kind_methods {
    const char *noun;     /* "Bar chart", for the text alternative */
    enum sl_plot_key key; /* how the legend shows a series */
    bool zero;            /* the value axis begins at zero */
    bool hatched;         /* series are areas that need patterns */
    bool lined;           /* needs the pattern of lines without a background */
    bool named_ends;      /* series may be named at their ends */
    bool one_series;
    enum sl_status (*check)(const struct sl_plot *plot, struct sl_error *err);    /* or NULL */
    enum sl_status (*prepare)(struct sl_plot_chart *chart, struct sl_error *err); /* ranges */
    double (*area_height)(const struct sl_plot_chart *chart); /* left and right are about known */
    double (*below)(
        const struct sl_plot_chart *chart); /* or NULL: room under the area, above labels */
    double (*legend)(struct sl_plot_chart *chart, bool draw); /* its height */
    void (*draw)(struct sl_plot_chart *chart);
    void (*describe)(const struct sl_plot_chart *chart);
};
extern const struct sl_plot_kind_methods sl_plot_methods[SL_PLOT_KINDS];

/* Series */

double sl_plot_series_x(const struct sl_plot_series *series, size_t i);
double sl_plot_series_y(const struct sl_plot_series *series, size_t i);
bool sl_plot_series_missing(const struct sl_plot_series *series, size_t i);
size_t sl_plot_series_n_missing(const struct sl_plot_series *series);
/* True if value i has an interval with two finite ends. Both arrays may be NULL. */
bool sl_plot_has_interval(const double *low, const double *high, size_t i);

/* put.c: a printf that escapes by default. %f is a number with at most two decimals and '.', %s is
 * text to escape, %zu a size_t; there is nothing else. */
void sl_plot_put(struct sl_buffer *out, const char *format, ...) SL_PRINTF(2, 3);
void sl_plot_put_text(struct sl_buffer *out, const char *text);

/* number.c: numbers for readers, with thousands separators and a true minus sign; 2.5×10⁷ if very
 * large or small. `fixed` has exactly `decimals` decimals; `brief` at most `digits` digits without
 * trailing zeros; `power` always has the given power of ten. */
void sl_plot_number_fixed(double value, int decimals, char out[SL_PLOT_NUMBER]);
void sl_plot_number_power(double value, int exponent, int decimals, char out[SL_PLOT_NUMBER]);
void sl_plot_number_brief(double value, int digits, char out[SL_PLOT_NUMBER]);

/* text.c: sizes are estimates for a wide font; real text is seldom longer. */
enum { SL_PLOT_MAX_LINES = 4, SL_PLOT_LINE = 256 };
struct sl_plot_lines {
    size_t count;
    char text[SL_PLOT_MAX_LINES][SL_PLOT_LINE];
};
double sl_plot_text_width(const char *text, double size);
/* The text, or its beginning and "…", no wider than `width`; true if it was not cut. */
bool sl_plot_text_fit(const char *text, double size, double width, char out[SL_PLOT_LINE]);
/* Wrap a text to at most `most` lines; the last one may be cut. */
void sl_plot_text_wrap(const char *text, double size, double width, size_t most,
                       struct sl_plot_lines *out);
/* Write a text, cut to the width, with the whole text as its tooltip. `attributes` is markup. */
void sl_plot_text_write(struct sl_buffer *out, const char *attributes, const char *text,
                        double size, double width);
/* "Label (unit)", "Label (unit, log scale)", or the empty text. */
void sl_plot_axis_title(const struct sl_plot_axis *axis, char out[SL_PLOT_LINE]);

/* range.c */
double sl_plot_range_at(const struct sl_plot_range *range, double value);
bool sl_plot_range_holds(const struct sl_plot_range *range, double value);
void sl_plot_range_empty(struct sl_plot_range *range);
void sl_plot_range_widen(struct sl_plot_range *range, double value);
/* Set the range to draw: the axis's own if it has one; otherwise that of the values, with zero if
 * asked for and some room at both ends that never crosses zero. */
void sl_plot_range_settle(struct sl_plot_range *range, const struct sl_plot_axis *axis, bool zero);
/* 1, 2 or 5 times a power of ten, for about `target` steps from low to high. */
double sl_plot_round_step(double low, double high, size_t target);
/* About `target` ticks. */
void sl_plot_ticks_find(const struct sl_plot_range *range, const struct sl_plot_axis *axis,
                        size_t target, struct sl_plot_ticks *out);
/* As many ticks as fit side by side in `width` pixels. */
void sl_plot_ticks_find_across(const struct sl_plot_range *range, const struct sl_plot_axis *axis,
                               double width, struct sl_plot_ticks *out);

/* The ranges of values and intervals of all series: `prepare` of most kinds. */
enum sl_status sl_plot_prepare(struct sl_plot_chart *chart, struct sl_error *err);

/* layout.c, style.c, axes.c, legend.c, describe.c, check.c */
enum { SL_PLOT_PADDING = 10 };
enum { SL_SIZE_TITLE = 15, SL_SIZE_TEXT = 12, SL_SIZE_NOTE = 11, SL_LINE_HEIGHT = 16 };
void sl_plot_layout(struct sl_plot_chart *chart);
void sl_plot_style(struct sl_plot_chart *chart);
void sl_plot_frame(struct sl_plot_chart *chart);
double sl_plot_legend(struct sl_plot_chart *chart, bool draw);
void sl_plot_describe(struct sl_plot_chart *chart);
enum sl_status sl_plot_check(const struct sl_plot *plot, struct sl_error *err);
/* SL_ERR_USAGE naming the first series without values on the x or the y axis; `kind` begins the
 * reason: "bars need". */
enum sl_status sl_plot_check_given(const struct sl_plot *plot, bool on_x, const char *kind,
                                   struct sl_error *err);

/* describe.c: parts for the descriptions of kinds. */
void sl_plot_describe_series(const struct sl_plot_chart *chart);
void sl_plot_describe_missing(const struct sl_plot_chart *chart,
                              const struct sl_plot_series *series);
/* "name: value (low to high)" of one value, for a tooltip; escaped. */
void sl_plot_describe_value(const struct sl_plot_chart *chart, size_t series, size_t i);

/* marks.c */
enum { SL_PLOT_TITLED = 200 }; /* a series with more values has no tooltips */
/* The outline of a series' mark around a point, as path data. */
void sl_plot_mark_path(struct sl_buffer *out, size_t shape, double x, double y, double radius);
/* All marks of a series. */
void sl_plot_marks_draw(struct sl_plot_chart *chart, size_t series, double radius);
/* Draw the intervals of value i at (x, y), which need not be its own position. */
void sl_plot_whiskers(struct sl_plot_chart *chart, size_t series, size_t i, double x, double y);
/* The dashes of a colour's lines, or "". */
const char *sl_plot_mark_dashes(size_t colour);

/* names.c: draw the name of every point of a scatter plot. */
void sl_plot_points_name(struct sl_plot_chart *chart, double radius);
/* The number of points with names to show; 0 if they are too many to read. */
size_t sl_plot_points_named(const struct sl_plot *plot);

/* Kinds */
enum sl_status sl_plot_bars_check(const struct sl_plot *plot, struct sl_error *err);
double sl_plot_bars_height(const struct sl_plot_chart *chart);
void sl_plot_bars_draw(struct sl_plot_chart *chart);
/* Open the group of a series, which has its colour and is clipped to the area. */
void sl_plot_group_open(struct sl_plot_chart *chart, size_t series);
void sl_plot_group_close(struct sl_plot_chart *chart);
double sl_plot_points_height(const struct sl_plot_chart *chart);
double sl_plot_scatter_height(const struct sl_plot_chart *chart);
void sl_plot_scatter_draw(struct sl_plot_chart *chart);
void sl_plot_lines_draw(struct sl_plot_chart *chart);
enum sl_status sl_plot_heat_check(const struct sl_plot *plot, struct sl_error *err);
enum sl_status sl_plot_heat_prepare(struct sl_plot_chart *chart, struct sl_error *err);
double sl_plot_heat_height(const struct sl_plot_chart *chart);
void sl_plot_heat_draw(struct sl_plot_chart *chart);
void sl_plot_heat_describe(const struct sl_plot_chart *chart);
/* The scale of colours: where others have a legend. */
double sl_plot_heat_legend(struct sl_plot_chart *chart, bool draw);
enum sl_status sl_plot_histogram_check(const struct sl_plot *plot, struct sl_error *err);
enum sl_status sl_plot_histogram_prepare(struct sl_plot_chart *chart, struct sl_error *err);
void sl_plot_histogram_draw(struct sl_plot_chart *chart);
void sl_plot_histogram_describe(const struct sl_plot_chart *chart);
enum sl_status sl_plot_reliability_check(const struct sl_plot *plot, struct sl_error *err);
enum sl_status sl_plot_reliability_prepare(struct sl_plot_chart *chart, struct sl_error *err);
double sl_plot_reliability_height(const struct sl_plot_chart *chart);
double sl_plot_reliability_below(const struct sl_plot_chart *chart);
void sl_plot_reliability_draw(struct sl_plot_chart *chart);
void sl_plot_reliability_describe(const struct sl_plot_chart *chart);
enum sl_status sl_plot_forest_check(const struct sl_plot *plot, struct sl_error *err);
double sl_plot_forest_height(const struct sl_plot_chart *chart);
void sl_plot_forest_draw(struct sl_plot_chart *chart);

#endif
