#include "agent/engines.h"

#include "agent/jvm.h"
#include "base/clock.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NUMBER_BITS 12u          /* of a thread, in what a signal carries, below the question */
#define ROLL (UINT64_C(1) << 63) /* the question is one of the roll, not for a stack */
#define ROLL_NAP_NS 1000000
#define ROLL_NAPS 100
_Static_assert(SAMP_MOST_THREADS <= 1u << NUMBER_BITS, "a number has room");

/* Of HotSpot's forte.cpp, as results. */
#define UNKNOWN_NATIVE (-3)
#define UNKNOWN_JAVA (-5)
#define MOST_SLOTS 4

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

/* Those who are called, by the place in the list of tasks; for good, since a signal may be late. */
struct called {
    uint32_t thread_id;
    uint32_t round; /* in which it was called */
    _Atomic(uint32_t) answered;
    _Atomic(void *) env;
};
static struct called called[SAMP_MOST_THREADS];
static uint32_t roll_round;

/* ---- On the thread that is sampled ---- */

static void *find_env(void)
{
    void *env = NULL;

    return (*agent_jvm.vm)->GetEnv(agent_jvm.vm, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
}

/* To a late one nobody listens. */
static void answer_roll(uint64_t question)
{
    struct called *own = &called[question & (SAMP_MOST_THREADS - 1)];
    uint32_t round = (uint32_t)(question >> NUMBER_BITS);

    if (own->round == round) {
        atomic_store_explicit(&own->env, find_env(), memory_order_relaxed);
        /* Release: env is there. Pairs with has_answered. */
        atomic_store_explicit(&own->answered, round, memory_order_release);
    }
}

static uint64_t read_cpu_ns(void)
{
    return (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The code that called a leaf whose frame is not made yet, is gone, or never is: its address is on
 * top of the stack, or a few words below what the leaf keeps there. False where nobody knows. */
static bool leave_leaf(ucontext_t *context, const ucontext_t *from, size_t slot)
{
    *context = *from;
#if defined(__x86_64__)
    const greg_t *stack = (const greg_t *)from->uc_mcontext.gregs[REG_RSP]; /* NOLINT */
    context->uc_mcontext.gregs[REG_RIP] = stack[slot];
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(stack + slot + 1);
    return true;
#elif defined(__aarch64__)
    context->uc_mcontext.pc = from->uc_mcontext.regs[30];
    return slot == 0;
#else
    return false;
#endif
}

static bool is_leaf_without_frame(const struct trace *trace)
{
    return trace->frame_count == UNKNOWN_JAVA || trace->frame_count == UNKNOWN_NATIVE;
}

/* A stack that cannot be walked from within a leaf is walked from its caller. */
static void walk_stack(struct trace *trace, void *context)
{
    ucontext_t left;

    agct.walk(trace, SAMP_DEPTH, context);
    const jint failure = trace->frame_count;
    for (size_t slot = 0; is_leaf_without_frame(trace) && slot < MOST_SLOTS; slot++) {
        if (leave_leaf(&left, context, slot)) {
            trace->frame_count = 0;
            agct.walk(trace, SAMP_DEPTH, &left);
        }
        trace->frame_count = trace->frame_count > 0 ? trace->frame_count : failure;
    }
}

static void fill_box(struct samp_box *box, void *context)
{
    struct trace trace = {.env = find_env(), .frames = box->frames};
    uint64_t before_ns = read_cpu_ns();

    box->time_ns = mb_clock_now_ns();
    if (trace.env != NULL) {
        walk_stack(&trace, context);
    }
    box->count = trace.frame_count;
    box->cpu_ns = read_cpu_ns();
    box->took_ns = box->cpu_ns - before_ns;
}

static void answer_question(uint64_t question, void *context)
{
    uint32_t thread = (uint32_t)(question & (SAMP_MOST_THREADS - 1));
    struct samp_box *box = thread < samp_threads_count() ? &samp_threads_at(thread)->box : NULL;

    if (box != NULL && samp_box_begin(box, question >> NUMBER_BITS)) {
        fill_box(box, context);
        samp_box_end(box);
    }
}

/* Signals that we did not send have no answer. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int before = errno;
    uint64_t question = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    bool is_ours = info->si_code == SI_QUEUE && info->si_pid == getpid();

    (void)number;
    if (is_ours && (question & ROLL) != 0) {
        answer_roll(question & ~ROLL);
    } else if (is_ours) {
        answer_question(question, context);
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

static bool has_signal(int number)
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
    bool is_found = has_signal(agct.signal) || take_signal(SIGPROF);

    for (int number = SIGRTMIN; !is_found && number <= SIGRTMAX; number++) {
        is_found = take_signal(number);
    }
    return is_found;
}

bool agent_agct_open(void)
{
    void *walk = find_walk();

    *(void **)(void *)&agct.walk = walk;
    /* A question has no room in the pointer of 32 bits that a signal carries. */
    return walk != NULL && sizeof(void *) == sizeof(uint64_t) && find_signal();
}

/* ---- Asking ---- */

static bool send_signal(uint32_t thread_id, uint64_t value)
{
    siginfo_t info = {.si_signo = agct.signal, .si_code = SI_QUEUE};

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)value;
    return syscall(SYS_rt_tgsigqueueinfo, info.si_pid, thread_id, agct.signal, &info) == 0;
}

/* While it cannot end, so that no other thread of that id gets the signal. */
bool agent_agct_ask(struct samp_thread *thread, uint64_t question)
{
    if (!samp_threads_lock_live(thread)) {
        return false;
    }
    bool is_sent =
        send_signal(thread->thread_id, question << NUMBER_BITS | samp_threads_number(thread));
    samp_threads_unlock();
    return is_sent;
}

/* ---- The roll ---- */

/* Returns how many were called. */
static size_t call_all(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    size_t count = 0;

    while (folder != NULL && count < SAMP_MOST_THREADS && (entry = readdir(folder)) != NULL) {
        uint32_t thread_id = (uint32_t)strtoul(entry->d_name, NULL, 10);
        called[count].thread_id = thread_id;
        called[count].round = roll_round;
        if (thread_id != 0 &&
            send_signal(thread_id, ROLL | (uint64_t)roll_round << NUMBER_BITS | count)) {
            count++;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

static bool has_answered(const struct called *one)
{
    return atomic_load_explicit(&one->answered, memory_order_acquire) == roll_round;
}

static void await_all(size_t count)
{
    const struct timespec nap = {.tv_nsec = ROLL_NAP_NS};
    size_t answered = 0;

    for (int naps = 0; naps < ROLL_NAPS && answered < count; naps++) {
        for (answered = 0; answered < count && has_answered(&called[answered]);) {
            answered++;
        }
        (void)nanosleep(&nap, NULL);
    }
}

size_t agent_call_roll(struct agent_caller **callers)
{
    size_t answered = 0;

    roll_round++;
    size_t count = find_signal() ? call_all() : 0;
    await_all(count);
    *callers = calloc(count + 1, sizeof(**callers));
    for (size_t i = 0; *callers != NULL && i < count; i++) {
        void *env = atomic_load_explicit(&called[i].env, memory_order_relaxed);
        if (has_answered(&called[i]) && env != NULL) {
            (*callers)[answered++] = (struct agent_caller){called[i].thread_id, env};
        }
    }
    return answered;
}
