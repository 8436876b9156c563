#include "softlab/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sl_log(const struct sl_log *log, enum sl_log_level level, const char *format, ...)
{
    if (!log || !log->write || level > log->level) return;
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int needed = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (needed < 0) return;
    if ((size_t)needed >= sizeof line) memcpy(line + sizeof line - 4, "...", 4);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    log->write(log->context, level, line);
}

const char *sl_log_level_name(enum sl_log_level level)
{
    switch (level) {
    case SL_LOG_ERROR: return "error";
    case SL_LOG_WARNING: return "warning";
    case SL_LOG_INFO: return "info";
    case SL_LOG_DEBUG: return "debug";
    }
    return "unknown";
}
