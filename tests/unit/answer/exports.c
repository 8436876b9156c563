/* Exports of annotation tools and platforms: Label Studio, doccano, Potato, Toloka, Mechanical
 * Turk; and how files are recognised. */
#include "answer_support.h"

#include "softlab/base/file.h"

/* Import text from a file with this name. */
static struct sl_answers *import_named(const char *format, const char *name, const char *text,
                                       const struct sl_import_options *options)
{
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    return import_file(format, path, options);
}

static void assert_named_fails(const char *format, const char *name, const char *text,
                               const struct sl_import_options *options, const char *part)
{
    struct sl_error err;
    struct sl_answers *answers = NULL;
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    assert_fails(try_import(format, path, options, &answers, &err), SL_ERR_INPUT, err, part);
    assert_non_null(strstr(err.message, path));
}

/* ---- Label Studio ---- */

#define CHOICE(name, choices)                                                                      \
    "{\"from_name\":\"" name "\",\"to_name\":\"image\",\"type\":\"choices\",\"value\":{"           \
    "\"choices\":" choices "}}"
#define TASK(id, annotations)                                                                      \
    "{\"id\":" id ",\"data\":{\"image\":\"pic" id ".png\"},\"annotations\":[" annotations "],"     \
    "\"predictions\":[{\"result\":[" CHOICE("choice", "[\"ship\"]") "]}]}"

#define BY(who, more, results) "{\"completed_by\":" who "," more "\"result\":[" results "]}"
#define ANN                    "{\"id\":3,\"email\":\"ann@x.org\"}"
#define IN_TIME                "\"lead_time\":4.25,\"was_cancelled\":false,\"ground_truth\":false,"
#define CANCELLED              "\"was_cancelled\":true,"
#define TRUE_CLASS             "\"ground_truth\":true,"
#define CAT                    CHOICE("choice", "[\"cat\"]")
#define DOG                    CHOICE("choice", "[\"dog\"]")
#define SHIP                   CHOICE("choice", "[\"ship\"]")
#define TWO                    CHOICE("choice", "[\"dog\",\"cat\"]")
#define TASK_7                                                                                     \
    TASK("7", BY(ANN, IN_TIME, CAT) ",\n" BY("12", "", TWO) "," BY("13", CANCELLED, SHIP))
#define TASK_8 TASK("8", BY("12", TRUE_CLASS, DOG) "," BY("{\"id\":14}", "", ""))
#define TASK_9 TASK("9", "")

static const char studio[] = "[" TASK_7 ",\n" TASK_8 ",\n" TASK_9 "]";

static void test_label_studio_reads_choices_people_and_times(void **state)
{
    (void)state;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("label-studio", studio, &options);
    assert_int_equal(answers->n_classes, 2);
    assert_int_equal(answers->count, 3);
    assert_hard(answers, 0, "7", "ann@x.org", "cat");
    assert_near(get_answer(answers, 0).ms, 4250, 0);
    assert_int_equal(get_answer(answers, 0).truth, -1);
    const struct sl_answer several = get_answer(answers, 1);
    assert_int_equal(several.kind, SL_ANSWER_SELECT);
    assert_field(several.annotator, "12");
    assert_int_equal(several.n_top, 2);
    assert_string_equal(answers->classes[several.top[0].class_index], "dog");
    assert_string_equal(answers->classes[several.top[1].class_index], "cat");
    assert_hard(answers, 2, "8", "12", "dog");
    assert_string_equal(answers->classes[get_answer(answers, 2).truth], "dog");
    assert_int_equal(notes.n_skipped, 2);
    assert_int_equal(notes.n_empty_items, 1);
    assert_int_equal(notes.n_read, 5);
    sl_answers_destroy(answers);
}

