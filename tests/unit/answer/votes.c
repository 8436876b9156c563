#include "votes_support.h"

#define HEADER "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"dog\",\"cat\",\"deer\"]}\n"

static void assert_votes(const char *name, const char *text,
                         const struct sl_import_options *options, const char *expected)
{
    struct sl_votes *votes = read_votes(write_text(name, text), options);
    assert_string_equal(votes_text(votes), expected);
    sl_votes_destroy(votes);
}

static void test_a_grouped_csv_keeps_its_order(void **state)
{
    (void)state;
    assert_votes("g.csv", "task,worker,label\ni1,a,dog\ni1,b,cat\ni2,b,dog\ni3,c,dog\n", NULL,
                 "cat,dog; i1: a=dog b=cat; i2: b=dog; i3: c=dog");
}

static void test_a_scattered_csv_gives_the_same_votes_item_by_item(void **state)
{
    (void)state;
    assert_votes("s.csv", "task,worker,label\ni1,a,dog\ni2,b,dog\ni1,b,cat\ni3,c,dog\n", NULL,
                 "cat,dog; i1: a=dog b=cat; i2: b=dog; i3: c=dog");
    assert_votes("s2.csv", "worker,label,task\na,1,x\na,0,y\nb,0,x\nb,1,y\na,0,z\nc,1,x\n", NULL,
                 "0,1; x: a=1 b=0 c=1; y: a=0 b=1; z: a=0");
}

static void test_classes_are_sorted_as_numbers_or_as_text(void **state)
{
    (void)state;
    assert_votes("n.csv", "item,worker,label\nx,a,10\nx,b,9\nx,c,-1\n", NULL,
                 "-1,9,10; x: a=10 b=9 c=-1");
    assert_votes("t.csv", "item,worker,label\nx,a,10\nx,b,9\nx,c,b\n", NULL,
                 "10,9,b; x: a=10 b=9 c=b");
}

static void test_given_classes_are_used_in_their_order(void **state)
{
    (void)state;
    static const char *const classes[] = {"dog", "cat", "deer", NULL};
    static const char *const fewer[] = {"dog", NULL};
    struct sl_import_options options = {.classes = classes};
    struct sl_error err;
    struct sl_votes *votes = NULL;
    const char *text = "item,worker,label\nx,a,cat\nx,b,dog\n";
    assert_votes("c.csv", text, &options, "dog,cat,deer; x: a=cat b=dog");
    options.classes = fewer;
    assert_fails(sl_votes_read(test_path("c.csv"), &options, &votes, &err), SL_ERR_INPUT, err,
                 "unknown class \"cat\"");
    assert_null(votes);
}

static void test_columns_are_found_by_name_given_or_taken_by_place(void **state)
{
    (void)state;
    struct sl_import_options options = {.columns = "q,who,said"};
    assert_votes("q.csv", "who,x,said,q\na,1,dog,i1\n", &options, "dog; i1: a=dog");
    options.columns = "item,worker,label";
    assert_votes("p.csv", "i1,a,dog\ni1,b,cat\n", &options, "cat,dog; i1: a=dog b=cat");
}

static void test_jsonl_gives_the_choice_of_every_kind(void **state)
{
    (void)state;
    assert_votes("k.jsonl",
                 HEADER
                 "{\"item\":\"1\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"cat\"}\n"
                 "{\"item\":\"1\",\"kind\":\"soft\",\"top\":[[\"cat\",0.2],[\"deer\",0.8]]}\n"
                 "{\"item\":\"1\",\"kind\":\"select\",\"top\":[\"dog\",\"cat\"]}\n"
                 "{\"item\":\"2\",\"kind\":\"dist\",\"dist\":[0.2,0.7,0.1]}\n"
                 "{\"item\":\"3\",\"kind\":\"mix\",\"endpoints\":[\"deer\",\"cat\"],"
                 "\"lambda\":0.5}\n",
                 NULL, "dog,cat,deer; 1: a=cat ?=deer ?=dog; 2: ?=cat; 3: ?=deer");
}

