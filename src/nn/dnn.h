/* The only interface to oneDNN 2.6 (its C API changed in 3.0). oneDNN is limited to AVX2, so that
 * block sizes and results are the same on every AVX2 machine, and to the calling thread. */
#ifndef SOFTLAB_NN_DNN_H
#define SOFTLAB_NN_DNN_H

#include <stdbool.h>
#include <stddef.h>

#include <oneapi/dnnl/dnnl.h>

#include "softlab/base/error.h"

/* False if memory is short. oneDNN must not be called then: it does not check its own allocations
 * and throws C++ exceptions through C code. */
bool sl_dnn_has_room(void);
/* Fail with "oneDNN: <what>: <its status>" unless the call succeeded; SL_ERR_NOMEM if oneDNN ran
 * out of memory. */
enum sl_status sl_dnn_check(dnnl_status_t status, const char *what, struct sl_error *err);
#define SL_DNN(call) sl_dnn_check(sl_dnn_has_room() ? (call) : dnnl_out_of_memory, #call, err)

/* An engine and a stream of one thread. */
struct sl_dnn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};
enum sl_status sl_dnn_open(struct sl_dnn *dnn, struct sl_error *err) SL_MUST_USE;
void sl_dnn_close(struct sl_dnn *dnn);

/* A primitive with its memory objects. It is created once and run many times with different
 * pointers. */
enum { SL_DNN_ARGS = 8 };
struct sl_dnn_op {
    dnnl_engine_t engine; /* the descriptor's, which lives as long as the primitive */
    dnnl_stream_t stream; /* owned */
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[SL_DNN_ARGS];
    int n_args;
};
/* Create the primitive of `descriptor`. The caller still owns the descriptor. */
enum sl_status sl_dnn_op_create(struct sl_dnn_op *op, const_dnnl_primitive_desc_t descriptor,
                                struct sl_error *err) SL_MUST_USE;
/* Declare an argument (DNNL_ARG_SRC ...) with its memory descriptor. sl_dnn_op_set gives its data
 * before each run. */
enum sl_status sl_dnn_op_arg(struct sl_dnn_op *op, int which, const dnnl_memory_desc_t *layout,
                             struct sl_error *err) SL_MUST_USE;
void sl_dnn_op_set(const struct sl_dnn_op *op, int which, const void *data);
void sl_dnn_op_run(const struct sl_dnn_op *op);
void sl_dnn_op_release(struct sl_dnn_op *op);

/* C = alpha op(A) op(B) + beta C, row-major, on the calling thread. */
struct sl_gemm {
    bool transpose_a, transpose_b;
    size_t m, n, k;
    float alpha, beta;
    const float *a, *b;
    float *c;
    size_t lda, ldb, ldc;
};
void sl_nn_gemm(const struct sl_gemm *gemm);

/* Between enter and leave, denormals are flushed to zero and oneDNN uses one thread. leave restores
 * both settings. */
struct sl_nn_guard {
    unsigned control; /* MXCSR */
    int threads;
};
struct sl_nn_guard sl_nn_guard_enter(void);
void sl_nn_guard_leave(struct sl_nn_guard guard);

#endif
