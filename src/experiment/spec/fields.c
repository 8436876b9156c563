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
    "the words of a `softlab` command that makes the labels; null: hard labels; default: follows " \
    "from `answers`, `method` and `options`; if those are given too, both must mean the same"
#define ANSWERS_HELP "a file of answers; default: none, which gives hard labels"
#define METHOD_HELP  "a method of `softlab labels --list`"
#define OPTIONS_HELP "options of that method, without their dashes: `{\"annotators\": 3}`"
#define DRAW_HELP                                                                                  \
    "`mean`: the item's row; `annotator`: one annotator's row, drawn at each presentation; "       \
    "`sample`: a class drawn from the row at each presentation; `each`: every annotator's row as " \
    "an example of its own"

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
    {"only", SL_FIELD_TEXT, AT(set, only),
     "use the set only for the items of this file of `files`"},
    {"rest", SL_FIELD_TEXT, AT(set, rest),
     "the labels of items that the set has no row for: `hard`, a file of `files`, or `none` "
     "(default), which leaves these items out of the training"},
    {"draw", SL_FIELD_TEXT, AT(set, draw), DRAW_HELP, .choices = draws},
    {"harden", SL_FIELD_BOOLEAN, AT(set, harden),
     "true: replace each row by its most probable class"},
    {"count", SL_FIELD_INTEGER, AT(set, count),
     "use only this many items of the set, drawn by seed; like `only` and `harden` it is refused "
     "for hard labels, on which it has no effect",
     AT_LEAST(1)},
    {"labelled", SL_FIELD_INTEGER, AT(set, labelled),
     "how many items of the training data the set has rows for, with `rest` `none`: for the "
     "estimates of --dry-run alone, which otherwise count all items",
     AT_LEAST(1)},
    {"extra", SL_FIELD_OBJECT, AT(set, extra), "images added to the training set, and their labels",
     .inner = &extra_fields},
    {"mixing", SL_FIELD_TEXT, AT(set, mixing),
     "the file of `files` with the class-pair mixing functions that the method uses"},
    {"settings", SL_FIELD_FREE, AT(set, settings),
     "recipe keys (`softlab train --keys`) for this set alone: the method and its parameters"},
    {"as_run", SL_FIELD_FREE, AT(set, as_run),
     "networks to the recipe keys that the authors' code used; they override `settings`, except "
     "with `--as-published`"},
    {"dev_labels", SL_FIELD_TEXT, AT(set, dev_labels),
     "the reference whose labels choose the best epoch; default: hard labels"},
    {"train", SL_FIELD_BOOLEAN, AT(set, train), "false: do not train; score the weights of `start`",
     .fallback = "true"},
    {"seconds", SL_FIELD_NUMBER, AT(set, seconds),
     "annotator seconds per item; default: the times that the papers state for CIFAR-10S and "
     "CIFAR-10H; unknown for other answers",
     .fallback = "nan"},
    {.name = NULL},
};
const struct sl_fields sl_spec_set_fields = FIELDS(set, set_rows);

/* ---- Tests ---- */

static const char *const attack_labels[] = {"hard", NULL};
static const struct sl_field_row measuring_rows[] = {
    {"attack", SL_FIELD_TEXT, AT(measuring, attack),
     "the paper whose FGSM and PGD are used: `collins2022` or `peterson2019`; default: the attacks "
     "`fgsm` and `pgd` of `softlab eval`"},
    {"attack_labels", SL_FIELD_TEXT, AT(measuring, attack_labels),
     "`hard`: attack with hard labels, as the authors' code did, except with `--as-published`; "
     "default: the test's labels",
     .choices = attack_labels},
    {"attack_items", SL_FIELD_INTEGER, AT(measuring, attack_items), "attack only this many items",
     AT_LEAST(1)},
    {"attack_bound", SL_FIELD_ANY, AT(measuring, attack_bound), "a note for the reader"},
    {"calibration", SL_FIELD_ANY, AT(measuring, calibration), "a note for the reader"},
    {"calibration_bin", SL_FIELD_INTEGER, AT(measuring, calibration_bin),
     "items per bin of the calibration error", AT_LEAST(1)},
    {"corruption_severity", SL_FIELD_INTEGER, AT(measuring, corruption_severity),
     "the severity of corruptions, 1 to 5; default: 3", .minimum = 1, .maximum = 5},
    {"corruptions", SL_FIELD_ANY, AT(measuring, corruptions), "a note for the reader"},
    {.name = NULL},
};
static const struct sl_fields measuring_fields = FIELDS(measuring, measuring_rows);

