#include "csv_support.h"

static struct sl_csv *open_text(const char *text)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_error err;
    assert_ok(sl_csv_open_memory(text, strlen(text), "t.csv", &options, &csv, &err), err);
    return csv;
}

static void check_header_fails(const char *text, const char *message)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_error err;
    assert_int_equal(sl_csv_open_memory(text, strlen(text), "t.csv", &options, &csv, &err),
                     SL_ERR_INPUT);
    assert_string_equal(err.message, message);
    assert_null(csv);
}

static void test_the_header_names_the_columns(void **state)
{
    (void)state;
    struct sl_csv *csv = open_text("\n\ntask,\"the \"\"worker\"\"\",\n1,2,3\n");
    struct sl_csv_record record;
    struct sl_error err;
    size_t column = 99;
    assert_int_equal(sl_csv_column_count(csv), 3);
    assert_string_equal(sl_csv_column_name(csv, 0), "task");
    assert_string_equal(sl_csv_column_name(csv, 1), "the \"worker\"");
    assert_string_equal(sl_csv_column_name(csv, 2), "");
    assert_ok(sl_csv_column(csv, "the \"worker\"", &column, &err), err);
    assert_int_equal(column, 1);
    assert_ok(sl_csv_next(csv, &record, &err), err);
    assert_int_equal(record.line, 4);
    /* The names are copies: reading on does not change them. */
    assert_string_equal(sl_csv_column_name(csv, 0), "task");
    sl_csv_close(csv);
}

static void test_a_missing_column_is_named_beside_those_there_are(void **state)
{
    (void)state;
    struct sl_csv *csv = open_text("task,worker\n");
    struct sl_error err;
    size_t column = 99;
    assert_int_equal(sl_csv_column(csv, "label", &column, &err), SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "t.csv: no column \"label\"; the file has \"task\", \"worker\"");
    assert_int_equal(column, 99);
    sl_csv_close(csv);

    struct sl_csv_options options = sl_csv_options_default();
    options.header = false;
    assert_ok(sl_csv_open_memory("1,2\n", 4, "t.csv", &options, &csv, &err), err);
    assert_int_equal(sl_csv_column_count(csv), 0);
    assert_fails(sl_csv_column(csv, "label", &column, &err), SL_ERR_INPUT, err,
                 "has no header line");
    sl_csv_close(csv);
}

static void test_many_columns_are_listed_as_far_as_they_fit(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 16);
    for (unsigned i = 0; i < 1000; i++)
        sl_buffer_printf(&text, "%scolumn%u", i ? "," : "", i);
    struct sl_csv *csv = open_text(text.data);
    struct sl_error err;
    size_t column;
    assert_fails(sl_csv_column(csv, "x", &column, &err), SL_ERR_INPUT, err, "\"column20\", ");
    assert_string_equal(err.message + strlen(err.message) - 5, ", ...");
    assert_true(strlen(err.message) < 400);
    sl_csv_close(csv);
    sl_buffer_release(&text);
}

static void test_a_header_must_be_there_and_its_names_differ(void **state)
{
    (void)state;
    check_header_fails("", "t.csv: empty, expected a header line");
    check_header_fails("\xEF\xBB\xBF", "t.csv: empty, expected a header line");
    check_header_fails("\r\n\n", "t.csv: empty, expected a header line");
    check_header_fails("a,b,a\n1,2,3\n", "t.csv:1: two columns are called \"a\"");
    check_header_fails("\na,,b,\n", "t.csv:2: two columns are called \"\"");
    check_header_fails("a,\"b\n",
                       "t.csv:1: field 2: quote is not closed before the end of the file");
}

static void test_a_record_must_be_as_wide_as_the_header(void **state)
{
    (void)state;
    struct sl_csv *csv = open_text("a,b\n1\n");
    struct sl_csv_record record;
    struct sl_error err;
    assert_fails(sl_csv_next(csv, &record, &err), SL_ERR_INPUT, err,
                 "t.csv:2: expected 2 fields, got 1");
    sl_csv_close(csv);
}

