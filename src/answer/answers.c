/* The answer set.
 *
 * An answer is a small fixed record; lists (beliefs, impossible classes, distributions) and texts
 * are in pools shared by all answers, and the record holds their offsets. Rarely used parts (a mix,
 * a study, typed texts) are in `extras`. */
#include "softlab/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "softlab/base/memory.h"

enum { LEAST_CAPACITY = 16, RAW_TEXTS = 2, INPUTS_TEXT = 2, N_TEXTS = 3 };

struct sl_stored_answer {
    double ms;
    int64_t trial;
    size_t top;        /* into beliefs; of a distribution, into values */
    size_t impossible; /* into classes */
    uint32_t n_top, n_impossible;
    int32_t truth;
    uint32_t batch; /* into names, or SL_NO_NAME */
    uint32_t extra; /* into extras, or SL_NO_NAME */
    uint8_t kind, flags;
};

struct extra {
    struct sl_mix_answer mix;
    uint32_t study; /* into names, or SL_NO_NAME */
    uint32_t lengths[N_TEXTS];
    size_t text; /* into texts: the typed ones, then the inputs */
};

/* Elements of one size in one block that grows. */
struct pool {
    void *data; /* owned */
    size_t count, capacity;
};

struct sl_answer_pools {
    struct pool beliefs, classes, values, extras, texts;
    struct sl_name_table *names;       /* owned; of batches and studies */
    struct sl_name_table *class_names; /* owned */
    size_t capacity;                   /* of the arrays of the set itself */
};

/* Room for `more` elements at the end of the pool, or NULL with SL_ERR_NOMEM. */
static void *pool_reserve(struct pool *pool, size_t more, size_t size, struct sl_error *err)
{
    if (more > pool->capacity - pool->count) {
        size_t capacity = pool->capacity + pool->capacity / 2 + more + LEAST_CAPACITY;
        void *data = capacity < SIZE_MAX / size ? realloc(pool->data, capacity * size) : NULL;
        if (!data) {
            sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu x %zu bytes", capacity, size);
            return NULL;
        }
        pool->data = data;
        pool->capacity = capacity;
    }
    return (char *)pool->data + pool->count * size;
}

static enum sl_status pool_append(struct pool *pool, const void *elements, size_t count,
                                  size_t size, struct sl_error *err)
{
    if (count == 0) return SL_OK;
    void *room = pool_reserve(pool, count, size, err);
    if (!room) return SL_ERR_NOMEM;
    memcpy(room, elements, count * size);
    pool->count += count;
    return SL_OK;
}

const char *const sl_answer_kind_names[] = {[SL_ANSWER_HARD] = "hard",
                                            [SL_ANSWER_SOFT] = "soft",
                                            [SL_ANSWER_SELECT] = "select",
                                            [SL_ANSWER_DIST] = "dist",
                                            [SL_ANSWER_MIX] = "mix"};

struct sl_answer sl_answer_empty(void)
{
    const struct sl_mix_answer no_mix = {.lambda = NAN, .confidence = NAN, .generated = NAN};
    return (struct sl_answer){.mix = no_mix, .truth = -1, .ms = (double)NAN, .trial = -1};
}

enum sl_status sl_answers_create(const char *const *classes, size_t n_classes,
                                 struct sl_answers **out, struct sl_error *err)
{
    if (n_classes == 0) return sl_fail(err, SL_ERR_INPUT, "answers need at least one class");
    if (n_classes > INT32_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%zu classes are too many", n_classes);
    struct sl_answers *answers = sl_alloc(1, sizeof *answers);
    struct sl_answer_pools *pools = answers->pools = sl_alloc(1, sizeof *pools);
    pools->names = sl_name_table_create();
    pools->class_names = sl_name_table_create();
    answers->items = sl_name_table_create();
    answers->annotators = sl_name_table_create();
    answers->classes = sl_alloc(n_classes + 1, sizeof *answers->classes);
    enum sl_status status = SL_OK;
    for (; answers->n_classes < n_classes; answers->n_classes++) {
        const char *name = classes[answers->n_classes];
        uint32_t number = 0;
        SL_TRY_OUT(sl_name_table_add(pools->class_names, name, strlen(name), &number, err));
        if (number != answers->n_classes) {
            status = sl_fail(err, SL_ERR_INPUT, "two classes are called \"%s\"", name);
            goto out;
        }
        answers->classes[answers->n_classes] = sl_string_copy(name);
    }
    *out = answers;
    answers = NULL;
out:
    sl_answers_destroy(answers);
    return status;
}

void sl_answers_destroy(struct sl_answers *answers)
{
    if (!answers) return;
    struct sl_answer_pools *pools = answers->pools;
    free(pools->beliefs.data);
    free(pools->classes.data);
    free(pools->values.data);
    free(pools->extras.data);
    free(pools->texts.data);
    sl_name_table_destroy(pools->names);
    sl_name_table_destroy(pools->class_names);
    free(pools);
    sl_names_destroy(answers->classes);
    sl_name_table_destroy(answers->items);
    sl_name_table_destroy(answers->annotators);
    free(answers->item);
    free(answers->annotator);
    free(answers->stored);
    free(answers);
}

size_t sl_answers_count_confident(const struct sl_answers *answers)
{
    size_t count = 0;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (!isnan(answer.mix.confidence)) count++;
    }
    return count;
}

