#include "abi/record.h"
#include "recorder/methodbeat.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(dump, .init = traces_make_folder, .fini = traces_remove_folder);

Test(dump, it_holds_what_the_rings_hold)
{
    struct beat_options options = traces_options(NULL);

    options.main_words = 1024;
    cr_assert(beat_start(&options));
    for (uint32_t id = 1; id <= 3000; id++) {
        beat_i(id);
    }
    beat_name_thread("the main one");
    cr_assert(beat_dump(traces_path));
    beat_i(4000); /* goes on */
    struct traces_loaded loaded = traces_load(traces_path);
    cr_assert(eq(u64, loaded.main.first_position, 3000 - 1023));
    cr_assert(eq(sz, loaded.main.run_counts[0], 1023));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][0]), 3000 - 1022));
    cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][1022]), 3000));
    cr_assert_str_eq(loaded.main.entry.thread_name, "the main one");
    mb_buf_finish(&loaded.bytes);
}

Test(dump, it_does_away_with_no_pipe)
{
    struct beat_options options = traces_options(NULL);
    struct stat info;

    cr_assert(eq(int, mkfifo(traces_path, 0600), 0));
    cr_assert(beat_start(&options));
    cr_assert(not(beat_dump(traces_path)));
    cr_assert(eq(int, stat(traces_path, &info), 0));
    cr_assert(eq(u32, info.st_mode & S_IFMT, S_IFIFO));
    cr_assert(eq(int, unlink(traces_path), 0));
}

Test(dump, there_is_nothing_to_dump_before_the_first_probe)
{
    cr_assert(not(beat_dump(traces_path)));
    cr_assert(eq(int, access(traces_path, F_OK), -1));
}

Test(dump, it_takes_the_place_of_traces_only)
{
    struct beat_options options = traces_options(NULL);
    char planted[160];

    cr_assert(beat_start(&options));
    beat_i(1);
    cr_assert(beat_dump(traces_path));
    cr_assert(beat_dump(traces_path));
    (void)snprintf(planted, sizeof(planted), "%s/planted", traces_folder);
    traces_write(planted, "somebody's");
    cr_assert(not(beat_dump(planted)));
    cr_assert(strstr(traces_log, "no trace is in the way") != NULL, "%s", traces_log);
    cr_assert(eq(int, unlink(planted), 0));
    cr_assert(eq(int, symlink(traces_path, planted), 0));
    cr_assert(not(beat_dump(planted)));
    cr_assert(strstr(traces_log, "a symbolic link is in the way") != NULL, "%s", traces_log);
    cr_assert(eq(sz, traces_count_files(), 2));
}

/* The name that dumps used to have until they were complete. */
Test(dump, nobody_can_plant_a_link_where_it_is_written)
{
    struct beat_options options = traces_options(NULL);
    char planted[200];
    char target[160];

    (void)snprintf(target, sizeof(target), "%s/target", traces_folder);
    (void)snprintf(planted, sizeof(planted), "%s.tmp%ld", traces_path, (long)getpid());
    traces_write(target, "somebody's");
    cr_assert(eq(int, symlink(target, planted), 0));
    cr_assert(beat_start(&options));
    beat_i(1);
    cr_assert(beat_dump(traces_path));
    struct stat info;
    cr_assert(eq(int, stat(target, &info), 0));
    cr_assert(eq(sz, (size_t)info.st_size, strlen("somebody's")));
    cr_assert(eq(int, stat(traces_path, &info), 0));
    cr_assert(eq(u32, info.st_mode & 07777, 0600));
}

static _Atomic(int) failed_dumps;

static void *dump_often(void *unused)
{
    for (int i = 0; i < 100; i++) {
        atomic_fetch_add(&failed_dumps, !beat_dump(traces_path));
    }
    return unused;
}

/* Each is complete when it appears, whoever dumps to that path at the same time. */
Test(dump, two_at_once_to_one_path_are_both_whole)
{
    struct beat_options options = traces_options(NULL);
    pthread_t threads[2];

    options.main_words = 100000;
    cr_assert(beat_start(&options));
    for (uint32_t i = 1; i <= 50000; i++) {
        beat_i(i);
    }
    cr_assert(beat_dump(traces_path));
    for (int i = 0; i < 2; i++) {
        cr_assert(eq(int, pthread_create(&threads[i], NULL, dump_often, NULL), 0));
    }
    for (int i = 0; i < 50; i++) {
        struct traces_loaded loaded = traces_load(traces_path);
        cr_assert(eq(sz, loaded.main.run_counts[0], 50000));
        cr_assert(eq(u32, abi_record_id(loaded.main.runs[0][49999]), 50000));
        mb_buf_finish(&loaded.bytes);
    }
    for (int i = 0; i < 2; i++) {
        cr_assert(eq(int, pthread_join(threads[i], NULL), 0));
    }
    cr_assert(eq(int, atomic_load(&failed_dumps), 0));
    cr_assert(eq(sz, traces_count_files(), 1));
}

static _Atomic(bool) over;

static void *restart_often(void *options)
{
    beat_name_thread("restarts");
    for (uint32_t session = 1; !atomic_load(&over); session++) {
        (void)beat_start(options);
        for (uint32_t i = 0; i < 4000; i++) {
            beat_i(session);
        }
        beat_stop();
    }
    return NULL;
}

/* A start waits for no dump, and a dump has the words of one session. */
Test(dump, a_restart_leaves_it_the_words_it_began_with)
{
    struct beat_options options = traces_options(NULL);
    pthread_t thread;
    size_t checked = 0;

    options.threads = BEAT_THREADS_ALL;
    options.thread_words = 4096;
    cr_assert(beat_start(&options));
    cr_assert(eq(int, pthread_create(&thread, NULL, restart_often, &options), 0));
    for (int i = 0; i < 300 || checked == 0; i++) {
        cr_assert(beat_dump(traces_path));
        struct traces_loaded loaded = traces_load(traces_path);
        struct abi_ring_view view;
        if (traces_find_ring(&loaded, "restarts", &view) && view.run_counts[0] > 0) {
            uint32_t session = abi_record_id(view.runs[0][0]);
            for (size_t w = 0; w < view.run_counts[0]; w++, checked++) {
                cr_assert(eq(u32, abi_record_id(view.runs[0][w]), session));
            }
        }
        mb_buf_finish(&loaded.bytes);
    }
    atomic_store(&over, true);
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
}
