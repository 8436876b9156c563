#include "nn/threads.h"

/* The least work for which two threads were faster than one (make bench-nn): it takes about 2 us
 * to hand work over and to collect it. */
static const double least_product = 300e3; /* multiplications and additions of pairs */
static const size_t least_pass = 12288;
enum { PARTS_PER_THREAD = 4 };

bool sl_nn_shares_product(double multiply_adds)
{
    return multiply_adds >= least_product;
}

bool sl_nn_shares_pass(size_t floats)
{
    return floats >= least_pass;
}

size_t sl_nn_image_parts(struct sl_pool *pool, const struct sl_nn_tensor *tensor)
{
    const size_t threads = sl_pool_threads(pool);
    if (threads == 1 || !sl_nn_shares_pass(tensor->images * tensor->image_stride)) return 1;
    const size_t most = PARTS_PER_THREAD * threads;
    return tensor->images < most ? tensor->images : most;
}
