#include "jni/probes.h"

#include "abi/settings.h"
#include "abi/tracefile.h"
#include "jni/text.h"
#include "monitor/options.h"
#include "recorder/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#if defined(__ANDROID__)
#include <android/log.h>
#endif

#if defined(__ANDROID__)
static void log_to_system(const char *line)
{
    (void)__android_log_write(ANDROID_LOG_INFO, "methodbeat", line);
}
#endif

static void tell_wrong(const struct beat_options *options, const char *name, const char *value)
{
    const struct abi_setting *setting = abi_setting_find(name);
    char known[256];

    if (setting != NULL) {
        abi_setting_values(setting, known, sizeof(known));
        beat_log(options, "%s=%s is not understood: %s", name, value, known);
    } else {
        beat_log(options, "there is no setting %s: methodbeat help settings lists them", name);
    }
}

static void apply_setting(struct beat_options *options, char *text)
{
    char *value = strchr(text, '=');

    if (value == NULL) {
        beat_log(options, "setting %s has no value", text);
        return;
    }
    *value++ = '\0';
    if (!beat_options_set(options, text, value) && mon_option_find(text) == NULL) {
        tell_wrong(options, text, value);
    }
}

/* The element, as the caller's to free; NULL, and a line about it, if it cannot be had. */
static char *take_text(const struct beat_options *options, JNIEnv *env, jobjectArray array,
                       jsize index)
{
    jstring string = (*env)->GetObjectArrayElement(env, array, index);
    char *text = jni_text_create(env, string);

    (*env)->DeleteLocalRef(env, string);
    if (text == NULL) {
        beat_log(options, "a setting that is null or has a NUL character in it is left out");
    }
    return text;
}

/* Java reads the coarse clock only, and a buffer of its has at most 2^31 - 1 bytes. */
static void limit_to_java(struct beat_options *options)
{
    const uint64_t most = INT32_MAX - ABI_TRACE_PAGE;

    if (options->max_bytes > most) {
        beat_log(options, "max_bytes=%" PRIu64 ": the mapped flavour has at most %" PRIu64,
                 options->max_bytes, most);
        options->max_bytes = most;
    }
    options->clock = BEAT_CLOCK_COARSE;
}

void jni_settings_init(struct jni_settings *settings, JNIEnv *env, jobjectArray array, bool mapped)
{
    jsize size = array != NULL ? (*env)->GetArrayLength(env, array) : 0;

    *settings = (struct jni_settings){.texts = calloc((size_t)size + 1, sizeof(char *))};
    beat_options_init(&settings->options);
#if defined(__ANDROID__)
    settings->options.log = log_to_system;
#endif
    for (jsize i = 0; i < size && settings->texts != NULL; i++) {
        char *text = take_text(&settings->options, env, array, i);
        if (text != NULL) {
            settings->texts[settings->count++] = text;
            apply_setting(&settings->options, text);
        }
    }
    if (mapped) {
        limit_to_java(&settings->options);
    }
}

void jni_settings_finish(struct jni_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->texts[i]);
    }
    free(settings->texts);
}
