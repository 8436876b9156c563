#include "softlab/train/recipe.h"

#include "support.h"

/* Assignments over the defaults, and the expected message. */
static void test_contradictions_are_one_sentence_each(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"network=resnet43", "no network is called \"resnet43\", did you mean \"resnet"},
        {"network=resnt:n=3", "no network is called \"resnt\", did you mean \"resnet\"?"},
        {"method=mixupp", "no method is called \"mixupp\", did you mean \"mixup\"?"},
        {"method=", "no method is called \"\""},
        {"mean=.5", "mean has 1 number, but deviation has 0"},
        {"schedule=step", "the schedule has steps, but milestones is empty"},
        {"schedule=segment,milestones=3,4", "milestones has 2 epochs, but factors has 0 numbers"},
        {"schedule=step,milestones=3,4,factors=.1", "milestones has 2 epochs, but factors has 1"},
        {"schedule=step,milestones=4,4,factors=.1,.1", "milestones: 4 does not come after 4"},
        {"schedule=step,milestones=4.5,factors=.1",
         "milestones: 4.5 is not the number of an epoch"},
        {"schedule=cosine,cosine_epochs=9", "the rate would be 0 for the rest of 10 epochs"},
        {"nesterov=true,momentum=0", "nesterov needs a momentum above 0"},
        {"nesterov=true,optimiser=adam", "nesterov works with optimiser=sgd only"},
        {"holdout=colins2022", "no hold-out list is called \"colins2022\", did you mean \"collins"},
        {"holdout=collins2022,holdout_draw=3", "holdout_draw asks for 3 items"},
        {"dev=held-out,dev_count=3", "dev is a whole fold, but dev_count asks for 3 items"},
        {"method=crowd-layer,draw=annotator", "a crowd layer reads every annotator's answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_recipe recipe = sl_recipe_default();
        assert_ok(sl_recipe_set_all(&recipe, cases[i][0], &err), err);
        assert_fails(sl_recipe_check(&recipe, &err), SL_ERR_INPUT, err, cases[i][1]);
    }
}

static void test_what_is_unusual_and_possible_passes(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "network=resnet:n=3,rate=0",
        "network=mlp",
        "schedule=cosine,cosine_epochs=300",
        "schedule=step,milestones=30,factors=.1", /* after the last epoch */
        "milestones=3",                           /* of a schedule that was replaced */
        "mean=.5,deviation=.2",
        "method=crowd-layer",
        "draw=sample,method=mixup",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_recipe recipe = sl_recipe_default();
        assert_ok(sl_recipe_set_all(&recipe, cases[i], &err), err);
        assert_ok(sl_recipe_check(&recipe, &err), err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contradictions_are_one_sentence_each),
        cmocka_unit_test(test_what_is_unusual_and_possible_passes),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
