/* The entry points of the agent: as a JVM starts, and in one that runs already. */

#include "abi/attach.h"
#include "abi/names.h"
#include "agent/jvm.h"
#include "agent/live.h"
#include "agent/notice.h"
#include "agent/parks.h"
#include "agent/sampling.h"
#include "agent/setup.h"
#include "agent/tally.h"
#include "agent/task.h"
#include "agent/weaver.h"
#include "base/check.h"
#include "base/vec.h"
#include "jni/exceptions.h"
#include "recorder/methodbeat.h"
#include "recorder/sections.h"
#include "recorder/throttle.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE_SIZE 600
#define STEP_NS 10000000

/* Read in the file. */
extern const char agent_mark[];
const char agent_mark[] = ABI_AGENT_MARK MB_VERSION;

/* What an option string says. Texts are views of text. */
struct options {
    char *text;
    union mb_words settings; /* of the recorder or the monitors: "name=value" */
    struct agent_weaver_options weaver;
    const char *only; /* of which programs; NULL: all */
};

static struct options first; /* of the command line, until the JVM has started */
static bool has_probes;      /* classes get them as they are loaded, or did as we came */
static _Atomic(bool) weaves; /* the hook puts them in; else it looks on as they are taken out */
static bool is_attached;     /* they are there for an attach that has not taken them out */

/* ---- Options ---- */

/* Of the agent itself; false if the option is for the recorder or the monitors. */
static bool take_own(struct options *options, const char *text)
{
    const struct {
        const char *name;
        const char **place;
    } own[] = {{"focus=", &options->weaver.focus},
               {"blacklist=", &options->weaver.blacklist},
               {"base-method-map=", &options->weaver.base_method_map},
               {"only=", &options->only}};

    for (size_t i = 0; i < MB_COUNT(own); i++) {
        if (strncmp(text, own[i].name, strlen(own[i].name)) == 0) {
            *own[i].place = text + strlen(own[i].name);
            return true;
        }
    }
    return false;
}

/* "name=value" as the recorder takes it. */
static bool is_valid_setting(const char *text)
{
    struct beat_options scratch;
    char name[64];
    size_t size = strcspn(text, "=");

    (void)snprintf(name, sizeof(name), "%.*s", (int)(size < sizeof(name) ? size : 0), text);
    return text[size] == '=' && beat_options_set(&scratch, name, text + size + 1);
}

/* "name=value,name=value". What is_valid, which may be absent, does not take is said by its place
 * in the text. */
static enum abi_attach_result take_options(struct options *options, const char *text,
                                           bool (*is_valid)(const char *))
{
    *options = (struct options){.text = strdup(text != NULL ? text : "")};
    char *next = options->text;

    /* It is in options, whatever take_own does to them. */
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    for (int place = 0; next != NULL && *next != '\0'; place++) {
        const char *option = next;
        next = strchr(next, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (take_own(options, option)) {
            continue;
        }
        if (strchr(option, '=') == NULL || (is_valid != NULL && !is_valid(option))) {
            agent_print("nothing is recorded: no setting of the agent or the recorder", option);
            return (enum abi_attach_result)(ABI_ATTACH_BAD_SETTING + place);
        }
        MB_VEC_PUSH(&options->settings, option);
    }
    return options->text != NULL && !options->settings.buf.failed ? ABI_ATTACH_DONE
                                                                  : ABI_ATTACH_FAILED;
}

static struct agent_settings settings_of(const struct options *options)
{
    return (struct agent_settings){options->settings.items, MB_VEC_COUNT(&options->settings)};
}

static void free_options(struct options *options)
{
    mb_buf_finish(&options->settings.buf);
    free(options->text);
    *options = (struct options){0};
}

/* ---- Classes that are loaded ---- */

/* In memory that the JVM frees. */
static bool hand_over(jvmtiEnv *jvmti, const struct mb_buf *out, jint *new_size,
                      unsigned char **new_data)
{
    unsigned char *bytes = NULL;

    if ((*jvmti)->Allocate(jvmti, (jlong)out->size, &bytes) != JVMTI_ERROR_NONE) {
        return false;
    }
    memcpy(bytes, out->bytes, out->size);
    *new_data = bytes;
    *new_size = (jint)out->size;
    return true;
}

/* Whatever goes wrong, the class goes in as it came. The parameters are JVMTI's. */
/* NOLINTNEXTLINE(readability-function-size) */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                  const char *name, jobject domain, jint size,
                                  const unsigned char *data, jint *new_size,
                                  unsigned char **new_data)
{
    struct mb_buf out = {0};

    (void)domain;
    if (redefined != NULL &&
        agent_parks_weave(name, (struct mb_text){(const char *)data, (size_t)size}, &out)) {
        (void)(out.size > 0 && hand_over(jvmti, &out, new_size, new_data));
        mb_buf_finish(&out);
        return;
    }
    if (!atomic_load(&weaves)) {
        agent_live_see(env, redefined);
        return;
    }
    if (loader == NULL && redefined == NULL) {
        agent_count_boot(env, name);
    }
    if (size <= 0 || agent_is_jdk_loader(env, loader)) {
        return;
    }
    const struct agent_arrival arrival = {.content = {(const char *)data, (size_t)size},
                                          .loader = agent_loader_number(env, loader),
                                          .is_nameless = name == NULL};
    struct agent_outcome outcome = agent_weave(&arrival, &out);
    if (outcome.has_probes && !hand_over(jvmti, &out, new_size, new_data)) {
        outcome.status = MB_NO_MEMORY;
    }
    /* What others retransform has been counted. */
    if (redefined == NULL || agent_tally_is_in_batch()) {
        agent_tally_class(&outcome);
    }
    agent_live_see(env, redefined);
    mb_buf_finish(&out);
}

