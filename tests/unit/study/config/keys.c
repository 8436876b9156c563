/* The tables of study.json: the keys in docs/internals/study.md are theirs (UPDATE_GOLDEN=1 writes
 * them), and what they say of every key holds. */
#include "study/config/config.h"

#include "documented.h"

/* ---- Documentation ---- */

static void add_choices(struct sl_buffer *out, const struct sl_field_row *row)
{
    for (size_t i = 0; sl_field_choice(row, i); i++)
        sl_buffer_printf(out, "%s`%s`",
                         i == 0                        ? ""
                         : sl_field_choice(row, i + 1) ? ", "
                                                       : " or ",
                         sl_field_choice(row, i));
}

/* The value that a file without the key has, as it is written. */
static void add_default(struct sl_buffer *out, const struct sl_field_row *row, const void *defaults)
{
    const bool is_list = row->kind == SL_FIELD_LINES || row->kind == SL_FIELD_OBJECTS;
    json_t *value = sl_field_json(row, defaults);
    if (!value && is_list) value = json_array();
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (row->flags & SL_FIELD_REQUIRED)
        sl_buffer_text(out, "required");
    else if (row->kind != SL_FIELD_SECTION)
        sl_buffer_printf(out, "`%s`", text);
    free(text);
    json_decref(value);
}

static void add_table(struct sl_buffer *out, const struct sl_fields *fields, const char *path)
{
    char *defaults = sl_alloc(1, fields->size);
    sl_fields_set_defaults(fields->rows, defaults);
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        assert_non_null(row->help);
        sl_buffer_printf(out, "| `%s%s` | ", path, row->name);
        if (sl_field_choice(row, 0))
            add_choices(out, row);
        else
            sl_field_expected(row, out);
        sl_buffer_text(out, " | ");
        add_default(out, row, defaults);
        sl_buffer_printf(out, " | %s |\n", row->help);
        if (!row->inner) continue;
        char *below = sl_string_printf("%s%s%s", path, row->name,
                                       row->kind == SL_FIELD_OBJECTS ? "[]." : ".");
        add_table(out, row->inner, below);
        free(below);
    }
    sl_fields_release(fields, defaults);
    free(defaults);
}

