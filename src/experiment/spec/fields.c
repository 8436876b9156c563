/* The keys of spec.json. Reading, messages about unknown keys and the tables in
 * experiments/README.md come from here. */
#include <math.h>
#include <stddef.h>

#include "experiment/spec/fields.h"

/* ---- Names to texts and numbers ---- */

static const struct sl_field_row word_rows[] = {
    {"", SL_FIELD_TEXT, AT(word, text), NULL},
    {.name = NULL},
};
const struct sl_fields sl_spec_word_fields = FIELDS(word, word_rows);

static const struct sl_field_row number_rows[] = {
    {"", SL_FIELD_NUMBER, AT(number, value), NULL},
    {.name = NULL},
};
const struct sl_fields sl_spec_number_fields = FIELDS(number, number_rows);

/* ---- Label sets ---- */

static const char *const draws[] = {"mean", "annotator", "sample", "each", NULL};

#define LABELS_HELP                                                                                \
    "words of `softlab` that make it, or null: hard labels; left out, they follow from "           \
    "`answers`, "                                                                                  \
    "`method` and `options`, and beside these they must say the same, in any order"
#define ANSWERS_HELP "a file of answers; without one the set has hard labels"
#define METHOD_HELP  "a method of `softlab labels --list`"
#define OPTIONS_HELP "options of that method, without their dashes: `{\"annotators\": 3}`"
#define DRAW_HELP                                                                                  \
    "`mean`: the row; `annotator`: one annotator's row, drawn at each presentation; `sample`: a "  \
    "class drawn from the row at each presentation; `each`: every annotator's row, an example "    \
    "each"

static const struct sl_field_row extra_rows[] = {
    {"images", SL_FIELD_TEXT, AT(set, images),
     "a file with the name of a mixture on each line; the images are made from these names",
     .flags = SL_FIELD_REQUIRED},
    {"labels", SL_FIELD_TEXTS, AT(set, labels), LABELS_HELP},
    {"labels", SL_FIELD_NULL, AT(set, hard), NULL},
    {"answers", SL_FIELD_TEXT, AT(set, answers), ANSWERS_HELP},
    {"method", SL_FIELD_TEXT, AT(set, method), METHOD_HELP},
    {"options", SL_FIELD_FREE, AT(set, options), OPTIONS_HELP},
    {"draw", SL_FIELD_TEXT, AT(set, draw), DRAW_HELP, .choices = draws},
    {.name = NULL},
};
static const struct sl_fields extra_fields = FIELDS(set, extra_rows);

static const struct sl_field_row set_rows[] = {
    {"labels", SL_FIELD_TEXTS, AT(set, labels), LABELS_HELP},
    {"labels", SL_FIELD_NULL, AT(set, hard), NULL},
    {"answers", SL_FIELD_TEXT, AT(set, answers), ANSWERS_HELP},
    {"method", SL_FIELD_TEXT, AT(set, method), METHOD_HELP},
    {"options", SL_FIELD_FREE, AT(set, options), OPTIONS_HELP},
    {"only", SL_FIELD_TEXT, AT(set, only), "use it only for the items of this file of `files`"},
    {"rest", SL_FIELD_TEXT, AT(set, rest),
     "what items without a row get: `hard`, the labels of a file of `files`, or `none`, which is "
     "the default: they are not trained on"},
    {"draw", SL_FIELD_TEXT, AT(set, draw), DRAW_HELP, .choices = draws},
    {"harden", SL_FIELD_BOOLEAN, AT(set, harden), "true: the arg max of each row, whole"},
    {"count", SL_FIELD_INTEGER, AT(set, count),
     "only this many of its items, drawn by seed; like `only` and `harden` refused of hard labels, "
     "on which it has no effect",
     AT_LEAST(1)},
    {"extra", SL_FIELD_OBJECT, AT(set, extra), "images added to the training set, and their labels",
     .inner = &extra_fields},
    {"mixing", SL_FIELD_TEXT, AT(set, mixing),
     "the file of class-pair mixing functions that the method mixes targets with"},
    {"settings", SL_FIELD_FREE, AT(set, settings),
     "recipe keys (`softlab train --keys`) for this set alone: the method and its parameters"},
    {"as_run", SL_FIELD_FREE, AT(set, as_run),
     "networks to recipe keys that the authors' code ran them with, over `settings`; "
     "`--as-published` leaves them out"},
    {"dev_labels", SL_FIELD_TEXT, AT(set, dev_labels),
     "the reference by which an epoch of this set is chosen; left out, hard labels"},
    {"train", SL_FIELD_BOOLEAN, AT(set, train),
     "false: nothing is trained, the weights of `start` are scored", .fallback = "true"},
    {"seconds", SL_FIELD_NUMBER, AT(set, seconds),
     "annotators' seconds per item; without it those that the papers state for CIFAR-10S and "
     "CIFAR-10H, and of other answers none",
     .fallback = "nan"},
    {.name = NULL},
};
const struct sl_fields sl_spec_set_fields = FIELDS(set, set_rows);

