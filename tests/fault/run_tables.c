/* Whole tables run by real processes: the best value of a grid is used, killed in between or not;
 * parts made on separate machines merge into the same report; tests that join data sets; and
 * CINIC-10 without the images of CIFAR-10. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runs.h"
#include "softlab/dataset/image.h"

enum { WAIT_MS = 10, LONGEST_WAITS = 6000, CLASSES = 3, PICTURES = 4, SIDE = 16 };

static const char hard[] = "\"hard\":{\"labels\":null}";
static const char soft[] =
    "\"soft\":{\"labels\":[\"labels\",\"answers.jsonl\",\"--method\",\"share\"]}";
static const char people[] =
    "\"tests\":{\"people\":{\"data\":\"shapes:n=48,size=16\",\"labels\":\"people\","
    "\"metrics\":[\"accuracy\",\"cross_entropy\"]}}";

static double metric(const json_t *line, const char *name)
{
    const json_t *value = json_object_get(json_object_get(line, "metrics"), name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* ---- Tuning ---- */

static int tune(const char *folder)
{
    const char *const words[] = {"run", "tune.json", "--tune", "-o", folder, "-j", "2", NULL};
    return runs_program(words);
}

static void write_tuned_spec(void)
{
    char *sets = sl_string_printf("%s,%s", hard, soft);
    char *others = sl_string_printf(
        "%s,\"settings\":{\"epochs\":3,\"batch\":16},"
        "\"tune\":[{\"parameter\":\"lr\",\"grid\":[0.5,0.01,0.0001],\"selected\":null,"
        "\"validation\":{\"data\":\"shapes:n=64,size=16,seed=3\",\"count\":40,\"seed\":2},"
        "\"metric\":\"cross_entropy\",\"seeds\":[1,2],\"sets\":[\"soft\"]}]",
        people);
    runs_write_spec("tune.json", "test/tune", sets, others);
    free(sets);
    free(others);
}

/* The grid value with the lowest mean over its runs, computed from their lines. */
static double best_of(const json_t *tuning)
{
    static const char *const values[] = {"0.5", "0.01", "0.0001"};
    double best = (double)NAN, best_score = (double)NAN;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *set = sl_string_printf("soft@rate=%s", values[i]);
        double sum = 0;
        for (size_t j = 0; j < json_array_size(tuning); j++) {
            const json_t *line = json_array_get(tuning, j);
            if (strcmp(json_string_value(json_object_get(line, "set")), set) == 0)
                sum += metric(line, "validation/cross_entropy");
        }
        if (isnan(best_score) || sum < best_score) {
            best_score = sum;
            best = strtod(values[i], NULL);
        }
        free(set);
    }
    return best;
}

/* Whether a training among the line's commands was given the rate. */
static bool used_rate(const json_t *line, double rate)
{
    char *text = json_dumps(json_object_get(line, "commands"), JSON_COMPACT);
    const char *at = text ? strstr(text, "rate=") : NULL;
    const bool used = at && fabs(strtod(at + strlen("rate="), NULL) - rate) <= 1e-12;
    free(text);
    return used;
}

static void check_tuned(const char *folder)
{
    json_t *lines = runs_results(folder, true);
    json_t *tuning = runs_with(lines, "softlab", "tuning"),
           *tuned = runs_with(lines, "softlab", "tuned"),
           *results = runs_with(lines, "softlab", "result");
    runs_check(json_array_size(tuning) == 6, "every value of the grid is run with every seed");
    runs_check(json_array_size(tuned) == 1, "what was chosen is said once");
    const json_t *choice = json_array_get(tuned, 0);
    const double chosen = json_number_value(json_object_get(choice, "selected"));
    runs_check(fabs(chosen - best_of(tuning)) <= 1e-12, "it is the best of the grid");
    runs_check(json_array_size(json_object_get(choice, "scores")) == 3, "with all scores");
    runs_check(json_array_size(results) == 2, "then the table is run");
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *line = json_array_get(results, i);
        const bool is_soft = strcmp(json_string_value(json_object_get(line, "set")), "soft") == 0;
        runs_check(used_rate(line, chosen) == is_soft, "with what was chosen for the set alone");
    }
    json_decref(tuning);
    json_decref(tuned);
    json_decref(results);
    json_decref(lines);
}

static void tune_and_run(void)
{
    write_tuned_spec();
    runs_check(tune("tuned") == 0, "a tuned table is made");
    check_tuned("tuned");
}

/* Kill the runner once this many lines are there. */
static json_t *kill_at(const char *folder, size_t n_lines)
{
    const char *const words[] = {"run", "tune.json", "--tune", "-o", folder, "-j", "2", NULL};
    const pid_t runner = runs_start(words);
    for (int i = 0; i < LONGEST_WAITS && !runs_ended(runner); i++) {
        json_t *lines = runs_results(folder, false);
        const bool enough = json_array_size(lines) >= n_lines;
        json_decref(lines);
        if (enough) break;
        runs_rest(WAIT_MS);
    }
    kill(runner, SIGKILL);
    runs_check(runs_finish(runner) == -1, "it is killed at work");
    return runs_results(folder, false);
}

