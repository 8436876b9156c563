/* Files of hard answers, and what holds for every format of the table. */
#include "answer_support.h"

static void test_every_format_is_named_once_and_can_be_read(void **state)
{
    (void)state;
    size_t count = 0;
    for (const struct sl_answer_format *format = sl_answer_formats; format->name; format++) {
        assert_non_null(format->summary);
        assert_non_null(format->import);
        assert_ptr_equal(find_format(format->name), format);
        count++;
    }
    assert_int_equal(count, 20);
}

static void test_every_format_refuses_an_empty_or_missing_file(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = NULL;
    for (const struct sl_answer_format *format = sl_answer_formats; format->name; format++) {
        const char *path = test_path("empty"), *absent = test_path("absent");
        test_write(path, "", 0);
        assert_fails(try_import(format->name, path, NULL, &answers, &err), SL_ERR_INPUT, err, path);
        assert_fails(try_import(format->name, absent, NULL, &answers, &err), SL_ERR_NOT_FOUND, err,
                     absent);
    }
}

static const char long_csv[] = "task,worker,label\n"
                               "t1,ann,10\n"
                               "t1,bob,9\n"
                               "t2,ann,9\n";

static void test_long_csv_numbers_classes_as_numbers(void **state)
{
    (void)state;
    struct sl_answers *answers = import_text("long-csv", long_csv, NULL);
    assert_int_equal(answers->n_classes, 2);
    assert_string_equal(answers->classes[0], "9");
    assert_string_equal(answers->classes[1], "10");
    assert_int_equal(answers->count, 3);
    assert_hard(answers, 0, "t1", "ann", "10");
    assert_hard(answers, 2, "t2", "ann", "9");
    assert_int_equal(get_answer(answers, 0).truth, -1);
    assert_true(isnan(get_answer(answers, 0).ms));
    sl_answers_destroy(answers);
}

static void test_long_csv_knows_the_orders_of_other_tools(void **state)
{
    (void)state;
    static const char *const files[] = {
        "question,worker,answer\nq,w,a\n",          "annotator,question,answer\nw,q,a\n",
        "example,annotator,value\nq,w,a\n",         "item,worker,label\r\nq,w,a\r\n",
        "gold,label,time,worker,item\nx,a,3,w,q\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct sl_answers *answers = import_text("long-csv", files[i], NULL);
        assert_int_equal(answers->count, 1);
        assert_hard(answers, 0, "q", "w", "a");
        sl_answers_destroy(answers);
    }
}

static void test_long_csv_takes_columns_by_name_or_by_place(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *text;
    } cases[] = {
        {"orig_id,!amt_worker_ids,response", "!amt_worker_ids,orig_id,response,gold\nw,q,a,1\n"},
        {"item,worker,label", "item,worker,label\nq,w,a\n"},
        {"worker,item,label", "worker,item,label\nw,q,a\n"},
        {"item,worker,label", "q,w,a\n"},
        {"worker,item,label", "w,q,a\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sl_import_options options = {.columns = cases[i].columns};
        struct sl_answers *answers = import_text("long-csv", cases[i].text, &options);
        assert_int_equal(answers->count, 1);
        assert_hard(answers, 0, "q", "w", "a");
        sl_answers_destroy(answers);
    }
    const struct sl_import_options wrong = {.columns = "q,person,said"};
    assert_import_fails("long-csv", "a,b,c\n1,2,3\n", &wrong,
                        "no column \"q\" in the header line; it has a, b, c");
    const struct sl_import_options partly = {.columns = "task,worker,label"};
    assert_import_fails("long-csv", "item,worker,label\n1,2,3\n", &partly,
                        "no column \"task\" in the header line; it has item, worker, label");
    const struct sl_import_options two = {.columns = "item,label"};
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_fails(try_import("long-csv", test_path("in"), &two, &answers, &err), SL_ERR_USAGE, err,
                 "three columns");
}

