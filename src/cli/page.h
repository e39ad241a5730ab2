/* Showing a report: the path of its page, and the program that opens it. */

#ifndef CLI_PAGE_H
#define CLI_PAGE_H

/* "app.html" beside "app.mbtrace"; "app.html" of "app" too. NULL without memory. Free with free. */
char *cli_page_path(const char *trace);

/* Say where the page is, and have the desktop show it (xdg-open). An exit code. */
int cli_show_page(const char *path);

#endif
