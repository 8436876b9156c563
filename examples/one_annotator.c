/* Makes labels from the answers of one annotator, using more of each answer step by step, and says
 * how far every label set is from the truth:
 *
 *     one_annotator ANSWERS.jsonl TRUTH.csv ANNOTATOR
 *
 * The annotator said which classes are most probable, how probable, and which are impossible
 * (answers of kind "soft"). TRUTH has a row per item and a column per class. */
#include <softlab/base.h>
#include <softlab/label.h>
#include <softlab/label/compare.h>
#include <stdio.h>
#include <string.h>

/* Rows of sl_label_methods, and the part of an answer that each of them reads. */
static const struct {
    const char *name, *reads;
} methods[] = {{"share", "the most probable class"},
               {"select2", "the two most probable classes"},
               {"t1-clamp", "the first, its probability, what is impossible"},
               {"t2-clamp", "both, their probabilities, what is impossible"}};
enum { N_METHODS = sizeof methods / sizeof *methods };

/* A new set with the answers of one annotator, for sl_answers_destroy. */
static enum sl_status select_answers(const struct sl_answers *all, const char *annotator,
                                     struct sl_answers **out, struct sl_error *err)
{
    const uint32_t wanted = sl_name_table_find(all->annotators, annotator, strlen(annotator));
    struct sl_answers *selected = NULL;
    enum sl_status status = SL_OK;
    if (wanted == SL_NO_NAME)
        return sl_fail(err, SL_ERR_NOT_FOUND, "no answer is by an annotator called %s", annotator);
    SL_TRY_OUT(
        sl_answers_create((const char *const *)all->classes, all->n_classes, &selected, err));
    for (size_t i = 0; i < all->count; i++) {
        struct sl_answer answer;
        if (all->annotator[i] != wanted) continue;
        sl_answers_get(all, i, &answer);
        SL_TRY_OUT(sl_answers_add(selected, &answer, err));
    }
    *out = selected;
    selected = NULL;
out:
    sl_answers_destroy(selected);
    return status;
}

/* One line of the table; for the last method also the item that is furthest from the truth. */
static enum sl_status print_method(const struct sl_answers *answers, size_t m,
                                   const struct sl_rows *truth, struct sl_error *err)
{
    static const char *const names[2] = {"the labels", "the truth"};
    const struct sl_label_options options = sl_label_options_default();
    struct sl_comparison comparison = {0};
    struct sl_rows *labels = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        sl_labels_build(sl_label_method_find(methods[m].name), answers, &options, &labels, err));
    SL_TRY_OUT(sl_labels_compare(labels, truth, names, &comparison, err));
    printf("%-9s %-47s  %11.3f  %12.0f %%\n", methods[m].name, methods[m].reads,
           comparison.mean[SL_DISTANCE_JENSEN_SHANNON], 100 * comparison.top1_agreement);
    if (m + 1 < N_METHODS) goto out;
    SL_TRY_OUT(sl_comparison_sort(&comparison, SL_DISTANCE_JENSEN_SHANNON, false, err));
    const struct sl_item_difference *furthest = &comparison.items[0];
    printf("\nfurthest from the truth by %s: %s\n", methods[m].name,
           labels->items[furthest->row_a]);
    for (size_t k = 0; k < labels->n_classes; k++)
        printf("  %-9s label %.2f  truth %.2f\n", labels->classes[k],
               (double)labels->values[furthest->row_a * labels->n_classes + k],
               (double)truth->values[furthest->row_b * labels->n_classes + k]);
out:
    sl_comparison_release(&comparison);
    sl_rows_destroy(labels);
    return status;
}

static enum sl_status run(char **argv, struct sl_error *err)
{
    struct sl_answers *all = NULL, *answers = NULL;
    struct sl_rows *truth = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_load(argv[1], NULL, &all, err));
    SL_TRY_OUT(select_answers(all, argv[3], &answers, err));
    SL_TRY_OUT(sl_rows_read(argv[2], "labels", &truth, err));
    /* Columns are matched by class name, in whatever order the files have them. */
    const struct sl_class_list classes = {argv[1], answers->classes, answers->n_classes};
    SL_TRY_OUT(sl_rows_reorder(truth, argv[2], &classes, err));
    printf("%zu answers of %s\n", answers->count, argv[3]);
    printf("%-9s %-47s  %s\n", "method", "what it reads of an answer",
           "JS to truth  same top class");
    for (size_t m = 0; m < N_METHODS; m++)
        SL_TRY_OUT(print_method(answers, m, truth, err));
out:
    sl_rows_destroy(truth);
    sl_answers_destroy(answers);
    sl_answers_destroy(all);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 4) {
        fprintf(stderr, "one_annotator: name the answers, the true distributions and one person: "
                        "one_annotator ANSWERS.jsonl TRUTH.csv ANNOTATOR\n");
        return 2;
    }
    if (run(argv, &err) == SL_OK) return 0;
    fprintf(stderr, "one_annotator: %s\n", err.message);
    return 1;
}
