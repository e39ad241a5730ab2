#include "base/janitor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Orders are terminated strings, a letter first; one empty string says that all is well. */
static const char dismissal[1] = "";
static const char promise[2] = "P"; /* the moves above are complete, and may have begun */

enum order {
    ORDER_WATCH = 'W',  /* a folder */
    ORDER_RENAME = 'R', /* what the next order names */
    ORDER_TO = 'T',
    ORDER_REMOVE = 'U', /* a file */
};

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

static const char *next_order(const struct mb_buf *orders, const char *order)
{
    const char *next = order + strlen(order) + 1;

    return next < (const char *)orders->bytes + orders->size ? next : NULL;
}

/* A rename that was done already finds nothing to rename. */
static const char *move(const struct mb_buf *orders, const char *order)
{
    if (*order == ORDER_REMOVE) {
        (void)unlink(order + 1);
    } else if (*order == ORDER_RENAME) {
        const char *from = order + 1;
        order = next_order(orders, order);
        if (order != NULL) {
            (void)rename(from, order + 1);
        }
    }
    return order;
}

/* An order that was cut off is none. Without memory for all of them nothing is done: the next run
 * beside the folders removes them. */
static void follow(struct mb_buf *orders)
{
    const char *first = (const char *)orders->bytes;
    bool is_promised = false;

    while (orders->size > 0 && orders->bytes[orders->size - 1] != '\0') {
        orders->size--;
    }
    if (orders->failed || orders->size == 0) {
        return;
    }
    for (const char *order = first; order != NULL; order = next_order(orders, order)) {
        is_promised |= strcmp(order, promise) == 0;
    }
    for (const char *order = first; is_promised && order != NULL;) {
        order = move(orders, order);
        order = order != NULL ? next_order(orders, order) : NULL;
    }
    for (const char *order = first; order != NULL; order = next_order(orders, order)) {
        if (*order == ORDER_WATCH) {
            mb_remove_flat_folder(order + 1);
        }
    }
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
        follow(&orders);
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

static void tell(const struct mb_janitor *janitor, const void *orders, size_t size)
{
    const char *next = orders;

    while (janitor->socket >= 0 && size > 0) {
        ssize_t sent = send(janitor->socket, next, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return;
        }
        next += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
}

static void put_order(struct mb_buf *orders, enum order order, const char *path)
{
    const char letter = (char)order;

    mb_buf_put(orders, &letter, 1);
    mb_buf_put(orders, path, strlen(path) + 1);
}

void mb_janitor_watch(struct mb_janitor *janitor, const char *folder)
{
    struct mb_buf order = {0};

    put_order(&order, ORDER_WATCH, folder);
    if (!order.failed) {
        tell(janitor, order.bytes, order.size);
    }
    mb_buf_finish(&order);
}

void mb_janitor_put_move(struct mb_buf *moves, const char *from, const char *to)
{
    if (from == NULL) {
        put_order(moves, ORDER_REMOVE, to);
    } else {
        put_order(moves, ORDER_RENAME, from);
        put_order(moves, ORDER_TO, to);
    }
}

void mb_janitor_promise(struct mb_janitor *janitor, const struct mb_buf *moves)
{
    if (!moves->failed) {
        tell(janitor, moves->bytes, moves->size);
        tell(janitor, promise, sizeof(promise));
    }
}

void mb_janitor_dismiss(struct mb_janitor *janitor)
{
    if (janitor->socket >= 0) {
        tell(janitor, dismissal, sizeof(dismissal));
        (void)close(janitor->socket);
        janitor->socket = -1;
    }
}

void mb_janitor_await(struct mb_janitor *janitor)
{
    mb_janitor_dismiss(janitor);
    while (janitor->pid > 0 && waitpid(janitor->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    janitor->pid = 0;
}
