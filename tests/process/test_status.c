#include "jvms/process/status.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

Test(status, a_process_is_as_old_as_it_is)
{
    pid_t child = fork();

    if (child == 0) {
        pause();
        _exit(0);
    }
    double young = proc_age(child);
    cr_expect(young >= 0 && young <= proc_age(getppid()), "%f", young);
    cr_expect(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    cr_expect(proc_age(child) < 0);
    cr_expect(proc_age(INT_MAX) < 0);
}

Test(status, users_and_numbers_are_those_of_the_system)
{
    uid_t user;
    gid_t group;

    cr_assert(proc_user(getpid(), &user, &group));
    cr_expect(user == geteuid() && group == getegid());
    cr_expect(not(proc_user(INT_MAX, &user, &group)));
    cr_expect(eq(int, proc_own_id(getpid()), getpid()));
}
