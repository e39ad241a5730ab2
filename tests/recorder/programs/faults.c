/* Every call to the system fails once: starts, restarts, dumps and threads go on as well as they
 * can, say so in lines, and leave neither a damaged trace nor a stray file. Linked so that the
 * calls of the recorder come by here (--wrap). */
#include "abi/tracefile.h"
#include "base/file.h"
#include "recorder/methodbeat.h"
#include "tests/recorder/programs/quiet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/mb_faultsXXXXXX";
static char trace[64];
static char dump[64];

static _Atomic(int) calls;
static int failing_call; /* counted from 1; 0: none */
static int failing_errno;

static bool is_to_fail(void)
{
    if (++calls != failing_call) {
        return false;
    }
    errno = failing_errno;
    return true;
}

/* WRAP(type, name, failure, parameters, arguments) */
#define WRAP(type, name, failure, parameters, arguments)           \
    type __real_##name parameters;                                 \
    type __wrap_##name parameters;                                 \
    type __wrap_##name parameters                                  \
    {                                                              \
        return is_to_fail() ? (failure) : __real_##name arguments; \
    }

WRAP(void *, mmap64, MAP_FAILED, (void *p, size_t n, int access, int flags, int fd, off_t at),
     (p, n, access, flags, fd, at))
WRAP(int, mkostemp64, -1, (char *name, int flags), (name, flags))
WRAP(int, open64, -1, (const char *path, int flags, ...), (path, flags))
WRAP(int, ftruncate64, -1, (int fd, off_t size), (fd, size))
WRAP(int, posix_fallocate64, failing_errno, (int fd, off_t at, off_t size), (fd, at, size))
WRAP(ssize_t, write, -1, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRAP(ssize_t, pwrite64, -1, (int fd, const void *bytes, size_t size, off_t at),
     (fd, bytes, size, at))
WRAP(int, rename, -1, (const char *from, const char *to), (from, to))
WRAP(int, pthread_create, failing_errno,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument),
     (thread, attr, run, argument))
WRAP(void *, calloc, NULL, (size_t count, size_t size), (count, size))
WRAP(int, posix_memalign, failing_errno, (void **p, size_t alignment, size_t size),
     (p, alignment, size))
WRAP(int, pthread_key_create, failing_errno, (pthread_key_t * key, void (*end)(void *)), (key, end))

static void fail(const char *what)
{
    (void)fprintf(stderr, "call %d fails with %s: %s\n", failing_call, strerror(failing_errno),
                  what);
    exit(1);
}

/* ---- What is to go on ---- */

static void *record_elsewhere(void *unused)
{
    beat_i(3);
    beat_o(3);
    return unused;
}

/* The product's pthread_create is the one that may fail. */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void record(const char *file, enum beat_clock clock)
{
    struct beat_options options;
    pthread_t thread;

    beat_options_init(&options);
    options.file = file;
    options.log = ignore;
    options.threads = BEAT_THREADS_ALL;
    options.clock = clock;
    bool started = beat_start(&options);
    if (started && !beat_is_recording()) {
        fail("beat_start is true, and nothing is recorded");
    }
    for (uint32_t i = 0; i < 1000; i++) {
        beat_i(1);
        beat_o(1);
    }
    if (__real_pthread_create(&thread, NULL, record_elsewhere, NULL) == 0) {
        (void)pthread_join(thread, NULL);
    }
    (void)beat_dump(dump);
    beat_stop();
}

/* In a child, one call of which fails. */
static void run(void)
{
    beat_i(1);
    record(trace, BEAT_CLOCK_AUTO); /* what the first probe began moves to the file */
    record(trace, BEAT_CLOCK_COARSE);
    record(NULL, BEAT_CLOCK_AUTO);
}

/* ---- What is left ---- */

static void check_trace(const char *path)
{
    struct mb_buf bytes = {0};
    struct abi_tracefile opened;

    if (access(path, F_OK) != 0) {
        return;
    }
    if (mb_file_read(&bytes, path, NULL) != MB_OK ||
        abi_tracefile_open(&opened, bytes.bytes, bytes.size, NULL) != MB_OK) {
        fail("a damaged trace");
    }
    mb_buf_finish(&bytes);
}

static void check_folder(void)
{
    DIR *entries = opendir(folder);

    for (struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, "t") != 0 && strcmp(e->d_name, "d") != 0) {
            fail("a stray file");
        }
    }
    (void)closedir(entries);
}

/* How many calls there are. */
static int try_once(int call, int error)
{
    int counts[2];
    int count = 0;
    int status;

    failing_call = call;
    failing_errno = error;
    if (pipe(counts) != 0) {
        fail("no pipe");
    }
    pid_t child = fork();
    if (child == 0) {
        calls = 0;
        run();
        (void)dprintf(counts[1], "%d", calls);
        _exit(0);
    }
    char text[16] = "";
    (void)close(counts[1]);
    (void)!read(counts[0], text, sizeof(text) - 1);
    (void)close(counts[0]);
    (void)waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 1) {
        fail("the program ends");
    }
    count = atoi(text);
    check_trace(trace);
    check_trace(dump);
    check_folder();
    return count;
}

int main(void)
{
    static const int errors[] = {ENOMEM, ENOSPC, EINVAL, EMFILE};

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(trace, sizeof(trace), "%s/t", folder);
    (void)snprintf(dump, sizeof(dump), "%s/d", folder);
    (void)setenv("METHODBEAT_WORDS", "2048:1024", 1);
    int count = try_once(0, 0);
    if (count < 20) {
        fail("hardly any calls");
    }
    for (size_t e = 0; e < MB_COUNT(errors); e++) {
        for (int call = 1; call <= count; call++) {
            (void)try_once(call, errors[e]);
        }
    }
    (void)unlink(trace);
    (void)unlink(dump);
    (void)rmdir(folder);
    (void)printf("%d calls, each failed once\n", count);
    return 0;
}
