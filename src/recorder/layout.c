#include "recorder/layout.h"

#include "abi/hash.h"
#include "abi/identity.h"
#include "base/file.h"
#include "base/text.h"
#include "recorder/clock.h"
#include "recorder/memory.h"
#include "recorder/method_names.h"
#include "recorder/mutes.h"
#include "recorder/name.h"
#include "recorder/output.h"
#include "recorder/plan.h"
#include "recorder/rings.h"
#include "recorder/sections.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__ANDROID__)
#define PLATFORM ABI_PLATFORM_ANDROID
#else
#define PLATFORM ABI_PLATFORM_OTHER
#endif

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

/* Regular files only: reading a pipe could block the program. */
static enum mb_status read_mapping(struct mb_buf *mapping, const char *path, struct mb_error *err)
{
    struct stat info;

    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return mb_fail_in(err, MB_IO, path, "is no regular file");
    }
    return mb_file_read(mapping, path, err);
}

/* Absolute, since a report is made elsewhere. False if it does not fit. */
static bool make_absolute(char *absolute, const char *path)
{
    absolute[0] = '\0';
    if (path[0] != '/' && getcwd(absolute, ABI_TRACE_MAPPING_SIZE) == NULL) {
        return false;
    }
    size_t size = strlen(absolute);
    size_t room = ABI_TRACE_MAPPING_SIZE - size;
    int more = snprintf(absolute + size, room, "%s%s", size > 1 ? "/" : "", path);
    return more > 0 && (size_t)more < room;
}

/* The size is stored last: if the process is killed in between, the trace has no path. */
static void note_path(struct abi_trace_header *header, const char *path)
{
    char *absolute = (char *)header + ABI_TRACE_MAPPING_OFFSET;

    atomic_store_explicit(&header->mapping_path, 0, memory_order_relaxed);
    if (path != NULL && make_absolute(absolute, path)) {
        /* Release: a reader of the live file that sees this sees the bytes. */
        atomic_store_explicit(&header->mapping_path,
                              (uint64_t)ABI_TRACE_MAPPING_OFFSET << 32 | strlen(absolute),
                              memory_order_release);
    }
}

void beat_layout_name_mapping(struct beat_recorder *recorder, const struct beat_options *options)
{
    struct mb_buf mapping = {0};
    struct mb_error err;
    uint64_t hash = options->mapping_hash;

    if (options->mapping != NULL && read_mapping(&mapping, options->mapping, &err) == MB_OK) {
        hash = abi_hash_map(mapping.bytes, mapping.size);
    } else if (options->mapping != NULL) {
        beat_log(options, "%s: %s; the trace will fit any mapping", err.input, err.reason);
    }
    mb_buf_finish(&mapping);
    atomic_store_explicit(&recorder->header->mapping_hash, hash, memory_order_relaxed);
    note_path(recorder->header,
              options->mapping_path != NULL ? options->mapping_path : options->mapping);
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
    header->platform = PLATFORM;
    beat_layout_name_process(header, options->process_name);
    beat_layout_name_mapping(recorder, options);
    beat_identity_note(recorder, options);
    beat_rings_init(recorder);
    beat_sections_init(recorder, recorder->memory->size - beat_sections_plan(recorder->options));
    struct abi_trace_section *mutes =
        beat_sections_find(recorder->memory, ABI_SECTION_PROFILE_MUTES);
    if (mutes != NULL) {
        beat_mutes_keep(mutes, beat_sections_records(recorder->memory, mutes));
    }
    beat_names_begin(recorder);
    beat_weaving_begin(recorder);
    beat_clock_begin(header, choose_clock(options), recorder->options->tick_ms);
    /* Last: a file without it is not a trace yet. */
    memcpy(header->magic, ABI_TRACE_MAGIC, sizeof(header->magic));
}

void (*beat_layout_listener)(const char *file, const char *failure);

/* There is one message. */
static void tell_failure(const struct beat_options *options, const char *reason)
{
    beat_log(options, "%s", reason);
    if (beat_layout_listener != NULL) {
        beat_layout_listener(NULL, reason);
    }
}

/* The recording stays in memory. */
static void give_up_file(struct beat_recorder *recorder, const char *reason)
{
    char line[600];

    (void)snprintf(line, sizeof(line), "%s: recording in memory only", reason);
    tell_failure(recorder->options, line);
    recorder->file[0] = '\0';
}

