#include "cmd.h"

const struct cli_command cmd_study = {
    .name = "study",
    .also = "survey annotate collect elicit labelling labeling server web",
    .group = "studies",
    .summary = "ask people about images or texts, in their browsers",
    .description =
        "A study is a folder. softlab study init makes one from images or texts, study serve asks "
        "people, study status shows the progress, and study export writes the answers that softlab "
        "labels reads. softlab study COMMAND --help describes one of the commands below.",
};
