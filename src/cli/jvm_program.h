/* Which program a JVM runs, by the command line it was started with. */

#ifndef CLI_JVM_PROGRAM_H
#define CLI_JVM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The main class, the path of a jar, or MODULE/CLASS; of a program that has a JVM in it, its own
 * name. "": it is not known, as where an argument file is not there any more. */
void cli_jvm_program(pid_t pid, char *program, size_t size);

/* It was started as java. */
bool cli_jvm_is_java(pid_t pid);

/* Without folders or a module in front. */
const char *cli_jvm_short_program(const char *program);

#endif
