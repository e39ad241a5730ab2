/* What run tells the agents of the JVMs below it, by variables, and what they tell run: each JVM in
 * a file of its own, by its process id, in a folder that run made. */

#ifndef ABI_RUN_H
#define ABI_RUN_H

#define ABI_RUN_FOLDER "METHODBEAT_RUN" /* the path of the folder */

/* What becomes of JAVA_TOOL_OPTIONS in the JVM that run starts itself, for those that it starts. */
#define ABI_RUN_CHILDREN "METHODBEAT_CHILDREN"
#define ABI_RUN_TOOL_OPTIONS "JAVA_TOOL_OPTIONS"

/* The file is a list of notes: a letter, a text, a NUL. */
enum abi_run_note {
    ABI_RUN_LOADED = 'L',  /* a JVM with this process id starts; the program, or "" for none */
    ABI_RUN_SKIPPED = 'S', /* it is not among those that are to be recorded */
    ABI_RUN_FAILED = 'F',  /* why nothing is recorded, or not into a file */
    ABI_RUN_TRACE = 'T',   /* the path of a trace */
    ABI_RUN_ENDED = 'E',   /* the JVM ends: how many classes the agent saw, then ABI_WEAVING_COUNT
                              counts, with a space between */
};

#endif
