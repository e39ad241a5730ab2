/* What the trace of a program that got its probes while it ran says of that: the records of section
 * ABI_SECTION_WEAVING, a count of eight bytes each. Newer ones go to the end. */

#ifndef ABI_WEAVING_H
#define ABI_WEAVING_H

enum abi_weaving {
    ABI_WEAVING_CLASSES, /* that got probes, */
    ABI_WEAVING_DAMAGED, /* that did not, since they cannot be read, */
    ABI_WEAVING_MEMORY,  /* since memory ran out, */
    ABI_WEAVING_REFUSED, /* and since the JVM does not change them */
    ABI_WEAVING_METHODS, /* without probes in classes with them: too large, or of unknown shape */
    ABI_WEAVING_THREADS, /* that were inside calls as the probes came, */
    ABI_WEAVING_INSIDE,  /* and these calls, which go on without probes */
    ABI_WEAVING_CROWDED, /* classes without probes, since many of their kind had come before, */
    ABI_WEAVING_IDS,     /* and, all of them or some of their methods, since all ids were given, */
    ABI_WEAVING_BOOT,    /* and since -Xbootclasspath/a has them: they count as the JDK's */
    ABI_WEAVING_COUNT
};

#endif
