#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ST_NOEXEC */
#endif

#include "jvms/process/launch.h"

#include "abi/run.h"
#include "abi/settings.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "jvms/process/jvm_program.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHARED "/var/cache/methodbeat"

bool proc_launch_is_java(const struct proc_launch *launch)
{
    return strcmp(mb_last_part(launch->command[0]), "java") == 0;
}

/* ---- What keeps the agent from it ---- */

/* By the modes of the file and of the folders that it is in, as far as they can be looked at. */
static bool can_others_read(const char *path)
{
    char whole[PATH_MAX];
    struct stat info;

    if (realpath(path, whole) == NULL || stat(whole, &info) != 0) {
        return true; /* others say what is wrong */
    }
    bool can = (info.st_mode & S_IROTH) != 0;
    for (char *slash = strrchr(whole, '/'); can && slash != NULL && slash > whole;
         slash = strrchr(whole, '/')) {
        *slash = '\0';
        can = stat(whole, &info) != 0 || (info.st_mode & S_IXOTH) != 0;
    }
    return can;
}

/* Its path in a new buffer: named by what it has, so that JVMs which start later find what they
 * were told. */
static bool put_shared_path(struct mb_buf *path, const struct mb_buf *library)
{
    const struct mb_text text = {(const char *)library->bytes, library->size};

    mb_buf_printf(path, SHARED "/agent-%016" PRIx64 ".so%c", mb_text_hash(text), '\0');
    return !path->failed;
}

/* Only root may write to the folder. A copy appears as a whole. */
static bool write_shared(const char *path, const struct mb_buf *library)
{
    struct stat info;
    char early[] = SHARED "/.agent-XXXXXX";

    if (mkdir(SHARED, 0755) == 0) {
        (void)chmod(SHARED, 0755); /* whatever the umask is */
    }
    if (lstat(SHARED, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != 0 ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return false;
    }
    if (stat(path, &info) == 0 && (size_t)info.st_size == library->size) {
        return true;
    }
    int fd = mkstemp(early);
    bool is_written = fd >= 0 && fchmod(fd, 0755) == 0 &&
                      mb_file_write_all(fd, library->bytes, library->size, NULL) == MB_OK &&
                      rename(early, path) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (fd >= 0 && !is_written) {
        (void)unlink(early);
    }
    return is_written;
}

/* Java itself stays our user's, and so do most JVMs that it starts. */
static bool is_for_others(const struct proc_launch *launch, const char *agent)
{
    return geteuid() == 0 && !proc_launch_is_java(launch) && !can_others_read(agent);
}

char *proc_launch_share(const struct proc_launch *launch, char *agent)
{
    struct mb_buf library = {0};
    struct mb_buf path = {0};
    char *shared = NULL;

    if (!is_for_others(launch, agent)) {
        return agent;
    }
    if (mb_file_read(&library, agent, NULL) == MB_OK && put_shared_path(&path, &library) &&
        write_shared((const char *)path.bytes, &library) &&
        can_others_read((const char *)path.bytes)) {
        shared = strdup((const char *)path.bytes);
    }
    mb_buf_finish(&library);
    mb_buf_finish(&path);
    if (shared == NULL) {
        return agent;
    }
    free(agent);
    return shared;
}

const char *proc_launch_obstacle(const struct proc_launch *launch)
{
    struct statvfs place;

    if (statvfs(launch->agent, &place) == 0 && (place.f_flag & ST_NOEXEC) != 0) {
        return "nothing can be executed in the file system of the agent";
    }
    return is_for_others(launch, launch->agent) ? "others may not read the agent, and " SHARED
                                                  " can have no copy of it"
                                                : NULL;
}

/* ---- What it gets ---- */

/* A word of the variable, whose parts in quotes the JVM joins. */
static void put_quoted(struct mb_buf *out, const char *word)
{
    mb_buf_put_string(out, out->size > 0 ? " " : "");
    while (*word != '\0') {
        const char *quote = *word == '\'' ? "\"" : "'";
        size_t size = strcspn(word, quote);
        mb_buf_put_string(out, quote);
        mb_buf_put(out, word, size);
        mb_buf_put_string(out, quote);
        word += size;
    }
}

/* The words of the JVM's options, in the arena: without memory, some are missing. */
static void put_option(struct proc_words *options, struct mb_buf *word)
{
    mb_buf_put_u1(word, '\0');
    const char *copy =
        word->failed ? NULL : mb_arena_copy(&options->arena, word->bytes, word->size);
    MB_VEC_PUSH(&options->words, copy);
    options->words.buf.failed = options->words.buf.failed || copy == NULL;
    mb_buf_finish(word);
}

/* The agent's options follow its path. */
static void put_agent(struct proc_words *options, const struct proc_launch *launch)
{
    struct mb_buf said = {0};
    struct mb_buf word = {0};

    proc_agent_put_options(&said, &launch->probes);
    mb_buf_put_string(&word, "-agentpath:");
    mb_buf_put_string(&word, launch->agent);
    mb_buf_put_string(&word, said.size > 0 ? "=" : "");
    mb_buf_put(&word, said.bytes, said.size);
    mb_buf_finish_part(&word, &said);
    put_option(options, &word);
}

/* The JVM makes characters of a property's bytes as LANG says: what is more than ASCII, and paths,
 * go by variables, which the recorder reads itself. */
static bool set_variable(const char *name, size_t size, const char *value)
{
    char variable[ABI_SETTING_VARIABLE_SIZE];

    abi_setting_variable(name, size, variable);
    return setenv(variable, value, 1) == 0;
}

static bool put_setting(struct proc_words *options, const char *text)
{
    struct mb_buf word = {0};
    size_t size = strcspn(text, "=");
    const char *value = text + size + 1;

    for (const char *at = value; *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80) {
            return set_variable(text, size, value);
        }
    }
    mb_buf_put_string(&word, "-Dmethodbeat.");
    mb_buf_put_string(&word, text);
    put_option(options, &word);
    return true;
}

