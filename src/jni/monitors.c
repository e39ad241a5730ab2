#include "jni/monitors.h"

#include "abi/settings.h"
#include "base/check.h"
#include "base/clock.h"
#include "jni/exceptions.h"
#include "jni/text.h"
#include "monitor/options.h"
#include "monitor/watch/methodbeat_watch.h"
#include "recorder/here.h"
#include "recorder/method_names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread with a loop, as Java knows it. */
struct thread {
    uint32_t id;    /* of the system */
    jobject thread; /* global references */
    jobject pinger; /* or NULL */
    struct samp_thread *late;
    struct thread *next; /* of those that have ended */
};

static struct {
    JavaVM *vm;
    jclass type; /* NativeMonitors */
    jmethodID stack_of;
    jmethodID stacks;
    jmethodID name_of;
    jmethodID ping;
    jmethodID heard;
} java;

static const struct jni_stacks *other_stacks; /* or NULL */
static _Atomic(bool) has_other_stacks;

void jni_monitors_use(const struct jni_stacks *stacks)
{
    other_stacks = stacks;
}

/* Their references wait for a thread that Java knows: one that ends may be no such thread any
 * more. */
static _Atomic(struct thread *) ended;

/* NULL if Java does not know the thread. */
static JNIEnv *find_env(void)
{
    void *env = NULL;

    return (*java.vm)->GetEnv(java.vm, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
}

/* A thread of the library, for Java: one that the program does not wait for. */
static JNIEnv *attach_thread(const char *name)
{
    JavaVMAttachArgs args = {JNI_VERSION_1_6, (char *)(uintptr_t)name, NULL};
    JNIEnv *env = NULL;
    void *place = &env; /* of either type: the JDK's header says void **, Android's JNIEnv ** */

    return (*java.vm)->AttachCurrentThreadAsDaemon(java.vm, place, &args) == JNI_OK ? env : NULL;
}

/* The text that a method gave; the caller frees it. NULL if it gave none. */
static char *take_text(JNIEnv *env, jobject string)
{
    char *text = jni_forget_exception(env) ? NULL : jni_text_create(env, string);

    (*env)->DeleteLocalRef(env, string);
    return text;
}

/* What a method of NativeMonitors that gives a text makes of an object; to be freed. */
static char *call_for_text(JNIEnv *env, jmethodID method, jobject object)
{
    const jvalue arguments[] = {{.l = object}};

    return take_text(env, (*env)->CallStaticObjectMethodA(env, java.type, method, arguments));
}

/* ---- What the watcher asks ---- */

static bool attach_watcher(void *context)
{
    (void)context;
    return attach_thread("methodbeat-watch") != NULL;
}

static void detach_watcher(void *context)
{
    (void)context;
    (void)(*java.vm)->DetachCurrentThread(java.vm);
}

static char *all_stacks(void *context)
{
    JNIEnv *env = find_env();

    (void)context;
    return env != NULL ? call_for_text(env, java.stacks, NULL) : NULL;
}

static void ask_exits(void *context, struct watch_exits *exits)
{
    JNIEnv *env = find_env();

    (void)context;
    if (env != NULL) {
        jni_exits_ask(env, exits);
    }
}

static void tell_exits(void *context)
{
    JNIEnv *env = find_env();

    (void)context;
    if (env != NULL) {
        jni_exits_told(env);
    }
}

static void note_incident(void *context, const char *incident)
{
    JNIEnv *env = find_env();

    (void)context;
    if (env != NULL) {
        jni_exits_note(env, incident);
    }
}

/* Java's way waits until Java can run; such stacks are samples, too. The frames are in the text,
 * which the caller frees. */
static char *find_stack(JNIEnv *env, const struct thread *thread, struct watch_stack *stack,
                        char **frames)
{
    if (atomic_load(&has_other_stacks) && other_stacks->take(thread->id)) {
        watch_stack_taken(stack);
        return *frames = other_stacks->tell(env);
    }
    int64_t before_ns = mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    char *text = call_for_text(env, java.stack_of, thread->thread);
    jni_late_put(thread->late, stack, text,
                 (uint64_t)(mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns));
    *frames = text;
    (void)strsep(frames, "\n"); /* its state */
    return text;
}

static void add_stack(void *context, struct watch_stack *stack)
{
    const struct thread *thread = context;
    JNIEnv *env = find_env();

    if (env == NULL) {
        return;
    }
    char *frames = NULL;
    char *text = find_stack(env, thread, stack, &frames);
    for (char *line; frames != NULL && (line = strsep(&frames, "\n")) != NULL;) {
        if (*line != '\0') {
            watch_stack_add(stack, line);
        }
    }
    free(text);
}

static void send_ping(void *context, uint32_t request)
{
    const struct thread *thread = context;
    const jvalue arguments[] = {{.l = thread->pinger}, {.i = (jint)request}};
    JNIEnv *env = find_env();

    if (env != NULL) {
        (*env)->CallStaticVoidMethodA(env, java.type, java.ping, arguments);
        (void)jni_forget_exception(env);
    }
}

static void release_loop(void *context)
{
    struct thread *thread = context;

    jni_late_destroy(thread->late);
    thread->next = atomic_load_explicit(&ended, memory_order_relaxed);
    /* Release pairs with the acquire in free_ended; relaxed on failure: it is tried again. */
    while (!atomic_compare_exchange_weak_explicit(&ended, &thread->next, thread,
                                                  memory_order_release, memory_order_relaxed)) {
    }
}

static void free_ended(JNIEnv *env)
{
    /* Acquire pairs with the release in release_loop. Taken as a whole, so none comes back
     * meanwhile. */
    struct thread *thread = atomic_exchange_explicit(&ended, NULL, memory_order_acquire);

    while (thread != NULL) {
        struct thread *next = thread->next;
        (*env)->DeleteGlobalRef(env, thread->thread);
        (*env)->DeleteGlobalRef(env, thread->pinger);
        free(thread);
        thread = next;
    }
}

/* ---- Listeners ---- */

/* As UTF-8, which JNI has a form of its own of. NULL if absent, or no memory. */
static jbyteArray new_bytes(JNIEnv *env, const char *text)
{
    jsize size = text != NULL ? (jsize)strnlen(text, INT32_MAX) : 0;
    jbyteArray bytes = text != NULL ? (*env)->NewByteArray(env, size) : NULL;

    if (bytes != NULL) {
        (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte *)text);
    }
    (void)jni_forget_exception(env);
    return bytes;
}

