#include "abi/control.h"
#include "recorder/control.h"
#include "recorder/methodbeat.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(control, .init = traces_make_folder, .fini = traces_remove_folder);

/* The header as another process has it: through the file that is there now. */
static struct abi_trace_header *open_header(void)
{
    int fd = open(traces_path, O_RDWR);
    void *bytes = MAP_FAILED;

    if (fd >= 0) {
        bytes = mmap(NULL, ABI_TRACE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        (void)close(fd);
    }
    return bytes != MAP_FAILED ? bytes : NULL;
}

static void close_header(struct abi_trace_header *header)
{
    (void)munmap(header, ABI_TRACE_PAGE);
}

static uint64_t answered(void)
{
    struct abi_trace_header *header = open_header();
    uint64_t word = header != NULL ? atomic_load(&header->answered) : 0;

    close_header(header);
    return word;
}

static void await_number(uint64_t number)
{
    while (abi_control_number(answered()) < number) {
        (void)poll(NULL, 0, 1);
    }
}

/* What became of it. */
static unsigned ask(unsigned command)
{
    struct abi_trace_header *header = open_header();
    uint64_t number = 0;

    cr_assert(header != NULL);
    cr_assert(abi_control_ask(header, command, &number));
    close_header(header);
    await_number(number);
    return abi_control_detail(answered());
}

static struct beat_options started(enum beat_switch control)
{
    struct beat_options options = traces_options(traces_path);

    options.main_words = 1024;
    options.control = control;
    cr_assert(beat_start(&options));
    return options;
}

static uint64_t recorded(const char *path)
{
    struct traces_loaded loaded = traces_load(path);
    uint64_t count = loaded.main.run_counts[0] + loaded.main.run_counts[1];

    mb_buf_finish(&loaded.bytes);
    return count;
}

static void dump_path(char path[200], unsigned number)
{
    cr_assert(abi_control_dump_path(path, 200, traces_path, (uint32_t)getpid(), number));
}

Test(control, a_dump_lies_beside_the_trace)
{
    char path[200];

    (void)started(BEAT_ON);
    beat_i(1);
    cr_assert(eq(u32, ask(ABI_CONTROL_DUMP), ABI_CONTROL_DONE));
    dump_path(path, 1);
    cr_assert(eq(u64, recorded(path), 1));
    beat_o(1);
    cr_assert(eq(u64, recorded(traces_path), 2));
}

/* That nobody listens any more is the answer. */
Test(control, what_is_stopped_is_whole_and_deaf)
{
    struct abi_trace_header *header = NULL;
    uint64_t number = 0;

    (void)started(BEAT_ON);
    beat_i(1);
    header = open_header();
    cr_assert(abi_control_ask(header, ABI_CONTROL_STOP, &number));
    close_header(header);
    while (answered() != ABI_CONTROL_DEAF) {
        (void)poll(NULL, 0, 1);
    }
    cr_assert(not(beat_is_recording()));
    beat_o(1);
    cr_assert(eq(u64, recorded(traces_path), 1));
    (void)started(BEAT_ON);
    cr_assert(beat_is_recording());
}

Test(control, an_unknown_command_is_refused)
{
    (void)started(BEAT_ON);
    cr_assert(eq(u32, ask(250), ABI_CONTROL_UNKNOWN));
    cr_assert(beat_is_recording());
}

/* Their dumps lie beside one trace. */
Test(control, numbers_go_on_in_the_next_session)
{
    struct abi_trace_header *header = NULL;
    uint64_t number = 0;

    (void)started(BEAT_ON);
    cr_assert(eq(u32, ask(ABI_CONTROL_DUMP), ABI_CONTROL_DONE));
    beat_stop();
    (void)started(BEAT_ON);
    header = open_header();
    cr_assert(abi_control_ask(header, ABI_CONTROL_DUMP, &number));
    close_header(header);
    cr_assert(eq(u64, number, 2));
    await_number(2);
}

Test(control, nobody_listens_when_the_program_has_stopped)
{
    (void)started(BEAT_ON);
    beat_stop();
    cr_assert(eq(u64, answered(), ABI_CONTROL_DEAF));
}

Test(control, nobody_listens_where_it_is_off)
{
    struct sigaction now;

    (void)started(BEAT_OFF);
    cr_assert(eq(u64, answered(), ABI_CONTROL_DEAF));
    cr_assert(eq(int, sigaction(SIGUSR2, NULL, &now), 0));
    cr_assert(now.sa_handler == SIG_DFL);
}

Test(control, a_deleted_trace_can_be_dumped)
{
    struct abi_trace_header *header = NULL;
    char path[200];
    uint64_t number = 0;

    (void)started(BEAT_ON);
    header = open_header();
    cr_assert(eq(int, unlink(traces_path), 0));
    cr_assert(abi_control_ask(header, ABI_CONTROL_DUMP, &number));
    while (abi_control_number(atomic_load(&header->answered)) < number) {
        (void)poll(NULL, 0, 1);
    }
    cr_assert(eq(u32, abi_control_detail(atomic_load(&header->answered)), ABI_CONTROL_DONE));
    dump_path(path, (unsigned)number);
    cr_assert(eq(int, access(path, R_OK), 0));
    close_header(header);
}

/* ---- The signal ---- */

static volatile sig_atomic_t heard;

static void hear(int number)
{
    (void)number;
    heard = 1;
}

Test(control, the_signal_asks_for_a_dump)
{
    char path[200];

    (void)started(BEAT_ON);
    beat_i(1);
    cr_assert(eq(int, raise(SIGUSR2), 0));
    await_number(1);
    dump_path(path, 1);
    cr_assert(eq(u64, recorded(path), 1));
    cr_assert(eq(int, raise(SIGUSR2), 0));
    await_number(2);
    dump_path(path, 2);
    cr_assert(eq(u64, recorded(path), 1));
}

Test(control, a_handler_of_the_program_stays)
{
    struct sigaction now;

    (void)signal(SIGUSR2, hear);
    (void)started(BEAT_ON);
    cr_assert(eq(int, raise(SIGUSR2), 0));
    cr_assert(eq(int, heard, 1));
    beat_stop();
    cr_assert(eq(int, sigaction(SIGUSR2, NULL, &now), 0));
    cr_assert(now.sa_handler == hear);
}

Test(control, a_handler_that_comes_later_stays_too)
{
    struct sigaction now;

    (void)started(BEAT_ON);
    (void)signal(SIGUSR2, hear);
    beat_stop();
    cr_assert(eq(int, sigaction(SIGUSR2, NULL, &now), 0));
    cr_assert(now.sa_handler == hear);
}

/* As it would have without us. */
Test(control, the_signal_ends_a_program_that_has_stopped)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        (void)started(BEAT_ON);
        beat_stop();
        (void)raise(SIGUSR2);
        _exit(0);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGUSR2));
}

Test(control, the_signal_ends_a_forked_child)
{
    int status = 0;

    (void)started(BEAT_ON);
    pid_t child = fork();
    if (child == 0) {
        (void)raise(SIGUSR2);
        _exit(0);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGUSR2));
}