static const struct sl_field_row test_rows[] = {
    {"data", SL_FIELD_TEXT, AT(test, data), "a data set, or a list of data sets that count as one",
     .flags = SL_FIELD_OR_NULL},
    {"data", SL_FIELD_TEXTS, AT(test, joined), NULL},
    {"split", SL_FIELD_TEXT, AT(test, split),
     "which items: a split (below), `holdout` (the items of `holdout`) or `fold` (the run's "
     "held-out fold)",
     .flags = SL_FIELD_OR_NULL},
    {"only", SL_FIELD_TEXT, AT(test, only),
     "`imagenet`: only the images of CINIC-10 that are not from CIFAR-10",
     .flags = SL_FIELD_OR_NULL},
    {"labels", SL_FIELD_TEXT, AT(test, labels),
     "the labels to score against: `hard` (default) or the name of a reference"},
    {"truth", SL_FIELD_TEXT, AT(test, truth),
     "`gold`: measure accuracy against the true classes, not against the most probable classes of "
     "the labels"},
    {"metrics", SL_FIELD_TEXTS, AT(test, metrics),
     "measures of `softlab eval --list`, at least one; default: `accuracy` and `cross_entropy`"},
    {"settings", SL_FIELD_OBJECT, AT(test, settings), "options of the measures (below)",
     .inner = &measuring_fields},
    {"missing", SL_FIELD_TEXT, AT(test, missing), "why the test cannot be scored"},
    {"seed", SL_FIELD_INTEGER, AT(test, seed), "the seed that draws `test_items`", AT_LEAST(0),
     .fallback = "1"},
    {.name = NULL},
};
static const struct sl_fields test_fields = FIELDS(test, test_rows);

/* ---- Designs ---- */

static const struct sl_field_row start_rows[] = {
    {"recipe", SL_FIELD_TEXT, AT(start, recipe), "the recipe of this training"},
    {"data", SL_FIELD_TEXT, AT(start, data), "the training data"},
    {"labels", SL_FIELD_TEXTS, AT(start, labels), "null: hard labels", .flags = SL_FIELD_OR_NULL},
    {"seeds", SL_FIELD_INTEGERS, AT(start, seeds), "the seed: the first of the list", AT_LEAST(0)},
    {"items", SL_FIELD_INTEGER, AT(start, items),
     "train on this many items only, the first of a seeded order", AT_LEAST(1)},
    {"settings", SL_FIELD_FREE, AT(start, settings), "values that override the recipe's keys"},
    {.name = NULL},
};
static const struct sl_fields start_fields = FIELDS(start, start_rows);

/* How images are read, in trainings and tests. */
static const struct sl_field_row image_rows[] = {
    {"size", SL_FIELD_TEXT, AT(design, size),
     "the size to which all images are resized: height and width, as in `32x32`"},
    {"channels", SL_FIELD_INTEGER, AT(design, channels),
     "1: read images as grey; 3: as colour; default: grey images among colour ones are read as "
     "colour",
     .minimum = 1, .maximum = 3, .expected = "1 (grey) or 3 (colour)"},
    {"skip_broken", SL_FIELD_BOOLEAN, AT(design, skip_broken),
     "true: leave out images that cannot be read, and print their number and names; default: such "
     "an image is an error"},
    {.name = NULL},
};
const struct sl_fields sl_spec_image_fields = FIELDS(design, image_rows);

