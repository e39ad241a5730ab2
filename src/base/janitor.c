#include "base/janitor.h"

#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Folders come as terminated paths; one empty path says that all is well. */
static const char dismissal[1] = "";

void mb_remove_flat_folder(const char *folder)
{
    DIR *stream = opendir(folder);
    const struct dirent *child;

    if (stream == NULL) {
        return;
    }
    while ((child = readdir(stream)) != NULL) {
        if (strcmp(child->d_name, ".") != 0 && strcmp(child->d_name, "..") != 0) {
            (void)unlinkat(dirfd(stream), child->d_name, 0);
        }
    }
    (void)closedir(stream);
    (void)rmdir(folder);
}

#define ORDERS (STDERR_FILENO + 1)

/* Whoever waits for the end of our output must not wait for the janitor's: it keeps nothing but the
 * socket, as ORDERS. */
static void let_go(int socket)
{
    int null = open("/dev/null", O_RDWR);

    (void)dup2(socket, ORDERS);
    for (int fd = 0; fd < ORDERS; fd++) {
        (void)dup2(null, fd);
    }
    closefrom(ORDERS + 1);
}

static void read_orders(int socket, struct mb_buf *orders)
{
    char part[4096];

    for (;;) {
        ssize_t got = read(socket, part, sizeof(part));
        if (got > 0) {
            mb_buf_put(orders, part, (size_t)got);
        } else if (got == 0 || errno != EINTR) {
            return;
        }
    }
}

static bool is_dismissed(const struct mb_buf *orders)
{
    return orders->size > 0 && orders->bytes[orders->size - 1] == '\0' &&
           (orders->size == 1 || orders->bytes[orders->size - 2] == '\0');
}

static _Noreturn void serve(int socket)
{
    struct mb_buf orders = {0};

    (void)setsid();
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    let_go(socket);
    read_orders(ORDERS, &orders);
    if (!is_dismissed(&orders)) {
        for (size_t at = 0; at < orders.size; at += strlen((char *)orders.bytes + at) + 1) {
            mb_remove_flat_folder((char *)orders.bytes + at);
        }
    }
    _exit(0);
}

void mb_janitor_start(struct mb_janitor *janitor)
{
    int ends[2];

    *janitor = (struct mb_janitor){.pid = 0, .socket = -1};
    /* Sockets, since a pipe without a reader would kill us by SIGPIPE. */
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return;
    }
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[1]);
        serve(ends[0]);
    }
    (void)close(ends[0]);
    if (pid < 0) {
        (void)close(ends[1]);
        return;
    }
    *janitor = (struct mb_janitor){.pid = pid, .socket = ends[1]};
}

static void tell(const struct mb_janitor *janitor, const char *order, size_t size)
{
    if (janitor->pid > 0) {
        (void)send(janitor->socket, order, size, MSG_NOSIGNAL);
    }
}

void mb_janitor_watch(struct mb_janitor *janitor, const char *folder)
{
    tell(janitor, folder, strlen(folder) + 1);
}

void mb_janitor_dismiss(struct mb_janitor *janitor)
{
    if (janitor->pid > 0) {
        tell(janitor, dismissal, sizeof(dismissal));
        (void)close(janitor->socket);
        while (waitpid(janitor->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        janitor->pid = 0;
    }
}
