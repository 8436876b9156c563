#include "nn/layers/lstm_cell.h"
#include "support.h"

enum { ROWS = 3, WIDEST = 21 };

static void fill(float *values, size_t count, uint64_t item)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "test.lstm-cell", 0, item);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(2 * sl_rng_normal(&rng));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The largest error of `found` relative to `expected`, over a grid from -limit to limit. */
static double worst_error(void (*function)(const float *, size_t, float *), double (*truth)(double),
                          double limit)
{
    enum { HALF = 2000, COUNT = 2 * HALF + 1 };
    static float x[COUNT], y[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        x[i] = (float)(limit * ((double)i - HALF) / HALF);
    function(x, COUNT, y);
    double worst = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const double expected = truth((double)x[i]);
        const double error = fabs((double)y[i] - expected);
        const double relative = expected == 0 ? error : error / fabs(expected);
        if (isnan(relative)) return relative;
        if (relative > worst) worst = relative;
    }
    return worst;
}

static void test_functions_are_within_two_parts_in_ten_million(void **state)
{
    (void)state;
    const double limits[] = {1e-30, 1e-6, 1e-3, .1, .4, 1, 3, 9, 12, 80};
    for (const struct sl_nn_lstm_kernels *const *k = sl_nn_lstm_kernels_here(); *k; k++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            assert_near(worst_error((*k)->sigmoid, sigmoid, limits[i]), 0, 2e-7);
            assert_near(worst_error((*k)->tanh, tanh, limits[i]), 0, 2e-7);
        }
}

static void test_functions_keep_their_limits_zeros_and_nan(void **state)
{
    (void)state;
    const float x[] = {-1e30f, 1e30f, 0, -0.f, NAN, -INFINITY, INFINITY};
    float y[7];
    for (const struct sl_nn_lstm_kernels *const *k = sl_nn_lstm_kernels_here(); *k; k++) {
        (*k)->sigmoid(x, 7, y);
        assert_near(y[0], 0, 1e-37);
        assert_near(y[1], 1, 0);
        assert_near(y[2], .5, 0);
        assert_true(isnan(y[4]));
        assert_near(y[5], 0, 1e-37);
        assert_near(y[6], 1, 0);
        (*k)->tanh(x, 7, y);
        assert_near(y[0], -1, 0);
        assert_near(y[1], 1, 0);
        assert_near(y[2], 0, 0);
        assert_true(signbit(y[3]));
        assert_true(isnan(y[4]));
        assert_near(y[5], -1, 0);
        assert_near(y[6], 1, 0);
    }
}

struct cell_case {
    float gates[ROWS * 4 * WIDEST], bias[4 * WIDEST], before[ROWS * WIDEST];
    float output_gradient[ROWS * WIDEST], cell_gradient[ROWS * WIDEST];
};

static void make_case(struct cell_case *c)
{
    fill(c->gates, ROWS * 4 * WIDEST, 0);
    fill(c->bias, 4 * WIDEST, 1);
    fill(c->before, ROWS * WIDEST, 2);
    fill(c->output_gradient, ROWS * WIDEST, 3);
    fill(c->cell_gradient, ROWS * WIDEST, 4);
}

static void check_forward(const struct sl_nn_lstm_kernels *kernels, size_t hidden, bool first)
{
    struct cell_case c;
    make_case(&c);
    float gates[ROWS * 4 * WIDEST], cell[ROWS * WIDEST + 1], output[ROWS * WIDEST + 1];
    memcpy(gates, c.gates, sizeof gates);
    cell[ROWS * hidden] = output[ROWS * hidden] = 77;
    kernels->forward(&(struct sl_nn_lstm_forward){ROWS, hidden, gates, c.bias,
                                                  first ? NULL : c.before, cell, output});
    for (size_t i = 0; i < ROWS * hidden; i++) {
        const size_t row = i / hidden, j = i % hidden;
        double x[4];
        for (size_t g = 0; g < 4; g++)
            x[g] =
                (double)c.gates[row * 4 * hidden + g * hidden + j] + (double)c.bias[g * hidden + j];
        const double expected =
            sigmoid(x[1]) * (first ? 0 : (double)c.before[i]) + sigmoid(x[0]) * tanh(x[2]);
        assert_near(gates[row * 4 * hidden + j], sigmoid(x[0]), 1e-6);
        assert_near(gates[row * 4 * hidden + hidden + j], sigmoid(x[1]), 1e-6);
        assert_near(gates[row * 4 * hidden + 2 * hidden + j], tanh(x[2]), 1e-6);
        assert_near(gates[row * 4 * hidden + 3 * hidden + j], sigmoid(x[3]), 1e-6);
        assert_near(cell[i], expected, 4e-6);
        assert_near(output[i], sigmoid(x[3]) * tanh(expected), 4e-6);
    }
    assert_near(cell[ROWS * hidden], 77, 0);
    assert_near(output[ROWS * hidden], 77, 0);
}

