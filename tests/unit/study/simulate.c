#include "study/simulate/simulate.h"

#include "study_scene.h"

static char circle[] = "circle", square[] = "square", star[] = "star", hexagon[] = "hexagon";
static char *class_names[] = {circle, square, star, hexagon, NULL};
static const struct sl_study four_classes = {.classes = class_names, .n_classes = 4};

static json_t *shown_classes(void)
{
    return json_pack("[s, s, s, s]", "star", "circle", "hexagon", "square");
}

/* ---- Answers ---- */

static void check_answers(const struct sl_sim_screen *row, bool slip)
{
    const struct sl_screen *screen = sl_screen_find(row->name);
    json_t *classes = shown_classes();
    struct sl_sim_sight sight = {.classes = classes, .n_classes = 4};
    struct sl_error err;
    for (uint64_t i = 0; i < 300; i++) {
        double values[4], sum = 0;
        struct sl_rng rng;
        sl_rng_init(&rng, 7, "test.answers", slip, i);
        for (size_t k = 0; k < 4; k++)
            sum += values[k] = sl_rng_gamma(&rng, i % 3 ? .1 : 2) + 1e-12;
        for (size_t k = 0; k < 4; k++)
            values[k] /= sum;
        struct sl_sim_belief belief = {values, values[0]};
        json_t *answer = row->say(&belief, &sight, slip, &rng);
        assert_ok(screen->check(answer, &four_classes, &err), err);
        json_decref(answer);
    }
    json_decref(classes);
}

static void test_every_screen_is_answered_as_it_wants(void **state)
{
    (void)state;
    for (const struct sl_screen *screen = sl_screens; screen->name; screen++) {
        const struct sl_sim_screen *row = sl_sim_screen_find(screen->name);
        assert_non_null(row);
        assert_true(screen->seconds > 0);
        check_answers(row, false);
        check_answers(row, true);
    }
}

static void test_an_answer_says_what_is_believed(void **state)
{
    (void)state;
    json_t *classes = shown_classes();
    struct sl_sim_sight sight = {.classes = classes, .n_classes = 4};
    double values[4] = {.2, .705, .095, 0};
    struct sl_sim_belief belief = {values, .25};
    struct sl_rng rng;
    struct sl_error err;
    struct sl_answer converted;
    sl_rng_init(&rng, 1, "test", 0, 0);
    json_t *bars = sl_sim_screen_find("bars")->say(&belief, &sight, false, &rng);
    assert_ok(sl_screen_find("bars")->convert(bars, &four_classes, &converted, &err), err);
    assert_near((double)converted.distribution[1], .71, 1e-6); /* as shown; the rest of rounding */
    sl_screen_answer_release(&converted);
    json_decref(bars);
    json_t *soft = sl_sim_screen_find("collins+")->say(&belief, &sight, false, &rng);
    assert_ok(sl_screen_find("collins+")->convert(soft, &four_classes, &converted, &err), err);
    assert_int_equal(converted.n_top, 2);
    assert_int_equal(converted.top[0].class_index, 0); /* circle */
    assert_near((double)converted.top[0].probability, .7, .011);
    assert_int_equal(converted.top[1].class_index, 2); /* star */
    assert_int_equal(converted.n_impossible, 1);
    assert_int_equal(converted.impossible[0], 1); /* square */
    sl_screen_answer_release(&converted);
    json_decref(soft);
    json_t *mix = sl_sim_screen_find("mix+")->say(&belief, &sight, false, &rng);
    assert_int_equal(json_integer_value(json_object_get(mix, "mixing")), 75);
    json_decref(mix);
    json_decref(classes);
}

/* ---- Beliefs ---- */

static double mean_distance(double noise, uint64_t trial)
{
    struct sl_sim_world nothing = {0};
    json_t *classes = shown_classes(), *item = json_pack("{s:s}", "text", "a b c");
    struct sl_sim_sight sight = {.item = item, .classes = classes, .n_classes = 4};
    double centre[4], values[4], sum = 0;
    struct sl_sim_belief belief = {.classes = centre};
    sl_sim_believe(&nothing, &sight, &(struct sl_sim_draw){1, 0, 0, 0}, &belief);
    belief.classes = values;
    for (uint64_t person = 0; person < 400; person++) {
        double total = 0;
        sl_sim_believe(&nothing, &sight, &(struct sl_sim_draw){1, person, trial, noise}, &belief);
        for (size_t k = 0; k < 4; k++) {
            assert_true(values[k] >= 0);
            total += values[k];
            sum += (values[k] - centre[k]) * (values[k] - centre[k]);
        }
        assert_near(total, 1, 1e-9);
    }
    json_decref(classes);
    json_decref(item);
    return sum / 400;
}