size_t sl_answers_count_flagged(const struct sl_answers *answers, unsigned flags)
{
    size_t count = 0;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.flags & flags) count++;
    }
    return count;
}

int64_t sl_answers_find_class(const struct sl_answers *answers, const char *text, size_t length)
{
    uint32_t found = sl_name_table_find(answers->pools->class_names, text, length);
    return found == SL_NO_NAME ? -1 : (int64_t)found;
}

static enum sl_status check_class(uint32_t class_index, size_t n_classes, struct sl_error *err)
{
    if (class_index < n_classes) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "an answer names class %u, expected a class below %zu",
                   (unsigned)class_index, n_classes);
}

static enum sl_status check_lists(const struct sl_answer *answer, size_t n_classes,
                                  struct sl_error *err)
{
    if (answer->n_top > UINT32_MAX || answer->n_impossible > UINT32_MAX)
        return sl_fail(err, SL_ERR_INPUT,
                       "an answer names too many classes: %zu, and %zu impossible ones",
                       answer->n_top, answer->n_impossible);
    for (size_t i = 0; i < answer->n_top; i++)
        SL_TRY(check_class(answer->top[i].class_index, n_classes, err));
    for (size_t i = 0; i < answer->n_impossible; i++)
        SL_TRY(check_class(answer->impossible[i], n_classes, err));
    return SL_OK;
}

/* NaN means "not given". Infinity is never valid, and a distribution must be complete. */
static bool numbers_are_sound(const struct sl_answer *answer, size_t n_classes)
{
    const struct sl_mix_answer *mix = &answer->mix;
    bool sound = (isnan(answer->ms) || (answer->ms >= 0 && answer->ms <= SL_LONGEST_MS)) &&
                 !isinf(mix->lambda) && !isinf(mix->confidence) && !isinf(mix->generated);
    for (size_t i = 0; i < answer->n_top; i++)
        sound = sound && !isinf(answer->top[i].probability);
    if (answer->kind == SL_ANSWER_DIST && answer->distribution)
        for (size_t i = 0; i < n_classes; i++)
            sound = sound && isfinite(answer->distribution[i]);
    return sound;
}

enum sl_status sl_answer_check(const struct sl_answer *answer, size_t n_classes,
                               struct sl_error *err)
{
    if (answer->item.length == 0) return sl_fail(err, SL_ERR_INPUT, "an answer has no item");
    if (answer->truth < -1 || (answer->truth >= 0 && (size_t)answer->truth >= n_classes))
        return sl_fail(err, SL_ERR_INPUT,
                       "true class %d does not exist, expected a class below %zu",
                       (int)answer->truth, n_classes);
    SL_TRY(check_lists(answer, n_classes, err));
    if (!numbers_are_sound(answer, n_classes))
        return sl_fail(err, SL_ERR_INPUT,
                       "an answer has a number that is not finite or a time out of range");
    switch (answer->kind) {
    case SL_ANSWER_HARD:
        if (answer->n_top == 1) return SL_OK;
        return sl_fail(err, SL_ERR_INPUT, "a hard answer must name one class, not %zu",
                       answer->n_top);
    case SL_ANSWER_SOFT:
    case SL_ANSWER_SELECT:
        if (answer->n_top > 0) return SL_OK;
        return sl_fail(err, SL_ERR_INPUT, "an answer names no class");
    case SL_ANSWER_DIST:
        if (answer->distribution && answer->n_top == 0) return SL_OK;
        return sl_fail(err, SL_ERR_INPUT,
                       "a dist answer needs a distribution and may not have top classes");
    case SL_ANSWER_MIX:
        SL_TRY(check_class(answer->mix.a, n_classes, err));
        SL_TRY(check_class(answer->mix.b, n_classes, err));
        if (isfinite(answer->mix.lambda)) return SL_OK;
        return sl_fail(err, SL_ERR_INPUT, "a mix answer has no lambda");
    }
    return sl_fail(err, SL_ERR_INPUT, "an answer has the unknown kind %d", (int)answer->kind);
}

