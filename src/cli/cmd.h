/* The commands; each is defined in its cmd_<name>.c and listed in commands.c. */
#ifndef SOFTLAB_CLI_CMD_H
#define SOFTLAB_CLI_CMD_H

#include "cli.h"
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
/* A class per item, -1 where the file says nothing: from a label file (the largest), a CSV with
 * columns like item and truth, or a text file with a class per line. The caller frees it. */
enum sl_status cli_read_truth(const char *path, const struct cli_names *names, int32_t **out,
                              struct sl_error *err);
/* Rows of a file; where `like` is not NULL one per item, with the columns in its order. */
enum sl_status cli_read_labels(const char *path, const char *array, const struct cli_names *like,
                               struct sl_rows **out, struct sl_error *err);
/* Cosines of the classes' word vectors, (n_classes, n_classes); the caller frees them. */
enum sl_status cli_read_similarity(const char *path, const char *const *classes, size_t n_classes,
                                   float **out, struct sl_error *err);
/* What a row is about: its item's name, borrowed, or in a set without names its number, written
 * into `out`. */
const char *cli_row_item(const struct sl_rows *rows, size_t row, char *out, size_t size);
enum sl_status cli_write_answers(const struct sl_answers *answers, const char *path,
                                 struct sl_error *err);
/* Shared by the commands about networks (cmd_models.c): the names to complete, and "3x32x32", or
 * "512" for a row of features. */
const char *cli_network_names(size_t index);
enum sl_status cli_read_shape(const char *text, struct sl_input_shape *out, struct sl_error *err);

/* "a,b,c" as a NULL-ended list for sl_names_destroy. */
char **cli_split_list(const char *text);
/* A number, or null where it is NaN or infinite. */
json_t *cli_json_real(double value);

extern const struct cli_command cmd_bench;
extern const struct cli_command cmd_compare;
extern const struct cli_command cmd_completion;
extern const struct cli_command cmd_dataset;
extern const struct cli_command cmd_dataset_mix;
extern const struct cli_command cmd_export;
extern const struct cli_command cmd_fetch;
extern const struct cli_command cmd_help;
extern const struct cli_command cmd_import;
extern const struct cli_command cmd_labels;
extern const struct cli_command cmd_manual;
extern const struct cli_command cmd_mixing;
extern const struct cli_command cmd_models;
extern const struct cli_command cmd_quality;
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
extern const struct cli_command cmd_version;

#endif