static void tell_java(JNIEnv *env, const struct watch_issue *issue)
{
    if ((*env)->PushLocalFrame(env, 8) != JNI_OK) {
        (void)jni_forget_exception(env);
        return;
    }
    const jvalue arguments[] = {
        {.l = new_bytes(env, issue->detail)},
        {.l = new_bytes(env, issue->ended)},
        {.j = issue->cost_ns},
        {.l = new_bytes(env, issue->json)},
        {.l = new_bytes(env, issue->file)},
        {.z = issue->is_reported ? JNI_TRUE : JNI_FALSE},
    };
    (*env)->CallStaticVoidMethodA(env, java.type, java.heard, arguments);
    (void)jni_forget_exception(env);
    (void)(*env)->PopLocalFrame(env, NULL);
}

/* On a thread of the library, for as long as it takes. */
static void hear_issue(void *context, const struct watch_issue *issue)
{
    JNIEnv *env = find_env();
    bool was_known = env != NULL;

    (void)context;
    if (!was_known) {
        env = attach_thread("methodbeat-issues");
    }
    if (env != NULL) {
        tell_java(env, issue);
    }
    if (env != NULL && !was_known) {
        (void)(*java.vm)->DetachCurrentThread(java.vm);
    }
}

static jboolean JNICALL listen_for_issues(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return watch_listen(hear_issue, NULL) ? JNI_TRUE : JNI_FALSE;
}

/* ---- Life cycle ---- */

/* "name=value", for the monitors if the recorder does not know it. */
static void apply_setting(char *text)
{
    char *value = strchr(text, '=');

    if (value == NULL) {
        (void)watch_set(text, "");
        return;
    }
    *value++ = '\0';
    if (mon_option_find(text) != NULL || abi_setting_find(text) == NULL) {
        (void)watch_set(text, value);
    }
}

/* The name of the process; the first one stays, since the watcher borrows it. */
static const char *take_process(JNIEnv *env, jstring name)
{
    static _Atomic(char *) process;
    char *none = NULL;
    char *text = jni_text_create(env, name);

    /* Release for the name's bytes, which the watcher's thread finds through its creation. */
    if (text != NULL && !atomic_compare_exchange_strong(&process, &none, text)) {
        free(text);
    }
    return atomic_load(&process);
}

static jboolean JNICALL start_monitors(JNIEnv *env, jclass type, jobjectArray settings,
                                       jstring process)
{
    const struct watch_host host = {.process = take_process(env, process),
                                    .attach = attach_watcher,
                                    .detach = detach_watcher,
                                    .stacks = all_stacks,
                                    .exits = ask_exits,
                                    .exits_told = tell_exits,
                                    .note = note_incident};
    jsize size = (*env)->GetArrayLength(env, settings);

    (void)type;
    for (jsize i = 0; i < size; i++) {
        char *text = take_text(env, (*env)->GetObjectArrayElement(env, settings, i));
        if (text != NULL) {
            apply_setting(text);
        }
        free(text);
    }
    watch_set_host(&host);
    atomic_store(&has_other_stacks, other_stacks != NULL && other_stacks->begin(env));
    return watch_start() ? JNI_TRUE : JNI_FALSE;
}

static void JNICALL stop_monitors(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    watch_stop();
}

static jboolean JNICALL is_running(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return watch_is_running() ? JNI_TRUE : JNI_FALSE;
}

static jboolean JNICALL set_setting(JNIEnv *env, jclass type, jstring name, jstring value)
{
    char *name_text = jni_text_create(env, name);
    char *value_text = jni_text_create(env, value);
    bool is_set = name_text != NULL && value_text != NULL && watch_set(name_text, value_text);

    (void)type;
    free(name_text);
    free(value_text);
    return is_set ? JNI_TRUE : JNI_FALSE;
}

