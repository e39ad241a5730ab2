#include "monitor/watch/log.h"

#include "monitor/watch/methodbeat_watch.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

typedef void say_function(const char *line);

static _Atomic(say_function *) sink;

void watch_log_to(void (*log)(const char *line))
{
    atomic_store(&sink, log);
}

void watch_log(const char *format, ...)
{
    say_function *log = atomic_load(&sink);
    char line[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (log != NULL) {
        log(line);
    } else {
        (void)fprintf(stderr, "methodbeat: %s\n", line);
    }
}
