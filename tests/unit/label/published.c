/* Figures that the papers' data must give; skipped without SOFTLAB_DATA. */
#include "answer_support.h"
#include "softlab/base/wordvectors.h"
#include "softlab/label.h"
#include "softlab/label/compare.h"
#include "softlab/label/mixing.h"
#include "softlab/label/simulate.h"

enum { AS_RELEASED = SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN };

static const struct sl_label_method *method_of(const char *name)
{
    const struct sl_label_method *method = sl_label_method_find(name);
    assert_non_null(method);
    return method;
}

static struct sl_rows *labels_of(const char *method, const struct sl_answers *answers,
                                 const struct sl_label_options *options)
{
    struct sl_rows *rows;
    struct sl_error err;
    assert_ok(sl_labels_build(method_of(method), answers, options, &rows, &err), err);
    return rows;
}

/* The vote shares of CIFAR-10H, half a million answers, are every test's state; or NULL. */
static int load_cifar10h(void **state)
{
    const char *path = test_data("cifar10h/cifar10h-counts.npy");
    if (!path) return 0;
    struct sl_answers *answers = import_file("cifar10h-counts", path, NULL);
    struct sl_label_options options = sl_label_options_default();
    *state = labels_of("share", answers, &options);
    sl_answers_destroy(answers);
    return 0;
}

static int release_cifar10h(void **state)
{
    sl_rows_destroy(*state);
    return 0;
}

static struct sl_answers *cifar10s(const char *format, const char *file)
{
    const char *path = test_data(file);
    return path ? import_file(format, path, NULL) : NULL;
}

static struct sl_comparison compare(const struct sl_rows *a, const struct sl_rows *b)
{
    struct sl_comparison comparison;
    struct sl_error err;
    assert_ok(sl_labels_compare(a, b, NULL, &comparison, &err), err);
    return comparison;
}

