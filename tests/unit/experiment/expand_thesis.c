#include "experiment_plans.h"

/* Chapter 3 of the thesis has one network where the paper has three, and other seconds; its runs
 * are the paper's runs of that network. */
static void test_the_thesis_figures_over_annotators_are_of_one_network(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double seconds;
    } cases[] = {{"cifar10h-m1", 2.5},     {"cifar10h-m16-mean", 40}, {"cifar10h-mall", 127.75},
                 {"t2-clamp-m1-mean", 32}, {"t2-clamp-m4", 128},      {"t2-clamp-m6", 192}};
    static const char *const names[] = {"thesis2022/figure3.5", "thesis2022/figureB.3"};
    struct sl_experiment *paper = expand("collins2022/figure10", "paper", false);
    for (size_t n = 0; n < 2; n++) {
        struct sl_experiment *plan = expand(names[n], "paper", false);
        size_t n_trained = 0;
        for (size_t i = 0; i < plan->n_runs; i++) {
            if (!plan->runs[i].set) continue;
            assert_string_equal(plan->runs[i].network, "resnet34a");
            n_trained++;
        }
        assert_int_equal(n_trained, 26 * 5);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct sl_run *run = find(plan, cases[i].set, "resnet34a", 5);
            assert_near(run->seconds, cases[i].seconds, 1e-9);
            assert_string_equal(run->key, find(paper, cases[i].set, "resnet34a", 5)->key);
        }
        sl_experiment_destroy(plan);
    }
    sl_experiment_destroy(paper);
}

/* The release also holds a later collection: 4,788 answers, of which the thesis uses 1,908. */
static void test_mixing_curves_are_fitted_to_the_thesis_own_answers(void **state)
{
    (void)state;
    struct sl_experiment *plan = expand("thesis2022/tableC.1", "paper", false);
    char *words = training_words(plan, find(plan, "tau", "preact-resnet34", 1));
    char *file = strstr(words, "--mixing ") + strlen("--mixing ");
    file[strcspn(file, " ")] = '\0';
    char *fit = json_dumps(find_job(plan, file)->step, 0);
    assert_non_null(strstr(fit, "\"--only\", \"@hmix/thesis_810_filenames.txt\""));
    free(fit);
    free(words);
    sl_experiment_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_thesis_figures_over_annotators_are_of_one_network),
        cmocka_unit_test(test_mixing_curves_are_fitted_to_the_thesis_own_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
