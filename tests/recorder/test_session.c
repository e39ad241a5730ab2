/* Files, forks, full disks. */
#include "abi/hash.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/file.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/mb_sessionXXXXXX";
static char path[64];
static char logged[256];

static void take_log(const char *line)
{
    (void)snprintf(logged, sizeof(logged), "%s", line);
}

static void make_folder(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof(path), "%s/a.mbtrace", folder);
}

static void remove_folder(void)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    (void)!system(command);
}

static struct beat_options to_file(const char *file)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = file;
    options.log = take_log;
    options.main_thread = (int32_t)gettid();
    return options;
}

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct loaded {
    struct mb_buf bytes;
    struct abi_tracefile trace;
    struct abi_ring_view main;
};

static struct loaded load(const char *file)
{
    struct loaded loaded = {0};
    struct mb_error err = {0};
    bool used;

    cr_assert(eq(int, mb_file_read(&loaded.bytes, file, NULL), MB_OK));
    cr_assert(eq(int,
                 abi_tracefile_open(&loaded.trace, loaded.bytes.bytes, loaded.bytes.size, &err),
                 MB_OK),
              "%s", err.reason);
    cr_assert(eq(int, abi_tracefile_ring(&loaded.trace, 0, &loaded.main, &used, NULL), MB_OK));
    return loaded;
}

TestSuite(session, .init = make_folder, .fini = remove_folder);

Test(session, the_file_is_readable_at_any_moment)
{
    struct beat_options options = to_file(path);

    cr_assert(beat_start(&options));
    beat_i(7);
    struct loaded loaded = load(path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 1));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 7));
    cr_assert(eq(u32, loaded.trace.header.state, ABI_TRACE_OPEN));
    cr_assert(eq(u32, loaded.trace.header.process_id, (uint32_t)getpid()));
    beat_stop();
    struct loaded closed = load(path);
    cr_assert(eq(u32, closed.trace.header.state, ABI_TRACE_CLOSED));
    mb_buf_finish(&loaded.bytes);
    mb_buf_finish(&closed.bytes);
}

Test(session, records_before_the_start_move_to_the_file)
{
    struct beat_options options = to_file(path);

    options.main_thread = 0;
    beat_i(1);
    beat_i(2);
    cr_assert(beat_start(&options));
    beat_o(2);
    struct loaded loaded = load(path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 3));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 1));
    mb_buf_finish(&loaded.bytes);
}

Test(session, an_older_trace_is_replaced_not_overwritten)
{
    struct beat_options options = to_file(path);
    FILE *old = fopen(path, "w+");

    (void)fputs("old", old);
    (void)fflush(old);
    cr_assert(beat_start(&options));
    char text[4] = "";
    rewind(old);
    cr_assert(eq(sz, fread(text, 1, 3, old), 3));
    cr_assert_str_eq(text, "old");
    (void)fclose(old);
}

Test(session, the_name_may_hold_the_process_id)
{
    char pattern[80];
    char expected[128];
    snprintf(pattern, sizeof(pattern), "%s/%%p.mbtrace", folder);
    snprintf(expected, sizeof(expected), "%s/%ld.mbtrace", folder, (long)getpid());
    struct beat_options options = to_file(pattern);

    cr_assert(beat_start(&options));
    cr_assert(eq(int, access(expected, R_OK), 0));
}

Test(session, the_mapping_is_remembered)
{
    char mapping[80];
    snprintf(mapping, sizeof(mapping), "%s/methodMapping.txt", folder);
    FILE *file = fopen(mapping, "w");
    (void)fputs("1,1,a.A b ()V\n", file);
    (void)fclose(file);
    struct beat_options options = to_file(path);

    options.mapping = mapping;
    cr_assert(beat_start(&options));
    struct loaded loaded = load(path);
    cr_assert(
        eq(u64, loaded.trace.header.mapping_hash, abi_hash(ABI_HASH_START, "1,1,a.A b ()V\n", 14)));
    mb_buf_finish(&loaded.bytes);
}

Test(session, without_a_writable_folder_the_program_runs_on)
{
    struct beat_options options = to_file("/nonexistent/folder/a.mbtrace");

    cr_assert(beat_start(&options));
    cr_assert(strstr(logged, "recording in memory only") != NULL, "%s", logged);
    beat_i(1);
    uint64_t word;
    size_t count = 1;
    cr_assert(beat_copy(NULL, BEAT_SELF, &word, &count));
    cr_assert(eq(sz, count, 1));
}

