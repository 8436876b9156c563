#include "study/collect.h"
#include "study_sample.h"
#include "support.h"

static void test_a_person_is_a_keyed_hash_that_stays_the_same(void **state)
{
    (void)state;
    struct sample sample = sample_create("hash", ""), other = sample_create("other", "");
    uint8_t first[SL_STORE_PERSON_BYTES], again[SL_STORE_PERSON_BYTES];
    struct sl_error err;
    assert_ok(sl_study_person(sample.store, "ann", first, &err), err);
    assert_ok(sl_study_person(sample.store, "ann", again, &err), err);
    assert_memory_equal(first, again, sizeof first);
    assert_ok(sl_study_person(sample.store, "bob", again, &err), err);
    assert_memory_not_equal(first, again, sizeof first);
    /* Another study has another key. */
    assert_ok(sl_study_person(other.store, "ann", again, &err), err);
    assert_memory_not_equal(first, again, sizeof first);
    sample_destroy(&sample);
    sample_destroy(&other);
}

static void test_the_key_may_be_made_inside_a_transaction(void **state)
{
    (void)state;
    struct sl_store *store = NULL;
    struct sl_store_options options = sl_store_options_default();
    struct sl_error err;
    uint8_t person[SL_STORE_PERSON_BYTES];
    options.create = true;
    assert_ok(sl_store_open(test_path("fresh.db"), &options, &store, &err), err);
    assert_ok(sl_store_begin(store, &err), err);
    assert_ok(sl_study_person(store, "ann", person, &err), err);
    assert_true(sl_store_in_transaction(store));
    assert_ok(sl_store_commit(store, &err), err);
    sl_store_close(store);
}

static void test_a_damaged_key_is_not_replaced(void **state)
{
    (void)state;
    struct sample sample = sample_create("damaged", "");
    struct sl_error err;
    uint8_t person[SL_STORE_PERSON_BYTES];
    assert_ok(sl_store_begin(sample.store, &err), err);
    assert_ok(sl_store_put_text(sample.store, "person-key", "abc", &err), err);
    assert_ok(sl_store_commit(sample.store, &err), err);
    assert_fails(sl_study_person(sample.store, "ann", person, &err), SL_ERR_INPUT, err, "damaged");
    sample_destroy(&sample);
}

static size_t count_of(const struct sample *sample, const char *export, const char *part)
{
    size_t length = 0, count = 0;
    char *text = sample_export(sample, export, &length);
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    free(text);
    return count;
}

static void test_purge_removes_one_person_and_nobody_else(void **state)
{
    (void)state;
    struct sample sample = sample_create("purge", "");
    struct sl_error err;
    size_t sessions = 0;
    const size_t before = count_of(&sample, "answers", "\n");
    assert_int_equal(count_of(&sample, "payments", "s2,"), 1);
    assert_ok(
        sl_study_purge(sample.study, sample.store, sample_person(2), SAMPLE_NOW, &sessions, &err),
        err);
    assert_int_equal(sessions, 1);
    assert_int_equal(count_of(&sample, "answers", "\n"), before - 5);
    assert_int_equal(count_of(&sample, "payments", "s2,"), 0);
    assert_int_equal(count_of(&sample, "payments", "\n"), 9);
    /* That it was done is written down, whose it was is not. */
    assert_int_equal(count_of(&sample, "changes", "purge"), 1);
    assert_int_equal(count_of(&sample, "changes", sample_person(2)), 0);
    assert_fails(
        sl_study_purge(sample.study, sample.store, sample_person(2), SAMPLE_NOW, &sessions, &err),
        SL_ERR_NOT_FOUND, err, "no participant");
    assert_fails(sl_study_purge(sample.study, sample.store, "", SAMPLE_NOW, &sessions, &err),
                 SL_ERR_USAGE, err, "no name");
    sample_destroy(&sample);
}

/* Whoever came by an open link has no other name than the one in exports. */
static void test_purge_takes_the_name_that_exports_give(void **state)
{
    (void)state;
    struct sample sample = sample_create("exported", "");
    struct sl_error err;
    size_t sessions = 0;
    uint8_t person[SL_STORE_PERSON_BYTES];
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    assert_ok(sl_study_person(sample.store, sample_person(2), person, &err), err);
    sl_study_annotator(person, annotator);
    const size_t before = count_of(&sample, "answers", "\n");
    assert_ok(sl_study_purge(sample.study, sample.store, annotator, SAMPLE_NOW, &sessions, &err),
              err);
    assert_int_equal(sessions, 1);
    assert_int_equal(count_of(&sample, "answers", "\n"), before - 5);
    assert_int_equal(count_of(&sample, "answers", annotator), 0);
    sample_destroy(&sample);
}

/* Person 1 also made a test run. */
static void test_purge_removes_every_session_of_a_person(void **state)
{
    (void)state;
    struct sample sample = sample_create("twice", "");
    struct sl_error err;
    size_t sessions = 0;
    assert_ok(
        sl_study_purge(sample.study, sample.store, sample_person(1), SAMPLE_NOW, &sessions, &err),
        err);
    assert_int_equal(sessions, 2);
    sample_destroy(&sample);
}

static void test_scrubbing_removes_addresses_and_ids_only(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"", ""},
        {"nothing here", "nothing here"},
        {"jo@example.org", "[removed]"},
        {"write to jo.doe+x@mail.example.co.uk.", "write to [removed]."},
        {"(jo@example.org)", "([removed])"},
        {"mailto:jo@example.org?x", "mailto:[removed]?x"},
        {"j\xc3\xb6@example.org", "[removed]"},
        {"a@b@c.de", "a@[removed]"},
        {"5 @ 3.50", "5 @ 3.50"},
        {"a@b", "a@b"},
        {"@home.x", "@home.x"},
        {"id 5f1234567890abcdef123456!", "id [removed]!"},
        {"PID5F1234567890ABCDEF123456", "PI[removed]"},
        {"123e4567-e89b-12d3-a456-426614174000", "[removed]"},
        {"deadbeef 12345", "deadbeef 12345"},
        {"1234567890123456789", "1234567890123456789"},
        {"--- a-b-c ---", "--- a-b-c ---"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *scrubbed = sl_study_scrub(texts[i][0]);
        assert_string_equal(scrubbed, texts[i][1]);
        free(scrubbed);
    }
}

static void test_what_was_scrubbed_stays_as_it_is(void **state)
{
    (void)state;
    char *once = sl_study_scrub("a jo@example.org 5f1234567890abcdef123456 b");
    char *twice = sl_study_scrub(once);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_person_is_a_keyed_hash_that_stays_the_same),
        cmocka_unit_test(test_the_key_may_be_made_inside_a_transaction),
        cmocka_unit_test(test_a_damaged_key_is_not_replaced),
        cmocka_unit_test(test_purge_removes_one_person_and_nobody_else),
        cmocka_unit_test(test_purge_takes_the_name_that_exports_give),
        cmocka_unit_test(test_purge_removes_every_session_of_a_person),
        cmocka_unit_test(test_scrubbing_removes_addresses_and_ids_only),
        cmocka_unit_test(test_what_was_scrubbed_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
