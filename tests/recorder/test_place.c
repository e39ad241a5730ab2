/* Names of traces by pattern, and folders that do not grow. */

#include "abi/tracefile.h"
#include "recorder/layout.h"
#include "recorder/output.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(place, .init = traces_make_folder, .fini = traces_remove_folder, .timeout = 60);

/* It begins so; the process id and rest follow, unless rest is NULL. */
static void expect_place(const char *pattern, const char *process, const char *begin,
                         const char *rest)
{
    char path[BEAT_PATH_SIZE];
    char expected[BEAT_PATH_SIZE];

    int size = snprintf(expected, sizeof(expected), "%s", begin);
    if (rest != NULL) {
        (void)snprintf(expected + size, sizeof(expected) - (size_t)size, "%ld%s", (long)getpid(),
                       rest);
    }
    cr_expect(beat_place_find(path, pattern, process), "%s", pattern);
    cr_expect_str_eq(path, expected);
}

Test(place, a_pattern_names_the_trace)
{
    cr_assert(eq(int, chdir(traces_folder), 0));
    expect_place("plain", "p", "plain", NULL);
    expect_place("a-%p", "p", "a-", "");
    expect_place("100%%pure %d %-%p", "p", "100%pure %d %-", "");
    expect_place("%%%p", "p", "%", "");
    expect_place("%p%", "p", "", "%");
    expect_place("auto", "/usr/bin/my app", "my_app-", ".mbtrace");
    expect_place("auto", "", "unnamed-", ".mbtrace");
    cr_expect(eq(sz, traces_count_files(), 0));
    expect_place("traces/", "com.acme:remote", "traces/com.acme_remote-", ".mbtrace");
    expect_place("traces/", "../..", "traces/_.-", ".mbtrace");
    cr_expect(eq(int, access("traces", X_OK), 0), "the folder is made");
    cr_assert(eq(int, rmdir("traces"), 0));
}

/* A trace or something else, changed that many seconds ago. */
static void put(const char *name, const char *content, int seconds)
{
    char path[BEAT_PATH_SIZE];
    const struct timespec times[2] = {{.tv_sec = time(NULL) - seconds},
                                      {.tv_sec = time(NULL) - seconds}};

    (void)snprintf(path, sizeof(path), "%s/%s", traces_folder, name);
    traces_write(path, content);
    cr_assert(eq(int, utimensat(AT_FDCWD, path, times, 0), 0));
}

