/* Inputs are identified by their content: labels edited under the same name are new labels, a
 * damaged output is made again, and a report never mixes results from before and after. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runs.h"

static const char sets[] =
    "\"soft\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\",\"share\"]}";
static const char others[] =
    "\"seeds\":[1,2],\"tests\":{\"people\":{\"data\":\"shapes:n=48,size=16\",\"labels\":\"hard\","
    "\"metrics\":[\"accuracy\",\"cross_entropy\"]}}";

/* Change every answer of the first annotator. */
static void edit_answers(void)
{
    char *text = runs_read("answers.csv");
    for (char *at = text; (at = strstr(at, ",a0,circle")) != NULL; at++)
        memcpy(at, ",a0,square", strlen(",a0,square"));
    runs_write("answers.csv", text);
    free(text);
}

static size_t count_with(json_t *lines, const char *key, const char *text)
{
    json_t *some = runs_with(lines, key, text);
    const size_t count = json_array_size(some);
    json_decref(some);
    return count;
}

static bool same_metrics(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "metrics"), json_object_get(b, "metrics"));
}

static void edit_and_run_again(void)
{
    runs_write_spec("spec.json", "test/inputs", sets, others);
    runs_check(runs_make("spec.json", "results", "1/1") == 0, "the table is made");
    json_t *before = runs_results("results", true);
    edit_answers();
    runs_check(runs_make("spec.json", "results", "1/1") == 0, "it is made of edited answers");
    json_t *after = runs_results("results", true);
    runs_check(json_array_size(before) == 2 && json_array_size(after) == 4,
               "edited answers make new runs");
    const json_t *old = json_array_get(before, 0);
    const char *old_key = json_string_value(json_object_get(old, "key"));
    bool other = false;
    for (size_t i = 0; i < json_array_size(after); i++) {
        const json_t *line = json_array_get(after, i);
        const char *key = json_string_value(json_object_get(line, "key"));
        other = other || (strcmp(key, old_key) != 0 && !same_metrics(line, old));
    }
    runs_check(count_with(after, "key", old_key) == 1 && other,
               "with keys and figures of their own");
    json_decref(before);
    json_decref(after);
}

/* The number of runs behind the report's only row. */
static void report_has_two_runs(void)
{
    const char *const words[] = {"report", "results", "--format", "csv", "-o", "report.csv", NULL};
    runs_check(runs_program(words) == 0, "the report is written");
    char *report = runs_read("report.csv");
    runs_check(strstr(report, "2 runs") || strstr(report, ",2,"),
               "the report has the runs of the last inputs");
    runs_check(!strstr(report, ",4,"), "and not those of before");
    free(report);
}

static void moved_specification_keeps_its_keys(void)
{
    if (mkdir("elsewhere", 0777) != 0) exit(1);
    char *spec = runs_read("spec.json"), *at = strstr(spec, "answers.csv");
    char *begin = at;
    while (begin[-1] != '"')
        begin--;
    char *moved = sl_string_printf("%.*s{spec}/%s", (int)(begin - spec), spec, at);
    runs_write("elsewhere/spec.json", moved);
    char *answers = runs_read("answers.csv");
    runs_write("elsewhere/answers.csv", answers);
    runs_check(runs_make("elsewhere/spec.json", "results", "1/1") == 0, "moved, it can be made");
    json_t *lines = runs_results("results", true);
    runs_check(json_array_size(lines) == 4, "and nothing is made again");
    json_decref(lines);
    free(spec);
    free(moved);
    free(answers);
}

static void flip_last_byte(const char *path)
{
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, -1, SEEK_END) != 0) exit(1);
    const int byte = fgetc(file);
    fseek(file, -1, SEEK_END);
    fputc(byte ^ 1, file);
    fclose(file);
}

static bool log_says(const char *text)
{
    char *log = runs_read("run.log");
    const bool says = strstr(log, text) != NULL;
    free(log);
    return says;
}

/* Flip a bit in every file below the folder with this suffix; returns how many. */
static size_t flip_all(const char *folder, const char *suffix)
{
    char **names = NULL;
    size_t count = 0, flipped = 0;
    if (sl_folder_list(folder, &names, &count, NULL) != SL_OK) exit(1);
    for (size_t i = 0; i < count; i++) {
        char *path = sl_path_join(folder, names[i]);
        if (sl_folder_exists(path))
            flipped += flip_all(path, suffix);
        else if (sl_path_has_suffix(path, suffix)) {
            flip_last_byte(path);
            flipped++;
        }
        free(path);
    }
    sl_names_destroy(names);
    return flipped;
}

static bool all_figures_in(json_t *some, json_t *all)
{
    for (size_t i = 0; i < json_array_size(some); i++) {
        const json_t *line = json_array_get(some, i);
        json_t *same = runs_with(all, "key", json_string_value(json_object_get(line, "key")));
        const bool equal =
            json_array_size(same) == 1 && same_metrics(line, json_array_get(same, 0));
        json_decref(same);
        if (!equal) return false;
    }
    return true;
}

/* Delete the results but keep the outputs: a damaged output must not become a result. */
static void spoil(const char *folder, const char *suffix)
{
    json_t *good = runs_results("results", true);
    runs_check(flip_all(folder, suffix) >= 2, "there is something to spoil");
    runs_write("run.log", "");
    runs_write("results/results.jsonl", "");
    runs_check(runs_make("elsewhere/spec.json", "results", "1/1") == 0, "the table is made again");
    runs_check(log_says("is not as it was made"), "what is spoilt is named");
    json_t *again = runs_results("results", true);
    runs_check(json_array_size(again) == 2 && all_figures_in(again, good), "with the same figures");
    json_decref(good);
    json_decref(again);
}

int main(void)
{
    runs_enter("run-inputs");
    runs_write_answers();
    edit_and_run_again();
    report_has_two_runs();
    moved_specification_keeps_its_keys();
    spoil("results/cache", ".scores.json");
    /* Labels are read again only if the training is repeated. */
    runs_check(flip_all("results/cache", ".npz") > 0, "there are labels to spoil");
    spoil("results/runs", "weights.safetensors");
    return runs_leave();
}
