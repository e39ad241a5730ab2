/* Java's table of muted methods, one byte each: its probes look there before they call anything. */

#ifndef JNI_MUTES_H
#define JNI_MUTES_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NativeProbes.takeMuteTable: the table for the rest of the process. */
JNIEXPORT void JNICALL jni_mutes_take(JNIEnv *env, jclass type, jbyteArray table);

/* Mute these methods, or record them again; compiled code does not see the latter, since HotSpot
 * takes nonzero entries for constants. On any thread, which is attached to the VM meanwhile; calls
 * JNI: without the recorder's lock. Does nothing without a table or a VM. */
void jni_mutes_set(const uint32_t *ids, size_t count, bool is_muted);

#endif