static void test_beliefs_wander_with_the_noise(void **state)
{
    (void)state;
    assert_near(mean_distance(0, 1), 0, 1e-18);
    double little = mean_distance(.01, 1), much = mean_distance(.2, 1);
    assert_true(little > 0);
    assert_true(much > 4 * little);
}

/* ---- Through a server ---- */

static enum sl_status check_class(const struct sl_store_row *row, void *context)
{
    const json_t *truth = context;
    json_t *body = json_loads(row->answer->body, 0, NULL);
    const char *said = json_string_value(json_object_get(json_object_get(body, "answer"), "class"));
    assert_string_equal(said, json_string_value(json_object_get(truth, row->answer->item)));
    json_decref(body);
    return SL_OK;
}

static enum sl_status note_truth(const struct sl_store_item *item, void *context)
{
    json_object_set_new(context, item->id, json_string(item->truth));
    return SL_OK;
}

static struct sl_study_simulation options_for(const struct scene *scene, char url[64])
{
    struct sl_study_simulation options = sl_study_simulation_default();
    snprintf(url, 64, "http://127.0.0.1:%u/", (unsigned)scene->port);
    options.url = url;
    options.folder = scene->folder;
    options.count = true;
    options.annotators = 4;
    options.at_once = 3;
    options.speed = 0;
    return options;
}

static void test_annotators_without_noise_say_the_truth(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    scene_make(&scene, 8, 4, NULL);
    scene_start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.noise = options.slips = 0;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 4);
    assert_int_equal(result.answers, 4 * 7); /* practice, 4 items, 2 repeats */
    assert_int_equal(result.retries, 0);
    assert_true(result.p50_ms > 0);
    assert_true(result.p50_ms <= result.p99_ms);
    options.seed = 2; /* four places were all there were */
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.refused, 4);
    assert_int_equal(result.answers, 0);
    assert_int_equal(result.n_reasons, 1);
    assert_string_equal(result.reasons[0].text, "the study has no place left");
    assert_int_equal(result.reasons[0].count, 4);
    scene_stop(&scene);
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    json_t *truth = json_object();
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_item(store, note_truth, truth, &err), err);
    assert_int_equal(json_object_size(truth), 8);
    assert_ok(sl_store_each_answer(store, check_class, truth, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    json_decref(truth);
}

static enum sl_status count_triangles(const struct sl_store_row *row, void *context)
{
    size_t *count = context;
    assert_non_null(strstr(row->answer->body, "\"class\":\"triangle\""));
    ++*count;
    return SL_OK;
}

/* A label file says otherwise than the items' own classes. */
static void test_labels_that_are_given_are_believed(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    char url[64], text[1024] = "item,triangle,square,circle\n";
    size_t count = 0;
    scene_make(&scene, 8, 4, NULL);
    for (unsigned i = 1; i <= 8; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "shapes-%06u,0.8,0.2,0\n", i);
    const char *labels = test_path("labels.csv");
    test_write(labels, text, strlen(text));
    scene_start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.truth = labels;
    options.noise = options.slips = 0;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    static const char strange[] = "item,triangle,square,circle\nsomething,1,0,0\n";
    test_write(labels, strange, strlen(strange));
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_INPUT, err, "none of");
    scene_stop(&scene);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_answer(store, count_triangles, &count, &err), err);
    assert_int_equal(count, 4 * 7);
    sl_store_close(store);
    sl_study_destroy(study);
}

static void test_tests_do_not_count_and_need_the_study_s_token(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    scene_make(&scene, 8, 4, NULL);
    scene_start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    const char *folder = options.folder;
    options.folder = NULL;
    options.count = false;
    options.annotators = 6;
    options.rate = 500;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "token");
    options.folder = folder;
    for (int i = 0; i < 2; i++) { /* the same people again: other sessions, other ids */
        assert_ok(sl_study_simulate(&options, &result, &err), err);
        assert_int_equal(result.finished, 6);
        assert_int_equal(result.answers, 6 * 7);
    }
    scene_stop(&scene);
}

/* Simulated people have links of their own where the study signs them. */
static void test_simulated_people_have_signed_links(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    scene_make(&scene, 8, 4,
               "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"who\", \"links\": "
               "\"signed\"}}");
    scene_start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.annotators = 2;
    options.rate = 500;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 2);
    scene_stop(&scene);
}

