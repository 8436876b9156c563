#include <stdlib.h>
#include <string.h>

#include "verdict/present/present.h"

enum { MOST_GALLERIES = 3 };

/* ---- Galleries ---- */

static const json_t *values_of(const json_t *item, size_t series)
{
    return json_object_get(item, series == 0 ? "human" : "model");
}

static void show_gallery(const struct sl_presentation *show, const struct sl_outcome_run *run)
{
    static const char *const series[] = {"people", "model"};
    json_t *items = json_loads(run->result->gallery, 0, NULL);
    char *title =
        sl_string_printf("Distributions of people and of the model (trained on %s, %s, seed %lld)",
                         run->set, run->network ? run->network : "-", (long long)run->seed);
    const struct sl_shown_gallery gallery = {.title = title,
                                             .series = series,
                                             .n_series = 2,
                                             .classes =
                                                 json_object_get(run->result->json, "classes"),
                                             .items = items,
                                             .values = values_of};
    sl_present_gallery(show, &gallery);
    json_decref(items);
    free(title);
}

/* A run on words has no pictures: its list is empty. */
static bool has_gallery(const struct sl_outcome_run *run)
{
    return run->set && run->result->gallery && strchr(run->result->gallery, '{');
}

static size_t count_galleries(const struct sl_outcome *outcome)
{
    struct sl_name_table *rows = sl_name_table_create();
    uint32_t index;
    for (size_t i = 0; i < outcome->n_runs; i++) {
        const struct sl_outcome_run *run = &outcome->runs[i];
        if (has_gallery(run) &&
            sl_name_table_add(rows, run->row, strlen(run->row), &index, NULL) != SL_OK)
            break;
    }
    size_t count = sl_name_table_count(rows);
    sl_name_table_destroy(rows);
    return count;
}

/* One run of each row that has pictures, up to three. */
void sl_present_galleries(const struct sl_presentation *show)
{
    size_t n_all = count_galleries(show->outcome);
    if (n_all > MOST_GALLERIES) {
        sl_report_paragraph(show->report);
        sl_report_text(show->report, SL_STYLE_PLAIN,
                       "Pictures of the first %d of %zu rows; the other rows show the same items.",
                       MOST_GALLERIES, n_all);
    }
    struct sl_name_table *rows = sl_name_table_create();
    for (size_t i = 0; i < show->outcome->n_runs; i++) {
        const struct sl_outcome_run *run = &show->outcome->runs[i];
        size_t before = sl_name_table_count(rows);
        uint32_t index = 0;
        if (before == MOST_GALLERIES) break;
        if (!has_gallery(run)) continue;
        if (sl_name_table_add(rows, run->row, strlen(run->row), &index, NULL) != SL_OK) break;
        if (index == before) show_gallery(show, run);
    }
    sl_name_table_destroy(rows);
}

/* ---- Provenance ---- */

/* The distinct values of one field of `object` over the runs. */
static void show_field(const struct sl_presentation *show, const char *title, const char *object,
                       const char *key)
{
    struct sl_name_table *values = sl_name_table_create();
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    for (size_t i = 0; i < show->outcome->n_runs; i++) {
        const json_t *json = show->outcome->runs[i].result->json;
        const char *value = json_string_value(json_object_get(json_object_get(json, object), key));
        uint32_t index = 0;
        size_t before = sl_name_table_count(values);
        if (!value || sl_name_table_add(values, value, strlen(value), &index, NULL) != SL_OK ||
            index < before)
            continue;
        if (before) sl_buffer_text(&text, "; ");
        sl_buffer_text(&text, value);
    }
    if (text.length) sl_report_pair(show->report, title, text.data);
    sl_buffer_release(&text);
    sl_name_table_destroy(values);
}

static void show_times(const struct sl_presentation *show)
{
    const char *first = NULL, *last = NULL;
    double seconds = 0;
    for (size_t i = 0; i < show->outcome->n_runs; i++) {
        const json_t *time = json_object_get(show->outcome->runs[i].result->json, "time");
        const char *started = json_string_value(json_object_get(time, "started"));
        const json_t *taken = json_object_get(time, "seconds");
        if (started && (!first || strcmp(started, first) < 0)) first = started;
        if (started && (!last || strcmp(started, last) > 0)) last = started;
        if (json_is_number(taken)) seconds += json_number_value(taken);
    }
    if (!first) return;
    char *text = sl_string_printf("started between %s and %s; %.0f s of computing in total", first,
                                  last, seconds);
    sl_report_pair(show->report, "time", text);
    free(text);
}