static bool set_hook(bool is_on)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;

    has_probes = has_probes || is_on;
    atomic_store(&weaves, is_on);
    return (*jvmti)->SetEventNotificationMode(jvmti, is_on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                              JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                              NULL) == JVMTI_ERROR_NONE;
}

/* The hook is not on but for that: it is dear while classes are loaded. */
static void set_parks(JNIEnv *env, bool is_on)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    jvmtiEventMode mode = atomic_load(&weaves) ? JVMTI_ENABLE : JVMTI_DISABLE;

    (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                             NULL);
    agent_parks_set(env, is_on);
    (void)(*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

/* Into classes that are loaded from now on, and into those that are there. */
static enum abi_attach_result put_probes(JNIEnv *env, bool is_running)
{
    if (!set_hook(true)) {
        agent_print("nothing is recorded: this JVM does not show classes as they are loaded", "");
        return ABI_ATTACH_FAILED;
    }
    const struct agent_pass pass = agent_retransform_wanted(env, is_running);
    agent_tally_add(ABI_WEAVING_REFUSED, pass.refused);
    if (agent_task_is_stale()) {
        return ABI_ATTACH_FAILED;
    }
    return pass.passed > 0    ? ABI_ATTACH_DONE
           : pass.refused > 0 ? ABI_ATTACH_NO_CLASS
                              : ABI_ATTACH_NO_MATCH;
}

static void take_probes(JNIEnv *env)
{
    atomic_store(&weaves, false);
    const struct agent_pass pass = agent_retransform_woven(env);
    (void)set_hook(false);
    if (pass.refused > 0) {
        agent_print("this JVM does not take probes out of some classes", "");
    } else {
        agent_weaver_forget_woven();
    }
    has_probes = false;
}

/* Samples, if they are asked for, and who waits for locks. */
static bool start_sampling(JNIEnv *env, const struct beat_options *options, jthread main)
{
    bool is_on = agent_sampling_start(env, options, main);

    if (is_on) {
        set_parks(env, true);
    }
    return is_on;
}

static void stop_sampling(JNIEnv *env)
{
    if (agent_jvm.jvmti != NULL) {
        set_parks(env, false);
    }
    agent_sampling_stop(env);
}

/* ---- As the JVM starts ---- */

/* Without probes nothing else begins a recording, as the class does that they would call. */
static void begin_samples(JNIEnv *env)
{
    (void)agent_set_properties(env, agent_sampling_settings());
    (void)(*env)->FindClass(env, ABI_BEAT_CLASS);
    (void)jni_forget_exception(env);
}

/* Some classes are there already: a cache has them linked, or another agent came first. */
static void begin(JNIEnv *env, jthread thread)
{
    if (!agent_set_properties(env, settings_of(&first))) {
        agent_print("nothing is recorded: its settings cannot be passed on", "");
    } else if (agent_setup(env) == ABI_ATTACH_DONE) {
        const struct beat_options options = agent_sampling_options(env, settings_of(&first));
        bool samples = start_sampling(env, &options, thread);
        if (options.sample != BEAT_SAMPLE_ONLY) {
            (void)put_probes(env, false);
        } else if (samples) {
            begin_samples(env);
        }
    }
}

static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    if (agent_notice_wants_main(env, first.only)) {
        begin(env, thread);
    }
    free_options(&first);
}

