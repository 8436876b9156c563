/* Tables of answers from other programs: which columns, which kind and which classes are
 * recognised. */
#include <zlib.h>

#include "answer_support.h"
#include "votes_support.h"

static struct sl_answers *load(const char *path, const struct sl_import_options *options)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_ok(sl_answers_load(path, options, &answers, &err), err);
    return answers;
}

static void assert_load_fails(const char *text, const struct sl_import_options *options,
                              const char *part)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    assert_fails(sl_answers_load(write_text("bad.csv", text), options, &answers, &err),
                 SL_ERR_INPUT, err, part);
}

static void assert_distribution(const struct sl_answers *answers, size_t index, const char *item,
                                const char *annotator, const float *expected)
{
    const struct sl_answer answer = get_answer(answers, index);
    assert_int_equal(answer.kind, SL_ANSWER_DIST);
    assert_field(answer.item, item);
    assert_field(answer.annotator, annotator);
    assert_int_equal(answers->n_classes, 2);
    for (size_t k = 0; k < 2; k++)
        assert_near(answer.distribution[k], expected[k], 1e-6);
}

/* The messages of a reader, one per line. */
static void keep_line(void *context, enum sl_log_level level, const char *line)
{
    (void)level;
    struct sl_buffer *said = context;
    sl_buffer_printf(said, "%s\n", line);
}

static const char known[] = "\xEF\xBB\xBFitem,worker,label,ms,truth,confidence,browser\r\n"
                            "a,v,cat,1200,cat,0.9,x\r\n"
                            "a,w,dog,,bird,,x\r\n";

static void test_time_truth_and_confidence_are_read_and_the_rest_is_named(void **state)
{
    (void)state;
    struct sl_buffer said;
    sl_buffer_init(&said, 4096);
    struct sl_log log = {.level = SL_LOG_INFO, .write = keep_line, .context = &said};
    struct sl_import_notes notes = {.log = &log};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("long-csv", known, &options);
    assert_int_equal(answers->n_classes, 3);
    const struct sl_answer first = get_answer(answers, 0), second = get_answer(answers, 1);
    assert_near(first.ms, 1200, 0);
    assert_near(first.mix.confidence, .9f, 0);
    assert_string_equal(answers->classes[first.truth], "cat");
    assert_true(isnan(second.ms) && isnan(second.mix.confidence));
    assert_string_equal(answers->classes[second.truth], "bird");
    assert_non_null(strstr(said.data, "in: these columns are not read: browser\n"));
    assert_null(strstr(strstr(said.data, "not read") + 1, "not read"));
    sl_answers_destroy(answers);
    sl_buffer_clear(&said);
    /* Votes hold neither, but have the same classes. */
    struct sl_votes *votes = read_votes(write_text("known.csv", known), &options);
    assert_string_equal(votes_text(votes), "bird,cat,dog; a: v=cat w=dog");
    assert_non_null(strstr(said.data, "not read: browser, ms, confidence, truth\n"));
    sl_votes_destroy(votes);
    sl_buffer_clear(&said);
    /* If the user names the columns, the remaining ones are ignored. */
    const struct sl_import_options named = {.columns = "item,worker,label", .notes = &notes};
    answers = import_text("long-csv", known, &named);
    assert_true(isnan(get_answer(answers, 0).ms));
    assert_int_equal(said.length, 0);
    sl_answers_destroy(answers);
    sl_buffer_release(&said);
    assert_import_fails("long-csv", "item,worker,label,confidence\na,w,x,85\n", NULL,
                        "in:2: confidence \"85\" is not a number from 0 to 1");
    assert_import_fails("long-csv", "item,worker,label,ms\na,w,x,-1\n", NULL, "in:2: ms \"-1\"");
}

