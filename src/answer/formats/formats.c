#include "answer/formats/format.h"

#include <string.h>

const struct sl_answer_format sl_answer_formats[] = {
    {"answers-csv", "CSV with a line per class of an answer, for every kind of answer",
     sl_import_answers_csv, sl_export_answers_csv, 0},
    {"cifar10h-counts", "CIFAR-10H counts, .npy (items, 10): answers without annotators",
     sl_import_cifar10h_counts, sl_export_cifar10h_counts, 0},
    {"cifar10h-raw", "CIFAR-10H raw CSV: every click, attention checks marked",
     sl_import_cifar10h_raw, NULL, 0},
    {"cifar10s-json", "CIFAR-10S release: top two classes with probabilities per image",
     sl_import_cifar10s_json, sl_export_cifar10s_json, 0},
    {"cifar10s-raw", "CIFAR-10S screen log: repeats, times and second runs marked",
     sl_import_cifar10s_raw, NULL, 0},
    {"doccano", "doccano's classification JSONL or JSON, a file per annotator", sl_import_doccano,
     NULL, SL_IMPORT_COLUMNS},
    {"hmix", "H-Mix CSV: inferred mixing coefficient and confidence", sl_import_hmix,
     sl_export_hmix, 0},
    {"hmix-soft", "H-Mix CSV: top two classes with probabilities of mixed images",
     sl_import_hmix_soft, NULL, 0},
    {"label-studio", "Label Studio JSON: tasks with annotations, choices or ratings",
     sl_import_label_studio, NULL, SL_IMPORT_COLUMNS},
    {"label-studio-min", "Label Studio JSON-MIN: a list of annotations", sl_import_label_studio_min,
     NULL, SL_IMPORT_COLUMNS},
    {"labelme", "LabelMe answers.txt: numbers in a matrix, -1 = none", sl_import_labelme,
     sl_export_labelme, 0},
    {"long-csv", "CSV with a line per answer: item, worker, label in any order", sl_import_long_csv,
     sl_export_long_csv, SL_IMPORT_COLUMNS},
    {"mturk", "Mechanical Turk's batch results, CSV: HITId, WorkerId, Input.*, Answer.*",
     sl_import_mturk, NULL, SL_IMPORT_COLUMNS},
    {"peerannot", "peerannot answers.json: {item: {worker: label}}", sl_import_peerannot,
     sl_export_peerannot, 0},
    {"pos", "POS tokens, TSV: id, word, a label or none per annotator, gold", sl_import_pos, NULL,
     0},
    {"potato", "Potato's annotated_instances: .jsonl of each annotator or of all, .csv, .tsv",
     sl_import_potato, NULL, SL_IMPORT_COLUMNS},
    {"probs-long", "CSV with a line per class of an answer: item, worker, label, p",
     sl_import_probs_long, NULL, SL_IMPORT_COLUMNS},
    {"probs-wide", "CSV with a line per answer: item, worker, p_<class> for each class",
     sl_import_probs_wide, NULL, SL_IMPORT_COLUMNS},
    {"toloka", "Toloka's assignments, TSV or CSV: INPUT:*, OUTPUT:*, ASSIGNMENT:worker_id",
     sl_import_toloka, NULL, SL_IMPORT_COLUMNS},
    {"wide", "matrix, a row per item and a column per annotator (MACE); empty or -1 = none",
     sl_import_wide, sl_export_wide, SL_IMPORT_LAYOUT},
    {0},
};

const struct sl_answer_format *sl_answer_format_find(const char *name)
{
    for (const struct sl_answer_format *format = sl_answer_formats; format->name; format++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}
