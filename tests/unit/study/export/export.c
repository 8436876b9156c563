#include "study/export/export.h"

#include "softlab/base/array.h"
#include "study_sample.h"
#include "support.h"

static struct sample sample;

static int set_up(void **state)
{
    (void)state;
    sample = sample_create("study", "");
    return 0;
}

static int tear_down(void **state)
{
    sample_destroy(&sample);
    return test_folder_clear(state);
}

/* Write an export to a file and read it as answers. */
static struct sl_answers *read_back(const char *name, const char *format)
{
    struct sl_answers *answers = NULL;
    struct sl_error err;
    size_t length = 0;
    const char *path = test_path("back");
    char *text = sample_export(&sample, name, &length);
    test_write(path, text, length);
    free(text);
    if (!format) {
        assert_ok(sl_answers_read(path, &answers, NULL, &err), err);
        return answers;
    }
    const struct sl_answer_format *found = sl_answer_formats;
    while (found->name && strcmp(found->name, format) != 0)
        found++;
    assert_non_null(found->name);
    char jsonl[600];
    snprintf(jsonl, sizeof jsonl, "%s", test_path("back.jsonl"));
    struct sl_answer_writer *writer = NULL;
    assert_ok(sl_answer_writer_create(jsonl, &writer, &err), err);
    const struct sl_answer_sink sink = sl_answer_writer_sink(writer);
    const char *const classes[] = {"Deer", "Horse", "Ship", NULL};
    const struct sl_import_options options = {.classes = classes};
    assert_ok(found->import(&path, 1, &options, &sink, &err), err);
    assert_ok(sl_answer_writer_commit(writer, &err), err);
    sl_answer_writer_destroy(writer);
    assert_ok(sl_answers_read(jsonl, &answers, NULL, &err), err);
    return answers;
}

static void test_answers_are_read_back_whole(void **state)
{
    (void)state;
    struct sl_answers *answers = read_back("answers", NULL);
    size_t kinds[5] = {0}, repeats = 0, checks = 0;
    assert_int_equal(answers->count, SAMPLE_COUNTED);
    assert_int_equal(answers->n_classes, 3);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        kinds[answer.kind]++;
        repeats += (answer.flags & SL_ANSWER_REPEAT) != 0;
        checks += (answer.flags & SL_ANSWER_CHECK) != 0;
        assert_int_equal(answer.annotator.length, SL_STUDY_ANNOTATOR_TEXT - 1);
        assert_true(answer.ms >= 15000);
        assert_true(answer.inputs.length > 0);
        assert_true(answer.truth >= 0);
    }
    assert_int_equal(kinds[SL_ANSWER_SOFT], 40);
    assert_int_equal(kinds[SL_ANSWER_DIST], 10);
    assert_int_equal(repeats, 9);
    assert_int_equal(checks, 9);
    sl_answers_destroy(answers);
}

static enum sl_status append(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    (void)err;
    sl_buffer_append(context, bytes, length);
    return SL_OK;
}

/* How many answers to a screen are exported, all of them of one kind. */
static size_t count_of_screen(const char *screen, enum sl_answer_kind kind)
{
    struct sl_error err;
    struct sl_buffer text;
    struct sl_answers *answers = NULL;
    const char *path = test_path("back");
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_study_export_screen(sample.study, sample.store, screen, append, &text, &err), err);
    test_write(path, text.data, text.length);
    sl_buffer_release(&text);
    assert_ok(sl_answers_read(path, &answers, NULL, &err), err);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        assert_int_equal(answer.kind, kind);
    }
    size_t count = answers->count;
    sl_answers_destroy(answers);
    return count;
}

static void test_the_answers_to_one_screen_can_be_had_alone(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_buffer text;
    assert_int_equal(count_of_screen("collins", SL_ANSWER_SOFT), 40);
    assert_int_equal(count_of_screen("bars", SL_ANSWER_DIST), 10);
    sl_buffer_init(&text, 1 << 20);
    assert_fails(sl_study_export_screen(sample.study, sample.store, "hard", append, &text, &err),
                 SL_ERR_USAGE, err, "does not ask with the screen \"hard\"");
    assert_int_equal(text.length, 0);
    sl_buffer_release(&text);
}

