/* Which program a JVM runs, by the command line and the environment it was started with. */

#ifndef PROC_JVM_PROGRAM_H
#define PROC_JVM_PROGRAM_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct proc_jvm_start {
    struct mb_buf line; /* words, each with its NUL */
    struct mb_buf variables;
    bool has_files; /* those that the words name can be read: in its user's place (foreign.h) */
};

/* What cannot be read stays empty. Never freed: in its user's place the process ends soon. */
void proc_jvm_start_read(struct proc_jvm_start *start, pid_t pid);

/* The main class, the path of a jar, or MODULE/CLASS; of a program that has a JVM in it, its own
 * name. "": it is not known, as where an argument file is not there any more. */
void proc_jvm_program(const struct proc_jvm_start *start, char *program, size_t size);

/* The program's arguments, which follow it, cut to size. */
void proc_jvm_arguments(const struct proc_jvm_start *start, char *arguments, size_t size);

/* True if -XX:+DisableAttachMechanism is in force: the last such option wins. */
bool proc_jvm_is_closed(const struct proc_jvm_start *start);

/* It was started as java. */
bool proc_jvm_is_java(const struct proc_jvm_start *start);

#endif
