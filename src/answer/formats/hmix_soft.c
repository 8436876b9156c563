/* hmix-soft: the questions of CIFAR-10S about mixed images. Items are identified by their file
 * name, which contains the share and the two images; there is no true class. */
#include "answer/formats/jspsych_log.h"

SL_IMPORTER(sl_import_hmix_soft)
{
    const struct sl_question_log log = {0};
    return sl_import_questions(&log, paths, n_paths, options, sink, err);
}