static void test_columns_are_found_by_pairs_and_by_like_words(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *text;
    } cases[] = {
        {NULL, "ItemID,WorkerId,Answer\nq,w,a\n"},
        {NULL, "user_id,task_id,label\nw,q,a\n"},
        {NULL, "item,item_id,worker,label\nq,7,w,a\n"},
        {"label=verdict", "item,worker,verdict\nq,w,a\n"},
        {"item=question text,worker=by,label=said", "by,said,question text\nw,a,q\n"},
        {"item,worker,label,ms", "q,w,a,7\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sl_import_options options = {.columns = cases[i].columns};
        struct sl_answers *answers = load(write_text("c.csv", cases[i].text), &options);
        assert_int_equal(answers->count, 1);
        assert_hard(answers, 0, "q", "w", "a");
        sl_answers_destroy(answers);
    }
    const struct sl_import_options absent = {.columns = "label=verdict"};
    assert_load_fails("item,worker,label\nq,w,a\n", &absent, "bad.csv:1: no column \"verdict\"");
    struct sl_error err;
    struct sl_answers *answers = NULL;
    const struct sl_import_options wrong = {.columns = "itm=item"};
    assert_fails(sl_answers_load(test_path("c.csv"), &wrong, &answers, &err), SL_ERR_USAGE, err,
                 "\"itm\" is not one of item, worker");
    const struct sl_import_options twice = {.columns = "item=a,item=b"};
    assert_load_fails("a,b\n1,2\n", &(struct sl_import_options){.columns = "p=c"}, "no column");
    assert_fails(sl_answers_load(write_text("t.csv", "a,b\n1,2\n"), &twice, &answers, &err),
                 SL_ERR_USAGE, err, "item is named twice");
    assert_load_fails("task,who,verdict\nq,w,a\n",
                      &(struct sl_import_options){.columns = "task,who,nix"},
                      "no column \"nix\" in the header line; it has task, who, verdict");
    assert_load_fails("item,who,label\nq,w,a\n", NULL, "give --columns worker=NAME");
    static const char *const both[] = {"task,task,vote", "item=task,worker=task,label=vote"};
    for (size_t i = 0; i < 2; i++)
        assert_fails(sl_answers_load(write_text("t.csv", "task,who,vote\nq,w,a\n"),
                                     &(struct sl_import_options){.columns = both[i]}, &answers,
                                     &err),
                     SL_ERR_USAGE, err, "\"task\" stands for both item and worker");
}

static void test_probabilities_are_taken_also_beside_columns_that_were_named(void **state)
{
    (void)state;
    static const char text[] = "item,worker,class,prob\na,w,x,.7\na,w,y,.3\n";
    static const char *const named[] = {"item,worker,class", "label=class",
                                        "item,worker,class,prob"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const struct sl_import_options options = {.columns = named[i]};
        struct sl_answers *answers = load(write_text("p.csv", text), &options);
        assert_int_equal(answers->count, 1);
        assert_int_equal(get_answer(answers, 0).kind, SL_ANSWER_DIST);
        sl_answers_destroy(answers);
        struct sl_votes *votes = read_votes(test_path("p.csv"), &options);
        assert_string_equal(votes_text(votes), "x,y; a: w=x");
        sl_votes_destroy(votes);
    }
    /* A format that the user names takes precedence. */
    struct sl_answers *answers =
        import_text("long-csv", text, &(struct sl_import_options){.columns = "item,worker,class"});
    assert_int_equal(answers->count, 2);
    sl_answers_destroy(answers);
    assert_load_fails("item,worker,label,p,prob\na,w,x,1,1\n", NULL,
                      "expected one column called p or similar, found 2; give --columns p=NAME");
}

static void test_what_is_no_csv_is_said(void **state)
{
    (void)state;
    assert_load_fails("item;worker;label\na;b;c\n", NULL,
                      "bad.csv:1: the columns are separated by semicolons");
    assert_load_fails("item\tworker\tlabel\na\tb\tc\n", NULL, "separated by tabs");
    struct sl_error err;
    struct sl_answers *answers = NULL;
    test_write(test_path("u.csv"), "\xFF\xFEi\0t\0", 6);
    assert_fails(sl_answers_load(test_path("u.csv"), NULL, &answers, &err), SL_ERR_INPUT, err,
                 "u.csv: the file is UTF-16 text; save it as UTF-8");
    answers = load(write_text("t.tsv", "item\tworker\tlabel\na\tb\tc\n"), NULL);
    assert_hard(answers, 0, "a", "b", "c");
    sl_answers_destroy(answers);
}

