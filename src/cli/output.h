/* Where a command's result goes: to standard output, or to a file that appears when it is whole. */

#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/publish.h"
#include "export/writer.h"

struct cli_output {
    const char *path; /* NULL: standard output */
    struct mb_publish *publish;
    int fd;
};

/* Finish also after failure. Signals that ask to stop are kept from here on: writes fail then. */
MB_MUST_CHECK enum mb_status cli_output_open(struct cli_output *output, const char *path,
                                             struct mb_error *err);

/* Puts bytes there, and says so in err if they did not arrive. */
struct export_sink cli_output_sink(struct cli_output *output);

/* All is there. */
MB_MUST_CHECK enum mb_status cli_output_commit(struct cli_output *output, struct mb_error *err);

/* What was not committed leaves no file. */
void cli_output_finish(struct cli_output *output);

#endif