/* ---- Tests ---- */

static const char *const attack_labels[] = {"hard", NULL};
static const struct sl_field_row measuring_rows[] = {
    {"attack", SL_FIELD_TEXT, AT(measuring, attack),
     "whose form of FGSM and PGD: `collins2022` or `peterson2019`; left out, neither's"},
    {"attack_labels", SL_FIELD_TEXT, AT(measuring, attack_labels),
     "`hard`: attacks go by hard labels, as the authors' code did; with `--as-published` by the "
     "test's labels",
     .choices = attack_labels},
    {"attack_items", SL_FIELD_INTEGER, AT(measuring, attack_items), "attack so many items only",
     AT_LEAST(1)},
    {"attack_bound", SL_FIELD_ANY, AT(measuring, attack_bound), "a note for the reader"},
    {"calibration", SL_FIELD_ANY, AT(measuring, calibration), "a note for the reader"},
    {"calibration_bin", SL_FIELD_INTEGER, AT(measuring, calibration_bin),
     "items in a bin of the calibration error", AT_LEAST(1)},
    {"corruption_severity", SL_FIELD_INTEGER, AT(measuring, corruption_severity),
     "one severity of corruptions, 1 to 5; left out, all", .minimum = 1, .maximum = 5},
    {"corruptions", SL_FIELD_ANY, AT(measuring, corruptions), "a note for the reader"},
    {.name = NULL},
};
static const struct sl_fields measuring_fields = FIELDS(measuring, measuring_rows);

static const struct sl_field_row test_rows[] = {
    {"data", SL_FIELD_TEXT, AT(test, data), "a data set, or several that are joined",
     .flags = SL_FIELD_OR_NULL},
    {"data", SL_FIELD_TEXTS, AT(test, joined), NULL},
    {"split", SL_FIELD_TEXT, AT(test, split),
     "which items: a split (below), `holdout`, or `fold`: what the run's fold held out",
     .flags = SL_FIELD_OR_NULL},
    {"only", SL_FIELD_TEXT, AT(test, only), "`imagenet`: CINIC-10's images that are not CIFAR-10's",
     .flags = SL_FIELD_OR_NULL},
    {"labels", SL_FIELD_TEXT, AT(test, labels), "`hard`, which is the default, or a reference"},
    {"truth", SL_FIELD_TEXT, AT(test, truth),
     "`gold`: accuracy is against the true classes, not the labels' first"},
    {"metrics", SL_FIELD_TEXTS, AT(test, metrics),
     "measures of `softlab eval --list`, at least one; left out, `accuracy` and `cross_entropy`"},
    {"settings", SL_FIELD_OBJECT, AT(test, settings), "how measures are taken",
     .inner = &measuring_fields},
    {"missing", SL_FIELD_TEXT, AT(test, missing), "why it cannot be scored"},
    {"seed", SL_FIELD_INTEGER, AT(test, seed), "of the choice of `test_items`", AT_LEAST(0),
     .fallback = "1"},
    {.name = NULL},
};
static const struct sl_fields test_fields = FIELDS(test, test_rows);

/* ---- Designs ---- */

static const struct sl_field_row start_rows[] = {
    {"recipe", SL_FIELD_TEXT, AT(start, recipe), "its recipe"},
    {"data", SL_FIELD_TEXT, AT(start, data), "what it is trained on"},
    {"labels", SL_FIELD_TEXTS, AT(start, labels), "hard labels: null", .flags = SL_FIELD_OR_NULL},
    {"seeds", SL_FIELD_INTEGERS, AT(start, seeds), "its seed, the first of the list", AT_LEAST(0)},
    {"items", SL_FIELD_INTEGER, AT(start, items), "the first so many of a seeded order",
     AT_LEAST(1)},
    {"settings", SL_FIELD_FREE, AT(start, settings), "what overrides the recipe's keys"},
    {.name = NULL},
};
static const struct sl_fields start_fields = FIELDS(start, start_rows);

