/* What does not depend on the implementation. */
#include "softlab/comm.h"

#include <assert.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

size_t sl_comm_rank(const struct sl_comm *comm)
{
    return comm ? comm->rank : 0;
}

size_t sl_comm_size(const struct sl_comm *comm)
{
    return comm ? comm->size : 1;
}

void sl_comm_close(struct sl_comm *comm)
{
    if (comm) comm->backend->close(comm);
}

void sl_comm_end_all(struct sl_comm *comm, int exit_code)
{
    if (comm) comm->backend->end_all(comm, exit_code);
}

enum sl_status sl_comm_sum(struct sl_comm *comm, int64_t *values, size_t count,
                           struct sl_error *err)
{
    return sl_comm_size(comm) > 1 ? comm->backend->sum(comm, values, count, err) : SL_OK;
}

enum sl_status sl_comm_collect(struct sl_comm *comm, double *values, const size_t *begin,
                               struct sl_error *err)
{
    return sl_comm_size(comm) > 1 ? comm->backend->collect(comm, values, begin, err) : SL_OK;
}

enum sl_status sl_comm_broadcast(struct sl_comm *comm, size_t root, void *bytes, size_t length,
                                 struct sl_error *err)
{
    return sl_comm_size(comm) > 1 ? comm->backend->broadcast(comm, root, bytes, length, err)
                                  : SL_OK;
}

enum sl_status sl_comm_send(struct sl_comm *comm, size_t to, const void *bytes, size_t length,
                            struct sl_error *err)
{
    assert(comm && to < comm->size && to != comm->rank);
    return comm->backend->send(comm, to, bytes, length, err);
}

enum sl_status sl_comm_receive(struct sl_comm *comm, size_t from, void *bytes, size_t length,
                               struct sl_error *err)
{
    assert(comm && from < comm->size && from != comm->rank);
    return comm->backend->receive(comm, from, bytes, length, err);
}

enum sl_status sl_comm_agree(struct sl_comm *comm, enum sl_status status, struct sl_error *err)
{
    const size_t size = sl_comm_size(comm);
    if (size == 1) return status;
    struct sl_error message = {.code = SL_OK};
    if (status != SL_OK && err) message = *err;
    int64_t *failures = sl_alloc(size, sizeof *failures);
    failures[comm->rank] = status;
    enum sl_status heard = sl_comm_sum(comm, failures, size, err);
    size_t first = 0, n_failed = 0;
    while (first < size && failures[first] == SL_OK)
        first++;
    for (size_t i = 0; i < size; i++)
        n_failed += failures[i] != SL_OK;
    if (heard == SL_OK && first < size) {
        heard = sl_comm_broadcast(comm, first, &message, sizeof message, err);
        comm->has_agreed = heard == SL_OK;
        if (heard == SL_OK && err) *err = message;
        if (heard == SL_OK) heard = (enum sl_status)failures[first];
        if (comm->has_agreed && n_failed < size)
            heard = sl_fail_within(err, heard, "rank %zu", first);
    }
    free(failures);
    return heard;
}

enum sl_status sl_comm_same(struct sl_comm *comm, uint64_t number, const char *what,
                            struct sl_error *err)
{
    uint64_t first = number;
    SL_TRY(sl_comm_broadcast(comm, 0, &first, sizeof first, err));
    enum sl_status status = SL_OK;
    if (first != number)
        status = sl_fail(err, SL_ERR_INPUT, "%s is not that of rank 0: give all ranks the same one",
                         what);
    return sl_comm_agree(comm, status, err);
}

enum sl_status sl_comm_check_size(const struct sl_comm *comm, size_t expected, const char *source,
                                  struct sl_error *err)
{
    const size_t size = sl_comm_size(comm);
    if (size == expected) return SL_OK;
    const char *launcher = comm ? comm->backend->launcher : NULL;
    return sl_fail(err, SL_ERR_USAGE, "%s says %zu rank%s, but %zu %s started; %s%s", source,
                   expected, sl_text_plural(expected, "", "s"), size,
                   sl_text_plural(size, "was", "were"),
                   launcher ? "start softlab-mpi with the launcher of its own MPI: "
                            : "several ranks need softlab-mpi",
                   launcher ? launcher : "");
}
