/* Advice about generated and public crowds: the verdict follows the answers, and odd files get a
 * sentence of their own. */
#include "job_scene.h"
#include "softlab/base/random.h"

/* A crowd that is written as CSV. */
struct made {
    size_t items, annotators, per_item, classes, spammers;
    bool shuffled, alone; /* labels of other items; everything by one annotator */
};

/* Four of five items are clear. Spammers answer by chance. The file is item,worker,label. */
static char *make(const char *name, struct made made)
{
    struct sl_buffer text;
    struct sl_rng rng;
    size_t who[64];
    sl_buffer_init(&text, 1 << 24);
    sl_buffer_text(&text, "item,worker,label\n");
    sl_rng_init(&rng, 5, "test.advise", 0, 0);
    for (size_t i = 0; i < made.items; i++) {
        const uint64_t truth = sl_rng_below(&rng, made.classes);
        const double agreed = sl_rng_uniform(&rng) < .8 ? .97 : .5;
        sl_rng_sample(&rng, made.annotators, made.per_item, who);
        for (size_t a = 0; a < made.per_item; a++) {
            const bool looks = !made.shuffled && who[a] >= made.spammers;
            const uint64_t chance = sl_rng_below(&rng, made.classes);
            const uint64_t said = looks && sl_rng_uniform(&rng) < agreed ? truth : chance;
            sl_buffer_printf(&text, "i%zu,w%zu,c%u\n", i, made.alone ? 0 : who[a], (unsigned)said);
        }
    }
    char *path = test_job_file(name, text.data);
    sl_buffer_release(&text);
    return path;
}

/* What is said about a file: its situation and its page. */
struct said {
    char situation[32];
    char *page; /* owned */
};

static struct said ask_with(const char *path, const struct sl_advise_job *asked)
{
    struct test_job_scene scene;
    struct sl_advise_job job = *asked;
    struct sl_advice advice;
    struct sl_error err;
    struct said said;
    struct sl_buffer page;
    test_job_scene_init(&scene);
    job.answers = path;
    assert_ok(sl_advise_job_run(&job, &scene.workplace, &advice, &err), err);
    sl_buffer_init(&page, 1 << 20);
    sl_advice_page(&advice, &page);
    snprintf(said.situation, sizeof said.situation, "%s", sl_advice_verdict(&advice)->name);
    said.page = sl_string_copy(page.data);
    json_t *json = sl_advice_json(&advice, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "page")), said.page);
    assert_string_equal(json_string_value(json_object_get(json, "situation")), said.situation);
    json_decref(json);
    sl_buffer_release(&page);
    sl_advice_release(&advice);
    return said;
}

static struct said ask(const char *path)
{
    const struct sl_advise_job job = sl_advise_job_default();
    return ask_with(path, &job);
}

static void expect(struct said said, const char *situation, const char *sentence)
{
    assert_string_equal(said.situation, situation);
    if (!strstr(said.page, sentence)) fail_msg("no \"%s\" in:\n%s", sentence, said.page);
    assert_null(strstr(said.page, "nan"));
    assert_null(strstr(said.page, "inf "));
    free(said.page);
}

static void check(struct made made, const char *situation, const char *sentence)
{
    char *path = make("made.csv", made);
    expect(ask(path), situation, sentence);
    free(path);
}

static void test_the_verdict_follows_the_answers(void **state)
{
    (void)state;
    const struct made good = {200, 20, 5, 4, .spammers = 0};
    struct made spammed = good, shuffled = good;
    spammed.spammers = 6;
    shuffled.shuffled = true;
    check(good, "well", "These annotators agree well (Krippendorff's alpha 0.8");
    check(spammed, "spammed", "6 of 20 annotators seem to answer without looking; without them");
    check(shuffled, "chance", "The answers look like chance: nothing can be learned from them");
}

static void test_small_and_odd_crowds_have_their_own_sentence(void **state)
{
    (void)state;
    check((struct made){40, 1, 1, 3, .alone = true}, "one-person",
          "Only one person answered (w0): disagreement cannot be measured");
    check((struct made){40, 9, 1, 3, .spammers = 0}, "single", "Every item has only one answer");
    check((struct made){40, 9, 5, 1, .spammers = 0}, "one-class",
          "All 200 answers name the class \"c0\"");
    check((struct made){7, 9, 5, 3, .spammers = 0}, "small",
          "A pilot of 7 items is too small to judge this crowd");
    check((struct made){7, 9, 5, 3, .spammers = 0}, "small",
          "the answers cannot decide between methods");
    check((struct made){25, 9, 5, 3, .spammers = 0}, "well",
          "A pilot of 25 items is too small to say how hard items are in general");
    check((struct made){12, 4, 2, 2, .shuffled = true}, "unclear",
          "too few answers to say whether these annotators agree more than by chance");
    check((struct made){700, 20, 3, 150, .spammers = 0}, "fair",
          "How hard items are cannot be said: there are more than 100 classes");
    check((struct made){700, 20, 3, 150, .spammers = 0}, "fair",
          "Where the next answers help most cannot be said: there are more than 100 classes");
}