static void tune_killed(void)
{
    json_t *grid = kill_at("hurt", 2), *table = kill_at("hurt", 7);
    runs_check(tune("hurt") == 0, "a tuned table that was killed goes on");
    check_tuned("hurt");
    json_t *after = runs_results("hurt", false);
    runs_check(json_array_size(grid) >= 2 && runs_all_in(grid, after) && runs_all_in(table, after),
               "and makes nothing again");
    json_t *calm = runs_results("tuned", true), *hurt = runs_results("hurt", true);
    runs_check(runs_all_in(calm, hurt) && json_array_size(calm) == json_array_size(hurt),
               "to the same results");
    json_decref(grid);
    json_decref(table);
    json_decref(after);
    json_decref(calm);
    json_decref(hurt);
}

static void refuse_a_grid_without_scores(void)
{
    runs_write_spec("vain.json", "test/vain", hard,
                    "\"tests\":{\"a\":{\"data\":\"shapes:n=8,size=16\",\"labels\":\"hard\","
                    "\"metrics\":[\"accuracy\"]}},"
                    "\"tune\":[{\"parameter\":\"lr\",\"grid\":[0.5],\"selected\":null,"
                    "\"validation\":{\"data\":\"imagenet-far\",\"count\":4},"
                    "\"metric\":\"accuracy\",\"seeds\":[1]}]");
    const char *const words[] = {"run", "vain.json", "--tune", "-o", "vain", NULL};
    runs_check(runs_program(words) == 1, "a grid without a score is no choice");
    char *said = runs_read("run.log");
    runs_check(strstr(said, "no value of lr has a score"), "which is said");
    free(said);
}

/* ---- Shards ---- */

static char *report(const char *results)
{
    const char *const words[] = {"report", results, "--spec",     "parts.json", "--format",
                                 "csv",    "-o",    "report.csv", NULL};
    runs_check(runs_program(words) == 0, "a report is written");
    return runs_read("report.csv");
}

static void join_shards(void)
{
    static const char *const shards[] = {"1/3", "2/3", "3/3"};
    struct sl_buffer joined;
    sl_buffer_init(&joined, RUNS_TEXT_LIMIT);
    char *sets = sl_string_printf("%s,%s", hard, soft);
    char *others = sl_string_printf(
        "%s,\"seeds\":[1,2],\"table\":{\"rows\":[\"set\"],\"columns\":[\"people/accuracy\","
        "\"people/cross_entropy\"],\"pool\":[\"network\",\"seed\"],\"interval\":\"t95\","
        "\"cells\":{}},"
        "\"compute\":{\"answers/items\":{\"command\":[\"quality\",\"answers.jsonl\",\"--json\"],"
        "\"path\":\"$.items\"}}",
        people);
    runs_write_spec("parts.json", "test/parts", sets, others);
    runs_check(runs_make("parts.json", "one", "1/1") == 0, "a table is made by one machine");
    for (size_t i = 0; i < sizeof shards / sizeof *shards; i++) {
        char *folder = sl_string_printf("shard%zu", i + 1);
        runs_check(runs_make("parts.json", folder, shards[i]) == 0, "and by three");
        char *path = sl_path_join(folder, "results.jsonl"), *text = runs_read(path);
        runs_check(*text, "each of which has something to do");
        sl_buffer_text(&joined, text);
        free(text);
        free(path);
        free(folder);
    }
    runs_write("joined.jsonl", joined.data);
    char *whole = report("one/results.jsonl"), *parts = report("joined.jsonl");
    runs_check(strlen(whole) > 100 && strstr(whole, "soft"), "the report has figures");
    runs_check(strcmp(whole, parts) == 0, "joined lines give the same report");
    free(whole);
    free(parts);
    free(sets);
    free(others);
    sl_buffer_release(&joined);
}

/* ---- Test sets ---- */

/* Of bins of a reliability diagram: [low, high, items, confidence, accuracy]. */
static double items_in(const json_t *bins)
{
    double count = 0;
    for (size_t i = 0; i < json_array_size(bins); i++)
        count += json_number_value(json_array_get(json_array_get(bins, i), 2));
    return count;
}

