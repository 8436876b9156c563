/* Files of beliefs: CIFAR-10S, its screen log, and H-Mix. */
#include "answer_support.h"

static const char release[] =
    "{\"17\": [{\"Most Probable Class\": \"Cat\", \"Most Probable Class Prob\": 95.0,\n"
    "  \"Second Most Probable Class\": \"Dog\", \"Second Most Probable Class Prob\": 10.0,\n"
    "  \"Impossible Class(es)\": [\"Frog\", \"Airplane\"]},\n"
    " {\"Most Probable Class\": \"Ship\", \"Most Probable Class Prob\": null,\n"
    "  \"Second Most Probable Class\": \"No\", \"Second Most Probable Class Prob\": null,\n"
    "  \"Impossible Class(es)\": []}],\n"
    " \"4\": [{\"Most Probable Class\": \"Dog\", \"Most Probable Class Prob\": 33.3,\n"
    "  \"Second Most Probable Class\": \"Cat\", \"Second Most Probable Class Prob\": null,\n"
    "  \"Impossible Class(es)\": []}]}";

static void test_the_release_is_read_as_given(void **state)
{
    (void)state;
    struct sl_answers *answers = import_text("cifar10s-json", release, NULL);
    assert_int_equal(answers->n_classes, 10);
    assert_string_equal(answers->classes[0], "Airplane");
    assert_int_equal(answers->count, 3);
    struct sl_answer answer = get_answer(answers, 0);
    assert_int_equal(answer.kind, SL_ANSWER_SOFT);
    assert_field(answer.item, "17");
    assert_field(answer.annotator, "");
    assert_int_equal(answer.n_top, 2);
    assert_int_equal(answer.top[0].class_index, 3);
    assert_near(answer.top[0].probability, .95, 1e-7);
    assert_int_equal(answer.top[1].class_index, 5);
    assert_near(answer.top[1].probability, .1, 1e-7);
    assert_int_equal(answer.n_impossible, 2);
    assert_int_equal(answer.impossible[0], 6);
    assert_int_equal(answer.impossible[1], 0);
    answer = get_answer(answers, 1);
    assert_int_equal(answer.n_top, 1);
    assert_true(isnan(answer.top[0].probability));
    answer = get_answer(answers, 2);
    assert_int_equal(answer.n_top, 2);
    assert_true(isnan(answer.top[1].probability));
    assert_round_trip("cifar10s-json", answers, NULL);
    sl_answers_destroy(answers);
}

static void test_what_the_release_cannot_mean_is_refused(void **state)
{
    (void)state;
    assert_import_fails("cifar10s-json", "{\"1\": [\n{\"Most Probable Class\": \"Cta\"}]}", NULL,
                        "in:2: $[\"1\"][0][\"Most Probable Class\"]: unknown class \"Cta\"");
    assert_import_fails("cifar10s-json",
                        "{\"1\": [{\"Most Probable Class\": \"Cat\", "
                        "\"Most Probable Class Prob\": \"8p\"}]}",
                        NULL, "$[\"1\"][0][\"Most Probable Class Prob\"]");
    assert_import_fails("cifar10s-json",
                        "{\"1\": [{\"Most Probable Class\": \"Cat\", "
                        "\"Most Probable Class Prob\": 1e300}]}",
                        NULL, "$[\"1\"][0][\"Most Probable Class Prob\"]");
    assert_import_fails("cifar10s-json", "{\"1\": {}}", NULL, "$[\"1\"]");
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("cifar10s-json",
                                             "{\"1\": [{\"Most Probable Class\": null}, "
                                             "{\"Most Probable Class\": \"Cat\", "
                                             "\"Most Probable Class Prob\": 1e9}]}",
                                             &options);
    assert_int_equal(answers->count, 1);
    assert_int_equal(notes.n_skipped, 1);
    assert_near(get_answer(answers, 0).top[0].probability, 1e7, 1);
    sl_answers_destroy(answers);
}

