/* A process that attach, top and jvms take for a JVM, and that means them harm: what it does is in
 * the variable ENEMY, more about it in MORE. Its words are free, so that it can have any command
 * line. "up" says that it is ready.
 *
 *   fuse       has a file system of its own at /tmp, which never answers
 *   idle       nothing; only its command line speaks
 *   cut        cuts the file MORE short and lengthens it again, for ever
 *   fifo       a FIFO has the name of the request that attach leaves, and no socket is there
 *   owned      another user's socket has the name of its own
 *   deaf       its socket takes nobody, and its queue is full
 *   mute       takes the question, and never answers
 *   trickle    answers a byte a second
 *   gone       hangs up without an answer
 *   stopped    stops itself when it is asked
 *   say        answers MORE
 *   agree      says that probes are in; then, if MORE is
 *     link     puts links to the file TARGET where the trace might go in the folder FOLDER
 *     huge     has a trace of 8 TB, all of it holes
 *     grow     lengthens its trace for ever
 *     junk     has another file for a trace
 *     stop     stops itself
 */
#include "abi/tracefile.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LEGAL "0\nreturn code: 0\n"

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? value : "";
}

static bool is_mode(const char *mode)
{
    return strcmp(variable("ENEMY"), mode) == 0;
}

static bool has_more(const char *more)
{
    return strcmp(variable("MORE"), more) == 0;
}

static void check(bool is_right, const char *what)
{
    if (!is_right) {
        perror(what);
        exit(1);
    }
}

static void ignore(int number)
{
    (void)number;
}

static void tell_ready(void)
{
    (void)puts("up");
    (void)fflush(stdout);
}

static void wait_for_ever(void)
{
    for (;;) {
        (void)pause();
    }
}

/* HotSpot's library, and ours, by their names alone. */
static void map_libraries(void)
{
    static const char *const names[] = {"libjvm.so", "libmethodbeat.so"};
    char path[256];

    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", variable("PLACE"), names[i]);
        int fd = open(path, O_RDWR | O_CREAT, 0644);
        check(fd >= 0 && ftruncate(fd, 4096) == 0 &&
                  mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED,
              path);
        (void)close(fd);
    }
}

static void cut_file(void)
{
    int fd = open(variable("MORE"), O_RDWR);

    check(fd >= 0, "cut");
    tell_ready();
    for (;;) {
        check(ftruncate(fd, 0) == 0 && ftruncate(fd, 1 << 20) == 0, "cut");
    }
}

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
    (void)close(fd);
}

/* A namespace of its own, where it may mount. */
static void enter_namespace(void)
{
    char users[64];
    char groups[64];

    (void)snprintf(users, sizeof(users), "%u %u 1", (unsigned)getuid(), (unsigned)getuid());
    (void)snprintf(groups, sizeof(groups), "%u %u 1", (unsigned)getgid(), (unsigned)getgid());
    check(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "unshare");
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", users);
    write_text("/proc/self/gid_map", groups);
}

/* Answers as much as makes a file system of it: whose root is a folder. */
static void serve_nothing(int device)
{
    static char request[1 << 17];
    struct {
        struct fuse_out_header head;
        union {
            struct fuse_init_out start;
            struct fuse_attr_out root;
        } is;
    } reply;

    while (getppid() != 1 && read(device, request, sizeof(request)) > 0) {
        const struct fuse_in_header *asked = (const void *)request;
        memset(&reply, 0, sizeof(reply));
        reply.head.unique = asked->unique;
        if (asked->opcode == FUSE_INIT) {
            reply.is.start.major = FUSE_KERNEL_VERSION;
            reply.is.start.minor = FUSE_KERNEL_MINOR_VERSION;
            reply.is.start.max_write = 4096;
            reply.head.len = sizeof(reply.head) + sizeof(reply.is.start);
        } else if (asked->opcode == FUSE_GETATTR && asked->nodeid == 1) {
            reply.is.root.attr_valid = 1000;
            reply.is.root.attr = (struct fuse_attr){.ino = 1, .mode = S_IFDIR | 0777, .nlink = 2};
            reply.head.len = sizeof(reply.head) + sizeof(reply.is.root);
        }
        if (reply.head.len != 0) {
            (void)!write(device, &reply, reply.head.len);
        }
    }
}

/* The server ends with its parent, and the file system with it. */
static void mount_silence(void)
{
    char options[128];

    enter_namespace();
    int device = open(getenv("FUSE"), O_RDWR);
    check(device >= 0, "FUSE");
    (void)snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device,
                   (unsigned)getuid(), (unsigned)getgid());
    check(mount("enemy", "/tmp", "fuse", 0, options) == 0, "mount");
    if (fork() == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_nothing(device);
        _exit(0);
    }
    (void)close(device);
}

static void put_fifo(void)
{
    char path[64];

    (void)snprintf(path, sizeof(path), ".attach_pid%d", (int)getpid());
    check(mkfifo(path, 0666) == 0, path);
}

