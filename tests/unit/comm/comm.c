#include "softlab/comm.h"

#include <string.h>

#include "support.h"

static void test_one_process_agrees_with_itself(void **state)
{
    (void)state;
    struct sl_comm *comm = NULL;
    struct sl_error err;
    int64_t sum = 3;
    assert_ok(sl_comm_open_world(&comm, &err), err);
    assert_int_equal(sl_comm_rank(comm), 0);
    assert_int_equal(sl_comm_size(comm), 1);
    assert_int_equal(sl_comm_size(NULL), 1);
    assert_ok(sl_comm_sum(comm, &sum, 1, &err), err);
    assert_int_equal(sum, 3);
    assert_ok(sl_comm_same(comm, 7, "a.slb", &err), err);
    const enum sl_status failed = sl_fail(&err, SL_ERR_INPUT, "a.slb: damaged");
    assert_int_equal(sl_comm_agree(comm, failed, &err), SL_ERR_INPUT);
    assert_string_equal(err.message, "a.slb: damaged");
    sl_comm_close(comm);
}

static void test_the_number_of_ranks_is_asserted(void **state)
{
    (void)state;
    struct sl_error err;
    assert_ok(sl_comm_check_size(NULL, 1, "--ranks", &err), err);
    assert_int_equal(sl_comm_check_size(NULL, 4, "--ranks", &err), SL_ERR_USAGE);
    assert_string_equal(err.message, "--ranks says 4 ranks, but 1 was started; several ranks need "
                                     "softlab-mpi");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_process_agrees_with_itself),
        cmocka_unit_test(test_the_number_of_ranks_is_asserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
