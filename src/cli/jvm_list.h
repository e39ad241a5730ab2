/* The JVMs that run on this machine, in containers too. */

#ifndef CLI_JVM_LIST_H
#define CLI_JVM_LIST_H

#include "cli/jvm_look.h"

/* Append each as struct cli_jvm_entry, by its number. Those of other users are known by their
 * command line only. Fails if there is no /proc. */
MB_MUST_CHECK enum mb_status cli_jvm_list(struct mb_buf *entries, struct mb_error *err);

/* The name of a user, or the number. */
void cli_user_name(uid_t uid, char *name, size_t size);

#endif
