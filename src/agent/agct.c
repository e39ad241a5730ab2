#include "agent/engines.h"

#include "agent/jvm.h"
#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER_BITS 12u /* of a thread, in what a signal carries, below the question */
_Static_assert(SAMP_MOST_THREADS <= 1u << NUMBER_BITS, "a number has room");

/* HotSpot's forte.cpp. */
struct trace {
    JNIEnv *env;
    jint frame_count;
    struct samp_frame *frames;
};

/* Written before the first signal. */
static struct {
    void (*walk)(struct trace *trace, jint depth, void *context);
    int signal; /* 0: none yet */
} agct;

/* ---- On the thread that is sampled ---- */

static void answer_question(struct samp_box *box, void *context)
{
    struct trace trace = {.frames = box->frames};
    void *env = NULL;
    int64_t begin_ns = mb_clock_now_ns();

    if ((*agent_jvm.vm)->GetEnv(agent_jvm.vm, &env, JNI_VERSION_1_6) == JNI_OK) {
        trace.env = env;
        agct.walk(&trace, SAMP_DEPTH, context);
    }
    box->count = trace.frame_count;
    box->time_ns = begin_ns;
    box->took_ns = (uint64_t)(mb_clock_now_ns() - begin_ns);
    box->cpu_ns = (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Signals that we did not send have no answer. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int before = errno;
    uint64_t question = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

    (void)number;
    if (info->si_code == SI_QUEUE && info->si_pid == getpid()) {
        uint32_t thread = (uint32_t)(question & (SAMP_MOST_THREADS - 1));
        struct samp_box *box = thread < samp_threads_count() ? &samp_threads_at(thread)->box : NULL;
        if (box != NULL && samp_box_begin(box, question >> NUMBER_BITS)) {
            answer_question(box, context);
            samp_box_end(box);
        }
    }
    errno = before;
}

/* ---- Opening ---- */

static void *find_walk(void)
{
    void *found = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");

    if (found == NULL) {
        void *library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, "AsyncGetCallTrace") : NULL;
    }
    return found;
}

static bool is_ours(int number)
{
    struct sigaction now;

    return number != 0 && sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == on_signal;
}

static bool take_signal(int number)
{
    struct sigaction now;
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    (void)sigfillset(&ours.sa_mask);
    if (sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 ||
        now.sa_handler != SIG_DFL || sigaction(number, &ours, NULL) != 0) {
        return false;
    }
    agct.signal = number;
    return true;
}

/* That of profilers, or one that nobody has. */
static bool find_signal(void)
{
    bool is_found = is_ours(agct.signal) || take_signal(SIGPROF);

    for (int number = SIGRTMIN; !is_found && number <= SIGRTMAX; number++) {
        is_found = take_signal(number);
    }
    return is_found;
}

bool agent_agct_open(void)
{
    void *walk = find_walk();

    *(void **)(void *)&agct.walk = walk;
    return walk != NULL && find_signal();
}

/* While it cannot end, so that no other thread of that id gets the signal. */
bool agent_agct_ask(struct samp_thread *thread, uint64_t question)
{
    siginfo_t info = {.si_signo = agct.signal, .si_code = SI_QUEUE};
    uint64_t value = question << NUMBER_BITS | samp_threads_number(thread);

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)value;
    if (!samp_threads_lock_live(thread)) {
        return false;
    }
    bool is_sent =
        syscall(SYS_rt_tgsigqueueinfo, info.si_pid, thread->thread_id, agct.signal, &info) == 0;
    samp_threads_unlock();
    return is_sent;
}