/* A word, quoted for a shell if it needs it. */
static void put_word(struct sl_buffer *out, const char *word)
{
    bool is_plain = *word != '\0';
    for (const char *at = word; *at; at++)
        is_plain = is_plain && (strchr("@%_+=:,./-{}", *at) || (*at >= '0' && *at <= '9') ||
                                (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'));
    if (is_plain) {
        sl_buffer_text(out, word);
        return;
    }
    sl_buffer_byte(out, '\'');
    for (const char *at = word; *at; at++)
        sl_buffer_text(out, *at == '\'' ? "'\\''" : (char[2]){*at, '\0'});
    sl_buffer_byte(out, '\'');
}

static void put_commands(struct sl_buffer *out, const json_t *commands)
{
    for (size_t i = 0; i < json_array_size(commands); i++) {
        const json_t *words = json_array_get(commands, i);
        const char *first = json_string_value(json_array_get(words, 0));
        /* A step without a command is a comment. */
        const bool is_said = first && strcmp(first, "#") == 0;
        sl_buffer_text(out, is_said ? "#" : "softlab");
        for (size_t w = is_said; w < json_array_size(words); w++) {
            const char *word = json_string_value(json_array_get(words, w));
            sl_buffer_byte(out, ' ');
            put_word(out, word ? word : "?");
        }
        sl_buffer_byte(out, '\n');
    }
}

/* The commands of the first run of each row; other runs differ in seed and network only. */
static void show_commands(const struct sl_presentation *show)
{
    struct sl_name_table *rows = sl_name_table_create();
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 24);
    for (size_t i = 0; i < show->outcome->n_runs; i++) {
        const struct sl_outcome_run *run = &show->outcome->runs[i];
        uint32_t index = 0;
        size_t before = sl_name_table_count(rows);
        if (!run->result->commands) continue;
        if (sl_name_table_add(rows, run->row, strlen(run->row), &index, NULL) != SL_OK) break;
        if (index < before) continue;
        sl_buffer_printf(&lines, "# %s, %s, seed %lld\n", run->row,
                         run->network ? run->network : "-", (long long)run->seed);
        json_t *commands = json_loads(run->result->commands, 0, NULL);
        put_commands(&lines, commands);
        json_decref(commands);
    }
    const struct sl_result *exhibits = show->outcome->exhibits;
    if (exhibits && exhibits->commands) {
        sl_buffer_text(&lines, "# figures that need no training\n");
        json_t *commands = json_loads(exhibits->commands, 0, NULL);
        put_commands(&lines, commands);
        json_decref(commands);
    }
    if (lines.length && !lines.overflowed) {
        if (show->outcome->n_runs) {
            sl_report_paragraph(show->report);
            sl_report_text(show->report, SL_STYLE_PLAIN,
                           "Commands of the first run of each row; other runs differ in seed and "
                           "network.");
        }
        sl_report_code(show->report, lines.data);
    }
    sl_buffer_release(&lines);
    sl_name_table_destroy(rows);
}

/* The provenance of charts that needed no run. */
static void show_making(const struct sl_presentation *show)
{
    const json_t *made = json_object_get(show->outcome->exhibits->json, "provenance");
    const char *version = json_string_value(json_object_get(made, "version"));
    const char *build = json_string_value(json_object_get(made, "build"));
    sl_report_fold(show->report, "Where this comes from");
    if (version) sl_report_pair(show->report, "softlab", version);
    if (build) sl_report_pair(show->report, "build", build);
    show_commands(show);
    sl_report_fold_end(show->report);
}

void sl_present_provenance(const struct sl_presentation *show)
{
    if (show->outcome->n_runs == 0) {
        if (show->outcome->exhibits) show_making(show);
        return;
    }
    char runs[64];
    snprintf(runs, sizeof runs, "%zu", show->outcome->n_runs);
    sl_report_fold(show->report, "Where these numbers come from");
    sl_report_pair(show->report, "runs", runs);
    sl_report_pair(show->report, "scale", show->outcome->source.spec->scale);
    if (show->outcome->source.variant)
        sl_report_pair(show->report, "variant", show->outcome->source.variant);
    show_field(show, "softlab", "provenance", "version");
    show_field(show, "build", "provenance", "build");
    show_field(show, "SHA-256 of the data", "provenance", "data_sha256");
    show_field(show, "SHA-256 of the kernel tuning", "provenance", "tuning_sha256");
    show_field(show, "machine", "time", "machine");
    show_times(show);
    show_commands(show);
    sl_report_fold_end(show->report);
}