static void test_integers_are_read_whole_and_within_bounds(void **state)
{
    (void)state;
    struct sl_csv *csv = open_text("n,m\n\n12,-3x\n");
    struct sl_csv_record record;
    struct sl_error err;
    int64_t value = 77;
    assert_ok(sl_csv_next(csv, &record, &err), err);
    assert_ok(sl_csv_integer(csv, &record, 0, 0, 12, &value, &err), err);
    assert_int_equal(value, 12);
    assert_int_equal(sl_csv_integer(csv, &record, 0, 0, 11, &value, &err), SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "t.csv:3: column \"n\": expected an integer from 0 to 11, got \"12\"");
    assert_int_equal(sl_csv_integer(csv, &record, 0, 13, INT64_MAX, &value, &err), SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "t.csv:3: column \"n\": expected an integer of at least 13, got \"12\"");
    assert_int_equal(sl_csv_integer(csv, &record, 1, INT64_MIN, INT64_MAX, &value, &err),
                     SL_ERR_INPUT);
    assert_string_equal(err.message, "t.csv:3: column \"m\": expected an integer, got \"-3x\"");
    assert_int_equal(value, 12);
    sl_csv_close(csv);
}

static void test_reals_are_read_whole_and_within_bounds(void **state)
{
    (void)state;
    struct sl_csv *csv = open_text("p,q\n0.25,nan\n");
    struct sl_csv_record record;
    struct sl_error err;
    double value = 77;
    assert_ok(sl_csv_next(csv, &record, &err), err);
    assert_ok(sl_csv_real(csv, &record, 0, 0, 1, &value, &err), err);
    assert_near(value, 0.25, 0);
    assert_int_equal(sl_csv_real(csv, &record, 0, 0.5, 1, &value, &err), SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "t.csv:2: column \"p\": expected a number from 0.5 to 1, got \"0.25\"");
    assert_fails(sl_csv_real(csv, &record, 1, -(double)INFINITY, (double)INFINITY, &value, &err),
                 SL_ERR_INPUT, err, "column \"q\": expected a number, got \"nan\"");
    assert_int_equal(sl_csv_real(csv, &record, 0, (double)NAN, 1, &value, NULL), SL_ERR_INPUT);
    assert_near(value, 0.25, 0);
    sl_csv_close(csv);
}

static void test_a_column_beyond_a_ragged_record_is_an_error(void **state)
{
    (void)state;
    struct sl_csv_options options = sl_csv_options_default();
    options.header = options.fixed_width = false;
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    struct sl_error err;
    int64_t value = 77;
    assert_ok(sl_csv_open_memory("1,x\n", 4, "t.csv", &options, &csv, &err), err);
    assert_ok(sl_csv_next(csv, &record, &err), err);
    assert_fails(sl_csv_integer(csv, &record, 2, 0, 9, &value, &err), SL_ERR_INPUT, err,
                 "t.csv:1: expected at least 3 fields, got 2");
    assert_fails(sl_csv_integer(csv, &record, 1, 0, 9, &value, &err), SL_ERR_INPUT, err,
                 "t.csv:1: column 2: expected an integer from 0 to 9, got \"x\"");
    sl_csv_close(csv);
}

static void test_a_caller_can_complain_about_a_line(void **state)
{
    (void)state;
    struct sl_csv *csv = open_text("a\n");
    struct sl_error err;
    assert_int_equal(sl_csv_fail(csv, 7, &err, "no item \"%s\"", "x"), SL_ERR_INPUT);
    assert_string_equal(err.message, "t.csv:7: no item \"x\"");
    assert_int_equal(sl_csv_fail(csv, 7, NULL, "no item"), SL_ERR_INPUT);
    sl_csv_close(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_header_names_the_columns),
        cmocka_unit_test(test_a_missing_column_is_named_beside_those_there_are),
        cmocka_unit_test(test_many_columns_are_listed_as_far_as_they_fit),
        cmocka_unit_test(test_a_header_must_be_there_and_its_names_differ),
        cmocka_unit_test(test_a_record_must_be_as_wide_as_the_header),
        cmocka_unit_test(test_integers_are_read_whole_and_within_bounds),
        cmocka_unit_test(test_reals_are_read_whole_and_within_bounds),
        cmocka_unit_test(test_a_column_beyond_a_ragged_record_is_an_error),
        cmocka_unit_test(test_a_caller_can_complain_about_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