/* Annotator 0 said Horse about item1 first, then Deer. */
static void test_the_last_revision_is_what_counts(void **state)
{
    (void)state;
    char *trials = sample_export(&sample, "trials", NULL);
    char *changes = sample_export(&sample, "changes", NULL);
    const char *line = strstr(trials, ",1,");
    assert_non_null(line);
    size_t revised = 0, lines = 0;
    for (const char *at = changes; (at = strstr(at, ",answer,1,1,")); at++)
        revised++;
    assert_int_equal(revised, 1);
    for (const char *at = trials; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, SAMPLE_COUNTED + 1);
    free(trials);
    free(changes);
}

static void test_cifar10s_layouts_are_read_back(void **state)
{
    (void)state;
    struct sl_answers *raw = read_back("cifar10s-raw", "cifar10s-raw");
    struct sl_answers *json = read_back("cifar10s-json", "cifar10s-json");
    /* 40 soft answers, of which seven are checks. */
    assert_int_equal(raw->count, 33);
    assert_int_equal(json->count, 33);
    size_t repeats = 0, unreadable = 0;
    for (size_t i = 0; i < raw->count; i++) {
        struct sl_answer answer;
        sl_answers_get(raw, i, &answer);
        repeats += (answer.flags & SL_ANSWER_REPEAT) != 0;
        unreadable += isnan(answer.top[0].probability) != 0;
        assert_int_equal(answer.flags & SL_ANSWER_SECOND_RUN, 0);
        if (isnan(answer.top[0].probability)) {
            assert_int_equal(answer.raw[0].length, 4);
            continue;
        }
        const bool repeat = (answer.flags & SL_ANSWER_REPEAT) != 0;
        assert_near(answer.top[0].probability, repeat ? .6 : .7, 1e-6);
        assert_int_equal(answer.n_top, 2);
        assert_near(answer.top[1].probability, .2, 1e-6);
        assert_int_equal(answer.n_impossible, 1);
    }
    assert_int_equal(repeats, 7);
    assert_int_equal(unreadable, 2);
    sl_answers_destroy(raw);
    sl_answers_destroy(json);
}

static void test_cifar10h_layouts_are_read_back(void **state)
{
    (void)state;
    struct sl_answers *raw = read_back("cifar10h-raw", "cifar10h-raw");
    struct sl_array counts, probs;
    struct sl_error err;
    size_t length = 0;
    /* Without nine repeats. */
    assert_int_equal(raw->count, SAMPLE_COUNTED - 9);
    char *bytes = sample_export(&sample, "cifar10h-counts", &length);
    assert_ok(sl_npy_parse(bytes, length, "counts", &counts, &err), err);
    assert_int_equal(counts.dtype, SL_I8);
    assert_int_equal(counts.shape[0], SAMPLE_ITEMS);
    assert_int_equal(counts.shape[1], 3);
    const int64_t *count = counts.data;
    int64_t total = 0;
    for (size_t i = 0; i < 18; i++)
        total += count[i];
    assert_int_equal(total, SAMPLE_COUNTED - 18);
    assert_true(count[3] == 1 && count[4] > 1); /* item1: annotator 0 changed to Deer */
    free(bytes);
    bytes = sample_export(&sample, "cifar10h-probs", &length);
    assert_ok(sl_npy_parse(bytes, length, "probs", &probs, &err), err);
    assert_int_equal(probs.dtype, SL_F8);
    const double *share = probs.data;
    for (size_t row = 0; row < SAMPLE_ITEMS; row++)
        assert_near(share[3 * row] + share[3 * row + 1] + share[3 * row + 2], 1, 1e-12);
    free(bytes);
    sl_array_release(&counts);
    sl_array_release(&probs);
    sl_answers_destroy(raw);
}

static bool holds(const char *bytes, size_t length, const char *part)
{
    const size_t size = strlen(part);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(bytes + i, part, size) == 0) return true;
    return false;
}

static void test_no_export_names_a_person(void **state)
{
    (void)state;
    for (const struct sl_study_export *export = sl_study_exports; export->name; export ++) {
        size_t length = 0;
        char *text = sample_export(&sample, export->name, &length);
        for (size_t i = 0; i < SAMPLE_PEOPLE; i++)
            assert_false(holds(text, length, sample_person(i)));
        assert_false(holds(text, length, "example.org"));
        assert_false(holds(text, length, "5f1234567890abcdef123456"));
        free(text);
    }
}

