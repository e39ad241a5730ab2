/* A server with one slow handler, watched and recorded: it echoes lines, and takes its time for
 * those that begin with "slow". Its loop is the usual one of epoll; five lines of it are for the
 * monitors, and each line that it gets is a request for the recorder.
 *
 * usage: server [TRACE] */
#include <errno.h>
#include <methodbeat.h>
#include <methodbeat_watch.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 1,
    ANSWER,
};

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

static bool answer(int client, const char *line)
{
    const struct timespec pause = {.tv_sec = 1};

    beat_i(ANSWER);
    if (strncmp(line, "slow", 4) == 0) {
        (void)nanosleep(&pause, NULL);
    }
    bool is_sent = dprintf(client, "%s\n", line) >= 0;
    beat_o(ANSWER);
    return is_sent;
}

static void handle(int client, char line[128])
{
    ssize_t size = read(client, line, 127);

    beat_i(LINE);
    line[size > 0 ? size : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    if (size <= 0 || !answer(client, line)) {
        (void)close(client);
    }
    beat_o(LINE);
}

/* Recorded or not, it serves. */
static void record(const char *trace)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = trace;
    options.profile = BEAT_ON;
    (void)beat_name_request(LINE, "server.line");
    (void)beat_name_request(ANSWER, "server.answer");
    (void)beat_start(&options);
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

int main(int argc, char **argv)
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
    record(argc > 1 ? argv[1] : NULL);
    (void)watch_listen(hear, NULL);
    (void)watch_start();
    (void)printf("port %d\n", ntohs(address.sin_port));
    (void)fflush(stdout);
    return serve(listener, epoll);
}
