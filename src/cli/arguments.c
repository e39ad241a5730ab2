#include "cli/arguments.h"

#include "base/file.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/vec.h"

#include <limits.h>
#include <string.h>

/* Collects the new argument list; text of files goes to the arena. */
struct expansion {
    struct mb_arena *arena;
    MB_VEC(char *) pointers;
};

static enum mb_status put_line(struct expansion *expansion, struct mb_text line,
                               struct mb_error *err)
{
    if (line.size == 0) {
        return MB_OK;
    }
    char *argument = mb_arena_copy(expansion->arena, line.data, line.size);
    if (argument == NULL) {
        return mb_fail_memory(err);
    }
    mb_path_accept(argument);
    MB_VEC_PUSH(&expansion->pointers, argument);
    return MB_OK;
}

static enum mb_status put_file(struct expansion *expansion, const char *path, struct mb_error *err)
{
    struct mb_buf file = {0};
    struct mb_text line;
    size_t number = 0;
    enum mb_status status = mb_file_read(&file, path, err);
    struct mb_text rest = {(const char *)file.bytes, file.size};

    while (status == MB_OK && mb_text_next_line(&rest, &line, &number)) {
        status = put_line(expansion, line, err);
    }
    mb_buf_finish(&file);
    return status;
}

static enum mb_status expand_all(struct expansion *expansion, int argc, char **argv,
                                 struct mb_error *err)
{
    for (int i = 0; i < argc; i++) {
        if (i > 0 && argv[i][0] == '@') {
            MB_TRY(put_file(expansion, argv[i] + 1, err));
        } else {
            MB_VEC_PUSH(&expansion->pointers, argv[i]);
        }
    }
    size_t count = MB_VEC_COUNT(&expansion->pointers);
    MB_VEC_PUSH(&expansion->pointers, NULL);
    MB_TRY(mb_buf_check(&expansion->pointers.buf, err));
    return count <= INT_MAX ? MB_OK
                            : mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "%zu arguments", count);
}

enum mb_status cli_expand_arguments(struct mb_arena *arena, int *argc, char ***argv,
                                    struct mb_error *err)
{
    struct expansion expansion = {.arena = arena};
    enum mb_status status = expand_all(&expansion, *argc, *argv, err);

    if (status == MB_OK) {
        size_t count = MB_VEC_COUNT(&expansion.pointers);
        char **expanded = MB_NEW_ARRAY(arena, char *, count);
        if (expanded == NULL) {
            status = mb_fail_memory(err);
        } else {
            for (size_t i = 0; i < count; i++) {
                expanded[i] = expansion.pointers.items[i];
            }
            *argc = (int)count - 1;
            *argv = expanded;
        }
    }
    mb_buf_finish(&expansion.pointers.buf);
    return status;
}
