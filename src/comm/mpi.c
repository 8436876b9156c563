/* The world of softlab-mpi: the ranks that mpirun started. The only file that knows MPI.
 *
 * Counts of MPI 3 are ints, so long arrays go in pieces. Errors are returned, not fatal. */
#include <mpi.h>
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/comm.h"

enum { PIECE = 1 << 24, TAG = 0 };

static enum sl_status check(int code, const char *call, struct sl_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return SL_OK;
    MPI_Error_string(code, text, &length);
    return sl_fail(err, SL_ERR_BACKEND, "MPI: %s: %.*s", call, length, text);
}

static int piece_of(size_t left)
{
    return (int)(left < PIECE ? left : PIECE);
}

static enum sl_status sum(struct sl_comm *comm, int64_t *values, size_t count, struct sl_error *err)
{
    (void)comm;
    for (size_t at = 0; at < count; at += PIECE)
        SL_TRY(check(MPI_Allreduce(MPI_IN_PLACE, values + at, piece_of(count - at), MPI_INT64_T,
                                   MPI_SUM, MPI_COMM_WORLD),
                     "MPI_Allreduce", err));
    return SL_OK;
}

static enum sl_status broadcast(struct sl_comm *comm, size_t root, void *bytes, size_t length,
                                struct sl_error *err)
{
    (void)comm;
    for (size_t at = 0; at < length; at += PIECE)
        SL_TRY(check(MPI_Bcast((char *)bytes + at, piece_of(length - at), MPI_BYTE, (int)root,
                               MPI_COMM_WORLD),
                     "MPI_Bcast", err));
    return SL_OK;
}

static enum sl_status collect(struct sl_comm *comm, double *values, const size_t *begin,
                              struct sl_error *err)
{
    for (size_t rank = 0; rank < comm->size; rank++)
        SL_TRY(broadcast(comm, rank, values + begin[rank],
                         (begin[rank + 1] - begin[rank]) * sizeof *values, err));
    return SL_OK;
}

static enum sl_status send_bytes(struct sl_comm *comm, size_t to, const void *bytes, size_t length,
                                 struct sl_error *err)
{
    (void)comm;
    for (size_t at = 0; at < length; at += PIECE)
        SL_TRY(check(MPI_Send((const char *)bytes + at, piece_of(length - at), MPI_BYTE, (int)to,
                              TAG, MPI_COMM_WORLD),
                     "MPI_Send", err));
    return SL_OK;
}

static enum sl_status receive_bytes(struct sl_comm *comm, size_t from, void *bytes, size_t length,
                                    struct sl_error *err)
{
    (void)comm;
    for (size_t at = 0; at < length; at += PIECE)
        SL_TRY(check(MPI_Recv((char *)bytes + at, piece_of(length - at), MPI_BYTE, (int)from, TAG,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                     "MPI_Recv", err));
    return SL_OK;
}

static void close_world(struct sl_comm *comm)
{
    MPI_Finalize();
    free(comm);
}

static void end_world(struct sl_comm *comm, int exit_code)
{
    (void)comm;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

static const struct sl_comm_backend mpi = {
    .launcher = "mpirun -n N softlab-mpi labels ...",
    .sum = sum,
    .collect = collect,
    .broadcast = broadcast,
    .send = send_bytes,
    .receive = receive_bytes,
    .close = close_world,
    .end_all = end_world,
};

enum sl_status sl_comm_open_world(struct sl_comm **out, struct sl_error *err)
{
    int provided = 0, rank = 0, size = 0;
    SL_TRY(check(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "MPI_Init", err));
    if (provided < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        return sl_fail(err, SL_ERR_BACKEND,
                       "MPI: this installation does not allow threads; build it with them");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct sl_comm *comm = sl_alloc(1, sizeof *comm);
    comm->rank = (size_t)rank;
    comm->size = (size_t)size;
    comm->backend = &mpi;
    *out = comm;
    return SL_OK;
}