static void test_long_probabilities_are_gathered_wherever_they_stand(void **state)
{
    (void)state;
    static const char text[] =
        "item,worker,class,p,ms\n"
        "a,v,cat,.67,5\na,w,cat,1,\nb,v,dog,.5,\na,v,dog,.32,5\nb,v,cat,.5,\n";
    static const float expected[3][2] = {{.67f / .99f, .32f / .99f}, {1, 0}, {.5f, .5f}};
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = load(write_text("p.csv", text), &options);
    assert_int_equal(answers->count, 3);
    assert_int_equal(notes.n_rescaled, 1);
    assert_distribution(answers, 0, "a", "v", expected[0]);
    assert_distribution(answers, 1, "a", "w", expected[1]);
    assert_distribution(answers, 2, "b", "v", expected[2]);
    assert_near(get_answer(answers, 0).ms, 5, 0);
    sl_answers_destroy(answers);
    struct sl_votes *votes = read_votes(test_path("p.csv"), NULL);
    assert_string_equal(votes_text(votes), "cat,dog; a: v=cat w=cat; b: v=cat");
    sl_votes_destroy(votes);
    /* As labels it would be a vote for every class. */
    assert_import_fails("long-csv", text, NULL, "so its format is probs-long");
    assert_import_fails("probs-long", "item,worker,label\na,w,x\n", NULL,
                        "so its format is long-csv");
}

static void test_wide_probabilities_have_a_column_for_each_class(void **state)
{
    (void)state;
    static const char text[] = "item,worker,p_dog,p_=cat,note\n"
                               "a,v,.25,.75,x\na,w,,,x\nb,v,0,1,x\n";
    static const float expected[2][2] = {{.25f, .75f}, {0, 1}};
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = load(write_text("w.csv", text), &options);
    assert_int_equal(answers->count, 2);
    assert_int_equal(notes.n_skipped, 1);
    assert_string_equal(answers->classes[0], "dog");
    assert_string_equal(answers->classes[1], "=cat");
    assert_distribution(answers, 0, "a", "v", expected[0]);
    assert_distribution(answers, 1, "b", "v", expected[1]);
    sl_answers_destroy(answers);
    /* Columns without p_ are classes only if the user names the format. */
    answers = import_text("probs-wide", "item,worker,dog,cat\na,v,.25,.75\n", NULL);
    assert_distribution(answers, 0, "a", "v", expected[0]);
    sl_answers_destroy(answers);
    assert_load_fails("item,worker,dog,cat\na,v,.25,.75\n", NULL, "and none called p_<class>");
}

static void test_improper_probabilities_are_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"item,worker,class,p\na,v,x,1\na,w,x,.7\na,w,y,.1\n",
         "bad.csv:3: the probabilities of the "
         "answer sum to 0.8"},
        {"item,worker,class,p\na,v,x,70\n", "bad.csv:2: p \"70\" is not a probability"},
        {"item,worker,class,p\na,v,x,nan\n", "bad.csv:2: p \"nan\""},
        {"item,worker,class,p\na,v,x,.5\na,v,x,.5\n",
         "bad.csv:3: class \"x\" appears twice in the answer to item a by v"},
        {"item,worker,class,p\na,,x,1\n", "bad.csv:2: the probability has no worker"},
        {"item,worker,p_x,p_y\na,v,.5,.5\na,w,.5,.4\n",
         "bad.csv:3: the probabilities of the answer "
         "sum to 0.9"},
        {"item,worker,p_x,p_y\na,v,.5,\n", "bad.csv:2: y \"\" is not a probability"},
        {"item,worker,p_x,p_x\na,v,.5,.5\n", "class \"x\" is listed twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_answers *answers = NULL;
        const enum sl_status status =
            sl_answers_load(write_text("bad.csv", cases[i].text), NULL, &answers, &err);
        assert_fails(status, i == 7 ? SL_ERR_USAGE : SL_ERR_INPUT, err, cases[i].part);
    }
}

static void write_gzip(const char *path, const char *text, size_t length)
{
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, text, (unsigned)length), (int)length);
    gzclose(file);
}

