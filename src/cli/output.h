/* The target of a command's result: standard output, a file that appears when it is complete, or
 * several files in a folder that appear together. */

#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "formats/writer.h"
#include "publish/publish.h"

struct cli_output {
    const char *path;      /* NULL: standard output */
    const char *extension; /* of the files in the folder of that path; NULL: it is a file */
    struct pub_outputs *publish;
    int fd;
};

/* Finish also after failure. Signals that ask to stop are kept from here on: writes fail then. */
MB_MUST_CHECK enum mb_status cli_output_open(struct cli_output *output, const char *path,
                                             struct mb_error *err);

/* The same for files in a folder, each with that extension. */
MB_MUST_CHECK enum mb_status cli_output_open_folder(struct cli_output *output, const char *folder,
                                                    const char *extension, struct mb_error *err);

/* Write bytes; err gets a failure. */
struct format_sink cli_output_sink(struct cli_output *output);

/* All is there. */
MB_MUST_CHECK enum mb_status cli_output_commit(struct cli_output *output, struct mb_error *err);

/* An uncommitted output leaves no file. */
void cli_output_finish(struct cli_output *output);

#endif
