#include "base/csv/reader.h"
#include "csv_support.h"

/* A text and the expected reading, for every scanner and every chunk size. */
struct reading {
    const char *text;
    size_t length; /* 0: up to the NUL */
    const char *expected;
};

static struct sl_csv_options without_header(void)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.header = false;
    return options;
}

/* The text is an exact heap copy, so that the address sanitizer sees a read past its end. */
static void check_reading(const struct reading *reading, const struct sl_csv_options *options)
{
    struct sl_buffer found;
    sl_buffer_init(&found, 1 << 20);
    size_t length = reading->length ? reading->length : strlen(reading->text);
    char *bytes = malloc(length ? length : 1);
    memcpy(bytes, reading->text, length);
    for (const struct sl_csv_scanner *scanner = sl_csv_scanners; scanner->name; scanner++) {
        if (!scanner->runs_here()) continue;
        for (size_t chunk = 1; chunk <= length + 2; chunk++) {
            struct sl_csv_source source = memory_source(bytes, length);
            source.scanner = scanner;
            source.chunk = chunk;
            read_all(&source, options, &found);
            if (strcmp(found.data, reading->expected) == 0) continue;
            print_error("%s, chunk %zu: %s\n got %s, not %s\n", scanner->name, chunk, reading->text,
                        found.data, reading->expected);
            fail();
        }
    }
    free(bytes);
    sl_buffer_release(&found);
}

static void check_readings(const struct reading *readings, size_t count,
                           const struct sl_csv_options *options)
{
    for (size_t i = 0; i < count; i++)
        check_reading(&readings[i], options);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_records_and_fields_follow_rfc_4180(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"a,b\nc,d\n", 0, "1[a|b]2[c|d]"},
        {"a,b\r\nc,d\r\n", 0, "1[a|b]2[c|d]"},
        {"a,b\nc,d", 0, "1[a|b]2[c|d]"},
        {"a,b\nc,", 0, "1[a|b]2[c|]"},
        {",\n,\n", 0, "1[|]2[|]"},
        {"a, b \n", 0, "1[a| b ]"},
        {"\"a\",\"b\"\n\"c\",d\n", 0, "1[a|b]2[c|d]"},
        {"\"a,b\",\"c\"\n", 0, "1[a,b|c]"},
        {"\"\",\"\"\n", 0, "1[|]"},
        {"\"a\"\"b\",c\n", 0, "1[a\"b|c]"},
        {"\"\"\"\",\"\"\"\"\"\"\n", 0, "1[\"|\"\"]"},
        {"\"\"\"a\"\"b\"\"\",x\r\n", 0, "1[\"a\"b\"|x]"},
        {"\"a\"\"\",\"b\"", 0, "1[a\"|b]"},
        {"x,\"end\"\r\n", 0, "1[x|end]"},
        {"", 0, ""},
    };
    struct sl_csv_options options = without_header();
    check_readings(readings, COUNT(readings), &options);
}

static void test_line_numbers_count_line_breaks_within_quotes(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"a,\"1\n2\r\n3\",b\nc,d,e\n", 0, "1[a|1\n2\r\n3|b]4[c|d|e]"},
        {"a,\"x\ry\"\nb,c\n", 0, "1[a|x\ry]2[b|c]"},
        {"a,b\n\n\r\nc,\"\n\"\nd,\"e\n", 0,
         "1[a|b]4[c|\n]!t.csv:6: field 2: quote is not closed before the end of the file"},
    };
    struct sl_csv_options options = without_header();
    check_readings(readings, COUNT(readings), &options);
}

static void test_a_byte_order_mark_is_skipped_once(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"\xEF\xBB\xBFx,b\n", 0, "1[x|b]"},
        {"\xEF\xBB\xBF\"a\",b\n", 0, "1[a|b]"},
        {"\xEF\xBB\xBF", 0, ""},
        {"\xEF\xBB", 0, "1[\xEF\xBB]"},
        {"\xEF\xBB\xBF\xEF\xBB\xBF,b\n", 0, "1[\xEF\xBB\xBF|b]"},
    };
    struct sl_csv_options options = without_header();
    check_readings(readings, COUNT(readings), &options);
}

