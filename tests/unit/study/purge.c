#include "study/purge_list.h"
#include "study/stored_answers.h"
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
    struct sl_store_purged gone = {0};
    const size_t before = count_of(&sample, "answers", "\n");
    assert_int_equal(count_of(&sample, "payments", "s2,"), 1);
    assert_ok(sl_study_purge(sample.study, sample.store, sample_person(2), SAMPLE_NOW, &gone, &err),
              err);
    assert_int_equal(gone.sessions, 1);
    assert_int_equal(count_of(&sample, "answers", "\n"), before - 5);
    assert_int_equal(count_of(&sample, "payments", "s2,"), 0);
    assert_int_equal(count_of(&sample, "payments", "\n"), 9);
    /* That it was done is written down, whose it was is not. */
    assert_int_equal(count_of(&sample, "changes", "purge"), 1);
    assert_int_equal(count_of(&sample, "changes", sample_person(2)), 0);
    /* Once more is no mistake: nothing is left, and that is said. */
    assert_ok(sl_study_purge(sample.study, sample.store, sample_person(2), SAMPLE_NOW, &gone, &err),
              err);
    assert_int_equal(gone.sessions, 0);
    assert_fails(sl_study_purge(sample.study, sample.store, "nobody", SAMPLE_NOW, &gone, &err),
                 SL_ERR_NOT_FOUND, err, "no participant");
    assert_fails(sl_study_purge(sample.study, sample.store, "", SAMPLE_NOW, &gone, &err),
                 SL_ERR_USAGE, err, "no name");
    sample_destroy(&sample);
}

/* Whoever came by an open link has no other name than the one in exports. */
static void test_purge_takes_the_name_that_exports_give(void **state)
{
    (void)state;
    struct sample sample = sample_create("exported", "");
    struct sl_error err;
    struct sl_store_purged gone = {0};
    uint8_t person[SL_STORE_PERSON_BYTES];
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    assert_ok(sl_study_person(sample.store, sample_person(2), person, &err), err);
    sl_study_annotator(person, annotator);
    const size_t before = count_of(&sample, "answers", "\n");
    assert_ok(sl_study_purge(sample.study, sample.store, annotator, SAMPLE_NOW, &gone, &err), err);
    assert_int_equal(gone.sessions, 1);
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
    struct sl_store_purged gone = {0};
    assert_ok(sl_study_purge(sample.study, sample.store, sample_person(1), SAMPLE_NOW, &gone, &err),
              err);
    assert_int_equal(gone.sessions, 2);
    sample_destroy(&sample);
}

static char *list_of(const struct sample *sample)
{
    struct sl_buffer text;
    struct sl_error err;
    char *path = sl_path_join(sample->study->folder, "study.purged");
    struct stat info;
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_file_read(path, &text, &err), err);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    free(path);
    return text.data;
}

/* Whoever holds an old export must not find out from the list who withdrew. */
static void test_the_list_knows_nobody_by_the_name_of_an_export(void **state)
{
    (void)state;
    struct sample sample = sample_create("listed", "");
    struct sl_error err;
    struct sl_store_purged gone;
    uint8_t person[SL_STORE_PERSON_BYTES];
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    assert_ok(sl_study_person(sample.store, sample_person(2), person, &err), err);
    sl_study_annotator(person, annotator);
    assert_ok(sl_study_purge(sample.study, sample.store, sample_person(2), SAMPLE_NOW, &gone, &err),
              err);
    assert_int_equal(gone.answers, 6);
    assert_true(gone.events > 0);
    char *list = list_of(&sample);
    assert_int_equal(strncmp(list, "1750000500000 ", 14), 0);
    assert_null(strstr(list, annotator));
    assert_null(strstr(list, sample_person(2)));
    free(list);
    sample_destroy(&sample);
}

static void test_a_list_that_was_cut_off_or_changed(void **state)
{
    (void)state;
    struct sample sample = sample_create("torn", "");
    struct sl_error err;
    size_t sessions = 0;
    uint8_t person[SL_STORE_PERSON_BYTES];
    bool found = false;
    char *path = sl_path_join(sample.study->folder, "study.purged");
    assert_ok(sl_study_person(sample.store, sample_person(3), person, &err), err);
    /* A power cut in the middle of a line: nobody heard that this purge was done. */
    test_write(path, "1750000500000 0123", 18);
    assert_ok(sl_purged_apply(sample.study->folder, sample.store, SAMPLE_NOW, &sessions, &err),
              err);
    assert_int_equal(sessions, 0);
    assert_ok(sl_purged_add(sample.study->folder, person, SAMPLE_NOW, &err), err);
    assert_ok(sl_purged_has(sample.study->folder, person, &found, &err), err);
    assert_true(found);
    /* The process died before the database was told: the next start does it. */
    assert_int_equal(count_of(&sample, "payments", "s3,"), 1);
    assert_ok(sl_purged_apply(sample.study->folder, sample.store, SAMPLE_NOW, &sessions, &err),
              err);
    assert_int_equal(sessions, 1);
    assert_int_equal(count_of(&sample, "payments", "s3,"), 0);
    assert_ok(sl_purged_apply(sample.study->folder, sample.store, SAMPLE_NOW, &sessions, &err),
              err);
    assert_int_equal(sessions, 0);
    /* Somebody who comes back after they withdrew has come back. */
    assert_ok(sl_study_person(sample.store, sample_person(4), person, &err), err);
    assert_ok(sl_purged_add(sample.study->folder, person, 1, &err), err);
    assert_ok(sl_purged_apply(sample.study->folder, sample.store, SAMPLE_NOW, &sessions, &err),
              err);
    assert_int_equal(sessions, 0);
    /* A hand that edited the file is noticed. */
    test_write(path, "1750000500000 somebody\n", 23);
    assert_fails(sl_purged_apply(sample.study->folder, sample.store, SAMPLE_NOW, &sessions, &err),
                 SL_ERR_INPUT, err, "study.purged:1: expected a time");
    free(path);
    sample_destroy(&sample);
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
        cmocka_unit_test(test_the_list_knows_nobody_by_the_name_of_an_export),
        cmocka_unit_test(test_a_list_that_was_cut_off_or_changed),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
