#include "abi/control.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUFFIX ".mbtrace"
#define DELETED " (deleted)"

static bool ends_with(const char *text, size_t size, const char *end)
{
    return size > strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

void abi_control_trim(char *path)
{
    size_t size = strlen(path);

    if (ends_with(path, size, DELETED)) {
        path[size - strlen(DELETED)] = '\0';
    }
}

bool abi_control_ask(struct abi_trace_header *header, enum abi_control_command command,
                     uint64_t *number)
{
    /* Acquire: pairs with the recorder's release, so that what it did is seen to be done. */
    uint64_t answered = atomic_load_explicit(&header->answered, memory_order_acquire);
    uint64_t request = atomic_load_explicit(&header->request, memory_order_relaxed);

    if (answered == ABI_CONTROL_DEAF ||
        abi_control_number(request) > abi_control_number(answered)) {
        return false;
    }
    *number = abi_control_number(answered) + 1;
    return atomic_compare_exchange_strong_explicit(&header->request, &request,
                                                   abi_control_word(*number, command),
                                                   memory_order_release, memory_order_relaxed);
}

bool abi_control_dump_path(char *path, size_t size, const char *trace, uint32_t process_id,
                           uint64_t number)
{
    size_t stem = strlen(trace);

    if (ends_with(trace, stem, SUFFIX)) {
        stem -= strlen(SUFFIX);
    }
    int used = snprintf(path, size, "%.*s.%" PRIu32 "-%" PRIu64 SUFFIX, (int)stem, trace,
                        process_id, number);
    return used > 0 && (size_t)used < size;
}
