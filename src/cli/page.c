#include "cli/page.h"

#include "base/platform.h"
#include "base/platform_process.h"
#include "base/text.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define TRACE_EXTENSION ".mbtrace"
#define PAGE_EXTENSION ".html"

char *cli_page_path(const char *trace)
{
    size_t size = strlen(trace);
    size_t extension = strlen(TRACE_EXTENSION);
    char *path = malloc(size + sizeof(PAGE_EXTENSION));

    if (path == NULL) {
        return NULL;
    }
    if (size > extension && strcmp(trace + size - extension, TRACE_EXTENSION) == 0 &&
        trace[size - extension - 1] != '/') {
        size -= extension;
    }
    memcpy(path, trace, size);
    memcpy(path + size, PAGE_EXTENSION, sizeof(PAGE_EXTENSION));
    return path;
}

int cli_show_page(const char *path)
{
    struct mb_buf shown = {0};
    struct mb_buf place = {0};
    char *absolute = mb_path_real(path);

    mb_buf_put_string(&shown, "page: ");
    mb_buf_put_printable(&shown, mb_text_of(absolute != NULL ? absolute : path));
    free(absolute);
    mb_buf_put_u1(&shown, '\n');
    mb_buf_put_string(&place, path[0] == '-' ? "./" : ""); /* no option */
    mb_buf_put_string(&place, path);
    mb_buf_put_u1(&place, '\0');
    int code = CLI_DONE;
    if (shown.failed || place.failed) {
        code = cli_fail_memory();
    } else {
        struct mb_error err;
        cli_put_output(shown.bytes, shown.size);
        cli_flush_output();
        enum mb_status status = mb_show_page((const char *)place.bytes, &code, &err);
        if (status != MB_OK) {
            cli_print_error(&err);
        }
        code = status == MB_OK && code == 0 ? CLI_DONE : CLI_FAILED;
    }
    mb_buf_finish(&shown);
    mb_buf_finish(&place);
    return code;
}