static void test_malformed_text_is_named_with_line_and_field(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"a,b\nc,\"d\"e\n", 0, "1[a|b]!t.csv:2: field 2: text after a closing quote"},
        {"\"a\"b", 0, "!t.csv:1: field 1: text after a closing quote"},
        {"\"a\" ,b\n", 0, "!t.csv:1: field 1: text after a closing quote"},
        {"a\"b,c\n", 0, "!t.csv:1: field 1: quote inside an unquoted field"},
        {"a, \"b\"\n", 0, "!t.csv:1: field 2: quote inside an unquoted field"},
        {"a,b\rc,d\r", 0, "!t.csv:1: field 2: carriage return without a line feed"},
        {"a,b\n1,2\r", 0, "1[a|b]!t.csv:2: field 2: carriage return without a line feed"},
        {"a,\"b\"\r,c\n", 0, "!t.csv:1: field 2: carriage return without a line feed"},
        {"a\r\r\n", 0, "!t.csv:1: field 1: carriage return without a line feed"},
        {"a,\0b\n", 5, "!t.csv:1: field 2: NUL byte"},
        {"a,\"x\n\0\"\n", 8, "!t.csv:2: field 2: NUL byte"},
        {"\"a\"\0,b\n", 7, "!t.csv:1: field 1: NUL byte"},
        {"a,b\n\"c", 0, "1[a|b]!t.csv:2: field 1: quote is not closed before the end of the file"},
        {"\"a\n\n\"\",\n", 0, "!t.csv:1: field 1: quote is not closed before the end of the file"},
    };
    struct sl_csv_options options = without_header();
    check_readings(readings, COUNT(readings), &options);
}

static void test_inner_quotes_are_ordinary_where_they_are_allowed(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"a\"b,c\n", 0, "1[a\"b|c]"},
        {"5\"\"x\",\"y,\n\"\"z\"\nc,d\"", 0, "1[5\"\"x\"|y,\n\"z]3[c|d\"]"},
        {"a, \"b\"\r\n", 0, "1[a| \"b\"]"},
        {"a,\"b\"c\n", 0, "!t.csv:1: field 2: text after a closing quote"},
        {"a,\"b\n", 0, "!t.csv:1: field 2: quote is not closed before the end of the file"},
        {"a\"\0,b\n", 6, "!t.csv:1: field 1: NUL byte"},
    };
    struct sl_csv_options options = without_header();
    options.inner_quotes = true;
    check_readings(readings, COUNT(readings), &options);
}

static void test_every_record_is_as_wide_as_the_first(void **state)
{
    (void)state;
    static const struct reading fixed[] = {
        {"a,b\n1,2\n3\n", 0, "1[a|b]2[1|2]!t.csv:3: expected 2 fields, got 1"},
        {"a,b\n\"\"\n", 0, "1[a|b]!t.csv:2: expected 2 fields, got 1"},
        {"a\n1,2,3\n", 0, "1[a]!t.csv:2: expected 1 field, got 3"},
    };
    static const struct reading ragged[] = {{"a,b\n1\n2,3,4\n", 0, "1[a|b]2[1]3[2|3|4]"}};
    struct sl_csv_options options = without_header();
    check_readings(fixed, COUNT(fixed), &options);
    options.fixed_width = false;
    check_readings(ragged, COUNT(ragged), &options);
}

static void test_empty_lines_count_in_tables_of_one_column_only(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"\n\na,b\n\n1,2\r\n\r\n\n3,4\n\n", 0, "3[a|b]5[1|2]8[3|4]"},
        {"a\n\n\r\n\"\"\nb\n\n", 0, "1[a]2[]3[]4[]5[b]6[]"},
        {"\n\n", 0, ""},
    };
    struct sl_csv_options options = without_header();
    check_readings(readings, COUNT(readings), &options);
}

static void test_tab_separated_text_has_no_quotes(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"a\tb\n\"x\ty\"\n5\" disk\t,\n", 0, "1[a|b]2[\"x|y\"]3[5\" disk|,]"},
        {"a\t\"b\r\n", 0, "1[a|\"b]"},
    };
    struct sl_csv_options options = without_header();
    options.delimiter = '\t';
    options.quoting = false;
    check_readings(readings, COUNT(readings), &options);
}

static void test_the_record_limit_is_exact_however_the_text_is_cut(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"12345678\r\n12345678\n12345678", 0, "1[12345678]2[12345678]3[12345678]"},
        {"x\n123456789\n", 0, "1[x]!t.csv:2: record is longer than 8 bytes"},
        {"x\n123456789\r\n", 0, "1[x]!t.csv:2: record is longer than 8 bytes"},
        {"x\n123456789", 0, "1[x]!t.csv:2: record is longer than 8 bytes"},
        {"\"\"\"\"\"\"\"\"\"\"\n", 0, "!t.csv:1: record is longer than 8 bytes"},
        {"\"\n\n\"\"\n\"", 0, "1[\n\n\"\n]"},
        {"12345678\r\r\n", 0, "!t.csv:1: field 1: carriage return without a line feed"},
        {"123456789\"\n", 0, "!t.csv:1: record is longer than 8 bytes"},
        {"\"12345678901234567890", 0, "!t.csv:1: record is longer than 8 bytes"},
        {"\"123456\"abcdefghijk\n", 0, "!t.csv:1: field 1: text after a closing quote"},
    };
    struct sl_csv_options options = without_header();
    options.record_limit = 8;
    check_readings(readings, COUNT(readings), &options);
}