static void test_long_csv_without_known_columns_says_which(void **state)
{
    (void)state;
    assert_import_fails("long-csv", "a,b,c\n1,2,3\n", NULL,
                        "no columns are called item, worker and label, or similar; name them");
    assert_import_fails("long-csv", "item,task,worker,label\n1,2,3,4\n", NULL,
                        "called item or similar, found 2");
}

static void test_an_answer_without_a_class_is_skipped_and_counted(void **state)
{
    (void)state;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers =
        import_text("long-csv", "item,worker,label\na,w,x\nb,w,\nc,w,y\n", &options);
    assert_int_equal(answers->count, 2);
    assert_int_equal(notes.n_read, 3);
    assert_int_equal(notes.n_skipped, 1);
    assert_int_equal(notes.n_mended, 0);
    sl_answers_destroy(answers);
}

static void test_an_unknown_class_stops_with_file_and_line(void **state)
{
    (void)state;
    const char *const classes[] = {"cat", "dog", NULL};
    const struct sl_import_options options = {.classes = classes};
    assert_import_fails("long-csv", "item,worker,label\na,w,cat\nb,w,dgo\n", &options,
                        "in:3: unknown class \"dgo\", did you mean \"dog\"?");
    assert_import_fails("wide", "cat,\ncat,cow\ncow,cat\n", &options,
                        "in:2: unknown class \"cow\"");
    assert_import_fails("peerannot", "{\"a\": {\"w\": 0},\n \"b\": {\"w\": 2}}", &options,
                        "in:2: $.b.w: unknown class \"2\"");
    assert_import_fails("pos", "1\tx\tcat,cow\tcat\n", &options, "in:1: unknown class \"cow\"");
}

static void test_given_classes_keep_their_order_and_numbers_mean_places(void **state)
{
    (void)state;
    const char *const classes[] = {"dog", "cat", NULL};
    const struct sl_import_options options = {.classes = classes};
    struct sl_answers *answers =
        import_text("long-csv", "item,worker,label\na,v,cat\na,w,0\n", &options);
    assert_string_equal(answers->classes[0], "dog");
    assert_hard(answers, 0, "a", "v", "cat");
    assert_hard(answers, 1, "a", "w", "dog");
    sl_answers_destroy(answers);
}

static void test_an_answer_without_an_item_or_by_nobody(void **state)
{
    (void)state;
    assert_import_fails("long-csv", "item,worker,label\n,w,x\n", NULL, "in:2: ");
    struct sl_answers *answers = import_text("long-csv", "item,worker,label\na,,x\n", NULL);
    assert_hard(answers, 0, "a", "", "x");
    sl_answers_destroy(answers);
}

static void test_answers_by_one_worker_to_one_item_are_all_kept(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = import_text("long-csv", "item,worker,label\na,w,x\na,w,y\n", NULL);
    assert_int_equal(answers->count, 2);
    assert_round_trip("long-csv", answers, NULL);
    assert_fails(find_format("wide")->write(answers, test_path("out"), NULL, &err), SL_ERR_INPUT,
                 err, "annotator w answered item a twice");
    assert_fails(find_format("peerannot")->write(answers, test_path("out"), NULL, &err),
                 SL_ERR_INPUT, err, "twice");
    assert_false(sl_file_exists(test_path("out")));
    sl_answers_destroy(answers);
}

static void test_a_million_classes_are_not_classes(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, SIZE_MAX);
    sl_buffer_text(&text, "item,worker,label\n");
    for (int i = 0; i < 65536; i++)
        sl_buffer_printf(&text, "a,w,%d\n", i);
    assert_import_fails("long-csv", text.data, NULL, "in:65537: more than 65535 classes");
    sl_buffer_release(&text);
}

