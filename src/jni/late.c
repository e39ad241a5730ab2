#include "jni/monitors.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "monitor/watch/stack.h"
#include "recorder/name.h"
#include "recorder/sections.h"
#include "sampler/ids.h"
#include "sampler/late.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Frames of one stack. */
struct frames {
    size_t count;
    struct samp_place places[SAMP_DEPTH];
};

struct samp_thread *jni_late_create(const char *name)
{
    struct samp_thread *thread = calloc(1, sizeof(*thread));

    if (thread != NULL) {
        thread->thread_id = (uint32_t)syscall(SYS_gettid);
        beat_name_copy(thread->name, name != NULL ? name : "");
    }
    return thread;
}

void jni_late_destroy(struct samp_thread *thread)
{
    if (thread != NULL) {
        samp_late_end(thread);
        free(thread);
    }
}

/* ---- Frames ---- */

/* The name of a hidden class, as of a lambda, ends in an address that differs from run to run. */
static struct mb_text class_of(struct mb_text function, size_t name_at)
{
    struct mb_text name = {function.data, name_at > 0 ? name_at - 1 : 0};
    const char *address = memmem(name.data, name.size, "/0x", 3);

    if (address != NULL) {
        name.size = (size_t)(address - name.data);
    }
    return name;
}

static bool is_ours(struct mb_text class_name)
{
    return mb_text_starts(class_name, MB_TEXT("methodbeat.")) ||
           mb_text_is(class_name, "java.lang.$MethodBeat");
}

/* "a.b.C.load(C.java:12)"; overloads have one name, as Java tells no types. */
static void add_frame(struct frames *frames, struct mb_text frame)
{
    const struct mb_place place = mb_place_cut(&frame);
    size_t name_at = mb_text_after_last(frame, '.');
    const struct abi_method method = {.class_name = class_of(frame, name_at),
                                      .name = mb_text_from(frame, name_at)};

    if (method.class_name.size == 0 || method.name.size == 0) {
        return;
    }
    frames->places[frames->count++] =
        (struct samp_place){.id = samp_ids_name(&method),
                            .bci = ABI_STACK_NO_BCI,
                            .is_ours = is_ours(method.class_name),
                            .line = place.file.size > 0 ? place.line : ABI_STACK_NO_LINE};
}

/* ---- States ---- */

static uint32_t waiting_state(struct mb_text function)
{
    struct mb_text name = mb_text_from(function, mb_text_after_last(function, '.'));

    return mb_text_starts(name, MB_TEXT("park"))    ? ABI_SAMPLE_PARKED
           : mb_text_starts(name, MB_TEXT("sleep")) ? ABI_SAMPLE_SLEEPING
                                                    : ABI_SAMPLE_WAITING;
}

/* "TIMED_WAITING native": the state in Java's words, and where the innermost function is, which a
 * wait is told by. */
static uint32_t find_state(struct mb_text words, struct mb_text function)
{
    (void)mb_place_cut(&function);
    if (mb_text_starts(words, MB_TEXT("BLOCKED"))) {
        return ABI_SAMPLE_MONITOR;
    }
    if (mb_text_starts(words, MB_TEXT("WAITING")) ||
        mb_text_starts(words, MB_TEXT("TIMED_WAITING"))) {
        return waiting_state(function);
    }
    return mb_text_ends(words, MB_TEXT(" native")) ? ABI_SAMPLE_NATIVE : ABI_SAMPLE_RUNNING;
}

/* ---- All ---- */

static uint32_t to_us(int64_t ns)
{
    return (uint32_t)(ns / 1000);
}

static void put_frames(struct samp_thread *thread, const struct watch_stack *stack,
                       struct mb_text text, struct samp_late *late)
{
    static struct frames frames; /* there is one watcher */
    struct mb_text words = mb_text_split(&text, '\n');
    struct mb_text first = text;

    frames.count = 0;
    late->seen.state = find_state(words, mb_text_split(&first, '\n'));
    while (text.size > 0 && frames.count < SAMP_DEPTH) {
        add_frame(&frames, mb_text_split(&text, '\n'));
    }
    if (frames.count == 0 || frames.places[0].id == 0) {
        return;
    }
    late->since_ns = stack->since_ns;
    late->seen.places = frames.places;
    late->seen.count = frames.count;
    late->seen.is_cut = frames.count == SAMP_DEPTH;
    late->seen.interval_us = to_us(stack->interval_ns);
    samp_late_put(thread, late);
}

void jni_late_put(struct samp_thread *thread, const struct watch_stack *stack, const char *text,
                  uint64_t took_ns)
{
    struct samp_late late = {.seen = {.time_ns = mb_clock_now_ns()}, .took_ns = took_ns};

    if (thread == NULL || text == NULL || !samp_late_is_wanted()) {
        return;
    }
    (void)mb_clock_read_thread(thread->thread_id, &late.seen.cpu_ns);
    put_frames(thread, stack, mb_text_of(text), &late);
}

jboolean JNICALL jni_late_wants_agent(JNIEnv *env, jclass type)
{
    struct beat_recorder *recorder = beat_lock();
    enum beat_engine engine = recorder->options->sample_engine;
    bool wants = beat_is_present(recorder) && beat_sections_has_samples(recorder->options) &&
                 (engine == BEAT_ENGINE_AUTO || engine == BEAT_ENGINE_JVMTI) && !samp_late_yields();

    (void)env;
    (void)type;
    beat_unlock(recorder);
    return wants ? JNI_TRUE : JNI_FALSE;
}
