#include "study/config/config.h"

#include "support.h"

static const char minimal[] =
    "{\"softlab\": \"study\", \"version\": 1, \"name\": \"pets\", \"title\": \"Cats & dogs\",\n"
    "\"classes\": [\"Cat\", \"Dog\"],\n"
    "\"items\": {\"kind\": \"images\"}%s}";

static enum sl_status parse(const char *further, struct sl_study **out, struct sl_error *err)
{
    char text[4096];
    int length = snprintf(text, sizeof text, minimal, further);
    return sl_study_parse(text, (size_t)length, "study.json", out, err);
}

static void test_what_is_left_out_has_its_default(void **state)
{
    (void)state;
    struct sl_study *study = NULL;
    struct sl_error err;
    assert_ok(parse("", &study, &err), err);
    assert_string_equal(study->name, "pets");
    assert_int_equal(study->n_classes, 2);
    assert_string_equal(study->items_folder, "items");
    assert_int_equal(study->size, 160);
    assert_string_equal(study->upsample, "lanczos");
    assert_int_equal(study->n_screens, 1);
    assert_string_equal(study->screens[0], "collins");
    assert_int_equal(study->framing, SL_FRAMING_THIRD);
    assert_int_equal(study->batch_size, 25);
    assert_int_equal(study->repeats, 2);
    assert_int_equal(study->annotators, 6);
    assert_true(study->shuffle_items && study->shuffle_classes && study->practice);
    assert_false(study->back);
    assert_int_equal(study->attempts, 3);
    assert_int_equal(study->lease_minutes, 60);
    assert_string_equal(study->consent_version, "1");
    assert_string_equal(study->recruiter, "open");
    assert_int_equal(study->bonus_rule, SL_BONUS_NONE);
    assert_string_equal(study->keep_until, "");
    sl_study_destroy(study);
}

static void test_what_is_written_is_read_again_unchanged(void **state)
{
    (void)state;
    struct sl_study *study = NULL, *again = NULL;
    struct sl_error err;
    assert_ok(
        parse(", \"screens\": [\"bars\", \"collins+\"], \"framing\": \"first\","
              "\"batch\": {\"size\": 7, \"repeats\": 3, \"annotators\": 9, \"check_every\": 4},"
              "\"flow\": {\"back\": true, \"attempts\": 2},"
              "\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"b\"], \"answer\": "
              "1}], \"debrief\": [{\"question\": \"hard?\", \"kind\": \"scale\"}],"
              "\"recruiter\": {\"kind\": \"prolific\", \"person\": \"PROLIFIC_PID\", \"keep\": "
              "[\"STUDY_ID\"], \"complete\": \"https://x.org/?cc={code}\", \"codes\": {\"done\": "
              "\"C1\"}}, \"pay\": {\"bonus_rule\": \"accuracy\", \"base\": 3.34}",
              &study, &err),
        err);
    json_t *written = sl_study_json(study);
    char *text = json_dumps(written, JSON_INDENT(2));
    assert_ok(sl_study_parse(text, strlen(text), "again", &again, &err), err);
    json_t *rewritten = sl_study_json(again);
    assert_true(json_equal(written, rewritten));
    assert_true(again->framing == SL_FRAMING_FIRST && again->back);
    assert_int_equal(again->bonus_rule, SL_BONUS_ACCURACY);
    assert_near(again->base, 3.34, 1e-12);
    assert_int_equal(again->debrief[0].kind, SL_DEBRIEF_SCALE);
    assert_int_equal(again->comprehension[0].answer, 1);
    assert_string_equal(again->code_done, "C1");
    json_decref(written);
    json_decref(rewritten);
    free(text);
    sl_study_destroy(study);
    sl_study_destroy(again);
}

