#include "base/mapping.h"

#include "base/windows/windows.h"

#include <io.h>
#include <stdlib.h>

struct mapping {
    struct mapping *next;
    struct mb_text bytes;
    const char *path;
};

static struct mapping *mappings;
static SRWLOCK mutex = SRWLOCK_INIT; /* held while changing or walking the list */
static void (*report_cut)(const char *path);

/* Called with the mutex held: the link to the mapping that has the address, or to NULL. */
static struct mapping **find_mapping(const void *address)
{
    struct mapping **link = &mappings;

    while (*link != NULL &&
           (uintptr_t)address - (uintptr_t)(*link)->bytes.data >= (*link)->bytes.size) {
        link = &(*link)->next;
    }
    return link;
}

/* The system does not let a mapped file be cut, but a network may lose it. */
static LONG CALLBACK handle_fault(EXCEPTION_POINTERS *fault)
{
    const EXCEPTION_RECORD *record = fault->ExceptionRecord;

    if (record->ExceptionCode == EXCEPTION_IN_PAGE_ERROR) {
        AcquireSRWLockExclusive(&mutex);
        const struct mapping *mapping =
            *find_mapping((const void *)record->ExceptionInformation[1]);
        ReleaseSRWLockExclusive(&mutex);
        if (mapping != NULL) {
            report_cut(mapping->path);
        }
    }
    return EXCEPTION_CONTINUE_SEARCH;
}

void mb_mapping_catch(void (*on_cut)(const char *path))
{
    report_cut = on_cut;
    (void)AddVectoredExceptionHandler(1, handle_fault);
}

/* NULL with errno. */
static void *map_file(int fd, size_t size)
{
    HANDLE section =
        CreateFileMappingW((HANDLE)_get_osfhandle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
    void *bytes = section != NULL ? MapViewOfFile(section, FILE_MAP_READ, 0, 0, size) : NULL;

    if (bytes == NULL) {
        (void)mb_fail_windows();
    }
    if (section != NULL) {
        (void)CloseHandle(section); /* the view keeps it */
    }
    return bytes;
}

enum mb_status mb_map(struct mb_text *bytes, int fd, size_t size, const char *path,
                      struct mb_error *err)
{
    struct mapping *mapping = malloc(sizeof(*mapping));
    void *start = mapping != NULL ? map_file(fd, size) : NULL;

    if (start == NULL) {
        enum mb_status status =
            mapping != NULL ? mb_fail_errno(err, "cannot map") : mb_fail_memory(err);
        free(mapping);
        return status;
    }
    *bytes = (struct mb_text){start, size};
    AcquireSRWLockExclusive(&mutex);
    *mapping = (struct mapping){mappings, *bytes, path};
    mappings = mapping;
    ReleaseSRWLockExclusive(&mutex);
    return MB_OK;
}

void mb_unmap(struct mb_text bytes)
{
    AcquireSRWLockExclusive(&mutex);
    struct mapping **link = find_mapping(bytes.data);
    struct mapping *mapping = *link;
    if (mapping != NULL) {
        *link = mapping->next;
    }
    ReleaseSRWLockExclusive(&mutex);
    free(mapping);
    (void)UnmapViewOfFile(bytes.data);
}

void mb_map_drop(struct mb_text bytes)
{
    (void)bytes;
}
