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

/* Exactly 16 hexadecimal digits, as reports and instrument print it: a shorter number could be
 * meant as a decimal one. */
static bool parse_hash(const char *value, uint64_t *hash)
{
    if (strlen(value) != HASH_DIGITS || strspn(value, HEXADECIMAL) != HASH_DIGITS) {
        return false;
    }
    *hash = strtoull(value, NULL, 16);
    return true;
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
    case ABI_SETTING_HASH:
        is_valid = parse_hash(value, &found);
        break;
    default:
        is_valid =
            mb_text_to_number(mb_text_of(value), setting->limit, &found) &&
            (found >= setting->least || (setting->kind == ABI_SETTING_NUMBER_OR_0 && found == 0));
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
    (void)snprintf(text, size, "%sa number%s up to %" PRIu64,
                   setting->kind == ABI_SETTING_NUMBER_OR_0 ? "0 or " : "", from, setting->limit);
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
    } else if (setting->kind == ABI_SETTING_TEXT || setting->kind == ABI_SETTING_HASH) {
        (void)snprintf(text, size, "%s",
                       setting->kind == ABI_SETTING_TEXT ? "any text" : "16 hexadecimal digits");
    } else {
        put_bounds(setting, text, size);
    }
}
