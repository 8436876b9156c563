/* The world of a program without MPI: one process. softlab-mpi links mpi.c, which defines the same
 * function; the linker then leaves this file of the library out. So this file must define nothing
 * else. Sums and messages are not needed here: comm.c never asks one rank for them. */
#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/comm.h"

static void close_serial(struct sl_comm *comm)
{
    free(comm);
}

static void end_serial(struct sl_comm *comm, int exit_code)
{
    (void)comm;
    (void)exit_code; /* nobody else is there to be ended */
}

enum sl_status sl_comm_open_world(struct sl_comm **out, struct sl_error *err)
{
    static const struct sl_comm_backend serial = {.close = close_serial, .end_all = end_serial};
    struct sl_comm *comm = sl_alloc(1, sizeof *comm);
    (void)err;
    comm->size = 1;
    comm->backend = &serial;
    *out = comm;
    return SL_OK;
}
