#include "recorder/methodbeat.h"

#include "base/buf.h"
#include "base/file.h"
#include "recorder/clock.h"
#include "recorder/copy.h"
#include "recorder/drain.h"
#include "recorder/output.h"
#include "recorder/sections.h"

#include <string.h>

/* A dump has the rings' words packed one after the other: capacity and base of each entry say
 * which positions they are. */
struct dump {
    struct beat_recorder *recorder;
    struct beat_memory *memory; /* that of the session which is recorded when the dump begins */
    struct mb_buf out;
};

static void pad_to_page(struct mb_buf *out)
{
    size_t rest = out->size % ABI_TRACE_PAGE;
    uint8_t *padding = rest != 0 ? mb_buf_extend(out, ABI_TRACE_PAGE - rest) : NULL;

    if (padding != NULL) {
        memset(padding, 0, ABI_TRACE_PAGE - rest);
    }
}

/* Header and tables, word by word, since probes may be storing to them. Relaxed: put_words
 * writes the fields that must be consistent again. */
static void put_tables(struct dump *dump)
{
    const struct abi_trace_header *live = dump->memory->header;
    size_t size = (size_t)abi_trace_words_offset(live->ring_count, live->mark_count);
    const _Atomic(uint64_t) *from = (const void *)dump->memory->bytes;
    uint64_t *to = (void *)mb_buf_extend(&dump->out, size);

    if (to == NULL) {
        return;
    }
    for (size_t i = 0; i < size / sizeof(*to); i++) {
        to[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
    }
    struct abi_trace_header *header = (void *)dump->out.bytes;
    header->state = ABI_TRACE_CLOSED;
}

/* One ring with its words. The lock is released meanwhile, so the table entry is copied last, but
 * for what the profile has of it: that is what put_tables saw. */
static void put_words(struct dump *dump, uint32_t index)
{
    size_t offset = dump->out.size;
    struct beat_source source = beat_source_of(dump->memory, index, dump->recorder->java_writes);
    uint64_t capacity = source.ring->capacity;
    uint64_t *words = (void *)mb_buf_extend(&dump->out, (size_t)capacity * sizeof(*words));
    struct beat_range range;

    if (words == NULL) {
        return;
    }
    (void)beat_copy_ring(dump->recorder, &source, 0, (struct beat_room){words, capacity}, &range);
    uint64_t count = range.end - range.first;
    struct abi_trace_ring *entry = (void *)(dump->out.bytes + ABI_TRACE_PAGE);
    entry += index;
    uint64_t drained = entry->claim == source.ring->claim ? entry->drained : 0;
    memcpy(entry, source.ring, offsetof(struct abi_trace_ring, written));
    entry->words_offset = offset;
    entry->capacity = count > 0 ? count : 1;
    entry->base = range.first;
    entry->written = range.end;
    entry->drained = drained;
    dump->out.size = offset + (size_t)count * sizeof(*words);
    if (!entry->is_virtual) { /* there are many of these, and most of them are short */
        pad_to_page(&dump->out);
    }
}

/* The used part of one section. */
static void put_section(struct dump *dump, uint32_t index, const struct beat_extent *used)
{
    size_t offset = dump->out.size;
    const uint8_t *records = dump->memory->bytes + used->offset;
    const struct abi_trace_header *header = dump->memory->header;

    mb_buf_put(&dump->out, records, (size_t)used->size);
    pad_to_page(&dump->out);
    if (dump->out.failed || dump->out.bytes == NULL) {
        return;
    }
    struct abi_trace_section *section = (void *)(dump->out.bytes + header->section_table_offset);
    section += index;
    section->offset = offset;
    section->capacity = used->size / section->record_size; /* of a ring that has lapped: all */
}

/* The profile, which does not change while the drain's lock is held. The recorder's lock is
 * released meanwhile. */
static void put_sections(struct dump *dump)
{
    struct beat_extent used[BEAT_SECTION_COUNT];
    size_t count = beat_sections_used(dump->memory, used);

    beat_unlock(dump->recorder);
    for (uint32_t i = 0; i < count; i++) {
        put_section(dump, i, &used[i]);
    }
    (void)beat_lock();
}

/* The lock is released while words are copied, and a new session may begin. It uses other
 * memory: ours is kept until it has been read. */
static enum mb_status put_all(struct dump *dump, struct mb_error *err)
{
    beat_memory_begin_reading(dump->memory);
    put_tables(dump);
    put_sections(dump);
    beat_drain_unlock();
    for (uint32_t i = 0; i < dump->memory->plan.ring_count; i++) {
        const struct abi_trace_ring *rings = (const void *)(dump->memory->bytes + ABI_TRACE_PAGE);
        if (rings[i].state != ABI_RING_UNUSED) {
            put_words(dump, i);
        }
    }
    beat_memory_end_reading(dump->memory);
    return mb_buf_check(&dump->out, err);
}

static enum mb_status write_file(const struct mb_buf *content, const char *path,
                                 struct mb_error *err)
{
    struct beat_output output;

    MB_TRY(beat_output_create(&output, path, err));
    enum mb_status status = beat_output_set_size(output.fd, content->size, err);
    if (status == MB_OK) {
        status = mb_file_write_all(output.fd, content->bytes, content->size, err);
    }
    if (status == MB_OK) {
        status = beat_output_appear(&output, path, err);
    }
    beat_output_discard(&output);
    return status;
}

MB_COLD bool beat_dump(const char *path)
{
    struct mb_error err;
    char line[600];
    enum mb_status status = MB_OK;
    beat_drain_lock();
    beat_drain_all();
    struct beat_recorder *recorder = beat_lock();
    struct dump dump = {.recorder = recorder, .memory = recorder->memory};

    if (recorder->recorded_session == BEAT_NO_SESSION) {
        status = mb_fail(&err, MB_IO, MB_NO_OFFSET, "nothing was recorded");
        beat_drain_unlock();
    } else {
        if (beat_is_recording()) {
            beat_clock_refine(recorder->header);
        }
        status = put_all(&dump, &err);
    }
    struct beat_options options = *recorder->options;
    beat_unlock(recorder);
    if (status == MB_OK) {
        status = write_file(&dump.out, path, &err);
    }
    mb_buf_finish(&dump.out);
    if (status != MB_OK) {
        mb_error_in_input(&err, path);
        beat_log(&options, "no dump: %s", mb_error_format(&err, line, sizeof(line)));
    }
    return status == MB_OK;
}
