#include "base/interrupt.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

Test(interrupt, nothing_is_interrupted_by_itself)
{
    cr_expect(not(mb_is_interrupted()));
    cr_expect(eq(int, mb_check_interrupt(NULL), MB_OK));
}

static void expect_interrupt(int signal_number)
{
    struct mb_error err = {0};

    mb_interrupt_catch();
    cr_assert(eq(int, raise(signal_number), 0));
    cr_expect(mb_is_interrupted());
    cr_expect(eq(int, mb_check_interrupt(&err), MB_INTERRUPTED));
    cr_expect_str_eq(err.reason, "interrupted");
    cr_expect(eq(int, mb_check_interrupt(NULL), MB_INTERRUPTED), "it stays so");
}

Test(interrupt, a_request_to_stop_is_kept)
{
    expect_interrupt(SIGTERM);
}

Test(interrupt, so_is_the_terminals)
{
    expect_interrupt(SIGINT);
}

Test(interrupt, and_its_end)
{
    expect_interrupt(SIGHUP);
}

/* Else a run that waits for a pipe would hear of it only when bytes come. */
Test(interrupt, calls_that_wait_fail, .timeout = 20)
{
    pid_t waiting = getpid();
    int ends[2];
    char byte;

    cr_assert(eq(int, pipe(ends), 0));
    mb_interrupt_catch();
    pid_t child = fork();
    while (child == 0) {
        (void)kill(waiting, SIGTERM); /* again and again: one may come before we wait */
        (void)usleep(10000);
    }
    cr_expect(eq(int, (int)read(ends[0], &byte, 1), -1));
    cr_expect(eq(int, errno, EINTR));
    cr_expect(mb_is_interrupted());
    cr_assert(eq(int, kill(child, SIGKILL), 0));
}
