/* Links of a study, as several commands print them. */
#include <string.h>

#include "cmd.h"
#include "softlab/base/memory.h"

enum sl_status cli_take_url(const char *url, char **out, struct sl_error *err)
{
    const bool web = strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
    if (!web || strcspn(url, "?#\"<>\\^`{|} ") != strlen(url) || strlen(strstr(url, "//")) < 3)
        return sl_fail(err, SL_ERR_USAGE,
                       "--url \"%s\" is not an address of a study: give one like "
                       "https://study.example.org/",
                       url);
    size_t length = strlen(url);
    while (url[length - 1] == '/')
        length--;
    *out = sl_string_copy_n(url, length);
    return SL_OK;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

void cli_print_links(const json_t *links)
{
    const json_t *outcomes = json_object_get(links, "outcomes"), *one = NULL;
    size_t index = 0;
    printf("annotators: %s\n            %s\n", text(links, "annotators"), text(links, "how"));
    printf("to try it:  %s\n", text(links, "test"));
    json_array_foreach(outcomes, index, one)
    {
        printf("%-11s %-8s %-10s %s\n", index == 0 ? "codes:" : "", text(one, "outcome"),
               *text(one, "code") ? text(one, "code") : "(none)", text(one, "when"));
        if (*text(one, "url")) printf("%21s%s\n", "", text(one, "url"));
    }
}
