/* Which C library a process has, or a program will have: a JVM loads an agent of its own one. */

#ifndef PROC_LIBC_H
#define PROC_LIBC_H

#include <stdbool.h>
#include <sys/types.h>

/* By what the process has mapped. False if it may not be asked. */
bool proc_libc_is_musl(pid_t pid);

/* By the loader of the command, found on PATH; if that is a script, or has none, by that of java,
 * of JAVA_HOME or on PATH, or else of the shell. */
bool proc_libc_will_be_musl(const char *command);

#endif
