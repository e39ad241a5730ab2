/* Signals that ask the process to stop: long-running code polls, and fails as after any other
 * error, so that cleanup happens. */

#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include "base/error.h"

#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP only set the flag from now on; system calls that wait fail with
 * EINTR. */
void mb_interrupt_catch(void);
bool mb_is_interrupted(void);

/* What has come is dealt with: only what comes from now on counts. */
void mb_interrupt_forget(void);

/* MB_INTERRUPTED once the flag is set. */
MB_MUST_CHECK enum mb_status mb_check_interrupt(struct mb_error *err);

#endif
