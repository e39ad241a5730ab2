#include "agent/sampling.h"

#include "agent/hotspot.h"
#include "agent/jvm.h"
#include "base/check.h"
#include "base/clock.h"
#include "sampler/jvmti/stack.h"
#include "sampler/threads.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NUMBER_BITS 12u          /* of a thread, in what a signal carries, below the question */
#define LOOK (UINT64_C(1) << 62) /* it is one for a stack at once */
#define LOOK_NAP_NS 200000
#define LOOK_NAPS 500
_Static_assert(SAMP_MOST_THREADS <= 1u << NUMBER_BITS, "a number has room");

/* Of HotSpot's forte.cpp, as results: it runs Java's code, or what that calls without a word, and
 * the frame of that is not whole, or the one around it is that of a stub, which it never trusts. */
#define UNKNOWN_JAVA (-5)
#define NOT_WALKABLE_JAVA (-6)
#define MOST_WORDS 8   /* of such a frame */
#define MOST_FRAME 512 /* words, of one in the JVM */
#define MOST_CALLS 32  /* of these */

struct trace {
    JNIEnv *env;
    jint frame_count;
    struct samp_frame *frames;
};

static struct {
    void (*walk)(struct trace *trace, jint depth, void *context); /* before the first signal */
    _Atomic(int) signal;                                          /* 0 if none */
    _Atomic(bool) has_told;                                       /* that threads do not answer */
    /* Where the JVM has code that it made, all of it. */
    uint64_t code; /* before a signal is asked for */
    uint64_t code_end;
} agct;

static struct samp_box looked; /* for good: a signal may be late */

/* ---- On the thread that is sampled ---- */

