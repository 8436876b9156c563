/* Runs the file of tests that the argument names: each has a main of its own, which the build calls
 * unit_main_<file>. */
#include <stdio.h>
#include <string.h>

#define UNIT(name) int unit_main_##name(void);
#include UNIT_MAINS
#undef UNIT

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } files[] = {
#define UNIT(name) {#name, unit_main_##name},
#include UNIT_MAINS
#undef UNIT
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (argc == 2 && strcmp(argv[1], files[i].name) == 0) return files[i].run();
    fprintf(stderr, "usage: %s FILE, one of:\n", argv[0]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fprintf(stderr, "  %s\n", files[i].name);
    return 2;
}