/* Every answer of the release, 6,723 with repeats and second runs. */
static void test_cifar10s_against_cifar10h(void **state)
{
    struct sl_rows *reference = *state;
    struct sl_answers *answers = cifar10s("cifar10s-json", "cifar10s/human_soft_labels_data.json");
    if (!reference || !answers) skip();
    struct sl_label_notes notes;
    struct sl_error err;
    struct sl_label_options options = sl_label_options_default();
    options.keep = AS_RELEASED;
    options.notes = &notes;
    struct sl_rows *labels = labels_of("t2-clamp", answers, &options);
    assert_int_equal(notes.n_used, 6723);
    assert_int_equal(notes.n_unusable, 0);
    struct sl_comparison comparison = compare(labels, reference);
    assert_int_equal(comparison.n_items, 1000);
    assert_near(comparison.entropy_r, 0.624, 0.0005);
    assert_near(comparison.mean[SL_DISTANCE_WASSERSTEIN_VALUES], 0.0270, 0.00005);
    assert_ok(sl_comparison_sort(&comparison, SL_DISTANCE_WASSERSTEIN_VALUES, false, &err), err);
    static const char *const furthest[] = {"2047", "861", "9681"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(labels->items[comparison.items[i].row_a], furthest[i]);
    sl_comparison_release(&comparison);
    sl_rows_destroy(labels);
    sl_answers_destroy(answers);
}

/* Our row of the same item nearest to row `index` of the release, not taken before. */
static size_t nearest(const struct sl_rows *ours, const struct sl_rows *theirs, size_t index,
                      const bool *taken, double *distance)
{
    size_t best = SIZE_MAX;
    *distance = (double)INFINITY;
    for (size_t i = 0; i < ours->n_rows; i++) {
        if (taken[i] || strcmp(ours->items[i], theirs->items[index]) != 0) continue;
        double worst = 0;
        for (size_t k = 0; k < 10; k++)
            worst = fmax(worst, fabs((double)ours->values[i * 10 + k] -
                                     (double)theirs->values[index * 10 + k]));
        if (worst >= *distance) continue;
        *distance = worst;
        best = i;
    }
    return best;
}

/* Only the order of the annotators of an item may differ. */
static void test_the_published_clamped_labels_come_out(void **state)
{
    (void)state;
    struct sl_answers *answers = cifar10s("cifar10s-json", "cifar10s/human_soft_labels_data.json");
    const char *path = test_data("cifar10s/cifar10s_t2clamp_redist10.json");
    if (!answers || !path) {
        sl_answers_destroy(answers);
        skip();
    }
    struct sl_rows *theirs;
    struct sl_error err;
    assert_ok(sl_rows_read(path, NULL, &theirs, &err), err);
    struct sl_label_options options = sl_label_options_default();
    options.keep = AS_RELEASED;
    options.per_annotator = true;
    struct sl_rows *ours = labels_of("t2-clamp", answers, &options);
    assert_int_equal(ours->n_rows, 6723);
    assert_int_equal(theirs->n_rows, 6723);
    bool *taken = sl_alloc(ours->n_rows, sizeof *taken);
    for (size_t i = 0; i < theirs->n_rows; i++) {
        double distance;
        size_t place = nearest(ours, theirs, i, taken, &distance);
        assert_near(distance, 0, 1e-6);
        taken[place] = true;
    }
    free(taken);
    sl_rows_destroy(ours);
    sl_rows_destroy(theirs);
    sl_answers_destroy(answers);
}

/* One draw of M annotators moves r by about .02 (.03 at M = 1); five draws are averaged. */
static void test_few_annotators_against_cifar10h(void **state)
{
    static const double published[] = {0, 0.33, 0.45, 0.52, 0.57, 0.59, 0.615};
    static const double tolerance[] = {0, 0.06, 0.03, 0.03, 0.03, 0.02, 0.01};
    struct sl_rows *reference = *state;
    struct sl_answers *answers = cifar10s("cifar10s-json", "cifar10s/human_soft_labels_data.json");
    if (!reference || !answers) skip();
    struct sl_label_options options = sl_label_options_default();
    options.keep = AS_RELEASED;
    for (options.annotators = 1; options.annotators <= 6; options.annotators++) {
        double r = 0, distance = 0;
        for (options.seed = 0; options.seed < 5; options.seed++) {
            struct sl_rows *labels = labels_of("t2-clamp", answers, &options);
            struct sl_comparison comparison = compare(labels, reference);
            r += comparison.entropy_r / 5;
            distance += comparison.mean[SL_DISTANCE_WASSERSTEIN_VALUES] / 5;
            sl_comparison_release(&comparison);
            sl_rows_destroy(labels);
        }
        print_message("M = %zu: r %.3f, Wasserstein (values) %.4f\n", options.annotators, r,
                      distance);
        assert_near(r, published[options.annotators], tolerance[options.annotators]);
        if (options.annotators == 6) assert_near(distance, 0.0272, 0.0002);
    }
    sl_answers_destroy(answers);
}

/* The screen log tells repeats and second runs. With them it holds the answers of the release,
 * whose makers mended seven by hand: "8p" and six first probabilities of 0, some with every class
 * marked impossible. */
static void test_the_screen_log_gives_the_labels_of_the_release(void **state)
{
    (void)state;
    struct sl_answers *raw = cifar10s("cifar10s-raw", "cifar10s/raw_human_data.csv");
    struct sl_answers *release = cifar10s("cifar10s-json", "cifar10s/human_soft_labels_data.json");
    if (!raw || !release) skip();
    struct sl_label_notes notes;
    struct sl_label_options options = sl_label_options_default();
    options.notes = &notes;
    struct sl_rows *once = labels_of("t2-clamp", raw, &options);
    print_message("%zu answers used, %zu repeats and second runs, %zu unusable, first: %s\n",
                  notes.n_used, notes.n_flagged, notes.n_unusable, notes.first_unusable.message);
    assert_int_equal(notes.n_used + notes.n_flagged + notes.n_unusable, 6723);
    assert_true(notes.n_flagged >= 498 && notes.n_unusable <= 7);
    assert_int_equal(once->n_rows, 1000);
    sl_rows_destroy(once);
    options.keep = AS_RELEASED;
    struct sl_rows *a = labels_of("t2-clamp", raw, &options);
    struct sl_rows *b = labels_of("t2-clamp", release, &options);
    struct sl_comparison comparison = compare(a, b);
    assert_int_equal(comparison.n_items, 1000);
    size_t n_mended = 0;
    for (size_t i = 0; i < comparison.n_items; i++)
        n_mended += comparison.items[i].distance[SL_DISTANCE_L1] > 1e-5;
    print_message("%zu items differ\n", n_mended);
    assert_true(n_mended <= 7);
    sl_comparison_release(&comparison);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
    sl_answers_destroy(raw);
    sl_answers_destroy(release);
}

/* The names in a file, one a line. */
static struct sl_name_table *read_names(const char *path)
{
    struct sl_buffer text;
    struct sl_error err;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(path, &text, &err), err);
    struct sl_name_table *names = sl_name_table_create();
    for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        uint32_t place;
        assert_ok(sl_name_table_add(names, line, (size_t)(end - line), &place, &err), err);
    }
    sl_buffer_release(&text);
    return names;
}

