/* Every kind of chart with data like the papers', to be looked at before a change to plot/ is
 * called done:
 *
 *     plot_gallery <folder>
 *
 * writes one SVG per chart and index.html with all of them. Figures of networks are those of
 * peterson2019 as recomputed from its predictions; curves and spreads are drawn from a fixed seed
 * and only look like the real ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base.h"
#include "softlab/plot.h"

enum {
    N_NETWORKS = 8,
    N_CLASSES = 10,
    N_CELLS = N_CLASSES * N_CLASSES,
    N_ITEMS = 10000,
    N_EPOCHS = 65
};

struct gallery {
    const char *folder;
    struct sl_buffer page;
};

static const char *const networks[N_NETWORKS] = {"VGG-15",         "ResNet-110", "WRN-28-10",
                                                 "PreAct-164",     "ResNeXt-29", "DenseNet-BC",
                                                 "PyramidNet-110", "Shake-Shake"};
static const double hard_loss[] = {1.1217, 1.0299, .7681, 1.1305, .8511, .9589, 1.0412, .7608};
static const double soft_loss[] = {.6156, .7590, .4443, .5947, .6996, .6675, .5235, .5360};
static const double hard_accuracy[] = {84.00, 80.17, 88.27, 84.29, 79.57, 82.73, 85.15, 87.54};
static const double soft_accuracy[] = {84.33, 80.56, 89.99, 85.44, 81.15, 83.46, 87.63, 88.70};
static const char *const classes[N_CLASSES] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                               "dog",      "frog",       "horse", "ship", "truck"};

static void show(struct gallery *gallery, const struct sl_plot *plot)
{
    struct sl_error err;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.svg", gallery->folder, plot->id);
    sl_buffer_text(&gallery->page, "<figure>");
    if (sl_plot_write(plot, path, &err) != SL_OK ||
        sl_plot_svg(plot, &gallery->page, &err) != SL_OK) {
        fprintf(stderr, "plot_gallery: %s: %s\n", plot->id, err.message);
        exit(1);
    }
    sl_buffer_text(&gallery->page, "</figure>\n");
}

/* Ends of intervals some share away from their values. */
static void around(const double *values, size_t count, double share, double *low, double *high)
{
    for (size_t i = 0; i < count; i++) {
        low[i] = values[i] - share * fabs(values[i]);
        high[i] = values[i] + share * fabs(values[i]);
    }
}

static void show_bars(struct gallery *gallery)
{
    double low[2][N_NETWORKS], high[2][N_NETWORKS];
    around(hard_loss, N_NETWORKS, .05, low[0], high[0]);
    around(soft_loss, N_NETWORKS, .04, low[1], high[1]);
    struct sl_plot_series series[] = {
        {.name = "hard labels",
         .count = N_NETWORKS,
         .y = hard_loss,
         .y_low = low[0],
         .y_high = high[0]},
        {.name = "human soft labels",
         .count = N_NETWORKS,
         .y = soft_loss,
         .y_low = low[1],
         .y_high = high[1]},
    };
    struct sl_plot plot = {
        .kind = SL_PLOT_BARS,
        .id = "bars",
        .title = "Soft labels lower cross-entropy for every network",
        .subtitle = "Cross-entropy to CIFAR-10H, ten-fold cross-validation",
        .note = "Whiskers: 95 % intervals over folds (made up). Lower is better.",
        .x = {.scale = SL_SCALE_CATEGORY, .categories = networks, .n_categories = N_NETWORKS},
        .y = {.label = "Cross-entropy", .unit = "nats"},
        .series = series,
        .n_series = 2,
    };
    show(gallery, &plot);
    for (size_t i = 0; i < 2; i++) {
        series[i].x = series[i].y, series[i].x_low = series[i].y_low,
        series[i].x_high = series[i].y_high;
        series[i].y = series[i].y_low = series[i].y_high = NULL;
    }
    plot.id = "bars-lying";
    plot.title = "The same, lying, for long names";
    plot.y = plot.x;
    plot.x = (struct sl_plot_axis){.label = "Cross-entropy", .unit = "nats"};
    show(gallery, &plot);
}