static bool is_there(const char *name)
{
    char path[BEAT_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%s/%s", traces_folder, name);
    return access(path, F_OK) == 0;
}

Test(place, a_folder_keeps_the_newest_of_a_name)
{
    char own[BEAT_PATH_SIZE];
    static const char *const stay[] = {
        "app-1.mbtrace",        "app-2.mbtrace",       "app-3.mbtrace", "app_remote-4.mbtrace",
        "app-5.mbtrace.tmp",    "app-x.mbtrace",       "app-.mbtrace",  "app-9.mbtrace",
        "app-6.mbtrace.abcdef", "app-77.mbtrace.bak12"};

    put("app-1.mbtrace", ABI_TRACE_MAGIC, 10);
    put("app-2.mbtrace", ABI_TRACE_MAGIC, 20);
    put("app-3.mbtrace", ABI_TRACE_MAGIC, 30);
    put("app-4.mbtrace", ABI_TRACE_MAGIC, 40);
    put("app-8.mbtrace", ABI_TRACE_MAGIC, 4000000);
    put("app_remote-4.mbtrace", ABI_TRACE_MAGIC, 99);
    put("app-5.mbtrace.tmp", ABI_TRACE_MAGIC, 99);
    put("app-x.mbtrace", ABI_TRACE_MAGIC, 99);
    put("app-.mbtrace", ABI_TRACE_MAGIC, 99);
    put("app-9.mbtrace", "my diary, of some length", 99);
    put("app-6.mbtrace.abcdef", ABI_TRACE_MAGIC, 5);
    put("app-7.mbtrace.abcdef", ABI_TRACE_MAGIC, 99);
    put("app-77.mbtrace.bak12", ABI_TRACE_MAGIC, 99);
    (void)snprintf(own, sizeof(own), "%s/app-100.mbtrace", traces_folder);
    beat_place_tidy(own);
    for (size_t i = 0; i < MB_COUNT(stay); i++) {
        cr_expect(is_there(stay[i]), "%s stays", stay[i]);
    }
    cr_expect(not(is_there("app-4.mbtrace")));
    cr_expect(not(is_there("app-8.mbtrace")));
    cr_expect(not(is_there("app-7.mbtrace.abcdef")), "a killed process left it");
}

/* ---- Processes beside each other ---- */

/* A process that records to the trace until the pipe ends; its start has said what is returned. */
static pid_t record_beside(const char *pattern, const int until[2], bool *has_started)
{
    int said[2];

    cr_assert(eq(int, pipe(said), 0));
    pid_t child = fork();
    if (child == 0) {
        struct beat_options options = traces_options(pattern);
        options.process_name = "app";
        char answer = (char)('0' + beat_start(&options));
        char byte;
        (void)close(until[1]);
        beat_i(7);
        (void)!write(said[1], &answer, 1);
        (void)!read(until[0], &byte, 1);
        _exit(0); /* without a word, as if it was killed */
    }
    char answer = '?';
    (void)close(said[1]);
    cr_assert(eq(i64, read(said[0], &answer, 1), 1));
    (void)close(said[0]);
    *has_started = answer == '1';
    return child;
}

Test(place, a_second_process_leaves_the_trace_that_is_recorded)
{
    int until[2];
    bool has_started;
    struct stat before;
    struct stat after;

    cr_assert(eq(int, pipe(until), 0));
    pid_t first = record_beside(traces_path, until, &has_started);
    cr_assert(has_started);
    cr_assert(eq(int, stat(traces_path, &before), 0));
    struct beat_options options = traces_options(traces_path);
    cr_expect(not(beat_start(&options)), "not as asked");
    cr_expect(beat_is_recording(), "in memory");
    cr_expect_not_null(strstr(traces_log, "is recording to it: recording in memory only"));
    cr_expect(not(beat_dump(traces_path)));
    beat_stop();
    cr_assert(eq(int, stat(traces_path, &after), 0));
    cr_expect(before.st_ino == after.st_ino);
    cr_expect(eq(sz, traces_count_files(), 1));
    (void)close(until[1]);
    (void)waitpid(first, NULL, 0);
    cr_expect(beat_start(&options), "a trace whose process has died makes room");
    beat_stop();
    cr_expect(beat_start(&options), "as does one that is over");
    beat_stop();
}

Test(place, of_processes_that_start_at_once_one_has_the_trace)
{
    pid_t children[8];
    int until[2];
    uint32_t started = 0;
    int status;

    for (int round = 0; round < 10; round++) {
        cr_assert(eq(int, pipe(until), 0));
        for (size_t i = 0; i < MB_COUNT(children); i++) {
            children[i] = fork();
            if (children[i] == 0) {
                struct beat_options options = traces_options(traces_path);
                char byte;
                (void)close(until[1]);
                (void)!read(until[0], &byte, 1);
                bool has_started = beat_start(&options);
                (void)usleep(300000);
                _exit(has_started);
            }
        }
        (void)close(until[1]);
        (void)close(until[0]);
        started = 0;
        for (size_t i = 0; i < MB_COUNT(children); i++) {
            cr_assert(eq(int, waitpid(children[i], &status, 0), children[i]));
            started += (uint32_t)WEXITSTATUS(status);
        }
        cr_assert(eq(u32, started, 1), "round %d", round);
    }
    cr_assert(eq(sz, traces_count_files(), 1));
}

Test(place, processes_of_one_name_have_traces_of_their_own)
{
    char folder[160];
    pid_t children[6];
    int until[2];
    bool has_started;

    (void)snprintf(folder, sizeof(folder), "%s/", traces_folder);
    cr_assert(eq(int, pipe(until), 0));
    for (size_t i = 0; i < MB_COUNT(children); i++) {
        children[i] = record_beside(folder, until, &has_started);
        cr_assert(has_started);
    }
    cr_expect(eq(sz, traces_count_files(), 6), "nobody's trace goes while it is recorded");
    (void)close(until[1]);
    for (size_t i = 0; i < MB_COUNT(children); i++) {
        (void)waitpid(children[i], NULL, 0);
    }
    struct beat_options options = traces_options(folder);
    options.process_name = "app";
    cr_assert(beat_start(&options));
    beat_stop();
    cr_expect(eq(sz, traces_count_files(), BEAT_FOLDER_FILES));
}