static void test_gzip_is_unpacked_on_the_way(void **state)
{
    (void)state;
    static const char votes_csv[] = "item,worker,label\nb,v,x\na,v,y\nb,w,x\n";
    write_gzip(test_path("v.csv.gz"), votes_csv, sizeof votes_csv - 1);
    struct sl_votes *votes = read_votes(test_path("v.csv.gz"), NULL);
    assert_string_equal(votes_text(votes), "x,y; b: v=x w=x; a: v=y");
    sl_votes_destroy(votes);
    struct sl_answers *answers = load(test_path("v.csv.gz"), NULL);
    assert_int_equal(answers->count, 3);
    sl_answers_destroy(answers);
    static const char jsonl[] = "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"x\"]}\n"
                                "{\"item\":\"a\",\"kind\":\"hard\",\"class\":\"x\"}\n";
    write_gzip(test_path("v.jsonl.gz"), jsonl, sizeof jsonl - 1);
    answers = load(test_path("v.jsonl.gz"), NULL);
    assert_hard(answers, 0, "a", "", "x");
    sl_answers_destroy(answers);
    /* A gzip file of one endless line is not unpacked into memory. */
    const size_t length = (size_t)64 << 20;
    char *zeros = malloc(length);
    memset(zeros, 'x', length);
    write_gzip(test_path("bomb.csv.gz"), zeros, length);
    free(zeros);
    struct sl_error err;
    assert_fails(sl_answers_load(test_path("bomb.csv.gz"), NULL, &answers, &err), SL_ERR_INPUT, err,
                 "bomb.csv.gz:1: record is longer than");
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1 << 20);
    assert_ok(sl_file_read(test_path("v.csv.gz"), &bytes, &err), err);
    test_write(test_path("cut.csv.gz"), bytes.data, bytes.length / 2);
    sl_buffer_release(&bytes);
    assert_fails(sl_answers_load(test_path("cut.csv.gz"), NULL, &answers, &err), SL_ERR_INPUT, err,
                 "cut");
}

static const char skipping[] = "item,worker,label\na,v,cat\na,w,skip\nb,v,skip\nc,u,cow\nc,v,cat\n";

static void test_abstentions_and_classes_are_left_out_and_counted(void **state)
{
    (void)state;
    struct sl_buffer said;
    sl_buffer_init(&said, 4096);
    struct sl_log log = {.level = SL_LOG_INFO, .write = keep_line, .context = &said};
    const char *const abstain[] = {"skip", NULL}, *const leave[] = {"cow", NULL};
    const char *path = write_text("s.csv", skipping);
    struct sl_import_notes notes = {.log = &log};
    const struct sl_import_options options = {
        .abstain = abstain, .leave_out = leave, .notes = &notes};
    struct sl_votes *votes = read_votes(path, &options);
    assert_string_equal(votes_text(votes), "cat; a: v=cat; c: v=cat");
    assert_int_equal(votes->n_annotators, 1);
    assert_int_equal(notes.n_abstained, 2);
    assert_int_equal(notes.n_left_out, 1);
    assert_non_null(strstr(said.data, "1 item lost all its answers with the classes that are "
                                      "left out; the first is b"));
    sl_votes_destroy(votes);
    struct sl_answers *answers = load(path, &options);
    assert_int_equal(answers->n_classes, 1);
    assert_int_equal(answers->count, 2);
    assert_int_equal(notes.n_abstained, 4);
    sl_answers_destroy(answers);
    sl_buffer_release(&said);
    const char *const typo[] = {"skpi", NULL}, *const all[] = {"skip", "cow", "cat", NULL};
    struct sl_error err;
    const struct sl_import_options wrong = {.abstain = typo}, none = {.leave_out = all};
    assert_fails(sl_votes_read(path, &wrong, &votes, &err), SL_ERR_INPUT, err,
                 "leave out class \"skpi\": there is no such class, did you mean \"skip\"?");
    assert_fails(sl_answers_load(path, &none, &answers, &err), SL_ERR_INPUT, err,
                 "every class is left out");
}

static void test_distributions_lose_a_class_and_sum_to_1_again(void **state)
{
    (void)state;
    const char *const names[] = {"skip", NULL};
    const char *path = write_text("d.csv", "item,worker,p_cat,p_dog,p_skip\n"
                                           "a,v,.4,.4,.2\na,w,.2,.2,.6\na,u,0,0,1\n");
    static const float half[] = {.5f, .5f};
    struct sl_import_notes notes = {0};
    struct sl_import_options options = {.leave_out = names, .notes = &notes};
    struct sl_answers *answers = load(path, &options);
    assert_int_equal(answers->count, 2);
    assert_int_equal(notes.n_left_out, 1);
    assert_distribution(answers, 0, "a", "v", half);
    assert_distribution(answers, 1, "a", "w", half);
    sl_answers_destroy(answers);
    options = (struct sl_import_options){.abstain = names, .notes = &notes};
    answers = load(path, &options);
    assert_int_equal(answers->count, 1);
    assert_int_equal(notes.n_abstained, 2);
    sl_answers_destroy(answers);
}

