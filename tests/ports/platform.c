/* What base/platform.h and its like promise, asked of the system that this runs on, in a new
 * folder. usage: platform FOLDER       in FOLDER, which exists; says what fails, and exits with 1
 *        platform --say WORD   what the process test starts */

#include "base/mapping.h"
#include "base/platform_folder.h"
#include "base/platform_process.h"
#include "base/platform_system.h"
#include "base/processors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

#define CHECK(condition)                                                                  \
    ((condition) ? (void)0                                                                \
                 : (void)(failures++, fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, \
                                              __LINE__, #condition, errno)))

static bool write_text(const struct mb_folder *folder, const char *name, const char *text)
{
    int fd = mb_file_open(folder, name, MB_FILE_EMPTY);

    return fd >= 0 && mb_file_put(fd, text, strlen(text)) && close(fd) == 0;
}

static bool reads(const struct mb_folder *folder, const char *name, const char *text)
{
    char bytes[64] = "";
    int fd = mb_file_open(folder, name, MB_FILE_READ);
    ptrdiff_t got = fd >= 0 ? mb_file_get(fd, bytes, sizeof(bytes) - 1) : -1;

    return fd >= 0 && close(fd) == 0 && got == (ptrdiff_t)strlen(text) && strcmp(bytes, text) == 0;
}

static size_t count_entries(const struct mb_folder *folder, const char *name)
{
    struct mb_listing *listing = mb_listing_begin(folder, name);
    struct mb_entry entry;
    size_t count = 0;

    while (listing != NULL && mb_listing_next(listing, &entry)) {
        count++;
    }
    CHECK(listing != NULL && errno == 0);
    if (listing != NULL) {
        mb_listing_end(listing);
    }
    return count;
}

static void test_files(const struct mb_folder *folder)
{
    struct mb_file_info info, other;
    char bytes[8] = "";

    errno = 0;
    CHECK(mb_file_open(folder, "none", MB_FILE_READ) < 0 && errno == ENOENT);
    int fd = mb_file_open(folder, "new", MB_FILE_NEW);
    CHECK(fd >= 0 && mb_file_put(fd, "one\r\ntwo", 8) && mb_file_put_at(fd, "ONE", 3, 0));
    CHECK(mb_file_get_at(fd, bytes, 8, 0) == 8 && memcmp(bytes, "ONE\r\ntwo", 8) == 0);
    CHECK(mb_file_get_at(fd, bytes, 8, 8) == 0);
    CHECK(mb_file_look_open(fd, &info) && info.type == MB_FILE_REGULAR && info.size == 8);
    CHECK(info.changed_ns > 1700000000000000000 && !info.is_removed);
    CHECK(mb_file_cut(fd, 3) && mb_file_sync(fd) && mb_file_lock(fd) && close(fd) == 0);
    CHECK(mb_file_open(folder, "new", MB_FILE_NEW) < 0 && errno == EEXIST);
    CHECK(mb_file_look(folder, "new", &other) && mb_file_id_is(info.id, other.id) &&
          other.size == 3);
    fd = mb_file_open(folder, "new", MB_FILE_APPEND);
    CHECK(fd >= 0 && mb_file_put(fd, "!", 1) && close(fd) == 0 && reads(folder, "new", "ONE!"));
    CHECK(write_text(folder, "new", "x") && reads(folder, "new", "x"));
    CHECK(mb_file_look(folder, "", &info) && info.type == MB_FILE_FOLDER);
    CHECK(mb_file_open(folder, "new/below", MB_FILE_READ) < 0 &&
          (errno == ENOTDIR || errno == ENOENT));
    CHECK(mb_file_remove(folder, "new") && !mb_file_look(folder, "new", &info) && errno == ENOENT);
    CHECK(!mb_file_remove(folder, "new") && errno == ENOENT);
}

static void test_others(const struct mb_folder *folder, const char *path)
{
    struct tm date = {.tm_year = 126, .tm_mon = 10, .tm_mday = 27};
    struct mb_machine machine;
    char byte = 'x';
    bool can_rename = false;

    int fd = mb_file_open_temporary();
    CHECK(fd >= 0 && mb_file_put(fd, &byte, 1) && mb_file_seek(fd, 0));
    CHECK(mb_file_get(fd, &byte, 1) == 1 && mb_file_get(fd, &byte, 1) == 0 && close(fd) == 0);
    fd = mb_file_open(NULL, mb_path_nothing, MB_FILE_READ_WAIT);
    CHECK(fd >= 0 && mb_file_get(fd, &byte, 1) == 0 && close(fd) == 0);
    CHECK(mb_folder_can_rename(folder, path, &can_rename) && can_rename);
    CHECK(mb_machine_look(&machine) && machine.processor[0] != '\0' && mb_processor_count() > 0);
    CHECK(mb_time_from_utc(&date) == 1795737600 && mb_time_to_utc(1795737600, &date));
    CHECK(date.tm_hour == 0 && date.tm_mday == 27);
}

static void test_folders(const struct mb_folder *folder)
{
    struct mb_file_info info;

    CHECK(mb_folder_make(folder, "below") && !mb_folder_make(folder, "below") && errno == EEXIST);
    CHECK(write_text(folder, "below/a", "a") && write_text(folder, "below/.b", "b"));
    CHECK(count_entries(folder, "below") == 2 && count_entries(folder, "") == 1);
    CHECK(!mb_folder_remove(folder, "below") && (errno == ENOTEMPTY || errno == EEXIST));
    CHECK(!mb_file_remove(folder, "below") && mb_file_look(folder, "below", &info));
    CHECK(mb_file_remove(folder, "below/a") && mb_file_remove(folder, "below/.b"));
    CHECK(mb_folder_remove(folder, "below") && !mb_file_look(folder, "below", &info));
    CHECK(mb_listing_begin(folder, "below") == NULL && errno == ENOENT);
}

static void test_renames(const struct mb_folder *folder)
{
    CHECK(write_text(folder, "old", "old") && write_text(folder, "new", "new"));
    CHECK(mb_file_link(folder, "old", folder, "kept") && reads(folder, "kept", "old"));
    int fd = mb_file_open(folder, "old", MB_FILE_READ);
    bool is_over =
        mb_file_rename(folder, "new", folder, "old"); /* Windows before 10, and Wine, refuse */
    CHECK(is_over || ((errno == EACCES || errno == EBUSY) && reads(folder, "old", "old")));
    CHECK(fd >= 0 && close(fd) == 0 && (is_over || mb_file_rename(folder, "new", folder, "old")));
    CHECK(reads(folder, "old", "new") && reads(folder, "kept", "old"));
    CHECK(!mb_file_rename(folder, "none", folder, "old") && errno == ENOENT);
    CHECK(!mb_file_link(folder, "kept", folder, "old") && errno == EEXIST);
    CHECK(mb_file_remove(folder, "old") && mb_file_remove(folder, "kept"));
}

static bool is_x(const char *name)
{
    return name[0] == 'x';
}

/* As publish/ does it: a new folder in a folder, locked, filled, emptied and removed. */
static void test_locks(const struct mb_folder *folder, const char *path)
{
    struct mb_folder made, again;
    char name[4096];

    (void)snprintf(name, sizeof(name), "%s/.made-XXXXXX", path);
    CHECK(mb_folder_make_new(name) && mb_folder_open_in(&made, folder, name));
    CHECK(mb_folder_open_in(&again, folder, name) && mb_folder_is_ours(&again));
    CHECK(mb_folder_lock(&made, MB_LOCK_ALONE) == MB_LOCKED);
    CHECK(mb_folder_lock(&again, MB_LOCK_ALONE) == MB_LOCK_TAKEN);
    CHECK(mb_folder_lock(&again, MB_LOCK_SHARED) == MB_LOCK_TAKEN);
    CHECK(count_entries(&made, "") == 0);
    mb_folder_unlock(&made);
    CHECK(mb_folder_lock(&again, MB_LOCK_SHARED) == MB_LOCKED);
    CHECK(mb_folder_lock(&made, MB_LOCK_ALONE) == MB_LOCK_TAKEN);
    CHECK(mb_folder_lock(&made, MB_LOCK_SHARED) == MB_LOCKED);
    mb_folder_close(&again);
    CHECK(write_text(&made, "x1", "1") && write_text(&made, "y", "2"));
    CHECK(mb_folder_remove_some(&made, is_x) && count_entries(&made, "") == 1);
    CHECK(mb_file_rename(&made, "y", folder, "moved") && reads(folder, "moved", "2"));
    CHECK(mb_folder_remove_open(&made, folder) && mb_file_remove(folder, "moved"));
    CHECK(count_entries(folder, "") == 0);
}

static void test_names(const struct mb_folder *folder)
{
    static const char *const names[] = {"aux.class", "con", "COM1.class",
                                        "Gr\303\266\303\237e.class", "\360\237\231\202"};
    char path[600] = "long";
    char *real;

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        CHECK(write_text(folder, names[i], names[i]) && reads(folder, names[i], names[i]));
        CHECK(mb_file_remove(folder, names[i]));
    }
    CHECK(mb_folder_make(folder, path));
    for (size_t size = strlen(path); size + 100 < sizeof(path); size = strlen(path)) {
        (void)snprintf(path + size, sizeof(path) - size, "/%090zu", size);
        CHECK(mb_folder_make(folder, path));
    }
    (void)strcat(path, "/file");
    CHECK(write_text(folder, path, "far") && reads(folder, path, "far"));
    CHECK(mb_file_remove(folder, path));
    for (*strrchr(path, '/') = '\0'; strchr(path, '/') != NULL; *strrchr(path, '/') = '\0') {
        CHECK(mb_folder_remove(folder, path));
    }
    CHECK(mb_folder_remove(folder, path));
    CHECK((real = mb_path_real(".")) != NULL && mb_path_is_absolute(real) &&
          strchr(real, '\\') == NULL);
    free(real);
    CHECK((real = mb_path_real("none")) == NULL && errno == ENOENT);
}

static void test_memory(const struct mb_folder *folder)
{
    struct mb_text text;
    struct mb_error err = {0};

    CHECK(write_text(folder, "mapped", "bytes"));
    int fd = mb_file_open(folder, "mapped", MB_FILE_READ);
    CHECK(mb_map(&text, fd, 5, "mapped", &err) == MB_OK && memcmp(text.data, "bytes", 5) == 0);
    mb_map_drop(text);
    mb_unmap(text);
    CHECK(close(fd) == 0 && write_text(folder, "new", "other"));
    CHECK(mb_file_rename(folder, "new", folder, "mapped") && reads(folder, "mapped", "other"));
    CHECK(mb_file_remove(folder, "mapped"));
}

static void test_processes(const char *self)
{
    char word[] = "a \"b\\\" c\\\\ \303\266 *";
    const char *const words[] = {self, "--say", word, NULL};
    const char *const none[] = {"methodbeat-none", NULL};
    struct mb_program program = {words, NULL, MB_STREAM_NULL, MB_STREAM_PIPE, MB_STREAM_PIPE};
    struct mb_buf output = {0}, complaints = {0};
    struct mb_process process;
    int code = -1;

    CHECK(mb_process_start(&process, &program));
    while (mb_process_read(&process, 1000, &output, &complaints)) {
    }
    CHECK(mb_process_wait(&process, &code) && code == 7);
    mb_path_accept(word); /* as it does with its arguments */
    CHECK(output.size == strlen(word) && memcmp(output.bytes, word, output.size) == 0);
    CHECK(complaints.size == 5 && memcmp(complaints.bytes, "empty", 5) == 0);
    mb_buf_finish(&output);
    mb_buf_finish(&complaints);
    program.words = none;
    CHECK(!mb_process_start(&process, &program) && errno == ENOENT);
}

static int say(const char *word)
{
    char byte;

    (void)fputs(word, stdout);
    (void)fputs(mb_file_get(STDIN_FILENO, &byte, 1) == 0 ? "empty" : "?", stderr);
    return 7;
}

int main(int argc, char **argv)
{
    struct mb_folder folder;

    mb_system_begin(&argc, &argv);
    if (argc == 3 && strcmp(argv[1], "--say") == 0) {
        return say(argv[2]);
    }
    if (argc != 2) {
        return 2;
    }
    mb_path_accept(argv[1]);
    if (!mb_folder_open(&folder, argv[1])) {
        perror(argv[1]);
        return 1;
    }
    test_files(&folder);
    test_others(&folder, argv[1]);
    test_folders(&folder);
    test_renames(&folder);
    test_locks(&folder, argv[1]);
    test_names(&folder);
    test_memory(&folder);
    test_processes(argv[0]);
    mb_folder_close(&folder);
    return failures > 0;
}
