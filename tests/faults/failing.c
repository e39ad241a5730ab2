/* Preloaded into a program, it counts the calls of chosen functions and makes the n-th one fail, be
 * cut short, or be the last thing the program does.
 *
 *   FAULT_CALLS=NAME,...   which functions (calls.def, and those at the end here); none: all
 *   FAULT_CALLER=TEXT      only calls from objects whose file name holds this text
 *   FAULT_AT=N             the call that goes wrong, counted from 1; 0 or none: only count
 *   FAULT_TIMES=N          how many from there on; 1 if not given
 *   FAULT_HOW=HOW          error, if not given; short; before, after: kill -9 before or after it;
 *                          torn: short and after; signal: raise signal FAULT_ERROR before it
 *   FAULT_ERROR=N          errno
 *   FAULT_HIT=PATH         a file that is made once a call has gone wrong
 *   FAULT_COUNTS=PATH      where "NAME COUNT" lines go when the program ends
 */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum fate { PASS, ERROR, SHORT, BEFORE, AFTER, TORN, SIGNAL };

enum index {
#define CALL(result, name, parameters, arguments, failure) CALL_##name,
#include "calls.def"
#undef CALL
    CALL_open,
    CALL_open64,
    CALL_openat,
    CALL_openat64,
    CALL_creat,
    CALL_read,
    CALL_write,
    CALL_pread,
    CALL_pread64,
    CALL_pwrite,
    CALL_pwrite64,
    CALL_close,
    CALL_posix_memalign,
    CALL_COUNT,
};

static struct call {
    const char *name;
    void *_Atomic next; /* the function itself */
    atomic_long count;
    bool is_chosen;
} calls[CALL_COUNT] = {
#define NAMED(name) [CALL_##name] = {#name, NULL, 0, false},
#define CALL(result, name, parameters, arguments, failure) NAMED(name)
#include "calls.def"
#undef CALL
    NAMED(open) NAMED(open64) NAMED(openat) NAMED(openat64) NAMED(creat) NAMED(read) NAMED(write)
        NAMED(pread) NAMED(pread64) NAMED(pwrite) NAMED(pwrite64) NAMED(close)
            NAMED(posix_memalign)};

static struct {
    enum fate fate;
    long at;
    long times;
    int error;
    const char *caller;
    const char *hit;
    const char *counts;
    pid_t pid;
} plan;

static atomic_bool is_armed;
static atomic_long total;

static void *next_of(enum index index)
{
    void *next = atomic_load(&calls[index].next);

    if (next == NULL) {
        next = dlsym(RTLD_NEXT, calls[index].name);
        atomic_store(&calls[index].next, next);
    }
    return next;
}

static int chosen_error(void)
{
    return plan.error;
}

/* --- the plan --- */

static long number(const char *name, long otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? atol(value) : otherwise;
}

static enum fate chosen_fate(void)
{
    static const char *const names[] = {"pass",  "error", "short", "before",
                                        "after", "torn",  "signal"};
    const char *value = getenv("FAULT_HOW");

    for (size_t i = 0; value != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(value, names[i]) == 0) {
            return (enum fate)i;
        }
    }
    return ERROR;
}