static void join_data_sets(void)
{
    runs_write_spec("joined.json", "test/joined", hard,
                    "\"tests\":{"
                    "\"both\":{\"data\":[\"shapes:n=30,size=16\",\"shapes:n=18,size=16,seed=2\"],"
                    "\"labels\":\"hard\",\"metrics\":[\"accuracy\",\"cross_entropy\"]},"
                    "\"first\":{\"data\":\"shapes:n=30,size=16\","
                    "\"labels\":\"hard\",\"metrics\":[\"accuracy\",\"cross_entropy\"]},"
                    "\"second\":{\"data\":\"shapes:n=18,size=16,seed=2\","
                    "\"labels\":\"hard\",\"metrics\":[\"accuracy\",\"cross_entropy\"]},"
                    "\"half\":{\"data\":[\"shapes:n=18,size=16,seed=2\",\"imagenet-far\"],"
                    "\"labels\":\"hard\",\"metrics\":[\"accuracy\"]}}");
    runs_check(runs_make("joined.json", "sets", "1/1") == 0, "a test of two data sets is made");
    json_t *lines = runs_results("sets", true);
    const json_t *line = json_array_get(lines, 0);
    static const char *const names[] = {"accuracy", "cross_entropy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *both = sl_string_printf("both/%s", names[i]),
             *first = sl_string_printf("first/%s", names[i]),
             *second = sl_string_printf("second/%s", names[i]);
        const double mean = (30 * metric(line, first) + 18 * metric(line, second)) / 48;
        runs_check(fabs(metric(line, both) - mean) <= 1e-9, "its scores are means over all items");
        free(both);
        free(first);
        free(second);
    }
    json_t *metrics = json_object_get(line, "metrics"), *absent = json_object_get(line, "absent");
    runs_check(!json_object_get(metrics, "both#1/accuracy"), "and not those of its parts");
    runs_check(json_object_get(absent, "half") && !json_object_get(metrics, "half/accuracy"),
               "a test that is here in part is not scored as if it were whole");
    const json_t *bins = json_object_get(line, "reliability");
    runs_check(items_in(json_object_get(bins, "both")) == 48 && !json_object_get(bins, "both#1"),
               "its bins hold the items of both");
    json_decref(lines);
}

static void write_picture(const char *folder, const char *name, int class)
{
    uint8_t pixels[SIDE * SIDE * 3];
    struct sl_error err;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)((i * 37 + (size_t) class * 80) % 251);
    const struct sl_image image = {SIDE, SIDE, 3, pixels};
    char *path = sl_path_join(folder, name);
    if (sl_image_write_png(&image, NULL, path, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    free(path);
}

/* Of each class one picture is CIFAR-10's, the others ImageNet's. */
static void write_cinic10(void)
{
    static const char *const splits[] = {"train", "test"};
    mkdir("data", 0777);
    mkdir("data/cinic10", 0777);
    runs_write("data/cinic10/CINIC-10.tar.gz", "unpacked\n");
    for (size_t split = 0; split < 2; split++)
        for (int class = 0; class < CLASSES; class ++) {
            char *folder = sl_string_printf("data/cinic10/%s/class%d", splits[split], class);
            if (sl_folder_create(folder, NULL) != SL_OK) exit(1);
            for (int i = 0; i < PICTURES; i++) {
                char name[40];
                snprintf(name, sizeof name, i == 1 ? "cifar10-test-%d.png" : "n0210_%d.png", i);
                write_picture(folder, name, class);
            }
            free(folder);
        }
}

/* How many items the only scores of a folder are of. */
static double n_scored(const char *folder, const char *test)
{
    char *cache = sl_path_join(folder, "cache"), **names = NULL;
    size_t count = 0;
    double n = (double)NAN;
    if (sl_folder_list(cache, &names, &count, NULL) != SL_OK) return n;
    for (size_t i = 0; i < count; i++) {
        if (!sl_path_has_suffix(names[i], ".scores.json")) continue;
        char *path = sl_path_join(cache, names[i]);
        json_t *scores = json_load_file(path, 0, NULL);
        const json_t *tests = json_object_get(scores, "tests");
        n = json_number_value(json_object_get(json_object_get(tests, test), "n"));
        json_decref(scores);
        free(path);
    }
    sl_names_destroy(names);
    free(cache);
    return n;
}

static void leave_out_cifar(void)
{
    write_cinic10();
    runs_write_spec("cinic.json", "test/cinic", hard,
                    "\"data\":\"cinic10:train\",\"settings\":{\"epochs\":1,\"batch\":4},"
                    "\"tests\":{"
                    "\"all\":{\"data\":\"cinic10:test\",\"labels\":\"hard\","
                    "\"metrics\":[\"accuracy\"]},"
                    "\"far\":{\"data\":\"cinic10:test\",\"only\":\"imagenet\",\"labels\":\"hard\","
                    "\"metrics\":[\"accuracy\"]}}");
    const char *const words[] = {"run", "cinic.json", "-o", "cinic", "--data-folder", "data", NULL};
    runs_check(runs_program(words) == 0, "a table on CINIC-10 is made");
    runs_check(fabs(n_scored("cinic", "all") - CLASSES * PICTURES) <= 0, "all its images");
    runs_check(fabs(n_scored("cinic", "far") - CLASSES * (PICTURES - 1)) <= 0,
               "or those that are not CIFAR-10's");
}

int main(void)
{
    runs_enter("run-tables");
    runs_write_answers();
    tune_and_run();
    tune_killed();
    refuse_a_grid_without_scores();
    join_shards();
    join_data_sets();
    leave_out_cifar();
    return runs_leave();
}
