#include "base/platform_process.h"

#include "base/interrupt.h"
#include "base/windows/windows.h"

#include <errno.h>
#include <io.h>
#include <shellapi.h>
#include <stdlib.h>
#include <string.h>

#define READ_SIZE 8192
#define POLL_MS 5
#define WAIT_MS 100
#define ENDED_BY_REQUEST (128 + 15) /* the exit code where a signal would have ended it */
#define ENDED_AT_ONCE (128 + 9)
#define STREAMS 3
#define ATTRIBUTES_SIZE 256 /* one takes 48 */

/* --- the command line --- */

/* One word, as CommandLineToArgvW takes lines apart: within quotation marks, backslashes before one
 * are doubled. */
static void put_word(struct mb_buf *line, const char *word)
{
    mb_buf_put_u1(line, '"');
    for (; *word != '\0'; word++) {
        char next = *word == '\\' ? word[strspn(word, "\\")] : *word;
        if (next == '"' || next == '\0') {
            mb_buf_put_u1(line, '\\');
        }
        mb_buf_put_u1(line, (uint8_t)*word);
    }
    mb_buf_put_u1(line, '"');
}

static bool make_line(struct mb_buf *line, const char *const *words)
{
    for (; *words != NULL; words++) {
        put_word(line, *words);
        mb_buf_put_u1(line, words[1] != NULL ? ' ' : '\0');
    }
    errno = line->failed ? ENOMEM : errno;
    return !line->failed;
}

/* The program that the first word means, along PATH alone: not what lies in the working folder.
 * No scripts: their words would be taken apart by other rules. */
static bool find_program(char path[MB_PATH_SIZE], const char *name)
{
    char full[MB_PATH_SIZE] = "";
    bool is_path = strpbrk(name, "/\\") != NULL;

    if (is_path) {
        (void)GetFullPathNameA(name, sizeof(full), full, NULL);
    }
    DWORD size =
        SearchPathA(getenv("PATH"), is_path ? full : name, ".exe", MB_PATH_SIZE, path, NULL);
    return (size > 0 && size < MB_PATH_SIZE) || mb_fail_windows();
}

/* --- streams --- */

static void close_handle(HANDLE *handle)
{
    if (*handle != NULL && *handle != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(*handle);
    }
    *handle = NULL;
}

/* A copy that can be inherited; NULL without a handle. */
static HANDLE copy_handle(HANDLE handle)
{
    HANDLE copy = NULL;

    return handle != NULL && handle != INVALID_HANDLE_VALUE &&
                   DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &copy, 0, TRUE,
                                   DUPLICATE_SAME_ACCESS)
               ? copy
               : NULL;
}

static SECURITY_ATTRIBUTES inheritable = {sizeof(inheritable), NULL, TRUE};

static HANDLE open_null(int stream)
{
    HANDLE null =
        CreateFileA("NUL", stream == 0 ? GENERIC_READ : GENERIC_WRITE,
                    FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable, OPEN_EXISTING, 0, NULL);

    return null != INVALID_HANDLE_VALUE ? null : NULL;
}

static HANDLE open_pipe(HANDLE *ours)
{
    HANDLE its = NULL;

    return CreatePipe(ours, &its, &inheritable, 0) ? its : NULL;
}

/* What the program gets for a stream; NULL: nothing. */
static HANDLE open_stream(int stream, int wanted, HANDLE *ours)
{
    switch (wanted) {
    case MB_STREAM_NULL:
        return open_null(stream);
    case MB_STREAM_OURS:
        return copy_handle((HANDLE)_get_osfhandle(stream));
    case MB_STREAM_PIPE:
        return open_pipe(ours);
    default:
        return copy_handle((HANDLE)_get_osfhandle(wanted));
    }
}

/* --- starting --- */

/* It inherits these handles alone, whatever else is open. */
static bool create_process(struct mb_process *process, const struct mb_program *program,
                           const char *path, char *line, STARTUPINFOEXA *info)
{
    const HANDLE *handles = &info->StartupInfo.hStdInput; /* the three are one after the other */
    PROCESS_INFORMATION made;
    HANDLE inherited[STREAMS];
    DWORD count = 0;

    for (int i = 0; i < STREAMS; i++) {
        if (handles[i] != NULL) {
            inherited[count++] = handles[i];
        }
    }
    if (!UpdateProcThreadAttribute(info->lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                   inherited, count * sizeof(HANDLE), NULL, NULL) ||
        !CreateProcessA(path, line, NULL, NULL, TRUE, EXTENDED_STARTUPINFO_PRESENT, NULL,
                        program->folder, &info->StartupInfo, &made)) {
        return mb_fail_windows();
    }
    (void)CloseHandle(made.hThread);
    process->id = (intptr_t)made.hProcess;
    return true;
}

