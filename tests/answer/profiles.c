#include "profiles.h"

#include "base/buf.h"
#include "base/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* A section and what is in it. */
struct part {
    uint32_t kind;
    uint32_t record_size;
    const void *records;
    size_t count;
};

struct bench_requests bench_requests;

static void pad(struct mb_buf *file)
{
    while (file->size % ABI_TRACE_PAGE != 0) {
        mb_buf_put_u1(file, 0);
    }
}

static void put_part(struct mb_buf *file, size_t entry, const struct part *part,
                     const struct bench_profile *profile)
{
    bool is_nodes = part->kind == ABI_SECTION_PROFILE_NODES && profile->record_size > 0;
    const struct abi_trace_section section = {
        .kind = part->kind,
        .record_size = is_nodes ? profile->record_size : part->record_size,
        .offset = file->size,
        .capacity = part->count + profile->more,
        .written = part->count + profile->more,
        .lost = profile->lost,
    };

    memcpy(file->bytes + entry, &section, sizeof(section));
    mb_buf_put(file, part->records, part->count * part->record_size);
    if (profile->more == 0) {
        pad(file);
    }
}

void bench_add_profile(const char *name, const struct bench_profile *profile)
{
    const struct part parts[] = {
        {ABI_SECTION_PROFILE_THREADS, sizeof(*profile->threads), profile->threads,
         profile->thread_count},
        {ABI_SECTION_PROFILE_MUTES, sizeof(*profile->mutes), profile->mutes, profile->mute_count},
        {ABI_SECTION_PROFILE_NODES, sizeof(*profile->nodes), profile->nodes, profile->node_count},
        {ABI_SECTION_PROFILE_LENGTHS, sizeof(uint64_t), bench_requests.lengths,
         bench_requests.length_count},
        {ABI_SECTION_PROFILE_SLOW_NODES, sizeof(*bench_requests.slow_nodes),
         bench_requests.slow_nodes, bench_requests.slow_node_count},
        {ABI_SECTION_PROFILE_SLOW, sizeof(*bench_requests.slow), bench_requests.slow,
         bench_requests.slow_count},
        {ABI_SECTION_PROFILE_PAUSES, sizeof(*bench_requests.pauses), bench_requests.pauses,
         bench_requests.pause_count},
    };
    struct mb_buf file = {0};

    cr_assert(eq(int, mb_file_read(&file, bench_path(name), NULL), MB_OK));
    pad(&file);
    struct abi_trace_header *header = (void *)file.bytes;
    size_t table = file.size;
    header->version = ABI_TRACE_VERSION;
    header->section_table_offset = table;
    header->section_count = MB_COUNT(parts);
    header->section_size = sizeof(struct abi_trace_section);
    mb_buf_put_u1(&file, 0);
    pad(&file);
    for (size_t i = 0; i < MB_COUNT(parts); i++) {
        put_part(&file, table + i * sizeof(struct abi_trace_section), &parts[i], profile);
    }
    cr_assert(not(file.failed));
    bench_write(name, file.bytes, file.size);
    mb_buf_finish(&file);
}