static void test_wide_reads_commas_and_blanks(void **state)
{
    (void)state;
    static const char *const files[] = {"1,,0\n,-1,1\n", "1 -1 0\n-1  -1 1\n",
                                        "1\t-1\t0\n-1\t-1\t1", "\n1 -1 0\n\n-1 -1 1\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct sl_answers *answers = import_text("wide", files[i], NULL);
        assert_int_equal(answers->count, 3);
        assert_hard(answers, 0, "0", "0", "1");
        assert_hard(answers, 1, "0", "2", "0");
        assert_hard(answers, 2, "1", "2", "1");
        sl_answers_destroy(answers);
    }
    assert_import_fails("wide", "1,2\n1,2,3\n", NULL, "in:2: expected 2 columns, got 3");
    assert_import_fails("labelme", "1 2\n1\n", NULL, "in:2: expected 2 columns, got 1");
}

static void test_an_item_without_answers_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *format, *text, *item;
        size_t count;
    } cases[] = {
        {"wide", ",\n1,0\n", "1", 2},
        {"wide", "\"\"\n1\n", "1", 1},
        {"labelme", "-1 -1\n1 0\n", "1", 2},
        {"peerannot", "{\"a\": {}, \"b\": {\"w\": 1}}", "b", 1},
        {"pos", "a\tx\t,\tN\n\nb\ty\tN,V\tN\n", "b", 2},
        {"cifar10s-json", "{\"a\": [], \"b\": [{\"Most Probable Class\": \"Cat\"}]}", "b", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_import_notes notes = {0};
        const struct sl_import_options options = {.notes = &notes};
        struct sl_answers *answers = import_text(cases[i].format, cases[i].text, &options);
        assert_int_equal(answers->count, cases[i].count);
        assert_field(get_answer(answers, 0).item, cases[i].item);
        assert_int_equal(notes.n_empty_items, 1);
        assert_int_equal(notes.n_skipped, 0);
        sl_answers_destroy(answers);
    }
}

static void test_a_file_without_any_answer_is_refused(void **state)
{
    (void)state;
    assert_import_fails("long-csv", "item,worker,label\n", NULL, "no answers");
    assert_import_fails("wide", ",,\n,,\n", NULL, "no answers");
    assert_import_fails("labelme", "-1 -1\n", NULL, "no answers");
    assert_import_fails("peerannot", "{}", NULL, "no answers");
    assert_import_fails("cifar10s-json", "{}", NULL, "no answers");
}

static void test_peerannot_reads_numbers_and_words(void **state)
{
    (void)state;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text(
        "peerannot", "{\"9\": {\"68\": 9, \"7\": \"10\", \"8\": null}, \"10\": {\"68\": 10}}",
        &options);
    assert_int_equal(answers->count, 3);
    assert_string_equal(answers->classes[0], "9");
    assert_hard(answers, 1, "9", "7", "10");
    assert_hard(answers, 2, "10", "68", "10");
    assert_int_equal(notes.n_skipped, 1);
    assert_round_trip("peerannot", answers, NULL);
    sl_answers_destroy(answers);
    assert_import_fails("peerannot", "{\"a\": {\"w\": 1.5}}", NULL, "$.a.w: expected a label");
    assert_import_fails("peerannot", "{\"a\": [1]}", NULL, "$.a: expected an object");
    assert_import_fails("peerannot", "[]", NULL, "expected an object");
    assert_import_fails("peerannot", "{\"a\": {\"w\": 1, \"w\": 2}}", NULL, "");
}

static void test_pos_tokens_carry_gold_as_truth(void **state)
{
    (void)state;
    struct sl_answers *answers =
        import_text("pos", "0\t\"I\tPRON,,NOUN\tPRON\n\n1\twin\t,VERB,\tVERB\n", NULL);
    assert_int_equal(answers->n_classes, 3);
    assert_int_equal(answers->count, 3);
    assert_hard(answers, 0, "0", "0", "PRON");
    assert_hard(answers, 1, "0", "2", "NOUN");
    assert_hard(answers, 2, "1", "1", "VERB");
    assert_string_equal(answers->classes[get_answer(answers, 1).truth], "PRON");
    sl_answers_destroy(answers);
    assert_import_fails("pos", "0\tI\tA,B\tA\n1\tx\tA\tA\n", NULL, "in:2: expected 2 tags, got 1");
    assert_import_fails("pos", "0\tI\tA,B\n", NULL, "in:1: expected id, word, tags and gold");
}