/* Half of the items, and one annotator, are answered by hand here. */
static void test_who_answered_what_is_said(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_text(&text, "item,worker,label\n");
    for (size_t i = 0; i < 100; i++)
        sl_buffer_printf(&text, "i%zu,ann,c%zu\n", i, i % 3);
    for (size_t i = 0; i < 30; i++)
        sl_buffer_printf(&text, "i%zu,%s,c%zu\n", i, i % 2 ? "bob" : "eve", i % 3);
    char *path = test_job_file("mostly.csv", text.data);
    expect(ask(path), "mostly-single", "Only one person answered most items (70 %)");
    expect(
        ask(path), "mostly-single",
        "Annotator ann answered every item (77 % of all answers): the labels lean on this person");
    sl_buffer_release(&text);
    free(path);
    path = test_job_file(
        "unused.jsonl", "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"a\",\"b\",\"c\"]}\n"
                        "{\"item\":\"1\",\"annotator\":\"x\",\"kind\":\"hard\",\"class\":\"a\"}\n"
                        "{\"item\":\"1\",\"annotator\":\"y\",\"kind\":\"hard\",\"class\":\"b\"}\n");
    expect(ask(path), "small", "Nobody chose 1 of the 3 classes.");
    free(path);
}

static void test_hours_need_the_time_of_an_answer(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_advise_job job = sl_advise_job_default();
    struct sl_advice advice;
    struct sl_error err;
    char *path = make("timed.csv", (struct made){200, 20, 5, 4, .spammers = 0});
    expect(ask(path), "well", "The answers have no times, so it is not known how many fit");
    job.answers = path;
    job.hours = 2;
    test_job_scene_init(&scene);
    assert_fails(sl_advise_job_run(&job, &scene.workplace, &advice, &err), SL_ERR_USAGE, err,
                 "--hours needs the time of an answer");
    job.seconds = 10;
    expect(ask_with(path, &job), "well",
           "In 2 hours of annotation, at 10.0 s per answer, there is time for 720 answers");
    free(path);
}

static void test_known_classes_are_compared(void **state)
{
    (void)state;
    struct sl_advise_job job = sl_advise_job_default();
    char *path = test_job_file("few.csv", "item,worker,label\nx,a,cat\nx,b,cat\nx,c,cat\n"
                                          "y,a,dog\ny,b,dog\ny,c,cat\n");
    char *truth = test_job_file("few_truth.csv", "item,truth\nx,dog\ny,dog\n");
    job.truth = truth;
    expect(ask_with(path, &job), "small",
           "another class than the known one for 1 item of 2 (50.0 %), most clearly for these:");
    expect(ask_with(path, &job), "small", "known: \"dog\"");
    free(path);
    free(truth);
}

static void test_nothing_to_advise_on_is_an_error(void **state)
{
    (void)state;
    struct test_job_scene scene;
    struct sl_advise_job job = sl_advise_job_default();
    struct sl_advice advice;
    struct sl_error err;
    test_job_scene_init(&scene);
    assert_fails(sl_advise_job_run(&job, &scene.workplace, &advice, &err), SL_ERR_USAGE, err,
                 "ANSWERS is missing");
    char *path = test_job_file(
        "none.jsonl", "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"a\",\"b\"]}\n");
    job.answers = path;
    assert_fails(sl_advise_job_run(&job, &scene.workplace, &advice, &err), SL_ERR_INPUT, err,
                 "none.jsonl: no answer counts");
    free(path);
}

