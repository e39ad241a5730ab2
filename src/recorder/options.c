#include "abi/settings.h"
#include "recorder/core.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Listening wakes the process every 100 ms, which drains a battery. */
#if defined(__ANDROID__)
#define DEFAULT_CONTROL BEAT_OFF
#else
#define DEFAULT_CONTROL BEAT_ON
#endif

/* Where the recorder's own stand. */
static const size_t offsets[] = {
#define SETTING(name, ...) [ABI_SET_##name] = offsetof(struct beat_options, name),
#define SETTING_OF(field, name, ...) [ABI_SET_##name] = offsetof(struct beat_options, field),
#include "abi/settings.def"
};

#define FOLLOWS(second, first) \
    (offsetof(struct beat_options, second) == offsetof(struct beat_options, first) + 4)
_Static_assert(FOLLOWS(thread_words, main_words) && FOLLOWS(max_virtual, max_threads) &&
                   FOLLOWS(sample_threads_us, sample_main_us) && FOLLOWS(budget, throttle) &&
                   FOLLOWS(profile_nodes, profile),
               "the two numbers of a setting are stored together");
_Static_assert(sizeof(enum beat_threads) == sizeof(uint32_t), "a choice is stored as a number");
_Static_assert(sizeof(enum beat_switch) == sizeof(uint32_t), "a choice is stored as a number");
_Static_assert(sizeof(enum beat_sample) == sizeof(uint32_t), "a choice is stored as a number");
_Static_assert(sizeof(enum beat_engine) == sizeof(uint32_t), "a choice is stored as a number");

static bool set_option(struct beat_options *options, const struct abi_setting *setting,
                       const char *value)
{
    void *field = (char *)options + offsets[setting->id];
    uint64_t number;

    if (!abi_setting_parse(setting, value, &number)) {
        return false;
    }
    if (setting->kind == ABI_SETTING_MAP) {
        options->mapping = number == 0 ? value : NULL;
        options->mapping_hash = number;
    } else if (setting->kind == ABI_SETTING_TEXT) {
        memcpy(field, &value, sizeof(value));
    } else if (setting->kind == ABI_SETTING_NUMBER_64) {
        memcpy(field, &number, sizeof(number));
    } else {
        const uint32_t numbers[] = {(uint32_t)number, (uint32_t)(number >> 32)};
        bool has_second = numbers[1] != 0 || strchr(value, ':') != NULL;
        memcpy(field, numbers, has_second ? sizeof(numbers) : sizeof(numbers[0]));
    }
    return true;
}

/* One of the recorder; NULL if unknown. */
static const struct abi_setting *find_option(const char *name)
{
    const struct abi_setting *setting = abi_setting_find(name);

    return setting != NULL && setting->id < MB_COUNT(offsets) ? setting : NULL;
}

bool beat_options_set(struct beat_options *options, const char *name, const char *value)
{
    const struct abi_setting *setting = find_option(name);

    return setting != NULL && set_option(options, setting, value);
}

/* ---- The environment ---- */

/* A setuid program ignores the environment of its caller. */
static const char *find_variable(const char *name)
{
    return getauxval(AT_SECURE) != 0 ? NULL : getenv(name);
}

static void set_from_environment(struct beat_options *options, const struct abi_setting *setting)
{
    char variable[ABI_SETTING_VARIABLE_SIZE];
    char values[64];

    abi_setting_variable(setting->name, strlen(setting->name), variable);
    const char *value = find_variable(variable);
    if (value != NULL && !set_option(options, setting, value)) {
        abi_setting_values(setting, values, sizeof(values));
        beat_log(options, "%s=%s is not understood: %s", variable, value, values);
    }
}

void beat_options_init(struct beat_options *options)
{
    *options = (struct beat_options){
        .threads = BEAT_THREADS_MAIN,
        .clock = BEAT_CLOCK_AUTO,
        .main_words = 1000000,
        .max_threads = 63,
        .max_bytes = UINT64_C(256) << 20,
        .tick_ms = 5,
        .profile = BEAT_OFF,
        .profile_nodes = 1000000,
        .throttle = BEAT_ON,
        .budget = 5,
        .start_within_ms = 10000,
        .control = DEFAULT_CONTROL,
        .sample = BEAT_SAMPLE_GAPS,
        .sample_main_us = 5000,
        .sample_threads_us = 20000,
    };
    for (size_t i = 0; i < MB_COUNT(offsets); i++) {
        set_from_environment(options, &abi_settings[i]);
    }
}
