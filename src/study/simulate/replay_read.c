/* From a file of answers to what can be replayed in a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/simulate/replay.h"

/* ---- Whether the study can take recorded answers ---- */

static enum sl_status check_study(const struct sl_study *study, struct sl_error *err)
{
    for (size_t i = 0; i < study->n_screens; i++)
        if (strcmp(study->screens[i], "hard") != 0)
            return sl_fail(err, SL_ERR_USAGE,
                           "the study asks with the screen \"%s\", but a replay knows only which "
                           "class people chose; set \"screens\" to [\"hard\"] in study.json",
                           study->screens[i]);
    if (study->repeats > 0)
        return sl_fail(err, SL_ERR_USAGE,
                       "the study shows %zu %s of a batch twice, and a replay has no second answer "
                       "of the same person; set \"batch.repeats\" to 0 in study.json",
                       study->repeats, sl_text_plural(study->repeats, "item", "items"));
    if (study->min_seconds > 0)
        return sl_fail(err, SL_ERR_USAGE,
                       "the study refuses answers in less than %g s, which recorded answers may "
                       "have; set \"flow.min_seconds\" to 0 in study.json",
                       study->min_seconds);
    return SL_OK;
}

/* ---- Which recorded answers can be given ---- */

struct reading {
    const struct sl_study_simulation *options;
    struct sl_replay *replay;
    struct sl_item_index index;
    bool *known;     /* owned; of the file's classes: is it one of the study's? */
    size_t n_open;   /* items with answers */
    size_t n_marked; /* checks, repeats and second runs, which are never given */
    size_t n_timed;  /* answers that can be given and have a time */
    double ms;       /* the sum of these times */
};

static enum sl_status check_answer(const struct reading *reading, const struct sl_answer *answer,
                                   struct sl_error *err)
{
    const struct sl_answers *recorded = reading->replay->recorded;
    const char *path = reading->options->replay.answers;
    if (answer->kind != SL_ANSWER_HARD)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: an answer about the item \"%.*s\" is not the choice of one class; a "
                       "replay needs answers that are",
                       path, (int)answer->item.length, answer->item.text);
    if (!reading->known[answer->top[0].class_index])
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the item \"%.*s\" was answered with \"%s\", which is not a class of "
                       "the study; use the study's names of classes in the file",
                       path, (int)answer->item.length, answer->item.text,
                       recorded->classes[answer->top[0].class_index]);
    return SL_OK;
}

/* Appends the answers about one item of the file, in their random order. */
static enum sl_status take_answers(struct reading *reading, uint32_t number,
                                   struct sl_replay_item *item, struct sl_error *err)
{
    struct sl_replay *replay = reading->replay;
    const size_t *of_item = reading->index.order + reading->index.begin[number];
    const size_t n_all = reading->index.begin[number + 1] - reading->index.begin[number];
    size_t *usable = sl_alloc(n_all + 1, sizeof *usable), *places = NULL, count = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < n_all; i++) {
        struct sl_answer answer;
        sl_answers_get(replay->recorded, of_item[i], &answer);
        if (answer.flags)
            reading->n_marked++;
        else
            SL_TRY_OUT(check_answer(reading, &answer, err));
        if (!answer.flags) usable[count++] = of_item[i];
    }
    places = sl_alloc(count + 1, sizeof *places);
    sl_replay_order(reading->options->seed, item->name, count, places);
    for (size_t i = 0; i < count; i++)
        replay->order[item->begin + i] = usable[places[i]];
    item->end = item->begin + count;
    item->n_open = sl_replay_part(count, reading->options->replay.share);
out:
    free(usable);
    free(places);
    return status;
}

static void count_times(struct reading *reading, const struct sl_replay_item *item)
{
    for (size_t k = item->begin; k < item->begin + item->n_open; k++) {
        struct sl_answer answer;
        sl_replay_get(reading->replay, k, &answer);
        if (isnan(answer.ms)) continue;
        reading->n_timed++;
        reading->ms += answer.ms;
    }
}

static enum sl_status add_item(struct reading *reading, const char *name, uint32_t sight,
                               struct sl_error *err)
{
    struct sl_replay *replay = reading->replay;
    const char *path = reading->options->replay.answers;
    if (replay->item_of[sight] != SL_NO_NAME)
        return sl_fail(err, SL_ERR_INPUT,
                       "the items \"%s\" and \"%s\" of the study look the same on the page, so a "
                       "replay cannot tell which one is shown",
                       replay->items[replay->item_of[sight]].name, name);
    replay->item_of[sight] = (uint32_t)replay->n_items;
    struct sl_replay_item *item = &replay->items[replay->n_items];
    const size_t begin = replay->n_items ? item[-1].end : 0;
    *item = (struct sl_replay_item){.name = name, .begin = begin, .end = begin};
    replay->n_items++;
    const uint32_t number = sl_name_table_find(replay->recorded->items, name, strlen(name));
    if (number != SL_NO_NAME) SL_TRY(take_answers(reading, number, item, err));
    if (item->n_open == 0 && !reading->options->replay.partial)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has no answer about the item \"%s\" of the study; items are matched by "
                       "name (--replay-partial accepts items without answers)",
                       path, name);
    reading->n_open += item->n_open > 0;
    replay->n_open += item->n_open;
    count_times(reading, item);
    return SL_OK;
}