static void JNICALL on_end(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    agent_sampling_stop(env);
    agent_notice_end();
}

static bool open_environment(JavaVM *vm)
{
    const jvmtiCapabilities wanted = {.can_retransform_classes = 1};
    const jvmtiEventCallbacks callbacks = {.VMInit = on_start,
                                           .VMDeath = on_end,
                                           .ClassFileLoadHook = on_class_load,
                                           .GarbageCollectionStart = agent_collection_begins,
                                           .GarbageCollectionFinish = agent_collection_ends};
    void *place = NULL;

    if (agent_jvm.jvmti != NULL) {
        return true;
    }
    agent_jvm.vm = vm;
    if ((*vm)->GetEnv(vm, &place, JVMTI_VERSION_1_2) != JNI_OK) {
        agent_print("nothing is recorded: this JVM has no JVMTI", "");
        return false;
    }
    agent_jvm.jvmti = place;
    jni_monitors_use(&agent_watched_stacks);
    (void)(*agent_jvm.jvmti)->AddCapabilities(agent_jvm.jvmti, &wanted);
    if ((*agent_jvm.jvmti)->SetEventCallbacks(agent_jvm.jvmti, &callbacks, sizeof(callbacks)) !=
        JVMTI_ERROR_NONE) {
        return false;
    }
    agent_collections_watch(agent_jvm.jvmti);
    return true;
}

/* Environment and rules; false, and a line about it, if one of them is not to be had. */
static bool open_agent(JavaVM *vm, const struct options *options)
{
    struct mb_error err;
    char line[LINE_SIZE];

    if (!open_environment(vm)) {
        return false;
    }
    if (agent_weaver_open(&options->weaver, &err) != MB_OK) {
        agent_print("nothing is recorded", mb_error_format(&err, line, sizeof(line)));
        return false;
    }
    return true;
}

static void enable_event(jvmtiEvent event)
{
    (void)(*agent_jvm.jvmti)->SetEventNotificationMode(agent_jvm.jvmti, JVMTI_ENABLE, event, NULL);
}

/* The program runs on without a recording, whatever fails. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    if (!open_environment(vm)) {
        return JNI_OK;
    }
    agent_notice_start();
    if (take_options(&first, text, NULL) == ABI_ATTACH_DONE && agent_notice_wants(first.only) &&
        open_agent(vm, &first)) {
        enable_event(JVMTI_EVENT_VM_INIT);
        enable_event(JVMTI_EVENT_VM_DEATH);
    }
    return JNI_OK;
}

/* ---- In a JVM that runs ---- */

/* Recording ends first: it shall show the program as it was with all probes. */
static enum abi_attach_result end_attach(JNIEnv *env)
{
    if (!is_attached) {
        return ABI_ATTACH_NOT_ATTACHED;
    }
    is_attached = false;
    stop_sampling(env);
    agent_stop_recording(env);
    if (has_probes) {
        take_probes(env);
    }
    return ABI_ATTACH_DONE;
}

