/* The contents of the jars and folders that make up a program. */

#ifndef CLI_RUN_PARTS_H
#define CLI_RUN_PARTS_H

#include "base/text.h"
#include "cli/run_launch.h"

/* Read the content of a jar's entry, or of a file in a folder. False if it cannot be read. */
bool cli_run_entry(const char *part, const char *name, struct mb_buf *content);

/* Add to the class path the parts named in the manifest of launch->jar. */
void cli_run_follow_jar(struct cli_run_launch *launch);

/* The part of the class path that is an OSGi framework, which hides packages that bundles do not
 * import; NULL: absent. */
const char *cli_run_osgi(const struct cli_run_launch *launch);

enum cli_run_probes {
    CLI_RUN_NO_PROBES,
    CLI_RUN_HAS_PROBES,
    CLI_RUN_UNKNOWN_PROBES, /* unknown: no parts, too many, or unreadable ones */
};

/* Whether a class of the class path or the module path calls a probe. */
enum cli_run_probes cli_run_probes(const struct cli_run_launch *launch);

#endif
