/* JVMs as a table for people. */

#ifndef CLI_JVM_PRINT_H
#define CLI_JVM_PRINT_H

#include "process/jvm_look.h"

/* A line of headings and a line for each. */
void cli_jvm_put_table(struct mb_buf *out, const struct proc_jvm_entry *entries, size_t count);

#endif