static void write_counts(const char *path, const int64_t *counts, size_t n_rows, size_t n_columns)
{
    struct sl_error err;
    struct sl_array array;
    const size_t shape[2] = {n_rows, n_columns};
    assert_ok(sl_array_create(SL_I8, 0, 2, shape, &array, &err), err);
    memcpy(array.data, counts, n_rows * n_columns * sizeof *counts);
    assert_ok(sl_npy_write(&array, SL_ORDER_C, path, &err), err);
    sl_array_release(&array);
}

static void test_counts_become_answers_by_nobody(void **state)
{
    (void)state;
    const char *const classes[] = {"a", "b", "c", NULL};
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.classes = classes, .notes = &notes};
    const int64_t counts[] = {2, 0, 1, 0, 0, 0, 0, 3, 0};
    const char *path = test_path("counts.npy");
    write_counts(path, counts, 3, 3);
    struct sl_answers *answers = import_file("cifar10h-counts", path, &options);
    assert_int_equal(answers->count, 6);
    assert_hard(answers, 0, "0", "", "a");
    assert_hard(answers, 1, "0", "", "a");
    assert_hard(answers, 2, "0", "", "c");
    assert_hard(answers, 5, "2", "", "b");
    assert_int_equal(notes.n_empty_items, 1);
    struct sl_error err;
    struct sl_array again;
    const char *out = test_path("again.npy");
    assert_ok(find_format("cifar10h-counts")->write(answers, out, NULL, &err), err);
    assert_ok(sl_npy_read(out, &again, &err), err);
    assert_int_equal(again.dtype, SL_I8);
    assert_int_equal(again.shape[0], 3);
    assert_memory_equal(again.data, counts, sizeof counts);
    sl_array_release(&again);
    assert_fails(find_format("wide")->write(answers, out, NULL, &err), SL_ERR_INPUT, err,
                 "has no annotator");
    sl_answers_destroy(answers);
}

static void test_counts_that_are_none_are_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = NULL;
    const char *path = test_path("counts.npy");
    int64_t counts[20] = {1, [13] = -1};
    write_counts(path, counts, 2, 10);
    assert_fails(try_import("cifar10h-counts", path, NULL, &answers, &err), SL_ERR_INPUT, err,
                 "[1, 3]: expected a count from 0 to 1000000, got -1");
    write_counts(path, counts, 4, 5);
    assert_fails(try_import("cifar10h-counts", path, NULL, &answers, &err), SL_ERR_INPUT, err,
                 "10");
    answers = import_text("long-csv", long_csv, NULL);
    assert_fails(find_format("cifar10h-counts")->write(answers, path, NULL, &err), SL_ERR_INPUT,
                 err, "item \"t1\" is not a row number");
    sl_answers_destroy(answers);
}

static const char clicks[] =
    "annotator_id,trial_index,is_attn_check,true_category,chosen_category,true_label,chosen_label,"
    "correct_guess,cifar10_test_%s_idx,image_filename,subcategory,reaction_time,time_elapsed\n"
    "3,0,0,cat,dog,3,5,0,17,cat_s_1.png,x,1500.5,2000\n"
    "3,1,1,ship,ship,8,8,1,-99999,check_1.png,x,900,3000\n"
    "4,0,0,cat,cat,3,3,1,17,cat_s_1.png,x,,100\n"
    "4,1,0,cat,,3,,0,18,cat_s_2.png,x,,100\n";

