/* Which function is to blame for a stack. */

#include "abi/blame.h"

#include "base/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct {
    const char *what;
    const char *frames;
    const char *name;
    const char *waits_in;
    bool has_own;
} cases[] = {
    {"no stack", "", "", "", false},
    {"empty lines", "\n\n", "", "", false},
    {"its own code", "a.C.m(C.java:7)\nb.D.n", "a.C.m", "", true},
    {"its own code, which waits", "java.lang.Thread.sleep(Native Method)\na.C.m:7", "a.C.m", "",
     true},
    {"what it waits in",
     "jdk.internal.misc.Unsafe.park\njava.util.concurrent.locks.LockSupport.parkNanos\n"
     "kotlinx.coroutines.BlockingCoroutine.joinBlocking:121\nkotlinx.coroutines.BuildersKt."
     "runBlocking"
     "\na.C.load:5\na.D.run",
     "a.C.load", "kotlinx.coroutines.BlockingCoroutine.joinBlocking", true},
    {"what it works in", "java.util.TimSort.mergeHi\njava.util.Arrays.sort\na.C.sort\na.D.run",
     "a.C.sort", "", true},
    {"none of its own", "java.lang.Object.wait\njava.util.Queue.take(Unknown Source)\n",
     "java.util.Queue.take", "", false},
    {"nothing but waiting", "jdk.internal.misc.Unsafe.park\njava.lang.Thread.sleep",
     "jdk.internal.misc.Unsafe.park", "", false},
    {"a library by its prefix", "org.lib.Pool.get\norg.other.D.n", "org.other.D.n", "", true},
    {"what coverage adds", "a.C.$jacocoInit\na.C.m:7", "a.C.m", "", true},
    {"what says that frames are missing", "java.lang.Thread.run\n(more)", "java.lang.Thread.run",
     "", false},
    {"several with lines", "a.C.m:7 or n:9\nb.D.n", "a.C.m", "", true},
    {"several without", "a.C.m or n\nb.D.n", "a.C.m or n", "", true},
};

Test(blame, is_of_the_innermost_own_function)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        const struct abi_blame blame =
            abi_find_blame(mb_text_of(cases[i].frames), MB_TEXT("com.x., org.lib."));

        cr_expect(mb_text_is(blame.name, cases[i].name), "%s: %.*s", cases[i].what,
                  (int)blame.name.size, blame.name.data);
        cr_expect(mb_text_is(blame.waits_in, cases[i].waits_in), "%s", cases[i].what);
        cr_expect(eq(int, blame.has_own, cases[i].has_own), "%s", cases[i].what);
    }
}
