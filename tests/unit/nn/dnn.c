#include "nn/dnn.h"

#include <xmmintrin.h>

#include "support.h"

extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);

enum { FLUSH_AND_ZERO = 0x8040 };

static void test_guard_flushes_denormals_on_one_thread_and_restores(void **state)
{
    (void)state;
    unsigned before = _mm_getcsr();
    omp_set_num_threads(3);
    struct sl_nn_guard guard = sl_nn_guard_enter();
    assert_int_equal(_mm_getcsr() & FLUSH_AND_ZERO, FLUSH_AND_ZERO);
    assert_int_equal(omp_get_max_threads(), 1);
    volatile float tiny = 1e-38F;
    assert_true(tiny * 0.01F == 0);
    struct sl_nn_guard inner = sl_nn_guard_enter();
    sl_nn_guard_leave(inner);
    assert_int_equal(_mm_getcsr() & FLUSH_AND_ZERO, FLUSH_AND_ZERO);
    assert_int_equal(omp_get_max_threads(), 1);
    sl_nn_guard_leave(guard);
    assert_int_equal(_mm_getcsr() & FLUSH_AND_ZERO, before & FLUSH_AND_ZERO);
    assert_int_equal(omp_get_max_threads(), 3);
    assert_true(tiny * 0.01F > 0);
}

static float *random_matrix(size_t count, struct sl_rng *rng)
{
    float *made = sl_alloc(count, sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = (float)sl_rng_normal(rng);
    return made;
}

/* Element (i, j) of op(M). */
static double element(const float *matrix, bool transpose, size_t stride, size_t i, size_t j)
{
    return (double)(transpose ? matrix[j * stride + i] : matrix[i * stride + j]);
}

static void check_gemm(bool transpose_a, bool transpose_b, float alpha, float beta)
{
    enum { M = 9, N = 21, K = 33, GAP = 3 };
    struct sl_rng rng;
    sl_rng_init(&rng, 5, "gemm", 0, 0);
    struct sl_gemm gemm = {.transpose_a = transpose_a,
                           .transpose_b = transpose_b,
                           .m = M,
                           .n = N,
                           .k = K,
                           .alpha = alpha,
                           .beta = beta,
                           .lda = (transpose_a ? M : K) + GAP,
                           .ldb = (transpose_b ? K : N) + GAP,
                           .ldc = N + GAP};
    float *a = random_matrix((size_t)K * (M + K + GAP), &rng);
    float *b = random_matrix((size_t)K * (N + K + GAP), &rng);
    float *c = random_matrix((size_t)M * (N + GAP), &rng);
    float *before = sl_alloc((size_t)M * (N + GAP), sizeof *before);
    memcpy(before, c, sizeof *c * M * (N + GAP));
    gemm.a = a, gemm.b = b, gemm.c = c;
    sl_nn_gemm(&gemm);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N + GAP; j++) {
            double expected = (double)before[i * gemm.ldc + j];
            if (j < N) {
                expected *= (double)beta;
                for (size_t k = 0; k < K; k++)
                    expected += (double)alpha * element(a, transpose_a, gemm.lda, i, k) *
                                element(b, transpose_b, gemm.ldb, k, j);
            }
            assert_near(c[i * gemm.ldc + j], expected, j < N ? 2e-5 : 0);
        }
    free(a);
    free(b);
    free(c);
    free(before);
}

static void test_gemm_agrees_with_three_loops(void **state)
{
    (void)state;
    for (int transposes = 0; transposes < 4; transposes++) {
        check_gemm(transposes & 1, transposes & 2, 1, 0);
        check_gemm(transposes & 1, transposes & 2, 1, 1);
        check_gemm(transposes & 1, transposes & 2, -0.5F, 2);
    }
}

static void test_gemm_leaves_the_callers_threads_alone(void **state)
{
    (void)state;
    omp_set_num_threads(2);
    check_gemm(false, false, 1, 0);
    assert_int_equal(omp_get_max_threads(), 2);
}

static void test_errors_name_the_call_and_the_status(void **state)
{
    (void)state;
    struct sl_error error, *err = &error;
    dnnl_engine_t engine = NULL;
    assert_fails(SL_DNN(dnnl_engine_create(&engine, dnnl_cpu, 99)), SL_ERR_BACKEND, error,
                 "oneDNN: dnnl_engine_create: invalid_arguments");
    assert_ok(SL_DNN(dnnl_success), error);
    assert_int_equal(sl_dnn_check(dnnl_unimplemented, "a call", NULL), SL_ERR_BACKEND);
    assert_fails(sl_dnn_check(dnnl_out_of_memory, "a call", err), SL_ERR_NOMEM, error,
                 "not enough memory for oneDNN");
}

/* An op outlives the engine that its descriptor was made with. */
static void test_op_runs_with_other_data_each_time(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    struct sl_error error, *err = &error;
    struct sl_dnn dnn;
    struct sl_dnn_op op;
    dnnl_memory_desc_t layout;
    dnnl_eltwise_desc_t relu;
    dnnl_primitive_desc_t descriptor = NULL;
    const dnnl_dims_t dims = {COUNT};
    float first[COUNT], second[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++) {
        first[i] = (float)(i - 10);
        second[i] = (float)(5 - i);
    }
    assert_ok(sl_dnn_open(&dnn, err), error);
    assert_ok(SL_DNN(dnnl_memory_desc_init_by_tag(&layout, 1, dims, dnnl_f32, dnnl_a)), error);
    assert_ok(SL_DNN(dnnl_eltwise_forward_desc_init(&relu, dnnl_forward_training, dnnl_eltwise_relu,
                                                    &layout, 0, 0)),
              error);
    assert_ok(SL_DNN(dnnl_primitive_desc_create(&descriptor, &relu, NULL, dnn.engine, NULL)),
              error);
    assert_ok(sl_dnn_op_create(&op, descriptor, err), error);
    dnnl_primitive_desc_destroy(descriptor);
    assert_ok(sl_dnn_op_arg(&op, DNNL_ARG_SRC, &layout, err), error);
    assert_ok(sl_dnn_op_arg(&op, DNNL_ARG_DST, &layout, err), error);
    sl_dnn_close(&dnn);
    assert_null(dnn.engine);
    sl_dnn_op_set(&op, DNNL_ARG_DST, out);
    sl_dnn_op_set(&op, DNNL_ARG_SRC, first);
    sl_dnn_op_run(&op);
    for (int i = 0; i < COUNT; i++)
        assert_near(out[i], first[i] > 0 ? first[i] : 0, 0);
    sl_dnn_op_set(&op, DNNL_ARG_SRC, second);
    sl_dnn_op_set(&op, DNNL_ARG_WEIGHTS, first); /* not declared, so it is ignored */
    sl_dnn_op_run(&op);
    for (int i = 0; i < COUNT; i++)
        assert_near(out[i], second[i] > 0 ? second[i] : 0, 0);
    sl_dnn_op_release(&op);
    sl_dnn_op_release(&op);
    sl_dnn_close(&dnn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard_flushes_denormals_on_one_thread_and_restores),
        cmocka_unit_test(test_gemm_agrees_with_three_loops),
        cmocka_unit_test(test_gemm_leaves_the_callers_threads_alone),
        cmocka_unit_test(test_errors_name_the_call_and_the_status),
        cmocka_unit_test(test_op_runs_with_other_data_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
