/* Programs that are started, read and waited for. */

#include "base/platform_process.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static int run(const char *script, struct mb_buf *output, struct mb_buf *complaints)
{
    const struct mb_program program = {
        .words = (const char *const[]){"sh", "-c", script, NULL},
        .folder = "/",
        .input = MB_STREAM_NULL,
        .output = MB_STREAM_PIPE,
        .complaints = MB_STREAM_PIPE,
    };
    struct mb_process process;
    int code = -1;

    cr_assert(mb_process_start(&process, &program));
    while (mb_process_read(&process, 1000, output, complaints)) {
    }
    cr_assert(mb_process_wait(&process, &code));
    return code;
}

Test(process, is_read_to_its_end)
{
    struct mb_buf output = {0};
    struct mb_buf complaints = {0};

    cr_expect(run("cat; pwd; echo no >&2; exit 7", &output, &complaints) == 7);
    cr_expect(output.size == 2 && memcmp(output.bytes, "/\n", 2) == 0);
    cr_expect(complaints.size == 3 && memcmp(complaints.bytes, "no\n", 3) == 0);
    cr_expect(run("kill -9 $$", &output, &complaints) == 137);
    mb_buf_finish(&output);
    mb_buf_finish(&complaints);
}

Test(process, is_ended)
{
    const struct mb_program program = {
        .words = (const char *const[]){"sleep", "100", NULL},
        .input = MB_STREAM_NULL,
        .output = MB_STREAM_PIPE,
        .complaints = MB_STREAM_NULL,
    };
    struct mb_process process;
    struct mb_buf output = {0};
    int code = 0;

    cr_assert(mb_process_start(&process, &program));
    cr_expect(mb_process_read(&process, 1, &output, &output));
    mb_process_end(&process, MB_END_NOW);
    cr_assert(mb_process_wait(&process, &code));
    cr_expect(code != 0);
    mb_buf_finish(&output);
}

Test(process, is_missing)
{
    const struct mb_program program = {
        .words = (const char *const[]){"there-is-no-such-program", NULL},
        .input = MB_STREAM_OURS,
        .output = MB_STREAM_PIPE,
        .complaints = MB_STREAM_OURS,
    };
    struct mb_process process;

    cr_expect(!mb_process_start(&process, &program));
    cr_expect(errno == ENOENT);
}
