/* The format of a report: by its name, or by the name of the output. */

#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "cli/options.h"
#include "formats/format.h"

/* Take the argument as a const struct format *; an error for an unknown one lists the formats. */
cli_take_fn cli_take_format;

/* The format of the path's extension, text if it has none, is a folder or NULL. CLI_USAGE, with a
 * message, if no format has that extension. */
int cli_find_format(const char *path, const struct format **format);

bool cli_is_folder(const char *path);

#endif
