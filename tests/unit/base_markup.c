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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_five_characters_are_escaped_and_control_characters_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
