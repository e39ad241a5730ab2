#include "base/interrupt.h"

#include "base/windows/windows.h"

#include <stdatomic.h>

#define CLEANUP_MS 4000 /* the system ends the process 5 s after the window was closed */

static atomic_bool interrupted;

/* On a thread of the system. When the window closes, or the user logs off, the process ends as soon
 * as this returns. */
static BOOL WINAPI note_event(DWORD event)
{
    atomic_store(&interrupted, true);
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) {
        Sleep(CLEANUP_MS);
    }
    return TRUE;
}

void mb_interrupt_catch(void)
{
    (void)SetConsoleCtrlHandler(NULL, FALSE); /* the parent may have ignored Ctrl-C */
    (void)SetConsoleCtrlHandler(note_event, TRUE);
}

bool mb_is_interrupted(void)
{
    return atomic_load(&interrupted);
}

void mb_interrupt_forget(void)
{
    atomic_store(&interrupted, false);
}

enum mb_status mb_check_interrupt(struct mb_error *err)
{
    return mb_is_interrupted() ? mb_fail(err, MB_INTERRUPTED, MB_NO_OFFSET, "interrupted") : MB_OK;
}