static const char flagged[] = HEADER
    "{\"item\":\"1\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"cat\"}\n"
    "{\"item\":\"c\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"cat\",\"check\":true}\n"
    "{\"item\":\"1\",\"annotator\":\"a\",\"kind\":\"hard\",\"class\":\"dog\","
    "\"repeat\":true}\n"
    "{\"item\":\"2\",\"annotator\":\"b\",\"kind\":\"hard\",\"class\":\"dog\"}\n"
    "{\"item\":\"1\",\"annotator\":\"b\",\"kind\":\"hard\",\"class\":\"dog\","
    "\"second_run\":true}\n";

static void test_checks_repeats_and_second_runs_leave_their_item_without_a_vote(void **state)
{
    (void)state;
    assert_votes("f.jsonl", flagged, NULL, "dog,cat,deer; 1: a=cat; c:; 2: b=dog");
}

static void test_votes_of_a_set_are_those_of_its_file(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = NULL;
    struct sl_votes *votes = NULL;
    assert_ok(sl_answers_read(write_text("v.jsonl", flagged), &answers, NULL, &err), err);
    assert_ok(sl_votes_from_answers(answers, 0, &votes, &err), err);
    assert_string_equal(votes_text(votes), "dog,cat,deer; 1: a=cat; c:; 2: b=dog");
    assert_int_equal(votes->count, 2);
    assert_int_equal(votes->n_annotators, 2);
    sl_votes_destroy(votes);
    assert_ok(sl_votes_from_answers(answers, SL_ANSWER_REPEAT | SL_ANSWER_SECOND_RUN, &votes, &err),
              err);
    assert_string_equal(votes_text(votes), "dog,cat,deer; 1: a=cat a=dog b=dog; c:; 2: b=dog");
    sl_votes_destroy(votes);
    sl_answers_destroy(answers);
}

static void test_another_class_order_in_the_header_is_followed_by_name(void **state)
{
    (void)state;
    static const char *const classes[] = {"cat", "deer", "dog", NULL}, *const fewer[] = {"cat",
                                                                                         NULL};
    struct sl_import_options options = {.classes = classes};
    struct sl_error err;
    struct sl_votes *votes = NULL;
    assert_votes("o.jsonl", flagged, &options, "cat,deer,dog; 1: a=cat; c:; 2: b=dog");
    options.classes = fewer;
    assert_fails(sl_votes_read(test_path("o.jsonl"), &options, &votes, &err), SL_ERR_INPUT, err,
                 "unknown class \"dog\"");
}

static void test_duplicates_are_kept_and_counted(void **state)
{
    (void)state;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    assert_votes("d.csv", "item,worker,label\nx,a,1\nx,a,0\ny,a,1\nx,b,1\nx,,1\nx,,1\n", &options,
                 "0,1; x: a=1 a=0 b=1 ?=1 ?=1; y: a=1");
    assert_int_equal(notes.n_duplicates, 1);
    assert_int_equal(notes.n_read, 6);
}

static void test_a_row_without_a_label_is_skipped_and_counted_once(void **state)
{
    (void)state;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    assert_votes("e.csv", "item,worker,label\nx,a,1\ny,a,\nx,b,1\nz,a,0\nx,c,0\n", &options,
                 "0,1; x: a=1 b=1 c=0; z: a=0");
    assert_int_equal(notes.n_skipped, 1);
    assert_int_equal(notes.n_read, 5);
}

static void test_files_that_give_no_votes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
    } cases[] = {
        {"1.csv", "", "1.csv: empty"},
        {"2.csv", "item,worker,label\n", "2.csv: no answers"},
        {"3.csv", "item,worker,label\nx,a,\n", "3.csv: no answers"},
        {"4.csv", "item,worker,label\nx,a,1\n,a,1\n", "4.csv:3: the answer names no item"},
        {"5.csv", "item,worker,label\nx,a,1\nx,a\n", "5.csv:3: expected 3 fields, got 2"},
        {"6.csv", "a,b,c\nx,a,1\n", "6.csv:1: no columns are called item, worker and label"},
        {"7.jsonl", HEADER, "7.jsonl: no answers"},
        {"8.jsonl", HEADER "{\"item\":\"1\"}\n", "8.jsonl:2:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_votes *votes = NULL;
        assert_fails(sl_votes_read(write_text(cases[i].name, cases[i].text), NULL, &votes, &err),
                     SL_ERR_INPUT, err, cases[i].message);
        assert_null(votes);
    }
}

