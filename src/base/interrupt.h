/* Signals that ask the process to stop: who works for long looks now and then, and gives up as
 * after any other failure, so that nothing is left behind. */

#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include "base/error.h"

#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP only set the flag from now on; system calls that wait fail with
 * EINTR. */
void mb_interrupt_catch(void);
bool mb_is_interrupted(void);

/* MB_INTERRUPTED once the flag is set. */
MB_MUST_CHECK enum mb_status mb_check_interrupt(struct mb_error *err);

#endif
