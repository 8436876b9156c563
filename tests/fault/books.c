#include "books.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base.h"

struct books {
    struct sl_name_table *ids;
    bool *acknowledged;
    size_t capacity, forgotten;
};

struct books *books_create(void)
{
    struct books *books = sl_alloc(1, sizeof *books);
    books->ids = sl_name_table_create();
    return books;
}

void books_destroy(struct books *books)
{
    if (!books) return;
    sl_name_table_destroy(books->ids);
    free(books->acknowledged);
    free(books);
}

void books_note(void *context, const char *id, bool acknowledged)
{
    struct books *books = context;
    uint32_t number = 0;
    struct sl_error err;
    if (sl_name_table_add(books->ids, id, strlen(id), &number, &err) != SL_OK) abort();
    while (number >= books->capacity) {
        size_t before = books->capacity;
        books->capacity = 2 * before + 1024;
        books->acknowledged =
            sl_resize(books->acknowledged, books->capacity, sizeof *books->acknowledged);
        memset(books->acknowledged + before, 0, books->capacity - before);
    }
    /* Annotators send an answer anew only if the server says that its trial is still open. */
    if (!acknowledged) books->forgotten += books->acknowledged[number];
    if (acknowledged) books->acknowledged[number] = true;
}

struct checking {
    const struct books *books;
    size_t *seen;
    struct books_report *report;
};

static enum sl_status check_row(const struct sl_store_row *row, void *context)
{
    const struct checking *checking = context;
    char id[2 * SL_STORE_CLIENT_BYTES + 1];
    for (size_t i = 0; i < SL_STORE_CLIENT_BYTES; i++)
        snprintf(id + 2 * i, 3, "%02x", row->answer->client_id[i]);
    uint32_t number = sl_name_table_find(checking->books->ids, id, strlen(id));
    checking->report->stored++;
    if (number == SL_NO_NAME) {
        checking->report->strange++;
        return SL_OK;
    }
    checking->report->doubled += checking->seen[number]++ > 0 || row->answer->revision > 0;
    return SL_OK;
}

enum sl_status books_check(struct books *books, const char *folder, struct books_report *out,
                           struct sl_error *err)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    size_t count = sl_name_table_count(books->ids);
    struct books_report report = {.sent = count, .forgotten = books->forgotten};
    struct checking checking = {books, sl_alloc(count + 1, sizeof(size_t)), &report};
    enum sl_status status;
    SL_TRY_OUT(sl_study_read(folder, &study, err));
    SL_TRY_OUT(sl_study_store(study, false, &store, err));
    SL_TRY_OUT(sl_store_each_answer(store, check_row, &checking, err));
    for (size_t i = 0; i < count; i++) {
        report.acknowledged += books->acknowledged[i];
        report.lost += books->acknowledged[i] && checking.seen[i] == 0;
    }
    *out = report;
out:
    sl_store_close(store);
    sl_study_destroy(study);
    free(checking.seen);
    return status;
}

bool books_are_right(const struct books_report *report)
{
    size_t wrong = report->lost + report->doubled + report->strange + report->forgotten;
    return report->acknowledged > 0 && wrong == 0;
}

void books_print(const struct books_report *report)
{
    printf("sent %zu, acknowledged %zu, stored %zu: lost %zu, forgotten %zu, doubled %zu, "
           "never sent %zu\n",
           report->sent, report->acknowledged, report->stored, report->lost, report->forgotten,
           report->doubled, report->strange);
}

enum sl_status make_study(const char *folder, const char *screens, size_t batch, size_t annotators,
                          struct sl_error *err)
{
    char images[32];
    struct sl_study_setup setup = sl_study_setup_default();
    snprintf(images, sizeof images, "shapes:n=%zu", 2 * batch);
    setup.folder = folder;
    setup.contact = "Ada Lovelace, ada@example.org";
    setup.images = images;
    setup.screens = screens;
    setup.batch_size = batch;
    setup.annotators = annotators;
    return sl_study_init(&setup, NULL, err);
}