static void show_three_bars(struct gallery *gallery)
{
    static const char *const screens[] = {"click", "two clicks", "typed", "sliders"};
    static const double seconds[] = {1.8, 3.1, 29.6, 24.2}, gain[] = {-4.1, 2.3, 12.6, 9.9},
                        other[] = {0, 1.1, 8.2, (double)NAN};
    const struct sl_plot_series series[] = {
        {.name = "seconds per answer", .count = 4, .y = seconds},
        {.name = "change in points", .count = 4, .y = gain},
        {.name = "half", .count = 4, .y = other}};
    const struct sl_plot plot = {
        .kind = SL_PLOT_BARS,
        .id = "bars-signs",
        .title = "Values on both sides of zero, one missing",
        .x = {.label = "Screen",
              .scale = SL_SCALE_CATEGORY,
              .categories = screens,
              .n_categories = 4},
        .y = {.label = "Change against hard labels", .unit = "%"},
        .series = series,
        .n_series = 3,
    };
    show(gallery, &plot);
}

static void show_scatter(struct gallery *gallery)
{
    double x_low[2][N_NETWORKS], x_high[2][N_NETWORKS], y_low[2][N_NETWORKS], y_high[2][N_NETWORKS];
    around(hard_accuracy, N_NETWORKS, .004, x_low[0], x_high[0]);
    around(soft_accuracy, N_NETWORKS, .004, x_low[1], x_high[1]);
    around(hard_loss, N_NETWORKS, .05, y_low[0], y_high[0]);
    around(soft_loss, N_NETWORKS, .04, y_low[1], y_high[1]);
    const struct sl_plot_series series[] = {
        {.name = "hard labels",
         .count = N_NETWORKS,
         .x = hard_accuracy,
         .y = hard_loss,
         .x_low = x_low[0],
         .x_high = x_high[0],
         .y_low = y_low[0],
         .y_high = y_high[0],
         .texts = networks},
        {.name = "human soft labels",
         .count = N_NETWORKS,
         .x = soft_accuracy,
         .y = soft_loss,
         .x_low = x_low[1],
         .x_high = x_high[1],
         .y_low = y_low[1],
         .y_high = y_high[1],
         .texts = networks},
    };
    const struct sl_plot plot = {
        .kind = SL_PLOT_SCATTER,
        .id = "scatter",
        .title = "Accuracy hardly tells hard from soft labels, cross-entropy does",
        .subtitle = "Eight networks on CIFAR-10H",
        .x = {.label = "Accuracy", .unit = "%"},
        .y = {.label = "Cross-entropy", .unit = "nats"},
        .series = series,
        .n_series = 2,
    };
    show(gallery, &plot);
}

static void show_cloud(struct gallery *gallery)
{
    double *x = sl_alloc(N_ITEMS, sizeof *x), *y = sl_alloc(N_ITEMS, sizeof *y);
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "gallery.cloud", 0, 0);
    for (size_t i = 0; i < N_ITEMS; i++) {
        x[i] = sl_rng_beta(&rng, .6, 4) * 2.3;
        y[i] = fmax(0, .3 * x[i] + .25 * sl_rng_gamma(&rng, .7));
    }
    const struct sl_plot_series series = {.count = N_ITEMS, .x = x, .y = y};
    const struct sl_plot plot = {
        .kind = SL_PLOT_SCATTER,
        .id = "cloud",
        .title = "Entropy of people and of a network, 10,000 images",
        .x = {.label = "Entropy of people's labels", .unit = "nats"},
        .y = {.label = "Entropy of predictions", .unit = "nats"},
        .series = &series,
        .n_series = 1,
    };
    show(gallery, &plot);
    free(x);
    free(y);
}

static void show_annotators(struct gallery *gallery)
{
    static const double many[] = {1, 2, 4, 8, 16, 32, 51}, few[] = {1, 2, 3, 4, 5, 6};
    static const double clicks[] = {1.62, 1.49, 1.41, 1.36, 1.33, 1.30, 1.293};
    static const double ours[] = {1.41, 1.35, 1.32, 1.30, 1.29, 1.281};
    static const double hard[] = {1.66, 1.66}, ends[] = {1, 51};
    double low[2][7], high[2][7];
    around(clicks, 7, .045, low[0], high[0]);
    around(ours, 6, .04, low[1], high[1]);
    struct sl_plot_series series[] = {
        {.name = "CIFAR-10H",
         .count = 7,
         .x = many,
         .y = clicks,
         .y_low = low[0],
         .y_high = high[0],
         .band = true},
        {.name = "T2, clamp",
         .count = 6,
         .x = few,
         .y = ours,
         .y_low = low[1],
         .y_high = high[1],
         .band = true},
        {.name = "hard labels", .count = 2, .x = ends, .y = hard, .reference = true, .plain = true},
    };
    struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .id = "annotators",
        .title = "Six people who answer softly are worth fifty who click",
        .subtitle = "Cross-entropy to CIFAR-10H against the number of annotators per image",
        .note = "Bands: 95 % intervals over 15 seeds. Curves are made up; the ends are those of "
                "collins2022, table 1.",
        .x = {.label = "Annotators per image", .scale = SL_SCALE_LOG},
        .y = {.label = "Cross-entropy", .unit = "nats"},
        .series = series,
        .n_series = 3,
    };
    show(gallery, &plot);
    series[0].name = "CIFAR-10H, aggregated over M annotators";
    series[1].name = "CIFAR-10S, two classes with probabilities and a clamp";
    series[0].band = series[1].band = false;
    plot.id = "annotators-legend";
    plot.title = "With long names there is a legend, with whiskers no bands";
    show(gallery, &plot);
}