static bool lists(const char *list, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

__attribute__((constructor)) static void arm(void)
{
    const char *list = getenv("FAULT_CALLS");

    for (size_t i = 0; i < CALL_COUNT; i++) {
        calls[i].is_chosen = list == NULL || lists(list, calls[i].name);
    }
    plan.fate = chosen_fate();
    plan.at = number("FAULT_AT", 0);
    plan.times = number("FAULT_TIMES", 1);
    plan.error = (int)number("FAULT_ERROR", EIO);
    plan.caller = getenv("FAULT_CALLER");
    plan.hit = getenv("FAULT_HIT");
    plan.counts = getenv("FAULT_COUNTS");
    plan.pid = getpid();
    atomic_store(&is_armed, true);
}

__attribute__((destructor)) static void tell_counts(void)
{
    atomic_store(&is_armed, false);
    int fd = plan.counts != NULL && plan.pid == getpid()
                 ? open(plan.counts, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600)
                 : -1;
    for (size_t i = 0; fd >= 0 && i < CALL_COUNT; i++) {
        if (atomic_load(&calls[i].count) > 0) {
            (void)dprintf(fd, "%s %ld\n", calls[i].name, atomic_load(&calls[i].count));
        }
    }
}

/* --- a call --- */

static bool is_from_caller(const void *address)
{
    Dl_info info;

    return plan.caller == NULL ||
           (dladdr(address, &info) != 0 && strstr(info.dli_fname, plan.caller) != NULL);
}

static void die(void)
{
    (void)syscall(SYS_kill, getpid(), SIGKILL);
}

/* By system calls, since the functions may be the ones that fail. */
static void tell_hit(void)
{
    if (plan.hit != NULL) {
        long fd = syscall(SYS_openat, AT_FDCWD, plan.hit, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd >= 0) {
            (void)syscall(SYS_close, fd);
        }
    }
}

/* What is to happen to this call; errno is set for a failure. */
static enum fate take(enum index index, const void *address)
{
    int before = errno;

    if (!atomic_load(&is_armed) || !calls[index].is_chosen || !is_from_caller(address)) {
        return PASS;
    }
    (void)atomic_fetch_add(&calls[index].count, 1);
    long n = atomic_fetch_add(&total, 1) + 1;
    if (plan.at == 0 || n < plan.at || n - plan.at >= plan.times) {
        return PASS;
    }
    tell_hit();
    errno = plan.fate == ERROR ? plan.error : before;
    if (plan.fate == BEFORE) {
        die();
    }
    if (plan.fate == SIGNAL) {
        (void)raise(plan.error);
    }
    return plan.fate;
}

#define HERE __builtin_return_address(0)
#define NEXT(name) ((__typeof__(&(name)))next_of(CALL_##name))

#define CALL(result, name, parameters, arguments, failure) \
    result name parameters                                 \
    {                                                      \
        enum fate fate = take(CALL_##name, HERE);          \
        if (fate == ERROR) {                               \
            return failure;                                \
        }                                                  \
        result value = NEXT(name) arguments;               \
        if (fate == AFTER) {                               \
            die();                                         \
        }                                                  \
        return value;                                      \
    }
#include "calls.def"
#undef CALL

/* Half of the bytes, but never none. */
#define TRANSFER(name, parameters, ...)                                       \
    ssize_t name parameters                                                   \
    {                                                                         \
        enum fate fate = take(CALL_##name, HERE);                             \
        if (fate == ERROR) {                                                  \
            return -1;                                                        \
        }                                                                     \
        size = (fate == SHORT || fate == TORN) && size > 1 ? size / 2 : size; \
        ssize_t value = NEXT(name)(__VA_ARGS__);                              \
        if (fate == AFTER || fate == TORN) {                                  \
            die();                                                            \
        }                                                                     \
        return value;                                                         \
    }
TRANSFER(read, (int fd, void *bytes, size_t size), fd, bytes, size)
TRANSFER(write, (int fd, const void *bytes, size_t size), fd, bytes, size)
TRANSFER(pread, (int fd, void *bytes, size_t size, off_t at), fd, bytes, size, at)
TRANSFER(pread64, (int fd, void *bytes, size_t size, off_t at), fd, bytes, size, at)
TRANSFER(pwrite, (int fd, const void *bytes, size_t size, off_t at), fd, bytes, size, at)
TRANSFER(pwrite64, (int fd, const void *bytes, size_t size, off_t at), fd, bytes, size, at)

#define OPEN(name, parameters, ...)               \
    int name parameters                           \
    {                                             \
        enum fate fate = take(CALL_##name, HERE); \
        va_list more;                             \
        va_start(more, flags);                    \
        mode_t mode = va_arg(more, mode_t);       \
        va_end(more);                             \
        if (fate == ERROR) {                      \
            return -1;                            \
        }                                         \
        int fd = NEXT(name)(__VA_ARGS__, mode);   \
        if (fate == AFTER) {                      \
            die();                                \
        }                                         \
        return fd;                                \
    }
OPEN(open, (const char *path, int flags, ...), path, flags)
OPEN(open64, (const char *path, int flags, ...), path, flags)
OPEN(openat, (int at, const char *path, int flags, ...), at, path, flags)
OPEN(openat64, (int at, const char *path, int flags, ...), at, path, flags)

int creat(const char *path, mode_t mode)
{
    return take(CALL_creat, HERE) == ERROR ? -1 : NEXT(creat)(path, mode);
}

/* As on a real disk that fails late: the descriptor is gone all the same. */
int close(int fd)
{
    enum fate fate = take(CALL_close, HERE);
    int error = errno;
    int value = NEXT(close)(fd);

    if (fate == AFTER) {
        die();
    }
    if (fate == ERROR) {
        errno = error;
        return -1;
    }
    return value;
}

int posix_memalign(void **bytes, size_t alignment, size_t size)
{
    return take(CALL_posix_memalign, HERE) == ERROR ? plan.error
                                                    : NEXT(posix_memalign)(bytes, alignment, size);
}
