/* The format of a report: by its name, or by the name of the output; and the report itself. */

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

/* As the options of report; all borrowed. */
struct cli_report_wish {
    const struct format *format; /* NULL: by the output's name */
    const char *output;          /* NULL: standard output */
    bool opens;
};

/* Write the report on a trace, as the command does. An exit code. */
int cli_report_trace(const struct cli_report_wish *wish, const char *trace);

/* ---- Showing a page ---- */

/* "app.html" beside "app.mbtrace"; "app.html" of "app" too. NULL without memory. Free with free. */
char *cli_page_path(const char *trace);

/* Say where the page is, and have the desktop show it (xdg-open). An exit code. */
int cli_show_page(const char *path);

#endif
