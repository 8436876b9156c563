#include <stdlib.h>

#include "cmd.h"
#include "softlab/dataset/summary.h"

struct dataset_values {
    bool list;
    bool json;
    const char *preview;
    const char *split;
    const char *truth;
    int64_t rows;
    int64_t columns;
    int64_t seed;
    struct sl_load_options images;
};

enum { OPENS = 1, LISTS = 2 };

static void dataset_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct dataset_values *options = values;
    *out = options->list ? (struct sl_option_mode){LISTS, .name = "--list", .alone = true}
                         : (struct sl_option_mode){OPENS, .name = "a data set"};
}

static const char *const dataset_samples[] = {"--list", "shapes", NULL};

#define AT(field) .offset = offsetof(struct dataset_values, field)
static const struct sl_field_row dataset_options[] = {
    {"preview", SL_FIELD_OUTPUT, AT(preview), "write a contact sheet, a row per class",
     .letter = 'p', .value = "FILE.png", .suffixes = ".png", .prints = "", .modes = OPENS},
    {"rows", SL_FIELD_INTEGER, AT(rows), "rows of the sheet", .fallback = "10", .minimum = 1,
     .maximum = 200, .modes = OPENS, .needs = "preview"},
    {"columns", SL_FIELD_INTEGER, AT(columns), "images per row of the sheet", .fallback = "12",
     .minimum = 1, .maximum = 200, .modes = OPENS, .needs = "preview"},
    {"seed", SL_FIELD_INTEGER, AT(seed), "seed of the choice of images", .fallback = "1",
     .minimum = 0, .maximum = 9e15, .modes = OPENS, .needs = "preview"},
    {"split", SL_FIELD_PATH, AT(split), "use only these items: an index file", .value = "FILE.npy",
     .modes = OPENS},
    SL_OPTION_SKIP_BROKEN(struct dataset_values, OPENS),
    {"truth", SL_FIELD_OUTPUT, AT(truth),
     "write the true distributions, where they are known: .npz, .npy, .csv or .json",
     .suffixes = ".csv .npz .npy .json", .prints = "", .modes = OPENS},
    {"json", SL_FIELD_BOOLEAN, AT(json), "the summary, or with --list the sets, as JSON"},
    {"list", SL_FIELD_BOOLEAN, AT(list), "print the built-in data sets", .letter = 'l'},
    {.name = NULL},
};
#undef AT

static const struct cli_argument dataset_arguments[] = {
    {.name = "NAME",
     .help =
         "a set from --list, with its split or options after a colon (cifar10:test, "
         "shapes:n=500,seed=3); or a path: a folder of images (photos/, photos:val), .npy, .npz, "
         "IDX, .tsv",
     .kind = SL_FIELD_SOURCE,
     .choices = sl_dataset_names,
     .optional = true},
    {.name = NULL},
};

static const char *kind_of(const struct sl_dataset *set)
{
    static const char *const kinds[] = {
        [SL_DATASET_IMAGES] = "image", [SL_DATASET_TEXTS] = "text", [SL_DATASET_FEATURES] = "row"};
    return kinds[sl_dataset_kind_of(set)];
}

/* "8 pixels", or "8 to 12 pixels". */
static void describe_side(size_t smallest, size_t largest, const char *which, struct sl_buffer *out)
{
    sl_buffer_printf(out, "%zu", smallest);
    if (largest != smallest) sl_buffer_printf(out, " to %zu", largest);
    sl_buffer_printf(out, " %s", which);
}

static void describe_sizes(const struct sl_dataset_summary *summary, struct sl_buffer *out)
{
    const size_t *small = summary->smallest, *large = summary->largest;
    if (small[0] == large[0] && small[1] == large[1]) {
        sl_buffer_printf(out, " of %zu x %zu", small[1], small[0]);
        if (small[0] != small[1]) sl_buffer_text(out, " (width x height)");
        return;
    }
    sl_buffer_text(out, ", ");
    describe_side(small[1], large[1], "pixels wide and ", out);
    describe_side(small[0], large[0], "high", out);
}

static void describe_items(const struct sl_dataset *set, const struct sl_dataset_summary *summary,
                           struct sl_buffer *out)
{
    char count[32];
    sl_buffer_printf(out, "%s %s%s", sl_text_count(set->count, count, sizeof count), kind_of(set),
                     sl_text_plural(set->count, "", "s"));
    if (set->features)
        sl_buffer_printf(out, " of %zu feature%s", set->n_features,
                         sl_text_plural(set->n_features, "", "s"));
    if (set->spans) sl_buffer_text(out, ", with the part that is asked about");
    if (set->texts || summary->n_sizes_seen == 0) return;
    describe_sizes(summary, out);
    if (set->pixels) sl_buffer_text(out, set->channels == 3 ? ", colour" : ", grey");
    if (set->files && summary->n_sizes_seen < set->count)
        sl_buffer_printf(out, ", by the %zu looked at", summary->n_sizes_seen);
}

