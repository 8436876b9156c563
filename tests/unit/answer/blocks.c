/* A file read in blocks of any size by any number of threads gives what one block gives. */
#include <zlib.h>

#include "../../support/reading.h"
#include "answer_support.h"

#define HEAD             "{\"softlab\":\"answers\",\"version\":1,\"classes\":[\"dog\",\"cat\",\"deer\"]}\n"
#define LINE(item, rest) "{\"item\":\"" item "\"," rest "}\n"
#define HARD(who, what)  "\"annotator\":\"" who "\",\"kind\":\"hard\",\"class\":\"" what "\""

/* `says` is part of what the reading gives, in one block as in many. */
static const struct sample {
    const char *name, *text, *says;
} samples[] = {
    {"grouped.csv", "item,worker,label\ni1,a,dog\ni1,b,cat\ni22,b,dog\ni3,c,dog\ni3,,cat\n",
     "item 2: 2=1 4294967295=0"},
    {"scattered.csv",
     "item,worker,label\ni1,ann,dog\ni2,b,dog\ni1,b,cat\ni3,c,dog\ni2,ann,deer\ni1,c,cat\n",
     "item 0: 0=2 1=0 2=0"},
    {"returns.csv", "item,worker,label\r\ni1,a,dog\r\ni2,b,cat\r\ni1,b,cat\r\n", "1=2:i2"},
    {"cut.csv", "item,worker,label\ni1,a,dog\ni1,b,cat\ni2,b,cat", "item 1: 1=0"},
    {"empty-lines.csv", "\n\nitem,worker,label\n\ni1,a,dog\n\n\ni1,b,cat\n\n", "item 0: 0=1 1=0"},
    {"mark.csv", "\xEF\xBB\xBFitem,worker,label\ni1,a,dog\ni2,a,cat\n", "item 1: 0=0"},
    {"quotes.csv",
     "item,worker,label\n\"i\n1\",\"a,\"\"b\"\"\",dog\n\"i\n\n2\",\"\n\",\"cat\"\n\"i\n1\","
     "\"\"\"\","
     "dog\n\"\n\n\n\",x,\"d\n\"\"g\"\n",
     "2=3:\n\n\n\n"},
    {"quoted-returns.csv", "item,worker,label\r\n\"i\r\n1\",\"a\r\n\",dog\r\n\"i2\",b,\"cat\"\r\n",
     "0=4:i\r\n1"},
    {"skipped.csv",
     "item,worker,label\ni1,a,\ni1,b,cat\ni2,a,\ni2,b,\ni3,c,\n\ni4,a,\ni5,a,\ni6,a,dog\n",
     "skipped.csv:8: skipped: the answer names no class; more of this kind are only counted"},
    {"truth.csv", "item,worker,label,truth\ni1,a,dog,cat\ni2,b,dog,deer\ni3,c,,bee\n",
     "class deer\nclass dog\n0=2:i1"},
    {"twice.csv", "item,worker,label\ni1,a,dog\ni2,a,dog\ni1,a,cat\ni2,a,dog\n",
     "a answered item i2 more than once"},
    {"tabs.tsv", "item\tworker\tlabel\ni\"1\ta\tdog\ni2\t\"\tcat\ni\"1\tb\tcat\n", "0=3:i\"1"},
    {"truths.csv",
     "item,worker,label,truth\ni1,a,dog,cat\ni2,b,dog,deer\ni1,c,dog,cat\ni2,c,dog,cat\ni1,a,b\n",
     "truths.csv:6: expected 4 fields"},
    {"times.csv", "item,worker,label,ms\ni1,a,dog,1.5\ni2,b,cat,\ni1,c,,x\ni2,c,dog,x\ni1,a,b\n",
     "times.csv:6: expected 4 fields"},
    {"bytes.csv", "item,worker,label\ni1,a,dog\ni2,b,cat\ni\xFF,c,dog\ni2,c\n",
     "bytes.csv:5: expected 3 fields"},
    {"only-header.csv", "item,worker,label\n", "no answers"},
    {"empty.csv", "", "empty"},
    /* The first error in the file is reported, whatever follows in other blocks. */
    {"item.csv", "item,worker,label\ni1,a,dog\n,b,cat\ni2,c\n\"\n",
     "item.csv:3: the answer names no item"},
    {"width.csv", "item,worker,label\ni1,a,dog\n\"i\n2\",b\n,a,dog\ni1,a\n",
     "width.csv:3: expected 3 fields, got 2"},
    {"inner.csv", "item,worker,label\ni1,a,dog\ni\"2,b,cat\n,c,dog\ni2,\"c\",dog\n",
     "inner.csv:3: field 1: quote inside an unquoted field"},
    {"after.csv", "item,worker,label\n\"i1\nx\",a,dog\n\"i2\"x,b,cat\n\"i3\",c\"\n\n,,\n",
     "after.csv:4: field 1: text after a closing quote"},
    {"return.csv", "item,worker,label\r\ni1,a,dog\r\ni2,b\r,cat\r\n\"\n",
     "return.csv:3: field 2: carriage return without a line feed"},
    {"open.csv", "item,worker,label\ni1,a,dog\ni1,b,cat\n\"i2,b,cat\ni3,c,dog\n,,\n",
     "open.csv:4: field 1: quote is not closed before the end of the file"},
    {"skipped-first.csv", "item,worker,label\ni1,a,\ni2,b,\ni3,c\ni4,d,\n",
     "3: skipped: the answer names no class\n2 read"},
    {"grouped.jsonl",
     HEAD LINE("i1", HARD("a", "dog")) LINE("i1", HARD("bb", "cat")) LINE("i2", HARD("bb", "dog")),
     "1=2:bb"},
    {"kinds.jsonl",
     HEAD LINE("i1", "\"kind\":\"soft\",\"top\":[[\"cat\",0.25],[\"deer\",0.5]],\"ms\":1.1,"
                     "\"batch\":\"x\"")
         LINE("i2", "\"kind\":\"dist\",\"dist\":[0.2,0.7,0.1],\"ms\":0.7,\"study\":\"s\","
                    "\"raw\":[\"20\",\"\"]")
             LINE("i1", "\"kind\":\"select\",\"top\":[\"cat\"],\"impossible\":[\"dog\"],\"ms\":3.3,"
                        "\"batch\":\"y\"")
                 LINE("\\u00e9", "\"kind\":\"mix\",\"endpoints\":[\"cat\",\"dog\"],\"lambda\":0.4,"
                                 "\"study\":\"t\",\"confidence\":0.5,\"batch\":\"x\"")
                     LINE("i2", HARD("a", "cat") ",\"check\":true,\"inputs\":{\"a\":[1,2]},"
                                                 "\"study\":\"s\",\"raw\":[\"7\",\"8 \"]"),
     "=2:\xC3\xA9"},
    {"cut.jsonl",
     HEAD LINE("i1", HARD("a", "dog")) "{\"item\":\"i2\",\"kind\":\"hard\",\"class\":"
                                       "\"cat\"}",
     "1=2:i2"},
    {"skipped.jsonl",
     HEAD LINE("i1", "\"kind\":\"hard\",\"class\":null") LINE("i1", HARD("a", "dog"))
         LINE("i2", "\"kind\":\"soft\",\"top\":null") LINE("i2", "\"kind\":\"dist\",\"dist\":[]"),
     ".jsonl:5: skipped"},
    {"twice.jsonl",
     HEAD LINE("i1", HARD("a", "dog")) LINE("i2", HARD("a", "dog")) LINE("i1", HARD("a", "cat")),
     "a answered item i1 more than once"},
    {"no-lines.jsonl", HEAD, ""},
    {"empty.jsonl", "", "empty, expected"},
    {"head.jsonl", "{\"softlab\":\"answers\",\"version\":2,\"classes\":[\"dog\"]}\n{}\n",
     "head.jsonl"},
    {"empty-line.jsonl", HEAD LINE("i1", HARD("a", "dog")) "\n" LINE("i1", HARD("a", "bee")),
     "empty-line.jsonl:3: empty line, expected an answer"},
    {"class.jsonl",
     HEAD LINE("i1", HARD("a", "dog")) LINE("i1", HARD("b", "bee")) "{\n" LINE("", "\"x\":1"),
     "class.jsonl:3: column 52: unknown class \"bee\""},
    {"skipped-first.jsonl", HEAD LINE("i1", "\"kind\":\"hard\",\"class\":null") "[]\n",
     "2: skipped: the answer names no class\n1 read"},
};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

