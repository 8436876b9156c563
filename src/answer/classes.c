#include "answer/classes.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_numbers(const void *a, const void *b)
{
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    double x = 0, y = 0;
    (void)sl_text_to_real(left, strlen(left), &x);
    (void)sl_text_to_real(right, strlen(right), &y);
    return x < y ? -1 : x > y ? 1 : strcmp(left, right);
}

char **sl_classes_of(const struct sl_name_table *names, bool sorted)
{
    const size_t count = sl_name_table_count(names);
    char **classes = sl_alloc(count + 1, sizeof *classes);
    bool numbers = true;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        double value = 0;
        const char *name = sl_name_table_get(names, (uint32_t)i, &length);
        numbers = numbers && sl_text_to_real(name, length, &value);
        classes[i] = sl_string_copy_n(name, length);
    }
    if (sorted) qsort(classes, count, sizeof *classes, numbers ? compare_numbers : compare_text);
    return classes;
}