/* As it is here, whatever folder the program goes to. In the pattern of a file a '%' of the
 * folder's name would be a sign. */
static bool set_file(const char *file)
{
    char here[PATH_MAX] = "";
    struct mb_buf path = {0};
    bool is_pattern = file[0] != '\0' && file[strlen(file) - 1] != '/';

    if (file[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        for (const char *at = here; *at != '\0'; at++) {
            mb_buf_put_string(&path, *at == '%' && is_pattern ? "%" : "");
            mb_buf_put_u1(&path, (uint8_t)*at);
        }
        mb_buf_put_u1(&path, '/');
    }
    mb_buf_put(&path, file, strlen(file) + 1);
    bool is_set = !path.failed && set_variable("file", strlen("file"), (const char *)path.bytes);
    mb_buf_finish(&path);
    return is_set;
}

static void put_settings(struct proc_words *options, const struct proc_launch *launch)
{
    const char *text;

    for (size_t i = 0; (text = proc_words_item(&launch->settings, i)) != NULL; i++) {
        if (strncmp(text, "file=", strlen("file=")) != 0 && !put_setting(options, text)) {
            options->words.buf.failed = true;
        }
    }
}

/* The variable that each JVM reads, or what it becomes in the one that the command starts. */
static bool set_for_children(const struct proc_launch *launch, const union mb_words *options)
{
    struct mb_buf value = {0};
    const char *before = getenv(ABI_RUN_TOOL_OPTIONS);
    const char *name = proc_launch_is_java(launch) ? ABI_RUN_CHILDREN : ABI_RUN_TOOL_OPTIONS;
    const char *word;

    mb_buf_put_string(&value, before != NULL ? before : "");
    for (size_t i = 0; (word = proc_words_item(options, i)) != NULL; i++) {
        put_quoted(&value, word);
    }
    mb_buf_put_u1(&value, '\0');
    bool is_set = !value.failed && setenv(name, (const char *)value.bytes, 1) == 0;
    mb_buf_finish(&value);
    return is_set;
}

/* With the options after the first word, where they reach no other JVM that the program starts. */
static void put_command(struct mb_buf *out, const struct proc_launch *launch,
                        const union mb_words *options)
{
    char *const *word = launch->command;

    mb_buf_put(out, word, sizeof(*word));
    if (proc_launch_is_java(launch)) {
        mb_buf_put(out, options->buf.bytes, options->buf.size);
    }
    do {
        word++;
        mb_buf_put(out, word, sizeof(*word));
    } while (*word != NULL);
    mb_buf_fail_with(out, &options->buf);
}

bool proc_launch_prepare(const struct proc_launch *launch, struct proc_words *options,
                         struct mb_buf *command)
{
    (void)unsetenv(ABI_RUN_CHILDREN); /* of a run around this one */
    if (launch->agent == NULL) {
        put_command(command, launch, &options->words);
        return !command->failed;
    }
    put_agent(options, launch);
    put_settings(options, launch);
    put_command(command, launch, &options->words);
    return !command->failed && set_file(launch->file) && set_for_children(launch, &options->words);
}

/* ---- The program in our place ---- */

#define STEP_NS 20000000L
#define NOT_STARTED 126
#define NOT_FOUND 127
#define SIGNALLED 128

extern char **environ;

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

static volatile pid_t child;

static void forward_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0) { /* a process sent it, not the terminal */
        int saved = errno;
        (void)kill(child, number);
        errno = saved;
    }
}

