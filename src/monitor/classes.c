#include "monitor/classes.h"

#include "abi/hash.h"

static const struct mb_text waiting[] = {
    MB_TEXT_ROW("java.lang.Object.wait"),
    MB_TEXT_ROW("java.lang.Object.wait0"),
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
    MB_TEXT_ROW("libcore."),  MB_TEXT_ROW("kotlin."),      MB_TEXT_ROW("kotlinx."),
};

bool mon_is_waiting(struct mb_text function)
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

bool mon_is_platform(struct mb_text function, struct mb_text prefixes)
{
    for (size_t i = 0; i < MB_COUNT(platform); i++) {
        if (mb_text_starts(function, platform[i])) {
            return true;
        }
    }
    return mon_is_waiting(function) || starts_with_any(function, prefixes);
}

static uint64_t hash_function(uint64_t hash, struct mb_text function)
{
    return abi_hash(abi_hash(hash, function.data, function.size), "\n", 1);
}

/* How many of the innermost frames only wait: 0 where all do. */
static uint32_t first_active(const struct mon_frames *frames, const struct mon_names *names)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        if (!mon_is_waiting(mon_name(names, frames->names[i]))) {
            return i;
        }
    }
    return 0;
}

uint32_t mon_top(const struct mon_frames *frames, const struct mon_names *names)
{
    return frames->count > 0 ? frames->names[first_active(frames, names)] : 0;
}

uint64_t mon_stack_key(const struct mon_frames *frames, const struct mon_names *names)
{
    uint64_t hash = ABI_HASH_START;

    for (uint32_t i = 0; i < frames->count; i++) {
        hash = hash_function(hash, mon_name(names, frames->names[i]));
    }
    return frames->count > 0 ? hash : 0;
}

/* The wanted frames that do more than wait, innermost first. */
static uint64_t hash_active(const struct mon_frames *frames, const struct mon_names *names,
                            uint32_t wanted)
{
    uint64_t hash = ABI_HASH_START;
    uint32_t first = first_active(frames, names);

    for (uint32_t i = first; i < frames->count && wanted > 0; i++) {
        struct mb_text function = mon_name(names, frames->names[i]);
        if (i == first || !mon_is_waiting(function)) {
            hash = hash_function(hash, function);
            wanted--;
        }
    }
    return hash;
}

static uint32_t find_own(const struct mon_frames *frames, const struct mon_names *names,
                         struct mb_text prefixes)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        if (!mon_is_platform(mon_name(names, frames->names[i]), prefixes)) {
            return frames->names[i];
        }
    }
    return 0;
}

struct mon_class mon_classify(const struct mon_frames *frames, const struct mon_names *names,
                              struct mb_text prefixes)
{
    if (frames == NULL || frames->count == 0) {
        return (struct mon_class){0};
    }
    return (struct mon_class){.key1 = hash_active(frames, names, 2),
                              .key2 = hash_active(frames, names, 4),
                              .app_key = find_own(frames, names, prefixes)};
}