static void test_clicks_of_cifar10h_mark_checks(void **state)
{
    (void)state;
    static const char *const spellings[] = {"set", "test"};
    for (size_t i = 0; i < 2; i++) {
        struct sl_import_notes notes = {0};
        const struct sl_import_options options = {.notes = &notes};
        char text[sizeof clicks + 8];
        snprintf(text, sizeof text, clicks, spellings[i]);
        struct sl_answers *answers = import_text("cifar10h-raw", text, &options);
        assert_int_equal(answers->count, 3);
        assert_int_equal(notes.n_skipped, 1);
        assert_hard(answers, 0, "17", "3", "dog");
        struct sl_answer answer = get_answer(answers, 0);
        assert_int_equal(answer.flags, 0);
        assert_int_equal(answer.truth, 3);
        assert_int_equal(answer.trial, 0);
        assert_near(answer.ms, 1500.5, 0);
        assert_hard(answers, 1, "check_1.png", "3", "ship");
        answer = get_answer(answers, 1);
        assert_int_equal(answer.flags, SL_ANSWER_CHECK);
        assert_int_equal(answer.truth, 8);
        assert_true(isnan(get_answer(answers, 2).ms));
        struct sl_error err;
        notes = (struct sl_import_notes){0};
        const char *out = test_path("out.csv");
        assert_ok(find_format("long-csv")->write(answers, out, &notes, &err), err);
        assert_int_equal(notes.n_skipped, 1);
        struct sl_answers *again = import_file("long-csv", out, NULL);
        assert_int_equal(again->count, 2);
        sl_answers_destroy(again);
        sl_answers_destroy(answers);
    }
}

static void test_another_order_of_classes_is_noticed(void **state)
{
    (void)state;
    const char *const classes[] = {"truck", "ship", "horse",      "frog",     "dog", "deer",
                                   "cat",   "bird", "automobile", "airplane", NULL};
    const struct sl_import_options options = {.classes = classes};
    char text[sizeof clicks + 8];
    snprintf(text, sizeof text, clicks, "set");
    assert_import_fails("cifar10h-raw", text, &options,
                        "in:2: label 5 is called \"dog\", which is class 4");
    char *label = strstr(text, "cat,dog,3,5");
    memcpy(label, "cat,dgo,3,5", 11);
    assert_import_fails("cifar10h-raw", text, NULL, "in:2: unknown class \"dgo\"");
    memcpy(label, "cat,dog,3,x", 11);
    assert_import_fails("cifar10h-raw", text, NULL, "in:2:");
}

