/* Compiler attributes and small macros; the only place that names a compiler extension. */

#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <limits.h> /* for __GLIBC__ */
#include <stddef.h>

#define MB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__GNUC__)
#define MB_MUST_CHECK __attribute__((warn_unused_result))
#define MB_PRINTF(string, first) __attribute__((format(printf, string, first)))
#define MB_NOINLINE __attribute__((noinline))
#define MB_COLD __attribute__((cold))
#define MB_LINE_ALIGNED __attribute__((aligned(64))) /* code at the start of a cache line */
#define MB_CONSTRUCTOR __attribute__((constructor))  /* runs as the program or library is loaded */
#define MB_LIKELY(x) __builtin_expect(!!(x), 1)
#define MB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define MB_MUST_CHECK
#define MB_PRINTF(string, first)
#define MB_NOINLINE
#define MB_COLD
#define MB_LINE_ALIGNED
#define MB_CONSTRUCTOR
#define MB_LIKELY(x) (x)
#define MB_UNLIKELY(x) (x)
#endif

#if defined(__SANITIZE_THREAD__)
#define MB_UNDER_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MB_UNDER_TSAN
#endif
#endif

/* Where glibc loads a library it keeps room for small thread-local variables at a fixed distance
 * from the thread pointer, which saves a call per access. Android's linker refuses that model. */
#if defined(__GLIBC__) && defined(__GNUC__) && !defined(__ANDROID__)
#define MB_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define MB_THREAD_LOCAL _Thread_local
#endif

/* Return early on failure. Only where the function holds nothing to release. */
#define MB_TRY(call)                               \
    do {                                           \
        enum mb_status mb_try_status = (call);     \
        if (MB_UNLIKELY(mb_try_status != MB_OK)) { \
            return mb_try_status;                  \
        }                                          \
    } while (0)

#endif