/* A header, and one ring with room for 8 TB. */
static void put_trace(int fd)
{
    struct abi_trace_header header = {
        .magic = "mbtrace", .byte_order = ABI_TRACE_BYTE_ORDER, .version = ABI_TRACE_VERSION};
    struct abi_trace_ring ring = {.words_offset = 2 * ABI_TRACE_PAGE,
                                  .capacity = (uint64_t)1 << 40};

    header.magic[7] = '\n';
    header.ring_table_offset = ABI_TRACE_PAGE;
    header.ring_count = 1;
    header.ring_size = sizeof(ring);
    check(pwrite(fd, &header, sizeof(header), 0) == sizeof(header) &&
              pwrite(fd, &ring, sizeof(ring), ABI_TRACE_PAGE) == sizeof(ring),
          "trace");
}

static void grow_trace(int fd, int peer)
{
    static char piece[1 << 16] = {1};

    if (fork() == 0) {
        (void)close(peer);
        (void)sleep(1); /* as long as it is recorded */
        (void)lseek(fd, 4 * ABI_TRACE_PAGE, SEEK_SET);
        while (write(fd, piece, sizeof(piece)) > 0 && getppid() != 1 &&
               lseek(fd, 0, SEEK_CUR) < (off_t)8 << 30) {
        }
        _exit(0);
    }
}

static void put_links(const char *trace)
{
    char path[512];

    (void)snprintf(path, sizeof(path), "%s/%s", variable("FOLDER"), strrchr(trace, '/') + 1);
    check(symlink(variable("TARGET"), path) == 0, path);
    (void)snprintf(path, sizeof(path), "%s/%s", variable("FOLDER"), strrchr(trace, '/') + 2);
    (void)symlink(variable("TARGET"), path);
}

static void make_trace(const char *options, int peer)
{
    const char *file = strstr(options, "file=");
    char path[300] = "";

    if (file == NULL || sscanf(file, "file=%299[^,]", path) != 1) {
        return;
    }
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    check(fd >= 0, path);
    put_trace(fd);
    if (has_more("huge")) {
        check(ftruncate(fd, (off_t)8 << 40) == 0, path);
    } else if (has_more("grow")) {
        grow_trace(fd, peer);
    } else if (has_more("junk")) {
        check(pwrite(fd, "junk", 4, 0) == 4, path);
    } else if (has_more("link")) {
        put_links(path);
    }
    (void)close(fd);
}

/* The last of the five words holds the options. */
static void read_question(int peer, char options[5000])
{
    char question[5000];
    size_t size = 0;
    int words = 0;

    options[0] = '\0';
    while (words < 5 && size < sizeof(question) - 1) {
        ssize_t got = read(peer, question + size, 1);
        if (got <= 0) {
            return;
        }
        if (question[size++] == '\0') {
            words++;
        }
    }
    const char *last = question;
    for (int i = 0; i < 4; i++) {
        last += strlen(last) + 1;
    }
    (void)snprintf(options, 5000, "%s", last);
    (void)fprintf(stderr, "asked: %s\n", options);
}

static void answer(int peer)
{
    char options[5000];

    read_question(peer, options);
    if (is_mode("mute")) {
        wait_for_ever();
    }
    if (is_mode("stopped")) {
        (void)raise(SIGSTOP);
    }
    while (is_mode("trickle") && send(peer, "0", 1, MSG_NOSIGNAL) == 1) {
        (void)sleep(1);
    }
    const char *text = is_mode("say") ? variable("MORE") : LEGAL;
    if (is_mode("agree")) {
        make_trace(options, peer);
    }
    if (!is_mode("gone")) {
        (void)send(peer, text, strlen(text), MSG_NOSIGNAL);
    }
    (void)close(peer);
    if (has_more("stop")) {
        (void)raise(SIGSTOP);
    }
}

static int open_socket(struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    (void)snprintf(address->sun_path, sizeof(address->sun_path), "/tmp/.java_pid%d", (int)getpid());
    (void)unlink(address->sun_path);
    check(bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 &&
              listen(fd, is_mode("deaf") ? 0 : 10) == 0,
          address->sun_path);
    return fd;
}

static void fill_queue(const struct sockaddr_un *address)
{
    for (int i = 0; i < 3; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fd, (const struct sockaddr *)address, sizeof(*address));
    }
}

int main(void)
{
    struct sockaddr_un address;

    (void)signal(SIGQUIT, ignore);
    map_libraries();
    if (is_mode("cut")) {
        cut_file();
    }
    if (is_mode("fifo")) {
        put_fifo();
    }
    if (is_mode("fuse")) {
        mount_silence();
    }
    if (is_mode("fifo") || is_mode("idle") || is_mode("fuse")) {
        tell_ready();
        wait_for_ever();
    }
    int fd = open_socket(&address);
    if (is_mode("owned")) {
        check(chown(address.sun_path, 12346, 12346) == 0, "chown");
    }
    if (is_mode("deaf")) {
        fill_queue(&address);
    }
    tell_ready();
    for (;;) {
        int peer = is_mode("deaf") ? -1 : accept(fd, NULL, NULL);
        if (peer >= 0) {
            answer(peer);
        } else if (is_mode("deaf")) {
            wait_for_ever();
        }
    }
}