static const size_t thread_counts[] = {1, 2, 3, 7};
enum { N_POOLS = sizeof thread_counts / sizeof *thread_counts };
static struct sl_pool *pools[N_POOLS];

static int start_pools(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_POOLS; i++)
        if (sl_pool_create(thread_counts[i], &pools[i], NULL) != SL_OK) return -1;
    return 0;
}

static int stop_pools(void **state)
{
    for (size_t i = 0; i < N_POOLS; i++)
        sl_pool_destroy(pools[i]);
    return test_folder_clear(state);
}

static void compare(const char *path, enum reading_kind kind, const struct sl_block_plan *plan,
                    const struct sl_buffer *expected)
{
    struct sl_buffer found;
    sl_buffer_init(&found, 32 << 20);
    reading(path, kind, plan, &found);
    if (found.length != expected->length || memcmp(found.data, expected->data, found.length) != 0) {
        size_t same = 0;
        while (same < found.length && same < expected->length &&
               found.data[same] == expected->data[same])
            same++;
        fail_msg("%s in pieces of %zu, %zu to a window, by %zu threads: after %zu bytes\n%.300s\n"
                 "instead of\n%.300s",
                 path, plan->size, plan->per_window, sl_pool_threads(plan->pool), same,
                 found.data + same, expected->data + same);
    }
    sl_buffer_release(&found);
}

