/* Moving a study from one database into another, so that a kill at any moment leaves one that is
 * served and a move that can be repeated. A text in each database says how far the move came:
 *   1. the copy arrives in the target, whose text says so: nobody opens it yet;
 *   2. the source's text says that the study is away: from here on nobody opens the source;
 *   3. the target's text says that the study is here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "softlab/base/memory.h"
#include "store/sql.h"

enum { WORD = 16, WHEN = 32, WHERE = 320 };

enum place { HERE, ARRIVING, AWAY };
static const char *const places[] = {[HERE] = "here", [ARRIVING] = "arriving", [AWAY] = "away"};

/* The text "moved": place, move, time, and where the study went. */
struct mark {
    enum place place;
    char move[SL_STORE_MOVE_TEXT]; /* "": the study never moved */
    char when[WHEN], where[WHERE];
};

/* The next word, or all that is left, of a text that may be shorter than it should be. */
static const char *take(const char *text, const char *end, char *out, size_t size)
{
    const size_t length = strcspn(text, end);
    snprintf(out, size, "%.*s", (int)length, text);
    return text + length + (text[length] != '\0');
}

static struct mark parse(const char *text)
{
    struct mark mark = {.place = HERE};
    char place[WORD];
    text = take(text, " ", place, sizeof place);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(place, places[i]) == 0) mark.place = (enum place)i;
    text = take(text, " ", mark.move, sizeof mark.move);
    text = take(text, " ", mark.when, sizeof mark.when);
    (void)take(text, "", mark.where, sizeof mark.where);
    return mark;
}

static enum sl_status read_mark(struct sl_store *store, struct mark *out, struct sl_error *err)
{
    char *text = NULL;
    enum sl_status status = sl_store_get_text(store, SL_STORE_MOVED, &text, err);
    if (status == SL_ERR_NOT_FOUND) {
        *out = (struct mark){.place = HERE};
        return SL_OK;
    }
    if (status == SL_OK) *out = parse(text);
    free(text);
    return status;
}

static enum sl_status write_mark(struct sl_store *store, const struct mark *mark,
                                 struct sl_error *err)
{
    char *text =
        sl_string_printf("%s %s %s %s", places[mark->place], mark->move, mark->when, mark->where);
    enum sl_status status = sl_store_put_text(store, SL_STORE_MOVED, text, err);
    free(text);
    return status;
}

/* In a transaction of its own. */
static enum sl_status set_mark(struct sl_store *store, const struct mark *mark,
                               struct sl_error *err)
{
    SL_TRY(sl_store_begin(store, err));
    enum sl_status status = write_mark(store, mark, err);
    if (status == SL_OK) return sl_store_commit(store, err);
    sl_store_rollback(store);
    return status;
}

/* ---- Refusing what is not the study's database ---- */

enum sl_status sl_store_check_moved(const char *name, const char *text, struct sl_error *err)
{
    const struct mark mark = parse(text);
    if (mark.place == AWAY)
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s: this study moved to %s on %s: use it there, or repeat softlab study "
                       "migrate if it was interrupted",
                       name, mark.where, mark.when);
    if (mark.place == ARRIVING)
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s holds the copy of a move that has not ended: repeat softlab study "
                       "migrate in the study's folder",
                       name);
    return SL_OK;
}

enum sl_status sl_store_check_here(struct sl_store *store, struct sl_error *err)
{
    char *text = NULL;
    enum sl_status status = sl_store_get_text(store, SL_STORE_MOVED, &text, err);
    if (status == SL_ERR_NOT_FOUND) return SL_OK;
    if (status == SL_OK) status = sl_store_check_moved(sl_sql_of(store)->name, text, err);
    free(text);
    return status;
}

enum sl_status sl_store_forget_move(struct sl_store *store, struct sl_error *err)
{
    struct mark mark;
    SL_TRY(read_mark(store, &mark, err));
    if (mark.place == HERE) return SL_OK;
    mark.place = HERE;
    return set_mark(store, &mark, err);
}

/* ---- The three steps ---- */

/* Whether both hold the same study: the text `identity` is equal. */
static enum sl_status compare(struct sl_store *from, struct sl_store *to, const char *identity,
                              bool *same, struct sl_error *err)
{
    char *theirs = NULL, *ours = NULL;
    enum sl_status status = sl_store_get_text(from, identity, &theirs, err);
    if (status == SL_OK) status = sl_store_get_text(to, identity, &ours, err);
    *same = status == SL_OK && strcmp(theirs, ours) == 0;
    free(theirs);
    free(ours);
    return status == SL_ERR_NOT_FOUND ? SL_OK : status;
}

/* What an earlier move left behind of the same study is replaced. */
static enum sl_status fill(struct sl_store *from, struct sl_store *to, const char *identity,
                           const struct mark *mark, struct sl_error *err)
{
    struct mark old;
    bool same = false;
    SL_TRY(read_mark(to, &old, err));
    SL_TRY(compare(from, to, identity, &same, err));
    SL_TRY(sl_store_begin(to, err));
    enum sl_status status = SL_OK;
    if (same && old.place != HERE) SL_TRY_OUT(to->backend->clear(to, err));
    SL_TRY_OUT(to->backend->copy_in(to, from, err));
    SL_TRY_OUT(write_mark(to, mark, err));
    return sl_store_commit(to, err);
out:
    sl_store_rollback(to);
    return status;
}

static struct mark make_mark(const struct sl_store *to, const struct sl_store_move *how)
{
    struct mark mark = {.place = ARRIVING};
    const time_t seconds = (time_t)(how->now / 1000);
    struct tm date;
    if (!gmtime_r(&seconds, &date) ||
        !strftime(mark.when, sizeof mark.when, "%Y-%m-%dT%H:%M:%SZ", &date))
        snprintf(mark.when, sizeof mark.when, "?");
    snprintf(mark.move, sizeof mark.move, "%s", how->move);
    snprintf(mark.where, sizeof mark.where, "%s",
             how->where ? how->where : ((const struct sl_sql *)to)->name);
    return mark;
}

static enum sl_status arrive(struct sl_store *to, struct mark *mark, struct sl_error *err)
{
    mark->place = HERE;
    return set_mark(to, mark, err);
}

/* The source is away: what is left is step 3, if the target is the one that the study went to. */
static enum sl_status go_on(struct sl_store *from, struct sl_store *to, struct mark *left,
                            struct sl_error *err)
{
    struct mark arrived;
    SL_TRY(read_mark(to, &arrived, err));
    if (strcmp(arrived.move, left->move) != 0) return sl_store_check_here(from, err);
    return arrived.place == ARRIVING ? arrive(to, left, err) : sl_store_check_here(to, err);
}

enum sl_status sl_store_move(struct sl_store *from, struct sl_store *to,
                             const struct sl_store_move *how, struct sl_error *err)
{
    struct mark mark;
    SL_TRY(read_mark(from, &mark, err));
    if (mark.place == AWAY) return go_on(from, to, &mark, err);
    SL_TRY(sl_store_check_here(from, err));
    mark = make_mark(to, how);
    SL_TRY(fill(from, to, how->identity, &mark, err));
    mark.place = AWAY;
    SL_TRY(set_mark(from, &mark, err));
    return arrive(to, &mark, err);
}
