/* What the agent's Agent_OnAttach returns, which the JVM passes to whoever attached: the only
 * words that reach them from inside. A JVM's own refusals are other numbers and texts. */

#ifndef ABI_ATTACH_H
#define ABI_ATTACH_H

enum abi_attach_result {
    ABI_ATTACH_DONE = 0,
    ABI_ATTACH_FAILED = 100,       /* the program's standard error says why */
    ABI_ATTACH_OTHER_BUILD = 101,  /* another build of the agent is in this JVM */
    ABI_ATTACH_NO_TRACE = 102,     /* its trace file cannot be created */
    ABI_ATTACH_NO_CLASS = 103,     /* the JVM changed none of the classes that are wanted */
    ABI_ATTACH_NOT_ATTACHED = 104, /* to detach what is not attached */
    ABI_ATTACH_BAD_SETTING = 1000, /* plus the place of the setting in the options, from 0 */
};

#endif
