/* A small table of a paper, and results of it that can be worked out by hand. */
#ifndef SOFTLAB_TESTS_OUTCOME_SCENE_H
#define SOFTLAB_TESTS_OUTCOME_SCENE_H

#include "support.h"

#include "softlab/verdict.h"

static const char scene_spec[] =
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"A <b>table</b>\",\n"
    "\"source\":\"Nobody 2020, table 1\",\"notes\":[\"A "
    "note.\"],\"needs\":[\"train\",\"labels\"],\n"
    "\"sets\":{\"a\":{\"labels\":null},\"b\":{\"labels\":null},\"c\":{\"labels\":null}},\n"
    "\"networks\":[\"n1\"],\"seeds\":[1,2,3],\n"
    "\"table\":{\"rows\":[\"set\"],\"columns\":[\"t/cross_entropy\",\"u/cross_entropy\","
    "\"t/accuracy\"],\"pool\":[\"seed\"],\"interval\":\"t95\",\"scale\":{\"accuracy\":100},\n"
    "\"cells\":{\"a|t/cross_entropy\":\"a/ce-t\",\"b|t/cross_entropy\":\"b/ce-t\","
    "\"a|t/accuracy\":\"a/accuracy\"}},\n"
    "\"names\":{\"limit\":0.5},\n"
    "\"absent\":{\"gone/ce-t\":\"nobody kept it\"},\n"
    "\"compute\":{\"made/seconds\":{\"command\":[\"labels\"],\"path\":\"$.x\"}}}\n";

static const char scene_expected[] =
    "cell,row,column,metric,test_set,value,uncertainty,uncertainty_kind,n_runs,status,note\n"
    "a/ce-t,Row A,CE,cross_entropy,t,1.29,0.08,ci95,15,published,\n"
    "b/ce-t,\"Row B, <i>\",CE,cross_entropy,t,1.40,0.08,ci95,15,published,\n"
    "a/accuracy,Row A,Acc,accuracy,t,81.5,,,,text,percent\n"
    "gone/ce-t,Gone,CE,cross_entropy,t,,,,,illegible,\n"
    "made/seconds,Made,Time,seconds,,12.8,,,,published,\n";

static const char scene_claims[] = "claim,better,worse,metric,test_set,section,words\n"
                                   "better:a-b,a,b,cross_entropy,t,1,A is better\n"
                                   "better:b-a,b,a,cross_entropy,t,1,B is better\n"
                                   "better:a-c,a,c,cross_entropy,t,1,A is better than C\n"
                                   "better:c-a,c,a,cross_entropy,t,1,C is better than A\n"
                                   "similar:a-c,a,c,cross_entropy,t,1,A and C are alike\n"
                                   "more:a-c,c,a,cross_entropy,t,1,C has more\n"
                                   "gain:a-b,a,b,cross_entropy,t>u,1,and more so on t\n"
                                   "better:own,a,a,cross_entropy,u>t,1,easier on u\n"
                                   "less:limit,limit,made,seconds,,2,the limit is less\n"
                                   "similar:limit,made,limit,seconds,,2,about the limit\n"
                                   "better:gone,a,gone,cross_entropy,t,2,not to be had\n";

/* The spec with some members replaced, read from a folder of its own. */
static inline struct sl_spec *scene_read_with(const char *changes, const char *scale)
{
    struct sl_error err;
    struct sl_spec *spec;
    json_t *json = json_loads(scene_spec, 0, NULL), *changed = json_loads(changes, 0, NULL);
    assert_non_null(changed);
    json_object_update(json, changed);
    char *text = json_dumps(json, 0);
    assert_ok(sl_folder_create(test_path("spec"), &err), err);
    test_write(test_path("spec/spec.json"), text, strlen(text));
    test_write(test_path("spec/expected.csv"), scene_expected, sizeof scene_expected - 1);
    test_write(test_path("spec/claims.csv"), scene_claims, sizeof scene_claims - 1);
    assert_ok(sl_spec_read(test_path("spec"), scale, &spec, &err), err);
    free(text);
    json_decref(changed);
    json_decref(json);
    return spec;
}

