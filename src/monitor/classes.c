#include "monitor/classes.h"

#include "abi/blame.h"
#include "abi/hash.h"

static uint64_t hash_function(uint64_t hash, struct mb_text function)
{
    return abi_hash(abi_hash(hash, function.data, function.size), "\n", 1);
}

/* How many of the innermost frames only wait: 0 where all do. */
static uint32_t first_active(const struct mon_frames *frames, const struct mon_names *names)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        if (!abi_is_waiting(mon_name(names, frames->names[i]))) {
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
        if (i == first || !abi_is_waiting(function)) {
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
        if (!abi_is_platform(mon_name(names, frames->names[i]), prefixes)) {
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
