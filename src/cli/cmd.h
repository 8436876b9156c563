/* The commands; each is defined in its cmd_<name>.c and listed in commands.c. */
#ifndef SOFTLAB_CLI_CMD_H
#define SOFTLAB_CLI_CMD_H

#include "cli.h"
#include "softlab/feed.h"
#include "softlab/label.h"
#include "softlab/nn.h"

/* Shared by the commands that open data sets (cmd_dataset.c): the names to complete; opening, with
 * what the reader left out or changed said; and the same with the items of an index file chosen. */
const char *cli_dataset_names(size_t index);
enum sl_status cli_open_set(const struct cli *cli, const char *name, struct sl_dataset **out,
                            struct sl_error *err);
enum sl_status cli_open_dataset(const struct cli *cli, const char *name, const char *split,
                                struct sl_dataset **out, struct sl_error *err);

/* SL_ERR_USAGE where a folder of parts (train, val) was named without one: which part is evaluated
 * is not to be guessed, and the training part would flatter. */
enum sl_status cli_check_part(const struct sl_dataset *dataset, struct sl_error *err);

/* How images are brought into memory (images.c): what every command that loads them can be told. */
struct cli_images {
    const char *size;     /* "32x32", or NULL: as they are */
    const char *channels; /* "1" or "3", or NULL: as they are */
    bool skip_broken;
    bool colour; /* no option: read grey images as colour unless `channels` says otherwise */
};
const char *cli_channel_names(size_t index);
/* Rows of an option table, for a struct cli_images called `images` among the command's values, and
 * for these modes (0: all). */
#define CLI_SKIP_BROKEN(type, bits)                                                                \
    {                                                                                              \
        .name = "skip-broken", .kind = CLI_FLAG,                                                   \
        .help = "leave out images that cannot be read, and name them",                             \
        .offset = offsetof(type, images.skip_broken), .modes = (bits)                              \
    }
#define CLI_CHANNELS(type, bits)                                                                   \
    {                                                                                              \
        .name = "channels", .kind = CLI_CHOICE, .value = "1|3",                                    \
        .help = "read images as grey (1) or colour (3); without it grey ones among colour ones "   \
                "are read as colour",                                                              \
        .offset = offsetof(type, images.channels), .choices = cli_channel_names, .modes = (bits)   \
    }
/* SL_ERR_USAGE where an option was given that the set has no use for. */
enum sl_status cli_images_check(const struct cli_images *images, const struct sl_dataset *dataset,
                                struct sl_error *err);
/* Bring a set's images into memory; which could not be read into *skipped unless it is NULL. */
enum sl_status cli_images_load(const struct cli *cli, const struct cli_images *images,
                               struct sl_dataset *dataset, struct sl_skipped *skipped,
                               struct sl_error *err);

/* Shared by the commands about answers and labels (inputs.c). */
struct cli_names {
    const struct sl_name_table *items, *annotators; /* borrowed */
    char *const *classes;                           /* borrowed; n_classes */
    size_t n_classes;
    const char *owner; /* borrowed; a file or "the answers" */
    bool numbered;     /* `classes` are the numbers of columns that have no names */
};
struct cli_names cli_names_of(const struct sl_answers *answers);
/* Answers in any file that holds them (answers.c). A command that reads some embeds the words and
 * lists the options. */
struct cli_answer_words {
    const char *columns;
    struct cli_texts abstain, leave_out;
};
/* `words` is the offset of struct cli_answer_words in the command's values; `of_columns` are the
 * modes in which a table may be read, `of_classes` those in which answers are. */
