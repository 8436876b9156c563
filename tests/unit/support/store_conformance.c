/* Texts, items, batches and transactions. */
#include "store_conformance.h"

#include "store_support.h"

static const struct store_under_test *backend;
static struct sl_store *store; /* a fresh one for every test */
static struct sl_error err;

static struct sl_store *open_again(bool read_only)
{
    struct sl_store *opened = NULL;
    assert_ok(backend->open(read_only, &opened, &err), err);
    return opened;
}

static int open_fresh(void **state)
{
    (void)state;
    backend->clear();
    store = open_again(false);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    sl_store_close(store);
    store = NULL;
    return 0;
}

/* ---- Texts, items, batches ---- */

static void assert_text(const char *key, const char *expected)
{
    char *value = NULL;
    assert_ok(sl_store_get_text(store, key, &value, &err), err);
    assert_string_equal(value, expected);
    free(value);
}

static const char *const odd_texts[] = {
    "",
    "'); DROP TABLE answers; --",
    "\"quoted\" 'twice' `thrice` \\ %s %n ?1 :a @b $c",
    "Gru\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\xa6 \xe2\x80\xae\xe2\x80\xac",
    "line\nline\r\n\ttab \x01\x7f",
    "\xff\xfe no UTF-8 \xc3(",
    " leading and trailing ",
    "0123", /* text stays text */
};
enum { N_ODD = sizeof odd_texts / sizeof *odd_texts };

static void test_texts_come_back_byte_by_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ODD; i++) {
        test_begin(store);
        assert_ok(sl_store_put_text(store, odd_texts[i], "before", &err), err);
        assert_ok(sl_store_put_text(store, odd_texts[i], odd_texts[(i + 1) % N_ODD], &err), err);
        test_commit(store);
    }
    for (size_t i = 0; i < N_ODD; i++)
        assert_text(odd_texts[i], odd_texts[(i + 1) % N_ODD]);
}

static void test_a_text_that_is_not_there_is_not_found(void **state)
{
    (void)state;
    char *value = (char *)1;
    assert_fails(sl_store_get_text(store, "nothing", &value, &err), SL_ERR_NOT_FOUND, err,
                 "nothing");
    assert_ptr_equal(value, (char *)1);
}

struct seen_items {
    size_t count, stop_after;
    char names[8][64], hashes[8][80];
};

static enum sl_status see_item(const struct sl_store_item *item, void *context)
{
    struct seen_items *seen = context;
    size_t i = seen->count++;
    snprintf(seen->names[i], sizeof seen->names[i], "%s %s %s %.2f %d", item->id, item->content,
             item->truth ? item->truth : "-", item->entropy, item->check);
    snprintf(seen->hashes[i], sizeof seen->hashes[i], "%s", item->hash ? item->hash : "-");
    return seen->count == seen->stop_after ? SL_ERR_NUMERIC : SL_OK;
}

static void test_items_are_visited_in_the_order_added(void **state)
{
    (void)state;
    const struct sl_store_item items[] = {
        {.id = "z", .content = "{\"a\":1}", .truth = "Cat", .entropy = 0.25, .check = true},
        {.id = "a", .content = "", .truth = NULL, .entropy = 0},
        {.id = "m", .content = "c", .truth = "", .entropy = 1e300},
    };
    test_begin(store);
    for (size_t i = 0; i < 2; i++)
        assert_ok(sl_store_add_item(store, &items[i], &err), err);
    assert_fails(sl_store_add_item(store, &items[0], &err), SL_ERR_INPUT, err, "\"z\"");
    const struct sl_store_item unknown = {.id = "n", .content = "c", .entropy = (double)NAN};
    assert_ok(sl_store_add_item(store, &unknown, &err), err);
    const struct sl_store_item nameless = {.id = "", .content = "c"};
    assert_fails(sl_store_add_item(store, &nameless, &err), SL_ERR_INPUT, err, "no name");
    test_commit(store);

    struct seen_items seen = {0};
    assert_ok(sl_store_each_item(store, see_item, &seen, &err), err);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.names[0], "z {\"a\":1} Cat 0.25 1");
    assert_string_equal(seen.names[1], "a  - 0.00 0");
    assert_string_equal(seen.names[2], "n c - nan 0");
    assert_string_equal(seen.hashes[0], "-");
}

static void test_a_visitor_can_end_the_walk(void **state)
{
    (void)state;
    test_add_batches(store, 2, 1);
    struct seen_items seen = {.stop_after = 3};
    snprintf(err.message, sizeof err.message, "the visitor's own");
    assert_int_equal(sl_store_each_item(store, see_item, &seen, &err), SL_ERR_NUMERIC);
    assert_int_equal(seen.count, 3);
    assert_string_equal(err.message, "the visitor's own");
    seen = (struct seen_items){0};
    assert_ok(sl_store_each_item(store, see_item, &seen, &err), err);
    assert_int_equal(seen.count, 4);
}