static const struct sl_field_row common_rows[] = {
    {"missing", SL_FIELD_TEXT, AT(design, missing),
     "why it cannot be run as published: a missing method, network or data set, or \"data "
     "differ\""},
    {"references", SL_FIELD_MAP, AT(design, references), "label sets to score against, by name",
     .inner = &sl_spec_set_fields},
    {"networks", SL_FIELD_TEXTS, AT(design, networks), "names of `softlab models`"},
    {"recipe", SL_FIELD_TEXT, AT(design, recipe),
     "a recipe of `softlab train --list`; `{network}` in it stands for the network's name; "
     "default: `quick`"},
    {"settings", SL_FIELD_FREE, AT(design, settings), "values that override the recipe's keys"},
    {"data", SL_FIELD_TEXT, AT(design, data), "the training data"},
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_image_fields},
    {"split", SL_FIELD_TEXT, AT(design, split),
     "the items of `data` to train on: `share:0.8`, a file of indices, or a split of a set, such "
     "as `cifar10s:train`",
     .flags = SL_FIELD_OR_NULL},
    {"holdout", SL_FIELD_TEXT, AT(design, holdout),
     "items to keep out of the training: a file with an item's name on each line, or `collins2022`",
     .flags = SL_FIELD_OR_NULL},
    {"dev", SL_FIELD_TEXT, AT(design, dev), "the data set that chooses the best checkpoint"},
    {"folds", SL_FIELD_INTEGER, AT(design, folds),
     "the number of folds of a cross-validation; each fold is held out once, and a cell averages "
     "over them",
     .flags = SL_FIELD_OR_NULL, AT_LEAST(2)},
    {"start", SL_FIELD_OBJECT, AT(design, start),
     "the training whose weights the others start from", .inner = &start_fields},
    {"seeds", SL_FIELD_INTEGERS, AT(design, seeds),
     "one run of each cell per seed; default: 1, 2 and 3", AT_LEAST(0)},
    {"tests", SL_FIELD_MAP, AT(design, tests), "test sets by name", .inner = &test_fields},
    {"items", SL_FIELD_INTEGER, AT(design, items),
     "train on this many items only, the first of a seeded order", AT_LEAST(1)},
    {"test_items", SL_FIELD_INTEGER, AT(design, test_items), "the same for tests", AT_LEAST(1)},
    {"dev_items", SL_FIELD_INTEGER, AT(design, dev_items), "the same for `dev`", AT_LEAST(1)},
    {"run_folds", SL_FIELD_INTEGERS, AT(design, run_folds), "run only these folds, counted from 0",
     AT_LEAST(0)},
    {.name = NULL},
};
static const struct sl_fields common_fields = FIELDS(design, common_rows);