#define CLI_ANSWER_OPTIONS(words, of_columns, of_classes)                                          \
    {.name = "columns",                                                                            \
     .kind = CLI_TEXT,                                                                             \
     .value = "A,B,C",                                                                             \
     .help = "of CSV: the columns that hold item, worker and label, or pairs such as "             \
             "item=task,p=share of item, worker, label, p, ms, confidence and truth",              \
     .offset = (words) + offsetof(struct cli_answer_words, columns),                               \
     .modes = (of_columns)},                                                                       \
        {.name = "abstain",                                                                        \
         .kind = CLI_TEXTS,                                                                        \
         .value = "CLASS,...",                                                                     \
         .help = "classes that mean no answer, such as skip: answers that choose one are left "    \
                 "out and counted",                                                                \
         .offset = (words) + offsetof(struct cli_answer_words, abstain),                           \
         .modes = (of_classes)},                                                                   \
    {                                                                                              \
        .name = "leave-out", .kind = CLI_TEXTS, .value = "CLASS,...",                              \
        .help = "classes to take out: their votes are left out and counted, distributions are "    \
                "scaled to the other classes",                                                     \
        .offset = (words) + offsetof(struct cli_answer_words, leave_out), .modes = (of_classes)    \
    }
struct cli_answer_input {
    struct sl_import_notes notes;
    struct sl_import_options options;
    char **abstain, **leave_out; /* owned */
};
/* The options stay valid as long as the struct stays where it is. */
void cli_answer_input_init(struct cli_answer_input *input, struct cli *cli,
                           const struct cli_answer_words *words);
void cli_answer_input_release(struct cli_answer_input *input);
/* Say what was left out or scaled. */
void cli_answer_input_say(const struct cli *cli, const struct sl_import_notes *notes);
enum sl_status cli_read_answers(struct cli *cli, const char *path,
                                const struct cli_answer_words *words, struct sl_answers **out,
                                struct sl_error *err);
/* --as-released: which flags of answers are no reason to leave them out, into *keep. SL_ERR_USAGE
 * where it was asked for and changes nothing. */
enum sl_status cli_as_released(const char *path, const struct sl_answers *answers, bool asked,
                               unsigned *keep, struct sl_error *err);

/* A class per item, -1 where the file says nothing: from a label file (the largest), a CSV with
 * columns like item and truth, or a text file with a class per line. Says of how many items it
 * is where not of all. The caller frees it. */
enum sl_status cli_read_truth(const struct cli *cli, const char *path,
                              const struct cli_names *names, int32_t **out, struct sl_error *err);
/* The same without a word about how many, counting items of the file that are not among the names
 * (NULL = nobody asks). */
struct cli_strangers {
    size_t count;
    char first[64];
};
enum sl_status cli_read_truth_of(const struct cli *cli, const char *path,
                                 const struct cli_names *names, struct cli_strangers *strangers,
                                 int32_t **out, struct sl_error *err);
/* How a file's `n_rows` lines or rows without names ("lines") belong to the items; an error with
 * both counts where that is unclear. */
enum sl_status cli_match_rows(const char *path, const char *what, size_t n_rows,
                              const struct sl_name_table *items, enum sl_row_matching *out,
                              struct sl_error *err);
/* The item of a row without a name, SL_NO_NAME if it has none. */
uint32_t cli_row_place(const struct sl_name_table *items, enum sl_row_matching matching,
                       size_t row);
/* Rows of a file; where `like` is not NULL one per item, with the columns in its order. */
enum sl_status cli_read_labels(const struct cli *cli, const char *path, const char *array,
                               const struct cli_names *like, struct sl_rows **out,
                               struct sl_error *err);
/* Say how many of a file's rows were scaled, if any. */
void cli_say_rescaled(const struct cli *cli, const char *path, const struct sl_rows *rows);
/* Say how many items have several most probable classes, if any, and which of them counts;
 * `classes` is NULL where they have no names. */
void cli_say_ties(const struct cli *cli, const char *what, size_t n_tied, size_t n_items,
                  char *const *classes);
/* Predictions, and what they are: in an .npz the array logits, or else probs, or else labels (an
 * ensemble is written as labels); other files tell by their rows. */
enum sl_status cli_read_predictions(const char *path, struct sl_rows **out,
                                    enum sl_prediction_kind *kind, struct sl_error *err);
