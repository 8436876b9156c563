#include "pipeline/answers/import_cache.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"

/* What is held in memory may take a quarter of it: sorting takes twice as much for a while, and
 * what is free now is not free for long on a machine with other work. */
enum { SHARE = 4 };

/* More makes joining little faster. */
enum { MOST_JOINING = 1 << 30 };

/* Sets that become one file. Those that memory should not hold are on disk, as answers.slb whose
 * names are gone already, so that nothing is left of them if the program is killed. */
struct gathering {
    const struct sl_import_job *job;         /* borrowed */
    const struct sl_import_options *options; /* borrowed */
    size_t limit;                            /* bytes that may be held */
    size_t held, n_stored;
    char *folder;           /* owned; beside the output; NULL: nothing was stored */
    struct sl_votes **sets; /* owned */
    size_t n_sets, capacity;
};

static enum sl_status add_set(struct gathering *gathering, struct sl_votes *votes,
                              struct sl_error *err)
{
    const enum sl_status status =
        sl_data_reserve(&gathering->sets, gathering->n_sets + 1, &gathering->capacity,
                        sizeof(struct sl_votes *), err);
    if (status == SL_OK)
        gathering->sets[gathering->n_sets++] = votes;
    else
        sl_votes_destroy(votes);
    return status;
}

static enum sl_status make_folder(struct gathering *gathering, struct sl_error *err)
{
    if (gathering->folder) return SL_OK;
    char *output = sl_path_absolute(gathering->job->output);
    *strrchr(output, '/') = '\0';
    const enum sl_status status =
        sl_folder_scratch(*output ? output : "/", &gathering->folder, err);
    free(output);
    return status;
}

/* Takes the votes. */
static enum sl_status store(void *context, struct sl_votes *votes, struct sl_error *err)
{
    struct gathering *gathering = context;
    const struct sl_import_options streaming = {.stream = true};
    struct sl_votes *stored = NULL;
    char *path = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(make_folder(gathering, err));
    path = sl_path_join(gathering->folder, "part.slb");
    SL_TRY_OUT(sl_votes_write_slb(votes, path, err));
    SL_TRY_OUT(sl_votes_read(path, &streaming, &stored, err));
    (void)unlink(path);
    gathering->n_stored++;
    status = add_set(gathering, stored, err);
out:
    free(path);
    sl_votes_destroy(votes);
    return status;
}

static size_t bytes_of(const struct sl_votes *votes)
{
    const struct sl_name_pool items = sl_name_table_pool(votes->items);
    return votes->count * (sizeof *votes->annotator + sizeof *votes->label) + items.length +
           items.count * (sizeof *votes->begin + sizeof *items.offsets);
}

/* Takes the votes. Those of an answers.slb stay in their file. */
static enum sl_status keep(struct gathering *gathering, struct sl_votes *votes,
                           struct sl_error *err)
{
    const size_t bytes = votes->mapping ? 0 : bytes_of(votes);
    if (bytes > gathering->limit - gathering->held) return store(gathering, votes, err);
    gathering->held += bytes;
    return add_set(gathering, votes, err);
}

static enum sl_status gather(struct gathering *gathering, const char *path, struct sl_error *err)
{
    struct sl_import_options options = *gathering->options;
    struct sl_votes *votes = NULL;
    struct sl_votes_size size;
    const struct sl_vote_parts parts = {
        .bytes = gathering->limit, .take = store, .context = gathering};
    options.stream = gathering->job->n_paths > 1 && sl_votes_size_read(path, &size);
    options.parts = &parts;
    if (options.stream && options.classes)
        return sl_fail(err, SL_ERR_USAGE,
                       "--classes orders the classes of texts, and %s has its own: leave it out, "
                       "and give it when the result is read again",
                       path);
    SL_TRY(sl_votes_read(path, &options, &votes, err));
    return keep(gathering, votes, err);
}

/* Files are known by their numbers, since one may have several names. Those that are not there are
 * refused when they are read. */
static enum sl_status check_twice(const struct sl_import_job *job, struct sl_error *err)
{
    struct sl_name_table *files = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < job->n_paths && status == SL_OK; i++) {
        struct stat info;
        char name[64];
        uint32_t number = 0;
        const size_t before = sl_name_table_count(files);
        if (stat(job->paths[i], &info) != 0) continue;
        snprintf(name, sizeof name, "%ju:%ju", (uintmax_t)info.st_dev, (uintmax_t)info.st_ino);
        status = sl_name_table_add(files, name, strlen(name), &number, err);
        if (status == SL_OK && number < before)
            status = sl_fail(err, SL_ERR_USAGE, "%s is given twice", job->paths[i]);
    }
    sl_name_table_destroy(files);
    return status;
}

static enum sl_status check_paths(const struct sl_import_job *job,
                                  const struct sl_import_options *options, struct sl_error *err)
{
    if (job->n_paths > 1 && (options->abstain || options->leave_out))
        return sl_fail(err, SL_ERR_USAGE,
                       "--abstain and --leave-out read one file at a time, got %zu: write an "
                       "answers.slb of each, then one of those",
                       job->n_paths);
    return check_twice(job, err);
}

static void say_stored(const struct gathering *gathering, const struct sl_workplace *workplace)
{
    char limit[40];
    if (gathering->n_stored == 0) return;
    sl_log(workplace->log, SL_LOG_INFO,
           "%zu part%s of the answers went through a temporary folder beside the output: together "
           "they take more than a quarter of the free memory (%s)",
           gathering->n_stored, sl_text_plural(gathering->n_stored, "", "s"),
           sl_text_bytes(gathering->limit, limit, sizeof limit));
}

enum sl_status sl_import_cache(const struct sl_import_job *job,
                               const struct sl_import_options *options,
                               const struct sl_workplace *workplace, struct sl_error *err)
{
    const size_t memory = workplace->memory > 0 ? workplace->memory : sl_memory_free();
    const size_t limit = memory / SHARE, joining = limit < MOST_JOINING ? limit : MOST_JOINING;
    struct gathering gathering = {.job = job, .options = options, .limit = limit};
    enum sl_status status = SL_OK;
    SL_TRY(check_paths(job, options, err));
    for (size_t i = 0; i < job->n_paths; i++)
        SL_TRY_OUT(gather(&gathering, job->paths[i], err));
    status = gathering.n_sets == 1 ? sl_votes_write_slb(gathering.sets[0], job->output, err)
                                   : sl_votes_join(gathering.sets, gathering.n_sets, joining,
                                                   job->output, options->notes, err);
    if (status == SL_OK) say_stored(&gathering, workplace);
out:
    for (size_t i = 0; i < gathering.n_sets; i++)
        sl_votes_destroy(gathering.sets[i]);
    free(gathering.sets);
    if (gathering.folder) {
        sl_folder_remove(gathering.folder);
        sl_temporary_drop(gathering.folder);
    }
    free(gathering.folder);
    return status;
}