/* Stated distributions: half of the annotators are sure, half give 60 %. */
static void test_stated_distributions_have_methods_of_their_own(void **state)
{
    (void)state;
    struct sl_buffer text;
    struct sl_rng rng;
    sl_buffer_init(&text, 1 << 20);
    sl_rng_init(&rng, 3, "test.advise", 0, 0);
    sl_buffer_text(&text, "item,worker,p_a,p_b,p_c\n");
    for (size_t i = 0; i < 60; i++) {
        const uint64_t truth = sl_rng_below(&rng, 3);
        for (size_t a = 0; a < 4; a++) {
            const uint64_t said = sl_rng_uniform(&rng) < .85 ? truth : sl_rng_below(&rng, 3);
            const double first = a < 2 ? .9 : .6, other = (1 - first) / 2;
            sl_buffer_printf(&text, "i%zu,w%zu,%.2f,%.2f,%.2f\n", i, a, said == 0 ? first : other,
                             said == 1 ? first : other, said == 2 ? first : other);
        }
    }
    char *path = test_job_file("rich.csv", text.data);
    struct said said = ask(path);
    assert_non_null(strstr(said.page, "dirichlet-soft"));
    assert_non_null(strstr(said.page, "of the stated probability is on one class"));
    free(said.page);
    sl_buffer_release(&text);
    free(path);
}

/* ---- Public crowds ---- */

/* The answers of a public CSV, changed: labels shuffled, or every third annotator by chance. */
static char *change(const char *path, bool shuffle)
{
    struct sl_votes *votes = NULL;
    struct sl_import_options options = {.columns = NULL};
    struct sl_error err;
    struct sl_rng rng;
    assert_ok(sl_votes_read(path, &options, &votes, &err), err);
    sl_rng_init(&rng, 9, "test.change", 0, 0);
    for (size_t v = votes->count; v > 1 && shuffle; v--) {
        const size_t other = (size_t)sl_rng_below(&rng, v);
        const uint16_t label = votes->label[v - 1];
        votes->label[v - 1] = votes->label[other];
        votes->label[other] = label;
    }
    for (size_t v = 0; v < votes->count && !shuffle; v++)
        if (votes->annotator[v] % 3 == 0)
            votes->label[v] = (uint16_t)sl_rng_below(&rng, votes->n_classes);
    char *changed = sl_string_copy(test_path(shuffle ? "shuffled.slb" : "spammed.slb"));
    assert_ok(sl_votes_write_slb(votes, changed, &err), err);
    sl_votes_destroy(votes);
    return changed;
}

/* The answers of LabelMe, which are a matrix, as answers.jsonl. */
static char *import_matrix(const char *matrix)
{
    const struct sl_import_options options = {.columns = NULL};
    const char *const paths[] = {matrix};
    char *path = sl_string_copy(test_path("matrix.jsonl"));
    struct sl_answer_writer *writer = NULL;
    struct sl_error err;
    assert_ok(sl_answer_writer_create(path, &writer, &err), err);
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    assert_ok(sl_answer_format_find("labelme")->import(paths, 1, &options, &sink, &err), err);
    assert_ok(sl_answer_writer_commit(writer, &err), err);
    sl_answer_writer_destroy(writer);
    return path;
}

static void test_labelme_loses_its_verdict_when_changed(void **state)
{
    (void)state;
    const char *matrix = test_data("labelme/answers.txt");
    if (!matrix) skip();
    char *path = import_matrix(matrix), *shuffled = change(path, true);
    char *spammed = change(path, false);
    expect(ask(path), "fair", "These annotators agree fairly well");
    expect(ask(shuffled), "chance", "The answers look like chance");
    expect(ask(spammed), "spammed", "annotators seem to answer without looking; without them");
    free(path);
    free(shuffled);
    free(spammed);
}

static void test_a_crowd_of_dogs_loses_its_verdict_when_changed(void **state)
{
    (void)state;
    const char *votes = test_data("truth_inference/dog/label.csv");
    if (!votes) skip();
    char *path = sl_string_copy(votes), *shuffled = change(path, true);
    expect(ask(path), "moderate", "These annotators agree moderately");
    expect(ask(shuffled), "chance", "The answers look like chance");
    free(path);
    free(shuffled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_verdict_follows_the_answers),
        cmocka_unit_test(test_small_and_odd_crowds_have_their_own_sentence),
        cmocka_unit_test(test_who_answered_what_is_said),
        cmocka_unit_test(test_hours_need_the_time_of_an_answer),
        cmocka_unit_test(test_known_classes_are_compared),
        cmocka_unit_test(test_nothing_to_advise_on_is_an_error),
        cmocka_unit_test(test_stated_distributions_have_methods_of_their_own),
        cmocka_unit_test(test_labelme_loses_its_verdict_when_changed),
        cmocka_unit_test(test_a_crowd_of_dogs_loses_its_verdict_when_changed),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
