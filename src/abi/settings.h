/* The settings of a recording by name: METHODBEAT_TICK_MS=10, -Dmethodbeat.tick_ms=10. Those who
 * set them and the recorder check them by one table, abi/settings.def. */

#ifndef ABI_SETTINGS_H
#define ABI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_MAX_THREADS 4095u
#define ABI_MAX_LANES 61440u

#define ABI_SETTING_PREFIX "METHODBEAT_" /* of environment variables */
#define ABI_SETTING_VARIABLE_SIZE 64u    /* of a variable's name with its end; every name fits */

enum abi_setting_kind {
    ABI_SETTING_TEXT,
    ABI_SETTING_CHOICE,
    ABI_SETTING_NUMBER, /* of 32 bits */
    ABI_SETTING_NUMBER_64,
    ABI_SETTING_PAIR,   /* "N:N" of 32 bits each; the second may be 0, whatever least says, or left
                           out */
    ABI_SETTING_SWITCH, /* "off", "on", or on with a number */
    ABI_SETTING_MAP,    /* a path, or 16 hexadecimal digits */
};

enum abi_setting_id {
#define JAVA_SETTING(name, ...) ABI_SET_##name,
#define SETTING(name, ...) ABI_SET_##name,
#include "abi/settings.def"
    ABI_SETTING_COUNT
};

struct abi_setting {
    const char *name;
    enum abi_setting_kind kind;
    enum abi_setting_id id;
    uint64_t least;
    uint64_t limit;
    const char *choices;
};

extern const struct abi_setting abi_settings[ABI_SETTING_COUNT];

/* NULL if unknown. */
const struct abi_setting *abi_setting_find(const char *name);

/* The number that the value stands for: of a choice its place, from 0; of a text or a path 0; of a
 * pair the first, and the second 32 bits above it, as the number of a switch above 1. False, and
 * *number is unchanged, if the setting does not take it. */
bool abi_setting_parse(const struct abi_setting *setting, const char *value, uint64_t *number);

/* The variable of a setting of the recorder or the monitors, whose name has that size: its letters
 * are ASCII's capitals. Terminated. */
void abi_setting_variable(const char *name, size_t size, char variable[ABI_SETTING_VARIABLE_SIZE]);

/* Which values it takes: "main or all", "a number up to 4095". Terminated, cut to size. */
void abi_setting_values(const struct abi_setting *setting, char *text, size_t size);

#endif