#define LOG_HEADER                                                                                 \
    ",trial_type,trial_index,time_elapsed,subject,condition,rt,view_history,response,filename,"    \
    "task,label,img_id\n"
#define LOG_ROW(trial, subject, response, task, label, id)                                         \
    "0,survey-html-form," trial ",9," subject ",21,1500.5,,\"" response "\",f_" id ".png," task    \
    "," label "," id ".0\n"

static void test_the_screen_log_tells_repeats_and_second_runs(void **state)
{
    (void)state;
    static const char text[] = LOG_HEADER "0,pavlovia,0,1813,ann,21,,,,,,,\n" LOG_ROW(
        "6", "ann",
        "{\"\"classSelect\"\":\"\"mostProbDeer\"\",\"\"prob\"\":\"\" 70 \"\",\"\"classSelect2\"\":"
        "\"\"secondProbHorse\"\",\"\"prob2\"\":\"\"20\"\",\"\"improbClassSelectShip\"\":\"\"1\"\"}",
        "spec_conf", "Deer", "1128")
        LOG_ROW("7", "ann",
                "{\"\"classSelect\"\":\"\"mostProbCat\"\",\"\"prob\"\":\"\"8p\"\","
                "\"\"classSelect2\"\":\"\"secondProbNo\"\",\"\"prob2\"\":\"\"100\"\"}",
                "spec_conf", "Dog", "5")
            LOG_ROW("31", "ann",
                    "{\"\"classSelect\"\":\"\"mostProbDeer\"\",\"\"prob\"\":\"\"0\"\","
                    "\"\"classSelect2\"\":\"\"secondProbNo\"\",\"\"prob2\"\":\"\"\"\"}",
                    "rerun_spec_conf", "Deer", "1128")
                LOG_ROW("6", "ann",
                        "{\"\"classSelect\"\":\"\"mostProbDeer\"\",\"\"prob\"\":\"\"1e9\"\","
                        "\"\"classSelect2\"\":\"\"\"\",\"\"prob2\"\":\"\"\"\"}",
                        "spec_conf", "Deer", "1128")
                    LOG_ROW("6", "bob", "{\"\"prob\"\":\"\"10\"\"}", "spec_conf", "Deer", "1128");
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("cifar10s-raw", text, &options);
    assert_int_equal(answers->count, 4);
    assert_int_equal(notes.n_read, 5);
    assert_int_equal(notes.n_skipped, 1);
    assert_int_equal(notes.n_mended, 1);
    struct sl_answer answer = get_answer(answers, 0);
    assert_field(answer.item, "1128");
    assert_field(answer.annotator, "ann");
    assert_field(answer.batch, "21");
    assert_int_equal(answer.flags, 0);
    assert_int_equal(answer.trial, 6);
    assert_near(answer.ms, 1500.5, 0);
    assert_int_equal(answer.truth, 4);
    assert_int_equal(answer.n_top, 2);
    assert_int_equal(answer.top[1].class_index, 7);
    assert_near(answer.top[1].probability, .2, 1e-7);
    assert_int_equal(answer.n_impossible, 1);
    assert_int_equal(answer.impossible[0], 8);
    answer = get_answer(answers, 1);
    assert_int_equal(answer.n_top, 1);
    assert_true(isnan(answer.top[0].probability));
    assert_field(answer.raw[0], "8p");
    assert_field(answer.raw[1], "100");
    answer = get_answer(answers, 2);
    assert_int_equal(answer.flags, SL_ANSWER_REPEAT);
    assert_near(answer.top[0].probability, 0, 0);
    answer = get_answer(answers, 3);
    assert_int_equal(answer.flags, SL_ANSWER_SECOND_RUN);
    assert_near(answer.top[0].probability, 1e7, 1);
    sl_answers_destroy(answers);
}