static void test_long_records_and_many_fields_survive_a_growing_window(void **state)
{
    (void)state;
    struct sl_buffer text, expected;
    sl_buffer_init(&text, 1 << 20);
    sl_buffer_init(&expected, 1 << 20);
    sl_buffer_text(&expected, "1[");
    for (unsigned i = 0; i < 60; i++) {
        sl_buffer_printf(&text, "%s\"f\"\"%u\n\"", i ? "," : "", i);
        sl_buffer_printf(&expected, "%sf\"%u\n", i ? "|" : "", i);
    }
    sl_buffer_text(&text, "\nz");
    sl_buffer_text(&expected, "]62[z]");
    struct sl_csv_options options = without_header();
    options.fixed_width = false;
    check_reading(&(struct reading){text.data, text.length, expected.data}, &options);
    sl_buffer_release(&text);
    sl_buffer_release(&expected);
}

/* Rows of every kind; the middle one is longer than two windows. */
static void build_large_table(struct sl_buffer *text)
{
    for (unsigned row = 0; row < 60000; row++) {
        if (row == 30000) {
            sl_buffer_text(text, "30000,\"");
            for (unsigned i = 0; i < 100000; i++)
                sl_buffer_text(text, "long \"\"x\"\"\n");
            sl_buffer_text(text, "\",end\n");
        }
        sl_buffer_printf(text, row % 3 ? "%u,plain %u,a%u\n" : "%u,\"quoted, \"\"%u\"\"\",a%u\r\n",
                         row, row * 7, row % 100);
    }
}

static void test_a_file_reads_like_the_same_bytes_in_memory(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 24);
    sl_buffer_text(&text, "task,text,worker\n");
    build_large_table(&text);
    const char *path = test_path("large.csv");
    test_write(path, text.data, text.length);
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *file = NULL, *memory = NULL;
    struct sl_csv_record a, b;
    struct sl_error err;
    assert_ok(sl_csv_open(path, &options, &file, &err), err);
    assert_ok(sl_csv_open_memory(text.data, text.length, "m", &options, &memory, &err), err);
    size_t records = 0;
    do {
        assert_ok(sl_csv_next(file, &a, &err), err);
        assert_ok(sl_csv_next(memory, &b, &err), err);
        assert_int_equal(a.count, b.count);
        assert_int_equal(a.line, b.line);
        for (size_t i = 0; i < a.count; i++) {
            assert_int_equal(a.fields[i].length, b.fields[i].length);
            assert_memory_equal(a.fields[i].text, b.fields[i].text, a.fields[i].length);
        }
        if (a.line == 30002) assert_int_equal(a.fields[1].length, 9 * 100000);
        records += a.count > 0;
    } while (a.count > 0);
    assert_int_equal(records, 60001);
    sl_csv_close(file);
    sl_csv_close(memory);
    sl_buffer_release(&text);
}

static void test_short_records_do_not_grow_the_window(void **state)
{
    (void)state;
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 24);
    for (unsigned row = 0; row < 200000; row++)
        sl_buffer_printf(&text, "%u,a%u,%u\n", row, row % 97, row % 10);
    struct sl_csv_options options = without_header();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    struct sl_error err;
    assert_ok(sl_csv_open_memory(text.data, text.length, "m", &options, &csv, &err), err);
    size_t capacity = csv->capacity, records = 0;
    do {
        assert_ok(sl_csv_next(csv, &record, &err), err);
        records += record.count > 0;
    } while (record.count > 0);
    assert_int_equal(records, 200000);
    assert_int_equal(csv->capacity, capacity);
    assert_true(text.length > 8 * capacity);
    sl_csv_close(csv);
    sl_buffer_release(&text);
}