/* Ignored signals, as under nohup, stay ignored. */
static void handle_signals(bool forwards)
{
    for (size_t i = 0; i < MB_COUNT(forwarded); i++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART,
                                   .sa_sigaction = forward_signal};
        struct sigaction old;
        if (!forwards) {
            action = (struct sigaction){.sa_handler = SIG_DFL};
        }
        if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            (void)sigaction(forwarded[i], &action, NULL);
        }
    }
}

/* Signals are blocked meanwhile; the program starts with mask, and without the signals that main
 * ignores. */
static int spawn_child(char **argv, const sigset_t *mask)
{
    posix_spawnattr_t attributes;
    sigset_t ours;
    pid_t id;

    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGXFSZ);
    int failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        return failure;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setsigdefault(&attributes, &ours);
    (void)posix_spawnattr_setsigmask(&attributes, mask);
    failure = posix_spawnp(&id, argv[0], NULL, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    child = id;
    return failure;
}

/* False if the program ends before. */
static bool wait_for_alarm(uint64_t seconds)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    int64_t end_ns = mb_clock_now_ns() + (int64_t)seconds * MB_NS_PER_S;
    siginfo_t info;

    do {
        (void)nanosleep(&step, NULL);
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != 0) {
            return false;
        }
    } while (mb_clock_now_ns() < end_ns);
    return true;
}

static int wait_for_child(const struct proc_child_alarm *alarm)
{
    int status;

    if (alarm != NULL && alarm->seconds > 0 && wait_for_alarm(alarm->seconds)) {
        alarm->ring(alarm->context, child);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return NOT_STARTED;
        }
    }
    return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static enum mb_status fail_to_start(const char *program, int failure, struct mb_error *err)
{
    return mb_fail_in(err, MB_IO, program, "cannot be started: %s", strerror(failure));
}

enum mb_status proc_child_run(char **argv, const struct proc_child_alarm *alarm, int *code,
                              struct mb_error *err)
{
    sigset_t blocked;
    sigset_t before;

    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < MB_COUNT(forwarded); i++) {
        (void)sigaddset(&blocked, forwarded[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &blocked, &before);
    handle_signals(true);
    int failure = spawn_child(argv, &before);
    if (failure != 0) {
        *code = failure == ENOENT ? NOT_FOUND : NOT_STARTED;
        return fail_to_start(argv[0], failure, err);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    *code = wait_for_child(alarm);
    handle_signals(false);
    return MB_OK;
}