static void test_every_mistake_is_named_with_its_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *further, *message;
    } cases[] = {
        {",\n\"screeens\": []", "study.json:4: $: unknown key \"screeens\", did you mean"},
        {",\n\"batch\": {\"sise\": 3}", "$.batch: unknown key \"sise\", did you mean \"size\"?"},
        {",\n\"batch\": {\"size\": 0}", "study.json:4: $.batch.size: expected"},
        {",\n\"batch\": {\"size\": 2.5}", "$.batch.size"},
        {",\n\"batch\": 3", "$.batch"},
        {",\n\"screens\": [\"colins\"]", "study.json:4: $.screens: unknown screen \"colins\""},
        {",\n\"screens\": []", "$.screens: expected a list of 1 to 32 texts, got 0"},
        {",\n\"screens\": [\"bars\", \"bars\"]", "\"bars\" occurs twice"},
        {",\n\"screens\": [\"mixsoft\"]", "asks about mixtures"},
        {",\n\"framing\": \"second\"", "$.framing: expected one of third, first"},
        {",\n\"batch\": {\"size\": 3, \"repeats\": 4}", "4 repeats are more than the 3 items"},
        {",\n\"recruiter\": {\"kind\": \"prolific\"}", "must name the URL parameter"},
        {",\n\"recruiter\": {\"person\": \"P\"}", "an open study does not name people"},
        {",\n\"recruiter\": {\"kind\": \"generic\", \"person\": \"a b\"}",
         "cannot be the name of a URL"},
        {",\n\"recruiter\": {\"kind\": \"generic\", \"person\": \"test\"}",
         "a parameter of softlab itself"},
        {",\n\"recruiter\": {\"keep\": [\"x&y\"]}", "cannot be the name of a URL"},
        {",\n\"recruiter\": {\"keep\": [\"sig\"]}", "a parameter of softlab itself"},
        {",\n\"recruiter\": {\"links\": \"sined\"}", "did you mean \"signed\"?"},
        {",\n\"recruiter\": {\"kind\": \"prolfic\"}",
         "$.recruiter.kind: \"prolfic\" is not one of: open, prolific, generic"},
        {",\n\"language\": \"e\"", "$.language: is shorter than 2 bytes"},
        {",\n\"recruiter\": {\"links\": \"signed\"}", "signed links need recruiter.person"},
        {",\n\"recruiter\": {\"kind\": \"prolific\", \"person\": \"P\", \"links\": \"signed\"}",
         "Prolific makes its own links"},
        {",\n\"recruiter\": {\"places_per_address\": -1}", "$.recruiter.places_per_address"},
        {",\n\"recruiter\": {\"complete\": \"javascript:alert(1)\"}", "must begin with https://"},
        {",\n\"recruiter\": {\"complete\": \"https://x/\\\"\"}", "addresses may not have"},
        {",\n\"recruiter\": {\"codes\": {\"done\": \"a b\"}}", "a code may have letters"},
        {",\n\"recruiter\": {\"codes\": {\"full\": \"TEST-\"}}", "are for test runs"},
        {",\n\"keep_until\": \"2027-13-01\"", "expected a date"},
        {",\n\"keep_until\": \"2027-1-1\"", "expected a date"},
        {",\n\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"b\"], \"answer\": "
         "2}]",
         "$.comprehension[0].answer: expected an integer from 0 to 1, got 2"},
        {",\n\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"b\"], \"answer\": "
         "-1}]",
         "$.comprehension[0].answer: expected the number of an option, counted from 0, got -1"},
        {",\n\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\"], \"answer\": 0}]",
         "$.comprehension[0].options: expected a list of 2 to 20 texts, got 1"},
        {",\n\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"b\"]}]",
         "$.comprehension[0]: \"answer\" is missing"},
        {",\n\"comprehension\": [{\"question\": \"q\", \"answer\": 0}]",
         "$.comprehension[0]: \"options\" is missing"},
        {",\n\"debrief\": [{}]", "$.debrief[0]: \"question\" is missing"},
        {",\n\"debrief\": [{\"question\": \"q\", \"kind\": \"stars\"}]", "$.debrief[0].kind"},
        {",\n\"debrief\": [{\"question\": \"a\\u0001b\"}]", "control character"},
        {",\n\"consent_version\": \"123456789012345678901234\"", "longer than 23"},
        {",\n\"lease_minutes\": 0", "$.lease_minutes"},
        {",\n\"lease_minutes\": \"sixty\"",
         "$.lease_minutes: expected an integer from 1 to 100000, got \"sixty\""},
        {",\n\"pay\": {\"bonus_from\": 1.5}", "$.pay.bonus_from"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_study *study = NULL;
        struct sl_error err;
        assert_fails(parse(cases[i].further, &study, &err), SL_ERR_INPUT, err, cases[i].message);
        assert_null(study);
    }
}

static void test_what_must_be_there_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{}", "softlab"},
        {"[]", "study.json:1"},
        {"{\"softlab\": \"labels\", \"version\": 1}", "expected \"study\""},
        {"{\"softlab\": \"study\", \"version\": 2}", "reads version 1, the file has 2"},
        {"{\"softlab\": \"study\"}", "missing key \"version\""},
        {"{\"softlab\": \"study\", \"version\": 1}", "$: \"name\" is missing"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\"}", "$: \"title\" is missing"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": null}",
         "$.title: expected text of 1 to 500 bytes, got null"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": \"b\"}",
         "$: \"classes\" is missing"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": \"b\","
         "\"classes\": [\"x\", \"y\"], \"items\": {}}",
         "$.items: \"kind\" is missing"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": \"b\","
         "\"classes\": [\"x\", \"y\"]}",
         "$: \"items\" is missing"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": \"b\","
         "\"classes\": [\"x\"], \"items\": {\"kind\": \"images\"}}",
         "$.classes: expected a list of 2 to 1000 texts, got 1"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": \"b\","
         "\"classes\": [\"x\", \"y\"], \"items\": {\"kind\": \"texts\", \"folder\": \"a/../..\"}}",
         "inside the study's folder"},
        {"{\"softlab\": \"study\", \"version\": 1, \"name\": \"a\", \"title\": \"b\","
         "\"classes\": [\"x\", \"y\"], \"items\": {\"kind\": \"texts\", \"file\": "
         "\"/etc/passwd\"}}",
         "inside the study's folder"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_study *study = NULL;
        struct sl_error err;
        assert_fails(
            sl_study_parse(cases[i].text, strlen(cases[i].text), "study.json", &study, &err),
            SL_ERR_INPUT, err, cases[i].message);
    }
}

static void test_a_folder_that_is_not_there_is_not_found(void **state)
{
    (void)state;
    struct sl_study *study = NULL;
    struct sl_error err;
    assert_fails(sl_study_read(test_path("nothing"), &study, &err), SL_ERR_NOT_FOUND, err,
                 "study init");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_left_out_has_its_default),
        cmocka_unit_test(test_what_is_written_is_read_again_unchanged),
        cmocka_unit_test(test_every_mistake_is_named_with_its_line_and_key),
        cmocka_unit_test(test_what_must_be_there_is_asked_for),
        cmocka_unit_test(test_a_folder_that_is_not_there_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