static void show_training(struct gallery *gallery)
{
    static const char *const names[] = {"hard, train", "hard, test", "soft, train", "soft, test"};
    static const double levels[][2] = {{.02, 2.2}, {1.05, 1.3}, {.35, 1.9}, {.62, 1.7}};
    double epochs[N_EPOCHS], values[4][N_EPOCHS];
    struct sl_plot_series series[4];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "gallery.training", 0, 0);
    for (size_t e = 0; e < N_EPOCHS; e++)
        epochs[e] = (double)e + 1;
    for (size_t s = 0; s < 4; s++) {
        for (size_t e = 0; e < N_EPOCHS; e++) {
            double fall = exp(-(double)e / (e < 50 ? 14 : 9));
            double noise = (e < 50 ? .05 : .008) * sl_rng_normal(&rng) * (s % 2 ? 1.6 : .6);
            values[s][e] = fmax(.01, levels[s][0] + levels[s][1] * fall + noise);
        }
        series[s] = (struct sl_plot_series){
            .name = names[s], .count = N_EPOCHS, .x = epochs, .y = values[s]};
    }
    values[1][20] = values[1][21] = (double)NAN;
    const struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .id = "training",
        .title = "Training curves",
        .subtitle = "ResNet-34A, one seed; the learning rate falls after epochs 50 and 55",
        .x = {.label = "Epoch"},
        .y = {.label = "Loss", .unit = "nats"},
        .series = series,
        .n_series = 4,
    };
    show(gallery, &plot);
}

static void show_heat(struct gallery *gallery)
{
    double cells[N_CELLS];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "gallery.heat", 0, 0);
    for (size_t i = 0; i < N_CLASSES; i++) {
        double rest = 0;
        for (size_t j = 0; j < N_CLASSES; j++) {
            bool animals = (i > 1 && i < 8) == (j > 1 && j < 8);
            cells[i * N_CLASSES + j] = i == j ? 0 : (animals ? .03 : .004) * sl_rng_gamma(&rng, .6);
            rest += cells[i * N_CLASSES + j];
        }
        cells[i * N_CLASSES + i] = 1 - rest;
    }
    cells[3 * N_CLASSES + 8] = (double)NAN;
    const struct sl_plot_series series = {.count = N_CELLS, .z = cells};
    struct sl_plot plot = {
        .kind = SL_PLOT_HEAT,
        .id = "heat",
        .title = "Whom people confuse with whom",
        .subtitle = "Share of answers per true class",
        .x = {.label = "Answer",
              .scale = SL_SCALE_CATEGORY,
              .categories = classes,
              .n_categories = N_CLASSES},
        .y = {.label = "True class",
              .scale = SL_SCALE_CATEGORY,
              .categories = classes,
              .n_categories = N_CLASSES},
        .z = {.label = "Share of answers"},
        .series = &series,
        .n_series = 1,
    };
    show(gallery, &plot);
    double changes[20];
    for (size_t i = 0; i < 20; i++)
        changes[i] = .4 * sl_rng_normal(&rng);
    const struct sl_plot_series signs = {.count = 20, .z = changes};
    plot.id = "heat-signs";
    plot.title = "Change in loss under corruptions";
    plot.subtitle = "Soft minus hard labels, by severity";
    plot.x.n_categories = 5;
    plot.x.categories = (const char *const[]){"1", "2", "3", "4", "5"};
    plot.x.label = "Severity";
    plot.y.n_categories = 4;
    plot.y.categories = (const char *const[]){"Gaussian noise", "defocus blur", "fog", "JPEG"};
    plot.y.label = NULL;
    plot.z.label = "Difference in cross-entropy";
    plot.series = &signs;
    show(gallery, &plot);
}