static void *find_env(void)
{
    void *env = NULL;

    return (*agent_jvm.vm)->GetEnv(agent_jvm.vm, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
}

static uint64_t read_cpu_ns(void)
{
    return (uint64_t)mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__x86_64__)
static bool is_code(uint64_t address)
{
    return address >= agct.code && address < agct.code_end;
}

/* Where a thread is: what HotSpot reads of a context. */
struct at {
    uint64_t pc;
    const uint64_t *stack;
    uint64_t frame; /* pointer, or whatever the code keeps in its register */
};

static struct at read_context(const ucontext_t *context)
{
    const greg_t *registers = context->uc_mcontext.gregs;

    return (struct at){.pc = (uint64_t)registers[REG_RIP],
                       .stack = (const uint64_t *)registers[REG_RSP], /* NOLINT */
                       .frame = (uint64_t)registers[REG_RBP]};
}

static bool walk_from(struct trace *trace, const ucontext_t *context, struct at at)
{
    ucontext_t there = *context;

    there.uc_mcontext.gregs[REG_RIP] = (greg_t)at.pc;
    there.uc_mcontext.gregs[REG_RSP] = (greg_t)at.stack;
    there.uc_mcontext.gregs[REG_RBP] = (greg_t)at.frame;
    agct.walk(trace, SAMP_DEPTH, &there);
    return trace->frame_count > 0;
}

/* The caller of code that has a frame pointer, which lies near. False if this has none. */
static bool leave_frame(struct at *at)
{
    const uint64_t *frame = (const uint64_t *)at->frame; /* NOLINT */

    if (frame < at->stack || frame - at->stack > MOST_FRAME || at->frame % sizeof(*frame) != 0) {
        return false;
    }
    *at = (struct at){.pc = frame[1], .stack = frame + 2, .frame = frame[0]};
    return true;
}

/* What Java's code calls in the JVM itself. */
static bool leave_library(struct at *at)
{
    for (size_t i = 0; i < MOST_CALLS && !is_code(at->pc); i++) {
        if (!leave_frame(at)) {
            return false;
        }
    }
    return is_code(at->pc);
}

/* A frame that is not made yet, or gone, or not to be trusted: its caller's address is on top, or
 * above a few words, the last of which is the frame pointer that stayed; or it has one of its own.
 */
static bool walk_from_caller(struct trace *trace, const ucontext_t *context, const struct at *at,
                             size_t first)
{
    struct at caller = *at;

    for (size_t i = first; i < MOST_WORDS; i++) {
        const struct at there = {at->stack[i], &at->stack[i + 1], at->frame};
        if (is_code(there.pc) && (i == 0 || at->stack[i - 1] == at->frame) &&
            walk_from(trace, context, there)) {
            return true;
        }
    }
    return leave_frame(&caller) && is_code(caller.pc) && walk_from(trace, context, caller);
}

static void walk_callers(struct trace *trace, const ucontext_t *context)
{
    struct at at = read_context(context);
    bool is_leaf = is_code(at.pc);

    if (leave_library(&at)) {
        (void)walk_from_caller(trace, context, &at, is_leaf ? 0 : 1);
    }
}
#elif defined(__aarch64__)
static void walk_callers(struct trace *trace, const ucontext_t *from)
{
    ucontext_t left = *from;

    left.uc_mcontext.pc = from->uc_mcontext.regs[30];
    agct.walk(trace, SAMP_DEPTH, &left);
}
#else
static void walk_callers(struct trace *trace, const ucontext_t *from)
{
    (void)trace;
    (void)from;
}
#endif

/* A stack that cannot be walked from within a leaf or a stub is walked from a caller. */
static void walk_stack(struct trace *trace, const ucontext_t *context)
{
    agct.walk(trace, SAMP_DEPTH, (void *)(uintptr_t)context);
    const jint failure = trace->frame_count;
    if (failure == UNKNOWN_JAVA || failure == NOT_WALKABLE_JAVA) {
        walk_callers(trace, context);
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

static void answer_look(uint64_t question, void *context)
{
    if (samp_box_begin(&looked, question)) {
        fill_box(&looked, context);
        samp_box_end(&looked);
    }
}

/* Signals that we did not send have no answer. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int before = errno;
    uint64_t question = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    bool is_ours = info->si_code == SI_QUEUE && info->si_pid == getpid();

    (void)number;
    if (is_ours && (question & LOOK) != 0) {
        answer_look(question & ~LOOK, context);
    } else if (is_ours) {
        answer_question(question, context);
    }
    errno = before;
}

/* ---- Opening ---- */

static bool has_signal(int number)
{
    struct sigaction now;

    return number != 0 && sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == on_signal;
}

/* HotSpot reads what may not be there, and expects the fault. */
static void block_others(sigset_t *blocked)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

    (void)sigfillset(blocked);
    for (size_t i = 0; i < MB_COUNT(faults); i++) {
        (void)sigdelset(blocked, faults[i]);
    }
}

static bool take_signal(int number)
{
    struct sigaction now;
    /* A thread with a stack for signals may be on one that is too small for us: that of a goroutine
     * which Java has called. */
    struct sigaction ours = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    block_others(&ours.sa_mask);
    if (sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 ||
        now.sa_handler != SIG_DFL || sigaction(number, &ours, NULL) != 0) {
        return false;
    }
    atomic_store(&agct.signal, number);
    return true;
}

/* One that ends no process where it meets no handler: on its way, the program may set none, or
 * become another. */
static bool find_signal(void)
{
    bool is_found = has_signal(atomic_load(&agct.signal)) || take_signal(SIGURG) ||
                    take_signal(SIGWINCH) || take_signal(SIGPROF);

    for (int number = SIGRTMIN; !is_found && number <= SIGRTMAX; number++) {
        is_found = take_signal(number);
    }
    return is_found;
}

bool agent_agct_open(void)
{
    void *walk = agent_hotspot_symbol("AsyncGetCallTrace");

    *(void **)(void *)&agct.walk = walk;
    agent_hotspot_find_code(&agct.code, &agct.code_end);
    /* A question has no room in the pointer of 32 bits that a signal carries. */
    bool is_open = walk != NULL && sizeof(void *) == sizeof(uint64_t) && find_signal();
    if (is_open) {
        agent_hotspot_keep_places();
    }
    return is_open;
}

/* ---- Asking ---- */

/* The program may set its own handler, or none, later: then our signal must not reach it. */
static bool keep_signal(void)
{
    int number = atomic_load(&agct.signal);

    if (has_signal(number)) {
        return true;
    }
    bool is_found = find_signal();
    if (number != 0) {
        atomic_store(&agct.signal, is_found ? atomic_load(&agct.signal) : 0);
        agent_print(is_found ? "the program has taken our signal: stacks are taken by another one"
                             : "the program has taken our signal: stacks are taken at safepoints",
                    "");
    }
    return is_found;
}

/* False with EAGAIN: not now, by no signal. */
static bool send_signal(uint32_t thread_id, uint64_t value)
{
    if (!keep_signal()) {
        errno = EAGAIN;
        return false;
    }
    siginfo_t info = {.si_signo = atomic_load(&agct.signal), .si_code = SI_QUEUE};

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)value;
    return syscall(SYS_rt_tgsigqueueinfo, info.si_pid, thread_id, info.si_signo, &info) == 0;
}

/* Is our signal in that set of the thread's, as /proc names it? */
static bool is_in_set(const struct samp_thread *thread, const char *set)
{
    uint64_t signals = samp_task_signals(thread->thread_id, set);

    return (signals >> (atomic_load(&agct.signal) - 1) & 1) != 0;
}

static bool give_up_signals(struct samp_thread *thread)
{
    thread->lost = SAMP_DEAF;
    if (!atomic_exchange(&agct.has_told, true)) {
        agent_print("threads of the program block or lose our signals: their stacks are taken at "
                    "safepoints",
                    "");
    }
    return true;
}

bool agent_agct_is_lost(struct samp_thread *thread)
{
    if (atomic_load(&agct.signal) == 0 || is_in_set(thread, "SigBlk:")) {
        return give_up_signals(thread);
    }
    if (is_in_set(thread, "SigPnd:")) {
        return false; /* the thread has no processor */
    }
    return ++thread->lost < SAMP_DEAF || give_up_signals(thread);
}

/* While it cannot end, so that no other thread of that id gets the signal. */
static bool ask_by_signal(struct samp_thread *thread, uint64_t question)
{
    if (!samp_threads_lock_live(thread)) {
        errno = ESRCH;
        return false;
    }
    bool is_sent =
        send_signal(thread->thread_id, question << NUMBER_BITS | samp_threads_number(thread));
    samp_threads_unlock();
    return is_sent;
}

bool agent_agct_ask(struct samp_thread *thread, uint64_t question)
{
    if (!thread->is_known && thread->lost == 0 && is_in_set(thread, "SigBlk:")) {
        (void)give_up_signals(thread);
    }
    if (thread->lost < SAMP_DEAF && ask_by_signal(thread, question)) {
        return true;
    }
    return (thread->lost == SAMP_DEAF || errno == EAGAIN) && jvmti_stack_ask(thread, question);
}

int32_t agent_agct_look(uint32_t thread_id, struct samp_frame *frames, int32_t most)
{
    const struct timespec nap = {.tv_nsec = LOOK_NAP_NS};
    int32_t count = 0;

    if (samp_box_state(&looked) != SAMP_BOX_FREE) {
        return 0; /* the last one is being answered still */
    }
    bool is_sent = send_signal(thread_id, LOOK | samp_box_ask(&looked));
    for (int naps = 0; is_sent && naps < LOOK_NAPS && samp_box_state(&looked) != SAMP_BOX_FULL;
         naps++) {
        (void)nanosleep(&nap, NULL);
    }
    if (samp_box_state(&looked) == SAMP_BOX_FULL) {
        count = looked.count < most ? looked.count : most;
        for (int32_t i = 0; i < count; i++) {
            frames[i] = looked.frames[i];
        }
    }
    (void)samp_box_clear(&looked);
    return count;
}