/* A file size limit fails the way a full disk does, before any store can. */
Test(session, without_disk_space_the_program_runs_on)
{
    struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
    struct beat_options options = to_file(path);

    signal(SIGXFSZ, SIG_IGN);
    cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
    cr_assert(beat_start(&options));
    cr_assert(strstr(logged, "recording in memory only") != NULL, "%s", logged);
    cr_assert(eq(int, access(path, F_OK), -1));
    for (uint32_t i = 0; i < 3000000; i++) {
        beat_i(1);
    }
}

Test(session, a_deleted_file_does_not_matter)
{
    struct beat_options options = to_file(path);

    cr_assert(beat_start(&options));
    cr_assert(eq(int, unlink(path), 0));
    for (uint32_t i = 0; i < 3000000; i++) {
        beat_i(1);
    }
    cr_assert(beat_dump(path));
    struct loaded loaded = load(path);
    cr_assert(eq(u64, loaded.main.entry.written, 3000000));
    mb_buf_finish(&loaded.bytes);
}

Test(session, a_dump_holds_what_the_rings_hold)
{
    struct beat_options options = to_file(NULL);

    options.main_words = 1024;
    cr_assert(beat_start(&options));
    for (uint32_t id = 1; id <= 3000; id++) {
        beat_i(id);
    }
    beat_name_thread("the main one");
    cr_assert(beat_dump(path));
    beat_i(4000); /* goes on */
    struct loaded loaded = load(path);
    cr_assert(eq(u64, loaded.main.first_position, 3000 - 1023));
    cr_assert(eq(sz, loaded.main.run_counts[0], 1023));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 3000 - 1022));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][1022]), 3000));
    cr_assert_str_eq(loaded.main.entry.thread_name, "the main one");
    mb_buf_finish(&loaded.bytes);
}

Test(session, a_dump_does_away_with_no_pipe)
{
    struct beat_options options = to_file(NULL);
    struct stat info;

    cr_assert(eq(int, mkfifo(path, 0600), 0));
    cr_assert(beat_start(&options));
    cr_assert(not(beat_dump(path)));
    cr_assert(eq(int, stat(path, &info), 0));
    cr_assert(eq(u32, info.st_mode & S_IFMT, S_IFIFO));
    cr_assert(eq(int, unlink(path), 0));
}

Test(session, there_is_nothing_to_dump_before_the_first_probe)
{
    cr_assert(not(beat_dump(path)));
    cr_assert(eq(int, access(path, F_OK), -1));
}

Test(session, a_forked_child_leaves_the_parents_trace_alone)
{
    struct beat_options options = to_file(path);
    int status;

    cr_assert(beat_start(&options));
    beat_i(1);
    pid_t child = fork();
    if (child == 0) {
        beat_i(2);
        beat_o(2);
        bool silent = !beat_is_recording();
        options.file = NULL;
        options.main_thread = 0;
        bool restarted = beat_start(&options);
        beat_i(3);
        uint64_t words[4];
        size_t count = 4;
        bool own =
            beat_copy(NULL, BEAT_SELF, words, &count) && count == 1 && abi_record_id(words[0]) == 3;
        _exit(silent && restarted && own ? 0 : 1);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(eq(int, status, 0));
    beat_o(1);
    struct loaded loaded = load(path);
    cr_assert(eq(u64, loaded.main.entry.written, 2));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][1]), 1));
    mb_buf_finish(&loaded.bytes);
}

Test(session, what_nobody_starts_is_released_after_ten_seconds, .timeout = 60)
{
    double begin = now_s();
    beat_i(1);
    cr_assert(beat_is_recording());
    while (beat_is_recording() && now_s() - begin < 15) {
        usleep(10000);
    }
    cr_assert(not(beat_is_recording()));
    cr_assert(ge(dbl, now_s() - begin, 10));
    beat_i(1);
    uint64_t word;
    size_t count = 1;
    cr_assert(not(beat_copy(NULL, BEAT_MAIN, &word, &count)));
    cr_assert(beat_start(NULL));
    beat_i(1);
    cr_assert(beat_is_recording());
}

Test(session, restarts_do_not_eat_memory)
{
    struct beat_options options = to_file(NULL);

    options.threads = BEAT_THREADS_ALL;
    for (int i = 0; i < 2000; i++) { /* 80 GB of addresses if each took its own */
        cr_assert(beat_start(&options));
        beat_i(1);
        beat_stop();
    }
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;
    cr_assert(eq(int, fscanf(file, "%*d %ld", &pages), 1));
    (void)fclose(file);
    cr_assert(lt(long, pages, 50000), "%ld", pages); /* resident */
}
