#include "sampler/jvmti/stack.h"

#include "base/clock.h"
#include "sampler/jvmti/methods.h"
#include "sampler/jvmti/runtime.h"

/* As the kernel numbers the clocks of threads. */
static uint64_t read_cpu_ns(uint32_t thread_id)
{
    return (uint64_t)mb_clock_read_ns((clockid_t)(~thread_id << 3 | 6));
}

/* A thread that has begun or ended just now has no stack: code 0. */
void jvmti_stack_poll(struct samp_thread *thread)
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    struct samp_box *box = &thread->box;
    jvmtiFrameInfo frames[SAMP_DEPTH];
    jint count = 0;
    int64_t before_ns = mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    jvmtiError error =
        (*jvmti)->GetStackTrace(jvmti, thread->handle, 0, SAMP_DEPTH, frames, &count);
    bool is_known = error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_THREAD_NOT_ALIVE;

    count = error == JVMTI_ERROR_NONE ? count : 0;
    for (jint i = 0; i < count; i++) {
        box->frames[i] = (struct samp_frame){(int32_t)frames[i].location, frames[i].method};
    }
    box->count = count > 0 || (is_known && box->count < 0) ? count : box->count;
    box->time_ns = mb_clock_now_ns();
    /* The thread takes part for about as long as we do. */
    box->took_ns += (uint64_t)(mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
    box->cpu_ns = read_cpu_ns(thread->thread_id);
}

bool jvmti_stack_ask(struct samp_thread *thread, uint64_t question)
{
    struct samp_box *box = &thread->box;

    if (samp_box_begin(box, question)) {
        box->count = 0;
        box->took_ns = 0;
        jvmti_stack_poll(thread);
        samp_box_end(box);
    }
    return true;
}

/* thread: NULL for the calling one; without: innermost frames to leave out. The methods of a stack
 * that is there can be asked for their class. */
static uint32_t walk_stack(jthread thread, jint without, struct samp_frame frames[SAMP_WAIT_DEPTH])
{
    jvmtiEnv *jvmti = jvmti_runtime_env();
    JNIEnv *env = jvmti_runtime_jni();
    jvmtiFrameInfo infos[SAMP_WAIT_DEPTH];
    jint count = 0;

    if ((*jvmti)->GetStackTrace(jvmti, thread, without, SAMP_WAIT_DEPTH, infos, &count) !=
        JVMTI_ERROR_NONE) {
        return 0;
    }
    for (jint i = 0; i < count; i++) {
        frames[i] = (struct samp_frame){(int32_t)infos[i].location, infos[i].method};
    }
    jvmti_methods_know(jvmti, env, frames, (size_t)count);
    return (uint32_t)count;
}

uint32_t jvmti_stack_walk(const struct samp_thread *thread,
                          struct samp_frame frames[SAMP_WAIT_DEPTH])
{
    return walk_stack(thread->handle, 0, frames);
}

uint32_t jvmti_stack_walk_own(struct samp_frame frames[SAMP_WAIT_DEPTH])
{
    return walk_stack(NULL, 0, frames);
}

uint32_t jvmti_stack_walk_noted(struct samp_frame frames[SAMP_WAIT_DEPTH])
{
    return walk_stack(NULL, 3, frames);
}