static void test_what_no_float_holds_is_no_probability(void **state)
{
    (void)state;
    static const char *const typed[] = {"1e60", "nan", "inf", "0x10", "80%"};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct sl_import_notes notes = {0};
        const struct sl_import_options options = {.notes = &notes};
        char text[600];
        snprintf(text, sizeof text, "%s%s%s%s", LOG_HEADER,
                 "0,survey-html-form,6,9,ann,21,,,\"{\"\"classSelect\"\":\"\"mostProbCat\"\","
                 "\"\"prob\"\":\"\"",
                 typed[i], "\"\"}\",f.png,spec_conf,,7\n");
        struct sl_answers *answers = import_text("cifar10s-raw", text, &options);
        assert_true(isnan(get_answer(answers, 0).top[0].probability));
        assert_field(get_answer(answers, 0).raw[0], typed[i]);
        assert_int_equal(get_answer(answers, 0).truth, -1);
        assert_int_equal(notes.n_mended, 1);
        sl_answers_destroy(answers);
    }
}

static void test_a_broken_screen_stops_with_file_and_line(void **state)
{
    (void)state;
    assert_import_fails(
        "cifar10s-raw",
        LOG_HEADER LOG_ROW("6", "a", "{\"\"classSelect\"\":", "spec_conf", "Deer", "1"), NULL,
        "in:2");
    assert_import_fails(
        "cifar10s-raw",
        LOG_HEADER LOG_ROW("6", "a", "{\"\"classSelect\"\":\"\"mostProbCow\"\"}", "x", "Deer", "1"),
        NULL, "in:2: unknown class \"Cow\"");
    assert_import_fails(
        "cifar10s-raw",
        LOG_HEADER LOG_ROW("6", "a", "{\"\"classSelect\"\":\"\"Cat\"\"}", "x", "Deer", "1"), NULL,
        "expected \"mostProb<class>\"");
    assert_import_fails("cifar10s-raw", LOG_HEADER LOG_ROW("x", "a", "{}", "x", "Deer", "1"), NULL,
                        "trial_index");
    assert_import_fails("cifar10s-raw", "subject,trial_index\n", NULL, "rt");
}

#define MIX_HEADER                                                                                 \
    ",trial_index,subject,study_id,condition,rt,responses,filename,task,label1,label2,"            \
    "mixtureCoeff\n"
#define MIX_ROW(trial, responses, file, task, generated)                                           \
    "0," trial ",ann,s1,7,250.5,\"" responses "\"," file "," task ",Dog,Frog," generated "\n"

static void test_mixtures_are_shares_of_the_first_class(void **state)
{
    (void)state;
    static const char text[] = MIX_HEADER MIX_ROW(
        "6", "{\"\"mixingcoeff\"\":26,\"\"confidence\"\":100}", "a.png", "rate_mixture", "0.9")
        MIX_ROW("7", "{\"\"mixingcoeff\"\":100}", "=b.png", "rate_mixture", "")
            MIX_ROW("66", "{\"\"mixingcoeff\"\":0.5,\"\"confidence\"\":33}", "a.png",
                    "rerun_rate_mixture", "0.1") MIX_ROW("8", "", "c.png", "rate_mixture", "0.5");
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("hmix", text, &options);
    assert_int_equal(answers->count, 3);
    assert_int_equal(notes.n_skipped, 1);
    struct sl_answer answer = get_answer(answers, 0);
    assert_int_equal(answer.kind, SL_ANSWER_MIX);
    assert_field(answer.item, "a.png");
    assert_field(answer.study, "s1");
    assert_int_equal(answer.mix.a, 5);
    assert_int_equal(answer.mix.b, 6);
    assert_near(answer.mix.lambda, .74, 1e-7);
    assert_near(answer.mix.confidence, 1, 0);
    assert_near(answer.mix.generated, .9, 1e-7);
    answer = get_answer(answers, 1);
    assert_near(answer.mix.lambda, 0, 0);
    assert_true(isnan(answer.mix.confidence) && isnan(answer.mix.generated));
    assert_int_equal(get_answer(answers, 2).flags, SL_ANSWER_REPEAT);
    assert_round_trip("hmix", answers, NULL);
    sl_answers_destroy(answers);
    assert_import_fails("hmix",
                        MIX_HEADER MIX_ROW("6", "{\"\"mixingcoeff\"\":101}", "a", "rate", "0.5"),
                        NULL, "in:2: $.mixingcoeff");
    assert_import_fails("hmix",
                        MIX_HEADER MIX_ROW("6", "{\"\"mixingcoeff\"\":1}", "a", "rate", "nan"),
                        NULL, "in:2:");
}