static void test_the_document_has_the_keys_of_the_tables(void **state)
{
    (void)state;
    struct sl_buffer keys;
    sl_buffer_init(&keys, 1 << 20);
    sl_buffer_text(&keys, "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
    add_table(&keys, &sl_study_fields, "");
    sl_buffer_text(&keys, "\n");
    assert_documented(STUDY_DOCUMENT, "<!-- keys of study.json -->\n", "<!-- end of keys -->\n",
                      keys.data);
    sl_buffer_release(&keys);
}

/* ---- Every key ---- */

/* A file with every key, none of which has its default. */
static const char every_key[] =
    "{\"softlab\": \"study\", \"version\": 1, \"name\": \"pets\", \"id\": \"a1\", \"title\": "
    "\"Pets\","
    "\"language\": \"ar-XB\", \"classes\": [\"Cat\", \"Dog\"], \"screens\": [\"bars\"],"
    "\"framing\": \"first\", \"lease_minutes\": 61, \"consent_version\": \"2\","
    "\"keep_until\": \"2027-01-31\","
    "\"items\": {\"kind\": \"texts\", \"folder\": \"f\", \"file\": \"t\", \"size\": 17, "
    "\"upsample\": \"none\"},"
    "\"batch\": {\"size\": 7, \"repeats\": 1, \"annotators\": 9, \"check_every\": 4, "
    "\"check_kinds\": [\"instructed\"]},"
    "\"assignment\": \"adaptive\", \"adaptive\": {\"way\": \"gain\", \"first\": 3, "
    "\"least\": 5, \"most\": 9, \"stop\": 0.25, \"budget_answers\": 7, \"budget_seconds\": 1.5, "
    "\"budget_money\": 2.5, \"target\": 0.125},"
    "\"order\": {\"shuffle_items\": false, \"shuffle_classes\": false, \"shuffle_options\": true},"
    "\"flow\": {\"attempts\": 2, \"practice\": false, \"break_after\": 3, \"back\": true, "
    "\"min_seconds\": 1.5},"
    "\"training\": {\"trials\": 1, \"pass\": 0.5, \"attempts\": 2},"
    "\"recruiter\": {\"kind\": \"generic\", \"person\": \"P\", \"keep\": [\"Q\"], \"links\": "
    "\"signed\","
    "\"places_per_address\": 1, \"complete\": \"https://x.org/{code}\","
    "\"codes\": {\"done\": \"A\", \"refused\": \"B\", \"failed\": \"C\", \"full\": \"D\"}},"
    "\"pay\": {\"currency\": \"GBP\", \"base\": 1.0, \"bonus\": 2.0, \"bonus_rule\": \"accuracy\", "
    "\"bonus_from\": 0.5, \"per_hour\": 6.0},"
    "\"comprehension\": [{\"question\": \"q\", \"options\": [\"a\", \"b\"], \"answer\": 1}],"
    "\"debrief\": [{\"question\": \"hard?\", \"kind\": \"scale\"}]}";

static enum sl_status read_json(const json_t *root, struct sl_study **out, struct sl_error *err)
{
    char *text = json_dumps(root, JSON_INDENT(2));
    const enum sl_status status = sl_study_parse(text, strlen(text), "study.json", out, err);
    free(text);
    return status;
}

static void test_a_file_with_every_key_is_written_as_it_was_read(void **state)
{
    (void)state;
    struct sl_study *study = NULL;
    struct sl_error err;
    json_t *root = json_loads(every_key, 0, NULL);
    assert_ok(read_json(root, &study, &err), err);
    json_t *written = sl_study_json(study);
    char *before = json_dumps(root, JSON_INDENT(2)), *after = json_dumps(written, JSON_INDENT(2));
    assert_string_equal(after, before);
    free(before);
    free(after);
    json_decref(written);
    json_decref(root);
    sl_study_destroy(study);
}

/* Every key of `object` in turn is left out and is null: refused if it is required, as good as
 * nothing otherwise. */
static void walk(const json_t *root, json_t *object, const struct sl_fields *fields)
{
    for (const struct sl_field_row *row = fields->rows; row->name; row++) {
        struct sl_study *study = NULL;
        struct sl_error err;
        char missing[64];
        json_t *value = json_incref(json_object_get(object, row->name));
        assert_non_null(value); /* else every_key lacks it */
        snprintf(missing, sizeof missing, "\"%s\"", row->name);
        json_object_del(object, row->name);
        const enum sl_status without = read_json(root, &study, &err);
        if (row->flags & SL_FIELD_REQUIRED)
            assert_fails(without, SL_ERR_INPUT, err, missing);
        else if (without != SL_OK) /* the only rule that needs two keys at once */
            assert_non_null(strstr(err.message, "$.recruiter"));
        sl_study_destroy(study);
        study = NULL;
        json_object_set_new(object, row->name, json_null());
        assert_int_equal(read_json(root, &study, &err), without);
        sl_study_destroy(study);
        json_object_set(object, row->name, value);
        if (row->kind == SL_FIELD_SECTION) walk(root, value, row->inner);
        if (row->kind == SL_FIELD_OBJECTS) walk(root, json_array_get(value, 0), row->inner);
        json_decref(value);
    }
}

static void test_required_keys_are_asked_for_and_others_may_be_null(void **state)
{
    (void)state;
    json_t *root = json_loads(every_key, 0, NULL);
    walk(root, root, &sl_study_fields);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_document_has_the_keys_of_the_tables),
        cmocka_unit_test(test_a_file_with_every_key_is_written_as_it_was_read),
        cmocka_unit_test(test_required_keys_are_asked_for_and_others_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
