/* The commands; each is defined in its cmd_<name>.c and listed in commands.c. */
#ifndef SOFTLAB_CLI_CMD_H
#define SOFTLAB_CLI_CMD_H

#include "cli.h"
#include "softlab/feed.h"
#include "softlab/label.h"
#include "softlab/nn.h"
#include "softlab/pipeline.h"

/* Shared by the commands about studies (study_links.c): the folder of a study, for those that take
 * nothing else; the names of screens; the address of a study without the slash at its end, since
 * paths begin with one, on the heap; and the links of sl_study_links_json with what to do with them
 * and the completion codes. */
extern const struct cli_argument cli_study_argument[];
const char *cli_screen_names(size_t index);
enum sl_status cli_take_url(const char *url, char **out, struct sl_error *err);
void cli_print_links(const json_t *links);
/* Shared by the commands about networks (cmd_models.c): what a network reads, by the words of
 * --input, with NULL for what most of its kind do. */
enum sl_status cli_read_input(const char *text, const char *network, struct sl_input_shape *out,
                              struct sl_error *err);
#define CLI_INPUT_HELP                                                                             \
    "channels, height and width of an image; features of a row; or for texts words of a "          \
    "sentence, "                                                                                   \
    "letters of a word, different words and different letters (default 3x32x32, for texts "        \
    "29x41x14975x83 as in pos)"

extern const struct cli_command cmd_advise;
extern const struct cli_command cmd_bench;
extern const struct cli_command cmd_compare;
extern const struct cli_command cmd_worth;
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
extern const struct cli_command cmd_next;
extern const struct cli_command cmd_plan;
extern const struct cli_command cmd_predict;
extern const struct cli_command cmd_quality;
extern const struct cli_command cmd_report;
extern const struct cli_command cmd_run;
extern const struct cli_command cmd_simulate_labels;
extern const struct cli_command cmd_study;
extern const struct cli_command cmd_study_audit;
extern const struct cli_command cmd_study_backup;
extern const struct cli_command cmd_study_check;
extern const struct cli_command cmd_study_export;
extern const struct cli_command cmd_study_init;
extern const struct cli_command cmd_study_links;
extern const struct cli_command cmd_study_migrate;
extern const struct cli_command cmd_study_password;
extern const struct cli_command cmd_study_purge;
extern const struct cli_command cmd_study_restore;
extern const struct cli_command cmd_study_serve;
extern const struct cli_command cmd_study_simulate;
extern const struct cli_command cmd_study_status;
extern const struct cli_command cmd_train;
extern const struct cli_command cmd_version;

#endif
