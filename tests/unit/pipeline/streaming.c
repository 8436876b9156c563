/* Answers that are streamed by themselves when memory is short. */
#include "support.h"

#include "pipeline/labels/labels.h"
#include "softlab/base/system.h"

static struct sl_error err;

static void test_answers_that_leave_a_quarter_of_memory_free_are_not_streamed(void **state)
{
    (void)state;
    static const struct {
        struct sl_votes_size size;
        size_t available;
        bool too_large;
    } trials[] = {
        /* 1000 bytes of answers; 10 rows of 4 x 2 bytes with names of 40: 480 */
        {{.bytes = 1000, .n_items = 10, .n_classes = 2}, 1976, false},
        {{.bytes = 1000, .n_items = 10, .n_classes = 2}, 1972, true},
        /* Rows count as answers do. */
        {{.bytes = 1000, .n_items = 10, .n_classes = 3}, 1976, true},
        {{.bytes = 1000, .n_items = 11, .n_classes = 2}, 1976, true},
        {{.bytes = 1000}, 0, true},
        /* Unknown memory is enough; sums do not wrap. */
        {{.bytes = (uint64_t)1 << 40, .n_items = 1 << 30, .n_classes = 2}, SIZE_MAX, false},
        {{.bytes = 1, .n_items = UINT32_MAX - 1, .n_classes = 65535}, (size_t)1 << 40, true},
    };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        assert_int_equal(sl_labels_too_large(&trials[i].size, trials[i].available),
                         trials[i].too_large);
    assert_int_equal(sl_labels_memory(&trials[0].size), 1480);
}

/* ---- Jobs ---- */

static void write_text(const char *name, const char *text)
{
    test_write(test_path(name), text, strlen(text));
}

static char *make_answers(void)
{
    struct sl_votes *votes = NULL;
    write_text("votes.csv", "item,worker,label\nx,ann,cat\nx,ben,cat\nx,eve,dog\ny,ann,dog\n"
                            "y,ben,dog\nz,ann,cat\nz,eve,dog\n");
    assert_ok(sl_votes_read(test_path("votes.csv"), NULL, &votes, &err), err);
    assert_ok(sl_votes_write_slb(votes, test_path("answers.slb"), &err), err);
    sl_votes_destroy(votes);
    return sl_string_copy(test_path("answers.slb"));
}

static void keep_line(void *context, enum sl_log_level level, const char *line)
{
    fprintf(context, "%s: %s\n", sl_log_level_name(level), line);
}

/* What the log says while a job runs with so much memory. */
static char *run(struct sl_labels_job *job, char *path, size_t memory, const char *output,
                 enum sl_status expected)
{
    char *text = NULL, *out = output ? sl_string_copy(test_path(output)) : NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    const struct sl_log log = {.level = SL_LOG_INFO, .write = keep_line, .context = stream};
    const struct sl_workplace workplace = {.log = &log, .memory = memory};
    struct sl_label_notes notes;
    struct sl_rows *rows = NULL;
    char *paths[] = {path, NULL};
    job->paths = paths;
    job->n_paths = 1;
    job->output = out;
    assert_int_equal(sl_labels_job_run(job, &workplace, &rows, &notes, &err), expected);
    sl_rows_destroy(rows);
    fclose(stream);
    free(out);
    return text;
}

static bool streams(struct sl_labels_job *job, char *path, size_t memory, const char *output)
{
    char *said = run(job, path, memory, output, SL_OK);
    const bool found =
        strstr(said, "info: streaming the answers: in memory they and the labels would");
    free(said);
    return found;
}

