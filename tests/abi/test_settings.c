#include "abi/settings.h"

#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

Test(settings, each_is_found_by_its_name_and_takes_its_choices)
{
    for (size_t i = 0; i < ABI_SETTING_COUNT; i++) {
        const struct abi_setting *setting = &abi_settings[i];
        struct mb_text rest = mb_text_of(setting->choices);
        cr_assert(abi_setting_find(setting->name) == setting);
        cr_assert(eq(sz, setting->id, i));
        cr_assert(eq(int, rest.size > 0,
                     setting->kind == ABI_SETTING_CHOICE || setting->kind == ABI_SETTING_SWITCH));
        for (uint64_t place = 0; rest.size > 0; place++) {
            struct mb_text choice = mb_text_split(&rest, ' ');
            char *value = strndup(choice.data, choice.size);
            uint64_t number = UINT64_MAX;
            cr_assert(abi_setting_parse(setting, value, &number));
            cr_assert(eq(u64, number, place));
            free(value);
        }
    }
    cr_assert_null(abi_setting_find("throtle"));
}

Test(settings, what_is_wrong_leaves_the_number_alone)
{
    static const char *const wrong[][2] = {
        {"threads", "al"}, {"threads", ""},       {"threads", "main all"}, {"tick_ms", "1001"},
        {"tick_ms", "-1"}, {"sample_us", "0"},    {"words", ""},           {"sample_us", "500:3"},
        {"throttle", "0"}, {"flavour", "MAPPED"},
    };
    uint64_t number = 7;

    for (size_t i = 0; i < MB_COUNT(wrong); i++) {
        cr_expect(not(abi_setting_parse(abi_setting_find(wrong[i][0]), wrong[i][1], &number)), "%s",
                  wrong[i][0]);
    }
    cr_assert(eq(u64, number, 7));
}

Test(settings, a_text_without_room_is_cut)
{
    char text[8];

    abi_setting_values(abi_setting_find("sample"), text, sizeof(text));
    cr_assert_str_eq(text, "off, on");
}
