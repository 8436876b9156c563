#include "softlab/base/system.h"

#include <stdio.h>
#include <string.h>

#include <curl/curl.h>
#include <event2/event.h>
#include <jpeglib.h>
#include <libdeflate.h>
#include <oneapi/dnnl/dnnl.h>
#include <png.h>
#include <sodium.h>
#include <sqlite3.h>
#include <zlib.h>

#include "build_id.h"
#include "softlab/base/json.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define HAVE_CPUID 1
#else
#define HAVE_CPUID 0
#endif

#define QUOTE_(text) #text
#define QUOTE(text)  QUOTE_(text)

const char *sl_version(void)
{
    return SL_VERSION;
}

const char *sl_build_id(void)
{
    return SL_BUILD_ID;
}

const char *sl_compiler(void)
{
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

static const char *libdeflate_version(void)
{
    return LIBDEFLATE_VERSION_STRING; /* cannot tell at run time */
}

static const char *png_version(void)
{
    return png_get_libpng_ver(NULL);
}

static const char *jpeg_version(void)
{
    return QUOTE(LIBJPEG_TURBO_VERSION); /* cannot tell at run time */
}

static const char *dnnl_version_number(void)
{
    /* What was compiled against; oneDNN gives numbers at run time, not a text. */
    return QUOTE(DNNL_VERSION_MAJOR) "." QUOTE(DNNL_VERSION_MINOR) "." QUOTE(DNNL_VERSION_PATCH);
}

static const char *curl_version_number(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

#if SL_HAS_POSTGRESQL
static const char *pq_version(void)
{
    return SL_LIBPQ_VERSION; /* its header does not say */
}
#endif

size_t sl_dependencies(struct sl_dependency *out, size_t capacity)
{
    static const struct {
        const char *name;
        const char *(*version)(void);
    } known[] = {
        {"jansson", jansson_version_str},
        {"libcurl", curl_version_number},
        {"libdeflate", libdeflate_version},
        {"libevent", event_get_version},
        {"libjpeg-turbo", jpeg_version},
        {"libpng", png_version},
#if SL_HAS_POSTGRESQL
        {"libpq", pq_version},
#endif
        {"libsodium", sodium_version_string},
        {"oneDNN", dnnl_version_number},
        {"sqlite", sqlite3_libversion},
        {"zlib", zlibVersion},
    };
    size_t count = sizeof known / sizeof *known;
    for (size_t i = 0; i < count && i < capacity; i++)
        out[i] = (struct sl_dependency){.name = known[i].name, .version = known[i].version()};
    return count;
}

#if HAVE_CPUID
/* The processor's name for itself: 48 bytes in three leaves, padded with spaces. */
static void read_model(char *out, size_t size)
{
    unsigned registers[12] = {0};
    if ((unsigned)__get_cpuid_max(0x80000000, NULL) < 0x80000004) return;
    for (unsigned i = 0; i < 3; i++) {
        unsigned *r = registers + (size_t)4 * i;
        __get_cpuid(0x80000002 + i, r, r + 1, r + 2, r + 3);
    }
    char name[sizeof registers + 1] = "";
    memcpy(name, registers, sizeof registers);
    const char *start = name + strspn(name, " ");
    size_t length = strlen(start);
    while (length > 0 && start[length - 1] == ' ')
        length--;
    snprintf(out, size, "%.*s", (int)length, start);
}

void sl_cpu_detect(struct sl_cpu *out)
{
    __builtin_cpu_init();
    *out = (struct sl_cpu){
        .sse42 = __builtin_cpu_supports("sse4.2"),
        .avx = __builtin_cpu_supports("avx"),
        .avx2 = __builtin_cpu_supports("avx2"),
        .fma = __builtin_cpu_supports("fma"),
        .avx512f = __builtin_cpu_supports("avx512f"),
    };
    read_model(out->model, sizeof out->model);
}
#else
void sl_cpu_detect(struct sl_cpu *out)
{
    *out = (struct sl_cpu){0};
}
#endif
