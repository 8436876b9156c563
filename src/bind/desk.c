#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind_internal.h"
#include "bind/number.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/nn/describe.h"
#include "softlab/pipeline/task.h"
#include "softlab/pipeline/weights.h"

/* What the desk owns of one loan. */
struct loan {
    char *name;
    struct sl_rows *rows; /* without its values, which the caller owns */
    struct sl_votes *votes;
};

struct sl_desk {
    struct sl_workplace workplace;
    struct sl_log log;
    struct sl_progress progress;
    struct sl_exchange exchange;
    struct loan *loans;   /* owned; exchange.n_lent */
    struct sl_lent *lent; /* owned; the loans as tasks see them */
    char *given, *folder; /* owned */
    sl_desk_log *write_log;
    sl_desk_progress *show_progress;
    void *context; /* borrowed; of the two above */
    _Atomic bool stopped;
    bool abandoned; /* a call ran out of memory halfway */
};

static enum sl_status run_guarded(struct sl_desk *desk,
                                  enum sl_status (*work)(void *context, struct sl_error *err),
                                  void *context, struct sl_error *err)
{
    struct sl_bind_call call = {work, context, false};
    if (desk->abandoned)
        return sl_fail(err, SL_ERR_USAGE, "an earlier call of this desk ran out of memory");
    const enum sl_status status = sl_bind_guard(&call, err);
    desk->abandoned = !call.done;
    return status;
}

/* ---- Hooks ---- */

static void write_line(void *context, enum sl_log_level level, const char *line)
{
    const struct sl_desk *desk = context;
    if (desk->write_log) desk->write_log(desk->context, (int)level, line);
}

static void show(void *context, const struct sl_progress *progress, bool ended)
{
    const struct sl_desk *desk = context;
    if (desk->show_progress)
        desk->show_progress(desk->context, progress->label, progress->unit, progress->done,
                            progress->total, ended);
}

static bool is_stopped(void *context)
{
    struct sl_desk *desk = context;
    return atomic_load(&desk->stopped);
}

void sl_desk_listen(struct sl_desk *desk, sl_desk_log *log, sl_desk_progress *progress,
                    void *context)
{
    desk->write_log = log;
    desk->show_progress = progress;
    desk->context = context;
}

void sl_desk_stop(struct sl_desk *desk)
{
    atomic_store(&desk->stopped, true);
}

/* ---- Making ---- */

struct creation {
    size_t threads;
    const char *given, *folder;
    struct sl_desk *desk;
};

static enum sl_status create(void *context, struct sl_error *err)
{
    struct creation *creation = context;
    struct sl_desk *desk = sl_alloc(1, sizeof *desk);
    desk->given = creation->given ? sl_string_copy(creation->given) : NULL;
    desk->folder = sl_string_copy(creation->folder);
    desk->log = (struct sl_log){.level = SL_LOG_INFO, .write = write_line, .context = desk};
    desk->progress = (struct sl_progress){.show = show, .show_context = desk};
    desk->workplace = (struct sl_workplace){
        .roots = {.given = desk->given, .folder = desk->folder},
        .log = &desk->log,
        .progress = &desk->progress,
        .unnamed = sl_name_table_create(),
        .exchange = &desk->exchange,
        .context = desk,
        .stop = is_stopped,
    };
    creation->desk = desk;
    return sl_pool_create(creation->threads, &desk->workplace.pool, err);
}

enum sl_status sl_desk_create(size_t threads, const char *environment, const char *folder,
                              struct sl_desk **out, struct sl_error *err)
{
    struct creation creation = {threads, environment, folder, NULL};
    struct sl_bind_call call = {create, &creation, false};
    const enum sl_status status = sl_bind_guard(&call, err);
    if (status == SL_OK)
        *out = creation.desk;
    else if (call.done)
        sl_desk_destroy(creation.desk);
    return status;
}

static void loan_release(struct loan *loan)
{
    if (loan->rows) loan->rows->values = NULL;
    sl_rows_destroy(loan->rows);
    sl_votes_destroy(loan->votes);
    free(loan->name);
}

void sl_desk_destroy(struct sl_desk *desk)
{
    if (!desk || desk->abandoned) return;
    for (size_t i = 0; i < desk->exchange.n_lent; i++)
        loan_release(&desk->loans[i]);
    free(desk->loans);
    free(desk->lent);
    sl_exchange_release(&desk->exchange);
    sl_name_table_destroy(desk->workplace.unnamed);
    sl_pool_destroy(desk->workplace.pool);
    free(desk->given);
    free(desk->folder);
    free(desk);
}

/* ---- Lending ---- */