void beat_layout_move_to_file(struct beat_recorder *recorder, const char *pattern)
{
    struct mb_error err;
    char line[600];

    recorder->file[0] = '\0';
    if (pattern == NULL || pattern[0] == '\0') {
        return;
    }
    if (!beat_place_find(recorder->file, pattern, recorder->header->process_name)) {
        give_up_file(recorder, "the trace's name is too long");
        return;
    }
    if (beat_place_is_folder(pattern)) {
        beat_place_tidy(recorder->file);
    }
    struct beat_extent extents[BEAT_RINGS_EXTENTS + BEAT_SECTION_COUNT];
    beat_rings_used(recorder, extents);
    size_t count =
        BEAT_RINGS_EXTENTS + beat_sections_used(recorder->memory, extents + BEAT_RINGS_EXTENTS);
    if (beat_memory_move_to_file(recorder->memory, recorder->file, extents, count, &err) != MB_OK) {
        mb_error_in_input(&err, recorder->file);
        give_up_file(recorder, mb_error_format(&err, line, sizeof(line)));
    } else if (beat_layout_listener != NULL) {
        beat_layout_listener(recorder->file, NULL);
    }
}

bool beat_layout_take_memory(struct beat_recorder *recorder, size_t size)
{
    const struct beat_options *options = recorder->options;
    const struct beat_plan plan = {
        .ring_count = beat_plan_ring_count(options),
        .lane_count = beat_plan_lane_count(options),
        .main_words = options->main_words,
        .thread_words = options->thread_words,
        .profile_nodes = options->profile == BEAT_ON ? options->profile_nodes : 0,
        .has_names = recorder->expects_names,
    };
    struct mb_error err;

    beat_memory_release(recorder->memory);
    recorder->memory = beat_memory_take(&plan, size, &err);
    if (recorder->memory == NULL) {
        tell_failure(options, err.reason);
        return false;
    }
    recorder->header = recorder->memory->header;
    return true;
}

/* ---- Where a trace goes ---- */

#define SUFFIX ".mbtrace"
#define NUMBER_SIZE 12u
#define MOST_REMOVED 16u /* by one start, which is not to take long */
#define UNFINISHED_SECONDS 60

/* ---- Names ---- */

bool beat_place_is_folder(const char *pattern)
{
    size_t size = strlen(pattern);

    return size > 0 && pattern[size - 1] == '/';
}

/* False if it gets too long. */
static bool name_by_process(char path[BEAT_PATH_SIZE], const char *folder, const char *process)
{
    char name[ABI_TRACE_NAME_SIZE];

    beat_name_as_file(name, sizeof(name), mb_last_part(process));
    int size = snprintf(path, BEAT_PATH_SIZE, "%s%s-%ld" SUFFIX, folder, name, (long)getpid());
    return size >= 0 && (size_t)size < BEAT_PATH_SIZE;
}

static bool expand_pattern(char path[BEAT_PATH_SIZE], const char *pattern)
{
    size_t size = 0;

    for (const char *next = pattern; *next != '\0' && size < BEAT_PATH_SIZE - NUMBER_SIZE; next++) {
        if (next[0] == '%' && next[1] == 'p') {
            size += (size_t)snprintf(path + size, NUMBER_SIZE, "%ld", (long)getpid());
            next++;
        } else {
            path[size++] = *next;
            next += next[0] == '%' && next[1] == '%';
        }
    }
    path[size] = '\0';
    return size < BEAT_PATH_SIZE - NUMBER_SIZE;
}

bool beat_place_find(char path[BEAT_PATH_SIZE], const char *pattern, const char *process)
{
    if (strcmp(pattern, BEAT_AUTO_FILE) == 0) {
        return name_by_process(path, "", process);
    }
    if (!beat_place_is_folder(pattern)) {
        return expand_pattern(path, pattern);
    }
    (void)mkdir(pattern, 0700); /* if not, creating the trace tells */
    return name_by_process(path, pattern, process);
}

/* ---- Old traces ---- */

/* NAME-PID.mbtrace, and its name before it was whole. */
struct sibling {
    char name[BEAT_PATH_SIZE];
    struct timespec changed;
};