static void test_soft_answers_lose_what_they_say_of_a_class(void **state)
{
    (void)state;
    const char *path = write_text(
        "s.jsonl", "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"x\",\"cat\",\"dog\"]}\n"
                   "{\"item\":\"1\",\"kind\":\"soft\",\"top\":[[\"x\",0.5],[\"dog\",0.3]],"
                   "\"impossible\":[\"cat\"],\"truth\":\"x\"}\n"
                   "{\"item\":\"2\",\"kind\":\"hard\",\"class\":\"x\"}\n"
                   "{\"item\":\"3\",\"kind\":\"mix\",\"endpoints\":[\"x\",\"dog\"],"
                   "\"lambda\":0.2}\n");
    const char *const names[] = {"x", NULL};
    struct sl_import_notes notes = {0};
    struct sl_import_options options = {.leave_out = names, .notes = &notes};
    struct sl_answers *answers = load(path, &options);
    assert_int_equal(answers->count, 1);
    assert_int_equal(notes.n_left_out, 2);
    const struct sl_answer first = get_answer(answers, 0);
    assert_int_equal(first.n_top, 1);
    assert_string_equal(answers->classes[first.top[0].class_index], "dog");
    assert_string_equal(answers->classes[first.impossible[0]], "cat");
    assert_int_equal(first.truth, -1);
    sl_answers_destroy(answers);
    struct sl_votes *votes = read_votes(path, &options);
    assert_string_equal(votes_text(votes), "cat,dog; 1: ?=dog");
    sl_votes_destroy(votes);
    options = (struct sl_import_options){.abstain = names, .notes = &notes};
    struct sl_error err;
    assert_fails(sl_votes_read(write_text("h.csv", "item,worker,label\na,v,x\na,v,y\n"),
                               &(struct sl_import_options){.columns = "item=nothing"}, &votes,
                               &err),
                 SL_ERR_INPUT, err, "no column \"nothing\"");
    assert_fails(sl_votes_read(path, &(struct sl_import_options){.columns = "item,worker,label"},
                               &votes, &err),
                 SL_ERR_USAGE, err, "which have no columns; leave out --columns");
}

static void test_texts_that_look_like_formulas_survive_tables(void **state)
{
    (void)state;
    struct sl_answers *answers =
        import_text("long-csv", "item,worker,label\n@a,'=w,-1\n-a,+w,=x\n", NULL);
    assert_hard(answers, 0, "@a", "=w", "-1");
    assert_round_trip("long-csv", answers, NULL);
    struct sl_buffer bytes;
    struct sl_error err;
    sl_buffer_init(&bytes, 1 << 16);
    assert_ok(find_format("long-csv")->write(answers, test_path("out.csv"), NULL, &err), err);
    assert_ok(sl_file_read(test_path("out.csv"), &bytes, &err), err);
    sl_buffer_byte(&bytes, '\0');
    assert_string_equal(bytes.data, "item,worker,label\n'@a,'=w,-1\n'-a,'+w,'=x\n");
    sl_buffer_release(&bytes);
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_truth_and_confidence_are_read_and_the_rest_is_named),
        cmocka_unit_test(test_columns_are_found_by_pairs_and_by_like_words),
        cmocka_unit_test(test_probabilities_are_taken_also_beside_columns_that_were_named),
        cmocka_unit_test(test_what_is_no_csv_is_said),
        cmocka_unit_test(test_long_probabilities_are_gathered_wherever_they_stand),
        cmocka_unit_test(test_wide_probabilities_have_a_column_for_each_class),
        cmocka_unit_test(test_improper_probabilities_are_refused_by_line),
        cmocka_unit_test(test_gzip_is_unpacked_on_the_way),
        cmocka_unit_test(test_abstentions_and_classes_are_left_out_and_counted),
        cmocka_unit_test(test_distributions_lose_a_class_and_sum_to_1_again),
        cmocka_unit_test(test_soft_answers_lose_what_they_say_of_a_class),
        cmocka_unit_test(test_texts_that_look_like_formulas_survive_tables),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