static void test_free_text_is_scrubbed_and_kept(void **state)
{
    (void)state;
    char *changes = sample_export(&sample, "changes", NULL);
    assert_non_null(strstr(changes, "mail me at [removed], I am [removed]"));
    free(changes);
}

/* A file's name is the researcher's: one that looks like a telephone number stays. */
static void test_what_the_items_are_is_not_scrubbed(void **state)
{
    (void)state;
    struct sl_error err;
    struct sample own = sample_create("file-names", "");
    const struct sl_store_item item = {
        .id = "dated", .content = "{\"image\":\"20240115123045.png\"}", .entropy = (double)NAN};
    assert_ok(sl_store_begin(own.store, &err), err);
    assert_ok(sl_store_add_item(own.store, &item, &err), err);
    assert_ok(sl_store_commit(own.store, &err), err);
    char *items = sample_export(&own, "items", NULL);
    assert_non_null(strstr(items, "20240115123045.png"));
    free(items);
    sample_destroy(&own);
}

/* Reads every CSV as a spreadsheet would, and looks at the first byte of every cell. */
static void test_no_cell_is_a_formula(void **state)
{
    (void)state;
    for (const struct sl_study_export *export = sl_study_exports; export->name; export ++) {
        if (!sl_path_has_suffix(export->file, ".csv")) continue;
        struct sl_csv_options options = sl_csv_options_default();
        struct sl_csv *csv = NULL;
        struct sl_csv_record record;
        struct sl_error err;
        size_t length = 0, cells = 0;
        char *text = sample_export(&sample, export->name, &length);
        options.header = false;
        assert_ok(sl_csv_open_memory(text, length, export->name, &options, &csv, &err), err);
        for (;;) {
            assert_ok(sl_csv_next(csv, &record, &err), err);
            if (record.count == 0) break;
            for (size_t i = 0; i < record.count; i++, cells++) {
                const struct sl_field cell = record.fields[i];
                double number = 0;
                if (cell.length == 0 || sl_text_to_real(cell.text, cell.length, &number)) continue;
                assert_null(memchr("=+-@\t\r\n", cell.text[0], 7));
            }
        }
        assert_true(cells > 10);
        sl_csv_close(csv);
        free(text);
    }
    char *items = sample_export(&sample, "items", NULL);
    assert_non_null(strstr(items, ",'=2+3,"));
    free(items);
}

static void test_cells_that_a_spreadsheet_would_run_get_an_apostrophe(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"=1", "'=1"},   {"+1", "'+1"},  {"-x", "'-x"},         {"@a", "'@a"},
        {"\tx", "'\tx"}, {"a=b", "a=b"}, {"\n=1", "\"'\n=1\""}, {"=\"a\"", "\"'=\"\"a\"\"\""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_buffer line;
        sl_buffer_init(&line, 1000);
        sl_study_cell(&line, texts[i][0]);
        assert_string_equal(line.data, texts[i][1]);
        sl_buffer_release(&line);
    }
}

static void test_times_of_every_input_have_their_columns(void **state)
{
    (void)state;
    char *trials = sample_export(&sample, "trials", NULL);
    *strchr(trials, '\n') = '\0';
    assert_non_null(strstr(trials, "top_first_ms,top_last_ms,top_percent_first_ms"));
    assert_non_null(strstr(trials + strlen(trials) + 1, ",1000,2000,2500,5000,8000,14000\n"));
    free(trials);
}

static void test_payments_follow_the_rule(void **state)
{
    (void)state;
    char *payments = sample_export(&sample, "payments", NULL);
    char *bonus = sample_export(&sample, "bonus", NULL);
    /* Nine finished; annotator 4 failed the only check. */
    assert_string_equal(bonus, "s0,0.41\ns1,0.41\ns2,0.41\ns3,0.41\ns5,0.41\ns6,0.41\n"
                               "s10,0.41\ns11,0.41\n");
    size_t lines = 0;
    for (const char *at = payments; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 10);
    assert_non_null(strstr(payments, ",1,1,3.34,0.41,3.75,GBP\n"));
    assert_non_null(strstr(payments, ",1,0,3.34,0.00,3.34,GBP\n"));
    free(payments);
    free(bonus);
}

