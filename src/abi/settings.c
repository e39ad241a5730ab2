#include "abi/settings.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_DIGITS 16u
#define HEXADECIMAL "0123456789abcdefABCDEF"

const struct abi_setting abi_settings[ABI_SETTING_COUNT] = {
#define SETTING(name, kind, least, limit, choices, help) \
    {#name, ABI_SETTING_##kind, ABI_SET_##name, least, limit, choices},
#define JAVA_SETTING SETTING
#include "abi/settings.def"
};

const struct abi_setting *abi_setting_find(const char *name)
{
    for (size_t i = 0; i < ABI_SETTING_COUNT; i++) {
        if (strcmp(abi_settings[i].name, name) == 0) {
            return &abi_settings[i];
        }
    }
    return NULL;
}

static bool parse_choice(const char *choices, const char *value, uint64_t *number)
{
    struct mb_text rest = mb_text_of(choices);

    for (uint64_t place = 0; rest.size > 0; place++) {
        if (mb_text_is(mb_text_split(&rest, ' '), value)) {
            *number = place;
            return true;
        }
    }
    return false;
}

/* Exactly 16 hexadecimal digits, as reports and instrument print it; 0 for what is a path. */
static uint64_t parse_hash(const char *value)
{
    bool is_hash = strlen(value) == HASH_DIGITS && strspn(value, HEXADECIMAL) == HASH_DIGITS;

    return is_hash ? strtoull(value, NULL, 16) : 0;
}

static bool parse_number(const struct abi_setting *setting, struct mb_text text, uint64_t *number)
{
    return mb_text_to_number(text, setting->limit, number) && *number >= setting->least;
}

static bool parse_pair(const struct abi_setting *setting, const char *value, uint64_t *number)
{
    struct mb_text rest = mb_text_of(value);
    bool is_two = strchr(value, ':') != NULL;
    uint64_t second = 0;
    bool is_valid = parse_number(setting, mb_text_split(&rest, ':'), number) &&
                    (!is_two || parse_number(setting, rest, &second) || mb_text_is(rest, "0"));

    *number |= second << 32;
    return is_valid;
}

static bool parse_switch(const struct abi_setting *setting, const char *value, uint64_t *number)
{
    uint64_t second = 0;
    bool is_valid = parse_choice(setting->choices, value, number);

    if (!is_valid && parse_number(setting, mb_text_of(value), &second)) {
        *number = second << 32 | 1;
        is_valid = true;
    }
    return is_valid;
}

bool abi_setting_parse(const struct abi_setting *setting, const char *value, uint64_t *number)
{
    uint64_t found = 0;
    bool is_valid;

    switch (setting->kind) {
    case ABI_SETTING_TEXT:
        is_valid = true;
        break;
    case ABI_SETTING_CHOICE:
        is_valid = parse_choice(setting->choices, value, &found);
        break;
    case ABI_SETTING_MAP:
        found = parse_hash(value);
        is_valid = true;
        break;
    case ABI_SETTING_PAIR:
        is_valid = parse_pair(setting, value, &found);
        break;
    case ABI_SETTING_SWITCH:
        is_valid = parse_switch(setting, value, &found);
        break;
    default:
        is_valid = parse_number(setting, mb_text_of(value), &found);
    }
    *number = is_valid ? found : *number;
    return is_valid;
}

void abi_setting_variable(const char *name, size_t size, char variable[ABI_SETTING_VARIABLE_SIZE])
{
    (void)snprintf(variable, ABI_SETTING_VARIABLE_SIZE, ABI_SETTING_PREFIX "%.*s", (int)size, name);
    for (char *c = variable; *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
}

static void put_bounds(const struct abi_setting *setting, char *text, size_t size)
{
    char from[32] = "";

    if (setting->least > 0) {
        (void)snprintf(from, sizeof(from), " from %" PRIu64, setting->least);
    }
    (void)snprintf(text, size, "a number%s up to %" PRIu64 "%s", from, setting->limit,
                   setting->kind == ABI_SETTING_PAIR ? ", or two with a colon" : "");
}

static void put_choices(const struct abi_setting *setting, char *text, size_t size)
{
    struct mb_text rest = mb_text_of(setting->choices);

    while (rest.size > 0) {
        struct mb_text choice = mb_text_split(&rest, ' ');
        size_t used = strlen(text);
        const char *separator = used == 0 ? "" : rest.size > 0 ? ", " : " or ";
        (void)snprintf(text + used, size - used, "%s%.*s", separator, (int)choice.size,
                       choice.data);
    }
}

void abi_setting_values(const struct abi_setting *setting, char *text, size_t size)
{
    text[0] = '\0';
    if (setting->kind == ABI_SETTING_CHOICE) {
        put_choices(setting, text, size);
    } else if (setting->kind == ABI_SETTING_TEXT || setting->kind == ABI_SETTING_MAP) {
        (void)snprintf(text, size, "%s",
                       setting->kind == ABI_SETTING_TEXT ? "any text"
                                                         : "a path, or 16 hexadecimal digits");
    } else if (setting->kind == ABI_SETTING_SWITCH) {
        (void)snprintf(text, size, "off, on or a number up to %" PRIu64, setting->limit);
    } else {
        put_bounds(setting, text, size);
    }
}