enum sl_status cli_npz_has(const char *path, const char *array, bool *out, struct sl_error *err);
/* The lines of a text file, without empty ones; NULL-ended, for sl_names_destroy. */
enum sl_status cli_read_lines(const char *path, char ***out, struct sl_error *err);
/* The items that a text file lists, one per line; *out stays NULL where `path` is. Says how many of
 * them have no answer, and fails where none has one. */
enum sl_status cli_read_only(const struct cli *cli, const char *path,
                             const struct sl_answers *answers, struct sl_name_table **out,
                             struct sl_error *err);
/* The array classes of an .npz, NULL-ended, for sl_names_destroy; *out stays NULL if there is
 * none. */
enum sl_status cli_read_class_names(const char *path, char ***out, size_t *count,
                                    struct sl_error *err);
const char *cli_kind_name(enum sl_prediction_kind kind); /* "logits" or "probabilities" */
/* Cosines of the classes' word vectors, (n_classes, n_classes); the caller frees them. */
enum sl_status cli_read_similarity(const char *path, const char *const *classes, size_t n_classes,
                                   float **out, struct sl_error *err);
/* The mean of classifiers' predictions, one file each, logits or probabilities; classes are matched
 * by name. */
enum sl_status cli_read_ensemble(const struct cli *cli, char *const *paths, size_t count,
                                 double temperature, struct sl_rows **out, struct sl_error *err);
/* What a row is about: its item's name, borrowed, or in a set without names its number, written
 * into `out`. */
const char *cli_row_item(const struct sl_rows *rows, size_t row, char *out, size_t size);
enum sl_status cli_write_answers(const struct sl_answers *answers, const char *path,
                                 struct sl_error *err);
/* Shared by the commands about studies (study_links.c): the address of a study without the slash at
 * its end, since paths begin with one, on the heap; and the links of sl_study_links_json with what
 * to do with them and the completion codes. */
enum sl_status cli_take_url(const char *url, char **out, struct sl_error *err);
void cli_print_links(const json_t *links);
/* Shared by the commands about networks (cmd_models.c): the names to complete; a shape, "3x32x32",
 * "512" for a row of features or four numbers for texts; and what a network reads, with NULL for
 * what most of its kind do. */
const char *cli_network_names(size_t index);
enum sl_status cli_read_shape(const char *text, struct sl_input_shape *out, struct sl_error *err);
enum sl_status cli_read_input(const char *text, const char *network, struct sl_input_shape *out,
                              struct sl_error *err);
#define CLI_INPUT_HELP                                                                             \
    "channels, height and width of an image; features of a row; or for texts words of a "          \
    "sentence, "                                                                                   \
    "letters of a word, different words and different letters (default 3x32x32, for texts "        \
    "29x41x14975x83 as in pos)"

struct sl_vocabulary; /* softlab/feed/text.h */

/* Items with a feed over them (feeding.c): a data set opened, its images brought into memory, and
 * the indices of a split or NULL. Texts have no feed until cli_feeding_read, which leaves others as
 * they are. */
struct cli_feeding {
    struct sl_dataset *dataset;
    struct sl_feed *feed;
    size_t *only; /* n_only indices, or NULL: all */
    size_t n_only;
    size_t *columns; /* of each class that the set itself has, its place in dataset->classes since
                        cli_feeding_match; or NULL: there */
    size_t n_own;    /* classes that the set itself has */
};
/* `part`: a folder of parts (train, val) must be named with one of them, and is not read as its
 * training part. */
enum sl_status cli_feeding_open(const struct cli *cli, const char *data, const char *split,
                                const struct cli_images *images, bool part, struct cli_feeding *out,
                                struct sl_error *err);
enum sl_status cli_feeding_read(const struct cli *cli, const struct sl_vocabulary *vocabulary,
                                struct cli_feeding *feeding, struct sl_error *err);
void cli_feeding_release(struct cli_feeding *feeding);
/* What its items are called: "images", "rows" or "texts". */
const char *cli_feeding_unit(const struct cli_feeding *feeding);
/* How many items the split or else the set has, and which is the i-th. */
size_t cli_feeding_count(const struct cli_feeding *feeding);
size_t cli_feeding_item(const struct cli_feeding *feeding, size_t index);

