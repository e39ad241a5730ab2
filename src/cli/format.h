/* Which format a report is written in: by its name, or by what the output is called. */

#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "cli/options.h"
#include "formats/format.h"

/* Puts a const struct format * in its place; says of an unknown one which there are. */
cli_take_fn cli_take_format;

/* The format of the path's extension, text if it has none, is a folder or NULL. CLI_USAGE if no
 * format has that extension, which is told. */
int cli_find_format(const char *path, const struct format **format);

bool cli_is_folder(const char *path);

#endif
