/* Java's table of muted methods, one byte each: its probes look there before they call anything. */

#ifndef JNI_MUTES_H
#define JNI_MUTES_H

#include "recorder/throttle.h"

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

/* NativeProbes.takeMuteTable: the table for the rest of the process. */
JNIEXPORT void JNICALL jni_mutes_take(JNIEnv *env, jclass type, jbyteArray table);

/* The state of these methods; compiled code does not see that they are recorded again, since
 * HotSpot takes nonzero entries for constants. On any thread, which is attached to the VM
 * meanwhile; calls JNI: without the recorder's lock. Does nothing without a table or a VM. */
void jni_mutes_set(const uint32_t *ids, size_t count, enum beat_state state);

#endif
