#include "recorder/name.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define MOST (ABI_TRACE_NAME_SIZE - 1)

struct name_case {
    const char *what;
    const char *from;
    size_t kept; /* bytes */
};

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

static const struct name_case name_cases[] = {
    {"nothing", "", 0},
    {"a pool's thread, longer than the system keeps",
     "kotlinx-coroutines-DefaultDispatcher-worker-12", 46},
    {"all there is room for", SIXTY "abc", MOST},
    {"a byte more", SIXTY "abcd", MOST},
    {"two bytes of a character fit", SIXTY "a\xC3\xA9", MOST},
    {"one of two does not", SIXTY "ab\xC3\xA9", MOST - 1},
    {"three of four do not", SIXTY "\xF0\x9F\x98\x80", MOST - 3},
};

EACH_ROW(name, copies_whole_characters, name_cases);

ParameterizedTest(size_t *row, name, copies_whole_characters)
{
    const struct name_case *c = &name_cases[*row];
    char name[ABI_TRACE_NAME_SIZE];

    memset(name, 'x', sizeof(name));
    beat_name_copy(name, c->from);
    cr_assert(eq(sz, strlen(name), c->kept), "%s", c->what);
    cr_assert(eq(int, memcmp(name, c->from, c->kept), 0), "%s", c->what);
    cr_assert(eq(chr, name[MOST], '\0'), "%s", c->what);
}

Test(name, a_name_may_be_copied_onto_itself)
{
    char name[ABI_TRACE_NAME_SIZE] = "main";

    beat_name_copy(name, name);
    cr_assert_str_eq(name, "main");
}

Test(name, the_system_knows_threads_by_their_ids)
{
    char name[ABI_TRACE_NAME_SIZE] = "as before";

    cr_assert(eq(int, pthread_setname_np(pthread_self(), "a thread"), 0));
    beat_name_of_thread(name, (uint32_t)gettid());
    cr_assert_str_eq(name, "a thread");
    beat_name_of_thread(name, 0x7FFFFFFF);
    cr_assert_str_eq(name, "a thread");
}

Test(name, names_are_alike_but_for_digits)
{
    cr_assert(beat_name_is_alike("pool-1-thread-12", "pool-22-thread-3"));
    cr_assert(beat_name_is_alike("", ""));
    cr_assert(not(beat_name_is_alike("pool-1", "pool-")));
    cr_assert(not(beat_name_is_alike("pool-1", "pond-1")));
}
