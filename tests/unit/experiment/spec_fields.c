/* The keys in experiments/README.md must be those of the tables. UPDATE_GOLDEN=1 writes them. */
#include "experiment/spec/spec_types.h"

#include <math.h>

#include "documented.h"

static void add_rows(struct sl_buffer *out, const struct sl_fields *fields, bool own)
{
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        char words[SL_FIELD_WORDS_SIZE];
        if (row->kind == SL_FIELD_GROUP && !own) add_rows(out, row->inner, own);
        if (row->kind == SL_FIELD_GROUP) continue;
        if (row > fields->rows && strcmp(row[-1].name, row->name) == 0) continue;
        assert_non_null(row->help);
        sl_buffer_printf(out, "| `%s` | %s%s | %s |\n", row->name, sl_field_words(row, words),
                         row->flags & SL_FIELD_REQUIRED ? ", required" : "", row->help);
    }
}

static char *all_keys(void)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    for (const struct sl_spec_section *section = sl_spec_sections; section->title; section++) {
        sl_buffer_printf(&text, "\n%s:\n\n| key | value | meaning |\n| --- | --- | --- |\n",
                         section->title);
        add_rows(&text, section->fields, section->own);
    }
    sl_buffer_text(&text, "\n");
    return text.data;
}

static void test_the_readme_has_the_keys_of_the_tables(void **state)
{
    (void)state;
    char *keys = all_keys();
    assert_documented(SPEC_README, "<!-- keys of spec.json -->\n", "<!-- end of keys -->\n", keys);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_readme_has_the_keys_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