static void test_hard_answers_survive_every_format_that_holds_them(void **state)
{
    (void)state;
    struct sl_answers *answers = import_text("wide", "2,0,\n,1,1\n0,,\n", NULL);
    static const char *const formats[] = {"long-csv", "wide", "labelme", "peerannot"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_round_trip(formats[i], answers, NULL);
    sl_answers_destroy(answers);
    answers = import_text("wide", ",2,,0\n\n,1,,1\n", NULL); /* nobody in columns 0 and 2 */
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_round_trip(formats[i], answers, NULL);
    sl_answers_destroy(answers);
    const char *const classes[] = {"very, \"very\" good", "bad", NULL};
    const struct sl_import_options options = {.classes = classes, .header = SL_ABSENT};
    answers = import_text("wide", "0,1\n1,0\n", &options);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_round_trip(formats[i], answers, &options);
    sl_answers_destroy(answers);
}

static void test_formats_of_one_kind_refuse_others(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = import_text(
        "cifar10s-json",
        "{\"7\": [{\"Most Probable Class\": \"Cat\", \"Most Probable Class Prob\": 90}]}", NULL);
    static const char *const hard[] = {"long-csv", "wide", "labelme", "peerannot",
                                       "cifar10h-counts"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        assert_fails(find_format(hard[i])->write(answers, test_path("out"), NULL, &err),
                     SL_ERR_INPUT, err, "answer 1 (item 7) is of kind \"soft\"");
    assert_fails(find_format("hmix")->write(answers, test_path("out"), NULL, &err), SL_ERR_INPUT,
                 err, "hmix can hold only mix answers");
    sl_answers_destroy(answers);
    answers = import_text("long-csv", long_csv, NULL);
    assert_fails(find_format("cifar10s-json")->write(answers, test_path("out"), NULL, &err),
                 SL_ERR_INPUT, err, "cifar10s-json can hold only soft answers");
    sl_answers_destroy(answers);
}

static void count_lines(void *context, enum sl_log_level level, const char *line)
{
    (void)line;
    assert_int_equal(level, SL_LOG_WARNING);
    ++*(size_t *)context;
}

static void test_only_the_first_few_of_a_kind_are_said(void **state)
{
    (void)state;
    size_t lines = 0;
    struct sl_log log = {.level = SL_LOG_WARNING, .write = count_lines, .context = &lines};
    struct sl_import_notes notes = {.log = &log};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_buffer text;
    sl_buffer_init(&text, SIZE_MAX);
    sl_buffer_text(&text, "item,worker,label\na,w,x\n");
    for (int i = 0; i < 100; i++)
        sl_buffer_text(&text, "b,w,\n");
    struct sl_answers *answers = import_text("long-csv", text.data, &options);
    assert_int_equal(notes.n_skipped, 100);
    assert_int_equal(lines, 5);
    sl_answers_destroy(answers);
    sl_buffer_release(&text);
}

static void test_several_files_share_their_classes(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = NULL;
    const struct sl_answer_sink sink = {.begin = begin_set, .put = put_in_set, .context = &answers};
    const char *paths[2] = {test_path("one.csv"), test_path("two.tsv")};
    test_write(paths[0], "item,worker,label\na,w,y\n", 24);
    test_write(paths[1], "item\tworker\tlabel\nb\tw\tx\n", 24);
    assert_ok(find_format("long-csv")->import(paths, 2, NULL, &sink, &err), err);
    assert_non_null(answers);
    if (!answers) return;
    assert_int_equal(answers->n_classes, 2);
    assert_hard(answers, 0, "a", "w", "y");
    assert_hard(answers, 1, "b", "w", "x");
    sl_answers_destroy(answers);
    assert_fails(find_format("wide")->import(paths, 2, NULL, &sink, &err), SL_ERR_USAGE, err,
                 "wide takes one file, got 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_is_named_once_and_can_be_read),
        cmocka_unit_test(test_every_format_refuses_an_empty_or_missing_file),
        cmocka_unit_test(test_long_csv_numbers_classes_as_numbers),
        cmocka_unit_test(test_long_csv_knows_the_orders_of_other_tools),
        cmocka_unit_test(test_long_csv_takes_columns_by_name_or_by_place),
        cmocka_unit_test(test_long_csv_without_known_columns_says_which),
        cmocka_unit_test(test_an_answer_without_a_class_is_skipped_and_counted),
        cmocka_unit_test(test_an_unknown_class_stops_with_file_and_line),
        cmocka_unit_test(test_given_classes_keep_their_order_and_numbers_mean_places),
        cmocka_unit_test(test_an_answer_without_an_item_or_by_nobody),
        cmocka_unit_test(test_answers_by_one_worker_to_one_item_are_all_kept),
        cmocka_unit_test(test_a_million_classes_are_not_classes),
        cmocka_unit_test(test_wide_reads_commas_and_blanks),
        cmocka_unit_test(test_an_item_without_answers_is_counted),
        cmocka_unit_test(test_a_file_without_any_answer_is_refused),
        cmocka_unit_test(test_peerannot_reads_numbers_and_words),
        cmocka_unit_test(test_pos_tokens_carry_gold_as_truth),
        cmocka_unit_test(test_counts_become_answers_by_nobody),
        cmocka_unit_test(test_counts_that_are_none_are_refused),
        cmocka_unit_test(test_clicks_of_cifar10h_mark_checks),
        cmocka_unit_test(test_another_order_of_classes_is_noticed),
        cmocka_unit_test(test_hard_answers_survive_every_format_that_holds_them),
        cmocka_unit_test(test_formats_of_one_kind_refuse_others),
        cmocka_unit_test(test_only_the_first_few_of_a_kind_are_said),
        cmocka_unit_test(test_several_files_share_their_classes),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
