#include "cmd.h"

const struct cli_command cmd_study = {
    .name = "study",
    .also = "survey annotate collect elicit labelling labeling server web",
    .group = "studies",
    .summary = "ask people about images or texts, in their browsers",
    .description =
        "A study is a folder: softlab study init makes it of a folder of images or a file of "
        "texts, study serve asks people, study status shows how far it is and study export writes "
        "the answers that softlab labels reads. softlab study COMMAND --help tells more about one "
        "of the commands below.",
};