/* How images are read, in trainings and tests. */
static const struct sl_field_row image_rows[] = {
    {"size", SL_FIELD_TEXT, AT(design, size),
     "the size, like `32x32`, that all images are brought to"},
    {"channels", SL_FIELD_INTEGER, AT(design, channels),
     "1: images are read as grey, 3: as colour; left out, grey ones among colour ones are read as "
     "colour",
     .minimum = 1, .maximum = 3, .expected = "1 (grey) or 3 (colour)"},
    {"skip_broken", SL_FIELD_BOOLEAN, AT(design, skip_broken),
     "true: images that cannot be read are left out, counted and named; left out or false, they "
     "are an error"},
    {.name = NULL},
};
const struct sl_fields sl_spec_image_fields = FIELDS(design, image_rows);

static const struct sl_field_row common_rows[] = {
    {"missing", SL_FIELD_TEXT, AT(design, missing),
     "why it cannot be run as published: a method, network or data set that is not there, or "
     "\"data differ\""},
    {"references", SL_FIELD_MAP, AT(design, references), "label sets to score against, by name",
     .inner = &sl_spec_set_fields},
    {"networks", SL_FIELD_TEXTS, AT(design, networks), "names of `softlab models`"},
    {"recipe", SL_FIELD_TEXT, AT(design, recipe),
     "a recipe of `softlab train --list`; `{network}` in its name is replaced; left out, "
     "`quick`"},
    {"settings", SL_FIELD_FREE, AT(design, settings), "what overrides the recipe's keys"},
    {"data", SL_FIELD_TEXT, AT(design, data), "what is trained on"},
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_image_fields},
    {"split", SL_FIELD_TEXT, AT(design, split),
     "which part of `data`: `share:0.8`, a file of indices, or one of a set, as `cifar10s:train`",
     .flags = SL_FIELD_OR_NULL},
    {"holdout", SL_FIELD_TEXT, AT(design, holdout),
     "items that are taken out: a file with an item's name on each line, or `collins2022`",
     .flags = SL_FIELD_OR_NULL},
    {"dev", SL_FIELD_TEXT, AT(design, dev), "the data set that a checkpoint is chosen on"},
    {"folds", SL_FIELD_INTEGER, AT(design, folds),
     "cross-validation: that many folds, each held out once, so that a cell averages over folds",
     .flags = SL_FIELD_OR_NULL, AT_LEAST(2)},
    {"start", SL_FIELD_OBJECT, AT(design, start),
     "a training run whose weights the others start from", .inner = &start_fields},
    {"seeds", SL_FIELD_INTEGERS, AT(design, seeds), "the runs of each cell; left out, 1, 2 and 3",
     AT_LEAST(0)},
    {"tests", SL_FIELD_MAP, AT(design, tests), "test sets by name", .inner = &test_fields},
    {"items", SL_FIELD_INTEGER, AT(design, items),
     "train on the first so many items of a seeded order", AT_LEAST(1)},
    {"test_items", SL_FIELD_INTEGER, AT(design, test_items), "the same of tests", AT_LEAST(1)},
    {"dev_items", SL_FIELD_INTEGER, AT(design, dev_items), "the same of `dev`", AT_LEAST(1)},
    {"run_folds", SL_FIELD_INTEGERS, AT(design, run_folds), "run these folds only, from 0",
     AT_LEAST(0)},
    {.name = NULL},
};
static const struct sl_fields common_fields = FIELDS(design, common_rows);

