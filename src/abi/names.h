/* Names and ids that probe, recorder and decoder must agree on. */

#ifndef ABI_NAMES_H
#define ABI_NAMES_H

/* Ids of methods: 1 to ABI_MAX_ID. 0 stands for no method. */
#define ABI_FIRST_ID 1u
#define ABI_MAX_ID 0xFFFFDu
#define ABI_MESSAGE_ID 0xFFFFEu /* one main-thread Handler.dispatchMessage */
/* From here to ABI_MAX_ID: kinds of messages, each the first call in one. A method has such an id
 * only where no other is left. */
#define ABI_MAX_KINDS 128u
#define ABI_FIRST_KIND_ID (ABI_MAX_ID - ABI_MAX_KINDS + 1)
#define ABI_FRAME_KIND "android.view.Choreographer.doFrame"
#define ABI_CATCH_ID 0xFFFFFu /* the next record is a catch, or this is a sum: see record.h */

/* The class that the probes call, in internal form, unless --beat-class names another. */
#define ABI_BEAT_CLASS "methodbeat/MethodBeat"
#define ABI_BEAT_ENTER "i"
#define ABI_BEAT_EXIT "o"
#define ABI_BEAT_CATCH "c"
#define ABI_BEAT_PROBE_DESC "(I)V"
#define ABI_BEAT_FOCUS "at"
#define ABI_BEAT_FOCUS_DESC "(Landroid/app/Activity;Z)V"

/* The class that the agent's probes call. It belongs to java.base, which each class sees, whatever
 * its loader and its module. */
#define ABI_BRIDGE_CLASS "java/lang/$MethodBeat"

/* What the last line of methodMapping.txt calls the message. */
#define ABI_MESSAGE_CLASS "android.os.Handler"
#define ABI_MESSAGE_METHOD "dispatchMessage"
#define ABI_MESSAGE_DESC "(Landroid.os.Message;)V"

/* Activities are told the window focus by this method. */
#define ABI_FOCUS_METHOD "onWindowFocusChanged"
#define ABI_FOCUS_DESC "(Z)V"

/* Before the version in the bytes of the agent's library: the command loads its own version only.
 */
#define ABI_AGENT_MARK "methodbeat agent "

#endif
