/* What several commands about studies share: their argument, and links as they are printed. */
#include <string.h>

#include "cmd.h"
#include "softlab/base/memory.h"
#include "softlab/study.h"

const struct cli_argument cli_study_argument[] = {
    {.name = "FOLDER", .help = "a folder that softlab study init made", .kind = SL_FIELD_FOLDER},
    {.name = NULL},
};

const char *cli_screen_names(size_t index)
{
    return sl_screens[index].name;
}

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

void cli_print_links(const json_t *links)
{
    const json_t *outcomes = json_object_get(links, "outcomes"), *one = NULL;
    size_t index = 0;
    printf("annotators: %s\n            %s\n", cli_json_text(links, "annotators"),
           cli_json_text(links, "how"));
    printf("to try it:  %s\n", cli_json_text(links, "test"));
    json_array_foreach(outcomes, index, one)
    {
        printf("%-11s %-8s %-10s %s\n", index == 0 ? "codes:" : "", cli_json_text(one, "outcome"),
               *cli_json_text(one, "code") ? cli_json_text(one, "code") : "(none)",
               cli_json_text(one, "when"));
        if (*cli_json_text(one, "url")) printf("%21s%s\n", "", cli_json_text(one, "url"));
    }
}