static void test_annotators_say_why_they_were_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64];
    scene_make(&scene, 8, 4, "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"who\"}}");
    scene_start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.folder = NULL; /* so that nobody knows the name of the parameter */
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_IO, err,
                 "refused on arrival: This link is not complete");
    scene_stop(&scene);
    static const char question[] =
        "{\"question\": \"q\", \"options\": [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", "
        "\"7\", \"8\", \"9\"], \"answer\": 1}";
    char *change = sl_string_printf(/* that nobody guesses */
                                    "{\"flow\": {\"attempts\": 1}, \"comprehension\": [%s, %s, %s, "
                                    "%s, %s, %s, %s, %s]}",
                                    question, question, question, question, question, question,
                                    question, question);
    scene_make(&scene, 8, 4, change);
    free(change);
    scene_start(&scene);
    options = options_for(&scene, url);
    options.folder = NULL; /* nor the right answer */
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.refused, 4);
    assert_int_equal(result.n_reasons, 1);
    assert_string_equal(result.reasons[0].text, "failed the comprehension check");
    assert_int_equal(result.reasons[0].count, 4);
    scene_stop(&scene);
}

/* ---- Behaviours ---- */

static void test_a_list_says_who_behaves_how(void **state)
{
    (void)state;
    const struct sl_sim_behaviour **people = NULL;
    struct sl_error err;
    size_t counts[3] = {0};
    assert_ok(sl_sim_behaviours_assign("key1=3,random=2", 9, 1, &people, &err), err);
    for (size_t i = 0; i < 9; i++)
        counts[strcmp(people[i]->name, "careful") == 0 ? 0
               : strcmp(people[i]->name, "key1") == 0  ? 1
                                                       : 2]++;
    assert_int_equal(counts[0], 4);
    assert_int_equal(counts[1], 3);
    assert_int_equal(counts[2], 2);
    free(people);
    assert_fails(sl_sim_behaviours_assign("key1=3,x=2", 9, 1, &people, &err), SL_ERR_USAGE, err,
                 "\"x=2\" is not a behaviour");
    assert_fails(sl_sim_behaviours_assign("key1", 9, 1, &people, &err), SL_ERR_USAGE, err,
                 "\"key1\" is not a behaviour and a number");
    assert_fails(sl_sim_behaviours_assign("key1=-1", 9, 1, &people, &err), SL_ERR_USAGE, err,
                 "\"-1\" is not a number");
    assert_fails(sl_sim_behaviours_assign("key1=10", 9, 1, &people, &err), SL_ERR_USAGE, err,
                 "more annotators than the 9");
    for (size_t i = 0; sl_study_behaviour_name(i); i++)
        assert_non_null(sl_study_behaviour_summary(i));
}

static void test_every_behaviour_gives_answers_that_screens_take(void **state)
{
    (void)state;
    json_t *classes = shown_classes();
    struct sl_sim_sight sight = {.classes = classes, .n_classes = 4};
    for (const struct sl_sim_behaviour *row = sl_sim_behaviours; row->name; row++)
        for (const struct sl_sim_screen *screen = sl_sim_screens; screen->name; screen++) {
            double values[4] = {.1, .6, .3, 0};
            struct sl_sim_belief belief = {values, .3};
            struct sl_rng rng;
            struct sl_error err;
            sl_rng_init(&rng, 1, "test", 0, 0);
            if (row->press) row->press(&belief, 4, 1, &rng);
            json_t *answer = screen->say(&belief, &sight, false, &rng);
            sl_sim_behaviour_settle(row, answer);
            assert_ok(sl_screen_find(screen->name)->check(answer, &four_classes, &err), err);
            json_decref(answer);
        }
    json_decref(classes);
}

/* Twenty scripts that always press the first key at 1.3 s, and twenty careful people, as test
 * sessions: the status flags all of the first and none of the others. */