static void test_inferred_shares_of_mixed_images(void **state)
{
    struct sl_rows *reference = *state;
    const char *path = test_data("hmix/hmix_infer_mixing_factor.csv");
    if (!reference || !path) skip();
    struct sl_answers *answers = import_file("hmix", path, NULL);
    path = test_data("hmix/thesis_810_filenames.txt");
    if (!path) skip();
    struct sl_name_table *only = read_names(path);
    assert_int_equal(sl_name_table_count(only), 810);
    struct sl_mix_options options = sl_mix_options_default();
    options.only = only;
    options.endpoint_labels = reference;
    struct sl_mix_summary summary;
    struct sl_error err;
    assert_ok(sl_mix_summarise(answers, &options, &summary, &err), err);
    assert_int_equal(summary.n_answers, 1908);
    assert_int_equal(summary.n_items, 810);
    assert_int_equal(summary.n_annotators, 33);
    assert_near(summary.r, 0.725, 0.0005);
    static const double shares[] = {0.1, 0.25, 0.5, 0.75, 0.9};
    static const double medians[] = {0.11, 0.16, 0.50, 0.75, 0.86};
    static const double confidences[] = {0.739, 0.688, 0.602, 0.664, 0.728};
    assert_int_equal(summary.n_by_share, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_near(summary.by_share[i].generated, shares[i], 1e-6);
        assert_near(summary.by_share[i].median, medians[i], 1e-6);
        assert_near(summary.by_share[i].mean_confidence, confidences[i], 0.0005);
    }
    assert_int_equal(summary.n_by_pair, 45);
    assert_int_equal(summary.high.n_answers, 15);
    assert_near(summary.high.mean_confidence, 0.461, 0.0005);
    assert_int_equal(summary.low.n_answers, 724);
    assert_near(summary.low.mean_confidence, 0.708, 0.0005);
    sl_mix_summary_release(&summary);
    struct sl_mixing_functions *functions;
    assert_ok(sl_mixing_fit(answers, &options, &functions, &err), err);
    size_t n_fitted = 0, n_answers = 0;
    for (size_t i = 0; i < functions->n_classes * functions->n_classes; i++) {
        n_fitted += functions->pairs[i].fitted;
        n_answers += functions->pairs[i].n_answers;
    }
    assert_int_equal(n_answers, 1908);
    print_message("%zu of 45 class pairs have a logistic mixing function\n", n_fitted);
    assert_true(n_fitted >= 40 && n_fitted <= 45);
    sl_mixing_functions_destroy(functions);
    sl_name_table_destroy(only);
    sl_answers_destroy(answers);
}

/* Published rows as answers that state whole distributions. */
static struct sl_answers *read_distributions(const char *path)
{
    static const char *const classes[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                          "dog",      "frog",       "horse", "ship", "truck"};
    struct sl_rows *rows;
    struct sl_answers *answers;
    struct sl_error err;
    assert_ok(sl_rows_read(path, NULL, &rows, &err), err);
    assert_int_equal(rows->n_classes, 10);
    assert_ok(sl_answers_create(classes, 10, &answers, &err), err);
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct sl_answer answer = sl_answer_empty();
        answer.kind = SL_ANSWER_DIST;
        answer.item = (struct sl_field){rows->items[i], strlen(rows->items[i])};
        answer.distribution = rows->values + i * 10;
        assert_ok(sl_answers_add(answers, &answer, &err), err);
    }
    sl_rows_destroy(rows);
    return answers;
}