static void test_short_memory_streams_the_same_labels(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"npz", "csv", "npy"};
    char *answers = make_answers();
    struct sl_votes_size size;
    assert_true(sl_votes_size_read(answers, &size));
    assert_int_equal(size.n_items, 3);
    assert_int_equal(size.n_annotators, 3);
    assert_int_equal(size.n_classes, 2);
    assert_int_equal(size.count, 7);
    assert_false(sl_votes_size_read(test_path("votes.csv"), &size));
    assert_false(sl_votes_size_read("/nonexistent", &size));
    for (size_t i = 0; i < 3; i++) {
        char here[40], there[40];
        snprintf(here, sizeof here, "here.%s", suffixes[i]);
        snprintf(there, sizeof there, "there.%s", suffixes[i]);
        struct sl_labels_job job = sl_labels_job_default();
        job.method = "ds";
        assert_false(streams(&job, answers, 1 << 20, here));
        assert_true(streams(&job, answers, 1000, there));
        struct sl_buffer one, other;
        sl_buffer_init(&one, 1 << 20);
        sl_buffer_init(&other, 1 << 20);
        assert_ok(sl_file_read(test_path(here), &one, &err), err);
        assert_ok(sl_file_read(test_path(there), &other, &err), err);
        assert_int_equal(one.length, other.length);
        assert_memory_equal(one.data, other.data, one.length);
        sl_buffer_release(&one);
        sl_buffer_release(&other);
    }
    free(answers);
}

static void test_what_cannot_be_streamed_stays_in_memory(void **state)
{
    (void)state;
    char *answers = make_answers(), *csv = sl_string_copy(test_path("votes.csv"));
    char *kept = sl_string_copy(test_path("state.npz"));
    struct sl_labels_job job = sl_labels_job_default();
    job.method = "glad";
    assert_false(streams(&job, answers, 1, "a.csv"));
    job.method = "mv";
    assert_true(streams(&job, answers, 1, "a.csv"));
    assert_false(streams(&job, csv, 1, "a.csv"));
    assert_false(streams(&job, answers, 1, NULL));
    job.method = "ds";
    job.state = kept;
    assert_false(streams(&job, answers, 1, "a.csv"));
    /* Asked for, it is refused with the reason. */
    job.stream = true;
    free(run(&job, answers, 1, "a.csv", SL_ERR_USAGE));
    assert_non_null(strstr(err.message, "--state needs all answers in memory"));
    /* The form for many classes may end at another round. */
    const struct sl_votes_size many = {.n_items = 100, .n_annotators = 50, .n_classes = 1000};
    assert_false(sl_aggregator_streams_alike(sl_aggregator_find("ds"), &many));
    assert_true(sl_aggregator_streams_alike(sl_aggregator_find("wawa"), &many));
    assert_false(sl_aggregator_streams_alike(sl_aggregator_find("glad"), &many));
    free(answers);
    free(csv);
    free(kept);
}

static void test_memory_that_runs_out_names_the_methods_that_stream(void **state)
{
    (void)state;
    const struct sl_aggregator *glad = sl_aggregator_find("glad"), *ds = sl_aggregator_find("ds");
    assert_int_equal(sl_labels_hint_stream(sl_fail(&err, SL_ERR_NOMEM, "short"), glad, &err),
                     SL_ERR_NOMEM);
    assert_string_equal(err.message,
                        "short; these methods read an answers.slb larger than memory: mv, "
                        "mv-shares, wawa, ds, ds-fast, ds-hybrid, ibcc");
    assert_int_equal(sl_labels_hint_stream(sl_fail(&err, SL_ERR_NOMEM, "short"), ds, &err),
                     SL_ERR_NOMEM);
    assert_string_equal(err.message, "short; --stream reads an answers.slb larger than memory");
    assert_int_equal(sl_labels_hint_stream(sl_fail(&err, SL_ERR_INPUT, "bad"), ds, &err),
                     SL_ERR_INPUT);
    assert_string_equal(err.message, "bad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_that_leave_a_quarter_of_memory_free_are_not_streamed),
        cmocka_unit_test(test_short_memory_streams_the_same_labels),
        cmocka_unit_test(test_what_cannot_be_streamed_stays_in_memory),
        cmocka_unit_test(test_memory_that_runs_out_names_the_methods_that_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
