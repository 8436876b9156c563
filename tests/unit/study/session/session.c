#include "study/session/session.h"

#include "support.h"

static char right[] = "right", wrong_option[] = "wrong";
static char *options[] = {right, wrong_option};
static struct sl_study_question questions[] = {
    {.options = options, .n_options = 2, .answer = 0},
    {.options = options, .n_options = 2, .answer = 1},
};
static char version[] = "2", address[] = "https://x.test/?cc={code}&again={code}", code[] = "C&1",
            nothing[] = "";

static struct sl_study plain(void)
{
    return (struct sl_study){.comprehension = questions,
                             .n_comprehension = 2,
                             .attempts = 2,
                             .lease_minutes = 10,
                             .consent_version = version,
                             .complete = address,
                             .code_done = code,
                             .code_refused = nothing,
                             .code_failed = code};
}

/* All but exercises. */
static const struct sl_flow all = {.has = {true, true, true, false, true, true, true, true}};
static const struct sl_flow none = {.has = {false}};

static struct sl_store_session at(enum sl_place place)
{
    struct sl_store_session session = {.id = 1, .state = SL_SESSION_ACTIVE};
    snprintf(session.place, sizeof session.place, "%s", sl_place_names[place]);
    return session;
}

static void test_places_that_a_study_leaves_out_are_passed_over(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_store_session session = at(SL_PLACE_CONSENT);
    assert_ok(sl_session_settle(&session, &none, 5, &err), err);
    assert_string_equal(session.place, "trials");
    assert_ok(sl_session_answered(&session, &none, 0, 1, false, 7, &err), err);
    assert_string_equal(session.place, "done");
    assert_int_equal(session.state, SL_SESSION_DONE);
    assert_int_equal(session.finished, 7);
    session = at(SL_PLACE_CONSENT);
    assert_ok(sl_session_settle(&session, &all, 5, &err), err);
    assert_string_equal(session.place, "consent");
}

static void test_a_place_ahead_is_refused_and_one_behind_is_not(void **state)
{
    (void)state;
    struct sl_error err;
    bool behind = false;
    struct sl_store_session session = at(SL_PLACE_CHECK);
    assert_ok(sl_session_reach(&session, SL_PLACE_CONSENT, &behind, &err), err);
    assert_true(behind);
    assert_ok(sl_session_reach(&session, SL_PLACE_CHECK, &behind, &err), err);
    assert_false(behind);
    assert_fails(sl_session_reach(&session, SL_PLACE_DEBRIEF, &behind, &err), SL_ERR_USAGE, err,
                 "at check; debrief comes later");
    snprintf(session.place, sizeof session.place, "nowhere");
    assert_fails(sl_session_reach(&session, SL_PLACE_CHECK, &behind, &err), SL_ERR_BACKEND, err,
                 "nowhere");
}

static void test_consent_keeps_its_version_and_refusal_ends(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_study study = plain();
    struct sl_store_session session = at(SL_PLACE_CONSENT);
    assert_fails(sl_session_consent(&session, &study, &all, true, "1", 3, &err), SL_ERR_USAGE, err,
                 "version 2");
    assert_ok(sl_session_consent(&session, &study, &all, true, "2", 3, &err), err);
    assert_string_equal(session.consent, "2");
    assert_string_equal(session.place, "instructions");
    session = at(SL_PLACE_CONSENT);
    assert_ok(sl_session_consent(&session, &study, &all, false, "2", 3, &err), err);
    assert_string_equal(session.place, "refused");
    assert_int_equal(session.state, SL_SESSION_REFUSED);
    assert_string_equal(session.consent, "");
}

static void test_attempts_are_counted_and_run_out(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_study study = plain();
    struct sl_store_session session = at(SL_PLACE_CHECK);
    size_t bad[] = {0, 0}, good[] = {0, 1}, far[] = {0, 2};
    bool wrong[2];
    struct sl_comprehension checking = {.answers = bad, .wrong = wrong, .passed = true};
    assert_ok(sl_session_check(&session, &study, &all, &checking, 3, &err), err);
    assert_false(checking.passed || wrong[0]);
    assert_true(wrong[1]);
    assert_string_equal(session.place, "check");
    struct sl_store_session second = session;
    checking.answers = good;
    assert_ok(sl_session_check(&second, &study, &all, &checking, 3, &err), err);
    assert_true(checking.passed);
    checking.answers = bad;
    assert_string_equal(second.place, "practice");
    assert_ok(sl_session_check(&session, &study, &all, &checking, 3, &err), err);
    assert_string_equal(session.place, "failed");
    assert_int_equal(session.state, SL_SESSION_REFUSED);
    checking.answers = far;
    assert_fails(sl_session_check(&second, &study, &all, &checking, 3, &err), SL_ERR_INPUT, err,
                 "no option 2");
}

