#include "study/export/people_owed.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

static const size_t NOBODY = SIZE_MAX;

struct reading {
    const struct sl_study *study;
    struct sl_dues *dues;
    struct sl_error *err;
};

static const char *parameter(const json_t *parameters, const char *name)
{
    const char *value = json_string_value(json_object_get(parameters, name));
    return value && *value ? value : NULL;
}

/* The recruiter's name for the payee, borrowed from the parameters; NULL if none was kept. With
 * Prolific only SESSION_ID will do: everybody has the same STUDY_ID. */
static const char *payee_of(const struct sl_study *study, const json_t *parameters)
{
    const char *payee = NULL;
    if (strcmp(study->recruiter, "prolific") == 0) return parameter(parameters, "SESSION_ID");
    for (size_t i = 0; !payee && i < study->n_keep; i++)
        payee = parameter(parameters, study->keep[i]);
    return payee;
}

/* Participants and payees share a table: "p" and the hash, or "i" and the recruiter's name. */
static enum sl_status add_names(struct reading *reading, struct sl_due *due, const char *payee)
{
    struct sl_name_table *names = reading->dues->names;
    char person[2 * SL_STORE_PERSON_BYTES + 2] = "p";
    sodium_bin2hex(person + 1, sizeof person - 1, due->person, sizeof due->person);
    SL_TRY(sl_name_table_add(names, person, strlen(person), &due->person_name, reading->err));
    due->payee = SL_NO_NAME;
    if (!payee) return SL_OK;
    char *name = sl_string_printf("i%s", payee);
    enum sl_status status = sl_name_table_add(names, name, strlen(name), &due->payee, reading->err);
    free(name);
    return status;
}

static enum sl_status read_session(const struct sl_store_row *row, void *context)
{
    struct reading *reading = context;
    struct sl_dues *dues = reading->dues;
    const struct sl_store_session *session = row->session;
    if (session->test || session->state != SL_SESSION_DONE) return SL_OK;
    if (dues->count == dues->capacity) {
        dues->capacity = dues->capacity * 2 + 64;
        dues->rows = sl_resize(dues->rows, dues->capacity, sizeof *dues->rows);
    }
    struct sl_due *due = &dues->rows[dues->count++];
    *due = (struct sl_due){.session = session->id, .finished = session->finished};
    memcpy(due->person, session->person, sizeof due->person);
    json_t *parameters = json_loads(row->parameters ? row->parameters : "{}", 0, NULL);
    enum sl_status status = add_names(reading, due, payee_of(reading->study, parameters));
    json_decref(parameters);
    return status;
}

static int by_finish(const void *a, const void *b)
{
    const struct sl_due *left = *(const struct sl_due *const *)a;
    const struct sl_due *right = *(const struct sl_due *const *)b;
    if (left->finished != right->finished) return left->finished < right->finished ? -1 : 1;
    return (left->session > right->session) - (left->session < right->session);
}

/* `paid` holds, for every name, the row that is paid under it, or NOBODY. */
static void settle(struct sl_dues *dues, struct sl_due *const *order, size_t *paid)
{
    for (size_t i = 0; i < dues->count; i++) {
        struct sl_due *due = order[i];
        size_t known = paid[due->person_name];
        if (known == NOBODY && due->payee != SL_NO_NAME) known = paid[due->payee];
        if (known != NOBODY) {
            dues->rows[known].n_finished++;
            continue;
        }
        due->n_finished = 1;
        paid[due->person_name] = (size_t)(due - dues->rows);
        if (due->payee != SL_NO_NAME) paid[due->payee] = (size_t)(due - dues->rows);
    }
}

static void settle_all(struct sl_dues *dues)
{
    const size_t n_names = sl_name_table_count(dues->names);
    size_t *paid = sl_alloc(n_names + 1, sizeof *paid);
    struct sl_due **order = sl_alloc(dues->count + 1, sizeof *order);
    for (size_t i = 0; i < n_names; i++)
        paid[i] = NOBODY;
    for (size_t i = 0; i < dues->count; i++)
        order[i] = &dues->rows[i];
    qsort(order, dues->count, sizeof *order, by_finish);
    settle(dues, order, paid);
    free(order);
    free(paid);
}

enum sl_status sl_dues_read(const struct sl_study *study, struct sl_store *store,
                            struct sl_dues *out, struct sl_error *err)
{
    struct sl_dues dues = {.names = sl_name_table_create()};
    struct reading reading = {.study = study, .dues = &dues, .err = err};
    enum sl_status status = sl_store_each_session(store, read_session, &reading, err);
    if (status == SL_OK) {
        settle_all(&dues);
        *out = dues;
    } else {
        sl_dues_release(&dues);
    }
    return status;
}

const char *sl_due_payee(const struct sl_dues *dues, const struct sl_due *due)
{
    if (due->payee == SL_NO_NAME) return NULL;
    return sl_name_table_get(dues->names, due->payee, NULL) + 1;
}

void sl_dues_release(struct sl_dues *dues)
{
    sl_name_table_destroy(dues->names);
    free(dues->rows);
    *dues = (struct sl_dues){0};
}
