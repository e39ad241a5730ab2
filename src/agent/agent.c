/* The entry points of the agent: as a JVM starts, and in one that runs already. */

#include "abi/names.h"
#include "agent/inside.h"
#include "agent/jvm.h"
#include "agent/live.h"
#include "agent/setup.h"
#include "agent/tally.h"
#include "agent/weaver.h"
#include "base/check.h"
#include "recorder/throttle.h"
#include "recorder/weaving.h"

#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 600

/* Read in the file. */
extern const char agent_mark[];
const char agent_mark[] = ABI_AGENT_MARK MB_VERSION;

/* What an option string says. Texts are views of text. */
struct options {
    char *text;
    struct mb_buf settings; /* struct agent_setting */
    struct agent_weaver_options weaver;
    bool detaches;
};

static bool is_set_up;
static bool is_attached;     /* probes are in for an attach that has not taken them out */
static struct options first; /* of the option string that came first; kept */

/* ---- Options ---- */

/* Of the agent itself; false if the option is for the recorder or the monitors. */
static bool take_own(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "focus") == 0) {
        options->weaver.focus = mb_text_of(value);
    } else if (strcmp(name, "blacklist") == 0) {
        options->weaver.blacklist = value;
    } else if (strcmp(name, "base-method-map") == 0) {
        options->weaver.base_method_map = value;
    } else if (strcmp(name, "detach") == 0) {
        options->detaches = strcmp(value, "on") == 0;
    } else {
        return false;
    }
    return true;
}

/* "name=value,name=value". What is not the agent's own is a setting of the recorder or the
 * monitors. */
static bool take_options(struct options *options, const char *text)
{
    *options = (struct options){.text = strdup(text != NULL ? text : "")};
    char *next = options->text;

    while (next != NULL && *next != '\0') {
        const char *name = next;
        next = strchr(name, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *value = strchr(name, '=');
        if (value == NULL) {
            agent_print("nothing is recorded: an option of the agent has no value", name);
            return false;
        }
        *value++ = '\0';
        const struct agent_setting setting = {name, value};
        if (!take_own(options, name, value)) {
            mb_buf_put(&options->settings, &setting, sizeof(setting));
        }
    }
    return options->text != NULL && !options->settings.failed;
}

static void free_options(struct options *options)
{
    mb_buf_finish(&options->settings);
    free(options->text);
    *options = (struct options){0};
}

static bool pass_settings(JNIEnv *env, const struct options *options)
{
    bool is_set = agent_set_properties(env, (const void *)options->settings.bytes,
                                       options->settings.size / sizeof(struct agent_setting));

    if (!is_set) {
        agent_print("nothing is recorded: its settings cannot be passed on", "");
    }
    return is_set;
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
    struct agent_outcome outcome;

    (void)domain;
    if (name == NULL || size <= 0 || agent_is_made_by_jdk(name) ||
        agent_is_jdk_loader(env, loader)) {
        return;
    }
    const struct mb_text content = {(const char *)data, (size_t)size};
    outcome.status = agent_weave(content, &out, &outcome.left_out, NULL);
    outcome.has_probes = outcome.status == MB_OK && out.size > 0;
    if (outcome.has_probes && !hand_over(jvmti, &out, new_size, new_data)) {
        outcome.status = MB_NO_MEMORY;
    }
    /* What others retransform has been counted. */
    if (redefined == NULL || agent_tally_is_in_batch()) {
        agent_tally_class(&outcome);
    }
    mb_buf_finish(&out);
}

static bool set_hook(bool is_on)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;

    return (*jvmti)->SetEventNotificationMode(jvmti, is_on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                              JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                              NULL) == JVMTI_ERROR_NONE;
}

/* ---- As the JVM starts ---- */

static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)thread;
    is_set_up = pass_settings(env, &first) && agent_setup(env);
    if (is_set_up && !set_hook(true)) {
        agent_print("nothing is recorded: this JVM does not show classes as they are loaded", "");
    }
}

static bool open_environment(JavaVM *vm)
{
    const jvmtiCapabilities wanted = {.can_retransform_classes = 1};
    const jvmtiEventCallbacks callbacks = {.VMInit = on_start, .ClassFileLoadHook = on_class_load};
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
    (void)(*agent_jvm.jvmti)->AddCapabilities(agent_jvm.jvmti, &wanted);
    return (*agent_jvm.jvmti)->SetEventCallbacks(agent_jvm.jvmti, &callbacks, sizeof(callbacks)) ==
           JVMTI_ERROR_NONE;
}

static bool open_weaver(const struct options *options)
{
    struct mb_error err;
    char line[LINE_SIZE];

    if (agent_weaver_open(&options->weaver, &err) != MB_OK) {
        agent_print("nothing is recorded", mb_error_format(&err, line, sizeof(line)));
        return false;
    }
    return true;
}

/* Environment, options and rules; false, and a line about it, if one of them is not to be had. */
static bool open_agent(JavaVM *vm, const char *options)
{
    return open_environment(vm) && take_options(&first, options) && open_weaver(&first);
}

/* The program runs on without a recording, whatever fails. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    if (open_agent(vm, options)) {
        (void)(*agent_jvm.jvmti)
            ->SetEventNotificationMode(agent_jvm.jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    }
    return JNI_OK;
}

/* ---- In a JVM that runs ---- */

static jint detach(JNIEnv *env)
{
    is_attached = false;
    (void)set_hook(false);
    const struct agent_pass pass = agent_retransform_all(env);
    if (pass.refused > 0) {
        agent_print("this JVM does not take probes out of some classes", "");
    }
    agent_stop_recording(env);
    return JNI_OK;
}

/* No compiled code of before is left: what an earlier recording muted can tell again. */
static bool put_probes(JNIEnv *env)
{
    beat_weaving_reset();
    beat_unmute_all();
    if (!set_hook(true)) {
        return false;
    }
    const struct agent_pass pass = agent_retransform_all(env);
    agent_tally_add(ABI_WEAVING_REFUSED, pass.refused);
    agent_count_inside(env);
    return pass.passed > 0;
}

/* An attach before may have been killed. */
static jint start(JNIEnv *env, const struct options *options)
{
    const struct agent_setting *rows = (const void *)options->settings.bytes;
    size_t count = options->settings.size / sizeof(*rows);
    const char **settings = calloc(count + 1, sizeof(*settings));

    if (is_attached) {
        (void)detach(env);
    }
    is_attached = true;
    /* In the option string a setting's '=' became the end of its name. */
    for (size_t i = 0; settings != NULL && i < count; i++) {
        rows[i].value[-1] = '=';
        settings[i] = rows[i].name;
    }
    bool is_started =
        settings != NULL && put_probes(env) && agent_start_recording(env, settings, count);
    free(settings);
    return is_started ? JNI_OK : JNI_ERR;
}

/* The first attach defines what is needed, and stays; later ones find it. What is returned says
 * whether it was done. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    struct options options;
    void *env = NULL;
    jint result = JNI_ERR;

    (void)reserved;
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_6) != JNI_OK) {
        return JNI_ERR;
    }
    if (!take_options(&options, text)) {
        free_options(&options);
        return JNI_ERR;
    }
    if (options.detaches) {
        result = is_set_up ? detach(env) : JNI_ERR;
    } else if (is_set_up ? open_weaver(&options)
                         : open_agent(vm, text) && pass_settings(env, &first) && agent_setup(env)) {
        is_set_up = true;
        result = start(env, &options);
    } else if (!is_set_up) {
        free_options(&first);
    }
    free_options(&options);
    return result;
}
