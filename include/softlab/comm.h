/* Comm: the processes ("ranks") that share the work of one command. One interface, two
 * implementations: one process, which is always there, and MPI, which only softlab-mpi has.
 *
 * NULL stands for one process. A function marked "Collective" must be called by every rank, in the
 * same order and with the same sizes. Sums are of integers, so they are exact in any order;
 * floating-point numbers are only collected, and every rank adds them in the same order. So the
 * number of ranks changes no bit of a result. */
#ifndef SOFTLAB_COMM_H
#define SOFTLAB_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_comm;

/* What an implementation does. Ranks are below the size; lengths are in bytes. */
struct sl_comm_backend {
    const char *launcher; /* how several ranks are started, for messages */
    enum sl_status (*sum)(struct sl_comm *comm, int64_t *values, size_t count,
                          struct sl_error *err);
    enum sl_status (*collect)(struct sl_comm *comm, double *values, const size_t *begin,
                              struct sl_error *err);
    enum sl_status (*broadcast)(struct sl_comm *comm, size_t root, void *bytes, size_t length,
                                struct sl_error *err);
    enum sl_status (*send)(struct sl_comm *comm, size_t to, const void *bytes, size_t length,
                           struct sl_error *err);
    enum sl_status (*receive)(struct sl_comm *comm, size_t from, void *bytes, size_t length,
                              struct sl_error *err);
    void (*close)(struct sl_comm *comm);
    void (*end_all)(struct sl_comm *comm, int exit_code);
};

struct sl_comm {
    size_t rank, size;
    const struct sl_comm_backend *backend; /* static */
    bool has_agreed; /* the last failure is known to all ranks (sl_comm_agree) */
};

/* All processes that were started together. The program that is linked decides which
 * implementation this is. The caller closes it. */
enum sl_status sl_comm_open_world(struct sl_comm **out, struct sl_error *err) SL_MUST_USE;
void sl_comm_close(struct sl_comm *comm); /* Collective */
/* End all ranks at once; for a failure that the others do not know of. */
void sl_comm_end_all(struct sl_comm *comm, int exit_code);

size_t sl_comm_rank(const struct sl_comm *comm); /* 0 for NULL */
size_t sl_comm_size(const struct sl_comm *comm); /* 1 for NULL */

/* Collective. Replace every value by its sum over the ranks. */
enum sl_status sl_comm_sum(struct sl_comm *comm, int64_t *values, size_t count,
                           struct sl_error *err) SL_MUST_USE;
/* Collective. Rank r has values[begin[r]] up to begin[r + 1]; afterwards every rank has all.
 * `begin` has one number more than there are ranks. */
enum sl_status sl_comm_collect(struct sl_comm *comm, double *values, const size_t *begin,
                               struct sl_error *err) SL_MUST_USE;
/* Collective. Copy the bytes of rank `root` to all others. */
enum sl_status sl_comm_broadcast(struct sl_comm *comm, size_t root, void *bytes, size_t length,
                                 struct sl_error *err) SL_MUST_USE;
/* Send to one rank, which calls receive with the same length. Another rank than the caller. */
enum sl_status sl_comm_send(struct sl_comm *comm, size_t to, const void *bytes, size_t length,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_comm_receive(struct sl_comm *comm, size_t from, void *bytes, size_t length,
                               struct sl_error *err) SL_MUST_USE;

/* Collective. SL_OK if every rank gives SL_OK; otherwise every rank returns the failure of the
 * first rank that failed, with its message, which names the rank unless all failed. So all ranks
 * end together and nobody waits for one that is gone. */
enum sl_status sl_comm_agree(struct sl_comm *comm, enum sl_status status,
                             struct sl_error *err) SL_MUST_USE;
/* Collective. SL_ERR_INPUT unless all ranks have the same number; `what` names it in the message.
 */
enum sl_status sl_comm_same(struct sl_comm *comm, uint64_t number, const char *what,
                            struct sl_error *err) SL_MUST_USE;
/* Not collective. SL_ERR_USAGE unless there are `expected` ranks: with the launcher of another MPI,
 * N processes start that are one rank each and would do the same work N times. */
enum sl_status sl_comm_check_size(const struct sl_comm *comm, size_t expected, const char *source,
                                  struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