/* The loss of a step: output and cell, weighted by their upstream gradients. */
static double loss_of(const double x[4], double before, double by_output, double by_cell)
{
    const double cell = sigmoid(x[1]) * before + sigmoid(x[0]) * tanh(x[2]);
    return by_output * sigmoid(x[3]) * tanh(cell) + by_cell * cell;
}

static void check_backward(const struct sl_nn_lstm_kernels *kernels, size_t hidden, bool first)
{
    struct cell_case c;
    make_case(&c);
    float gates[ROWS * 4 * WIDEST], cell[ROWS * WIDEST], output[ROWS * WIDEST];
    float gate_gradient[ROWS * 4 * WIDEST + 1], cell_gradient[ROWS * WIDEST];
    memcpy(gates, c.gates, sizeof gates);
    memcpy(cell_gradient, c.cell_gradient, sizeof cell_gradient);
    gate_gradient[ROWS * 4 * hidden] = 77;
    const float *before = first ? NULL : c.before;
    kernels->forward(
        &(struct sl_nn_lstm_forward){ROWS, hidden, gates, c.bias, before, cell, output});
    kernels->backward(&(struct sl_nn_lstm_backward){
        ROWS, hidden, gates, cell, before, c.output_gradient, cell_gradient, gate_gradient});
    const double h = 1e-5;
    for (size_t i = 0; i < ROWS * hidden; i++) {
        const size_t row = i / hidden, j = i % hidden;
        const double by_output = (double)c.output_gradient[i], by_cell = (double)c.cell_gradient[i];
        const double at = first ? 0 : (double)c.before[i];
        double x[4];
        for (size_t g = 0; g < 4; g++)
            x[g] =
                (double)c.gates[row * 4 * hidden + g * hidden + j] + (double)c.bias[g * hidden + j];
        for (size_t g = 0; g < 4; g++) {
            double up[4], down[4];
            memcpy(up, x, sizeof x);
            memcpy(down, x, sizeof x);
            up[g] += h;
            down[g] -= h;
            const double slope =
                (loss_of(up, at, by_output, by_cell) - loss_of(down, at, by_output, by_cell)) /
                (2 * h);
            assert_near(gate_gradient[row * 4 * hidden + g * hidden + j], slope, 1e-5);
        }
        const double slope =
            (loss_of(x, at + h, by_output, by_cell) - loss_of(x, at - h, by_output, by_cell)) /
            (2 * h);
        assert_near(cell_gradient[i], slope, 1e-5);
    }
    assert_near(gate_gradient[ROWS * 4 * hidden], 77, 0);
}

static void test_every_table_runs_and_differentiates_a_step(void **state)
{
    (void)state;
    const size_t widths[] = {1, 5, 7, 8, 9, 16, 21};
    for (const struct sl_nn_lstm_kernels *const *k = sl_nn_lstm_kernels_here(); *k; k++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            for (int first = 0; first < 2; first++) {
                check_forward(*k, widths[i], first);
                check_backward(*k, widths[i], first);
            }
}

static void test_every_table_adds_up_rows(void **state)
{
    (void)state;
    enum { COUNT = 37, WIDTH = 13 };
    float rows[COUNT * WIDTH], partial[WIDTH];
    fill(rows, COUNT * WIDTH, 9);
    for (const struct sl_nn_lstm_kernels *const *k = sl_nn_lstm_kernels_here(); *k; k++) {
        float sum[WIDTH + 1];
        for (size_t j = 0; j <= WIDTH; j++)
            sum[j] = (float)j;
        (*k)->add_rows(rows, COUNT, WIDTH, partial, sum);
        for (size_t j = 0; j < WIDTH; j++) {
            double expected = (double)j;
            for (size_t i = 0; i < COUNT; i++)
                expected += (double)rows[i * WIDTH + j];
            assert_near(sum[j], expected, 1e-4);
        }
        assert_near(sum[WIDTH], WIDTH, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_are_within_two_parts_in_ten_million),
        cmocka_unit_test(test_functions_keep_their_limits_zeros_and_nan),
        cmocka_unit_test(test_every_table_runs_and_differentiates_a_step),
        cmocka_unit_test(test_every_table_adds_up_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
