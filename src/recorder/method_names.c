#include "recorder/method_names.h"

#include "abi/methodmap.h"
#include "abi/names.h"
#include "base/buf.h"
#include "recorder/memory.h"
#include "recorder/sections.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD sizeof(uint64_t) /* of which a section's records are made */

/* Under the recorder's lock. */
static struct mb_buf names; /* padded to whole words by empty lines */

#define MOST_CHOSEN 128u

static char globs[1024]; /* under the lock; "": none */
static _Atomic(uint32_t) chosen[MOST_CHOSEN];
static _Atomic(uint32_t) chosen_count;

/* Those of beat_name_request, in all recordings; under the lock. */
static uint32_t named[MOST_CHOSEN];
static uint32_t named_count;
static uint32_t kind_count; /* under the lock */

/* 0: unknown. Each is enough by itself. */
static _Atomic(uint32_t) frame_kind;
static _Atomic(uint64_t) frame_interval_ns;

static void choose(uint32_t id)
{
    uint32_t count = atomic_load_explicit(&chosen_count, memory_order_relaxed);

    if (count < MOST_CHOSEN) {
        atomic_store_explicit(&chosen[count], id, memory_order_relaxed);
        /* Release: who sees the count finds the method. */
        atomic_store_explicit(&chosen_count, count + 1, memory_order_release);
    }
}

static void choose_method(const struct abi_method *method)
{
    struct mb_buf name = {0};

    mb_buf_put(&name, method->class_name.data, method->class_name.size);
    mb_buf_put_u1(&name, '.');
    mb_buf_put(&name, method->name.data, method->name.size);
    const struct mb_text text = {(const char *)name.bytes, name.size};
    if (!name.failed && mb_text_like(text, mb_text_of(globs))) {
        choose(method->id);
    }
    mb_buf_finish(&name);
}

/* Of these lines. */
static void choose_requests(struct mb_text lines)
{
    struct abi_methodmap map = {0};

    if (globs[0] != '\0' && abi_methodmap_parse(&map, lines, "", NULL) == MB_OK) {
        for (size_t i = 0; i < map.count; i++) {
            if (map.methods[i].id <= ABI_MAX_ID) {
                choose_method(&map.methods[i]);
            }
        }
    }
    abi_methodmap_finish(&map);
}

bool beat_names_chosen(uint32_t number, uint32_t *id)
{
    if (number >= atomic_load_explicit(&chosen_count, memory_order_acquire)) {
        return false;
    }
    *id = atomic_load_explicit(&chosen[number], memory_order_relaxed);
    return true;
}

void beat_names_expect(void)
{
    struct beat_recorder *recorder = beat_lock();

    recorder->expects_names = true;
    beat_unlock(recorder);
}

/* Append to the section what of the lines it lacks; what has no room, in it or on the disk, is
 * counted as lost. */
static void publish_lines(const struct beat_recorder *recorder)
{
    struct abi_trace_section *section = beat_sections_find(recorder->memory, ABI_SECTION_NAMES);

    assert(beat_has_lock() && names.size % WORD == 0);
    if (section == NULL) {
        return;
    }
    uint64_t written = atomic_load_explicit(&section->written, memory_order_relaxed);
    uint64_t all = names.size / WORD;
    uint64_t room = all < section->capacity ? all : section->capacity;
    uint64_t offset = section->offset + written * WORD;
    if (room > written && beat_memory_reserve(recorder->memory, offset, (room - written) * WORD)) {
        memcpy(recorder->memory->bytes + offset, names.bytes + written * WORD,
               (size_t)(room - written) * WORD);
        atomic_store_explicit(&section->written, room, memory_order_release);
        written = room;
    }
    atomic_store_explicit(&section->lost, all - written, memory_order_relaxed);
}

void beat_names_begin(const struct beat_recorder *recorder)
{
    const char *requests = recorder->options->requests;

    (void)snprintf(globs, sizeof(globs), "%s", requests != NULL ? requests : "");
    atomic_store_explicit(&chosen_count, 0, memory_order_relaxed);
    choose_requests((struct mb_text){(const char *)names.bytes, names.size});
    for (uint32_t i = 0; i < named_count; i++) {
        choose(named[i]);
    }
    publish_lines(recorder);
}

/* False, and nothing is kept, without memory. */
static bool add_lines(const struct beat_recorder *recorder, const char *lines, size_t size)
{
    size_t before = names.size;

    assert(beat_has_lock());
    mb_buf_put(&names, lines, size);
    while (!names.failed && names.size % WORD != 0) {
        mb_buf_put_u1(&names, '\n');
    }
    if (names.failed) {
        names.size = before;
        names.failed = false;
        return false;
    }
    choose_requests((struct mb_text){lines, size});
    if (beat_is_present(recorder)) {
        publish_lines(recorder);
    }
    return true;
}

bool beat_names_add(const char *lines, size_t size)
{
    struct beat_recorder *recorder = beat_lock();
    bool is_kept = add_lines(recorder, lines, size);

    beat_unlock(recorder);
    return is_kept;
}

/* Where the name of the method begins in a name that a method map can hold; NULL in others. */
static const char *find_method(const char *name)
{
    const char *dot = strrchr(name, '.');
    bool is_plain = dot != NULL && dot != name && name[strcspn(name, " ,()\r\n")] == '\0';

    return is_plain && dot[1] != '\0' ? dot + 1 : NULL;
}

/* Under the lock. False, and nothing is kept, if it cannot be one. */
static bool add_name(const struct beat_recorder *recorder, uint32_t id, const char *name)
{
    char line[256];
    const char *method = find_method(name);

    if (method == NULL) {
        return false;
    }
    int size = snprintf(line, sizeof(line), "%" PRIu32 ",1,%.*s %s ()V\n", id,
                        (int)(method - 1 - name), name, method);
    return size > 0 && size < (int)sizeof(line) && add_lines(recorder, line, (size_t)size);
}

bool beat_name_request(uint32_t id, const char *name)
{
    struct beat_recorder *recorder = beat_lock();
    bool is_kept =
        id > 0 && id <= ABI_MAX_ID && named_count < MOST_CHOSEN && add_name(recorder, id, name);

    if (is_kept) {
        recorder->expects_names = true;
        named[named_count++] = id;
        choose(id);
    }
    beat_unlock(recorder);
    return is_kept;
}

uint32_t beat_names_kind(const char *name)
{
    struct beat_recorder *recorder = beat_lock();
    uint32_t id = ABI_MAX_ID - kind_count;
    bool is_kept = kind_count < ABI_MAX_KINDS && add_name(recorder, id, name);

    kind_count += is_kept;
    beat_unlock(recorder);
    if (is_kept && strcmp(name, ABI_FRAME_KIND) == 0) {
        atomic_store_explicit(&frame_kind, id, memory_order_relaxed);
    }
    return is_kept ? id : 0;
}

void beat_names_frame_interval(uint64_t interval_ns)
{
    atomic_store_explicit(&frame_interval_ns, interval_ns, memory_order_relaxed);
}

bool beat_names_frames(uint32_t *kind, uint64_t *interval_ns)
{
    *kind = atomic_load_explicit(&frame_kind, memory_order_relaxed);
    *interval_ns = atomic_load_explicit(&frame_interval_ns, memory_order_relaxed);
    return *kind != 0 && *interval_ns != 0;
}