static void print_summary(const struct sl_dataset *set, const struct sl_dataset_summary *summary)
{
    struct sl_buffer items;
    sl_buffer_init(&items, 512);
    describe_items(set, summary, &items);
    char number[32];
    printf("%s: %s\n", set->name, items.data);
    sl_buffer_release(&items);
    printf("%zu class%s, %s item%s labelled\n", set->n_classes,
           sl_text_plural(set->n_classes, "", "es"),
           sl_text_count(summary->n_labelled, number, sizeof number),
           sl_text_plural(summary->n_labelled, "", "s"));
    if (set->truth)
        printf("true distributions known, mean entropy %.3f nats\n", summary->mean_entropy);
    if (set->n_classes == 0) return;
    struct cli_table table;
    cli_table_begin(&table, "rlrr", "", "class", "items", "share");
    for (size_t k = 0; k < set->n_classes; k++) {
        const double share = (double)summary->per_class[k] / (double)(set->count ? set->count : 1);
        cli_table_add(&table, cli_cell(&table, "%zu", k), set->classes[k],
                      cli_count(&table, summary->per_class[k]),
                      cli_real(&table, 100 * share, 1, " %"));
    }
    cli_table_end(&table);
}

static enum sl_status print_one(const struct cli *cli, const struct sl_dataset *set, bool json,
                                struct sl_error *err)
{
    struct sl_dataset_summary summary;
    enum sl_status status = SL_OK;
    SL_TRY(sl_dataset_summarise(set, &summary, err));
    if (json) {
        json_t *value = sl_dataset_summary_json(set, &summary);
        json_object_set_new(value, "provenance", cli_provenance(cli));
        status = cli_print_json(value, err);
    } else {
        print_summary(set, &summary);
    }
    sl_dataset_summary_release(&summary);
    return status;
}

static enum sl_status write_preview(const struct cli *cli, const struct sl_dataset *set,
                                    const struct dataset_values *options, struct sl_error *err)
{
    struct sl_image sheet;
    SL_TRY(sl_contact_sheet(set, (size_t)options->rows, (size_t)options->columns,
                            (uint64_t)options->seed, &sheet, err));
    json_t *provenance = cli_provenance(cli);
    char *note = json_dumps(provenance, JSON_COMPACT | JSON_ENSURE_ASCII);
    enum sl_status status = sl_image_write_png(&sheet, note, options->preview, err);
    free(note);
    json_decref(provenance);
    sl_image_release(&sheet);
    return status;
}

static enum sl_status write_truth(const struct sl_dataset *set, const char *path,
                                  struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_dataset_truth_rows(set, &rows, err));
    enum sl_status status = sl_rows_write(rows, "labels", path, err);
    sl_rows_destroy(rows);
    return status;
}

static enum sl_status list_sets(bool json, struct sl_error *err)
{
    if (json) {
        json_t *sets = json_array();
        for (const struct sl_named_dataset *s = sl_named_datasets; s->name; s++)
            json_array_append_new(sets, json_pack("{s:s, s:s, s:s?}", "name", s->name, "summary",
                                                  s->summary, "splits", s->splits));
        return cli_print_json(sets, err);
    }
    struct cli_table table;
    cli_table_begin(&table, "lll", "name", "splits", "what");
    for (const struct sl_named_dataset *s = sl_named_datasets; s->name; s++)
        cli_table_add(&table, s->name, s->splits ? s->splits : "", s->summary);
    cli_table_end(&table);
    return SL_OK;
}

static enum sl_status run_dataset(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct dataset_values *options = values;
    if (options->list) return list_sets(options->json, err);
    if (cli->n_arguments == 0)
        return sl_fail(err, SL_ERR_USAGE, "NAME is missing, see softlab dataset --list");
    struct sl_dataset *set = NULL;
    SL_TRY(sl_workplace_open_split(&cli->workplace, cli->arguments[0], options->split, &set, err));
    enum sl_status status = sl_load_options_check(&options->images, set, err);
    if (status == SL_OK && options->images.skip_broken) status = sl_dataset_skip_broken(set, err);
    sl_dataset_tell(set, &cli->log);
    if (status == SL_OK && options->preview) status = write_preview(cli, set, options, err);
    if (status == SL_OK && options->truth) status = write_truth(set, options->truth, err);
    if (status == SL_OK) status = print_one(cli, set, options->json, err);
    sl_dataset_destroy(set);
    return status;
}

static const struct cli_example dataset_examples[] = {
    {"softlab dataset shapes --preview shapes.png", "look at the embedded set"},
    {"softlab dataset cifar10:test", "how many images of which class"},
    {"softlab dataset shapes:n=500,seed=3 --truth truth.csv",
     "what simulated people are to believe, and labels are to come near"},
    {"softlab dataset photos/ --preview photos.png", "a folder of images of one's own"},
    {NULL, NULL},
};

const struct cli_command cmd_dataset = {
    .name = "dataset",
    .also = "data inspect preview show info split",
    .group = "data",
    .summary = "summary and preview of a data set",
    .description = "Opens a data set and prints how many items and classes it has. The contact "
                   "sheet carries the command that made it in its PNG description.",
    .arguments = dataset_arguments,
    .options = dataset_options,
    .examples = dataset_examples,
    .values_size = sizeof(struct dataset_values),
    .mode = dataset_mode,
    .samples = dataset_samples,
    .run = run_dataset,
};