static void lend(struct sl_desk *desk, struct loan loan)
{
    const size_t count = desk->exchange.n_lent;
    desk->loans = sl_resize(desk->loans, count + 1, sizeof *desk->loans);
    desk->lent = sl_resize(desk->lent, count + 1, sizeof *desk->lent);
    desk->loans[count] = loan;
    desk->lent[count] = (struct sl_lent){loan.name, loan.rows, loan.votes};
    desk->exchange.lent = desk->lent;
    desk->exchange.n_lent = count + 1;
}

struct rows_lending {
    struct sl_desk *desk;
    const char *name;
    const float *values;
    const size_t *shape;
    const struct sl_joined_names *names;
};

static enum sl_status copy_names(const struct sl_joined_names *joined, size_t count,
                                 const char *what, char ***out, struct sl_error *err)
{
    char **names = NULL;
    SL_TRY(sl_bind_names(joined, count, what, &names, err));
    const enum sl_status status = sl_names_copy(names, count, out, err);
    free(names);
    return status;
}

static enum sl_status lend_rows(void *context, struct sl_error *err)
{
    const struct rows_lending *lending = context;
    struct sl_rows *rows = sl_alloc(1, sizeof *rows);
    struct loan loan = {.name = sl_string_copy(lending->name), .rows = rows};
    enum sl_status status = SL_OK;
    rows->n_rows = lending->shape[0];
    rows->n_classes = lending->shape[1];
    memcpy(&rows->values, &lending->values, sizeof rows->values); /* tasks only read it */
    SL_TRY_OUT(copy_names(&lending->names[0], rows->n_rows, "rows", &rows->items, err));
    SL_TRY_OUT(copy_names(&lending->names[1], rows->n_classes, "classes", &rows->classes, err));
    lend(lending->desk, loan);
    return SL_OK;
out:
    loan_release(&loan);
    return status;
}

enum sl_status sl_desk_lend_rows(struct sl_desk *desk, const char *name, const float *values,
                                 const size_t shape[2], const struct sl_joined_names names[2],
                                 struct sl_error *err)
{
    struct rows_lending lending = {desk, name, values, shape, names};
    return run_guarded(desk, lend_rows, &lending, err);
}

struct votes_lending {
    struct sl_desk *desk;
    const char *name;
    struct sl_vote_codes codes;
    const struct sl_joined_names *names;
};

static enum sl_status lend_votes(void *context, struct sl_error *err)
{
    struct votes_lending *lending = context;
    const struct sl_joined_names *names = lending->names;
    struct sl_vote_codes *codes = &lending->codes;
    char **items = NULL, **annotators = NULL, **classes = NULL;
    struct sl_votes *votes = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_bind_names(&names[0], codes->n_items, "items", &items, err));
    SL_TRY_OUT(sl_bind_names(&names[1], codes->n_annotators, "annotators", &annotators, err));
    SL_TRY_OUT(sl_bind_names(&names[2], codes->n_classes, "classes", &classes, err));
    codes->item_names = (const char *const *)items;
    codes->annotator_names = (const char *const *)annotators;
    codes->class_names = (const char *const *)classes;
    SL_TRY_OUT(sl_votes_from_codes(codes, lending->desk->workplace.pool, &votes, err));
    lend(lending->desk, (struct loan){.name = sl_string_copy(lending->name), .votes = votes});
out:
    free(items);
    free(annotators);
    free(classes);
    return status;
}

enum sl_status sl_desk_lend_votes(struct sl_desk *desk, const char *name, size_t count,
                                  const uint32_t *const codes[3], const size_t sizes[3],
                                  const struct sl_joined_names names[3], struct sl_error *err)
{
    struct votes_lending lending = {.desk = desk,
                                    .name = name,
                                    .codes = {.count = count,
                                              .n_items = sizes[0],
                                              .n_annotators = sizes[1],
                                              .n_classes = sizes[2],
                                              .item = codes[0],
                                              .annotator = codes[1],
                                              .label = codes[2]},
                                    .names = names};
    return run_guarded(desk, lend_votes, &lending, err);
}

void sl_desk_keep_confusions(struct sl_desk *desk, bool keep)
{
    desk->exchange.confusions = keep;
}

/* ---- Work ---- */

struct doing {
    struct sl_desk *desk;
    const char *task;
    const char *const *words;
    size_t n_words;
    struct sl_desk_result *result;
};