/* Is it "<the same name>-<digits>.mbtrace"? own is the new trace's name. */
static bool is_sibling(const char *name, const char *own, bool *is_whole)
{
    size_t prefix = (size_t)(strrchr(own, '-') - own) + 1;

    if (strncmp(name, own, prefix) != 0) {
        return false;
    }
    size_t digits = strspn(name + prefix, "0123456789");
    const char *rest = name + prefix + digits;
    if (digits == 0 || strncmp(rest, SUFFIX, sizeof(SUFFIX) - 1) != 0) {
        return false;
    }
    *is_whole = rest[sizeof(SUFFIX) - 1] == '\0';
    return *is_whole || strlen(rest) == sizeof(SUFFIX) - 1 + BEAT_TEMPORARY_SIZE;
}

/* A trace whose recording is over, or an unfinished one that is not written any more. */
static bool may_go(int folder, const char *name, bool is_whole, struct timespec *changed)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    bool goes = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && beat_output_is_trace(fd) &&
                beat_output_writer(fd) == 0 &&
                (is_whole || time(NULL) - info.st_mtime > UNFINISHED_SECONDS);
    *changed = info.st_mtim;
    (void)close(fd);
    return goes;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Find the oldest removable trace; unfinished ones count as oldest. Returns the number of
 * removable traces. */
static uint32_t find_oldest(DIR *list, const char *own, struct sibling *oldest)
{
    uint32_t count = 0;
    bool is_whole;

    rewinddir(list);
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct timespec changed;
        if (!is_sibling(entry->d_name, own, &is_whole) ||
            (is_whole && strcmp(entry->d_name, own) == 0) ||
            !may_go(dirfd(list), entry->d_name, is_whole, &changed)) {
            continue;
        }
        if (!is_whole) {
            (void)unlinkat(dirfd(list), entry->d_name, 0);
            continue;
        }
        if (count++ == 0 || is_older(&changed, &oldest->changed)) {
            (void)snprintf(oldest->name, sizeof(oldest->name), "%s", entry->d_name);
            oldest->changed = changed;
        }
    }
    return count;
}

void beat_place_tidy(const char *path)
{
    char folder[BEAT_PATH_SIZE];
    const char *own = strrchr(path, '/') + 1;
    struct sibling oldest;

    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(own - path), path);
    DIR *list = opendir(folder);
    if (list == NULL) {
        return;
    }
    for (uint32_t i = 0; i < MOST_REMOVED; i++) {
        if (find_oldest(list, own, &oldest) < BEAT_FOLDER_FILES ||
            unlinkat(dirfd(list), oldest.name, 0) != 0) {
            break;
        }
    }
    (void)closedir(list);
}

/* ---- Whom it comes from ---- */

/* Under the recorder's lock. */
static char told_pairs[ABI_IDENTITY_SIZE];

static void store_pairs(struct abi_trace_header *header, const char *pairs)
{
    struct abi_identity_area *area = (void *)((char *)header + ABI_IDENTITY_OFFSET);
    size_t size = strlen(pairs);

    atomic_store_explicit(&area->size, 0, memory_order_relaxed);
    if (size <= sizeof(area->pairs)) {
        atomic_thread_fence(memory_order_release); /* pairs only where there is no size */
        memcpy(area->pairs, pairs, size);
        atomic_store_explicit(&area->size, (uint32_t)size, memory_order_release);
    }
}

void beat_identity_note(struct beat_recorder *recorder, const struct beat_options *options)
{
    const struct mb_text given = mb_text_of(options->app != NULL ? options->app : "");
    char pairs[ABI_IDENTITY_SIZE];
    struct mb_error err;

    if (told_pairs[0] != '\0') {
        store_pairs(recorder->header, told_pairs);
    } else if (abi_identity_check(given, &err) != MB_OK) {
        beat_log(options, "app %s", err.reason);
    } else {
        abi_identity_complete(pairs, given);
        store_pairs(recorder->header, pairs);
    }
}

void beat_identity_tell(const char *pairs)
{
    struct beat_recorder *recorder = beat_lock();

    (void)snprintf(told_pairs, sizeof(told_pairs), "%s", pairs);
    if (recorder->recorded_session != BEAT_NO_SESSION) {
        store_pairs(recorder->header, told_pairs);
    }
    beat_unlock(recorder);
}
