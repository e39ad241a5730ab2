#include "base/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void note_signal(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void mb_interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal};

    for (size_t i = 0; i < MB_COUNT(signals); i++) {
        (void)sigaction(signals[i], &action, NULL);
    }
}

bool mb_is_interrupted(void)
{
    return interrupted != 0;
}

void mb_interrupt_forget(void)
{
    interrupted = 0;
}

enum mb_status mb_check_interrupt(struct mb_error *err)
{
    return interrupted != 0 ? mb_fail(err, MB_INTERRUPTED, MB_NO_OFFSET, "interrupted") : MB_OK;
}
