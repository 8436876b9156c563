#include "softlab/study.h"
#include "support.h"

static void assert_scrubbed(const char *const texts[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *scrubbed = sl_study_scrub(texts[i][0]);
        assert_string_equal(scrubbed, texts[i][1]);
        free(scrubbed);
    }
}

static void test_scrubbing_removes_addresses_and_ids_only(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"", ""},
        {"nothing here", "nothing here"},
        {"jo@example.org", "[removed]"},
        {"write to jo.doe+x@mail.example.co.uk.", "write to [removed]."},
        {"(jo@example.org)", "([removed])"},
        {"mailto:jo@example.org?x", "mailto:[removed]?x"},
        {"j\xc3\xb6@example.org", "[removed]"},
        {"a@b@c.de", "a@[removed]"},
        {"5 @ 3.50", "5 @ 3.50"},
        {"a@b", "a@b"},
        {"@home.x", "@home.x"},
        {"id 5f1234567890abcdef123456!", "id [removed]!"},
        {"PID5F1234567890ABCDEF123456", "PI[removed]"},
        {"123e4567-e89b-12d3-a456-426614174000", "[removed]"},
        {"deadbeef 12345", "deadbeef 12345"},
        {"1234567890123456789", "1234567890123456789"},
        {"--- a-b-c ---", "--- a-b-c ---"},
    };
    assert_scrubbed(texts, sizeof texts / sizeof *texts);
}

static void test_scrubbing_removes_telephone_numbers(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"+44 20 7946 0958", "[removed]"},
        {"+442079460958", "[removed]"},
        {"call +49 (0)30 901820, please", "call [removed], please"},
        {"tel:+1-555-123-4567.", "tel:[removed]."},
        {"0044 20 7946 0958!", "[removed]!"},
        {"my number is 020 7946 0958", "my number is [removed]"},
        {"0171/1234567", "[removed]"},
        {"(030) 901820", "[removed]"},
        {"(555) 123-4567 or 555.123.4567", "[removed] or [removed]"},
        {"06 12 34 56 78", "[removed]"},
        {"ruf 07700-900123 an", "ruf [removed] an"},
        {"1 555 123 4567", "[removed]"},
        {"5551234567", "[removed]"},
        {"612 345 678", "[removed]"},
        {"0171\xc2\xa0"
         "1234567",
         "[removed]"},
        {"+44\xe2\x80\x91"
         "20\xe2\x80\x91"
         "79460958x12",
         "[removed]x12"},
    };
    assert_scrubbed(texts, sizeof texts / sizeof *texts);
}

static void test_scrubbing_leaves_counts_dates_and_decimals(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "12 of 30",
        "I was 70 or 80 % sure, 20 for the rest",
        "25 25 25 25",
        "60 20 10 10 0 0 0",
        "05 10 15 20",
        "100 100 100",
        "in 2019, 2020 and 2021",
        "2019-2021",
        "(2019) 2020 2021",
        "2024-01-15",
        "2024-01-15 10:30",
        "15.01.2024",
        "01/02/2024",
        "0.0123456789",
        "1.0123456789",
        "3,14159265358",
        "1,234,567,890",
        "+10 points, -5 points",
        "+1 000 000",
        "1 000 000 000",
        "0-100",
        "1/2 or 3/4",
        "n01440764_10026",
        "trial 7, screen 3 (of 25)",
        "(1) yes (2) no (3) 50/50",
        "+ + + ( ( -",
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char *scrubbed = sl_study_scrub(kept[i]);
        assert_string_equal(scrubbed, kept[i]);
        free(scrubbed);
    }
}

static void test_what_was_scrubbed_stays_as_it_is(void **state)
{
    (void)state;
    char *once = sl_study_scrub("a jo@example.org 5f1234567890abcdef123456 +442079460958 b");
    char *twice = sl_study_scrub(once);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scrubbing_removes_addresses_and_ids_only),
        cmocka_unit_test(test_scrubbing_removes_telephone_numbers),
        cmocka_unit_test(test_scrubbing_leaves_counts_dates_and_decimals),
        cmocka_unit_test(test_what_was_scrubbed_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