static enum sl_status match_items(struct reading *reading, const struct sl_sim_world *world,
                                  struct sl_error *err)
{
    struct sl_replay *replay = reading->replay;
    replay->n_sights = sl_name_table_count(world->sights);
    replay->items = sl_data_zeroed(world->n_read + 1, sizeof *replay->items, err);
    replay->item_of = sl_data_zeroed(replay->n_sights + 1, sizeof *replay->item_of, err);
    replay->order = sl_data_zeroed(replay->recorded->count + 1, sizeof *replay->order, err);
    replay->state = sl_data_zeroed(replay->recorded->count + 1, sizeof *replay->state, err);
    if (!replay->items || !replay->item_of || !replay->order || !replay->state) return SL_ERR_NOMEM;
    for (size_t i = 0; i < replay->n_sights; i++)
        replay->item_of[i] = SL_NO_NAME;
    for (size_t i = 0; i < world->n_read; i++)
        if (world->names[i]) SL_TRY(add_item(reading, world->names[i], world->sight_of[i], err));
    if (replay->n_open == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s has no answer about any item of the study",
                       reading->options->replay.answers);
    return SL_OK;
}

/* Marks the file's classes that the study has; one of the study's that is missing is said. */
static void match_classes(struct reading *reading, const struct sl_study *study)
{
    const struct sl_answers *recorded = reading->replay->recorded;
    reading->known = sl_alloc(recorded->n_classes + 1, sizeof *reading->known);
    for (size_t k = 0; k < study->n_classes; k++) {
        const int64_t found =
            sl_answers_find_class(recorded, study->classes[k], strlen(study->classes[k]));
        if (found >= 0)
            reading->known[found] = true;
        else
            sl_log(reading->options->log, SL_LOG_WARNING,
                   "%s has no class \"%s\", so nobody will choose it",
                   reading->options->replay.answers, study->classes[k]);
    }
}

static enum sl_status check_budget(const struct reading *reading, struct sl_error *err)
{
    const struct sl_study_replay *asked = &reading->options->replay;
    const size_t n_open = reading->replay->n_open;
    if (asked->n_answers > n_open)
        return sl_fail(err, SL_ERR_USAGE,
                       "a budget of %zu answers is more than the %zu recorded %s that can be "
                       "given; ask for fewer",
                       asked->n_answers, n_open, sl_text_plural(n_open, "answer", "answers"));
    if (!(asked->seconds > 0)) return SL_OK;
    if (reading->n_timed < n_open)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: %zu of %zu answers have no time, so a budget in seconds cannot be "
                       "kept; give a number of answers",
                       asked->answers, n_open - reading->n_timed, n_open);
    if (asked->seconds * 1000 > reading->ms)
        return sl_fail(err, SL_ERR_USAGE,
                       "a budget of %g s is more than the %.1f s of the recorded answers that can "
                       "be given; ask for less",
                       asked->seconds, reading->ms / 1000);
    return SL_OK;
}

static void say_what_is_used(const struct reading *reading)
{
    const struct sl_replay *replay = reading->replay;
    const size_t n_file = sl_name_table_count(replay->recorded->items);
    const struct sl_log *log = reading->options->log;
    if (reading->n_marked)
        sl_log(log, SL_LOG_INFO, "%zu marked as %s left out", reading->n_marked,
               sl_text_plural(reading->n_marked, "check or repeat is", "checks or repeats are"));
    if (n_file > reading->n_open)
        sl_log(log, SL_LOG_INFO, "%zu %s of the file %s not in the study", n_file - reading->n_open,
               sl_text_plural(n_file - reading->n_open, "item", "items"),
               sl_text_plural(n_file - reading->n_open, "is", "are"));
}

static bool is_held_out(const struct sl_replay *replay, const struct sl_replay_item *item,
                        size_t position)
{
    (void)replay;
    return position >= item->begin + item->n_open;
}

static enum sl_status read_answers(struct reading *reading, const struct sl_sim_world *world,
                                   struct sl_error *err)
{
    const struct sl_study_replay *asked = &reading->options->replay;
    struct sl_import_notes notes = {.log = reading->options->log};
    const struct sl_import_options how = {.notes = &notes};
    SL_TRY(check_study(world->study, err));
    SL_TRY(sl_answers_load(asked->answers, &how, &reading->replay->recorded, err));
    SL_TRY(sl_item_index_create(reading->replay->recorded, &reading->index, err));
    match_classes(reading, world->study);
    SL_TRY(match_items(reading, world, err));
    SL_TRY(check_budget(reading, err));
    say_what_is_used(reading);
    return asked->held_out ? sl_replay_save(reading->replay, asked->held_out, is_held_out, err)
                           : SL_OK;
}

enum sl_status sl_replay_create(const struct sl_study_simulation *options,
                                const struct sl_sim_world *world, struct sl_replay **out,
                                struct sl_error *err)
{
    const struct sl_study_replay *asked = &options->replay;
    if (!world->study)
        return sl_fail(err, SL_ERR_USAGE,
                       "a replay needs the study's folder, which says which item a page shows");
    if (!(asked->share > 0 && asked->share <= 1))
        return sl_fail(err, SL_ERR_USAGE, "share: expected a share above 0 and up to 1");
    if (!(asked->seconds >= 0))
        return sl_fail(err, SL_ERR_USAGE, "a budget of seconds cannot be negative");
    struct sl_replay *replay = sl_alloc(1, sizeof *replay);
    replay->study = world->study;
    replay->budget = asked->n_answers ? asked->n_answers : SIZE_MAX;
    replay->budget_ms = asked->seconds > 0 ? 1000 * asked->seconds : (double)INFINITY;
    struct reading reading = {.options = options, .replay = replay};
    const enum sl_status status = read_answers(&reading, world, err);
    sl_item_index_release(&reading.index);
    free(reading.known);
    if (status == SL_OK)
        *out = replay;
    else
        sl_replay_destroy(replay);
    return status;
}
