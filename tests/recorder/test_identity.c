/* Whom a trace says that it comes from. */

#include "recorder/identity.h"

#include "abi/identity.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(identity, .init = traces_make_folder, .fini = traces_remove_folder);

/* What the file says of that key. */
static void expect(const char *key, const char *wanted)
{
    struct traces_loaded loaded = traces_load(traces_path);
    struct mb_text value = abi_identity_find(abi_identity_of_trace(&loaded.trace), key);

    cr_expect(mb_text_is(value, wanted), "%s=%.*s, not %s", key, (int)value.size, value.data,
              wanted);
    mb_buf_finish(&loaded.bytes);
}

Test(identity, of_a_trace_is_what_the_option_says_and_the_system)
{
    struct beat_options options = traces_options(traces_path);

    options.app = "id=com.acme,version=5.2,os_level=33";
    cr_assert(beat_start(&options));
    expect("id", "com.acme");
    expect("os_level", "33");
    expect("os", "Linux");
    beat_stop();
    expect("version", "5.2");
}

Test(identity, of_a_trace_is_none_unless_it_is_asked_for)
{
    struct beat_options options = traces_options(traces_path);

    cr_assert(beat_start(&options));
    expect("os", "");
    beat_stop();
    cr_expect_str_eq(traces_log, "");
}

Test(identity, of_a_trace_is_given_when_a_waiting_session_starts)
{
    struct beat_options options = traces_options(traces_path);

    beat_i(1);
    options.app = "id=late";
    cr_assert(beat_start(&options));
    expect("id", "late");
    beat_stop();
}

Test(identity, that_is_wrong_is_one_message)
{
    struct beat_options options = traces_options(traces_path);

    options.app = "Colour=red";
    cr_assert(beat_start(&options));
    cr_expect_str_eq(traces_log, "app has no key Colour: they are " ABI_IDENTITY_KEYS);
    expect("os", "");
    beat_stop();
}

Test(identity, that_the_monitors_tell_goes_before_and_stays)
{
    struct beat_options options = traces_options(traces_path);

    options.app = "id=com.acme";
    cr_assert(beat_start(&options));
    beat_identity_tell("id=com.acme,device=d1");
    expect("device", "d1");
    beat_stop();
    cr_assert(beat_start(&options));
    expect("device", "d1");
    beat_stop();
}

/* As many pairs as there can be. */
Test(identity, of_any_size_has_room)
{
    struct beat_options options = traces_options(traces_path);
    static const char *const keys[] = {"id", "version", "channel", "build",
                                       "r8", "device",  "model"};
    char most[ABI_IDENTITY_SIZE] = "";
    char value[ABI_IDENTITY_VALUE + 1];

    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        abi_identity_add(most, keys[i], value);
    }
    value[1019 - strlen(most) - strlen(",maker=")] = '\0';
    abi_identity_add(most, "maker", value);
    cr_assert(eq(sz, strlen(most), 1019));
    beat_identity_tell(most);
    cr_assert(beat_start(&options));
    expect("maker", value);
    beat_stop();
}

Test(identity, is_in_dumps_and_comes_from_the_environment)
{
    char dump[192];
    cr_assert(eq(int, setenv("METHODBEAT_APP", "id=from.outside", 1), 0));
    struct beat_options options = traces_options(traces_path);

    (void)snprintf(dump, sizeof(dump), "%s.dump", traces_path);
    cr_assert(beat_start(&options));
    beat_i(1);
    expect("id", "from.outside");
    cr_assert(beat_dump(dump));
    struct traces_loaded loaded = traces_load(dump);
    struct mb_text id = abi_identity_find(abi_identity_of_trace(&loaded.trace), "id");
    cr_expect(mb_text_is(id, "from.outside"));
    mb_buf_finish(&loaded.bytes);
    beat_stop();
}
