#include "softlab/base/classes.h"

#include "support.h"

/* "cat dog" as a list; what it points to lasts for the program. */
static struct sl_class_list list(const char *owner, const char *words)
{
    static char pool[4096], *names[256];
    static size_t n_bytes, n_names;
    const size_t size = strlen(words) + 1, first = n_names;
    assert_true(n_bytes + size <= sizeof pool);
    char *at = memcpy(pool + n_bytes, words, size);
    n_bytes += size;
    for (; at; at = strchr(at, ' ')) {
        if (*at == ' ') *at++ = '\0';
        assert_true(n_names < sizeof names / sizeof *names);
        names[n_names++] = at;
    }
    return (struct sl_class_list){owner, names + first, n_names - first};
}

static void assert_places(const struct sl_class_list from, const struct sl_class_list to,
                          const size_t *places, enum sl_class_matching how)
{
    size_t out[8];
    enum sl_class_matching was = SL_CLASSES_BY_NAME;
    struct sl_error err;
    assert_ok(sl_classes_match(&from, &to, out, &was, &err), err);
    assert_memory_equal(out, places, from.count * sizeof *out);
    assert_int_equal(was, how);
    const enum sl_status status = sl_classes_match(&from, &to, out, NULL, &err);
    assert_int_equal(status, how == SL_CLASSES_BY_NAME ? SL_OK : SL_ERR_INPUT);
}

static void assert_unmatched(const struct sl_class_list from, const struct sl_class_list to,
                             const char *message)
{
    size_t out[8];
    enum sl_class_matching how = SL_CLASSES_BY_NUMBER;
    struct sl_error err;
    assert_fails(sl_classes_match(&from, &to, out, &how, &err), SL_ERR_INPUT, err, message);
    assert_int_equal(how, SL_CLASSES_BY_NUMBER);
}

static void test_classes_are_found_by_name(void **state)
{
    (void)state;
    const struct sl_class_list network = list("the network", "ship cat dog");
    assert_places(list("photos", "ship cat dog"), network, (size_t[]){0, 1, 2}, SL_CLASSES_BY_NAME);
    assert_places(list("photos", "cat dog ship"), network, (size_t[]){1, 2, 0}, SL_CLASSES_BY_NAME);
    assert_places(list("photos", "dog"), network, (size_t[]){2}, SL_CLASSES_BY_NAME);
    assert_places(list("photos", "Dog SHIP"), network, (size_t[]){2, 0}, SL_CLASSES_BY_NAME);
    /* The very name before one that differs by its letters' case. */
    assert_places(list("photos", "cat Cat"), list("the network", "Cat cat"), (size_t[]){1, 0},
                  SL_CLASSES_BY_NAME);
    const struct sl_class_list none = {.owner = "photos"};
    assert_places(none, network, NULL, SL_CLASSES_BY_NAME);
}

static void test_the_order_of_ties_is_that_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        size_t order[6];
    } cases[] = {
        {"cat", {0}},
        {"ship cat dog", {1, 2, 0}},
        {"Ship cat Dog", {1, 2, 0}},
        {"cat Cat", {1, 0}},
        {"Cat cat", {0, 1}},
        {"cats cat", {1, 0}},
        {"10 2 0 1", {2, 3, 1, 0}},
        {"2 1a 10 a", {0, 2, 1, 3}},
        {"02 2 1", {2, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sl_class_list classes = list("photos", cases[i].words);
        size_t out[6];
        sl_classes_order(classes.names, classes.count, out);
        assert_memory_equal(out, cases[i].order, classes.count * sizeof *out);
    }
}

static void test_a_class_that_is_unknown_is_named(void **state)
{
    (void)state;
    const struct sl_class_list network = list("the network", "ship cat dog");
    assert_unmatched(list("photos", "cat bird"), network,
                     "photos: class \"bird\" is unknown to the network (ship, cat, dog); rename "
                     "it, or leave its items out");
    assert_unmatched(list("photos", "cat Cat"), network,
                     "photos: classes \"cat\" and \"Cat\" are both \"cat\" to the network");
    assert_unmatched(list("photos", "cat"), (struct sl_class_list){.owner = "the network"},
                     "\"cat\"");
}

static void test_counted_classes_are_matched_by_number_where_names_do_not(void **state)
{
    (void)state;
    const struct sl_class_list network = list("the network", "ship cat dog");
    const struct sl_class_list counted = list("images.npz", "0 1 2");
    assert_places(counted, network, (size_t[]){0, 1, 2}, SL_CLASSES_BY_NUMBER);
    assert_places(network, counted, (size_t[]){0, 1, 2}, SL_CLASSES_BY_NUMBER);
    assert_places(list("images.npz", "0 1"), network, (size_t[]){0, 1}, SL_CLASSES_BY_NUMBER);
    /* Numbers that are names: folders sort "10" before "2". */
    assert_places(list("photos", "1 10 2"), list("the network", "0 1 2 3 4 5 10"),
                  (size_t[]){1, 6, 2}, SL_CLASSES_BY_NAME);
    assert_unmatched(list("images.npz", "0 1 2 3"), network, "\"0\" is unknown");
    assert_unmatched(list("photos", "cat dog"), counted, "\"cat\" is unknown");
    assert_unmatched(list("photos", "1 2 3"), network, "\"1\" is unknown");
}

static void test_long_lists_are_cut(void **state)
{
    (void)state;
    char *const *names = list("photos", "cat dog ship").names;
    char out[16];
    assert_string_equal(sl_classes_text(names, 3, out, sizeof out), "cat, dog, ship");
    assert_string_equal(sl_classes_text(names, 3, out, 15), "cat, dog, ship");
    assert_string_equal(sl_classes_text(names, 3, out, 14), "cat, dog, ...");
    assert_string_equal(sl_classes_text(names, 3, out, 13), "cat, ...");
    assert_string_equal(sl_classes_text(names, 3, out, 3), "");
    assert_string_equal(sl_classes_text(names, 0, out, sizeof out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_are_found_by_name),
        cmocka_unit_test(test_the_order_of_ties_is_that_of_names),
        cmocka_unit_test(test_a_class_that_is_unknown_is_named),
        cmocka_unit_test(test_counted_classes_are_matched_by_number_where_names_do_not),
        cmocka_unit_test(test_long_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
