/* cifar10s-raw: the screen log of CIFAR-10S. Items are identified by their index in CIFAR-10's test
 * set; the true class is CIFAR-10's label. The release (cifar10s-json) holds the same answers,
 * including repeats and the second run, with two changes by hand: "8p" became 80 and 0 became
 * 100. */
#include "answer/formats/jspsych_log.h"

SL_IMPORTER(sl_import_cifar10s_raw)
{
    const struct sl_question_log log = {.item_column = "img_id", .truth_column = "label"};
    return sl_import_questions(&log, paths, n_paths, options, sink, err);
}
