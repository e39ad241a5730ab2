#include "abi/blame.h"

#include "base/text.h"

static const struct mb_text waiting[] = {
    MB_TEXT_ROW("java.lang.Object.wait"),
    MB_TEXT_ROW("java.lang.Object.wait0"),
    MB_TEXT_ROW("java.lang.Thread.yield"),
    MB_TEXT_ROW("java.lang.Thread.sleep"),
    MB_TEXT_ROW("java.lang.Thread.sleep0"),
    MB_TEXT_ROW("java.lang.Thread.sleepNanos0"),
    MB_TEXT_ROW("sun.misc.Unsafe.park"),
    MB_TEXT_ROW("jdk.internal.misc.Unsafe.park"),
    MB_TEXT_ROW("java.util.concurrent.locks.LockSupport.park"),
    MB_TEXT_ROW("java.util.concurrent.locks.LockSupport.parkNanos"),
    MB_TEXT_ROW("java.util.concurrent.locks.LockSupport.parkUntil"),
    MB_TEXT_ROW("android.os.MessageQueue.nativePollOnce"),
    MB_TEXT_ROW("android.os.SystemClock.sleep"),
    MB_TEXT_ROW("sun.nio.ch.EPoll.wait"),
    MB_TEXT_ROW("epoll_wait"),
    MB_TEXT_ROW("epoll_pwait"),
    MB_TEXT_ROW("poll"),
    MB_TEXT_ROW("ppoll"),
    MB_TEXT_ROW("select"),
    MB_TEXT_ROW("futex"),
    MB_TEXT_ROW("syscall"),
    MB_TEXT_ROW("nanosleep"),
    MB_TEXT_ROW("clock_nanosleep"),
    MB_TEXT_ROW("sem_wait"),
    MB_TEXT_ROW("pthread_cond_wait"),
    MB_TEXT_ROW("pthread_cond_timedwait"),
    MB_TEXT_ROW("pthread_mutex_lock"),
    MB_TEXT_ROW("pthread_join"),
};

static const struct mb_text platform[] = {
    MB_TEXT_ROW("java."),     MB_TEXT_ROW("javax."),       MB_TEXT_ROW("jdk."),
    MB_TEXT_ROW("sun."),      MB_TEXT_ROW("com.sun."),     MB_TEXT_ROW("android."),
    MB_TEXT_ROW("androidx."), MB_TEXT_ROW("com.android."), MB_TEXT_ROW("dalvik."),
    MB_TEXT_ROW("/apex/"),    MB_TEXT_ROW("/system/"),     MB_TEXT_ROW("/vendor/"),
    MB_TEXT_ROW("libcore."),  MB_TEXT_ROW("kotlin."),      MB_TEXT_ROW("kotlinx."),
};

bool abi_is_waiting(struct mb_text function)
{
    for (size_t i = 0; i < MB_COUNT(waiting); i++) {
        if (mb_text_equal(function, waiting[i])) {
            return true;
        }
    }
    return false;
}

static bool starts_with_any(struct mb_text function, struct mb_text prefixes)
{
    while (prefixes.size > 0) {
        struct mb_text prefix = mb_text_trim(mb_text_split(&prefixes, ','));
        if (prefix.size > 0 && mb_text_starts(function, prefix)) {
            return true;
        }
    }
    return false;
}

bool abi_is_platform(struct mb_text function, struct mb_text prefixes)
{
    for (size_t i = 0; i < MB_COUNT(platform); i++) {
        if (mb_text_starts(function, platform[i])) {
            return true;
        }
    }
    return abi_is_waiting(function) || starts_with_any(function, prefixes) ||
           mb_text_ends(function, MB_TEXT(".$jacocoInit"));
}

/* Where the next line of several possibilities with a line begins: "a.b.C.m:7 or n:9"; else all. */
static struct mb_text first_with_line(struct mb_text frame)
{
    for (size_t i = 1; i < frame.size; i++) {
        if (mb_is_digit(frame.data[i - 1]) &&
            mb_text_starts(mb_text_from(frame, i), MB_TEXT(" or "))) {
            return (struct mb_text){frame.data, i};
        }
    }
    return frame;
}

struct mb_text abi_function_of(struct mb_text frame)
{
    static const struct mb_text unknown[] = {MB_TEXT_ROW("(Native Method)"),
                                             MB_TEXT_ROW("(Native method)"),
                                             MB_TEXT_ROW("(Unknown Source)")};

    for (size_t i = 0; i < MB_COUNT(unknown); i++) {
        frame.size -= mb_text_ends(frame, unknown[i]) ? unknown[i].size : 0;
    }
    frame = first_with_line(frame);
    (void)mb_place_cut(&frame);
    size_t colon = mb_text_after_last(frame, ':');
    uint64_t line;
    bool is_named = colon > 1 && mb_text_to_number(mb_text_from(frame, colon), UINT32_MAX, &line);

    return is_named ? (struct mb_text){frame.data, colon - 1} : frame;
}

struct abi_blame abi_find_blame(struct mb_text frames, struct mb_text prefixes)
{
    struct abi_blame blame = {0};
    struct mb_text innermost = {0};
    struct mb_text active = {0};

    while (frames.size > 0 && !blame.has_own) {
        struct mb_text function = abi_function_of(mb_text_split(&frames, '\n'));
        bool is_active = function.size > 0 && function.data[0] != '(' && !abi_is_waiting(function);
        innermost = innermost.size > 0 ? innermost : function;
        active = active.size == 0 && is_active ? function : active;
        blame.has_own = is_active && !abi_is_platform(function, prefixes);
        blame.name = blame.has_own ? function : active.size > 0 ? active : innermost;
    }
    if (blame.has_own && abi_is_waiting(innermost) && !mb_text_equal(active, blame.name)) {
        blame.waits_in = active;
    }
    return blame;
}