static inline struct sl_spec *scene_read(void)
{
    return scene_read_with("{}", "paper");
}

/* A run's line; the key is made of the coordinates. */
static inline void scene_line(struct sl_buffer *out, const char *set, int seed, double t, double u,
                              double accuracy)
{
    sl_buffer_printf(out,
                     "{\"softlab\":\"result\",\"version\":1,\"key\":\"%s-%d\",\"spec\":\"x\","
                     "\"scale\":\"paper\",\"variant\":\"as-run\",\"part\":null,\"set\":\"%s\","
                     "\"network\":\"n1\",\"seed\":%d,\"fold\":null,\"metrics\":{"
                     "\"t/cross_entropy\":%g,\"u/cross_entropy\":%g,\"t/accuracy\":%g}}\n",
                     set, seed, set, seed, t, u, accuracy);
}

/* a and b pair, c has seeds of its own; one figure is computed. */
static inline struct sl_results *scene_results(void)
{
    struct sl_error err;
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 20);
    scene_line(&out, "a", 1, 1.0, 1, .80);
    scene_line(&out, "a", 2, 1.2, 1, .82);
    scene_line(&out, "a", 3, 1.4, 1, .84);
    scene_line(&out, "b", 1, 1.5, 1.1, .7);
    scene_line(&out, "b", 2, 1.6, 1.15, .7);
    scene_line(&out, "b", 3, 2.0, 1.2, .7);
    scene_line(&out, "c", 4, 1.1, 1, .7);
    scene_line(&out, "c", 5, 1.3, 1, .7);
    scene_line(&out, "c", 6, 1.5, 1, .7);
    sl_buffer_text(&out, "{\"softlab\":\"result\",\"key\":\"k\",\"spec\":\"x\",\"set\":null,"
                         "\"computed\":{\"made/seconds\":12.5,\"other/entropy\":0.25}}\n");
    test_write(test_path("results.jsonl"), out.data, out.length);
    sl_buffer_release(&out);
    struct sl_results *results = sl_results_create();
    assert_ok(sl_results_read(results, test_path("results.jsonl"), &err), err);
    return results;
}

/* The specification that was read, and its outcome. */
struct scene {
    struct sl_spec *spec;
    struct sl_results *results;
    struct sl_outcome *outcome;
};

static inline int set_up(void **state)
{
    struct sl_error err;
    struct scene *scene = sl_alloc(1, sizeof *scene);
    scene->spec = scene_read();
    scene->results = scene_results();
    struct sl_outcome_source source = {
        .spec = scene->spec, .variant = "as-run", .results = scene->results};
    assert_ok(sl_outcome_create(&source, &scene->outcome, &err), err);
    *state = scene;
    return 0;
}

static inline int tear_down(void **state)
{
    struct scene *scene = *state;
    sl_outcome_destroy(scene->outcome);
    sl_results_destroy(scene->results);
    sl_spec_destroy(scene->spec);
    free(scene);
    return test_folder_clear(state);
}

static inline const struct sl_outcome_cell *find_cell(const struct sl_outcome *outcome,
                                                      const char *name)
{
    for (size_t i = 0; i < outcome->n_cells; i++)
        if (strcmp(outcome->cells[i].cell, name) == 0) return &outcome->cells[i];
    fail_msg("no cell %s", name);
    return NULL;
}

static inline const struct sl_outcome_claim *find_claim(const struct sl_outcome *outcome,
                                                        const char *name)
{
    for (size_t i = 0; i < outcome->n_claims; i++)
        if (strcmp(outcome->claims[i].claim, name) == 0) return &outcome->claims[i];
    fail_msg("no claim %s", name);
    return NULL;
}

#endif
