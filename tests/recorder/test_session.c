/* Files, forks, full disks. */
#include "abi/hash.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/file.h"
#include "recorder/methodbeat.h"
#include "traces.h"

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

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TestSuite(session, .init = traces_make_folder, .fini = traces_remove_folder);

Test(session, the_file_is_readable_at_any_moment)
{
    struct beat_options options = traces_options(traces_path);

    cr_assert(beat_start(&options));
    beat_i(7);
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 1));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 7));
    cr_assert(eq(u32, loaded.trace.header.state, ABI_TRACE_OPEN));
    cr_assert(eq(u32, loaded.trace.header.process_id, (uint32_t)getpid()));
    beat_stop();
    struct traces_loaded closed = traces_load(traces_path);
    cr_assert(eq(u32, closed.trace.header.state, ABI_TRACE_CLOSED));
    mb_buf_finish(&loaded.bytes);
    mb_buf_finish(&closed.bytes);
}

Test(session, records_before_the_start_move_to_the_file)
{
    struct beat_options options = traces_options(traces_path);

    options.main_thread = 0;
    beat_i(1);
    beat_i(2);
    cr_assert(beat_start(&options));
    beat_o(2);
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 3));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 1));
    mb_buf_finish(&loaded.bytes);
}

Test(session, an_older_trace_is_replaced_not_overwritten)
{
    struct beat_options options = traces_options(traces_path);
    FILE *old = fopen(traces_path, "w+");

    (void)fputs(ABI_TRACE_MAGIC "old", old);
    (void)fflush(old);
    cr_assert(beat_start(&options));
    char text[12] = "";
    rewind(old);
    cr_assert(eq(sz, fread(text, 1, 11, old), 11));
    cr_assert_str_eq(text, ABI_TRACE_MAGIC "old");
    (void)fclose(old);
    struct traces_loaded loaded = traces_load(traces_path);
    mb_buf_finish(&loaded.bytes);
}

Test(session, the_name_may_hold_the_process_id)
{
    char pattern[80];
    char expected[128];
    snprintf(pattern, sizeof(pattern), "%s/%%p.mbtrace", traces_folder);
    snprintf(expected, sizeof(expected), "%s/%ld.mbtrace", traces_folder, (long)getpid());
    struct beat_options options = traces_options(pattern);

    cr_assert(beat_start(&options));
    cr_assert(eq(int, access(expected, R_OK), 0));
}

Test(session, the_mapping_is_remembered)
{
    char mapping[128];
    snprintf(mapping, sizeof(mapping), "%s/methodMapping.txt", traces_folder);
    FILE *file = fopen(mapping, "w");
    (void)fputs("1,1,a.A b ()V\n", file);
    (void)fclose(file);
    struct beat_options options = traces_options(traces_path);

    options.mapping = mapping;
    cr_assert(beat_start(&options));
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(
        eq(u64, loaded.trace.header.mapping_hash, abi_hash(ABI_HASH_START, "1,1,a.A b ()V\n", 14)));
    mb_buf_finish(&loaded.bytes);
}

Test(session, without_a_writable_folder_the_program_runs_on)
{
    struct beat_options options = traces_options("/nonexistent/folder/a.mbtrace");

    cr_assert(not(beat_start(&options)));
    cr_assert(strstr(traces_log, "recording in memory only") != NULL, "%s", traces_log);
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
    struct beat_options options = traces_options(traces_path);

    signal(SIGXFSZ, SIG_IGN);
    cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
    cr_assert(not(beat_start(&options)));
    cr_assert(strstr(traces_log, "recording in memory only") != NULL, "%s", traces_log);
    cr_assert(eq(int, access(traces_path, F_OK), -1));
    for (uint32_t i = 0; i < 3000000; i++) {
        beat_i(1);
    }
}

Test(session, a_deleted_file_does_not_matter)
{
    struct beat_options options = traces_options(traces_path);

    cr_assert(beat_start(&options));
    cr_assert(eq(int, unlink(traces_path), 0));
    for (uint32_t i = 0; i < 3000000; i++) {
        beat_i(1);
    }
    cr_assert(beat_dump(traces_path));
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(u64, loaded.main.entry.written, 3000000));
    mb_buf_finish(&loaded.bytes);
}

Test(session, a_file_that_is_moved_goes_on)
{
    struct beat_options options = traces_options(traces_path);
    char moved[sizeof(traces_path) + 8];

    options.profile = BEAT_ON;
    (void)snprintf(moved, sizeof(moved), "%s.moved", traces_path);
    cr_assert(beat_start(&options));
    beat_i(1);
    cr_assert(eq(int, rename(traces_path, moved), 0));
    beat_o(1);
    beat_stop();
    cr_assert(beat_start(&options));
    beat_i(2);
    beat_stop();
    struct traces_loaded before = traces_load(moved);
    struct traces_loaded after = traces_load(traces_path);
    cr_assert(eq(u32, before.trace.header.state, ABI_TRACE_CLOSED));
    cr_assert(eq(sz, before.main.run_counts[0], 2));
    cr_assert(eq(sz, after.main.run_counts[0], 1));
    mb_buf_finish(&before.bytes);
    mb_buf_finish(&after.bytes);
}

Test(session, a_forked_child_leaves_the_parents_trace_alone)
{
    struct beat_options options = traces_options(traces_path);
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
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(u64, loaded.main.entry.written, 2));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][1]), 1));
    mb_buf_finish(&loaded.bytes);
}

Test(session, what_nobody_starts_in_time_is_released, .timeout = 60)
{
    double begin = now_s();
    setenv("METHODBEAT_START_WITHIN_MS", "300", 1);
    beat_i(1);
    cr_assert(beat_is_recording());
    while (beat_is_recording()) {
        usleep(1000);
    }
    cr_assert(ge(dbl, now_s() - begin, 0.3));
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
    struct beat_options options = traces_options(NULL);

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

/* Whoever comes while the other one records is told so; the path is whose came last. */
Test(session, two_processes_with_one_file_do_not_mix)
{
    pid_t children[2];
    int status;

    for (uint32_t c = 0; c < 2; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            for (int session = 0; session < 20; session++) {
                struct beat_options options = traces_options(traces_path);
                options.main_words = 4096;
                (void)beat_start(&options);
                for (int i = 0; i < 3000; i++) {
                    beat_i(c + 1);
                }
                beat_stop();
            }
            _exit(traces_log[0] == '\0' || strstr(traces_log, "is recording to it") != NULL ? 0
                                                                                            : 1);
        }
    }
    for (int c = 0; c < 2; c++) {
        cr_assert(eq(int, waitpid(children[c], &status, 0), children[c]));
        cr_assert(eq(int, status, 0));
    }
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(sz, loaded.main.run_counts[0], 3000));
    for (size_t i = 1; i < 3000; i++) {
        cr_assert(
            eq(u32, abi_record_id(loaded.main.runs[0][i]), abi_record_id(loaded.main.runs[0][0])));
    }
    cr_assert(eq(sz, traces_count_files(), 1));
    mb_buf_finish(&loaded.bytes);
}

Test(session, a_file_that_is_no_trace_stays)
{
    struct beat_options options = traces_options(traces_path);
    char text[16] = "";

    traces_write(traces_path, "my diary");
    cr_assert(not(beat_start(&options)));
    cr_assert(strstr(traces_log, "recording in memory only") != NULL, "%s", traces_log);
    beat_i(1);
    beat_stop();
    FILE *file = fopen(traces_path, "r");
    cr_assert(fgets(text, sizeof(text), file) != NULL);
    cr_assert_str_eq(text, "my diary");
    (void)fclose(file);
}