/* All sizes of pieces, so that every byte is once the first of a piece and the last of one. */
static void check_sizes(const char *path, enum reading_kind kind, size_t length,
                        const struct sl_buffer *expected)
{
    for (size_t size = 1; size <= length + 2; size++) {
        const struct sl_block_plan alone = {NULL, size, 1 + size % 5};
        compare(path, kind, &alone, expected);
    }
    for (size_t i = 0; i < N_POOLS; i++)
        for (size_t size = 1 + i; size <= length + 2; size += size / 8 + 3) {
            const struct sl_block_plan plan = {pools[i], size, 2 + size % 3};
            compare(path, kind, &plan, expected);
        }
}

static void check_sample(const struct sample *sample, enum reading_kind kind)
{
    const size_t length = strlen(sample->text);
    const struct sl_block_plan whole = {NULL, 1 << 16, 1};
    const char *path = test_path(sample->name);
    struct sl_buffer expected;
    sl_buffer_init(&expected, 1 << 20);
    test_write(path, sample->text, length);
    reading(path, kind, &whole, &expected);
    if (kind == READING_VOTES && !strstr(expected.data, sample->says))
        fail_msg("%s: \"%s\" is not in\n%s", sample->name, sample->says, expected.data);
    check_sizes(path, kind, length, &expected);
    sl_buffer_release(&expected);
}

static void test_votes_do_not_depend_on_blocks_and_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++)
        check_sample(&samples[i], READING_VOTES);
}

static void test_sets_do_not_depend_on_blocks_and_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++)
        check_sample(&samples[i], READING_SET);
}

static void test_written_lines_do_not_depend_on_blocks_and_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++)
        if (!strstr(samples[i].name, ".jsonl")) check_sample(&samples[i], READING_LINES);
}

static void write_gzip(const char *path, const char *text, size_t length)
{
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, text, (unsigned)length), (int)length);
    gzclose(file);
}

static void test_gzip_gives_what_the_plain_file_gives(void **state)
{
    (void)state;
    const char *name = "gzip.csv";
    struct sl_buffer expected;
    sl_buffer_init(&expected, 1 << 20);
    for (size_t i = 0; i < 12; i++) {
        const struct sl_block_plan whole = {NULL, 1 << 16, 1};
        const size_t length = strlen(samples[i].text);
        const char *path = test_path(name);
        test_write(path, samples[i].text, length);
        reading(path, READING_VOTES, &whole, &expected);
        write_gzip(path, samples[i].text, length);
        check_sizes(path, READING_VOTES, length, &expected);
    }
    sl_buffer_release(&expected);
}

/* What is before the break counts: its errors come first. */
static void test_a_broken_gzip_is_reported_behind_the_lines_before_it(void **state)
{
    (void)state;
    struct sl_buffer text, lines;
    sl_buffer_init(&text, 32 << 20);
    sl_buffer_init(&lines, 1 << 20);
    const char *path = test_path("broken.csv");
    for (int i = 0; i < 2; i++) {
        sl_buffer_clear(&lines);
        sl_buffer_printf(&lines, "item,worker,label\n%s,a,dog\n", i == 0 ? "i1" : "");
        while (lines.length < 300000)
            sl_buffer_text(&lines, "i1,a,dog\n");
        write_gzip(path, lines.data, lines.length);
        FILE *file = fopen(path, "ab");
        assert_non_null(file);
        assert_int_equal(fputs("more", file) >= 0, 1);
        assert_int_equal(fclose(file), 0);
        for (size_t size = 100; size < 1 << 20; size *= 4) {
            const struct sl_block_plan plan = {pools[1], size, 2};
            reading(path, READING_VOTES, &plan, &text);
            const char *says = i == 0 ? "other bytes follow the gzip stream" : ":2: the answer";
            if (!strstr(text.data, says)) fail_msg("size %zu: %s", size, text.data);
        }
    }
    sl_buffer_release(&text);
    sl_buffer_release(&lines);
}

/* Lines of a thousand items that come back, with names that first appear anywhere. */
static void write_many(const char *path, bool jsonl, bool scattered)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 8 << 20);
    sl_buffer_text(&text, jsonl ? HEAD : "item,worker,label\n");
    for (unsigned i = 0; i < 20000; i++) {
        const unsigned item = scattered ? i * 7919 % 1000 : i / 20, who = i * 31 % 977;
        static const char *const classes[] = {"dog", "cat", "deer"};
        if (jsonl)
            sl_buffer_printf(&text,
                             "{\"item\":\"%u\",\"annotator\":\"w%u\",\"kind\":\"hard\",\"class\":"
                             "\"%s\",\"ms\":%u.1}\n",
                             item, who, classes[i * 13 % 3], i % 1000);
        else
            sl_buffer_printf(&text, i % 11 ? "%u,w%u,%s\n" : "\"%u\n\",w%u,\"%s\"\n", item, who,
                             classes[i * 13 % 3]);
    }
    test_write(path, text.data, text.length);
    sl_buffer_release(&text);
}

