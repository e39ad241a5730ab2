/* JVMs as people say them: by the name of the program. */

#ifndef PROC_JVM_FIND_H
#define PROC_JVM_FIND_H

#include "process/jvm_look.h"

/* Append those whose main class, jar or module has that name, whole or without package, folder and
 * ".jar"; else those whose program has it as a part. */
MB_MUST_CHECK enum mb_status proc_jvm_find(union proc_jvms *matches, const char *name,
                                           struct mb_error *err);

#endif