/* Confidence of right and wrong predictions of a network that is too sure of itself. */
static size_t draw_confidences(double *right, double *wrong, size_t *n_wrong)
{
    struct sl_rng rng;
    size_t n_right = 0;
    sl_rng_init(&rng, 1, "gallery.confidence", 0, 0);
    for (size_t i = 0; i < N_ITEMS; i++) {
        double confidence = .1 + .9 * sl_rng_beta(&rng, 3.2, .45);
        if (sl_rng_uniform(&rng) < pow(confidence, 1.6))
            right[n_right++] = confidence;
        else
            wrong[(*n_wrong)++] = confidence;
    }
    return n_right;
}

static void show_reliability(struct gallery *gallery, const double *right, size_t n_right,
                             const double *wrong, size_t n_wrong)
{
    enum { N_BINS = 15 };
    double hits[N_BINS] = {0}, items[N_BINS] = {0}, sums[N_BINS] = {0};
    double low[N_BINS], high[N_BINS], accuracy_low[N_BINS], accuracy_high[N_BINS];
    for (size_t i = 0; i < n_right + n_wrong; i++) {
        double value = i < n_right ? right[i] : wrong[i - n_right];
        size_t bin = value >= 1 ? N_BINS - 1 : (size_t)(value * N_BINS);
        hits[bin] += i < n_right;
        items[bin]++;
        sums[bin] += value;
    }
    for (size_t b = 0; b < N_BINS; b++) {
        low[b] = (double)b / N_BINS;
        high[b] = (double)(b + 1) / N_BINS;
        hits[b] = items[b] > 0 ? hits[b] / items[b] : (double)NAN;
        sums[b] = items[b] > 0 ? sums[b] / items[b] : (double)NAN;
        double spread = 1.96 * sqrt(hits[b] * (1 - hits[b]) / items[b]);
        accuracy_low[b] = fmax(0, hits[b] - spread);
        accuracy_high[b] = fmin(1, hits[b] + spread);
    }
    const struct sl_plot_series series = {.count = N_BINS,
                                          .x = sums,
                                          .y = hits,
                                          .x_low = low,
                                          .x_high = high,
                                          .y_low = accuracy_low,
                                          .y_high = accuracy_high,
                                          .weight = items};
    const struct sl_plot plot = {
        .kind = SL_PLOT_RELIABILITY,
        .id = "reliability",
        .title = "More confident than right",
        .subtitle = "15 bins of equal width, 10,000 predictions",
        .x = {.label = "Confidence"},
        .y = {.label = "Accuracy"},
        .series = &series,
        .n_series = 1,
    };
    show(gallery, &plot);
}

static void show_confidence(struct gallery *gallery)
{
    double *right = sl_alloc(N_ITEMS, sizeof *right), *wrong = sl_alloc(N_ITEMS, sizeof *wrong);
    size_t n_wrong = 0, n_right = draw_confidences(right, wrong, &n_wrong);
    show_reliability(gallery, right, n_right, wrong, n_wrong);
    const struct sl_plot_series series[] = {{.name = "right", .count = n_right, .x = right},
                                            {.name = "wrong", .count = n_wrong, .x = wrong}};
    const struct sl_plot plot = {
        .kind = SL_PLOT_HISTOGRAM,
        .id = "histogram",
        .title = "Confidence when right and when wrong",
        .x = {.label = "Confidence of the prediction", .low = 0, .high = 1},
        .y = {.label = "Share of predictions", .unit = "%"},
        .series = series,
        .n_series = 2,
        .share = true,
    };
    show(gallery, &plot);
    double coverage[100], risk[2][100];
    for (size_t i = 0; i < 100; i++) {
        coverage[i] = (double)i + 1;
        risk[0][i] = 14.8 * pow(coverage[i] / 100, 1.4);
        risk[1][i] = 13.4 * pow(coverage[i] / 100, 2.1);
    }
    const struct sl_plot_series curves[] = {
        {.name = "hard", .count = 100, .x = coverage, .y = risk[0]},
        {.name = "soft", .count = 100, .x = coverage, .y = risk[1]}};
    const struct sl_plot selective = {
        .kind = SL_PLOT_LINES,
        .id = "risk",
        .title = "Risk and coverage",
        .subtitle = "Errors among the predictions that a threshold keeps",
        .x = {.label = "Predictions kept", .unit = "%", .low = 0, .high = 100},
        .y = {.label = "Errors", .unit = "%"},
        .series = curves,
        .n_series = 2,
    };
    show(gallery, &selective);
    free(right);
    free(wrong);
}