static void test_files_of_many_windows_are_read_alike(void **state)
{
    (void)state;
    static const size_t sizes[] = {64, 1000, 4096, 65536};
    static const char *const names[] = {"many.csv", "many.jsonl"};
    struct sl_buffer expected;
    sl_buffer_init(&expected, 32 << 20);
    for (size_t i = 0; i < 4; i++)
        for (int kind = READING_VOTES; kind <= READING_SET; kind++) {
            const struct sl_block_plan whole = {NULL, 8 << 20, 1};
            const char *path = test_path(names[i % 2]);
            write_many(path, i % 2 == 1, i > 1);
            reading(path, (enum reading_kind)kind, &whole, &expected);
            assert_non_null(strstr(expected.data, "20000 read"));
            for (size_t k = 0; k < N_POOLS; k++) {
                const struct sl_block_plan plan = {pools[k], sizes[k], 5};
                compare(path, (enum reading_kind)kind, &plan, &expected);
            }
        }
    sl_buffer_release(&expected);
}

/* A line break every few bytes would hide that a long line is carried from window to window. */
static void test_a_line_over_the_limit_is_refused_by_its_number(void **state)
{
    (void)state;
    enum { LENGTH = (16 << 20) + 1000 };
    static const char *const names[] = {"long.csv", "long.jsonl"};
    static const char *const begins[] = {"item,worker,label\ni1,a,dog\n\"",
                                         HEAD LINE("i1", HARD("a", "dog"))};
    static const char *const says[] = {"long.csv:3: record is longer than 16777216 bytes",
                                       "long.jsonl:3: line is longer than 16777216 bytes"};
    char *text = malloc(LENGTH);
    struct sl_buffer found;
    sl_buffer_init(&found, 1 << 20);
    assert_non_null(text);
    for (size_t i = 0; i < 2; i++) {
        const size_t begin = strlen(begins[i]);
        memset(text, i == 0 ? '\n' : 'x', LENGTH);
        memcpy(text, begins[i], begin);
        test_write(test_path(names[i]), text, LENGTH);
        for (size_t k = 0; k < 2; k++) {
            const struct sl_block_plan plan = {pools[1], k == 0 ? 1 << 12 : 1 << 20, 8};
            reading(test_path(names[i]), READING_VOTES, &plan, &found);
            if (!strstr(found.data, says[i])) fail_msg("%s", found.data);
        }
    }
    free(text);
    sl_buffer_release(&found);
}

static void write_labels(const char *path, size_t n_labels, const char *rest)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 8 << 20);
    sl_buffer_text(&text, "item,worker,label\n");
    for (size_t i = 0; i < n_labels; i++)
        sl_buffer_printf(&text, "i,a,c%zu\n", i);
    sl_buffer_text(&text, rest);
    test_write(path, text.data, text.length);
    sl_buffer_release(&text);
}

static void test_the_class_too_many_is_named_by_its_line_in_any_block(void **state)
{
    (void)state;
    static const size_t sizes[] = {1000, 30000, 4 << 20};
    const char *path = test_path("classes.csv");
    struct sl_buffer found;
    sl_buffer_init(&found, 32 << 20);
    write_labels(path, 65536, "i,a\n");
    for (size_t i = 0; i < 3; i++) {
        const struct sl_block_plan plan = {pools[2], sizes[i], 8};
        reading(path, READING_VOTES, &plan, &found);
        if (!strstr(found.data, "classes.csv:65537: more than 65535 classes"))
            fail_msg("%zu: %s", sizes[i], found.data + found.length - 200);
    }
    sl_buffer_release(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_do_not_depend_on_blocks_and_threads),
        cmocka_unit_test(test_sets_do_not_depend_on_blocks_and_threads),
        cmocka_unit_test(test_written_lines_do_not_depend_on_blocks_and_threads),
        cmocka_unit_test(test_gzip_gives_what_the_plain_file_gives),
        cmocka_unit_test(test_a_broken_gzip_is_reported_behind_the_lines_before_it),
        cmocka_unit_test(test_files_of_many_windows_are_read_alike),
        cmocka_unit_test(test_a_line_over_the_limit_is_refused_by_its_number),
        cmocka_unit_test(test_the_class_too_many_is_named_by_its_line_in_any_block),
    };
    return cmocka_run_group_tests(tests, start_pools, stop_pools);
}
