/* A workplace that records the log of jobs, and files for jobs to read. */
#ifndef SOFTLAB_TESTS_JOB_SCENE_H
#define SOFTLAB_TESTS_JOB_SCENE_H

#include "softlab/pipeline.h"
#include "support.h"

/* Do not move this struct: `workplace` points at `log`. */
struct test_job_scene {
    struct sl_workplace workplace;
    struct sl_log log;
    char said[2048]; /* "info: line\n" ... */
};

static inline void test_job_keep_line(void *context, enum sl_log_level level, const char *line)
{
    struct test_job_scene *scene = context;
    const size_t length = strlen(scene->said);
    snprintf(scene->said + length, sizeof scene->said - length, "%s: %s\n",
             sl_log_level_name(level), line);
}

static inline void test_job_scene_init(struct test_job_scene *scene)
{
    *scene = (struct test_job_scene){
        .log = {.level = SL_LOG_INFO, .write = test_job_keep_line, .context = scene},
        .workplace = {.roots = {.folder = "."}}};
    scene->workplace.log = &scene->log;
}

/* The path of a new file with this text; the caller frees it. */
static inline char *test_job_file(const char *name, const char *text)
{
    char *path = sl_string_copy(test_path(name));
    test_write(path, text, strlen(text));
    return path;
}

#endif
