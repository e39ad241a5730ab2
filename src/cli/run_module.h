/* Which named module a command starts. */

#ifndef CLI_RUN_MODULE_H
#define CLI_RUN_MODULE_H

/* Of "-m MODULE/CLASS", also in files that "@FILE" names, as java reads them; the caller frees it.
 * NULL if there is none, or memory ran out. */
char *cli_run_module(char **command);

#endif