static void test_soft_labels_of_mixed_images(void **state)
{
    (void)state;
    const char *path = test_data("hmix/hmix_individ_soft_labels.json");
    if (!path) skip();
    struct sl_answers *answers = read_distributions(path);
    struct sl_label_options options = sl_label_options_default();
    struct sl_mixed_agreement agreement;
    struct sl_error err;
    struct sl_rows *mean = labels_of("share", answers, &options);
    assert_ok(sl_mixed_labels_measure(mean, &agreement, &err), err);
    assert_int_equal(agreement.n_rows, 100);
    assert_near(agreement.r, 0.522, 0.0005);
    assert_near(agreement.off_endpoints, 0.383, 0.0005);
    options.per_annotator = true;
    struct sl_rows *each = labels_of("share", answers, &options);
    assert_ok(sl_mixed_labels_measure(each, &agreement, &err), err);
    assert_int_equal(agreement.n_rows, 216);
    assert_near(agreement.r, 0.479, 0.0005);
    assert_near(agreement.off_endpoints, 0.380, 0.0005);
    sl_rows_destroy(mean);
    sl_rows_destroy(each);
    sl_answers_destroy(answers);
}

/* The same from what was typed: the released labels had an earlier clamp, so that they are near. */
static void test_soft_answers_about_mixed_images(void **state)
{
    (void)state;
    const char *path = test_data("hmix/hmix_categorical_soft_labels.csv");
    if (!path) skip();
    struct sl_answers *answers = import_file("hmix-soft", path, NULL);
    struct sl_label_options options = sl_label_options_default();
    struct sl_mixed_agreement agreement;
    struct sl_error err;
    options.keep = AS_RELEASED;
    struct sl_rows *mean = labels_of("t2-clamp", answers, &options);
    assert_ok(sl_mixed_labels_measure(mean, &agreement, &err), err);
    assert_int_equal(agreement.n_rows, 100);
    assert_near(agreement.r, 0.522, 0.005);
    assert_near(agreement.off_endpoints, 0.383, 0.005);
    sl_rows_destroy(mean);
    sl_answers_destroy(answers);
}

/* Eight pretrained networks on the CIFAR-10 test set: cross-entropy .4068 to CIFAR-10H. */
static void test_an_ensemble_of_networks_against_cifar10h(void **state)
{
    static const char *const names[] = {
        "densenet_BC_100_12", "pyramidnet_basic_110_270",          "resnet_basic_110",
        "resnext_29_8x64d",   "shake_shake_26_2x64d_SSI_cutout16", "vgg_15_BN_64",
        "wrn_28_10",          "resnet_preact_bottleneck_164"};
    enum { NETS = sizeof names / sizeof *names };
    struct sl_rows *sets[NETS], *mean, *reference = *state;
    struct sl_error err;
    if (!reference) skip();
    for (size_t i = 0; i < NETS; i++) {
        char file[128];
        snprintf(file, sizeof file, "peterson2019/base_predictions/%s_test.npz", names[i]);
        const char *path = test_data(file);
        if (!path) skip();
        assert_ok(sl_rows_read(path, "logits", &sets[i], &err), err);
    }
    assert_ok(sl_rows_ensemble((const struct sl_rows *const *)sets, NETS, SL_PREDICTION_LOGITS, 1,
                               &mean, &err),
              err);
    double sum = 0;
    for (size_t i = 0; i < reference->n_rows * 10; i++)
        if (reference->values[i] > 0)
            sum -= (double)reference->values[i] * log((double)mean->values[i]);
    assert_near(sum / (double)reference->n_rows, 0.4068, 0.00005);
    for (size_t i = 0; i < NETS; i++)
        sl_rows_destroy(sets[i]);
    sl_rows_destroy(mean);
}

static bool read_similarity(char *const *classes, size_t n_classes, float *out)
{
    const char *path = test_data("glove100d/cifar10_classes.glove.6B.100d.txt");
    if (!path) return false;
    struct sl_word_vectors vectors;
    struct sl_error err;
    assert_ok(sl_word_vectors_read(path, (const char *const *)classes, n_classes, &vectors, &err),
              err);
    assert_ok(sl_similarity_cosines(vectors.values, n_classes, vectors.dimensions, out, &err), err);
    sl_word_vectors_release(&vectors);
    return true;
}

