/* One run at a time commits into a folder. */

#include "bench.h"

#include "base/interrupt.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that commits while we hold the folder's lock; what it says comes through the pipe. */
static pid_t commit_beside(int says)
{
    pid_t child = fork();

    if (child == 0) {
        struct pub_outputs *publish = pub_create();
        mb_interrupt_catch();
        char word = bench_put(publish, "a", "new") == MB_OK ? 'r' : '?';
        (void)!write(says, &word, 1);
        enum mb_status status = pub_commit(publish, NULL);
        pub_destroy(publish);
        word = status == MB_OK ? 'c' : status == MB_INTERRUPTED ? 'i' : '?';
        (void)!write(says, &word, 1);
        _exit(0);
    }
    return child;
}

Test(lock, one_commit_waits_for_another, .init = bench_begin, .fini = bench_end)
{
    for (int is_interrupted = 0; is_interrupted < 2; is_interrupted++) {
        int lock = open(bench_root, O_RDONLY | O_DIRECTORY);
        int ends[2];
        char word;
        cr_assert(eq(int, flock(lock, LOCK_EX), 0));
        cr_assert(eq(int, pipe(ends), 0));
        pid_t child = commit_beside(ends[1]);
        cr_assert(read(ends[0], &word, 1) == 1 && word == 'r');
        struct pollfd said = {.fd = ends[0], .events = POLLIN};
        cr_assert(eq(int, poll(&said, 1, 50), 0));
        cr_assert(eq(int, access(bench_at("a"), F_OK), -1));
        if (is_interrupted) {
            cr_assert(eq(int, kill(child, SIGTERM), 0));
        } else {
            cr_assert(eq(int, flock(lock, LOCK_UN), 0));
        }
        cr_assert(eq(int, (int)read(ends[0], &word, 1), 1));
        cr_assert(eq(chr, word, is_interrupted ? 'i' : 'c'));
        cr_assert(eq(int, waitpid(child, NULL, 0), child));
        cr_assert(eq(int, bench_count(""), is_interrupted ? 0 : 1));
        cr_assert(is_interrupted || unlink(bench_at("a")) == 0);
        cr_assert(eq(int, close(lock), 0));
    }
}