/* Say of files that do not name their classes how these are found, once of each file: `a` and `b`
 * stand side by side, in files or in something else that has classes. */
void cli_say_unnamed(const struct cli *cli, const struct sl_class_list *a,
                     const struct sl_class_list *b);

/* The names and the order of classes (feeding_classes.c) become those of a network, or of what one
 * is trained on. A class that it does not know is an error, what is matched without names a
 * warning.
 */
enum sl_status cli_feeding_match(const struct cli *cli, const struct sl_class_list *network,
                                 struct cli_feeding *feeding, struct sl_error *err);
enum sl_status cli_feeding_match_model(const struct cli *cli, const struct sl_model *model,
                                       struct cli_feeding *feeding, struct sl_error *err);
/* Columns of labels about these items, in the order of dataset->classes. Labels that do not name
 * their classes have them in the order of the set as it was opened. */
enum sl_status cli_feeding_labels(const struct cli *cli, const struct cli_feeding *feeding,
                                  const char *path, struct sl_rows *rows, struct sl_error *err);

/* Items as a model reads them: its size, its vocabulary, its classes. */
enum sl_status cli_feeding_for(const struct cli *cli, const struct sl_model *model,
                               const char *data, const char *split, const struct cli_images *images,
                               struct cli_feeding *out, struct sl_error *err);

/* Shared by the commands that run networks (cmd_predict.c). The weights that a path names: a file,
 * or those in a run's folder, which must be those that the run wrote. The caller frees *out. */
enum sl_status cli_find_weights(const char *path, char **out, struct sl_error *err);
/* SL_ERR_INPUT if the record of a run has another checksum for its weights. */
enum sl_status cli_check_weights(const char *weights, const json_t *record, struct sl_error *err);
enum sl_status cli_open_weights(const char *path, struct sl_model **out, struct sl_error *err);
/* Logits of all items of cli_feeding_for, with names. */
enum sl_status cli_predict(struct cli *cli, struct sl_model *model,
                           const struct cli_feeding *feeding, size_t batch, struct sl_rows **out,
                           struct sl_error *err);

/* "a,b,c" as a NULL-ended list for sl_names_destroy. */
char **cli_split_list(const char *text);
/* Milliseconds since 1970. */
int64_t cli_now(void);
/* A number, or null where it is NaN or infinite. */
json_t *cli_json_real(double value);
json_t *cli_json_interval(const struct sl_interval *interval); /* [low, high] */
json_t *cli_json_counts(const size_t *counts, size_t n);

extern const struct cli_command cmd_bench;
extern const struct cli_command cmd_compare;
extern const struct cli_command cmd_completion;
extern const struct cli_command cmd_dataset;
extern const struct cli_command cmd_dataset_corrupt;
extern const struct cli_command cmd_dataset_mix;
extern const struct cli_command cmd_eval;
extern const struct cli_command cmd_export;
extern const struct cli_command cmd_fetch;
extern const struct cli_command cmd_help;
extern const struct cli_command cmd_import;
extern const struct cli_command cmd_labels;
extern const struct cli_command cmd_manual;
extern const struct cli_command cmd_mixing;
extern const struct cli_command cmd_models;
extern const struct cli_command cmd_predict;
extern const struct cli_command cmd_quality;
extern const struct cli_command cmd_report;
extern const struct cli_command cmd_run;
extern const struct cli_command cmd_simulate_labels;
extern const struct cli_command cmd_study;
extern const struct cli_command cmd_study_backup;
extern const struct cli_command cmd_study_check;
extern const struct cli_command cmd_study_export;
extern const struct cli_command cmd_study_init;
extern const struct cli_command cmd_study_links;
extern const struct cli_command cmd_study_password;
extern const struct cli_command cmd_study_purge;
extern const struct cli_command cmd_study_restore;
extern const struct cli_command cmd_study_serve;
extern const struct cli_command cmd_study_simulate;
extern const struct cli_command cmd_study_status;
extern const struct cli_command cmd_train;
extern const struct cli_command cmd_version;

#endif