/* Cosines as stated for GloVe; semantic labels of the release are distributions. */
static void test_semantic_labels_of_the_release(void **state)
{
    (void)state;
    struct sl_answers *answers = cifar10s("cifar10s-json", "cifar10s/human_soft_labels_data.json");
    float similarity[100] = {0};
    if (!answers || !read_similarity(answers->classes, 10, similarity)) skip();
    assert_near(similarity[3 * 10 + 5], 0.88, 0.005);
    assert_near(similarity[3 * 10 + 9], 0.23, 0.005);
    struct sl_label_options options = sl_label_options_default();
    struct sl_error err;
    options.similarity = similarity;
    for (size_t i = 0; i < 2; i++) {
        struct sl_rows *rows = labels_of(i ? "t2-semantic" : "t1-semantic", answers, &options);
        assert_ok(sl_rows_check_distributions(rows, "semantic", &err), err);
        sl_rows_destroy(rows);
    }
    sl_answers_destroy(answers);
}

/* The means that the model fits directly must come back: the first probability of C figure 5 is
 * 83.9 % for high and 96.7 % for low entropy with bounds .25 and .1. */
static void test_simulated_labels_are_near_the_real_ones(void **state)
{
    struct sl_rows *reference = *state, *real, *simulated;
    struct sl_answers *answers = cifar10s("cifar10s-raw", "cifar10s/raw_human_data.csv");
    float similarity[100] = {0};
    if (!reference || !answers || !read_similarity(answers->classes, 10, similarity)) skip();
    struct sl_simulator *simulator;
    struct sl_error err;
    assert_ok(sl_simulator_fit(answers, reference, 0.25, 0, &simulator, &err), err);
    struct sl_label_options options = sl_label_options_default();
    struct sl_label_notes notes;
    options.per_annotator = true;
    options.notes = &notes;
    real = labels_of("t2-clamp", answers, &options);
    assert_ok(sl_simulate(simulator, reference, similarity,
                          &(struct sl_simulate_options){1, 1, NULL}, &simulated, &err),
              err);
    struct sl_simulation_fit fits[SL_SIMULATOR_PARTS];
    assert_ok(sl_simulation_measure(real, simulated, reference, 0.25, fits, &err), err);
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        const struct sl_beta first = simulator->part[p].top1;
        print_message("%s entropy: %zu answers, mean first probability %.3f\n",
                      p == SL_SIMULATOR_HIGH ? "high" : "low", simulator->part[p].n_answers,
                      first.a / (first.a + first.b));
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++)
            print_message("  %s: real %.3f, simulated %.3f, Wasserstein %.3f\n",
                          sl_simulation_statistic_names[s], fits[p].real_mean[s],
                          fits[p].simulated_mean[s], fits[p].wasserstein[s]);
        assert_near(fits[p].simulated_mean[SL_SIMULATION_TOP], fits[p].real_mean[SL_SIMULATION_TOP],
                    0.05);
        assert_near(fits[p].simulated_mean[SL_SIMULATION_ENTROPY],
                    fits[p].real_mean[SL_SIMULATION_ENTROPY], 0.15);
    }
    sl_simulator_destroy(simulator);
    sl_rows_destroy(real);
    sl_rows_destroy(simulated);
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar10s_against_cifar10h),
        cmocka_unit_test(test_the_published_clamped_labels_come_out),
        cmocka_unit_test(test_few_annotators_against_cifar10h),
        cmocka_unit_test(test_the_screen_log_gives_the_labels_of_the_release),
        cmocka_unit_test(test_inferred_shares_of_mixed_images),
        cmocka_unit_test(test_soft_labels_of_mixed_images),
        cmocka_unit_test(test_soft_answers_about_mixed_images),
        cmocka_unit_test(test_an_ensemble_of_networks_against_cifar10h),
        cmocka_unit_test(test_semantic_labels_of_the_release),
        cmocka_unit_test(test_simulated_labels_are_near_the_real_ones),
    };
    return cmocka_run_group_tests(tests, load_cifar10h, release_cifar10h);
}
