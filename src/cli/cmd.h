/* The commands; each is defined in its cmd_<name>.c and listed in commands.c. */
#ifndef SOFTLAB_CLI_CMD_H
#define SOFTLAB_CLI_CMD_H

#include "cli.h"
#include "softlab/feed.h"
#include "softlab/label.h"
#include "softlab/nn.h"

/* Shared by the commands that open data sets (cmd_dataset.c): the names to complete, and opening
 * with the items of an index file chosen. */
const char *cli_dataset_names(size_t index);
enum sl_status cli_open_dataset(const struct cli *cli, const char *name, const char *split,
                                struct sl_dataset **out, struct sl_error *err);

/* Shared by the commands about answers and labels (inputs.c). */
struct cli_names {
    const struct sl_name_table *items, *annotators; /* borrowed */
    char *const *classes;                           /* borrowed; n_classes */
    size_t n_classes;
};
struct cli_names cli_names_of(const struct sl_answers *answers);
/* Answers in any file that holds them (answers.c). A command that reads some embeds the words and
 * lists the options. */
struct cli_answer_words {
    const char *columns;
    struct cli_texts abstain, leave_out;
};
/* `words` is the offset of struct cli_answer_words in the command's values. */
#define CLI_ANSWER_OPTIONS(words)                                                                  \
    {.name = "columns",                                                                            \
     .kind = CLI_TEXT,                                                                             \
     .value = "A,B,C",                                                                             \
     .help = "of CSV: the columns that hold item, worker and label, or pairs such as "             \
             "item=task,p=share of item, worker, label, p, ms, confidence and truth",              \
     .offset = (words) + offsetof(struct cli_answer_words, columns)},                              \
        {.name = "abstain",                                                                        \
         .kind = CLI_TEXTS,                                                                        \
         .value = "CLASS,...",                                                                     \
         .help = "classes that mean no answer, such as skip: answers that choose one are left "    \
                 "out and counted",                                                                \
         .offset = (words) + offsetof(struct cli_answer_words, abstain)},                          \
    {                                                                                              \
        .name = "leave-out", .kind = CLI_TEXTS, .value = "CLASS,...",                              \
        .help = "classes to take out: their votes are left out and counted, distributions are "    \
                "scaled to the other classes",                                                     \
        .offset = (words) + offsetof(struct cli_answer_words, leave_out)                           \
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

/* A class per item, -1 where the file says nothing: from a label file (the largest), a CSV with
 * columns like item and truth, or a text file with a class per line. The caller frees it. */
enum sl_status cli_read_truth(const char *path, const struct cli_names *names, int32_t **out,
                              struct sl_error *err);
/* Rows of a file; where `like` is not NULL one per item, with the columns in its order. */
enum sl_status cli_read_labels(const char *path, const char *array, const struct cli_names *like,
                               struct sl_rows **out, struct sl_error *err);
/* Say how many of a file's rows were scaled, if any. */
void cli_say_rescaled(const struct cli *cli, const char *path, const struct sl_rows *rows);
/* Predictions, and what they are: in an .npz the array logits, or else probs, or else labels (an
 * ensemble is written as labels); other files tell by their rows. */
enum sl_status cli_read_predictions(const char *path, struct sl_rows **out,
                                    enum sl_prediction_kind *kind, struct sl_error *err);
enum sl_status cli_npz_has(const char *path, const char *array, bool *out, struct sl_error *err);
const char *cli_kind_name(enum sl_prediction_kind kind); /* "logits" or "probabilities" */
/* Cosines of the classes' word vectors, (n_classes, n_classes); the caller frees them. */
enum sl_status cli_read_similarity(const char *path, const char *const *classes, size_t n_classes,
                                   float **out, struct sl_error *err);
/* The mean of classifiers' predictions, one file each, logits or probabilities. */
enum sl_status cli_read_ensemble(char *const *paths, size_t count, double temperature,
                                 struct sl_rows **out, struct sl_error *err);
/* What a row is about: its item's name, borrowed, or in a set without names its number, written
 * into `out`. */
const char *cli_row_item(const struct sl_rows *rows, size_t row, char *out, size_t size);
enum sl_status cli_write_answers(const struct sl_answers *answers, const char *path,
                                 struct sl_error *err);
/* Shared by the commands about networks (cmd_models.c): the names to complete, and "3x32x32", or
 * "512" for a row of features. */
const char *cli_network_names(size_t index);
enum sl_status cli_read_shape(const char *text, struct sl_input_shape *out, struct sl_error *err);

struct sl_vocabulary; /* softlab/feed/text.h */

/* Items with a feed over them (feeding.c): a data set opened, its images brought to one size
 * ("HxW", or NULL for what they have), and the indices of a split or NULL. Texts have no feed until
 * cli_feeding_read, which leaves others as they are. */
struct cli_feeding {
    struct sl_dataset *dataset;
    struct sl_feed *feed;
    size_t *only; /* n_only indices, or NULL: all */
    size_t n_only;
};
enum sl_status cli_feeding_open(const struct cli *cli, const char *data, const char *split,
                                const char *size, struct cli_feeding *out, struct sl_error *err);
enum sl_status cli_feeding_read(const struct cli *cli, const struct sl_vocabulary *vocabulary,
                                struct cli_feeding *feeding, struct sl_error *err);
void cli_feeding_release(struct cli_feeding *feeding);
/* What its items are called: "images", "rows" or "texts". */
const char *cli_feeding_unit(const struct cli_feeding *feeding);
/* How many items the split or else the set has, and which is the i-th. */
size_t cli_feeding_count(const struct cli_feeding *feeding);
size_t cli_feeding_item(const struct cli_feeding *feeding, size_t index);

/* Items as a model reads them: its size, its vocabulary. */
enum sl_status cli_feeding_for(const struct cli *cli, const struct sl_model *model,
                               const char *data, const char *split, const char *size,
                               struct cli_feeding *out, struct sl_error *err);

/* Shared by the commands that run networks (cmd_predict.c): weights by file or by a run's folder;
 * logits of all items, with names. */
enum sl_status cli_open_weights(const char *path, struct sl_model **out, struct sl_error *err);
enum sl_status cli_predict(struct cli *cli, struct sl_model *model,
                           const struct cli_feeding *feeding, size_t batch, struct sl_rows **out,
                           struct sl_error *err);

/* "a,b,c" as a NULL-ended list for sl_names_destroy. */
char **cli_split_list(const char *text);
/* Milliseconds since 1970. */
int64_t cli_now(void);
/* A number, or null where it is NaN or infinite. */
json_t *cli_json_real(double value);
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
extern const struct cli_command cmd_study_backup;
extern const struct cli_command cmd_study_export;
extern const struct cli_command cmd_study_init;
extern const struct cli_command cmd_study_password;
extern const struct cli_command cmd_study_purge;
extern const struct cli_command cmd_study_restore;
extern const struct cli_command cmd_study_serve;
extern const struct cli_command cmd_study_simulate;
extern const struct cli_command cmd_study_status;
extern const struct cli_command cmd_train;
extern const struct cli_command cmd_version;

#endif