static void test_trials_are_answered_in_turn(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_study study = plain();
    struct sl_store_session session = at(SL_PLACE_TRIALS);
    session.trial = 2;
    assert_ok(sl_session_may_answer(&session, &study, 2, 4, false, &err), err);
    assert_fails(sl_session_may_answer(&session, &study, 3, 4, false, &err), SL_ERR_USAGE, err,
                 "before trial 2");
    assert_fails(sl_session_may_answer(&session, &study, 1, 4, false, &err), SL_ERR_USAGE, err,
                 "does not allow changes");
    assert_fails(sl_session_may_answer(&session, &study, 0, 4, true, &err), SL_ERR_USAGE, err,
                 "belongs to practice");
    study.back = true;
    assert_ok(sl_session_may_answer(&session, &study, 1, 4, false, &err), err);
    assert_ok(sl_session_answered(&session, &all, 1, 4, false, 9, &err), err);
    assert_int_equal(session.trial, 2);
    assert_ok(sl_session_answered(&session, &all, 2, 4, false, 9, &err), err);
    assert_int_equal(session.trial, 3);
    assert_ok(sl_session_answered(&session, &all, 3, 4, false, 9, &err), err);
    assert_string_equal(session.place, "debrief");
}

static void test_leases_grow_and_never_shrink(void **state)
{
    (void)state;
    struct sl_study study = plain();
    struct sl_store_session session = at(SL_PLACE_TRIALS);
    sl_session_renew(&session, &study, 1000);
    assert_int_equal(session.lease_until, 1000 + 600000);
    sl_session_renew(&session, &study, 500);
    assert_int_equal(session.lease_until, 1000 + 600000);
    assert_int_equal(session.seen, 1000);
    session.state = SL_SESSION_DONE;
    sl_session_renew(&session, &study, 5000);
    assert_int_equal(session.seen, 1000);
}

static void test_a_place_is_given_back_once(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_store_session session = at(SL_PLACE_TRIALS);
    assert_ok(sl_session_return(&session, 4, &err), err);
    assert_int_equal(session.state, SL_SESSION_RETURNED);
    assert_ok(sl_session_return(&session, 9, &err), err);
    assert_int_equal(session.finished, 4);
    session.state = SL_SESSION_DONE;
    assert_fails(sl_session_return(&session, 4, &err), SL_ERR_USAGE, err, "over");
}

static void test_codes_go_into_addresses_escaped(void **state)
{
    (void)state;
    struct sl_study study = plain();
    json_t *done = sl_session_completion(&study, SL_PLACE_DONE, false);
    assert_string_equal(json_string_value(json_object_get(done, "url")),
                        "https://x.test/?cc=C%261&again=C%261");
    assert_string_equal(json_string_value(json_object_get(done, "code")), "C&1");
    json_decref(done);
    json_t *refused = sl_session_completion(&study, SL_PLACE_REFUSED, false);
    assert_true(json_is_null(json_object_get(refused, "url")));
    json_decref(refused);
    json_t *test = sl_session_completion(&study, SL_PLACE_DONE, true);
    assert_string_equal(json_string_value(json_object_get(test, "code")), "TEST-C&1");
    assert_string_equal(json_string_value(json_object_get(test, "url")),
                        "https://x.test/?cc=TEST-C%261&again=TEST-C%261");
    json_decref(test);
    json_t *running = sl_session_completion(&study, SL_PLACE_TRIALS, false);
    assert_true(json_is_null(running));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_that_a_study_leaves_out_are_passed_over),
        cmocka_unit_test(test_a_place_ahead_is_refused_and_one_behind_is_not),
        cmocka_unit_test(test_consent_keeps_its_version_and_refusal_ends),
        cmocka_unit_test(test_attempts_are_counted_and_run_out),
        cmocka_unit_test(test_trials_are_answered_in_turn),
        cmocka_unit_test(test_leases_grow_and_never_shrink),
        cmocka_unit_test(test_a_place_is_given_back_once),
        cmocka_unit_test(test_codes_go_into_addresses_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