static void test_a_failure_is_repeated_and_leaves_the_record_alone(void **state)
{
    (void)state;
    struct sl_csv_options options = without_header();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {.count = 77};
    struct sl_error err;
    assert_ok(sl_csv_open_memory("a\"b\nc\n", 6, "m", &options, &csv, &err), err);
    assert_fails(sl_csv_next(csv, &record, &err), SL_ERR_INPUT, err, "m:1: field 1: quote");
    err.message[0] = '\0';
    assert_fails(sl_csv_next(csv, &record, &err), SL_ERR_INPUT, err, "m:1: field 1: quote");
    assert_int_equal(sl_csv_next(csv, &record, NULL), SL_ERR_INPUT);
    assert_int_equal(record.count, 77);
    sl_csv_close(csv);
}

static void test_the_end_may_be_asked_for_again(void **state)
{
    (void)state;
    struct sl_csv_options options = without_header();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    struct sl_error err;
    assert_ok(sl_csv_open_memory("a,b", 3, "m", &options, &csv, &err), err);
    assert_ok(sl_csv_next(csv, &record, &err), err);
    assert_int_equal(record.count, 2);
    for (int i = 0; i < 3; i++) {
        assert_ok(sl_csv_next(csv, &record, &err), err);
        assert_int_equal(record.count, 0);
    }
    sl_csv_close(csv);
}

static void test_options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char bad[] = {'\0', '\n', '\r', '"'};
    struct sl_csv *csv = NULL;
    struct sl_error err;
    for (size_t i = 0; i < sizeof bad; i++) {
        struct sl_csv_options options = sl_csv_options_default();
        options.delimiter = bad[i];
        assert_fails(sl_csv_open_memory("a", 1, "m", &options, &csv, &err), SL_ERR_USAGE, err,
                     "cannot be a delimiter");
    }
    struct sl_csv_options options = sl_csv_options_default();
    options.record_limit = 0;
    assert_fails(sl_csv_open_memory("a", 1, "m", &options, &csv, &err), SL_ERR_USAGE, err, "limit");
    assert_null(csv);
}

static void test_files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    struct sl_error err;
    assert_fails(sl_csv_open(test_path("absent.csv"), &options, &csv, &err), SL_ERR_NOT_FOUND, err,
                 "absent.csv");
    assert_fails(sl_csv_open("/tmp", &options, &csv, &err), SL_ERR_INPUT, err, "folder");
    sl_csv_close(NULL);
}

/* The numbers are those of Python's csv module on the same file. */
static void test_the_raw_cifar10s_answers_are_read_whole(void **state)
{
    (void)state;
    const char *path = test_data("cifar10s/raw_human_data.csv");
    if (!path) skip();
    struct sl_csv_options options = without_header();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record;
    struct sl_error err;
    size_t records = 0, bytes = 0, longest = 0;
    assert_ok(sl_csv_open(path, &options, &csv, &err), err);
    for (;;) {
        assert_ok(sl_csv_next(csv, &record, &err), err);
        if (record.count == 0) break;
        assert_int_equal(record.count, 13);
        records++;
        for (size_t i = 0; i < record.count; i++) {
            bytes += record.fields[i].length;
            if (record.fields[i].length > longest) longest = record.fields[i].length;
        }
    }
    sl_csv_close(csv);
    assert_int_equal(records, 8495);
    assert_int_equal(bytes, 2980934);
    assert_int_equal(longest, 949);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_and_fields_follow_rfc_4180),
        cmocka_unit_test(test_line_numbers_count_line_breaks_within_quotes),
        cmocka_unit_test(test_a_byte_order_mark_is_skipped_once),
        cmocka_unit_test(test_malformed_text_is_named_with_line_and_field),
        cmocka_unit_test(test_inner_quotes_are_ordinary_where_they_are_allowed),
        cmocka_unit_test(test_every_record_is_as_wide_as_the_first),
        cmocka_unit_test(test_empty_lines_count_in_tables_of_one_column_only),
        cmocka_unit_test(test_tab_separated_text_has_no_quotes),
        cmocka_unit_test(test_the_record_limit_is_exact_however_the_text_is_cut),
        cmocka_unit_test(test_long_records_and_many_fields_survive_a_growing_window),
        cmocka_unit_test(test_a_file_reads_like_the_same_bytes_in_memory),
        cmocka_unit_test(test_short_records_do_not_grow_the_window),
        cmocka_unit_test(test_a_failure_is_repeated_and_leaves_the_record_alone),
        cmocka_unit_test(test_the_end_may_be_asked_for_again),
        cmocka_unit_test(test_options_that_make_no_sense_are_refused),
        cmocka_unit_test(test_files_that_cannot_be_read_are_named),
        cmocka_unit_test(test_the_raw_cifar10s_answers_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
