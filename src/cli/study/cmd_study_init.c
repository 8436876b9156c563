#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/study.h"

static const char *recruiter_names(size_t index)
{
    static const char *const names[] = {"open", "prolific", "generic"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *assignment_names(size_t index)
{
    static const char *const names[] = {"fixed", "adaptive"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

struct init_values {
    struct sl_study_setup setup;
    bool list;
};

enum { DRAWN = 1, WRITTEN = 2, LISTS = 4 };

/* Whether a file says which items are seen together. */
static void init_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct init_values *asked = values;
    const struct sl_study_setup *options = &asked->setup;
    char *beside = options->mixtures ? sl_path_join(options->mixtures, "batches.json") : NULL;
    const bool found = !options->reference && beside && sl_file_exists(beside);
    *out = asked->list        ? (struct sl_option_mode){LISTS, .name = "--list", .alone = true}
           : options->batches ? (struct sl_option_mode){WRITTEN, .name = "--batches"}
           : found ? (struct sl_option_mode){WRITTEN, .name = "mixtures that have a batches.json"}
                   : (struct sl_option_mode){DRAWN, .name = "batches that are drawn"};
    free(beside);
}

static const char *const init_samples[] = {"--list", "study --images photos",
                                           "study --images photos --batches b.json", NULL};

#define AT(field) .offset = offsetof(struct init_values, setup.field)

static const struct sl_field_row init_options[] = {
    {"images", SL_FIELD_FOLDER, AT(images),
     "the images to ask about: a folder, whose sub-folders are the classes, or a data set as in "
     "softlab dataset"},
    {"texts", SL_FIELD_PATH, AT(texts),
     "the texts to ask about: a table with the column text and, if known, item, label, start and "
     "end",
     .value = "FILE.tsv"},
    {"mixtures", SL_FIELD_FOLDER, AT(mixtures),
     "the mixed images to ask about, as softlab dataset mix writes them"},
    {"classes", SL_FIELD_WORD, AT(classes),
     "the classes that annotators choose from (default: the items' own)", .value = "A,B,..."},
    {"screen", SL_FIELD_WORD, AT(screens),
     "the screen that asks, see --list; with several, each annotator gets one at random",
     .letter = 's', .value = "NAME,...", .fallback = "collins+", .names = cli_screen_names},
    {"recruiter", SL_FIELD_CHOICE, AT(recruiter), "where annotators come from", .value = "NAME",
     .fallback = "open", .names = recruiter_names},
    {"batch", SL_FIELD_COUNT, AT(batch_size), "items that each annotator sees", .fallback = "25",
     .minimum = 1, .maximum = 10000, .modes = DRAWN},
    {"annotators", SL_FIELD_COUNT, AT(annotators), "annotators per batch", .fallback = "6",
     .minimum = 1, .maximum = 1e6},
    {"assignment", SL_FIELD_CHOICE, AT(assignment),
     "fixed batches, or items that the server chooses for each annotator on arrival: those that "
     "one more answer helps most",
     .value = "NAME", .fallback = "fixed", .names = assignment_names},
    {"batches", SL_FIELD_PATH, AT(batches),
     "which items form a batch, in the layout published with CIFAR-10S"},
    {"checks", SL_FIELD_FOLDER, AT(checks),
     "attention checks: obvious images, one sub-folder per class, shown between the items"},
    {"contact", SL_FIELD_WORD, AT(contact),
     "who asks and how to reach them, for the consent page, e.g. \"Ada Lovelace, "
     "University of X, ada@x.org\"; without it the page has a placeholder, and the study "
     "can only be rehearsed until you fill it in",
     .value = "TEXT"},
    {"training", SL_FIELD_SOURCE, AT(training),
     "exercises with feedback before the trials: images in a sub-folder per class, or for "
     "texts a .tsv with labels",
     .value = "DATA"},
    {"skip-broken", SL_FIELD_BOOLEAN, AT(skip_broken),
     "leave out images that cannot be read, and list them"},
    {"reference", SL_FIELD_PATH, AT(reference),
     "labels whose entropy in nats decides which items are shown, see --high and --low"},
    {"high", SL_FIELD_NUMBER, AT(high), "batches are filled with items of at least this entropy",
     .value = "H", .fallback = ".25", .minimum = 0, .maximum = 100, .needs = "reference"},
    {"low", SL_FIELD_NUMBER, AT(low), "items of at most this entropy are added to the batches",
     .value = "H", .fallback = ".1", .minimum = 0, .maximum = 100, .needs = "reference"},
    {"low-per-batch", SL_FIELD_COUNT, AT(low_per_batch), "low-entropy items in every batch",
     .fallback = "3", .minimum = 0, .maximum = 10000, .needs = "reference"},
    {"seed", SL_FIELD_INTEGER, AT(seed), "seed of the random batches", .fallback = "1",
     .minimum = 0, .maximum = 9e15, .modes = DRAWN},
    {"list", SL_FIELD_BOOLEAN, .offset = offsetof(struct init_values, list),
     "print the screens, with the median time of a trial", .letter = 'l'},
    {.name = NULL},
};
#undef AT

static const struct cli_argument init_arguments[] = {
    {.name = "FOLDER", .help = "the folder to make", .kind = SL_FIELD_FOLDER, .optional = true},
    {.name = NULL},
};

static void say_next(const struct sl_study_setup *setup)
{
    const char *folder = setup->folder;
    printf("%s is a study now. What to do next:\n"
           "  read and change %s/consent.md, instructions.md, debrief.md and study.json\n"
           "  softlab study check %s       says what is still to be done, and the links to send\n"
           "  softlab study password %s    so that you can see how it goes\n",
           folder, folder, folder, folder);
    if (setup->contact)
        printf("  softlab study serve %s       and open the test link it prints\n", folder);
    else
        printf("  softlab study serve %s --rehearse    and open the test link it prints\n"
               "Others can come once %s/consent.md says who you are, and without --rehearse.\n",
               folder, folder);
}

static void list_screens(void)
{
    struct cli_table table;
    cli_table_begin(&table, "lrl", "screen", "seconds", "what annotators are asked for");
    for (const struct sl_screen *screen = sl_screens; screen->name; screen++) {
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%g", screen->seconds);
        cli_table_add(&table, screen->name, seconds, screen->summary);
    }
    cli_table_end(&table);
}

static enum sl_status run_init(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct init_values *asked = values;
    if (asked->list) {
        list_screens();
        return SL_OK;
    }
    if (cli->n_arguments == 0)
        return sl_fail(err, SL_ERR_USAGE, "which folder? Give the name of the FOLDER to make");
    struct sl_study_setup setup = asked->setup;
    setup.folder = cli->arguments[0];
    setup.roots = &cli->workplace.roots;
    if (setup.skip_broken && !setup.images)
        return sl_fail(err, SL_ERR_USAGE, "--skip-broken is for --images");
    SL_TRY(sl_study_init(&setup, &cli->log, err));
    say_next(&setup);
    return SL_OK;
}

static const struct cli_example init_examples[] = {
    {"softlab study init birds --images photos/ --contact \"Ada Lovelace, University of X, "
     "ada@x.org\"",
     "a folder of images, a sub-folder per class"},
    {"softlab study init both --images shapes:n=100 --screen collins+,bars",
     "two ways to ask, to compare them"},
    {"softlab study init --list", "the ways to ask, and how long each takes"},
    {"softlab study init mixed --mixtures mixed/ --screen mix", "how much of either is in it?"},
    {NULL, NULL},
};

const struct cli_command cmd_study_init = {
    .name = "study init",
    .also = "create new make",
    .group = "studies",
    .summary = "make a study from a folder of images or a file of texts",
    .description =
        "Makes a folder with study.json, which lists every setting, the texts that people read, a "
        "copy of the items, and the database. Items are put into batches at random, by the entropy "
        "of labels (--reference), or as a file lists them (--batches).",
    .arguments = init_arguments,
    .options = init_options,
    .examples = init_examples,
    .values_size = sizeof(struct init_values),
    .mode = init_mode,
    .samples = init_samples,
    .run = run_init,
};