static bool has_extra(const struct sl_answer *answer)
{
    return answer->kind == SL_ANSWER_MIX || !isnan(answer->mix.confidence) ||
           answer->study.length > 0 || answer->raw[0].length > 0 || answer->raw[1].length > 0 ||
           answer->inputs.length > 0;
}

static enum sl_status add_name(struct sl_name_table *names, struct sl_field text, uint32_t *out,
                               struct sl_error *err)
{
    if (text.length > 0) return sl_name_table_add(names, text.text, text.length, out, err);
    *out = SL_NO_NAME;
    return SL_OK;
}

static enum sl_status store_extra(struct sl_answer_pools *pools, const struct sl_answer *answer,
                                  uint32_t *out, struct sl_error *err)
{
    *out = SL_NO_NAME;
    if (!has_extra(answer)) return SL_OK;
    struct extra extra = {.mix = answer->mix, .text = pools->texts.count};
    SL_TRY(add_name(pools->names, answer->study, &extra.study, err));
    const struct sl_field texts[N_TEXTS] = {answer->raw[0], answer->raw[1], answer->inputs};
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (texts[i].length > UINT32_MAX)
            return sl_fail(err, SL_ERR_INPUT, "a text of %zu bytes is too long", texts[i].length);
        extra.lengths[i] = (uint32_t)texts[i].length;
        SL_TRY(pool_append(&pools->texts, texts[i].text, texts[i].length, 1, err));
    }
    if (pools->extras.count >= SL_NO_NAME)
        return sl_fail(err, SL_ERR_INPUT, "more than %zu answers have texts or mixes",
                       pools->extras.count);
    *out = (uint32_t)pools->extras.count;
    return pool_append(&pools->extras, &extra, 1, sizeof extra, err);
}

static enum sl_status store(struct sl_answers *answers, const struct sl_answer *answer,
                            struct sl_stored_answer *out, struct sl_error *err)
{
    struct sl_answer_pools *pools = answers->pools;
    const bool distribution = answer->kind == SL_ANSWER_DIST;
    struct sl_stored_answer stored = {.ms = answer->ms,
                                      .trial = answer->trial,
                                      .top =
                                          distribution ? pools->values.count : pools->beliefs.count,
                                      .impossible = pools->classes.count,
                                      .n_top = (uint32_t)answer->n_top,
                                      .n_impossible = (uint32_t)answer->n_impossible,
                                      .truth = answer->truth,
                                      .kind = (uint8_t)answer->kind,
                                      .flags = (uint8_t)answer->flags};
    if (distribution)
        SL_TRY(pool_append(&pools->values, answer->distribution, answers->n_classes, sizeof(float),
                           err));
    else
        SL_TRY(pool_append(&pools->beliefs, answer->top, answer->n_top, sizeof *answer->top, err));
    SL_TRY(pool_append(&pools->classes, answer->impossible, answer->n_impossible,
                       sizeof *answer->impossible, err));
    SL_TRY(add_name(pools->names, answer->batch, &stored.batch, err));
    SL_TRY(store_extra(pools, answer, &stored.extra, err));
    *out = stored;
    return SL_OK;
}

/* realloc that reports; the block stays where it is on failure. */
static enum sl_status grow_array(void *block, size_t count, size_t size, struct sl_error *err)
{
    void *old = NULL;
    memcpy(&old, block, sizeof old);
    void *grown = realloc(old, count * size);
    if (!grown) return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu answers", count);
    memcpy(block, &grown, sizeof grown);
    /* cppcheck-suppress memleak ; the caller's pointer has it */
    return SL_OK;
}