static void test_a_bonus_that_cannot_be_addressed_stops_the_export(void **state)
{
    (void)state;
    struct sl_buffer out;
    struct sl_error err;
    char *recruiter = sample.study->recruiter;
    const size_t n_keep = sample.study->n_keep;
    static char generic[] = "generic";
    sample.study->recruiter = generic;
    sample.study->n_keep = 0;
    sl_buffer_init(&out, 1 << 20);
    assert_fails(sample_try_export(&sample, "bonus", &out, &err), SL_ERR_INPUT, err,
                 "recruiter.keep");
    sample.study->recruiter = recruiter;
    sample.study->n_keep = n_keep;
    sl_buffer_release(&out);
}

static enum sl_status refuse(void *context, const void *bytes, size_t length, struct sl_error *err)
{
    (void)bytes, (void)length;
    ++*(size_t *)context;
    return sl_fail(err, SL_ERR_IO, "the pipe is closed");
}

static void test_a_sink_that_fails_ends_every_export(void **state)
{
    (void)state;
    for (const struct sl_study_export *export = sl_study_exports; export->name; export ++) {
        size_t calls = 0;
        struct sl_error err;
        assert_fails(export->write(sample.study, sample.store, refuse, &calls, &err), SL_ERR_IO,
                     err, "pipe");
        assert_int_equal(calls, 1);
    }
}

static void test_a_damaged_answer_is_named(void **state)
{
    (void)state;
    struct sample broken = sample_create("broken", "");
    struct sl_error err;
    enum sl_put_outcome outcome;
    struct sl_buffer out;
    struct sl_store_answer answer = {.client_id = {9, 9, 9},
                                     .session = 1,
                                     .trial = 9,
                                     .item = "item0",
                                     .body = "{\"answer\":{\"top\":{\"class\":\"Cow\"}}}"};
    assert_ok(sl_store_begin(broken.store, &err), err);
    assert_ok(sl_store_put_answer(broken.store, &answer, &outcome, &err), err);
    assert_ok(sl_store_commit(broken.store, &err), err);
    sl_buffer_init(&out, 1 << 20);
    assert_fails(sample_try_export(&broken, "answers", &out, &err), SL_ERR_INPUT, err, "Cow");
    sl_buffer_release(&out);
    sample_destroy(&broken);
}

static void test_an_export_becomes_a_private_file(void **state)
{
    (void)state;
    struct sl_error err;
    struct stat info;
    struct sl_buffer written;
    size_t length = 0;
    const struct sl_study_export *items = sl_study_export_find("items");
    assert_string_equal(items->file, "items.csv");
    assert_null(sl_study_export_find("itemz"));
    char *text = sample_export(&sample, "items", &length);
    assert_ok(sl_study_export_write(sample.study, sample.store, items, NULL, test_path("items.csv"),
                                    &err),
              err);
    sl_buffer_init(&written, 1 << 20);
    assert_ok(sl_file_read(test_path("items.csv"), &written, &err), err);
    assert_string_equal(written.data, text);
    assert_int_equal(stat(test_path("items.csv"), &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
    sl_buffer_release(&written);
    free(text);
    assert_fails(sl_study_export_write(sample.study, sample.store, sl_study_export_find("answers"),
                                       "nothing", test_path("none.jsonl"), &err),
                 SL_ERR_USAGE, err, "nothing");
    assert_false(sl_file_exists(test_path("none.jsonl")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_are_read_back_whole),
        cmocka_unit_test(test_the_answers_to_one_screen_can_be_had_alone),
        cmocka_unit_test(test_the_last_revision_is_what_counts),
        cmocka_unit_test(test_cifar10s_layouts_are_read_back),
        cmocka_unit_test(test_cifar10h_layouts_are_read_back),
        cmocka_unit_test(test_no_export_names_a_person),
        cmocka_unit_test(test_free_text_is_scrubbed_and_kept),
        cmocka_unit_test(test_what_the_items_are_is_not_scrubbed),
        cmocka_unit_test(test_no_cell_is_a_formula),
        cmocka_unit_test(test_cells_that_a_spreadsheet_would_run_get_an_apostrophe),
        cmocka_unit_test(test_times_of_every_input_have_their_columns),
        cmocka_unit_test(test_payments_follow_the_rule),
        cmocka_unit_test(test_a_bonus_that_cannot_be_addressed_stops_the_export),
        cmocka_unit_test(test_a_sink_that_fails_ends_every_export),
        cmocka_unit_test(test_a_damaged_answer_is_named),
        cmocka_unit_test(test_an_export_becomes_a_private_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
