/* A server with one slow handler, watched: it echoes lines, and takes its time for those that begin
 * with "slow". Its loop is the usual one of epoll; five lines of it are for the monitors. */
#include <errno.h>
#include <methodbeat_watch.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)printf("%s: %.1f s\n%s\n", issue->detail, (double)issue->cost_ns / 1e9, issue->json);
    (void)fflush(stdout);
}

static const char *describe(void *line)
{
    return line; /* called only if the message was slow */
}

static void handle(int client, char line[128])
{
    const struct timespec pause = {.tv_sec = 1};
    ssize_t size = read(client, line, 127);

    line[size > 0 ? size : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    if (strncmp(line, "slow", 4) == 0) {
        (void)nanosleep(&pause, NULL);
    }
    if (size <= 0 || dprintf(client, "%s\n", line) < 0) {
        (void)close(client);
    }
}

static int serve(int listener, int epoll)
{
    for (;;) {
        struct epoll_event event = {.events = EPOLLIN};
        char line[128] = "connection";
        if (epoll_wait(epoll, &event, 1, -1) != 1) {
            if (errno == EINTR) {
                continue;
            }
            return 1;
        }
        watch_begin();
        if (event.data.fd == listener) {
            event = (struct epoll_event){EPOLLIN, {.fd = accept(listener, NULL, NULL)}};
            (void)epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
        } else {
            handle(event.data.fd, line);
        }
        watch_end_as(describe, line);
    }
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int epoll = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {.fd = listener}};

    if (bind(listener, (const struct sockaddr *)&address, size) != 0 || listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
        epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) {
        perror("server");
        return 1;
    }
    (void)watch_listen(hear, NULL);
    (void)watch_start();
    (void)printf("port %d\n", ntohs(address.sin_port));
    (void)fflush(stdout);
    return serve(listener, epoll);
}