static enum sl_status do_task(void *context, struct sl_error *err)
{
    struct doing *doing = context;
    struct sl_workplace *workplace = &doing->desk->workplace;
    struct sl_assignment assignment = {0};
    json_t *json = NULL;
    enum sl_status status = SL_OK;
    char **words = sl_alloc(doing->n_words + 1, sizeof *words);
    for (size_t i = 0; i < doing->n_words; i++)
        words[i] = sl_string_copy(doing->words[i]);
    char **kept = sl_alloc(doing->n_words + 1, sizeof *kept); /* reading words moves them */
    memcpy(kept, words, doing->n_words * sizeof *kept);
    SL_TRY_OUT(sl_assignment_read(doing->task, words, doing->n_words, &workplace->roots,
                                  &assignment, err));
    /* A training stops by itself, with a checkpoint; all other work stops with its pool. */
    sl_pool_set_stop(workplace->pool, assignment.task->stops ? NULL : is_stopped, doing->desk);
    SL_TRY_OUT(sl_assignment_do(&assignment, workplace, &json, err));
    doing->result = sl_desk_result_of_task(json, &doing->desk->exchange);
out:
    sl_assignment_release(&assignment);
    sl_strings_destroy(kept, doing->n_words);
    free(words);
    return status;
}

enum sl_status sl_desk_do(struct sl_desk *desk, const char *task, const char *const *words,
                          size_t n_words, struct sl_desk_result **out, struct sl_error *err)
{
    struct doing doing = {desk, task, words, n_words, NULL};
    const enum sl_status status = run_guarded(desk, do_task, &doing, err);
    atomic_store(&desk->stopped, false);
    if (status == SL_OK) *out = doing.result;
    return status;
}

struct measuring {
    struct sl_bind_measuring asked;
    struct sl_desk_result *result;
};

static enum sl_status measure(void *context, struct sl_error *err)
{
    struct measuring *measuring = context;
    return sl_bind_measure(&measuring->asked, &measuring->result, err);
}

enum sl_status sl_desk_measure(struct sl_desk *desk, const char *votes, const char *name,
                               const double *skill, const uint32_t *chosen,
                               struct sl_desk_result **out, struct sl_error *err)
{
    struct measuring measuring = {{sl_lent_votes(&desk->exchange, votes), name, skill, chosen},
                                  NULL};
    if (!measuring.asked.votes)
        return sl_fail(err, SL_ERR_NOT_FOUND, "no votes are lent as \"%s\"", votes);
    const enum sl_status status = run_guarded(desk, measure, &measuring, err);
    if (status == SL_OK) *out = measuring.result;
    return status;
}

struct opening {
    struct sl_desk *desk;
    const char *name; /* of a data set, or the path of weights */
    struct sl_desk_result *result;
};

static enum sl_status open_dataset(void *context, struct sl_error *err)
{
    struct opening *opening = context;
    struct sl_dataset *dataset = NULL;
    enum sl_status status = SL_OK;
    SL_TRY(sl_workplace_open(&opening->desk->workplace, opening->name, &dataset, err));
    if (dataset->files) {
        const struct sl_load_options options = {.pool = opening->desk->workplace.pool};
        SL_TRY_OUT(sl_dataset_load_with(dataset, &options, NULL, err));
    }
    opening->result = sl_desk_result_of_dataset(dataset);
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    return status;
}

enum sl_status sl_desk_open(struct sl_desk *desk, const char *dataset, struct sl_desk_result **out,
                            struct sl_error *err)
{
    struct opening opening = {desk, dataset, NULL};
    const enum sl_status status = run_guarded(desk, open_dataset, &opening, err);
    if (status == SL_OK) *out = opening.result;
    return status;
}

static enum sl_status open_network(void *context, struct sl_error *err)
{
    struct opening *opening = context;
    struct sl_model *model = NULL;
    SL_TRY(sl_run_open_weights(opening->name, &model, err));
    opening->result = sl_desk_result_of_task(sl_model_graph_json(model), &opening->desk->exchange);
    sl_model_destroy(model);
    return SL_OK;
}

enum sl_status sl_desk_network(struct sl_desk *desk, const char *weights,
                               struct sl_desk_result **out, struct sl_error *err)
{
    struct opening opening = {desk, weights, NULL};
    const enum sl_status status = run_guarded(desk, open_network, &opening, err);
    if (status == SL_OK) *out = opening.result;
    return status;
}

struct counting {
    struct sl_desk *desk;
    const uint64_t *values;
    size_t count, *n_different;
    uint32_t *codes;
    uint64_t *firsts;
};

static enum sl_status number_values(void *context, struct sl_error *err)
{
    const struct counting *counting = context;
    return sl_bind_number(counting->desk->workplace.pool, counting->values, counting->count,
                          counting->codes, counting->firsts, counting->n_different, err);
}

enum sl_status sl_desk_number(struct sl_desk *desk, const uint64_t *values, size_t count,
                              uint32_t *codes, uint64_t *firsts, size_t *n_different,
                              struct sl_error *err)
{
    struct counting counting = {desk, values, count, n_different, codes, firsts};
    return run_guarded(desk, number_values, &counting, err);
}