static const struct sl_field_row design_rows[] = {
    {"", SL_FIELD_GROUP, 0, .inner = &common_fields},
    {"sets", SL_FIELD_MAP, AT(design, sets),
     "label sets to train on, by name; `{}` stands for hard labels", .inner = &sl_spec_set_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_design_fields = FIELDS(design, design_rows);

#define SCALE_SETS "keep only these sets"
static const struct sl_field_row scale_part_rows[] = {
    {"", SL_FIELD_GROUP, AT(scale_part, design), .inner = &common_fields},
    {"sets", SL_FIELD_TEXTS, AT(scale_part, sets), SCALE_SETS},
    {.name = NULL},
};
static const struct sl_fields scale_part_fields = FIELDS(scale_part, scale_part_rows);

static const struct sl_field_row scale_rows[] = {
    {"", SL_FIELD_GROUP, AT(scale, design), .inner = &common_fields},
    {"sets", SL_FIELD_TEXTS, AT(scale, sets), SCALE_SETS},
    {"parts", SL_FIELD_MAP, AT(scale, parts), "changes to parts, by name",
     .inner = &scale_part_fields},
    {"stands_for", SL_FIELD_MAP, AT(scale, stands_for),
     "networks of the scale to the networks of the paper whose rows they fill: `{\"resnet8\": "
     "\"resnet_basic_110\"}`",
     NAMED_WORDS},
    {.name = NULL},
};
static const struct sl_fields scale_fields = FIELDS(scale, scale_rows);

/* ---- The table and tuning ---- */

static const struct sl_field_row table_rows[] = {
    {"rows", SL_FIELD_TEXTS, AT(table, rows), "the coordinates of a row: `part`, `set`, `network`",
     .flags = SL_FIELD_REQUIRED},
    {"columns", SL_FIELD_TEXTS, AT(table, columns), "the columns, each `test/metric`",
     .flags = SL_FIELD_REQUIRED},
    {"pool", SL_FIELD_TEXTS, AT(table, pool), "the coordinates that a cell averages over",
     .flags = SL_FIELD_REQUIRED},
    {"interval", SL_FIELD_TEXT, AT(table, interval),
     "`t95`: mean ± t(.975, n-1) sd / sqrt(n); `sd`: mean ± sd", .flags = SL_FIELD_REQUIRED},
    {"scale", SL_FIELD_MAP, AT(table, scale),
     "by metric, the factor from our unit to the printed one", NAMED_NUMBERS},
    {"cells", SL_FIELD_MAP, AT(table, cells),
     "coordinates and column, joined by bars (below), to a cell of `expected.csv`",
     .flags = SL_FIELD_REQUIRED, NAMED_WORDS},
    {.name = NULL},
};
static const struct sl_fields table_fields = FIELDS(table, table_rows);

static const struct sl_field_row validation_rows[] = {
    {"data", SL_FIELD_TEXT, AT(validation, data), "a data set", .flags = SL_FIELD_REQUIRED},
    {"count", SL_FIELD_INTEGER, AT(validation, count), "the number of validation items",
     .flags = SL_FIELD_REQUIRED, AT_LEAST(1)},
    {"seed", SL_FIELD_INTEGER, AT(validation, seed), "the seed that draws them", AT_LEAST(0),
     .fallback = "1"},
    {.name = NULL},
};
static const struct sl_fields validation_fields = FIELDS(validation, validation_rows);

static const char *const validations[] = {"fold", NULL};
static const struct sl_field_row tune_rows[] = {
    {"parameter", SL_FIELD_TEXT, AT(tune, parameter),
     "what is tuned: `lr`, `beta`, `gamma`, or a recipe key", .flags = SL_FIELD_REQUIRED},
    {"grid", SL_FIELD_NUMBERS, AT(tune, grid), "the values to try", .flags = SL_FIELD_REQUIRED},
    {"selected", SL_FIELD_ANY, AT(tune, selected),
     "the value that the paper chose; null: not printed; `as_run`: the sets have it under "
     "`as_run`"},
    {"validation", SL_FIELD_TEXT, AT(tune, fold),
     "`fold`: the held-out fold; or an object: items of a data set", .flags = SL_FIELD_REQUIRED,
     .choices = validations},
    {"validation", SL_FIELD_OBJECT, AT(tune, set), NULL, .inner = &validation_fields},
    {"metric", SL_FIELD_TEXT, AT(tune, metric), "the measure that chooses the best value",
     .flags = SL_FIELD_REQUIRED},
    {"seeds", SL_FIELD_INTEGERS, AT(tune, seeds), "one run of each value per seed",
     .flags = SL_FIELD_REQUIRED, AT_LEAST(0)},
    {"sets", SL_FIELD_TEXTS, AT(tune, sets),
     "the sets to search, each by itself; default: search the first set and use its value for all"},
    {"networks", SL_FIELD_TEXTS, AT(tune, networks),
     "the networks to search, each by itself; default: all"},
    {"assumed", SL_FIELD_TEXTS, AT(tune, assumed), "what the paper does not say about this grid"},
    {.name = NULL},
};
static const struct sl_fields tune_fields = FIELDS(tune, tune_rows);

/* ---- Figures without training ---- */

static const struct sl_field_row mean_rows[] = {
    {"files", SL_FIELD_TEXTS, AT(mean, files),
     "CSV files; the rows of each file are averaged, then the files", .flags = SL_FIELD_REQUIRED},
    {"columns", SL_FIELD_FREE, AT(mean, columns), "column names to weights",
     .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
static const struct sl_fields mean_fields = FIELDS(mean, mean_rows);

/* How a figure is read from a command's JSON. */
static const struct sl_field_row reading_rows[] = {
    {"path", SL_FIELD_TEXT, AT(figure, path),
     "where the figure is in the JSON (below); the figures of a list of paths are summed"},
    {"path", SL_FIELD_TEXTS, AT(figure, paths), NULL},
    {"as", SL_FIELD_TEXT, AT(figure, as),
     "how the two `cells` are combined: `difference` (first minus second) or `reduction` (1 - "
     "second / first); fold by fold if both have folds"},
    {"times", SL_FIELD_NUMBER, AT(figure, times), "the factor to the printed unit",
     .fallback = "1"},
    {"divide", SL_FIELD_NUMBER, AT(figure, divide), "a divisor to the printed unit",
     .fallback = "1"},
    {.name = NULL},
};
const struct sl_fields sl_spec_reading_fields = FIELDS(figure, reading_rows);

static const struct sl_field_row figure_rows[] = {
    {"command", SL_FIELD_TEXTS, AT(figure, command),
     "words of a `softlab` command that prints JSON"},
    {"file", SL_FIELD_TEXT, AT(figure, file), "or a JSON file of `files`"},
    {"", SL_FIELD_GROUP, 0, .inner = &sl_spec_reading_fields},
    {"mean_of", SL_FIELD_OBJECT, AT(figure, mean_of), "or a mean of columns of CSV files",
     .inner = &mean_fields},
    {"cells", SL_FIELD_TEXTS, AT(figure, cells), "or two other cells of `compute` and `further`"},
    {"here", SL_FIELD_ANY, AT(figure, here),
     "what the command gives from the released data; `tools/check-experiments` verifies it"},
    {"missing", SL_FIELD_TEXT, AT(figure, missing),
     "why it cannot be computed: a command that softlab does not have"},
    {.name = NULL},
};
const struct sl_fields sl_spec_figure_fields = FIELDS(figure, figure_rows);

/* ---- The question ---- */

static const struct sl_field_row question_rows[] = {
    {"reference", SL_FIELD_TEXT, AT(question, reference),
     "the reference that holds the true distributions", .flags = SL_FIELD_REQUIRED},
    {"against", SL_FIELD_TEXT, AT(question, against),
     "the baseline: the set with which all others are compared", .flags = SL_FIELD_REQUIRED},
    {"distance", SL_FIELD_TEXT, AT(question, distance),
     "the distance from the reference: `labels/` and a distance of `softlab compare`",
     .flags = SL_FIELD_REQUIRED},
    {"model", SL_FIELD_TEXT, AT(question, model),
     "the measure of the trained network: `test/metric`", .flags = SL_FIELD_REQUIRED},
    {.name = NULL},
};
static const struct sl_fields question_fields = FIELDS(question, question_rows);

/* ---- The specification ---- */

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
    {"name", SL_FIELD_TEXT, AT(body, name), "the name of its runs; for a paper's table, its folder",
     .flags = SL_FIELD_REQUIRED},
    {"title", SL_FIELD_TEXT, AT(body, title), "the title of the report; default: the name"},
    {"source", SL_FIELD_TEXT, AT(body, source), "the table or figure in the paper"},
    {"people", SL_FIELD_TEXT, AT(body, people),
     "who gave the answers: `simulated` or `real`; the report says so next to its first line",
     .choices = people},
    {"notes", SL_FIELD_TEXTS, AT(body, notes), "notes for readers of the report"},
    {"needs", SL_FIELD_TEXTS, AT(body, needs),
     "`train` if networks are trained, `labels` if figures are computed from published data, or "
     "both; default: follows from the other keys"},
    {"files", SL_FIELD_MAP, AT(body, files),
     "files to make first: names to words of a `softlab` command, to which `--output` is added",
     .inner = &file_fields},
    {"", SL_FIELD_GROUP, AT(body, design), .inner = &sl_spec_design_fields},
    {"table", SL_FIELD_OBJECT, AT(body, table),
     "the table of the report; default: a row per set and a column per measure",
     .inner = &table_fields},
    {"parts", SL_FIELD_MAP, AT(body, parts),
     "sub-experiments by name; their keys override those of the whole, and `part` becomes a "
     "coordinate of rows",
     .inner = &sl_spec_design_fields},
    {"compute", SL_FIELD_MAP, AT(body, compute), "published cells that need no training",
     .inner = &sl_spec_figure_fields},
    {"further", SL_FIELD_MAP, AT(body, further),
     "figures that the paper does not print, computed like those of `compute`; their keys are "
     "`<row key>/<column key>` too",
     .inner = &sl_spec_figure_fields},
    {"absent", SL_FIELD_MAP, AT(body, absent),
     "published cells that cannot be filled, each with the reason", NAMED_WORDS},
    {"show", SL_FIELD_OBJECTS, AT(body, show), "galleries and charts that need no training",
     .inner = &sl_spec_exhibit_fields},
    {"answer", SL_FIELD_OBJECT, AT(body, answer),
     "a question about the label sets, which the report answers in its first line",
     .inner = &question_fields},
    {"names", SL_FIELD_MAP, AT(body, names),
     "rows of claims that no cell has, each with its value by definition", NAMED_NUMBERS},
    {"plot", SL_FIELD_OBJECT, AT(body, plot),
     "draw every column of the table against annotators, their time, or the number of items",
     .inner = &sl_spec_plot_fields},
    {"tune", SL_FIELD_OBJECTS, AT(body, tune), "the grids that the paper searched",
     .inner = &tune_fields},
    {"scales", SL_FIELD_MAP, AT(body, scales),
     "`quick`, `small` and `paper`: keys that override the specification", .inner = &scale_fields},
    {.name = NULL},
};
const struct sl_fields sl_spec_fields = FIELDS(body, body_rows);

const struct sl_spec_section sl_spec_sections[] = {
    {"The specification", &sl_spec_fields, false},
    {"A label set, in `sets` and `references`", &sl_spec_set_fields, false},
    {"Added images, `extra` of a label set", &extra_fields, false},
    {"A test, in `tests`", &test_fields, false},
    {"Options of the measures, `settings` of a test", &measuring_fields, false},
    {"The training that others start from, `start`", &start_fields, false},
    {"The table, `table`", &table_fields, false},
    {"A scale, in `scales`; it may also have all keys of the specification from `missing` to "
     "`run_folds`",
     &scale_fields, true},
    {"A grid, in `tune`", &tune_fields, false},
    {"Validation items, `validation` of a grid", &validation_fields, false},
    {"A figure without training, in `compute` and `further`", &sl_spec_figure_fields, false},
    {"A mean of columns, `mean_of` of a figure", &mean_fields, false},
    {"An exhibit, in `show`", &sl_spec_exhibit_fields, false},
    {"A gallery", &sl_spec_gallery_fields, false},
    {"Items of a gallery from a command, `items`", &sl_spec_items_fields, false},
    {"A chart", &sl_spec_chart_fields, false},
    {"An axis, `x` and `y` of a chart", &sl_spec_axis_fields, false},
    {"A series of a chart", &sl_spec_series_fields, false},
    {"Numbers of a series from cells, a command or a file", &sl_spec_source_fields, false},
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