static const struct sl_field_row design_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &common_fields},
    {"sets", SL_FIELD_MAP, AT(design, sets),
     "label sets to train on, by name; `{}` has hard labels", .inner = &sl_spec_set_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_design_fields = FIELDS(design, design_rows);

#define SCALE_SETS "keep these sets"
static const struct sl_field_row scale_part_rows[] = {
    {"", SL_FIELD_GROUP, AT(scale_part, design), .inner = &common_fields},
    {"sets", SL_FIELD_TEXTS, AT(scale_part, sets), SCALE_SETS},
    {.name = NULL},
};
static const struct sl_fields scale_part_fields = FIELDS(scale_part, scale_part_rows);

static const struct sl_field_row scale_rows[] = {
    {"", SL_FIELD_GROUP, AT(scale, design), .inner = &common_fields},
    {"sets", SL_FIELD_TEXTS, AT(scale, sets), SCALE_SETS},
    {"parts", SL_FIELD_MAP, AT(scale, parts), "what it changes of parts, by name",
     .inner = &scale_part_fields},
    {"stands_for", SL_FIELD_MAP, AT(scale, stands_for),
     "whose place in the table a small network takes: `{\"resnet8\": \"resnet_basic_110\"}`",
     NAMED_WORDS},
    {.name = NULL},
};
static const struct sl_fields scale_fields = FIELDS(scale, scale_rows);

/* ---- The table, and what was tuned ---- */

static const struct sl_field_row table_rows[] = {
    {"rows", SL_FIELD_TEXTS, AT(table, rows), "what a row's coordinates are",
     .flags = SL_FIELD_REQUIRED},
    {"columns", SL_FIELD_TEXTS, AT(table, columns), "`test/metric`", .flags = SL_FIELD_REQUIRED},
    {"pool", SL_FIELD_TEXTS, AT(table, pool), "what a cell averages over",
     .flags = SL_FIELD_REQUIRED},
    {"interval", SL_FIELD_TEXT, AT(table, interval),
     "`t95`: mean ± t(.975, n-1) sd / sqrt(n); `sd`", .flags = SL_FIELD_REQUIRED},
    {"scale", SL_FIELD_MAP, AT(table, scale), "factor per metric from our unit to the printed one",
     NAMED_NUMBERS},
    {"cells", SL_FIELD_MAP, AT(table, cells),
     "`<coordinates>|<column>` to a cell of `expected.csv` (below)", .flags = SL_FIELD_REQUIRED,
     NAMED_WORDS},
    {.name = NULL},
};
static const struct sl_fields table_fields = FIELDS(table, table_rows);

static const struct sl_field_row validation_rows[] = {
    {"data", SL_FIELD_TEXT, AT(validation, data), "a data set", .flags = SL_FIELD_REQUIRED},
    {"count", SL_FIELD_INTEGER, AT(validation, count), "so many of its items",
     .flags = SL_FIELD_REQUIRED, AT_LEAST(1)},
    {"seed", SL_FIELD_INTEGER, AT(validation, seed), "that draws them", AT_LEAST(0),
     .fallback = "1"},
    {.name = NULL},
};
static const struct sl_fields validation_fields = FIELDS(validation, validation_rows);

static const char *const validations[] = {"fold", NULL};
static const struct sl_field_row tune_rows[] = {
    {"parameter", SL_FIELD_TEXT, AT(tune, parameter), "`lr`, `beta`, `gamma`, or a key of recipes",
     .flags = SL_FIELD_REQUIRED},
    {"grid", SL_FIELD_NUMBERS, AT(tune, grid), "the values that were tried",
     .flags = SL_FIELD_REQUIRED},
    {"selected", SL_FIELD_ANY, AT(tune, selected),
     "what the paper chose; null: not printed; `as_run`: the sets say it"},
    {"validation", SL_FIELD_TEXT, AT(tune, fold),
     "`fold`: what a fold held out; or items of a data set", .flags = SL_FIELD_REQUIRED,
     .choices = validations},
    {"validation", SL_FIELD_OBJECT, AT(tune, set), NULL, .inner = &validation_fields},
    {"metric", SL_FIELD_TEXT, AT(tune, metric), "what is best", .flags = SL_FIELD_REQUIRED},
    {"seeds", SL_FIELD_INTEGERS, AT(tune, seeds), "the runs of each value",
     .flags = SL_FIELD_REQUIRED, AT_LEAST(0)},
    {"sets", SL_FIELD_TEXTS, AT(tune, sets),
     "the sets that it concerns, each searched; left out, the first is searched and it holds for "
     "all"},
    {"networks", SL_FIELD_TEXTS, AT(tune, networks), "likewise; left out, all"},
    {"assumed", SL_FIELD_TEXTS, AT(tune, assumed), "what of this the paper does not say"},
    {.name = NULL},
};
static const struct sl_fields tune_fields = FIELDS(tune, tune_rows);

/* ---- Figures without training ---- */

static const struct sl_field_row mean_rows[] = {
    {"files", SL_FIELD_TEXTS, AT(mean, files), "CSV files; rows are averaged, then files",
     .flags = SL_FIELD_REQUIRED},
    {"columns", SL_FIELD_FREE, AT(mean, columns), "each column's weight",
     .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
static const struct sl_fields mean_fields = FIELDS(mean, mean_rows);

/* How a figure is read from a command's JSON. */
static const struct sl_field_row reading_rows[] = {
    {"path", SL_FIELD_TEXT, AT(figure, path),
     "where in the JSON the figure is (below); a list of paths is summed"},
    {"path", SL_FIELD_TEXTS, AT(figure, paths), NULL},
    {"as", SL_FIELD_TEXT, AT(figure, as),
     "what becomes of these: `difference`, the first less the second, or `reduction`, 1 - second / "
     "first; fold by fold where both have folds"},
    {"times", SL_FIELD_NUMBER, AT(figure, times), "brings it to the printed unit", .fallback = "1"},
    {"divide", SL_FIELD_NUMBER, AT(figure, divide), "likewise", .fallback = "1"},
    {.name = NULL},
};
const struct sl_fields sl_spec_reading_fields = FIELDS(figure, reading_rows);

static const struct sl_field_row figure_rows[] = {
    {"command", SL_FIELD_TEXTS, AT(figure, command), "words of `softlab` that print JSON"},
    {"file", SL_FIELD_TEXT, AT(figure, file), "or a file of `files`"},
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_reading_fields},
    {"mean_of", SL_FIELD_OBJECT, AT(figure, mean_of), "or the mean of columns of files",
     .inner = &mean_fields},
    {"cells", SL_FIELD_TEXTS, AT(figure, cells), "or two other entries"},
    {"here", SL_FIELD_ANY, AT(figure, here),
     "what the command gives from the released data, for `tools/check-experiments`"},
    {"missing", SL_FIELD_TEXT, AT(figure, missing),
     "why it cannot be had: a command that the program does not have"},
    {.name = NULL},
};
const struct sl_fields sl_spec_figure_fields = FIELDS(figure, figure_rows);

/* ---- The question ---- */

static const struct sl_field_row question_rows[] = {
    {"reference", SL_FIELD_TEXT, AT(question, reference),
     "the reference that holds the true distributions", .flags = SL_FIELD_REQUIRED},
    {"against", SL_FIELD_TEXT, AT(question, against), "the set that all are measured against",
     .flags = SL_FIELD_REQUIRED},
    {"distance", SL_FIELD_TEXT, AT(question, distance),
     "`labels/` and a distance of `softlab compare`", .flags = SL_FIELD_REQUIRED},
    {"model", SL_FIELD_TEXT, AT(question, model), "`test/metric`", .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
static const struct sl_fields question_fields = FIELDS(question, question_rows);

/* ---- The whole ---- */

static const struct sl_field_row file_rows[] = {
    {"", SL_FIELD_TEXTS, AT(file, command), NULL},
    {.name = NULL},
};
static const struct sl_fields file_fields = FIELDS(file, file_rows);

static const char *const people[] = {"simulated", "real", NULL};
static const struct sl_field_row body_rows[] = {
    {"softlab", SL_FIELD_TEXT, AT(body, softlab), "`\"experiment\"`", .flags = SL_FIELD_REQUIRED},
    {"version", SL_FIELD_INTEGER, AT(body, version), "1", .flags = SL_FIELD_REQUIRED, .minimum = 1,
     .maximum = 1},
    {"name", SL_FIELD_TEXT, AT(body, name),
     "what its runs are called after; of a paper's table, "
     "its folder",
     .flags = SL_FIELD_REQUIRED},
    {"title", SL_FIELD_TEXT, AT(body, title), "the title of the report; left out, the name"},
    {"source", SL_FIELD_TEXT, AT(body, source), "the place in the paper"},
    {"people", SL_FIELD_TEXT, AT(body, people),
     "who gave the answers: `simulated` or `real`; the report says so beside its first line",
     .choices = people},
    {"notes", SL_FIELD_TEXTS, AT(body, notes), "what a reader should know"},
    {"needs", SL_FIELD_TEXTS, AT(body, needs),
     "`train` where networks are trained, `labels` where the program computes figures from "
     "published data, or both; left out, what the other keys say"},
    {"files", SL_FIELD_MAP, AT(body, files),
     "files to make first: name to words of `softlab`, to which `--output` is added",
     .inner = &file_fields},
    {"", SL_FIELD_GROUP, AT(body, design), .inner = &sl_spec_design_fields},
    {"table", SL_FIELD_OBJECT, AT(body, table),
     "the table of the report; left out, a row per set and a column per measure",
     .inner = &table_fields},
    {"parts", SL_FIELD_MAP, AT(body, parts),
     "sub-experiments by name, whose keys stand over those of the whole; then `part` is a "
     "coordinate of rows",
     .inner = &sl_spec_design_fields},
    {"compute", SL_FIELD_MAP, AT(body, compute), "published cells that need no training",
     .inner = &sl_spec_figure_fields},
    {"further", SL_FIELD_MAP, AT(body, further),
     "the same for figures we can compute and the paper does not print; their keys are `<row "
     "key>/<column key>` too",
     .inner = &sl_spec_figure_fields},
    {"absent", SL_FIELD_MAP, AT(body, absent),
     "published cells that nothing here fills, each with the reason", NAMED_WORDS},
    {"show", SL_FIELD_OBJECTS, AT(body, show), "galleries and charts that need no training",
     .inner = &sl_spec_exhibit_fields},
    {"answer", SL_FIELD_OBJECT, AT(body, answer),
     "a question about the label sets, which the report answers in its first line",
     .inner = &question_fields},
    {"names", SL_FIELD_MAP, AT(body, names),
     "rows that claims name and no cell has, each with the number that it is by definition",
     NAMED_NUMBERS},
    {"plot", SL_FIELD_OBJECT, AT(body, plot),
     "draw every column of the table against annotators, their time, or the number of items",
     .inner = &sl_spec_plot_fields},
    {"tune", SL_FIELD_OBJECTS, AT(body, tune), "what the paper tuned", .inner = &tune_fields},
    {"scales", SL_FIELD_MAP, AT(body, scales),
     "`quick`, `small` and `paper`: keys that override the specification", .inner = &scale_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_fields = FIELDS(body, body_rows);

const struct sl_spec_section sl_spec_sections[] = {
    {"The whole", &sl_spec_fields, false},
    {"A label set, in `sets` and `references`", &sl_spec_set_fields, false},
    {"Added images, `extra` of a label set", &extra_fields, false},
    {"A test, in `tests`", &test_fields, false},
    {"How its measures are taken, `settings` of a test", &measuring_fields, false},
    {"The training that others start from, `start`", &start_fields, false},
    {"The table, `table`", &table_fields, false},
    {"A scale, in `scales`, beside all keys of the whole from `missing` to `run_folds`",
     &scale_fields, true},
    {"A grid, in `tune`", &tune_fields, false},
    {"Its validation items, `validation` of a grid", &validation_fields, false},
    {"A figure without training, in `compute` and `further`", &sl_spec_figure_fields, false},
    {"A mean of columns, `mean_of` of a figure", &mean_fields, false},
    {"An exhibit, in `show`", &sl_spec_exhibit_fields, false},
    {"A gallery", &sl_spec_gallery_fields, false},
    {"Its items, where a command names them", &sl_spec_items_fields, false},
    {"A chart", &sl_spec_chart_fields, false},
    {"An axis, `x` and `y` of a chart", &sl_spec_axis_fields, false},
    {"A series of a chart", &sl_spec_series_fields, false},
    {"Where its numbers come from", &sl_spec_source_fields, false},
    {"The plot, `plot`", &sl_spec_plot_fields, false},
    {"The question, `answer`", &question_fields, false},
    {NULL, NULL, false},
};

/* ---- Entries by name ---- */

const struct sl_spec_set *sl_spec_set_find(const struct sl_spec_sets *sets, const char *name)
{
    const size_t place = sl_names_place(sets->names, sets->count, name);
    return place < sets->count ? &sets->items[place] : NULL;
}

const struct sl_spec_file *sl_spec_file_find(const struct sl_spec_body *body, const char *name)
{
    const size_t place = sl_names_place(body->files.names, body->files.count, name);
    return place < body->files.count ? &body->files.items[place] : NULL;
}

const struct sl_spec_scale *sl_spec_scale_find(const struct sl_spec_body *body, const char *name)
{
    const size_t place = sl_names_place(body->scales.names, body->scales.count, name);
    return place < body->scales.count ? &body->scales.items[place] : NULL;
}

const struct sl_spec_figure *sl_spec_figure_find(const struct sl_spec_body *body, const char *cell)
{
    const struct sl_spec_figures *const blocks[] = {&body->compute, &body->further};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const size_t place = sl_names_place(blocks[i]->names, blocks[i]->count, cell);
        if (place < blocks[i]->count) return &blocks[i]->items[place];
    }
    return NULL;
}
