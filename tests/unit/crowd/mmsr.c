/* M-MSR on votes whose agreements are known exactly. */
#include "crowd_scene.h"

enum { PEOPLE = 4, PER_PAIR = 8 };

/* Every pair of people answers eight items of two classes; `same` says how many answers agree. */
static void make_pairs(struct scene *scene, const size_t same[PEOPLE][PEOPLE])
{
    const size_t n_pairs = PEOPLE * (PEOPLE - 1) / 2, n_items = n_pairs * PER_PAIR;
    scene_alloc(scene, n_items, PEOPLE, 2, 2 * n_items);
    size_t item = 0;
    for (uint32_t a = 0; a < PEOPLE; a++)
        for (uint32_t b = a + 1; b < PEOPLE; b++)
            for (size_t i = 0; i < PER_PAIR; i++, item++) {
                const uint16_t said = (uint16_t)(i % 2);
                scene->votes.annotator[2 * item] = a;
                scene->votes.annotator[2 * item + 1] = b;
                scene->votes.label[2 * item] = said;
                scene->votes.label[2 * item + 1] = i < same[a][b] ? said : 1 - said;
                scene->votes.begin[item + 1] = 2 * item + 2;
            }
}

static void run(const struct scene *scene, struct sl_crowd_state *out)
{
    scene_run(sl_aggregator_find("mmsr"), scene, sl_crowd_options_default(), out);
}

/* Skills .5, .5, 1 and .5 give agreements .25 and .5, so 5 and 6 of 8 equal answers. The
 * probability of being right is (s + 1) / 2; that of the third is held 1 / sqrt(48) below its
 * limit. */
static void test_exact_agreements_give_the_skills(void **state)
{
    static const size_t same[PEOPLE][PEOPLE] = {{0, 5, 6, 5}, {0, 0, 6, 5}, {0, 0, 0, 6}};
    struct scene scene;
    struct sl_crowd_state crowd;
    (void)state;
    make_pairs(&scene, same);
    run(&scene, &crowd);
    assert_near(crowd.skill[0], .75, 1e-6);
    assert_near(crowd.skill[1], .75, 1e-6);
    assert_near(crowd.skill[2], 1 - .5 / sqrt(48), 1e-6);
    assert_near(crowd.skill[3], .75, 1e-6);
    assert_near(crowd.weight[0], log(3), 1e-5);
    assert_true(crowd.converged);
    assert_true(crowd.trace[crowd.n_iterations - 1] <= 1e-10);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

/* The last annotator says the opposite: agreements with the others are negative. */
static void test_an_adversary_speaks_against_the_class_it_names(void **state)
{
    static const size_t same[PEOPLE][PEOPLE] = {{0, 6, 6, 2}, {0, 0, 6, 2}, {0, 0, 0, 2}};
    struct scene scene;
    struct sl_crowd_state crowd;
    (void)state;
    make_pairs(&scene, same);
    run(&scene, &crowd);
    for (size_t a = 0; a < 3; a++)
        assert_near(crowd.skill[a], .5 + .5 * sqrt(.5), 1e-6);
    assert_near(crowd.skill[3], .5 - .5 * sqrt(.5), 1e-6);
    assert_near(crowd.weight[3], -crowd.weight[0], 1e-5);
    /* The first item of the last pair: both say 0, one of them with a negative weight. */
    const size_t item = 5 * PER_PAIR;
    assert_near(crowd.posterior[2 * item], .5, 1e-5);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

/* Ten people of whom two agree with nobody by design; trimmed means ignore their quotients. */
static void test_honest_skills_survive_two_liars(void **state)
{
    struct scene scene;
    struct sl_crowd_state crowd;
    (void)state;
    scene_make(&scene, 2000, 10, 3, 6, .8, .8);
    for (size_t v = 0; v < scene.votes.count; v++)
        if (scene.votes.annotator[v] >= 8)
            scene.votes.label[v] = (uint16_t)((scene.votes.label[v] + 1) % 3);
    run(&scene, &crowd);
    for (size_t a = 0; a < 8; a++)
        assert_near(crowd.skill[a], .8, .04);
    for (size_t a = 8; a < 10; a++)
        assert_true(crowd.weight[a] < 0);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

static void test_who_shares_no_item_gets_the_mean_skill(void **state)
{
    static const size_t same[PEOPLE][PEOPLE] = {{0, 6, 6, 6}, {0, 0, 6, 6}, {0, 0, 0, 6}};
    struct scene scene;
    struct sl_crowd_state crowd;
    (void)state;
    make_pairs(&scene, same);
    scene.votes.n_annotators = PEOPLE + 1; /* nobody answers beside the last one */
    run(&scene, &crowd);
    assert_near(crowd.skill[PEOPLE], .5 + .5 * sqrt(.5), 1e-6);
    sl_crowd_state_release(&crowd);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_agreements_give_the_skills),
        cmocka_unit_test(test_an_adversary_speaks_against_the_class_it_names),
        cmocka_unit_test(test_honest_skills_survive_two_liars),
        cmocka_unit_test(test_who_shares_no_item_gets_the_mean_skill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
