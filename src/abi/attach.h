/* What the agent's Agent_OnAttach returns, which the JVM passes to the process that attached: the
 * only words that reach it from inside. A JVM's own refusals are other numbers and texts.
 *
 * Probes go in and out in a thread of the agent. To options that end with ABI_ATTACH_LATER it
 * returns ABI_ATTACH_GOING at once, and the JVM answers others meanwhile; so do the questions below
 * until the result is there. */

#ifndef ABI_ATTACH_H
#define ABI_ATTACH_H

enum abi_attach_result {
    ABI_ATTACH_DONE = 0,
    ABI_ATTACH_FAILED = 100,       /* the program's standard error says why */
    ABI_ATTACH_OTHER_BUILD = 101,  /* another build of the agent is in this JVM */
    ABI_ATTACH_NO_TRACE = 102,     /* its trace file cannot be created */
    ABI_ATTACH_NO_CLASS = 103,     /* the JVM changed none of the classes that are wanted */
    ABI_ATTACH_NOT_ATTACHED = 104, /* to detach what is not attached */
    ABI_ATTACH_NO_MATCH = 105,     /* no class that is loaded is in focus */
    ABI_ATTACH_BAD_SETTING = 1000, /* plus the place of the setting in the options, from 0 */
    ABI_ATTACH_GOING = 1 << 24,    /* plus the number that was asked for */
};

#define ABI_ATTACH_LATER ",later=on"

/* Options that ask how far the agent's thread is: classes that it has changed, and all that it
 * wants to change, 0 until it knows. */
#define ABI_ATTACH_ASK_DONE "ask=done"
#define ABI_ATTACH_ASK_ALL "ask=all"

#endif