/* What probes and samples need. */
static enum abi_attach_result prepare_recording(JNIEnv *env, const struct beat_options *wish,
                                                bool has_focus)
{
    bool has_calls = wish->sample != BEAT_SAMPLE_ONLY;

    enum abi_attach_result result = has_calls ? put_probes(env, true) : ABI_ATTACH_DONE;
    if (result != ABI_ATTACH_DONE && (has_focus || result != ABI_ATTACH_NO_MATCH)) {
        return result;
    }
    if (has_calls) {
        agent_count_inside(env);
    }
    bool has_samples = start_sampling(env, wish, NULL);
    return has_samples || has_calls ? ABI_ATTACH_DONE : ABI_ATTACH_FAILED;
}

static bool put_settings(struct options *options, struct agent_settings more)
{
    mb_buf_put(&options->settings.buf, more.texts, more.count * sizeof(*more.texts));
    return !options->settings.buf.failed;
}

/* It begins when all probes are in. No compiled code of before is left: what an earlier recording
 * muted can tell again. */
static enum abi_attach_result begin_recording(JNIEnv *env, struct options *options)
{
    is_attached = true;
    agent_stop_recording(env); /* or the first probe would begin one */
    beat_weaving_reset();
    beat_unmute_all();
    const struct beat_options wish = agent_sampling_options(env, settings_of(options));
    enum abi_attach_result result = prepare_recording(env, &wish, options->weaver.focus != NULL);
    if (wish.sample == BEAT_SAMPLE_ONLY && !put_settings(options, agent_sampling_settings())) {
        result = ABI_ATTACH_FAILED;
    }
    if (result == ABI_ATTACH_DONE) {
        result = agent_start_recording(env, settings_of(options));
    }
    if (result != ABI_ATTACH_DONE) {
        (void)end_attach(env);
    }
    return result;
}

static enum abi_attach_result detach_on(JNIEnv *env, const char *text)
{
    (void)text;
    return end_attach(env);
}

/* The first attach defines what is needed, and stays; later ones find it. One before may have been
 * killed: its probes go by the rules that they came by. */
static enum abi_attach_result begin_attach(JNIEnv *env, const char *text)
{
    struct options options;
    enum abi_attach_result result = take_options(&options, text, NULL);

    (void)end_attach(env);
    stop_sampling(env); /* of the JVM's start, as these */
    if (has_probes) {
        take_probes(env);
    }
    if (result == ABI_ATTACH_DONE) {
        result = open_agent(agent_jvm.vm, &options) ? agent_setup(env) : ABI_ATTACH_FAILED;
    }
    if (result == ABI_ATTACH_DONE) {
        result = begin_recording(env, &options);
    }
    free_options(&options);
    return result;
}

/* What is wrong with the options is said before anything is changed. */
static enum abi_attach_result check_options(const char *text)
{
    struct options options;
    enum abi_attach_result result = take_options(&options, text, is_valid_setting);

    free_options(&options);
    return result;
}

static jint carry_out(JavaVM *vm, const char *options)
{
    bool ends = strcmp(options, "detach=on") == 0;
    enum abi_attach_result result = ends ? ABI_ATTACH_DONE : check_options(options);

    return (jint)(result == ABI_ATTACH_DONE
                      ? agent_task_begin(vm, ends ? detach_on : begin_attach, options)
                      : result);
}

/* The return value is all that the attaching process sees. One that does not say that it asks
 * later, such as jcmd, gets it when all is done. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    char *options = strdup(text != NULL ? text : "");
    size_t size = options != NULL ? strlen(options) : 0;
    const size_t tail = strlen(ABI_ATTACH_LATER);
    bool asks_later = size >= tail && strcmp(options + size - tail, ABI_ATTACH_LATER) == 0;

    (void)reserved;
    if (options == NULL) {
        return ABI_ATTACH_FAILED;
    }
    agent_jvm.vm = vm;
    options[asks_later ? size - tail : size] = '\0';
    bool wants_all = strcmp(options, ABI_ATTACH_ASK_ALL) == 0;
    bool asks = wants_all || strcmp(options, ABI_ATTACH_ASK_DONE) == 0;
    jint result = asks ? agent_task_ask(wants_all) : carry_out(vm, options);
    while (!asks && !asks_later && result >= ABI_ATTACH_GOING) {
        const struct timespec step = {.tv_nsec = STEP_NS};
        (void)nanosleep(&step, NULL);
        result = agent_task_ask(false);
    }
    free(options);
    return result;
}
