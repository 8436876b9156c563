#include "softlab/base/markup.h"

#include "support.h"

static void test_the_five_characters_are_escaped_and_control_characters_left_out(void **state)
{
    (void)state;
    struct sl_buffer out;
    const char text[] = "<a href=\"x\" id='y'>&\x01\x1f\0\n\t\xc3\xa9";
    sl_buffer_init(&out, 1000);
    sl_html_escape(&out, text, sizeof text - 1);
    assert_string_equal(out.data, "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\n\t\xc3\xa9");
    sl_buffer_release(&out);
}

static void test_an_address_keeps_what_cannot_end_it(void **state)
{
    (void)state;
    struct sl_buffer out;
    sl_buffer_init(&out, 1000);
    sl_url_escape(&out, "aZ9-._~/ %)\xc3\xa9", "");
    assert_string_equal(out.data, "aZ9-._~%2F%20%25%29%C3%A9");
    sl_buffer_clear(&out);
    sl_url_escape(&out, "my charts/a", "/");
    assert_string_equal(out.data, "my%20charts/a");
    sl_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_five_characters_are_escaped_and_control_characters_left_out),
        cmocka_unit_test(test_an_address_keeps_what_cannot_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