static void show_forest(struct gallery *gallery)
{
    static const char *const rows[] = {"CIFAR-10H, on 10H", "T2, clamp, on 10H",
                                       "CIFAR-10H, on 10S", "T2, clamp, on 10S",
                                       "Select top 2 only, de-aggregated, on 10S"};
    static const double paper[] = {1.293, 1.281, 2.459, 2.355, 2.61},
                        ours[] = {1.33, 1.26, 2.40, 2.37, (double)NAN};
    static const double paper_half[] = {.08, .06, .21, .14, .2},
                        ours_half[] = {.05, .05, .12, .1, .1};
    double low[2][5], high[2][5];
    for (size_t i = 0; i < 5; i++) {
        low[0][i] = paper[i] - paper_half[i], high[0][i] = paper[i] + paper_half[i];
        low[1][i] = ours[i] - ours_half[i], high[1][i] = ours[i] + ours_half[i];
    }
    struct sl_plot_series series[] = {
        {.name = "paper",
         .count = 5,
         .x = paper,
         .x_low = low[0],
         .x_high = high[0],
         .reference = true},
        {.name = "here", .count = 5, .x = ours, .x_low = low[1], .x_high = high[1]},
    };
    struct sl_plot plot = {
        .kind = SL_PLOT_FOREST,
        .id = "forest",
        .title = "collins2022, table 1: the paper's figures and ours",
        .subtitle = "Cross-entropy, mean and 95 % interval of 15 seeds",
        .note = "Ours are made up.",
        .x = {.label = "Cross-entropy", .unit = "nats"},
        .y = {.scale = SL_SCALE_CATEGORY, .categories = rows, .n_categories = 5},
        .series = series,
        .n_series = 2,
    };
    show(gallery, &plot);
    series[0].x_low = series[0].x_high = series[1].x_low = series[1].x_high = NULL;
    plot.id = "dumbbell";
    plot.title = "Without intervals, a dumbbell";
    plot.subtitle = NULL;
    show(gallery, &plot);
}

static void show_odd(struct gallery *gallery)
{
    static const double epochs[] = {1, 2, 3}, losses[] = {4.2e8, 3.9e8, 4.4e8};
    const struct sl_plot_series series = {.count = 3, .x = epochs, .y = losses};
    struct sl_plot plot = {
        .kind = SL_PLOT_LINES,
        .id = "large",
        .title = "Large numbers, and a title that is long enough to need more than one line of the "
                 "chart",
        .x = {.label = "Step"},
        .y = {.label = "Answers"},
        .series = &series,
        .n_series = 1,
    };
    show(gallery, &plot);
    const struct sl_plot_series none = {.count = 0};
    plot.id = "empty";
    plot.title = "A chart without data says so";
    plot.series = &none;
    show(gallery, &plot);
}

int main(int argc, char **argv)
{
    struct sl_error err;
    struct gallery gallery = {.folder = argc == 2 ? argv[1] : ""};
    if (argc != 2) {
        fprintf(stderr, "usage: plot_gallery <folder>\n");
        return 2;
    }
    sl_buffer_init(&gallery.page, 64 << 20);
    sl_buffer_text(
        &gallery.page,
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'><title>Charts</title><style>"
        ":root{color-scheme:light dark}body{margin:0 auto;max-width:62rem}figure{margin:0;"
        "padding:8px}main{display:grid;grid-template-columns:repeat(auto-fit,"
        "minmax(min(100%,380px),1fr))}figure svg{width:100%;height:auto}"
        "@media screen and (prefers-color-scheme:dark){body{background:#14171b}}"
        "</style><main>\n");
    show_bars(&gallery);
    show_three_bars(&gallery);
    show_scatter(&gallery);
    show_cloud(&gallery);
    show_annotators(&gallery);
    show_training(&gallery);
    show_heat(&gallery);
    show_confidence(&gallery);
    show_forest(&gallery);
    show_odd(&gallery);
    sl_buffer_text(&gallery.page, "</main></html>\n");
    char path[1024];
    snprintf(path, sizeof path, "%s/index.html", gallery.folder);
    if (sl_file_write(path, gallery.page.data, gallery.page.length, &err) != SL_OK) {
        fprintf(stderr, "plot_gallery: %s\n", err.message);
        return 1;
    }
    sl_buffer_release(&gallery.page);
    return 0;
}