static bool start_program(struct mb_process *process, const struct mb_program *program,
                          STARTUPINFOEXA *info)
{
    _Alignas(16) char attributes[ATTRIBUTES_SIZE];
    char path[MB_PATH_SIZE];
    SIZE_T size = sizeof(attributes);
    struct mb_buf line = {0};
    bool is_started = false;

    info->lpAttributeList = (void *)attributes;
    if (find_program(path, program->words[0]) && make_line(&line, program->words)) {
        if (InitializeProcThreadAttributeList(info->lpAttributeList, 1, 0, &size)) {
            is_started = create_process(process, program, path, (char *)line.bytes, info);
            DeleteProcThreadAttributeList(info->lpAttributeList);
        } else {
            (void)mb_fail_windows();
        }
    }
    info->lpAttributeList = NULL;
    mb_buf_finish(&line);
    return is_started;
}

bool mb_process_start(struct mb_process *process, const struct mb_program *program)
{
    const int wanted[STREAMS] = {program->input, program->output, program->complaints};
    STARTUPINFOEXA info = {.StartupInfo = {.cb = sizeof(info), .dwFlags = STARTF_USESTDHANDLES}};
    HANDLE *its = &info.StartupInfo.hStdInput;
    HANDLE ours[STREAMS] = {NULL, NULL, NULL};

    for (int i = 0; i < STREAMS; i++) {
        its[i] = open_stream(i, wanted[i], &ours[i]);
    }
    *process = (struct mb_process){-1, {-1, -1}};
    bool is_started = start_program(process, program, &info);
    int reason = errno;
    for (int i = 0; i < STREAMS; i++) {
        close_handle(&its[i]);
        if (is_started && ours[i] != NULL) {
            process->pipes[i - 1] = (intptr_t)ours[i];
        } else {
            close_handle(&ours[i]);
        }
    }
    errno = reason;
    return is_started;
}

/* --- reading --- */

static void close_pipe(intptr_t *pipe)
{
    if (*pipe != -1) {
        (void)CloseHandle((HANDLE)*pipe);
    }
    *pipe = -1;
}

/* True if the pipe had bytes, or its end, after which it is closed. */
static bool read_some(intptr_t *pipe, struct mb_buf *out)
{
    uint8_t bytes[READ_SIZE];
    DWORD size = 0;

    if (*pipe == -1) {
        return false;
    }
    if (PeekNamedPipe((HANDLE)*pipe, NULL, 0, NULL, &size, NULL) && size == 0) {
        return false;
    }
    if (size > 0 && ReadFile((HANDLE)*pipe, bytes, sizeof(bytes), &size, NULL) && size > 0) {
        mb_buf_put(out, bytes, size);
    } else {
        close_pipe(pipe);
    }
    return true;
}

bool mb_process_read(struct mb_process *process, int ms, struct mb_buf *output,
                     struct mb_buf *complaints)
{
    for (int waited = 0;; waited += POLL_MS) {
        bool is_read = read_some(&process->pipes[0], output);
        is_read |= read_some(&process->pipes[1], complaints);
        if (process->pipes[0] == -1 && process->pipes[1] == -1) {
            return false;
        }
        if (is_read || waited >= ms || mb_is_interrupted()) {
            return true;
        }
        Sleep(POLL_MS);
    }
}

/* --- the end --- */

void mb_process_end(const struct mb_process *process, enum mb_end end)
{
    (void)TerminateProcess((HANDLE)process->id,
                           end == MB_END_ASK ? ENDED_BY_REQUEST : ENDED_AT_ONCE);
}

bool mb_process_wait(struct mb_process *process, int *code)
{
    bool was_interrupted = mb_is_interrupted();
    DWORD status = 0;

    close_pipe(&process->pipes[0]);
    close_pipe(&process->pipes[1]);
    while (WaitForSingleObject((HANDLE)process->id, WAIT_MS) == WAIT_TIMEOUT) {
        if (!was_interrupted && mb_is_interrupted()) {
            errno = EINTR;
            return false;
        }
    }
    bool is_known = GetExitCodeProcess((HANDLE)process->id, &status) || mb_fail_windows();
    (void)CloseHandle((HANDLE)process->id);
    *code = (int)status;
    return is_known;
}

enum mb_status mb_show_page(const char *path, int *code, struct mb_error *err)
{
    char full[MB_PATH_SIZE]; /* with the separators of programs */
    DWORD size = GetFullPathNameA(path, sizeof(full), full, NULL);

    *code = 0;
    return size > 0 && size < sizeof(full) &&
                   (intptr_t)ShellExecuteA(NULL, "open", full, NULL, NULL, SW_SHOWNORMAL) > 32
               ? MB_OK
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "no program shows such files");
}
