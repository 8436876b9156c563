/* Prints a grid of numbers as CSV for check_numbers.py: the function, its arguments, the value.
 * Rows "data,<name>,..." are the inputs of the fits, so that both sides see the same bits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "softlab/base/random.h"
#include "softlab/base/stats.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SAMPLE = 500 };

static void print_digamma(void)
{
    static const double points[] = {1e-300, 1e-10, 1e-5, 0.001,  0.01,   0.1,   0.25, 0.5,
                                    0.9,    1.0,   1.3,  1.46,   1.4616, 1.462, 1.47, 1.5,
                                    1.6,    2.0,   2.5,  3.7,    5.0,    9.99,  11.9, 12.1,
                                    20.0,   100.5, 1e3,  123456, 1e8,    1e15,  1e100};
    for (size_t i = 0; i < COUNT(points); i++)
        printf("digamma,%.17g,%.17g\n", points[i], sl_digamma(points[i]));
}

static void print_incomplete_beta(void)
{
    static const double shapes[] = {0.01, 0.1, 0.5, 1, 2.5, 10, 100, 1234.5, 1e5};
    static const double points[] = {1e-10, 1e-3, 0.1, 0.3, 0.49, 0.5, 0.51, 0.7, 0.9, 0.999};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t j = 0; j < COUNT(shapes); j++)
            for (size_t k = 0; k < COUNT(points); k++)
                printf("incomplete_beta%s,%.17g,%.17g,%.17g,%.17g\n",
                       shapes[i] + shapes[j] > 200 ? "_large" : "", shapes[i], shapes[j], points[k],
                       sl_incomplete_beta(shapes[i], shapes[j], points[k]));
}

static void print_quantiles(void)
{
    static const double freedoms[] = {1, 2, 3, 4.5, 10, 30, 100, 1e3, 1e4, 1e5, 1e6};
    static const double levels[] = {1e-10, 1e-8, 1e-6, 1e-4, 0.001, 0.025, 0.1, 0.2, 0.25,
                                    0.3,   0.4,  0.45, 0.49, 0.499, 0.51,  0.6, 0.9, 0.975};
    static const double points[] = {-1e6, -50, -9, -3, -1.5, -0.1, -1e-5, 0, 0.3, 1.8, 5};
    for (size_t k = 0; k < COUNT(levels); k++)
        printf("normal_quantile,%.17g,%.17g\n", levels[k], sl_normal_quantile(levels[k]));
    for (size_t i = 0; i < COUNT(freedoms); i++) {
        for (size_t k = 0; k < COUNT(levels); k++)
            printf("t_quantile,%.17g,%.17g,%.17g\n", levels[k], freedoms[i],
                   sl_student_t_quantile(levels[k], freedoms[i]));
        for (size_t k = 0; k < COUNT(points); k++)
            printf("t_cdf,%.17g,%.17g,%.17g\n", points[k], freedoms[i],
                   sl_student_t_cdf(points[k], freedoms[i]));
    }
}

static void print_chi2_quantiles(void)
{
    static const double freedoms[] = {0.02, 0.5, 1, 2, 3, 4.5, 10, 30, 31, 100, 1e3, 1e5, 1e6};
    static const double levels[] = {1e-10, 1e-6, 1e-4, 0.001, 0.025, 0.1,   0.3,
                                    0.49,  0.5,  0.51, 0.7,   0.9,   0.975, 0.999};
    for (size_t i = 0; i < COUNT(freedoms); i++) {
        for (size_t k = 0; k < COUNT(levels); k++) {
            double value = sl_chi2_quantile(levels[k], freedoms[i]);
            printf("chi2_quantile,%.17g,%.17g,%.17g\n", levels[k], freedoms[i], value);
        }
    }
}

static void print_data(const char *name, const double *values, size_t count)
{
    printf("data,%s", name);
    for (size_t i = 0; i < count; i++)
        printf(",%.17g", values[i]);
    printf("\n");
}

static int print_logistic_fits(void)
{
    static const struct sl_logistic curves[] = {{6, 0.5}, {12, 0.43}, {-3, 0.2}, {0.7, 3}};
    for (size_t i = 0; i < COUNT(curves); i++) {
        double x[SAMPLE], y[SAMPLE];
        struct sl_rng rng;
        sl_rng_init(&rng, 1, "parity.logistic", 0, i);
        for (size_t j = 0; j < SAMPLE; j++) {
            x[j] = curves[i].x0 + (2 * sl_rng_uniform(&rng) - 1) * 3 / fabs(curves[i].k);
            y[j] = sl_logistic_value(curves[i], x[j]) + 0.1 * sl_rng_normal(&rng);
        }
        struct sl_logistic fit;
        struct sl_error err;
        if (sl_logistic_fit(x, y, SAMPLE, &fit, &err) != SL_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        char name[2][32];
        snprintf(name[0], sizeof name[0], "logistic%zu.x", i);
        snprintf(name[1], sizeof name[1], "logistic%zu.y", i);
        print_data(name[0], x, SAMPLE);
        print_data(name[1], y, SAMPLE);
        printf("logistic_fit,%s,%s,%.17g,%.17g\n", name[0], name[1], fit.k, fit.x0);
        printf("pearson,%s,%s,%.17g\n", name[0], name[1], sl_pearson(x, y, SAMPLE));
        printf("mean,%s,%.17g\n", name[1], sl_mean(y, SAMPLE));
        printf("sd,%s,%.17g\n", name[1], sl_sd(y, SAMPLE));
        for (int k = 0; k <= 20; k++)
            printf("quantile,%s,%.17g,%.17g\n", name[1], k / 20.0,
                   sl_quantile(y, SAMPLE, k / 20.0));
        struct sl_interval interval = sl_mean_interval(y, SAMPLE, 0.95);
        printf("mean_interval,%s,%.17g,%.17g\n", name[1], interval.low, interval.high);
    }
    return 0;
}

static void print_philox(void)
{
    static const uint64_t keys[][2] = {{0, 0}, {1, 2}, {0xFEEDFACECAFEBEEF, 0x0123456789ABCDEF}};
    for (size_t i = 0; i < COUNT(keys); i++)
        for (uint64_t position = 1; position <= 8; position++) {
            uint64_t counter[4] = {position, i, 7, 0}, out[4];
            sl_philox4x64(keys[i], counter, out);
            printf("philox,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, keys[i][0], keys[i][1],
                   position, (uint64_t)i);
            printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", out[0], out[1], out[2],
                   out[3]);
        }
}

int main(void)
{
    print_digamma();
    print_incomplete_beta();
    print_quantiles();
    print_chi2_quantiles();
    print_philox();
    return print_logistic_fits() ? EXIT_FAILURE : EXIT_SUCCESS;
}
