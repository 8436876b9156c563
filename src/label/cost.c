#include "softlab/label.h"

double sl_label_seconds(const struct sl_label_method *method, double annotators,
                        const double *measured, size_t n_measured)
{
    double seconds = 0;
    for (size_t i = 0; i < (size_t)method->inputs; i++)
        seconds += measured && i < n_measured ? measured[i] : SL_SECONDS_PER_INPUT;
    return annotators * seconds;
}
