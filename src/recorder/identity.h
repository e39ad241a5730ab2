/* Whom a trace comes from (abi/identity.h): what the option app says, or the monitors, who know
 * more.
 */

#ifndef RECORDER_IDENTITY_H
#define RECORDER_IDENTITY_H

#include "recorder/core.h"

/* Note in the header of the session what was told, or the pairs of the option, NULL if none. One
 * message if they are wrong. Under the lock. */
void beat_identity_note(struct beat_recorder *recorder, const struct beat_options *options);

/* From now on traces have these checked pairs, the present one too. */
void beat_identity_tell(const char *pairs);

#endif
