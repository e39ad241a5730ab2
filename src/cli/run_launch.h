/* The program that java will start, from the words of a command and from the environment. */

#ifndef CLI_RUN_LAUNCH_H
#define CLI_RUN_LAUNCH_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

/* The lists hold strings, borrowed or of the arena, in the order of the words. */
struct cli_run_launch {
    struct mb_arena arena;
    struct mb_buf words; /* const char *: JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS, the command; "@FILE"
                          * expanded as java does */
    struct mb_buf classes; /* const char *: jars and folders of the class path, the jar's own too */
    struct mb_buf modules; /* const char *: jars and folders of the module path */
    struct mb_buf roots;   /* const char *: names of modules, of -m and --add-modules */
    const char *jar;       /* of -jar, or NULL */
    const char *script; /* where the words name no classes: a file among them, else "."; or NULL */
    int java_version;   /* of the java that is the first word; 0: that is not known */
    bool is_java;       /* the first word is java */
};

/* One of a list; NULL behind the last. */
const char *cli_run_item(const struct mb_buf *list, size_t index);

/* Put the words of an argument file to launch->words. */
void cli_run_launch_split(struct cli_run_launch *launch, const char *text);

/* Without memory some of it is missing. Release with cli_run_launch_finish, also then. */
void cli_run_launch_read(struct cli_run_launch *launch, char **command);
void cli_run_launch_finish(struct cli_run_launch *launch);

#endif