static void test_label_studio_names_items_by_their_data_on_request(void **state)
{
    (void)state;
    const struct sl_import_options options = {.columns = "item=image"};
    struct sl_answers *answers = import_text("label-studio", studio, &options);
    assert_hard(answers, 0, "pic7.png", "ann@x.org", "cat");
    sl_answers_destroy(answers);
    const struct sl_import_options wrong = {.columns = "item=photo"};
    assert_import_fails("label-studio", studio, &wrong, "in:1: $[0].data: missing key \"photo\"");
}

static void test_label_studio_asks_which_control_to_read(void **state)
{
    (void)state;
    static const char two[] = "[" TASK(
        "1",
        "{\"completed_by\":1,\"result\":[" CHOICE(
            "topic",
            "[\"sport\"]") ","
                           "{\"from_name\":\"stars\",\"type\":\"rating\",\"value\":{\"rating\":4}},"
                           "{\"from_name\":\"note\",\"type\":\"textarea\",\"value\":{\"text\":["
                           "\"x\"]}}"
                           "]}") "]";
    assert_import_fails("label-studio", two, NULL,
                        "$[0].annotations[0].result[1].from_name: there are answers to the control "
                        "\"topic\" and to \"stars\"; choose one with --columns label=topic");
    const struct sl_import_options topic = {.columns = "label=topic"};
    struct sl_answers *answers = import_text("label-studio", two, &topic);
    assert_hard(answers, 0, "1", "1", "sport");
    sl_answers_destroy(answers);
    const struct sl_import_options stars = {.columns = "label=stars"};
    answers = import_text("label-studio", two, &stars);
    assert_hard(answers, 0, "1", "1", "4");
    sl_answers_destroy(answers);
    const struct sl_import_options none = {.columns = "label=colour"};
    assert_import_fails("label-studio", two, &none,
                        "no control is called \"colour\"; the file has topic, stars");
}

static void test_label_studio_refuses_what_it_cannot_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"[{\"id\": 1, \"data\": {}}]", "in:1: $[0]: missing key \"annotations\""},
        {"[\n{\"data\": {}, \"annotations\": []}]", "in:2: $[0]: missing key \"id\""},
        {"[7]", "$[0]: expected a task"},
        {"{\"id\": 1}", "missing key \"annotations\""},
        {"[" TASK("1", "{\"completed_by\":1.5,\"result\":[" CHOICE("c", "[\"a\"]") "]}") "]",
         "completed_by: expected an annotator: a whole number or a string"},
        {"[" TASK("1", "{\"completed_by\":1}") "]", "missing key \"result\""},
        {"[" TASK("1", "{\"result\":[{\"type\":\"rectanglelabels\",\"value\":{}}]}") "]",
         "results of type \"rectanglelabels\" only"},
        {"[" TASK("1", "{\"result\":[" CHOICE("c", "[\"a\"]") "," CHOICE("c", "[\"b\"]") "]}") "]",
         "answers \"c\" twice"},
        {"[" TASK("1", "{\"result\":[" CHOICE("c", "[\"a\",\"b\",\"a\"]") "]}") "]",
         "names 3 classes, there are 2"},
        {"[" TASK("1", "{\"result\":[" CHOICE("c", "[\"a\",\"a\"]") "]},"
                                                                    "{\"result\":[" CHOICE(
                                                                        "c", "[\"b\"]") "]}") "]",
         "names class \"a\" twice"},
        {"[" TASK("1", "{\"result\":[" CHOICE("c", "[[\"a\",\"b\"]]") "]}") "]",
         "choices[0]: expected a string"},
        {"[" TASK("1", "{\"lead_time\":-1,\"result\":[" CHOICE("c", "[\"a\"]") "]}") "]",
         "lead_time: expected a number"},
        {"[" TASK("1", "{\"was_cancelled\":1,\"result\":[]}") "]", "was_cancelled: expected"},
        {"[" TASK("1", "{\"result\":[]}") "]", "no answers"},
        {"[{\"id\":1,\"data\":{},\"annotations\":[{\"result\":[" CHOICE("c", "[\"a\"]"), "in:1: "},
        {"[{\"id\":1,\"id\":2}]", "in:1: "},
        {"PK\3\4zip", "is a zip; unpack it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_import_fails("label-studio", cases[i].text, NULL, cases[i].part);
    static const char *const classes[] = {"car", "dog", NULL};
    const struct sl_import_options known = {.classes = classes};
    assert_import_fails("label-studio", studio, &known,
                        "$[0].annotations[0]: unknown class \"cat\", did you mean \"car\"?");
}

