/* `softlab eval` over weights: test sets (eval_tests.c) and what is measured on each
 * (eval_weights.c). */
#ifndef SOFTLAB_CLI_EVAL_WEIGHTS_H
#define SOFTLAB_CLI_EVAL_WEIGHTS_H

#include "eval.h"
#include "softlab/eval/attack.h"
#include "softlab/eval/shift.h"

enum { EVAL_MAX_ATTACKS = 8 };

/* A test set: what the command line or one member of a --tests file says. Texts are borrowed. */
struct eval_test {
    const char *name;
    char *title; /* owned; "runs/x", or of several tests "runs/x on easy" */
    const char *data, *split;
    struct cli_images images;
    char **items;       /* owned; NULL-ended names of the items instead of a split, or NULL */
    const char *labels; /* "hard", "truth", or a file */
    char **metrics;     /* owned; NULL-ended names, or NULL: all */
    const struct sl_attack_preset *attacks[EVAL_MAX_ATTACKS];
    size_t n_attacks;
    size_t attack_items; /* 0: all */
    bool attack_hard;    /* the attack's loss is against hard labels */
    bool corrupted;
    struct sl_shift_options shift;
    struct sl_metric_options options;
    size_t gallery; /* items to show */
};
struct eval_tests {
    struct eval_test *tests; /* owned */
    size_t count;
    struct sl_json document; /* that the texts are borrowed from */
};
/* The tests of values->tests, else the one of values->data. */
enum sl_status eval_tests_read(struct cli *cli, const struct eval_values *values,
                               struct eval_tests *out, struct sl_error *err);
void eval_tests_release(struct eval_tests *tests);

/* Whether an argument is weights or a run's folder, and not predictions. */
bool eval_is_weights(const char *path);
enum sl_status eval_weights(struct cli *cli, const struct eval_values *values,
                            struct sl_error *err);

/* eval_gallery.c: pictures of some items with what people and the network said. */
json_t *eval_gallery(const struct cli_feeding *feeding, const struct sl_scored *scored,
                     size_t count);

#endif
