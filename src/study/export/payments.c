/* What the study owes to whom; softlab writes it and pays nobody. One line for everybody whom the
 * study owes (people_owed.h), however many sessions they finished. These two files are for the
 * recruiter's site and name a submission by the URL parameter that was kept for it; every other
 * export has hashes only. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/export/export.h"
#include "study/export/people_owed.h"

/* The checks of one session. */
struct earned {
    int64_t session;
    size_t checks, right;
};

struct ledger {
    const struct sl_study *study;
    struct sl_study_out *out;
    struct earned *earned; /* owned; ascending by session, only sessions with checks */
    size_t count, capacity;
    struct sl_dues dues;
    bool bonus_only;
};

static struct earned *earned_by(struct ledger *ledger, int64_t session)
{
    if (ledger->count > 0 && ledger->earned[ledger->count - 1].session == session)
        return &ledger->earned[ledger->count - 1];
    if (ledger->count == ledger->capacity) {
        ledger->capacity = ledger->capacity * 2 + 64;
        ledger->earned = sl_resize(ledger->earned, ledger->capacity, sizeof *ledger->earned);
    }
    ledger->earned[ledger->count] = (struct earned){.session = session};
    return &ledger->earned[ledger->count++];
}

/* Called session by session. */
static enum sl_status note_check(const struct sl_study_given *given, void *context,
                                 struct sl_error *err)
{
    struct ledger *ledger = context;
    struct sl_study_record record;
    if (!given->item->check || given->item->truth < 0) return SL_OK;
    SL_TRY(sl_study_record_make(ledger->study, given, &record, err));
    struct earned *earned = earned_by(ledger, given->session->id);
    earned->checks++;
    earned->right +=
        sl_answer_choice(&record.answer, ledger->study->n_classes) == (uint32_t)given->item->truth;
    sl_study_record_release(&record);
    return SL_OK;
}

static int by_session(const void *a, const void *b)
{
    const int64_t left = ((const struct earned *)a)->session;
    const int64_t right = ((const struct earned *)b)->session;
    return (left > right) - (left < right);
}

static struct earned find_earned(const struct ledger *ledger, int64_t session)
{
    const struct earned key = {.session = session};
    const struct earned *found = NULL;
    if (ledger->count > 0)
        found = bsearch(&key, ledger->earned, ledger->count, sizeof key, by_session);
    return found ? *found : key;
}

/* Without checks nobody earns a bonus for accuracy. */
static double bonus_of(const struct sl_study *study, struct earned earned)
{
    switch (study->bonus_rule) {
    case SL_BONUS_NONE: return 0;
    case SL_BONUS_FINISHED: return study->bonus;
    case SL_BONUS_ACCURACY:
        if (earned.checks == 0) return 0;
        return (double)earned.right >= study->bonus_from * (double)earned.checks ? study->bonus : 0;
    }
    return 0;
}

static void cell_money(struct sl_buffer *line, double amount)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.2f", amount);
    sl_csv_append_field(line, text, (size_t)length);
}

static void write_payment(struct ledger *ledger, const struct sl_due *due, struct earned earned)
{
    struct sl_buffer *line = &ledger->out->pending;
    const double base = ledger->study->base, bonus = bonus_of(ledger->study, earned);
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    sl_study_annotator(due->person, annotator);
    sl_study_cell(line, sl_due_payee(&ledger->dues, due));
    sl_study_cell(line, annotator);
    sl_study_cell_integer(line, due->session);
    sl_study_cell_integer(line, (int64_t)due->n_finished);
    sl_study_cell_integer(line, (int64_t)earned.checks);
    sl_study_cell_integer(line, (int64_t)earned.right);
    cell_money(line, base);
    cell_money(line, bonus);
    cell_money(line, base + bonus);
    sl_study_cell(line, ledger->study->currency);
    sl_csv_end_line(line);
}

static enum sl_status write_bonus(struct ledger *ledger, const struct sl_due *due,
                                  struct earned earned, struct sl_error *err)
{
    const double bonus = bonus_of(ledger->study, earned);
    const char *payee = sl_due_payee(&ledger->dues, due);
    if (bonus <= 0) return SL_OK;
    if (!payee)
        return sl_fail(err, SL_ERR_INPUT,
                       "session %lld earned a bonus, but the recruiter's name for it was not "
                       "kept: list the parameter that names a submission in recruiter.keep",
                       (long long)due->session);
    sl_study_cell(&ledger->out->pending, payee);
    cell_money(&ledger->out->pending, bonus);
    sl_csv_end_line(&ledger->out->pending);
    return SL_OK;
}

static enum sl_status write_dues(struct ledger *ledger, struct sl_error *err)
{
    for (size_t i = 0; i < ledger->dues.count; i++) {
        const struct sl_due *due = &ledger->dues.rows[i];
        if (due->n_finished == 0) continue;
        const struct earned earned = find_earned(ledger, due->session);
        if (ledger->bonus_only)
            SL_TRY(write_bonus(ledger, due, earned, err));
        else
            write_payment(ledger, due, earned);
        SL_TRY(sl_study_out_flow(ledger->out, err));
    }
    return sl_study_out_finish(ledger->out, err);
}

static enum sl_status write_ledger(struct ledger *ledger, struct sl_store *store,
                                   struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_study_items items = {0};
    SL_TRY_OUT(sl_study_items_read(ledger->study, store, &items, err));
    SL_TRY_OUT(sl_study_each_given(ledger->study, store, &items, SL_STUDY_COUNTING, note_check,
                                   ledger, err));
    SL_TRY_OUT(sl_dues_read(ledger->study, store, &ledger->dues, err));
    status = write_dues(ledger, err);
out:
    free(ledger->earned);
    sl_dues_release(&ledger->dues);
    sl_study_items_release(&items);
    sl_study_out_release(ledger->out);
    return status;
}

SL_STUDY_EXPORTER(sl_study_export_payments)
{
    static const char *const columns[] = {"id",     "annotator",    "session", "finished",
                                          "checks", "checks_right", "base",    "bonus",
                                          "total",  "currency",     NULL};
    struct sl_study_out out;
    sl_study_out_init(&out, sink, context);
    sl_study_header(&out.pending, columns);
    return write_ledger(&(struct ledger){.study = study, .out = &out}, store, err);
}

/* Prolific reads lines of id,amount without a header. */
SL_STUDY_EXPORTER(sl_study_export_bonus)
{
    struct sl_study_out out;
    sl_study_out_init(&out, sink, context);
    return write_ledger(&(struct ledger){.study = study, .out = &out, .bonus_only = true}, store,
                        err);
}
