/* The options that a method's row lists as read are exactly those that change its result; softlab
 * labels refuses all others. */
#include "crowd_scene.h"
#include "soft_scene.h"

enum { ITEMS = 40, ANNOTATORS = 8, CLASSES = 2, PER_ITEM = 4, CELLS = CLASSES * CLASSES };

/* Data that options point at. */
struct material {
    struct scene scene;
    struct soft_scene soft;
    int32_t gold[ITEMS];
    double prior[ANNOTATORS * CELLS];
    float reference[ITEMS * CLASSES];
    double ability[ANNOTATORS];
    struct sl_crowd_state resume;
    float confusion[ANNOTATORS * CELLS], posterior[ITEMS * CLASSES];
    double skill[ANNOTATORS], class_prior[CLASSES];
};

static void prepare(struct material *all)
{
    scene_make(&all->scene, ITEMS, ANNOTATORS, CLASSES, PER_ITEM, 0.4, 0.8);
    soft_scene_make(&all->soft, ITEMS, ANNOTATORS, CLASSES, 3, 5);
    for (size_t i = 0; i < ITEMS; i++) {
        all->gold[i] = i < 8 ? (int32_t)(i % 2) : -1;
        for (size_t k = 0; k < CLASSES; k++) {
            all->reference[i * CLASSES + k] = i >= 12 ? 0 : k == i % 3 % 2 ? .8F : .2F;
            all->posterior[i * CLASSES + k] = (i * 5 % 7 < 3) == (k == 0) ? .9F : .1F;
        }
    }
    for (size_t a = 0; a < ANNOTATORS; a++) {
        all->skill[a] = .95 - .1 * (double)a;
        all->ability[a] = (double)a - 2;
        for (size_t c = 0; c < CELLS; c++) {
            const bool diagonal = c % (CLASSES + 1) == 0;
            all->prior[a * CELLS + c] = diagonal ? 1 + (double)a : 3;
            all->confusion[a * CELLS + c] = diagonal == (a % 3 > 0) ? .9F : .1F;
        }
    }
    all->class_prior[0] = .7;
    all->class_prior[1] = .3;
    all->resume = (struct sl_crowd_state){.n_items = ITEMS,
                                          .n_annotators = ANNOTATORS,
                                          .n_classes = CLASSES,
                                          .posterior = all->posterior,
                                          .confusion = all->confusion,
                                          .skill = all->skill,
                                          .class_prior = all->class_prior};
}

static void run(const struct sl_aggregator *method, const struct material *all,
                const struct sl_crowd_options *options, struct sl_crowd_state *out)
{
    if (method->needs & SL_CROWD_SOFT)
        soft_scene_run(method->name, &all->soft, *options, out);
    else
        scene_run(method, &all->scene, *options, out);
}

/* Every READS bit with a changed value of its option. */
static void change(struct sl_crowd_options *options, unsigned bit, const struct material *all)
{
    switch (bit) {
    case SL_CROWD_READS_ROUNDS: options->max_iterations = 2; break;
    case SL_CROWD_READS_TOLERANCE: options->tolerance = .5; break;
    case SL_CROWD_READS_SMOOTHING: options->smoothing = 3; break;
    case SL_CROWD_READS_DIAGONAL: options->diagonal = 5; break;
    case SL_CROWD_READS_START: options->start = SL_START_DIAGONAL; break;
    case SL_CROWD_READS_TIE: options->tie = SL_TIE_FIRST; break;
    case SL_CROWD_READS_VARIATIONAL: options->variational = false; break;
    case SL_CROWD_READS_SEED: options->seed = 12345; break;
    case SL_CROWD_READS_GOLD: options->gold = all->gold; break;
    case SL_CROWD_READS_PRIOR: options->prior = all->prior; break;
    case SL_CROWD_READS_RESUME: options->resume = &all->resume; break;
    case SL_CROWD_READS_CALIBRATE: options->calibrate = true; break;
    case SL_CROWD_READS_REFERENCE: options->reference = all->reference; break;
    case SL_CROWD_READS_GLAD: options->glad.ability = all->ability; break;
    case SL_CROWD_READS_MACE: options->mace.spam_prior = 5; break;
    case SL_CROWD_READS_ZBS: options->zbs.rate = .25; break;
    default: fail_msg("no option has the bit %u", bit);
    }
}

static bool differ(const void *a, const void *b, size_t bytes)
{
    return a && b && memcmp(a, b, bytes) != 0;
}

/* Compare everything in a state, because hard posteriors change little. */
static bool states_differ(const struct sl_crowd_state *a, const struct sl_crowd_state *b)
{
    return a->n_iterations != b->n_iterations ||
           differ(a->posterior, b->posterior, sizeof(float[ITEMS * CLASSES])) ||
           differ(a->confusion, b->confusion, sizeof(float[ANNOTATORS * CELLS])) ||
           differ(a->skill, b->skill, sizeof(double[ANNOTATORS]));
}

static void check_bit(const struct sl_aggregator *method, unsigned read, unsigned bit,
                      const double *weights, const struct material *all)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state before = {0}, after = {0};
    options.weights = weights;
    options.max_iterations = bit == SL_CROWD_READS_START ? 1 : 6; /* else all ends alike */
    if (bit == SL_CROWD_READS_SEED) options.tie = SL_TIE_RANDOM;
    if (bit == SL_CROWD_READS_SMOOTHING) options.variational = false;
    run(method, all, &options, &before);
    change(&options, bit, all);
    run(method, all, &options, &after);
    const bool differs = states_differ(&before, &after);
    if (differs != ((read & bit) != 0))
        print_error("%s %s the option with the bit %u\n", method->name,
                    differs ? "reads" : "ignores", bit);
    assert_true(differs == ((read & bit) != 0));
    sl_crowd_state_release(&before);
    sl_crowd_state_release(&after);
}

static void test_what_rows_say_is_read_changes_results_and_nothing_else_does(void **state)
{
    (void)state;
    struct material *all = sl_alloc(1, sizeof *all);
    prepare(all);
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        for (unsigned bit = 1; bit <= SL_CROWD_READS_ZBS; bit *= 2)
            check_bit(method, method->reads, bit, NULL, all);
    scene_release(&all->scene);
    soft_scene_release(&all->soft);
    free(all);
}

/* Rounds are those in which pools learn weights. */
static void test_pools_with_given_weights_read_all_but_rounds(void **state)
{
    (void)state;
    struct material *all = sl_alloc(1, sizeof *all);
    const double weights[ANNOTATORS] = {1, 2, 3, 4, 1, 2, 3, 4};
    prepare(all);
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        for (unsigned bit = 1; bit <= SL_CROWD_READS_ZBS; bit *= 2) {
            const unsigned read = method->reads & ~(unsigned)SL_CROWD_READS_ROUNDS;
            const unsigned both = SL_CROWD_SOFT | SL_CROWD_WEIGHTS;
            if ((method->needs & both) == both) check_bit(method, read, bit, weights, all);
        }
    scene_release(&all->scene);
    soft_scene_release(&all->soft);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rows_say_is_read_changes_results_and_nothing_else_does),
        cmocka_unit_test(test_pools_with_given_weights_read_all_but_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