/* ---- Loops ---- */

static MB_THREAD_LOCAL bool is_described;

static jboolean JNICALL begin_message(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    if (MB_UNLIKELY(!is_described)) {
        return JNI_TRUE;
    }
    watch_begin();
    return JNI_FALSE;
}

/* What a slow message was, for a text that stays until the next one of the thread. */
struct message {
    JNIEnv *env;
    jobject object;
    char *text;
};

static const char *describe_message(void *context)
{
    struct message *message = context;

    message->text = call_for_text(message->env, java.name_of, message->object);
    return message->text;
}

static void JNICALL end_message(JNIEnv *env, jclass type, jobject object)
{
    struct message message = {env, object, NULL};

    (void)type;
    if (object == NULL) {
        watch_end();
        return;
    }
    watch_end_as(describe_message, &message);
    free(message.text);
}

static jint JNICALL name_kind(JNIEnv *env, jclass type, jstring name)
{
    char *text = jni_text_create(env, name);
    uint32_t id = text != NULL ? beat_names_kind(text) : 0;

    (void)type;
    free(text);
    return (jint)id;
}

static void JNICALL record_kind(JNIEnv *env, jclass type, jint id, jboolean begins)
{
    (void)env;
    (void)type;
    beat_here_kind((uint32_t)id, begins == JNI_TRUE);
}

static void JNICALL describe_loop(JNIEnv *env, jclass type, jobject object, jstring name,
                                  jobject pinger)
{
    struct thread *thread = calloc(1, sizeof(*thread));
    char *text = jni_text_create(env, name);

    (void)type;
    free_ended(env);
    is_described = true; /* whatever comes of it, once is enough */
    if (thread != NULL) {
        thread->id = (uint32_t)syscall(SYS_gettid);
        thread->thread = (*env)->NewGlobalRef(env, object);
        thread->pinger = (*env)->NewGlobalRef(env, pinger);
        thread->late = jni_late_create(text);
        const struct watch_loop loop = {.name = text,
                                        .ping = pinger != NULL ? send_ping : NULL,
                                        .stack = add_stack,
                                        .release = release_loop,
                                        .context = thread};
        if (!watch_describe_loop(&loop)) {
            release_loop(thread);
        }
    }
    free(text);
}

static void JNICALL answer_ping(JNIEnv *env, jclass type, jint request)
{
    (void)env;
    (void)type;
    watch_pong((uint32_t)request);
}

/* ---- Registration ---- */

static bool bind_methods(JNIEnv *env)
{
    const JNINativeMethod methods[] = {
        JNI_METHOD("start", "([Ljava/lang/String;Ljava/lang/String;)Z", start_monitors),
        JNI_METHOD("stop", "()V", stop_monitors),
        JNI_METHOD("isRunning", "()Z", is_running),
        JNI_METHOD("set", "(Ljava/lang/String;Ljava/lang/String;)Z", set_setting),
        JNI_METHOD("begin", "()Z", begin_message),
        JNI_METHOD("name", "(Ljava/lang/String;)I", name_kind),
        JNI_METHOD("kind", "(IZ)V", record_kind),
        JNI_METHOD("end", "(Ljava/lang/Object;)V", end_message),
        JNI_METHOD("describe", "(Ljava/lang/Thread;Ljava/lang/String;Lmethodbeat/Pinger;)V",
                   describe_loop),
        JNI_METHOD("pong", "(I)V", answer_ping),
        JNI_METHOD("listen", "()Z", listen_for_issues),
        JNI_METHOD("wantsAgent", "()Z", jni_late_wants_agent),
    };

    return (*env)->RegisterNatives(env, java.type, methods, MB_COUNT(methods)) == JNI_OK &&
           jni_screens_bind(env, java.type);
}

/* What is called back. */
static bool find_methods(JNIEnv *env)
{
    const struct {
        jmethodID *place;
        const char *name;
        const char *signature;
    } methods[] = {
        {&java.stack_of, "stackOf", "(Ljava/lang/Thread;)Ljava/lang/String;"},
        {&java.stacks, "stacks", "()Ljava/lang/String;"},
        {&java.name_of, "nameOf", "(Ljava/lang/Object;)Ljava/lang/String;"},
        {&java.ping, "ping", "(Lmethodbeat/Pinger;I)V"},
        {&java.heard, "heard", "([B[BJ[B[BZ)V"},
    };

    for (size_t i = 0; i < MB_COUNT(methods); i++) {
        *methods[i].place =
            (*env)->GetStaticMethodID(env, java.type, methods[i].name, methods[i].signature);
        if (*methods[i].place == NULL) {
            return false;
        }
    }
    return jni_exits_find(env, java.type);
}

bool jni_monitors_register(JavaVM *vm, JNIEnv *env)
{
    jclass type = (*env)->FindClass(env, "methodbeat/NativeMonitors");

    java.vm = vm;
    java.type = type != NULL ? (*env)->NewGlobalRef(env, type) : NULL;
    bool is_bound = java.type != NULL && find_methods(env) && bind_methods(env);
    (void)jni_forget_exception(env);
    return is_bound;
}