static enum sl_status visit_within(const struct sl_store_row *row, void *context)
{
    size_t *sum = context;
    struct sl_store_session found;
    assert_ok(sl_store_find_session(store, row->session->token_hash, &found, &err), err);
    assert_int_equal(found.id, row->session->id);
    *sum += test_filling_of(store).live;
    assert_int_equal(sl_store_each_session(store, visit_within, context, &err), SL_ERR_USAGE);
    return SL_OK;
}

static void test_a_visitor_can_ask_but_not_start_its_own_walk(void **state)
{
    (void)state;
    test_add_batches(store, 2, 5);
    for (uint64_t i = 0; i < 3; i++)
        (void)test_arrived(store, &(struct test_arrival){.person = i, .token = i});
    size_t sum = 0;
    assert_ok(sl_store_each_session(store, visit_within, &sum, &err), err);
    assert_int_equal(sum, 9);
}

static void test_a_batch_keeps_its_items_in_order_and_twice(void **state)
{
    (void)state;
    test_add_batches(store, 1, 1);
    const char *const items[] = {"i1", "i0", "i1"};
    test_begin(store);
    assert_ok(sl_store_add_batch(store, 7, 3, items, 3, &err), err);
    test_commit(store);
    char **names = NULL;
    size_t count = 0;
    assert_ok(sl_store_batch_items(store, 7, &names, &count, &err), err);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(names[i], items[i]);
    sl_strings_destroy(names, count);
    sl_strings_destroy(NULL, 0);
}

static enum sl_status sum_targets(const struct sl_store_batch_row *row, void *context)
{
    *(size_t *)context += row->target;
    return SL_OK;
}

static void test_a_target_holds_for_every_batch(void **state)
{
    (void)state;
    size_t sum = 0;
    test_add_batches(store, 3, 2);
    assert_fails(sl_store_set_target(store, 5, &err), SL_ERR_USAGE, err, "transaction");
    test_begin(store);
    assert_ok(sl_store_set_target(store, 5, &err), err);
    test_commit(store);
    assert_ok(sl_store_each_batch(store, sum_targets, &sum, &err), err);
    assert_int_equal(sum, 15);
}

static void test_a_wrong_batch_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    test_add_batches(store, 1, 1);
    const char *const items[] = {"i0", "i1", "nobody"};
    char **names = (char **)1;
    size_t count = 77;
    test_begin(store);
    assert_fails(sl_store_add_batch(store, 1, 1, items, 3, &err), SL_ERR_NOT_FOUND, err, "nobody");
    assert_fails(sl_store_add_batch(store, 0, 1, items, 2, &err), SL_ERR_INPUT, err, "already");
    assert_fails(sl_store_add_batch(store, 1, 1, items, 0, &err), SL_ERR_INPUT, err, "no items");
    assert_fails(sl_store_add_batch(store, SIZE_MAX, 1, items, 2, &err), SL_ERR_INPUT, err,
                 "too large");
    assert_fails(sl_store_add_batch(store, 1, SIZE_MAX, items, 2, &err), SL_ERR_INPUT, err,
                 "too large");
    test_commit(store);
    assert_fails(sl_store_batch_items(store, 1, &names, &count, &err), SL_ERR_NOT_FOUND, err,
                 "no batch 1");
    assert_fails(sl_store_batch_items(store, SIZE_MAX, &names, &count, &err), SL_ERR_INPUT, err,
                 "too large");
    assert_ptr_equal(names, (char **)1);
    assert_int_equal(count, 77);
    assert_int_equal(test_filling_of(store).n_batches, 1);
}

/* ---- Transactions ---- */

static void test_writing_needs_a_transaction(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_answer answer = test_answer(session.id, 1, 0, "{}");
    const struct sl_store_item item = {.id = "x", .content = ""};
    const char *const items[] = {"i0"};
    enum sl_put_outcome outcome;
    size_t freed;
    const char *why = "needs a transaction";
    assert_fails(sl_store_put_text(store, "k", "v", &err), SL_ERR_USAGE, err, why);
    assert_fails(sl_store_add_item(store, &item, &err), SL_ERR_USAGE, err, why);
    assert_fails(sl_store_add_batch(store, 9, 1, items, 1, &err), SL_ERR_USAGE, err, why);
    assert_fails(sl_store_save_session(store, &session, &err), SL_ERR_USAGE, err, why);
    assert_fails(sl_store_expire(store, 0, &freed, &err), SL_ERR_USAGE, err, why);
    assert_fails(sl_store_put_answer(store, &answer, &outcome, &err), SL_ERR_USAGE, err, why);
    assert_fails(sl_store_put_event(store, session.id, 0, "k", "b", &err), SL_ERR_USAGE, err, why);
    assert_int_equal(test_count_answers(store), 0);
}