/* Room for `more` answers. */
static enum sl_status grow(struct sl_answers *answers, size_t more, struct sl_error *err)
{
    struct sl_answer_pools *pools = answers->pools;
    if (more <= pools->capacity - answers->count) return SL_OK;
    size_t capacity = answers->count + more + pools->capacity / 2 + LEAST_CAPACITY;
    SL_TRY(grow_array(&answers->item, capacity, sizeof *answers->item, err));
    SL_TRY(grow_array(&answers->annotator, capacity, sizeof *answers->annotator, err));
    SL_TRY(grow_array(&answers->stored, capacity, sizeof *answers->stored, err));
    pools->capacity = capacity;
    return SL_OK;
}

enum sl_status sl_answers_add(struct sl_answers *answers, const struct sl_answer *answer,
                              struct sl_error *err)
{
    SL_TRY(sl_answer_check(answer, answers->n_classes, err));
    SL_TRY(grow(answers, 1, err));
    const size_t at = answers->count;
    uint32_t item = 0, annotator = 0;
    SL_TRY(store(answers, answer, &answers->stored[at], err));
    SL_TRY(add_name(answers->annotators, answer->annotator, &annotator, err));
    SL_TRY(add_name(answers->items, answer->item, &item, err));
    answers->item[at] = item;
    answers->annotator[at] = annotator;
    answers->count++;
    return SL_OK;
}

/* ---- Sets of blocks, joined ---- */

