/* The functions of a store backend. store.c checks arguments and transactions first: texts are not
 * too long, numbers fit into int64_t, writes are inside a transaction, and arrive, purge and backup
 * are outside one. */
#ifndef SOFTLAB_STORE_BACKEND_H
#define SOFTLAB_STORE_BACKEND_H

#include "softlab/store.h"

/* The first member of a backend's own struct. */
struct sl_store {
    const struct sl_store_backend *backend;
    bool read_only;
    bool in_transaction;
    /* The backend sets this when a write failed for a reason other than its content: the database
     * may have rolled back by itself, so commit must not succeed. */
    bool failed;
    bool (*stop)(void *context); /* or NULL */
    void *stop_context;
};

struct sl_store_backend {
    const char *name;
    enum sl_status (*open)(const char *path, const struct sl_store_options *options,
                           struct sl_store **out, struct sl_error *err);
    void (*close)(struct sl_store *store);
    /* `wait`: for some seconds while another program writes; else SL_ERR_BUSY at once. */
    enum sl_status (*begin)(struct sl_store *store, bool wait, struct sl_error *err);
    /* After a failure nothing of the transaction remains, and none is open. */
    enum sl_status (*commit)(struct sl_store *store, struct sl_error *err);
    void (*rollback)(struct sl_store *store);
    /* The store's `stop` is another. NULL for a backend that asks sl_store_stopping itself. */
    void (*stop_changed)(struct sl_store *store);
    enum sl_status (*backup)(struct sl_store *store, const char *path, struct sl_error *err);
    enum sl_status (*restore)(const char *backup, const char *path,
                              const struct sl_store_restoration *how, char **set_aside,
                              struct sl_error *err);
    /* Copies all of `from`, a store of any backend, into this empty one; inside a transaction. */
    enum sl_status (*copy_in)(struct sl_store *store, struct sl_store *from, struct sl_error *err);
    /* Removes all rows; inside a transaction. */
    enum sl_status (*clear)(struct sl_store *store, struct sl_error *err);
    /* Of a file, which only close may follow; or NULL. */
    enum sl_status (*set_aside)(struct sl_store *store, const char *what, int64_t now, char **name,
                                struct sl_error *err);

    enum sl_status (*put_text)(struct sl_store *store, const char *key, const char *value,
                               struct sl_error *err);
    enum sl_status (*get_text)(struct sl_store *store, const char *key, char **value,
                               struct sl_error *err);
    enum sl_status (*add_item)(struct sl_store *store, const struct sl_store_item *item,
                               struct sl_error *err);
    enum sl_status (*set_item_hash)(struct sl_store *store, const char *id, const char *hash,
                                    struct sl_error *err);
    enum sl_status (*has_answers)(struct sl_store *store, const char *screen, const char *item,
                                  bool *found, struct sl_error *err);
    enum sl_status (*version)(struct sl_store *store, int64_t *out, struct sl_error *err);
    enum sl_status (*add_batch)(struct sl_store *store, size_t batch, size_t target,
                                const char *const *items, size_t n_items, struct sl_error *err);
    enum sl_status (*set_target)(struct sl_store *store, size_t target, struct sl_error *err);
    enum sl_status (*each_item)(struct sl_store *store,
                                enum sl_status (*visit)(const struct sl_store_item *item,
                                                        void *context),
                                void *context, struct sl_error *err);
    enum sl_status (*batch_items)(struct sl_store *store, size_t batch, char ***items,
                                  size_t *count, struct sl_error *err);

    enum sl_status (*arrive)(struct sl_store *store, const struct sl_store_arrival *arrival,
                             struct sl_store_session *out, bool *returning, struct sl_error *err);
    enum sl_status (*find_session)(struct sl_store *store, const uint8_t *token_hash,
                                   struct sl_store_session *out, struct sl_error *err);
    /* NULL if questions cost little. */
    enum sl_status (*expect_sessions)(struct sl_store *store, const uint8_t *token_hashes,
                                      size_t count, struct sl_error *err);
    enum sl_status (*save_session)(struct sl_store *store, const struct sl_store_session *session,
                                   struct sl_error *err);
    enum sl_status (*expire)(struct sl_store *store, int64_t now, size_t *freed,
                             struct sl_error *err);
    enum sl_status (*peek_answer)(struct sl_store *store, const struct sl_store_answer *answer,
                                  enum sl_put_outcome *outcome, struct sl_error *err);
    enum sl_status (*put_answer)(struct sl_store *store, struct sl_store_answer *answer,
                                 enum sl_put_outcome *outcome, struct sl_error *err);
    enum sl_status (*event_bytes)(struct sl_store *store, int64_t session, const char *kind,
                                  size_t *bytes, struct sl_error *err);
    enum sl_status (*put_event)(struct sl_store *store, int64_t session, int64_t now,
                                const char *kind, const char *body, struct sl_error *err);

    enum sl_status (*each_session)(struct sl_store *store, sl_store_visit visit, void *context,
                                   struct sl_error *err);
    enum sl_status (*each_answer)(struct sl_store *store, sl_store_visit visit, void *context,
                                  struct sl_error *err);
    enum sl_status (*each_answer_after)(struct sl_store *store, int64_t after, sl_store_visit visit,
                                        void *context, struct sl_error *err);
    enum sl_status (*count_batches)(struct sl_store *store, size_t *out, struct sl_error *err);
    enum sl_status (*count_answers)(struct sl_store *store, size_t *out, struct sl_error *err);
    enum sl_status (*each_event)(struct sl_store *store, sl_store_visit visit, void *context,
                                 struct sl_error *err);
    enum sl_status (*each_event_of)(struct sl_store *store, int64_t session, sl_store_visit visit,
                                    void *context, struct sl_error *err);
    enum sl_status (*each_batch)(struct sl_store *store,
                                 enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                         void *context),
                                 void *context, struct sl_error *err);
    enum sl_status (*purge)(struct sl_store *store, const uint8_t *person, int64_t until,
                            int64_t now, struct sl_store_purged *out, struct sl_error *err);
    enum sl_status (*empty_log)(struct sl_store *store, bool *emptied, struct sl_error *err);
};

extern const struct sl_store_backend sl_sqlite_backend;
extern const struct sl_store_backend sl_postgres_backend; /* if SL_HAS_POSTGRESQL */
/* Whether the URL contains a password, or cannot be read; if SL_HAS_POSTGRESQL. */
bool sl_postgres_has_password(const char *url);

/* ---- A study that moved ---- */

/* The key of the text that says where the study is; without it the study is here. */
#define SL_STORE_MOVED "moved"
/* SL_ERR_BACKEND, saying where the study is, unless this text says "here". */
enum sl_status sl_store_check_moved(const char *name, const char *text,
                                    struct sl_error *err) SL_MUST_USE;
/* The same for the text of an open store. */
enum sl_status sl_store_check_here(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
/* A copy is a study again, wherever the original went; in a transaction of its own. */
enum sl_status sl_store_forget_move(struct sl_store *store, struct sl_error *err) SL_MUST_USE;

#endif