static void test_transactions_do_not_nest(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    uint8_t person[SL_STORE_PERSON_BYTES] = {0};
    struct sl_store_session session;
    bool returning;
    struct sl_store_purged gone;
    bool emptied;
    assert_false(sl_store_in_transaction(store));
    sl_store_rollback(store);
    assert_fails(sl_store_commit(store, &err), SL_ERR_USAGE, err, "no transaction");
    test_begin(store);
    assert_true(sl_store_in_transaction(store));
    assert_fails(sl_store_begin(store, &err), SL_ERR_USAGE, err, "inside a transaction");
    assert_fails(test_arrive(store, &(struct test_arrival){0}, &session, &returning, &err),
                 SL_ERR_USAGE, err, "inside a transaction");
    assert_fails(sl_store_purge(store, person, INT64_MAX, 1, &gone, &err), SL_ERR_USAGE, err,
                 "inside a transaction");
    assert_fails(sl_store_empty_log(store, &emptied, &err), SL_ERR_USAGE, err,
                 "inside a transaction");
    assert_fails(sl_store_backup(store, test_path("copy"), &err), SL_ERR_USAGE, err,
                 "inside a transaction");
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    test_commit(store);
    assert_false(sl_store_in_transaction(store));
    assert_text("k", "v");
}

static void test_rollback_undoes_everything(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_session changed = session;
    struct sl_store_answer answer = test_answer(session.id, 1, 0, "{}");
    const struct sl_store_item item = {.id = "x", .content = ""};
    const char *const items[] = {"x"};
    size_t freed = 0;
    test_begin(store);
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    assert_ok(sl_store_add_item(store, &item, &err), err);
    assert_ok(sl_store_add_batch(store, 1, 1, items, 1, &err), err);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    assert_ok(sl_store_put_event(store, session.id, 5, "blur", "{}", &err), err);
    changed.trial = 17;
    assert_ok(sl_store_save_session(store, &changed, &err), err);
    assert_ok(sl_store_expire(store, INT64_MAX, &freed, &err), err);
    assert_int_equal(freed, 1);
    sl_store_rollback(store);

    char *value;
    struct seen_items seen = {0};
    assert_fails(sl_store_get_text(store, "k", &value, &err), SL_ERR_NOT_FOUND, err, "k");
    assert_ok(sl_store_each_item(store, see_item, &seen, &err), err);
    assert_int_equal(seen.count, 2);
    assert_int_equal(test_filling_of(store).n_batches, 1);
    assert_int_equal(test_filling_of(store).live, 1);
    assert_int_equal(test_count_answers(store), 0);
    assert_int_equal(test_count_events(store), 0);
    assert_ok(sl_store_find_session(store, session.token_hash, &changed, &err), err);
    assert_memory_equal(&changed, &session, sizeof session);
}

static void test_closing_inside_a_transaction_undoes_it(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    test_begin(store);
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    sl_store_close(store);
    sl_store_close(NULL);
    store = open_again(false);
    char *value;
    assert_fails(sl_store_get_text(store, "k", &value, &err), SL_ERR_NOT_FOUND, err, "k");
    assert_int_equal(test_filling_of(store).n_batches, 1);
}

static void test_a_second_handle_sees_what_is_committed_only(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store *reader = open_again(true);
    test_begin(store);
    for (uint64_t i = 0; i < 50; i++) {
        struct sl_store_answer answer = test_answer(session.id, i, i, "{\"top\": 1}");
        assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    }
    assert_int_equal(test_count_answers(store), 50);
    assert_int_equal(test_count_answers(reader), 0);
    test_commit(store);
    assert_int_equal(test_count_answers(reader), 50);
    sl_store_close(reader);
}

static void test_a_reader_cannot_write(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store *reader = open_again(true);
    uint8_t person[SL_STORE_PERSON_BYTES] = {0};
    struct sl_store_session session;
    bool returning;
    struct sl_store_purged gone;
    assert_fails(sl_store_begin(reader, &err), SL_ERR_USAGE, err, "reading only");
    assert_fails(test_arrive(reader, &(struct test_arrival){0}, &session, &returning, &err),
                 SL_ERR_USAGE, err, "reading only");
    assert_fails(sl_store_purge(reader, person, INT64_MAX, 1, &gone, &err), SL_ERR_USAGE, err,
                 "reading only");
    sl_store_close(reader);
}

int store_conformance_content(const struct store_under_test *under_test)
{
    backend = under_test;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_texts_come_back_byte_by_byte, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_text_that_is_not_there_is_not_found, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_items_are_visited_in_the_order_added, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_a_visitor_can_end_the_walk, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_visitor_can_ask_but_not_start_its_own_walk,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_batch_keeps_its_items_in_order_and_twice, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_a_target_holds_for_every_batch, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_wrong_batch_is_refused_and_changes_nothing,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_writing_needs_a_transaction, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_transactions_do_not_nest, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_rollback_undoes_everything, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_closing_inside_a_transaction_undoes_it, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_a_second_handle_sees_what_is_committed_only,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_reader_cannot_write, open_fresh, close_it),
    };
    return cmocka_run_group_tests_name(under_test->name, tests, NULL, NULL);
}