void sl_answers_clear(struct sl_answers *answers)
{
    struct sl_answer_pools *pools = answers->pools;
    struct pool *const all[] = {&pools->beliefs, &pools->classes, &pools->values, &pools->extras,
                                &pools->texts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->count = 0;
    sl_name_table_clear(pools->names);
    sl_name_table_clear(answers->items);
    sl_name_table_clear(answers->annotators);
    answers->count = 0;
}

static uint32_t renumbered(const uint32_t *numbers, uint32_t number)
{
    return number == SL_NO_NAME ? SL_NO_NAME : numbers[number];
}

static enum sl_status append_extras(struct sl_answer_pools *to, const struct sl_answer_pools *from,
                                    const uint32_t *names, struct sl_error *err)
{
    const struct extra *extras = from->extras.data;
    for (size_t i = 0; i < from->extras.count; i++) {
        struct extra extra = extras[i];
        extra.study = renumbered(names, extra.study);
        extra.text += to->texts.count;
        if (to->extras.count >= SL_NO_NAME)
            return sl_fail(err, SL_ERR_INPUT, "more than %zu answers have texts or mixes",
                           to->extras.count);
        SL_TRY(pool_append(&to->extras, &extra, 1, sizeof extra, err));
    }
    return pool_append(&to->texts, from->texts.data, from->texts.count, 1, err);
}

/* The records of `from` as they are in a set whose pools are still without those of `from`. */
static void append_stored(struct sl_answers *answers, const struct sl_answers *from,
                          const uint32_t *names)
{
    const struct sl_answer_pools *pools = answers->pools;
    for (size_t i = 0; i < from->count; i++) {
        struct sl_stored_answer stored = from->stored[i];
        const bool distribution = stored.kind == SL_ANSWER_DIST;
        stored.top += distribution ? pools->values.count : pools->beliefs.count;
        stored.impossible += pools->classes.count;
        stored.batch = renumbered(names, stored.batch);
        if (stored.extra != SL_NO_NAME) stored.extra += (uint32_t)pools->extras.count;
        answers->stored[answers->count + i] = stored;
    }
}

static enum sl_status append_pools(struct sl_answer_pools *to, const struct sl_answer_pools *from,
                                   const uint32_t *names, struct sl_error *err)
{
    SL_TRY(pool_append(&to->beliefs, from->beliefs.data, from->beliefs.count,
                       sizeof(struct sl_belief), err));
    SL_TRY(
        pool_append(&to->classes, from->classes.data, from->classes.count, sizeof(uint32_t), err));
    SL_TRY(pool_append(&to->values, from->values.data, from->values.count, sizeof(float), err));
    return append_extras(to, from, names, err);
}

enum sl_status sl_answers_append(struct sl_answers *answers, const struct sl_answers *from,
                                 struct sl_numbering *numbers, struct sl_error *err)
{
    const size_t first = answers->count;
    SL_TRY(grow(answers, from->count, err));
    SL_TRY(sl_numbering_of(numbers, from->pools->names, answers->pools->names, err));
    append_stored(answers, from, numbers->values);
    SL_TRY(append_pools(answers->pools, from->pools, numbers->values, err));
    SL_TRY(sl_numbering_of(numbers, from->annotators, answers->annotators, err));
    for (size_t i = 0; i < from->count; i++)
        answers->annotator[first + i] = renumbered(numbers->values, from->annotator[i]);
    SL_TRY(sl_numbering_of(numbers, from->items, answers->items, err));
    for (size_t i = 0; i < from->count; i++)
        answers->item[first + i] = numbers->values[from->item[i]];
    answers->count += from->count;
    return SL_OK;
}

static struct sl_field name_field(const struct sl_name_table *names, uint32_t number)
{
    struct sl_field field = {NULL, 0};
    if (number != SL_NO_NAME) field.text = sl_name_table_get(names, number, &field.length);
    return field;
}

static void get_extra(const struct sl_answer_pools *pools, uint32_t number, struct sl_answer *out)
{
    const struct extra *extra = (const struct extra *)pools->extras.data + number;
    const char *text = pools->texts.data ? (const char *)pools->texts.data + extra->text : "";
    out->mix = extra->mix;
    out->study = name_field(pools->names, extra->study);
    for (size_t i = 0; i < RAW_TEXTS; i++) {
        out->raw[i] = (struct sl_field){text, extra->lengths[i]};
        text += extra->lengths[i];
    }
    out->inputs = (struct sl_field){text, extra->lengths[INPUTS_TEXT]};
}

void sl_answers_get(const struct sl_answers *answers, size_t index, struct sl_answer *out)
{
    const struct sl_answer_pools *pools = answers->pools;
    const struct sl_stored_answer *stored = &answers->stored[index];
    struct sl_answer answer = sl_answer_empty();
    answer.item = name_field(answers->items, answers->item[index]);
    answer.annotator = name_field(answers->annotators, answers->annotator[index]);
    answer.kind = (enum sl_answer_kind)stored->kind;
    answer.flags = stored->flags;
    answer.n_top = stored->n_top;
    answer.n_impossible = stored->n_impossible;
    if (stored->kind == SL_ANSWER_DIST)
        answer.distribution = (const float *)pools->values.data + stored->top;
    else if (stored->n_top > 0)
        answer.top = (const struct sl_belief *)pools->beliefs.data + stored->top;
    if (stored->n_impossible > 0)
        answer.impossible = (const uint32_t *)pools->classes.data + stored->impossible;
    answer.truth = stored->truth;
    answer.ms = stored->ms;
    answer.trial = stored->trial;
    answer.batch = name_field(pools->names, stored->batch);
    if (stored->extra != SL_NO_NAME) get_extra(pools, stored->extra, &answer);
    *out = answer;
}

uint32_t sl_answer_choice(const struct sl_answer *answer, size_t n_classes)
{
    if (answer->kind == SL_ANSWER_MIX)
        return answer->mix.lambda >= .5f ? answer->mix.a : answer->mix.b;
    if (answer->kind == SL_ANSWER_DIST) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < n_classes; i++)
            if (answer->distribution[i] > answer->distribution[best]) best = i;
        return best;
    }
    size_t best = 0;
    for (size_t i = 1; i < answer->n_top && answer->kind == SL_ANSWER_SOFT; i++) {
        float probability = answer->top[i].probability, most = answer->top[best].probability;
        if (probability > most || (isnan(most) && !isnan(probability))) best = i;
    }
    return answer->top[best].class_index;
}

enum sl_status sl_item_index_create(const struct sl_answers *answers, struct sl_item_index *out,
                                    struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(answers->items);
    size_t *begin = sl_data_alloc(n_items + 1, sizeof *begin, err);
    size_t *order = sl_data_alloc(answers->count, sizeof *order, err);
    if (!begin || !order) {
        free(begin);
        free(order);
        return SL_ERR_NOMEM;
    }
    memset(begin, 0, (n_items + 1) * sizeof *begin);
    for (size_t i = 0; i < answers->count; i++)
        begin[answers->item[i] + 1]++;
    for (size_t i = 0; i < n_items; i++)
        begin[i + 1] += begin[i];
    for (size_t i = 0; i < answers->count; i++)
        order[begin[answers->item[i]]++] = i;
    /* Filling moved every begin to its end, which is the begin of the next: shift back. */
    memmove(begin + 1, begin, n_items * sizeof *begin);
    begin[0] = 0;
    *out = (struct sl_item_index){.begin = begin, .order = order};
    return SL_OK;
}

void sl_item_index_release(struct sl_item_index *index)
{
    free(index->begin);
    free(index->order);
    *index = (struct sl_item_index){0};
}