static const char studio_min[] =
    "[{\"image\":\"a.png\",\"id\":1,\"choice\":\"cat\",\"annotator\":4,\"annotation_id\":9,"
    "\"created_at\":\"2024\",\"updated_at\":\"2024\",\"lead_time\":2},\n"
    "{\"image\":\"a.png\",\"id\":1,\"choice\":{\"choices\":[\"dog\",\"cat\"]},\"annotator\":5,"
    "\"annotation_id\":10},\n"
    "{\"image\":\"b.png\",\"id\":2,\"annotator\":5,\"annotation_id\":11}]";

static void test_label_studio_min_reads_flat_annotations(void **state)
{
    (void)state;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("label-studio-min", studio_min, &options);
    assert_int_equal(answers->count, 2);
    assert_hard(answers, 0, "1", "4", "cat");
    assert_near(get_answer(answers, 0).ms, 2000, 0);
    assert_int_equal(get_answer(answers, 1).kind, SL_ANSWER_SELECT);
    assert_int_equal(notes.n_skipped, 1);
    sl_answers_destroy(answers);
    static const char own[] = "[{\"text\":\"t\",\"id\":1,\"mood\":\"good\",\"annotator\":4}]";
    assert_import_fails("label-studio-min", own, NULL, "name the one that holds the answer");
    const struct sl_import_options mood = {.columns = "label=mood,item=text"};
    answers = import_text("label-studio-min", own, &mood);
    assert_hard(answers, 0, "t", "4", "good");
    sl_answers_destroy(answers);
    assert_import_fails("label-studio-min", "[{\"id\":1,\"choice\":[\"a\"],\"annotator\":4}]", NULL,
                        "choice: expected a choice");
    assert_import_fails("label-studio-min", "[{\"id\":1,\"choice\":\"a\",\"label\":\"b\"}]", NULL,
                        "the control \"choice\" and to \"label\"");
}

/* ---- doccano ---- */

static void test_doccano_takes_annotators_from_file_names(void **state)
{
    (void)state;
    static const char text[] = "{\"id\": 1, \"text\": \"a\", \"label\": [\"pos\"]}\n\n"
                               "{\"id\": 2, \"text\": \"b\", \"label\": [\"neg\", \"pos\"]}\n"
                               "{\"id\": 3, \"text\": \"c\", \"label\": []}\n";
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_named("doccano", "jane.doe.jsonl", text, &options);
    assert_hard(answers, 0, "1", "jane.doe", "pos");
    assert_int_equal(get_answer(answers, 1).kind, SL_ANSWER_SELECT);
    assert_int_equal(answers->count, 2);
    assert_int_equal(notes.n_skipped, 1);
    sl_answers_destroy(answers);
    answers = import_named("doccano", "all.jsonl", text, NULL);
    assert_hard(answers, 0, "1", "", "pos");
    sl_answers_destroy(answers);
    answers = import_named("doccano", "bob.json",
                           "[{\"id\": 1, \"text\": \"a\", \"label\": [\"pos\"]}]", NULL);
    assert_hard(answers, 0, "1", "bob", "pos");
    sl_answers_destroy(answers);
}

