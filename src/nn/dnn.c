/* For MAP_ANONYMOUS. */
#define _DEFAULT_SOURCE
#include "nn/dnn.h"

#include <assert.h>
#include <math.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <xmmintrin.h>

#include "softlab/base/memory.h"

/* Functions of libgomp, on which oneDNN runs. They are declared here because clang comes without
 * omp.h. */
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);

enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };

/* More than oneDNN needs for the code and tables of any one call. */
static const size_t headroom = (size_t)16 << 20;

bool sl_dnn_has_room(void)
{
    void *room = mmap(NULL, headroom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    munmap(room, headroom);
    return true;
}

enum sl_status sl_dnn_check(dnnl_status_t status, const char *what, struct sl_error *err)
{
    if (status == dnnl_success) return SL_OK;
    if (status == dnnl_out_of_memory)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for oneDNN, which needs up to %zu MB",
                       headroom >> 20);
    int length = (int)strcspn(what, "("); /* SL_DNN passes the text of the whole call */
    return sl_fail(err, SL_ERR_BACKEND, "oneDNN: %.*s: %s", length, what, dnnl_status2str(status));
}

/* oneDNN accepts this setting once, before its first use. Later calls fail and change nothing. */
static void hold_to_avx2(void)
{
    (void)dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
}

/* Returns the number of threads to pass to restore_threads. */
static int hold_to_one_thread(void)
{
    int threads = omp_get_max_threads();
    if (threads != 1) omp_set_num_threads(1);
    return threads;
}

static void restore_threads(int threads)
{
    if (threads != 1) omp_set_num_threads(threads);
}

/* Running a complete op allocates nothing, so only a programming mistake can make it fail. */
static void insist(dnnl_status_t status)
{
    assert(status == dnnl_success);
    (void)status;
}

enum sl_status sl_dnn_open(struct sl_dnn *dnn, struct sl_error *err)
{
    struct sl_dnn made = {NULL, NULL};
    enum sl_status status = SL_OK;
    hold_to_avx2();
    SL_TRY_OUT(SL_DNN(dnnl_engine_create(&made.engine, dnnl_cpu, 0)));
    SL_TRY_OUT(SL_DNN(dnnl_stream_create(&made.stream, made.engine, dnnl_stream_default_flags)));
    *dnn = made;
    return SL_OK;
out:
    sl_dnn_close(&made);
    return status;
}

void sl_dnn_close(struct sl_dnn *dnn)
{
    if (dnn->stream) dnnl_stream_destroy(dnn->stream);
    if (dnn->engine) dnnl_engine_destroy(dnn->engine);
    *dnn = (struct sl_dnn){NULL, NULL};
}

enum sl_status sl_dnn_op_create(struct sl_dnn_op *op, const_dnnl_primitive_desc_t descriptor,
                                struct sl_error *err)
{
    struct sl_dnn_op made = {.n_args = 0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        SL_DNN(dnnl_primitive_desc_query(descriptor, dnnl_query_engine, 0, (void *)&made.engine)));
    SL_TRY_OUT(SL_DNN(dnnl_stream_create(&made.stream, made.engine, dnnl_stream_default_flags)));
    SL_TRY_OUT(SL_DNN(dnnl_primitive_create(&made.primitive, descriptor)));
    *op = made;
    return SL_OK;
out:
    sl_dnn_op_release(&made);
    return status;
}

enum sl_status sl_dnn_op_arg(struct sl_dnn_op *op, int which, const dnnl_memory_desc_t *layout,
                             struct sl_error *err)
{
    assert(op->n_args < SL_DNN_ARGS);
    dnnl_memory_t memory = NULL;
    SL_TRY(SL_DNN(dnnl_memory_create(&memory, layout, op->engine, DNNL_MEMORY_NONE)));
    op->args[op->n_args++] = (dnnl_exec_arg_t){.arg = which, .memory = memory};
    return SL_OK;
}

void sl_dnn_op_set(const struct sl_dnn_op *op, int which, const void *data)
{
    /* oneDNN has one type of memory for inputs and outputs, so const has to be cast away. */
    union {
        const void *given;
        void *taken;
    } pointer = {.given = data};
    for (int i = 0; i < op->n_args; i++)
        if (op->args[i].arg == which)
            insist(dnnl_memory_set_data_handle_v2(op->args[i].memory, pointer.taken, op->stream));
}

void sl_dnn_op_run(const struct sl_dnn_op *op)
{
    int threads = hold_to_one_thread();
    insist(dnnl_primitive_execute(op->primitive, op->stream, op->n_args, op->args));
    insist(dnnl_stream_wait(op->stream));
    restore_threads(threads);
}

void sl_dnn_op_release(struct sl_dnn_op *op)
{
    for (int i = 0; i < op->n_args; i++)
        dnnl_memory_destroy(op->args[i].memory);
    if (op->primitive) dnnl_primitive_destroy(op->primitive);
    if (op->stream) dnnl_stream_destroy(op->stream);
    *op = (struct sl_dnn_op){.n_args = 0};
}

/* Fill a product that could not be computed with NaN. Training and evaluation detect NaN. */
static void spoil(const struct sl_gemm *gemm)
{
    for (size_t i = 0; i < gemm->m; i++)
        for (size_t j = 0; j < gemm->n; j++)
            gemm->c[i * gemm->ldc + j] = NAN;
}

/* The first product of a kind makes oneDNN generate code, which needs memory. Later ones reuse the
 * code. */
static void want_room(const struct sl_gemm *gemm)
{
    static atomic_uint made; /* a bit per kind; a bit lost in a race costs one more check */
    const unsigned scaling = gemm->beta == 0 ? 0 : gemm->beta == 1 ? 1 : 2;
    const unsigned kind = 1u << (4 * scaling + 2 * gemm->transpose_a + gemm->transpose_b);
    if (atomic_load_explicit(&made, memory_order_relaxed) & kind) return;
    if (!sl_dnn_has_room()) sl_memory_exhausted(headroom);
    atomic_fetch_or_explicit(&made, kind, memory_order_relaxed);
}

void sl_nn_gemm(const struct sl_gemm *gemm)
{
    hold_to_avx2();
    want_room(gemm);
    int threads = hold_to_one_thread();
    dnnl_status_t status = dnnl_sgemm(
        gemm->transpose_a ? 'T' : 'N', gemm->transpose_b ? 'T' : 'N', (dnnl_dim_t)gemm->m,
        (dnnl_dim_t)gemm->n, (dnnl_dim_t)gemm->k, gemm->alpha, gemm->a, (dnnl_dim_t)gemm->lda,
        gemm->b, (dnnl_dim_t)gemm->ldb, gemm->beta, gemm->c, (dnnl_dim_t)gemm->ldc);
    restore_threads(threads);
    if (status == dnnl_out_of_memory) sl_memory_exhausted(headroom);
    if (status != dnnl_success) spoil(gemm);
}

struct sl_nn_guard sl_nn_guard_enter(void)
{
    struct sl_nn_guard guard = {.control = _mm_getcsr(), .threads = hold_to_one_thread()};
    _mm_setcsr(guard.control | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    return guard;
}

void sl_nn_guard_leave(struct sl_nn_guard guard)
{
    _mm_setcsr(guard.control);
    restore_threads(guard.threads);
}