static void check_scripts(const char *screen)
{
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    json_t *status = NULL;
    char url[64];
    scene_make(&scene, 25, 25, NULL);
    char *change = sl_string_printf("{\"screens\": [\"%s\"]}", screen);
    scene_change(&scene, change);
    free(change);
    scene_start(&scene);
    struct sl_study_simulation options = options_for(&scene, url);
    options.annotators = options.at_once = 40;
    options.count = options.images = false;
    options.scripts = "key1=20";
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 40);
    scene_stop(&scene);
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_study_status(study, store, 1700000000000, &status, &err), err);
    const json_t *people = json_object_get(status, "annotators");
    size_t n_scripts = 0, n_flagged = 0;
    for (size_t i = 0; i < json_array_size(people); i++) {
        const json_t *one = json_array_get(people, i), *judged = json_object_get(one, "suspicion");
        const bool flagged = json_is_true(json_object_get(judged, "flagged"));
        const json_t *reasons = json_object_get(judged, "reasons");
        const char *reason = json_string_value(json_array_get(reasons, 0));
        const bool same = reason && strstr(reason, "always the same class");
        assert_int_equal(flagged, same);
        n_flagged += flagged;
        n_scripts += same;
    }
    assert_int_equal(n_flagged, 20);
    assert_int_equal(n_scripts, 20);
    json_decref(status);
    sl_store_close(store);
    sl_study_destroy(study);
}

static void test_scripts_are_flagged_and_careful_people_are_not(void **state)
{
    (void)state;
    check_scripts("hard");
    check_scripts("collins+");
}

/* Every look at the clock is three seconds after the last. */
static double late_clock(void *context)
{
    double *seconds = context;
    return *seconds += 3;
}

static void test_progress_counts_trials_to_the_last(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_simulation_result result;
    struct sl_error err;
    char url[64], *said = NULL;
    size_t length = 0;
    double seconds = 0;
    scene_make(&scene, 8, 4, NULL);
    scene_start(&scene);
    struct sl_progress progress = {
        .stream = open_memstream(&said, &length), .seconds = late_clock, .clock_context = &seconds};
    struct sl_study_simulation options = options_for(&scene, url);
    options.annotators = 6; /* two more than there are places */
    options.progress = &progress;
    assert_ok(sl_study_simulate(&options, &result, &err), err);
    assert_int_equal(result.finished, 4);
    scene_stop(&scene);
    assert_int_equal(fclose(progress.stream), 0);
    assert_non_null(strstr(said, "simulating"));
    assert_non_null(strstr(said, "36 trials in"));
    free(said);
}

static void test_mistakes_of_the_caller_are_named(void **state)
{
    (void)state;
    struct sl_simulation_result result;
    struct sl_error err;
    struct sl_study_simulation options = sl_study_simulation_default();
    options.url = "http://127.0.0.1:1/"; /* where nobody listens */
    options.count = true;
    options.annotators = 2;
    options.patience = 0;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_IO, err, "no reply");
    options.truth = "labels.npz";
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err,
                 "needs the study's folder");
    options.slips = 2;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "slips");
    options.at_once = 0;
    assert_fails(sl_study_simulate(&options, &result, &err), SL_ERR_USAGE, err, "at least one");
}

static void test_the_result_as_json_has_its_reasons(void **state)
{
    (void)state;
    const struct sl_simulation_result result = {
        .finished = 4,
        .refused = 2,
        .reasons = {{.text = "no place", .count = 2}},
        .n_reasons = 1,
        .p50_ms = (double)NAN,
    };
    json_t *json = sl_simulation_result_json(&result, json_string("here"));
    const json_t *reason = json_array_get(json_object_get(json, "reasons"), 0);
    assert_int_equal(json_integer_value(json_object_get(json, "finished")), 4);
    assert_true(json_is_null(json_object_get(json, "p50_ms")));
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), "here");
    assert_string_equal(json_string_value(json_object_get(reason, "reason")), "no place");
    assert_int_equal(json_integer_value(json_object_get(reason, "count")), 2);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_screen_is_answered_as_it_wants),
        cmocka_unit_test(test_an_answer_says_what_is_believed),
        cmocka_unit_test(test_beliefs_wander_with_the_noise),
        cmocka_unit_test(test_annotators_without_noise_say_the_truth),
        cmocka_unit_test(test_labels_that_are_given_are_believed),
        cmocka_unit_test(test_tests_do_not_count_and_need_the_study_s_token),
        cmocka_unit_test(test_simulated_people_have_signed_links),
        cmocka_unit_test(test_annotators_say_why_they_were_refused),
        cmocka_unit_test(test_a_list_says_who_behaves_how),
        cmocka_unit_test(test_every_behaviour_gives_answers_that_screens_take),
        cmocka_unit_test(test_scripts_are_flagged_and_careful_people_are_not),
        cmocka_unit_test(test_progress_counts_trials_to_the_last),
        cmocka_unit_test(test_mistakes_of_the_caller_are_named),
        cmocka_unit_test(test_the_result_as_json_has_its_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
