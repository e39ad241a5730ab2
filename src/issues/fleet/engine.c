#include "issues/fleet/engine.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/platform_process.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DUCKDB "duckdb"
#define HOW_TO_GET_IT "is not there: pip install duckdb-cli, or name it with --engine-command"

/* Its standard streams are files: SQL and answers of any size wait in them without a deadlock. */
enum { IN, OUT, COMPLAINTS, STREAMS };

static void close_streams(const int *streams)
{
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i] >= 0) {
            (void)close(streams[i]);
        }
    }
}

static enum mb_status open_streams(int *streams, const struct mb_buf *sql, struct mb_error *err)
{
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = mb_file_open_temporary();
        if (streams[i] < 0) {
            return mb_fail_errno(err, "no temporary file");
        }
    }
    MB_TRY(mb_buf_check(sql, err));
    MB_TRY(mb_file_write_all(streams[IN], sql->bytes, sql->size, err));
    return mb_file_seek(streams[IN], 0) ? MB_OK : mb_fail_errno(err, "no temporary file");
}

static bool start_engine(struct mb_process *process, const char *program, const int *streams,
                         const char *folder)
{
    const char *const words[] = {program, "-init", mb_path_nothing, "-batch", "-bail",
                                 "-json", NULL};
    const struct mb_program started = {
        .words = words,
        .folder = folder,
        .input = streams[IN],
        .output = streams[OUT],
        .complaints = streams[COMPLAINTS],
    };

    return mb_process_start(process, &started);
}

static enum mb_status wait_for(struct mb_process *process, int *code, struct mb_error *err)
{
    while (!mb_process_wait(process, code)) {
        if (errno != EINTR) {
            return mb_fail_errno(err, "the engine is lost");
        }
        if (mb_is_interrupted()) {
            mb_process_end(process, MB_END_NOW); /* one that is asked may not hear */
        }
    }
    return mb_check_interrupt(err);
}

static enum mb_status read_stream(int stream, struct mb_buf *out, struct mb_error *err)
{
    return mb_file_seek(stream, 0) ? mb_file_read_open(out, stream, err)
                                   : mb_fail_errno(err, "no temporary file");
}

/* Its first line that says something. */
static enum mb_status fail_with_words(int complaints, int code, struct mb_error *err)
{
    struct mb_buf words = {0};
    struct mb_buf line = {0};
    enum mb_status result = read_stream(complaints, &words, err);
    struct mb_text rest = {(const char *)words.bytes, words.size};
    struct mb_text first = {"", 0};

    while (rest.size > 0 && first.size == 0) {
        first = mb_text_trim(mb_text_split(&rest, '\n'));
    }
    mb_buf_put_printable(&line, first);
    mb_buf_put_u1(&line, '\0');
    if (result == MB_OK && first.size > 0 && !line.failed) {
        result = mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", (const char *)line.bytes);
    } else if (result == MB_OK) {
        result = mb_fail(err, MB_IO, MB_NO_OFFSET, "ended with status %d without a message", code);
    }
    mb_buf_finish(&line);
    mb_buf_finish(&words);
    return result;
}

static enum mb_status run_program(const char *program, const struct fleet_engine *engine,
                                  const int *streams, struct mb_error *err)
{
    struct mb_process process;
    int code = 0;

    if (!start_engine(&process, program, streams, engine->folder)) {
        int reason = errno;
        return reason == ENOENT && mb_file_is_there(engine->folder)
                   ? mb_fail(err, MB_IO, MB_NO_OFFSET, HOW_TO_GET_IT)
                   : mb_fail(err, MB_IO, MB_NO_OFFSET, "cannot be started: %s", strerror(reason));
    }
    MB_TRY(wait_for(&process, &code, err));
    return code == 0 ? MB_OK : fail_with_words(streams[COMPLAINTS], code, err);
}

static enum mb_status run_engine(const struct fleet_engine *engine, const struct mb_buf *sql,
                                 struct mb_buf *out, struct mb_error *err)
{
    int streams[STREAMS] = {-1, -1, -1};
    const char *name = engine->command != NULL ? engine->command : DUCKDB;
    char *resolved = strchr(name, '/') != NULL ? mb_path_real(name) : NULL;
    enum mb_status status = open_streams(streams, sql, err);

    if (status == MB_OK) {
        status = run_program(resolved != NULL ? resolved : name, engine, streams, err);
        if (status != MB_OK && status != MB_INTERRUPTED) {
            mb_error_in_input(err, name);
        }
    }
    if (status == MB_OK) {
        status = read_stream(streams[OUT], out, err);
    }
    free(resolved);
    close_streams(streams);
    return status;
}

/* ---- Answers ---- */

void fleet_said_finish(struct fleet_said *said)
{
    mb_reader_finish(&said->reader);
    mb_buf_finish(&said->text);
}

/* Without rows DuckDB prints nothing, or an empty list. */
static enum mb_status parse_said(struct fleet_said *said, struct mb_error *err)
{
    struct mb_text text =
        mb_text_trim((struct mb_text){(const char *)said->text.bytes, said->text.size});
    bool has_rows = text.size > 0 && !mb_text_is(text, "[{]");

    said->rows = mb_reader_read(&said->reader, has_rows ? text : MB_TEXT("[]"));
    if (mb_value_is(said->rows, MB_JSON_LIST)) {
        return MB_OK;
    }
    return mb_reader_failed(&said->reader)
               ? mb_fail_memory(err)
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "the engine's answer is not JSON");
}

enum mb_status fleet_engine_ask(const struct fleet_engine *engine, const struct mb_buf *sql,
                                struct fleet_said *said, struct mb_error *err)
{
    enum mb_status status = run_engine(engine, sql, &said->text, err);

    return status == MB_OK ? parse_said(said, err) : status;
}
