#include "cmd.h"

struct version_values {
    bool json;
};

#define AT(field) .offset = offsetof(struct version_values, field)
static const struct sl_field_row version_options[] = {
    {"json", SL_FIELD_BOOLEAN, AT(json), "as JSON, with dependencies and processor"},
    {.name = NULL},
};
#undef AT

enum { MAX_DEPENDENCIES = 32 };

static json_t *version_json(void)
{
    struct sl_dependency dependencies[MAX_DEPENDENCIES];
    size_t count = sl_dependencies(dependencies, MAX_DEPENDENCIES);
    json_t *libraries = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(libraries, dependencies[i].name, json_string(dependencies[i].version));
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    json_t *features = json_pack("{s:b, s:b, s:b, s:b, s:b}", "sse42", cpu.sse42, "avx", cpu.avx,
                                 "avx2", cpu.avx2, "fma", cpu.fma, "avx512f", cpu.avx512f);
    return json_pack("{s:s, s:s, s:s, s:o, s:{s:s, s:o}}", "version", sl_version(), "build",
                     sl_build_id(), "compiler", sl_compiler(), "dependencies", libraries, "cpu",
                     "model", cpu.model, "features", features);
}

static enum sl_status run_version(struct cli *cli, const void *values, struct sl_error *err)
{
    (void)cli;
    const struct version_values *options = values;
    if (!options->json) {
        printf("softlab %s (%s)\n", sl_version(), sl_build_id());
        return SL_OK;
    }
    return cli_print_json(version_json(), err);
}

const struct cli_command cmd_version = {
    .name = "version",
    .also = "about",
    .group = "about",
    .summary = "print the version and build",
    .description = "Prints the version and the build id: the commit of the sources, with a plus "
                   "sign if they had been changed. A report's provenance names the same id.",
    .options = version_options,
    .values_size = sizeof(struct version_values),
    .run = run_version,
};
