#include "recorder/layout.h"

#include "abi/hash.h"
#include "base/file.h"
#include "recorder/clock.h"
#include "recorder/lanes.h"
#include "recorder/memory.h"
#include "recorder/name.h"
#include "recorder/rings.h"
#include "recorder/sections.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void beat_layout_name_process(struct abi_trace_header *header, const char *wanted)
{
    char line[256] = "";
    const char *name = line;

    if (wanted != NULL) {
        name = wanted;
    } else {
        FILE *file = fopen("/proc/self/cmdline", "re");
        size_t size = file != NULL ? fread(line, 1, sizeof(line) - 1, file) : 0;
        line[size] = '\0'; /* the first argument ends earlier */
        if (file != NULL) {
            (void)fclose(file);
        }
    }
    beat_name_copy(header->process_name, name);
}

/* Of a program that is to run on nothing is asked that may never come, as from a pipe. */
static enum mb_status read_mapping(struct mb_buf *mapping, const char *path, struct mb_error *err)
{
    struct stat info;

    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        enum mb_status status = mb_fail(err, MB_IO, MB_NO_OFFSET, "is no regular file");
        mb_error_in_input(err, path);
        return status;
    }
    return mb_file_read(mapping, path, err);
}

void beat_layout_name_mapping(struct beat_recorder *recorder, const struct beat_options *options)
{
    struct mb_buf mapping = {0};
    struct mb_error err;
    uint64_t hash = options->mapping_hash;

    if (options->mapping != NULL && read_mapping(&mapping, options->mapping, &err) == MB_OK) {
        hash = abi_hash(ABI_HASH_START, mapping.bytes, mapping.size);
    } else if (options->mapping != NULL) {
        beat_log(options, "%s: %s; the trace will fit any mapping", err.input, err.reason);
    }
    mb_buf_finish(&mapping);
    atomic_store_explicit(&recorder->header->mapping_hash, hash, memory_order_relaxed);
}

static enum abi_clock_kind choose_clock(const struct beat_options *options)
{
    if (options->clock == BEAT_CLOCK_COARSE) {
        return ABI_CLOCK_COARSE;
    }
    if (beat_clock_counter_is_usable()) {
        return ABI_CLOCK_COUNTER;
    }
    if (options->clock == BEAT_CLOCK_COUNTER) {
        beat_log(options, "this CPU's counter is not usable: coarse clock instead");
    }
    return ABI_CLOCK_COARSE;
}

void beat_layout_describe(struct beat_recorder *recorder, const struct beat_options *options)
{
    struct abi_trace_header *header = recorder->header;

    header->byte_order = ABI_TRACE_BYTE_ORDER;
    header->version = ABI_TRACE_VERSION;
    header->state = ABI_TRACE_OPEN;
    header->process_id = (uint32_t)getpid();
    header->min_ns = options->min_ns;
    beat_layout_name_process(header, options->process_name);
    beat_layout_name_mapping(recorder, options);
    beat_rings_init(recorder);
    beat_sections_init(recorder, recorder->memory->size - beat_sections_plan(&recorder->options));
    beat_clock_begin(header, choose_clock(options), recorder->options.tick_ms);
    /* Last: a file without it is no trace yet. */
    memcpy(header->magic, ABI_TRACE_MAGIC, sizeof(header->magic));
}

/* "auto": the process's name without folders, and its id, in the working folder. */
static void name_automatically(char *path, const struct abi_trace_header *header)
{
    const char *folders = strrchr(header->process_name, '/');
    const char *name = folders != NULL ? folders + 1 : header->process_name;

    (void)snprintf(path, BEAT_PATH_SIZE, "%s-%ld.mbtrace", name[0] != '\0' ? name : "methodbeat",
                   (long)getpid());
}

/* "%p" is the process id. False if the name gets too long. */
static bool expand_path(char *path, const char *pattern)
{
    size_t size = 0;

    for (const char *next = pattern; *next != '\0' && size < BEAT_PATH_SIZE - 12; next++) {
        if (next[0] == '%' && next[1] == 'p') {
            size += (size_t)snprintf(path + size, 12, "%ld", (long)getpid());
            next++;
        } else {
            path[size++] = *next;
        }
    }
    path[size] = '\0';
    return size < BEAT_PATH_SIZE - 12;
}

void beat_layout_move_to_file(struct beat_recorder *recorder, const char *pattern)
{
    struct mb_error err;
    char line[600];

    recorder->file[0] = '\0';
    if (pattern == NULL || pattern[0] == '\0') {
        return;
    }
    if (strcmp(pattern, BEAT_AUTO_FILE) == 0) {
        name_automatically(recorder->file, recorder->header);
    } else if (!expand_path(recorder->file, pattern)) {
        beat_log(&recorder->options, "the trace's name is too long: recording in memory only");
        recorder->file[0] = '\0';
        return;
    }
    struct beat_extent extents[1 + BEAT_SECTION_COUNT] = {{0, beat_rings_used_size(recorder)}};
    size_t count = 1 + beat_sections_used(recorder->memory, extents + 1);
    if (beat_memory_move_to_file(recorder->memory, recorder->file, extents, count, &err) != MB_OK) {
        mb_error_in_input(&err, recorder->file);
        beat_log(&recorder->options, "%s: recording in memory only",
                 mb_error_format(&err, line, sizeof(line)));
        recorder->file[0] = '\0';
    }
}

bool beat_layout_take_memory(struct beat_recorder *recorder, size_t size)
{
    const struct beat_options *options = &recorder->options;
    const struct beat_plan plan = {
        .ring_count = beat_rings_count(options),
        .lane_count = beat_lanes_count(options),
        .main_words = options->main_words,
        .thread_words = options->thread_words,
        .profile_nodes = options->profile == BEAT_ON ? options->profile_nodes : 0,
    };
    struct mb_error err;

    beat_memory_release(recorder->memory);
    recorder->memory = beat_memory_take(&plan, size, &err);
    if (recorder->memory == NULL) {
        beat_log(options, "%s", err.reason);
        return false;
    }
    recorder->header = (struct abi_trace_header *)(void *)recorder->memory->bytes;
    return true;
}
