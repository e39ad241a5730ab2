#include "cli/output.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum mb_status cli_output_open(struct cli_output *output, const char *path, struct mb_error *err)
{
    *output = (struct cli_output){.path = path, .fd = -1};
    if (path == NULL) {
        return MB_OK;
    }
    mb_interrupt_catch();
    output->publish = pub_create();
    if (output->publish == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(pub_prepare_beside(output->publish, path, err));
    return pub_open(output->publish, path, &output->fd, err);
}

enum mb_status cli_output_open_folder(struct cli_output *output, const char *folder,
                                      const char *extension, struct mb_error *err)
{
    *output = (struct cli_output){.path = folder, .extension = extension, .fd = -1};
    mb_interrupt_catch();
    output->publish = pub_create();
    return output->publish != NULL ? pub_prepare(output->publish, folder, err)
                                   : mb_fail_memory(err);
}

/* Commit the file being written. */
static enum mb_status close_file(struct cli_output *output, struct mb_error *err)
{
    int fd = output->fd;

    output->fd = -1;
    if (fd >= 0 && close(fd) != 0) {
        return mb_fail_in(err, MB_IO, output->path, "%s", strerror(errno));
    }
    return MB_OK;
}

static enum mb_status begin_file(void *context, const char *name, struct mb_error *err)
{
    struct cli_output *output = context;
    struct mb_buf path = {0};

    MB_TRY(close_file(output, err));
    mb_buf_printf(&path, "%s/%s%s", output->path, name, output->extension);
    mb_buf_put_u1(&path, '\0');
    enum mb_status status = mb_buf_check(&path, err);
    if (status == MB_OK) {
        status = pub_open(output->publish, (const char *)path.bytes, &output->fd, err);
    }
    mb_buf_finish(&path);
    return status;
}

static enum mb_status take_for_file(void *context, const void *bytes, size_t size,
                                    struct mb_error *err)
{
    struct cli_output *output = context;

    MB_TRY(mb_check_interrupt(err));
    enum mb_status status = mb_file_write_all(output->fd, bytes, size, err);
    if (status != MB_OK) {
        mb_error_in_input(err, output->path);
    }
    return status;
}

static enum mb_status take_for_stdout(void *context, const void *bytes, size_t size,
                                      struct mb_error *err)
{
    (void)context;
    cli_put_output(bytes, size);
    int error = cli_output_error();
    return error == 0 ? MB_OK : mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", strerror(error));
}

struct format_sink cli_output_sink(struct cli_output *output)
{
    return (struct format_sink){
        .take = output->path != NULL ? take_for_file : take_for_stdout,
        .begin_file = output->extension != NULL ? begin_file : NULL,
        .context = output,
    };
}

enum mb_status cli_output_commit(struct cli_output *output, struct mb_error *err)
{
    if (output->path == NULL) {
        return MB_OK;
    }
    MB_TRY(close_file(output, err));
    return pub_commit(output->publish, err);
}

void cli_output_finish(struct cli_output *output)
{
    if (output->fd >= 0) {
        (void)close(output->fd);
        output->fd = -1;
    }
    pub_destroy(output->publish);
    output->publish = NULL;
}
