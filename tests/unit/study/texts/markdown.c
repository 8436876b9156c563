#include "study/texts/markdown.h"

#include "support.h"

static void assert_html(const char *text, const char *expected)
{
    struct sl_buffer html;
    struct sl_error err;
    sl_buffer_init(&html, 1 << 20);
    assert_ok(sl_markdown_html(text, strlen(text), &html, &err), err);
    assert_string_equal(html.data ? html.data : "", expected);
    sl_buffer_release(&html);
}

static void test_blocks_become_elements(void **state)
{
    (void)state;
    assert_html("", "");
    assert_html("one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n");
    assert_html("# Title #1\ntext", "<h2>Title #1</h2>\n<p>text</p>\n");
    assert_html("### Deep\r\n", "<h4>Deep</h4>\n");
    assert_html("#no", "<p>#no</p>\n");
    assert_html("- a\n- b\n  goes on\n\nend",
                "<ul>\n<li>a</li>\n<li>b\ngoes on</li>\n</ul>\n<p>end</p>\n");
    assert_html("1. a\n2. b\n* c",
                "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n<ul>\n<li>c</li>\n</ul>\n");
    assert_html("- a\nnot indented", "<ul>\n<li>a</li>\n</ul>\n<p>not indented</p>\n");
}

static void test_words_are_set_off(void **state)
{
    (void)state;
    assert_html("a **b** *c* _d_", "<p>a <strong>b</strong> <em>c</em> <em>d</em></p>\n");
    assert_html("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>\n");
    assert_html("*a **b* c**", "<p><em>a **b</em> c**</p>\n");
    assert_html("2 * 3 * 4 and file_name_1", "<p>2 * 3 * 4 and file_name_1</p>\n");
    assert_html("*open", "<p>*open</p>\n");
    assert_html("\\*not\\*", "<p>*not*</p>\n");
    assert_html("one  \ntwo\\\nthree  ", "<p>one<br>\ntwo<br>\nthree  </p>\n");
}

static void test_links_go_to_the_web_and_to_mail_only(void **state)
{
    (void)state;
    assert_html("[us](https://x.org/?a=1&b=2)",
                "<p><a href=\"https://x.org/?a=1&amp;b=2\" target=\"_blank\" rel=\"noopener "
                "noreferrer\">us</a></p>\n");
    assert_html("[m](mailto:a@b.org)", "<p><a href=\"mailto:a@b.org\" target=\"_blank\" "
                                       "rel=\"noopener noreferrer\">m</a></p>\n");
    assert_html("[x](javascript:alert)", "<p>[x](javascript:alert)</p>\n");
    assert_html("[x](https://a b)", "<p>[x](https://a b)</p>\n");
    assert_html("[x](https://\"onmouseover=)",
                "<p><a href=\"https://&quot;onmouseover=\" target=\"_blank\" rel=\"noopener "
                "noreferrer\">x</a></p>\n");
}

static void test_pictures_come_from_the_studys_own_folder(void **state)
{
    (void)state;
    assert_html(
        "See ![a *map* & \"key\"](media/map_1.png)!",
        "<p>See <img src=\"media/map_1.png\" alt=\"a *map* &amp; &quot;key&quot;\">!</p>\n");
    assert_html("![x](a.JPG)", "<p><img src=\"media/a.JPG\" alt=\"x\"></p>\n");
    static const char *const refused[] = {
        "![x](../study.db)",       "![x](media/../x.png)", "![x](a.svg)",    "![x](/etc/a.png)",
        "![x](https://a.b/c.png)", "![x](.png)",           "![x](a%2e.png)", "\\![x](a.png",
        "![x](media/.a.png)",      "![x](data:image/png)", "![x](a\"b.png)"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct sl_buffer html;
        struct sl_error err;
        sl_buffer_init(&html, 1 << 16);
        assert_ok(sl_markdown_html(refused[i], strlen(refused[i]), &html, &err), err);
        assert_null(strstr(html.data, "<img"));
        sl_buffer_release(&html);
    }
    /* Checks see those too. */
    static const char text[] = "a\n![x](a.svg) \\![no](b.png) ![y](c.png)";
    struct sl_markdown_picture found;
    assert_true(sl_markdown_picture(text, strlen(text), 0, &found));
    assert_memory_equal(found.address, "a.svg", found.length);
    assert_true(sl_markdown_picture(text, strlen(text), found.end, &found));
    assert_memory_equal(found.address, "c.png", found.length);
    assert_false(sl_markdown_picture(text, strlen(text), found.end, &found));
}

static void test_markup_of_the_author_is_text(void **state)
{
    (void)state;
    assert_html("<script>alert('x')</script> & \"q\"",
                "<p>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;q&quot;</p>\n");
    assert_html("a\001b", "<p>ab</p>\n");
}

static void test_dashes_divide_pages(void **state)
{
    (void)state;
    static const char text[] = "# One\n---\n\n-----\ntwo\n---\n   \n";
    char **pages = NULL;
    size_t count = 0;
    struct sl_error err;
    assert_ok(sl_markdown_pages(text, strlen(text), &pages, &count, &err), err);
    assert_int_equal(count, 2);
    assert_string_equal(pages[0], "<h2>One</h2>\n");
    assert_string_equal(pages[1], "<p>two</p>\n");
    sl_names_destroy(pages);
    assert_fails(sl_markdown_pages("a\n\xff", 3, &pages, &count, &err), SL_ERR_INPUT, err,
                 "line 2 is not UTF-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_become_elements),
        cmocka_unit_test(test_words_are_set_off),
        cmocka_unit_test(test_links_go_to_the_web_and_to_mail_only),
        cmocka_unit_test(test_pictures_come_from_the_studys_own_folder),
        cmocka_unit_test(test_markup_of_the_author_is_text),
        cmocka_unit_test(test_dashes_divide_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
