#include "cli/run_module.h"

#include "base/buf.h"
#include "base/file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OPTION "--module="
#define SPACES " \t\r\n\f"

struct search {
    bool is_next; /* the next word is the module */
    char *module;
};

static void take_module(struct search *search, const char *word, size_t size)
{
    const char *slash = memchr(word, '/', size);

    search->module = strndup(word, slash != NULL ? (size_t)(slash - word) : size);
}

static bool is_word(const char *word, size_t size, const char *wanted)
{
    return size == strlen(wanted) && memcmp(word, wanted, size) == 0;
}

static void look_at(struct search *search, const char *word, size_t size)
{
    if (search->is_next) {
        take_module(search, word, size);
    } else if (size > strlen(OPTION) && memcmp(word, OPTION, strlen(OPTION)) == 0) {
        take_module(search, word + strlen(OPTION), size - strlen(OPTION));
    }
    search->is_next = is_word(word, size, "-m") || is_word(word, size, "--module");
}

/* Up to the quote that ends it, or the next space. Names of modules have no spaces or quotes. */
static const char *take_word(struct search *search, const char *word)
{
    bool is_quoted = *word == '"' || *word == '\'';
    char quote[] = {*word, '\0'};
    const char *begin = is_quoted ? word + 1 : word;
    size_t size = strcspn(begin, is_quoted ? quote : SPACES);

    look_at(search, begin, size);
    return begin + size + (is_quoted && begin[size] != '\0' ? 1 : 0);
}

/* What comes through a pipe comes once, and is java's. */
static bool is_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static void look_into(struct search *search, const char *path)
{
    struct mb_buf text = {0};
    struct mb_error err;

    if (is_file(path) && mb_file_read(&text, path, &err) == MB_OK) {
        mb_buf_put_u1(&text, '\0');
        const char *at = text.failed ? "" : (const char *)text.bytes;
        while (search->module == NULL && at[strspn(at, SPACES)] != '\0') {
            at += strspn(at, SPACES);
            at = *at == '#' ? at + strcspn(at, "\r\n") : take_word(search, at);
        }
    }
    mb_buf_finish(&text);
}

char *cli_run_module(char **command)
{
    struct search search = {0};

    for (; command[0] != NULL && search.module == NULL; command++) {
        if (command[0][0] == '@' && command[0][1] != '@') {
            look_into(&search, command[0] + 1);
        } else {
            look_at(&search, command[0], strlen(command[0]));
        }
    }
    return search.module;
}