static void test_doccano_refuses_spans_and_broken_lines(void **state)
{
    (void)state;
    static const char good[] = "{\"id\": 1, \"text\": \"a\", \"label\": [\"x\"]}\n";
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"{\"id\": 2, \"text\": \"a\", \"label\": [[0, 2, \"LOC\"]]}",
         "$.label[0]: the label is a span"},
        {"{\"id\": 2, \"text\": \"a\"}", "missing key \"label\""},
        {"{\"text\": \"a\", \"label\": [\"x\"]}", "missing key \"id\""},
        {"{\"id\": null, \"label\": [\"x\"]}", "$.id"},
        {"{\"id\": 2, \"label\": \"x\"}", "$.label: expected an array"},
        {"{\"id\": 2, \"label\": [\"\"]}", "the label has no name"},
        {"{\"id\": 2, \"label\": [\"x\"", ""},
        {"[]", "expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "%s%s", good, cases[i].line);
        assert_named_fails("doccano", "bob.jsonl", text, NULL, cases[i].part);
        assert_named_fails("doccano", "bob.jsonl", text, NULL, "bob.jsonl:2: ");
    }
}

/* ---- Potato ---- */

static const char potato_lines[] =
    "{\"id\": \"t1\", \"displayed_text\": \"x\", \"label_annotations\": {\"mood\": {\"good\": "
    "\"true\"}}, \"span_annotations\": []}\n"
    "{\"id\": \"t2\", \"label_annotations\": {\"mood\": {\"bad\": \"2\", \"good\": true, \"odd\": "
    "false}}}\n"
    "{\"id\": \"t3\", \"label_annotations\": {}}\n";

static void test_potato_takes_annotators_from_folders(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    assert_ok(sl_folder_create(test_path("ann"), &err), err);
    struct sl_answers *answers =
        import_named("potato", "ann/annotated_instances.jsonl", potato_lines, &options);
    assert_hard(answers, 0, "t1", "ann", "good");
    const struct sl_answer several = get_answer(answers, 1);
    assert_int_equal(several.kind, SL_ANSWER_SELECT);
    assert_string_equal(answers->classes[several.top[0].class_index], "bad");
    assert_int_equal(several.n_top, 2);
    assert_int_equal(notes.n_skipped, 1);
    sl_answers_destroy(answers);
    answers = import_named("potato", "ann/all.jsonl",
                           "{\"user_id\": \"bob\", \"instance_id\": 4, \"label_annotations\": "
                           "{\"m\": {\"scale_3\": \"3\"}}}\n",
                           NULL);
    assert_hard(answers, 0, "4", "bob", "scale_3");
    sl_answers_destroy(answers);
}

static void test_potato_tables_have_a_column_for_each_label(void **state)
{
    (void)state;
    static const char csv[] = "user,instance_id,displayed_text,mood:::good,mood:::bad,"
                              "span_annotation:::x\n"
                              "ann,t1,\"a, b\",1,,[]\nbob,t1,\"a, b\",,true,[]\n"
                              "bob,t2,c,True,true,[]\ncy,t2,c,,False,[]\n";
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_named("potato", "annotated.csv", csv, &options);
    assert_int_equal(answers->count, 3);
    assert_hard(answers, 0, "t1", "ann", "good");
    assert_hard(answers, 1, "t1", "bob", "bad");
    assert_int_equal(get_answer(answers, 2).kind, SL_ANSWER_SELECT);
    assert_int_equal(notes.n_skipped, 1);
    sl_answers_destroy(answers);
    answers =
        import_named("potato", "annotated.tsv", "user\tinstance_id\tm:::a\nann\tt1\t1\n", NULL);
    assert_hard(answers, 0, "t1", "ann", "a");
    sl_answers_destroy(answers);
    assert_named_fails("potato", "bad.csv", "user,instance_id,a:::x,b:::y\nann,t1,1,1\n", NULL,
                       "bad.csv:2: there are answers to the schema \"a\" and to \"b\"");
    assert_named_fails("potato", "bad.csv", "user,instance_id,a:::text_box\nann,t1,hm\n", NULL,
                       "bad.csv:2: the answer is a free text");
    assert_named_fails("potato", "bad.csv", "user,id,a:::x\nann,t1,1\n", NULL, "instance_id");
    assert_named_fails("potato", "bad.csv", "user,instance_id,a:::x\nann,,1\n", NULL,
                       "bad.csv:2: instance_id is empty");
}

