/* A process as people say it: by its number, or a JVM by the name of its program (jvms.c). */

#ifndef CLI_JVMS_H
#define CLI_JVMS_H

#include <sys/types.h>

/* A number stands for itself. Else the number of the one JVM whose main class, jar or module has
 * that name, whole or without package, folder and ".jar"; else of the one whose program has it as a
 * part. CLI_DONE, or CLI_FAILED with a message: several match, which are listed, or none. */
int cli_jvm_find(const char *process, pid_t *pid);

#endif