static size_t count_flagged(const struct sl_answers *answers, unsigned flag)
{
    size_t count = 0;
    for (size_t i = 0; i < answers->count; i++)
        count += (get_answer(answers, i).flags & flag) != 0;
    return count;
}

static void test_the_released_answers_come_out(void **state)
{
    (void)state;
    const char *path = test_data("cifar10s/human_soft_labels_data.json");
    if (!path) skip();
    struct sl_answers *json = import_file("cifar10s-json", path, NULL);
    assert_int_equal(json->count, 6723);
    assert_int_equal(sl_name_table_count(json->items), 1000);
    assert_round_trip("cifar10s-json", json, NULL);
    sl_answers_destroy(json);
}

static void test_the_released_screens_come_out(void **state)
{
    (void)state;
    const char *path = test_data("cifar10s/raw_human_data.csv");
    if (!path) skip();
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *raw = import_file("cifar10s-raw", path, &options);
    assert_int_equal(raw->count, 6723);
    assert_int_equal(notes.n_skipped, 0);
    assert_int_equal(notes.n_mended, 1);
    assert_int_equal(sl_name_table_count(raw->annotators), 248);
    assert_int_equal(sl_name_table_count(raw->items), 1000);
    assert_int_equal(count_flagged(raw, SL_ANSWER_REPEAT), 498);
    assert_int_equal(count_flagged(raw, SL_ANSWER_SECOND_RUN), 27);
    sl_answers_destroy(raw);
}

struct bag {
    unsigned sums[10000]; /* by item: a sum that does not depend on the order of answers */
    unsigned counts[10000];
};

static void fill_bag(const struct sl_answers *answers, struct bag *bag)
{
    for (size_t i = 0; i < answers->count; i++) {
        const struct sl_answer answer = get_answer(answers, i);
        int64_t item = 0;
        assert_true(sl_text_to_integer(answer.item.text, answer.item.length, &item));
        unsigned sum = 1 + answer.top[0].class_index;
        if (answer.n_top > 1) {
            sum += 20 * (1 + answer.top[1].class_index);
            if (!isnan(answer.top[1].probability))
                sum += 1000 * (1 + (unsigned)lroundf(answer.top[1].probability * 100));
        }
        for (size_t k = 0; k < answer.n_impossible; k++)
            sum += 200000u << answer.impossible[k];
        bag->sums[item] += sum * sum;
        bag->counts[item]++;
    }
}

static void test_screens_survive_answers_jsonl(void **state)
{
    (void)state;
    const char *path = test_data("cifar10s/raw_human_data.csv");
    if (!path) skip();
    struct sl_error err;
    struct sl_answer_writer *writer = NULL;
    struct sl_answers *direct = import_file("cifar10s-raw", path, NULL), *again = NULL;
    assert_ok(sl_answer_writer_create(test_path("answers.jsonl"), &writer, &err), err);
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    assert_ok(find_format("cifar10s-raw")->import(&path, 1, NULL, &sink, &err), err);
    assert_ok(sl_answer_writer_commit(writer, &err), err);
    sl_answer_writer_destroy(writer);
    assert_ok(sl_answers_read(test_path("answers.jsonl"), &again, NULL, &err), err);
    assert_same_answers(direct, again);
    sl_answers_destroy(direct);
    sl_answers_destroy(again);
}