/* Enough answers for many batches, the same ones grouped and in an order without order. */
static void test_many_scattered_votes_equal_the_grouped_ones(void **state)
{
    (void)state;
    enum { COUNT = 30030, PER_ITEM = 7, STEP = 17 };
    struct sl_buffer texts[2];
    for (size_t scattered = 0; scattered < 2; scattered++) {
        sl_buffer_init(&texts[scattered], 1 << 22);
        sl_buffer_text(&texts[scattered], "item,worker,label\n");
        /* A step that is prime to COUNT visits the answers of an item in another order, so the
         * annotators are chosen such that sorting them out again is possible. */
        for (size_t i = 0; i < COUNT; i++) {
            size_t answer = scattered ? i * STEP % COUNT : i;
            sl_buffer_printf(&texts[scattered], "item%zu,w%zu,%zu\n", answer / PER_ITEM,
                             answer % PER_ITEM, answer * answer % 3);
        }
    }
    const char *first = test_path("grouped.csv"), *second = test_path("scattered.csv");
    test_write(first, texts[0].data, texts[0].length);
    test_write(second, texts[1].data, texts[1].length);
    struct sl_votes *grouped = read_votes(first, NULL), *scattered = read_votes(second, NULL);
    assert_int_equal(scattered->count, COUNT);
    assert_int_equal(scattered->n_items, grouped->n_items);
    for (size_t item = 0; item < scattered->n_items; item++) {
        size_t length = 0;
        const char *name = sl_name_table_get(scattered->items, (uint32_t)item, &length);
        const size_t twin = sl_name_table_find(grouped->items, name, length);
        assert_int_equal(scattered->begin[item + 1] - scattered->begin[item], PER_ITEM);
        for (size_t i = scattered->begin[item]; i < scattered->begin[item + 1]; i++) {
            const char *worker =
                sl_name_table_get(scattered->annotators, scattered->annotator[i], NULL);
            const size_t place = grouped->begin[twin] + (size_t)(worker[1] - '0');
            assert_int_equal(scattered->label[i], grouped->label[place]);
        }
    }
    sl_votes_destroy(grouped);
    sl_votes_destroy(scattered);
    sl_buffer_release(&texts[0]);
    sl_buffer_release(&texts[1]);
}

static void test_published_sets_have_the_counts_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t count, n_items, n_duplicates;
    } sets[] = {
        {"truth_inference/rte/label.csv", 8000, 800, 0},
        {"truth_inference/SP/label.csv", 27746, 4999, 0},
        {"truth_inference/s4_Relevance/label.csv", 98453, 20232, 1570},
        {"truth_inference/fact_eval/label.csv", 216725, 42624, 1810},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const char *path = test_data(sets[i].file);
        if (!path) skip();
        struct sl_import_notes notes = {0};
        const struct sl_import_options options = {.notes = &notes};
        struct sl_votes *votes = read_votes(path, &options);
        assert_int_equal(votes->count, sets[i].count);
        assert_int_equal(votes->n_items, sets[i].n_items);
        assert_int_equal(notes.n_duplicates, sets[i].n_duplicates);
        sl_votes_destroy(votes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_grouped_csv_keeps_its_order),
        cmocka_unit_test(test_a_scattered_csv_gives_the_same_votes_item_by_item),
        cmocka_unit_test(test_classes_are_sorted_as_numbers_or_as_text),
        cmocka_unit_test(test_given_classes_are_used_in_their_order),
        cmocka_unit_test(test_columns_are_found_by_name_given_or_taken_by_place),
        cmocka_unit_test(test_jsonl_gives_the_choice_of_every_kind),
        cmocka_unit_test(test_checks_repeats_and_second_runs_leave_their_item_without_a_vote),
        cmocka_unit_test(test_votes_of_a_set_are_those_of_its_file),
        cmocka_unit_test(test_another_class_order_in_the_header_is_followed_by_name),
        cmocka_unit_test(test_duplicates_are_kept_and_counted),
        cmocka_unit_test(test_a_row_without_a_label_is_skipped_and_counted_once),
        cmocka_unit_test(test_files_that_give_no_votes_are_refused),
        cmocka_unit_test(test_many_scattered_votes_equal_the_grouped_ones),
        cmocka_unit_test(test_published_sets_have_the_counts_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