static void test_potato_refuses_what_is_ambiguous(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{\"id\":1,\"label_annotations\":{\"m\":{\"a\":1}}}\n{\"id\":1,\"label_annotations\":{}}",
         "in:2: $: instance 1 appears twice and no line names its user"},
        {"{\"id\":1,\"label_annotations\":{\"m\":{\"text_box\":\"words\"}}}",
         "$.label_annotations.m.text_box: the answer is a free text"},
        {"{\"id\":1,\"label_annotations\":{\"m\":{\"a\":1},\"n\":{\"b\":1}}}",
         "choose one with --columns label=m"},
        {"{\"id\":1,\"label_annotations\":[]}", "expected an object {schema: {label: value}}"},
        {"{\"id\":1,\"label_annotations\":{\"m\":\"a\"}}", "expected an object {label: value}"},
        {"{\"id\":1}", "missing key \"label_annotations\""},
        {"{\"label_annotations\":{}}", "missing key \"id\""},
        {"{\"id\":1,\"label_annotations\":{\"m\":{\"a\":1}", "in:1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_import_fails("potato", cases[i].text, NULL, cases[i].part);
    const struct sl_import_options one = {.columns = "label=n"};
    struct sl_answers *answers = import_text(
        "potato", "{\"id\":1,\"label_annotations\":{\"m\":{\"a\":1},\"n\":{\"b\":1}}}", &one);
    assert_string_equal(answers->classes[0], "b");
    sl_answers_destroy(answers);
}

/* ---- Toloka and Mechanical Turk ---- */

static void test_toloka_leaves_rejected_assignments_out(void **state)
{
    (void)state;
    static const char tsv[] =
        "INPUT:image\tOUTPUT:result\tGOLDEN:result\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"
        "a.png\tcat\tcat\tw1\tAPPROVED\n\n"
        "a.png\tdog\t\tw2\tREJECTED\n"
        "b \"big\".png\tdog\t\tw2\tACCEPTED\n"
        "b.png\t\t\tw3\tSUBMITTED\n";
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_named("toloka", "pool.tsv", tsv, &options);
    assert_int_equal(answers->count, 2);
    assert_hard(answers, 0, "a.png", "w1", "cat");
    assert_string_equal(answers->classes[get_answer(answers, 0).truth], "cat");
    assert_hard(answers, 1, "b \"big\".png", "w2", "dog");
    assert_int_equal(get_answer(answers, 1).truth, -1);
    assert_int_equal(notes.n_skipped, 2);
    sl_answers_destroy(answers);
}

static void test_platforms_ask_where_columns_are_ambiguous(void **state)
{
    (void)state;
    static const char two[] = "INPUT:a,INPUT:b,OUTPUT:x,OUTPUT:y,ASSIGNMENT:worker_id\n1,2,p,q,w\n";
    assert_import_fails("toloka", two, NULL,
                        "in:1: 2 columns of answers: OUTPUT:x, OUTPUT:y; choose one with --columns "
                        "label=NAME");
    const struct sl_import_options label = {.columns = "label=OUTPUT:y"};
    assert_import_fails("toloka", two, &label,
                        "no column ASSIGNMENT:task_id, and 2 columns begin with INPUT:: INPUT:a");
    const struct sl_import_options both = {.columns = "label=OUTPUT:y,item=INPUT:b"};
    struct sl_answers *answers = import_text("toloka", two, &both);
    assert_hard(answers, 0, "2", "w", "q");
    sl_answers_destroy(answers);
    const struct sl_import_options absent = {.columns = "label=OUTPUT:z"};
    assert_import_fails("toloka", two, &absent, "OUTPUT:z");
    struct sl_error err;
    const struct sl_import_options order = {.columns = "a,b,c"};
    assert_fails(try_import("toloka", test_path("in"), &order, &answers, &err), SL_ERR_USAGE, err,
                 "takes pairs");
    const struct sl_import_options role = {.columns = "p=x"};
    assert_fails(try_import("toloka", test_path("in"), &role, &answers, &err), SL_ERR_USAGE, err,
                 "\"p\" has no choice");
    assert_import_fails("toloka", "INPUT:a,ASSIGNMENT:worker_id\n1,w\n", NULL,
                        "no column of answers begins with OUTPUT:");
    assert_import_fails("toloka", "INPUT:a,OUTPUT:x\n1,w\n", NULL, "ASSIGNMENT:worker_id");
    assert_import_fails("toloka",
                        "INPUT:a,OUTPUT:x,ASSIGNMENT:worker_id,ASSIGNMENT:status\n1,p,w,DONE\n",
                        NULL, "in:2: ASSIGNMENT:status \"DONE\" is not a status");
    assert_import_fails("toloka", "INPUT:a,OUTPUT:x,ASSIGNMENT:worker_id\n1,p,\n", NULL,
                        "in:2: the answer names no worker");
    assert_import_fails("toloka", "INPUT:a,OUTPUT:x,ASSIGNMENT:worker_id\n,p,w\n", NULL,
                        "in:2: the answer names no item");
    assert_import_fails("toloka", "INPUT:a,OUTPUT:x,ASSIGNMENT:worker_id\n1,p\n", NULL, "in:2: ");
}

static void test_mturk_reads_times_and_falls_back_to_the_hit(void **state)
{
    (void)state;
    static const char csv[] =
        "\"HITId\",\"WorkerId\",\"AssignmentStatus\",\"WorkTimeInSeconds\",\"Input.a\",\"Input.b\","
        "\"Answer.category.label\"\n"
        "\"H1\",\"W1\",\"Approved\",\"12\",\"x\",\"y\",\"cat\"\n"
        "\"H1\",\"W2\",\"Rejected\",\"3\",\"x\",\"y\",\"dog\"\n"
        "\"H1\",\"W3\",\"Submitted\",\"\",\"x\",\"y\",\"dog\"\n";
    struct sl_import_notes notes = {0};
    const struct sl_import_options options = {.notes = &notes};
    struct sl_answers *answers = import_text("mturk", csv, &options);
    assert_int_equal(answers->count, 2);
    assert_hard(answers, 0, "H1", "W1", "cat");
    assert_near(get_answer(answers, 0).ms, 12000, 0);
    assert_hard(answers, 1, "H1", "W3", "dog");
    assert_true(isnan(get_answer(answers, 1).ms));
    assert_int_equal(notes.n_skipped, 1);
    sl_answers_destroy(answers);
    answers = import_text("mturk", "HITId,WorkerId,Input.url,Answer.x\nH,W,u.png,cat\n", NULL);
    assert_hard(answers, 0, "u.png", "W", "cat");
    sl_answers_destroy(answers);
    assert_import_fails("mturk", "HITId,WorkerId,WorkTimeInSeconds,Answer.x\nH,W,1h,cat\n", NULL,
                        "in:2: the time \"1h\" is not a number of seconds");
}

/* ---- Recognition ---- */

static void test_files_are_recognised_by_their_content(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format, *missing;
    } cases[] = {
        {studio, "label-studio", NULL},
        {studio_min, "label-studio-min", NULL},
        {potato_lines, "potato", NULL},
        {"{\"id\":1,\"text\":\"a \\\"b\\\": {\",\"label\":[\"x\"]}", "doccano", NULL},
        {"{\"id\":1,\"text\":\"a\",\"label\":[],\"displayed_text\":1,\"behavioral_data\":2,"
         "\"user_id\":3,\"span_annotations\":4}",
         "doccano", NULL},
        {"user,instance_id,a:::b\n", "potato", NULL},
        {"INPUT:a\tOUTPUT:b\tASSIGNMENT:worker_id\n", "toloka", NULL},
        {"\"HITId\",\"WorkerId\",\"Answer.x\"\n", "mturk", NULL},
        {"[{\"id\":1,\"data\":{\"annotations\":1},\"predictions\":[]}]", "label-studio",
         "annotations"},
        {"HITId,WorkerId,label\n", "mturk", "Answer."},
        {"item,worker,label\n", NULL, NULL},
        {"{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"a\"]}\n", NULL, NULL},
        {"[{\"x\":{\"annotations\":1,\"data\":2}}]", NULL, NULL},
        {"[{\"x\":\"cut in the midd", NULL, NULL},
        {"\"unclosed", NULL, NULL},
        {"", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_format_guess guess;
        struct sl_error err;
        const char *path = test_path("some");
        test_write(path, cases[i].text, strlen(cases[i].text));
        assert_ok(sl_answer_format_guess(path, &guess, &err), err);
        if (!cases[i].format) {
            assert_null(guess.format);
            continue;
        }
        assert_non_null(guess.format);
        assert_string_equal(guess.format->name, cases[i].format);
        assert_int_equal(!guess.missing, !cases[i].missing);
        if (guess.missing) assert_string_equal(guess.missing, cases[i].missing);
    }
}

static void test_exports_are_loaded_without_being_named(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_answers *answers = NULL;
    struct sl_votes *votes = NULL;
    const char *path = test_path("export.json");
    test_write(path, studio, strlen(studio));
    assert_ok(sl_answers_load(path, NULL, &answers, &err), err);
    assert_int_equal(answers->count, 3);
    sl_answers_destroy(answers);
    assert_ok(sl_votes_read(path, NULL, &votes, &err), err);
    assert_int_equal(votes->count, 3);
    sl_votes_destroy(votes);
    static const char near[] = "[{\"id\":1,\"data\":{},\"predictions\":[]}]";
    test_write(path, near, strlen(near));
    assert_fails(sl_answers_load(path, NULL, &answers, &err), SL_ERR_INPUT, err,
                 "export.json:1: this looks like label-studio, but its first object has no "
                 "\"annotations\"");
    test_write(path, "[1]", 3);
    assert_fails(sl_votes_read(path, NULL, &votes, &err), SL_ERR_INPUT, err,
                 "a JSON list whose objects are of no known format");
    test_write(path, "HITId,WorkerId,y\n", 17);
    assert_fails(sl_answers_load(path, NULL, &answers, &err), SL_ERR_INPUT, err,
                 "the file looks like mturk, but has no \"Answer.\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_studio_reads_choices_people_and_times),
        cmocka_unit_test(test_label_studio_names_items_by_their_data_on_request),
        cmocka_unit_test(test_label_studio_asks_which_control_to_read),
        cmocka_unit_test(test_label_studio_refuses_what_it_cannot_read),
        cmocka_unit_test(test_label_studio_min_reads_flat_annotations),
        cmocka_unit_test(test_doccano_takes_annotators_from_file_names),
        cmocka_unit_test(test_doccano_refuses_spans_and_broken_lines),
        cmocka_unit_test(test_potato_takes_annotators_from_folders),
        cmocka_unit_test(test_potato_tables_have_a_column_for_each_label),
        cmocka_unit_test(test_potato_refuses_what_is_ambiguous),
        cmocka_unit_test(test_toloka_leaves_rejected_assignments_out),
        cmocka_unit_test(test_platforms_ask_where_columns_are_ambiguous),
        cmocka_unit_test(test_mturk_reads_times_and_falls_back_to_the_hit),
        cmocka_unit_test(test_files_are_recognised_by_their_content),
        cmocka_unit_test(test_exports_are_loaded_without_being_named),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