static void test_release_and_screens_hold_the_same_answers(void **state)
{
    (void)state;
    static struct bag bags[2];
    const char *path = test_data("cifar10s/human_soft_labels_data.json");
    if (!path) skip();
    struct sl_answers *answers = import_file("cifar10s-json", path, NULL);
    fill_bag(answers, &bags[0]);
    sl_answers_destroy(answers);
    answers = import_file("cifar10s-raw", test_data("cifar10s/raw_human_data.csv"), NULL);
    fill_bag(answers, &bags[1]);
    sl_answers_destroy(answers);
    assert_memory_equal(&bags[0], &bags[1], sizeof bags[0]);
}

static void test_the_thesis_has_1908_answers_of_33_people(void **state)
{
    (void)state;
    const char *path = test_data("hmix/hmix_infer_mixing_factor.csv");
    if (!path) skip();
    struct sl_answers *answers = import_file("hmix", path, NULL);
    assert_int_equal(answers->count, 4950);
    assert_int_equal(count_flagged(answers, SL_ANSWER_REPEAT), 162);
    assert_int_equal(count_flagged(answers, SL_ANSWER_SECOND_RUN), 0);
    assert_round_trip("hmix", answers, NULL);
    struct sl_error err;
    struct sl_buffer names;
    sl_buffer_init(&names, SIZE_MAX);
    sl_buffer_byte(&names, '\n');
    assert_ok(sl_file_read(test_data("hmix/thesis_810_filenames.txt"), &names, &err), err);
    size_t count = 0, n_people = 0;
    bool *seen = calloc(answers->count, sizeof *seen);
    for (size_t i = 0; i < answers->count; i++) {
        const struct sl_answer answer = get_answer(answers, i);
        char line[200];
        snprintf(line, sizeof line, "\n%.*s\n", (int)answer.item.length, answer.item.text);
        if (answer.flags || !strstr(names.data, line)) continue;
        count++;
        if (!seen[answers->annotator[i]]) n_people++;
        seen[answers->annotator[i]] = true;
    }
    assert_int_equal(count, 1908);
    assert_int_equal(n_people, 33);
    free(seen);
    sl_buffer_release(&names);
    sl_answers_destroy(answers);
}

static void test_soft_labels_of_mixed_images_come_out(void **state)
{
    (void)state;
    const char *path = test_data("hmix/hmix_categorical_soft_labels.csv");
    if (!path) skip();
    struct sl_answers *answers = import_file("hmix-soft", path, NULL);
    assert_int_equal(answers->count, 216);
    assert_int_equal(sl_name_table_count(answers->items), 100);
    assert_int_equal(sl_name_table_count(answers->annotators), 8);
    assert_int_equal(count_flagged(answers, SL_ANSWER_REPEAT), 16);
    const struct sl_answer answer = get_answer(answers, 0);
    assert_field(answer.item, "mixed_0.75_Airplane_3497_Ship_8913.png");
    assert_int_equal(answer.truth, -1);
    assert_near(answer.top[0].probability, .6, 1e-7);
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_release_is_read_as_given),
        cmocka_unit_test(test_what_the_release_cannot_mean_is_refused),
        cmocka_unit_test(test_the_screen_log_tells_repeats_and_second_runs),
        cmocka_unit_test(test_what_no_float_holds_is_no_probability),
        cmocka_unit_test(test_a_broken_screen_stops_with_file_and_line),
        cmocka_unit_test(test_mixtures_are_shares_of_the_first_class),
        cmocka_unit_test(test_the_released_answers_come_out),
        cmocka_unit_test(test_the_released_screens_come_out),
        cmocka_unit_test(test_screens_survive_answers_jsonl),
        cmocka_unit_test(test_release_and_screens_hold_the_same_answers),
        cmocka_unit_test(test_the_thesis_has_1908_answers_of_33_people),
        cmocka_unit_test(test_soft_labels_of_mixed_images_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
